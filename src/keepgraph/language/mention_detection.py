"""Mention detection: dictionary lookup of known names in a text. Unknown names are found by `proper_names`.

It has two steps. `candidate_spans` gives every run of words that could be a name, with its key; the caller looks up all
keys at once. Of the names with these keys, `detect` chooses by the spelling in the text and in the graph.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias, TypeVar

from keepgraph.language import common_words, inflection, normalisation, quantities, sentences, tokenizer
from keepgraph.language.sentences import Sentence
from keepgraph.language.tokenizer import Token, is_combining_mark
from keepgraph.lazy import dataclass

# A text with its tokens, words and sentences, and with what a capital letter means at each place.
#
# Mention detection and the rules for proper names read the same text: each annotation is computed once, when needed.

Offsets: TypeAlias = tuple[int, int]
"""Where something starts in a text, and where it ends (exclusive), in characters."""


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
            if token.ends and self.text[token.start] < "\u0250" and self.text[token.end - 1] >= "\uac00":
                end = token.ends[-1]  # a Korean particle after a word in Latin letters
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
        """The words before and after a name; None if more than one space is between."""
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
        """The sentence with a name; the name itself if no sentence contains all of it."""
        sentence = self.sentence_at(start)
        return (sentence.start, sentence.end) if sentence and sentence.end >= end else (start, end)

    def capital_is_expected(self, offset: int) -> bool:
        """Whether any word may have a capital here, so that a capital does not mark a name."""
        return self.is_sentence_start(offset) or self.is_in_heading(offset)

    def is_in_heading(self, offset: int) -> bool:
        sentence = self.sentence_at(offset)
        return sentence is not None and sentence.heading

    def is_sentence_start(self, offset: int) -> bool:
        """Whether a sentence begins here, or the text after a colon or an opening quotation mark."""
        sentence = self.sentence_at(offset)
        before = self.text[sentence.start if sentence else 0 : offset]
        if not any(c.isalnum() for c in before):
            return True
        return before.rstrip(" *_`")[-1:] in (":", "“", '"', "«", "„", "|")

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def _word_starts(self) -> list[int]:
        return [start for start, _ in self.words]


MAX_WORDS = 8
"""Longer names are not searched for in texts."""

MAX_CHARACTERS = 8
"""In scripts without spaces, names of more characters are not looked for within a longer run."""

MAX_LETTERS = 16
"""The same for those of them that are written with letters: Thai, Khmer …"""

# Names of one or two letters must be in the text exactly as written.
_MIN_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words that could be a name.

    Attributes:
        key: as normalisation.key makes it; a typographic apostrophe is looked up as a plain one too.
        start: the offset of its first character in the text.
        end: the offset after its last.
    """

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A known name by its offsets in a text and its key."""

    start: int
    end: int
    key: str


_Match = TypeVar("_Match", bound=NameMatch)


def detect(
    text: AnnotatedText | str, known: Mapping[str, Collection[str]], *, spans: Iterable[Span] | None = None
) -> list[NameMatch]:
    """The known names in a text, in their order; of those that overlap, the longest.

    How a name is written decides whether it is meant; whether it is a part of a longer, unknown one, is told by
    `longer_names`:

    - A name of several words, with digits or symbols, or not an English word (Priya Raman, Q3 2025, Django) is
      found in any letter case.
    - One in lower case (stress) is found in any case too, unless it is a word like `the`.
    - One that is an ordinary word with a capital (Mark, May, Stripe) is found only with a capital; not as a month (in
      May); at the beginning of a sentence or in a heading only if it is no verb or adjective (Falcon), or possesses
      something: Will's.
    - One that is an ordinary word except for its capitals (IT, REST) is found only as written.

    Args:
        known: the names that are known, by key: each as it is written in the graph, in one way or several.
        spans: the candidate spans to look at; None looks at all.
    """
    annotated = _annotated(text)
    matches: dict[tuple[int, int], NameMatch] = {}
    for span in candidate_spans(annotated) if spans is None else spans:
        if any(is_meant(annotated, span, written) for written in known.get(span.key, ())):
            matches.setdefault((span.start, span.end), NameMatch(span.start, span.end, span.key))
    return longest(matches.values())


def candidate_spans(text: AnnotatedText | str, prefixes: Container[str] | None = None) -> Iterator[Span]:
    """Every run of 1 to MAX_WORDS words of a text that could be a name; none crosses an empty line.

    In scripts without spaces, every run of 2 to MAX_CHARACTERS characters (MAX_LETTERS), and each whole run.

    Args:
        prefixes: those of the `prefix_keys` of the text with which some name begins; None leaves no span out.
    """
    annotated = _annotated(text)
    tokens = annotated.tokens
    for index, first in enumerate(tokens):
        starts = [
            start
            for start in first.starts
            if prefixes is None or any(key in prefixes for key in _prefix_keys_at(annotated.text, first, start))
        ]
        if starts:
            for last in _last_tokens(tokens, index):
                for end in last.ends:
                    for start in starts:
                        yield from _spellings(annotated.text, start, end)
    for start, end in annotated.unspaced_runs:
        yield from _spans_in_unspaced_run(annotated.text, start, end, prefixes)


def prefix_keys(text: AnnotatedText | str) -> set[str]:
    """The keys of the words and characters with which a name may begin in a text."""
    annotated = _annotated(text)
    keys = {
        key
        for token in annotated.tokens
        for start in token.starts
        for key in _prefix_keys_at(annotated.text, token, start)
    }
    for start, end in annotated.unspaced_runs:
        keys.update(map(_word_key, annotated.text[start:end]))
    return keys


def word_spans(text: AnnotatedText | str) -> Iterator[Span]:
    """Every single word of a text."""
    annotated = _annotated(text)
    for token in annotated.tokens:
        if token.starts and token.ends:
            yield Span(_word_key(annotated.text[token.start : token.end]), token.start, token.end)


def _annotated(text: AnnotatedText | str) -> AnnotatedText:
    return AnnotatedText(text) if isinstance(text, str) else text


def _prefix_keys_at(text: str, token: Token, start: int) -> Iterator[str]:
    """The keys with which a name may begin that starts here: the token, or what is before a particle in it."""
    yield _word_key(text[start : token.end])
    for end in token.ends:
        if end < token.end:
            yield _word_key(text[start:end])


def _last_tokens(tokens: Sequence[Token], first: int) -> Iterator[Token]:
    """The tokens with which a run of at most MAX_WORDS words may end that begins with token number `first`."""
    words = 1
    # A word has one token, or a few that are joined.
    for token in tokens[first : first + 3 * MAX_WORDS]:
        if token is not tokens[first]:
            words += token.after_space
            if token.after_break or words > MAX_WORDS:
                return
        yield token


def _spellings(text: str, start: int, end: int) -> Iterator[Span]:
    written = text[start:end]
    key = normalisation.key(written) if written.isascii() else " ".join(map(_word_key, written.split()))
    yield Span(key, start, end)
    if "’" in key:
        yield Span(key.replace("’", "'"), start, end)


# A text has most of its words several times.
@lru_cache(maxsize=8192)
def _word_key(word: str) -> str:
    return normalisation.key(word)


def _spans_in_unspaced_run(text: str, start: int, end: int, prefixes: Container[str] | None) -> Iterator[Span]:
    """The names that may be in a run of a script without spaces; no letter is separated from its combining marks."""
    run = text[start:end]
    run_key = normalisation.key(run)
    yield Span(run_key, start, end)
    is_aligned = len(run_key) == len(run)
    max_length = MAX_LETTERS if run[0] < "\u2000" else MAX_CHARACTERS
    for first in range(len(run)):
        if is_combining_mark(run[first]) or (first and _is_katakana(run[first]) and _is_katakana(run[first - 1])):
            continue
        if prefixes is not None and _word_key(run[first]) not in prefixes:
            continue
        for last in range(first + 2, min(first + max_length, len(run)) + 1):
            after = run[last : last + 1]
            if last - first == len(run) or (after and is_combining_mark(after)):
                continue
            if after and _is_katakana(after) and _is_katakana(run[last - 1]):
                continue
            key = run_key[first:last] if is_aligned else normalisation.key(run[first:last])
            yield Span(key, start + first, start + last)


def _is_katakana(character: str) -> bool:
    return "\u30a1" <= character <= "\u30fc" and character != "\u30fb"


def is_meant(text: AnnotatedText, span: Span, written: str) -> bool:
    """Whether a span of the text means the name, as the graph writes it."""
    spelling = text.text[span.start : span.end]
    key = span.key
    if " " in key:
        return spelling == written or not all(common_words.is_stop_word(word) for word in key.split())
    if written == written.lower():
        return not common_words.is_stop_word(key)
    if len(written) < _MIN_LETTERS or not written.isalpha():
        return spelling == written if len(written) < _MIN_LETTERS else True
    if not common_words.is_common(key):
        return True
    if written[1:] != written[1:].lower():
        return spelling == written
    before, _ = text.neighbours(span.start, span.end)
    is_date = quantities.is_calendar_word(key) and text.word(before).lower() in inflection.PREPOSITIONS
    if is_date or not spelling[0].isupper():
        return False
    is_possessive = text.text[span.end : span.end + 2] in ("'s", "’s")
    return is_possessive or not (text.capital_is_expected(span.start) and common_words.may_begin_sentence(key))


def longest(matches: Iterable[_Match]) -> list[_Match]:
    """The matches in their order, without overlaps: the longer of two stays, or the first."""
    longest: list[_Match] = []
    occupied: set[int] = set()
    for match in sorted(matches, key=lambda match: (match.start - match.end, match.start)):
        # A name is short: a set of its offsets is cheaper than an interval tree.
        if match.start not in occupied and match.end - 1 not in occupied:
            longest.append(match)
            occupied.update(range(match.start, match.end))
    return sorted(longest, key=lambda match: match.start)
