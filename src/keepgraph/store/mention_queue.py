"""SQL for the queues of the mention backfill.

A chunk is "unread" until mentions were detected in it; a name, until earlier read chunks were searched for it.
A name has the number 2 × entity.id, an alias 2 × alias.id + 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.store import derived_tables
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


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


def count_chunks(tx: Tx, chunks: Sequence[int]) -> int:
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
