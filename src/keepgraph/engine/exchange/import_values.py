"""Values of import lines: timestamps are checked, and names and differences are worded for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from keepgraph import errors
from keepgraph.temporal import timestamps

_NAME_LENGTH_SHOWN = 60


# A fact, its assertions and the facts of the same call often have the same timestamp.
@lru_cache(maxsize=8192)
def validate_timestamp(text: str) -> str:
    """Return the timestamp unchanged.

    Raises:
        errors.InvalidArguments: it is not a timestamp in the form in which it is stored, or no such instant exists.
    """
    try:
        if timestamps.from_datetime(timestamps.to_datetime(text)) == text:
            return text
    except (ValueError, OverflowError):
        pass
    raise errors.InvalidArguments(
        f"{text!r} is not an instant in UTC with milliseconds", hint="Write it like this: 2026-11-21T08:44:39.123Z"
    )


def list_differences(differences: Mapping[str, bool]) -> str:
    """The names of those values that differ, for a message."""
    return " and ".join(name for name, differs in differences.items() if differs)


def quote_name(text: str) -> str:
    """A name in quotes, cut to a length that fits into a message."""
    return repr(text if len(text) <= _NAME_LENGTH_SHOWN else text[: _NAME_LENGTH_SHOWN - 3] + "…")
