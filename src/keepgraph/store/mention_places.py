"""The places of mentions in texts, written with the texts; and the queue of chunks and names that wait to be read."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Proposal
from keepgraph.store import derived_tables
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


# SQL for the queues of the mention backfill.
#
# A chunk is "unread" until mentions were detected in it; a name, until earlier read chunks were searched for it.
# A name has the number 2 × entity.id, an alias 2 × alias.id + 1.


def any_unread(tx: Tx) -> bool:
    """Whether there are unread chunks or names."""
    return tx.is_true("SELECT EXISTS (SELECT 1 FROM chunk_unread) OR EXISTS (SELECT 1 FROM name_unread)")


def is_longer_than(tx: Tx, number: int) -> bool:
    """Whether more chunks and names than this are unread: quicker than counting them."""
    row = tx.conn.execute(
        """
        SELECT count(*)
        FROM (SELECT * FROM (SELECT 1 FROM chunk_unread LIMIT +:most)
              UNION ALL
              SELECT * FROM (SELECT 1 FROM name_unread LIMIT +:most))
        """,
        {"most": number + 1},
    ).fetchone()
    return int(row[0]) > number


def next_chunks(tx: Tx, *, limit: int, episodes: Sequence[int] | None = None) -> list[int]:
    """Some unread chunks of all groups, newest first; only of these episodes, if given."""
    return tx.column(
        """
        SELECT chunk
        FROM chunk_unread
        WHERE :episodes IS NULL
            OR chunk IN (SELECT id FROM chunk WHERE episode IN (SELECT value FROM json_each(:episodes)))
        ORDER BY chunk DESC
        LIMIT +:limit
        """,
        {"episodes": None if episodes is None else json_array(episodes), "limit": limit},
    )


def next_names(tx: Tx, *, limit: int) -> list[tuple[int, str | None, str | None, str | None]]:
    """Some unread names of all groups, newest first: the number, the name, the group, and the type of the entity.

    If the name was deleted in the meantime, all but the number is None.
    """
    return tx.rows(
        """
        SELECT surface, coalesce(named.name, alias.alias), coalesce(named.group_id, owner.group_id), entity_type.name
        FROM name_unread
        LEFT JOIN entity AS named ON surface % 2 = 0 AND named.id = surface / 2
        LEFT JOIN alias ON surface % 2 = 1 AND alias.id = surface / 2
        LEFT JOIN entity AS owner ON owner.id = alias.entity
        LEFT JOIN entity_type ON entity_type.id = coalesce(named.type, owner.type)
        ORDER BY surface DESC
        LIMIT +?
        """,
        (limit,),
    )


def remove_names(tx: Tx, surfaces: Sequence[int]) -> None:
    """Take names off the queue: texts were searched for them."""
    tx.conn.execute(
        "DELETE FROM name_unread WHERE surface IN (SELECT value FROM json_each(?))", (json_array(surfaces),)
    )


def add_chunks(tx: Tx, chunks: Sequence[int]) -> None:
    """Queue chunks, so that mentions are detected in them again."""
    tx.conn.executemany("INSERT OR IGNORE INTO chunk_unread VALUES (?)", [(row,) for row in chunks])


def add_all_chunks(tx: Tx) -> None:
    """Queue all chunks; then no name has to be searched for separately."""
    derived_tables.fill(tx, derived_tables.UNREAD_CHUNKS)
    tx.conn.execute("DELETE FROM name_unread")


def count(tx: Tx) -> tuple[int, int]:
    """How many chunks and how many names are on the queues."""
    row = tx.conn.execute("SELECT (SELECT count(*) FROM chunk_unread), (SELECT count(*) FROM name_unread)").fetchone()
    return int(row[0]), int(row[1])


def count_waiting_chunks(tx: Tx, chunks: Sequence[int]) -> int:
    """How many of these chunks are unread."""
    return tx.number(
        "SELECT count(*) FROM chunk_unread WHERE chunk IN (SELECT value FROM json_each(?))", (json_array(chunks),)
    )


def count_in_episodes(tx: Tx, episodes: Sequence[int]) -> int:
    """How many chunks of these episodes are unread."""
    return tx.number(
        """
        SELECT count(*)
        FROM chunk_unread
        JOIN chunk ON chunk.id = chunk_unread.chunk
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json_array(episodes),),
    )


def remove_chunks(tx: Tx, chunks: Sequence[int]) -> None:
    """Take deleted chunks off the queue."""
    tx.conn.executemany("DELETE FROM chunk_unread WHERE chunk = ?", [(row,) for row in chunks])


def journal_version(tx: Tx) -> int:
    """The number of the last change in the journal: it grows with every change to what mentions depend on."""
    return tx.number("SELECT coalesce(max(id), 0) FROM journal")
