"""Decision dates: the day on which a sentence says that something was decided, apart from the rest of the sentence."""

from __future__ import annotations

import re
from datetime import date, timedelta

from keepgraph import lazy
from keepgraph.language import time_references
from keepgraph.language.time_references import TimeReference

_MAY_HAVE_DAY = lazy.compile(r"\d")
_HALF_A_YEAR = timedelta(days=183)
_PREPOSITION = lazy.compile(r"(?:^|(?<=[\s(\[]))(?:on|as of)(?: the)? $", re.IGNORECASE)
_WEEKDAY = lazy.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,? $", re.IGNORECASE)
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
    for reference in time_references.find(sentence) if _MAY_HAVE_DAY.search(sentence) else ():
        day = _day(reference, near=not_after)
        if day is None or reference.bound or (not_after is not None and day > not_after):
            continue
        before, after = sentence[: reference.start], sentence[reference.end :]
        before = _WEEKDAY.sub("", before)
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
