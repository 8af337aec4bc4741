"""Word alignment: which words of a question are those of a name, equal, inflected, abbreviated or mistyped."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import abbreviations, inflection, name_similarity, opposites, quantities, typos
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

Rarity = Callable[[str], int]
"""In how many names of the graph a folded word stands."""

_NUMBERED_WORD = lazy.compile(r"([a-z]{1,4})(\d{1,4})")
_LETTERS_BEFORE_NUMBERS = {"q": "quarter", "p": "phase", "v": "version"}
_ROMAN = {word: str(number) for word, number in quantities.ROMAN.items() if number <= 12}
_ORDINAL = lazy.compile(r"(\d+)(?:st|nd|rd|th)")
_NUMBERED = frozenset("phase part version volume vol chapter series season stage level wave week no number ver".split())
_CLOCK_TIME = lazy.compile(r"\b(?P<hour>0?[1-9]|1[0-2])(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?", re.I)
_WHOLE_VERSION = lazy.compile(r"(?<![\d.,$€£])(\d{1,2})\.0(?![\d.%])")
_ISO_DATE = lazy.compile(r"\b((?:19|20)\d\d)[ \-](0[1-9]|1[0-2])(?:[ \-]([0-2]\d|3[01]))?\b")
_MONTH_NAMES = {number: name for name, number in reversed(quantities.MONTHS.items()) if len(name) > 3 or name == "may"}
SYNONYM = 0.82
_ORDINAL_WORD = 0.9
_SIMILAR = 80.0
_GRAMMATICAL = frozenset("this that these those one ones thing stuff old new other".split())


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words of a question and of a name, matched with each other.

    Attributes:
        matched: the pairs, each with how alike the two are, 0 to 1.
        question_left: the words of the question that match nothing, without function words.
        name_left: the words of the name that match nothing, without function words.
    """

    matched: tuple[tuple[str, str, float], ...]
    question_left: tuple[str, ...]
    name_left: tuple[str, ...]


def align(question: Name, name: Name, *, style: NameStyle, type_names: frozenset[str]) -> Alignment:
    """Match the words of a question with those of a name: equal, inflected, numbered alike, abbreviated, mistyped."""
    asked, known = list(tokens(question)), list(tokens(name))
    ignored = type_names if style in ("title", "statement", "reference") else frozenset()
    asked = [word for word in asked if word in known or not _names_type(word, ignored)] or asked
    known = [word for word in known if word not in ignored or word in asked] or known
    matched: list[tuple[str, str, float]] = []
    if style != "statement":  # a decision has no initials
        _match_acronyms(asked, known, matched)
    for threshold in (0.999, 0.9, 0.5):
        for word in list(asked):
            best = max(((similar(word, other), other) for other in known), default=(0.0, ""))
            if best[0] >= threshold:
                matched.append((word, best[1], best[0]))
                asked.remove(word)
                known.remove(best[1])
    return Alignment(
        tuple(pair for pair in matched if not name_similarity.is_function_word(pair[1]) or len(matched) == 1),
        tuple(word for word in asked if not name_similarity.is_function_word(word) and word not in _GRAMMATICAL),
        tuple(word for word in known if not name_similarity.is_function_word(word)),
    )


def _names_type(word: str, type_names: frozenset[str]) -> bool:
    """Whether a word is the name of the type, with or without a typo: projct."""
    return word in type_names or any(
        typos.similarity(word, other, has_context=True, given_name=False) for other in type_names
    )


@lru_cache(maxsize=8192)
def similar(word: str, other: str) -> float:
    """How surely a word of a question is a word of a name, 0 to 1, whatever else is there."""
    if word == other:
        return 1.0
    if word.isdecimal() or other.isdecimal():
        ordinal = str(quantities.ORDINALS.get(word if other.isdecimal() else other, ""))
        if ordinal and ordinal in (word, other):
            return _ORDINAL_WORD
        return (
            0.95
            if {len(word), len(other)} == {2, 4} and max(word, other, key=len)[2:] == min(word, other, key=len)
            else 0.0
        )
    if opposites.are_antonyms(word, other):
        return 0.0
    if (
        inflection.stem(word) == inflection.stem(other)
        or other in abbreviations.expand(word)
        or word in abbreviations.expand(other)
    ):
        return 0.95
    if opposites.root(word) == opposites.root(other) or opposites.are_synonyms_in_names(word, other):
        return SYNONYM
    if typo := typos.similarity(word, other, has_context=True, given_name=False):
        return min(typo, 0.9)
    shorter = min(len(word), len(other))
    if (
        shorter >= 5
        and word[: max(5, shorter - 2)] == other[: max(5, shorter - 2)]
        and abs(len(word) - len(other)) <= 5
    ):
        return 0.8
    if shorter >= 5:
        from rapidfuzz import fuzz

        if word[0] == other[0] and (ratio := fuzz.ratio(word, other)) >= _SIMILAR:
            return 0.7 * float(ratio) / 100
    return 0.0


@lru_cache(maxsize=4096)
def tokens(name: Name) -> tuple[str, ...]:
    """The folded words, numbers written in one way: Phase II, phase 2 and P2 are phase 2.

    So are dates and times: 2024-05-14 is may 14 2024, 8 pm is 20:00. Version 2.0 is 2.
    """
    text = _dates_in_words(name.text)
    text = _WHOLE_VERSION.sub(r"\1", _CLOCK_TIME.sub(_of_24_hours, text))
    words: list[str] = []
    for word in name.words if text == name.text else Name(text).words:
        canonical = typos.normalise_spelling(word)
        if words and canonical in _ROMAN and len(canonical) > (words[-1] not in _NUMBERED):
            words.append(_ROMAN[canonical])
        elif ordinal := _ORDINAL.fullmatch(canonical):
            words.append(ordinal[1])
        elif canonical in quantities.CARDINALS and canonical != "one":
            words.append(str(quantities.CARDINALS[canonical]))
        elif canonical in quantities.ORDINALS and canonical not in ("first", "second"):
            words.append(str(quantities.ORDINALS[canonical]))
        elif numbered := _NUMBERED_WORD.fullmatch(canonical):
            words += [_LETTERS_BEFORE_NUMBERS.get(numbered[1], numbered[1]), numbered[2]]
        else:
            words.append(canonical)
    return tuple(words)


def _dates_in_words(text: str) -> str:
    def written(year: str, month: str, day: str | None) -> str:
        return f"{_MONTH_NAMES[int(month)]} {int(day) if day else ''} {year}"

    return _ISO_DATE.sub(lambda match: written(match[1], match[2], match[3]), text)


def _of_24_hours(time: re.Match[str]) -> str:
    """8 pm as 20:00."""
    hour = int(time["hour"]) % 12 + (12 if time["half"].casefold() == "p" else 0)
    return f"{hour:02}:{time['minute'] or '00'}"


def _match_acronyms(asked: list[str], known: list[str], matched: list[tuple[str, str, float]]) -> None:
    """Match a word that is the initials of neighbouring words on the other side, and take both out."""
    for side, other, swapped in ((asked, known, False), (known, asked, True)):
        for word in [one for one in side if 2 <= len(one) <= 6 and one.isalpha()]:
            telling = [part for part in other if not name_similarity.is_function_word(part)]
            for start in range(len(telling) - len(word) + 1):
                run = telling[start : start + len(word)]
                if "".join(part[0] for part in run) == word and (len(word) > 2 or len(side) > 1):
                    pairs = [(part, word, 0.9) if swapped else (word, part, 0.9) for part in run]
                    matched += pairs[:1] if swapped else pairs
                    side.remove(word)
                    for part in run:
                        other.remove(part)
                    break
