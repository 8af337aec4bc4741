"""Queries as people ask them: what was found as rows, how it would be found, and the words to ask with. No tools."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from keepgraph.engine.query import empty_results, graph_catalogue, queries
from keepgraph.store.database import Database, Stop
from keepgraph.tools import views
from keepgraph.tools.contract import query_results, validation

_TOOL = ("discovery", "run_cypher")


def table(database: Database, arguments: Mapping[str, Any], *, stop: Stop | None = None) -> dict[str, Any]:
    """What a query finds, always as rows: the tool shows nodes and relationships as a graph, each once.

    Args:
        arguments: those of run_cypher.
    """
    began = time.perf_counter()
    given = validation.check_input(*_TOOL, arguments)
    values = given.get("parameters", {})
    with database.read(_TOOL[1], stop=stop) as tx:
        tx = views.seen(tx, as_of=given.get("as_of"), known_at=given.get("known_at"))
        answer = queries.answer(tx, given["query"], values, rows=given.get("limit"))
        rows = [[query_results.value_of(value) for value in row] for row in answer.rows]
        doubts = empty_results.of_nothing(tx, answer, values) if empty_results.is_hollow(answer.rows) else []
    return {
        "columns": list(answer.columns),
        "rows": rows,
        "truncated": answer.truncated,
        "auto_fixes": list(answer.repairs),
        "warnings": [each.message for each in doubts],
        "execution_ms": round((time.perf_counter() - began) * 1000, 2),
    }


def plan(database: Database, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """How a query would be run: what was repaired, the statements, what SQLite does for each, and who has a part."""
    given = validation.check_input(*_TOOL, arguments)
    text, values = given["query"], given.get("parameters", {})
    with database.read(_TOOL[1]) as tx:
        tx = views.seen(tx, as_of=given.get("as_of"), known_at=given.get("known_at"))
        found = queries.explained(tx, text, values, rows=given.get("limit"))
    return {
        "query": found.text,
        "auto_fixes": list(found.fixes),
        "by": found.by,
        "statements": [
            {"sql": sql, "plan": [{"step": step, "under": under, "what": what} for step, under, what in steps]}
            for sql, steps in found.statements
        ],
    }


def mended(database: Database, text: str) -> str:
    """A query with its slips repaired: the text that the places of errors are in."""
    with database.read("repair") as tx:
        return queries.mended(tx, text)


def words(database: Database) -> dict[str, list[str]]:
    """The words of which a query is made: those of the graph, and those of the language."""
    with database.read("vocabulary") as tx:
        types, predicates = graph_catalogue.words(tx)
    functions, keywords = queries.language()
    return {
        "labels": [*(graph_catalogue.label(word.name) for word in types), graph_catalogue.LITERAL],
        "types": [graph_catalogue.relationship_type(word.name) for word in predicates],
        "properties": sorted(
            {*graph_catalogue.NODE_COLUMNS, *graph_catalogue.EDGE_COLUMNS, *graph_catalogue.LITERAL_PROPERTIES}
        ),
        "functions": functions,
        "keywords": keywords,
    }
