"""Dispatch: a tool runs once in a call; what it needs is backfilled, and what it wants is backed up, before."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.maintenance import backups
from keepgraph.engine.texts import ingestion, mention_index
from keepgraph.ml import embedder
from keepgraph.model import Settings
from keepgraph.tools.contract import catalogue, dispatch
from words import Caller, concept, literal, project, rows

HERE = literal("here")
needs_vectors = pytest.mark.skipif(embedder.unavailable_reason() is not None, reason="the model is not installed")


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each tool was entered."""
    counts: Counter[str] = Counter()
    find = catalogue.find

    def find_counted(name: str) -> catalogue.Tool:
        tool = find(name)

        def run(*arguments: Any, **named: Any) -> dict[str, Any]:
            counts[name] += 1
            return tool.run(*arguments, **named)

        return replace(tool, run=run)

    monkeypatch.setattr(catalogue, "find", find_counted)
    return counts


@pytest.fixture
def unfinished(call, entries):
    """A graph of which vectors and mentions wait."""
    call.record(concept("Authentication service"), "tagged", HERE)
    call.record(project("Atlas"), "tagged", HERE)
    call("remember", text="Atlas begins with Brigitte Bardot.")
    call.record(concept("Bardot"), "tagged", HERE)
    entries.clear()
    return call


def waiting(call) -> tuple[bool, bool, bool]:
    """Whether mentions, vectors of names, and vectors of texts wait."""
    with call.graph.database.read("test") as tx:
        kinds = (store.derived_tables.NAME_VECTORS, store.derived_tables.CHUNK_VECTORS)
        return store.mentions.any_unread(tx), *(store.vectors.any_missing(tx, kind) for kind in kinds)


SEARCHES = [
    ("search", {"query": "login system"}),
    ("search_nodes", {"query": "login system"}),
    ("search_memory_facts", {"query": "login system"}),
    ("priming_context", {"query": "login system"}),
    ("hydra_search", {"query": "login system"}),
]
BY_NAME = [
    ("recall_decisions", {"project": "login system"}),
    ("weekly_rollup", {"project": "login system"}),
    ("get_history", {"about": "login system"}),
]
BY_MENTION = [
    ("expand_context", {"entity_ids": ["Atlas"]}),
    ("get_entity_connections", {"entity_uuid": "Atlas"}),
    ("get_entity_timeline", {"entity_uuid": "Atlas"}),
    ("explore_node", {"name": "Atlas"}),
]


@pytest.mark.sampled(one_in=3)
@needs_vectors
@pytest.mark.parametrize(
    ("tool", "arguments", "left"),
    [
        *((*each, (False, False, False)) for each in SEARCHES),
        *((*each, (True, False, True)) for each in BY_NAME),
        *((*each, (False, True, True)) for each in BY_MENTION),
        ("explore_node", {"name": "login system"}, (False, False, True)),
        # It counts the texts that mention what it found.
        ("recall_entity", {"name_or_alias": "login system"}, (False, False, True)),
        ("recall_entity", {"name_or_alias": "Atlas"}, (False, True, True)),
        ("recall_entity", {"name_or_alias": "Atlsa"}, (False, True, True)),
        ("get_history", {"about": "fact_of_the_matter"}, (True, True, True)),
        ("get_entity_edge", {"uuid": "fact_of_the_matter"}, (True, True, True)),
        ("get_entity_edge", {"uuid": "mention:1:2"}, (False, True, True)),
        ("run_cypher", {"query": "MATCH (n) RETURN n"}, (True, True, True)),
    ],
)
def test_a_tool_is_entered_once_and_only_what_it_needs_is_backfilled(unfinished, entries, tool, arguments, left):
    before = waiting(unfinished)
    unfinished(tool, **arguments)

    assert before == (True, True, True)
    assert entries == {tool: 1}
    assert waiting(unfinished) == left


def test_a_backfill_that_fails_is_tried_once_and_the_tool_entered_once(unfinished, entries, monkeypatch):
    tried: Counter[str] = Counter()
    monkeypatch.setattr(mention_index, "backfill", lambda database, **_: tried.update(["mentions"]))
    monkeypatch.setattr(vector_backfill, "backfill_some", lambda database, kinds, **_: tried.update(["vectors"]))
    monkeypatch.setattr(vector_backfill, "unavailable_reason", lambda tx: None)
    monkeypatch.setattr(store.vectors, "model_and_dimension", lambda tx: None)
    answer = unfinished("search", query="login system")

    assert answer["unread"] > 0
    assert tried == {"mentions": 1, "vectors": 1}
    assert entries == {"search": 1}


@pytest.mark.parametrize(
    "fault", [errors.ModelUnavailable("the model cannot be loaded"), errors.GraphUnavailable("the disk is full")]
)
def test_where_a_backfill_fails_the_tool_answers_with_what_there_is(unfinished, monkeypatch, fault):
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(vector_backfill, "backfill_some", fail)
    monkeypatch.setattr(mention_index, "backfill", fail)
    monkeypatch.setattr(vector_backfill, "unavailable_reason", lambda tx: None)
    monkeypatch.setattr(store.vectors, "model_and_dimension", lambda tx: None)
    answer = unfinished("search", query="Atlas")

    assert [node["name"] for node in answer["nodes"]][:1] == ["Atlas"]
    assert waiting(unfinished) == (True, True, True)


@pytest.mark.parametrize(("tool", "arguments"), [*SEARCHES, *BY_NAME, *BY_MENTION])
def test_nothing_is_backfilled_where_nothing_waits(call, monkeypatch, tool, arguments):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a backfill was started")

    monkeypatch.setattr(mention_index, "backfill", never)
    monkeypatch.setattr(vector_backfill, "backfill", never)

    assert call(tool, **arguments).get("error") in (None, "ENTITY_NOT_FOUND")


def test_a_name_that_only_a_text_has_is_found_among_new_mentions_without_a_model(call, monkeypatch):
    """
    Before its mentions are read, letters do not find the name; then they do, and nothing is embedded.
    """

    def never(*_: object, **__: object) -> None:
        raise AssertionError("the model was asked")

    call.record(concept("Authentication service"), "tagged", HERE)
    call("remember", text="We met Brigitte Langstrumpf in Zurich, and Brigitte Langstrumpf was pleased.")
    with call.graph.database.write("test") as tx:
        tx.conn.execute("DELETE FROM proposal")
        store.mentions.add_all_chunks(tx)
    monkeypatch.setattr(embedder, "embed", never)
    answer = call("explore_node", name="Brigitte Langstrumpf")

    assert answer["center_node"]["proposed"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"name_or_alias": "  ", "as_of": "whenever"}, "NAME_OR_ALIAS_REQUIRED"),
        ({"name_or_alias": "login system", "as_of": "whenever"}, "MOMENT_INVALID"),
    ],
)
def test_a_call_is_refused_in_the_words_of_its_tool_while_something_waits(unfinished, entries, arguments, error):
    before = waiting(unfinished)

    assert unfinished("recall_entity", **arguments)["error"] == error
    assert entries == {"recall_entity": 1}
    assert waiting(unfinished) == before


@pytest.mark.parametrize("arguments", [[], "", 0, False])
def test_arguments_that_are_no_object_are_refused_even_where_none_are_needed(call, arguments):
    with pytest.raises(errors.InvalidArguments, match="not a JSON object"):
        dispatch.call(call.graph.database, "get_status", arguments)


def test_each_call_of_a_job_is_stored_with_its_session(open_graph, tmp_path, path):
    (tmp_path / "ada.md").write_text("# Ada\n\nAda wrote the notes.\n")
    call = Caller(open_graph(session="of today", settings=Settings(document_roots=(str(tmp_path.resolve()),))))
    answer = call("ingest_markdown", file_path="ada.md")

    assert "error" not in answer, answer
    assert set(rows(path, "SELECT tool, session FROM call")) == {("ingest_markdown", "of today")}


@needs_vectors
def test_a_call_that_is_cancelled_backfills_nothing(unfinished, entries):
    before = waiting(unfinished)
    with pytest.raises(errors.Cancelled):
        unfinished.graph.call_until(lambda: errors.Cancelled("enough"), "search", {"query": "login system"})

    assert waiting(unfinished) == before == (True, True, True)
    assert not entries


def test_a_job_that_is_cancelled_keeps_what_it_had_done(open_graph, tmp_path, path, monkeypatch):
    monkeypatch.setattr(ingestion, "_MAX_FILES_IN_BATCH", 1)
    for name in ("ada", "ben", "cleo"):
        (tmp_path / f"{name}.md").write_text(f"# {name.title()}\n\nA note about {name.title()}.\n")
    graph = open_graph(settings=Settings(document_roots=(str(tmp_path.resolve()),)))

    def enough() -> errors.KeepgraphError | None:
        return errors.Cancelled("enough") if rows(path, "SELECT 1 FROM episode") else None

    stopped = graph.call_until(enough, "ingest_directory", {"directory": "."})
    again = graph.call("ingest_directory", directory=".")

    assert (stopped["added"], stopped["complete"]) == (1, False)
    assert (again["added"], again["unchanged"], again["complete"]) == (2, 1, True)


def kinds_of_backups(call) -> list[str]:
    return [backup.kind for backup in backups.list_all(call.graph.path)]


def test_a_tool_that_wants_a_backup_is_entered_once_after_it(call, entries, monkeypatch):
    call.record(project("Atlas"), "tagged", HERE)
    entries.clear()
    make = backups.make
    entered: list[int] = []
    monkeypatch.setattr(backups, "make", lambda *given: (entered.append(entries["clear_graph"]), make(*given))[1])
    answer = call("clear_graph", confirm=True)

    assert answer["entities"] == 1
    assert entries == {"clear_graph": 1}
    assert entered == [0]
    assert kinds_of_backups(call) == ["before-clear"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "NOT_CONFIRMED"),
        ({"confirm": False}, "NOT_CONFIRMED"),
        ({"confirm": True, "group_ids": ["nowhere"]}, "INVALID_ARGUMENTS"),
        ({"confirm": "yes"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_call_that_is_refused_makes_no_backup(call, arguments, error):
    call.record(project("Atlas"), "tagged", HERE)

    assert call("clear_graph", **arguments)["error"] == error
    assert kinds_of_backups(call) == []


def test_a_backup_that_cannot_be_made_stops_the_call(call, entries, monkeypatch):
    def fail(*_: object) -> None:
        raise errors.BackupFailed("there is no room")

    call.record(project("Atlas"), "tagged", HERE)
    entries.clear()
    monkeypatch.setattr(backups, "make", fail)

    assert call("clear_graph", confirm=True)["error"] == "BACKUP_FAILED"
    assert not entries
    assert call.recalled("Atlas") == "Atlas"
