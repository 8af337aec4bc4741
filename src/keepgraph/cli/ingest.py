"""`kg ingest` stores Markdown and text files as episodes, and `kg reindex` computes the missing vectors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.texts import document_files, ingestion
from keepgraph.english import count_noun
from keepgraph.graph import Graph
from keepgraph.profiles import profile

_MAX_SHOWN = 20


@click.command("ingest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option("--project", metavar="NAME", help="The project they are about, or the id of a group.")
@click.option("--flat", is_flag=True, help="Skip subfolders.")
@click.option("--forget-missing", is_flag=True, help="Delete the texts whose files are gone.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without doing it.")
@graph_options.all_options
def ingest_command(
    ctx: click.Context, paths: tuple[str, ...], project: str | None, flat: bool, forget_missing: bool, dry_run: bool
) -> None:
    """Ingest Markdown and text files: each PATH is a file, or a folder such as an Obsidian vault.

    The notes of a folder become entities, with the facts that they state. To follow its changes, use `kg vault add`.

    You can run it again at any time: it skips unchanged files, recognises moved ones, and reads only the new parts of
    changed ones. It lists texts whose files are gone, and keeps them unless you add --forget-missing. It skips hidden
    folders and links. Ctrl-C stops it and keeps what was ingested; the next run continues.

    \b
    kg ingest ~/Notes
    kg ingest report.md --project Atlas
    """
    if not all(path.strip() for path in paths):
        raise errors.InvalidArguments("a path is empty", hint="Name a file or a folder; . is the folder you are in.")
    as_json = graph_options.wants_json(ctx)
    with graph_options.open_graph(ctx, create=True) as graph, progress_callback(quiet=as_json) as progress:
        reports = [
            ingest_path(
                graph,
                path,
                progress,
                project=project,
                recursive=not flat,
                forget_missing=forget_missing,
                dry_run=dry_run,
            )
            for path in paths
        ]
        status = graph.call("get_status")
    if as_json:
        terminal.show_json(reports[0] if len(reports) == 1 else reports)
    else:
        for report in reports:
            show_report(report, dry_run=dry_run)
        if not dry_run:
            show_missing_vectors(graph.path, status)
    ctx.exit(1 if any("error" in report or report["failed"] for report in reports) else 0)


def ingest_path(graph: Graph, path: str, progress: Any, *, tool: str = "kg ingest", **options: Any) -> dict[str, Any]:
    """Ingest a file or folder; returns the report, or the error if it cannot be read at all.

    Args:
        options: those of ingestion.ingest.
    """
    from keepgraph.engine.maintenance.jobs import Job
    from keepgraph.tools import documents

    resolved = Path(os.path.realpath(permissions.expanded(path)))
    job = Job(graph.database, tool=tool, progress=progress)
    try:
        report = ingestion.ingest(job, resolved, **options)
    except errors.DocumentUnreadable as error:
        return {"path": document_files.display_path(path), **error.answer()}
    return {
        "path": document_files.display_path(resolved),
        **documents.describe_report(report, limit=None),
        **documents.describe_scope(job, report),
        **({"states": report.states, "notes": report.notes} if options.get("dry_run") else {}),
    }


def show_missing_vectors(graph: Path, status: dict[str, Any]) -> None:
    from keepgraph.engine import vector_backfill

    waiting = status["waiting_for_vectors"]["texts"]
    if waiting and status["resolution"]["embedding"].startswith("on"):
        missing = vector_backfill.describe_missing(waiting, "text")
        click.echo(f"{missing}: each search makes some of them. To make all now:")
        click.echo(f"  {terminal.printable(profile.command_prefix(graph))} reindex")


@contextmanager
def progress_callback(*, quiet: bool) -> Iterator[Any]:
    """A callback that moves a progress bar; None without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label="Reading", file=sys.stderr) as bar:

        def update(processed: int, total: int | None, what: str) -> None:
            bar.pos = min(bar.pos, processed)  # the next folder starts at 0
            bar.length = max(total or 0, 1)
            bar.update(processed - bar.pos)

        yield update


def show_report(report: dict[str, Any], *, dry_run: bool) -> None:
    if "error" in report:
        terminal.show_error(report, as_json=False)
        return
    would = "would be " if dry_run else ""
    click.secho(terminal.printable(report["path"]), bold=True)
    for project in report["about"]:
        is_new = project in report.get("auto_created_entities", ())
        click.echo(f"  about {'the new ' if is_new else ''}{project['type']} {terminal.entity_name(project)}")
    terminal.show_near_names(report.get("possible_duplicates", ()))
    click.echo(
        f"  {count_noun(report['files_processed'], 'file')}: {report['added']:,} {would}added, "
        f"{report['changed']:,} {would}changed, "
        f"{report['moved']:,} {would}moved, {report['unchanged']:,} unchanged"
    )
    if report["chunks_added"] or report["chunks_removed"]:
        click.echo(f"  {count_noun(report['chunks_added'], 'piece')} added, {report['chunks_removed']:,} removed")
    if report["entities_added"] or report["facts_added"]:
        entities, facts = report["entities_added"], report["facts_added"]
        click.echo(f"  {count_noun(entities, 'entity')} and {count_noun(facts, 'fact')} recorded from the notes")
    if report["mentions"] or report["proposals"]:
        mentions, proposals = report["mentions"], report["proposals"]
        click.echo(
            f"  {count_noun(mentions, 'mention')} of known names, {count_noun(proposals, 'proposal')} (kg review)"
        )
    if report["unread"]:
        click.echo(
            f"  {count_noun(report['unread'], 'piece')} still to be searched for names; the next question does it"
        )
    _show_list(f"{report['forgotten']:,} forgotten" if report["forgotten"] else "missing (kept)", report["missing"])
    for outcome in ("failed", "skipped", "remarks"):
        _show_list(outcome, [f"{file['path']}: {file['message']} ({file['code']})" for file in report[outcome]])
    if not report["complete"]:
        click.secho("  Stopped early; run it again to go on.", fg="yellow")


def _show_list(title: str, lines: list[str]) -> None:
    if not lines:
        return
    click.secho(f"  {title}:", fg="yellow")
    terminal.show_first(lines, _MAX_SHOWN, indent="    ")


# `kg reindex`: computes the missing vectors.


@click.command("reindex")
@click.option("--anew", is_flag=True, help="First drop all vectors, as after a change of the model.")
@graph_options.all_options
def reindex_command(ctx: click.Context, anew: bool) -> None:
    """Make the missing vectors of names, texts and facts. If interrupted, the next run continues.

    \b
    kg reindex
    """
    from keepgraph.engine import vector_backfill

    with graph_options.open_graph(ctx) as graph:
        model = graph.database.settings.model
        if anew or vector_backfill.are_of_another_model(graph.database):
            remaining = vector_backfill.restart(graph.database)
        else:
            remaining = vector_backfill.backfill(graph.database, work=0)
        total = remaining
        with terminal.progress_bar(total, "Embedding", quiet=graph_options.wants_json(ctx)) as progress_bar:
            while remaining:
                previous, remaining = remaining, vector_backfill.backfill(graph.database, work=vector_backfill.BATCH)
                progress_bar.update(max(previous - remaining, 0))
                if remaining >= previous:
                    break  # other programs add texts as fast as they are embedded
    if not graph_options.show_json(ctx, {"model": model, "embedded": total - remaining, "waiting": remaining}):
        click.echo(
            f"{total - remaining:,} names, texts and facts now have vectors made by {terminal.printable(model)}."
        )
