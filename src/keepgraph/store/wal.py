"""The write-ahead log of a graph as a file: how long it is, and whether it is whole. Runs no SQL."""

from __future__ import annotations

import struct
import sys
from array import array
from pathlib import Path

from keepgraph import errors
from keepgraph.store.files import PAGE_SIZE

_LOG_HEADER = 32
_LOG_MAGIC = 0x377F0682
_FRAME_HEADER = 24

Sums = tuple[int, ...]
"""The two sums that SQLite carries on from frame to frame."""


def file(path: Path) -> Path:
    """The write-ahead log of a graph."""
    return Path(f"{path}-wal")


def size(path: Path) -> int:
    """The length of the log in bytes, 0 where there is none."""
    try:
        return file(path).stat().st_size
    except FileNotFoundError:
        return 0


def has_journal(path: Path) -> bool:
    """Whether a change that is not the log's was interrupted, and has to be taken back."""
    journal = Path(f"{path}-journal")
    return journal.exists() and journal.stat().st_size > 0


def has_any(path: Path) -> bool:
    """Whether changes may be in the log that are not in the file."""
    return size(path) > 0


def refuse_damaged(path: Path) -> None:
    """See that a log which was left by a sudden end is whole, before SQLite drops what it cannot follow.

    Raises:
        errors.GraphDamaged: there are changes in it after a place that is damaged.
    """
    if found := lost(path):
        raise errors.GraphDamaged(
            f"the log of {path} is damaged: {found} changes that were made cannot be read from it",
            hint="Restore a backup (`kg restore`), or go on without these changes: `kg doctor --fix` keeps the "
            "damaged files aside.",
        )


def lost(path: Path) -> int:
    """How many transactions in the log SQLite would drop without a word, because something before them is damaged.

    A log that ends in the middle of a transaction is what a sudden end leaves, and no damage: 0. Damage is a frame
    that does not add up, and after it the end of a later transaction to which the checksums lead on without a break:
    it was written after the damaged one had been on disk.

    The format is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header of 32 bytes, then
    frames of 24 bytes and a page; each checksum goes on from the one before it. Only for a graph that nobody has open.
    """
    try:
        content = file(path).read_bytes()
    except FileNotFoundError:
        return 0
    if len(content) < _LOG_HEADER:
        return 0
    magic, _, page, _, _, _, *sums = struct.unpack(">8I", content[:_LOG_HEADER])
    big = bool(magic & 1)
    computed = _checksum(content[:24], (0, 0), big=big)
    if magic & ~1 != _LOG_MAGIC or computed != tuple(sums):
        # The header was on disk before the first frame was written, so a frame that follows from it tells of damage.
        starts = [tuple(sums), computed]
        pages = [size for size in (page, PAGE_SIZE) if 512 <= size <= 65536]
        return max(
            _ends(content, _LOG_HEADER, start, page=size, big=b)
            for start in starts
            for size in pages
            for b in (big, not big)
        )
    before: Sums = computed
    salts = content[16:24]
    for at in range(_LOG_HEADER, len(content) - page - _FRAME_HEADER + 1, page + _FRAME_HEADER):
        frame = content[at : at + _FRAME_HEADER + page]
        stored, found = struct.unpack(">2I", frame[16:24]), _frame_sums(frame, before, big=big)
        if found == stored and frame[8:16] == salts:
            before = found
        elif found != stored and frame[8:16] != salts:
            return 0  # the rest is of an earlier log, which this one is written over
        else:
            own = int(frame[4:8] != bytes(4))
            after = at + _FRAME_HEADER + page
            # Either the checksum was hit or what it is of.
            reached = max(_ends(content, after, start, page=page, big=big) for start in (stored, found))
            return max(own + reached - 1, 0) if reached else 0
    return 0


def _ends(content: bytes, at: int, sums: Sums, *, page: int, big: bool) -> int:
    """How many ends of transactions the checksums lead to without a break, from the frame at a place."""
    ends, length = 0, _FRAME_HEADER + page
    salts = content[at + 8 : at + 16]
    while len(frame := content[at : at + length]) == length:
        sums = _frame_sums(frame, sums, big=big)
        if sums != struct.unpack(">2I", frame[16:24]) or frame[8:16] != salts:
            break
        ends += frame[4:8] != bytes(4)
        at += length
    return ends


def _frame_sums(frame: bytes, sums: Sums, *, big: bool) -> Sums:
    return _checksum(frame[:8] + frame[_FRAME_HEADER:], sums, big=big)


def _checksum(data: bytes, sums: Sums, *, big: bool) -> Sums:
    words = array("I", data)
    if big != (sys.byteorder == "big"):
        words.byteswap()
    one, two = sums
    for at in range(0, len(words), 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return one, two
