"""Curation: `kg alias`, `merge`, `retract`, `undo`, `log`, `history`, `duplicates` and `clear`."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import answers, terminal
from keepgraph.cli.recall import NOTHING_MATCHED
from keepgraph.graph import Graph

_DUPLICATES_SHOWN = 200


@click.command("alias")
@click.argument("entity", shell_complete=name_completion.complete_name)
@click.argument("alias")
@graph_options.all_options
@click.pass_context
def alias_command(ctx: click.Context, entity: str, alias: str) -> None:
    """Let ENTITY (a name, type:name or an id) be found by ALIAS too.

    \b
    kg alias "Priya Sharma" Pri
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("add_alias", entity=graph_options.entity_reference(graph, entity), alias=alias)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    if not answer["entity"]["aliases"]:
        click.echo(f"{terminal.entity_name(answer['entity'])} is its name already")
        return
    already = "" if answer["added"] else " already"
    aliases = ", ".join(map(terminal.printable, answer["entity"]["aliases"]))
    click.echo(f"{terminal.entity_name(answer['entity'])} is{already} also called {aliases}")


@click.command("merge")
@click.argument("keep", shell_complete=name_completion.complete_name)
@click.argument("absorb", shell_complete=name_completion.complete_name)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--across-types", is_flag=True, help="Even if one is a person, say, and the other a project.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
@click.pass_context
def merge_command(ctx: click.Context, keep: str, absorb: str, dry_run: bool, across_types: bool, yes: bool) -> None:
    """Make KEEP and ABSORB one entity: KEEP takes over the facts and names of the other. `kg undo` takes it back.

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
            terminal.confirm("Merge them?", action="merge", quiet=quiet)
        answer = graph.call("merge_entities", **arguments)
    if quiet:
        terminal.show_json(answer)
    elif yes:
        answers.show_merge(answer)
    else:
        click.echo(f"Merged. `kg undo {answer['call']}` takes it back.")


@click.command("retract")
@click.argument("fact_id")
@graph_options.all_options
@click.pass_context
def retract_command(ctx: click.Context, fact_id: str) -> None:
    """Say that the fact FACT_ID (see `kg recall --ids`) is not true after all.

    \b
    kg recall Ana --ids
    kg retract fact_01…
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("retract_fact", fact_id=fact_id)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    fact = answer["fact"]
    status = "Retracted before" if answer["already_retracted"] else "Retracted"
    click.echo(
        f"{status}: {terminal.entity_name(fact['subject'])} {fact['predicate']} {terminal.object_text(fact['object'])}"
    )
    for reopened in answer.get("reopened_blockers", ()):
        click.echo(f"  opens again {terminal.printable(reopened['name'])}")


@click.command("undo")
@click.argument("call", type=click.IntRange(1), required=False)
@click.option("--change", type=click.IntRange(1), help="Take back this one change (see `kg history`).")
@graph_options.all_options
@click.pass_context
def undo_command(ctx: click.Context, call: int | None, change: int | None) -> None:
    """Take back CALL (a number from `kg log`), or the last one. An undo can be taken back too.

    \b
    kg undo
    kg undo 12
    """
    arguments = {name: value for name, value in (("call", call), ("change", change)) if value is not None}
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("undo", **arguments)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        click.echo(f"{terminal.printable(answer['message'])} To have it again: kg undo {answer['call']}")


@click.command("log")
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many calls.")
@graph_options.all_options
@click.pass_context
def log_command(ctx: click.Context, limit: int) -> None:
    """List the calls that changed the graph, newest first, with the numbers that `kg undo` takes.

    \b
    kg log -n 5
    """
    with graph_options.open_graph(ctx) as graph:
        calls = graph.call("list_calls", limit=limit)["calls"]
    if graph_options.wants_json(ctx):
        terminal.show_json(calls)
    else:
        answers.show_log(calls)


@click.command("history")
@click.argument("about", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("-n", "--limit", type=click.IntRange(1, 500), default=30, show_default=True, help="How many events.")
@graph_options.all_options
@click.pass_context
def history_command(ctx: click.Context, about: tuple[str, ...], limit: int) -> None:
    """Tell what happened to ABOUT (a name, or the id of an entity or a fact). Exits with 3 where nothing matched.

    \b
    kg history Ana
    """
    name = " ".join(about)
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("get_history", about=name, limit=limit)
    has_match = answer["entity"] or answer["fact"]
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif has_match:
        answers.show_history(answer, name=name)
    else:
        terminal.show_no_match(name, answer["resolution"])
    ctx.exit(0 if has_match else NOTHING_MATCHED)


@click.command("duplicates")
@click.argument("name", nargs=-1, shell_complete=name_completion.complete_name)
@graph_options.all_options
@click.pass_context
def duplicates_command(ctx: click.Context, name: tuple[str, ...]) -> None:
    """Propose entities that may be one: doubles of NAME, or all there are. Nothing is changed.

    \b
    kg duplicates
    """
    with graph_options.open_graph(ctx) as graph:
        if name:
            entity = graph_options.entity_reference(graph, " ".join(name))
            pairs = graph.call("find_duplicates", entity=entity)["pairs"]
        else:
            pairs = _compare_all(graph, quiet=graph_options.wants_json(ctx))
    if graph_options.wants_json(ctx):
        terminal.show_json(pairs)
    else:
        answers.show_duplicates(pairs[:_DUPLICATES_SHOWN], total=len(pairs))


@click.command("clear")
@click.option("--everything", is_flag=True, help="All groups.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
@click.pass_context
def clear_command(ctx: click.Context, everything: bool, yes: bool) -> None:
    """Delete all entities and facts of the group. `kg undo` brings them back.

    \b
    kg clear
    """
    with graph_options.open_graph(ctx) as graph:
        if not yes:
            terminal.confirm(f"Delete everything in {graph.path}?", action="clear", quiet=graph_options.wants_json(ctx))
        answer = graph.call("clear_graph", everything=everything, confirm=True)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        click.echo(f"{answer['message']} `kg undo {answer['call']}` brings all of it back.")
        click.secho("The journal and earlier backups still have it. `kg purge` removes it there.", dim=True)


def _compare_all(graph: Graph, *, quiet: bool) -> list[dict[str, Any]]:
    """The pairs of entities that may be one, of the whole graph, with a progress bar."""
    pairs: list[dict[str, Any]] = []
    after: int | None = 0
    with terminal.progress_bar(graph.call("count_entities")["count"], "Comparing", quiet=quiet) as bar:
        while after is not None:
            batch = graph.call("list_duplicates", after=after)
            bar.update(batch["compared"])
            pairs += batch["pairs"]
            after = batch["next"]
    return sorted(pairs, key=lambda pair: -pair["score"])
