"""`kg ingest`: takes in the files and folders that a person names."""

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
from keepgraph.cli.output import render
from keepgraph.profiles import profile

_REMARKS_SHOWN = 20


@click.command("ingest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path())
@click.option("--project", metavar="GROUP", help="The group to keep the texts in.")
@click.option("--flat", is_flag=True, help="Leave out the folders below.")
@click.option("--forget-missing", is_flag=True, help="Delete the texts whose files are gone.")
@click.option("--dry-run", is_flag=True, help="Tell what would be done, and do nothing.")
@graph_options.takes_graph
@click.pass_context
def ingest_command(
    ctx: click.Context, paths: tuple[str, ...], project: str | None, flat: bool, forget_missing: bool, dry_run: bool
) -> None:
    """Take in Markdown and text files: each PATH is a file, or a folder such as an Obsidian vault.

    Run it again whenever you like: files that have not changed are skipped, moved ones recognised, and of changed ones
    only what is new is looked at. Texts whose files are gone are listed, and kept unless you say --forget-missing.
    Hidden folders and links are left out. Ctrl-C ends it; what was taken in by then is kept, and the next run goes on.
    """
    from keepgraph.engine.backfill import vectors
    from keepgraph.engine.texts import ingestion
    from keepgraph.engine.upkeep.jobs import Drive
    from keepgraph.tools import documents

    if not all(path.strip() for path in paths):
        raise errors.InvalidArguments("a path is empty", hint="Name a file or a folder; . is the folder you are in.")
    reports: list[dict[str, Any]] = []
    with graph_options.opened(ctx, create=True) as graph, _bar(quiet=graph_options.answers_in_json(ctx)) as progress:
        for path in paths:
            whole = Path(os.path.realpath(permissions.expanded(path)))
            drive = Drive(graph.database, tool="kg ingest", progress=progress)
            try:
                report = ingestion.ingest(
                    drive,
                    whole,
                    group=project or None,
                    recursive=not flat,
                    forget_missing=forget_missing,
                    dry_run=dry_run,
                )
            except errors.DocumentUnreadable as error:
                reports.append({"path": ingestion.shown(path), **error.answer()})
                continue
            reports.append({"path": ingestion.shown(whole), **documents.told(report, most=None)})
        status = graph.call("get_status")
    if graph_options.answers_in_json(ctx):
        render.in_json(reports[0] if len(reports) == 1 else reports)
    else:
        for told in reports:
            _show(told, dry_run=dry_run)
        waiting = status["waiting_for_vectors"]["texts"]
        if waiting and status["resolution"]["embedding"].startswith("on") and not dry_run:
            click.echo(f"{vectors.told(waiting, 'text')}; until then only words find what is new. To make them now:")
            click.echo(f"  {render.printable(profile.naming(graph.path))} reindex")
    ctx.exit(1 if any("error" in told or told["failed"] for told in reports) else 0)


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Any]:
    """A bar on the terminal; nothing where there is none."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label="Reading", file=sys.stderr) as bar:

        def told(done: int, total: int | None, what: str) -> None:
            bar.pos = min(bar.pos, done)  # the next folder begins anew
            bar.length = max(total or 0, 1)
            bar.update(done - bar.pos)

        yield told


def _show(told: dict[str, Any], *, dry_run: bool) -> None:
    if "error" in told:
        render.error(told, as_json=False)
        return
    would = "would be " if dry_run else ""
    click.secho(render.printable(told["path"]), bold=True)
    click.echo(
        f"  {told['files_processed']:,} files: {told['added']:,} {would}added, {told['changed']:,} {would}changed, "
        f"{told['moved']:,} {would}moved, {told['unchanged']:,} unchanged"
    )
    if told["chunks_added"] or told["chunks_removed"]:
        click.echo(f"  {told['chunks_added']:,} pieces came, {told['chunks_removed']:,} went")
    if told["mentions"] or told["proposals"]:
        click.echo(f"  {told['mentions']:,} mentions of what is known, {told['proposals']:,} proposals")
    if told["unread"]:
        click.echo(f"  in {told['unread']:,} pieces names are still to be looked for; the next question does it")
    _list(f"{told['forgotten']:,} forgotten" if told["forgotten"] else "missing (kept)", told["missing"])
    for what in ("failed", "skipped", "remarks"):
        _list(what, [f"{each['path']}: {each['message']} ({each['code']})" for each in told[what]])
    if not told["complete"]:
        click.secho("  Stopped before the end; run it again to go on.", fg="yellow")


def _list(what: str, lines: list[str]) -> None:
    if not lines:
        return
    click.secho(f"  {what}:", fg="yellow")
    for line in lines[:_REMARKS_SHOWN]:
        click.echo(f"    {render.printable(line)}")
    if len(lines) > _REMARKS_SHOWN:
        click.echo(f"    … and {len(lines) - _REMARKS_SHOWN:,} more; --json lists them all")
