"""SQL for provenance: the assertions behind each fact, with source, confidence, time, session and tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from hashlib import blake2b
from typing import Any, NamedTuple

from keepgraph.model import Entity, Fact
from keepgraph.store import journal
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import facts_with
from keepgraph.store.transactions import Tx


def digest(*words: str) -> int:
    """The digest, of 48 bits, of the words with which a note states something: what it names is not looked up."""
    return int.from_bytes(blake2b("\0".join(words).encode("utf-8", "replace"), digest_size=6).digest())


ITSELF = digest("note")
"""The statement of a note that it is an entity."""


def insert(
    tx: Tx, fact: int, *, source: str | None, confidence: float, recorded_at: str, statement: int | None = None
) -> None:
    journal.insert(
        tx,
        "provenance",
        f"""
        INSERT INTO provenance (id, fact, source, confidence, recorded_at, session, tool, episode, statement)
        VALUES (coalesce(?, {journal.unused_row_sql("provenance")}), ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (fact, source, confidence, recorded_at, tx.session, tx.tool, tx.episode, statement),
    )


def insert_many(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the fact, source, confidence, recorded_at, session, tool, statement, episode row."""
    tx.conn.executemany(
        """
        INSERT INTO provenance (id, fact, source, confidence, recorded_at, session, tool, statement, episode)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )


def move(tx: Tx, *, source: Fact, target: Fact) -> None:
    """Move the assertions of one fact to another."""
    tx.conn.execute("UPDATE provenance SET fact = ? WHERE fact = ?", (target.row, source.row))


def fact_rows_by_assertion(tx: Tx, facts: Sequence[int]) -> list[tuple[int, str]]:
    """The row of the fact and the timestamp of each assertion of these facts, in the order of the assertions."""
    return tx.rows(
        """
        SELECT fact, recorded_at
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(:facts)) AND (:known IS NULL OR recorded_at <= :known)
        ORDER BY recorded_at, id
        """,
        {"facts": json_array(facts), "known": tx.known_at},
    )


def of_fact(tx: Tx, fact: int, *, source: str | None, confidence: float) -> tuple[str | None, int | None]:
    """The first source of a fact, and the row of the last time that this session made the same assertion of it.

    The same is one from the same episode, if any. Either is None if there is none.
    """
    (found,) = tx.rows(
        """
        SELECT (SELECT source FROM provenance
                WHERE fact = :fact AND source IS NOT NULL ORDER BY recorded_at, id LIMIT 1),
               (SELECT max(id) FROM provenance
                WHERE fact = :fact AND source IS :source AND confidence = :confidence
                  AND session IS :session AND episode IS :episode)
        """,
        {"fact": fact, "source": source, "confidence": confidence, "session": tx.session, "episode": tx.episode},
    )
    return found[0], found[1]


def of_last_call(tx: Tx) -> Set[int]:
    """The rows of the assertions by the last call that changed the graph, if it was one of this session and tool.

    Callers without a session are strangers to each other. It is looked up once a transaction.
    """
    key = ("assertions of the last call",)
    if tx.session is not None and key not in tx.memo:
        tx.memo[key] = tx.distinct(
            """
            SELECT row
            FROM call JOIN journal ON journal.call = call.id
            WHERE call.id = (SELECT max(call) FROM journal WHERE call < ?) AND session = ? AND tool = ?
              AND tbl = 'provenance' AND op = 'insert'
            """,
            (tx.call, tx.session, tx.tool),
        )
    rows: Set[int] = tx.memo.get(key, frozenset())
    return rows


def newest_assertions(
    tx: Tx, facts: Sequence[int], *, limit: int
) -> list[tuple[int, int, str | None, str, str, str | None]]:
    """The assertions of these facts, newest first: the row, the fact, the source, the timestamp, tool and session."""
    return tx.rows(
        """
        SELECT id, fact, source, recorded_at, tool, session
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY id DESC
        LIMIT +?
        """,
        (json_array(facts), limit),
    )


def of_episode(tx: Tx, episode: int) -> list[tuple[int, int, str]]:
    """The assertions from an episode, oldest first: the row, the fact and the timestamp."""
    return tx.rows(
        "SELECT id, fact, recorded_at FROM provenance WHERE episode = ? ORDER BY recorded_at, id", (episode,)
    )


def statements(tx: Tx, episode: int) -> dict[int, tuple[int, int | None]]:
    """The fact and the statement of each assertion from an episode, by row."""
    query = "SELECT id, fact, statement FROM provenance WHERE episode = ? ORDER BY id"
    return {row: (fact, statement) for row, fact, statement in tx.rows(query, (episode,))}


def open_statements(tx: Tx, episode: int) -> dict[int, str | None]:
    """The open statements of an episode, and what each waits for; None if somebody has removed its fact."""
    return tx.mapping("SELECT statement, waits_for FROM open_statement WHERE episode = ?", (episode,))


def set_open_statements(tx: Tx, episode: int, statements: Mapping[int, str | None]) -> None:
    """Let these be the open statements of an episode."""
    known = open_statements(tx, episode).items()
    _delete_open(tx, [(episode, one) for one, waits_for in known if (one, waits_for) not in statements.items()])
    for one, waits_for in statements.items():
        if (one, waits_for) not in known:
            _insert_open(tx, episode, one, waits_for)


def open_removed(tx: Tx, statements: Iterable[tuple[int | None, int | None]]) -> None:
    """Note of statements, each after its episode, that somebody has removed their facts; others have neither."""
    removed = sorted({(episode, one) for episode, one in statements if episode is not None and one is not None})
    _delete_open(tx, removed)
    for episode, one in removed:
        _insert_open(tx, episode, one, None)


def _delete_open(tx: Tx, statements: Sequence[tuple[int, int]]) -> None:
    if statements:
        tx.conn.executemany("DELETE FROM open_statement WHERE episode = ? AND statement = ?", statements)


def _insert_open(tx: Tx, episode: int, statement: int, waits_for: str | None) -> None:
    journal.insert(
        tx,
        "open_statement",
        f"""
        INSERT INTO open_statement (id, episode, statement, waits_for)
        VALUES (coalesce(?, {journal.unused_row_sql("open_statement")}), ?, ?, ?)
        """,
        (episode, statement, waits_for),
    )


def open_in_folder(tx: Tx, folder: str) -> list[tuple[str, int, str | None]]:
    """The open statements of the texts whose source begins with a folder: the source, the statement, what it waits for.

    By texts in the order of their rows.
    """
    return tx.rows(
        """
        SELECT episode.source, statement, waits_for
        FROM episode
        JOIN open_statement ON open_statement.episode = episode.id
        WHERE group_id = :group AND source >= :folder AND source < :folder || char(1114111)
        ORDER BY episode.id, statement
        """,
        {"folder": folder, "group": tx.group},
    )


def is_stated_by_other_document(tx: Tx, entity: int, *, besides: int) -> bool:
    """Whether a fact with this entity as its subject was recorded from a document other than this episode."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1
            FROM fact
            JOIN provenance ON provenance.fact = fact.id
            JOIN episode ON episode.id = provenance.episode
            WHERE fact.subject = ? AND episode.kind = 'document' AND episode.id <> ?
        )
        """,
        (entity, besides),
    )


def set_source(tx: Tx, rows: Sequence[int], *, source: str) -> None:
    """Give these assertions another source: their file was moved."""
    tx.conn.executemany("UPDATE provenance SET source = ? WHERE id = ?", [(source, row) for row in rows])


def episodes_of_fact(tx: Tx, fact: int) -> list[int]:
    """The rows of the episodes that a fact was recorded from, newest first."""
    return tx.column(
        "SELECT DISTINCT episode FROM provenance WHERE fact = ? AND episode IS NOT NULL ORDER BY episode DESC", (fact,)
    )


def count_others(tx: Tx, facts: Sequence[int], *, besides: Sequence[int]) -> dict[int, int]:
    """How many other assertions each of these facts has; those without any are left out."""
    return tx.mapping(
        """
        SELECT fact, count(*)
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(:facts)) AND id NOT IN (SELECT value FROM json_each(:besides))
        GROUP BY fact
        """,
        {"facts": json_array(facts), "besides": json_array(besides)},
    )


def delete(tx: Tx, rows: Sequence[int]) -> None:
    """Delete some assertions; the facts stay."""
    tx.conn.executemany("DELETE FROM provenance WHERE id = ?", [(row,) for row in rows])


# SQL for explanations: the assertions of a fact, the calls that inserted rows, the sources of an entity's facts.


class AssertionRow(NamedTuple):
    """An assertion of a fact as stored; `episode` is the row of its text."""

    row: int
    source: str | None
    confidence: float
    recorded_at: str
    session: str | None
    tool: str
    episode: int | None


class _SourceCount(NamedTuple):
    """How many facts one source states; if none is named, it is the tool that recorded them."""

    source: str | None
    tool: str | None
    facts: int


def assertions(tx: Tx, fact: int, *, limit: int) -> list[AssertionRow]:
    """The assertions of a fact, oldest first."""
    rows = tx.conn.execute(
        """
        SELECT id, source, confidence, recorded_at, session, tool, episode
        FROM provenance
        WHERE fact = ?
        ORDER BY recorded_at, id
        LIMIT +?
        """,
        (fact, limit),
    )
    return [AssertionRow(*row) for row in rows]


def count_assertions(tx: Tx, fact: int) -> int:
    return tx.number("SELECT count(*) FROM provenance WHERE fact = ?", (fact,))


def inserting_calls(tx: Tx, table: str, rows: Mapping[int, str]) -> dict[int, int]:
    """The numbers of the calls that first inserted rows of a table; those no longer in the journal are left out.

    Args:
        rows: row numbers with the timestamps of the rows. That is the time of the call, unless an import brought it:
            then the whole journal is read, once for all of these rows.
    """
    calls = tx.mapping(
        """
        SELECT journal.row, min(journal.call)
        FROM json_each(:rows) AS wanted
        JOIN call ON call.at = wanted.value
        JOIN journal ON journal.call = call.id
        WHERE journal.tbl = :table AND journal.row = CAST(wanted.key AS INTEGER) AND journal.op = 'insert'
        GROUP BY journal.row
        """,
        {"table": table, "rows": json.dumps(dict(rows))},
    )
    if others := [row for row in rows if row not in calls]:
        calls |= tx.mapping(
            """
            SELECT row, min(call)
            FROM journal
            WHERE tbl = ? AND op = 'insert' AND row IN (SELECT value FROM json_each(?))
            GROUP BY row
            """,
            (table, json_array(others)),
        )
    return calls


def facts_ended_by_call(tx: Tx, call: int, *, limit: int) -> list[int]:
    """The rows of the facts whose validity a call gave an end."""
    return tx.column(
        """
        SELECT DISTINCT journal.row
        FROM journal
        JOIN fact ON fact.id = journal.row
        WHERE journal.call = ? AND journal.tbl = 'fact' AND journal.op = 'update'
          AND journal.was ->> 'valid_to' <> fact.valid_to AND fact.valid_to <> '~'
        ORDER BY journal.row
        LIMIT +?
        """,
        (call, limit),
    )


def rows_inserted_by_call(tx: Tx, call: int, table: str, *, limit: int) -> list[int]:
    """The first rows that a call inserted into a table."""
    return tx.column(
        "SELECT row FROM journal WHERE call = ? AND tbl = ? AND op = 'insert' ORDER BY id LIMIT +?",
        (call, table, limit),
    )


def later_calls(tx: Tx, call: int, *, limit: int) -> list[int]:
    """The calls that changed or deleted rows of a call since, newest first; of a large one, its first changes."""
    return tx.column(
        f"""
        SELECT DISTINCT later.call
        FROM (SELECT DISTINCT tbl, row FROM (
                  SELECT tbl, row FROM journal WHERE call = :call ORDER BY id LIMIT {journal.MAX_CHANGES_COUNTED}
              )) AS mine
        JOIN journal AS later ON later.tbl = mine.tbl AND later.row = mine.row
        WHERE later.op <> 'insert' AND later.call > :call
        ORDER BY later.call DESC
        LIMIT +:limit
        """,
        {"call": call, "limit": limit},
    )


def sources_of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[_SourceCount]:
    """Which sources state the unretracted facts about an entity, most frequent first."""
    rows = tx.conn.execute(
        f"""
        SELECT source, iif(source IS NULL, tool, NULL) AS by_tool, count(DISTINCT fact)
        FROM provenance
        WHERE fact IN ({facts_with("= :entity", "retracted_at IS NULL")})
        GROUP BY source, by_tool
        ORDER BY 3 DESC, 1, 2
        LIMIT +:limit
        """,
        {"entity": entity.row, "limit": limit},
    )
    return [_SourceCount(*row) for row in rows]


# SQL for the surfaces of assertions: the alias or former id that named an entity when it was recorded.


_SURFACES = """
    SELECT alias.id AS alias, NULL AS former_id FROM alias WHERE alias.entity = :entity AND alias.alias_key = :name
    UNION ALL
    SELECT NULL, former_id.id FROM former_id WHERE :entity = 0 AND former_id.public_id = :name
"""


def insert_surfaces(tx: Tx, fact: int, surfaces: Sequence[tuple[int, str]]) -> None:
    """Note that the last assertion of a fact named its ends by these aliases and former ids, as far as they exist.

    Args:
        surfaces: the row of an entity with the key of its alias, or 0 with the id of one that was merged into another.
    """
    for entity, name in surfaces:
        tx.conn.execute(
            f"""
            INSERT INTO assertion_surface (assertion, alias, former_id)
            SELECT (SELECT max(id) FROM provenance WHERE fact = :fact), alias, former_id
            FROM ({_SURFACES})
            """,
            {"fact": fact, "entity": entity, "name": name},
        )


def has_new_surface(tx: Tx, assertion: int, surfaces: Sequence[tuple[int, str]]) -> bool:
    """Whether an assertion did not name its ends by one of these aliases or former ids (see insert_surfaces)."""
    return any(
        tx.is_true(
            f"""
            SELECT EXISTS (
                SELECT alias, former_id FROM ({_SURFACES})
                EXCEPT
                SELECT alias, former_id FROM assertion_surface WHERE assertion = :assertion
            )
            """,
            {"assertion": assertion, "entity": entity, "name": name},
        )
        for entity, name in surfaces
    )


def assertions_under(tx: Tx, table: str, row: int) -> list[int]:
    """The rows of the assertions that named an entity by an alias or a former id, newest first.

    Args:
        table: `alias` or `former_id`.
    """
    column = {"alias": "alias", "former_id": "former_id"}[table]
    return tx.column(
        f"SELECT assertion FROM assertion_surface WHERE {column} = ? ORDER BY assertion DESC",
        (row,),
    )
