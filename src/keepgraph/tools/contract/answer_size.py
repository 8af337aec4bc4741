"""Answers of limited size: as many entries of a list as there is room for, in characters of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

Entry = TypeVar("Entry")
Lists = dict[str, list[dict[str, Any]]]


def count_characters(value: object) -> int:
    """How long a value is in an answer."""
    return len(json.dumps(value, ensure_ascii=False))


def first(entries: Iterable[Entry], *, room: int) -> list[Entry]:
    """The first entries, as many as there is room for."""
    shown: list[Entry] = []
    for entry in entries:
        room -= count_characters(entry) + 2
        if room < 0:
            break
        shown.append(entry)
    return shown


def divide(lists: Mapping[str, Sequence[dict[str, Any]]], *, room: int) -> tuple[Lists, Lists]:
    """The entries of two lists that there is room for, and the others.

    Each list has half of the room, and what the other leaves of its half. An entry that is too long leaves its place to
    those after it.
    """
    sizes = {name: sum(count_characters(entry) + 2 for entry in entries) for name, entries in lists.items()}
    shown: Lists = {name: [] for name in lists}
    others: Lists = {name: [] for name in lists}
    for name, entries in lists.items():
        left = max(room // 2, room - (sum(sizes.values()) - sizes[name]))
        for entry in entries:
            size = count_characters(entry) + 2
            (shown if size <= left else others)[name].append(entry)
            left -= size if size <= left else 0
    return shown, others
