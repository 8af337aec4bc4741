"""`kg remember`: keeps a text, and shows what was detected in it."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import terminal

_MAX_SHOWN = 8
_MAX_BYTES = 8_000_000
_ISO_WEEK = re.compile(r"\d{4}-?[Ww]\d{1,2}")


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option("--about", multiple=True, metavar="NAME", help="What it is about, if it does not say; may be repeated.")
@click.option("--project", metavar="NAME", help="The project that it is about; or the id of a group.")
@click.option(
    "--at", "reference_time", metavar="WHEN", type=dates.BEGINNING, help="When it is of: yesterday, 2026-05-01."
)
@click.option(
    "--for-week",
    "narrative_for",
    metavar="WEEK",
    callback=lambda *given: _read_week(*given),
    help="Keep it as what is told of this week: 2026-W47, “last week”, or a day in it.",
)
@click.option("--source", help="Where it comes from: a meeting, a link. Kept, never fetched.")
@graph_options.all_options
@click.pass_context
def remember_command(ctx: click.Context, /, text: tuple[str, ...], about: tuple[str, ...], **options: Any) -> None:
    """Keep a note as it is, and show what is recognised in it. A TEXT of - is read from standard input.

    Nothing but the text is recorded: names and facts that are new are proposed, with the command that records them.

    \b
    kg remember "Priya reports to Ada. We decided to use PostgreSQL." --about Atlas
    kg remember - --at 2026-05-01 < notes.txt
    """
    episode_text = _read_standard_input() if text == ("-",) else " ".join(text)
    arguments = {name: value for name, value in options.items() if value is not None}
    if about:
        arguments["about"] = list(about)
    with graph_options.open_graph(ctx, create=True) as graph:
        answer = graph.call("remember", text=episode_text, **arguments)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        show_remembered(answer)


def _read_week(ctx: click.Context, param: click.Parameter, week: str | None) -> str | None:
    """An ISO week as it is, or a day that is said in words."""
    if week is None or _ISO_WEEK.fullmatch(week.strip()):
        return week
    return dates.BEGINNING.convert(week, param, ctx)


def _read_standard_input() -> str:
    content = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise errors.EpisodeInvalid(f"the text has more than {_MAX_BYTES:,} bytes", hint="Divide it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise errors.EpisodeInvalid("the text is not UTF-8", hint="Convert it to UTF-8 first.") from error


def show_remembered(answer: dict[str, Any]) -> None:
    is_known = answer["deduplicated"]
    click.secho("Known already: " if is_known else "Remembered: ", fg=None if is_known else "green", nl=False)
    click.echo(f"{terminal.printable(answer['name'])}  ({answer['doc_id']})")
    if answer["about"]:
        created = answer.get("auto_created_entities", ())
        names = [f"{entity['name']} (new)" if entity in created else entity["name"] for entity in answer["about"]]
        click.echo(f"  about {_join_names(names)}")
        terminal.show_near_names(answer.get("possible_duplicates", ()))
    elif answer["group_id"] != "default":
        click.echo(f"  in the group {terminal.printable(answer['group_id'])}")
    if week := answer.get("narrative_for"):
        click.echo(f"  the narrative of week {week}")
    if answer["mentions"]:
        click.echo(f"  mentions {_join_names([fact['name'] for fact in answer['mentions']])}")
    if answer["proposed_entities"]:
        click.echo(f"  new names: {_join_names([fact['name'] for fact in answer['proposed_entities']])}")
    for fact in answer["proposed_facts"][:_MAX_SHOWN]:
        click.echo(f"  perhaps: {_record_command(fact['arguments'])}")
    if (hidden := len(answer["proposed_facts"]) - _MAX_SHOWN) > 0:
        click.echo(f"  … and {hidden} more")


def _join_names(names: list[str]) -> str:
    shown = ", ".join(map(terminal.printable, names[:_MAX_SHOWN]))
    return f"{shown} and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else shown


def _record_command(arguments: dict[str, Any]) -> str:
    """The command that records a proposed fact."""
    subject, target = arguments["subject"], arguments["object"]
    object = f"={target['literal']}" if "literal" in target else f"{target['type']}:{target['name']}"
    command = ["kg", "record", f"{subject['type']}:{subject['name']}", arguments["predicate"], object]
    since = ["--from", arguments["valid_from"]] if "valid_from" in arguments else []
    return terminal.printable(shlex.join([*command, *since]))
