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

    SUBJECT and OBJECT are type:name, or an id (ent_…). A name alone gets the type that the predicate connects, where
    there is only one. An OBJECT of =text is a literal: a tag, a status, a note.

    \b
    kg record person:Priya decided_in "decision:Adopt SQLite" --source "standup"
    kg record Priya "works for" Acme
    kg record project:Atlas tagged =active
    """
    options["aliases"] = list(options["aliases"]) or None
    options["supersedes"] = list(options["supersedes"]) or None
    # Parsed before the graph is opened, so that a mistake creates no new file.
    arguments = {
        "subject": _reference(subject, errors.SubjectRequired),
        "predicate": predicate,
        "object": {"literal": object[1:]} if object.startswith("=") else _reference(object, errors.ObjectRequired),
        **{name: value for name, value in options.items() if value is not None},
    }
    with graph_options.open_graph(ctx, create=True) as graph:
        try:
            answer = graph.call("record_fact", **arguments)
        except errors.EntityTypeUnknown as error:
            if untyped := [role for role in ("subject", "object") if _is_name_alone(arguments[role])]:
                literal = ", or write =text for a literal" if "object" in untyped else ""
                error.hint = f"{error.hint} Put the type before the name, as in person:Priya{literal}."
            raise
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_recorded(answer)
        for role in ("subject", "object"):
            if _is_name_alone(arguments[role]):
                _show_type(arguments[role]["name"], answer)


def _reference(text: str, missing: type[errors.KeepgraphError]) -> dict[str, str]:
    """An entity reference for `record_fact` from `type:name`, a name alone, or an id.

    Raises:
        errors.SubjectRequired, errors.ObjectRequired: it is empty; which of them is `missing`.
    """
    if text.lower().startswith("ent_"):
        return {"id": text}
    entity_type, colon, name = text.partition(":")
    if colon and entity_type.strip() and not name.startswith("//"):  # https://… is no entity of the type https
        return {"type": entity_type.strip(), "name": name}
    if not text.strip(" :"):
        raise missing(f"“{terminal.printable(text[:80])}” is no name")
    return {"name": text.removeprefix(":")}


def _is_name_alone(reference: dict[str, str]) -> bool:
    return reference.keys() == {"name"}


def _show_type(name: str, answer: dict[str, Any]) -> None:
    """Show which existing entity a name without a type was taken for."""
    created = [entity["id"] for entity in answer["auto_created_entities"]]
    for entity in (answer["subject"], answer["object"]):
        is_it = entity.get("name", "").casefold() == name.strip().casefold()
        if is_it and entity["id"] not in created:
            click.echo(f"  “{terminal.printable(name)}” is the {entity['type']} {terminal.entity_name(entity)}")
            return
