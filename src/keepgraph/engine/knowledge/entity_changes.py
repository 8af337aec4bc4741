"""Changes of one entity: its name, type, aliases, summary and properties; with everything derived from its name."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities, facts, merges
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers, normalisation
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, EntityType, Fact
from keepgraph.store.transactions import Tx

MAX_PROPERTIES = 200
MAX_PROPERTY_BYTES = 100_000

_OWN_FIELDS = {
    "id": "the id, which never changes",
    "name": "the name: give it as `name`",
    "type": "the type: give it as `type`",
    "summary": "the summary: give it as `summary`",
    "aliases": "the aliases: give them as `add_aliases` and `remove_aliases`",
    "group_id": "the group, which never changes",
    "created_at": "the timestamp of its creation, which never changes",
}
"""What an entity has besides its properties, and Cypher queries read in the same way."""


@dataclass(frozen=True, slots=True)
class EntityChange:
    """What a change of an entity changed.

    Attributes:
        entity, before: the entity as it is now, and as it was.
        changed: those of name, type, summary, properties, aliases that differ from before.
        aliases_removed: those to be removed, those equal to the new name, and those that name others of the new type.
        facts_rewritten: how many facts have a new text.
        misfits: facts that are not retracted, fitted their predicate before, and no longer fit it.
    """

    entity: Entity
    before: Entity
    changed: tuple[str, ...]
    aliases_added: tuple[str, ...]
    aliases_removed: tuple[str, ...]
    facts_rewritten: int
    misfits: tuple[Fact, ...]


def change(
    tx: Tx,
    entity: Entity,
    *,
    name: str | None = None,
    entity_type: str | None = None,
    summary: str | None = None,
    properties: Mapping[str, Any] | None = None,
    add_aliases: Sequence[str] = (),
    remove_aliases: Sequence[str] = (),
    keep_old_name: bool = True,
) -> EntityChange:
    """Change the given parts of an entity; None leaves a part unchanged.

    Args:
        properties: those to set; None as a value removes one. Others stay.
        keep_old_name: whether the old name becomes an alias.

    Raises:
        errors.NameOrAliasRequired, errors.NameOrAliasTooLong: the name is empty or too long.
        errors.EntityTypeUnknown: the type is not in the vocabulary, retired without a replacement, or abstract; or the
            entity is the owner of the graph, and the type is not a type of people.
        errors.NameTaken: another entity of the type has the name, as its name or as an alias.
        errors.AliasInvalid, errors.AliasTaken: an alias cannot be added, or there is none to remove.
        errors.InvalidArguments: a property cannot be set.
    """
    new_name = _check_name(name) if name is not None else Name(entity.name)
    new_type = _find_type(tx, entity, entity_type)
    entities.refuse_to_make_other(tx, entity, new_type.name)
    _refuse_taken(tx, entity, new_name, new_type.name)
    aliases_before = store.entities.aliases(tx, entity)
    keys_before = {Name(entity.name).key, *map(normalisation.key, aliases_before)}
    _remove_aliases(tx, entity, remove_aliases, new_name)
    if (new_name.text, new_type.name) != (entity.name, entity.type):
        store.entities.set_name_and_type(
            tx,
            entity.row,
            name=new_name.text,
            key=new_name.key,
            folded=new_name.indexed_forms,
            type_row=new_type.row,
        )
    if new_type.name != entity.type:
        store.derived_tables.requeue_aliases(tx, [entity.row])
    if entity_type is not None:
        store.entities.unmark(tx, entity.row)
    tx.memo.clear()
    current = store.entities.by_rows(tx, [entity.row])[entity.row]
    _drop_aliases_that_are_names(tx, current)
    if keep_old_name and Name(entity.name).key not in map(normalisation.key, remove_aliases):
        _add_alias_unless_taken(tx, current, entity.name)
    if current.name != entity.name:
        entities.own_identifier(tx, current)
    entities.add_aliases(tx, current, add_aliases)
    changed_particulars = _set_particulars(tx, current, summary, properties or {})
    aliases_after = store.entities.aliases(tx, current)
    keys_after = {new_name.key, *map(normalisation.key, aliases_after)}
    if current.type != entity.type or keys_before - keys_after:
        merges.move_annotations(tx, current, entity, keys_before)
    rewritten = 0
    if current.name != entity.name:
        rewritten = facts.rewrite(tx, store.full_text.rows_touching(tx, entities=[entity.row]))
    tx.memo.clear()
    return EntityChange(
        entity=current,
        before=entity,
        changed=(
            *(["name"] if current.name != entity.name else []),
            *(["type"] if current.type != entity.type else []),
            *changed_particulars,
            *(["aliases"] if aliases_after != aliases_before else []),
        ),
        aliases_added=tuple(alias for alias in aliases_after if alias not in aliases_before),
        aliases_removed=tuple(alias for alias in aliases_before if alias not in aliases_after),
        facts_rewritten=rewritten,
        misfits=tuple(_find_misfits(tx, current, entity.type)) if current.type != entity.type else (),
    )


def _check_name(text: str) -> Name:
    name = Name(text)
    if not name.key:
        raise errors.NameOrAliasRequired("the new name is empty")
    if len(name.text) > entities.MAX_NAME or len(name.key) > entities.MAX_KEY:
        raise errors.NameOrAliasTooLong(
            f"the new name has {max(len(name.text), len(name.key)):,} characters; {entities.MAX_NAME} are allowed"
        )
    return name


def _find_type(tx: Tx, entity: Entity, wording: str | None) -> EntityType:
    """The type for an entity: its own, even if retired or abstract, or a usable one."""
    own = graph_vocabulary.read(tx).type_by_name[entity.type]
    if wording is None or wording == own.name:
        return own
    found = entities.assumed_type(tx, wording)
    if found.name != own.name:
        entities.refuse_abstract(tx, found)
    return found


def _refuse_taken(tx: Tx, entity: Entity, name: Name, entity_type: str) -> None:
    """
    Raises:
        errors.NameTaken: another entity of the type has this name, as its name or as an alias.
    """
    if (name.key, entity_type) == (Name(entity.name).key, entity.type):
        return
    named = store.entities.by_key(tx, name.key, of_types=[entity_type])
    aliased = [other for other, _ in store.entities.by_alias_key(tx, name.key, of_types=[entity_type])]
    others = [other for other in dict.fromkeys([*named, *aliased]) if other.row != entity.row]
    if not others:
        return
    other = others[0]
    how = "is the name" if other in named else "is an alias"
    raise errors.NameTaken(
        f"{name.text!r} {how} of another {entity_type}, {other.name!r}",
        hint=f"{entities.describe_merge(other, entity)} Otherwise use another name.",
        candidates=[{"id": each.id, "type": each.type, "name": each.name} for each in others],
    )


def _remove_aliases(tx: Tx, entity: Entity, texts: Sequence[str], new_name: Name) -> None:
    """
    Raises:
        errors.AliasInvalid: the alias does not exist, and is not the old name of a renamed entity.
    """
    aliases = {normalisation.key(alias): alias for alias in store.entities.aliases(tx, entity)}
    old_key = Name(entity.name).key
    for text in dict.fromkeys(texts):
        key = normalisation.key(text)
        if key not in aliases:
            key = normalisation.key(identifiers.spelling(text))
        if key in aliases:
            store.entities.delete_alias(tx, entity, key)
        elif key != old_key or old_key == new_name.key:
            raise errors.AliasInvalid(
                f"{entity.name!r} has no alias {text!r}",
                hint=f"Its aliases: {', '.join(aliases.values())}." if aliases else "It has no aliases.",
            )


def _drop_aliases_that_are_names(tx: Tx, entity: Entity) -> None:
    """Delete the aliases that name the entity itself, or another one of its type."""
    for alias in store.entities.aliases(tx, entity):
        if store.entities.by_key(tx, key := normalisation.key(alias), of_types=[entity.type]):
            store.entities.delete_alias(tx, entity, key)


def _add_alias_unless_taken(tx: Tx, entity: Entity, alias: str) -> None:
    """Add an alias, unless it names the entity itself, or another one of its type."""
    if not store.entities.by_key(tx, normalisation.key(alias), of_types=[entity.type]):
        entities.add_aliases(tx, entity, [alias])


def _set_particulars(tx: Tx, entity: Entity, summary: str | None, properties: Mapping[str, Any]) -> list[str]:
    """Set the summary and the properties; returns which of the two changed.

    Raises:
        errors.InvalidArguments: a property cannot be set.
    """
    details = store.details.of_entities(tx, [entity.row])[entity.row]
    new_summary = details.summary if summary is None else summary.strip()
    merged = {**details.properties, **properties}
    new_properties = {key: value for key, value in merged.items() if key not in properties or value is not None}
    written = _write(new_properties)
    changed = []
    if new_summary != details.summary:
        changed.append("summary")
    if written != _write(details.properties):
        _refuse_properties(properties, new_properties, written)
        changed.append("properties")
    if changed:
        store.entities.set_particulars(tx, entity.row, summary=new_summary, properties=written)
    return changed


def _refuse_properties(given: Mapping[str, Any], properties: Collection[str], written: str) -> None:
    for key, value in given.items():
        if value is not None and (field := _OWN_FIELDS.get(key)):
            raise errors.InvalidArguments(
                f"{key!r} is not a property but {field}", hint="Give the property another name."
            )
        if value is not None and (not key.strip() or key != key.strip() or not key.isprintable()):
            raise errors.InvalidArguments(
                f"{key!r} cannot be the name of a property",
                hint="Give it a name of letters and digits, without spaces around it.",
            )
    if len(properties) > MAX_PROPERTIES or len(written.encode()) > MAX_PROPERTY_BYTES:
        raise errors.InvalidArguments(
            f"these are {len(properties)} properties of {len(written.encode()):,} bytes; an entity has at most "
            f"{MAX_PROPERTIES} of {MAX_PROPERTY_BYTES:,} bytes together",
            hint="Keep long texts with `remember`.",
        )


def _write(properties: Mapping[str, Any]) -> str:
    return json.dumps(properties, ensure_ascii=False, sort_keys=True)


def _find_misfits(tx: Tx, entity: Entity, former_type: str) -> list[Fact]:
    """The facts that are not retracted, fitted their predicate with the entity's former type, and no longer fit."""
    vocabulary = graph_vocabulary.read(tx)

    def fits(fact: Fact, own_type: str) -> bool:
        subject_type, object_type = (
            own_type if end is not None and end.row == entity.row else end.type if end is not None else None
            for end in (fact.subject, fact.object)
        )
        return vocabulary.fits(vocabulary.predicate_by_name[fact.predicate], subject_type or own_type, object_type)

    return [
        fact
        for fact in store.facts.all_about(tx, entity)
        if fact.retracted_at is None and fits(fact, former_type) and not fits(fact, entity.type)
    ]


# Deletion of an entity: its facts, names and former ids go with it; the entities at the other ends stay.


@dataclass(frozen=True, slots=True)
class _DeletedEntity:
    """A deleted entity and what was deleted with it; `mentions` and `proposed_facts` are counts."""

    entity: Entity
    facts: tuple[Fact, ...]
    aliases: tuple[str, ...]
    mentions: int
    proposed_facts: int


def delete(tx: Tx, entity: Entity) -> _DeletedEntity:
    """Delete an entity with all facts about it, retracted and ended ones too, and its aliases and former ids.

    Facts and aliases that hold in it alone go too, and facts that wait as proposals under one of its names. Texts that
    mention it stay, without their mentions.
    """
    ids = store.scopes.former_ids(tx, [entity])
    facts = store.facts.all_about(tx, entity)
    known = {fact.row for fact in facts}
    within = [row for row in store.scopes.facts_in(tx, ids, alone=True) if row not in known]
    facts += store.facts.by_rows(tx, within)
    aliases = store.entities.aliases(tx, entity)
    mentions = store.mentions.count_of_entity(tx, entity)
    proposed = _proposed_facts_about(tx, {normalisation.key(name) for name in (entity.name, *aliases)})
    store.proposals.delete(tx, proposed)
    store.facts.delete(tx, facts)
    store.scopes.leave(tx, ids)
    store.entities.delete_names(tx, entity)
    store.entities.delete(tx, entity)
    tx.memo.clear()
    return _DeletedEntity(entity, tuple(facts), tuple(aliases), mentions, len(proposed))


def _proposed_facts_about(tx: Tx, keys: set[str]) -> list[int]:
    """The rows of the proposed facts of the group whose subject or object has one of these names."""
    return [
        proposed.row
        for proposed in store.proposals.waiting(tx)
        if keys & {normalisation.key(proposed.subject), normalisation.key(proposed.object)}
    ]
