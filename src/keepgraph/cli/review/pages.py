"""Proposals and decisions on the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from keepgraph.cli.output import terminal
from keepgraph.cli.output.terminal import printable

_GROUNDS_SHOWN = 2

KEYS = "y yes · n no · s skip · m merge · e edit · u undo · ? why · q quit"


def show_proposal(proposal: Mapping[str, Any], *, number: int, total: int) -> None:
    """One proposal, with the first of what it rests on."""
    kind = proposal["kind"].replace("_", " ")
    click.secho(f"\n{number} of {total} · {kind} · {proposal['score']:.2f}", dim=True)
    click.secho(printable(proposal["statement"]), bold=True)
    for ground in proposal["rests_on"][:_GROUNDS_SHOWN]:
        click.echo(f"  {printable(ground['text'])}")
    if needed := proposal.get("needs"):
        click.echo(f"  to accept it, give {' and '.join(map(printable, needed))} with e")
    else:
        click.echo(f"  y: {printable(proposal['effect'])}")


def show_why(proposal: Mapping[str, Any]) -> None:
    """All that a proposal rests on, and the call that accepting makes."""
    click.echo("It rests on:")
    for ground in proposal["rests_on"]:
        named = f"  ({printable(ground['id'])})" if ground["id"] else ""
        click.echo(f"  {printable(ground['text'])}{click.style(named, dim=True)}")
    if (more := proposal["rests_on_total"] - len(proposal["rests_on"])) > 0:
        click.echo(f"  and {more:,} more")
    call = proposal["call"]
    click.echo(f"Accepting calls {printable(call['tool'])}: {describe_arguments(call['arguments'])}")
    click.echo(f"  ({printable(proposal['id'])}, proposed {printable(proposal['offered_at'][:10])})")


def describe_arguments(arguments: Mapping[str, Any]) -> str:
    return printable(json.dumps(arguments, ensure_ascii=False))


def show_decision(decision: Mapping[str, Any]) -> None:
    """What became of a decision."""
    if decision["done"]:
        click.secho(f"  {printable(decision['message'])} (kg undo {decision['call']})", dim=True)
        return
    click.secho(f"  not done: {printable(decision['message'])} ({decision['error']})", fg="red")
    if hint := decision.get("hint"):
        click.echo(f"  {printable(terminal.with_commands(hint))}")


def show_decisions(answer: Mapping[str, Any]) -> None:
    """What became of decisions that options gave, and what is open now."""
    for decision in answer["decisions"]:
        click.echo(f"{decision['decision']} {printable(decision['id'])}")
        show_decision(decision)
    for kind in answer.get("woken", ()):
        click.echo(f"{kind} is proposed again.")
    click.echo(printable(answer["message"]))


def show_list(answer: Mapping[str, Any]) -> None:
    """What waits, the surest first."""
    for proposal in answer["proposals"]:
        named = click.style(f"  {proposal['id']}", dim=True)
        click.echo(f"{proposal['score']:.2f}  {printable(proposal['statement'])}{named}")
    show_state(answer)
    if answer["total"]:
        click.secho("kg review decides one by one; --accept ID and --reject ID do it in scripts.", dim=True)


def show_state(answer: Mapping[str, Any]) -> None:
    """How much is open, what closed by itself, what else waits and which kinds are quiet."""
    click.echo(printable(answer["message"]))
    for closed in answer.get("closed", ()):
        click.secho(f"  closed: {printable(closed['statement'])} {printable(closed['reason'])}", dim=True)
    if waiting := answer.get("waiting"):
        click.echo(f"{waiting:,} more names and facts wait in texts; they come when some of these are decided.")
    for quiet in answer.get("quiet", ()):
        click.echo(
            f"Nothing new is proposed of kind {quiet['kind']}: you accepted {quiet['accepted']} of the last "
            f"{quiet['decided']}. kg review --wake {quiet['kind']} changes that."
        )
