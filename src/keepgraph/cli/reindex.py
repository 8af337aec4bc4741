"""`kg reindex`."""

from __future__ import annotations

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import render

_AT_ONCE = 256


@click.command("reindex")
@click.option("--anew", is_flag=True, help="Drop the vectors there are first, as after a change of the model.")
@graph_options.takes_graph
@click.pass_context
def reindex_command(ctx: click.Context, anew: bool) -> None:
    """Make the vectors of all names, texts and facts that wait. Interrupt it at will: it goes on where it was."""
    from keepgraph.engine.backfill import vectors

    with graph_options.opened(ctx) as graph:
        model = graph.database.settings.model
        if anew or vectors.made_otherwise(graph.database):
            left = vectors.restart(graph.database)
        else:
            left = vectors.fill(graph.database, at_most=0)
        total = left
        with render.progress(total, "Embedding", quiet=graph_options.answers_in_json(ctx)) as bar:
            while left:
                before, left = left, vectors.fill(graph.database, at_most=_AT_ONCE)
                bar.update(max(before - left, 0))
                if left >= before:
                    break  # others bring more as fast as they are dealt with
    if graph_options.answers_in_json(ctx):
        render.in_json({"model": model, "embedded": total - left, "waiting": left})
    else:
        click.echo(f"{total - left:,} names, texts and facts were given their vectors by {render.printable(model)}.")
