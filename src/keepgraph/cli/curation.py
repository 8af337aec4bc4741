"""Curation: `kg alias`, `merge`, `retract`, `undo`, `log`, `history`, `duplicates` and `clear`."""

from __future__ import annotations

import sys
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.record import divide, read_object, read_reference
from keepgraph.graph import Graph

_DUPLICATES_SHOWN = 200


@click.command("alias")
@click.argument("entity", shell_complete=graph_options.complete_name)
@click.argument("alias")
@click.option("--project", metavar="NAME", help="Use the alias in this project only.")
@graph_options.all_options
def alias_command(ctx: click.Context, entity: str, alias: str, project: str | None) -> None:
    """Give ENTITY (a name, type:name or an id) another name, ALIAS.

    \b
    kg alias "Priya Sharma" Pri
    kg alias "Steering Committee" "the board" --project Atlas
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call(
            "add_alias", entity=graph_options.entity_reference(graph, entity), alias=alias, project=project or None
        )
    if graph_options.show_json(ctx, answer):
        return
    if not answer["entity"]["aliases"]:
        click.echo(f"{terminal.entity_name(answer['entity'])} is its name already")
        return
    already = "" if answer["added"] else " already"
    aliases = ", ".join(map(terminal.printable, answer["entity"]["aliases"]))
    click.echo(f"{terminal.entity_name(answer['entity'])} is{already} also called {aliases}")


@click.command("merge")
@click.argument("keep", shell_complete=graph_options.complete_name)
@click.argument("absorb", shell_complete=graph_options.complete_name)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@click.option("--across-types", is_flag=True, help="Even if their types differ, such as a person and a project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def merge_command(ctx: click.Context, keep: str, absorb: str, dry_run: bool, across_types: bool, yes: bool) -> None:
    """Merge ABSORB into KEEP, which takes over its facts and names. `kg undo` takes it back.

    \b
    kg merge Priya Pirya --dry-run
    """
    with graph_options.open_graph(ctx) as graph:
        arguments: dict[str, Any] = {
            "keep": graph_options.entity_reference(graph, keep),
            "absorb": graph_options.entity_reference(graph, absorb),
        }
        arguments["across_types"] = across_types
        quiet = graph_options.wants_json(ctx)
        if dry_run or not yes:
            plan = graph.call("merge_entities", **arguments, dry_run=True)
            if dry_run and quiet:
                terminal.show_json(plan)
            elif not quiet:
                answers.show_merge(plan)
            if dry_run:
                return
            terminal.confirm("Merge them?", quiet=quiet)
        answer = graph.call("merge_entities", **arguments)
    if quiet:
        terminal.show_json(answer)
    else:
        if yes:
            answers.show_merge(answer)
        click.echo(f"Merged. `kg undo {answer['call']}` takes it back.")


@click.command("retract")
@click.argument("fact", nargs=-1, required=True, metavar="FACT…", shell_complete=graph_options.complete_name)
@graph_options.all_options
def retract_command(ctx: click.Context, fact: tuple[str, ...]) -> None:
    """Retract a fact that was never true.

    FACT is what `kg end` takes: its id (see `kg recall --ids`), a sentence, or SUBJECT PREDICATE OBJECT.

    \b
    kg retract Ana works_at Acme
    kg retract fact_01…
    """
    with graph_options.open_graph(ctx) as graph:
        answer = _call_on_fact(graph, "retract_fact", fact)
    if graph_options.show_json(ctx, answer):
        return
    retracted = answer["fact"]
    status = "Retracted before" if answer["already_retracted"] else "Retracted"
    click.echo(
        f"{status}: {terminal.entity_name(retracted['subject'])} {retracted['predicate']} "
        f"{terminal.object_text(retracted['object'])}"
    )
    for reopened in answer.get("reopened_blockers", ()):
        click.echo(f"  open again: {terminal.printable(reopened['name'])}")
    for other in answer.get("still_said", ()):
        click.secho(f"  another fact says so: {terminal.printable(other['name'])}", fg="yellow")
        click.echo(f"    kg retract {other['id']}")
    if not answer["already_retracted"]:
        click.echo(f"  To take it back: kg undo {answer['call']}")


@click.command("undo")
@click.argument("call", type=click.IntRange(1), required=False)
@click.option("--change", type=click.IntRange(1), help="Take back only this change (see `kg history`).")
@graph_options.all_options
def undo_command(ctx: click.Context, call: int | None, change: int | None) -> None:
    """Take back CALL (a number from `kg log`), by default the last. An undo can be undone too.

    \b
    kg undo
    kg undo 12
    """
    answer = graph_options.call(ctx, "undo", call=call, change=change)
    if not graph_options.show_json(ctx, answer):
        click.echo(f"{terminal.printable(answer['message'])} To redo it: kg undo {answer['call']}")


@click.command("log")
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many calls.")
@graph_options.all_options
def log_command(ctx: click.Context, limit: int) -> None:
    """List the calls that changed the graph, newest first, with the numbers that `kg undo` takes.

    \b
    kg log -n 5
    """
    calls = graph_options.call(ctx, "list_calls", limit=limit)["calls"]
    if not graph_options.show_json(ctx, calls):
        answers.show_log(calls)


@click.command("history")
@click.argument("about", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("-n", "--limit", type=click.IntRange(1, 500), default=30, show_default=True, help="How many events.")
@graph_options.all_options
def history_command(ctx: click.Context, about: tuple[str, ...], limit: int) -> None:
    """Show what happened to ABOUT (a name, or the id of an entity or a fact). Exits with 3 if nothing matches.

    \b
    kg history Ana
    """
    name = " ".join(about)
    answer = graph_options.call(ctx, "get_history", about=name, limit=limit)
    graph_options.show_match(
        ctx,
        answer,
        answer["entity"] or answer["fact"],
        lambda: answers.show_history(answer, name=name),
        lambda: terminal.show_no_match(name, answer["resolution"]),
    )


@click.command("duplicates")
@click.argument("name", nargs=-1, shell_complete=graph_options.complete_name)
@graph_options.all_options
def duplicates_command(ctx: click.Context, name: tuple[str, ...]) -> None:
    """List possible duplicates, of NAME or of the whole graph. Nothing is changed.

    \b
    kg duplicates
    """
    with graph_options.open_graph(ctx) as graph:
        if name:
            entity = graph_options.entity_reference(graph, " ".join(name))
            pairs = graph.call("find_duplicates", entity=entity)["pairs"]
        else:
            pairs = _compare_all(graph, quiet=graph_options.wants_json(ctx))
    if not graph_options.show_json(ctx, pairs):
        answers.show_duplicates(pairs[:_DUPLICATES_SHOWN], total=len(pairs))


@click.command("clear")
@click.option("--everything", is_flag=True, help="All groups.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def clear_command(ctx: click.Context, everything: bool, yes: bool) -> None:
    """Delete all entities and facts of the group. `kg undo` brings them back.

    \b
    kg clear
    """
    with graph_options.open_graph(ctx) as graph:
        if not yes:
            terminal.confirm(f"Delete everything in {graph.path}?", quiet=graph_options.wants_json(ctx))
        answer = graph.call("clear_graph", everything=everything, confirm=True)
    if not graph_options.show_json(ctx, answer):
        undo = f" `kg undo {answer['call']}` brings all of it back." if answer["call"] else ""
        click.echo(f"{answer['message']}{undo}")
        click.secho("The journal and earlier backups still contain it. `kg purge` removes it there.", dim=True)


def _compare_all(graph: Graph, *, quiet: bool) -> list[dict[str, Any]]:
    """The possible duplicates of the whole graph, with a progress bar."""
    pairs: list[dict[str, Any]] = []
    after: int | None = 0
    with terminal.progress_bar(graph.call("count_entities")["count"], "Comparing", quiet=quiet) as bar:
        while after is not None:
            batch = graph.call("list_duplicates", after=after)
            bar.update(batch["compared"])
            pairs += batch["pairs"]
            after = batch["next"]
    return sorted(pairs, key=lambda pair: -pair["score"])


# `kg end`, `kg retract` and `kg resolve`: end a fact, close a blocker.

_FACT_PREFIX = "fact_"


@click.command("end")
@click.argument("fact", nargs=-1, required=True, metavar="FACT…", shell_complete=graph_options.complete_name)
@click.option("--on", "valid_to", metavar="WHEN", type=dates.END, help="When it ended: “in June”; by default now.")
@click.option("--source", help="The source, or the reason.")
@graph_options.all_options
def end_command(ctx: click.Context, /, fact: tuple[str, ...], **options: Any) -> None:
    """End a fact that was true and no longer is.

    FACT is its id (see `kg recall --ids`), a sentence, or SUBJECT PREDICATE OBJECT, each in quotes if it has several
    words; the OBJECT may be left out if only one fits. The given day is the last on which the fact is true. If the fact
    has already ended, its end is corrected.

    \b
    kg end Ana works_at Acme --on "end of June"
    kg end Ana works_at
    """
    with graph_options.open_graph(ctx) as graph:
        answer = _call_on_fact(graph, "end_fact", fact, **options)
    graph_options.show(ctx, answer, answers.show_ended)


@click.command("resolve")
@click.argument("blocker", nargs=-1, required=True, metavar="BLOCKER…")
@click.option("--by", metavar="WHO", help="Who or what resolved it: a name, type:name, or =text.")
@click.option("--project", "blocked", metavar="NAME", help="What is blocked, if the words fit several blockers.")
@click.option("--on", "resolved_at", metavar="WHEN", type=dates.END, help="When it was resolved; by default now.")
@click.option("--source", help="The source.")
@graph_options.all_options
def resolve_command(ctx: click.Context, /, blocker: tuple[str, ...], **options: Any) -> None:
    """Close an open blocker, named by its words or similar ones, by what is blocked, or by its id; or a task, by name.

    `kg next` lists them. If several match, they are listed and none is closed.

    \b
    kg resolve "waiting for the licence"
    kg resolve licence --by Ana --on yesterday
    kg resolve Atlas
    kg done "Renew the permit"
    """
    text = " ".join(blocker)
    if options["by"] is not None:
        options["by"] = read_object(options["by"])
    with graph_options.open_graph(ctx) as graph:
        if options["blocked"] is not None:
            options["blocked"] = graph_options.entity_reference(graph, options["blocked"])
        try:
            may_ask = sys.stdin.isatty() and not graph_options.wants_json(ctx)
            answer = _resolve(graph, text, options, may_ask=may_ask)
        except (errors.Ambiguous, errors.FactNotFound) as error:
            if any(str(one.get("id", "")).startswith(_FACT_PREFIX) for one in _candidates(error)):
                error.hint = "Name the one you mean by its words or its id: `kg resolve fact_…`."
            raise
    graph_options.show(ctx, answer, answers.show_resolved if "closed_blockers" in answer else answers.show_recorded)


def _call_on_fact(graph: Graph, tool: str, words: tuple[str, ...], **given: Any) -> dict[str, Any]:
    """Call end_fact or retract_fact on the fact named by its id, its parts, or a sentence.

    Raises:
        errors.InvalidArguments: the words name no fact.
        errors.Ambiguous: they name several, which are its candidates.
    """
    command = f"kg {tool.removesuffix('_fact')}"
    if len(words) == 1 and words[0].lower().startswith(_FACT_PREFIX):
        return graph.call(tool, fact_id=words[0], **given)
    not_holding: errors.FactNotFound | None = None
    for parts in [words] if len(words) in (2, 3) else divide(" ".join(words)):
        try:
            return graph.call(tool, **_name_parts(parts), **given)
        except (errors.Ambiguous, errors.FactNotFound) as error:
            if any(str(one.get("id", "")).startswith(_FACT_PREFIX) for one in _candidates(error)):
                error.hint = f"{error.hint or ''} Name one by its id: `{command} fact_…`.".strip()
            if isinstance(error, errors.Ambiguous):
                raise
            not_holding = not_holding or error
        except (errors.EntityNotFound, errors.PredicateUnknown):
            if parts is words:
                raise
    raise not_holding or errors.InvalidArguments(
        f"“{terminal.printable(' '.join(words)[:80])}” names no fact",
        hint=f'Give its id (`kg recall NAME --ids` shows it), or write `{command} "Ana Ruiz" works_at Acme`, each name '
        "of several words in quotes.",
    )


def _name_parts(words: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a tool for a subject, a predicate, and perhaps an object."""
    arguments: dict[str, Any] = {
        "subject": read_reference(words[0], errors.SubjectRequired),
        "predicate": words[1],
    }
    if len(words) == 3:
        arguments["object"] = read_object(words[2])
    return arguments


def _resolve(graph: Graph, text: str, given: dict[str, Any], *, may_ask: bool) -> dict[str, Any]:
    """Close a blocker by its words, else a task by its name; if none fits, ask about a blocker of similar meaning."""
    try:
        return graph.call("resolve_blocker", blocker=text, **given)
    except errors.FactNotFound as error:
        if text.lower().startswith(_FACT_PREFIX):
            raise
        from keepgraph.cli import adding

        named = graph.call("recall_entity", name_or_alias=text)
        if named["entity"] and named["entity"]["type"] == "task":
            if named["resolution"]["method"] not in ("exact", "alias"):
                error.candidates = [{name: named["entity"][name] for name in ("id", "type", "name")}]
                error.hint = "If you mean this task, write its whole name."
                raise
            return adding.record_resolution(graph, named["entity"]["id"], given)
        near = graph.call("find_blockers", text=text, blocked=given["blocked"])["blockers"]
        if not near:
            raise
        error.candidates = [{"id": one["fact_id"], "text": one["text"]} for one in near]
        if not may_ask or not click.confirm(f"Do you mean “{terminal.printable(near[0]['text'])}”?"):
            raise
        return graph.call("resolve_blocker", blocker=near[0]["fact_id"], **given)


def _candidates(error: errors.KeepgraphError) -> list[dict[str, Any]]:
    return [candidate for candidate in error.candidates or () if isinstance(candidate, dict)]
