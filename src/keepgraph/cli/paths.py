"""`kg path` and `kg neighbours`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from keepgraph.cli import dates, graph_options, name_completion
from keepgraph.cli.output import terminal
from keepgraph.cli.recall import NOTHING_MATCHED


@click.command("path")
@click.argument("start", metavar="FROM", shell_complete=name_completion.complete_name)
@click.argument("end", metavar="TO", shell_complete=name_completion.complete_name)
@click.option("-k", "count", type=click.IntRange(1, 20), default=1, help="How many paths are shown.")
@click.option("--max-hops", type=click.IntRange(1, 10), default=6, help="The most facts on a path.")
@click.option("--predicate", "predicates", multiple=True, metavar="WORD", help="Follow only facts with this predicate.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="Follow facts that held then: 2026-05-01.")
@click.option(
    "--through-hubs", is_flag=True, help="Show the shortest ways, even through what is connected to everything."
)
@click.option("--explain", is_flag=True, help="Show each fact as a sentence, with its source and its id.")
@graph_options.all_options
@click.pass_context
def path_command(ctx: click.Context, /, start: str, end: str, explain: bool, **options: Any) -> None:
    """Show how FROM and TO are connected: the shortest way along facts.

    Exits with 3 where a name matched nothing, or where there is no way.

    \b
    kg path Ana Atlas --explain
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call(
            "trace_path",
            from_entity=start,
            to_entity=end,
            k=options["count"],
            max_hops=options["max_hops"],
            edge_types=list(options["predicates"]),
            as_of=options["as_of"] or "",
            avoid_hubs=not options["through_hubs"],
        )
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif _has_unknown_name(answer, {"from": start, "to": end}):
        pass
    elif not answer["found"]:
        click.echo(
            f"{terminal.entity_name(answer['from'])} and {terminal.entity_name(answer['to'])} are not connected "
            f"within {answer['max_hops']} facts."
        )
    else:
        _show_paths(answer, explain=explain)
    ctx.exit(0 if answer["found"] else NOTHING_MATCHED)


@click.command("neighbours")
@click.argument("name", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--hops", type=click.IntRange(1, 4), default=1, help="How many facts away they may be.")
@click.option("--limit", type=click.IntRange(1, 500), default=30, help="How many are shown.")
@click.option("--predicate", "predicates", multiple=True, metavar="WORD", help="Follow only facts with this predicate.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="Follow facts that held then: 2026-05-01.")
@graph_options.all_options
@click.pass_context
def neighbours_command(ctx: click.Context, /, name: tuple[str, ...], hops: int, limit: int, **options: Any) -> None:
    """List what is around NAME, nearest first, with the way there.

    Exits with 3 where nothing matched.

    \b
    kg neighbours Ana --hops 2
    """
    query = " ".join(name)
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call(
            "get_entity_neighbors",
            entity_id=query,
            hops=hops,
            limit=limit,
            edge_types=list(options["predicates"]),
            as_of=options["as_of"] or "",
        )
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif answer["entity"] is None:
        terminal.show_no_match(query, answer["resolution"])
    else:
        _show_neighbours(answer, name=query)
    ctx.exit(0 if answer["entity"] else NOTHING_MATCHED)


def _has_unknown_name(answer: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Say which of the names matched nothing; whether there is one."""
    unknown = [end for end in names if answer[end] is None]
    for end in unknown:
        terminal.show_no_match(names[end], answer["resolution"][end])
    return bool(unknown)


def _show_paths(answer: Mapping[str, Any], *, explain: bool) -> None:
    for number, path in enumerate(answer["paths"]):
        if number:
            click.echo()
        click.echo(_describe_way(path))
        for step in path["steps"] if explain else ():
            source = f"  ({terminal.printable(step['source'])})" if step["source"] else ""
            others = f"  and {step['others']} more" if step["others"] else ""
            click.echo(f"  {terminal.printable(step['sentence'])}{source}{others}")
            click.secho(f"    {step['fact_id']}", dim=True)
    if answer["truncated"]:
        click.secho("  There are more ways: -k shows them.", dim=True)


def _describe_way(path: Mapping[str, Any]) -> str:
    """Ana -[works_at]-> Acme <-[works_at]- Bob"""
    parts = [_node_name(path["nodes"][0])]
    for step, node in zip(path["steps"], path["nodes"][1:], strict=True):
        arrow = f"-[{step['predicate']}]->" if step["direction"] == "out" else f"<-[{step['predicate']}]-"
        parts += [arrow, _node_name(node)]
    return " ".join(parts)


def _node_name(node: dict[str, Any]) -> str:
    return f"“{terminal.printable(node['tag'])}”" if "tag" in node else terminal.entity_name(node)


def _show_neighbours(answer: Mapping[str, Any], *, name: str) -> None:
    click.secho(terminal.entity_name(answer["entity"]), bold=True, nl=False)
    click.echo(f"  {answer['entity']['type']}{terminal.resolution_note(name, answer['resolution'])}")
    for neighbour in answer["neighbours"]:
        click.echo(f"  {terminal.entity_name(neighbour)}  {neighbour['type']}", nl=False)
        click.secho(f"  {terminal.printable(neighbour['path'])}", dim=True)
    if not answer["neighbours"]:
        click.echo("  No facts connect it to anything.")
    elif answer["truncated"]:
        at_least = "" if answer["total_is_exact"] else "at least "
        click.echo(f"  … of {at_least}{answer['total']}; --limit shows more")
