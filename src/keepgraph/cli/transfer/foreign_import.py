"""`kg import` of files of other programs: survey, preview, import and report."""

from __future__ import annotations

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
from keepgraph.cli.transfer import reporting
from keepgraph.engine.exchange import conversion, export, rdf_individuals
from keepgraph.engine.exchange.conversion import RecordResult
from keepgraph.engine.exchange.export import Survey
from keepgraph.engine.exchange.rdf_individuals import VocabularyMapping
from keepgraph.engine.maintenance import backups
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
_NOUNS = {
    "entities": ("entity", "entities"),
    "facts": ("fact", "facts"),
    "episodes": ("text", "texts"),
    "observations": ("observation", "observations"),
    "turns": ("turn", "turns"),
    "words": ("word", "words"),
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
    with reporting.ReadProgress(file, stream, quiet=quiet, label="Reading") as advance:
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
        **_report_start(file, format, preview=True),
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
        reporting.refuse(refusals, _position_kind(format), unreadable.position, unreadable.error)
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
        **_report_start(file, format, preview=False),
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
        reporting.ReadProgress(file, stream, quiet=graph_options.wants_json(ctx)) as advance,
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
                if (strict and report["refused"]) or reporting.is_hopeless(report):
                    report["stopped"] = True
                    break
        except errors.GraphFileError as error:
            hint = error.hint or ""
            report.update(error=error.code, message=error.message, stopped=True)
            report["hint"] = f"{hint} Everything before is kept; import again to continue.".strip()
        report["new"] = {kind: count for kind, count in record_import.counts.items() if count}
        report["words"] = _mapping_report(record_import.mapping, survey)
    return report


def _report_start(file: str, format: str, *, preview: bool) -> dict[str, Any]:
    return {"file": file, "format": format, "preview": preview}


def _position_kind(format: str) -> str:
    return _POSITION_KINDS.get(format, "line")


def _add_results(report: dict[str, Any], results: list[RecordResult]) -> None:
    kind = _position_kind(report["format"])
    for result in results:
        if result.error:
            reporting.refuse(report, kind, result.position, result.error)
        elif result.outcome:
            report["merged" if result.outcome == "unchanged" else result.outcome] += 1
        if result.warning:
            report["warnings"].append(reporting.warning(kind, result.position, result.warning))
        if result.kept_as_text:
            report["kept_as_text"].append({kind: result.position, **result.kept_as_text})
        for error in result.partial_errors:
            reporting.refuse(report, kind, result.position, error, note="; the rest was accepted")


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
    reporting.show_refusals(report, _position_kind(report["format"]))
    reporting.show_warnings(report["warnings"], _position_kind(report["format"]))
    _show_mapping(report)
    _show_kept_texts(report["kept_as_text"])
    if report["left_out"]:
        click.echo(f"Left out: {_with_counts(report['left_out'])}.")
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
    elif report["stopped"] and not reporting.is_hopeless(report):
        click.echo("Stopped there (--strict); everything before is kept.", err=True)


def _show_mapping(report: Mapping[str, Any]) -> None:
    """Show the words that become another word."""
    for kind, label in (("entity_types", "type"), ("relation_types", "relation")):
        changed = {term: mapping for term, mapping in report["words"].get(kind, {}).items() if mapping["how"] != "same"}
        for term, mapping in list(changed.items())[:_MAX_SHOWN]:
            click.echo(
                f"{label} {terminal.printable(term[:100])!r} ({mapping['times']:,}): "
                f"{_describe_mapping(kind, mapping, report['format'])}"
            )
        if len(changed) > _MAX_SHOWN:
            click.echo(f"… and {len(changed) - _MAX_SHOWN} more words; --json lists them all")
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


def _show_kept_texts(kept: list[dict[str, Any]]) -> None:
    for line in kept[:_MAX_SHOWN]:
        summary = " – ".join(line[name] for name in ("name", "from", "relationType", "to") if name in line)
        because = f" ({line['because']})" if "because" in line else ""
        click.echo(f"line {line['line']}: kept as text: {terminal.printable(summary + because)}")
    if len(kept) > _MAX_SHOWN:
        click.echo(f"… and {len(kept) - _MAX_SHOWN:,} more; --json lists them all")


def _with_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{terminal.printable(kind)} ({count:,})" for kind, count in Counter(counts).most_common())


def _count_nouns(counts: Mapping[str, int]) -> str:
    """Counts with the noun in the singular or plural: "1 entity, 2 facts"."""
    phrases = [f"{count:,} {_NOUNS[kind][count != 1]}" for kind, count in counts.items() if count]
    return ", ".join(phrases) or "nothing"
