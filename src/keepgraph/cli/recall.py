"""`kg recall`, `kg decisions` and `kg week`: questions about an entity, a project and a week."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TypeVar

import click

from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers, terminal

_F = TypeVar("_F", bound=Callable[..., Any])


def _time_options(command: _F) -> _F:
    """A decorator: the command takes --as-of and --known-at."""
    command = click.option(
        "--known-at", metavar="WHEN", type=dates.END, help="What was known then: “last Monday”, 2026-05-01."
    )(command)
    return click.option("--as-of", metavar="WHEN", type=dates.END, help="What was true then: “June”, 2026-05-01.")(
        command
    )


@click.command("recall")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option(
    "--about",
    "context",
    metavar="NAME",
    multiple=True,
    help="What you are working on: picks the match of NAME connected with it.",
)
@click.option("--ids", is_flag=True, help="Show the id of each fact.")
@_time_options
@graph_options.all_options
def recall_command(
    ctx: click.Context, /, name: tuple[str, ...], context: tuple[str, ...], ids: bool, **moment: Any
) -> None:
    """Show what is known about NAME: a name, mistyped or not, an alias, an id, or type:name.

    Exits with 3 if nothing matches.

    \b
    kg recall Pirya
    kg recall Ana --as-of "last March"
    kg recall Alex --about Atlas
    """
    query = " ".join(name)
    answer = graph_options.call(ctx, "recall_entity", name_or_alias=query, context=list(context) or None, **moment)
    show = partial(answers.show_recall, answer, name=query, show_ids=ids)
    graph_options.show_match(ctx, answer, answer["entity"], show, show)


@click.command("about")
@click.argument("message", nargs=-1, required=True)
@click.option("--scope", multiple=True, metavar="NAME", help="A project or group that it is about; may be repeated.")
@click.option("--budget", type=int, metavar="TOKENS", help="At most this many tokens; by default 600.")
@click.option("--texts", is_flag=True, help="Also show passages of texts.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="What was true then: “June”, 2026-05-01.")
@graph_options.all_options
def about_command(ctx: click.Context, /, message: tuple[str, ...], scope: tuple[str, ...], **options: Any) -> None:
    """Show what matters for MESSAGE: the entities it names, their facts, open tasks, and what is pinned.

    It does not search by meaning. Exits with 3 if MESSAGE names nothing known and nothing is pinned.

    \b
    kg about "Did Priya sign off the billing service?"
    kg about "What did the board decide?" --scope Atlas
    """
    answer = graph_options.call(ctx, "recall_for", message=" ".join(message), scope=list(scope), **options)
    show = partial(answers.show_about, answer)
    graph_options.show_match(ctx, answer, any(map(answer.get, ("named", "unclear", "standing"))), show, show)


@click.command("decisions")
@click.argument("project", nargs=-1, shell_complete=graph_options.complete_project)
@click.option("--about", "topic", metavar="TOPIC", help="Only decisions about this, by words and by meaning.")
@click.option("--since", metavar="DAY", type=dates.FIRST_DAY, help="Only decisions from this day on: “last month”.")
@click.option("--until", metavar="DAY", type=dates.LAST_DAY, help="Only decisions up to this day: “in March”.")
@_time_options
@graph_options.all_options
def decisions_command(ctx: click.Context, /, project: tuple[str, ...], **options: Any) -> None:
    """List the decisions of PROJECT, or of all, newest first. Exits with 3 if no project matches.

    \b
    kg decisions Atlas
    kg decisions --about auth --since "last month"
    """
    query = " ".join(project).strip()
    answer = graph_options.call(ctx, "recall_decisions", project=query or None, **options)
    is_missing = answers.is_unknown_project(answer)
    if not graph_options.show_json(ctx, answer):
        answers.show_decisions(answer, name=query, topic=options["topic"] or "", until=options["until"] or "")
        if not answer["total"] and not is_missing:
            click.secho(
                "  Decisions found in texts wait in kg review; those in a vault (kg vault add) are recorded.", dim=True
            )
        if is_missing:
            click.echo(f"  For decisions about a topic: {_command_for_topic(query, options)}")
    ctx.exit(graph_options.NOTHING_MATCHED if is_missing else 0)


def _command_for_topic(topic: str, options: dict[str, str | None]) -> str:
    """The same command for decisions about a topic."""
    from keepgraph.command_arguments import quoted

    given = {name: value for name, value in options.items() if value is not None and name != "topic"}
    words = ["kg", "decisions", "--about", terminal.printable(topic)]
    for name, value in given.items():
        words += [f"--{name.replace('_', '-')}", terminal.printable(value)]
    return " ".join(map(quoted, words))


def show_of_project(ctx: click.Context, answer: dict[str, Any], show: Callable[[], None], *, name: str) -> NoReturn:
    """Show an answer about a project or about all, and end the command; `name` is the project as the user wrote it."""
    no_match = partial(terminal.show_no_match, name, answer["resolution"], nothing="No project")
    graph_options.show_match(ctx, answer, not answers.is_unknown_project(answer), show, no_match)


@click.command("week")
@click.argument("project", nargs=-1, shell_complete=graph_options.complete_project)
@_time_options
@graph_options.all_options
def week_command(ctx: click.Context, /, project: tuple[str, ...], **moment: Any) -> None:
    """Sum up the seven days up to today (or --as-of a day), for PROJECT or for all.

    Exits with 3 if no project matches.

    \b
    kg week
    kg week Atlas --as-of "last Friday"
    """
    query = " ".join(project).strip()
    answer = graph_options.call(ctx, "weekly_rollup", project=query or None, **moment)
    show_of_project(ctx, answer, partial(answers.show_week, answer, name=query), name=query)
