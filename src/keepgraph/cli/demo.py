"""`kg demo`: two years of a made-up film club, queried by commands and by an MCP client."""

from __future__ import annotations

import csv
import shlex
import tempfile
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from keepgraph import package_files
from keepgraph.cli.output import answers
from keepgraph.graph import Graph, open


@click.command("demo")
@click.option("--into", metavar="FILE", type=click.Path(dir_okay=False), help="Keep the graph in FILE.")
def demo_command(into: str | None) -> None:
    """Fill a graph with two years of a small film club, and query it.

    The club and its people are made up. Your own graph is not touched.

    \b
    kg demo
    kg demo --into club.db
    """
    path = Path(into) if into else Path(tempfile.mkdtemp(prefix="keepgraph-demo-"), "demo.db")
    today = datetime.now().astimezone().date()
    with open(path, session="demo") as graph:
        if graph.call("list_entities", limit=1)["entities"]:
            click.echo(f"The graph in {path} is already filled.")
        else:
            _fill(graph, today)
            click.echo(f"Two years of a film club in Trieste, made up: {_size(graph)}, in {path}")
    for title, commands in _acts(today):
        click.secho(f"\n{title}", bold=True)
        for command in commands:
            _run(path, command)
    click.secho("\nThe same question, by a language model's client over MCP", bold=True)
    click.secho('→ recall_entity {"name_or_alias": "Giulia Fero", "detail": "full"}', fg="cyan")
    answer = _ask_over_stdio(path, "recall_entity", {"name_or_alias": "Giulia Fero", "detail": "full"})
    answers.show_recall({**answer, "facts": [], "related_entities": []}, name="Giulia Fero")
    command = _command_name()
    click.echo(f"\nLook around: {command} --db {path} ui")
    click.echo(f"Your own notes: {command} ingest FOLDER")


def _acts(today: date) -> Iterator[tuple[str, list[str]]]:
    """The questions, each group under what it shows."""
    yield "A name with a typo", ['recall "Giulia Fero"']
    yield (
        "What was decided about something, and why",
        [
            'decisions "The Salt Road" --about "the harbour song"',
            'recall "Drop the second weekend of the Open Air"',
        ],
    )
    yield "What was true ten months ago", [f'recall "Hanna Lindqvist" --as-of {_day(today, 300)}']
    yield "A question in your own words", ['search "what does the hall cost per evening" --in episodes --limit 1']
    yield "Who is blocked", ["blockers"]
    yield "A change recorded and undone", ['record "person:Hanna Lindqvist" works_at "Kino Šiška"', "undo"]
    yield (
        "A folder of Markdown files, ingested and searched",
        [
            f"ingest {shlex.quote(str(package_files.folder('adr').resolve()))}",
            'search "how is a text cut into pieces" --in episodes --limit 1',
        ],
    )


def _run(path: Path, command: str) -> None:
    """Show a command and run it as from the shell; it must not fail."""
    from keepgraph.cli.root import kg

    click.secho(f"$ kg {command}", fg="cyan")
    kg.main(["--db", str(path), *shlex.split(command)], prog_name="kg", standalone_mode=False)


def _ask_over_stdio(path: Path, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool through the MCP server, in its own process."""
    import sys

    import anyio
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    async def ask() -> dict[str, Any]:
        server = StdioServerParameters(command=sys.executable, args=["-m", "keepgraph.cli", "--db", str(path), "serve"])
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)
        return dict(result.structured_content)

    return anyio.run(ask)


def _command_name() -> str:
    """`kg` if the shell finds this command, else its path."""
    import shutil
    import sys

    return "kg" if shutil.which("kg") else sys.argv[0]


def _fill(graph: Graph, today: date) -> None:
    """Record the club's facts, decisions and notes, with days counted back from today."""
    graph.call("record_facts", facts=[*_facts(today), *_decisions(today)], all_or_nothing=True)
    notes = [{"name": text, "content": text, "reference_time": _day(today, age)} for age, text in _rows("notes")]
    graph.call("add_memory", episodes=notes)


def _size(graph: Graph) -> str:
    people = graph.call("list_entities", type="person", limit=1)["total"]
    return f"{people} people, 5 projects, {len(_rows('decisions'))} decisions, {len(_rows('notes'))} notes"


def _facts(today: date) -> Iterator[dict[str, Any]]:
    """The facts of facts.csv; another name of a person becomes an alias."""
    for start, end, subject, predicate, obj, *aliases in _rows("facts"):
        fact = {"subject": _entity(subject), "predicate": predicate, "object": _object(obj, today)}
        fact |= {"valid_from": _day(today, start)} | ({"valid_to": _day(today, end)} if end else {})
        yield fact | ({"aliases": aliases} if aliases else {})


def _decisions(today: date) -> Iterator[dict[str, Any]]:
    """The facts of decisions.csv, two a row, from the minutes of its day."""
    for age, project, person, name, reason in _rows("decisions"):
        day = _day(today, age)
        decision = {"type": "decision", "name": name}
        origin = {"valid_from": day, "source": f"minutes of {day}: {reason}"}
        yield {"subject": decision, "predicate": "belongs_to", "object": _entity(f"project:{project}"), **origin}
        yield {"subject": _entity(f"person:{person}"), "predicate": "decided_in", "object": decision, **origin}


def _rows(name: str) -> list[list[str]]:
    with (package_files.folder("demo_world") / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def _entity(reference: str) -> dict[str, str]:
    entity_type, _, name = reference.partition(":")
    return {"type": entity_type, "name": name}


def _object(reference: str, today: date) -> dict[str, str]:
    """An entity as `type:name`, a text as `=text`, a day as `@` and its distance from today in days."""
    if reference.startswith("="):
        return {"literal": reference[1:]}
    if reference.startswith("@"):
        return {"literal": (today + timedelta(days=int(reference[1:]))).isoformat()}
    return _entity(reference)


def _day(today: date, age: int | str) -> str:
    """The day this many days ago, in ISO 8601."""
    return (today - timedelta(days=int(age))).isoformat()
