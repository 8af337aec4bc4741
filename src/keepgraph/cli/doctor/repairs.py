"""Repairs of `kg doctor --fix`; each inspects the graph again, after the repair before it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, store
from keepgraph.cli.doctor import inspection
from keepgraph.cli.doctor.inspection import InspectedGraph
from keepgraph.engine.upkeep import backups, integrity, rebuilding, restoration, unfinished_changes
from keepgraph.graph import open
from keepgraph.model import Key
from keepgraph.profiles import settings_file
from keepgraph.store.database import Database

_BEFORE_FIX = "before-fix"


def repair(graph: Path, ask: Callable[[str], str] | None) -> tuple[list[str], list[str]]:
    """Run all repairs; returns messages about what was repaired, and about what could not be."""
    repaired: list[str] = []
    failures: list[str] = []
    for repair_step in (
        _repair_permissions,
        _repair_log,
        _remove_partial_files,
        _repair_schema,
        _migrate,
        _rebuild_derived_data,
        _update_fingerprint,
        _encrypt_backups,
    ):
        try:
            for message in repair_step(inspection.inspect(graph, ask)):
                repaired.append(message)
        except errors.KeepgraphError as error:
            failures.append(error.message)
        except OSError as error:
            failures.append(f"{error.filename}: {error.strerror}")
    return repaired, failures


def _repair_permissions(target: InspectedGraph) -> Iterator[str]:
    """Take the permissions of group and others from files and folders."""
    last_error = None
    for path in inspection.readable_by_others(target) if os.name == "posix" else []:
        try:
            path.chmod(path.stat().st_mode & 0o700)
        except OSError as error:
            last_error = error
        else:
            yield f"kept others from {path}"
    if last_error is not None:
        raise last_error


def _repair_log(target: InspectedGraph) -> Iterator[str]:
    """Drop unreadable transactions from the write-ahead log, after copying the files aside."""
    if not target.lost_transactions:
        return
    is_plain = store.files.kind(target.path) is store.files.Kind.PLAIN
    keys: list[Key | None] = [None] if is_plain else [*inspection.find_keys(target)]
    matching_keys = [key for key in keys if store.copies.opens_with(target.path, key)]
    if not matching_keys:
        raise errors.KeyWrong("the log was left as it is, since no key opens the graph")
    with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        folder = restoration.set_aside(target.path, now=datetime.now(UTC))
        # When it opens the file, SQLite recovers the readable part of the log and drops the rest.
        store.connections.connect(target.path, "rw", key=matching_keys[0], exclusive=True).close()
    yield f"went on without {target.lost_transactions:,} changes in the log; the files as they were are in {folder}"


def _remove_partial_files(target: InspectedGraph) -> Iterator[str]:
    """Remove unfinished files, under the lock of the file that they were to become."""
    for partial in inspection.partial_files(target) if target.is_idle else []:
        target_file = partial.with_name(partial.name.removeprefix(".").partition("-part")[0])
        with store.file_locks.exclusive(target_file, timeout=0):
            store.files.remove_overwritten(partial)
        yield f"took {partial} away"


def _repair_schema(target: InspectedGraph) -> Iterator[str]:
    """Drop what is too many in the schema and make what it lacks, after copying the files aside."""
    if not target.exists or target.lost_transactions:
        return
    key = next(
        (key for key in (None, *inspection.find_keys(target)) if store.copies.opens_with(target.path, key)), None
    )
    try:
        # Nobody else may have it open, so that the log is in the file and the copy aside is whole.
        with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
            yield from _repair_schema_of(target.path, key)
    except sqlite.Error as error:
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        raise errors.GraphSchemaDiffers(f"the schema was left as it is: a part cannot be made anew ({name})") from error


def _repair_schema_of(graph: Path, key: Key | None) -> Iterator[str]:
    with store.copies.open_exclusively(graph, key=key) as conn:
        if not store.migrations.version(conn) or store.schema_parts.is_as_migrated(conn):
            return
    folder = restoration.set_aside(graph, now=datetime.now(UTC))
    with store.copies.open_exclusively(graph, key=key) as conn:
        messages = store.schema_parts.repair(conn)
    yield f"kept the files as they were in {folder}"
    yield from messages


def _migrate(target: InspectedGraph) -> Iterator[str]:
    """Migrate an older schema: opening for writing does it, with a backup before."""
    if not target.exists:
        return
    try:
        inspection.open_read_only(target).close()
    except errors.GraphReadOnly:
        open(target.path, create=False, ask=target.ask_passphrase).close()
        yield "brought the tables up to date"
    except errors.KeepgraphError:
        pass  # the check that follows reports it


def _rebuild_derived_data(target: InspectedGraph) -> Iterator[str]:
    """Rebuild indexes and other data derived from the tables, with a backup before."""
    try:
        with closing(inspection.open_read_only(target)) as database:
            _, faults = integrity.check_all(database)
    except errors.KeepgraphError:
        return  # the check that follows reports it
    if faults.is_unrepairable:
        raise errors.GraphDamaged("the tables were left as they are: what is wrong with them cannot be made anew")
    if not faults:
        return
    with open(target.path, create=False, ask=target.ask_passphrase) as graph:
        backup = _try_backup(graph.database)
        if backup is not None:
            yield f"made the backup {backup}"
            with graph.database.write("doctor") as tx:
                repaired = rebuilding.rebuild(tx, faults)
            yield from repaired
            return
    # With these faults no backup passes its checks, so the files are copied aside instead.
    with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        yield f"kept the files as they were in {restoration.set_aside(target.path, now=datetime.now(UTC))}"
    with open(target.path, create=False, ask=target.ask_passphrase) as graph, graph.database.write("doctor") as tx:
        repaired = rebuilding.rebuild(tx, faults)
    yield from repaired


def _try_backup(database: Database) -> Path | None:
    try:
        return backups.make(database, _BEFORE_FIX).file
    except errors.BackupFailed:
        return None


def _update_fingerprint(target: InspectedGraph) -> Iterator[str]:
    """Write the fingerprint of the key that opens the graph into the settings."""
    location = target.profile.key
    if location is None or location.fingerprint is None or not target.exists:
        return
    try:
        with closing(inspection.open_read_only(target)) as database:
            key = database.key
    except errors.KeepgraphError:
        return  # the check that follows reports it
    if key is not None and key.fingerprint != location.fingerprint:
        settings_file.update(target.path, {("key", "fingerprint"): key.fingerprint})
        yield "noted in the settings which key opens the graph"


def _encrypt_backups(target: InspectedGraph) -> Iterator[str]:
    """Encrypt unencrypted backups of an encrypted graph."""
    if not target.exists or not unfinished_changes.plain_backups(target.path):
        return
    try:
        with closing(inspection.open_read_only(target)) as database:
            key = database.key
    except errors.KeepgraphError:
        return  # the check that follows reports it
    if key is not None:
        for file, problem in backups.reencrypt_all(target.path, old=[None], new=key):
            if problem is None:
                yield f"encrypted {file}"
