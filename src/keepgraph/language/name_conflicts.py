"""Name conflicts: differences between a question and a name that no similarity outweighs.

Another letter (A minor, B minor), another direction (to Berlin, from Berlin) and a title of the other gender always
conflict (`contradict`), and so do things that have changed places (`are_reversed`). Other numbers, dates and opposites
conflict if no rule has matched the two (`differ`). Only the two names decide; what merely makes an answer less probable
is a feature (`name_features`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from keepgraph import lazy
from keepgraph.language import (
    given_names,
    inflection,
    name_similarity,
    opposites,
    quantities,
    statements,
    word_alignment,
)
from keepgraph.language.normalisation import Name
from keepgraph.model import NameStyle

_CAPITAL = lazy.compile(r"(?<![\w.'’])[^\W\d_a-z](?![\w.'’])")
_VERSION = lazy.compile(r"\d+(?:\.\d+)*\.[1-9]\d*")
_GENDER_OF_TITLE: Mapping[str, given_names.Gender] = {
    **dict.fromkeys("mr sir mister herr hr hrn monsieur senor signor lord pan".split(), "male"),
    **dict.fromkeys(
        "mrs ms miss madam madame mme mlle frau senora senorita sra dra fru signora lady dame pani".split(), "female"
    ),
}
_RELATIONS = frozenset("to from with over instead per before after than by versus vs against".split())


def contradict(question: Name, name: Name, *, style: NameStyle, type_names: frozenset[str] = frozenset()) -> bool:
    """Whether a question cannot mean what has this name, though the two are similar.

    Args:
        style: how the names of its type are made.
        type_names: the name of its type, and of those that it is a kind of: they may be left out.
    """
    asked = [word for word in question.folded.split() if word not in type_names]
    known = [word for word in name.folded.split() if word not in type_names]
    if style == "person":
        return _is_addressed_as_another_gender(asked, known)
    return _have_other_letters(question.text, name.text) or _have_other_directions(asked, known)


def _have_other_letters(question: str, name: str) -> bool:
    """Whether both have single capital letters, but different ones: Mass in A minor, Mass in B minor."""
    asked, known = ({*_CAPITAL.findall(text.strip(" .?!"))} for text in (question, name))
    return bool(asked and known and not asked & known)


def _is_addressed_as_another_gender(asked: Sequence[str], known: Sequence[str]) -> bool:
    """Whether the question begins with a woman's title and the name with a man's given name, or the other way round.

    If the question also has the given name, a wrong title is a mistake; but Mrs James Kirk is the wife of James Kirk.
    """
    title = _GENDER_OF_TITLE.get(asked[0]) if len(asked) > 1 else None
    if title is None or len(known) < 2:
        return False
    own_title = _GENDER_OF_TITLE.get(known[0])
    if own_title is not None:
        return own_title != title
    given = next((word for word in known[:-1] if given_names.gender(word)), known[0])  # Captain Johannes
    gender = given_names.gender(given)
    return gender is not None and gender != title and (given not in asked or asked[0] == "mrs")


def _have_other_directions(asked: Sequence[str], known: Sequence[str]) -> bool:
    """Whether prepositions before the same word say different directions: to Berlin, from Berlin."""
    before, had_before = (
        {word: statements.DIRECTIONS[first] for first, word in pairwise(words) if first in statements.DIRECTIONS}
        for words in (asked, known)
    )
    return any(had_before.get(word, direction) != direction for word, direction in before.items())


def differ(question: Name, name: Name, *, style: NameStyle, type_names: frozenset[str]) -> bool:
    """Whether two names differ decisively: in numbers, dates, opposites, a negation, an address."""
    asked, known = word_alignment.tokens(question), word_alignment.tokens(name)
    asked_numbers, known_numbers = _digits(asked), _digits(known) + _counted(known)
    counted = _counted(asked) if known_numbers else []
    if any(not any(_same_number(number, other) for other in known_numbers) for number in (*asked_numbers, *counted)):
        return True
    if asked_numbers and any(version not in question.text for version in _VERSION.findall(name.text)):
        return True  # TLS 1 is not TLS 1.3
    dates = {quantities.MONTHS[word] for word in (*question.words, *asked) if word in quantities.MONTHS}
    known_dates = {quantities.MONTHS[word] for word in (*name.words, *known) if word in quantities.MONTHS} | {
        int(number) for number in known_numbers if len(number) <= 2
    }
    if not dates <= known_dates or ((weekdays := _weekdays(question)) and not weekdays <= _weekdays(name)):
        return True
    if "@" in question.text and style != "person":
        return True
    type_named = not type_names.isdisjoint(question.words)
    return opposites.differ_in_polarity(
        question.words, name.words, type_named=type_named
    ) or opposites.differ_by_antonym(question.words, name.words)


def _weekdays(name: Name) -> frozenset[str]:
    return quantities.WEEKDAYS.intersection(word.removesuffix("s") for word in name.words)


def are_reversed(asked: Sequence[str], known: Sequence[str]) -> bool:
    """Whether two things have changed places: from Linear to Jira is not from Jira to Linear."""
    asked, known = (
        [inflection.stem(word) if word not in _RELATIONS else word for word in side] for side in (asked, known)
    )
    for word in _RELATIONS.intersection(asked, known):
        after, known_after = (_next_content(words, words.index(word)) for words in (asked, known))
        if after and known_after and after != known_after and after in known and known_after in asked:
            return True
    return False


def _next_content(words: Sequence[str], position: int) -> str | None:
    return next(
        (
            word
            for word in words[position + 1 :]
            if not name_similarity.is_function_word(word) and word not in _RELATIONS
        ),
        None,
    )


def _digits(words: Sequence[str]) -> list[str]:
    return [number.lstrip("0") or "0" for word in words for number in re.findall(r"\d+", word)]


def _counted(words: Sequence[str]) -> list[str]:
    """The numbers written as words: first, second, one."""
    return [str(quantities.NUMBER_WORDS[word]) for word in words if word in quantities.NUMBER_WORDS]


def _same_number(number: str, other: str) -> bool:
    return number == other or (
        {len(number), len(other)} == {2, 4} and max(number, other, key=len)[2:] == min(number, other, key=len)
    )
