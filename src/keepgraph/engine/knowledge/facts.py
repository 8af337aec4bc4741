"""When a fact is new and when it was known, and what recording it brings about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities
from keepgraph.model import Candidate, Entity, Fact, Recorded, Ref
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

MAX_LITERAL = 1000
MAX_SOURCE = 2000


def record(
    tx: Tx,
    *,
    subject: Ref,
    predicate: str,
    object: Ref | str,
    source: str | None = None,
    confidence: float = 1.0,
    valid_from: str | None = None,
    valid_to: str | None = None,
    aliases: Sequence[str] = (),
    supersedes: Sequence[str] = (),
    compare_names: bool = True,
) -> Recorded:
    """Record that a fact holds, or that someone says so again.

    Args:
        subject: who or what it is about; created if new. `aliases` become names of it.
        predicate: a word of the vocabulary.
        object: an entity, created if new, or a text: a literal.
        source: where it comes from, 1 to 2000 characters, kept as it is and never fetched.
        confidence: from 0 to 1.
        valid_from, valid_to: dates or instants in ISO 8601; a validity up to a date includes that day.
        supersedes: ids of facts whose validity ends where that of this one begins, or now.
        compare_names: whether new names are compared with those that exist.

    Raises:
        errors.InvalidRequest: a word is unknown, a name empty, a validity upside down.
        errors.Conflict: a name or an alias could mean several entities.
        errors.FactNotFound: a fact to be superseded is unknown.
    """
    predicate_row = _predicate(tx, predicate)
    start, end = _validity(tx, valid_from, valid_to)
    whose, created_subject = entities.find_or_create(tx, subject, missing=errors.SubjectRequired)
    created = [whose] if created_subject else []
    entities.add_aliases(tx, whose, aliases)
    target, literal = None, None
    if isinstance(object, Ref):
        target, created_object = entities.find_or_create(tx, object, missing=errors.ObjectRequired)
        created += [target] if created_object else []
    else:
        literal = _literal(object)
    now = timestamps.stamp(tx.now)
    new = Fact(
        row=0,
        id="",
        subject=whose,
        predicate=predicate,
        object=target,
        literal=literal,
        confidence=confidence,
        recorded_at=now,
        valid_from=start,
        valid_to=end,
        source=source,
    )
    known = _known(tx, new, predicate_row)
    if known is None and supersedes and start is None:
        # What takes the place of something begins where that ends.
        new = replace(new, valid_from=now)
        if end is not None and end <= now:
            raise errors.ValidityInvalid(
                f"what ended ({valid_to}) before now cannot take a place now", hint="Give valid_from too."
            )
        known = _known(tx, new, predicate_row)
    fact = known or _inserted(tx, new, predicate_row)
    store.provenance.insert(tx, fact.row, source=source, confidence=confidence, recorded_at=now)
    superseded = _superseded(tx, replace(fact, recorded_at=now), supersedes)
    return Recorded(
        fact=replace(fact, source=store.provenance.first_source(tx, fact.row)) if known else fact,
        deduplicated=known is not None,
        created=tuple(created),
        superseded=superseded,
        possible_duplicates=_doubles(tx, created) if compare_names and created else (),
    )


def sentence(fact: Fact) -> str:
    """A fact as a sentence, for search and for people."""
    said = fact.object.name if fact.object else fact.literal
    return f"{fact.subject.name} {fact.predicate.replace('_', ' ')} {said}"


def find(tx: Tx, public_id: str) -> Fact:
    """A fact by its id, a retracted one too.

    Raises:
        errors.FactNotFound: there is none.
    """
    fact = store.facts.by_id(tx, public_id.strip().lower())
    if fact is None:
        raise errors.FactNotFound(f"there is no fact {public_id[:60]!r}")
    return fact


def delete(tx: Tx, public_id: str) -> Fact:
    """Delete a fact with every assertion of it, as if it had never been recorded.

    Raises:
        errors.FactNotFound: there is none.
    """
    fact = find(tx, public_id)
    store.facts.delete(tx, fact)
    return fact


def retract(tx: Tx, fact: Fact) -> bool:
    """Say that a fact is not true after all: it is no longer known from now on. False where that was said before."""
    if fact.retracted_at is not None:
        return False
    store.facts.retract(tx, fact, at=timestamps.stamp(tx.now))
    return True


def _superseded(tx: Tx, new: Fact, old: Sequence[str]) -> tuple[Fact, ...]:
    """Close the validity of older facts where the new one begins.

    The validity as it was known before stays on record, so that it can be asked for.

    Raises:
        errors.FactNotFound: one is unknown, or retracted.
        errors.ValidityInvalid: one begins only when the new one does, or later, or is the new one.
    """
    end = new.valid_from or new.recorded_at
    closed = []
    for each in dict.fromkeys(old):
        fact = find(tx, each)
        if fact.retracted_at is not None:
            raise errors.FactNotFound(f"{fact.id} is retracted, so nothing can take its place")
        if fact.row == new.row:
            raise errors.ValidityInvalid(f"{fact.id} is the fact that was given; it cannot take its own place")
        if fact.valid_to is not None and fact.valid_to <= end:
            closed.append(fact)
            continue
        if fact.valid_from is not None and fact.valid_from >= end:
            raise errors.ValidityInvalid(
                f"{fact.id} begins to hold at {fact.valid_from}, not before the fact that is to take its place",
                hint="Give the new fact a later valid_from, or retract the old one if it never held.",
            )
        if store.facts.twin(tx, replace(fact, valid_to=end)):
            raise errors.ValidityInvalid(f"another fact says the same as {fact.id} of the time up to {end}")
        store.facts.close(tx, fact, valid_to=end, now=timestamps.stamp(tx.now))
        closed.append(replace(fact, valid_to=end))
    return tuple(closed)


def _known(tx: Tx, new: Fact, predicate: int) -> Fact | None:
    """The interval of this triple that is meant: the very same, or, if none is given, the one that holds now."""
    for held in store.facts.same_triple(tx, new, predicate):
        if (held.valid_from, held.valid_to) == (new.valid_from, new.valid_to):
            return held
        if new.valid_from is None and new.valid_to is None and _holds(held, at=new.recorded_at):
            return held
    return None


def _holds(fact: Fact, *, at: str) -> bool:
    begun = fact.valid_from is None or fact.valid_from <= at
    return begun and (fact.valid_to is None or at < fact.valid_to)


def _inserted(tx: Tx, new: Fact, predicate: int) -> Fact:
    new = replace(new, id=tx.new_id("fact"))
    return replace(new, row=store.facts.insert(tx, new, predicate=predicate, text=sentence(new)))


def _predicate(tx: Tx, name: str) -> int:
    row = store.vocabulary.find(tx, store.vocabulary.PREDICATE, name)
    if row is None:
        allowed = store.vocabulary.words(tx, store.vocabulary.PREDICATE)
        near = entities.meant(name, allowed)
        perhaps = f" Did you mean {near[0]}?" if near else ""
        raise errors.PredicateUnknown(
            f"{name!r} is not a predicate.{perhaps}",
            hint=f"Use one of {', '.join(word.name for word in allowed)}.",
            candidates=near,
        )
    return row


def _validity(tx: Tx, valid_from: str | None, valid_to: str | None) -> tuple[str | None, str | None]:
    try:
        start = timestamps.parse(valid_from, tx.zone) if valid_from else None
        end = timestamps.parse(valid_to, tx.zone, end=True) if valid_to else None
    except (ValueError, OverflowError) as error:
        raise errors.ValidityInvalid(f"valid_from or valid_to is {error}") from error
    if start and end and start >= end:
        raise errors.ValidityInvalid(f"valid_from ({valid_from}) is not before valid_to ({valid_to})")
    return start, end


def _literal(text: str) -> str:
    literal = text.strip()
    if not literal:
        raise errors.ObjectRequired("the literal is empty")
    if len(literal) > MAX_LITERAL:
        raise errors.ObjectRequired(
            f"the literal has {len(literal)} characters; {MAX_LITERAL} are allowed",
            hint="Keep tags, statuses and short notes as literals.",
        )
    return literal


def _doubles(tx: Tx, created: Sequence[Entity]) -> tuple[tuple[Entity, Candidate], ...]:
    new = {entity.row for entity in created}
    return tuple(
        (entity, candidate)
        for entity in created
        for candidate in entities.possible_duplicates(tx, entity)
        if candidate.entity.row not in new
    )
