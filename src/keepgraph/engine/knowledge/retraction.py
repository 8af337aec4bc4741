"""Retraction and deletion of facts.

A retracted fact is no longer believed, but stays on record for readers who ask what was known earlier (`known_at`).
A deleted fact is as if it had never been recorded. A fact that was true and has ended is neither: end it (ending.py),
or record what holds now with `supersedes` (facts.py). A resolution that is not believed any more, or deleted, leaves
the blockers open that it closed; a name that is retracted or deleted is no alias any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.knowledge import blocker_resolutions, facts
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


@dataclass(frozen=True, slots=True)
class WithdrawnFact:
    """A fact that is not believed any more, as it was, and the blockers that are open again, as it had closed them.

    Attributes:
        is_changed: whether it was believed before.
    """

    fact: Fact
    reopened: tuple[Fact, ...] = ()
    is_changed: bool = True


def retract(tx: Tx, fact: Fact) -> WithdrawnFact:
    """Say that a fact is not true after all: it is not believed from now on. Nothing happens a second time."""
    if fact.retracted_at is not None:
        return WithdrawnFact(fact, is_changed=False)
    reopened = blocker_resolutions.reopen(tx, fact)
    _remove_alias(tx, fact)
    store.facts.retract(tx, fact, at=timestamps.from_datetime(tx.now))
    return WithdrawnFact(fact, reopened)


def delete(tx: Tx, fact_id: str) -> WithdrawnFact:
    """Delete a fact with every assertion of it.

    Raises:
        errors.FactNotFound: there is none with this id.
    """
    fact = facts.find(tx, fact_id)
    reopened = blocker_resolutions.reopen(tx, fact)
    _remove_alias(tx, fact)
    store.facts.delete(tx, [fact])
    return WithdrawnFact(fact, reopened)


def _remove_alias(tx: Tx, fact: Fact) -> None:
    if fact.literal is not None and graph_vocabulary.read(tx).predicate_by_name[fact.predicate].is_alias:
        store.entities.delete_alias(tx, fact.subject, normalisation.key(fact.literal))
