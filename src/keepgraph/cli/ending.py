"""`kg end` and `kg resolve`: a fact holds no longer, and a blocker is closed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options, name_completion
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.record import read_object, read_reference
from keepgraph.graph import Graph

_FACT_PREFIX = "fact_"
_MAX_WORDS_OF_SENTENCE = 12
_MAX_WORDS_OF_PREDICATE = 4


@click.command("end")
@click.argument("fact", nargs=-1, required=True, metavar="FACT…", shell_complete=name_completion.complete_name)
@click.option("--on", "valid_to", metavar="WHEN", type=dates.END, help="When it ended: yesterday, “in June”; else now.")
@click.option("--source", help="Where that comes from, or why.")
@graph_options.all_options
@click.pass_context
def end_command(ctx: click.Context, /, fact: tuple[str, ...], **options: str | None) -> None:
    """Say that a fact was true and holds no longer.

    FACT is its id (see `kg recall --ids`), or what it says: SUBJECT PREDICATE OBJECT, without the OBJECT if only one
    fits, each in quotes if it has several words; or all of it as a sentence. The day that is given still counts. A fact
    that has ended gets another end.

    \b
    kg end Ana works_at Acme --on "end of June"
    kg end Ana works_at
    """
    with graph_options.open_graph(ctx) as graph:
        given = {name: value for name, value in options.items() if value is not None}
        try:
            answer = _end(graph, fact, given)
        except (errors.Ambiguous, errors.FactNotFound) as error:
            if any(str(one.get("id", "")).startswith(_FACT_PREFIX) for one in _candidates(error)):
                error.hint = f"{error.hint or ''} Name one by its id: `kg end fact_…`.".strip()
            raise
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_ended(answer)


@click.command("resolve")
@click.argument("blocker", nargs=-1, required=True, metavar="BLOCKER…")
@click.option("--by", metavar="WHO", help="Who or what settled it: a name, type:name, or =text.")
@click.option("--project", "blocked", metavar="NAME", help="What is blocked, if its words may mean several blockers.")
@click.option("--on", "resolved_at", metavar="WHEN", type=dates.END, help="When it was settled: yesterday; else now.")
@click.option("--source", help="Where that comes from.")
@graph_options.all_options
@click.pass_context
def resolve_command(ctx: click.Context, /, blocker: tuple[str, ...], **options: str | None) -> None:
    """Close an open blocker: by its words, or words near to them, by what is blocked, or by its id.

    `kg week` lists the open ones. Where several may be meant, none is closed, and they are listed.

    \b
    kg resolve "waiting for the licence"
    kg resolve licence --by Ana --on yesterday
    kg resolve Atlas
    """
    text = " ".join(blocker)
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if "by" in given:
        given["by"] = read_object(given["by"])
    with graph_options.open_graph(ctx) as graph:
        if "blocked" in given:
            given["blocked"] = graph_options.entity_reference(graph, given["blocked"])
        try:
            may_ask = sys.stdin.isatty() and not graph_options.wants_json(ctx)
            answer = _resolve(graph, text, given, may_ask=may_ask)
        except (errors.Ambiguous, errors.FactNotFound) as error:
            if any(str(one.get("id", "")).startswith(_FACT_PREFIX) for one in _candidates(error)):
                error.hint = "Name the one you mean by its words or its id: `kg resolve fact_…`."
            raise
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        answers.show_resolved(answer)


def _end(graph: Graph, words: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """End the fact that is named by its id, its parts, or as a sentence.

    Raises:
        errors.InvalidArguments: the words name none.
    """
    if len(words) == 1 and words[0].lower().startswith(_FACT_PREFIX):
        return graph.call("end_fact", fact_id=words[0], **given)
    if len(words) in (2, 3):
        return graph.call("end_fact", **_name_parts(words), **given)
    nothing_open: errors.FactNotFound | None = None
    for parts in _divide(" ".join(words).split()):
        try:
            return graph.call("end_fact", **_name_parts(parts), **given)
        except errors.FactNotFound as error:
            nothing_open = nothing_open or error
        except (errors.EntityNotFound, errors.PredicateUnknown):
            continue
    raise nothing_open or errors.InvalidArguments(
        f"“{terminal.printable(' '.join(words)[:80])}” names no fact",
        hint='Give its id (`kg recall NAME --ids` shows it), or as in `kg end "Ana Ruiz" works_at Acme`: each name '
        "of several words in quotes.",
    )


def _divide(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Where the subject and the predicate of a sentence may end; longer predicates first: “works at” before “works”."""
    if len(words) > _MAX_WORDS_OF_SENTENCE:
        return
    for subject in range(1, len(words)):
        for predicate in range(min(len(words), subject + _MAX_WORDS_OF_PREDICATE), subject, -1):
            parts = (words[:subject], words[subject:predicate], words[predicate:])
            yield tuple(" ".join(part) for part in parts if part)


def _name_parts(words: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `end_fact` for a subject, a predicate, and perhaps an object."""
    arguments: dict[str, Any] = {
        "subject": read_reference(words[0], errors.SubjectRequired),
        "predicate": words[1],
    }
    if len(words) == 3:
        arguments["object"] = read_object(words[2])
    return arguments


def _resolve(graph: Graph, text: str, given: dict[str, Any], *, may_ask: bool) -> dict[str, Any]:
    """Close a blocker by its words; where no words fit, ask for one that means about the same."""
    try:
        return graph.call("resolve_blocker", blocker=text, **given)
    except errors.FactNotFound as error:
        if text.lower().startswith(_FACT_PREFIX):
            raise
        where = {"blocked": given["blocked"]} if "blocked" in given else {}
        near = graph.call("find_blockers", text=text, **where)["blockers"]
        if not near:
            raise
        error.candidates = [{"id": one["fact_id"], "text": one["text"]} for one in near]
        if not may_ask or not click.confirm(f"Do you mean “{terminal.printable(near[0]['text'])}”?"):
            raise
        return graph.call("resolve_blocker", blocker=near[0]["fact_id"], **given)


def _candidates(error: errors.KeepgraphError) -> list[dict[str, Any]]:
    return [candidate for candidate in error.candidates or () if isinstance(candidate, dict)]
