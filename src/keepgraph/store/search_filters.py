"""Filters of a search, as conditions in SQL: groups, entity types, predicates, and when a fact holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.store.transactions import Tx

CURRENT_FACT = "fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to"
"""Facts that hold at the timestamp of the filters."""

ENTITY_TYPE = "entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))"
PREDICATE = "fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))"

_TYPE_OF_END = ENTITY_TYPE.replace("entity.type", "the_end.type")
TYPE_OF_EITHER_END = f"""
    EXISTS (SELECT 1 FROM entity AS the_end WHERE the_end.id IN (fact.subject, fact.object) AND {_TYPE_OF_END})
"""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search may find.

    Attributes:
        groups: always named, for a question may be about several.
        at: the timestamp at which a fact has to hold.
        types: names of entity types; None is any. A fact passes by either of its ends.
        predicates: names of predicates; None is any.
    """

    groups: tuple[str, ...]
    at: str
    types: tuple[str, ...] | None = None
    predicates: tuple[str, ...] | None = None

    @property
    def values(self) -> dict[str, str | None]:
        """The values that the conditions of this module bind."""
        return {
            "groups": json_array(self.groups),
            "at": self.at,
            "types": None if self.types is None else json_array(self.types),
            "predicates": None if self.predicates is None else json_array(self.predicates),
        }


def fact_conditions(filters: Filters) -> list[str]:
    """The conditions that a fact has to fulfil, but for its group."""
    return [
        CURRENT_FACT,
        *([PREDICATE] if filters.predicates is not None else []),
        *([TYPE_OF_EITHER_END] if filters.types is not None else []),
    ]


def is_only_group(tx: Tx, groups: Sequence[str]) -> bool:
    """Whether this is one group, and nothing is in another; then no row has to be filtered by it."""
    if len(groups) != 1:
        return False
    if ("only group", groups[0]) not in tx.memo:
        others = tx.conn.execute(
            """
            SELECT EXISTS (SELECT 1 FROM entity WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM entity WHERE group_id > :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id < :group)
                OR EXISTS (SELECT 1 FROM episode WHERE group_id > :group)
            """,
            {"group": groups[0]},
        ).fetchone()[0]
        tx.memo["only group", groups[0]] = not others
    return bool(tx.memo["only group", groups[0]])


def json_array(values: Sequence[int] | Sequence[str]) -> str:
    """Values for `IN (SELECT value FROM json_each(…))`."""
    return json.dumps(list(values), ensure_ascii=False)
