"""What texts seem to say, and nobody has said, in the database. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from keepgraph.model import Chunk, Episode, Inferred, Proposal
from keepgraph.store.database import Tx

# The evidence shown is that of the oldest chunk.
_SELECT = """
    SELECT proposal.id, proposal.public_id, proposal.kind, proposal.subject_type, proposal.subject, proposal.predicate,
           proposal.object_type, proposal.object, proposal.literal, proposal.confidence, proposal.created_at,
           (SELECT substr(chunk.text, 1 + coalesce(seen.start, 0), coalesce(seen.stop - seen.start, length(chunk.text)))
            FROM proposal_evidence AS seen JOIN chunk ON chunk.id = seen.chunk
            WHERE seen.proposal = proposal.id ORDER BY seen.chunk LIMIT 1)
    FROM proposal
"""


def by_id(tx: Tx, public_id: str) -> Proposal | None:
    """The proposal of the group that has this id."""
    found = _proposals(
        tx, f"{_SELECT} WHERE public_id = :id AND group_id = :group", {"id": public_id, "group": tx.group}
    )
    return found[0] if found else None


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Proposal]:
    """Proposals by their row numbers."""
    found = _proposals(
        tx, f"{_SELECT} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json.dumps(list(rows))}
    )
    return {each.row: each for each in found}


def by_keys(tx: Tx, kind: str, keys: Sequence[str], *, groups: Sequence[str] | None = None) -> dict[str, Proposal]:
    """Proposals of a kind by their keys: names that are not known yet, say."""
    rows = tx.conn.execute(
        """
        SELECT key, id FROM proposal
        WHERE group_id IN (SELECT value FROM json_each(:groups)) AND kind = :kind
          AND key IN (SELECT value FROM json_each(:keys))
        """,
        {"groups": json.dumps(list(groups or [tx.group])), "kind": kind, "keys": json.dumps(list(keys))},
    ).fetchall()
    found = by_rows(tx, [row for _, row in rows])
    return {key: found[row] for key, row in rows}


def of_episode(tx: Tx, episode: Episode) -> list[Proposal]:
    """What the chunks of an episode seem to say, in the order of the text, each with the words of this text."""
    of_it = "seen.chunk IN (SELECT id FROM chunk WHERE episode = :episode) AND seen.proposal = proposal.id"
    return _proposals(
        tx,
        f"""
        {_SELECT.replace("seen.proposal = proposal.id", of_it)}
        JOIN (SELECT proposal AS of_it, min(chunk.place) AS place, min(start) AS start
              FROM proposal_evidence JOIN chunk ON chunk.id = proposal_evidence.chunk
              WHERE chunk.episode = :episode GROUP BY proposal) ON of_it = proposal.id
        ORDER BY place, start, proposal.id
        """,
        {"episode": episode.row},
    )


def chunks_of_name(tx: Tx, key: str, *, group: str) -> list[int]:
    """The chunks in which a name was seen that nobody knew."""
    rows = tx.conn.execute(
        """
        SELECT seen.chunk
        FROM proposal JOIN proposal_evidence AS seen ON seen.proposal = proposal.id
        WHERE proposal.group_id = ? AND proposal.kind = 'entity' AND proposal.key = ?
        """,
        (group, key),
    )
    return [row[0] for row in rows]


def replace(
    tx: Tx, chunk: Chunk, found: Sequence[Inferred], *, group: str, new_id: Callable[[str], str], created_at: str
) -> None:
    """Let a chunk be the evidence of just these. One that is known keeps its id; one without evidence is dropped."""
    kept = []
    for each in found:
        told = {
            "id": None,
            "group": group,
            "kind": each.kind,
            "key": each.key,
            "chunk": chunk.row,
            "start": each.start,
            "stop": each.stop,
        }
        row = tx.conn.execute(
            "SELECT id FROM proposal WHERE group_id = :group AND kind = :kind AND key = :key", told
        ).fetchone()
        if row is None:
            row = tx.conn.execute(
                """
                INSERT INTO proposal (public_id, group_id, kind, key, subject_type, subject, predicate, object_type,
                                      object, literal, confidence, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                RETURNING id
                """,
                (
                    new_id("prop"),
                    group,
                    each.kind,
                    each.key,
                    each.subject_type,
                    each.subject,
                    each.predicate,
                    each.object_type,
                    each.object,
                    each.literal,
                    each.confidence,
                    created_at,
                ),
            ).fetchone()
        tx.conn.execute(
            """
            INSERT INTO proposal_evidence (proposal, chunk, start, stop) VALUES (:row, :chunk, :start, :stop)
            ON CONFLICT DO NOTHING
            """,
            {**told, "row": row[0]},
        )
        kept.append(row[0])
    tx.conn.execute(
        """
        DELETE FROM proposal_evidence
        WHERE chunk = ? AND proposal NOT IN (SELECT value FROM json_each(?))
        """,
        (chunk.row, json.dumps(kept)),
    )


def count_in(tx: Tx, episodes: Sequence[int]) -> int:
    """How many proposals have evidence in these episodes."""
    row = tx.conn.execute(
        """
        SELECT count(DISTINCT proposal_evidence.proposal)
        FROM chunk
        JOIN proposal_evidence ON proposal_evidence.chunk = chunk.id
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json.dumps(list(episodes)),),
    ).fetchone()
    return int(row[0])


def is_said(tx: Tx, subjects: Sequence[int], predicate: str, objects: Sequence[int]) -> bool:
    """Whether one of these entities is said to be so to one of those, now or once: such a fact is nobody's guess."""
    row = tx.conn.execute(
        """
        SELECT EXISTS (
            SELECT 1 FROM fact
            WHERE subject IN (SELECT value FROM json_each(:subjects))
              AND predicate = (SELECT id FROM predicate WHERE name = :predicate)
              AND object IN (SELECT value FROM json_each(:objects))
        )
        """,
        {"subjects": json.dumps(list(subjects)), "predicate": predicate, "objects": json.dumps(list(objects))},
    ).fetchone()
    return bool(row[0])


def _proposals(tx: Tx, query: str, values: dict[str, Any]) -> list[Proposal]:
    return [Proposal(*row) for row in tx.conn.execute(query, values)]
