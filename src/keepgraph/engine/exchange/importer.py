"""Import of an export: each line adds to the graph, is there already, or is refused with a reason (ADR 0019).

An import compares before it writes: a line whose id is in the graph must say the same as the graph. It never edits.
Lines of one kind are imported together: a few queries find what the graph has of all of them, then each line is
compared in memory, then all new rows are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from keepgraph import store
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
