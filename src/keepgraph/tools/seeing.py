"""The seeing toolset: a picture of a part of the graph, for clients that show pages (MCP Apps)."""

from __future__ import annotations

from typing import Any

from keepgraph.engine.analysis import graph_map
from keepgraph.store.transactions import Tx
from keepgraph.tools import page
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_NODES = 150


@tool(Effect.READ, needs=page.needs_of_extract)
def show_graph(
    tx: Tx, *, about: str | None = None, depth: int = 1, as_of: str | None = None, limit: int = MAX_NODES
) -> dict[str, Any]:
    """Show a part of the graph as a picture: what surrounds an entity, or what has the most connections.

    The client draws it if it can; the text has the same facts as sentences.
    """
    request = page.read_request(tx, about=about, as_of=as_of)
    extract = (
        graph_map.most_connected(request.tx, at_instant=as_of is not None, limit=limit)
        if about is None
        else page.around(request, depth=depth, texts=False, limit=limit)
    )
    return page.answer(tx, request, extract)
