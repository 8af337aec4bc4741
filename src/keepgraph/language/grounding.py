"""Grounding: whether a text states an extracted relation: both ends and its wording in one sentence.

A sentence may name one end by a pronoun or by what it is (she, the company), if the text names it before. A sentence
does not state what it denies, asks, supposes or plans.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache

from keepgraph import lazy
from keepgraph.language import common_words, factuality, first_person, inflection, sentences, written_values
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass

MIN_SHARE = 0.5
"""An end that is not a name is in a sentence that has at least this share of its words."""

_MIN_LETTERS_OF_STEM = 5  # Japan, in Japanese
_WORD = lazy.compile(r"[^\W_]+")
_WRAPPED = lazy.compile(r"[ \t]*\r?\n[ \t]*(?=[a-z])")
_ANAPHOR = lazy.compile(
    r"\b(?:he|she|it|they|his|her|its|their|him|them|who|which|this|these|those|er|sie|es|il|elle|ils|elles|él|ella|"
    r"(?:the|this|that|der|die|das|le|la|el) [a-z]\w+)\b",
    re.IGNORECASE,
)
_CLAUSE = lazy.compile(r"[;:]|,?\s(?:and|but|while|whereas|und|et|y)\s(?=[A-Z])|,\s(?:and|but|while|whereas)\s")
_SUBJECT = lazy.compile(r"[A-Z]\w+|\b(?:he|she|it|they|I|we)\b")
_COORDINATION = lazy.compile(r"\A[\s,]*(?:[A-Z]\w*[\s,]+(?:of\s|and\s|&\s)?)*")
_COPULAS = frozenset("is are was were be been has have a an the".split())
_NO_ASSERTION = frozenset(("negation", "question", "condition", "possibility", "plan", "doubt"))


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation: the names that it has, and whether it is who speaks in the text."""

    names: tuple[str, ...]
    is_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Wordings:
    """The words by which a text may state a relation.

    Attributes:
        stems: of the words that mean something.
        prepositions: those that state it alone, behind a form of `be`: in.
    """

    stems: frozenset[str]
    prepositions: frozenset[str]

    @classmethod
    def of(cls, texts: Collection[str]) -> Wordings:
        """The words of other wordings for one relation: the name and the labels of its predicate."""
        stems: set[str] = set()
        prepositions: set[str] = set()
        for text in texts:
            words = [_folded(word) for word in _WORD.findall(text.replace("_", " "))]
            telling = [_stem(word) for word in words if _is_telling(word)]
            stems.update(telling)
            if words and not telling and words[-1] in inflection.PREPOSITIONS:
                prepositions.add(words[-1])
        return cls(frozenset(stems), frozenset(prepositions))

    def has(self, word: str) -> bool:
        """Whether a folded word is one of them, inflected or derived: works, employment."""
        if not _is_telling(word):
            return False
        return _stem(word) in self.stems or any(inflection.are_related(word, stem) for stem in self.stems)


class GroundingText:
    """A text in which relations were read."""

    def __init__(self, text: str, *, before: str = "") -> None:
        """
        Args:
            before: what stands before it in its document.
        """
        unwrapped = _WRAPPED.sub(" ", text)
        self._sentences = [_Sentence(unwrapped[each.start : each.end]) for each in sentences.split(unwrapped)]
        self._before = _Sentence(before)

    def names(self, end: End) -> bool:
        """Whether the text names an end, or what stands before it does and the text refers to it."""
        if any(sentence.find(end) for sentence in self._sentences):
            return True
        is_known = bool(self._before.find(end))
        return is_known and any(_ANAPHOR.search(sentence.text) for sentence in self._sentences)

    def states(self, subject: End, wordings: Wordings, target: End) -> bool:
        """Whether a sentence states the relation, in any words that stand for it."""
        seen = [bool(self._before.find(end)) for end in (subject, target)]
        for sentence in self._sentences:
            subjects, targets = sentence.find(subject), sentence.find(target)
            subjects = [one for one in subjects if not any(_is_inside(one, other) for other in targets)]
            targets = [one for one in targets if not any(_is_inside(one, other) for other in subjects)]
            if subjects and targets:
                if any(sentence.states(one, wordings, other) for one in subjects for other in targets):
                    return True
                if not self._is_english:
                    return True  # the words of few languages are known
            elif ((subjects and seen[1]) or (targets and seen[0])) and sentence.states_of_other(
                subjects or targets, wordings, is_subject=not subjects
            ):
                return True
            seen = [seen[0] or bool(subjects), seen[1] or bool(targets)]
        return False

    @cached_property
    def _is_english(self) -> bool:
        """Whether most words without a capital are English."""
        words = [word for each in self._sentences for start, _, word in each.words if each.text[start].islower()]
        return 2 * sum(map(common_words.is_english, words)) > len(words)


Span = tuple[int, int]


class _Sentence:
    """A sentence with its words."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> list[tuple[int, int, str]]:
        return [(*match.span(), _folded(match[0])) for match in _WORD.finditer(self.text)]

    @cached_property
    def _has_speaker(self) -> bool:
        return any(first_person.is_pronoun(self.text[start:end]) for start, end, _ in self.words)

    def find(self, end: End) -> list[Span]:
        """Where the sentence names an end."""
        spans = [span for name in end.names for span in self._find_name(name)]
        if not spans and end.is_speaker and self._has_speaker:
            spans = [(start, stop) for start, stop, _ in self.words if first_person.is_pronoun(self.text[start:stop])]
        return spans

    def states(self, subject: Span, wordings: Wordings, target: Span) -> bool:
        """Whether the sentence says of what it names at two places what the wordings say."""
        first, second = sorted((subject, target))
        if first[1] > second[0]:
            return False
        for place in self._places(wordings, (subject, target)):
            if self._is_asserted(first, place, second) and not self._has_other_subject(subject, place):
                return True
        between = self.text[subject[1] : target[0]] if subject < target else ""
        words = [_folded(word) for word in _WORD.findall(between)]
        prepositions = wordings.prepositions
        if written_values.is_time(self.text[slice(*target)]) and prepositions:
            prepositions |= {"in", "on", "at"}
        is_attached = not words or words[0] in _COPULAS or words[0] in prepositions or between.lstrip()[:1] in "(,"
        is_said = bool(prepositions.intersection(words)) and is_attached and not _CLAUSE.search(between)
        return is_said and self._is_asserted(first, (second[0], second[0]), second)

    def states_of_other(self, named: Sequence[Span], wordings: Wordings, *, is_subject: bool) -> bool:
        """Whether it says what the wordings say of what it names and of something that it only refers to.

        Args:
            is_subject: whether the other is the subject: then no other name may be it.
        """
        if any(cue.kind in _NO_ASSERTION for cue in factuality.find_cues(self.text)):
            return False
        for start, _ in self._places(wordings, named):
            anaphor = _ANAPHOR.search(self.text, 0, start if is_subject else len(self.text))
            if anaphor and not (is_subject and self._has_name(self.text[: anaphor.start()], besides=named)):
                return True
        return False

    def _is_asserted(self, first: Span, wording: Span, second: Span) -> bool:
        """Whether no cue before a wording, in its clause, takes back what is said of two places.

        A cue of the past counts right before the wording or right behind both: formerly, until 2019.
        """
        start = max((match.end() for match in _CLAUSE.finditer(self.text, 0, first[0])), default=0)
        for cue in factuality.find_cues(self.text):
            is_part = any(begin < cue.end and cue.start < end for begin, end in (first, wording, second))
            is_before = start <= cue.start < wording[0] and cue.kind in _NO_ASSERTION
            is_past = cue.kind == "past" and (0 <= wording[0] - cue.end <= 1 or 0 <= cue.start - second[1] <= 1)
            if not is_part and (is_before or is_past or cue.kind == "question"):
                return False
        return True

    def _places(self, wordings: Wordings, besides: Sequence[Span]) -> Iterator[Span]:
        """Where a word of the wordings stands, outside the names."""
        for start, end, word in self.words:
            if not any(first <= start < last for first, last in besides) and wordings.has(word):
                yield start, end

    def _has_other_subject(self, subject: Span, wording: Span) -> bool:
        """Whether another clause begins between the subject and the wording: Alice likes tea and Bob works."""
        if wording < subject:
            return False
        between = _COORDINATION.sub("", self.text[subject[1] : wording[0]], count=1)
        clause = _CLAUSE.search(between)
        return clause is not None and _SUBJECT.search(between, clause.end()) is not None

    def _has_name(self, text: str, *, besides: Sequence[Span]) -> bool:
        """Whether a part of the sentence has a name other than these."""
        for match in re.finditer(r"[^\W\d_]\w*", text):
            is_given = any(start <= match.start() < end for start, end in besides)
            word = match[0]
            opens = not any(c.isalnum() for c in text[: match.start()])
            if word[0].isupper() and not is_given and not (opens and common_words.is_english(word.lower())):
                return True
        return False

    def _find_name(self, name: str) -> Iterator[Span]:
        asked = [_folded(word) for word in _WORD.findall(name)]
        words = self.words
        if not asked:
            return
        whole = [n for n in range(len(words) - len(asked) + 1) if [w for _, _, w in words[n : n + len(asked)]] == asked]
        if whole:
            yield from ((words[n][0], words[n + len(asked) - 1][1]) for n in whole)
            return
        if not name.isascii() and name in self.text:  # a script without spaces
            start = self.text.index(name)
            yield start, start + len(name)
            return
        telling = [word for word in asked if _is_telling(word) or word.isdecimal()] or asked
        is_name = name[:1].isupper() and len(asked) > 1
        found = [
            (n, wanted)
            for n, (_, _, word) in enumerate(words)
            for wanted in telling
            if _is_same(wanted, word) and not (is_name and self._is_of_longer_name(n, asked))
        ]
        if len({wanted for _, wanted in found}) >= MIN_SHARE * len(telling):
            places = [n for n, _ in found]
            yield words[min(places)][0], words[max(places)][1]

    def _is_of_longer_name(self, place: int, asked: Collection[str]) -> bool:
        """Whether a word stands beside another with a capital, with which it makes another name than the one asked."""
        start, end, _ = self.words[place]
        if not self.text[start].isupper():
            return False
        for other in (place - 1, place + 1):
            if 0 <= other < len(self.words):
                first, last, word = self.words[other]
                gap = self.text[min(end, last) : max(start, first)]
                opens = first == 0 and common_words.is_english(word)
                if gap == " " and self.text[first].isupper() and word not in asked and not opens:
                    return True
        return False


def _is_inside(one: Span, other: Span) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one != other


def _is_telling(word: str) -> bool:
    return len(word) > 1 and not common_words.is_stop_word(word) and word not in inflection.PREPOSITIONS


def _stem(word: str) -> str:
    """The stem of a word; that of `like`, which is a preposition too, is the one of `likes`."""
    return inflection.stem(word).removesuffix("e")


def _is_same(wanted: str, word: str) -> bool:
    if wanted == word or inflection.stem(wanted) == inflection.stem(word):
        return True
    if wanted.isdecimal() or word.isdecimal():
        return wanted.lstrip("0") == word.lstrip("0")
    return len(wanted) >= _MIN_LETTERS_OF_STEM and word.startswith(wanted)


@lru_cache(maxsize=8192)
def _folded(word: str) -> str:
    return Name(word).folded or word.casefold()
