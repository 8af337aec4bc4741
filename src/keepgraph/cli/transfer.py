"""`kg import` and `kg export`: a graph as lines of JSON, each the arguments of record_fact."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import graphs, show
from keepgraph.graph import Graph

_LINES_A_CALL = 500
_CHARACTERS_A_CALL = 1_000_000
_REFUSALS_SHOWN = 20

Line = tuple[int, Any, str | None, int]
"""The number of a line, what it says, what is wrong with it as JSON, and its length."""


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@graphs.takes_graph
@click.pass_context
def import_command(ctx: click.Context, file: str, strict: bool) -> None:
    """Record the facts of FILE (JSONL; - is standard input), one on each line, as record_fact takes them.

    A bad line is reported with its number and does not stop the rest. Exits with 1 where lines were refused.
    """
    report: dict[str, Any] = {"lines": 0, "added": 0, "merged": 0, "refused": [], "stopped": False}
    trouble: errors.KeepgraphError | None = None
    with (
        graphs.opened(ctx, create=True) as graph,
        click.open_file(file, encoding="utf-8-sig", errors="surrogateescape") as lines,
        _progress(file, lines, quiet=graphs.answers_in_json(ctx)) as advance,
    ):
        try:
            for batch in _batches(_numbered(lines)):
                report["stopped"] = _record(graph, batch, report, strict=strict)
                advance(batch[-1][0])
                if report["stopped"]:
                    break
        except errors.GraphTrouble as error:
            trouble = error
            trouble.hint = f"The first {report['lines']:,} lines are dealt with. Import again: known facts stay single."
            report.update(error=trouble.code, message=trouble.message, stopped=True)
    if graphs.answers_in_json(ctx):
        show.in_json(report)
    else:
        _show(report)
        if trouble:
            show.error(trouble.answer(), as_json=False)
    ctx.exit(1 if report["refused"] or trouble else 0)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@graphs.takes_graph
@click.pass_context
def export_command(ctx: click.Context, file: str) -> None:
    """Write every fact, each time it was asserted, to FILE (JSONL; standard output if not given).

    The lines are what `kg import` reads. The times of recording and the ids are not among them yet.
    """
    from keepgraph.tools import views

    with graphs.opened(ctx) as graph, _written(file, besides=graph.path) as out:
        for line in views.export(graph.database):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


@contextmanager
def _written(file: str, *, besides: Path) -> Iterator[IO[str]]:
    """A file to write, for its owner alone, that appears whole or not at all. Never the graph itself."""
    target = Path(file).resolve()
    if file == "-" or (target.exists() and not target.is_file()):
        with click.open_file(file, "w", encoding="utf-8") as out:
            yield out
        return
    if target in [Path(f"{besides}{log}") for log in ("", "-wal", "-shm")]:
        raise errors.InvalidArguments(f"{file} is the graph itself", hint="Name another file to export to.")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            yield out
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Lines in batches that are neither many nor long."""
    batch: list[Line] = []
    length = 0
    for line in lines:
        batch.append(line)
        length += line[3]
        if len(batch) == _LINES_A_CALL or length > _CHARACTERS_A_CALL:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _numbered(lines: IO[str]) -> Iterator[Line]:
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield number, json.loads(text), None, len(text)
        except (ValueError, RecursionError) as error:
            yield number, None, f"not JSON: {error}", len(text)


def _record(graph: Graph, batch: list[Line], report: dict[str, Any], *, strict: bool) -> bool:
    """Record one batch; returns whether to stop."""
    results = _results(graph, batch, strict=strict)
    if results is None:
        # It was refused whole: line by line each gets its own answer, and a strict import stops at the first bad one.
        return any(_record(graph, [line], report, strict=strict) for line in batch)
    for (number, *_), result in zip(batch, results, strict=True):
        report["lines"] += 1
        if "error" in result:
            report["refused"].append({"line": number, "error": result["error"], "message": result["message"]})
        else:
            report["merged" if result["deduplicated"] else "added"] += 1
    return strict and bool(report["refused"])


def _results(graph: Graph, batch: list[Line], *, strict: bool) -> list[dict[str, Any]] | None:
    """What became of each line; None where the batch as a whole was refused, and nothing of it recorded."""
    broken = [{"error": errors.InvalidArguments.code, "message": problem} for _, _, problem, _ in batch if problem]
    if strict and broken:
        return broken if len(batch) == 1 else None
    sound = [said for _, said, problem, _ in batch if problem is None]
    try:
        done = graph.call("record_facts", facts=sound, all_or_nothing=strict)["results"] if sound else []
    except (errors.InvalidRequest, errors.Conflict) as error:
        return [error.answer()] if len(batch) == 1 else None
    answers, refusals = iter(done), iter(broken)
    return [next(refusals if problem else answers) for _, _, problem, _ in batch]


def _show(report: dict[str, Any]) -> None:
    for refusal in report["refused"][:_REFUSALS_SHOWN]:
        click.secho(
            f"line {refusal['line']}: {show.printable(refusal['message'])} ({refusal['error']})", fg="red", err=True
        )
    if len(report["refused"]) > _REFUSALS_SHOWN:
        click.echo(f"… and {len(report['refused']) - _REFUSALS_SHOWN} more; --json lists them all", err=True)
    click.echo(
        f"{report['lines']:,} lines: {report['added']:,} added, {report['merged']:,} known before, "
        f"{len(report['refused']):,} refused"
    )
    if report["stopped"] and "error" not in report:
        click.echo("Stopped there (--strict); what was recorded before is kept.", err=True)


class _progress:  # noqa: N801 (used like a function)
    """A bar on the terminal that follows the reading of a file; silent where there is no terminal."""

    def __init__(self, file: str, lines: IO[Any], *, quiet: bool) -> None:
        self._read: IO[bytes] = getattr(lines, "buffer", lines)
        shown = not quiet and file != "-" and sys.stderr.isatty()
        size = Path(file).stat().st_size if shown else 0
        self._bar = click.progressbar(length=size, label="Recording", file=sys.stderr) if shown and size else None

    def __enter__(self) -> Any:
        if self._bar:
            self._bar.__enter__()
        return self._advance

    def __exit__(self, *problem: Any) -> None:
        if self._bar:
            self._bar.__exit__(*problem)

    def _advance(self, line: int) -> None:
        if self._bar:
            self._bar.update(self._read.tell() - self._bar.pos)
