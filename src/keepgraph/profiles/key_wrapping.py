"""Key wrapping: a file with keys that a passphrase opens.

Argon2id (RFC 9106) derives a key from the passphrase, and AES key wrap (RFC 3394) encrypts our keys with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from keepgraph import errors, permissions
from keepgraph.model import Key
from keepgraph.profiles import keys

AskPassphrase = Callable[[str], str]
"""Asks a person for a passphrase with this prompt; what is typed is not shown."""

# The second recommended option of RFC 9106; it takes about a quarter of a second.
_ARGON2 = {"memory_kib": 65_536, "iterations": 3, "lanes": 4}
# A file that asks for more is refused: it would only use up memory and time.
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
    """The keys in a file that `wrap` has written; a person is asked for the passphrase.

    Raises:
        errors.KeyInvalid: the file is not a wrapped key, or is damaged.
        errors.KeyWrong: this is not the passphrase.
    """
    from argon2.exceptions import HashingError
    from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap

    try:
        header = json.loads(file.read_bytes()[: keys.MAX_FILE_BYTES])
        salt, wrapped = bytes.fromhex(header["salt"]), bytes.fromhex(header["wrapped"])
        cost = {name: int(header[name]) for name in _ARGON2}
        if (header["keepgraph"], header["version"], header["kdf"]) != ("wrapped key", 1, "argon2id") or any(
            not 0 < cost[name] <= _MAX_ARGON2[name] for name in cost
        ):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise errors.KeyInvalid(
            f"{file} is not a wrapped key, or is damaged", hint="Put back the key you exported: `kg key import FILE`."
        ) from error
    try:
        raw = aes_key_unwrap(_derive_key(ask(f"Passphrase for {file.stem}"), salt, cost), wrapped)
    except HashingError as error:
        raise errors.KeyInvalid(f"{file} asks for more than this machine can do, or is damaged") from error
    except (InvalidUnwrap, ValueError) as error:
        raise errors.KeyWrong("this is not the passphrase", hint="Try again, or use the key you exported.") from error
    return [keys.from_digits(raw[start : start + 32].hex(), "the passphrase") for start in range(0, len(raw), 32)]


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
