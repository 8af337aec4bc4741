"""SQL for the surfaces of assertions: the alias or the former id by which an entity was named when it was recorded."""

from __future__ import annotations

from keepgraph.store.transactions import Tx


def insert_alias(tx: Tx, fact: int, *, entity: int, key: str) -> None:
    """Say of the last assertion of a fact that it named an entity by the alias with this key, where it has one."""
    tx.conn.execute(
        """
        INSERT INTO assertion_surface (assertion, alias)
        SELECT (SELECT max(id) FROM provenance WHERE fact = ?1), alias.id
        FROM alias
        WHERE alias.entity = ?2 AND alias.alias_key = ?3
        """,
        (fact, entity, key),
    )


def insert_former_id(tx: Tx, fact: int, *, public_id: str) -> None:
    """Say of the last assertion of a fact that it named an entity by this id of one that was merged into it."""
    tx.conn.execute(
        """
        INSERT INTO assertion_surface (assertion, former_id)
        SELECT (SELECT max(id) FROM provenance WHERE fact = ?1), former_id.id
        FROM former_id
        WHERE former_id.public_id = ?2
        """,
        (fact, public_id),
    )


def assertions_under(tx: Tx, table: str, row: int) -> list[int]:
    """The rows of the assertions that named an entity by an alias or a former id, newest first.

    Args:
        table: `alias` or `former_id`.
    """
    column = {"alias": "alias", "former_id": "former_id"}[table]
    rows = tx.conn.execute(
        f"SELECT assertion FROM assertion_surface WHERE {column} = ? ORDER BY assertion DESC",
        (row,),
    )
    return [row[0] for row in rows]
