"""SQL for the vocabulary: sets, entity types, predicates, and their labels; what the graph may say."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keepgraph.model import (
    PREDICATE_FLAGS,
    EntityType,
    Predicate,
    VocabularyLabel,
    VocabularySet,
)
from keepgraph.store import cardinalities, journal
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

ENTITY_TYPE = "entity_type"
PREDICATE = "predicate"
KINDS = (ENTITY_TYPE, PREDICATE)
_TABLES = {ENTITY_TYPE: "entity_type", PREDICATE: "predicate"}

_FLAG_COLUMNS = ", ".join(f"predicate.is_{flag}" for flag in PREDICATE_FLAGS)


# Reading


def revision(tx: Tx) -> str:
    """A text that differs after every change of the vocabulary."""
    return str(tx.conn.execute("SELECT revision FROM vocabulary_revision").fetchone()[0])


def sets(tx: Tx) -> list[VocabularySet]:
    """The sets that were added, retired ones too, in the order of their rows."""
    rows = tx.conn.execute("SELECT id, name, version, uri, added_at, retired_at FROM vocabulary_set ORDER BY id")
    return [VocabularySet(*row) for row in rows]


def entity_types(tx: Tx) -> list[EntityType]:
    """All entity types, retired ones too, in the order of their rows."""
    parents = _pairs(tx, "SELECT type, entity_type.name FROM type_parent JOIN entity_type ON entity_type.id = parent")
    disjoint = _pairs(
        tx,
        """
        SELECT type, entity_type.name FROM type_disjoint JOIN entity_type ON entity_type.id = other
        UNION ALL
        SELECT other, entity_type.name FROM type_disjoint JOIN entity_type ON entity_type.id = type
        """,
    )
    rows = tx.conn.execute(
        """
        SELECT entity_type.id, entity_type.name, description, entity_type.version, coalesce(vocabulary_set.name, ''),
               entity_type.retired_at, style, is_abstract,
               (SELECT name FROM entity_type AS other WHERE other.id = entity_type.replaced_by)
        FROM entity_type
        LEFT JOIN vocabulary_set ON vocabulary_set.id = entity_type.vocabulary_set
        ORDER BY entity_type.id
        """
    )
    return [
        EntityType(
            row=row,
            kind=ENTITY_TYPE,
            name=name,
            description=description,
            version=version,
            set=set_name,
            retired_at=retired_at,
            replaced_by=replaced_by,
            style=style,
            parents=tuple(parents.get(row, ())),
            disjoint=tuple(disjoint.get(row, ())),
            is_abstract=bool(is_abstract),
        )
        for row, name, description, version, set_name, retired_at, style, is_abstract, replaced_by in rows
    ]


def predicates(tx: Tx) -> list[Predicate]:
    """All predicates, retired ones too, in the order of their rows; the types at their ends as they were given."""
    ends: dict[str, dict[int, list[str]]] = {"subject": defaultdict(list), "object": defaultdict(list)}
    for row, side, name in tx.conn.execute(
        """
        SELECT predicate, side, entity_type.name
        FROM predicate_end
        JOIN entity_type ON entity_type.id = type
        ORDER BY predicate_end.id
        """
    ):
        ends[side][row].append(name)
    rows = tx.conn.execute(
        f"""
        SELECT predicate.id, predicate.name, description, predicate.version, coalesce(vocabulary_set.name, ''),
               predicate.retired_at, (SELECT name FROM predicate AS other WHERE other.id = predicate.replaced_by),
               role, (SELECT name FROM predicate AS other WHERE other.id = predicate.inverse_of),
               literal_kind, sentence, has_binding_ends, predicate.details ->> '$.alias', {_FLAG_COLUMNS}
        FROM predicate
        LEFT JOIN vocabulary_set ON vocabulary_set.id = predicate.vocabulary_set
        ORDER BY predicate.id
        """
    )
    return [
        Predicate(
            row=row[0],
            kind=PREDICATE,
            name=row[1],
            description=row[2],
            version=row[3],
            set=row[4],
            retired_at=row[5],
            replaced_by=row[6],
            role=row[7],
            sources=tuple(ends["subject"].get(row[0], ())),
            targets=tuple(ends["object"].get(row[0], ())),
            inverse_of=row[8],
            flags=frozenset(flag for flag, value in zip(PREDICATE_FLAGS, row[13:], strict=True) if value),
            literal_kind=row[9],
            sentence=row[10],
            has_binding_ends=bool(row[11]),
            is_alias=bool(row[12]),
        )
        for row in rows
    ]


def find_by_label(tx: Tx, kind: str, label_key: str) -> list[int]:
    """The rows of the words that have a label with this key, preferred labels first."""
    return tx.column(
        """
        SELECT term
        FROM vocabulary_label
        WHERE label_key = ? AND kind = ?
        GROUP BY term
        ORDER BY min(CASE status WHEN 'preferred' THEN 0 WHEN 'alternative' THEN 1 ELSE 2 END), term
        """,
        (label_key, kind),
    )


def labels(tx: Tx, kind: str, rows: Sequence[int] | None = None) -> dict[int, list[VocabularyLabel]]:
    """The labels of the words in these rows (None: of all), by row, in the order in which they were given."""
    labels_by_row: dict[int, list[VocabularyLabel]] = defaultdict(list)
    result_rows = tx.conn.execute(
        """
        SELECT kind, term, language, status, label, is_added
        FROM vocabulary_label
        WHERE kind = :kind AND (:rows IS NULL OR term IN (SELECT value FROM json_each(:rows)))
        ORDER BY id
        """,
        {"kind": kind, "rows": None if rows is None else json_array(rows)},
    )
    for row in result_rows:
        labels_by_row[row[1]].append(VocabularyLabel(row[0], row[1], row[2], row[3], row[4], bool(row[5])))
    return dict(labels_by_row)


def label_rows(tx: Tx) -> list[tuple[Any, ...]]:
    """All labels of all words as plain rows, to see whether any has changed: half the time that `labels` takes."""
    return tx.rows("SELECT kind, term, language, status, label, is_added FROM vocabulary_label ORDER BY id")


def details(tx: Tx, kind: str, rows: Sequence[int] | None = None) -> dict[int, dict[str, Any]]:
    """What has no column of the words in these rows (None: of all): examples, notation, URI, alias; by row."""
    result_rows = tx.conn.execute(
        f"""
        SELECT id, details
        FROM {_TABLES[kind]}
        WHERE details <> '{{}}' AND (:rows IS NULL OR id IN (SELECT value FROM json_each(:rows)))
        """,
        {"rows": None if rows is None else json_array(rows)},
    )
    return {row: json.loads(text) for row, text in result_rows}


def set_details(tx: Tx) -> dict[int, dict[str, Any]]:
    """What only people and exports read of the sets, by row; sets without it are left out."""
    rows = tx.conn.execute("SELECT id, details FROM vocabulary_set WHERE details <> '{}'")
    return {row: json.loads(text) for row, text in rows}


def count_uses(tx: Tx, kind: str) -> dict[int, int]:
    """How many entities are of each type, or how many facts that are not retracted have each predicate; by row."""
    return (
        cardinalities.entities_by_type(tx, group=tx.group)
        if kind == ENTITY_TYPE
        else cardinalities.facts_by_predicate(tx)
    )


def is_in_use(tx: Tx, kind: str, row: int) -> bool:
    """Whether an entity, a fact (a retracted one too) or another word refers to a word."""
    query = {
        ENTITY_TYPE: """
            SELECT EXISTS (SELECT 1 FROM entity WHERE type = :row)
                OR EXISTS (SELECT 1 FROM type_parent WHERE parent = :row)
                OR EXISTS (SELECT 1 FROM predicate_end WHERE type = :row)
                OR EXISTS (SELECT 1 FROM entity_type WHERE replaced_by = :row)
        """,
        PREDICATE: """
            SELECT EXISTS (SELECT 1 FROM fact WHERE predicate = :row)
                OR EXISTS (SELECT 1 FROM predicate WHERE :row IN (inverse_of, replaced_by))
        """,
    }[kind]
    return tx.is_true(query, {"row": row})


def used_words(tx: Tx) -> set[tuple[str, int]]:
    """The words that an entity or a fact of any group has, retracted facts too, by kind and row."""
    query = """
        SELECT 'entity_type', id FROM entity_type WHERE EXISTS (SELECT 1 FROM entity WHERE type = entity_type.id)
        UNION ALL
        SELECT 'predicate', id FROM predicate WHERE id IN (SELECT predicate FROM fact)
    """
    return {(kind, row) for kind, row in tx.conn.execute(query)}


def has_entities(tx: Tx, entity_type: int) -> bool:
    """Whether an entity of any group is of exactly this type."""
    return tx.is_true("SELECT EXISTS (SELECT 1 FROM entity WHERE type = ?)", (entity_type,))


def example_uses(tx: Tx, kind: str, row: int, *, limit: int) -> list[str]:
    """The newest entities of a type in the group by their names, or the newest facts of a predicate by their texts."""
    query = {
        ENTITY_TYPE: "SELECT name FROM entity WHERE type = :row AND group_id = :group ORDER BY id DESC LIMIT +:limit",
        PREDICATE: """
            SELECT fact.text
            FROM fact
            JOIN entity ON entity.id = fact.subject
            WHERE fact.predicate = :row AND fact.retracted_at IS NULL AND entity.group_id = :group
            ORDER BY fact.id DESC
            LIMIT +:limit
        """,
    }[kind]
    return [result[0] for result in tx.conn.execute(query, {"row": row, "group": tx.group, "limit": limit})]


def count_patterns(tx: Tx, predicate: int) -> list[tuple[str, str | None, int]]:
    """The types that the facts of a predicate connect, None for a literal, with their counts, most first.

    Retracted facts are not counted.
    """
    return tx.rows(
        """
        SELECT subject_type.name, object_type.name, count(*) AS facts
        FROM fact
        JOIN entity AS subject ON subject.id = fact.subject
        JOIN entity_type AS subject_type ON subject_type.id = subject.type
        LEFT JOIN entity AS object ON object.id = fact.object
        LEFT JOIN entity_type AS object_type ON object_type.id = object.type
        WHERE fact.predicate = ? AND fact.retracted_at IS NULL
        GROUP BY subject.type, object.type
        ORDER BY facts DESC, subject_type.name, object_type.name
        """,
        (predicate,),
    )


# Writing


def insert_set(tx: Tx, *, name: str, version: str, uri: str, added_at: str) -> int:
    """Returns the row of the new set."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO vocabulary_set (id, name, version, uri, added_at)
        VALUES ({journal.unused_row_sql("vocabulary_set")}, ?, ?, ?, ?)
        """,
        (name, version, uri, added_at),
    )
    return int(cursor.lastrowid)


def insert_terms(tx: Tx, kind: str, terms: Sequence[Mapping[str, Any]]) -> None:
    """Add entity types or predicates.

    Args:
        terms: their columns, the same for each: id, name, description, version, vocabulary_set, and others such as
            `style`, `role` or `is_symmetric`; `details` as a dict.
    """
    _insert_rows(tx, _TABLES[kind], [_encoded(values) for values in terms])


def insert_parents(tx: Tx, parents: Iterable[tuple[int, int]]) -> None:
    """Add pairs of types, by row: the second is a parent of the first."""
    _insert_numbered(tx, "type_parent", [{"type": row, "parent": parent} for row, parent in parents])


def insert_disjoint(tx: Tx, pairs: Iterable[tuple[int, int]]) -> None:
    """Add pairs of disjoint types, by row."""
    ordered = sorted({(min(pair), max(pair)) for pair in pairs})
    _insert_numbered(tx, "type_disjoint", [{"type": first, "other": second} for first, second in ordered])


def insert_ends(tx: Tx, ends: Iterable[tuple[int, str, int]]) -> None:
    """Add types at the ends of predicates: row of the predicate, "subject" or "object", row of the type."""
    _insert_numbered(
        tx, "predicate_end", [{"predicate": row, "side": side, "type": type_row} for row, side, type_row in ends]
    )


def insert_labels(tx: Tx, labels: Iterable[tuple[VocabularyLabel, str]]) -> None:
    """Add labels, each with its key; those aside that their word has already."""
    first = journal.unused_row(tx, "vocabulary_label")
    tx.conn.executemany(
        """
        INSERT INTO vocabulary_label (id, kind, term, language, status, label, label_key, is_added)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (term, kind, language, label) DO NOTHING
        """,
        [
            (row, label.kind, label.term, label.language, label.status, label.label, key, int(label.is_added))
            for row, (label, key) in enumerate(labels, first)
        ],
    )


def update_term(tx: Tx, kind: str, row: int, values: Mapping[str, Any]) -> None:
    """Change columns of an entity type or a predicate; `details` is given as a dict."""
    encoded = _encoded(values)
    assignments = ", ".join(f"{column} = ?" for column in encoded)
    tx.conn.execute(f"UPDATE {_TABLES[kind]} SET {assignments} WHERE id = ?", [*encoded.values(), row])


def update_set(tx: Tx, row: int, *, version: str, retired_at: str | None) -> None:
    tx.conn.execute("UPDATE vocabulary_set SET version = ?, retired_at = ? WHERE id = ?", (version, retired_at, row))


def update_set_details(tx: Tx, row: int, details: Mapping[str, Any]) -> None:
    """Replace what only people and exports read of a set."""
    tx.conn.execute(
        "UPDATE vocabulary_set SET details = ? WHERE id = ?",
        (json.dumps(details, ensure_ascii=False, sort_keys=True), row),
    )


def set_parents(tx: Tx, type_row: int, parents: Sequence[int]) -> None:
    """Replace the parents of an entity type."""
    existing = tx.mapping("SELECT parent, id FROM type_parent WHERE type = ?", (type_row,))
    _delete_rows(tx, "type_parent", [row for parent, row in existing.items() if parent not in parents])
    insert_parents(tx, [(type_row, parent) for parent in parents if parent not in existing])


def set_disjoint(tx: Tx, type_row: int, others: Sequence[int]) -> None:
    """Replace the types that an entity type is disjoint with."""
    existing = tx.mapping(
        "SELECT iif(type = :row, other, type), id FROM type_disjoint WHERE :row IN (type, other)",
        {"row": type_row},
    )
    _delete_rows(tx, "type_disjoint", [row for other, row in existing.items() if other not in others])
    insert_disjoint(tx, [(type_row, other) for other in others if other not in existing])


def set_ends(tx: Tx, predicate: int, side: str, types: Sequence[int]) -> None:
    """Replace the entity types at one side of a predicate: "subject" or "object"."""
    existing = tx.mapping("SELECT type, id FROM predicate_end WHERE predicate = ? AND side = ?", (predicate, side))
    _delete_rows(tx, "predicate_end", [row for other, row in existing.items() if other not in types])
    insert_ends(tx, [(predicate, side, other) for other in types if other not in existing])


def delete_labels(tx: Tx, kind: str, term: int, *, labels: Sequence[str] | None = None) -> None:
    """Delete these labels of a word; None for all."""
    tx.conn.execute(
        """
        DELETE FROM vocabulary_label
        WHERE kind = :kind AND term = :term
          AND (:labels IS NULL OR label IN (SELECT value FROM json_each(:labels)))
        """,
        {"kind": kind, "term": term, "labels": None if labels is None else json_array(labels)},
    )


def delete_term(tx: Tx, kind: str, row: int) -> None:
    """Delete a word that nothing refers to, with its labels, parents and ends."""
    delete_labels(tx, kind, row)
    if kind == ENTITY_TYPE:
        set_parents(tx, row, ())
        set_disjoint(tx, row, ())
    else:
        set_ends(tx, row, "subject", ())
        set_ends(tx, row, "object", ())
    tx.conn.execute(f"DELETE FROM {_TABLES[kind]} WHERE id = ?", (row,))


def _encoded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        column: json.dumps(value, ensure_ascii=False, sort_keys=True) if column == "details" else value
        for column, value in values.items()
    }


def _pairs(tx: Tx, query: str) -> dict[int, list[str]]:
    """The second column of a query by its first, in alphabetical order."""
    pairs: dict[int, list[str]] = defaultdict(list)
    for row, name in sorted(tx.conn.execute(query)):
        pairs[row].append(name)
    return pairs


def _insert_numbered(tx: Tx, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with the next free numbers."""
    if rows:
        first = journal.unused_row(tx, table)
        _insert_rows(tx, table, [{"id": number, **values} for number, values in enumerate(rows, first)])


def _insert_rows(tx: Tx, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        columns = list(rows[0])
        tx.conn.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [[values[column] for column in columns] for values in rows],
        )


def _delete_rows(tx: Tx, table: str, rows: Sequence[int]) -> None:
    tx.conn.executemany(f"DELETE FROM {table} WHERE id = ?", [(row,) for row in rows])
