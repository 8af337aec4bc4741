"""`kg review`: decisions by options for scripts, or by a key for each proposal."""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.cli.output.terminal import printable
from keepgraph.english import count_noun
from keepgraph.graph import Graph

KINDS = (
    *("new_entity", "new_fact", "new_word", "same_as", "alias", "contradiction", "doubtful", "probably_ended"),
    *("retype", "functional", "gap", "orphan"),
)
_DECISIONS_IN_A_CALL = 100
_LISTED = 200


@click.command("review")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this kind; may be repeated.")
@click.option("--accept", "accepted", metavar="ID", multiple=True, help="Accept this proposal; may be repeated.")
@click.option("--reject", "rejected", metavar="ID", multiple=True, help="Reject this proposal; may be repeated.")
@click.option("--wake", "woken", type=click.Choice(KINDS), multiple=True, help="Propose this quiet kind again.")
@click.option("--group", metavar="ID", help="Another group of the graph.")
@click.option("--list", "only_list", is_flag=True, help="List the open proposals, without asking.")
@graph_options.all_options
def review_command(
    ctx: click.Context,
    kinds: tuple[str, ...],
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    woken: tuple[str, ...],
    group: str | None,
    only_list: bool,
) -> None:
    """Decide on proposals: names and facts in texts, duplicates, contradictions, gaps. Each decision can be undone.

    \b
    y accept   n reject   s skip   m merge with something known   e edit, then accept
    u undo the last decision   ? why   q quit
    Keys can also be piped in, one a line; after e and m, the answer to their question is on the same line.

    \b
    kg review
    kg review --kind same_as
    kg review --accept prop_01kb3v9q0e8m4t6w2x5y7z9abc
    """

    as_json = graph_options.wants_json(ctx)
    scope = {"group_id": group or None}
    with graph_options.open_graph(ctx) as graph:
        if accepted or rejected or woken:
            answer = _decide(graph, accepted, rejected, woken, scope)
            terminal.show_json(answer) if as_json else _show_decisions(answer)
            ctx.exit(0 if all(entry["done"] for entry in answer["decisions"]) else 1)
        filters = {"kinds": list(kinds) or None}
        if as_json or only_list:
            answer = graph.call("review_proposals", limit=_LISTED, **filters, **scope)
            terminal.show_json(answer) if as_json else _show_list(answer)
            return
        review(graph, filters, scope)


def _decide(
    graph: Graph,
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    woken: tuple[str, ...],
    scope: dict[str, Any],
) -> dict[str, Any]:
    """Decide as the options say, in as many calls as needed; returns the last answer, with all decisions."""
    entries = [{"id": each, "decision": "accept"} for each in accepted]
    entries += [{"id": each, "decision": "reject"} for each in rejected]
    decisions: list[dict[str, Any]] = []
    answer: dict[str, Any] = {}
    for first in range(0, max(len(entries), 1), _DECISIONS_IN_A_CALL):
        given: dict[str, Any] = {"decide": entries[first : first + _DECISIONS_IN_A_CALL]}
        if woken and not first:
            given["wake"] = list(woken)
        answer = {**answer, **graph.call("review_proposals", limit=0, **given, **scope)}
        decisions += answer.get("decisions", [])
    return {**answer, "decisions": decisions}


# A review session: shows one proposal after another, and decides by keys.

# Keys of a review session: single keys from a terminal, or piped lines.

_MAX_WAIT = 10.0
"""Seconds to wait for a piped line before the session ends."""

_END_KEYS = ("\x03", "\x04", "\x1b")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A key in lower case, and the rest of its line."""

    key: str
    text: str = ""


class _Keys:
    """Reads keys; `is_terminal` says whether a person types them."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()
        self._lines = iter(()) if self.is_terminal else _piped_lines()

    def read(self) -> _Answer | None:
        """The next key; None at the end."""
        if not self.is_terminal:
            line = next(self._lines, None)
            return None if line is None else _Answer(line[:1].lower(), line[1:].strip())
        try:
            key = click.getchar()
        except (KeyboardInterrupt, EOFError):
            return None
        return None if key in _END_KEYS else _Answer(key[:1].lower())

    def ask(self, question: str) -> str:
        """A person's answer to a question; empty without a terminal."""
        if not self.is_terminal:
            return ""
        return str(click.prompt(f"  {question}", default="", show_default=False, prompt_suffix=" ")).strip()


def _piped_lines() -> Iterator[str]:
    """The non-empty lines of standard input, until it ends or nothing more comes."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError, io.UnsupportedOperation):
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Not sys.stdin itself, whose lock would be held at exit.
    threading.Thread(target=_read_all, args=(number, parts), daemon=True).start()
    rest = b""
    while True:
        try:
            part = parts.get(timeout=_MAX_WAIT)
        except queue.Empty:
            click.echo(f"No key came within {_MAX_WAIT:.0f} seconds.", err=True)
            part = b""
        *lines, rest = (rest + part).split(b"\n") if part else (rest, b"")
        yield from (text for line in lines if (text := line.decode("utf-8", "replace").strip()))
        if not part:
            return


def _read_all(number: int, parts: queue.SimpleQueue[bytes]) -> None:
    """Read a file to its end, marked by an empty part."""
    part = b"-"
    while part:
        try:
            part = os.read(number, 65536)
        except OSError:
            part = b""
        parts.put(part)


_LISTED_IN_SESSION = 50
_ENTITY_ARGUMENTS = ("subject", "object", "entity", "keep", "absorb")
_ASK_FOR_ENTITY = "Which entity is it (a name, type:name or an id)?"
_ASK_FOR_ARGUMENTS = "What to change (name=value …, or JSON)?"


def review(graph: Graph, filters: Mapping[str, Any], scope: Mapping[str, Any]) -> None:
    """Ask about each open proposal until none is left, or the person or the input ends it.

    Args:
        filters: which proposals to list, as arguments of `review_proposals`.
        scope: the group, as an argument of it.
    """
    answer = graph.call("review_proposals", limit=_LISTED_IN_SESSION, **filters, **scope)
    _show_state(answer)
    session = _Session(graph, _Keys(), scope)
    if answer["proposals"] and session.keys.is_terminal:
        click.secho(_KEYS, dim=True)
    goes_on = True
    while goes_on and session.take(answer["proposals"]):
        while goes_on and session.waiting:
            goes_on = _ask(session, total=answer["total"])
        answer = graph.call("review_proposals", limit=_LISTED_IN_SESSION, **filters, **scope)
    _show_end(session, still_open=answer["total"])


@dataclass(slots=True)
class _Session:
    """The open questions, and the decisions made.

    Attributes:
        waiting: the proposals to ask about, the next one first.
        seen: the ids of all proposals taken so far.
        calls: the calls of the decisions not undone, each with its proposal, the last at the end.
    """

    graph: Graph
    keys: _Keys
    scope: Mapping[str, Any]
    waiting: deque[dict[str, Any]] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def take(self, proposals: list[dict[str, Any]]) -> bool:
        """Take the proposals not yet seen; returns whether there are any."""
        new = [proposal for proposal in proposals if proposal["id"] not in self.seen]
        self.waiting.extend(new)
        self.seen.update(proposal["id"] for proposal in new)
        return bool(new)


def _ask(session: _Session, *, total: int) -> bool:
    """Ask about the next proposal until it is dealt with; returns False to end the session."""
    proposal = session.waiting[0]
    number = len(session.seen) - len(session.waiting) + 1
    _show_proposal(proposal, number=number, total=max(total, len(session.seen)))
    while True:
        answer = session.keys.read()
        if answer is None or answer.key == "q":
            return False
        if answer.key == "s":
            session.waiting.popleft()
            return True
        if answer.key == "u":
            if _undo(session):
                return True
        elif answer.key == "?":
            _show_why(proposal)
        elif answer.key in ("y", "n", "e", "m"):
            if _decide_in_session(session, proposal, answer):
                return True
        else:
            click.echo(_KEYS)


def _decide_in_session(session: _Session, proposal: dict[str, Any], answer: _Answer) -> bool:
    """Decide by a key; returns whether to go on to the next proposal."""
    try:
        entry = _entry(session, proposal, answer)
    except (errors.KeepgraphError, ValueError) as error:
        click.secho(f"  {terminal.printable(getattr(error, 'message', error))}", fg="red")
        return _ask_later_if_piped(session)
    [decision] = session.graph.call("review_proposals", limit=0, decide=[entry], **session.scope)["decisions"]
    _show_decision(decision)
    if not decision["done"]:
        if decision["error"] in (errors.ProposalClosed.code, errors.ProposalNotFound.code):
            session.waiting.popleft()
            return True
        return _skip_if_piped(session)
    session.calls.append((decision["call"], session.waiting.popleft()))
    return True


def _ask_later_if_piped(session: _Session) -> bool:
    """Ask again; with piped lines after the others, since the next line is for the next proposal.

    Returns:
        Whether to go on to the next proposal.
    """
    if not session.keys.is_terminal:
        session.waiting.rotate(-1)
    return not session.keys.is_terminal


def _skip_if_piped(session: _Session) -> bool:
    """Go on to the next proposal if lines are piped, as each is for one proposal."""
    if not session.keys.is_terminal:
        session.waiting.popleft()
    return not session.keys.is_terminal


def _entry(session: _Session, proposal: Mapping[str, Any], answer: _Answer) -> dict[str, Any]:
    """The decision that a key means, as the tool takes it.

    Raises:
        ValueError: the text after the key cannot be read.
    """
    entry = {"id": proposal["id"]}
    if answer.key == "y":
        return {**entry, "decision": "accept"}
    if answer.key == "n":
        return {**entry, "decision": "reject"}
    if answer.key == "e":
        click.echo(f"  now: {_describe_arguments(proposal['call']['arguments'])}")
        text = answer.text or session.keys.ask(_ASK_FOR_ARGUMENTS)
        return {**entry, "decision": "edit", "arguments": _parse_arguments(session.graph, text)}
    if proposal["kind"] == "new_entity":
        text = answer.text or session.keys.ask(_ASK_FOR_ENTITY)
        if not text:
            raise ValueError("No entity was given.")
        return {**entry, "decision": "merge", "into": graph_options.entity_reference(session.graph, text)}
    if answer.text and proposal["kind"] == "same_as":
        _refuse_another_entity(session.graph, proposal, answer.text)
    return {**entry, "decision": "merge"}


def _refuse_another_entity(graph: Graph, proposal: Mapping[str, Any], text: str) -> None:
    """Refuse a name that belongs to neither of the two entities to merge.

    Raises:
        ValueError: it belongs to neither.
    """
    pair = {end.get("id") for end in proposal["call"]["arguments"].values() if isinstance(end, dict)}
    found = graph.call("get_entity", entity=graph_options.entity_reference(graph, text))
    if found["entity"]["id"] not in pair:
        raise ValueError(f"“{text}” is neither of the two. The key m alone merges them.")


def _parse_arguments(graph: Graph, text: str) -> dict[str, Any]:
    """Arguments from JSON, or from words such as `object=person:Ada predicate=works_at`.

    Raises:
        ValueError: it is neither.
    """
    if text.startswith("{"):
        try:
            arguments = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"This is not JSON: {error}.") from error
        return dict(arguments)
    import shlex

    arguments = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not (equals and name and value):
            raise ValueError(f"“{word}” is not name=value.")
        arguments[name] = graph_options.entity_reference(graph, value) if name in _ENTITY_ARGUMENTS else _value(value)
    if not arguments:
        raise ValueError("There is nothing to change.")
    return arguments


def _value(text: str) -> Any:
    """A value as JSON, or the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _undo(session: _Session) -> bool:
    """Undo the last decision of this session and ask again; returns whether there was one."""
    if not session.calls:
        click.echo("This session has no decisions. `kg undo` takes back earlier calls.")
        return False
    call, proposal = session.calls[-1]
    try:
        undone = session.graph.call("undo", call=call)
    except errors.Conflict as error:
        click.secho(f"  {terminal.printable(error.message)}", fg="red")
        return False
    session.calls.pop()
    click.secho(f"  {terminal.printable(undone['message'])}", dim=True)
    session.waiting.appendleft(proposal)
    return True


def _show_end(session: _Session, *, still_open: int) -> None:
    if session.seen:
        decided = len(session.calls)
        click.echo(f"\n{decided:,} decided, {still_open:,} open.")
        if decided:
            click.secho("To list the calls: kg log. To take them back: kg undo", dim=True)


# Proposals and decisions on the terminal.

_GROUNDS_SHOWN = 2

_KEYS = "y yes · n no · s skip · m merge · e edit · u undo · ? why · q quit"


def _show_proposal(proposal: Mapping[str, Any], *, number: int, total: int) -> None:
    """Show a proposal, with its first grounds."""
    kind = proposal["kind"].replace("_", " ")
    click.secho(f"\n{number} of {total} · {kind} · {proposal['score']:.2f}", dim=True)
    click.secho(printable(proposal["statement"]), bold=True)
    for ground in proposal["rests_on"][:_GROUNDS_SHOWN]:
        click.echo(f"  {printable(ground['text'])}")
    if needed := proposal.get("needs"):
        click.echo(f"  to accept it, give {' and '.join(map(printable, needed))} with e")
    else:
        click.echo(f"  y: {printable(proposal['effect'])}")


def _show_why(proposal: Mapping[str, Any]) -> None:
    """Show all that a proposal rests on, and the call made by accepting it."""
    click.echo("Based on:")
    for ground in proposal["rests_on"]:
        named = f"  ({printable(ground['id'])})" if ground["id"] else ""
        click.echo(f"  {printable(ground['text'])}{click.style(named, dim=True)}")
    if (more := proposal["rests_on_total"] - len(proposal["rests_on"])) > 0:
        click.echo(f"  and {more:,} more")
    call = proposal["call"]
    click.echo(f"Accepting calls {printable(call['tool'])}: {_describe_arguments(call['arguments'])}")
    click.echo(f"  ({printable(proposal['id'])}, proposed {printable(proposal['offered_at'][:10])})")


def _describe_arguments(arguments: Mapping[str, Any]) -> str:
    return printable(json.dumps(arguments, ensure_ascii=False))


def _show_decision(decision: Mapping[str, Any]) -> None:
    """Show the result of a decision."""
    if decision["done"]:
        click.secho(f"  {printable(decision['message'])} (kg undo {decision['call']})", dim=True)
        return
    click.secho(f"  not done: {printable(decision['message'])} ({decision['error']})", fg="red")
    if hint := decision.get("hint"):
        click.echo(f"  {printable(terminal.with_commands(hint))}")


def _show_decisions(answer: Mapping[str, Any]) -> None:
    """Show the results of decisions by options, and what is still open."""
    for decision in answer["decisions"]:
        click.echo(f"{decision['decision']} {printable(decision['id'])}")
        _show_decision(decision)
    for kind in answer.get("woken", ()):
        click.echo(f"{kind} is proposed again.")
    click.echo(printable(answer["message"]))


def _show_list(answer: Mapping[str, Any]) -> None:
    """Show the open proposals, the most certain first."""
    for proposal in answer["proposals"]:
        named = click.style(f"  {proposal['id']}", dim=True)
        click.echo(f"{proposal['score']:.2f}  {printable(proposal['statement'])}{named}")
    _show_state(answer)
    if answer["total"]:
        click.secho("To decide one by one: kg review. In scripts: --accept ID and --reject ID", dim=True)


def _show_state(answer: Mapping[str, Any]) -> None:
    """Show how many are open, what closed by itself, what else waits, and which kinds are quiet."""
    click.echo(printable(answer["message"]))
    for closed in answer.get("closed", ()):
        click.secho(f"  closed: {printable(closed['statement'])} {printable(closed['reason'])}", dim=True)
    if waiting := answer.get("waiting"):
        click.echo(
            f"{count_noun(waiting, 'more proposal')} from texts will follow when you have decided some of these."
        )
    for quiet in answer.get("quiet", ()):
        click.echo(
            f"No more {quiet['kind']} proposals: you accepted only {quiet['accepted']} of the last "
            f"{quiet['decided']}. To get them again: kg review --wake {quiet['kind']}"
        )
