"""Join cost: with which relationship or node the first pattern of a query begins, by what each start would cost."""

from __future__ import annotations

import pytest

from keepgraph.cypher import binder
from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import Match, Plan
from keepgraph.cypher.plan.join_order import Estimates, Expand, NodeScan, OrderedScan, Step, cheapest_order
from keepgraph.cypher.syntax import parser

LABEL_COUNTS = {"Few": 10.0, "Some": 1_000.0, "Many": 100_000.0}
TYPE_COUNTS = {"RARE": 20.0, "OFTEN": 500_000.0}


def names(expression: object) -> list[str]:
    """The name of a label or a type; none of any other expression."""
    name = getattr(expression, "name", None)
    return [name] if isinstance(name, str) else []


def estimates(*, selectivity: float) -> Estimates:
    return Estimates(
        node_count=lambda labels: min([LABEL_COUNTS[n] for label in labels for n in names(label)], default=200_000.0),
        edge_count=lambda types: min([TYPE_COUNTS[n] for n in names(types)], default=1_000_000.0),
        selectivity=lambda key: selectivity,
    )


def last_match(text: str) -> Match:
    plan: Plan = planner.build_plan(binder.bind(parser.parse(text), {}))
    while not isinstance(plan, Match):
        plan = plan.input  # type: ignore[union-attr]
    return plan


def described(step: Step) -> str:
    if isinstance(step, NodeScan):
        return f"scan {step.node.column}"
    if isinstance(step, Expand):
        return f"{step.source} {step.direction} -{step.edge.column}- {step.target}"
    return f"scan -{step.edge.column}" + (f" by {step.order_key}-" if step.order_key else "-")


def order(
    text: str, *, selectivity: float = 1e-6, uncovered: frozenset[str] = frozenset(), **wanted: object
) -> list[str]:
    """The steps, where the relationship r may be read by its index over `at`; `-r by at-` where it is."""
    match = last_match(f"MATCH {text} RETURN 1 AS one")
    edge = next((edge for edge in match.edges if edge.column == "r"), None)
    scans = (
        []
        if edge is None or not wanted.keys() & {"share", "limit"}
        else [
            OrderedScan(edge, "at", wanted.get("share", 1.0), wanted.get("limit", 0.0))  # type: ignore[arg-type]
        ]
    )
    steps = cheapest_order(
        match,
        estimates(selectivity=selectivity),
        ordered_scans=scans,
        uncovered=uncovered,
        grouped_by=wanted.get("grouped_by"),  # type: ignore[arg-type]
    )
    return [described(step) for step in steps]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        # where nothing is asked of the ends, relationships are swept
        ("()-[r]->()", ["scan -r-"]),
        ("(a)-[r:OFTEN]->(b)", ["scan -r-"]),
        ("(a:Many)-[r:RARE]->(b:Many)", ["scan -r-"]),
        # a few nodes, or a known value, are where a pattern begins
        ("(a:Few)-[r:OFTEN]->(b)", ["scan a", "a out -r- b"]),
        ("(a)-[r]->(b {name: 'x'})", ["scan b", "b in -r- a"]),
        # a relationship in either direction is not one row of the table
        ("(a:Few)-[r]-(b)", ["scan a", "a both -r- b"]),
        # of two relationships the rarer
        ("(a)-[s:OFTEN]->(b)-[r:RARE]->(c)", ["scan -r-", "b in -s- a"]),
    ],
)
def test_a_pattern_begins_where_it_is_expected_to_cost_least(pattern, expected):
    assert order(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "share", "expected"),
    [
        ("(a)-[r]->(b)", 0.001, ["scan -r by at-"]),
        ("(a:Many)-[r:OFTEN]->(b:Many)", 0.001, ["scan -r by at-"]),
        # a range that holds for nearly all costs more than to read them in sequence
        ("(a)-[r]->(b)", 0.9, ["scan -r-"]),
        # a known node has fewer relationships than a day
        ("(a {name: 'x'})-[r]->(b)", 0.001, ["scan a", "a out -r- b"]),
        ("(a:Few)-[s:OFTEN]->(b)-[r:OFTEN]->(c)", 0.0001, ["scan -r by at-", "b in -s- a"]),
    ],
)
def test_a_range_is_read_by_its_index_where_it_leaves_few(pattern, share, expected):
    assert order(pattern, share=share) == expected


@pytest.mark.parametrize(
    ("pattern", "limit", "expected"),
    [
        ("(a)-[r]->(b)", 10.0, ["scan -r by at-"]),
        ("(a:Many)-[r:OFTEN]->(b:Many)", 10.0, ["scan -r by at-"]),
        ("(a)-[r]->(b)", None, ["scan -r by at-"]),
        # to find ten of something rare in the order of time, everything would be read
        ("(a)-[r:RARE]->(b)", 10.0, ["scan -r-"]),
        ("(a {name: 'x'})-[r]->(b)", 10.0, ["scan a", "a out -r- b"]),
        ("(a:Few)-[r:RARE]->(b)", 10.0, ["scan -r-"]),
        # so it might be where nothing is known of a condition
        ("(a:Some)-[r:OFTEN]->(b:Few) WHERE a.x <> b.x", 10.0, ["scan b", "b in -r- a"]),
    ],
)
def test_an_order_with_a_limit_is_read_by_its_index_where_rows_are_soon_enough(pattern, limit, expected):
    assert order(pattern, limit=limit, uncovered=frozenset("r")) == expected


def test_rows_that_are_grouped_by_a_node_begin_there_where_that_costs_less_than_to_group_them():
    assert order("(a:Some)-[r:OFTEN]->(b)", grouped_by="a") == ["scan a", "a out -r- b"]
    assert order("(a)-[r:OFTEN]->(b)", grouped_by="a") == ["scan -r-"]


def test_a_pattern_behind_another_begins_with_what_is_bound():
    match = last_match("MATCH (a:Many) MATCH (a)-[r:RARE]->(b) RETURN b")
    scan = OrderedScan(match.edges[0], "at", 0.001)

    assert [described(step) for step in cheapest_order(match, estimates(selectivity=1e-6), ordered_scans=[scan])] == [
        "a out -r- b"
    ]
