"""Lists in SQL: any, all and none, `value IN list`, list comprehensions and UNWIND, over lists whose elements are rows.

Those are a property whose elements have a table of their own, the labels of a node, and a parameter. Of a list that is
written out, `any` is the disjunction of its condition for each element, and `all` the conjunction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from keepgraph.cypher import aggregates, value_types
from keepgraph.cypher.plan.algebra import Aggregate, Match, NodeSlot, Plan, Unwind
from keepgraph.cypher.sql import properties, tree
from keepgraph.cypher.sql.context import INEXACT, Block, Context, json_list, select_unnamed
from keepgraph.cypher.sql.terms import (
    BOOLEAN_OR_NULL,
    NUMBER_OR_NULL,
    TAGGED_TRUE,
    Inexpressible,
    Term,
    bag_json,
    bag_value,
    by_text,
    has_type,
    is_literal,
    plain_class,
    tagged,
    type_rank,
)
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast, tree_walk

_MAX_WRITTEN_ELEMENTS = 20
"""For how many elements of a written list a condition is repeated."""

_VALUE, _ROW_KEY = "value", "row_key"


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a list as rows.

    Attributes:
        rows, alias: a source of them.
        element: the value of a row.
        is_there: the condition that the list is not null.
        row_key, node_key: where the elements of the lists of all nodes are rows of one source, the key of the node in
            it, and the key of the node whose list this is; else None.
    """

    rows: tree.Fragment | tree.Call
    alias: str
    element: Term
    is_there: Expression = tree.TRUE
    row_key: Expression | None = None
    node_key: Expression | None = None

    def block(self, outer: Block, variable: str, *, of_all_nodes: bool = False) -> Block:
        """A block of the elements that sees the columns of an outer block, and each element as a variable."""
        block = Block(columns={**outer.columns, variable: self.element})
        block.join(self.rows, self.alias)
        block.where = [] if of_all_nodes else self.conditions()
        return block

    def if_there(self, value: Expression) -> Expression:
        """A value computed from the list; null if the list is null."""
        return value if self.is_there == tree.TRUE else tree.Case(((self.is_there, value),))

    @property
    def null(self) -> int:
        """The kind null if the list may be null."""
        return 0 if self.is_there == tree.TRUE else value_types.NULL

    def conditions(self) -> list[Expression]:
        """What the rows of this list fulfil among those of the source."""
        return [] if self.row_key is None or self.node_key is None else [tree.equal(self.row_key, self.node_key)]


def elements(context: Context, source: ast.Expression, block: Block) -> Elements:
    """The elements of a list.

    Raises:
        Inexpressible: they are not rows, or may be of several classes.
    """
    if isinstance(source, ast.Property):
        return _of_property(context, source, block)
    if isinstance(source, ast.Call):
        return _of_labels(context, source, block)
    json, kinds = _bound_list(context, source)
    return _of_json(context, json, kinds)


def _of_json(context: Context, json: Expression, kinds: int, is_there: Expression = tree.TRUE) -> Elements:
    alias = context.alias("u")
    element = Term(Column(alias, _VALUE), value_types.Type(kinds))
    return Elements(tree.call("json_each", json), alias, element, is_there)


def _of_labels(context: Context, source: ast.Call, block: Block) -> Elements:
    labels = context.term(source, block)
    if labels.encoding != "labels":
        raise Inexpressible
    is_there = tree.is_not_null(labels.sql) if labels.kinds & value_types.NULL else tree.TRUE
    return _of_json(context, labels.sql, value_types.STRING, is_there)


def _bound_list(context: Context, source: ast.Expression) -> tuple[Expression, int]:
    """The placeholder of a list of texts or of integers, as JSON, and the kind of its elements."""
    if isinstance(source, ast.Parameter):
        type_ = context.parameters.get(source.name, value_types.UNKNOWN)
        element_kinds = type_.element.kinds if type_.element else 0
        if type_.kinds == value_types.LIST and element_kinds in (value_types.STRING, value_types.INTEGER):
            return context.bindings.parameter(source.name, json_list), element_kinds
    if isinstance(source, ast.ListLiteral):
        constants = [element.value for element in source.elements if isinstance(element, ast.Literal)]
        if len(constants) == len(source.elements) and constants:
            for python_type, kind in ((str, value_types.STRING), (int, value_types.INTEGER)):
                if all(type(constant) is python_type for constant in constants):
                    return context.bindings.constant(json_list(constants)), kind
    raise Inexpressible


def _of_property(context: Context, source: ast.Property, block: Block) -> Elements:
    """The elements of a property of nodes that have a table of their own."""
    subject = context.term(source.subject, block)
    column = properties.property_column(context, subject, source.key) if subject.encoding == "node" else None
    if column is None or not column.values or not column.kinds & value_types.LIST:
        raise Inexpressible
    alias = context.alias("v")
    node_key = subject.row_key if subject.row_key is not None else subject.sql
    is_there: Expression = tree.TRUE
    if subject.literal or subject.nullable:
        is_never_a_row = subject.codes is not None and not subject.codes
        is_there = tree.FALSE if is_never_a_row else tree.is_not_null(node_key)
        if subject.literal and subject.row_key is None:
            is_there = tree.negate(is_literal(subject))
    return Elements(
        context.rows(column.values),
        alias,
        Term(Column(alias, _VALUE), value_types.Type(column.element_kinds)),
        is_there,
        Column(alias, _ROW_KEY),
        node_key,
    )


def emit_unwind(context: Context, plan: Unwind, block: Block) -> Block:
    """Join the elements of a list, where those are rows, to a block."""
    block = context.ensure_open(block)
    list_ = elements(context, plan.source, block)
    block.join(list_.rows, list_.alias)
    block.where.extend(list_.conditions())
    block.columns[plan.variable] = list_.element
    return block


# any, all, none


def quantifier(context: Context, expression: ast.Quantifier, block: Block) -> Term:
    """any, all and none; `single` is left to the interpreter."""
    if expression.quantifier == "single" or block.grouped:
        raise Inexpressible
    if isinstance(expression.source, ast.ListLiteral):
        return context.term(_written_out(expression, expression.source), block)
    element = ast.Variable(expression.variable)
    if expression.quantifier in ("any", "none") and (value := _equal_to(element, expression.condition)) is not None:
        is_in = context.term(ast.Binary("IN", value, expression.source), block)
        return is_in if expression.quantifier == "any" else Term(tree.negate(is_in.sql), is_in.type)
    is_all = expression.quantifier == "all"
    condition = ast.Unary("NOT", expression.condition) if is_all else expression.condition
    some = _some(context, expression.variable, expression.source, condition, block)
    if expression.quantifier == "any":
        return some
    return Term(tree.negate(some.sql), some.type)


def _equal_to(element: ast.Expression, condition: ast.Expression) -> ast.Expression | None:
    """What an element must equal to fulfil a condition; None for any other condition."""
    if isinstance(condition, ast.Binary) and condition.operator == "=":
        for side, value in ((condition.left, condition.right), (condition.right, condition.left)):
            if side == element and not tree_walk.free_variables(element) & tree_walk.free_variables(value):
                return value
    return None


def _written_out(expression: ast.Quantifier, source: ast.ListLiteral) -> ast.Expression:
    """The condition for each element, with OR or AND between."""
    if len(source.elements) > _MAX_WRITTEN_ELEMENTS:
        raise Inexpressible
    variable = ast.Variable(expression.variable)
    conditions = [tree_walk.substitute(expression.condition, {variable: element}) for element in source.elements]
    is_all = expression.quantifier == "all"
    result: ast.Expression = conditions[0] if conditions else ast.Literal(is_all)
    for condition in conditions[1:]:
        result = ast.Binary("AND" if is_all else "OR", result, condition)
    return ast.Unary("NOT", result) if expression.quantifier == "none" else result


def _some(context: Context, variable: str, source: ast.Expression, condition: ast.Expression, block: Block) -> Term:
    """Whether some element of a list fulfils a condition: null if none does and it is null for some."""
    list_ = elements(context, source, block)
    if list_.is_there == tree.FALSE:
        return Term(tree.NULL, value_types.Type(value_types.NULL))
    # Where the nodes are read first, those that fulfil it are listed once, and SQLite may begin with them.
    at_once = _is_read_first(list_.node_key, block) and tree_walk.free_variables(condition) <= {variable}
    inner = list_.block(block, variable, of_all_nodes=at_once)
    fulfils = context.term(condition, inner)
    is_true = context.truth(fulfils)
    if at_once and list_.row_key is not None and list_.node_key is not None:
        inner.where.append(is_true)
        is_some: Expression = tree.In(list_.node_key, select_unnamed(inner, list_.row_key))
    else:
        is_some = _exists(inner, is_true)
    if not fulfils.kinds & value_types.NULL:
        return Term(list_.if_there(is_some), value_types.Type(value_types.BOOLEAN | list_.null))
    inner = list_.block(block, variable)
    is_unknown = _exists(inner, tree.is_null(context.condition(condition, inner)))
    sql = tree.Case(((is_some, tree.TRUE), (is_unknown, tree.NULL)), tree.FALSE)
    return Term(list_.if_there(sql), value_types.Type(BOOLEAN_OR_NULL))


def _is_read_first(key: Expression | None, block: Block) -> bool:
    """Whether a key is a column of the first source of a block."""
    return isinstance(key, Column) and bool(block.sources) and key.row == block.sources[0].alias


def _exists(block: Block, condition: Expression) -> Expression:
    block.where.append(condition)
    return tree.Exists(select_unnamed(block, tree.Literal(1)))


# IN


def contained(context: Context, expression: ast.Binary, block: Block) -> Term:
    """`value IN list`: whether some element equals the value."""
    source = expression.right
    label = expression.left.value if isinstance(expression.left, ast.Literal) else None
    if isinstance(source, ast.Call) and isinstance(label, str):
        labels = context.term(source, block)
        if labels.encoding == "labels":
            return _has_label(context, source, label, block)
    variable = f"{ast.INTERNAL_PREFIX}element"
    return _some(context, variable, source, ast.Binary("=", ast.Variable(variable), expression.left), block)


def _has_label(context: Context, labels_call: ast.Call, label: str, block: Block) -> Term:
    """Whether a node shows a label, by its code."""
    node = context.term(labels_call.arguments[0], block)
    catalogue = context.catalogue
    codes = frozenset(code for code, labels in catalogue.nodes.labels.items() if label in labels)
    literal = catalogue.literals is not None and catalogue.literals.label == label
    sql = properties.code_test(context, block, node, codes, literal=literal)
    return Term(sql, value_types.Type(value_types.BOOLEAN | node.null))


# Empty lists


def compared_with_empty(expression: ast.Binary) -> ast.Expression | None:
    """What is compared with `[]`; None if nothing is."""
    for side, other in ((expression.left, expression.right), (expression.right, expression.left)):
        if isinstance(side, ast.ListLiteral) and not side.elements:
            return other
    return None


def is_empty(context: Context, expression: ast.Expression, block: Block) -> Term:
    """Whether a list has no elements."""
    list_ = context.term(expression, block)
    if list_.encoding not in ("json", "labels"):
        raise Inexpressible
    length = tree.call("json_array_length", list_.sql)
    return Term(
        tree.equal(length, tree.Literal(0)), value_types.Type(value_types.BOOLEAN | list_.kinds & value_types.NULL)
    )


# List comprehensions


def comprehension(context: Context, expression: ast.ListComprehension, block: Block) -> Term:
    """`[variable IN list WHERE condition | result]`"""
    if block.grouped:
        raise Inexpressible
    list_ = elements(context, expression.source, block)
    inner = list_.block(block, expression.variable)
    if expression.condition is not None:
        inner.where.append(context.condition(expression.condition, inner))
    result = list_.element if expression.result is None else context.term(expression.result, inner)
    inner.columns = {_RESULT: result}
    # SQLite takes an aggregate of nothing but outer columns for one of the outer query.
    inner = context.derived_table(inner)
    sql, element_type = list_element(inner.columns[_RESULT])
    collected = tree.Scalar(select_unnamed(inner, tree.Aggregate("json_group_array", sql)))
    return Term(list_.if_there(collected), value_types.Type(value_types.LIST | list_.null, element_type), "json")


_RESULT = "result"


# Aggregation in SQL: GROUP BY, and count, sum, avg, min, max and collect.


def emit(context: Context, plan: Aggregate, block: Block) -> Block:
    ordered = bool(block.order) or block.sorted_before
    # SQLite takes an aggregate of nothing but outer columns for one of the outer query.
    block = context.derived_table(block) if block.correlated else context.ensure_open(block)
    keys = {name: context.term(expression, block) for name, expression in plan.keys}
    columns = dict(keys)
    for aggregate in plan.aggregates:
        columns[aggregate.column] = _aggregate_term(context, aggregate.call, block, ordered=ordered)
    block.columns = columns
    block.grouped = True
    block.keys = [_group_key(term) for term in keys.values()]
    return block


def _group_key(term: Term) -> Expression:
    if term.encoding == "json":
        raise Inexpressible
    return term.group_by if term.group_by is not None else term.sql


# Two aggregations: by the node, then by its properties


def emit_by_node(context: Context, plan: Aggregate, node: str, outer: Mapping[str, Term] | None) -> Block:
    """Aggregation by properties of one node: first by the node itself, then the partial results by the properties.

    The key of the node is short, and an index may give the rows in its order: grouping a million facts took 89 ms
    instead of 219 ms.
    """
    context.start_node = node
    block = context.ensure_open(context.plan(plan.input, outer))
    context.start_node = None
    if context.left_out:
        raise Inexpressible
    term = block.columns[node]
    if term.encoding != "node" or term.literal or block.inline or block.correlated:
        return emit(context, plan, block)
    partial: dict[str, Term] = {node: term}
    for aggregate in plan.aggregates:
        partial[aggregate.column] = _aggregate_term(context, aggregate.call, block, ordered=False)
    row = term.row or block.joined_rows.get(term.sql)
    index_columns = [Column(row, name) for name in context.catalogue.nodes.index_order] if row is not None else []
    block.columns, block.grouped = partial, True
    block.keys = [*index_columns, term.sql]
    block = context.derived_table(block)
    columns = {name: context.term(expression, block) for name, expression in plan.keys}
    block.keys = [_group_key(columns[name]) for name, _ in plan.keys]
    for aggregate in plan.aggregates:
        part = block.columns[aggregate.column]
        form = _form(aggregate.call)
        if form in ("min", "max"):
            columns[aggregate.column] = _extreme(form, part)
        else:
            columns[aggregate.column] = replace(part, sql=tree.Aggregate("sum", part.sql))
    block.columns, block.grouped = columns, True
    return block


def grouping_node(plan: Aggregate) -> str | None:
    """The node whose properties are the keys, where its groups can be put together from partial results."""
    subjects = {
        expression.subject.name
        for _, expression in plan.keys
        if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable)
    }
    variables = {expression.name for _, expression in plan.keys if isinstance(expression, ast.Variable)}
    only_properties = all(isinstance(expression, ast.Property | ast.Variable) for _, expression in plan.keys)
    if len(subjects) != 1 or not only_properties or not variables <= subjects or not isinstance(plan.input, Match):
        return None
    [node] = subjects
    if all(slot.column != node for slot in _matched_nodes(plan.input)):
        return None
    calls = [aggregate.call for aggregate in plan.aggregates]
    if any(_form(call) not in _FROM_PARTS or (call is not None and call.distinct) for call in calls):
        return None
    return node


def _matched_nodes(plan: Plan) -> Iterator[NodeSlot]:
    while isinstance(plan, Match):
        yield from plan.nodes
        plan = plan.input


# Aggregate functions, by the form that each has in its row

_FROM_PARTS: Final = frozenset(("count", "sum", "min", "max"))
"""The forms whose results for parts of a group give the result for the group."""


def _form(call: ast.Call | None) -> aggregates.SqlForm:
    """The form of an aggregate; None stands for `count(*)`."""
    return "count" if call is None else aggregates.AGGREGATES[call.name.lower()].sql


def _aggregate_term(context: Context, call: ast.Call | None, block: Block, *, ordered: bool) -> Term:
    """The term of an aggregate over the rows of a group; None stands for `count(*)`."""
    if call is None:
        return Term(tree.Aggregate("count"), value_types.Type(value_types.INTEGER))
    form = _form(call)
    term = context.term(call.arguments[0], block)
    if form == "count":
        return _count(term, distinct=call.distinct)
    if form == "sum":
        total = tree.Aggregate("sum", _number(term), call.distinct)
        return Term(tree.call("coalesce", total, tree.Literal(0)), value_types.Type(value_types.NUMBER))
    if form == "avg":
        type_ = value_types.Type(value_types.FLOAT | value_types.NULL)
        return Term(tree.Aggregate("avg", _number(term), call.distinct), type_)
    if form in ("min", "max"):
        return _extreme(form, term)
    if form == "collect" and not ordered:
        return _collect(term, distinct=call.distinct)
    raise Inexpressible


def _count(term: Term, *, distinct: bool) -> Term:
    if term.encoding in ("json", "labels"):
        raise Inexpressible
    # Whether a value is there can be told of a list in a bag, too; whether two are equal cannot.
    sql = bag_value(term.bag) if term.bag is not None and not distinct else term.sql
    return Term(tree.Aggregate("count", sql, distinct), value_types.Type(value_types.INTEGER))


def _number(term: Term) -> Expression:
    """A value that is added up, which must be a number or null."""
    if term.encoding == "plain" and not term.kinds & ~NUMBER_OR_NULL:
        return term.sql
    if term.encoding == "tagged":
        return by_text(tree.call("typeof", term.sql), {"text": INEXACT, "blob": INEXACT}, term.sql)
    raise Inexpressible


def _extreme(name: str, term: Term) -> Term:
    """`min` or `max`. SQLite's order is openCypher's within one class of values, and no further."""
    if plain_class(term):
        return Term(tree.Aggregate(name, term.sql), value_types.Type(term.kinds | value_types.NULL))
    if term.encoding != "tagged":
        raise Inexpressible
    rank, not_null = type_rank(term.sql), tree.is_not_null(term.sql)
    least, greatest = (tree.Aggregate(extreme, rank, where=not_null) for extreme in ("min", "max"))
    sql = tree.iif(tree.infix("IS", least, greatest), tree.Aggregate(name, term.sql), INEXACT)
    return Term(sql, value_types.Type(term.kinds | value_types.NULL), "tagged")


def _collect(term: Term, *, distinct: bool) -> Term:
    if term.bag is not None and not distinct:
        # As they are stored in the bag, values are JSON already, and are read exactly.
        stored = tree.Aggregate("group_concat", bag_json(term.bag), where=tree.is_not_null(bag_value(term.bag)))
        elements = tree.call("coalesce", stored, tree.Literal(""))
        list_type = value_types.Type(value_types.LIST, value_types.UNKNOWN)
        return Term(tree.infix("||", tree.Literal("["), elements, tree.Literal("]")), list_type, "json")
    sql, element_type = list_element(term)
    collected: Expression = tree.Aggregate("json_group_array", sql, distinct, where=tree.is_not_null(term.sql))
    if distinct and term.encoding == "tagged":
        # In JSON, DISTINCT would take true and the text 'true' for the same.
        kinds = (has_type(term.sql, "blob"), tree.is_one_of(term.sql, "true", "false"))
        ambiguous = tree.all_of([tree.Aggregate("max", kind) for kind in kinds])
        collected = tree.iif(ambiguous, INEXACT, collected)
    return Term(collected, value_types.Type(value_types.LIST, element_type), "json")


def list_element(term: Term) -> tuple[Expression, value_types.Type]:
    """A value as an element of a JSON list, and its type."""
    if term.encoding == "node" or (term.encoding == "plain" and not term.kinds & value_types.BOOLEAN):
        return term.sql, term.type
    if term.encoding not in ("plain", "tagged"):
        raise Inexpressible
    sql = tagged(term).sql
    text = tree.iif(tree.equal(sql, TAGGED_TRUE), tree.Literal("true"), tree.Literal("false"))
    return by_text(tree.call("typeof", sql), {"blob": tree.call("json", text)}, sql), term.type
