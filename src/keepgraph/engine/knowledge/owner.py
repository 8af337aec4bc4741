"""The owner of a graph: the person whom "I" and "me" mean, set by a person or by a model that was told."""

from __future__ import annotations

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities
from keepgraph.engine.resolution import first_person as owner_resolution
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import first_person
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Candidate, Entity, Ref
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class OwnerChange:
    """What setting the owner changed.

    Attributes:
        entity: the owner.
        previous: who was the owner before.
        created: whether the entity is new.
        possible_duplicates: entities that may be the same as a new one.
    """

    entity: Entity
    previous: Entity | None
    created: bool = False
    possible_duplicates: tuple[Candidate, ...] = ()


def change(tx: Tx, person: Ref) -> OwnerChange:
    """Make a person the owner of the group: the one with this id, exact name or alias, or a new one.

    Raises:
        errors.EntityNotFound: the id does not exist, or it is a word such as "me".
        errors.EntityTypeUnknown: the type is not a type of people, or the vocabulary has none.
        errors.Ambiguous: several people have this name.
    """
    previous = store.groups.find(tx)
    entity, created = _find_or_create(tx, person)
    entities.make_owner(tx, entity)
    duplicates = entities.possible_duplicates(tx, entity) if created else []
    return OwnerChange(entity, previous, created, tuple(duplicates))


def clear(tx: Tx) -> Entity | None:
    """Remove the owner of the group; returns who it was."""
    previous = store.groups.find(tx)
    store.groups.delete(tx)
    return previous


def substitute(tx: Tx, ref: Ref) -> Ref:
    """The owner, if a writer names an end of a fact "me"; else the end as given.

    An entity with exactly that name takes precedence, and so does a name with a type that is not a type of people.

    Raises:
        errors.EntityNotFound: there is no owner.
    """
    if ref.id is not None or ref.name is None or not first_person.is_pronoun(ref.name):
        return ref
    entity_type = entities.assumed_type(tx, ref.type).name if ref.type else None
    name = Name(ref.name)
    of_types = None if entity_type is None else graph_vocabulary.read(tx).with_subtypes([entity_type])
    is_name = store.entities.by_key(tx, name.key, of_types=of_types)
    if is_name or store.entities.by_alias_key(tx, name.key, of_types=of_types):
        return ref
    resolution = owner_resolution.resolve(tx, name, of_types=of_types)
    if resolution is None:
        return ref
    entity = resolution.entity or entities.refuse_unknown_speaker(name, resolution)
    return Ref(id=entity.id)


def _find_or_create(tx: Tx, person: Ref) -> tuple[Entity, bool]:
    if person.id is not None:
        return entities.find(tx, person), False
    if person.name is not None and first_person.is_pronoun(person.name):
        raise errors.EntityNotFound(f"{person.name!r} is not a name", hint="Give the name of the person: Ana Ruiz.")
    person_types = graph_vocabulary.read(tx).types_of_style("person")
    if person.type is not None:
        entities.refuse_other_types(tx, entities.assumed_type(tx, person.type).name)
    elif existing := entities.find_named(tx, person.name or "", person_types) if person_types else None:
        return existing, False
    entity_type = person.type or _default_type(tx)
    return entities.find_or_create(tx, Ref(type=entity_type, name=person.name), error_class=errors.SubjectRequired)


def _default_type(tx: Tx) -> str:
    """The type of a new owner.

    Raises:
        errors.EntityTypeUnknown: the vocabulary has no type for people.
    """
    vocabulary = graph_vocabulary.read(tx)
    entity_type = vocabulary.default_type("person")
    if vocabulary.style(entity_type) != "person":
        raise errors.EntityTypeUnknown("the vocabulary has no type for people")
    return entity_type
