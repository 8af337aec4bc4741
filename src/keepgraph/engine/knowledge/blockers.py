"""Open blockers. Each blocker is closed by itself, never by the resolution of another (ADR 0006).

`S blocked_by B` is closed by a later `B resolved_by …` or `S resolved_by B`. A later `S resolved_by X`, where
X names no blocker of S, closes it only if it was the only one open then: which of several it settles cannot be
known. A later assertion that S is blocked by B opens the blocker again. All predicates in the role "blocks" count as
blocked_by, and all in the role "resolves" as resolved_by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import FactRow
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


def open_blockers(tx: Tx, *, among: Collection[int] | None = None) -> list[FactRow]:
    """The blocking facts that nothing has resolved, newest first.

    Args:
        among: only those with one of these entities, given by their rows, as subject or object.
    """
    at = timestamps.from_datetime(tx.now)
    vocabulary = graph_vocabulary.read(tx)
    blocking = store.facts.rows_of_predicates(tx, vocabulary.names_of_role("blocks"), at=at)
    if among is not None:
        selected = [fact for fact in blocking if fact.subject in among or fact.object in among]
        # Whether a blocker is open may depend on the other blockers of its subject.
        subjects = {fact.subject for fact in selected}
        blocking = [fact for fact in blocking if fact.subject in subjects]
    else:
        selected = blocking
    if not selected:
        return []
    entities = {fact.subject for fact in blocking} | {fact.object for fact in blocking if fact.object is not None}
    resolutions = store.facts.rows_of_predicates(
        tx, vocabulary.names_of_role("resolves"), at=at, subjects=sorted(entities)
    )
    open_rows = _replay(tx, blocking, resolutions)
    return sorted(
        (fact for fact in selected if fact.row in open_rows),
        key=lambda fact: (fact.recorded_at, fact.row),
        reverse=True,
    )


def _replay(tx: Tx, blocking: Sequence[FactRow], resolutions: Sequence[FactRow]) -> set[int]:
    """Replay the assertions of these facts in the order of time; the rows of the blockers that are open at the end."""
    by_row = {fact.row: fact for fact in [*blocking, *resolutions]}
    blocking_rows = {fact.row for fact in blocking}
    # By the row of a subject: the keys of all its blockers. By the row of a blocker: the subjects that it blocks.
    blockers_of: dict[int, set[str]] = defaultdict(set)
    blocked_by: dict[int, set[int]] = defaultdict(set)
    for fact in blocking:
        blockers_of[fact.subject].add(_blocker_key(fact))
        if fact.object is not None:
            blocked_by[fact.object].add(fact.subject)
    # By the row of a subject: its open blockers, as key and row of the fact.
    open_rows: dict[int, dict[str, int]] = defaultdict(dict)
    for row in store.provenance.fact_rows_by_assertion(tx, list(by_row)):
        fact = by_row[row]
        if row in blocking_rows:
            open_rows[fact.subject][_blocker_key(fact)] = row
            continue
        for subject in blocked_by[fact.subject]:
            open_rows[subject].pop(f"entity {fact.subject}", None)
        if _blocker_key(fact) in blockers_of[fact.subject]:
            open_rows[fact.subject].pop(_blocker_key(fact), None)
        elif len(open_rows[fact.subject]) == 1:
            open_rows[fact.subject].clear()
    return {row for blockers in open_rows.values() for row in blockers.values()}


def _blocker_key(fact: FactRow) -> str:
    return f"entity {fact.object}" if fact.object is not None else f"text {normalisation.key(fact.literal or '')}"
