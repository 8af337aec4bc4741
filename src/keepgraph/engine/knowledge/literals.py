"""Literals: what each kind accepts, and the form in which it is stored.

A date is a day (2026-11-22), or a month, a year or a day of any year if no more is known (2026-11, 2026,
--11-22), or an instant. It may be given as people say it (“tomorrow”, “15 January”). Dates are stored in ISO 8601, an
instant with its offset; everything else is stored as given.
"""

from __future__ import annotations

import re
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from keepgraph import english, errors, lazy, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.temporal import date_phrases

MAX_LITERAL = 1000

_NUMBER = lazy.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_YEAR_OR_MONTH = lazy.compile(r"(?!0000)\d{4}(-(0[1-9]|1[0-2]))?", re.ASCII)
_DAY_OF_ANY_YEAR = lazy.compile(r"--(\d\d)-(\d\d)", re.ASCII)
_NUMBER_WITHIN = lazy.compile(r"[+-]?\d[\d,' \u00a0\u202f]*(\.\d+)?", re.ASCII)
_DEADLINE, _ANNIVERSARY = "due", "birthday"
"""The vocabulary's labels for predicates with days in the future, and for those with days that recur each year."""
_URL_SCHEMES = ("http", "https")
_HOST = lazy.compile(r"[\w-]+(\.[\w-]+)+(:\d+)?([/?#]\S*)?")

_TAKES = {
    "number": "a number in digits only, such as 1250 or 12.5",
    "date": "a date (2026-11-22, “next Friday”; 2026-11, 2026 or --11-22 if no more is known)",
    "url": "a web address that begins with http:// or https://",
    "identifier": "one line of text",
    "text": "a text",
}


def clean(text: str) -> str:
    """A literal without surrounding space.

    Raises:
        errors.ObjectRequired: it is empty or too long.
    """
    literal = text.strip()
    if not literal:
        raise errors.ObjectRequired("the literal is empty")
    if len(literal) > MAX_LITERAL:
        raise errors.ObjectRequired(
            f"the literal has {len(literal)} characters; at most {MAX_LITERAL} are allowed",
            hint="Keep tags, statuses and short notes as literals.",
        )
    return literal


def read(tx: Tx, predicate: Predicate, literal: str) -> str:
    """A literal as stored under a predicate. A date may be given as people say it: “next Friday”.

    Raises:
        errors.LiteralInvalid: it is not of the kind that the predicate takes.
    """
    kind = predicate.literal_kind
    if (normalised := normalise(literal, kind, tx.zone)) is not None:
        return normalised
    if kind != "date":
        raise _invalid(tx, predicate, literal)
    # Imported here, because most dates are in ISO 8601.
    from keepgraph.temporal import date_phrases

    try:
        said = date_phrases.parse_as_said(literal, now=tx.now.astimezone(tx.zone), unsaid=_year_meant(tx, predicate))
    except date_phrases.DateUnclear as unclear:
        raise _invalid(tx, predicate, literal, str(unclear)) from unclear
    return normalise(said, kind, tx.zone) or said


def normalise(literal: str, kind: str | None, zone: tzinfo | None) -> str | None:
    """A literal as stored; None if it is not of this kind."""
    match kind:
        case "number":
            return literal if _NUMBER.fullmatch(literal) else None
        case "date":
            return _normalise_date(literal, zone)
        case "url":
            return literal if _is_web_address(literal) else None
        case "identifier":
            return literal if len(literal.splitlines()) == 1 else None
        case _:
            return literal


def guess_kind(literal: str, zone: tzinfo | None) -> str:
    """The apparent kind of a literal: a date, a web address, or text."""
    return next((kind for kind in ("date", "url") if normalise(literal.strip(), kind, zone) is not None), "text")


def describe(kind: str | None) -> str:
    """What a kind of literals accepts, in words."""
    return _TAKES.get(kind or "text", _TAKES["text"])


def suggest(tx: Tx, literal: str, kind: str | None) -> str:
    """A literal of this kind: the one probably meant, else an example."""
    suggestion = _suggest(literal, kind)
    if suggestion and normalise(suggestion, kind, tx.zone) is not None:
        return suggestion
    today = timestamps.local_date(tx.at, tx.zone)
    return {"number": "12.5", "date": today, "url": "https://example.com"}.get(kind or "", "text")


def deadlines(tx: Tx) -> frozenset[str]:
    """The names of the predicates that the vocabulary also calls “due”."""
    return _names_called(tx, _DEADLINE)


def _year_meant(tx: Tx, predicate: Predicate) -> date_phrases.Unsaid:
    """The year of a day given without one."""
    if predicate.name in deadlines(tx):
        return "next"
    return "any" if predicate.name in _names_called(tx, _ANNIVERSARY) else "last"


def _names_called(tx: Tx, wording: str) -> frozenset[str]:
    return frozenset(term.name for term in graph_vocabulary.terms_called(tx, store.vocabulary.PREDICATE, wording))


def _invalid(tx: Tx, predicate: Predicate, literal: str, reason: str = "") -> errors.LiteralInvalid:
    """The refusal of a literal of another kind than its predicate takes."""
    suggestion = suggest(tx, literal, predicate.literal_kind)
    taken = f"{predicate.name} takes {describe(predicate.literal_kind)}, not {english.quoted(literal)}"
    return errors.LiteralInvalid(
        f"{taken}: {reason}" if reason else taken,
        hint=f'Write it as {{"literal": "{suggestion}"}}, or ={suggestion} on the command line.',
    )


def _normalise_date(literal: str, zone: tzinfo | None) -> str | None:
    if _YEAR_OR_MONTH.fullmatch(literal):
        return literal
    if day := _DAY_OF_ANY_YEAR.fullmatch(literal):
        return literal if _iso_date(2000, int(day[1]), int(day[2])) else None
    try:
        timestamps.parse(literal, zone)
        if len(literal) <= len("2026-11-22"):
            return literal
        instant = datetime.fromisoformat(literal)
        local = instant if instant.tzinfo else instant.replace(tzinfo=zone) if zone else instant.astimezone()
    except (ValueError, OverflowError):
        return None
    return local.isoformat(timespec="milliseconds" if local.microsecond else "seconds")


def _is_web_address(literal: str) -> bool:
    if any(character.isspace() or not character.isprintable() for character in literal):
        return False
    try:
        parts = urlsplit(literal)
        return parts.scheme in _URL_SCHEMES and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _suggest(literal: str, kind: str | None) -> str | None:
    """What was probably meant; None if unclear."""
    match kind:
        case "number":
            return _suggest_number(literal)
        case "url":
            return _suggest_url(literal)
        case "identifier":
            return " ".join(literal.split())
        case _:
            return literal


def _suggest_number(literal: str) -> str | None:
    number = _NUMBER_WITHIN.search(literal)
    return re.sub(r"[^\d.+-]", "", number[0]) if number else None


def _suggest_url(literal: str) -> str | None:
    return f"https://{literal}" if _HOST.fullmatch(literal) else None


def _iso_date(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
