"""Facts and their provenance in the database. Decides nothing.

"Held" in these queries means: not retracted, and valid at a given stamp. Readers who ask what was known once
(tx.known_at) see the facts as they were known then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from keepgraph.model import Entity, Fact, Link, Related
from keepgraph.store import groups, journal
from keepgraph.store.database import Tx

_OPEN_START = ""
_OPEN_END = "~"

_SELECT = """
    SELECT fact.id, fact.public_id, predicate.name, fact.literal, fact.confidence, fact.recorded_at,
           nullif(fact.valid_from, ''), nullif(fact.valid_to, '~'),
           (SELECT source FROM provenance
            WHERE provenance.fact = fact.id AND source IS NOT NULL
              AND (:known IS NULL OR provenance.recorded_at <= :known)
            ORDER BY provenance.recorded_at, provenance.id LIMIT 1),
           s.id, s.public_id, st.name, s.name, s.created_at,
           o.id, o.public_id, ot.name, o.name, o.created_at, fact.retracted_at
    FROM FACTS
    JOIN predicate ON predicate.id = fact.predicate
    JOIN entity AS s ON s.id = fact.subject
    JOIN entity_type AS st ON st.id = s.type
    LEFT JOIN entity AS o ON o.id = fact.object
    LEFT JOIN entity_type AS ot ON ot.id = o.type
"""

# In the place of FACTS stands the table, or what it was once: see _asked.
_SINCE = "iif(known_from = '', recorded_at, known_from)"
_COLUMNS = "fact.id, public_id, subject, predicate, object, literal, text, confidence, recorded_at"
_FACTS_ONCE = f"""(
    SELECT {_COLUMNS}, valid_from, valid_to, NULL AS retracted_at
    FROM fact
    WHERE retracted_at IS NULL AND {_SINCE} <= :known
    UNION ALL
    SELECT {_COLUMNS}, valid_from, valid_to, NULL
    FROM fact
    WHERE retracted_at > :known AND {_SINCE} <= :known
    UNION ALL
    SELECT {_COLUMNS}, once.valid_from, once.valid_to, NULL
    FROM fact JOIN earlier_validity AS once ON once.fact = fact.id
    WHERE once.known_from <= :known AND :known < once.known_to
) AS fact"""

# The rows that touch an entity, from the three indexes that hold them.
_TOUCHING = """
    SELECT id FROM FACTS
    WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
      AND valid_from <= :at AND :at < valid_to
    UNION
    SELECT id FROM FACTS
    WHERE subject = :entity AND literal IS NOT NULL AND retracted_at IS NULL
      AND valid_from <= :at AND :at < valid_to
    UNION
    SELECT id FROM FACTS
    WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL
      AND valid_from <= :at AND :at < valid_to
"""


def about(tx: Tx, entity: Entity, *, at: str, limit: int) -> list[Fact]:
    """What held of an entity, as subject or object, newest first."""
    return _facts(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN ({_TOUCHING})
        ORDER BY fact.recorded_at DESC, fact.id DESC
        LIMIT :limit
        """,
        {"entity": entity.row, "at": at, "limit": limit},
    )


def related(tx: Tx, entity: Entity, *, at: str, limit: int) -> list[Related]:
    """The neighbours of an entity by the number of facts shared, most first. It is not its own neighbour."""
    rows = _asked(
        tx,
        """
        SELECT count(*) AS shared, entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM (
            SELECT object AS other FROM FACTS
            WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
              AND valid_from <= :at AND :at < valid_to
            UNION ALL
            SELECT subject FROM FACTS
            WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL
              AND valid_from <= :at AND :at < valid_to
        )
        JOIN entity ON entity.id = other
        JOIN entity_type ON entity_type.id = entity.type
        WHERE other <> :entity
        GROUP BY other
        ORDER BY shared DESC, other
        LIMIT :limit
        """,
        {"entity": entity.row, "at": at, "limit": limit},
    )
    return [Related(Entity(*row[1:]), row[0]) for row in rows]


def touching(tx: Tx, entity: Entity, predicates: Sequence[str], *, at: str) -> list[Fact]:
    """What held between an entity and anything by these predicates, in the order in which it was recorded."""
    return _facts(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN ({_TOUCHING})
          AND predicate.name IN (SELECT value FROM json_each(:predicates))
        ORDER BY fact.id
        """,
        {"entity": entity.row, "at": at, "predicates": _json(predicates)},
    )


def new_since(tx: Tx, predicates: Sequence[str], *, at: str, since: str) -> list[Fact]:
    """What held by these predicates and was recorded, or began to hold, at a stamp or later."""
    return _facts(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN (
              SELECT id FROM fact WHERE recorded_at >= :since
              UNION ALL
              SELECT id FROM fact WHERE valid_from >= :since AND valid_from <> ''
          )
          AND predicate.name IN (SELECT value FROM json_each(:predicates))
          AND fact.retracted_at IS NULL
          AND fact.valid_from <= :at AND :at < fact.valid_to
          AND +s.group_id = :group
        ORDER BY fact.id
        """,
        {"predicates": _json(predicates), "at": at, "since": since, "group": tx.group},
    )


def begun(tx: Tx, entities: Sequence[int], predicates: Sequence[str], *, at: str) -> dict[int, str]:
    """When the facts by these predicates that touch each entity began to hold, else were first recorded."""
    held = "retracted_at IS NULL AND valid_from <= :at AND :at < valid_to"
    rows = _asked(
        tx,
        f"""
        WITH wanted (id) AS (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
        SELECT entity, coalesce(min(nullif(valid_from, '')), min(recorded_at))
        FROM (
            SELECT subject AS entity, valid_from, recorded_at FROM FACTS
            WHERE subject IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND object IS NOT NULL AND {held}
            UNION ALL
            SELECT subject, valid_from, recorded_at FROM FACTS
            WHERE subject IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND literal IS NOT NULL AND {held}
            UNION ALL
            SELECT object, valid_from, recorded_at FROM FACTS
            WHERE object IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND object IS NOT NULL AND {held}
        )
        GROUP BY entity
        """,
        {"entities": _json(entities), "predicates": _json(predicates), "at": at},
    )
    return dict(rows.fetchall())


def links(tx: Tx, predicate: str, *, at: str, subjects: Sequence[int] | None = None) -> list[Link]:
    """What held by a predicate in the group, bare; with `subjects`, only of these."""
    rows = _asked(
        tx,
        """
        SELECT fact.id, fact.subject, fact.object, fact.literal, fact.recorded_at
        FROM FACTS
        JOIN entity AS s ON s.id = fact.subject
        WHERE fact.predicate = (SELECT id FROM predicate WHERE name = :predicate)
          AND fact.retracted_at IS NULL
          AND fact.valid_from <= :at AND :at < fact.valid_to
          AND (:subjects IS NULL OR fact.subject IN (SELECT value FROM json_each(:subjects)))
          AND +s.group_id = :group
        ORDER BY fact.id
        """,
        {
            "predicate": predicate,
            "at": at,
            "group": tx.group,
            "subjects": None if subjects is None else _json(subjects),
        },
    )
    return [Link(*row) for row in rows]


def by_rows(tx: Tx, rows: Sequence[int]) -> list[Fact]:
    """Facts by their row numbers, in that order."""
    found = _facts(tx, f"{_SELECT} WHERE fact.id IN (SELECT value FROM json_each(:rows))", {"rows": _json(rows)})
    by_row = {fact.row: fact for fact in found}
    return [by_row[row] for row in rows]


def by_id(tx: Tx, public_id: str) -> Fact | None:
    """A fact of the group by its id, a retracted one too."""
    found = _facts(
        tx, f"{_SELECT} WHERE fact.public_id = :id AND +s.group_id = :group", {"id": public_id, "group": tx.group}
    )
    return found[0] if found else None


def every_about(tx: Tx, entity: Entity) -> list[Fact]:
    """Every fact that touches an entity, retracted and ended ones too, in the order in which they came."""
    return _facts(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN (
            SELECT id FROM fact WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
            UNION
            SELECT id FROM fact WHERE subject = :entity AND literal IS NOT NULL AND retracted_at IS NULL
            UNION
            SELECT id FROM fact WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL
            UNION
            SELECT id FROM fact WHERE subject = :entity AND retracted_at IS NOT NULL
            UNION
            SELECT id FROM fact WHERE object = :entity AND retracted_at IS NOT NULL
        )
        ORDER BY fact.id
        """,
        {"entity": entity.row},
    )


def tagged(tx: Tx, tag: str, *, at: str) -> list[Entity]:
    """What carries a literal tag, however its words are divided, and is not resolved; in the order of tagging.

    The tag is given in lower case, its words divided by hyphens.
    """
    rows = _asked(
        tx,
        """
        SELECT s.id, s.public_id, st.name, s.name, s.created_at
        FROM FACTS
        JOIN entity AS s ON s.id = fact.subject
        JOIN entity_type AS st ON st.id = s.type
        WHERE fact.id IN (SELECT rowid FROM fact_text WHERE fact_text MATCH :phrase)
          AND +fact.predicate = (SELECT id FROM predicate WHERE name = 'tagged')
          AND fact.retracted_at IS NULL
          AND fact.literal IS NOT NULL
          AND fact.valid_from <= :at AND :at < fact.valid_to
          AND lower(replace(replace(fact.literal, ' ', '-'), '_', '-')) = :tag
          AND +s.group_id = :group
          AND NOT EXISTS (
              SELECT 1 FROM FACTS
              WHERE fact.subject = s.id
                AND fact.predicate = (SELECT id FROM predicate WHERE name = 'resolved_by')
                AND fact.retracted_at IS NULL
                AND fact.valid_from <= :at AND :at < fact.valid_to
          )
        ORDER BY fact.id
        """,
        {"tag": tag, "phrase": f'"tagged {tag.replace("-", " ")}"', "at": at, "group": tx.group},
    )
    return list(dict.fromkeys(Entity(*row) for row in rows))


def same_triple(tx: Tx, fact: Fact, predicate: int) -> list[Fact]:
    """Every interval of a fact's triple that is not retracted, oldest first."""
    column = "object" if fact.object else "literal"
    rows = tx.conn.execute(
        f"""
        SELECT id, public_id, recorded_at, nullif(valid_from, ''), nullif(valid_to, '~'), confidence
        FROM fact
        WHERE subject = ? AND predicate = ? AND {column} = ? AND {column} IS NOT NULL AND retracted_at IS NULL
        ORDER BY id
        """,
        (fact.subject.row, predicate, fact.object.row if fact.object else fact.literal),
    )
    return [
        replace(fact, row=row[0], id=row[1], recorded_at=row[2], valid_from=row[3], valid_to=row[4], confidence=row[5])
        for row in rows
    ]


def insert(tx: Tx, fact: Fact, *, predicate: int, text: str) -> int:
    """Returns the new row number."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO fact (id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
                          valid_from, valid_to, retracted_at)
        VALUES ({journal.unused_row("fact")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            fact.id,
            fact.subject.row,
            predicate,
            fact.object.row if fact.object else None,
            fact.literal,
            text,
            fact.confidence,
            fact.recorded_at,
            fact.valid_from or _OPEN_START,
            fact.valid_to or _OPEN_END,
            fact.retracted_at,
        ),
    )
    return int(cursor.lastrowid)


def insert_many(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, id, subject, predicate, object, literal, text, confidence, recorded_at, valid_from,
    valid_to, retracted_at, known_from; in row numbers, and None where a validity is open."""
    tx.conn.executemany(
        f"""
        INSERT INTO fact (id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
                          valid_from, valid_to, retracted_at, known_from)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, '{_OPEN_START}'), coalesce(?, '{_OPEN_END}'), ?, coalesce(?, ''))
        """,
        rows,
    )


def insert_earlier(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the fact, valid_from, valid_to, known_from, known_to; None where it is open."""
    tx.conn.executemany(
        f"""
        INSERT INTO earlier_validity (id, fact, valid_from, valid_to, known_from, known_to)
        VALUES (?, ?, coalesce(?, '{_OPEN_START}'), coalesce(?, '{_OPEN_END}'), ?, ?)
        """,
        rows,
    )


def twin(tx: Tx, fact: Fact) -> Fact | None:
    """Another fact, not retracted, that says the same of the same interval."""
    found = _facts(
        tx,
        f"""
        {_SELECT}
        WHERE fact.subject = :subject AND predicate.name = :predicate
          AND fact.object IS :object AND fact.literal IS :literal
          AND (fact.object IS NOT NULL OR fact.literal IS NOT NULL)
          AND fact.valid_from = :valid_from AND fact.valid_to = :valid_to
          AND fact.retracted_at IS NULL AND fact.id <> :fact
        """,
        {
            "fact": fact.row,
            "subject": fact.subject.row,
            "predicate": fact.predicate,
            "object": fact.object.row if fact.object else None,
            "literal": fact.literal,
            "valid_from": fact.valid_from or _OPEN_START,
            "valid_to": fact.valid_to or _OPEN_END,
        },
    )
    return found[0] if found else None


def move(tx: Tx, fact: Fact, *, text: str) -> None:
    """Give a fact its subject and its object as they are given."""
    tx.conn.execute(
        "UPDATE fact SET subject = ?, object = ?, text = ? WHERE id = ?",
        (fact.subject.row, fact.object.row if fact.object else None, text, fact.row),
    )


def retract(tx: Tx, fact: Fact, *, at: str) -> None:
    tx.conn.execute("UPDATE fact SET retracted_at = ? WHERE id = ?", (at, fact.row))


def close(tx: Tx, fact: Fact, *, valid_to: str, now: str) -> None:
    """End the validity of a fact, and keep how it was known until now."""
    tx.conn.execute(
        f"""
        INSERT INTO earlier_validity (id, fact, valid_from, valid_to, known_from, known_to)
        SELECT {journal.unused_row("earlier_validity")}, id, valid_from, valid_to, {_SINCE}, ?
        FROM fact
        WHERE id = ?
        """,
        (now, fact.row),
    )
    tx.conn.execute("UPDATE fact SET valid_to = ?, known_from = ? WHERE id = ?", (valid_to, now, fact.row))


def delete(tx: Tx, fact: Fact) -> None:
    """Delete a fact with every assertion of it."""
    tx.conn.execute("DELETE FROM provenance WHERE fact = ?", (fact.row,))
    tx.conn.execute("DELETE FROM earlier_validity WHERE fact = ?", (fact.row,))
    tx.conn.execute("DELETE FROM fact WHERE id = ?", (fact.row,))


def count_by_pattern(tx: Tx, *, at: str) -> list[tuple[str, str, str, int]]:
    """How many facts held by predicate, type of subject and type of object (or "literal"), most first."""
    rows = tx.conn.execute(
        """
        SELECT predicate.name, st.name, coalesce(ot.name, 'literal'), count(*) AS held
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        JOIN entity_type AS st ON st.id = s.type
        LEFT JOIN entity AS o ON o.id = fact.object
        LEFT JOIN entity_type AS ot ON ot.id = o.type
        WHERE fact.retracted_at IS NULL
          AND fact.valid_from <= :at AND :at < fact.valid_to
          AND +s.group_id = :group
        GROUP BY fact.predicate, s.type, o.type
        ORDER BY held DESC, predicate.id, st.id, ot.id
        """,
        {"at": at, "group": tx.group},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def count(tx: Tx) -> int:
    """How many facts of the group are not retracted."""
    query = "SELECT count(*) FROM fact WHERE fact.retracted_at IS NULL"
    if not groups.alone(tx):
        query += " AND (SELECT group_id FROM entity WHERE entity.id = fact.subject) = :group"
    return int(tx.conn.execute(query, {"group": tx.group}).fetchone()[0])


def last_recorded(tx: Tx) -> str | None:
    """When the newest assertion of any group was recorded."""
    row = tx.conn.execute("SELECT recorded_at FROM provenance ORDER BY id DESC LIMIT 1").fetchone()
    return row[0] if row else None


def _facts(tx: Tx, query: str, values: dict[str, Any]) -> list[Fact]:
    return [_fact(row) for row in _asked(tx, query, values)]


def _asked(tx: Tx, query: str, values: dict[str, Any]) -> Any:
    """Run a query over FACTS: the facts as they are known, or as they were at tx.known_at."""
    return tx.conn.execute(query.replace("FACTS", seen(tx)), {**values, "known": tx.known_at})


def seen(tx: Tx) -> str:
    """What stands for the table of facts in a query: itself, or how it was known at `:known`."""
    return "fact" if tx.known_at is None else _FACTS_ONCE


def _fact(row: tuple[Any, ...]) -> Fact:
    return Fact(
        row=row[0],
        id=row[1],
        subject=Entity(*row[9:14]),
        predicate=row[2],
        object=Entity(*row[14:19]) if row[14] is not None else None,
        literal=row[3],
        confidence=row[4],
        recorded_at=row[5],
        valid_from=row[6],
        valid_to=row[7],
        source=row[8],
        retracted_at=row[19],
    )


def _json(values: Sequence[int] | Sequence[str]) -> str:
    import json

    return json.dumps(list(values))
