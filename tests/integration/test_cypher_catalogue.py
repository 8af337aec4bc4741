"""SQL answers as Python alone does over the tables of a real graph: groups, literals, aliases, the past, bags."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypher_agreement import agree
from graph_tables import STAMPS, Tables
from keepgraph.cypher import compiler
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.engine.query import bounds, graph_catalogue, query_pipeline
from keepgraph.tools.contract import catalogue
from random_cypher import PropertyGraph, Query, graphs
from random_cypher import queries as random_queries

CHANCES = st.randoms(use_true_random=False)


QUERIES = st.one_of(random_queries(), random_queries(times=True))


@settings(max_examples=40)
@given(graph=graphs(literals=True), query=QUERIES, chance=CHANCES)
def test_sql_answers_as_python_over_the_tables_of_a_graph(
    tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random
) -> None:
    agree(tables, graph, query, chance)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=2_000)
@given(graph=graphs(literals=True), query=QUERIES, chance=CHANCES)
def test_sql_answers_as_python_over_the_tables_of_a_graph_time_and_again(
    tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random
) -> None:
    agree(tables, graph, query, chance)


# Ranges and orders of time, which an index serves

RANGES: dict[str, Callable[[dict[str, str | None]], bool]] = {
    "true": lambda fact: True,
    "r.recorded_at > '2020-06-01'": lambda fact: _holds(fact, "recorded_at", operator.gt, "2020-06-01"),
    "'2020-01-01T00:00:00.000Z' >= r.recorded_at": lambda fact: _holds(fact, "recorded_at", operator.le, STAMPS[0]),
    "r.recorded_at >= date('2020-01-01') AND r.recorded_at < date('2021-01-01')": lambda fact: _holds(
        fact, "recorded_at", operator.lt, STAMPS[1]
    ),
    "r.recorded_at < datetime('2021-02-01T00:00:00Z') - duration('P10D')": lambda fact: True,
    "r.valid_from >= '2020-06-01'": lambda fact: _holds(fact, "valid_from", operator.ge, "2020-06-01"),
    "r.valid_from < '2021-01-01'": lambda fact: _holds(fact, "valid_from", operator.lt, "2021-01-01"),
    "r.valid_to <= '2022-01-01T00:00:00.000Z'": lambda fact: _holds(fact, "valid_to", operator.le, STAMPS[2]),
    "r.valid_to > '2021-01-01'": lambda fact: _holds(fact, "valid_to", operator.gt, "2021-01-01"),
    "NOT r.valid_to > '2021-01-01'": lambda fact: _holds(fact, "valid_to", operator.le, "2021-01-01"),
    "r.valid_from < null": lambda fact: False,
}
ORDERS: dict[str, Callable[[list[list[str]]], list[list[str]]]] = {
    "": sorted,
    "ORDER BY r.recorded_at DESC, r.id": lambda rows: sorted(sorted(rows), key=lambda row: row[1], reverse=True),
    "ORDER BY r.recorded_at, r.id LIMIT 3": lambda rows: sorted(sorted(rows), key=lambda row: row[1])[:3],
    "ORDER BY at DESC, fact SKIP 1 LIMIT 2": lambda rows: sorted(sorted(rows), key=lambda row: row[1], reverse=True)[
        1:3
    ],
}
PATTERNS: dict[str, Callable[[dict[str, Any]], int]] = {
    "(a)-[r]-(b)": lambda fact: 1 if fact["is_loop"] else 2,
    "(a)-[r:R]-(b:A)": lambda fact: (fact["predicate"] == "r") * _ends_of(fact, "ab"),
    "(a:Literal)-[r]-(b)": lambda fact: fact["literal"] is not None,
    "(a)-[r]-({value: 'x'})": lambda fact: fact["literal"] == "x",
    "(a)-[r]->(b)": lambda fact: True,
    "(a:A)-[r:R]->(b)": lambda fact: fact["type"] in "ab" and fact["predicate"] == "r",
    "(b)-[r:T]->(a)": lambda fact: fact["predicate"] == "r",
    "(a)-[r]->(b:Literal)": lambda fact: fact["literal"] is not None,
    "(a)-[r:R]->({value: 'x'})": lambda fact: fact["predicate"] == "r" and fact["literal"] == "x",
}


def _ends_of(fact: dict[str, Any], types: str) -> int:
    """How many ends of a fact are entities of these types, as one end of a pattern without a direction."""
    ends = [fact["type"]] if fact["is_loop"] else [fact["type"], fact["object_type"]]
    return sum(end is not None and end in types for end in ends)


def _holds(fact: dict[str, str | None], key: str, compare: Callable[[str, str], bool], other: str) -> bool:
    value = fact[key]
    return value is not None and compare(value, other)


@pytest.mark.parametrize("view", [{}, {"as_of": "2021-06-01T00:00:00Z"}], ids=["now", "as of"])
def test_ranges_and_orders_of_time_give_what_a_look_at_every_fact_gives(tables: Tables, view: dict[str, str]) -> None:
    """By SQL, by Python alone, and by a look at every fact: literals, ended facts, subtypes and inverse words."""
    chance = random.Random(7)
    nodes = [(key, [chance.choice("ABC")], {}) for key in range(1, 9)]
    targets = [*range(1, 9), "x", "y"]
    facts = [(key, chance.choice("RS"), chance.randint(1, 8), chance.choice(targets), {}) for key in range(1, 60)]
    tables.load(PropertyGraph(nodes, facts), chance, crowded=False)
    with tables.graph.database.read("run_cypher") as tx:
        tx = catalogue.to(tx, as_of=view.get("as_of"), known_at=None)
        every = facts_that_hold(tx)
        wrong = []
        for pattern, fits in PATTERNS.items():
            for condition, within in RANGES.items():
                matching = [[f["id"], f["recorded_at"]] for f in every if within(f) for _ in range(fits(f))]
                for order, arranged in ORDERS.items():
                    if "SKIP" not in order and order and "T]" in pattern:
                        continue
                    text = f"MATCH {pattern} WHERE {condition} RETURN r.id AS fact, r.recorded_at AS at {order}"
                    by_sql, target, by_python = both_ways(tx, text)
                    expected = arranged(matching)
                    if not order:
                        by_sql, by_python = sorted(by_sql), sorted(by_python)
                    if not expected == by_sql == by_python or target != "sql":
                        wrong.append((text, target, len(expected), len(by_sql), len(by_python)))

    assert wrong == []
    assert len(every) > 15


@pytest.mark.parametrize("pattern", ["(a)-[r]-(b)", "(a:A)-[r:R]-(b)", "(a)-[r]-(b)-[:S]->(c)", "(a)-[r]-(b)-[q]-(c)"])
def test_without_a_direction_each_end_is_at_either_side(tables: Tables, pattern: str) -> None:
    chance = random.Random(8)
    nodes = [(key, [chance.choice("ABC")], {"name": f"n{key}"}) for key in range(1, 7)]
    targets = [*range(1, 7), "x"]
    facts = [(key, chance.choice("RS"), chance.randint(1, 6), chance.choice(targets), {}) for key in range(1, 40)]
    tables.load(PropertyGraph(nodes, facts), chance, crowded=False)
    ends = ["id(r)", "id(a)", "id(b)"] + ["id(c)"] * ("(c)" in pattern) + ["id(q)"] * ("[q]" in pattern)
    with tables.graph.database.read("run_cypher") as tx:
        for condition in RANGES:
            text = f"MATCH {pattern} WHERE {condition} RETURN {', '.join(ends)}"
            by_sql, _, by_python = both_ways(tx, text)

            assert sorted(map(str, by_sql)) == sorted(map(str, by_python)), text


def test_an_entity_with_a_value_is_found_beside_literals_as_soon_as_there_is_one(tables: Tables) -> None:
    """Where no entity has a property `value`, only literals are looked at; the very next question may be another."""
    facts = [(1, "R", 1, "x", {}), (2, "R", 1, 2, {}), (3, "S", 2, "y", {})]
    asked = "MATCH (a)-[r]->(n {value: 'x'}) RETURN r.id AS fact ORDER BY fact"
    counted = "MATCH (n) WHERE n.value IN ['x', 'y'] RETURN count(n) AS n"
    rows = []
    for bag in ({}, {"value": "x"}, {"value": None}, {"value": 1}):
        tables.load(PropertyGraph([(1, ["A"], {}), (2, ["B"], bag)], facts), random.Random(1), crowded=False)
        tables.conn.execute("UPDATE fact SET retracted_at = NULL, valid_from = '', valid_to = '~'")
        with tables.graph.database.read("run_cypher") as tx:
            by_sql, _, by_python = both_ways(tx, asked)
            rows.append((len(by_sql), len(by_python), *both_ways(tx, counted)[0][0]))

    assert rows == [(1, 1, 2), (2, 2, 3), (1, 1, 2), (1, 1, 2)]


def facts_that_hold(tx: Any) -> list[dict[str, Any]]:
    """The facts that hold at the instant of a call, by a look at every row."""
    at = tx.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    rows = tx.conn.execute(
        """
        SELECT fact.public_id, predicate.name, entity_type.name, literal, recorded_at, valid_from, valid_to,
               retracted_at, subject IS object,
               (SELECT entity_type.name FROM entity JOIN entity_type ON entity_type.id = type WHERE entity.id = object)
        FROM fact JOIN entity ON entity.id = subject JOIN entity_type ON entity_type.id = entity.type
        JOIN predicate ON predicate.id = fact.predicate
        """
    ).fetchall()
    names = ("id", "predicate", "type", "literal", "recorded_at")
    return [
        {
            **dict(zip(names, row, strict=False)),
            "valid_from": row[5] or None,
            "valid_to": row[6] if row[6] != "~" else None,
            "is_loop": bool(row[8]),
            "object_type": row[9],
        }
        for row in rows
        if row[7] is None and row[5] <= at < row[6]
    ]


def both_ways(tx: Any, text: str) -> tuple[list[list[Any]], str, list[list[Any]]]:
    """The rows as a query runs, what ran it, and the rows by Python alone."""
    statements, names = graph_catalogue.statement_cache(tx), graph_catalogue.condition_values(tx)
    execute = query_pipeline.executor(tx, bounds.Bounds(tx, 30))
    compiled = compiler.compile_text(text, statements.catalogue, {})
    seen = TableGraph(statements, execute, names, lambda: graph_catalogue.cache(tx))
    rows, target = compiler.run(compiled, seen, execute, {}, names, now=tx.now, count_work=lambda _: None)
    meant = list(compiled.interpreted_rows(Run(seen, {}, tx.now, lambda _: None)))
    return [list(row) for row in rows], target, [list(row) for row in meant]
