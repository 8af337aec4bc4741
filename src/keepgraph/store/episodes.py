"""SQL for episodes and their chunks, and for conversations in them: who speaks, and the turns around a turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from keepgraph.model import Chunk, Entity, Episode
from keepgraph.store import journal
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

_EPISODE = """
    SELECT episode.id, episode.public_id, episode.kind, episode.name, episode.source, episode.digest,
           episode.occurred_at, episode.recorded_at, episode.group_id
    FROM episode
"""
_CHUNK = """
    SELECT chunk.id, chunk.episode, chunk.place, chunk.text, chunk.heading, chunk.speaker, chunk.named
    FROM chunk
"""


def by_id(tx: Tx, public_id: str) -> Episode | None:
    """The episode with this public id, in any group."""
    episodes = _select_episodes(tx, f"{_EPISODE} WHERE public_id = :id", {"id": public_id})
    return episodes[0] if episodes else None


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Episode]:
    """Episodes by their rows."""
    episodes = _select_episodes(
        tx, f"{_EPISODE} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json_array(rows)}
    )
    return {episode.row: episode for episode in episodes}


def by_digest(tx: Tx, digest: str) -> list[Episode]:
    """The episodes of the group whose text has this digest, oldest first."""
    return _select_episodes(
        tx,
        f"{_EPISODE} WHERE digest = :digest AND group_id = :group ORDER BY id",
        {"digest": digest, "group": tx.group},
    )


def by_source(tx: Tx, source: str, *, kind: str) -> list[Episode]:
    """The episodes of a kind in the group from this source, oldest first."""
    return _select_episodes(
        tx,
        f"{_EPISODE} WHERE source = :source AND source <> '' AND group_id = :group AND kind = :kind ORDER BY id",
        {"source": source, "group": tx.group, "kind": kind},
    )


def first_by_source(tx: Tx, source: str, *, kind: str) -> Episode | None:
    """The oldest episode of a kind in the group from this source."""
    return next(iter(by_source(tx, source, kind=kind)), None)


def by_source_prefix(tx: Tx, prefix: str, *, kind: str) -> list[Episode]:
    """The episodes of a kind in the group whose source has this prefix, by source: the documents of a folder."""
    return _select_episodes(
        tx,
        f"""
        {_EPISODE}
        WHERE source >= :folder AND source < :folder || char(1114111) AND source <> ''
          AND group_id = :group AND kind = :kind
        ORDER BY source, id
        """,
        {"folder": prefix, "group": tx.group, "kind": kind},
    )


def ids_named(tx: Tx, prefix: str, *, kind: str) -> list[tuple[str, str, str | None]]:
    """The source of each episode that a prefix selects, and the id and type that its first chunk gives its topic."""
    return tx.rows(
        """
        SELECT episode.source, named.value ->> 'id', named.value ->> 'type'
        FROM episode
        JOIN chunk ON chunk.id = (SELECT id FROM chunk WHERE episode = episode.id ORDER BY place, id LIMIT 1)
        JOIN json_each(chunk.named) AS named
        WHERE source >= :folder AND source < :folder || char(1114111) AND source <> ''
          AND group_id = :group AND kind = :kind AND named.value ->> 'id' IS NOT NULL
        ORDER BY episode.source, episode.id
        """,
        {"folder": prefix, "group": tx.group, "kind": kind},
    )


def newest(tx: Tx, groups: Sequence[str], *, limit: int) -> list[Episode]:
    """The episodes of some groups, newest first by `occurred_at`, then by when they were stored."""
    return _select_episodes(
        tx,
        f"""
        {_EPISODE}
        WHERE group_id IN (SELECT value FROM json_each(:groups))
        ORDER BY occurred_at DESC, id DESC
        LIMIT +:limit
        """,
        {"groups": json_array(groups), "limit": limit},
    )


def by_name(tx: Tx, name: str, *, limit: int) -> list[Episode]:
    """The episodes of the group with this name, in any case, newest first."""
    return _select_episodes(
        tx,
        f"{_EPISODE} WHERE name = :name COLLATE NOCASE AND group_id = :group ORDER BY id DESC LIMIT +:limit",
        {"name": name, "group": tx.group, "limit": limit},
    )


def with_phrases(tx: Tx, phrases: Sequence[str], *, limit: int) -> list[Episode]:
    """The episodes of the group that contain all of these, each quoted for a full-text query, newest first."""
    matches = " INTERSECT ".join(
        "SELECT chunk.episode FROM chunk_text JOIN chunk ON chunk.id = chunk_text.rowid WHERE chunk_text MATCH ?"
        for _ in phrases
    )
    rows = tx.conn.execute(
        f"{_EPISODE} WHERE id IN ({matches}) AND group_id = ? ORDER BY id DESC LIMIT +?", [*phrases, tx.group, limit]
    )
    return [Episode(*row) for row in rows]


def newest_recorded(tx: Tx) -> Episode | None:
    """The most recently stored episode of the group."""
    episodes = _select_episodes(
        tx, f"{_EPISODE} WHERE group_id = :group ORDER BY recorded_at DESC, id DESC LIMIT 1", {"group": tx.group}
    )
    return episodes[0] if episodes else None


def count(tx: Tx, groups: Sequence[str]) -> int:
    """How many episodes some groups have."""
    return tx.number(
        "SELECT count(*) FROM episode WHERE group_id IN (SELECT value FROM json_each(?))", (json_array(groups),)
    )


def text(tx: Tx, episode: Episode) -> str:
    """The whole text of an episode: its chunks, joined."""
    rows = tx.conn.execute("SELECT text FROM chunk WHERE episode = ? ORDER BY place, id", (episode.row,))
    return "".join(row[0] for row in rows)


def chunks(tx: Tx, episode: Episode) -> list[Chunk]:
    """The chunks of an episode, in their order."""
    return _select_chunks(tx, f"{_CHUNK} WHERE episode = :episode ORDER BY place, id", {"episode": episode.row})


def chunks_by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Chunk]:
    """Chunks by their rows, in any group."""
    chunks_ = _select_chunks(
        tx, f"{_CHUNK} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json_array(rows)}
    )
    return {chunk.row: chunk for chunk in chunks_}


def count_chunks(tx: Tx) -> int:
    """How many chunks there are, in all groups."""
    return tx.number("SELECT count(*) FROM chunk")


def first_chunks(tx: Tx, episodes: Sequence[int]) -> set[int]:
    """The rows of the first chunks of these episodes."""
    return tx.distinct(
        """
        SELECT (SELECT chunk.id FROM chunk WHERE chunk.episode = asked.value ORDER BY place, chunk.id LIMIT 1)
        FROM json_each(?) AS asked
        """,
        (json_array(episodes),),
    )


def insert(
    tx: Tx, *, public_id: str, kind: str, name: str, source: str, digest: str, occurred_at: str, recorded_at: str
) -> Episode:
    """Insert an episode into the group, without chunks."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO episode (id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session)
        VALUES ({journal.unused_row_sql("episode")}, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (public_id, tx.group, kind, name, source, digest, occurred_at, recorded_at, tx.session),
    )
    return Episode(int(cursor.lastrowid), public_id, kind, name, source, digest, occurred_at, recorded_at, tx.group)


def update(tx: Tx, episode: Episode) -> None:
    """Update an episode to these values. If its row has them it is not touched, so that the journal shows no change."""
    tx.conn.execute(
        """
        UPDATE episode SET name = :name, source = :source, digest = :digest, occurred_at = :occurred_at
        WHERE id = :row
          AND (name, source, digest, occurred_at) IS NOT (:name, :source, :digest, :occurred_at)
        """,
        {
            "row": episode.row,
            "name": episode.name,
            "source": episode.source,
            "digest": episode.digest,
            "occurred_at": episode.occurred_at,
        },
    )


def insert_chunk(
    tx: Tx,
    episode: Episode,
    *,
    position: int,
    text: str,
    heading: str,
    speaker: str | None,
    speaker_key: str | None,
    annotations: Sequence[Mapping[str, str | None]],
    spaced: str | None,
) -> Chunk:
    """Insert a chunk. A trigger queues it for mention detection."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO chunk (id, episode, place, text, heading, speaker, speaker_key, named, spaced)
        VALUES ({journal.unused_row_sql("chunk")}, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (episode.row, position, text, heading, speaker, speaker_key, _json(annotations), spaced),
    )
    return Chunk(int(cursor.lastrowid), episode.row, position, text, heading, speaker, tuple(annotations))


def update_chunk(
    tx: Tx, chunk: Chunk, *, position: int, heading: str, annotations: Sequence[Mapping[str, str | None]]
) -> None:
    """Update the position, heading and annotations of a chunk with unchanged text; equal values are not touched.

    One UPDATE for each column, because triggers depend on the columns that an UPDATE names: a new position
    alone requires no mention detection and no new vector.
    """
    if position != chunk.position:
        tx.conn.execute("UPDATE chunk SET place = ? WHERE id = ?", (position, chunk.row))
    if heading != chunk.heading:
        tx.conn.execute("UPDATE chunk SET heading = ? WHERE id = ?", (heading, chunk.row))
    if _json(annotations) != _json(chunk.annotations):
        tx.conn.execute("UPDATE chunk SET named = ? WHERE id = ?", (_json(annotations), chunk.row))


def delete_chunk(tx: Tx, chunk: Chunk) -> None:
    """Delete a chunk, with its mentions and its evidence for proposals."""
    tx.conn.execute("DELETE FROM chunk WHERE id = ?", (chunk.row,))


def delete(tx: Tx, episode: Episode) -> None:
    """Delete an episode and its chunks; nothing else may refer to it."""
    tx.conn.execute("DELETE FROM chunk WHERE episode = ?", (episode.row,))
    tx.conn.execute("DELETE FROM episode WHERE id = ?", (episode.row,))


def chunks_about(tx: Tx, entity: Entity) -> list[Chunk]:
    """The chunks of the group annotated with a name that mention an entity, or where mentions were not detected yet."""
    return _select_chunks(
        tx,
        f"""
        {_CHUNK}
        WHERE instr(chunk.named, '"name":') > 0
          AND chunk.id IN (
              SELECT chunk FROM mention WHERE entity = :entity
              UNION
              SELECT id FROM chunk AS unread INDEXED BY chunk_naming
              WHERE instr(named, '"name":') > 0 AND id >= (SELECT min(chunk) FROM chunk_unread)
                AND id IN (SELECT chunk FROM chunk_unread)
          )
          AND (SELECT group_id FROM episode WHERE episode.id = chunk.episode) = :group
        ORDER BY chunk.id
        """,
        {"entity": entity.row, "group": tx.group},
    )


def _select_episodes(tx: Tx, query: str, values: Mapping[str, Any]) -> list[Episode]:
    return [Episode(*row) for row in tx.conn.execute(query, values)]


def _select_chunks(tx: Tx, query: str, values: Mapping[str, Any]) -> list[Chunk]:
    rows = tx.conn.execute(query, values)
    return [
        Chunk(row, episode, position, text, heading, speaker, tuple(json.loads(annotations)))
        for row, episode, position, text, heading, speaker, annotations in rows
    ]


def _json(annotations: Sequence[Mapping[str, str | None]]) -> str:
    return json.dumps(list(annotations), ensure_ascii=False, separators=(",", ":"))


# SQL for narratives: which episode is about which week, of one project or of all.


class _CurrentNarrative(NamedTuple):
    """The current narrative of a week: the row of its episode, when it was recorded, the session of its text."""

    episode: int
    recorded_at: str
    session: str | None


class _NarrativeRow(NamedTuple):
    """A narrative as an export writes it: public ids of its episode and its project. The field names are its keys."""

    week: str
    project: str | None
    episode: str
    recorded_at: str


def newest_narrative(tx: Tx, week: str, project: Entity | None) -> _CurrentNarrative | None:
    """The newest narrative of a week and a project (None: of all projects), as known."""
    row = tx.conn.execute(
        """
        SELECT narrative.episode, narrative.recorded_at, episode.session
        FROM narrative
        JOIN episode ON episode.id = narrative.episode
        WHERE narrative.week = :week AND narrative.project IS :project AND episode.group_id = :group
          AND (:known IS NULL OR narrative.recorded_at <= :known)
        ORDER BY narrative.recorded_at DESC, narrative.id DESC
        LIMIT 1
        """,
        {"week": week, "project": project.row if project else None, "group": tx.group, "known": tx.known_at},
    ).fetchone()
    return _CurrentNarrative(*row) if row else None


def insert_narrative(tx: Tx, episode: int, *, week: str, project: int | None, recorded_at: str) -> None:
    """Insert a narrative. An equal one of the same instant is moved to the end."""
    values = {"episode": episode, "week": week, "project": project, "recorded_at": recorded_at}
    tx.conn.execute(
        """
        DELETE FROM narrative
        WHERE episode = :episode AND week = :week AND project IS :project AND recorded_at = :recorded_at
        """,
        values,
    )
    tx.conn.execute(
        f"""
        INSERT INTO narrative (id, episode, week, project, recorded_at)
        VALUES ({journal.unused_row_sql("narrative")}, :episode, :week, :project, :recorded_at)
        """,
        values,
    )


def exists(tx: Tx, episode: int, *, week: str, project: int | None, recorded_at: str) -> bool:
    """Whether exactly this narrative exists."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM narrative
            WHERE episode = :episode AND week = :week AND project IS :project AND recorded_at = :recorded_at
        )
        """,
        {"episode": episode, "week": week, "project": project, "recorded_at": recorded_at},
    )


def count_of_project(tx: Tx, entity: Entity, *, besides: int = 0) -> int:
    """How many narratives are about an entity as their project, except those of one episode, given by its row."""
    return tx.number("SELECT count(*) FROM narrative WHERE project = ? AND episode <> ?", (entity.row, besides))


def move(tx: Tx, source: Entity, target: Entity) -> None:
    """Move the narratives of a project to another one."""
    tx.conn.execute(
        """
        DELETE FROM narrative
        WHERE project = :source
          AND EXISTS (SELECT 1 FROM narrative AS other
                      WHERE other.project = :target AND other.episode = narrative.episode
                        AND other.week = narrative.week AND other.recorded_at = narrative.recorded_at)
        """,
        {"source": source.row, "target": target.row},
    )
    tx.conn.execute("UPDATE narrative SET project = ? WHERE project = ?", (target.row, source.row))


def all_groups(tx: Tx) -> Iterator[_NarrativeRow]:
    """All narratives, the older first of two of the same instant."""
    rows = tx.conn.execute(
        """
        SELECT narrative.week, entity.public_id, episode.public_id, narrative.recorded_at
        FROM narrative
        JOIN episode ON episode.id = narrative.episode
        LEFT JOIN entity ON entity.id = narrative.project
        ORDER BY narrative.recorded_at, narrative.id
        """
    )
    return (_NarrativeRow(*row) for row in rows)


_IS_TURN = "(chunk.speaker IS NOT NULL OR episode.kind = 'message')"


def speakers(tx: Tx) -> dict[str, str]:
    """The names of the speakers in texts, by key."""
    # Step by step through the index of keys: reading every chunk would be too slow.
    return tx.mapping(
        """
        WITH RECURSIVE speaker (key) AS (
            SELECT min(speaker_key) FROM chunk WHERE speaker_key IS NOT NULL
            UNION ALL
            SELECT (SELECT min(speaker_key) FROM chunk WHERE speaker_key > speaker.key)
            FROM speaker
            WHERE speaker.key IS NOT NULL
        )
        SELECT key, (SELECT speaker FROM chunk WHERE speaker_key = key LIMIT 1) FROM speaker WHERE key IS NOT NULL
        """
    )


def spoken_by(tx: Tx, chunks: Sequence[int], speakers: Sequence[str]) -> set[int]:
    """The chunks said by one of these speakers; speakers by their keys."""
    return tx.distinct(
        """
        SELECT id FROM chunk
        WHERE id IN (SELECT value FROM json_each(?)) AND speaker_key IN (SELECT value FROM json_each(?))
        """,
        (json_array(chunks), json_array(speakers)),
    )


def turns(tx: Tx, chunks: Sequence[int]) -> set[int]:
    """The chunks that are turns of a conversation: they have a speaker, or are messages."""
    if not any_document(tx):
        return set(chunks)
    return tx.distinct(
        f"""
        SELECT chunk.id
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?)) AND {_IS_TURN}
        """,
        (json_array(chunks),),
    )


def wholes(tx: Tx, chunks: Sequence[int]) -> dict[int, str]:
    """What each chunk is part of, by a key: its text, or, for a message, the messages of its group and day.

    A message with several turns is a conversation by itself.
    """
    return tx.mapping(
        """
        SELECT chunk.id,
               iif(episode.kind = 'message' AND NOT EXISTS (
                       SELECT 1 FROM chunk AS other WHERE other.episode = chunk.episode AND other.id <> chunk.id),
                   substr(episode.occurred_at, 1, 10) || ' ' || episode.group_id,
                   episode.public_id)
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?))
        """,
        (json_array(chunks),),
    )


def any_document(tx: Tx) -> bool:
    """Whether any chunk, of any group, is not a turn of a conversation."""

    def read() -> bool:
        return tx.is_true(
            """
            SELECT EXISTS (
                SELECT 1
                FROM chunk
                JOIN episode ON episode.id = chunk.episode
                WHERE chunk.speaker_key IS NULL AND episode.kind <> 'message'
            )
            """
        )

    return tx.cached("any document", read)


def adjacent_turns(tx: Tx, chunks: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """The turns before and after each of some chunks that are turns: in the same text, or in the next message.

    Neighbours of a message are the ones stored before and after it in its group.
    """
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, {_adjacent("<", "DESC")}, {_adjacent(">", "ASC")}
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?)) AND {_IS_TURN}
        """,
        (json_array(chunks),),
    )
    return {chunk: (before, after) for chunk, before, after in rows}


def _adjacent(side: str, order: str) -> str:
    return f"""
        coalesce(
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = chunk.episode AND other.place {side} chunk.place
             ORDER BY other.place {order} LIMIT 1),
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = (
                 SELECT next.id FROM episode AS next
                 WHERE next.group_id = episode.group_id AND next.kind = episode.kind AND next.id {side} episode.id
                 ORDER BY next.id {order} LIMIT 1)
               AND (episode.kind = 'message' OR other.speaker IS NOT NULL)
             ORDER BY other.place {order} LIMIT 1))
    """
