"""`kg import` of JSON lines: an export of Keepgraph, or facts written by hand as the arguments of `record_fact`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import foreign_import, graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange import import_state, importer
from keepgraph.engine.exchange.import_state import EndsWarning, ImportState, LineResult
from keepgraph.engine.maintenance import backups
from keepgraph.english import count_noun
from keepgraph.graph import Graph
from keepgraph.tools.contract import dispatch, validation

# The most lines of a call. A call holds the write lock; others write between calls.
_MAX_LINES_PER_CALL = 500
_MAX_CHARACTERS_PER_CALL = 1_000_000

_MAX_LINE_CHARACTERS = 16_000_000
_MAX_POSTPONED_LINES = 20_000

# The forms of a line. Lines of one form are imported together.
_HEADER, _EXPORTED, _PROVENANCE, _ARGUMENTS = "header", "exported", "provenance", "arguments"

_MISSING_CODES = (errors.EntityNotFound.code, errors.EpisodeNotFound.code, errors.FactNotFound.code)


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A line of a file.

    Attributes:
        number: from 1.
        length: in characters.
        form: an export's header, word, entity, episode, chunk, fact or later assertion; or arguments of `record_fact`.
        value: the JSON of the line.
        error: why the line cannot be imported into any graph.
    """

    number: int
    length: int
    form: str
    value: Any = None
    error: errors.KeepgraphError | None = None


def import_file(ctx: click.Context, file: str, *, strict: bool) -> int:
    """Import the lines of a file, and show the report; returns the exit code."""
    report: dict[str, Any] = {
        "lines": 0,
        "added": 0,
        "merged": 0,
        "waiting": 0,
        "warnings": [],
        "refused": [],
        "refused_total": 0,
        "stopped": False,
    }
    failure: errors.KeepgraphError | None = None
    quiet = graph_options.wants_json(ctx)
    with (
        graph_options.open_graph(ctx, create=True) as graph,
        click.open_file(file, encoding="utf-8-sig", errors="surrogateescape") as lines,
        foreign_import.ReadProgress(file, getattr(lines, "buffer", lines), quiet=quiet) as advance,
    ):
        if graph.call("count_entities")["count"]:
            backups.make(graph.database, "before-import")
        name = None if file == "-" else import_state.file_name(file)
        line_import = _LineImport(graph, report, file=name, strict=strict)
        try:
            for batch in _batches(_read_lines(lines)):
                line_import.import_batch(batch)
                advance()
                if report["stopped"]:
                    break
            else:
                line_import.import_postponed()
        except errors.GraphFileError as error:
            failure = error
            if not isinstance(error, errors.GraphTooNew):
                failure.hint = f"The first {report['lines']:,} lines are imported. Import again to continue."
            report.update(error=failure.code, message=failure.message, stopped=True)
    report["refused"].sort(key=lambda refused: refused["line"])
    if quiet:
        terminal.show_json(report)
    else:
        _show_report(report)
        if failure:
            terminal.show_error(failure.answer(), as_json=False)
    return 1 if report["refused"] or failure else 0


class _LineImport:
    """Imports batches of lines, each in one call, and fills the report.

    A line before the entity, episode or fact it needs is postponed to the end of the file.
    """

    def __init__(self, graph: Graph, report: dict[str, Any], *, file: str | None, strict: bool) -> None:
        self._graph, self._report, self._file, self._strict = graph, report, file, strict
        self._state = ImportState()
        self._postponed: list[ParsedLine] = []
        self._may_postpone = not strict

    def import_batch(self, batch: list[ParsedLine]) -> None:
        """Import lines of one form."""
        if batch[0].form == _HEADER:
            for line in batch:
                self._check_header(line)
        elif batch[0].form == _ARGUMENTS:
            self._record_facts(batch)
        else:
            self._import_exported(batch)
        self._report["stopped"] = (self._strict and bool(self._report["refused"])) or foreign_import.is_hopeless(
            self._report
        )

    def import_postponed(self) -> None:
        self._may_postpone = False
        for batch in _batches(self._postponed):
            self._import_exported(batch)
        self._postponed = []

    def _check_header(self, line: ParsedLine) -> None:
        """
        Raises:
            errors.GraphTooNew: this version cannot read the format of the following lines.
        """
        format = line.value.get("format")
        is_number = isinstance(format, int) and not isinstance(format, bool) and format >= 1
        if is_number and format > import_state.VERSION and line.value["keepgraph"] == "graph":
            self.import_postponed()
            raise errors.GraphTooNew(
                f"line {line.number}: the file has format {format}, but this version of Keepgraph reads "
                f"{import_state.VERSION}: upgrade Keepgraph to import it"
            )
        if line.value != {"keepgraph": "graph", "format": format} or not is_number:
            self._report["lines"] += 1
            self._refuse(line, errors.InvalidArguments("this is not the header of an export"))

    def _import_exported(self, batch: list[ParsedLine]) -> None:
        if self._strict:
            first_bad = next((place for place, line in enumerate(batch) if line.error), len(batch))
            batch = batch[: first_bad + 1]
        if batch[0].form == _PROVENANCE and self._postponed and self._may_postpone and self._has_room(len(batch)):
            # Assertions are ordered: while facts wait, they wait too.
            self._postponed += [line for line in batch if line.error is None]
            batch = [line for line in batch if line.error]
        values = [line.value for line in batch if line.error is None]
        imported: list[LineResult] = []
        if values:
            imported = importer.import_batch(
                self._graph.database, values, state=self._state, file=self._file, strict=self._strict
            )
        results = iter(imported)
        for line in batch:
            result = LineResult(error=line.error) if line.error else next(results, None)
            if result is None or (self._strict and self._report["refused"]):
                return
            if result.error and result.error.code in _MISSING_CODES and self._may_postpone and self._has_room(1):
                self._postponed.append(line)
                continue
            self._report["lines"] += 1
            if result.error:
                self._refuse(line, result.error)
                continue
            self._report["added" if result.created else "merged"] += 1
            if result.warning:
                self._report["warnings"].append(foreign_import.warning("line", line.number, result.warning))
            for error in result.partial_errors:
                self._refuse(line, error, note="; the rest of the line was accepted")

    def _has_room(self, lines: int) -> bool:
        return len(self._postponed) + lines <= _MAX_POSTPONED_LINES

    def _record_facts(self, batch: list[ParsedLine]) -> None:
        """Record lines that are arguments of `record_fact`."""
        results = self._call_record_facts(batch)
        if results is None:
            # The call was refused as a whole. Line by line, each line gets its own answer, and a strict import stops
            # at the first bad one.
            for line in batch:
                self._record_facts([line])
                if self._strict and self._report["refused"]:
                    return
            return
        waiting = self._propose(batch, results)
        for line, result in zip(batch, results, strict=True):
            self._report["lines"] += 1
            if line.number in waiting:
                self._report["waiting"] += 1
            elif "error" in result:
                self._report["refused_total"] += 1
                if len(self._report["refused"]) < import_state.MAX_REFUSALS:
                    refused = {"line": line.number, "error": result["error"], "message": result["message"]}
                    self._report["refused"].append(refused)
            else:
                self._report["merged" if result["deduplicated"] else "added"] += 1
                if "warning" in result:
                    ends_warning = EndsWarning(result["predicate"], result["warning"])
                    self._report["warnings"].append(foreign_import.warning("line", line.number, ends_warning))

    def _propose(self, batch: list[ParsedLine], results: list[dict[str, Any]]) -> set[int]:
        """Unless strict, postpone lines whose word the vocabulary lacks; returns their numbers."""
        unknown = [
            (line, result["error"])
            for line, result in zip(batch, results, strict=True)
            if isinstance(line.value, dict) and result.get("error") in importer.WAITING_CODES
        ]
        if self._strict or not unknown:
            return set()
        are_proposed = importer.propose(self._graph.database, [(line.value, code) for line, code in unknown])
        return {line.number for (line, _), is_proposed in zip(unknown, are_proposed, strict=True) if is_proposed}

    def _call_record_facts(self, batch: list[ParsedLine]) -> list[dict[str, Any]] | None:
        """The answer for each line; None if the batch was refused as a whole."""
        refusals = [line.error.answer() for line in batch if line.error]
        if self._strict and refusals:
            return refusals if len(batch) == 1 else None
        facts = [line.value for line in batch if line.error is None]
        results: list[dict[str, Any]] = []
        try:
            if facts:
                results = dispatch.call(
                    self._graph.database,
                    "record_facts",
                    {"facts": facts, "all_or_nothing": self._strict, "misfits": "warn"},
                    around=partial(importer.noting, file=self._file),
                    recorded_as=import_state.TOOL,
                )["results"]
        except (errors.InvalidRequest, errors.Conflict) as error:
            return [error.answer()] if len(batch) == 1 else None
        next_result, next_refusal = iter(results), iter(refusals)
        return [next(next_refusal if line.error else next_result) for line in batch]

    def _refuse(self, line: ParsedLine, error: errors.KeepgraphError, *, note: str = "") -> None:
        foreign_import.refuse(self._report, "line", line.number, error, note=note)


def _batches(lines: Iterable[ParsedLine]) -> Iterator[list[ParsedLine]]:
    """Lines of one form in batches, one for each call."""
    batch: list[ParsedLine] = []
    length = 0
    for line in lines:
        is_full = len(batch) == _MAX_LINES_PER_CALL or length > _MAX_CHARACTERS_PER_CALL
        if batch and (is_full or line.form != batch[-1].form):
            yield batch
            batch, length = [], 0
        batch.append(line)
        length += line.length
    if batch:
        yield batch


def _read_lines(lines: IO[str]) -> Iterator[ParsedLine]:
    """The non-blank lines of a file. At most `_MAX_LINE_CHARACTERS` of a line are held in memory."""
    number = 0
    form = _ARGUMENTS
    while text := lines.readline(_MAX_LINE_CHARACTERS + 1):
        number += 1
        if len(text) > _MAX_LINE_CHARACTERS and not text.endswith("\n"):
            rest = text
            while rest and not rest.endswith("\n"):
                rest = lines.readline(_MAX_LINE_CHARACTERS)
            error = errors.InvalidArguments(f"the line has more than {_MAX_LINE_CHARACTERS:,} characters")
            yield ParsedLine(number, _MAX_LINE_CHARACTERS, form, error=error)
        elif text.strip():
            line = _parse_line(number, text, form)
            form = line.form if line.form != _HEADER else _EXPORTED
            yield line


def _parse_line(number: int, text: str, previous_form: str) -> ParsedLine:
    """A line as JSON; if it is not JSON, it has the form of the line before, to stay in that batch."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return ParsedLine(number, len(text), previous_form, error=errors.InvalidArguments(f"not JSON: {error}"))
    if not isinstance(value, dict) or not {"kind", "keepgraph"} & value.keys():
        return ParsedLine(number, len(text), _ARGUMENTS, value)
    if "kind" not in value:
        return ParsedLine(number, len(text), _HEADER, value)
    form = _PROVENANCE if value["kind"] == "provenance" else _EXPORTED
    try:
        return ParsedLine(number, len(text), form, _validate(value, text))
    except errors.InvalidRequest as error:
        return ParsedLine(number, len(text), form, error=error)


def _validate(value: dict[str, Any], text: str) -> dict[str, Any]:
    """
    Raises:
        errors.InvalidRequest: the line does not fit the schema of its kind.
    """
    if value["kind"] not in importer.KINDS:
        raise errors.InvalidArguments(f"kind must be one of {', '.join(importer.KINDS)}")
    # Few opening brackets cannot nest deeply, and counting them is quicker than measuring the depth.
    is_flat = text.count("{") + text.count("[") <= validation.MAX_DEPTH
    return validation.check_input("transfer/lines", value["kind"], value, measured=is_flat)


def _show_report(report: dict[str, Any]) -> None:
    foreign_import.show_refusals(report, "line")
    foreign_import.show_warnings(report["warnings"], "line")
    click.echo(
        f"{count_noun(report['lines'], 'line')}: {report['added']:,} added, {report['merged']:,} known before, "
        f"{report['refused_total']:,} refused"
    )
    if report["waiting"]:
        click.echo(f"Proposed, in unknown wordings: {count_noun(report['waiting'], 'fact')} (kg vocabulary proposals)")
    if report["stopped"] and "error" not in report and not foreign_import.is_hopeless(report):
        click.echo("Stopped there (--strict); everything before is kept.", err=True)
