"""The context of some entities and of a question of several steps, over a real graph."""

from __future__ import annotations

from typing import Any

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.engine.retrieval import expansion
from keepgraph.tools.contract import brief_answers
from laws import examples
from words import Caller, Clock, counted, literal, person, project

TRAVERSALS = ("bfs", "ppr", "hybrid")


def tell(graph: keepgraph.Graph, name: str, text: str, **more: Any) -> None:
    graph.call("add_memory", name=name, episode_body=text, **more)


def texts(answer: dict[str, Any]) -> list[str]:
    return [chunk["text"] for chunk in answer["chunks"]]


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


@pytest.fixture
def office(call: Caller, graph: keepgraph.Graph) -> Caller:
    """Ada and Priya are of Atlas; Priya reports to Ben, of whom only a text says where he lives."""
    call.record(person("Ada Moreau"), "belongs_to", project("Atlas"), confidence=0.9)
    call.record(person("Priya Shah"), "belongs_to", project("Atlas"))
    call.record(person("Priya Shah"), "reports_to", person("Ben Okri"), source="the chart")
    call.record(person("Ada Moreau"), "tagged", literal("maths"))
    tell(graph, "Letter", "Ben Okri moved to Lagos in March.", source_description="a letter")
    tell(graph, "Budget", "Ada Moreau spoke with Priya Shah about the budget.")
    tell(graph, "Garden", "The tulips are late this year.")
    return call


# Of some entities


def test_entities_are_expanded_into_texts_facts_and_neighbours(office):
    answer = office("expand_context", entity_ids=["Priya Shah"])

    assert names(answer["expanded"]) == ["Priya Shah"]
    assert texts(answer) == [
        "Ada Moreau spoke with Priya Shah about the budget.",
        "Ben Okri moved to Lagos in March.",
    ]
    assert {("Atlas", 1), ("Ben Okri", 1), ("Ada Moreau", 2)} == {
        (each["name"], each["distance"]) for each in answer["neighbours"]
    }
    assert "Priya Shah -[belongs_to]-> Atlas <-[belongs_to]- Ada Moreau" in [
        each["path"] for each in answer["neighbours"]
    ]
    assert "Priya Shah reports to Ben Okri" in [each["fact"] for each in answer["facts"]]
    assert answer["context"].startswith("[1] Source: Budget\nAda Moreau spoke with Priya Shah")
    assert "\n---\nFacts\n- Priya Shah" in answer["context"]
    assert {"Priya Shah", "Ada Moreau", "Ben Okri"} <= set(answer["entities"])
    assert not answer["truncated"]


def test_one_hop_stays_with_the_entities_and_their_own_texts(office):
    answer = office("expand_context", entity_ids=["Priya Shah"], hops=1)

    assert texts(answer) == ["Ada Moreau spoke with Priya Shah about the budget."]
    assert {"Atlas", "Ben Okri"} == set(names(answer["neighbours"]))
    assert {"Priya Shah belongs to Atlas", "Priya Shah reports to Ben Okri"} == {
        each["fact"] for each in answer["facts"]
    }


def test_what_priming_names_can_be_expanded_also_a_name_that_is_only_proposed(office):
    named = office("priming_context", query="what did Ben Okri do?")["entities"]
    answer = office("expand_context", entity_ids=named, hops=1)

    assert set(named) == set(names(answer["expanded"]))
    assert "Ben Okri moved to Lagos in March." in texts(answer)
    assert "unknown" not in answer


def test_ids_aliases_and_repeated_names_are_one_entity(office):
    (expanded,) = office("expand_context", entity_ids=["ada moreau"])["expanded"]
    office("add_alias", entity={"id": expanded["id"]}, alias="Countess")
    answer = office("expand_context", entity_ids=[expanded["id"], "Countess", "ADA MOREAU"])

    assert [expanded] == answer["expanded"]
    assert "unknown" not in answer


def test_a_name_that_is_not_known_is_said_beside_what_is(office):
    answer = office("expand_context", entity_ids=["Zoltan", "Ben Okri"])

    assert answer["unknown"] == [{"given": "Zoltan", "candidates": []}]
    assert names(answer["expanded"]) == ["Ben Okri"]
    assert office("expand_context", entity_ids=["Zoltan"])["chunks"] == []


@examples(8, sweep=200)
@given(
    facts=st.sets(st.tuples(st.sampled_from("ABCDEFG"), st.sampled_from("ABCDEFG")), min_size=1, max_size=12),
    starts=st.sets(st.sampled_from("ABCDEFG"), min_size=1, max_size=2),
    hops=st.integers(1, 4),
)
def test_the_neighbours_are_all_entities_within_the_hops(new_file, facts, starts, hops):
    reference = networkx.Graph()
    reference.add_nodes_from("ABCDEFG")
    reference.add_edges_from(facts)
    with keepgraph.open(new_file(), clock=Clock(), new_id=counted(), zone=None) as graph:
        edges = [*facts, *((start, start) for start in starts)]
        for one, other in edges:
            Caller(graph).record(person(f"N {one}"), "knows", person(f"N {other}"))
        answer = graph.call("expand_context", entity_ids=sorted(f"N {start}" for start in starts), hops=hops)
    distances = networkx.multi_source_dijkstra_path_length(reference, starts, cutoff=hops)

    assert {f"N {name}": distance for name, distance in distances.items() if distance} == {
        each["name"]: each["distance"] for each in answer["neighbours"]
    }
    assert all(each["path"].count("knows") == each["distance"] for each in answer["neighbours"])
    assert not answer["truncated"]


@pytest.mark.parametrize("max_tokens", [200, 400, 700, 1_500])
def test_an_expansion_keeps_to_its_tokens_and_says_what_it_leaves_out(office, graph, max_tokens):
    for number in range(12):
        tell(graph, f"Note {number}", f"Priya Shah wrote note {number}. " + "It is about the plan. " * 12)
    answer = office("expand_context", entity_ids=["Priya Shah"], max_tokens=max_tokens)

    assert brief_answers.count_tokens(answer) <= max_tokens
    assert answer["truncated"]


def test_an_expansion_shows_only_what_holds(office):
    found = office("search_memory_facts", query="Priya Shah reports to Ben Okri")["facts"]
    (fact,) = [each for each in found if each["name"] == "reports_to"]
    office("end_fact", fact_id=fact["uuid"])
    answer = office("expand_context", entity_ids=["Priya Shah"])

    assert "Ben Okri" not in names(answer["neighbours"])
    assert fact["uuid"] not in [each["uuid"] for each in answer["facts"]]


def test_an_expansion_keeps_to_its_project_and_its_group(office, graph, open_graph):
    office.graph.call("remember", text="The licence of Priya Shah is paid.", project="Atlas")
    about = office("expand_context", entity_ids=["Priya Shah"], project="Atlas")
    Caller(open_graph(group="other")).record(person("Priya Shah"), "reports_to", person("Zelda"))
    other = office("expand_context", entity_ids=["Priya Shah"], project="other")

    assert texts(about) == ["The licence of Priya Shah is paid."]
    assert names(other["neighbours"]) == ["Zelda"]
    assert (other["chunks"], office("expand_context", entity_ids=["Ada Moreau"], project="none")["chunks"]) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "INVALID_ARGUMENTS"),
        ({"entity_ids": []}, "INVALID_ARGUMENTS"),
        ({"entity_ids": 7}, "INVALID_ARGUMENTS"),
        ({"entity_ids": [""]}, "INVALID_ARGUMENTS"),
        ({"entity_ids": [" "]}, "NAME_OR_ALIAS_REQUIRED"),
        ({"entity_ids": ["x" * 201]}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"] * 21}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"], "hops": 0}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"], "hops": 5}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"], "max_tokens": 10}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"], "project": 3}, "INVALID_ARGUMENTS"),
        ({"entity_ids": ["x"], "session_id": "s" * 201}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_malformed_expansion_is_refused(call, arguments, code):
    assert code == call("expand_context", **arguments)["error"]


# Of a question


@pytest.mark.parametrize("traversal", TRAVERSALS)
def test_a_question_in_lower_case_reaches_a_text_that_shares_no_word_with_it(office, traversal):
    answer = office("hydra_search", query="where is the boss of priya shah at home?", traversal=traversal)

    assert "Ben Okri moved to Lagos in March." in texts(answer)
    assert traversal in {source for chunk in answer["chunks"] for source in chunk["why"]} or traversal == "hybrid"
    assert {"from": "Priya Shah", "relation": "reports_to", "to": "Ben Okri", "confidence": 1.0} in [
        {key: each[key] for key in ("from", "relation", "to", "confidence")} for each in answer["verified_relations"]
    ]
    assert names(answer["seeds"]) == ["Priya Shah"]
    assert answer["context"] == answer["final_context"]
    assert answer["context"].startswith("[1] Source: ")


def test_the_answer_says_how_it_was_found(office):
    ranked = office("hydra_search", query="priya shah", traversal="hybrid")
    nearest = office("hydra_search", query="priya shah")

    assert (ranked["traversal"], nearest["traversal"], nearest["ppr"]) == ("hybrid", "bfs", None)
    assert {"bfs", "ppr"} <= ranked["chunks"][0]["why"].keys()
    assert ranked["ppr"]["converged"]
    assert 0 < ranked["ppr"]["iterations"] <= 50
    assert ranked["ppr"]["n_seeds"] >= 1
    assert ranked["ppr"]["n_scored"] > ranked["ppr"]["n_seeds"]
    assert ranked["bm25"] == {"enabled": True, "candidates": 1}
    assert ranked["chunks_total"] == len(ranked["chunks"])
    assert (ranked["rejected_vog"], ranked["avg_vog_score"]) == (0, None)
    assert len(ranked["chunks"]) == len(ranked["filtered"]) + ranked["rejected_vector"]


def test_a_relation_is_verified_by_the_text_that_names_both_ends(office, graph):
    tell(graph, "Chart", "Priya Shah reports to Ben Okri.")
    answer = office("hydra_search", query="whom does Priya Shah report to?")
    chunks = {chunk["id"]: chunk["text"] for chunk in answer["chunks"]}

    assert [chunks[id] for id in answer["verified"]] == ["Priya Shah reports to Ben Okri."]


@pytest.mark.parametrize(
    ("strategy", "traversal"),
    [("factoid", "bfs"), ("multi_hop", "hybrid"), ("temporal", "bfs"), ("comparative", "ppr")],
)
def test_a_strategy_chooses_the_traversal_where_none_is_given(office, strategy, traversal):
    answer = office("hydra_search", query="Atlas", strategy_override=strategy)

    assert (traversal, {"enabled": True, "strategy": strategy}) == (answer["traversal"], answer["planner"])
    assert office("hydra_search", query="Atlas", strategy_override=strategy, traversal="bfs")["traversal"] == "bfs"


@pytest.mark.parametrize("traversal", TRAVERSALS)
def test_an_empty_graph_and_a_question_that_names_nothing_have_an_answer(call, graph, traversal):
    empty = call("hydra_search", query="who tests the invoices?", traversal=traversal)
    tell(graph, "Garden", "the tulips are late this year.")
    answer = call("hydra_search", query="tulips", traversal=traversal)

    assert (empty["chunks"], empty["context"], empty["chunks_total"]) == ([], "", 0)
    assert texts(answer) == ["the tulips are late this year."]


def test_k_limits_the_texts_and_the_answer_says_so(office):
    answer = office("hydra_search", query="Priya Shah and Ben Okri", k=1)

    assert len(answer["chunks"]) == 1
    assert answer["truncated"]
    assert answer["chunks_total"] > 1


def test_a_question_keeps_to_its_project(office):
    office.graph.call("remember", text="The licence is paid.", project="Atlas")
    answer = office("hydra_search", query="licence or budget", project="Atlas", traversal="hybrid")

    assert texts(answer) == ["The licence is paid."]
    assert names(answer["about"]) == ["Atlas"]


def test_of_a_hub_only_so_much_is_looked_at_and_the_answer_says_so(call, monkeypatch):
    """
    What else is asked about does not lose its place to the hub.
    """
    monkeypatch.setattr(expansion, "MAX_EDGES_OF_NODE", 20)
    call(
        "record_facts",
        facts=[
            {"subject": person(f"Guest {number}"), "predicate": "belongs_to", "object": project("Fair")}
            for number in range(60)
        ],
    )
    call.record(person("Ada Moreau"), "reports_to", person("Ben Okri"))
    answer = call("hydra_search", query="the Fair and Ada Moreau", traversal="hybrid")
    around = call("expand_context", entity_ids=["Fair", "Ada Moreau"], hops=1)

    assert answer["graph_truncated"]
    assert around["truncated"]
    assert "Ada Moreau reports to Ben Okri" in [each["fact"] for each in around["facts"]]
    assert "Ben Okri" in [each["to"] for each in answer["verified_relations"]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "QUERY_REQUIRED"),
        ({"query": " "}, "QUERY_REQUIRED"),
        ({"query": "x", "k": 0}, "INVALID_ARGUMENTS"),
        ({"query": "x", "k": 51}, "INVALID_ARGUMENTS"),
        ({"query": "x", "hops": 0}, "INVALID_ARGUMENTS"),
        ({"query": "x", "traversal": "dfs"}, "INVALID_ARGUMENTS"),
        ({"query": "x", "strategy_override": "guess"}, "INVALID_ARGUMENTS"),
        ({"query": "x", "project": ["Atlas"]}, "INVALID_ARGUMENTS"),
        ({"query": "x", "session_id": 1}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_malformed_question_is_refused(call, arguments, code):
    assert code == call("hydra_search", **arguments)["error"]
