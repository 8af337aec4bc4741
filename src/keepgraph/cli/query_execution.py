"""Execution of queries for the command line: run, explain, interrupt with Ctrl-C, and show results and errors."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli.output import tables, terminal
from keepgraph.english import count_noun
from keepgraph.graph import Graph


class OutputFormat(Enum):
    """The format in which results are shown."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of a query: its parameters, the time it asks about, the most rows, and the output format."""

    output: OutputFormat = OutputFormat.TABLE
    parameters: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    as_of: str | None = None
    known_at: str | None = None

    def arguments(self, text: str) -> dict[str, Any]:
        """The arguments of `run_cypher` for a query."""
        return {
            "query": text,
            "parameters": self.parameters or None,
            "limit": self.limit,
            "as_of": self.as_of,
            "known_at": self.known_at,
        }


def run(graph: Graph, text: str, options: QueryOptions) -> None:
    """Run a query and show its results, repairs and warnings."""
    tool = "run_cypher" if options.output is OutputFormat.JSON else "run_query"
    with _interruptible() as cancellation:
        answer = graph.call_until(cancellation, tool, options.arguments(text))
    if options.output is OutputFormat.JSON:
        terminal.show_json(answer)
        return
    if options.output is OutputFormat.CSV:
        _show_csv(answer)
    else:
        _show_table(answer)
    for repair in answer["auto_fixes"]:
        click.secho(f"fixed: {terminal.printable(repair)}", dim=True, err=True)
    for warning in answer["warnings"]:
        click.secho(f"note: {terminal.printable(warning)}", fg="yellow", err=True)


def explain(graph: Graph, text: str, options: QueryOptions) -> None:
    """Show the SQL statements of a query, and the plan of SQLite for each."""
    plan = graph.call("explain_query", **options.arguments(text))
    if options.output is OutputFormat.JSON:
        terminal.show_json(plan)
    else:
        _show_plan(plan)


def show_error(graph: Graph, text: str, error: errors.QueryError) -> None:
    """Show the error of a query, and its place in the query."""
    click.secho(f"error: {terminal.printable(error.message)} ({error.code})", fg="red", err=True)
    if error.span is not None:
        repaired = graph.call("repair_query", query=text)["query"]
        for line in mark_span(repaired, *error.span):
            click.echo(line, err=True)
    if error.hint:
        click.echo(f"hint:  {terminal.printable(error.hint)}", err=True)
    if error.rewrite:
        click.echo(f"this would run: {terminal.printable(error.rewrite)}", err=True)


def parse_parameter(text: str) -> Any:
    """The value of a parameter: JSON, or the text itself if it is not JSON."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return text


def parse_json(text: str) -> Any:
    """
    Raises:
        ValueError: it is not JSON by RFC 8259, which has no NaN or Infinity.
        RecursionError: it is nested too deep.
    """
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@contextmanager
def _interruptible() -> Iterator[Callable[[], errors.KeepgraphError | None]]:
    """Within this context, Ctrl-C cancels the query, even inside SQLite; a second raises KeyboardInterrupt."""
    is_pressed = False

    def on_interrupt(number: int, frame: object) -> None:
        nonlocal is_pressed
        if is_pressed:
            raise KeyboardInterrupt
        is_pressed = True

    def cancellation() -> errors.KeepgraphError | None:
        return errors.Cancelled("the query was stopped") if is_pressed else None

    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or previous in (None, signal.SIG_IGN):
        yield cancellation
        return
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield cancellation
    finally:
        signal.signal(signal.SIGINT, previous)


# Results of queries on the terminal: tables, CSV, plans, and the place of an error in a query.

_MORE_ROWS = "; there are more: add LIMIT, or --limit N"

_CONTEXT_CHARACTERS = 40
"""Characters of the query shown on either side of an error."""

_EXECUTORS = {
    "sql": "SQLite finds all rows.",
    "sql and python": "SQLite runs these statements; Python does the rest.",
    "python": "Python finds the rows: SQL cannot express this exactly.",
}


def _show_table(answer: dict[str, Any]) -> None:
    rows = answer["rows"]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    click.echo("\n".join(tables.format_table(answer["columns"], rows, width=width)))
    count = count_noun(len(rows), "row")
    # Not in a file, where the time would make two runs differ.
    suffix = f", {answer['execution_ms']:.1f} ms" if sys.stdout.isatty() else ""
    if answer["truncated"]:
        count = f"the first {count.removeprefix('1 ')}"
        suffix += _MORE_ROWS
    click.secho(f"({count}{suffix})", dim=True)


def _show_csv(answer: dict[str, Any]) -> None:
    lines = tables.format_csv(answer["columns"], answer["rows"])
    if sys.stdout.isatty():
        for line in lines:
            click.echo(terminal.printable(line.removesuffix("\r\n")))
    else:
        click.echo("".join(lines).encode("utf-8", errors="replace"), nl=False)
    if answer["truncated"]:
        click.echo(f"note: these are the first {len(answer['rows']):,} rows{_MORE_ROWS}", err=True)


def _show_plan(plan: dict[str, Any]) -> None:
    """Show each SQL statement with SQLite's plan, and what finds the rows."""
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


def _plan_tree(steps: list[dict[str, Any]]) -> Iterator[str]:
    """SQLite's steps as a tree, each below the step it belongs to."""
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
