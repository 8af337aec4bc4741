"""`kg reindex`: computes the missing vectors."""

from __future__ import annotations

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal


@click.command("reindex")
@click.option("--anew", is_flag=True, help="First drop all vectors, as after a change of the model.")
@graph_options.all_options
@click.pass_context
def reindex_command(ctx: click.Context, anew: bool) -> None:
    """Make the missing vectors of names, texts and facts. If interrupted, the next run continues.

    \b
    kg reindex
    """
    from keepgraph.engine import vector_backfill

    with graph_options.open_graph(ctx) as graph:
        model = graph.database.settings.model
        if anew or vector_backfill.are_of_another_model(graph.database):
            remaining = vector_backfill.restart(graph.database)
        else:
            remaining = vector_backfill.backfill(graph.database, work=0)
        total = remaining
        with terminal.progress_bar(total, "Embedding", quiet=graph_options.wants_json(ctx)) as progress_bar:
            while remaining:
                previous, remaining = remaining, vector_backfill.backfill(graph.database, work=vector_backfill.BATCH)
                progress_bar.update(max(previous - remaining, 0))
                if remaining >= previous:
                    break  # other programs add texts as fast as they are embedded
    if graph_options.wants_json(ctx):
        terminal.show_json({"model": model, "embedded": total - remaining, "waiting": remaining})
    else:
        click.echo(
            f"{total - remaining:,} names, texts and facts now have vectors made by {terminal.printable(model)}."
        )
