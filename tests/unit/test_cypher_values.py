"""Comparison, arithmetic and logic of values: the tables of openCypher, and laws that hold for all values."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from datetime import UTC, datetime
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cypher import arithmetic, comparison, value_types, values
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.errors import QueryError, QueryFailed, QueryTooLarge, QueryUnsupported
from keepgraph.temporal import operations

NAN = math.nan
INF = math.inf
MAX_INTEGER = 2**63 - 1
ADA, BOB = Node(1), Node(2)
KNOWS = Relationship(7, 1, 2)

integers = st.integers(-(2**63), MAX_INTEGER)
numbers = integers | st.floats()
scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 1.5, NAN, INF]) | numbers
graph_values = st.sampled_from([ADA, BOB, KNOWS, Relationship(8, 2, 1), Path((ADA,), ()), Path((ADA, BOB), (KNOWS,))])
TEMPORAL = [
    operations.construct(kind, text, datetime(2026, 5, 15, tzinfo=UTC))
    for kind, text in [
        ("datetime", "1984-10-11T12:31:14+00:17"),
        ("datetime", "1984-10-11T12:30:14+00:15"),
        ("localdatetime", "0001-01-01T01:01:01"),
        ("localdatetime", "1984-10-11T12:30:14"),
        ("date", "1910-05-06"),
        ("date", "1984-10-11"),
        ("time", "12:35:15+05:00"),
        ("time", "10:35-08:00"),
        ("localtime", "10:35"),
        ("localtime", "12:30:14.645876123"),
        ("duration", "PT1H"),
        ("duration", "P1D"),
    ]
]
any_value = st.recursive(
    scalars | st.text(max_size=3) | graph_values | st.sampled_from(TEMPORAL),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def shuffled_and_sorted(ordered) -> list:
    return sorted(random.Random(1).sample(ordered, len(ordered)), key=comparison.sort_key)


def same_order(a, b) -> int:
    return (comparison.sort_key(a) > comparison.sort_key(b)) - (comparison.sort_key(a) < comparison.sort_key(b))


def failure(compute, *arguments) -> tuple[str, str]:
    with pytest.raises(QueryFailed) as caught:
        compute(*arguments)
    return caught.value.kind, caught.value.detail


# Equality


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (None, None, None),
        (None, 1, None),
        (NAN, NAN, False),
        (NAN, "a", False),
        (2**53 + 1, float(2**53), False),
        ([1, 2], [1], False),
        ([None], [1], None),
        (["a"], [1], False),
        ([[1]], [[1], [None]], False),
        ([[1], [2]], [[1], [None]], None),
        ([[1], [2, 3]], [[1], [None]], False),
        ([1, 2], [None, "foo"], False),
        ([1, 2], "foo", False),
        ({}, {}, True),
        ({"k": 1}, {"k": 1.0}, True),
        ({}, {"k": None}, False),
        ({"k": None}, {"k": None}, None),
        ({"k": None, "l": 1}, {"l": 2, "k": 3}, False),
        ({"k": 1, "l": None}, {"k": 1, "l": 1}, None),
        (ADA, Node(1), True),
        (ADA, BOB, False),
        (ADA, Relationship(1, 1, 2), False),
        (KNOWS, Relationship(7, 1, 2), True),
        (Path((ADA, BOB), (KNOWS,)), Path((ADA, BOB), (KNOWS,)), True),
        (Path((ADA, BOB), (KNOWS,)), Path((BOB, ADA), (KNOWS,)), False),
    ],
)
def test_equality_has_three_answers(a, b, expected):
    assert comparison.equal(a, b) is expected
    assert comparison.equal(b, a) is expected


@pytest.mark.parametrize(
    ("operator", "a", "b", "expected"),
    [
        ("<", 1, 3.14, True),
        (">=", 1, 1.0, True),
        ("<", "a", "b", True),
        ("<", False, True, True),
        ("<", 1, "1", None),
        ("<", 1, True, None),
        ("<", None, None, None),
        ("<", {}, {}, None),
        ("<", ADA, BOB, None),
        (">", NAN, 1, False),
        ("<=", NAN, NAN, False),
        (">", NAN, "a", None),
        ("<", 2**53, float(2**53) + 2, True),
        (">=", [1, 0], [1], True),
        (">=", [1, None], [1], True),
        (">=", [1, 2], [1, None], None),
        (">=", [1, "a"], [1, None], None),
        (">=", [1, 2], [3, None], False),
        ("<=", [1, 2], [1, 2], True),
        ("<", [1, 2], [1, 2], False),
        ("<", [1], ["a"], None),
        ("<=", [NAN], [NAN], False),
    ],
)
def test_comparison_has_three_answers(operator, a, b, expected):
    assert comparison.compare(operator, a, b) is expected


@pytest.mark.parametrize(
    ("operator", "a", "b", "expected"),
    [
        ("<", "date 4", "date 5", True),
        (">=", "date 5", "date 5", True),
        ("<", "localtime 8", "localtime 9", True),
        ("<", "date 4", "localtime 8", None),
        ("<", "duration 10", "duration 11", None),
        ("=", "date 4", "date 4", True),
        ("=", "date 4", "duration 10", False),
        ("=", "duration 10", "duration 10", True),
    ],
)
def test_temporal_values_compare_with_their_kind(operator, a, b, expected):
    one, other = (TEMPORAL[int(name.split()[1])] for name in (a, b))

    assert (comparison.equal(one, other) if operator == "=" else comparison.compare(operator, one, other)) is expected


@given(a=any_value, b=any_value)
def test_comparisons_agree_with_each_other(a, b):
    below, above = comparison.compare("<", a, b), comparison.compare(">", a, b)

    assert below == comparison.compare(">", b, a)
    assert (below is None) == (above is None)
    assert not (below and above)
    assert comparison.compare("<=", a, b) or not below


@pytest.mark.parametrize(
    ("value", "elements", "expected"),
    [
        (1, [2, 1], True),
        (3, [1, None, 3], True),
        (4, [1, None, 3], None),
        (None, [], False),
        (None, [1], None),
        (1, None, None),
        ([1], [1, 2], False),
        ([1, 2], [[None, 2]], None),
        ([1, 2], [[None, "foo"]], False),
        ([], [[]], True),
        (NAN, [NAN], False),
        (True, [1], False),
    ],
)
def test_in_has_three_answers(value, elements, expected):
    assert comparison.is_in(value, elements) is expected


def test_in_wants_a_list():
    assert failure(comparison.is_in, 1, "1") == ("TypeError", "InvalidArgumentType")


# Strings


@pytest.mark.parametrize(
    "test", [comparison.starts_with, comparison.ends_with, comparison.contains, comparison.matches]
)
@given(a=any_value, b=any_value)
def test_only_strings_are_searched(test, a, b):
    if isinstance(a, str) and isinstance(b, str):
        return

    assert test(a, b) is None


def test_strings_are_searched():
    assert comparison.starts_with("Ada", "A") is True
    assert comparison.ends_with("Ada", "A") is False
    assert comparison.contains("Ada", "") is True


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("Ada", "Ad", False),
        ("Ada", "(?i)ADA", True),
        ("Ada Lovelace", "Ada.*", True),
        ("", "", True),
        ("a\n", "a$", False),
        ("192.168.0.1", r"(\d{1,3}\.){3}\d{1,3}", True),
        ("one, two", r"(\w+(, )?)*", True),
        ("foobarfoo", "(foo|bar)+", True),
        ("Éva", "(?i)ÉVA", True),
        ("a\nb", "a.b", False),
        ("a\nb", "(?s)a.b", True),
        ("a\nb", "(?m)a$\n^b", True),
        ("a b-c", r"a\ b\-c", True),
        ("\ud800", "a", False),
    ],
)
def test_a_pattern_matches_the_whole_string(text, pattern, expected):
    assert comparison.matches(text, pattern) is expected


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|[ab])*c", ".*.*.*.*.*.*x", "(a?){40}b", "(a*a*)*b", "(.*)*x"])
def test_no_pattern_takes_for_ever(pattern):
    assert comparison.matches("a" * 20_000, pattern) is False


@pytest.mark.parametrize(("text", "pattern"), [("٣", r"\d"), ("é", r"\w"), ("\xa0", r"\s"), ("éa", r"é\Ba")])
def test_classes_are_of_ascii(text, pattern):
    assert comparison.matches(text, pattern) is False


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "*",
        "[a",
        r"\p",
        "a{2,1}",
        r"(a*)*\1",
        r"(?P<x>a)(?P=x)",
        "(?!b)a",
        "a++",
        "a{,3}",
        "(a){,}",
        r"\C",
        r"[a]\C",
    ],
)
def test_a_pattern_that_cannot_be_read_is_refused(pattern):
    with pytest.raises(QueryFailed, match="not a regular expression") as refused:
        comparison.matches("a" * 200, pattern)

    assert "RE2" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("a{,3}", r"\Qa{,3}\E"), ("a{,3}", r"a\{,3}"), ("C", "[{,}C]"), (r"\C", r"\\C"), ("]{", "[]{,3}]{2}")],
)
def test_what_re2_reads_otherwise_is_refused_only_where_it_is_meant(text, pattern):
    assert comparison.matches(text, pattern) is True


@pytest.mark.parametrize(("text", "pattern"), [("a", "a" * 1001), ("ab" * 1_000_000, "(a|b)*a(a|b){900}")])
def test_a_pattern_that_takes_too_many_steps_is_refused(text, pattern):
    with pytest.raises(QueryTooLarge):
        comparison.matches(text, pattern)


def test_without_its_library_a_pattern_is_refused_and_the_way_out_told(monkeypatch):
    comparison.compile_pattern.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)

    with pytest.raises(QueryUnsupported, match="google-re2") as refused:
        comparison.matches("Ada", "A.*")

    assert "pip install google-re2" in str(refused.value.hint)
    assert "CONTAINS" in str(refused.value.hint)


# Order and groups


def test_kinds_have_an_order():
    path = Path((ADA, BOB), (KNOWS,))
    ordered = [
        {},
        {"a": "map"},
        ADA,
        BOB,
        KNOWS,
        [],
        ["list"],
        path,
        "",
        "text",
        False,
        True,
        -INF,
        1.5,
        INF,
        NAN,
        None,
    ]

    assert ordered == shuffled_and_sorted(ordered)


def test_temporal_values_are_ordered_between_paths_and_strings():
    ordered = [Path((ADA,), ()), *TEMPORAL, ""]

    assert ordered == shuffled_and_sorted(ordered)


def test_lists_are_ordered_as_words():
    ordered = [[], ["a"], ["a", 1], [1], [1, "a"], [1, None], [None, 1], [None, 2]]

    assert ordered == shuffled_and_sorted(ordered)


def test_maps_are_ordered_by_size_then_keys_then_values():
    ordered = [{}, {"a": 2}, {"b": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "c": 0}]

    assert ordered == shuffled_and_sorted(ordered)


def test_large_integers_and_floats_are_ordered_exactly():
    ordered = [2**53 - 1, float(2**53), 2**53 + 1, float(2**53 + 2)]

    assert ordered == shuffled_and_sorted(ordered)


@given(a=any_value, b=any_value, c=any_value)
def test_the_order_is_total(a, b, c):
    first, second, third = sorted([a, b, c], key=comparison.sort_key)

    assert same_order(a, b) == -same_order(b, a)
    assert same_order(first, second) <= 0
    assert same_order(second, third) <= 0
    assert same_order(first, third) <= 0


@given(a=any_value, b=any_value)
def test_what_compares_is_ordered_likewise(a, b):
    if comparison.compare("<", a, b):
        assert same_order(a, b) == -1
    if comparison.equal(a, b):
        assert same_order(a, b) == 0


@given(a=any_value, b=any_value)
def test_a_group_is_of_values_that_are_equally_ordered(a, b):
    one, other = comparison.group_key(a), comparison.group_key(b)

    assert (one == other) == (same_order(a, b) == 0)
    assert one != other or hash(one) == hash(other)


@pytest.mark.parametrize(
    ("a", "b", "one"),
    [
        (1, 1.0, True),
        (1, True, False),
        ([1], [True], False),
        (NAN, -NAN, True),
        ([NAN], [float("nan")], True),
        (None, None, True),
        (0.0, -0.0, True),
        ({"a": 1, "b": None}, {"b": None, "a": 1.0}, True),
        ("1", 1, False),
        ([], {}, False),
    ],
)
def test_distinct_takes_what_is_alike_for_one(a, b, one):
    assert (comparison.group_key(a) == comparison.group_key(b)) is one


# Arithmetic


@pytest.mark.parametrize(
    ("compute", "a", "b", "expected"),
    [
        (arithmetic.add, 1, 2, 3),
        (arithmetic.add, 1, 0.5, 1.5),
        (arithmetic.add, "a", "b", "ab"),
        (arithmetic.add, "a", 1, "a1"),
        (arithmetic.add, 1.0, "a", "1.0a"),
        (arithmetic.add, [1], [2], [1, 2]),
        (arithmetic.add, [1], 2, [1, 2]),
        (arithmetic.add, "a", [1], ["a", 1]),
        (arithmetic.add, [1], [[2]], [1, [2]]),
        (arithmetic.add, {}, [1], [{}, 1]),
        (arithmetic.add, [1], None, None),
        (arithmetic.add, None, "a", None),
        (arithmetic.subtract, 1, 2, -1),
        (arithmetic.multiply, 2, 1.5, 3.0),
        (arithmetic.divide, 7, 2, 3),
        (arithmetic.divide, -7, 2, -3),
        (arithmetic.divide, 7, -2, -3),
        (arithmetic.divide, 7, 2.0, 3.5),
        (arithmetic.divide, 1, 0.0, INF),
        (arithmetic.divide, 1, -0.0, -INF),
        (arithmetic.divide, -1.0, 0, -INF),
        (arithmetic.divide, None, 0, None),
        (arithmetic.modulo, 7, 3, 1),
        (arithmetic.modulo, -7, 3, -1),
        (arithmetic.modulo, 7, -3, 1),
        (arithmetic.modulo, -7.5, 2, -1.5),
        (arithmetic.modulo, 5, INF, 5.0),
        (arithmetic.power, 2, 3, 8.0),
        (arithmetic.power, 2, -1, 0.5),
        (arithmetic.power, 0, -1, INF),
        (arithmetic.power, -0.0, -1, -INF),
        (arithmetic.power, 10, 400, INF),
        (arithmetic.power, -10, 401, -INF),
        (arithmetic.power, None, 1, None),
    ],
)
def test_arithmetic(compute, a, b, expected):
    result = compute(a, b)

    assert (expected, type(expected)) == (result, type(result))


@pytest.mark.parametrize(
    ("compute", "a", "b"),
    [
        (arithmetic.divide, 0.0, 0),
        (arithmetic.modulo, 1.0, 0),
        (arithmetic.modulo, INF, 2),
        (arithmetic.power, -8, 1 / 3),
    ],
)
def test_what_is_no_number_is_nan(compute, a, b):
    assert math.isnan(compute(a, b))


@pytest.mark.parametrize(
    ("compute", "arguments", "detail"),
    [
        (arithmetic.add, (MAX_INTEGER, 1), "IntegerOverflow"),
        (arithmetic.subtract, (-MAX_INTEGER, 2), "IntegerOverflow"),
        (arithmetic.multiply, (MAX_INTEGER, 2), "IntegerOverflow"),
        (arithmetic.divide, (-MAX_INTEGER - 1, -1), "IntegerOverflow"),
        (arithmetic.negate, (-MAX_INTEGER - 1,), "IntegerOverflow"),
        (arithmetic.divide, (1, 0), "DivisionByZero"),
        (arithmetic.modulo, (1, 0), "DivisionByZero"),
    ],
)
def test_integers_do_not_overflow_in_silence(compute, arguments, detail):
    assert failure(compute, *arguments) == ("ArithmeticError", detail)


@pytest.mark.parametrize(
    ("compute", "a", "b"),
    [
        (arithmetic.add, 1, True),
        (arithmetic.add, "a", True),
        (arithmetic.add, {}, {}),
        (arithmetic.add, ADA, 1),
        (arithmetic.subtract, "a", "b"),
        (arithmetic.subtract, [1], [1]),
        (arithmetic.multiply, "a", 2),
        (arithmetic.divide, 1, "a"),
        (arithmetic.modulo, True, 1),
        (arithmetic.power, 1, []),
    ],
)
def test_arithmetic_of_other_kinds_fails(compute, a, b):
    assert failure(compute, a, b) == ("TypeError", "InvalidArgumentType")


OPERATIONS = [
    arithmetic.add,
    arithmetic.subtract,
    arithmetic.multiply,
    arithmetic.divide,
    arithmetic.modulo,
    arithmetic.power,
]


@pytest.mark.parametrize("compute", OPERATIONS)
@given(a=any_value, b=any_value)
def test_arithmetic_answers_or_fails_as_a_query_does(compute, a, b):
    try:
        result = compute(a, b)
    except QueryError:
        return

    assert (result is None) == (a is None or b is None)
    assert not isinstance(result, int) or -(2**63) <= result <= MAX_INTEGER


@given(a=integers, b=integers)
def test_subtraction_takes_back_addition(a, b):
    try:
        total = arithmetic.add(a, b)
    except QueryFailed:
        assert not -(2**63) <= a + b <= MAX_INTEGER
    else:
        assert arithmetic.subtract(total, b) == a


@given(a=integers, b=integers.filter(bool))
def test_division_and_remainder_belong_together(a, b):
    if (a, b) == (-(2**63), -1):
        return

    assert a == arithmetic.divide(a, b) * b + arithmetic.modulo(a, b)
    assert abs(arithmetic.modulo(a, b)) < abs(b)
    assert arithmetic.modulo(a, b) == 0 or (arithmetic.modulo(a, b) < 0) == (a < 0)


def test_what_grows_too_large_is_refused():
    with pytest.raises(QueryTooLarge):
        arithmetic.add("a" * 9_000_000, "a" * 9_000_000)
    with pytest.raises(QueryTooLarge):
        arithmetic.add([0] * 900_000, [0] * 900_000)


# Parts


@pytest.mark.parametrize(
    ("subject", "key", "expected"),
    [
        ([1, 2, 3], 0, 1),
        ([1, 2, 3], -1, 3),
        ([1, 2, 3], 3, None),
        ([1, 2, 3], -4, None),
        ([1], None, None),
        (None, 0, None),
        (None, "a", None),
        ({"a": 1}, "a", 1),
        ({"a": 1}, "A", None),
        ({"a": 1}, None, None),
    ],
)
def test_index(subject, key, expected):
    assert expected == values.index(subject, key)


@pytest.mark.parametrize(
    ("subject", "key", "detail"),
    [
        (True, 0, "InvalidArgumentType"),
        (123, 0, "InvalidArgumentType"),
        ("1", 0, "InvalidArgumentType"),
        ([1], True, "ListElementAccessByNonInteger"),
        ([1], 1.0, "ListElementAccessByNonInteger"),
        ([1], "1", "ListElementAccessByNonInteger"),
        ({"1": 1}, 1, "MapElementAccessByNonString"),
    ],
)
def test_index_of_a_wrong_kind_fails(subject, key, detail):
    assert failure(values.index, subject, key) == ("TypeError", detail)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1, 3, [2, 3]),
        (1, values.NO_END, [2, 3]),
        (0, 0, []),
        (-3, -1, [1, 2]),
        (3, 1, []),
        (-5, 5, [1, 2, 3]),
        (None, 1, None),
        (1, None, None),
    ],
)
def test_slice(start, end, expected):
    assert expected == values.slice_list([1, 2, 3], start, end)


@pytest.mark.parametrize("arguments", [("abc", 0, 1), ([1], "0", 1), ([1], 0, 1.5), ([1], True, 1)])
def test_slice_of_a_wrong_kind_fails(arguments):
    assert failure(values.slice_list, *arguments) == ("TypeError", "InvalidArgumentType")


def test_a_property_is_of_a_map_or_null():
    assert values.get_property({"a": 1}, "a") == 1
    assert values.get_property({"a": 1}, "b") is None
    assert values.get_property(None, "a") is None
    assert failure(values.get_property, 1, "a") == ("TypeError", "InvalidArgumentType")
    assert failure(values.get_property, [1], "a") == ("TypeError", "InvalidArgumentType")


# Logic

TRUTH = (True, False, None)


@pytest.mark.parametrize(("a", "b"), list(product(TRUTH, TRUTH)))
def test_logic_has_three_values(a, b):
    number = {True: 1.0, None: 0.5, False: 0.0}
    back = {result: truth for truth, result in number.items()}

    assert values.and_(a, b) is back[min(number[a], number[b])]
    assert values.or_(a, b) is back[max(number[a], number[b])]
    assert values.not_(a) is back[1 - number[a]]
    assert values.xor(a, b) is (None if a is None or b is None else a != b)
    assert values.check_condition(a) is a


@pytest.mark.parametrize("other", [1, 0, "true", [], {}, 1.0, ADA])
@pytest.mark.parametrize("known", TRUTH)
def test_logic_of_other_kinds_fails(known, other):
    for compute in (values.and_, values.or_, values.xor):
        assert failure(compute, known, other) == ("TypeError", "InvalidArgumentType")
        assert failure(compute, other, known) == ("TypeError", "InvalidArgumentType")
    assert failure(values.not_, other) == ("TypeError", "InvalidArgumentType")
    assert failure(values.check_condition, other) == ("TypeError", "InvalidArgumentType")


# Temporal values


def test_durations_are_added_and_multiplied():
    date, hour, day = TEMPORAL[4], TEMPORAL[10], TEMPORAL[11]

    assert str(arithmetic.add(date, day)) == "1910-05-07"
    assert str(arithmetic.add(day, date)) == "1910-05-07"
    assert str(arithmetic.subtract(date, day)) == "1910-05-05"
    assert str(arithmetic.add(hour, day)) == "P1DT1H"
    assert str(arithmetic.multiply(hour, 2)) == str(arithmetic.multiply(2, hour)) == "PT2H"
    assert str(arithmetic.divide(hour, 2)) == "PT30M"
    assert arithmetic.add(date, None) is None
    assert failure(arithmetic.add, date, date)[0] == "TypeError"
    assert failure(arithmetic.multiply, date, 2)[0] == "TypeError"
    assert failure(arithmetic.negate, date) == ("TypeError", "InvalidArgumentType")
    assert values.get_property(date, "year") == 1910


def test_a_query_without_temporal_values_does_not_load_them():
    asked = """
import sys
from keepgraph.cypher import arithmetic, comparison, functions, values
row = [None, True, 1, 1.5, "a", [1], {"a": 1}, values.Node(1)]
for a in row:
    comparison.sort_key(a), comparison.group_key(a), values.describe(a)
    for b in row:
        comparison.equal(a, b), comparison.compare("<", a, b)
functions.find("toInteger").run("1")
assert "keepgraph.temporal.operations" not in sys.modules
"""

    subprocess.run([sys.executable, "-c", asked], check=True)


# Kinds and words


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (None, value_types.NULL, "null"),
        (True, value_types.BOOLEAN, "a boolean (true)"),
        (1, value_types.INTEGER, "an integer (1)"),
        (1.5, value_types.FLOAT, "a float (1.5)"),
        ("a", value_types.STRING, "a string ('a')"),
        ("a" * 100, value_types.STRING, f"a string ('{'a' * 28}…)"),
        ([], value_types.LIST, "a list"),
        ({}, value_types.MAP, "a map"),
        (ADA, value_types.NODE, "a node"),
        (KNOWS, value_types.RELATIONSHIP, "a relationship"),
        (Path((ADA,), ()), value_types.PATH, "a path"),
    ],
)
def test_a_value_has_a_kind(value, kind, words):
    assert kind == values.kind_of(value)
    assert words == values.describe(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, "1"), (1.0, "1.0"), (True, "true"), (1e300, "1.0E300"), (1.5e-9, "1.5E-9"), (INF, "Infinity"), (NAN, "NaN")],
)
def test_numbers_are_written_as_in_other_databases(value, expected):
    assert expected == values.to_string(value)
