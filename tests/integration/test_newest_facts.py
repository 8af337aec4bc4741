"""The newest facts of an entity are found, in whatever order they were recorded and however they are looked for."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.model import Fact
from laws import examples
from words import NOON, Clock, concept, fact, literal, project

ATLAS = project("Atlas")
DAYS = 9


def fact_of(number: int, way: str) -> dict[str, Any]:
    """One of the ways in which a fact has Atlas at an end, or at none."""
    other = concept(f"thing {number}")
    return {
        "out": fact(ATLAS, "depends_on", other),
        "in": fact(other, "depends_on", ATLAS),
        "text": fact(ATLAS, "tagged", literal(f"tag {number}")),
        "blocked": fact(ATLAS, "blocked_by", other),
        "itself": fact(ATLAS, "depends_on", ATLAS),
        "elsewhere": fact(other, "depends_on", concept("another thing")),
    }[way]


recorded = st.lists(
    st.tuples(
        st.integers(0, DAYS),
        st.sampled_from(["out", "in", "text", "blocked", "itself", "elsewhere"]),
        st.sampled_from([{}, {"valid_from": "2026-01-01"}, {"valid_from": "2026-05-18"}, {"valid_to": "2026-05-20"}]),
    ),
    max_size=14,
)


@examples(12, sweep=300)
@given(
    written=recorded,
    limit=st.integers(1, 6),
    at=st.sampled_from(["2026-05-17", "2026-05-19", "2026-06-30"]),
    known_at=st.sampled_from([None, None, "2026-05-19"]),
    begun_when_recorded=st.sampled_from([[], ["blocked_by"]]),
    entries=st.sampled_from([0, 1, 40]),
)
def test_the_newest_facts_are_the_first_of_all_in_order(
    blank: Path,
    written: list[Any],
    limit: int,
    at: str,
    known_at: str | None,
    begun_when_recorded: list[str],
    entries: int,
) -> None:
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        path = Path(shutil.copy(blank, Path(folder) / "graph.db"))
        with keepgraph.open(path, clock=clock) as graph:
            graph.call("record_fact", **fact(ATLAS, "tagged", literal("first")))
            for number, (day, way, valid) in enumerate(written):
                clock.now = NOON + timedelta(days=day)
                graph.call("record_fact", **fact_of(number, way), **valid)
            with graph.database.read("test") as now_known:
                tx = replace(now_known, known_at=known_at and f"{known_at}T00:00:00.000Z")
                (atlas,) = store.entities.by_key(tx, "atlas", of_types=["project"])

                def about(limit: int) -> list[Fact]:
                    return store.facts.about(
                        tx, atlas, at=f"{at}T00:00:00.000Z", limit=limit, begun_when_recorded=begun_when_recorded
                    )

                everything = about(1_000)
                patched.setattr(store.facts, "_SORTED_AT_ONCE", 1)
                patched.setattr(store.facts, "_ENTRIES_LIKE_ONE_ROW", entries)
                newest = about(limit)
                count = store.facts.count_about(
                    tx, atlas, at=f"{at}T00:00:00.000Z", begun_when_recorded=begun_when_recorded
                )

    assert everything == sorted(everything, key=lambda fact: (fact.recorded_at, fact.row), reverse=True)
    assert newest == everything[:limit]
    assert count == len(everything) == len({fact.row for fact in everything})
