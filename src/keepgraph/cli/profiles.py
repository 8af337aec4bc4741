"""`kg profile`: named graphs, each with its settings and its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options, key_options
from keepgraph.cli.output import render
from keepgraph.profiles import profile


def _complete_profile(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in profile.every() if name.startswith(incomplete)]


@click.group("profile")
def profile_command() -> None:
    """Make, list, show, choose and delete profiles: named graphs, each with its settings and its key."""


@profile_command.command("create")
@click.argument("name")
@click.option("--encrypted", is_flag=True, help="Encrypt the graph with a random key.")
@key_options.takes_place
@graph_options.answers
@click.pass_context
def create_command(ctx: click.Context, name: str, encrypted: bool, source: str | None, key_file: Path | None) -> None:
    """Make a profile called NAME, with an empty graph."""
    from keepgraph.engine.upkeep import backups, encryption
    from keepgraph.graph import open

    graph = profile.path(name)
    file = profile.settings_path(graph)
    if graph.exists():
        raise errors.ProfileExists(f"there is a profile {name!r} already")
    if backups.every(graph):
        raise errors.ProfileExists(
            f"there are backups of an earlier profile {name!r}",
            hint=f"`kg --profile {name} restore` brings it back; to begin anew, move {backups.folder(graph)} away.",
        )
    encrypted = encrypted or source is not None or key_file is not None
    key = None
    begun = profile.read(graph).key
    if encrypted and begun is None:
        place, passphrase = key_options.place(ctx, graph, source, key_file)
        key = encryption.begin(graph, place, passphrase=passphrase).digits
    elif not file.exists():
        permissions.write(file, profile.TEMPLATE)
    # Settings without a graph are what an attempt has left that was interrupted, or a person has laid there.
    encrypted = encrypted or begun is not None
    open(graph, key=key, ask=graph_options.asks(ctx)).close()
    answer = _about(name)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
        return
    click.secho(f"The profile {name} is ready: {graph}", bold=True)
    click.echo(f"  settings: {file}")
    if encrypted:
        key_options.told(graph)
    click.echo(f"  use it:   kg --profile {name} record …, or for good: kg profile use {name}")


@profile_command.command("list")
@graph_options.answers
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the profiles."""
    active = profile.active()
    found = [_about(name) for name in sorted({*profile.every(), profile.DEFAULT})]
    if graph_options.answers_in_json(ctx):
        render.in_json({"profiles": found, "active": active})
        return
    width = max(len(about["name"]) for about in found)
    for about in found:
        mark = "*" if about["name"] == active else " "
        size = f"{about['bytes'] / 1e6:.1f} MB" if about["bytes"] is not None else "nothing in it yet"
        note = "  encrypted" if about["encrypted"] else ""
        note += f"  {about['problem']}" if about["problem"] else ""
        click.echo(f"{mark} {about['name']:{width}}  {size}{note}")


@profile_command.command("show")
@click.argument("name", required=False, shell_complete=_complete_profile)
@graph_options.answers
@click.pass_context
def show_command(ctx: click.Context, name: str | None) -> None:
    """Show where a profile keeps what, and its settings; the one in use if NAME is not given."""
    name = _named(ctx) if name is None else name
    profile.existing(name)
    about = _about(name)
    settings = {} if about["problem"] else _settings(profile.path(name))
    if graph_options.answers_in_json(ctx):
        render.in_json({**about, "settings": settings})
        return
    click.secho(name, bold=True)
    for word in ("graph", "file", "backups"):
        click.echo(f"  {'settings' if word == 'file' else word:9} {about[word]}")
    click.echo(f"  encrypted {'yes' if about['encrypted'] else 'no'}{_key_in_words(about)}")
    if about["problem"]:
        click.secho(f"  {render.printable(about['problem'])}", fg="red")
    for setting, value in settings.items():
        click.echo(f"  {setting:9} {render.printable(value)}")


@profile_command.command("use")
@click.argument("name", shell_complete=_complete_profile)
def use_command(name: str) -> None:
    """Let NAME be the profile that is used where none is named."""
    profile.use(name)
    click.echo(f"From now on kg uses the profile {name}.")


@profile_command.command("delete")
@click.argument("name", shell_complete=_complete_profile)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--forever", is_flag=True, help="Its backups and its key too: nothing can bring it back then.")
@click.pass_context
def delete_command(ctx: click.Context, name: str, yes: bool, forever: bool) -> None:
    """Delete the graph and the settings of a profile. Its backups and its key stay, unless you say --forever."""
    from keepgraph.engine.upkeep import backups, encryption

    graph = profile.existing(name)
    if not graph.exists() and not profile.settings_path(graph).exists():
        raise errors.ProfileNotFound(f"there is nothing in the profile {name!r} yet")
    if not yes:
        if graph_options.asks(ctx) is None:
            raise errors.NotConfirmed(f"deleting the profile {name} needs a yes", hint="Say --yes if you mean it.")
        what = "with all its backups and its key" if forever else "(its backups stay)"
        click.confirm(f"Delete the profile {name} {what}?", abort=True, err=True)
    problem = encryption.delete(graph, forever=forever)
    if profile.active() == name:
        profile.use(profile.DEFAULT)
    click.echo(f"The profile {name} is deleted.")
    if problem:
        click.echo(f"  but {render.printable(problem)}", err=True)
    if backups.folder(graph).exists():
        click.echo(f"  its backups are in {backups.folder(graph)}")


def _named(ctx: click.Context) -> str:
    name = ctx.find_root().params.get("profile")
    return str(name) if name else profile.name_of(graph_options.path(ctx)) or profile.active()


def _about(name: str) -> dict[str, Any]:
    """What can be told without opening the graph."""
    from keepgraph import store
    from keepgraph.engine.upkeep import backups

    graph = profile.path(name)
    problem, key = None, None
    try:
        key = profile.read(graph).key
    except errors.SettingsInvalid as error:
        problem = error.message
    there = graph.exists()
    return {
        "name": name,
        "graph": str(graph),
        "bytes": graph.stat().st_size if there else None,
        "encrypted": there and store.files.kind(graph) is store.files.Kind.ENCRYPTED,
        "key": key and {"source": key.source, "file": key.file, "account": key.account, "fingerprint": key.fingerprint},
        "file": str(profile.settings_path(graph)),
        "backups": str(backups.folder(graph)),
        "active": name == profile.active(),
        "problem": problem,
    }


def _settings(graph: Path) -> dict[str, Any]:
    said = profile.read(graph)
    return {
        "offline": said.offline,
        "zone": said.zone or "that of the system",
        "group": said.group,
        "toolsets": ", ".join(said.toolsets) if said.toolsets else "those that are shown without being asked for",
        "names": ", ".join(f"{name} {getattr(said.names, name)}" for name in type(said.names).__slots__),
        "daily": f"a backup a day: {said.daily}; {said.keep} of each kind are kept",
    }


def _key_in_words(about: dict[str, Any]) -> str:
    key = about["key"]
    if not key:
        return ""
    where = key["file"] or key["account"]
    return f" (the key is kept by {key['source']}{f': {where}' if where else ''})"
