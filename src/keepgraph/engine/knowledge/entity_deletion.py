"""Deletion of an entity: its facts, names and former ids go with it; the entities at the other ends stay."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import store
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class DeletedEntity:
    """A deleted entity and what was deleted with it; `mentions` and `proposed_facts` are counts."""

    entity: Entity
    facts: tuple[Fact, ...]
    aliases: tuple[str, ...]
    mentions: int
    proposed_facts: int


def delete(tx: Tx, entity: Entity) -> DeletedEntity:
    """Delete an entity with all facts about it, retracted and ended ones too, and its aliases and former ids.

    Facts that wait as proposals under one of its names go as well. Texts that mention it stay, without their mentions.
    """
    facts = store.facts.all_about(tx, entity)
    aliases = store.entities.aliases(tx, entity)
    mentions = store.mentions.count_of_entity(tx, entity)
    proposed = _proposed_facts_about(tx, {normalisation.key(name) for name in (entity.name, *aliases)})
    store.proposed_facts.delete(tx, proposed)
    store.facts.delete(tx, facts)
    store.entities.delete_names(tx, entity)
    store.entities.delete(tx, entity)
    tx.memo.clear()
    return DeletedEntity(entity, tuple(facts), tuple(aliases), mentions, len(proposed))


def _proposed_facts_about(tx: Tx, keys: set[str]) -> list[int]:
    """The rows of the proposed facts of the group whose subject or object has one of these names."""
    return [
        proposed.row
        for proposed in store.proposed_facts.waiting(tx)
        if keys & {normalisation.key(proposed.subject), normalisation.key(proposed.object)}
    ]
