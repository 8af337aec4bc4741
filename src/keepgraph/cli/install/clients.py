"""Where clients keep their configuration, and how an entry gets into it and out of it. Starts nothing, shows nothing.

A configuration is changed whole or not at all; all else in it stays as it is, in its order.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions
from keepgraph.profiles import profile

_BACKUPS_KEPT = 5
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Machine:
    """What it depends on where a client keeps its configuration; `platform` is a word of sys.platform."""

    platform: str
    env: Mapping[str, str]
    home: Path


@dataclass(frozen=True, slots=True)
class Place:
    """The file of a configuration, and the folder that is there wherever the client is installed."""

    file: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Client:
    """A client that starts servers by its configuration.

    Attributes:
        places: where that is, on a machine: more than one where two builds of the client are there.
        typed: whether its entries say that they are spoken to over stdio.
    """

    name: str
    title: str
    places: Callable[[Machine], list[Place]]
    typed: bool


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration as it was read; `content` is None where there is no file yet."""

    file: Path
    content: bytes | None
    settings: dict[str, Any]

    @property
    def text(self) -> str:
        return (self.content or b"").decode("utf-8-sig")

    @property
    def servers(self) -> dict[str, Any]:
        servers: dict[str, Any] = self.settings.get("mcpServers", {})
        return servers


@dataclass(frozen=True, slots=True)
class Installed:
    """What a client's configuration says of us.

    Attributes:
        entry: ours, as it stands there; None where there is none.
        command: what the client starts by it; empty where that cannot be told.
        runnable: whether there is such a program.
        problem: why the configuration cannot be read.
    """

    client: Client
    file: Path
    name: str
    entry: Any = None
    command: tuple[str, ...] = ()
    runnable: bool = False
    problem: str | None = None


def here() -> Machine:
    """The machine that we are on."""
    return Machine(platform=sys.platform, env=os.environ, home=Path.home())


def entry_name(named: Sequence[str]) -> str:
    """What our entry is called, for the graph that these words of a command line name."""
    if len(named) == 2 and named[0] == "--profile" and named[1] != profile.DEFAULT:
        return f"keepgraph-{named[1]}"
    return "keepgraph"


def entry(client: Client, arguments: Sequence[str]) -> dict[str, Any]:
    """The entry that lets a client start this very installation with these arguments."""
    program, *first = own_command()
    written: dict[str, Any] = {"command": program, "args": [*first, *arguments]}
    return {"type": "stdio", **written, "env": {}} if client.typed else written


def own_command() -> list[str]:
    """How to start `kg` of this very installation, by absolute paths."""
    script = "kg.exe" if sys.platform == "win32" else "kg"
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable)):
        file = os.path.abspath(os.path.join(folder, script))
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return [file]
    # Its links are not followed: it is by the link that Python finds its virtual environment.
    return [os.path.abspath(sys.executable), "-m", "keepgraph.cli"]


def installed(machine: Machine, *, name: str = "keepgraph") -> list[Installed]:
    """For each configuration that there is: the entry of this name, and whether what it starts is there."""
    files = [(client, place.file) for client in CLIENTS.values() for place in client.places(machine)]
    return [_installed(client, file, name) for client, file in files if file.exists()]


def read(file: Path) -> Configuration:
    """A configuration; an empty one where there is no file, or an empty file.

    Raises:
        errors.ClientConfigInvalid: it is not what a client could read, or could not be put back as it was.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise errors.ClientConfigInvalid(f"{file} is not a file", hint="Move it away, and run this again.")
        content = file.read_bytes()
    except FileNotFoundError:
        return Configuration(file, None, {})
    settings = _parsed(file, content)
    return Configuration(file, content, settings)


def with_entry(configuration: Configuration, name: str, entry: Mapping[str, Any]) -> str:
    """The text of a configuration with this entry: in the place of the one of its name, or after the others."""
    servers = {**configuration.servers, name: entry}
    return _rendered({**configuration.settings, "mcpServers": servers})


def without_entry(configuration: Configuration, name: str) -> str:
    """The text of a configuration without the entry of this name."""
    servers = {other: entry for other, entry in configuration.servers.items() if other != name}
    return _rendered({**configuration.settings, "mcpServers": servers})


def difference(configuration: Configuration, text: str) -> list[str]:
    """The lines of a unified diff from a configuration to a new text of it."""
    from difflib import unified_diff

    before, after = configuration.text.splitlines(), text.splitlines()
    return list(unified_diff(before, after, str(configuration.file), f"{configuration.file} (new)", lineterm=""))


def write(configuration: Configuration, text: str, *, now: datetime) -> Path | None:
    """Put a new text in the place of a configuration; returns the backup, where there was something to keep.

    A link stays a link: what it leads to is written. The mode stays too.
    """
    target = Path(os.path.realpath(configuration.file))
    mode, backup = 0o600, None
    if configuration.content is not None:
        mode = stat.S_IMODE(target.stat().st_mode)
        backup = _backup_name(configuration.file, now)
        _create(backup, configuration.content, mode)
    permissions.make_folder(configuration.file.parent)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        _create(part, text.encode("utf-8"), mode)
        part.replace(target)
    except OSError:
        if backup:
            backup.unlink(missing_ok=True)
        raise
    finally:
        part.unlink(missing_ok=True)
    permissions.sync_folder(target.parent)
    for old in backups(configuration.file)[_BACKUPS_KEPT:]:
        old.unlink(missing_ok=True)
    return backup


def backups(file: Path) -> list[Path]:
    """The backups of a configuration that we made, newest first."""
    ours = re.compile(re.escape(file.name) + r"\.before-keepgraph-(\d{8}T\d{6}Z)(?:-(\d+))?")
    matches = [match for each in file.parent.iterdir() if (match := ours.fullmatch(each.name))]
    found = [(match[1], int(match[2] or 1), match[0]) for match in matches]
    return [file.with_name(name) for _, _, name in sorted(found, reverse=True)]


# Where


def _places_of_desktop(machine: Machine) -> list[Place]:
    name = "claude_desktop_config.json"
    match machine.platform:
        case "darwin":
            folders = [machine.home / "Library" / "Application Support" / "Claude"]
        case "win32":
            roaming = _folder(machine, "APPDATA", machine.home / "AppData" / "Roaming")
            local = _folder(machine, "LOCALAPPDATA", machine.home / "AppData" / "Local")
            # The build of the Microsoft Store sees a Roaming of its own; the other one is for the other build.
            packages = sorted((local / "Packages").glob("Claude_*"))
            plain = roaming / "Claude"
            store = [Place(each / "LocalCache" / "Roaming" / "Claude" / name, each) for each in packages]
            return [*store, *([Place(plain / name, plain)] if plain.is_dir() or not store else [])]
        case _:
            folders = [_folder(machine, "XDG_CONFIG_HOME", machine.home / ".config") / "Claude"]
    return [Place(folder / name, folder) for folder in folders]


def _places_of_code(machine: Machine) -> list[Place]:
    folder = _folder(machine, "CLAUDE_CONFIG_DIR", machine.home)
    return [Place(folder / ".claude.json", folder)]


def _folder(machine: Machine, variable: str, otherwise: Path) -> Path:
    """The folder that a variable names; one that is not absolute is as good as none."""
    named = Path(machine.env.get(variable, ""))
    return named if named.is_absolute() else otherwise


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", _places_of_desktop, typed=False),
        Client("claude-code", "Claude Code", _places_of_code, typed=True),
    )
}


# What it says


def _installed(client: Client, file: Path, name: str) -> Installed:
    try:
        found = read(file).servers.get(name)
    except errors.ClientConfigInvalid as error:
        return Installed(client, file, name, problem=error.message)
    except OSError as error:
        return Installed(client, file, name, problem=f"{file}: {error.strerror}")
    match found:
        case {"command": str(program), **more} if program:
            arguments = more.get("args")
            words = [str(word) for word in arguments] if isinstance(arguments, list) else []
            return Installed(client, file, name, found, (program, *words), shutil.which(program) is not None)
    return Installed(client, file, name, found)


def _parsed(file: Path, content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _invalid(file, line, "this is not UTF-8", hint="Save the file as UTF-8, and run this again.") from error
    if not text.strip():
        return {}
    try:
        settings = json.loads(text, object_pairs_hook=_once_each, parse_float=_number, parse_constant=_number)
    except _Twice as error:
        lines = [number for number, line in enumerate(text.splitlines(), 1) if json.dumps(error.args[0]) in line]
        hint = f"Only one of them can count (see the lines {', '.join(map(str, lines))}); take the other one away."
        raise _invalid(file, lines[-1] if lines else 1, f"{error.args[0]!r} stands here again", hint=hint) from error
    except json.JSONDecodeError as error:
        raise _invalid(file, error.lineno, f"this is not JSON: {error.msg}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _invalid(file, 1, f"this cannot be read as JSON: {error}") from error
    if not isinstance(settings, dict):
        raise _invalid(file, 1, "this is not an object", hint="The whole file should be one { … }; put it right.")
    if not isinstance(settings.get("mcpServers", {}), dict):
        hint = 'Write "mcpServers": {} there, and run this again.'
        raise _invalid(file, _line_of(text, "mcpServers"), "mcpServers is not an object", hint=hint)
    return settings


class _Twice(Exception):
    """A key that an object has twice: the first would be lost."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Twice(name)
        found[name] = value
    return found


def _number(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise ValueError(f"{text} is not a number that JSON can hold")
    return number


def _invalid(file: Path, line: int, problem: str, *, hint: str | None = None) -> errors.ClientConfigInvalid:
    return errors.ClientConfigInvalid(f"{file}, line {line}: {problem}", hint=hint)


def _line_of(text: str, key: str) -> int:
    """The line on which a key of the outermost object stands, in a text that is JSON."""
    decoder, blank = json.JSONDecoder(), re.compile(r"[\s,:{]*")
    at, found = 0, 0
    while at < len(text):
        at = _end(blank, text, at)
        if text[at] == "}":
            break
        start = at
        name, at = decoder.raw_decode(text, at)
        if name == key:
            found = start
        _, at = decoder.raw_decode(text, _end(re.compile(r"[\s:]*"), text, at))
    return text.count("\n", 0, found) + 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _rendered(settings: Mapping[str, Any]) -> str:
    text = json.dumps(settings, ensure_ascii=False, indent=2)
    # Half a pair can only be written as an escape.
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"


def _backup_name(file: Path, now: datetime) -> Path:
    name = f"{file.name}.before-keepgraph-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    number, backup = 1, file.with_name(name)
    while backup.exists():
        number += 1
        backup = file.with_name(f"{name}-{number}")
    return backup


def _create(file: Path, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
        file.chmod(mode)
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
