"""Phrases in texts: whether one names what another describes, and where names and sentences stand as whole words.

Words of state (waiting, missing, arrived, signed) say nothing about what is meant. Numbers, codes and single letters
must agree. Where both phrases have a word of their own, they may be about two things; so may they where one phrase says
more of it (the licence of Siemens), or denies what the other does not (no licence yet).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from keepgraph import lazy
from keepgraph.language import lexicons, name_similarity, quantities, typos
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass

_TOKEN = lazy.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]", re.UNICODE)
_PARTICIPLE = lazy.compile(r"[a-z]{3,}ed")
_ENDINGS = frozenset(["", "s", "es", "ed", "d", "ing", "n", "en", "e", "er", "ly"])
_MIN_STEM = 4
_LETTERS_THAT_ARE_WORDS = frozenset("aeiouyàé")
_MARKS_OF_RELATION = frozenset("'’:(/")
_WORDS_OF_PURPOSE = frozenset("for of fur pour para per".split())
# Something that no longer holds has changed: these words deny no arrival.
_NO_DENIAL = lazy.compile(
    r"\b(?:no longer|not (?:\S+ ){0,4}any ?more|not only|nicht (?:mehr|nur)|kein\w* mehr|ne \S+ plus|ya no"
    r"|non (?:\S+ )?piu)\b"
)


class Agreement(IntEnum):
    """How far a phrase agrees with a text, least first.

    Attributes:
        NONE: they share no content word.
        CONTRADICTION: they share one, but differ in a number, a code or a letter: licence A, licence B.
        PARTIAL: they share one, and each may mean another thing: the licence of Siemens, the licence from Bosch.
        SURE: whatever one says of the thing, the other says too, if it says anything.
        EQUAL: the same words.
    """

    NONE = 0
    CONTRADICTION = 1
    PARTIAL = 2
    SURE = 3
    EQUAL = 4


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """How far a phrase agrees with a text, and how many content words they share.

    Attributes:
        is_other_matter: whether each has words of its own besides the shared ones, or one denies what the other says.
    """

    agreement: Agreement
    shared: int = 0
    is_other_matter: bool = False


_NO_MATCH = PhraseMatch(Agreement.NONE)


def compare(phrase: str, text: str, *, of: str = "") -> PhraseMatch:
    """Compare a phrase that may name a thing with a text that describes one.

    Args:
        of: a name of what the thing belongs to; the phrase may have it too, and then shares one more.
    """
    one, other = Name(phrase), Name(text)
    if one.key == other.key or (one.folded and one.folded == other.folded):
        return PhraseMatch(Agreement.EQUAL, max(len(one.words), 1))
    words, own = _analyse(phrase)
    text_words, theirs = _analyse(text)
    pairs = {word: match for word in own if (match := _find(word, theirs)) is not None}
    if not pairs:
        return _NO_MATCH
    shared = len(pairs)
    if of and (context := _context(own, of)):
        context -= pairs.keys()
        words, own = (tuple(word for word in each if word not in context) for each in (words, own))
        shared += 1
    codes, described_codes = _codes(own), _codes(theirs)
    if codes and described_codes and codes.isdisjoint(described_codes):
        return PhraseMatch(Agreement.CONTRADICTION, shared, is_other_matter=True)
    if all(_is_code(word) or name_similarity.is_generic(word) for word in pairs) and set(theirs) - set(pairs.values()):
        return PhraseMatch(Agreement.PARTIAL, shared)
    own_rest = [word for word in own if word not in pairs and not _PARTICIPLE.fullmatch(word)]
    their_rest = set(theirs) - set(pairs.values())
    is_other_matter = bool(own_rest and their_rest) or (_denies(words) and not _denies(text_words))
    if is_other_matter or _modifies(words, own_rest, pairs):
        return PhraseMatch(Agreement.PARTIAL, shared, is_other_matter=is_other_matter)
    return PhraseMatch(Agreement.SURE, shared)


@lru_cache(maxsize=4096)
def _analyse(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a text, and its content words."""
    words = _tokenize(text)
    return tuple(words), tuple(_significant(words))


def _tokenize(text: str) -> list[str]:
    """The folded words of a text; single letters that stand for something keep a mark, and punctuation is kept."""
    tokens = []
    found = _TOKEN.findall(text)
    for position, token in enumerate(found):
        if len(token) == 1 and token.isalpha() and token.isascii():
            is_word = token.casefold() in _LETTERS_THAT_ARE_WORDS
            at_start = position == 0 or not found[position - 1][0].isalnum()
            is_last = position == len(found) - 1
            stands_alone = (token.isupper() and not at_start) or is_last or not is_word
            tokens.append(f"#{token.casefold()}" if stands_alone else token.casefold())
            continue
        tokens += map(typos.normalise_spelling, Name(token).folded.split() or [token])
    return tokens


def _significant(words: Iterable[str]) -> list[str]:
    """The content words, each once."""
    ignored = lexicons.words("state_words")
    return list(dict.fromkeys(word for word in words if word[0] == "#" or not (word in ignored or _is_joiner(word))))


def _is_joiner(word: str) -> bool:
    """Whether a word only joins others; punctuation does too."""
    is_letter = len(word) == 1 and word.isascii() and not word.isdigit()
    return is_letter or not word[0].isalnum() or name_similarity.is_function_word(word)


def _context(own: Sequence[str], name: str) -> set[str]:
    """The words of a phrase that are those of a name, if it has all of them."""
    _, names = _analyse(name)
    pairs = {other: word for word in own if (other := _find(word, names)) is not None}
    return set(pairs.values()) if names and len(pairs) == len(names) else set()


def _find(word: str, others: Sequence[str]) -> str | None:
    """The word among the others that is the same one, inflected or mistyped."""
    return next((other for other in others if _is_same(word, other)), None)


def _is_same(word: str, other: str) -> bool:
    if word == other:
        return True
    if _is_code(word) or _is_code(other):
        return _code(word) == _code(other)
    stem = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    if stem >= _MIN_STEM and word[stem:] in _ENDINGS and other[stem:] in _ENDINGS:
        return True
    if stem == _MIN_STEM - 1 and {word[stem:], other[stem:]} == {"", "s"}:
        return True
    match = name_similarity.compare_words(word, other, has_context=False, person=False, given_name=False)
    return match.score > 0 and not (typos.is_substitution(word, other) and min(len(word), len(other)) < _MIN_STEM + 2)


def _codes(words: Iterable[str]) -> set[str]:
    """The numbers, codes and single letters among words."""
    return {_code(word) for word in words if _is_code(word)}


def _is_code(word: str) -> bool:
    return word[0] == "#" or any(c.isdigit() for c in word) or word in quantities.NUMBER_WORDS


def _code(word: str) -> str:
    return str(quantities.NUMBER_WORDS.get(word, word))


def _denies(words: Sequence[str]) -> bool:
    """Whether a phrase says that something has not happened, or not yet: no licence, the licence should arrive soon."""
    return not lexicons.words("denial_words").isdisjoint(_NO_DENIAL.sub(" ", " ".join(words)).split())


def _modifies(words: Sequence[str], rest: Sequence[str], shared: Iterable[str]) -> bool:
    """Whether a word of its own belongs to a shared one: the driving licence, the licence of Siemens, its renewal."""
    together, own = set(shared), set(rest)
    significant = [(position, word) for position, word in enumerate(words) if word in together or word in own]
    return any(
        (one in own) != (other in own) and _are_related(words[position + 1 : next_position], is_after=other in own)
        for (position, one), (next_position, other) in pairwise(significant)
    )


def _are_related(between: Sequence[str], *, is_after: bool) -> bool:
    """Whether what stands between two words, if anything, makes one of them say which the other is.

    Args:
        is_after: whether the second is the one that may say it: the licence that arrived for Boreas.
    """
    relations, determiners = lexicons.words("relation_words"), lexicons.words("determiners")
    joining = [word for word in between if word not in determiners or word in relations]
    are_all_relations = all(word in relations or word in _MARKS_OF_RELATION for word in joining)
    if joining and are_all_relations:
        return True
    return not between or (is_after and bool(joining) and joining[-1] in _WORDS_OF_PURPOSE)


# Finding any of many names and sentences in texts, as whole words, in capitals or not.

_WORD = lazy.compile(r"\w+")
_MAX_SCANNED = 64


class Occurrences:
    """A set of names and sentences to look for."""

    def __init__(self, sought: Iterable[str]) -> None:
        folded = {" ".join(text.casefold().split()) for text in sought}
        self._sought = frozenset(text for text in folded if text)
        self._by_beginning: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for text in self._sought:
            self._by_beginning[tuple(_WORD.findall(text)[:2])].append(text)

    def __bool__(self) -> bool:
        return bool(self._sought)

    def are_in(self, text: str) -> bool:
        """Whether one of them stands in a text, however its words are spaced."""
        if not self._sought:
            return False
        folded = text.casefold()
        if len(folded.split()) > 1:
            folded = " ".join(folded.split())
        if len(self._sought) <= _MAX_SCANNED:
            return any(_stands_in(sought, folded) for sought in self._sought)
        words = _WORD.findall(folded)
        beginnings = {(), *((word,) for word in words), *pairwise(words)}
        candidates = (
            sought for start in beginnings & self._by_beginning.keys() for sought in self._by_beginning[start]
        )
        return any(_stands_in(sought, folded) for sought in candidates)


def _stands_in(sought: str, text: str) -> bool:
    """Whether a text has these words, and does not go on with a letter or a digit before or behind them."""
    start = text.find(sought)
    while start >= 0:
        end = start + len(sought)
        is_open_before = start == 0 or not (sought[0].isalnum() and text[start - 1].isalnum())
        is_open_behind = end == len(text) or not (sought[-1].isalnum() and text[end].isalnum())
        if is_open_before and is_open_behind:
            return True
        start = text.find(sought, start + 1)
    return False
