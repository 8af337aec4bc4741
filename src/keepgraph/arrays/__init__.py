"""Adjacency in memory: the neighbours of all nodes in flat arrays (compressed sparse rows)."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
