"""Proposals that wait for a decision, what they rest on, and the decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from keepgraph.lazy import dataclass
from keepgraph.store import journal
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


# SQL for the evidence of proposals: what facts, entities and episodes say, and whether they still exist.


@dataclass(frozen=True, slots=True)
class _FactState:
    """Whether a fact was retracted, and whether it has ended."""

    is_retracted: bool
    is_ended: bool


def contents(tx: Tx, ids: Sequence[str]) -> dict[str, str]:
    """By public id, what identifies the content of a fact, an entity or an episode; missing ones are left out."""
    return tx.mapping(
        """
        WITH wanted AS (SELECT value AS id FROM json_each(:ids))
        SELECT wanted.id, 'fact ' || subject.public_id || ' ' || predicate.name || ' '
               || coalesce(object.public_id, fact.literal)
        FROM wanted
        JOIN fact ON fact.public_id = wanted.id
        JOIN entity AS subject ON subject.id = fact.subject
        JOIN predicate ON predicate.id = fact.predicate
        LEFT JOIN entity AS object ON object.id = fact.object
        UNION ALL
        SELECT wanted.id, entity.public_id FROM wanted JOIN entity ON entity.public_id = wanted.id
        UNION ALL
        SELECT wanted.id, entity.public_id
        FROM wanted
        JOIN former_id ON former_id.public_id = wanted.id
        JOIN entity ON entity.id = former_id.entity
        UNION ALL
        SELECT wanted.id, 'text ' || episode.digest FROM wanted JOIN episode ON episode.public_id = wanted.id
        """,
        {"ids": json_array(ids)},
    )


def entities(tx: Tx, ids: Sequence[str], *, with_merged: bool) -> frozenset[str]:
    """The public ids among these that an entity has; including those from before a merge, or only its own."""
    rows = tx.conn.execute(
        """
        SELECT public_id FROM entity WHERE public_id IN (SELECT value FROM json_each(:ids))
        UNION ALL
        SELECT public_id FROM former_id WHERE :with_merged AND public_id IN (SELECT value FROM json_each(:ids))
        """,
        {"ids": json_array(ids), "with_merged": with_merged},
    )
    return frozenset(row[0] for row in rows)


def episodes(tx: Tx, ids: Sequence[str]) -> dict[str, int]:
    """The rows of episodes by public id."""
    return tx.mapping(
        "SELECT public_id, id FROM episode WHERE public_id IN (SELECT value FROM json_each(?))",
        (json_array(ids),),
    )


def facts(tx: Tx, ids: Sequence[str]) -> dict[str, _FactState]:
    """The states of facts by public id."""
    rows = tx.conn.execute(
        """
        SELECT public_id, retracted_at IS NOT NULL, valid_to <> '~'
        FROM fact
        WHERE public_id IN (SELECT value FROM json_each(?))
        """,
        (json_array(ids),),
    )
    return {public_id: _FactState(bool(retracted), bool(ended)) for public_id, retracted, ended in rows}


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """A place in a text from which something was read; `sentence` is None if no words state it."""

    episode: str
    episode_name: str
    source: str
    sentence: str | None


def of_text_proposals(tx: Tx, rows: Sequence[int], *, limit: int) -> dict[int, list[TextEvidence]]:
    """The evidence for names and facts read in texts, by row: the first `limit` places of each."""
    found: dict[int, list[TextEvidence]] = {row: [] for row in rows}
    evidence = tx.conn.execute(
        """
        SELECT proposal, public_id, name, source, sentence
        FROM (
            SELECT seen.proposal, episode.public_id, episode.name, episode.source, seen.chunk,
                   substr(chunk.text, 1 + seen.start, seen.stop - seen.start) AS sentence,
                   row_number() OVER (PARTITION BY seen.proposal ORDER BY seen.chunk) AS place
            FROM proposal_evidence AS seen
            JOIN chunk ON chunk.id = seen.chunk
            JOIN episode ON episode.id = chunk.episode
            WHERE seen.proposal IN (SELECT value FROM json_each(:rows))
        )
        WHERE place <= :limit
        ORDER BY proposal, chunk
        """,
        {"rows": json_array(rows), "limit": limit},
    )
    for row, *place in evidence:
        found[row].append(TextEvidence(*place))
    return found


def text_proposals(tx: Tx, *, are_decided: bool, limit: int) -> list[tuple[int, str, str]]:
    """Names and facts read in texts, the surest and most frequent first: row, kind ("new_entity" or
    "new_fact") and key.

    Args:
        are_decided: whether to return decided ones, or the others.
    """
    return tx.rows(
        """
        SELECT proposal.id, 'new_' || proposal.kind, proposal.key
        FROM proposal
        WHERE proposal.group_id = :group AND :are_decided = EXISTS (
            SELECT 1 FROM review_decision AS past
            WHERE past.group_id = proposal.group_id AND past.kind = 'new_' || proposal.kind AND past.key = proposal.key
        )
        ORDER BY proposal.confidence DESC,
                 (SELECT count(*) FROM proposal_evidence AS seen WHERE seen.proposal = proposal.id) DESC,
                 proposal.created_at, proposal.key
        LIMIT +:limit
        """,
        {"group": tx.group, "are_decided": are_decided, "limit": limit},
    )


def count_not_offered(tx: Tx) -> int:
    """How many names and facts read in texts are neither offered for review nor decided."""
    return tx.number(
        """
        SELECT count(*)
        FROM proposal
        WHERE proposal.group_id = :group
          AND NOT EXISTS (
            SELECT 1 FROM review_decision AS past
            WHERE past.group_id = :group AND past.kind = 'new_' || proposal.kind AND past.key = proposal.key
          )
          AND NOT EXISTS (
            SELECT 1 FROM review_proposal AS waiting
            WHERE waiting.group_id = :group AND waiting.kind = 'new_' || proposal.kind AND waiting.key = proposal.key
          )
        """,
        {"group": tx.group},
    )


# SQL for decisions on proposals: noted, and read back by kind.

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


def insert_decision(tx: Tx, decision: ReviewDecision) -> None:
    tx.conn.execute(
        f"""
        INSERT INTO review_decision (id, group_id, kind, key, rests_on, evidence, decision, statement, decided_at)
        VALUES ({journal.unused_row_sql("review_decision")}, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        # A row like a decision, with its lists as the columns have them.
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


def decisions_resting_on(tx: Tx, public_id: str, *, limit: int) -> list[ReviewDecision]:
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
    return tx.value(
        """
        SELECT decision
        FROM review_decision
        WHERE group_id = ? AND kind = ? AND key = ?
        ORDER BY decided_at DESC, id DESC
        LIMIT 1
        """,
        (tx.group, kind, key),
    )


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
