"""`kg backup` and `kg restore`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.cli.output import render
from keepgraph.engine.upkeep import backups
from keepgraph.model import Backup, Key
from keepgraph.profiles import profile


@click.command("backup")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--list", "listed", is_flag=True, help="Show the backups there are.")
@graph_options.takes_graph
@click.pass_context
def backup_command(ctx: click.Context, file: Path | None, listed: bool) -> None:
    """Make a checked copy of the graph, in its folder of backups or in FILE. Others may go on writing meanwhile.

    It is encrypted if the graph is. Every row is read back and compared.
    """
    if listed:
        _list(ctx)
        return
    with graph_options.opened(ctx) as graph:
        target = permissions.expanded(str(file)).absolute() if file is not None else None
        made = backups.make(graph.database, backups.BY_HAND, target=target)
        encrypted = graph.database.key is not None
    if graph_options.answers_in_json(ctx):
        render.in_json({**_told(made), "encrypted": encrypted})
    else:
        note = ", encrypted as the graph is" if encrypted else ""
        click.echo(f"{made.file}  ({made.size / 1e6:.1f} MB{note})")


@click.command("restore")
@click.argument("backup", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.takes_graph
@click.pass_context
def restore_command(ctx: click.Context, backup: str | None, yes: bool) -> None:
    """Bring BACKUP back: a file, or one of those that `kg backup --list` shows; the newest sound one if not given.

    It is read from the first page to the last before it is put in place. What is there now is kept beside the others.
    """
    graph = graph_options.path(ctx).resolve()
    chosen = _chosen(graph, backup)
    if not yes and graph.exists():
        if graph_options.asks(ctx) is None:
            raise errors.NotConfirmed("restoring a backup needs a yes", hint="Say --yes if you mean it.")
        click.confirm(f"Put {chosen[0]} in the place of {graph}?", abort=True, err=True)
    for n, file in enumerate(chosen):
        key, others = _keys(ctx, graph, file)
        try:
            kept = backups.restore(
                graph, file, key=key, others=others, now=datetime.now(UTC), keep=profile.read(graph).keep
            )
            break
        except errors.BackupFailed as error:
            if n == len(chosen) - 1:
                raise
            click.echo(f"{render.printable(error.message)}; the one before it is tried.", err=True)
    if graph_options.answers_in_json(ctx):
        render.in_json({"graph": str(graph), "restored": str(file), "kept": kept and str(kept)})
        return
    click.secho(f"{graph} is as it was in {file.name}.", bold=True)
    if kept is not None:
        click.echo(f"  what was there is kept in {kept}")


def _chosen(graph: Path, named: str | None) -> list[Path]:
    """The backup that is meant; without a name all that may be, the newest first."""
    found = backups.every(graph, now=datetime.now(UTC))
    if named is None:
        # What a restore put aside is what somebody did not want.
        usable = [backup for backup in found if backup.kind not in (backups.DAMAGED, backups.BEFORE_RESTORE)]
        if not usable:
            raise errors.BackupNotFound(f"there is no backup of {graph} yet", hint="Name the file of a backup.")
        return [each.file for each in usable]
    for backup in found:
        if named in (backup.file.name, backup.file.stem):
            return [backup.file]
    file = permissions.expanded(named)
    if not file.is_file():
        raise errors.BackupNotFound(f"there is no backup {named!r} of {graph}")
    return [file.resolve()]


def _keys(ctx: click.Context, graph: Path, backup: Path) -> tuple[Key | None, list[Key]]:
    """The key that the graph will have, and others that the backup may have been encrypted with."""
    from keepgraph.engine.upkeep import encryption

    return encryption.for_restoring(graph, backup, ask=graph_options.asks(ctx))


def _list(ctx: click.Context) -> None:
    graph = graph_options.path(ctx).resolve()
    found = backups.every(graph)
    if graph_options.answers_in_json(ctx):
        render.in_json({"folder": str(backups.folder(graph)), "backups": [_told(backup) for backup in found]})
        return
    click.secho(str(backups.folder(graph)), bold=True)
    for backup in found:
        click.echo(f"  {backup.file.name}  {backup.size / 1e6:.1f} MB")
    if not found:
        click.echo("  no backups yet")


def _told(backup: Backup) -> dict[str, Any]:
    at = backup.at.astimezone().isoformat(timespec="seconds")
    return {"file": str(backup.file), "kind": backup.kind, "at": at, "bytes": backup.size}
