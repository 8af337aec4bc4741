"""Purging words of the vocabulary: the rows that belong to a word, in the graph and in backups."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from keepgraph.store.connections import Connection, json_array

KINDS = ("entity_type", "predicate")

TABLES = (
    *("vocabulary_label", "predicate_end", "type_parent", "type_disjoint", "dismissed_wording"),
    *KINDS,
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
        for kind in KINDS
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


def collect(conn: Connection, words: Iterable[Word], *, wording_keys: Iterable[str]) -> None:
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
