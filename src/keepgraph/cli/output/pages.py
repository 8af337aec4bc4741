"""Pages of sections with rows of two columns, fitted to the terminal; long texts are wrapped.

All texts must be printable: see `terminal.printable`.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import field

import click

from keepgraph.cli.output import tables
from keepgraph.lazy import dataclass

_INDENT = "  "
_GAP = 2
_MAX_LEFT_WIDTH = 36
_MIN_COLUMN_WIDTH = 12
_MAX_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Section:
    """A title, rows of two columns, and a line about omitted rows.

    Attributes:
        dims_left: whether the left column (of dates) is dimmed instead of the right one.
    """

    title: str
    rows: Sequence[tuple[str, str]] = field(default_factory=list)
    more: str = ""
    dims_left: bool = False


def show_page(title: str, kind: str, intro: Sequence[str], sections: Sequence[Section]) -> None:
    """Print a page: its title and kind, introductory lines, and sections."""
    click.secho(title, bold=True, nl=False)
    click.echo(f"  {kind}")
    for text in intro:
        for line in _wrap(text, _page_width() - len(_INDENT)):
            click.echo(_INDENT + line)
    if sections:
        click.echo()
        show_sections(sections)


def show_sections(sections: Sequence[Section]) -> None:
    """Print sections, separated by empty lines."""
    for number, section in enumerate(sections):
        if number:
            click.echo()
        if section.title:
            click.secho(section.title, bold=True)
        for row in _section_lines(section):
            click.echo(row)
        if section.more:
            click.secho(_INDENT + section.more, dim=True)


def _section_lines(section: Section) -> Iterator[str]:
    max_left = max(min(_MAX_LEFT_WIDTH, _page_width() // 2), _MIN_COLUMN_WIDTH)
    left_width = max((min(len(tables.padding(label)), max_left) for label, _ in section.rows), default=0)
    right_width = max(_page_width() - len(_INDENT) - left_width - _GAP, _MIN_COLUMN_WIDTH)
    for label, text in section.rows:
        if not text:
            yield from (_INDENT + line for line in _wrap(label, _page_width() - len(_INDENT)))
            continue
        name = tables.truncate(label, left_width) if sys.stdout.isatty() else label
        blanks = " " * (max(left_width - len(tables.padding(name)), 0) + _GAP)
        first, *more = _wrap(text, right_width)
        dim_left, dim_right = section.dims_left, not section.dims_left
        yield f"{_INDENT}{click.style(name, dim=dim_left)}{blanks}{click.style(first, dim=dim_right)}"
        for line in more:
            yield f"{_INDENT}{' ' * (left_width + _GAP)}{click.style(line, dim=dim_right)}"


def _wrap(text: str, width: int) -> list[str]:
    if not sys.stdout.isatty():
        return [text]  # in a file or a pipe a row is a line
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _page_width() -> int:
    return min(shutil.get_terminal_size().columns, _MAX_WIDTH)
