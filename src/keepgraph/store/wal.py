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
_HIT_WITH_HEADER = 3  # frames at the start that a block of the disk may have taken with it

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

    A log that ends in the middle of a transaction is what a sudden end leaves, and no damage: 0. Damage is a place that
    does not add up, and after it the ends of later transactions to which the checksums lead on without a break: they
    were written after the damaged one had been on disk.

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
    if magic & ~1 == _LOG_MAGIC and computed == tuple(sums):
        return _Frames(content, page=page, big=big).lost(computed, salts=content[16:24])
    # The header was on disk before the first frame was written, so frames that add up tell of damage to it.
    sizes = {size for size in (page, PAGE_SIZE) if 512 <= size <= 65536 and size & (size - 1) == 0}
    return max(
        _Frames(content, page=size, big=order).ends_from(number)
        for size in sizes
        for order in (True, False)
        for number in range(_HIT_WITH_HEADER)
    )


class _Frames:
    """The frames of a log, by their number."""

    def __init__(self, content: bytes, *, page: int, big: bool) -> None:
        self._content = content
        self._length = _FRAME_HEADER + page
        self._big = big
        self._count = (len(content) - _LOG_HEADER) // self._length

    def lost(self, start: Sums, *, salts: bytes) -> int:
        """How many transactions are behind the first frame that does not follow from those before it."""
        number, before = 0, start
        while number < self._count and self._salts(number) == salts and self._follows(number, before):
            before, number = self._stored(number), number + 1
        ends = 0
        while number < self._count:
            if self._salts(number) == salts or self._follows(number, before):
                # Either the checksum was hit, or the salts, or what they are of.
                starts = {self._stored(number), self._sums(number, before)}
                reached = max(self._ends(number + 1, each, salts) for each in starts)
                ends += self._is_end(number) + reached
                number += 1
                if reached or (number < self._count and self._salts(number) == salts):
                    # What follows without being led to is of a call that was refused.
                    return max(ends - 1, 0) if reached else 0
            else:
                # Written over; or the rest of an earlier log, behind which nothing is of this one.
                while number < self._count and self._salts(number) != salts:
                    number += 1
            before = self._stored(number - 1)
        return 0

    def ends_from(self, number: int) -> int:
        """How many transactions can be followed from a frame, whatever was before it."""
        if number >= self._count:
            return 0
        return self._is_end(number) + self._ends(number + 1, self._stored(number), self._salts(number))

    def _ends(self, number: int, before: Sums, salts: bytes) -> int:
        """How many ends of transactions the checksums lead to without a break."""
        ends = 0
        while number < self._count and self._salts(number) == salts and self._follows(number, before):
            ends += self._is_end(number)
            before, number = self._stored(number), number + 1
        return ends

    def _follows(self, number: int, before: Sums) -> bool:
        return self._sums(number, before) == self._stored(number)

    def _frame(self, number: int) -> bytes:
        at = _LOG_HEADER + number * self._length
        return self._content[at : at + self._length]

    def _salts(self, number: int) -> bytes:
        return self._frame(number)[8:16]

    def _stored(self, number: int) -> Sums:
        return struct.unpack(">2I", self._frame(number)[16:24])

    def _sums(self, number: int, before: Sums) -> Sums:
        frame = self._frame(number)
        return _checksum(frame[:8] + frame[_FRAME_HEADER:], before, big=self._big)

    def _is_end(self, number: int) -> int:
        """1 for the last frame of a transaction, which says how long the file is after it."""
        return int(self._frame(number)[4:8] != bytes(4))


def _checksum(data: bytes, sums: Sums, *, big: bool) -> Sums:
    words = array("I", data)
    if big != (sys.byteorder == "big"):
        words.byteswap()
    one, two = sums
    for at in range(0, len(words), 2):
        one = (one + words[at] + two) & 0xFFFFFFFF
        two = (two + words[at + 1] + one) & 0xFFFFFFFF
    return one, two
