"""The settings that a settings file may have, by table, each with the check of its value."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from keepgraph import permissions

TRAVERSALS = ("bfs", "ppr", "hybrid")
KEY_SOURCES = ("file", "environment", "keyring", "passphrase")
KEY_CHANGES = ("encrypt", "decrypt", "rekey")
_RESOLUTION_STEPS = ("fuzzy", "embedding")

Check = Callable[[Any, Path], tuple[str | None, Any]]
"""Takes a value and the settings file; returns what the value should be, or None, and the value as a profile has it.

Paths are relative to the folder of the settings file.
"""

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_MAX_DAYS = 365_000


def _fraction(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return (None, float(value)) if valid else ("a number from 0 to 1", None)


def _count(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1000
    return (None, value) if valid else ("a whole number from 1 to 1000", None)


def _age(value: Any, file: Path) -> tuple[str | None, Any]:
    """An age in days; None for no limit. A month and a year are as long as they may be."""
    match = re.fullmatch(r"([1-9]\d{0,4})\s*(day|week|month|year)s?", value.strip()) if isinstance(value, str) else None
    if match is None and not (isinstance(value, str) and value.strip() == "forever"):
        return 'an age such as "90 days", "6 months", "1 year", or "forever"', None
    return None, min(int(match[1]) * _DAYS[match[2]], _MAX_DAYS) if match else None


def _boolean(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if isinstance(value, bool) else ("true or false", None)


def _text(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, str) and value.strip() and len(value) <= 200 and value.isprintable()
    return (None, value) if valid else ("a text of 1 to 200 characters", None)


def _resolution_steps(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, list) and all(step in _RESOLUTION_STEPS for step in value)
    return (None, tuple(value)) if valid else (f"a list of {' and '.join(_RESOLUTION_STEPS)}", None)


def _traversal(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if value in TRAVERSALS else (f"one of {', '.join(TRAVERSALS)}", None)


def _names(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, list) and value and all(isinstance(name, str) for name in value)
    return (None, tuple(value)) if valid else ("a list of names", None)


def _model(value: Any, file: Path) -> tuple[str | None, Any]:
    if not (isinstance(value, str) and value.strip()):
        return "a name or a folder", None
    folder = file.parent / permissions.expanded(value)
    return None, str(folder) if folder.is_dir() or value[0] in "~./" else value


def _folder(value: Any, file: Path) -> tuple[str | None, Any]:
    if not (isinstance(value, str) and value.strip() and "\0" not in value):
        return "the path of a folder", None
    return None, str(file.parent / permissions.expanded(value))


def _folders(value: Any, file: Path) -> tuple[str | None, Any]:
    checked = [_folder(name, file) for name in value] if isinstance(value, list) else [("", None)]
    valid = all(problem is None for problem, _ in checked)
    return (None, tuple(folder for _, folder in checked)) if valid else ("a list of folders", None)


def _file(value: Any, file: Path) -> tuple[str | None, Any]:
    if not (isinstance(value, str) and value.strip() and "\0" not in value):
        return "the path of a file", None
    return None, str(file.parent / permissions.expanded(value))


def _set_names(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return (None, tuple(dict.fromkeys(value))) if valid else ("a list of names of vocabulary sets", None)


def _words(value: Any, file: Path) -> tuple[str | None, Any]:
    # What each table may hold is checked where words are read: engine/vocabulary/declared_words.py.
    return (None, value) if isinstance(value, dict) else ("a table of words", None)


def _zone(value: Any, file: Path) -> tuple[str | None, Any]:
    from zoneinfo import ZoneInfo

    # Which error an invalid name raises depends on the platform.
    with suppress(KeyError, ValueError, TypeError, OSError):
        ZoneInfo(value)
        return None, value
    return "a time zone such as Europe/Berlin", None


def _former_location(value: Any, file: Path) -> tuple[str | None, Any]:
    valid = isinstance(value, str) and value.partition(":")[0] in KEY_SOURCES
    return (None, value) if valid else ("a place where the key was", None)


def _key_change(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if value in KEY_CHANGES else (f"one of {', '.join(KEY_CHANGES)}", None)


def _key_source(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if value in KEY_SOURCES else (f"one of {', '.join(KEY_SOURCES)}", None)


PROFILE: dict[str, Check] = {
    "zone": _zone,
    "group": _text,
    "toolsets": _names,
    "offline": _boolean,
}
"""The settings before the first table."""

TABLES: dict[str, dict[str, Check]] = {
    "backups": {
        "daily": _boolean,
        "keep": _count,
    },
    "history": {
        "keep": _age,
    },
    "names": {
        "accept": _fraction,
        "model": _model,
        "rungs": _resolution_steps,
    },
    "search": {
        "cross_encoder": _folder,
        "traversal": _traversal,
    },
    "verification": {
        "entailment_model": _folder,
    },
    "documents": {
        "roots": _folders,
    },
    "garden": {
        "idle": _boolean,
        "reads": _boolean,
        "unknown_names": _boolean,
    },
    "vocabulary": {
        "sets": _set_names,
        "types": _words,
        "predicates": _words,
    },
    "key": {
        "source": _key_source,
        "file": _file,
        "account": _text,
        "encrypted": _boolean,
        "fingerprint": _text,
        "former": _former_location,
        "change": _key_change,
    },
}

CLOSED_TABLES = ("vocabulary",)
"""Tables in which a setting that this version does not have is refused: what it declares would be missing."""

MISPLACED = {
    "type_extensions": "[vocabulary.types.NAME] and [vocabulary.predicates.NAME]",
    "types": "[vocabulary.types.NAME]",
    "predicates": "[vocabulary.predicates.NAME]",
    "sets": "sets in [vocabulary]",
}
"""Names that somebody may give to what belongs elsewhere, with where that is."""
