"""Deletion of a whole graph: its file and settings, and on demand its backups and its key."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from keepgraph import errors, store
from keepgraph.engine.maintenance import backups
from keepgraph.profiles import key_locations, settings_file


def delete(graph: Path, *, forever: bool) -> str | None:
    """Delete a graph and its settings; with `forever` its backups and its key as well.

    Returns:
        What could not be deleted, in words.

    Raises:
        errors.GraphBusy: somebody has it open.
    """
    import shutil

    problem = None
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        location = None
        with suppress(errors.SettingsInvalid):
            location = settings_file.read(graph).key
        for file in (store.files.temporary_file(graph), store.files.prompt_history(graph), graph):
            store.files.remove_overwritten(file)
        store.run_locks.remove_files(graph)
        if forever:
            shutil.rmtree(backups.folder(graph), ignore_errors=True)
            try:
                if location is not None:
                    key_locations.delete(graph, location)
            except errors.KeyMissing as error:
                problem = error.message
        settings_file.path(graph).unlink(missing_ok=True)
    return problem
