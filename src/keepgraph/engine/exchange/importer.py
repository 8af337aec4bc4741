"""Import of an export: each line adds to the graph, is there already, or is refused with a reason (ADR 0019).

An import compares before it writes: a line whose id is in the graph must say the same as the graph. It never edits.
Lines of one kind are imported together: a few queries find what the graph has of all of them, then each line is
compared in memory, then all new rows are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby

from keepgraph import errors, store
from keepgraph.engine.exchange import (
    import_assertions,
    import_entities,
    import_episodes,
    import_facts,
    import_owners,
    import_proposed_facts,
    import_review_decisions,
    import_vocabulary,
)
from keepgraph.engine.exchange.import_state import ImportState, Line, LineResult
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

TOOL = "import"
"""What the journal calls an import."""


def import_batch(
    database: Database, lines: Sequence[Line], *, state: ImportState, file: str | None = None, strict: bool = False
) -> list[LineResult]:
    """Import lines that fit their schemas, in one call; returns their results in order.

    Args:
        file: the name of the file; None is standard input.
        strict: the first error ends it: nothing of that line is imported, and the result of that line is the last.
    """
    results: list[LineResult] = []
    with database.write(TOOL) as tx:
        tx = store.journal.begin_call(tx)
        for kind, of_kind in groupby(lines, key=lambda line: str(line["kind"])):
            results += _import_lines(tx, kind, list(of_kind), state, strict=strict)
            if strict and results[-1].error:
                break
        store.imported_rows.note(tx, file=file)
    return results


@contextmanager
def noting(tx: Tx, *, file: str | None) -> Iterator[Tx]:
    """Note what is recorded inside as imported from a file; None is standard input."""
    yield tx
    store.imported_rows.note(tx, file=file)


def _import_lines(tx: Tx, kind: str, lines: Sequence[Line], state: ImportState, *, strict: bool) -> list[LineResult]:
    """Import lines of one kind, without those that say that something was recorded in the future."""
    latest = timestamps.from_datetime(tx.now + _CLOCK_TOLERANCE)
    refused = {place: error for place, line in enumerate(lines) if (error := _find_future_instant(line, latest))}
    if strict and refused:
        lines = lines[: min(refused) + 1]
    accepted = [line for place, line in enumerate(lines) if place not in refused]
    results = iter(_IMPORT_BY_KIND[kind](tx, accepted, state, strict))
    merged: list[LineResult] = []
    for place in range(len(lines)):
        result = LineResult(error=refused[place]) if place in refused else next(results, None)
        if result is None:
            break  # with `strict`, an error before this line
        merged.append(result)
    return merged


def _find_future_instant(line: Line, latest: str) -> errors.InvalidArguments | None:
    """Why a line is refused whose history cannot have happened yet; what it says is valid may well be to come."""
    for name, value in line.items():
        if name in _RECORDING_INSTANTS and isinstance(value, str) and value > latest and value[:1].isdigit():
            return errors.InvalidArguments(
                f"{name} is {value[:40]!r}, which is in the future",
                hint="Set the clock of this machine right, if it is not; else correct the line.",
            )
        if isinstance(value, list):
            for part in value:
                if isinstance(part, dict) and (error := _find_future_instant(part, latest)):
                    return error
    return None


_CLOCK_TOLERANCE = timedelta(days=1)
"""Files are carried between machines whose clocks differ."""

_RECORDING_INSTANTS = frozenset(
    (
        *("created_at", "recorded_at", "retracted_at", "retired_at", "set_at", "decided_at", "dismissed_at"),
        *("known_from", "known_to"),
    )
)

_IMPORT_BY_KIND = {
    "set": import_vocabulary.import_sets,
    "word": import_vocabulary.import_words,
    "label": import_vocabulary.import_labels,
    "dismissed_wording": import_proposed_facts.import_dismissed_wordings,
    "entity": import_entities.import_entities,
    "owner": import_owners.import_owners,
    "episode": import_episodes.import_episodes,
    "chunk": import_episodes.import_chunks,
    "narrative": import_owners.import_narratives,
    "fact": import_facts.import_facts,
    "provenance": import_assertions.import_assertions,
    "proposed_fact": import_proposed_facts.import_proposed_facts,
    "review_decision": import_review_decisions.import_decisions,
}
KINDS = tuple(_IMPORT_BY_KIND)
