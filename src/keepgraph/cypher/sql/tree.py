"""SQL as a tree: the expressions and SELECTs of a statement, and what may be asked of an expression.

The text is written once, at the end, by `rendering`, which also sets the brackets. So what an expression is, and what
it contains, is asked of the tree and never read from text. Text that stands in the catalogue is a Fragment: a leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from string import Formatter


class Expression:
    """An SQL expression, one of the classes below.

    Attributes:
        size: of how many nodes it consists; a node that stands in several places counts in each.
    """

    __slots__ = ()
    size = 1


def _set_size(node: Expression, children: Iterable[Expression | Select]) -> None:
    size = 1
    for child in children:
        size += child.size
    object.__setattr__(node, "size", size)


# Leaves


@dataclass(frozen=True, slots=True)
class Keyword(Expression):
    """NULL, TRUE, FALSE, or `*`."""

    word: str


NULL, TRUE, FALSE, STAR = Keyword("NULL"), Keyword("TRUE"), Keyword("FALSE"), Keyword("*")


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A text, an integer or a blob of ours, never one from a query, except its number of rows."""

    value: str | int | bytes


@dataclass(frozen=True, slots=True)
class Placeholder(Expression):
    """A bound value, by its number among those of `Bindings`."""

    number: int


@dataclass(frozen=True, slots=True)
class Column(Expression):
    """A column of the row with an alias; without one, of the only source."""

    row: str
    name: str


@dataclass(frozen=True, slots=True)
class Fragment(Expression):
    """SQL that the catalogue has for a row, with placeholders in it; nobody looks into its text.

    Attributes:
        is_condition: whether it may be several conditions with AND between them; else it binds tighter than any
            operator.
    """

    parts: tuple[str | Placeholder, ...]
    is_condition: bool = False


# Expressions of others


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of SQLite."""

    function: str
    arguments: tuple[Expression, ...]
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, self.arguments)


@dataclass(frozen=True, slots=True)
class Callback(Expression):
    """A function that Python computes (`callbacks`)."""

    name: str
    arguments: tuple[Expression, ...] = ()
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, self.arguments)


@dataclass(frozen=True, slots=True)
class Aggregate(Expression):
    """A function of the rows of a group; without an argument, of all that a row has: `count(*)`.

    Attributes:
        where: which rows of the group it is of; None for all.
    """

    function: str
    argument: Expression = STAR
    distinct: bool = False
    where: Expression | None = None
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, (self.argument,) if self.where is None else (self.argument, self.where))


@dataclass(frozen=True, slots=True)
class Prefix(Expression):
    """An operator before its operand, a row of LEVELS."""

    operator: str
    operand: Expression
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, (self.operand,))


@dataclass(frozen=True, slots=True)
class Infix(Expression):
    """An operator between its operands, a row of LEVELS."""

    operator: str
    operands: tuple[Expression, ...]
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, self.operands)


@dataclass(frozen=True, slots=True)
class In(Expression):
    """Whether a value is among others, which are listed or selected."""

    value: Expression
    others: tuple[Expression, ...] | Select
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        others = self.others if isinstance(self.others, tuple) else (self.others,)
        _set_size(self, (self.value, *others))


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """CASE; `subject` is compared with what stands after WHEN, without one each is a condition."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None = None
    subject: Expression | None = None
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, _parts_of_case(self))


@dataclass(frozen=True, slots=True)
class Scalar(Expression):
    """The first value that a SELECT gives, or null."""

    select: Select
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, (self.select,))


@dataclass(frozen=True, slots=True)
class Exists(Expression):
    """Whether a SELECT gives any row."""

    select: Select
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        _set_size(self, (self.select,))


LEVELS = {
    **dict.fromkeys(("OR", "AND"), 1),
    "NOT": 2,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "IN"), 3),
    **dict.fromkeys(("+", "/", "%"), 4),
    **dict.fromkeys(("||", "->", "->>"), 5),
    "unary +": 6,
}
"""The operators, each with how tightly it binds its operands. Those of one level are never mixed without brackets."""

_UNARY = {"+": "unary +"}

ASSOCIATIVE = frozenset(("OR", "AND", "||"))
"""The operators that need no brackets inside themselves."""


def prefix_operator(prefix: Prefix) -> str:
    """The operator by the name that it has in LEVELS."""
    return _UNARY.get(prefix.operator, prefix.operator)


def operator_of(expression: Expression) -> str | None:
    """The operator that binds the parts of an expression together; None if they cannot come apart."""
    if isinstance(expression, Infix):
        return expression.operator
    if isinstance(expression, Prefix):
        return prefix_operator(expression)
    if isinstance(expression, Fragment):
        return "AND" if expression.is_condition else None
    return "IN" if isinstance(expression, In) else None


# SELECTs


@dataclass(frozen=True, slots=True)
class Selected:
    """A selected value and the name of its column; empty for none."""

    value: Expression
    name: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What rows are read from.

    Attributes:
        rows: a table, a function that gives rows, or a SELECT.
        join: how it is joined to the sources before it.
        on: of a LEFT JOIN, and where a row is looked up by its key, the condition.
        index: the index that must be used; empty if SQLite may choose, None if it may use none.
    """

    rows: Fragment | Call | Select
    alias: str = ""
    join: str = "CROSS JOIN"
    on: Expression | None = None
    index: str | None = ""


@dataclass(frozen=True, slots=True)
class SortKey:
    """A key of ORDER BY; `nulls` is FIRST or LAST, empty if there are none or SQLite's order is meant."""

    value: Expression
    descending: bool = False
    nulls: str = ""


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT.

    Attributes:
        values: none for as many rows without a value that is asked for.
        where: the conditions that all hold; equal ones are written once.
        union: a SELECT whose rows come after these (UNION ALL), which then have no order and no limit.
    """

    values: tuple[Selected, ...] = ()
    sources: tuple[Source, ...] = ()
    where: tuple[Expression, ...] = ()
    group_by: tuple[Expression, ...] = ()
    order: tuple[SortKey, ...] = ()
    limit: Expression | None = None
    skip: Expression | None = None
    distinct: bool = False
    union: Select | None = None

    @property
    def size(self) -> int:
        conditions = [source.on for source in self.sources if source.on is not None]
        parts: list[Expression | Select] = [*conditions, *self.where, *self.group_by]
        parts += [selected.value for selected in self.values] + [key.value for key in self.order]
        parts += [source.rows for source in self.sources]
        return 1 + sum([part.size for part in parts]) + (0 if self.union is None else self.union.size)


SINGLE_ROW = Source(Select((Selected(Literal(1)),)))
"""A source of one row."""


# Construction


def call(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def infix(operator: str, *operands: Expression) -> Infix:
    return Infix(operator, operands)


def equal(left: Expression, right: Expression) -> Infix:
    return Infix("=", (left, right))


def is_null(value: Expression) -> Infix:
    return Infix("IS", (value, NULL))


def is_not_null(value: Expression) -> Infix:
    return Infix("IS NOT", (value, NULL))


def negate(condition: Expression) -> Prefix:
    return Prefix("NOT", condition)


def iif(condition: Expression, value: Expression, otherwise: Expression) -> Call:
    return Call("iif", (condition, value, otherwise))


def is_one_of(value: Expression, *texts: str) -> Expression:
    """Whether a value is one of these texts."""
    literals = tuple(map(Literal, texts))
    return equal(value, literals[0]) if len(literals) == 1 else In(value, literals)


def all_of(conditions: Iterable[Expression]) -> Expression:
    """The conjunction of conditions, without those that are always true."""
    present = tuple([condition for condition in conditions if condition != TRUE])
    return present[0] if len(present) == 1 else Infix("AND", present) if present else TRUE


def any_of(conditions: Iterable[Expression]) -> Expression:
    """The disjunction of conditions, of which there is at least one."""
    present = tuple(conditions)
    return present[0] if len(present) == 1 else Infix("OR", present)


def conjuncts(conditions: Iterable[Expression]) -> tuple[Expression, ...]:
    """The conditions with each conjunction among them split, each once, without those that are always true."""
    parts: dict[Expression, None] = {}
    for condition in conditions:
        if isinstance(condition, Infix) and condition.operator == "AND":
            parts.update(dict.fromkeys(conjuncts(condition.operands)))
        else:
            parts[condition] = None
    parts.pop(TRUE, None)
    return tuple(parts)


@lru_cache(maxsize=1_000)
def fragment(template: str, row: str, *, is_condition: bool = False) -> Fragment | None:
    """SQL of the catalogue for the row with an alias, which is not bound to anything else; None if it is."""
    fields = template_fields(template)
    if any(name not in (None, "row") for _, name in fields):
        return None
    text = "".join([part for literal, name in fields for part in (literal, "" if name is None else row)])
    return Fragment((text,), is_condition)


@lru_cache(maxsize=1_000)
def template_fields(template: str) -> tuple[tuple[str, str | None], ...]:
    """A text of the catalogue in parts: a literal text, and the name in curly brackets behind it or None."""
    return tuple((text, name) for text, name, _, _ in Formatter().parse(template))


# Questions


def children(expression: Expression) -> Iterator[Expression]:
    """The expressions that an expression is made of, without those in a SELECT of its own."""
    if isinstance(expression, Call | Callback):
        yield from expression.arguments
    elif isinstance(expression, Infix):
        yield from expression.operands
    elif isinstance(expression, Prefix):
        yield expression.operand
    elif isinstance(expression, Case):
        yield from _parts_of_case(expression)
    elif isinstance(expression, In):
        yield expression.value
        if isinstance(expression.others, tuple):
            yield from expression.others
    elif isinstance(expression, Aggregate):
        yield expression.argument
        if expression.where is not None:
            yield expression.where


def has_aggregate(expression: Expression) -> bool:
    """Whether an expression aggregates the rows of its SELECT."""
    return isinstance(expression, Aggregate) or any(map(has_aggregate, children(expression)))


def has_affinity(expression: Expression) -> bool:
    """Whether SQLite may convert a value that the expression is compared with, since a column gives it a type."""
    return isinstance(expression, Column | Fragment | Scalar)


def is_null_without(expression: Expression, row: str) -> bool:
    """Whether an expression is certainly null if a LEFT JOIN has no row for this alias."""
    if isinstance(expression, Column):
        return expression.row == row
    if isinstance(expression, Call) and expression.function == "coalesce":
        return all(is_null_without(argument, row) for argument in expression.arguments)
    if isinstance(expression, Infix) and expression.operator in _STRICT:
        return any(is_null_without(operand, row) for operand in expression.operands)
    return False


_STRICT = frozenset(("=", "<>", "<", "<=", ">", ">=", "||", "->", "->>"))
"""The operators that give null if an operand is null."""


def _parts_of_case(case: Case) -> list[Expression]:
    parts = [part for branch in case.branches for part in branch]
    return parts + [part for part in (case.subject, case.otherwise) if part is not None]
