"""Profiles: where each graph lives, and the settings in the TOML file beside it. Opens no graph, and reads no key."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions
from keepgraph.model import KeyPlace, Profile, Settings

DEFAULT = "default"

KEY_SOURCES = ("file", "environment", "keyring", "passphrase")
_RUNGS = ("fuzzy", "embedding")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


# Where


def data_folder() -> Path:
    """Where profiles keep their graphs, by the conventions of the platform."""
    # Not needed, and so not paid for, where a file is named.
    from platformdirs import user_data_path

    return _at_home(user_data_path)


def config_folder() -> Path:
    """Where the choice of profile and the keys are, apart from the graphs: a copy of one has not the other."""
    from platformdirs import user_config_path

    return _at_home(user_config_path)


def _at_home(folder: Callable[..., Path]) -> Path:
    try:
        return folder("keepgraph", appauthor=False)
    except (RuntimeError, KeyError) as error:
        raise errors.InvalidArguments(
            "there is no home folder to keep a profile in", hint="Set HOME, or name a file with --db."
        ) from error


def path(name: str) -> Path:
    """The file of the graph of a profile, whether it is there or not.

    Raises:
        errors.InvalidArguments: this cannot be the name of a profile.
    """
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise errors.InvalidArguments(
            f"{name[:60]!r} cannot be the name of a profile",
            hint="Use up to 40 lower-case letters, digits, - and _, beginning with a letter or a digit.",
        )
    return data_folder() / f"{name}.db"


def existing(name: str) -> Path:
    """The file of the graph of a profile that was made; the default one need not have been.

    Raises:
        errors.ProfileNotFound: there is none of this name.
    """
    file = path(name)
    left = (file, settings_path(file), file.with_suffix(".backups"))
    if name != DEFAULT and not any(each.exists() for each in left):
        from difflib import get_close_matches

        near = get_close_matches(name, every(), n=1)
        raise errors.ProfileNotFound(
            f"there is no profile {name!r}{f'; did you mean {near[0]}?' if near else ''}", candidates=near
        )
    return file


def every() -> list[str]:
    """The names of all profiles that have a graph or settings."""
    folder = data_folder()
    found = {file.stem for ending in ("*.db", "*.toml") for file in folder.glob(ending)} if folder.is_dir() else set()
    return sorted(name for name in found if _NAME.fullmatch(name))


def active() -> str:
    """The profile that is used where none is named."""
    try:
        chosen = _choice().read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        raise errors.SettingsInvalid(f"{_choice()} cannot be read: {error}") from error
    return chosen or DEFAULT


def use(name: str) -> None:
    """Let a profile be the one that is used where none is named."""
    existing(name)
    permissions.write(_choice(), f"{name}\n")


def chosen(environment: Mapping[str, str] = os.environ) -> Path:
    """The graph that is meant where a command line names none: by KG_DB, KG_PROFILE, or `kg profile use`."""
    if named := environment.get("KG_DB", "").strip():
        return permissions.expanded(named)
    if named := environment.get("KG_PROFILE", "").strip():
        return existing(named)
    name = active()
    try:
        return existing(name)
    except errors.ProfileNotFound as error:
        raise errors.ProfileNotFound(
            f"the profile {name!r}, chosen with `kg profile use`, is not there",
            hint="Choose another: kg profile use NAME.",
        ) from error


def name_of(graph: Path) -> str | None:
    """The name of the profile that a graph belongs to; None for a file that lies elsewhere."""
    return graph.stem if graph.suffix == ".db" and graph.parent.resolve() == data_folder().resolve() else None


def naming(graph: Path) -> str:
    """The words that name a graph in a command line, to show: `kg --profile work`."""
    name = name_of(graph)
    return f"kg --db {graph}" if name is None else "kg" if name == active() else f"kg --profile {name}"


def settings_path(graph: Path) -> Path:
    """The file with the settings of a graph: beside it, of the same name, `graph.toml` for `graph.db`."""
    return permissions.beside(graph, ".toml")


# What it says


def read(graph: Path) -> Profile:
    """The settings of a graph: those in the file beside it, and the defaults for what it does not say.

    Raises:
        errors.SettingsInvalid: the file is not TOML, or a setting has a value that it cannot have; its line is named.
    """
    file = settings_path(graph)
    if not file.is_file():
        return Profile()
    import tomllib

    try:
        text = file.read_text(encoding="utf-8-sig")
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise errors.SettingsInvalid(f"{file} is not TOML: {error}") from error
    except OSError as error:
        raise errors.SettingsInvalid(f"{file} cannot be read: {error.strerror}") from error
    reader = _Reader(file, text)
    own = reader.table("", said, _OWN, tables=("names", "search", "documents", "key", "backups"))
    backups = reader.table("backups", said.get("backups", {}), _BACKUPS)
    names = reader.table("names", said.get("names", {}), _NAMES)
    search = reader.table("search", said.get("search", {}), _SEARCH)
    roots = reader.table("documents", said.get("documents", {}), _DOCUMENTS).get("roots", ())
    key = reader.table("key", said.get("key", {}), _KEY)
    if "key" in said and "source" not in key:
        raise reader.wrong("key", None, f"source is missing; it is one of {', '.join(KEY_SOURCES)}")
    settings = Settings(**names, **search, document_roots=roots)
    return Profile(names=settings, key=KeyPlace(**key) if key else None, **own, **backups)


def change(graph: Path, values: Mapping[tuple[str, str], Any]) -> None:
    """Write settings, each given by its table and name; None takes one away. All else in the file stays as it is."""
    import tomlkit

    file = settings_path(graph)
    text = file.read_bytes().decode("utf-8-sig") if file.exists() else TEMPLATE
    document = tomlkit.parse(text)
    for (table, name), value in values.items():
        if table and table not in document:
            if value is None:
                continue
            document[table] = tomlkit.table()
        place: Any = document[table] if table else document
        if value is not None:
            place[name] = value
        elif name in place:
            del place[name]
            if table and not place:
                del document[table]
    try:
        permissions.write(file, tomlkit.dumps(document))
    except UnicodeEncodeError as error:
        raise errors.InvalidArguments(f"the settings {file} cannot hold a name that is not text") from error


TEMPLATE = """\
# Settings of a Keepgraph profile. A line that begins with # shows the value that holds without it.

# offline = true                  # refuse everything that would use a network
# zone = "Europe/Berlin"          # what "today" means; the zone of the system if not said
# group = "default"               # the partition to work in
# toolsets = ["memory"]           # what `kg serve` shows; memory and discovery if not said

# [names]
# fuzzy = 0.80                    # the likeness of letters from which a name is taken for another
# embedding = 0.58                # the cosine from which two names mean the same
# margin = 0.04                   # two entities nearer to each other than this are too close to call
# model = "all-MiniLM-L6-v2"      # or the folder of another model
# rungs = ["fuzzy", "embedding"]  # what is tried after exact and alias

# [search]
# cross_encoder = "models/ce"     # the folder of a model that reads a question together with a text; none if not said

# [documents]
# roots = ["~/Notes"]             # the folders from which a tool may ingest files; none if not said

# [backups]
# daily = true                    # one a day, on use
# keep = 7                        # how many of each kind
"""


def _choice() -> Path:
    return config_folder() / "active-profile"


class _Reader:
    """Checks the values of a file of settings, and knows in which line each stands."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._lines = text.splitlines()

    def table(
        self, table: str, said: Any, known: Mapping[str, _Check], *, tables: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """The checked values of the settings that we know. Others belong to a newer version, or are a slip."""
        from difflib import get_close_matches

        if not isinstance(said, dict):
            raise self.wrong(table, None, f"{table} is not a table", hint=f"Write [{table}] on a line of its own.")
        found = {}
        for name, value in said.items():
            if name in known:
                problem, taken = known[name](value, self._file)
                if problem:
                    raise self.wrong(table, name, f"{name} is not {problem}")
                found[name] = taken
            elif name not in tables and (near := get_close_matches(name, [*known, *tables], n=1, cutoff=0.75)):
                of_table, own = (name, None) if isinstance(value, dict) else (table, name)
                raise self.wrong(of_table, own, f"there is no setting {name}; did you mean {near[0]}?")
        return found

    def wrong(self, table: str, name: str | None, problem: str, *, hint: str | None = None) -> errors.SettingsInvalid:
        line = self._line(table, name)
        where = f"{self._file}, line {line}" if line else f"{self._file}"
        return errors.SettingsInvalid(f"{where}: {problem}", hint=hint)

    def _line(self, table: str, name: str | None) -> int | None:
        """The line of a setting, counted from 1; that of the table where the setting has none of its own."""
        inside, of_table, quoted = table == "", None, False
        for number, line in enumerate(self._lines, 1):
            text = line.strip()
            skipped, quoted = quoted, quoted ^ bool((text.count('"""') + text.count("'''")) % 2)
            if skipped:
                continue
            if text.startswith("["):
                inside = text.split("#")[0].strip(" []\"'") == table
                of_table = number if inside else of_table
            elif inside and name is not None and re.match(rf"[\"']?{re.escape(name)}[\"']?\s*(=|\.)", text):
                return number
            elif re.match(rf"[\"']?{re.escape(table)}[\"']?\s*(=|\.)", text) and table:
                of_table = of_table or number
        return of_table


_Check = Callable[[Any, Path], tuple[str | None, Any]]
"""Takes a value and the file it is in; gives what it should have been, or None, and the value as we keep it."""


def _number(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return (None, float(value)) if sound else ("a number from 0 to 1", None)


def _count(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1000
    return (None, value) if sound else ("a whole number from 1 to 1000", None)


def _truth(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if isinstance(value, bool) else ("true or false", None)


def _text(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, str) and value.strip() and len(value) <= 200 and value.isprintable()
    return (None, value) if sound else ("a text of 1 to 200 characters", None)


def _rungs(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, list) and all(rung in _RUNGS for rung in value)
    return (None, tuple(value)) if sound else (f"a list of {' and '.join(_RUNGS)}", None)


def _texts(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
    return (None, tuple(value)) if sound else ("a list of names", None)


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
    checked = [_folder(each, file) for each in value] if isinstance(value, list) else [("", None)]
    sound = all(problem is None for problem, _ in checked)
    return (None, tuple(folder for _, folder in checked)) if sound else ("a list of folders", None)


def _file(value: Any, file: Path) -> tuple[str | None, Any]:
    if not (isinstance(value, str) and value.strip() and "\0" not in value):
        return "the path of a file", None
    return None, str(file.parent / permissions.expanded(value))


def _zone(value: Any, file: Path) -> tuple[str | None, Any]:
    from zoneinfo import ZoneInfo

    # What an odd name raises depends on the platform.
    with suppress(KeyError, ValueError, TypeError, OSError):
        ZoneInfo(value)
        return None, value
    return "a time zone such as Europe/Berlin", None


def _former(value: Any, file: Path) -> tuple[str | None, Any]:
    sound = isinstance(value, str) and value.partition(":")[0] in KEY_SOURCES
    return (None, value) if sound else ("a place where the key was", None)


def _source(value: Any, file: Path) -> tuple[str | None, Any]:
    return (None, value) if value in KEY_SOURCES else (f"one of {', '.join(KEY_SOURCES)}", None)


_OWN: dict[str, _Check] = {
    "zone": _zone,
    "group": _text,
    "toolsets": _texts,
    "offline": _truth,
}
_NAMES: dict[str, _Check] = {
    "fuzzy": _number,
    "embedding": _number,
    "margin": _number,
    "model": _model,
    "rungs": _rungs,
}
_SEARCH: dict[str, _Check] = {
    "cross_encoder": _folder,
}
_DOCUMENTS: dict[str, _Check] = {
    "roots": _folders,
}
_KEY: dict[str, _Check] = {
    "source": _source,
    "file": _file,
    "account": _text,
    "encrypted": _truth,
    "fingerprint": _text,
    "former": _former,
}
_BACKUPS: dict[str, _Check] = {
    "daily": _truth,
    "keep": _count,
}
