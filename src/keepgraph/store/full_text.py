"""Full-text search with FTS5: entities, facts, chunks and communities by their words, ranked by BM25."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.store import search_filters
from keepgraph.store.search_filters import Filters, json_array
from keepgraph.store.transactions import Tx

MAX_ROWS_OF_A_WORD = 20_000
"""A word in more rows than this is left out where others are rarer: bm25 computes a score for each of its rows."""


@dataclass(frozen=True, slots=True)
class Index:
    """A full-text table, and how its rows lead to what they are the text of.

    Attributes:
        row: SQL for the row number of what is found, by `hit`, a row number of the table.
        join: SQL that finds the group, and whatever else is filtered by.
        group: SQL for the group.
        largest_row: SQL that selects the largest row number of the table.
    """

    table: str
    row: str
    join: str
    group: str
    largest_row: str


ENTITIES = Index(
    table="entity_text",
    row="entity.id",
    join="""
        JOIN entity ON entity.id = iif(hit % 2 = 0, hit / 2, (SELECT alias.entity FROM alias WHERE alias.id = hit / 2))
    """,
    group="entity.group_id",
    largest_row="SELECT 2 * max(id) FROM entity",
)
FACTS = Index(
    table="fact_text",
    row="fact.id",
    join="JOIN fact ON fact.id = hit JOIN entity ON entity.id = fact.subject",
    group="entity.group_id",
    largest_row="SELECT max(id) FROM fact",
)
CHUNKS = Index(
    table="chunk_text",
    row="chunk.id",
    join="JOIN chunk ON chunk.id = hit JOIN episode ON episode.id = chunk.episode",
    group="episode.group_id",
    largest_row="SELECT max(id) FROM chunk",
)
COMMUNITIES = Index(
    table="community_text",
    row="community.id",
    join="JOIN community ON community.id = hit",
    group="community.group_id",
    largest_row="SELECT max(id) FROM community",
)


def search(
    tx: Tx, index: Index, phrases: Sequence[str], *, filters: Filters, conditions: Sequence[str] = (), limit: int
) -> list[tuple[int, float]]:
    """The rows with at least one of some phrases, by BM25: row numbers with scores, higher is better, best first.

    Phrases that are in too many rows are left out, unless all are: then it is the newest rows, with a score of 0.

    Args:
        phrases: quoted already, for FTS5.
        conditions: what the rows have to fulfil besides the group, in SQL, of those of search_filters.
    """
    if not phrases:
        return []
    selective = _selective(tx, index, phrases)
    unfiltered = not conditions and index is not ENTITIES and search_filters.is_only_group(tx, filters.groups)
    score, newest = (f"-bm25({index.table})", "") if selective else ("0.0", "ORDER BY rowid DESC LIMIT :newest")
    where = " AND ".join([f"{index.group} IN (SELECT value FROM json_each(:groups))", *conditions])
    rows = tx.conn.execute(
        f"""
        WITH matched AS MATERIALIZED (
            SELECT rowid AS hit, {score} AS score
            FROM {index.table}
            WHERE {index.table} MATCH :match
            {newest}
        )
        SELECT {"hit" if unfiltered else index.row} AS row, max(score) AS best
        FROM matched
        {"" if unfiltered else index.join}
        WHERE {"true" if unfiltered else where}
        GROUP BY row
        ORDER BY best DESC, row DESC
        LIMIT :limit
        """,
        {**filters.values, "match": " OR ".join(selective or phrases), "limit": limit, "newest": 10 * limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class WordInRows:
    """A phrase of a query and where it is.

    Attributes:
        count: in how many rows of the index, or one more than MAX_ROWS_OF_A_WORD.
        rows_of_index: how many rows the index has, about.
        rows: those of the rows that were asked for.
    """

    count: int
    rows_of_index: int
    rows: Sequence[int]


def words_in_rows(tx: Tx, index: Index, phrases: Sequence[str], *, rows: Sequence[int]) -> list[WordInRows]:
    """How frequent each of some phrases is, and which of some rows of the index have it.

    Args:
        phrases: quoted already, for FTS5.
        rows: by the row number of the index.
    """
    largest = largest_row(tx, index)
    in_rows = f"""
        SELECT rowid FROM {index.table}
        WHERE {index.table} MATCH ? AND rowid IN (SELECT value FROM json_each(?))
    """
    return [
        WordInRows(
            _count_rows(tx, index, phrase),
            largest,
            [row for (row,) in tx.conn.execute(in_rows, (phrase, json_array(rows)))],
        )
        for phrase in phrases
    ]


def largest_row(tx: Tx, index: Index) -> int:
    """The largest row number of an index, which is about how many rows it has."""
    return int(tx.conn.execute(index.largest_row).fetchone()[0] or 0)


def _selective(tx: Tx, index: Index, phrases: Sequence[str]) -> list[str]:
    """Those of the phrases that are not in too many rows. Where there are few rows, they are not counted."""
    largest = largest_row(tx, index)
    if largest <= MAX_ROWS_OF_A_WORD:
        return list(phrases)
    return [phrase for phrase in phrases if _count_rows(tx, index, phrase) <= MAX_ROWS_OF_A_WORD]


def _count_rows(tx: Tx, index: Index, phrase: str) -> int:
    """In how many rows a phrase is; one more than MAX_ROWS_OF_A_WORD where there are more."""
    counted = tx.conn.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {index.table} WHERE {index.table} MATCH ? LIMIT ?)",
        (phrase, MAX_ROWS_OF_A_WORD + 1),
    )
    return int(counted.fetchone()[0])
