"""Lexicons: word lists and word relations in the text files of this folder, read on first use.

A line that begins with `#` is a comment: the first lines of a file say what it is, and its licence. Empty lines do not
count. Words are in small letters without accents.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


@cache
def words(name: str) -> frozenset[str]:
    """All words of the file `name`.txt."""
    return frozenset(word for line in lines(name) for word in line.split())


def pairs(name: str, separator: str) -> list[tuple[str, str]]:
    """Both sides of each line of the file `name`.txt, in the order of the file. Not cached: callers build an index."""
    sides = (line.partition(separator) for line in lines(name))
    return [(left.strip(), right.strip()) for left, _, right in sides]


def lines(name: str) -> list[str]:
    """The lines of the file `name`.txt without comments."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
