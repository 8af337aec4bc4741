"""Results of queries on the terminal: tables, CSV, plans, and the place of an error in a query."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import Any

import click

from keepgraph.cli.output import tables, terminal

_MORE_ROWS = "; there are more: add LIMIT, or --limit N"

_CONTEXT_CHARACTERS = 40
"""Characters of the query that are shown on either side of an error."""

_EXECUTORS = {
    "sql": "SQLite finds the rows, all of them.",
    "sql and python": "SQLite finds what these statements say; Python does the rest.",
    "python": "Python finds the rows: SQL cannot say this exactly.",
}


def show_table(answer: dict[str, Any]) -> None:
    rows = answer["rows"]
    click.echo("\n".join(tables.format_table(answer["columns"], rows, width=_terminal_width())))
    count = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    # In a file the time would only make two runs differ.
    suffix = f", {answer['execution_ms']:.1f} ms" if sys.stdout.isatty() else ""
    if answer["truncated"]:
        count = f"the first {count.removeprefix('1 ')}"
        suffix += _MORE_ROWS
    click.secho(f"({count}{suffix})", dim=True)


def show_csv(answer: dict[str, Any]) -> None:
    lines = tables.format_csv(answer["columns"], answer["rows"])
    if sys.stdout.isatty():
        for line in lines:
            click.echo(terminal.printable(line.removesuffix("\r\n")))
    else:
        click.echo("".join(lines).encode("utf-8", errors="replace"), nl=False)
    if answer["truncated"]:
        click.echo(f"note: these are the first {len(answer['rows']):,} rows{_MORE_ROWS}", err=True)


def show_plan(plan: dict[str, Any]) -> None:
    """Show each SQL statement with the plan of SQLite for it, and what finds the rows."""
    for statement in plan["statements"]:
        for line in statement["sql"].splitlines():
            click.echo(terminal.printable(line))
        for line in _plan_tree(statement["plan"]):
            click.secho(terminal.printable(line), fg="cyan")
        click.echo()
    click.echo(_EXECUTORS[plan["by"]])


def mark_span(text: str, start: int, end: int) -> Iterator[str]:
    """The line of a text with a span in it, and carets under the span; offsets count characters."""
    start = min(start, len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    shown_from = max(line_start, start - _CONTEXT_CHARACTERS)
    end = max(min(end, line_end, start + _CONTEXT_CHARACTERS), start + 1)
    shown_to = min(line_end, end + _CONTEXT_CHARACTERS)
    before = ("…" if shown_from > line_start else "") + terminal.printable(text[shown_from:start])
    after = "…" if shown_to < line_end else ""
    yield f"  {before}{terminal.printable(text[start:shown_to])}{after}"
    yield f"  {tables.padding(before)}{'^' * max(len(tables.padding(terminal.printable(text[start:end]))), 1)}"


def _terminal_width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _plan_tree(steps: list[dict[str, Any]]) -> Iterator[str]:
    """The steps of SQLite as a tree, each below the step that it is part of."""
    children: dict[int, list[dict[str, Any]]] = {}
    for step in steps:
        children.setdefault(step["under"], []).append(step)

    def draw(parent: int, indent: str) -> Iterator[str]:
        siblings = children.get(parent, [])
        for step in siblings:
            is_last = step is siblings[-1]
            yield f"{indent}{'└─' if is_last else '├─'} {step['what']}"
            yield from draw(step["step"], indent + ("   " if is_last else "│  "))

    yield from draw(0, "")
