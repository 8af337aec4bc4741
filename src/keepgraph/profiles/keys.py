"""Keys: finds the one a graph is encrypted with, keeps it, and wraps it with a passphrase. Opens no graph.

A key is 32 random bytes, written as 64 hexadecimal digits. Wherever it is kept, there may be two on two lines: the
old and the new, while a graph is given another key; whichever opens the graph is the right one, so that a change may be
interrupted at any point.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from keepgraph import errors, permissions
from keepgraph.model import Key, KeyPlace, KeySource
from keepgraph.profiles import profile

SERVICE = "keepgraph"
"""The name under which the keyring of the system has our keys."""

Ask = Callable[[str], str]
"""Asks a person for a passphrase, with these words; what is typed is not shown."""

_DIGITS = re.compile(r"[0-9a-fA-F]{64}")
_LONGEST_FILE = 10_000
_OTHERS = 0o077

# RFC 9106, the second recommended option, with less patience: about a quarter of a second.
_ARGON2 = {"memory_kib": 65_536, "iterations": 3, "lanes": 4}
_ARGON2_AT_MOST = {"memory_kib": 262_144, "iterations": 10, "lanes": 64}
_SALT_BYTES = 16


def new() -> Key:
    """A random key."""
    import secrets

    return key(secrets.token_hex(32), "a new key")


def key(digits: str, origin: str) -> Key:
    """A key from its digits.

    Raises:
        errors.KeyInvalid: these are not 64 hexadecimal digits. They are never repeated in the message.
    """
    digits = digits.strip()
    if not _DIGITS.fullmatch(digits):
        raise errors.KeyInvalid(f"{origin} is not a key: it is not 64 hexadecimal digits")
    digits = digits.lower()
    mark = hashlib.sha256(b"keepgraph key fingerprint\0" + bytes.fromhex(digits)).hexdigest()[:16]
    return Key(digits=digits, origin=origin, fingerprint=mark)


def source(
    graph: Path,
    place: KeyPlace | None,
    *,
    given: str | None = None,
    ask: Ask | None = None,
    environment: Mapping[str, str] = os.environ,
) -> KeySource:
    """Where the key of a graph may be found: what is given, then a key file, KG_KEY, the keyring, a passphrase.

    Args:
        place: where the settings of the graph say that it is.
        given: the digits of the key, from a program that has them; nothing else is then tried.
        ask: asks for the passphrase; None where nobody can be asked.
    """
    if given is not None:
        only = key(given, "the key that was given")
        return KeySource(
            expected=True, fingerprint=place.fingerprint if place else None, candidates=lambda: iter([only])
        )
    return KeySource(
        expected=bool(
            environment.get("KG_KEY_FILE", "").strip()
            or environment.get("KG_KEY", "").strip()
            or (place and place.encrypted)
        ),
        fingerprint=place.fingerprint if place else None,
        candidates=lambda: _found(graph, place, ask=ask, environment=environment),
    )


def in_environment(environment: Mapping[str, str] = os.environ) -> Key | None:
    """The key that KG_KEY_FILE or KG_KEY gives."""
    if named := environment.get("KG_KEY_FILE", "").strip():
        return read_file(_named_file(named))[0]
    digits = environment.get("KG_KEY", "").strip()
    return key(digits, "KG_KEY") if digits else None


def default_file(graph: Path) -> Path:
    """The key file of a graph whose settings name none: not beside it, so that a copy of one has not the other."""
    return profile.config_folder() / "keys" / permissions.beside(graph, ".key").name


def wrapped_file(graph: Path, place: KeyPlace | None = None) -> Path:
    """The file beside a graph that has its key wrapped with a passphrase."""
    if place is not None and place.source == "passphrase" and place.file:
        return Path(place.file)
    return permissions.beside(graph, ".wrapped-key")


def _found(graph: Path, place: KeyPlace | None, *, ask: Ask | None, environment: Mapping[str, str]) -> Iterator[Key]:
    """The keys there are, each looked for when those before it did not fit."""
    looked: list[str] = []
    any_found = False
    for found in _by_place(graph, place, ask, environment, looked):
        any_found = True
        yield found
    if not any_found:
        raise errors.KeyMissing(
            f"{graph} is encrypted, and its key was not found: {'; '.join(looked)}",
            hint=f"Put back the key you exported: `{profile.naming(graph)} key import FILE`; or name the file that has "
            "it in KG_KEY_FILE. "
            "Without the key nobody can read the graph.",
        )


def _by_place(
    graph: Path, place: KeyPlace | None, ask: Ask | None, environment: Mapping[str, str], looked: list[str]
) -> Iterator[Key]:
    if named := environment.get("KG_KEY_FILE", "").strip():
        yield from read_file(_named_file(named))
    else:
        file = Path(place.file) if place and place.source == "file" and place.file else default_file(graph)
        if file.exists():
            yield from read_file(file)
        else:
            looked.append(f"there is no key file {file}")
    if digits := environment.get("KG_KEY", "").strip():
        yield key(digits, "KG_KEY")
    else:
        looked.append("KG_KEY is not set")
    wrapped = wrapped_file(graph, place)
    if place is not None and place.source == "passphrase" and not wrapped.exists():
        looked.append(f"there is no {wrapped}, which has it wrapped with a passphrase")
    if wrapped.exists() and (place is None or place.source == "passphrase"):
        if ask is None:
            looked.append(f"{wrapped.name} needs its passphrase, and nobody can be asked here")
        else:
            yield from unwrap(wrapped, ask)
        return
    # The library costs more than all the rest of a start: it is asked where the key is said to be, or last of all.
    try:
        yield from read_keyring(account(graph, place))
    except errors.KeyMissing as error:
        looked.append(error.message)


def _named_file(named: str) -> Path:
    if _DIGITS.fullmatch(named.strip()):
        raise errors.KeyInvalid(
            "KG_KEY_FILE holds a key, where the name of a file belongs",
            hint="Put the key into KG_KEY, or into a file for you alone. It may have been seen: see `kg rekey`.",
        )
    file = permissions.expanded(named)
    if not file.exists():
        raise errors.KeyMissing(f"KG_KEY_FILE names {file}, and there is no such file")
    return file


# Key files


def read_file(file: Path) -> list[Key]:
    """The keys in a key file; lines that begin with # are for people.

    Raises:
        errors.KeyMissing: there is no such file.
        errors.KeyInvalid: others may read it, or it has no key in it.
    """
    try:
        number = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise errors.KeyMissing(f"there is no key file {file}") from error
    except OSError as error:
        raise errors.KeyInvalid(f"the key file {file} cannot be read: {error.strerror}") from error
    about = os.fstat(number)
    if not stat.S_ISREG(about.st_mode):
        os.close(number)
        raise errors.KeyInvalid(f"the key file {file} is not a file")
    with os.fdopen(number, "rb") as opened:
        if os.name == "posix" and about.st_mode & _OTHERS:
            raise errors.KeyInvalid(
                f"the key file {file} can be read by others (mode {stat.S_IMODE(about.st_mode):04o})",
                hint=f"chmod 600 {file}; and if somebody may have read it, give the graph a new key with `kg rekey`.",
            )
        return parse(opened.read(_LONGEST_FILE), f"the key file {file}")


def parse(text: bytes, origin: str) -> list[Key]:
    """The keys in the text of a key file, from wherever it comes.

    Raises:
        errors.KeyInvalid: there is none in it, or a line that is none.
    """
    lines = [line.strip() for line in text[:_LONGEST_FILE].decode("utf-8-sig", "replace").splitlines()]
    found = [key(line, origin) for line in lines if line and not line.startswith("#")]
    if not found:
        raise errors.KeyInvalid(f"{origin} has no key in it")
    return found


def write_file(file: Path, kept: Sequence[Key], *, about: str) -> None:
    """Keep keys in a file, for its owner alone."""
    told = "".join(letter if letter.isprintable() else "?" for letter in about)
    lines = [f"# {told}", "# Whoever has it can read the graph; without it nobody can.", *(k.digits for k in kept)]
    permissions.write(file, "\n".join(lines) + "\n")


# The keyring of the system


def account(graph: Path, place: KeyPlace | None) -> str:
    """The name under which the keyring has the key of a graph."""
    return (place and place.account) or profile.name_of(graph) or str(graph)


def read_keyring(name: str) -> list[Key]:
    """The keys that the keyring of the system has under a name.

    Raises:
        errors.KeyMissing: it has none, is locked, or there is no keyring here; the message says which.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(SERVICE, name)
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(f"the keyring of the system cannot be asked ({type(error).__name__})") from error
    if text is None:
        raise errors.KeyMissing(f"the keyring of the system has none for {name}")
    return parse(text.encode(), "the keyring")


def write_keyring(name: str, kept: Sequence[Key]) -> None:
    """Keep keys in the keyring of the system.

    Raises:
        errors.KeyMissing: there is no keyring here, or it is locked.
    """
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, name, "\n".join(k.digits for k in kept))
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(
            f"the keyring of the system cannot keep a key ({type(error).__name__})",
            hint="Keep it in a file instead: --key file.",
        ) from error


def forget_keyring(name: str) -> None:
    import keyring
    from keyring.errors import KeyringError

    try:
        if keyring.get_password(SERVICE, name) is not None:
            keyring.delete_password(SERVICE, name)
    except (KeyringError, OSError, RuntimeError) as error:
        raise errors.KeyMissing(f"the keyring of the system did not give up {name} ({type(error).__name__})") from error


# A key wrapped with a passphrase: Argon2id (RFC 9106) makes the key that wraps it (AES key wrap, RFC 3394)


def wrap(file: Path, kept: Sequence[Key], passphrase: str) -> None:
    """Keep keys in a file beside the graph, wrapped with a passphrase."""
    import secrets

    from cryptography.hazmat.primitives.keywrap import aes_key_wrap

    salt = secrets.token_bytes(_SALT_BYTES)
    raw = b"".join(bytes.fromhex(k.digits) for k in kept)
    wrapped = aes_key_wrap(_derived(passphrase, salt, _ARGON2), raw)
    said = {"keepgraph": "wrapped key", "version": 1, "kdf": "argon2id", **_ARGON2}
    permissions.write(file, json.dumps({**said, "salt": salt.hex(), "wrapped": wrapped.hex()}, indent=2) + "\n")


def unwrap(file: Path, ask: Ask) -> list[Key]:
    """The keys in such a file; the passphrase is asked for.

    Raises:
        errors.KeyInvalid: the file is not one of these.
        errors.KeyWrong: the passphrase is another.
    """
    from argon2.exceptions import HashingError
    from cryptography.hazmat.primitives.keywrap import InvalidUnwrap, aes_key_unwrap

    try:
        said = json.loads(file.read_bytes()[:_LONGEST_FILE])
        salt, wrapped = bytes.fromhex(said["salt"]), bytes.fromhex(said["wrapped"])
        cost = {name: int(said[name]) for name in _ARGON2}
        if (said["keepgraph"], said["version"], said["kdf"]) != ("wrapped key", 1, "argon2id") or any(
            not 0 < cost[name] <= _ARGON2_AT_MOST[name] for name in cost
        ):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise errors.KeyInvalid(
            f"{file} is not a wrapped key, or is damaged", hint="Put back the key you exported: `kg key import FILE`."
        ) from error
    try:
        raw = aes_key_unwrap(_derived(ask(f"Passphrase for {file.stem}"), salt, cost), wrapped)
    except HashingError as error:
        raise errors.KeyInvalid(f"{file} asks for more than this machine can do, or is damaged") from error
    except (InvalidUnwrap, ValueError) as error:
        raise errors.KeyWrong("this is not the passphrase", hint="Try again, or use the key you exported.") from error
    return [key(raw[at : at + 32].hex(), "the passphrase") for at in range(0, len(raw), 32)]


def _derived(passphrase: str, salt: bytes, cost: Mapping[str, int]) -> bytes:
    import unicodedata

    from argon2.low_level import Type, hash_secret_raw

    return hash_secret_raw(
        # The same letters, however a keyboard composes them.
        unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass"),
        salt,
        time_cost=cost["iterations"],
        memory_cost=cost["memory_kib"],
        parallelism=cost["lanes"],
        hash_len=32,
        type=Type.ID,
    )


# Keeping


def keep(graph: Path, place: KeyPlace, kept: Sequence[Key], *, passphrase: str | None = None) -> None:
    """Keep keys where the place says, and read them back.

    Raises:
        errors.KeyMissing: there is no keyring, or no passphrase.
        errors.KeyInvalid: they do not come back as they were kept.
    """
    match place.source:
        case "file":
            file = Path(place.file or default_file(graph))
            write_file(file, kept, about=f"The key of {graph} ({kept[-1].fingerprint}).")
            back = read_file(file)
        case "keyring":
            write_keyring(account(graph, place), kept)
            back = read_keyring(account(graph, place))
        case "passphrase":
            if passphrase is None:
                raise errors.KeyMissing("a passphrase is needed, and nobody can be asked here")
            wrap(wrapped_file(graph, place), kept, passphrase)
            back = unwrap(wrapped_file(graph, place), lambda _: passphrase)
        case _:
            return
    if [k.digits for k in back] != [k.digits for k in kept]:
        raise errors.KeyInvalid("the key did not come back as it was kept; nothing else was changed")


def forget(graph: Path, place: KeyPlace) -> None:
    """Take a key away from where it was kept; for a graph that is gone, or has its key elsewhere.

    Raises:
        errors.KeyMissing: the keyring of the system does not give it up.
    """
    match place.source:
        case "file":
            Path(place.file or default_file(graph)).unlink(missing_ok=True)
        case "keyring":
            forget_keyring(account(graph, place))
        case "passphrase":
            wrapped_file(graph, place).unlink(missing_ok=True)
