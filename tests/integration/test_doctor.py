"""`kg doctor`: what is sound is green, what is wrong is red and says the way out, and --fix loses nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result

import homes
import keepgraph
from homes import desktop, flip, leave_a_log
from keepgraph import errors, permissions
from keepgraph.cli import clients, installation
from keepgraph.engine import vector_backfill
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import backups
from keepgraph.profiles import keys, settings_file
from words import connected, decision, fact, literal, person, project, rows

SHAKEN = installation.ServerInfo("keepgraph", "0", 4)

FACTS = [
    fact(person("Ada Lovelace"), "decided_in", decision("Adopt the engine"), aliases=["Countess of Lovelace"]),
    fact(person("Ada Lovelace"), "tagged", literal("mathematician"), source="a letter"),
    fact(person("Charles Babbage"), "belongs_to", project("Analytical Engine"), source="a letter"),
    fact(decision("Adopt the engine"), "tagged", literal("final")),
    fact(person("João"), "reports_to", person("Charles Babbage"), source="hearsay"),
]


@dataclass
class Report:
    """What the doctor said."""

    code: int
    answer: dict[str, Any]

    @property
    def wrong(self) -> dict[str, str | None]:
        """What is wrong, and what mends it."""
        return {check["name"]: check["mend"] for check in self.answer["checks"] if check["state"] == "wrong"}

    @property
    def notes(self) -> dict[str, str | None]:
        return {check["name"]: check["mend"] for check in self.answer["checks"] if check["state"] == "note"}

    def seen(self, name: str) -> str:
        return " / ".join(check["seen"] for check in self.answer["checks"] if check["name"] == name)


Doctor = Callable[..., Report]

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def shaken(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[list[str]]:
    """Commands that were started to shake hands; none is, but in the tests that are about it."""
    started: list[list[str]] = []

    def shake(command: list[str]) -> installation.ServerInfo:
        started.append(command)
        return SHAKEN

    if "live" not in request.fixturenames:
        monkeypatch.setattr(installation, "connect", shake)
    return started


@pytest.fixture
def live() -> None:
    """Asks for a real server."""


@pytest.fixture(scope="module")
def made(graphs_are_made_in_module: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small graph with vectors, to be copied."""
    path = tmp_path_factory.mktemp("made") / "graph.db"
    with keepgraph.open(path) as graph:
        for each in FACTS:
            graph.call("record_fact", **each)
        vector_backfill.backfill(graph.database)
    return path


@pytest.fixture
def plain(made: Path, path: Path) -> Path:
    permissions.make_folder(path.parent)
    shutil.copy(made, path)
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def made_encrypted(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("encrypted") / "graph.db"
    shutil.copy(made, path)
    assert run(path, "encrypt", "--key-file", str(key_of(path))).exit_code == 0
    return path


@pytest.fixture
def encrypted(made_encrypted: Path, path: Path) -> Path:
    """The same, encrypted; its key is in key_of(path)."""
    shutil.copytree(made_encrypted.parent, path.parent, dirs_exist_ok=True)
    settings = settings_file.path(path)
    settings.write_text(settings.read_text().replace(str(made_encrypted.parent), str(path.parent)))
    return path


@pytest.fixture
def doctor(path: Path) -> Doctor:
    def look(*words: str) -> Report:
        result = run(path, "--json", "doctor", *words)
        return Report(result.exit_code, json.loads(result.stdout))

    return look


def run(path: Path, *words: str) -> Result:
    return homes.run("--db", str(path), *words)


def key_of(path: Path) -> Path:
    return path.parent / "keys" / "graph.key"


def said(path: Path) -> list[Any]:
    with keepgraph.open(path, create=False, read_only=True) as graph:
        return list(export.stream_lines(graph.database))


def change(path: Path, *statements: str) -> None:
    with connected(path) as conn:
        for statement in statements:
            conn.execute(statement)


def command(path: Path, *words: str) -> str:
    return " ".join(["kg", "--db", str(path), *words])


# What is sound


def test_a_sound_plain_graph_is_green(plain, doctor):
    report = doctor()

    assert (report.code, report.wrong) == (0, {})
    assert report.answer["sound"]


def test_a_sound_encrypted_graph_is_green(encrypted, doctor):
    report = doctor()

    assert (report.code, report.wrong) == (0, {})
    assert "fingerprint" in report.seen("key")


def test_every_part_is_looked_at_in_this_order(plain, doctor):
    named = [check["name"] for check in doctor().answer["checks"]]

    assert named == [
        *("settings", "file", "space", "permissions", "key", "log", "version", "integrity", "indexes", "counts"),
        *("vectors", "texts", "vocabulary", "times", "pending", "backups", "garden", "server", "claude-desktop"),
    ]


@pytest.mark.parametrize(
    ("free", "code", "words"), [(0, 1, "the disk is full"), (900_000, 1, "full"), (10**12, 0, "free")]
)
def test_a_full_disk_is_told(plain, doctor, monkeypatch, free, code, words):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free))
    report = doctor()

    assert report.code == code
    assert words in report.seen("space")


def test_looking_changes_nothing(encrypted, doctor):
    """
    But that SQLite lays an empty log, and its index, beside a graph that is read.
    """
    run(encrypted, "backup")
    beside = {Path(f"{encrypted}{ending}") for ending in ("-wal", "-shm")}

    def everything() -> dict[Path, bytes]:
        found = (file for file in encrypted.parent.rglob("*") if file.is_file() and file not in beside)
        return {file: file.read_bytes() for file in found}

    before = everything()
    doctor()

    assert everything() == before


def test_a_graph_that_another_program_has_open_is_looked_at(plain, doctor):
    with keepgraph.open(plain) as graph:
        graph.call("record_fact", **fact(person("Ada Lovelace"), "tagged", literal("countess")))
        report = doctor()

    assert (report.code, report.wrong) == (0, {})


def test_a_terminal_shows_a_mark_for_each_and_the_command_below(plain):
    plain.chmod(0o644)
    shown = run(plain, "doctor").stdout.splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("✗ permissions"))

    assert shown[at + 1].strip() == f"→ {command(plain, 'doctor', '--fix')}"
    assert shown[-1] == "1 thing is wrong."
    assert any(line.startswith("✓ integrity") for line in shown)


# What is wrong, and can be mended


@dataclass
class Fault:
    """Something that is done to a graph, and the check that finds it."""

    name: str
    statements: tuple[str, ...] = ()


ORPHAN = "INSERT INTO name_vector SELECT 2000, embedding FROM name_vector LIMIT 1"

FAULTS = {
    "words of a fact left out of full text": Fault(
        "indexes", ("INSERT INTO fact_text (fact_text, rowid, text) SELECT 'delete', id, text FROM fact WHERE id = 3",)
    ),
    "other words in full text": Fault(
        "indexes",
        (
            "INSERT INTO fact_text (fact_text, rowid, text) SELECT 'delete', id, text FROM fact WHERE id = 3",
            "INSERT INTO fact_text (rowid, text) VALUES (3, 'something else')",
        ),
    ),
    "a fact too many in full text": Fault("indexes", ("INSERT INTO fact_text (rowid, text) VALUES (99, 'nothing')",)),
    "a row of full text without its length": Fault("indexes", ("DELETE FROM fact_text_docsize WHERE id = 2",)),
    "full text that is empty": Fault("indexes", ("INSERT INTO fact_text (fact_text) VALUES ('delete-all')",)),
    "full text that cannot be read": Fault("indexes", ("DELETE FROM fact_text_data WHERE id > 100",)),
    "letters of a name that are missing": Fault("indexes", ("DELETE FROM name_trigram WHERE rowid = 2",)),
    "letters that cannot be read": Fault("indexes", ("DELETE FROM name_trigram_data WHERE id > 100",)),
    "letters of no name": Fault("indexes", ("INSERT INTO name_trigram (rowid, folded) VALUES (999, ' nobody ')",)),
    "letters of another name": Fault(
        "indexes",
        (
            "DELETE FROM name_trigram WHERE rowid = 3",
            "INSERT INTO name_trigram (rowid, folded) VALUES (3, ' somebody else ')",
        ),
    ),
    "initials that are missing": Fault("indexes", ("DELETE FROM name_initials WHERE surface = 2",)),
    "initials of no name": Fault("indexes", ("INSERT INTO name_initials VALUES ('xy', 4711)",)),
    "a posting that is missing": Fault("indexes", ("DELETE FROM name_posting WHERE surface = 2",)),
    "a posting of no name": Fault("indexes", ("INSERT INTO name_posting VALUES (1, 4711)",)),
    "a posting of another word": Fault("indexes", ("UPDATE name_word SET word = 'nobody' WHERE id = 1",)),
    "a word that no name has": Fault("indexes", ("INSERT INTO name_word (word) VALUES ('nobody')",)),
    "words of no name": Fault("indexes", ("INSERT INTO entity_text (rowid, text) VALUES (999, 'nobody')",)),
    "words of no text": Fault("indexes", ("INSERT INTO chunk_text (rowid, text) VALUES (999, 'nothing')",)),
    "words of no community": Fault("indexes", ("INSERT INTO community_text (rowid, name) VALUES (999, 'nobody')",)),
    "another folded form of a name": Fault("indexes", ("UPDATE entity SET name_folded = 'ida' WHERE id = 1",)),
    "another key of an alias": Fault("indexes", ("UPDATE alias SET alias_key = 'duchess' WHERE id = 1",)),
    "another text of a fact": Fault("indexes", ("UPDATE fact SET text = 'nothing of the kind' WHERE id = 1",)),
    "a count of facts that is wrong": Fault("counts", ("UPDATE fact_count SET facts = facts + 1",)),
    "a count of open facts that is wrong": Fault("counts", ("UPDATE fact_count SET open_facts = 0",)),
    "a count of entities that is missing": Fault("counts", ("DELETE FROM entity_count WHERE type = 1",)),
    "a count of nothing": Fault("counts", ("INSERT INTO entity_count VALUES ('default', 99, 1)",)),
    "a vector of no name": Fault(
        "vectors", (ORPHAN, "INSERT INTO name_signs SELECT 2000, type, group_id, signs FROM name_signs LIMIT 1")
    ),
    "half a vector": Fault("vectors", ("DELETE FROM name_signs WHERE surface = 2",)),
    "a vector of another length": Fault("vectors", ("UPDATE name_vector SET embedding = x'00' WHERE surface = 2",)),
    "a vector of another type": Fault("vectors", ("UPDATE name_signs SET type = 5 WHERE surface = 2",)),
    "a vector that nobody waits for": Fault(
        "vectors", ("DELETE FROM name_signs WHERE surface = 3", "DELETE FROM name_vector WHERE surface = 3")
    ),
    "a name in the queue that is not there": Fault("vectors", ("INSERT INTO name_unembedded VALUES (4711)",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_is_made_from_the_tables_is_looked_at_and_made_anew(plain, doctor, fault):
    before = said(plain)
    change(plain, *fault.statements)
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong) == (1, {fault.name: command(plain, "doctor", "--fix")})
    assert (mended.code, mended.wrong) == (0, {})
    assert said(plain) == before


def test_before_tables_are_mended_a_backup_is_made(plain, doctor):
    change(plain, "DELETE FROM name_initials")
    report = doctor("--fix")

    assert [backup.kind for backup in backups.list_all(plain)] == ["before-fix"]
    assert str(backups.list_all(plain)[0].file) in report.answer["done"][0]


def test_where_no_copy_would_be_sound_the_very_files_are_kept(plain, doctor):
    change(plain, "DELETE FROM fact_text_data WHERE id > 100")
    before = plain.read_bytes()
    doctor("--fix")

    assert [backup.file.read_bytes() for backup in backups.list_all(plain) if backup.kind == backups.DAMAGED] == [
        before
    ]


def test_a_mended_name_can_be_found_again(plain, doctor):
    change(plain, "UPDATE entity SET name_folded = 'ida' WHERE id = 1")
    doctor("--fix")
    with keepgraph.open(plain) as graph:
        found = graph.call("recall_entity", name_or_alias="Ada Lovelac")["entity"]

    assert found["name"] == "Ada Lovelace"


def test_what_was_mended_in_the_graph_itself_is_in_the_journal(plain, doctor):
    change(plain, "UPDATE fact SET text = 'nothing of the kind' WHERE id = 1")
    doctor("--fix")

    assert rows(plain, "SELECT tool FROM call ORDER BY id DESC LIMIT 1") == [("doctor",)]


@pytest.mark.sampled(one_in=3)
@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
@pytest.mark.parametrize("which", ["graph.db", "graph.toml", "keys/graph.key", "graph.backups", "graph.backups/*.db"])
def test_what_others_may_read_is_found_and_kept_from_them(encrypted, doctor, which):
    before = said(encrypted)
    run(encrypted, "backup")
    file = next(encrypted.parent.glob(which))
    file.chmod(0o755 if file.is_dir() else 0o644)
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong["permissions"]) == (1, command(encrypted, "doctor", "--fix"))
    assert (mended.code, mended.wrong) == (0, {})
    assert file.stat().st_mode & 0o077 == 0
    assert said(encrypted) == before


@pytest.mark.parametrize("name", [".graph.db-part", "graph.backups/.20260101T000000Z-daily.db.77-part"])
def test_what_interrupted_work_has_left_is_found_and_taken_away(encrypted, doctor, name):
    before = said(encrypted)
    left = encrypted.parent / name
    permissions.write(left, "what is plain")
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong) == (1, {"pending": command(encrypted, "doctor", "--fix")})
    assert (mended.code, mended.wrong, left.exists()) == (0, {}, False)
    assert said(encrypted) == before


def test_a_plain_backup_of_an_encrypted_graph_is_found_and_encrypted(plain, doctor):
    run(plain, "backup")
    backup = backups.list_all(plain)[0].file
    aside = plain.with_name("aside")
    shutil.copy(backup, aside)
    run(plain, "encrypt", "--key-file", str(key_of(plain)))
    shutil.copy(aside, backup)
    backup.chmod(0o600)
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong["backups"]) == (1, command(plain, "doctor", "--fix"))
    assert (mended.code, mended.wrong) == (0, {})
    assert b"Lovelace" not in backup.read_bytes()


def test_another_fingerprint_in_the_settings_is_found_and_put_right(encrypted, doctor):
    settings_file.update(encrypted, {("key", "fingerprint"): "0123456789abcdef"})
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong) == (1, {"key": command(encrypted, "doctor", "--fix")})
    assert (mended.code, mended.wrong) == (0, {})


def test_an_older_graph_is_brought_up_to_date(graphs_are_made, path, doctor, later_migration):
    keepgraph.open(path).close()
    later_migration()
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.notes["version"]) == (0, command(path, "doctor", "--fix"))
    assert (mended.code, mended.wrong) == (0, {})
    assert mended.seen("version").startswith("schema 2")


def test_a_damaged_log_is_found_kept_aside_and_gone_on_without(plain, doctor):
    """
    What stands in it before the damage is kept, and what the graph knew before too.
    """
    before = {json.dumps(line, sort_keys=True) for line in said(plain)}
    log = leave_a_log(plain)
    flip(log, log.stat().st_size // 2)
    damaged = (plain.read_bytes(), log.read_bytes())
    found = doctor()
    as_before = (plain.read_bytes(), log.read_bytes())
    mended = doctor("--fix")
    aside = next(backup.file for backup in backups.list_all(plain) if backup.kind == backups.DAMAGED)

    assert (found.code, found.wrong, as_before) == (1, {"log": command(plain, "doctor", "--fix")}, damaged)
    assert (mended.code, mended.wrong) == (0, {})
    assert (aside.read_bytes(), Path(f"{aside}-wal").read_bytes()) == damaged
    assert before <= {json.dumps(line, sort_keys=True) for line in said(plain)}


# What is wrong, and cannot be mended


def name_in_its_row(path: Path) -> None:
    """Another letter in a name, and in nothing that was made from it."""
    at = path.read_bytes().index(b"Ada Lovelaceada lovelaceada lovelace")
    flip(path, at, bit=2)


def case_of_a_name_in_its_row(path: Path) -> None:
    at = path.read_bytes().index(b"Ada Lovelaceada lovelaceada lovelace")
    flip(path, at, bit=32)


def name_that_is_no_text(path: Path) -> None:
    at = path.read_bytes().index(b"Ada Lovelaceada lovelaceada lovelace")
    flip(path, at, bit=128)


def literal_in_its_row(path: Path) -> None:
    at = path.read_bytes().index(b"mathematicianAda Lovelace tagged")
    flip(path, at)


def word_of_the_vocabulary(path: Path) -> None:
    change(path, "UPDATE predicate SET name = 'decided' WHERE name = 'decided_in'")


def type_that_is_no_word(path: Path) -> None:
    change(path, "UPDATE entity SET type = 99 WHERE id = 1")


def time_that_is_none(path: Path) -> None:
    change(path, "UPDATE fact SET recorded_at = '2026-02-31T10:00:00.000Z' WHERE id = 1")


def page_of_the_file(path: Path) -> None:
    """Two indexes that have exchanged their pages."""
    exchange = """
        WITH root AS MATERIALIZED (SELECT name, rootpage FROM sqlite_schema WHERE name IN ('fact_in', 'alias_of'))
        UPDATE sqlite_schema
        SET rootpage = (SELECT rootpage FROM root WHERE root.name <> sqlite_schema.name)
        WHERE name IN ('fact_in', 'alias_of')
    """
    change(path, "PRAGMA writable_schema = ON", exchange)


DAMAGE = {
    "a letter of a name": (name_in_its_row, "indexes"),
    "the case of a letter of a name": (case_of_a_name_in_its_row, "indexes"),
    "a name that is no text": (name_that_is_no_text, "indexes"),
    "a letter of a literal": (literal_in_its_row, "integrity"),
    "a word of the vocabulary": (word_of_the_vocabulary, "vocabulary"),
    "a type that is no word": (type_that_is_no_word, "vocabulary"),
    "a time": (time_that_is_none, "times"),
    "a page": (page_of_the_file, "integrity"),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("damage", "name"), DAMAGE.values(), ids=DAMAGE)
def test_what_nothing_can_be_made_from_is_found_and_left_for_a_backup(plain, doctor, damage, name):
    run(plain, "backup")
    damage(plain)
    before = plain.read_bytes()
    found = doctor()
    mended = doctor("--fix")

    assert (found.code, found.wrong[name]) == (1, command(plain, "restore"))
    assert (mended.code, mended.wrong[name], plain.read_bytes()) == (1, command(plain, "restore"), before)


def test_a_backup_brings_back_what_was_damaged(plain, doctor):
    before = said(plain)
    run(plain, "backup")
    name_in_its_row(plain)
    run(plain, "restore", "--yes")

    assert doctor().wrong == {}
    assert said(plain) == before


def test_where_there_is_no_backup_what_can_be_read_is_to_be_saved(plain, doctor):
    name_in_its_row(plain)

    assert command(plain, "export", "FILE") in doctor().wrong["indexes"]


def test_no_stored_text_is_shown(plain):
    name_in_its_row(plain)
    shown = run(plain, "doctor").output + run(plain, "--json", "doctor", "--fix").output

    assert "Lovelace" not in shown
    assert "lovelace" not in shown


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
def test_a_flipped_byte_in_an_encrypted_graph_is_found(encrypted, doctor, part):
    run(encrypted, "backup")
    flip(encrypted, int(encrypted.stat().st_size * part))
    report = doctor()

    assert (report.code, report.wrong["integrity"]) == (1, command(encrypted, "restore"))


# What cannot be opened


def without_its_key(path: Path) -> None:
    key_of(path).rename(key_of(path).with_name("elsewhere"))


def with_another_key(path: Path) -> None:
    keys.write(key_of(path), [keys.new()], about="Another.")


def with_no_key_in_its_file(path: Path) -> None:
    permissions.write(key_of(path), "what a pity\n")


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def cut_within_a_page(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 100)


def written_over(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1000)


def beginning_flipped(path: Path) -> None:
    flip(path, 100)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def deleted(path: Path) -> None:
    path.unlink()


CLOSED = {
    "without its key": (without_its_key, "key", "key import FILE"),
    "with another key": (with_another_key, "key", "key import FILE"),
    "with no key in its file": (with_no_key_in_its_file, "key", "64 hexadecimal digits"),
    "cut short": (cut_short, "integrity", "restore"),
    "cut within a page": (cut_within_a_page, "integrity", "restore"),
    "written over": (written_over, "integrity", "restore"),
    "with a flipped byte at its beginning": (beginning_flipped, "integrity", "restore"),
    "emptied": (emptied, "file", "restore"),
    "deleted": (deleted, "file", "restore"),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("damage", "name", "way_out"), CLOSED.values(), ids=CLOSED)
def test_an_encrypted_graph_that_cannot_be_opened_has_a_way_out(encrypted, doctor, damage, name, way_out):
    run(encrypted, "backup")
    secret = keys.read(key_of(encrypted))[0].digits
    damage(encrypted)
    report = doctor()
    mended = doctor("--fix")

    assert (report.code, mended.code) == (1, 1)
    assert way_out in report.wrong[name]
    assert report.wrong == mended.wrong
    assert "backups" not in report.wrong
    assert secret not in json.dumps(report.answer)


PLAIN_CLOSED = {
    "cut short": (cut_short, "integrity", "restore"),
    "cut within a page": (cut_within_a_page, "integrity", "restore"),
    "written over": (written_over, "file", "restore"),
    "emptied": (emptied, "file", "restore"),
    "deleted": (deleted, "file", "restore"),
}


@pytest.mark.parametrize(("damage", "name", "way_out"), PLAIN_CLOSED.values(), ids=PLAIN_CLOSED)
def test_a_plain_graph_that_cannot_be_opened_has_a_way_out(plain, doctor, damage, name, way_out):
    run(plain, "backup")
    damage(plain)
    report = doctor()
    mended = doctor("--fix")

    assert (report.code, mended.code) == (1, 1)
    assert way_out in report.wrong[name]
    assert report.wrong == mended.wrong
    assert "and readable" in report.seen("backups")


RESTORED = [damage for damage, _, way_out in CLOSED.values() if way_out == "restore"]


@pytest.mark.slow
@pytest.mark.parametrize("damage", RESTORED)
@pytest.mark.parametrize("which", ["plain", "encrypted"])
def test_the_way_out_by_a_backup_leads_out(path, doctor, request, which, damage):
    request.getfixturevalue(which)
    before = said(path)
    run(path, "backup")
    damage(path)
    run(path, "restore", "--yes")

    assert doctor().wrong == {}
    assert said(path) == before


def test_what_never_was_a_graph_is_not_taken_for_one(path, doctor):
    permissions.write(path, "Dear diary, " * 1000)

    assert "KG_DB" in doctor().wrong["file"]


def test_looking_makes_no_graph(path, doctor):
    report = doctor("--fix")

    assert (report.code, path.exists()) == (1, False)
    assert report.wrong == {"file": errors.GraphNotFound.default_hint}


def test_a_folder_is_no_graph(path, doctor):
    path.mkdir()

    assert doctor().wrong.keys() == {"file"}


def test_a_graph_of_a_newer_version_asks_for_that(plain, doctor):
    digits = "0" * 64
    change(
        plain,
        f"INSERT INTO migration VALUES (99, '0099_later', '{digits}', '2026-01-01T00:00:00.000Z')",
        "PRAGMA user_version = 99",
    )
    report = doctor()

    assert (report.code, report.wrong["version"]) == (1, errors.GraphTooNew.default_hint)


def test_a_key_for_a_plain_graph_is_found(plain, doctor, monkeypatch):
    monkeypatch.setenv("KG_KEY", keys.new().digits)

    assert "kg encrypt" in doctor().wrong["key"]


def test_settings_that_cannot_be_read_are_found_and_all_else_is_looked_at(plain, doctor):
    settings_file.path(plain).write_text("offline = ja\n")
    settings_file.path(plain).chmod(0o600)
    report = doctor()

    assert (report.code, report.wrong.keys()) == (1, {"settings"})
    assert "line 1" in report.seen("settings")
    assert "every row" in report.seen("integrity")


def test_a_profile_that_is_not_there_is_said_to_be(home):
    result = homes.run("--json", "--profile", "nowhere", "doctor")
    report = Report(result.exit_code, json.loads(result.stdout))

    assert (report.code, report.wrong) == (1, {"settings": errors.ProfileNotFound.default_hint})


# What is worth knowing


def future(path: Path) -> None:
    change(path, "UPDATE provenance SET recorded_at = '2999-01-01T00:00:00.000Z' WHERE id = 1")


def old_without_backup(path: Path) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=3)
    change(path, f"UPDATE migration SET applied_at = '{long_ago:%Y-%m-%dT%H:%M:%S.000Z}'")


def unknown_setting(path: Path) -> None:
    permissions.write(settings_file.path(path), "[names]\nsomething_quite_new = true\n")


def name_that_waits(path: Path) -> None:
    change(
        path,
        "DELETE FROM name_signs WHERE surface = 2",
        "DELETE FROM name_vector WHERE surface = 2",
        "INSERT INTO name_unembedded VALUES (2)",
    )


NOTES = {
    "a time in the future": (future, "times", "clock"),
    "an old graph without a backup": (old_without_backup, "backups", "kg --db PATH backup"),
    "a setting of another version": (unknown_setting, "settings", "mistakes"),
    "a name that waits for its vector": (name_that_waits, "pending", "kg --db PATH reindex"),
}


@pytest.mark.parametrize(("odd", "name", "mend"), NOTES.values(), ids=NOTES)
def test_what_is_odd_is_noted_and_nothing_is_wrong(plain, doctor, odd, name, mend):
    odd(plain)
    report = doctor()

    assert (report.code, report.wrong) == (0, {})
    assert mend.replace("PATH", str(plain)) in report.notes[name]


def test_a_key_from_the_environment_is_noted_for_a_client_will_not_have_it(encrypted, doctor, monkeypatch, shaken):
    elsewhere = key_of(encrypted).with_name("elsewhere")
    without_its_key(encrypted)
    monkeypatch.setenv("KG_KEY_FILE", str(elsewhere))
    report = doctor()

    assert (report.code, report.notes["key"]) == (0, command(encrypted, "key", "import", str(elsewhere)))
    assert shaken == []


def test_two_keys_are_noted_for_a_change_of_the_key_was_interrupted(encrypted, doctor):
    keys.write(key_of(encrypted), [*keys.read(key_of(encrypted)), keys.new()], about="Two.")

    assert doctor().notes["pending"] == command(encrypted, "rekey")


def test_an_encryption_that_was_interrupted_is_found_and_can_be_ended(encrypted, doctor):
    settings_file.update(encrypted, {("key", "encrypted"): False})
    found = doctor()
    run(encrypted, "encrypt")

    assert found.wrong == {"pending": command(encrypted, "encrypt")}
    assert doctor().wrong == {}


def test_a_backup_that_the_key_does_not_open_is_found(encrypted, doctor):
    run(encrypted, "backup")
    backup = backups.list_all(encrypted)[0].file
    flip(backup, 100)

    assert doctor().wrong == {"backups": command(encrypted, "backup")}


def test_a_damaged_backup_is_found(plain, doctor):
    run(plain, "backup")
    cut_short(backups.list_all(plain)[0].file)

    assert doctor().wrong == {"backups": command(plain, "backup")}


# The server, and Claude Desktop


def test_a_real_server_answers(plain, doctor, live, own_server_is_forked):
    report = doctor()

    assert report.wrong == {}
    assert "answers" in report.seen("server")


def test_a_server_that_does_not_answer_is_found(plain, doctor, monkeypatch):
    def shake(words: list[str]) -> installation.ServerInfo:
        raise errors.HandshakeFailed("it is silent")

    monkeypatch.setattr(installation, "connect", shake)

    assert doctor().wrong == {"server": command(plain, "serve")}


def test_a_server_that_is_slow_is_not_called_broken(plain, doctor, monkeypatch):
    def shake(words: list[str]) -> installation.ServerInfo:
        raise errors.DeadlineExceeded("the server is slow")

    monkeypatch.setattr(installation, "connect", shake)
    report = doctor()

    assert (report.wrong, "slow" in report.seen("server")) == ({}, True)


def configured(text: str, path: Path) -> None:
    own = json.dumps(clients.own_command()[0])
    desktop().parent.mkdir(parents=True)
    desktop().write_text(text.replace("OWN", own).replace("PATH", json.dumps(str(path))))


ENTRY = '{"mcpServers": {"keepgraph": {"command": COMMAND, "args": ["serve", "--db", PATH]}}}'
CONFIGURATIONS = {
    "as it should be": (ENTRY.replace("COMMAND", "OWN"), "ok", None),
    "that is no JSON": ('{"mcpServers"', "wrong", "Correct the file"),
    "without our entry": ("{}", "note", "install claude-desktop"),
    "with a program that is gone": (ENTRY.replace("COMMAND", '"/no/such/kg"'), "wrong", "install claude-desktop"),
    "with another program": (ENTRY.replace("COMMAND", '"/bin/sh"'), "note", "install claude-desktop"),
    "for another graph": (ENTRY.replace("COMMAND", "OWN").replace("PATH", '"/other.db"'), "note", "claude-desktop"),
    "with an entry that starts nothing": ('{"mcpServers": {"keepgraph": 7}}', "wrong", "install claude-desktop"),
}


@pytest.mark.parametrize(("text", "state", "mend"), CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_the_configuration_of_claude_desktop_is_looked_at(plain, doctor, text, state, mend):
    configured(text, plain)
    report = doctor()
    check = next(check for check in report.answer["checks"] if check["name"] == "claude-desktop")

    assert (check["state"], report.code) == (state, 1 if state == "wrong" else 0)
    assert (mend or "") in (check["mend"] or "")


def test_where_claude_desktop_is_not_there_nothing_is_said_against_it(plain, doctor):
    report = doctor()

    assert "is not on this machine" in report.seen("claude-desktop")
    assert "claude-desktop" not in {**report.notes, **report.wrong}
