"""`kg alias`, `kg merge`, `kg retract`, `kg undo`, `kg log`, `kg history`, `kg duplicates` and `kg clear`."""

from __future__ import annotations

import sys
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import render
from keepgraph.cli.recall import NOTHING_MATCHED

_DUPLICATES_SHOWN = 200


@click.command("alias")
@click.argument("entity", shell_complete=graph_options.complete_name)
@click.argument("alias")
@graph_options.takes_graph
@click.pass_context
def alias_command(ctx: click.Context, entity: str, alias: str) -> None:
    """Let ENTITY (a name, type:name or an id) be found by ALIAS too."""
    with graph_options.opened(ctx) as graph:
        answer = graph.call("add_alias", entity=graph_options.named(graph, entity), alias=alias)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
        return
    if not answer["entity"]["aliases"]:
        click.echo(f"{render.name(answer['entity'])} is its name already")
        return
    known = "" if answer["added"] else " already"
    others = ", ".join(map(render.printable, answer["entity"]["aliases"]))
    click.echo(f"{render.name(answer['entity'])} is{known} also called {others}")


@click.command("merge")
@click.argument("keep", shell_complete=graph_options.complete_name)
@click.argument("absorb", shell_complete=graph_options.complete_name)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--across-types", is_flag=True, help="Even if one is a person, say, and the other a project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.takes_graph
@click.pass_context
def merge_command(ctx: click.Context, keep: str, absorb: str, dry_run: bool, across_types: bool, yes: bool) -> None:
    """Make KEEP and ABSORB one entity: KEEP takes over the facts and names of the other. `kg undo` takes it back."""
    with graph_options.opened(ctx) as graph:
        both: dict[str, Any] = {"keep": graph_options.named(graph, keep), "absorb": graph_options.named(graph, absorb)}
        both["across_types"] = across_types
        quiet = graph_options.answers_in_json(ctx)
        if dry_run or not yes:
            plan = graph.call("merge_entities", **both, dry_run=True)
            if dry_run and quiet:
                render.in_json(plan)
            elif not quiet:
                render.merged(plan)
            if dry_run:
                return
            _ask("Merge them?", asked="merge", quiet=quiet)
        answer = graph.call("merge_entities", **both)
    if quiet:
        render.in_json(answer)
    elif yes:
        render.merged(answer)
    else:
        click.echo(f"Merged. `kg undo {answer['call']}` takes it back.")


@click.command("retract")
@click.argument("fact_id")
@graph_options.takes_graph
@click.pass_context
def retract_command(ctx: click.Context, fact_id: str) -> None:
    """Say that the fact FACT_ID (see `kg recall --ids`) is not true after all."""
    with graph_options.opened(ctx) as graph:
        answer = graph.call("retract_fact", fact_id=fact_id)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
        return
    fact = answer["fact"]
    done = "Retracted before" if answer["already_retracted"] else "Retracted"
    click.echo(f"{done}: {render.name(fact['subject'])} {fact['predicate']} {render.target(fact['object'])}")


@click.command("undo")
@click.argument("call", type=click.IntRange(1), required=False)
@click.option("--change", type=click.IntRange(1), help="Take back this one change (see `kg history`).")
@graph_options.takes_graph
@click.pass_context
def undo_command(ctx: click.Context, call: int | None, change: int | None) -> None:
    """Take back CALL (a number from `kg log`), or the last one. An undo can be taken back too."""
    given = {name: value for name, value in (("call", call), ("change", change)) if value is not None}
    with graph_options.opened(ctx) as graph:
        answer = graph.call("undo", **given)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        click.echo(f"{answer['message']} To have it again: kg undo {answer['call']}")


@click.command("log")
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many calls.")
@graph_options.takes_graph
@click.pass_context
def log_command(ctx: click.Context, limit: int) -> None:
    """List the calls that changed the graph, newest first, with the numbers that `kg undo` takes."""
    from keepgraph.tools import views

    with graph_options.opened(ctx) as graph:
        calls = views.log(graph.database, limit=limit)
    if graph_options.answers_in_json(ctx):
        render.in_json(calls)
    else:
        render.log(calls)


@click.command("history")
@click.argument("about", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("-n", "--limit", type=click.IntRange(1, 500), default=30, show_default=True, help="How many events.")
@graph_options.takes_graph
@click.pass_context
def history_command(ctx: click.Context, about: tuple[str, ...], limit: int) -> None:
    """Tell what happened to ABOUT (a name, or the id of an entity or a fact). Exits with 3 where nothing matched."""
    asked = " ".join(about)
    with graph_options.opened(ctx) as graph:
        answer = graph.call("get_history", about=asked, limit=limit)
    found = answer["entity"] or answer["fact"]
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    elif found:
        render.history(answer, asked=asked)
    else:
        render.no_match(f"Nothing called “{render.printable(asked)}” is known.", answer["resolution"])
    ctx.exit(0 if found else NOTHING_MATCHED)


@click.command("duplicates")
@click.argument("name", nargs=-1, shell_complete=graph_options.complete_name)
@graph_options.takes_graph
@click.pass_context
def duplicates_command(ctx: click.Context, name: tuple[str, ...]) -> None:
    """Propose entities that may be one: doubles of NAME, or all there are. Nothing is changed."""
    from keepgraph.tools import views

    with graph_options.opened(ctx) as graph:
        only = graph_options.named(graph, " ".join(name)) if name else None
        pairs = []
        quiet = bool(name) or graph_options.answers_in_json(ctx)
        with render.progress(views.count_entities(graph.database), "Comparing", quiet=quiet) as bar:
            for looked_at, found in views.duplicates(graph.database, only=only):
                bar.update(looked_at)
                pairs += found
    if graph_options.answers_in_json(ctx):
        render.in_json(pairs)
    else:
        render.duplicates(pairs[:_DUPLICATES_SHOWN], total=len(pairs))


@click.command("clear")
@click.option("--everything", is_flag=True, help="All groups.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.takes_graph
@click.pass_context
def clear_command(ctx: click.Context, everything: bool, yes: bool) -> None:
    """Delete all entities and facts of the group. `kg undo` brings them back."""
    with graph_options.opened(ctx) as graph:
        if not yes:
            _ask(f"Delete everything in {graph.path}?", asked="clear", quiet=graph_options.answers_in_json(ctx))
        answer = graph.call("clear_graph", everything=everything, confirm=True)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    else:
        click.echo(f"{answer['message']} `kg undo {answer['call']}` brings all of it back.")


def _ask(question: str, *, asked: str, quiet: bool) -> None:
    if quiet or not sys.stdin.isatty():
        raise errors.NotConfirmed(f"nobody is there to be asked whether to {asked}", hint="Add --yes to go ahead.")
    click.confirm(question, abort=True)
