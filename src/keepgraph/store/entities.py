"""SQL for entities, aliases and former ids, and for the identifiers that they have: e-mail addresses, DOIs, URLs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from keepgraph.model import Entity
from keepgraph.store import derived_tables, facts, journal
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import HOLDS, facts_with
from keepgraph.store.transactions import Tx

SELECT_ENTITIES = """
    SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
    FROM entity
    JOIN entity_type ON entity_type.id = entity.type
"""
_MAX_PARAMETERS = 500


def by_id(tx: Tx, public_id: str) -> Entity | None:
    row = tx.conn.execute(
        f"{SELECT_ENTITIES} WHERE entity.public_id = ? AND +entity.group_id = ?", (public_id, tx.group)
    ).fetchone()
    return Entity(*row) if row else None


def by_former_id(tx: Tx, public_id: str) -> Entity | None:
    """The entity that the entity with this id was merged into."""
    query = f"{SELECT_ENTITIES} JOIN former_id ON former_id.entity = entity.id WHERE former_id.public_id = :id"
    values = {"id": public_id, "group": tx.group}
    return next(iter(read_entities(tx, f"{query} AND +entity.group_id = :group", values)), None)


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Entity]:
    """Entities of the group, by their rows."""
    entities: dict[int, Entity] = {}
    for first in range(0, len(rows), _MAX_PARAMETERS):
        batch = rows[first : first + _MAX_PARAMETERS]
        # Placeholders, because they are faster than json_each, and this is called very often.
        placeholders = ", ".join("?" * len(batch))
        rows_found = tx.conn.execute(
            f"{SELECT_ENTITIES} WHERE entity.id IN ({placeholders}) AND +entity.group_id = ?", [*batch, tx.group]
        )
        entities.update((row[0], Entity(*row)) for row in rows_found)
    return entities


def in_order(tx: Tx, rows: Sequence[int]) -> list[Entity]:
    """Entities of the group, in the order of their rows."""
    by_row = by_rows(tx, rows)
    return [by_row[row] for row in rows]


def names_and_summaries(tx: Tx) -> dict[int, tuple[str, str, str]]:
    """The type, the name and the summary of each entity of the group, by its row."""
    rows = tx.conn.execute(
        """
        SELECT entity.id, entity_type.name, entity.name, entity.summary
        FROM entity JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.group_id = ?
        """,
        (tx.group,),
    )
    return {row: (type_, name, summary) for row, type_, name, summary in rows}


def by_key(tx: Tx, key: str, *, of_types: Collection[str] | None = None) -> list[Entity]:
    """The entities whose name has this key; with `of_types`, only those of exactly these types."""
    if key in _unused(tx):
        return []
    is_of_types, values = _type_condition(of_types)
    return read_entities(
        tx,
        f"""
        {SELECT_ENTITIES}
        WHERE entity.group_id = :group
          AND entity.name_key = :key
          AND {is_of_types}
        ORDER BY entity.id
        """,
        {"group": tx.group, "key": key, **values},
    )


def by_keys(tx: Tx, keys: Sequence[str], *, of_types: Collection[str] | None = None) -> list[Entity]:
    """The entities whose name has one of these keys; with `of_types`, only those of exactly these types."""
    is_of_types, values = _type_condition(of_types)
    return read_entities(
        tx,
        f"""
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM json_each(:keys) AS wanted
        CROSS JOIN entity ON entity.group_id = :group AND entity.name_key = wanted.value
        JOIN entity_type ON entity_type.id = entity.type
        WHERE {is_of_types}
        ORDER BY entity.id
        """,
        {"group": tx.group, "keys": json_array(dict.fromkeys(keys)), **values},
    )


def read_ahead(tx: Tx, keys: Collection[str]) -> list[Entity]:
    """The entities with these keys. A key that no name and no alias has is not looked up again in this transaction."""
    tx.memo["unused", tx.group] = tx.distinct(
        """
        SELECT value FROM json_each(?2)
        WHERE NOT EXISTS (SELECT 1 FROM entity WHERE group_id = ?1 AND name_key = value)
          AND NOT EXISTS (SELECT 1 FROM alias WHERE alias_key = value)
        """,
        (tx.group, json_array(keys)),
    )
    return by_keys(tx, sorted(keys))


def _unused(tx: Tx) -> set[str]:
    """The keys that nothing of the group has, of those read ahead."""
    return tx.memo.setdefault(("unused", tx.group), set())  # type: ignore[no-any-return] # values of any kind


_HOLDS = """(alias.scope = '[]' OR EXISTS (
    SELECT 1 FROM json_each(alias.scope) WHERE value IN (SELECT value FROM json_each(:projects))
))"""


def by_alias_key(tx: Tx, key: str, *, of_types: Collection[str] | None = None) -> list[tuple[Entity, str]]:
    """The entities that have an alias with this key, each with the alias as written."""
    if key in _unused(tx):
        return []
    is_of_types, values = _type_condition(of_types)
    if tx.projects:
        is_of_types += f" AND {_HOLDS}"
        values["projects"] = json_array(tx.projects)
    rows = tx.conn.execute(
        f"""
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at, alias.alias
        FROM alias
        JOIN entity ON entity.id = alias.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE alias.alias_key = :key
          AND +entity.group_id = :group
          AND {is_of_types}
        ORDER BY entity.id
        """,
        {"group": tx.group, "key": key, **values},
    )
    return [(Entity(*row[:5]), row[5]) for row in rows]


def by_trigrams(tx: Tx, match: str, *, of_types: Collection[str] | None, limit: int) -> list[tuple[str, int]]:
    """Folded names and aliases that a trigram query matches, each with the row of its entity."""
    is_of_types, values = _type_condition(of_types)
    return tx.rows(
        f"""
        SELECT coalesce(named.name_folded, alias.alias_folded), coalesce(named.id, alias.entity)
        FROM name_trigram
        LEFT JOIN entity AS named ON name_trigram.rowid % 2 = 0 AND named.id = name_trigram.rowid / 2
        LEFT JOIN alias ON name_trigram.rowid % 2 = 1 AND alias.id = name_trigram.rowid / 2
        WHERE name_trigram MATCH :match
          AND ({of_types is None}
               OR EXISTS (SELECT 1 FROM entity JOIN entity_type ON entity_type.id = entity.type
                          WHERE entity.id = coalesce(named.id, alias.entity) AND {is_of_types}))
        LIMIT +:limit
        """,
        {"match": match, "limit": limit, **values},
    )


def by_initials(tx: Tx, initials: str, *, of_types: Collection[str] | None, limit: int) -> list[tuple[str, int]]:
    """Folded names and aliases of several words with these initials, each with the row of its entity."""
    is_of_types, values = _type_condition(of_types)
    return tx.rows(
        f"""
        SELECT coalesce(named.name_folded, alias.alias_folded), coalesce(named.id, alias.entity)
        FROM name_initials
        LEFT JOIN entity AS named ON name_initials.surface % 2 = 0 AND named.id = name_initials.surface / 2
        LEFT JOIN alias ON name_initials.surface % 2 = 1 AND alias.id = name_initials.surface / 2
        WHERE name_initials.initials = :initials
          AND EXISTS (
              SELECT 1 FROM entity JOIN entity_type ON entity_type.id = entity.type
              WHERE entity.id = coalesce(named.id, alias.entity) AND entity.group_id = :group
                AND {is_of_types}
          )
        ORDER BY name_initials.surface
        LIMIT +:limit
        """,
        {"initials": initials, "group": tx.group, "limit": limit, **values},
    )


def by_letters(tx: Tx, letters: str) -> list[tuple[str, int]]:
    """Folded names and aliases with exactly these letters, whatever their spaces, each with the row of its entity."""
    return tx.rows(
        """
        SELECT name_folded, id FROM entity WHERE replace(name_folded, ' ', '') = :letters
        UNION
        SELECT alias_folded, entity FROM alias WHERE replace(alias_folded, ' ', '') = :letters
        """,
        {"letters": letters},
    )


def by_prefix(tx: Tx, prefix: str, *, of_types: Collection[str] | None, limit: int) -> list[Entity]:
    """Entities whose name has a key with this prefix, by name."""
    is_of_types, values = _type_condition(of_types)
    return read_entities(
        tx,
        f"""
        {SELECT_ENTITIES}
        WHERE entity.group_id = :group
          AND entity.name_key >= :key
          AND entity.name_key < :key || char(1114111)
          AND {is_of_types}
        ORDER BY entity.name_key, entity.id
        LIMIT +:limit
        """,
        {"group": tx.group, "key": prefix, "limit": limit, **values},
    )


def page(tx: Tx, after: int, *, limit: int) -> list[Entity]:
    """The next entities of the group after a row, for paging through all of them."""
    return read_entities(
        tx,
        f"{SELECT_ENTITIES} WHERE entity.id > :row AND +entity.group_id = :group ORDER BY entity.id LIMIT +:limit",
        {"row": after, "group": tx.group, "limit": limit},
    )


def without_facts_since(
    tx: Tx, *, of_types: Collection[str], predicates: Sequence[str], since: str, until: str
) -> list[Entity]:
    """Entities of these types created between two timestamps, without facts of these predicates, holding or not."""
    was_created = "entity.created_at BETWEEN :since AND :until AND (:known IS NULL OR entity.created_at <= :known)"
    has_facts = f"EXISTS ({_facts_of_predicates('retracted_at IS NULL')})"
    values = {"since": since, "until": until}
    return _by_facts(tx, f"{was_created} AND NOT {has_facts}", values, of_types=of_types, predicates=predicates)


def with_facts(tx: Tx, *, of_types: Collection[str], predicates: Sequence[str]) -> list[Entity]:
    """Entities of these types that are an end of a fact of these predicates that holds."""
    return _by_facts(
        tx, f"EXISTS ({_facts_of_predicates(HOLDS)})", {"at": tx.at}, of_types=of_types, predicates=predicates
    )


def _by_facts(
    tx: Tx, is_wanted: str, values: Mapping[str, str], *, of_types: Collection[str], predicates: Sequence[str]
) -> list[Entity]:
    """Entities of these types that meet a condition with `_facts_of_predicates`."""
    is_of_types, types = _type_condition(of_types)
    rows = facts.execute(
        tx,
        f"{SELECT_ENTITIES} WHERE {is_of_types} AND entity.group_id = :group AND {is_wanted} ORDER BY entity.id",
        {**types, **values, "group": tx.group, "words": json_array(predicates)},
    )
    return [Entity(*row) for row in rows]


def _facts_of_predicates(condition: str) -> str:
    """SQL for the facts of the predicates :words that an entity is an end of, and that meet a condition."""
    condition += " AND predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:words)))"
    return facts_with("= entity.id", condition, columns="1", table="FACT_ROWS")


def aliases(tx: Tx, entity: Entity) -> list[str]:
    """The aliases of an entity, oldest first."""
    return tx.column("SELECT alias FROM alias WHERE entity = ? ORDER BY created_at, id", (entity.row,))


def journal_surface(tx: Tx, entity: int, *, key: str | None, former_id: str | None) -> None:
    """Enter this alias or former id unchanged in the journal: the call named the entity by it."""
    tx.conn.execute("UPDATE alias SET created_at = created_at WHERE entity = ? AND alias_key = ?", (entity, key))
    tx.conn.execute(
        "UPDATE former_id SET public_id = public_id WHERE entity = ? AND public_id = ?", (entity, former_id)
    )


def alias_rows(tx: Tx, entity: Entity) -> list[tuple[int, str, str]]:
    """The row, the alias and the timestamp of each alias of an entity."""
    return tx.rows("SELECT id, alias, created_at FROM alias WHERE entity = ? ORDER BY id", (entity.row,))


def insert(tx: Tx, *, public_id: str, type_row: int, name: str, key: str, folded: str, created_at: str) -> int:
    """Insert an entity; returns its row."""
    _unused(tx).discard(key)
    return journal.insert(
        tx,
        "entity",
        f"""
        INSERT INTO entity (id, public_id, group_id, type, name, name_key, name_folded, created_at)
        VALUES (coalesce(?, {journal.unused_row_sql("entity")}), ?, ?, ?, ?, ?, ?, ?)
        """,
        (public_id, tx.group, type_row, name, key, folded, created_at),
    )


def insert_alias(tx: Tx, entity: Entity, *, alias: str, key: str, folded: str, created_at: str) -> None:
    """Insert an alias; nothing changes if the entity has it."""
    _unused(tx).discard(key)
    tx.conn.execute(
        f"""
        INSERT INTO alias (id, entity, alias, alias_key, alias_folded, created_at)
        VALUES ({journal.unused_row_sql("alias")}, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        (entity.row, alias, key, folded, created_at),
    )


def insert_many(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, id, group, row of the type, name, key, folded, summary, properties, created_at."""
    tx.conn.executemany(
        """
        INSERT INTO entity (id, public_id, group_id, type, name, name_key, name_folded, summary, properties, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )


def insert_aliases(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the entity, alias, key, folded, created_at, scope in JSON."""
    tx.conn.executemany(
        """
        INSERT INTO alias (id, entity, alias, alias_key, alias_folded, created_at, scope)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )


def insert_former_ids(tx: Tx, rows: Sequence[tuple[int, str, int]]) -> None:
    """Insert rows of: row, id, row of the entity."""
    tx.conn.executemany("INSERT INTO former_id (id, public_id, entity) VALUES (?, ?, ?)", rows)


def set_particulars(tx: Tx, row: int, *, summary: str, properties: str) -> None:
    tx.conn.execute("UPDATE entity SET summary = ?, properties = ? WHERE id = ?", (summary, properties, row))


def set_name_and_type(tx: Tx, row: int, *, name: str, key: str, folded: str, type_row: int) -> None:
    """In one statement: the name alone, or the type alone, may collide with another entity."""
    tx.conn.execute(
        "UPDATE entity SET name = ?, name_key = ?, name_folded = ?, type = ? WHERE id = ?",
        (name, key, folded, type_row, row),
    )


def move_alias(tx: Tx, source: Entity, target: Entity, key: str) -> None:
    """Move an alias from one entity to another."""
    tx.conn.execute("UPDATE alias SET entity = ? WHERE entity = ? AND alias_key = ?", (target.row, source.row, key))


def delete_alias(tx: Tx, entity: Entity, key: str) -> None:
    tx.conn.execute("DELETE FROM alias WHERE entity = ? AND alias_key = ?", (entity.row, key))


def merge_particulars(tx: Tx, keep: Entity, absorbed: Entity) -> None:
    """Copy the properties that an entity lacks from the absorbed one, and the summary if it has none."""
    tx.conn.execute(
        """
        UPDATE entity
        SET properties = json_patch(other.properties, entity.properties),
            summary = iif(entity.summary = '', other.summary, entity.summary)
        FROM entity AS other
        WHERE entity.id = ? AND other.id = ?
          AND (other.properties <> '{}' OR (entity.summary = '' AND other.summary <> ''))
        """,
        (keep.row, absorbed.row),
    )


def move_former_ids(tx: Tx, keep: Entity, absorbed: Entity) -> None:
    tx.conn.execute("UPDATE former_id SET entity = ? WHERE entity = ?", (keep.row, absorbed.row))


def insert_former_id(tx: Tx, public_id: str, entity: Entity) -> None:
    tx.conn.execute(
        f"""
        INSERT INTO former_id (id, public_id, entity)
        VALUES ({journal.unused_row_sql("former_id")}, ?, ?)
        """,
        (public_id, entity.row),
    )


def has_former_ids(tx: Tx, entity: Entity) -> bool:
    """Whether another entity was merged into this one."""
    return tx.is_true("SELECT EXISTS (SELECT 1 FROM former_id WHERE entity = ?)", (entity.row,))


def delete_names(tx: Tx, entity: Entity) -> None:
    """Delete the aliases and the former ids of an entity."""
    tx.conn.execute("DELETE FROM alias WHERE entity = ?", (entity.row,))
    tx.conn.execute("DELETE FROM former_id WHERE entity = ?", (entity.row,))


def delete(tx: Tx, entity: Entity) -> None:
    """Delete an entity; nothing may refer to it."""
    tx.conn.execute("DELETE FROM entity WHERE id = ?", (entity.row,))


def count_by_type(tx: Tx) -> dict[str, int]:
    """How many entities of the group each type has, by its name; 0 for unused types."""
    return tx.mapping(
        """
        SELECT entity_type.name, coalesce(entity_count.entities, 0)
        FROM entity_type
        LEFT JOIN entity_count ON entity_count.type = entity_type.id AND entity_count.group_id = ?
        ORDER BY entity_type.id
        """,
        (tx.group,),
    )


def _type_condition(of_types: Collection[str] | None) -> tuple[str, dict[str, str]]:
    """The condition in SQL that an entity is of one of these types, with its values; None means any."""
    if of_types is None:
        return "TRUE", {}
    if len(of_types) == 1:
        return "entity_type.name = :type", {"type": next(iter(of_types))}
    # Without an index: the names are found by their keys, and then few have other types.
    return "+entity_type.name IN (SELECT value FROM json_each(:types))", {"types": json_array(sorted(of_types))}


def read_entities(tx: Tx, query: str, values: dict[str, Any]) -> list[Entity]:
    return [Entity(*row) for row in tx.conn.execute(query, values)]


# SQL for the assumed types of entities whose type nobody gave.


def among(tx: Tx, entities: Collection[int]) -> set[int]:
    """Of these entities, by row, those whose type is assumed."""
    return tx.distinct(
        "SELECT id FROM assumed_type WHERE id IN (SELECT value FROM json_each(?))", (json_array(entities),)
    )


def with_property(tx: Tx, name: str) -> list[tuple[str, int, str]]:
    """The entities of all groups with an assumed type and a property with a text: group, row and text."""
    rows = tx.conn.execute(
        """
        SELECT entity.group_id, entity.id, json_extract(entity.properties, '$.' || :name)
        FROM assumed_type
        JOIN entity ON entity.id = assumed_type.id
        WHERE json_type(entity.properties, '$.' || :name) = 'text'
        ORDER BY entity.id
        """,
        {"name": name},
    )
    return [(group, row, text) for group, row, text in rows]


def mark(tx: Tx, entities: Collection[int]) -> None:
    """Mark the types of these entities, by row, as assumed."""
    tx.conn.executemany("INSERT INTO assumed_type (id) VALUES (?) ON CONFLICT DO NOTHING", [(row,) for row in entities])


def unmark(tx: Tx, entity: int) -> None:
    """Mark the type of an entity as given."""
    tx.conn.execute("DELETE FROM assumed_type WHERE id = ?", (entity,))


def replace(tx: Tx, entity: int, *, type_row: int, is_assumed: bool) -> None:
    """Change the assumed type of an entity to another, which may also be assumed."""
    tx.conn.execute("UPDATE entity SET type = ? WHERE id = ?", (type_row, entity))
    derived_tables.requeue_aliases(tx, [entity])
    if not is_assumed:
        unmark(tx, entity)


def bearers(tx: Tx, identifier: str) -> list[Entity]:
    """The entities of the group whose name, alias or current literal of a kind for identifiers is exactly this one.

    Args:
        identifier: in its canonical spelling, in lower case.
    """
    return read_entities(
        tx,
        f"""
        {SELECT_ENTITIES}
        WHERE entity.id IN (
                SELECT entity FROM alias WHERE alias_key = :identifier
                UNION ALL
                SELECT id FROM entity WHERE group_id = :group AND name_key = :identifier
                UNION ALL
                SELECT fact.subject
                FROM fact
                JOIN predicate ON predicate.id = fact.predicate
                WHERE fact.literal = :identifier
                  AND fact.retracted_at IS NULL
                  AND fact.valid_to = '~'
                  AND predicate.literal_kind IN ('identifier', 'url')
              )
          AND +entity.group_id = :group
        ORDER BY entity.id
        """,
        {"identifier": identifier, "group": tx.group},
    )


def bearer(tx: Tx, identifier: str, *, of_types: Collection[str] | None) -> Entity | None:
    """The only one of the bearers that has one of these types (None: any type)."""
    fitting = [entity for entity in bearers(tx, identifier) if of_types is None or entity.type in of_types]
    return fitting[0] if len(fitting) == 1 else None


def with_letters(tx: Tx, letters: str, *, limit: int) -> list[tuple[int, str, str]]:
    """Properties and literals of the group that contain these letters, whatever their case, spaces and hyphens.

    Reads every property and every literal, because no index covers parts of them.

    Args:
        letters: in lower case, without spaces and hyphens.

    Returns:
        The row of the entity, the name of the property or predicate, and the text.
    """
    rows = tx.conn.execute(
        f"""
        SELECT entity.id, property.key, property.atom
        FROM entity, json_tree(entity.properties) AS property
        WHERE entity.group_id = :group
          AND entity.properties <> '{{}}'
          AND instr(replace(replace(lower(entity.properties), '-', ''), ' ', ''), :letters)
          AND property.type = 'text'
        UNION ALL
        SELECT * FROM (
            SELECT fact.subject, predicate.name, fact.literal
            FROM {facts.table_as_known(tx)}
            JOIN predicate ON predicate.id = fact.predicate
            JOIN entity ON entity.id = fact.subject
            WHERE fact.literal IS NOT NULL
              AND fact.retracted_at IS NULL
              AND instr(replace(replace(lower(fact.literal), '-', ''), ' ', ''), :letters)
              AND +entity.group_id = :group
        )
        LIMIT +:limit
        """,
        {"letters": letters, "group": tx.group, "limit": limit, "known": tx.known_at},
    )
    return [(row, str(key), text) for row, key, text in rows]
