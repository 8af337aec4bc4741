"""Runtime of the interpreter: rows, the graph as a query reads it, and one run with its parameters and limits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.values import Node, Relationship

Row = tuple[Any, ...]


class Graph(Protocol):
    """The graph as a query reads it. A node and a relationship may have the same key."""

    def nodes(self, labels: tuple[ast.LabelExpression, ...], equalities: tuple[tuple[str, Any], ...]) -> Iterator[Node]:
        """The nodes with these labels; with these values of properties too, as far as an index tells quickly."""

    def relationships(self, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """All relationships of these types."""

    def expand(self, node: Node, direction: str, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """The relationships of these types at a node; one that leads back to the same node comes once."""

    def between(
        self, start: Node, end: Node, direction: str, types: ast.LabelExpression | None
    ) -> Iterator[Relationship]:
        """The relationships of `expand` at the start that lead to the end."""

    def neighbours(self, direction: str, types: ast.LabelExpression | None) -> Neighbours:
        """The neighbours of nodes along relationships of these types, by keys."""

    def announce(self, keys: Iterable[Key]) -> None:
        """Tell which nodes may be read soon, so that many can be read at once."""

    def labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node shows."""

    def all_labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node matches: those that it shows, and those that are implied."""

    def type(self, relationship: Relationship) -> str: ...

    def properties(self, of: Node | Relationship) -> Mapping[str, Any]: ...

    def public_id(self, of: Node | Relationship) -> str: ...


def _no_statements(statement: Any) -> Iterator[Row]:
    raise AssertionError("this plan has no statements")


@dataclass(slots=True)
class Run:
    """One run of a query.

    Attributes:
        count_work: called with how many rows or values were handled since the last call; raises where the query has to
            stop.
        fetch_rows: gives the rows of a SQL statement.
        members: the list that an IN has last had on its right, by the identity of the expression, and its elements
            where they are all texts or all nodes and it has come more than once; None before.
    """

    graph: Graph
    parameters: Mapping[str, Any]
    now: datetime
    count_work: Callable[[int], None]
    fetch_rows: Callable[[Any], Iterator[Row]] = _no_statements
    random: Any = field(default_factory=random.Random)
    members: dict[int, tuple[list[Any], frozenset[Any] | None]] = field(default_factory=dict)
