"""`kg list` and `kg stats`: what the graph holds, by kind, and how much of it."""

from __future__ import annotations

from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.pages import Section

_SHOWN = 50
_PREDICATES_SHOWN = 12

_ELSEWHERE = {
    "calls": "kg log",
    "changes": "kg log",
    "profiles": "kg profile list",
    "graphs": "kg profile list",
    "backups": "kg backup --list",
    "tools": "kg tool list",
    "commands": "kg --help",
    "duplicates": "kg duplicates",
    "wordings": "kg vocabulary proposals",
    "sets": "kg vocabulary set",
    "vocabulary": "kg vocabulary",
    "todo": "kg next",
    "todos": "kg next",
}
"""What is listed by another command."""


@click.command("list")
@click.argument("kind", nargs=-1)
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=_SHOWN, show_default=True, help="How many.")
@graph_options.all_options
@click.pass_context
def list_command(ctx: click.Context, kind: tuple[str, ...], limit: int) -> None:
    """List what there is of a KIND: people, projects, or any other type; decisions, facts, texts, tags, sources,
    blockers, types, predicates, groups, proposals. Without a KIND, what can be listed.

    \b
    kg list people
    kg list decisions -n 10
    """
    wanted = " ".join(kind).strip()
    if line := _ELSEWHERE.get(wanted.casefold()):
        raise errors.InvalidArguments(f"“kg list” does not list {terminal.printable(wanted)}", hint=f"Type `{line}`.")
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("list_kind", kind=wanted, limit=limit) if wanted else graph.call("list_kinds")
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif wanted:
        _show_sections(answer["sections"])
    else:
        _show_kinds(answer["kinds"])


@click.command("stats")
@graph_options.all_options
@click.pass_context
def stats_command(ctx: click.Context) -> None:
    """Count what the graph holds: entities by type, facts by predicate, texts, and all else.

    \b
    kg stats
    """
    with graph_options.open_graph(ctx) as graph:
        status = graph.call("get_status")
        patterns = graph.call("count_types_and_predicates")["predicates"]
        kinds = graph.call("list_kinds")
        last_calls = graph.call("list_calls", limit=1)["calls"]
    counts = {each["kind"]: each["count"] for each in kinds["kinds"]}
    answer = {
        "entities": sum(status["entities"].values()),
        "entities_by_type": {name: count for name, count in status["entities"].items() if count},
        "facts": status["facts"],
        "facts_by_predicate": {name: each["count"] for name, each in patterns.items() if each["count"]},
        "aliases": kinds["aliases"],
        **{kind: counts[kind] for kind in counts if kind not in status["entities"] and kind != "facts"},
        "last_recorded_at": status["last_recorded_at"],
        "calls": last_calls[0]["call"] if last_calls else 0,
    }
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        _show_stats(answer)


def _show_kinds(kinds: list[dict[str, Any]]) -> None:
    """Show what can be listed: the kinds, with counts."""
    rows = [(terminal.printable(each["kind"]), f"{each['count']:,}") for each in kinds]
    pages.show_sections([Section("", rows)])
    click.secho("  To see one: kg list KIND. All types there may be: kg list types", dim=True)


def _show_sections(sections: list[dict[str, Any]]) -> None:
    for section in sections:
        if len(sections) > 1:
            click.secho(terminal.printable(section["kind"]), bold=True)
        if not section["rows"]:
            click.echo(f"There is nothing of the kind {terminal.printable(section['kind'])} yet.")
            continue
        rows = [(terminal.printable(row["name"]), terminal.printable(row["detail"])) for row in section["rows"]]
        hidden = section["total"] - len(rows)
        pages.show_sections([Section("", rows, more=f"… and {hidden:,} more; -n shows more" if hidden > 0 else "")])


def _show_stats(answer: dict[str, Any]) -> None:
    by_type = _most(answer["entities_by_type"])
    by_predicate = _most(answer["facts_by_predicate"])
    rows = [
        ("entities", f"{answer['entities']:,}{by_type}"),
        ("facts", f"{answer['facts']:,}{by_predicate}"),
        *((kind, f"{answer[kind]:,}") for kind in ("texts", "aliases", "tags", "sources", "blockers", "proposals")),
        ("types", f"{answer['types']:,}"),
        ("predicates", f"{answer['predicates']:,}"),
        ("groups", f"{answer['groups']:,}"),
        ("calls", f"{answer['calls']:,}"),
    ]
    if answer["last_recorded_at"]:
        rows.append(("recorded last", answer["last_recorded_at"][:16].replace("T", " ")))
    pages.show_sections([Section("", rows)])


def _most(counts: dict[str, int]) -> str:
    """The greatest counts by name, in words: `: person 12, project 3`."""
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{terminal.printable(name)} {count:,}" for name, count in most[:_PREDICATES_SHOWN]]
    more = f" and {len(most) - len(named)} more" if len(most) > len(named) else ""
    return f": {', '.join(named)}{more}" if named else ""
