"""`kg recall`, `kg decisions` and `kg week`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import render

NOTHING_MATCHED = 3

_F = TypeVar("_F", bound=Callable[..., Any])


def _looks_back(command: _F) -> _F:
    """Let a command show the past."""
    command = click.option("--known-at", metavar="WHEN", help="What was known then: 2026-05-01, or an instant.")(
        command
    )
    return click.option("--as-of", metavar="WHEN", help="What held then: 2026-05-01, or an instant.")(command)


@click.command("recall")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--ids", is_flag=True, help="Show the id of each fact.")
@_looks_back
@graph_options.takes_graph
@click.pass_context
def recall_command(ctx: click.Context, /, name: tuple[str, ...], ids: bool, **moment: str | None) -> None:
    """Show what is known about NAME: a name, mistyped or not, an alias, an id, or type:name.

    Exits with 3 where nothing matched.
    """
    asked = " ".join(name)
    with graph_options.opened(ctx) as graph:
        answer = graph.call("recall_entity", name_or_alias=asked, **moment)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        render.recalled(answer, asked=asked, ids=ids)
    ctx.exit(0 if answer["entity"] else NOTHING_MATCHED)


@click.command("decisions")
@click.argument("project", nargs=-1, required=True, shell_complete=graph_options.complete_project)
@click.option("--since", metavar="DATE", help="Only those of this day (YYYY-MM-DD) and later.")
@_looks_back
@graph_options.takes_graph
@click.pass_context
def decisions_command(ctx: click.Context, /, project: tuple[str, ...], since: str | None, **moment: str | None) -> None:
    """List the decisions of PROJECT, newest first. Exits with 3 where no project matched."""
    asked = " ".join(project)
    with graph_options.opened(ctx) as graph:
        answer = graph.call("recall_decisions", project=asked, since=since, **moment)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        render.decisions(answer, asked=asked)
    ctx.exit(0 if answer["project"] else NOTHING_MATCHED)


@click.command("week")
@click.argument("project", nargs=-1, shell_complete=graph_options.complete_project)
@_looks_back
@graph_options.takes_graph
@click.pass_context
def week_command(ctx: click.Context, /, project: tuple[str, ...], **moment: str | None) -> None:
    """Sum up the seven days that end today, or --as-of a day, of PROJECT or of all.

    Exits with 3 where no project matched.
    """
    asked = " ".join(project).strip()
    with graph_options.opened(ctx) as graph:
        answer = graph.call("weekly_rollup", project=asked or None, **moment)
    missing = bool(asked) and answer["project"] is None
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    elif missing:
        render.no_match(f"No project called “{render.printable(asked)}” is known.", answer["resolution"])
    else:
        render.week(answer, asked=asked)
    ctx.exit(NOTHING_MATCHED if missing else 0)
