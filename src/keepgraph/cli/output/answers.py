"""Answers of tools as text on the terminal, one function for each command."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli.output.terminal import (
    day,
    entity_argument,
    entity_name,
    last_day,
    more,
    object_text,
    printable,
    property_rows,
    resolution_note,
    shell_argument,
    show_no_match,
    show_other_groups,
    validity,
    with_commands,
)
from keepgraph.english import count_noun
from keepgraph.profiles import tokens


def show_recorded(answer: dict[str, Any]) -> None:
    sentence = f"{entity_name(answer['subject'])} {answer['predicate']} {object_text(answer['object'])}"
    match answer["effect"]:
        case "recorded":
            click.secho("Recorded: ", fg="green", nl=False)
            click.echo(sentence)
        case "ended" | "changed":
            click.secho("Ended: " if answer["effect"] == "ended" else "Corrected: ", fg="green", nl=False)
            click.echo(f"{sentence}{validity(answer)}")
            if answer["effect"] == "changed":
                click.echo(f"  before:{validity(answer['validity_before']) or ' no dates'}")
        case "repeated":
            click.echo(f"Known since {day(answer['recorded_at'])}, noted once more: {sentence}{validity(answer)}")
        case _:
            click.echo(f"Nothing changed; known since {day(answer['recorded_at'])}: {sentence}{validity(answer)}")
    for other in answer.get("also_ended", ()):
        click.echo(f"  ended too: {other['fact_id']}{validity(other)}")
    for other in answer.get("overlapping", ()):
        advice = "; to correct its end: kg end {} --on DATE" if other["valid_to"] else "; to end it: kg end {}"
        click.secho(
            f"  {other['fact_id']} says the same{validity(other) or ' without dates'}{advice.format(other['fact_id'])}",
            fg="yellow",
        )
    for blocker in answer.get("closed_blockers", ()):
        click.echo(f"  closed: {printable(blocker['text'])}")
    if answer.get("open_blockers"):
        click.secho("  no blocker was closed; if one of these is resolved:", fg="yellow")
        for blocker in answer["open_blockers"]:
            click.echo(f"    kg resolve {blocker['fact_id']}   {printable(blocker['text'])}")
    if mapped := answer.get("mapped_predicate"):
        exchanged = ", with its ends swapped" if mapped.get("reversed") else ""
        click.echo(f"  “{printable(mapped['given'])}” recorded as {mapped['predicate']}{exchanged}")
    for mapped in answer.get("mapped_types", ()):
        click.echo(f"  “{printable(mapped['given'])}” recorded as {mapped['type']}")
    if note := answer.get("note"):
        click.echo(f"  {printable(note)}")
    for ended in answer["superseded"]:
        click.echo(f"  ended, until {last_day(ended['valid_to'])}: {ended['fact_id']}")
    _show_resting(answer)
    for entity in answer["auto_created_entities"]:
        click.echo(f"  new {entity['type']}: {entity_name(entity)}")
    for duplicate in answer["possible_duplicates"]:
        show_possible_duplicate(duplicate["new"], duplicate)
    for conflict in answer.get("conflicts", ()):
        _show_conflict(conflict)


def show_possible_duplicate(new: dict[str, Any], existing: dict[str, Any]) -> None:
    """Show which existing entity a new one may be, and the command that merges them."""
    click.secho(
        f"  “{entity_name(new)}” may be the {existing['type']} “{entity_name(existing)}” ({existing['score']:.2f}); "
        f"if so: kg merge {entity_argument(existing)} {entity_argument(new)}{_across_types(existing, new)}",
        fg="yellow",
    )


def _show_conflict(conflict: dict[str, Any]) -> None:
    """Show what contradicts a recorded fact, and the command that would settle it."""
    click.secho(f"  {printable(conflict['sentence'])}", fg="yellow")
    if line := _settling_line(conflict.get("settled_by")):
        click.echo(f"    {'if only one of them is true' if 'advice' in conflict else 'to settle it'}: {line}")


def _settling_line(call: dict[str, Any] | None) -> str | None:
    """The command for a call that would settle a conflict."""
    if call is None:
        return None
    arguments = call["arguments"]
    match call["tool"]:
        case "retract_fact":
            return f"kg retract {arguments['fact_id']}"
        case "end_fact":
            return f"kg end {arguments['fact_id']}"
        case "record_fact":
            target = arguments["object"]
            words = [
                arguments["subject"]["id"],
                arguments["predicate"],
                target.get("id") or target.get("name") or f"={target['literal']}",
            ]
            options = {"valid_from": "--from", "valid_to": "--to"}
            words += [
                word for name, option in options.items() if name in arguments for word in (option, arguments[name])
            ]
            words += [word for fact in arguments.get("supersedes", ()) for word in ("--supersedes", fact)]
            return " ".join(["kg record", *map(shell_argument, words)])
        case _:
            return None


def show_ended(answer: dict[str, Any]) -> None:
    """Show a fact that was ended, and its earlier validity."""
    fact = answer["fact"]
    sentence = f"{entity_name(fact['subject'])} {fact['predicate']} {object_text(fact['object'])}{validity(fact)}"
    if answer["effect"] == "nothing_changed":
        click.echo(f"Nothing changed; already known: {sentence}")
        return
    click.secho("Ended: " if answer["effect"] == "ended" else "Corrected: ", fg="green", nl=False)
    click.echo(sentence)
    if answer["effect"] == "changed":
        click.echo(f"  before:{validity(answer['validity_before'])}")
    for other in answer["also_ended"]:
        click.echo(f"  ended too: {other['fact_id']}{validity(other)}")
    _show_resting(answer)
    click.echo(f"  To take it back: kg undo {answer['call']}")


def _show_resting(answer: dict[str, Any]) -> None:
    """Show what rests on an ended fact, with the commands that end it too."""
    if resting := answer.get("may_have_ended"):
        click.secho("  these depend on it; if they have ended too:", fg="yellow")
        for fact in resting:
            click.echo(f"    kg end {fact['fact_id']}   {printable(fact['text'])}")


def show_resolved(answer: dict[str, Any]) -> None:
    for blocker in answer["closed_blockers"]:
        click.secho("Closed: ", fg="green", nl=False)
        click.echo(printable(blocker["text"]))
    click.echo(f"  To open it again: kg undo {answer['call']}")


def show_about(answer: dict[str, Any]) -> None:
    """Show the answer of recall_for."""
    for named in answer["named"]:
        click.secho(entity_name(named), bold=True, nl=False)
        how = "" if named["words"] == named["name"] else f"  “{printable(named['words'])}”"
        click.echo(f"  {named['type']}{how}")
    for unclear in answer["unclear"]:
        names = ", ".join(map(entity_name, unclear["candidates"]))
        click.secho(f"“{printable(unclear['words'])}” is unclear: {names}", fg="yellow")
    for part, title in (("standing", "Always"), ("open", "Open"), ("facts", "Facts"), ("texts", "Texts")):
        if answer.get(part):
            click.echo(f"{title}")
        for entry in answer.get(part, ()):
            scope = f"  (in {', '.join(map(printable, entry['scope']))})" if entry.get("scope") else ""
            click.echo(f"  {printable(entry.get('text') or entry['quote'])}{scope}")
    click.secho(f"{answer['message']} About {count_noun(answer['tokens'], 'token')}.", dim=True)


def show_recall(answer: dict[str, Any], *, name: str, show_ids: bool = False) -> None:
    entity = answer["entity"]
    if entity is None:
        show_no_match(name, answer["resolution"], texts=answer["texts"]["total"])
        _show_texts(answer["texts"])
        show_other_groups(answer.get("other_groups"))
        return
    click.secho(entity_name(entity), bold=True, nl=False)
    click.echo(f"  {entity['type']}{resolution_note(name, answer['resolution'])}")
    if entity["aliases"]:
        click.echo(f"  also called {', '.join(map(printable, entity['aliases']))}")
    show_particulars(entity)
    for line in answer.get("due", ()):
        click.secho(f"  {printable(line)}", fg="yellow")
    for fact in answer["facts"]:
        is_subject = fact["subject"]["id"] == entity["id"]
        arrow, other = ("→", object_text(fact["object"])) if is_subject else ("←", entity_name(fact["subject"]))
        fact_id = f"{fact['id']}  " if show_ids else ""
        click.echo(f"  {fact_id}{fact['predicate']} {arrow} {other}{_fact_details(fact)}")
    if answer["truncated_facts"]:
        click.echo(f"  … and older facts; these are the newest {len(answer['facts'])}")
    show_other_times(answer)
    if answer["related_entities"]:
        related = ", ".join(
            f"{entity_name(related_entity)} ({related_entity['co_occurrence_count']})"
            for related_entity in answer["related_entities"][:8]
        )
        click.secho(f"  related: {related}", dim=True)
    _show_texts(answer["texts"])


def show_other_times(answer: dict[str, Any]) -> None:
    """Show past and future facts."""
    for line in (*answer.get("to_come", ()), *answer.get("ended", ())):
        click.secho(f"  {printable(line)}", dim=True)


def is_unknown_project(answer: dict[str, Any]) -> bool:
    """Whether an unknown project was named. A group has no resolution, since it is named by id."""
    return answer["project"] is None and answer["resolution"] is not None


def show_hint(answer: dict[str, Any]) -> None:
    """Show how to ask differently, if the answer has a hint."""
    if hint := answer.get("hint"):
        click.secho(f"  {printable(with_commands(hint))}", dim=True)


def show_decisions(answer: dict[str, Any], *, name: str, topic: str = "", until: str = "") -> None:
    if is_unknown_project(answer):
        show_no_match(name, answer["resolution"], nothing="No project")
        return
    about = f" about {printable(topic)}" if topic else ""
    since = f" since {answer['since']}" if answer["since"] else ""
    until = f" until {until}" if until else ""
    note = resolution_note(name, answer["resolution"]) if answer["resolution"] else ""
    everywhere = f"Group {printable(answer['group_id'])}" if "group_id" in answer else "All projects"
    click.secho(entity_name(answer["project"]) if answer["project"] else everywhere, bold=True, nl=False)
    click.echo(f"  {count_noun(answer['total'], 'decision')}{about}{since}{until}{note}")
    show_hint(answer)
    for decision in answer["decisions"]:
        click.echo(f"  {_decision_line(decision)}")
    if answer["truncated"]:
        click.echo("  … and older ones")


def show_week(answer: dict[str, Any], *, name: str = "") -> None:
    note = resolution_note(name, answer["resolution"]) if answer["resolution"] else ""
    click.secho(f"{answer['period']['start']} to {answer['period']['end']}", bold=True, nl=False)
    click.echo(note)
    click.echo(printable(answer["summary"]))
    show_hint(answer)
    if narrative := answer["narrative"]:
        _show_narrative(narrative)
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
    if to_review := answer.get("to_review"):
        click.secho("To review", bold=True)
        for statement in to_review["first"]:
            click.echo(f"  {printable(statement)}")
        click.secho(f"{count_noun(to_review['total'], 'proposal')} in all. To decide: kg review", dim=True)
    if answer["blockers"]:
        words = answer["blockers"][0]["object"]
        example = shell_argument(words.get("name") or words["literal"])
        click.secho(f"To close a blocker: kg resolve {example}", dim=True)
    if answer["truncated"]:
        totals = answer["totals"]
        click.echo(
            f"Not everything is shown: {count_noun(totals['decisions'], 'decision')}, "
            f"{count_noun(totals['blockers'], 'blocker')}, "
            f"{count_noun(totals['next_actions'], 'next action')} in all."
        )


def _show_narrative(narrative: dict[str, Any]) -> None:
    """Show the narrative of a week line by line, without control characters."""
    click.secho(f"Week {narrative['week'][-2:].lstrip('0')} in words", bold=True, nl=False)
    click.secho(f"  ({printable(narrative['source'])}, {day(narrative['written_at'])})", dim=True)
    for line in narrative["text"].strip().splitlines():
        click.echo(f"  {printable(line)}".rstrip())
    if narrative["truncated"]:
        click.secho(f"  … the rest is in {narrative['doc_id']}", dim=True)


def show_merge(answer: dict[str, Any]) -> None:
    verb = "would become" if answer["dry_run"] else "became"
    absorbed, kept = answer["absorbed"], answer["entity"]
    click.secho(f"{entity_name(absorbed)} ({absorbed['type']}) {verb} {entity_name(kept)} ({kept['type']})", bold=True)
    for fact in answer["facts"]:
        effect = {
            "moved": f"{printable(fact['was'])} → {printable(fact['becomes'])}",
            "folded": f"{printable(fact['was'])} = a fact it already has",
            "retracted": f"{printable(fact['was'])}: retracted, since it would connect the entity to itself",
        }[fact["effect"]]
        click.echo(f"  {effect}")
    if answer["truncated"]:
        click.echo("  … and more facts")
    if answer["aliases_added"]:
        click.echo(f"  also called {', '.join(map(printable, answer['aliases_added']))}")
    counts = [f"{answer[effect]} {effect}" for effect in ("moved", "folded", "retracted") if answer[effect]]
    click.echo(f"  facts: {', '.join(counts) or 'none'}")


def show_log(calls: list[dict[str, Any]]) -> None:
    width = max((len(call["tool"]) for call in calls), default=0)
    for call in calls:
        touched = ", ".join(f"{count} × {table}" for table, count in call["touched"].items())
        about = f"of {call['about']}" if call["undoes"] else call["about"] or touched
        click.echo(
            f"{call['call']:>6}  {call['at'][:16].replace('T', ' ')}  {call['tool']:<{width}}  {printable(about)}",
            nl=False,
        )
        token = tokens.name_in(call["session"])
        notes = [f"with the token {token}"] if token else []
        if call["undone_by"]:
            notes.append(f"taken back by {call['undone_by']}")
        click.secho("".join(f"  {note}" for note in notes), dim=True)


def show_history(answer: dict[str, Any], *, name: str) -> None:
    if answer["entity"]:
        click.secho(entity_name(answer["entity"]), bold=True, nl=False)
        click.echo(f"  {answer['entity']['type']}{resolution_note(name, answer['resolution'])}")
    for event in answer["events"]:
        origin = ", ".join(printable(part) for part in (event["tool"], event["session"], event["source"]) if part)
        click.echo(f"  {event['at'][:16].replace('T', ' ')}  {event['what']}: {printable(event['text'])}", nl=False)
        call = f"call {event['call']}, change {event['change']}"
        if "imported_at" in event:
            call = f"{_imported_note(event).removeprefix(', ')}; the rest is what its file says"
        click.secho(f"  ({origin}{'; ' if origin else ''}{call})", dim=True)
    if answer["truncated"]:
        click.echo("  … and older events; --limit shows more")


def show_duplicates(pairs: list[dict[str, Any]], *, total: int) -> None:
    for pair in pairs:
        one, other = pair["entity"], pair["duplicate"]
        click.echo(
            f"{entity_name(one)} ({one['type']})  and  {entity_name(other)} ({other['type']})  {pair['score']:.2f}"
            + (f"  {printable(pair['reason'])}" if "reason" in pair else ""),
            nl=False,
        )
        click.secho(f"  kg merge {entity_argument(one)} {entity_argument(other)}{_across_types(one, other)}", dim=True)
    if hidden := more(total - len(pairs), "more; --json lists them all"):
        click.echo(hidden)
    if not pairs:
        click.echo("No duplicates found.")


def show_corrected_text(answer: dict[str, Any]) -> None:
    """Show what a correction of a text changed, what the text now seems to say, and the facts recorded from it."""
    text = answer["text"]
    click.echo(printable(answer["message"]))
    if not answer["changed"]:
        return
    if passage := text.get("passage"):
        click.echo(f"  {printable(passage)}")
    if mentions := text.get("mentions"):
        click.echo(f"  mentions {', '.join(map(entity_name, mentions))}")
    if facts := text.get("recorded_facts"):
        click.secho("  Recorded from it, and unchanged:", fg="yellow")
        for fact in facts:
            click.echo(f"    {printable(fact['text'])}  ({fact['id']})")
    if text.get("proposed_facts"):
        click.echo(f"  {count_noun(len(text['proposed_facts']), 'proposed fact')}: kg review")
    click.echo(f"  To take it back: kg undo {answer['call']}")


def show_update(answer: dict[str, Any]) -> None:
    """Show what changed in an entity, and which of its facts no longer fit."""
    entity, before = answer["entity"], answer["before"]
    if not answer["changed"]:
        click.echo(f"Nothing changed: {entity_name(entity)} ({entity['type']}) was already so.")
        return
    parts = []
    if "name" in answer["changed"]:
        parts.append(f"{entity_name(before)} is now {entity_name(entity)}")
    if "type" in answer["changed"]:
        parts.append(f"{entity_name(entity)} now has the type {entity['type']} instead of {before['type']}")
    click.echo(". ".join(parts) + "." if parts else f"Changed {entity_name(entity)} ({entity['type']}).")
    show_particulars(entity)
    if answer["aliases_added"]:
        click.echo(f"  also called {', '.join(map(printable, answer['aliases_added']))}")
    if answer["aliases_removed"]:
        click.echo(f"  no longer an alias: {', '.join(map(printable, answer['aliases_removed']))}")
    if answer["misfits"]:
        click.secho(f"  facts that do not fit the new type: {answer['misfits_total']:,}", fg="yellow")
        for fact in answer["misfits"]:
            click.echo(f"    {printable(fact['text'])}  ({fact['id']})")
    for duplicate in answer["possible_duplicates"]:
        show_possible_duplicate(entity, duplicate)
    for conflict in answer.get("conflicts", ()):
        _show_conflict(conflict)
    click.echo(f"  To take it back: kg undo {answer['call']}")


def show_particulars(entity: dict[str, Any]) -> None:
    """Show the summary and properties of an entity, if any."""
    if summary := entity.get("summary"):
        click.echo(f"  {printable(summary)}")
    for name, value in property_rows(entity.get("properties", {})):
        click.echo(f"  {name}: {value}")


def _across_types(one: dict[str, Any], other: dict[str, Any]) -> str:
    return "" if one["type"] == other["type"] else " --across-types"


def _show_texts(texts: dict[str, Any]) -> None:
    """Show how many texts mention an entity, and passages of the newest."""
    if not texts["total"]:
        return
    click.echo(f"  in {count_noun(texts['total'], 'text')}{', the newest first' if texts['total'] > 1 else ''}:")
    for passage in texts["newest"]:
        quote, name = printable(passage["quote"]), printable(passage["name"])
        title = "" if quote.startswith(name.rstrip("…")) else f"“{name}”: "
        click.echo(f"    {day(passage['valid_at'])}  {title}{quote}")


def _fact_details(fact: dict[str, Any]) -> str:
    details = [f"beginning {fact['beginning']}" if "beginning" in fact else day(fact["recorded_at"])]
    if fact["valid_from"]:
        details.append(f"from {day(fact['valid_from'])}")
    if fact["valid_to"]:
        details.append(f"until {last_day(fact['valid_to'])}")
    if fact.get("scope"):
        details.append(f"only in {', '.join(fact['scope'])}")
    if fact["confidence"] < 1:
        details.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        details.append(printable(fact["source"]))
    return click.style(f"  ({', '.join(details)})", dim=True)


def _decision_line(decision: dict[str, Any]) -> str:
    by = f", {', '.join(map(entity_name, decision['decided_by']))}" if decision["decided_by"] else ""
    by += f", {', '.join(map(printable, decision['projects']))}" if decision.get("projects") else ""
    instead = f", instead of {entity_name(decision['supersedes'])}" if decision["supersedes"] else ""
    imported = _imported_note(decision)
    return f"{decision['decided_on']}  {entity_name(decision)}{click.style(by + instead + imported, dim=True)}"


def _imported_note(imported: dict[str, Any]) -> str:
    """A note that something was imported, and from which file; empty if it was recorded here."""
    if "imported_at" not in imported:
        return ""
    file = f" from {printable(imported['imported_from'])}" if "imported_from" in imported else ""
    return f", imported{file} on {imported['imported_at'][:10]}"
