"""Adding in one line: `kg add`, `kg remember`, and what has a verb of its own (`kg decide`, `kg remind`, `kg tag`)."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.record import read_fact, read_reference, record
from keepgraph.english import listed
from keepgraph.graph import Graph

# `kg remember`: keeps a text and shows what was detected in it.

_MAX_SHOWN = 8
_MAX_BYTES = 8_000_000
_ISO_WEEK = re.compile(r"\d{4}-?[Ww]\d{1,2}")


@click.command("remember")
@click.argument("text", nargs=-1, required=True)
@click.option("--about", multiple=True, metavar="NAME", help="What it is about, if TEXT does not say; may be repeated.")
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
@click.option("--always/--not-always", default=None, help="Always include it in `kg about`.")
@graph_options.all_options
def remember_command(ctx: click.Context, /, text: tuple[str, ...], about: tuple[str, ...], **options: Any) -> None:
    """Keep a note as it is, and show what is recognised in it. With - as TEXT, standard input is read.

    Only the text is recorded. New names and facts are proposed, with the command that records them.

    \b
    kg remember "Priya reports to Ada. We decided to use PostgreSQL." --about Atlas
    kg remember - --at 2026-05-01 < notes.txt
    """
    episode_text = _read_standard_input() if text == ("-",) else " ".join(text)
    answer = graph_options.call(ctx, "remember", text=episode_text, about=list(about) or None, **options, create=True)
    graph_options.show(ctx, answer, _show_remembered)


@click.command("pin")
@click.argument("what", nargs=-1, required=True)
@click.option("--off", is_flag=True, help="No longer always include it.")
@graph_options.all_options
def pin_command(ctx: click.Context, /, what: tuple[str, ...], off: bool) -> None:
    """Always include a fact or a text in `kg about`.

    WHAT is the id of a fact, or the id, the title or words of a text.

    What holds in one project only is included when that project is asked about.

    \b
    kg pin fact_01kbxk3v9z6m2c8d4e5f6g7h8j
    kg pin "Release checklist"
    kg pin "Release checklist" --off
    """
    answer = graph_options.call(ctx, "pin", what=" ".join(what), pinned=not off)
    if graph_options.show_json(ctx, answer):
        return
    done = "Pinned" if answer["pinned"] else "No longer pinned"
    click.secho(f"{done}: " if answer["changed"] else f"{done} already: ", fg="green", nl=False)
    click.echo(f"{terminal.printable(answer['text'])}  ({answer['id']})")


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
        click.echo(f"  about {terminal.printable(listed(names, _MAX_SHOWN))}")
        terminal.show_near_names(answer.get("possible_duplicates", ()))
    elif answer["group_id"] != "default":
        click.echo(f"  in the group {terminal.printable(answer['group_id'])}")
    if week := answer.get("narrative_for"):
        click.echo(f"  the narrative of week {week}")
    if answer["mentions"]:
        names = [entity["name"] for entity in answer["mentions"]]
        click.echo(f"  mentions {terminal.printable(listed(names, _MAX_SHOWN))}")
    if answer["proposed_entities"]:
        names = [entity["name"] for entity in answer["proposed_entities"]]
        click.echo(f"  new names: {terminal.printable(listed(names, _MAX_SHOWN))}")
    for fact in answer["proposed_facts"][:_MAX_SHOWN]:
        click.echo(f"  perhaps: {_record_command(fact['arguments'])}")
    if hidden := terminal.more(len(answer["proposed_facts"]) - _MAX_SHOWN):
        click.echo(f"  {hidden}")


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
_DETAILS = {"due": "a day (--due)", "aliases": "other names (--alias)", "project": "a project (--project)"}
_TYPED = "Each is TYPE:NAME: `kg add person:Ana project:Atlas`."
_ADDRESSED = re.compile(r"^me(?: to)?(?: |$)", re.IGNORECASE)
"""What may follow “remind” in a sentence before the task."""


@click.command("add")
@click.argument("words", nargs=-1, required=True, shell_complete=graph_options.complete_typed_name)
@click.option("--due", metavar="WHEN", help="The day by which the entity has to be done: Friday.")
@click.option("--alias", "aliases", multiple=True, help="Another name of the entity; may be repeated.")
@click.option("--project", metavar="NAME", help="The project that the entity belongs to, or the note is about.")
@graph_options.all_options
def add_command(ctx: click.Context, /, words: tuple[str, ...], **details: Any) -> None:
    """Add entities (TYPE:NAME each), a fact (three WORDS, as `kg record` takes them), or a note (anything else).

    The result is shown. `kg record` and `kg remember` have more options.

    \b
    kg add person:Ana
    kg add person:Ana project:Atlas
    kg add "task:Renew the permit" --due Friday --project Atlas
    kg add Ana works_on Atlas
    kg add "Ana called: the licence comes on Friday."
    """
    details = {name: value for name, value in details.items() if value}
    kind, rest = words[0].casefold(), words[1:]
    with graph_options.open_graph(ctx, create=True) as graph:
        if rest and kind in _NOTE_WORDS:
            done = "note", _remember(graph, rest, details)
        elif len(rest) == 3 and kind in _FACT_WORDS:
            done = "fact", _record(graph, rest, details)
        else:
            done = _add(graph, rest if rest and kind in _ENTITY_WORDS else words, details)
    _show(ctx, *done)


def _show(ctx: click.Context, kind: str, answer: dict[str, Any]) -> None:
    """Show what was added: an answer of the tool that adds things of this kind."""
    graph_options.show(ctx, answer, _SHOW[kind])


def _add(graph: Graph, words: tuple[str, ...], details: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind of what was added (entities, facts or a note), and the answer of the tool."""
    types = graph_options.entity_types(graph)
    if len(words) > 1 and all(_is_typed(word, types) for word in words):
        _refuse(details, "several entities", allowed=())
        if not all(word.partition(":")[2].strip() for word in words):
            raise errors.SubjectRequired("a name is missing", hint=_TYPED)
        return "entities", {"added": [_add_entity(graph, *word.split(":", 1)) for word in words]}
    prefix, _, name = words[0].partition(":")
    is_typed = _is_typed(words[0], types)
    if len(words) == 3:
        try:
            return "fact", _record(graph, words, details)
        except errors.PredicateUnknown as error:
            if is_typed or words[2].startswith("=") or _resembles(words[1], error.candidates):
                raise
    if is_typed and _is_name(words[1:]):
        return _add_with_details(graph, prefix, " ".join([name, *words[1:]]), details)
    if len(words) > 1 and words[0].casefold() in types and (len(words) == 2 or _is_name(words[1:])):
        return _add_with_details(graph, words[0], " ".join(words[1:]), details)
    return "note", _remember(graph, words, details)


def _remember(graph: Graph, words: tuple[str, ...], details: dict[str, Any]) -> dict[str, Any]:
    _refuse(details, "a note", allowed=("project",))
    return graph.call("remember", text=" ".join(words), **details)


def _refuse(details: Mapping[str, Any], what: str, *, allowed: Collection[str]) -> None:
    """Refuse details that what is added cannot have, before anything is recorded."""
    if refused := [_DETAILS[name] for name in details if name not in allowed]:
        raise errors.InvalidArguments(
            f"this adds {what}, which cannot have {' or '.join(refused)}",
            hint="Name one entity by its type: `kg add task:NAME --due Friday`.",
        )


def _add_with_details(graph: Graph, entity_type: str, name: str, details: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Add an entity with its day, its project and its other names: all or nothing, in one call if it has facts.

    The predicate reads the day: “Friday” is the next one.
    """
    if not name.strip():
        raise errors.SubjectRequired("a name is missing", hint=_TYPED)
    entity = {"type": entity_type.strip().casefold(), "name": name.strip()}
    facts: list[dict[str, Any]] = []
    if due := details.get("due"):
        facts.append({"subject": entity, "predicate": "due_on", "object": {"literal": due}})
    if project := details.get("project"):
        facts.append({"subject": entity, "predicate": "belongs_to", "object": _of_type("project", project)})
    aliases = [_text((alias,)) for alias in details.get("aliases", ())]
    if facts:
        facts[0] |= {"aliases": aliases} if aliases else {}
        return "facts", _record_all(graph, facts)
    answer = _add_entity(graph, **entity)
    for alias in aliases:
        answer["entity"] = graph.call("add_alias", entity={"id": answer["entity"]["id"]}, alias=alias)["entity"]
    return "entity", answer


def _record_all(graph: Graph, facts: list[dict[str, Any]]) -> dict[str, Any]:
    """Record all of some facts in one call, or none. The user did not write a list: errors name no position in it."""
    try:
        return graph.call("record_facts", facts=facts, all_or_nothing=True)
    except errors.KeepgraphError as error:
        error.message = re.sub(r"^facts\[\d+\]: ", "", error.message)
        if isinstance(error, errors.LiteralInvalid):  # the only literal that a user writes here is a day
            error.hint = dates.EXAMPLES
        raise


def _of_type(entity_type: str, name: str) -> dict[str, str]:
    """A reference to the entity of this name, of this type unless the name gives another."""
    reference = read_reference(name, errors.ObjectRequired)
    return reference if "id" in reference else {"type": entity_type, **reference}


def _is_typed(word: str, types: Collection[str]) -> bool:
    """Whether a word is TYPE:NAME with a type of the vocabulary."""
    prefix, colon, _ = word.partition(":")
    return bool(colon) and prefix.strip().casefold() in types


def _add_entity(graph: Graph, type: str, name: str) -> dict[str, Any]:
    return graph.call("add_entity", entity={"type": type.strip().casefold(), "name": name.strip()})


def _record(graph: Graph, words: tuple[str, ...], details: dict[str, Any]) -> dict[str, Any]:
    _refuse(details, "a fact", allowed=("aliases",))
    subject, predicate, target = words
    options = {name: list(values) for name, values in details.items()}
    return record(graph, read_fact(subject, predicate, target, options))[0]


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


def _show_each(show: Callable[[dict[str, Any]], None], part: str) -> Callable[[dict[str, Any]], None]:
    def show_all(answer: dict[str, Any]) -> None:
        for each in answer[part]:
            show(each)

    return show_all


_SHOW = {
    "entity": _show_entity,
    "entities": _show_each(_show_entity, "added"),
    "fact": answers.show_recorded,
    "facts": _show_each(answers.show_recorded, "results"),
    "note": _show_remembered,
}


@click.command("decide")
@click.argument("decision", nargs=-1, required=True)
@click.option("--by", metavar="NAME", help="Who decided it; by default you (see kg me).")
@click.option("--project", metavar="NAME", help="The project that it belongs to.")
@click.option("--on", "valid_from", metavar="WHEN", type=dates.BEGINNING, help="When: yesterday; by default today.")
@click.option("--source", help="Where it was decided, and why. Stored, never fetched.")
@graph_options.all_options
def decide_command(
    ctx: click.Context, /, decision: tuple[str, ...], by: str | None, project: str | None, **options: Any
) -> None:
    """Record a decision, who made it, and its project.

    `kg decisions` lists decisions; `kg review` decides on proposals.

    \b
    kg decide "Adopt SQLite" --by Priya --project Atlas --source standup
    """
    entity = {"type": "decision", "name": _name("decision", _text(decision))}
    facts = [{"subject": _of_type("person", by or "me"), "predicate": "decided_in", "object": entity, **options}]
    if project:
        facts.append({"subject": entity, "predicate": "belongs_to", "object": _of_type("project", project), **options})
    with graph_options.open_graph(ctx, create=True) as graph:
        try:
            answer = _record_all(graph, facts)
        except errors.EntityNotFound as error:
            if by is None:
                error.hint = "Name who decided it with `--by NAME`, or say who you are: `kg me NAME`."
            raise
    _show(ctx, "facts", answer)


@click.command("remind")
@click.argument("task", nargs=-1, required=True)
@click.option("--due", metavar="WHEN", help="The day by which it has to be done: “next Friday”.")
@click.option("--project", metavar="NAME", help="The project that it belongs to.")
@graph_options.all_options
def remind_command(ctx: click.Context, /, task: tuple[str, ...], **details: Any) -> None:
    """Record a task, for `kg next` and `kg week` to show until it is done.

    Keepgraph shows it when you ask, and sends no notification.

    \b
    kg remind me to renew the permit --due "next Friday" --project Atlas
    kg done "renew the permit"
    """
    name = _name("task", _ADDRESSED.sub("", _text(task)))
    with graph_options.open_graph(ctx, create=True) as graph:
        kind, answer = _add_with_details(graph, "task", name, {name: value for name, value in details.items() if value})
        next_steps = graph.call("list_next_steps")
    _show(ctx, kind, answer)
    if graph_options.wants_json(ctx):
        return
    if not details["due"] and answer.get("created"):
        click.secho("  it has no due date: add one with --due WHEN", dim=True)
    recorded = answer["entity"] if kind == "entity" else answer["results"][0]["subject"]
    if len(next_steps["actions"]) == next_steps["totals"]["actions"] and all(
        action["id"] != recorded["id"] for action in next_steps["actions"]
    ):
        click.secho("  kg next does not show it: it is tagged as done, or blocked", fg="yellow")


@click.command("tag")
@click.argument("name", shell_complete=graph_options.complete_typed_name)
@click.argument("tags", nargs=-1, required=True)
@graph_options.all_options
def tag_command(ctx: click.Context, name: str, tags: tuple[str, ...]) -> None:
    """Tag the entity NAME; each of TAGS is a word or a phrase.

    \b
    kg tag Atlas active urgent
    """
    subject = read_reference(name, errors.SubjectRequired)
    facts = [{"subject": subject, "predicate": "tagged", "object": {"literal": _text((tag,))}} for tag in tags]
    with graph_options.open_graph(ctx, create=True) as graph:
        answer = {"results": [record(graph, fact)[0] for fact in facts]}
    _show(ctx, "facts", answer)


def record_resolution(graph: Graph, task_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Record that a task is resolved: by something, or as done; returns the answer of record_fact."""
    resolution = {
        "subject": {"id": task_id},
        "predicate": "resolved_by",
        "object": given["by"] or {"literal": "done"},
        "valid_from": given["resolved_at"],
        "source": given["source"],
    }
    return record(graph, resolution)[0]


def _name(entity_type: str, text: str) -> str:
    """A name without its type before it (“task:Renew the permit”).

    Raises:
        errors.InvalidArguments: it is empty.
    """
    prefix, colon, name = text.partition(":")
    return _text([name if colon and prefix.strip().casefold() == entity_type else text])


def _text(words: Sequence[str]) -> str:
    """Words as one text.

    Raises:
        errors.InvalidArguments: it is empty.
    """
    if text := " ".join(words).strip():
        return text
    raise errors.InvalidArguments("the text is empty", hint="Write it after the command.")
