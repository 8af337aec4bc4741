"""Derived data that is computed after the write that made it necessary: vectors."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.backfill import requests, vectors
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
