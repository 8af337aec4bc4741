"""`kg overview`, `status`, `list`, `stats` and `next`: what the graph holds, and what is to do."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import answers, pages, terminal
from keepgraph.cli.output.pages import Section
from keepgraph.cli.output.terminal import entity_name, printable
from keepgraph.cli.recall import show_of_project
from keepgraph.engine.maintenance import jobs
from keepgraph.english import count_noun, listed


@click.command("overview")
@graph_options.all_options
def overview_command(ctx: click.Context) -> None:
    """Show what the graph holds: its projects and their latest facts, its largest communities, news, and open work.

    \b
    kg overview
    """
    answer = graph_options.call(ctx, "get_overview")
    graph_options.show(ctx, answer, _show)


def _show(answer: dict[str, Any]) -> None:
    owner, counts = answer["owner"], answer["counts"]
    click.secho(f"The graph of {entity_name(owner)}" if owner else "This graph", bold=True, nl=False)
    click.echo("" if owner else "  (to set its owner: kg me NAME)")
    by_type = ", ".join(count_noun(count, printable(name)) for name, count in counts["by_type"].items())
    click.echo(f"  {count_noun(counts['entities'], 'entity')}{f': {by_type}' if by_type else ''}")
    click.echo(f"  {count_noun(counts['facts'], 'fact')}, {count_noun(counts['texts'], 'text')}")
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
        click.echo(f"  {terminal.more(hidden)}")


def _project_line(project: dict[str, Any]) -> str:
    latest = project["latest"]
    note = f"{latest['recorded_at']}  {printable(latest['fact'])}" if latest else "no facts"
    return f"{entity_name(project)}{click.style(f'  {note}', dim=True)}"


def _community_line(community: dict[str, Any]) -> str:
    members = click.style(f"  {count_noun(community['members'], 'member')}", dim=True)
    return f"{printable(community['name'])}{members}"


def _fact_line(fact: dict[str, Any]) -> str:
    return f"{fact['recorded_at']}  {printable(fact['fact'])}"


def _text_line(text: dict[str, Any]) -> str:
    source = f"  ({printable(text['source'])})" if text["source"] else ""
    return f"{text['occurred_at']}  “{printable(text['name'])}”{click.style(source, dim=True)}"


def _waiting_lines(waiting: dict[str, Any]) -> list[str]:
    lines = []
    at_least = defaultdict(str, dict.fromkeys(waiting["at_least"], "at least "))
    if count := waiting["blocker_count"]:
        lines.append(f"{at_least['blocker_count']}{count_noun(count, 'open blocker')}")
        lines += [f"  {_fact_line(blocker)}" for blocker in waiting["blockers"]]
    if count := waiting["next_action_count"]:
        names = ", ".join(map(entity_name, waiting["next_actions"]))
        lines.append(f"{at_least['next_action_count']}{count_noun(count, 'next action')}: {names}")
    if waiting["proposed_facts"]:
        lines.append(f"{count_noun(waiting['proposed_facts'], 'proposed fact')} (kg vocabulary proposals)")
    if waiting["proposed_names"]:
        lines.append(f"{count_noun(waiting['proposed_names'], 'name')} in texts without any facts (kg review)")
    if count := waiting.get("other_proposals"):
        lines.append(f"{count_noun(count, 'other proposal')} (kg review)")
    if waiting["unread_texts"]:
        lines.append(f"{count_noun(waiting['unread_texts'], 'piece')} of texts still to be searched for names")
    if missing := sum(waiting["vectors"].values()):
        lines.append(f"{count_noun(missing, 'vector')} to be made (kg reindex)")
    return lines


@click.command("status")
@graph_options.all_options
def status_command(ctx: click.Context) -> None:
    """Show where the graph is and what it holds.

    \b
    kg status
    """
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("get_status")
        answer["path"] = str(graph.path)
        answer["bytes"] = graph.path.stat().st_size
        answer["encrypted"] = graph.database.key is not None
    answer["unfinished"] = [{"message": each.message, "command": each.command} for each in jobs.find(graph.path)]
    if graph_options.show_json(ctx, answer):
        return
    click.secho(answer["path"], bold=True)
    size = f"{answer['bytes'] / 1e6:.1f} MB{', encrypted' if answer['encrypted'] else ''}"
    click.echo(f"  {size}, schema {answer['graph']['schema']}, Keepgraph {answer['version']}")
    counts = [count_noun(count, printable(kind)) for kind, count in answer["entities"].items() if count]
    click.echo(f"  entities: {', '.join(counts) or 'none'}")
    click.echo(f"  texts: {answer['episodes']:,}")
    recorded = answer["last_recorded_at"]
    click.echo(f"  facts: {answer['facts']:,}{f', the last recorded {recorded[:16]}' if recorded else ''}")
    terminal.show_other_groups(answer["other_groups"])
    steps = [f"{step} {state}" for step, state in answer["resolution"].items()]
    click.echo(f"  names are found by: {', '.join(steps)}")
    for each in answer["unfinished"]:
        click.secho(f"  {terminal.printable(each['message'])}: {each['command']}", fg="red")


# `kg list` and `kg stats`: what the graph holds, by kind, with counts.

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
"""Kinds that another command lists."""


@click.command("list")
@click.argument("kind", nargs=-1)
@click.option("-n", "--limit", type=click.IntRange(1, 10_000), default=_SHOWN, show_default=True, help="How many.")
@graph_options.all_options
def list_command(ctx: click.Context, kind: tuple[str, ...], limit: int) -> None:
    """List everything of a KIND: people, projects, or any other type; decisions, facts, texts, tags, sources,
    blockers, types, predicates, groups, proposals. Without a KIND, list the kinds.

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
def stats_command(ctx: click.Context) -> None:
    """Count what the graph holds: entities by type, facts by predicate, texts, and everything else.

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
    graph_options.show(ctx, answer, _show_stats)


def _show_kinds(kinds: list[dict[str, Any]]) -> None:
    """Show the kinds that can be listed, with counts."""
    rows = [(terminal.printable(each["kind"]), f"{each['count']:,}") for each in kinds]
    pages.show_sections([Section("", rows)])
    click.secho("  To list one: kg list KIND. For all types: kg list types", dim=True)


def _show_sections(sections: list[dict[str, Any]]) -> None:
    for section in sections:
        if len(sections) > 1:
            click.secho(terminal.printable(section["kind"]), bold=True)
        if not section["rows"]:
            click.echo(f"There is nothing of the kind {terminal.printable(section['kind'])}.")
            continue
        rows = [(terminal.printable(row["name"]), terminal.printable(row["detail"])) for row in section["rows"]]
        hidden = section["total"] - len(rows)
        pages.show_sections([Section("", rows, more=terminal.more(hidden, "more; -n shows more"))])


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
    """The largest counts by name, in words: `: person 12, project 3`."""
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{terminal.printable(name)} {count:,}" for name, count in most]
    return f": {listed(named, _PREDICATES_SHOWN)}" if named else ""


@click.command("next")
@click.argument("project", nargs=-1, shell_complete=graph_options.complete_project)
@graph_options.all_options
def next_command(ctx: click.Context, project: tuple[str, ...]) -> None:
    """Show what to do, in PROJECT or in all: open blockers, next actions, due dates, and open proposals.

    A next action is a task, or tagged as one, until it is resolved or tagged done. To follow up are decisions of the
    last seven days that nobody has acted on. Exits with 3 if no project matches.

    \b
    kg next
    kg next Atlas
    kg record task:"Renew the licence" due_on =2026-12-01
    """
    query = " ".join(project).strip()
    answer = graph_options.call(ctx, "list_next_steps", project=query or None)
    show_of_project(ctx, answer, lambda: _show_steps(answer, name=query), name=query)


def _show_steps(answer: dict[str, Any], *, name: str) -> None:
    totals, today = answer["totals"], answer["today"]
    if answer["project"]:
        click.secho(terminal.entity_name(answer["project"]), bold=True, nl=False)
        click.echo(terminal.resolution_note(name, answer["resolution"]))
    elif "group_id" in answer:
        click.secho(f"Group {terminal.printable(answer['group_id'])}", bold=True)
        answers.show_hint(answer)
    sections = [
        Section(
            "Blocked",
            [_blocker_row(fact) for fact in answer["blockers"]],
            more=_more(answer, "blockers", 'To close one: kg resolve "…"'),
        ),
        Section(
            "To do",
            [(terminal.entity_name(entity), entity["type"]) for entity in answer["actions"]],
            more=_more(answer, "actions"),
        ),
        Section("Due", [_due_row(fact, today) for fact in answer["due"]], more=_more(answer, "due")),
        Section(
            "Coming",
            [
                (entity_name(fact["subject"]), f"{fact['predicate']} {printable(fact['object']['literal'])}")
                for fact in answer["coming"]
            ],
            more=_more(answer, "coming"),
        ),
        Section(
            "To follow up",
            [
                (entity_name(each), f"decided {each['decided_on']}, nobody has acted on it")
                for each in answer["follow_ups"]
            ],
            more=_more(answer, "follow_ups"),
        ),
        Section("Waiting for an answer", list(_waiting_rows(totals))),
    ]
    shown = [section for section in sections if section.rows]
    pages.show_sections(shown)
    if not shown:
        click.echo("Nothing is open.")


def _blocker_row(fact: dict[str, Any]) -> tuple[str, str]:
    since = terminal.day(fact["valid_from"] or fact["recorded_at"])
    return f"{terminal.entity_name(fact['subject'])} by {terminal.object_text(fact['object'])}", f"since {since}"


def _due_row(fact: dict[str, Any], today: str) -> tuple[str, str]:
    day = terminal.printable(fact["object"]["literal"])[:10]
    return terminal.entity_name(fact["subject"]), f"{day}{', overdue' if day < today else ''}"


def _waiting_rows(totals: dict[str, int]) -> list[tuple[str, str]]:
    rows = []
    if totals["proposals"]:
        rows.append((count_noun(totals["proposals"], "proposal") + " from texts", "kg review"))
    if totals["proposed_facts"]:
        rows.append((f"{count_noun(totals['proposed_facts'], 'fact')} in unknown wordings", "kg vocabulary proposals"))
    if totals["other_proposals"]:
        rows.append((count_noun(totals["other_proposals"], "other proposal"), "kg review"))
    return rows


def _more(answer: dict[str, Any], kind: str, advice: str = "") -> str:
    hidden = terminal.more(answer["totals"][kind] - len(answer[kind]), "more.")
    return f"{hidden} {advice}".strip()
