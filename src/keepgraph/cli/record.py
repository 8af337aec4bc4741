"""`kg record`."""

from __future__ import annotations

from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import render


@click.command("record")
@click.argument("subject", shell_complete=graph_options.complete_typed_name)
@click.argument("predicate", shell_complete=graph_options.complete_predicate)
@click.argument("object", shell_complete=graph_options.complete_typed_name)
@click.option("--source", help="Where it comes from: a link, a meeting, a message. Kept, never fetched.")
@click.option("--confidence", type=float, help="From 0 to 1; 1 if not given.")
@click.option("--from", "valid_from", metavar="WHEN", help="When it began to hold: 2026-05-01, or an instant.")
@click.option("--to", "valid_to", metavar="WHEN", help="When it ended.")
@click.option("--alias", "aliases", multiple=True, help="Another name of the subject; may be repeated.")
@click.option("--supersedes", multiple=True, metavar="FACT", help="A fact (its id) that ends now; may be repeated.")
@graph_options.takes_graph
@click.pass_context
def record_command(ctx: click.Context, /, subject: str, predicate: str, object: str, **options: Any) -> None:
    """Record one fact.

    SUBJECT and OBJECT are type:name, or an id (ent_…). An OBJECT of =text is a literal: a tag, a status, a note.

    \b
    kg record person:Priya decided_in "decision:Adopt SQLite" --source "standup"
    kg record project:Atlas tagged =active
    """
    options["aliases"] = list(options["aliases"]) or None
    options["supersedes"] = list(options["supersedes"]) or None
    # Read before the file is opened, so that a slip in it leaves no new file behind.
    arguments = {
        "subject": _reference(subject, errors.SubjectRequired, "subject"),
        "predicate": predicate,
        "object": {"literal": object[1:]}
        if object.startswith("=")
        else _reference(object, errors.ObjectRequired, "object"),
        **{name: value for name, value in options.items() if value is not None},
    }
    with graph_options.opened(ctx, create=True) as graph:
        answer = graph.call("record_fact", **arguments)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        render.recorded(answer)


def _reference(text: str, missing: type[errors.KeepgraphError], role: str) -> dict[str, str]:
    """`type:name` or an id, as the tool takes it."""
    if text.lower().startswith("ent_"):
        return {"id": text}
    kind, colon, name = text.partition(":")
    if not colon or not kind.strip():
        literal = ", or write =text for a literal" if role == "object" else ""
        raise missing(
            f"the {role} “{render.printable(text[:80])}” has no type",
            hint=f"Put the type before the name, as in person:Priya or project:Atlas{literal}.",
        )
    return {"type": kind.strip().lower(), "name": name}
