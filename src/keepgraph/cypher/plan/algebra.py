"""The operators that a query becomes: each takes rows and gives rows. Knows no tables and no way to run.

A row has one value a column. Columns that begin with ast.OWN are our own (parts of patterns without a name,
sort keys), and never leave a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keepgraph.cypher.syntax import ast


@dataclass(frozen=True, slots=True)
class Unit:
    """One row without columns."""

    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """One row: that of the query around, seen from a subquery."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeSlot:
    """A node of a pattern: its column, and the labels it must have."""

    column: str
    labels: tuple[ast.LabelExpression, ...]


@dataclass(frozen=True, slots=True)
class EdgeSlot:
    """A relationship of a pattern, or as many as `length` says; then its column is their list.

    Attributes:
        start, end: the columns of the nodes at its left and right.
        direction: 'out' from start to end, 'in' from end to start, 'both' either.
        conditions: of each single relationship, which they name by `hop`; of a fixed length they are the pattern's.
        named: whether anybody may ask for its value.
        shortest: only the shortest way, or all of the shortest length.
        ends_only: whether each node at its end is wanted once, whichever ways lead there.
    """

    column: str
    start: str
    end: str
    types: ast.LabelExpression | None
    direction: str
    length: tuple[int, int | None] | None
    hop: str
    conditions: tuple[ast.Expression, ...]
    named: bool
    shortest: str | None = None
    ends_only: bool = False


@dataclass(frozen=True, slots=True)
class PathSlot:
    """A named path: its column, and the columns of its nodes and relationships, by turns."""

    column: str
    nodes: tuple[str, ...]
    edges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Each row with each way to lay the pattern on the graph; relationships of one pattern are pairwise different.

    Optional: a row without such a way is kept, with nulls. Conditions are part of the pattern.
    """

    input: Plan
    nodes: tuple[NodeSlot, ...]
    edges: tuple[EdgeSlot, ...]
    paths: tuple[PathSlot, ...]
    conditions: tuple[ast.Expression, ...]
    optional: bool
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unwind:
    """Each row with each element of a list; null gives no row, anything else that is no list gives itself."""

    input: Plan
    source: ast.Expression
    variable: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition is true."""

    input: Plan
    condition: ast.Expression
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """Each row made anew: column by column, its name and its value."""

    input: Plan
    items: tuple[tuple[str, ast.Expression], ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One aggregate: `count(*)` where `call` is None."""

    column: str
    call: ast.Call | None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row a group of rows with equivalent keys; without keys exactly one row."""

    input: Plan
    keys: tuple[tuple[str, ast.Expression], ...]
    aggregates: tuple[Aggregated, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Of equivalent rows the first."""

    input: Plan
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sort:
    """Rows by openCypher's order of values, stable."""

    input: Plan
    keys: tuple[tuple[ast.Expression, bool], ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skip:
    input: Plan
    count: ast.Expression
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    input: Plan
    count: ast.Expression
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of both, columns by name in the order of the left."""

    left: Plan
    right: Plan
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Each row with paths made of the nodes and relationships in it; null where one of them is."""

    input: Plan
    paths: tuple[PathSlot, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """Each row with values of the row around it, which a projection inside a subquery does not hide."""

    input: Plan
    around: tuple[str, ...]
    places: tuple[int, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """The rows of a statement, where SQL says the operators below."""

    statement: Any
    columns: tuple[str, ...]


Step = Match | Unwind | Filter | Project | Aggregate | Distinct | Sort | Skip | Limit | Trace | Around
"""What stands on one other operator, its input."""

Plan = Unit | Argument | Union | Fetched | Step
