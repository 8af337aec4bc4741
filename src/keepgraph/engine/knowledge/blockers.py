"""Open blockers. Each blocker is closed on its own, never by the resolution of another (ADR 0006).

A resolution ends the facts of the blockers that it names when it is recorded (`blocker_resolutions`, ADR 0034): a
blocker is open while its fact holds. Resolutions that were imported ended nothing; for
them the assertions are replayed. `S blocked_by B` is closed by a later `S resolved_by B`, or by `B resolved_by …`
where B is not blocked. A later `S resolved_by X`, where X names no blocker of S, closes it only if it was the only one
open then, and S blocked nothing itself: which of several it settles cannot be known. A later assertion that S is
blocked by B opens the blocker again. All predicates in the role "blocks" count as blocked_by, and all in the role
"resolves" as resolved_by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation, phrase_matching
from keepgraph.model import FactRow
from keepgraph.store.transactions import Tx


def open_blockers(
    tx: Tx, *, among: Collection[int] | None = None, subjects: Sequence[int] | None = None
) -> list[FactRow]:
    """The open blockers, newest first: each once, though both waits_for and blocked_by say it."""
    newest: dict[tuple[int, str], FactRow] = {}
    for fact in open_rows(tx, among=among, subjects=subjects):
        newest.setdefault((fact.subject, _blocker_key(fact)), fact)
    return list(newest.values())


def open_rows(tx: Tx, *, among: Collection[int] | None = None, subjects: Sequence[int] | None = None) -> list[FactRow]:
    """The blocking facts that nothing has resolved, newest first.

    A fact without a beginning begins when it is recorded: for a reader who asks `as_of` earlier, it was not open.

    Args:
        among: only those with one of these entities, given by their rows, as subject or object.
        subjects: only those with one of these as subject; no others are read.
    """
    at = tx.at
    vocabulary = graph_vocabulary.read(tx)
    predicates = vocabulary.names_of_role("blocks")
    blocking = _begun(store.facts.rows_of_predicates(tx, predicates, subjects=subjects, among=among), at)
    if not blocking:
        return []
    entities = {fact.subject for fact in blocking} | {fact.object for fact in blocking if fact.object is not None}
    resolutions = _begun(
        store.facts.rows_of_predicates(tx, vocabulary.names_of_role("resolves"), subjects=entities), at
    )
    rows = {fact.row for fact in blocking}
    if resolutions:
        # Whether a blocker is open may depend on the subject's other blockers, and on what the subject itself blocks.
        beside = blocking
        if among is not None:
            beside = _begun(store.facts.rows_of_predicates(tx, predicates, among=entities), at)
        ended = store.facts.ended_rows_of_predicates(tx, predicates, entities=entities)
        rows = _replay(tx, beside, resolutions, ended=ended)
    return sorted(
        (fact for fact in blocking if fact.row in rows),
        key=lambda fact: (fact.recorded_at, fact.row),
        reverse=True,
    )


def is_other_matter(text: str, blocker: str) -> bool:
    """Whether a text names something other than a similar blocker: licence B, where licence A is awaited."""
    return phrase_matching.compare(text, blocker).is_other_matter


def _begun(facts: Sequence[FactRow], at: str) -> list[FactRow]:
    return [fact for fact in facts if fact.valid_from is not None or fact.recorded_at <= at]


def _replay(
    tx: Tx,
    blocking: Sequence[FactRow],
    resolutions: Sequence[FactRow],
    *,
    ended: Sequence[tuple[FactRow, str]],
) -> set[int]:
    """Replay the assertions of these facts in time order; returns the rows of the blockers open at the end.

    Assertions recorded after the instant of the call do not count, except for a fact with a known beginning.

    Args:
        ended: blockers that have ended, each with its end: which of several a resolution settled
            depends on what was open then.
    """
    by_row = {fact.row: fact for fact in [*blocking, *resolutions, *(fact for fact, _ in ended)]}
    resolution_rows = {fact.row for fact in resolutions}
    # By subject row: the keys of all its blockers. By blocker row: the subjects that it blocks.
    blockers_of: dict[int, set[str]] = defaultdict(set)
    blocked_by: dict[int, set[int]] = defaultdict(set)
    for fact in by_row.values():
        if fact.row not in resolution_rows:
            blockers_of[fact.subject].add(_blocker_key(fact))
            if fact.object is not None:
                blocked_by[fact.object].add(fact.subject)
    # By subject row: its open blockers, as key and row of the fact.
    open_rows: dict[int, dict[str, int]] = defaultdict(dict)
    # A call that ends a blocker does so after all its assertions.
    ends = sorted((moment, fact.row) for fact, moment in ended)
    for row, recorded_at in store.provenance.fact_rows_by_assertion(tx, list(by_row)):
        while ends and ends[0][0] < recorded_at:
            _close_row(open_rows, by_row[ends.pop(0)[1]])
        fact = by_row[row]
        if recorded_at > tx.at and fact.valid_from is None:
            continue
        if row not in resolution_rows:
            open_rows[fact.subject][_blocker_key(fact)] = row
            continue
        own = open_rows[fact.subject]
        blocking_key = f"entity {fact.subject}"
        blocked = [subject for subject in blocked_by.get(fact.subject, ()) if blocking_key in open_rows[subject]]
        if _blocker_key(fact) in blockers_of[fact.subject]:
            own.pop(_blocker_key(fact), None)
        elif blocked and not own:
            for subject in blocked:
                del open_rows[subject][blocking_key]
        elif len(own) == 1 and not blocked:
            (only,) = own.values()
            if not is_other_matter(_text(tx, fact), _text(tx, by_row[only])):
                own.clear()
    for _, row in ends:
        _close_row(open_rows, by_row[row])
    return {row for blockers in open_rows.values() for row in blockers.values()}


def _close_row(open_rows: dict[int, dict[str, int]], fact: FactRow) -> None:
    if open_rows[fact.subject].get(_blocker_key(fact)) == fact.row:
        del open_rows[fact.subject][_blocker_key(fact)]


def _text(tx: Tx, fact: FactRow) -> str:
    """The object of a fact in words."""
    if fact.object is None:
        return fact.literal or ""
    return store.entities.by_rows(tx, [fact.object])[fact.object].name


def _blocker_key(fact: FactRow) -> str:
    return f"entity {fact.object}" if fact.object is not None else f"text {normalisation.key(fact.literal or '')}"
