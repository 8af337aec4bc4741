"""How a graph lies in tables: where nodes and relationships are, and how labels, types and properties read as SQL.

The compiler knows tables through this alone. Everything in it is chosen by whoever builds the catalogue, never by
whoever writes a query: a name in a query is looked up here, and what is found is SQL.

Labels and types are codes: each combination of labels that occurs has a code that a column of the node's row holds,
each relationship type one that a column of the edge's row holds. What a query says of labels becomes a set of codes
before any SQL is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.plan.join_order import GUESSES, Estimates
from keepgraph.cypher.syntax import ast

Code = int | str
_REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class Column:
    """A property that has a column of its own: its SQL, with `{row}` for the row, and the kinds it may have.

    Attributes:
        share: about which part of all rows has one given value of it.
    """

    sql: str
    kinds: int
    share: float = 0.01


@dataclass(frozen=True, slots=True)
class Nodes:
    """The table of nodes, by integer key.

    Attributes:
        code: the column with the code of the labels.
        labels: the labels behind each code.
        condition: what holds for the rows that count, with `{row}`; empty for all.
        columns: properties with columns of their own.
        bag: the column with all other properties as a JSON object; None where there are no others.
        public_id: the SQL of the id that is shown, with `{row}`.
        implied: labels that every one of them has besides, and that are never shown.
        sorted_by: the columns between the code and the key in the index over the code: nodes of one code come in
            this order.
    """

    table: str
    id: str
    code: str
    labels: Mapping[Code, tuple[str, ...]]
    condition: str
    columns: Mapping[str, Column]
    bag: str | None
    public_id: str
    implied: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Literals:
    """Values at the end of relationships, which are nodes too: `=` and the text is the node's key.

    The sign keeps a text such as `5` from being taken for the key of a row.

    Attributes:
        column: the column of an edge's row with the text; null where it ends at a node of the table.
        label: their one label.
        properties: the names under which the text is a property.
        condition: what holds for the rows of edges whose literals count, with `{row}`.
        index: as of edges, the index that leads from a text.
    """

    column: str
    label: str
    properties: tuple[str, ...]
    condition: str
    index: str = ""


@dataclass(frozen=True, slots=True)
class Edges:
    """The table of relationships, by integer key.

    Attributes:
        code: the column with the code of the type.
        types: the type behind each code.
        source, target: the columns with the keys of the nodes at both ends.
        condition: what holds for the rows that count, with `{row}`; empty for all.
        to_node: what more holds for rows that end at a node of the table, with `{row}`. Where an index would be
            taken for it that lacks other columns, it is written so that none is.
        columns, bag, public_id: as of nodes.
        type_is_code: whether the code is the name of the type itself.
        out_index, in_index: the indexes that lead from a source and from a target and hold every column that is
            needed on the way; empty where SQLite may choose.
        code_leads: whether the index that leads from a source begins with the code, so that all codes are named.
    """

    table: str
    id: str
    code: str
    types: Mapping[Code, str]
    source: str
    target: str
    condition: str
    to_node: str
    columns: Mapping[str, Column]
    bag: str | None
    public_id: str
    type_is_code: bool = False
    code_leads: bool = False
    out_index: str = ""
    in_index: str = ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A graph in tables.

    Attributes:
        values: what conditions bind, by name: `{now}` in a condition is bound to `values["now"]`.
        estimates: how many rows to expect.
        revive: makes a value of a JSON object in a bag that stands for one; None where there are none.
    """

    nodes: Nodes
    edges: Edges
    literals: Literals | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    estimates: Estimates = GUESSES
    revive: Callable[[dict[str, object]], object] | None = None
    _known: dict[object, frozenset[Code]] = field(default_factory=dict, repr=False, compare=False)

    def codes(self, wanted: tuple[ast.LabelExpression, ...]) -> frozenset[Code]:
        """The codes of nodes of the table that have these labels."""
        found = self._known.get(wanted)
        if found is None:
            self._forget()
            found = self._known[wanted] = self._codes(wanted)
        return found

    def _codes(self, wanted: tuple[ast.LabelExpression, ...]) -> frozenset[Code]:
        return frozenset(
            code
            for code, labels in self.nodes.labels.items()
            if all(evaluate.labelled((*labels, *self.nodes.implied), each) for each in wanted)
        )

    def read(self, value: Any) -> Any:
        """A value of a bag, as JSON had it; objects in it may stand for values that JSON lacks."""
        if self.revive is None:
            return value
        if isinstance(value, dict):
            return self.revive(value)
        if isinstance(value, list):
            return [self.read(each) for each in value]
        return value

    def _forget(self) -> None:
        if len(self._known) > _REMEMBERED:
            self._known.clear()

    def literal(self, wanted: tuple[ast.LabelExpression, ...]) -> bool:
        """Whether a literal has these labels."""
        return self.literals is not None and all(evaluate.labelled((self.literals.label,), each) for each in wanted)

    def types(self, wanted: ast.LabelExpression | None) -> frozenset[Code]:
        """The codes of these types of relationships."""
        found = self._known.get(("type", wanted))
        if found is None:
            self._forget()
            found = self._known["type", wanted] = frozenset(
                code for code, name in self.edges.types.items() if wanted is None or evaluate.labelled((name,), wanted)
            )
        return found


def counted(catalogue: Catalogue, nodes: Mapping[Any, int], edges: Mapping[Any, int]) -> Catalogue:
    """The catalogue with estimates from how many rows each code has."""

    def of_nodes(wanted: tuple[ast.LabelExpression, ...]) -> float:
        return float(sum(nodes.get(code, 0) for code in catalogue.codes(wanted)))

    def of_edges(wanted: ast.LabelExpression | None) -> float:
        return float(sum(edges.get(code, 0) for code in catalogue.types(wanted)))

    def matching(key: str) -> float:
        column = catalogue.nodes.columns.get(key)
        return column.share if column is not None else 0.01

    return replace(catalogue, estimates=Estimates(of_nodes, of_edges, matching))
