"""How answers look on a terminal. Knows answers as plain dicts, and no graph."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CONTROL_IN_JSON = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: object) -> str:
    """Stored text without what would steer a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text).replace("\n", " ").replace("\t", " "))


def in_json(answer: Any) -> None:
    import json

    text = json.dumps(answer, ensure_ascii=False, indent=2)
    # What JSON need not escape, and a terminal may obey all the same.
    click.echo(_CONTROL_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def error(envelope: dict[str, Any], *, as_json: bool) -> None:
    """To standard error for a person, to standard output for a program."""
    if as_json:
        in_json(envelope)
        return
    of_query = envelope.get("type") == "error"
    told = envelope["error"] if of_query else envelope
    message, code = told["explanation" if of_query else "message"], envelope["code" if of_query else "error"]
    click.secho(f"error: {printable(message)} ({code})", fg="red", err=True)
    if hint := told.get("suggestion" if of_query else "hint"):
        click.echo(f"hint:  {printable(hint)}", err=True)


def recorded(answer: dict[str, Any]) -> None:
    said = f"{name(answer['subject'])} {answer['predicate']} {target(answer['object'])}"
    if answer["deduplicated"]:
        click.echo(f"Known since {day(answer['recorded_at'])}: {said}")
    else:
        click.secho("Recorded: ", fg="green", nl=False)
        click.echo(said)
    for ended in answer["superseded"]:
        click.echo(f"  ended {day(ended['valid_to'])}: {ended['fact_id']}")
    for entity in answer["auto_created_entities"]:
        click.echo(f"  new {entity['type']}: {name(entity)}")
    for double in answer["possible_duplicates"]:
        click.secho(
            f"  “{name(double['new'])}” may be the {double['type']} “{name(double)}” ({double['score']:.2f}); "
            f"if so: kg merge {double['id']} {double['new']['id']}",
            fg="yellow",
        )


def recalled(answer: dict[str, Any], *, asked: str, ids: bool = False) -> None:
    entity = answer["entity"]
    if entity is None:
        no_match(f"Nothing called “{printable(asked)}” is known.", answer["resolution"])
        return
    click.secho(name(entity), bold=True, nl=False)
    click.echo(f"  {entity['type']}{_how(asked, answer['resolution'])}")
    if entity["aliases"]:
        click.echo(f"  also called {', '.join(map(printable, entity['aliases']))}")
    for fact in answer["facts"]:
        ours = fact["subject"]["id"] == entity["id"]
        arrow, other = ("→", target(fact["object"])) if ours else ("←", name(fact["subject"]))
        shown_id = f"{fact['id']}  " if ids else ""
        click.echo(f"  {shown_id}{fact['predicate']} {arrow} {other}{_particulars(fact)}")
    if answer["truncated_facts"]:
        click.echo(f"  … and older facts; these are the newest {len(answer['facts'])}")
    if answer["related_entities"]:
        near = ", ".join(f"{name(each)} ({each['co_occurrence_count']})" for each in answer["related_entities"][:8])
        click.secho(f"  related: {near}", dim=True)


def decisions(answer: dict[str, Any], *, asked: str) -> None:
    if answer["project"] is None:
        no_match(f"No project called “{printable(asked)}” is known.", answer["resolution"])
        return
    since = f" since {answer['since']}" if answer["since"] else ""
    click.secho(name(answer["project"]), bold=True, nl=False)
    click.echo(f"  {_counted(len(answer['decisions']), 'decision')}{since}{_how(asked, answer['resolution'])}")
    for decision in answer["decisions"]:
        click.echo(f"  {_decision(decision)}")
    if answer["truncated"]:
        click.echo("  … and older ones")


def week(answer: dict[str, Any], *, asked: str = "") -> None:
    how = _how(asked, answer["resolution"]) if answer["resolution"] else ""
    click.secho(f"{answer['period']['start']} to {answer['period']['end']}", bold=True, nl=False)
    click.echo(how)
    click.echo(printable(answer["summary"]))
    for title, lines in (
        ("Decided", [_decision(decision) for decision in answer["decisions"]]),
        ("Blocked", [f"{name(b['subject'])} by {target(b['object'])}{_particulars(b)}" for b in answer["blockers"]]),
        ("Next", [printable(action) for action in answer["next_actions"]]),
    ):
        if lines:
            click.secho(title, bold=True)
        for line in lines:
            click.echo(f"  {line}")
    if answer["truncated"]:
        totals = answer["totals"]
        click.echo(
            f"Not all is shown: {_counted(totals['decisions'], 'decision')}, "
            f"{_counted(totals['blockers'], 'blocker')}, {_counted(totals['next_actions'], 'next action')} in all."
        )


def merged(answer: dict[str, Any]) -> None:
    would = "would become" if answer["dry_run"] else "became"
    gone, kept = answer["absorbed"], answer["entity"]
    click.secho(f"{name(gone)} ({gone['type']}) {would} {name(kept)} ({kept['type']})", bold=True)
    for fact in answer["facts"]:
        how = {
            "moved": f"{printable(fact['was'])} → {printable(fact['becomes'])}",
            "folded": f"{printable(fact['was'])} = a fact it has already",
            "retracted": f"{printable(fact['was'])}: retracted, it would be about itself",
        }[fact["effect"]]
        click.echo(f"  {how}")
    if answer["truncated"]:
        click.echo("  … and more facts")
    if answer["aliases_added"]:
        click.echo(f"  also called {', '.join(map(printable, answer['aliases_added']))}")
    counts = [f"{answer[effect]} {effect}" for effect in ("moved", "folded", "retracted") if answer[effect]]
    click.echo(f"  facts: {', '.join(counts) or 'none'}")


def log(calls: list[dict[str, Any]]) -> None:
    for call in calls:
        touched = ", ".join(f"{number} × {table}" for table, number in call["touched"].items())
        note = f"  takes back {call['undoes']}" if call["undoes"] else ""
        note += f"  taken back by {call['undone_by']}" if call["undone_by"] else ""
        click.echo(f"{call['call']:>6}  {call['at'][:16].replace('T', ' ')}  {call['tool']:<16} ", nl=False)
        click.secho(f"{touched}{note}", dim=True)


def history(answer: dict[str, Any], *, asked: str) -> None:
    if answer["entity"]:
        click.secho(name(answer["entity"]), bold=True, nl=False)
        click.echo(f"  {answer['entity']['type']}{_how(asked, answer['resolution'])}")
    for event in answer["events"]:
        by = ", ".join(printable(part) for part in (event["tool"], event["session"], event["source"]) if part)
        click.echo(f"  {event['at'][:16].replace('T', ' ')}  {event['what']}: {printable(event['text'])}", nl=False)
        click.secho(f"  ({by}; call {event['call']}, change {event['change']})", dim=True)
    if answer["truncated"]:
        click.echo("  … and older events; --limit shows more")


def duplicates(pairs: list[dict[str, Any]], *, total: int) -> None:
    for pair in pairs:
        one, other = pair["entity"], pair["double"]
        click.echo(f"{name(one)} ({one['type']})  and  {name(other)} ({other['type']})  {pair['score']:.2f}", nl=False)
        click.secho(f"  kg merge {one['id']} {other['id']}", dim=True)
    if total > len(pairs):
        click.echo(f"… and {total - len(pairs):,} more; --json lists them all")
    if not pairs:
        click.echo("Nothing looks like a double.")


def progress(length: int, label: str, *, quiet: bool) -> Any:
    """A bar on the terminal; silent where there is none."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=quiet or not sys.stderr.isatty())


def no_match(message: str, resolution: dict[str, Any]) -> None:
    click.echo(message)
    if resolution.get("embedding"):
        click.secho(f"  (by meaning: {printable(resolution['embedding'])})", dim=True)
    for candidate in resolution["candidates"]:
        click.echo(f"  perhaps {name(candidate)} ({candidate['type']}, {candidate['score']:.2f})")


def name(entity: dict[str, Any]) -> str:
    return printable(entity["name"])


def target(described: dict[str, Any]) -> str:
    return name(described) if "name" in described else f"“{printable(described['literal'])}”"


def day(instant: str) -> str:
    return instant[:10]


def _how(asked: str, resolution: dict[str, Any]) -> str:
    if resolution["method"] == "exact":
        return ""
    because = f": {printable(resolution['because'])}" if resolution.get("because") else ""
    return f"  (“{printable(asked)}” matched by {resolution['method']}, {resolution['score']:.2f}{because})"


def _particulars(fact: dict[str, Any]) -> str:
    said = [day(fact["recorded_at"])]
    if fact["valid_from"]:
        said.append(f"from {day(fact['valid_from'])}")
    if fact["valid_to"]:
        said.append(f"until {fact['valid_to'][:16].replace('T', ' ')}")
    if fact["confidence"] < 1:
        said.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        said.append(printable(fact["source"]))
    return click.style(f"  ({', '.join(said)})", dim=True)


def _decision(decision: dict[str, Any]) -> str:
    by = f", {', '.join(map(name, decision['decided_by']))}" if decision["decided_by"] else ""
    instead = f", instead of {name(decision['supersedes'])}" if decision["supersedes"] else ""
    return f"{decision['decided_on']}  {name(decision)}{click.style(by + instead, dim=True)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
