"""Opening files: new ones, old ones, newer ones, foreign ones; and what a migration leaves if it fails."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

import keepgraph
from fork_server import python
from keepgraph import package_files, store
from keepgraph.engine.vocabulary import definitions, sets
from words import Caller, concept, connected, dump, fact, literal, person, rows

pytestmark = pytest.mark.usefixtures("graphs_are_made_in_module")

RELEASED = package_files.migrations()
NEXT = f"{len(RELEASED) + 1:04d}_next.sql"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A copy of the migrations, which the code takes for its own."""
    copy = tmp_path / "migrations"
    copy.mkdir()
    for file in RELEASED:
        shutil.copy(file, copy)
    monkeypatch.setattr(package_files, "migrations", lambda: sorted(copy.glob("[0-9]*.sql")))
    return copy


def code(path: Path, **options: object) -> str:
    with pytest.raises(keepgraph.KeepgraphError) as caught:
        keepgraph.open(path, **options).close()
    return caught.value.answer()["error"]


def refusal(path: Path) -> str:
    with pytest.raises(keepgraph.KeepgraphError) as caught:
        keepgraph.open(path).close()
    return caught.value.message


def made(path: Path, facts: int = 1) -> None:
    with keepgraph.open(path) as graph:
        for n in range(facts):
            Caller(graph).record(person("Ada"), "depends_on", concept(f"Part {n}"))


def copies(path: Path) -> list[Path]:
    return sorted(path.with_suffix(".backups").glob("*-before-*.db"))


# The ledger


def test_what_was_applied_is_in_the_ledger(path):
    made(path)

    assert rows(path, "SELECT number, name, sha256 FROM migration ORDER BY number") == [
        (n, file.stem, hashlib.sha256(file.read_bytes()).hexdigest()) for n, file in enumerate(RELEASED, 1)
    ]
    assert rows(path, "PRAGMA user_version") == [(len(RELEASED),)]


def test_migrations_are_numbered_without_gaps():
    assert [int(file.name[:4]) for file in RELEASED] == list(range(1, len(RELEASED) + 1))


def test_opening_again_changes_nothing(path):
    made(path)
    before = dump(path)
    made(path, facts=0)

    assert dump(path) == before
    assert copies(path) == []


def test_an_edited_migration_is_refused_with_both_checksums(path, folder):
    made(path)
    was = hashlib.sha256(RELEASED[0].read_bytes()).hexdigest()
    edited = folder / RELEASED[0].name
    edited.write_text(edited.read_text() + "-- a second thought\n")
    now = hashlib.sha256(edited.read_bytes()).hexdigest()
    before = dump(path)

    assert code(path) == "MIGRATION_EDITED"
    assert was[:12] in refusal(path)
    assert now[:12] in refusal(path)
    assert RELEASED[0].stem in refusal(path)
    assert dump(path) == before


def test_a_graph_of_other_migrations_is_refused_as_one_of_another_version(path):
    """
    More of them than there are here do not make it a newer one.
    """
    made(path)
    with connected(path) as conn:
        conn.execute("UPDATE migration SET name = '0001_core', sha256 = ?", ("0" * 64,))
        conn.execute("INSERT INTO migration SELECT 2, '0002_search', sha256, applied_at FROM migration")
        conn.execute("PRAGMA user_version = 2")
    before = dump(path)

    assert code(path) == "MIGRATION_EDITED"
    assert "another version of Keepgraph" in refusal(path)
    assert dump(path) == before


def test_line_ends_are_no_edit(path, folder):
    made(path)
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))

    made(path)


def test_a_newer_database_is_refused_with_both_numbers(path, folder):
    (folder / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    made(path)
    (folder / NEXT).unlink()
    before = dump(path)

    assert code(path) == "GRAPH_TOO_NEW"
    assert f"schema {len(RELEASED) + 1}" in refusal(path)
    assert f"up to {len(RELEASED)}" in refusal(path)
    assert dump(path) == before


# A step up


def test_a_graph_with_facts_is_copied_before_it_is_migrated(path, folder):
    made(path, facts=3)
    before = dump(path)
    (folder / NEXT).write_text("ALTER TABLE entity ADD COLUMN colour TEXT;\n")
    made(path, facts=3)
    (copy,) = copies(path)

    assert dump(copy) == before
    assert rows(path, "SELECT max(number) FROM migration") == [(len(RELEASED) + 1,)]
    assert rows(path, "SELECT count(colour), count(*) FROM entity") == [(0, 4)]


def test_the_copy_can_be_opened_by_the_version_before(path, folder):
    made(path, facts=3)
    (folder / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    made(path)
    (folder / NEXT).unlink()
    (copy,) = copies(path)

    with keepgraph.open(copy) as graph:
        assert Caller(graph).recalled("ada") == "Ada"


def test_the_copy_is_for_its_owner_alone(path, folder):
    made(path)
    (folder / NEXT).write_text("SELECT 1;\n")
    made(path)

    assert [stat.S_IMODE(copy.stat().st_mode) for copy in copies(path)] == [0o600]


def test_an_empty_graph_is_migrated_without_a_copy(path, folder):
    made(path, facts=0)
    (folder / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    made(path, facts=0)

    assert copies(path) == []


def test_who_has_a_graph_open_while_a_newer_version_changes_it_is_told_to_restart(path, folder):
    """
    Here both are in one process, and the older one is told by what it knew when it was opened.
    """
    made(path)
    known = package_files.migrations()
    with keepgraph.open(path) as older:
        (folder / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
        made(path, facts=3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(package_files, "migrations", lambda: known)
            call = Caller(older)

            assert call("record_fact", subject=person("Late"), predicate="tagged", object=literal("x"))["error"] == (
                "GRAPH_TOO_NEW"
            )
            assert call("get_status")["error"] == "GRAPH_TOO_NEW"
    with keepgraph.open(path) as newer:
        assert Caller(newer)("get_status")["facts"] == 3


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\nINSERT INTO nowhere VALUES (1);\n",
        "DELETE FROM provenance;\nDELETE FROM fact;\nnonsense;\n",
        "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\nCREATE TABLE half (id\n",
        "UPDATE entity SET name = '';\n",
        "DELETE FROM entity;\n",
    ],
)
def test_a_migration_that_fails_leaves_everything_as_it_was(path, folder, script):
    made(path, facts=3)
    before, objects = dump(path), rows(path, "SELECT name, sql FROM sqlite_schema ORDER BY name")
    (folder / NEXT).write_text(script)

    assert code(path)
    assert dump(path) == before
    assert rows(path, "SELECT name, sql FROM sqlite_schema ORDER BY name") == objects
    (folder / NEXT).unlink()
    made(path, facts=3)


NOTES = """
-- What somebody has jotted down.
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
-- journal triggers: note
"""


def jot(call: Caller, sql: str) -> None:
    with call.graph.database.write("jot") as tx:
        store.journal.begin_call(tx).conn.execute(sql)


def test_a_table_whose_journal_triggers_a_migration_asks_for_is_journalled_and_undone(open_graph, path, folder):
    (folder / NEXT).write_text(NOTES)
    call = Caller(open_graph())
    for sql in (
        "INSERT INTO note (text) VALUES ('first')",
        "UPDATE note SET text = 'second' WHERE text = 'first'",
        "DELETE FROM note WHERE text = 'second'",
    ):
        jot(call, sql)
    states = [rows(path, "SELECT text FROM note")]
    for number in (3, 2, 1):
        call("undo", call=number)
        states.append(rows(path, "SELECT text FROM note"))

    assert states == [[], [("second",)], [("first",)], []]
    assert rows(path, "SELECT op, tbl, row, was FROM journal WHERE call <= 3 ORDER BY id") == [
        ("insert", "note", 1, None),
        ("update", "note", 1, '{"id":1,"text":"first"}'),
        ("delete", "note", 1, '{"id":1,"text":"second"}'),
    ]


def test_a_table_that_gets_a_column_gets_its_journal_triggers_again(path, folder):
    (folder / NEXT).write_text("ALTER TABLE alias ADD COLUMN colour TEXT;\n-- journal triggers: alias\n")
    made(path)
    triggers = rows(path, "SELECT name, sql LIKE '%colour%' FROM sqlite_schema WHERE name LIKE 'alias_journal_%'")

    assert sorted(triggers) == [("alias_journal_delete", 1), ("alias_journal_insert", 0), ("alias_journal_update", 1)]


PREDICATE = """
name = "mentoring"
version = "1.0"

[predicates.mentors]
sources = ["person"]
targets = ["person"]
description = "The subject mentors the object."
sentence = "{subject} mentors {object}"
inverse = { name = "mentored_by" }
"""


@pytest.mark.parametrize("is_new", [True, False], ids=["new graph", "graph with calls"])
def test_a_predicate_added_as_the_recipe_says_can_be_recorded_and_its_fact_undone(
    open_graph, path, tmp_path, monkeypatch, is_new
):
    """
    No migration is needed: a file among the sets that come with the program, which a graph has by choice or at birth.
    """
    if not is_new:
        with open_graph() as graph:
            graph.call("record_fact", **fact(person("Ada"), "tagged", literal("core")))
    shutil.copytree(definitions._SHIPPED, tmp_path / "sets")
    (tmp_path / "sets" / "mentoring.toml").write_text(PREDICATE)
    monkeypatch.setattr(definitions, "_SHIPPED", tmp_path / "sets")
    monkeypatch.setattr(sets, "IN_NEW_GRAPHS", ("personal", "mentoring"))
    call = Caller(open_graph(create=True))
    if not is_new:
        assert "error" not in call("add_vocabulary_set", name="mentoring")
    recorded = call.record(person("Ada"), "mentors", person("Bob"))
    undone = call("undo", call=recorded["call"])

    assert "error" not in undone
    assert rows(
        path, "SELECT count(*) FROM fact JOIN predicate ON predicate.id = fact.predicate WHERE name = 'mentors'"
    ) == [(0,)]


OLDER = """
name = "personal"
version = "0.9"

[predicates.works_at]
description = "Changed by nobody."
sources = ["person"]
alternative = ["has a contract with", "toils for"]
inverse = { name = "employs" }

[predicates.likes]
alternative = ["prefers", "loves"]
"""


def test_a_migration_brings_the_sets_that_came_with_an_older_version_up_to_date(
    open_graph, path, folder, tmp_path, monkeypatch
):
    """
    New words, labels and advisory flags; what a word says besides stays as the graph has it, and so do its own labels.
    """
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "personal.toml").write_text(OLDER)
    with monkeypatch.context() as patch:
        patch.setattr(definitions, "_SHIPPED", tmp_path / "sets")
        definitions.shipped.cache_clear()
        with open_graph(create=True) as graph:
            call = Caller(graph)
            call("change_word", word="works_at", kind="predicate", values={"labels": {"it": "lavora da"}})
            call.record(person("Ada"), "works_at", concept("Acme"))
    definitions.shipped.cache_clear()
    (folder / NEXT).write_text("-- Nothing: it comes with a newer version of a set.\n")
    call = Caller(open_graph(create=False))
    words = {
        name: call("describe_word", word=name, kind="predicate")
        for name in ("works_at", "likes", "prefers", "leads", "employs")
    }

    assert set(words["works_at"]["flags"]) == {"usually_functional", "basis"}
    assert words["works_at"]["description"] == "Changed by nobody."
    assert {"toils for", "lavora da", "arbeitet bei"} <= {label["label"] for label in words["works_at"]["labels"]}
    assert "prefers" not in {label["label"] for label in words["likes"]["labels"]}
    assert set(words["leads"]["flags"]) == {"usually_inverse_functional", "rests_on_basis"}
    assert rows(path, "SELECT version FROM vocabulary_set WHERE name = 'personal'") == [
        (definitions.shipped("personal").version,)
    ]
    assert [row[0] for row in rows(path, "SELECT DISTINCT tool FROM call ORDER BY 1")] == ["change_word", "record_fact"]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("-- journal triggers: nothing", "nothing"),
        ("-- journal triggers: name_initials", "name_initials"),
        ("-- journal triggers: chunk_words", "chunk_words"),
        ("-- journal triggers:", "-- journal triggers:"),
        ("-- journal triggers: entity, fact", "-- journal triggers: entity, fact"),
        ("-- journal trigger: entity", "-- journal trigger: entity"),
        ("-- Journal Triggers: entity", "-- Journal Triggers: entity"),
        ("  --journal_triggers entity", "--journal_triggers entity"),
        ("CREATE TABLE half (id\n-- journal triggers: entity\n);", "CREATE TABLE half (id"),
    ],
)
def test_journal_triggers_that_cannot_be_generated_are_refused_by_name(path, folder, script, named):
    (folder / NEXT).write_text(f"{script}\n")

    assert code(path) == "INTERNAL_ERROR"
    assert named in refusal(path)


def test_a_migration_that_fails_on_a_new_file_can_be_tried_again(path, folder):
    (folder / NEXT).write_text("nonsense;\n")

    assert code(path)
    (folder / NEXT).unlink()
    made(path)


# Files that are something else


def test_a_foreign_database_is_refused_and_left_alone(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE recipe (name TEXT)")
    other.execute("INSERT INTO recipe VALUES ('soup')")
    other.commit()
    other.close()
    before = path.read_bytes()

    assert code(path) == "GRAPH_UNAVAILABLE"
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello", "GRAPH_UNAVAILABLE"),
        (b"\x00" * 5000, "GRAPH_UNAVAILABLE"),
        (b"SQLite format 3\x00" + b"\xff" * 5000, "GRAPH_DAMAGED"),
        (b"SQLite format 3\x00", "GRAPH_DAMAGED"),
    ],
)
def test_junk_is_refused_and_left_alone(path, content, said):
    path.write_bytes(content)

    assert code(path) == said
    assert path.read_bytes() == content


def test_a_damaged_graph_is_refused_with_a_code(path):
    made(path, facts=50)
    content = bytearray(path.read_bytes())
    content[100:4000] = b"\xa5" * 3900
    path.write_bytes(content)

    assert code(path) == "GRAPH_DAMAGED"


def test_a_graph_damaged_within_answers_with_a_code(path):
    made(path, facts=300)
    content = bytearray(path.read_bytes())
    for page in range(4, len(content) // 4096):
        content[page * 4096 : page * 4096 + 512] = b"\xa5" * 512
    path.write_bytes(content)

    with pytest.raises(keepgraph.KeepgraphError) as caught, keepgraph.open(path) as graph:
        graph.call("recall_entity", name_or_alias="Ada")
    assert caught.value.answer()["error"] == "GRAPH_DAMAGED"


def test_a_folder_is_refused(tmp_path):
    assert code(tmp_path) == "GRAPH_UNAVAILABLE"


def test_a_path_below_a_file_is_refused(path):
    path.write_text("")

    assert code(path / "graph.db") == "GRAPH_UNAVAILABLE"


def test_an_empty_file_becomes_a_graph(path):
    path.touch()
    made(path)

    assert rows(path, "SELECT count(*) FROM fact") == [(1,)]


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_a_missing_file_is_not_made_unless_wished(path, options):
    assert code(path, **options) == "GRAPH_NOT_FOUND"
    assert not path.exists()


def test_missing_folders_are_made_for_their_owner_alone(tmp_path):
    made(tmp_path / "a" / "b" / "graph.db")

    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["with space.db", "a?b#c%41.db", "ünï.db", "x" * 200, "file:x.db", "-wal"])
def test_a_file_may_have_any_name(tmp_path, name):
    made(tmp_path / name)

    assert (tmp_path / name).stat().st_size > 0
    assert {file.name for file in tmp_path.iterdir()} == {name}


def test_a_relative_path_stays_where_it_was_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with keepgraph.open("here.db") as graph:
        monkeypatch.chdir("/")
        Caller(graph).record(person("Ada"), "tagged", literal("x"))

    assert (tmp_path / "here.db").exists()


def test_many_processes_may_open_a_new_file_at_once(path):
    opening = f"""
import sys, keepgraph
sys.stdin.readline()
with keepgraph.open({str(path)!r}) as graph:
    graph.call("record_fact", subject={{"type": "person", "name": sys.argv[1]}}, predicate="tagged",
               object={{"literal": "here"}})
"""
    children = [
        subprocess.Popen([*python(), "-c", opening, f"P{n}"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    complaints = [child.communicate()[1] for child in children]

    assert complaints == [""] * 4
    assert sorted(rows(path, "SELECT name FROM entity")) == [(f"P{n}",) for n in range(4)]
    assert rows(path, "SELECT count(*) FROM migration") == [(len(RELEASED),)]


def test_two_threads_may_open_a_new_file_at_once(path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: made(path), range(4)))

    assert rows(path, "SELECT count(*) FROM fact") == [(1,)]
