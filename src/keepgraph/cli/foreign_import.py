"""`kg import` of files of other programs: survey, preview, import and report."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange import conversion, export, import_state, rdf_individuals
from keepgraph.engine.exchange.conversion import RecordResult
from keepgraph.engine.exchange.export import Survey
from keepgraph.engine.exchange.import_state import EndsWarning
from keepgraph.engine.exchange.rdf_individuals import VocabularyMapping
from keepgraph.engine.maintenance import backups
from keepgraph.english import count_nouns
from keepgraph.formats import detection
from keepgraph.formats.records import Record
from keepgraph.graph import Graph
from keepgraph.graph import open as open_graph

# The most records of a call. A call holds the write lock; others write between calls.
_MAX_RECORDS_PER_CALL = 500
_MAX_CHARACTERS_PER_CALL = 1_000_000

_MAX_SHOWN = 20

# What the positions of records count, by format; by default lines.
_POSITION_KINDS = {detection.CLAUDE: "conversation", detection.CHATGPT: "conversation", detection.CSL: "entry"}
_TITLES = {
    detection.MEMORY_SERVER: "The memory of an MCP server",
    detection.CSV: "A table",
    detection.CLAUDE: "Conversations with Claude",
    detection.CHATGPT: "Conversations with ChatGPT",
    detection.BIBTEX: "A bibliography",
    detection.RIS: "A bibliography",
    detection.CSL: "A bibliography",
    detection.VCARD: "Contacts",
    detection.CALENDAR: "A calendar",
}


def import_file(ctx: click.Context, file: str, format: str, *, preview: bool, add_terms: bool, strict: bool) -> int:
    """Import a file, or with `preview` only show what would be imported; returns the exit code."""
    quiet = graph_options.wants_json(ctx)
    with open(file, "rb") as stream:
        survey = _survey(file, stream, format, quiet=quiet)
        if preview:
            report = _preview(ctx, file, format, survey, add_terms=add_terms)
        else:
            report = _import_records(ctx, file, stream, format, survey, add_terms=add_terms, strict=strict)
    if quiet:
        terminal.show_json(report)
    else:
        _show_report(report)
    return 1 if report["refused"] or "error" in report else 0


def _survey(file: str, stream: IO[bytes], format: str, *, quiet: bool) -> Survey:
    with ReadProgress(file, stream, quiet=quiet, label="Reading") as advance:
        return export.survey_records(_with_progress(detection.read(stream, format), advance))


def _with_progress(records: Iterator[Record], advance: Callable[[], None]) -> Iterator[Record]:
    for number, record in enumerate(records):
        yield record
        if number % _MAX_RECORDS_PER_CALL == 0:
            advance()


def _preview(ctx: click.Context, file: str, format: str, survey: Survey, *, add_terms: bool) -> dict[str, Any]:
    with existing_or_empty_graph(ctx) as graph, graph.database.read("import") as tx:
        mapping = rdf_individuals.map_vocabulary(tx, survey, add_terms=add_terms)
    return {
        "file": file,
        "format": format,
        "preview": True,
        "found": dict(survey.counts),
        "words": _mapping_report(mapping, survey),
        "kept_as_text": [],
        "left_out": dict(survey.skipped),
        "undeclared": survey.undeclared_count if format == detection.MEMORY_SERVER else 0,
        "warnings": [],
        **_refusals(format, survey),
    }


def _refusals(format: str, survey: Survey) -> dict[str, Any]:
    refusals: dict[str, Any] = {"refused": [], "refused_total": 0}
    for unreadable in survey.errors:
        refuse(refusals, _position_kind(format), unreadable.position, unreadable.error)
    return {**refusals, "refused_total": survey.error_count}


@contextmanager
def existing_or_empty_graph(ctx: click.Context) -> Iterator[Graph]:
    """The graph of the command line, or a temporary one if it does not exist: a preview creates no file."""
    if graph_options.graph_path(ctx).resolve().exists():
        with graph_options.open_graph(ctx, read_only=True) as graph:
            yield graph
        return
    with tempfile.TemporaryDirectory() as folder, open_graph(Path(folder) / "graph.db") as graph:
        yield graph


def _import_records(
    ctx: click.Context, file: str, stream: IO[bytes], format: str, survey: Survey, *, add_terms: bool, strict: bool
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "file": file,
        "format": format,
        "preview": False,
        "added": 0,
        "merged": 0,
        "updated": 0,
        "kept_as_text": [],
        "left_out": dict(survey.skipped),
        "undeclared": survey.undeclared_count if format == detection.MEMORY_SERVER else 0,
        "warnings": [],
        "refused": [],
        "refused_total": 0,
        "stopped": False,
    }
    source = str(Path(file).resolve())
    with (
        graph_options.open_graph(ctx, create=True) as graph,
        ReadProgress(file, stream, quiet=graph_options.wants_json(ctx)) as advance,
    ):
        if graph.call("count_entities")["count"]:
            backups.make(graph.database, "before-import")
        record_import = conversion.RecordImport(
            graph.database, format=format, source=source, survey=survey, add_terms=add_terms, strict=strict
        )
        records = detection.read(stream, format)
        try:
            for batch in conversion.batches(
                records, max_records=_MAX_RECORDS_PER_CALL, max_characters=_MAX_CHARACTERS_PER_CALL
            ):
                _add_results(report, record_import.import_batch(batch))
                advance()
                if (strict and report["refused"]) or is_hopeless(report):
                    report["stopped"] = True
                    break
        except errors.GraphFileError as error:
            hint = error.hint or ""
            report.update(error=error.code, message=error.message, stopped=True)
            report["hint"] = f"{hint} Everything before is kept; import again to continue.".strip()
        report["new"] = {kind: count for kind, count in record_import.counts.items() if count}
        report["words"] = _mapping_report(record_import.mapping, survey)
    return report


def _position_kind(format: str) -> str:
    return _POSITION_KINDS.get(format, "line")


def _add_results(report: dict[str, Any], results: list[RecordResult]) -> None:
    kind = _position_kind(report["format"])
    for result in results:
        if result.error:
            refuse(report, kind, result.position, result.error)
        elif result.outcome:
            report["merged" if result.outcome == "unchanged" else result.outcome] += 1
        if result.warning:
            report["warnings"].append(warning(kind, result.position, result.warning))
        if result.kept_as_text:
            report["kept_as_text"].append({kind: result.position, **result.kept_as_text})
        for error in result.partial_errors:
            refuse(report, kind, result.position, error, note="; the rest was accepted")


def _mapping_report(mapping: VocabularyMapping, survey: Survey) -> dict[str, dict[str, Any]]:
    """What the words of the file become, the most frequent first."""
    return {
        kind: {
            term: {"becomes": mappings[term].term, "how": mappings[term].how, "times": count}
            for term, count in counts.most_common()
            if term
        }
        for kind, mappings, counts in (
            ("entity_types", mapping.entity_types, survey.entity_types),
            ("relation_types", mapping.predicates, survey.predicates),
        )
    }


# The report on the terminal


def _show_report(report: Mapping[str, Any]) -> None:
    show_refusals(report, _position_kind(report["format"]))
    show_warnings(report["warnings"], _position_kind(report["format"]))
    _show_mapping(report)
    terminal.show_first(list(map(_kept_line, report["kept_as_text"])), _MAX_SHOWN)
    if report["left_out"]:
        counts = [f"{kind} ({count:,})" for kind, count in Counter(report["left_out"]).most_common()]
        click.echo(f"Left out: {terminal.printable(', '.join(counts))}.")
    if report["undeclared"]:
        is_one = report["undeclared"] == 1
        names = "1 name occurs" if is_one else f"{report['undeclared']:,} names occur"
        becomes = "it is" if is_one else "they are"
        click.echo(f"{names} only in relations: {becomes} what the relation connects, or a concept.")
    if report["preview"]:
        click.echo(f"{_TITLES[report['format']]}: {_count_nouns(report['found'])}. Nothing was changed.")
        return
    updated = f"{report['updated']:,} brought up to date, " if report["updated"] else ""
    click.echo(
        f"{report['added']:,} added, {updated}{report['merged']:,} known before, {report['refused_total']:,} refused"
        f"{' (' + _count_nouns(report['new']) + ' new)' if report['new'] else ''}"
    )
    if "error" in report:
        terminal.show_error({name: report[name] for name in ("error", "message", "hint")}, as_json=False)
    elif report["stopped"] and not is_hopeless(report):
        click.echo("Stopped there (--strict); everything before is kept.", err=True)


def _show_mapping(report: Mapping[str, Any]) -> None:
    """Show the words that become another word."""
    for kind, label in (("entity_types", "type"), ("relation_types", "relation")):
        changed = {term: mapping for term, mapping in report["words"].get(kind, {}).items() if mapping["how"] != "same"}
        lines = [
            f"{label} {term[:100]!r} ({mapping['times']:,}): {_describe_mapping(kind, mapping, report['format'])}"
            for term, mapping in changed.items()
        ]
        terminal.show_first(lines, _MAX_SHOWN)
    if any(mapping["how"] == "other" for mappings in report["words"].values() for mapping in mappings.values()):
        click.echo("(--add-words adds these words to the vocabulary of this graph, so that all become facts.)")


def _describe_mapping(kind: str, mapping: Mapping[str, Any], format: str) -> str:
    if mapping["how"] == "synonym":
        return f"{mapping['becomes']}, which means the same"
    if mapping["how"] == "added":
        return f"{mapping['becomes']}, a new word of the vocabulary"
    if kind == "entity_types":
        return "concept; the type is kept as the property entityType"
    outcome = "kept as text that names both ends" if format == detection.MEMORY_SERVER else "refused"
    return f"nothing in the vocabulary; {outcome}"


def _kept_line(line: dict[str, Any]) -> str:
    summary = " – ".join(line[name] for name in ("name", "from", "relationType", "to") if name in line)
    because = f" ({line['because']})" if "because" in line else ""
    return f"line {line['line']}: kept as text: {summary}{because}"


def _count_nouns(counts: Mapping[str, int]) -> str:
    """Counts with the noun in the singular or plural: "1 entity, 2 facts"."""
    return count_nouns({"texts" if kind == "episodes" else kind: count for kind, count in counts.items()}) or "nothing"


# Progress and refusals of an import, for lines of Keepgraph and for files of other programs.


def refuse(report: dict[str, Any], kind: str, position: int, error: errors.KeepgraphError, *, note: str = "") -> None:
    """Add a refusal to the report; `kind` is the unit of the position: "line" or "conversation"."""
    report["refused_total"] += 1
    if len(report["refused"]) < import_state.MAX_REFUSALS:
        answer = {kind: position, "error": error.code, "message": error.message.rstrip(".") + note}
        if error.hint and error.hint != error.default_hint:
            answer["hint"] = error.hint
        report["refused"].append(answer)


def is_hopeless(report: Mapping[str, Any]) -> bool:
    """Whether a thousand were refused and nothing was accepted: the format is wrong."""
    accepted = ("added", "merged", "updated", "waiting", "kept_as_text")
    return report["refused_total"] >= import_state.HOPELESS_AFTER and not any(report.get(name) for name in accepted)


def show_refusals(report: Mapping[str, Any], kind: str) -> None:
    """Show what was refused, with its position in the file and the reason."""
    for refused in report["refused"]:
        reason = f"{kind} {refused[kind]}: {terminal.printable(refused['message'])} ({refused['error']})"
        click.secho(reason, fg="red", err=True)
        if hint := refused.get("hint"):
            click.echo(f"        {terminal.printable(terminal.with_commands(hint))}", err=True)
    if hidden := terminal.more(report["refused_total"] - len(report["refused"])):
        click.echo(hidden, err=True)
    if is_hopeless(report):
        click.echo(
            "Stopped there: nothing was accepted. Check the format of the file, or set it with --format.", err=True
        )


def warning(kind: str, position: int, warning: EndsWarning) -> dict[str, Any]:
    """A warning for the report; `kind` as for a refusal."""
    return {kind: position, "predicate": warning.predicate, "message": warning.message}


def show_warnings(warnings: list[dict[str, Any]], kind: str) -> None:
    """Show how many facts do not fit their predicates, with the first for each predicate."""
    by_predicate: dict[str, list[dict[str, Any]]] = {}
    for given in warnings:
        by_predicate.setdefault(given["predicate"], []).append(given)
    for alike in list(by_predicate.values())[: import_state.MAX_REFUSALS]:
        first = alike[0]
        more = f", and {len(alike) - 1:,} more like it" if len(alike) > 1 else ""
        click.secho(f"{kind} {first[kind]}: {terminal.printable(first['message'])}{more}", fg="yellow", err=True)
    if warnings:
        count = "1 fact does" if len(warnings) == 1 else f"{len(warnings):,} facts do"
        click.echo(f"{count} not fit the predicate, and were imported anyway.", err=True)


class ReadProgress:
    """A progress bar that follows the position in a file; silent without a terminal."""

    def __init__(self, file: str, stream: IO[bytes], *, quiet: bool, label: str = "Recording") -> None:
        self._stream = stream
        is_shown = not quiet and file != "-" and sys.stderr.isatty()
        size = Path(file).stat().st_size if is_shown else 0
        self._bar = click.progressbar(length=size, label=label, file=sys.stderr) if is_shown and size else None

    def __enter__(self) -> Callable[[], None]:
        if self._bar:
            self._bar.__enter__()
        return self._advance

    def __exit__(self, *exception: Any) -> None:
        if self._bar:
            self._bar.__exit__(*exception)

    def _advance(self) -> None:
        if self._bar:
            self._bar.update(max(0, self._stream.tell() - self._bar.pos))
