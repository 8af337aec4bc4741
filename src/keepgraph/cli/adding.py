"""`kg add`: adds an entity, a fact or a note, told apart by the number and form of the words."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.record import read_object, read_reference, record
from keepgraph.graph import Graph

# `kg remember`: keeps a text and shows what was detected in it.

_MAX_SHOWN = 8
_MAX_BYTES = 8_000_000
_ISO_WEEK = re.compile(r"\d{4}-?[Ww]\d{1,2}")


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option("--about", multiple=True, metavar="NAME", help="What it is about, if unsaid; may be repeated.")
@click.option("--project", metavar="NAME", help="The project it is about, or the id of a group.")
@click.option("--at", "reference_time", metavar="WHEN", type=dates.BEGINNING, help="Its date: yesterday, 2026-05-01.")
@click.option(
    "--for-week",
    "narrative_for",
    metavar="WEEK",
    callback=lambda *given: _read_week(*given),
    help="Keep it as the story of this week: 2026-W47, “last week”, or a day in it.",
)
@click.option("--source", help="The source: a meeting, a link. Stored, never fetched.")
@graph_options.all_options
@click.pass_context
def remember_command(ctx: click.Context, /, text: tuple[str, ...], about: tuple[str, ...], **options: Any) -> None:
    """Keep a note as it is, and show what is recognised in it. With - as TEXT, standard input is read.

    Only the text is recorded. New names and facts are proposed, with the command that records them.

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
        _show_remembered(answer)


def _read_week(ctx: click.Context, param: click.Parameter, week: str | None) -> str | None:
    """An ISO week as given, or that of a day in words."""
    if week is None or _ISO_WEEK.fullmatch(week.strip()):
        return week
    return dates.BEGINNING.convert(week, param, ctx)


def _read_standard_input() -> str:
    content = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise errors.EpisodeInvalid(f"the text has more than {_MAX_BYTES:,} bytes", hint="Split it.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise errors.EpisodeInvalid("the text is not UTF-8", hint="Convert it to UTF-8 first.") from error


def _show_remembered(answer: dict[str, Any]) -> None:
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


_NOTE_WORDS = {"note", "text", "memory"}
_FACT_WORDS = {"fact", "relation"}
_ENTITY_WORDS = {"entity"}


@click.command("add")
@click.argument("words", nargs=-1, required=True, shell_complete=graph_options.complete_typed_name)
@graph_options.all_options
@click.pass_context
def add_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Add entities (TYPE:NAME each), a fact (three WORDS, as `kg record` takes them), or a note (anything else).

    The result is shown. `kg record` and `kg remember` have more options.

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
    """The kind of what was added (entities, a fact or a note), and the answer of the tool."""
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
    """Whether a word seems to be a predicate with a typo."""
    from difflib import get_close_matches

    return "_" in word or bool(get_close_matches(word, predicates, n=1, cutoff=0.8))


def _is_name(words: tuple[str, ...]) -> bool:
    """Whether these words may continue an unquoted name: each begins with a capital or a digit."""
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


_SHOW = {"entity": _show_entity, "entities": _show_entities, "fact": answers.show_recorded, "note": _show_remembered}
