"""Calls in any order that change the facts of a graph: recorded, ended, retracted, deleted, merged, retyped, undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from words import Caller, literal, person, project, rows

_PEOPLE = [person(name) for name in ("Ada Lovelace", "Grace Hopper", "Edsger Dijkstra")]
_PROJECTS = [project(name) for name in ("Analytical Engine", "Bletchley Bombe")]

_ends = st.one_of(
    st.tuples(st.sampled_from(_PEOPLE), st.just("works_on"), st.sampled_from(_PROJECTS)),
    st.tuples(st.sampled_from(_PEOPLE), st.just("knows"), st.sampled_from(_PEOPLE)),
    st.tuples(st.sampled_from(_PROJECTS), st.just("tagged"), st.sampled_from([literal("iron"), literal("Brass")])),
)
_numbers = st.integers(0, 30)

sequences = st.lists(
    st.one_of(
        st.tuples(st.just("record"), _ends, st.sampled_from([None, "2020-01-01", "2030-01-01"])),
        st.tuples(st.sampled_from(["end", "retract", "delete", "undo"]), _numbers),
        st.tuples(st.just("merge"), st.permutations(_PEOPLE)),
        st.tuples(st.just("retype"), st.sampled_from(_PEOPLE + _PROJECTS), st.sampled_from(["person", "project"])),
    ),
    min_size=1,
    max_size=12,
)


def make(call: Caller, each: Sequence[Any]) -> None:
    """Make one call; one that is refused changes nothing."""
    kind, *given = each
    facts = [row[0] for row in rows(call.graph.path, "SELECT public_id FROM fact ORDER BY id")]
    if kind == "record":
        (subject, predicate, object), valid_from = given
        more = {"valid_from": valid_from} if valid_from else {}
        call("record_fact", subject=subject, predicate=predicate, object=object, **more)
    elif kind == "merge":
        call("merge_entities", keep=given[0][0], absorb=given[0][1])
    elif kind == "retype":
        call("update_entity", entity=given[0], type=given[1])
    elif kind == "undo":
        calls = [row[0] for row in rows(call.graph.path, "SELECT id FROM call ORDER BY id")]
        if calls:
            call("undo", call=calls[given[0] % len(calls)])
    elif facts:
        fact = facts[given[0] % len(facts)]
        if kind == "end":
            call("end_fact", fact_id=fact, valid_to="2026-05-01")
        elif kind == "retract":
            call("retract_fact", fact_id=fact)
        else:
            call("delete_entity_edge", uuid=fact)
