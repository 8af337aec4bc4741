"""How entities are connected: paths, neighbours and relations, over a real graph."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import networkx
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from laws import examples
from words import Caller, Clock, counted, literal, person

ACME = {"type": "organisation", "name": "Acme"}
NAMES = [f"N{number}" for number in range(7)]
PREDICATES = ["reports_to", "knows", "works_with"]
FACTS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(PREDICATES), st.sampled_from(NAMES), st.booleans()),
    min_size=1,
    max_size=14,
)


def names(path: dict[str, Any]) -> list[str]:
    return [node.get("name") or f"#{node['tag']}" for node in path["nodes"]]


def fact_ids(path: dict[str, Any]) -> list[str]:
    return [step["fact_id"] for step in path["steps"]]


@pytest.fixture
def office(call: Caller) -> Caller:
    call.record(person("Ana"), "works_at", ACME, source="a letter")
    call.record(person("Bob"), "works_at", ACME)
    call.record(person("Bob"), "knows", person("Cid"))
    call.record(person("Ana"), "tagged", literal("To do"))
    call.record(person("Cid"), "tagged", literal("to do"))
    return call


def test_a_path_tells_each_fact_with_its_direction_and_source(office):
    answer = office("trace_path", from_entity="Ana", to_entity="Bob")
    (path,) = answer["paths"]

    assert (answer["found"], answer["length"]) == (True, 2)
    assert answer["path"] == [node["id"] for node in path["nodes"]]
    assert [(step["sentence"], step["direction"], step["source"]) for step in path["steps"]] == [
        ("Ana works at Acme", "out", "a letter"),
        ("Bob works at Acme", "in", None),
    ]


def test_a_path_through_a_tag_comes_last(office):
    """
    Both are tagged alike, however it is written, which is the shortest way and says the least.
    """
    paths = office("trace_path", from_entity="Ana", to_entity="Cid", k=5)["paths"]
    shortest = office("trace_path", from_entity="Ana", to_entity="Cid", avoid_hubs=False)["paths"]

    assert [names(path) for path in paths] == [["Ana", "Acme", "Bob", "Cid"], ["Ana", "#To do", "Cid"]]
    assert [path["through_hub"] for path in paths] == [False, True]
    assert [names(path) for path in shortest] == [["Ana", "#To do", "Cid"]]


def test_a_hub_is_gone_through_only_in_the_last_place(call):
    for number in range(60):
        call.record(person(f"Guest {number}"), "works_at", ACME)
    call.record(person("Guest 1"), "knows", person("Middle"))
    call.record(person("Middle"), "knows", person("Last"))
    call.record(person("Last"), "knows", person("Guest 2"))
    between = {"from_entity": "Guest 1", "to_entity": "Guest 2", "k": 3}

    by_default = call("trace_path", **between)["paths"]
    with_hubs = call("trace_path", **between, avoid_hubs=False)["paths"]
    from_the_hub = call("trace_path", from_entity="Acme", to_entity="Guest 2")["paths"]

    assert [names(path)[1:-1] for path in by_default] == [["Middle", "Last"], ["Acme"]]
    assert [names(path)[1:-1] for path in with_hubs] == [["Acme"], ["Middle", "Last"]]
    assert [names(path) for path in from_the_hub] == [["Acme", "Guest 2"]]


def test_a_path_follows_what_held_then(call):
    call.record(person("Ana"), "works_at", ACME, valid_to="2025-06-30")
    between = {"from_entity": "Ana", "to_entity": "Acme"}

    assert not call("trace_path", **between)["found"]
    assert call("trace_path", **between, as_of="2025-05-01")["found"]
    assert not call("trace_path", **between, as_of="2025-07-01")["found"]


def test_a_retracted_or_new_fact_is_seen_at_once(office):
    between = {"from_entity": "Ana", "to_entity": "Bob"}
    first = office("trace_path", **between)
    office("retract_fact", fact_id=fact_ids(first["paths"][0])[0])
    second = office("trace_path", **between, avoid_hubs=True)
    office.record(person("Ana"), "knows", person("Bob"))

    assert names(second["paths"][0]) == ["Ana", "#To do", "Cid", "Bob"]
    assert office("trace_path", **between)["length"] == 1


def test_names_that_match_nothing_have_candidates(office):
    answer = office("trace_path", from_entity="Ana", to_entity="Akme")

    assert (answer["found"], answer["length"], answer["path"]) == (False, -1, [])
    assert answer["from"]["name"] == "Ana"
    assert answer["to"] is None or answer["resolution"]["to"]["method"] == "fuzzy"
    assert office("trace_path", from_entity="Ana", to_entity="Zoltan")["to"] is None


def test_an_entity_is_connected_with_itself(office):
    answer = office("trace_path", from_entity="Ana", to_entity="ana")

    assert (answer["found"], answer["length"], len(answer["path"])) == (True, 0, 1)


def test_groups_stay_apart(open_graph, office):
    with keepgraph.open(office.graph.path, group="other", zone=None) as other:
        other.call("record_fact", subject=person("Ana"), predicate="knows", object=person("Zoe"))

        assert other.call("trace_path", from_entity="Ana", to_entity="Zoe")["found"]
        assert other.call("trace_path", from_entity="Ana", to_entity="Bob")["to"] is None
    assert not office("trace_path", from_entity="Ana", to_entity="Zoe")["found"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"from_entity": " ", "to_entity": "Ana"}, "NAME_OR_ALIAS_REQUIRED"),
        ({"from_entity": "Ana", "to_entity": "Bob", "edge_types": ["blorps"]}, "PREDICATE_UNKNOWN"),
        ({"from_entity": "Ana", "to_entity": "Bob", "as_of": "sometimes"}, "MOMENT_INVALID"),
        ({"from_entity": "Ana", "to_entity": "Bob", "k": 0}, "INVALID_ARGUMENTS"),
        ({"from_entity": "Ana", "to_entity": "Bob", "max_hops": 11}, "INVALID_ARGUMENTS"),
        ({"from_entity": "Ana"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_wrong_argument_is_refused_with_an_example(office, arguments, code):
    answer = office("trace_path", **arguments)

    assert answer["error"] == code
    assert answer["example"]


@examples(10, sweep=300)
@given(FACTS, st.sets(st.sampled_from(PREDICATES), min_size=1), st.booleans(), st.integers(1, 5))
def test_paths_are_those_of_networkx(facts, predicates, in_the_past, max_hops):
    with (
        tempfile.TemporaryDirectory() as folder,
        keepgraph.open(Path(folder) / "graph.db", clock=Clock(), new_id=counted()) as graph,
    ):
        graph.call(
            "record_facts",
            facts=[
                {
                    "subject": person(subject),
                    "predicate": predicate,
                    "object": person(target),
                    **({"valid_to": "2025-12-31"} if ended else {}),
                }
                for subject, predicate, target, ended in facts
            ],
        )
        held = networkx.Graph(
            (subject, target)
            for subject, predicate, target, ended in facts
            if predicate in predicates and subject != target and (in_the_past or not ended)
        )
        start, end = facts[0][0], facts[-1][2]
        answer = graph.call(
            "trace_path",
            from_entity=start,
            to_entity=end,
            k=20,
            max_hops=max_hops,
            edge_types=sorted(predicates),
            as_of="2025-06-01" if in_the_past else "",
        )

    expected = list(networkx.all_simple_paths(held, start, end, cutoff=max_hops)) if {start, end} <= set(held) else []
    if start == end:
        expected = [[start]]
    actual = [names(path) for path in answer["paths"]]
    lengths = [path["length"] for path in answer["paths"]]
    assert lengths == sorted(len(path) - 1 for path in expected)[:20]
    assert all(path in expected for path in actual)
    assert len({tuple(path) for path in actual}) == len(actual)
    assert answer["truncated"] == (len(expected) > 20)


def test_neighbours_are_nearest_first_and_counted(office):
    near = office("get_entity_neighbors", entity_id="Ana", hops=2)
    cut = office("get_entity_neighbors", entity_id="Ana", hops=3, limit=1)

    assert [(neighbour["name"], neighbour["distance"]) for neighbour in near["neighbours"]] == [("Acme", 1), ("Bob", 2)]
    assert (cut["total"], cut["truncated"], len(cut["neighbours"])) == (3, True, 1)
    assert near["neighbours"][1]["path"] == "Ana -[works_at]-> Acme <-[works_at]- Bob"


def test_relations_say_who_said_so_and_whether_they_hold(office):
    office.record(person("Ana"), "works_at", ACME, source="a call")
    office.record(person("Ana"), "knows", person("Dan"), valid_to="2025-01-01")
    facts = office("query_entity_relations", entity_id="Ana")["facts"]
    works_at = next(fact for fact in facts if fact["relation_type"] == "works_at")

    assert {fact["sentence"]: fact["current"] for fact in facts} == {
        "Ana works at Acme": True,
        "Ana knows Dan": False,
        "Ana tagged To do": True,
    }
    assert [source["source"] for source in works_at["sources"]] == ["a letter", "a call"]


@pytest.mark.parametrize(("direction", "count"), [("both", 2), ("in", 1), ("out", 1)])
def test_relations_have_a_direction(call, direction, count):
    call.record(person("Ana"), "reports_to", person("Bob"))
    call.record(person("Bob"), "reports_to", person("Cid"))
    answer = call("query_entity_relations", entity_id="Bob", direction=direction)

    assert (answer["count"], answer["total"]) == (count, count)


def test_relations_as_of_a_day_are_those_that_held_then(call):
    call.record(person("Ana"), "works_at", ACME, valid_from="2025-01-01", valid_to="2025-12-31")
    answers = [
        call("query_entity_relations", entity_id="Ana", as_of=day)["count"]
        for day in ("2024-12-31", "2025-01-01", "2025-12-31", "2026-01-01", "")
    ]

    assert answers == [0, 1, 1, 0, 1]


def test_relations_go_on_with_an_offset(call):
    for number in range(5):
        call.record(person("Ana"), "knows", person(f"P{number}"))
    pages = [call("query_entity_relations", entity_id="Ana", limit=2, offset=offset) for offset in (0, 2, 4)]

    assert [(page["count"], page["total"], page["truncated"]) for page in pages] == [
        (2, 5, True),
        (2, 5, True),
        (1, 5, False),
    ]
    assert len({fact["fact_id"] for page in pages for fact in page["facts"]}) == 5


def test_the_commands_show_the_way(office):
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(kg, ["--db", str(office.graph.path), *words])
        return done.exit_code, done.output

    assert run("path", "Ana", "Bob") == (
        0,
        "Ana -[works_at]-> Acme <-[works_at]- Bob\n  There are more paths: -k shows them.\n",
    )
    assert "Ana works at Acme  (a letter)" in run("path", "Ana", "Bob", "--explain")[1]
    assert run("path", "Ana", "Zoltan")[0] == 3
    assert "Bob  person" in run("neighbours", "Acme")[1]
