"""Backfill: data derived after the write that makes it necessary, such as vectors."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.backfill import time_limits, vectors
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
