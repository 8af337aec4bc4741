"""Readings of facts: what a fact says when it is read from its object, by an inverse or a symmetric predicate."""

from __future__ import annotations

from dataclasses import replace

from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx


def read_from(tx: Tx, fact: Fact, entity: Entity) -> Fact | None:
    """A fact with its ends exchanged, as it reads from an entity that is its object: `Acme employs Ana`.

    None where the entity is its subject, or the vocabulary has no word for that.
    """
    if fact.object is None or fact.object.row != entity.row or fact.subject.row == entity.row:
        return None
    vocabulary = graph_vocabulary.read(tx)
    term = vocabulary.predicate_by_name[fact.predicate]
    if "symmetric" not in term.flags:
        inverses = [vocabulary.predicate_by_name[name] for name in vocabulary.inverses(fact.predicate)]
        usable = [inverse for inverse in inverses if inverse.retired_at is None]
        if not usable:
            return None
        term = usable[0]
    return replace(
        fact, subject=fact.object, object=fact.subject, predicate=term.name, predicate_sentence=term.sentence
    )
