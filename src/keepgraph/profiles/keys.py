"""Keys: made at random or parsed from text; 32 bytes, written as 64 hexadecimal digits."""

from __future__ import annotations

import hashlib

from keepgraph import errors, lazy
from keepgraph.model import Key
from keepgraph.profiles import memory_dumps

MAX_FILE_BYTES = 10_000
"""No more is read of a key file: a wrong file may be very large."""

_DIGITS = lazy.compile(r"[0-9a-fA-F]{64}")


def new() -> Key:
    """A key from the random generator of the system."""
    import secrets

    return from_digits(secrets.token_hex(32), "a new key")


def from_digits(digits: str, origin: str) -> Key:
    """A key from its digits, in either case. From here on, no core dump is written of the process.

    Args:
        origin: where the digits come from, in words to show.

    Raises:
        errors.KeyInvalid: these are not 64 hexadecimal digits. The message does not repeat them: they may be a secret.
    """
    digits = digits.strip()
    if not looks_like_digits(digits):
        raise errors.KeyInvalid(f"{origin} is not a key: it is not 64 hexadecimal digits")
    memory_dumps.prevent()
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
