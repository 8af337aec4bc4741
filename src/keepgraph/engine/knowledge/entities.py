"""Entities for writers: found by id, exact name or alias, or created; never by a similar name.

A new entity that may be a duplicate is reported. Readers resolve names in engine/resolution.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import NoReturn

from keepgraph import errors, store
from keepgraph.command_arguments import entity_argument
from keepgraph.engine.knowledge import assumed_types, owner_alias
from keepgraph.engine.resolution import first_person, fuzzy
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers, name_similarity, romanisation
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity, EntityType, NameStyle, Ref, Resolution
from keepgraph.store.transactions import Tx

MAX_DUPLICATES = 5
LIKELY_DUPLICATE = 0.85
"""The score from which two names are likely to mean one entity; below, one is mostly a part of the other."""
_LOOKALIKE_SCORE = 0.99
_WORTH_COMPARING = 0.72  # of letters: below, a name matches from neither end
MAX_NAME = 200
MAX_KEY = 2 * MAX_NAME
"""The longest normalised name. NFKC may turn one character into eighteen, and comparing such names takes minutes."""


def find_or_create(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> tuple[Entity, bool]:
    """The entity with this id, identifier, exact name or alias, or a new one; and whether it was created.

    If no entity of the type has the name, the only one of its subtypes with that name is meant.

    "Me" is the owner, unless something has that name.

    Raises:
        `error_class` (SubjectRequired or ObjectRequired): the id does not exist, or neither id nor name is given.
        errors.EntityNotFound: "me" means nobody.
        errors.EntityTypeUnknown: the type is missing, not in the vocabulary, or abstract.
        errors.Ambiguous: several entities of that type, or of its subtypes, have this name or alias.
    """
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=error_class), False
    entity_type = assumed_types.find(tx, ref.type)
    name = Name(ref.name or "")
    if len(name.key) > MAX_KEY:
        raise error_class(
            f"the name has {len(name.key):,} characters when its symbols are spelled out; at most {MAX_KEY} are allowed"
        )
    memo_key = ("entity", tx.group, entity_type.name, name.key)
    if memo_key in tx.memo:
        return tx.memo[memo_key], False
    entity, created = _find_by_name_or_create(tx, entity_type, name, error_class=error_class)
    tx.memo[memo_key] = entity
    return entity, created


def read_ahead(tx: Tx, names: Iterable[str]) -> dict[tuple[str, str], Entity]:
    """Look up the names of many facts in one query, so that `find_or_create` need not look up each that is known.

    An identifier is left to it: what it identifies may have another name.

    Returns:
        The entities by their types and these names.
    """
    keys = {name: Name(name).key for name in set(names) if identifiers.key_of_name(name) is None}
    found: dict[tuple[str, str], Entity] = {}
    for entity in store.entities.by_keys(tx, sorted(set(keys.values()))):
        found[entity.type, Name(entity.name).key] = entity
    tx.memo.update({("entity", tx.group, *type_and_key): entity for type_and_key, entity in found.items()})
    types = {entity_type for entity_type, _ in found}
    return {(kind, name): found[kind, key] for name, key in keys.items() for kind in types if (kind, key) in found}


def create(tx: Tx, entity_type: str, name: str) -> Entity:
    """A new entity of a usable type, whatever else has the name as an alias; no other one of the type may have it."""
    return _insert(tx, graph_vocabulary.read(tx).type_by_name[entity_type], Name(name))


def all_named(tx: Tx, name: Name) -> list[Entity]:
    """The entities with this name, else those with this alias, else the owner for "me"."""
    if entities := store.entities.by_key(tx, name.key) or [
        entity for entity, _ in store.entities.by_alias_key(tx, name.key)
    ]:
        return entities
    speaker = first_person.resolve(tx, name, of_types=None)
    return [speaker.entity] if speaker and speaker.entity else []


def refuse_unknown_speaker(name: Name, speaker: Resolution) -> NoReturn:
    """
    Raises:
        errors.EntityNotFound: "me" means nobody, because the graph has no owner.
    """
    raise errors.EntityNotFound(f"{name.text!r} refers to nobody here", hint=speaker.hint)


def find(tx: Tx, ref: Ref) -> Entity:
    """The one entity with this id, exact name or alias, or the owner for "me".

    A type means its subtypes too. It may be retired: its entities are still found by it.

    Raises:
        errors.EntityNotFound: there is none; entities with similar names are candidates.
        errors.EntityTypeUnknown: the type is not in the vocabulary.
        errors.Ambiguous: there are several.
    """
    name = Name(ref.name or "")
    if ref.id is None and (retired := _named_of_retired_type(tx, name, ref.type)):
        return retired
    entity_type = assumed_types.find(tx, ref.type).name if ref.type is not None else None
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=errors.EntityNotFound)
    types = graph_vocabulary.read(tx).with_subtypes([entity_type]) if entity_type else None
    identifier = identifiers.key_of_name(name.text)
    if identifier and (bearer := store.identifiers.bearer(tx, identifier, of_types=types)):
        return bearer
    matches = _named(tx, name, entity_type, types)
    if len(matches) > 1:
        raise errors.Ambiguous(
            f"{len(matches)} entities are called {_quote(name.text)}",
            candidates=[_as_candidate(entity) for entity in matches],
        )
    if not matches:
        owner = first_person.resolve(tx, name, of_types=types)
        if owner and owner.entity:
            return owner.entity
        similar = fuzzy.rank(tx, name, of_types=types)[:MAX_DUPLICATES]
        raise errors.EntityNotFound(
            f"there is no {entity_type or 'entity'} called {_quote(name.text)}",
            hint=owner.hint if owner else None,
            candidates=[_as_candidate(candidate.entity) for candidate in similar],
        )
    return matches[0]


def find_by_id(tx: Tx, public_id: str) -> Entity | None:
    """The entity with this id, or the one it was merged into."""
    wanted = public_id.strip().lower()
    return store.entities.by_id(tx, wanted) or store.entities.by_former_id(tx, wanted)


def find_named(tx: Tx, text: str, entity_types_allowed: Sequence[str]) -> Entity | None:
    """The entity with this exact name or alias and one of these types or their subtypes; without types, of any.

    Raises:
        errors.Ambiguous: there are several.
    """
    name = Name(text)
    types = graph_vocabulary.read(tx).with_subtypes(entity_types_allowed) if entity_types_allowed else None
    matches = _named(tx, name, None, types) if name.key else []
    if len(matches) > 1:
        raise errors.Ambiguous(
            f"{len(matches)} entities are called {_quote(name.text)}",
            hint="Give the type of the one you mean, or its id.",
            candidates=[_as_candidate(entity) for entity in matches],
        )
    return matches[0] if matches else None


def is_known(tx: Tx, key: str) -> bool:
    """Whether an entity of any type has this key as that of its name or of an alias."""
    return bool(store.entities.by_key(tx, key) or store.entities.by_alias_key(tx, key))


def find_type(tx: Tx, name: str | None) -> int:
    """The row number of a named entity type, even a retired one.

    Raises:
        errors.EntityTypeUnknown: it is missing, or not in the vocabulary.
    """
    term = graph_vocabulary.read(tx).type_by_name.get(name or "")
    return term.row if term is not None else assumed_types.find(tx, name).row


def add_aliases(tx: Tx, entity: Entity, aliases: Sequence[str]) -> None:
    """Add other names to an entity; a person with the alias "me" becomes the owner of the graph.

    An identifier is added in its canonical spelling (ADR 0077).

    Raises:
        errors.AliasInvalid: one is empty or too long.
        errors.AliasTaken: one is the name of another entity of the same type, or identifies another entity of any.
    """
    for text in owner_alias.take(tx, entity, aliases):
        identifier = identifiers.canonical(text) if identifiers.may_be(text) else None
        alias = Name(identifier or text)
        if not alias.key or len(alias.text) > MAX_NAME or len(alias.key) > MAX_KEY:
            raise errors.AliasInvalid(f"an alias has 1 to {MAX_NAME} characters, but this one has {len(alias.text)}")
        if alias.key == Name(entity.name).key:
            continue
        if identifier:
            owners = [owner for owner in store.identifiers.bearers(tx, alias.key) if owner.row != entity.row]
        else:
            owners = store.entities.by_key(tx, alias.key, of_types=[entity.type])
        if owners:
            what = f"identifies {_quote(owners[0].name)}" if identifier else f"is the name of another {entity.type}"
            raise errors.AliasTaken(
                f"{alias.text!r} {what}, {owners[0].id}",
                hint=f"{describe_merge(owners[0], entity)} Otherwise use another alias.",
                candidates=[_as_candidate(owners[0])],
            )
        store.entities.insert_alias(
            tx,
            entity,
            alias=alias.text,
            key=alias.key,
            folded=alias.indexed_forms,
            created_at=tx.at,
        )
        tx.memo.pop(("entity", tx.group, entity.type, alias.key), None)  # the name may mean two entities now


def journal_surface(tx: Tx, ref: Ref, entity: Entity) -> None:
    """Journal the alias or former id by which a changing call named an entity.

    If that is the name of an entity merged into it, the change concerns that one: the merge stays.
    """
    key = Name(ref.name or "").key if ref.id is None else None
    store.entities.journal_surface(tx, entity.row, key=key, former_id=ref.id and ref.id.strip().lower())


def describe_merge(keep: Entity, absorb: Entity) -> str:
    """The call that merges two entities, in words for a hint."""
    words = " ".join(entity_argument(each.type, each.name, each.id) for each in (keep, absorb))
    differ = keep.type != absorb.type
    arguments = {"entity": {"id": keep.id}, "merge": {"id": absorb.id}, **({"type": keep.type} if differ else {})}
    return (
        f"If they are the same thing, merge them: change {json.dumps(arguments, ensure_ascii=False)}, "
        f"or `kg merge {words}{' --across-types' if differ else ''}`."
    )


def possible_duplicates(tx: Tx, entity: Entity) -> list[Candidate]:
    """Existing entities that may be the same as a new one: same name in any type, or a similar one in a related type.

    A name that looks the same in other characters counts as the same name.
    Related types are the supertypes and subtypes of its type; all types of people are related. Either name may be
    the mistyped or the shorter one. The likeliest come first.
    """
    name = Name(entity.name)
    vocabulary = graph_vocabulary.read(tx)
    related_types = vocabulary.related_types(entity.type)
    duplicates = {
        other.row: Candidate(other, other.name, "exact", 1.0)
        if Name(other.name).key == name.key
        else Candidate(other, other.name, "fuzzy", _LOOKALIKE_SCORE, "looks the same, in other characters")
        for other in store.entities.by_keys(tx, [name.key, *romanisation.keys(entity.name)])
        if romanisation.appearance(other.name) == romanisation.appearance(entity.name)
    }
    style = vocabulary.style(entity.type)
    for candidate in fuzzy.rank(tx, name, of_types=related_types, include_weak=False):
        likelier = _compare_from_other_end(candidate, name, style=style, type_names=related_types)
        if likelier.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(candidate.entity.row, likelier)
    is_person = style == "person"
    for other in _persons_named_by_part(tx, name, of_types=related_types) if is_person else ():
        match = name_similarity.compare(Name(other.name), name, style="person", type_names=related_types)
        if match.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(other.row, Candidate(other, other.name, "fuzzy", round(match.score, 3), match.reason))
    duplicates.pop(entity.row, None)
    return sorted(duplicates.values(), key=lambda one: (-one.score, one.entity.row))[:MAX_DUPLICATES]


def _compare_from_other_end(
    candidate: Candidate, name: Name, *, style: NameStyle, type_names: frozenset[str]
) -> Candidate:
    """The candidate as it matches, or as its name would match if that were asked for."""
    if candidate.score >= name_similarity.MATCH_THRESHOLD or candidate.score < _WORTH_COMPARING:
        return candidate
    match = name_similarity.compare(Name(candidate.entity.name), name, style=style, type_names=type_names)
    if match.score < LIKELY_DUPLICATE and style != "reference":
        return candidate
    return replace(candidate, score=round(match.score, 3), reason=match.reason)


def _persons_named_by_part(tx: Tx, name: Name, *, of_types: Collection[str]) -> list[Entity]:
    """People whose whole name is a part of this one, or an initial of it: Sarah, S. Connor, for Sarah Connor."""
    parts = name.key.split()
    if len(parts) < 2:
        return []
    shorter = [*parts, *map(" ".join, pairwise(parts))]
    shorter += [" ".join([parts[0][0] + stop, *rest]) for stop in ("", ".") for rest in (parts[1:], parts[-1:])]
    return store.entities.by_keys(tx, shorter, of_types=of_types)


def _find_by_id(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> Entity:
    entity = find_by_id(tx, ref.id or "")
    if entity is None:
        raise error_class(f"there is no entity {_quote(ref.id)}", hint="Look it up by name first; ids begin with ent_.")
    if ref.type is not None:
        entity_type = assumed_types.find(tx, ref.type).name
        if not graph_vocabulary.read(tx).is_kind_of(entity.type, entity_type):
            raise error_class(f"{entity.id} is a {entity.type} ({entity.name}), not a {entity_type}")
    return entity


def _find_by_name_or_create(
    tx: Tx, entity_type: EntityType, name: Name, *, error_class: Callable[..., errors.KeepgraphError]
) -> tuple[Entity, bool]:
    if not name.key:
        raise error_class("the name is empty")
    if len(name.text) > MAX_NAME:
        raise error_class(f"the name has {len(name.text)} characters; at most {MAX_NAME} are allowed")
    types = graph_vocabulary.read(tx).with_subtypes([entity_type.name])
    identifier = identifiers.key_of_name(name.text)
    if identifier and (bearer := store.identifiers.bearer(tx, identifier, of_types=types)):
        return bearer, False
    of_any_type = store.entities.by_key(tx, name.key)
    by_name = [entity for entity in of_any_type if entity.type in types]
    if matches := _best_named(tx, name, entity_type.name, types, by_name):
        if len(matches) > 1:
            is_alias = all(Name(entity.name).key != name.key for entity in matches)
            raise errors.Ambiguous(
                f"{len(matches)} entities of type {entity_type.name} have the {'alias' if is_alias else 'name'} "
                f"{name.text!r}",
                candidates=[_as_candidate(entity) for entity in matches],
            )
        return matches[0], False
    assumed_types.refuse_abstract(tx, entity_type)
    if len(of_any_type) == 1 and (retyped := _retype_assumed(tx, of_any_type[0], entity_type.name)):
        return retyped, False
    if speaker := first_person.resolve(tx, name, of_types=types):
        return speaker.entity or refuse_unknown_speaker(name, speaker), False
    return _insert(tx, entity_type, name), True


def _retype_assumed(tx: Tx, entity: Entity, entity_type: str) -> Entity | None:
    """An entity of that name with the given type, if its type was only assumed: that of a note, for example."""
    # Imported here, because most names have one type.
    from keepgraph.engine.knowledge import assumed_types

    return assumed_types.change(tx, entity, entity_type, is_assumed=False)


def _insert(tx: Tx, entity_type: EntityType, name: Name) -> Entity:
    public_id, created_at = tx.new_id("ent"), tx.at
    row = store.entities.insert(
        tx,
        public_id=public_id,
        type_row=entity_type.row,
        name=name.text,
        key=name.key,
        folded=name.indexed_forms,
        created_at=created_at,
    )
    entity = Entity(row, public_id, entity_type.name, name.text, created_at)
    own_identifier(tx, entity)
    return entity


def own_identifier(tx: Tx, entity: Entity) -> None:
    """Make an identifier that an entity is named by its alias in the canonical spelling, unless another one has it."""
    if (spelling := identifiers.spelling(entity.name)) != entity.name:
        with suppress(errors.AliasTaken, errors.AliasInvalid):
            add_aliases(tx, entity, [spelling])


def _named(tx: Tx, name: Name, entity_type: str | None, types: Sequence[str] | None) -> list[Entity]:
    """The entities with this name, else with this alias, of these types (None: of any); those of `entity_type` first.

    Only the best matches are returned: by name before alias, and of the exact type before its subtypes.
    """
    return _best_named(tx, name, entity_type, types, store.entities.by_key(tx, name.key, of_types=types))


def _best_named(
    tx: Tx, name: Name, entity_type: str | None, types: Sequence[str] | None, by_name: list[Entity]
) -> list[Entity]:
    if exact := [entity for entity in by_name if entity.type == entity_type]:
        return exact
    by_alias = [entity for entity, _ in store.entities.by_alias_key(tx, name.key, of_types=types)]
    return [entity for entity in by_alias if entity.type == entity_type] or by_name or by_alias


def _named_of_retired_type(tx: Tx, name: Name, entity_type: str | None) -> Entity | None:
    """The entity with this name that has a retired type: no new entity gets it, existing ones keep it."""
    term = graph_vocabulary.read(tx).type_by_name.get(entity_type or "")
    if term is None or term.retired_at is None:
        return None
    return next(iter(store.entities.by_key(tx, name.key, of_types=[term.name])), None)


def _as_candidate(entity: Entity) -> dict[str, str]:
    return {"id": entity.id, "type": entity.type, "name": entity.name}


def _quote(text: str | None) -> str:
    return repr(text if text is None or len(text) <= 60 else text[:57] + "…")
