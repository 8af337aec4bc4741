"""The boost of chunks by names: what a named person says, and texts that mention a named entity, come before others."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Hit
from keepgraph.engine.retrieval.search_context import SearchContext

SOURCE = "names"
"""Its name in results."""


def apply(context: SearchContext, chunks: Sequence[Hit]) -> list[Hit]:
    """The chunks with the boost, which takes the place of the names that words and vectors leave out (ADR 0028)."""
    tx, question = context.tx, context.question
    rows = [chunk.key for chunk in chunks]
    entities, proposals = [key for key in question.nodes if key > 0], [-key for key in question.nodes if key < 0]
    known = context.spoken_by_named(rows)
    if entities:
        known |= store.retrieval.unspoken_mentioning(tx, rows, entities, [])
    proposed = store.retrieval.unspoken_mentioning(tx, rows, [], proposals) - known if proposals else set()
    boosted = fusion.boost(chunks, known, by=weights.NAMED_SPEAKER, source=SOURCE) if known else list(chunks)
    return fusion.boost(boosted, proposed, by=weights.PROPOSED_NAME_IN_TEXT, source=SOURCE) if proposed else boosted
