"""Full-text search with FTS5: entities, facts, chunks and communities by their words, ranked by BM25."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from keepgraph.lazy import dataclass
from keepgraph.store import search_filters
from keepgraph.store.connections import json_array
from keepgraph.store.facts import WITH_ANY_ENTITY
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_ROWS_OF_A_WORD = 20_000
"""A word in more rows than this is left out if others are rarer: bm25 computes a score for each of its rows."""

_LOOKED_AT_PER_RESULT = 5
"""How many hits of a full-text query are examined first for each wanted result."""

_NEWEST_PER_RESULT = 10
"""If every word is in too many rows, how many of the newest hits are examined for each result."""


@dataclass(frozen=True, slots=True)
class Index:
    """A full-text table, and how its rows lead to what their text belongs to.

    Attributes:
        row: SQL for the row number of the result, by `hit`, a row number of the table.
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
    tx: Tx,
    index: Index,
    phrases: Sequence[str],
    *,
    filters: Filters,
    conditions: Sequence[str] = (),
    limit: int,
    newest: int = 0,
) -> list[tuple[int, float]]:
    """The rows with at least one of some phrases, by BM25: row numbers with scores, higher is better, best first.

    Phrases in too many rows are left out, unless all are: then the newest rows are returned, with a score of 0.

    Args:
        phrases: already quoted for FTS5.
        conditions: what the rows must meet besides the group, in SQL, as in search_filters.
        newest: this many of the newest rows are never left out: those not among the best follow, beyond the
            limit, with a score of 0.
    """
    if not phrases:
        return []
    selective = _selective(tx, index, phrases)
    unfiltered = not conditions and index is not ENTITIES and search_filters.is_only_group(tx, filters.groups)
    where = " AND ".join([f"{index.group} IN (SELECT value FROM json_each(:groups))", *conditions])
    passing = _Passing(index.row, index.join, where) if not unfiltered else _Passing("hit", "", "true")
    values = {**filters.values, "match": " OR ".join(selective or phrases), "limit": limit, "newest": newest}
    if not selective:
        looked_at = _NEWEST_PER_RESULT * limit
        best, _ = _best(tx, index, passing, values, score="0.0", order="rowid DESC", looked_at=looked_at)
        return list(dict(_among_newest(tx, index, passing, values, phrases) + best).items())
    looked_at = _LOOKED_AT_PER_RESULT * limit
    best, hits = _best(tx, index, passing, values, looked_at=looked_at)
    if len(best) < limit and hits >= looked_at:
        # Most hits pass. If too few do, the others are examined too.
        best, _ = _best(tx, index, passing, values)
    if not newest or (len(best) < limit and len(selective) == len(phrases)):
        return best
    found = {row for row, _ in best}
    return best + [hit for hit in _among_newest(tx, index, passing, values, phrases) if hit[0] not in found]


@dataclass(frozen=True, slots=True)
class _Passing:
    """Which hits pass: SQL for their row number, the join that filters them, and the condition."""

    row: str
    join: str
    where: str


def _best(
    tx: Tx,
    index: Index,
    passing: _Passing,
    values: Mapping[str, str | int | None],
    *,
    score: str | None = None,
    order: str = "score DESC, rowid DESC",
    looked_at: int = -1,
) -> tuple[list[tuple[int, float]], int]:
    """The best rows that pass, with their scores, best first; and how many hits were examined, if any row passed.

    Args:
        looked_at: only the first hits in this order are joined with what their text belongs to: the join takes
            three times as long as the score. −1 is all of them.
    """
    rows = tx.conn.execute(
        f"""
        WITH matched AS MATERIALIZED (
            SELECT rowid AS hit, {score or f"-bm25({index.table})"} AS score
            FROM {index.table}
            WHERE {index.table} MATCH :match
            {f"ORDER BY {order} LIMIT +:looked_at" if looked_at >= 0 else ""}
        )
        SELECT {passing.row} AS row, max(score) AS best, (SELECT count(*) FROM matched)
        FROM matched
        {passing.join}
        WHERE {passing.where}
        GROUP BY row
        ORDER BY best DESC, row DESC
        LIMIT +:limit
        """,
        {**values, "looked_at": looked_at},
    ).fetchall()
    return [(row, best) for row, best, _ in rows], rows[0][2] if rows else looked_at


def _among_newest(
    tx: Tx, index: Index, passing: _Passing, values: Mapping[str, str | int | None], phrases: Sequence[str]
) -> list[tuple[int, float]]:
    """Those of the newest rows that have one of the phrases and pass, with most of the phrases first; scores of 0."""
    rows = tx.conn.execute(
        f"""
        WITH matched AS MATERIALIZED (
            SELECT {index.table}.rowid AS hit, count(*) AS phrases
            FROM json_each(:phrases) AS phrase
            CROSS JOIN {index.table}
            WHERE {index.table} MATCH phrase.value AND {index.table}.rowid > ({index.largest_row}) - :newest
            GROUP BY hit
        )
        SELECT {passing.row} AS row, max(phrases) AS most
        FROM matched
        {passing.join}
        WHERE {passing.where}
        GROUP BY row
        ORDER BY most DESC, row DESC
        """,
        {**values, "phrases": json_array(phrases)},
    )
    return [(row, 0.0) for row, _ in rows]


@dataclass(frozen=True, slots=True)
class WordInRows:
    """A phrase of a query and its rows.

    Attributes:
        count: in how many rows of the index, or one more than MAX_ROWS_OF_A_WORD.
        rows_of_index: roughly how many rows the index has.
        rows: its rows among those that were asked for.
    """

    count: int
    rows_of_index: int
    rows: Sequence[int]


def words_in_rows(tx: Tx, index: Index, phrases: Sequence[str], *, rows: Sequence[int]) -> list[WordInRows]:
    """How frequent each of some phrases is, and which of some rows of the index have it.

    Args:
        phrases: already quoted for FTS5.
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
            tx.column(in_rows, (phrase, json_array(rows))),
        )
        for phrase in phrases
    ]


def phrase(words: str) -> str:
    """A full-text query for these words side by side."""
    quoted = words.replace('"', '""').replace("\0", "")
    return f'"{quoted}"'


_TERM_TABLES = ("fact_term", "entity_term", "chunk_term")
_MAX_TERMS = 5_000
"""How many terms are read of those that begin as a form of a word may."""


def terms(tx: Tx, prefixes: Collection[str]) -> list[str]:
    """The terms of the indexes of facts, names and texts that begin with one of some prefixes, stemmed as they are."""
    either = " UNION ".join(
        f"""
        SELECT term FROM json_each(:prefixes) AS prefix CROSS JOIN {table}
        WHERE term >= prefix.value AND term < prefix.value || char(1114111)
        """
        for table in _TERM_TABLES
    )
    values = {"prefixes": json_array(sorted(prefixes)), "limit": _MAX_TERMS}
    return tx.column(f"{either} LIMIT +:limit", values)


def terms_with(tx: Tx, parts: Sequence[str], *, least: str) -> list[str]:
    """The terms of the indexes of facts and names that contain one of some parts, the shortest first.

    All terms from `least` on are read: 100,000 take some 0.1 s.
    """
    has_any = " OR ".join(f"instr(term, :part_{number})" for number in range(len(parts)))
    either = " UNION ".join(
        f"SELECT term FROM {table} WHERE term >= :least AND ({has_any})" for table in ("fact_term", "entity_term")
    )
    values = {"least": least, "limit": _MAX_TERMS, **{f"part_{number}": part for number, part in enumerate(parts)}}
    return tx.column(f"SELECT term FROM ({either}) ORDER BY length(term), term LIMIT +:limit", values)


def kinds_of_words(tx: Tx, words: Mapping[str, Sequence[str]]) -> Mapping[str, int]:
    """How many of the words of each kind are in a fact or in a text."""
    in_any = " OR ".join(
        f"EXISTS (SELECT 1 FROM {index.table} WHERE {index.table} MATCH '\"' || word.value || '\"')"
        for index in (FACTS, CHUNKS)
    )
    return tx.mapping(
        f"""
        SELECT kind.key, count(*)
        FROM json_each(:words) AS kind
        CROSS JOIN json_each(kind.value) AS word
        WHERE {in_any}
        GROUP BY kind.key
        """,
        {"words": json.dumps(words)},
    )


def largest_row(tx: Tx, index: Index) -> int:
    """The largest row number of an index, which is roughly its number of rows."""
    return int(tx.conn.execute(index.largest_row).fetchone()[0] or 0)


def _selective(tx: Tx, index: Index, phrases: Sequence[str]) -> list[str]:
    """Those of the phrases that are not in too many rows. In a small index, they are not counted."""
    largest = largest_row(tx, index)
    if largest <= MAX_ROWS_OF_A_WORD:
        return list(phrases)
    return [phrase for phrase in phrases if _count_rows(tx, index, phrase) <= MAX_ROWS_OF_A_WORD]


def _count_rows(tx: Tx, index: Index, phrase: str) -> int:
    """How many rows have a phrase; MAX_ROWS_OF_A_WORD + 1 if there are more."""
    return tx.number(
        f"SELECT count(*) FROM (SELECT 1 FROM {index.table} WHERE {index.table} MATCH ? LIMIT +?)",
        (phrase, MAX_ROWS_OF_A_WORD + 1),
    )


# SQL for the texts of facts: which may have changed with a name or a predicate, and rewriting them.


def rows_touching(tx: Tx, *, entities: Collection[int], predicates: Collection[int] = ()) -> list[int]:
    """The facts with one of these entities at an end, or of one of these predicates; retracted and ended ones too."""
    return tx.column(
        f"""
        {WITH_ANY_ENTITY}
        UNION
        SELECT id FROM fact WHERE predicate IN (SELECT value FROM json_each(:predicates))
        ORDER BY id
        """,
        {"entities": json_array(entities), "predicates": json_array(predicates)},
    )


def read(tx: Tx, facts: Collection[int]) -> dict[int, str]:
    """The texts of facts by row; rows without a fact are left out."""
    return tx.mapping(
        "SELECT id, text FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (json_array(facts),)
    )


def update(tx: Tx, texts: Mapping[int, str]) -> None:
    """Write the texts of facts, by row."""
    tx.conn.executemany("UPDATE fact SET text = ? WHERE id = ?", [(text, row) for row, text in texts.items()])
