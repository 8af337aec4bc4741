"""SQL for proposals: entities and facts inferred from texts, each with its evidence in one or more chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from keepgraph.model import Chunk, Episode, Proposal, ProposalDraft
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

# `evidence` is the words of the oldest chunk.
_SELECT = """
    SELECT proposal.id, proposal.public_id, proposal.kind, proposal.subject_type, proposal.subject, proposal.predicate,
           proposal.object_type, proposal.object, proposal.literal, proposal.confidence, proposal.created_at,
           (SELECT substr(chunk.text, 1 + coalesce(seen.start, 0), coalesce(seen.stop - seen.start, length(chunk.text)))
            FROM proposal_evidence AS seen JOIN chunk ON chunk.id = seen.chunk
            WHERE seen.proposal = proposal.id ORDER BY seen.chunk LIMIT 1)
    FROM proposal
"""

UNDECIDED = """
    NOT EXISTS (
        SELECT 1 FROM review_decision AS past
        WHERE past.group_id = proposal.group_id AND past.kind = 'new_' || proposal.kind AND past.key = proposal.key
    )
"""
"""SQL for undecided proposals (engine/review). Decided ones are in no list, until review asks."""


def by_id(tx: Tx, public_id: str) -> Proposal | None:
    """The proposal of the group with this public id."""
    proposals = _select(
        tx, f"{_SELECT} WHERE public_id = :id AND group_id = :group", {"id": public_id, "group": tx.group}
    )
    return proposals[0] if proposals else None


def key_of(tx: Tx, row: int) -> str:
    """What identifies a proposal among those of its kind."""
    return str(tx.conn.execute("SELECT key FROM proposal WHERE id = ?", (row,)).fetchone()[0])


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Proposal]:
    """Proposals by their rows."""
    proposals = _select(tx, f"{_SELECT} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json_array(rows)})
    return {proposal.row: proposal for proposal in proposals}


def newest_names(tx: Tx, *, groups: Sequence[str], limit: int) -> list[int]:
    """The rows of the undecided proposed entities of some groups, newest first."""
    return tx.column(
        f"""
        SELECT id FROM proposal
        WHERE +group_id IN (SELECT value FROM json_each(?)) AND +kind = 'entity' AND {UNDECIDED}
        ORDER BY id DESC
        LIMIT +?
        """,
        (json_array(groups), limit),
    )


def by_keys(tx: Tx, kind: str, keys: Sequence[str], *, groups: Sequence[str] | None = None) -> dict[str, Proposal]:
    """Proposals of a kind, by their keys."""
    rows = tx.conn.execute(
        """
        SELECT key, id FROM proposal
        WHERE group_id IN (SELECT value FROM json_each(:groups)) AND kind = :kind
          AND key IN (SELECT value FROM json_each(:keys))
        """,
        {"groups": json_array(groups or [tx.group]), "kind": kind, "keys": json_array(keys)},
    ).fetchall()
    proposals = by_rows(tx, [row for _, row in rows])
    return {key: proposals[row] for key, row in rows}


def of_episode(tx: Tx, episode: Episode) -> list[Proposal]:
    """The undecided proposals with evidence in an episode, in the order of its text.

    Their evidence is from this text.
    """
    condition = "seen.chunk IN (SELECT id FROM chunk WHERE episode = :episode) AND seen.proposal = proposal.id"
    return _select(
        tx,
        f"""
        {_SELECT.replace("seen.proposal = proposal.id", condition)}
        JOIN (SELECT proposal AS of_it, min(chunk.place) AS place, min(start) AS start
              FROM proposal_evidence JOIN chunk ON chunk.id = proposal_evidence.chunk
              WHERE chunk.episode = :episode GROUP BY proposal) ON of_it = proposal.id
        WHERE {UNDECIDED}
        ORDER BY place, start, proposal.id
        """,
        {"episode": episode.row},
    )


def chunks_of_name(tx: Tx, key: str, *, group: str) -> list[int]:
    """The rows of the chunks that are evidence for a proposed entity, by the key of its name."""
    return tx.column(
        """
        SELECT seen.chunk
        FROM proposal JOIN proposal_evidence AS seen ON seen.proposal = proposal.id
        WHERE proposal.group_id = ? AND proposal.kind = 'entity' AND proposal.key = ?
        """,
        (group, key),
    )


def replace(
    tx: Tx,
    chunk: Chunk,
    drafts: Sequence[ProposalDraft],
    *,
    group: str,
    new_id: Callable[[str], str],
    created_at: str,
) -> None:
    """Replace the proposals that a chunk is evidence for.

    An existing proposal keeps its id. A trigger deletes a proposal without evidence.
    """
    rows = []
    for draft in drafts:
        row = _find(tx, draft, group=group)
        if row is None:
            row = _insert(tx, draft, public_id=new_id("prop"), group=group, created_at=created_at)
        tx.conn.execute(
            "INSERT INTO proposal_evidence (proposal, chunk, start, stop) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (row, chunk.row, draft.start, draft.stop),
        )
        rows.append(row)
    tx.conn.execute(
        """
        DELETE FROM proposal_evidence
        WHERE chunk = ? AND proposal NOT IN (SELECT value FROM json_each(?))
        """,
        (chunk.row, json_array(rows)),
    )


def _find(tx: Tx, draft: ProposalDraft, *, group: str) -> int | None:
    """The row of the existing proposal that a draft repeats."""
    row = tx.conn.execute(
        "SELECT id FROM proposal WHERE group_id = ? AND kind = ? AND key = ?", (group, draft.kind, draft.key)
    ).fetchone()
    return row[0] if row else None


def _insert(tx: Tx, draft: ProposalDraft, *, public_id: str, group: str, created_at: str) -> int:
    """Insert a proposal without evidence; returns its row."""
    return tx.number(
        """
        INSERT INTO proposal (public_id, group_id, kind, key, subject_type, subject, predicate, object_type,
                              object, literal, confidence, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """,
        (
            public_id,
            group,
            draft.kind,
            draft.key,
            draft.subject_type,
            draft.subject,
            draft.predicate,
            draft.object_type,
            draft.object,
            draft.literal,
            draft.confidence,
            created_at,
        ),
    )


def count_in(tx: Tx, episodes: Sequence[int]) -> int:
    """How many proposals have evidence in these episodes."""
    return tx.number(
        """
        SELECT count(DISTINCT proposal_evidence.proposal)
        FROM chunk
        JOIN proposal_evidence ON proposal_evidence.chunk = chunk.id
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json_array(episodes),),
    )


def fact_exists(tx: Tx, subjects: Sequence[int], predicate: str, objects: Sequence[int]) -> bool:
    """Whether a fact with such a triple exists, even an ended or retracted one: then it is not proposed."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM fact
            WHERE subject IN (SELECT value FROM json_each(:subjects))
              AND predicate = (SELECT id FROM predicate WHERE name = :predicate)
              AND object IN (SELECT value FROM json_each(:objects))
        )
        """,
        {"subjects": json_array(subjects), "predicate": predicate, "objects": json_array(objects)},
    )


def _select(tx: Tx, query: str, values: dict[str, Any]) -> list[Proposal]:
    return [Proposal(*row) for row in tx.conn.execute(query, values)]
