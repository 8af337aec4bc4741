"""Schema integrity: a file with one part too many, too few or changed is refused, named, and mended where it can be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import homes
import keepgraph
from homes import run_ok
from keepgraph import package_files, store
from keepgraph.cli import doctor_checks
from keepgraph.engine.maintenance import backups
from keepgraph.engine.maintenance.integrity import Check, State
from keepgraph.profiles import keys
from words import concept, connected, fact, literal, person, rows

pytestmark = pytest.mark.usefixtures("home", "graphs_are_made_in_module")

REWRITE = "UPDATE sqlite_schema SET sql = replace(sql, '{}', '{}') WHERE name = '{}'"


def rewritten(name: str, before: str, after: str) -> tuple[str, ...]:
    """Changes the text of a part as only `writable_schema` lets one do it."""
    return ("PRAGMA writable_schema = ON", REWRITE.format(before, after, name), "PRAGMA writable_schema = RESET")


EXTRA = {
    "a trigger": ("CREATE TRIGGER foreign_part AFTER INSERT ON fact BEGIN DELETE FROM fact WHERE id = new.id; END",),
    "a trigger on a view": ("CREATE TRIGGER foreign_part INSTEAD OF DELETE ON chunk_words BEGIN SELECT 1; END",),
    "an index": ("CREATE UNIQUE INDEX foreign_part ON episode (name, kind)",),
    "a view": ("CREATE VIEW foreign_part AS SELECT * FROM fact",),
    "a table": ("CREATE TABLE foreign_part (x)", "INSERT INTO foreign_part VALUES (1)"),
    "a table with an index of its own": ("CREATE TABLE foreign_part (x TEXT PRIMARY KEY)",),
    "a virtual table with its shadows": ("CREATE VIRTUAL TABLE foreign_part USING fts5 (x)",),
    "a row of the schema itself": (
        "PRAGMA writable_schema = ON",
        "INSERT INTO sqlite_schema SELECT type, 'foreign_part', tbl_name, rootpage, replace(sql, name, 'foreign_part') "
        "FROM sqlite_schema WHERE name = 'fact_journal_insert'",
        "PRAGMA writable_schema = RESET",
    ),
}
MISSING = {
    "a trigger": ("DROP TRIGGER fact_journal_update",),
    "an index": ("DROP INDEX fact_in",),
    "a view": ("DROP VIEW chunk_words",),
}
MISSING_WITH_ROWS = {
    "a table": ("DROP TABLE map_place",),
    "a virtual table": ("DROP TABLE chunk_text",),
    "the table of the migrations": ("DROP TABLE migration",),
}
CHANGED = {
    "a trigger": (
        "DROP TRIGGER fact_journal_delete",
        "CREATE TRIGGER fact_journal_delete AFTER DELETE ON fact BEGIN SELECT 1; END",
    ),
    "a trigger, in its text alone": rewritten("fact_journal_insert", "INSERT INTO journal", "INSERT  INTO journal"),
    "an index": ("DROP INDEX fact_in", "CREATE INDEX fact_in ON fact (object)"),
    "a view": ("DROP VIEW chunk_words", "CREATE VIEW chunk_words AS SELECT 1 AS id, 2 AS text"),
}
CHANGED_WITH_ROWS = {
    "a table": ("ALTER TABLE episode ADD COLUMN colour TEXT",),
    "a table, in its text alone": rewritten("fact", "CREATE TABLE", "CREATE  TABLE"),
    "a virtual table": rewritten("chunk_text", "tokenize", "tokenize "),
    "a table, with its rows in the pages of another": (
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'fact') "
        "WHERE name = 'map_place'",
        "PRAGMA writable_schema = RESET",
    ),
    "the number of migrations": ("DELETE FROM migration WHERE number = (SELECT max(number) FROM migration)",),
}
MENDABLE = {
    **{f"too many: {name}": statements for name, statements in EXTRA.items()},
    **{f"too few: {name}": statements for name, statements in MISSING.items()},
    **{f"changed: {name}": statements for name, statements in CHANGED.items()},
}
LASTING = {
    **{f"too few: {name}": statements for name, statements in MISSING_WITH_ROWS.items()},
    **{f"changed: {name}": statements for name, statements in CHANGED_WITH_ROWS.items()},
}

ALL = {**MENDABLE, **LASTING}
each = pytest.mark.parametrize("statements", ALL.values(), ids=ALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small graph with something in each of its indexes, to be copied."""
    file = tmp_path_factory.mktemp("made") / "graph.db"
    with keepgraph.open(file) as graph:
        graph.call("record_fact", **fact(person("Ada Lovelace"), "depends_on", concept("Engine")))
        graph.call("remember", text="Ada Lovelace wrote the notes.")
    return file


@pytest.fixture
def sound(made: Path, path: Path) -> Path:
    shutil.copy(made, path)
    return path


def change(path: Path, *statements: str) -> None:
    with connected(path) as conn:
        conn.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            conn.execute(statement)


def run(path: Path, *words: str) -> tuple[int, str]:
    result = homes.run("--db", str(path), *words)
    return result.exit_code, result.stdout + result.stderr


def code_of_opening(path: Path, **options: object) -> str | None:
    try:
        keepgraph.open(path, **options).close()
    except keepgraph.KeepgraphError as error:
        return error.code
    return None


@pytest.mark.sampled(one_in=4)
@each
def test_a_graph_with_other_parts_is_refused_and_left_as_it_is(sound, statements):
    change(sound, *statements)
    before = sound.read_bytes()
    codes = [code_of_opening(sound), code_of_opening(sound, read_only=True)]

    assert codes == ["GRAPH_SCHEMA_DIFFERS", "GRAPH_SCHEMA_DIFFERS"]
    assert sound.read_bytes() == before


@each
def test_a_backup_with_other_parts_takes_nobodys_place(sound, tmp_path, statements):
    backup = Path(shutil.copy(sound, tmp_path / "tampered.db"))
    change(backup, *statements)
    before = sound.read_bytes()
    exit_code, output = run(sound, "restore", str(backup), "--yes")

    assert (exit_code, "(GRAPH_SCHEMA_DIFFERS)" in output, sound.read_bytes()) == (1, True, before), output
    assert backups.list_all(sound) == []


def named_in(statements: tuple[str, ...]) -> str:
    """The name of the part that a change of the schema is about, and that the doctor has to say."""
    text = " ".join(statements)
    names = ("foreign_part", "fact_journal_update", "fact_journal_delete", "fact_journal_insert", "fact_in")
    names += ("chunk_words", "map_place", "chunk_text", "FROM migration", "migration", "episode", "fact")
    name = next(name for name in names if name in text)
    return "user_version" if name == "FROM migration" else name


@pytest.fixture
def doctor(sound: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str | None]]:
    """What the doctor says of the schema: exit code, what it has seen, and what mends it. It starts no server."""
    monkeypatch.setattr(doctor_checks, "check_server", lambda _: Check("server", State.OK, ""))
    monkeypatch.setattr(doctor_checks, "check_claude_desktop", lambda _: [])

    def look(*words: str) -> tuple[int, str, str | None]:
        result = homes.run("--db", str(sound), "--json", "doctor", *words)
        check = next(each for each in json.loads(result.stdout)["checks"] if each["name"] == "version")
        return result.exit_code, check["seen"], check["mend"]

    return look


@pytest.mark.parametrize("statements", LASTING.values(), ids=LASTING)
def test_the_doctor_names_what_only_a_backup_brings_back(sound, doctor, statements):
    change(sound, *statements)
    exit_code, seen, mend = doctor()

    assert (exit_code, named_in(statements) in seen) == (1, True), seen
    assert "export" in str(mend)


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("statements", MENDABLE.values(), ids=MENDABLE)
def test_what_holds_no_rows_is_made_anew_and_the_file_as_it_was_is_kept(sound, doctor, statements):
    change(sound, *statements)
    before, tampered = facts_in(sound), sound.read_bytes()
    exit_code, seen, mend = doctor()
    mended_code, _, _ = doctor("--fix")
    (aside,) = [backup.file for backup in backups.list_all(sound) if backup.kind == backups.DAMAGED]

    assert (exit_code, named_in(statements) in seen, str(mend).endswith("doctor --fix")) == (1, True, True), seen
    assert (mended_code, code_of_opening(sound), facts_in(sound)) == (0, None, before)
    assert aside.read_bytes() == tampered


def facts_in(path: Path) -> list[tuple[object, ...]]:
    return rows(path, "SELECT * FROM fact ORDER BY id")


def test_a_table_that_is_changed_is_left_as_it_is(sound, doctor):
    change(sound, *MISSING_WITH_ROWS["a table"], *EXTRA["a trigger"])
    before = sound.read_bytes()
    exit_code, _, _ = doctor("--fix")

    assert (exit_code, sound.read_bytes()) == (1, before)


def test_what_can_be_read_of_a_tampered_graph_is_exported(sound):
    before = run_ok("--db", str(sound), "export")
    change(sound, *EXTRA["a trigger"], *CHANGED_WITH_ROWS["a table"])
    result = homes.run("--db", str(sound), "export")

    assert (result.exit_code, result.stdout) == (0, before)
    assert "foreign_part" in result.stderr


def test_the_newest_backup_that_is_as_it_was_made_is_restored(sound):
    run_ok("--db", str(sound), "backup")
    run_ok("--db", str(sound), "backup")
    newest, older = (backup.file for backup in backups.list_all(sound))
    change(newest, *EXTRA["a trigger"])

    assert f"was restored from {older.name}" in run_ok("--db", str(sound), "restore", "--yes")


def test_a_restore_brings_a_tampered_graph_back_and_keeps_it(sound):
    before = run_ok("--db", str(sound), "export")
    run_ok("--db", str(sound), "backup")
    change(sound, *EXTRA["a trigger"])
    tampered = sound.read_bytes()
    run_ok("--db", str(sound), "restore", "--yes")
    kept = [backup.file.read_bytes() for backup in backups.list_all(sound) if backup.kind == backups.DAMAGED]

    assert (run_ok("--db", str(sound), "export"), kept) == (before, [tampered])


def test_an_encrypted_graph_is_refused_as_a_plain_one_is(sound, tmp_path):
    run_ok("--db", str(sound), "encrypt", "--key-file", str(tmp_path / "graph.key"))
    (key,) = keys.read(tmp_path / "graph.key")
    backup = Path(shutil.copy(sound, tmp_path / "tampered.db"))
    for file in (sound, backup):
        conn = store.connections.connect(file, "rw", key=key)
        conn.execute(EXTRA["a trigger"][0])
        conn.close()
    refused = [homes.run("--db", str(sound), *words) for words in (["status"], ["restore", str(backup), "--yes"])]

    assert [homes.error_code(result) for result in refused] == ["GRAPH_SCHEMA_DIFFERS"] * 2


def test_encrypting_decrypting_and_purging_keep_the_schema(sound, tmp_path):
    for words in (["encrypt", "--key-file", str(tmp_path / "graph.key")], ["rekey"], ["compact"], ["decrypt", "--yes"]):
        run_ok("--db", str(sound), *words)

    assert code_of_opening(sound) is None


def test_statistics_of_sqlite_are_no_part_too_many(sound):
    change(sound, "ANALYZE")

    assert rows(sound, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'") != [(0,)]
    assert code_of_opening(sound) is None


def test_a_table_in_the_name_of_the_statistics_is_one(sound):
    statements = rewritten("sqlite_stat1", "tbl,idx,stat", "tbl,idx,stat,more")
    change(sound, "ANALYZE", *statements)

    assert code_of_opening(sound) == "GRAPH_SCHEMA_DIFFERS"


def test_a_part_that_is_added_while_the_graph_is_open_is_refused_by_the_next_call(sound):
    with keepgraph.open(sound) as graph:
        change(sound, *EXTRA["a trigger"])
        with pytest.raises(keepgraph.KeepgraphError) as caught:
            graph.call("record_fact", **fact(person("Ada Lovelace"), "tagged", literal("new")))

    assert caught.value.code == "GRAPH_SCHEMA_DIFFERS"


def test_an_old_graph_is_migrated_if_it_is_as_it_was_made(sound, later_migration):
    later_migration()

    assert code_of_opening(sound) is None
    assert rows(sound, "PRAGMA user_version") == [(len(package_files.migrations()),)]


def test_an_old_graph_that_was_tampered_with_is_refused_before_it_is_migrated(sound, later_migration):
    change(sound, *EXTRA["a trigger"])
    later_migration()
    before = sound.read_bytes()

    assert code_of_opening(sound) == "GRAPH_SCHEMA_DIFFERS"
    assert sound.read_bytes() == before


def test_an_old_graph_that_was_tampered_with_is_mended_and_migrated(sound, later_migration, doctor):
    change(sound, *EXTRA["a trigger"])
    later_migration()
    exit_code, _, _ = doctor("--fix")

    assert (exit_code, code_of_opening(sound)) == (0, None)
