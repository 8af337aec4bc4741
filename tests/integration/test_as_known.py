"""The graph as it was known: all that reads it then sees the same facts, whatever was ended and retracted since."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from laws import examples
from words import Caller, Clock, counted, person, project

PEOPLE, PROJECTS = ("Ada", "Ben"), ("Atlas", "Borealis")
STEP = st.tuples(
    st.sampled_from(["record", "record with dates", "end", "retract", "wait"]),
    st.sampled_from(PEOPLE),
    st.sampled_from(PROJECTS),
)
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def facts(answer: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    assert "error" not in answer, answer
    rows = answer["rows"] if answer["type"] == "tabular" else []
    return sorted((row[0], row[1], (row[2] or "")[:10], (row[3] or "")[:10]) for row in rows)


@examples(8, sweep=400)
@given(steps=st.lists(STEP, min_size=1, max_size=10), asked=st.integers(-1, 12))
def test_recalling_and_querying_see_the_same(steps: list[tuple[str, str, str]], asked: int) -> None:
    clock = Clock(BEGAN)
    with (
        tempfile.TemporaryDirectory() as folder,
        keepgraph.open(Path(folder) / "graph.db", clock=clock, new_id=counted(), zone=UTC) as graph,
    ):
        call = Caller(graph)
        seen: list[tuple[str, Any]] = []
        query = "MATCH (a:Person)-[r:WORKS_ON]->(b) RETURN a.name, b.name, r.valid_from, r.valid_to"
        for what, who, where in steps:
            ends = {"subject": person(who), "predicate": "works_on", "object": project(where)}
            if what == "record":
                call("record_fact", **ends)
            elif what == "record with dates":
                call("record_fact", **ends, valid_from="2026-01-01")
            elif what == "end":
                call("record_fact", **ends, valid_to=clock.now.date().isoformat())
            elif what == "retract":
                recalled = call("recall_entity", name_or_alias=who)
                ids = [fact["id"] for fact in recalled.get("facts", ()) if fact["object"].get("name") == where]
                for fact_id in ids[:1]:
                    call("retract_fact", fact_id=fact_id)
            clock.pass_by(hours=1)
            now = call("run_cypher", query=query, as_of=clock.now.isoformat())
            seen.append((clock.now.isoformat(), facts(now)))
            clock.pass_by(days=1)

        for moment, then in seen:
            # What was known then of that moment is what a query saw then.
            assert facts(call("run_cypher", query=query, known_at=moment, as_of=moment)) == then
        moment = (BEGAN + timedelta(days=asked, hours=2)).isoformat()
        view = {"known_at": moment, "as_of": (clock.now + timedelta(days=1)).isoformat()}
        queried = facts(call("run_cypher", query=query, **view))
        recalled_facts = []
        for who in PEOPLE:
            answer = call("recall_entity", name_or_alias=who, **view)
            recalled_facts += [
                (who, fact["object"]["name"], (fact["valid_from"] or "")[:10], (fact["valid_to"] or "")[:10])
                for fact in answer.get("facts", ())
                if fact["predicate"] == "works_on"
            ]
            assert answer.get("total_facts", 0) == len(answer.get("facts", ()))
        assert sorted(recalled_facts) == queried
