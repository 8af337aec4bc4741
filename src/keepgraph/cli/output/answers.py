"""Answers of tools as text on the terminal, one function for each command."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli.output.terminal import day, entity_name, object_text, printable, resolution_note, show_no_match


def show_recorded(answer: dict[str, Any]) -> None:
    sentence = f"{entity_name(answer['subject'])} {answer['predicate']} {object_text(answer['object'])}"
    if answer["deduplicated"]:
        click.echo(f"Known since {day(answer['recorded_at'])}: {sentence}")
    else:
        click.secho("Recorded: ", fg="green", nl=False)
        click.echo(sentence)
    if mapped := answer.get("mapped_predicate"):
        exchanged = ", with its ends exchanged" if mapped.get("reversed") else ""
        click.echo(f"  “{printable(mapped['given'])}” recorded as {mapped['predicate']}{exchanged}")
    for mapped in answer.get("mapped_types", ()):
        click.echo(f"  “{printable(mapped['given'])}” recorded as {mapped['type']}")
    for ended in answer["superseded"]:
        click.echo(f"  ended {day(ended['valid_to'])}: {ended['fact_id']}")
    for entity in answer["auto_created_entities"]:
        click.echo(f"  new {entity['type']}: {entity_name(entity)}")
    for duplicate in answer["possible_duplicates"]:
        new, kept = duplicate["new"], f"the {duplicate['type']} “{entity_name(duplicate)}”"
        click.secho(
            f"  “{entity_name(new)}” may be {kept} ({duplicate['score']:.2f}); "
            f"if so: kg merge {duplicate['id']} {new['id']}",
            fg="yellow",
        )


def show_recall(answer: dict[str, Any], *, name: str, show_ids: bool = False) -> None:
    entity = answer["entity"]
    if entity is None:
        show_no_match(f"Nothing called “{printable(name)}” is known.", answer["resolution"])
        return
    click.secho(entity_name(entity), bold=True, nl=False)
    click.echo(f"  {entity['type']}{resolution_note(name, answer['resolution'])}")
    if entity["aliases"]:
        click.echo(f"  also called {', '.join(map(printable, entity['aliases']))}")
    for fact in answer["facts"]:
        is_subject = fact["subject"]["id"] == entity["id"]
        arrow, other = ("→", object_text(fact["object"])) if is_subject else ("←", entity_name(fact["subject"]))
        fact_id = f"{fact['id']}  " if show_ids else ""
        click.echo(f"  {fact_id}{fact['predicate']} {arrow} {other}{_fact_details(fact)}")
    if answer["truncated_facts"]:
        click.echo(f"  … and older facts; these are the newest {len(answer['facts'])}")
    if answer["related_entities"]:
        related = ", ".join(
            f"{entity_name(related_entity)} ({related_entity['co_occurrence_count']})"
            for related_entity in answer["related_entities"][:8]
        )
        click.secho(f"  related: {related}", dim=True)


def show_decisions(answer: dict[str, Any], *, name: str) -> None:
    if answer["project"] is None:
        show_no_match(f"No project called “{printable(name)}” is known.", answer["resolution"])
        return
    since = f" since {answer['since']}" if answer["since"] else ""
    click.secho(entity_name(answer["project"]), bold=True, nl=False)
    click.echo(
        f"  {_count_noun(len(answer['decisions']), 'decision')}{since}{resolution_note(name, answer['resolution'])}"
    )
    for decision in answer["decisions"]:
        click.echo(f"  {_decision_line(decision)}")
    if answer["truncated"]:
        click.echo("  … and older ones")


def show_week(answer: dict[str, Any], *, name: str = "") -> None:
    note = resolution_note(name, answer["resolution"]) if answer["resolution"] else ""
    click.secho(f"{answer['period']['start']} to {answer['period']['end']}", bold=True, nl=False)
    click.echo(note)
    click.echo(printable(answer["summary"]))
    for title, lines in (
        ("Decided", [_decision_line(decision) for decision in answer["decisions"]]),
        (
            "Blocked",
            [
                f"{entity_name(fact['subject'])} by {object_text(fact['object'])}{_fact_details(fact)}"
                for fact in answer["blockers"]
            ],
        ),
        ("Next", [printable(action) for action in answer["next_actions"]]),
    ):
        if lines:
            click.secho(title, bold=True)
        for line in lines:
            click.echo(f"  {line}")
    if answer["truncated"]:
        totals = answer["totals"]
        click.echo(
            f"Not all is shown: {_count_noun(totals['decisions'], 'decision')}, "
            f"{_count_noun(totals['blockers'], 'blocker')}, "
            f"{_count_noun(totals['next_actions'], 'next action')} in all."
        )


def show_merge(answer: dict[str, Any]) -> None:
    verb = "would become" if answer["dry_run"] else "became"
    absorbed, kept = answer["absorbed"], answer["entity"]
    click.secho(f"{entity_name(absorbed)} ({absorbed['type']}) {verb} {entity_name(kept)} ({kept['type']})", bold=True)
    for fact in answer["facts"]:
        effect = {
            "moved": f"{printable(fact['was'])} → {printable(fact['becomes'])}",
            "folded": f"{printable(fact['was'])} = a fact it has already",
            "retracted": f"{printable(fact['was'])}: retracted, it would be about itself",
        }[fact["effect"]]
        click.echo(f"  {effect}")
    if answer["truncated"]:
        click.echo("  … and more facts")
    if answer["aliases_added"]:
        click.echo(f"  also called {', '.join(map(printable, answer['aliases_added']))}")
    counts = [f"{answer[effect]} {effect}" for effect in ("moved", "folded", "retracted") if answer[effect]]
    click.echo(f"  facts: {', '.join(counts) or 'none'}")


def show_log(calls: list[dict[str, Any]]) -> None:
    for call in calls:
        touched = ", ".join(f"{count} × {table}" for table, count in call["touched"].items())
        note = f"  takes back {call['undoes']}" if call["undoes"] else ""
        note += f"  taken back by {call['undone_by']}" if call["undone_by"] else ""
        click.echo(f"{call['call']:>6}  {call['at'][:16].replace('T', ' ')}  {call['tool']:<16} ", nl=False)
        click.secho(f"{touched}{note}", dim=True)


def show_history(answer: dict[str, Any], *, name: str) -> None:
    if answer["entity"]:
        click.secho(entity_name(answer["entity"]), bold=True, nl=False)
        click.echo(f"  {answer['entity']['type']}{resolution_note(name, answer['resolution'])}")
    for event in answer["events"]:
        origin = ", ".join(printable(part) for part in (event["tool"], event["session"], event["source"]) if part)
        click.echo(f"  {event['at'][:16].replace('T', ' ')}  {event['what']}: {printable(event['text'])}", nl=False)
        click.secho(f"  ({origin}; call {event['call']}, change {event['change']})", dim=True)
    if answer["truncated"]:
        click.echo("  … and older events; --limit shows more")


def show_duplicates(pairs: list[dict[str, Any]], *, total: int) -> None:
    for pair in pairs:
        one, other = pair["entity"], pair["double"]
        click.echo(
            f"{entity_name(one)} ({one['type']})  and  {entity_name(other)} ({other['type']})  {pair['score']:.2f}",
            nl=False,
        )
        click.secho(f"  kg merge {one['id']} {other['id']}", dim=True)
    if total > len(pairs):
        click.echo(f"… and {total - len(pairs):,} more; --json lists them all")
    if not pairs:
        click.echo("Nothing looks like a double.")


def _fact_details(fact: dict[str, Any]) -> str:
    details = [day(fact["recorded_at"])]
    if fact["valid_from"]:
        details.append(f"from {day(fact['valid_from'])}")
    if fact["valid_to"]:
        details.append(f"until {fact['valid_to'][:16].replace('T', ' ')}")
    if fact["confidence"] < 1:
        details.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        details.append(printable(fact["source"]))
    return click.style(f"  ({', '.join(details)})", dim=True)


def _decision_line(decision: dict[str, Any]) -> str:
    by = f", {', '.join(map(entity_name, decision['decided_by']))}" if decision["decided_by"] else ""
    instead = f", instead of {entity_name(decision['supersedes'])}" if decision["supersedes"] else ""
    return f"{decision['decided_on']}  {entity_name(decision)}{click.style(by + instead, dim=True)}"


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
