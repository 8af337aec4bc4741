"""Facts that have ended and facts to come, in a few lines: what an answer about now would else pass over in silence.

Of each predicate one fact is told, that which ended last or begins next, of three predicates; the others are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_LINES = 3


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines such as `until 2026-03-31: works_at Acme`, and how many facts there are besides."""

    lines: tuple[str, ...] = ()
    more: int = 0


def of_entities(
    tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None = None, names_entities: bool = False
) -> tuple[Lines, Lines]:
    """What has ended and what is to come of some entities, in one look-up, and another one for each if there is any.

    Args:
        entities: their rows.
        predicates: those to tell of; None is all.
        names_entities: whether a line says of which entity it is; otherwise it begins with the predicate.
    """
    if not entities:
        return Lines(), Lines()
    found = store.facts.at_other_times(
        tx, entities, at=timestamps.from_datetime(tx.now), predicates=predicates, by_subject=names_entities
    )
    seen_from = () if names_entities else entities

    def tell(*, to_come: bool) -> Lines:
        of_kind = [(row, count) for row, is_to_come, count in found if is_to_come == to_come]
        if not of_kind:
            return Lines()
        facts = store.facts.by_rows(tx, [row for row, _ in of_kind[:MAX_LINES]])
        lines = tuple(f"{_when(tx, fact, to_come=to_come)}: {_words(tx, fact, seen_from)}" for fact in facts)
        return Lines(lines, sum(count for _, count in of_kind) - len(lines))

    return tell(to_come=False), tell(to_come=True)


def _when(tx: Tx, fact: Fact, *, to_come: bool) -> str:
    until = f"until {timestamps.format_end(fact.valid_to, tx.zone)}" if fact.valid_to else ""
    start = f"from {timestamps.local_date(fact.valid_from, tx.zone)}" if to_come and fact.valid_from else ""
    return " ".join(filter(None, (start, until)))


def _words(tx: Tx, fact: Fact, seen_from: Sequence[int]) -> str:
    """A fact from its predicate on, as it reads from one of these entities; of others, from its subject on."""
    target = fact.object.name if fact.object else f"“{fact.literal}”"
    if fact.subject.row in seen_from:
        return f"{fact.predicate} {target}"
    inverses = graph_vocabulary.read(tx).inverses(fact.predicate)
    if inverses and fact.object is not None and fact.object.row in seen_from:
        return f"{inverses[0]} {fact.subject.name}"
    return f"{fact.subject.name} {fact.predicate} {target}"


# Readings of facts: what a fact says when it is read from its object, by an inverse or a symmetric predicate.


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
