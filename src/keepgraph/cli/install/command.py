"""`kg install`: tests the server, then adds it to the configuration of a client."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.install import clients, handshake
from keepgraph.cli.output import terminal

HTTP_ENTRY = "keepgraph-http"
"""The name of our entry for a server over HTTP."""


@click.command("install")
@click.argument("client", type=click.Choice(list(clients.CLIENTS)))
@click.option("--toolsets", metavar="NAME,…", help="Which toolsets the client sees, as for kg serve.")
@click.option("--read-only", is_flag=True, help="Show the client only tools that change nothing.")
@click.option("--url", metavar="URL", help="Connect to a server over HTTP, with a token from KG_TOKEN or typed in.")
@click.option("--dry-run", is_flag=True, help="Show the change, without writing it.")
@click.option("--uninstall", is_flag=True, help="Remove the entry.")
@click.option("--anyway", is_flag=True, help="Write even if the client does not seem to be installed.")
@graph_options.all_options
@click.pass_context
def install_command(
    ctx: click.Context,
    client: str,
    toolsets: str | None,
    read_only: bool,
    url: str | None,
    dry_run: bool,
    uninstall: bool,
    anyway: bool,
) -> None:
    """Let CLIENT use this graph: test the server, then write an entry into the client's configuration.

    A backup of the configuration is kept beside it, and everything else in it stays as it is.

    \b
    kg install claude-desktop
    kg install claude-code --url https://graph.example.net/mcp
    """
    if url is not None and (toolsets is not None or read_only):
        raise click.UsageError(
            "A server over HTTP decides what it shows: kg serve --toolsets, kg token add --read-only."
        )
    graph_arguments = [] if url is not None else _graph_arguments(ctx, uninstall=uninstall)
    report: dict[str, Any] = {
        "client": client,
        "name": HTTP_ENTRY if url is not None else clients.entry_name(graph_arguments),
        "entry": None,
        "server": None,
        "dry_run": dry_run,
        "files": [],
    }
    locations = clients.CLIENTS[client].locations(clients.this_machine())
    if uninstall:
        _uninstall(report, locations)
    elif url is not None:
        token = _token(ctx)
        report["entry"] = clients.url_entry(clients.CLIENTS[client], url, token)
        _install(report, locations, anyway=anyway, url=url, token=token)
        report["entry"] = clients.url_entry(clients.CLIENTS[client], url, "…")
    else:
        arguments = ["serve", *graph_arguments, *(["--toolsets", toolsets] if toolsets is not None else [])]
        report["entry"] = clients.entry(clients.CLIENTS[client], [*arguments, *(["--read-only"] if read_only else [])])
        _install(report, locations, anyway=anyway)
    if graph_options.wants_json(ctx):
        terminal.show_json(report)
    else:
        _show(report, clients.CLIENTS[client].title)


def _graph_arguments(ctx: click.Context, *, uninstall: bool) -> list[str]:
    try:
        return graph_options.naming_arguments(ctx)
    except errors.ProfileNotFound:
        name = ctx.find_root().params.get("profile")
        if not uninstall or name is None:
            raise
        return ["--profile", name]  # the entry of a deleted profile can be removed


def _token(ctx: click.Context) -> str:
    """The token for a server over HTTP: never from the command line, which other programs can see.

    Raises:
        errors.NotConfirmed: there is none, and nobody to ask for it.
        errors.InvalidArguments: it has a space or a letter that no header can hold.
    """
    token = os.environ.get("KG_TOKEN", "").strip()
    if not token:
        ask = graph_options.passphrase_prompt(ctx)
        if ask is None:
            raise errors.NotConfirmed("a server over HTTP needs a token", hint="Set KG_TOKEN to it, or use a terminal.")
        token = ask("Token").strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise errors.InvalidArguments(
            "a token has no spaces and only ASCII letters", hint="Copy it again as `kg token add` printed it."
        )
    return token


def _install(
    report: dict[str, Any],
    locations: list[clients.ConfigLocation],
    *,
    anyway: bool,
    url: str | None = None,
    token: str = "",
) -> None:
    for location in locations:
        if not anyway and not location.folder.is_dir():
            raise errors.InvalidArguments(
                f"{clients.CLIENTS[report['client']].title} is not installed, or never ran: no {location.folder}",
                hint="Start it once to create its folder, or add --anyway.",
            )
        clients.read(location.file, clients.CLIENTS[report["client"]].table)
    if url is None:
        _warn_of_keys()
        graph_options.warn_of_shared_folder(graph_options.graph_path(click.get_current_context()).resolve())
    if not report["dry_run"]:
        # First of all: a server that does not answer is not configured.
        server = _check_url(url, token) if url is not None else _check_server(_command(report["entry"]))
        report["server"] = {"name": server.server, "version": server.version, "tools": server.tools}
    for location in locations:
        existing = clients.read(location.file, clients.CLIENTS[report["client"]].table)
        change = "added" if report["name"] not in existing.servers else "replaced"
        if existing.servers.get(report["name"]) == report["entry"]:
            change = "unchanged"
        text = clients.set_entry(existing, report["name"], report["entry"])
        file = _write_configuration(existing, change, text, dry_run=report["dry_run"], has_token=url is not None)
        report["files"].append(file)


def _uninstall(report: dict[str, Any], locations: list[clients.ConfigLocation]) -> None:
    table = clients.CLIENTS[report["client"]].table
    for existing in [clients.read(location.file, table) for location in locations]:
        change = "removed" if report["name"] in existing.servers else "absent"
        text = clients.remove_entry(existing, report["name"])
        report["files"].append(_write_configuration(existing, change, text, dry_run=report["dry_run"]))


def _write_configuration(
    existing: clients.Configuration, change: str, text: str, *, dry_run: bool, has_token: bool = False
) -> dict[str, Any]:
    """Write a configuration if it changes; returns a report."""
    is_changed = change not in ("unchanged", "absent")
    is_written = is_changed and not dry_run
    backup = clients.write(existing, text, now=datetime.now(UTC), has_token=has_token) if is_written else None
    return {
        "file": str(existing.file),
        "became": change,
        "backup": str(backup) if backup else None,
        "diff": clients.diff(existing, text) if is_changed and (dry_run or change == "replaced") else [],
    }


def _command(entry: dict[str, Any]) -> list[str]:
    return [entry["command"], *entry["args"]]


def _check_url(url: str, token: str) -> handshake.ServerInfo:
    """Connect to the server as the client will.

    Raises:
        errors.HandshakeFailed: it refuses the token, or is no MCP server.
    """
    try:
        return handshake.connect_to(url, token)
    except (errors.HandshakeFailed, errors.DeadlineExceeded) as error:
        error.hint = (
            "The configuration is unchanged. Is `kg serve --http` running there, and the token in `kg token list`?"
        )
        raise


def _check_server(command: list[str]) -> handshake.ServerInfo:
    """Start the server as a client would.

    Raises:
        errors.HandshakeFailed: it does not answer, or is another program.
    """
    try:
        server = handshake.connect(command)
        if server.server != "keepgraph":
            raise errors.HandshakeFailed(f"{command[0]} is another program: it calls itself {server.server[:60]!r}")
    except (errors.HandshakeFailed, errors.DeadlineExceeded) as error:
        error.hint = f"The configuration is unchanged. To try it yourself: {_as_typed(command)}"
        raise
    return server


def _as_typed(command: list[str]) -> str:
    """A command as the user would type it."""
    import shlex
    import subprocess

    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)


def _warn_of_keys() -> None:
    for name in ("KG_KEY", "KG_KEY_FILE"):
        if os.environ.get(name):
            click.secho(
                f"{name} is set here, and the client will not see it. "
                "`kg key import` keeps the key where the profile finds it.",
                fg="yellow",
                err=True,
            )


def _show(report: dict[str, Any], title: str) -> None:
    phrases = {
        "added": "{name} would be added to" if report["dry_run"] else "{name} is now in",
        "replaced": "{name} would be replaced in" if report["dry_run"] else "{name} was replaced in",
        "unchanged": "{name} is already in",
        "removed": "{name} would be removed from" if report["dry_run"] else "{name} was removed from",
        "absent": "{name} is not in",
    }
    if len(report["files"]) > 1:
        click.echo(f"There are {len(report['files'])} builds of {title} here, each with its own configuration.")
    for file in report["files"]:
        click.secho(phrases[file["became"]].format(name=report["name"]), bold=True, nl=False)
        click.echo(f" {terminal.printable(file['file'])}")
        for line in file["diff"]:
            click.echo(f"  {terminal.printable(line)}")
        if file["backup"]:
            click.echo(f"  backup: {terminal.printable(file['backup'])}")
    if server := report["server"]:
        click.echo(f"  it answers: {server['name']} {terminal.printable(server['version'])}, {server['tools']} tools")
    if not report["dry_run"] and {file["became"] for file in report["files"]} & {"added", "replaced", "removed"}:
        click.echo(f"Restart {title} for it to take effect.")
