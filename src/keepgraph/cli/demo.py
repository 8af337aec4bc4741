"""`kg demo`: fills a graph from real facts that travel with the project, and looks around in it by every door."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from keepgraph import package_files
from keepgraph.cli.output import render
from keepgraph.graph import Graph, open

PROJECT = {"type": "project", "name": "Keepgraph"}


@click.command("demo")
@click.option("--into", metavar="FILE", type=click.Path(dir_okay=False), help="Keep the graph in FILE.")
def demo_command(into: str | None) -> None:
    """Fill a graph with facts about Keepgraph itself, and look around.

    The facts are its own decisions, from adr/, and its dependencies and their authors, from the packages installed;
    the texts are those of the decisions. Your own graph is not touched.
    """
    path = Path(into) if into else _new_file()
    facts = [*_decisions(), *_dependencies()]
    with open(path, session="demo") as graph:
        answer = graph.call("record_facts", facts=facts)
        click.echo(f"{answer['recorded']} facts recorded, {answer['deduplicated']} known before, in {path}")
        author = _an_author(graph)
        mistyped = author[:-2] + author[-1]
        _ask(f'recall "{mistyped}"')
        render.recalled(graph.call("recall_entity", name_or_alias=mistyped), asked=mistyped)
        meant = "storing vectors in ordinary tables"
        _ask(f'recall "{meant}"')
        render.recalled(graph.call("recall_entity", name_or_alias=meant), asked=meant)
        _ask("decisions Keepgraph")
        render.decisions(graph.call("recall_decisions", project="Keepgraph"), asked="Keepgraph")
        _ask("week Keepgraph")
        render.week(graph.call("weekly_rollup", project="Keepgraph"))
        _ask("ingest adr/")
        click.echo(f"  {_ingested(graph)} files read")
        question = "how is a text cut into pieces"
        _ask(f'search "{question}"')
        _show_texts(graph.call("search", query=question, search_mode="episodes", limit=3))
    _ask("serve, and a client that asks over stdio: recall_entity sqlcypher3")
    render.recalled(_over_stdio(path, "sqlcypher3"), asked="sqlcypher3")
    click.echo(f"\nLook around yourself: {_own_name()} --db {path} recall keepgraph")


def _ask(command: str) -> None:
    click.secho(f"\n$ kg {command}", fg="cyan")


def _own_name() -> str:
    """How to call `kg` from here: by its name where the shell finds it, else by its path."""
    import shutil
    import sys

    return "kg" if shutil.which("kg") else sys.argv[0]


def _new_file() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="keepgraph-demo-")) / "demo.db"


def _decisions() -> Iterator[dict[str, Any]]:
    """The facts in adr/: each decision with its project, its date and its record."""
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
        record = {"type": "source", "name": f"adr/{file.name}"}
        yield {"subject": decision, "predicate": "mentioned_in", "object": record}
        if done := re.search(r"^Implementation: (.+)$", text, re.MULTILINE):
            yield {
                "subject": decision,
                "predicate": "tagged",
                "object": {"literal": "implemented"},
                "source": done[1],
            }


def _dependencies() -> Iterator[dict[str, Any]]:
    """The facts in the metadata of installed packages: what Keepgraph needs, and who wrote it."""
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


def _ingested(graph: Graph) -> int:
    """Take in the decisions as texts too; returns how many there are."""
    from keepgraph.engine.texts import ingestion
    from keepgraph.engine.upkeep.jobs import Drive

    report = ingestion.ingest(Drive(graph.database, tool="kg ingest"), package_files.folder("adr").resolve())
    return report.files_seen


def _show_texts(answer: dict[str, Any]) -> None:
    for each in answer["episodes"]:
        found_by = ", ".join(sorted(each["why"]))
        click.echo(f"  {render.printable(each['name'])}  (by {found_by})")
        click.secho(f"    {render.printable(' '.join(each['chunk'].split())[:160])}…", dim=True)


def _an_author(graph: Graph) -> str:
    """Somebody with a first and a last name, whom the graph knows."""
    from keepgraph.tools import views

    people = views.names_starting(graph.database, "", of_type="person", limit=50)
    named = [person["name"] for person in people if re.fullmatch(r"\w{3,} \w{6,}", person["name"])]
    return str(named[-1])


def _over_stdio(path: Path, name: str) -> dict[str, Any]:
    """Ask our own server as any MCP client would, in a process of its own."""
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
