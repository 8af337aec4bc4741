"""`kg why`: where a fact, an entity, a text or a call comes from, what speaks against it, and what rests on it."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.pages import Section
from keepgraph.english import count_noun
from keepgraph.profiles import tokens

_KINDS = ("entity", "fact", "text", "call")


@click.command("why")
@click.argument("what", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--kind", type=click.Choice(_KINDS), help="What WHAT is, if it may be several things.")
@graph_options.all_options
def why_command(ctx: click.Context, what: tuple[str, ...], kind: str | None) -> None:
    """Show why WHAT is in the graph: a fact as a sentence, a name, the title of a text, an id, or "call 12".

    For a text, it shows what deleting it would remove. Nothing is changed.

    \b
    kg why Ana works_at Acme
    kg why "Minutes of May"
    kg why call 12
    """
    answer = graph_options.call(ctx, "explain", what=" ".join(what), kind=kind)
    if graph_options.show_json(ctx, answer):
        return

    _show(answer, name=" ".join(what))


# The page of an explanation: the answer in a sentence, then origins, objections, dependents and changes.

_STATES = {"not_yet": "not yet"}
_SECTIONS_OF = {
    "fact": ("Where it comes from", "What speaks against it", "What depends on it", "What changed it"),
    "entity": ("Where it comes from", "What is proposed about it", "What depends on it", "What changed it"),
    "text": ("Where it comes from", "What speaks against it", "If it were deleted", "What changed it"),
    "call": ("Where it comes from", "What speaks against it", "What it did", "What changed it since"),
}


def _show(answer: dict[str, Any], *, name: str) -> None:
    """Show the answer of explain.

    Args:
        name: the question, as the user wrote it.
    """
    kind, totals = answer["kind"], answer["totals"]
    origins, against, dependents, changes = _SECTIONS_OF[kind]
    words = dict.fromkeys([answer.get("type", ""), "" if kind == "entity" else kind, _state(answer)])
    note = terminal.resolution_note(name, answer["resolution"]) if "resolution" in answer else ""
    sections = [
        _section(origins, [] if kind == "call" else list(map(_origin, answer["origins"])), totals["origins"]),
        _section("Decisions", [(_decision(made), "") for made in _decisions_of_call(answer)], 0),
        Section("What confirms it", _confirmation(answer)),
        _section(
            against,
            [(terminal.printable(each["sentence"]), "") for each in answer["objections"]],
            totals.get("objections", 0),
        ),
        _section(dependents, [_dependent(each) for each in answer["dependents"]], totals["dependents"]),
        _section(
            "Sources",
            [
                (terminal.printable(each["source"]), count_noun(each["facts"], "fact"))
                for each in answer.get("sources", ())
            ],
            0,
        ),
        _section(changes, [_change(event) for event in answer["changes"]], totals["changes"]),
    ]
    pages.show_page(
        terminal.printable(answer["name"]),
        f"{', '.join(filter(None, words))}{note}",
        [terminal.printable(answer["message"]), *([] if kind == "call" else [terminal.printable(answer["id"])])],
        [section for section in sections if section.rows],
    )


def _section(title: str, rows: list[tuple[str, str]], total: int) -> Section:
    return Section(title, rows, more=terminal.more(total - len(rows)))


def _state(answer: dict[str, Any]) -> str:
    state: str = answer.get("state", "")
    return _STATES.get(state, state)


def _origin(origin: dict[str, Any]) -> tuple[str, str]:
    by = f" by {origin['tool']}" if origin["tool"] else ""
    call = f" (call {origin['call']})" if origin["call"] is not None else ""
    details = [f"{origin['what']}{by}{call}"]
    if token := tokens.name_in(origin["session"]):
        details.append(f"with the token {token}")
    elif origin["session"]:
        details.append(f"in the conversation {origin['session']}")
    if text := origin.get("text"):
        details.append(_passage(text))
    named = origin.get("source")
    if named and not (text and named in (text.get("source"), text["name"])):
        details.append(f"source: {named}")
    details += map(_decision, origin.get("decisions", ()))
    note = f". {origin['note']}" if origin.get("note") else ""
    return terminal.day(origin["at"]), terminal.printable("; ".join(details) + note)


def _decisions_of_call(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The decisions on proposals by which a call was made."""
    origins = answer["origins"] if answer["kind"] == "call" else ()
    return [made for origin in origins for made in origin.get("decisions", ())]


def _decision(made: dict[str, Any]) -> str:
    return terminal.printable(f"{made['decision']} in review: {made['proposal']}")


def _passage(text: dict[str, Any]) -> str:
    who = f", {text['speaker']} says" if "speaker" in text else ""
    where = f", under {text['heading']}" if "heading" in text else ""
    part = f", part {text['part']} of {text['parts']}" if "parts" in text else ""
    quote = f": “{text['quote']}”" if text["quote"] else ""
    return f"from “{text['name']}” ({text['doc_id']}){where}{part}{who}{quote}"


def _confirmation(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """The sentence of a text that says so, unless an origin already quotes it."""
    said = answer.get("confirmed_by")
    if not said or said["sentence"] in [origin["text"]["quote"] for origin in answer["origins"] if "text" in origin]:
        return []
    text = f" ({said['doc_id']})" if "doc_id" in said else ""
    return [(terminal.printable(f"“{said['sentence']}”{text}"), "")]


def _dependent(dependent: dict[str, Any]) -> tuple[str, str]:
    identity = f" ({dependent['id']})" if dependent["id"] else ""
    return terminal.printable(dependent["effect"]), terminal.printable(f"{dependent['text']}{identity}")


def _change(event: dict[str, Any]) -> tuple[str, str]:
    by = f" by {event['tool']}" if event["tool"] else ""
    call = f" (call {event['call']})" if event["call"] is not None else ""
    about = f": {event['text']}" if event["text"] else ""
    return terminal.day(event["at"]), terminal.printable(f"{event['what']}{by}{call}{about}")
