"""Entity types for writers: by name in any spelling, or by a label in any language; unknown ones are refused."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary, near_words
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.model import EntityType
from keepgraph.store.transactions import Tx


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
    fitting = usable(vocabulary, allowed)
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
    subtypes = usable(vocabulary, [entity_type.name])
    raise errors.EntityTypeUnknown(
        f"{entity_type.name!r} is an abstract type: an entity needs one of its subtypes",
        hint=f"Use one of its subtypes: {', '.join(subtypes[: near_words.MAX_NEAR])}."
        if subtypes
        else f"Add a subtype first: kg vocabulary add type NAME --parent {entity_type.name}.",
        candidates=subtypes[: near_words.MAX_NEAR],
    )


def usable(vocabulary: Vocabulary, entity_types: Sequence[str]) -> list[str]:
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
