"""SQL for groups: their names, and deleting all rows of a group from all tables."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.model import Entity
from keepgraph.store import communities, journal
from keepgraph.store.entities import SELECT_ENTITIES, read_entities
from keepgraph.store.transactions import Tx

_ENTITIES = "SELECT id FROM entity WHERE :group IS NULL OR group_id = :group"
_FACTS = f"SELECT id FROM fact WHERE subject IN ({_ENTITIES})"
_EPISODES = "SELECT id FROM episode WHERE :group IS NULL OR group_id = :group"


def names(tx: Tx) -> list[str]:
    return tx.column("SELECT group_id FROM entity UNION SELECT group_id FROM episode ORDER BY 1")


def exists(tx: Tx, group: str) -> bool:
    """Whether a group of this id holds something."""
    return tx.is_true(
        """
        SELECT EXISTS (SELECT 1 FROM entity WHERE group_id = :group)
            OR EXISTS (SELECT 1 FROM episode WHERE group_id = :group)
        """,
        {"group": group},
    )


def others(tx: Tx, *, limit: int) -> list[tuple[str, int, int]]:
    """The other non-empty groups, fullest first: id, entities and episodes.

    If there are more than the limit, only the first by id are counted.
    """
    return tx.rows(
        """
        WITH RECURSIVE
        of_entities (id) AS (
            SELECT min(group_id) FROM entity
            UNION ALL
            SELECT (SELECT min(group_id) FROM entity WHERE group_id > of_entities.id)
            FROM of_entities WHERE of_entities.id IS NOT NULL
        ),
        of_episodes (id) AS (
            SELECT min(group_id) FROM episode
            UNION ALL
            SELECT (SELECT min(group_id) FROM episode WHERE group_id > of_episodes.id)
            FROM of_episodes WHERE of_episodes.id IS NOT NULL
        ),
        other (id) AS MATERIALIZED (
            SELECT id FROM (SELECT id FROM of_entities UNION SELECT id FROM of_episodes)
            WHERE id IS NOT NULL AND id <> :group
            ORDER BY id
            LIMIT +:limit
        )
        SELECT id,
               (SELECT count(*) FROM entity WHERE group_id = other.id) AS entities,
               (SELECT count(*) FROM episode WHERE group_id = other.id) AS episodes
        FROM other
        ORDER BY entities + episodes DESC, id
        """,
        {"group": tx.group, "limit": limit},
    )


def is_only_group(tx: Tx) -> bool:
    """Whether the group of the call is the only one in the graph."""
    return not tx.is_true(
        """
        SELECT EXISTS (SELECT 1 FROM entity WHERE group_id < :group)
            OR EXISTS (SELECT 1 FROM entity WHERE group_id > :group)
        """,
        {"group": tx.group},
    )


def clear(tx: Tx, group: str | None) -> dict[str, int]:
    """Delete all entities, facts and episodes of a group, or of all groups (None); returns the counts by table."""
    values = {"group": group}
    # A fact of another group keeps its assertions, even those from an episode of this group.
    tx.conn.execute(
        f"UPDATE provenance SET episode = NULL WHERE episode IN ({_EPISODES}) AND fact NOT IN ({_FACTS})", values
    )
    of_group = tx.column("SELECT id FROM community WHERE :group IS NULL OR group_id = :group", values)
    for row in of_group:
        communities.delete(tx, row)
    deleted = {"community": len(of_group)}
    for table, where in (
        ("provenance", f"fact IN ({_FACTS})"),
        ("earlier_validity", f"fact IN ({_FACTS})"),
        ("fact", f"subject IN ({_ENTITIES})"),
        ("former_id", f"entity IN ({_ENTITIES})"),
        ("alias", f"entity IN ({_ENTITIES})"),
        ("proposed_fact", ":group IS NULL OR group_id = :group"),
        ("dismissed_wording", ":group IS NULL OR group_id = :group"),
        ("review_decision", ":group IS NULL OR group_id = :group"),
        ("chunk", f"episode IN ({_EPISODES})"),
        ("episode", ":group IS NULL OR group_id = :group"),
        ("entity", ":group IS NULL OR group_id = :group"),
    ):
        deleted[table] = tx.conn.execute(f"DELETE FROM {table} WHERE {where}", values).rowcount
    return deleted


# SQL for the owners of groups: whom "I" and "me" mean there.


def find(tx: Tx) -> Entity | None:
    """The owner of the group, if it has one."""
    query = f"{SELECT_ENTITIES} JOIN owner ON owner.entity = entity.id WHERE owner.group_id = :group"
    return next(iter(read_entities(tx, query, {"group": tx.group})), None)


def rows(tx: Tx, groups: Sequence[str]) -> list[int]:
    """The rows of the owners of these groups, in their order."""
    by_group = tx.mapping("SELECT group_id, entity FROM owner ORDER BY id")
    return [by_group[group] for group in groups if group in by_group]


def all_groups(tx: Tx) -> list[tuple[str, str]]:
    """The owners of all groups: the public id of the entity, and since when; in the order of the groups."""
    return tx.rows(
        """
        SELECT entity.public_id, owner.set_at
        FROM owner
        JOIN entity ON entity.id = owner.entity
        ORDER BY owner.group_id
        """
    )


def put(tx: Tx, entity_row: int, *, group: str, at: str) -> None:
    """Make an entity of a group its owner, replacing any other."""
    tx.conn.execute(
        f"""
        INSERT INTO owner (id, group_id, entity, set_at)
        VALUES ({journal.unused_row_sql("owner")}, ?, ?, ?)
        ON CONFLICT (group_id) DO UPDATE SET entity = excluded.entity, set_at = excluded.set_at
        """,
        (group, entity_row, at),
    )


def delete(tx: Tx) -> None:
    """Remove the owner of the group."""
    tx.conn.execute("DELETE FROM owner WHERE group_id = ?", (tx.group,))


def move(tx: Tx, source: Entity, target: Entity) -> None:
    """Make another entity the owner in place of this one."""
    tx.conn.execute("UPDATE owner SET entity = ? WHERE entity = ?", (target.row, source.row))
