"""`kg recall`, `kg decisions` and `kg week`: questions about an entity, a project and a week."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import answers, terminal

NOTHING_MATCHED = 3

_F = TypeVar("_F", bound=Callable[..., Any])


def _time_options(command: _F) -> _F:
    """A decorator: the command takes --as-of and --known-at."""
    command = click.option("--known-at", metavar="WHEN", help="What was known then: 2026-05-01, or an instant.")(
        command
    )
    return click.option("--as-of", metavar="WHEN", help="What held then: 2026-05-01, or an instant.")(command)


@click.command("recall")
@click.argument("name", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--ids", is_flag=True, help="Show the id of each fact.")
@_time_options
@graph_options.all_options
@click.pass_context
def recall_command(ctx: click.Context, /, name: tuple[str, ...], ids: bool, **moment: str | None) -> None:
    """Show what is known about NAME: a name, mistyped or not, an alias, an id, or type:name.

    Exits with 3 where nothing matched.
    """
    query = " ".join(name)
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("recall_entity", name_or_alias=query, **moment)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_recall(answer, name=query, show_ids=ids)
    ctx.exit(0 if answer["entity"] else NOTHING_MATCHED)


@click.command("decisions")
@click.argument("project", nargs=-1, required=True, shell_complete=name_completion.complete_project)
@click.option("--since", metavar="DATE", help="Only those of this day (YYYY-MM-DD) and later.")
@_time_options
@graph_options.all_options
@click.pass_context
def decisions_command(ctx: click.Context, /, project: tuple[str, ...], since: str | None, **moment: str | None) -> None:
    """List the decisions of PROJECT, newest first. Exits with 3 where no project matched."""
    query = " ".join(project)
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("recall_decisions", project=query, since=since, **moment)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_decisions(answer, name=query)
    ctx.exit(0 if answer["project"] else NOTHING_MATCHED)


@click.command("week")
@click.argument("project", nargs=-1, shell_complete=name_completion.complete_project)
@_time_options
@graph_options.all_options
@click.pass_context
def week_command(ctx: click.Context, /, project: tuple[str, ...], **moment: str | None) -> None:
    """Sum up the seven days that end today, or --as-of a day, of PROJECT or of all.

    Exits with 3 where no project matched.
    """
    query = " ".join(project).strip()
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("weekly_rollup", project=query or None, **moment)
    is_missing = bool(query) and answer["project"] is None
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif is_missing:
        terminal.show_no_match(f"No project called “{terminal.printable(query)}” is known.", answer["resolution"])
    else:
        answers.show_week(answer, name=query)
    ctx.exit(NOTHING_MATCHED if is_missing else 0)
