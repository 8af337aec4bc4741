"""`kg install`: lets a client use the graph, and proves that it can."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.install import clients, handshake
from keepgraph.cli.output import render


@click.command("install")
@click.argument("client", type=click.Choice(list(clients.CLIENTS)))
@click.option("--toolsets", metavar="NAME,…", help="Which toolsets the client sees, as for kg serve.")
@click.option("--read-only", is_flag=True, help="Let the client see only tools that change nothing.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
@click.option("--uninstall", is_flag=True, help="Take our entry away again.")
@click.option("--anyway", is_flag=True, help="Write even where the client seems not to be installed.")
@graph_options.takes_graph
@click.pass_context
def install_command(
    ctx: click.Context,
    client: str,
    toolsets: str | None,
    read_only: bool,
    dry_run: bool,
    uninstall: bool,
    anyway: bool,
) -> None:
    """Let CLIENT use this graph: write an entry into its configuration, once our server has proved to answer.

    The configuration is kept in a backup beside it, and everything else in it stays as it is.
    """
    named = _naming(ctx, uninstall=uninstall)
    report: dict[str, Any] = {
        "client": client,
        "name": clients.entry_name(named),
        "entry": None,
        "server": None,
        "dry_run": dry_run,
        "files": [],
    }
    places = clients.CLIENTS[client].places(clients.here())
    if uninstall:
        _take_away(report, places)
    else:
        words = ["serve", *named, *(["--toolsets", toolsets] if toolsets is not None else [])]
        report["entry"] = clients.entry(clients.CLIENTS[client], [*words, *(["--read-only"] if read_only else [])])
        _put_in(report, places, anyway=anyway)
    if graph_options.answers_in_json(ctx):
        render.in_json(report)
    else:
        _show(report, clients.CLIENTS[client].title)


def _naming(ctx: click.Context, *, uninstall: bool) -> list[str]:
    try:
        return graph_options.naming(ctx)
    except errors.ProfileNotFound:
        name = ctx.find_root().params.get("profile")
        if not uninstall or name is None:
            raise
        return ["--profile", name]  # its entry may outlive a profile


def _put_in(report: dict[str, Any], places: list[clients.Place], *, anyway: bool) -> None:
    for place in places:
        if not anyway and not place.folder.is_dir():
            raise errors.InvalidArguments(
                f"{clients.CLIENTS[report['client']].title} seems not to be installed: there is no {place.folder}",
                hint="Start it once, so that it makes its folder; or write the configuration all the same: --anyway.",
            )
        clients.read(place.file)
    _warn_of_keys()
    if not report["dry_run"]:
        # Before anything is written: what does not answer does not get into the configuration at all.
        report["server"] = _proved([report["entry"]["command"], *report["entry"]["args"]])
    for place in places:
        found = clients.read(place.file)
        became = "added" if report["name"] not in found.servers else "replaced"
        if found.servers.get(report["name"]) == report["entry"]:
            became = "unchanged"
        text = clients.with_entry(found, report["name"], report["entry"])
        report["files"].append(_written(found, became, text, dry_run=report["dry_run"]))


def _take_away(report: dict[str, Any], places: list[clients.Place]) -> None:
    for found in [clients.read(place.file) for place in places]:
        became = "removed" if report["name"] in found.servers else "absent"
        text = clients.without_entry(found, report["name"])
        report["files"].append(_written(found, became, text, dry_run=report["dry_run"]))


def _written(found: clients.Configuration, became: str, text: str, *, dry_run: bool) -> dict[str, Any]:
    """Write a configuration where it has to change; tells what became of our entry in it."""
    changes = became not in ("unchanged", "absent")
    backup = clients.write(found, text, now=datetime.now(UTC)) if changes and not dry_run else None
    return {
        "file": str(found.file),
        "became": became,
        "backup": str(backup) if backup else None,
        "diff": clients.difference(found, text) if changes and (dry_run or became == "replaced") else [],
    }


def _proved(command: list[str]) -> dict[str, Any]:
    """What the server says of itself that a client will start by this command."""
    try:
        shaken = handshake.shake(command)
        if shaken.server != "keepgraph":
            raise errors.HandshakeFailed(f"{command[0]} is another program: it calls itself {shaken.server[:60]!r}")
    except errors.HandshakeFailed as error:
        error.hint = f"The configuration is as it was. To see for yourself: {_typed(command)}"
        raise
    return {"name": shaken.server, "version": shaken.version, "tools": shaken.tools}


def _typed(command: list[str]) -> str:
    """A command as a person would type it."""
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
    said = {
        "added": "{name} would be added to" if report["dry_run"] else "{name} is now in",
        "replaced": "{name} would be replaced in" if report["dry_run"] else "{name} was replaced in",
        "unchanged": "{name} is already in",
        "removed": "{name} would be taken out of" if report["dry_run"] else "{name} was taken out of",
        "absent": "{name} is not in",
    }
    if len(report["files"]) > 1:
        click.echo(f"There are {len(report['files'])} builds of {title} here; each has a configuration of its own.")
    for file in report["files"]:
        click.secho(said[file["became"]].format(name=report["name"]), bold=True, nl=False)
        click.echo(f" {render.printable(file['file'])}")
        for line in file["diff"]:
            click.echo(f"  {render.printable(line)}")
        if file["backup"]:
            click.echo(f"  as it was: {render.printable(file['backup'])}")
    if server := report["server"]:
        click.echo(f"  it answers: {server['name']} {render.printable(server['version'])}, {server['tools']} tools")
    if not report["dry_run"] and {file["became"] for file in report["files"]} & {"added", "replaced", "removed"}:
        click.echo(f"Restart {title} for it to take effect.")
