"""`kg next`: what is to do, of one project or of all."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import answers, pages, terminal
from keepgraph.cli.output.pages import Section
from keepgraph.cli.recall import NOTHING_MATCHED


@click.command("next")
@click.argument("project", nargs=-1, shell_complete=name_completion.complete_project)
@graph_options.all_options
@click.pass_context
def next_command(ctx: click.Context, project: tuple[str, ...]) -> None:
    """Show what is to do, in PROJECT or in all: open blockers, next actions, what is due, and what waits for an answer.

    A next action is what is tagged so, or a task, until it is resolved, or tagged done. Exits with 3 where no project
    matched.

    \b
    kg next
    kg next Atlas
    kg record task:"Renew the licence" due_on =2026-12-01
    """
    query = " ".join(project).strip()
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call("list_next_steps", **({"project": query} if query else {}))
    is_missing = answers.is_unknown_project(answer)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif is_missing:
        terminal.show_no_match(query, answer["resolution"], nothing="No project")
    else:
        _show_steps(answer, name=query)
    ctx.exit(NOTHING_MATCHED if is_missing else 0)


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
        Section("Coming", [_coming_row(fact) for fact in answer["coming"]], more=_more(answer, "coming")),
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


def _coming_row(fact: dict[str, Any]) -> tuple[str, str]:
    return terminal.entity_name(fact["subject"]), f"{fact['predicate']} {terminal.printable(fact['object']['literal'])}"


def _waiting_rows(totals: dict[str, int]) -> list[tuple[str, str]]:
    rows = []
    if totals["proposals"]:
        rows.append((f"{totals['proposals']:,} names and facts that texts propose", "kg review"))
    if totals["proposed_facts"]:
        rows.append((f"{totals['proposed_facts']:,} facts in wordings that are not known", "kg vocabulary proposals"))
    if totals["other_proposals"]:
        rows.append((f"{totals['other_proposals']:,} other proposals", "kg review"))
    return rows


def _more(answer: dict[str, Any], kind: str, advice: str = "") -> str:
    hidden = answer["totals"][kind] - len(answer[kind])
    return " ".join(part for part in (f"… and {hidden:,} more." if hidden > 0 else "", advice) if part)
