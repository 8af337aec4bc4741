"""Time zones: parsing and formatting of offsets, and the offset of a named zone at some time.

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
_MAX_OFFSET = 18 * 3600


def parse_zone(text: str) -> Zone:
    """`Z`, `+01:00`, `-0230`, `+02`, `+00:53:28` or `Europe/Stockholm`."""
    if text in ("Z", "z") or text.startswith(("+", "-")):
        return parse_offset(text)
    # The proposal that brought time zones to openCypher writes America/Los Angeles.
    name = text.replace(" ", "_")
    if len(name) > 64 or not _NAME.fullmatch(name):
        raise _unknown_zone(text)
    _zone_info(name)
    return name


def parse_offset(text: str) -> int:
    if text in ("Z", "z"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if not match:
        raise _unknown_zone(text)
    sign, hours, minutes, seconds = match.groups(default="0")
    offset = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    if int(minutes) > 59 or int(seconds) > 59 or offset > _MAX_OFFSET:
        raise _zone_error(f"There is no offset {text}; offsets go from -18:00 to +18:00, with up to 59 minutes.")
    return -offset if sign == "-" else offset


def format_offset(offset: int) -> str:
    """`+01:00`; `Z` for UTC; with seconds only where there are some, `+00:53:28`."""
    if offset == UTC:
        return "Z"
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{seconds:02d}" if seconds else text


def offsets_of_local(name: str, day: int, second: int) -> tuple[int, int]:
    """The two offsets that a zone may have at this second of a local day.

    They differ only where clocks are changed: the first is the greater one if this local time happens twice, and the
    smaller one if it never happens.
    """
    local = _local_datetime(_zone_info(name), day, second)
    return _offset_seconds(local), _offset_seconds(local.replace(fold=1))


def offset_of_instant(name: str, seconds: int) -> int:
    """The offset of a zone, so many seconds after the start of 1970 in UTC."""
    zone_info = _zone_info(name)
    return _offset_seconds(zone_info.fromutc(_local_datetime(zone_info, *divmod(seconds, 86_400))))


def _local_datetime(zone_info: ZoneInfo, day: int, second: int) -> datetime:
    """A local time, in a year that Python's datetime has and that has the same rules of the zone.

    The calendar repeats every 400 years, and before 1800 there were no rules.
    """
    from datetime import datetime

    year, month, day_of_month = calendar.year_month_day(day)
    if year < 400:
        year = 400 + year % 400
    elif year > 9599:
        year = 9200 + year % 400
    minutes, second = divmod(second, 60)
    hour, minute = divmod(minutes, 60)
    return datetime(year, month, day_of_month, hour, minute, second, tzinfo=zone_info)


def _offset_seconds(local: datetime) -> int:
    offset = local.utcoffset()
    return int(offset.total_seconds()) if offset is not None else UTC


@lru_cache(maxsize=512)
def _zone_info(name: str) -> ZoneInfo:
    from importlib.util import find_spec
    from pathlib import Path
    from zoneinfo import ZoneInfo

    try:
        # The database of the package tzdata before that of the system: distributions build theirs with different
        # offsets for the time before 1970, and a query must have the same answer everywhere.
        package = find_spec("tzdata")
        for folder in (package and package.submodule_search_locations) or ():
            path = Path(folder, "zoneinfo", *name.split("/"))
            if path.is_file():
                with path.open("rb") as file:
                    return ZoneInfo.from_file(file, name)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise _unknown_zone(name) from error


def _unknown_zone(text: str) -> QueryFailed:
    shown = repr(text if len(text) <= 64 else text[:60] + "…")
    return _zone_error(
        f"There is no time zone {shown}; write an offset such as '+01:00', or a name of the IANA database."
    )


def _zone_error(message: str) -> QueryFailed:
    return QueryFailed(
        message,
        detail="InvalidArgumentValue",
        kind="ArgumentError",
        hint="Zones are written 'Z', '+01:00' or 'Europe/Stockholm'.",
    )
