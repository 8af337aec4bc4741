"""Extraction by the client: entities and relations that a language model found in a text, as entities and facts.

What does not fit the vocabulary, or is ambiguous, is rejected with the reason; what is beyond the limits is counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact, Ref
from keepgraph.store.transactions import Tx

MAX_ENTITIES = 1000
MAX_RELATIONS = 500
"""What one call may bring; more is not recorded, but counted."""

_DEFAULT_TYPE = "concept"

# Types that clients use, with the type of the vocabulary to take for each, if the vocabulary does not have it.
_TYPE_SYNONYMS = {
    "people": "person",
    "human": "person",
    "user": "person",
    "individual": "person",
    "employee": "person",
    "author": "person",
    "product": "project",
    "initiative": "project",
    "repository": "project",
    "repo": "project",
    "choice": "decision",
    "adr": "decision",
    "document": "source",
    "doc": "source",
    "file": "source",
    "page": "source",
    "url": "source",
    "website": "source",
    "article": "source",
    "book": "source",
    "paper": "source",
    "meeting": "source",
}


@dataclass(frozen=True, slots=True)
class Rejection:
    """An entity or a relation that was not recorded.

    Attributes:
        location: where it stands in the argument: `chunks[0].relations[2]`.
        summary: what it is, in a few words.
        reason: why it was rejected.
        suggestions: what may be meant.
    """

    location: str
    summary: str
    reason: str
    suggestions: tuple[str, ...] = ()


@dataclass(slots=True)
class ExtractionResult:
    """What became of an extraction.

    Attributes:
        created, existing: entities that are new, and those that were there.
        facts: the facts that were recorded or known; `recorded` and `repeated` count these two.
        mapped_types: types that the vocabulary lacks, with the type that was taken in their place.
        rejected_entities, rejected_relations: what was not recorded.
        relations: how many relations were given, those beyond the limit left out.
        truncated_entities, truncated_relations, truncated_chunks: how many were beyond the limits.
        withdrawn: facts that an earlier version of the text stated, and that nothing supports any more.
        deleted: entities that came with an earlier version, and that nothing supports any more.
    """

    created: list[Entity] = field(default_factory=list)
    existing: list[Entity] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    recorded: int = 0
    repeated: int = 0
    mapped_types: dict[str, str] = field(default_factory=dict)
    rejected_entities: list[Rejection] = field(default_factory=list)
    rejected_relations: list[Rejection] = field(default_factory=list)
    relations: int = 0
    truncated_entities: int = 0
    truncated_relations: int = 0
    truncated_chunks: int = 0
    withdrawn: list[Fact] = field(default_factory=list)
    deleted: list[Entity] = field(default_factory=list)


def record(tx: Tx, entities: Sequence[Any], relations: Sequence[Any], *, source: str) -> ExtractionResult:
    """Record entities and relations that were found in a conversation, without any text."""
    result = ExtractionResult()
    recorder = EntityRecorder(tx, result)
    recorder.record(entities, location="")
    record_relations(
        tx,
        [(f"relations[{number}]", relation) for number, relation in enumerate(relations)],
        entities=recorder,
        result=result,
        source=source,
    )
    return result


class EntityRecorder:
    """Finds or creates the given entities, and resolves the names by which relations refer to them."""

    def __init__(self, tx: Tx, result: ExtractionResult) -> None:
        self._tx = tx
        self._result = result
        self._by_key: dict[str, list[Entity]] = {}
        self._rows: set[int] = set()
        self._count = 0

    def record(self, given: Sequence[Any], *, location: str) -> list[Entity]:
        """The entities of a list, found or created; the others are added to the rejections.

        Args:
            location: what the list belongs to: `chunks[0]`; empty for the call itself.
        """
        entities = []
        for number, argument in enumerate(given):
            if self._count >= MAX_ENTITIES:
                self._result.truncated_entities += 1
                continue
            self._count += 1
            entity = self._find_or_create(argument, f"{location}{'.' if location else ''}entities[{number}]")
            if entity is not None:
                entities.append(entity)
                same_name = self._by_key.setdefault(normalisation.key(str(argument["name"])), [])
                if entity not in same_name:
                    same_name.append(entity)
        return entities

    def by_name(self, name: str) -> list[Entity]:
        """The entities that a relation may mean by a name: the given ones, else those of the graph."""
        key = normalisation.key(name)
        if entities := self._by_key.get(key):
            return entities
        exact = store.entities.by_key(self._tx, key)
        return exact or [entity for entity, _ in store.entities.by_alias_key(self._tx, key)]

    def _find_or_create(self, argument: Any, location: str) -> Entity | None:
        name = argument.get("name") if isinstance(argument, Mapping) else None
        if not isinstance(name, str) or not normalisation.key(name):
            self._reject(location, str(name)[:80], "it has no name")
            return None
        if len(normalisation.clean(name)) > knowledge.entities.MAX_NAME:
            reason = f"its name has more than {knowledge.entities.MAX_NAME} characters"
            self._reject(location, name[:80] + "…", reason)
            return None
        given_type = argument.get("type")
        entity_type = self._type(given_type) if isinstance(given_type, str) else _DEFAULT_TYPE
        existing = self._only_entity(name) if entity_type != given_type else None
        if existing is not None:
            entity, created = existing, False
        else:
            try:
                with self._tx.savepoint():
                    entity, created = knowledge.entities.find_or_create(
                        self._tx, Ref(type=entity_type, name=name), error_class=errors.SubjectRequired
                    )
            except errors.KeepgraphError as error:
                self._reject(location, name, error.message)
                return None
        if entity.type != given_type:
            self._result.mapped_types.setdefault(given_type if isinstance(given_type, str) else "", entity.type)
        if entity.row not in self._rows:
            self._rows.add(entity.row)
            (self._result.created if created else self._result.existing).append(entity)
        return entity

    def _only_entity(self, name: str) -> Entity | None:
        """The only entity of this name, whatever its type: better than a new one of a type that nobody gave."""
        entities = self.by_name(name)
        return entities[0] if len(entities) == 1 else None

    def _type(self, given: str) -> str:
        """The type of the vocabulary for a given one: the same, a synonym, its singular, else concept."""
        word = given.strip().casefold().replace("-", "_").replace(" ", "_")
        for candidate in (given, word, _TYPE_SYNONYMS.get(word, ""), word.removesuffix("s")):
            if candidate and store.vocabulary.find(self._tx, store.vocabulary.ENTITY_TYPE, candidate) is not None:
                return candidate
        return _DEFAULT_TYPE

    def _reject(self, location: str, summary: str, reason: str) -> None:
        self._result.rejected_entities.append(Rejection(location, summary, reason))


def record_relations(
    tx: Tx,
    given: Sequence[tuple[str, Any]],
    *,
    entities: EntityRecorder,
    result: ExtractionResult,
    source: str,
) -> None:
    """Record relations as facts; the others are added to the rejections.

    Args:
        given: each with its location in the argument.
        entities: resolves the names of both ends.
        result: is filled.
        source: the source of the facts.
    """
    source = source[: knowledge.facts.MAX_SOURCE]
    result.truncated_relations += max(len(given) - MAX_RELATIONS, 0)
    for location, relation in given[:MAX_RELATIONS]:
        result.relations += 1
        try:
            with tx.savepoint():
                _record_relation(tx, relation, entities=entities, result=result, source=source)
        except _RelationInvalid as error:
            rejection = Rejection(location, _summary(relation), error.reason, error.suggestions)
            result.rejected_relations.append(rejection)
        except errors.KeepgraphError as error:
            suggestions = tuple(candidate for candidate in error.candidates if isinstance(candidate, str))
            result.rejected_relations.append(Rejection(location, _summary(relation), error.message, suggestions))


class _RelationInvalid(Exception):
    """A relation that cannot become a fact."""

    def __init__(self, reason: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.suggestions = suggestions


def _record_relation(tx: Tx, relation: Any, *, entities: EntityRecorder, result: ExtractionResult, source: str) -> None:
    if not isinstance(relation, Mapping):
        raise _RelationInvalid("it is not an object")
    subject, target = _end(relation, "from", entities), _end(relation, "to", entities)
    predicate = _predicate(tx, relation)
    if subject.row == target.row:
        raise _RelationInvalid("both of its ends are the same entity")
    recorded = knowledge.facts.record(
        tx,
        subject=Ref(id=subject.id),
        predicate=predicate,
        object=Ref(id=target.id),
        source=source,
        confidence=_confidence(relation),
        compare_names=False,
    )
    result.repeated += recorded.deduplicated
    result.recorded += not recorded.deduplicated
    if recorded.fact.row not in {fact.row for fact in result.facts}:
        result.facts.append(recorded.fact)


def _end(relation: Mapping[str, Any], side: str, entities: EntityRecorder) -> Entity:
    name = relation.get(side)
    if not isinstance(name, str) or not normalisation.key(name):
        raise _RelationInvalid(f"it does not say {side!r}: the name of an entity")
    candidates = entities.by_name(name)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        suggestions = tuple(f"{entity.type}:{entity.name}" for entity in candidates)
        raise _RelationInvalid(f"{len(candidates)} entities are called {name[:80]!r}", suggestions)
    raise _RelationInvalid(f"{name[:80]!r} is neither among the entities handed in nor in the graph")


def _predicate(tx: Tx, relation: Mapping[str, Any]) -> str:
    given = relation.get("type") or relation.get("relation_type")
    if not isinstance(given, str) or not given.strip():
        raise _RelationInvalid("it has no type")
    predicate = "_".join(given.strip().casefold().replace("-", " ").replace("_", " ").split())
    if store.vocabulary.find(tx, store.vocabulary.PREDICATE, predicate) is None:
        allowed = store.vocabulary.terms(tx, store.vocabulary.PREDICATE)
        suggestions = tuple(knowledge.entities.similar_words(predicate, allowed))
        raise _RelationInvalid(f"{given[:80]!r} is not a predicate of the vocabulary", suggestions)
    return predicate


def _confidence(relation: Mapping[str, Any]) -> float:
    value = relation.get("confidence", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise _RelationInvalid("its confidence is not a number from 0 to 1")
    return float(value)


def _summary(relation: Any) -> str:
    if not isinstance(relation, Mapping):
        return str(relation)[:80]
    predicate = relation.get("type") or relation.get("relation_type") or "?"
    return f"{str(relation.get('from', '?'))[:80]} {str(predicate)[:80]} {str(relation.get('to', '?'))[:80]}"
