"""Backups, restoration, encryption, purging, integrity checks, history, undo, idempotency, and long jobs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.maintenance import (
        backups,
        call_descriptions,
        deletion,
        encryption,
        graph_keys,
        history,
        idempotency,
        integrity,
        jobs,
        purge,
        undo,
        unfinished_changes,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
