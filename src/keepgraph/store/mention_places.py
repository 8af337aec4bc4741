"""Where texts mention an entity or a proposed name: by chunk, by episode, and what else a chunk mentions."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Proposal
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

# For an entity, and for a name that is only proposed.
_PLACES = {
    Entity: "SELECT chunk, start, stop FROM mention WHERE entity = :node",
    Proposal: "SELECT chunk, start, stop FROM proposal_evidence WHERE proposal = :node",
}

_IN_TIME = """
    (:known IS NULL OR episode.recorded_at <= :known)
    AND (:since IS NULL OR :since <= episode.occurred_at)
    AND (:until IS NULL OR episode.occurred_at <= :until)
"""


@dataclass(frozen=True, slots=True)
class MentionPlace:
    """A place that mentions something: chunk and episode by row number, and the offsets in the chunk, if known."""

    chunk: int
    episode: int
    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class MentionedNode:
    """What a chunk mentions: an entity, or a name that is only proposed; both chunk and node by row number."""

    chunk: int
    row: int
    id: str
    name: str
    type: str
    proposed: bool


def by_chunk(
    tx: Tx,
    node: Entity | Proposal,
    *,
    limit: int,
    offset: int = 0,
    since: str | None = None,
    until: str | None = None,
) -> list[MentionPlace]:
    """Every place that mentions a node: the most recently recorded episode first, its chunks in order.

    Args:
        since, until: timestamps; leave out episodes that occurred before the one, or after the other.
    """
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, chunk.episode, place.start, place.stop
        FROM ({_PLACES[type(node)]}) AS place
        JOIN chunk ON chunk.id = place.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE {_IN_TIME}
        ORDER BY episode.recorded_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit OFFSET :offset
        """,
        {"node": node.row, "limit": limit, "offset": offset, "known": tx.known_at, "since": since, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def of_chunks(tx: Tx, chunks: Sequence[int], *, until: str | None, limit: int) -> list[MentionPlace]:
    """These chunks as places, those of the newest episode first.

    Args:
        until: leave out episodes that occurred after this timestamp.
    """
    rows = tx.conn.execute(
        """
        SELECT chunk.id, chunk.episode, NULL, NULL
        FROM json_each(:chunks) AS asked
        JOIN chunk ON chunk.id = asked.value
        JOIN episode ON episode.id = chunk.episode
        WHERE (:known IS NULL OR recorded_at <= :known)
          AND (:until IS NULL OR occurred_at <= :until)
        ORDER BY occurred_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit
        """,
        {"chunks": json_array(chunks), "limit": limit, "known": tx.known_at, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def count_chunks(tx: Tx, node: Entity | Proposal, *, since: str | None = None, until: str | None = None) -> int:
    """In how many chunks a node is mentioned; `since` and `until` as in `by_chunk`."""
    return _count(tx, node, "chunk.id", since=since, until=until)


def by_episode(
    tx: Tx,
    node: Entity | Proposal,
    *,
    until: str | None,
    limit: int,
    since: str | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[MentionPlace]:
    """The first place in each episode that mentions a node, by the time when the episode occurred.

    Args:
        since, until: timestamps; leave out episodes that occurred before the one, or after the other.
    """
    order = "DESC" if newest_first else "ASC"
    rows = tx.conn.execute(
        f"""
        WITH numbered AS (
            SELECT chunk.id AS chunk, chunk.episode AS episode, place.start AS start, place.stop AS stop,
                   row_number() OVER (PARTITION BY chunk.episode ORDER BY chunk.place, chunk.id) AS nth
            FROM ({_PLACES[type(node)]}) AS place
            JOIN chunk ON chunk.id = place.chunk
        )
        SELECT numbered.chunk, numbered.episode, numbered.start, numbered.stop
        FROM numbered JOIN episode ON episode.id = numbered.episode
        WHERE nth = 1 AND {_IN_TIME}
        ORDER BY occurred_at {order}, episode.id {order}
        LIMIT +:limit OFFSET :offset
        """,
        {"node": node.row, "limit": limit, "offset": offset, "known": tx.known_at, "since": since, "until": until},
    )
    return [MentionPlace(*row) for row in rows]


def count_episodes(tx: Tx, node: Entity | Proposal, *, until: str | None, since: str | None = None) -> int:
    """How many episodes mention a node; `since` and `until` as in `by_episode`."""
    return _count(tx, node, "DISTINCT episode.id", since=since, until=until)


def _count(tx: Tx, node: Entity | Proposal, counted: str, *, since: str | None, until: str | None) -> int:
    return tx.number(
        f"""
        SELECT count({counted})
        FROM ({_PLACES[type(node)]}) AS place
        JOIN chunk ON chunk.id = place.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE {_IN_TIME}
        """,
        {"node": node.row, "known": tx.known_at, "since": since, "until": until},
    )


def find(tx: Tx, chunk: int, key: str) -> tuple[str, MentionPlace] | None:
    """The place where a chunk mentions a node, with the id of the node.

    Args:
        key: the row number of an entity, or the id of a proposal.
    """
    row = tx.conn.execute(
        """
        SELECT entity.public_id, chunk.id, chunk.episode, mention.start, mention.stop
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.chunk = :chunk AND CAST(mention.entity AS TEXT) = :key
        UNION ALL
        SELECT proposal.public_id, chunk.id, chunk.episode, evidence.start, evidence.stop
        FROM proposal_evidence AS evidence
        JOIN proposal ON proposal.id = evidence.proposal
        JOIN chunk ON chunk.id = evidence.chunk
        WHERE evidence.chunk = :chunk AND proposal.public_id = :key
        """,
        {"chunk": chunk, "key": key},
    ).fetchone()
    return (row[0], MentionPlace(*row[1:])) if row else None


def nodes_in_chunks(tx: Tx, chunks: Sequence[int]) -> list[MentionedNode]:
    """What chunks mention, by chunk, entities before proposed names, and by the place of the words."""
    rows = tx.conn.execute(
        """
        SELECT mention.chunk, entity.id, entity.public_id, entity.name, entity_type.name, 0, mention.start
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE mention.chunk IN (SELECT value FROM json_each(:chunks))
        UNION ALL
        SELECT evidence.chunk, proposal.id, public_id, subject, subject_type, 1, evidence.start
        FROM proposal_evidence AS evidence
        JOIN proposal ON proposal.id = evidence.proposal
        WHERE evidence.chunk IN (SELECT value FROM json_each(:chunks)) AND kind = 'entity'
        ORDER BY 1, 6, 7, 2
        """,
        {"chunks": json_array(chunks)},
    )
    return [
        MentionedNode(chunk, row, public_id, name, kind, bool(proposed))
        for chunk, row, public_id, name, kind, proposed, _ in rows
    ]
