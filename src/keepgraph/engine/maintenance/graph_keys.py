"""The key of one graph: making it, finding the one that opens its file, and bringing back one that was exported."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from keepgraph import errors, store
from keepgraph.model import Key, KeyLocation
from keepgraph.profiles import key_locations, keys, settings_file
from keepgraph.profiles.keys import AskPassphrase


def new_location(graph: Path, source: str, *, file: Path | None = None) -> KeyLocation:
    """A location for a new key where there is no other key, which would be overwritten.

    Args:
        source: file, keyring or passphrase.
        file: the key file that a person asks for; None is a new one.

    Raises:
        errors.InvalidArguments: the file exists already, or the source is unknown.
    """
    match source:
        case "file":
            if file is not None and file.exists() and not _has_key_of(graph, file):
                raise errors.InvalidArguments(
                    f"{file} already exists, and a key in it would be lost", hint="Name a new file."
                )
            return KeyLocation(source, file=str(file or _unused_file(key_locations.default_file(graph))))
        case "keyring":
            return KeyLocation(source, account=_unused_account(key_locations.keyring_account(graph, None)))
        case "passphrase":
            return KeyLocation(source, file=str(_unused_file(key_locations.wrapped_file(graph))))
        case _:
            raise errors.InvalidArguments(
                f"a key cannot be kept in {source!r}", hint="Use file, keyring or passphrase."
            )


def create(graph: Path, location: KeyLocation, *, passphrase: str | None = None) -> Key:
    """Make the key of a graph that does not exist yet, save it, and write to the settings where it is."""
    key = generate(location)
    location = replace(location, fingerprint=key.fingerprint)
    key_locations.save(graph, location, [key], passphrase=passphrase)
    write_settings(graph, location, encrypted=True)
    return key


def generate(location: KeyLocation) -> Key:
    """A random key; or the one in the environment, if that is the location."""
    from_environment = key_locations.from_environment() if location.source == "environment" else None
    return from_environment or keys.new()


def find(graph: Path, *, ask: AskPassphrase | None = None) -> tuple[Key, list[Key]]:
    """The key that opens an encrypted graph, and the others that are saved with it.

    Raises:
        errors.GraphNotEncrypted: it is plain.
        errors.GraphUnavailable: it is neither plain nor encrypted.
        errors.KeyMissing, KeyWrong, KeyInvalid: there is no key, or none that opens it.
    """
    kind = store.files.kind(graph)
    if kind is store.files.Kind.PLAIN:
        raise errors.GraphNotEncrypted(f"{graph} is not encrypted")
    if kind is not store.files.Kind.ENCRYPTED:
        raise errors.GraphUnavailable(f"{graph} is neither a plain nor an encrypted graph, or was cut short")
    tried: list[Key] = []
    opening: Key | None = None
    for key in key_locations.key_source(graph, settings_file.read(graph).key, ask=ask).candidates():
        # Keys at the same location belong to a change of the key that was interrupted; other locations do not matter.
        if opening is not None and key.origin != opening.origin:
            break
        tried.append(key)
        if opening is None and store.copies.opens_with(graph, key):
            opening = key
    if opening is not None:
        return opening, [key for key in without_duplicates(tried) if key.digits != opening.digits]
    raise errors.KeyWrong(f"{graph} is encrypted, and {tried[0].origin} does not open it")


def find_for_restoration(
    graph: Path, backup: Path, *, ask: AskPassphrase | None = None
) -> tuple[Key | None, list[Key]]:
    """The key that a restored graph will have, and all that its backup may have been encrypted with.

    A graph keeps the key it has. If it is lost or damaged, its settings or the backup tell what that was. A key from
    the environment may be that of the backup alone.
    """
    location = settings_file.read(graph).key
    kind = store.files.kind(graph) if graph.exists() else store.files.Kind.EMPTY
    is_backup_encrypted = store.files.kind(backup) is store.files.Kind.ENCRYPTED
    was_encrypted = kind is store.files.Kind.ENCRYPTED or (kind is not store.files.Kind.PLAIN and is_backup_encrypted)
    should_be_encrypted = location is not None and location.encrypted
    if not was_encrypted and not is_backup_encrypted and not should_be_encrypted:
        return None, []
    saved = list(candidates(graph, location, ask, environment=False))
    available = without_duplicates([*saved, *candidates(graph, location, None, environment=True)])
    if not available and location is None and kind is store.files.Kind.PLAIN:
        raise errors.BackupFailed(
            f"{backup} is encrypted with a key that is not here, or is damaged",
            hint="Name the file with its key in KG_KEY_FILE, or restore another backup.",
        )
    if not available:
        next(key_locations.key_source(graph, location, ask=ask).candidates())  # raises, and tells where it searched
    if not was_encrypted and not should_be_encrypted:
        return None, available
    by_preference = [
        *(key for key in available if kind is store.files.Kind.ENCRYPTED and store.copies.opens_with(graph, key)),
        *(key for key in available if location is not None and key.fingerprint == location.fingerprint),
        *saved,
        *(key for key in available if store.copies.opens_with(backup, key)),
        *available,
    ]
    return by_preference[0], available


def import_key(
    graph: Path,
    exported: Sequence[Key],
    location: KeyLocation,
    *,
    passphrase: str | None = None,
    ask: AskPassphrase | None = None,
) -> Key:
    """Save a key that was exported, where it opens the graph, or where a backup that it opens may be restored.

    That is where there is no graph yet, or an empty one that a key of its own opens.

    Args:
        exported: all keys of the file to which it was exported: others in it are those of older backups.

    Returns:
        The key that the graph has from now on.

    Raises:
        errors.KeyWrong: none of them opens it, and there is something in it; nothing was changed.
    """
    own = list(exported[:1])
    if graph.exists():
        own = [key for key in exported if store.copies.opens_with(graph, key)][:1] or _keys_of_empty(graph, ask)
    if not own:
        raise errors.KeyWrong(f"{exported[0].origin} does not open {graph}; nothing was changed")
    location = replace(location, fingerprint=own[0].fingerprint)
    saved = without_duplicates([own[0], *exported, *own, *_keys_at(graph, location)])
    key_locations.save(graph, location, saved, passphrase=passphrase)
    write_settings(graph, location, encrypted=True)
    return own[0]


def _keys_of_empty(graph: Path, ask: AskPassphrase | None) -> list[Key]:
    """The keys of an encrypted graph in which nothing is, that which opens it first; none of any other."""
    with suppress(errors.KeyMissing, errors.KeyWrong, errors.KeyInvalid, errors.GraphNotEncrypted):
        key, others = find(graph, ask=ask)
        return [key, *others] if store.copies.is_empty(graph, key=key) else []
    return []


def candidates(
    graph: Path, location: KeyLocation | None, ask: AskPassphrase | None, *, environment: bool
) -> Iterator[Key]:
    """The keys of a graph, none where there are none.

    Args:
        environment: whether those in the environment count too; if it is the location of the key, they do anyway.
    """
    if not environment and not (location is not None and location.source == "environment"):
        source = key_locations.key_source(graph, location, ask=ask, environment={})
    else:
        source = key_locations.key_source(graph, location, ask=ask)
    with suppress(errors.KeyMissing):
        yield from source.candidates()


def write_settings(graph: Path, location: KeyLocation, *, encrypted: bool) -> None:
    """Write to the settings of a graph where its key is, and whether a plain file is refused."""
    settings_file.update(
        graph,
        {
            ("key", "source"): location.source,
            ("key", "file"): location.file,
            ("key", "account"): location.account,
            ("key", "encrypted"): encrypted,
            ("key", "fingerprint"): location.fingerprint,
            ("key", "former"): location.former,
            ("key", "change"): location.change,
        },
    )


def is_unused(location: KeyLocation) -> bool:
    """Whether an interrupted encryption has chosen this key file, and written nothing to it yet."""
    return location.source == "file" and location.file is not None and not Path(location.file).exists()


def without_duplicates(duplicates: Iterable[Key]) -> list[Key]:
    """Keys without repeated ones, of which the last counts, at the position of the first."""
    return list({key.digits: key for key in duplicates}.values())


def _keys_at(graph: Path, location: KeyLocation) -> list[Key]:
    """The keys at a location, if they can be read without a passphrase."""
    with suppress(errors.KeepgraphError):
        if location.source == "file" and location.file:
            return keys.read(Path(location.file))
        if location.source == "keyring":
            return key_locations.read_from_keyring(key_locations.keyring_account(graph, location))
    return []


def _has_key_of(graph: Path, file: Path) -> bool:
    """Whether a key file has a key of this graph: an interrupted encryption has written it."""
    try:
        return graph.exists() and any(store.copies.opens_with(graph, key) for key in keys.read(file))
    except errors.KeepgraphError:
        return False


def _unused_file(file: Path) -> Path:
    """A file of this name, or with a number in it, that does not exist yet."""
    names = (file if n == 1 else file.with_name(f"{file.stem}-{n}{file.suffix}") for n in itertools.count(1))
    return next(name for name in names if not name.exists())


def _unused_account(name: str) -> str:
    """An account of this name, or with a number after it, under which the keyring has nothing yet."""
    for n in itertools.count(1):
        account = name if n == 1 else f"{name}-{n}"
        try:
            key_locations.read_from_keyring(account)
        except errors.KeyMissing:
            return account
    raise AssertionError
