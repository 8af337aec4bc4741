"""Logical operators: a plan is a tree of them, and each turns the rows of its input into other rows.

A row has one value for each column. Columns whose names begin with ast.INTERNAL_PREFIX are internal (unnamed parts of
patterns, sort keys) and are never returned. The operators are run elsewhere: as SQL (sql/) or in Python (interpret/).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from keepgraph.cypher.syntax import ast


@dataclass(frozen=True, slots=True)
class SingleRow:
    """One row without columns: the input of a query's first clause."""

    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """One row: the current row of the outer query, as a subquery sees it."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeSlot:
    """A node of a pattern.

    Attributes:
        column: its column.
        labels: what its labels must match.
        never_literal: whether it is known that no literal can stand there.
    """

    column: str
    labels: tuple[ast.LabelExpression, ...]
    never_literal: bool = False


@dataclass(frozen=True, slots=True)
class EdgeSlot:
    """A relationship of a pattern, or a path of as many as `length` allows; then its column is their list.

    Attributes:
        start, end: the columns of the nodes at its left and right.
        direction: 'out' from start to end, 'in' from end to start, 'both' either.
        length: the least and the greatest number of relationships (None: no limit); None for a single one.
        hop_variable: the name by which `conditions` refer to each relationship of the path.
        conditions: what each relationship of the path must fulfil. Those of a single relationship are among the
            conditions of the Match instead, unless it is a shortest path.
        value_needed: whether an expression may use the value of the column.
        shortest: 'shortest' for one shortest path, 'all shortest' for all of that length; None for every path.
        distinct_ends: whether each end node is wanted once, however many paths lead to it (set by the optimizer).
    """

    column: str
    start: str
    end: str
    types: ast.LabelExpression | None
    direction: str
    length: tuple[int, int | None] | None
    hop_variable: str
    conditions: tuple[ast.Expression, ...]
    value_needed: bool
    shortest: str | None = None
    distinct_ends: bool = False

    @property
    def has_one_direction(self) -> bool:
        """Whether all relationships that match are stored in one direction."""
        return self.direction != "both" and not self.typed_by_direction

    @property
    def typed_by_direction(self) -> bool:
        """Whether it depends on the direction which types match."""
        return isinstance(self.types, ast.TypesByDirection)


@dataclass(frozen=True, slots=True)
class PathSlot:
    """A named path: its column, the columns of its nodes, and those of the relationships between them."""

    column: str
    nodes: tuple[str, ...]
    edges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """Each input row joined with each match of the pattern; the relationships of one match are pairwise different.

    Conditions are part of the pattern. Where it is optional, an input row without a match is kept, with nulls.
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
    """Each row with each element of a list; null gives no row, and a value that is not a list gives one row."""

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
    """Each row replaced by one of other columns: the name and the expression of each."""

    input: Plan
    items: tuple[tuple[str, ast.Expression], ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """The column of one aggregate function; `count(*)` where `call` is None."""

    column: str
    call: ast.Call | None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row for each group of rows with equivalent keys; without keys, exactly one row."""

    input: Plan
    keys: tuple[tuple[str, ast.Expression], ...]
    aggregates: tuple[AggregateColumn, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """The first of each set of equivalent rows."""

    input: Plan
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sort:
    """The rows in openCypher's order of values; the sort is stable. The flag of a key says whether it descends."""

    input: Plan
    keys: tuple[tuple[ast.Expression, bool], ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skip:
    """The rows without the first `count`."""

    input: Plan
    count: ast.Expression
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """The first `count` rows."""

    input: Plan
    count: ast.Expression
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of both plans, duplicates included; columns are matched by name, in the order of the left one."""

    left: Plan
    right: Plan
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BuildPaths:
    """Each row with paths built from the nodes and relationships in it; null if one of these is null."""

    input: Plan
    paths: tuple[PathSlot, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OuterColumns:
    """Each row with columns of the outer row again: a projection inside a subquery does not hide them.

    Attributes:
        names: the outer columns.
        positions: where each of them stands in the outer row.
    """

    input: Plan
    names: tuple[str, ...]
    positions: tuple[int, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SqlRows:
    """The rows of a SQL statement that replaces the operators below."""

    statement: Any
    columns: tuple[str, ...]


UnaryOperator = (
    Match | Unwind | Filter | Project | Aggregate | Distinct | Sort | Skip | Limit | BuildPaths | OuterColumns
)
"""An operator with exactly one input."""

Plan = SingleRow | Argument | Union | SqlRows | UnaryOperator


def inputs(plan: Plan) -> tuple[Plan, ...]:
    """The plans whose rows an operator reads."""
    if isinstance(plan, Union):
        return plan.left, plan.right
    return () if isinstance(plan, SingleRow | Argument | SqlRows) else (plan.input,)


def rewrite_below(plan: Plan, rewrite: Callable[[Plan], Plan]) -> Plan:
    """The plan with what is below its topmost operator rewritten; the plan itself if nothing changes."""
    if isinstance(plan, Union):
        left, right = rewrite(plan.left), rewrite(plan.right)
        return plan if left is plan.left and right is plan.right else replace(plan, left=left, right=right)
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    source = rewrite(plan.input)
    return plan if source is plan.input else replace(plan, input=source)


def is_repeatable(plan: Plan) -> bool:
    """Whether a plan gives the same rows each time it is run, and is worth running again: nothing, or matches alone."""
    while isinstance(plan, Match):
        plan = plan.input
    return isinstance(plan, SingleRow)
