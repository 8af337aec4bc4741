"""Join order: which node or relationship of a pattern is matched first, and in which direction the others follow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from keepgraph.cypher import binder
from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import Match, Plan
from keepgraph.cypher.plan.join_order import (
    EdgeScan,
    Estimates,
    Expand,
    NodeScan,
    Step,
    choose_join_order,
    equalities,
)
from keepgraph.cypher.syntax import ast, parser

LABEL_COUNTS = {"Few": 10.0, "Some": 1_000.0, "Many": 100_000.0}
TYPE_COUNTS = {"RARE": 20.0, "OFTEN": 500_000.0}


def names(expression: object) -> list[str]:
    """The names of labels or types in a label expression."""
    found = getattr(expression, "name", None)
    return [found] if isinstance(found, str) else []


def estimates(*, selectivity: float = 0.01) -> Estimates:
    return Estimates(
        node_count=lambda labels: min([LABEL_COUNTS[n] for label in labels for n in names(label)], default=1_000_000.0),
        edge_count=lambda types: min([TYPE_COUNTS[n] for n in names(types)], default=1_000_000.0),
        selectivity=lambda key: selectivity,
    )


def matches(plan: Plan) -> Iterator[Match]:
    """The matches of a plan, the last clause first."""
    if isinstance(plan, Match):
        yield plan
    if hasattr(plan, "input"):
        yield from matches(plan.input)


def last_match(text: str) -> Match:
    return next(matches(planner.build_plan(binder.bind(parser.parse(text), {}))))


def described(step: Step) -> str:
    if isinstance(step, NodeScan):
        return f"scan {step.node.column}"
    if isinstance(step, EdgeScan):
        return f"scan -{step.edge.column}-"
    check = " bound" if step.target_bound else ""
    return f"{step.source} {step.direction} -{step.edge.column}- {step.target}{check}"


def order(text: str, *, selectivity: float = 0.01, **options: object) -> list[str]:
    steps = choose_join_order(last_match(text), estimates(selectivity=selectivity), **options)  # type: ignore[arg-type]
    return [described(step) for step in steps]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        # the end with fewer rows is scanned, wherever it is written
        ("(a:Few)-[r:OFTEN]->(b:Many)", ["scan a", "a out -r- b"]),
        ("(a:Many)-[r:OFTEN]->(b:Few)", ["scan b", "b in -r- a"]),
        ("(a:Many)<-[r:OFTEN]-(b:Few)", ["scan b", "b out -r- a"]),
        ("(a:Many)-[r:OFTEN]-(b:Few)", ["scan b", "b both -r- a"]),
        # a known value makes rows fewer
        ("(a:Some)-[r:OFTEN]->(b:Some {name: 'x'})", ["scan b", "b in -r- a"]),
        ("(a:Some {name: 'x'})-[r:OFTEN]->(b:Some)", ["scan a", "a out -r- b"]),
        # a chain goes outwards from its start
        ("(a:Many)-[r:OFTEN]->(b:Few)-[s:OFTEN]->(c:Some)", ["scan b", "b out -s- c", "b in -r- a"]),
        ("(a:Many)-[r:OFTEN]->(b:Some)-[s:OFTEN]->(c:Few)", ["scan c", "c in -s- b", "b in -r- a"]),
        # a relationship between bound nodes comes before a new node
        (
            "(a:Few)-[r:OFTEN]->(b:Some)-[s:OFTEN]->(c:Many), (a)-[t:OFTEN]->(b)",
            ["scan a", "a out -r- b", "a out -t- b bound", "b out -s- c"],
        ),
        # of two relationships between bound nodes, the single one
        (
            "(a:Few)-[r:OFTEN]->(b:Some), (a)-[s:OFTEN*1..2]->(b), (a)-[t:OFTEN]->(b)",
            ["scan a", "a out -r- b", "a out -t- b bound", "a out -s- b bound"],
        ),
        # single relationships before paths of variable length
        ("(a:Few)-[r:OFTEN*1..3]->(b:Few), (a)-[s:OFTEN]->(c:Many)", ["scan a", "a out -s- c", "a out -r- b"]),
        # a loop
        ("(a:Few)-[r:OFTEN]->(a)", ["scan a", "a out -r- a bound"]),
        # nodes without a relationship
        ("(a:Many), (b:Few)", ["scan a", "scan b"]),
    ],
)
def test_the_fewest_expected_rows_come_first(pattern, expected):
    assert order(f"MATCH {pattern} RETURN 1 AS one") == expected


def test_a_node_of_an_earlier_clause_is_where_the_next_begins():
    assert order("MATCH (a:Many) MATCH (a)-[r:OFTEN]->(b:Few) RETURN b") == ["a out -r- b"]
    assert order("MATCH (b:Many) MATCH (a:Few)-[r:OFTEN]->(b) RETURN a") == ["b in -r- a"]


def test_a_relationship_of_an_earlier_clause_gives_its_ends():
    assert order("MATCH ()-[r:OFTEN]->() WITH r MATCH (a)-[r]->(b) RETURN a, b") == ["scan -r-"]


def test_a_shortest_path_is_searched_when_both_its_ends_are_bound():
    assert order("MATCH p = shortestPath((a:Few)-[r:OFTEN*]->(b:Many)) RETURN p") == [
        "scan a",
        "scan b",
        "a out -r- b bound",
    ]


def test_other_relationships_are_followed_before_a_shortest_path_is_searched():
    assert order("MATCH p = shortestPath((a:Few)-[r:OFTEN*]->(b:Many)), (a)-[s:OFTEN]->(c:Some) RETURN p, c") == [
        "scan a",
        "a out -s- c",
        "scan b",
        "a out -r- b bound",
    ]


def test_relationships_are_scanned_at_the_start_of_a_pattern_only():
    query = (
        "MATCH (a:Many) MATCH p = shortestPath((a)-[r:OFTEN*]->(b:Many)), (c:Some)-[s:RARE]->(d:Some) RETURN p, c, d"
    )

    assert order(query, allow_edge_scans=True) == ["scan c", "c out -s- d", "scan b", "a out -r- b bound"]


NAMED = [
    (
        "(a:Some {name: 'x'})-[r]-(b)-[s]-(c:Some {name: 'y'})",
        ["scan a", "scan c", "a both -r- b", "b both -s- c bound"],
    ),
    ("(a:Some {name: 'x'})-[r]-(b:Some {name: 'y'})", ["scan a", "scan b", "a both -r- b bound"]),
    ("(a:Some {name: 'x'})-[r]->(b)-[s]->(c:Many {name: 'y'})", ["scan a", "a out -r- b", "b out -s- c"]),
]


@pytest.mark.parametrize(("pattern", "expected"), NAMED)
def test_all_nodes_that_are_named_are_looked_up_first(pattern, expected):
    assert order(f"MATCH {pattern} RETURN r", selectivity=0.001) == expected


def test_a_node_is_not_looked_up_by_a_name_for_each_relationship():
    match = last_match("MATCH (a:Some)-[r:RARE]->(b)-[s]->(c:Some {name: 'y'}) RETURN a")
    steps = choose_join_order(match, estimates(selectivity=0.001), start=EdgeScan(match.edges[0]))

    assert list(map(described, steps)) == ["scan -r-", "b out -s- c"]


def test_a_value_that_is_not_known_yet_makes_no_rows_fewer():
    query = "MATCH (a:Some)-[r:OFTEN]->(b:Few) WHERE a.name = b.name + 'x' RETURN a"

    assert order(query, selectivity=0.001) == ["scan b", "b in -r- a"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(a:Some)-[r:RARE]->(b:Some)", ["scan -r-"]),
        # 20 relationships are not fewer than 4 times 2 nodes by a known value, and a value is looked up by its index
        ("(a:Some {name: 'x'})-[r:RARE]->(b:Some)", ["scan a", "a out -r- b"]),
        ("(a:Few)-[r:OFTEN]->(b:Some)", ["scan a", "a out -r- b"]),
        # only a single directed relationship between two nodes is one row of the table
        ("(a:Some)-[r:RARE]-(b:Some)", ["scan a", "a both -r- b"]),
        ("(a:Some)-[r:RARE*1..2]->(b:Some)", ["scan a", "a out -r- b"]),
        ("(a:Some)-[r:RARE]->(a)", ["scan a", "a out -r- a bound"]),
        # of two, the rarer one
        ("(a:Some)-[r:OFTEN]->(b:Some)-[s:RARE]->(c:Some)", ["scan -s-", "b in -r- a"]),
    ],
)
def test_relationships_are_scanned_only_where_that_gives_fewer_rows(pattern, expected):
    assert order(f"MATCH {pattern} RETURN 1 AS one", allow_edge_scans=True) == expected


@pytest.mark.parametrize(("nodes", "scans_edge"), [(5.01, True), (5.0, False)])
def test_a_relationship_scan_must_give_less_than_four_times_the_rows_of_the_node_scan(nodes, scans_edge):
    match = last_match("MATCH (a)-[r:RARE]->(b) RETURN 1 AS one")
    by_count = Estimates(node_count=lambda labels: nodes, edge_count=lambda types: 20.0)
    [first, *_] = choose_join_order(match, by_count, allow_edge_scans=True)

    assert isinstance(first, EdgeScan) is scans_edge


def test_relationships_are_not_scanned_unless_that_is_allowed():
    assert order("MATCH (a:Some)-[r:RARE]->(b:Some) RETURN 1 AS one") == ["scan a", "a out -r- b"]


def test_a_given_start_is_scanned_first_whatever_the_estimates_say():
    assert order("MATCH (a:Many)-[r:OFTEN]->(b:Few) RETURN 1 AS one", start="a") == ["scan a", "a out -r- b"]


def test_a_value_counts_only_when_what_it_uses_is_bound():
    [first, second] = choose_join_order(
        last_match("MATCH (a:Many), (b:Few) WHERE a.name = b.name RETURN 1 AS one"), estimates()
    )

    assert isinstance(first, NodeScan)
    assert isinstance(second, NodeScan)
    assert first.equalities == ()
    assert [key for key, _ in second.equalities] == ["name"]


def test_every_relationship_is_matched_once_and_every_node_bound():
    match = last_match(
        "MATCH (a:Some)-[r:OFTEN]->(b:Many)-[s:RARE]->(c:Few)-[t:OFTEN]->(a), (d:Some)-[u:OFTEN*1..2]-(b) "
        "RETURN 1 AS one"
    )
    steps = choose_join_order(match, estimates(), allow_edge_scans=True)
    bound: set[str] = set()
    for step in steps:
        if isinstance(step, Expand):
            assert step.source in bound
            assert step.target_bound == (step.target in bound)
            bound |= {step.source, step.target}
        elif isinstance(step, EdgeScan):
            bound |= {step.edge.start, step.edge.end}
        else:
            bound.add(step.node.column)
    edges = [step.edge.column for step in steps if not isinstance(step, NodeScan)]

    assert sorted(edges) == ["r", "s", "t", "u"]
    assert bound == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a.name = 'x'", ["name"]),
        ("'x' = a.name", ["name"]),
        ("a.name = b.name", ["name"]),
        ("a.name = a.other", []),
        ("a.name <> 'x'", []),
        ("a.name > 'x'", []),
        ("b.name = 'x'", []),
        ("a.name = 'x' OR a.name = 'y'", []),
        ("size(a.name) = 3", []),
    ],
)
def test_an_equality_gives_a_property_a_value_that_does_not_use_the_node(condition, expected):
    match = last_match(f"MATCH (a), (b) WHERE {condition} RETURN 1 AS one")

    assert match.conditions
    assert [key for key, _ in equalities(match.conditions, "a")] == expected
    assert all(isinstance(value, ast.Expression) for _, value in equalities(match.conditions, "a"))
