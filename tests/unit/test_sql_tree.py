"""SQL as a tree: its text means what the tree says, and what is asked of a tree is told from its nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlite

from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.context import Block, select_unnamed
from keepgraph.cypher.sql.rendering import render
from laws import examples

CONN = sqlite.connect(":memory:")
X, Y = tree.Column("r", "x"), tree.Column("r", "y")

OTHERS = {"NOT", "unary +", "IN", "->", "->>"}
"""What stands not between any two values."""

LEAVES = st.sampled_from([tree.NULL, tree.TRUE, tree.FALSE, *map(tree.Literal, (-1, 0, 1, 2, "", "1", "a'b", b"\x01"))])


def larger(inner):
    operands = st.tuples(inner, inner)
    return st.one_of(
        st.builds(tree.Infix, st.sampled_from(sorted(tree.LEVELS.keys() - OTHERS)), operands),
        st.builds(tree.Prefix, st.sampled_from(["NOT", "+"]), inner),
        st.builds(tree.In, inner, operands),
        st.builds(tree.iif, inner, inner, inner),
        st.builds(lambda when, then, otherwise: tree.Case(((when, then),), otherwise), inner, inner, inner),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=12)


def text(expression):
    return render(select_unnamed(Block(), expression)).text.removeprefix("SELECT ")


def bracketed(expression):
    """The text with brackets around everything."""
    if isinstance(expression, tree.Infix):
        return f" {expression.operator} ".join(f"({bracketed(operand)})" for operand in expression.operands)
    if isinstance(expression, tree.Prefix):
        return f"{expression.operator} ({bracketed(expression.operand)})"
    if isinstance(expression, tree.In):
        return f"({bracketed(expression.value)}) IN ({', '.join(map(bracketed, expression.others))})"
    if isinstance(expression, tree.Call):
        return f"{expression.function}({', '.join(map(bracketed, expression.arguments))})"
    if isinstance(expression, tree.Case):
        [(when, then)] = expression.branches
        return f"CASE WHEN {bracketed(when)} THEN {bracketed(then)} ELSE {bracketed(expression.otherwise)} END"
    return text(expression)


@examples(150, sweep=5_000)
@given(EXPRESSIONS)
def test_the_brackets_that_are_left_out_change_nothing(expression):
    few, all_of_them = (CONN.execute(f"SELECT {sql}").fetchall() for sql in (text(expression), bracketed(expression)))

    assert all_of_them == few


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (tree.Literal("it's"), "'it''s'"),
        (tree.Literal(b"\x00\xff"), "x'00ff'"),
        (tree.infix("AND", tree.infix("OR", X, Y), tree.infix("AND", X, Y)), "(r.x OR r.y) AND r.x AND r.y"),
        (tree.negate(tree.equal(X, Y)), "NOT r.x = r.y"),
        (tree.equal(tree.negate(X), tree.equal(X, Y)), "(NOT r.x) = (r.x = r.y)"),
        (tree.is_null(tree.infix("->>", X, Y)), "r.x ->> r.y IS NULL"),
        (tree.infix("||", tree.Prefix("+", X), tree.infix("||", X, Y)), "+r.x || r.x || r.y"),
        (tree.negate(tree.Fragment(("a = 1 AND b = 2",), is_condition=True)), "NOT (a = 1 AND b = 2)"),
        (tree.Aggregate("count"), "count(*)"),
        (tree.Aggregate("sum", X, distinct=True, where=Y), "sum(DISTINCT r.x) FILTER (WHERE r.y)"),
    ],
)
def test_an_expression_is_written_with_the_brackets_it_needs(expression, expected):
    assert expected == text(expression)


def test_placeholders_are_numbered_in_the_order_of_the_text():
    rendered = render(select_unnamed(Block(), *map(tree.Placeholder, (7, 3, 7, 0))))

    assert (rendered.text, rendered.placeholders) == ("SELECT ?1, ?2, ?1, ?3", (7, 3, 0))


def test_the_callbacks_of_a_statement_are_those_of_its_subqueries_too():
    inner = select_unnamed(Block(), tree.Callback("left", (X, tree.Callback("size", (Y,)))))
    rendered = render(select_unnamed(Block(), tree.Scalar(inner), tree.Literal("cypher_right(")))

    assert frozenset(("left", "size")) == rendered.callbacks


def test_a_key_is_null_without_a_row_where_each_way_to_it_needs_the_row():
    literal = tree.infix("||", tree.Literal("="), Y)

    assert tree.is_null_without(tree.call("coalesce", X, literal), "r")
    assert not tree.is_null_without(tree.call("coalesce", X, tree.Column("s", "x")), "r")
    assert not tree.is_null_without(tree.iif(tree.equal(X, Y), X, tree.Column("s", "x")), "r")


def test_an_aggregate_is_seen_inside_an_expression_and_not_inside_a_subquery():
    count = tree.Aggregate("count")

    assert tree.has_aggregate(tree.iif(tree.In(count, (X,)), X, Y))
    assert not tree.has_aggregate(tree.Scalar(select_unnamed(Block(), count)))


def test_conditions_are_split_and_each_is_kept_once():
    same = tree.equal(X, Y)
    conditions = [tree.TRUE, tree.all_of([same, tree.is_null(X)]), tree.equal(X, Y), tree.any_of([same, X])]

    assert (same, tree.is_null(X), tree.any_of([same, X])) == tree.conjuncts(conditions)


def test_true_is_not_one():
    """As it would be in Python."""
    assert tree.Literal(1) != tree.TRUE
    assert tree.Literal("1") != tree.Literal(1)


def test_the_size_of_an_expression_that_doubles_itself_is_told_at_once():
    expression = X
    for _ in range(200):
        expression = tree.call("add", expression, expression)

    assert expression.size > 2**200
