"""Neighbourhood: the facts around entities, within some steps; the ends of a traversal; what two entities share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from keepgraph.model import Entity
from keepgraph.store import search_filters
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import FACT_VECTORS
from keepgraph.store.entities import SELECT_ENTITIES, read_entities
from keepgraph.store.facts import execute
from keepgraph.store.migrations import HOLDS, facts_with
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

_OF_THESE = "predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))"
_OF_PREDICATES = f"(:predicates IS NULL OR {_OF_THESE})"
_HOLDS = f"{HOLDS} AND {_OF_PREDICATES}"

_FACTS_OF_ENTITY = facts_with("= :entity", "retracted_at IS NULL", columns="id, recorded_at, valid_from, valid_to")

_HELD_DURING = "(:since IS NULL OR :since < valid_to) AND (:until IS NULL OR valid_from <= :until)"


def neighbours(tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None, limit: int) -> list[int]:
    """The entities at the other ends of the current facts of some, by row number; once for each fact.

    Args:
        predicates: those to follow; None is all.
    """
    rows = execute(
        tx,
        f"""
        SELECT object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND {_HOLDS}
        UNION ALL
        SELECT subject FROM FACTS
        WHERE object IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND {_HOLDS}
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "predicates": _json_or_none(predicates), "at": tx.at, "limit": limit},
    )
    return [row[0] for row in rows]


def by_degree(tx: Tx, entities: Sequence[int], *, limit: int) -> list[tuple[int, int]]:
    """Those of some entities with most facts with others, then by name; row number and degree."""
    rows: list[tuple[int, int]] = execute(
        tx,
        f"""
        SELECT entity.id,
               (SELECT count(*) FROM FACTS WHERE subject = entity.id AND object IS NOT NULL AND {_HOLDS})
               + (SELECT count(*) FROM FACTS WHERE object = entity.id AND object IS NOT NULL AND {_HOLDS}) AS degree
        FROM entity
        WHERE entity.id IN (SELECT value FROM json_each(:entities))
        ORDER BY degree DESC, name_key, entity.id
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "predicates": None, "at": tx.at, "limit": limit},
    ).fetchall()
    return rows


def facts_between(
    tx: Tx,
    entities: Sequence[int],
    others: Sequence[int],
    *,
    predicates: Sequence[str] | None,
    limit: int,
) -> list[tuple[int, int, int]]:
    """The facts that hold between some entities and others, in either direction: rows of fact, subject and object."""
    rows = execute(
        tx,
        f"""
        SELECT id, subject, object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IN (SELECT value FROM json_each(:others))
          AND object IS NOT NULL AND {_HOLDS}
        UNION
        SELECT id, subject, object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:others)) AND object IN (SELECT value FROM json_each(:entities))
          AND object IS NOT NULL AND {_HOLDS}
        LIMIT +:limit
        """,
        {
            "entities": json_array(entities),
            "others": json_array(others),
            "predicates": _json_or_none(predicates),
            "at": tx.at,
            "limit": limit,
        },
    )
    return sorted(tuple(row) for row in rows)


def literal_facts(
    tx: Tx, entity: Entity, *, predicates: Sequence[str] | None, at: str, limit: int
) -> tuple[list[int], int]:
    """The current facts of an entity with a literal, by row number, newest first; and how many there are."""
    rows = execute(
        tx,
        f"""
        SELECT id FROM FACTS
        WHERE subject = :entity AND literal IS NOT NULL AND {_HOLDS}
        ORDER BY recorded_at DESC, id DESC
        """,
        {"entity": entity.row, "predicates": _json_or_none(predicates), "at": at},
    )
    literals = [row[0] for row in rows]
    return literals[:limit], len(literals)


def all_facts(
    tx: Tx, entity: Entity, *, limit: int, offset: int, since: str | None = None, until: str | None = None
) -> list[int]:
    """All unretracted facts of an entity, ended ones too, by row number, newest first.

    Args:
        since, until: timestamps; leave out facts that ended before the one, or began after the other.
    """
    return tx.column(
        f"""
        SELECT id FROM ({_FACTS_OF_ENTITY})
        WHERE {_HELD_DURING}
        ORDER BY recorded_at DESC, id DESC
        LIMIT +:limit OFFSET :offset
        """,
        {"entity": entity.row, "limit": limit, "offset": offset, "since": since, "until": until},
    )


def relations(
    tx: Tx,
    entity: Entity,
    *,
    direction: str,
    predicates: Sequence[str] | None,
    at: str | None,
    limit: int,
    offset: int,
) -> tuple[list[int], int]:
    """The unretracted facts of an entity, by row number, newest first, and how many.

    Args:
        direction: `outgoing` for those with it as subject, `incoming` as object, or `both`.
        at: the timestamp at which they must hold; None is any.
    """
    rows = execute(
        tx,
        f"""
        SELECT id FROM (
            SELECT id, recorded_at, valid_from, valid_to, predicate, retracted_at FROM FACTS
            WHERE :outward AND subject = :entity AND object IS NOT NULL
            UNION
            SELECT id, recorded_at, valid_from, valid_to, predicate, retracted_at FROM FACTS
            WHERE :outward AND subject = :entity AND literal IS NOT NULL
            UNION
            SELECT id, recorded_at, valid_from, valid_to, predicate, retracted_at FROM FACTS
            WHERE :inward AND object = :entity AND object IS NOT NULL
        )
        WHERE retracted_at IS NULL
          AND (:at IS NULL OR valid_from <= :at AND :at < valid_to)
          AND {_OF_PREDICATES}
        ORDER BY recorded_at DESC, id DESC
        """,
        {
            "entity": entity.row,
            "outward": direction != "incoming",
            "inward": direction != "outgoing",
            "at": at,
            "predicates": _json_or_none(predicates),
        },
    )
    facts = [row[0] for row in rows]
    return facts[offset : offset + limit], len(facts)


def count_facts(tx: Tx, entity: Entity, *, since: str | None = None, until: str | None = None) -> int:
    """How many unretracted facts an entity is in, ended ones too; `since` and `until` as in `all_facts`."""
    return tx.number(
        f"SELECT count(*) FROM ({_FACTS_OF_ENTITY}) WHERE {_HELD_DURING}",
        {"entity": entity.row, "since": since, "until": until},
    )


def validity_changes(
    tx: Tx,
    entity: Entity,
    *,
    limit: int,
    newest_first: bool,
    since: str | None = None,
    until: str | None = None,
) -> list[tuple[str, bool, int]]:
    """When the facts of an entity began and ceased to hold: timestamp, whether it ended, and row number of the fact.

    A fact without a beginning began when it was recorded, unless it had ended by then. At one instant, ends precede
    beginnings in time order.

    Args:
        since, until: timestamps; only what happened between them, both included.
    """
    order, reverse = ("DESC", "ASC") if newest_first else ("ASC", "DESC")
    rows = tx.conn.execute(
        f"""
        SELECT at, ended, id FROM (
            SELECT iif(valid_from = '', recorded_at, valid_from) AS at, 0 AS ended, id FROM ({_FACTS_OF_ENTITY})
            WHERE valid_from <> '' OR recorded_at < valid_to
            UNION ALL
            SELECT valid_to, 1, id FROM ({_FACTS_OF_ENTITY}) WHERE valid_to <> '~'
        )
        WHERE (:since IS NULL OR :since <= at) AND (:until IS NULL OR at <= :until)
        ORDER BY at {order}, ended {reverse}, id {order}
        LIMIT +:limit
        """,
        {"entity": entity.row, "limit": limit, "since": since, "until": until},
    )
    return [(at, bool(ended), row) for at, ended, row in rows]


def entities_by_name(tx: Tx, filters: Filters, *, limit: int, offset: int) -> tuple[list[Entity], int]:
    """A page of the entities of the group that pass the filters, by name, and how many there are in all."""
    values = {**filters.values, "group": tx.group, "limit": limit, "offset": offset}
    where = " AND ".join(["entity.group_id = :group", *search_filters.entity_conditions(filters)])
    page = f"{SELECT_ENTITIES} WHERE {where} ORDER BY entity.name_key, entity.type LIMIT +:limit OFFSET :offset"
    return read_entities(tx, page, values), tx.number(f"SELECT count(*) FROM entity WHERE {where}", values)


def _json_or_none(values: Sequence[str] | None) -> str | None:
    return None if values is None else json_array(values)


# SQL for traversals: which entities and facts there are, and where steps lead from many at once.
#
# Rows are given and returned by row number, in order. A step returns two lists of the same length: the positions of
# the rows that it starts from, and the rows that it leads to; one of each for each fact, so that what is reached twice
# comes twice.


def entities(tx: Tx, *, of_types: Sequence[str] | None) -> Iterator[int]:
    """The entities of the group, oldest first; None for those of any type."""
    rows = tx.conn.execute(
        """
        SELECT id FROM entity
        WHERE group_id = :group
          AND (:types IS NULL
               OR type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types))))
        ORDER BY id
        """,
        {"group": tx.group, "types": _json_or_none(of_types)},
    )
    return (row[0] for row in rows)


def current_facts(tx: Tx, *, predicates: Sequence[str] | None) -> Iterator[int]:
    """The facts of the group that hold, oldest first; None for those of any predicate."""
    rows = execute(
        tx,
        f"""
        SELECT fact.id FROM FACTS
        JOIN entity ON entity.id = fact.subject
        WHERE {_HOLDS} AND entity.group_id = :group
        ORDER BY fact.id
        """,
        {"predicates": _json_or_none(predicates), "at": tx.at, "group": tx.group},
    )
    return (row[0] for row in rows)


def facts_of(
    tx: Tx, entities: Sequence[int], *, sides: Sequence[str], predicates: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """The facts that hold with some entities as subject or object, those with literals too; in order of position, fact.

    Args:
        sides: "subject" for the facts with them as subject, "object" as object; with both, each fact once.
    """
    # One SELECT for each of the partial indexes: those of facts with an object, and with a literal.
    kinds = [("subject", "object"), ("subject", "literal"), ("object", "object")]
    return _from_each(tx, entities, [(side, kind, "id") for side, kind in kinds if side in sides], predicates)


def others_of(
    tx: Tx, entities: Sequence[int], *, sides: Sequence[str], predicates: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """The entities at the other ends of the facts of `facts_of`, in the same order."""
    others = {"subject": "object", "object": "subject"}
    return _from_each(tx, entities, [(side, "object", others[side]) for side in sides], predicates)


def _from_each(
    tx: Tx, entities: Sequence[int], selected: Sequence[tuple[str, str, str]], predicates: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """A column of the facts that hold with some entities at a side, and with a value in another column."""
    of_predicates = "TRUE" if predicates is None else _OF_THESE
    selects = [
        f"""
        SELECT given.key AS place, fact.id AS row, fact.{column} AS reached
        FROM json_each(:given) AS given
        CROSS JOIN FACTS
        WHERE fact.{side} = given.value AND fact.{kind} IS NOT NULL AND {HOLDS} AND {of_predicates}
        """
        for side, kind, column in selected
    ]
    values = {"given": json_array(entities), "predicates": _json_or_none(predicates), "at": tx.at}
    # As two texts: a row of Python for each fact would take longer than all else.
    rows = f"{' UNION '.join(selects)} ORDER BY place, row"
    return _pairs(execute(tx, f"SELECT json_group_array(place), json_group_array(reached) FROM ({rows})", values))


def ends_of(
    tx: Tx, given: Sequence[int], *, side: str, predicates: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """The entities at one end of some facts. Literals are left out.

    Args:
        side: "subject" or "object".
        predicates: only of facts of these; None is any.
    """
    rows = tx.conn.execute(
        f"""
        SELECT json_group_array(place), json_group_array(reached)
        FROM (
            SELECT given.key AS place, fact.{side} AS reached
            FROM json_each(:given) AS given
            CROSS JOIN fact
            WHERE fact.id = given.value AND fact.{side} IS NOT NULL AND {_OF_PREDICATES}
            ORDER BY place
        )
        """,
        {"given": json_array(given), "predicates": _json_or_none(predicates)},
    )
    return _pairs(rows)


def with_vectors(tx: Tx, given: Sequence[int]) -> tuple[list[int], list[int]]:
    """Those of some facts whose sentences are embedded."""
    rows = tx.conn.execute(
        f"""
        SELECT json_group_array(place), json_group_array(reached)
        FROM (
            SELECT given.key AS place, given.value AS reached
            FROM json_each(:given) AS given
            CROSS JOIN {FACT_VECTORS.vector_table} AS vector
            WHERE vector.{FACT_VECTORS.key} = given.value
            ORDER BY place
        )
        """,
        {"given": json_array(given)},
    )
    return _pairs(rows)


def _pairs(rows: Iterable[tuple[str, str]]) -> tuple[list[int], list[int]]:
    """What a step leads to: of each pair the position, and the row."""
    ((places, reached),) = rows
    return json.loads(places), json.loads(reached)


def existing_facts(tx: Tx, given: Sequence[int]) -> set[int]:
    """Those of some facts that are still there, and not retracted."""
    return tx.distinct(
        "SELECT id FROM fact WHERE id IN (SELECT value FROM json_each(?)) AND retracted_at IS NULL",
        (json_array(given),),
    )


def degree(tx: Tx, entity: Entity, *, limit: int) -> int:
    """How many facts that hold connect an entity with others, counted up to a limit."""
    return tx.number(
        f"""
        SELECT count(*) FROM (
            SELECT 1 FROM fact
            WHERE subject = :entity AND object IS NOT NULL AND {HOLDS}
            UNION ALL
            SELECT 1 FROM fact
            WHERE object = :entity AND object IS NOT NULL AND {HOLDS}
            LIMIT +:limit
        )
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    )


def connected(tx: Tx, entity: Entity, *, limit: int) -> set[int]:
    """The entities that facts connect with an entity now, by row, up to a limit."""
    return tx.distinct(
        f"""
        SELECT object FROM fact
        WHERE subject = :entity AND object IS NOT NULL AND {HOLDS}
        UNION
        SELECT subject FROM fact
        WHERE object = :entity AND object IS NOT NULL AND {HOLDS}
        LIMIT +:limit
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    ) - {entity.row}


def are_neighbours(tx: Tx, entity: Entity, others: Sequence[int]) -> set[int]:
    """Those of some entities that facts connect with an entity now, by row."""
    return tx.distinct(
        f"""
        SELECT object FROM fact
        WHERE subject = :entity AND object IN (SELECT value FROM json_each(:others)) AND object IS NOT NULL
          AND {HOLDS}
        UNION
        SELECT subject FROM fact
        WHERE object = :entity AND subject IN (SELECT value FROM json_each(:others)) AND object IS NOT NULL
          AND {HOLDS}
        """,
        {"entity": entity.row, "others": json_array(others), "at": tx.at},
    )


def facts_between_two(tx: Tx, entity: Entity, other: Entity, *, limit: int) -> list[int]:
    """The facts between two entities that are not retracted, in either direction, by row, newest first."""
    return tx.column(
        """
        SELECT id FROM fact
        WHERE subject = :entity AND object = :other AND object IS NOT NULL AND retracted_at IS NULL
        UNION
        SELECT id FROM fact
        WHERE subject = :other AND object = :entity AND object IS NOT NULL AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"entity": entity.row, "other": other.row, "limit": limit},
    )


def facts_with_literal(tx: Tx, entity: Entity, literal: str, *, limit: int) -> list[int]:
    """The facts of an entity with a literal that are not retracted, by row, newest first."""
    return tx.column(
        """
        SELECT id FROM fact
        WHERE literal = :literal AND literal IS NOT NULL AND subject = :entity AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"entity": entity.row, "literal": literal, "limit": limit},
    )
