"""`kg record`: records one fact."""

from __future__ import annotations

from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import answers, terminal


@click.command("record")
@click.argument("subject", shell_complete=name_completion.complete_typed_name)
@click.argument("predicate", shell_complete=name_completion.complete_predicate)
@click.argument("object", shell_complete=name_completion.complete_typed_name)
@click.option("--source", help="Where it comes from: a link, a meeting, a message. Kept, never fetched.")
@click.option("--confidence", type=float, help="From 0 to 1; 1 if not given.")
@click.option("--from", "valid_from", metavar="WHEN", help="When it began to hold: 2026-05-01, or an instant.")
@click.option("--to", "valid_to", metavar="WHEN", help="When it ended.")
@click.option("--alias", "aliases", multiple=True, help="Another name of the subject; may be repeated.")
@click.option("--supersedes", multiple=True, metavar="FACT", help="A fact (its id) that ends now; may be repeated.")
@graph_options.all_options
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
    # Parsed before the graph is opened, so that a mistake creates no new file.
    arguments = {
        "subject": _reference(subject, errors.SubjectRequired, "subject"),
        "predicate": predicate,
        "object": {"literal": object[1:]}
        if object.startswith("=")
        else _reference(object, errors.ObjectRequired, "object"),
        **{name: value for name, value in options.items() if value is not None},
    }
    with graph_options.open_graph(ctx, create=True) as graph:
        answer = graph.call("record_fact", **arguments)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_recorded(answer)


def _reference(text: str, missing: type[errors.KeepgraphError], role: str) -> dict[str, str]:
    """An entity reference for `record_fact` from `type:name` or an id.

    Raises:
        errors.SubjectRequired, errors.ObjectRequired: it has no type; which of them is `missing`.
    """
    if text.lower().startswith("ent_"):
        return {"id": text}
    entity_type, colon, name = text.partition(":")
    if not colon or not entity_type.strip():
        literal = ", or write =text for a literal" if role == "object" else ""
        raise missing(
            f"the {role} “{terminal.printable(text[:80])}” has no type",
            hint=f"Put the type before the name, as in person:Priya or project:Atlas{literal}.",
        )
    return {"type": entity_type.strip().lower(), "name": name}
