"""Likely facts that can be suggested: those that the vocabulary allows and no flag of a predicate speaks against."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import store
from keepgraph.arrays.horn_rules import HornRule
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Fact, Predicate, Role
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_ROLES_NOT_SUGGESTED: tuple[Role, ...] = ("mentions", "tags")
_FLAGS = frozenset({"functional", "inverse_functional", "asymmetric", "acyclic"})


@dataclass(frozen=True, slots=True)
class LikelyFact:
    """A fact that nobody recorded and that is likely.

    Attributes:
        subject, object: rows of entities.
        score: the confidence of the best rule, from 0 to 1.
        rules: those that speak for it, the most confident first, at most five.
        body: the rows of the facts from which the first of these concludes it.
    """

    subject: int
    predicate: Predicate
    object: int
    score: float
    rules: tuple[HornRule, ...]
    body: tuple[int, ...]


def fitting(tx: Tx, likely: tuple[LikelyFact, ...], *, limit: int) -> list[LikelyFact]:
    """Those that the vocabulary allows and that contradict no flag of their predicate, in the same order."""
    vocabulary = graph_vocabulary.read(tx)
    at = timestamps.from_datetime(tx.now)
    entities = store.entities.by_rows(tx, sorted({row for each in likely for row in (each.subject, each.object)}))
    allowed: list[LikelyFact] = []
    for each in likely:
        if len(allowed) == limit:
            break
        subject, target, predicate = entities.get(each.subject), entities.get(each.object), each.predicate
        if subject is None or target is None or predicate.retired_at or predicate.role in _ROLES_NOT_SUGGESTED:
            continue
        if not vocabulary.fits(predicate, subject.type, target.type):
            continue
        if _contradicts_flag(tx, each, at=at):
            continue
        allowed.append(each)
    return allowed


def _contradicts_flag(tx: Tx, likely: LikelyFact, *, at: str) -> bool:
    """Whether the predicate allows one object or one subject that is there already, or no way back that is there."""
    flags = likely.predicate.flags
    if not flags & _FLAGS:
        return False
    [subject, target] = (store.entities.by_rows(tx, [row])[row] for row in (likely.subject, likely.object))
    of_subject = store.facts.touching(tx, subject, [likely.predicate.name], at=at)
    of_target = store.facts.touching(tx, target, [likely.predicate.name], at=at)
    return (
        ("functional" in flags and any(fact.subject.row == subject.row for fact in of_subject))
        or ("inverse_functional" in flags and any(fact.object == target for fact in of_target))
        or (
            bool(flags & {"asymmetric", "acyclic"})
            and any(_leads(fact, target.row, subject.row) for fact in of_subject)
        )
    )


def _leads(fact: Fact, subject: int, object: int) -> bool:
    return fact.subject.row == subject and fact.object is not None and fact.object.row == object
