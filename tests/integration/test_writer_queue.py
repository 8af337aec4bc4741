"""The queue of writers: they write in the order in which they came, and nobody waits for the dead."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

import keepgraph
from keepgraph import errors, store
from keepgraph.store import database, file_locks, writer_queue

ADA = {"type": "person", "name": "Ada"}

pytestmark = pytest.mark.skipif(not writer_queue._HAS_LOCKS, reason="writers queue on Linux alone")


@pytest.fixture
def lock_file(tmp_path):
    file = tmp_path / "graph.db-lock"
    file.touch()
    return file


@pytest.fixture
def descriptors(lock_file):
    """Opens the lock file, as often as it is called."""
    opened = []

    def open_again():
        opened.append(os.open(lock_file, os.O_RDWR))
        return opened[-1]

    yield open_again
    for descriptor in opened:
        os.close(descriptor)


def concept(name):
    return {"type": "concept", "name": name}


def wait(place, seconds=20.0):
    place.wait(until=time.monotonic() + seconds, cancellation=None)


def test_writers_write_in_the_order_in_which_they_came(descriptors):
    order, threads = [], []
    with writer_queue.WriterQueue().place(descriptors()) as first:
        wait(first)
        for number in range(6):
            taken, descriptor = threading.Event(), descriptors()

            def write(number=number, taken=taken, descriptor=descriptor):
                with writer_queue.WriterQueue().place(descriptor) as place:
                    taken.set()
                    wait(place)
                    order.append(number)

            threads.append(threading.Thread(target=write))
            threads[-1].start()
            taken.wait()
        order.append("first")
    for thread in threads:
        thread.join()

    assert ["first", *range(6)] == order


DYING = """
import os, sys, time
from keepgraph.store import writer_queue
descriptor = os.open(sys.argv[1], os.O_RDWR)
with writer_queue.WriterQueue().place(descriptor) as place:
    if sys.argv[2] == "writes":
        place.wait(until=time.monotonic() + 20, cancellation=None)
    print(place.number, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("state", ["writes", "waits"])
def test_nobody_waits_for_a_writer_that_was_killed(lock_file, descriptors, state):
    def start(state):
        command = [sys.executable, "-c", DYING, str(lock_file), state]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        return child

    children = [start("writes"), start("waits")] if state == "waits" else [start("writes")]
    with writer_queue.WriterQueue().place(descriptors()) as place:
        waiting = threading.Thread(target=wait, args=(place,))
        waiting.start()
        for child in reversed(children):
            assert waiting.is_alive()
            child.kill()
            child.communicate()
        waiting.join()

        assert place.turn_began


def test_a_writer_that_is_suspended_is_passed_once_and_for_all(descriptors, monkeypatch):
    monkeypatch.setattr(writer_queue, "PATIENCE_SECONDS", 0.05)
    suspended, later = writer_queue.WriterQueue(), writer_queue.WriterQueue()
    with suspended.place(descriptors()), later.place(descriptors()) as place:
        wait(place)
        monkeypatch.setattr(writer_queue, "PATIENCE_SECONDS", 60)
        with writer_queue.WriterQueue().place(descriptors()) as third:
            later._place.leave()
            wait(third, seconds=50)

            assert third.turn_began


def test_a_writer_that_goes_on_keeps_its_place_for_some_writes(descriptors, monkeypatch):
    monkeypatch.setattr(writer_queue, "GRACE_SECONDS", 30)
    monkeypatch.setattr(writer_queue, "TURN_SECONDS", 30)
    queue, descriptor, numbers = writer_queue.WriterQueue(), descriptors(), []
    queue._last_end = time.monotonic()
    for _ in range(2 * writer_queue.WRITES_OF_A_TURN):
        with queue.place(descriptor) as place:
            wait(place)
            numbers.append(place.number)

    assert numbers == [0] * writer_queue.WRITES_OF_A_TURN + [1] * writer_queue.WRITES_OF_A_TURN


def test_a_place_that_is_kept_and_not_used_holds_up_nobody(graph):
    with keepgraph.open(graph.path) as other:
        for number in range(4):
            graph.call("record_fact", subject=ADA, predicate="depends_on", object=concept(f"Engine {number}"))
        answer = other.call("record_fact", subject=ADA, predicate="depends_on", object=concept("Notes"))

    assert answer["call"]


def test_who_waits_can_be_cancelled(graph):
    arguments = {"subject": ADA, "predicate": "depends_on", "object": concept("Notes")}
    with keepgraph.open(graph.path) as other, graph.database.write("test"), pytest.raises(errors.Cancelled):
        other.call_until(lambda: errors.Cancelled("enough"), "record_fact", arguments)


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 24, b"\x7f" * 24, bytes(24)])
def test_whatever_the_lock_file_contains_writers_write(graph, content):
    file_locks.lock_file(graph.path).write_bytes(content)
    graph.call("record_fact", subject=ADA, predicate="depends_on", object=concept("Notes"))
    with keepgraph.open(graph.path) as other:
        answer = other.call("record_fact", subject=ADA, predicate="depends_on", object=concept("Engine"))

    assert answer["call"]


def test_without_locks_of_open_files_there_is_no_queue(graph, monkeypatch):
    monkeypatch.setattr(writer_queue, "_HAS_LOCKS", False)
    answer = graph.call("record_fact", subject=ADA, predicate="depends_on", object=concept("Notes"))

    assert answer["call"]


def test_an_exclusive_lock_and_the_queue_wait_for_each_other_in_one_order(graph, monkeypatch):
    """Who replaces the file waits for those who have it open, never for the queue; who queues has it open."""
    monkeypatch.setattr(store.copies, "LOCK_TIMEOUT_SECONDS", 0.1)
    with (
        graph.database.write("test"),
        pytest.raises(errors.GraphBusy),
        file_locks.exclusive(graph.path, timeout=0.1),
    ):
        pytest.fail("the file is open")
    graph.close()
    with file_locks.exclusive(graph.path, timeout=0.1):
        opened = threading.Thread(target=lambda: keepgraph.open(graph.path).close())
        opened.start()
        opened.join(0.2)
        assert opened.is_alive()
    opened.join()

    with keepgraph.open(graph.path) as again:
        assert again.call("record_fact", subject=ADA, predicate="depends_on", object=concept("Notes"))["call"]


@pytest.fixture
def short_logs(monkeypatch):
    monkeypatch.setattr(database, "_MAX_LOG_BYTES", 100_000)
    monkeypatch.setattr(database, "_MAX_LOG_BYTES_OF_WRITERS", 200_000)
    monkeypatch.setattr(database, "_LOG_BYTES_BETWEEN_TRIES", 20_000)


def record_some(graph, numbers):
    """Record a fact for each number; how long the log was after each, in bytes."""
    lengths = []
    for number in numbers:
        graph.call("record_fact", subject=ADA, predicate="depends_on", object=concept(f"Engine {number}"))
        lengths.append(graph.database.log_size())
    return lengths


def test_a_long_log_is_emptied_by_who_wrote(path, short_logs):
    with keepgraph.open(path) as graph:
        lengths = record_some(graph, range(12))

    assert max(lengths) <= 100_000
    assert 0 in lengths


def test_a_log_that_somebody_reads_is_emptied_when_the_reading_has_ended(path, short_logs):
    with keepgraph.open(path) as graph, keepgraph.open(path) as other:
        with other.database.read("test") as tx:
            counted = tx.conn.execute("SELECT count(*) FROM fact").fetchone()
            lengths = record_some(graph, range(12))

            assert tx.conn.execute("SELECT count(*) FROM fact").fetchone() == counted
        afterwards = record_some(graph, range(12, 18))

    assert lengths[-1] > 200_000
    assert min(afterwards) == 0


def test_a_log_that_was_copied_while_others_wrote_is_emptied_by_the_next_one_in_its_turn(path, short_logs, monkeypatch):
    monkeypatch.setattr(database, "_MAX_LOG_BYTES_OF_WRITERS", 10_000_000)
    monkeypatch.setattr(database.Database, "_empty_log_beside_writers", lambda _: None)
    monkeypatch.setattr(database, "_FEW_FRAMES", -1)
    with keepgraph.open(path) as graph, keepgraph.open(path) as other:
        length = record_some(graph, range(5))[-1]
        other.database._open_writer().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        monkeypatch.setattr(database, "_FEW_FRAMES", 200)
        afterwards = record_some(graph, [5])[-1]

    assert (length > 100_000, afterwards) == (True, 0)


def test_sqlite_tells_how_much_of_the_log_is_to_be_copied(graph):
    record_some(graph, range(2))
    frames = graph.database.log_size() // (24 + store.files.PAGE_SIZE)
    before = graph.database._count_frames_to_copy()
    graph.database._open_writer().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    assert (before, graph.database._count_frames_to_copy()) == (frames, 0)
