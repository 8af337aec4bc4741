"""Binder: checks a whole query before it runs, clause by clause: what each clause sees and what it passes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from keepgraph.cypher import type_inference, value_types, values
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.type_inference import SUBQUERY_TYPES, Context, Scope, already_bound, undefined_variable
from keepgraph.cypher.value_types import FLOAT, INTEGER, LIST, NULL, Type
from keepgraph.errors import QueryInconsistent, QuerySyntaxInvalid

Columns = dict[str, Type]

NOT_PASSED_ON = "the previous WITH does not pass it on; add it there"
ONLY_COLUMNS = "after DISTINCT or an aggregate only the columns are left; make what you need a column"


def bind(query: ast.Query, parameters: Mapping[str, Type]) -> ast.Query:
    """Checks a query, and gives it back with `*` replaced by the variables it stands for.

    After an aggregation or DISTINCT, ORDER BY and WHERE see only the columns; an expression there that equals a
    projected one is replaced by its column.

    Args:
        parameters: the types of the parameters that are given.

    Raises:
        QueryInconsistent: the query has no meaning; the error has openCypher's type and detail, and the place.
    """
    bound, _ = _bind_query(query, {}, Context(parameters, _bind_subquery))
    return bound


def _bind_query(query: ast.Query, outer: Scope, context: Context) -> tuple[ast.Query, Columns]:
    if len(query.parts) == 1:
        part, columns = _bind_single_query(query.parts[0], outer, context)
        return (query if part is query.parts[0] else replace(query, parts=(part,))), columns
    bound = [_bind_single_query(part, outer, _nested_context(context)) for part in query.parts]
    columns = dict(bound[0][1])
    for part, other in bound[1:]:
        if other.keys() != columns.keys():
            raise QueryInconsistent(
                "UNION joins queries with the same columns, "
                f"and these are {_join_names(columns)} and {_join_names(other)}; give them the same names with AS",
                detail="DifferentColumnsInUnion",
                span=part.span,
            )
        for name, type_ in other.items():
            columns[name] = value_types.union(columns[name], type_)
    parts = tuple(part for part, _ in bound)
    same = all(new is old for new, old in zip(parts, query.parts, strict=True))
    return (query if same else replace(query, parts=parts)), columns


def _bind_subquery(subquery: ast.Subquery, scope: Scope, context: Context) -> Type:
    query, columns = _bind_query(subquery.query, scope, _nested_context(context))
    if query is not subquery.query:
        context.bound_subqueries[id(subquery)] = query
    if subquery.kind != "COLLECT":
        return SUBQUERY_TYPES[subquery.kind]
    if len(columns) != 1:
        raise QueryInconsistent(
            f"COLLECT {{ … }} returns one column, but this returns {len(columns)}; to collect more, return a map",
            detail="UnexpectedSyntax",
            span=subquery.span,
        )
    return Type(LIST, *columns.values())


def _nested_context(context: Context) -> Context:
    return Context(context.parameters, context.infer_subquery, out_of_scope=dict(context.out_of_scope))


def _bind_single_query(query: ast.SingleQuery, outer: Scope, context: Context) -> tuple[ast.SingleQuery, Columns]:
    scope: Columns = dict(outer)
    columns: Columns = {}
    clauses: list[ast.Clause] = []
    for clause in query.clauses:
        bound: ast.Clause = clause
        if isinstance(clause, ast.Match):
            _bind_match(clause, scope, context)
        elif isinstance(clause, ast.Unwind):
            _bind_unwind(clause, scope, context)
        else:
            bound, columns = _bind_projection(clause, scope, outer, context)
            context.out_of_scope.update(dict.fromkeys(scope, NOT_PASSED_ON))
            scope = {**outer, **columns}
        clauses.append(_replace_bound_subqueries(bound, context) if context.bound_subqueries else bound)
    same = all(new is old for new, old in zip(clauses, query.clauses, strict=True))
    return (query if same else replace(query, clauses=tuple(clauses))), columns


def _replace_bound_subqueries(clause: ast.Clause, context: Context) -> ast.Clause:
    """The clause with the bound queries in its subqueries."""

    def bound(part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        query = context.bound_subqueries.get(id(part))
        return replace(part, query=query) if isinstance(part, ast.Subquery) and query is not None else None

    return tree_walk.rewrite(clause, bound)


def _bind_match(clause: ast.Match, scope: Columns, context: Context) -> None:
    type_inference.declare(clause.paths, scope, null=NULL if clause.optional else 0)
    for path in clause.paths:
        type_inference.check_pattern(path, scope, context)
    if clause.condition is not None:
        context.no_aggregates = "in WHERE"
        type_inference.check_condition(clause.condition, scope, context, "WHERE")


def _bind_unwind(clause: ast.Unwind, scope: Columns, context: Context) -> None:
    context.no_aggregates = "in UNWIND"
    source = type_inference.infer(clause.source, scope, context)
    if clause.variable in scope:
        raise already_bound(clause.variable, clause)
    scope[clause.variable] = _unwound_type(source)


def _unwound_type(source: Type) -> Type:
    """The type of the variable of UNWIND: an element of a list, or a value that is not a list; never null."""
    no_list = source.kinds & ~(LIST | NULL)
    if not source.kinds & LIST:
        return Type(no_list or NULL)
    element = value_types.element_of(source)
    return value_types.union(element, Type(no_list)) if no_list else element


# WITH and RETURN


def _bind_projection(
    clause: ast.Projection, scope: Scope, outer: Scope, context: Context
) -> tuple[ast.Projection, Columns]:
    items = _expand_star(clause, scope) if clause.star else clause.items
    columns: Columns = {}
    aggregated = []
    context.no_aggregates = ""
    for item in items:
        context.has_aggregate = False
        type_ = type_inference.infer(item.expression, scope, context)
        if context.has_aggregate:
            aggregated.append(item)
        _check_column_name(item, clause, columns, outer)
        columns[item.name] = type_
    if aggregated:
        keys = _find_keys(items, aggregated)
        for item in aggregated:
            _check(item.expression, keys, scope)
    order, condition = clause.order, clause.condition
    if order or condition is not None:
        order, condition = _bind_order_and_where(clause, items, columns, scope, outer, context, bool(aggregated))
    for keyword, count in (("SKIP", clause.skip), ("LIMIT", clause.limit)):
        if count is not None:
            _check_row_count(keyword, count, context)
    if not clause.is_return:
        _check_aliases(items)
    if clause.star or order is not clause.order or condition is not clause.condition:
        clause = replace(clause, star=False, items=items, order=order, condition=condition)
    return clause, columns


def _check_aliases(items: tuple[ast.ProjectionItem, ...]) -> None:
    """Checks that what WITH carries on has a name; after all else, as what is wrong with a value comes first."""
    for item in items:
        if not item.has_alias and not isinstance(item.expression, ast.Variable):
            raise QuerySyntaxInvalid(
                f"In WITH, {item.name} needs a name",
                detail="NoExpressionAlias",
                span=item.span,
                hint=f"Write {item.name} AS name.",
            )


def _expand_star(clause: ast.Projection, scope: Scope) -> tuple[ast.ProjectionItem, ...]:
    """The items of `WITH *` or `RETURN *`: one for each variable, then those that are written after it."""
    names = [name for name in scope if not name.startswith(ast.INTERNAL_PREFIX)]
    if not names and clause.is_return:
        raise QueryInconsistent(
            "RETURN * returns all variables, and there are none here; name the parts of the pattern: MATCH (n)",
            detail="NoVariablesInScope",
            span=clause.span,
        )
    span = clause.span
    return (
        *(ast.ProjectionItem(ast.Variable(name, span=span), name, False, span=span) for name in names),
        *clause.items,
    )


def _check_column_name(item: ast.ProjectionItem, clause: ast.Projection, columns: Columns, outer: Scope) -> None:
    if item.name in columns:
        raise QueryInconsistent(
            f"two columns are named {item.name}; give one another name with AS",
            detail="ColumnNameConflict",
            span=item.span,
        )
    if not clause.is_return and item.name in outer and item.expression != ast.Variable(item.name):
        raise QueryInconsistent(
            f"{item.name} is already used outside this subquery; choose another name",
            detail="VariableAlreadyBound",
            span=item.span,
        )


def _check_row_count(keyword: str, count: ast.Expression, context: Context) -> None:
    """Checks the number of SKIP or LIMIT: an integer from 0, the same for all rows."""
    context.no_aggregates = f"in {keyword}"
    variables = sorted(tree_walk.free_variables(count))
    if variables:
        raise QueryInconsistent(
            f"{keyword} takes a number that is the same for all rows, but this depends on {_join_names(variables)}; "
            "use a number or a parameter",
            detail="NonConstantExpression",
            span=count.span,
        )
    kinds = type_inference.infer(count, {}, context).kinds
    number = _literal_number(count)
    if isinstance(number, int) and number < 0:
        raise QueryInconsistent(
            f"{keyword} takes a number of at least 0, but this is {number}",
            detail="NegativeIntegerArgument",
            span=count.span,
        )
    if not kinds & INTEGER:
        raise QueryInconsistent(
            f"{keyword} takes an integer, but this is {value_types.describe(kinds)}"
            + ("; round it with toInteger(…)" if kinds & FLOAT else ""),
            detail="InvalidArgumentType",
            span=count.span,
        )


def _literal_number(expression: ast.Expression) -> int | float | None:
    """The value of a number that is written out, with its signs; None for any other expression."""
    if (
        isinstance(expression, ast.Literal)
        and isinstance(expression.value, (int, float))
        and not isinstance(expression.value, bool)
    ):
        return expression.value
    if isinstance(expression, ast.Unary) and expression.operator != "NOT":
        operand = _literal_number(expression.operand)
        return -operand if operand is not None and expression.operator == "-" else operand
    return None


# ORDER BY, and the WHERE of WITH


def _bind_order_and_where(
    clause: ast.Projection,
    items: tuple[ast.ProjectionItem, ...],
    columns: Columns,
    scope: Scope,
    outer: Scope,
    context: Context,
    aggregated: bool,
) -> tuple[tuple[ast.SortKey, ...], ast.Expression | None]:
    """ORDER BY and WHERE, which see the columns and, without an aggregate or DISTINCT, also the variables before."""
    columns_only = aggregated or clause.distinct
    visible = {**(outer if columns_only else scope), **columns}
    column_of: dict[ast.Expression, ast.Expression] = {}
    if columns_only or any(item.name in scope and item.expression != ast.Variable(item.name) for item in items):
        column_of = _map_to_columns(items, columns)
    keys: set[ast.Expression] = set()
    if aggregated:
        keys = _find_keys(items) | set(map(ast.Variable, columns))
    if columns_only:
        context.out_of_scope.update(dict.fromkeys(scope, ONLY_COLUMNS))

    def bind_expression(expression: ast.Expression, keyword: str) -> ast.Expression:
        if column_of and not (type(expression) is ast.Variable and expression.name in columns):
            bound = tree_walk.substitute(expression, column_of)
        else:
            bound = expression
        context.no_aggregates = f"in {keyword}"
        if aggregated and tree_walk.has_aggregate(bound):
            # It is not an aggregate of the projection. Usually it uses a variable that is no longer visible, and then
            # that is the better message.
            for name in sorted(tree_walk.free_variables(bound) - visible.keys()):
                raise undefined_variable(name, expression, visible, context)
        if keyword == "WHERE":
            type_inference.check_condition(bound, visible, context, keyword)
        else:
            type_inference.infer(bound, visible, context)
        if aggregated and type(bound) is not ast.Variable and tree_walk.has_aggregate(expression):
            _check(expression, keys, scope)
        return bound

    order = []
    for key in clause.order:
        expression = bind_expression(key.expression, "ORDER BY")
        order.append(key if expression is key.expression else replace(key, expression=expression))
    condition = None if clause.condition is None else bind_expression(clause.condition, "WHERE")
    same = all(new is old for new, old in zip(order, clause.order, strict=True))
    return (clause.order if same else tuple(order)), condition


def _map_to_columns(items: Iterable[ast.ProjectionItem], columns: Columns) -> dict[ast.Expression, ast.Expression]:
    """For each projected expression, the variable of its column. A name that is a column means the column."""
    column_of: dict[ast.Expression, ast.Expression] = {}
    for item in items:
        expression = item.expression
        if isinstance(expression, (ast.Literal, ast.Parameter)):
            continue
        if not (isinstance(expression, ast.Variable) and expression.name in columns):
            column_of.setdefault(expression, ast.Variable(item.name, span=expression.span))
    return column_of


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


# Implicit grouping: which items of a projection are grouping keys, and what has no single value for a group.
#
# openCypher has no GROUP BY: the items without an aggregate are the keys. Beside an aggregate in the same item, only
# keys that are variables or properties may be used.


def _find_keys(
    items: Iterable[ast.ProjectionItem], aggregated: Iterable[ast.ProjectionItem] = ()
) -> set[ast.Expression]:
    """The keys that an item with an aggregate may use: variables and properties.

    Args:
        aggregated: those of the items that have an aggregate.
    """
    excluded = {id(item) for item in aggregated}
    return {item.expression for item in items if _is_plain(item.expression) and id(item) not in excluded}


def _check(expression: ast.Expression, keys: set[ast.Expression], scope: Scope) -> None:
    """Refuses an item with an aggregate that also uses something without a single value for each group.

    Args:
        scope: the variables before the projection.
    """
    for ungrouped in _find_ungrouped(expression, keys, scope, frozenset()):
        text = _to_text(ungrouped)
        raise QueryInconsistent(
            f"{text} is used beside an aggregate but is not a column, so it is not clear how to "
            f"group; pass it on first (WITH … {text} AS x), or make {text} a column",
            detail="AmbiguousAggregationExpression",
            span=ungrouped.span,
        )


def _is_plain(expression: ast.Expression) -> bool:
    """Whether this is a variable, or a property of one."""
    while isinstance(expression, ast.Property):
        expression = expression.subject
    return isinstance(expression, ast.Variable)


def _find_ungrouped(
    expression: ast.Expression, keys: set[ast.Expression], scope: Scope, inner: frozenset[str]
) -> Iterator[ast.Expression]:
    """The variables and properties outside of aggregates that are not keys.

    Args:
        inner: variables that the expression itself declares, such as that of a list comprehension.
    """
    if tree_walk.is_aggregate(expression):
        return
    if isinstance(expression, ast.Variable | ast.Property):
        if expression in keys:
            return
        if isinstance(expression, ast.Variable):
            if expression.name not in inner:
                yield expression
            return
        if _is_plain(expression):
            if any(_find_ungrouped(expression.subject, keys, scope, inner)):
                yield expression
            return
    declarations = tree_walk.local_declarations(expression)
    if declarations is not None:
        names, outside, inside = declarations
        for part in outside:
            yield from _find_ungrouped(part, keys, scope, inner)
        for part in inside:
            yield from _find_ungrouped(part, keys, scope, inner | names)
        return
    if isinstance(expression, (ast.PatternComprehension, ast.PatternPredicate, ast.PatternPath, ast.Subquery)):
        # Variables of the outer scope must be keys; all others are declared by the pattern or the subquery.
        for name in sorted(tree_walk.free_variables(expression)):
            if name in scope and name not in inner and ast.Variable(name) not in keys:
                yield ast.Variable(name, span=expression.span)
        return
    for part in tree_walk.children(expression):
        yield from _find_ungrouped(part, keys, scope, inner)


def _to_text(expression: ast.Expression) -> str:
    if isinstance(expression, ast.Property):
        return f"{_to_text(expression.subject)}.{expression.key}"
    return expression.name if isinstance(expression, ast.Variable) else "this"


# Types of parameters: the kinds of the values that a query is called with.

_TYPE_OF_CLASS = {
    type(None): value_types.Type(value_types.NULL),
    bool: value_types.Type(value_types.BOOLEAN),
    int: value_types.Type(value_types.INTEGER),
    float: value_types.Type(value_types.FLOAT),
    str: value_types.Type(value_types.STRING),
    dict: value_types.Type(value_types.MAP),
}


def infer_types(parameters: Mapping[str, Any]) -> dict[str, value_types.Type]:
    """The types of all parameters. A compiled query can only be used again for parameters of the same types."""
    return {name: infer_type(value) for name, value in parameters.items()}


def infer_type(value: Any) -> value_types.Type:
    """The type of one value; for a list with the kinds of its elements."""
    type_ = _TYPE_OF_CLASS.get(type(value))
    if type_ is not None:
        return type_
    if isinstance(value, list):
        element_kinds = 0
        for element in value:
            element_kinds |= infer_type(element).kinds
        return value_types.Type(value_types.LIST, value_types.Type(element_kinds or value_types.ANY))
    return value_types.Type(values.kind_of(value))
