"""Rows and columns as text: aligned for a person, as CSV for a program. Knows values as JSON has them, and no graph."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from keepgraph.cli.output import render

_GAP = 2
_LEAST = 4
"""No column is cut to less; where even that does not fit, each row is a block of lines."""

_NARROW = re.compile(r"[\x20-\x7e]*")
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')

_NODE = {"id", "labels", "properties"}
_EDGE = {"id", "type", "src", "dest", "properties"}


def lines(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, width: int | None) -> Iterator[str]:
    """A table: its header, a rule, and a line for each row.

    Args:
        width: that of the terminal; what is too long is cut to fit. None cuts nothing.
    """
    titles = [render.printable(column) for column in columns]
    cells = [[cell(value) for value in row] for row in rows]
    widths = [max(map(_width, of_column)) for of_column in zip(titles, *cells, strict=True)]
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        if _LEAST * len(widths) + _GAP * (len(widths) - 1) > width:
            yield from _blocks(titles, cells, width)
            return
        widths = _fitted(widths, width - _GAP * (len(widths) - 1))
    right = [
        all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in of_column)
        for of_column in zip(*rows, strict=True)
    ] or [False] * len(titles)
    yield _line(titles, widths, right)
    yield (" " * _GAP).join("-" * each for each in widths)
    for row in cells:
        yield _line(row, widths, right)


def csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """The lines of a CSV file by RFC 4180, the header first. Null is nothing, an empty text is quotes.

    A text is written as it is, even one that a spreadsheet would take for a formula.
    """
    for row in (columns, *rows):
        line = ",".join(map(_field, row))
        # Of one column, an empty line would be skipped by many who read it.
        yield (line or '""') + "\r\n"


def cell(value: Any) -> str:
    """A value in a table: nothing for null, quotes for an empty text; nothing in it steers a terminal."""
    if value is None:
        return ""
    if isinstance(value, str):
        return render.printable(value) or '""'
    return render.printable(_shown(value))


def cut(text: str, width: int) -> str:
    """As much of a text as fits, with an ellipsis where something is missing."""
    if _width(text) <= width:
        return text
    taken = 0
    for place, letter in enumerate(text):
        taken += _width(letter)
        if taken > width - 1:
            return text[:place] + "…"
    return text


def padding(text: str) -> str:
    """Blanks as wide as a text."""
    return " " * _width(text)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        if value.keys() == _NODE:
            return _node(value)
        if value.keys() == _EDGE:
            return f"[:{value['type']}]"
        return "{" + ", ".join(f"{key}: {_shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return _path(value) if _is_path(value) else "[" + ", ".join(map(_shown, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _node(node: dict[str, Any]) -> str:
    labels = "".join(f":{label}" for label in node["labels"])
    word = "name" if "value" not in node["properties"] else "value"
    named = node["properties"].get(word)
    return f"({labels})" if named is None else f"({labels} {{{word}: {_shown(named)}}})"


def _is_path(value: list[Any]) -> bool:
    """Whether it is nodes and relationships by turns, each leading from one neighbour to the other."""
    if len(value) < 3 or len(value) % 2 == 0 or not all(isinstance(each, dict) for each in value):
        return False
    turns = all(each.keys() == (_EDGE if place % 2 else _NODE) for place, each in enumerate(value))
    return turns and all(
        {edge["src"], edge["dest"]} == {start["id"], end["id"]}
        for start, edge, end in zip(value[::2], value[1::2], value[2::2], strict=False)
    )


def _path(steps: list[dict[str, Any]]) -> str:
    said = [_end(steps[0])]
    for (start, end), edge in zip(pairwise(steps[::2]), steps[1::2], strict=True):
        onward = edge["src"] == start["id"]
        said.append(f"-[:{edge['type']}]->" if onward else f"<-[:{edge['type']}]-")
        said.append(_end(end))
    return "".join(said)


def _end(node: dict[str, Any]) -> str:
    """A node in a path: its name, which is enough between arrows."""
    if "value" in node["properties"]:
        return f"({_shown(node['properties']['value'])})"
    named = node["properties"].get("name")
    return f"({named})" if isinstance(named, str) else _node(node)


def _field(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return '"' + text.replace('"', '""') + '"' if not text or _NEEDS_QUOTES.search(text) else text


def _blocks(titles: list[str], cells: list[list[str]], width: int) -> Iterator[str]:
    """Each row as a block of lines, a column a line."""
    longest = min(max(map(_width, titles)), max(width // 3, 1))
    for number, row in enumerate(cells):
        if number:
            yield ""
        for title, text in zip(titles, row, strict=True):
            named = cut(title, longest)
            yield cut(f"{named}{' ' * (longest - _width(named) + _GAP)}{text}".rstrip(), width)


def _fitted(widths: list[int], room: int) -> list[int]:
    """Widths that fit: the widest columns give way first."""
    fitted, left = dict.fromkeys(range(len(widths)), 0), room
    by_width = sorted(fitted, key=lambda each: widths[each])
    for done, each in enumerate(by_width):
        fitted[each] = min(widths[each], left // (len(widths) - done))
        left -= fitted[each]
    return list(fitted.values())


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    shown = []
    for text, width, to_the_right in zip(cells, widths, right, strict=True):
        text = cut(text, width)
        blanks = " " * (width - _width(text))
        shown.append(blanks + text if to_the_right else text + blanks)
    return (" " * _GAP).join(shown).rstrip()


def _width(text: str) -> int:
    """How many places of a terminal a text takes: two for a wide letter, none for what joins another."""
    if _NARROW.fullmatch(text):
        return len(text)
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )
