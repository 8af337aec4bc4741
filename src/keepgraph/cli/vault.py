"""`kg vault` and `kg watch`: folders of notes that the graph keeps in step with."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, package_files, permissions
from keepgraph.cli import graph_options, ingest
from keepgraph.cli.output import terminal
from keepgraph.engine.texts import document_files, ingestion
from keepgraph.english import count_noun
from keepgraph.graph import Graph
from keepgraph.profiles import settings_file

_MAX_SHOWN = 40
_QUIET_MILLISECONDS = 800
"""A change is read when nothing has changed for so long."""


@click.group("vault")
def vault_command() -> None:
    """Keep folders of notes, such as an Obsidian vault, in the graph.

    Each note is an entity, and its links, fields, tags, tasks and decisions are facts. Your files are only read.

    \b
    kg vault preview ~/Notes
    kg vault add ~/Notes
    kg watch
    """


@vault_command.command("add")
@click.argument("folder", metavar="DIR", type=click.Path())
@graph_options.all_options
def add_command(ctx: click.Context, folder: str) -> None:
    """Add the folder DIR to the vaults of the profile, and read its notes.

    Decisions in its notes are recorded too, and deleting a file deletes what only that file said. To read the folder
    again, use `kg ingest DIR` or `kg watch`.
    """
    path = _existing(folder)
    as_json = graph_options.wants_json(ctx)
    with graph_options.open_graph(ctx, create=True) as graph, ingest.progress_callback(quiet=as_json) as progress:
        folders = _folders(graph.path)
        if inside := next((one for one in folders if path != one and path.is_relative_to(one)), None):
            raise errors.InvalidArguments(f"{path} is in the vault {inside}", hint="That vault already has its notes.")
        is_new = path not in folders
        report = ingest.ingest_path(graph, str(path), progress, tool="kg vault", as_vault=True, reread=is_new)
        if "error" not in report and is_new:
            kept = [one for one in folders if not one.is_relative_to(path)]
            settings_file.update(graph.path, {("vault", "folders"): [str(one) for one in (*kept, path)]})
        status = graph.call("get_status")
    if as_json:
        terminal.show_json(report)
    else:
        ingest.show_report(report, dry_run=False)
        ingest.show_missing_vectors(graph.path, status)
    ctx.exit(1 if "error" in report or report["failed"] else 0)


@vault_command.command("preview")
@click.argument("folder", metavar="DIR", type=click.Path())
@graph_options.all_options
def preview_command(ctx: click.Context, folder: str) -> None:
    """Show what the new and changed notes of DIR would become, without changing anything."""
    with graph_options.open_graph(ctx, create=True) as graph:
        report = ingest.ingest_path(graph, str(_existing(folder)), None, as_vault=True, dry_run=True)
    if graph_options.wants_json(ctx) or "error" in report:
        terminal.show_json(report)
        ctx.exit(1 if "error" in report else 0)
    ingest.show_report(report, dry_run=True)
    terminal.show_first([_note_line(note) for note in report["notes"]], _MAX_SHOWN, indent="  ")


@vault_command.command("status")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path())
@graph_options.all_options
def status_command(ctx: click.Context, folder: str | None) -> None:
    """Show which files of the vaults, or of DIR, are in the graph, which are not, and why."""
    with graph_options.open_graph(ctx, create=True) as graph:
        folders = [_existing(folder)] if folder is not None else _folders(graph.path)
        answers = [_status(graph, path) for path in folders]
    if graph_options.show_json(ctx, {"vaults": answers}):
        return
    if not answers:
        click.echo("There is no vault. Add one: kg vault add ~/Notes")
    for answer in answers:
        click.secho(terminal.printable(answer["folder"]), bold=True)
        if "error" in answer:
            terminal.show_error(answer, as_json=False)
            continue
        states = Counter(file["state"] for file in answer["files"])
        click.echo(f"  {', '.join(f'{count:,} {state}' for state, count in states.most_common()) or 'no file'}")
        _show_files([file for file in answer["files"] if "why" in file or file["state"] != "in the graph"])


@vault_command.command("remove")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option("--forget", is_flag=True, help="Also delete its texts, and what only they state.")
@graph_options.all_options
def remove_command(ctx: click.Context, folder: str, forget: bool) -> None:
    """Remove DIR from the vaults of the profile. What was read from it stays unless you add --forget."""
    from keepgraph.engine.maintenance.jobs import Job

    path = _resolved(folder)
    with graph_options.open_graph(ctx) as graph:
        folders = _folders(graph.path)
        if path not in folders:
            raise errors.InvalidArguments(
                f"{path} is not a vault of this profile", hint="`kg vault status` lists the vaults."
            )
        rest = [str(one) for one in folders if one != path]
        settings_file.update(graph.path, {("vault", "folders"): rest or None})
        forgotten = ingestion.forget(Job(graph.database, tool="kg vault"), path) if forget else 0
    answer = {"folder": str(path), "forgotten": forgotten}
    if not graph_options.show_json(ctx, answer):
        ending = f"; {count_noun(forgotten, 'text')} deleted" if forget else "; its texts and facts stay"
        click.echo(terminal.printable(f"{path} is no longer a vault{ending}."))


@click.command("watch")
@graph_options.location_options
@click.pass_context
def watch_command(ctx: click.Context) -> None:
    """Read the notes of your vaults as you write them, until Ctrl-C.

    This needs the extra watch. Earlier changes are read first.

    \b
    kg watch
    """
    try:
        import watchfiles
    except ImportError as error:
        raise errors.InvalidArguments(
            "files cannot be watched: watchfiles is not installed", hint=package_files.extra_hint("watch")
        ) from error
    with graph_options.open_graph(ctx) as graph:
        folders = [path for path in _folders(graph.path) if path.is_dir()]
        if not folders:
            raise errors.InvalidArguments("there is no vault to watch", hint="Add one: `kg vault add ~/Notes`.")
        _read_again(graph, folders)
        click.echo(f"Watching {count_noun(len(folders), 'folder')}; Ctrl-C ends it.")
        for changes in watchfiles.watch(*folders, debounce=_QUIET_MILLISECONDS, raise_interrupt=False):
            changed = [Path(name) for _, name in changes]
            there = [one for one in folders if one.is_dir()]  # one that was moved away may come back
            _read_again(graph, [one for one in there if any(path.is_relative_to(one) for path in changed)])


def _read_again(graph: Graph, folders: Sequence[Path]) -> None:
    for folder in folders:
        report = ingest.ingest_path(graph, str(folder), None, tool="kg watch")
        if "error" in report or any(report[name] for name in ("added", "changed", "moved", "forgotten", "failed")):
            ingest.show_report({**report, "skipped": []}, dry_run=False)


def _status(graph: Graph, folder: Path) -> dict[str, Any]:
    """The state of each file of a folder: in the graph, new, changed, moved, missing, or left out and why."""
    report = ingest.ingest_path(graph, str(folder), None, as_vault=True, dry_run=True)
    if "error" in report:
        return {"folder": str(folder), **report}
    states = {path: "in the graph" if state == "unchanged" else state for path, state in report["states"].items()}
    remarks = {file["path"]: {"why": file["message"]} for file in report["remarks"]}
    files = [{"path": path, "state": state, **remarks.get(path, {})} for path, state in sorted(states.items())]
    files += [{"path": path, "state": "missing"} for path in report["missing"]]
    left_out = [(file, "left out") for file in report["skipped"]] + [(file, "failed") for file in report["failed"]]
    files += [{"path": file["path"], "state": state, "why": file["message"]} for file, state in left_out]
    return {"folder": str(folder), "files": files}


def _show_files(files: Sequence[dict[str, str]]) -> None:
    why = (f": {file['why']}" if "why" in file else "" for file in files)
    lines = [f"{file['path']} is {file['state']}{reason}" for file, reason in zip(files, why, strict=True)]
    terminal.show_first(lines, _MAX_SHOWN, indent="    ")


def _note_line(note: dict[str, Any]) -> str:
    kinds = [kind for kind in ("tags", "tasks", "decisions") if note[kind]]
    counts = [count_noun(note["links"], "link"), *(count_noun(len(note[kind]), kind[:-1]) for kind in kinds)]
    return f"{note['file']}: {note['type']} {note['name']!r}, {', '.join(counts)}"


def _folders(graph: Path) -> list[Path]:
    """The vaults of a profile, from its settings."""
    return [_resolved(folder) for folder in settings_file.read(graph).settings.vault_folders]


def _existing(folder: str) -> Path:
    path = _resolved(folder)
    if not path.is_dir():
        raise errors.InvalidArguments(f"{folder!r} is not a folder", hint="Name the folder of your notes.")
    document_files.refuse_export(path)
    return path


def _resolved(folder: str) -> Path:
    if not folder.strip():
        raise errors.InvalidArguments(f"{folder!r} is not a path", hint="Name the folder of your notes.")
    return Path(os.path.realpath(permissions.expanded(folder)))
