"""Catalogue: the tables of nodes and relationships, and the SQL of labels, types and properties.

The compiler knows tables only through the catalogue. All SQL in it is written by the code that builds the catalogue,
never by whoever writes a query: a name in a query is looked up here, and the SQL that stands under it is used.

Labels and types are stored as codes: each combination of labels that occurs has a code, in a column of the table of
nodes, and each relationship type has one, in a column of the table of relationships. A label expression of a query is
replaced by the set of codes that match it before any SQL is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from keepgraph.cypher.plan import instant_comparisons, join_order
from keepgraph.cypher.syntax import ast, tree_walk

Code = int | str
"""The code of a combination of labels, or of a relationship type."""


class Connection(NamedTuple):
    """That relationships of a type lead from nodes with some labels to others: three codes; None is a literal."""

    code: Code
    source: Code
    target: Code | None


_CACHE_SIZE = 500
"""The most label expressions whose codes a catalogue remembers; then it forgets them all."""


@dataclass(frozen=True, slots=True)
class Column:
    """A property with a column of its own.

    Attributes:
        sql: its value in SQL, with `{row}` for the row.
        kinds: the kinds that it may have, as a set of bits of value_types.
        selectivity: about which part of all rows has one given value, 0 to 1.
        is_instant: whether its values are timestamps, texts in UTC whose order is that of the instants.
        index: of a relationship, the index over what is stored, in whose order it may be read; empty for none.
        stored: what the index is over, with `{row}`, if that is not `sql`; else empty.
        absent: the SQL of what is stored instead of a missing value, and left out of the index; empty for nothing.
        follows_rows: whether its values grow with the keys of the rows, so that what follows in its index does so in
            the table.
        values: if other rows than its own have the value, SQL that selects them: as `row_key` the key of what has
            the property, once, and the value as `value`; of a list, each element in its order. Else empty.
        element_kinds: of a list with `values`, the kinds that its elements may have.
    """

    sql: str
    kinds: int
    selectivity: float = 0.01
    is_instant: bool = False
    index: str = ""
    stored: str = ""
    absent: str = ""
    follows_rows: bool = False
    values: str = ""
    element_kinds: int = 0


@dataclass(frozen=True, slots=True)
class NodeTable:
    """The table of nodes, with an integer key.

    Attributes:
        id: the column with the key.
        code: the column with the code of the labels.
        labels: the labels that each code stands for.
        condition: a condition for the rows that are visible, with `{row}` for the row; empty if all are.
        columns: the properties with columns of their own, by name.
        bag: the property bag, a column with all other properties as a JSON object; None if there are no others.
        public_id: the SQL of the id that a user sees, with `{row}`.
        implied_labels: labels that every node of the table has in addition, and that are never shown.
        absent: properties that no node of the table has.
        index_order: the columns between the code and the key in the index that begins with the code; nodes of one
            code are read in this order.
    """

    table: str
    id: str
    code: str
    labels: Mapping[Code, tuple[str, ...]]
    condition: str
    columns: Mapping[str, Column]
    bag: str | None
    public_id: str
    implied_labels: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    index_order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LiteralNodes:
    """Literals at the end of relationships, which queries see as nodes. The key of such a node is `=` and the text.

    The sign distinguishes a text such as `5` from the key of a row.

    Attributes:
        column: the column with the text in the table of relationships; null if a relationship ends at a row of
            the table of nodes.
        label: the one label that they have.
        properties: the names of the properties that have the text as their value.
        condition: a condition for the relationships whose literals are visible, with `{row}`.
        index: the index from a text to its relationships; as in EdgeTable.
    """

    column: str
    label: str
    properties: tuple[str, ...]
    condition: str
    index: str = ""


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """The table of relationships, with an integer key.

    Attributes:
        code: the column with the code of the type.
        types: the type that each code stands for.
        source, target: the columns with the keys of the two nodes.
        condition: a condition for the rows that are visible, with `{row}`; empty if all are.
        node_end_condition: a further condition for rows that end at a row of the table of nodes, with `{row}`. A
            leading `+` keeps SQLite from choosing an index for it that does not cover the query.
        columns, bag, public_id: as in NodeTable.
        type_is_code: whether the code is the name of the type itself.
        code_leads: whether the index from a source begins with the code; then SQL names all codes, to use it.
        out_index, in_index: the covering indexes from a source and from a target; empty if SQLite may choose.
        covered: the properties that these indexes have.
        inverse_types: names under which nothing is stored, each with the type that says the same from the other end.
        symmetric_types: the types that say the same from both ends.
        connections: for the code of each type, what it connects; None if that is not known.
    """

    table: str
    id: str
    code: str
    types: Mapping[Code, str]
    source: str
    target: str
    condition: str
    node_end_condition: str
    columns: Mapping[str, Column]
    bag: str | None
    public_id: str
    type_is_code: bool = False
    code_leads: bool = False
    out_index: str = ""
    in_index: str = ""
    covered: frozenset[str] = frozenset()
    inverse_types: Mapping[str, str] = field(default_factory=dict)
    symmetric_types: frozenset[str] = frozenset()
    connections: Mapping[Code, Sequence[Connection]] | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """How a graph is stored in tables.

    Attributes:
        condition_values: the values of parameters in the conditions: `{now}` is bound to `condition_values["now"]`.
        estimates: how many rows the planner expects.
        decode_object: makes the value of a JSON object in a property bag, where objects stand for values that JSON
            does not have; None if they do not.
    """

    nodes: NodeTable
    edges: EdgeTable
    literals: LiteralNodes | None = None
    condition_values: Mapping[str, object] = field(default_factory=dict)
    estimates: join_order.Estimates = field(default_factory=lambda: join_order.DEFAULT_ESTIMATES)
    decode_object: Callable[[dict[str, object]], object] | None = None
    _code_cache: dict[object, frozenset[Code]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def instant_properties(self) -> instant_comparisons.InstantProperties:
        """The properties that hold timestamps."""
        return instant_comparisons.InstantProperties(
            *(
                frozenset(name for name, column in table.columns.items() if column.is_instant)
                for table in (self.nodes, self.edges)
            )
        )

    def node_codes(self, labels: tuple[ast.LabelExpression, ...]) -> frozenset[Code]:
        """The codes of the nodes that match all these label expressions."""
        codes = self._code_cache.get(labels)
        if codes is None:
            self._limit_cache()
            codes = self._code_cache[labels] = self._find_node_codes(labels)
        return codes

    def _find_node_codes(self, expressions: tuple[ast.LabelExpression, ...]) -> frozenset[Code]:
        implied = self.nodes.implied_labels
        return frozenset(
            code
            for code, labels in self.nodes.labels.items()
            if all(tree_walk.labels_match((*labels, *implied), expression) for expression in expressions)
        )

    def type_codes(self, types: ast.LabelExpression | None) -> frozenset[Code]:
        """The codes of the relationship types that match; of all types for None."""
        codes = self._code_cache.get(("type", types))
        if codes is None:
            self._limit_cache()
            codes = self._code_cache["type", types] = frozenset(
                code
                for code, name in self.edges.types.items()
                if types is None or tree_walk.labels_match((name,), types)
            )
        return codes

    def _limit_cache(self) -> None:
        if len(self._code_cache) > _CACHE_SIZE:
            self._code_cache.clear()

    def literal_matches(self, labels: tuple[ast.LabelExpression, ...]) -> bool:
        """Whether literals match all these label expressions."""
        return self.literals is not None and all(
            tree_walk.labels_match((self.literals.label,), expression) for expression in labels
        )

    def decode(self, value: Any) -> Any:
        """A value of a property bag, from what JSON has in its place."""
        if self.decode_object is None:
            return value
        if isinstance(value, dict):
            return self.decode_object(value)
        if isinstance(value, list):
            return [self.decode(element) for element in value]
        return value


_ONE_LITERAL = 1e-6
"""The share of nodes that one text is."""


@lru_cache(maxsize=1_000)
def column_name(sql: str) -> str | None:
    """The name of the column that `{row}.name` is; None for SQL that is more than a column of the row."""
    name = sql.removeprefix("{row}.")
    return name if name != sql and name.isidentifier() else None


def with_row_counts(
    catalogue: Catalogue,
    nodes: Mapping[Any, int],
    edges: Mapping[Any, int],
    *,
    literals: int = 0,
    connections: Mapping[Connection, int] | None = None,
    share_between: Callable[[str, str | None, str | None], float] | None = None,
    at: datetime | None = None,
) -> Catalogue:
    """The catalogue with estimates from statistics.

    Args:
        nodes: about how many nodes each code has.
        edges: about how many relationships each code has.
        literals: about how many literals there are, at most.
        connections: about how many relationships each connection has; None if that is not known.
        share_between, at: as in Estimates; None is the default.
    """

    @lru_cache(maxsize=_CACHE_SIZE)
    def node_count(labels: tuple[ast.LabelExpression, ...]) -> float:
        rows = sum(nodes.get(code, 0) for code in catalogue.node_codes(labels))
        return float(rows + (literals if catalogue.literal_matches(labels) else 0))

    @lru_cache(maxsize=_CACHE_SIZE)
    def edge_count(types: ast.LabelExpression | None) -> float:
        return float(sum(edges.get(code, 0) for code in catalogue.type_codes(types)))

    counts: dict[Code, list[tuple[Connection, int]]] = {}
    for connection, count in (connections or {}).items():
        counts.setdefault(connection.code, []).append((connection, count))

    @lru_cache(maxsize=_CACHE_SIZE)
    def edges_between(
        types: ast.LabelExpression | None,
        source: tuple[ast.LabelExpression, ...],
        target: tuple[ast.LabelExpression, ...],
    ) -> float:
        sources: set[Code | None] = set(catalogue.node_codes(source))
        targets: set[Code | None] = set(catalogue.node_codes(target))
        if catalogue.literal_matches(target):
            targets.add(None)
        return float(
            sum(
                count
                for code in catalogue.type_codes(types)
                for connection, count in counts.get(code, ())
                if connection.source in sources and connection.target in targets
            )
        )

    def selectivity(key: str) -> float:
        column = catalogue.nodes.columns.get(key)
        if column is None and catalogue.literals is not None and key in catalogue.literals.properties:
            return _ONE_LITERAL
        return column.selectivity if column is not None else 0.01

    def seeks(types: ast.LabelExpression | None) -> float:
        return float(len(catalogue.type_codes(types))) if catalogue.edges.code_leads else 1.0

    between = edges_between if connections is not None else None
    default = join_order.DEFAULT_ESTIMATES
    share_between, at = share_between or default.share_between, at or default.at
    estimates = join_order.Estimates(node_count, edge_count, between, selectivity, seeks, share_between, at)
    return replace(catalogue, estimates=estimates)


def with_parameters(catalogue: Catalogue, values: Mapping[str, Any]) -> Catalogue:
    """The catalogue with estimates for values that parameters may have."""
    return replace(catalogue, estimates=replace(catalogue.estimates, parameters=values)) if values else catalogue
