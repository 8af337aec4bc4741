"""`kg token`: who may call a server over HTTP."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.dates import DateOption
from keepgraph.cli.output import terminal
from keepgraph.profiles import profile, tokens
from keepgraph.temporal import timestamps

_LIMIT = click.IntRange(1, 1_000_000)


@click.group("token")
def token_command() -> None:
    """Add, list and remove tokens: a client of `kg serve --http` needs one.

    Tokens belong to this computer, not to a graph. Only a hash of each is kept.

    \b
    kg token add phone --read-only
    """


@token_command.command("add")
@click.argument("name")
@click.option("--read-only", is_flag=True, help="Only for tools that change nothing.")
@click.option("--profile", "profiles", metavar="NAME", multiple=True, help="Only for this profile; may be repeated.")
@click.option("--until", type=DateOption(end=True), help="The last day, or the instant, at which it is valid.")
@click.option("--subject", help="Who has OAuth tokens of the issuer with this `sub`; no secret is made.")
@click.option("--calls-per-minute", type=_LIMIT, default=tokens.CALLS_PER_MINUTE, show_default=True)
@click.option("--megabytes-per-minute", type=_LIMIT, default=tokens.MEGABYTES_PER_MINUTE, show_default=True)
@click.option("--calls-at-once", type=_LIMIT, default=tokens.CALLS_AT_ONCE, show_default=True)
@graph_options.json_option
@click.pass_context
def add_command(
    ctx: click.Context, /, name: str, profiles: tuple[str, ...], until: str | None, subject: str | None, **rights: Any
) -> None:
    """Make the token NAME, and print it once. The journal names it beside each call.

    \b
    kg token add phone --profile home --until 2027-06-30
    """
    root_profile = ctx.find_root().params["profile"]
    profiles = profiles or ((root_profile,) if root_profile else ())
    for each in profiles:
        profile.find(each)
    now = datetime.now(UTC)
    last = timestamps.parse(until, None, end=True) if until else None
    if last is not None and last <= timestamps.from_datetime(now):
        raise errors.InvalidArguments(
            f"{until} is in the past", hint="Give a future day with --until, or leave it out."
        )
    if subject is not None and not 1 <= len(subject.strip()) <= 200:
        raise errors.InvalidArguments("--subject is empty or too long", hint="Give the `sub` of the OAuth tokens.")
    token, secret = tokens.add(name, now=now, subject=subject, until=last, profiles=profiles, **rights)
    if graph_options.wants_json(ctx):
        terminal.show_json({**_described(token), "token": secret})
        return
    click.secho(f"The token {name} is ready{_rights(token)}.", bold=True)
    if secret is None:
        click.echo(f"  for OAuth tokens whose sub is {terminal.printable(subject or '')}")
        return
    click.echo(f"  {secret}")
    click.echo("It is not shown again. A client sends it as “Authorization: Bearer …”:")
    click.echo("  kg install claude-code --url http://127.0.0.1:8765/mcp")


@token_command.command("list")
@graph_options.json_option
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the tokens, and what each may do."""
    known, unreadable = tokens.read_all()
    if graph_options.wants_json(ctx):
        unknown = [str(file) for file in unreadable]
        terminal.show_json({"tokens": [_described(token) for token in known], "unreadable": unknown})
        return
    if not known:
        click.echo("There is no token. To make one: kg token add NAME")
    width = max((len(token.name) for token in known), default=0)
    for token in known:
        click.echo(f"{token.name:{width}}  since {timestamps.local_date(token.created, None)}{_rights(token)}")
    for file in unreadable:
        click.secho(f"{terminal.printable(file)} is not a token", fg="red", err=True)


@token_command.command("remove")
@click.argument("name")
def remove_command(name: str) -> None:
    """Remove the token NAME. A running server refuses it at once."""
    tokens.remove(name)
    click.echo(f"The token {name} is removed.")


def _rights(token: tokens.Token) -> str:
    parts = [
        "read-only" if token.read_only else "",
        f"for {', '.join(token.profiles)}" if token.profiles else "",
        f"by OAuth, as {token.subject}" if token.subject else "",
    ]
    if token.until is not None:
        verb = "expired" if token.is_expired(datetime.now(UTC)) else "until"
        parts.append(f"{verb} {timestamps.format_end(token.until, None)}")
    return terminal.printable("".join(f", {part}" for part in parts if part))


def _described(token: tokens.Token) -> dict[str, Any]:
    """A token as JSON, without its hash."""
    fields = {name: value for name, value in asdict(token).items() if name != "digest"}
    return {**fields, "expired": token.is_expired(datetime.now(UTC))}
