"""Reads offsets and names of time zones, and tells the offset of a named zone. Knows no temporal value.

A zone is an offset from UTC in seconds, or a name of the IANA database.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from keepgraph.errors import QueryFailed
from keepgraph.temporal import calendar

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

Zone = int | str

UTC = 0

_OFFSET = re.compile(r"([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*", re.ASCII)
_FURTHEST = 18 * 3600


def read(text: str) -> Zone:
    """`Z`, `+01:00`, `-0230`, `+02`, `+00:53:28` or `Europe/Stockholm`."""
    if text in ("Z", "z") or text.startswith(("+", "-")):
        return read_offset(text)
    # The proposal that brought time zones to openCypher writes America/Los Angeles.
    name = text.replace(" ", "_")
    if len(name) > 64 or not _NAME.fullmatch(name):
        raise _unknown(text)
    _table(name)
    return name


def read_offset(text: str) -> int:
    if text in ("Z", "z"):
        return UTC
    found = _OFFSET.fullmatch(text)
    if not found:
        raise _unknown(text)
    sign, hours, minutes, seconds = found.groups(default="0")
    offset = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    if int(minutes) > 59 or int(seconds) > 59 or offset > _FURTHEST:
        raise _refused(f"There is no offset {text}; offsets go from -18:00 to +18:00, with up to 59 minutes.")
    return -offset if sign == "-" else offset


def offset_text(offset: int) -> str:
    """`+01:00`; `Z` for UTC; with seconds only where there are some, `+00:53:28`."""
    if offset == UTC:
        return "Z"
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{seconds:02d}" if seconds else text


def offsets_of_local(name: str, day: int, second: int) -> tuple[int, int]:
    """The offsets of the zone that lead from and to this second of the day on the wall.

    They differ where clocks are changed: the first is the greater when the second happens twice, and the less when it
    never happens.
    """
    wall = _wall(_table(name), day, second)
    return _seconds(wall), _seconds(wall.replace(fold=1))


def offset_of_instant(name: str, seconds: int) -> int:
    """The offset of the zone so many seconds after 1970 began in UTC."""
    table = _table(name)
    return _seconds(table.fromutc(_wall(table, *divmod(seconds, 86_400))))


def _wall(table: ZoneInfo, day: int, second: int) -> datetime:
    """Within the years that Python has: the rules of a zone repeat every 400 years, and before 1800 there were none."""
    from datetime import datetime

    year, month, day_of_month = calendar.year_month_day(day)
    if year < 400:
        year = 400 + year % 400
    elif year > 9599:
        year = 9200 + year % 400
    minutes, second = divmod(second, 60)
    hour, minute = divmod(minutes, 60)
    return datetime(year, month, day_of_month, hour, minute, second, tzinfo=table)


def _seconds(wall: datetime) -> int:
    offset = wall.utcoffset()
    return int(offset.total_seconds()) if offset is not None else UTC


@lru_cache(maxsize=512)
def _table(name: str) -> ZoneInfo:
    from importlib.util import find_spec
    from pathlib import Path
    from zoneinfo import ZoneInfo

    try:
        # The tables of the package before those of the system: distributions build theirs with different offsets for
        # the time before 1970, and the same query shall have the same answer everywhere.
        package = find_spec("tzdata")
        for folder in (package and package.submodule_search_locations) or ():
            table = Path(folder, "zoneinfo", *name.split("/"))
            if table.is_file():
                with table.open("rb") as file:
                    return ZoneInfo.from_file(file, name)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise _unknown(name) from error


def _unknown(text: str) -> QueryFailed:
    shown = repr(text if len(text) <= 64 else text[:60] + "…")
    return _refused(f"There is no time zone {shown}; write an offset such as '+01:00', or a name of the IANA database.")


def _refused(message: str) -> QueryFailed:
    return QueryFailed(
        message,
        detail="InvalidArgumentValue",
        kind="ArgumentError",
        hint="Zones are written 'Z', '+01:00' or 'Europe/Stockholm'.",
    )
