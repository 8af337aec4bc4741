"""What was acknowledged is on disk, whoever else writes, whatever ends the process, and however little room is left."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import keepgraph
from fork_server import await_killed, python
from keepgraph import errors
from words import Caller, concept, fact, literal, person, rows

pytestmark = pytest.mark.usefixtures("graphs_are_made_in_module")

# Records facts until it is told to stop or is ended, and says of each when it is acknowledged.
WRITER = """
import sys, keepgraph
path, who, many = sys.argv[1], sys.argv[2], int(sys.argv[3])
with keepgraph.open(path) as graph:
    for n in range(many):
        try:
            graph.call("record_fact", subject={"type": "person", "name": who}, predicate="depends_on",
                       object={"type": "concept", "name": f"{who} {n}"}, source=f"source {n}")
        except keepgraph.KeepgraphError as error:
            print("refused", error.code, flush=True)
            sys.exit(3)
        print(n, flush=True)
"""


def writer(path: Path, who: str, many: int, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*python(), "-c", WRITER, str(path), who, str(many)], stdout=subprocess.PIPE, text=True, **options
    )


def kept(path: Path, who: str) -> list[int]:
    found = rows(path, "SELECT name FROM entity WHERE name LIKE ? || ' %'", who)
    return sorted(int(name.split()[1]) for (name,) in found)


def is_whole(path: Path) -> None:
    """Every fact has its provenance, its text and its place in the journal; the file is in order."""
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []
    assert rows(path, "SELECT count(*) FROM fact WHERE id NOT IN (SELECT fact FROM provenance)") == [(0,)]
    counted = "SELECT (SELECT count(*) FROM fact) - (SELECT count(*) FROM journal WHERE tbl = 'fact' AND op = 'insert')"
    assert rows(path, counted) == [(0,)]
    assert rows(path, "SELECT count(*) FROM entity WHERE id NOT IN (SELECT subject FROM fact) "
                "AND id NOT IN (SELECT object FROM fact WHERE object IS NOT NULL)") == [(0,)]  # fmt: skip


# Several at once


def test_two_processes_write_at_once_and_nothing_is_lost(path):
    with writer(path, "One", 30) as one, writer(path, "Two", 30) as two:
        said = [list(map(int, each.stdout.read().split())) for each in (one, two)]

    assert said == [list(range(30))] * 2
    assert [kept(path, who) for who in ("One", "Two")] == said
    is_whole(path)


def test_threads_write_and_read_at_once(graph, path):
    call, faults = Caller(graph), []

    def work(who: str) -> None:
        for n in range(20):
            answers = call("record_fact", **fact(person(who), "depends_on", concept(f"{who} {n}"))), call("get_status")
            faults.extend(answer for answer in answers if "error" in answer)

    threads = [threading.Thread(target=work, args=(f"T{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    assert [kept(path, f"T{n}") for n in range(4)] == [list(range(20))] * 4


def test_two_who_record_the_same_fact_record_one(path):
    with writer(path, "Same", 30) as one, writer(path, "Same", 30) as two:
        for each in (one, two):
            each.stdout.read()

    assert rows(path, "SELECT count(*) FROM fact") == [(30,)]
    assert rows(path, "SELECT count(*) FROM provenance") == [(60,)]
    is_whole(path)


def test_a_writer_waits_for_another(open_graph, path):
    one, two = Caller(open_graph()), Caller(open_graph())
    with one.graph.database.write("slow"):
        waiting = threading.Thread(target=two.record, args=(person("Ada"), "tagged", literal("x")))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
    waiting.join()

    assert one.recalled("Ada") == "Ada"


def test_a_writer_that_waits_too_long_says_so(open_graph, monkeypatch):
    from keepgraph import store

    one, two = Caller(open_graph()), Caller(open_graph())
    two.recalled("x")
    monkeypatch.setattr(store.connections, "LOCK_TIMEOUT_SECONDS", 0.1)
    with one.graph.database.write("slow"):
        answer = two("record_fact", **fact(person("Ada"), "tagged", literal("x")))

    assert answer["error"] == "GRAPH_BUSY"
    assert two.recalled("Ada") is None


def test_a_reader_sees_one_moment(graph):
    call = Caller(graph)
    call.record(person("Ada"), "tagged", literal("x"))
    with graph.database.read("look") as tx:
        first = tx.conn.execute("SELECT count(*) FROM fact").fetchone()
        call.record(person("Grace"), "tagged", literal("x"))

        assert tx.conn.execute("SELECT count(*) FROM fact").fetchone() == first
    assert call("get_status")["facts"] == 2


def test_what_one_process_wrote_another_sees(graph, path):
    with writer(path, "Other", 3) as other:
        other.stdout.read()

    assert Caller(graph).recalled("Other 2") == "Other 2"


def test_a_reader_cannot_write(graph):
    from sqlcipher3 import dbapi2 as sqlite

    with graph.database.read("look") as tx, pytest.raises(sqlite.OperationalError, match="readonly"):
        tx.conn.execute("DELETE FROM entity_type")


# A sudden end


def end_suddenly(path: Path, times: int) -> None:
    chance, acknowledged = random.Random(5), []
    for n in range(times):
        with writer(path, f"Run{n}", 100_000) as child:
            said = [int(child.stdout.readline()) for _ in range(chance.randint(1, 25))]
            time.sleep(chance.random() / 100)
            child.kill()
            child.wait()
            await_killed()  # before its output is closed, which would end it in order
            said += map(int, child.stdout.read().split("\n")[:-1])
        acknowledged.append(said)

        lost = set(said) - set(kept(path, f"Run{n}"))
        assert lost == set()
    for n, said in enumerate(acknowledged):
        assert set(said) <= set(kept(path, f"Run{n}"))
        # At most the one that was being written when the end came.
        assert len(kept(path, f"Run{n}")) <= len(said) + 1
    is_whole(path)


def test_whatever_was_acknowledged_survives_a_sudden_end(path):
    end_suddenly(path, 6)


@pytest.mark.slow
def test_whatever_was_acknowledged_survives_many_sudden_ends(path):
    end_suddenly(path, 60)


def test_a_process_that_ends_in_the_middle_of_a_call_leaves_nothing_of_it(path):
    dying = """
import os, sys, keepgraph
from keepgraph.store import provenance
graph = keepgraph.open(sys.argv[1])
graph.call("record_fact", subject={"type": "person", "name": "Ada"}, predicate="tagged", object={"literal": "x"})
provenance.insert = lambda *_, **__: os._exit(9)
graph.call("record_fact", subject={"type": "person", "name": "Grace"}, predicate="tagged", object={"literal": "x"})
"""
    done = subprocess.run([*python(), "-c", dying, str(path)], check=False)

    assert done.returncode == 9
    with keepgraph.open(path) as graph:
        assert Caller(graph)("get_status")["entities"]["person"] == 1
    is_whole(path)


def test_a_call_that_fails_half_way_leaves_nothing_behind(call, path, monkeypatch):
    from keepgraph import store
    from words import dump

    call.record(person("Ada"), "tagged", literal("x"))
    before = dump(path)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("as if there were a fault in our code")

    monkeypatch.setattr(store.provenance, "insert", fail)
    with pytest.raises(RuntimeError):
        call.graph.call("record_fact", **fact(person("Grace"), "tagged", literal("x"), aliases=["G"]))

    assert dump(path) == before
    monkeypatch.undo()
    call.record(person("Grace"), "tagged", literal("x"))


def test_an_answer_that_breaks_its_contract_is_not_kept(call, path, monkeypatch):
    from keepgraph.tools import memory
    from keepgraph.tools.contract import answer_shapes
    from words import dump

    before = dump(path)
    monkeypatch.setattr(memory.answer_shapes, "validity", lambda *_: {"valid_from": 5, "valid_to": None})
    answer = call("record_fact", **fact(person("Grace"), "tagged", literal("x")))

    assert answer_shapes.validity(None, None) == {"valid_from": 5, "valid_to": None}
    assert answer["error"] == "INTERNAL_ERROR"
    assert dump(path) == before


@pytest.mark.parametrize("tool", ["record_fact", "recall_entity"])
def test_a_call_that_is_told_to_stop_leaves_nothing_behind(call, path, tool):
    from keepgraph.tools.contract import dispatch
    from words import dump

    given = {"recall_entity": {"name_or_alias": "Ada"}, "record_fact": fact(person("Ada"), "tagged", literal("x"))}
    before = dump(path)
    with pytest.raises(errors.Cancelled):
        dispatch.call(call.graph.database, tool, given[tool], cancellation=lambda: errors.Cancelled("enough"))

    assert dump(path) == before
    assert "error" not in call(tool, **given[tool])


# Odd surroundings


def test_a_clock_that_goes_backwards_loses_nothing_and_mixes_nothing_up(open_graph, clock, path):
    call = Caller(open_graph())
    for n in range(6):
        call.record(person("Ada"), "depends_on", concept(f"Part {n}"))
        clock.pass_by(days=-2 if n % 2 else 1)
    ids = [row[0] for row in rows(path, "SELECT public_id FROM fact")]

    assert len(set(ids)) == 6
    assert {fact["object"]["name"] for fact in call("recall_entity", name_or_alias="Ada")["facts"]} == {
        f"Part {n}" for n in range(6)
    }
    is_whole(path)


def test_a_lock_file_that_was_left_behind_keeps_nobody_out(path):
    with writer(path, "Ada", 100_000) as child:
        child.stdout.readline()
        child.kill()
        child.wait()
        await_killed()  # before its output is closed, which would end it in order
    lock = Path(f"{path}-lock")

    assert lock.exists()
    with keepgraph.open(path) as graph:
        assert Caller(graph).recalled("Ada 0") == "Ada 0"
    assert not lock.exists()


# No room, no permission


def owner_only(path: Path) -> list[int]:
    return [stat.S_IMODE(file.stat().st_mode) for file in sorted(path.parent.glob(f"{path.name}*"))]


def test_files_are_for_their_owner_alone(path):
    before = os.umask(0)
    try:
        with keepgraph.open(path) as graph:
            Caller(graph).record(person("Ada"), "tagged", literal("x"))

            assert owner_only(path) == [0o600] * 4
    finally:
        os.umask(before)
    assert owner_only(path) == [0o600]


@pytest.fixture
def others_folder() -> Iterator[Path]:
    """A folder outside the one of pytest, which nobody else may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


# Another user may not be able to read our code: all of it is loaded before we become that user.
TRY = """
import json, os, sys, tempfile, keepgraph
path, tool, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
with tempfile.TemporaryDirectory() as folder, keepgraph.open(os.path.join(folder, "graph.db")) as graph:
    for warm, words in (("record_fact", {"subject": {"type": "person", "name": "Warm"}, "predicate": "tagged",
                                         "object": {"literal": "x"}}), ("recall_entity", {"name_or_alias": "Wram"})):
        graph.call(warm, **words)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with keepgraph.open(path) as graph:
        answer = graph.call(tool, **given)
except keepgraph.KeepgraphError as error:
    answer = error.answer()
print(json.dumps(answer))
"""


def as_somebody(path: Path, tool: str, given: dict[str, object]) -> dict[str, object]:
    """Call a tool in a process that file modes apply to, even where the tests run as root."""
    command = [*python(), "-c", TRY, str(path), tool, json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


ASK = ("recall_entity", {"name_or_alias": "Ada"})
TELL = ("record_fact", fact(person("Grace"), "tagged", literal("x")))


def give_away(folder: Path, *, folder_mode: int, file_mode: int) -> None:
    for file in folder.iterdir():
        file.chmod(file_mode)
        if os.geteuid() == 0:
            os.chown(file, 65534, 65534)
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    folder.chmod(folder_mode)


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o600), (0o555, 0o400), (0o755, 0o400)])
def test_a_graph_that_cannot_be_written_can_be_read(others_folder, folder_mode, file_mode):
    path = others_folder / "graph.db"
    with keepgraph.open(path) as graph:
        Caller(graph).record(person("Ada"), "tagged", literal("x"))
    before = path.read_bytes()
    give_away(others_folder, folder_mode=folder_mode, file_mode=file_mode)

    assert as_somebody(path, *ASK)["entity"]["name"] == "Ada"
    assert as_somebody(path, *TELL)["error"] in ("GRAPH_READ_ONLY", "GRAPH_WRITE_FAILED")
    assert as_somebody(path, *ASK)["entity"]["name"] == "Ada"
    assert path.read_bytes() == before


def test_a_read_only_folder_with_a_log_left_in_it_gets_an_answer(others_folder):
    path = others_folder / "graph.db"
    with writer(path, "Ada", 100_000) as child:
        child.stdout.readline()
        child.kill()
        child.wait()
        await_killed()
    give_away(others_folder, folder_mode=0o555, file_mode=0o600)
    answer = as_somebody(path, *ASK)

    assert answer.get("error", "GRAPH_UNAVAILABLE") == "GRAPH_UNAVAILABLE"
    assert "error" in answer or answer["entity"]["name"] == "Ada"


def test_a_new_graph_in_a_read_only_folder_is_refused(others_folder):
    give_away(others_folder, folder_mode=0o555, file_mode=0o600)

    assert as_somebody(others_folder / "graph.db", *TELL)["error"] in ("GRAPH_UNAVAILABLE", "GRAPH_WRITE_FAILED")
    assert list(others_folder.iterdir()) == []


def test_a_graph_that_may_not_be_read_is_refused(others_folder):
    path = others_folder / "graph.db"
    keepgraph.open(path).close()
    give_away(others_folder, folder_mode=0o755, file_mode=0o000)

    assert as_somebody(path, *ASK)["error"] == "GRAPH_UNAVAILABLE"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_refuses_and_keeps_what_was_acknowledged(small_disk):
    path, acknowledged = small_disk / "graph.db", 0
    with keepgraph.open(path) as graph:
        call = Caller(graph)
        while acknowledged < 20_000:
            answer = call(
                "record_fact", **fact(person("Full"), "depends_on", concept(f"Full {acknowledged}"), source="x" * 2000)
            )
            if "error" in answer:
                break
            acknowledged += 1

        assert answer["error"] == "GRAPH_WRITE_FAILED"
        assert answer["hint"]
        assert call.recalled("Full 0") == "Full 0"
        assert call("get_status")["facts"] == acknowledged

        subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
        call.record(person("Full"), "depends_on", concept(f"Full {acknowledged}"))
    assert kept(path, "Full") == list(range(acknowledged + 1))
    is_whole(path)


def test_many_facts_that_do_not_fit_leave_nothing_behind(small_disk):
    path = small_disk / "graph.db"
    facts = [fact(person("Full"), "depends_on", concept(f"Full {n}"), source="x" * 2000) for n in range(1000)]
    with keepgraph.open(path) as graph:
        answer = Caller(graph)("record_facts", facts=facts, idempotency_key="k")

        assert answer["error"] == "GRAPH_WRITE_FAILED"
        assert Caller(graph)("get_status")["facts"] == 0
    is_whole(path)


def test_no_graph_is_made_where_there_is_no_room(small_disk):
    (small_disk / "filler").write_bytes(b"x" * (2 * 1024 * 1024 - 8192))

    with pytest.raises(keepgraph.KeepgraphError) as caught:
        keepgraph.open(small_disk / "graph.db").close()
    assert caught.value.answer()["error"] in ("GRAPH_WRITE_FAILED", "GRAPH_UNAVAILABLE")
    (small_disk / "filler").unlink()
    with keepgraph.open(small_disk / "graph.db") as graph:
        Caller(graph).record(person("Ada"), "tagged", literal("x"))


# Closing


def test_closing_twice_is_fine(open_graph):
    graph = open_graph()
    graph.close()
    graph.close()


def test_a_closed_graph_is_one_file(open_graph, path):
    graph = open_graph()
    Caller(graph).record(person("Ada"), "tagged", literal("x"))
    graph.close()

    assert [file.name for file in path.parent.iterdir()] == [path.name]


# The file itself


def test_a_write_goes_to_the_file_that_is_there_now(path, tmp_path):
    """
    Somebody restores another file under the name of a graph that is being served.
    """
    other = tmp_path / "other.db"
    with keepgraph.open(other) as graph:
        Caller(graph).record(person("Grace"), "tagged", literal("x"))
    with keepgraph.open(path) as graph:
        call = Caller(graph)
        call.record(person("Ada"), "tagged", literal("x"))
        other.replace(path)
        call.record(person("Edith"), "tagged", literal("x"))
        found = {name: call.recalled(name) for name in ("Ada", "Grace", "Edith")}

    assert found == {"Ada": None, "Grace": "Grace", "Edith": "Edith"}


def test_a_graph_that_was_deleted_while_open_is_not_written_to(path):
    with keepgraph.open(path) as graph:
        call = Caller(graph)
        call.record(person("Ada"), "tagged", literal("x"))
        path.unlink()

        assert call("record_fact", **fact(person("Edith"), "tagged", literal("x")))["error"] == "GRAPH_NOT_FOUND"
        assert call("recall_entity", name_or_alias="Ada")["error"] == "GRAPH_NOT_FOUND"
    assert not path.exists()


def test_opening_for_reading_makes_and_changes_nothing(path):
    with pytest.raises(keepgraph.KeepgraphError) as missing:
        keepgraph.open(path, read_only=True)
    path.touch()
    with pytest.raises(keepgraph.KeepgraphError) as empty:
        keepgraph.open(path, read_only=True)

    assert (missing.value.code, empty.value.code) == ("GRAPH_NOT_FOUND", "GRAPH_READ_ONLY")
    assert path.stat().st_size == 0


def test_a_log_that_belongs_to_another_file_is_never_read_with_it(path, tmp_path):
    """
    A reader cannot write the log of the old file away; until somebody has moved it, every call is refused.
    """
    other = tmp_path / "other.db"
    with keepgraph.open(other) as graph:
        Caller(graph).record(person("Grace"), "tagged", literal("x"))
    with keepgraph.open(path) as writer:
        Caller(writer).record(person("Ada"), "tagged", literal("x"))
        with keepgraph.open(path) as reader:
            call = Caller(reader)
            call.recalled("Ada")
            other.replace(path)

            assert [call("recall_entity", name_or_alias="Ada")["error"] for _ in range(2)] == ["GRAPH_UNAVAILABLE"] * 2


def _read_and_close(conn):
    with closing(conn):
        conn.execute("SELECT count(*) FROM entity").fetchone()


LOOKS = {
    "copies all files": lambda path, to: [shutil.copy(file, to) for file in path.parent.glob("graph.db*")],
    "opens it with another SQLite": lambda path, to: _read_and_close(sqlite3.connect(path)),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_what_another_process_records_is_not_lost_when_this_one_has_lost_its_locks(path, tmp_path, look):
    """Whoever closes a file of the graph gives up all locks of its process on it, those of SQLite too."""
    ours, theirs = ["Own 0"], []
    (tmp_path / "copies").mkdir()
    with keepgraph.open(path) as graph:
        graph.call("add_entity", entity=person("Own 0"))
        look(path, tmp_path / "copies")
        for number in range(1, 4):
            writer(path, f"Other {number}", 1).communicate()
            theirs.append(f"Other {number} 0")
            with suppress(errors.GraphUnavailable):
                graph.call("add_entity", entity=person(f"Own {number}"))
                ours.append(f"Own {number}")
        with pytest.raises(errors.GraphUnavailable, match="removed the log"):
            graph.call("get_status")
        with pytest.raises(errors.GraphUnavailable, match="removed the log"):
            keepgraph.open(path)

    assert {*ours, *theirs} <= {name for (name,) in rows(path, "SELECT name FROM entity")}
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("beside_old_log", [True, False], ids=["beside the old log", "without it"])
def test_a_file_that_takes_the_place_of_the_graph_is_opened_with_a_log_of_its_own(path, tmp_path, beside_old_log):
    with keepgraph.open(path) as graph:
        graph.call("add_entity", entity=person("Before"))
        graph.database.checkpoint()
        shutil.copy(path, tmp_path / "other.db")
        os.replace(tmp_path / "other.db", path)
        if not beside_old_log:
            for name in ("graph.db-wal", "graph.db-shm"):
                path.with_name(name).unlink()
            path.with_name("in the place of the log").touch()
        for number in range(2):
            graph.call("add_entity", entity=person(f"After {number}"))

    assert rows(path, "SELECT name FROM entity ORDER BY id") == [("Before",), ("After 0",), ("After 1",)]


def test_a_log_that_is_removed_during_a_write_makes_no_acknowledged_write(path):
    def write(graph):
        with graph.database.write("test") as tx:
            tx.conn.execute("UPDATE entity SET summary = 'new'")
            path.with_name("graph.db-wal").unlink()
            path.with_name("graph.db-wal").touch()

    with keepgraph.open(path) as graph:
        graph.call("add_entity", entity=person("Before"))
        with pytest.raises(errors.GraphUnavailable, match="removed the log"):
            write(graph)
