"""A fact to record: its words and names resolved, its ends and its literal checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepgraph import errors, store
from keepgraph.engine.knowledge import ends, entities, literals, predicates
from keepgraph.engine.knowledge.ends import GivenFact
from keepgraph.engine.knowledge.predicates import LITERAL, PredicateMatch
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, MappedWord, Predicate, Ref
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact as stored, and what to report about how it was read.

    Attributes:
        subject, object: those of the stored fact; swapped from the caller's where the predicate is an inverse.
        literal: as stored; None if there is an object.
        created: the entities that were created for it.
        warning: why its ends or its literal do not fit, if accepted all the same.
        alias: the literal, if it is now an alias of the subject.
    """

    subject: Entity
    predicate: Predicate
    object: Entity | None
    literal: str | None
    created: tuple[Entity, ...] = ()
    mapped_predicate: MappedWord | None = None
    mapped_types: tuple[MappedWord, ...] = ()
    warning: str | None = None
    alias: str | None = None


def resolve(tx: Tx, given: GivenFact, *, aliases: Sequence[str] = (), refuse_misfits: bool = True) -> Statement:
    """Find or create the entities of a fact, and the predicate that it is stored under.

    Args:
        aliases: other names of the given subject.
        refuse_misfits: whether to refuse ends and literals that do not fit the predicate; else they cause a warning.

    Raises:
        errors.InvalidRequest: a word is not in the vocabulary, the ends or the literal do not fit, or a name is empty.
        errors.Conflict: a name or an alias may mean several entities, or an alias is the name of another entity.
    """
    matches = _find_matches(tx, given)
    takes_literal = all(match.predicate.literal_kind is not None for match in matches)
    given_object = given.object
    if takes_literal and isinstance(given_object, Ref) and _is_untyped(given_object):
        given_object = given_object.name or ""
    created: list[Entity] = []

    subject = None
    if not _is_untyped(given.subject):
        subject = _end(tx, matches, given, "subject", given.subject, created, errors.SubjectRequired)
        entities.add_aliases(tx, subject, aliases)
    target = None
    if isinstance(given_object, Ref) and not _is_untyped(given_object):
        if takes_literal and refuse_misfits and given_object.id is None:
            # Before its type is looked up: `https://…` on a command line is not an entity of the type https.
            raise ends.refusal(
                tx, matches[0], given, subject_type=subject.type if subject else None, object_type=given_object.type
            )
        target = _end(tx, matches, given, "object", given_object, created, errors.ObjectRequired)

    object_type = target.type if target else LITERAL if isinstance(given_object, str) else None
    likely = _choose(tx, matches, subject.type if subject else None, object_type) or matches[0]
    if subject is None:
        subject = _untyped_end(tx, likely, given, "subject", given.subject, created, errors.SubjectRequired)
        entities.add_aliases(tx, subject, aliases)
        likely = _choose(tx, matches, subject.type, object_type) or likely
    if isinstance(given_object, Ref) and target is None:
        target = _untyped_end(tx, likely, given, "object", given_object, created, errors.ObjectRequired)
    literal = literals.clean(given_object) if isinstance(given_object, str) else None
    return _check(tx, matches, given, subject, target, literal, created, refuse_misfits=refuse_misfits)


def _check(
    tx: Tx,
    matches: Sequence[PredicateMatch],
    given: GivenFact,
    subject: Entity,
    target: Entity | None,
    literal: str | None,
    created: Sequence[Entity],
    *,
    refuse_misfits: bool,
) -> Statement:
    """The statement of known ends, if they fit one of the predicates that may be meant."""
    object_type = target.type if target else LITERAL
    match = _choose(tx, matches, subject.type, object_type)
    problem: errors.KeepgraphError | None = None
    if match is None:
        match = matches[0]
        problem = ends.refusal(tx, match, given, subject_type=subject.type, object_type=object_type)
    elif literal is not None and match.predicate.literal_kind is not None:
        try:
            literal = literals.read(tx, match.predicate, literal)
        except errors.LiteralInvalid as invalid:
            problem = invalid
            invalid.example = given.example(object=literals.suggest(tx, literal, match.predicate.literal_kind))
    alias = None
    if literal is not None and match.predicate.is_alias and problem is None:
        try:
            entities.add_aliases(tx, subject, [literal])
            alias = literal
        except (errors.AliasInvalid, errors.AliasTaken) as refusal:
            problem = refusal
    if problem is not None and (refuse_misfits or (match.is_reversed and target is None)):
        raise problem
    stored_subject, stored_target = (target, subject) if match.is_reversed and target else (subject, target)
    return Statement(
        subject=stored_subject,
        predicate=match.predicate,
        object=stored_target,
        literal=literal,
        created=tuple(created),
        mapped_predicate=match.mapping,
        mapped_types=_mapped_types(tx, given),
        warning=problem.message if problem else None,
        alias=alias,
    )


def _find_matches(tx: Tx, given: GivenFact) -> list[PredicateMatch]:
    """
    Raises:
        errors.PredicateUnknown: there is none; its example is the same fact with the word that may be meant.
    """
    try:
        return predicates.find_matches(tx, given.predicate)
    except errors.PredicateUnknown:
        subject_type = _known_type(tx, given.subject)
        is_literal = isinstance(given.object, str)
        object_type = _known_type(tx, given.object) if isinstance(given.object, Ref) else LITERAL
        error = predicates.unknown(
            tx,
            given.predicate,
            subject_type=subject_type,
            object_type=None if is_literal else object_type,
            literal_kind=literals.guess_kind(given.object, tx.zone) if isinstance(given.object, str) else None,
        )
        for name in error.candidates:
            matches = predicates.find_matches(tx, name)
            if subject_type and object_type and _choose(tx, matches, subject_type, object_type):
                error.example = given.example(predicate=name)
                break
        raise error from None


def _known_type(tx: Tx, ref: Ref) -> str | None:
    """The type of an entity that a caller names; None if unknown."""
    if ref.id is not None:
        entity = entities.find_by_id(tx, ref.id)
        return entity.type if entity else None
    if ref.type:
        term = graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, ref.type)
        return term.name if term and term.retired_at is None else None
    try:
        existing = entities.find_named(tx, ref.name or "", ())
    except errors.Ambiguous:
        return None
    return existing.type if existing else None


def _choose(
    tx: Tx, matches: Sequence[PredicateMatch], subject_type: str | None, object_type: str | None
) -> PredicateMatch | None:
    return predicates.choose(graph_vocabulary.read(tx), matches, subject_type, object_type)


def _end(
    tx: Tx,
    matches: Sequence[PredicateMatch],
    given: GivenFact,
    role: str,
    ref: Ref,
    created: list[Entity],
    error_class: Callable[..., errors.KeepgraphError],
) -> Entity:
    """
    Raises:
        errors.EntityTypeUnknown: its example is the same fact with a type that fits.
    """
    try:
        entity, is_new = entities.find_or_create(tx, ref, error_class=error_class)
    except errors.EntityTypeUnknown:
        vocabulary = graph_vocabulary.read(tx)
        if graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, ref.type or ""):
            raise  # an abstract or a retired type
        allowed = matches[0].sources if role == "subject" else matches[0].targets
        error = entities.unknown(tx, ref.type, allowed=allowed)
        usable = [*error.candidates, *entities.usable_type(vocabulary, allowed), vocabulary.default_type("term")]
        error.example = given.example(**{role: Ref(type=usable[0], name=ref.name)})
        raise error from None
    if is_new:
        created.append(entity)
    return entity


def _untyped_end(
    tx: Tx,
    match: PredicateMatch,
    given: GivenFact,
    role: str,
    ref: Ref,
    created: list[Entity],
    error_class: Callable[..., errors.KeepgraphError],
) -> Entity:
    entity, is_new = ends.find_or_create_untyped(tx, match, given, role, ref, error_class=error_class)
    if is_new:
        created.append(entity)
    return entity


def _is_untyped(ref: Ref) -> bool:
    return ref.id is None and not ref.type


def _mapped_types(tx: Tx, given: GivenFact) -> tuple[MappedWord, ...]:
    types = graph_vocabulary.read(tx).type_by_name
    mapped: dict[str, MappedWord] = {}
    for ref in (given.subject, given.object):
        if isinstance(ref, Ref) and ref.type and (ref.type not in types or types[ref.type].retired_at is not None):
            mapped[ref.type] = MappedWord(ref.type, entities.assumed_type(tx, ref.type).name)
    return tuple(mapped.values())
