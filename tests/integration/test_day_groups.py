"""Groups by the day, the month or the year of a timestamp are those that Python makes of the rows."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cypher import compiler
from keepgraph.engine.query import graph_catalogue
from laws import examples
from words import Caller, Clock, concept, counted, person

KEYS = [
    "date(r.{0})",
    "date.truncate('month', r.{0})",
    "date.truncate('week', r.{0})",
    "datetime.truncate('quarter', r.{0})",
    "localdatetime.truncate('day', r.{0})",
    "date.truncate('year', r.{0}).year",
    "date(r.{0}).week",
    "date(r.{0}).dayOfWeek",
    "datetime(r.{0}).ordinalDay + date(r.{0}).year",
    "date({{year: r.{0}.year, month: r.{0}.month, day: 1}})",
    "toString(date(r.{0}))",
    "date(r.{0}) = date('2026-01-01')",
    "coalesce(date(r.{0}), date('1999-01-01'))",
    "CASE WHEN date(r.{0}).month < 7 THEN 'first' ELSE substring(r.{0}, 0, 4) END",
    # Not of the day alone, and so not divided.
    "datetime(r.{0})",
    "datetime.truncate('hour', r.{0})",
    "[date(r.{0}), substring(r.{0}, 0, 13)]",
    "date(r.recorded_at) = date(r.{0})",
]
INSTANTS = st.one_of(
    st.sampled_from([datetime(2025, 12, 31, 23, 59, 59, 999_000), datetime(2026, 1, 1), datetime(2024, 2, 29, 12)]),
    st.datetimes(datetime(1990, 1, 1), datetime(2026, 12, 31)),
)


@examples(10, sweep=200)
@given(
    recorded=st.lists(st.tuples(INSTANTS, st.none() | INSTANTS), min_size=1, max_size=8),
    key=st.sampled_from(KEYS),
    property_name=st.sampled_from(["recorded_at", "valid_from"]),
)
def test_groups_are_those_of_the_rows(recorded: list[Any], key: str, property_name: str) -> None:
    clock = Clock(datetime(2027, 1, 1, tzinfo=UTC))
    with (
        tempfile.TemporaryDirectory() as folder,
        keepgraph.open(Path(folder) / "graph.db", clock=clock, new_id=counted()) as graph,
    ):
        call = Caller(graph)
        for number, (instant, since) in enumerate(sorted(recorded, key=lambda one: one[0])):
            clock.now = instant.replace(tzinfo=UTC)
            began = {} if since is None else {"valid_from": since.replace(tzinfo=UTC).isoformat()}
            call.record(person(f"P{number}"), "depends_on", concept("Soil"), **began)
        clock.now = datetime(2027, 1, 1, tzinfo=UTC) + timedelta(days=1)
        written = key.format(property_name)
        rows = call("run_cypher", query=f"MATCH (a)-[r]->(b) RETURN a.name AS name, {written} AS key")
        groups = call(
            "run_cypher",
            query=f"MATCH (a)-[r]->(b) RETURN {written} AS key, b.name, count(*), count(r.valid_from), min(a.name)",
        )

    expected = Counter(str(row[1]) for row in as_rows(rows))
    assert {str(row[0]): row[2] for row in as_rows(groups)} == expected
    assert {row[1] for row in as_rows(groups)} == {"Soil"}
    least = {str(row[0]): row[4] for row in as_rows(groups)}
    assert least == {key: min(row[0] for row in as_rows(rows) if str(row[1]) == key) for key in expected}


def as_rows(answer: dict[str, Any]) -> list[list[Any]]:
    assert "error" not in answer, answer
    return answer["rows"] if answer["type"] == "tabular" else [[answer["result"]]]


@pytest.mark.parametrize(
    ("query", "is_divided"),
    [
        ("MATCH (n) RETURN date(n.created_at), count(*)", True),
        ("MATCH (n) WITH n, date.truncate('month', n.created_at) AS m RETURN m, count(n) ORDER BY m", True),
        ("MATCH ()-[r]->() RETURN date(r.recorded_at), date(r.valid_from), max(r.confidence)", True),
        ("MATCH (n) RETURN date(n.created_at), count(DISTINCT n.name)", False),
        ("MATCH (n) RETURN date(n.created_at), collect(n.name)", False),
        ("MATCH (n) RETURN date(n.created_at), avg(1)", False),
        ("MATCH (n) RETURN date(n.summary), count(*)", False),
        ("MATCH (n) WITH {created_at: n.name} AS n RETURN date(n.created_at), count(*)", False),
        ("MATCH (n) RETURN datetime(n.created_at), count(*)", False),
        ("MATCH (n) RETURN [date(n.created_at), rand()], count(*)", False),
        ("MATCH (n) UNWIND ['2026-01-01'] AS x RETURN date(x), count(*)", False),
        ("MATCH (a)-[r*1..2]->() RETURN date(r.recorded_at), count(*)", False),
    ],
)
def test_what_follows_from_the_day_is_counted_by_day(call, query, is_divided):
    with call.graph.database.read("test") as tx:
        catalogue = graph_catalogue.statement_cache(tx).catalogue
        try:
            compiled = compiler.compile_text(query, catalogue, {})
        except keepgraph.KeepgraphError:
            assert not is_divided
            return

    texts = [statement.sql for statement in compiled.statements()]
    assert any("substr(" in text and "GROUP BY" in text for text in texts) == is_divided
