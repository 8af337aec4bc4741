"""Tables of JSON values as text: aligned columns for a terminal, or CSV."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from keepgraph import lazy
from keepgraph.cli.output import terminal

_GAP = 2
_MIN_COLUMN_WIDTH = 4
"""The least width of a column; if even that does not fit, each row becomes a block of lines."""

_ASCII = lazy.compile(r"[\x20-\x7e]*")
_NEEDS_QUOTES = lazy.compile(r'[",\r\n]|^\s|\s$')

_NODE_KEYS = {"id", "labels", "properties"}
_RELATIONSHIP_KEYS = {"id", "type", "src", "dest", "properties"}


def format_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, width: int | None) -> Iterator[str]:
    """The lines of a table: header, rule, and rows.

    Args:
        width: of the terminal, in columns; long values are truncated to fit. None truncates nothing.
    """
    titles = [terminal.printable(column) for column in columns]
    cells = [[format_cell(value) for value in row] for row in rows]
    widths = [max(map(display_width, column_cells)) for column_cells in zip(titles, *cells, strict=True)]
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        if _MIN_COLUMN_WIDTH * len(widths) + _GAP * (len(widths) - 1) > width:
            yield from _format_blocks(titles, cells, width)
            return
        widths = _fit_widths(widths, width - _GAP * (len(widths) - 1))
    is_right_aligned = [
        all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in column_cells)
        for column_cells in zip(*rows, strict=True)
    ] or [False] * len(titles)
    yield _format_row(titles, widths, is_right_aligned)
    yield (" " * _GAP).join("-" * width_of_column for width_of_column in widths)
    for row in cells:
        yield _format_row(row, widths, is_right_aligned)


def format_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The lines of a CSV file (RFC 4180), header first. Null is an empty field, an empty text is `""`.

    Texts are unchanged, even if a spreadsheet would read one as a formula.
    """
    for row in chain([columns], rows):
        line = ",".join(map(_csv_field, row))
        # With one column, a null would give an empty line, which many readers skip.
        yield (line or '""') + "\r\n"


def format_cell(value: Any) -> str:
    """A value in a table, without control characters: null is empty, an empty text is `""`."""
    if value is None:
        return ""
    if isinstance(value, str):
        return terminal.printable(value) or '""'
    return terminal.printable(_format_value(value))


def truncate(text: str, width: int) -> str:
    """A text cut to a display width, with an ellipsis if shortened."""
    if display_width(text) <= width:
        return text
    used = 0
    for position, letter in enumerate(text):
        used += display_width(letter)
        if used > width - 1:
            return text[:position] + "…"
    return text


def padding(text: str) -> str:
    """Spaces with the display width of a text."""
    return " " * display_width(text)


def _format_value(value: Any) -> str:
    if isinstance(value, dict):
        if value.keys() == _NODE_KEYS:
            return _format_node(value)
        if value.keys() == _RELATIONSHIP_KEYS:
            return f"[:{value['type']}]"
        return "{" + ", ".join(f"{key}: {_format_value(element)}" for key, element in value.items()) + "}"
    if isinstance(value, list):
        return _format_path(value) if _is_path(value) else "[" + ", ".join(map(_format_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _format_node(node: dict[str, Any]) -> str:
    labels = "".join(f":{label}" for label in node["labels"])
    property = "name" if "value" not in node["properties"] else "value"
    value = node["properties"].get(property)
    return f"({labels})" if value is None else f"({labels} {{{property}: {_format_value(value)}}})"


def _is_path(value: list[Any]) -> bool:
    """Whether a list is a path: nodes and relationships in turn, each relationship between its neighbours."""
    if len(value) < 3 or len(value) % 2 == 0 or not all(isinstance(element, dict) for element in value):
        return False
    is_alternating = all(
        element.keys() == (_RELATIONSHIP_KEYS if position % 2 else _NODE_KEYS) for position, element in enumerate(value)
    )
    return is_alternating and all(
        {relationship["src"], relationship["dest"]} == {start["id"], end["id"]}
        for start, relationship, end in zip(value[::2], value[1::2], value[2::2], strict=False)
    )


def _format_path(steps: list[dict[str, Any]]) -> str:
    parts = [_format_path_end(steps[0])]
    for (start, end), relationship in zip(pairwise(steps[::2]), steps[1::2], strict=True):
        is_forward = relationship["src"] == start["id"]
        parts.append(f"-[:{relationship['type']}]->" if is_forward else f"<-[:{relationship['type']}]-")
        parts.append(_format_path_end(end))
    return "".join(parts)


def _format_path_end(node: dict[str, Any]) -> str:
    """A node in a path: only its name, or its value if it is a literal."""
    if "value" in node["properties"]:
        return f"({_format_value(node['properties']['value'])})"
    name = node["properties"].get("name")
    return f"({name})" if isinstance(name, str) else _format_node(node)


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return '"' + text.replace('"', '""') + '"' if not text or _NEEDS_QUOTES.search(text) else text


def _format_blocks(titles: list[str], cells: list[list[str]], width: int) -> Iterator[str]:
    """Each row as a block with a line for each column."""
    title_width = min(max(map(display_width, titles)), max(width // 3, 1))
    for number, row in enumerate(cells):
        if number:
            yield ""
        for title, text in zip(titles, row, strict=True):
            title_text = truncate(title, title_width)
            yield truncate(
                f"{title_text}{' ' * (title_width - display_width(title_text) + _GAP)}{text}".rstrip(), width
            )


def _fit_widths(widths: list[int], total: int) -> list[int]:
    """Column widths with the given total: the widest columns are cut first."""
    result, remaining = dict.fromkeys(range(len(widths)), 0), total
    by_width = sorted(result, key=lambda column: widths[column])
    for number, column in enumerate(by_width):
        result[column] = min(widths[column], remaining // (len(widths) - number))
        remaining -= result[column]
    return list(result.values())


def _format_row(cells: Sequence[str], widths: Sequence[int], is_right_aligned: Sequence[bool]) -> str:
    fields = []
    for text, width, align_right in zip(cells, widths, is_right_aligned, strict=True):
        text = truncate(text, width)
        padding_text = " " * (width - display_width(text))
        fields.append(padding_text + text if align_right else text + padding_text)
    return (" " * _GAP).join(fields).rstrip()


def display_width(text: str) -> int:
    """The terminal columns of a text: two for a wide character, none for a combining one."""
    if _ASCII.fullmatch(text):
        return len(text)
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(letter) in "WF"
        else 1
        for letter in text
    )
