"""SQL for all conflicts of a group: for each rule the facts, or the ends of facts, that it has to examine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.model import Fact
from keepgraph.store import facts, groups
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS, HOLDS
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


def subjects_with_several_objects(
    tx: Tx, predicates: Sequence[int], *, limit: int, literals_only: bool = False
) -> list[tuple[int, int]]:
    """The predicate and the subject, by row, of facts with several objects that certainly hold at the same time."""
    literal = "AND literal IS NOT NULL AND literal GLOB '*[0-9]*'" if literals_only else ""
    return _overlapping(tx, predicates, end="subject", values="object, literal", where=literal, limit=limit)


def objects_with_several_subjects(tx: Tx, predicates: Sequence[int], *, limit: int) -> list[tuple[int, int | str]]:
    """The predicate, by row, and the object, by row or as a literal, of facts with several subjects at one time."""
    entities = _overlapping(tx, predicates, end="object", values="subject", where="AND object IS NOT NULL", limit=limit)
    literals = _overlapping(
        tx, predicates, end="literal", values="subject", where="AND literal IS NOT NULL", limit=limit
    )
    return [*entities, *literals]


def facts_of_subject(tx: Tx, predicate: int, subject: int, *, limit: int) -> list[int]:
    """The unretracted facts of a subject under a predicate, by row, newest first."""
    return tx.column(
        """
        SELECT id FROM fact
        WHERE predicate = :predicate AND subject = :subject AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"predicate": predicate, "subject": subject, "limit": limit},
    )


def facts_of_object(tx: Tx, predicate: int, target: int | str, *, limit: int) -> list[int]:
    """The unretracted facts with an object or a literal under a predicate, by row, newest first."""
    column = "literal" if isinstance(target, str) else "object"
    return tx.column(
        f"""
        SELECT id FROM fact
        WHERE {column} = :target AND {column} IS NOT NULL AND predicate = :predicate AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"predicate": predicate, "target": target, "limit": limit},
    )


def facts_in_both_directions(tx: Tx, predicates: Sequence[int], *, limit: int) -> list[int]:
    """The newer of two facts with swapped ends that certainly hold at the same time, by row."""
    swapped = "other.subject = fact.object AND other.object = fact.subject AND fact.subject < fact.object"
    return _newer_of_two(tx, predicates, swapped, limit=limit)


def facts_with_the_subject_as_object(tx: Tx, predicates: Sequence[int], *, limit: int) -> list[int]:
    """The newer of two facts where the subject of one is the object of the other, whose other ends differ, and
    which certainly hold at the same time, by row."""
    meeting = "other.object = fact.subject AND other.subject <> fact.object"
    return _newer_of_two(tx, predicates, meeting, limit=limit)


def _newer_of_two(tx: Tx, predicates: Sequence[int], ends: str, *, limit: int) -> list[int]:
    """
    Args:
        ends: how the ends of `fact` and `other` meet, in SQL.
    """
    return tx.column(
        f"""
        SELECT DISTINCT max(fact.id, other.id)
        FROM fact
        JOIN fact AS other
          ON {ends} AND other.predicate = fact.predicate AND other.retracted_at IS NULL AND other.object IS NOT NULL
        WHERE fact.predicate IN (SELECT value FROM json_each(:predicates)) AND fact.retracted_at IS NULL
          AND {_BEGINS.format(fact="fact")} < other.valid_to AND {_BEGINS.format(fact="other")} < fact.valid_to
          AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {"predicates": json_array(predicates), "at": tx.at, "group": tx.group, "limit": limit},
    )


def facts_with_one_entity(tx: Tx, predicates: Sequence[int], *, limit: int) -> list[int]:
    """The facts with the same entity at both ends, by row."""
    return tx.column(
        f"""
        SELECT id FROM fact
        WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND subject = object AND retracted_at IS NULL
          AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {"predicates": json_array(predicates), "group": tx.group, "limit": limit},
    )


def pairs_of_predicate(tx: Tx, predicate: int) -> Any:
    """Iterates over the rows of subject and object of the facts of a predicate that hold now."""
    return tx.conn.execute(
        f"""
        SELECT subject, object FROM fact
        WHERE predicate = :predicate AND object IS NOT NULL AND {HOLDS} AND {in_group(tx, "fact")}
        """,
        {"predicate": predicate, "at": tx.at, "group": tx.group},
    )


def fact_between(tx: Tx, subject: int, object: int, *, predicate: int) -> int | None:
    """The newest fact of a predicate that holds now from an entity to another, by row."""
    rows = tx.column(
        f"""
        SELECT id FROM fact
        WHERE subject = :subject AND predicate = :predicate AND object = :object AND object IS NOT NULL
          AND {HOLDS}
        ORDER BY id DESC
        LIMIT 1
        """,
        {"subject": subject, "predicate": predicate, "object": object, "at": tx.at},
    )
    return rows[0] if rows else None


def patterns(tx: Tx, predicates: Sequence[int]) -> list[tuple[int, int, int | None]]:
    """The predicates, subject types and object types, by row, of facts that are not over; None for literals."""
    return tx.rows(
        f"""
        SELECT DISTINCT fact.predicate, s.type, o.type
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate IN (SELECT value FROM json_each(:predicates))
          AND fact.retracted_at IS NULL AND :at < fact.valid_to AND {in_group(tx, "fact")}
        """,
        {"predicates": json_array(predicates), "at": tx.at, "group": tx.group},
    )


def facts_of_pattern(tx: Tx, pattern: tuple[int, int, int | None], *, limit: int) -> list[int]:
    """The facts of a predicate between entities of two types that are not over, by row, newest first."""
    return tx.column(
        f"""
        SELECT fact.id
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate = :predicate AND s.type = :subject_type AND o.type IS :object_type
          AND fact.retracted_at IS NULL AND :at < fact.valid_to AND {in_group(tx, "fact")}
        ORDER BY fact.id DESC
        LIMIT +:limit
        """,
        {
            "predicate": pattern[0],
            "subject_type": pattern[1],
            "object_type": pattern[2],
            "at": tx.at,
            "group": tx.group,
            "limit": limit,
        },
    )


def literals_of(tx: Tx, predicates: Sequence[int]) -> Any:
    """Iterates over the row, the predicate and the literal of the facts of some predicates that are not over."""
    return tx.conn.execute(
        f"""
        SELECT id, predicate, literal FROM fact
        WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND literal IS NOT NULL
          AND retracted_at IS NULL AND :at < valid_to AND {in_group(tx, "fact")}
        """,
        {"predicates": json_array(predicates), "at": tx.at, "group": tx.group},
    )


def facts_recorded_again(tx: Tx, *, limit: int) -> list[int]:
    """The facts recorded after an equal fact for the same time was retracted, by row."""
    columns = "fact.predicate = gone.predicate AND fact.valid_from = gone.valid_from AND fact.valid_to = gone.valid_to"
    return tx.column(
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


def facts_resting_on_ended(tx: Tx, depending: Sequence[int], *, besides: Sequence[int], limit: int) -> list[int]:
    """The facts of predicates that hold now, and whose object no longer has a current fact as subject.

    Args:
        depending: the predicates by which a subject rests on an object, by row.
        besides: the predicates that do not count, by row.
    """
    return tx.column(
        f"""
        SELECT fact.id
        FROM fact
        WHERE fact.predicate IN (SELECT value FROM json_each(:depending)) AND fact.object IS NOT NULL
          AND {FACT_HOLDS}
          AND {in_group(tx, "fact")}
          AND ({_LAST_END.format(subject="fact.object")}) <= :at
        LIMIT +:limit
        """,
        {
            "depending": json_array(depending),
            "besides": json_array(besides),
            "at": tx.at,
            "group": tx.group,
            "limit": limit,
        },
    )


def facts_resting_on_superseded(
    tx: Tx, depending: Sequence[int], *, resolving: Sequence[int], of_types: Sequence[int], limit: int
) -> list[int]:
    """The facts of predicates that hold now, and whose object has been resolved by an entity of some types, by row."""
    return tx.column(
        f"""
        SELECT DISTINCT fact.id
        FROM fact AS resolution
        JOIN entity AS o ON o.id = resolution.object
        JOIN entity AS s ON s.id = resolution.subject
        JOIN fact ON fact.object = resolution.subject AND fact.predicate IN (SELECT value FROM json_each(:depending))
        WHERE resolution.predicate IN (SELECT value FROM json_each(:resolving))
          AND o.type IN (SELECT value FROM json_each(:types)) AND s.type IN (SELECT value FROM json_each(:types))
          AND resolution.retracted_at IS NULL AND resolution.valid_from <= :at AND :at < resolution.valid_to
          AND fact.object IS NOT NULL AND {FACT_HOLDS}
          AND fact.subject <> resolution.object AND {in_group(tx, "fact")}
        LIMIT +:limit
        """,
        {
            "depending": json_array(depending),
            "resolving": json_array(resolving),
            "types": json_array(of_types),
            "at": tx.at,
            "group": tx.group,
            "limit": limit,
        },
    )


def resolutions_of(tx: Tx, entity: int, *, resolving: Sequence[int], of_types: Sequence[int]) -> list[int]:
    """The facts that hold now and say that an entity was resolved by one of some types, by row, newest first."""
    return tx.column(
        f"""
        SELECT fact.id FROM fact JOIN entity AS o ON o.id = fact.object
        WHERE fact.subject = :entity AND fact.object IS NOT NULL
          AND fact.predicate IN (SELECT value FROM json_each(:resolving))
          AND o.type IN (SELECT value FROM json_each(:types))
          AND {FACT_HOLDS}
        ORDER BY fact.id DESC
        LIMIT 5
        """,
        {
            "entity": entity,
            "resolving": json_array(resolving),
            "types": json_array(of_types),
            "at": tx.at,
        },
    )


def decided_names(tx: Tx, predicates: Sequence[int], *, of_types: Sequence[int]) -> list[tuple[int, int, int, str]]:
    """The decisions that facts connect to something: rows of the fact, the other end and the decision, and its name.

    Args:
        predicates: those that connect a decision to who or what decided it, or to what it is a part of.
        of_types: the types of decisions, by row.
    """
    types = "(SELECT value FROM json_each(:types))"
    holds = f"""
        fact.predicate IN (SELECT value FROM json_each(:predicates)) AND fact.object IS NOT NULL
        AND {FACT_HOLDS}
    """
    return tx.rows(
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
            "predicates": json_array(predicates),
            "types": json_array(of_types),
            "at": tx.at,
            "group": tx.group,
        },
    )


def _overlapping(
    tx: Tx, predicates: Sequence[int], *, end: str, values: str, where: str, limit: int
) -> list[tuple[int, Any]]:
    """Predicate and end of facts whose other ends differ, of which one certainly begins before an earlier one ends."""
    differs = " OR ".join(f"min({column}) IS NOT max({column})" for column in values.split(", "))
    differs = f"({differs} OR count(object) NOT IN (0, count(*)))" if ", " in values else differs
    return tx.rows(
        f"""
        WITH several (predicate, end) AS MATERIALIZED (
            SELECT predicate, {end} FROM fact
            WHERE predicate IN (SELECT value FROM json_each(:predicates)) AND retracted_at IS NULL {where}
              AND {in_group(tx, "fact")}
            GROUP BY predicate, {end}
            HAVING count(*) > 1 AND {differs}
        )
        SELECT DISTINCT predicate, end FROM (
            SELECT several.predicate, several.end, {_BEGINS.format(fact="fact")} AS begins,
                   max(CASE WHEN fact.valid_to <> '~' AND {_IS_FOLLOWED.format(fact="fact", end=end)}
                            THEN strftime('%Y-%m-%dT%H:%M:%fZ', fact.valid_to, '-1 day')
                            ELSE fact.valid_to END) OVER (
                       PARTITION BY several.predicate, several.end ORDER BY {_BEGINS.format(fact="fact")}, fact.id
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS latest
            FROM several
            JOIN fact ON fact.{end} = several.end AND fact.predicate = several.predicate
                 AND fact.retracted_at IS NULL {where}
        )
        WHERE begins < latest
        LIMIT +:limit
        """,
        {"predicates": json_array(predicates), "at": tx.at, "group": tx.group, "limit": limit},
    )


def in_group(tx: Tx, fact: str) -> str:
    """The condition that a fact is of the group of the call; without a look-up if that is the only one."""
    if groups.is_only_group(tx):
        return "TRUE"
    return f"(SELECT group_id FROM entity WHERE entity.id = {fact}.subject) = :group"


# SQL for conflicts: facts that the flags of the vocabulary do not allow together.
#
# Two facts conflict only if both certainly hold at the same time. A missing beginning is taken to be the latest
# possible one: now for what still holds, the end for what has ended. So a successor is not taken for a rival,
# nor is a fact that begins on the day up to which the other holds: the two meet on that day.

_OPEN_END = "~"

_BEGINS = """
    CASE WHEN {fact}.valid_from <> '' THEN {fact}.valid_from
         WHEN {fact}.valid_to <= :at THEN {fact}.valid_to
         ELSE :at END
"""

_OVERLAPS = f"""
    :begins < fact.valid_to AND {_BEGINS.format(fact="fact")} < :ends
    AND NOT (fact.valid_to IS :end_of_first_day AND fact.valid_from < :valid_from AND fact.valid_to < :ends)
    AND NOT (fact.valid_from IS :start_of_last_day AND :valid_from < fact.valid_from AND :ends < fact.valid_to)
"""

_IS_FOLLOWED = """
    EXISTS (
        SELECT 1 FROM fact AS following
        WHERE following.{end} = {fact}.{end} AND following.predicate = {fact}.predicate
          AND following.retracted_at IS NULL AND following.valid_from > {fact}.valid_from
          AND following.valid_to > {fact}.valid_to
          AND following.valid_from IN (strftime('%Y-%m-%dT%H:%M:%fZ', {fact}.valid_to, '-24 hours'),
                                       strftime('%Y-%m-%dT%H:%M:%fZ', {fact}.valid_to, '-23 hours'),
                                       strftime('%Y-%m-%dT%H:%M:%fZ', {fact}.valid_to, '-25 hours'))
    )
"""
"""Whether another fact of the same end begins on the last day of one: of 23 to 25 hours, as clocks change."""

_LAST_END = """
    SELECT max(valid_to) FROM (
        SELECT own.valid_to FROM fact AS own
        WHERE own.subject = {subject} AND own.object IS NOT NULL AND own.retracted_at IS NULL
          AND own.predicate NOT IN (SELECT value FROM json_each(:besides))
        UNION ALL
        SELECT own.valid_to FROM fact AS own
        WHERE own.subject = {subject} AND own.literal IS NOT NULL AND own.retracted_at IS NULL
          AND own.predicate NOT IN (SELECT value FROM json_each(:besides))
    )
"""

_MAX_COUNTED = 2000
"""How many facts of a predicate are counted to see what is usual."""

_USUALLY_ONE = f"""(
    SELECT count(*) + 1 >= :least_subjects AND sum(objects = 1) + 1 >= :least_share * (count(*) + 1)
    FROM (
        SELECT count(*) AS objects
        FROM (
            SELECT subject FROM fact
            WHERE predicate = :predicate AND {HOLDS}
              AND subject <> :subject
            LIMIT {_MAX_COUNTED}
        )
        GROUP BY subject
    )
)"""
"""Whether most of the other subjects have one object; this one, which has got another, is assumed to."""

_MAX_OTHERS = 10
"""How many facts in conflict with one are read."""

_MAX_STEPS = 6  # a street, its district, city, region, country, continent
_MAX_READ = 200  # this many facts of a hub are read before the newest are taken


@dataclass(frozen=True, slots=True)
class RetractedTwin:
    """An equal retracted fact: its row, when it was retracted, and by which tool and session, if known."""

    row: int
    retracted_at: str
    tool: str | None
    session: str | None


def signs(tx: Tx, fact: Fact, *, predicate: int, acyclic: bool) -> tuple[bool, bool]:
    """Whether an equal fact was retracted, and whether a path may lead from the object of a fact to its subject.

    One query, since most facts show no sign of either.

    Args:
        acyclic: whether the predicate must not have cycles; if it may, no path is searched.
    """
    if (ahead := facts.in_advance(tx)) and ahead.is_new(facts.triple_of(fact, predicate)):
        subject, _, target = facts.triple_of(fact, predicate)
        leads_nowhere = ahead.is_bare(predicate, target, True) or ahead.is_bare(predicate, subject, False)
        return False, acyclic and not leads_nowhere
    was_retracted, may_lead_back = tx.conn.execute(
        _SIGNS,
        {
            "predicate": predicate,
            "subject": fact.subject.row,
            "object": fact.object.row if fact.object else None,
            "literal": fact.literal,
            "at": tx.at,
            "acyclic": acyclic,
        },
    ).fetchone()
    return bool(was_retracted), bool(may_lead_back)


_SIGNS = f"""
    SELECT EXISTS (
        SELECT 1 FROM fact
        WHERE subject = :subject AND predicate = :predicate AND retracted_at IS NOT NULL
          AND object IS :object AND literal IS :literal
    ), :acyclic AND EXISTS (
        SELECT 1 FROM fact WHERE subject = :object AND predicate = :predicate AND object IS NOT NULL AND {HOLDS}
    ) AND EXISTS (
        SELECT 1 FROM fact WHERE object = :subject AND predicate = :predicate AND object IS NOT NULL AND {HOLDS}
    )
"""


def other_objects(tx: Tx, fact: Fact, *, predicate: int, least_subjects: int = 0, least_share: float = 0) -> list[int]:
    """The facts with the same subject and another object that hold at the same time as this one, by row.

    Args:
        least_subjects, least_share: none are returned if the predicate has fewer subjects, or fewer of them have one
            object now; counted only if there is another object, and among some of the subjects.
    """
    return _newest(
        tx,
        f"""
        SELECT id FROM fact
        WHERE predicate = :predicate AND subject = :subject AND retracted_at IS NULL
          AND (object IS NOT :object OR literal IS NOT :literal) AND id <> :fact AND {_OVERLAPS}
          AND (:least_subjects = 0 OR {_USUALLY_ONE})
        """,
        {**_values(tx, fact, predicate, tx.at), "least_subjects": least_subjects, "least_share": least_share},
    )


def is_usually_one(tx: Tx, predicate: int, *, besides: int, least_subjects: int, least_share: float) -> bool:
    """Whether one object is usual for a predicate, as `other_objects` counts it, leaving one subject out."""
    return tx.is_true(
        f"SELECT {_USUALLY_ONE}",
        {
            "predicate": predicate,
            "subject": besides,
            "at": tx.at,
            "least_subjects": least_subjects,
            "least_share": least_share,
        },
    )


def others_of_either(tx: Tx, fact: Fact, *, predicate: int) -> list[int]:
    """The facts with either end of this one and another entity that hold at the same time as this one, by row."""
    held = f"""
        predicate = :predicate AND retracted_at IS NULL AND id <> :fact AND {_OVERLAPS}
        AND NOT (subject IN (:subject, :object) AND object IN (:subject, :object))
    """
    return _newest(
        tx,
        f"""
        SELECT id FROM fact WHERE subject IN (:subject, :object) AND object IS NOT NULL AND {held}
        UNION
        SELECT id FROM fact WHERE object IN (:subject, :object) AND object IS NOT NULL AND {held}
        """,
        _values(tx, fact, predicate, tx.at),
    )


def other_subjects(tx: Tx, fact: Fact, *, predicate: int) -> list[int]:
    """The facts with the same object and another subject that hold at the same time as this one, by row."""
    end = "object = :object AND object IS NOT NULL" if fact.object else "literal = :literal AND literal IS NOT NULL"
    return _newest(
        tx,
        f"""
        SELECT id FROM fact
        WHERE {end} AND predicate = :predicate AND subject <> :subject AND retracted_at IS NULL
          AND id <> :fact AND {_OVERLAPS}
        """,
        _values(tx, fact, predicate, tx.at),
    )


def reversed_facts(tx: Tx, fact: Fact, *, predicate: int) -> list[int]:
    """The facts with swapped ends that hold at the same time as this one, by row."""
    return _newest(
        tx,
        f"""
        SELECT id FROM fact
        WHERE subject = :object AND predicate = :predicate AND object = :subject AND object IS NOT NULL
          AND retracted_at IS NULL AND id <> :fact AND {_OVERLAPS}
        """,
        _values(tx, fact, predicate, tx.at),
    )


def _newest(tx: Tx, query: str, values: dict[str, Any]) -> list[int]:
    """The newest of the facts that a query selects, by row; of a hub, of the first that it finds."""
    return tx.column(f"SELECT id FROM ({query} LIMIT {_MAX_READ}) ORDER BY id DESC LIMIT {_MAX_OTHERS}", values)


def neighbours_of(
    tx: Tx, entities: Sequence[int], *, predicate: int, outward: bool, limit: int
) -> list[tuple[int, int, int]]:
    """The facts of a predicate that hold now and lead away from entities, or with `outward` false to them.

    A call that records many facts reads those of each entity once.

    Returns:
        Rows of one of the entities, of the entity at the other end, and of the fact; by entity.
    """
    ahead = facts.in_advance(tx)
    read = ahead.neighbours.setdefault((predicate, outward), {}) if ahead else {}
    edges = [edge for entity in entities for edge in read.get(entity, ())]
    if unread := [entity for entity in entities if entity not in read]:
        end, other = ("subject", "object") if outward else ("object", "subject")
        rows = tx.rows(
            f"""
            SELECT {end}, {other}, id FROM fact
            WHERE {end} IN (SELECT value FROM json_each(:entities)) AND predicate = :predicate AND object IS NOT NULL
              AND {HOLDS}
            LIMIT +:limit
            """,
            {"entities": json_array(unread), "predicate": predicate, "at": tx.at, "limit": limit},
        )
        edges += rows
        if len(rows) < limit:
            read.update((entity, []) for entity in unread)
            for edge in rows:
                read[edge[0]].append(edge)
    return sorted(edges, key=itemgetter(0))[:limit]


def read_ahead(
    tx: Tx, triples: Collection[tuple[int, int, int]], *, dependencies: Collection[int], besides: Sequence[int]
) -> None:
    """Ask in three queries what `signs` and `end_of_entity` ask for each of many facts, after `facts.read_ahead`.

    Args:
        triples: rows of subject, predicate and object, of the predicates that must not have cycles.
        dependencies: the entities that must not have ended.
        besides: the predicates that do not count in that, by row.
    """
    ahead = facts.in_advance(tx)
    if ahead is None or not (triples or dependencies):
        return
    for outward, end in ((True, "subject"), (False, "object")):
        ends = {(predicate, target if outward else subject) for subject, predicate, target in triples}
        without = tx.rows(_WITHOUT_EDGE.format(end=end), {"ends": json_array(ends), "at": tx.at})
        ahead.bare.update((predicate, entity, outward) for predicate, entity in without)
    values = {"entities": json_array(dependencies), "besides": json_array(besides), "at": tx.at}
    ahead.bare.update((facts.ANY_PREDICATE, entity, True) for entity in tx.column(_NOT_ENDED, values))


_WITHOUT_EDGE = f"""
    SELECT value ->> 0, value ->> 1 FROM json_each(:ends)
    WHERE NOT EXISTS (
        SELECT 1 FROM fact WHERE {{end}} = value ->> 1 AND predicate = value ->> 0 AND object IS NOT NULL AND {HOLDS}
    )
"""


def retracted_twin(tx: Tx, fact: Fact, *, predicate: int) -> RetractedTwin | None:
    """The last equal fact for the same time that was retracted before this one was recorded.

    For an unrecorded fact (its row is 0), at any time.
    """
    row = tx.conn.execute(
        """
        SELECT id, retracted_at FROM fact
        WHERE subject = :subject AND predicate = :predicate AND retracted_at IS NOT NULL
          AND object IS :object AND literal IS :literal
          AND (:fact = 0 OR (id < :fact AND retracted_at <= :recorded_at
                             AND valid_from = :valid_from AND valid_to = :valid_to))
        ORDER BY retracted_at DESC, id DESC
        LIMIT 1
        """,
        {**_values(tx, fact, predicate, ""), "recorded_at": fact.recorded_at},
    ).fetchone()
    if row is None:
        return None
    call = tx.conn.execute(
        """
        SELECT call.tool, call.session
        FROM journal JOIN call ON call.id = journal.call
        WHERE journal.tbl = 'fact' AND journal.row = ? AND journal.op <> 'insert' AND call.at = ?
        ORDER BY journal.id DESC
        LIMIT 1
        """,
        row,
    ).fetchone()
    return RetractedTwin(row[0], row[1], *(call or (None, None)))


def decisions_with_words(
    tx: Tx, words: Sequence[str], *, predicates: Sequence[int], of_types: Sequence[int], end: int, limit: int
) -> list[tuple[int, int, str]]:
    """The decisions of an entity with some words in their names, among the newest entities with these words.

    Args:
        predicates: those that connect a decision to who or what decided it, or to what it is a part of.
        of_types: the types of decisions, by row.

    Returns:
        The row of the fact, the row of the decision, and its name.
    """
    return tx.rows(
        f"""
        SELECT max(fact.id), decision.id, decision.name
        FROM (
            SELECT rowid / 2 AS id FROM entity_text
            WHERE entity_text MATCH :words AND rowid % 2 = 0 ORDER BY rowid DESC LIMIT +:limit
        ) AS matching
        CROSS JOIN entity AS decision ON decision.id = matching.id
        CROSS JOIN json_each(:predicates) AS wanted
        CROSS JOIN (SELECT 0 AS is_reversed UNION ALL SELECT 1) AS direction
        CROSS JOIN fact
          ON fact.subject = iif(is_reversed, decision.id, :end) AND fact.predicate = wanted.value
             AND fact.object = iif(is_reversed, :end, decision.id)
        WHERE decision.type IN (SELECT value FROM json_each(:types)) AND fact.object IS NOT NULL
          AND {FACT_HOLDS}
        GROUP BY decision.id
        ORDER BY 1 DESC
        """,
        {
            "words": " ".join('"' + word.replace('"', '""') + '"' for word in words),
            "predicates": json_array(predicates),
            "types": json_array(of_types),
            "end": end,
            "at": tx.at,
            "limit": limit,
        },
    )


def end_of_entity(tx: Tx, entity: int, *, besides: Sequence[int]) -> str | None:
    """When the last fact with an entity as subject ended, if there were any and none holds now or later; else None.

    Args:
        besides: the predicates that do not count, by row.
    """
    if (ahead := facts.in_advance(tx)) and ahead.is_bare(facts.ANY_PREDICATE, entity, True):
        return None
    return tx.value(_END_OF_ENTITY, {"entity": entity, "besides": json_array(besides), "at": tx.at})


_IS_OPEN = """EXISTS (
    SELECT 1 FROM fact
    WHERE subject = {entity} AND {end} IS NOT NULL AND retracted_at IS NULL AND valid_to > :at
      AND predicate NOT IN (SELECT value FROM json_each(:besides))
)"""
# Nearly everything has a fact without an end, which is found before all are read.
_END_OF_ENTITY = f"""
    SELECT ({_LAST_END.format(subject=":entity")})
    WHERE NOT {_IS_OPEN.format(entity=":entity", end="object")}
      AND NOT {_IS_OPEN.format(entity=":entity", end="literal")}
"""
_NOT_ENDED = f"""
    SELECT value FROM json_each(:entities)
    WHERE {_IS_OPEN.format(entity="value", end="object")} OR {_IS_OPEN.format(entity="value", end="literal")}
       OR ({_LAST_END.format(subject="value")}) IS NULL
"""


def are_connected(tx: Tx, entity: int, other: int, *, predicates: Sequence[int]) -> bool:
    """Whether facts of these predicates that hold lead from one of two entities to the other, in a few steps."""
    return _leads(tx, entity, other, predicates, tx.at) or _leads(tx, other, entity, predicates, tx.at)


def _leads(tx: Tx, entity: int, other: int, predicates: Sequence[int], at: str) -> bool:
    row = tx.conn.execute(
        f"""
        WITH RECURSIVE way (entity, steps) AS (
            SELECT :entity, 0
            UNION
            SELECT fact.object, way.steps + 1
            FROM way
            CROSS JOIN json_each(:predicates) AS wanted
            CROSS JOIN fact ON fact.subject = way.entity AND fact.predicate = wanted.value
            WHERE fact.object IS NOT NULL AND {FACT_HOLDS} AND way.steps < :steps
            LIMIT +:read
        )
        SELECT 1 FROM way WHERE entity = :other
        LIMIT 1
        """,
        {
            "entity": entity,
            "other": other,
            "predicates": json_array(predicates),
            "at": at,
            "steps": _MAX_STEPS,
            "read": _MAX_READ,
        },
    ).fetchone()
    return row is not None


def _values(tx: Tx, fact: Fact, predicate: int, at: str) -> dict[str, Any]:
    ended = fact.valid_to is not None and fact.valid_to <= at
    return {
        "fact": fact.row,
        "predicate": predicate,
        "subject": fact.subject.row,
        "object": fact.object.row if fact.object else None,
        "literal": fact.literal,
        "valid_from": fact.valid_from or "",
        "valid_to": fact.valid_to or _OPEN_END,
        "begins": fact.valid_from or (fact.valid_to if ended else at),
        "ends": fact.valid_to or _OPEN_END,
        "end_of_first_day": timestamps.end_of_first_day(fact.valid_from, tx.zone) if fact.valid_from else None,
        "start_of_last_day": timestamps.start_of_last_day(fact.valid_to, tx.zone) if fact.valid_to else None,
        "at": at,
    }
