"""`kg vocabulary proposals`, `map` and `dismiss`: the unknown wordings of proposed facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal, vocabulary_pages
from keepgraph.cli.output.pages import Section, show_sections
from keepgraph.cli.vocabulary import editing
from keepgraph.english import count_noun

_WORDINGS_SHOWN = 6


@click.command("proposals")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="How many groups.")
@graph_options.all_options
@click.pass_context
def proposals_command(ctx: click.Context, limit: int) -> None:
    """List the unknown wordings of proposed facts, grouped by meaning, most frequent first."""
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("list_proposed_wordings", limit=limit)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    for other in answer["elsewhere"]:
        project = terminal.printable(other["project"])
        click.echo(f"{other['count']:,} more in the project {project}; map and dismiss apply to them too.")
    if not answer["groups"]:
        click.echo("No fact waits for a word" + (" in this project." if answer["elsewhere"] else "."))
        return
    show_sections(
        [Section(count_noun(answer["total"], "proposed fact"), [_group_row(group) for group in answer["groups"]])]
    )
    if answer["truncated"]:
        click.echo("  … and more; --limit shows them")
    click.secho("To make them facts: kg vocabulary map WORDING … PREDICATE. To delete: dismiss WORDING …", dim=True)


@click.command("map")
@click.argument("wordings", metavar="WORDING…", nargs=-1, required=True)
@click.argument("word", metavar="WORD", shell_complete=graph_options.complete_word)
@click.option("--kind", type=click.Choice(["type", "predicate"]), default="predicate", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@graph_options.all_options
@click.pass_context
def map_command(ctx: click.Context, wordings: tuple[str, ...], word: str, kind: str, dry_run: bool) -> None:
    """Map each WORDING to WORD; proposed facts in these wordings become facts.

    \b
    kg vocabulary map "is employed by" "works for" works_at
    """
    field = "entity_type" if kind == "type" else kind
    with graph_options.open_graph(ctx) as graph:
        mapping = {"wordings": list(wordings), field: word}
        answer = editing.extend(graph, map_wordings=[mapping], dry_run=dry_run)
    editing.show_extension(ctx, answer)


@click.command("dismiss")
@click.argument("wordings", metavar="WORDING…", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@graph_options.all_options
@click.pass_context
def dismiss_command(ctx: click.Context, wordings: tuple[str, ...], dry_run: bool) -> None:
    """Delete the proposed facts in each WORDING; they are not proposed again."""
    with graph_options.open_graph(ctx) as graph:
        answer = editing.extend(graph, dismiss_wordings=list(wordings), dry_run=dry_run)
    editing.show_extension(ctx, answer)


def _group_row(group: Mapping[str, Any]) -> tuple[str, str]:
    wordings = [
        f"{terminal.printable(entry['wording'])} × {entry['count']:,}" for entry in group["wordings"][:_WORDINGS_SHOWN]
    ]
    more = len(group["wordings"]) - _WORDINGS_SHOWN
    nearest = f" · near {terminal.printable(group['nearest'])}" if group["nearest"] else ""
    ends = vocabulary_pages.ends(group["subject_types"], group["object_types"], None)
    listed = ", ".join(wordings) + (f" and {more} more" if more > 0 else "")
    return f"{group['count']:,}", f"{listed} · {ends}{nearest}"
