"""Import of an export: each line adds to the graph, is there already, or is refused with a reason (ADR 0019).

An import compares before it writes: a line whose id is in the graph must say the same as the graph. It never edits.
Lines of one kind are imported together: a few queries find what the graph has of all of them, then each line is
compared in memory, then all new rows are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from keepgraph import store
from keepgraph.engine.exchange import import_assertions, import_entities, import_episodes, import_facts
from keepgraph.engine.exchange.export_format import IMPORTED
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult, import_each
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

_TOOL = "import"


def import_batch(
    database: Database, lines: Sequence[Line], *, state: ImportState, strict: bool = False
) -> list[LineResult]:
    """Import lines that fit their schemas, in one call; returns their results in order.

    With `strict`, the first error ends it: nothing of that line is imported, and the result of that line is the last.
    """
    results: list[LineResult] = []
    with database.write(_TOOL) as tx:
        tx = store.journal.begin_call(tx)
        for kind, of_kind in groupby(lines, key=lambda line: str(line["kind"])):
            results += _IMPORT_BY_KIND[kind](tx, list(of_kind), state, strict)
            if strict and results[-1].error:
                break
    return results


def _import_words(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    """Entity types and predicates."""

    def import_word(line: Line) -> LineResult:
        if store.vocabulary.find(tx, line["word_kind"], line["name"]) is not None:
            return LineResult()
        store.imports.insert_term(
            tx, line["word_kind"], name=line["name"], description=line["description"], version=IMPORTED
        )
        return LineResult(created=True)

    return import_each(lines, import_word, strict=strict)


_IMPORT_BY_KIND = {
    "word": _import_words,
    "entity": import_entities.import_entities,
    "episode": import_episodes.import_episodes,
    "chunk": import_episodes.import_chunks,
    "fact": import_facts.import_facts,
    "provenance": import_assertions.import_assertions,
}
KINDS = tuple(_IMPORT_BY_KIND)
