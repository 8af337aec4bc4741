"""`kg import` and `kg export`: a graph as lines of JSON, each the arguments of record_fact."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import graphs, show
from keepgraph.graph import Graph

_LINES_A_CALL = 500
_REFUSALS_SHOWN = 20

Line = tuple[int, Any, str | None]
"""The number of a line, what it says, and what is wrong with it as JSON."""


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@graphs.takes_graph
@click.pass_context
def import_command(ctx: click.Context, file: str, strict: bool) -> None:
    """Record the facts of FILE (JSONL; - is standard input), one on each line, as record_fact takes them.

    A bad line is reported with its number and does not stop the rest. Exits with 1 where lines were refused.
    """
    report: dict[str, Any] = {"lines": 0, "added": 0, "merged": 0, "refused": []}
    stopped = False
    with (
        graphs.opened(ctx, create=True) as graph,
        click.open_file(file, encoding="utf-8-sig", errors="surrogateescape") as lines,
        _progress(file, lines, quiet=graphs.answers_in_json(ctx)) as advance,
    ):
        numbered = _numbered(lines)
        while not stopped and (batch := list(islice(numbered, _LINES_A_CALL))):
            stopped = _record(graph, batch, report, strict=strict)
            advance(batch[-1][0])
    report["stopped"] = stopped
    if graphs.answers_in_json(ctx):
        show.in_json(report)
    else:
        _show(report)
    ctx.exit(1 if report["refused"] else 0)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@graphs.takes_graph
@click.pass_context
def export_command(ctx: click.Context, file: str) -> None:
    """Write every fact, each time it was asserted, to FILE (JSONL; standard output if not given)."""
    from keepgraph.tools import views

    with graphs.opened(ctx) as graph, click.open_file(file, "w", encoding="utf-8", atomic=file != "-") as out:
        for line in views.export(graph.database):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _numbered(lines: IO[str]) -> Iterator[Line]:
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield number, json.loads(text), None
        except (ValueError, RecursionError) as error:
            yield number, None, f"not JSON: {error}"


def _record(graph: Graph, batch: list[Line], report: dict[str, Any], *, strict: bool) -> bool:
    """Record one batch; returns whether to stop."""
    results = _results(graph, batch, strict=strict)
    if strict and len(batch) > 1 and any("error" in result for result in results):
        # The batch was refused whole: line by line it goes as far as the first bad one.
        return any(_record(graph, [line], report, strict=True) for line in batch)
    for (number, _, _), result in zip(batch, results, strict=True):
        report["lines"] += 1
        if "error" in result:
            report["refused"].append({"line": number, "error": result["error"], "message": result["message"]})
        else:
            report["merged" if result["deduplicated"] else "added"] += 1
    return strict and bool(report["refused"])


def _results(graph: Graph, batch: list[Line], *, strict: bool) -> list[dict[str, Any]]:
    """What became of each line. A strict batch that has a bad line is refused whole."""
    broken = [{"error": errors.InvalidArguments.code, "message": problem} for _, _, problem in batch if problem]
    if strict and broken:
        return broken
    sound = [said for _, said, problem in batch if problem is None]
    try:
        done = graph.call("record_facts", facts=sound, all_or_nothing=strict)["results"] if sound else []
    except (errors.InvalidRequest, errors.Conflict) as error:
        return [error.answer()]
    answers, refusals = iter(done), iter(broken)
    return [next(refusals if problem else answers) for _, _, problem in batch]


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
    if report["stopped"]:
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
