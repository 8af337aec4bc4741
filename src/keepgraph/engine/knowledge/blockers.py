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
    newest: dict[tuple[int, int | str], FactRow] = {}
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
    vocabulary = graph_vocabulary.read(tx)
    predicates = vocabulary.names_of_role("blocks")
    blocking = store.facts.rows_of_predicates(tx, predicates, subjects=subjects, among=among)
    if not blocking:
        return []
    entities = {fact.subject for fact in blocking} | {fact.object for fact in blocking if fact.object is not None}
    resolutions = store.facts.rows_of_predicates(tx, vocabulary.names_of_role("resolves"), subjects=entities)
    if resolutions:
        # Whether a blocker is open may depend on the subject's other blockers, and on what the subject itself blocks.
        beside = blocking
        if among is not None:
            beside = store.facts.rows_of_predicates(tx, predicates, among=entities)
        is_whole = among is None and subjects is None
        ended = store.facts.ended_rows_of_predicates(tx, predicates, entities=None if is_whole else entities)
        rows = _replay(tx, beside, resolutions, ended=ended)
        blocking = [fact for fact in blocking if fact.row in rows]
    recorded_at = store.facts.recorded_at(tx, [fact.row for fact in blocking])
    return sorted(blocking, key=lambda fact: (recorded_at[fact.row], fact.row), reverse=True)


def is_other_matter(text: str, blocker: str) -> bool:
    """Whether a text names something other than a similar blocker: licence B, where licence A is awaited."""
    return phrase_matching.compare(text, blocker).is_other_matter


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
    at = tx.at
    by_row = {fact.row: fact for fact in [*blocking, *resolutions, *(fact for fact, _ in ended)]}
    key_of = {row: _blocker_key(fact) for row, fact in by_row.items()}
    resolution_rows = {fact.row for fact in resolutions}
    # By subject row: the keys of all its blockers. By blocker row: the subjects that it blocks.
    blockers_of: dict[int, set[int | str]] = defaultdict(set)
    blocked_by: dict[int, set[int]] = defaultdict(set)
    for row, fact in by_row.items():
        if row not in resolution_rows:
            blockers_of[fact.subject].add(key_of[row])
            if fact.object is not None:
                blocked_by[fact.object].add(fact.subject)
    # By subject row: its open blockers, as key and row of the fact.
    open_rows: dict[int, dict[int | str, int]] = defaultdict(dict)

    def close(row: int) -> None:
        own = open_rows[by_row[row].subject]
        if own.get(key_of[row]) == row:
            del own[key_of[row]]

    # A call that ends a blocker does so after all its assertions.
    ends = sorted((moment, fact.row) for fact, moment in ended)
    for row, recorded_at in store.provenance.fact_rows_by_assertion(tx, list(by_row)):
        while ends and ends[0][0] < recorded_at:
            close(ends.pop(0)[1])
        fact = by_row[row]
        if recorded_at > at and fact.valid_from is None:
            continue
        subject, own = fact.subject, open_rows[fact.subject]
        if row not in resolution_rows:
            own[key_of[row]] = row
        elif key_of[row] in blockers_of[subject]:
            own.pop(key_of[row], None)
        elif blocked := [other for other in blocked_by.get(subject, ()) if subject in open_rows[other]]:
            for other in () if own else blocked:
                del open_rows[other][subject]
        elif len(own) == 1:
            (only,) = own.values()
            if not is_other_matter(_text(tx, fact), _text(tx, by_row[only])):
                own.clear()
    for _, row in ends:
        close(row)
    return {row for blockers in open_rows.values() for row in blockers.values()}


def _text(tx: Tx, fact: FactRow) -> str:
    """The object of a fact in words."""
    if fact.object is None:
        return fact.literal or ""
    return store.entities.by_rows(tx, [fact.object])[fact.object].name


def _blocker_key(fact: FactRow) -> int | str:
    """What tells the blockers of a subject apart: the row of the object, or the key of the literal."""
    return fact.object if fact.object is not None else normalisation.key(fact.literal or "")
