"""The journal has an age limit that a profile sets: undo ends there, and everything else stays as it is."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

import keepgraph
from homes import error_code, files_with, open_elsewhere, run, run_ok
from keepgraph import errors
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import history
from keepgraph.profiles import settings_file
from words import Caller, Clock, literal, person, rows


def keep(graph_file: Path, age: str) -> None:
    settings_file.path(graph_file).write_text(f'[history]\nkeep = "{age}"\n')


@pytest.fixture
def years(call: Caller, clock: Clock) -> Caller:
    """Three facts, each a year after the one before; the second was taken back and recorded again."""
    call("record_facts", facts=[{"subject": person("Ana"), "predicate": "tagged", "object": literal("first")}])
    clock.pass_by(days=400)
    call.record(person("Ana"), "tagged", literal("second"))
    call("undo")
    call.record(person("Ana"), "tagged", literal("second"))
    clock.pass_by(days=400)
    call.record(person("Ana"), "tagged", literal("third"))
    return call


def trim(call: Caller, clock: Clock, days: int | None) -> history.TrimmedJournal:
    return history.trim(call.graph.database, days=days, now=clock())


def test_what_is_older_cannot_be_undone_and_what_is_younger_can(years, clock, path):
    before = list(map(str, export.stream_lines(years.graph.database)))
    trimmed = trim(years, clock, 30)

    assert (trimmed.calls, trimmed.oldest) == (4, (5, "2028-07-23T10:00:00.000Z"))
    assert before == list(map(str, export.stream_lines(years.graph.database)))
    assert years("undo", call=2)["error"] == "CHANGE_NOT_FOUND"
    assert "error" not in years("undo", call=5)
    assert rows(path, "SELECT 1 FROM journal WHERE call < 5") == []


def test_without_a_limit_everything_stays(years, clock, path):
    before = rows(path, "SELECT * FROM journal")

    assert 0 == trim(years, clock, None).calls == trim(years, clock, 5000).calls
    assert before == rows(path, "SELECT * FROM journal")


def test_a_limit_between_two_calls_keeps_the_younger(years, clock):
    assert (trim(years, clock, 500).calls, trim(years, clock, 500).oldest[0]) == (1, 2)


def test_what_is_recorded_afterwards_can_be_undone(years, clock):
    trim(years, clock, 1)
    clock.pass_by(days=30)
    trim(years, clock, 1)
    years.record(person("Bob"), "tagged", literal("new"))

    assert "error" not in years("undo")
    assert years("recall_entity", name_or_alias="Bob")["entity"] is None


def test_stored_answers_of_old_calls_go_too(call, clock, path):
    fact = {"subject": person("Ana"), "predicate": "tagged", "object": literal("x")}
    call("record_facts", facts=[fact], idempotency_key="k")
    clock.pass_by(days=40)
    call.record(person("Ana"), "tagged", literal("y"))
    trim(call, clock, 30)

    assert rows(path, "SELECT key FROM idempotency") == []


@pytest.mark.parametrize(
    ("age", "days"),
    [("90 days", 90), ("1 day", 1), ("2 weeks", 14), ("6 months", 186), ("1 year", 366), ("forever", None)],
)
def test_an_age_is_written_as_people_say_it(path, age, days):
    keep(path, age)

    assert days == settings_file.read(path).history_days


@pytest.mark.parametrize(
    "age", ["", "0 days", "-1 year", "a year", "90", "1 fortnight", "1e9 days", "forever and a day"]
)
def test_another_age_is_refused_with_examples(path, age):
    keep(path, age)

    with pytest.raises(errors.SettingsInvalid, match="6 months"):
        settings_file.read(path)


def test_compacting_trims_and_says_from_when_undo_is_possible(home, graph_file):
    long_ago = Clock()
    long_ago.now -= timedelta(days=5000)
    with keepgraph.open(graph_file, clock=long_ago) as graph:
        for n in range(50):
            Caller(graph).record(person(f"Ana {n}"), "tagged", literal("Blorptastic" * 50))
        Caller(graph)("clear_graph", confirm=True)
    run_ok("record", "person:Bob", "tagged", "=new")
    keep(graph_file, "1 year")
    answer = json.loads(run_ok("--json", "compact"))

    assert answer["calls_deleted"] == 51
    assert answer["undo_from"]["call"] == 52
    assert answer["bytes"] < answer["bytes_before"]
    assert files_with(graph_file.parent, "Blorptastic")[1:] == []
    assert "0 old calls" in run_ok("compact")


def test_a_graph_that_is_open_elsewhere_is_not_compacted(home, graph_file):
    run_ok("record", "person:Bob", "tagged", "=new")
    with open_elsewhere(graph_file):
        assert error_code(run("compact")) == "GRAPH_BUSY"
    assert "Bob" in run_ok("recall", "Bob")


def test_the_journal_is_trimmed_once_a_day_with_the_backup(home, graph_file, monkeypatch):
    long_ago = Clock()
    long_ago.now -= timedelta(days=5000)
    with keepgraph.open(graph_file, clock=long_ago) as graph:
        Caller(graph).record(person("Ana"), "tagged", literal("old"))
    monkeypatch.setattr("keepgraph.cli.graph_options.backup_is_due", lambda file: True)
    keep(graph_file, "1 year")
    run_ok("record", "person:Bob", "tagged", "=new")

    assert rows(graph_file, "SELECT min(call) FROM journal") == [(2,)]
