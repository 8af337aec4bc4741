"""Whether the tables agree with each other, row by row, and what makes the derived ones anew. Knows no rule for names.

Everything is read on a connection that cannot write. No table is held in memory: of a million facts a few dozen
megabytes are kept at most.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.model import Key
from keepgraph.store import copies, database, migrations, sqlite_errors
from keepgraph.store.database import Connection, Tx

TEXT = "fact_text"
TRIGRAMS = "name_trigram"
NAME_WORDS = "entity_text"
EPISODE_WORDS = "chunk_text"
INITIALS = "name_initials"

ENTITY = "entity"
ALIAS = "alias"

_ROWS_AT_ONCE = 20_000
_MOST_BUCKETS = 1 << 22
_WORD = (1 << 64) - 1

# What each full-text index is made from: the number and the text of every row.
_CONTENTS = {
    TEXT: (("fact", "id", "text"),),
    TRIGRAMS: (
        ("entity", "2 * id", "' ' || name_folded || ' '"),
        ("alias", "2 * id + 1", "' ' || alias_folded || ' '"),
    ),
    NAME_WORDS: (("entity", "2 * id", "name || char(10) || summary"), ("alias", "2 * id + 1", "alias")),
    EPISODE_WORDS: (("chunk_words", "id", "text"),),
}

_COLUMNS_OF_NAMES = {ENTITY: ("name", "name_key", "name_folded"), ALIAS: ("alias", "alias_key", "alias_folded")}

_STAMPS = {
    "migration": ("applied_at",),
    "entity": ("created_at",),
    "alias": ("created_at",),
    "fact": ("recorded_at", "valid_from", "valid_to", "retracted_at", "known_from"),
    "provenance": ("recorded_at",),
    "earlier_validity": ("valid_from", "valid_to", "known_from", "known_to"),
    "episode": ("occurred_at", "recorded_at"),
    "call": ("at",),
}
# When something was done, which cannot be in the future. A validity may.
_DONE = {
    "entity": "created_at",
    "fact": "recorded_at",
    "provenance": "recorded_at",
    "episode": "recorded_at",
    "call": "at",
}

_THERE = """
    CASE surface % 2 WHEN 0 THEN EXISTS (SELECT 1 FROM entity WHERE id = surface / 2)
                     ELSE EXISTS (SELECT 1 FROM alias WHERE id = surface / 2) END
"""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The tables of the vectors of one kind: what their numbers are called, and SQL for all that there should be.

    Attributes:
        filters: SQL for whether what is kept beside the signs of a number is not what it should be.
    """

    prefix: str
    key: str
    every: str
    filters: str = "0"

    def wrong(self) -> dict[str, str]:
        """What may be wrong with vectors, each with SQL for the numbers of which it is."""
        key, vectors, signs, waiting = (
            self.key,
            *(f"{self.prefix}_{each}" for each in ("vector", "signs", "unembedded")),
        )
        there = f"{key} IN (SELECT number FROM ({self.every}))"
        return {
            "of names, facts or texts that are not there": f"""
                SELECT {key} FROM {vectors} WHERE NOT {there}
                UNION SELECT {key} FROM {signs} WHERE NOT {there}
                UNION SELECT {key} FROM {waiting} WHERE NOT {there}
            """,
            "of which one half is missing": f"""
                SELECT {key} FROM {vectors} WHERE {key} NOT IN (SELECT {key} FROM {signs})
                UNION SELECT {key} FROM {signs} WHERE {key} NOT IN (SELECT {key} FROM {vectors})
            """,
            "of another length": f"""
                SELECT {key} FROM {vectors} WHERE length(embedding) IS NOT (SELECT dimension FROM vector_space)
                UNION SELECT {key} FROM {signs}
                WHERE length(signs) IS NOT (SELECT (dimension + 7) / 8 FROM vector_space)
            """,
            "kept under another type or group": f"SELECT {key} FROM {signs} WHERE {there} AND {self.filters}",
            "that are missing and not waited for": f"""
                SELECT number FROM ({self.every})
                WHERE number NOT IN (SELECT {key} FROM {vectors})
                  AND number NOT IN (SELECT {key} FROM {signs})
                  AND number NOT IN (SELECT {key} FROM {waiting})
            """,
        }


_VECTORS = (
    _Vectors(
        "name",
        "surface",
        "SELECT 2 * id AS number FROM entity UNION ALL SELECT 2 * id + 1 FROM alias",
        """(type, group_id) IS NOT (
               SELECT entity.type, entity.group_id FROM entity
               WHERE entity.id = iif(surface % 2 = 0, surface / 2,
                                     (SELECT alias.entity FROM alias WHERE alias.id = surface / 2)))""",
    ),
    _Vectors("fact", "fact", "SELECT id AS number FROM fact"),
    _Vectors(
        "chunk",
        "reading",
        """
        SELECT 2 * id AS number FROM chunk
        UNION ALL
        SELECT 2 * chunk.id + 1 FROM chunk JOIN episode ON episode.id = chunk.episode
        WHERE chunk.speaker IS NOT NULL OR episode.kind = 'message'
        """,
        """group_id IS NOT (
               SELECT episode.group_id FROM chunk JOIN episode ON episode.id = chunk.episode
               WHERE chunk.id = reading / 2)""",
    ),
)


# The file


def complaints(tx: Tx, *, keyed: bool) -> list[str]:
    """What SQLite finds wrong with the file, apart from the indexes for full text, which can be made anew."""
    found = copies.complaints(tx.conn, keyed=keyed)
    others = {complaint for index in _CONTENTS for complaint in _complaints_of(tx.conn, index)} if found else set()
    return [complaint for complaint in found if complaint not in others]


def complaints_of(file: Path, *, key: Key | None) -> list[str] | None:
    """What SQLite finds wrong with a file that lies on its own, such as a backup; None where this is not its key."""
    try:
        # Nothing is laid beside it: a file on its own has no log.
        conn = database.connect(file, "ro", key=key, immutable=True)
        try:
            return copies.complaints(conn, keyed=key is not None)
        finally:
            conn.close()
    except sqlite.DatabaseError as error:
        if sqlite_errors.code(error) in sqlite_errors.NOT_A_DATABASE:
            return None
        return [sqlite_errors.told(error, file, writing=False, stop=None).message]
    except UnicodeDecodeError:
        return ["what is wrong with it has bytes in it that are no text"]


def missing_parts(tx: Tx) -> list[str]:
    """Tables, indexes, triggers and views of this schema that are not there, or are not what they should be."""
    with _as_it_should_be(tx) as fresh:
        should, found = _parts(fresh), _parts(tx.conn)
    return sorted(f"{kind} {name}" for (kind, name), sql in should.items() if found.get((kind, name)) != sql)


def schema(tx: Tx) -> int:
    return migrations.version(tx.conn)


def born(tx: Tx) -> str | None:
    """The stamp at which the graph was made."""
    row = tx.conn.execute("SELECT min(applied_at) FROM migration").fetchone()
    return str(row[0]) if row[0] is not None else None


# Indexes


def astray(tx: Tx, index: str) -> int:
    """How many rows an index for full text has that it should not have, lacks, or has with other words.

    FTS5's own integrity-check would do it, but writes: so every word in the index is read, with its row and its place,
    and what the tables say is indexed anew beside it, some rows at a time. The sums of both must be equal.
    """
    conn = tx.conn
    size = sum(_count(conn, f"SELECT count(*) FROM {table}") for table, _, _ in _CONTENTS[index])
    if _complaints_of(conn, index):
        return max(size, 1)
    kept = _count(conn, f"SELECT count(*) FROM {index}_docsize")
    missing = sum(
        _count(conn, f"SELECT count(*) FROM {table} WHERE {number} NOT IN (SELECT id FROM {index}_docsize)")
        for table, number, _ in _CONTENTS[index]
    )
    too_many = kept - (size - missing)
    return max(missing + too_many, _differing(conn, index, size))


def initials_astray(tx: Tx) -> int:
    """How many names of several words lack their initials, and how many initials are of names that are not there."""
    return _count(
        tx.conn,
        f"""
        SELECT (SELECT count(DISTINCT surface) FROM name_initials WHERE NOT {_THERE})
             + (SELECT count(*) FROM entity
                WHERE name_folded LIKE '% %' AND 2 * id NOT IN (SELECT surface FROM name_initials))
             + (SELECT count(*) FROM alias
                WHERE alias_folded LIKE '% %' AND 2 * id + 1 NOT IN (SELECT surface FROM name_initials))
             + (SELECT count(*) FROM entity
                WHERE name_folded NOT LIKE '% %' AND 2 * id IN (SELECT surface FROM name_initials))
             + (SELECT count(*) FROM alias
                WHERE alias_folded NOT LIKE '% %' AND 2 * id + 1 IN (SELECT surface FROM name_initials))
        """,
    )


def remake(tx: Tx, index: str) -> None:
    """Make an index anew from the table it is of."""
    match index:
        case "fact_text":
            tx.conn.execute("INSERT INTO fact_text (fact_text) VALUES ('rebuild')")
        case "name_trigram":
            tx.conn.execute("INSERT INTO name_trigram (name_trigram) VALUES ('delete-all')")
            for table, number, text in _CONTENTS[index]:
                tx.conn.execute(f"INSERT INTO name_trigram (rowid, folded) SELECT {number}, {text} FROM {table}")
        case "entity_text" | "chunk_text":
            tx.conn.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
            for table, number, text in _CONTENTS[index]:
                tx.conn.execute(f"INSERT INTO {index} (rowid, text) SELECT {number}, {text} FROM {table}")
        case _:
            tx.conn.execute("DELETE FROM name_initials")
            tx.conn.execute("INSERT INTO name_to_initial SELECT 2 * id, name_folded FROM entity")
            tx.conn.execute("INSERT INTO name_to_initial SELECT 2 * id + 1, alias_folded FROM alias")


# What is made from a name, and kept beside it


def names(tx: Tx, table: str) -> Iterator[tuple[int, int, str, str, str]]:
    """Every name of entities or of aliases: its row, the row of the entity, the name, its key, its folded form."""
    name, key, folded = _COLUMNS_OF_NAMES[table]
    entity = "id" if table == ENTITY else "entity"
    texts = ", ".join(map(_text, (name, key, folded)))
    with _any_bytes(tx.conn):
        yield from tx.conn.execute(f"SELECT id, {entity}, {texts} FROM {table} ORDER BY id")


def name(tx: Tx, table: str, row: int) -> str | None:
    found = tx.conn.execute(f"SELECT {_COLUMNS_OF_NAMES[table][0]} FROM {table} WHERE id = ?", (row,)).fetchone()
    return str(found[0]) if found else None


def set_forms(tx: Tx, table: str, row: int, *, key: str, folded: str) -> None:
    """Give a name its key and its folded form. Nothing happens where another has that key already."""
    _, key_column, folded_column = _COLUMNS_OF_NAMES[table]
    tx.conn.execute(
        f"UPDATE OR IGNORE {table} SET {key_column} = ?, {folded_column} = ? WHERE id = ?", (key, folded, row)
    )


def sentences(tx: Tx) -> Iterator[tuple[Any, ...]]:
    """Every fact: its row, subject and object, its text; the names of subject, predicate and object; its literal."""
    with _any_bytes(tx.conn):
        yield from tx.conn.execute(f"{_sentence_sql()} ORDER BY fact.id")


def sentence(tx: Tx, fact: int) -> tuple[Any, ...] | None:
    """The same of one fact."""
    row: tuple[Any, ...] | None = tx.conn.execute(f"{_sentence_sql()} WHERE fact.id = ?", (fact,)).fetchone()
    return row


def set_text(tx: Tx, fact: int, text: str) -> None:
    tx.conn.execute("UPDATE fact SET text = ? WHERE id = ?", (text, fact))


def public_ids(tx: Tx, table: str, rows: list[int]) -> list[str]:
    """The ids of some entities or facts."""
    marks = ", ".join("?" * len(rows))
    found = tx.conn.execute(f"SELECT public_id FROM {table} WHERE id IN ({marks}) ORDER BY id", rows)
    return [row[0] for row in found]


# Vectors


def wrong_vectors(tx: Tx) -> dict[str, int]:
    """How many vectors are wrong, by what is wrong with them; those of which nothing is, are left out."""
    counted: Counter[str] = Counter()
    for kind in _VECTORS:
        for what, query in kind.wrong().items():
            counted[what] += _count(tx.conn, f"SELECT count(*) FROM ({query})")
    return {what: number for what, number in counted.items() if number}


def requeue_wrong_vectors(tx: Tx) -> None:
    """Let what has a wrong vector wait for a new one, and drop what is of nothing that is there."""
    for kind in _VECTORS:
        waiting = f"{kind.prefix}_unembedded"
        for query in kind.wrong().values():
            tx.conn.execute(f"INSERT OR IGNORE INTO {waiting} SELECT * FROM ({query})")
        for table in (f"{kind.prefix}_vector", f"{kind.prefix}_signs"):
            tx.conn.execute(f"DELETE FROM {table} WHERE {kind.key} IN (SELECT {kind.key} FROM {waiting})")
        tx.conn.execute(f"DELETE FROM {waiting} WHERE {kind.key} NOT IN (SELECT number FROM ({kind.every}))")


# Texts


def episodes(tx: Tx) -> Iterator[tuple[str, str, str]]:
    """Every episode: its id, the digest that is kept of its text, and its text."""
    with _any_bytes(tx.conn):
        yield from tx.conn.execute(
            """
            SELECT public_id, digest,
                   coalesce((SELECT group_concat(text, '')
                             FROM (SELECT text FROM chunk WHERE episode = episode.id ORDER BY place, id)), '')
            FROM episode
            ORDER BY id
            """
        )


# Words and times


def without_a_word(tx: Tx) -> dict[str, int]:
    """How many facts have a predicate, and entities a type, that the vocabulary does not know."""
    return {
        "facts": _count(
            tx.conn, "SELECT count(*) FROM fact WHERE NOT EXISTS (SELECT 1 FROM predicate WHERE id = fact.predicate)"
        ),
        "entities": _count(
            tx.conn, "SELECT count(*) FROM entity WHERE NOT EXISTS (SELECT 1 FROM entity_type WHERE id = entity.type)"
        ),
    }


def missing_words(tx: Tx) -> list[str]:
    """The words that every graph has from the beginning, and this one has not."""
    with _as_it_should_be(tx) as fresh:
        should, found = _words(fresh), _words(tx.conn)
    return sorted(f"{kind} {word}" for kind, word in should - found)


def unreadable_stamps(tx: Tx) -> dict[str, int]:
    """How many rows of each table have a time that is none; those of tables without one are left out."""
    counted = {
        table: _count(tx.conn, f"SELECT count(*) FROM {table} WHERE {' OR '.join(map(_is_no_stamp, columns))}")
        for table, columns in _STAMPS.items()
    }
    return {table: number for table, number in counted.items() if number}


def done_after(tx: Tx, stamp: str) -> dict[str, int]:
    """How many rows of each table say that they were made after a stamp."""
    counted = {
        table: _count(tx.conn, f"SELECT count(*) FROM {table} WHERE {column} > ?", stamp)
        for table, column in _DONE.items()
    }
    return {table: number for table, number in counted.items() if number}


def _text(column: str) -> str:
    # In a damaged row there may be a number, or nothing.
    return f"CAST(coalesce({column}, '') AS TEXT)"


def _sentence_sql() -> str:
    return f"""
        SELECT fact.id, fact.subject, fact.object, {_text("fact.text")}, {_text("s.name")}, {_text("predicate.name")},
               o.name, fact.literal
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
    """


def _is_no_stamp(column: str) -> str:
    # Read and written again by SQLite, only what is a time stays as it is. An open end is no time.
    return f"({column} NOT IN ('', '~') AND strftime('%Y-%m-%dT%H:%M:%fZ', {column}) IS NOT {column})"


def _count(conn: Connection, query: str, *values: object) -> int:
    return int(conn.execute(query, values).fetchone()[0])


def _complaints_of(conn: Connection, table: str) -> list[str]:
    return [str(row[0]) for row in conn.execute(f"PRAGMA integrity_check({table})") if row[0] != "ok"]


def _differing(conn: Connection, index: str, size: int) -> int:
    """How many rows have other words in an index than in the tables, by sums of what stands where in which row."""
    sql = conn.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)).fetchone()[0]
    found = re.search(r"tokenize='([^']*)'", sql)
    tokenizer = found[1] if found else "unicode61"
    # Rows share a sum where there are very many of them.
    sums = array("Q", bytes(8 * min(2 << size.bit_length(), _MOST_BUCKETS)))
    with _scratch(conn):
        conn.execute(f"CREATE VIRTUAL TABLE temp.check_found USING fts5vocab (main, {index}, instance)")
        conn.execute(f"CREATE VIRTUAL TABLE temp.check_index USING fts5 (text, content='', tokenize='{tokenizer}')")
        conn.execute("CREATE VIRTUAL TABLE temp.check_should USING fts5vocab (temp, check_index, instance)")
        _add(sums, conn.execute("SELECT term, doc, offset FROM temp.check_found"), 1)
        for table, number, text in _CONTENTS[index]:
            for first, last in _stretches(conn, table):
                conn.execute(
                    f"INSERT INTO temp.check_index (rowid, text) SELECT {number}, {text} FROM {table} "
                    "WHERE id BETWEEN ? AND ?",
                    (first, last),
                )
                _add(sums, conn.execute("SELECT term, doc, offset FROM temp.check_should"), -1)
                conn.execute("INSERT INTO temp.check_index (check_index) VALUES ('delete-all')")
    return sum(1 for each in sums if each)


def _add(sums: array[int], places: Any, sign: int) -> None:
    mask = len(sums) - 1
    for place in places:
        at = place[1] & mask
        sums[at] = (sums[at] + sign * hash(place)) & _WORD


def _stretches(conn: Connection, table: str) -> Iterator[tuple[int, int]]:
    """The first and the last row number of every so many rows of a table."""
    first = _count(conn, f"SELECT coalesce(min(id), 0) FROM {table}")
    while True:
        last = conn.execute(
            f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT ?)", (first, _ROWS_AT_ONCE)
        ).fetchone()[0]
        if last is None:
            return
        yield first, last
        first = last + 1


@contextmanager
def _scratch(conn: Connection) -> Iterator[None]:
    """Let a connection make tables in memory. The file itself was opened for reading, so nothing in it can change."""
    conn.execute("PRAGMA query_only = OFF")
    conn.execute("SAVEPOINT scratch")
    try:
        yield
    finally:
        conn.execute("ROLLBACK TO scratch")
        conn.execute("RELEASE scratch")
        conn.execute("PRAGMA query_only = ON")


@contextmanager
def _any_bytes(conn: Connection) -> Iterator[None]:
    """Read texts that are none, too: what is damaged is to be found, not to stop us."""
    usual = conn.text_factory
    conn.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        yield
    finally:
        conn.text_factory = usual


@contextmanager
def _as_it_should_be(tx: Tx) -> Iterator[Connection]:
    """A new graph in memory, with nothing in it but what the migrations put there."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    try:
        migrations.apply(conn, Path(":memory:"), now=tx.now, before=lambda _: None)
        yield conn
    finally:
        conn.close()


def _parts(conn: Connection) -> Mapping[tuple[str, str], str]:
    """What a schema consists of, by kind and name. What FTS5 keeps for itself may differ with its version."""
    rows = conn.execute(
        """
        SELECT type, name, sql
        FROM sqlite_schema
        WHERE sql IS NOT NULL
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        """
    )
    return {(row[0], row[1]): row[2] for row in rows}


def _words(conn: Connection) -> set[tuple[str, str]]:
    rows = conn.execute("SELECT 'type', name FROM entity_type UNION ALL SELECT 'predicate', name FROM predicate")
    return {(row[0], row[1]) for row in rows}
