"""What somebody found who was asked to break it: each is refused, kept or told now."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

import keepgraph
from fork_server import python
from homes import error_code, run, run_ok
from keepgraph import errors, store
from keepgraph.engine.maintenance import backups
from keepgraph.profiles import keys, settings_file
from words import Caller, literal, person

RECORD = ("record", "person:Ada", "tagged", "=here")


# The log


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A graph whose twelve facts are in its log alone."""
    path = tmp_path / "left" / "graph.db"
    writing = f"""
import os, keepgraph
graph = keepgraph.open({str(path)!r})
for n in range(12):
    graph.call("record_fact", subject={{"type": "person", "name": f"A{{n}}"}}, predicate="tagged",
               object={{"literal": "x"}})
os.kill(os.getpid(), 9)
"""
    subprocess.run([*python(), "-c", writing], check=False)
    return path


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("at", "size"),
    [(0, 32), (0, 4096), (32, 24), (8192, 4096), (32 + 4120 * 9, 24), (32 + 4120 * 3 + 4000, 120), (10, 2)],
)
def test_a_log_that_lost_a_block_is_refused_and_not_cut(left, at, size):
    log = bytearray(store.wal.file(left).read_bytes())
    log[at : at + size] = bytes(size)
    store.wal.file(left).write_bytes(log)
    before = left.read_bytes(), bytes(log)

    with pytest.raises(errors.GraphDamaged):
        keepgraph.open(left)
    assert (left.read_bytes(), store.wal.file(left).read_bytes()) == before


def test_a_page_size_that_is_none_in_a_log_gets_an_answer(left):
    log = bytearray(store.wal.file(left).read_bytes())
    log[11] ^= 1
    store.wal.file(left).write_bytes(log)

    with pytest.raises(errors.GraphDamaged):
        keepgraph.open(left)


# Another file in the place of the graph


def test_what_was_encrypted_is_never_written_to_a_plain_file_that_took_its_place(path, tmp_path):
    key = keys.new()
    keepgraph.open(tmp_path / "plain.db").close()
    with keepgraph.open(path, key=key.digits) as graph:
        call = Caller(graph)
        call.record(person("Ada"), "tagged", literal("x"))
        graph.database.checkpoint()
        store.wal.file(path).unlink()
        os.replace(tmp_path / "plain.db", path)
        answers = [call("record_fact", subject=person("Grace"), predicate="tagged", object=literal("unheard-of"))
                   for _ in range(3)]  # fmt: skip

    assert [answer["error"] for answer in answers] == ["GRAPH_NOT_ENCRYPTED"] * 3
    assert b"unheard-of" not in path.read_bytes()


def test_a_graph_that_is_cut_while_it_is_open_takes_no_more(path):
    with keepgraph.open(path) as graph:
        call = Caller(graph)
        call.record(person("Ada"), "tagged", literal("x"))
        graph.database.checkpoint()
        call("get_status")
        os.truncate(path, 8192)

        assert call("record_fact", subject=person("Grace"), predicate="tagged", object=literal("x"))["error"] == (
            "GRAPH_DAMAGED"
        )


# Backups


def test_backups_from_the_future_push_out_no_new_one(path):
    with keepgraph.open(path) as graph:
        Caller(graph).record(person("Ada"), "tagged", literal("x"))
        made = backups.make(graph.database, "before-clear")
        for day in range(10, 20):
            shutil.copy(made.file, made.file.with_name(f"203101{day}T000000Z-before-clear.db"))
        again = backups.make(graph.database, "before-clear")

    assert again.file.exists()
    assert backups.list_all(path, now=datetime.now(UTC))[0].file == again.file


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("odd", ["link", "folder", "pipe"])
def test_what_is_no_file_among_the_backups_hides_none(home, graph_file, key_file_of, odd):
    run_ok(*RECORD)
    run_ok("backup")
    strange = backups.folder(graph_file) / "20300101T000000Z-daily.db"
    {"link": lambda: strange.symlink_to("/nonexistent"), "folder": strange.mkdir, "pipe": lambda: os.mkfifo(strange)}[
        odd
    ]()
    run_ok("encrypt")
    run_ok("rekey")
    key = keys.read(key_file_of)[0]

    assert [store.copies.opens_with(each.file, key) for each in backups.list_all(graph_file)] == [True]


@pytest.fixture
def key_file_of(home: object, graph_file: Path) -> Path:
    return keys.default_file(graph_file)


def test_a_key_that_is_put_back_leaves_those_of_older_backups(home, graph_file, key_file_of, tmp_path):
    run_ok(*RECORD)
    run_ok("backup")
    run_ok("encrypt")
    (backup,) = backups.list_all(graph_file)
    sound = backup.file.read_bytes()
    backup.file.write_bytes(sound[:4096] + bytes(4096) + sound[8192:])
    run("rekey")
    run_ok("key", "export", str(tmp_path / "stick.key"))
    key_file_of.unlink()
    run_ok("key", "import", str(tmp_path / "stick.key"))
    backup.file.write_bytes(sound)

    assert run_ok("restore", "--yes", backup.file.name)


# What is there already


@pytest.mark.parametrize("what", ["key", "settings", "backup"])
def test_an_export_overwrites_nothing_but_an_export(home, graph_file, key_file_of, what):
    run_ok(*RECORD)
    run_ok("backup")
    run_ok("encrypt")
    target = {
        "key": key_file_of,
        "settings": settings_file.path(graph_file),
        "backup": backups.list_all(graph_file)[0].file,
    }[what]
    before = target.read_bytes()

    assert error_code(run("export", str(target))) == "INVALID_ARGUMENTS"
    assert target.read_bytes() == before


def test_an_export_may_be_written_again(home, tmp_path):
    run_ok(*RECORD)
    run_ok("export", str(tmp_path / "graph.jsonl"))
    run_ok(*RECORD)

    assert run("export", str(tmp_path / "graph.jsonl")).exit_code == 0


# What never ends


def test_a_device_is_not_imported(home):
    assert error_code(run("import", "/dev/zero")) == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("command", [["recall", "Ada"], ["status"], ["encrypt"], list(RECORD)])
def test_a_pipe_is_no_graph(home, tmp_path, command):
    os.mkfifo(tmp_path / "pipe.db")

    assert error_code(run("--db", str(tmp_path / "pipe.db"), *command)) in ("GRAPH_UNAVAILABLE", "GRAPH_NOT_FOUND")


def test_a_name_that_grows_when_it_is_written_out_is_refused(path):
    with keepgraph.open(path) as graph:
        answer = Caller(graph)("record_fact", subject=person("\ufdfa" * 200), predicate="tagged", object=literal("x"))

    assert answer["error"] == "SUBJECT_REQUIRED"


# What is told


def test_a_hint_names_the_graph_that_is_meant(home, monkeypatch):
    run_ok("profile", "create", "work", "--encrypted")
    monkeypatch.setenv("KG_KEY_FILE", str(home / "other.key"))
    keys.write(home / "other.key", [keys.new()], about="Another key.")

    assert "`kg --profile work key import FILE`" in run("--profile", "work", "recall", "Ada").stderr
