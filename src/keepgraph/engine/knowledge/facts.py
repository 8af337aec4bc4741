"""Facts: recording them, with deduplication, validity and supersession of earlier facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities, statements
from keepgraph.engine.knowledge.ends import GivenFact
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Candidate, Entity, Fact, Predicate, RecordedFact, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_SOURCE = 2000

_END = re.compile(r"\{subject\}|\{object\}")


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
    refuse_misfits: bool = True,
) -> RecordedFact:
    """Record a fact, or add an assertion to the fact that says the same already.

    Args:
        subject: an entity, created if new; without a type it gets that which the predicate connects.
        predicate: a predicate of the vocabulary, by its name, by a label of it, or by its inverse.
        object: an entity, created if new, or a text, which is a literal.
        source: where it comes from, 1 to 2000 characters; stored as it is and never fetched.
        confidence: from 0 to 1.
        valid_from, valid_to: dates or instants in ISO 8601; a validity up to a date includes that day.
        aliases: other names of the subject.
        supersedes: ids of facts whose validity ends where that of this one begins, or now.
        compare_names: whether new names are compared with existing ones, for `possible_duplicates`; record_facts
            leaves it out in long calls.
        refuse_misfits: whether ends and literals that do not fit the predicate are refused; imports are warned of them.

    Raises:
        errors.InvalidRequest: a type or the predicate is not in the vocabulary, the ends or the literal do not fit it,
            a name is empty, or valid_from is not before valid_to.
        errors.Conflict: a name or an alias may mean several entities.
        errors.FactNotFound: a fact to be superseded does not exist.
    """
    start, end = _validity(tx, valid_from, valid_to)
    statement = statements.resolve(
        tx, GivenFact(subject, predicate, object), aliases=aliases, refuse_misfits=refuse_misfits
    )
    now = timestamps.from_datetime(tx.now)
    new = Fact(
        row=0,
        id="",
        subject=statement.subject,
        predicate=statement.predicate.name,
        object=statement.object,
        literal=statement.literal,
        confidence=confidence,
        recorded_at=now,
        valid_from=start,
        valid_to=end,
        source=source,
        predicate_sentence=statement.predicate.sentence,
    )
    existing = _find_interval(tx, new, statement.predicate)
    if existing is None and supersedes and start is None:
        new = _starting_now(new, valid_to)
        existing = _find_interval(tx, new, statement.predicate)
    fact = existing or _insert(tx, new, statement.predicate.row)
    store.provenance.insert(tx, fact.row, source=source, confidence=confidence, recorded_at=now)
    superseded = _supersede(tx, replace(fact, recorded_at=now), supersedes)
    created = statement.created
    return RecordedFact(
        fact=replace(fact, source=store.provenance.first_source(tx, fact.row)) if existing else fact,
        deduplicated=existing is not None,
        created=created,
        superseded=superseded,
        possible_duplicates=_possible_duplicates(tx, created) if compare_names and created else (),
        mapped_predicate=statement.mapped_predicate,
        mapped_types=statement.mapped_types,
        ends_warning=statement.warning,
    )


def find(tx: Tx, fact_id: str) -> Fact:
    """The fact with this public id, which may be retracted.

    Raises:
        errors.FactNotFound: there is none.
    """
    fact = store.facts.by_id(tx, fact_id.strip().lower())
    if fact is None:
        raise errors.FactNotFound(f"there is no fact {fact_id[:60]!r}")
    return fact


def sentence(fact: Fact) -> str:
    """A fact as an English sentence, for full-text search, for embedding and for people."""
    target = (fact.object.name if fact.object else fact.literal) or ""
    if not fact.predicate_sentence:
        return f"{fact.subject.name} {fact.predicate.replace('_', ' ')} {target}"
    names = {"{subject}": fact.subject.name, "{object}": target}
    return _END.sub(lambda end: names[end[0]], fact.predicate_sentence)


def find_duplicate(tx: Tx, fact: Fact) -> Fact | None:
    """Another fact that says the same of the same time, and is not retracted.

    In a symmetric predicate, the fact with the ends exchanged says the same.
    """
    if duplicate := store.facts.find_duplicate(tx, fact):
        return duplicate
    exchanged = _exchanged(fact, graph_vocabulary.read(tx).predicate_by_name[fact.predicate])
    return store.facts.find_duplicate(tx, exchanged) if exchanged else None


def _validity(tx: Tx, valid_from: str | None, valid_to: str | None) -> tuple[str | None, str | None]:
    try:
        start = timestamps.parse(valid_from, tx.zone) if valid_from else None
        end = timestamps.parse(valid_to, tx.zone, end=True) if valid_to else None
    except (ValueError, OverflowError) as error:
        raise errors.ValidityInvalid(f"valid_from or valid_to is {error}") from error
    if start and end and start >= end:
        raise errors.ValidityInvalid(f"valid_from ({valid_from}) is not before valid_to ({valid_to})")
    return start, end


def _find_interval(tx: Tx, new: Fact, predicate: Predicate) -> Fact | None:
    """The fact that a new one repeats: the same triple and validity; or, without a validity, the one that holds now."""
    exchanged = _exchanged(new, predicate)
    for candidate in (new, exchanged) if exchanged else (new,):
        for fact in store.facts.intervals_of_triple(tx, candidate, predicate.row):
            if (fact.valid_from, fact.valid_to) == (new.valid_from, new.valid_to):
                return fact
            if new.valid_from is None and new.valid_to is None and _holds_at(fact, at=new.recorded_at):
                return fact
    return None


def _exchanged(fact: Fact, predicate: Predicate) -> Fact | None:
    """The fact with its ends exchanged, where that says the same; None where it does not."""
    if fact.object is None or "symmetric" not in predicate.flags or fact.object.row == fact.subject.row:
        return None
    return replace(fact, subject=fact.object, object=fact.subject)


def _holds_at(fact: Fact, *, at: str) -> bool:
    has_begun = fact.valid_from is None or fact.valid_from <= at
    return has_begun and (fact.valid_to is None or at < fact.valid_to)


def _starting_now(fact: Fact, valid_to: str | None) -> Fact:
    """The fact with a validity that begins now: what supersedes another fact begins where that ends.

    Raises:
        errors.ValidityInvalid: it has ended already.
    """
    now = fact.recorded_at
    if fact.valid_to is not None and fact.valid_to <= now:
        raise errors.ValidityInvalid(
            f"what ended ({valid_to}) before now cannot take a place now", hint="Give valid_from too."
        )
    return replace(fact, valid_from=now)


def _insert(tx: Tx, new: Fact, predicate: int) -> Fact:
    new = replace(new, id=tx.new_id("fact"))
    return replace(new, row=store.facts.insert(tx, new, predicate=predicate, text=sentence(new)))


def _supersede(tx: Tx, new: Fact, fact_ids: Sequence[str]) -> tuple[Fact, ...]:
    """End the validity of earlier facts where the new fact begins; a fact that ended before then stays as it is.

    The validity as it was known before stays on record (ADR 0014), for `known_at`.

    Raises:
        errors.FactNotFound: one does not exist, or is retracted.
        errors.ValidityInvalid: one does not begin before the new fact, or is the new fact.
    """
    end = new.valid_from or new.recorded_at
    superseded = []
    for fact_id in dict.fromkeys(fact_ids):
        fact = find(tx, fact_id)
        if fact.retracted_at is not None:
            raise errors.FactNotFound(f"{fact.id} is retracted, so nothing can take its place")
        if fact.row == new.row:
            raise errors.ValidityInvalid(f"{fact.id} is the fact that was given; it cannot take its own place")
        if fact.valid_to is not None and fact.valid_to <= end:
            superseded.append(fact)
            continue
        if fact.valid_from is not None and fact.valid_from >= end:
            raise errors.ValidityInvalid(
                f"{fact.id} begins to hold at {fact.valid_from}, not before the fact that is to take its place",
                hint="Give the new fact a later valid_from, or retract the old one if it never held.",
            )
        if find_duplicate(tx, replace(fact, valid_to=end)):
            raise errors.ValidityInvalid(f"another fact says the same as {fact.id} of the time up to {end}")
        store.facts.end_validity(tx, fact, valid_to=end, now=timestamps.from_datetime(tx.now))
        superseded.append(replace(fact, valid_to=end))
    return tuple(superseded)


def _possible_duplicates(tx: Tx, created: Sequence[Entity]) -> tuple[tuple[Entity, Candidate], ...]:
    new = {entity.row for entity in created}
    return tuple(
        (entity, candidate)
        for entity in created
        for candidate in entities.possible_duplicates(tx, entity)
        if candidate.entity.row not in new
    )
