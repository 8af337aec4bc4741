"""`kg status`: where the graph is, and what it contains."""

from __future__ import annotations

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal


@click.command("status")
@graph_options.all_options
@click.pass_context
def status_command(ctx: click.Context) -> None:
    """Show where the graph is and what it holds.

    \b
    kg status
    """
    from keepgraph.engine.upkeep import unfinished_changes

    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("get_status")
        answer["path"] = str(graph.path)
        answer["bytes"] = graph.path.stat().st_size
        answer["encrypted"] = graph.database.key is not None
    answer["unfinished"] = [
        {"message": each.message, "command": each.command} for each in unfinished_changes.find(graph.path)
    ]
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    click.secho(answer["path"], bold=True)
    size = f"{answer['bytes'] / 1e6:.1f} MB{', encrypted' if answer['encrypted'] else ''}"
    click.echo(f"  {size}, schema {answer['graph']['schema']}, Keepgraph {answer['version']}")
    counts = [f"{count:,} {kind}" for kind, count in answer["entities"].items() if count]
    click.echo(f"  entities: {', '.join(counts) or 'none yet'}")
    click.echo(f"  texts: {answer['episodes']:,}")
    recorded = answer["last_recorded_at"]
    click.echo(f"  facts: {answer['facts']:,}{f', the last recorded {recorded[:16]}' if recorded else ''}")
    terminal.show_other_groups(answer["other_groups"])
    steps = [f"{step} {state}" for step, state in answer["resolution"].items()]
    click.echo(f"  names are found by: {', '.join(steps)}")
    for each in answer["unfinished"]:
        click.secho(f"  {terminal.printable(each['message'])}: {each['command']}", fg="red")
