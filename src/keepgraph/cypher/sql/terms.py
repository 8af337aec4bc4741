"""SQL terms: the SQL tree of one value of a query, its type, and how the value is encoded in SQL.

SQLite has no booleans, and compares values of different types otherwise than openCypher does. So each term says how
its value is encoded, and terms are brought to one encoding before they stand beside each other (ADR 0021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.tree import Expression

SCALARS = value_types.NULL | value_types.BOOLEAN | value_types.INTEGER | value_types.FLOAT | value_types.STRING
NUMBER_OR_NULL = value_types.NUMBER | value_types.NULL
STRING_OR_NULL = value_types.STRING | value_types.NULL
BOOLEAN_OR_NULL = value_types.BOOLEAN | value_types.NULL


class Inexpressible(Exception):
    """SQL cannot express this exactly; the interpreter has to compute it."""


Bag = tuple[Expression, Expression]
"""A property bag, and a path in it."""


@dataclass(frozen=True, slots=True)
class Term:
    """The SQL of a value.

    Attributes:
        sql: the value; of a node or relationship its key.
        type: what is known of its type.
        encoding: 'plain' as SQLite has it, with booleans as 0 and 1, where the value can be nothing else; 'tagged' as
            SQLite has it, with booleans as the blobs 00 and 01, so that true is not 1; 'node', 'edge'; 'json' for a
            list; 'labels' for the labels of a node as JSON; 'value' for any value of a property bag as JSON, which
            can only be read.
        row: the alias of the table row of a node or relationship, where that row is joined.
        start, end: of a relationship, the keys of its ends.
        codes: the codes of labels or types that it may have; None for any.
        literal: whether a node may be a literal.
        row_key, text: of a node that may be a literal, its key where it is a row of the table, and its text where it is
            a literal, each null if it is the other; None if only `sql` has them.
        nullable: whether a node or relationship may be null.
        bag: of a property from a property bag, the SQL of the bag and of the path in it.
        group_by: SQL that makes the same groups as the value and costs less; None if there is none.
    """

    sql: Expression
    type: value_types.Type
    encoding: str = "plain"
    row: str | None = None
    start: Expression = tree.NULL
    end: Expression = tree.NULL
    codes: frozenset[Code] | None = None
    literal: bool = False
    row_key: Expression | None = None
    text: Expression | None = None
    nullable: bool = False
    bag: Bag | None = None
    group_by: Expression | None = None

    @property
    def kinds(self) -> int:
        return self.type.kinds

    @property
    def always_null(self) -> bool:
        return not self.kinds & ~value_types.NULL

    @property
    def null(self) -> int:
        """Of a node or relationship: the kind null if it may be null, since its properties are null then too."""
        return value_types.NULL if self.nullable else 0


def common_class(*terms: Term) -> int:
    """The class that the values of all these terms belong to, as SQLite compares them; 0 for none or several.

    A term that is always null belongs to any class.
    """
    kinds = reduce(or_, (term.kinds for term in terms)) & ~value_types.NULL
    for value_class in (value_types.NUMBER, value_types.STRING, value_types.BOOLEAN):
        if kinds and not kinds & ~value_class:
            return value_class
    return 0


def plain_class(*terms: Term) -> int:
    """The same, of plain terms; 0 if one is not plain."""
    return common_class(*terms) if all(term.encoding == "plain" for term in terms) else 0


def tagged(term: Term) -> Term:
    """The term encoded so that values of any class may stand beside it.

    Raises:
        Inexpressible: it is not a scalar, or it may be a boolean as well as another scalar.
    """
    if term.encoding == "tagged":
        return term
    if term.encoding != "plain":
        raise Inexpressible
    if not term.kinds & value_types.BOOLEAN:
        # The plus sign takes the column's affinity away, which would make the number 5 of the text '5'.
        sql = tree.Prefix("+", term.sql) if tree.has_affinity(term.sql) else term.sql
        return _tagged(term, sql)
    if term.kinds & ~BOOLEAN_OR_NULL:
        raise Inexpressible
    if isinstance(term.sql, tree.Keyword):
        return _tagged(term, _TAGGED_CONSTANTS[term.sql])
    branches = ((tree.Literal(1), TAGGED_TRUE), (tree.Literal(0), TAGGED_FALSE))
    return _tagged(term, tree.Case(branches, subject=term.sql))


def _tagged(term: Term, sql: Expression) -> Term:
    return Term(sql, term.type, "tagged", group_by=term.group_by)


TAGGED_TRUE, TAGGED_FALSE = tree.Literal(b"\x01"), tree.Literal(b"\x00")
_TAGGED_CONSTANTS = {tree.TRUE: TAGGED_TRUE, tree.FALSE: TAGGED_FALSE, tree.NULL: tree.NULL}


def unify(terms: Sequence[Term]) -> tuple[str, list[Term]]:
    """Terms one of which becomes the value, in one encoding: plain where all are of one class, or else tagged."""
    return ("plain", list(terms)) if plain_class(*terms) else ("tagged", [tagged(term) for term in terms])


def null_propagating(sql: Expression, kind: int, *operands: Term) -> Term:
    """A plain term that is null if an operand is null, and else of this kind."""
    null = value_types.NULL if any(operand.kinds & value_types.NULL for operand in operands) else 0
    return Term(sql, value_types.Type(kind | null))


def literal_or_row(node: Term, of_literal: Expression, of_row: Expression) -> Expression:
    """One SQL for a node that is a literal, another for one that is a row."""
    return tree.iif(is_literal(node), of_literal, of_row) if node.literal else of_row


def is_literal(node: Term) -> Expression:
    """The condition that a node which may be a literal is one; literals have text keys. False for null."""
    return tree.is_not_null(node.text) if node.text is not None else has_type(node.sql, "text")


def literal_text(node: Term) -> Expression:
    """The text of a node that is a literal, without the sign before it in the key."""
    return node.text if node.text is not None else tree.call("substr", node.sql, tree.Literal(2))


def bag_value(bag: Bag) -> Expression:
    """The value at a path of a property bag as `->>` gives it: true as 1, a list as its text."""
    return tree.Infix("->>", bag)


def bag_json(bag: Bag) -> Expression:
    """The value at a path of a property bag as JSON."""
    return tree.Infix("->", bag)


def bag_type(bag: Bag) -> Expression:
    """The JSON type of the value at a path of a property bag."""
    return tree.Call("json_type", bag)


def bag_holds_number(bag: Bag) -> Expression:
    return tree.is_one_of(bag_type(bag), "integer", "real")


def bag_holds_text(bag: Bag) -> Expression:
    return tree.is_one_of(bag_type(bag), "text")


def has_type(sql: Expression, *names: str) -> Expression:
    """The condition that SQLite has a value as one of these types."""
    return tree.is_one_of(tree.call("typeof", sql), *names)


def by_text(subject: Expression, results: Mapping[str, Expression], otherwise: Expression) -> Expression:
    """A result for each text that a value may be."""
    branches = tuple([(tree.Literal(text), result) for text, result in results.items()])
    return tree.Case(branches, otherwise, subject)


def type_rank(sql: Expression) -> Expression:
    """The place of a tagged value's type in openCypher's order: strings, booleans, numbers, null."""
    ranks = {"text": tree.Literal(0), "blob": tree.Literal(1), "null": tree.Literal(3)}
    return by_text(tree.call("typeof", sql), ranks, tree.Literal(2))
