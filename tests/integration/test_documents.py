"""Documents: files and folders taken in, brought up to date, moved, gone, given back; through the tools and `kg`."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import keepgraph
from fork_server import await_killed, python
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.texts import documents, ingestion, mention_index
from keepgraph.ml import embedder
from keepgraph.model import Settings
from keepgraph.temporal import timestamps
from words import Caller, concept, literal, person, rows

ADA = """\
---
title: Ada Lovelace
tags: [mathematics, people/english]
aliases: [Countess of Lovelace]
date: 1843-09-01
---
# Ada

Ada worked with [[Charles Babbage]] on the [[Engines/Analytical Engine|engine]]. ![[portrait.png]] [[2026-05-01]]

## Notes

She wrote the notes. #history See [the engine](engine.md).
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "notes"
    made.mkdir()
    return made


@pytest.fixture
def call(open_graph, folder) -> Caller:
    """Calls tools of a graph whose settings allow the folder."""
    return Caller(open_graph(settings=Settings(document_roots=(str(folder),))))


def sentences(first: int, last: int) -> str:
    return "".join(
        f"This is the sentence of the number {n}, and it is of a middling length. " for n in range(first, last)
    )


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def chunk_rows(path: Path) -> list[tuple[Any, ...]]:
    return rows(path, "SELECT id, text FROM chunk ORDER BY episode, place, id")


def counts(answer: dict[str, Any]) -> dict[str, int]:
    names = ("added", "changed", "unchanged", "moved", "forgotten")
    return {name: answer[name] for name in names if answer[name]}


# One file


def test_a_file_is_taken_in_and_given_back_as_it_was(call, folder):
    text = ADA.replace("\n", "\r\n")
    (folder / "ada.md").write_bytes(text.encode())
    done = call("ingest_markdown", file_path="ada.md")
    given = call("get_full_document", doc_id=done["doc_id"])

    assert (done["status"], done["name"], done["remarks"]) == ("added", "Ada Lovelace", [])
    assert done["source"] == done["file"] == os.path.realpath(folder / "ada.md")
    assert done["chunks"] == done["chunks_added"] == 3
    assert done["valid_at"].startswith("1843-09-01")
    assert (given["text"], given["found"], given["kind"]) == (text, True, "document")
    assert given["characters"] == len(text)
    assert given == call("get_full_document", doc_id=done["source"])


def test_links_and_tags_go_with_the_piece_that_has_them(call, folder, path):
    write(folder, ada=ADA)
    call("ingest_markdown", file_path="ada.md")
    found = rows(path, "SELECT place, value ->> 'how', value ->> 'type', value ->> 'name' FROM chunk, json_each(named)")

    assert sorted(found, key=repr) == sorted(
        [
            (1000, "tag", None, "mathematics"),
            (1000, "tag", None, "people/english"),
            (2000, "link", None, "Charles Babbage"),
            (2000, "link", None, "Analytical Engine"),
            (3000, "link", None, "engine"),
            (3000, "tag", None, "history"),
        ],
        key=repr,
    )


def test_a_text_creates_no_entity_and_no_fact(call, folder, path):
    write(folder, ada=ADA + "\nBob reports to Ada.\n")
    call("ingest_markdown", file_path="ada.md")

    assert rows(path, "SELECT count(*) FROM entity") == rows(path, "SELECT count(*) FROM fact") == [(0,)]


def test_an_unchanged_file_is_left_alone(call, folder, path):
    write(folder, ada=ADA)
    first = call("ingest_markdown", file_path="ada.md")
    os.utime(folder / "ada.md", (0, 0))
    calls = rows(path, "SELECT count(*) FROM call")
    again = call("ingest_markdown", file_path="ada.md")

    assert (again["status"], again["doc_id"], again["chunks_added"]) == ("unchanged", first["doc_id"], 0)
    assert rows(path, "SELECT count(*) FROM call") == calls


def test_of_a_changed_file_what_stays_keeps_its_chunks(call, folder, path):
    parts = [f"# Part {n}\n\n{sentences(40 * n, 40 * n + 20)}\n\n" for n in range(5)]
    write(folder, long="".join(parts))
    first = call("ingest_markdown", file_path="long.md")
    before = dict(chunk_rows(path))
    parts[2] = "# Part 2\n\nSomething new.\n\n"
    write(folder, long="---\ntags: [new]\n---\n" + "".join(parts))
    again = call("ingest_markdown", file_path="long.md")
    after = dict(chunk_rows(path))

    assert (again["status"], again["doc_id"]) == ("changed", first["doc_id"])
    assert (again["chunks_added"], again["chunks_removed"]) == (2, 2)
    assert len(before.items() & after.items()) == len(before) - 2
    assert rows(path, "SELECT group_concat(text, '') FROM (SELECT text FROM chunk ORDER BY place)") == [
        ((folder / "long.md").read_text(),)
    ]


def test_what_stays_need_not_be_embedded_or_read_again(call, folder, path):
    write(folder, long=sentences(0, 100))
    call("ingest_markdown", file_path="long.md")
    with call.graph.database.write("test") as tx:
        tx.conn.execute("DELETE FROM chunk_unembedded")
        tx.conn.execute("DELETE FROM chunk_unread")
    write(folder, long="A new beginning, which is a paragraph.\n\n" + "x" * 600 + "\n\n" + sentences(0, 100))
    done = call("ingest_markdown", file_path="long.md")
    ours = (
        "SELECT count(*) FROM chunk WHERE text LIKE 'This is%' AND (id IN chunk_unread OR 2 * id IN chunk_unembedded)"
    )

    assert done["chunks_added"] == 1
    assert rows(path, ours.replace("IN chunk_unread", "IN (SELECT chunk FROM chunk_unread)").replace(
        "IN chunk_unembedded", "IN (SELECT reading FROM chunk_unembedded)"
    )) == [(0,)]  # fmt: skip


def test_a_shortened_file_leaves_no_tail(call, folder, path):
    write(folder, long=sentences(0, 200))
    first = call("ingest_markdown", file_path="long.md")
    write(folder, long="Short.")
    again = call("ingest_markdown", file_path="long.md")

    assert first["chunks"] > 5
    assert chunk_rows(path)[0][1] == "Short."
    assert again["chunks"] == len(chunk_rows(path)) == 1


def test_an_emptied_file_is_empty(call, folder):
    write(folder, a="Words.")
    first = call("ingest_markdown", file_path="a.md")
    write(folder, a="")
    again = call("ingest_markdown", file_path="a.md")

    assert (again["status"], again["chunks"]) == ("changed", 0)
    assert call("get_full_document", doc_id=first["doc_id"])["text"] == ""


@pytest.mark.parametrize(
    ("front", "stem", "day"),
    [
        ("---\ndate: 2026-01-02\n---\n", "a", "2026-01-02"),
        ("---\ncreated: 2026-01-02 10:30\n---\n", "2025-01-01", "2026-01-02T10:30"),
        ("", "2026-01-02 Meeting", "2026-01-02"),
        ("---\ndate: soon\n---\n", "a", "2001-09-09"),
        ("---\ndate: 20260102\n---\n", "a", "2026-01-02"),
        ("---\ndate: 0001-01-01T00:00:00\n---\n", "a", "2001-09-09"),
    ],
)
def test_a_document_is_of_its_date_or_of_its_last_change(call, folder, front, stem, day):
    file = folder / f"{stem}.md"
    file.write_text(front + "Words.")
    os.utime(file, (1_000_000_000, 1_000_000_000))

    assert call("ingest_markdown", file_path=file.name)["valid_at"].startswith(day)


@pytest.mark.parametrize(
    ("name", "text", "title"), [("n.txt", "# Not a title", "n"), ("n.md", "Words.", "n"), ("n.md", "a\n\n# T", "T")]
)
def test_a_document_is_called_by_its_title_or_its_file(call, folder, name, text, title):
    (folder / name).write_text(text)

    assert call("ingest_markdown", file_path=name)["name"] == title


def test_front_matter_that_cannot_be_read_is_said(call, folder):
    write(folder, a="---\na: [\n---\nWords.")
    done = call("ingest_markdown", file_path="a.md")

    assert [each["code"] for each in done["remarks"]] == ["FRONT_MATTER"]
    assert done["chunks"] == 1


def test_what_is_no_utf8_is_taken_in_and_said(call, folder):
    (folder / "a.md").write_bytes(b"caf\xe9")
    done = call("ingest_markdown", file_path="a.md")

    assert [each["code"] for each in done["remarks"]] == ["NOT_UTF_8"]
    assert call("get_full_document", doc_id=done["doc_id"])["text"] == "caf\ufffd"


def test_links_and_tags_are_mentions_of_what_is_known_and_proposals_of_what_is_not(call, folder):
    call.record(person("Charles Babbage"), "tagged", literal("engineer"), aliases=["Babbage"])
    call.record(concept("History"), "tagged", literal("field"))
    write(folder, ada="She knew [[Babbage]] and [[Mary Somerville]]. #history #poetry")
    done = call("ingest_markdown", file_path="ada.md")
    found = call("search_nodes", query="somerville")

    assert (done["mentions"], done["unread"]) == (2, 0)
    assert done["proposals"] >= 2
    assert "Mary Somerville" in [node["name"] for node in found["nodes"] if node.get("proposed")]


def test_a_tag_of_the_front_matter_is_a_mention_of_what_is_known_and_no_name_by_itself(call, folder):
    call.record(concept("History"), "tagged", literal("field"))
    write(folder, ada="---\ntags: [history, Poetry]\n---\nShe wrote it in Turin. #essays")
    done = call("ingest_markdown", file_path="ada.md")
    proposed = [node["name"] for node in call("search_nodes", query="poetry essays Turin")["nodes"]]

    assert done["mentions"] == 1
    assert {"essays", "Turin"} == set(proposed) - {"History"}


def test_a_decision_in_a_note_is_of_the_date_of_its_front_matter(call, folder):
    write(folder, minutes="---\ndate: 2026-02-03\n---\n# Atlas\n\nWe decided to use PostgreSQL for storage.")
    call("ingest_markdown", file_path="minutes.md", project="Atlas")
    [episode] = call("search", query="PostgreSQL for storage", search_mode="episodes")["episodes"]
    [proposed] = call("get_episode_context", episode_uuids=[episode["uuid"]])["proposed_facts"]

    assert proposed["arguments"]["valid_from"] == "2026-02-03"


def test_a_decision_accepted_in_review_is_of_the_day_of_its_text_and_names_it(call, folder):
    write(folder, a="---\ndate: 2024-02-02\n---\nPriya Raman decided to adopt Zig.\n")
    call("add_entity", entity=person("Priya Raman"))
    call("ingest_directory", directory=str(folder), project="Atlas")
    proposals = call("review_proposals", kinds=["new_fact"])["proposals"]
    call("review_proposals", decide=[{"id": proposal["id"], "decision": "accept"} for proposal in proposals])
    [made] = call("recall_decisions")["decisions"]

    assert [proposal["call"]["arguments"]["valid_from"] for proposal in proposals] == ["2024-02-02"] * 2
    assert (made["decided_on"], made["confidence"], made["source"].startswith("a (ep_")) == ("2024-02-02", 1.0, True)


@pytest.mark.parametrize("written", ["03/04/2026", "2026-02-30", "2026-W10", "[2026-01-02]", "soon"])
def test_a_date_of_the_front_matter_that_is_not_read_is_said(call, folder, written):
    write(folder, a=f"---\ndate: {written}\n---\nWords.")
    [remark] = call("ingest_markdown", file_path="a.md")["remarks"]

    assert remark["code"] == "FRONT_MATTER"
    assert "cannot be read as a date" in remark["message"]


def test_what_came_only_with_a_document_goes_with_it(call, folder, path):
    write(folder, a="Words about [[Ada]].")
    call("ingest_directory", directory=str(folder))
    (folder / "a.md").unlink()
    call("ingest_directory", directory=str(folder), forget_missing=True)

    for table in ("episode", "chunk", "mention", "proposal", "chunk_unread", "chunk_unembedded"):
        assert rows(path, f"SELECT count(*) FROM {table}") == [(0,)]


# Folders


def test_a_folder_is_brought_up_to_date(call, folder, path):
    write(folder, a="One.", b="Two.", c="Three.", d="Four.")
    first = call("ingest_directory", directory=str(folder))
    ids = dict(rows(path, "SELECT name, public_id FROM episode"))
    write(folder, b="Two, changed.", e="Five.")
    (folder / "sub").mkdir()
    (folder / "c.md").rename(folder / "sub" / "c2.md")
    (folder / "d.md").unlink()
    second = call("ingest_directory", directory=str(folder))
    third = call("ingest_directory", directory=str(folder), forget_missing=True)

    assert (counts(first), first["files_processed"], first["chunks_added"]) == ({"added": 4}, 4, 4)
    assert counts(second) == {"added": 1, "changed": 1, "unchanged": 1, "moved": 1}
    assert second["missing"] == [os.path.realpath(folder / "d.md")]
    assert counts(third) == {"unchanged": 4, "forgotten": 1}
    after = dict(rows(path, "SELECT name, public_id FROM episode"))
    assert set(after) == {"a", "b", "c2", "e"}
    assert after["c2"] == ids["c"]
    assert call("ingest_directory", directory=str(folder))["missing"] == []
    assert all(each["complete"] and not each["truncated"] for each in (first, second, third))


def test_a_copy_is_no_move(call, folder):
    write(folder, a="Words.")
    call("ingest_directory", directory=str(folder))
    write(folder, b="Words.")

    assert counts(call("ingest_directory", directory=str(folder))) == {"added": 1, "unchanged": 1}


def test_of_two_copies_of_a_file_that_is_gone_one_is_it(call, folder):
    write(folder, a="Words.")
    call("ingest_directory", directory=str(folder))
    (folder / "a.md").unlink()
    write(folder, b="Words.", c="Words.")
    done = call("ingest_directory", directory=str(folder))

    assert counts(done) == {"added": 1, "moved": 1}
    assert done["missing"] == []


def test_a_dry_run_tells_and_does_nothing(call, folder, path):
    write(folder, a="One.", b="Two.", c="Three.")
    call("ingest_directory", directory=str(folder))
    write(folder, a="One, changed.", d="Four.")
    (folder / "b.md").rename(folder / "b2.md")
    (folder / "c.md").unlink()
    before = rows(path, "SELECT * FROM episode"), chunk_rows(path), rows(path, "SELECT count(*) FROM call")
    told = call("ingest_directory", directory=str(folder), dry_run=True, forget_missing=True)
    after = rows(path, "SELECT * FROM episode"), chunk_rows(path), rows(path, "SELECT count(*) FROM call")

    assert counts(told) == {"added": 1, "changed": 1, "moved": 1}
    assert told["missing"] == [os.path.realpath(folder / "c.md")]
    assert before == after


def test_groups_are_kept_apart(call, folder, open_graph):
    write(folder, a="Words.")
    for group in ("one", "two"):
        Caller(open_graph(group=group)).record(person("Zelda"), "tagged", literal("princess"))
    one = call("ingest_markdown", file_path="a.md", project="one")
    two = call("ingest_markdown", file_path="a.md", project="two")
    none = call("ingest_markdown", file_path="a.md", project="")

    assert [one["status"], two["status"], none["status"]] == ["added"] * 3
    assert len({one["doc_id"], two["doc_id"], none["doc_id"]}) == 3
    assert [one["project"], two["project"], none["project"]] == ["one", "two", "default"]
    assert call("get_full_document", doc_id=one["source"], project="one")["doc_id"] == one["doc_id"]


def test_files_are_about_the_project_that_is_named_and_stay_so(call, folder):
    write(folder, a="The first words.", b="Other words.")
    first = call("ingest_directory", directory=str(folder), project="Atlas")
    write(folder, a="The first words. And more.")
    call("ingest_directory", directory=str(folder))
    about = call("search", project="Atlas", search_mode="episodes")["episodes"]

    assert (first["group_id"], [one["name"] for one in first["about"]]) == ("default", ["Atlas"])
    assert [one["name"] for one in first["auto_created_entities"]] == ["Atlas"]
    assert {"a", "b"} == {episode["name"] for episode in about}


def test_files_that_have_not_changed_come_into_the_project_that_is_named(call, folder, path):
    write(folder, a="The first words.", b="Other words.")
    call("ingest_directory", directory=str(folder))
    again = call("ingest_directory", directory=str(folder), project="Atlas")
    calls = rows(path, "SELECT count(*) FROM call")
    third = call("ingest_directory", directory=str(folder), project="Atlas")

    assert (again["unchanged"], third["unchanged"]) == (2, 2)
    assert len(call("search", project="Atlas", search_mode="episodes")["episodes"]) == 2
    assert calls == rows(path, "SELECT count(*) FROM call")
    assert third["calls"] == []


def test_a_dry_run_makes_no_project(call, folder):
    write(folder, a="Words.")
    answer = call("ingest_directory", directory=str(folder), project="Atlas", dry_run=True)

    assert (answer["added"], answer["project"], answer["about"]) == (1, "Atlas", [])
    assert call("recall_entity", name_or_alias="Atlas")["entity"] is None


def test_undo_of_the_first_call_takes_back_the_texts_and_their_new_project(call, folder):
    before = call("get_status")["entities"]
    write(folder, a="Words.")
    answer = call("ingest_directory", directory=str(folder), project="Atlas")
    call("undo", call=answer["calls"][0])

    assert before == call("get_status")["entities"]
    assert call("get_episodes")["total"] == 0


def test_what_fails_is_listed_and_the_rest_is_taken_in(call, folder):
    write(folder, a="One.", z="Two.", empty="")
    (folder / "binary.md").write_bytes(b"\0\1")
    done = call("ingest_directory", directory=str(folder))

    assert counts(done) == {"added": 2}
    assert [(Path(each["path"]).name, each["code"]) for each in done["failed"]] == [
        ("binary.md", "DOCUMENT_UNREADABLE")
    ]
    assert [(Path(each["path"]).name, each["code"]) for each in done["skipped"]] == [("empty.md", "EMPTY")]
    assert done["totals"] == {"missing": 0, "skipped": 1, "failed": 1, "remarks": 0}


def test_a_long_text_is_given_in_parts(call, folder):
    write(folder, long=sentences(0, 50))
    asked = call("ingest_markdown", file_path="long.md")["doc_id"]
    parts, offset = [], 0
    while True:
        given = call("get_full_document", doc_id=asked, offset=offset, max_characters=1_000)
        parts.append(given["text"])
        offset += len(given["text"])
        if not given["truncated"]:
            break

    assert "".join(parts) == sentences(0, 50)
    assert call("get_full_document", doc_id=asked, offset=10**9)["text"] == ""


def test_an_ingestion_can_be_undone(call, folder, path):
    write(folder, a="One.", b="Two.")
    done = call("ingest_directory", directory=str(folder))
    for number in reversed(done["calls"]):
        assert "error" not in call("undo", call=number)

    assert rows(path, "SELECT count(*) FROM episode") == rows(path, "SELECT count(*) FROM chunk") == [(0,)]


# What is not allowed, and what is not there


def test_a_tool_reads_nothing_where_no_folder_is_allowed(open_graph, folder):
    write(folder, a="Words.")
    call = Caller(open_graph())
    refused = call("ingest_markdown", file_path=str(folder / "a.md"))

    assert refused["error"] == "PATH_NOT_ALLOWED"
    assert "[documents] roots" in refused["hint"]
    assert call("ingest_directory", directory=str(folder))["error"] == "PATH_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("ingest_markdown", {"file_path": "/etc/passwd"}, "PATH_NOT_ALLOWED"),
        ("ingest_markdown", {"file_path": "../a.md"}, "PATH_NOT_ALLOWED"),
        ("ingest_markdown", {"file_path": "nothing.md"}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "."}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "picture.png"}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "empty.md"}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "binary.md"}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "a" * 300 + ".md"}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": ""}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": 7}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {}, "DOCUMENT_UNREADABLE"),
        ("ingest_markdown", {"file_path": "a.md", "project": "x" * 201}, "INVALID_ARGUMENTS"),
        ("ingest_directory", {"directory": "/"}, "PATH_NOT_ALLOWED"),
        ("ingest_directory", {"directory": "nothing"}, "DOCUMENT_UNREADABLE"),
        ("ingest_directory", {"directory": "a.md"}, "DOCUMENT_UNREADABLE"),
        ("ingest_directory", {"directory": "x\0y"}, "INVALID_ARGUMENTS"),
        ("ingest_directory", {"directory": ".", "recursive": "yes"}, "INVALID_ARGUMENTS"),
        ("get_full_document", {"doc_id": ""}, "INVALID_ARGUMENTS"),
        ("get_full_document", {"doc_id": "ep_x", "offset": -1}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_cannot_be_taken_in_is_refused_with_a_code(call, folder, path, tool, arguments, code):
    write(folder, a="Words.", empty="")
    (folder / "binary.md").write_bytes(b"\0\1")
    (folder / "picture.png").write_bytes(b"\0\1")

    assert call(tool, **arguments)["error"] == code
    assert rows(path, "SELECT count(*) FROM episode") == [(0,)]


def test_an_unknown_document_is_not_found(call):
    given = call("get_full_document", doc_id="ep_00000000000000000000000000")

    assert (given["found"], given["text"], given["characters"]) == (False, "", 0)


# Ended, and begun again


def test_an_ingestion_that_runs_out_of_time_says_so_and_goes_on(graph, folder):
    for n in range(250):
        (folder / f"{n:03}.md").write_text(f"Note {n}.")
    asked = 0

    def cancellation() -> str | None:
        nonlocal asked
        asked += 1
        return "the time is up" if asked > 150 else None

    first = ingestion.ingest(Job(graph.database, tool="test", cancellation=cancellation), folder)
    second = ingestion.ingest(Job(graph.database, tool="test"), folder)

    assert not first.complete
    assert 0 < first.added < 250
    assert (first.missing, second.complete) == ([], True)
    assert (second.unchanged, second.added) == (first.added, 250 - first.added)


INGESTING = """
import sys
from pathlib import Path
import keepgraph
from keepgraph.engine.texts import ingestion
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.ml import embedder

ingestion._SECONDS_BETWEEN_REPORTS = 0

def told(done, total, what):
    print(done, flush=True)

with keepgraph.open(sys.argv[1]) as graph:
    ingestion.ingest(Job(graph.database, tool="test", progress=told), Path(sys.argv[2]))
"""


def ended_at(graph: Path, folder: Path, file: int) -> None:
    """Ingest in a process that is killed when it has come to this file, or a little later."""
    process = subprocess.Popen([*python(), "-c", INGESTING, str(graph), str(folder)], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if int(line) >= file:
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    await_killed()


def held(path: Path) -> dict[str, str]:
    """The texts of all documents by their source."""
    text = "SELECT group_concat(text, '') FROM (SELECT text FROM chunk WHERE episode = episode.id ORDER BY place)"
    found = rows(path, f"SELECT source, ({text}) FROM episode")
    assert len({source for source, _ in found}) == len(found)
    return dict(found)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_an_ingestion_that_is_killed_loses_nothing_and_is_finished_by_the_next(tmp_path, folder):
    chance = random.Random(5)
    path = tmp_path / "graph.db"
    for n in range(450):
        (folder / f"{n:03}.md").write_text(f"# Note {n}\n\n" + sentences(n, n + chance.randrange(30)))
    for file in (130, 299, 449):
        ended_at(path, folder, file)
        whole = {str(file): file.read_text() for file in folder.resolve().glob("*.md")}

        assert held(path).items() <= whole.items()
    before = held(path)
    assert len(before) >= 100
    for n in range(0, 450, 7):
        (folder / f"{n:03}.md").write_text(f"# Note {n}, changed\n\n" + sentences(n, n + chance.randrange(30)))
    (folder / "003.md").rename(folder / "moved.md")
    ended_at(path, folder, 350)
    with keepgraph.open(path) as graph:
        report = ingestion.ingest(Job(graph.database, tool="test"), folder)

    assert report.complete
    assert held(path) == {str(file): file.read_text() for file in folder.resolve().glob("*.md")}
    assert rows(path, "SELECT count(*) FROM chunk WHERE episode NOT IN (SELECT id FROM episode)") == [(0,)]


def test_a_failed_write_leaves_nothing_of_its_batch(graph, folder, path, monkeypatch):
    write(folder, a="One.", b="Two.")
    store = documents.upsert

    def failing(tx, document, **options):
        if document.name == "b":
            raise keepgraph.KeepgraphError("no")
        return store(tx, document, **options)

    monkeypatch.setattr(documents, "upsert", failing)
    with pytest.raises(keepgraph.KeepgraphError):
        ingestion.ingest(Job(graph.database, tool="test"), folder)

    assert rows(path, "SELECT count(*) FROM episode") == [(0,)]


def test_times_of_files_beyond_the_calendar_are_its_ends():
    assert ingestion._timestamp(1e20) == timestamps.from_datetime(timestamps.to_datetime("9999-12-31T23:59:59Z"))
    assert ingestion._timestamp(-1e20).startswith("0001-01-01")


# The command


@pytest.fixture
def run(path):
    def call(*words: str) -> Result:
        return CliRunner().invoke(kg, ["--db", str(path), *words], prog_name="kg")

    return call


def test_a_person_may_take_in_any_folder(run, folder):
    write(folder, a="One.", b="Two.")
    first = run("ingest", str(folder))
    (folder / "a.md").unlink()
    second = run("ingest", str(folder))
    third = run("ingest", str(folder), "--forget-missing", "--json")

    assert (first.exit_code, second.exit_code, third.exit_code) == (0, 0, 0)
    assert "2 files: 2 added, 0 changed, 0 moved, 0 unchanged" in first.output
    assert "missing (kept):" in second.output
    assert str(folder.resolve() / "a.md") in second.output
    assert json.loads(third.output)["forgotten"] == 1


@pytest.mark.skipif(
    store.vectors.extension_missing() is not None or embedder.unavailable_reason() is not None, reason="no vectors here"
)
def test_who_ingests_is_told_what_makes_the_vectors_now(run, folder):
    write(folder, a="One.", b="Two.")
    first = run("ingest", str(folder))
    run("reindex")
    second = run("ingest", str(folder))

    assert "2 texts still wait for their vectors" in first.output
    assert "reindex" in first.output
    assert "vectors" not in second.output


def test_several_paths_are_taken_in_and_what_fails_is_said(run, folder):
    write(folder, a="One.", b="Two.")
    done = run("ingest", "--json", str(folder / "a.md"), str(folder / "nothing.md"), str(folder / "b.md"))
    told = json.loads(done.stdout)

    assert done.exit_code == 1
    assert [each.get("added") or each["error"] for each in told] == [1, "DOCUMENT_UNREADABLE", 1]


def test_a_dry_run_at_the_command_line_changes_nothing(run, folder, path):
    write(folder, a="One.")
    done = run("ingest", "--dry-run", str(folder))

    assert "1 would be added" in done.output
    assert rows(path, "SELECT count(*) FROM episode") == [(0,)]


def test_a_command_without_a_path_is_wrong(run):
    assert run("ingest").exit_code == 2


def test_a_text_is_not_kept_waiting_by_the_backlog_of_others(call, folder, monkeypatch):
    """
    Nothing is read in the calls that bring the texts, and of the heavy one no time is left to read all.
    """
    monkeypatch.setattr(mention_index, "_MAX_SECONDS_IN_CALL", -1.0)
    monkeypatch.setattr(ingestion, "_SECONDS_OF_A_BACKFILL", 0.0)
    (folder / "heavy.md").write_text("Ada met Priya.\n\n" * 3_000, encoding="utf-8")
    (folder / "small.md").write_text("Ada met Priya", encoding="utf-8")
    with monkeypatch.context() as hurried:
        looks = iter([False, False])
        hurried.setattr(ingestion._Ingestion, "_is_late", lambda ingested: next(looks, True))
        heavy = call("ingest_markdown", file_path=str(folder / "heavy.md"))
    computed = []
    compute = mention_index._Batch.compute
    monkeypatch.setattr(
        mention_index._Batch, "compute", lambda tx, **given: computed.append(given) or compute(tx, **given)
    )
    small = call("ingest_markdown", file_path=str(folder / "small.md"))

    assert (heavy["unread"] > 0, small["unread"], len(computed)) == (True, 0, 1)
