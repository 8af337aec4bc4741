"""What other programs wrote comes in without loss, is found again, and comes in once however often it is taken in."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from laws import examples
from words import connected, dump, person, rows

KEPT = ("entity_type", "predicate", "entity", "alias", "fact", "provenance", "episode", "chunk", "journal")


def entity(name: str, kind: str, *observations: str, **more: Any) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations), **more}


def relation(subject: str, kind: str, target: str, **more: Any) -> dict[str, Any]:
    return {"type": "relation", "from": subject, "to": target, "relationType": kind, **more}


ADA = entity("Ada", "person", "likes tea", "moved to Bern\nin May")
ACME = entity("Acme", "guild", "makes anvils")
WORKS = relation("Ada", "sings at", "Acme")
REPORTS = relation("Ada", "reportsTo", "Bob")
MEMORY = [ADA, ACME, WORKS, REPORTS]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return written(tmp_path / "memory.jsonl", *MEMORY)


def written(file: Path, *lines: Any) -> Path:
    file.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines))
    return file


def run(path: Path, file: Path, *options: str) -> Any:
    return CliRunner().invoke(kg, ["--db", str(path), "import", str(file), *options])


def imported(path: Path, file: Path, *options: str) -> dict[str, Any]:
    """The report of an import."""
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(file), *options])
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.exit_code == (1 if report["refused"] or "error" in report else 0)
    return report


def exported(path: Path) -> str:
    return str(CliRunner().invoke(kg, ["--db", str(path), "export"]).output)


def counts(report: dict[str, Any]) -> tuple[int, int, list[int]]:
    """Added, known before, and the places of what was refused."""
    places = [each.get("line", each.get("conversation")) for each in report["refused"]]
    return report["added"], report["merged"], places


def kept(path: Path) -> dict[str, Any]:
    return {table: held for table, held in dump(path).items() if table in KEPT}


def facts(path: Path) -> list[str]:
    return [each for (each,) in rows(path, "SELECT text FROM fact ORDER BY text")]


def texts(path: Path, kind: str) -> dict[str, str]:
    """The texts of a kind, by their names; those of one name one after the other."""
    found: dict[tuple[int, str], str] = {}
    for row, name, piece in rows(
        path,
        "SELECT episode.id, episode.name, chunk.text FROM chunk JOIN episode ON episode.id = chunk.episode "
        "WHERE kind = ? ORDER BY episode.id, place",
        kind,
    ):
        found[row, name] = found.get((row, name), "") + piece
    return {each: "\n\n".join(text for (_, name), text in found.items() if name == each) for _, each in found}


def check_every_text_is_whole(path: Path) -> None:
    import hashlib

    with connected(path) as conn:
        for row, digest in conn.execute("SELECT id, digest FROM episode").fetchall():
            pieces = [
                text for (text,) in conn.execute("SELECT text FROM chunk WHERE episode = ? ORDER BY place", (row,))
            ]
            assert hashlib.sha256("".join(pieces).encode()).hexdigest() == digest
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []


# The memory server


def test_of_a_memory_file_nothing_is_lost(path, memory):
    report = imported(path, memory)

    assert (report["format"], counts(report)) == ("memory-server", (4, 0, []))
    assert report["new"] == {"entities": 3, "facts": 1, "episodes": 3}
    assert facts(path) == ["Ada reports to Bob"]
    assert texts(path, "text") == {"Ada": "likes tea\n\nmoved to Bern\nin May", "Acme": "makes anvils"}
    assert texts(path, "json") == {"memory.jsonl": json.dumps(WORKS) + "\n"}
    assert rows(path, "SELECT source FROM episode WHERE kind = 'json'") == [(str(memory),)]
    check_every_text_is_whole(path)


def test_the_answer_says_what_became_of_each_word(path, memory):
    report = imported(path, memory)

    assert report["words"] == {
        "entity_types": {
            "person": {"becomes": "person", "how": "same", "times": 1},
            "guild": {"becomes": "concept", "how": "other", "times": 1},
        },
        "relation_types": {
            "sings at": {"becomes": None, "how": "other", "times": 1},
            "reportsTo": {"becomes": "reports_to", "how": "same", "times": 1},
        },
    }
    assert report["kept_as_text"] == [{"line": 3, "from": "Ada", "relationType": "sings at", "to": "Acme"}]
    assert report["undeclared"] == 1


def test_a_type_that_is_none_of_ours_is_kept_with_the_concept(path, memory):
    imported(path, memory)
    said = rows(path, "SELECT entity_type.name, properties FROM entity JOIN entity_type ON entity_type.id = type "
                "WHERE entity.name = 'Acme'")  # fmt: skip

    assert said == [("concept", '{"entityType": "guild"}')]


def test_what_was_observed_names_whom_it_is_about(path, memory):
    imported(path, memory)
    ((ada, acme),) = rows(
        path, "SELECT a.public_id, b.public_id FROM entity a, entity b WHERE a.name = 'Ada' AND b.name = 'Acme'"
    )
    named = rows(path, "SELECT kind, named FROM chunk JOIN episode ON episode.id = episode ORDER BY chunk.id")

    about = [(kind, [each["id"] for each in json.loads(names)]) for kind, names in named]
    assert about == [("text", [ada]), ("text", [ada]), ("text", [acme]), ("json", [ada, acme])]


def test_with_its_words_added_all_of_a_file_becomes_facts(path, memory):
    report = imported(path, memory, "--add-words")

    assert facts(path) == ["Ada reports to Bob", "Ada sings at Acme"]
    assert texts(path, "json") == {}
    assert report["new"]["words"] == 2
    assert rows(path, "SELECT name, version FROM entity_type WHERE version = 'imported'") == [("guild", "imported")]
    assert rows(path, "SELECT name, description FROM predicate WHERE version = 'imported'") == [
        ("sings_at", "Imported from memory.jsonl, where it is 'sings at'.")
    ]


def test_words_may_be_added_later(path, memory):
    imported(path, memory)
    imported(path, memory, "--add-words")
    said = rows(
        path, "SELECT entity_type.name, entity.name FROM entity JOIN entity_type ON entity_type.id = type ORDER BY 2"
    )

    assert said == [("guild", "Acme"), ("person", "Ada"), ("person", "Bob")]
    assert facts(path) == ["Ada reports to Bob", "Ada sings at Acme"]


@pytest.mark.parametrize("options", [[], ["--add-words"]])
def test_the_same_file_again_adds_nothing(path, memory, options):
    first = imported(path, memory, *options)
    before = kept(path)
    again = imported(path, memory, *options)

    assert counts(again) == (0, 4, [])
    assert again["new"] == {}
    assert kept(path) == before
    assert again["kept_as_text"] == first["kept_as_text"]


def test_of_a_file_that_has_grown_only_what_is_new_comes_in(path, tmp_path):
    file = written(tmp_path / "memory.jsonl", ADA, WORKS)
    imported(path, file)
    chunks = rows(path, "SELECT id, text FROM chunk WHERE place = 0 ORDER BY id")
    written(file, ACME, {**ADA, "observations": ["has a cat", *ADA["observations"]]}, REPORTS, WORKS)
    report = imported(path, file)

    assert counts(report) == (3, 1, [])
    assert texts(path, "text")["Ada"] == "likes tea\n\nmoved to Bern\nin May\n\nhas a cat"
    assert texts(path, "json") == {"memory.jsonl": json.dumps(WORKS) + "\n"}
    assert set(chunks) <= set(rows(path, "SELECT id, text FROM chunk"))
    check_every_text_is_whole(path)


def test_what_is_there_stays_as_it_is(call, path, tmp_path):
    call.record(person("Ada"), "tagged", {"literal": "lead"}, aliases=["Countess"])
    file = written(tmp_path / "memory.jsonl", entity("countess", "Person", "likes tea"))
    imported(path, file)

    assert rows(path, "SELECT name FROM entity") == [("Ada",)]


def test_names_that_stand_twice_are_one(path, tmp_path):
    file = written(tmp_path / "memory.jsonl", ADA, {**ADA, "observations": ["likes tea", "sings"]}, REPORTS, REPORTS)
    report = imported(path, file)

    assert counts(report) == (3, 1, [])
    assert texts(path, "text")["Ada"] == "likes tea\n\nmoved to Bern\nin May\n\nsings"
    assert facts(path) == ["Ada reports to Bob"]


def test_extra_fields_are_kept(path, tmp_path):
    strong = relation("Ada", "reports_to", "Bob", strength=0.5)
    file = written(tmp_path / "memory.jsonl", {**ADA, "born": {"year": 1815}}, strong)
    imported(path, file)

    assert rows(path, "SELECT properties FROM entity WHERE name = 'Ada'") == [('{"born": {"year": 1815}}',)]
    assert texts(path, "json") == {"memory.jsonl": json.dumps(strong) + "\n"}
    assert facts(path) == ["Ada reports to Bob"]


def test_what_cannot_be_a_name_is_kept_as_its_line(path, tmp_path):
    long = entity("x" * 201, "person", "is long")
    report = imported(path, written(tmp_path / "memory.jsonl", long, relation("y" * 300, "frobs", "Ada"), ADA))

    assert counts(report) == (3, 0, [])
    assert [each["line"] for each in report["kept_as_text"]] == [1, 2]
    assert json.dumps(long) in texts(path, "json")["memory.jsonl"]
    assert rows(path, "SELECT name FROM entity") == [("Ada",)]


def test_long_lines_are_kept_and_come_in_once(path, tmp_path, monkeypatch):
    monkeypatch.setattr("keepgraph.engine.exchange.conversion._MAX_LINE_CHARACTERS", 40_000)
    long = [entity("x" * 201, "lab", f"{number} " + "is long. " * 2_000) for number in range(5)]
    longest = entity("y" * 201, "lab", "is long. " * 5_000)
    file = written(tmp_path / "memory.jsonl", *long, longest, WORKS)
    report = imported(path, file)

    assert counts(report) == (6, 0, [6])
    assert [(n,) for n in (2, 2, 2)] == rows(
        path,
        "SELECT length(group_concat(text, '')) - length(replace(group_concat(text, ''), char(10), '')) "
        "FROM chunk GROUP BY episode ORDER BY episode",
    )
    check_every_text_is_whole(path)
    before = kept(path)
    assert counts(imported(path, file)) == (0, 6, [6])
    assert kept(path) == before


def test_a_bad_line_is_refused_and_the_others_are_taken(path, tmp_path):
    report = imported(path, written(tmp_path / "memory.jsonl", ADA, "{nonsense", {"type": "x"}, WORKS))

    assert counts(report) == (2, 0, [2, 3])


def test_a_strict_import_stops_at_the_first_bad_line(path, tmp_path):
    report = imported(path, written(tmp_path / "memory.jsonl", ADA, "{nonsense", ACME), "--strict")

    assert (counts(report), report["stopped"]) == ((1, 0, [2]), True)
    assert rows(path, "SELECT name FROM entity") == [("Ada",)]


def test_an_import_can_be_taken_back(call, path, memory):
    call.record(person("Eve"), "tagged", {"literal": "lead"})
    before = exported(path)
    imported(path, memory, "--add-words")
    for _ in range(2):  # the words, and the records
        assert "error" not in call("undo")

    assert exported(path) == before


def test_words_on_which_facts_rest_are_not_taken_back_alone(call, path, memory):
    imported(path, memory, "--add-words")
    ((words,),) = rows(path, "SELECT min(id) FROM call")

    assert call("undo", call=words)["error"] == "LATER_CHANGES"


def test_a_graph_with_imported_words_and_texts_is_exported_whole(path, memory, tmp_path):
    imported(path, memory, "--add-words")
    imported(path, written(tmp_path / "other.jsonl", relation("Ada", "steeps", "Tea")))
    lines = exported(path)
    copy = tmp_path / "copy.db"
    done = CliRunner().invoke(kg, ["--db", str(copy), "--json", "import", "-"], input=lines)

    assert json.loads(done.stdout)["refused"] == []
    assert exported(copy) == lines


lists = st.lists(st.text(min_size=1, max_size=30), max_size=4)
words_of_files = st.sampled_from(["person", "Person", "organization", "guild", "", "Lab", "+"])
names_of_files = st.sampled_from(["Ada", "ada", "Bob", "Acme", "C++", "Zoë \u2028 Z", "x" * 201])
lines_of_files = st.builds(entity, names_of_files, words_of_files).flatmap(
    lambda made: lists.map(lambda said: {**made, "observations": said})
) | st.builds(
    relation,
    names_of_files,
    st.sampled_from(["works at", "employs", "sings at", "reports to", "knows", "!"]),
    names_of_files,
)


@examples(6, sweep=200)
@given(st.lists(lines_of_files, min_size=1, max_size=8), st.booleans())
@example([entity("x" * 201, "person", "Long is the name."), entity("Ada", "person", "Ada wrote the notes.")], False)
def test_whatever_a_memory_file_holds_is_in_the_graph_and_comes_in_once(tmp_path_factory, lines, add_words):
    folder = tmp_path_factory.mktemp("memory")
    path, file = folder / "graph.db", written(folder / "memory.jsonl", *lines)
    options = ["--add-words"] if add_words else []
    assert imported(path, file, *options)["refused"] == []
    check_every_text_is_whole(path)
    everything = exported(path) + "".join(texts(path, "json").values()) + "\n\n".join(texts(path, "text").values())
    observed = "".join(f"\n\n{text}\n\n" for text in (*texts(path, "text").values(), *texts(path, "json").values()))
    for line in lines:
        if "name" in line and len(line["name"]) < 200:
            told = [said.replace("\0", "\ufffd") for said in line["observations"] if said.strip()]
            assert all(f"\n\n{said}\n\n" in observed for said in told)
        elif "name" in line:
            assert json.dumps(line) in everything
        else:
            said = {
                " ".join(f"{subject} {wording} {target}".casefold().split())
                for subject, wording, target in (
                    (line["from"], line["relationType"], line["to"]),
                    # The same, from its other end.
                    (line["to"], {"employs": "works at"}.get(line["relationType"], "knows"), line["from"]),
                )
            }
            assert json.dumps(line) in everything or said & {each.casefold() for each in facts(path)}

    before = kept(path)
    assert imported(path, file, *options)["added"] == 0
    assert kept(path) == before


# Previews


@pytest.mark.parametrize("options", [[], ["--add-words"]])
def test_a_preview_tells_and_changes_nothing(path, memory, options):
    told = imported(path, memory, "--preview", *options)

    assert told["found"] == {"entities": 2, "observations": 3, "facts": 2}
    assert not path.exists()
    assert told["words"] == imported(path, memory, *options)["words"]


def test_a_preview_tells_of_the_words_that_the_graph_has(path, memory):
    imported(path, memory, "--add-words")
    before = dump(path)
    told = imported(path, memory, "--preview")

    assert {each["how"] for kind in told["words"].values() for each in kind.values()} == {"same"}
    assert dump(path) == before


def test_a_preview_is_told_to_people(path, memory):
    shown = run(path, memory, "--preview").output

    assert "type 'guild' (1): concept; the type is kept as the property entityType" in shown
    assert "relation 'sings at' (1): nothing in the vocabulary; kept as text that names both ends" in shown
    assert "The memory of an MCP server: 2 entities, 3 observations, 2 facts. Nothing was changed." in shown


def test_an_import_is_told_to_people(path, memory):
    shown = run(path, memory).output

    assert "line 3: kept as text: Ada – sings at – Acme" in shown
    assert "4 added, 0 known before, 0 refused (3 entities, 3 texts, 1 fact new)" in shown


# Tables


def table(file: Path, *lines: list[str]) -> Path:
    written_rows = io.StringIO()
    csv.writer(written_rows).writerows(lines)
    file.write_text(written_rows.getvalue())
    return file


HEADING = ["subject_type", "subject", "predicate", "object_type", "object", "literal", "source", "confidence"]


def test_a_table_of_facts_comes_in_and_bad_rows_are_refused_with_their_lines(path, tmp_path):
    file = table(
        tmp_path / "facts.csv",
        [*HEADING, "valid_from", "valid_to"],
        ["person", "Ada", "reports_to", "person", "Bob", "", "mail", "0.5", "2026-01-01", ""],
        ["person", "Ada", "frobs", "person", "Bob"],
        ["person", "Ada", "tagged", "", "", "two\nlines"],
        ["person", "Ada", "tagged", "", "", "x", "", "", "2026-02-01", "2026-01-01"],
        ["", "Ada", "tagged", "", "", "by name"],
        ["", "Nobody", "tagged", "", "", "by name"],
        ["company", "Acme", "depends_on", "person", "Ada"],
    )
    report = imported(path, file)

    assert counts(report) == (4, 0, [3, 6, 8])
    assert [each["error"] for each in report["refused"]] == [
        "PREDICATE_UNKNOWN", "VALIDITY_INVALID", "ENTITY_NOT_FOUND",
    ]  # fmt: skip
    assert facts(path) == ["Acme depends on Ada", "Ada reports to Bob", "Ada tagged by name", "Ada tagged two\nlines"]
    assert rows(path, "SELECT source, confidence FROM provenance ORDER BY id LIMIT 2") == [
        ("mail", 0.5),
        (str(file), 1.0),
    ]
    assert rows(path, "SELECT properties FROM entity WHERE name = 'Acme'") == [('{"entityType": "company"}',)]
    assert rows(path, "SELECT count(*) FROM entity") == [(3,)]


def test_the_same_table_again_adds_nothing(path, tmp_path):
    row = ["person", "Ada", "reports_to", "person", "Bob"]
    file = table(tmp_path / "facts.csv", HEADING, row, row, [*row, "", "mail"], [*row, "", "mail", "0.5"])
    first = imported(path, file)
    before = kept(path)

    assert counts(first) == (3, 1, [])
    assert counts(imported(path, file)) == (0, 4, [])
    assert kept(path) == before


def test_a_table_of_entities_fills_in_what_they_lack_and_says_what_differs(path, tmp_path):
    heading = ["type", "name", "aliases", "summary", "born"]
    file = table(
        tmp_path / "a.csv", heading, ["person", "Ada", "Countess; A. L.", "Wrote notes", "1815"], ["person", "Bob"]
    )
    imported(path, file)
    other = table(
        tmp_path / "b.csv",
        heading,
        ["person", "countess", "Bob;Lovelace", "Sang", "1816"],
        ["person", "Bob", "", "Big"],
    )
    report = imported(path, other)

    assert counts(imported(path, file)) == (0, 2, [])
    assert counts(report) == (2, 0, [2, 2])
    assert [each["error"] for each in report["refused"]] == ["ALIAS_TAKEN", "IMPORT_CONFLICT"]
    assert rows(path, "SELECT name, summary, properties FROM entity ORDER BY name") == [
        ("Ada", "Wrote notes", '{"born": "1815"}'),
        ("Bob", "Big", "{}"),
    ]
    assert rows(path, "SELECT alias FROM alias ORDER BY alias") == [("A. L.",), ("Countess",), ("Lovelace",)]


def test_a_preview_of_a_table_says_what_would_be_refused(path, tmp_path):
    shown = run(path, table(tmp_path / "facts.csv", HEADING, ["person", "Ada", "frobs", "person", "Bob"]), "--preview")

    assert "relation 'frobs' (1): nothing in the vocabulary; refused" in shown.output


def test_columns_that_are_not_taken_are_named(path, tmp_path):
    file = table(
        tmp_path / "facts.csv", ["subject", "predicate", "literal", "colour"], ["person:Ada", "tagged", "x", "red"]
    )

    assert imported(path, file)["left_out"] == {"column colour": 1}


# Conversations


def conversation(number: int, *said: str, **more: Any) -> dict[str, Any]:
    speakers = ["human", "assistant"]
    messages = [
        {"sender": speakers[place % 2], "text": text, "created_at": "2026-01-02T03:04:05Z"}
        for place, text in enumerate(said)
    ]
    begun = {"uuid": f"c-{number}", "name": f"Talk {number}", "created_at": "2026-01-02T03:04:05Z"}
    return {**begun, "chat_messages": messages, **more}


def chats(file: Path, *conversations: dict[str, Any]) -> Path:
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:
            folder.writestr("conversations.json", json.dumps(conversations))
    else:
        file.write_text(json.dumps(conversations))
    return file


@pytest.mark.parametrize("name", ["conversations.json", "data.zip"])
def test_a_conversation_is_an_episode_at_its_own_time_with_its_speakers(path, tmp_path, name):
    long = "One sentence of some words stands here. " * 80
    report = imported(path, chats(tmp_path / name, conversation(1, "Tea?", long), conversation(2, "Hi")))

    assert (report["format"], counts(report)) == ("claude", (2, 0, []))
    assert texts(path, "message") == {"Talk 1": f"human: Tea?\n\nassistant: {long}", "Talk 2": "human: Hi"}
    assert rows(path, "SELECT source, occurred_at FROM episode ORDER BY id LIMIT 1") == [
        ("https://claude.ai/chat/c-1", "2026-01-02T03:04:05.000Z")
    ]
    assert {speaker for (speaker,) in rows(path, "SELECT speaker FROM chunk")} == {"human", "assistant"}
    assert max(len(text) for (text,) in rows(path, "SELECT text FROM chunk")) < 1_200
    check_every_text_is_whole(path)


def test_conversations_come_in_once(path, tmp_path):
    file = chats(tmp_path / "a.json", conversation(1, "Tea?", "Yes."), conversation(2, "Hi"))
    imported(path, file)
    before = kept(path)

    assert counts(
        imported(path, chats(tmp_path / "b.zip", conversation(2, "Hi"), conversation(1, "Tea?", "Yes.")))
    ) == (0, 2, [])
    assert kept(path) == before


def test_a_conversation_that_has_grown_is_brought_up_to_date_under_its_id(path, tmp_path):
    imported(path, chats(tmp_path / "a.json", conversation(1, "Tea?", "Yes.")))
    ((known, row),) = rows(path, "SELECT public_id, id FROM episode")
    grown = chats(tmp_path / "b.json", conversation(1, "Tea?", "Yes.", "Milk?", "No.", name="Tea"))
    report = imported(path, grown)
    after = kept(path)

    assert (report["updated"], counts(report)) == (1, (0, 0, []))
    assert texts(path, "message") == {"Tea": "human: Tea?\n\nassistant: Yes.\n\nhuman: Milk?\n\nassistant: No."}
    assert rows(path, "SELECT public_id, id FROM episode") == [(known, row)]
    check_every_text_is_whole(path)

    assert counts(imported(path, tmp_path / "a.json")) == (0, 1, [])
    assert kept(path) == after


def test_what_is_no_turn_is_left_out_and_counted(path, tmp_path):
    said = conversation(1, "Tea?")
    said["chat_messages"][0]["content"] = [{"type": "text", "text": "Tea?"}, {"type": "tool_use"}]

    assert imported(path, chats(tmp_path / "a.json", said, conversation(2)))["left_out"] == {
        "tool call": 1,
        "conversation without words": 1,
    }


def test_a_bad_conversation_is_refused_by_its_place(path, tmp_path):
    file = chats(tmp_path / "a.json", conversation(1, "Tea?"), {"other": 1}, conversation(3, "Milk?"))

    assert counts(imported(path, file)) == (2, 0, [2])


# All of them


@pytest.mark.parametrize("content", ["", "# Notes\n", "a,b\n1,2\n", "[]", '{\n"a": 1}'])
def test_a_file_of_another_kind_is_refused_and_nothing_is_made(path, tmp_path, content):
    file = tmp_path / "file"
    file.write_text(content)
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(file)])

    assert json.loads(done.stdout)["error"] == "FORMAT_UNKNOWN"
    assert not path.exists()


def test_a_format_may_be_said(path, tmp_path):
    file = written(tmp_path / "odd", *["{broken"] * 30, ADA)
    report = imported(path, file, "--format", "memory-server")

    assert report["added"] == 1
    assert (len(report["refused"]), report["refused_total"]) == (20, 30)


@pytest.mark.parametrize(
    ("name", "heading", "row"),
    [
        ("table.csv", "subject_type,subject,predicate,object_type,object", "person,Ana,knows,,"),
        ("lines.jsonl", "", "{"),
    ],
)
def test_a_file_of_which_nothing_is_accepted_is_not_read_to_its_end(path, tmp_path, name, heading, row):
    file = tmp_path / name
    file.write_text("\n".join([heading, *[row] * 5_000]))
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(file)])
    report = json.loads(done.stdout)
    shown = CliRunner().invoke(kg, ["--db", str(path), "import", str(file)])

    assert (done.exit_code, len(report["refused"]), report["stopped"]) == (1, 20, True)
    assert 1_000 <= report["refused_total"] < 5_000
    assert "Stopped there: nothing was accepted." in shown.output


def test_where_something_is_accepted_all_of_a_file_is_tried(path, tmp_path):
    bad = ["person,Ana,knows,,"] * 1_500
    file = tmp_path / "table.csv"
    good = "person,Ana,knows,person,Bob"
    file.write_text("\n".join(["subject_type,subject,predicate,object_type,object", good, *bad, good]))
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(file)])
    report = json.loads(done.stdout)

    assert (report["added"], report["merged"], report["refused_total"], report["stopped"]) == (1, 1, 1_500, False)


def test_lines_of_ours_have_no_preview(path, tmp_path):
    file = written(tmp_path / "lines.jsonl", {"keepgraph": "graph", "format": 1})
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", "--preview", str(file)])

    assert json.loads(done.stdout)["error"] == "INVALID_ARGUMENTS"


@pytest.mark.slow
def test_an_import_that_is_killed_can_be_run_again(path, tmp_path):
    file = written(tmp_path / "memory.jsonl", *(entity(f"Thing {n}", "lab", f"is {n}", "x") for n in range(500)),
                   *(relation(f"Thing {n}", "near", f"Thing {n + 1}") for n in range(500)))  # fmt: skip
    whole = tmp_path / "whole.db"
    imported(whole, file)
    keepgraph.open(path).close()
    going = subprocess.Popen([sys.executable, "-m", "keepgraph.cli", "--db", str(path), "import", str(file)])
    for _ in range(3000):
        if rows(path, "SELECT count(*) FROM entity")[0][0] > 150:
            break
        time.sleep(0.01)
    going.send_signal(signal.SIGKILL)
    going.wait()
    check_every_text_is_whole(path)
    report = imported(path, file)

    assert report["refused"] == []
    for table in ("entity", "episode WHERE kind = 'text'", "chunk"):
        assert rows(path, f"SELECT count(*) FROM {table}") == rows(whole, f"SELECT count(*) FROM {table}")
    assert imported(path, file)["added"] == 0


def test_what_a_file_says_of_two_that_are_one_name_here_is_kept_as_text(path, tmp_path):
    """
    Go and GO are one; that one depends on the other is not taken for a fact about one.
    """
    file = written(
        tmp_path / "memory.jsonl",
        {"type": "entity", "name": "Go", "entityType": "concept", "observations": ["A language."]},
        {"type": "entity", "name": "GO", "entityType": "concept", "observations": ["An ontology."]},
        {"type": "relation", "from": "Go", "to": "GO", "relationType": "depends_on"},
    )
    imported(path, file)

    assert rows(path, "SELECT count(*) FROM fact") == [(0,)]
    assert "relationType" in exported(path)


def test_a_name_that_stands_in_relations_alone_is_the_only_one_the_graph_knows(path, tmp_path):
    with keepgraph.open(path) as graph:
        graph.call("record_fact", subject=person("Ada"), predicate="tagged", object={"literal": "here"})
    relation = {"type": "relation", "from": "Ada", "to": "Engine", "relationType": "belongs_to"}
    imported(path, written(tmp_path / "memory.jsonl", relation))

    assert rows(path, "SELECT count(*) FROM entity WHERE name = 'Ada'") == [(1,)]


def test_the_same_file_from_another_place_adds_no_text(path, memory, tmp_path):
    imported(path, memory)
    before = rows(path, "SELECT count(*) FROM episode")
    copy = tmp_path / "elsewhere" / "copy.jsonl"
    copy.parent.mkdir()
    copy.write_text(memory.read_text(encoding="utf-8"), encoding="utf-8")
    imported(path, copy)

    assert rows(path, "SELECT count(*) FROM episode") == before


def test_words_in_any_script_travel(path, tmp_path):
    file = written(
        tmp_path / "memory.jsonl",
        {"type": "entity", "name": "C", "entityType": "顧客", "observations": []},
        {"type": "relation", "from": "C", "to": "D", "relationType": "Любит"},
    )
    imported(path, file, "--add-words")
    lines = tmp_path / "all.jsonl"
    lines.write_text(exported(path), encoding="utf-8")
    report = imported(tmp_path / "other.db", lines)

    assert report["refused"] == []


@pytest.mark.parametrize("number", ["1e400", "NaN", "12345678901234567890"])
def test_a_number_that_json_cannot_hold_everywhere_is_refused_with_its_line(path, tmp_path, number):
    line = '{"type":"entity","name":"C","entityType":"person","observations":[],"f":' + number + "}"
    report = imported(path, written(tmp_path / "memory.jsonl", line))

    assert [each["line"] for each in report["refused"]] == [1]
