"""The graph around an entity in the database: what leads where, what backs a fact, what belongs together.

Decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.model import Entity, Proposal
from keepgraph.store import facts
from keepgraph.store.database import Tx


@dataclass(frozen=True, slots=True)
class Particulars:
    """What there is to say of an entity besides its name and type."""

    group: str
    summary: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Backing:
    """The group of a fact, and the ids of the episodes that it came out of, the oldest assertion first."""

    group: str
    episodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together, as an algorithm has found; `members` is how many."""

    row: int
    id: str
    group: str
    name: str
    summary: str
    created_at: str
    members: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """Where a text speaks of something: the chunk and the episode by their rows, and the place of the words."""

    chunk: int
    episode: int
    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class Named:
    """What a chunk mentions: an entity, or a name that is only proposed."""

    chunk: int
    row: int
    id: str
    name: str
    type: str
    proposed: bool


_HELD = """
    retracted_at IS NULL AND valid_from <= :at AND :at < valid_to
    AND (:predicates IS NULL
         OR predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates))))
"""

# Where texts say what they say of an entity, and of a name that is only proposed.
_SPEAKING = {
    Entity: "SELECT chunk, start, stop FROM mention WHERE entity = :who",
    Proposal: "SELECT chunk, start, stop FROM proposal_evidence WHERE proposal = :who",
}

_TOUCHING = """
    SELECT id, recorded_at, valid_from, valid_to FROM fact
    WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
    UNION
    SELECT id, recorded_at, valid_from, valid_to FROM fact
    WHERE subject = :entity AND literal IS NOT NULL AND retracted_at IS NULL
    UNION
    SELECT id, recorded_at, valid_from, valid_to FROM fact
    WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL
"""


def group_of(tx: Tx, public_id: str) -> str | None:
    """The group of an entity, of one that was merged into another, of a proposal or of a fact, by its id."""
    row = tx.conn.execute(
        """
        SELECT group_id FROM entity WHERE public_id = :id
        UNION ALL
        SELECT group_id FROM former_id JOIN entity ON entity.id = former_id.entity WHERE former_id.public_id = :id
        UNION ALL
        SELECT group_id FROM proposal WHERE public_id = :id
        UNION ALL
        SELECT group_id FROM fact JOIN entity ON entity.id = fact.subject WHERE fact.public_id = :id
        LIMIT 1
        """,
        {"id": public_id},
    ).fetchone()
    return row[0] if row else None


def other_ends(tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None, at: str, limit: int) -> list[int]:
    """What held between these entities and others, as the rows of the others: one for each fact, at most `limit`."""
    rows = _asked(
        tx,
        f"""
        SELECT object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND {_HELD}
        UNION ALL
        SELECT subject FROM FACTS
        WHERE object IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND {_HELD}
        LIMIT :limit
        """,
        {"entities": _json(entities), "predicates": _json_or_none(predicates), "at": at, "limit": limit},
    )
    return [row[0] for row in rows]


def best_connected(tx: Tx, entities: Sequence[int], *, at: str, limit: int) -> list[tuple[int, int]]:
    """Of some entities those in most facts with others, by name where they are in as many; each with its number."""
    rows = _asked(
        tx,
        f"""
        SELECT entity.id,
               (SELECT count(*) FROM FACTS WHERE subject = entity.id AND object IS NOT NULL AND {_HELD})
               + (SELECT count(*) FROM FACTS WHERE object = entity.id AND object IS NOT NULL AND {_HELD}) AS degree
        FROM entity
        WHERE entity.id IN (SELECT value FROM json_each(:entities))
        ORDER BY degree DESC, name_key, entity.id
        LIMIT :limit
        """,
        {"entities": _json(entities), "predicates": None, "at": at, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def between(
    tx: Tx,
    some: Sequence[int],
    others: Sequence[int],
    *,
    predicates: Sequence[str] | None,
    at: str,
    limit: int,
) -> list[tuple[int, int, int]]:
    """What held between some entities and others, in either direction: the rows of fact, subject and object.

    At most `limit` of them.
    """
    rows = _asked(
        tx,
        f"""
        SELECT id, subject, object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:some)) AND object IN (SELECT value FROM json_each(:others))
          AND object IS NOT NULL AND {_HELD}
        UNION
        SELECT id, subject, object FROM FACTS
        WHERE subject IN (SELECT value FROM json_each(:others)) AND object IN (SELECT value FROM json_each(:some))
          AND object IS NOT NULL AND {_HELD}
        LIMIT :limit
        """,
        {
            "some": _json(some),
            "others": _json(others),
            "predicates": _json_or_none(predicates),
            "at": at,
            "limit": limit,
        },
    )
    return sorted(tuple(row) for row in rows)


def literals(tx: Tx, entity: Entity, *, predicates: Sequence[str] | None, at: str, limit: int) -> tuple[list[int], int]:
    """The rows of what held of an entity in so many words, the newest first, and how many there are in all."""
    rows = _asked(
        tx,
        f"""
        SELECT id FROM FACTS
        WHERE subject = :entity AND literal IS NOT NULL AND {_HELD}
        ORDER BY recorded_at DESC, id DESC
        """,
        {"entity": entity.row, "predicates": _json_or_none(predicates), "at": at},
    )
    found = [row[0] for row in rows]
    return found[:limit], len(found)


def every_fact(tx: Tx, entity: Entity, *, limit: int, offset: int) -> list[int]:
    """The rows of all facts that touch an entity and are not retracted, ended ones too, the newest first."""
    rows = tx.conn.execute(
        f"SELECT id FROM ({_TOUCHING}) ORDER BY recorded_at DESC, id DESC LIMIT :limit OFFSET :offset",
        {"entity": entity.row, "limit": limit, "offset": offset},
    )
    return [row[0] for row in rows]


def count_facts(tx: Tx, entity: Entity) -> int:
    """How many facts touch an entity and are not retracted, ended ones too."""
    return int(tx.conn.execute(f"SELECT count(*) FROM ({_TOUCHING})", {"entity": entity.row}).fetchone()[0])


def turns(tx: Tx, entity: Entity, *, limit: int, newest_first: bool) -> list[tuple[str, bool, int]]:
    """When something began or ceased to hold of an entity: the stamp, whether it ended, and the row of the fact.

    What is not said to hold since a stamp began when it was recorded, unless it had ended by then. Of what happened
    at one instant, the end of something comes before the beginning of something else.
    """
    order, other = ("DESC", "ASC") if newest_first else ("ASC", "DESC")
    rows = tx.conn.execute(
        f"""
        SELECT iif(valid_from = '', recorded_at, valid_from) AS at, 0 AS ended, id FROM ({_TOUCHING})
        WHERE valid_from <> '' OR recorded_at < valid_to
        UNION ALL
        SELECT valid_to, 1, id FROM ({_TOUCHING}) WHERE valid_to <> '~'
        ORDER BY at {order}, ended {other}, id {order}
        LIMIT :limit
        """,
        {"entity": entity.row, "limit": limit},
    )
    return [(at, bool(ended), row) for at, ended, row in rows]


def spoken(tx: Tx, who: Entity | Proposal, *, limit: int, offset: int = 0) -> list[Spoken]:
    """Where texts speak of something: the text that came last first, its chunks in their order."""
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, chunk.episode, said.start, said.stop
        FROM ({_SPEAKING[type(who)]}) AS said
        JOIN chunk ON chunk.id = said.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE :known IS NULL OR episode.recorded_at <= :known
        ORDER BY episode.recorded_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT :limit OFFSET :offset
        """,
        {"who": who.row, "limit": limit, "offset": offset, "known": tx.known_at},
    )
    return [Spoken(*row) for row in rows]


def mention_at(tx: Tx, chunk: int, key: str) -> tuple[str, Spoken] | None:
    """What a chunk mentions, as the id of it and the place: by the row of an entity, or by the id of a proposal."""
    row = tx.conn.execute(
        """
        SELECT entity.public_id, chunk.id, chunk.episode, mention.start, mention.stop
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.chunk = :chunk AND CAST(mention.entity AS TEXT) = :key
        UNION ALL
        SELECT proposal.public_id, chunk.id, chunk.episode, seen.start, seen.stop
        FROM proposal_evidence AS seen
        JOIN proposal ON proposal.id = seen.proposal
        JOIN chunk ON chunk.id = seen.chunk
        WHERE seen.chunk = :chunk AND proposal.public_id = :key
        """,
        {"chunk": chunk, "key": key},
    ).fetchone()
    return (row[0], Spoken(*row[1:])) if row else None


def count_spoken(tx: Tx, who: Entity | Proposal) -> int:
    """In how many chunks something is spoken of."""
    row = tx.conn.execute(
        f"""
        SELECT count(*)
        FROM ({_SPEAKING[type(who)]}) AS said
        JOIN chunk ON chunk.id = said.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE :known IS NULL OR episode.recorded_at <= :known
        """,
        {"who": who.row, "known": tx.known_at},
    ).fetchone()
    return int(row[0])


def telling(
    tx: Tx, who: Entity | Proposal, *, until: str | None, limit: int, offset: int = 0, newest_first: bool = False
) -> list[Spoken]:
    """The episodes that speak of something, by the time they tell of: where each does so first.

    Args:
        until: leave out those that tell of a later time than this stamp.
    """
    order = "DESC" if newest_first else "ASC"
    rows = tx.conn.execute(
        f"""
        WITH placed AS (
            SELECT chunk.id AS chunk, chunk.episode AS episode, said.start AS start, said.stop AS stop,
                   row_number() OVER (PARTITION BY chunk.episode ORDER BY chunk.place, chunk.id) AS nth
            FROM ({_SPEAKING[type(who)]}) AS said
            JOIN chunk ON chunk.id = said.chunk
        )
        SELECT placed.chunk, placed.episode, placed.start, placed.stop
        FROM placed JOIN episode ON episode.id = placed.episode
        WHERE nth = 1
          AND (:known IS NULL OR recorded_at <= :known)
          AND (:until IS NULL OR occurred_at <= :until)
        ORDER BY occurred_at {order}, episode.id {order}
        LIMIT :limit OFFSET :offset
        """,
        {"who": who.row, "limit": limit, "offset": offset, "known": tx.known_at, "until": until},
    )
    return [Spoken(*row) for row in rows]


def count_telling(tx: Tx, who: Entity | Proposal, *, until: str | None) -> int:
    """How many episodes speak of something."""
    row = tx.conn.execute(
        f"""
        SELECT count(DISTINCT episode.id)
        FROM ({_SPEAKING[type(who)]}) AS said
        JOIN chunk ON chunk.id = said.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE (:known IS NULL OR recorded_at <= :known) AND (:until IS NULL OR occurred_at <= :until)
        """,
        {"who": who.row, "known": tx.known_at, "until": until},
    ).fetchone()
    return int(row[0])


def named_in(tx: Tx, chunks: Sequence[int]) -> list[Named]:
    """What some chunks mention, by chunk and by the place of the words, names that are only proposed last."""
    rows = tx.conn.execute(
        """
        SELECT mention.chunk, entity.id, entity.public_id, entity.name, entity_type.name, 0, mention.start
        FROM mention
        JOIN entity ON entity.id = mention.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE mention.chunk IN (SELECT value FROM json_each(:chunks))
        UNION ALL
        SELECT seen.chunk, proposal.id, public_id, subject, subject_type, 1, seen.start
        FROM proposal_evidence AS seen
        JOIN proposal ON proposal.id = seen.proposal
        WHERE seen.chunk IN (SELECT value FROM json_each(:chunks)) AND kind = 'entity'
        ORDER BY 1, 6, 7, 2
        """,
        {"chunks": _json(chunks)},
    )
    return [
        Named(chunk, row, public_id, name, kind, bool(proposed))
        for chunk, row, public_id, name, kind, proposed, _ in rows
    ]


def by_name(tx: Tx, *, of_type: str | None, limit: int, offset: int) -> tuple[list[Entity], int]:
    """The entities of the group by name, and how many there are in all."""
    told = {"group": tx.group, "type": of_type, "limit": limit, "offset": offset}
    rows = tx.conn.execute(
        """
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.group_id = :group AND (:type IS NULL OR entity_type.name = :type)
        ORDER BY entity.name_key, entity.type
        LIMIT :limit OFFSET :offset
        """,
        told,
    ).fetchall()
    total = tx.conn.execute(
        """
        SELECT count(*) FROM entity
        WHERE group_id = :group AND (:type IS NULL OR type = (SELECT id FROM entity_type WHERE name = :type))
        """,
        told,
    ).fetchone()
    return [Entity(*row) for row in rows], int(total[0])


def assertions(tx: Tx, fact: int) -> list[tuple[str | None, float, str, str | None, str, str | None]]:
    """Every assertion of a fact, the first one first: source, confidence, stamp, session, tool, id of the episode."""
    rows = tx.conn.execute(
        """
        SELECT provenance.source, provenance.confidence, provenance.recorded_at, provenance.session, provenance.tool,
               episode.public_id
        FROM provenance
        LEFT JOIN episode ON episode.id = provenance.episode
        WHERE provenance.fact = ?
        ORDER BY provenance.recorded_at, provenance.id
        """,
        (fact,),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def particulars(tx: Tx, entities: Sequence[int]) -> dict[int, Particulars]:
    """The particulars of entities by their row numbers, of whatever group."""
    rows = tx.conn.execute(
        """
        SELECT id, group_id, summary, properties
        FROM entity
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        (_json(entities),),
    )
    return {row: Particulars(group, summary, json.loads(properties)) for row, group, summary, properties in rows}


def backing(tx: Tx, facts: Sequence[int]) -> dict[int, Backing]:
    """What is behind facts, by their row numbers; of whatever group."""
    told = {"facts": _json(facts), "known": tx.known_at}
    groups = tx.conn.execute(
        """
        SELECT fact.id, entity.group_id
        FROM fact JOIN entity ON entity.id = fact.subject
        WHERE fact.id IN (SELECT value FROM json_each(:facts))
        """,
        told,
    ).fetchall()
    episodes: dict[int, list[str]] = {}
    for fact, episode in tx.conn.execute(
        """
        SELECT provenance.fact, episode.public_id
        FROM provenance JOIN episode ON episode.id = provenance.episode
        WHERE provenance.fact IN (SELECT value FROM json_each(:facts))
          AND (:known IS NULL OR provenance.recorded_at <= :known)
        ORDER BY provenance.recorded_at, provenance.id
        """,
        told,
    ):
        episodes.setdefault(fact, []).append(episode)
    return {fact: Backing(group, tuple(dict.fromkeys(episodes.get(fact, ())))) for fact, group in groups}


def communities_of(tx: Tx, entities: Sequence[int]) -> dict[int, list[Community]]:
    """The communities that entities belong to, by the row number of the entity and the largest first."""
    found: dict[int, list[Community]] = {}
    for entity, *row in tx.conn.execute(
        """
        SELECT one.entity, community.id, public_id, group_id, name, summary, created_at,
               (SELECT count(*) FROM community_member WHERE community = community.id) AS members
        FROM community_member AS one
        JOIN community ON community.id = one.community
        WHERE one.entity IN (SELECT value FROM json_each(?))
        ORDER BY one.entity, members DESC, community.id
        """,
        (_json(entities),),
    ):
        found.setdefault(entity, []).append(Community(*row))
    return found


def _json(values: Sequence[int] | Sequence[str]) -> str:
    return json.dumps(list(values))


def _json_or_none(values: Sequence[str] | None) -> str | None:
    return None if values is None else _json(values)


def _asked(tx: Tx, query: str, values: dict[str, Any]) -> Any:
    """Run a query over FACTS: the facts as they are known, or as they were at tx.known_at."""
    return tx.conn.execute(query.replace("FACTS", facts.seen(tx)), {**values, "known": tx.known_at})
