"""The validity of a stated fact compared with known ones: which interval it repeats, ends or corrects (ADR 0034).

An equal fact with an end where none was known closes the open interval; it does not become a second one.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass, replace
from keepgraph.model import Fact, Predicate
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


@dataclass(frozen=True, slots=True)
class Match:
    """How a stated fact relates to the known equal ones.

    Attributes:
        fact: the known fact that is meant, as it was; None if the stated one is new.
        changed: known facts with their new validity, the one that is meant first.
    """

    fact: Fact | None = None
    changed: tuple[Fact, ...] = ()


def match(stated: Fact, known: Sequence[Fact], *, at: str, may_correct: bool = True) -> Match:
    """Compare the validity of a stated fact with those of the known equal facts.

    Args:
        known: facts of the same triple that are not retracted, oldest first.
        at: the timestamp of the call.
        may_correct: whether a stated beginning or end may replace another; else only an open end is closed, and only
            if both begin at the same instant.
    """
    start, end = stated.valid_from, stated.valid_to
    for fact in known:
        if (fact.valid_from, fact.valid_to) == (start, end):
            return Match(fact)
    if start is None and end is None:
        return Match(next((fact for fact in known if holds_at(fact, at)), None))
    if end is None:
        return _match_beginning(stated, known, at=at, may_correct=may_correct)
    open_ = [fact for fact in known if fact.valid_to is None and _may_have_begun(fact, start, may_correct=may_correct)]
    open_ = [fact for fact in open_ if _begin(fact) < end]
    if open_:
        # Of several open ones, the one that began last is meant; one that has ended is never reopened.
        meant = max(open_, key=_begin)
        valid_from = meant.valid_from or start
        others = [replace(fact, valid_to=end) for fact in open_ if fact.row != meant.row]
        return Match(meant, (replace(meant, valid_from=valid_from, valid_to=end), *others))
    return _match_ended(stated, known, end=end) if may_correct else Match()


def find_known(tx: Tx, fact: Fact, predicate: Predicate) -> list[Fact]:
    """The facts that say the same at any time, and are not retracted; of a symmetric predicate, either way round."""
    exchanged = _exchange(fact, predicate)
    return [
        known
        for either in (fact, exchanged)
        if either
        for known in store.facts.intervals_of_triple(tx, either, predicate.row)
    ]


def known_spelling(tx: Tx, fact: Fact, predicate: Predicate) -> str | None:
    """The literal of a fact as it is known in other capitals, if in just one other spelling; else as it is stated."""
    if fact.literal is None or find_known(tx, fact, predicate):
        return fact.literal
    key = Name(fact.literal).key
    spellings = {
        known.literal
        for known in store.facts.all_of_predicates(tx, fact.subject, [fact.predicate])
        if known.subject == fact.subject and known.literal is not None and Name(known.literal).key == key
    }
    return spellings.pop() if len(spellings) == 1 else fact.literal


def find_duplicate(tx: Tx, fact: Fact) -> Fact | None:
    """Another fact that says the same of the same time, and is not retracted.

    In a symmetric predicate, the fact with the ends exchanged says the same.
    """
    if duplicate := store.facts.find_duplicate(tx, fact):
        return duplicate
    exchanged = _exchange(fact, graph_vocabulary.read(tx).predicate_by_name[fact.predicate])
    return store.facts.find_duplicate(tx, exchanged) if exchanged else None


def change(tx: Tx, fact: Fact, *, valid_from: str | None, valid_to: str | None) -> Fact:
    """Give a fact another validity, and return it; the validity as it was known stays on record for `known_at`.

    Where another fact says the same of that time already, this one is retracted, and the other is returned.

    Raises:
        errors.ValidityInvalid: it would end before it begins.
    """
    if valid_from is not None and valid_to is not None and valid_from >= valid_to:
        began, ends = timestamps.local_date(valid_from, tx.zone), timestamps.format_end(valid_to, tx.zone)
        raise errors.ValidityInvalid(
            f"{fact.id} begins to hold on {began}; it cannot end on {ends}",
            hint="Give a later end, or retract the fact if it never held.",
        )
    new = replace(fact, valid_from=valid_from, valid_to=valid_to)
    if duplicate := find_duplicate(tx, new):
        store.facts.retract(tx, fact)
        return duplicate
    store.facts.change_validity(tx, fact, valid_from=valid_from, valid_to=valid_to)
    return new


def holds_at(fact: Fact, at: str) -> bool:
    return _begin(fact) <= at and (fact.valid_to is None or at < fact.valid_to)


def overlap(fact: Fact, other: Fact) -> bool:
    """Whether there is a time at which both hold."""
    return (other.valid_to is None or _begin(fact) < other.valid_to) and (
        fact.valid_to is None or _begin(other) < fact.valid_to
    )


def _match_beginning(stated: Fact, known: Sequence[Fact], *, at: str, may_correct: bool) -> Match:
    """Match a fact with a beginning and no end: an end that is known is not contradicted by it."""
    start = stated.valid_from or ""
    same_beginning = [fact for fact in known if fact.valid_from == start]
    if same_beginning:
        return Match(same_beginning[-1])
    undated = [fact for fact in known if fact.valid_from is None and (fact.valid_to is None or start < fact.valid_to)]
    if may_correct and len(undated) == 1 and start <= at:
        return Match(undated[0], (replace(undated[0], valid_from=start),))
    return Match()


def _match_ended(stated: Fact, known: Sequence[Fact], *, end: str) -> Match:
    """Match a fact with an end where no open one is meant: it gives another end, or the beginning of the same end."""
    start = stated.valid_from
    if start is None:
        begun = [fact for fact in known if _begin(fact) < end]
        meant = max(begun, key=_begin) if begun else None
    else:
        meant = next((fact for fact in known if fact.valid_from == start), None) or next(
            (fact for fact in known if fact.valid_from is None and fact.valid_to == end), None
        )
    if meant is None:
        return Match()
    return Match(meant, (replace(meant, valid_from=meant.valid_from or start, valid_to=end),))


def _may_have_begun(fact: Fact, start: str | None, *, may_correct: bool) -> bool:
    """Whether the beginning of a known fact agrees with a stated one; not to know it agrees with any."""
    if not may_correct:
        return start is not None and fact.valid_from == start
    return start is None or fact.valid_from in (None, start)


def _begin(fact: Fact) -> str:
    return fact.valid_from or ""


def _exchange(fact: Fact, predicate: Predicate) -> Fact | None:
    """The fact with its ends exchanged, if that says the same; None if it does not."""
    if fact.object is None or "symmetric" not in predicate.flags or fact.object.row == fact.subject.row:
        return None
    return replace(fact, subject=fact.object, object=fact.subject)
