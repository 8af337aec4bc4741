"""Types that connect nothing are left out of a query: whatever is written, retracted or retyped is seen by the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keepgraph
from words import Caller, Clock, concept, fact, literal, person, project

ADA, ATLAS = person("Ada Lovelace"), project("Atlas")
PATTERNS = {
    "(p:Person)-[r]->(q:Project)": [("Ada Lovelace", "Atlas")],
    "(p:Person)-[r]-(q:Project)": [("Ada Lovelace", "Atlas")],
    "(q:Project)-[r]-(p)": [("Ada Lovelace", "Atlas")],
    "(p)-[r:BELONGS_TO]-(q:Project)": [("Ada Lovelace", "Atlas")],
    "(p)-[r]->(q)": [("Ada Lovelace", "Atlas")],
    "(q:Project)<-[r]-(p)": [("Ada Lovelace", "Atlas")],
    "(q:Project)-[r]->(p:Person)": [],
    "(p:Person)-[r:TAGGED]->(q:Literal)": [],
}


def found(call: Caller, pattern: str, **moment: str) -> list[tuple[str, str]]:
    """The names of p and q in each match."""
    text = f"MATCH {pattern} RETURN collect([p.name, q.name]) AS found"
    return sorted(map(tuple, call("run_cypher", query=text, **moment)["result"]))


def all_found(call: Caller, **moment: str) -> dict[str, list[tuple[str, str]]]:
    return {pattern: found(call, pattern, **moment) for pattern in PATTERNS}


NOTHING: dict[str, list[tuple[str, str]]] = {pattern: [] for pattern in PATTERNS}


def test_what_connects_two_types_for_the_first_time_is_seen_at_once_and_gone_with_its_last_fact(
    call: Caller, clock: Clock
) -> None:
    call("record_fact", **fact(ADA, "tagged", literal("x")))
    tagged = {"(p)-[r]->(q)": [("Ada Lovelace", "x")], "(p:Person)-[r:TAGGED]->(q:Literal)": [("Ada Lovelace", "x")]}
    assert all_found(call) == NOTHING | tagged
    clock.pass_by(minutes=1)
    known = clock.now.isoformat()
    clock.pass_by(minutes=1)
    recorded = call("record_fact", **fact(ADA, "belongs_to", ATLAS))
    both = sorted([("Ada Lovelace", "Atlas"), ("Ada Lovelace", "x")])
    with_atlas = PATTERNS | {"(p:Person)-[r:TAGGED]->(q:Literal)": tagged["(p:Person)-[r:TAGGED]->(q:Literal)"]}
    with_atlas["(p)-[r]->(q)"] = both
    assert all_found(call) == with_atlas
    assert all_found(call, known_at=known) == NOTHING | tagged

    clock.pass_by(minutes=1)
    between = clock.now.isoformat()
    clock.pass_by(minutes=1)
    call("retract_fact", fact_id=recorded["fact_id"])
    assert all_found(call) == NOTHING | tagged
    # what was retracted since is not among the kept counts
    assert all_found(call, known_at=between) == with_atlas
    call("undo")
    assert all_found(call) == with_atlas


def test_what_another_process_writes_is_seen(call: Caller, path: Path) -> None:
    assert found(call, "(p:Person)-[r]->(q:Project)") == []
    with keepgraph.open(path) as other:
        other.call("record_fact", **fact(ADA, "belongs_to", ATLAS))
    assert found(call, "(p:Person)-[r]->(q:Project)") == [("Ada Lovelace", "Atlas")]


def test_an_entity_of_another_type_connects_others(call: Caller) -> None:
    call("record_fact", **fact(ADA, "belongs_to", concept("Engines")))
    assert found(call, "(p:Person)-[r]->(q:Project)") == []
    changed = call("update_entity", entity=concept("Engines"), type="project")
    assert "error" not in changed

    assert found(call, "(p:Person)-[r]-(q:Project)") == [("Ada Lovelace", "Engines")]
    assert found(call, "(p:Person)-[r]-(q:Concept)") == []


def test_a_fact_of_another_day_is_seen_on_that_day(call: Caller) -> None:
    call("record_fact", **fact(ADA, "belongs_to", ATLAS, valid_from="2020-01-01", valid_to="2021-01-01"))

    assert found(call, "(p:Person)-[r]->(q:Project)") == []
    assert found(call, "(p:Person)-[r]->(q:Project)", as_of="2020-06-01") == [("Ada Lovelace", "Atlas")]


TYPES = ("person", "project", "concept", "source")
"""What ends of facts are drawn from."""


@pytest.mark.slow
@settings(max_examples=30)
@given(
    facts=st.lists(
        st.tuples(
            st.sampled_from(TYPES), st.sampled_from(("tagged", "depends_on", "belongs_to")), st.sampled_from(TYPES)
        ),
        min_size=1,
        max_size=8,
    )
)
@pytest.mark.law
def test_a_pattern_of_labels_finds_what_was_recorded_between_them(
    tmp_path_factory: pytest.TempPathFactory, facts: list[tuple[str, str, str]]
) -> None:
    with keepgraph.open(tmp_path_factory.mktemp("pruned") / "graph.db") as graph:
        stored = set()
        for source, predicate, target in facts:
            answer = graph.call(
                "record_fact",
                subject={"type": source, "name": f"{source} one"},
                predicate=predicate,
                object={"type": target, "name": f"{target} two"},
            )
            if "error" not in answer:
                stored.add((source, predicate, target))
        for source in TYPES:
            for target in TYPES:
                query = (
                    f"MATCH (a:{source.title()})-[r]->(b:{target.title()}) RETURN collect(DISTINCT type(r)) AS found"
                )
                types = graph.call("run_cypher", query=query)["result"]
                expected = {predicate.upper() for s, predicate, t in stored if (s, t) == (source, target)}
                assert set(types) == expected
