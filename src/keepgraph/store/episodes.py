"""Episodes and their chunks in the database: finds, inserts, replaces. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.model import Chunk, Entity, Episode
from keepgraph.store import journal
from keepgraph.store.database import Tx

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
    """The episode with this id, of whatever group: an id says where it is."""
    found = _episodes(tx, f"{_EPISODE} WHERE public_id = :id", {"id": public_id})
    return found[0] if found else None


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Episode]:
    """Episodes by their row numbers."""
    found = _episodes(
        tx, f"{_EPISODE} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json.dumps(list(rows))}
    )
    return {episode.row: episode for episode in found}


def by_digest(tx: Tx, digest: str) -> list[Episode]:
    """The episodes of the group with this very text, the oldest first."""
    return _episodes(
        tx,
        f"{_EPISODE} WHERE digest = :digest AND group_id = :group ORDER BY id",
        {"digest": digest, "group": tx.group},
    )


def by_source(tx: Tx, source: str, *, kind: str) -> list[Episode]:
    """The episodes of the group and of a kind that come from this source, the oldest first."""
    return _episodes(
        tx,
        f"{_EPISODE} WHERE source = :source AND source <> '' AND group_id = :group AND kind = :kind ORDER BY id",
        {"source": source, "group": tx.group, "kind": kind},
    )


def below(tx: Tx, folder: str, *, kind: str) -> list[Episode]:
    """The episodes of the group whose source begins so, by source: the documents of a folder, say."""
    return _episodes(
        tx,
        f"""
        {_EPISODE}
        WHERE source >= :folder AND source < :folder || char(1114111) AND source <> ''
          AND group_id = :group AND kind = :kind
        ORDER BY source, id
        """,
        {"folder": folder, "group": tx.group, "kind": kind},
    )


def newest(tx: Tx, groups: Sequence[str], *, limit: int) -> list[Episode]:
    """The episodes of some groups, newest first by the time they tell of, then by their coming here."""
    return _episodes(
        tx,
        f"""
        {_EPISODE}
        WHERE group_id IN (SELECT value FROM json_each(:groups))
        ORDER BY occurred_at DESC, id DESC
        LIMIT :limit
        """,
        {"groups": json.dumps(list(groups)), "limit": limit},
    )


def count(tx: Tx, groups: Sequence[str]) -> int:
    """How many episodes some groups have."""
    row = tx.conn.execute(
        "SELECT count(*) FROM episode WHERE group_id IN (SELECT value FROM json_each(?))", (json.dumps(list(groups)),)
    ).fetchone()
    return int(row[0])


def count_mentioning(tx: Tx, entity: Entity) -> int:
    """How many episodes mention an entity."""
    row = tx.conn.execute(
        """
        SELECT count(DISTINCT chunk.episode)
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.entity = ?
        """,
        (entity.row,),
    ).fetchone()
    return int(row[0])


def text(tx: Tx, episode: Episode) -> str:
    """The whole text, as it was."""
    rows = tx.conn.execute("SELECT text FROM chunk WHERE episode = ? ORDER BY place, id", (episode.row,))
    return "".join(row[0] for row in rows)


def chunks(tx: Tx, episode: Episode) -> list[Chunk]:
    """The chunks of an episode, in their order."""
    return _chunks(tx, f"{_CHUNK} WHERE episode = :episode ORDER BY place, id", {"episode": episode.row})


def chunks_by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Chunk]:
    """Chunks by their row numbers, of whatever group."""
    found = _chunks(tx, f"{_CHUNK} WHERE id IN (SELECT value FROM json_each(:rows))", {"rows": json.dumps(list(rows))})
    return {chunk.row: chunk for chunk in found}


def insert(
    tx: Tx, *, public_id: str, kind: str, name: str, source: str, digest: str, occurred_at: str, recorded_at: str
) -> Episode:
    """A new episode of the group, without chunks yet."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO episode (id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session)
        VALUES ({journal.unused_row("episode")}, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (public_id, tx.group, kind, name, source, digest, occurred_at, recorded_at, tx.session),
    )
    return Episode(int(cursor.lastrowid), public_id, kind, name, source, digest, occurred_at, recorded_at, tx.group)


def update(tx: Tx, episode: Episode, *, name: str, source: str, digest: str, occurred_at: str) -> None:
    """Give an episode other particulars; one that has them already is not touched."""
    tx.conn.execute(
        """
        UPDATE episode SET name = :name, source = :source, digest = :digest, occurred_at = :occurred_at
        WHERE id = :row
          AND (name, source, digest, occurred_at) IS NOT (:name, :source, :digest, :occurred_at)
        """,
        {"row": episode.row, "name": name, "source": source, "digest": digest, "occurred_at": occurred_at},
    )


def insert_chunk(
    tx: Tx,
    episode: Episode,
    *,
    place: int,
    text: str,
    heading: str,
    speaker: str | None,
    speaker_key: str | None,
    named: Sequence[Mapping[str, str | None]],
    spaced: str | None,
) -> Chunk:
    """A new chunk; it waits to be read."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO chunk (id, episode, place, text, heading, speaker, speaker_key, named, spaced)
        VALUES ({journal.unused_row("chunk")}, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (episode.row, place, text, heading, speaker, speaker_key, _json(named), spaced),
    )
    return Chunk(int(cursor.lastrowid), episode.row, place, text, heading, speaker, tuple(named))


def move_chunk(tx: Tx, chunk: Chunk, *, place: int, heading: str, named: Sequence[Mapping[str, str | None]]) -> None:
    """Give a chunk whose text stays another place, heading or names; what it has already is not touched.

    Triggers look at the columns that an update names: of another place alone, nothing has to be read or embedded.
    """
    if place != chunk.place:
        tx.conn.execute("UPDATE chunk SET place = ? WHERE id = ?", (place, chunk.row))
    if heading != chunk.heading:
        tx.conn.execute("UPDATE chunk SET heading = ? WHERE id = ?", (heading, chunk.row))
    if _json(named) != _json(chunk.named):
        tx.conn.execute("UPDATE chunk SET named = ? WHERE id = ?", (_json(named), chunk.row))


def delete_chunk(tx: Tx, chunk: Chunk) -> None:
    """Delete a chunk, with what was read in it."""
    tx.conn.execute("DELETE FROM chunk WHERE id = ?", (chunk.row,))


def delete(tx: Tx, episode: Episode) -> None:
    """Delete an episode to which nothing but its chunks refers any more."""
    tx.conn.execute("DELETE FROM chunk WHERE episode = ?", (episode.row,))
    tx.conn.execute("DELETE FROM episode WHERE id = ?", (episode.row,))


def chunks_about(tx: Tx, entity: Entity) -> list[Chunk]:
    """The chunks of the group of which somebody said that they are about an entity, or that were not read yet."""
    return _chunks(
        tx,
        f"""
        {_CHUNK}
        WHERE chunk.named <> '[]'
          AND (chunk.id IN (SELECT chunk FROM mention WHERE entity = :entity)
               OR chunk.id IN (SELECT chunk FROM chunk_unread))
          AND (SELECT group_id FROM episode WHERE episode.id = chunk.episode) = :group
        ORDER BY chunk.id
        """,
        {"entity": entity.row, "group": tx.group},
    )


def _episodes(tx: Tx, query: str, values: Mapping[str, Any]) -> list[Episode]:
    return [Episode(*row) for row in tx.conn.execute(query, values)]


def _chunks(tx: Tx, query: str, values: Mapping[str, Any]) -> list[Chunk]:
    rows = tx.conn.execute(query, values)
    return [
        Chunk(row, episode, place, text, heading, speaker, tuple(json.loads(named)))
        for row, episode, place, text, heading, speaker, named in rows
    ]


def _json(named: Sequence[Mapping[str, str | None]]) -> str:
    return json.dumps(list(named), ensure_ascii=False, separators=(",", ":"))
