"""Access tokens of this machine: who may call its server over HTTP. Only a hash of each secret is kept."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from keepgraph import errors, lazy, permissions
from keepgraph.profiles import profile
from keepgraph.temporal import timestamps

CALLS_PER_MINUTE = 600
MEGABYTES_PER_MINUTE = 32
CALLS_AT_ONCE = 16

_PREFIX = "kg_"
_NAME = lazy.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_SESSION = "token:"
_UNSETTLED_SECONDS = 2.0
"""A folder that changed this recently is read again: two changes may have the same time."""


@dataclass(frozen=True, slots=True)
class Token:
    """What the bearer of a secret may do.

    Attributes:
        name: unique on this machine; the journal has it.
        digest: the SHA-256 of the secret; None if an issuer of OAuth tokens vouches for the bearer.
        subject: the `sub` of the bearer's OAuth tokens.
        created: a timestamp.
        until: the timestamp from which it is refused; None for no end.
        profiles: the only graphs it is for, by name; empty for all that a server has.
        calls_per_minute, megabytes_per_minute, calls_at_once: its limits.
    """

    name: str
    created: str
    digest: str | None = None
    subject: str | None = None
    until: str | None = None
    read_only: bool = False
    profiles: tuple[str, ...] = ()
    calls_per_minute: int = CALLS_PER_MINUTE
    megabytes_per_minute: int = MEGABYTES_PER_MINUTE
    calls_at_once: int = CALLS_AT_ONCE

    def is_expired(self, now: datetime) -> bool:
        return self.until is not None and self.until <= timestamps.from_datetime(now)


def add(name: str, *, now: datetime, subject: str | None = None, **rights: Any) -> tuple[Token, str | None]:
    """Make a token; returns it with its secret, which is kept nowhere. One for a subject has no secret.

    Args:
        rights: the other fields of the token.

    Raises:
        errors.InvalidArguments: the name cannot be one, or it or the subject is taken.
    """
    file = _file(name)
    if subject and (taken := next((one.name for one in read_all()[0] if one.subject == subject), None)):
        hint = f"Remove that one first: `kg token remove {taken}`."
        raise errors.InvalidArguments(f"the token {taken!r} is for {subject!r} already", hint=hint)
    secret = None if subject else _PREFIX + secrets.token_urlsafe(32)
    digest = _digest(secret) if secret else None
    token = Token(name, created=timestamps.from_datetime(now), digest=digest, subject=subject, **rights)
    permissions.make_folder(file.parent)
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError as error:
        hint = f"Remove it first (`kg token remove {name}`), or choose another name."
        raise errors.InvalidArguments(f"there is already a token {name!r}", hint=hint) from error
    os.close(descriptor)
    permissions.write(file, json.dumps(asdict(token), indent=2) + "\n")
    return token, secret


def remove(name: str) -> None:
    """Remove a token. A running server refuses it from the next request on.

    Raises:
        errors.InvalidArguments: there is none of this name.
    """
    try:
        _file(name).unlink()
    except FileNotFoundError as error:
        raise errors.InvalidArguments(f"there is no token {name!r}", hint="`kg token list` shows them.") from error


def read_all() -> tuple[list[Token], list[Path]]:
    """The tokens by name, and the files that hold none."""
    tokens, unreadable = [], []
    for file in sorted(_folder().glob("*.json")):
        try:
            tokens.append(_parse(file))
        except FileNotFoundError:
            continue  # removed in between
        except (OSError, ValueError, TypeError, KeyError):
            unreadable.append(file)
    return tokens, unreadable


class Tokens:
    """The tokens as they are now: the folder is read again when it changes."""

    def __init__(self) -> None:
        self._by_digest: dict[str, Token] = {}
        self._by_subject: dict[str, Token] = {}
        self._version: tuple[int, int] | None = None

    def find(self, secret: str) -> Token | None:
        """The token with a secret, expired or not."""
        self._refresh()
        return self._by_digest.get(_digest(secret))

    def of_subject(self, subject: str) -> Token | None:
        """The token of those whom an issuer calls by this subject."""
        self._refresh()
        return self._by_subject.get(subject)

    def all(self) -> list[Token]:
        self._refresh()
        return [*self._by_digest.values(), *self._by_subject.values()]

    def _refresh(self) -> None:
        try:
            status = _folder().stat()
            version = (status.st_mtime_ns, status.st_ino)
        except FileNotFoundError:
            version = (0, 0)
        if version == self._version and time.time() - version[0] / 1e9 > _UNSETTLED_SECONDS:
            return
        self._version = version
        tokens, _ = read_all()
        self._by_digest = {token.digest: token for token in tokens if token.digest}
        self._by_subject = {token.subject: token for token in tokens if token.subject}


def conversation(token: Token, name: str) -> str:
    """A conversation as the journal names it, after the token that it was held with."""
    prefix = f"{_SESSION}{token.name}/"
    return name if name.startswith(prefix) else prefix + name


def name_in(session: str | None) -> str | None:
    """The name of the token of a conversation in the journal, if it was held with one."""
    return session.removeprefix(_SESSION).partition("/")[0] if session and session.startswith(_SESSION) else None


def _folder() -> Path:
    return profile.config_folder() / "tokens"


def _file(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise errors.InvalidArguments(
            f"{name[:60]!r} cannot be the name of a token",
            hint="Use up to 40 lower-case letters, digits, - and _, beginning with a letter or a digit.",
        )
    return _folder() / f"{name}.json"


def _parse(file: Path) -> Token:
    fields: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    token = Token(**{**fields, "profiles": tuple(fields["profiles"])})
    limits = (token.calls_per_minute, token.megabytes_per_minute, token.calls_at_once)
    is_valid = token.name == file.stem and bool(token.digest) != bool(token.subject)
    if not is_valid or not all(type(limit) is int and limit > 0 for limit in limits):
        raise ValueError("this is not a token")
    if token.until is not None:
        timestamps.to_datetime(token.until).astimezone(UTC)
    return token


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
