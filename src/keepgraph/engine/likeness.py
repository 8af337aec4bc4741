"""How surely one name means what another is the name of, and why. Compares folded names; knows no table of the graph.

Every word that is asked for must be found: as it is, in another spelling, as a nickname or an initial, or with a
slip of the keyboard. Digits must agree. For a person some of the names will do, for other things a telling part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from keepgraph.engine import habits
from keepgraph.engine.names import words

SURE = 0.80
"""Likeness from which a name on its own is taken to mean an entity; the default of a profile."""

SHORTEST = 3
"""Names with fewer letters and digits are only ever found exactly."""

BEARS_TWO_SLIPS = 9
"""Words of so many letters may have two slips in them."""

RIVAL = 0.79
"""A name that has all the words asked for, but is not meant by them alone: it stands in the way of another."""

_FOLDED_EQUAL = 0.99
_SAME_WORDS = 0.97
_SAME_LETTERS = 0.96
_PARTIAL = 0.93
_BEST_TYPO = 0.98
_TELLING_PART = 0.82
_OTHER_SPELLING = 0.95
_NICKNAME = 0.90
_INITIAL = 0.85
_ABBREVIATION = 0.90
_NEARLY_ALL = 0.75
_LONG_ENOUGH = 5
_MANY_LETTERS = 6

_DIGITS = re.compile(r"\d+")
_VERSION = re.compile(r"v(\d+)")
_ROMAN = re.compile("[ivxlcdm]+")
_IDEOGRAPHS = "[\u2e80-\ud7ff\uf900-\ufaff]|[\U00020000-\U0003ffff]"  # slow to compile, so only when needed
_SYMBOLS_OF_NAMES = "+#"
_ENDINGS_AFTER_A_VOWEL = frozenset("nst")
_ENDINGS = frozenset("aeioаяеиоыэюαηο\u093e\u0940\u09be\u09c0")
_GENERATIONS = frozenset("jr sr junior senior ii iii iv".split())
_OPPOSITE_STARTS = (("hypo", "hyper"), ("micro", "macro"), ("inter", "intra"), ("pre", "pro"), ("over", "under"))
_OPPOSITE_ENDS = (("er", "ee"), ("or", "ee"))
_SURNAMES_WITH_A = ("ov", "ev", "in", "yn", "ов", "ев", "ин", "ын")
_RELATING = frozenset(
    "from to over than before after with without for by against instead of not vs and or in on".split()
)
_CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
_SMALL = frozenset(
    "a an and as at be by de del der des die das el en et for from in into is it la le of on or our per the their "
    "to und von with y your my we who what about re".split()
)
_KINDS = {
    "person": frozenset("person".split()),
    "project": frozenset("project initiative".split()),
    "decision": frozenset("decision choice".split()),
    "concept": frozenset("concept".split()),
    "source": frozenset("source document doc paper book report article page".split()),
}
_GENERIC = frozenset(
    "app application area audit board build call change client code company customer dashboard data day design "
    "department doc document engine event feature group guide handbook idea issue lab list market meeting mobile model "
    "month name new note notes office old overhaul page people person photo plan planning platform process product "
    "project prototype quarter question redesign refresh release report research review roadmap search security server "
    "service site software standup study support system task team template test thing thread tool topic unit update "
    "user users version video website week weekly work year".split()
)
_BRITISH = (
    ("isation", "ization"),
    ("(?<=...)is(e[ds]?|ing)$", r"iz\1"),
    ("(?<=...)yse(?=[ds]?$)", "yze"),
    ("(?<=...)our(?=s?$)", "or"),
    ("centre", "center"),
    ("programme", "program"),
    ("licence", "license"),
)
_SOUNDS = (
    ("ph", "f"),
    ("tsch|tch", "ch"),
    ("sch", "sh"),
    ("ck", "k"),
    ("kh", "h"),
    ("c(?![heiy])", "k"),
    ("w", "v"),
    ("x", "ks"),
    ("[yj](?=[aou])", "i"),
    ("oh(?=[^aeiou]|$)", "o"),
    ("ou|oo|uu", "u"),
    ("ee", "i"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("(iy|ij|yi|y)$", "i"),
    (r"(.)\1+", r"\1"),
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """From 0 (no) over SURE (may be taken on its own) to 1, and what links the names where it is not their letters."""

    score: float
    because: str | None = None


NO = Likeness(0.0)


def compare(asked: str, known: str, *, kind: str) -> Likeness:
    """How surely the folded name `asked` means the one called `known`, an entity of type `kind`."""
    if asked == known:
        return Likeness(_FOLDED_EQUAL) if len(asked) > 1 else NO
    if kind == "person":
        if asked.startswith("the ") and asked.endswith("s"):
            return NO  # a family
        return _compared(words(asked, besides=(kind,)), words(known, besides=(kind,)), kind, hinted=False)
    theirs = words(known, besides=(kind,))
    found = _compared(words(asked, besides=(kind,)), theirs, kind, hinted=False)
    if found.score < SURE and (hints := _KINDS.get(kind, frozenset()).intersection(asked.split())):
        # The decision on telemetry: what kind of thing it is has been said.
        hinted = _compared(words(asked, besides=hints), theirs, kind, hinted=True)
        return max(found, hinted, key=lambda each: each.score)
    return found


def _compared(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    if _weight(ours) < SHORTEST and not (len(ours) == 1 and habits.is_given_name(ours[0])):
        return NO
    if "".join(ours) == "".join(theirs) and _DIGITS.findall(" ".join(ours)) == _DIGITS.findall(" ".join(theirs)):
        return Likeness(_SAME_LETTERS if ours != theirs else _SAME_WORDS)
    return _person(ours, theirs) if kind == "person" else _thing(ours, theirs, kind, hinted=hinted)


def shares(asked: str, known: str) -> float:
    """How alike two folded names look, below RIVAL: for naming candidates, never for choosing one."""
    from rapidfuzz import fuzz

    whole = max(fuzz.ratio(asked, known), fuzz.token_sort_ratio(asked, known))
    shared = any(len(word) > SHORTEST and word not in _GENERIC for word in set(asked.split()) & set(known.split()))
    return min(0.74, max(whole, 0.9 * fuzz.token_set_ratio(asked, known) if shared else 0) / 100)


def is_small(word: str) -> bool:
    """Whether a word only joins others."""
    return word in _SMALL


def means_unsaid(word: str) -> bool:
    """Whether a word may mean anything by itself: project, meeting, team."""
    return word in _GENERIC or word in _SMALL


def _weight(telling: Sequence[str]) -> int:
    """How many letters a name has, where an ideograph or a syllable says as much as two."""
    return sum(map(len, telling)) + sum(len(re.findall(_IDEOGRAPHS, word)) for word in telling)


def _person(ours: list[str], theirs: list[str]) -> Likeness:
    if _digits(ours) != _digits(theirs) or _GENERATIONS.intersection(theirs) - set(ours):
        return NO
    ways = [
        (ours, theirs),
        *((joined, theirs) for joined in _joined(ours)),
        *((ours, joined) for joined in _joined(theirs)),
    ]
    return max((_person_as_divided(*way) for way in ways), key=lambda found: found.score)


def _joined(divided: list[str]) -> Iterator[list[str]]:
    """A name with two neighbouring words run together: Xiao-ming, Xiaoming."""
    for place in range(len(divided) - 1):
        if len(divided) > 2 and min(len(divided[place]), len(divided[place + 1])) > 1:
            yield [*divided[:place], divided[place] + divided[place + 1], *divided[place + 2 :]]


def _person_as_divided(ours: list[str], theirs: list[str]) -> Likeness:
    if sorted(ours) == sorted(theirs):
        return Likeness(_SAME_WORDS)
    extra = [word for word in ours if len(word) == 1 and not any(other[0] == word for other in theirs)]
    if len(ours) > len(theirs) >= 2 and len(ours) - len(theirs) == len([word for word in ours if len(word) == 1]):
        # Robert J. Hughes is Robert Hughes, as far as anyone knows.
        extra = [word for word in ours if len(word) == 1]
    ours = [word for word in ours if word not in extra]
    if len(extra) > 1 or not ours or len(ours) > len(theirs) or (extra and len(ours) < 2):
        return NO
    found = _aligned(ours, theirs, person=True)
    if found is NO:
        return NO
    if len(ours) == len(theirs):
        return found if not extra else Likeness(found.score * _PARTIAL, found.because)
    ends = _words_at_ends(ours, theirs)
    # A single name with a slip in it is two steps away: only a longer word bears that.
    alone = len(ours) == 1 and len(ours[0]) >= _LONG_ENOUGH
    if ends or alone:
        return Likeness(_PARTIAL * found.score, found.because)
    return NO


def _words_at_ends(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one of our words is, but for its spelling, the first or the last of theirs."""
    return any(
        word == end or end in habits.nicknames(word) or end in habits.spellings(word) or sound(word) == sound(end)
        for word in ours
        for end in (theirs[0], theirs[-1])
    )


def _thing(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    ours, theirs = [_plain(word) for word in ours], [_plain(word) for word in theirs]
    if not _digits_fit(ours, theirs):
        return NO
    if ours == theirs:
        return Likeness(_SAME_WORDS)
    if _digits(ours) != _digits(theirs):
        return _telling_part(ours, theirs, kind, hinted=hinted)
    if "".join(ours) == "".join(theirs) or (_may_change_order(ours, person=False) and sorted(ours) == sorted(theirs)):
        return Likeness(_SAME_WORDS)
    if len(ours) == len(theirs):
        found = _aligned(ours, theirs, person=False)
        if found is not NO:
            return found
    return _telling_part(ours, theirs, kind, hinted=hinted)


def _telling_part(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    """Some words of a longer name: enough where they are its head or most of it, and say something by themselves."""
    asked, whole = _without_small(ours), _without_small(theirs)
    if not asked or len(asked) >= len(whole):
        return NO
    left = list(whole)
    for word in asked:
        alike = {other: _alike(word, other, beside=len(asked) > 1, person=False, given=False).score for other in left}
        best = max(alike, key=alike.__getitem__)
        if alike[best] == 0:
            return NO
        left.remove(best)
    if any(not word.isalnum() for word in left):
        return NO  # a sign that tells things apart
    covered = sum(map(len, whole)) - sum(map(len, left))
    share = covered / sum(map(len, whole))
    telling = [word for word in asked if word not in _GENERIC and not word.isdecimal() and len(word) >= SHORTEST]
    head = whole[0] not in left
    enough = {
        "decision": share >= 0.4 and len(asked) >= 2,
        "source": len(asked) >= 2 and (share >= 0.4 or head),
    }.get(kind, (head and len(telling) > 0) or (len(asked) >= 2 and share >= 0.5) or share >= 0.6)
    # Opposites and other words of weight that are left out turn the meaning round.
    turned = any(word in ("not", "no", "never", "without") for word in left)
    if not turned and (((enough or hinted) and telling) or share >= _NEARLY_ALL):
        return Likeness(_TELLING_PART, "part of the name")
    return Likeness(RIVAL, "part of the name")


def _without_small(telling: Sequence[str]) -> list[str]:
    """The words but for those that only join others; a letter at the end counts: Team A."""
    return [word for place, word in enumerate(telling) if word not in _SMALL or (place and place == len(telling) - 1)]


def _digits(telling: Sequence[str]) -> tuple[list[str], list[str]]:
    """The numbers in their order, and those within words: 2025 Q3 is Q3 2025, but 1:3 is not 3:1."""
    numbers = [word for word in telling if word.isdecimal()]
    return numbers, sorted(_DIGITS.findall(" ".join(word for word in telling if not word.isdecimal())))


def _digits_fit(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether every number that is asked for is there; the name may have more."""
    known = _DIGITS.findall(" ".join(theirs))
    for number in _DIGITS.findall(" ".join(ours)):
        if number not in known:
            return False
        known.remove(number)
    return True


def _may_change_order(telling: Sequence[str], *, person: bool) -> bool:
    """Lovelace, Ada is Ada Lovelace; from MySQL to Postgres is not from Postgres to MySQL."""
    return person or (len(telling) <= 3 and not _RELATING.intersection(telling))


def _aligned(ours: Sequence[str], theirs: Sequence[str], *, person: bool) -> Likeness:
    """Give each of our words another of theirs; the mean of how alike they are, scaled to SURE and up."""
    in_place = len(ours) == len(theirs) and not _may_change_order(ours, person=person)
    right = [word in theirs for word in ours]
    left = list(theirs)
    found: list[Likeness] = []
    slips = 0
    # Words that are there as they are come first, so that no other takes their place.
    for position, word in sorted(enumerate(ours), key=lambda each: (not right[each[0]], each[0])):
        among = [theirs[position]] if in_place else left
        if word in among:
            if not in_place:
                left.remove(word)
            continue
        alike = [
            (
                _alike(
                    word,
                    other,
                    beside=(any(right) or bool(found)) and (not person or len(ours) == len(theirs) or len(word) == 1),
                    person=person,
                    given=person and (position == 0 or other == theirs[0]),
                ),
                other,
            )
            for other in among
            if in_place or other not in ours
        ]
        best, other = max(alike, key=lambda each: each[0].score, default=(NO, ""))
        unheard = len(word) >= BEARS_TWO_SLIPS - 1 and not habits.is_given_name(word)
        doubtful = person and not any(right) and not best.because and not unheard
        if best.score == 0 or (doubtful and _other_letter(word, other)):
            return NO
        if not in_place:
            left.remove(other)
        found.append(best)
        slips += not best.because
    # Two slips are doubtful enough; with three it is another name. An initial alone says nothing.
    if slips > 2 or all(len(word) == 1 for word in ours):
        return NO
    mean = (len(ours) - len(found) + sum(each.score for each in found)) / len(ours)
    reasons = [each.because for each in found if each.because]
    return Likeness(SURE + (_BEST_TYPO - SURE) * mean, "; ".join(reasons) or None)


@lru_cache(maxsize=4096)
def _alike(ours: str, theirs: str, *, beside: bool, person: bool, given: bool) -> Likeness:
    """How alike one word is to another, from 0 to 1. `beside` says that there are words beside it that are right."""
    if ours == theirs:
        return Likeness(1.0)
    if person:
        if theirs in habits.spellings(ours):
            return Likeness(_OTHER_SPELLING, f"“{ours}” is another spelling of “{theirs}”")
        if theirs in habits.nicknames(ours):
            short, long = (ours, theirs) if habits.is_short_for(ours, theirs) else (theirs, ours)
            return Likeness(_NICKNAME, f"“{short}” is short for “{long}”")
        if len(ours) == 1 and theirs.startswith(ours) and beside:
            return Likeness(_INITIAL, f"“{ours}” is an initial of “{theirs}”")
        if len(theirs) == 1 and ours.startswith(theirs) and beside:
            return Likeness(_INITIAL, f"“{theirs}” is an initial of “{ours}”")
        if min(len(ours), len(theirs)) >= 4 and ours[-1] == theirs[-1] and sound(ours) == sound(theirs):
            return Likeness(_OTHER_SPELLING, f"“{ours}” is spelled as “{theirs}” elsewhere")
        if min(len(ours), len(theirs)) >= 4 and sound(ours) == sound(theirs) and not _another_ending(ours, theirs):
            return Likeness(_OTHER_SPELLING, f"“{ours}” is spelled as “{theirs}” elsewhere")
    else:
        if theirs in habits.spelled_out(ours) or ours in habits.spelled_out(theirs):
            return Likeness(_ABBREVIATION, f"“{ours}” stands for “{theirs}”")
    slip = _slip(ours, theirs, beside=beside, first_name=given)
    return Likeness(slip) if slip else NO


def _slip(ours: str, theirs: str, *, beside: bool, first_name: bool) -> float:
    """The share of letters in order if one word may be a mistyping of the other, else 0."""
    from rapidfuzz.distance import OSA

    if digit := _DIGITS.search(ours):
        # Only in the letters before the first digit, and only where they are many: sqlcypher3, sqlcipher3.
        tail = ours[digit.start() :]
        if not theirs.endswith(tail) or _DIGITS.search(theirs.removesuffix(tail)) or digit.start() < _MANY_LETTERS:
            return 0.0
        ours, theirs = ours[: digit.start()], theirs.removesuffix(tail)
    short, long = sorted((len(ours), len(theirs)))
    if short < (SHORTEST if beside else SHORTEST + 1) or long - short > 2 or re.search(_IDEOGRAPHS, ours + theirs):
        return 0.0
    if _is_code(ours, theirs):
        return 0.0
    edits = OSA.distance(ours, theirs, score_cutoff=2)
    if edits > (2 if short >= BEARS_TWO_SLIPS or (beside and short >= _MANY_LETTERS + 1) else 1):
        return 0.0
    if ours[0] != theirs[0] and not _slip_at_the_start(ours, theirs, beside=beside):
        return 0.0
    if short < _MANY_LETTERS and _other_letter(ours, theirs):
        return 0.0  # another letter in a short word makes another word: Mark, Mary
    if first_name and _another_ending(ours, theirs):
        return 0.0
    if _of_another_gender(ours, theirs):
        return 0.0
    return 1 - edits / long


def _slip_at_the_start(ours: str, theirs: str, *, beside: bool) -> bool:
    """Much that begins otherwise is the opposite or another name; swapped letters and slips in long words are not."""
    if ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]:
        return len(ours) >= _LONG_ENOUGH
    if "a" + ours == theirs or ours == "a" + theirs:
        return False  # asymmetric is not symmetric
    if habits.is_given_name(ours) or len(ours) < _MANY_LETTERS + (0 if beside else 1):
        return False
    return ours[1:] in (theirs[1:], theirs) or ours in (theirs[1:],)


def _other_letter(ours: str, theirs: str) -> bool:
    """Whether a letter stands in the place of another, as it does not where letters are missing or swapped."""
    return len(ours) == len(theirs) and sorted(ours) != sorted(theirs)


def _is_code(ours: str, theirs: str) -> bool:
    """Words of which every letter counts: months and days, Roman numerals, names with symbols."""
    return (
        (ours in _CALENDAR and theirs in _CALENDAR)
        or bool(_ROMAN.fullmatch(ours) and _ROMAN.fullmatch(theirs))
        or any(symbol in ours + theirs for symbol in _SYMBOLS_OF_NAMES)
        or _is_opposite(ours, theirs)
    )


def _is_opposite(ours: str, theirs: str) -> bool:
    return any(
        (ours.startswith(one) and theirs.startswith(other)) or (ours.startswith(other) and theirs.startswith(one))
        for one, other in _OPPOSITE_STARTS
    ) or any(ours[:-2] == theirs[:-2] and {ours[-2:], theirs[-2:]} == {one, other} for one, other in _OPPOSITE_ENDS)


def _of_another_gender(ours: str, theirs: str) -> bool:
    """Whether one is the other surname with an a: Petrov, Petrova."""
    short, long = sorted((ours, theirs), key=len)
    return long[:-1] == short and long[-1] in "aа" and short.endswith(_SURNAMES_WITH_A)


def _another_ending(ours: str, theirs: str) -> bool:
    """Whether two first names differ in their ending alone, as Martin, Martina and Christian, Christina do."""
    short, long = sorted((ours, theirs), key=len)
    if len(short) < len(long):
        after_a_vowel = short[-1] in _ENDINGS and long[-1] in _ENDINGS_AFTER_A_VOWEL
        return long[:-1] == short and (long[-1] in _ENDINGS or long[-1] in "yw" or after_a_vowel)
    if short[:-1] == long[:-1]:
        return short[-1] in _ENDINGS and long[-1] in _ENDINGS
    return short[:-2] == long[:-2] and {short[-2:], long[-2:]} in ({"an", "na"}, {"er", "re"})


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """A word of a thing's name: numbers as digits, versions without their v, one spelling for British and American."""
    word = _NUMBERS.get(word, word)
    if version := _VERSION.fullmatch(word):
        return version[1]
    for british, american in _BRITISH:
        word = re.sub(british, american, word)
    return word


@lru_cache(maxsize=4096)
def sound(word: str) -> str:
    """What is left of a word where languages and times differ in how they write a name."""
    for pattern, sound in _SOUNDS:
        word = re.sub(pattern, sound, word)
    return word
