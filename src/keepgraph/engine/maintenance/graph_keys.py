"""The key of one graph: making, finding and restoring it; and encryption, decryption and a change of the key."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from keepgraph import errors, store
from keepgraph.engine.maintenance import backups
from keepgraph.engine.maintenance.jobs import DECRYPT, ENCRYPT, REKEY
from keepgraph.model import Key, KeyLocation
from keepgraph.profiles import keys, profile, settings_file
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
            return KeyLocation(source, file=str(file or _unused_file(keys.default_file(graph))))
        case "keyring":
            return KeyLocation(source, account=_unused_account(keys.keyring_account(graph, None)))
        case "passphrase":
            return KeyLocation(source, file=str(_unused_file(keys.wrapped_file(graph))))
        case _:
            raise errors.InvalidArguments(
                f"a key cannot be kept in {source!r}", hint="Use file, keyring or passphrase."
            )


def create(graph: Path, location: KeyLocation, *, passphrase: str | None = None) -> Key:
    """Make the key of a graph that does not exist yet, save it, and write to the settings where it is."""
    key = generate(location)
    location = replace(location, fingerprint=key.fingerprint)
    keys.save(graph, location, [key], passphrase=passphrase)
    write_settings(graph, location, encrypted=True)
    return key


def generate(location: KeyLocation) -> Key:
    """A random key; or the one in the environment, if that is the location."""
    from_environment = keys.from_environment() if location.source == "environment" else None
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
    for key in keys.key_source(graph, settings_file.read(graph).key, ask=ask).candidates():
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

    A graph keeps the key it has. If it is lost or damaged, its settings or the backup show what it was. A key from
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
    if not available and location is None and kind is not store.files.Kind.ENCRYPTED:
        raise errors.BackupFailed(
            f"{backup} is encrypted with a key that is not here, or is damaged",
            hint="Import its key (`kg key import FILE`) or name it in KG_KEY_FILE; or restore another backup.",
        )
    if not available:
        next(keys.key_source(graph, location, ask=ask).candidates())  # raises, and says where it searched
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
    """Save a key that was exported, if it opens the graph, or if a backup that it opens may be restored.

    The latter is so without a graph, or with an empty one that its own key opens.

    Args:
        exported: all keys of the file to which it was exported: others in it are those of older backups.

    Returns:
        The key that the graph has from now on.

    Raises:
        errors.KeyWrong: none of them opens it, and it is not empty; nothing was changed.
    """
    own = list(exported[:1])
    if graph.exists():
        own = [key for key in exported if store.copies.opens_with(graph, key)][:1] or _keys_of_empty(graph, ask)
    if not own:
        raise errors.KeyWrong(f"{exported[0].origin} does not open {graph}; nothing was changed")
    location = replace(location, fingerprint=own[0].fingerprint)
    saved = without_duplicates([own[0], *exported, *own, *_keys_at(graph, location)])
    keys.save(graph, location, saved, passphrase=passphrase)
    write_settings(graph, location, encrypted=True)
    return own[0]


def _keys_of_empty(graph: Path, ask: AskPassphrase | None) -> list[Key]:
    """The keys of an empty encrypted graph, the one that opens it first; none for other graphs."""
    with suppress(errors.KeyMissing, errors.KeyWrong, errors.KeyInvalid, errors.GraphNotEncrypted):
        key, others = find(graph, ask=ask)
        return [key, *others] if store.copies.is_empty(graph, key=key) else []
    return []


def candidates(
    graph: Path, location: KeyLocation | None, ask: AskPassphrase | None, *, environment: bool
) -> Iterator[Key]:
    """The keys of a graph, if any.

    Args:
        environment: whether those in the environment count too; if it is the location of the key, they do anyway.
    """
    if not environment and not (location is not None and location.source == "environment"):
        source = keys.key_source(graph, location, ask=ask, environment={})
    else:
        source = keys.key_source(graph, location, ask=ask)
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


def without_duplicates(duplicates: Iterable[Key]) -> list[Key]:
    """The keys, each once: its last occurrence, at the position of the first."""
    return list({key.digits: key for key in duplicates}.values())


def _keys_at(graph: Path, location: KeyLocation) -> list[Key]:
    """The keys at a location, if they can be read without a passphrase."""
    with suppress(errors.KeepgraphError):
        if location.source == "file" and location.file:
            return keys.read(Path(location.file))
        if location.source == "keyring":
            return keys.read_from_keyring(keys.keyring_account(graph, location))
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
            keys.read_from_keyring(account)
        except errors.KeyMissing:
            return account
    raise AssertionError


# Encryption of a graph: from plain to encrypted, back, or to another key.
#
# Each may be interrupted at any point. The new key is saved, and read back, before anything is encrypted with it; the
# settings say before and after where it is, and meanwhile what is being done (see jobs.py); and the graph
# itself changes in one step, when a verified copy replaces its file. A graph is encrypted after its backups, so that
# nothing plain is left beside an encrypted one. From the first step to the last, nobody else may have the graph open.


@dataclass(slots=True)
class Report:
    """What became of a graph and its backups.

    Attributes:
        location: where the key is now; None for a graph that is plain now.
        key: the key itself; None for a plain graph.
        tables: how many tables were compared row by row.
        backups: those that were given the same key.
        failures: what was left unchanged, each with the reason: backups by their file, and "the old key".
    """

    location: KeyLocation | None
    key: Key | None = field(repr=False, default=None)
    tables: int = 0
    backups: list[Path] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)


def encrypt(
    graph: Path,
    location: KeyLocation | None = None,
    *,
    passphrase: str | None = None,
    ask: AskPassphrase | None = None,
) -> Report:
    """Encrypt a plain graph and its backups with a new key; or finish an encryption that was interrupted.

    The old file is overwritten with zeros if possible; docs/security.md says what that is worth.

    Args:
        location: where to save the key; None is where an interrupted encryption has saved it, or a file.
        passphrase: for a location that needs one.
        ask: asks for the passphrase of an interrupted encryption, or of a graph that was decrypted.

    Raises:
        errors.InvalidArguments: it is encrypted already.
        errors.GraphBusy: somebody has it open.
        errors.BackupFailed: the encrypted copy differs; the graph is as it was.
    """
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        previous = settings_file.read(graph).key
        is_plain = store.files.kind(graph) is store.files.Kind.PLAIN
        # A passphrase of an earlier key is asked for only where something still needs that key.
        has_encrypted = any(store.files.kind(file) is store.files.Kind.ENCRYPTED for file in backups.files(graph))
        old_keys: list[Key] = []
        if previous is not None and (location is None or not is_plain or has_encrypted):
            old_keys = list(candidates(graph, previous, ask, environment=True))
        if is_plain and (previous is None or not old_keys or location is not None):
            location, new = _save_new_key(graph, location, previous, old_keys, passphrase)
            saved_with_old = bool(old_keys)
        else:
            location, new = _resume(graph, previous, old_keys, is_plain=is_plain)
            location = replace(location, change=ENCRYPT)
            write_settings(graph, location, encrypted=False)
            saved_with_old = False
        report = Report(location=location, key=new)
        store.files.remove_overwritten(store.files.prompt_history(graph))
        _reencrypt_backups(graph, [None, *old_keys], new, report)
        if is_plain:
            report.tables = _rewrite(graph, old=None, new=new)
        if saved_with_old and not report.failures:
            keys.save(graph, location, [new], passphrase=passphrase)
        location = replace(location, fingerprint=new.fingerprint, change=None)
        write_settings(graph, location, encrypted=True)
    return report


def decrypt(graph: Path, key: Key) -> Report:
    """Make a plain graph of an encrypted one. Its backups and its key stay as they are: the backups need the key."""
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        location = settings_file.read(graph).key
        if location is not None:
            write_settings(graph, replace(location, change=DECRYPT), encrypted=False)
        report = Report(location=None)
        try:
            report.tables = _rewrite(graph, old=key, new=None)
        except (errors.KeepgraphError, OSError):
            if location is not None:
                write_settings(graph, replace(location, change=None), encrypted=True)
            raise
        if location is not None:
            write_settings(graph, replace(location, change=None), encrypted=False)
    return report


def rekey(
    graph: Path, old: Key, location: KeyLocation | None, *, older: Sequence[Key] = (), passphrase: str | None = None
) -> Report:
    """Give an encrypted graph and its backups a new key.

    Args:
        old: the key that opens it.
        location: where to save the new key; None is where the old one is.
        older: keys that backups may still have, from a change that was interrupted.

    Raises:
        errors.InvalidArguments: the key is in the environment, where a new one cannot be saved.
        errors.GraphBusy: somebody has it open.
        errors.BackupFailed: the copy with the new key differs; the graph is as it was.
    """
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        current = settings_file.read(graph).key
        target = replace(_location_of_new_key(current, location), change=REKEY)
        if current is not None:
            write_settings(graph, replace(current, change=REKEY), encrypted=current.encrypted)
        new, old_keys = keys.new(), without_duplicates([old, *older])
        keys.save(graph, target, [*old_keys, new], passphrase=passphrase)
        write_settings(graph, replace(target, fingerprint=None), encrypted=True)
        report = Report(location=target, key=new)
        report.tables = _rewrite(graph, old=old, new=new)
        _reencrypt_backups(graph, [*old_keys, None], new, report)
        keys.save(graph, target, [new, *(old_keys if report.failures else [])], passphrase=passphrase)
        target = replace(target, fingerprint=new.fingerprint, change=None)
        write_settings(graph, target, encrypted=True)
        if target.former and not report.failures:
            target = _delete_former_key(graph, target, report)
        report.location = target
    return report


def _save_new_key(
    graph: Path,
    location: KeyLocation | None,
    previous: KeyLocation | None,
    old_keys: Sequence[Key],
    passphrase: str | None,
) -> tuple[KeyLocation, Key]:
    """Make a key for a plain graph and save it, together with the old keys that backups may need."""
    if location is None:
        match previous:
            # An interrupted encryption has chosen this key file, and written nothing to it yet.
            case KeyLocation(source="file", file=str(file)) if not Path(file).exists():
                location = previous
            case _:
                location = new_location(graph, "file")
    new = generate(location)
    location = replace(location, fingerprint=new.fingerprint, change=ENCRYPT)
    # The graph is still plain: until it is encrypted, the settings may name a key that is not saved yet.
    write_settings(graph, location, encrypted=False)
    keys.save(graph, location, [*old_keys, new], passphrase=passphrase)
    return location, new


def _resume(
    graph: Path, previous: KeyLocation | None, old_keys: Sequence[Key], *, is_plain: bool
) -> tuple[KeyLocation, Key]:
    """The location and the key of an encryption that was interrupted.

    Raises:
        errors.InvalidArguments: the graph is already encrypted, or is not a graph.
    """
    opening = [key for key in old_keys if is_plain or store.copies.opens_with(graph, key)]
    if previous is None or not opening or (previous.encrypted and not is_plain):
        raise errors.InvalidArguments(
            f"{graph} is not a plain graph: it is encrypted already, or something else",
            hint=f"`{profile.command_prefix(graph)} doctor` shows what it is; `rekey` gives it another key.",
        )
    return previous, opening[-1]


def _rewrite(graph: Path, *, old: Key | None, new: Key | None) -> int:
    """Replace the graph with a copy under another key; how many tables were compared."""
    return len(store.copies.rewrite(graph, old=old, new=new, part=store.files.temporary_file(graph)))


def _reencrypt_backups(graph: Path, old: Sequence[Key | None], new: Key, report: Report) -> None:
    for file, problem in backups.reencrypt_all(graph, old=old, new=new):
        if problem is None:
            report.backups.append(file)
        else:
            report.failures[str(file)] = problem


def _location_of_new_key(current: KeyLocation | None, requested: KeyLocation | None) -> KeyLocation:
    """Where to save the new key of a graph; it names the location of the old key, until that is deleted there."""
    location = requested or current
    if (
        location is None
        or location.source == "environment"
        or (requested is None and keys.from_environment() is not None)
    ):
        raise errors.InvalidArguments(
            "the key of this graph comes from the environment, where a new one cannot be kept",
            hint="Unset KG_KEY and KG_KEY_FILE, or say where to keep it: --key file, keyring or passphrase.",
        )
    if current is None:
        return location
    if requested is None:
        return replace(location, former=current.former)
    return replace(location, former=current.former or f"{current.source}:{current.file or current.account or ''}")


def _delete_former_key(graph: Path, location: KeyLocation, report: Report) -> KeyLocation:
    """Delete the old key where it was, now that nothing is encrypted with it; the location without it."""
    source, _, name = (location.former or "").partition(":")
    is_file = source in ("file", "passphrase")
    former = KeyLocation(source, file=name or None if is_file else None, account=None if is_file else name)
    try:
        if (former.source, former.file, former.account) != (location.source, location.file, location.account):
            keys.delete(graph, former)
    except errors.KeyMissing as error:
        report.failures["the old key"] = error.message
    location = replace(location, former=None)
    write_settings(graph, location, encrypted=True)
    return location
