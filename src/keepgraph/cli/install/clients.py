"""MCP clients: where each keeps its configuration, and the entry that starts this installation of Keepgraph."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepgraph import errors
from keepgraph.cli.install import configuration
from keepgraph.profiles import profile


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where clients keep their configuration; `platform` is that of the sys module."""

    platform: str
    env: Mapping[str, str]
    home: Path


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """The file of a configuration, and a folder that exists wherever the client is installed."""

    file: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers by its configuration.

    Attributes:
        locations: its configurations on a machine; several if several builds of the client are installed.
        has_typed_entries: whether its entries have a type ("stdio").
    """

    name: str
    title: str
    locations: Callable[[Machine], list[ConfigLocation]]
    has_typed_entries: bool


@dataclass(frozen=True, slots=True)
class InstalledEntry:
    """Our entry in the configuration of a client.

    Attributes:
        entry: unchanged from the file; None if there is none.
        command: what the client starts; empty if the entry does not say it.
        is_runnable: whether that program exists.
        problem: why the configuration cannot be read.
    """

    client: Client
    file: Path
    name: str
    entry: Any = None
    command: tuple[str, ...] = ()
    is_runnable: bool = False
    problem: str | None = None


def this_machine() -> Machine:
    """This machine."""
    return Machine(platform=sys.platform, env=os.environ, home=Path.home())


def entry_name(graph_arguments: Sequence[str]) -> str:
    """The name of our entry for a graph, given the arguments that name the graph: --db FILE or --profile NAME."""
    if len(graph_arguments) == 2 and graph_arguments[0] == "--profile" and graph_arguments[1] != profile.DEFAULT:
        return f"keepgraph-{graph_arguments[1]}"
    return "keepgraph"


def entry(client: Client, arguments: Sequence[str]) -> dict[str, Any]:
    """The entry by which a client starts this installation with these arguments."""
    program, *own_arguments = own_command()
    command: dict[str, Any] = {"command": program, "args": [*own_arguments, *arguments]}
    return {"type": "stdio", **command, "env": {}} if client.has_typed_entries else command


def own_command() -> list[str]:
    """The command that starts `kg` of this installation, by absolute paths."""
    script = "kg.exe" if sys.platform == "win32" else "kg"
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable)):
        file = os.path.abspath(os.path.join(folder, script))
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return [file]
    # Links are not resolved: Python finds its virtual environment by the path of the link.
    return [os.path.abspath(sys.executable), "-m", "keepgraph.cli"]


def find_entries(machine: Machine, *, name: str = "keepgraph") -> list[InstalledEntry]:
    """The entry with this name in each configuration that exists."""
    files = [(client, location.file) for client in CLIENTS.values() for location in client.locations(machine)]
    return [_read_entry(client, file, name) for client, file in files if file.exists()]


def _desktop_locations(machine: Machine) -> list[ConfigLocation]:
    name = "claude_desktop_config.json"
    match machine.platform:
        case "darwin":
            folders = [machine.home / "Library" / "Application Support" / "Claude"]
        case "win32":
            roaming = _folder(machine, "APPDATA", machine.home / "AppData" / "Roaming")
            local = _folder(machine, "LOCALAPPDATA", machine.home / "AppData" / "Local")
            # The build of the Microsoft Store has a Roaming folder of its own, in its package.
            packages = sorted((local / "Packages").glob("Claude_*"))
            folder = roaming / "Claude"
            store_builds = [
                ConfigLocation(package / "LocalCache" / "Roaming" / "Claude" / name, package) for package in packages
            ]
            if store_builds and not folder.is_dir():
                return store_builds
            return [*store_builds, ConfigLocation(folder / name, folder)]
        case _:
            folders = [_folder(machine, "XDG_CONFIG_HOME", machine.home / ".config") / "Claude"]
    return [ConfigLocation(folder / name, folder) for folder in folders]


def _code_locations(machine: Machine) -> list[ConfigLocation]:
    folder = _folder(machine, "CLAUDE_CONFIG_DIR", machine.home)
    return [ConfigLocation(folder / ".claude.json", folder)]


def _folder(machine: Machine, variable: str, default: Path) -> Path:
    """The folder that an environment variable names, if it is absolute; else the default."""
    folder = Path(machine.env.get(variable, ""))
    return folder if folder.is_absolute() else default


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", _desktop_locations, has_typed_entries=False),
        Client("claude-code", "Claude Code", _code_locations, has_typed_entries=True),
    )
}


def _read_entry(client: Client, file: Path, name: str) -> InstalledEntry:
    try:
        entry = configuration.read(file).servers.get(name)
    except errors.ClientConfigInvalid as error:
        return InstalledEntry(client, file, name, problem=error.message)
    except OSError as error:
        return InstalledEntry(client, file, name, problem=f"{file}: {error.strerror}")
    match entry:
        case {"command": str(program), **more} if program:
            arguments = more.get("args")
            argument_texts = [str(argument) for argument in arguments] if isinstance(arguments, list) else []
            return InstalledEntry(
                client, file, name, entry, (program, *argument_texts), shutil.which(program) is not None
            )
    return InstalledEntry(client, file, name, entry)
