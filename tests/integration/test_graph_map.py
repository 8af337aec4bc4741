"""The map shows what holds at an instant, in places that stay; changes are what differs between two instants."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from words import NOON, Caller, concept, dump, person, project, rows


def places(answer: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {name: (x, y) for _, x, y, _, _, name, _ in answer["nodes"]}


def edges(answer: dict[str, Any]) -> set[tuple[str, str, str]]:
    names = [node[5] for node in answer["nodes"]]
    return {(names[source], predicate, names[target]) for source, target, predicate in answer["edges"]}


@pytest.fixture
def atlas(call: Caller) -> Caller:
    """Six people in one project, one of whom left it, and two things that nothing connects."""
    for name in ("Ana", "Ben", "Cem", "Dua", "Eva"):
        call.record(person(name), "belongs_to", project("Atlas"))
    call.record(person("Fay"), "belongs_to", project("Atlas"), valid_from="2026-01-01", valid_to="2026-03-01")
    call.record(person("Gil"), "tagged", {"literal": "alone"})
    call.record(person("Hal"), "tagged", {"literal": "alone"})
    return call


def test_everything_has_a_place_with_its_neighbours_and_its_kind(atlas):
    answer = atlas("get_map")
    atlas_node = next(node for node in answer["nodes"] if node[5] == "Atlas")

    assert set(places(answer)) == {"Ana", "Ben", "Cem", "Dua", "Eva", "Atlas", "Gil", "Hal"}
    assert edges(answer) == {(name, "belongs_to", "Atlas") for name in ("Ana", "Ben", "Cem", "Dua", "Eva")}
    assert (atlas_node[3], atlas_node[6]) == (5, "project")
    assert len(set(places(answer).values())) == 8
    assert (answer["total"], answer["truncated"]) == (8, False)


def test_at_an_instant_the_map_has_what_held_then(atlas):
    answer = atlas("get_map", as_of="2026-02-01")

    assert edges(answer) == {("Fay", "belongs_to", "Atlas")} | {
        (name, "belongs_to", "Atlas") for name in ("Ana", "Ben", "Cem", "Dua", "Eva")
    }
    assert "Fay" not in places(atlas("get_map", as_of="2026-03-02"))


def test_the_map_at_any_instant_shows_what_exploring_answers(call):
    """
    At twenty instants: the neighbours of a node on the map are those that explore_node finds one fact away.
    """
    random_ = random.Random(7)
    facts = []
    for number in range(60):
        start = NOON + timedelta(days=random_.randint(-300, 0))
        end = start + timedelta(days=random_.randint(1, 200))
        facts.append(
            {
                "subject": person(f"P{random_.randint(0, 12)}"),
                "predicate": random_.choice(["belongs_to", "mentioned_in"]),
                "object": concept(f"C{random_.randint(0, 8)}"),
                "valid_from": start.isoformat(),
                **({"valid_to": end.isoformat()} if number % 3 else {}),
            }
        )
    call("record_facts", facts=facts)
    for _ in range(20):
        at = (NOON + timedelta(days=random_.uniform(-320, 200))).isoformat()
        drawn = edges(call("get_map", as_of=at))
        for name in ("P0", "P5", "C1", "C4"):
            explored = call("explore_node", name=name, depth=1, limit=100, as_of=at)
            neighbours = {node["name"] for node in explored["nodes"]}

            assert neighbours == {s if o == name else o for s, _, o in drawn if name in (s, o)}


def test_a_place_stays_when_something_is_added_and_what_is_new_is_beside_its_neighbours(atlas):
    before = places(atlas("get_map"))
    atlas.record(person("Ida"), "belongs_to", project("Atlas"))
    atlas.record(person("Jan"), "tagged", {"literal": "new"})
    after = places(atlas("get_map"))

    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"Ida", "Jan"}
    assert abs(after["Ida"][0] - after["Atlas"][0]) + abs(after["Ida"][1] - after["Atlas"][1]) < 100


def test_a_place_stays_when_communities_are_built_and_through_an_undo(atlas):
    before = places(atlas("get_map"))
    call = atlas.record(person("Ida"), "belongs_to", project("Atlas"))["call"]
    atlas("build_communities", group_ids=["default"])
    built = atlas("get_map")
    atlas("undo", call=call)
    after = places(atlas("get_map"))

    assert {name: places(built)[name] for name in before} == before
    assert after == before
    assert [community["id"][:4] for community in built["communities"]] == ["com_"]


def test_after_an_import_the_map_is_laid_out_anew(call):
    """
    Where more is new than old, the few old places mean nothing.
    """
    call.record(person("Ana"), "belongs_to", project("Atlas"))
    call("get_map")
    call(
        "record_facts",
        facts=[{"subject": person(f"P{n}"), "predicate": "belongs_to", "object": project("Borea")} for n in range(40)],
    )
    answer = places(call("get_map"))
    xs = [x for x, _ in answer.values()]

    assert len(answer) == 43
    assert max(xs) + min(xs) == pytest.approx(0, abs=1)


def test_for_reading_alone_the_map_is_the_same_and_nothing_is_written(atlas, open_graph, path):
    atlas.graph.close()
    before = dump(path)
    reading = Caller(open_graph(read_only=True))
    first, second = reading("get_map"), reading("get_map")

    assert places(first) == places(second)
    assert dump(path) == before
    assert rows(path, "SELECT count(*) FROM map_place") == [(0,)]


def test_places_are_no_calls(atlas, path):
    """
    There is nothing to undo about them, and nothing in the log.
    """
    before = rows(path, "SELECT count(*) FROM call"), rows(path, "SELECT count(*) FROM journal")
    atlas("get_map")

    assert rows(path, "SELECT count(*) FROM map_place") == [(9,)]
    assert (rows(path, "SELECT count(*) FROM call"), rows(path, "SELECT count(*) FROM journal")) == before


def test_a_limit_leaves_out_what_has_the_fewest_connections(atlas):
    answer = atlas("get_map", limit=3)

    assert "Atlas" in places(answer)
    assert (len(answer["nodes"]), answer["total"], answer["truncated"]) == (3, 8, True)
    assert len(edges(answer)) == 2


def test_communities_are_areas_before_they_are_built_and_after(atlas):
    before = atlas("get_map")["communities"]
    atlas("build_communities", group_ids=["default"])
    after = atlas("get_map")

    assert [(area["id"], bool(area["name"])) for area in before] == [("", True)]
    assert after["communities"][0]["id"].startswith("com_")
    assert after["communities"][0]["r"] > 0
    assert {node[4] for node in after["nodes"] if node[5] in ("Ana", "Atlas")} == {0}


def test_an_empty_graph_has_an_empty_map(call):
    assert call("get_map") == {"nodes": [], "edges": [], "communities": [], "total": 0, "truncated": False}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"as_of": "yesterday-ish"}, "MOMENT_INVALID"),
        ({"as_of": ""}, "MOMENT_INVALID"),
        ({"limit": 0}, "INVALID_ARGUMENTS"),
        ({"limit": 50_001}, "INVALID_ARGUMENTS"),
        ({"more": 1}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_map_that_cannot_be_is_refused(call, arguments, code):
    assert call("get_map", **arguments)["error"] == code


def test_changes_are_what_began_ended_and_was_learnt_between(atlas, clock):
    noon = NOON.date()
    began = atlas("get_changes", since="2025-12-31", until="2026-01-31")
    ended = atlas("get_changes", since="2026-01-31", until="2026-03-31")
    clock.pass_by(days=2)
    atlas.record(person("Ida"), "belongs_to", project("Atlas"))
    learnt = atlas("get_changes", since=str(noon), until=str(noon + timedelta(days=3)))

    assert [fact["subject"]["name"] for fact in began["began"]] == ["Fay"]
    assert began["ended"] == began["learnt"] == []
    assert [fact["subject"]["name"] for fact in ended["ended"]] == ["Fay"]
    assert [fact["subject"]["name"] for fact in learnt["learnt"]] == ["Ida"]
    assert not learnt["truncated"]


def test_what_was_retracted_is_no_change_and_many_are_cut(atlas):
    fact = atlas.record(person("Ida"), "belongs_to", project("Atlas"))["fact_id"]
    atlas("retract_fact", fact_id=fact)
    span = {"since": str(NOON.date() - timedelta(days=1)), "until": str(NOON.date())}
    answer, cut = atlas("get_changes", **span), atlas("get_changes", **span, limit=2)

    assert (len(answer["learnt"]), answer["truncated"]) == (8, False)
    assert (cut["learnt"], cut["truncated"]) == (answer["learnt"][:2], True)
    assert "Ida" not in str(answer)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"since": "2026-02-01", "until": "2026-01-01"}, "MOMENT_INVALID"),
        ({"since": "then", "until": "2026-01-01"}, "MOMENT_INVALID"),
        ({"since": "2026-01-01"}, "MOMENT_INVALID"),
        ({"since": "2026-01-01", "until": "2026-01-02", "limit": 0}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_span_that_cannot_be_is_refused(call, arguments, code):
    assert call("get_changes", **arguments)["error"] == code


def test_the_past_of_another_group_is_not_on_the_map(atlas, open_graph, path: Path):
    atlas.graph.close()
    other = Caller(open_graph(group="other"))
    other.record(person("Zoe"), "belongs_to", project("Atlas"))
    answer = other("get_map")

    assert set(places(answer)) == {"Zoe", "Atlas"}
    assert [
        fact["subject"]["name"] for fact in other("get_changes", since="2020-01-01", until="2030-01-01")["learnt"]
    ] == ["Zoe"]


def test_a_call_tells_what_it_did(atlas):
    recorded = atlas.record(person("Ida"), "belongs_to", project("Borea"), aliases=["I."])
    changed = atlas("end_fact", fact_id=recorded["fact_id"])
    told, again = (atlas("get_call", call=answer["call"]) for answer in (recorded, changed))

    assert {(event["what"], event["text"]) for event in told["events"]} == {
        ("entity added", "Ida (person)"),
        ("entity added", "Borea (project)"),
        ("alias added", "Ida is also called I."),
        ("fact added", "Ida belongs to Borea"),
    }
    assert recorded["fact_id"] in [event["fact_id"] for event in told["events"]]
    assert [event["what"] for event in again["events"]] == ["fact changed"]
    assert not told["truncated"]


def test_a_long_call_is_told_from_both_ends(call):
    facts = [{"subject": person(f"P{n}"), "predicate": "belongs_to", "object": project("Atlas")} for n in range(60)]
    number = call("record_facts", facts=facts)["call"]
    answer = call("get_call", call=number, limit=10)

    assert (len(answer["events"]), answer["truncated"]) == (10, True)
    assert answer["total"] > 100


@pytest.mark.parametrize("number", [99, 2**63 - 1])
def test_a_call_that_never_was_is_not_found(atlas, number):
    assert atlas("get_call", call=number)["error"] == "CHANGE_NOT_FOUND"
