"""MCP clients: the configuration file of each, and the entry that starts this installation of Keepgraph."""

from __future__ import annotations

import json
import math
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

_BEARER = re.compile(r"(Bearer )[^\s\"'\\]+")
"""The token of a server over HTTP, in a configuration."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where clients keep their configuration; `platform` is sys.platform."""

    platform: str
    env: Mapping[str, str]
    home: Path


@dataclass(frozen=True, slots=True)
class ConfigLocation:
    """A configuration file, and a folder that exists if the client is installed."""

    file: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts the MCP servers in its configuration.

    Attributes:
        locations: its configurations on a machine, one for each installed build.
        has_typed_entries: whether its entries have a type ("stdio").
        table: the key of its configuration that holds the servers.
        url_keys: the keys of the URL and the headers of a server over HTTP; None if its configuration takes none.
    """

    name: str
    title: str
    locations: Callable[[Machine], list[ConfigLocation]]
    has_typed_entries: bool = False
    table: str = "mcpServers"
    url_keys: tuple[str, str] | None = ("url", "headers")


@dataclass(frozen=True, slots=True)
class InstalledEntry:
    """Our entry in the configuration of a client.

    Attributes:
        entry: as it is in the file; None if there is none.
        command: what the client starts; empty if the entry names nothing.
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


def url_entry(client: Client, url: str, token: str) -> dict[str, Any]:
    """The entry by which a client connects to a server over HTTP.

    Raises:
        errors.InvalidArguments: its configuration has no such entries.
    """
    if client.url_keys is None:
        raise errors.InvalidArguments(
            f"the configuration of {client.title} takes no server over HTTP",
            hint="Add a connector in its settings; docs/http.md says what the server needs for that.",
        )
    url_key, headers_key = client.url_keys
    server = {url_key: url, headers_key: {"Authorization": f"Bearer {token}"}}
    return {"type": "http", **server} if client.has_typed_entries else server


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
    name, folder = "claude_desktop_config.json", _roaming(machine) / "Claude"
    store_builds = []
    if machine.platform == "win32":
        # The Microsoft Store build has its own Roaming folder, in its package.
        local = _folder(machine, "LOCALAPPDATA", machine.home / "AppData" / "Local")
        packages = sorted((local / "Packages").glob("Claude_*"))
        store_builds = [
            ConfigLocation(package / "LocalCache" / "Roaming" / "Claude" / name, package) for package in packages
        ]
    if store_builds and not folder.is_dir():
        return store_builds
    return [*store_builds, ConfigLocation(folder / name, folder)]


def _in_home(folder: str, file: str, *, variable: str = "") -> Callable[[Machine], list[ConfigLocation]]:
    """A file in a folder of the home folder, or in the folder that an environment variable names."""

    def locations(machine: Machine) -> list[ConfigLocation]:
        place = _folder(machine, variable, machine.home / folder)
        return [ConfigLocation(place / file, place)]

    return locations


def _vscode_locations(machine: Machine) -> list[ConfigLocation]:
    folder = _roaming(machine) / "Code" / "User"
    return [ConfigLocation(folder / "mcp.json", folder)]


def _roaming(machine: Machine) -> Path:
    """The folder in which programs of a user keep their configurations."""
    match machine.platform:
        case "darwin":
            return machine.home / "Library" / "Application Support"
        case "win32":
            return _folder(machine, "APPDATA", machine.home / "AppData" / "Roaming")
        case _:
            return _folder(machine, "XDG_CONFIG_HOME", machine.home / ".config")


def _folder(machine: Machine, variable: str, default: Path) -> Path:
    """The folder named by an environment variable, if absolute; else the default."""
    folder = Path(machine.env.get(variable, ""))
    return folder if folder.is_absolute() else default


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", _desktop_locations, url_keys=None),
        Client(
            "claude-code",
            "Claude Code",
            _in_home("", ".claude.json", variable="CLAUDE_CONFIG_DIR"),
            has_typed_entries=True,
        ),
        Client("cursor", "Cursor", _in_home(".cursor", "mcp.json")),
        Client("vscode", "VS Code", _vscode_locations, has_typed_entries=True, table="servers"),
        Client(
            "codex",
            "Codex",
            _in_home(".codex", "config.toml", variable="CODEX_HOME"),
            table="mcp_servers",
            url_keys=("url", "http_headers"),
        ),
        Client("gemini", "Gemini CLI", _in_home(".gemini", "settings.json"), url_keys=("httpUrl", "headers")),
    )
}


def _read_entry(client: Client, file: Path, name: str) -> InstalledEntry:
    try:
        entry = read(file, client.table).servers.get(name)
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


# The configuration file of an MCP client, JSON or TOML by its name: replaced as a whole or not at all, with a backup
# beside it. Everything but our entry stays the same, in the same order.

_MAX_BACKUPS = 5
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration as read; `content` is None if there is no file. `table` is the key that holds the servers."""

    file: Path
    content: bytes | None
    settings: dict[str, Any]
    table: str = "mcpServers"

    @property
    def text(self) -> str:
        return (self.content or b"").decode("utf-8-sig")

    @property
    def servers(self) -> dict[str, Any]:
        servers: dict[str, Any] = self.settings.get(self.table, {})
        return servers

    @property
    def is_toml(self) -> bool:
        return self.file.suffix == ".toml"


def read(file: Path, table: str = "mcpServers") -> Configuration:
    """Read a configuration; it is empty if the file is missing or empty.

    Raises:
        errors.ClientConfigInvalid: a client cannot read it, or it cannot be written back without loss.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise errors.ClientConfigInvalid(f"{file} is not a file", hint="Move it away, and run this again.")
        content = file.read_bytes()
    except FileNotFoundError:
        return Configuration(file, None, {}, table)
    settings = _parse(file, content, table)
    return Configuration(file, content, settings, table)


def set_entry(configuration: Configuration, name: str, entry: Mapping[str, Any]) -> str:
    """The text of a configuration with an entry, replacing one of the same name or following the others."""
    if configuration.is_toml:
        import tomlkit

        document = tomlkit.parse(configuration.text)
        document.setdefault(configuration.table, tomlkit.table(is_super_table=True))[name] = dict(entry)
        return tomlkit.dumps(document)
    servers = {**configuration.servers, name: entry}
    return _serialise({**configuration.settings, configuration.table: servers})


def remove_entry(configuration: Configuration, name: str) -> str:
    """The text of a configuration without the entry of a name."""
    if configuration.is_toml:
        import tomlkit

        document = tomlkit.parse(configuration.text)
        if name in configuration.servers:
            del document[configuration.table][name]
        return tomlkit.dumps(document)
    servers = {other: entry for other, entry in configuration.servers.items() if other != name}
    return _serialise({**configuration.settings, configuration.table: servers})


def diff(configuration: Configuration, text: str) -> list[str]:
    """The lines of a unified diff from a configuration to its new text; a token in either is shown as “…”."""
    from difflib import unified_diff

    before, after = configuration.text.splitlines(), text.splitlines()
    lines = unified_diff(before, after, str(configuration.file), f"{configuration.file} (new)", lineterm="")
    return [_BEARER.sub(r"\1…", line) for line in lines]


def write(configuration: Configuration, text: str, *, now: datetime, has_token: bool = False) -> Path | None:
    """Write the new text of a configuration; returns the backup, or None if there was no file.

    If the file is a link, its target is written. The mode stays, but nobody else may read a file with a token.
    """
    target = Path(os.path.realpath(configuration.file))
    mode, backup = 0o600, None
    if configuration.content is not None:
        mode = stat.S_IMODE(target.stat().st_mode) & (0o700 if has_token else 0o777)
        backup = _backup_name(configuration.file, now)
        _write_new(backup, configuration.content, mode)
    permissions.make_folder(configuration.file.parent)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        partial.unlink(missing_ok=True)
        _write_new(partial, text.encode("utf-8"), mode)
        partial.replace(target)
    except OSError:
        if backup:
            backup.unlink(missing_ok=True)
        raise
    finally:
        partial.unlink(missing_ok=True)
    permissions.sync_folder(target.parent)
    for old in backups(configuration.file)[_MAX_BACKUPS:]:
        old.unlink(missing_ok=True)
    return backup


def backups(file: Path) -> list[Path]:
    """The backups of a configuration that Keepgraph made, newest first."""
    pattern = re.compile(re.escape(file.name) + r"\.before-keepgraph-(\d{8}T\d{6}Z)(?:-(\d+))?")
    matches = [match for path in file.parent.iterdir() if (match := pattern.fullmatch(path.name))]
    names = [(match[1], int(match[2] or 1), match[0]) for match in matches]
    return [file.with_name(name) for _, _, name in sorted(names, reverse=True)]


def _parse(file: Path, content: bytes, table: str) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _config_error(
            file, line, "this is not UTF-8", hint="Save the file as UTF-8, and run this again."
        ) from error
    if not text.strip():
        return {}
    if file.suffix == ".toml":
        return _parse_toml(file, text, table)
    try:
        settings = json.loads(
            text, object_pairs_hook=_refuse_duplicate_keys, parse_float=_finite_number, parse_constant=_finite_number
        )
    except _DuplicateKey as error:
        lines = [number for number, line in enumerate(text.splitlines(), 1) if json.dumps(error.args[0]) in line]
        hint = f"Only one can apply (see lines {', '.join(map(str, lines))}); remove the other."
        raise _config_error(
            file, lines[-1] if lines else 1, f"{error.args[0]!r} is repeated here", hint=hint
        ) from error
    except json.JSONDecodeError as error:
        raise _config_error(file, error.lineno, f"this is not JSON: {error.msg}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _config_error(file, 1, f"this cannot be read as JSON: {error}") from error
    if not isinstance(settings, dict):
        raise _config_error(file, 1, "this is not an object", hint="The whole file must be one { … }.")
    if not isinstance(settings.get(table, {}), dict):
        hint = f'Write "{table}": {{}} there, and run this again.'
        raise _config_error(file, _line_of(text, table), f"{table} is not an object", hint=hint)
    return settings


def _parse_toml(file: Path, text: str, table: str) -> dict[str, Any]:
    import tomllib

    try:
        settings = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise errors.ClientConfigInvalid(f"{file} is not TOML: {error}") from error
    if not isinstance(settings.get(table, {}), dict):
        raise _config_error(file, 1, f"{table} is not a table", hint=f"Remove {table} there, and run this again.")
    return settings


class _DuplicateKey(Exception):
    """An object has a key twice; one of its values would be lost."""


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _DuplicateKey(name)
        result[name] = value
    return result


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number that JSON can hold")
    return number


def _config_error(file: Path, line: int, problem: str, *, hint: str | None = None) -> errors.ClientConfigInvalid:
    return errors.ClientConfigInvalid(f"{file}, line {line}: {problem}", hint=hint)


def _line_of(text: str, key: str) -> int:
    """The number of the line that has a key of the outermost object, in a JSON text."""
    decoder, blank = json.JSONDecoder(), re.compile(r"[\s,:{]*")
    position, key_position = 0, 0
    while position < len(text):
        position = _skip(blank, text, position)
        if text[position] == "}":
            break
        start = position
        name, position = decoder.raw_decode(text, position)
        if name == key:
            key_position = start
        _, position = decoder.raw_decode(text, _skip(re.compile(r"[\s:]*"), text, position))
    return text.count("\n", 0, key_position) + 1


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _serialise(settings: Mapping[str, Any]) -> str:
    text = json.dumps(settings, ensure_ascii=False, indent=2)
    # A lone surrogate can only be written as an escape.
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _backup_name(file: Path, now: datetime) -> Path:
    name = f"{file.name}.before-keepgraph-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    number, backup = 1, file.with_name(name)
    while backup.exists():
        number += 1
        backup = file.with_name(f"{name}-{number}")
    return backup


def _write_new(file: Path, content: bytes, mode: int) -> None:
    """Create a file, synced to the disk."""
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
        file.chmod(mode)
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
