"""The kept counts of entities and facts are what counting would give, whatever was called before."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

import keepgraph
import random_calls
from keepgraph.store import cardinalities, graph_statistics
from keepgraph.tools.contract import catalogue
from laws import examples
from words import Caller, Clock, literal, person, rows

COUNTED_FACTS = """
    SELECT s.group_id, fact.predicate, s.type, coalesce(o.type, 0), count(*), sum(fact.valid_to = '~')
    FROM fact JOIN entity AS s ON s.id = fact.subject LEFT JOIN entity AS o ON o.id = fact.object
    WHERE fact.retracted_at IS NULL
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""
COUNTED_ENTITIES = "SELECT group_id, type, count(*) FROM entity GROUP BY group_id, type ORDER BY 1, 2"

COUNTED_PATTERNS = """
    SELECT fact.predicate, s.type, o.type, count(*)
    FROM {facts} JOIN entity AS s ON s.id = fact.subject LEFT JOIN entity AS o ON o.id = fact.object
    WHERE fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to AND s.group_id = :group
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


@examples(8, sweep=300)
@given(calls=random_calls.sequences)
def test_kept_counts_are_those_of_the_rows(calls, new_file):
    clock = Clock()
    with keepgraph.open(new_file(), clock=clock, zone=ZoneInfo("Europe/Zurich")) as graph:
        for each in calls:
            clock.pass_by(minutes=1)
            random_calls.make(Caller(graph), each)

        path = graph.path
        assert rows(path, COUNTED_FACTS) == rows(path, "SELECT * FROM fact_count WHERE facts <> 0")
        assert rows(path, COUNTED_ENTITIES) == rows(path, "SELECT * FROM entity_count WHERE entities <> 0")
        with graph.database.read("test") as tx:
            for known_at in (None, "2026-05-15T10:01:00Z", "2026-05-15T10:03:00Z", "2026-05-15T10:30:00Z"):
                for as_of in ("2019-01-01", "2026-04-01", "2026-05-15T10:20:00Z", "2031-01-01"):
                    then = catalogue.to(tx, as_of=as_of, known_at=known_at)
                    assert _counted(then) == graph_statistics.count_patterns(then), (known_at, as_of)


def _at(tx):
    return tx.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{tx.now.microsecond // 1000:03d}Z"


def _counted(tx):
    query = COUNTED_PATTERNS.format(facts=graph_statistics.facts.table_as_known(tx))
    found = tx.conn.execute(query, {"at": _at(tx), "group": tx.group, "known": tx.known_at}).fetchall()
    return [tuple(row) for row in found]


@pytest.mark.parametrize("group", ["default", "other"])
def test_counts_are_of_a_group(group, open_graph):
    """
    Facts are counted in the group of their subject.
    """
    for name, count in (("default", 1), ("other", 2)):
        with open_graph(group=name) as graph:
            for number in range(count):
                Caller(graph).record(person(f"P{name}{number}"), "tagged", literal("iron"))

            with graph.database.read("test") as tx:
                facts = sum(each.facts for each in cardinalities.facts_by_ends(tx, group=name))
                entities = sum(cardinalities.entities_by_type(tx, group=name).values())

                assert (count, count) == (facts, entities)


def test_what_is_cleared_is_not_counted(call):
    call.record(person("Ada Lovelace"), "tagged", literal("iron"))
    call("clear_graph", confirm=True)
    with call.graph.database.read("test") as tx:
        counted = cardinalities.facts_by_ends(tx), cardinalities.facts_by_predicate(tx)

    assert counted == ([], {})
