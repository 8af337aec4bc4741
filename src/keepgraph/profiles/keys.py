"""Keys: 32 bytes, made at random or parsed from hexadecimal digits; and where that of a graph is kept.

The locations are a key file, the environment, the system keyring, and a file wrapped with a passphrase. During a change
of the key, each may hold the old and the new key. The one that opens the graph is right, so the change may be
interrupted at any point.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from keepgraph import errors, lazy, permissions
from keepgraph.model import Key, KeyLocation, KeySource
from keepgraph.profiles import profile

MAX_FILE_BYTES = 10_000
"""The most bytes read of a key file: a wrong file may be very large."""

_DIGITS = lazy.compile(r"[0-9a-fA-F]{64}")


def new() -> Key:
    """A key from the system's random generator."""
    import secrets

    return from_digits(secrets.token_hex(32), "a new key")


def from_digits(digits: str, origin: str) -> Key:
    """A key from its digits, in either case. From now on, the process writes no core dump.

    Args:
        origin: where the digits come from, for messages.

    Raises:
        errors.KeyInvalid: these are not 64 hexadecimal digits. The message does not repeat them.
    """
    digits = digits.strip()
    if not looks_like_digits(digits):
        raise errors.KeyInvalid(f"{origin} is not a key: it is not 64 hexadecimal digits")
    _prevent()
    digits = digits.lower()
    fingerprint = hashlib.sha256(b"keepgraph key fingerprint\0" + bytes.fromhex(digits)).hexdigest()[:16]
    return Key(digits=digits, origin=origin, fingerprint=fingerprint)


def looks_like_digits(text: str) -> bool:
    return _DIGITS.fullmatch(text.strip()) is not None


def parse(text: bytes, origin: str) -> list[Key]:
    """The keys in the text of a key file: one a line; lines that begin with # are comments.

    Raises:
        errors.KeyInvalid: there is none, or a line is not a key.
    """
    lines = [line.strip() for line in text[:MAX_FILE_BYTES].decode("utf-8-sig", "replace").splitlines()]
    keys = [from_digits(line, origin) for line in lines if line and not line.startswith("#")]
    if not keys:
        raise errors.KeyInvalid(f"{origin} has no key in it")
    return keys


# Core dumps: a process with a key writes none, as it would contain the key.

_PR_SET_DUMPABLE = 4
"""https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html"""


@cache
def _prevent() -> None:
    """Ask the system, once, to write no core dump of this process and its children.

    On Linux the limit does not stop dumps piped to a program, so the process is also marked; this also keeps the user's
    other programs from reading its memory. On Windows nothing is done. A refusal of the system is ignored.
    """
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


# Key files: keys as lines of digits, in a file that only its owner can read.

_GROUP_AND_OTHERS = 0o077


def read(file: Path) -> list[Key]:
    """The keys in a key file; lines that begin with # are comments.

    Raises:
        errors.KeyMissing: there is no such file.
        errors.KeyInvalid: its mode lets others read it, or it has no key in it.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise errors.KeyMissing(f"there is no key file {file}") from error
    except OSError as error:
        raise errors.KeyInvalid(f"the key file {file} cannot be read: {error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise errors.KeyInvalid(f"the key file {file} is not a file")
    with os.fdopen(descriptor, "rb") as key_file:
        if os.name == "posix" and status.st_mode & _GROUP_AND_OTHERS:
            raise errors.KeyInvalid(
                f"the key file {file} can be read by others (mode {stat.S_IMODE(status.st_mode):04o})",
                hint=f"Run `chmod 600 {file}`, and if somebody may have read it, `kg rekey`.",
            )
        return parse(key_file.read(MAX_FILE_BYTES), f"the key file {file}")


def write(file: Path, written: Sequence[Key], *, about: str) -> None:
    """Write keys to a file that only its owner can read, with a comment on what they open."""
    comment = "".join(character if character.isprintable() else "?" for character in about)
    lines = [
        f"# {comment}",
        "# Anyone with this key can read the graph; without it nobody can.",
        *(key.digits for key in written),
    ]
    permissions.write(file, "\n".join(lines) + "\n")


# Key wrapping: a file of keys that a passphrase opens.
#
# Argon2id (RFC 9106) derives a key from the passphrase, and AES key wrap (RFC 3394) encrypts our keys with it.

AskPassphrase = Callable[[str], str]
"""Asks a person for a passphrase with this prompt, without showing it."""

# The second recommended option of RFC 9106: about a quarter of a second.
_ARGON2 = {"memory_kib": 65_536, "iterations": 3, "lanes": 4}
# A file that asks for more is refused, to save memory and time.
_MAX_ARGON2 = {"memory_kib": 262_144, "iterations": 10, "lanes": 64}
_SALT_BYTES = 16


def wrap(file: Path, wrapped_keys: Sequence[Key], passphrase: str) -> None:
    """Write keys to a file, wrapped with a passphrase."""
    import secrets

    from cryptography.hazmat.primitives.keywrap import aes_key_wrap

    salt = secrets.token_bytes(_SALT_BYTES)
    raw = b"".join(bytes.fromhex(key.digits) for key in wrapped_keys)
    wrapped = aes_key_wrap(_derive_key(passphrase, salt, _ARGON2), raw)
    header = {"keepgraph": "wrapped key", "version": 1, "kdf": "argon2id", **_ARGON2}
    permissions.write(file, json.dumps({**header, "salt": salt.hex(), "wrapped": wrapped.hex()}, indent=2) + "\n")


def unwrap(file: Path, ask: AskPassphrase) -> list[Key]:
    """The keys in a file that `wrap` wrote; asks a person for the passphrase.

    Raises:
        errors.KeyInvalid: the file is not a wrapped key, or is damaged.
        errors.KeyWrong: this is not the passphrase.
    """
    from argon2.exceptions import HashingError
    from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap

    try:
        header = json.loads(file.read_bytes()[:MAX_FILE_BYTES])
        salt, wrapped = bytes.fromhex(header["salt"]), bytes.fromhex(header["wrapped"])
        cost = {name: int(header[name]) for name in _ARGON2}
        if (header["keepgraph"], header["version"], header["kdf"]) != ("wrapped key", 1, "argon2id") or any(
            not 0 < cost[name] <= _MAX_ARGON2[name] for name in cost
        ):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise errors.KeyInvalid(
            f"{file} is not a wrapped key, or is damaged", hint="Restore the key you exported: `kg key import FILE`."
        ) from error
    try:
        raw = aes_key_unwrap(_derive_key(ask(f"Passphrase for {file.stem}"), salt, cost), wrapped)
    except HashingError as error:
        raise errors.KeyInvalid(f"{file} needs more memory than this machine has, or is damaged") from error
    except (InvalidUnwrap, ValueError) as error:
        raise errors.KeyWrong("this is not the passphrase", hint="Try again, or use the key you exported.") from error
    return [from_digits(raw[start : start + 32].hex(), "the passphrase") for start in range(0, len(raw), 32)]


def _derive_key(passphrase: str, salt: bytes, cost: Mapping[str, int]) -> bytes:
    import unicodedata

    from argon2.low_level import Type, hash_secret_raw

    return hash_secret_raw(
        # Keyboards compose the same letters from different code points.
        unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass"),
        salt,
        time_cost=cost["iterations"],
        memory_cost=cost["memory_kib"],
        parallelism=cost["lanes"],
        hash_len=32,
        type=Type.ID,
    )


def key_source(
    graph: Path,
    location: KeyLocation | None,
    *,
    given: str | None = None,
    ask: AskPassphrase | None = None,
    environment: Mapping[str, str] = os.environ,
) -> KeySource:
    """The candidate keys of a graph: the given one; else a key file, KG_KEY, the keyring, a passphrase.

    Args:
        location: where its key is according to the settings.
        given: the digits of the key from a program; nothing else is then tried.
        ask: asks for the passphrase; None if nobody can be asked.
    """
    fingerprint = location.fingerprint if location else None
    if given is not None:
        given_key = from_digits(given, "the key that was given")
        return KeySource(expected=True, fingerprint=fingerprint, candidates=lambda: iter([given_key]))
    return KeySource(
        expected=bool(
            environment.get("KG_KEY_FILE", "").strip()
            or environment.get("KG_KEY", "").strip()
            or (location and location.encrypted)
        ),
        fingerprint=fingerprint,
        candidates=lambda: _candidates(graph, location, ask=ask, environment=environment),
    )


def is_available(graph: Path, location: KeyLocation, *, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the key of a graph is readable where its settings say, without asking for a passphrase.

    False while the system keyring is locked, and when the key was deleted or its disk removed.
    """
    if environment.get("KG_KEY_FILE", "").strip() or environment.get("KG_KEY", "").strip():
        return True
    match location.source:
        case "file":
            return Path(location.file or default_file(graph)).exists()
        case "passphrase":
            return wrapped_file(graph, location).exists()
        case "keyring":
            try:
                return bool(read_from_keyring(keyring_account(graph, location)))
            except errors.KeyMissing:
                return False
        case _:
            return True


def from_environment(environment: Mapping[str, str] = os.environ) -> Key | None:
    """The key that KG_KEY_FILE or KG_KEY gives."""
    if name := environment.get("KG_KEY_FILE", "").strip():
        return read(_file_in_environment(name))[0]
    digits = environment.get("KG_KEY", "").strip()
    return from_digits(digits, "KG_KEY") if digits else None


def default_file(graph: Path) -> Path:
    """The default key file. It is not beside the graph, so that a copy of one does not include the other."""
    return profile.config_folder() / "keys" / permissions.beside(graph, ".key").name


def wrapped_file(graph: Path, location: KeyLocation | None = None) -> Path:
    """The file beside a graph with its wrapped key."""
    if location is not None and location.source == "passphrase" and location.file:
        return Path(location.file)
    return permissions.beside(graph, ".wrapped-key")


def keyring_account(graph: Path, location: KeyLocation | None) -> str:
    """The name of the key of a graph in the keyring."""
    return (location and location.account) or profile.name_of(graph) or str(graph)


def save(graph: Path, location: KeyLocation, saved: Sequence[Key], *, passphrase: str | None = None) -> None:
    """Save keys at a location, and read them back. Nothing is saved in the environment.

    Raises:
        errors.KeyMissing: there is no keyring, or no passphrase.
        errors.KeyInvalid: the keys read back differ from those saved.
    """
    match location.source:
        case "file":
            file = Path(location.file or default_file(graph))
            write(file, saved, about=f"The key of {graph} ({saved[-1].fingerprint}).")
            read_back = read(file)
        case "keyring":
            _write_to_keyring(keyring_account(graph, location), saved)
            read_back = read_from_keyring(keyring_account(graph, location))
        case "passphrase":
            if passphrase is None:
                raise errors.KeyMissing("this needs a terminal: it asks for a passphrase")
            wrap(wrapped_file(graph, location), saved, passphrase)
            read_back = unwrap(wrapped_file(graph, location), lambda _: passphrase)
        case _:
            return
    if [key.digits for key in read_back] != [key.digits for key in saved]:
        raise errors.KeyInvalid("the key read back differs from the one saved; nothing else was changed")


def delete(graph: Path, location: KeyLocation) -> None:
    """Delete the key at a location, after its graph was deleted or its key moved.

    Raises:
        errors.KeyMissing: the system keyring refuses.
    """
    match location.source:
        case "file":
            Path(location.file or default_file(graph)).unlink(missing_ok=True)
        case "keyring":
            _delete_from_keyring(keyring_account(graph, location))
        case "passphrase":
            wrapped_file(graph, location).unlink(missing_ok=True)


def unfinished(file: Path) -> list[Path]:
    """Unfinished key files left by ended processes, for this key file or one with a number after it.

    Only a process with exclusive access to the graph writes its key file. A numbered one may belong to another profile,
    so it counts only if its process no longer runs.
    """
    name = re.compile(rf"\.{re.escape(file.stem)}(-\d+)?{re.escape(file.suffix)}\.(\d+)\.part")
    try:
        entries = list(os.scandir(file.parent))
    except OSError:
        return []
    matches = [(entry, match) for entry in entries if (match := name.fullmatch(entry.name))]
    return sorted(
        Path(entry.path) for entry, match in matches if not match[1] or not permissions.is_running(int(match[2]))
    )


def _candidates(
    graph: Path, location: KeyLocation | None, *, ask: AskPassphrase | None, environment: Mapping[str, str]
) -> Iterator[Key]:
    """The keys at all locations, each searched only if no earlier key opens the graph.

    Raises:
        errors.KeyMissing: no key was found; the message lists the locations searched.
    """
    searched: list[str] = []
    any_key = False
    for key in _search(graph, location, ask, environment, searched):
        any_key = True
        yield key
    if not any_key:
        raise errors.KeyMissing(
            f"{graph} is encrypted, and its key was not found: {'; '.join(searched)}",
            hint=f"Restore the key you exported: `{profile.command_prefix(graph)} key import FILE`; or name the file "
            "with the key in KG_KEY_FILE. "
            "Without the key nobody can read the graph.",
        )


def _search(
    graph: Path,
    location: KeyLocation | None,
    ask: AskPassphrase | None,
    environment: Mapping[str, str],
    searched: list[str],
) -> Iterator[Key]:
    """The keys at each location in turn; `searched` gets a reason for each that has none."""
    if name := environment.get("KG_KEY_FILE", "").strip():
        yield from read(_file_in_environment(name))
    else:
        file = Path(location.file) if location and location.source == "file" and location.file else default_file(graph)
        if file.exists():
            yield from read(file)
        else:
            searched.append(f"there is no key file {file}")
    if digits := environment.get("KG_KEY", "").strip():
        yield from_digits(digits, "KG_KEY")
    else:
        searched.append("KG_KEY is not set")
    wrapped = wrapped_file(graph, location)
    if location is not None and location.source == "passphrase" and not wrapped.exists():
        searched.append(f"there is no {wrapped}, the key wrapped with a passphrase")
    if wrapped.exists() and (location is None or location.source == "passphrase"):
        if ask is None:
            searched.append(f"{wrapped.name} needs its passphrase, and there is no terminal to ask for it")
        else:
            yield from unwrap(wrapped, ask)
        return
    # Last, because importing the keyring library takes longer than the rest of a start.
    try:
        yield from read_from_keyring(keyring_account(graph, location))
    except errors.KeyMissing as error:
        searched.append(error.message)


def _file_in_environment(name: str) -> Path:
    if looks_like_digits(name):
        raise errors.KeyInvalid(
            "KG_KEY_FILE holds a key instead of a file name",
            hint="Put the key into KG_KEY, or into a file only you can read. It may have been seen: see `kg rekey`.",
        )
    file = permissions.expanded(name)
    if not file.exists():
        raise errors.KeyMissing(f"KG_KEY_FILE names {file}, which does not exist")
    return file


# The system keyring as a place for keys.

KEYRING_SERVICE = "keepgraph"
"""The service name of our entries in the keyring."""


def read_from_keyring(name: str) -> list[Key]:
    """The keys in the keyring under a name.

    Raises:
        errors.KeyMissing: it has none, is locked, or does not exist; the message says which.
    """
    with _keyring("cannot be read") as keyring:
        text = keyring.get_password(KEYRING_SERVICE, name)
    if text is None:
        raise errors.KeyMissing(f"the system keyring has no key for {name}")
    return parse(text.encode(), "the keyring")


def _write_to_keyring(name: str, saved: Sequence[Key]) -> None:
    """Replace the keys in the keyring under a name.

    Raises:
        errors.KeyMissing: there is no keyring, or it is locked.
    """
    with _keyring("cannot keep a key", hint="Keep it in a file instead: --key file.") as keyring:
        keyring.set_password(KEYRING_SERVICE, name, "\n".join(key.digits for key in saved))


def _delete_from_keyring(name: str) -> None:
    """Delete the keys under a name, if there are any.

    Raises:
        errors.KeyMissing: there is no keyring, or it refuses.
    """
    with _keyring(f"did not delete {name}") as keyring:
        if keyring.get_password(KEYRING_SERVICE, name) is not None:
            keyring.delete_password(KEYRING_SERVICE, name)


@contextmanager
def _keyring(problem: str, *, hint: str | None = None) -> Iterator[Any]:
    """The library of the system keyring, whose errors become KeyMissing: the keyring has this problem."""
    import keyring
    from keyring.errors import KeyringError

    try:
        yield keyring
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(f"the system keyring {problem} ({type(error).__name__})", hint=hint) from error
