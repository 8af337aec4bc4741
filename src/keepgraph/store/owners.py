"""SQL for the owners of groups: whom "I" and "me" mean there."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.model import Entity
from keepgraph.store import journal
from keepgraph.store.transactions import Tx


def find(tx: Tx) -> Entity | None:
    """The owner of the group, if it has one."""
    row = tx.conn.execute(
        """
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at
        FROM owner
        JOIN entity ON entity.id = owner.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE owner.group_id = ?
        """,
        (tx.group,),
    ).fetchone()
    return Entity(*row) if row else None


def rows(tx: Tx, groups: Sequence[str]) -> list[int]:
    """The rows of the owners of these groups, in their order."""
    by_group = dict(tx.conn.execute("SELECT group_id, entity FROM owner ORDER BY id").fetchall())
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
