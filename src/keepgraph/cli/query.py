"""`kg query`: questions in Cypher, answered as a table, as CSV or in JSON; and how an answer would be found."""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import render, tables
from keepgraph.graph import Graph
from keepgraph.store.database import Stop

_MOST_BYTES = 1_000_000
"""More than any query has that is short enough to be read."""

_BESIDE_A_CARET = 40
_MORE = "; there are more: add LIMIT, or --limit N"


class Form(Enum):
    """How answers look."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Manner:
    """How queries are asked: with which parameters, at which moment, for how many rows, and in which form."""

    form: Form = Form.TABLE
    parameters: dict[str, Any] = field(default_factory=dict)
    limit: int | None = None
    as_of: str | None = None
    known_at: str | None = None

    def arguments(self, text: str) -> dict[str, Any]:
        """The arguments of run_cypher."""
        given = {
            "query": text,
            "parameters": self.parameters or None,
            "limit": self.limit,
            "as_of": self.as_of,
            "known_at": self.known_at,
        }
        return {name: value for name, value in given.items() if value is not None}


@click.command("query")
@click.argument("query", required=False)
@click.option(
    "-f", "--file", type=click.Path(dir_okay=False), metavar="FILE", help="Read the query from FILE; - is the input."
)
@click.option("-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="The value of $NAME: JSON, or text.")
@click.option("--params-file", type=click.Path(dir_okay=False), metavar="FILE", help="Parameters: a JSON object.")
@click.option("--limit", type=int, metavar="N", help="Most rows where the query has no LIMIT; 200 if not said.")
@click.option("--as-of", metavar="WHEN", help="What held then: 2026-05-01, or an instant.")
@click.option("--known-at", metavar="WHEN", help="What was known then: 2026-05-01, or an instant.")
@click.option("--csv", "as_csv", is_flag=True, help="Answer in CSV.")
@click.option("--explain", is_flag=True, help="Show how the query would be run, and do not run it.")
@graph_options.takes_graph
@click.pass_context
def query_command(
    ctx: click.Context,
    /,
    query: str | None,
    file: str | None,
    params: tuple[str, ...],
    params_file: str | None,
    limit: int | None,
    as_csv: bool,
    explain: bool,
    **moment: str | None,
) -> None:
    """Ask the graph QUERY, in read-only openCypher; without one, at a terminal, many after each other.

    \b
    kg query 'MATCH (p:Person)-[:DECIDED_IN]->(d) RETURN p.name, d.name'
    kg query 'MATCH (n {name: $name})-[r]->(m) RETURN type(r), m.name' -p name=Priya

    Types are labels (:Person), predicates are relationship types ([:DECIDED_IN]).
    """
    if as_csv and (explain or graph_options.answers_in_json(ctx)):
        raise click.UsageError("--csv goes neither with --json nor with --explain.")
    if query is not None and file is not None:
        raise click.UsageError("The query is given twice: as an argument, and with --file.")
    form = Form.CSV if as_csv else Form.JSON if graph_options.answers_in_json(ctx) else Form.TABLE
    manner = Manner(form=form, parameters=_parameters(params, params_file), limit=limit, **moment)
    if query is None and file is None and sys.stdin.isatty():
        if explain:
            raise click.UsageError("--explain needs a query; at the prompt, it is “:explain QUERY”.")
        from keepgraph.cli import prompt

        with graph_options.opened(ctx) as graph:
            prompt.ask_many(graph, manner)
        return
    text = _read(file or "-") if query is None else query
    if not text.strip():
        raise errors.InvalidArguments("the query is empty", hint="See “kg query --help” for what one looks like.")
    with graph_options.opened(ctx) as graph:
        try:
            if explain:
                show_plan(graph, text, manner)
            else:
                answer(graph, text, manner)
        except errors.QueryError as error:
            if form is Form.JSON:
                raise
            refused(graph, text, error)
            ctx.exit(1)
    for name in manner.parameters:
        if f"${name}" not in text and f"$`{name}" not in text:
            click.echo(f"note: the query has no ${render.printable(name)}", err=True)


def answer(graph: Graph, text: str, manner: Manner) -> None:
    """Run a query and show what it found."""
    arguments = manner.arguments(text)
    with _interruptible() as stop:
        if manner.form is Form.JSON:
            found = graph.call_until(stop, "run_cypher", arguments)
        else:
            from keepgraph.tools import queries

            found = queries.table(graph.database, arguments, stop=stop)
    if manner.form is Form.JSON:
        render.in_json(found)
        return
    if manner.form is Form.CSV:
        _show_csv(found)
    else:
        _show_table(found)
    for mended in found["auto_fixes"]:
        click.secho(f"mended: {render.printable(mended)}", dim=True, err=True)
    for warning in found["warnings"]:
        click.secho(f"note: {render.printable(warning)}", fg="yellow", err=True)


def show_plan(graph: Graph, text: str, manner: Manner) -> None:
    """Show the statements of a query, and what SQLite does for each."""
    from keepgraph.tools import queries

    found = queries.plan(graph.database, manner.arguments(text))
    if manner.form is Form.JSON:
        render.in_json(found)
        return
    for statement in found["statements"]:
        for line in statement["sql"].splitlines():
            click.echo(render.printable(line))
        for line in _tree(statement["plan"]):
            click.secho(render.printable(line), fg="cyan")
        click.echo()
    click.echo(_WHO[found["by"]])


_WHO = {
    "sql": "SQLite finds the rows, all of them.",
    "sql and python": "SQLite finds what these statements say; Python does the rest.",
    "python": "Python finds the rows: SQL cannot say this exactly.",
}


def refused(graph: Graph, text: str, error: errors.QueryError) -> None:
    """Show what is wrong with a query, and where."""
    from keepgraph.tools import queries

    click.secho(f"error: {render.printable(error.message)} ({error.code})", fg="red", err=True)
    if error.span is not None:
        for line in _pointed_at(queries.mended(graph.database, text), *error.span):
            click.echo(line, err=True)
    if error.hint:
        click.echo(f"hint:  {render.printable(error.hint)}", err=True)
    if error.rewrite:
        click.echo(f"this would run: {render.printable(error.rewrite)}", err=True)


def value_of(text: str) -> Any:
    """The value of a parameter: what it says in JSON, or itself."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _parameters(said: tuple[str, ...], file: str | None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if file is not None:
        text = _read(file, most=10 * _MOST_BYTES)
        try:
            given = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise errors.InvalidArguments(
                f"{file} is not JSON: {error}", hint='It holds an object: {"name": "Priya"}.'
            ) from error
        if not isinstance(given, dict):
            raise errors.InvalidArguments(f"{file} holds no JSON object", hint='It looks like {"name": "Priya"}.')
    for each in said:
        name, equals, value = each.partition("=")
        name = name.strip().removeprefix("$")
        if not equals or not re.fullmatch(r"\w+", name):
            raise click.BadParameter(f"“{render.printable(each)[:60]}” is not NAME=VALUE.", param_hint="--param")
        given[name] = value_of(value)
    return given


def _read(file: str, *, most: int = _MOST_BYTES) -> str:
    """The text of a file, of which no more is read than can be used."""
    named = "the standard input" if file == "-" else file
    with click.open_file(file, "rb") as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise errors.InvalidArguments(f"{named} is too long: more than {most:,} bytes", hint="Ask in smaller queries.")
    try:
        return str(content, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise errors.InvalidArguments(
            f"{named} is not text in UTF-8: byte {error.start + 1} cannot be read", hint="Save it as UTF-8."
        ) from error


@contextmanager
def _interruptible() -> Iterator[Stop]:
    """While this lasts, Ctrl-C stops the query, in SQLite too; pressed again, it stops whatever it is."""
    pressed = False

    def press(number: int, frame: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def stop() -> errors.KeepgraphError | None:
        return errors.Cancelled("the query was stopped") if pressed else None

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield stop
        return
    signal.signal(signal.SIGINT, press)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _show_table(found: dict[str, Any]) -> None:
    rows = found["rows"]
    click.echo("\n".join(tables.lines(found["columns"], rows, width=_terminal_width())))
    counted = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    # Nobody wants the time in a file: it would differ from one run to the next.
    taken = f", {found['execution_ms']:.1f} ms" if sys.stdout.isatty() else ""
    if found["truncated"]:
        counted = f"the first {counted.removeprefix('1 ')}"
        taken += _MORE
    click.secho(f"({counted}{taken})", dim=True)


def _show_csv(found: dict[str, Any]) -> None:
    lines = tables.csv(found["columns"], found["rows"])
    if sys.stdout.isatty():
        for line in lines:
            click.echo(render.printable(line.removesuffix("\r\n")))
    else:
        click.echo("".join(lines).encode("utf-8", errors="replace"), nl=False)
    if found["truncated"]:
        click.echo(f"note: these are the first {len(found['rows']):,} rows{_MORE}", err=True)


def _terminal_width() -> int | None:
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _tree(steps: list[dict[str, Any]]) -> Iterator[str]:
    """What SQLite does, each step under the one that it is part of."""
    inside: dict[int, list[dict[str, Any]]] = {}
    for step in steps:
        inside.setdefault(step["under"], []).append(step)

    def drawn(under: int, before: str) -> Iterator[str]:
        of_it = inside.get(under, [])
        for step in of_it:
            last = step is of_it[-1]
            yield f"{before}{'└─' if last else '├─'} {step['what']}"
            yield from drawn(step["step"], before + ("   " if last else "│  "))

    yield from drawn(0, "")


def _pointed_at(text: str, start: int, end: int) -> Iterator[str]:
    """The line of a text with a place in it, and carets under that place."""
    start = min(start, len(text))
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    shown_from = max(first, start - _BESIDE_A_CARET)
    end = max(min(end, last, start + _BESIDE_A_CARET), start + 1)
    shown_to = min(last, end + _BESIDE_A_CARET)
    before = ("…" if shown_from > first else "") + render.printable(text[shown_from:start])
    after = "…" if shown_to < last else ""
    yield f"  {before}{render.printable(text[start:shown_to])}{after}"
    yield f"  {tables.padding(before)}{'^' * max(len(tables.padding(render.printable(text[start:end]))), 1)}"
