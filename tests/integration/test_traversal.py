"""Traversals: the calls of their source system, and ours; by handles and in one call."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.engine import traversals
from laws import examples
from words import Caller, Clock, counted, literal, person

ACME = {"type": "organisation", "name": "Acme"}
NAMES = [f"N{number}" for number in range(6)]


@pytest.fixture
def people(call: Caller) -> Caller:
    """John knows Jane and Jim, Jane works at Acme."""
    call.record(person("John"), "knows", person("Jane"))
    call.record(person("John"), "knows", person("Jim"), confidence=0.5)
    call.record(person("Jane"), "works_at", ACME)
    call.record(person("Jim"), "tagged", literal("tall"))
    return call


@pytest.fixture
def walk(people: Caller) -> Walk:
    return Walk(people)


class Walk:
    """A traversal: calls its tools with its handle."""

    def __init__(self, call: Caller) -> None:
        self.call = call
        self.id = call("traversal_init")["connection_id"]

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.call(f"traversal_{tool}", connection_id=self.id, **arguments)

    def collect(self, **arguments: Any) -> list[dict[str, Any]]:
        return self("collect", **arguments)["items"]

    def names(self) -> list[str]:
        return [item["name"] for item in self.collect(drop=False)]


def by_name(*names: str) -> dict[str, Any]:
    return {"properties": [[{"key": "name", "operator": "==", "value": list(names)}]]}


# The examples of the source system, as they are written


def test_entities_are_filtered_by_a_list_of_names(people):
    connection_id = people("init")["connection_id"]
    people("n_from_type", connection_id=connection_id, data={"node_type": "Entity"})
    people("filter_items", connection_id=connection_id, data={"filter": by_name("John", "Jane")})
    entities = people("collect", connection_id=connection_id)["items"]

    assert sorted(entity["name"] for entity in entities) == ["Jane", "John"]


@pytest.mark.parametrize(
    ("groups", "count"),
    [
        ([[(">=", "2025-01-01T00:00:00+00:00"), ("<=", "2025-01-31T23:59:59+00:00")]], 0),
        ([[(">=", "2026-05-01T00:00:00+00:00"), ("<=", "2026-05-31T23:59:59+00:00")]], 4),
        ([[(">=", "2025-01-01T00:00:00+00:00"), ("<=", "2025-03-31T23:59:59+00:00")], [(">=", "2026-01-01")]], 4),
        ([[("==", "2026-05-15")]], 4),
        ([[("!=", "2026-05-15")]], 0),
        ([[(">", "2026-05-15")]], 0),
        ([[("<=", "2026-05-15")]], 4),
        ([[("<", "2026-05-15")]], 0),
    ],
)
def test_entities_are_filtered_by_ranges_of_time(walk, groups, count):
    conditions = [
        [{"key": "created_at", "operator": operator, "value": value} for operator, value in group] for group in groups
    ]
    walk("n_from_type", data={"node_type": "Entity"})

    assert walk("filter_items", data={"filter": {"properties": conditions}})["count"] == count


def test_triplets_of_a_subject_are_found_by_a_step_with_exchanged_arguments(walk):
    walk("n_from_type", data={"node_type": "Entity"})
    walk("filter_items", data={"filter": by_name("John")})
    step = walk("in_step", data={"edge_type": "Triplet_to_Subject", "edge_label": "node"})

    assert step["notes"] == ["edge_type and edge_label were exchanged: Triplet_to_Subject is the label"]
    assert sorted(item["summary"] for item in walk.collect()) == ["John knows Jane", "John knows Jim"]


def filter_by_end(link: str, name: str) -> dict[str, Any]:
    return {
        "tool_name": "out_step",
        "args": {"edge_type": link, "edge_label": "node"},
        "filters": {"properties": [[{"key": "name", "operator": "==", "value": name}]]},
    }


def test_triplets_are_filtered_by_their_ends(walk):
    walk("n_from_type", data={"node_type": "Triplet"})
    by_subject = filter_by_end("Triplet_to_Subject", "John")
    step = walk("filter_items", data={"filter": {"filter_traversals": [by_subject]}})
    both = walk("filter_items", data={"filter": {"filter_traversals": [filter_by_end("Triplet_to_Object", "Jane")]}})

    assert (step["count"], both["count"]) == (2, 1)
    assert both["first"]["summary"] == "John knows Jane"


def test_what_is_collected_may_be_kept(walk):
    walk("n_from_type", data={"node_type": "Triplet"})
    triplets = walk.collect(drop=False)
    embeddings = walk("out_step", data={"edge_type": "Triplet_to_Embedding", "edge_label": "vec"})

    assert len(triplets) == 4
    assert embeddings["kind"] == "vectors"
    assert walk("collect")["dropped"]
    assert walk("collect")["items"] == []


def test_a_vector_of_another_dimension_is_refused(walk, people):
    people("search", query="who knows whom")  # so that there are vectors
    walk("n_from_type", data={"node_type": "Triplet"})
    count = walk("out_step", data={"edge_type": "Triplet_to_Embedding", "edge_label": "vec"})["count"]
    refused = walk("search_vector", data={"vector": [0.1, 0.2, 0.3, 0.4, 0.5], "k": 10, "min_score": 0.7})

    assert count == 4
    assert refused["error"] == "DIMENSION_MISMATCH"
    assert walk("collect", drop=False)["total"] == 4


def test_the_search_by_meaning_leads_on_to_triplets(walk):
    hits = walk("search_vector_text", query="who is acquainted with Jane", k=2)
    back = walk("in_step", data={"edge_type": "Triplet_to_Embedding", "edge_label": "node"})

    assert hits["items"][0]["summary"] == "John knows Jane"
    assert hits["items"][0]["score"] >= hits["items"][1]["score"]
    assert (back["count"], back["kind"]) == (2, "triplets")


def test_vectors_are_compared_with_one_of_them(walk, people):
    people("search", query="who knows whom")
    from keepgraph.ml import embedder

    vector = [float(number) for number in embedder.embed(["Jane works at Acme"], model=embedder.DEFAULT_MODEL)[0]]
    walk("n_from_type", node_type="Triplet")
    walk("out_step", edge_label="Triplet_to_Embedding", edge_type="vec")
    nearest = walk("search_vector", vector=vector, k=1, min_score=0.7)

    assert [item["summary"] for item in nearest["items"]] == ["Jane works at Acme"]


# Steps


def test_a_step_consumes_nothing(walk):
    step = walk("n_from_type", node_type="person")
    first = [walk("next")["item"]["name"] for _ in range(3)]

    assert (step["count"], step["first"]["name"]) == (3, first[0])
    assert sorted(first) == ["Jane", "Jim", "John"]
    assert [walk("next")["item"] for _ in range(2)] == [None, None]


def test_what_is_reached_twice_comes_twice(walk, people):
    people.record(person("Jim"), "knows", person("Jane"))
    walk("n_from_type", node_type="person")
    walk("filter_items", filter=by_name("John", "Jim"))

    assert Counter(item["name"] for item in _after(walk, "works_at", people)) == Counter({"Acme": 1})
    walk("n_from_type", node_type="person")
    walk("filter_items", filter=by_name("John", "Jim"))
    walk("out_step", edge_label="knows")
    assert Counter(walk.names())["Jane"] == 2


def _after(walk: Walk, predicate: str, call: Caller) -> list[dict[str, Any]]:
    """Where those that are known lead to by a predicate, each once."""
    walk("out_step", edge_label="knows")
    walk("filter_items", filter=by_name("Jane"))
    walk("out_step", edge_label=predicate)
    return walk.collect()[:1]


def test_an_inverse_label_is_followed_the_other_way(walk, people):
    people("extend_vocabulary", add=[{"kind": "predicate", "name": "employs", "inverse_of": "works_at"}])
    walk("n_from_type", node_type="organisation")
    by_step_in = walk("in_step", edge_label="works_at")["count"]
    walk("n_from_type", node_type="organisation")
    described = people("get_ontology_structure")
    inverse = next(
        (entry["name"] for entry in described["relationship_classes"] if entry.get("inverse_of") == "works_at"), None
    )

    assert by_step_in == 1
    if inverse:
        assert walk("out_step", edge_label=inverse)["count"] == 1


def test_edges_lead_on_to_their_ends(walk):
    walk("e_from_type", edge_type="works_at")
    edge = walk.collect(drop=False)[0]
    to_target = walk("out_e_step", edge_label="works_at")

    assert (edge["from_name"], edge["to_name"], edge["label"]) == ("Jane", "Acme", "works_at")
    assert to_target["first"]["name"] == "Acme"
    walk("e_from_type", edge_type="works_at")
    assert walk("in_e_step", edge_label="works_at")["first"]["name"] == "Jane"


def test_links_are_edges_too(walk):
    links = walk("e_from_type", edge_type="Triplet_to_Object")
    subjects = walk("e_from_type", edge_type="Triplet_to_Subject")

    assert (links["count"], subjects["count"]) == (3, 4)  # one object is a literal
    assert walk("out_step", edge_label="Triplet_to_Subject")["kind"] == "entities"


def test_words_lead_on(walk):
    hits = walk("search_keyword", query="acme", label="Triplet", limit=5)
    walk("out_step", edge_label="Triplet_to_Subject")

    assert [item["summary"] for item in hits["items"]] == ["Jane works at Acme"]
    assert walk.names() == ["Jane"]


def test_a_fact_that_ended_is_no_triplet(walk, people):
    people.record(person("Jim"), "works_at", ACME, valid_to="2020-01-01")

    assert walk("n_from_type", node_type="Triplet")["count"] == 4


# Filters


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (("name", "==", "John"), ["John"]),
        (("name", None, "John"), ["John"]),
        (("name", "!=", "John"), ["Jane", "Jim"]),
        (("name", "!=", ["John", "Jane"]), ["Jim"]),
        (("name", "==", ["John", "Jane"]), ["Jane", "John"]),
        (("name", ">", "Jb"), ["Jim", "John"]),
        (("nothing", "!=", "x"), []),
        (("nothing", "==", None), ["Jane", "Jim", "John"]),
        (("name", "==", 7), []),
        (("name", ">", 7), []),
    ],
)
def test_a_condition_compares(walk, condition, names):
    key, operator, value = condition
    parts = {"key": key, "value": value} | ({"operator": operator} if operator else {})
    walk("n_from_type", node_type="person")
    walk("filter_items", filter={"properties": [[parts]]})

    assert sorted(walk.names()) == names


@pytest.mark.parametrize(("properties", "count"), [([], 0), ([[]], 3), (None, 3)])
def test_no_group_passes_nothing_and_an_empty_group_everything(walk, properties, count):
    walk("n_from_type", node_type="person")

    assert walk("filter_items", filter={} if properties is None else {"properties": properties})["count"] == count


def test_numbers_compare_by_value(walk):
    walk("n_from_type", node_type="Triplet")

    assert (
        walk("filter_items", filter={"properties": [[{"key": "confidence", "operator": "<", "value": 1}]]})["count"]
        == 1
    )


# What is refused

REFUSED = [
    ("n_from_type", {"node_type": "blorp"}, "ENTITY_TYPE_UNKNOWN"),
    ("n_from_type", {}, "INVALID_ARGUMENTS"),
    ("n_from_type", {"node_type": ""}, "INVALID_ARGUMENTS"),
    ("n_from_type", {"data": {"node_type": 7}}, "INVALID_ARGUMENTS"),
    ("n_from_type", {"data": {"node_type": "person", "other": 1}}, "INVALID_ARGUMENTS"),
    ("e_from_type", {"edge_type": "blorps"}, "PREDICATE_UNKNOWN"),
    ("out_step", {"edge_label": "blorps"}, "PREDICATE_UNKNOWN"),
    ("out_step", {"edge_label": "knows", "edge_type": "door"}, "INVALID_ARGUMENTS"),
    ("out_step", {"edge_type": "node"}, "INVALID_ARGUMENTS"),
    ("out_e_step", {"data": {"edge_type": "node", "edge_label": "knows"}}, "INVALID_ARGUMENTS"),
    ("filter_items", {}, "INVALID_ARGUMENTS"),
    ("filter_items", {"filter": {"propertys": []}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"properties": 7}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"properties": [7]}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"properties": [[{"key": "name"}]]}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"properties": [[{"key": "name", "value": 1, "operator": "~"}]]}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"properties": [[{"key": "name", "value": 1, "op": "=="}]]}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"filter_traversals": [{"tool_name": "next", "args": {}}]}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"filter_traversals": {}}}, "FILTER_INVALID"),
    ("filter_items", {"filter": {"filter_traversals": [{"tool_name": "out_step"}]}}, "INVALID_ARGUMENTS"),
    ("search_vector", {"vector": [1.0]}, "TRAVERSAL_EMPTY"),
    ("search_vector", {"vector": ["a"]}, "INVALID_ARGUMENTS"),
    ("search_vector_text", {"query": "x", "label": "person"}, "INVALID_ARGUMENTS"),
    ("search_keyword", {"query": "x", "limit": 0}, "INVALID_ARGUMENTS"),
    ("search_keyword", {"query": "x", "label": "blorp"}, "ENTITY_TYPE_UNKNOWN"),
    ("collect", {"range": {"start": 2, "end": 1}}, "INVALID_ARGUMENTS"),
    ("collect", {"range": {"start": -2}}, "INVALID_ARGUMENTS"),
]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("tool", "arguments", "code"), REFUSED)
def test_what_is_refused_leaves_the_stream_as_it_was(walk, tool, arguments, code):
    walk("n_from_type", node_type="person")
    before = walk("next")
    refused = walk(tool, **arguments)
    after = walk("next")

    assert refused["error"] == code
    assert (after["position"], after["remaining"]) == (before["position"] + 1, before["remaining"] - 1)


def nested(depth: int) -> dict[str, Any]:
    if depth == 1:
        return {"properties": [[]]}
    path = {"tool_name": "out_step", "args": {"edge_label": "knows", "filter": nested(depth - 1)}}
    return {"filter_traversals": [path]}


def test_filters_are_nested_four_deep_and_no_deeper(walk):
    walk("n_from_type", node_type="person")

    assert walk("filter_items", filter=nested(5))["error"] == "FILTER_INVALID"
    assert "error" not in walk("filter_items", filter=nested(4))


def test_a_blank_traversal_has_nothing_and_leads_nowhere(walk):
    assert walk("next")["item"] is None
    assert walk("collect")["items"] == []
    assert walk("out_step", edge_label="knows")["error"] == "TRAVERSAL_EMPTY"


def test_more_than_it_holds_is_refused_with_the_count(walk, monkeypatch):
    monkeypatch.setattr(traversals, "MAX_ITEMS", 3)
    walk("n_from_type", node_type="person")
    refused = walk("n_from_type", node_type="Entity")

    assert refused["error"] == "TRAVERSAL_TOO_LARGE"
    assert "4 entities" in refused["message"]
    assert walk("collect")["count"] == 3


# Handles


def test_a_range_chooses_items(walk):
    walk("n_from_type", node_type="person")
    everything = walk.names()

    def part(**range: int) -> list[str]:
        return [item["name"] for item in walk.collect(range=range, drop=False)]

    assert part(start=0, end=-1) == everything
    assert part(start=1) == everything[1:]
    assert part(end=2) == everything[:2]
    assert part(start=1, end=2) == everything[1:2]
    assert part(start=9, end=12) == []


def test_a_long_stream_is_collected_in_parts(walk, monkeypatch):
    monkeypatch.setattr("keepgraph.tools.traversal.MAX_COLLECTED", 2)
    walk("n_from_type", node_type="person")
    first = walk("collect")
    second = walk("collect", range=first["next_range"])

    assert (first["truncated"], first["dropped"], first["count"]) == (True, False, 2)
    assert (second["truncated"], second["dropped"], second["count"]) == (False, True, 1)


def test_what_was_deleted_meanwhile_is_skipped_and_counted(walk, people):
    walk("e_from_type", edge_type="knows")
    edges = walk.collect(drop=False)
    people("retract_fact", fact_id=edges[0]["id"])

    assert walk("next")["item"]["id"] == edges[1]["id"]
    assert walk("next")["skipped"] == 1
    assert walk("collect")["skipped"] == 1


def test_a_handle_that_is_not_used_is_closed(walk, clock):
    walk("n_from_type", node_type="person")
    clock.pass_by(minutes=29)
    assert "error" not in walk("next")
    clock.pass_by(minutes=31)
    refused = walk("next")

    assert refused["error"] == "TRAVERSAL_NOT_FOUND"
    assert "30 minutes" in refused["message"]


def test_the_handle_used_longest_ago_makes_room(people):
    first, second = Walk(people), Walk(people)
    for _ in range(traversals.MAX_OPEN - 2):
        Walk(people)
    first("next")
    Walk(people)
    refused = second("next")

    assert "error" not in first("next")
    assert refused["error"] == "TRAVERSAL_NOT_FOUND"
    assert "64 others" in refused["message"]


def test_handles_that_nobody_closes_take_no_room(clock):
    opened = traversals.Sessions()
    for _ in range(100_000):
        opened.begin(clock.now)

    assert len(opened._open) == traversals.MAX_OPEN
    assert len(opened._closed) <= 1_000


def test_a_traversal_has_at_most_64_steps(walk):
    for _ in range(traversals.MAX_STEPS):
        walk("n_from_type", node_type="person")
    refused = walk("n_from_type", node_type="person")
    walk("reset")

    assert refused["error"] == "TRAVERSAL_TOO_LARGE"
    assert "error" not in walk("n_from_type", node_type="person")


def test_a_reader_has_traversals(people):
    with keepgraph.open(people.graph.path, read_only=True) as graph:
        walk = Walk(Caller(graph))

        assert walk("n_from_type", node_type="person")["count"] == 3


def test_the_schema_names_what_a_step_can(walk):
    schema = walk("schema_resource")["schema"]

    assert {"Entity", "Triplet", "person"} <= {node["name"] for node in schema["nodes"]}
    assert {"Triplet_to_Subject", "knows"} <= {edge["name"] for edge in schema["edges"]}


# A whole chain


def test_a_chain_in_one_call_says_what_each_step_reached(people):
    answer = people(
        "traverse",
        steps=[
            {"tool": "n_from_type", "node_type": "person"},
            {"tool": "traversal_out_step", "args": {"edge_label": "knows", "filter": by_name("Jane")}},
            {"tool": "out_step", "edge_label": "works_at"},
        ],
    )

    assert [item["name"] for item in answer["items"]] == ["Acme"]
    assert [step["count"] for step in answer["steps"]] == [3, 1, 1]


def test_a_chain_names_the_step_that_is_wrong(people):
    refused = people("traverse", steps=[{"tool": "n_from_type", "node_type": "person"}, {"tool": "fly"}])

    assert refused["error"] == "INVALID_ARGUMENTS"
    assert refused["message"].startswith("steps[1]: there is no step 'fly'")


FACTS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["knows", "reports_to", "parent_of"]), st.sampled_from(NAMES)),
    min_size=1,
    max_size=12,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["out", "in"]), st.sampled_from(["reports_to", "parent_of", "knows"])), max_size=4
)


@examples(12, sweep=2000)
@given(FACTS, st.lists(STEPS, min_size=5, max_size=5))
def test_chains_lead_where_cypher_and_a_reference_say(new_file, facts, chains):
    """
    `knows` is symmetric: it leads from either end, in Cypher too. A relationship may be followed twice, unlike in one
    MATCH, so each step is a MATCH of its own.
    """
    with keepgraph.open(new_file(), clock=Clock(), new_id=counted()) as graph:
        recorded = graph.call(
            "record_facts",
            facts=[{"subject": person(a), "predicate": p, "object": person(b)} for a, p, b in facts],
        )
        facts = [fact for fact, result in zip(facts, recorded["results"], strict=True) if "fact_id" in result]
        for chain in chains:
            steps = [
                {"tool": "n_from_type", "node_type": "person"},
                *({"tool": f"{direction}_step", "edge_label": predicate} for direction, predicate in chain),
            ]
            matches = "MATCH (n0:Person) " + " ".join(
                f"MATCH (n{number}){arrow(direction, predicate)}(n{number + 1})"
                for number, (direction, predicate) in enumerate(chain)
            )

            reached = graph.call("traverse", steps=steps, limit=1000)
            rows = graph.call("run_cypher", query=f"{matches} RETURN n{len(chain)}.name AS name, count(*) AS times")

            actual = Counter(item["name"] for item in reached["items"])
            assert actual == Counter({row[0]: row[1] for row in rows["rows"]})
            assert actual == reference(facts, chain)


def arrow(direction: str, predicate: str) -> str:
    return f"-[:{predicate.upper()}]->" if direction == "out" else f"<-[:{predicate.upper()}]-"


def reference(facts: list[tuple[str, str, str]], chain: list[tuple[str, str]]) -> Counter[str]:
    stored: set[tuple[str, str, str]] = set()
    for a, p, b in facts:
        if not (p == "knows" and (b, p, a) in stored):
            stored.add((a, p, b))
    reached = Counter({name: 1 for a, _, b in stored for name in (a, b)})
    for direction, predicate in chain:
        following: Counter[str] = Counter()
        for a, p, b in stored:
            if p != predicate:
                continue
            ends = {(a, b), (b, a)} if p == "knows" else {(a, b) if direction == "out" else (b, a)}
            for start, end in ends:
                following[end] += reached[start]
        reached = +following
    return reached


def test_random_chains_by_handle_and_in_one_call_are_the_same(people):
    chooser = random.Random(7)
    labels = ["knows", "works_at", "Triplet_to_Subject", "Triplet_to_Object", "Triplet_to_Embedding"]
    for _ in range(60):
        steps: list[dict[str, Any]] = [
            {"tool": "n_from_type", "node_type": chooser.choice(["Entity", "Triplet", "person"])}
        ]
        for _ in range(chooser.randint(0, 4)):
            tool = chooser.choice(["out_step", "in_step", "out_e_step", "in_e_step"])
            target = {} if "_e_" in tool else {"edge_type": chooser.choice(["node", "vec"])}
            steps.append({"tool": tool, "edge_label": chooser.choice(labels), **target})
        walk = Walk(people)
        for step in steps:
            walk(step["tool"], data={key: value for key, value in step.items() if key != "tool"})

        assert walk.collect() == people("traverse", steps=steps, limit=1000)["items"]
