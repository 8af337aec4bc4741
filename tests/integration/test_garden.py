"""The gardener: what each pass proposes, that nothing else changes, its lock, its sessions, its command."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from fork_server import await_killed, python
from keepgraph import errors, store
from keepgraph.cli.root import kg
from keepgraph.engine.garden import gardener, passes
from keepgraph.model import Settings
from keepgraph.tools.contract import catalogue, schemas
from words import Caller, Clock, concept, decision, dump, literal, person, project, rows

KNOWLEDGE = ("entity", "alias", "fact", "provenance", "episode", "chunk", "journal", "call")
"""The tables in which a run changes nothing."""


OF_HYDRAMEM = """
    priming_context expand_context hydra_search trace_path get_entity_neighbors get_full_document verify_relation
    check_conflict ingest_markdown ingest_directory ingest_prechunked submit_session_extraction list_entities
    create_relation delete_relation run_night_gardener get_garden_status train_gnn query_entity_relations remember
"""


def organisation(name: str) -> dict[str, str]:
    return {"type": "organisation", "name": name}


def garden(call: Caller, *names: str, **more: Any) -> dict[str, Any]:
    return call("run_night_gardener", **({"passes": list(names)} if names else {}), **more)


def statements(answer: dict[str, Any]) -> list[str]:
    return [proposal["statement"] for proposal in answer["proposals"]]


def accept(call: Caller, answer: dict[str, Any]) -> None:
    """Accept all that a run has proposed."""
    decided = call("review_proposals", decide=[{"id": one["id"], "decision": "accept"} for one in answer["proposals"]])
    assert all(one["done"] for one in decided["decisions"]), decided


@pytest.fixture
def untidy(call: Caller, clock: Clock) -> Caller:
    """A graph with something for most passes."""
    call.record(project("Atlas"), "blocked_by", literal("the licence"))
    call("add_entity", entity=person("Nobody"))
    call.record(person("Priya Raman"), "works_on", project("Atlas"))
    call.record(person("Priya Ramann"), "works_on", project("Atlas"))
    call("add_entity", entity=decision("Adopt SQLite"))
    call.record(concept("Café"), "depends_on", concept("Beans"))
    call.record(concept("Cafe"), "depends_on", concept("Water"))
    call("remember", text="Dora Nilsson met Priya Raman in Oslo.")
    clock.pass_by(days=75)
    return call


def test_a_run_proposes_and_changes_nothing_of_what_is_known(untidy, path):
    before = {name: table for name, table in dump(path).items() if name in KNOWLEDGE}
    answer = garden(untidy)

    assert answer["candidates_proposed"] >= 5
    assert before == {name: table for name, table in dump(path).items() if name in KNOWLEDGE}


def test_a_second_run_proposes_nothing_again(untidy):
    first, second = garden(untidy), garden(untidy)

    assert second["candidates_proposed"] == 0
    assert first["waiting"] == second["waiting"]
    assert sum(one["open"] for one in second["passes"]) >= first["candidates_proposed"]


def test_a_dry_run_tells_the_same_and_leaves_nothing_behind(untidy, path):
    before = dump(path)
    dry = garden(untidy, dry_run=True)

    assert before == dump(path)
    assert statements(dry) == statements(garden(untidy))


def test_the_seeds_keys_are_there_and_nothing_is_pruned(untidy):
    answer, status = garden(untidy), untidy("get_garden_status")

    assert 0 == answer["nodes_pruned"] == answer["edges_pruned"] == answer["relations_accepted"]
    assert 0 == status["nodes_pruned"] == status["edges_pruned"]
    assert (1, answer["candidates_proposed"]) == (status["total_runs"], status["relations_proposed"])
    assert answer["last_run"] == status["last_run"]
    assert not status["is_running"]
    assert "pruned" in answer["message"]
    assert "pruned" in status["message"]


def test_the_names_of_the_seed_are_answered(call):
    assert "waiting" in call("get_garden_status_tool")


# Passes


def test_an_entity_without_anything_is_proposed_to_be_forgotten(call, clock):
    call("add_entity", entity=person("Nobody"))
    call("add_entity", entity=person("Ana"))
    call("update_entity", entity=person("Ana"), summary="She paints.")
    young = garden(call, "orphans")
    clock.pass_by(days=2)
    answer = garden(call, "orphans")

    assert statements(young) == []
    assert statements(answer) == ["Nothing is known about Nobody (person), added on 2026-05-15. Forget it?"]
    accept(call, answer)
    assert call.recalled("Nobody") is None


def test_an_old_blocker_is_asked_about_and_ended_by_accepting(call, clock):
    call.record(project("Atlas"), "blocked_by", literal("the licence"))
    clock.pass_by(days=29)
    early = garden(call, "gaps")
    clock.pass_by(days=2)
    answer = garden(call, "gaps")

    assert statements(early) == []
    assert statements(answer) == ["“Atlas blocked by the licence” has been open since 2026-05-15. Is it over?"]
    accept(call, answer)
    assert call("list_next_steps")["blockers"] == []


def test_a_decision_without_a_project_is_asked_about_with_the_project_that_is_near(call):
    call.record(person("Ana"), "decided_in", decision("Adopt SQLite"))
    call.record(person("Ana"), "works_on", project("Atlas"))
    call("add_entity", entity=decision("Move to Oslo"))
    call.record(decision("Use Rust"), "belongs_to", project("Boreas"))
    answer = garden(call, "gaps")

    assert statements(answer) == [
        "The decision “Adopt SQLite” has no known project. Does it belong to Atlas?",
        "The decision “Move to Oslo” has no known project. Which one does it belong to?",
    ]


def test_a_project_of_which_nothing_was_heard_is_asked_about(call, clock):
    call.record(person("Ana"), "works_on", project("Atlas"))
    call.record(person("Ana"), "works_on", project("Boreas"))
    call.record(person("Ana"), "works_on", project("Cetus"))
    clock.pass_by(days=61)
    call.record(person("Bob"), "works_on", project("Boreas"))
    call("remember", text="We talked about Cetus.")
    call("search", query="Cetus")
    [statement] = [one for one in statements(garden(call, "gaps")) if "silent" in one]

    assert statement.startswith("Atlas has been silent since 2026-05-15, 61 days ago.")


def test_names_with_the_same_letters_are_proposed_once_as_the_same(call):
    call.record(concept("Café"), "depends_on", concept("Beans"))
    call.record(concept("Cafe"), "depends_on", concept("Water"))
    call.record(concept("Cafe"), "depends_on", concept("Milk"))
    answer = garden(call, "duplicates")

    assert answer["candidates_proposed"] == 1
    accept(call, answer)
    assert call.recalled("Café") == "Cafe"


def test_duplicates_are_compared_in_parts_and_the_next_run_goes_on(call, monkeypatch):
    from keepgraph.engine.garden.passes import entities

    monkeypatch.setattr(entities, "COMPARED_IN_A_RUN", 2)
    for name in ("Ana Silva", "Bob Young", "Cid Brown", "Ana Silvaa"):
        call("add_entity", entity=person(name))
    runs = [garden(call, "duplicates") for _ in range(3)]

    assert [run["passes"][0]["considered"] for run in runs] == [2, 2, 0]
    assert sum(run["candidates_proposed"] for run in runs) == 1


def test_an_older_fact_beside_a_newer_one_has_probably_ended_where_one_is_usual(call, clock):
    for number in range(12):
        call.record(person(f"Worker {number}"), "works_at", organisation(f"Company {number}"))
    clock.pass_by(days=400)
    call.record(person("Worker 3"), "works_at", organisation("Newcorp"), valid_from="2027-01-01")
    answer = garden(call, "ended")

    assert answer["candidates_proposed"] == 1
    assert "Company 3" in statements(answer)[0]
    accept(call, answer)
    facts = call("query_entity_relations", entity_id="Worker 3")["facts"]
    assert sorted(fact["current"] for fact in facts) == [False, True]


def test_what_was_recorded_side_by_side_has_not_ended(call):
    for number in range(12):
        call.record(person(f"Worker {number}"), "works_at", organisation(f"Company {number}"))
    call.record(person("Worker 3"), "works_at", organisation("Newcorp"))

    assert statements(garden(call, "ended")) == []


def test_a_person_whose_name_is_that_of_something_else_is_proposed_another_type(call):
    call.record(person("Halden University"), "located_in", {"type": "place", "name": "Graz"})
    call.record(person("Rosa Universe"), "knows", person("Bob"))
    answer = garden(call, "retype")

    assert len(answer["proposals"]) == 1
    accept(call, answer)
    assert call("recall_entity", name_or_alias="Halden University")["entity"]["type"] == "organisation"


def test_an_entity_at_an_end_that_its_predicate_does_not_want_is_proposed_the_type_that_fits(call):
    call("extend_vocabulary", predicates={"steers": {}})
    for name in ("Atlas", "Boreas"):
        call.record(concept("Lea Falk"), "steers", project(name))
    call("change_word", word="steers", values={"sources": ["person"], "targets": ["project"]})
    answer = garden(call, "retype")

    assert statements(answer) == ["Lea Falk is a concept, and its 2 facts fit a person better. Make it a person?"]
    accept(call, answer)
    assert call("recall_entity", name_or_alias="Lea Falk")["entity"]["type"] == "person"


def test_a_misspelt_name_of_a_text_is_proposed_as_an_alias(call):
    call.record(person("Priya Raman"), "works_on", project("Atlas"))
    call("remember", text="Yesterday Priya Ramann wrote the plan.")
    call("search", query="plan")
    answer = garden(call, "texts")

    assert "Is “Priya Ramann”, read in a text, another name of Priya Raman?" in statements(answer)


def test_a_project_narrows_a_run_to_what_concerns_it(untidy):
    answer = garden(untidy, project="Atlas")

    assert answer["project"] == "Atlas"
    assert any("the licence" in statement for statement in statements(answer))
    assert not any("Caf" in statement for statement in statements(answer))


def test_an_unknown_project_or_pass_is_refused(call):
    assert garden(call, project="Nowhere")["error"] == "ENTITY_NOT_FOUND"
    assert garden(call, "weeds")["error"] == "INVALID_ARGUMENTS"
    assert call("run_night_gardener", passes=[])["error"] == "INVALID_ARGUMENTS"
    assert call("run_night_gardener", dry_run="yes")["error"] == "INVALID_ARGUMENTS"
    assert call("run_night_gardener", project=7)["error"] == "INVALID_ARGUMENTS"
    assert call("get_garden_status", session_id=7)["error"] == "INVALID_ARGUMENTS"


def test_no_more_than_twenty_of_a_pass_are_new(call, clock):
    for number in range(25):
        call("add_entity", entity=person(f"Nobody{number:02} X{number:02}"))
    clock.pass_by(days=2)
    answer = garden(call, "orphans")

    assert answer["candidates_proposed"] == 20
    assert answer["passes"][0]["over_limit"] == 5


def test_a_rejected_proposal_does_not_come_back(untidy):
    garden(untidy)
    waiting = untidy("review_proposals", limit=50)["proposals"]
    untidy("review_proposals", decide=[{"id": one["id"], "decision": "reject"} for one in waiting])
    again = [garden(untidy) for _ in range(3)]

    assert [answer["candidates_proposed"] for answer in again] == [0, 0, 0]
    assert len(waiting) == untidy("get_garden_status")["relations_rejected"]


# Stopping


def test_a_run_that_is_told_to_stop_keeps_what_it_has_done_and_the_next_begins_with_the_rest(untidy, graph):
    calls = iter(range(1_000_000))
    reason = errors.Cancelled("enough")
    seen: list[str] = []

    def progress(done: int, total: int | None, purpose: str) -> None:
        seen.append(purpose)

    answer = graph.call_until(
        lambda: reason if len(seen) > 3 and next(calls) >= 0 else None, "run_night_gardener", {}, progress=progress
    )
    second = garden(untidy)

    assert answer["status"] == "stopped"
    assert answer["stopped"] == "CANCELLED"
    names = [one["name"] for one in answer["passes"]]
    assert 0 < len(names) < len(passes.NAMES)
    assert not set(names) & {one["name"] for one in second["passes"][: len(passes.NAMES) - len(names)]}


KILLED = """
import sys, keepgraph
from keepgraph.engine.garden import passes
from keepgraph.engine.garden.passes import facts
def stand_still(tx, position):
    print("reading", flush=True)
    sys.stdin.read()
facts.propose_gaps = stand_still
keepgraph.open(sys.argv[1]).call("run_night_gardener")
"""


def test_a_run_that_was_killed_leaves_no_lock(call, path):
    """
    Upstream: `is_running` stays true for ever after a crash.
    """
    with subprocess.Popen(
        [*python(), "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        during, second = call("get_garden_status"), garden(call)
        child.kill()
        child.wait()
        await_killed()
    after = call("get_garden_status")

    assert during["is_running"]
    assert second["status"] == "already_running"
    assert (after["is_running"], after["total_runs"]) == (False, 0)
    assert garden(call)["status"] == "done"


def test_what_is_offered_can_be_accepted_and_taken_back_to_what_was_before(untidy, path):
    answer = garden(untidy)
    before = {name: dump(path)[name] for name in ("entity", "alias", "fact")}
    decisions = [
        untidy("review_proposals", decide=[{"id": one["id"], "decision": "accept"}])["decisions"][0]
        for one in answer["proposals"]
    ]
    done = [one["call"] for one in decisions if one["done"]]
    changed = {name: dump(path)[name] for name in before}
    undone = [untidy("undo", call=call) for call in reversed(done)]

    assert len(done) >= 4
    assert before != changed
    assert not any("error" in one for one in undone), undone
    assert before == {name: dump(path)[name] for name in before}


def test_a_lock_file_that_is_left_behind_means_nothing(call, path):
    store.run_locks.lock_file(path, "garden").touch()

    assert not call("get_garden_status")["is_running"]
    assert garden(call)["status"] == "done"
    assert not store.run_locks.lock_file(path, "garden").exists()


# Sessions


def test_sessions_are_those_of_the_group_alone(open_graph, path):
    """
    Upstream: the last sessions of all projects.
    """
    ours = open_graph(session="talk one")
    Caller(ours).record(project("Atlas"), "blocked_by", literal("the licence"))
    Caller(open_graph(session="talk two", group="other")).record(person("Bob"), "knows", person("Cid"))
    answer = garden(Caller(ours))

    assert (answer["sessions_considered"], answer["session_entries_considered"]) == (1, 1)
    assert garden(Caller(ours))["sessions_considered"] == 0


def test_a_conversation_is_used_if_a_proposal_rests_on_what_it_recorded(open_graph, clock):
    call = Caller(open_graph(session="talk"))
    call.record(project("Atlas"), "blocked_by", literal("the licence"))
    clock.pass_by(minutes=1)
    call.record(person("Ana"), "knows", person("Bob"))
    clock.pass_by(days=31)
    answer = garden(call, "gaps")

    assert (
        answer["sessions_considered"],
        answer["sessions_used"],
        answer["session_entries_considered"],
        answer["session_entries_used"],
    ) == (1, 1, 2, 1)


@pytest.mark.parametrize("is_counted", [False, True])
def test_reads_are_counted_only_where_the_settings_say_so(open_graph, path, is_counted):
    call = Caller(open_graph(session="talk", settings=Settings(count_reads=is_counted)))
    call("recall_entity", name_or_alias="Ana")
    call("list_entities", session_id="another talk")
    call("list_entities", session_id="another talk")
    status = call("get_garden_status")
    counted = [("another talk", "list_entities", 2), ("talk", "get_garden_status", 1), ("talk", "recall_entity", 1)]

    assert (counted if is_counted else []) == rows(path, "SELECT conversation, tool, times FROM read_count")
    assert is_counted == status["sessions"]["reads_are_counted"]
    assert int(is_counted) == status["session_entries_filtered_repeat_threshold"]


@pytest.mark.parametrize("is_counted", [False, True])
def test_a_name_that_is_asked_for_again_and_again_is_proposed_where_the_settings_say_so(open_graph, path, is_counted):
    call = Caller(open_graph(settings=Settings(count_unknown_names=is_counted, steps=("fuzzy",))))
    call.record(person("Ana"), "knows", person("Bob"))
    for name in ("Zoe Quill", "zoe  quill", "Zoe Quill", "Ana", "Once Only"):
        call("recall_entity", name_or_alias=name)
    answer = garden(call, "unknown_names")

    assert [("Zoe Quill", 3), ("Once Only", 1)] * is_counted == rows(
        path, "SELECT name, times FROM unknown_name ORDER BY times DESC"
    )
    expected = ["“Zoe Quill” was asked for 3 times, and is not known. Add it as a person?"]
    assert expected * is_counted == statements(answer)
    if is_counted:
        accept(call, answer)
        assert call.recalled("Zoe Quill") == "Zoe Quill"


@pytest.mark.parametrize("name", OF_HYDRAMEM.split())
def test_every_tool_of_the_seed_takes_a_session(name):
    tool = catalogue.find(name)

    assert "session_id" in schemas.load(tool.toolset, tool.name, "input")["properties"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", {"text": "Ana met Bob."}),
        ("ingest_prechunked", {"source": "a.md", "chunks": [{"text": "Ana met Bob."}]}),
    ],
)
def test_a_call_belongs_to_the_conversation_that_it_names(call, path, tool, arguments):
    call(tool, **arguments, session_id="talk")

    assert rows(path, "SELECT DISTINCT session FROM episode") == [("talk",)]
    assert rows(path, "SELECT DISTINCT session FROM call") == [("talk",)]


# The schedule, and the command


def test_a_pass_is_due_again_after_a_day(call, clock, graph):
    def due() -> list[str]:
        with graph.database.read("test") as tx:
            return gardener.due_passes(tx)

    first = due()
    garden(call, "gaps", "orphans")
    second = due()
    clock.pass_by(hours=21)

    assert list(passes.NAMES) == first == due()
    assert set(passes.NAMES) - {"gaps", "orphans"} == set(second)


def test_the_command_shows_what_is_proposed(home):
    with keepgraph.open(home / "g.db") as graph:
        graph.call("record_fact", subject=concept("Café"), predicate="depends_on", object=concept("Beans"))
        graph.call("record_fact", subject=concept("Cafe"), predicate="depends_on", object=concept("Water"))
    runner = CliRunner()
    options = ["--db", str(home / "g.db"), "garden"]
    dry = runner.invoke(kg, [*options, "--dry-run"])
    run = runner.invoke(kg, options)
    status = runner.invoke(kg, [*options, "--status"])

    assert (dry.exit_code, run.exit_code, status.exit_code) == (0, 0, 0)
    assert "would be made" in dry.output
    assert "Café" in run.output
    assert "kg review" in run.output
    assert "It ran once" in status.output


def test_a_timer_without_a_key_says_so_in_a_line(home):
    file = home / "g.db"
    keepgraph.open(file, key="ab" * 32).close()
    result = CliRunner().invoke(kg, ["--db", str(file), "garden", "--timer"])

    assert result.exit_code == 1
    assert "KEY_MISSING" in result.output


def test_the_timer_says_one_line(home):
    keepgraph.open(home / "g.db").close()
    result = CliRunner().invoke(kg, ["--db", str(home / "g.db"), "garden", "--timer"])

    assert result.exit_code == 0
    assert len(result.output.splitlines()) == 1


# Other parts of the engine, as passes


def test_facts_that_cannot_both_be_true_are_proposed(call):
    call.record(person("Ana"), "reports_to", person("Bob"))
    call.record(person("Ana"), "born_on", literal("1990-01-01"))
    call.record(person("Ana"), "born_on", literal("1991-02-02"))
    answer = garden(call, "conflicts")

    assert [proposal["kind"] for proposal in answer["proposals"]] == ["contradiction"]


def test_the_fact_recorded_last_takes_the_place_also_when_the_garden_proposes_it(call, clock):
    call.record(person("Ana"), "status", literal("active"), valid_from="2026-03-01")
    clock.pass_by(days=1)
    newer = call.record(person("Ana"), "status", literal("done"))["fact_id"]
    accept(call, garden(call, "conflicts"))
    with call.graph.database.read("test") as tx:
        holding = tx.conn.execute("SELECT public_id FROM fact WHERE valid_to = '~'").fetchall()

    assert holding == [(newer,)]


def test_a_fact_recorded_again_after_it_was_retracted_is_proposed_once(call, clock):
    for _ in range(2):
        fact = call.record(person("Ana"), "knows", person("Bo"))["fact_id"]
        clock.pass_by(days=1)
        call("retract_fact", fact_id=fact)
    again = call.record(person("Ana"), "knows", person("Bo"))["fact_id"]
    [proposal] = garden(call, "conflicts")["proposals"]
    call("review_proposals", decide=[{"id": proposal["id"], "decision": "reject"}])
    call("retract_fact", fact_id=again)
    clock.pass_by(days=1)
    call.record(person("Ana"), "knows", person("Bo"))

    assert "was retracted" in proposal["statement"]
    assert garden(call, "conflicts")["proposals"] == []


def test_a_rejected_contradiction_does_not_return_when_a_fact_of_it_is_recorded_again(call, clock):
    for day in ("1990-01-01", "1991-02-02"):
        fact = call.record(person("Ana"), "born_on", literal(day))["fact_id"]
    [proposal] = garden(call, "conflicts")["proposals"]
    call("review_proposals", decide=[{"id": proposal["id"], "decision": "reject"}])
    call("retract_fact", fact_id=fact)
    clock.pass_by(days=1)
    call.record(person("Ana"), "born_on", literal("1991-02-02"))
    proposed = garden(call, "conflicts")["proposals"]

    assert [one["statement"] for one in proposed if "hold at the same time" in one["statement"]] == []


def test_the_status_says_that_a_run_was_killed(call, monkeypatch):
    for day in ("1990-01-01", "1991-02-02"):
        call.record(person("Ana"), "born_on", literal(day))
    with monkeypatch.context() as patch:
        patch.setattr(gardener, "_note_end", lambda *args, **more: None)
        garden(call, "conflicts")
    status = call("get_garden_status")

    assert "It has not run yet, and 1 run began and did not end. It is not running now." in status["message"]
    assert (status["total_runs"], status["relations_proposed"], status["waiting"]) == (0, 1, 1)


def test_a_flag_that_the_facts_suggest_is_proposed_and_set_by_accepting(call):
    for number in range(40):
        call.record(person(f"Worker {number}"), "works_at", organisation(f"Company {number % 9}"))
    answer = garden(call, "vocabulary")
    flags = [one for one in answer["proposals"] if one["kind"] == "functional"]

    assert any("works_at" in one["statement"] for one in flags)
    accept(call, {"proposals": flags[:1]})
    assert len(garden(call, "vocabulary")["proposals"]) == 0


def test_wordings_that_wait_are_proposed(call):
    call(
        "submit_session_extraction",
        entities=[{"name": "Ana", "type": "person"}, {"name": "Bob", "type": "person"}],
        relations=[{"from": "Ana", "to": "Bob", "type": "IS_ALLERGIC_TOWARDS"}],
    )

    assert [one["kind"] for one in garden(call, "vocabulary")["proposals"]] == ["new_word"]
