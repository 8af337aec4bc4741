"""Queries for the command line: results as rows, query plans, repaired queries and words for completion. No tools."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from keepgraph.engine.query import empty_results, graph_catalogue, query_pipeline
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.tools.contract import query_results, time_travel, validation

_RUN_CYPHER = ("discovery", "run_cypher")


def run(
    database: Database, arguments: Mapping[str, Any], *, cancellation: CancellationCheck | None = None
) -> dict[str, Any]:
    """Run a query; the result is always rows, while the tool run_cypher shows nodes and relationships as a graph.

    Args:
        arguments: those of run_cypher.
    """
    started = time.perf_counter()
    checked = validation.check_input(*_RUN_CYPHER, arguments)
    parameters = checked.get("parameters", {})
    with database.read(_RUN_CYPHER[1], cancellation=cancellation) as tx:
        tx = time_travel.to(tx, as_of=checked.get("as_of"), known_at=checked.get("known_at"))
        answer = query_pipeline.run(tx, checked["query"], parameters, rows=checked.get("limit"))
        rows = [[query_results.to_json(value) for value in row] for row in answer.rows]
        warnings = empty_results.explain(tx, answer, parameters) if empty_results.is_empty(answer.rows) else []
    return {
        "columns": list(answer.columns),
        "rows": rows,
        "truncated": answer.truncated,
        "auto_fixes": list(answer.repairs),
        "warnings": [warning.message for warning in warnings],
        "execution_ms": round((time.perf_counter() - started) * 1000, 2),
    }


def plan(database: Database, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a query: its repairs, its SQL statements with the plan of SQLite for each, and what executes it."""
    checked = validation.check_input(*_RUN_CYPHER, arguments)
    text, values = checked["query"], checked.get("parameters", {})
    with database.read(_RUN_CYPHER[1]) as tx:
        tx = time_travel.to(tx, as_of=checked.get("as_of"), known_at=checked.get("known_at"))
        explanation = query_pipeline.explain(tx, text, values, rows=checked.get("limit"))
    return {
        "query": explanation.text,
        "auto_fixes": list(explanation.fixes),
        "by": explanation.target,
        "statements": [
            {"sql": sql, "plan": [{"step": step, "under": parent, "what": detail} for step, parent, detail in steps]}
            for sql, steps in explanation.statements
        ],
    }


def repaired(database: Database, text: str) -> str:
    """A query after repair: the positions of errors are positions in this text."""
    with database.read("repair") as tx:
        return query_pipeline.repair(tx, text)


def completion_words(database: Database) -> dict[str, list[str]]:
    """The words to complete in a query: labels, types and properties of the graph, functions and keywords of Cypher."""
    with database.read("vocabulary") as tx:
        types, predicates = graph_catalogue.vocabulary(tx)
    functions, keywords = query_pipeline.functions_and_keywords()
    return {
        "labels": [*(graph_catalogue.label(word.name) for word in types), graph_catalogue.LITERAL],
        "types": [graph_catalogue.relationship_type(word.name) for word in predicates],
        "properties": sorted(
            {*graph_catalogue.NODE_COLUMNS, *graph_catalogue.EDGE_COLUMNS, *graph_catalogue.LITERAL_PROPERTIES}
        ),
        "functions": functions,
        "keywords": keywords,
    }
