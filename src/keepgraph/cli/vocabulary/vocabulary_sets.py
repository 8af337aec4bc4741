"""`kg vocabulary set`: the sets that a graph has, those that come with the program, and sets in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import terminal
from keepgraph.cli.output.pages import Section, show_sections

_WORDS_SHOWN = 12


@click.group("set", invoke_without_command=True)
@graph_options.all_options
@click.pass_context
def set_command(ctx: click.Context) -> None:
    """List the sets of words that the graph has, and those that come with Keepgraph."""
    if ctx.invoked_subcommand is not None:
        return
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("list_vocabulary_sets")
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    present = [entry for entry in answer["sets"] if entry["added"] and not entry["retired"]]
    others = [entry for entry in answer["sets"] if not entry["added"] or entry["retired"]]
    sections = [
        Section("In this graph", [_set_row(entry) for entry in present]),
        Section("Not in it", [_set_row(entry) for entry in others], more="kg vocabulary set add NAME"),
    ]
    show_sections([section for section in sections if section.rows])


@set_command.command("add")
@click.argument("name", shell_complete=name_completion.complete_vocabulary_set)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@graph_options.all_options
@click.pass_context
def add_set_command(ctx: click.Context, name: str, dry_run: bool) -> None:
    """Add the set NAME, or that of a file (TOML, or JSON; see schemas/v1/transfer/vocabulary_set.json)."""
    if Path(name).suffix or "/" in name:
        from keepgraph.cli.vocabulary import set_documents

        arguments: dict[str, Any] = {"definition": set_documents.read(name)}
    else:
        arguments = {"name": name}
    with graph_options.open_graph(ctx, create=True) as graph:
        answer = graph.call("add_vocabulary_set", **arguments, dry_run=dry_run)
    show_set_change(ctx, answer)


@set_command.command("remove")
@click.argument("name", shell_complete=name_completion.complete_vocabulary_set)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
@click.pass_context
def remove_set_command(ctx: click.Context, name: str, dry_run: bool, yes: bool) -> None:
    """Remove the set NAME: its words that nothing uses are deleted, the others retired."""
    quiet = graph_options.wants_json(ctx)
    with graph_options.open_graph(ctx) as graph:
        if dry_run or not yes:
            plan = graph.call("remove_vocabulary_set", name=name, dry_run=True)
            if dry_run or not quiet:
                show_set_change(ctx, plan)
            if dry_run:
                return
            terminal.confirm(f"Remove the set {name}?", action="remove a set", quiet=quiet)
        answer = graph.call("remove_vocabulary_set", name=name)
    show_set_change(ctx, answer)


def show_set_change(ctx: click.Context, answer: Mapping[str, Any]) -> None:
    """Show what adding or removing a set did, and how to take it back."""
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    click.echo(terminal.printable(answer["message"]))
    for title, field in (
        ("added", "added"),
        ("usable again", "revived"),
        ("deleted", "deleted"),
        ("retired", "retired"),
    ):
        if words := answer[field]:
            more = len(words) - _WORDS_SHOWN
            listed = ", ".join(map(terminal.printable, words[:_WORDS_SHOWN]))
            click.echo(f"  {title}: {listed}{f' and {more:,} more' if more > 0 else ''}")
    if answer["call"] is not None and any(answer[field] for field in ("added", "revived", "deleted", "retired")):
        click.secho(f"  `kg undo {answer['call']}` takes it back.", dim=True)


def _set_row(entry: Mapping[str, Any]) -> tuple[str, str]:
    name = f"{terminal.printable(entry['name'])} {terminal.printable(entry['version'])}"
    counts = f"{entry['types']:,} types, {entry['predicates']:,} predicates"
    description = f" · {terminal.printable(entry['description'])}" if entry["description"] else ""
    return name, f"{counts}{' · retired' if entry['retired'] else ''}{description}"
