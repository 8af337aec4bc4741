"""Topology: the facts of a graph as arrays, the paths in it, and what is around some entities."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.topology import paths, text_graphs
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
