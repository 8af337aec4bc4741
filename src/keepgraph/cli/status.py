"""`kg status`."""

from __future__ import annotations

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import render


@click.command("status")
@graph_options.takes_graph
@click.pass_context
def status_command(ctx: click.Context) -> None:
    """Show where the graph is and what it holds."""
    with graph_options.opened(ctx) as graph:
        answer = graph.call("get_status")
        answer["path"] = str(graph.path)
        answer["bytes"] = graph.path.stat().st_size
        answer["encrypted"] = graph.database.key is not None
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
        return
    click.secho(answer["path"], bold=True)
    size = f"{answer['bytes'] / 1e6:.1f} MB{', encrypted' if answer['encrypted'] else ''}"
    click.echo(f"  {size}, schema {answer['graph']['schema']}, Keepgraph {answer['version']}")
    counts = [f"{number:,} {kind}" for kind, number in answer["entities"].items() if number]
    click.echo(f"  entities: {', '.join(counts) or 'none yet'}")
    recorded = answer["last_recorded_at"]
    click.echo(f"  facts: {answer['facts']:,}{f', the last recorded {recorded[:16]}' if recorded else ''}")
    rungs = [f"{rung} {state}" for rung, state in answer["resolution"].items()]
    click.echo(f"  names are found by: {', '.join(rungs)}")
