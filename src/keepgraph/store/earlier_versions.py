"""Earlier versions of texts and names in the journal, and the words that were purged from them.

In a backup an earlier version is the row itself: it gets its current state. Rows are identified by public ids, as in
`store/purge.py`, and their parts by their owners.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.store.connections import Connection, json_array

PURGED = '{"purged":true}'
"""What the journal keeps of a purged row."""

PURGED_IN_PART = '{"purged":"part"}'
"""What it keeps of a purged version of a remaining row."""

_PARTS = {"entity": ("alias", "entity"), "episode": ("chunk", "episode")}
"""By table: the table of its parts, and the column by which they refer to it."""

_NAMES = {"entity": ("name",), "alias": ("alias",)}
_SENTENCES = {"entity": ("summary",), "episode": ("name",), "chunk": ("text", "heading"), "fact": ("literal",)}


@dataclass(frozen=True, slots=True)
class Current:
    """The current state of a row, and its parts: aliases of an entity, chunks of an episode.

    Attributes:
        values: of its text columns, by their names.
        parts: the rows of its parts, without their own numbers.
    """

    table: str
    public_id: str
    values: Mapping[str, str | None]
    parts: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier versions in a file.

    Attributes:
        numbers: of entries of the journal.
        names: names and aliases that are no longer in use.
        sentences: summaries, values of properties and texts that are no longer in use.
    """

    numbers: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    sentences: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Found:
    numbers: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    sentences: set[str] = field(default_factory=set)


def read_current(conn: Connection, public_ids: Iterable[str]) -> tuple[Current, ...]:
    """The current state of the entities, episodes and facts with these ids; missing ones are left out."""
    return tuple(_read_current(conn, public_ids))


def _read_current(conn: Connection, public_ids: Iterable[str]) -> Iterator[Current]:
    for public_id in sorted(public_ids):
        for table in ("entity", "episode", "fact"):
            if row := _row(conn, table, public_id):
                values = {column: row[column] for column in _text_columns(conn, table)}
                yield Current(table, public_id, values, tuple(_parts(conn, table, row["id"])))


def ids_with_something_removed(conn: Connection) -> frozenset[str]:
    """The public ids of the entities that lost a name, an alias, a property or the summary.

    An alias moved by a merge does not count: it now belongs to another entity.
    """
    found = set()
    for row, public_id, name, summary, properties in conn.execute(
        """
        SELECT id, public_id, name, summary, properties
        FROM entity
        WHERE id IN (SELECT row FROM journal WHERE tbl = 'entity' AND op = 'update' AND was <> ?)
           OR id IN (SELECT was ->> 'entity' FROM journal WHERE tbl = 'alias' AND op = 'delete')
        """,
        (PURGED_IN_PART,),
    ).fetchall():
        names = {name.casefold(), *(alias.casefold() for alias in _aliases(conn, row))}
        keys = json.loads(properties).keys()
        if any(_has_lost(was, names, summary, keys) for was in _images(conn, "entity", "row", row)) or any(
            was["alias"].casefold() not in names for was in _images(conn, "alias", "was ->> 'entity'", row)
        ):
            found.add(public_id)
    return frozenset(found)


def count(conn: Connection) -> int:
    """How many earlier versions of remaining rows the journal has."""
    (number,) = conn.execute(
        """
        SELECT count(*) FROM journal
        WHERE op = 'update' AND was NOT IN (?, ?)
          AND NOT EXISTS (
              SELECT 1 FROM journal AS gone
              WHERE gone.tbl = journal.tbl AND gone.row = journal.row AND gone.op = 'delete' AND gone.id > journal.id
          )
        """,
        (PURGED, PURGED_IN_PART),
    ).fetchone()
    return int(number)


def collect(conn: Connection, current: Sequence[Current]) -> Earlier:
    """Find the earlier versions of these in a file: in its journal and, in a backup, in its rows."""
    found = _Found()
    for each in current:
        if row := _row(conn, each.table, each.public_id):
            _collect(conn, each, row, found)
    names, sentences = _current_texts(current)
    return Earlier(
        frozenset(found.numbers),
        frozenset(name for name in found.names if name.casefold() not in names),
        frozenset(found.sentences - sentences),
    )


def remove_all(conn: Connection) -> int:
    """Remove all earlier states and deleted rows from the journal; returns how many versions."""
    changed = 0
    for (table,) in conn.execute("SELECT DISTINCT tbl FROM journal").fetchall():
        for condition, image in (("IN", PURGED_IN_PART), ("NOT IN", PURGED)):
            changed += conn.execute(
                f"""
                UPDATE journal SET was = ?
                WHERE tbl = ? AND op <> 'insert' AND was NOT IN (?, ?) AND row {condition} (SELECT id FROM "{table}")
                """,
                (image, table, PURGED, PURGED_IN_PART),
            ).rowcount
    conn.execute("DELETE FROM idempotency")
    return changed


def bring_up_to_date(conn: Connection, current: Sequence[Current]) -> None:
    """Update the rows of a backup to their current state; in the graph itself nothing changes."""
    changes = []
    for each in current:
        if row := _row(conn, each.table, each.public_id):
            columns = [name for name in _text_columns(conn, each.table) if name in each.values]
            changed = {name: each.values[name] for name in columns if row[name] != each.values[name]}
            changes.append((each, row, changed))
            if each.table == "entity" and changed.get("name"):
                _rename_in_facts(conn, row, str(changed["name"]))
                # Two may have swapped names: first free each name that another one gets.
                _update(conn, each.table, row, {"name_key": row["public_id"]})
    for each, row, changed in changes:
        if each.table == "entity" and changed.get("name"):
            changed |= {"name_key": each.values["name_key"], **_free_name(conn, row, each)}
        _update(conn, each.table, row, changed)
        if each.table in _PARTS:
            _replace_parts(conn, each, row["id"])


def _update(conn: Connection, table: str, row: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
    if changed:
        assignments = ", ".join(f"{name} = ?" for name in changed)
        conn.execute(f"UPDATE {table} SET {assignments} WHERE id = ?", (*changed.values(), row["id"]))


def _collect(conn: Connection, current: Current, row: Mapping[str, Any], found: _Found) -> None:
    tables = [(current.table, "row")]
    if current.table in _PARTS:
        table, column = _PARTS[current.table]
        tables.append((table, f"was ->> '{column}'"))
    for table, column in tables:
        live = [row] if table == current.table else _parts(conn, current.table, row["id"])
        journalled = conn.execute(
            f"SELECT id, was FROM journal WHERE tbl = ? AND op <> 'insert' AND {column} = ?", (table, row["id"])
        ).fetchall()
        found.numbers.update(number for number, _ in journalled)
        for version in (*live, *(json.loads(was) for _, was in journalled)):
            found.names.update(version[name] for name in _NAMES.get(table, ()) if version.get(name))
            found.sentences.update(version[name] for name in _SENTENCES.get(table, ()) if version.get(name))
            found.sentences.update(_values(version.get("properties")))
    if current.table == "entity":
        facts = "SELECT id FROM fact WHERE subject = :entity OR object = :entity"
        numbers = conn.execute(
            f"""
            SELECT journal.id FROM journal
            JOIN fact ON fact.id = journal.row
            WHERE journal.tbl = 'fact' AND op = 'update' AND journal.row IN ({facts}) AND was ->> 'text' <> fact.text
            """,
            {"entity": row["id"]},
        )
        found.numbers.update(number for (number,) in numbers)


def _current_texts(current: Sequence[Current]) -> tuple[set[str], set[str]]:
    """The current names, folded, and sentences of these."""
    names, sentences = set[str](), set[str]()
    for each in current:
        part = _PARTS.get(each.table, ("", ""))[0]
        for table, version in ((each.table, each.values), *((part, row) for row in each.parts)):
            names.update(str(version[name]).casefold() for name in _NAMES.get(table, ()))
            sentences.update(str(version[name]) for name in _SENTENCES.get(table, ()))
        sentences.update(_values(each.values.get("properties")))
    return names, sentences


def _rename_in_facts(conn: Connection, entity: Mapping[str, Any], name: str) -> None:
    """Write the new name into the sentences of the facts about an entity."""
    conn.execute(
        "UPDATE fact SET text = replace(text, :old, :new) WHERE (subject = :id OR object = :id) AND instr(text, :old)",
        {"old": entity["name"], "new": name, "id": entity["id"]},
    )


def _free_name(conn: Connection, row: Mapping[str, Any], current: Current) -> dict[str, str]:
    """Another name if somebody else has it in this file: a since deleted row may have had it."""
    taken = conn.execute(
        "SELECT 1 FROM entity WHERE group_id = ? AND name_key = ? AND type = ? AND id <> ?",
        (row["group_id"], current.values["name_key"], row["type"], row["id"]),
    ).fetchone()
    columns = ("name", "name_key", "name_folded") if taken else ()
    return {column: f"{str(current.values[column])[:160]} {row['public_id']}" for column in columns}


def _replace_parts(conn: Connection, current: Current, row: int) -> None:
    """Update the parts: removed aliases are deleted, and chunks are rewritten."""
    table, column = _PARTS[current.table]
    here = _parts(conn, current.table, row)
    names = [name for name in _columns(conn, table) if name not in ("id", column)]
    key = "alias" if table == "alias" else None
    if key is not None:
        stays = {part[key].casefold() for part in current.parts} | {str(current.values["name"]).casefold()}
        gone = [part for part in here if part[key].casefold() not in stays]
        conn.executemany(f"DELETE FROM {table} WHERE {column} = ? AND {key} = ?", [(row, part[key]) for part in gone])
        return
    if [[part[name] for name in names] for part in here] == [
        [part.get(name) for name in names] for part in current.parts
    ]:
        return
    conn.execute(f"DELETE FROM {table} WHERE {column} = ?", (row,))
    shared = [name for name in names if all(name in part for part in current.parts)]
    conn.executemany(
        f"INSERT INTO {table} ({column}, {', '.join(shared)}) VALUES (?{', ?' * len(shared)})",
        [(row, *(part[name] for name in shared)) for part in current.parts],
    )


def _has_lost(was: Mapping[str, Any], names: Collection[str], summary: str, keys: Collection[str]) -> bool:
    has_lost_property = not set(json.loads(was.get("properties") or "{}")) <= set(keys)
    return was["name"].casefold() not in names or has_lost_property or bool(was.get("summary") and not summary)


def _images(conn: Connection, table: str, column: str, value: int) -> Iterator[dict[str, Any]]:
    """Rows of a table as the journal has them, changed or deleted by anything but a merge."""
    for (was,) in conn.execute(
        f"""
        SELECT was FROM journal
        JOIN call ON call.id = journal.call
        WHERE tbl = ? AND op = ? AND {column} = ? AND was NOT LIKE '{{"purged":%' AND call.tool NOT LIKE 'merge%'
        """,
        (table, "delete" if table == "alias" else "update", value),
    ):
        yield json.loads(was)


def _aliases(conn: Connection, entity: int) -> list[str]:
    return [alias for (alias,) in conn.execute("SELECT alias FROM alias WHERE entity = ?", (entity,))]


def _values(properties: str | None) -> Iterator[str]:
    """The texts among the values of properties, at any depth."""
    waiting = [json.loads(properties or "{}")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.strip():
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _row(conn: Connection, table: str, public_id: str) -> dict[str, Any] | None:
    return next(iter(_rows(conn, f"SELECT * FROM {table} WHERE public_id = ?", public_id)), None)


def _parts(conn: Connection, table: str, row: int) -> list[dict[str, Any]]:
    if table not in _PARTS:
        return []
    part, column = _PARTS[table]
    order = "place, id" if part == "chunk" else "id"
    rows = _rows(conn, f"SELECT * FROM {part} WHERE {column} = ? ORDER BY {order}", row)
    return [{name: value for name, value in each.items() if name not in ("id", column)} for each in rows]


def _rows(conn: Connection, query: str, value: object) -> list[dict[str, Any]]:
    cursor = conn.execute(query, (value,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _columns(conn: Connection, table: str) -> list[str]:
    return [name for (name,) in conn.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))]


def _text_columns(conn: Connection, table: str) -> list[str]:
    """The columns with text that somebody gave, and what is derived from it."""
    rows = conn.execute("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' ORDER BY cid", (table,))
    return [name for (name,) in rows if not name.endswith(("_id", "_at", "_from", "_to"))]


# Purging words of the vocabulary: the rows that belong to a word, in the graph and in backups.

_KINDS = ("entity_type", "predicate")

TABLES = (
    *("vocabulary_label", "predicate_end", "type_parent", "type_disjoint", "dismissed_wording"),
    *_KINDS,
)
"""The tables of words and their parts, in the order in which their rows are deleted."""

PARTS = {
    "predicate_end": (("predicate", "predicate"), ("type", "entity_type")),
    "type_parent": (("type", "entity_type"), ("parent", "entity_type")),
    "type_disjoint": (("type", "entity_type"), ("other", "entity_type")),
}
"""By table: the columns that refer to the words that it is a part of."""

Word = tuple[str, str]
"""A word by its kind and its name."""


def deleted(conn: Connection) -> frozenset[Word]:
    """The deleted words that the vocabulary does not have again, except merged ones."""
    return frozenset(
        (kind, name)
        for kind in _KINDS
        for (name,) in conn.execute(
            f"""
            SELECT DISTINCT was ->> 'name'
            FROM journal
            JOIN call ON call.id = journal.call
            WHERE tbl = '{kind}' AND op = 'delete' AND was ->> 'name' IS NOT NULL
              AND was ->> 'name' NOT IN (SELECT name FROM {kind}) AND call.tool NOT LIKE 'merge%'
            """
        )
    )


def collect_words(conn: Connection, words: Iterable[Word], *, wording_keys: Iterable[str]) -> None:
    """Mark the rows of these words as to be purged, with their labels and dismissals.

    Args:
        wording_keys: the keys of their names and labels.
    """
    for kind, name in words:
        conn.execute(
            f"""
            INSERT OR IGNORE INTO purged_row
            SELECT '{kind}', id FROM {kind} WHERE name = :name
            UNION
            SELECT tbl, row FROM journal
            WHERE tbl = '{kind}' AND op <> 'insert' AND was ->> 'name' = :name AND row NOT IN (SELECT id FROM {kind})
            """,
            {"name": name},
        )
        conn.execute(
            f"""
            INSERT OR IGNORE INTO purged_row
            SELECT 'vocabulary_label', id FROM vocabulary_label
            WHERE kind = '{kind}' AND term IN (SELECT row FROM purged_row WHERE tbl = '{kind}')
            UNION
            SELECT tbl, row FROM journal
            WHERE tbl = 'vocabulary_label' AND op <> 'insert' AND was ->> 'kind' = '{kind}'
              AND was ->> 'term' IN (SELECT row FROM purged_row WHERE tbl = '{kind}')
            """
        )
    for table in ("dismissed_wording", "proposed_fact"):
        conn.execute(
            f"""
            INSERT OR IGNORE INTO purged_row
            SELECT '{table}', id FROM {table} WHERE wording_key IN (SELECT value FROM json_each(:keys))
            UNION
            SELECT tbl, row FROM journal
            WHERE tbl = '{table}' AND op <> 'insert' AND was ->> 'wording_key' IN (SELECT value FROM json_each(:keys))
            """,
            {"keys": json_array(sorted(wording_keys))},
        )


def names(conn: Connection, words: Collection[Word]) -> frozenset[str]:
    """The names and the labels of these words, current or former, in a file."""
    found = {name for _, name in words}
    for kind, name in words:
        rows = conn.execute(
            f"""
            WITH word AS (
                SELECT id FROM {kind} WHERE name = :name
                UNION
                SELECT row FROM journal WHERE tbl = '{kind}' AND op <> 'insert' AND was ->> 'name' = :name
            )
            SELECT label FROM vocabulary_label WHERE kind = '{kind}' AND term IN (SELECT id FROM word)
            UNION
            SELECT was ->> 'label' FROM journal
            WHERE tbl = 'vocabulary_label' AND op <> 'insert' AND was ->> 'kind' = '{kind}'
              AND was ->> 'term' IN (SELECT id FROM word)
            """,
            {"name": name},
        )
        found.update(label for (label,) in rows if label)
    return frozenset(found | {name.replace("_", " ") for name in found})


def detach(conn: Connection, words: Collection[Word]) -> None:
    """Remove all references to these words from a backup: what is recorded with one is kept, under another name."""
    for kind, name in words:
        row = conn.execute(f"SELECT id FROM {kind} WHERE name = ?", (name,)).fetchone()
        if row is None:
            continue
        word = {"row": row[0], "name": name}
        conn.execute(f"UPDATE {kind} SET replaced_by = NULL WHERE replaced_by = :row", word)
        if kind == "predicate":
            conn.execute("UPDATE predicate SET inverse_of = NULL WHERE inverse_of = :row", word)
        used = "entity WHERE type" if kind == "entity_type" else "fact WHERE predicate"
        if not conn.execute(f"SELECT EXISTS (SELECT 1 FROM {used} = :row)", word).fetchone()[0]:
            continue
        other = {"other": f"removed_word_{row[0]}", "spaced": name.replace("_", " "), "plain": f"removed word {row[0]}"}
        conn.execute(
            f"UPDATE {kind} SET name = :other, description = '', details = '{{}}' WHERE id = :row", {**word, **other}
        )
        if kind == "predicate":
            conn.execute("UPDATE predicate SET sentence = '' WHERE id = :row", word)
            conn.execute(
                "UPDATE fact SET text = replace(replace(text, :name, :other), :spaced, :plain) WHERE predicate = :row",
                {**word, **other},
            )
        conn.execute("DELETE FROM purged_row WHERE tbl = ? AND row = ?", (kind, row[0]))
