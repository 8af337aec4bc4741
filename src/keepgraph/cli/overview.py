"""`kg overview`: whose the graph is, what it holds, its projects and communities, its latest, and what waits."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.cli.output.terminal import entity_name, printable
from keepgraph.english import count_noun


@click.command("overview")
@graph_options.all_options
@click.pass_context
def overview_command(ctx: click.Context) -> None:
    """Show what the graph holds: its projects and their latest, its largest communities, what is new, what waits.

    \b
    kg overview
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("get_overview")
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    else:
        _show(answer)


def _show(answer: dict[str, Any]) -> None:
    owner, counts = answer["owner"], answer["counts"]
    click.secho(f"The graph of {entity_name(owner)}" if owner else "This graph", bold=True, nl=False)
    click.echo("" if owner else "  (kg me NAME says whose it is)")
    by_type = ", ".join(f"{count:,} {printable(name)}" for name, count in counts["by_type"].items())
    click.echo(f"  {counts['entities']:,} entities{f': {by_type}' if by_type else ''}")
    click.echo(f"  {_count(counts['facts'], 'fact')}, {_count(counts['texts'], 'text')}")
    if answer["other_groups"]:
        click.echo(f"  other groups: {', '.join(map(printable, answer['other_groups']))}")
    hidden = answer["totals"]["projects"] - len(answer["projects"])
    _show_section("Projects", [_project_line(project) for project in answer["projects"]], hidden=hidden)
    hidden = answer["totals"]["communities"] - len(answer["communities"])
    _show_section("Communities", [_community_line(community) for community in answer["communities"]], hidden=hidden)
    _show_section("Latest facts", [_fact_line(fact) for fact in answer["latest_facts"]])
    _show_section("Latest texts", [_text_line(text) for text in answer["latest_texts"]])
    _show_section("Waiting", _waiting_lines(answer["waiting"]))


def _show_section(title: str, lines: list[str], *, hidden: int = 0) -> None:
    if not lines:
        return
    click.secho(title, bold=True)
    for line in lines:
        click.echo(f"  {line}")
    if hidden > 0:
        click.echo(f"  … and {hidden:,} more")


def _project_line(project: dict[str, Any]) -> str:
    latest = project["latest"]
    note = f"{latest['recorded_at']}  {printable(latest['fact'])}" if latest else "nothing is recorded about it"
    return f"{entity_name(project)}{click.style(f'  {note}', dim=True)}"


def _community_line(community: dict[str, Any]) -> str:
    members = click.style(f"  {_count(community['members'], 'member')}", dim=True)
    return f"{printable(community['name'])}{members}"


def _fact_line(fact: dict[str, Any]) -> str:
    return f"{fact['recorded_at']}  {printable(fact['fact'])}"


def _text_line(text: dict[str, Any]) -> str:
    source = f"  ({printable(text['source'])})" if text["source"] else ""
    return f"{text['occurred_at']}  “{printable(text['name'])}”{click.style(source, dim=True)}"


def _waiting_lines(waiting: dict[str, Any]) -> list[str]:
    lines = []
    if count := waiting["blocker_count"]:
        lines.append(_count(count, "open blocker", at_least="blocker_count" in waiting["at_least"]))
        lines += [f"  {_fact_line(blocker)}" for blocker in waiting["blockers"]]
    if count := waiting["next_action_count"]:
        names = ", ".join(map(entity_name, waiting["next_actions"]))
        lines.append(f"{_count(count, 'next action', at_least='next_action_count' in waiting['at_least'])}: {names}")
    if waiting["proposed_facts"]:
        lines.append(f"{_count(waiting['proposed_facts'], 'proposed fact')} (kg vocabulary proposals)")
    if waiting["proposed_names"]:
        lines.append(f"{_count(waiting['proposed_names'], 'name')} in texts that nothing is recorded about (kg review)")
    if count := waiting.get("other_proposals"):
        lines.append(f"{_count(count, 'other proposal')} (kg review)")
    if waiting["unread_texts"]:
        lines.append(f"{_count(waiting['unread_texts'], 'piece')} of texts in which names are still to be detected")
    if missing := sum(waiting["vectors"].values()):
        lines.append(f"{_count(missing, 'vector')} to be made (kg reindex)")
    return lines


def _count(count: int, noun: str, *, at_least: bool = False) -> str:
    return f"{'at least ' if at_least else ''}{count_noun(count, noun)}"
