"""SQL for proposals that wait for review: offered, listed, and counted by kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

# Open: no decision on this kind and key, or it rests on something new to all of them.
IS_OPEN = """
    (NOT EXISTS (
        SELECT 1 FROM review_decision AS past
        WHERE past.group_id = waiting.group_id AND past.kind = waiting.kind AND past.key = waiting.key
     )
     OR EXISTS (
        SELECT 1 FROM json_each(waiting.evidence) AS given
        WHERE given.value NOT IN (
            SELECT known.value FROM review_decision AS past, json_each(past.evidence) AS known
            WHERE past.group_id = waiting.group_id AND past.kind = waiting.kind AND past.key = waiting.key
        )
     ))
"""

_COLUMNS = """
    waiting.id, waiting.public_id, waiting.kind, waiting.key, waiting.statement, waiting.score, waiting.rests_on,
    waiting.evidence, waiting.tool, waiting.arguments, waiting.offered_at
"""


@dataclass(frozen=True, slots=True)
class ReviewProposal:
    """A proposal as stored.

    Attributes:
        row, id: its number and its public id (`prop_…`).
        evidence: digests of what it rests on.
        tool, arguments: the call that would do it.
    """

    row: int
    id: str
    kind: str
    key: str
    statement: str
    score: float
    rests_on: tuple[str, ...]
    evidence: tuple[str, ...]
    tool: str
    arguments: dict[str, Any]
    offered_at: str


def find(tx: Tx, kind: str, key: str) -> ReviewProposal | None:
    """The proposal of the group of this kind with this key."""
    found = _select(tx, "waiting.kind = :kind AND waiting.key = :key", {"kind": kind, "key": key})
    return found[0] if found else None


def by_id(tx: Tx, public_id: str) -> ReviewProposal | None:
    """The proposal of the group with this public id, open or not."""
    found = _select(tx, "waiting.public_id = :id", {"id": public_id})
    return found[0] if found else None


def is_open(tx: Tx, row: int) -> bool:
    """Whether a proposal waits for a decision."""
    found = tx.conn.execute(f"SELECT {IS_OPEN} FROM review_proposal AS waiting WHERE id = ?", (row,)).fetchone()
    return bool(found and found[0])


def list_open(tx: Tx, *, kinds: Sequence[str] | None = None) -> list[ReviewProposal]:
    """The undecided proposals of the group, surest first; of some kinds, or all."""
    return _select(
        tx,
        f"(:kinds IS NULL OR waiting.kind IN (SELECT value FROM json_each(:kinds))) AND {IS_OPEN}",
        {"kinds": None if kinds is None else json_array(kinds)},
    )


def resting_on(tx: Tx, public_id: str) -> list[ReviewProposal]:
    """The open proposals of the group that rest on a fact, an entity or an episode, surest first."""
    rests_on_it = "EXISTS (SELECT 1 FROM json_each(waiting.rests_on) AS given WHERE given.value = :id)"
    return _select(tx, f"{rests_on_it} AND {IS_OPEN}", {"id": public_id})


def count_open(tx: Tx) -> dict[str, int]:
    """How many proposals of the group are open, by kind."""
    return tx.mapping(
        f"""
        SELECT waiting.kind, count(*)
        FROM review_proposal AS waiting
        WHERE waiting.group_id = ? AND {IS_OPEN}
        GROUP BY waiting.kind
        ORDER BY waiting.kind
        """,
        (tx.group,),
    )


def count_besides_texts(tx: Tx) -> int:
    """How many open proposals of the group come neither from a text nor from the wording of a relation."""
    of_texts = ("new_entity", "new_fact", "new_word")
    return sum(count for kind, count in count_open(tx).items() if kind not in of_texts)


def insert(tx: Tx, proposal: ReviewProposal) -> None:
    """Insert a proposal; its row is chosen here."""
    tx.conn.execute(
        """
        INSERT INTO review_proposal (public_id, group_id, kind, key, statement, score, rests_on, evidence, tool,
                                     arguments, offered_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (proposal.id, tx.group, proposal.kind, proposal.key, *_values(proposal)),
    )


def update(tx: Tx, proposal: ReviewProposal) -> None:
    """Update a proposal; its id, kind and key stay."""
    tx.conn.execute(
        """
        UPDATE review_proposal
        SET statement = ?, score = ?, rests_on = ?, evidence = ?, tool = ?, arguments = ?, offered_at = ?
        WHERE id = ?
        """,
        (*_values(proposal), proposal.row),
    )


def delete(tx: Tx, rows: Sequence[int]) -> None:
    tx.conn.executemany("DELETE FROM review_proposal WHERE id = ?", [(row,) for row in rows])


def _values(proposal: ReviewProposal) -> tuple[Any, ...]:
    return (
        proposal.statement,
        proposal.score,
        json.dumps(list(proposal.rests_on), ensure_ascii=False),
        json.dumps(list(proposal.evidence)),
        proposal.tool,
        json.dumps(proposal.arguments, ensure_ascii=False),
        proposal.offered_at,
    )


def _select(tx: Tx, condition: str, values: dict[str, Any]) -> list[ReviewProposal]:
    rows = tx.conn.execute(
        f"""
        SELECT {_COLUMNS}
        FROM review_proposal AS waiting
        WHERE waiting.group_id = :group AND {condition}
        ORDER BY waiting.score DESC, waiting.id
        """,
        {"group": tx.group, **values},
    )
    return [_proposal(row) for row in rows]


def _proposal(row: Sequence[Any]) -> ReviewProposal:
    number, public_id, kind, key, statement, score, rests_on, evidence, tool, arguments, offered_at = row
    return ReviewProposal(
        row=number,
        id=public_id,
        kind=kind,
        key=key,
        statement=statement,
        score=score,
        rests_on=tuple(json.loads(rests_on)),
        evidence=tuple(json.loads(evidence)),
        tool=tool,
        arguments=json.loads(arguments),
        offered_at=offered_at,
    )
