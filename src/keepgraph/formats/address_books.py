"""Address books (vCard) and calendars (iCalendar): people with their addresses, meetings with who takes part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from functools import partial
from typing import IO, Any

from keepgraph import errors
from keepgraph.formats.bibliographies import missing_reader, shortened, whole_text, words
from keepgraph.formats.records import Entity, Fact, ReadError, Record, Skipped
from keepgraph.language import identifiers

VCARD, CALENDAR = "vcard", "icalendar"
# What the parsers raise for text that is wrong in a way that they do not expect.
_PARSER_ERRORS = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)
_COMPONENTS = {VCARD: "VCARD", CALENDAR: "VEVENT"}


def detect(beginning: str) -> str | None:
    """The format of an address book or a calendar that begins so; None for any other text."""
    first = beginning.lstrip("\ufeff \t\r\n")[:15].upper()
    if first.startswith("BEGIN:VCARD"):
        return VCARD
    return CALENDAR if first.startswith("BEGIN:VCALENDAR") else None


def read(file: IO[bytes], format: str) -> Iterator[Record]:
    """The people of an address book, or the meetings of a calendar, in the order of the file.

    A component that cannot be read does not stop the rest; its position is that of its first line.

    Raises:
        errors.InvalidArguments: the file is too long, or what reads the format is not installed.
    """
    text = whole_text(file).replace("\r\n", "\n")
    name, starts = _COMPONENTS[format], dict[str, date]()
    position, counted = 1, 0
    parse = _read_card if format == VCARD else partial(_read_meeting, starts=starts)
    for match in re.finditer(rf"(?ims)^BEGIN:{name}[ \t]*$.*?(?:^END:{name}[ \t]*$|\Z)", text):
        position += text.count("\n", counted, match.start())
        counted = match.start()
        try:
            yield from parse(position, match[0])
        except _PARSER_ERRORS as error:
            yield ReadError(position, errors.InvalidArguments(f"the {name} cannot be read: {str(error)[:200]}"))


def _read_card(position: int, text: str) -> Iterator[Record]:
    try:
        import vobject
    except ImportError as error:
        raise missing_reader("vobject", error) from error
    try:
        card = vobject.readOne(text, allowQP=True).contents
    except vobject.base.VObjectError as error:
        raise ValueError(str(error)) from error
    organisation, names = (
        _organisation(card),
        _values(card, "fn") or [_spoken(each.value) for each in card.get("n", ())],
    )
    given = [
        (key, value, identifiers.canonical(value, key=key))
        for key in ("email", "tel", "impp", "url")
        for value in _values(card, key)
    ]
    # A page may be that of a team.
    known = [identifier for *_, identifier in given if identifier and identifiers.kind(identifier) != identifiers.PAGE]
    name = next((name for name in (*names, organisation, *known) if name.strip()), "")
    if not name:
        yield ReadError(position, errors.InvalidArguments("the card has no name, no organisation and no address"))
        return
    is_organisation, word = name == organisation, words()
    others = {key: value for key, value, identifier in given if identifier not in known}
    others |= {key: "; ".join(_values(card, key)) for key in ("title", "role", "categories") if card.get(key)}
    others |= (
        {"address": "; ".join(str(each.value).replace("\n", ", ") for each in card["adr"])} if "adr" in card else {}
    )
    yield Entity(
        position=position,
        type=word["org" if is_organisation else "individual"],
        name=shortened(name),
        aliases=(*dict.fromkeys(known), *_values(card, "nickname")),
        observations=tuple(_values(card, "note")),
        properties=others,
    )
    name = shortened(name)
    if organisation and not is_organisation:
        yield Fact(position, name, word["works_at"], word["individual"], shortened(organisation), word["org"])
    for birthday in _values(card, "bday")[:1]:
        if re.fullmatch(r"\d{4}-?\d{2}-?\d{2}(?:T.*)?", birthday):
            day = re.sub(r"\D", "", birthday)[:8]
            yield Fact(position, name, word["bday"], word["individual"], literal=f"{day[:4]}-{day[4:6]}-{day[6:]}")


def _values(card: Any, key: str) -> list[str]:
    """The values of a property, without empty ones."""
    values = [each.value for each in card.get(key, ())]
    texts = ["; ".join(value) if isinstance(value, list) else str(value) for value in values]
    return [text.strip() for text in texts if text.strip()]


def _organisation(card: Any) -> str:
    """The organisation, without its departments."""
    for each in card.get("org", ()):
        return str(each.value[0] if isinstance(each.value, list) else each.value).strip()
    return ""


def _spoken(name: Any) -> str:
    parts = (getattr(name, part, "") for part in ("given", "additional", "family"))
    return " ".join(part if isinstance(part, str) else " ".join(part) for part in parts if part)


def _read_meeting(position: int, text: str, *, starts: dict[str, date]) -> Iterator[Record]:
    """A meeting with who takes part.

    Args:
        starts: of the meetings before, by name; a later one of the same title and day is told apart by its time.
    """
    try:
        import icalendar
    except ImportError as error:
        raise missing_reader("icalendar", error) from error
    event = icalendar.Event.from_ical(text)
    title, start = shortened(str(event.get("SUMMARY", ""))), event.get("DTSTART")
    if not title or start is None:
        yield ReadError(position, errors.InvalidArguments("the event has no title, or no start"))
        return
    if str(event.get("STATUS", "")).upper() == "CANCELLED":
        yield Skipped(position, "cancelled event")
        return
    is_timed = isinstance(start.dt, datetime)
    day = start.dt.date() if is_timed else start.dt
    name = shortened(f"{title[:170]} ({day.isoformat()})")  # one of a series has the title of the others
    if starts.setdefault(name, start.dt) != start.dt:
        name = f"{name[:-1]}, {start.dt.strftime('%H:%M') if is_timed else 'all day'})"
    end, word = event.get("DTEND"), words()
    fields = {"starts": start.dt, "ends": getattr(end, "dt", None), "location": event.get("LOCATION")}
    fields |= {"repeats": event["RRULE"].to_ical() if "RRULE" in event else None, "uid": event.get("UID")}
    properties = {
        key: value.decode()
        if isinstance(value, bytes)
        else value.isoformat()
        if isinstance(value, date)
        else str(value)
        for key, value in fields.items()
        if value
    }
    description = str(event.get("DESCRIPTION", "")).strip()
    yield Entity(
        position=position,
        type=word["event"],
        name=name,
        observations=(description,) if description else (),
        properties=properties,
    )
    yield Fact(position, name, word["dtstart"], word["event"], literal=day.isoformat())
    people: dict[str, str] = {}
    for key in ("ATTENDEE", "ORGANIZER"):
        entries = event.get(key, [])
        for entry in entries if isinstance(entries, list) else [entries]:
            is_individual = str(entry.params.get("CUTYPE", "INDIVIDUAL")).upper() == "INDIVIDUAL"
            if is_individual and str(entry.params.get("PARTSTAT", "")).upper() != "DECLINED":
                people[identifiers.canonical(str(entry)) or str(entry)] = str(entry.params.get("CN", ""))
    called = {
        address: shortened(name if name.strip() and "@" not in name else address) for address, name in people.items()
    }
    names = Counter(called.values())
    for address, person in called.items():
        if (known := identifiers.canonical(address)) is not None:
            yield Entity(position, word["individual"], person, aliases=(known,) if known != person else ())
        # Of two with one name, the address decides who it is.
        reference = known if known and names[person] > 1 else person
        yield Fact(position, reference, word["attendee"], word["individual"], name, word["event"])
