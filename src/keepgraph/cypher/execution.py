"""Runs a compiled query: its statement, else SQL and Python together, else Python alone. Opens nothing.

A statement that meets a value it cannot treat exactly gives up, and the next way begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from keepgraph import errors
from keepgraph.cypher import table_graph
from keepgraph.cypher.compiler import Compiled, Statement
from keepgraph.cypher.interpret.evaluate import Graph, Row, Run
from keepgraph.cypher.sql.blocks import Inexpressible
from keepgraph.cypher.table_graph import Execute
from keepgraph.cypher.values import Node


def rows(
    compiled: Compiled,
    graph: Graph,
    execute: Execute,
    parameters: Mapping[str, Any],
    names: Mapping[str, Any],
    *,
    now: datetime,
    rest: Callable[[int], None],
) -> tuple[list[Row], str]:
    """All rows of a query, and who found them: 'sql', 'sql and python' or 'python'.

    Args:
        names: what the conditions of the catalogue bind.
        rest: called now and then with how much was done since; raises where it is time to stop.

    Raises:
        errors.QueryError: the query fails on what is in the graph.
    """

    def fetched(statement: Statement) -> Iterator[Row]:
        found = execute(statement.sql, statement.arguments(parameters, names), statement.functions)
        return found if statement.read is None else map(statement.read, found)

    def announce(chunk: list[Row]) -> None:
        graph.announce(value.id for row in chunk for value in row if type(value) is Node)

    def fetched_ahead(statement: Statement) -> Iterator[Row]:
        return table_graph.ahead(fetched(statement), announce)

    try:
        if compiled.statement is not None:
            return list(fetched(compiled.statement)), compiled.by
        if compiled.hybrid is not None:
            run = Run(graph, parameters, now, rest, fetched_ahead)
            return list(compiled.rows_of_hybrid(run)), compiled.by
    except Inexpressible:
        pass
    except RecursionError:
        raise _too_deep() from None
    except MemoryError:
        raise _too_much() from None
    try:
        return list(compiled.rows_of_reference(Run(graph, parameters, now, rest))), "python"
    except RecursionError:
        raise _too_deep() from None
    except MemoryError:
        raise _too_much() from None


def _too_deep() -> errors.QueryTooLarge:
    return errors.QueryTooLarge("a value of this query is nested too deeply")


def _too_much() -> errors.QueryTooLarge:
    return errors.QueryTooLarge("the query needs more memory than there is")
