"""Tells groups apart and empties them. Knows which tables hold what belongs to one."""

from __future__ import annotations

from keepgraph.store.database import Tx

_THEIRS = "SELECT id FROM entity WHERE :group IS NULL OR group_id = :group"
_FACTS = f"SELECT id FROM fact WHERE subject IN ({_THEIRS})"
_EPISODES = "SELECT id FROM episode WHERE :group IS NULL OR group_id = :group"


def names(tx: Tx) -> list[str]:
    rows = tx.conn.execute("SELECT group_id FROM entity UNION SELECT group_id FROM episode ORDER BY 1")
    return [row[0] for row in rows]


def alone(tx: Tx) -> bool:
    """Whether the group of the call is the only one in the graph."""
    others = tx.conn.execute(
        """
        SELECT EXISTS (SELECT 1 FROM entity WHERE group_id < :group)
            OR EXISTS (SELECT 1 FROM entity WHERE group_id > :group)
        """,
        {"group": tx.group},
    ).fetchone()[0]
    return not others


def clear(tx: Tx, group: str | None) -> dict[str, int]:
    """Delete every entity and episode of a group, or of all (None), with all that is said in it; returns how many."""
    told = {"group": group}
    # What is said in another group stays said, even if it came out of a text of this one.
    tx.conn.execute(
        f"UPDATE provenance SET episode = NULL WHERE episode IN ({_EPISODES}) AND fact NOT IN ({_FACTS})", told
    )
    deleted = {}
    for table, where in (
        ("provenance", f"fact IN ({_FACTS})"),
        ("earlier_validity", f"fact IN ({_FACTS})"),
        ("fact", f"subject IN ({_THEIRS})"),
        ("former_id", f"entity IN ({_THEIRS})"),
        ("alias", f"entity IN ({_THEIRS})"),
        ("chunk", f"episode IN ({_EPISODES})"),
        ("episode", ":group IS NULL OR group_id = :group"),
        ("community", ":group IS NULL OR group_id = :group"),
        ("entity", ":group IS NULL OR group_id = :group"),
    ):
        deleted[table] = tx.conn.execute(f"DELETE FROM {table} WHERE {where}", told).rowcount
    return deleted
