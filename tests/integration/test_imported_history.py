"""Imported history is marked as imported: when and by what it was recorded is what a file says."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import history, integrity
from words import Caller, concept, person

ADA, NOTES = person("Ada"), concept("Notes")


def run(path, *arguments):
    result = CliRunner().invoke(kg, ["--db", str(path), *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def imported(call, open_graph, clock, tmp_path):
    """A graph that recorded one fact itself, a day after it imported another one, with an alias."""
    call.record(ADA, "depends_on", NOTES, source="a letter")
    call("add_alias", entity=ADA, alias="Countess")
    file = tmp_path / "export.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in export.stream_lines(call.graph.database)))
    other = tmp_path / "other" / "copy.db"
    other.parent.mkdir()
    open_graph(other).close()
    run(other, "import", file)
    clock.pass_by(days=1)
    copy = Caller(open_graph(other))
    copy.record(person("Ben"), "depends_on", NOTES)
    return copy


def fact_of(call, name):
    return call("recall_entity", name_or_alias=name)["facts"][0]["id"]


def marks(call, name):
    """Of the first fact of somebody: whether history, explanation and assertions are marked as imported."""
    fact = fact_of(call, name)
    events = [event for event in call("get_history", about=fact)["events"] if event["what"] == "recorded"]
    origins = call("explain", what=fact)["origins"]
    sources = call("get_entity_edge", uuid=fact)["sources"]
    return ["imported_at" in each for each in (*events, *origins, *sources)]


def test_what_an_import_brought_is_marked_and_what_was_recorded_here_is_not(imported):
    assert marks(imported, "Ada") == [True] * 3
    assert marks(imported, "Ben") == [False] * 3


@pytest.fixture
def imported_decisions(call, tmp_path):
    """A graph with a decision of its own, one that lines of a file say, and one that both say."""
    call.record({"name": "Use SQLite", "type": "decision"}, "belongs_to", {"name": "Atlas", "type": "project"})
    call.record({"name": "Ship in May", "type": "decision"}, "belongs_to", {"name": "Atlas", "type": "project"})
    file = tmp_path / "from a stranger.jsonl"
    file.write_text(
        "".join(
            json.dumps({"subject": subject, "predicate": predicate, "object": target}) + "\n"
            for subject, predicate, target in (
                (person("Paula"), "decided_in", {"name": "Pay the invoice", "type": "decision"}),
                ({"name": "Pay the invoice", "type": "decision"}, "belongs_to", {"name": "Atlas", "type": "project"}),
                ({"name": "Ship in May", "type": "decision"}, "belongs_to", {"name": "Atlas", "type": "project"}),
            )
        )
    )
    run(call.graph.path, "import", file)
    return call.graph.path


def test_a_decision_that_only_a_file_says_is_shown_as_imported_from_it(imported_decisions):
    decisions = json.loads(run(imported_decisions, "decisions", "Atlas", "--json"))["decisions"]

    assert {decision["name"]: decision.get("imported_from") for decision in decisions} == {
        "Pay the invoice": "from a stranger.jsonl",
        "Use SQLite": None,
        "Ship in May": None,
    }


def test_commands_and_explanations_name_the_file_of_what_was_imported(imported_decisions):
    path = imported_decisions
    message = run(path, "why", "Pay the invoice", "belongs_to", "Atlas")
    shown = [
        line
        for command in ("decisions", "week")
        for line in run(path, command).splitlines()
        if "Pay the invoice" in line
    ]

    assert "by import (brought here from “from a stranger.jsonl” by call" in message
    assert sum("imported from from a stranger.jsonl on 2026-" in line for line in shown) == 2
    assert "record_facts" not in run(path, "log")


def test_history_tells_by_what_it_is_said_to_be_recorded(imported):
    events = imported("get_history", about="Ada")["events"]

    assert {(event["what"], "imported_at" in event) for event in events} == {
        ("created", True),
        ("alias added", True),
        ("recorded", True),
    }
    (recorded,) = [event for event in events if event["what"] == "recorded"]
    assert (recorded["tool"], recorded["source"]) == ("record_fact", "a letter")


def test_an_explanation_tells_when_it_was_imported_and_that_a_file_says_the_rest(imported):
    (fact,) = imported("explain", what=fact_of(imported, "Ada"))["origins"]
    entity = imported("explain", what="Ada", kind="entity")["origins"]

    assert "brought it here" in fact["note"]
    assert "that record_fact had recorded it before" in fact["note"]
    assert all("what its file says" in origin["note"] for origin in (fact, *entity))


def test_an_assertion_that_is_made_here_of_an_imported_fact_is_not_marked(imported):
    imported.record(ADA, "depends_on", NOTES, source="my own eyes")
    sources = imported("get_entity_edge", uuid=fact_of(imported, "Ada"))["sources"]

    assert [(each["source"], "imported_at" in each) for each in sources] == [("a letter", True), ("my own eyes", False)]


def test_it_stays_marked_when_the_log_is_trimmed_and_when_it_comes_back(imported, clock):
    calls = imported("explain", what=fact_of(imported, "Ada"))["origins"][0]["call"]
    imported("undo")  # Ben's fact, which rests on what was imported
    imported("undo", call=calls)
    with imported.graph.database.read("test") as tx:
        undoing = store.journal.undone_calls(tx)[calls]
    imported("undo", call=undoing)
    assert marks(imported, "Ada") == [True] * 3

    clock.pass_by(days=400)
    imported.record(person("Cleo"), "depends_on", NOTES)
    history.trim(imported.graph.database, days=30, now=clock())

    assert marks(imported, "Ada") == [True] * 3
    assert marks(imported, "Cleo") == [False] * 3


def test_a_row_that_takes_the_number_of_one_that_was_imported_is_not_marked(imported, clock):
    call = imported("explain", what=fact_of(imported, "Ada"))["origins"][0]["call"]
    imported("undo")
    imported("undo", call=call)
    clock.pass_by(days=400)
    imported("add_memory", name="a note", episode_body="Nothing of note.")
    history.trim(imported.graph.database, days=30, now=clock())
    imported.record(ADA, "depends_on", NOTES)

    assert marks(imported, "Ada") == [False] * 3


def test_doctor_and_the_history_command_say_it(imported):
    checks, _ = integrity.check_all(imported.graph.database)
    imported.graph.close()

    assert [check.message[:40] for check in checks if check.name == "imports"] == [
        "1 of 2 assertions came with imports; the"
    ]
    assert "the rest is what its file says" in run(imported.graph.path, "history", "Ada")
