"""SQL for the evidence of proposals: what facts, entities and episodes say, and whether they still exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class FactState:
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


def facts(tx: Tx, ids: Sequence[str]) -> dict[str, FactState]:
    """The states of facts by public id."""
    rows = tx.conn.execute(
        """
        SELECT public_id, retracted_at IS NOT NULL, valid_to <> '~'
        FROM fact
        WHERE public_id IN (SELECT value FROM json_each(?))
        """,
        (json_array(ids),),
    )
    return {public_id: FactState(bool(retracted), bool(ended)) for public_id, retracted, ended in rows}


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """A place in a text that something read in it rests on; `sentence` is None if no words of it say so."""

    episode: str
    episode_name: str
    source: str
    sentence: str | None


def of_text_proposals(tx: Tx, rows: Sequence[int], *, limit: int) -> dict[int, list[TextEvidence]]:
    """The evidence of names and facts read in texts, by their rows: the first `limit` places of each."""
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
