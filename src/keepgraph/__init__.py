"""Keepgraph: a local-first personal knowledge graph on SQLite.

import keepgraph

with keepgraph.open("notes.db") as graph:
    graph.call(
        "record_fact",
        subject={"type": "person", "name": "Priya"},
        predicate="decided_in",
        object={"type": "decision", "name": "Adopt SQLite"},
    )
    print(graph.call("recall_entity", name_or_alias="Pirya")["entity"]["name"])
"""

from typing import TYPE_CHECKING

from keepgraph._version import __version__
from keepgraph.errors import KeepgraphError

if TYPE_CHECKING:
    from keepgraph.graph import Graph, open
else:

    def __getattr__(name: str) -> object:
        # When it is used: `kg --help` opens no graph.
        if name not in ("Graph", "open"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from keepgraph import graph

        return getattr(graph, name)


__all__ = ["Graph", "KeepgraphError", "__version__", "open"]
