"""SQL for decisions on proposals: noted, and read back by kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from keepgraph.store import journal
from keepgraph.store.transactions import Tx

_SELECT = """
    SELECT group_id, kind, key, rests_on, evidence, decision, statement, decided_at
    FROM review_decision
"""

ACCEPTED = ("accepted", "edited", "merged")
"""The decisions that led to a call."""


class ReviewDecision(NamedTuple):
    """A decision; the field names are keys of an export.

    Attributes:
        proposal_kind: the kind of the proposal; `key` identifies it within the kind.
        rests_on: what it rested on: public ids, or texts.
        evidence: digests of that.
        decision: "accepted", "edited", "merged", "rejected", or "woken", which concerns a kind as a whole.
    """

    group: str
    proposal_kind: str
    key: str
    rests_on: tuple[str, ...]
    evidence: tuple[str, ...]
    decision: str
    statement: str
    decided_at: str


def insert(tx: Tx, decision: ReviewDecision) -> None:
    tx.conn.execute(
        f"""
        INSERT INTO review_decision (id, group_id, kind, key, rests_on, evidence, decision, statement, decided_at)
        VALUES ({journal.unused_row_sql("review_decision")}, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        decision._replace(
            rests_on=json.dumps(list(decision.rests_on), ensure_ascii=False),  # type: ignore[arg-type]
            evidence=json.dumps(list(decision.evidence)),  # type: ignore[arg-type]
        ),
    )


def exists(tx: Tx, decision: ReviewDecision) -> bool:
    """Whether this decision is noted."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM review_decision
            WHERE group_id = ? AND kind = ? AND key = ? AND decision = ? AND decided_at = ?
        )
        """,
        (decision.group, decision.proposal_kind, decision.key, decision.decision, decision.decided_at),
    )


def all_groups(tx: Tx) -> Iterator[ReviewDecision]:
    """Every decision of every group, in chronological order."""
    yield from map(_decision, tx.conn.execute(f"{_SELECT} ORDER BY decided_at, id"))


def of_call(tx: Tx, call: int) -> list[ReviewDecision]:
    """The decisions that a call made."""
    rows = tx.conn.execute(
        f"""
        {_SELECT}
        WHERE id IN (SELECT row FROM journal WHERE call = ? AND tbl = 'review_decision' AND op = 'insert')
        ORDER BY id
        """,
        (call,),
    )
    return [_decision(row) for row in rows]


def resting_on(tx: Tx, public_id: str, *, limit: int) -> list[ReviewDecision]:
    """The newest decisions of the group that rested on a fact, an entity or an episode, newest first."""
    rows = tx.conn.execute(
        f"""
        {_SELECT}
        WHERE group_id = ? AND EXISTS (SELECT 1 FROM json_each(rests_on) WHERE value = ?)
        ORDER BY id DESC
        LIMIT +?
        """,
        (tx.group, public_id, limit),
    )
    return [_decision(row) for row in rows]


def last(tx: Tx, kind: str, key: str) -> str | None:
    """The newest decision on this kind and key."""
    row = tx.conn.execute(
        """
        SELECT decision
        FROM review_decision
        WHERE group_id = ? AND kind = ? AND key = ?
        ORDER BY decided_at DESC, id DESC
        LIMIT 1
        """,
        (tx.group, kind, key),
    ).fetchone()
    return row[0] if row else None


def known_evidence(tx: Tx, kind: str, key: str) -> frozenset[str] | None:
    """All evidence known to decisions on this kind and key; None if there is no decision."""
    rows = tx.conn.execute(
        "SELECT evidence FROM review_decision WHERE group_id = ? AND kind = ? AND key = ?", (tx.group, kind, key)
    ).fetchall()
    return frozenset(digest for (known,) in rows for digest in json.loads(known)) if rows else None


def latest_of_kind(tx: Tx, kind: str, *, limit: int) -> list[str]:
    """The newest decisions on a kind since it was woken, newest first."""
    return tx.column(
        """
        SELECT decision
        FROM review_decision
        WHERE group_id = :group AND kind = :kind AND decision <> 'woken'
          AND id > coalesce((SELECT max(id) FROM review_decision
                             WHERE group_id = :group AND kind = :kind AND decision = 'woken'), 0)
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "kind": kind, "limit": limit},
    )


def kinds(tx: Tx) -> list[str]:
    """The kinds of the group with a decision."""
    return tx.column("SELECT DISTINCT kind FROM review_decision WHERE group_id = ? ORDER BY kind", (tx.group,))


def _decision(row: Sequence[Any]) -> ReviewDecision:
    group, kind, key, rests_on, evidence, decision, statement, decided_at = row
    return ReviewDecision(
        group, kind, key, tuple(json.loads(rests_on)), tuple(json.loads(evidence)), decision, statement, decided_at
    )
