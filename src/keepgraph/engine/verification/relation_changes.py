"""Relations created and deleted between two names: facts of one predicate, found by their ends, not by id.

A new name without a type gets the type that the predicate wants; it stays assumed until somebody gives one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.knowledge import assumed_types, predicates
from keepgraph.engine.knowledge.predicates import PredicateMatch
from keepgraph.engine.knowledge.relations import Relation, RelationRecorder
from keepgraph.engine.resolution import resolver
from keepgraph.engine.verification import text_evidence
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity, Fact, RecordedFact, Ref, Resolution
from keepgraph.store.transactions import Tx

MAX_FACTS = 200

_EXACT_METHODS = ("exact", "alias")


@dataclass(frozen=True, slots=True)
class DeletedRelation:
    """What was deleted between two things, and what is left.

    Attributes:
        subject, object: how the two names were resolved; only exactly or by an alias.
        predicate: the predicate that the wording means; None if none.
        facts: the retracted ones.
        others: the remaining facts between the two.
    """

    subject: Resolution
    object: Resolution
    predicate: str | None
    facts: tuple[Fact, ...] = ()
    others: tuple[Fact, ...] = ()


def create(
    tx: Tx,
    subject: str,
    wording: str,
    target: str,
    *,
    subject_type: str | None = None,
    object_type: str | None = None,
    source: str | None = None,
    confidence: float = 1.0,
    valid_from: str | None = None,
    valid_to: str | None = None,
) -> RecordedFact:
    """Record a relation between two names or ids; new names become entities.

    Raises:
        As `knowledge.facts.record`.
    """
    matches = text_evidence.find_matches(tx, wording)
    if not matches:
        raise predicates.unknown(tx, wording)
    predicate = wording
    if not _is_recordable(tx, wording):  # an inflection: "is working at"
        predicate = matches[0].predicate.name
        if matches[0].is_reversed:
            subject, target, subject_type, object_type = target, subject, object_type, subject_type
    takes_literal = all(match.predicate.literal_kind is not None for match in matches)
    if matches[0].predicate.role == "tags" and object_type is None and not matches[0].is_reversed:
        takes_literal = not target.lower().startswith("ent_") and not knowledge.entities.find_named(tx, target, ())
    ends = _ref(tx, subject, subject_type), target if takes_literal else _ref(tx, target, object_type)

    def record(first: Ref, second: Ref | str) -> RecordedFact:
        with tx.savepoint():
            recorded = knowledge.facts.record(
                tx,
                subject=first,
                predicate=predicate,
                object=second,
                source=source,
                confidence=confidence,
                valid_from=valid_from,
                valid_to=valid_to,
            )
            untyped = [end for end in ends if isinstance(end, Ref) and not end.id and not end.type]
            for entity in recorded.created if untyped else ():
                _refuse_namesake(tx, entity)
            return recorded

    try:
        return record(*ends)
    except errors.EntityTypeUnknown:
        if subject_type or object_type:
            raise
    # A name is new, and several types fit.
    recorder = RelationRecorder(tx, [Relation(subject, predicate, target)], is_accepted=True)
    typed = [_typed(tx, recorder, end) if isinstance(end, Ref) else end for end in ends]
    recorded = record(_as_ref(typed[0]), typed[1])
    store.entities.mark(tx, [entity.row for entity in recorded.created])
    return recorded


def _refuse_namesake(tx: Tx, created: Entity) -> None:
    """
    Raises:
        errors.Ambiguous: a name without a type became a new entity, though things of other types have that name.
    """
    namesakes = [entity for entity in _named(tx, created.name) if entity != created]
    if namesakes:
        types = ", ".join(dict.fromkeys(entity.type for entity in namesakes))
        raise errors.Ambiguous(
            f"“{created.name}” is known ({types}), and this relation needs a {created.type}",
            hint=f"If you mean another one, give its type: {created.type}:{created.name}.",
            candidates=[{"id": entity.id, "type": entity.type, "name": entity.name} for entity in namesakes],
        )


def delete(tx: Tx, subject: str, wording: str, target: str) -> DeletedRelation:
    """Retract the facts of one predicate between two things, whenever they held; other facts between them stay.

    Names match exactly or by alias: similar ones are candidates.
    """
    ends = _resolve_exactly(tx, subject), _resolve_exactly(tx, target)
    matches = text_evidence.find_matches(tx, wording)
    predicate = matches[0].predicate.name if matches else None
    if ends[0].entity is None:
        return DeletedRelation(*ends, predicate)
    between = _between(tx, ends[0].entity, ends[1].entity, target)
    doomed = [fact for fact in between if any(_is_meant(tx, fact, ends[0].entity, match) for match in matches)]
    for fact in doomed:
        knowledge.facts.retract(tx, fact)
    gone = {fact.row for fact in doomed}
    return DeletedRelation(*ends, predicate, tuple(doomed), tuple(fact for fact in between if fact.row not in gone))


def _is_recordable(tx: Tx, wording: str) -> bool:
    """Whether facts can be recorded with this wording."""
    try:
        predicates.find_matches(tx, wording)
    except errors.PredicateUnknown:
        return False
    return True


def _ref(tx: Tx, name: str, entity_type: str | None) -> Ref:
    """What a name or an id means to a writer; `person:Ada` is an Ada of that type, unless something has that name."""
    text = name.strip()
    if text.lower().startswith("ent_"):
        return Ref(id=text)
    prefix, colon, rest = text.partition(":")
    named_type, rest = prefix.strip().lower(), rest.strip()
    is_typed = colon and rest and entity_type is None and named_type in graph_vocabulary.read(tx).type_by_name
    if is_typed and not store.entities.by_key(tx, Name(text).key):
        entity_type, text = named_type, rest
    ref = knowledge.owner.substitute(tx, Ref(type=entity_type, name=text))
    if ref.id is None and ref.type is None:
        named = _named(tx, text)
        return Ref(id=named[0].id) if len(named) == 1 else ref
    return ref


def _named(tx: Tx, name: str) -> list[Entity]:
    """The entities with exactly this name, else those with this alias."""
    key = Name(name).key
    return store.entities.by_key(tx, key) or [entity for entity, _ in store.entities.by_alias_key(tx, key)]


def _typed(tx: Tx, recorder: RelationRecorder, ref: Ref) -> Ref:
    """A name with a type: of what it names, or as the relation wants."""
    if ref.id is not None or ref.type is not None or ref.name is None:
        return ref
    if known := knowledge.entities.find_named(tx, ref.name, ()):
        return Ref(id=known.id)
    entity_type = recorder.type_of(tx, ref.name) or assumed_types.first_usable(graph_vocabulary.read(tx), ())
    return Ref(type=entity_type, name=ref.name)


def _as_ref(end: Ref | str) -> Ref:
    return end if isinstance(end, Ref) else Ref(name=end)


def _resolve_exactly(tx: Tx, name: str) -> Resolution:
    if not Name(name).key:
        return Resolution(None, "none", 0.0)
    resolution = resolver.resolve(tx, Name(name))
    if resolution.entity is None or resolution.method in _EXACT_METHODS:
        return resolution
    guessed = Candidate(resolution.entity, resolution.entity.name, resolution.method, resolution.score)
    return Resolution(None, "none", 0.0, (guessed, *resolution.candidates))


def _between(tx: Tx, subject: Entity, target: Entity | None, text: str) -> Sequence[Fact]:
    """The facts between two things that are not retracted, newest first; the other end may be a literal."""
    rows = store.entity_pairs.facts_between_two(tx, subject, target, limit=MAX_FACTS) if target else []
    rows += store.entity_pairs.literal_facts(tx, subject, text.strip(), limit=MAX_FACTS)
    return store.facts.by_rows(tx, rows) if rows else []


def _is_meant(tx: Tx, fact: Fact, subject: Entity, match: PredicateMatch) -> bool:
    """Whether a fact says what a wording says of a subject, in the same direction."""
    if fact.predicate != match.predicate.name:
        return False
    if "symmetric" in match.predicate.flags:
        return True
    return (fact.subject.row == subject.row) != match.is_reversed or fact.object == fact.subject
