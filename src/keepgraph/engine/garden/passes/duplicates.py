"""Duplicates: pairs of entities that may be the same, judged by their names.

Names with the same letters are found in the whole group; the other comparisons are slow, so each run makes some of
them and the next run continues from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review import sources
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity
from keepgraph.store.transactions import Tx

COMPARED_IN_A_RUN = 1_000
_SAME_LETTERS_SCORE = 0.9


def propose(tx: Tx, position: int) -> Outcome:
    page = store.entities.page(tx, position, limit=COMPARED_IN_A_RUN)
    pairs = {(older.row, newer.row): (older, newer, score) for older, newer, score in _pairs(tx, page)}
    counts = store.garden_candidates.count_facts(tx, [row for pair in pairs for row in pair])
    proposals = [_proposal(older, newer, score, counts) for older, newer, score in pairs.values()]
    best = sorted(proposals, key=lambda each: (-each.score, each.key))[:MAX_CANDIDATES]
    is_last = len(page) < COMPARED_IN_A_RUN
    return Outcome(tuple(best), considered=len(page), position=0 if is_last else page[-1].row)


def _pairs(tx: Tx, page: Iterable[Entity]) -> Iterator[tuple[Entity, Entity, float]]:
    """Each pair once: the older entity, the newer one, and how alike their names are."""
    vocabulary = graph_vocabulary.read(tx)
    for pair in knowledge.merges.possible_duplicates(tx, page):
        yield pair.older, pair.newer, pair.score
    rows = store.garden_candidates.spelled_alike(tx, limit=MAX_CANDIDATES)
    by_row = store.entities.by_rows(tx, [row for pair in rows for row in pair])
    for older_row, newer_row in rows:
        older, newer = by_row[older_row], by_row[newer_row]
        if newer.type in vocabulary.related_types(older.type):
            yield older, newer, _SAME_LETTERS_SCORE


def _proposal(older: Entity, newer: Entity, score: float, counts: Mapping[int, int]) -> Proposal:
    """The question whether a pair is one entity; the one with more facts would stay, else the older one."""
    is_newer_larger = counts.get(newer.row, 0) > counts.get(older.row, 0)
    keep, absorb = (newer, older) if is_newer_larger else (older, newer)
    return sources.of_pair(keep, absorb, score=score)
