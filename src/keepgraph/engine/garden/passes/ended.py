"""Facts that have probably ended: a newer one exists, and a subject usually has one object at a time.

The graph's own counts say what is usual. Functional predicates belong to the conflicts pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import groupby, pairwise

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.garden.passes.outcome import MAX_CANDIDATES, Outcome
from keepgraph.engine.review.proposals import Proposal
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Fact, Predicate
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MIN_SUBJECTS = 10
MIN_SHARE_OF_ONE = 0.85
"""The share of a predicate's subjects that must have exactly one object for one to be usual."""

MIN_DISTANCE = timedelta(days=14)
"""Facts that began closer together were probably meant to hold side by side."""

_MAX_SUBJECTS = 200
_FLAGS = frozenset({"functional", "symmetric"})
_ROLES = ("blocks", "resolves", "tags", "mentions", "depends")
"""Roles in which several objects at a time are normal, whatever is usual in a graph."""


def propose(tx: Tx, position: int) -> Outcome:
    at = timestamps.from_datetime(tx.now)
    vocabulary = graph_vocabulary.read(tx)
    proposals: list[Proposal] = []
    considered = 0
    for name, subjects, with_one in store.garden_candidates.subjects_by_objects(tx, at=at):
        raise_if_cancelled(tx.cancellation)
        predicate = vocabulary.predicate_by_name[name]
        considered += subjects
        share = with_one / subjects
        if subjects < MIN_SUBJECTS or with_one == subjects or share < MIN_SHARE_OF_ONE or _is_free(predicate):
            continue
        rows = store.garden_candidates.facts_beside_each_other(tx, name, at=at, limit=_MAX_SUBJECTS)
        proposals += _of_predicate(tx, store.facts.by_rows(tx, rows), share=share)
    return Outcome(tuple(proposals[:MAX_CANDIDATES]), considered=considered)


def _is_free(predicate: Predicate) -> bool:
    """Whether several objects at a time are normal, or already a conflict."""
    return bool(predicate.flags & _FLAGS) or predicate.role in _ROLES


def _of_predicate(tx: Tx, facts: Sequence[Fact], *, share: float) -> Iterator[Proposal]:
    by_subject = sorted(facts, key=lambda fact: (fact.subject.row, _began(fact), fact.row))
    for _, group in groupby(by_subject, key=lambda fact: fact.subject.row):
        for older, newer in pairwise(group):
            distance = timestamps.to_datetime(_began(newer)) - timestamps.to_datetime(_began(older))
            if distance >= MIN_DISTANCE and older.recorded_at < newer.recorded_at:
                yield _proposal(tx, older, newer, share=share)


def _proposal(tx: Tx, older: Fact, newer: Fact, *, share: float) -> Proposal:
    began_on = timestamps.local_date(_began(newer), tx.zone)
    return Proposal(
        kind="probably_ended",
        key=older.id,
        statement=(
            f"“{knowledge.facts.sentence(older)}” has probably ended: since {began_on}, "
            f"“{knowledge.facts.sentence(newer)}”, and {share:.0%} of such subjects have one at a time."
        ),
        score=round(share * 0.8, 3),
        rests_on=(older.id, newer.id),
        tool="end_fact",
        arguments={"fact_id": older.id, "valid_to": _began(newer)},
    )


def _began(fact: Fact) -> str:
    return fact.valid_from or fact.recorded_at
