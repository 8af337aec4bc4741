"""The configuration file of an MCP client: read, add or remove an entry, and write it with a backup beside it.

The file is replaced as a whole or not at all. Everything else in it stays the same, in the same order.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions

_MAX_BACKUPS = 5
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration as it was read; `content` is None if there is no file yet."""

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


def read(file: Path) -> Configuration:
    """Read a configuration; it is empty if there is no file, or an empty file.

    Raises:
        errors.ClientConfigInvalid: a client could not read it, or it could not be written back without loss.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise errors.ClientConfigInvalid(f"{file} is not a file", hint="Move it away, and run this again.")
        content = file.read_bytes()
    except FileNotFoundError:
        return Configuration(file, None, {})
    settings = _parse(file, content)
    return Configuration(file, content, settings)


def set_entry(configuration: Configuration, name: str, entry: Mapping[str, Any]) -> str:
    """The text of a configuration with an entry: it replaces the one of the same name, or follows the others."""
    servers = {**configuration.servers, name: entry}
    return _serialise({**configuration.settings, "mcpServers": servers})


def remove_entry(configuration: Configuration, name: str) -> str:
    """The text of a configuration without the entry of a name."""
    servers = {other: entry for other, entry in configuration.servers.items() if other != name}
    return _serialise({**configuration.settings, "mcpServers": servers})


def diff(configuration: Configuration, text: str) -> list[str]:
    """The lines of a unified diff from a configuration to its new text."""
    from difflib import unified_diff

    before, after = configuration.text.splitlines(), text.splitlines()
    return list(unified_diff(before, after, str(configuration.file), f"{configuration.file} (new)", lineterm=""))


def write(configuration: Configuration, text: str, *, now: datetime) -> Path | None:
    """Write the new text of a configuration; returns the backup, or None if there was no file before.

    If the file is a link, its target is written. The mode stays.
    """
    target = Path(os.path.realpath(configuration.file))
    mode, backup = 0o600, None
    if configuration.content is not None:
        mode = stat.S_IMODE(target.stat().st_mode)
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


def _parse(file: Path, content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _config_error(
            file, line, "this is not UTF-8", hint="Save the file as UTF-8, and run this again."
        ) from error
    if not text.strip():
        return {}
    try:
        settings = json.loads(
            text, object_pairs_hook=_refuse_duplicate_keys, parse_float=_finite_number, parse_constant=_finite_number
        )
    except _DuplicateKey as error:
        lines = [number for number, line in enumerate(text.splitlines(), 1) if json.dumps(error.args[0]) in line]
        hint = f"Only one of them can count (see the lines {', '.join(map(str, lines))}); take the other one away."
        raise _config_error(
            file, lines[-1] if lines else 1, f"{error.args[0]!r} stands here again", hint=hint
        ) from error
    except json.JSONDecodeError as error:
        raise _config_error(file, error.lineno, f"this is not JSON: {error.msg}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _config_error(file, 1, f"this cannot be read as JSON: {error}") from error
    if not isinstance(settings, dict):
        raise _config_error(file, 1, "this is not an object", hint="The whole file should be one { … }; put it right.")
    if not isinstance(settings.get("mcpServers", {}), dict):
        hint = 'Write "mcpServers": {} there, and run this again.'
        raise _config_error(file, _line_of(text, "mcpServers"), "mcpServers is not an object", hint=hint)
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
    """Write a file that must not exist yet, down to the disk."""
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
        file.chmod(mode)
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
