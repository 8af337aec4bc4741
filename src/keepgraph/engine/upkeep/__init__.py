"""Backups, encryption, integrity checks, history, undo, and long jobs of short calls."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.upkeep import backups, calls, encryption, history, integrity, jobs, undo
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
