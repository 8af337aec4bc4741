"""The write-ahead log of a graph, read as a file: its length, and whether it is damaged. Runs no SQL.

The format is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header of 32 bytes, then frames
of 24 bytes and a page each. Every frame has the salts of the header and a checksum that goes on from the frame before.
The index of the log, the file `-shm`, is never read here: to close it would release the locks that SQLite holds on it.
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from pathlib import Path

from keepgraph import errors
from keepgraph.store.files import PAGE_SIZE

_HEADER_BYTES = 32
_MAGIC = 0x377F0682
_FRAME_HEADER_BYTES = 24
_MAX_FRAMES_DAMAGED_WITH_HEADER = 3
"""A damaged block of the disk may contain the header and this many frames after it."""

Checksum = tuple[int, ...]
"""The two sums, 32 bits each, that SQLite carries on from frame to frame."""


def file(graph: Path) -> Path:
    """The write-ahead log of a graph."""
    return Path(f"{graph}-wal")


def size(graph: Path) -> int:
    """The length of the log in bytes; 0 without a log."""
    try:
        return os.stat(f"{graph}-wal").st_size  # without a Path: every write asks
    except FileNotFoundError:
        return 0


def has_content(graph: Path) -> bool:
    """Whether changes may be in the log that are not in the file."""
    return size(graph) > 0


def has_hot_journal(graph: Path) -> bool:
    """Whether a rollback journal is left: a change of the journal mode was interrupted, and has to be rolled back."""
    journal = Path(f"{graph}-journal")
    return journal.exists() and journal.stat().st_size > 0


def refuse_damaged(graph: Path) -> None:
    """Check a log that was left by a sudden end, before SQLite silently drops what follows a damaged frame.

    Raises:
        errors.GraphDamaged: transactions follow a damaged frame.
    """
    if lost := count_lost_transactions(graph):
        raise errors.GraphDamaged(
            f"the log of {graph} is damaged: {lost} changes that were made cannot be read from it",
            hint="Restore a backup (`kg restore`), or go on without these changes: `kg doctor --fix` keeps the "
            "damaged files aside.",
        )


def count_lost_transactions(graph: Path) -> int:
    """How many transactions in the log SQLite would silently drop, because a frame before them is damaged.

    A log that ends in the middle of a transaction is what a sudden end leaves; that is not damage, and gives 0. Damage
    is a frame with a wrong checksum, followed by transactions to which the checksums lead without a break:
    those were written after the damaged frame had been on disk (ADR 0018).

    Only for a graph that nobody has open.
    """
    try:
        content = file(graph).read_bytes()
    except FileNotFoundError:
        return 0
    if len(content) < _HEADER_BYTES:
        return 0
    magic, _, page_size, _, _, _, *stored = struct.unpack(">8I", content[:_HEADER_BYTES])
    big_endian = bool(magic & 1)
    computed = _checksum(content[:24], (0, 0), big_endian=big_endian)
    if magic & ~1 == _MAGIC and computed == tuple(stored):
        frames = _Frames(content, page_size=page_size, big_endian=big_endian)
        return frames.count_lost_transactions(computed, salts=content[16:24])
    # The header is damaged. It was on disk before the first frame was written, so valid frames behind it are lost. Its
    # page size and byte order cannot be trusted: all that are possible are tried.
    page_sizes = {size for size in (page_size, PAGE_SIZE) if 512 <= size <= 65536 and size & (size - 1) == 0}
    return max(
        _Frames(content, page_size=size, big_endian=byte_order).count_transactions_from(number)
        for size in page_sizes
        for byte_order in (True, False)
        for number in range(_MAX_FRAMES_DAMAGED_WITH_HEADER)
    )


class _Frames:
    """The frames of a log, by their number from 0."""

    def __init__(self, content: bytes, *, page_size: int, big_endian: bool) -> None:
        self._content = content
        self._frame_bytes = _FRAME_HEADER_BYTES + page_size
        self._big_endian = big_endian
        self._count = (len(content) - _HEADER_BYTES) // self._frame_bytes

    def count_lost_transactions(self, checksum: Checksum, *, salts: bytes) -> int:
        """How many transactions end after the first frame that does not continue those before it.

        Args:
            checksum: that of the header, from which the first frame goes on.
            salts: those of the header; a frame with others is left from an earlier use of the log.
        """
        number = 0
        while number < self._count and self._salts(number) == salts and self._follows(number, checksum):
            checksum, number = self._stored_checksum(number), number + 1
        lost = 0
        while number < self._count:
            if self._salts(number) == salts or self._follows(number, checksum):
                # One thing in this frame is damaged: its checksum, its salts, or its content. What follows goes on from
                # the checksum that is stored in it, or from the one that is computed.
                starts = {self._stored_checksum(number), self._computed_checksum(number, checksum)}
                reached = max(self._count_transactions(number + 1, start, salts) for start in starts)
                lost += self._ends_transaction(number) + reached
                number += 1
                if reached or (number < self._count and self._salts(number) == salts):
                    # Frames to which no checksum leads are of a write that was rolled back.
                    return max(lost - 1, 0) if reached else 0
            else:
                # A frame that was overwritten, behind which frames of this log may follow; or the rest of an earlier
                # log, behind which none does.
                while number < self._count and self._salts(number) != salts:
                    number += 1
            checksum = self._stored_checksum(number - 1)
        return 0

    def count_transactions_from(self, number: int) -> int:
        """How many transactions end in a frame and in those that follow from it, whatever is before it."""
        if number >= self._count:
            return 0
        return self._ends_transaction(number) + self._count_transactions(
            number + 1, self._stored_checksum(number), self._salts(number)
        )

    def _count_transactions(self, number: int, checksum: Checksum, salts: bytes) -> int:
        """How many transactions end in the frames to which the checksums lead without a break."""
        count = 0
        while number < self._count and self._salts(number) == salts and self._follows(number, checksum):
            count += self._ends_transaction(number)
            checksum, number = self._stored_checksum(number), number + 1
        return count

    def _follows(self, number: int, checksum: Checksum) -> bool:
        return self._computed_checksum(number, checksum) == self._stored_checksum(number)

    def _frame(self, number: int) -> bytes:
        start = _HEADER_BYTES + number * self._frame_bytes
        return self._content[start : start + self._frame_bytes]

    def _salts(self, number: int) -> bytes:
        return self._frame(number)[8:16]

    def _stored_checksum(self, number: int) -> Checksum:
        return struct.unpack(">2I", self._frame(number)[16:24])

    def _computed_checksum(self, number: int, previous: Checksum) -> Checksum:
        frame = self._frame(number)
        return _checksum(frame[:8] + frame[_FRAME_HEADER_BYTES:], previous, big_endian=self._big_endian)

    def _ends_transaction(self, number: int) -> int:
        """1 for the last frame of a transaction, in which the length of the file after it is stored; else 0."""
        return int(self._frame(number)[4:8] != bytes(4))


def _checksum(content: bytes, previous: Checksum, *, big_endian: bool) -> Checksum:
    """The running checksum of SQLite's log, over words of 32 bits."""
    words = array("I", content)
    if big_endian != (sys.byteorder == "big"):
        words.byteswap()
    first, second = previous
    for position in range(0, len(words), 2):
        first = (first + words[position] + second) & 0xFFFFFFFF
        second = (second + words[position + 1] + first) & 0xFFFFFFFF
    return first, second
