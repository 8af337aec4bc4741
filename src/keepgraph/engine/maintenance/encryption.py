"""Encryption of a graph: from plain to encrypted, back, or to another key.

Each may be interrupted at any point. The new key is saved, and read back, before anything is encrypted with it; the
settings say before and after where it is, and meanwhile what is being done (see unfinished_changes.py); and the graph
itself changes in one step, when a verified copy replaces its file. A graph is encrypted after its backups, so that
nothing plain is left beside an encrypted one. From the first step to the last, nobody else may have the graph open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from keepgraph import errors, store
from keepgraph.engine.maintenance import backups, graph_keys
from keepgraph.engine.maintenance.unfinished_changes import DECRYPT, ENCRYPT, REKEY
from keepgraph.model import Key, KeyLocation
from keepgraph.profiles import key_locations, keys, profile, settings_file
from keepgraph.profiles.keys import AskPassphrase


@dataclass(slots=True)
class Report:
    """What became of a graph and its backups.

    Attributes:
        location: where the key is now; None for a graph that is plain now.
        key: the key itself; None for a plain graph.
        tables: how many tables were compared row by row.
        backups: those that were given the same key.
        failures: what was left as it was, each with the reason: backups by their file, and "the old key".
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

    The old file is overwritten with zeros as well as may be; see docs/security.md for what that is worth.

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
        needs_old_keys = location is None or not is_plain or backups.any_encrypted(graph)
        old_keys = _find_old_keys(graph, previous, ask) if needs_old_keys else []
        if is_plain and (previous is None or not old_keys or location is not None):
            location, new = _save_new_key(graph, location, previous, old_keys, passphrase)
            saved_with_old = bool(old_keys)
        else:
            location, new = _resume(graph, previous, old_keys, is_plain=is_plain)
            location = replace(location, change=ENCRYPT)
            graph_keys.write_settings(graph, location, encrypted=False)
            saved_with_old = False
        report = Report(location=location, key=new)
        store.files.remove_overwritten(store.files.prompt_history(graph))
        _reencrypt_backups(graph, [None, *old_keys], new, report)
        if is_plain:
            report.tables = _rewrite(graph, old=None, new=new)
        if saved_with_old and not report.failures:
            key_locations.save(graph, location, [new], passphrase=passphrase)
        location = replace(location, fingerprint=new.fingerprint, change=None)
        graph_keys.write_settings(graph, location, encrypted=True)
    return report


def decrypt(graph: Path, key: Key) -> Report:
    """Make a plain graph of an encrypted one. Its backups and its key stay as they are: the backups need the key."""
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        location = settings_file.read(graph).key
        if location is not None:
            graph_keys.write_settings(graph, replace(location, change=DECRYPT), encrypted=False)
        report = Report(location=None)
        try:
            report.tables = _rewrite(graph, old=key, new=None)
        except (errors.KeepgraphError, OSError):
            if location is not None:
                graph_keys.write_settings(graph, replace(location, change=None), encrypted=True)
            raise
        if location is not None:
            graph_keys.write_settings(graph, replace(location, change=None), encrypted=False)
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
            graph_keys.write_settings(graph, replace(current, change=REKEY), encrypted=current.encrypted)
        new, old_keys = keys.new(), graph_keys.without_duplicates([old, *older])
        key_locations.save(graph, target, [*old_keys, new], passphrase=passphrase)
        graph_keys.write_settings(graph, replace(target, fingerprint=None), encrypted=True)
        report = Report(location=target, key=new)
        report.tables = _rewrite(graph, old=old, new=new)
        _reencrypt_backups(graph, [*old_keys, None], new, report)
        key_locations.save(graph, target, [new, *(old_keys if report.failures else [])], passphrase=passphrase)
        target = replace(target, fingerprint=new.fingerprint, change=None)
        graph_keys.write_settings(graph, target, encrypted=True)
        if target.former and not report.failures:
            target = _delete_former_key(graph, target, report)
        report.location = target
    return report


def _find_old_keys(graph: Path, location: KeyLocation | None, ask: AskPassphrase | None) -> list[Key]:
    """The keys that an interrupted encryption, or a graph that was decrypted, has left at a location."""
    return list(graph_keys.candidates(graph, location, ask, environment=True)) if location is not None else []


def _save_new_key(
    graph: Path,
    location: KeyLocation | None,
    previous: KeyLocation | None,
    old_keys: Sequence[Key],
    passphrase: str | None,
) -> tuple[KeyLocation, Key]:
    """Make a key for a plain graph and save it, together with the old keys that backups may need."""
    if location is None:
        reusable = previous is not None and graph_keys.is_unused(previous)
        location = previous if previous is not None and reusable else graph_keys.new_location(graph, "file")
    new = graph_keys.generate(location)
    location = replace(location, fingerprint=new.fingerprint, change=ENCRYPT)
    # The graph is still plain: until it is encrypted, the settings may name a key that is not saved yet.
    graph_keys.write_settings(graph, location, encrypted=False)
    key_locations.save(graph, location, [*old_keys, new], passphrase=passphrase)
    return location, new


def _resume(
    graph: Path, previous: KeyLocation | None, old_keys: Sequence[Key], *, is_plain: bool
) -> tuple[KeyLocation, Key]:
    """The location and the key of an encryption that was interrupted.

    Raises:
        errors.InvalidArguments: none was: the graph is encrypted already, or is no graph.
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
        or (requested is None and key_locations.from_environment() is not None)
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
            key_locations.delete(graph, former)
    except errors.KeyMissing as error:
        report.failures["the old key"] = error.message
    location = replace(location, former=None)
    graph_keys.write_settings(graph, location, encrypted=True)
    return location
