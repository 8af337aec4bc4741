"""The syntax tree of a query: what was written, with the place of each part. Knows no graph and no meaning.

Two parts are equal when they say the same, wherever they stand: `span` does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from typing import Literal as Word

Span = tuple[int, int]
"""The offsets of the first character and of the one after the last."""

NOWHERE: Span = (0, 0)

OWN: Final = "\0"
"""What names begin with that no query can write: those of parts without a name, and of columns of our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Anything that stands somewhere in the text."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Expression(Part):
    """Anything that has a value."""

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
    """`subject {.key, key: value, variable, .*}`

    An entry is a key with its value; `.key` is `(key, Property(subject, key))`, `variable` is `(name, Variable)`.
    """

    subject: Variable
    entries: tuple[tuple[str, Expression], ...]
    everything: bool


Operator = Word[
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
    operator: Word["NOT", "+", "-"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    """`operand IS [NOT] NULL`"""

    operand: Expression
    negated: bool


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
    otherwise: Expression | None


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

    which: Word["all", "any", "none", "single"]
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
    """`(a)-->(b)` where a truth value is wanted, or `exists((a)-->(b))`."""

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

    which: Word["EXISTS", "COUNT", "COLLECT"]
    query: Query


# Labels and types, as they may be combined


@dataclass(frozen=True, slots=True)
class LabelName(Part):
    name: str


@dataclass(frozen=True, slots=True)
class AnyLabel(Part):
    """`%`: has a label at all."""


@dataclass(frozen=True, slots=True)
class NotLabel(Part):
    operand: LabelExpression


@dataclass(frozen=True, slots=True)
class AllLabels(Part):
    """`A&B`, and the older `:A:B`"""

    operands: tuple[LabelExpression, ...]


@dataclass(frozen=True, slots=True)
class SomeLabel(Part):
    """`A|B`, and the older `:A|:B` of relationship types"""

    operands: tuple[LabelExpression, ...]


LabelExpression = LabelName | AnyLabel | NotLabel | AllLabels | SomeLabel


# Patterns


@dataclass(frozen=True, slots=True)
class NodePattern(Part):
    """`(variable:Label {key: value} WHERE condition)`; properties are a MapLiteral or a Parameter."""

    variable: str | None
    labels: LabelExpression | None
    properties: Expression | None
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Length(Part):
    """`*`, `*3`, `*1..3`, `*..3`, `*1..`: hops, both ends included; None is without an end (at the least, 1)."""

    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class RelationshipPattern(Part):
    """`-[variable:TYPE*1..3 {key: value} WHERE condition]->`; direction as the pattern is read from left to right."""

    variable: str | None
    types: LabelExpression | None
    direction: Word["out", "in", "both"]
    properties: Expression | None
    length: Length | None
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Path(Part):
    """`variable = shortestPath((a)-[r]->(b)-…)`: nodes and relationships by turns, nodes at both ends."""

    variable: str | None
    shortest: Word["shortest", "all shortest"] | None
    nodes: tuple[NodePattern, ...]
    relationships: tuple[RelationshipPattern, ...]


# Clauses


@dataclass(frozen=True, slots=True)
class Match(Part):
    optional: bool
    paths: tuple[Path, ...]
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Unwind(Part):
    source: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class Item(Part):
    """`expression AS alias`. Without an alias, `name` is the variable, or the text as it was written."""

    expression: Expression
    name: str
    aliased: bool


@dataclass(frozen=True, slots=True)
class SortKey(Part):
    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Projection(Part):
    """WITH (with its WHERE) or RETURN. `everything` is `*`, which stands before the items."""

    final: bool
    distinct: bool
    everything: bool
    items: tuple[Item, ...]
    order: tuple[SortKey, ...]
    skip: Expression | None
    limit: Expression | None
    condition: Expression | None = None


Clause = Match | Unwind | Projection


@dataclass(frozen=True, slots=True)
class SingleQuery(Part):
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Query(Part):
    """Single queries joined by UNION (`all_rows[i]` says whether ALL stood between parts i and i + 1)."""

    parts: tuple[SingleQuery, ...]
    all_rows: tuple[bool, ...]
