"""Merging two entities into one: facts, names, annotations of texts and former ids move to the kept entity.

So do the ownership of the graph, and the narratives of a project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities, facts, validity
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import with_article
from keepgraph.language import normalisation
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity, Fact, MergedFact, MergeResult
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx


def merge(tx: Tx, *, keep: Entity, absorb: Entity, across_types: bool = False) -> MergeResult:
    """Move the facts, names and ids of `absorb` to `keep`, and delete `absorb`.

    If both have the same fact, the older one stays, with the assertions of both. A fact between the two would
    become a loop: it is retracted. Undo restores everything.

    Raises:
        errors.EntityNotFound: both are the same entity.
        errors.TypesDiffer: they are of different types, and `across_types` is false.
        errors.EntityTypeUnknown: the owner of the graph would not be a person.
    """
    if keep.row == absorb.row:
        raise errors.EntityNotFound(
            f"{absorb.id} ({absorb.name}) is the entity to keep", hint="Name two different entities."
        )
    if keep.type != absorb.type and not across_types:
        kept, absorbed = with_article(keep.type), with_article(absorb.type)
        raise errors.TypesDiffer(f"{keep.name!r} is {kept}, and {absorb.name!r} is {absorbed}")
    entities.refuse_to_make_other(tx, absorb, keep.type)
    merged_facts = [_move_fact(tx, fact, keep, absorb) for fact in store.facts.all_about(tx, absorb)]
    absorbed_keys = {normalisation.key(name) for name in (absorb.name, *store.entities.aliases(tx, absorb))}
    added, dropped = _move_names(tx, keep, absorb)
    if dropped or keep.type != absorb.type:
        move_annotations(tx, keep, absorb, absorbed_keys)
    store.entities.merge_particulars(tx, keep, absorb)
    store.entities.move_former_ids(tx, keep, absorb)
    store.groups.move(tx, absorb, keep)
    store.episodes.move(tx, absorb, keep)
    store.entities.delete(tx, absorb)
    store.entities.insert_former_id(tx, absorb.id, keep)
    tx.memo.clear()
    return MergeResult(keep, absorb, tuple(merged_facts), tuple(added), tuple(dropped))


def _move_fact(tx: Tx, fact: Fact, keep: Entity, absorb: Entity) -> MergedFact:
    """Move a fact to the kept entity; retract it if it becomes a loop, fold it if it becomes a duplicate."""
    subject = keep if fact.subject.row == absorb.row else fact.subject
    target = keep if fact.object and fact.object.row == absorb.row else fact.object
    new = replace(fact, subject=subject, object=target)
    before, after = facts.sentence(fact), facts.sentence(new)
    effect, duplicate = "moved", None
    if fact.retracted_at is None and target and target.row == subject.row and fact.subject != fact.object:
        store.facts.retract(tx, fact)
        effect = "retracted"
    elif fact.retracted_at is None:
        duplicate = validity.find_duplicate(tx, new)
    if duplicate is None:
        store.facts.set_ends(tx, new, text=after)
        return MergedFact(fact.id, effect, before, after)
    older, newer = sorted((fact, duplicate), key=lambda either: (either.recorded_at, either.row))
    store.provenance.move(tx, source=newer, target=older)
    store.scopes.unite(tx, older, newer)
    store.facts.delete(tx, [newer])
    if older.row == fact.row:
        store.facts.set_ends(tx, new, text=after)
    return MergedFact(newer.id, "folded", before, after, merged_into=older.id)


def _move_names(tx: Tx, keep: Entity, absorb: Entity) -> tuple[list[str], list[str]]:
    """Turn the names of the absorbed entity into aliases; returns those added, and those dropped.

    A name is dropped if `keep` has it already, or if a third entity of its type has it as its name.
    """
    kept_keys = {normalisation.key(name) for name in (keep.name, *store.entities.aliases(tx, keep))}
    added, dropped = [], []
    for alias in store.entities.aliases(tx, absorb):
        key = normalisation.key(alias)
        if key in kept_keys or _is_name_of_another(tx, key, keep, absorb):
            store.entities.delete_alias(tx, absorb, key)
            dropped.append(alias)
        else:
            store.entities.move_alias(tx, absorb, keep, key)
            kept_keys.add(key)
            added.append(alias)
    name = Name(absorb.name)
    if name.key in kept_keys or _is_name_of_another(tx, name.key, keep, absorb):
        return added, [*dropped, absorb.name]
    store.entities.insert_alias(
        tx,
        keep,
        alias=absorb.name,
        key=name.key,
        folded=name.indexed_forms,
        created_at=tx.at,
    )
    return [*added, absorb.name], dropped


def move_annotations(tx: Tx, keep: Entity, absorb: Entity, absorbed_keys: set[str]) -> None:
    """Annotate texts with the id of `keep`, if a caller annotated them with a name of `absorb`.

    Such a name may have been dropped, or be looked up in another type. Annotations by id still lead to `keep`, because
    the id of `absorb` becomes a former id of it, or is that of `keep`.
    """
    types = graph_vocabulary.read(tx).with_ancestors(absorb.type)
    lost_keys = {key for key in absorbed_keys if not entities.is_known(tx, key)}

    def names_absorbed(annotation: Mapping[str, str | None]) -> bool:
        key = normalisation.key(annotation.get("name") or "")
        entity_type = annotation.get("type")
        return annotation.get("how") == "given" and (
            key in lost_keys if entity_type is None else key in absorbed_keys and entity_type in types
        )

    for chunk in store.episodes.chunks_about(tx, absorb):
        annotations = [
            {"how": "given", "id": keep.id} if names_absorbed(annotation) else annotation
            for annotation in chunk.annotations
        ]
        store.episodes.update_chunk(tx, chunk, position=chunk.position, heading=chunk.heading, annotations=annotations)


def _is_name_of_another(tx: Tx, key: str, keep: Entity, absorb: Entity) -> bool:
    """Whether a third entity of the type has this name: then it cannot be an alias."""
    return any(
        other.row not in (keep.row, absorb.row) for other in store.entities.by_key(tx, key, of_types=[keep.type])
    )


# Duplicate pairs: entities that may be one, each pair once, whichever of the two was recorded first.


@dataclass(frozen=True, slots=True)
class _DuplicatePair:
    """Two entities that may be one.

    Attributes:
        score: how sure, 0 to 1, by the rules of names.
        reason: why, unless the letters are the same.
    """

    older: Entity
    newer: Entity
    score: float
    reason: str | None


def possible_duplicates(tx: Tx, compared: Iterable[Entity]) -> list[_DuplicatePair]:
    """The pairs of these entities with any other, the likeliest first.

    The names of two are compared from both ends. A pair belongs to the older one if that finds the newer one,
    else to the newer one: so consecutive pages of entities have each pair once.
    """
    vocabulary = graph_vocabulary.read(tx)
    by_row: dict[int, list[Candidate]] = {}

    def candidates(entity: Entity) -> list[Candidate]:
        if entity.row not in by_row:
            raise_if_cancelled(tx.cancellation)
            by_row[entity.row] = [
                candidate
                for candidate in entities.possible_duplicates(tx, entity)
                if candidate.score >= entities.LIKELY_DUPLICATE
                or vocabulary.style(candidate.entity.type) == "reference"  # a title without its author, or the year
            ]
        return by_row[entity.row]

    pairs = []
    for entity in compared:
        for candidate in candidates(entity):
            older, newer = sorted((entity, candidate.entity), key=lambda one: one.row)
            if older is entity or all(other.entity.row != newer.row for other in candidates(older)):
                pairs.append(_DuplicatePair(older, newer, candidate.score, candidate.reason))
    return sorted(pairs, key=lambda pair: (-pair.score, pair.older.row, pair.newer.row))
