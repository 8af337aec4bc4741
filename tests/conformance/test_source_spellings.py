"""What the five source systems call tools, arguments and values: each of their enums and other names is answered."""

from __future__ import annotations

from typing import Any

import pytest

import keepgraph
from keepgraph.tools.contract import catalogue
from words import Caller, person

TO_VECTORS = {"tool_name": "out_step", "args": {"edge_type": "vec", "edge_label": "Triplet_to_Embedding"}}
ANA, BEA = person("Ana Ruiz"), person("Bea Stahl")


@pytest.fixture
def call(graph: keepgraph.Graph) -> Caller:
    """Bea knows Ana, who is in two texts; Bea is in one."""
    call = Caller(graph)
    call.record(BEA, "knows", ANA)
    call("add_memory", name="Monday", episode_body="Ana Ruiz met Bea Stahl.", reference_time="2026-05-04")
    call("add_memory", name="Tuesday", episode_body="Ana Ruiz called.", reference_time="2026-05-05")
    return call


ENUMS = [
    *(("search", {"query": "Ana", "search_mode": mode}) for mode in ("nodes", "edges", "communities", "combined")),
    *(
        ("search", {"query": "Ana", "reranker": reranker, "center_node_uuid": "Ana Ruiz"})
        for reranker in ("rrf", "mmr", "node_distance", "episode_mentions")
    ),
    *(
        ("search", {"query": "Ana", "intent": intent, "center_node_uuid": "Ana Ruiz"})
        for intent in ("exhaustive", "precise", "neighborhood", "diverse", "temporal", "path", "importance")
    ),
    *(("search_ontology", {"query": "person", "reranker": reranker}) for reranker in ("rrf", "mmr")),
    *(
        ("add_memory", {"name": "A note", "episode_body": '{"a": 1}', "source": source})
        for source in ("text", "json", "message")
    ),
    *(("hydra_search_tool", {"query": "Ana", "traversal": mode}) for mode in ("", "bfs", "ppr", "hybrid")),
    *(
        ("hydra_search_tool", {"query": "Ana", "strategy_override": strategy})
        for strategy in ("", "factoid", "multi_hop", "temporal", "comparative")
    ),
    *(
        ("query_entity_relations", {"entity_id": "Ana Ruiz", "direction": direction})
        for direction in ("outgoing", "incoming", "both")
    ),
]


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("tool", "arguments"), ENUMS)
def test_every_value_of_an_enum_of_a_source_is_answered(call, tool, arguments):
    answer = call(tool, **arguments)

    assert "error" not in answer


@pytest.mark.parametrize("operator", ["==", "!=", ">", ">=", "<", "<="])
@pytest.mark.parametrize("edge_type", ["node", "vec"])
def test_every_operator_and_edge_type_of_a_traversal_is_answered(call, operator, edge_type):
    handle = {"connection_id": call("mcp/init")["connection_id"]}
    properties = [[{"key": "summary", "operator": operator, "value": "Bea Stahl knows Ana Ruiz"}]]
    answers = [
        call("mcp/n_from_type", **handle, data={"node_type": "Triplet"}),
        call("mcp/filter_items", **handle, data={"filter": {"properties": properties}}),
        call("mcp/n_from_type", **handle, data={"node_type": "Triplet"}),
        call("mcp/out_step", **handle, data={"edge_type": edge_type, "edge_label": "Triplet_to_Embedding"})
        if edge_type == "vec"
        else call("mcp/out_step", **handle, data={"edge_type": edge_type, "edge_label": "Triplet_to_Subject"}),
        call("mcp/collect", **handle, range={"start": 0, "end": -1}, drop=False),
        call("mcp/next", **handle),
        call("mcp/reset", **handle),
    ]

    assert not [answer for answer in answers if "error" in answer]
    assert answers[4]["count"] == 1


def test_a_step_in_a_filter_has_its_other_names_too(call):
    handle = {"connection_id": call("mcp/init")["connection_id"]}
    call("mcp/n_from_type", **handle, data={"node_type": "Entity"})
    step = {"tool_name": "mcp/out_step", "args": {"edge_type": "node", "edge_label": "knows"}}
    filtered = call("mcp/filter_items", **handle, data={"filter": {"filter_traversals": [step]}})

    assert "error" not in filtered


@pytest.mark.parametrize(
    "steps",
    [
        [{"tool": "e_from_type", "edge_type": "Triplet_to_Embedding"}],
        [{"tool": "mcp/search_vector_text", "data": {"query": "who", "label": "Triplet_Embedding"}}],
        [
            {"tool": "n_from_type", "node_type": "Triplet"},
            {"tool": "out_step", "edge_type": "vec", "edge_label": "Triplet_to_Embedding"},
        ],
        [
            {"tool": "n_from_type", "node_type": "Triplet"},
            {"tool": "out_e_step", "edge_label": "Triplet_to_Embedding"},
        ],
        [
            {"tool": "n_from_type", "data": {"node_type": "Triplet"}},
            {"tool": "filter_items", "data": {"filter": {"filter_traversals": [TO_VECTORS]}}},
        ],
    ],
)
def test_the_way_to_vectors_makes_those_that_are_missing(call, steps):
    """
    In a chain too: each begins on a graph without vectors.
    """
    assert call("traverse", steps=steps)["count"] == 1


def test_a_number_without_a_fraction_is_a_whole_number(call):
    """
    JSON Schema takes 1.0 for an integer, and some clients write so.
    """
    handle = {"connection_id": call("mcp/init")["connection_id"]}
    call("mcp/search_keyword", **handle, data={"query": "Ana Bea", "label": "Entity", "limit": 2.0})
    collected = call("mcp/collect", **handle, range={"start": 1.0, "end": 2.0})

    assert collected["count"] == 1
    assert call("search", query="Ana", limit=1.0) | {"execution_ms": 0} == call("search", query="Ana", limit=1) | {
        "execution_ms": 0
    }
    assert call("search", query="Ana", limit=1.5)["error"] == "INVALID_ARGUMENTS"


def test_no_groups_are_the_group_of_the_graph(call):
    assert call("get_episodes", group_ids=[]) == call("get_episodes")


@pytest.mark.parametrize("alias", sorted(catalogue.TOOL_ALIASES))
@pytest.mark.parametrize("prefix", ["", *catalogue.ALIAS_PREFIXES])
def test_a_tool_answers_to_the_names_that_sources_give_it(alias, prefix):
    assert catalogue.find(prefix + alias).name == catalogue.TOOL_ALIASES[alias]


@pytest.mark.parametrize("tool", sorted({*catalogue.ARGUMENT_ALIASES, *catalogue.VALUE_ALIASES, *catalogue.DEFAULTS}))
def test_what_an_alias_stands_for_is_an_argument_of_its_tool(tool):
    from keepgraph.tools.contract import schemas

    found = catalogue.find(tool)
    arguments = schemas.load(found.toolset, found.name, "input")["properties"]
    meant = {
        *catalogue.ARGUMENT_ALIASES.get(tool, {}).values(),
        *catalogue.VALUE_ALIASES.get(tool, {}),
        *catalogue.DEFAULTS.get(tool, {}),
    }

    assert meant <= arguments.keys()
    assert not catalogue.ARGUMENT_ALIASES.get(tool, {}).keys() & arguments.keys()


def names(answer: dict[str, Any], kind: str) -> list[str]:
    return [each["name"] for each in answer[kind]]


def test_directions_are_those_of_the_source_and_ours(call):
    of_ana = {"entity_id": "Ana Ruiz"}
    incoming = call("query_entity_relations", **of_ana, direction="incoming")

    assert [fact["from"] for fact in incoming["facts"]] == ["Bea Stahl"]
    assert call("query_entity_relations", **of_ana, direction="in") == incoming
    assert call("query_entity_relations", **of_ana, direction="out")["facts"] == []


def test_search_episodes_finds_texts_alone(call):
    found = call("search_episodes", query="Ana Ruiz", max_episodes=1)

    assert (len(found["episodes"]), found["nodes"], found["edges"]) == (1, [], [])


def test_a_text_is_a_list_of_one_where_a_list_of_texts_is_wanted(call):
    one, other = (
        call("get_episodes", **group, last_n=1) for group in ({"group_id": "default"}, {"group_ids": "default"})
    )

    assert one == other
    assert names(one, "episodes") == ["Tuesday"]


def test_a_path_names_the_relations_on_it(call):
    assert call("trace_path_tool", from_entity="Ana Ruiz", to_entity="Bea Stahl")["relations"] == ["knows"]


def test_episode_mentions_put_what_most_texts_mention_first(call):
    found = call("search", query="Bea Stahl", search_mode="nodes", reranker="episode_mentions")["nodes"]
    counts = [node["why"]["episode_mentions"]["score"] for node in found]

    assert counts == sorted(counts, reverse=True)
    assert found[0]["name"] == "Ana Ruiz"


def test_searching_communities_before_there_are_any_says_how_to_find_them(call):
    assert "build_communities" in call("search", query="Ana", search_mode="communities")["hint"]
    assert "hint" not in call("search", query="Ana", search_mode="nodes")


@pytest.mark.parametrize(
    ("since", "until", "texts"),
    [
        ("2026-05-05", None, ["Tuesday"]),
        (None, "2026-05-04", ["Monday"]),
        ("2026-05-04", "2026-05-05", ["Monday", "Tuesday"]),
        ("2026-05-06", None, []),
    ],
)
def test_a_timeline_and_connections_are_of_a_range_of_time(call, since, until, texts):
    span = {name: value for name, value in (("since", since), ("until", until)) if value}
    timeline = call("get_entity_timeline", entity_uuid="Ana Ruiz", **span)
    connections = call("get_entity_connections", entity_uuid="Ana Ruiz", **span)

    assert (names(timeline, "episodes"), timeline["total"]) == (texts, len(texts))
    assert connections["total_mentions"] == len(texts)


def test_connections_leave_out_facts_that_did_not_hold_then(call):
    call.record(
        ANA, "works_at", {"type": "organisation", "name": "Acme"}, valid_from="2020-01-01", valid_to="2021-12-31"
    )
    held = [
        "works_at" in names(call("get_entity_connections", entity_uuid="Ana Ruiz", since=since, until=until), "facts")
        for since, until in (("2021-01-01", "2021-06-01"), ("2022-01-01", "2023-01-01"), ("2019-01-01", "2019-12-31"))
    ]

    assert held == [True, False, False]


def test_a_range_of_time_that_ends_before_it_begins_is_refused(call):
    refused = call("get_entity_timeline", entity_uuid="Ana Ruiz", since="2026-05-05", until="2026-05-04")

    assert refused["error"] == "MOMENT_INVALID"


def test_the_schema_of_a_traversal_names_queries_with_their_parameters(call):
    queries = call("schema_resource", connection_id=call("init")["connection_id"])["queries"]
    recall = next(query for query in queries if query["name"] == "recall_entity")

    assert recall["parameters"]["name_or_alias"] == "String"
    assert "entity" in recall["returns"]


def test_vectors_are_given_as_numbers_on_request(call):
    handle = {"connection_id": call("init")["connection_id"]}
    call("search_vector_text", **handle, data={"query": "who knows Ana", "label": "Triplet_Embedding"})
    plain, with_numbers = (
        call("collect", **handle, drop=False, include_vector=shown)["items"][0] for shown in (False, True)
    )

    assert "data" not in plain
    assert len(with_numbers["data"]) == with_numbers["dimension"]
    assert sum(number**2 for number in with_numbers["data"]) == pytest.approx(1, abs=0.001)


def test_a_search_by_vectors_says_which_wait(call, monkeypatch):
    from keepgraph.tools.contract import catalogue

    handle = {"connection_id": call("init")["connection_id"]}
    call("search_vector_text", **handle, data={"query": "who", "label": "Triplet_Embedding"})
    call.record(ANA, "lives_in", {"type": "place", "name": "Porto"})
    monkeypatch.setattr(catalogue, "is_missing", lambda *_: False)  # as where a background makes them
    answer = call("search_vector_text", **handle, data={"query": "who", "label": "Triplet_Embedding"})

    assert answer["notes"] == ["1 fact has no vector yet, and cannot be found by one"]


@pytest.mark.parametrize("variable", ["KG_PROJECT", "HYDRAMEM_PROJECT"])
@pytest.mark.parametrize("left_out", [{}, {"project": ""}])
def test_the_default_project_comes_from_the_environment(tmp_path, monkeypatch, variable, left_out):
    monkeypatch.setenv(variable, "Atlas")
    with keepgraph.open(tmp_path / "graph.db") as graph:
        kept = graph.call("remember", text="The licence comes on Friday.", **left_out)
        other = graph.call("remember", text="The licence is here.", project="Borealis")
        read = graph.call("priming_context", query="licence", **left_out)

    assert (kept["project"], read["project"], other["project"]) == ("Atlas", "Atlas", "Borealis")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_entities_tool", {}),
        ("remember", {"text": "The licence is here."}),
        ("ingest_prechunked", {"source": "a note", "doc_id": "", "chunks": [{"text": "The licence is here."}]}),
        ("submit_session_extraction", {"entities": [], "relations": []}),
    ],
)
def test_an_empty_project_or_conversation_is_one_left_out(call, tool, arguments):
    answer = call(tool, **arguments, project="", session_id="")

    assert answer["project"] == "default"


def test_search_reaches_what_edges_link_to_what_the_question_names(call):
    call(
        "extend_vocabulary",
        types={"recommendation": {"parents": ["document"]}, "occurrence": {"parents": ["event"]}},
        predicates={"stems_from": {"sources": ["recommendation"], "targets": ["occurrence"]}, "involves": {}},
    )
    for number, maker in enumerate(["Airbus A320", "Boeing 737", "Airbus A350"]):
        occurrence = {"type": "occurrence", "name": f"Event {number}"}
        call.record({"type": "recommendation", "name": f"SR {number}"}, "stems_from", occurrence)
        call.record(occurrence, "involves", {"type": "product", "name": maker})
    found = call("search", query="Airbus safety issues", entity_types=["Recommendation"], edge_types=["STEMS_FROM"])

    assert sorted(names(found, "nodes")) == ["SR 0", "SR 2"]


def test_a_relation_makes_no_second_entity_of_a_name_that_is_known(call):
    for entity_type in ("organisation", "event"):
        call("add_entity", entity={"type": entity_type, "name": "Porto"})
    refused = call("create_relation", from_entity="Ana Ruiz", relation_type="lives_in", to_entity="Porto")
    typed = call(
        "create_relation", from_entity="Ana Ruiz", relation_type="lives_in", to_entity="Porto", to_type="place"
    )

    assert refused["error"] == "AMBIGUOUS"
    assert {candidate["type"] for candidate in refused["candidates"]} == {"organisation", "event"}
    assert typed["created"]
