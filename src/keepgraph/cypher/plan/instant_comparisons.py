"""Instants: comparisons of timestamp properties with constants, and groups by what follows from the day of a timestamp.

`r.recorded_at > datetime() - duration('P7D')` compares a text with a temporal value. The constant becomes the text of
its instant when the query runs, so SQL compares texts, and by an index. A day is its first instant for `<`, `<=`, `>`
and `>=`, and all of its instants for `=`, `<>` and IN. All in UTC. A name that WITH gives to a property is as good. A
comparison of its year, or of its beginning, `r.valid_from.year = 2026`, is a range of timestamps, too.

`date.truncate('month', r.recorded_at), count(*)` has a key that SQL cannot express. But the month follows from the day,
which is how the timestamp begins: SQL counts by day, and the interpreter adds up some hundred days instead of a million
relationships. Partial aggregation below another (Larson 2002, "Data reduction by partial preaggregation").
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph.cypher import functions, type_inference, value_types
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    AggregateColumn,
    Filter,
    Match,
    Plan,
    Project,
    Unwind,
    rewrite_below,
)
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError
from keepgraph.temporal import iso8601

_MIRRORED: dict[ast.Operator, ast.Operator] = {
    "=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
}  # fmt: skip
_WITHOUT_ZONE = value_types.DATE | value_types.LOCAL_DATETIME
_INSTANTS = value_types.STRING | value_types.DATETIME | _WITHOUT_ZONE
_BEGINNING = re.compile(r"\d{0,4}|\d{4}-\d{0,2}|\d{4}-\d{2}-\d{0,2}([T ][\d:.]*)?", re.ASCII)
_PARTS_OF_DAY = ("year", "month", "day", "quarter", "dayOfWeek", "weekDay", "ordinalDay")
_PARTS = {"date": _PARTS_OF_DAY, "datetime": (*_PARTS_OF_DAY, "hour", "minute", "second")}
_DIGITS_FIRST = re.compile(r"\d", re.ASCII)
_MIN_YEAR, _MAX_YEAR, _MAX_YEARS_FROM_TODAY = 1000, 9_000, 900
_MAX_SHOWN = 60
_MAX_LISTED = 50
"""How many elements of a list are compared one by one; a longer list is compared as it is."""


@dataclass(frozen=True, slots=True)
class InstantProperties:
    """The names of the properties of nodes and of relationships that hold timestamps."""

    nodes: Set[str]
    relationships: Set[str]


def resolve(
    query: ast.Query, properties: InstantProperties, parameters: Mapping[str, value_types.Type]
) -> tuple[ast.Query, tuple[str, ...]]:
    """The bound query with these comparisons rewritten, and a sentence for each that needs one.

    Args:
        parameters: the types of the query's parameters.
    """
    parts = list(walk(query))
    if not any(_names_instant(part, properties) for part in parts):
        return query, ()
    rewriter = _Rewriter(properties, parameters)
    parts_resolved = tuple(_resolve_part(part, rewriter) for part in query.parts)
    return replace(query, parts=parts_resolved), tuple(rewriter.notes)


def _resolve_part(part: ast.SingleQuery, rewriter: _Rewriter) -> ast.SingleQuery:
    """The clauses rewritten, those up to a projection at a time: behind it a name may be that of something else."""
    clauses: list[ast.Clause] = []
    names = _Names()
    since_projection: list[ast.Clause] = []
    for clause in part.clauses:
        if not isinstance(clause, ast.Projection):
            since_projection.append(clause)
            continue
        rewriter.names = before = _names_in(
            (*since_projection, *(item.expression for item in clause.items)), names, rewriter
        )
        clauses += map(rewriter.rewritten, since_projection)
        items = tuple(map(rewriter.rewritten, clause.items))
        names = _projected(clause.items, before, rewriter)
        # ORDER BY sees what is projected, and else what was seen before.
        hidden = {item.name for item in clause.items}
        rewriter.names = _names_in(
            clause.order,
            _Names(
                {name: kind for name, kind in before.variables.items() if name not in hidden} | dict(names.variables),
                (before.instants - hidden) | names.instants,
            ),
            rewriter,
        )
        order = tuple(map(rewriter.rewritten, clause.order))
        condition = clause.condition
        if condition is not None:
            rewriter.names = _names_in((condition,), names, rewriter)
            condition = rewriter.rewritten(condition)
        clauses.append(replace(clause, items=items, order=order, condition=condition))
        since_projection = []
    rewriter.names = _names_in(since_projection, names, rewriter)
    clauses += map(rewriter.rewritten, since_projection)
    return replace(part, clauses=tuple(clauses))


def _projected(items: Sequence[ast.ProjectionItem], before: _Names, rewriter: _Rewriter) -> _Names:
    """The names that a projection gives, where `before` are those that its expressions see."""
    variables = {
        item.name: before.variables[item.expression.name]
        for item in items
        if isinstance(item.expression, ast.Variable) and item.expression.name in before.variables
    }
    rewriter.names = before
    instants = (item.name for item in items if _holds_instant(item.expression, rewriter.is_instant, before.instants))
    return _Names(variables, frozenset(instants))


def _names_in(trees: Sequence[ast.SyntaxNode], outside: _Names, rewriter: _Rewriter) -> _Names:
    """The names that these trees see: those from outside, and those that are declared anywhere in them."""
    parts = [part for tree in trees for part in walk(tree)]
    rewriter.names = replace(outside, variables=graph_variables(parts, outside.variables))
    return replace(rewriter.names, instants=_instant_names(parts, rewriter.is_instant, outside.instants))


def compared_parameters(query: ast.Query) -> tuple[tuple[str, str], ...]:
    """The parameters of a rewritten query that are compared with timestamps, each after the name of what has these."""
    return tuple(
        {
            (_name_of(part.left), part.right.value.name): None
            for part in walk(query)
            if isinstance(part, ast.Binary)
            and isinstance(part.right, ast.Instant)
            and isinstance(part.right.value, ast.Parameter)
        }
    )


def describe_unread(compared: Sequence[tuple[str, str]], values: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each of these parameters whose value is not an instant, and so compares as something else."""
    for name, parameter in compared:
        value = values.get(parameter)
        if isinstance(value, str) and not begins_instant(value):
            yield _not_read(name, value)


def _not_read(name: str, text: str) -> str:
    return f"{name} is an instant, but {text[:_MAX_SHOWN]!r} is not"


def _names_instant(part: ast.SyntaxNode, properties: InstantProperties) -> bool:
    keys = properties.nodes | properties.relationships
    if isinstance(part, ast.Property):
        return part.key in keys
    if isinstance(part, ast.NodePattern | ast.RelationshipPattern) and isinstance(part.properties, ast.MapLiteral):
        return any(key in keys for key, _ in part.properties.entries)
    return False


def graph_variables(parts: Sequence[ast.SyntaxNode], outside: Mapping[str, str]) -> dict[str, str]:
    """The variables that are always nodes, or always relationships, by kind: 'node' or 'relationship'."""
    kinds: dict[str, set[str]] = {name: {kind} for name, kind in outside.items()}
    renamed: list[tuple[str, str]] = []
    for part in parts:
        if isinstance(part, ast.NodePattern) and part.variable is not None:
            kinds.setdefault(part.variable, set()).add("node")
        elif isinstance(part, ast.RelationshipPattern) and part.variable is not None:
            kinds.setdefault(part.variable, set()).add("relationship" if part.length is None else "")
        elif isinstance(part, ast.ProjectionItem):
            if isinstance(part.expression, ast.Variable):
                renamed.append((part.name, part.expression.name))
            else:
                kinds.setdefault(part.name, set()).add("")
        elif isinstance(part, ast.Unwind | ast.ListComprehension | ast.Quantifier):
            kinds.setdefault(part.variable, set()).add("")
        elif isinstance(part, ast.Reduce):
            kinds.setdefault(part.variable, set()).add("")
            kinds.setdefault(part.accumulator, set()).add("")
    # A name is of the kinds of all that it is given to; `WITH a AS b, b AS a` is a circle.
    for _ in renamed:
        before = {name: set(of) for name, of in kinds.items()}
        for name, former in renamed:
            kinds.setdefault(name, set()).update(kinds.get(former, set()))
        if kinds == before:
            break
    return {name: next(iter(of)) for name, of in kinds.items() if len(of) == 1 and "" not in of}


def _instant_names(
    parts: Sequence[ast.SyntaxNode], is_instant: Callable[[ast.Expression], bool], outside: frozenset[str]
) -> frozenset[str]:
    """The names of columns that always hold timestamps: those of a property, the first or the last one, or renamed."""
    given: dict[str, list[ast.Expression]] = {}
    other: set[str] = set()
    for part in parts:
        if isinstance(part, ast.ProjectionItem):
            if part.expression != ast.Variable(part.name):
                given.setdefault(part.name, []).append(part.expression)
        elif isinstance(part, ast.NodePattern | ast.RelationshipPattern | ast.Path):
            other.add(part.variable or "")
        elif isinstance(part, ast.Unwind | ast.ListComprehension | ast.Quantifier | ast.Reduce):
            other.add(part.variable)
            if isinstance(part, ast.Reduce):
                other.add(part.accumulator)
    names = {name for name in given if name not in other}
    outside = outside - other - given.keys()
    while True:
        held = {
            name for name in names if all(_holds_instant(each, is_instant, names | outside) for each in given[name])
        }
        if held == names:
            return outside | names
        names = held


def _holds_instant(expression: ast.Expression, is_instant: Callable[[ast.Expression], bool], names: Set[str]) -> bool:
    if (
        isinstance(expression, ast.Call)
        and expression.name.lower() in ("min", "max")
        and len(expression.arguments) == 1
    ):
        expression = expression.arguments[0]
    return is_instant(expression) or (isinstance(expression, ast.Variable) and expression.name in names)


@dataclass(frozen=True, slots=True)
class _Names:
    """What the names that are seen somewhere in a query stand for.

    Attributes:
        variables: those that are always nodes, or relationships, by kind: 'node' or 'relationship'.
        instants: the names of columns that always hold timestamps.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    instants: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Rewriter:
    """
    Attributes:
        names: what is seen where it rewrites.
        notes: what the comparisons were taken for, a sentence each.
    """

    properties: InstantProperties
    parameters: Mapping[str, value_types.Type]
    names: _Names = field(default_factory=_Names)
    notes: dict[str, None] = field(default_factory=dict)

    def rewritten(self, tree: tree_walk.Tree) -> tree_walk.Tree:
        return tree_walk.rewrite(tree, self.change)

    def change(self, part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        if isinstance(part, ast.Binary):
            return self._comparison(part)
        if isinstance(part, ast.NodePattern | ast.RelationshipPattern):
            return self._pattern(part)
        if isinstance(part, ast.Property):
            return self._part_of_converted(part)
        return None

    def _part_of_converted(self, part: ast.Property) -> ast.Expression | None:
        """`date(n.created_at).month` as `n.created_at.month`, which SQL can express."""
        for function, keys in _PARTS.items():
            if part.key in keys and (timestamp := self._converted(part.subject, function)) is not None:
                return replace(part, subject=timestamp)
        return None

    def _comparison(self, part: ast.Binary) -> ast.Expression | None:
        if part.operator == "IN":
            return self._membership(part)
        if part.operator == "STARTS WITH":
            return self._beginning(part)
        if part.operator not in _MIRRORED:
            return None
        for property_, operator, other in (
            (part.left, part.operator, part.right),
            (part.right, _MIRRORED[part.operator], part.left),
        ):
            if self.is_instant(property_):
                return self._compared(property_, operator, other, part.span)
            if (day_of := self._converted(property_, "date")) is not None and self._kinds_of(other) == value_types.DATE:
                return _compared_day(day_of, operator, other, part.span)
            if operator == "=" and (beginning_of := self._subject_of_substring(property_, other)) is not None:
                return self._beginning(ast.Binary("STARTS WITH", beginning_of, other, span=part.span))
            if (year_of := self._subject_of_year(property_)) is not None and _is_year(other):
                return _compared_year(year_of, operator, other, part.span)
        return None

    def _subject_of_year(self, part: ast.Expression) -> ast.Expression | None:
        """The timestamp of which this is the year; None for any other expression."""
        if not isinstance(part, ast.Property) or part.key != "year":
            return None
        if self.is_instant(part.subject):
            return part.subject
        return self._converted(part.subject, "date") or self._converted(part.subject, "datetime")

    def _converted(self, part: ast.Expression, function: str) -> ast.Expression | None:
        """The property whose timestamp this function converts; None for any other expression."""
        if isinstance(part, ast.Call) and part.name.lower() == function and len(part.arguments) == 1:
            [argument] = part.arguments
            return argument if self.is_instant(argument) else None
        return None

    def _subject_of_substring(self, part: ast.Expression, text: ast.Expression) -> ast.Expression | None:
        """The timestamp of which `substring(…, 0, 10)` is as many characters as a text has."""
        if not isinstance(part, ast.Call) or part.name.lower() not in ("substring", "left"):
            return None
        subject, *numbers = part.arguments
        length = len(text.value) if isinstance(text, ast.Literal) and isinstance(text.value, str) else 0
        wanted = [length] if part.name.lower() == "left" else [0, length]
        found = [number.value if isinstance(number, ast.Literal) else None for number in numbers]
        return subject if length and found == wanted and self.is_instant(subject) else None

    def _beginning(self, part: ast.Binary) -> ast.Expression | None:
        """The range of the timestamps that begin with a text."""
        text = part.right.value if isinstance(part.right, ast.Literal) else None
        if not self.is_instant(part.left) or not isinstance(text, str) or not _DIGITS_FIRST.match(text):
            return None
        # What a timestamp consists of comes before "~".
        since = ast.Binary(">=", part.left, part.right, span=part.span)
        until = ast.Binary("<", part.left, ast.Literal(f"{text}~", span=part.right.span), span=part.span)
        return ast.Binary("AND", since, until, span=part.span)

    def _membership(self, part: ast.Binary) -> ast.Expression | None:
        if (year_of := self._subject_of_year(part.left)) is not None:
            return self._membership_of_year(year_of, part)
        if not self.is_instant(part.left):
            return None
        if isinstance(part.right, ast.Parameter):
            return self._membership_in_parameter(part, part.right)
        if not isinstance(part.right, ast.ListLiteral):
            return None
        elements = part.right.elements
        if not 0 < len(elements) <= _MAX_LISTED:
            return None
        tests = [self._compared(part.left, "=", element, part.span) for element in elements]
        either: ast.Expression | None = None
        for test in tests:
            if test is None:
                return None
            either = test if either is None else ast.Binary("OR", either, test, span=part.span)
        return either

    def _membership_of_year(self, subject: ast.Expression, part: ast.Binary) -> ast.Expression | None:
        years = part.right.elements if isinstance(part.right, ast.ListLiteral) else ()
        if not 0 < len(years) <= _MAX_LISTED or not all(map(_is_year, years)):
            return None
        tests = [_compared_year(subject, "=", year, part.span) for year in years]
        return functools.reduce(lambda one, other: ast.Binary("OR", one, other, span=part.span), tests)

    def _membership_in_parameter(self, part: ast.Binary, listed: ast.Parameter) -> ast.Expression | None:
        type_ = self.parameters.get(listed.name, value_types.UNKNOWN)
        if type_.kinds != value_types.LIST or type_.element is None or type_.element.kinds & ~_INSTANTS:
            return None
        day = f"{ast.INTERNAL_PREFIX}day{part.span[0]}"
        return ast.Quantifier(
            "any", day, listed, _compared_day(part.left, "=", ast.Variable(day), part.span), span=part.span
        )

    def _pattern(self, part: ast.NodePattern | ast.RelationshipPattern) -> ast.SyntaxNode | None:
        """A pattern whose properties of instants, `{valid_from: date('…')}`, are in its condition."""
        keys = self._keys("node" if isinstance(part, ast.NodePattern) else "relationship")
        if not isinstance(part.properties, ast.MapLiteral) or _has_length(part):
            return None
        variable = part.variable or f"{ast.INTERNAL_PREFIX}instant{part.span[0]}_{part.span[1]}"
        remaining, condition = [], part.condition and self.rewritten(part.condition)
        for key, value in part.properties.entries:
            subject = ast.Property(ast.Variable(variable, span=part.span), key, span=part.span)
            test = self._compared(subject, "=", value, part.span) if key in keys else None
            if test is None:
                remaining.append((key, self.rewritten(value)))
            else:
                condition = test if condition is None else ast.Binary("AND", condition, test, span=part.span)
        if len(remaining) == len(part.properties.entries):
            return None
        properties = ast.MapLiteral(tuple(remaining), span=part.properties.span) if remaining else None
        return replace(part, variable=variable, properties=properties, condition=condition)

    def _compared(
        self, property_: ast.Expression, operator: ast.Operator, other: ast.Expression, span: ast.Span
    ) -> ast.Expression | None:
        """`property operator constant`; None if that is compared as it is."""
        kinds = self._kinds_of(other)
        if isinstance(other, ast.Parameter) and self.parameters.get(other.name) == value_types.Type(value_types.NULL):
            self.notes[f"${other.name} is null, and nothing compares with null"] = None
        if kinds and not kinds & ~value_types.NUMBER and (name := _name_of(property_)) and _counts_milliseconds(other):
            self.notes[f"{name} is an instant: milliseconds since 1970 are converted to one"] = None
            other = ast.Call("datetime.fromEpochMillis", (other,), span=other.span)
            kinds = value_types.DATETIME
        if not kinds & _INSTANTS or kinds & ~_INSTANTS:
            return None
        if kinds & _WITHOUT_ZONE:
            self._note(_name_of(property_), kinds, operator)
        if isinstance(other, ast.Literal) and isinstance(other.value, str) and not begins_instant(other.value):
            self.notes[_not_read(_name_of(property_), other.value)] = None
        if operator in ("=", "<>"):
            return _compared_day(property_, operator, other, span)
        return ast.Binary(operator, property_, ast.Instant(other, is_end=False, span=other.span), span=span)

    def _note(self, key: str, kinds: int, operator: str) -> None:
        if not kinds & value_types.DATE:
            meaning = "a local datetime is taken as UTC"
        elif operator in ("=", "<>"):
            meaning = "a date means any instant of that day, in UTC"
        else:
            meaning = "a date means the first instant of that day, in UTC"
        self.notes[f"{key} is an instant: {meaning}"] = None

    def is_instant(self, part: ast.Expression) -> bool:
        if isinstance(part, ast.Variable):
            return part.name in self.names.instants
        return (
            isinstance(part, ast.Property)
            and isinstance(part.subject, ast.Variable)
            and part.key in self._keys(self.names.variables.get(part.subject.name, ""))
        )

    def _keys(self, kind: str) -> Set[str]:
        keys: dict[str, Set[str]] = {"node": self.properties.nodes, "relationship": self.properties.relationships}
        return keys.get(kind, frozenset())

    def _kinds_of(self, constant: ast.Expression) -> int:
        """The kinds that a constant may have, except null; none for other expressions."""
        if not is_constant(constant):
            return 0
        try:
            return type_inference.infer(constant, {}, type_inference.Context(self.parameters)).kinds & ~value_types.NULL
        except QueryError:
            return 0


def _name_of(part: ast.Expression) -> str:
    """The key of a property, or the name of a column."""
    if isinstance(part, ast.Property):
        return part.key
    return part.name if isinstance(part, ast.Variable) else ""


def _compared_range(
    property_: ast.Expression,
    operator: ast.Operator,
    start: ast.Instant,
    end: ast.Instant,
    span: ast.Span,
    *,
    has_end: bool,
) -> ast.Expression:
    """The comparison of a timestamp with a day or a year, from its start to its end; `has_end` if that is in it."""
    if operator in ("<", ">="):
        return ast.Binary(operator, property_, start, span=span)
    until: ast.Operator = "<=" if has_end else "<"
    if operator in ("<=", ">"):
        return ast.Binary(until if operator == "<=" else ">" if has_end else ">=", property_, end, span=span)
    since = ast.Binary(">=", property_, start, span=span)
    within = ast.Binary("AND", since, ast.Binary(until, property_, end, span=span), span=span)
    return within if operator == "=" else ast.Unary("NOT", within, span=span)


def _compared_day(
    property_: ast.Expression, operator: ast.Operator, day: ast.Expression, span: ast.Span
) -> ast.Expression:
    """The comparison of the day of a timestamp with a day; an instant instead of a day is as short as a day can be."""
    start = ast.Instant(day, is_end=False, span=day.span)
    end = ast.Instant(day, is_end=True, span=day.span)
    return _compared_range(property_, operator, start, end, span, has_end=True)


def _compared_year(
    property_: ast.Expression, operator: ast.Operator, year: ast.Expression, span: ast.Span
) -> ast.Expression:
    """The comparison of the year of a timestamp with a year."""

    def first_day(years_later: int) -> ast.Instant:
        later = ast.Binary("+", year, ast.Literal(years_later, span=year.span), span=year.span)
        fields = ast.MapLiteral((("year", later if years_later else year),), span=year.span)
        return ast.Instant(ast.Call("date", (fields,), span=year.span), is_end=False, span=year.span)

    return _compared_range(property_, operator, first_day(0), first_day(1), span, has_end=False)


def _is_year(expression: ast.Expression) -> bool:
    """Whether this is a year of four digits: an integer, that of today, or one some years from it."""
    if isinstance(expression, ast.Literal):
        return type(expression.value) is int and _MIN_YEAR <= expression.value <= _MAX_YEAR
    if isinstance(expression, ast.Binary) and expression.operator in ("+", "-"):
        years = expression.right.value if isinstance(expression.right, ast.Literal) else None
        return type(years) is int and abs(years) <= _MAX_YEARS_FROM_TODAY and _is_year_of_today(expression.left)
    return _is_year_of_today(expression)


def _is_year_of_today(expression: ast.Expression) -> bool:
    if not isinstance(expression, ast.Property) or expression.key != "year":
        return False
    subject = expression.subject
    return isinstance(subject, ast.Call) and subject.name.lower() in ("date", "datetime") and not subject.arguments


def begins_instant(text: str) -> bool:
    """Whether a text is a day or an instant, or the beginning of one, such as `2026-05`."""
    if _BEGINNING.fullmatch(text) is None:
        return iso8601.read_instant(text) is not None
    day = text[:10]
    if len(day) == 10:
        return iso8601.read_instant(day) is not None
    return text != "" and (len(day) < 7 or "01" <= day[5:7] <= "12")


def _has_length(part: ast.NodePattern | ast.RelationshipPattern) -> bool:
    return isinstance(part, ast.RelationshipPattern) and part.length is not None


def _counts_milliseconds(number: ast.Expression) -> bool:
    """Whether an integer is computed from `timestamp()` or `.epochMillis`."""
    return any(
        (isinstance(part, ast.Call) and part.name.lower() == "timestamp")
        or (isinstance(part, ast.Property) and part.key == "epochMillis")
        for part in walk(number)
    )


_CONSTANT: dict[type, Callable[[Any], bool]] = {
    ast.Literal: lambda part: True,
    ast.Parameter: lambda part: True,
    ast.MapLiteral: lambda part: True,
    ast.Binary: lambda part: True,
    ast.Unary: lambda part: True,
    ast.Property: lambda part: True,
    ast.ListLiteral: lambda part: True,
    ast.Instant: lambda part: True,
    ast.Call: lambda part: (function := functions.find(part.name)) is not None and function.needs in ("", "now"),
}


def is_constant(expression: ast.Expression) -> bool:
    """Whether an expression has one value for all rows of a query."""
    test = _CONSTANT.get(type(expression))
    return test is not None and test(expression) and all(map(is_constant, tree_walk.children(expression)))


_DAY_LENGTH = 10
_START_OF_DAY = "T00:00:00.000Z"
_CONVERSIONS = frozenset(("date", "datetime", "localdatetime"))
_TRUNCATIONS = frozenset(f"{name}.truncate" for name in _CONVERSIONS)
_UNITS = frozenset("day week weekyear month quarter year decade century millennium".split())
_PARTS_BY_TYPE = frozenset(
    "year quarter month week weekyear day ordinalday dayofquarter quarterday dayofweek weekday".split()
)
_DIGITS = frozenset(("year", "month", "day"))
"""The parts of a day that are digits of the text of a timestamp."""
_CUTS = frozenset(("substring", "left"))
_FROM_PARTS: Mapping[str, str] = {"count": "sum", "min": "min", "max": "max"}
"""The aggregates that can be put together from those of parts, and by which. Adding floats in parts would round."""


def group_by_day(plan: Plan, properties: InstantProperties) -> Plan:
    """The plan with such aggregates divided in two."""
    plan = rewrite_below(plan, lambda below: group_by_day(below, properties))
    return (_divided(plan, properties) or plan) if isinstance(plan, Aggregate) else plan


def _divided(plan: Aggregate, properties: InstantProperties) -> Aggregate | None:
    """The aggregate over one by days; None if it cannot be put together from that."""
    calls = [column.call for column in plan.aggregates]
    if any(call is not None and (call.distinct or call.name.lower() not in _FROM_PARTS) for call in calls):
        return None
    plan = _without_project(plan)
    timestamps: dict[ast.Expression, str] = {}
    keys: list[tuple[str, ast.Expression]] = []
    others: list[tuple[str, ast.Expression]] = []
    for name, key in plan.keys:
        found = list(dict.fromkeys(_timestamps(key, plan.input, properties))) if _converts(key) else []
        if len(found) == 1 and _follows_from_day(key, found[0]):
            column = timestamps.setdefault(found[0], f"{ast.INTERNAL_PREFIX}d{len(timestamps)}")
            keys.append((name, _of_day(key, found[0], column)))
        else:
            keys.append((name, ast.Variable(name)))
            others.append((name, key))
    if not timestamps:
        return None
    days = [(column, _cut(timestamp, _DAY_LENGTH)) for timestamp, column in timestamps.items()]
    below = (*days, *others)
    names = (*(name for name, _ in below), *(column.column for column in plan.aggregates))
    partial = Aggregate(plan.input, below, plan.aggregates, names)
    return Aggregate(partial, tuple(keys), tuple(map(_put_together, plan.aggregates)), plan.columns)


def _without_project(plan: Aggregate) -> Aggregate:
    """The aggregate over the input of a projection: `WITH n, date(n.created_at) AS day RETURN day, count(n)`."""
    project = plan.input
    if not isinstance(project, Project) or not isinstance(project.input, Match):
        return plan
    if any(is_random(value) for _, value in project.items):
        return plan
    values: dict[ast.Expression, ast.Expression] = {ast.Variable(name): value for name, value in project.items}
    return replace(
        plan,
        input=project.input,
        keys=tuple((name, tree_walk.substitute(key, values)) for name, key in plan.keys),
        aggregates=tuple(_substituted(column, values) for column in plan.aggregates),
    )


def _substituted(column: AggregateColumn, values: Mapping[ast.Expression, ast.Expression]) -> AggregateColumn:
    if column.call is None:
        return column
    arguments = tuple(tree_walk.substitute(argument, values) for argument in column.call.arguments)
    return replace(column, call=replace(column.call, arguments=arguments))


def _put_together(column: AggregateColumn) -> AggregateColumn:
    name = "count" if column.call is None else column.call.name.lower()
    return AggregateColumn(column.column, ast.Call(_FROM_PARTS[name], (ast.Variable(column.column),)))


def _converts(expression: ast.Expression) -> bool:
    """Whether it makes a date of something, or asks for its day of the week, which SQL cannot."""
    if _is_call(expression, _CONVERSIONS | _TRUNCATIONS):
        return True
    if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Property):
        return expression.key.lower() in _PARTS_BY_TYPE - _DIGITS
    return any(map(_converts, tree_walk.children(expression)))


def _timestamps(expression: ast.Expression, source: Plan, properties: InstantProperties) -> Iterator[ast.Expression]:
    """The properties in it that hold timestamps, of nodes and relationships of a pattern."""
    if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable):
        if expression.key in _instants_of(expression.subject.name, source, properties):
            yield expression
        return
    for child in tree_walk.children(expression):
        yield from _timestamps(child, source, properties)


def _instants_of(name: str, source: Plan, properties: InstantProperties) -> frozenset[str]:
    """The properties of a variable that hold timestamps; none if it is neither a node nor a single relationship."""
    while isinstance(source, Match | Filter | Unwind | Project):
        if isinstance(source, Match):
            if any(node.column == name for node in source.nodes):
                return frozenset(properties.nodes)
            if any(edge.column == name and edge.length is None and not edge.shortest for edge in source.edges):
                return frozenset(properties.relationships)
        elif isinstance(source, Unwind):
            if source.variable == name:
                break
        elif isinstance(source, Project) and (name, ast.Variable(name)) not in source.items:
            break
        source = source.input
    return frozenset()


def _follows_from_day(expression: ast.Expression, timestamp: ast.Expression) -> bool:
    """Whether its value is the same for all timestamps of one day in UTC, and follows from nothing else."""
    if expression == timestamp or isinstance(expression, ast.Variable) or is_random(expression):
        return False
    if isinstance(expression, ast.Property) and expression.key.lower() in _PARTS_BY_TYPE:
        subject = expression.subject
        if subject == timestamp or (_is_call(subject, _CONVERSIONS) and _arguments(subject) == (timestamp,)):
            return True
    if _is_call(expression, frozenset(("date",))) and _arguments(expression) == (timestamp,):
        return True
    if _is_call(expression, _TRUNCATIONS) and _arguments(expression)[1:2] == (timestamp,):
        unit = _arguments(expression)[0]
        is_long = isinstance(unit, ast.Literal) and isinstance(unit.value, str) and unit.value.lower() in _UNITS
        return is_long and all(_follows_from_day(each, timestamp) for each in _arguments(expression)[2:])
    if _is_call(expression, _CUTS) and _arguments(expression)[:1] == (timestamp,):
        numbers = [each.value if isinstance(each, ast.Literal) else None for each in _arguments(expression)[1:]]
        whole = [*([] if _is_call(expression, frozenset(("left",))) else [0]), _DAY_LENGTH]
        return len(numbers) == len(whole) and all(
            type(number) is int and 0 <= number <= most for number, most in zip(numbers, whole, strict=True)
        )
    if isinstance(expression, ast.Subquery | ast.PatternPredicate | ast.PatternComprehension):
        return False
    return all(_follows_from_day(child, timestamp) for child in tree_walk.children(expression))


def is_random(expression: ast.Expression) -> bool:
    """Whether its value may differ each time; what a subquery computes is not looked into."""
    return any(isinstance(part, ast.Subquery) or _needs(part) == "random" for part in walk(expression))


def _needs(part: ast.SyntaxNode) -> str:
    function = functions.find(part.name) if isinstance(part, ast.Call) else None
    return function.needs if function is not None else ""


def _of_day(expression: ast.Expression, timestamp: ast.Expression, column: str) -> ast.Expression:
    """The expression with the first instant of the day in the column in the place of the timestamp."""
    start = ast.Binary("+", ast.Variable(column), ast.Literal(_START_OF_DAY))
    values: dict[ast.Expression, ast.Expression] = {timestamp: start}
    for part in walk(expression):
        if isinstance(part, ast.Property) and part.subject == timestamp:
            values[part] = replace(part, subject=ast.Call("datetime", (start,)))
    return tree_walk.substitute(expression, values)


def _cut(timestamp: ast.Expression, length: int) -> ast.Expression:
    return ast.Call("substring", (timestamp, ast.Literal(0), ast.Literal(length)))


def _is_call(expression: ast.SyntaxNode, names: frozenset[str]) -> bool:
    return isinstance(expression, ast.Call) and expression.name.lower() in names


def _arguments(expression: ast.Expression) -> Sequence[ast.Expression]:
    return expression.arguments if isinstance(expression, ast.Call) else ()
