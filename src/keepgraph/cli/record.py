"""`kg record`: records one fact."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any

import click

from keepgraph import errors, lazy
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.graph import Graph

_BEGINNING = dates.DateOption(error=errors.ValidityInvalid)
_END = dates.DateOption(end=True, error=errors.ValidityInvalid)

_MAX_WORDS_OF_SENTENCE = 12
_MAX_WORDS_OF_PREDICATE = 4
_FACT_ID = lazy.compile("fact_[0-9a-z]{26}")


@click.command("record")
@click.argument("subject", shell_complete=graph_options.complete_typed_name)
@click.argument("predicate", required=False, shell_complete=graph_options.complete_predicate)
@click.argument("object", required=False, shell_complete=graph_options.complete_typed_name)
@click.option("--source", help="The source: a link, a meeting, a message. Stored, never fetched.")
@click.option("--confidence", type=float, help="From 0 to 1; by default 1.")
@click.option("--from", "valid_from", metavar="WHEN", type=_BEGINNING, help="When it began: “in March”.")
@click.option("--to", "valid_to", metavar="WHEN", type=_END, help="When it ended: yesterday, 2026-05-01.")
@click.option("--alias", "aliases", multiple=True, help="Another name of the subject; may be repeated.")
@click.option("--supersedes", multiple=True, metavar="FACT", help="A fact (its id) that ends now; may be repeated.")
@click.option("--project", metavar="NAME", help="The only project in which it holds.")
@click.option("--always/--not-always", default=None, help="Always include it in `kg about`.")
@graph_options.all_options
def record_command(
    ctx: click.Context, /, subject: str, predicate: str | None, object: str | None, **options: Any
) -> None:
    """Record one fact.

    SUBJECT and OBJECT are names. You may leave out the type of a known name, and the only type that the predicate
    connects; otherwise write type:name, or an id (ent_…). An unknown OBJECT is a text if the predicate takes anything;
    =text always is. A sentence about known names may stand in place of the three.

    \b
    kg record person:Priya decided_in "decision:Adopt SQLite" --source "standup"
    kg record Priya "works for" Acme --from "last March"
    kg record project:Atlas tagged active
    kg record "task:Renew the passport" due_on "next Friday"
    kg record Atlas blocked_by "waiting for the licence"
    kg record "Priya works at Acme"
    """
    options["aliases"] = list(options["aliases"]) or None
    options["supersedes"] = list(options["supersedes"]) or None
    if predicate is not None and object is None:
        raise errors.ObjectRequired("the object is missing", hint="Write `kg record SUBJECT PREDICATE OBJECT`.")
    # Parsed before the graph is opened, so that a mistake creates no new file.
    given = {} if predicate is None or object is None else read_fact(subject, predicate, object, options)
    with graph_options.open_graph(ctx, create=True) as graph:
        given = given or _read_sentence(graph, subject, options)
        answer, is_taken_as_text = record(graph, given)
        merged = None
        if not graph_options.wants_json(ctx) and sys.stdin.isatty():
            of_same_type = [near for near in answer["possible_duplicates"] if near["type"] == near["new"]["type"]]
            merged = _ask_to_merge(graph, of_same_type)
            answer["possible_duplicates"] = [near for near in answer["possible_duplicates"] if near not in of_same_type]
    if not graph_options.show_json(ctx, answer):
        answers.show_recorded(answer)
        if merged:
            new, kept = merged["absorbed"], merged["entity"]
            click.echo(
                f"  “{terminal.entity_name(new)}” is now another name of {terminal.entity_name(kept)} "
                f"(kg undo {merged['call']})"
            )
        if is_taken_as_text and object and not object[:1].islower():
            line = _line(subject, given["predicate"], f"TYPE:{object}")
            click.secho(f"  “{terminal.printable(object)}” is a text; to name an entity: {line}", dim=True)
        for role in ("subject", "object"):
            if _is_name_alone(given[role]):
                _show_type(given[role]["name"], answer)


def read_fact(subject: str, predicate: str, object: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of record_fact for the three words of a command line."""
    subject_ = read_reference(subject, errors.SubjectRequired)
    return {"subject": subject_, "predicate": predicate, "object": read_object(object), **options}


def _read_sentence(graph: Graph, sentence: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of record_fact for a sentence about two known names: “Priya works at Acme”.

    Raises:
        errors.InvalidArguments: it is not read so.
    """
    known = cache(partial(_find_known, graph))  # a subject stands before each predicate that may follow it
    for subject, predicate, *rest in divide(sentence.rstrip(" .")):
        if rest and (begin := known(subject)) and (end := known(rest[0])):
            with suppress(errors.PredicateUnknown):
                graph.call("describe_word", word=predicate, kind="predicate")
                return read_fact(begin, predicate, end, options)
    raise errors.InvalidArguments(
        f"“{terminal.printable(sentence[:80])}” is no fact about two known names",
        hint="Write `kg record person:Ana works_at organisation:Acme`; to keep a text: `kg remember TEXT`.",
    )


def _find_known(graph: Graph, name: str) -> str | None:
    """The id of what has exactly this name or alias; None if nothing has: “Jan Meier nicht” is only near a name."""
    answer = graph.call("recall_entity", name_or_alias=name)
    return answer["entity"]["id"] if answer["resolution"]["method"] in ("exact", "alias") else None


def record(graph: Graph, given: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The answer of record_fact, and whether the object was taken as a text: an unknown name after a predicate that
    takes anything.

    Raises:
        errors.EntityTypeUnknown: a name needs a type, or resembles a known one; the hint is the command to type.
    """
    try:
        return graph.call("record_fact", **given), False
    except errors.EntityTypeUnknown as error:
        example = error.example or {}
        target = given["object"]
        if _is_name_alone(target) and example.get("object", {}).get("name") == target["name"]:
            with suppress(errors.EntityTypeUnknown, errors.EndsInvalid):
                return graph.call("record_fact", **{**given, "object": {"literal": target["name"]}}), True
        error.hint = _typed_line(graph, given, error)
        raise


def read_object(text: str) -> dict[str, str]:
    """The object for `record_fact`: a literal from `=text`, else an entity reference.

    Raises:
        errors.ObjectRequired: it is empty.
    """
    return {"literal": text[1:]} if text.startswith("=") else read_reference(text, errors.ObjectRequired)


def read_reference(text: str, missing: type[errors.KeepgraphError]) -> dict[str, str]:
    """An entity reference for `record_fact` from `type:name`, a name alone, or an id.

    Raises:
        errors.SubjectRequired, errors.ObjectRequired: it is empty; which of them is `missing`.
    """
    if text.lower().startswith("ent_") or _FACT_ID.fullmatch(text.lower()):
        return {"id": text}
    entity_type, colon, name = text.partition(":")
    if colon and entity_type.strip() and not name.startswith("//"):  # https://… is not an entity of type https
        return {"type": entity_type.strip(), "name": name}
    if not text.strip(" :"):
        raise missing(f"“{terminal.printable(text[:80])}” is not a name", hint="Write a name, TYPE:NAME or an id.")
    return {"name": text.removeprefix(":")}


def divide(sentence: str) -> Iterator[tuple[str, ...]]:
    """Where the subject and the predicate of a sentence may end; longer predicates first: “works at” before “works”."""
    words = sentence.split()
    if len(words) > _MAX_WORDS_OF_SENTENCE:
        return
    for subject in range(1, len(words)):
        for predicate in range(min(len(words), subject + _MAX_WORDS_OF_PREDICATE), subject, -1):
            parts = (words[:subject], words[subject:predicate], words[predicate:])
            yield tuple(" ".join(part) for part in parts if part)


def _typed_line(graph: Graph, arguments: dict[str, Any], error: errors.EntityTypeUnknown) -> str:
    """The hint for a name that needs a type: the command to type, and the types that fit."""
    example = error.example or arguments
    subject, predicate, target = (example[part] for part in ("subject", "predicate", "object"))
    given = arguments["object"]
    may_be_text = _is_name_alone(given) and _takes_anything(graph, predicate)
    if may_be_text and given["name"] == target.get("name"):
        target = given
    hint = f"Type `{_line(_word(subject), predicate, _word(target))}`"
    hint += f" (types that fit: {', '.join(error.candidates)})." if error.candidates else "."
    if may_be_text and target != given:
        hint += f" For a text: `{_line(_word(subject), predicate, '=' + given['name'])}`."
    return hint


def _ask_to_merge(graph: Graph, possible_duplicates: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Ask which known entity a new one is; returns the answer of the merge, or None if it is none of them."""
    for existing in possible_duplicates:
        new = existing["new"]
        question = f"Is “{terminal.entity_name(new)}” the {existing['type']} “{terminal.entity_name(existing)}”?"
        if click.confirm(question, err=True):
            return graph.call("merge_entities", keep={"id": existing["id"]}, absorb={"id": new["id"]})
    return None


def _takes_anything(graph: Graph, predicate: str) -> bool:
    word = graph.call("describe_word", word=predicate, kind="predicate")
    return not word["targets"]


def _word(reference: Mapping[str, str]) -> str:
    """The subject or object of a fact as the command line takes it."""
    if "literal" in reference:
        return f"={reference['literal']}"
    name = reference.get("id") or reference["name"]
    return f"{reference['type']}:{name}" if reference.get("type") else name


def _line(*words: str) -> str:
    from keepgraph.command_arguments import quoted

    return " ".join(["kg record", *map(quoted, words)])


def _is_name_alone(reference: dict[str, str]) -> bool:
    return reference.keys() == {"name"}


def _show_type(name: str, answer: dict[str, Any]) -> None:
    """Show which entity a name without a type was taken for."""
    created = [entity["id"] for entity in answer["auto_created_entities"]]
    for entity in (answer["subject"], answer["object"]):
        is_it = entity.get("name", "").casefold() == name.strip().casefold()
        if is_it and entity["id"] not in created:
            click.echo(f"  “{terminal.printable(name)}” is the {entity['type']} {terminal.entity_name(entity)}")
            return
