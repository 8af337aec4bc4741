"""How surely one name means what another is the name of, and why. Compares folded names; knows no table of the graph.

Every word that is asked for must be found: as it is, in another spelling, as a nickname or an initial, or with a
slip of the keyboard. Digits must agree. For a person some of the names will do, for other things a telling part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keepgraph.language import antonyms, lexicons, typos
from keepgraph.language.normalisation import words
from keepgraph.language.typos import BEARS_TWO_SLIPS, NO, SHORTEST, Likeness

SURE = 0.80
"""Likeness from which a name on its own is taken to mean an entity; the default of a profile."""

RIVAL = 0.79
"""A name that has all the words asked for, but is not meant by them alone: it stands in the way of another."""

_FOLDED_EQUAL = 0.99
_SAME_WORDS = 0.97
_SAME_LETTERS = 0.96
_PARTIAL = 0.93
_BEST_TYPO = 0.98
_TELLING_PART = 0.82
_NEARLY_ALL = 0.75
_LONG_ENOUGH = 5

_DIGITS = re.compile(r"\d+")
_YEAR = re.compile("(19|20)[0-9]{2}")
_GENERATIONS = frozenset("jr sr junior senior ii iii iv".split())
_RELATING = frozenset(
    "from to over than before after with without for by against instead of not vs and or in on".split()
)
_SMALL = frozenset(
    "a an and as at be by de del der des die das el en et for from in into is it la le of on or our per the their "
    "to und von with y your my we who what about re".split()
)
_KINDS = {
    "project": frozenset("project initiative".split()),
    "decision": frozenset("decision choice".split()),
    "source": frozenset("source document doc paper book report article page".split()),
}
_IN_ANY_ORDER = ("project", "source")
_GENERIC = frozenset(
    "app application area audit board build call change client code company customer dashboard data day design "
    "department doc document engine event feature group guide handbook idea issue lab list market meeting mobile model "
    "month name new note notes office old overhaul page people person photo plan planning platform process product "
    "project prototype quarter question redesign refresh release report research review roadmap search security server "
    "service site software standup study support system task team template test thing thread tool topic unit update "
    "user users version video website week weekly work year".split()
)


def compare(asked: str, known: str, *, kind: str) -> Likeness:
    """How surely the folded name `asked` means the one called `known`, an entity of type `kind`."""
    if asked == known:
        return Likeness(_FOLDED_EQUAL) if len(asked) > 1 else NO
    if kind == "person":
        if asked.startswith("the ") and asked.endswith("s"):
            return NO  # a family
        return _compared(words(asked, besides=(kind,)), words(known, besides=(kind,)), kind, hinted=False)
    own = (kind,) if kind in ("project", "decision") else ()
    theirs = words(known, besides=own)
    found = _compared(words(asked, besides=own), theirs, kind, hinted=False)
    hints = _KINDS.get(kind, frozenset()).intersection(asked.split()[-1:] if kind == "source" else asked.split())
    if found.score < SURE and hints:
        # The decision on telemetry: what kind of thing it is has been said.
        hinted = _compared(words(asked, besides=hints), theirs, kind, hinted=True)
        return max(found, hinted, key=lambda each: each.score)
    return found


def _compared(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    if _weight(ours) < SHORTEST and not (len(ours) == 1 and lexicons.is_given_name(ours[0])):
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
    return sum(map(len, telling)) + sum(len(re.findall(typos.IDEOGRAPHS, word)) for word in telling)


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
    if len(extra) > 1 or not ours or len(ours) > len(theirs):
        return NO
    if extra and (len(ours) < 2 or len(ours) < len(theirs)):
        return NO  # Robert K. Hughes is not Robert J. Hughes
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
        word == end
        or end in lexicons.nicknames(word)
        or end in lexicons.spellings(word)
        or typos.sound(word) == typos.sound(end)
        for word in ours
        for end in (theirs[0], theirs[-1])
    )


def _thing(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    ours, theirs = [typos.plain(word) for word in ours], [typos.plain(word) for word in theirs]
    if not _digits_fit(ours, theirs):
        return NO
    if ours == theirs:
        return Likeness(_SAME_WORDS)
    if _digits(ours) != _digits(theirs):
        return _telling_part(ours, theirs, kind, hinted=hinted)
    if "".join(ours) == "".join(theirs) or (
        kind in _IN_ANY_ORDER and _may_change_order(ours, person=False) and sorted(ours) == sorted(theirs)
    ):
        return Likeness(_SAME_WORDS)
    if len(ours) == len(theirs):
        found = _aligned(ours, theirs, person=False, in_order=kind not in _IN_ANY_ORDER)
        if found is not NO:
            return found
    return _telling_part(ours, theirs, kind, hinted=hinted)


def _telling_part(ours: list[str], theirs: list[str], kind: str, *, hinted: bool) -> Likeness:
    """Some words of a longer name: enough where they are its head or most of it, and say something by themselves."""
    asked, whole = _without_small(ours), _without_small(theirs)
    if not asked or len(asked) >= len(whole):
        return NO
    if kind == "concept" and not hinted:
        return _contained(asked, whole)
    left = list(whole)
    for word in asked:
        alike = {
            other: typos.alike(word, other, beside=len(asked) > 1, person=False, given=False).score for other in left
        }
        best = max(alike, key=alike.__getitem__)
        if alike[best] == 0:
            return NO
        left.remove(best)
    if any(not word.isalnum() for word in left) or not _digits_left_alone(asked, left):
        return NO  # a sign that tells things apart, or a number out of a version
    covered = sum(map(len, whole)) - sum(map(len, left))
    share = covered / sum(map(len, whole))
    telling = [word for word in asked if word not in _GENERIC and not word.isdecimal() and len(word) >= SHORTEST]
    head = whole[0] not in left
    enough = {
        "decision": share >= 0.4 and len(asked) >= 2,
        "source": len(asked) >= 2 and (share >= 0.4 or head),
    }.get(kind, (head and len(telling) > 0) or (len(asked) >= 2 and share >= 0.5) or share >= 0.6)
    # Words that are left out may turn the meaning round.
    turned = any(antonyms.is_against(word) for word in left)
    nearly_all = share >= _NEARLY_ALL and (kind != "decision" or len(asked) > 1)
    if not turned and (((enough or hinted) and telling) or nearly_all):
        return Likeness(_TELLING_PART, "part of the name")
    return Likeness(RIVAL, "part of the name")


def _contained(asked: Sequence[str], whole: Sequence[str]) -> Likeness:
    """A part of what a thing is called is another thing: React is not React Native, nor Mexico New Mexico."""
    return Likeness(RIVAL, "part of the name") if set(asked) <= set(whole) else NO


def _digits_left_alone(asked: Sequence[str], left: Sequence[str]) -> bool:
    """Whether no number is torn out of several: with a number asked for, only a year may be left."""
    if not _DIGITS.search(" ".join(asked)):
        return True
    numbers = [number for word in left for number in _DIGITS.findall(word)]
    return all(_YEAR.fullmatch(number) for number in numbers) and not any(typos.is_date(word) for word in left)


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


def _aligned(ours: Sequence[str], theirs: Sequence[str], *, person: bool, in_order: bool = False) -> Likeness:
    """Give each of our words another of theirs; the mean of how alike they are, scaled to SURE and up."""
    in_place = len(ours) == len(theirs) and (in_order or not _may_change_order(ours, person=person))
    right = [word in theirs for word in ours]
    left = list(theirs)
    found: list[Likeness] = []
    slips = 0
    # Words that are there as they are come first, so that no other takes their place, and initials last.
    for position, word in sorted(enumerate(ours), key=lambda each: (not right[each[0]], len(each[1]) == 1, each[0])):
        among = [theirs[position]] if in_place else left
        if word in among:
            if not in_place:
                left.remove(word)
            continue
        alike = [
            (
                typos.alike(
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
        unheard = len(word) >= BEARS_TWO_SLIPS - 1 and not lexicons.is_given_name(word)
        doubtful = person and not any(right) and not best.because and not unheard
        if best.score == 0 or (doubtful and typos.is_another_letter(word, other)):
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
