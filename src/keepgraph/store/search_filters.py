"""Filters of a search, as conditions in SQL: groups, types, predicates, a project, and when a fact holds."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS
from keepgraph.store.transactions import Tx

ENTITY_TYPE = "entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))"
PREDICATE = "fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))"

_TYPE_OF_END = ENTITY_TYPE.replace("entity.type", "the_end.type")
TYPE_OF_EITHER_END = f"""
    EXISTS (SELECT 1 FROM entity AS the_end WHERE the_end.id IN (fact.subject, fact.object) AND {_TYPE_OF_END})
"""

_EPISODES_ABOUT = """
    SELECT about_chunk.episode
    FROM mention AS about_mention JOIN chunk AS about_chunk ON about_chunk.id = about_mention.chunk
    WHERE about_mention.entity = :about
"""

_ENTITIES_ABOUT = """
    SELECT :about
    UNION
    SELECT near.subject FROM fact AS near
    WHERE near.object = :about AND near.retracted_at IS NULL AND near.valid_from <= :at AND :at < near.valid_to
    UNION
    SELECT near.object FROM fact AS near
    WHERE near.subject = :about AND near.object IS NOT NULL
      AND near.retracted_at IS NULL AND near.valid_from <= :at AND :at < near.valid_to
"""

CHUNK_OF_DAYS = """
    chunk.episode IN (SELECT id FROM episode WHERE occurred_at >= :since AND occurred_at < :until)
"""
"""Chunks of the texts from the time from `since` on and before `until`."""

CHUNK_ABOUT = f"chunk.episode IN ({_EPISODES_ABOUT})"
"""Chunks of the texts that mention an entity anywhere, or that a caller said to be about it."""

ENTITY_ABOUT = f"""(
    entity.id IN ({_ENTITIES_ABOUT})
    OR entity.id IN (
        SELECT about_other.entity
        FROM mention AS about_other JOIN chunk AS about_place ON about_place.id = about_other.chunk
        WHERE about_place.episode IN ({_EPISODES_ABOUT})
    )
)"""
"""An entity itself, its neighbours by current facts, and what the texts about it mention."""

FACT_ABOUT = f"""(
    :about IN (fact.subject, fact.object)
    OR (fact.subject IN ({_ENTITIES_ABOUT}) AND (fact.object IS NULL OR fact.object IN ({_ENTITIES_ABOUT})))
)"""
"""Facts with an entity, and facts between its neighbours by current facts."""

COMMUNITY_ABOUT = """
    community.id IN (SELECT community FROM community_member WHERE entity = :about)
"""
"""Communities that an entity belongs to."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search may find.

    Attributes:
        groups: always named, because a question may concern several.
        at: the timestamp at which a fact must hold.
        types: names of entity types; None is any. A fact passes by either of its ends.
        predicates: names of predicates; None is any.
        about: the row of an entity, such as a project: only what is about it passes. None: no limit.
        days: the timestamps from which and before which a text must be; None is any time.
    """

    groups: tuple[str, ...]
    at: str
    types: tuple[str, ...] | None = None
    predicates: tuple[str, ...] | None = None
    about: int | None = None
    days: tuple[str, str] | None = None

    @property
    def values(self) -> dict[str, str | int | None]:
        """The values that the conditions of this module bind."""
        return {
            "groups": json_array(self.groups),
            "at": self.at,
            "types": None if self.types is None else json_array(self.types),
            "predicates": None if self.predicates is None else json_array(self.predicates),
            "about": self.about,
            "since": self.days and self.days[0],
            "until": self.days and self.days[1],
        }


def entity_conditions(filters: Filters) -> list[str]:
    """The conditions for an entity, whatever its group."""
    return [
        *([ENTITY_TYPE] if filters.types is not None else []),
        *([ENTITY_ABOUT] if filters.about is not None else []),
    ]


def chunk_conditions(filters: Filters) -> list[str]:
    """The conditions for a chunk, whatever its group."""
    return [
        *([CHUNK_ABOUT] if filters.about is not None else []),
        *([CHUNK_OF_DAYS] if filters.days is not None else []),
    ]


def community_conditions(filters: Filters) -> list[str]:
    """The conditions for a community, whatever its group."""
    return [COMMUNITY_ABOUT] if filters.about is not None else []


def fact_conditions(filters: Filters) -> list[str]:
    """The conditions for a fact, whatever its group."""
    return [
        FACT_HOLDS,
        *([PREDICATE] if filters.predicates is not None else []),
        *([TYPE_OF_EITHER_END] if filters.types is not None else []),
        *([FACT_ABOUT] if filters.about is not None else []),
    ]


def is_only_group(tx: Tx, groups: Sequence[str]) -> bool:
    """Whether this is one group, and all others are empty; then no row has to be filtered by it."""
    if len(groups) != 1:
        return False
    if ("only group", groups[0]) not in tx.memo:
        others = tx.is_true(
            """
            SELECT EXISTS (SELECT 1 FROM entity WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM entity WHERE group_id > :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id > :group)
            """,
            {"group": groups[0]},
        )
        tx.memo["only group", groups[0]] = not others
    return bool(tx.memo["only group", groups[0]])
