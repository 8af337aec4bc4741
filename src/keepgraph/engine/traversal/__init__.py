"""Traversals: streams of entities, facts and vectors that grow step by step, and are filtered and read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.traversal import chain, records, steps
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
