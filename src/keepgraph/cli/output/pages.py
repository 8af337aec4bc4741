"""Pages of titled lists as text: columns that fit the terminal, long texts wrapped. Knows no graph.

What it is given must be printable (see cli/show.py).
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import click

from keepgraph.cli.output import tables

_INDENT = "  "
_GAP = 2
_WIDEST_LEFT = 36
_NARROWEST = 12
_WIDEST = 110


@dataclass(frozen=True, slots=True)
class Section:
    """A title, rows of two columns, and a line that says what is left out.

    Attributes:
        tells_right: whether the right column says what matters, and the left one only when.
    """

    title: str
    rows: Sequence[tuple[str, str]] = field(default_factory=list)
    more: str = ""
    tells_right: bool = False


def page(title: str, kind: str, intro: Sequence[str], sections: Sequence[Section]) -> None:
    """Print a page: its title and what kind of thing it is, some lines about it, and sections."""
    click.secho(title, bold=True, nl=False)
    click.echo(f"  {kind}")
    for text in intro:
        for line in _wrapped(text, _width() - len(_INDENT)):
            click.echo(_INDENT + line)
    if sections:
        click.echo()
        lines(sections)


def lines(sections: Sequence[Section]) -> None:
    """Print sections, with an empty line between them."""
    for number, section in enumerate(sections):
        if number:
            click.echo()
        if section.title:
            click.secho(section.title, bold=True)
        for row in _rows(section):
            click.echo(row)
        if section.more:
            click.secho(_INDENT + section.more, dim=True)


def _rows(section: Section) -> Iterator[str]:
    most = max(min(_WIDEST_LEFT, _width() // 2), _NARROWEST)
    left = max((min(len(tables.padding(one)), most) for one, _ in section.rows), default=0)
    room = max(_width() - len(_INDENT) - left - _GAP, _NARROWEST)
    for one, other in section.rows:
        if not other:
            yield from (_INDENT + line for line in _wrapped(one, _width() - len(_INDENT)))
            continue
        name = tables.cut(one, left) if sys.stdout.isatty() else one
        blanks = " " * (max(left - len(tables.padding(name)), 0) + _GAP)
        first, *more = _wrapped(other, room)
        dim_left, dim_right = section.tells_right, not section.tells_right
        yield f"{_INDENT}{click.style(name, dim=dim_left)}{blanks}{click.style(first, dim=dim_right)}"
        for line in more:
            yield f"{_INDENT}{' ' * (left + _GAP)}{click.style(line, dim=dim_right)}"


def _wrapped(text: str, width: int) -> list[str]:
    if not sys.stdout.isatty():
        return [text]  # whoever reads a file or a pipe wants a row on a line
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _width() -> int:
    return min(shutil.get_terminal_size().columns, _WIDEST)
