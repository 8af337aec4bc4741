"""Syntax tree (AST) of a query: one class for each clause, pattern and expression, with its place in the text.

Two nodes of the tree are equal if they stand for the same text, wherever it is: `span` is not compared.
"""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import Final

Span = tuple[int, int]
"""The offset of the first character and of the one after the last."""

NO_SPAN: Span = (0, 0)

INTERNAL_PREFIX: Final = "\0"
"""The prefix of internal names: of unnamed parts of patterns, and of internal columns. No query can contain it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxNode:
    """A node of the syntax tree: anything with a place in the text."""

    span: Span = field(default=NO_SPAN, compare=False, repr=False)


class Expression(SyntaxNode):
    """A node that has a value."""

    __slots__ = ()


# Expressions


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """null, true, a number or a string. `1`, `1.0` and `true` are three literals."""

    value: bool | int | float | str | None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Literal)
            and type(self.value) is type(other.value)
            and repr(self.value) == repr(other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value)))


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """`$name`"""

    name: str


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Property(Expression):
    """`subject.key`"""

    subject: Expression
    key: str


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """`subject[index]`"""

    subject: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """`subject[start..end]`"""

    subject: Expression
    start: Expression | None
    end: Expression | None


@dataclass(frozen=True, slots=True)
class ListLiteral(Expression):
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MapLiteral(Expression):
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class MapProjection(Expression):
    """`subject {.key, key: value, variable, .*}`; `all_properties` is `.*`.

    An entry is a key with its value; `.key` is `(key, Property(subject, key))`, `variable` is `(name, Variable)`.
    """

    subject: Variable
    entries: tuple[tuple[str, Expression], ...]
    all_properties: bool


Operator = typing.Literal[
    "+", "-", "*", "/", "%", "^", "=", "<>", "<", "<=", ">", ">=",
    "AND", "OR", "XOR", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS", "=~",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`left operator right`. `a < b < c` is parsed as `a < b AND b < c`."""

    operator: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    operator: typing.Literal["NOT", "+", "-"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    """`operand IS [NOT] NULL`"""

    operand: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class Instant(Expression):
    """A constant as it is compared with the timestamps of a property; the parser makes none.

    Attributes:
        value: refers to no variable.
        is_end: of a day, its last timestamp, where it is its first otherwise.
    """

    value: Expression
    is_end: bool


@dataclass(frozen=True, slots=True)
class HasLabels(Expression):
    """`subject:Label`; of a relationship, its type."""

    subject: Expression
    labels: LabelExpression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`name([DISTINCT] argument, …)`. The name is as written, with its dots (`duration.between`)."""

    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class CountAll(Expression):
    """`count(*)`"""


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """`CASE [subject] WHEN … THEN … [ELSE …] END`"""

    subject: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class ListComprehension(Expression):
    """`[variable IN source WHERE condition | result]`"""

    variable: str
    source: Expression
    condition: Expression | None
    result: Expression | None


@dataclass(frozen=True, slots=True)
class Quantifier(Expression):
    """`all(variable IN source WHERE condition)`"""

    quantifier: typing.Literal["all", "any", "none", "single"]
    variable: str
    source: Expression
    condition: Expression


@dataclass(frozen=True, slots=True)
class Reduce(Expression):
    """`reduce(accumulator = initial, variable IN source | result)`"""

    accumulator: str
    initial: Expression
    variable: str
    source: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class PatternComprehension(Expression):
    """`[path = (a)-->(b) WHERE condition | result]`; the name of the path is in the pattern."""

    pattern: Path
    condition: Expression | None
    result: Expression


@dataclass(frozen=True, slots=True)
class PatternPredicate(Expression):
    """`(a)-->(b)` as a condition, or `exists((a)-->(b))`."""

    pattern: Path


@dataclass(frozen=True, slots=True)
class PatternPath(Expression):
    """`shortestPath((a)-[*]-(b))` or `allShortestPaths(…)` as an expression: a path or null, or a list of paths."""

    pattern: Path


@dataclass(frozen=True, slots=True)
class Subquery(Expression):
    """`EXISTS { … }`, `COUNT { … }` and `COLLECT { … }`.

    A bare pattern in the braces (`EXISTS { (a)-->(b) WHERE … }`) is parsed as a query of one MATCH and no RETURN.
    """

    kind: typing.Literal["EXISTS", "COUNT", "COLLECT"]
    query: Query


# Label expressions, also for the types of relationships


Direction = typing.Literal["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class LabelName(SyntaxNode):
    name: str


@dataclass(frozen=True, slots=True)
class LabelWildcard(SyntaxNode):
    """`%`: has at least one label."""


@dataclass(frozen=True, slots=True)
class LabelNot(SyntaxNode):
    operand: LabelExpression


@dataclass(frozen=True, slots=True)
class LabelAnd(SyntaxNode):
    """`A&B`, and the older `:A:B`"""

    operands: tuple[LabelExpression, ...]


@dataclass(frozen=True, slots=True)
class LabelOr(SyntaxNode):
    """`A|B`, and the older `:A|:B` of relationship types"""

    operands: tuple[LabelExpression, ...]


@dataclass(frozen=True, slots=True)
class TypesByDirection(SyntaxNode):
    """Types of one relationship with an arrow, not all of which are stored in the direction of the arrow.

    No text is parsed as this; see `plan/type_directions`.

    Attributes:
        directions: for 'out' (along the arrow), 'in' (against it) and 'both', the types that are matched so; each type
            once.
    """

    directions: tuple[tuple[Direction, LabelExpression], ...]


LabelExpression = LabelName | LabelWildcard | LabelNot | LabelAnd | LabelOr | TypesByDirection


# Patterns


@dataclass(frozen=True, slots=True)
class NodePattern(SyntaxNode):
    """`(variable:Label {key: value} WHERE condition)`; properties are a MapLiteral or a Parameter."""

    variable: str | None
    labels: LabelExpression | None
    properties: Expression | None
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Length(SyntaxNode):
    """`*`, `*3`, `*1..3`, `*..3`, `*1..`: how many relationships a path has, both bounds included.

    Without a minimum it is 1; without a maximum there is no limit.
    """

    min_hops: int | None
    max_hops: int | None


@dataclass(frozen=True, slots=True)
class RelationshipPattern(SyntaxNode):
    """`-[variable:TYPE*1..3 {key: value} WHERE condition]->`; direction as the pattern is read from left to right."""

    variable: str | None
    types: LabelExpression | None
    direction: Direction
    properties: Expression | None
    length: Length | None
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Path(SyntaxNode):
    """`variable = shortestPath((a)-[r]->(b)-…)`: nodes with one relationship between each two."""

    variable: str | None
    shortest: typing.Literal["shortest", "all shortest"] | None
    nodes: tuple[NodePattern, ...]
    relationships: tuple[RelationshipPattern, ...]


# Clauses


@dataclass(frozen=True, slots=True)
class Match(SyntaxNode):
    optional: bool
    paths: tuple[Path, ...]
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Unwind(SyntaxNode):
    source: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class ProjectionItem(SyntaxNode):
    """`expression AS alias`. Without an alias, `name` is the variable, or the text of the expression."""

    expression: Expression
    name: str
    has_alias: bool


@dataclass(frozen=True, slots=True)
class SortKey(SyntaxNode):
    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Projection(SyntaxNode):
    """WITH (with its WHERE) or RETURN. `star` is `*`, which stands before the items."""

    is_return: bool
    distinct: bool
    star: bool
    items: tuple[ProjectionItem, ...]
    order: tuple[SortKey, ...]
    skip: Expression | None
    limit: Expression | None
    condition: Expression | None = None


Clause = Match | Unwind | Projection


@dataclass(frozen=True, slots=True)
class SingleQuery(SyntaxNode):
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Query(SyntaxNode):
    """Single queries joined by UNION; `union_all[i]` says whether it is UNION ALL between the parts i and i + 1."""

    parts: tuple[SingleQuery, ...]
    union_all: tuple[bool, ...]
