"""Profiles by name: the graph file of each, and the default profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from keepgraph import errors, lazy, permissions
from keepgraph.profiles import settings_file

DEFAULT = "default"

_NAME = lazy.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
"""Names that Windows reserves for devices."""


def data_folder() -> Path:
    """The folder of the graphs of all profiles, by the conventions of the platform."""
    # Imported here because it is not needed if a file is named.
    from platformdirs import user_data_path

    return _platform_folder(user_data_path)


def config_folder() -> Path:
    """The folder of the active profile and the keys, apart from the graphs: a copy of one lacks the other."""
    from platformdirs import user_config_path

    return _platform_folder(user_config_path)


def path(name: str) -> Path:
    """The graph file of a profile, whether it exists or not.

    Raises:
        errors.InvalidArguments: this cannot be the name of a profile.
    """
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise errors.InvalidArguments(
            f"{name[:60]!r} cannot be the name of a profile",
            hint="Use up to 40 lower-case letters, digits, - and _, beginning with a letter or a digit.",
        )
    return data_folder() / f"{name}.db"


def find(name: str) -> Path:
    """The graph file of an existing profile; the default profile need not exist.

    Raises:
        errors.ProfileNotFound: there is none of this name.
    """
    file = path(name)
    traces = (file, settings_file.path(file), file.with_suffix(".backups"))
    if name != DEFAULT and not any(trace.exists() for trace in traces):
        from difflib import get_close_matches

        similar = get_close_matches(name, list_names(), n=1)
        raise errors.ProfileNotFound(
            f"there is no profile {name!r}{f'; did you mean {similar[0]}?' if similar else ''}", candidates=similar
        )
    return file


def list_names() -> list[str]:
    """The names of all profiles that have a graph or settings."""
    folder = data_folder()
    names = {file.stem for pattern in ("*.db", "*.toml") for file in folder.glob(pattern)} if folder.is_dir() else set()
    return sorted(name for name in names if _NAME.fullmatch(name))


def active() -> str:
    """The profile used if none is named."""
    try:
        name = _active_profile_file().read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        raise errors.SettingsInvalid(f"{_active_profile_file()} cannot be read: {error}") from error
    return name or DEFAULT


def use(name: str) -> None:
    """Make a profile the one used if none is named."""
    find(name)
    permissions.write(_active_profile_file(), f"{name}\n")


def selected_graph(environment: Mapping[str, str] = os.environ) -> Path:
    """The graph if a command line names none: from KG_DB, KG_PROFILE, or `kg profile use`."""
    if file := environment.get("KG_DB", "").strip():
        return permissions.expanded(file)
    if profile := environment.get("KG_PROFILE", "").strip():
        return find(profile)
    name = active()
    try:
        return find(name)
    except errors.ProfileNotFound as error:
        raise errors.ProfileNotFound(
            f"the profile {name!r}, chosen with `kg profile use`, does not exist",
            hint="Choose another: kg profile use NAME.",
        ) from error


def name_of(graph: Path) -> str | None:
    """The name of the profile that a graph belongs to; None for a file elsewhere."""
    try:
        folder = data_folder()
    except errors.InvalidArguments:
        return None  # without a home folder, there are no profiles
    return graph.stem if graph.suffix == ".db" and graph.parent.resolve() == folder.resolve() else None


def command_prefix(graph: Path) -> str:
    """The beginning of a command for a graph, to show a person: `kg --profile work`."""
    name = name_of(graph)
    return f"kg --db {graph}" if name is None else "kg" if name == active() else f"kg --profile {name}"


def _platform_folder(folder: Callable[..., Path]) -> Path:
    try:
        return folder("keepgraph", appauthor=False)
    except (RuntimeError, KeyError) as error:
        raise errors.InvalidArguments(
            "there is no home folder for a profile", hint="Set HOME, or name a file with --db."
        ) from error


def _active_profile_file() -> Path:
    return config_folder() / "active-profile"
