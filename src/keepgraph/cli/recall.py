"""`kg recall`, `kg decisions` and `kg week`."""

from __future__ import annotations

import click

from keepgraph.cli import graphs, show

NOTHING_MATCHED = 3


@click.command("recall")
@click.argument("name", nargs=-1, required=True, shell_complete=graphs.complete_name)
@graphs.takes_graph
@click.pass_context
def recall_command(ctx: click.Context, name: tuple[str, ...]) -> None:
    """Show what is known about NAME: a name, mistyped or not, an alias, an id, or type:name.

    Exits with 3 where nothing matched.
    """
    asked = " ".join(name)
    with graphs.opened(ctx) as graph:
        answer = graph.call("recall_entity", name_or_alias=asked)
    if graphs.answers_in_json(ctx):
        show.in_json(answer)
    else:
        show.recalled(answer, asked=asked)
    ctx.exit(0 if answer["entity"] else NOTHING_MATCHED)


@click.command("decisions")
@click.argument("project", nargs=-1, required=True, shell_complete=graphs.complete_project)
@click.option("--since", metavar="DATE", help="Only those of this day (YYYY-MM-DD) and later.")
@graphs.takes_graph
@click.pass_context
def decisions_command(ctx: click.Context, project: tuple[str, ...], since: str | None) -> None:
    """List the decisions of PROJECT, newest first. Exits with 3 where no project matched."""
    asked = " ".join(project)
    with graphs.opened(ctx) as graph:
        answer = graph.call("recall_decisions", project=asked, since=since)
    if graphs.answers_in_json(ctx):
        show.in_json(answer)
    else:
        show.decisions(answer, asked=asked)
    ctx.exit(0 if answer["project"] else NOTHING_MATCHED)


@click.command("week")
@click.argument("project", nargs=-1, shell_complete=graphs.complete_project)
@graphs.takes_graph
@click.pass_context
def week_command(ctx: click.Context, project: tuple[str, ...]) -> None:
    """Sum up the seven days that end today, of PROJECT or of all. Exits with 3 where no project matched."""
    asked = " ".join(project).strip()
    with graphs.opened(ctx) as graph:
        answer = graph.call("weekly_rollup", project=asked or None)
    missing = bool(asked) and answer["project"] is None
    if graphs.answers_in_json(ctx):
        show.in_json(answer)
    elif missing:
        show.no_match(f"No project called “{show.printable(asked)}” is known.", answer["resolution"])
    else:
        show.week(answer)
    ctx.exit(NOTHING_MATCHED if missing else 0)
