"""Facts: recording them, with deduplication, validity and supersession of earlier facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import errors, lazy, store
from keepgraph.engine.knowledge import blocker_resolutions, blockers, entities, statements, validity
from keepgraph.engine.knowledge.ends import GivenFact
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import identifiers, normalisation
from keepgraph.lazy import replace
from keepgraph.model import Candidate, Entity, Fact, FactEffect, Predicate, RecordedFact, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_SOURCE = 2000

_END = lazy.compile(r"\{subject\}|\{object\}")


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
    refuse_misfits: bool = True,
    may_correct: bool = True,
    stated_as: int | None = None,
) -> RecordedFact:
    """Record a fact, add an assertion to an equal fact, or end it.

    A resolving fact ends the facts of the blockers that it names (see blocker_resolutions.py). A literal that is
    another name of the subject becomes its alias.

    Args:
        subject: an entity, created if new; without a type it gets the one that the predicate connects.
        predicate: a predicate of the vocabulary, by its name, by a label of it, or by its inverse.
        object: an entity, created if new, or a text, which is a literal.
        source: its origin, 1 to 2000 characters; stored unchanged and never fetched.
        confidence: from 0 to 1.
        valid_from, valid_to: dates or instants in ISO 8601; a validity up to a date includes that day.
        aliases: other names of the subject.
        supersedes: ids of facts whose validity ends where that of this one begins, or now.
        refuse_misfits: whether to refuse ends and literals that do not fit the predicate; imports only warn.
        may_correct: whether a beginning or an end replaces another known one; imports keep both.
        stated_as: the digest of the statement of a text that says it.

    Raises:
        errors.InvalidRequest: a type or the predicate is not in the vocabulary, the ends or the literal do not fit it,
            a name is empty, or valid_from is not before valid_to.
        errors.Conflict: a name or an alias may mean several entities, or a resolution several blockers.
        errors.FactNotFound: a fact to be superseded or resolved does not exist.
    """
    start, end = parse_validity(tx, valid_from, valid_to)
    given, named = blocker_resolutions.read(tx, GivenFact(subject, predicate, object))
    statement = statements.resolve(tx, given, aliases=aliases, refuse_misfits=refuse_misfits)
    at = tx.at
    new = Fact(
        row=0,
        id="",
        subject=statement.subject,
        predicate=statement.predicate.name,
        object=statement.object,
        literal=statement.literal,
        confidence=confidence,
        recorded_at=at,
        valid_from=start,
        valid_to=end,
        source=source,
        predicate_sentence=statement.predicate.sentence,
    )
    if end is not None and may_correct and statement.predicate.literal_kind in (None, "text"):
        new = replace(new, literal=validity.known_spelling(tx, new, statement.predicate))
    known = validity.find_known(tx, new, statement.predicate)
    # A fact that replaces another begins when that ends: it does not correct what has ended before.
    match = _match(new, known, at=at, supersedes=supersedes, may_correct=may_correct)
    if supersedes and start is None and match.fact and match.changed and not validity.holds_at(match.fact, at):
        match = validity.Match()
    if match.fact is None and supersedes and start is None:
        new = _starting_now(new, valid_to)
        match = _match(new, known, at=at, supersedes=supersedes, may_correct=may_correct)
    plan = _plan_closing(tx, statement, named, new)
    changed = [validity.change(tx, fact, valid_from=fact.valid_from, valid_to=fact.valid_to) for fact in match.changed]
    fact = (changed[0] if changed else match.fact) or _insert(tx, new, statement.predicate.row)
    superseded = _supersede(tx, fact, supersedes)
    closed = _close(tx, plan, superseded, at=start)
    effect = _effect(match)
    first_source = said_before = None
    if match.fact:
        first_source, said_before = store.provenance.of_fact(tx, fact.row, source=source, confidence=confidence)
    surfaces = _surfaces(fact, given)
    says_nothing_new = effect == "repeated" and said_before is not None and not (superseded or closed or aliases)
    if says_nothing_new and not _says_more_than_before(tx, fact, statement.predicate):
        effect = "nothing_changed"
    if effect != "nothing_changed" or stated_as is not None or not _is_retry(tx, said_before, surfaces):
        store.provenance.insert(tx, fact.row, source=source, confidence=confidence, recorded_at=at, statement=stated_as)
        store.provenance.insert_surfaces(tx, fact.row, surfaces)
    return RecordedFact(
        fact=replace(fact, source=first_source or source) if match.fact else fact,
        deduplicated=match.fact is not None,
        effect=effect,
        before=match.fact if changed else None,
        also_ended=tuple(changed[1:]),
        overlapping=() if match.fact else tuple(other for other in known if validity.overlap(fact, other)),
        closed_blockers=closed,
        open_blockers=plan.open,
        created=statement.created,
        superseded=superseded,
        mapped_predicate=statement.mapped_predicate,
        mapped_types=statement.mapped_types,
        ends_warning=statement.warning,
        alias=statement.alias,
    )


def read_ahead(tx: Tx, given: Collection[Mapping[str, Any]]) -> set[tuple[int, int, int]]:
    """Look up the names of many facts in one query, and in another whether these are known, for `record`.

    Args:
        given: the arguments of record_fact for each.

    Returns:
        The rows of subject, predicate and object of those whose names and predicate are known.
    """
    ends = [
        [(end.get("type") or "", end.get("name") or "") for end in (fact["subject"], fact["object"])] for fact in given
    ]
    entity = entities.read_ahead(tx, [end for pair in ends for end in pair])
    predicates = graph_vocabulary.keep(tx).predicate_by_name
    triples: set[tuple[int, int, int]] = set()
    for fact, pair in zip(given, ends, strict=True):
        if fact["predicate"] in predicates and all(end in entity for end in pair):
            subject, predicate, target = entity[pair[0]].row, predicates[fact["predicate"]].row, entity[pair[1]].row
            triples.add((subject, predicate, target))
    store.facts.read_ahead(tx, triples | {(target, predicate, subject) for subject, predicate, target in triples})
    return triples


def _surfaces(fact: Fact, given: GivenFact) -> list[tuple[int, str]]:
    """How the ends of a fact were named, if not by their names: the row of the entity with the key of a name; or of
    one that was merged into it, its id with the row 0."""
    ends = [end for end in (fact.subject, fact.object) if end is not None]
    surfaces = []
    for ref in (given.subject, given.object):
        if isinstance(ref, str):
            continue
        if ref.id is not None:
            surfaces += [(0, ref.id)] if all(ref.id != end.id for end in ends) else []
        elif all(ref.name != end.name for end in ends):
            key = normalisation.key(ref.name or "")
            if all(key != normalisation.key(end.name) for end in ends):
                surfaces += [(end.row, key) for end in ends]
    return surfaces


def find(tx: Tx, fact_id: str) -> Fact:
    """The fact with this public id, which may be retracted.

    Raises:
        errors.FactNotFound: it does not exist.
    """
    fact = store.facts.by_id(tx, fact_id.strip().lower())
    if fact is None:
        raise errors.FactNotFound(f"there is no fact {fact_id[:60]!r}")
    return fact


def possible_duplicates(tx: Tx, created: Sequence[Entity]) -> tuple[tuple[Entity, Candidate], ...]:
    """Entities created for one fact, each with an existing one that may be the same."""
    new = {entity.row for entity in created}
    return tuple(
        (entity, candidate)
        for entity in created
        for candidate in entities.possible_duplicates(tx, entity)
        if candidate.entity.row not in new
    )


def sentence(fact: Fact) -> str:
    """A fact as an English sentence, for full-text search, for embedding and for people."""
    target = (fact.object.name if fact.object else fact.literal) or ""
    return phrase(fact.subject.name, fact.predicate, target, form=fact.predicate_sentence)


def phrase(subject: str, predicate: str, target: str, *, form: str | None) -> str:
    """Two names and a predicate as a sentence, in the form that the predicate gives, if it gives one."""
    if not form:
        return f"{subject} {predicate.replace('_', ' ')} {target}"
    names = {"{subject}": subject, "{object}": target}
    return _END.sub(lambda end: names[end[0]], form)


def parse_validity(tx: Tx, valid_from: str | None, valid_to: str | None) -> tuple[str | None, str | None]:
    """The timestamps that a fact is said to hold between.

    Raises:
        errors.ValidityInvalid: one is neither a date nor an instant, or the first is not before the second.
    """
    try:
        start = timestamps.parse(valid_from, tx.zone) if valid_from else None
        end = timestamps.parse(valid_to, tx.zone, end=True) if valid_to else None
    except (ValueError, OverflowError) as error:
        given = [f"{name} {text!r}" for name, text in (("valid_from", valid_from), ("valid_to", valid_to)) if text]
        raise errors.ValidityInvalid(f"{' or '.join(given)} is {error}") from error
    if start and end and start >= end:
        raise errors.ValidityInvalid(f"valid_from ({valid_from}) is not before valid_to ({valid_to})")
    return start, end


def _match(
    new: Fact, known: Sequence[Fact], *, at: str, supersedes: Sequence[str], may_correct: bool
) -> validity.Match:
    """Match a fact with the known equal ones, except those it is to replace."""
    if new.valid_from is None and new.valid_to is None:
        return validity.match(new, known, at=at)
    replaced = {fact_id.strip().lower() for fact_id in supersedes}
    exact = [fact for fact in known if (fact.valid_from, fact.valid_to) == (new.valid_from, new.valid_to)]
    others = exact or [fact for fact in known if fact.id not in replaced]
    return validity.match(new, others, at=at, may_correct=may_correct)


def _plan_closing(
    tx: Tx, statement: statements.Statement, named: Sequence[Fact], new: Fact
) -> blocker_resolutions.ClosingPlan:
    """What a fact does to open blockers, if it resolves, and holds now or later."""
    has_ended = new.valid_to is not None and new.valid_to <= new.recorded_at
    if statement.predicate.role != "resolves" or has_ended:
        return blocker_resolutions.ClosingPlan()
    return blocker_resolutions.plan(tx, statement, named)


def _close(
    tx: Tx, plan: blocker_resolutions.ClosingPlan, superseded: Sequence[Fact], *, at: str | None
) -> tuple[Fact, ...]:
    """Close the blockers of a plan; superseded ones have already ended."""
    planned = {fact.row for fact in plan.closed}
    ended = [fact for fact in superseded if fact.row in planned]
    ended_rows = {fact.row for fact in ended}
    pending = [fact for fact in plan.closed if fact.row not in ended_rows]
    return (*ended, *blocker_resolutions.close(tx, pending, at=at))


def _effect(match: validity.Match) -> FactEffect:
    if match.fact is None:
        return "recorded"
    if not match.changed:
        return "repeated"
    return "ended" if match.fact.valid_to is None and match.changed[0].valid_to is not None else "changed"


def _is_retry(tx: Tx, said_before: int | None, surfaces: Sequence[tuple[int, str]]) -> bool:
    """Whether a call repeats the last change of the graph, made in its session: then that stands for both."""
    return (
        said_before is not None
        and said_before in store.provenance.of_last_call(tx)
        and not store.provenance.has_new_surface(tx, said_before, surfaces)
    )


def _says_more_than_before(tx: Tx, fact: Fact, predicate: Predicate) -> bool:
    """Whether restating a fact changes what is open: it reopens a blocker that a resolution closed, or resolves a
    subject of which only a blocker was resolved."""
    if predicate.role == "resolves":
        return not store.facts.has_resolved(tx, fact.row, graph_vocabulary.read(tx).names_of_role("blocks"))
    if predicate.role != "blocks":
        return False
    return all(open_fact.row != fact.row for open_fact in blockers.open_rows(tx, among=[fact.subject.row]))


def _starting_now(fact: Fact, valid_to: str | None) -> Fact:
    """The fact with a validity from now: a superseding fact begins where the other ends.

    Raises:
        errors.ValidityInvalid: it has already ended.
    """
    if fact.valid_to is not None and fact.valid_to <= fact.recorded_at:
        raise errors.ValidityInvalid(
            f"a fact that ended in the past ({valid_to}) cannot replace one that holds now", hint="Give valid_from too."
        )
    return replace(fact, valid_from=fact.recorded_at)


def _insert(tx: Tx, new: Fact, predicate: int) -> Fact:
    public_id = tx.new_id("fact")
    row = store.facts.insert(tx, new, public_id=public_id, predicate=predicate, text=sentence(new))
    return replace(new, row=row, id=public_id)


def _supersede(tx: Tx, new: Fact, fact_ids: Sequence[str]) -> tuple[Fact, ...]:
    """End the validity of earlier facts where the new fact begins; a fact that ended before then is unchanged.

    The validity as it was known before stays on record (ADR 0014), for `known_at`.

    Raises:
        errors.FactNotFound: one does not exist, or is retracted.
        errors.ValidityInvalid: one does not begin before the new fact, or is the new fact.
    """
    end = new.valid_from or tx.at
    superseded = []
    for fact_id in dict.fromkeys(fact_ids):
        fact = find(tx, fact_id)
        if fact.retracted_at is not None:
            raise errors.FactNotFound(f"{fact.id} is retracted, so nothing can replace it")
        if fact.row == new.row:
            raise errors.ValidityInvalid(f"{fact.id} is the given fact; it cannot replace itself")
        if fact.valid_to is not None and fact.valid_to <= end:
            superseded.append(fact)
            continue
        if fact.valid_from is not None and fact.valid_from >= end:
            raise errors.ValidityInvalid(
                f"{fact.id} begins to hold on {timestamps.local_date(fact.valid_from, tx.zone)}, not before the fact "
                "that is to replace it",
                hint="Give the new fact a later valid_from, or retract the old one if it never held.",
            )
        if validity.find_duplicate(tx, replace(fact, valid_to=end)):
            raise errors.ValidityInvalid(
                f"another fact says the same as {fact.id} for the time until {timestamps.format_end(end, tx.zone)}"
            )
        validity.change(tx, fact, valid_from=fact.valid_from, valid_to=end)
        superseded.append(replace(fact, valid_to=end))
    return tuple(superseded)


# Retraction and deletion of facts.
#
# A retracted fact is no longer believed, but stays on record for readers who ask what was known earlier (`known_at`).
# A deleted fact is as if it had never been recorded. A fact that was true and has ended is neither: end it (ending.py),
# or record what holds now with `supersedes`. If a resolution is retracted or deleted, the blockers that it closed are
# open again; a retracted or deleted name is no longer an alias.


@dataclass(frozen=True, slots=True)
class _WithdrawnFact:
    """A fact that is no longer believed, as it was, and the reopened blockers that it had closed.

    Attributes:
        is_changed: whether it was believed before.
    """

    fact: Fact
    reopened: tuple[Fact, ...] = ()
    is_changed: bool = True


def retract(tx: Tx, fact: Fact) -> _WithdrawnFact:
    """Retract a fact: it is no longer believed. Nothing happens a second time."""
    if fact.retracted_at is not None:
        return _WithdrawnFact(fact, is_changed=False)
    reopened = blocker_resolutions.reopen(tx, fact)
    _remove_alias(tx, fact)
    store.facts.retract(tx, fact)
    return _WithdrawnFact(fact, reopened)


def delete(tx: Tx, fact_id: str) -> _WithdrawnFact:
    """Delete a fact with all its assertions.

    Raises:
        errors.FactNotFound: none has this id.
    """
    fact = find(tx, fact_id)
    reopened = blocker_resolutions.reopen(tx, fact)
    _remove_alias(tx, fact)
    store.facts.delete(tx, [fact])
    return _WithdrawnFact(fact, reopened)


def _remove_alias(tx: Tx, fact: Fact) -> None:
    if fact.literal is not None and graph_vocabulary.read(tx).predicate_by_name[fact.predicate].is_alias:
        for text in {fact.literal, identifiers.spelling(fact.literal)}:
            store.entities.delete_alias(tx, fact.subject, normalisation.key(text))


# The texts of facts, rewritten where a name in them or the sentence of their predicate has changed.

_BATCH = 5_000


def rewrite(tx: Tx, rows: Sequence[int]) -> int:
    """Rewrite the texts of facts that no longer match the facts; returns how many. A row may have no fact."""
    count = 0
    for first in range(0, len(rows), _BATCH):
        texts = store.full_text.read(tx, rows[first : first + _BATCH])
        sentences = {fact.row: sentence(fact) for fact in store.facts.by_rows(tx, list(texts))}
        changed = {row: sentence for row, sentence in sentences.items() if sentence != texts[row]}
        store.full_text.update(tx, changed)
        count += len(changed)
    return count
