"""Mentions after a backfill: in whatever order texts and names come, the index is what a fresh detection gives."""

from __future__ import annotations

import pytest

from keepgraph import store
from keepgraph.engine.texts import mention_index
from words import concept, literal, person, project

HERE = literal("here")


def mentioned(call, uuid: str) -> list[str]:
    nodes = call("get_episode_context", episode_uuids=[uuid])["nodes"]
    return sorted(node["name"] for node in nodes if not node.get("proposed"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("We talked for an hour.", concept("Orion Base")),
        ("김민수는 서울에서 일한다.", person("김민수")),
        ("It lies in the ﬁle bin today.", concept("file bin")),
        ("We meet in the Hauptstraße again.", concept("HAUPTSTRASSE")),
        ("Ａtlas Wide begins in May.", project("Atlas Wide")),
        ("田中さんと東京で会いました。", person("田中")),
    ],
)
def test_a_name_that_is_recorded_later_is_found_in_earlier_texts(call, text, named):
    about = ["Orion Base"] if named["name"] == "Orion Base" else []
    uuid = call("remember", text=text, about=about)["doc_id"]
    call.record(named, "tagged", HERE)

    assert mentioned(call, uuid) == [named["name"]]


def test_what_another_text_is_about_is_not_deleted_with_the_text_it_came_with(call):
    call("remember", text="We talked for an hour.", about=["Orion Base"])
    chunks = [{"text": "one", "entities": [{"name": "Orion Base", "type": "concept"}]}]
    came = call("ingest_prechunked", source="d", chunks=chunks)
    gone = call("delete_episode", uuid=came["doc_id"])

    assert gone["entities"] == []
    assert call.recalled("Orion Base") == "Orion Base"


def test_a_document_that_is_renamed_mentions_what_its_new_name_says(call, tmp_path, open_graph):
    from keepgraph.engine.maintenance.jobs import Job
    from keepgraph.engine.texts import ingestion

    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Atlas Prime.md").write_text("quiet words only here", encoding="utf-8")
    for name in ("Atlas Prime", "Zeus Major"):
        call.record(project(name), "tagged", HERE)
    database = call.graph.database
    ingestion.ingest(Job(database, tool="kg ingest"), folder)
    (folder / "Atlas Prime.md").rename(folder / "Zeus Major.md")
    ingestion.ingest(Job(database, tool="kg ingest"), folder)
    (episode,) = call("get_episodes")["episodes"]

    assert mentioned(call, episode["uuid"]) == ["Zeus Major"]
    assert [call.recalled(name) for name in ("Atlas Prime", "Zeus Major")] == ["Atlas Prime", "Zeus Major"]


def test_a_title_that_is_only_how_the_text_begins_mentions_nothing_of_its_own(call):
    for name in ("New York", "New York Times"):
        call.record(project(name), "tagged", HERE)
    text = (
        "We talked with many friends about all these plans of ours and then the  New York Times printed it all "
        "over again."
    )
    uuid = call("remember", text=text)["doc_id"]

    assert mentioned(call, uuid) == ["New York Times"]


def test_what_a_known_text_is_about_is_taken_too(call):
    first = call("remember", text="about things", about=["Orion Base"])
    call.record(concept("Luna Base"), "tagged", HERE)
    again = call("remember", text="about things", about=["Luna Base"])

    assert (again["deduplicated"], again["doc_id"]) == (True, first["doc_id"])
    assert mentioned(call, first["doc_id"]) == ["Luna Base"]


def test_a_group_that_is_not_that_of_the_text_is_refused(call):
    there = call("add_memory", name="q", episode_body="q", group_id="g2")
    refused = call("add_memory", name="q", episode_body="other", uuid=there["uuid"], group_id="g1")

    assert refused["error"] == "INVALID_ARGUMENTS"
    assert call("get_full_document", doc_id=there["uuid"])["text"] == "q"


def test_reading_everything_anew_changes_nothing(call, path):
    call("remember", text="Priya met Sam about #storage and [[Atlas]].", about=["Luna Base"])
    call.record(person("Priya"), "reports_to", person("Sam"))
    call("add_memory", name="chat", episode_body="Priya: Hello Sam.\nSam: Hello.", source="message")
    call("search", query="anything")

    def read() -> set[tuple]:
        with call.graph.database.read("test") as tx:
            rows = tx.conn.execute("SELECT chunk, entity, how, start, stop FROM mention").fetchall()
            return {tuple(row) for row in rows}

    before = read()
    with call.graph.database.write("test") as tx:
        store.mentions.add_all_chunks(tx)
    mention_index.backfill(call.graph.database)

    assert before == read()
    assert before


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("explore_node", {"name": "Atlas"}),
        ("get_entity_connections", {"entity_uuid": "Atlas"}),
        ("get_entity_timeline", {"entity_uuid": "Atlas"}),
        ("search", {"query": "Atlas"}),
        ("search_nodes", {"query": "Atlas"}),
        ("priming_context", {"query": "Atlas"}),
        ("expand_context", {"entity_ids": ["Atlas"]}),
        ("hydra_search", {"query": "Atlas"}),
    ],
)
def test_an_answer_says_what_has_not_been_read(call, path, monkeypatch, tool, given):
    call.record(project("Atlas"), "tagged", HERE)
    call("remember", text="Atlas begins.")
    with call.graph.database.write("test") as tx:
        store.mentions.add_all_chunks(tx)
    monkeypatch.setattr(mention_index, "backfill", lambda *_, **__: 1)

    assert call(tool, **given)["unread"] == 1


def test_what_a_caller_hands_in_is_no_file(call, tmp_path):
    """
    It is neither forgotten because no file is there, nor replaced by one.
    """
    from keepgraph.engine.maintenance.jobs import Job
    from keepgraph.engine.texts import ingestion

    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "there.md").write_text("A file.", encoding="utf-8")
    handed = str(folder.resolve() / "gone.md")
    came = call("ingest_prechunked", source=handed, chunks=[{"text": "Handed in."}])
    ingestion.ingest(Job(call.graph.database, tool="kg ingest"), folder, forget_missing=True)

    assert call("get_full_document", doc_id=came["doc_id"])["text"] == "Handed in."


def test_a_question_that_is_little_but_names_finds_what_names_them(call):
    call("add_memory", name="chat", episode_body="Ada: good morning\nBob: hello", source="message")
    call("add_memory", name="note", episode_body="Ada and Bob visited Lisbon in June.")
    found = call("search", query="Ada met Bob", search_mode="episodes")["episodes"]

    assert "note" in [each["name"] for each in found]
    assert any("words" in each["why"] for each in found)
