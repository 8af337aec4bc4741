"""Purging: what was deleted is removed from a file for good, from its rows, its journal and its stored answers.

Only for a connection to a file that nobody else has open. Public ids identify what is to be purged, because row
numbers differ between backups. The journal keeps only that a purged row was deleted: so its number is never
reused, and undo can say that it was purged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from keepgraph.store import communities, earlier_versions
from keepgraph.store.connections import Connection, json_array
from keepgraph.store.earlier_versions import PURGED, PURGED_IN_PART, Current, Word

IDENTIFIED = ("entity", "fact", "episode", "proposed_fact")
"""The journalled tables whose rows have public ids."""

PUBLIC_ID = re.compile(r"(?:ent|fact|ep|prop)_[0-9a-z]{26}")

_ROWS_SEARCHED_AT_ONCE = 200

# By table: the columns that refer to rows that it is part of. A part is purged with them.
_PARTS = {
    "fact": (("subject", "entity"), ("object", "entity")),
    "chunk": (("episode", "episode"),),
    "alias": (("entity", "entity"),),
    "former_id": (("entity", "entity"),),
    "assumed_type": (("id", "entity"),),
    "owner": (("entity", "entity"),),
    "narrative": (("episode", "episode"), ("project", "entity")),
    "provenance": (("fact", "fact"),),
    "open_statement": (("episode", "episode"),),
    "earlier_validity": (("fact", "fact"),),
    "proposed_fact": (("episode", "episode"),),
    **earlier_versions.PARTS,
}
_IN_ORDER_OF_DELETION = (
    *("narrative", "owner", "provenance", "earlier_validity", "fact", "former_id", "alias", "assumed_type"),
    *("proposed_fact", "chunk", "open_statement", "episode", "entity", *earlier_versions.TABLES),
)
# By table: the columns with a name, a sentence or a text of what is purged.
_NAMES = {"entity": "name", "alias": "alias"}
_SENTENCES = {"entity": "summary", "fact": "text", "chunk": "text", "episode": "name", "proposed_fact": "evidence"}

# What is shown of a row that still has a name: its kind, its id and its name.
_SHOWN = {
    "entity": "SELECT 'entity', public_id, name FROM entity WHERE id = ?",
    "alias": "SELECT 'entity', public_id, name FROM entity WHERE id = (SELECT entity FROM alias WHERE id = ?)",
    "fact": "SELECT 'fact', public_id, text FROM fact WHERE id = ?",
    "provenance": "SELECT 'fact', public_id, text FROM fact WHERE id = (SELECT fact FROM provenance WHERE id = ?)",
    "episode": "SELECT 'text', public_id, name FROM episode WHERE id = ?",
    "open_statement": "SELECT 'text', public_id, name FROM episode "
    "WHERE id = (SELECT episode FROM open_statement WHERE id = ?)",
    "chunk": "SELECT 'text', public_id, name FROM episode WHERE id = (SELECT episode FROM chunk WHERE id = ?)",
}
_PURGED_ENTITIES = "SELECT row FROM purged_row WHERE tbl = 'entity'"
_WORD = re.compile(r"[^\W\d_]{3,}")
_DERIVED_FROM_TEXTS = ("proposal",)
_NOT_SEARCHED = ("migration", "vector_space", "vocabulary_revision")


@dataclass(frozen=True, slots=True)
class Content:
    """What is to be purged: its public ids, its names, its sentences and texts, and aliases of what stays.

    Attributes:
        aliases: pairs of the public id of an entity that stays, and a purged alias of it.
        current: what stays, but loses its earlier versions.
        words: purged words of the vocabulary; their names and labels are among the names.
        wording_keys: the wordings whose proposed facts and dismissals are purged.
    """

    ids: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    sentences: frozenset[str] = frozenset()
    aliases: frozenset[tuple[str, str]] = frozenset()
    current: tuple[Current, ...] = ()
    words: frozenset[Word] = frozenset()
    wording_keys: frozenset[str] = frozenset()

    def __or__(self, other: Content) -> Content:
        return Content(
            self.ids | other.ids,
            self.names | other.names,
            self.sentences | other.sentences,
            self.aliases | other.aliases,
            self.current + other.current,
            self.words | other.words,
            self.wording_keys | other.wording_keys,
        )


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed from a file, as counts.

    Attributes:
        rows: rows that still existed, by table.
        journal: entries of the journal about purged rows.
        earlier_versions: entries about rows that stay; their calls can no longer be undone.
        answers: stored answers of idempotent calls.
    """

    rows: dict[str, int] = field(default_factory=dict)
    journal: int = 0
    earlier_versions: int = 0
    answers: int = 0


def deleted_ids(conn: Connection) -> frozenset[str]:
    """The public ids of all deleted entities, facts, episodes and proposed facts, as far as known.

    Those deleted by a merge are left out: another one has their place.
    """
    found: set[str] = set()
    for table in _present(conn, IDENTIFIED):
        rows = conn.execute(
            f"""
            SELECT DISTINCT was ->> 'public_id'
            FROM journal
            JOIN call ON call.id = journal.call
            WHERE tbl = '{table}' AND op = 'delete' AND was ->> 'public_id' IS NOT NULL
              AND was ->> 'public_id' NOT IN (SELECT public_id FROM {table})
              AND call.tool NOT LIKE 'merge%'
            """
        )
        found.update(row[0] for row in rows)
    return frozenset(found)


def calls_deleting_texts(conn: Connection, ids: Iterable[str], *, tools: Sequence[str]) -> list[int]:
    """The calls of these tools that deleted just one text, which is one of these: facts and entities fell with it."""
    if "episode" not in _present(conn, ("episode",)):
        return []
    wanted = set(ids)
    deleted = conn.execute(
        """
        SELECT journal.call, max(was ->> 'public_id')
        FROM journal
        JOIN call ON call.id = journal.call
        WHERE tbl = 'episode' AND op = 'delete' AND call.tool IN (SELECT value FROM json_each(?))
        GROUP BY journal.call
        HAVING count(*) = 1
        """,
        (json_array(tools),),
    )
    return [call for call, public_id in deleted if public_id in wanted]


def find_deleted(conn: Connection, *, matches: Callable[[str, str, str], bool]) -> list[tuple[str, str, str]]:
    """The deleted entities, facts and episodes that match: table, public id and name or sentence, newest first.

    Args:
        matches: whether an id, a name or sentence, and the type of an entity match the search.
    """
    found = dict[str, tuple[str, str, str]]()
    for table, column in (("entity", "name"), ("fact", "text"), ("episode", "name")):
        if table in _present(conn, (table,)):
            entity_type = "(SELECT name FROM entity_type WHERE id = was ->> 'type')" if table == "entity" else "''"
            rows = conn.execute(
                f"""
                SELECT was ->> 'public_id', was ->> '{column}', ifnull({entity_type}, '')
                FROM journal
                WHERE tbl = '{table}' AND op = 'delete' AND was ->> 'public_id' IS NOT NULL
                  AND was ->> 'public_id' NOT IN (SELECT public_id FROM {table})
                ORDER BY id DESC
                """
            )
            for public_id, name, of_type in rows.fetchall():
                if matches(public_id, name, of_type):
                    found.setdefault(public_id, (table, public_id, name))
    return list(found.values())


def collect(conn: Connection, content: Content, *, calls: Sequence[int] = ()) -> Content:
    """Find in a file all that belongs to what is to be purged, and note its rows on the connection for `remove`.

    Args:
        calls: what these calls deleted is also purged.

    Returns:
        The content, plus what else this file has of it.
    """
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS purged_id (id TEXT PRIMARY KEY) WITHOUT ROWID")
    conn.execute(
        "CREATE TEMP TABLE IF NOT EXISTS purged_row (tbl TEXT, row INTEGER, PRIMARY KEY (tbl, row)) WITHOUT ROWID"
    )
    conn.execute("CREATE TEMP TABLE IF NOT EXISTS purged_version (number INTEGER PRIMARY KEY)")
    for table in ("purged_id", "purged_row", "purged_version"):
        conn.execute(f"DELETE FROM {table}")
    tables = _present(conn, _IN_ORDER_OF_DELETION)
    conn.executemany("INSERT OR IGNORE INTO purged_id VALUES (?)", [(public_id,) for public_id in content.ids])
    aliases = set(content.aliases)
    for call in calls:
        aliases |= _add_rows_deleted_by(conn, call, tables)
    _add_former_ids(conn, tables)
    if content.words:
        earlier_versions.collect_words(conn, content.words, wording_keys=content.wording_keys)
    for table in tables:
        if table in IDENTIFIED:
            _add_rows(conn, table, "public_id", "SELECT id FROM purged_id")
    for table in ("fact", *tables):  # facts first: others are parts of them
        for column, whole in _PARTS.get(table, ()):
            if table in tables and whole in tables:
                _add_rows(conn, table, column, f"SELECT row FROM purged_row WHERE tbl = '{whole}'")
    names = frozenset(_texts_of_rows(conn, _NAMES, tables)) | content.names
    if "proposed_fact" in tables:
        _add_proposed_facts(conn, names)
    for entity, alias in content.aliases:
        conn.execute(
            """
            INSERT OR IGNORE INTO purged_row
            SELECT 'alias', alias.id
            FROM alias
            JOIN entity ON entity.id = alias.entity
            WHERE entity.public_id = ? AND alias.alias = ?
            """,
            (entity, alias),
        )
    earlier = earlier_versions.collect(conn, content.current)
    conn.executemany("INSERT INTO purged_version VALUES (?)", [(number,) for number in earlier.numbers])
    of_words = earlier_versions.names(conn, content.words) if content.words else frozenset[str]()
    return content | Content(
        ids=frozenset(_ids_of_rows(conn, tables)),
        names=names | earlier.names | of_words,
        sentences=frozenset(_texts_of_rows(conn, _SENTENCES, tables)) | earlier.sentences,
        aliases=frozenset(aliases),
    )


def remove(
    conn: Connection,
    *,
    at: str,
    names_it: Callable[[str], bool],
    current: Sequence[Current] = (),
    words: Collection[Word] = (),
    all_versions: bool = False,
) -> Removal:
    """Remove what `collect` has found in this file.

    Args:
        at: the timestamp of the call that is noted in the journal.
        names_it: whether a text contains an id, a name or a sentence of what is purged.
        current: what stays, to be brought to its current state in this file.
        words: the purged words; in a backup something may be recorded with them.
        all_versions: whether the journal keeps no earlier state of any row.
    """
    tables = _present(conn, _IN_ORDER_OF_DELETION)
    conn.execute("PRAGMA foreign_keys = ON")
    conn.execute("SAVEPOINT purge")
    (call,) = conn.execute("INSERT INTO call (at, tool) VALUES (?, 'purge') RETURNING id", (at,)).fetchone()
    telling = _words_of_rows(conn)
    earlier_versions.bring_up_to_date(conn, current)
    earlier_versions.detach(conn, words)
    _remove_references(conn, tables)
    if "episode" in tables:
        _remove_communities(conn, call, names_it, telling)
    _remove_reviews(conn, names_it)
    rows = {}
    for table in tables:
        deleted = conn.execute(
            f"DELETE FROM {table} WHERE id IN (SELECT row FROM purged_row WHERE tbl = ?)", (table,)
        ).rowcount
        if deleted:
            rows[table] = deleted
    if _present(conn, ("chunk_unread",)):
        # What a text said before it was changed; its current content is read later.
        conn.execute("DELETE FROM proposal_evidence WHERE chunk IN (SELECT chunk FROM chunk_unread)")
    answers = _remove_answers(conn, names_it)
    journal = conn.execute(
        """
        UPDATE journal SET was = ?
        WHERE op <> 'insert' AND was <> ? AND (tbl, row) IN (SELECT tbl, row FROM purged_row)
        """,
        (PURGED, PURGED),
    ).rowcount
    versions = _remove_earlier_versions(conn, tables, call, names_it, telling)
    if all_versions:
        versions += earlier_versions.remove_all(conn)
    conn.execute("DELETE FROM call WHERE id = ? AND NOT EXISTS (SELECT 1 FROM journal WHERE call = call.id)", (call,))
    conn.execute("RELEASE purge")
    return Removal(rows, journal, versions, answers)


def search(conn: Connection, matches: Callable[[str], bool]) -> tuple[int, list[tuple[str, str, str]]]:
    """Search all rows of all tables for texts.

    Returns:
        How many rows were read; and the matches, each once: the kind (entity, fact, text, or the name of a table),
        the id and the name, if any.
    """
    read, found = 0, dict[tuple[str, str, str], None]()
    for table, columns in _text_columns(conn):
        names = ", ".join(f'"{column}"' for column in columns)
        has_number = conn.execute("SELECT 1 FROM pragma_table_info(?) WHERE name = 'id'", (table,)).fetchone()
        rows = conn.execute(f'SELECT {"id" if has_number else "0"}, {names} FROM "{table}"').fetchall()
        read += len(rows)
        if table not in _DERIVED_FROM_TEXTS:
            found |= {_show(conn, table, row): None for row in _matching_rows(rows, matches)}
    return read, list(found)


def _matching_rows(rows: Sequence[tuple[Any, ...]], matches: Callable[[str], bool]) -> Iterator[int]:
    """The first values of the rows of which another is a text that matches."""
    for first in range(0, len(rows), _ROWS_SEARCHED_AT_ONCE):
        together = rows[first : first + _ROWS_SEARCHED_AT_ONCE]
        texts = [[value for value in values if isinstance(value, str)] for _, *values in together]
        # NUL is neither a letter nor a space, so that a match in one text is a match in all of them joined.
        if matches("\x00".join(text for texts_of_row in texts for text in texts_of_row)):
            yield from (row[0] for row, of_row in zip(together, texts, strict=True) if any(map(matches, of_row)))


def _add_rows_deleted_by(conn: Connection, call: int, tables: Sequence[str]) -> set[tuple[str, str]]:
    """Add the rows that a call deleted and that no longer exist; returns aliases of remaining entities among them."""
    aliases: set[tuple[str, str]] = set()
    for table, row, was in conn.execute(
        "SELECT tbl, row, was FROM journal WHERE call = ? AND op = 'delete'", (call,)
    ).fetchall():
        if table not in tables or conn.execute(f"SELECT 1 FROM {table} WHERE id = ?", (row,)).fetchone():
            continue
        before = json.loads(was)
        conn.execute("INSERT OR IGNORE INTO purged_row VALUES (?, ?)", (table, row))
        if public_id := before.get("public_id"):
            conn.execute("INSERT OR IGNORE INTO purged_id VALUES (?)", (public_id,))
        if table == "alias":
            entity = conn.execute("SELECT public_id FROM entity WHERE id = ?", (before.get("entity"),)).fetchone()
            aliases |= {(entity[0], before["alias"])} if entity else set()
    return aliases


def _add_former_ids(conn: Connection, tables: Sequence[str]) -> None:
    """Add the ids of entities merged into those to be purged, and not separated again."""
    if "former_id" not in tables:
        return
    added = 1
    while added:
        _add_rows(conn, "entity", "public_id", "SELECT id FROM purged_id")
        entities = "SELECT row FROM purged_row WHERE tbl = 'entity'"
        added = conn.execute(
            f"""
            INSERT OR IGNORE INTO purged_id
            SELECT public_id FROM former_id WHERE entity IN ({entities})
            UNION
            SELECT was ->> 'public_id' FROM journal
            WHERE tbl = 'former_id' AND op <> 'insert' AND was ->> 'entity' IN ({entities})
              AND was ->> 'public_id' IS NOT NULL
              AND was ->> 'public_id' NOT IN (SELECT public_id FROM entity)
            """
        ).rowcount


def _add_rows(conn: Connection, table: str, column: str, values: str) -> None:
    """Add the rows of a table with one of these values: those that exist, and those that were deleted.

    Earlier versions of an existing row do not count: it may have belonged to something else then.
    """
    conn.execute(
        f"""
        INSERT OR IGNORE INTO purged_row
        SELECT '{table}', id FROM {table} WHERE {column} IN ({values})
        UNION
        SELECT tbl, row FROM journal
        WHERE tbl = '{table}' AND op <> 'insert' AND was ->> '{column}' IN ({values})
          AND row NOT IN (SELECT id FROM {table})
        """
    )


def _add_proposed_facts(conn: Connection, names: Iterable[str]) -> None:
    """Add the proposed facts that have one of these names as their subject or object, deleted ones too."""
    keys = {" ".join(name.casefold().split()) for name in names}
    rows = conn.execute(
        """
        SELECT id, subject, object FROM proposed_fact
        UNION ALL
        SELECT row, was ->> 'subject', was ->> 'object' FROM journal
        WHERE tbl = 'proposed_fact' AND op <> 'insert' AND was <> ? AND row NOT IN (SELECT id FROM proposed_fact)
        """,
        (PURGED,),
    )
    for row, *ends in rows.fetchall():
        if keys & {" ".join((end or "").casefold().split()) for end in ends}:
            conn.execute("INSERT OR IGNORE INTO purged_row VALUES ('proposed_fact', ?)", (row,))


def _ids_of_rows(conn: Connection, tables: Sequence[str]) -> Iterator[str]:
    """The public ids of the rows to be purged; ids of entities merged into them are included."""
    yield from (row[0] for row in conn.execute("SELECT id FROM purged_id"))
    for table in IDENTIFIED:
        if table in tables:
            yield from _values_of_rows(conn, table, "public_id")


def _texts_of_rows(conn: Connection, columns: dict[str, str], tables: Sequence[str]) -> Iterator[str]:
    for table, column in columns.items():
        if table in tables:
            yield from (text for text in _values_of_rows(conn, table, column) if text.strip())


def _values_of_rows(conn: Connection, table: str, column: str) -> list[str]:
    """The values of a column in the rows to be purged, as they are and as they were."""
    rows = conn.execute(
        f"""
        SELECT {column} FROM {table} WHERE id IN (SELECT row FROM purged_row WHERE tbl = '{table}')
        UNION
        SELECT was ->> '{column}' FROM journal
        WHERE tbl = '{table}' AND op <> 'insert' AND row IN (SELECT row FROM purged_row WHERE tbl = '{table}')
        """
    )
    return [row[0] for row in rows if row[0] is not None]


def _remove_references(conn: Connection, tables: Sequence[str]) -> None:
    """Remove what remaining rows say about those to be purged: assertions from a text, and annotations."""
    if "episode" in tables:
        episodes = "SELECT row FROM purged_row WHERE tbl = 'episode'"
        others = "SELECT 1 FROM provenance AS other WHERE other.fact = provenance.fact AND other.id <> provenance.id"
        conn.execute(
            f"""
            DELETE FROM provenance
            WHERE episode IN ({episodes}) AND fact NOT IN (SELECT row FROM purged_row WHERE tbl = 'fact')
              AND EXISTS ({others} AND (other.episode IS NULL OR other.episode NOT IN ({episodes})))
            """
        )
        conn.execute(
            f"""
            UPDATE provenance SET episode = NULL, source = NULL
            WHERE episode IN ({episodes}) AND fact NOT IN (SELECT row FROM purged_row WHERE tbl = 'fact')
            """
        )
        _remove_annotations(conn)
    ids = {row[0] for row in conn.execute("SELECT id FROM purged_id")}
    sources = conn.execute("SELECT id, source FROM provenance WHERE source GLOB '*_[0-9a-z][0-9a-z]*'").fetchall()
    conn.executemany(
        "UPDATE provenance SET source = NULL WHERE id = ?",
        [(row,) for row, source in sources if not ids.isdisjoint(PUBLIC_ID.findall(source))],
    )


def _remove_annotations(conn: Connection) -> None:
    """Remove the annotations by which a caller said that a chunk is about an entity to be purged."""
    names = set(_values_of_rows(conn, "entity", "name")) | set(_values_of_rows(conn, "alias", "alias"))
    ids = {row[0] for row in conn.execute("SELECT id FROM purged_id")}
    for row, named in conn.execute("SELECT id, named FROM chunk WHERE named <> '[]'").fetchall():
        annotations = json.loads(named)
        kept = [
            annotation
            for annotation in annotations
            if annotation.get("how") != "given" or not (annotation.get("id") in ids or annotation.get("name") in names)
        ]
        if kept != annotations:
            conn.execute(
                "UPDATE chunk SET named = ? WHERE id = ?",
                (json.dumps(kept, ensure_ascii=False, separators=(",", ":")), row),
            )


def _remove_reviews(conn: Connection, names_it: Callable[[str], bool]) -> None:
    """Delete the waiting proposals, the decisions and the unknown names that name what is purged.

    A decision that also rests on other texts stays. The journal has this under the call of the purge.
    """
    if not _present(conn, ("review_decision",)):
        return
    ids = {row[0] for row in conn.execute("SELECT id FROM purged_id")}
    rows = conn.execute("SELECT id, key, statement, rests_on, arguments FROM review_proposal").fetchall()
    for row, *texts, rests_on, arguments in rows:
        if not ids.isdisjoint(json.loads(rests_on)) or any(map(names_it, (*texts, rests_on, arguments))):
            conn.execute("DELETE FROM review_proposal WHERE id = ?", (row,))
    for row, *texts, rests_on in conn.execute("SELECT id, key, statement, rests_on FROM review_decision").fetchall():
        named = json.loads(rests_on)
        kept = [each for each in named if each not in ids]
        if any(map(names_it, texts)) or (named and not kept):
            conn.execute("DELETE FROM review_decision WHERE id = ?", (row,))
        elif kept != named:
            conn.execute("UPDATE review_decision SET rests_on = ? WHERE id = ?", (json.dumps(kept), row))
    for group, key, name in conn.execute("SELECT group_id, name_key, name FROM unknown_name").fetchall():
        if names_it(name):
            conn.execute("DELETE FROM unknown_name WHERE group_id = ? AND name_key = ?", (group, key))


def _words_of_rows(conn: Connection) -> frozenset[str]:
    """The words of the names, summaries and literals to be purged, which names of communities may contain."""
    texts = (
        text
        for table, column in (("entity", "name"), ("entity", "summary"), ("fact", "literal"))
        for text in _values_of_rows(conn, table, column)
    )
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def _is_made_of(words: frozenset[str], name: str, named_by: str | None) -> bool:
    """Whether the name of a community was generated, and contains one of these words."""
    return named_by in (None, communities.ALGORITHM) and not words.isdisjoint(_WORD.findall(name.lower()))


def _remove_communities(conn: Connection, call: int, names_it: Callable[[str], bool], words: frozenset[str]) -> None:
    """Delete the communities with a purged entity as a member, or with a name that contains it or one of its words.

    The journal has this under this call, and nothing else about them.
    """
    rows = {
        row for (row,) in conn.execute(f"SELECT community FROM community_member WHERE entity IN ({_PURGED_ENTITIES})")
    }
    for row, name, summary, named_by in conn.execute("SELECT id, name, summary, named_by FROM community"):
        if names_it(name) or names_it(summary) or _is_made_of(words, name, named_by):
            rows.add(row)
    for row in sorted(rows):
        conn.execute("INSERT INTO purged_row VALUES ('community', ?)", (row,))
        # The table has no triggers of the journal: see store/communities.py.
        conn.execute(
            "INSERT INTO journal (call, op, tbl, row, was) VALUES (?, 'delete', 'community', ?, ?)", (call, row, PURGED)
        )
        conn.execute("DELETE FROM community WHERE id = ?", (row,))


def _earlier_communities(conn: Connection, words: frozenset[str]) -> Iterator[int]:
    """The numbers of journal entries of communities with a purged entity, or with its words in their names."""
    purged = {row for (row,) in conn.execute(_PURGED_ENTITIES)}
    for number, was in conn.execute("SELECT id, was FROM journal WHERE tbl = 'community' AND was IS NOT NULL"):
        before = json.loads(was)
        is_of_it = not purged.isdisjoint(before.get("members", ()))
        if is_of_it or _is_made_of(words, before.get("name", ""), before.get("named_by")):
            yield number


def _remove_answers(conn: Connection, names_it: Callable[[str], bool]) -> int:
    """Delete the stored answers of calls that made or changed purged rows, and those that name what is purged."""
    conn.execute(
        """
        DELETE FROM idempotency WHERE call IN (
            SELECT call FROM journal WHERE (tbl, row) IN (SELECT tbl, row FROM purged_row)
            UNION
            SELECT call FROM journal WHERE id IN (SELECT number FROM purged_version)
        )
        """
    )
    count = int(conn.execute("SELECT changes()").fetchone()[0])
    for group, key, answer in conn.execute("SELECT group_id, key, answer FROM idempotency").fetchall():
        if names_it(answer):
            conn.execute("DELETE FROM idempotency WHERE group_id = ? AND key = ?", (group, key))
            count += 1
    return count


def _remove_earlier_versions(
    conn: Connection, tables: Sequence[str], call: int, names_it: Callable[[str], bool], words: frozenset[str]
) -> int:
    """Empty the entries about remaining rows: the purged versions, and those that refer to or name what is purged."""
    numbers = {number for (number,) in conn.execute("SELECT number FROM purged_version")}
    for table in tables:
        references = [*_PARTS.get(table, ()), *((("episode", "episode"),) if table == "provenance" else ())]
        for column, whole in references:
            rows = conn.execute(
                f"""
                SELECT id FROM journal
                WHERE tbl = '{table}' AND op <> 'insert'
                  AND was ->> '{column}' IN (SELECT row FROM purged_row WHERE tbl = '{whole}')
                """
            )
            numbers.update(row[0] for row in rows)
    numbers.update(_earlier_communities(conn, words))
    for number, was in conn.execute(
        "SELECT id, was FROM journal WHERE op <> 'insert' AND was NOT IN (?, ?)", (PURGED, PURGED_IN_PART)
    ).fetchall():
        if names_it(was):
            numbers.add(number)
    conn.execute("UPDATE journal SET was = ? WHERE call = ? AND op = 'delete'", (PURGED, call))
    numbers.update(
        row[0]
        for row in conn.execute("SELECT id FROM journal WHERE call = ? AND op = 'update' AND was <> ?", (call, PURGED))
    )
    conn.executemany("UPDATE journal SET was = ? WHERE id = ?", [(PURGED_IN_PART, number) for number in numbers])
    return len(numbers)


def _text_columns(conn: Connection) -> list[tuple[str, list[str]]]:
    """The tables with their text columns; not the tables behind the full-text indexes."""
    tables = conn.execute(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """
    ).fetchall()
    found = []
    for (table,) in tables:
        columns = conn.execute("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'", (table,)).fetchall()
        if columns and table not in _NOT_SEARCHED:
            found.append((table, ["was"] if table == "journal" else [column for (column,) in columns]))
    return found


def _show(conn: Connection, table: str, row: int) -> tuple[str, str, str]:
    shown = conn.execute(_SHOWN[table], (row,)).fetchone() if table in _SHOWN else None
    return tuple(shown) if shown else (table, "", "")


def _present(conn: Connection, tables: Iterable[str]) -> list[str]:
    """The tables among these that a file has: a backup may be of an older version."""
    existing = {row[0] for row in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return [table for table in tables if table in existing]
