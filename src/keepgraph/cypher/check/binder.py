"""Checks a whole query before it runs: what each clause sees, and what it passes on. Knows no graph and no plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.check import type_inference
from keepgraph.cypher.check.type_inference import Context, Scope
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.value_types import FLOAT, INTEGER, LIST, NULL, Type
from keepgraph.errors import QueryInconsistent

Columns = dict[str, Type]

NOT_PASSED_ON = "the WITH before does not pass it on; add it there"
ONLY_COLUMNS = "after DISTINCT or an aggregate there are only the columns; make what you need a column"


def bind(query: ast.Query, parameters: Mapping[str, Type]) -> ast.Query:
    """The query with `*` written out, once it is known to be consistent.

    ORDER BY and WHERE name the column where, after an aggregation or DISTINCT, they repeat what it was made of.

    Args:
        parameters: the parameters that are given, with the types of their values.

    Raises:
        QueryInconsistent: it means nothing; the error has openCypher's type and detail, and the place.
    """
    bound, _ = _query(query, {}, Context(parameters, _subquery))
    return bound


def _query(query: ast.Query, outer: Scope, context: Context) -> tuple[ast.Query, Columns]:
    if len(query.parts) == 1:
        part, columns = _single(query.parts[0], outer, context)
        return (query if part is query.parts[0] else replace(query, parts=(part,))), columns
    bound = [_single(part, outer, _fresh(context)) for part in query.parts]
    columns = dict(bound[0][1])
    for part, other in bound[1:]:
        if other.keys() != columns.keys():
            raise QueryInconsistent(
                f"UNION joins queries with the same columns, and these are {_listed(columns)} and {_listed(other)}; "
                "give them the same names with AS",
                detail="DifferentColumnsInUnion",
                span=part.span,
            )
        for name, one in other.items():
            columns[name] = type_inference.either(columns[name], one)
    parts = tuple(part for part, _ in bound)
    same = all(new is old for new, old in zip(parts, query.parts, strict=True))
    return (query if same else replace(query, parts=parts)), columns


def _subquery(subquery: ast.Subquery, scope: Scope, context: Context) -> Type:
    query, columns = _query(subquery.query, scope, _fresh(context))
    if query is not subquery.query:
        context.expanded[id(subquery)] = query
    if subquery.which != "COLLECT":
        return type_inference.SUBQUERIES[subquery.which]
    if len(columns) != 1:
        raise QueryInconsistent(
            f"COLLECT {{ … }} returns one column, and this returns {len(columns)}; to collect more, return a map",
            detail="UnexpectedSyntax",
            span=subquery.span,
        )
    return Type(LIST, *columns.values())


def _fresh(context: Context) -> Context:
    return Context(context.parameters, context.subquery, left_behind=dict(context.left_behind))


def _single(query: ast.SingleQuery, outer: Scope, context: Context) -> tuple[ast.SingleQuery, Columns]:
    scope: Columns = dict(outer)
    columns: Columns = {}
    clauses: list[ast.Clause] = []
    for clause in query.clauses:
        bound: ast.Clause = clause
        if isinstance(clause, ast.Match):
            _match(clause, scope, context)
        elif isinstance(clause, ast.Unwind):
            _unwind(clause, scope, context)
        else:
            bound, columns = _projection(clause, scope, outer, context)
            context.left_behind.update(dict.fromkeys(scope, NOT_PASSED_ON))
            scope = {**outer, **columns}
        clauses.append(_with_expanded(bound, context) if context.expanded else bound)
    same = all(new is old for new, old in zip(clauses, query.clauses, strict=True))
    return (query if same else replace(query, clauses=tuple(clauses))), columns


def _with_expanded(clause: ast.Clause, context: Context) -> ast.Clause:
    """The clause with the subqueries in it as they were bound."""

    def bound(part: ast.Part) -> ast.Part | None:
        query = context.expanded.get(id(part))
        return replace(part, query=query) if isinstance(part, ast.Subquery) and query is not None else None

    return traversal.rewrite(clause, bound)


def _match(clause: ast.Match, scope: Columns, context: Context) -> None:
    type_inference.declare(clause.paths, scope, null=NULL if clause.optional else 0)
    for path in clause.paths:
        type_inference.check_pattern(path, scope, context)
    if clause.condition is not None:
        context.no_aggregates = "in WHERE"
        type_inference.check_truth(clause.condition, scope, context, "WHERE")


def _unwind(clause: ast.Unwind, scope: Columns, context: Context) -> None:
    context.no_aggregates = "in UNWIND"
    source = type_inference.check(clause.source, scope, context)
    if clause.variable in scope:
        raise type_inference.already_bound(clause.variable, clause)
    scope[clause.variable] = _unwound(source)


def _unwound(source: Type) -> Type:
    """What comes of UNWIND: an element of a list; no row of null; anything else as it is."""
    alone = source.kinds & ~(LIST | NULL)
    if not source.kinds & LIST:
        return Type(alone or NULL)
    element = type_inference.element_of(source)
    return type_inference.either(element, Type(alone)) if alone else element


# Projections


def _projection(clause: ast.Projection, scope: Scope, outer: Scope, context: Context) -> tuple[ast.Projection, Columns]:
    items = clause.items
    if clause.everything:
        items = _everything(clause, scope)
    columns: Columns = {}
    aggregated = []
    context.no_aggregates = ""
    for item in items:
        context.aggregates = False
        found = type_inference.check(item.expression, scope, context)
        if context.aggregates:
            aggregated.append(item)
        _name(item, clause, columns, outer)
        columns[item.name] = found
    if aggregated:
        keys = _grouping_keys(items, aggregated)
        for item in aggregated:
            _grouped(item.expression, keys, scope)
    order, condition = clause.order, clause.condition
    if order or condition is not None:
        order, condition = _seen_after(clause, items, columns, scope, outer, context, bool(aggregated))
    for word, count in (("SKIP", clause.skip), ("LIMIT", clause.limit)):
        if count is not None:
            _check_count(word, count, context)
    if clause.everything or order is not clause.order or condition is not clause.condition:
        clause = replace(clause, everything=False, items=items, order=order, condition=condition)
    return clause, columns


def _everything(clause: ast.Projection, scope: Scope) -> tuple[ast.Item, ...]:
    names = [name for name in scope if not name.startswith(ast.OWN)]
    if not names and clause.final:
        raise QueryInconsistent(
            "RETURN * returns all variables, and there are none here; name the parts of the pattern: MATCH (n)",
            detail="NoVariablesInScope",
            span=clause.span,
        )
    span = clause.span
    return (*(ast.Item(ast.Variable(name, span=span), name, False, span=span) for name in names), *clause.items)


def _name(item: ast.Item, clause: ast.Projection, columns: Columns, outer: Scope) -> None:
    """Checks the name of a column."""
    if item.name in columns:
        raise QueryInconsistent(
            f"two columns are named {item.name}; give one another name with AS",
            detail="ColumnNameConflict",
            span=item.span,
        )
    if not clause.final and item.name in outer and item.expression != ast.Variable(item.name):
        raise QueryInconsistent(
            f"{item.name} names something outside of this subquery; choose another name",
            detail="VariableAlreadyBound",
            span=item.span,
        )


def _check_count(word: str, count: ast.Expression, context: Context) -> None:
    context.no_aggregates = f"in {word}"
    used = sorted(traversal.free_variables(count))
    if used:
        raise QueryInconsistent(
            f"{word} wants a number that is the same for all rows, and this depends on {_listed(used)}; "
            "use a number or a parameter",
            detail="NonConstantExpression",
            span=count.span,
        )
    found = type_inference.check(count, {}, context)
    number = _number(count)
    if isinstance(number, int) and number < 0:
        raise QueryInconsistent(
            f"{word} wants a number from 0 on, and this is {number}", detail="NegativeIntegerArgument", span=count.span
        )
    if not found.kinds & INTEGER:
        raise QueryInconsistent(
            f"{word} wants an integer, and this is {value_types.described(found.kinds)}"
            + ("; round it with toInteger(…)" if found.kinds & FLOAT else ""),
            detail="InvalidArgumentType",
            span=count.span,
        )


def _number(count: ast.Expression) -> int | float | None:
    """The value of a number as it is written."""
    if isinstance(count, ast.Literal) and isinstance(count.value, (int, float)) and not isinstance(count.value, bool):
        return count.value
    if isinstance(count, ast.Unary) and count.operator != "NOT":
        inner = _number(count.operand)
        return -inner if inner is not None and count.operator == "-" else inner
    return None


# Aggregation


def _grouping_keys(items: Iterable[ast.Item], aggregated: list[ast.Item]) -> set[ast.Expression]:
    """The items by which rows are grouped and which an aggregating item may use: variables and properties."""
    return {
        item.expression
        for item in items
        if _is_plain(item.expression) and not any(item is other for other in aggregated)
    }


def _is_plain(expression: ast.Expression) -> bool:
    while isinstance(expression, ast.Property):
        expression = expression.subject
    return isinstance(expression, ast.Variable)


def _grouped(expression: ast.Expression, keys: set[ast.Expression], scope: Scope) -> None:
    """Refuses what has no one value for a group of rows."""
    for part in _ambiguous(expression, keys, scope, frozenset()):
        written = _written(part)
        raise QueryInconsistent(
            f"{written} stands beside an aggregate without being a column of its own, so it is not clear how to "
            f"group; pass it on first (WITH … {written} AS x), or make {written} a column",
            detail="AmbiguousAggregationExpression",
            span=part.span,
        )


def _ambiguous(
    expression: ast.Expression, keys: set[ast.Expression], scope: Scope, inner: frozenset[str]
) -> Iterator[ast.Expression]:
    if traversal.is_aggregate(expression):
        return
    if isinstance(expression, ast.Variable | ast.Property):
        if expression in keys:
            return
        if isinstance(expression, ast.Variable):
            if expression.name not in inner:
                yield expression
            return
        if _is_plain(expression):
            if any(_ambiguous(expression.subject, keys, scope, inner)):
                yield expression
            return
    bound = traversal.bound_inside(expression)
    if bound is not None:
        names, outside, inside = bound
        for part in outside:
            yield from _ambiguous(part, keys, scope, inner)
        for part in inside:
            yield from _ambiguous(part, keys, scope, inner | names)
        return
    if isinstance(expression, (ast.PatternComprehension, ast.PatternPredicate, ast.PatternPath, ast.Subquery)):
        # Of the names in it, those from around must be keys; the others it brings.
        for name in sorted(traversal.free_variables(expression)):
            if name in scope and name not in inner and ast.Variable(name) not in keys:
                yield ast.Variable(name, span=expression.span)
        return
    for part in traversal.children(expression):
        yield from _ambiguous(part, keys, scope, inner)


# ORDER BY, and the WHERE of WITH


def _seen_after(
    clause: ast.Projection,
    items: tuple[ast.Item, ...],
    columns: Columns,
    scope: Scope,
    outer: Scope,
    context: Context,
    aggregated: bool,
) -> tuple[tuple[ast.SortKey, ...], ast.Expression | None]:
    """ORDER BY and WHERE, which see the columns, and before aggregation or DISTINCT also what was there before."""
    alone = aggregated or clause.distinct
    visible = {**(outer if alone else scope), **columns}
    projected: dict[ast.Expression, ast.Expression] = {}
    if alone or any(item.name in scope and item.expression != ast.Variable(item.name) for item in items):
        projected = _projected(items, columns)
    keys: set[ast.Expression] = set()
    if aggregated:
        keys = {item.expression for item in items if _is_plain(item.expression)} | set(map(ast.Variable, columns))
    if alone:
        context.left_behind.update(dict.fromkeys(scope, ONLY_COLUMNS))

    def seen(expression: ast.Expression, word: str) -> ast.Expression:
        if projected and not (type(expression) is ast.Variable and expression.name in columns):
            by_column = traversal.substitute(expression, projected)
        else:
            by_column = expression
        context.no_aggregates = f"in {word}"
        if aggregated and traversal.has_aggregate(by_column):
            # An aggregate of its own: most often of what is no longer there.
            for name in sorted(traversal.free_variables(by_column) - visible.keys()):
                raise type_inference.undefined(name, expression, visible, context)
        if word == "WHERE":
            type_inference.check_truth(by_column, visible, context, word)
        else:
            type_inference.check(by_column, visible, context)
        if aggregated and type(by_column) is not ast.Variable and traversal.has_aggregate(expression):
            _grouped(expression, keys, scope)
        return by_column

    order = []
    for key in clause.order:
        expression = seen(key.expression, "ORDER BY")
        order.append(key if expression is key.expression else replace(key, expression=expression))
    condition = None if clause.condition is None else seen(clause.condition, "WHERE")
    same = all(new is old for new, old in zip(order, clause.order, strict=True))
    return (clause.order if same else tuple(order)), condition


def _projected(items: Iterable[ast.Item], columns: Columns) -> dict[ast.Expression, ast.Expression]:
    """What was projected, and the column that has it. A name that is a column means the column."""
    found: dict[ast.Expression, ast.Expression] = {}
    for item in items:
        expression = item.expression
        if isinstance(expression, (ast.Literal, ast.Parameter)):
            continue
        if not (isinstance(expression, ast.Variable) and expression.name in columns):
            found.setdefault(expression, ast.Variable(item.name, span=expression.span))
    return found


# Words


def _written(expression: ast.Expression) -> str:
    if isinstance(expression, ast.Property):
        return f"{_written(expression.subject)}.{expression.key}"
    return expression.name if isinstance(expression, ast.Variable) else "this"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
