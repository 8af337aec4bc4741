"""Forgetting an entity, a fact, a text or a call, with what falls with it. Undo brings it back until it is purged."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entity_changes
from keepgraph.engine.knowledge import facts as knowledge_facts
from keepgraph.engine.maintenance import undo
from keepgraph.engine.texts import document_files, episodes, forget_targets, mention_index, storage
from keepgraph.english import count_noun
from keepgraph.language import normalisation
from keepgraph.model import Change, Entity, Episode, Fact
from keepgraph.store.transactions import Tx

# Deletion of episodes, and withdrawal of what they stated: what nothing else supports is deleted with them.

# An entity is only deleted if no other text mentions it: so long unread texts are read before that is decided.


@dataclass(frozen=True, slots=True)
class _KeptObject:
    """A fact or an entity that stays although its episode is deleted, and the reason."""

    object: Fact | Entity
    reason: str


@dataclass(frozen=True, slots=True)
class DeletedEpisode:
    """A deleted episode, what was deleted with it, and what stays; `chunks` and `assertions` are counts."""

    episode: Episode
    chunks: int
    assertions: int
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    kept: tuple[_KeptObject, ...]


def delete(tx: Tx, episode: Episode) -> DeletedEpisode:
    """Delete an episode with what nothing else supports. What others state, or other texts mention, stays.

    With it go its assertions, the facts that nobody else has asserted, the facts that it proposes, and the entities
    that were created with it or with those, are no longer in any fact, and are mentioned by no other text.
    """
    tx = replace(tx, group=episode.group)
    chunks = store.episodes.chunks(tx, episode)
    mentioned = episodes.mentioned_entities(tx, chunks)
    assertions = store.provenance.of_episode(tx, episode.row)
    facts, kept_facts = withdraw_assertions(tx, episode, [row for row, _, _ in assertions])
    created_at = {episode.recorded_at, *(recorded_at for _, _, recorded_at in assertions)}
    store.proposals.delete(tx, [fact.row for fact in store.proposals.facts_of_episode(tx, episode.row)])
    store.episodes.delete(tx, episode)
    entities, kept_entities = delete_unsupported_entities(tx, [*mentioned, *ends_of(facts)], created_at)
    return DeletedEpisode(
        episode, len(chunks), len(assertions), tuple(facts), tuple(entities), (*kept_facts, *kept_entities)
    )


def plan(tx: Tx, episode: Episode) -> DeletedEpisode:
    """What `delete` would delete, and what would stay. It only reads: texts whose mentions wait are not read first."""
    tx = replace(tx, group=episode.group)
    chunks = store.episodes.chunks(tx, episode)
    assertions = store.provenance.of_episode(tx, episode.row)
    facts, kept_facts = _divide(tx, {row: fact for row, fact, _ in assertions})
    created_at = {episode.recorded_at, *(recorded_at for _, _, recorded_at in assertions)}
    candidates = {
        entity.row: entity
        for entity in (*episodes.mentioned_entities(tx, chunks), *ends_of(facts))
        if entity.created_at in created_at
    }
    is_up_to_date = not store.mentions.any_unread(tx)
    entities: list[Entity] = []
    kept: list[_KeptObject] = list(kept_facts)
    for entity in candidates.values():
        reason = _support(tx, entity, mentions_are_up_to_date=is_up_to_date, besides=(episode, facts))
        if reason:
            kept.append(_KeptObject(entity, reason))
        else:
            entities.append(entity)
    return DeletedEpisode(episode, len(chunks), len(assertions), tuple(facts), tuple(entities), tuple(kept))


def withdraw_assertions(tx: Tx, episode: Episode, assertions: Sequence[int]) -> tuple[list[Fact], list[_KeptObject]]:
    """Delete assertions of an episode, by their rows; returns the facts deleted with them, and those that stay."""
    facts = {row: fact for row, fact, _ in store.provenance.of_episode(tx, episode.row) if row in set(assertions)}
    deleted, kept = _divide(tx, facts)
    store.provenance.delete(tx, list(facts))
    store.facts.delete(tx, deleted)
    return deleted, kept


def withdraw_unstated(
    tx: Tx, episode: Episode, previous: Collection[int], *, stated: Collection[int] = ()
) -> list[Fact]:
    """Withdraw what earlier assertions of an episode say and it no longer states; returns the facts deleted with them.

    Of the assertions of a fact that is stated again by the same statement, the first stays.

    Args:
        previous: the earlier assertions, by row.
        stated: facts that are stated again, by row, besides those of newer assertions.
    """
    previous = frozenset(previous)
    assertions = store.provenance.statements(tx, episode.row)
    old = {row: assertion for row, assertion in assertions.items() if row in previous}
    new = {row: assertion for row, assertion in assertions.items() if row not in previous}
    known, again = set(old.values()), set(new.values())
    store.provenance.delete(tx, [row for row, assertion in new.items() if assertion in known])
    lost = [row for row, assertion in old.items() if assertion not in again and assertion[0] not in stated]
    return withdraw_assertions(tx, episode, lost)[0] if lost else []


def _divide(tx: Tx, assertions: Mapping[int, int]) -> tuple[list[Fact], list[_KeptObject]]:
    """The facts that nobody else has asserted, and the others; by assertion, the row of its fact."""
    others = store.provenance.count_others(tx, list(set(assertions.values())), besides=list(assertions))
    alone, kept = [], []
    for fact in store.facts.by_rows(tx, sorted(set(assertions.values()))):
        if count := others.get(fact.row, 0):
            kept.append(_KeptObject(fact, f"it has {count_noun(count, 'other assertion')}"))
        else:
            alone.append(fact)
    return alone, kept


def ends_of(facts: Sequence[Fact]) -> list[Entity]:
    """The entities at both ends of some facts."""
    return [end for fact in facts for end in (fact.subject, fact.object) if end is not None]


def delete_unsupported_entities(
    tx: Tx, entities: Sequence[Entity], created_at: set[str], *, besides: Episode | None = None
) -> tuple[list[Entity], list[_KeptObject]]:
    """Delete the entities that came with an episode and have no other support; the others stay.

    Args:
        entities: those that the episode mentioned, and the ends of its facts.
        created_at: the timestamps of the calls that brought the episode: older and newer entities are not looked at.
        besides: an episode whose words do not keep an entity.
    """
    candidates = {entity.row: entity for entity in entities if entity.created_at in created_at}
    if not candidates:
        return [], []
    is_up_to_date = mention_index.catch_up(tx, seconds=_CATCH_UP_SECONDS)
    deleted, kept = [], []
    for entity in candidates.values():
        apart = (besides, ()) if besides else None
        if reason := _support(tx, entity, mentions_are_up_to_date=is_up_to_date, besides=apart):
            kept.append(_KeptObject(entity, reason))
            continue
        for alias in store.entities.aliases(tx, entity):
            store.entities.delete_alias(tx, entity, normalisation.key(alias))
        store.entities.delete(tx, entity)
        deleted.append(entity)
    tx.memo.clear()
    return deleted, kept


def _support(
    tx: Tx,
    entity: Entity,
    *,
    mentions_are_up_to_date: bool,
    besides: tuple[Episode, Sequence[Fact]] | None = None,
) -> str | None:
    """Why an entity is to be kept, in words; None if nothing supports it.

    Args:
        besides: an episode and facts that are not deleted yet, and do not count.
    """
    episode, facts = besides if besides else (None, ())
    if count := len({fact.row for fact in store.facts.all_about(tx, entity)} - {fact.row for fact in facts}):
        return f"{count} other fact{'s are' if count > 1 else ' is'} about it"
    own = episode is not None and store.mentions.is_in_episode(tx, entity, episode.row)
    if count := store.mentions.count_episodes(tx, [entity.row]).get(entity.row, 0) - own:
        return f"{count} other episode{'s mention' if count > 1 else ' mentions'} it"
    if store.entities.has_former_ids(tx, entity):
        return "another entity was merged into it"
    if store.groups.find(tx) == entity:
        return "it is the owner of the graph"
    if count := store.episodes.count_of_project(tx, entity, besides=episode.row if episode else 0):
        return f"{count} other narrative{'s are' if count > 1 else ' is'} about it"
    ids = store.scopes.former_ids(tx, [entity])
    own_rows = {fact.row for fact in facts}
    if not own_rows.issuperset(store.scopes.facts_in(tx, ids)) or store.scopes.aliases_in(tx, ids):
        return "something holds in it only"
    if any(since > entity.created_at for _, _, since in store.entities.alias_rows(tx, entity)):
        return "it was given another name since"
    return None if mentions_are_up_to_date else "texts that may mention it have not been read yet"


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
        kept_texts: texts that stay and still have its name, or from which a fact was recorded; newest first.
        kept: what stays although a text is deleted, each with the reason.
        reopened: the blockers that are open again, because nothing says they were resolved.
        file: the path of the file that a text was read from, if it is still there.
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
    kept: tuple[_KeptObject, ...] = ()
    reopened: tuple[Fact, ...] = ()
    file: str | None = None


def forget(tx: Tx, what: str, *, kind: str | None = None) -> Forgotten:
    """Find what is meant, and delete it with what falls with it; of a call, undo it.

    Raises:
        errors.KeepgraphError: see forget_targets.find; of a call, see maintenance.undo.
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
    stated, texts = _withdraw_notes(tx, entity)
    deleted = entity_changes.delete(tx, entity)
    ends = [end for end in ends_of(stated) if end.row != entity.row]
    named: dict[int, Entity] = {}
    for episode, created_at in texts:
        left = [end for end in ends if end.row not in named]
        deleted_too, _ = delete_unsupported_entities(tx, left, created_at, besides=episode)
        named |= {one.row: one for one in deleted_too}
    return Forgotten(
        forget_targets.ENTITY,
        entity.id,
        entity.name,
        type=entity.type,
        facts=(*deleted.facts, *stated),
        entities=tuple(named.values()),
        aliases=deleted.aliases,
        counts={"mentions": deleted.mentions, "proposed_facts": deleted.proposed_facts},
        kept_texts=kept_texts,
    )


def _withdraw_notes(tx: Tx, entity: Entity) -> tuple[list[Fact], list[tuple[Episode, set[str]]]]:
    """Withdraw all that the note of an entity states: without it, the note is a text alone.

    Returns:
        The facts that were deleted with that; and each text, with the timestamps of the calls that read it.
    """
    ids = set(store.scopes.former_ids(tx, [entity]))
    sources = [source for source, id, _ in store.episodes.ids_named(tx, "", kind=storage.DOCUMENT) if id in ids]
    facts, texts = [], []
    for source in sources:
        if episode := store.episodes.first_by_source(tx, source, kind=storage.DOCUMENT):
            assertions = store.provenance.of_episode(tx, episode.row)
            facts += withdraw_assertions(tx, episode, [row for row, _, _ in assertions])[0]
            store.provenance.set_open_statements(tx, episode.row, {store.provenance.ITSELF: None})
            texts.append((episode, {episode.recorded_at, *(recorded_at for _, _, recorded_at in assertions)}))
    return facts, texts


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
    deleted = delete(tx, episode)
    return Forgotten(
        forget_targets.TEXT,
        episode.id,
        episode.name,
        facts=deleted.facts,
        entities=deleted.entities,
        counts={"chunks": deleted.chunks, "mentions": mentions, "assertions": deleted.assertions},
        kept=deleted.kept,
        file=episode.source if _is_of_file(episode) else None,
    )


def _is_of_file(episode: Episode) -> bool:
    is_path = episode.kind == storage.DOCUMENT and os.path.isabs(episode.source)
    return is_path and not document_files.file_is_gone(episode.source)


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
