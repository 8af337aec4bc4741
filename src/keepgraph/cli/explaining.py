"""`kg why`: where a fact, an entity, a text or a call comes from, what speaks against it, and what rests on it."""

from __future__ import annotations

import click

from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import terminal

_KINDS = ("entity", "fact", "text", "call")


@click.command("why")
@click.argument("what", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--kind", type=click.Choice(_KINDS), help="What WHAT is, where it may be several things.")
@graph_options.all_options
@click.pass_context
def why_command(ctx: click.Context, what: tuple[str, ...], kind: str | None) -> None:
    """Tell why WHAT is in the graph: a fact by its sentence, a name, the title of a text, an id, or "call 12".

    Of a text, it says what would fall if you deleted it. Nothing is changed.

    \b
    kg why Ana works_at Acme
    kg why "Minutes of May"
    kg why call 12
    """
    arguments = {"what": " ".join(what)} if kind is None else {"what": " ".join(what), "kind": kind}
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("explain", **arguments)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    from keepgraph.cli.output import explanation_page

    explanation_page.show(answer, name=" ".join(what))
