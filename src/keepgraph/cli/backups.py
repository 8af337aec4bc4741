"""`kg backup` and `kg restore`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import backups, graph_keys
from keepgraph.model import Backup
from keepgraph.profiles import settings_file


@click.command("backup")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--list", "listed", is_flag=True, help="List the backups.")
@graph_options.all_options
def backup_command(ctx: click.Context, file: Path | None, listed: bool) -> None:
    """Make a verified copy of the graph, in its backup folder or in FILE. Other programs may go on writing meanwhile.

    The copy is encrypted if the graph is. Every row is read back and compared.

    \b
    kg backup
    """
    if listed:
        _show_list(ctx)
        return
    with graph_options.open_graph(ctx) as graph:
        target = permissions.expanded(str(file)).absolute() if file is not None else None
        backup = backups.make(graph.database, backups.BY_HAND, target=target)
        encrypted = graph.database.key is not None
    if not graph_options.show_json(ctx, {**_backup_as_dict(backup), "encrypted": encrypted}):
        note = ", encrypted as the graph is" if encrypted else ""
        click.echo(f"{backup.file}  ({backup.size / 1e6:.1f} MB{note})")


@click.command("restore")
@click.argument("backup", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def restore_command(ctx: click.Context, backup: str | None, yes: bool) -> None:
    """Restore BACKUP: a file, or one that `kg backup --list` shows; by default the newest undamaged one.

    The whole backup is read before it replaces the graph. The current graph is kept beside the other backups.

    \b
    kg backup --list
    kg restore
    """
    graph = graph_options.graph_path(ctx).resolve()
    candidates = _choose_backups(graph, backup)
    if not yes and graph.exists():
        terminal.confirm(f"Replace {graph} with {candidates[0]}?")
    for number, file in enumerate(candidates):
        key, other_keys = graph_keys.find_for_restoration(graph, file, ask=graph_options.passphrase_prompt(ctx))
        try:
            previous = backups.restore(
                graph,
                file,
                key=key,
                others=other_keys,
                now=datetime.now(UTC),
                keep=settings_file.read(graph).backups_kept,
            )
            break
        except (errors.BackupFailed, errors.GraphSchemaDiffers) as error:
            if number == len(candidates) - 1:
                raise
            click.echo(f"{terminal.printable(error.message)}; trying the one before it.", err=True)
    if graph_options.show_json(ctx, {"graph": str(graph), "restored": str(file), "kept": previous and str(previous)}):
        return
    click.secho(f"{graph} was restored from {file.name}.", bold=True)
    if previous is not None:
        click.echo(f"  the previous graph is kept in {previous}")


def _choose_backups(graph: Path, name: str | None) -> list[Path]:
    """The backup with this name or path; without a name all usable ones, the newest first.

    Raises:
        errors.BackupNotFound: no backup has this name.
    """
    existing = backups.list_all(graph, now=datetime.now(UTC))
    if name is None:
        # What a restore set aside is what the user wanted to get rid of.
        usable = [backup for backup in existing if backup.kind not in (backups.DAMAGED, backups.BEFORE_RESTORE)]
        if not usable:
            raise errors.BackupNotFound(f"there is no backup of {graph}", hint="Name a backup file.")
        return [candidate.file for candidate in usable]
    for backup in existing:
        if name in (backup.file.name, backup.file.stem):
            return [backup.file]
    file = permissions.expanded(name)
    if not file.is_file():
        raise errors.BackupNotFound(f"there is no backup {name!r} of {graph}")
    return [file.resolve()]


def _show_list(ctx: click.Context) -> None:
    graph = graph_options.graph_path(ctx).resolve()
    now = datetime.now(UTC)
    existing = backups.list_all(graph, now=now)
    if graph_options.wants_json(ctx):
        terminal.show_json(
            {"folder": str(backups.folder(graph)), "backups": [_backup_as_dict(backup) for backup in existing]}
        )
        return
    click.secho(str(backups.folder(graph)), bold=True)
    for backup in existing:
        note = "  (dated in the future by a wrong clock; counts as the oldest)" if backup.at > now else ""
        click.echo(f"  {backup.file.name}  {backup.size / 1e6:.1f} MB{note}")
    if not existing:
        click.echo("  no backups")


def _backup_as_dict(backup: Backup) -> dict[str, Any]:
    at = backup.at.astimezone().isoformat(timespec="seconds")
    return {"file": str(backup.file), "kind": backup.kind, "at": at, "bytes": backup.size}
