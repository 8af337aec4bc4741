"""SQL for facts.

A fact "holds" if it is not retracted, and valid at the instant of the call, `tx.at`. Queries over `FACTS` see the
facts as known at `tx.known_at`, if set (ADR 0014).
"""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from keepgraph.lazy import dataclass, replace
from keepgraph.model import Entity, Fact, FactRow, Neighbour
from keepgraph.store import journal, migrations
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS, HOLDS
from keepgraph.store.transactions import Tx

# An open validity is stored as a text that sorts before or after every timestamp (ADR 0003).
_OPEN_START = ""
_OPEN_END = "~"

_SORTED_AT_ONCE = 10
"""The factor by which sorted facts may exceed wanted facts before the index over time is used instead."""

_ENTRIES_LIKE_ONE_ROW = 40
"""How many entries of the index over time are read in the time of looking up one fact by its row number."""

_SELECT = """
    SELECT fact.id, fact.public_id, predicate.name, fact.literal, fact.confidence, fact.recorded_at,
           nullif(fact.valid_from, ''), nullif(fact.valid_to, '~'),
           (SELECT source FROM provenance
            WHERE provenance.fact = fact.id AND source IS NOT NULL
              AND (:known IS NULL OR provenance.recorded_at <= :known)
            ORDER BY provenance.recorded_at, provenance.id LIMIT 1),
           s.id, s.public_id, st.name, s.name, s.created_at,
           o.id, o.public_id, ot.name, o.name, o.created_at, fact.retracted_at, predicate.sentence, fact.scope
    FROM FACT_ROWS
    JOIN predicate ON predicate.id = fact.predicate
    JOIN entity AS s ON s.id = fact.subject
    JOIN entity_type AS st ON st.id = s.type
    LEFT JOIN entity AS o ON o.id = fact.object
    LEFT JOIN entity_type AS ot ON ot.id = o.type
"""

# FACTS and FACT_ROWS are replaced by the table, or by the facts as they were known: see _execute.
_KNOWN_FROM = "iif(known_from = '', recorded_at, known_from)"
_COLUMNS = "fact.id, public_id, subject, predicate, object, literal, text, confidence, recorded_at, fact.scope"
_FACTS_AS_KNOWN = f"""(
    SELECT {_COLUMNS}, valid_from, valid_to, NULL AS retracted_at
    FROM fact
    WHERE retracted_at IS NULL AND {_KNOWN_FROM} <= :known
    UNION ALL
    SELECT {_COLUMNS}, valid_from, valid_to, NULL
    FROM fact
    WHERE retracted_at > :known AND {_KNOWN_FROM} <= :known
    UNION ALL
    SELECT {_COLUMNS}, once.valid_from, once.valid_to, NULL
    FROM earlier_validity AS once CROSS JOIN fact ON fact.id = once.fact
    WHERE once.known_from <= :known AND :known < once.known_to
) AS fact"""

# The same as one SELECT, which SQLite joins like the table: for facts looked up by rows. The one above is scanned
# whole when joined, but finds the facts of an entity by the indexes.
_AS_KNOWN = {"row": "known", "known": ":known"}
_ROWS_AS_KNOWN = f"""(
    SELECT {_COLUMNS.replace("fact.", "known.")},
           {migrations.VALID_FROM_AS_KNOWN.format(**_AS_KNOWN)} AS valid_from,
           {migrations.VALID_TO_AS_KNOWN.format(**_AS_KNOWN)} AS valid_to, NULL AS retracted_at
    FROM fact AS known
    WHERE {migrations.KNOWN_FACT.format(**_AS_KNOWN)}
) AS fact"""


_TOUCHING = migrations.facts_with("= :entity", HOLDS, table="FACTS")
_BEGAN_LATER = migrations.facts_with(
    "= :entity",
    f"""
    {HOLDS} AND valid_from = '' AND recorded_at > :at AND predicate IN (
        SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:begun_when_recorded))
    )
    """,
    table="FACTS",
)
_ELSEWHERE = """
    SELECT id FROM fact
    WHERE scope <> '[]'
      AND NOT EXISTS (SELECT 1 FROM json_each(scope) WHERE value IN (SELECT value FROM json_each(:within)))
"""


def _about(
    entity: Entity, at: str, begun_when_recorded: Sequence[str], within: Collection[str]
) -> tuple[str, dict[str, Any]]:
    """SQL for the rows of the facts about an entity, without those that `about` leaves out, and its values."""
    others = [*([_BEGAN_LATER] if begun_when_recorded else []), *([_ELSEWHERE] if within else [])]
    query = f"SELECT id FROM ({_TOUCHING}) WHERE TRUE" + "".join(f" AND id NOT IN ({other})" for other in others)
    lists = {"begun_when_recorded": json_array(begun_when_recorded), "within": json_array(within)}
    return query, {"entity": entity.row, "at": at, **lists}


def about(
    tx: Tx,
    entity: Entity,
    *,
    at: str,
    limit: int,
    begun_when_recorded: Sequence[str] = (),
    within: Collection[str] = (),
) -> list[Fact]:
    """The facts that hold with an entity as subject or object, newest first.

    Args:
        begun_when_recorded: predicates whose facts without a beginning did not hold before they were recorded.
        within: the ids of projects; facts that hold only in others are left out. Empty: every fact counts.
    """
    selected, values = _about(entity, at, begun_when_recorded, within)
    rows = None if tx.known_at else _newest_candidates(tx, selected, values, limit)
    among = selected if rows is None else "SELECT value FROM json_each(:rows)"
    # Rows are chosen first, so that names and sources are looked up only for these, not for all facts of a hub.
    return _select(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN (
            SELECT id FROM FACT_ROWS WHERE id IN ({among}) ORDER BY recorded_at DESC, id DESC LIMIT +:limit
        )
        ORDER BY fact.recorded_at DESC, fact.id DESC
        """,
        {**values, "limit": limit, "rows": json_array(rows or [])},
    )


def _newest_candidates(tx: Tx, selected: str, values: dict[str, Any], limit: int) -> list[int] | None:
    """Rows with the newest of the selected facts among them; None if sorting all would be faster.

    The newest facts nearly always have the highest row numbers. The index over time shows the exceptions: lower numbers
    that were recorded after the first of them.
    """
    at_once = _SORTED_AT_ONCE * limit
    rows = [row for (row,) in execute(tx, f"{selected} ORDER BY id DESC LIMIT {at_once}", values)]
    if len(rows) < at_once:
        return rows
    del rows[limit:]
    most = _ENTRIES_LIKE_ONE_ROW * int(execute(tx, f"SELECT count(*) FROM ({selected})", values).fetchone()[0])
    since, others = tx.conn.execute(
        """
        SELECT count(*), json_group_array(id) FILTER (WHERE id < :lowest)
        FROM (
            SELECT id FROM fact
            WHERE recorded_at >= (
                SELECT min(recorded_at) FROM fact WHERE id IN (SELECT value FROM json_each(:rows))
            )
            LIMIT +:most
        )
        """,
        {"lowest": rows[-1], "rows": json_array(rows), "most": most},
    ).fetchone()
    if since == most:
        return None
    if others != "[]":
        among = f"SELECT id FROM ({selected}) WHERE id IN (SELECT value FROM json_each(:others))"
        rows += [row for (row,) in execute(tx, among, {**values, "others": others})]
    return rows


def count_about(
    tx: Tx, entity: Entity, *, at: str, begun_when_recorded: Sequence[str] = (), within: Collection[str] = ()
) -> int:
    """How many facts `about` has without a limit."""
    selected, values = _about(entity, at, begun_when_recorded, within)
    return int(execute(tx, f"SELECT count(*) FROM ({selected})", values).fetchone()[0])


def at_other_times(
    tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None = None, by_subject: bool = False
) -> list[tuple[int, bool, int]]:
    """The facts with some entities as subject or object that have ended, or begin later: one for each predicate.

    It is the one that ended last, or begins first; those that ended last, or begin first, come first.

    Args:
        by_subject: one for each subject and predicate; else one for each predicate with them as subjects, and one
            with them as objects.

    Returns:
        The row of the fact, whether it begins later, and how many facts it stands for, itself included.
    """
    other = "retracted_at IS NULL AND (valid_to <= :at OR valid_from > :at)"
    rows = execute(
        tx,
        f"""
        WITH wanted (id) AS (SELECT value FROM json_each(:entities)),
        found AS (
            SELECT id, predicate, iif(:by_subject, subject, -1) AS side, valid_from, valid_to FROM FACTS
            WHERE subject IN wanted AND object IS NOT NULL AND {other}
            UNION
            SELECT id, predicate, iif(:by_subject, subject, -1), valid_from, valid_to FROM FACTS
            WHERE subject IN wanted AND literal IS NOT NULL AND {other}
            UNION
            SELECT id, predicate, iif(:by_subject, subject, -2), valid_from, valid_to FROM FACTS
            WHERE object IN wanted AND object IS NOT NULL AND subject <> object AND {other}
        ), ordered AS (
            SELECT id, valid_from > :at AS is_to_come, valid_from, valid_to,
                   count(*) OVER alike AS facts,
                   row_number() OVER (alike ORDER BY iif(valid_from > :at, '', valid_to) DESC, valid_from, id DESC)
                       AS place
            FROM found
            WHERE :predicates IS NULL OR predicate IN (
                SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates))
            )
            WINDOW alike AS (PARTITION BY predicate, side, valid_from > :at)
        )
        SELECT id, is_to_come, facts FROM ordered
        WHERE place = 1
        ORDER BY is_to_come, iif(is_to_come, '', valid_to) DESC, valid_from, id DESC
        """,
        {
            "entities": json_array(entities),
            "at": tx.at,
            "predicates": None if predicates is None else json_array(predicates),
            "by_subject": by_subject,
        },
    )
    return [(row[0], bool(row[1]), row[2]) for row in rows]


def related(tx: Tx, entity: Entity, *, limit: int) -> list[Neighbour]:
    """The neighbours of an entity, by the number of facts that hold between the two, most first."""
    rows = execute(
        tx,
        f"""
        SELECT shared, entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM (
            SELECT count(*) AS shared, other
            FROM (
                SELECT object AS other FROM FACTS
                WHERE subject = :entity AND object IS NOT NULL AND {HOLDS}
                UNION ALL
                SELECT subject FROM FACTS
                WHERE object = :entity AND object IS NOT NULL AND {HOLDS}
            )
            WHERE other <> :entity
            GROUP BY other
            ORDER BY shared DESC, other
            LIMIT +:limit
        )
        JOIN entity ON entity.id = other
        JOIN entity_type ON entity_type.id = entity.type
        ORDER BY shared DESC, other
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    )
    return [Neighbour(Entity(*row[1:]), row[0]) for row in rows]


def touching(tx: Tx, entity: Entity, predicates: Sequence[str]) -> list[Fact]:
    """The facts of these predicates that hold with an entity as subject or object, oldest first."""
    return _select(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN ({_TOUCHING})
          AND predicate.name IN (SELECT value FROM json_each(:predicates))
        ORDER BY fact.id
        """,
        {"entity": entity.row, "at": tx.at, "predicates": json_array(predicates)},
    )


def recorded_or_valid_between(
    tx: Tx,
    predicates: Sequence[str],
    *,
    with_any_ends: Sequence[str],
    end_types: Collection[str],
    since: str,
    until: str,
) -> list[Fact]:
    """The facts of these predicates that hold, and were recorded or began to hold between two timestamps.

    Args:
        with_any_ends: of the other predicates, only facts with an end of one of the types `end_types`.
    """
    return _select(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN (
              SELECT id FROM fact WHERE recorded_at BETWEEN :since AND :until
              UNION ALL
              SELECT id FROM fact WHERE valid_from BETWEEN :since AND :until AND valid_from <> ''
          )
          AND predicate.name IN (SELECT value FROM json_each(:predicates))
          AND (
              predicate.name IN (SELECT value FROM json_each(:with_any_ends))
              OR st.name IN (SELECT value FROM json_each(:end_types))
              OR ot.name IN (SELECT value FROM json_each(:end_types))
          )
          AND {FACT_HOLDS}
          AND +s.group_id = :group
        ORDER BY fact.id
        """,
        {
            "predicates": json_array(predicates),
            "with_any_ends": json_array(with_any_ends),
            "end_types": json_array(end_types),
            "at": tx.at,
            "since": since,
            "until": until,
            "group": tx.group,
        },
    )


def began(tx: Tx, entities: Sequence[int], predicates: Sequence[str]) -> dict[int, str]:
    """For each entity, when its facts of these predicates first began to hold, or else were first recorded."""
    if not entities:
        return {}
    rows = execute(
        tx,
        f"""
        WITH wanted (id) AS (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
        SELECT entity, coalesce(min(nullif(valid_from, '')), min(recorded_at))
        FROM (
            SELECT subject AS entity, valid_from, recorded_at FROM FACTS
            WHERE subject IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND object IS NOT NULL AND {HOLDS}
            UNION ALL
            SELECT subject, valid_from, recorded_at FROM FACTS
            WHERE subject IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND literal IS NOT NULL AND {HOLDS}
            UNION ALL
            SELECT object, valid_from, recorded_at FROM FACTS
            WHERE object IN (SELECT value FROM json_each(:entities)) AND predicate IN wanted
              AND object IS NOT NULL AND {HOLDS}
        )
        GROUP BY entity
        """,
        {"entities": json_array(entities), "predicates": json_array(predicates), "at": tx.at},
    )
    return dict(rows.fetchall())


_OF_PREDICATES = "predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))"
_ENTITIES = "(SELECT value FROM json_each(:entities))"
_OF_ENTITIES = f"""
    SELECT id FROM fact WHERE {_OF_PREDICATES} AND subject IN {_ENTITIES}
    UNION ALL
    SELECT id FROM fact WHERE {_OF_PREDICATES} AND object IN {_ENTITIES} AND object IS NOT NULL
"""


def rows_of_predicates(
    tx: Tx,
    predicates: Sequence[str],
    *,
    subjects: Collection[int] | None = None,
    among: Collection[int] | None = None,
) -> list[FactRow]:
    """The facts of these predicates that hold in the group, as rows; those without a beginning from when recorded on.

    Args:
        subjects: only those with one of these entities, given by their rows, as subject.
        among: only those with one of these as subject or object.
    """
    selected = f"fact.id IN ({_OF_ENTITIES})" if among is not None else f"fact.{_OF_PREDICATES}"
    if subjects is not None:
        selected += " AND fact.subject IN (SELECT value FROM json_each(:subjects))"
    rows = execute(
        tx,
        f"""
        SELECT fact.id, fact.subject, fact.object, fact.literal, nullif(fact.valid_from, '')
        FROM FACTS
        JOIN entity AS s ON s.id = fact.subject
        WHERE {selected} AND {FACT_HOLDS} AND +s.group_id = :group
          AND (fact.valid_from <> '' OR (SELECT max(recorded_at) FROM fact) <= :at
               OR (SELECT recorded_at FROM fact AS own WHERE own.id = fact.id) <= :at)
        ORDER BY fact.id
        """,
        {
            "predicates": json_array(predicates),
            "at": tx.at,
            "group": tx.group,
            "entities": json_array(among or ()),
            "subjects": json_array(subjects or ()),
        },
    )
    return list(map(FactRow._make, rows))


def recorded_at(tx: Tx, rows: Sequence[int]) -> dict[int, str]:
    """When facts were recorded, by row."""
    return tx.mapping(
        "SELECT id, recorded_at FROM fact WHERE id IN (SELECT value FROM json_each(?))", (json_array(rows),)
    )


def ended_rows_of_predicates(
    tx: Tx, predicates: Sequence[str], *, entities: Collection[int] | None
) -> list[tuple[FactRow, str]]:
    """The facts of these predicates that have ended, each with when it ended and that was known.

    Args:
        entities: only those with one of these entities, given by their rows, as subject or object.
    """
    selected = f"fact.{_OF_PREDICATES}" if entities is None else f"fact.id IN ({_OF_ENTITIES})"
    rows = execute(
        tx,
        f"""
        SELECT fact.id, fact.subject, fact.object, fact.literal, nullif(fact.valid_from, ''),
               max(fact.recorded_at, fact.valid_to, (SELECT known_from FROM fact AS own WHERE own.id = fact.id))
        FROM FACTS
        WHERE {selected} AND fact.retracted_at IS NULL AND fact.valid_to <= :at
        ORDER BY fact.id
        """,
        {"predicates": json_array(predicates), "at": tx.at, "entities": json_array(entities or ())},
    )
    return [(FactRow(*row[:5]), row[5]) for row in rows]


def changed_at(tx: Tx, predicates: Sequence[str], moments: Sequence[str]) -> list[tuple[Fact, Fact]]:
    """The facts of these predicates whose validity was last changed at one of these instants, each as before."""
    rows = tx.conn.execute(
        """
        SELECT fact.id, nullif(once.valid_from, ''), nullif(once.valid_to, '~')
        FROM fact
        JOIN earlier_validity AS once ON once.fact = fact.id AND once.known_to = fact.known_from
        WHERE fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
          AND fact.retracted_at IS NULL
          AND fact.known_from IN (SELECT value FROM json_each(:moments))
        ORDER BY fact.id, once.id
        """,
        {"predicates": json_array(predicates), "moments": json_array(moments)},
    )
    before = {row[0]: row[1:] for row in rows}
    facts = by_rows(tx, list(before))
    return [(fact, replace(fact, valid_from=before[fact.row][0], valid_to=before[fact.row][1])) for fact in facts]


def by_rows(tx: Tx, rows: Sequence[int]) -> list[Fact]:
    """Facts by their rows, in this order."""
    if not rows:
        return []
    facts = _select(tx, f"{_SELECT} WHERE fact.id IN (SELECT value FROM json_each(:rows))", {"rows": json_array(rows)})
    by_row = {fact.row: fact for fact in facts}
    return [by_row[row] for row in rows]


def by_id(tx: Tx, public_id: str) -> Fact | None:
    """The fact of the group with this public id, which may be retracted."""
    facts = _select(
        tx, f"{_SELECT} WHERE fact.public_id = :id AND +s.group_id = :group", {"id": public_id, "group": tx.group}
    )
    return facts[0] if facts else None


# Retracted facts are in other indexes than current ones, and facts with a literal in another one.
WITH_ANY_ENTITY = f"""
    {migrations.facts_with(f"IN {_ENTITIES}", "retracted_at IS NULL")}
    UNION
    SELECT id FROM fact WHERE subject IN {_ENTITIES} AND retracted_at IS NOT NULL
    UNION
    SELECT id FROM fact WHERE object IN {_ENTITIES} AND retracted_at IS NOT NULL
"""
"""The rows of the facts with one of some entities as subject or object, whenever they held."""


def all_about(tx: Tx, entity: Entity) -> list[Fact]:
    """All facts with an entity as subject or object, oldest first; retracted and ended ones too."""
    return _select(
        tx,
        f"{_SELECT} WHERE fact.id IN ({WITH_ANY_ENTITY}) ORDER BY fact.id",
        {"entities": json_array([entity.row])},
    )


def with_phrases(tx: Tx, phrases: Sequence[str], *, limit: int) -> list[Fact]:
    """The facts of the group whose sentence has all of these, each quoted for a full-text query; retracted ones too."""
    return _select(
        tx,
        f"""
        {_SELECT}
        WHERE fact.id IN (SELECT rowid FROM fact_text WHERE fact_text MATCH :match) AND +s.group_id = :group
        ORDER BY fact.id DESC
        LIMIT +:limit
        """,
        {"match": " AND ".join(phrases), "group": tx.group, "limit": limit},
    )


def all_of_predicates(tx: Tx, entity: Entity, predicates: Sequence[str]) -> list[Fact]:
    """The facts of these predicates with an entity as subject or object that are not retracted, oldest first."""
    among = migrations.facts_with("= :entity", f"{_OF_PREDICATES} AND retracted_at IS NULL")
    return _select(
        tx,
        f"{_SELECT} WHERE fact.id IN ({among}) ORDER BY fact.id",
        {"entity": entity.row, "predicates": json_array(predicates)},
    )


def all_of_predicate(tx: Tx, predicate: int) -> list[Fact]:
    """All facts of a predicate, given by its row, of all groups, oldest first; retracted and ended ones too."""
    return _select(tx, f"{_SELECT} WHERE fact.predicate = :predicate ORDER BY fact.id", {"predicate": predicate})


# An assertion that closed a blocker of its subject has resolved that blocker, not the subject.
CLOSED_A_BLOCKER = """
    EXISTS (
        SELECT 1 FROM fact AS blocking
        JOIN earlier_validity ON earlier_validity.fact = blocking.id
        WHERE blocking.subject = fact.subject
          AND blocking.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:blocking)))
          AND earlier_validity.known_to = provenance.recorded_at
    )
"""


def has_resolved(tx: Tx, fact: int, blocking: Sequence[str]) -> bool:
    """Whether an assertion of a resolution was of its subject, and not of a blocker of it (predicates `blocking`)."""
    return tx.is_true(
        f"""
        SELECT EXISTS (
            SELECT 1 FROM fact JOIN provenance ON provenance.fact = fact.id
            WHERE fact.id = :fact AND NOT {CLOSED_A_BLOCKER}
        )
        """,
        {"fact": fact, "blocking": json_array(blocking)},
    )


def tagged(
    tx: Tx,
    tag: str,
    *,
    tagging: Sequence[str],
    resolving: Sequence[str],
    blocking: Sequence[str],
    blocked: Collection[int],
    limit: int = -1,
) -> list[int]:
    """The unresolved entities with a literal tag, whatever separates its words: rows, oldest tag first.

    Args:
        tag: in lower case, its words joined by hyphens.
        tagging: the predicates whose objects are tags.
        resolving: the predicates whose subject is resolved.
        blocking: the predicates whose subject is blocked.
        blocked: the rows of entities that count as unresolved, whatever these predicates say.
    """
    rows = execute(
        tx,
        f"""
        SELECT fact.subject
        FROM json_each(:prefixes) AS prefix
        CROSS JOIN FACT_ROWS
        JOIN entity AS s ON s.id = fact.subject
        WHERE fact.literal >= prefix.value AND fact.literal < prefix.value || char(1114111)
          AND +fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:tagging)))
          AND fact.literal IS NOT NULL
          AND {FACT_HOLDS}
          AND lower(replace(replace(fact.literal, ' ', '-'), '_', '-')) = :tag
          AND +s.group_id = :group
          AND (fact.subject IN (SELECT value FROM json_each(:blocked)) OR NOT EXISTS (
              SELECT 1 FROM FACTS
              JOIN provenance ON provenance.fact = fact.id
              WHERE fact.subject = s.id
                AND fact.predicate IN (
                    SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:resolving))
                )
                AND {FACT_HOLDS}
                AND NOT {CLOSED_A_BLOCKER}
          ))
        ORDER BY fact.id
        LIMIT +:limit
        """,
        {
            "tag": tag,
            # The index of literals tells cases apart.
            "prefixes": json_array([tag[0], tag[0].upper()]),
            "tagging": json_array(tagging),
            "resolving": json_array(resolving),
            "blocking": json_array(blocking),
            "blocked": json_array(blocked),
            "at": tx.at,
            "limit": limit,
            "group": tx.group,
        },
    )
    return list(dict.fromkeys(row for (row,) in rows))


def intervals_of_triple(tx: Tx, fact: Fact, predicate: int) -> list[Fact]:
    """All facts with the same triple that are not retracted, oldest first: one for each validity."""
    triple = triple_of(fact, predicate)
    if (ahead := in_advance(tx)) and ahead.is_new(triple) and triple not in ahead.inserted:
        return []
    column = "object" if fact.object else "literal"
    rows = tx.conn.execute(
        f"""
        SELECT id, public_id, recorded_at, nullif(valid_from, ''), nullif(valid_to, '~'), confidence, scope
        FROM fact
        WHERE subject = ? AND predicate = ? AND {column} = ? AND {column} IS NOT NULL AND retracted_at IS NULL
        ORDER BY id
        """,
        (fact.subject.row, predicate, fact.object.row if fact.object else fact.literal),
    )
    return [
        replace(
            fact,
            row=row[0],
            id=row[1],
            recorded_at=row[2],
            valid_from=row[3],
            valid_to=row[4],
            confidence=row[5],
            scope=_scope(row[6]),
        )
        for row in rows
    ]


def insert(tx: Tx, fact: Fact, *, public_id: str, predicate: int, text: str) -> int:
    """Insert a fact under a new id; returns its row."""
    row = journal.insert(
        tx,
        "fact",
        f"""
        INSERT INTO fact (id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
                          valid_from, valid_to, retracted_at)
        VALUES (coalesce(?, {journal.unused_row_sql("fact")}), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            public_id,
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
    if ahead := in_advance(tx):
        ahead.insert(fact, triple_of(fact, predicate), row)
    return row


_AHEAD = ("facts read in advance",)
ANY_PREDICATE = 0

_Triple: TypeAlias = tuple[int, int, int]
"""The rows of a subject, a predicate and an object, or three other rows."""


@dataclass(slots=True)
class Ahead:
    """What was read in advance for a call that records many facts, and writes them only through this module.

    Attributes:
        new: triples without a fact, even a retracted one.
        first_row: entities from this row on were created by the call.
        inserted: the triples recorded since.
        ends: the entities of the facts recorded since, each with whether it is a subject.
        bare: predicates and entities, each with whether it is a subject, for which there was nothing; see
            group_conflicts.read_ahead.
        neighbours: by predicate and direction, then by entity; see group_conflicts.neighbours_of.
    """

    new: Collection[_Triple]
    first_row: int
    inserted: set[_Triple] = field(default_factory=set)
    ends: set[tuple[int, bool]] = field(default_factory=set)
    neighbours: dict[tuple[int, bool], dict[int, list[_Triple]]] = field(default_factory=dict)
    bare: set[tuple[int, int, bool]] = field(default_factory=set)

    def is_new(self, triple: _Triple) -> bool:
        """Whether a triple had no fact before the call."""
        return triple in self.new or max(triple[0], triple[2]) >= self.first_row

    def is_bare(self, predicate: int, entity: int, is_subject: bool) -> bool:
        """Whether there is still nothing, because the call has created the entity, or that was asked in advance."""
        known = entity >= self.first_row or (predicate, entity, is_subject) in self.bare
        return known and (entity, is_subject) not in self.ends

    def insert(self, fact: Fact, triple: _Triple, row: int) -> None:
        """Add an inserted fact; if others may repeat it at other times, its ends are read again."""
        is_alone = self.is_new(triple) and triple not in self.inserted and not (fact.valid_from or fact.valid_to)
        self.inserted.add(triple)
        subject, predicate, target = triple
        self.ends |= {(subject, True), (target, False)}
        for is_outward, edge in ((True, (subject, target, row)), (False, (target, subject, row))):
            read = self.neighbours.get((predicate, is_outward), {})
            if not is_alone:
                read.pop(edge[0], None)
            elif edge[0] in read:
                insort(read[edge[0]], edge)


def triple_of(fact: Fact, predicate: int) -> _Triple:
    """The triple of a fact; all literals of a subject count as one object."""
    return fact.subject.row, predicate, fact.object.row if fact.object else 0


def read_ahead(tx: Tx, triples: Collection[_Triple]) -> None:
    """Find out in one query which of these triples have a fact."""
    found = tx.rows(
        """
        SELECT fact.subject, fact.predicate, fact.object
        FROM json_each(:triples)
        CROSS JOIN fact INDEXED BY fact_by_predicate
            ON predicate = value ->> 1 AND subject = value ->> 0 AND object = value ->> 2
        """,
        {"triples": json_array(triples)},
    )
    tx.memo[_AHEAD] = Ahead(set(triples).difference(found), journal.unused_row(tx, "entity"))


def in_advance(tx: Tx) -> Ahead | None:
    """What `read_ahead` found, if it was called and only `insert` has changed anything since."""
    return tx.memo.get(_AHEAD)


def insert_many(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, id, subject, predicate, object, literal, text, confidence, recorded_at, valid_from,
    valid_to, retracted_at, known_from, scope, pinned; in row numbers, and None if a validity is open."""
    tx.conn.executemany(
        f"""
        INSERT INTO fact (id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
                          valid_from, valid_to, retracted_at, known_from, scope, pinned)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, '{_OPEN_START}'), coalesce(?, '{_OPEN_END}'), ?, coalesce(?, ''),
                ?, ?)
        """,
        rows,
    )


def insert_earlier_validities(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the fact, valid_from, valid_to, known_from, known_to; None if it is open."""
    tx.conn.executemany(
        f"""
        INSERT INTO earlier_validity (id, fact, valid_from, valid_to, known_from, known_to)
        VALUES (?, ?, coalesce(?, '{_OPEN_START}'), coalesce(?, '{_OPEN_END}'), ?, ?)
        """,
        rows,
    )


def find_duplicate(tx: Tx, fact: Fact) -> Fact | None:
    """Another fact with the same triple and validity that is not retracted."""
    facts = _select(
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
    return facts[0] if facts else None


def set_ends(tx: Tx, fact: Fact, *, text: str) -> None:
    """Update the subject and the object of a fact, and its text."""
    tx.conn.execute(
        "UPDATE fact SET subject = ?, object = ?, text = ? WHERE id = ?",
        (fact.subject.row, fact.object.row if fact.object else None, text, fact.row),
    )


def retract(tx: Tx, fact: Fact) -> None:
    tx.memo.pop(_AHEAD, None)
    tx.conn.execute("UPDATE fact SET retracted_at = ? WHERE id = ?", (tx.at, fact.row))


def change_validity(tx: Tx, fact: Fact, *, valid_from: str | None, valid_to: str | None) -> None:
    """Change the validity of a fact, and store the validity as it was known until now."""
    tx.memo.pop(_AHEAD, None)
    tx.conn.execute(
        f"""
        INSERT INTO earlier_validity (id, fact, valid_from, valid_to, known_from, known_to)
        SELECT {journal.unused_row_sql("earlier_validity")}, id, valid_from, valid_to, {_KNOWN_FROM}, ?
        FROM fact
        WHERE id = ?
        """,
        (tx.at, fact.row),
    )
    tx.conn.execute(
        "UPDATE fact SET valid_from = ?, valid_to = ?, known_from = ? WHERE id = ?",
        (valid_from or _OPEN_START, valid_to or _OPEN_END, tx.at, fact.row),
    )


def delete(tx: Tx, facts: Sequence[Fact]) -> None:
    """Delete facts with their assertions, in three statements: one for each fact would be many times slower.

    Texts that state them do not bring them back.
    """
    rows = json_array([fact.row for fact in facts])
    of_facts = "WHERE fact IN (SELECT value FROM json_each(?))"
    stated = tx.rows(f"DELETE FROM provenance {of_facts} RETURNING episode, statement", (rows,))
    tx.conn.execute(f"DELETE FROM earlier_validity {of_facts}", (rows,))
    tx.conn.execute("DELETE FROM fact WHERE id IN (SELECT value FROM json_each(?))", (rows,))
    if any(statement is not None for _, statement in stated):
        from keepgraph.store import provenance  # few calls need it

        provenance.open_removed(tx, stated)


def count(tx: Tx) -> int:
    """How many facts of the group are not retracted, as triggers keep the counts."""
    return tx.number("SELECT coalesce(sum(facts), 0) FROM fact_count WHERE group_id = ?", (tx.group,))


def last_recorded(tx: Tx) -> str | None:
    """When the newest assertion of any group was recorded."""
    return tx.value("SELECT recorded_at FROM provenance ORDER BY id DESC LIMIT 1")


def _select(tx: Tx, query: str, values: dict[str, Any]) -> list[Fact]:
    return [_fact(row) for row in execute(tx, query, values)]


def execute(tx: Tx, query: str, values: dict[str, Any]) -> Any:
    """Run a query in which FACTS and FACT_ROWS stand for the facts as they are known, or were at tx.known_at."""
    rows = "fact" if tx.known_at is None else _ROWS_AS_KNOWN
    query = query.replace("FACT_ROWS", rows).replace("FACTS", table_as_known(tx))
    return tx.conn.execute(query, {**values, "known": tx.known_at})


def table_as_known(tx: Tx) -> str:
    """The SQL that reads as the table of facts: the table itself, or the facts as they were known at `:known`."""
    return "fact" if tx.known_at is None else _FACTS_AS_KNOWN


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
        predicate_sentence=row[20],
        scope=_scope(row[21]),
    )


def _scope(values: str) -> tuple[str, ...]:
    if values == "[]":
        return ()
    return tuple(json.loads(values))
