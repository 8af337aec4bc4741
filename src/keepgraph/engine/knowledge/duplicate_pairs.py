"""Duplicate pairs: entities that may be one, each pair once, whichever of the two was recorded first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from keepgraph.engine.knowledge import entities
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Candidate, Entity
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two entities that may be one.

    Attributes:
        score: how surely, 0 to 1: the rules of names give it.
        reason: why, where it is not the same letters.
    """

    older: Entity
    newer: Entity
    score: float
    reason: str | None


def among(tx: Tx, compared: Iterable[Entity]) -> list[DuplicatePair]:
    """The pairs of these entities with any other, the likeliest first.

    The names of two are compared from both ends. A pair belongs to the older one if that finds the newer one, and
    else to the newer one: so pages of entities, one after the other, have each pair once.
    """
    vocabulary = graph_vocabulary.read(tx)
    by_row: dict[int, list[Candidate]] = {}

    def candidates(entity: Entity) -> list[Candidate]:
        if entity.row not in by_row:
            raise_if_cancelled(tx.cancellation)
            by_row[entity.row] = [
                candidate
                for candidate in entities.possible_duplicates(tx, entity)
                if candidate.score >= entities.LIKELY_DUPLICATE
                or vocabulary.style(candidate.entity.type) == "reference"  # a title without its author, or the year
            ]
        return by_row[entity.row]

    pairs = []
    for entity in compared:
        for candidate in candidates(entity):
            older, newer = sorted((entity, candidate.entity), key=lambda one: one.row)
            if older is entity or all(other.entity.row != newer.row for other in candidates(older)):
                pairs.append(DuplicatePair(older, newer, candidate.score, candidate.reason))
    return sorted(pairs, key=lambda pair: (-pair.score, pair.older.row, pair.newer.row))
