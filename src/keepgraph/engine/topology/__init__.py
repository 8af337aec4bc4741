"""Topology: the facts of a graph as arrays, and the paths in it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.topology import fact_graphs, paths
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
