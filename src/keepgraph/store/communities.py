"""Communities in the database: members, titles, summaries, the weights between members, and their places on the map.

The table has no journal triggers, since its rows mean nothing without their members: writes here journal both
as one state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

TABLE = "community"

ALGORITHM, CALLER, PERSON = "algorithm", "caller", "person"
"""Who gave a name."""

_NAMES = ("id", "public_id", "group_id", "name", "summary", "created_at", "named_by")
_COLUMNS = ", ".join(f"community.{name}" for name in _NAMES)


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together, as an algorithm found them; `members` is their number.

    Attributes:
        named_by: who gave the name: ALGORITHM, CALLER or PERSON.
    """

    row: int
    id: str
    group: str
    name: str
    summary: str
    created_at: str
    members: int
    named_by: str = ALGORITHM


def any_built(tx: Tx) -> bool:
    """Whether communities have been built."""
    return tx.conn.execute("SELECT 1 FROM community LIMIT 1").fetchone() is not None


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Community]:
    """Communities by their row numbers."""
    communities = tx.conn.execute(
        f"""
        SELECT {_COLUMNS}, (SELECT count(*) FROM community_member WHERE community = community.id)
        FROM community
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        (json_array(rows),),
    )
    return {row[0]: _community(row) for row in communities}


def of_entities(tx: Tx, entities: Sequence[int]) -> dict[int, list[Community]]:
    """The communities of entities, by the row number of the entity, largest first."""
    communities: dict[int, list[Community]] = {}
    for entity, *row in tx.conn.execute(
        f"""
        SELECT membership.entity, {_COLUMNS},
               (SELECT count(*) FROM community_member WHERE community = community.id) AS members
        FROM community_member AS membership
        JOIN community ON community.id = membership.community
        WHERE membership.entity IN (SELECT value FROM json_each(?))
        ORDER BY membership.entity, members DESC, community.id
        """,
        (json_array(entities),),
    ):
        communities.setdefault(entity, []).append(_community(row))
    return communities


def memberships(tx: Tx, entities: Sequence[int], *, groups: Sequence[str]) -> list[tuple[int, int]]:
    """The communities of some groups that entities belong to, as pairs of row numbers: entity and community."""
    return tx.rows(
        """
        SELECT member.entity, member.community
        FROM community_member AS member JOIN community ON community.id = member.community
        WHERE member.entity IN (SELECT value FROM json_each(?))
          AND community.group_id IN (SELECT value FROM json_each(?))
        """,
        (json_array(entities), json_array(groups)),
    )


def members(tx: Tx, communities: Sequence[int], *, limit: int) -> list[tuple[int, int]]:
    """The members of communities, as pairs of row numbers: community and entity."""
    return tx.rows(
        "SELECT community, entity FROM community_member WHERE community IN (SELECT value FROM json_each(?)) LIMIT +?",
        (json_array(communities), limit),
    )


def by_id(tx: Tx, public_id: str) -> Community | None:
    row = tx.conn.execute("SELECT id FROM community WHERE public_id = ?", (public_id,)).fetchone()
    return by_rows(tx, [row[0]])[row[0]] if row else None


def of_group(tx: Tx, *, limit: int = -1) -> list[Community]:
    """The communities of the group, largest first; all of them without a limit."""
    rows = tx.conn.execute(
        f"""
        SELECT {_COLUMNS}, (SELECT count(*) FROM community_member WHERE community = community.id) AS members
        FROM community
        WHERE group_id = ?
        ORDER BY members DESC, community.id
        LIMIT +?
        """,
        (tx.group, limit),
    )
    return [_community(row) for row in rows]


def count(tx: Tx) -> int:
    """How many communities the group has."""
    return tx.number("SELECT count(*) FROM community WHERE group_id = ?", (tx.group,))


def members_in_group(tx: Tx) -> dict[int, list[int]]:
    """The entities that belong to each community of the group, by row numbers, ascending."""
    found: dict[int, list[int]] = {}
    for community, entity in tx.conn.execute(
        """
        SELECT community, entity FROM community_member
        WHERE community IN (SELECT id FROM community WHERE group_id = ?)
        ORDER BY community, entity
        """,
        (tx.group,),
    ):
        found.setdefault(community, []).append(entity)
    return found


def existing_entities(tx: Tx) -> set[int]:
    """The row numbers of the entities of the group."""
    return tx.distinct("SELECT id FROM entity WHERE group_id = ?", (tx.group,))


def count_facts_among(tx: Tx, entities: Sequence[int]) -> dict[int, int]:
    """How many facts connect each of some entities to the others; entities without such facts are left out."""
    return tx.mapping(
        """
        WITH among AS (SELECT value AS id FROM json_each(?))
        SELECT entity, count(*)
        FROM (
            SELECT subject AS entity FROM fact
            WHERE subject IN (SELECT id FROM among) AND object IN (SELECT id FROM among) AND retracted_at IS NULL
            UNION ALL
            SELECT object FROM fact
            WHERE subject IN (SELECT id FROM among) AND object IN (SELECT id FROM among) AND retracted_at IS NULL
        )
        GROUP BY entity
        """,
        (json_array(entities),),
    )


def write(tx: Tx, community: Community, members: Sequence[int]) -> None:
    """Insert a community, or update its row to this name, this summary and these members; journalled.

    If nothing changes, nothing is written or journalled.
    """
    values = {
        "id": community.row,
        "public_id": community.id,
        "group_id": community.group,
        "name": community.name,
        "summary": community.summary,
        "created_at": community.created_at,
        "named_by": community.named_by,
    }
    replace_state(tx, {**values, "members": sorted(members)})


def delete(tx: Tx, row: int) -> None:
    """Delete a community with its members; journalled."""
    before = state(tx, row)
    if before is not None:
        _journal(tx, "delete", row, before)
        tx.conn.execute("DELETE FROM community WHERE id = ?", (row,))


def state(tx: Tx, row: int) -> dict[str, Any] | None:
    """A community as the journal stores it: its columns, and the row numbers of its members, ascending."""
    columns = tx.conn.execute(f"SELECT {_COLUMNS} FROM community WHERE id = ?", (row,)).fetchone()
    if columns is None:
        return None
    entities = tx.conn.execute("SELECT entity FROM community_member WHERE community = ? ORDER BY entity", (row,))
    return {**dict(zip(_NAMES, columns, strict=True)), "members": [entity for (entity,) in entities]}


def replace_state(tx: Tx, values: Mapping[str, Any]) -> None:
    """Restore a state of a community from `state`; members that are no longer entities are left out."""
    row = values["id"]
    before = state(tx, row)
    if before == values:
        return
    columns = {name: value for name, value in values.items() if name != "members"}
    if before is None:
        _journal(tx, "insert", row, None)
        tx.conn.execute(
            """
            INSERT INTO community (id, public_id, group_id, name, summary, created_at, named_by)
            VALUES (:id, :public_id, :group_id, :name, :summary, :created_at, :named_by)
            """,
            columns,
        )
    else:
        _journal(tx, "update", row, before)
        tx.conn.execute(
            "UPDATE community SET name = :name, summary = :summary, named_by = :named_by WHERE id = :id", columns
        )
    old, new = set(before["members"] if before else ()), set(values["members"])
    tx.conn.executemany("DELETE FROM community_member WHERE community = ? AND entity = ?", _pairs(row, old - new))
    tx.conn.executemany(
        "INSERT INTO community_member (community, entity) SELECT ?, id FROM entity WHERE id = ?", _pairs(row, new - old)
    )


def past_of(values: Mapping[str, Any]) -> Community:
    """A community as in a state from the journal."""
    return _community((*(values[name] for name in _NAMES), len(values["members"])))


def _pairs(row: int, entities: set[int]) -> list[tuple[int, int]]:
    return [(row, entity) for entity in sorted(entities)]


def _journal(tx: Tx, operation: str, row: int, before: Mapping[str, Any] | None) -> None:
    tx.conn.execute(
        "INSERT INTO journal (call, op, tbl, row, was) VALUES ((SELECT max(id) FROM call), ?, ?, ?, ?)",
        (operation, TABLE, row, None if before is None else json.dumps(before, ensure_ascii=False)),
    )


def _community(row: Sequence[Any]) -> Community:
    number, public_id, group, name, summary, created_at, named_by, members = row
    return Community(number, public_id, group, name, summary, created_at, members, named_by or ALGORITHM)


# SQL for the map: the places of entities on it, and what there is to place.

Place = tuple[int, float, float]
"""The row number of an entity, and its coordinates."""


def any_missing(tx: Tx) -> bool:
    """Whether an entity of the group has no place."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1 FROM entity
            WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM map_place WHERE map_place.entity = entity.id)
        )
        """,
        (tx.group,),
    )


def places_of_group(tx: Tx) -> list[Place]:
    """The places of the entities of the group, by row."""
    return tx.rows(
        """
        SELECT map_place.entity, map_place.x, map_place.y
        FROM map_place JOIN entity ON entity.id = map_place.entity
        WHERE entity.group_id = ?
        ORDER BY map_place.entity
        """,
        (tx.group,),
    )


def entities(tx: Tx) -> list[tuple[int, str, str, str]]:
    """The entities of the group, by row: row, public id, name, type."""
    return tx.rows(
        """
        SELECT entity.id, entity.public_id, entity.name, entity_type.name
        FROM entity JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.group_id = ?
        ORDER BY entity.id
        """,
        (tx.group,),
    )


def replace(tx: Tx, places: Iterable[Place]) -> None:
    """Store the places of entities; those deleted meanwhile get none."""
    tx.conn.executemany(
        "INSERT OR REPLACE INTO map_place (entity, x, y) SELECT id, ?2, ?3 FROM entity WHERE id = ?1", places
    )
