"""A review session: shows one proposal after the other, and does what a key says."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.cli.review import pages
from keepgraph.cli.review.keys import Answer, Keys
from keepgraph.graph import Graph

_LISTED = 50
_ENTITY_ARGUMENTS = ("subject", "object", "entity", "keep", "absorb")
_ASK_FOR_ENTITY = "Which known entity is it (a name, type:name or an id)?"
_ASK_FOR_ARGUMENTS = "What to change (name=value …, or JSON)?"


def review(graph: Graph, filters: Mapping[str, Any], scope: Mapping[str, Any]) -> None:
    """Ask about each open proposal until there are no more, or the person or the input ends it.

    Args:
        filters: which proposals are listed, as arguments of `review_proposals`.
        scope: the group, as an argument of it.
    """
    answer = graph.call("review_proposals", limit=_LISTED, **filters, **scope)
    pages.show_state(answer)
    session = _Session(graph, Keys(), scope)
    if answer["proposals"] and session.keys.is_terminal:
        click.secho(pages.KEYS, dim=True)
    goes_on = True
    while goes_on and session.take(answer["proposals"]):
        while goes_on and session.waiting:
            goes_on = _ask(session, total=answer["total"])
        answer = graph.call("review_proposals", limit=_LISTED, **filters, **scope)
    _show_end(session, still_open=answer["total"])


@dataclass(slots=True)
class _Session:
    """What is still to be asked, and what was decided.

    Attributes:
        waiting: the proposals to ask about, the next one first.
        seen: the ids of those that were asked about or wait to be; they are not taken again.
        calls: the calls of the decisions that stand, each with its proposal, the last one at the end.
    """

    graph: Graph
    keys: Keys
    scope: Mapping[str, Any]
    waiting: deque[dict[str, Any]] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def take(self, proposals: list[dict[str, Any]]) -> bool:
        """Take the proposals that were not seen yet; whether there are any."""
        new = [proposal for proposal in proposals if proposal["id"] not in self.seen]
        self.waiting.extend(new)
        self.seen.update(proposal["id"] for proposal in new)
        return bool(new)


def _ask(session: _Session, *, total: int) -> bool:
    """Ask about the next proposal until that is dealt with; False where the session is to end."""
    proposal = session.waiting[0]
    number = len(session.seen) - len(session.waiting) + 1
    pages.show_proposal(proposal, number=number, total=max(total, len(session.seen)))
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
            pages.show_why(proposal)
        elif answer.key in ("y", "n", "e", "m"):
            if _decide(session, proposal, answer):
                return True
        else:
            click.echo(pages.KEYS)


def _decide(session: _Session, proposal: dict[str, Any], answer: Answer) -> bool:
    """Decide as a key says; whether the next proposal comes."""
    try:
        entry = _entry(session, proposal, answer)
    except (errors.KeepgraphError, ValueError) as error:
        click.secho(f"  {terminal.printable(getattr(error, 'message', error))}", fg="red")
        return _ask_later_if_piped(session)
    [decision] = session.graph.call("review_proposals", limit=0, decide=[entry], **session.scope)["decisions"]
    pages.show_decision(decision)
    if not decision["done"]:
        if decision["error"] in (errors.ProposalClosed.code, errors.ProposalNotFound.code):
            session.waiting.popleft()
            return True
        return _skip_if_piped(session)
    session.calls.append((decision["call"], session.waiting.popleft()))
    return True


def _ask_later_if_piped(session: _Session) -> bool:
    """Ask again, after the others where lines are piped in: the next line is for the next proposal, and not for this.

    Returns:
        Whether the next proposal comes.
    """
    if not session.keys.is_terminal:
        session.waiting.rotate(-1)
    return not session.keys.is_terminal


def _skip_if_piped(session: _Session) -> bool:
    """Go on to the next proposal where lines are piped in, of which each is for one proposal."""
    if not session.keys.is_terminal:
        session.waiting.popleft()
    return not session.keys.is_terminal


def _entry(session: _Session, proposal: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """The decision that a key means, as the tool takes it.

    Raises:
        ValueError: what was given with the key cannot be read.
    """
    entry = {"id": proposal["id"]}
    if answer.key == "y":
        return {**entry, "decision": "accept"}
    if answer.key == "n":
        return {**entry, "decision": "reject"}
    if answer.key == "e":
        click.echo(f"  now: {pages.describe_arguments(proposal['call']['arguments'])}")
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
    """Refuse a merge of two entities with a name that is of neither.

    Raises:
        ValueError: it is of neither.
    """
    pair = {end.get("id") for end in proposal["call"]["arguments"].values() if isinstance(end, dict)}
    found = graph.call("get_entity", entity=graph_options.entity_reference(graph, text))
    if found["entity"]["id"] not in pair:
        raise ValueError(f"“{text}” is neither of the two. The key m alone makes them one.")


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
            raise ValueError(f"“{word}” is not of the form name=value.")
        arguments[name] = graph_options.entity_reference(graph, value) if name in _ENTITY_ARGUMENTS else _value(value)
    if not arguments:
        raise ValueError("Nothing was given to change.")
    return arguments


def _value(text: str) -> Any:
    """A value as JSON has it, else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _undo(session: _Session) -> bool:
    """Take back the last decision of this session and ask about it again; whether there was one."""
    if not session.calls:
        click.echo("Nothing was decided in this session yet. `kg undo` takes back what came before.")
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
            click.secho("kg log lists the calls, kg undo takes them back.", dim=True)
