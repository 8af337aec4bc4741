"""`kg profile`: named graphs, each with its settings and its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions, store
from keepgraph.cli import encryption, graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import backups, graph_keys
from keepgraph.profiles import profile, settings_file


def _complete_profile(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in profile.list_names() if name.startswith(incomplete)]


@click.group("profile")
def profile_command() -> None:
    """Create, list, show, choose and delete profiles: named graphs, each with its settings and its key.

    \b
    kg profile create work
    kg --profile work recall Ana
    """


@profile_command.command("create")
@click.argument("name")
@click.option("--encrypted", is_flag=True, help="Encrypt the graph with a random key.")
@encryption.location_options
@graph_options.json_option
@click.pass_context
def create_command(ctx: click.Context, name: str, encrypted: bool, source: str | None, key_file: Path | None) -> None:
    """Create a profile called NAME, with an empty graph."""
    from keepgraph.graph import open

    graph = profile.path(name)
    file = settings_file.path(graph)
    if graph.exists():
        raise errors.ProfileExists(f"there is already a profile {name!r}")
    if backups.list_all(graph):
        raise errors.ProfileExists(
            f"there are backups of an earlier profile {name!r}",
            hint=f"`kg --profile {name} restore` restores it; to start afresh, move {backups.folder(graph)} away.",
        )
    encrypted = encrypted or source is not None or key_file is not None
    key = None
    existing_key = settings_file.read(graph).key
    if encrypted and existing_key is None:
        location, passphrase = encryption.choose_location(ctx, graph, source, key_file)
        key = graph_keys.create(graph, location, passphrase=passphrase).digits
    elif not file.exists():
        permissions.write(file, settings_file.TEMPLATE)
    # Settings without a graph come from an interrupted attempt, or from the user.
    encrypted = encrypted or existing_key is not None
    open(graph, key=key, ask=graph_options.passphrase_prompt(ctx)).close()
    answer = _describe_profile(name)
    if graph_options.show_json(ctx, answer):
        return
    click.secho(f"The profile {name} is ready: {graph}", bold=True)
    click.echo(f"  settings: {file}")
    if encrypted:
        encryption.show_location(graph)
    click.echo(f"  use it:   kg --profile {name} record …, or as the default: kg profile use {name}")


@profile_command.command("list")
@graph_options.json_option
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the profiles."""
    active = profile.active()
    profiles = [_describe_profile(name) for name in sorted({*profile.list_names(), profile.DEFAULT})]
    if graph_options.show_json(ctx, {"profiles": profiles, "active": active}):
        return
    width = max(len(entry["name"]) for entry in profiles)
    for entry in profiles:
        mark = "*" if entry["name"] == active else " "
        size = f"{entry['bytes'] / 1e6:.1f} MB" if entry["bytes"] is not None else "no graph"
        note = "  encrypted" if entry["encrypted"] else ""
        note += f"  {entry['problem']}" if entry["problem"] else ""
        click.echo(f"{mark} {entry['name']:{width}}  {size}{note}")


@profile_command.command("show")
@click.argument("name", required=False, shell_complete=_complete_profile)
@graph_options.json_option
@click.pass_context
def show_command(ctx: click.Context, name: str | None) -> None:
    """Show the files and settings of a profile, by default the one in use."""
    name = _selected_profile(ctx) if name is None else name
    profile.find(name)
    description = _describe_profile(name)
    settings = {} if description["problem"] else _effective_settings(profile.path(name))
    if graph_options.show_json(ctx, {**description, "settings": settings}):
        return
    click.secho(name, bold=True)
    for field in ("graph", "file", "backups"):
        click.echo(f"  {'settings' if field == 'file' else field:9} {description[field]}")
    click.echo(f"  encrypted {'yes' if description['encrypted'] else 'no'}{_describe_key(description)}")
    if description["problem"]:
        click.secho(f"  {terminal.printable(description['problem'])}", fg="red")
    for setting, value in settings.items():
        click.echo(f"  {setting:9} {terminal.printable(value)}")


@profile_command.command("use")
@click.argument("name", shell_complete=_complete_profile)
def use_command(name: str) -> None:
    """Make NAME the default profile."""
    profile.use(name)
    click.echo(f"kg now uses the profile {name}.")


@profile_command.command("delete")
@click.argument("name", shell_complete=_complete_profile)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--forever", is_flag=True, help="Also its backups and its key: this cannot be undone.")
@click.pass_context
def delete_command(ctx: click.Context, name: str, yes: bool, forever: bool) -> None:
    """Delete the graph and the settings of a profile. Its backups and its key stay, unless you add --forever."""
    graph = profile.find(name)
    if not graph.exists() and not settings_file.path(graph).exists():
        raise errors.ProfileNotFound(f"the profile {name!r} is empty")
    if not yes:
        what = "with all its backups and its key" if forever else "(its backups stay)"
        terminal.confirm(f"Delete the profile {name} {what}?")
    problem = backups.delete(graph, forever=forever)
    if profile.active() == name:
        profile.use(profile.DEFAULT)
    click.echo(f"The profile {name} is deleted.")
    if problem:
        click.echo(f"  but {terminal.printable(problem)}", err=True)
    if backups.folder(graph).exists():
        click.echo(f"  its backups are in {backups.folder(graph)}")


def _selected_profile(ctx: click.Context) -> str:
    name = ctx.find_root().params.get("profile")
    return str(name) if name else profile.name_of(graph_options.graph_path(ctx)) or profile.active()


def _describe_profile(name: str) -> dict[str, Any]:
    """The report on a profile, without opening its graph."""
    graph = profile.path(name)
    problem, key = None, None
    try:
        key = settings_file.read(graph).key
    except errors.SettingsInvalid as error:
        problem = error.message
    exists = graph.exists()
    return {
        "name": name,
        "graph": str(graph),
        "bytes": graph.stat().st_size if exists else None,
        "encrypted": exists and store.files.kind(graph) is store.files.Kind.ENCRYPTED,
        "key": key and {"source": key.source, "file": key.file, "account": key.account, "fingerprint": key.fingerprint},
        "file": str(settings_file.path(graph)),
        "backups": str(backups.folder(graph)),
        "active": name == profile.active(),
        "problem": problem,
    }


def _effective_settings(graph: Path) -> dict[str, Any]:
    settings = settings_file.read(graph)
    names, kept = settings.settings, f"keeps {settings.backups_kept} of each kind"
    models = {
        "search": names.cross_encoder and f"ranked by the model in {names.cross_encoder}",
        "conflicts": names.entailment_model and f"also found by the model in {names.entailment_model}",
        "documents": names.document_roots and f"tools may ingest from {', '.join(names.document_roots)}",
    }
    return {
        "offline": "yes" if settings.offline else "no",
        "zone": settings.zone or "that of this computer",
        "group": settings.group,
        "toolsets": ", ".join(settings.toolsets) if settings.toolsets else "memory, discovery",
        "names": f"matched by {', '.join(('exact', 'alias', *names.steps))}, from probability {names.accept}",
        "model": names.model,
        **{name: text for name, text in models.items() if text},
        "daily": f"{'a' if settings.daily_backups else 'no'} daily backup; {kept}",
    }


def _describe_key(description: dict[str, Any]) -> str:
    key = description["key"]
    if not key:
        return ""
    location = key["file"] or key["account"]
    return f" (key in {key['source']}{f': {location}' if location else ''})"
