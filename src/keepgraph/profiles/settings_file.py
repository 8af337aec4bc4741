"""The settings file of a graph, TOML: read with every value checked, and changed without losing its comments."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions
from keepgraph.model import DeclaredVocabulary, KeyLocation, Profile, Settings

# The settings by table, each with the check of its value.

_TRAVERSALS = ("bfs", "ppr", "hybrid")
_KEY_SOURCES = ("file", "environment", "keyring", "passphrase")
_KEY_CHANGES = ("encrypt", "decrypt", "rekey")
_RESOLUTION_STEPS = ("fuzzy", "embedding")

_Check = Callable[[Any, Path], tuple[str | None, Any]]
"""Takes a value and the settings file; returns what the value should be, or None, and the value for a profile.

Paths are relative to the folder of the settings file.
"""

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_MAX_DAYS = 365_000


def _check(
    is_valid: Callable[[Any], object], expected: str, convert: Callable[[Any], Any] = lambda value: value
) -> _Check:
    """The check of a value that does not depend on where the settings file is."""
    return lambda value, file: (None, convert(value)) if is_valid(value) else (expected, None)


def _one_of(names: Sequence[str]) -> _Check:
    return _check(lambda value: value in names, f"one of {', '.join(names)}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list(value: Any, of_such: Callable[[Any], object] = lambda value: isinstance(value, str)) -> bool:
    return isinstance(value, list) and all(map(of_such, value))


_fraction = _check(lambda value: type(value) in (int, float) and 0 <= value <= 1, "a number from 0 to 1", float)
_count = _check(lambda value: type(value) is int and 1 <= value <= 1000, "a whole number from 1 to 1000")
_boolean = _check(lambda value: isinstance(value, bool), "true or false")
_text = _check(
    lambda value: _is_text(value) and len(value) <= 200 and value.isprintable(), "a text of 1 to 200 characters"
)
_resolution_steps = _check(
    lambda value: _is_list(value, _RESOLUTION_STEPS.__contains__), f"a list of {' and '.join(_RESOLUTION_STEPS)}", tuple
)
_names = _check(lambda value: value and _is_list(value), "a list of names", tuple)
_patterns = _check(
    lambda value: _is_list(value) and all(pattern.strip(" /") for pattern in value),
    'a list of patterns such as "Templates" or "*/Drafts"',
    tuple,
)
_types_by_folder = _check(
    lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    'a table of folders with types, such as { Crew = "person" }',
    dict,
)
_set_names = _check(_is_list, "a list of names of vocabulary sets", lambda value: tuple(dict.fromkeys(value)))
_words = _check(lambda value: isinstance(value, dict), "a table of words")
"""engine/vocabulary/declared_words.py checks what each table holds."""

_former_location = _check(
    lambda value: isinstance(value, str) and value.partition(":")[0] in _KEY_SOURCES, "a former location of the key"
)


def _age(value: Any, file: Path) -> tuple[str | None, Any]:
    """An age in days; None for no limit. Months and years have their greatest length."""
    match = re.fullmatch(r"([1-9]\d{0,4})\s*(day|week|month|year)s?", value.strip()) if isinstance(value, str) else None
    if match is None and not (isinstance(value, str) and value.strip() == "forever"):
        return 'an age such as "90 days", "6 months", "1 year", or "forever"', None
    return None, min(int(match[1]) * _DAYS[match[2]], _MAX_DAYS) if match else None


def _model(value: Any, file: Path) -> tuple[str | None, Any]:
    if not _is_text(value):
        return "a name or a folder", None
    folder = file.parent / permissions.expanded(value)
    return None, str(folder) if folder.is_dir() or value[0] in "~./" else value


def _path(value: Any, file: Path) -> tuple[str | None, Any]:
    if not _is_text(value) or "\0" in value:
        return "the path of a file or a folder", None
    return None, str(file.parent / permissions.expanded(value))


def _folders(value: Any, file: Path) -> tuple[str | None, Any]:
    if not _is_list(value) or any(_path(name, file)[0] for name in value):
        return "a list of folders", None
    return None, tuple(_path(name, file)[1] for name in value)


def _zone(value: Any, file: Path) -> tuple[str | None, Any]:
    from zoneinfo import ZoneInfo

    # Which error an invalid name raises depends on the platform.
    with suppress(KeyError, ValueError, TypeError, OSError):
        ZoneInfo(value)
        return None, value
    return "a time zone such as Europe/Berlin", None


PROFILE: dict[str, _Check] = {
    "zone": _zone,
    "group": _text,
    "toolsets": _names,
    "offline": _boolean,
}
"""The settings before the first table."""

TABLES: dict[str, dict[str, _Check]] = {
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
        "steps": _resolution_steps,
    },
    "search": {
        "cross_encoder": _path,
        "traversal": _one_of(_TRAVERSALS),
    },
    "verification": {
        "entailment_model": _path,
    },
    "documents": {
        "roots": _folders,
    },
    "vault": {
        "folders": _folders,
        "never": _patterns,
        "types": _types_by_folder,
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
        "source": _one_of(_KEY_SOURCES),
        "file": _path,
        "account": _text,
        "encrypted": _boolean,
        "fingerprint": _text,
        "former": _former_location,
        "change": _one_of(_KEY_CHANGES),
    },
}

_CLOSED_TABLES = ("vocabulary",)
"""Tables in which an unknown setting is refused, since its declaration would be missing."""

_MISPLACED = {
    "type_extensions": "[vocabulary.types.NAME] and [vocabulary.predicates.NAME]",
    "types": "[vocabulary.types.NAME]",
    "predicates": "[vocabulary.predicates.NAME]",
    "sets": "sets in [vocabulary]",
}
"""Misplaced settings, with the place where they belong."""


_SIMILAR_NAME = 0.75
"""The least similarity (of difflib) at which an unknown setting is taken for a misspelt one."""

_BACKUP_FIELDS = {"daily": "daily_backups", "keep": "backups_kept"}
"""The fields of a profile set by the table backups."""

TEMPLATE = """\
# Settings of a Keepgraph profile. A line that begins with # shows a default.

# offline = true                  # refuse all use of a network
# zone = "Europe/Berlin"          # what "today" means; by default the zone of the system
# group = "default"               # the partition to work in
# toolsets = ["memory"]           # what `kg serve` shows; by default memory and discovery

# [names]
# accept = 0.90                   # the probability at which an inexact name is taken to mean an entity
# model = "all-MiniLM-L6-v2"      # or the folder of another model
# steps = ["fuzzy", "embedding"]  # how names are matched after exact and alias

# [search]
# cross_encoder = "models/ce"     # the folder of a cross-encoder model; none by default
# traversal = "bfs"               # how hydra_search ranks by the graph by default: bfs, ppr or hybrid

# [verification]
# entailment_model = "models/nli" # the folder of a model that detects contradictions; none by default

# [documents]
# roots = ["~/Notes"]             # the folders from which a tool may ingest files; none by default

# [vault]
# folders = ["~/Notes"]           # folders of notes that `kg vault add` named
# never = ["Templates"]           # files and folders in them that are not read: names and patterns
# types = { Crew = "person" }     # the type of the notes in a folder, where its name does not say it

# [vocabulary]
# sets = ["personal"]             # what a new graph has besides the core ([]: nothing); missing sets are added
#
#   Types and predicates of your own; their fields are in schemas/v1/transfer/vocabulary_set.json:
#   [vocabulary.types.engineer]
#   parents = ["person"]
#   [vocabulary.predicates.mentors]
#   sources = ["engineer"]
#   targets = ["person"]

# [garden]
# idle = true                     # once a day, an idle server looks for what may be wrong, old or missing
# reads = false                   # count reading calls by tool; never their contents
# unknown_names = false           # count unknown names that were asked for

# [history]
# keep = "forever"                # how long changes can be undone: "90 days", "6 months", "1 year" …

# [backups]
# daily = true                    # one on each day of use
# keep = 7                        # how many of each kind
"""


def path(graph: Path) -> Path:
    """The settings file beside a graph: `graph.toml` for `graph.db`."""
    return permissions.beside(graph, ".toml")


def default_project(environment: Mapping[str, str] = os.environ) -> str | None:
    """The project of calls that name none; HYDRAMEM_PROJECT comes from another memory server."""
    return (environment.get("KG_PROJECT") or environment.get("HYDRAMEM_PROJECT") or "").strip() or None


def read(graph: Path) -> Profile:
    """The settings of a graph: from the file beside it, with defaults for the others.

    Raises:
        errors.SettingsInvalid: the file is not TOML, or a setting has an invalid value; the message names its line.
    """
    file = path(graph)
    if not file.is_file():
        return Profile()
    import tomllib

    try:
        text = file.read_text(encoding="utf-8-sig")
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise errors.SettingsInvalid(f"{file} is not TOML: {error}") from error
    except OSError as error:
        raise errors.SettingsInvalid(f"{file} cannot be read: {error.strerror}") from error
    checker = _Checker(file, text)
    profile = checker.check_table("", document, PROFILE, tables=TABLES)
    tables = {name: checker.check_table(name, document.get(name, {}), checks) for name, checks in TABLES.items()}
    key, garden = tables["key"], tables["garden"]
    if "key" in document and "source" not in key:
        raise checker.error("key", None, f"source is missing; it is one of {', '.join(_KEY_SOURCES)}")
    return Profile(
        settings=Settings(
            **tables["names"],
            **tables["search"],
            **tables["verification"],
            document_roots=tables["documents"].get("roots", ()),
            **{f"vault_{name}": value for name, value in tables["vault"].items()},
            count_reads=garden.get("reads", False),
            count_unknown_names=garden.get("unknown_names", False),
        ),
        key=KeyLocation(**key) if key else None,
        vocabulary=DeclaredVocabulary(**tables["vocabulary"]),
        **profile,
        history_days=tables["history"].get("keep"),
        garden_when_idle=garden.get("idle", True),
        **{_BACKUP_FIELDS[name]: value for name, value in tables["backups"].items()},
    )


def update(graph: Path, values: Mapping[tuple[str, str], Any]) -> None:
    """Write settings by table and name; None removes one. Everything else in the file stays as it is.

    Raises:
        errors.InvalidArguments: a value cannot be written as UTF-8.
    """
    import tomlkit

    file = path(graph)
    text = file.read_bytes().decode("utf-8-sig") if file.exists() else TEMPLATE
    document = tomlkit.parse(text)
    for (table_name, name), value in values.items():
        if table_name and table_name not in document:
            if value is None:
                continue
            document[table_name] = tomlkit.table()
        table: Any = document[table_name] if table_name else document
        if value is not None:
            table[name] = value
        elif name in table:
            del table[name]
            if table_name and not table:
                del document[table_name]
    try:
        permissions.write(file, tomlkit.dumps(document))
    except UnicodeEncodeError as error:
        raise errors.InvalidArguments(f"the settings {file} cannot hold a name that is not text") from error


def invalid(graph: Path, place: Sequence[str], problem: str) -> errors.SettingsInvalid:
    """The error for a value that is well-formed but not valid, with its line.

    Args:
        place: the names of the nested tables and of the setting, as far as known.
    """
    file = path(graph)
    checker = _Checker(file, file.read_text(encoding="utf-8-sig", errors="replace") if file.is_file() else "")
    for length in range(len(place), 0, -1):
        tables, name = place[: length - 1], place[length - 1]
        if tables and checker.has_line(".".join(tables), name):
            return checker.error(".".join(tables), name, problem)
        if checker.has_line(".".join(place[:length]), None):
            return checker.error(".".join(place[:length]), None, problem)
    return checker.error("", None, problem)


class _Checker:
    """Checks the values of a settings file, and finds the line of each for error messages."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = text.splitlines()

    def check_table(
        self, table: str, values: Any, checks: Mapping[str, _Check], *, tables: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The checked values of the known settings. Unknown ones are from a newer version, or misspelt.

        Args:
            table: the name of the table; empty for the settings before the first one.
            tables: the tables allowed in this one.
        """
        from difflib import get_close_matches

        if not isinstance(values, dict):
            raise self.error(table, None, f"{table} is not a table", hint=f"Write [{table}] on its own line.")
        tables = tables or {}
        checked = {}
        for name, value in values.items():
            if name in checks:
                problem, checked_value = checks[name](value, self._file)
                if problem:
                    raise self.error(table, name, f"{name} is not {problem}")
                checked[name] = checked_value
            elif name not in tables and (
                similar := get_close_matches(name, [*checks, *tables], n=1, cutoff=_SIMILAR_NAME)
            ):
                raise self._unknown(table, name, value, f"did you mean {similar[0]}?")
            elif name in _MISPLACED and (table == "" or table in _CLOSED_TABLES):
                raise self._unknown(table, name, value, f"words are declared as {_MISPLACED[name]}")
            elif table in _CLOSED_TABLES:
                raise self._unknown(table, name, value, f"[{table}] has {', '.join(checks)}")
        return checked

    def _unknown(self, table: str, name: str, value: Any, advice: str) -> errors.SettingsInvalid:
        is_table = isinstance(value, dict) and self.has_line(f"{table}.{name}".lstrip("."), None)
        in_table, setting = (f"{table}.{name}".lstrip("."), None) if is_table else (table, name)
        return self.error(in_table, setting, f"there is no setting {name}; {advice}")

    def error(self, table: str, name: str | None, problem: str, *, hint: str | None = None) -> errors.SettingsInvalid:
        line = self._find_line(table, name)
        position = f"{self._file}, line {line}" if line else f"{self._file}"
        return errors.SettingsInvalid(f"{position}: {problem}", hint=hint)

    def has_line(self, table: str, name: str | None) -> bool:
        """Whether the file has a line for a table; with `name`, one for this setting in it."""
        line = self._find_line(table, name)
        return line is not None and (name is None or line != self._find_line(table, None))

    def _find_line(self, table: str, name: str | None) -> int | None:
        """The line of a setting, counted from 1; that of its table if the setting is not found.

        The standard parser reports no positions, so the lines are searched for headings and keys.
        """
        in_table, table_line, in_quotes = table == "", None, False
        for number, line in enumerate(self._lines, 1):
            text = line.strip()
            was_in_quotes, in_quotes = in_quotes, in_quotes ^ bool((text.count('"""') + text.count("'''")) % 2)
            if was_in_quotes:
                continue
            if text.startswith("["):
                in_table = text.split("#")[0].strip(" []\"'") == table
                table_line = number if in_table else table_line
            elif in_table and name is not None and re.match(rf"[\"']?{re.escape(name)}[\"']?\s*(=|\.)", text):
                return number
            elif re.match(rf"[\"']?{re.escape(table)}[\"']?\s*(=|\.)", text) and table:
                table_line = table_line or number
        return table_line
