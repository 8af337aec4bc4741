"""`kg import` and `kg export`."""

from __future__ import annotations

import glob
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import tables, terminal
from keepgraph.engine.exchange import current_graph, export
from keepgraph.formats import detection
from keepgraph.graph import Graph

LINES = "lines"
CSV, GRAPHML, TURTLE = "csv", "graphml", "turtle"
FORMATS = (LINES, "memory-server", CSV, "claude", "chatgpt", "bibtex", "ris", "csl-json", "vcard", "icalendar")
_FORMAT_BY_SUFFIX = {".csv": CSV, ".graphml": GRAPHML, ".ttl": TURTLE}


@click.command("import")
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
@click.option("--format", "format", type=click.Choice(FORMATS), help="The format of FILE, if it is not recognised.")
@click.option("--preview", is_flag=True, help="Show what would be imported, without importing it.")
@click.option("--add-words", is_flag=True, help="Add the types and relations of FILE to the vocabulary of the graph.")
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@graph_options.all_options
def import_command(
    ctx: click.Context, file: str, format: str | None, preview: bool, add_words: bool, strict: bool
) -> None:
    """Import FILE, from `kg export` or another program. The format is recognised by the content.

    A folder that `kg export --vault` wrote is imported as pages: what was edited in them becomes changes.

    \b
    lines          the output of kg export, or handwritten arguments of record_fact
    memory-server  the JSONL of the reference MCP memory server
    csv            a table of facts or of entities
    claude         conversations.json of Claude, or the .zip with it
    chatgpt        conversations.json of ChatGPT, or the .zip with it
    bibtex, ris, csl-json    a bibliography
    vcard, icalendar         contacts, a calendar

    The output of `kg export` becomes the same graph, with ids, times and retracted facts. Existing records stay as they
    are, so a file may be imported twice; a line that contradicts the graph is refused. Of two ids of the same record,
    the older stays. Standard input (-) is read as lines.

    A bad line is reported with its number and does not stop the rest. Exits with 1 if something was refused.
    `kg log` lists the calls, a few hundred lines each; `kg undo` takes them back, the last first.

    \b
    kg import facts.jsonl
    """
    if os.path.isdir(file):
        if format or add_words or strict:
            raise errors.InvalidArguments(
                "--format, --add-words and --strict are for files, not for a folder", hint="Leave them out."
            )
        from keepgraph.cli import bundle_files

        ctx.exit(bundle_files.import_bundle(ctx, file, preview=preview))
    if file != "-" and stat.S_ISCHR(os.stat(file).st_mode):
        raise errors.InvalidArguments(f"{file} is a device and may never end", hint="Name a file, or - for stdin.")
    format = format or (_detect_format(file) if file != "-" else LINES)
    if format != LINES:
        from keepgraph.cli import foreign_import

        if file == "-":
            raise errors.InvalidArguments("standard input can only be lines", hint="Name a file.")
        exit_code = foreign_import.import_file(ctx, file, format, preview=preview, add_terms=add_words, strict=strict)
        ctx.exit(exit_code)
    if preview or add_words:
        raise errors.InvalidArguments(
            "--preview and --add-words are for files of other programs, not for lines of Keepgraph",
            hint="Leave them out.",
        )
    from keepgraph.cli import line_import

    ctx.exit(line_import.import_file(ctx, file, strict=strict))


def _detect_format(file: str) -> str:
    if not Path(file).is_file():
        return LINES  # a pipe can be read only once
    with open(file, "rb") as stream:
        return detection.detect(stream)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--format",
    "format",
    type=click.Choice([LINES, *_FORMAT_BY_SUFFIX.values()]),
    help="The format; by default what the name of FILE says.",
)
@click.option(
    "--vault", metavar="DIR", type=click.Path(file_okay=False), help="Write a folder of Markdown pages instead."
)
@click.option("--overwrite", is_flag=True, help="With --vault: discard edits that were not imported.")
@click.option("--yes", is_flag=True, help="Write an encrypted graph as plain text without asking.")
@graph_options.all_options
def export_command(
    ctx: click.Context, file: str, format: str | None, vault: str | None, overwrite: bool, yes: bool
) -> None:
    """Write the whole graph to FILE (JSONL; standard output if not given), for `kg import`.

    The file has a line for each entity, text and fact of all groups, by id: the same graph gives the same file, and new
    records come last. It includes retracted facts, earlier validities, every source of a fact, and the words of
    the vocabulary that another graph may lack. It leaves out the log of changes, answers kept for retries, vectors,
    mentions and proposals.

    A FILE that ends in .csv, .graphml or .ttl gets the current graph of the group for other programs: a table of facts,
    which `kg import` reads too, GraphML, or Turtle (RDF).

    With --vault, DIR becomes a bundle of the Open Knowledge Format 0.2: a page for each entity and text of the group,
    readable in Obsidian. `kg import DIR` brings back what you edit there.

    \b
    kg export graph.jsonl
    kg export graph.graphml
    kg export --vault Notes
    """
    if vault is not None:
        if file != "-" or format is not None:
            raise errors.InvalidArguments("name a file or --vault, not both")
        from keepgraph.cli import bundle_files

        with _open_for_export(ctx) as graph:
            _confirm_plain_text(ctx, graph, vault, agreed=yes)
            bundle_files.export_bundle(ctx, graph, vault, overwrite=overwrite)
        return
    if (format := format or _FORMAT_BY_SUFFIX.get(Path(file).suffix.lower())) not in (None, LINES):
        _export_current(ctx, file, str(format), agreed=yes)
        return

    if format is None:
        _refuse_other_formats(file)
    with _open_for_export(ctx) as graph, open_for_writing(file, graph=graph.path) as out:
        if graph.database.key is not None and file != "-":
            click.echo(f"{terminal.printable(file)} is plain text, though the graph is encrypted.", err=True)
        for line in export.stream_lines(graph.database):
            out.write(terminal.escape_control(json.dumps(line, ensure_ascii=False)) + "\n")


def _export_current(ctx: click.Context, file: str, format: str, *, agreed: bool) -> None:
    """Write the current graph of the group in the format of another program."""
    with _open_for_export(ctx) as graph:
        if file != "-":
            _confirm_plain_text(ctx, graph, file, agreed=agreed)
        beginnings = {
            CSV: ",".join(current_graph.TABLE_COLUMNS),
            GRAPHML: current_graph.GRAPHML_BEGINNING,
            TURTLE: current_graph.TURTLE_BEGINNING,
        }
        with open_for_writing(file, graph=graph.path, beginning=beginnings[format]) as out:
            out.writelines(_current_lines(graph, format))


def _current_lines(graph: Graph, format: str) -> Iterator[str]:
    """The lines of a file in one of these formats. An error in writing them is raised past the reading of the graph."""
    with graph.database.read("export") as tx:
        if format == CSV:
            yield from tables.format_csv(current_graph.TABLE_COLUMNS, current_graph.table(tx))
        else:
            for line in current_graph.graphml(tx) if format == GRAPHML else current_graph.turtle(tx):
                yield f"{line}\n"


def _confirm_plain_text(ctx: click.Context, graph: Graph, target: str, *, agreed: bool) -> None:
    """Ask whether to write an encrypted graph as plain text.

    Raises:
        errors.NotConfirmed: nobody agreed, and there is nobody to ask.
    """
    if graph.database.key is not None and not agreed:
        terminal.confirm(
            f"Write the encrypted graph as plain text into {terminal.printable(target)}?",
            quiet=graph_options.wants_json(ctx),
        )


def _refuse_other_formats(file: str) -> None:
    """Refuse a file whose name ends as one of another format does.

    Raises:
        errors.InvalidArguments: such as notes.md, graph.csv.
    """
    import mimetypes

    named, _ = mimetypes.guess_type(file)
    if named and named != "text/plain" and "json" not in named:
        raise errors.InvalidArguments(
            f"kg export cannot write {Path(file).name}, which is named as {named}",
            hint=(
                "Name it FILE.jsonl, .csv, .graphml or .ttl. For Markdown: `kg export --vault FOLDER`. "
                "For a page: `kg view --out FILE.html`."
            ),
        )


def _open_for_export(ctx: click.Context) -> Graph:
    """The graph; if its schema was changed by others, it is opened read-only, and the user is told.

    Triggers run only on writes, so the export is what the tables hold.
    """
    try:
        return graph_options.open_graph(ctx)
    except errors.GraphSchemaDiffers as error:
        graph = graph_options.open_graph(ctx, read_only=True, any_schema=True)
        click.echo(f"{terminal.printable(error.message)}. What is readable is exported anyway.", err=True)
        return graph


# The export file: first written under another name, so that it appears complete or not at all.


@contextmanager
def open_for_writing(file: str, *, graph: Path, beginning: str = '{"') -> Iterator[IO[str]]:
    """Open a file for an export, readable only by its owner; "-" is standard output.

    Args:
        beginning: how such an export begins; a file that begins differently is not overwritten.

    Raises:
        errors.InvalidArguments: it belongs to the graph, or is not an export.
    """
    target = Path(file).resolve()
    if file == "-" or (target.exists() and not target.is_file()):
        with click.open_file(file, "w", encoding="utf-8") as out:
            yield out
        return
    if target in [Path(f"{graph}{suffix}") for suffix in ("", "-wal", "-shm")]:
        raise errors.InvalidArguments(f"{file} is the graph itself", hint="Name another file to export to.")
    if target.exists() and target.stat().st_size and not _begins_with(target, beginning):
        raise errors.InvalidArguments(
            f"{file} exists and is not an export", hint="Name another file; this one would be lost."
        )
    for abandoned in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
        abandoned.unlink(missing_ok=True)  # of an export that was killed
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise OSError(error.errno, error.strerror, file) from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _begins_with(file: Path, beginning: str) -> bool:
    expected = beginning.encode()
    with file.open("rb") as stream:
        return stream.read(len(expected)) == expected
