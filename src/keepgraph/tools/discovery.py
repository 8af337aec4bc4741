"""The discovery toolset: what there is in the graph, and questions of one's own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from keepgraph.engine import diagnosis, introductions, queries, schema
from keepgraph.store.db import Tx
from keepgraph.tools import results, shape, views
from keepgraph.tools.catalogue import Effect, tool


@tool(Effect.READ, told=introductions.of_words)
def get_schema(tx: Tx, *, exact: bool = False, as_of: str | None = None, known_at: str | None = None) -> dict[str, Any]:
    """Show what the graph holds: labels and relationship types with counts, properties, and what connects what."""
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    return {
        "type": "schema",
        "graph_name": tx.group,
        "domain": tx.group.replace("_", " ").title(),
        **shape.schema(schema.of_graph(tx, exact=exact)),
    }


@tool(Effect.READ, told=introductions.of_patterns)
def run_cypher(
    tx: Tx,
    *,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Ask the graph in read-only openCypher: count, compare, follow paths, find gaps. Look at get_schema first.

    Labels are types (:Person), relationship types are predicates ([:REPORTS_TO]); nodes have name, summary, aliases;
    relationships text, confidence, source, recorded_at, valid_from, valid_to (ISO text). Literals are
    (:Literal {value}). Slips of syntax are mended (auto_fixes); an empty answer says what may be wrong (warnings).
    """
    began = time.perf_counter()
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    answer = queries.answer(tx, query, parameters or {}, rows=limit)
    found = {
        "query": answer.text,
        "auto_fixes": list(answer.fixes),
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
        "limit_applied": answer.limit,
        "columns": list(answer.columns),
        **results.shown(answer.columns, answer.rows),
    }
    if diagnosis.is_hollow(answer.rows):
        found["warnings"] = [
            {"kind": each.kind, "written": each.written, "message": each.message, "near": list(each.near)}
            for each in diagnosis.of_nothing(tx, answer, parameters or {})
        ]
    return {**found, "execution_ms": round((time.perf_counter() - began) * 1000, 2)}
