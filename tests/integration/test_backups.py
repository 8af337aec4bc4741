"""Backups: made whole or not at all, while others write, once a day, so many; and brought back with nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keyring
import pytest
from sqlcipher3 import dbapi2 as sqlcipher

import keepgraph
from fork_server import python
from homes import (
    DIGITS,
    MARKER,
    PHRASE,
    Mould,
    Ring,
    error_code,
    files_with,
    flip,
    leave_a_log,
    open_elsewhere,
    run,
    run_ok,
    table_digests,
)
from keepgraph import errors, package_files, store
from keepgraph.cli import encryption, graph_options
from keepgraph.engine.maintenance import backups
from keepgraph.model import Key
from keepgraph.profiles import keys
from words import Caller, Clock, literal, person, rows

RELEASED = package_files.migrations()
NEXT = f"{len(RELEASED) + 1:04d}_next.sql"

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def folder(graph_file: Path) -> Path:
    return graph_file.with_suffix(".backups")


_moulds: dict[str, tuple[Mould, str]] = {}
"""Homes with what is exported of their graphs."""


def cast(name: str, home: Path, make: Callable[[], str]) -> str:
    """Fill a home as another was that is made once; what is exported of its graph."""
    if name in _moulds:
        mould, export = _moulds[name]
        mould.into(home)
        return export
    export = make()
    _moulds[name] = Mould.of(home), export
    return export


def record_first() -> str:
    run_ok("record", f"person:{MARKER}", "tagged", "=first", "--source", "a note")
    return run_ok("export")


@pytest.fixture
def plain(home: Path) -> str:
    return cast("plain", home, record_first)


@pytest.fixture
def encrypted(home: Path) -> str:
    def make() -> str:
        run_ok("profile", "create", "default", "--encrypted")
        return record_first()

    return cast("encrypted", home, make)


@pytest.fixture(params=["plain", "encrypted"])
def filled(request: pytest.FixtureRequest) -> str:
    """A graph with a fact, plain and encrypted; all that is in it."""
    return str(request.getfixturevalue(request.param))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def kinds(graph: Path) -> list[str]:
    """The kinds of its backups, the newest first."""
    return [each.kind for each in backups.list_all(graph)]


def key_of(graph: Path) -> Key | None:
    file = keys.default_file(graph)
    return keys.read(file)[0] if file.exists() else None


def age(file: Path, **ago: float) -> None:
    """Let a file have been changed some time ago."""
    then = (datetime.now(UTC) - timedelta(**ago)).timestamp()
    os.utime(file, (then, then))


# A backup


def test_a_backup_is_the_same_as_the_graph_and_encrypted_as_it_is(filled, graph_file):
    made = Path(json.loads(run_ok("--json", "backup"))["file"])

    assert table_digests(made, key_of(graph_file)) == table_digests(graph_file, key_of(graph_file))
    assert store.files.kind(made) is store.files.kind(graph_file)


def test_a_backup_is_told_with_where_it_is(encrypted, folder):
    told = json.loads(run_ok("--json", "backup"))
    listed = json.loads(run_ok("--json", "backup", "--list"))

    assert (told["kind"], told["encrypted"], told["bytes"]) == ("by-hand", True, Path(told["file"]).stat().st_size)
    assert listed == {"folder": str(folder), "backups": [{key: told[key] for key in ("file", "kind", "at", "bytes")}]}


def test_no_backups_are_told_too(plain, folder):
    assert json.loads(run_ok("--json", "backup", "--list"))["backups"] == []
    assert "no backups" in run_ok("backup", "--list")


def test_backups_are_for_their_owner_alone(filled, folder):
    umask = os.umask(0)
    try:
        run_ok("backup")
    finally:
        os.umask(umask)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


def test_a_backup_is_one_file(filled, folder):
    run_ok("backup")

    assert len(names(folder)) == 1


def test_a_backup_that_was_restored_is_still_one_file(filled, folder):
    run_ok("backup")
    before = names(folder)
    run_ok("restore", "--yes")

    assert [name for name in names(folder) if "before-restore" not in name] == before
    assert len(names(folder)) == 2


def test_a_backup_goes_to_a_file_of_its_own(filled, graph_file, folder, home):
    run_ok("backup", str(home / "stick" / "mine.db"))
    made = names(home / "stick")

    assert made == ["mine.db"]
    assert table_digests(home / "stick" / "mine.db", key_of(graph_file)) == table_digests(
        graph_file, key_of(graph_file)
    )
    assert (home / "stick" / "mine.db").stat().st_mode & 0o777 == 0o600
    assert names(folder) == []


def test_a_backup_writes_over_nothing(plain, home):
    (home / "precious").write_text("mine")

    assert error_code(run("backup", str(home / "precious"))) == "BACKUP_FAILED"
    assert (home / "precious").read_text() == "mine"


def test_without_a_graph_there_is_no_backup_and_none_is_made(graph_file):
    assert error_code(run("backup")) == "GRAPH_NOT_FOUND"
    assert not graph_file.exists()


def test_what_is_in_the_log_of_an_open_graph_is_in_its_backup(plain, graph_file):
    with keepgraph.open(graph_file) as graph:
        Caller(graph).record(person("Late"), "tagged", literal("x"))
        made = Path(json.loads(run_ok("--json", "backup"))["file"])

    assert rows(made, "SELECT name FROM entity ORDER BY name") == [("Late",), (MARKER,)]


WRITER = """
import sys, keepgraph
with keepgraph.open(sys.argv[1]) as graph:
    for n in range(10_000):
        graph.call("record_fact", subject={"type": "person", "name": sys.argv[2]}, predicate="depends_on",
                   object={"type": "concept", "name": f"{sys.argv[2]} {n}"}, source=f"source {n}", aliases=[f"A{n}"])
        print(n, flush=True)
"""


def test_a_backup_while_others_write_is_one_moment(graph_file, plain):
    """
    Each has all facts of each writer up to one, with their sources, and nothing of the next.
    """
    with contextmanager(writing)(graph_file, "One") as one, contextmanager(writing)(graph_file, "Two") as two:
        made = []
        for _ in range(2):
            one.stdout.readline(), two.stdout.readline()
            made.append(Path(json.loads(run_ok("--json", "backup"))["file"]))

    for file in made:
        assert rows(file, "PRAGMA integrity_check") == [("ok",)]
        assert rows(file, "SELECT count(*) FROM fact WHERE id NOT IN (SELECT fact FROM provenance)") == [(0,)]
        for who in ("One", "Two"):
            numbers = [
                int(name.split()[1]) for (name,) in rows(file, "SELECT name FROM entity WHERE name LIKE ?", f"{who} %")
            ]
            recorded = rows(file, "SELECT count(*) FROM fact WHERE text LIKE ?", f"{who} %")
            assert sorted(numbers) == list(range(len(numbers)))
            assert recorded == [(len(numbers),)]
    assert len(set(map(str, made))) == 2


def writing(path: Path, who: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*python(), "-c", WRITER, str(path), who], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


# What is not whole is not a backup


@contextmanager
def spoiling(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path, Key | None], None]) -> Iterator[None]:
    """Something happens to a copy between its being written and its being read back."""
    original = store.copies._copy_pages

    def copy(conn: Any, target: Path, key: Key | None) -> None:
        original(conn, target, key)
        spoil(target, key)

    with monkeypatch.context() as patch:
        patch.setattr(store.copies, "_copy_pages", copy)
        yield


def lose_a_row(target: Path, key: Key | None) -> None:
    with_key = store.connections.connect(target, "rw", key=key)
    with_key.execute("DELETE FROM provenance")
    with_key.close()


def change_a_word(target: Path, key: Key | None) -> None:
    with_key = store.connections.connect(target, "rw", key=key)
    with_key.execute("UPDATE provenance SET source = 'another'")
    with_key.close()


def add_a_blank(target: Path, key: Key | None) -> None:
    with_key = store.connections.connect(target, "rw", key=key)
    with_key.execute("UPDATE fact SET literal = literal || ' '")
    with_key.close()


def flip_a_byte(target: Path, key: Key | None) -> None:
    content = bytearray(target.read_bytes())
    for page in range(1, len(content) // store.files.PAGE_SIZE):
        content[page * store.files.PAGE_SIZE + 3] ^= 0xFF
    target.write_bytes(content)


def cut(target: Path, key: Key | None) -> None:
    os.truncate(target, target.stat().st_size // 2)


def empty(target: Path, key: Key | None) -> None:
    os.truncate(target, 0)


def fill_up(target: Path, key: Key | None) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "spoil", [lose_a_row, change_a_word, add_a_blank, flip_a_byte, cut, empty, fill_up],
    ids=lambda spoil: spoil.__name__,
)  # fmt: skip
def test_a_copy_that_is_not_the_same_is_no_backup(filled, folder, graph_file, home, monkeypatch, spoil):
    with spoiling(monkeypatch, spoil):
        results = [run("backup"), run("backup", str(home / "mine.db"))]

    assert [error_code(result) for result in results] == ["BACKUP_FAILED"] * 2
    assert names(folder) == []
    assert not list(home.glob("*mine.db*"))
    assert run("export").stdout == filled


@pytest.fixture
def small_disk(home: Path) -> Iterator[Path]:
    """A disk on which there is no room for a copy."""
    folder = home / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_nothing_is_left_on_it(filled, small_disk):
    refused = run("backup", str(small_disk / "mine.db"))

    assert error_code(refused) == "BACKUP_FAILED"
    assert names(small_disk) == []
    assert run("export").stdout == filled


# Once a day


@pytest.mark.parametrize(
    "words", [["status"], ["recall", MARKER], ["record", "person:New", "tagged", "=x"]], ids=" ".join
)
def test_the_first_use_of_a_day_makes_a_backup(filled, graph_file, words):
    age(graph_file, days=1)
    run_ok(*words)

    assert kinds(graph_file) == ["daily"]
    assert store.files.kind(backups.list_all(graph_file)[0].file) is store.files.kind(graph_file)


def test_the_rest_of_a_day_makes_none(plain, graph_file):
    age(graph_file, days=1)
    for words in (["status"], ["record", "person:New", "tagged", "=x"], ["status"]):
        run_ok(*words)

    assert kinds(graph_file) == ["daily"]


def test_a_new_graph_has_none_on_its_first_day(plain, graph_file):
    run_ok("status")

    assert kinds(graph_file) == []


def test_a_graph_that_has_not_changed_since_has_no_other(plain, graph_file):
    run_ok("backup")
    age(graph_file, days=3)
    age(backups.list_all(graph_file)[0].file, days=2)
    run_ok("status")

    assert kinds(graph_file) == ["by-hand"]


def test_a_graph_that_was_changed_since_the_last_of_an_earlier_day_has_one_more(plain, graph_file):
    run_ok("backup")
    age(backups.list_all(graph_file)[0].file, days=1)
    run_ok("record", "person:New", "tagged", "=x")
    run_ok("status")

    assert kinds(graph_file).count("daily") == 1


def test_a_profile_may_do_without(plain, graph_file):
    graph_file.with_suffix(".toml").write_text("[backups]\ndaily = false\n")
    age(graph_file, days=1)
    run_ok("status")

    assert kinds(graph_file) == []


def test_a_daily_backup_that_fails_spoils_no_command(plain, graph_file, folder, monkeypatch):
    age(graph_file, days=1)
    with spoiling(monkeypatch, fill_up):
        result = run("--json", "export")

    assert (result.exit_code, result.stdout, names(folder)) == (0, plain, [])
    assert "The daily backup was not made" in result.stderr


def test_a_file_in_the_place_of_the_backups_spoils_no_command(plain, folder):
    folder.write_text("in the way")

    assert [run(*words).exit_code for words in (["status"], ["recall", MARKER])] == [0, 0]


def test_a_file_that_is_called_like_a_backup_spoils_no_command(plain, folder):
    folder.mkdir()
    for name in ("20260515T100000Z-daily.db-wal", "notes.txt", "2026-daily.db", "20260515T100000Z-DAILY.db"):
        (folder / name).touch()

    assert json.loads(run_ok("--json", "backup", "--list"))["backups"] == []


def test_a_backup_of_no_day_spoils_no_command(plain, folder):
    folder.mkdir()
    (folder / "20269999T999999Z-daily.db").touch()

    assert [run(*words).exit_code for words in (["status"], ["backup", "--list"], ["recall", MARKER])] == [0, 0, 0]


def test_what_was_recorded_before_an_encryption_is_backed_up_the_next_day(plain, graph_file):
    run_ok("backup")
    run_ok("record", "person:Late", "tagged", "=x")
    run_ok("encrypt")
    for file in (graph_file, *(each.file for each in backups.list_all(graph_file))):
        at = file.stat().st_mtime - timedelta(days=1).total_seconds()
        os.utime(file, (at, at))
    run_ok("status")

    assert kinds(graph_file) == ["daily", "by-hand"]


# So many


@pytest.fixture
def timed(graph_file: Path, clock: Clock) -> Callable[..., None]:
    """Makes a backup of a kind, a minute later than the one before."""

    def make(kind: str, *, later: float = 60) -> None:
        clock.pass_by(seconds=later)
        with keepgraph.open(graph_file, clock=clock) as graph:
            backups.make(graph.database, kind)

    return make


def test_of_each_kind_as_many_stay_as_the_profile_says(plain, graph_file, timed):
    graph_file.with_suffix(".toml").write_text("[backups]\nkeep = 2\n")
    for kind in (
        "daily",
        "by-hand",
        "before-clear",
        "daily",
        "by-hand",
        "before-0099_x",
        "daily",
        "daily",
        "before-import",
    ):
        timed(kind)

    assert kinds(graph_file) == ["before-import", "daily", "daily", "before-0099_x", "by-hand", "by-hand"]


def test_what_was_set_aside_as_damaged_is_never_rotated_away(plain, graph_file, folder, timed):
    graph_file.with_suffix(".toml").write_text("[backups]\nkeep = 1\n")
    folder.mkdir()
    for n in range(3):
        (folder / f"2020010{n + 1}T000000Z-damaged.db").touch()
    timed("daily")
    timed("daily")

    assert kinds(graph_file) == ["daily", "damaged", "damaged", "damaged"]


def test_seven_of_a_kind_stay_if_nothing_is_said(plain, graph_file, timed):
    for _ in range(9):
        timed("daily")

    assert kinds(graph_file) == ["daily"] * 7


def test_backups_of_one_second_are_in_the_order_they_were_made(plain, graph_file, timed):
    for _ in range(3):
        timed("by-hand", later=0)
    made = sorted(backups.list_all(graph_file), key=lambda each: each.file.stat().st_mtime_ns, reverse=True)

    assert backups.list_all(graph_file) == made


def test_of_two_backups_of_one_second_the_later_stays(plain, graph_file, timed):
    graph_file.with_suffix(".toml").write_text("[backups]\nkeep = 1\n")
    timed("by-hand")
    with keepgraph.open(graph_file) as graph:
        Caller(graph).record(person("Late"), "tagged", literal("x"))
    timed("by-hand", later=0)

    assert rows(backups.list_all(graph_file)[0].file, "SELECT count(*) FROM entity") == [(2,)]


# Before an import, and before tables change


def test_a_graph_that_is_not_empty_is_copied_before_an_import(filled, graph_file):
    before = table_digests(graph_file, key_of(graph_file))
    line = {"subject": person("New"), "predicate": "tagged", "object": literal("x")}
    run_ok("import", "-", input=json.dumps(line))
    (made,) = backups.list_all(graph_file)

    assert made.kind == "before-import"
    assert table_digests(made.file, key_of(graph_file)) == before


@pytest.fixture
def migrations(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the migrations, which the code takes for its own."""
    copy = home / "migrations"
    copy.mkdir()
    for file in RELEASED:
        shutil.copy(file, copy)
    monkeypatch.setattr(package_files, "migrations", lambda: tuple(sorted(copy.glob("[0-9]*.sql"))))
    return copy


def test_a_graph_is_copied_before_its_tables_change_encrypted_as_it_is(filled, graph_file, migrations):
    before = table_digests(graph_file, key_of(graph_file))
    (migrations / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    run_ok("status")
    (kept,) = backups.list_all(graph_file)

    assert kept.kind == f"before-{len(RELEASED) + 1:04d}_next"
    assert table_digests(kept.file, key_of(graph_file)) == before


def test_tables_do_not_change_where_there_is_no_copy(filled, graph_file, migrations, monkeypatch):
    before = table_digests(graph_file, key_of(graph_file))
    (migrations / NEXT).write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    with spoiling(monkeypatch, lose_a_row):
        refused = run("status")

    assert error_code(refused) == "BACKUP_FAILED"
    assert table_digests(graph_file, key_of(graph_file)) == before


# Bringing one back


@pytest.fixture(params=["plain", "encrypted"])
def later(request: pytest.FixtureRequest, home: Path) -> str:
    """After a backup something else was recorded; what was in it."""

    def make() -> str:
        everything = str(request.getfixturevalue(request.param))
        run_ok("backup")
        run_ok("record", "person:Late", "tagged", "=x")
        return everything

    return cast(f"{request.param}, later", home, make)


@pytest.fixture
def logged(later: str, home: Path, graph_file: Path) -> str:
    """Then a writer ended all of a sudden, and left what it wrote in the log."""

    def make() -> str:
        leave_a_log(graph_file)
        return later

    return cast(f"{store.files.kind(graph_file).name}, logged", home, make)


@pytest.mark.parametrize("by", ["nothing", "name", "stem", "path"])
def test_a_backup_is_brought_back_by(later, graph_file, by):
    file = backups.list_all(graph_file)[0].file
    named = {"nothing": [], "name": [file.name], "stem": [file.stem], "path": [str(file)]}[by]
    run_ok("restore", "--yes", *named)

    assert run_ok("export") == later


def test_what_was_there_is_kept_and_can_be_brought_back(later, graph_file):
    replaced = run_ok("export")
    told = json.loads(run_ok("--json", "restore", "--yes"))
    run_ok("restore", "--yes", told["kept"])

    assert told["graph"] == str(graph_file)
    assert run_ok("export") == replaced


def test_after_a_restore_the_graph_is_as_any_other(later, graph_file):
    run_ok("restore", "--yes")
    run_ok("record", "person:Next", "tagged", "=x")

    assert "Next" in run_ok("recall", "Next")
    assert graph_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("words", [["restore", "--yes"], ["encrypt"]], ids=["restore", "encrypt"])
def test_no_part_is_left_behind(plain, graph_file, words):
    run_ok("backup")
    run_ok(*words)

    assert [name for name in names(graph_file.parent) if "part" in name] == []


def test_the_newest_is_brought_back_if_none_is_named(plain, graph_file, timed):
    timed("by-hand")
    with keepgraph.open(graph_file) as graph:
        Caller(graph).record(person("Second"), "tagged", literal("x"))
    timed("daily")
    expected = run_ok("export")
    with keepgraph.open(graph_file) as graph:
        Caller(graph).record(person("Third"), "tagged", literal("x"))
    run_ok("restore", "--yes")

    assert run_ok("export") == expected


def test_restoring_twice_brings_back_the_same(later):
    run_ok("restore", "--yes")
    run_ok("restore", "--yes")

    assert run_ok("export") == later


def test_what_only_the_log_had_is_kept_too(logged, graph_file):
    kept = json.loads(run_ok("--json", "restore", "--yes"))["kept"]
    run_ok("restore", "--yes", kept)

    assert run_ok("recall", "Log").count("tagged") == 6


def test_a_graph_that_was_deleted_is_brought_back(later, graph_file):
    kind = store.files.kind(graph_file)
    for file in graph_file.parent.glob("default.db*"):
        file.unlink()
    told = json.loads(run_ok("--json", "restore", "--yes"))

    assert (run_ok("export"), store.files.kind(graph_file), told["kept"]) == (later, kind, None)


def test_a_graph_that_was_deleted_with_its_settings_is_brought_back(later, graph_file):
    kind = store.files.kind(graph_file)
    for file in graph_file.parent.glob("default.*"):
        if file.is_file():
            file.unlink()
    run_ok("restore", "--yes")

    assert (run_ok("export"), store.files.kind(graph_file)) == (later, kind)


def a_hole(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:4096] + bytes(store.files.PAGE_SIZE * 3) + content[4 * store.files.PAGE_SIZE :])


DAMAGE = {
    "junk": lambda file: file.write_bytes(b"junk" * 5000),
    "cut": lambda file: os.truncate(file, 10_000),
    "two pages": lambda file: os.truncate(file, 8192),
    "a hole": a_hole,
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_graph_is_mended_and_what_was_left_of_it_is_kept(later, graph_file, damage):
    DAMAGE[damage](graph_file)
    kept = Path(json.loads(run_ok("--json", "restore", "--yes", backups.list_all(graph_file)[0].file.name))["kept"])

    assert run_ok("export") == later
    assert kept.name.endswith("-damaged.db")


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("damage", ["junk", "cut", "a hole", "zeros"])
def test_a_damaged_graph_is_kept_byte_for_byte(later, graph_file, damage):
    DAMAGE[damage](graph_file)
    found = graph_file.read_bytes()
    kept = Path(json.loads(run_ok("--json", "restore", "--yes", backups.list_all(graph_file)[0].file.name))["kept"])

    assert kept.read_bytes() == found


def test_a_damaged_graph_is_kept_with_its_log(logged, graph_file):
    a_hole(graph_file)
    found = graph_file.read_bytes(), store.wal.file(graph_file).read_bytes()
    kept = Path(json.loads(run_ok("--json", "restore", "--yes", backups.list_all(graph_file)[0].file.name))["kept"])

    assert (kept.read_bytes(), store.wal.file(kept).read_bytes()) == found


def test_a_graph_with_a_damaged_log_is_kept_with_it(logged, graph_file):
    flip(store.wal.file(graph_file), 200)
    log = store.wal.file(graph_file).read_bytes()
    found = graph_file.read_bytes()
    kept = Path(json.loads(run_ok("--json", "restore", "--yes", backups.list_all(graph_file)[0].file.name))["kept"])

    assert (kept.read_bytes(), store.wal.file(kept).read_bytes()) == (found, log)
    assert run_ok("export") == logged


def test_graphs_of_one_folder_have_backups_of_their_own(home):
    for name in ("notes.db", "notes.sqlite"):
        run_ok("--db", str(home / name), "record", f"person:{name}", "tagged", "=x")
    before = run_ok("--db", str(home / "notes.sqlite"), "export")
    run_ok("--db", str(home / "notes.db"), "backup")
    run("--db", str(home / "notes.sqlite"), "restore", "--yes")

    assert run_ok("--db", str(home / "notes.sqlite"), "export") == before


def test_there_is_nothing_to_bring_back_where_there_is_no_backup(filled):
    assert error_code(run("restore", "--yes")) == "BACKUP_NOT_FOUND"
    assert error_code(run("restore", "--yes", "20200101T000000Z-daily.db")) == "BACKUP_NOT_FOUND"


# What is refused


def a_database_of_others(file: Path) -> None:
    with sqlite3.connect(file) as conn:
        conn.execute("CREATE TABLE mine (x)")
    conn.close()


def a_part_of_one(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2 // store.files.PAGE_SIZE * store.files.PAGE_SIZE])


def a_changed_page(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:8192] + bytes(store.files.PAGE_SIZE) + content[8192 + store.files.PAGE_SIZE :])


BAD = {
    "junk": lambda file: file.write_bytes(b"junk" * 5000),
    "random": lambda file: file.write_bytes(os.urandom(20 * store.files.PAGE_SIZE)),
    "empty": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_text("Dear diary"),
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "foreign": lambda file: (file.unlink(), a_database_of_others(file)),
    "half": a_part_of_one,
    "page": a_changed_page,
    "cut": lambda file: os.truncate(file, 10_000),
    "header": lambda file: os.truncate(file, 100),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("bad", list(BAD))
def test_what_is_not_a_sound_backup_is_refused_and_nothing_changes(later, graph_file, bad):
    backup = backups.list_all(graph_file)[0].file
    BAD[bad](backup)
    there = table_digests(graph_file, key_of(graph_file))
    refused = run("restore", "--yes", backup.name)

    assert (refused.exit_code, error_code(refused) in ("BACKUP_FAILED", "KEY_WRONG")) == (1, True), refused.output
    assert table_digests(graph_file, key_of(graph_file)) == there
    assert kinds(graph_file) == ["by-hand"]


def test_a_backup_of_a_newer_version_is_refused(plain, graph_file):
    run_ok("backup")
    backup = backups.list_all(graph_file)[0].file
    with sqlite3.connect(backup) as conn:
        conn.execute("INSERT INTO migration SELECT max(number) + 1, 'later', sha256, applied_at FROM migration")
        conn.execute(f"PRAGMA user_version = {len(RELEASED) + 1}")
    conn.close()
    refused = run("restore", "--yes")

    assert error_code(refused) == "GRAPH_TOO_NEW"
    assert run_ok("export") == plain


def test_a_backup_of_other_and_more_migrations_is_refused_as_one_of_another_version(plain, graph_file):
    run_ok("backup")
    backup = backups.list_all(graph_file)[0].file
    with sqlite3.connect(backup) as conn:
        conn.execute("UPDATE migration SET name = '0001_core', sha256 = ?", ("0" * 64,))
        conn.execute("INSERT INTO migration SELECT 2, '0002_search', sha256, applied_at FROM migration")
        conn.execute("PRAGMA user_version = 2")
    conn.close()
    refused = run("restore", "--yes")

    assert error_code(refused) == "MIGRATION_EDITED"
    assert run_ok("export") == plain


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("bad", ["junk", "half", "zeros", "page"])
def test_the_newest_sound_one_is_brought_back_if_none_is_named(plain, graph_file, timed, bad):
    timed("by-hand")
    expected = run_ok("export")
    with keepgraph.open(graph_file) as graph:
        Caller(graph).record(person("Second"), "tagged", literal("x"))
    timed("by-hand")
    BAD[bad](backups.list_all(graph_file)[0].file)
    run_ok("restore", "--yes")

    assert run_ok("export") == expected


def test_a_restore_is_refused_while_the_graph_is_open_elsewhere(later, graph_file, folder):
    before, there = run_ok("export"), names(folder)
    with open_elsewhere(graph_file):
        refused = run("restore", "--yes")

    assert error_code(refused) == "GRAPH_BUSY"
    assert (run_ok("export"), [name for name in names(folder) if not name.endswith(("-wal", "-shm"))]) == (
        before,
        there,
    )


def test_a_restore_without_a_terminal_needs_a_yes(later):
    before = run_ok("export")

    assert error_code(run("restore")) == "NOT_CONFIRMED"
    assert run_ok("export") == before


def test_a_restore_that_has_no_room_to_keep_what_is_there_is_refused(later, monkeypatch):
    before = run_ok("export")
    original = store.copies.copy

    def full(conn: Any, target: Path, **options: Any) -> store.copies.TableDigests:
        if "before-restore" in target.name:
            raise errors.BackupFailed("the disk is full")
        return original(conn, target, **options)

    def none_left(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(store.copies, "copy", full)
        patch.setattr(shutil, "copyfile", none_left)
        refused = run("restore", "--yes")

    assert error_code(refused) == "BACKUP_FAILED"
    assert run_ok("export") == before


def test_a_backup_that_this_version_would_not_open_is_not_put_in_place(plain, tmp_path):
    before = run_ok("export")
    run_ok("backup", str(tmp_path / "other.db"))
    with sqlite3.connect(tmp_path / "other.db") as conn:
        conn.execute("UPDATE migration SET sha256 = replace(sha256, substr(sha256, 1, 1), 'f')")
    conn.close()
    refused = run("restore", str(tmp_path / "other.db"), "--yes")

    assert error_code(refused) == "MIGRATION_EDITED"
    assert run_ok("export") == before


def test_where_the_graph_cannot_be_replaced_the_copy_of_it_is_named(later, folder, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = run_ok("export")
    with monkeypatch.context() as patch:
        patch.setattr(store.copies, "replace_file", refuse)
        refused = run("restore", "--yes")
    kept = [file for file in folder.iterdir() if "before-restore" in file.name]

    assert error_code(refused) == "BACKUP_FAILED"
    assert [str(file) in refused.stderr for file in kept] == [True]
    assert run_ok("export") == before


class FullDisk:
    """A connection whose copy finds no room; as the driver does, it gives no code."""

    def backup(self, copied: Any) -> None:
        raise sqlcipher.OperationalError("no room")


def test_a_copy_that_finds_no_room_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=4_000))
    (tmp_path / "copy.db").touch()
    with pytest.raises(OSError, match="No space") as caught:
        store.copies._copy_pages(FullDisk(), tmp_path / "copy.db", None)

    assert store.sqlite_errors.reason(caught.value) == "the disk is full"


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """A disk on which no file can grow, until it is called: SQLite needs a file beside the graph even to read it."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def make_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, limits[1]))
    yield make_room
    make_room()


def test_on_a_full_disk_a_graph_is_read_and_a_write_says_why_it_fails(plain, full_disk):
    refused, shown, lines = run("record", "person:Zoe", "knows", "person:Yan"), run("status"), run("export")
    full_disk()

    assert (refused.exit_code, shown.exit_code, lines.output) == (1, 0, plain)
    assert "the disk is full" in refused.stderr
    assert run("recall", "Zoe").exit_code == 3


def test_what_is_written_when_there_is_room_again_is_read(plain, full_disk, graph_file):
    with keepgraph.open(graph_file) as graph:
        before = graph.call("get_status")["facts"]
        full_disk()
        assert run("record", "person:Zoe", "knows", "person:Yan").exit_code == 0

        assert graph.call("get_status")["facts"] == before + 1


def test_compaction_on_a_full_disk_says_so(plain, monkeypatch):
    def write_more(conn: Any) -> None:
        conn.execute("PRAGMA max_page_count = 1")
        conn.execute("CREATE TABLE more AS SELECT zeroblob(10000000)")

    monkeypatch.setattr(store.copies, "compact", write_more)
    refused = run("compact")

    assert error_code(refused) == "GRAPH_WRITE_FAILED"
    assert "the disk is full" in refused.stderr


# Keys


def test_an_encrypted_backup_in_a_plain_profile_becomes_plain(encrypted, graph_file):
    run_ok("backup")
    run_ok("decrypt", "--yes")
    run_ok("restore", "--yes")

    assert (run_ok("export"), store.files.kind(graph_file)) == (encrypted, store.files.Kind.PLAIN)


def test_a_plain_backup_in_an_encrypted_profile_becomes_encrypted(plain, graph_file, home):
    run_ok("backup", str(home / "plain.db"))
    run_ok("encrypt")
    run_ok("restore", "--yes", str(home / "plain.db"))

    assert (run_ok("export"), store.files.kind(graph_file)) == (plain, store.files.Kind.ENCRYPTED)
    assert files_with(graph_file.parent, MARKER) == []


@pytest.fixture
def older(encrypted: str, home: Path) -> str:
    """A backup elsewhere under a key that the graph has no more; what was in it."""
    run_ok("backup", str(home / "old.db"))
    run_ok("key", "export", str(home / "old.key"))
    run_ok("rekey")
    run_ok("record", "person:Late", "tagged", "=x")
    return encrypted


def test_a_backup_under_a_key_that_is_not_there_is_refused_by_it(older, home):
    before = run_ok("export")
    refused = run("restore", "--yes", str(home / "old.db"))

    assert error_code(refused) == "KEY_WRONG"
    assert "KG_KEY_FILE" in refused.stderr
    assert run_ok("export") == before


@pytest.mark.parametrize("given", ["KG_KEY", "KG_KEY_FILE"])
def test_a_backup_under_an_older_key_gets_the_key_of_the_graph(older, home, monkeypatch, given):
    with monkeypatch.context() as patch:
        patch.setenv(given, str(home / "old.key") if given == "KG_KEY_FILE" else keys.read(home / "old.key")[0].digits)
        kept = Path(json.loads(run_ok("--json", "restore", "--yes", str(home / "old.db")))["kept"])

    assert kept.name.endswith("before-restore.db")
    assert run_ok("export") == older


def test_a_backup_is_restored_under_a_key_in_the_environment(monkeypatch, graph_file):
    monkeypatch.setenv("KG_KEY", DIGITS)
    run_ok("record", f"person:{MARKER}", "tagged", "=x")
    before = run_ok("export")
    run_ok("backup")
    run_ok("record", "person:Late", "tagged", "=x")
    run_ok("restore", "--yes")

    assert (run_ok("export"), store.files.kind(graph_file)) == (before, store.files.Kind.ENCRYPTED)


def test_without_its_key_nothing_is_restored(encrypted, graph_file):
    run_ok("backup")
    file = keys.default_file(graph_file)
    file.unlink()
    refused = run("restore", "--yes")

    assert error_code(refused) == "KEY_MISSING"
    assert str(file) in refused.stderr


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize("source", ["plain", "file", "keyring", "passphrase"])
def test_a_profile_that_was_deleted_is_brought_back_from_its_backups(typed, source):
    before = deleted(source)
    run_ok("--profile", "work", "restore", "--yes")

    assert run_ok("--profile", "work", "export") == before


@pytest.mark.parametrize("source", ["file", "keyring", "passphrase"])
def test_a_new_profile_of_an_old_name_leaves_the_key_of_the_old_one(typed, graph_file, home, source):
    """
    The backups were moved away first, as the hint says.
    """
    deleted(source)
    work = graph_file.with_name("work.db")
    moved = work.with_suffix(".backups").rename(home / "old")
    backup = next(moved.iterdir())
    key = next(key for key in known(work) if store.copies.opens_with(backup, key))
    run_ok("profile", "create", "work", "--key", source)

    assert key.digits in [each.digits for each in known(work)]


def known(graph: Path) -> list[Key]:
    """All keys that are kept anywhere for a profile of this name."""
    found = [key for file in keys.default_file(graph).parent.glob("work*.key") for key in keys.read(file)]
    if (ring := keyring.get_password("keepgraph", "work")) is not None:
        found += keys.parse(ring.encode(), "the keyring")
    for file in graph.parent.glob("*.wrapped-key"):
        found += keys.unwrap(file, lambda _: PHRASE)
    return found


def deleted(source: str) -> str:
    """A profile with a backup was deleted; what was in it."""
    run_ok("profile", "create", "work", *(["--key", source] if source != "plain" else []))
    run_ok("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x")
    before = run_ok("--profile", "work", "export")
    run_ok("--profile", "work", "backup")
    run_ok("profile", "delete", "work", "--yes")
    return before


@pytest.fixture
def typed(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody types the passphrase whenever it is asked for; and there is a keyring."""
    monkeypatch.setattr(graph_options, "passphrase_prompt", lambda ctx: lambda words: PHRASE)
    monkeypatch.setattr(encryption, "ask_new_passphrase", lambda ctx: PHRASE)
