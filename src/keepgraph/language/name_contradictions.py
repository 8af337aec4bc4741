"""Name contradictions: what in a question says that the thing with a similar name is not meant, whatever is alike.

A number or letter that differs, a numbered thing asked for without its number, the one who does and the one to whom it
is done, a prefix of time or place, the other side, what an institution is for without the institution, another title,
another given name, another company of the same name. Each is told from the two names alone; what only makes an answer
less probable is evidence (`name_evidence`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from keepgraph.language import (
    abbreviations,
    common_words,
    derivation,
    given_names,
    identifiers,
    inflection,
    lexicons,
    name_similarity,
    numbers,
    phonetics,
    spelling,
    statements,
    synonyms,
    typos,
)
from keepgraph.language.normalisation import Name
from keepgraph.model import NameStyle

_CAPITAL = re.compile(r"(?<![\w.'’])[^\W\d_a-z](?![\w.'’])")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBERED_WORD = re.compile(r"([^\W\d_]+)(\d+)")
_PREFIXES = frozenset("pre post anti non ex inter intra sub counter trans extra ultra".split())
_AGENT_ENDINGS, _PATIENT_ENDINGS = ("er", "or", "r"), ("ee", "ed", "d")
_BEFORE_FIELD = frozenset("of for on against".split())
_MIN_STEM = 4
_MIN_SHORT_FORM = 3
_ALIKE, _ALMOST_EQUAL = 60.0, 90.0
_MAX_LEGAL_FORM = 3
_TITLES_OF_ORDERS = frozenset("brother sister father mother uncle aunt auntie king queen prince princess".split())
"""Titles of which one does not stand for another."""
_DEGREES = frozenset("dr prof professor doctor rev reverend hon".split())
_GENDER_OF_TITLE: Mapping[str, given_names.Gender] = {
    **dict.fromkeys("mr sir mister herr hr hrn monsieur senor signor lord pan".split(), "male"),
    **dict.fromkeys(
        "mrs ms miss madam madame mme mlle frau senora senorita sra dra fru signora lady dame pani".split(), "female"
    ),
}
_GROUP_WORDS = frozenset("group company corporation holding holdings gruppe groupe gruppo grupo".split())
_TWICE = frozenset("york zealand jersey orleans delhi hampshire mexico england haven caledonia guinea".split())
"""Places of which there is a new one."""
_OF_INSTITUTIONS = frozenset(
    "press union hospital hospitals library museum foundation club choir school clinic".split()
)
_UNITS_OF_TIME = frozenset("second minute hour day week fortnight month quarter year".split())
_OPPOSITE_ENDS = frozenset(
    frozenset([(one,), (other,)]) for one, other in (("in", "out"), ("on", "off"), ("up", "down"))
)
"""Last words of two names of which one says the contrary of the other: let dogs in, let dogs out."""
_SITE = re.compile(r"(?:https?://)?(?:[a-z0-9\-]+\.)+[a-z]{2,}/?", re.I)
_GENERATIONS = (frozenset(["jr", "junior"]), frozenset(["sr", "senior"]))
_SIDES = frozenset("left right both".split())


def contradict(
    question: Name,
    name: Name,
    *,
    style: NameStyle,
    type_names: frozenset[str] = frozenset(),
    is_explained: bool = False,
) -> bool:
    """Whether a question cannot mean what has this name, though the two are similar.

    Args:
        style: how the names of its type are made.
        type_names: the name of its type, and of those that it is a kind of: they may be left out.
        is_explained: whether the rules know why the words differ: a place in another language, an abbreviation.
    """
    asked = [word for word in question.folded.split() if word not in type_names]
    had = [word for word in name.folded.split() if word not in type_names]
    if style == "person":
        return (
            _have_other_titles(asked, had)
            or _SITE.fullmatch(question.text.strip()) is not None
            or _is_addressed_as_another_gender(asked, had)
            or _have_other_regnal_names(asked, had)
            or _have_other_generations(asked, had)
            or _have_other_given_names(question, name)
        )
    return (
        _have_other_letters(question.text, name.text)
        or _have_other_decimals(question.text, name.text)
        or _omits_only_numbers(asked, had)
        or (len(asked) > 1 and _differ_in_prefix(asked, had))
        or _names_only_field(asked, had)
        or _are_other_sides(asked, had)
        or _is_site_of_page(question.text, name.text)
        or _is_place_of(asked, had)
        or (style == "title" and _is_plural_of_name(question, name))
        or (not is_explained and _have_other_words(*(each.words_without(type_names) for each in (question, name))))
        or _is_another_company(question, name)
        or _has_other_person(question, name)
        or _have_other_directions(asked, had)
        or _have_other_units(asked, had)
        or frozenset([tuple(asked[-1:]), tuple(had[-1:])]) in _OPPOSITE_ENDS
        or _is_other_acronym(question.text, name.text)
        or _are_old_and_new_place(asked, had)
        or _is_within_institution(asked, had)
    )


# Letters and numbers


def _have_other_letters(question: str, name: str) -> bool:
    """Whether both have single capital letters, and others: Mass in A minor, Mass in B minor."""
    asked, had = ({*_CAPITAL.findall(text.strip(" .?!"))} for text in (question, name))
    return bool(asked and had and not asked & had)


def _have_other_decimals(question: str, name: str) -> bool:
    """Whether both have one number, with the point at another place: 1.6 and 16."""
    asked, had = (_NUMBER.findall(text) for text in (question, name))
    return len(asked) == len(had) == 1 and asked[0] != had[0] and asked[0].replace(".", "") == had[0].replace(".", "")


def _omits_only_numbers(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether all that the question leaves out is a number that is no year, or an ordinal: Battalion, 1st Battalion."""
    words = [part for word in had for part in _divided(word)]
    questioned = [part for word in asked for part in _divided(word)]
    left = list(words)
    for word in questioned:
        if word in left:
            left.remove(word)
        elif not name_similarity.is_function_word(word):
            return False
    left = [word for word in left if not name_similarity.is_function_word(word)]
    return bool(left) and all(
        (word.isdecimal() and not _YEAR.fullmatch(word))
        or word in numbers.ORDINALS
        or re.fullmatch(r"\d+(?:st|nd|rd|th)", word)
        or (word in numbers.ROMAN and word == words[-1] and len(word) > 1)
        for word in left
    )


def _divided(word: str) -> list[str]:
    """A word with a number at its end in two: b12 is b and 12."""
    numbered = _NUMBERED_WORD.fullmatch(word)
    return [numbered[1], numbered[2]] if numbered else [word]


# Words


def _differ_in_prefix(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether one has a prefix of time or place as a word of its own, and the other has not: pre-op, op."""
    return bool(_PREFIXES.intersection(asked) ^ _PREFIXES.intersection(had)) and not any(
        prefix + after in words
        for prefix, after, words in (
            *((word, following, had) for word, following in pairwise(asked)),
            *((word, following, asked) for word, following in pairwise(had)),
        )
        if prefix in _PREFIXES
    )


def _names_only_field(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether all that the question names is what an institution is for, or where: folk music, of a society for it."""
    institutions = lexicons.words("institution_words")
    heads = [place for place, word in enumerate(had) if word in institutions]
    fields = [place for place, word in enumerate(had) if word in _BEFORE_FIELD and heads and place > heads[0]]
    return bool(fields) and {*asked} <= {*had[fields[0] :]} - institutions


def _are_other_sides(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both say on which side, and not the same: both knees, the left knee."""
    return bool(_SIDES.intersection(asked) and _SIDES.intersection(had) and _SIDES.isdisjoint({*asked} & {*had}))


def _is_site_of_page(question: str, name: str) -> bool:
    """Whether the question is the address of a site, and the name that of one of its pages."""
    return _SITE.fullmatch(question.strip()) is not None and identifiers.page(name) is not None


def _is_place_of(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether the question is a place alone, and the name begins with it: Spain, of Spain Tourism."""
    return len(asked) == 1 < len(had) and asked[0] == had[0] and asked[0] in lexicons.words("countries")


def _is_plural_of_name(question: Name, name: Name) -> bool:
    """Whether the question has a word in the plural that is also the name of a company or a project: apples."""
    word, plural = name.folded, question.text
    return plural.islower() and " " not in word and plural in (f"{word}s", f"{word}es") and not name.text.islower()


def _have_other_words(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether one word alone differs, and what it says is another thing, not the same in another form or a slip.

    It is another thing where one does what is done to the other (insurer, insured), and where both are words of the
    language that only look alike (hospice, hospital).
    """
    only_asked = [word for word in asked if word not in had and not name_similarity.is_function_word(word)]
    only_had = [word for word in had if word not in asked and not name_similarity.is_function_word(word)]
    if len(only_asked) != 1 or len(only_had) != 1 or "".join(asked) == "".join(had):
        return False
    word, other = spelling.normalise(only_asked[0]), spelling.normalise(only_had[0])
    if _is_done_to(word, other) or _is_done_to(other, word):
        return True
    if not (common_words.is_english(word) and common_words.is_english(other)) or _mean_the_same(word, other):
        return False
    if typos.similarity(word, other, has_context=True, given_name=False):
        return False
    from rapidfuzz import fuzz

    return _ALIKE <= fuzz.ratio(word, other) <= _ALMOST_EQUAL


def _is_done_to(agent: str, patient: str) -> bool:
    return any(
        agent.endswith(ending)
        and patient.endswith(other)
        and len(stem := agent.removesuffix(ending)) >= _MIN_STEM
        and stem == patient.removesuffix(other)
        for ending in _AGENT_ENDINGS
        for other in _PATIENT_ENDINGS
    )


def _mean_the_same(word: str, other: str) -> bool:
    return (
        inflection.stem(word) == inflection.stem(other)
        or derivation.are_related(word, other)
        or synonyms.root(word) == synonyms.root(other)
        or synonyms.are_synonyms_in_names(word, other)
        or other in abbreviations.expand(word)
        or word in abbreviations.expand(other)
        or word.startswith(other)
        or other.startswith(word)
    )


def _is_another_company(question: Name, name: Name) -> bool:
    """Whether the question says that it has the whole name, by a legal form: Philips AG, Philips Healthcare."""
    if question.legal_form is None or name.legal_form is not None:
        return False
    left = {*name.words} - {*question.words} - _GROUP_WORDS
    return {*question.words} < {*name.words} and any(len(word) > _MAX_LEGAL_FORM for word in left)


# Persons


def _have_other_titles(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether a title of an order or a family begins the question, and another one, or none, the name.

    Brother Agnes is not Sister Agnes; and who is called Father James need not be James Kirk, where Father Kirk is.
    """
    if len(asked) < 2 or asked[0] not in _TITLES_OF_ORDERS:
        return False
    if len(had) > 1 and had[0] in _TITLES_OF_ORDERS:
        return asked[0] != had[0]
    return len(asked) == 2 and len(had) > 1 and asked[1] == had[0] and given_names.contains(asked[1])


def _is_addressed_as_another_gender(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether the question begins with a woman's title and the name with a man's given name, or the other way round.

    Where the question has the given name, too, a wrong title is a slip; but Mrs James Kirk is the wife of James Kirk.
    """
    title = _GENDER_OF_TITLE.get(asked[0]) if len(asked) > 1 else None
    if title is None or len(had) < 2:
        return False
    own_title = _GENDER_OF_TITLE.get(had[0])
    if own_title is not None:
        return own_title != title
    names = [word for word in had if word not in _DEGREES]
    given = next(
        (word for word in names[:-1] if given_names.gender(word)), names[0] if names else ""
    )  # Captain Johannes
    gender = given_names.gender(given)
    return gender is not None and gender != title and (given not in asked or asked[0] == "mrs")


def _have_other_regnal_names(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both end with a number as rulers have it, and the number or a name differs: John Paul I, John Paul II."""
    if (
        not asked
        or not had
        or asked[-1] not in numbers.ROMAN
        or had[-1] not in numbers.ROMAN
        or min(len(asked), len(had)) < 2
    ):
        return False
    return asked[-1] != had[-1] or any(given_names.contains(word) for word in {*had} - {*asked})


def _have_other_generations(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether one is the elder, and the other the younger of two: Graham Whitlock Sr., Graham Whitlock Jr."""
    return any(
        not one.isdisjoint(asked) and not other.isdisjoint(had) for one, other in (_GENERATIONS, _GENERATIONS[::-1])
    )


def _have_other_directions(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both have a preposition before the same word, and say another direction: to Berlin, from Berlin."""
    before, had_before = (
        {word: statements.DIRECTIONS[first] for first, word in pairwise(words) if first in statements.DIRECTIONS}
        for words in (asked, had)
    )
    return any(had_before.get(word, direction) != direction for word, direction in before.items())


def _have_other_units(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both have the same number of other units of time: 30 days, 30 weeks."""
    units, units_had = (
        {number: unit.removesuffix("s") for number, unit in pairwise(words) if unit.removesuffix("s") in _UNITS_OF_TIME}
        for words in (asked, had)
    )
    return any(units_had.get(number, unit) != unit for number, unit in units.items())


def _is_other_acronym(question: str, name: str) -> bool:
    """Whether one has an acronym, and the other one with an S more that is no plural: HTTP, HTTPS."""
    asked, had = ({word for word in text.split() if word.isupper() and len(word) > 2} for text in (question, name))
    return any(word + "S" in other - one for one, other in ((asked, had), (had, asked)) for word in one - other)


def _are_old_and_new_place(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether both name a place that there is twice, and one of them the new one: University of York, of New York."""
    is_new, had_new = (
        {word: before == "new" for before, word in pairwise(["", *words]) if word in _TWICE} for words in (asked, had)
    )
    return any(had_new.get(word, new) != new for word, new in is_new.items())


def _is_within_institution(asked: Sequence[str], had: Sequence[str]) -> bool:
    """Whether the question names an institution, and the name is that of another one of it: Oxford University Press."""
    following = had[len(asked) :]
    return (
        len(asked) > 1
        and list(had[: len(asked)]) == list(asked)
        and asked[-1] in lexicons.words("institution_words")
        and not {"of", "for"}.intersection(following)
        and not _OF_INSTITUTIONS.isdisjoint(following)
    )


def _has_other_person(question: Name, name: Name) -> bool:
    """Whether a title names somebody with the surname of the question, and another given name."""
    before = {surname: given for given, surname in pairwise(name.words)}
    return any(
        surname in before
        and before[surname].rstrip("s") != given.rstrip("s")
        and _are_other_given_names(given, before[surname])
        for given, surname in pairwise(question.words)
    )


def _have_other_given_names(question: Name, name: Name) -> bool:
    """Whether the given names are two that are known, of which neither stands for the other: Marta, Maria."""
    asked, had = (each.words_without(frozenset(), honorifics=True) for each in (question, name))
    if len(asked) != len(had) or len(asked) < 2 or asked[0] == had[0]:
        return False
    given, other = asked[0], had[0]
    if {given, other} & {*asked[1:], *had[1:]}:
        return False  # Lovelace Ada
    return _are_other_given_names(given, other)


def _are_other_given_names(given: str, other: str) -> bool:
    return (
        given_names.contains(given)
        and given_names.contains(other)
        and other not in given_names.nicknames(given) | given_names.spellings(given)
        and given not in given_names.nicknames(other) | given_names.spellings(other)
        and phonetics.key(given) != phonetics.key(other)
        and not _may_be_short_for(given, other)
        and not _are_swapped_letters(given, other)
    )


def _may_be_short_for(word: str, other: str) -> bool:
    """Whether one may be a short form of the other, which no list has: Theo, Theodora; Manny, Emmanuel."""
    short, long = sorted((word, other), key=len)
    stem = short.rstrip("iey")
    stem = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    if short[-1] in "iey" and len(stem) >= _MIN_SHORT_FORM and stem in long:
        return True
    return word[:_MIN_SHORT_FORM] == other[:_MIN_SHORT_FORM] and abs(len(word) - len(other)) > 1


def _are_swapped_letters(word: str, other: str) -> bool:
    return sorted(word) == sorted(other) and typos.similarity(word, other, has_context=True, given_name=True) > 0
