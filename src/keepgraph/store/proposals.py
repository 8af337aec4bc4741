"""Proposals read in texts: names that are not entities yet, and facts; also facts that a client extracted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from keepgraph.model import Episode, Proposal, ProposalDraft, ProposedFact
from keepgraph.store import journal
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
"""SQL for undecided proposals (engine/review). Only review lists decided ones."""


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
    """The undecided proposals with evidence in an episode, in the order of its text, with that evidence."""
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


def replace(tx: Tx, chunks: Sequence[int], drafts: Iterable[tuple[int, str, ProposalDraft]]) -> None:
    """Replace the proposals that chunks, given by row, are evidence for.

    An existing proposal keeps its id. A trigger deletes a proposal without evidence.

    Args:
        drafts: each with the row of its chunk and its group.
    """
    pairs = []
    for chunk, group, draft in drafts:
        row = _find(tx, draft, group=group)
        if row is None:
            row = _insert(tx, draft, group=group)
        tx.conn.execute(
            "INSERT INTO proposal_evidence (proposal, chunk, start, stop) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (row, chunk, draft.start, draft.stop),
        )
        pairs.append(f"{chunk} {row}")
    tx.conn.execute(
        """
        DELETE FROM proposal_evidence
        WHERE chunk IN (SELECT value FROM json_each(?))
          AND chunk || ' ' || proposal NOT IN (SELECT value FROM json_each(?))
        """,
        (json_array(chunks), json_array(pairs)),
    )


def _find(tx: Tx, draft: ProposalDraft, *, group: str) -> int | None:
    """The row of the existing proposal that a draft repeats."""
    return tx.value(
        "SELECT id FROM proposal WHERE group_id = ? AND kind = ? AND key = ?", (group, draft.kind, draft.key)
    )


def _insert(tx: Tx, draft: ProposalDraft, *, group: str) -> int:
    """Insert a proposal without evidence; returns its row."""
    return tx.number(
        """
        INSERT INTO proposal (public_id, group_id, kind, key, subject_type, subject, predicate, object_type,
                              object, literal, confidence, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """,
        (
            tx.new_id("prop"),
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
            tx.at,
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
    """Whether a fact with this triple exists, even ended or retracted: then it is not proposed."""
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


# SQL for proposed facts, relations that wait in their own words, and for dismissed wordings.

_COLUMNS = """
    id, public_id, subject, subject_type, wording, wording_key, object, object_type, confidence, source, evidence,
    episode, session, recorded_at, reason
"""


def find_row(tx: Tx, fact: ProposedFact) -> int | None:
    """The row of the equal proposed fact of the same text."""
    return tx.value(
        """
        SELECT id
        FROM proposed_fact
        WHERE group_id = ? AND wording_key = ? AND subject = ? AND object = ? AND coalesce(episode, 0) = ?
        """,
        (tx.group, fact.wording_key, fact.subject, fact.object, fact.episode or 0),
    )


def find_any(tx: Tx, public_id: str) -> tuple[str, ProposedFact] | None:
    """The proposed fact of any group with this public id, and its group."""
    row = tx.conn.execute(
        f"SELECT group_id, {_COLUMNS} FROM proposed_fact WHERE public_id = ?", (public_id,)
    ).fetchone()
    return None if row is None else (row[0], ProposedFact(*row[1:]))


def insert(tx: Tx, fact: ProposedFact) -> int:
    """Insert a proposed fact; returns its row."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO proposed_fact (id, public_id, group_id, subject, subject_type, wording, wording_key, object,
                                   object_type, confidence, source, evidence, episode, session, recorded_at, reason)
        VALUES ({journal.unused_row_sql("proposed_fact")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            fact.id,
            tx.group,
            fact.subject,
            fact.subject_type,
            fact.wording,
            fact.wording_key,
            fact.object,
            fact.object_type,
            fact.confidence,
            fact.source,
            fact.evidence,
            fact.episode,
            fact.session,
            fact.recorded_at,
            fact.reason,
        ),
    )
    return int(cursor.lastrowid)


def waiting(tx: Tx, *, wording_keys: Collection[str] | None = None, limit: int = -1) -> list[ProposedFact]:
    """The proposed facts of the group, in order of arrival; all, or only those in these wordings."""
    return _select_facts(
        tx,
        """
        WHERE group_id = :group
          AND (:keys IS NULL OR wording_key IN (SELECT value FROM json_each(:keys)))
        ORDER BY id
        LIMIT +:limit
        """,
        {
            "group": tx.group,
            "keys": None if wording_keys is None else json_array(wording_keys),
            "limit": limit,
        },
    )


def facts_of_episode(tx: Tx, episode: int) -> list[ProposedFact]:
    """The proposed facts that an episode states, in order of arrival."""
    return _select_facts(tx, "WHERE episode = :episode ORDER BY id", {"episode": episode})


def count(tx: Tx) -> int:
    """How many facts of the group are proposed."""
    return tx.number("SELECT count(*) FROM proposed_fact WHERE group_id = ?", (tx.group,))


def counts_by_group(tx: Tx) -> dict[str, int]:
    """How many facts are proposed in each group that has some, the group of the transaction first."""
    return tx.mapping(
        "SELECT group_id, count(*) FROM proposed_fact GROUP BY group_id ORDER BY group_id <> ?, group_id", (tx.group,)
    )


def types_of_names(tx: Tx, name_keys: Collection[str]) -> dict[str, tuple[str, bool]]:
    """By the key of a name that only one entity has: its type, and whether that is assumed."""
    rows = tx.conn.execute(
        """
        SELECT entity.name_key, min(entity_type.name), max(assumed_type.id) IS NOT NULL
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        LEFT JOIN assumed_type ON assumed_type.id = entity.id
        WHERE entity.group_id = :group AND entity.name_key IN (SELECT value FROM json_each(:keys))
        GROUP BY entity.name_key
        HAVING count(*) = 1
        """,
        {"group": tx.group, "keys": json_array(name_keys)},
    )
    return {key: (entity_type, bool(is_assumed)) for key, entity_type, is_assumed in rows}


def set_reason(tx: Tx, row: int, reason: str) -> None:
    tx.conn.execute("UPDATE proposed_fact SET reason = ? WHERE id = ? AND reason <> ?", (reason, row, reason))


def delete(tx: Tx, rows: Iterable[int]) -> None:
    tx.conn.executemany("DELETE FROM proposed_fact WHERE id = ?", [(row,) for row in rows])


def delete_in_wordings(tx: Tx, wording_keys: Collection[str]) -> int:
    """Delete the proposed facts with these wordings in all groups, and their dismissals; returns how many facts."""
    keys = json_array(sorted(wording_keys))
    tx.conn.execute("DELETE FROM dismissed_wording WHERE wording_key IN (SELECT value FROM json_each(?))", (keys,))
    return int(
        tx.conn.execute(
            "DELETE FROM proposed_fact WHERE wording_key IN (SELECT value FROM json_each(?))", (keys,)
        ).rowcount
    )


def dismissed_wordings(tx: Tx) -> dict[str, str]:
    """The dismissed wordings of the group, by their keys."""
    return tx.mapping("SELECT wording_key, wording FROM dismissed_wording WHERE group_id = ? ORDER BY id", (tx.group,))


def insert_dismissed(tx: Tx, *, wording: str, wording_key: str, dismissed_at: str) -> None:
    """Note that a wording was dismissed, unless it already was."""
    tx.conn.execute(
        f"""
        INSERT INTO dismissed_wording (id, group_id, wording_key, wording, dismissed_at)
        VALUES ({journal.unused_row_sql("dismissed_wording")}, ?, ?, ?, ?)
        ON CONFLICT (group_id, wording_key) DO NOTHING
        """,
        (tx.group, wording_key, wording, dismissed_at),
    )


def delete_dismissed(tx: Tx, wording_keys: Iterable[str]) -> None:
    """Let wordings be proposed again."""
    tx.conn.executemany(
        "DELETE FROM dismissed_wording WHERE group_id = ? AND wording_key = ?",
        [(tx.group, wording_key) for wording_key in wording_keys],
    )


def _select_facts(tx: Tx, conditions: str, values: dict[str, Any]) -> list[ProposedFact]:
    return [ProposedFact(*row) for row in tx.conn.execute(f"SELECT {_COLUMNS} FROM proposed_fact {conditions}", values)]
