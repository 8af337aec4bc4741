"""`kg import` and `kg export`: a graph as lines of JSON, and the lines and files that people have."""

from __future__ import annotations

import glob
import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import render
from keepgraph.graph import Graph

_LINES_A_CALL = 500
_CHARACTERS_A_CALL = 1_000_000
_CHARACTERS_A_LINE = 16_000_000
_LINES_PUT_OFF = 20_000
_REFUSALS_SHOWN = 20

LINES = "lines"
FORMATS = (LINES, "memory-server", "csv", "claude", "chatgpt")

_HEADER, _WHOLE, _FOLLOWING, _SAID = "header", "whole", "following", "said"
_NOT_HERE_YET = (errors.EntityNotFound.code, errors.EpisodeNotFound.code, errors.FactNotFound.code)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its number and length, what it says, and what is wrong with it before the graph is asked.

    Its form: a header, a whole entity or fact, what follows the facts, or something said, as record_fact takes it.
    """

    number: int
    length: int
    form: str
    said: Any = None
    problem: errors.KeepgraphError | None = None


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--format", "said", type=click.Choice(FORMATS), help="What FILE is, if it cannot be told.")
@click.option("--preview", is_flag=True, help="Tell what would be taken in, and change nothing.")
@click.option("--add-words", is_flag=True, help="Add the types and relations of FILE to the vocabulary of the graph.")
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@graph_options.takes_graph
@click.pass_context
def import_command(
    ctx: click.Context, file: str, said: str | None, preview: bool, add_words: bool, strict: bool
) -> None:
    """Take in FILE: what `kg export` wrote, or what another program did. What it is, its content tells.

    \b
    lines          what kg export wrote, or the arguments of record_fact, by hand
    memory-server  the JSONL of the reference MCP memory server
    csv            a table of facts or of entities
    claude         conversations.json of Claude, or the .zip with it
    chatgpt        conversations.json of ChatGPT, or the .zip with it

    What `kg export` wrote becomes the same graph: ids, times, retracted facts and all. What is there already stays
    as it is, so a file may be imported twice; a line that contradicts the graph is refused. From standard input (-)
    come lines.

    A bad line is reported with its number and does not stop the rest. Exits with 1 where something was refused.
    `kg log` lists the calls, some hundred lines each; `kg undo` takes them back, the last one first.
    """
    if file != "-" and stat.S_ISCHR(os.stat(file).st_mode):
        raise errors.InvalidArguments(f"{file} is a device and may never end", hint="Name a file, or - for the input.")
    format = said or (_format(file) if file != "-" else LINES)
    if format != LINES:
        from keepgraph.cli import foreign

        if file == "-":
            raise errors.InvalidArguments("from standard input come lines alone", hint="Name a file.")
        done = foreign.take_in(ctx, file, format, preview=preview, add_words=add_words, strict=strict)
        ctx.exit(done)
    if preview or add_words:
        raise errors.InvalidArguments(
            "--preview and --add-words are for files of other programs, and this one has lines of Keepgraph",
            hint="Leave them out: lines say for themselves what they become.",
        )
    ctx.exit(_take_lines(ctx, file, strict=strict))


def _format(file: str) -> str:
    from keepgraph.formats import detection

    if not Path(file).is_file():
        return LINES  # what can be read only once
    with open(file, "rb") as opened:
        return detection.detect(opened)


def _take_lines(ctx: click.Context, file: str, *, strict: bool) -> int:
    """Take in lines of our own; returns the code to exit with."""
    report: dict[str, Any] = {"lines": 0, "added": 0, "merged": 0, "refused": [], "stopped": False}
    trouble: errors.KeepgraphError | None = None
    with (
        graph_options.opened(ctx, create=True) as graph,
        click.open_file(file, encoding="utf-8-sig", errors="surrogateescape") as lines,
        progress(file, getattr(lines, "buffer", lines), quiet=graph_options.answers_in_json(ctx)) as advance,
    ):
        from keepgraph.engine.upkeep import backups
        from keepgraph.tools import views

        if views.count_entities(graph.database):
            backups.make(graph.database, "before-import")
        taking = _Import(graph, report, strict=strict)
        try:
            for batch in _batches(_read(lines)):
                taking.take(batch)
                advance()
                if report["stopped"]:
                    break
            else:
                taking.take_what_was_put_off()
        except errors.GraphTrouble as error:
            trouble = error
            if not isinstance(error, errors.GraphTooNew):
                trouble.hint = (
                    f"The first {report['lines']:,} lines are dealt with. Import again: known facts stay single."
                )
            report.update(error=trouble.code, message=trouble.message, stopped=True)
    report["refused"].sort(key=lambda refusal: refusal["line"])
    if graph_options.answers_in_json(ctx):
        render.in_json(report)
    else:
        _show(report)
        if trouble:
            render.error(trouble.answer(), as_json=False)
    return 1 if report["refused"] or trouble else 0


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@graph_options.takes_graph
@click.pass_context
def export_command(ctx: click.Context, file: str) -> None:
    """Write the whole graph to FILE (JSONL; standard output if not given), for `kg import`.

    One line an entity, one a text, one a fact, of all groups, by their ids: the same graph gives the same file, and
    what is new comes last. Retracted facts, earlier validities and everyone who said something are in it, and the
    words that were imported. The log of changes, answers kept for retries, vectors, mentions and proposals are not.
    """
    from keepgraph.tools import views

    with graph_options.opened(ctx) as graph, _written(file, besides=graph.path) as out:
        if graph.database.key is not None and file != "-":
            click.echo(f"{render.printable(file)} is plain text, though the graph is encrypted.", err=True)
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
    if target.exists() and target.stat().st_size and not _is_lines(target):
        raise errors.InvalidArguments(
            f"{file} is there already, and is no export", hint="Name another file; what is in this one would be lost."
        )
    for left in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
        left.unlink(missing_ok=True)  # of an export that was ended
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _is_lines(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(2) == b'{"'


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines of one form in batches that are neither many nor long."""
    batch: list[Line] = []
    length = 0
    for line in lines:
        full = len(batch) == _LINES_A_CALL or length > _CHARACTERS_A_CALL
        if batch and (full or line.form != batch[-1].form):
            yield batch
            batch, length = [], 0
        batch.append(line)
        length += line.length
    if batch:
        yield batch


def _read(lines: IO[str]) -> Iterator[Line]:
    """The lines of a file that are not empty. Of one that is too long no more is held than may be."""
    number = 0
    form = _SAID
    while text := lines.readline(_CHARACTERS_A_LINE + 1):
        number += 1
        if len(text) > _CHARACTERS_A_LINE and not text.endswith("\n"):
            rest = text
            while rest and not rest.endswith("\n"):
                rest = lines.readline(_CHARACTERS_A_LINE)
            problem = errors.InvalidArguments(f"the line has more than {_CHARACTERS_A_LINE:,} characters")
            yield Line(number, _CHARACTERS_A_LINE, form, problem=problem)
        elif text.strip():
            line = _parsed(number, text, form)
            form = line.form if line.form != _HEADER else _WHOLE
            yield line


def _parsed(number: int, text: str, form: str) -> Line:
    """A line as JSON; one that is none goes with the form of those before it."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Line(number, len(text), form, problem=errors.InvalidArguments(f"not JSON: {error}"))
    if not isinstance(said, dict) or not {"kind", "keepgraph"} & said.keys():
        return Line(number, len(text), _SAID, said)
    if "kind" not in said:
        return Line(number, len(text), _HEADER, said)
    form = _FOLLOWING if said["kind"] == "provenance" else _WHOLE
    try:
        return Line(number, len(text), form, _checked(said, text))
    except errors.InvalidRequest as error:
        return Line(number, len(text), form, problem=error)


def _checked(said: dict[str, Any], text: str) -> dict[str, Any]:
    """
    Raises:
        errors.InvalidRequest: the line is not what its schema says.
    """
    from keepgraph.engine.exchange import importer
    from keepgraph.tools.contract import validation

    if said["kind"] not in importer.KINDS:
        raise errors.InvalidArguments(f"kind is none of {', '.join(importer.KINDS)}")
    # What opens few brackets cannot be nested deep; that is quicker to see in the text.
    is_flat = text.count("{") + text.count("[") <= validation.MAX_DEPTH
    return validation.check_input("transfer/lines", said["kind"], said, measured=is_flat)


class _Import:
    """Takes batches of lines into a graph, each in one call, and keeps the report."""

    def __init__(self, graph: Graph, report: dict[str, Any], *, strict: bool) -> None:
        from keepgraph.engine.exchange import importer

        self._graph, self._report, self._strict = graph, report, strict
        self._transfer = importer
        self._file = importer.File()
        self._put_off: list[Line] = []
        self._last_round = strict

    def take(self, batch: list[Line]) -> None:
        if batch[0].form == _HEADER:
            for line in batch:
                self._check_header(line)
        elif batch[0].form == _SAID:
            self._record(batch)
        else:
            self._take_whole(batch)
        self._report["stopped"] = self._strict and bool(self._report["refused"])

    def take_what_was_put_off(self) -> None:
        """Lines that came before the entity or the fact that they are about."""
        self._last_round = True
        for batch in _batches(self._put_off):
            self._take_whole(batch)
        self._put_off = []

    def _check_header(self, line: Line) -> None:
        """
        Raises:
            errors.GraphTooNew: the lines that follow are of a format that is not known yet.
        """
        from keepgraph.engine.exchange.export import FORMAT

        given = line.said.get("format")
        is_number = isinstance(given, int) and not isinstance(given, bool) and given >= 1
        if is_number and given > FORMAT and line.said["keepgraph"] == "graph":
            self.take_what_was_put_off()
            raise errors.GraphTooNew(
                f"line {line.number}: the file is of format {given}, and this version of Keepgraph reads {FORMAT}: "
                "upgrade Keepgraph to import it"
            )
        if line.said != {"keepgraph": "graph", "format": given} or not is_number:
            self._report["lines"] += 1
            self._refuse(line, errors.InvalidArguments("the header is not that of an export"))

    def _take_whole(self, batch: list[Line]) -> None:
        if self._strict:
            bad = next((place for place, line in enumerate(batch) if line.problem), len(batch))
            batch = batch[: bad + 1]
        if batch[0].form == _FOLLOWING and self._put_off and not self._last_round and self._has_room(len(batch)):
            self._put_off += [line for line in batch if line.problem is None]
            batch = [line for line in batch if line.problem]
        said = [line.said for line in batch if line.problem is None]
        taken = iter(
            self._transfer.take(self._graph.database, said, file=self._file, strict=self._strict) if said else ()
        )
        for line in batch:
            done = self._transfer.Taken(error=line.problem) if line.problem else next(taken, None)
            if done is None or (self._strict and self._report["refused"]):
                return
            if done.error and done.error.code in _NOT_HERE_YET and not self._last_round and self._has_room(1):
                self._put_off.append(line)
                continue
            self._report["lines"] += 1
            if done.error:
                self._refuse(line, done.error)
                continue
            self._report["added" if done.new else "merged"] += 1
            for error in done.left_out:
                self._refuse(line, error, only_part=True)

    def _has_room(self, lines: int) -> bool:
        return len(self._put_off) + lines <= _LINES_PUT_OFF

    def _record(self, batch: list[Line]) -> None:
        """Record what was written by hand."""
        results = self._results(batch)
        if results is None:
            # It was refused whole: line by line each gets its own answer, and a strict import stops at the first bad.
            for line in batch:
                self._record([line])
                if self._strict and self._report["refused"]:
                    return
            return
        for line, result in zip(batch, results, strict=True):
            self._report["lines"] += 1
            if "error" in result:
                self._report["refused"].append(
                    {"line": line.number, "error": result["error"], "message": result["message"]}
                )
            else:
                self._report["merged" if result["deduplicated"] else "added"] += 1

    def _results(self, batch: list[Line]) -> list[dict[str, Any]] | None:
        """What became of each line; None where the batch as a whole was refused, and nothing of it recorded."""
        broken = [line.problem.answer() for line in batch if line.problem]
        if self._strict and broken:
            return broken if len(batch) == 1 else None
        sound = [line.said for line in batch if line.problem is None]
        try:
            done = (
                self._graph.call("record_facts", facts=sound, all_or_nothing=self._strict)["results"] if sound else []
            )
        except (errors.InvalidRequest, errors.Conflict) as error:
            return [error.answer()] if len(batch) == 1 else None
        answers, refusals = iter(done), iter(broken)
        return [next(refusals if line.problem else answers) for line in batch]

    def _refuse(self, line: Line, error: errors.KeepgraphError, *, only_part: bool = False) -> None:
        message = error.message.rstrip(".") + ("; the rest of the line was taken" if only_part else "")
        refusal = {"line": line.number, "error": error.code, "message": message}
        if error.hint and error.hint != error.default_hint:
            refusal["hint"] = error.hint
        self._report["refused"].append(refusal)


def _show(report: dict[str, Any]) -> None:
    show_refusals(report["refused"], "line")
    click.echo(
        f"{report['lines']:,} lines: {report['added']:,} added, {report['merged']:,} known before, "
        f"{len(report['refused']):,} refused"
    )
    if report["stopped"] and "error" not in report:
        click.echo("Stopped there (--strict); what was recorded before is kept.", err=True)


def show_refusals(refused: list[dict[str, Any]], place: str) -> None:
    """Show what was refused, with its place in the file and the reason."""
    for refusal in refused[:_REFUSALS_SHOWN]:
        told = f"{place} {refusal[place]}: {render.printable(refusal['message'])} ({refusal['error']})"
        click.secho(told, fg="red", err=True)
        if hint := refusal.get("hint"):
            click.echo(f"        {render.printable(hint)}", err=True)
    if len(refused) > _REFUSALS_SHOWN:
        click.echo(f"… and {len(refused) - _REFUSALS_SHOWN} more; --json lists them all", err=True)


class progress:  # noqa: N801 (used like a function)
    """A bar on the terminal that follows the reading of a file; silent where there is no terminal."""

    def __init__(self, file: str, read: IO[bytes], *, quiet: bool, label: str = "Recording") -> None:
        self._read = read
        shown = not quiet and file != "-" and sys.stderr.isatty()
        size = Path(file).stat().st_size if shown else 0
        self._bar = click.progressbar(length=size, label=label, file=sys.stderr) if shown and size else None

    def __enter__(self) -> Callable[[], None]:
        if self._bar:
            self._bar.__enter__()
        return self._advance

    def __exit__(self, *problem: Any) -> None:
        if self._bar:
            self._bar.__exit__(*problem)

    def _advance(self) -> None:
        if self._bar:
            self._bar.update(max(0, self._read.tell() - self._bar.pos))
