"""`kg remember`."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import render

_SHOWN = 8
_MOST_CHARACTERS = 8_000_000


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option("--about", multiple=True, metavar="NAME", help="What it is about, if it does not say; may be repeated.")
@click.option("--at", "reference_time", metavar="WHEN", help="When it is of: 2026-05-01, or an instant; else now.")
@click.option("--source", help="Where it comes from: a meeting, a link. Kept, never fetched.")
@graph_options.takes_graph
@click.pass_context
def remember_command(ctx: click.Context, /, text: tuple[str, ...], about: tuple[str, ...], **options: Any) -> None:
    """Keep a note as it is, and show what is recognised in it. A TEXT of - is read from standard input.

    Nothing but the text is recorded: names and facts that are new are proposed, with the command that records them.

    \b
    kg remember "Priya reports to Ada. We decided to use PostgreSQL." --about Atlas
    kg remember - --at 2026-05-01 < notes.txt
    """
    note = _read() if text == ("-",) else " ".join(text)
    given = {name: value for name, value in options.items() if value is not None}
    if about:
        given["about"] = list(about)
    with graph_options.opened(ctx, create=True) as graph:
        answer = graph.call("remember", text=note, **given)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        _show(answer)


def _read() -> str:
    said = sys.stdin.buffer.read(_MOST_CHARACTERS + 1)
    if len(said) > _MOST_CHARACTERS:
        raise errors.EpisodeInvalid(f"the text has more than {_MOST_CHARACTERS:,} bytes", hint="Divide it.")
    try:
        return said.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise errors.EpisodeInvalid("the text is not UTF-8", hint="Convert it to UTF-8 first.") from error


def _show(answer: dict[str, Any]) -> None:
    known = answer["deduplicated"]
    click.secho("Known already: " if known else "Remembered: ", fg=None if known else "green", nl=False)
    click.echo(f"{render.printable(answer['name'])}  ({answer['doc_id']})")
    if answer["mentions"]:
        click.echo(f"  mentions {_listed([each['name'] for each in answer['mentions']])}")
    if answer["proposed_entities"]:
        click.echo(f"  new names: {_listed([each['name'] for each in answer['proposed_entities']])}")
    for each in answer["proposed_facts"][:_SHOWN]:
        click.echo(f"  perhaps: {_command(each['arguments'])}")
    if (left := len(answer["proposed_facts"]) - _SHOWN) > 0:
        click.echo(f"  … and {left} more")


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(render.printable, names[:_SHOWN]))
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown


def _command(arguments: dict[str, Any]) -> str:
    """The command that records a fact."""
    subject, target = arguments["subject"], arguments["object"]
    said = f"={target['literal']}" if "literal" in target else f"{target['type']}:{target['name']}"
    words = ["kg", "record", f"{subject['type']}:{subject['name']}", arguments["predicate"], said]
    return render.printable(shlex.join(words))
