"""Where the key of a graph is kept: finding, saving and deleting it.

The locations are a key file, the environment, the system keyring, and a file wrapped with a passphrase. During a change
of the key, each may hold the old and the new key. The one that opens the graph is right, so the change may be
interrupted at any point.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions
from keepgraph.model import Key, KeyLocation, KeySource
from keepgraph.profiles import keys, profile
from keepgraph.profiles.keys import AskPassphrase


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
        given_key = keys.from_digits(given, "the key that was given")
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
        return keys.read(_file_in_environment(name))[0]
    digits = environment.get("KG_KEY", "").strip()
    return keys.from_digits(digits, "KG_KEY") if digits else None


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
            keys.write(file, saved, about=f"The key of {graph} ({saved[-1].fingerprint}).")
            read_back = keys.read(file)
        case "keyring":
            _write_to_keyring(keyring_account(graph, location), saved)
            read_back = read_from_keyring(keyring_account(graph, location))
        case "passphrase":
            if passphrase is None:
                raise errors.KeyMissing("this needs a terminal: it asks for a passphrase")
            keys.wrap(wrapped_file(graph, location), saved, passphrase)
            read_back = keys.unwrap(wrapped_file(graph, location), lambda _: passphrase)
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
        yield from keys.read(_file_in_environment(name))
    else:
        file = Path(location.file) if location and location.source == "file" and location.file else default_file(graph)
        if file.exists():
            yield from keys.read(file)
        else:
            searched.append(f"there is no key file {file}")
    if digits := environment.get("KG_KEY", "").strip():
        yield keys.from_digits(digits, "KG_KEY")
    else:
        searched.append("KG_KEY is not set")
    wrapped = wrapped_file(graph, location)
    if location is not None and location.source == "passphrase" and not wrapped.exists():
        searched.append(f"there is no {wrapped}, the key wrapped with a passphrase")
    if wrapped.exists() and (location is None or location.source == "passphrase"):
        if ask is None:
            searched.append(f"{wrapped.name} needs its passphrase, and there is no terminal to ask for it")
        else:
            yield from keys.unwrap(wrapped, ask)
        return
    # Last, because importing the keyring library takes longer than the rest of a start.
    try:
        yield from read_from_keyring(keyring_account(graph, location))
    except errors.KeyMissing as error:
        searched.append(error.message)


def _file_in_environment(name: str) -> Path:
    if keys.looks_like_digits(name):
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
    return keys.parse(text.encode(), "the keyring")


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
