"""Details of entities and facts that most readers do not need: groups, summaries, properties, episodes, assertions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """What an entity has besides its name and type."""

    group: str
    summary: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FactDetails:
    """The group of a fact, and the ids of its episodes, oldest assertion first."""

    group: str
    episodes: tuple[str, ...] = ()


def of_entities(tx: Tx, entities: Sequence[int]) -> dict[int, EntityDetails]:
    """The details of entities by their row numbers; of any group."""
    rows = tx.conn.execute(
        """
        SELECT id, group_id, summary, properties
        FROM entity
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        (json_array(entities),),
    )
    return {row: EntityDetails(group, summary, json.loads(properties)) for row, group, summary, properties in rows}


def of_facts(tx: Tx, facts: Sequence[int]) -> dict[int, FactDetails]:
    """The details of facts by their row numbers; of any group."""
    values = {"facts": json_array(facts), "known": tx.known_at}
    groups = tx.mapping(
        """
        SELECT fact.id, entity.group_id
        FROM fact JOIN entity ON entity.id = fact.subject
        WHERE fact.id IN (SELECT value FROM json_each(:facts))
        """,
        values,
    )
    episodes: dict[int, list[str]] = {}
    for fact, episode in tx.conn.execute(
        """
        SELECT provenance.fact, episode.public_id
        FROM provenance JOIN episode ON episode.id = provenance.episode
        WHERE provenance.fact IN (SELECT value FROM json_each(:facts))
          AND (:known IS NULL OR provenance.recorded_at <= :known)
        ORDER BY provenance.recorded_at, provenance.id
        """,
        values,
    ):
        episodes.setdefault(fact, []).append(episode)
    return {fact: FactDetails(group, tuple(dict.fromkeys(episodes.get(fact, ())))) for fact, group in groups.items()}


def assertions(tx: Tx, fact: int) -> list[tuple[int, str | None, float, str, str | None, str, str | None]]:
    """The assertions of a fact, oldest first: row, source, confidence, timestamp, session, tool, episode's id."""
    return tx.rows(
        """
        SELECT provenance.id, provenance.source, provenance.confidence, provenance.recorded_at, provenance.session,
               provenance.tool, episode.public_id
        FROM provenance
        LEFT JOIN episode ON episode.id = provenance.episode
        WHERE provenance.fact = ?
        ORDER BY provenance.recorded_at, provenance.id
        """,
        (fact,),
    )


def group_of(tx: Tx, public_id: str) -> str | None:
    """The group of an entity, even a merged one, of a proposal or of a fact, by its id."""
    return tx.value(
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
    )
