"""Basic output on the terminal: printable text, JSON, errors, names, candidates, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from keepgraph import errors, lazy
from keepgraph.english import count_noun

_CONTROL = lazy.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CONTROL_IN_JSON = lazy.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: object) -> str:
    """Stored text on one line, without control characters: they could move the cursor, or hide text."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text).replace("\n", " ").replace("\t", " "))


def show_json(answer: Any) -> None:
    """Write an answer as JSON to standard output."""
    import json

    click.echo(escape_control(json.dumps(answer, ensure_ascii=False, indent=2)))


def escape_control(json_text: str) -> str:
    """The same JSON with the control characters escaped that a terminal would interpret."""
    return _CONTROL_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


def show_error(envelope: dict[str, Any], *, as_json: bool) -> None:
    """Show an error: as text on standard error, or as JSON on standard output."""
    if as_json:
        show_json(envelope)
        return
    is_query_error = envelope.get("type") == "error"  # errors of run_cypher have an envelope of their own
    details = envelope["error"] if is_query_error else envelope
    message = details["explanation" if is_query_error else "message"]
    code = envelope["code" if is_query_error else "error"]
    click.secho(f"error: {printable(message)} ({code})", fg="red", err=True)
    if hint := details.get("suggestion" if is_query_error else "hint"):
        click.echo(f"hint:  {printable(hint)}", err=True)
    for candidate in details.get("candidates", ()):
        if isinstance(candidate, dict) and {"id", "type", "name"} <= candidate.keys():
            click.echo(f"       perhaps {printable(entity_argument(candidate))}", err=True)
        elif isinstance(candidate, dict) and {"id", "text"} <= candidate.keys():
            when = validity(candidate) if "valid_from" in candidate else ""
            click.echo(f"       {printable(candidate['id'])}  {printable(candidate['text'])}{when}", err=True)
        elif isinstance(candidate, dict) and {"id", "kind", "name"} <= candidate.keys():
            named = f"{printable(candidate['name'])} ({printable(candidate['kind'])})"
            click.echo(f"       {printable(candidate['id'])}  {named}", err=True)


def with_commands(text: str) -> str:
    """A text of ours with tool names replaced by commands."""
    # Imported here: most commands show no hint.
    from keepgraph.tools.contract import reader_references

    return reader_references.render(text, shown=())


def progress_bar(length: int, label: str, *, quiet: bool) -> Any:
    """A progress bar; silent without a terminal."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=quiet or not sys.stderr.isatty())


def more(hidden: int, what: str = "more") -> str:
    """How much longer a list is than what is shown: `… and 3 more`; empty if all is shown."""
    return f"… and {hidden:,} {what}" if hidden > 0 else ""


def show_first(lines: Sequence[str], most: int, *, indent: str = "", err: bool = False) -> None:
    """Show at most `most` lines of a list, and how many more there are."""
    for line in lines[:most]:
        click.echo(f"{indent}{printable(line)}", err=err)
    if rest := more(len(lines) - most, "more; --json lists them all"):
        click.echo(f"{indent}{rest}", err=err)


def can_ask() -> bool:
    """Whether a person at a terminal can answer."""
    return sys.stdin.isatty()


def confirm(question: str, *, quiet: bool = False) -> None:
    """Ask for confirmation; a no aborts.

    Raises:
        errors.NotConfirmed: there is no terminal.
    """
    if quiet or not can_ask():
        raise errors.NotConfirmed(f"this needs confirmation: {question}", hint="Add --yes to go ahead.")
    click.confirm(question, abort=True, err=True)


def show_no_match(name: str, resolution: dict[str, Any], *, nothing: str = "Nothing", texts: int = 0) -> None:
    """Show that a name matched nothing or several things, with the candidates.

    Args:
        nothing: the beginning of the message, such as "No project".
        texts: how many texts mention it, for the hint.
    """
    if resolution.get("ambiguous"):
        click.echo(printable(with_commands(resolution["hint"])))
        for candidate in resolution["candidates"]:
            click.echo(f"  {printable(candidate['id'])}  {entity_name(candidate)} ({candidate['type']})")
        return
    if texts and resolution.get("hint"):
        click.echo(printable(with_commands(resolution["hint"])))
        return
    click.echo(f"{nothing} called “{printable(name)}” is known.")
    if resolution.get("embedding"):
        click.secho(f"  (search by meaning is {printable(resolution['embedding'])})", dim=True)
    if resolution.get("hint"):
        click.echo(f"  {printable(with_commands(resolution['hint']))}")
    for candidate in resolution["candidates"]:
        click.echo(f"  perhaps {entity_name(candidate)} ({candidate['type']}, {candidate['score']:.2f})")
    if not resolution["candidates"] and not resolution.get("hint"):
        click.echo(f"  To look in texts too: kg search {shell_argument(name)}")


def show_near_names(possible_duplicates: Sequence[dict[str, Any]]) -> None:
    """Show entities that a new one may be."""
    for near in possible_duplicates:
        click.echo(f"  {entity_name(near['new'])} may be {entity_name(near)}; kg undo takes it back")


def show_other_groups(other_groups: dict[str, Any] | None) -> None:
    """Show which other groups of the graph are not empty, if any."""
    if not other_groups or not other_groups["groups"]:
        return
    counts = [
        f"{printable(group['group_id'])} ({count_noun(group['entities'], 'entity')}, "
        f"{count_noun(group['episodes'], 'text')})"
        for group in other_groups["groups"]
    ]
    more = f" and {other_groups['more']} more" if other_groups["more"] else ""
    click.echo(f"  in other groups: {', '.join(counts)}{more}")


def entity_name(entity: dict[str, Any]) -> str:
    return printable(entity["name"])


def entity_argument(entity: dict[str, Any]) -> str:
    """An entity as typed in a command: type:name, quoted if the shell needs it."""
    from keepgraph import command_arguments

    return command_arguments.entity_argument(entity["type"], entity["name"], entity["id"])


def property_rows(properties: dict[str, Any]) -> list[tuple[str, str]]:
    """The properties of an entity as names and values: a text as it is, anything else as JSON."""
    import json

    return [
        (printable(name), printable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
        for name, value in properties.items()
    ]


def object_text(object: dict[str, Any]) -> str:
    """The object of a fact: the name of an entity, or a literal in quotes."""
    return entity_name(object) if "name" in object else f"“{printable(object['literal'])}”"


def day(instant: str) -> str:
    return instant[:10]


def last_day(instant: str) -> str:
    """The last day of what ended at an instant, with the time of day unless it ended at midnight."""
    from datetime import datetime, timedelta

    end = datetime.fromisoformat(instant)
    is_midnight = end.time() == end.time().min
    return (end - timedelta(days=1)).date().isoformat() if is_midnight else instant[:16].replace("T", " ")


def validity(dated: dict[str, Any]) -> str:
    """The validity after a sentence: from when until when; empty if neither is known."""
    begin, end = dated["valid_from"], dated["valid_to"]
    since = f" from {day(begin)}" if begin else ""
    return f"{since} until {last_day(end)}" if end else since


def shell_argument(text: str) -> str:
    """A text as typed as one argument of a command."""
    from keepgraph import command_arguments

    return command_arguments.quoted(printable(text))


def resolution_note(name: str, resolution: dict[str, Any]) -> str:
    """How a name was resolved, with its score; empty for an exact match of one entity."""
    if resolution["method"] == "exact" and not resolution.get("because"):
        return ""
    because = f": {printable(resolution['because'])}" if resolution.get("because") else ""
    return f"  ({resolution['method']} match for “{printable(name)}”, {resolution['score']:.2f}{because})"
