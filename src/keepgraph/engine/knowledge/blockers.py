"""Which blockers are open. Each is closed by itself, never by the resolution of another.

`S blocked_by B` is closed by a later `B resolved_by …` or `S resolved_by B`. A later `S resolved_by X`, where
X names no blocker of S, closes it only if it was the only one open then: which of several it settles cannot be
known. Saying again that S is blocked by B opens it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from keepgraph import store
from keepgraph.language import normalisation
from keepgraph.model import Link
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps


def open_blockers(tx: Tx, *, among: Collection[int] | None = None) -> list[Link]:
    """The blocked_by facts that nothing has settled, newest first.

    With `among`, those that touch one of these entities, given by their row numbers.
    """
    at = timestamps.stamp(tx.now)
    blocking = store.facts.links(tx, "blocked_by", at=at)
    if among is not None:
        wanted = [link for link in blocking if link.subject in among or link.object in among]
        # Whether one is open may depend on the others of its subject.
        subjects = {link.subject for link in wanted}
        blocking = [link for link in blocking if link.subject in subjects]
    else:
        wanted = blocking
    if not wanted:
        return []
    touched = {link.subject for link in blocking} | {link.object for link in blocking if link.object is not None}
    resolutions = store.facts.links(tx, "resolved_by", at=at, subjects=sorted(touched))
    still_open = _still_open(tx, blocking, resolutions)
    return sorted(
        (link for link in wanted if link.row in still_open),
        key=lambda link: (link.recorded_at, link.row),
        reverse=True,
    )


def _still_open(tx: Tx, blocking: Sequence[Link], resolutions: Sequence[Link]) -> set[int]:
    """Replay what was said, in the order in which it was said; the rows of the blockers left open."""
    by_row = {link.row: link for link in [*blocking, *resolutions]}
    blocks = {link.row for link in blocking}
    # Who is blocked by what: the open blockers of each subject, and the subjects of each blocker.
    named: dict[int, set[str]] = defaultdict(set)
    blocked_by_it: dict[int, set[int]] = defaultdict(set)
    for link in blocking:
        named[link.subject].add(_blocker(link))
        if link.object is not None:
            blocked_by_it[link.object].add(link.subject)
    open_now: dict[int, dict[str, int]] = defaultdict(dict)
    for row in store.provenance.assertions(tx, list(by_row)):
        link = by_row[row]
        if row in blocks:
            open_now[link.subject][_blocker(link)] = row
            continue
        for subject in blocked_by_it[link.subject]:
            open_now[subject].pop(f"entity {link.subject}", None)
        if _blocker(link) in named[link.subject]:
            open_now[link.subject].pop(_blocker(link), None)
        elif len(open_now[link.subject]) == 1:
            open_now[link.subject].clear()
    return {row for still in open_now.values() for row in still.values()}


def _blocker(link: Link) -> str:
    return f"entity {link.object}" if link.object is not None else f"text {normalisation.key(link.literal or '')}"
