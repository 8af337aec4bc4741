"""Written values: dates and quantities as they stand in English texts, which are no names of entities."""

from __future__ import annotations

import re
from datetime import date

from keepgraph import lazy
from keepgraph.language import quantities

_ISO_DATE = lazy.compile(
    r"\d{4}(?:-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?)?)?", re.ASCII
)
_MONTH = "|".join(sorted(quantities.MONTHS, key=len, reverse=True))
_WEEKDAY = rf"(?:(?:{'|'.join(sorted(quantities.WEEKDAYS | quantities.WEEKDAY_ABBREVIATIONS))})\.?,?\s)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WITH_YEAR = tuple(
    lazy.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"{_WEEKDAY}(?P<month>{_MONTH})\.?\s{_DAY}(?:,|\sof)?\s(?P<year>\d{{4}})",
        rf"{_WEEKDAY}{_DAY}\s(?:of\s)?(?P<month>{_MONTH})\.?,?\s(?P<year>\d{{4}})",
        rf"(?P<month>{_MONTH})\.?(?:,|\sof)?\s(?P<year>\d{{4}})",
    )
)
_OTHER_TIME = lazy.compile(
    rf"""
    {_WEEKDAY}(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?
    | {_WEEKDAY}\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?(?:{_MONTH})
    | (?:{_MONTH}) | (?:{"|".join(sorted(quantities.WEEKDAYS))})
    | (?:the\s)?(?:early\s|late\s|mid[\s-])?\d{{3}}0'?s
    | \d{{1,4}}\s(?:BC|AD|BCE|CE)
    | \d{{4}}\s?(?:-{{1,2}}|–|—|to|/)\s?\d{{2,4}}
    | (?:the\s)?\d{{1,2}}(?:st|nd|rd|th)\scentury
    | today | tomorrow | yesterday
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_LAST_WORDS_SAY_WHEN = lazy.compile(
    rf"\S\s(?:in|on|since|until)\s(?:(?:{_MONTH})\b[\s\d,]*|\d{{1,2}}\s(?:{_MONTH})\b[\s\d,]*|\d{{4}}s?)$",
    re.IGNORECASE | re.ASCII,
)
_ABOUT = (
    r"(?:about|around|approximately|roughly|nearly|almost|over|under|up to|at least|at most|more than|less than|"
    r"fewer than|circa)\s"
)
_NUMBER = r"[-+]?\d[\d.,]*"
_COUNTED = lazy.compile(
    rf"(?P<about>{_ABOUT})?(?P<currency>[$€£¥]|US\$|USD |EUR |GBP |CHF )?(?P<number>{_NUMBER})"
    rf"(?:\s?(?:-{{1,2}}|–|—|to|and|or)\s?{_NUMBER})?(?:(?P<unit>%|°\w?|[a-zA-Zµ]{{1,3}}\b)|$|\s(?P<next>\S+))",
    re.IGNORECASE | re.ASCII,
)
_YEAR = lazy.compile(r"1\d{3}|20\d{2}", re.ASCII)
_ORDINALS = frozenset(["st", "nd", "rd", "th"])


def date_in_iso(text: str) -> str | None:
    """A date in ISO 8601, as exactly as the text has it: `1977-01-16`, `1985-12`, `1969`; None if it is none."""
    written = " ".join(text.split())
    if _ISO_DATE.fullmatch(written):
        return written if _is_in_calendar(written[:10]) else None
    for pattern in _WITH_YEAR:
        if parts := pattern.fullmatch(written):
            day = f"-{int(parts['day']):02}" if "day" in pattern.groupindex else ""
            iso = f"{parts['year']}-{quantities.MONTHS[parts['month'].casefold()]:02}{day}"
            return iso if _is_in_calendar(iso) else None
    return None


def is_time(text: str) -> bool:
    """Whether a text is a date or another time of the calendar: `August 6`, `the 1920s`, `1835`, `Monday`."""
    written = " ".join(text.split())
    return date_in_iso(written) is not None or _OTHER_TIME.fullmatch(written) is not None


def ends_in_time(text: str) -> bool:
    """Whether a text says something, and after it when: `Australia in 1835`."""
    return _LAST_WORDS_SAY_WHEN.search(" ".join(text.split())) is not None


def is_quantity(text: str) -> bool:
    """Whether a text counts or measures: `54`, `15 kilotons of TNT`, `at least 3 people`, `5.0 and 14 kg`.

    A number that begins a name is none: `3M`, `509th Composite Group`, `2008 elections`, `30 Seconds to Mars`.
    """
    parts = _COUNTED.match(" ".join(text.split()))
    if parts is None or (parts["unit"] or "").casefold() in _ORDINALS:
        return False
    if parts["about"] or parts["currency"]:
        return True
    if unit := parts["unit"]:
        return not unit.isupper() or len(unit) > 1
    following = parts["next"]
    if following is None:
        return True
    is_measured = following[0].islower() or following[0] in "%(°" or (following.isupper() and len(following) > 1)
    return is_measured and not _YEAR.fullmatch(parts["number"])


def _is_in_calendar(iso: str) -> bool:
    year, month, day = (*map(int, iso.split("-")), 1, 1)[:3]
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
