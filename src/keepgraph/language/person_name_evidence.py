"""Evidence on names of persons: slips, given names cut short or of another spelling, and syllables of Chinese names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from keepgraph.language import given_names, phonetics, typos
from keepgraph.language.normalisation import Name
from keepgraph.language.word_alignment import Rarity

_SIMILAR_NAME = 75.0
_MIN_LETTERS_OF_SLIP = 6
_PINYIN = (
    "(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])"
    "(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uai|uan|ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|ui|uo|ue|a|e|i|o|u)"
)
_SYLLABLE = re.compile(_PINYIN)
_SYLLABLES = re.compile(f"({_PINYIN})({_PINYIN})")
_GENITIVE = re.compile(r"(?<=\w)['’]s\b")
_SIMILAR_TO_SLIP = 60.0
_PREFIXES_OF_NAMES = frozenset("abdul abdel abd abu ibn bin umm mohammed muhammad mohamed maria jean anna".split())
"""The first half of a given name of two words, whose second half alone is another name: Abdul Rahman, Jean Luc."""
_PARTICLE = 3  # letters of el, al, bin, ibn
_SLAVIC_ENDINGS = ("ski", "ska", "cki", "cka", "dzki", "dzka")  # of a surname, of a man and of a woman
_FEW_NAMES = 3  # of a surname that tells who is meant, with the companies of that name


def slips(question: Name, name: Name, rarity: Rarity, type_names: frozenset[str]) -> dict[str, float]:
    """What speaks against slips in a person's name: another word left out, a given name, a word of another name."""
    from rapidfuzz import fuzz

    asked, had = (each.words_without(type_names, honorifics=True) for each in (question, name))
    if _GENITIVE.search(question.text):
        asked = Name(_GENITIVE.sub("", question.text)).words_without(type_names, honorifics=True)
    if re.fullmatch(r"\S*@\S*", question.text):
        asked = tuple(
            re.split(r"[._\-+]", Name(question.text.split("@")[0] or question.text[1:]).folded.replace(" ", "."))
        )
    joined = {first + second for first, second in pairwise(asked)}
    whole = {first + second for first, second in pairwise(had)}
    slips = [
        word
        for word in asked
        if len(word) > 1
        and word not in whole
        and not any(_is_form_of(word, other) or other in joined for other in had)
        and any(fuzz.ratio(word, other) >= _SIMILAR_TO_SLIP for other in had)
    ]
    is_joined_slip = len(asked) == len(had) + 1 and not joined.intersection(had) and "".join(asked) != "".join(had)
    in_surname = any(fuzz.ratio(word, had[-1]) == max(fuzz.ratio(word, other) for other in had) for word in slips)
    short = [
        first for first, second in pairwise(had) if len(first) <= _PARTICLE and first not in asked and second in asked
    ]
    has_other_particle = bool(short) and any(
        f"{first}-" in name.text.casefold() and rarity(second) > 1 for first, second in pairwise(had) if first in short
    )
    return {
        "person_slip_and_left": float(bool(slips) and ((in_surname and 1 < len(asked) < len(had)) or is_joined_slip)),
        "person_given_slip": float(bool(slips) and len(asked) > 1 and asked[0] in slips),
        "person_middle": float(
            len(asked) == 1
            and asked[0] in had[1:-1]
            and (given_names.contains(asked[0]) or had[0] in _PREFIXES_OF_NAMES)
        ),
        "person_known_word": float(has_other_particle or any(rarity(word) > 0 for word in slips)),
    }


def _is_form_of(word: str, other: str) -> bool:
    return (
        word == other
        or other in given_names.spellings(word) | given_names.nicknames(word)
        or (len(other) == 1 and word.startswith(other))
        or (word[:-1] == other[:-1] and {word[-1], other[-1]} == {"a", "i"} and word.endswith(_SLAVIC_ENDINGS))
    )


def is_clipped(question: Name, name: Name, rarity: Rarity) -> bool:
    """Whether a given name is cut short beside the whole of a telling surname: Theo Lindqvist."""
    asked, had = question.words_without(frozenset(), honorifics=True), name.words_without(frozenset(), honorifics=True)
    if len(asked) != 2 or len(had) < 2:
        return False
    given, surname = asked
    if phonetics.key(surname) != phonetics.key(had[-1]) or len(surname) < 5 or rarity(had[-1]) > _FEW_NAMES:
        return False
    if typos.differ_in_ending(given, had[0]):
        return False  # Malik is not Malika
    is_end = len(given) > 3 and had[0].endswith(given) and len(had[0]) > len(given) + 2  # Seun, Oluwaseun
    is_beginning = 2 < len(given) < len(had[0]) and had[0].startswith(given)
    if (is_beginning or is_end) and (not given_names.contains(given) or given_names.is_nickname(given)):
        return True
    stem = given.rstrip("iey")  # Connie of Consolata, Josie of Josefina, Manny of Emmanuel
    stem = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    is_diminutive = stem != given and len(stem) > 2 and len(given) < len(had[0])
    is_within = is_diminutive and given_names.is_nickname(given) and stem in had[0][1:]
    return (is_diminutive and had[0].startswith(stem)) or is_within


def has_only_slips(question: Name, name: Name) -> bool:
    """Whether every word of a person's name is there, as it is or with slips in a long word that is no other name."""
    from rapidfuzz import fuzz

    asked, had = (each.words_without(frozenset(), honorifics=True) for each in (question, name))
    if len(asked) != len(had) or not asked:
        return False
    for word, other in zip(asked, had, strict=True):
        if word == other or phonetics.key(word) == phonetics.key(other) or other in given_names.spellings(word):
            continue
        is_name = given_names.contains(word) and word not in given_names.nicknames(other)
        alike = word[0] == other[0] and abs(len(word) - len(other)) < 2 and fuzz.ratio(word, other) >= _SIMILAR_NAME
        if len(word) < _MIN_LETTERS_OF_SLIP or is_name or not alike or typos.differ_in_ending(word, other):
            return False
    return True


def is_another_syllable(question: Name, name: Name) -> bool:
    """Whether a given name of two Chinese syllables has only one of them in common: Jianguo and Jianhua, Jian."""
    if _omits_syllable(question.words, name.words):
        return True
    asked, had = ({*each.words} for each in (question, name))
    for word in asked - had:
        for other in had - asked:
            first, second = _SYLLABLES.fullmatch(word), _SYLLABLES.fullmatch(other)
            if other in given_names.spellings(word) | given_names.nicknames(word):
                continue
            if second and first and first.groups() != second.groups() and {*first.groups()} & {*second.groups()}:
                return True
            if second and _SYLLABLE.fullmatch(word) and word in second.groups() and not {*second.groups()} <= asked:
                return True
    return False


def _omits_syllable(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether a given name of two Chinese syllables is written as two words, and only one is there: Mei, Mei-Ling."""
    omitted = [word for word in had if word not in asked]
    return (
        len(had) == 3
        and len(asked) == 2
        and len(omitted) == 1
        and all(word in had for word in asked)
        and any(
            omitted[0] in given and all(map(_SYLLABLE.fullmatch, given)) and given[0] != given[1]
            for given in (had[:2], had[1:])
        )
    )
