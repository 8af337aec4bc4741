"""The query_command toolset, for `kg query` and never listed: results as rows, query plans, repair, completion."""

from __future__ import annotations

import time

from keepgraph.engine.query import empty_results, graph_catalogue, query_pipeline
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import catalogue, internal_types, search_calls
from keepgraph.tools.contract.catalogue import Effect, tool


@tool(Effect.READ)
def run_query(
    tx: Tx,
    *,
    query: internal_types.Query,
    parameters: internal_types.Parameters | None = None,
    limit: internal_types.RowLimit | None = None,
    as_of: internal_types.AsOf | None = None,
    known_at: internal_types.KnownAt | None = None,
) -> internal_types.QueryRows:
    """Run a query; the answer is always rows, while run_cypher shows nodes and relationships as a graph."""
    started = time.perf_counter()
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    result = query_pipeline.run(tx, query, parameters or {}, rows=limit)
    warnings = empty_results.explain(tx, result)
    return {
        "columns": list(result.columns),
        "rows": [[search_calls.to_json(value) for value in row] for row in result.rows],
        "truncated": result.truncated,
        "auto_fixes": list(result.repairs),
        "warnings": [warning.message for warning in warnings],
        "execution_ms": round((time.perf_counter() - started) * 1000, 2),
    }


@tool(Effect.READ)
def explain_query(
    tx: Tx,
    *,
    query: internal_types.Query,
    parameters: internal_types.Parameters | None = None,
    limit: internal_types.RowLimit | None = None,
    as_of: internal_types.AsOf | None = None,
    known_at: internal_types.KnownAt | None = None,
) -> internal_types.QueryPlan:
    """Show the plan of a query: its repairs, its SQL with the plan of SQLite for each statement, what executes it."""
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    explanation = query_pipeline.explain(tx, query, parameters or {}, rows=limit)
    return {
        "query": explanation.text,
        "auto_fixes": list(explanation.fixes),
        "by": explanation.target,
        "statements": [
            {"sql": sql, "plan": [{"step": step, "under": parent, "what": detail} for step, parent, detail in steps]}
            for sql, steps in explanation.statements
        ],
    }


@tool(Effect.READ)
def repair_query(tx: Tx, *, query: internal_types.Query) -> internal_types.RepairedQuery:
    """Repair a query: the positions of errors are positions in this text."""
    return {"query": query_pipeline.repair(tx, query)}


@tool(Effect.READ)
def list_query_words(tx: Tx) -> internal_types.QueryWords:
    """List the words of queries: labels, types and properties of the graph, functions and keywords of Cypher."""
    vocabulary = graph_vocabulary.read(tx)
    functions, keywords = query_pipeline.functions_and_keywords()
    return {
        "labels": [*(graph_catalogue.label(term.name) for term in vocabulary.types), graph_catalogue.LITERAL],
        "types": [graph_catalogue.relationship_type(term.name) for term in vocabulary.predicates],
        "properties": sorted(
            {*graph_catalogue.NODE_COLUMNS, *graph_catalogue.EDGE_COLUMNS, *graph_catalogue.LITERAL_PROPERTIES}
        ),
        "functions": functions,
        "keywords": keywords,
    }
