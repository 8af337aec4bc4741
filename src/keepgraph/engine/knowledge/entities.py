"""What a writer means by a name: found exactly or made, with a warning where it may be a double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from keepgraph import errors, store
from keepgraph.engine.resolution import resolver
from keepgraph.language import normalisation, similarity
from keepgraph.model import Candidate, Entity, Ref, Word
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

MAX_DOUBLES = 5
MAX_NAME = 200
MAX_KEY = 2 * MAX_NAME
"""Of one sign NFKC may make eighteen letters; comparing such names would take minutes."""


def find_or_create(tx: Tx, ref: Ref, *, missing: Callable[..., errors.KeepgraphError]) -> tuple[Entity, bool]:
    """The entity a writer means, by id, exact name or alias; else a new one. Never a guess.

    Raises:
        `missing` (SubjectRequired or ObjectRequired): there is no such id, or neither id nor name.
        errors.EntityTypeUnknown: the type is missing, or not in the vocabulary.
        errors.Ambiguous: several entities of that type have this alias.
    """
    if ref.id is not None:
        return _existing(tx, ref, missing=missing), False
    type_row = type_of(tx, ref.type)
    name = normalisation.clean(ref.name or "")
    key = normalisation.key(name)
    if len(key) > MAX_KEY:
        raise missing(f"the name has {len(key):,} characters when its signs are written out; {MAX_KEY} are the most")
    met = ("entity", ref.type or "", key)
    if met in tx.memo:
        return tx.memo[met], False
    entity, created = _found_or_created(tx, ref.type or "", type_row, name, key, missing=missing)
    tx.memo[met] = entity
    return entity, created


def find(tx: Tx, ref: Ref) -> Entity:
    """The one entity that has this id, name or alias; nothing is created and nothing guessed.

    Raises:
        errors.EntityNotFound: there is none; near names are candidates.
        errors.EntityTypeUnknown: the type is not in the vocabulary.
        errors.Ambiguous: there are several.
    """
    if ref.type is not None:
        type_of(tx, ref.type)
    if ref.id is not None:
        return _existing(tx, ref, missing=errors.EntityNotFound)
    name = normalisation.clean(ref.name or "")
    key = normalisation.key(name)
    found = store.entities.by_key(tx, key, of_type=ref.type)
    found = found or [entity for entity, _ in store.entities.by_alias_key(tx, key, of_type=ref.type)]
    if len(found) > 1:
        raise errors.Ambiguous(
            f"{len(found)} entities are called {_short(name)}", candidates=[_named(entity) for entity in found]
        )
    if not found:
        near = resolver.look_alikes(tx, name, of_type=ref.type)[:MAX_DOUBLES]
        raise errors.EntityNotFound(
            f"there is no {ref.type or 'entity'} called {_short(name)}",
            candidates=[_named(candidate.entity) for candidate in near],
        )
    return found[0]


def type_of(tx: Tx, name: str | None) -> int:
    """The row number of an entity type.

    Raises:
        errors.EntityTypeUnknown: it is missing, or not in the vocabulary.
    """
    row = store.vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, name) if name else None
    if row is None:
        allowed = store.vocabulary.words(tx, store.vocabulary.ENTITY_TYPE)
        said = f"{name!r} is not an entity type" if name else "the entity type is missing"
        raise errors.EntityTypeUnknown(
            said,
            hint=f"Use one of {', '.join(word.name for word in allowed)}. "
            "Features, bugs, tasks and tools are concepts.",
            candidates=meant(name, allowed),
        )
    return row


def meant(said: str | None, allowed: Sequence[Word]) -> list[str]:
    """The words of the vocabulary that are near to what was said."""
    from rapidfuzz import fuzz, process

    plain = (said or "").casefold().replace("-", "_").replace(" ", "_")
    found = process.extract(plain, [word.name for word in allowed], scorer=fuzz.WRatio, limit=2, score_cutoff=70)
    return [name for name, _, _ in found]


def add_aliases(tx: Tx, entity: Entity, aliases: Sequence[str]) -> None:
    """Let an entity be found by other names too.

    Raises:
        errors.AliasInvalid: one is empty or too long.
        errors.AliasTaken: one is the name of another entity of the same type.
    """
    for given in aliases:
        alias = normalisation.clean(given)
        key = normalisation.key(alias)
        if not key or len(alias) > MAX_NAME or len(key) > MAX_KEY:
            raise errors.AliasInvalid(f"an alias has 1 to {MAX_NAME} characters, and this one {len(alias)}")
        if key == normalisation.key(entity.name):
            continue
        if taken := store.entities.by_key(tx, key, of_type=entity.type):
            raise errors.AliasTaken(
                f"{alias!r} is the name of another {entity.type}, {taken[0].id}",
                candidates=[_named(taken[0])],
            )
        store.entities.insert_alias(
            tx, entity, alias=alias, key=key, folded=normalisation.compared(alias), created_at=timestamps.stamp(tx.now)
        )
        tx.memo.pop(("entity", entity.type, key), None)  # the name may mean two entities now


def possible_duplicates(tx: Tx, entity: Entity) -> list[Candidate]:
    """Other entities that a new one may double: of one name in another type, or alike in the same."""
    ours = normalisation.fold(entity.name)
    same = store.entities.by_key(tx, normalisation.key(entity.name))
    found = {other.row: Candidate(other, other.name, "exact", 1.0) for other in same}
    for candidate in resolver.look_alikes(tx, entity.name, of_type=entity.type, runners_up=False):
        if candidate.score >= similarity.SURE:
            found.setdefault(candidate.entity.row, candidate)
    for other in _called_a_part(tx, entity):
        alike = similarity.compare(normalisation.fold(other.name), ours, kind=entity.type)
        if alike.score >= similarity.SURE:
            found.setdefault(other.row, Candidate(other, other.name, "fuzzy", round(alike.score, 3), alike.because))
    found.pop(entity.row, None)
    return list(found.values())[:MAX_DOUBLES]


def _called_a_part(tx: Tx, entity: Entity) -> list[Entity]:
    """People who are called by a part of this person's name: Sarah, where Sarah Connor comes in."""
    parts = normalisation.key(entity.name).split() if entity.type == "person" else []
    if len(parts) < 2:
        return []
    shorter = [*parts, *map(" ".join, pairwise(parts))]
    return [other for key in shorter for other in store.entities.by_key(tx, key, of_type=entity.type)]


def _existing(tx: Tx, ref: Ref, *, missing: Callable[..., errors.KeepgraphError]) -> Entity:
    public_id = (ref.id or "").strip().lower()
    entity = store.entities.by_id(tx, public_id) or store.entities.by_former_id(tx, public_id)
    if entity is None:
        raise missing(f"there is no entity {_short(ref.id)}", hint="Look it up by name first; ids begin with ent_.")
    if ref.type is not None:
        type_of(tx, ref.type)
        if ref.type != entity.type:
            raise missing(f"{entity.id} is a {entity.type} ({entity.name}), not a {ref.type}")
    return entity


def _found_or_created(
    tx: Tx, kind: str, type_row: int, name: str, key: str, *, missing: Callable[..., errors.KeepgraphError]
) -> tuple[Entity, bool]:
    if not key:
        raise missing("the name is empty")
    if len(name) > MAX_NAME:
        raise missing(f"the name has {len(name)} characters; {MAX_NAME} are allowed")
    if found := store.entities.by_key(tx, key, of_type=kind):
        return found[0], False
    if aliased := store.entities.by_alias_key(tx, key, of_type=kind):
        if len(aliased) > 1:
            raise errors.Ambiguous(
                f"{len(aliased)} entities of type {kind} have the alias {name!r}",
                candidates=[_named(entity) for entity, _ in aliased],
            )
        return aliased[0][0], False
    public_id, created_at = tx.new_id("ent"), timestamps.stamp(tx.now)
    row = store.entities.insert(
        tx,
        public_id=public_id,
        type_row=type_row,
        name=name,
        key=key,
        folded=normalisation.compared(name),
        created_at=created_at,
    )
    return Entity(row, public_id, kind, name, created_at), True


def _named(entity: Entity) -> dict[str, str]:
    return {"id": entity.id, "type": entity.type, "name": entity.name}


def _short(text: str | None) -> str:
    return repr(text if text is None or len(text) <= 60 else text[:57] + "…")
