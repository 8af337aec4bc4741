"""Where a graph lives when nobody says otherwise, and the settings that lie beside it. Opens no graph."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from keepgraph import errors
from keepgraph.model import Settings

_RUNGS = ("fuzzy", "embedding")


def default_path() -> Path:
    """The file of the default graph, by the conventions of the platform."""
    # Not needed, and so not paid for, where a file is named.
    from platformdirs import user_data_path

    return user_data_path("keepgraph", appauthor=False) / "default.db"


def settings_path(graph: Path) -> Path:
    """The file with the settings of a graph: beside it, of the same name, `graph.toml` for `graph.db`."""
    return graph.with_suffix(".toml")


def settings(graph: Path) -> Settings:
    """The settings of a graph: those in the file beside it, and the defaults for what it does not say.

    Raises:
        errors.SettingsInvalid: the file is not TOML, or a setting has a value that it cannot have.
    """
    path = settings_path(graph)
    if path == graph or not path.is_file():
        return Settings()
    import tomllib
    from difflib import get_close_matches

    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig")).get("names", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise errors.SettingsInvalid(f"{path} is not TOML: {error}") from error
    except OSError as error:
        raise errors.SettingsInvalid(f"{path} cannot be read: {error.strerror}") from error
    if not isinstance(said, dict):
        raise errors.SettingsInvalid(f"{path}: names is not a table", hint="Write [names] on a line of its own.")
    known = {field.name for field in fields(Settings)}
    for name in said:
        # What a newer version knows is left alone; what is nearly one of ours is a slip.
        if name not in known and (near := get_close_matches(name, known, n=1, cutoff=0.75)):
            raise errors.SettingsInvalid(f"{path}: there is no setting {name}; did you mean {near[0]}?")
    return replace(Settings(), **{name: _value(path, name, value) for name, value in said.items() if name in known})


def _value(path: Path, name: str, value: Any) -> Any:
    match name:
        case "model":
            if isinstance(value, str) and value.strip():
                folder = path.parent / Path(value).expanduser()
                return str(folder) if folder.is_dir() or value[0] in "~./" else value
            raise errors.SettingsInvalid(f"{path}: model is not a name or a folder")
        case "rungs":
            if isinstance(value, list) and all(rung in _RUNGS for rung in value):
                return tuple(value)
            raise errors.SettingsInvalid(f"{path}: rungs is not a list of {' and '.join(_RUNGS)}")
        case _:
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
                return float(value)
            raise errors.SettingsInvalid(f"{path}: {name} is not a number from 0 to 1")
