"""Keys: made at random or parsed from text; 32 bytes, written as 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from keepgraph import errors, lazy, permissions
from keepgraph.model import Key

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
