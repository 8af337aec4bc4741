"""Entities for writers: found by id, exact name or alias, or created; never by a similar name.

A new entity that may duplicate an existing one is reported. Readers resolve names in engine/resolution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from keepgraph import errors, store
from keepgraph.engine.resolution import fuzzy
from keepgraph.language import name_similarity
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity, Ref, VocabularyTerm
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_DUPLICATES = 5
MAX_NAME = 200
MAX_KEY = 2 * MAX_NAME
"""The longest normalised name. NFKC may turn one character into eighteen, and comparing such names takes minutes."""


def find_or_create(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> tuple[Entity, bool]:
    """The entity with this id, exact name or alias, or a new one; and whether it was created.

    Raises:
        `error_class` (SubjectRequired or ObjectRequired): there is no such id, or neither id nor name.
        errors.EntityTypeUnknown: the type is missing, or not in the vocabulary.
        errors.Ambiguous: several entities of that type have this alias.
    """
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=error_class), False
    type_row = find_type(tx, ref.type)
    name = Name(ref.name or "")
    if len(name.key) > MAX_KEY:
        raise error_class(
            f"the name has {len(name.key):,} characters when its signs are written out; {MAX_KEY} are the most"
        )
    memo_key = ("entity", ref.type or "", name.key)
    if memo_key in tx.memo:
        return tx.memo[memo_key], False
    entity, created = _find_by_name_or_create(tx, ref.type or "", type_row, name, error_class=error_class)
    tx.memo[memo_key] = entity
    return entity, created


def find(tx: Tx, ref: Ref) -> Entity:
    """The one entity with this id, exact name or alias.

    Raises:
        errors.EntityNotFound: there is none; entities with similar names are candidates.
        errors.EntityTypeUnknown: the type is not in the vocabulary.
        errors.Ambiguous: there are several.
    """
    if ref.type is not None:
        find_type(tx, ref.type)
    if ref.id is not None:
        return _find_by_id(tx, ref, error_class=errors.EntityNotFound)
    name = Name(ref.name or "")
    matches = store.entities.by_key(tx, name.key, of_type=ref.type)
    matches = matches or [entity for entity, _ in store.entities.by_alias_key(tx, name.key, of_type=ref.type)]
    if len(matches) > 1:
        raise errors.Ambiguous(
            f"{len(matches)} entities are called {_quote(name.text)}",
            candidates=[_as_candidate(entity) for entity in matches],
        )
    if not matches:
        candidates = fuzzy.rank(tx, name, of_type=ref.type)[:MAX_DUPLICATES]
        raise errors.EntityNotFound(
            f"there is no {ref.type or 'entity'} called {_quote(name.text)}",
            candidates=[_as_candidate(candidate.entity) for candidate in candidates],
        )
    return matches[0]


def find_type(tx: Tx, name: str | None) -> int:
    """The row number of an entity type.

    Raises:
        errors.EntityTypeUnknown: it is missing, or not in the vocabulary.
    """
    row = store.vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, name) if name else None
    if row is None:
        types = store.vocabulary.terms(tx, store.vocabulary.ENTITY_TYPE)
        problem = f"{name!r} is not an entity type" if name else "the entity type is missing"
        raise errors.EntityTypeUnknown(
            problem,
            hint=f"Use one of {', '.join(term.name for term in types)}. Features, bugs, tasks and tools are concepts.",
            candidates=similar_words(name, types),
        )
    return row


def similar_words(word: str | None, terms: Sequence[VocabularyTerm]) -> list[str]:
    """Up to two words of the vocabulary that are spelled like this one, for suggestions."""
    from rapidfuzz import fuzz, process

    normalised = (word or "").casefold().replace("-", "_").replace(" ", "_")
    matches = process.extract(normalised, [term.name for term in terms], scorer=fuzz.WRatio, limit=2, score_cutoff=70)
    return [name for name, _, _ in matches]


def add_aliases(tx: Tx, entity: Entity, aliases: Sequence[str]) -> None:
    """Add other names to an entity.

    Raises:
        errors.AliasInvalid: one is empty or too long.
        errors.AliasTaken: one is the name of another entity of the same type.
    """
    for text in aliases:
        alias = Name(text)
        if not alias.key or len(alias.text) > MAX_NAME or len(alias.key) > MAX_KEY:
            raise errors.AliasInvalid(f"an alias has 1 to {MAX_NAME} characters, and this one {len(alias.text)}")
        if alias.key == Name(entity.name).key:
            continue
        if owners := store.entities.by_key(tx, alias.key, of_type=entity.type):
            raise errors.AliasTaken(
                f"{alias.text!r} is the name of another {entity.type}, {owners[0].id}",
                candidates=[_as_candidate(owners[0])],
            )
        store.entities.insert_alias(
            tx,
            entity,
            alias=alias.text,
            key=alias.key,
            folded=alias.indexed_forms,
            created_at=timestamps.from_datetime(tx.now),
        )
        tx.memo.pop(("entity", entity.type, alias.key), None)  # the name may mean two entities now


def possible_duplicates(tx: Tx, entity: Entity) -> list[Candidate]:
    """Existing entities that may be the same as a new one: same name in another type, or a similar name in its type."""
    name = Name(entity.name)
    same_name = store.entities.by_key(tx, name.key)
    duplicates = {other.row: Candidate(other, other.name, "exact", 1.0) for other in same_name}
    for candidate in fuzzy.rank(tx, name, of_type=entity.type, include_weak=False):
        if candidate.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(candidate.entity.row, candidate)
    for other in _named_by_part(tx, name, of_type=entity.type):
        match = name_similarity.compare(Name(other.name), name, entity_type=entity.type)
        if match.score >= name_similarity.MATCH_THRESHOLD:
            duplicates.setdefault(other.row, Candidate(other, other.name, "fuzzy", round(match.score, 3), match.reason))
    duplicates.pop(entity.row, None)
    return list(duplicates.values())[:MAX_DUPLICATES]


def _named_by_part(tx: Tx, name: Name, *, of_type: str) -> list[Entity]:
    """Persons whose whole name is a part of this person's name: Sarah, for a new Sarah Connor."""
    parts = name.key.split() if of_type == "person" else []
    if len(parts) < 2:
        return []
    shorter = [*parts, *map(" ".join, pairwise(parts))]
    return [other for key in shorter for other in store.entities.by_key(tx, key, of_type=of_type)]


def _find_by_id(tx: Tx, ref: Ref, *, error_class: Callable[..., errors.KeepgraphError]) -> Entity:
    public_id = (ref.id or "").strip().lower()
    entity = store.entities.by_id(tx, public_id) or store.entities.by_former_id(tx, public_id)
    if entity is None:
        raise error_class(f"there is no entity {_quote(ref.id)}", hint="Look it up by name first; ids begin with ent_.")
    if ref.type is not None:
        find_type(tx, ref.type)
        if ref.type != entity.type:
            raise error_class(f"{entity.id} is a {entity.type} ({entity.name}), not a {ref.type}")
    return entity


def _find_by_name_or_create(
    tx: Tx, entity_type: str, type_row: int, name: Name, *, error_class: Callable[..., errors.KeepgraphError]
) -> tuple[Entity, bool]:
    if not name.key:
        raise error_class("the name is empty")
    if len(name.text) > MAX_NAME:
        raise error_class(f"the name has {len(name.text)} characters; {MAX_NAME} are allowed")
    if matches := store.entities.by_key(tx, name.key, of_type=entity_type):
        return matches[0], False
    if by_alias := store.entities.by_alias_key(tx, name.key, of_type=entity_type):
        if len(by_alias) > 1:
            raise errors.Ambiguous(
                f"{len(by_alias)} entities of type {entity_type} have the alias {name.text!r}",
                candidates=[_as_candidate(entity) for entity, _ in by_alias],
            )
        return by_alias[0][0], False
    public_id, created_at = tx.new_id("ent"), timestamps.from_datetime(tx.now)
    row = store.entities.insert(
        tx,
        public_id=public_id,
        type_row=type_row,
        name=name.text,
        key=name.key,
        folded=name.indexed_forms,
        created_at=created_at,
    )
    return Entity(row, public_id, entity_type, name.text, created_at), True


def _as_candidate(entity: Entity) -> dict[str, str]:
    return {"id": entity.id, "type": entity.type, "name": entity.name}


def _quote(text: str | None) -> str:
    return repr(text if text is None or len(text) <= 60 else text[:57] + "…")
