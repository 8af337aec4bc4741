"""Facts that have ended and facts to come, in a few lines, which an answer about now would otherwise omit.

For each of three predicates one fact is shown, the one that ended last or begins next; the others are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import TypeVar

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary, sets
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Fact, Predicate
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_LINES = 3


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines such as `until 2026-03-31: works_at Acme`, and how many facts there are besides."""

    lines: tuple[str, ...] = ()
    more: int = 0


def of_entities(
    tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None = None, names_entities: bool = False
) -> tuple[Lines, Lines]:
    """Ended and future facts of some entities, in one query, and one more for each entity that has any.

    Args:
        entities: their rows.
        predicates: those to report; None is all.
        names_entities: whether a line names its entity; otherwise it begins with the predicate.
    """
    if not entities:
        return Lines(), Lines()
    found = store.facts.at_other_times(tx, entities, predicates=predicates, by_subject=names_entities)
    seen_from = () if names_entities else entities

    def tell(*, to_come: bool) -> Lines:
        of_kind = [(row, count) for row, is_to_come, count in found if is_to_come == to_come]
        if not of_kind:
            return Lines()
        facts = store.facts.by_rows(tx, [row for row, _ in of_kind[:MAX_LINES]])
        lines = tuple(f"{_when(tx, fact, to_come=to_come)}: {_words(tx, fact, seen_from)}" for fact in facts)
        return Lines(lines, sum(count for _, count in of_kind) - len(lines))

    return tell(to_come=False), tell(to_come=True)


def _when(tx: Tx, fact: Fact, *, to_come: bool) -> str:
    until = f"until {timestamps.format_end(fact.valid_to, tx.zone)}" if fact.valid_to else ""
    start = f"from {timestamps.local_date(fact.valid_from, tx.zone)}" if to_come and fact.valid_from else ""
    return " ".join(filter(None, (start, until)))


def _words(tx: Tx, fact: Fact, seen_from: Sequence[int]) -> str:
    """A fact from its predicate on, as it reads from one of these entities; for others, from its subject on."""
    target = fact.object.name if fact.object else f"“{fact.literal}”"
    if fact.subject.row in seen_from:
        return f"{fact.predicate} {target}"
    inverses = graph_vocabulary.read(tx).inverses(fact.predicate)
    if inverses and fact.object is not None and fact.object.row in seen_from:
        return f"{inverses[0]} {fact.subject.name}"
    return f"{fact.subject.name} {fact.predicate} {target}"


# Readings of facts: a fact as read from its object, by an inverse or a symmetric predicate.


def read_from(tx: Tx, fact: Fact, entity: Entity) -> Predicate | None:
    """The predicate by which a fact reads with its ends swapped, from an entity that is its object: `Acme employs Ana`.

    None if the entity is its subject, or the vocabulary has no word for that.
    """
    if fact.object is None or fact.object.row != entity.row or fact.subject.row == entity.row:
        return None
    vocabulary = graph_vocabulary.read(tx)
    term = vocabulary.predicate_by_name[fact.predicate]
    if "symmetric" in term.flags:
        return term
    inverses = [vocabulary.predicate_by_name[name] for name in vocabulary.inverses(fact.predicate)]
    return next((inverse for inverse in inverses if inverse.retired_at is None), None)


# Successions: which of two facts is the later, where one is usual, and lists with the later one first.

MIN_SUBJECTS = 20
MIN_SHARE_OF_ONE = 0.9
"""From how many subjects with a fact of a predicate, and which share with just one, one is usual in the graph."""

_ONE_OBJECT = frozenset({"functional", "usually_functional"})
_ONE_SUBJECT = frozenset({"inverse_functional", "usually_inverse_functional"})

_T = TypeVar("_T")


def in_order(fact: Fact, other: Fact) -> tuple[Fact, Fact]:
    """Two facts, the later of which replaced the earlier: the later, and the earlier.

    A missing beginning is taken to be when the fact was recorded. An unrecorded fact (its row is 0) is
    the newest.
    """
    is_newer = bool(other.row) and (not fact.row or fact.row > other.row)
    newer, older = (fact, other) if is_newer else (other, fact)
    # A missing beginning of the older one may be any time before the newer one, or before its own end.
    had_ended = newer.valid_to is not None and newer.valid_to <= newer.recorded_at
    is_reversed = (older.valid_from or "") > (newer.valid_from or ("" if had_ended else newer.recorded_at))
    return (older, newer) if is_reversed else (newer, older)


def may_be_learnt(predicate: Predicate) -> bool:
    """Whether the graph decides what is usual for a predicate: else roles and the sets of this program do."""
    return predicate.role is None and "symmetric" not in predicate.flags and not sets.is_shipped(predicate.set)


def sort(tx: Tx, facts: Sequence[_T], fact_of: Callable[[_T], Fact]) -> list[_T]:
    """A list in order, with two exceptions: later facts replace those that they probably followed, and those that
    may have begun after the requested time come last.
    """
    now = tx.at
    ordered = sorted(facts, key=lambda one: begins_unknown(fact_of(one), now))
    places: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    predicates = graph_vocabulary.read(tx).predicate_by_name
    for place, one in enumerate(ordered):
        fact = fact_of(one)
        predicate = predicates[fact.predicate]
        of_object = [fact.object.row] if fact.object else []
        is_symmetric = "symmetric" in predicate.flags
        if predicate.flags & _ONE_OBJECT or may_be_learnt(predicate):
            for end in (fact.subject.row, *(of_object if is_symmetric else ())):
                places["subject", predicate.row, end].append(place)
        if predicate.flags & _ONE_SUBJECT:
            for end in of_object:
                places["object", predicate.row, end].append(place)

    def compare(one: _T, other: _T) -> int:
        first, second = fact_of(one), fact_of(other)
        unknown = begins_unknown(first, now) - begins_unknown(second, now)
        return unknown or (-1 if in_order(first, second)[0] is first else 1)

    for (_, row, end), of_one in places.items():
        if len(of_one) > 1 and _is_usual(tx, predicates[fact_of(ordered[of_one[0]]).predicate], row, end):
            later_first = sorted((ordered[place] for place in of_one), key=cmp_to_key(compare))
            for place, one in zip(of_one, later_first, strict=True):
                ordered[place] = one
    return ordered


def begins_unknown(fact: Fact, at: str) -> bool:
    """Whether a fact is not known to have begun at a time: it has no beginning, and was recorded after that."""
    return fact.valid_from is None and fact.recorded_at > at


def _is_usual(tx: Tx, predicate: Predicate, row: int, subject: int) -> bool:
    return bool(predicate.flags & (_ONE_OBJECT | _ONE_SUBJECT)) or store.group_conflicts.is_usually_one(
        tx,
        row,
        besides=subject,
        least_subjects=MIN_SUBJECTS,
        least_share=MIN_SHARE_OF_ONE,
    )
