"""Execution of queries for the command line: run, explain, interrupt with Ctrl-C, and show results and errors."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli.output import query_results, terminal
from keepgraph.graph import Graph


class OutputFormat(Enum):
    """The format in which results are shown."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of a query: its parameters, the time that it asks about, most rows, and the output format."""

    output: OutputFormat = OutputFormat.TABLE
    parameters: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    as_of: str | None = None
    known_at: str | None = None

    def arguments(self, text: str) -> dict[str, Any]:
        """The arguments of `run_cypher` for a query."""
        arguments = {
            "query": text,
            "parameters": self.parameters or None,
            "limit": self.limit,
            "as_of": self.as_of,
            "known_at": self.known_at,
        }
        return {name: value for name, value in arguments.items() if value is not None}


def run(graph: Graph, text: str, options: QueryOptions) -> None:
    """Run a query and show its results, repairs and warnings."""
    tool = "run_cypher" if options.output is OutputFormat.JSON else "run_query"
    with _interruptible() as cancellation:
        answer = graph.call_until(cancellation, tool, options.arguments(text))
    if options.output is OutputFormat.JSON:
        terminal.show_json(answer)
        return
    if options.output is OutputFormat.CSV:
        query_results.show_csv(answer)
    else:
        query_results.show_table(answer)
    for repair in answer["auto_fixes"]:
        click.secho(f"mended: {terminal.printable(repair)}", dim=True, err=True)
    for warning in answer["warnings"]:
        click.secho(f"note: {terminal.printable(warning)}", fg="yellow", err=True)


def explain(graph: Graph, text: str, options: QueryOptions) -> None:
    """Show the SQL statements of a query, and the plan of SQLite for each."""
    plan = graph.call("explain_query", **options.arguments(text))
    if options.output is OutputFormat.JSON:
        terminal.show_json(plan)
    else:
        query_results.show_plan(plan)


def show_error(graph: Graph, text: str, error: errors.QueryError) -> None:
    """Show the error of a query, and its place in the query."""
    click.secho(f"error: {terminal.printable(error.message)} ({error.code})", fg="red", err=True)
    if error.span is not None:
        repaired = graph.call("repair_query", query=text)["query"]
        for line in query_results.mark_span(repaired, *error.span):
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
        ValueError: it is not JSON by RFC 8259; NaN and Infinity, which the standard library accepts, are not.
        RecursionError: it is nested too deep.
    """
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@contextmanager
def _interruptible() -> Iterator[Callable[[], errors.KeepgraphError | None]]:
    """Within this context, Ctrl-C cancels the query, also inside SQLite; a second Ctrl-C raises KeyboardInterrupt."""
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
