"""Execution of a compiled query: by its statement, else by SQL and the interpreter together, else by the interpreter.

A statement that meets a value which it cannot treat exactly gives up, and the interpreter starts from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from keepgraph import errors
from keepgraph.cypher import table_graph, values
from keepgraph.cypher.compiler import CompiledQuery
from keepgraph.cypher.interpret.runtime import Graph, Row, Run
from keepgraph.cypher.sql.bindings import QUERY_INSTANT
from keepgraph.cypher.sql.statements import Statement
from keepgraph.cypher.sql.terms import Inexpressible
from keepgraph.cypher.table_graph import Execute
from keepgraph.cypher.values import Node


def run(
    compiled: CompiledQuery,
    graph: Graph,
    execute: Execute,
    parameters: Mapping[str, Any],
    catalogue_values: Mapping[str, Any],
    *,
    now: datetime,
    count_work: Callable[[int], None],
) -> tuple[list[Row], str]:
    """All rows of a query, and what computed them: 'sql', 'sql and python' or 'python'.

    Args:
        catalogue_values: what the conditions of the catalogue bind.
        count_work: called with how much was done since the last call; raises where it is time to stop.

    Raises:
        errors.QueryError: the query fails on what is in the graph.
    """

    bound_values = {**catalogue_values, QUERY_INSTANT: now}

    def fetch_rows(statement: Statement) -> Iterator[Row]:
        rows = execute(statement.sql, statement.arguments(parameters, bound_values), statement.callbacks)
        return rows if statement.decode is None else map(statement.decode, rows)

    def announce_nodes(chunk: list[Row]) -> None:
        graph.announce(value.id for row in chunk for value in row if type(value) is Node)

    def fetch_rows_ahead(statement: Statement) -> Iterator[Row]:
        return table_graph.read_ahead(fetch_rows(statement), announce_nodes)

    try:
        try:
            if compiled.statement is not None:
                return list(fetch_rows(compiled.statement)), compiled.by
            if compiled.hybrid is not None:
                hybrid_run = Run(graph, parameters, now, count_work, fetch_rows_ahead)
                return _listed(compiled.hybrid_rows(hybrid_run)), compiled.by
        except Inexpressible:
            pass
        return _listed(compiled.interpreted_rows(Run(graph, parameters, now, count_work))), "python"
    except RecursionError:
        raise errors.QueryTooLarge("a value of this query is nested too deeply") from None
    except MemoryError:
        raise errors.QueryTooLarge("the query needs more memory than there is") from None


def _listed(rows: Iterator[Row]) -> list[Row]:
    """The rows as a list, if no value of them is a range, which is too long to be answered."""
    listed = list(rows)
    if any(range in map(type, row) for row in listed):
        raise values.list_too_long()
    return listed
