"""Communities in the database, and the entities that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.store.search_filters import json_array
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together, as an algorithm found them; `members` is how many."""

    row: int
    id: str
    group: str
    name: str
    summary: str
    created_at: str
    members: int


def any_built(tx: Tx) -> bool:
    """Whether communities have been built."""
    return tx.conn.execute("SELECT 1 FROM community LIMIT 1").fetchone() is not None


def by_rows(tx: Tx, rows: Sequence[int]) -> dict[int, Community]:
    """Communities by their row numbers."""
    communities = tx.conn.execute(
        """
        SELECT id, public_id, group_id, name, summary, created_at,
               (SELECT count(*) FROM community_member WHERE community = community.id)
        FROM community
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        (json_array(rows),),
    )
    return {row[0]: Community(*row) for row in communities}


def of_entities(tx: Tx, entities: Sequence[int]) -> dict[int, list[Community]]:
    """The communities that entities belong to, by the row number of the entity and the largest first."""
    communities: dict[int, list[Community]] = {}
    for entity, *row in tx.conn.execute(
        """
        SELECT membership.entity, community.id, public_id, group_id, name, summary, created_at,
               (SELECT count(*) FROM community_member WHERE community = community.id) AS members
        FROM community_member AS membership
        JOIN community ON community.id = membership.community
        WHERE membership.entity IN (SELECT value FROM json_each(?))
        ORDER BY membership.entity, members DESC, community.id
        """,
        (json_array(entities),),
    ):
        communities.setdefault(entity, []).append(Community(*row))
    return communities


def memberships(tx: Tx, entities: Sequence[int], *, groups: Sequence[str]) -> list[tuple[int, int]]:
    """The communities of some groups that entities belong to, as pairs of row numbers: entity and community."""
    rows = tx.conn.execute(
        """
        SELECT member.entity, member.community
        FROM community_member AS member JOIN community ON community.id = member.community
        WHERE member.entity IN (SELECT value FROM json_each(?))
          AND community.group_id IN (SELECT value FROM json_each(?))
        """,
        (json_array(entities), json_array(groups)),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def members(tx: Tx, communities: Sequence[int], *, limit: int) -> list[tuple[int, int]]:
    """What belongs to communities, as pairs of row numbers: community and entity."""
    rows = tx.conn.execute(
        "SELECT community, entity FROM community_member WHERE community IN (SELECT value FROM json_each(?)) LIMIT ?",
        (json_array(communities), limit),
    )
    return rows.fetchall()  # type: ignore[no-any-return]
