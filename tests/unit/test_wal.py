"""A write-ahead log as bytes: what a sudden end leaves in it, and what is damage."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import keepgraph
from homes import DIGITS, leave_a_log, scratch
from keepgraph import errors, store
from laws import examples

FRAME = 24 + store.files.PAGE_SIZE


@pytest.fixture(scope="module", params=["", DIGITS], ids=["plain", "encrypted"])
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that a sudden end has left with six transactions in its log."""
    path = tmp_path_factory.mktemp("left") / "graph.db"
    leave_a_log(path, key=request.param)
    return path


def commits(log: bytes) -> list[int]:
    """The ends of the transactions in a log, in bytes."""
    ends = [at + FRAME for at in range(32, len(log) - FRAME + 1, FRAME) if log[at + 4 : at + 8] != bytes(4)]
    assert len(ends) == 6
    return ends


def lost(log: bytes) -> int:
    with scratch() as folder:
        store.wal.file(folder / "graph.db").write_bytes(log)
        return store.wal.count_lost_transactions(folder / "graph.db")


def test_a_log_that_a_sudden_end_has_left_is_whole(left):
    assert lost(store.wal.file(left).read_bytes()) == 0


@given(part=st.floats(0, 1))
@examples(20, sweep=300)
@example(part=0.0)
@example(part=1.0)
def test_a_log_that_was_cut_anywhere_has_lost_nothing_that_was_there_before(left, part):
    log = store.wal.file(left).read_bytes()

    assert lost(log[: int(part * len(log))]) == 0


@given(part=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@examples(20, sweep=300)
def test_a_flipped_bit_before_two_whole_transactions_is_damage(left, part, bit):
    log = bytearray(store.wal.file(left).read_bytes())
    torn = 32 + int(part * (commits(log)[-3] - 32))
    log[torn] ^= 1 << bit

    assert lost(bytes(log)) > 0


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("at", range(32))
def test_a_flipped_bit_in_the_header_of_a_log_is_damage(left, at):
    log = store.wal.file(left).read_bytes()

    assert lost(log[:at] + bytes([log[at] ^ 0x10]) + log[at + 1 :]) > 0


@given(part=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@examples(15, sweep=200)
def test_a_torn_last_transaction_is_a_sudden_end(left, part, bit):
    log = bytearray(store.wal.file(left).read_bytes())
    ends = commits(log)
    log[ends[-2] + int(part * (ends[-1] - ends[-2]))] ^= 1 << bit

    assert lost(bytes(log)) == 0


def test_the_rest_of_an_earlier_log_is_no_damage(left, tmp_path):
    """
    When a log is begun anew, it is written over from the start, and the frames behind are those of the one before.
    """
    path = tmp_path / "graph.db"
    key = "" if store.files.kind(left) is store.files.Kind.PLAIN else DIGITS
    for ending in ("", "-wal"):
        shutil.copy(f"{left}{ending}", f"{path}{ending}")
    leave_a_log(path, ["later"], key=key, checkpoint="RESTART")
    log = store.wal.file(path).read_bytes()

    assert log[16:24] != log[-FRAME + 8 : -FRAME + 16]
    assert store.wal.count_lost_transactions(path) == 0


@given(st.binary(max_size=200))
@examples(30, sweep=500)
def test_no_log_is_too_odd_to_be_looked_at(content):
    assert lost(content) == 0


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_damaged_log_is_refused_with_what_would_be_lost_and_left_as_it_is(left, tmp_path, at):
    path = tmp_path / "graph.db"
    key = None if store.files.kind(left) is store.files.Kind.PLAIN else DIGITS
    log = bytearray(store.wal.file(left).read_bytes())
    log[[32, *commits(log)][at] + 100] ^= 1
    shutil.copy(left, path)
    store.wal.file(path).write_bytes(log)
    before = path.read_bytes()
    with pytest.raises(errors.GraphDamaged, match=f"{5 - at} changes"):
        keepgraph.open(path, key=key)

    assert (path.read_bytes(), store.wal.file(path).read_bytes()) == (before, log)
