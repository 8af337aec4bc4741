"""A text with its tokens, words and sentences, and with what a capital letter means at each place.

Mention detection and the rules for proper names read the same text: each annotation is computed once, when needed.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TypeAlias

from keepgraph.language import common_words, sentences, tokenizer
from keepgraph.language.sentences import Sentence
from keepgraph.language.tokenizer import Token

Offsets: TypeAlias = tuple[int, int]
"""Where something starts in a text, and where it ends (exclusive), in characters."""

# A sentence is in title case, or all in capitals, if this share of its words is, and it has this many words.
_TITLE_SHARE = 0.9
_MIN_TITLE_WORDS = 3


class AnnotatedText:
    """A text with its annotations."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> list[Token]:
        return list(tokenizer.tokenize(self.text))

    @cached_property
    def unspaced_runs(self) -> list[Offsets]:
        """The runs of characters of scripts that put no space between words."""
        return [] if self.text.isascii() else tokenizer.unspaced_runs(self.text)

    @cached_property
    def sentences(self) -> list[Sentence]:
        return list(sentences.split(self.text))

    @cached_property
    def words(self) -> list[Offsets]:
        """The words; what is joined (O'Brien, Node.js) is one."""
        words: list[Offsets] = []
        for token in self.tokens:
            end = token.ends[0] if token.ends else token.end
            if token.starts or not words:
                words.append((token.starts[0] if token.starts else token.start, end))
            else:
                words[-1] = (words[-1][0], end)
        return words

    def word(self, offsets: Offsets | None) -> str:
        """The text between two offsets; an empty one for None."""
        return self.text[offsets[0] : offsets[1]] if offsets else ""

    def words_in(self, sentence: Sentence) -> list[Offsets]:
        first = bisect_right(self._word_starts, sentence.start - 1)
        last = bisect_right(self._word_starts, sentence.end - 1)
        return self.words[first:last]

    def neighbours(self, start: int, end: int) -> tuple[Offsets | None, Offsets | None]:
        """The words before and after a name; None where more than one space is between."""
        index = bisect_right(self._word_starts, start) - 1
        before = self.words[index - 1] if index > 0 else None
        if before and self.text[before[1] : start] != " ":
            before = None
        after = self.words[index + 1] if index + 1 < len(self.words) else None
        if after and self.text[end : after[0]] != " ":
            after = None
        return before, after

    def sentence_at(self, offset: int) -> Sentence | None:
        index = bisect_right(self._sentence_starts, offset) - 1
        return self.sentences[index] if index >= 0 else None

    def sentence_around(self, start: int, end: int) -> Offsets:
        """The sentence in which a name stands; the name itself where no sentence holds all of it."""
        sentence = self.sentence_at(start)
        return (sentence.start, sentence.end) if sentence and sentence.end >= end else (start, end)

    def capital_is_expected(self, offset: int) -> bool:
        """Whether any word would have a capital here, so that a capital does not tell a name."""
        return self.is_sentence_start(offset) or self.is_title_case(offset)

    def is_sentence_start(self, offset: int) -> bool:
        """Whether a sentence begins here, or what stands after a colon or an opening quotation mark."""
        sentence = self.sentence_at(offset)
        before = self.text[sentence.start if sentence else 0 : offset]
        if not any(c.isalnum() for c in before):
            return True
        return before.rstrip(" *_`")[-1:] in (":", "“", '"', "«", "„", "|")

    def is_title_case(self, offset: int) -> bool:
        """Whether nearly every word of the sentence at this offset has a capital."""
        sentence = self.sentence_at(offset)
        return sentence is not None and sentence.start in self._titles

    def is_all_capitals(self, offset: int) -> bool:
        """Whether nearly every word of the sentence at this offset is in capitals."""
        sentence = self.sentence_at(offset)
        return sentence is not None and self._titles.get(sentence.start, False)

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def _word_starts(self) -> list[int]:
        return [start for start, _ in self.words]

    @cached_property
    def _titles(self) -> dict[int, bool]:
        """The starts of the sentences in title case; True: all in capitals.

        Names alone do not make a title: one word of it that is no name must have a capital in a heading, two elsewhere.
        """
        titles = {}
        for sentence in self.sentences:
            words = [self.text[start:end] for start, end in self.words_in(sentence) if self.text[start].isalpha()]
            content_words = [word for word in words if not common_words.is_stop_word(word.lower())]
            capitalised = sum(word[0].isupper() for word in content_words)
            ordinary = sum(word[0].isupper() and common_words.is_rarely_name(word.lower()) for word in words[1:])
            if (
                len(words) >= _MIN_TITLE_WORDS
                and capitalised >= _TITLE_SHARE * len(content_words)
                and ordinary >= (1 if sentence.heading else 2)
            ):
                titles[sentence.start] = sum(word.isupper() for word in words) >= _TITLE_SHARE * len(words)
        return titles
