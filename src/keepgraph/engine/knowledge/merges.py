"""Makes two entities one: facts, names, sources, texts and former ids follow; what is double or a loop is settled."""

from __future__ import annotations

from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import facts
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact, Merged, Moved
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps


def merge(tx: Tx, *, keep: Entity, absorb: Entity, across_types: bool = False) -> Merged:
    """Let `keep` take over everything said of `absorb`, its names and its id; `absorb` is gone then.

    A fact that both had is one fact afterwards, the older, with the sources of both. A fact between the two
    would be about itself: it is retracted. Undo brings everything back.

    Raises:
        errors.EntityNotFound: they are one already.
        errors.TypesDiffer: one is a person, say, and the other a project; unless `across_types`.
    """
    if keep.row == absorb.row:
        raise errors.EntityNotFound(
            f"{absorb.id} ({absorb.name}) is the very entity that is kept", hint="Name two different entities."
        )
    if keep.type != absorb.type and not across_types:
        raise errors.TypesDiffer(f"{keep.name!r} is a {keep.type}, and {absorb.name!r} a {absorb.type}")
    moved = [_moved(tx, fact, keep, absorb) for fact in store.facts.every_about(tx, absorb)]
    called = {normalisation.key(name) for name in (absorb.name, *store.entities.aliases(tx, absorb))}
    added, dropped = _take_names(tx, keep, absorb)
    if dropped or keep.type != absorb.type:
        _take_texts(tx, keep, absorb, called)
    store.entities.take_particulars(tx, keep, absorb)
    store.entities.take_former_ids(tx, keep, absorb)
    store.entities.delete(tx, absorb)
    store.entities.insert_former_id(tx, absorb.id, keep)
    tx.memo.clear()
    return Merged(keep, absorb, tuple(moved), tuple(added), tuple(dropped))


def _moved(tx: Tx, fact: Fact, keep: Entity, absorb: Entity) -> Moved:
    subject = keep if fact.subject.row == absorb.row else fact.subject
    target = keep if fact.object and fact.object.row == absorb.row else fact.object
    new = replace(fact, subject=subject, object=target)
    was, becomes = facts.sentence(fact), facts.sentence(new)
    effect, twin = "moved", None
    if fact.retracted_at is None and target and target.row == subject.row and fact.subject != fact.object:
        store.facts.retract(tx, fact, at=timestamps.stamp(tx.now))
        effect = "retracted"
    elif fact.retracted_at is None:
        twin = store.facts.twin(tx, new)
    if twin is None:
        store.facts.move(tx, new, text=becomes)
        return Moved(fact.id, effect, was, becomes)
    older, newer = sorted((fact, twin), key=lambda each: (each.recorded_at, each.row))
    store.provenance.take(tx, older, newer)
    store.facts.delete(tx, newer)
    if older.row == fact.row:
        store.facts.move(tx, new, text=becomes)
    return Moved(newer.id, "folded", was, becomes, other=older.id)


def _take_names(tx: Tx, keep: Entity, absorb: Entity) -> tuple[list[str], list[str]]:
    """Which names of the other became aliases, and which did not: known already, or the name of a third."""
    known = {normalisation.key(name) for name in (keep.name, *store.entities.aliases(tx, keep))}
    added, dropped = [], []
    for alias in store.entities.aliases(tx, absorb):
        key = normalisation.key(alias)
        if key in known or _is_name_of_another(tx, key, keep, absorb):
            store.entities.delete_alias(tx, absorb, key)
            dropped.append(alias)
        else:
            store.entities.move_alias(tx, absorb, keep, key)
            known.add(key)
            added.append(alias)
    key = normalisation.key(absorb.name)
    if key in known or _is_name_of_another(tx, key, keep, absorb):
        return added, [*dropped, absorb.name]
    store.entities.insert_alias(
        tx,
        keep,
        alias=absorb.name,
        key=key,
        folded=normalisation.compared(absorb.name),
        created_at=timestamps.stamp(tx.now),
    )
    return [*added, absorb.name], dropped


def _take_texts(tx: Tx, keep: Entity, absorb: Entity, called: set[str]) -> None:
    """Let texts of which somebody said that they are about the other, by a name that no longer leads to it, be about
    this one. By its id all texts are, and by names that it keeps."""
    for chunk in store.episodes.chunks_about(tx, absorb):
        named = [
            {"how": "given", "id": keep.id}
            if each.get("how") == "given"
            and each.get("type") == absorb.type
            and normalisation.key(each.get("name") or "") in called
            else each
            for each in chunk.named
        ]
        store.episodes.move_chunk(tx, chunk, place=chunk.place, heading=chunk.heading, named=named)


def _is_name_of_another(tx: Tx, key: str, keep: Entity, absorb: Entity) -> bool:
    """Whether a third entity of the type has this very name: then it cannot be an alias."""
    return any(other.row not in (keep.row, absorb.row) for other in store.entities.by_key(tx, key, of_type=keep.type))
