"""Orphans: entities about which nothing is known, proposed for deletion."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from keepgraph import store
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MIN_AGE = timedelta(days=1)
"""A younger entity may still be getting its facts."""

_SCORE = 0.5


def propose(tx: Tx, position: int) -> Outcome:
    before = timestamps.from_datetime(tx.now - MIN_AGE)
    empty = store.garden_candidates.without_anything(tx, after=position, before=before, limit=MAX_CANDIDATES)
    vocabulary = graph_vocabulary.read(tx)
    # The name of a decision is informative by itself.
    orphans = [entity for entity in empty if vocabulary.style(entity.type) != "statement"]
    return Outcome(tuple(_proposal(tx, entity) for entity in orphans), considered=len(empty), position=_next(empty))


def _next(empty: Sequence[Entity]) -> int:
    """Where the next run continues: after the last of these, if there may be more."""
    return empty[-1].row if len(empty) == MAX_CANDIDATES else 0


def _proposal(tx: Tx, entity: Entity) -> Proposal:
    created_on = timestamps.local_date(entity.created_at, tx.zone)
    return Proposal(
        kind="orphan",
        key=entity.id,
        statement=f"Nothing is known about {entity.name} ({entity.type}), added on {created_on}. Forget it?",
        score=_SCORE,
        rests_on=(entity.id,),
        tool="forget",
        arguments={"what": entity.id, "kind": "entity"},
    )
