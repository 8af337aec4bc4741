"""Forgetting an entity, a fact, a text or a call, with what falls with it. Undo brings it back until it is purged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entity_changes
from keepgraph.engine.knowledge import facts as knowledge_facts
from keepgraph.engine.texts import episode_deletion, forget_targets, mention_index
from keepgraph.engine.texts.episode_deletion import KeptObject
from keepgraph.engine.upkeep import undo
from keepgraph.model import Change, Entity, Episode, Fact
from keepgraph.store.transactions import Tx

MAX_LISTED = 1000

# Texts that mention an entity are listed: so long unread texts are read before.
_CATCH_UP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, and what was deleted with it.

    Attributes:
        kind, id, name: of the thing itself; the id of a call is "call" with its number, its name that of its tool.
        type: of an entity.
        facts, entities, texts, aliases: what was deleted.
        counts: what else was deleted, by its name: mentions, chunks, assertions, proposed facts.
        kept_texts: texts that stay and still have its name, or out of which a fact was recorded; newest first.
        kept: what stays although a text is deleted, each with the reason.
        reopened: the blockers that are open again, because nothing says any more that they were resolved.
    """

    kind: str
    id: str
    name: str
    type: str | None = None
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    texts: tuple[Episode, ...] = ()
    aliases: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    kept_texts: tuple[Episode, ...] = ()
    kept: tuple[KeptObject, ...] = ()
    reopened: tuple[Fact, ...] = ()


def forget(tx: Tx, what: str, *, kind: str | None = None) -> Forgotten:
    """Find what is meant, and delete it with what falls with it; of a call, undo it.

    Raises:
        errors.KeepgraphError: see forget_targets.find; of a call, see upkeep.undo.
    """
    target = forget_targets.find(tx, what, kind=kind)
    if isinstance(target, Entity):
        return _forget_entity(tx, target)
    if isinstance(target, Fact):
        return _forget_fact(tx, target)
    if isinstance(target, Episode):
        return _forget_text(tx, target)
    return _forget_call(tx, target)


def _forget_entity(tx: Tx, entity: Entity) -> Forgotten:
    mention_index.catch_up(tx, seconds=_CATCH_UP_SECONDS)
    kept_texts = _episodes(tx, store.mentions.episodes_of_entity(tx, entity, limit=MAX_LISTED))
    deleted = entity_changes.delete(tx, entity)
    return Forgotten(
        forget_targets.ENTITY,
        entity.id,
        entity.name,
        type=entity.type,
        facts=deleted.facts,
        aliases=deleted.aliases,
        counts={"mentions": deleted.mentions, "proposed_facts": deleted.proposed_facts},
        kept_texts=kept_texts,
    )


def _forget_fact(tx: Tx, fact: Fact) -> Forgotten:
    kept_texts = _episodes(tx, store.provenance.episodes_of_fact(tx, fact.row))
    assertions = len(store.provenance.fact_rows_by_assertion(tx, [fact.row]))
    withdrawn = knowledge_facts.delete(tx, fact.id)
    return Forgotten(
        forget_targets.FACT,
        fact.id,
        knowledge_facts.sentence(fact),
        facts=(fact,),
        counts={"assertions": assertions},
        kept_texts=kept_texts,
        reopened=withdrawn.reopened,
    )


def _forget_text(tx: Tx, episode: Episode) -> Forgotten:
    tx = replace(tx, group=episode.group)
    mentions = store.mentions.count_in_episodes(tx, [episode.row])
    deleted = episode_deletion.delete(tx, episode)
    return Forgotten(
        forget_targets.TEXT,
        episode.id,
        episode.name,
        facts=deleted.facts,
        entities=deleted.entities,
        counts={"chunks": deleted.chunks, "mentions": mentions, "assertions": deleted.assertions},
        kept=deleted.kept,
    )


def _forget_call(tx: Tx, number: int) -> Forgotten:
    """
    Raises:
        errors.ChangeNotFound: there is no such call, or it added nothing.
        errors.LaterChanges: a later change depends on it.
    """
    changes = store.journal.changes_of_call(tx, number)
    added = [change for change in changes if change.op == "insert"]
    if changes and not added:
        raise errors.ChangeNotFound(
            f"call {number} added nothing, so there is nothing of it to forget",
            hint="To take back what it changed or deleted, use `undo`.",
        )
    facts = store.facts.by_rows(tx, _rows_that_exist(tx, added, "fact"))
    entities = list(store.entities.by_rows(tx, _rows_that_exist(tx, added, "entity")).values())
    texts = list(store.episodes.by_rows(tx, _rows_that_exist(tx, added, "episode")).values())
    undone = undo.undo(tx, call=number)
    return Forgotten(
        forget_targets.CALL,
        f"call {number}",
        undone.tool,
        facts=tuple(facts),
        entities=tuple(entities),
        texts=tuple(texts),
        counts={"changes": len(undone.changes)},
    )


def _rows_that_exist(tx: Tx, changes: list[Change], table: str) -> list[int]:
    rows = [change.row for change in changes if change.table == table]
    return [row for row in rows if store.journal.current_row(tx, table, row) is not None]


def _episodes(tx: Tx, rows: list[int]) -> tuple[Episode, ...]:
    by_row = store.episodes.by_rows(tx, rows)
    return tuple(by_row[row] for row in rows if row in by_row)
