"""`kg demo`: a graph of facts about Keepgraph itself, shown by the commands and by the MCP server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from keepgraph import package_files
from keepgraph.cli.output import answers, search_hits, terminal
from keepgraph.graph import Graph, open

PROJECT = {"type": "project", "name": "Keepgraph"}


@click.command("demo")
@click.option("--into", metavar="FILE", type=click.Path(dir_okay=False), help="Keep the graph in FILE.")
def demo_command(into: str | None) -> None:
    """Fill a graph with facts about Keepgraph itself, and look around.

    The facts are its own decisions, from adr/, and its dependencies and their authors, from the packages installed;
    the texts are those of the decisions. Your own graph is not touched.

    \b
    kg demo
    """
    path = Path(into) if into else _temporary_graph()
    facts = [*_decision_facts(), *_dependency_facts()]
    with open(path, session="demo") as graph:
        answer = graph.call("record_facts", facts=facts)
        click.echo(f"{answer['recorded']} facts recorded, {answer['deduplicated']} known before, in {path}")
        author = _some_author(graph)
        mistyped = author[:-2] + author[-1]
        _show_command(f'recall "{mistyped}"')
        answers.show_recall(graph.call("recall_entity", name_or_alias=mistyped), name=mistyped)
        description = "storing vectors in ordinary tables"
        _show_command(f'recall "{description}"')
        answers.show_recall(graph.call("recall_entity", name_or_alias=description), name=description)
        _show_command("decisions Keepgraph")
        answers.show_decisions(graph.call("recall_decisions", project="Keepgraph"), name="Keepgraph")
        _show_command("week Keepgraph")
        answers.show_week(graph.call("weekly_rollup", project="Keepgraph"))
        _show_command("ingest adr/")
        click.echo(f"  {_ingest_decisions(graph)} files read")
        question = "how is a text cut into pieces"
        _show_command(f'search "{question}"')
        _show_episodes(graph.call("search", query=question, search_mode="episodes", limit=3))
    _show_command("serve, and a client that asks over stdio: recall_entity sqlcypher3")
    answers.show_recall(_recall_over_stdio(path, "sqlcypher3"), name="sqlcypher3")
    click.echo(f"\nLook around yourself: {_command_name()} --db {path} recall keepgraph")
    click.echo(f"Or on a page in your browser: {_command_name()} --db {path} ui")


def _show_command(command: str) -> None:
    click.secho(f"\n$ kg {command}", fg="cyan")


def _command_name() -> str:
    """The name of this command if the shell finds it, else its path."""
    import shutil
    import sys

    return "kg" if shutil.which("kg") else sys.argv[0]


def _temporary_graph() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="keepgraph-demo-")) / "demo.db"


def _decision_facts() -> Iterator[dict[str, Any]]:
    """Facts from adr/: each decision with its project, its date and its file."""
    for file in package_files.decisions():
        text = file.read_text(encoding="utf-8")
        title = re.search(r"^# ADR (\d{4}): (.+)$", text, re.MULTILINE)
        date = re.search(r"^Date: (\d{4}-\d{2}-\d{2})$", text, re.MULTILINE)
        if title is None:
            continue
        decision = {"type": "decision", "name": title[2]}
        yield {
            "subject": decision,
            "predicate": "belongs_to",
            "object": PROJECT,
            "source": f"adr/{file.name}",
            "valid_from": date and date[1],
            "aliases": [f"ADR {title[1]}"],
        }
        adr = {"type": "source", "name": f"adr/{file.name}"}
        yield {"subject": decision, "predicate": "mentioned_in", "object": adr}
        if implementation := re.search(r"^Implementation: (.+)$", text, re.MULTILINE):
            yield {
                "subject": decision,
                "predicate": "tagged",
                "object": {"literal": "implemented"},
                "source": implementation[1],
            }


def _dependency_facts() -> Iterator[dict[str, Any]]:
    """Facts from the metadata of installed packages: the dependencies of Keepgraph and their authors."""
    from importlib import metadata

    for requirement in metadata.requires("keepgraph") or []:
        if ";" in requirement:
            continue
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        package = metadata.metadata(name)
        source = {"type": "source", "name": f"package metadata of {name} {package['Version']}"}
        dependency = {"type": "concept", "name": name}
        yield {"subject": PROJECT, "predicate": "depends_on", "object": dependency, "source": "pyproject.toml"}
        yield {"subject": dependency, "predicate": "mentioned_in", "object": source}
        emails = ",".join([*(package.get_all("Author-email") or []), *(package.get_all("Maintainer-email") or [])])
        for author in sorted(set(re.findall(r"([^,<>@]+?) <[^<>]+>", emails))):
            person = {"type": "person", "name": author.strip().strip('"')}
            yield {"subject": person, "predicate": "mentioned_in", "object": source}


def _ingest_decisions(graph: Graph) -> int:
    """Ingest the decisions as documents; returns the number of files."""
    from keepgraph.engine.texts import ingestion
    from keepgraph.engine.upkeep.jobs import Job

    report = ingestion.ingest(Job(graph.database, tool="kg ingest"), package_files.folder("adr").resolve())
    return report.files_seen


def _show_episodes(answer: dict[str, Any]) -> None:
    for episode in answer["episodes"]:
        click.echo(f"  {terminal.printable(episode['name'])}  ({search_hits.describe_reason(episode)})")
        click.secho(f"    {terminal.printable(' '.join(episode['chunk'].split())[:160])}…", dim=True)


def _some_author(graph: Graph) -> str:
    """The name of an author in the graph, with a first and a last name."""
    people = graph.call("list_entities", type="person", limit=50)["entities"]
    names = [person["name"] for person in people if re.fullmatch(r"\w{3,} \w{6,}", person["name"])]
    return str(names[-1])


def _recall_over_stdio(path: Path, name: str) -> dict[str, Any]:
    """Recall an entity through the MCP server, started in a process of its own."""
    import sys

    import anyio
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    async def ask() -> dict[str, Any]:
        server = StdioServerParameters(command=sys.executable, args=["-m", "keepgraph.cli", "--db", str(path), "serve"])
        async with Client(server) as client:
            result = await client.call_tool("recall_entity", {"name_or_alias": name})
        return dict(result.structured_content)

    return anyio.run(ask)
