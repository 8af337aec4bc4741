"""Functions and aggregates: what they return, what they refuse, and that they raise no other errors."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_tables import PlainTables

from keepgraph.cypher import aggregates, comparison, functions, value_types, values
from keepgraph.cypher.sql import function_calls
from keepgraph.cypher.value_types import ANY, INTEGER, LIST, NODE, STRING
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.errors import QueryError, QueryFailed, QueryInconsistent, QueryTooLarge
from laws import examples

NAN = math.nan
INF = math.inf
MAX_INTEGER = 2**63 - 1
NOW = datetime(2026, 5, 15, 10, 30, tzinfo=UTC)
ADA, BOB = Node(1), Node(2)
KNOWS = Relationship(7, 1, 2)
PATH = Path((ADA, BOB), (KNOWS,))


class Graph:
    def labels(self, node):
        return ("Person",)

    def properties(self, of):
        return {"name": "Ada", "born": 1815}

    def type(self, relationship):
        return "KNOWS"

    def public_id(self, of):
        return f"ent_{of.id}"


def call(name, *arguments):
    function = functions.find(name)
    contexts = {"graph": Graph(), "now": NOW, "random": random.Random(1)}
    return function.run(*([contexts[function.needs]] if function.needs else []), *arguments)


def fold(name, *rows):
    accumulator = aggregates.find(name).start()
    for row in rows:
        accumulator.add(*(row if isinstance(row, tuple) else (row,)))
    return accumulator.result()


def failure(compute, *arguments):
    with pytest.raises(QueryFailed) as caught:
        compute(*arguments)
    return caught.value.kind, caught.value.detail


def same(a, b):
    return type(a) is type(b) and comparison.group_key(a) == comparison.group_key(b)


integers = st.integers(-(2**63), MAX_INTEGER) | st.integers(-3, 3)
texts = st.text(max_size=4) | st.sampled_from(
    ["1.5", "-2", "true", "1e9", "year", "2020-02-30", "PT1H", "UTC", "HALF_EVEN"]
)
temporal_values = st.builds(
    lambda row: call(*row),
    st.sampled_from(
        [
            ("date", "2020-02-29"),
            ("localtime", "10:35"),
            ("time", "12:30:14.645876123+01:01"),
            ("localdatetime", "1984-10-11T12:30:14"),
            ("datetime", "1984-10-11T12:30:14+01:00"),
            ("duration", "P1Y2M3DT4H"),
        ]
    ),
)
scalars = st.none() | st.booleans() | integers | st.floats() | texts | st.sampled_from([ADA, BOB, KNOWS, PATH])
keys = st.sampled_from(["a", "year", "month", "day", "hour", "timezone", "date", "months", "nanoseconds"])
any_value = st.recursive(
    scalars | temporal_values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=4,
)
OF_KIND = {
    value_types.NULL: st.none(),
    value_types.BOOLEAN: st.booleans(),
    value_types.INTEGER: integers,
    value_types.FLOAT: st.floats(),
    value_types.STRING: texts,
    value_types.LIST: st.lists(any_value, max_size=3),
    value_types.MAP: st.dictionaries(keys, any_value, max_size=3),
    value_types.NODE: st.just(ADA),
    value_types.RELATIONSHIP: st.just(KNOWS),
    value_types.PATH: st.just(PATH),
}


def of_kinds(kinds):
    """Values of these kinds, mostly."""
    result = [strategy for kind, strategy in OF_KIND.items() if kind & kinds]
    if kinds & value_types.TEMPORAL:
        result.append(temporal_values)
    return st.one_of(*result, *result, any_value)


EVERY_FUNCTION = pytest.mark.parametrize("function", functions.FUNCTIONS.values(), ids=lambda row: row.name)
EVERY_AGGREGATE = pytest.mark.parametrize("aggregate", aggregates.AGGREGATES.values(), ids=lambda row: row.name)


# The table


@EVERY_FUNCTION
@examples(10, sweep=200)
@given(draw=st.data())
def test_a_function_answers_as_announced_or_fails_as_a_query_does(function, draw):
    most = function.min_arguments + 2 if function.max_arguments is None else function.max_arguments
    count = draw.draw(st.integers(function.min_arguments, most))
    last = len(function.parameter_kinds) - 1
    arguments = [draw.draw(of_kinds(function.parameter_kinds[min(place, last)])) for place in range(count)]
    try:
        result = call(function.name, *arguments)
    except QueryError:
        return

    assert values.kind_of(result) & function.result_kinds
    assert result is None or not (
        function.propagates_null and None in [argument for argument in arguments if argument is None]
    )
    if isinstance(result, list) and function.element_kinds:
        assert all(values.kind_of(element) & function.element_kinds for element in result)


@EVERY_AGGREGATE
@examples(30, sweep=300)
@given(draw=st.data())
def test_an_aggregate_answers_as_announced_or_fails_as_a_query_does(aggregate, draw):
    row = st.tuples(*(of_kinds(kinds) for kinds in aggregate.parameter_kinds))
    rows = draw.draw(st.lists(row, max_size=4))
    try:
        result = fold(aggregate.name, *rows)
    except QueryError:
        return

    assert values.kind_of(result) & aggregate.result_kinds


@EVERY_FUNCTION
def test_a_wrong_kind_is_refused_by_name(function):
    wrong = [
        value
        for value in (ADA, "a", 1.5, True, [])
        if not values.kind_of(value) & (function.parameter_kinds or (-1,))[0]
    ]
    for value in wrong:
        arguments = [value] + [None] * (function.min_arguments - 1)
        with pytest.raises(QueryFailed, match=rf"^{function.name}\(\) takes ") as caught:
            call(function.name, *arguments)

        assert (caught.value.kind, caught.value.detail) == ("TypeError", "InvalidArgumentValue")


def test_functions_are_found_in_any_case():
    assert functions.find("TOLOWER") is functions.find("toLower")
    assert functions.find("datetime.fromepoch").name == "datetime.fromEpoch"
    assert functions.find("nonsense") is None
    assert aggregates.find("COUNT").name == "count"
    assert functions.find("count") is None


def test_near_names_are_offered():
    assert "toLower" in functions.similar_names("tolowwer")
    assert "collect" in functions.similar_names("colect")
    assert functions.similar_names("xyzzy") == []


def test_what_there_is_can_be_listed():
    names = functions.names()

    assert names == sorted(names, key=str.lower)
    assert {"coalesce", "duration.between", "percentileCont", "date.truncate"} <= set(names)


# Functions, by example


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("coalesce", (None, 2, 3), 2),
        ("coalesce", (None, None), None),
        ("nullIf", (1, 1.0), None),
        ("nullIf", (1, 2), 1),
        ("nullIf", (None, 1), None),
        ("exists", (1,), True),
        ("exists", (None,), False),
        ("valueType", (1,), "INTEGER NOT NULL"),
        ("valueType", (None,), "NULL"),
        ("valueType", ([1, "a"],), "LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL"),
        ("valueType", ([1, None],), "LIST<INTEGER> NOT NULL"),
        ("valueType", ([],), "LIST<NOTHING> NOT NULL"),
        ("toBoolean", ("TRUE",), True),
        ("toBoolean", ("no",), None),
        ("toBoolean", (0,), False),
        ("toInteger", (82.9,), 82),
        ("toInteger", (-82.9,), -82),
        ("toInteger", ("1.7",), 1),
        ("toInteger", (" 42 ",), 42),
        ("toInteger", ("9223372036854775807",), MAX_INTEGER),
        ("toInteger", ("foo",), None),
        ("toInteger", ("",), None),
        ("toInteger", ("1_000",), None),
        ("toInteger", ("１",), None),
        ("toInteger", (True,), 1),
        ("toInteger", (NAN,), None),
        ("toFloat", ("5",), 5.0),
        ("toFloat", ("1e-3",), 0.001),
        ("toFloat", ("inf",), None),
        ("toFloat", ("NaN",), NAN),
        ("toFloat", (3,), 3.0),
        ("toString", (2.3,), "2.3"),
        ("toString", (True,), "true"),
        ("toString", ("apa",), "apa"),
        ("toIntegerOrNull", ([],), None),
        ("toIntegerOrNull", ("99999999999999999999",), None),
        ("toFloatOrNull", (True,), None),
        ("toBooleanOrNull", (1.5,), None),
        ("toStringOrNull", (ADA,), None),
        ("toIntegerList", (["1", 2.5, None, []],), [1, 2, None, None]),
        ("toFloatList", (["1", 2],), [1.0, 2.0]),
        ("toBooleanList", (["true", "a"],), [True, None]),
        ("toStringList", ([1, True],), ["1", "true"]),
        ("id", (ADA,), 1),
        ("elementId", (ADA,), "ent_1"),
        ("type", (KNOWS,), "KNOWS"),
        ("type", (None,), None),
        ("labels", (ADA,), ["Person"]),
        ("keys", (ADA,), ["name", "born"]),
        ("keys", ({"k": None},), ["k"]),
        ("properties", (KNOWS,), {"name": "Ada", "born": 1815}),
        ("properties", ({"a": 1},), {"a": 1}),
        ("startNode", (KNOWS,), ADA),
        ("endNode", (KNOWS,), BOB),
        ("nodes", (PATH,), [ADA, BOB]),
        ("relationships", (PATH,), [KNOWS]),
        ("length", (PATH,), 1),
        ("size", ([1, 2],), 2),
        ("size", ("abc",), 3),
        ("isEmpty", ({},), True),
        ("head", ([1, 2],), 1),
        ("head", ([],), None),
        ("last", ([1, 2],), 2),
        ("tail", ([1, 2, 3],), [2, 3]),
        ("tail", ([],), []),
        ("range", (1, 3), [1, 2, 3]),
        ("range", (0, 10, 3), [0, 3, 6, 9]),
        ("range", (3, 1), []),
        ("range", (3, 1, -1), [3, 2, 1]),
        ("range", (MAX_INTEGER - 1, MAX_INTEGER), [MAX_INTEGER - 1, MAX_INTEGER]),
        ("range", (None, 1), None),
        ("reverse", ("raksO",), "Oskar"),
        ("reverse", ([1, None],), [None, 1]),
        ("left", ("hello", 3), "hel"),
        ("left", ("hello", 9), "hello"),
        ("right", ("hello", 3), "llo"),
        ("right", ("hello", 0), ""),
        ("substring", ("hello", 1), "ello"),
        ("substring", ("hello", 1, 3), "ell"),
        ("substring", ("hello", 9), ""),
        ("split", ("one1two", "1"), ["one", "two"]),
        ("split", ("abc", ""), ["a", "b", "c"]),
        ("split", ("a,b;c", [",", ";"]), ["a", "b", "c"]),
        ("split", ("", ","), [""]),
        ("replace", ("hello", "l", "w"), "hewwo"),
        ("replace", ("aaa", "aa", ""), "a"),
        ("trim", (" a ",), "a"),
        ("ltrim", (" a ",), "a "),
        ("rtrim", (" a ",), " a"),
        ("btrim", ("xxaxx", "x"), "a"),
        ("toLower", ("ÀB",), "àb"),
        ("toUpper", ("àb",), "ÀB"),
        ("lower", ("A",), "a"),
        ("upper", ("a",), "A"),
        ("char_length", ("abc",), 3),
        ("abs", (-1,), 1),
        ("abs", (-1.5,), 1.5),
        ("sign", (-0.5,), -1),
        ("sign", (0,), 0),
        ("ceil", (0.1,), 1.0),
        ("ceil", (-INF,), -INF),
        ("floor", (-0.1,), -1.0),
        ("floor", (3,), 3.0),
        ("round", (3.5,), 4.0),
        ("round", (-1.5,), -1.0),
        ("round", (0.49999999999999994,), 0.0),
        ("round", (NAN,), NAN),
        ("round", (3.14159, 2), 3.14),
        ("round", (-1.55, 1), -1.6),
        ("round", (1.25, 1, "HALF_EVEN"), 1.2),
        ("round", (1.21, 1, "ceiling"), 1.3),
        ("round", (1e300, 300), 1e300),
        ("sqrt", (12.96,), 3.6),
        ("sqrt", (-1,), NAN),
        ("exp", (1000,), INF),
        ("log", (0,), -INF),
        ("log", (-1,), NAN),
        ("log10", (100,), 2.0),
        ("sin", (INF,), NAN),
        ("cot", (0,), INF),
        ("asin", (2,), NAN),
        ("atan2", (0, 1), 0.0),
        ("haversin", (math.pi,), 1.0),
        ("degrees", (math.pi,), 180.0),
        ("radians", (180,), math.pi),
        ("pi", (), math.pi),
        ("e", (), math.e),
        ("isNaN", (NAN,), True),
        ("isNaN", (1,), False),
        ("timestamp", (), 1778841000000),
    ],
)
def test_example(name, arguments, expected):
    assert same(expected, call(name, *arguments)), call(name, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("date", ("2015-07-21",), "2015-07-21"),
        ("date", (), "2026-05-15"),
        ("date", ({"year": 1984, "month": 10, "day": 11},), "1984-10-11"),
        ("date.statement", (), "2026-05-15"),
        ("localtime.transaction", ("+02:00",), "12:30"),
        ("datetime.realtime", (), "2026-05-15T10:30Z"),
        ("date.truncate", ("year", ("date", "2015-07-21")), "2015-01-01"),
        ("date.truncate", ("month",), "2026-05-01"),
        ("date.truncate", ("year", ("date", "2015-07-21"), {"day": 2}), "2015-01-02"),
        ("duration", ("P1M",), "P1M"),
        ("duration", ({"hours": 1},), "PT1H"),
        ("duration.between", (("date", "2015-07-21"), ("date", "2015-08-22")), "P1M1D"),
        ("duration.inMonths", (("date", "2015-07-21"), ("date", "2016-08-22")), "P1Y1M"),
        ("duration.inDays", (("date", "2015-07-21"), ("date", "2015-07-23")), "P2D"),
        ("duration.inSeconds", (("localtime", "10:00"), ("localtime", "11:00")), "PT1H"),
        ("datetime.fromEpoch", (416779, 999999999), "1970-01-05T19:46:19.999999999Z"),
        ("datetime.fromEpochMillis", (237821673987,), "1977-07-15T13:34:33.987Z"),
    ],
)
def test_temporal_example(name, arguments, expected):
    arguments = [call(*argument) if isinstance(argument, tuple) else argument for argument in arguments]

    assert expected == call("toString", call(name, *arguments))


@pytest.mark.parametrize("name", ["date", "time", "localtime", "datetime", "localdatetime", "duration"])
def test_a_temporal_value_of_null_is_null(name):
    assert call(name, None) is None


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "detail"),
    [
        ("range", (2, 8, 0), "ArgumentError", "NumberOutOfRange"),
        ("range", (1.5, 2), "ArgumentError", "InvalidArgumentType"),
        ("range", (True, 2), "ArgumentError", "InvalidArgumentType"),
        ("left", ("a", -1), "ArgumentError", "NumberOutOfRange"),
        ("right", ("a", -1), "ArgumentError", "NumberOutOfRange"),
        ("substring", ("a", -1), "ArgumentError", "NumberOutOfRange"),
        ("substring", ("a", 0, -1), "ArgumentError", "NumberOutOfRange"),
        ("round", (1.5, -1), "ArgumentError", "NumberOutOfRange"),
        ("round", (1.5, 1, "SIDEWAYS"), "ArgumentError", "InvalidArgumentValue"),
        ("abs", (-MAX_INTEGER - 1,), "ArithmeticError", "IntegerOverflow"),
        ("toInteger", (1e300,), "ArithmeticError", "IntegerOverflow"),
        ("toInteger", ("9223372036854775808",), "ArithmeticError", "IntegerOverflow"),
        ("toInteger", ([],), "TypeError", "InvalidArgumentValue"),
        ("toInteger", (ADA,), "TypeError", "InvalidArgumentValue"),
        ("toFloat", (True,), "TypeError", "InvalidArgumentValue"),
        ("toString", ({},), "TypeError", "InvalidArgumentValue"),
        ("toBoolean", (1.0,), "TypeError", "InvalidArgumentValue"),
        ("type", (0,), "TypeError", "InvalidArgumentValue"),
        ("labels", (KNOWS,), "TypeError", "InvalidArgumentValue"),
        ("split", ("a", [1]), "TypeError", "InvalidArgumentValue"),
    ],
)
def test_refusal(name, arguments, kind, detail):
    assert (kind, detail) == failure(call, name, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("range", (-MAX_INTEGER - 1, MAX_INTEGER)),
        ("range", (MAX_INTEGER, -MAX_INTEGER - 1, -1)),
        ("replace", ("a" * 5_000, "a", "b" * 5_000)),
    ],
)
def test_what_grows_too_large_is_refused(name, arguments):
    with pytest.raises(QueryTooLarge):
        call(name, *arguments)


def test_chance_is_between_0_and_1_and_ids_are_ids():
    assert 0 <= call("rand") < 1
    assert call("randomUUID").count("-") == 4


# Aggregates, by example


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("count", [], 0),
        ("count", [1, None, "a"], 2),
        ("sum", [], 0),
        ("sum", [None], 0),
        ("sum", [1, 2], 3),
        ("sum", [1, 0.5], 1.5),
        ("sum", [MAX_INTEGER, 1, -1], MAX_INTEGER),
        ("avg", [], None),
        ("avg", [1, 2, None], 1.5),
        ("avg", [MAX_INTEGER, MAX_INTEGER], float(MAX_INTEGER)),
        ("min", [], None),
        ("min", [1, "a", None, [1, 2], 0.2, "b"], [1, 2]),
        ("max", [1, "a", None, [1, 2], 0.2, "b"], 1),
        ("min", [[2], [2, 1], [1, 9]], [1, 9]),
        ("max", [1, NAN, 5], NAN),
        ("max", ["a", "B"], "a"),
        ("collect", [], []),
        ("collect", [1, None, 1], [1, 1]),
        ("stDev", [1, 2, 3], 1.0),
        ("stDev", [5], 0.0),
        ("stDev", [], 0.0),
        ("stDevP", [2, 4], 1.0),
        ("percentileDisc", [], None),
        ("percentileDisc", [(10, 0.0), (20, 0.0)], 10),
        ("percentileDisc", [(10.0, 0.5), (30.0, 0.5), (20.0, 0.5)], 20.0),
        ("percentileDisc", [(1, 0.5), (2, 0.5)], 1),
        ("percentileDisc", [(1, 0.51), (2, 0.51)], 2),
        ("percentileDisc", [(1, 1), (2, 1), (None, 1)], 2),
        ("percentileCont", [(10, 0.5), (20, 0.5)], 15.0),
        ("percentileCont", [(10, 1), (20, 1)], 20.0),
        ("percentileCont", [(10.0, 0.0), (20.0, 0.0)], 10.0),
    ],
)
def test_aggregate_example(name, rows, expected):
    assert same(expected, fold(name, *rows)), fold(name, *rows)


@pytest.mark.parametrize(("name", "expected"), [("sum", "PT3H"), ("avg", "PT1H30M"), ("max", "PT2H"), ("min", "PT1H")])
def test_durations_are_aggregated(name, expected):
    assert expected == str(fold(name, call("duration", "PT1H"), None, call("duration", "PT2H")))


@pytest.mark.parametrize(
    ("name", "rows", "kind", "detail"),
    [
        ("sum", [MAX_INTEGER, 1], "ArithmeticError", "IntegerOverflow"),
        ("sum", ["a"], "TypeError", "InvalidArgumentValue"),
        ("avg", [True], "TypeError", "InvalidArgumentValue"),
        ("stDev", ["a"], "TypeError", "InvalidArgumentValue"),
        ("percentileDisc", [(1, 1.1)], "ArgumentError", "NumberOutOfRange"),
        ("percentileCont", [(1, -1)], "ArgumentError", "NumberOutOfRange"),
        ("percentileCont", [(1, NAN)], "ArgumentError", "NumberOutOfRange"),
        ("percentileDisc", [(0.9, 1000)], "ArgumentError", "NumberOutOfRange"),
        ("percentileDisc", [("a", 0.5)], "TypeError", "InvalidArgumentValue"),
    ],
)
def test_aggregate_refusal(name, rows, kind, detail):
    assert (kind, detail) == failure(fold, name, *rows)


@given(numbers=st.lists(st.integers(-1000, 1000), min_size=1))
def test_an_average_lies_between_the_least_and_the_greatest(numbers):
    assert fold("min", *numbers) <= fold("avg", *numbers) <= fold("max", *numbers)
    assert fold("sum", *numbers) == sum(numbers)


@given(rows=st.lists(any_value))
def test_the_least_and_the_greatest_go_by_the_order_of_all_values(rows):
    in_order = sorted((row for row in rows if row is not None), key=comparison.sort_key)
    rows = [(row,) for row in rows]

    assert not in_order or same(in_order[0], fold("min", *rows)) or comparison.equal(in_order[0], fold("min", *rows))
    assert not in_order or comparison.sort_key(in_order[-1]) == comparison.sort_key(fold("max", *rows))


# A row is all that a function needs


@pytest.fixture
def tables(monkeypatch):
    """A small graph, and copies of the tables of functions and aggregates that a test may add rows to."""
    monkeypatch.setattr(functions, "FUNCTIONS", dict(functions.FUNCTIONS))
    monkeypatch.setattr(aggregates, "AGGREGATES", dict(aggregates.AGGREGATES))
    graph = PlainTables()
    graph.load(
        [(1, ["Person"], {"name": "Ada", "age": 36}), (2, ["Person"], {"name": "Bob"})], [(1, "KNOWS", 1, 2, {})]
    )
    return graph


def answers(tables, text):
    """The rows of a query, as it is run and as the interpreter alone runs it, and what runs it."""
    compiled = tables.compile(text, {})
    return (*tables.rows(compiled, {}), tables.interpreted_rows(compiled, {}))


def test_a_function_of_scalars_is_added_by_a_row(tables):
    functions.define("shout", (STRING,), STRING, lambda text: text.upper() + "!", table=functions.FUNCTIONS)
    rows, by, reference = answers(tables, "MATCH (n) WHERE Shout(n.name) <> 'ADA!' RETURN shout(n.name) AS x")

    assert (rows, by, reference) == ([("BOB!",)], "sql", [("BOB!",)])
    with pytest.raises(QueryInconsistent, match=r"shout\(\) takes a string"):
        tables.compile("RETURN shout(1)", {})
    with pytest.raises(QueryInconsistent, match=r"shout\(\) takes 1 argument"):
        tables.compile("RETURN shout()", {})
    with pytest.raises(QueryInconsistent, match="did you mean shout"):
        tables.compile("RETURN shoutt('x')", {})


def test_a_function_with_a_type_rule_a_form_in_sql_and_the_graph_is_added_by_a_row(tables):
    functions.define(
        "tags",
        (NODE,),
        LIST,
        lambda graph, node: list(graph.labels(node)),
        needs="graph",
        element_kinds=STRING,
        sql="labels",
        table=functions.FUNCTIONS,
    )
    functions.define(
        "front",
        (LIST,),
        ANY,
        lambda elements: elements[0],
        infer=value_types.first_element,
        sql="first",
        table=functions.FUNCTIONS,
    )
    rows, by, reference = answers(tables, "MATCH (n) RETURN tags(n)[0] AS a, front(tags(n)) AS b, count(*) AS c")

    assert (rows, by, reference) == ([("Person", "Person", 2)], "sql", [("Person", "Person", 2)])
    with pytest.raises(QueryInconsistent, match="has no value"):
        tables.compile("MATCH (n) RETURN front(tags(n)) - 1", {})


def test_a_function_that_does_not_evaluate_all_its_arguments_is_added_by_a_row(tables):
    functions.define(
        "firstTrue",
        (ANY,),
        INTEGER,
        lambda *arguments: len(arguments),
        variadic=True,
        accepts_null=True,
        stops_at=lambda value: value is True,
        table=functions.FUNCTIONS,
    )

    assert answers(tables, "RETURN firstTrue(false, true, 1 / 0) AS x")[2] == [(2,)]


def test_an_aggregate_is_added_by_a_row(tables):
    aggregates.AGGREGATES["most"] = aggregates.Aggregate(
        "most", 1, 1, (ANY,), ANY, aggregates.Maximum, value_types.same_or_null, ignores_duplicates=True, sql="max"
    )
    rows, by, reference = answers(tables, "MATCH (n) RETURN most(n.age) AS x, toUpper(most(n.name)) AS y")

    assert (rows, by, reference) == ([(36, "BOB")], "sql", [(36, "BOB")])
    with pytest.raises(QueryInconsistent, match="inside another aggregate"):
        tables.compile("RETURN most(most(1))", {})


@EVERY_FUNCTION
def test_the_form_of_a_function_in_sql_exists(function):
    assert function.sql in function_calls._FORMS
