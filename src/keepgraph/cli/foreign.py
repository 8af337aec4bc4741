"""`kg import` of what other programs wrote: a preview, the taking in, and the report."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options, transfer
from keepgraph.cli.output import render
from keepgraph.engine.exchange import conversion
from keepgraph.engine.exchange.conversion import Meanings, Survey
from keepgraph.formats import detection
from keepgraph.formats.records import Record, Trouble
from keepgraph.graph import Graph
from keepgraph.graph import open as open_graph

_RECORDS_A_CALL = 500
_CHARACTERS_A_CALL = 1_000_000
_SHOWN = 20

_PLACES = {detection.CLAUDE: "conversation", detection.CHATGPT: "conversation"}
_CALLED = {
    detection.MEMORY_SERVER: "The memory of an MCP server",
    detection.CSV: "A table",
    detection.CLAUDE: "Conversations with Claude",
    detection.CHATGPT: "Conversations with ChatGPT",
}
_COUNTED = {
    "entities": ("entity", "entities"),
    "facts": ("fact", "facts"),
    "episodes": ("text", "texts"),
    "observations": ("observation", "observations"),
    "turns": ("turn", "turns"),
    "words": ("word", "words"),
}


def take_in(ctx: click.Context, file: str, format: str, *, preview: bool, add_words: bool, strict: bool) -> int:
    """Take in a file of another program, or tell what would be; returns the code to exit with."""
    quiet = graph_options.answers_in_json(ctx)
    with open(file, "rb") as opened:
        found = _survey(file, opened, format, quiet=quiet)
        if preview:
            report = _preview(ctx, file, format, found, add_words=add_words)
        else:
            report = _take(ctx, file, opened, format, found, add_words=add_words, strict=strict)
    if quiet:
        render.in_json(report)
    else:
        _show(report, place=_PLACES.get(format, "line"))
    return 1 if report["refused"] or "error" in report else 0


def _survey(file: str, opened: IO[bytes], format: str, *, quiet: bool) -> Survey:
    with transfer.progress(file, opened, quiet=quiet, label="Reading") as advance:
        return conversion.survey(_told(detection.read(opened, format), advance))


def _told(records: Iterator[Record], advance: Any) -> Iterator[Record]:
    for number, record in enumerate(records):
        yield record
        if number % _RECORDS_A_CALL == 0:
            advance()


def _preview(ctx: click.Context, file: str, format: str, found: Survey, *, add_words: bool) -> dict[str, Any]:
    with _graph_or_an_empty_one(ctx) as graph, graph.database.read("import") as tx:
        words = conversion.meanings(found, conversion.words_of(tx), add_words=add_words)
    return {
        **_what(file, format, preview=True),
        "found": dict(found.counts),
        "words": _words(words, found),
        "kept_as_text": [],
        "left_out": dict(found.left_out),
        "undeclared": found.undeclared if format == detection.MEMORY_SERVER else 0,
        "refused": [_refusal(each, each.error, format) for each in found.troubles],
    }


@contextmanager
def _graph_or_an_empty_one(ctx: click.Context) -> Iterator[Graph]:
    """The graph that is meant, or one with nothing but its vocabulary; a preview makes none."""
    if graph_options.path(ctx).resolve().exists():
        with graph_options.opened(ctx, read_only=True) as graph:
            yield graph
        return
    with tempfile.TemporaryDirectory() as folder, open_graph(Path(folder) / "graph.db") as graph:
        yield graph


def _take(
    ctx: click.Context, file: str, opened: IO[bytes], format: str, found: Survey, *, add_words: bool, strict: bool
) -> dict[str, Any]:
    from keepgraph.engine.upkeep import backups
    from keepgraph.tools import views

    report: dict[str, Any] = {
        **_what(file, format, preview=False),
        "added": 0,
        "merged": 0,
        "updated": 0,
        "kept_as_text": [],
        "left_out": dict(found.left_out),
        "undeclared": found.undeclared if format == detection.MEMORY_SERVER else 0,
        "refused": [],
        "stopped": False,
    }
    source = str(Path(file).resolve())
    with (
        graph_options.opened(ctx, create=True) as graph,
        transfer.progress(file, opened, quiet=graph_options.answers_in_json(ctx)) as advance,
    ):
        if views.count_entities(graph.database):
            backups.make(graph.database, "before-import")
        taking = conversion.Import(
            graph.database, format=format, source=source, found=found, add_words=add_words, strict=strict
        )
        records = detection.read(opened, format)
        try:
            for batch in conversion.batches(records, most=_RECORDS_A_CALL, characters=_CHARACTERS_A_CALL):
                _note(report, taking.take(batch), format)
                advance()
                if strict and report["refused"]:
                    report["stopped"] = True
                    break
        except errors.GraphTrouble as error:
            hint = error.hint or ""
            report.update(error=error.code, message=error.message, stopped=True)
            report["hint"] = f"{hint} What was taken in before is kept; import again to go on.".strip()
        report["new"] = {name: number for name, number in taking.counts.items() if number}
        report["words"] = _words(taking.words, found)
    return report


def _what(file: str, format: str, *, preview: bool) -> dict[str, Any]:
    return {"file": file, "format": format, "preview": preview}


def _note(report: dict[str, Any], taken: list[conversion.Taken], format: str) -> None:
    for each in taken:
        if each.error:
            report["refused"].append(_refusal(each, each.error, format))
        elif each.effect:
            report[each.effect.value] += 1
        if each.as_text:
            report["kept_as_text"].append({_PLACES.get(format, "line"): each.place, **each.as_text})
        for error in each.left_out:
            report["refused"].append(_refusal(each, error, format, only_part=True))


def _refusal(
    each: Trouble | conversion.Taken, error: errors.KeepgraphError, format: str, *, only_part: bool = False
) -> dict[str, Any]:
    message = error.message.rstrip(".") + ("; the rest was taken" if only_part else "")
    refusal = {_PLACES.get(format, "line"): each.place, "error": error.code, "message": message}
    if error.hint and error.hint != error.default_hint:
        refusal["hint"] = error.hint
    return refusal


def _words(words: Meanings, found: Survey) -> dict[str, dict[str, Any]]:
    """What the words of the file become, and how often they are there, the most frequent first."""
    return {
        kind: {
            said: {"becomes": meant[said].word, "how": meant[said].how, "times": times}
            for said, times in often.most_common()
            if said
        }
        for kind, meant, often in (
            ("entity_types", words.types, found.types),
            ("relation_types", words.predicates, found.predicates),
        )
    }


# For people


def _show(report: Mapping[str, Any], *, place: str) -> None:
    transfer.show_refusals(report["refused"], place)
    _show_words(report)
    _show_texts(report["kept_as_text"])
    if report["left_out"]:
        click.echo(f"Left out: {_counted(report['left_out'])}.")
    if report["undeclared"]:
        one = report["undeclared"] == 1
        told = "1 name stands" if one else f"{report['undeclared']:,} names stand"
        becomes = "it is a concept" if one else "they are concepts"
        click.echo(f"{told} in relations alone: {becomes}.")
    if report["preview"]:
        click.echo(f"{_CALLED[report['format']]}: {_numbers(report['found'])}. Nothing was changed.")
        return
    updated = f"{report['updated']:,} brought up to date, " if report["updated"] else ""
    click.echo(
        f"{report['added']:,} added, {updated}{report['merged']:,} known before, {len(report['refused']):,} refused"
        f"{' (' + _numbers(report['new']) + ' new)' if report['new'] else ''}"
    )
    if "error" in report:
        render.error({name: report[name] for name in ("error", "message", "hint")}, as_json=False)
    elif report["stopped"]:
        click.echo("Stopped there (--strict); what was taken in before is kept.", err=True)


def _show_words(report: Mapping[str, Any]) -> None:
    """Words that are not what they were, each with what it becomes."""
    for kind, called in (("entity_types", "type"), ("relation_types", "relation")):
        others = {said: each for said, each in report["words"].get(kind, {}).items() if each["how"] != "same"}
        for said, each in list(others.items())[:_SHOWN]:
            click.echo(
                f"{called} {render.printable(said[:100])!r} ({each['times']:,}): "
                f"{_becomes(kind, each, report['format'])}"
            )
        if len(others) > _SHOWN:
            click.echo(f"… and {len(others) - _SHOWN} more words; --json lists them all")
    if any(each["how"] == "other" for kind in report["words"].values() for each in kind.values()):
        click.echo("(--add-words adds such words to the vocabulary of this graph, and all of them become facts.)")


def _becomes(kind: str, meant: Mapping[str, Any], format: str) -> str:
    if meant["how"] == "synonym":
        return f"{meant['becomes']}, which means the same"
    if meant["how"] == "added":
        return f"{meant['becomes']}, a new word of the vocabulary"
    if kind == "entity_types":
        return "concept; the type is kept as the property entityType"
    kept = "kept as text that names both ends" if format == detection.MEMORY_SERVER else "refused"
    return f"none of the vocabulary; {kept}"


def _show_texts(kept: list[dict[str, Any]]) -> None:
    for each in kept[:_SHOWN]:
        told = " – ".join(each[name] for name in ("name", "from", "relationType", "to") if name in each)
        because = f" ({each['because']})" if "because" in each else ""
        click.echo(f"line {each['line']}: kept as text: {render.printable(told + because)}")
    if len(kept) > _SHOWN:
        click.echo(f"… and {len(kept) - _SHOWN:,} more; --json lists them all")


def _counted(often: Mapping[str, int]) -> str:
    return ", ".join(f"{render.printable(what)} ({times:,})" for what, times in Counter(often).most_common())


def _numbers(counts: Mapping[str, int]) -> str:
    told = [f"{number:,} {_COUNTED[what][number != 1]}" for what, number in counts.items() if number]
    return ", ".join(told) or "nothing"
