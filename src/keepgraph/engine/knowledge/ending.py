"""Ending facts: what was true no longer holds from a date on. Nothing is created, and names are never guessed.

What was known before stays visible for `known_at` (ADR 0014). The end of an ended fact is changed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities, facts, literals, predicates, validity
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, Fact, FactEffect, Predicate, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_CANDIDATES = 20
_MAX_KNOWN = 5


@dataclass(frozen=True, slots=True)
class EndedFact:
    """A fact that was ended.

    Attributes:
        fact: as it is now.
        before: as it was.
        effect: ended, changed (it had another end), or nothing_changed.
        also_ended: other facts that say the same, and ended with it.
    """

    fact: Fact
    before: Fact
    effect: FactEffect
    also_ended: tuple[Fact, ...] = ()


def end(tx: Tx, found: Sequence[Fact], *, valid_to: str | None, source: str | None) -> EndedFact:
    """End facts that say the same; the first is the one meant.

    Args:
        valid_to: when they ended; None for now. A date includes that day.
        source: its origin, which becomes a source of the fact.

    Raises:
        errors.ValidityInvalid: it would end before it begins.
    """
    before = found[0]
    moment = parse_end(tx, valid_to)
    ended = [
        fact if fact.valid_to == moment else validity.change(tx, fact, valid_from=fact.valid_from, valid_to=moment)
        for fact in found
    ]
    if source is not None:
        certain, now = before.confidence, tx.at
        first, said_before = store.provenance.of_fact(tx, ended[0].row, source=source, confidence=certain)
        if said_before is None:
            store.provenance.insert(tx, ended[0].row, source=source, confidence=certain, recorded_at=now)
            ended[0] = replace(ended[0], source=first or source)
    effect: FactEffect = "ended" if before.valid_to is None else "changed"
    if before.valid_to == moment:
        effect = "nothing_changed"
    return EndedFact(ended[0], before, effect, tuple(ended[1:]))


def resting_on(tx: Tx, ended: Sequence[Fact]) -> list[Fact]:
    """The facts that hold and may have ended with others: what rests on an ended job, for example.

    The vocabulary's flags say what is a basis, and what rests on one: the subject's basis, on either side. What began
    after the basis had ended rests on another.
    """
    vocabulary = graph_vocabulary.read(tx)
    resting = [term.name for term in vocabulary.predicates if "rests_on_basis" in term.flags]
    found: dict[int, Fact] = {}
    for basis in ended:
        if resting and "basis" in vocabulary.predicate_by_name[basis.predicate].flags and basis.valid_to is not None:
            for fact in store.facts.touching(tx, basis.subject, resting):
                if fact.valid_from is None or fact.valid_from < basis.valid_to:
                    found[fact.row] = fact
    return list(found.values())[:MAX_CANDIDATES]


def find_by_id(tx: Tx, fact_id: str, *, valid_to: str | None) -> list[Fact]:
    """The fact with this id, as a list of one.

    Args:
        valid_to: when it ended; None for now.

    Raises:
        errors.FactNotFound: it does not exist, is retracted, or has ended and no other end is given.
    """
    fact = facts.find(tx, fact_id)
    if fact.retracted_at is not None:
        raise errors.FactNotFound(f"{fact.id} is retracted: it is not believed to have held", hint="Record it again.")
    if valid_to is None and fact.valid_to is not None and fact.valid_to <= tx.at:
        raise _ended_already(tx, facts.sentence(fact), [fact])
    return [fact]


def find(tx: Tx, *, subject: Ref, predicate: str, object: Ref | str | None, valid_to: str | None) -> list[Fact]:
    """The facts to end, by what they say: current ones of one statement, the latest first.

    If all have ended and another end is given, the last of them is meant, provided they say the same.

    Args:
        predicate: as `facts.record` takes it.
        object: an entity or a text; None for the only one.
        valid_to: when they ended; None for now.

    Raises:
        errors.EntityNotFound, errors.Ambiguous: the subject is unknown, or there are several.
        errors.PredicateUnknown: the predicate is not in the vocabulary.
        errors.FactNotFound: no such fact holds; ended ones are candidates.
        errors.Ambiguous: facts of several objects hold.
    """
    known_subject = entities.find(tx, subject)
    fitting = _find_fitting(tx, known_subject, predicate, object)
    moment = parse_end(tx, valid_to)
    now = tx.at
    holding = [fact for fact in fitting if fact.valid_to is None or fact.valid_to > now]
    begun = [fact for fact in holding if fact.valid_from is None or fact.valid_from < moment]
    is_corrected = not begun and valid_to is not None and not (holding and object is None)
    begun = fitting if is_corrected else begun
    if not begun:
        raise _nothing_open(tx, known_subject, predicate, object, holding or fitting)
    statements = {(fact.subject.row, fact.predicate, fact.object, fact.literal) for fact in begun}
    if len(statements) > 1:
        raise _several(tx, known_subject, predicate, begun)
    latest_first = sorted(begun, key=lambda fact: fact.valid_from or "", reverse=True)
    return latest_first[:1] if is_corrected else latest_first


def find_at_any_time(tx: Tx, *, subject: Ref, predicate: str, object: Ref | str | None) -> Fact:
    """The only fact that says this, whether it holds, has ended or is to come; arguments and errors as of `find`."""
    known_subject = entities.find(tx, subject)
    fitting = _find_fitting(tx, known_subject, predicate, object)
    if not fitting:
        raise _nothing_open(tx, known_subject, predicate, object, fitting)
    if len(fitting) > 1:
        raise _several(tx, known_subject, predicate, fitting)
    return fitting[0]


def find_alike(tx: Tx, fact: Fact) -> list[Fact]:
    """The other facts of the same two ends, at a time that overlaps, whose predicates have the same role.

    Something is a blocker, for example, whether it is said to block or to be waited for.
    """
    vocabulary = graph_vocabulary.read(tx)
    role = vocabulary.role(fact.predicate)
    others = store.facts.all_of_predicates(tx, fact.subject, vocabulary.names_of_role(role)) if role else []
    return [
        other
        for other in others
        if other.row != fact.row
        and (other.subject, other.object) == (fact.subject, fact.object)
        and Name(other.literal or "").key == Name(fact.literal or "").key
        and validity.overlap(fact, other)
    ]


def describe(tx: Tx, candidates: Sequence[Fact]) -> list[dict[str, str | None]]:
    """Facts as candidates of an error: their ids, sentences and validity in local time."""
    return [
        {
            "id": fact.id,
            "text": facts.sentence(fact),
            "valid_from": fact.valid_from and timestamps.format_local(fact.valid_from, tx.zone),
            "valid_to": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone),
        }
        for fact in candidates[:MAX_CANDIDATES]
    ]


def parse_end(tx: Tx, valid_to: str | None) -> str:
    """The timestamp at which facts end.

    Raises:
        errors.ValidityInvalid: it is neither a date nor an instant.
    """
    _, moment = facts.parse_validity(tx, None, valid_to)
    return moment or tx.at


def _several(tx: Tx, subject: Entity, predicate: str, fitting: Sequence[Fact]) -> errors.Ambiguous:
    are_of_one_object = len({(fact.object, fact.literal) for fact in fitting}) == 1
    return errors.Ambiguous(
        f"{len(fitting)} facts fit: {subject.name} {predicate}",
        hint="Name the fact by its id." if are_of_one_object else "Name the object too, or the fact by its id.",
        candidates=describe(tx, fitting),
    )


def _find_fitting(tx: Tx, subject: Entity, predicate: str, object: Ref | str | None) -> list[Fact]:
    """The facts of a subject under a predicate, its inverse or a wording of it, that are not retracted."""
    vocabulary = graph_vocabulary.read(tx)
    try:
        matches = predicates.find_matches(tx, predicate)
    except errors.PredicateUnknown as error:
        error.hint = _describe_known(tx, subject) or error.hint
        raise
    names = list(dict.fromkeys(match.predicate.name for match in matches))
    reversed_: set[str] = set()
    forward: set[str] = set()
    for match in matches:
        (reversed_ if match.is_reversed else forward).add(match.predicate.name)
        if "symmetric" in vocabulary.predicate_by_name[match.predicate.name].flags:
            reversed_.add(match.predicate.name)
    is_object = _object_test(tx, object, [match.predicate for match in matches])
    return [
        fact
        for fact in store.facts.all_of_predicates(tx, subject, names)
        if (fact.predicate in forward and fact.subject == subject and is_object(fact.object, fact.literal))
        or (fact.predicate in reversed_ and fact.object == subject and is_object(fact.subject, None))
    ]


def _object_test(
    tx: Tx, object: Ref | str | None, named: Sequence[Predicate]
) -> Callable[[Entity | None, str | None], bool]:
    """Whether the other end of a fact is what a caller named.

    Args:
        named: the predicates that may be meant; under one that takes dates, “next Friday” names the day.

    Raises:
        errors.EntityNotFound, errors.EntityTypeUnknown, errors.Ambiguous: a name with a type means none, or several.
    """
    if object is None:
        return lambda entity, literal: True
    if isinstance(object, Ref) and (object.id is not None or object.type):
        wanted = entities.find(tx, object)
        return lambda entity, literal: entity == wanted
    name = Name(object if isinstance(object, str) else object.name or "")
    stored = {name.text, *_read_dates(tx, name.text, named)}
    if isinstance(object, str):
        return lambda entity, literal: literal is not None and (literal in stored or Name(literal).key == name.key)
    rows = {
        entity.row
        for entity in (
            *store.entities.by_key(tx, name.key),
            *(entity for entity, _ in store.entities.by_alias_key(tx, name.key)),
        )
    }
    return lambda entity, literal: (
        entity.row in rows
        if entity is not None
        else literal is not None and (literal in stored or Name(literal).key == name.key)
    )


def _read_dates(tx: Tx, said: str, named: Sequence[Predicate]) -> list[str]:
    """The dates that a text means under predicates that take dates."""
    dates = []
    for predicate in named:
        if predicate.literal_kind == "date":
            with suppress(errors.LiteralInvalid):
                dates.append(literals.read(tx, predicate, said))
    return dates


def _nothing_open(
    tx: Tx, subject: Entity, predicate: str, object: Ref | str | None, candidates: Sequence[Fact]
) -> errors.FactNotFound:
    """The error if no fact ends, with the existing facts."""
    named = object.name or object.id if isinstance(object, Ref) else object
    wanted = " ".join(filter(None, [subject.name, predicate, named]))[:120]
    if not candidates:
        others = _others(tx, subject)
        return errors.FactNotFound(
            f"no fact says “{wanted}”", hint=_describe_known(tx, subject) or None, candidates=describe(tx, others)
        )
    last = max(candidates, key=lambda fact: fact.valid_to or "~")
    if last.valid_to is not None and last.valid_to <= tx.at:
        return _ended_already(tx, wanted, candidates)
    return errors.FactNotFound(
        f"“{wanted}” begins only later",
        hint="Give a later end, or retract the fact.",
        candidates=describe(tx, candidates),
    )


def _others(tx: Tx, subject: Entity) -> list[Fact]:
    return store.facts.about(tx, subject, at=tx.at, limit=_MAX_KNOWN)


def _describe_known(tx: Tx, subject: Entity) -> str:
    """What holds about a subject, in words; empty if nothing does."""
    others = _others(tx, subject)
    return f"Known about {subject.name}: {'; '.join(map(facts.sentence, others))}." if others else ""


def _ended_already(tx: Tx, wanted: str, candidates: Sequence[Fact]) -> errors.FactNotFound:
    last = max(candidates, key=lambda fact: fact.valid_to or "~")
    ended = timestamps.format_end(last.valid_to or "", tx.zone)
    return errors.FactNotFound(
        f"“{wanted[:120]}” has already ended: it held until {ended}",
        hint="To correct the end, say when it ended.",
        candidates=describe(tx, candidates),
    )
