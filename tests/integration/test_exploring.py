"""What is around an entity: connections, timeline, neighbourhood, and the texts that speak of it."""

from __future__ import annotations

import hashlib
from collections import deque
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.engine.retrieval import neighbourhood, passages
from keepgraph.temporal import timestamps
from laws import examples
from words import Caller, Clock, concept, connected, counted, literal, person, project, rows

LONG_AGO = "2025-01-01"


def tell(
    graph: keepgraph.Graph, name: str, *pieces: str, at: str = "2026-05-01", kind: str = "text", source: str = ""
) -> str:
    """Let a text come in, in pieces, and wait to be read; returns its id."""
    with graph.database.write("test") as opened:
        tx = store.journal.begin_call(opened)
        text = "".join(pieces)
        episode = store.episodes.insert(
            tx,
            public_id=tx.new_id("ep"),
            kind=kind,
            name=name,
            source=source,
            digest=hashlib.sha256(text.encode()).hexdigest(),
            occurred_at=timestamps.parse(at, tx.zone),
            recorded_at=timestamps.from_datetime(tx.now),
        )
        for place, piece in enumerate(pieces):
            store.episodes.insert_chunk(
                tx,
                episode,
                position=place,
                text=piece,
                heading="",
                speaker=None,
                speaker_key=None,
                annotations=[],
                spaced=None,
            )
        return episode.id


def uuid_of(call: Caller, name: str) -> str:
    return call("explore_node", name=name, depth=1)["center_node"]["uuid"]


def names(nodes: list[dict[str, Any]]) -> list[str]:
    return [node["name"] for node in nodes]


@pytest.fixture
def team(call: Caller, clock: Clock) -> Caller:
    """Priya and Ben on Atlas, which depends on SQLite; Hermes depends on Atlas."""
    for subject, predicate, object, more in (
        (person("Priya"), "belongs_to", project("Atlas"), {"source": "standup", "valid_from": "2026-01-01"}),
        (person("Ben"), "belongs_to", project("Atlas"), {}),
        (person("Ben"), "reports_to", person("Priya"), {"confidence": 0.6}),
        (project("Atlas"), "depends_on", concept("SQLite"), {}),
        (project("Hermes"), "depends_on", project("Atlas"), {}),
        (person("Priya"), "tagged", literal("lead"), {}),
    ):
        clock.pass_by(minutes=1)
        call.record(subject, predicate, object, **more)
    return call


# Around one entity


def test_what_is_around_an_entity_comes_nearest_first_and_with_the_way_to_it(team):
    answer = team("explore_node", name="Priya")

    assert answer["center_node"]["name"] == "Priya"
    assert answer["center_node"]["labels"] == ["Person"]
    assert [(node["name"], node["distance"]) for node in answer["nodes"]] == [
        ("Atlas", 1),
        ("Ben", 1),
        ("Hermes", 2),
        ("SQLite", 2),
    ]
    assert [node["via"]["path"] for node in answer["nodes"]] == [
        "Priya -[belongs_to]-> Atlas",
        "Priya <-[reports_to]- Ben",
        "Priya -[belongs_to]-> Atlas <-[depends_on]- Hermes",
        "Priya -[belongs_to]-> Atlas -[depends_on]-> SQLite",
    ]
    assert answer["complete"]
    assert not answer["truncated"]


def test_every_way_ends_with_an_edge_that_is_shown(team):
    answer = team("explore_node", name="Priya", depth=4)
    edges = {edge["uuid"]: edge for edge in answer["edges"]}

    for node in answer["nodes"]:
        edge = edges[node["via"]["edge"]]
        assert {edge["source_node_uuid"], edge["target_node_uuid"]} == {node["uuid"], node["via"]["from"]}


def test_edges_carry_the_names_of_both_ends(team):
    edges = team("explore_node", name="Ben", depth=1)["edges"]

    assert {(edge["source_name"], edge["name"], edge["target_name"]) for edge in edges} == {
        ("Ben", "reports_to", "Priya"),
        ("Ben", "belongs_to", "Atlas"),
    }


def test_what_is_said_in_so_many_words_comes_as_facts(team):
    answer = team("explore_node", name="Priya")

    assert [(fact["fact"], fact["target_node_uuid"]) for fact in answer["facts"]] == [("Priya tagged lead", None)]


@pytest.mark.parametrize(
    ("depth", "reached"),
    [(1, ["B"]), (2, ["B", "C"]), (3, ["B", "C", "D"]), (4, ["B", "C", "D", "E"]), (10, ["B", "C", "D", "E"])],
)
def test_a_walk_goes_as_deep_as_it_is_told_but_no_deeper_than_four(call, depth, reached):
    for one, other in zip("ABCDE", "BCDEF", strict=True):
        call.record(concept(one), "depends_on", concept(other))
    answer = call("explore_node", name="A", depth=depth)

    assert names(answer["nodes"]) == reached
    assert answer["totals"]["depth"] == min(depth, 4)


def test_of_two_as_near_the_better_connected_comes_first_then_the_name(call):
    for name in ("Zoe", "Ada", "Mia"):
        call.record(person(name), "belongs_to", project("Atlas"))
    call.record(person("Mia"), "reports_to", person("Eve"))
    answer = call("explore_node", name="Atlas", depth=1)

    assert [(node["name"], node["degree"]) for node in answer["nodes"]] == [("Mia", 2), ("Ada", 1), ("Zoe", 1)]


@pytest.mark.parametrize("spelling", ["depends_on", "DEPENDS_ON", "DependsOn", "depends on", "Depends-On"])
def test_a_walk_keeps_to_the_types_of_edges_it_is_given(team, spelling):
    answer = team("explore_node", name="Atlas", edge_types=[spelling])

    assert names(answer["nodes"]) == ["Hermes", "SQLite"]
    assert {edge["name"] for edge in answer["edges"]} == {"depends_on"}
    assert answer["complete"]


def test_an_unknown_type_of_edge_is_an_error_with_near_ones(team):
    answer = team("explore_node", name="Atlas", edge_types=["DEPENDS_FROM"])

    assert answer["error"] == "PREDICATE_UNKNOWN"
    assert "depends_on" in answer["candidates"]


def test_what_has_ended_is_not_walked_and_the_past_can_be_asked_for(call, clock):
    call.record(person("Ada"), "belongs_to", project("Engines"), valid_from="2025-01-01", valid_to="2025-12-31")
    before = clock.now
    clock.pass_by(days=1)
    call.record(person("Ada"), "belongs_to", project("Notes"), valid_from="2026-01-01")

    assert names(call("explore_node", name="Ada")["nodes"]) == ["Notes"]
    assert names(call("explore_node", name="Ada", as_of="2025-06-01")["nodes"]) == ["Engines"]
    assert names(call("explore_node", name="Ada", as_of="2025-06-01", known_at=before.isoformat())["nodes"]) == [
        "Engines"
    ]
    assert names(call("explore_node", name="Ada", as_of="2026-02-01", known_at=before.isoformat())["nodes"]) == []


def test_a_circle_comes_to_an_end(call):
    for one, other in ("AB", "BC", "CA"):
        call.record(concept(one), "depends_on", concept(other))
    answer = call("explore_node", name="A", depth=4)

    assert [(node["name"], node["distance"]) for node in answer["nodes"]] == [("B", 1), ("C", 1)]
    assert len(answer["edges"]) == 3
    assert answer["complete"]


def test_what_is_left_out_is_counted(call):
    call("record_facts", facts=[_fact(person(f"P{number:03}"), project("Atlas")) for number in range(60)])
    answer = call("explore_node", name="Atlas", depth=1, limit=5)

    assert names(answer["nodes"]) == [f"P{number:03}" for number in range(5)]
    assert answer["totals"]["by_distance"] == [{"distance": 1, "nodes": 60, "exact": True}]
    assert (answer["complete"], answer["truncated"]) == (False, True)
    assert call("explore_node", name="Atlas", depth=1, limit=60)["complete"]


def test_a_walk_that_would_take_too_long_ends_and_says_so(call, monkeypatch):
    call("record_facts", facts=[_fact(person(f"P{number}"), project("Atlas")) for number in range(30)])
    monkeypatch.setattr(neighbourhood, "_MAX_FACTS_WALKED", 20)
    answer = call("explore_node", name="Atlas", depth=3, limit=100)

    assert answer["totals"]["by_distance"] == [{"distance": 1, "nodes": 20, "exact": False}]
    assert not answer["complete"]


def test_a_walk_that_ends_exactly_where_it_may_is_complete(call, monkeypatch):
    call("record_facts", facts=[_fact(person(f"P{number}"), project("Atlas")) for number in range(20)])
    monkeypatch.setattr(neighbourhood, "_MAX_FACTS_WALKED", 20)
    answer = call("explore_node", name="Atlas", depth=1, limit=100)

    assert answer["totals"]["by_distance"] == [{"distance": 1, "nodes": 20, "exact": True}]
    assert answer["complete"]


def test_of_many_facts_those_by_which_nodes_are_reached_are_shown_and_what_is_left_out_is_said(call):
    for number in range(7):
        call.record(person("Ada"), "depends_on", person("Ben"), valid_from=f"20{10 + number}-01-01")
        call.record(person("Ada"), "depends_on", person("Ben"), valid_from=f"20{10 + number}-02-01")
    call("record_facts", facts=[_fact(person("Ben"), project("Atlas"))])
    for number in range(20):
        call.record(person("Ada"), "reports_to", person("Ben"), valid_from=f"20{number:02}-03-01")
    answer = call("explore_node", name="Ada", depth=2, limit=2)

    assert {node["name"]: node["via"] is not None for node in answer["nodes"]} == {"Ben": True, "Atlas": True}
    assert "Ben belongs to Atlas" in [edge["fact"] for edge in answer["edges"]]
    assert len(answer["edges"]) == 6
    assert not answer["complete"]


def test_where_there_are_too_many_facts_to_tell_the_way_is_left_out(call, monkeypatch):
    call("record_facts", facts=[_fact(person(f"P{number}"), project("Atlas")) for number in range(30)])
    monkeypatch.setattr(neighbourhood, "_MAX_FACTS_BETWEEN", 10)
    answer = call("explore_node", name="Atlas", depth=1, limit=100)

    assert len(answer["nodes"]) == 30
    assert sum(node["via"] is None for node in answer["nodes"]) == 19
    assert not answer["complete"]


def _fact(subject: dict[str, str], object: dict[str, str]) -> dict[str, Any]:
    return {"subject": subject, "predicate": "belongs_to", "object": object}


@examples(10, sweep=300)
@given(
    links=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda link: link[0] != link[1]), max_size=25
    ),
    depth=st.integers(1, 4),
)
def test_distances_are_those_of_a_breadth_first_search(new_file, links, depth):
    with keepgraph.open(new_file(), clock=Clock(), new_id=counted()) as graph:
        call = Caller(graph)
        call.record(concept("N0"), "tagged", literal("start"))
        for one, other in links:
            call.record(concept(f"N{one}"), "depends_on", concept(f"N{other}"))
        answer = call("explore_node", name="N0", depth=depth, limit=500)
    expected = _distances(links, depth)

    assert expected == {node["name"]: node["distance"] for node in answer["nodes"]}
    assert answer["complete"]
    assert {
        frozenset((f"N{one}", f"N{other}"))
        for one, other in links
        if min(expected.get(f"N{one}", _FAR), expected.get(f"N{other}", _FAR), 0 if 0 in (one, other) else _FAR) < depth
    } == {frozenset((edge["source_name"], edge["target_name"])) for edge in answer["edges"]}


_FAR = 99


def _distances(links: list[tuple[int, int]], depth: int) -> dict[str, int]:
    found = {0: 0}
    waiting = deque([0])
    while waiting:
        here = waiting.popleft()
        for one, other in links:
            for near, far in ((one, other), (other, one)):
                if near == here and far not in found and found[here] < depth:
                    found[far] = found[here] + 1
                    waiting.append(far)
    return {f"N{node}": distance for node, distance in found.items() if node}


# Whom is meant


def test_a_mistyped_name_is_explored_only_with_its_method_and_score(team):
    answer = team("explore_node", name="Pirya")

    assert answer["center_node"]["name"] == "Priya"
    assert answer["resolution"]["method"] == "fuzzy"
    assert "fuzzy match" in answer["message"]


def test_a_near_miss_is_not_explored(call):
    call.record(project("Q3 2025"), "tagged", literal("done"))
    answer = call("explore_node", name="Q3 2026")

    assert answer["center_node"] is None
    assert answer["nodes"] == answer["edges"] == answer["facts"] == answer["communities"] == []
    assert names(answer["resolution"]["candidates"]) == ["Q3 2025"]


def test_of_two_that_are_called_the_same_neither_is_explored(call):
    call.record(person("Mercury"), "tagged", literal("singer"))
    call.record(project("Mercury"), "tagged", literal("probe"))

    assert call("explore_node", name="Mercury")["center_node"] is None
    assert len(call("explore_node", name="Mercury")["resolution"]["candidates"]) == 2
    assert call("explore_node", name="project:Mercury")["center_node"]["type"] == "project"


def test_what_is_not_there_is_an_answer_and_no_error(call):
    answer = call("explore_node", name="Nobody at all")

    assert "error" not in answer
    assert answer["message"] == "No node found matching “Nobody at all”"
    assert answer["center_node"] is None


@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": "  "}, {"node_uuid": ""}, {"node_name": "\t"}])
def test_somebody_has_to_be_named(call, arguments):
    answer = call("explore_node", **arguments)

    assert answer["error"] == "NAME_OR_ALIAS_REQUIRED"
    assert "node_name or node_uuid" in answer["message"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "Priya", "depth": 0}, "INVALID_ARGUMENTS"),
        ({"name": "Priya", "depth": "deep"}, "INVALID_ARGUMENTS"),
        ({"name": "Priya", "limit": 0}, "INVALID_ARGUMENTS"),
        ({"name": "Priya", "limit": 501}, "INVALID_ARGUMENTS"),
        ({"name": "x" * 201}, "NAME_OR_ALIAS_TOO_LONG"),
        ({"name": ["Priya"]}, "NAME_OR_ALIAS_REQUIRED"),
        ({"name": "Priya", "edge_types": [1]}, "INVALID_ARGUMENTS"),
        ({"name": "Priya", "as_of": "yesterday"}, "MOMENT_INVALID"),
        ({"node_uuid": "x" * 201}, "NAME_OR_ALIAS_TOO_LONG"),
        ({"name": "Priya", "group_ids": [7]}, "INVALID_ARGUMENTS"),
        ({"name": "Priya", "group_ids": [str(number) for number in range(51)]}, "INVALID_ARGUMENTS"),
    ],
)
def test_bad_input_is_refused(team, arguments, code):
    assert team("explore_node", **arguments)["error"] == code


def test_an_id_is_taken_in_any_letter_case_and_leads_to_what_it_was_merged_into(team):
    ben = uuid_of(team, "Ben")
    team.record(person("Benjamin"), "belongs_to", project("Atlas"))
    team("merge_entities", keep=person("Benjamin"), absorb=person("Ben"))
    answer = team("explore_node", node_uuid=ben.upper())

    assert answer["center_node"]["name"] == "Benjamin"
    assert answer["resolution"]["method"] == "alias"


def test_groups_are_kept_apart_unless_they_are_named(open_graph, team):
    other = Caller(open_graph(group="other"))
    other.record(person("Zelda"), "belongs_to", project("Triforce"))

    assert team("explore_node", name="Zelda")["center_node"] is None
    assert names(team("explore_node", name="Zelda", group_ids=["other"])["nodes"]) == ["Triforce"]
    assert team("explore_node", name="Zelda", group_ids=["default", "other"])["center_node"]["group_id"] == "other"
    assert team("explore_node", name="Zelda", group_ids=["no such group"])["center_node"] is None


def test_who_is_in_two_groups_is_not_guessed(open_graph, team):
    Caller(open_graph(group="other")).record(person("Priya"), "belongs_to", project("Triforce"))
    answer = team("explore_node", name="Priya", group_ids=["default", "other"])

    assert answer["center_node"] is None
    assert names(answer["resolution"]["candidates"]) == ["Priya", "Priya"]


def test_an_id_of_a_group_that_was_not_asked_for_is_no_answer(open_graph, team):
    other = Caller(open_graph(group="other"))
    other.record(person("Zelda"), "belongs_to", project("Triforce"))
    zelda = other("recall_entity", name_or_alias="Zelda")["entity"]["id"]

    assert team("explore_node", node_uuid=zelda, group_ids=["default"])["center_node"] is None
    assert team("explore_node", node_uuid=zelda, group_ids=["other"])["center_node"]["name"] == "Zelda"


def test_an_entity_comes_before_a_proposed_name_of_another_group(open_graph, team):
    other = Caller(open_graph(group="other"))
    other("remember", text="We moved it to SQLite, and SQLite was pleased.")
    answer = team("explore_node", name="SQLite", group_ids=["other", "default"])
    alone = team("explore_node", name="SQLite", group_ids=["other"])

    assert not answer["center_node"].get("proposed")
    assert alone["center_node"]["proposed"]


def test_a_proposed_fact_is_no_node(call):
    call("remember", text="Priya reports to Ada.")
    proposed = rows(call.graph.path, "SELECT public_id FROM proposal WHERE kind <> 'entity'")

    assert len(proposed) == 1
    assert call("explore_node", node_uuid=proposed[0][0])["center_node"] is None


# Texts


def test_texts_that_mention_an_entity_come_with_the_sentence_newest_first(team, graph):
    tell(graph, "Week 1", "Cold rain. Priya said that Django is out. More rain.", at="2026-05-01")
    tell(graph, "Week 2", "SQLite is in, says Priya.", at="2026-05-08")
    answer = team("explore_node", name="Priya")

    assert [(each["name"], each["chunk"]) for each in answer["episodes"]] == [
        ("Week 2", "SQLite is in, says Priya."),
        ("Week 1", "Priya said that Django is out."),
    ]
    assert answer["totals"]["episodes"] == 2
    assert {(each["name"], each["texts"]) for each in answer["mentioned_with"]} >= {("SQLite", 1), ("Django", 1)}


def test_a_name_that_is_only_proposed_can_be_explored(graph, call):
    tell(graph, "Tech stack", "Using Django with PostgreSQL")
    answer = call("explore_node", name="django")

    assert answer["center_node"]["proposed"]
    assert answer["center_node"]["uuid"].startswith("prop_")
    assert names(answer["episodes"]) == ["Tech stack"]
    assert names(answer["mentioned_with"]) == ["PostgreSQL"]
    assert call("explore_node", node_uuid=answer["center_node"]["uuid"])["center_node"] == answer["center_node"]


def test_more_names_in_the_same_text_than_are_shown_are_said_to_be_cut(call, graph):
    for number in range(25):
        call.record(concept(f"Part{number:02}"), "tagged", literal("x"))
    call.record(project("Atlas"), "tagged", literal("x"))
    tell(graph, "Parts", f"Atlas has {', '.join(f'Part{number:02}' for number in range(25))}.")
    answer = call("explore_node", name="Atlas")

    assert names(answer["mentioned_with"]) == [f"Part{number:02}" for number in range(20)]
    assert (answer["complete"], answer["truncated"]) == (True, True)


def test_texts_are_left_out_where_other_edges_are_asked_for(team, graph):
    tell(graph, "Week 1", "Priya said that Django is out.")

    assert team("explore_node", name="Priya", edge_types=["belongs_to"])["episodes"] == []
    assert len(team("explore_node", name="Priya", edge_types=["MENTIONED_IN"])["episodes"]) == 1


def test_the_past_has_no_texts_of_later_times(team, graph):
    tell(graph, "Week 1", "Priya said that Django is out.", at="2026-05-01")

    assert team("explore_node", name="Priya", as_of="2026-04-01")["episodes"] == []


def test_communities_that_an_entity_belongs_to_are_named(team, path):
    with connected(path) as conn:
        row = conn.execute("SELECT id FROM entity WHERE name = 'Priya'").fetchone()[0]
        conn.execute(
            "INSERT INTO community (public_id, group_id, name, summary, created_at) VALUES (?, 'default', ?, ?, ?)",
            (f"com_{1:026}", "Storage", "Who keeps things", "2026-05-01T00:00:00.000Z"),
        )
        conn.execute("INSERT INTO community_member VALUES (1, ?)", (row,))
    answer = team("explore_node", name="Priya")

    assert [(each["name"], each["member_count"]) for each in answer["communities"]] == [("Storage", 1)]


@pytest.mark.parametrize(
    ("text", "word", "quoted"),
    [
        ("One. Two has Ada in it. Three.", "Ada", "Two has Ada in it."),
        ("# Ada\n\nThe first.", "Ada", "Ada"),
        ("- Milk\n- Ada came\n- Bread", "Ada", "Ada came"),
        ("一つ。アダが来た。三つ。", "アダ", "アダが来た。"),
        ("Ada", "Ada", "Ada"),
        ("No sentence says it.", None, "No sentence says it."),
        ("line one is\n   Ada", "Ada", "Ada"),
        ("...", None, "..."),
    ],
)
def test_a_quote_is_the_sentence_around_the_words(text, word, quoted):
    start = text.find(word) if word else None
    stop = None if start is None else start + len(word)

    assert passages.quote(text, start, stop) == quoted


@pytest.mark.parametrize("start", [0, 10, 400, 777])
def test_a_long_sentence_is_cut_around_the_words(start):
    text = f"{'x ' * (start // 2)}Ada{' y' * ((800 - start) // 2)}"
    quoted = passages.quote(text, text.find("Ada"), text.find("Ada") + 3)

    assert "Ada" in quoted
    assert len(quoted) <= 302


# Connections


def test_connections_are_all_facts_on_either_side_newest_first(team):
    answer = team("get_entity_connections", entity_uuid=uuid_of(team, "Priya"))

    assert [fact["fact"] for fact in answer["facts"]] == [
        "Priya tagged lead",
        "Ben reports to Priya",
        "Priya belongs to Atlas",
    ]
    assert (answer["total"], answer["truncated"]) == (3, False)


def test_ended_facts_are_connections_too_and_retracted_ones_are_not(team):
    ended = team.record(person("Priya"), "belongs_to", project("Hermes"), valid_from=LONG_AGO, valid_to="2025-06-30")
    wrong = team.record(person("Priya"), "belongs_to", project("Nowhere"))
    team("retract_fact", fact_id=wrong["fact_id"])
    facts = team("get_entity_connections", entity_uuid="Priya")["facts"]
    shown = {fact["uuid"]: fact for fact in facts}

    assert shown[ended["fact_id"]]["invalid_at"] == "2025-07-01T00:00:00.000+02:00"
    assert wrong["fact_id"] not in shown


def test_mentions_are_connections_that_quote_the_text(team, graph):
    episode = tell(graph, "Week 1", "Cold rain. Priya said that Ben is out.")
    answer = team("get_entity_connections", entity_uuid="Priya")
    mention = answer["facts"][-1]

    assert mention["name"] == "mentioned_in"
    assert mention["fact"] == "Priya is mentioned in “Week 1”: Priya said that Ben is out."
    assert mention["episodes"] == [mention["target_node_uuid"]] == [episode]
    assert mention["mentioned_with"] == ["Ben"]
    assert (answer["total_facts"], answer["total_mentions"], answer["total"]) == (3, 1, 4)


def test_going_on_with_offset_reaches_every_connection_once(team, graph):
    for week in range(1, 6):
        tell(graph, f"Week {week}", f"Priya was here in week {week}.", at=f"2026-05-{week:02}")
    whole = team("get_entity_connections", entity_uuid="Priya")
    reached = []
    for offset in range(0, 10, 2):
        page = team("get_entity_connections", entity_uuid="Priya", max_connections=2, offset=offset)
        reached += [fact["uuid"] for fact in page["facts"]]
        assert page["truncated"] == (len(reached) < 8)

    assert [fact["uuid"] for fact in whole["facts"]] == reached
    assert len(set(reached)) == 8


def test_new_texts_are_new_connections(team, graph):
    before = team("get_entity_connections", entity_uuid="SQLite")
    tell(graph, "New service", "The notification service will use SQLite like the other one.")
    after = team("get_entity_connections", entity_uuid="SQLite")

    assert len(after["facts"]) == len(before["facts"]) + 1


def test_a_name_that_is_only_proposed_has_connections(graph, call):
    tell(graph, "Tech stack", "Using Django with PostgreSQL")
    uuid = call("explore_node", name="Django")["center_node"]["uuid"]
    answer = call("get_entity_connections", entity_uuid=uuid)

    assert len(answer["facts"]) == 1
    assert any("PostgreSQL" in str(fact) for fact in answer["facts"])
    assert answer["entity"]["proposed"]


CONNECTIONS = pytest.mark.parametrize("tool", ["get_entity_connections", "get_entity_timeline"])
UNKNOWN = [f"ent_{9999:026}", f"prop_{9999:026}", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", f" ENT_{9999:026}"]
ILL_FORMED = ["invalid-uuid", "", "  ", "ent_123", "prop_", "not-a-uuid", "3f2504e0-4f89-11d3-9a0c", "\u3000", "🦊"]


@CONNECTIONS
@pytest.mark.parametrize("uuid", UNKNOWN)
def test_an_id_that_nothing_has_is_an_empty_answer(team, tool, uuid):
    answer = team(tool, entity_uuid=uuid)

    assert "error" not in answer
    assert answer["message"].startswith(("No connections found for entity", "No episodes found mentioning entity"))
    assert (answer["total"], answer["truncated"], answer["entity"]) == (0, False, None)


@CONNECTIONS
@pytest.mark.parametrize("uuid", ILL_FORMED)
def test_what_is_neither_an_id_nor_a_name_is_an_error_that_says_so(team, tool, uuid):
    answer = team(tool, entity_uuid=uuid)

    assert answer["error"] == "ENTITY_NOT_FOUND"
    assert answer["message"].startswith(("No connections found for entity", "No episodes found mentioning entity"))


@CONNECTIONS
def test_a_name_or_an_alias_will_do_if_only_one_has_it(team, tool):
    team("add_alias", entity=person("Priya"), alias="PR")
    team.record(project("Ben"), "tagged", literal("clock"))

    assert team(tool, entity_uuid="pr")["entity"]["name"] == "Priya"
    assert team(tool, entity_uuid="person:Ben")["entity"]["type"] == "person"
    assert team(tool, entity_uuid="Ben")["error"] == "AMBIGUOUS"
    assert team(tool, entity_uuid="Prya")["error"] == "ENTITY_NOT_FOUND"
    assert names(team(tool, entity_uuid="Prya")["candidates"]) == ["Priya"]


@CONNECTIONS
def test_the_id_of_what_was_merged_leads_to_what_was_kept(team, tool):
    ben = uuid_of(team, "Ben")
    team.record(person("Benjamin"), "belongs_to", project("Atlas"))
    team("merge_entities", keep=person("Benjamin"), absorb=person("Ben"))

    assert team(tool, entity_uuid=ben)["entity"]["name"] == "Benjamin"


@CONNECTIONS
@pytest.mark.parametrize("number", [0, -1, 1001, "many", 1.5])
def test_a_number_out_of_range_is_refused(team, tool, number):
    parameter = "max_connections" if tool == "get_entity_connections" else "max_episodes"

    assert team(tool, entity_uuid="Priya", **{parameter: number})["error"] == "INVALID_ARGUMENTS"
    assert "error" not in team(tool, entity_uuid="Priya", **{parameter: 1000})
    assert "error" not in team(tool, entity_uuid="Priya", **{parameter: 1})


def test_connections_can_be_kept_to_groups(team, open_graph):
    other = Caller(open_graph(group="other"))
    other.record(person("Zelda"), "belongs_to", project("Triforce"))
    zelda = uuid_of(other, "Zelda")

    assert team("get_entity_connections", entity_uuid=zelda)["total"] == 1
    assert team("get_entity_connections", entity_uuid=zelda, group_ids=["other", "default"])["total"] == 1
    assert team("get_entity_connections", entity_uuid=zelda, group_ids=["default"])["facts"] == []
    assert team("get_entity_connections", entity_uuid=zelda, group_ids=["non-existent-group"])["facts"] == []
    assert team("get_entity_connections", entity_uuid="Priya", group_ids=["non-existent-group"])["facts"] == []
    assert team("get_entity_connections", entity_uuid="Zelda", group_ids=["other"])["total"] == 1
    assert team("get_entity_connections", entity_uuid="Zelda")["error"] == "ENTITY_NOT_FOUND"


# Timeline


@pytest.fixture
def weeks(team: Caller, graph: keepgraph.Graph) -> Caller:
    """Three texts that come in out of order."""
    for week, day in ((2, "2026-05-08"), (3, "2026-05-15"), (1, "2026-05-01")):
        tell(graph, f"Week {week}", f"Rain. Atlas came to week {week}.", at=day)
    tell(graph, "Else", "Nothing but rain.")
    return team


def test_a_timeline_is_in_the_order_of_the_time_told_of(weeks):
    answer = weeks("get_entity_timeline", entity_uuid=uuid_of(weeks, "Atlas"))

    assert names(answer["episodes"]) == ["Week 1", "Week 2", "Week 3"]
    assert answer["episodes"][0]["content"] == "Rain. Atlas came to week 1."
    assert answer["episodes"][0]["chunk"] == "Atlas came to week 1."
    assert answer["episodes"][0]["valid_at"] == "2026-05-01T00:00:00.000+02:00"
    assert (answer["total"], answer["truncated"]) == (3, False)


def test_both_ends_of_a_timeline_can_be_reached(weeks):
    oldest = weeks("get_entity_timeline", entity_uuid="Atlas", max_episodes=2)
    newest = weeks("get_entity_timeline", entity_uuid="Atlas", max_episodes=2, newest_first=True)
    rest = weeks("get_entity_timeline", entity_uuid="Atlas", max_episodes=2, offset=2)

    assert (names(oldest["episodes"]), oldest["truncated"]) == (["Week 1", "Week 2"], True)
    assert (names(newest["episodes"]), newest["truncated"]) == (["Week 3", "Week 2"], True)
    assert (names(rest["episodes"]), rest["truncated"]) == (["Week 3"], False)


def test_a_text_that_mentions_an_entity_often_is_there_once(team, graph):
    tell(graph, "Notes", "Atlas is late. ", "Atlas is very late.")
    answer = team("get_entity_timeline", entity_uuid="Atlas")

    assert [each["chunk"] for each in answer["episodes"]] == ["Atlas is late."]
    assert team("get_entity_connections", entity_uuid="Atlas")["total_mentions"] == 2


def test_a_long_text_is_cut_and_says_so(team, graph):
    tell(graph, "Notes", "Atlas is late. " + "x" * 9_000)
    episode = team("get_entity_timeline", entity_uuid="Atlas")["episodes"][0]

    assert len(episode["content"]) == 4_000
    assert episode["content_truncated"]


def test_a_timeline_tells_when_facts_began_and_ended(call):
    call.record(person("Ada"), "belongs_to", project("Engines"), valid_from="2025-01-01", valid_to="2025-12-31")
    call.record(person("Ada"), "belongs_to", project("Notes"))
    call.record(person("Ada"), "belongs_to", project("Looms"), valid_to="2024-12-31")
    answer = call("get_entity_timeline", entity_uuid="Ada", include_events=True)

    assert [(event["at"][:10], event["what"], event["fact"]) for event in answer["events"]] == [
        ("2025-01-01", "ended", "Ada belongs to Looms"),
        ("2025-01-01", "began", "Ada belongs to Engines"),
        ("2026-01-01", "ended", "Ada belongs to Engines"),
        ("2026-05-15", "began", "Ada belongs to Notes"),
    ]
    assert call("get_entity_timeline", entity_uuid="Ada")["events"] == []


def test_the_timeline_of_a_name_that_is_only_proposed(graph, call):
    for week in (1, 2, 3):
        tell(graph, f"Week {week}", f"The Django evaluation went on, week {week}.", at=f"2026-05-0{week}")
    answer = call("get_entity_timeline", entity_uuid="Django")

    assert names(answer["episodes"]) == ["Week 1", "Week 2", "Week 3"]


# One fact


def test_a_fact_comes_with_every_source_that_said_so(team, clock):
    first = team.record(person("Priya"), "belongs_to", project("Atlas"), source="standup")
    clock.pass_by(days=1)
    team.record(person("Priya"), "belongs_to", project("Atlas"), source="the org chart", confidence=0.9)
    edge = team("get_entity_edge", uuid=f" {first['fact_id'].upper()} ")

    assert (edge["source_name"], edge["name"], edge["target_name"]) == ("Priya", "belongs_to", "Atlas")
    assert [each["source"] for each in edge["sources"]] == ["standup", "standup", "the org chart"]


def test_a_retracted_fact_can_be_looked_at_and_says_when_it_expired(team):
    wrong = team.record(person("Priya"), "belongs_to", project("Nowhere"))
    team("retract_fact", fact_id=wrong["fact_id"])

    assert team("get_entity_edge", uuid=wrong["fact_id"])["expired_at"] is not None


def test_a_mention_can_be_looked_at_as_a_fact(team, graph):
    tell(graph, "Week 1", "Priya said that Django is out.")
    for name in ("Priya", "Django"):
        mention = team("get_entity_connections", entity_uuid=name)["facts"][-1]
        edge = team("get_entity_edge", uuid=mention["uuid"])

        assert {**mention, "sources": []} == edge


@pytest.mark.parametrize(
    "uuid", [f"fact_{9999:026}", "fact_1", "nonsense", "", "mention:1:1", "mention:x:y", f"ent_{1:026}", "x" * 101]
)
def test_a_fact_that_is_not_there_is_an_error(team, uuid):
    assert team("get_entity_edge", uuid=uuid)["error"] == "FACT_NOT_FOUND"


# Who there is


def test_entities_are_listed_by_name_and_counted(team):
    answer = team("list_entities", limit=2, offset=1)

    assert names(answer["entities"]) == ["Ben", "Hermes"]
    assert (answer["count"], answer["total"], answer["truncated"]) == (2, 5, True)
    assert names(team("list_entities")["entities"]) == ["Atlas", "Ben", "Hermes", "Priya", "SQLite"]


def test_entities_are_listed_by_type(team):
    answer = team("list_entities", type="project")

    assert (names(answer["entities"]), answer["total"], answer["truncated"]) == (["Atlas", "Hermes"], 2, False)
    assert team("list_entities", type="planet")["error"] == "ENTITY_TYPE_UNKNOWN"


def test_another_project_has_entities_of_its_own(team, open_graph):
    Caller(open_graph(group="other")).record(person("Zelda"), "tagged", literal("princess"))

    assert names(team("list_entities", project="other")["entities"]) == ["Zelda"]
    assert (team("list_entities", project="none")["total"], team("list_entities", project="none")["entities"]) == (
        0,
        [],
    )


# What to know before going on


def test_a_conversation_is_primed_with_texts_facts_and_neighbours(team, graph):
    tell(graph, "Storage", "We keep the events of Atlas in SQLite for a year.", source="docs/storage.md")
    tell(graph, "Garden", "The tulips are late this year.")
    answer = team("priming_context", query="where does Atlas keep its events?", k=1)

    assert [(chunk["source"], chunk["text"]) for chunk in answer["chunks"]] == [
        ("docs/storage.md", "We keep the events of Atlas in SQLite for a year.")
    ]
    assert answer["context"].startswith("[1] Source: docs/storage.md\nWe keep the events of Atlas")
    assert "\n---\nFacts\n- " in answer["context"]
    assert answer["entities"] == ["Atlas", "SQLite"]
    assert "Atlas depends on SQLite" in [fact["fact"] for fact in answer["facts"]]
    assert {"Priya", "Ben", "Hermes", "SQLite"} == set(names(answer["neighbours"]))


def test_priming_keeps_to_its_project(team, graph, open_graph):
    tell(graph, "Storage", "We keep the events of Atlas in SQLite.")
    answer = team("priming_context", query="events of Atlas", project="other")

    assert (answer["chunks"], answer["facts"], answer["context"], answer["project"]) == ([], [], "", "other")


@pytest.mark.parametrize(("arguments", "code"), [({"query": ""}, "QUERY_REQUIRED"), ({"query": " "}, "QUERY_REQUIRED")])
def test_priming_needs_a_question(call, arguments, code):
    assert call("priming_context", **arguments)["error"] == code


def test_every_time_in_an_answer_has_an_offset(weeks):
    answer = weeks("get_entity_timeline", entity_uuid="Atlas", include_events=True)
    times = [each[key] for each in answer["episodes"] for key in ("valid_at", "created_at")]
    times += [event["at"] for event in answer["events"]]

    assert all(datetime.fromisoformat(time).tzinfo for time in times)


def test_looking_around_changes_nothing(weeks, path):
    before = _rows(path)
    for tool in ("get_entity_connections", "get_entity_timeline"):
        weeks(tool, entity_uuid="Atlas")
    weeks("explore_node", name="Atlas")
    weeks("explore_node", name="Nobody")

    assert before == _rows(path)


def _rows(path: Path) -> dict[str, int]:
    with connected(path) as conn:
        return {
            table: conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("entity", "fact", "call")
        }
