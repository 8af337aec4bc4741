"""What `project` means: the group with this id, or the project of this name; and what other groups hold."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from words import Caller, Clock, concept, decision, literal, person, project


@pytest.fixture
def other_group(open_graph) -> Caller:
    """A group of its own, as earlier versions made one of each project of a text."""
    other = Caller(open_graph(group="apollo"))
    other.record(person("Zelda"), "tagged", literal("princess"))
    other("remember", text="Zelda keeps the rocket plans.")
    return other


def titles(answer):
    return {episode["name"] for episode in answer["episodes"]}


def test_a_text_of_a_project_is_found_without_naming_it(call):
    kept = call("remember", text="The licence costs 400 a year.", project="Atlas")

    assert (kept["project"], kept["group_id"]) == ("Atlas", "default")
    assert [(one["type"], one["name"]) for one in kept["about"]] == [("project", "Atlas")]
    assert titles(call("search", query="what does the licence cost?")) == {"The licence costs 400 a year."}


def test_a_known_project_is_meant_by_its_name_an_alias_and_its_id(call):
    atlas = call.record(project("Atlas"), "tagged", literal("active"))["subject"]
    call("add_alias", entity=atlas, alias="The Map")
    named = [call("remember", text=f"Text {name}.", project=name) for name in ("atlas", "the map", atlas["id"])]

    assert [[atlas]] * 3 == [kept["about"] for kept in named]
    assert all("auto_created_entities" not in kept for kept in named)
    assert call("list_entities", type="project")["total"] == 1


def test_a_new_project_is_listed_with_names_that_it_may_double(call):
    call.record(project("Atlas Migration"), "tagged", literal("active"))
    kept = call("remember", text="Words.", project="Atlas Migraton")

    assert [one["name"] for one in kept["auto_created_entities"]] == ["Atlas Migraton"]
    assert [near["name"] for near in kept["possible_duplicates"]] == ["Atlas Migration"]
    assert kept["entities_added"] == 0


def test_two_projects_of_a_name_are_a_question(call):
    call("extend_vocabulary", types={"programme": {"parents": ["project"]}})
    call.record(project("Atlas"), "tagged", literal("active"))
    call.record({"type": "programme", "name": "Atlas"}, "tagged", literal("active"))
    answer = call("remember", text="Words.", project="Atlas")

    assert answer["error"] == "AMBIGUOUS"
    assert len(answer["candidates"]) == 2
    assert call("get_episodes")["total"] == 0
    assert "error" not in call("remember", text="Words.", project="programme:Atlas")


@pytest.mark.parametrize("named", ["apollo", "default"])
def test_the_id_of_a_group_is_that_group(call, other_group, named):
    kept = call("remember", text="The engine was tested.", project=named)

    assert (kept["project"], kept["group_id"], kept["about"]) == (named, named, [])
    assert "The engine was tested." in titles(call("search", query="engine", project=named))
    assert call("recall_entity", name_or_alias=named)["entity"] is None


def test_the_group_of_the_call_is_a_group_while_it_is_empty(open_graph):
    call = Caller(open_graph(group="work"))

    assert call("remember", text="Words.", project="work")["about"] == []


def test_undo_takes_back_the_text_and_its_new_project(call):
    before = call("get_status")
    call("remember", text="The licence costs 400.", project="Atlas")
    call("undo")
    after = call("get_status")

    assert {**before, "last_recorded_at": None} == {**after, "last_recorded_at": None}


@pytest.fixture
def two_projects(call) -> Caller:
    """Atlas and Beacon, which have a person in common."""
    call.record(decision("Adopt SQLite"), "belongs_to", project("Atlas"))
    call.record(person("Ana"), "decided_in", decision("Adopt SQLite"))
    call.record(project("Atlas"), "depends_on", concept("Storage"))
    call.record(decision("Adopt Storage Boxes"), "belongs_to", project("Beacon"))
    call.record(person("Ana"), "decided_in", decision("Adopt Storage Boxes"))
    call("remember", text="Storage is slow on the old disks, says Ana.", project="Atlas")
    call("remember", text="Storage is full in the cellar, says Ben.", project="Beacon")
    call("remember", text="Storage in Atlas is to be measured.")
    return call


def test_a_search_is_limited_to_what_is_about_the_project(two_projects):
    answer = two_projects("search", query="storage", project="Atlas")

    assert titles(answer) == {"Storage is slow on the old disks, says Ana.", "Storage in Atlas is to be measured."}
    assert {edge["fact"] for edge in answer["edges"]} <= {
        "Atlas depends on Storage",
        "Adopt SQLite belongs to Atlas",
        "Ana decided in Adopt SQLite",
    }
    assert "Adopt Storage Boxes" not in {node["name"] for node in answer["nodes"]}
    assert [one["name"] for one in answer["about"]] == ["Atlas"]
    assert answer["group_id"] == "default"


def test_a_project_and_no_question_list_what_is_about_it(two_projects):
    answer = two_projects("search", project="Beacon")

    assert titles(answer) == {"Storage is full in the cellar, says Ben."}
    assert [edge["fact"] for edge in answer["edges"]] == ["Adopt Storage Boxes belongs to Beacon"]


@pytest.mark.parametrize("tool", ["search", "search_nodes", "search_memory_facts"])
def test_an_unknown_project_has_nothing_and_is_named(two_projects, tool):
    answer = two_projects(tool, query="storage", project="Quixote Ventures")

    assert "No project called “Quixote Ventures” is known" in answer["message"]
    assert answer["about"] == []
    assert not any(answer.get(kind) for kind in ("nodes", "edges", "episodes", "facts"))


def test_a_group_and_other_group_ids_contradict_one_another(call, other_group):
    assert call("search", query="x", project="apollo", group_ids=["default"])["error"] == "INVALID_ARGUMENTS"
    assert "error" not in call("search", query="x", project="apollo", group_ids=["apollo"])


def test_the_entities_of_a_project_are_listed(two_projects):
    answer = two_projects("list_entities", project="Beacon")

    assert [entity["name"] for entity in answer["entities"]] == ["Adopt Storage Boxes", "Beacon", "Storage"]
    assert (answer["total"], answer["project"]) == (3, "Beacon")
    assert two_projects("list_entities", project="Quixote Ventures")["total"] == 0


def test_a_conversation_about_a_project_is_primed_with_what_is_about_it(two_projects):
    answer = two_projects("priming_context", query="storage", project="Beacon", k=5)

    assert [chunk["text"] for chunk in answer["chunks"]] == ["Storage is full in the cellar, says Ben."]
    assert answer["project"] == "Beacon"


def test_pieces_and_extractions_are_about_the_project(call):
    chunks = [{"text": "Ana tests it.", "entities": [{"name": "Ana", "type": "person"}]}, {"text": "Nobody knows."}]
    document = call("ingest_prechunked", source="wiki/plan", chunks=chunks, project="Atlas")
    relation = {"from": "Ana", "to": "Ben", "type": "reports_to"}
    session = call("submit_session_extraction", entities=[], relations=[relation], session_id="s-1", project="Atlas")
    edge = call("get_entity_edge", uuid=session["facts"][0]["id"])

    assert [[one["name"] for one in answer["about"]] for answer in (document, session)] == [["Atlas"], ["Atlas"]]
    assert (document["project"], document["group_id"]) == ("Atlas", "default")
    assert titles(call("search", project="Atlas", query="nobody")) == {"wiki/plan"}
    assert edge["source"] == "session s-1 about Atlas"


# Other groups


def test_status_names_the_other_groups_that_hold_something(call, other_group):
    found = call("get_status")["other_groups"]

    assert found == {"groups": [{"group_id": "apollo", "entities": 1, "episodes": 1}], "more": 0}
    assert other_group("get_status")["other_groups"]["groups"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "rocket"}),
        ("search_nodes", {"query": "rocket"}),
        ("search_memory_facts", {"query": "rocket"}),
        ("recall_entity", {"name_or_alias": "Zelda"}),
        ("explore_node", {"name": "Zelda"}),
    ],
)
def test_an_empty_answer_names_the_other_groups(call, other_group, tool, arguments):
    assert [group["group_id"] for group in call(tool, **arguments)["other_groups"]["groups"]] == ["apollo"]
    assert "other_groups" not in other_group(tool, **arguments)


def test_of_many_groups_the_fullest_are_named(call, open_graph):
    for number in range(12):
        group = Caller(open_graph(group=f"g{number:02}"))
        for text in range(1 + (number == 7)):
            group("remember", text=f"Text {text}.")
    found = call("get_status")["other_groups"]

    assert (found["groups"][0]["group_id"], len(found["groups"]), found["more"]) == ("g07", 8, 4)


# At the command line


def run(path, *words):
    return CliRunner().invoke(kg, ["--db", str(path), *words])


def test_kg_keeps_and_finds_by_project(path, tmp_path):
    (tmp_path / "plan.md").write_text("# Plan\nThe rollout begins in May.\n")
    kept = run(path, "remember", "The licence costs 400.", "--project", "Atlas")
    ingested = run(path, "ingest", str(tmp_path / "plan.md"), "--project", "Atlas")
    found = run(path, "search", "rollout", "--project", "Atlas")
    missing = run(path, "search", "rollout", "--project", "Quixote Ventures")

    assert "about Atlas (new)" in kept.output
    assert "about project Atlas" in ingested.output
    assert (found.exit_code, "rollout begins in May" in found.output) == (0, True)
    assert (missing.exit_code, "No project called “Quixote Ventures” is known" in missing.output) == (3, True)


def test_kg_names_the_other_groups(path, call, other_group):
    status, recall, search = (run(path, *words) for words in (["status"], ["recall", "Zelda"], ["search", "rocket"]))

    for result in (status, recall, search):
        assert "in other groups: apollo (1 entity, 1 text)" in result.output


def test_a_page_is_of_a_group_and_not_of_a_project(path, call, other_group):
    page = run(path, "show", "Zelda", "--group", "apollo")
    refused = run(path, "--json", "show", "Zelda", "--project", "Atlas")

    assert page.exit_code == 0
    assert json.loads(refused.output)["error"] == "INVALID_ARGUMENTS"
    assert "search --project Atlas" in json.loads(refused.output)["hint"]


# Laws


@settings(max_examples=8)
@given(
    notes=st.lists(
        st.tuples(
            st.sampled_from(["remember", "ingest_prechunked", "submit_session_extraction"]),
            st.sampled_from(["Atlas", "atlas", "Beacon", "default", "project:Atlas", "Zeta"]),
            st.sampled_from(["Ana tests it.", "Atlas is slow.", "Beacon and Atlas meet."]),
        ),
        max_size=4,
    )
)
def test_undo_of_every_call_gives_the_graph_of_before(tmp_path_factory, notes):
    file = tmp_path_factory.mktemp("undone") / "graph.db"
    with keepgraph.open(file, clock=Clock()) as graph:
        call = Caller(graph)
        call.record(project("Beacon"), "tagged", literal("active"))
        before = run(file, "export").output
        calls = [call(tool, **_arguments(tool, text), project=name)["call"] for tool, name, text in notes]
        for number in reversed(calls):
            # The same again changes nothing, and there is nothing to take back.
            assert call("undo", call=number).get("error") in (None, "CHANGE_NOT_FOUND")

        assert before == run(file, "export").output


def _arguments(tool, text):
    if tool == "remember":
        return {"text": text}
    if tool == "ingest_prechunked":
        return {"source": text, "chunks": [{"text": text, "entities": [{"name": "Ana", "type": "person"}]}]}
    return {
        "entities": [{"name": "Ana", "type": "person"}],
        "relations": [{"from": "Ana", "to": "Ben", "type": "knows"}],
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", {"text": "x"}),
        ("ingest_prechunked", {"source": "s", "chunks": [{"text": "x"}]}),
        ("submit_session_extraction", {"entities": [], "relations": []}),
    ],
)
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ent_00000000000000000000000099", "ENTITY_NOT_FOUND"),
        ("x" * 201, "INVALID_ARGUMENTS"),
        ("ﷺ" * 100, "PROJECT_REQUIRED"),
    ],
)
def test_a_project_that_cannot_be_is_refused_and_nothing_kept(call, tool, arguments, name, code):
    answer = call(tool, **arguments, project=name)

    assert answer["error"] == code
    assert call("get_episodes")["total"] == 0
    assert call("list_entities")["total"] == 0


def test_what_another_memory_observed_is_recalled(path, tmp_path):
    """
    The reference memory server keeps observations of each entity.
    """
    file = tmp_path / "memory.jsonl"
    observations = ["speaks Spanish", "is allergic to nuts"]
    file.write_text(json.dumps({"type": "entity", "name": "Ada", "entityType": "person", "observations": observations}))
    imported = run(path, "import", str(file))
    recalled = run(path, "recall", "Ada")

    assert imported.exit_code == 0, imported.output
    assert "in 1 text" in recalled.output
    assert all(text in recalled.output for text in observations)


def test_the_id_of_a_group_is_that_group_for_decisions_and_for_the_week(call, other_group):
    other_group.record(decision("Launch at dawn"), "belongs_to", project("Rocket"))
    other_group.record(project("Rocket"), "blocked_by", literal("fuel"))
    call.record(decision("Use SQLite"), "belongs_to", project("Atlas"))
    decided = {named: call("recall_decisions", project=named) for named in ("apollo", "default")}
    weeks = {named: call("weekly_rollup", project=named) for named in ("apollo", "default")}
    steps = {named: call("list_next_steps", project=named) for named in ("apollo", "default")}

    assert {named: [one["name"] for one in answer["decisions"]] for named, answer in decided.items()} == {
        "apollo": ["Launch at dawn"],
        "default": ["Use SQLite"],
    }
    assert {named: answer["totals"]["blockers"] for named, answer in weeks.items()} == {"apollo": 1, "default": 0}
    assert "in the group “apollo”, 1 decision was made" in weeks["apollo"]["summary"]
    assert {named: answer["totals"]["blockers"] for named, answer in steps.items()} == {"apollo": 1, "default": 0}
    for answers in (decided, weeks, steps):
        assert {named: answer["group_id"] for named, answer in answers.items()} == {
            "apollo": "apollo",
            "default": "default",
        }
        assert {(answer["project"], answer["resolution"]) for answer in answers.values()} == {(None, None)}


def test_the_narrative_of_a_week_of_a_group_comes_back(call, other_group):
    kept = call("remember", text="The rocket stands.", project="apollo", narrative_for="2026-W20")

    assert kept["group_id"] == "apollo"
    assert call("weekly_rollup", project="apollo")["narrative"]["text"] == "The rocket stands."
    assert other_group("weekly_rollup")["narrative"]["text"] == "The rocket stands."
    assert call("weekly_rollup")["narrative"] is None


@pytest.mark.parametrize("tool", ["recall_decisions", "weekly_rollup", "list_next_steps"])
def test_a_project_that_is_called_as_a_group_is_named_in_the_hint(call, other_group, tool):
    apollo = call.record(project("apollo"), "tagged", literal("active"))["subject"]
    group, of_project = call(tool, project="apollo"), call(tool, project="project:apollo")

    assert (group["project"], group["group_id"]) == (None, "apollo")
    assert "project:apollo" in group["hint"]
    assert (of_project["project"], of_project["group_id"]) == (apollo, "default")
    assert "hint" not in of_project


@pytest.mark.parametrize("command", ["decisions", "week", "next"])
def test_commands_take_the_id_of_a_group_too(call, other_group, path, command):
    other_group.record(project("Rocket"), "blocked_by", literal("fuel"))
    call.graph.close()
    other_group.graph.close()
    known, unknown = (CliRunner().invoke(kg, ["--db", str(path), command, name]) for name in ("apollo", "Gemini"))

    assert (known.exit_code, unknown.exit_code) == (0, 3)
    assert "apollo" in known.output
    assert "No project called “Gemini” is known." in unknown.output


def test_the_command_for_a_topic_keeps_the_other_options(call, path):
    call.record(project("Atlas"), "tagged", literal("active"))
    call.graph.close()
    done = CliRunner().invoke(kg, ["--db", str(path), "decisions", "auth flow", "--since", "2026-04-01"])

    assert done.exit_code == 3
    assert 'kg decisions --about "auth flow" --since 2026-04-01\n' in done.output
