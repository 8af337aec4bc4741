"""Backups, restoration, encryption, purging, integrity checks, history, undo, idempotency, and long jobs."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.maintenance import (
        backups,
        call_descriptions,
        graph_keys,
        history,
        integrity,
        jobs,
        purge,
        undo,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
