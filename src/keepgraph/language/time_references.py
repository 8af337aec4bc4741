"""Time references in English texts: dates, months, years, weekdays, times of day, seasons, words such as yesterday.

Each is read as far as the text says it; nothing is assumed of the present. Two are compared by the parts that both
have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date, timedelta
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import quantities
from keepgraph.lazy import dataclass

Relation: TypeAlias = Literal["same", "overlapping", "different", "unknown"]

_MONTH = rf"(?P<month>{'|'.join(sorted(quantities.MONTHS, key=len, reverse=True))})\.?"
_MONTH_IN_FULL = "|".join(name for name in quantities.MONTHS if len(name) > 3)
_WEEKDAY = rf"(?P<weekday>{'|'.join(sorted(quantities.WEEKDAYS))})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter|christmas|easter)"
_RELATIVE = (
    rf"(?:last|this|next|previous|coming)\s(?:week|month|year|quarter|season|time|night|morning|afternoon|evening|weekend|"
    rf"term|semester|sprint|decade|century|spring|summer|autumn|fall|winter|christmas|easter|{_MONTH_IN_FULL}|"
    rf"{'|'.join(sorted(quantities.WEEKDAYS))})"
)
_PART = r"(?P<part>mornings?|afternoons?|evenings?|nights?|midday|weekends?|weekdays?)"

# The first pattern that matches at a place is taken.
_PATTERNS = tuple(
    lazy.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"\b(?P<relative>{_RELATIVE})\b",
        r"\b(?P<year>\d{4})-(?P<monthnumber>\d{2})(?:-(?P<day>\d{2}))?\b",
        rf"\b{_DAY}\s(?:of\s)?{_MONTH}\b(?:,?\s{_YEAR}\b)?",
        rf"\b{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:\d])(?:,?\s{_YEAR}\b)?",
        rf"\b{_MONTH},?\s(?:of\s)?{_YEAR}\b",
        rf"\b(?P<monthonly>{_MONTH_IN_FULL})\b(?<!\bmay)(?<!\bmarch)",
        r"\b(?P<before>in|of|to|by|since|until|last|every)\s(?P<monthonly>may|march)\b",
        rf"\b(?:Q(?P<quarter>[1-4])|(?:the\s)?(?P<quarterword>first|second|third|fourth|last)\squarter)\b"
        rf"(?:,?\s(?:of\s)?{_YEAR}\b)?",
        rf"\b(?:the\s)?{_SEASON}\b(?:\s(?:of\s)?{_YEAR}\b)?",
        rf"\b(?P<before>in|of|by|since|until|from|till|after|before|during|through|starting)\s{_YEAR}\b(?!\s?[-–])",
        rf"(?<=\bto\s){_YEAR}\b",
        rf"[(]{_YEAR}[)]",
        r"\b(?:the\s)?(?P<decade>\d{3}0)s\b",
        rf"\b(?:every\s)?{_WEEKDAY}s?\b",
        r"\b(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s?(?P<half>am|pm|a\.m\.|p\.m\.|AM|PM)(?!\w)",
        r"(?<![:\d])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?!:?\d)(?:\s?(?:h|hrs|o'clock)\b)?",
        r"\b(?P<hour>\d{1,2})\so['’]clock\b",
        r"\bat\s(?P<onlyhour>[01]?\d|2[0-3])"
        r"(?=\s?(?:[.,;!?](?!\d)|$)|\s(?:and|but|or|on|in the|every|until|to|sharp)\b)",
        r"\b(?P<clockword>noon|midnight)\b",
        rf"\b(?:the\s)?{_PART}\b",
        r"\b(?P<relative>yesterday|today|tomorrow|tonight|currently|"
        r"the (?:previous|following) (?:day|week|month|year)|\w+ (?:days?|weeks?|months?|years?) ago)\b",
        r"(?P<span>\b\d{4}\s?[-–]\s?\d{4}\b)",
    )
)
_SEASONS = {"fall": "autumn"}
_QUARTERS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "last": "4"}


@dataclass(frozen=True, slots=True)
class TimeReference:
    """A time in a text.

    Attributes:
        start, end: offsets in the text, in characters, the end exclusive.
        parts: what is said of it: year, quarter, season, month, day, weekday, part (of a day), clock (minutes from
            midnight), hour (of `at 9`: of twelve, for it may be in the morning or not), relative (words such
            as `last week`).
        bound: the word before it that makes it a limit: since, until, before, after, by, from; else empty.
    """

    start: int
    end: int
    parts: Mapping[str, str | int] = field(default_factory=dict)
    bound: str = ""


_BOUNDS = ("since", "until", "till", "before", "after", "by", "from", "starting", "through")
_BOUND = lazy.compile(rf"\b({'|'.join(_BOUNDS)})\s(?:the\s)?$", re.IGNORECASE)


def find(text: str) -> list[TimeReference]:
    """The time references of a text in their order; none within another."""
    found: list[TimeReference] = []
    for reference in _find(text):
        if all(reference.end <= other.start or other.end <= reference.start for other in found):
            found.append(reference)
    return sorted(found, key=lambda reference: reference.start)


def compare(one: Sequence[TimeReference], other: Sequence[TimeReference]) -> Relation:
    """How the times of two statements are related.

    They are different where a part that both have differs, overlapping where one says more than the other, and unknown
    where they have no part in common.
    """
    ours, theirs = parts(one), parts(other)
    if not ours and not theirs:
        return "same"
    shared = ours.keys() & theirs.keys()
    if any(ours[part].isdisjoint(theirs[part]) for part in shared):
        return "different"
    if any(ours[part] != theirs[part] for part in shared):
        return "unknown"
    if ours.keys() == theirs.keys():
        return "same"
    return "overlapping" if shared else "unknown"


def parts(references: Sequence[TimeReference]) -> dict[str, set[str | int]]:
    """What is said of several times: the values of each part."""
    joined: dict[str, set[str | int]] = {}
    for reference in references:
        for part, value in reference.parts.items():
            joined.setdefault(part, set()).add(value)
    return joined


def _find(text: str) -> Iterator[TimeReference]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            bound = _BOUND.search(text[max(0, match.start() - 16) : match.start()])
            words = (groups.get("before") or (bound[1] if bound else "")).lower()
            if named := dict(_parts(groups)):
                yield TimeReference(match.start(), match.end(), named, words if words in _BOUNDS else "")


def _parts(groups: Mapping[str, str | None]) -> Iterator[tuple[str, str | int]]:
    """The parts of a time reference, by the named groups of its pattern."""
    for name, text in groups.items():
        if text is None:
            continue
        value = text.lower()
        match name:
            case "year":
                yield "year", int(value)
            case "decade" | "span" | "relative":
                yield name, " ".join(value.split())
            case "month" | "monthonly":
                yield "month", quantities.MONTHS[value]
            case "monthnumber" | "day":
                yield name.removesuffix("number"), int(value)
            case "quarter":
                yield "quarter", value
            case "onlyhour":
                yield "hour", int(value) % 12
            case "quarterword":
                yield "quarter", _QUARTERS[value]
            case "season":
                yield "season", _SEASONS.get(value, value)
            case "weekday":
                yield "weekday", value
            case "part":
                yield "part", value.removesuffix("s")
            case "clockword":
                yield "clock", 12 * 60 if value == "noon" else 0
            case "hour":
                hour = int(value)
                half = (groups.get("half") or "").lower().replace(".", "")
                if half:
                    hour = hour % 12 + (12 if half == "pm" else 0)
                yield "clock", hour * 60 + int(groups.get("minute") or 0)


# Decision dates: the day on which a sentence says that something was decided, apart from the rest of the sentence.

_MAY_HAVE_DAY = lazy.compile(r"\d")
_HALF_A_YEAR = timedelta(days=183)
_PREPOSITION = lazy.compile(r"(?:^|(?<=[\s(\[]))(?:on|as of)(?: the)? $", re.IGNORECASE)
_DECISION_WEEKDAY = lazy.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,? $", re.IGNORECASE)
_OPENING = lazy.compile(r"[\s*_>•([–—-]*")
_DECIDED = lazy.compile(r"\b(?:decided|agreed|decision)(?: made)?,? ?[(\[]?$", re.IGNORECASE)
_CLAUSE_END = lazy.compile(
    r"[)\]]?(?:[.;!,]?$|[.;!,] | (?:because|since|so that|as|which|but|although|though|after|before|when)\b)"
)
_BEFORE_SENTENCE = " ,:)]–—-"


def split(sentence: str, *, not_after: str | None = None) -> tuple[str, str | None]:
    """A sentence that states a decision without the day of the decision, and that day as YYYY-MM-DD.

    The day is the first date at the beginning of the sentence, after `decided`, or at the end of a clause. A date
    elsewhere (`the review of 2026-01-02`), one that is a limit (`by 3 March 2026`) and one after `not_after` belong to
    what was decided. A date without a year (`on 14 September`) is the one nearest to `not_after`.

    Args:
        sentence: its white space collapsed.
        not_after: the day of the text, YYYY-MM-DD.
    """
    for reference in find(sentence) if _MAY_HAVE_DAY.search(sentence) else ():
        day = _day(reference, near=not_after)
        if day is None or reference.bound or (not_after is not None and day > not_after):
            continue
        before, after = sentence[: reference.start], sentence[reference.end :]
        before = _DECISION_WEEKDAY.sub("", before)
        bare = _PREPOSITION.sub("", before)
        if _OPENING.fullmatch(bare):
            return after.lstrip(_BEFORE_SENTENCE), day
        if _DECIDED.search(bare):
            return f"{bare.rstrip(' ([,')}{after.lstrip(')]') if bare[-1:] in '([' else after}", day
        if _CLAUSE_END.match(after) and (bare != before or bare[-1:] in "(["):
            return bare.rstrip(" ([,") + after.lstrip(")]"), day
    return sentence, None


def _day(reference: TimeReference, *, near: str | None) -> str | None:
    """The day that a time reference names; None for anything but a day, and for the 30th of February.

    Args:
        near: the day of the text. Of a date without a year, the one nearest to it is meant; without it, none.
    """
    parts = reference.parts
    try:
        month, day = int(parts["month"]), int(parts["day"])
        if "year" in parts:
            return date(int(parts["year"]), month, day).isoformat()
        if near is None:
            return None
        written_on = date.fromisoformat(near)
        for year in (written_on.year - 1, written_on.year, written_on.year + 1):
            if abs(date(year, month, day) - written_on) <= _HALF_A_YEAR:
                return date(year, month, day).isoformat()
    except (KeyError, ValueError):
        pass
    return None
