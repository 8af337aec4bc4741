"""Derived tables: the source rows and content of each. Checks, repairs and backfills read them here.

Migrations have the triggers that keep these tables in step with their sources; a test compares them.
An entity or alias has one number in all of them: 2 × entity.id for a name, 2 × alias.id + 1 for an alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array, undecodable_text_replaced
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class Source:
    """A table, a view or a join, each row of which yields a row of a derived table.

    Attributes:
        number: SQL for the number of the derived row.
        content: SQL for the derived row, column by column.
        condition: SQL for the rows that yield one.
    """

    table: str
    number: str = "id"
    content: tuple[str, ...] = ()
    condition: str = "1"

    @property
    def rows(self) -> str:
        """SQL for the derived rows: the number, and the content."""
        columns = ", ".join((f"{self.number} AS number", *self.content))
        return f"SELECT {columns} FROM {self.table} WHERE {self.condition}"


@dataclass(frozen=True, slots=True)
class TextIndex:
    """A full-text index, or the index of initials or of the words of names.

    Attributes:
        title: its name in an integrity check.
        key: the column with the number.
        columns: the columns of the content.
        view: the view that accepts the content, if the index holds something computed from it.
        words: the table with each word once, if the rows of the index are postings.
    """

    table: str
    title: str
    sources: tuple[Source, ...]
    key: str = "rowid"
    columns: tuple[str, ...] = ("text",)
    view: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """The numbers of rows that wait for a backfill; `key` is their column."""

    table: str
    key: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class VectorKind:
    """A kind of data with vectors. Each has two tables and a queue.

    Attributes:
        noun: its name in the singular.
        prefix: the first part of the names of its tables.
        key: the column with the number.
        text: SQL for the text to embed, by `number`; null if it was deleted.
        filter_columns: columns beside the signs that filter a search for the nearest.
        filter_values: SQL for the values of these columns, by `number`.
    """

    noun: str
    prefix: str
    key: str
    sources: tuple[Source, ...]
    text: str
    filter_columns: tuple[str, ...] = ()
    filter_values: str | None = None

    @property
    def queue(self) -> Queue:
        return Queue(f"{self.prefix}_unembedded", self.key, self.sources)

    @property
    def vector_table(self) -> str:
        return f"{self.prefix}_vector"

    @property
    def signs_table(self) -> str:
        return f"{self.prefix}_signs"


def numbers(sources: Sequence[Source]) -> str:
    """SQL for all numbers that a derived table should have, as `number`."""
    return " UNION ALL ".join(
        f"SELECT {source.number} AS number FROM {source.table} WHERE {source.condition}" for source in sources
    )


def fill(tx: Tx, queue: Queue) -> None:
    """Queue everything."""
    tx.conn.execute(f"INSERT OR IGNORE INTO {queue.table} SELECT number FROM ({numbers(queue.sources)})")


def requeue_aliases(tx: Tx, entities: Iterable[int]) -> None:
    """Re-embed the aliases of entities whose type has changed, and search texts for them again.

    A trigger does this for the names of the entities themselves.
    """
    rows = json_array(entities)
    numbers_of_aliases = "SELECT 2 * id + 1 FROM alias WHERE entity IN (SELECT value FROM json_each(?))"
    for table in (NAME_VECTORS.vector_table, NAME_VECTORS.signs_table):
        tx.conn.execute(f"DELETE FROM {table} WHERE {NAME_VECTORS.key} IN ({numbers_of_aliases})", (rows,))
    tx.conn.execute(f"INSERT OR IGNORE INTO {NAME_VECTORS.queue.table} {numbers_of_aliases}", (rows,))
    has_chunks = "EXISTS (SELECT 1 FROM chunk)"
    tx.conn.execute(f"INSERT OR IGNORE INTO {UNREAD_NAMES.table} {numbers_of_aliases} AND {has_chunks}", (rows,))


def _names(entity: str | None = None, alias: str | None = None) -> tuple[Source, Source]:
    return (
        Source("entity", "2 * id", (entity,) if entity else ()),
        Source("alias", "2 * id + 1", (alias,) if alias else ()),
    )


INDEXES = (
    TextIndex("fact_text", "the index of full text", (Source("fact", content=("text",)),)),
    TextIndex(
        "name_trigram",
        "the index of letters in names",
        # With a space at both ends, so that the start and the end of a word count.
        _names("' ' || name_folded || ' '", "' ' || alias_folded || ' '"),
        columns=("folded",),
    ),
    TextIndex(
        "name_initials",
        "the index of initials of names",
        _names("name_folded", "alias_folded"),
        key="surface",
        columns=("folded",),
        view="name_to_initial",
    ),
    TextIndex(
        "name_posting",
        "the index of names by their words",
        _names("name_folded", "alias_folded"),
        key="surface",
        columns=("folded",),
        view="name_to_posting",
        words="name_word",
    ),
    TextIndex("entity_text", "the index of words in names", _names("name || char(10) || summary", "alias")),
    TextIndex("chunk_text", "the index of words in texts", (Source("chunk_words", content=("text",)),)),
    TextIndex(
        "community_text",
        "the index of words in communities",
        (Source("community", content=("name", "summary")),),
        columns=("name", "summary"),
    ),
)

NAME_VECTORS = VectorKind(
    noun="name",
    prefix="name",
    key="surface",
    sources=_names(),
    text="""
        CASE number % 2 WHEN 0 THEN (SELECT name FROM entity WHERE id = number / 2)
                        ELSE (SELECT alias FROM alias WHERE id = number / 2) END
    """,
    filter_columns=("type", "group_id"),
    filter_values="""
        SELECT type, group_id FROM entity
        WHERE id = CASE number % 2 WHEN 0 THEN number / 2
                                   ELSE (SELECT entity FROM alias WHERE id = number / 2) END
    """,
)
FACT_VECTORS = VectorKind(
    noun="fact",
    prefix="fact",
    key="fact",
    sources=(Source("fact"),),
    text="(SELECT text FROM fact WHERE id = number)",
)
# The text of the previous turn: in the same episode, or else in the previous message of the group.
_TURN_BEFORE = """
    coalesce(
        (SELECT earlier.text FROM chunk AS earlier
         WHERE earlier.episode = chunk.episode AND earlier.place < chunk.place
         ORDER BY earlier.place DESC LIMIT 1),
        (SELECT earlier.text FROM chunk AS earlier
         WHERE earlier.episode = (
             SELECT other.id FROM episode AS other
             WHERE other.group_id = episode.group_id AND other.kind = episode.kind AND other.id < episode.id
             ORDER BY other.id DESC LIMIT 1)
         ORDER BY earlier.place DESC LIMIT 1),
        '')
"""
CHUNK_VECTORS = VectorKind(
    noun="text",
    prefix="chunk",
    key="reading",
    # A turn of a conversation has a second vector, which also covers the previous turn.
    sources=(
        Source("chunk", "2 * id"),
        Source(
            "chunk JOIN episode ON episode.id = chunk.episode",
            "2 * chunk.id + 1",
            condition="(chunk.speaker IS NOT NULL OR episode.kind = 'message')",
        ),
    ),
    text=f"""
        (SELECT CASE
             WHEN number % 2 = 1 THEN {_TURN_BEFORE} || char(10) || chunk.text
             WHEN chunk.speaker IS NOT NULL OR episode.kind = 'message' THEN chunk.text
             WHEN chunk.heading = '' THEN episode.name || char(10) || chunk.text
             ELSE chunk.heading || char(10) || chunk.text
         END
         FROM chunk JOIN episode ON episode.id = chunk.episode
         WHERE chunk.id = number / 2)
    """,
    filter_columns=("group_id",),
    filter_values="""
        SELECT episode.group_id FROM chunk JOIN episode ON episode.id = chunk.episode WHERE chunk.id = number / 2
    """,
)
VECTOR_KINDS = (NAME_VECTORS, CHUNK_VECTORS, FACT_VECTORS)
"""In backfill order: names first, which resolution needs."""

UNREAD_CHUNKS = Queue("chunk_unread", "chunk", (Source("chunk"),))
UNREAD_NAMES = Queue("name_unread", "surface", _names())
"""Where mentions are not yet detected, and names not yet searched for (see mention_queue)."""

QUEUES = (*(kind.queue for kind in VECTOR_KINDS), UNREAD_CHUNKS, UNREAD_NAMES)

TABLES = frozenset(
    [
        *(index.table for index in INDEXES),
        *(index.words for index in INDEXES if index.words),
        *(queue.table for queue in QUEUES),
        *(table for kind in VECTOR_KINDS for table in (kind.vector_table, kind.signs_table)),
    ]
)


# Columns derived from names: normalised names, and the texts of facts. Read for checks, written by repairs.
#
# The caller computes their proper content. All are read as text, whatever a damaged row holds.

ENTITY = "entity"
ALIAS = "alias"

_NAME_COLUMNS = {ENTITY: ("name", "name_key", "name_folded"), ALIAS: ("alias", "alias_key", "alias_folded")}


def names(tx: Tx, table: str) -> Iterator[tuple[int, int, str, str, str]]:
    """Every name of entities or aliases: its row, the row of the entity, the name, its key, its folded form."""
    name, key, folded = _NAME_COLUMNS[table]
    entity = "id" if table == ENTITY else "entity"
    texts = ", ".join(map(_as_text, (name, key, folded)))
    with undecodable_text_replaced(tx.conn):
        yield from tx.conn.execute(f"SELECT id, {entity}, {texts} FROM {table} ORDER BY id")


def find_name(tx: Tx, table: str, row: int) -> str | None:
    result = tx.conn.execute(f"SELECT {_NAME_COLUMNS[table][0]} FROM {table} WHERE id = ?", (row,)).fetchone()
    return str(result[0]) if result else None


def set_normalised_name(tx: Tx, table: str, row: int, *, key: str, folded: str) -> None:
    """Set the key and the folded form of a name. Nothing is changed if another name has that key."""
    _, key_column, folded_column = _NAME_COLUMNS[table]
    tx.conn.execute(
        f"UPDATE OR IGNORE {table} SET {key_column} = ?, {folded_column} = ? WHERE id = ?", (key, folded, row)
    )


def fact_texts(tx: Tx) -> Iterator[tuple[Any, ...]]:
    """Every fact: its row, subject and object, its text; the names of subject and predicate; the name of its object, or
    its literal; and how the predicate reads a fact aloud."""
    with undecodable_text_replaced(tx.conn):
        yield from tx.conn.execute(f"{_fact_text_query()} ORDER BY fact.id")


def find_fact_text(tx: Tx, fact: int) -> tuple[Any, ...] | None:
    """The same columns of one fact."""
    row: tuple[Any, ...] | None = tx.conn.execute(f"{_fact_text_query()} WHERE fact.id = ?", (fact,)).fetchone()
    return row


def set_fact_text(tx: Tx, fact: int, text: str) -> None:
    tx.conn.execute("UPDATE fact SET text = ? WHERE id = ?", (text, fact))


def public_ids(tx: Tx, table: str, rows: list[int]) -> list[str]:
    """The public ids of entities or facts, in the order of their rows."""
    parameters = ", ".join("?" * len(rows))
    return tx.column(f"SELECT public_id FROM {table} WHERE id IN ({parameters}) ORDER BY id", rows)


def _fact_text_query() -> str:
    return f"""
        SELECT fact.id, fact.subject, fact.object, {_as_text("fact.text")}, {_as_text("s.name")},
               {_as_text("predicate.name")}, {_as_text("coalesce(o.name, fact.literal)")},
               {_as_text("predicate.sentence")}
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
    """


def _as_text(column: str) -> str:
    # A damaged row may hold a number, or nothing.
    return f"CAST(coalesce({column}, '') AS TEXT)"
