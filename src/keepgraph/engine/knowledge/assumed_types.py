"""Types of entities: which one a new entity has, which were assumed, and when the facts speak for another.

The type stays assumed: a later fact may change it, and an explicitly given type decides.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary, near_words
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import name_shapes, normalisation
from keepgraph.model import Entity, EntityType, Fact
from keepgraph.store.transactions import Tx

GIVEN_TYPE = "entityType"
"""The entity property with the given type that is not in the vocabulary; imports have it too."""


def choose(
    vocabulary: Vocabulary, name: str, wanted: Sequence[Sequence[str]], *, named: str | None = None, is_cased: bool
) -> str | None:
    """The type for a name that satisfies most of the predicates that it is an end of; None if none suits.

    Args:
        wanted: for each of these predicates, the types that the end may have; empty for any.
        named: the type that a word of the name indicates; see `named_in`.
        is_cased: whether capital letters mean anything in names that came with it.
    """
    votes: Counter[str] = Counter()
    for allowed in wanted:
        votes.update(suitable(vocabulary, name, allowed, is_cased=is_cased))
    if not votes:
        return None
    order = {entity_type: position for position, entity_type in enumerate(votes)}

    def rank(one: str) -> tuple[int, bool, int, int]:
        is_named = named is not None and vocabulary.fits_side((one,), named)
        return -votes[one], not is_named, _strangeness(vocabulary, name, one, votes.keys() - {one}), order[one]

    return min(votes, key=rank)


def named_in(tx: Tx, name: str) -> str | None:
    """The type that the head of a name indicates: an organisation in "Harvard University", a place in "Lake Como"."""
    head = name.partition(" of ")[0] if " of " in name else name.partition(" ")[2]
    word = head.split()[-1] if head.split() else ""
    term = graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, word)
    is_thing = term is not None and graph_vocabulary.read(tx).style(term.name) in ("title", "reference")
    return term.name if term is not None and is_thing else None


def suitable(vocabulary: Vocabulary, name: str, allowed: Sequence[str], *, is_cased: bool) -> list[str]:
    """Of the types that an end may have, those that suit the shape of a name; the default type first if allowed.

    What is not written like a name is neither a person nor a place: it gets the default type, or another type of terms
    if only those are wanted.
    """
    if not name_shapes.is_noun_phrase(name):
        return []
    default = vocabulary.default_type(graph_vocabulary.DEFAULT_STYLE)
    if not allowed:
        return [default]
    usable = usable_type(vocabulary, tuple(allowed))
    if name_shapes.is_proper(name, is_cased=is_cased):
        is_group = name_shapes.resembles_group(name)
        return [one for one in usable if not (is_group and vocabulary.style(one) == "person")]
    if vocabulary.fits_side(allowed, default):
        return [default]
    return usable if all(vocabulary.style(one) in ("term", "statement") for one in usable) else []


def first_usable(vocabulary: Vocabulary, allowed: Sequence[str]) -> str | None:
    """The first usable type that an end may have; the default type where any is allowed."""
    default = vocabulary.default_type(graph_vocabulary.DEFAULT_STYLE)
    return next(iter(usable_type(vocabulary, tuple(allowed))), None) if allowed else default


def change(tx: Tx, entity: Entity, entity_type: str, *, is_assumed: bool = True) -> Entity | None:
    """Change the assumed type of an entity; None if that is impossible.

    It is if the type was given, if the facts about the entity would no longer fit, or if another entity of that name
    has the new type.
    """
    vocabulary = graph_vocabulary.read(tx)
    if entity.type == entity_type or not vocabulary.is_usable_type(entity_type):
        return None
    if entity.row not in store.entities.among(tx, [entity.row]):
        return None
    if not all(_fits(vocabulary, fact, entity, entity_type) for fact in store.facts.all_about(tx, entity)):
        return None
    if store.entities.by_key(tx, normalisation.key(entity.name), of_types=[entity_type]):
        return None
    type_row = vocabulary.type_by_name[entity_type].row
    store.entities.replace(tx, entity.row, type_row=type_row, is_assumed=is_assumed)
    tx.memo.clear()
    return store.entities.by_rows(tx, [entity.row])[entity.row]


def keep_given(tx: Tx, entity: Entity, given_type: str) -> None:
    """Note with a new entity its given type that is not in the vocabulary; see `apply_given`."""
    properties = json.dumps({GIVEN_TYPE: given_type}, ensure_ascii=False)
    store.entities.set_particulars(tx, entity.row, summary="", properties=properties)


def apply_given(tx: Tx) -> None:
    """Give entities their given types that the vocabulary now has; in all groups.

    Entities whose facts would not fit stay unchanged.
    """
    for group, row, given_type in store.entities.with_property(tx, GIVEN_TYPE):
        try:
            entity_type = find(tx, given_type).name
        except errors.EntityTypeUnknown:
            continue
        tx_of_group = replace(tx, group=group)
        entity = store.entities.by_rows(tx_of_group, [row])[row]
        change(tx_of_group, entity, entity_type, is_assumed=False)


def _fits(vocabulary: Vocabulary, fact: Fact, entity: Entity, entity_type: str) -> bool:
    """Whether a fact fits its predicate when one of its ends has another type."""
    predicate = vocabulary.predicate_by_name[fact.predicate]
    if not predicate.has_binding_ends:
        return True
    is_subject = fact.subject.row == entity.row
    is_object = fact.object is not None and fact.object.row == entity.row
    return (not is_subject or vocabulary.fits_side(predicate.sources, entity_type)) and (
        not is_object or vocabulary.fits_side(predicate.targets, entity_type)
    )


def _strangeness(vocabulary: Vocabulary, name: str, entity_type: str, others: Iterable[str]) -> int:
    """How little a type suits the shape of a name, compared with the other types that it may have: 0 if it does.

    A single word that is not a known given name is rarely a person if another type is about as common.
    """
    match vocabulary.style(entity_type):
        case "person":
            is_unclear = " " not in name.strip() and not name_shapes.resembles_person(name)
            return int(
                is_unclear and any(2 * _ends(vocabulary, one) >= _ends(vocabulary, entity_type) for one in others)
            )
        case "statement":
            return 1
        case _:
            return int(name_shapes.resembles_person(name))


def _ends(vocabulary: Vocabulary, entity_type: str) -> int:
    """How many ends of predicates a type stands at."""
    return sum((entity_type in term.sources) + (entity_type in term.targets) for term in vocabulary.usable_predicates)


# Entity types for writers: by name in any spelling, or by a label in any language; unknown ones are refused.


def find(tx: Tx, wording: str | None) -> EntityType:
    """The entity type that a wording or its singular means; for a retired one, its replacement.

    Raises:
        errors.EntityTypeUnknown: it is missing, not in the vocabulary, or retired without a replacement.
    """
    vocabulary = graph_vocabulary.read(tx)
    kind = store.vocabulary.ENTITY_TYPE
    terms = graph_vocabulary.find_all(tx, kind, wording or "")
    for term in terms or graph_vocabulary.find_all(tx, kind, graph_vocabulary.singular(wording or "")):
        if current := _replacement(vocabulary, vocabulary.type_by_name[term.name]):
            return current
    raise unknown(tx, wording)


def unknown(tx: Tx, wording: str | None, *, allowed: Sequence[str] = ()) -> errors.EntityTypeUnknown:
    """The refusal of a type that is missing, not in the vocabulary, or retired without a replacement.

    Args:
        allowed: the types that would fit, if limited.
    """
    kind = store.vocabulary.ENTITY_TYPE
    vocabulary = graph_vocabulary.read(tx)
    fitting = usable_type(vocabulary, allowed)
    if not wording:
        names = near_words.nearest(tx, kind, "", first=fitting)
        return errors.EntityTypeUnknown("the entity type is missing", hint=near_words.describe_nearest(tx, kind, names))
    alike = [
        name for name in near_words.similar(tx, kind, wording) if not allowed or vocabulary.fits_side(allowed, name)
    ]
    names = near_words.nearest(tx, kind, wording, first=alike)
    if fitting:
        names = [name for name in names if vocabulary.fits_side(allowed, name)]
    is_retired = wording in vocabulary.type_by_name
    problem = "is a retired entity type, and nothing replaces it" if is_retired else "is not an entity type"
    addition = near_words.describe_addition(
        tx, kind, wording, {"parents": fitting[:1]} if fitting else {"style": "term"}
    )
    return errors.EntityTypeUnknown(
        f"{near_words.quote(wording)} {problem}",
        hint=f"{near_words.describe_nearest(tx, kind, names, fitting=fitting)} {addition}".strip(),
        candidates=alike,
    )


def refuse_abstract(tx: Tx, entity_type: EntityType) -> None:
    """Refuse an abstract type for a new entity.

    Raises:
        errors.EntityTypeUnknown: the type is abstract.
    """
    if not entity_type.is_abstract:
        return
    vocabulary = graph_vocabulary.read(tx)
    subtypes = usable_type(vocabulary, [entity_type.name])
    raise errors.EntityTypeUnknown(
        f"{entity_type.name!r} is an abstract type: an entity needs one of its subtypes",
        hint=f"Use one of its subtypes: {', '.join(subtypes[: near_words.MAX_NEAR])}."
        if subtypes
        else f"Add a subtype first: kg vocabulary add type NAME --parent {entity_type.name}.",
        candidates=subtypes[: near_words.MAX_NEAR],
    )


def usable_type(vocabulary: Vocabulary, entity_types: Sequence[str]) -> list[str]:
    """Of these types, the usable ones; in place of an abstract one, its usable subtypes."""
    names: dict[str, None] = {}
    for name in entity_types:
        term = vocabulary.type_by_name.get(name)
        if term is not None and term.retired_at is None and not term.is_abstract:
            names[name] = None
        else:
            subtypes = vocabulary.with_subtypes([name])[1:] if term is not None else ()
            names.update(dict.fromkeys(other for other in subtypes if vocabulary.is_usable_type(other)))
    return list(names)


def _replacement(vocabulary: Vocabulary, term: EntityType) -> EntityType | None:
    """A type or its replacement; None if it is retired without one."""
    passed = set()
    current: EntityType | None = term
    while current is not None and current.retired_at is not None and current.name not in passed:
        passed.add(current.name)
        current = vocabulary.type_by_name.get(current.replaced_by or "")
    return current if current is not None and current.retired_at is None else None
