"""SQL for all conflicts of a group: for each rule the facts, or the ends of facts, that it has to look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepgraph.store import groups
from keepgraph.store.conflicts import BEGINS, IS_FOLLOWED, LAST_END
from keepgraph.store.transactions import Tx


def subjects_with_several_objects(
    tx: Tx, predicates: Sequence[int], *, now: str, limit: int, literals_only: bool = False
) -> list[tuple[int, int]]:
    """The predicate and the subject, by row, of facts with several objects that certainly hold at one time."""
    literal = "AND literal IS NOT NULL AND literal GLOB '*[0-9]*'" if literals_only else ""
    return _overlapping(tx, predicates, end="subject", values="object, literal", where=literal, now=now, limit=limit)


def objects_with_several_subjects(
    tx: Tx, predicates: Sequence[int], *, now: str, limit: int
) -> list[tuple[int, int | str]]:
    """The predicate, by row, and the object, by row or as a literal, of facts with several subjects at one time."""
    entities = _overlapping(
        tx, predicates, end="object", values="subject", where="AND object IS NOT NULL", now=now, limit=limit
    )
    literals = _overlapping(
        tx, predicates, end="literal", values="subject", where="AND literal IS NOT NULL", now=now, limit=limit
    )
    return [*entities, *literals]


def facts_of_subject(tx: Tx, predicate: int, subject: int, *, limit: int) -> list[int]:
    """The facts of a subject under a predicate that are not retracted, by row, the newest first."""
    return _rows(
        tx,
        """
        SELECT id FROM fact
        WHERE predicate = :predicate AND subject = :subject AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"predicate": predicate, "subject": subject, "limit": limit},
    )


def facts_of_object(tx: Tx, predicate: int, target: int | str, *, limit: int) -> list[int]:
    """The facts with an object or a literal under a predicate that are not retracted, by row, the newest first."""
    column = "literal" if isinstance(target, str) else "object"
    return _rows(
        tx,
        f"""
        SELECT id FROM fact
        WHERE {column} = :target AND {column} IS NOT NULL AND predicate = :predicate AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"predicate": predicate, "target": target, "limit": limit},
    )


def facts_in_both_directions(tx: Tx, predicates: Sequence[int], *, now: str, limit: int) -> list[int]:
    """The newer one of two facts with exchanged ends that certainly hold at one time, by row."""
    return _rows(
        tx,
        f"""
        SELECT max(fact.id, other.id)
        FROM fact
        JOIN fact AS other
          ON other.subject = fact.object AND other.predicate = fact.predicate AND other.object = fact.subject
             AND other.retracted_at IS NULL AND other.object IS NOT NULL
        WHERE fact.predicate IN (SELECT value FROM json_each(:predicates))
          AND fact.retracted_at IS NULL AND fact.subject < fact.object
          AND {BEGINS.format(fact="fact")} < other.valid_to AND {BEGINS.format(fact="other")} < fact.valid_to
          AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {"predicates": json.dumps(list(predicates)), "now": now, "group": tx.group, "limit": limit},
    )


def facts_with_the_subject_as_object(tx: Tx, predicates: Sequence[int], *, now: str, limit: int) -> list[int]:
    """The newer one of two facts of which the subject of one is the object of the other, whose other ends differ, and
    which certainly hold at one time, by row."""
    return _rows(
        tx,
        f"""
        SELECT DISTINCT max(fact.id, other.id)
        FROM fact
        JOIN fact AS other
          ON other.object = fact.subject AND other.predicate = fact.predicate AND other.subject <> fact.object
             AND other.retracted_at IS NULL AND other.object IS NOT NULL
        WHERE fact.predicate IN (SELECT value FROM json_each(:predicates)) AND fact.retracted_at IS NULL
          AND {BEGINS.format(fact="fact")} < other.valid_to AND {BEGINS.format(fact="other")} < fact.valid_to
          AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {"predicates": json.dumps(list(predicates)), "now": now, "group": tx.group, "limit": limit},
    )


def facts_with_one_entity(tx: Tx, predicates: Sequence[int], *, limit: int) -> list[int]:
    """The facts that have the same entity at both ends, by row."""
    return _rows(
        tx,
        f"""
        SELECT id FROM fact
        WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND subject = object AND retracted_at IS NULL
          AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {"predicates": json.dumps(list(predicates)), "group": tx.group, "limit": limit},
    )


def pairs_of_predicate(tx: Tx, predicate: int, *, now: str) -> Any:
    """Iterates over the rows of subject and object of the facts of a predicate that hold now."""
    return tx.conn.execute(
        f"""
        SELECT subject, object FROM fact
        WHERE predicate = :predicate AND object IS NOT NULL AND retracted_at IS NULL
          AND valid_from <= :now AND :now < valid_to AND {in_group(tx, "fact")}
        """,
        {"predicate": predicate, "now": now, "group": tx.group},
    )


def fact_between(tx: Tx, subject: int, object: int, *, predicate: int, now: str) -> int | None:
    """The newest fact of a predicate that holds now from an entity to another, by row."""
    rows = _rows(
        tx,
        """
        SELECT id FROM fact
        WHERE subject = :subject AND predicate = :predicate AND object = :object AND object IS NOT NULL
          AND retracted_at IS NULL AND valid_from <= :now AND :now < valid_to
        ORDER BY id DESC
        LIMIT 1
        """,
        {"subject": subject, "predicate": predicate, "object": object, "now": now},
    )
    return rows[0] if rows else None


def patterns(tx: Tx, predicates: Sequence[int], *, now: str) -> list[tuple[int, int, int | None]]:
    """The predicates, types of subjects and types of objects, by row, of facts that are not over; None for literals."""
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT fact.predicate, s.type, o.type
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate IN (SELECT value FROM json_each(:predicates))
          AND fact.retracted_at IS NULL AND :now < fact.valid_to AND {in_group(tx, "fact")}
        """,
        {"predicates": json.dumps(list(predicates)), "now": now, "group": tx.group},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def facts_of_pattern(tx: Tx, pattern: tuple[int, int, int | None], *, now: str, limit: int) -> list[int]:
    """The facts of a predicate between entities of two types that are not over, by row, the newest first."""
    return _rows(
        tx,
        f"""
        SELECT fact.id
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate = :predicate AND s.type = :subject_type AND o.type IS :object_type
          AND fact.retracted_at IS NULL AND :now < fact.valid_to AND {in_group(tx, "fact")}
        ORDER BY fact.id DESC
        LIMIT +:limit
        """,
        {
            "predicate": pattern[0],
            "subject_type": pattern[1],
            "object_type": pattern[2],
            "now": now,
            "group": tx.group,
            "limit": limit,
        },
    )


def literals_of(tx: Tx, predicates: Sequence[int], *, now: str) -> Any:
    """Iterates over the row, the predicate and the literal of the facts of some predicates that are not over."""
    return tx.conn.execute(
        f"""
        SELECT id, predicate, literal FROM fact
        WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND literal IS NOT NULL
          AND retracted_at IS NULL AND :now < valid_to AND {in_group(tx, "fact")}
        """,
        {"predicates": json.dumps(list(predicates)), "now": now, "group": tx.group},
    )


def facts_recorded_again(tx: Tx, *, limit: int) -> list[int]:
    """The facts that were recorded after a fact that said the same of the same time was retracted, by row."""
    columns = "fact.predicate = gone.predicate AND fact.valid_from = gone.valid_from AND fact.valid_to = gone.valid_to"
    return _rows(
        tx,
        f"""
        SELECT DISTINCT fact.id
        FROM fact AS gone
        JOIN fact ON fact.subject = gone.subject AND {columns}
             AND fact.object IS gone.object AND fact.literal IS gone.literal
        WHERE gone.retracted_at IS NOT NULL AND fact.retracted_at IS NULL
          AND fact.id > gone.id AND gone.retracted_at <= fact.recorded_at AND {in_group(tx, "fact")}
        ORDER BY fact.id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "limit": limit},
    )


def facts_resting_on_ended(
    tx: Tx, depending: Sequence[int], *, besides: Sequence[int], now: str, limit: int
) -> list[int]:
    """The facts of predicates that hold now, and of whose object nothing that it is the subject of holds any more.

    Args:
        depending: the predicates by which a subject rests on an object, by row.
        besides: the predicates that do not count, by row.
    """
    return _rows(
        tx,
        f"""
        SELECT fact.id
        FROM fact
        WHERE fact.predicate IN (SELECT value FROM json_each(:depending)) AND fact.object IS NOT NULL
          AND fact.retracted_at IS NULL AND fact.valid_from <= :now AND :now < fact.valid_to
          AND {in_group(tx, "fact")}
          AND ({LAST_END.format(subject="fact.object")}) <= :now
        LIMIT +:limit
        """,
        {
            "depending": json.dumps(list(depending)),
            "besides": json.dumps(list(besides)),
            "now": now,
            "group": tx.group,
            "limit": limit,
        },
    )


def facts_resting_on_superseded(
    tx: Tx, depending: Sequence[int], *, resolving: Sequence[int], of_types: Sequence[int], now: str, limit: int
) -> list[int]:
    """The facts of predicates that hold now, and whose object has been resolved by an entity of some types, by row."""
    return _rows(
        tx,
        f"""
        SELECT DISTINCT fact.id
        FROM fact AS resolution
        JOIN entity AS o ON o.id = resolution.object
        JOIN entity AS s ON s.id = resolution.subject
        JOIN fact ON fact.object = resolution.subject AND fact.predicate IN (SELECT value FROM json_each(:depending))
        WHERE resolution.predicate IN (SELECT value FROM json_each(:resolving))
          AND o.type IN (SELECT value FROM json_each(:types)) AND s.type IN (SELECT value FROM json_each(:types))
          AND resolution.retracted_at IS NULL AND resolution.valid_from <= :now AND :now < resolution.valid_to
          AND fact.object IS NOT NULL AND fact.retracted_at IS NULL AND fact.valid_from <= :now AND :now < fact.valid_to
          AND fact.subject <> resolution.object AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {
            "depending": json.dumps(list(depending)),
            "resolving": json.dumps(list(resolving)),
            "types": json.dumps(list(of_types)),
            "now": now,
            "group": tx.group,
            "limit": limit,
        },
    )


def resolutions_of(tx: Tx, entity: int, *, resolving: Sequence[int], of_types: Sequence[int], now: str) -> list[int]:
    """The facts that hold now and say that an entity was resolved by one of some types, by row, the newest first."""
    return _rows(
        tx,
        """
        SELECT fact.id FROM fact JOIN entity AS o ON o.id = fact.object
        WHERE fact.subject = :entity AND fact.object IS NOT NULL
          AND fact.predicate IN (SELECT value FROM json_each(:resolving))
          AND o.type IN (SELECT value FROM json_each(:types))
          AND fact.retracted_at IS NULL AND fact.valid_from <= :now AND :now < fact.valid_to
        ORDER BY fact.id DESC
        LIMIT 5
        """,
        {
            "entity": entity,
            "resolving": json.dumps(list(resolving)),
            "types": json.dumps(list(of_types)),
            "now": now,
        },
    )


def decided_names(
    tx: Tx, predicates: Sequence[int], *, of_types: Sequence[int], now: str
) -> list[tuple[int, int, int, str]]:
    """The decisions that facts tie to something: rows of the fact, of the other end and of the decision, and its name.

    Args:
        predicates: those that tie a decision to who or what decided it, or to what it is a part of.
        of_types: the types of decisions, by row.
    """
    types = "(SELECT value FROM json_each(:types))"
    holds = """
        fact.predicate IN (SELECT value FROM json_each(:predicates)) AND fact.object IS NOT NULL
        AND fact.retracted_at IS NULL AND fact.valid_from <= :now AND :now < fact.valid_to
    """
    rows = tx.conn.execute(
        f"""
        SELECT fact.id, fact.subject, decision.id, decision.name
        FROM fact JOIN entity AS decision ON decision.id = fact.object
        WHERE {holds} AND +decision.type IN {types}
          AND {in_group(tx, "fact")}
        UNION ALL
        SELECT fact.id, fact.object, decision.id, decision.name
        FROM fact JOIN entity AS decision ON decision.id = fact.subject
        WHERE {holds} AND +decision.type IN {types}
          AND {in_group(tx, "fact")}
        ORDER BY 1 DESC
        """,
        {
            "predicates": json.dumps(list(predicates)),
            "types": json.dumps(list(of_types)),
            "now": now,
            "group": tx.group,
        },
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def _overlapping(
    tx: Tx, predicates: Sequence[int], *, end: str, values: str, where: str, now: str, limit: int
) -> list[tuple[int, Any]]:
    """Predicate and end of facts whose other ends differ, of which one certainly begins before an earlier one ends."""
    differs = " OR ".join(f"min({column}) IS NOT max({column})" for column in values.split(", "))
    differs = f"({differs} OR count(object) NOT IN (0, count(*)))" if ", " in values else differs
    rows = tx.conn.execute(
        f"""
        WITH several (predicate, end) AS MATERIALIZED (
            SELECT predicate, {end} FROM fact
            WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND retracted_at IS NULL {where}
              AND {in_group(tx, "fact")}
            GROUP BY predicate, {end}
            HAVING count(*) > 1 AND {differs}
        )
        SELECT DISTINCT predicate, end FROM (
            SELECT several.predicate, several.end, {BEGINS.format(fact="fact")} AS begins,
                   max(CASE WHEN fact.valid_to <> '~' AND {IS_FOLLOWED.format(fact="fact", end=end)}
                            THEN strftime('%Y-%m-%dT%H:%M:%fZ', fact.valid_to, '-1 day')
                            ELSE fact.valid_to END) OVER (
                       PARTITION BY several.predicate, several.end ORDER BY {BEGINS.format(fact="fact")}, fact.id
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS latest
            FROM several
            JOIN fact ON fact.{end} = several.end AND fact.predicate = several.predicate
                 AND fact.retracted_at IS NULL {where}
        )
        WHERE begins < latest
        LIMIT +:limit
        """,
        {"predicates": json.dumps(list(predicates)), "now": now, "group": tx.group, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def in_group(tx: Tx, fact: str) -> str:
    """The condition that a fact is of the group of the call; nothing is looked up where that is the only one."""
    if groups.is_only_group(tx):
        return "TRUE"
    return f"(SELECT group_id FROM entity WHERE entity.id = {fact}.subject) = :group"


def _rows(tx: Tx, query: str, values: dict[str, Any]) -> list[int]:
    return [row[0] for row in tx.conn.execute(query, values)]
