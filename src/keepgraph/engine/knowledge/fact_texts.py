"""The texts of facts, rewritten where a name in them or the sentence of their predicate has changed."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.knowledge import facts
from keepgraph.store.transactions import Tx

_BATCH = 5_000


def rewrite(tx: Tx, rows: Sequence[int]) -> int:
    """Rewrite the texts of facts that no longer match the facts; returns how many. A row may have no fact."""
    count = 0
    for first in range(0, len(rows), _BATCH):
        texts = store.fact_texts.read(tx, rows[first : first + _BATCH])
        sentences = {fact.row: facts.sentence(fact) for fact in store.facts.by_rows(tx, list(texts))}
        changed = {row: sentence for row, sentence in sentences.items() if sentence != texts[row]}
        store.fact_texts.update(tx, changed)
        count += len(changed)
    return count
