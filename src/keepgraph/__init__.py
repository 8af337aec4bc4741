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

from keepgraph._version import __version__
from keepgraph.errors import KeepgraphError
from keepgraph.graph import Graph, open

__all__ = ["Graph", "KeepgraphError", "__version__", "open"]
