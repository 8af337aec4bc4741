"""`kg export --vault DIR` and `kg import DIR`: the files of a bundle, read and written within their folder alone."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.foreign_import import existing_or_empty_graph
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange import okf_bundles
from keepgraph.engine.maintenance import backups
from keepgraph.english import count_noun, count_nouns
from keepgraph.formats import okf_pages
from keepgraph.formats.okf_pages import Page
from keepgraph.graph import Graph
from keepgraph.tools.contract import validation

_MAX_FILES = 200_000
_MAX_BYTES = 64_000_000
_MAX_SHOWN = 20


def export_bundle(ctx: click.Context, graph: Graph, folder: str, *, overwrite: bool) -> None:
    """Write the graph as a bundle into a new or empty folder, or over a bundle whose edits were imported.

    Raises:
        errors.InvalidArguments: the folder has something else, or pages that were edited since they were written.
    """
    root = Path(folder)
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    existing = dict(_files(root)) if any(root.iterdir()) else {}
    is_bundle = "okf_version" in existing.get("index.md", "")[:200] and all(map(_may_be_ours, existing))
    if existing and not is_bundle:
        raise errors.InvalidArguments(f"{folder} has other files", hint="Name a new folder; these could be lost.")
    edited = [path for path, text in existing.items() if _is_page(path) and _is_edited(text)]
    if edited and not overwrite:
        raise errors.InvalidArguments(
            f"{count_noun(len(edited), 'page')} in {folder} edited since the export: {', '.join(edited[:3])}",
            hint=f"Import the edits: kg import {folder}. Or discard them: --overwrite",
        )
    total, written = _write_bundle(graph, root, existing)
    if not graph_options.show_json(ctx, {"folder": folder, "files": total, "written": written}):
        click.echo(f"{total:,} files in {terminal.printable(folder)}, {written:,} of them written")


def _is_edited(text: str) -> bool:
    page, _ = okf_pages.parse(text)
    return page is None or page.revision is None or page.is_edited


def _write_bundle(graph: Graph, root: Path, existing: Mapping[str, str], keep: Collection[str] = ()) -> tuple[int, int]:
    """Write the files of a bundle that differ, delete those that are no longer in it; how many there are, and wrote.

    Args:
        existing: the texts of the files that are there.
        keep: paths that stay as they are.
    """
    files: dict[str, str] = {}
    entries: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    with graph.database.read("export") as tx:
        for path, page in okf_bundles.pages(tx):
            files[path] = page.write()
            place, _, name = path.rpartition("/")
            entries[place].append((str(page.front["title"]), name, str(page.front.get("description", ""))))
        words = okf_bundles.words(tx)
        day = tx.now.date().isoformat()
    for place, of_folder in entries.items():
        files[f"{place}/index.md"] = okf_pages.index(of_folder, heading=place)
    folders = [(place, f"{place}/index.md", f"{len(of_folder):,}") for place, of_folder in sorted(entries.items())]
    files["index.md"] = okf_pages.index(folders, heading="Contents", is_root=True)
    files[okf_bundles.WORDS] = "".join(json.dumps(word, ensure_ascii=False) + "\n" for word in words)
    changed = {path: text for path, text in files.items() if existing.get(path) != text and path not in keep}
    gone = sorted(existing.keys() - files.keys() - {"log.md"} - set(keep))
    if changed or gone:
        changed["log.md"] = _log(existing.get("log.md", ""), day, len(changed), len(gone), is_new=not existing)
    for path in gone:
        (root / path).unlink()
    for path, text in changed.items():
        _write(root, path, text)
    return len(files) + 1, len(changed)


def _log(before: str, day: str, written: int, deleted: int, *, is_new: bool) -> str:
    """The log with an entry for this export, newest first; the entries before it stay."""
    entry = f"* **{'Creation' if is_new else 'Update'}**: {written:,} files written, {deleted:,} deleted.\n"
    _, _, rest = before.partition("\n\n")
    heading = f"## {day}\n"
    if rest.startswith(heading):
        return f"# Log\n\n{heading}{entry}{rest.removeprefix(heading)}"
    return "".join(["# Log\n\n", heading, entry, "\n" if rest else "", rest])


def import_bundle(ctx: click.Context, folder: str, *, preview: bool) -> int:
    """Import a bundle that `kg export --vault` wrote, or ingest another folder of notes; returns the exit code."""
    existing = dict(_files(Path(folder), only_ours=True))
    found: dict[str, Page] = {}
    unreadable: list[okf_bundles.Conflict] = []
    for path, text in existing.items():
        if _is_page(path):
            page, problem = okf_pages.parse(text)
            if page is None:
                unreadable.append(okf_bundles.Conflict(path, problem or "it cannot be read"))
            else:
                found[path] = page
    if not any(page.revision for page in found.values()):
        from keepgraph.cli import ingest

        ctx.invoke(
            ingest.ingest_command,
            paths=(folder,),
            project=None,
            flat=False,
            forget_missing=False,
            dry_run=preview,
        )
        return 0
    words, problem = _words(existing.get(okf_bundles.WORDS, ""))
    unreadable += [okf_bundles.Conflict(okf_bundles.WORDS, problem)] if problem else []
    name = Path(folder).resolve().name
    with _opened(ctx, preview=preview) as graph:
        if not preview and graph.call("count_entities")["count"]:
            backups.make(graph.database, "before-import")
        report = okf_bundles.import_bundle(graph.database, found, folder=name, words=words, preview=preview)
        if report.are_edits and not preview:
            keep = {path for path in existing if any(each.place.startswith(path) for each in report.conflicts)}
            _write_bundle(graph, Path(folder), existing, keep | {each.place for each in unreadable})
    report.conflicts[:0] = unreadable
    _show(ctx, report, preview=preview)
    return 1 if report.conflicts else 0


@contextmanager
def _opened(ctx: click.Context, *, preview: bool) -> Iterator[Graph]:
    """The graph, which an import creates; for a preview a temporary one where there is none."""
    if preview and not graph_options.graph_path(ctx).resolve().exists():
        with existing_or_empty_graph(ctx) as graph:
            yield graph
    else:
        with graph_options.open_graph(ctx, create=not preview) as graph:
            yield graph


def _words(text: str) -> tuple[list[dict[str, Any]], str | None]:
    """The lines of the vocabulary file, checked as those of an export; and why it was left out."""
    try:
        values = [json.loads(line) for line in text.splitlines() if line.strip()]
        for value in values:
            if not isinstance(value, dict) or value.get("kind") not in ("set", "word", "label"):
                return [], "it has other lines than words"
            validation.check_input("transfer/lines", value["kind"], value)
    except (ValueError, RecursionError, errors.InvalidRequest) as error:
        return [], f"its words cannot be read: {str(error)[:200]}"
    return values, None


def _show(ctx: click.Context, report: okf_bundles.BundleReport, *, preview: bool) -> None:
    conflicts = [{"place": each.place, "reason": each.reason} for each in report.conflicts]
    if graph_options.show_json(ctx, {"preview": preview, **report.counts, "conflicts": conflicts}):
        return
    terminal.show_first([f"{each['place']}: {each['reason']}" for each in conflicts], _MAX_SHOWN, err=True)
    counts = count_nouns(dict(sorted(report.counts.items())))
    click.echo(f"{counts or 'no edits'}{', ' + str(len(conflicts)) + ' not taken' if conflicts else ''}")
    if preview:
        click.echo("Nothing was changed.")


def _is_page(path: str) -> bool:
    return path.endswith(".md") and path.rpartition("/")[2] not in okf_pages.RESERVED


def _may_be_ours(path: str) -> bool:
    """Whether a bundle may have written a file; any other, such as a picture beside the pages, is left alone."""
    return path.endswith(".md") or path == okf_bundles.WORDS


def _files(root: Path, *, only_ours: bool = False) -> Iterator[tuple[str, str]]:
    """The texts of the files of a folder, by their paths within it; links and hidden files are left out.

    Args:
        only_ours: those that a bundle may have written; others are not read.

    Raises:
        errors.InvalidArguments: they are too many, or one is too large.
    """
    number = 0
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(place) / name
            if name.startswith(".") or file.is_symlink() or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            if only_ours and not _may_be_ours(path):
                continue
            number += 1
            if number > _MAX_FILES or file.stat().st_size > _MAX_BYTES:
                raise errors.InvalidArguments(
                    f"{file} is too large, or one file too many", hint=f"{_MAX_FILES:,} files of 64 MB at most"
                )
            yield path, file.read_bytes().decode("utf-8", "replace")


def _write(root: Path, path: str, text: str) -> None:
    """Write a file of the bundle, complete or not at all, readable only by its owner.

    Raises:
        errors.InvalidArguments: its folder leads out of the bundle, as a link may.
    """
    target = root / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise errors.InvalidArguments(f"{target.parent} leads out of {root}", hint="Remove the link.")
    partial = target.with_name(f".{os.getpid()}.part")
    try:
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
            out.write(text.encode("utf-8", "replace"))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
