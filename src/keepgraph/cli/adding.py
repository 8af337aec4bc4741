"""`kg add`: what one would guess: an entity, a fact, or a note, by the number and the form of the words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.record import read_object, read_reference, record
from keepgraph.cli.remember import show_remembered
from keepgraph.graph import Graph

_NOTE_WORDS = {"note", "text", "memory"}
_FACT_WORDS = {"fact", "relation"}
_ENTITY_WORDS = {"entity"}


@click.command("add")
@click.argument("words", nargs=-1, required=True, shell_complete=name_completion.complete_typed_name)
@graph_options.all_options
@click.pass_context
def add_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Add entities (TYPE:NAME each), a fact (three WORDS, as `kg record` takes them), or a note (anything else).

    What was done is shown. More can be said with `kg record` and `kg remember`.

    \b
    kg add person:Ana
    kg add person:Ana project:Atlas
    kg add Ana works_on Atlas
    kg add "Ana called: the licence comes on Friday."
    """
    kind, rest = words[0].casefold(), words[1:]
    with graph_options.open_graph(ctx, create=True) as graph:
        if rest and kind in _NOTE_WORDS:
            done = "note", graph.call("remember", text=" ".join(rest))
        elif len(rest) == 3 and kind in _FACT_WORDS:
            done = "fact", _record(graph, rest)
        else:
            done = _add(graph, rest if rest and kind in _ENTITY_WORDS else words)
    if graph_options.wants_json(ctx):
        terminal.show_json(done[1])
    else:
        _SHOW[done[0]](done[1])


def _add(graph: Graph, words: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """What was added, and the answer of the tool: entities, a fact or a note."""
    types = graph_options.entity_types(graph)
    if len(words) > 1 and all(_is_typed(word, types) for word in words):
        return "entities", {"added": _add_entities(graph, words)}
    prefix, _, name = words[0].partition(":")
    is_typed = _is_typed(words[0], types)
    if len(words) == 3:
        try:
            return "fact", _record(graph, words)
        except errors.PredicateUnknown as error:
            if is_typed or words[2].startswith("=") or _resembles(words[1], error.candidates):
                raise
    if is_typed and _is_name(words[1:]):
        return "entity", _add_entity(graph, prefix, " ".join([name, *words[1:]]))
    if len(words) > 1 and words[0].casefold() in types and (len(words) == 2 or _is_name(words[1:])):
        return "entity", _add_entity(graph, words[0], " ".join(words[1:]))
    return "note", graph.call("remember", text=" ".join(words))


def _is_typed(word: str, types: Collection[str]) -> bool:
    """Whether a word is TYPE:NAME with a type of the vocabulary."""
    prefix, colon, _ = word.partition(":")
    return bool(colon) and prefix.strip().casefold() in types


def _add_entities(graph: Graph, words: tuple[str, ...]) -> list[dict[str, Any]]:
    typed = [word.partition(":") for word in words]
    if not all(name.strip() for _, _, name in typed):
        raise errors.SubjectRequired("a name is missing", hint="Each is TYPE:NAME: `kg add person:Ana project:Atlas`.")
    return [_add_entity(graph, entity_type, name) for entity_type, _, name in typed]


def _add_entity(graph: Graph, entity_type: str, name: str) -> dict[str, Any]:
    return graph.call("add_entity", entity={"type": entity_type.strip().casefold(), "name": name.strip()})


def _record(graph: Graph, words: tuple[str, ...]) -> dict[str, Any]:
    subject, predicate, target = words
    answer, _ = record(
        graph,
        {
            "subject": read_reference(subject, errors.SubjectRequired),
            "predicate": predicate,
            "object": read_object(target),
        },
    )
    return answer


def _resembles(word: str, predicates: list[str]) -> bool:
    """Whether a word seems to be a predicate with a slip in it."""
    from difflib import get_close_matches

    return "_" in word or bool(get_close_matches(word, predicates, n=1, cutoff=0.8))


def _is_name(words: tuple[str, ...]) -> bool:
    """Whether these words may go on with a name that was not quoted: each begins with a capital or a digit."""
    return all(not word[:1].islower() for word in words)


def _show_entity(answer: dict[str, Any]) -> None:
    entity = answer["entity"]
    if answer["created"]:
        click.secho("Added: ", fg="green", nl=False)
    else:
        click.echo("Known already: ", nl=False)
    click.echo(f"{terminal.entity_name(entity)}  ({entity['type']})")
    for duplicate in answer["possible_duplicates"]:
        answers.show_possible_duplicate(entity, duplicate)


def _show_entities(answer: dict[str, Any]) -> None:
    for each in answer["added"]:
        _show_entity(each)


_SHOW = {"entity": _show_entity, "entities": _show_entities, "fact": answers.show_recorded, "note": show_remembered}
