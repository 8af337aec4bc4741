"""What a connection keeps between statements."""

from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

import keepgraph


def test_statements_in_turn_are_prepared_once_however_many_came_before(path: Path) -> None:
    prepared: list[str | None] = []

    def authorize(action: int, table: str | None, *_: str | None) -> int:
        prepared.extend([table] * (action == sqlite.SQLITE_INSERT))
        return int(sqlite.SQLITE_OK)

    with keepgraph.open(path) as graph, graph.database.write("test") as tx:
        tx.conn.set_authorizer(authorize)
        tx.conn.execute("CREATE TEMP TABLE seen (number)")
        for number in range(1_000):
            tx.conn.execute(f"SELECT {number}").fetchall()
        for number in range(10):
            tx.conn.execute("INSERT INTO seen VALUES (?)", (number,))
            tx.conn.execute("INSERT INTO seen VALUES (-?)", (number,))
        tx.conn.set_authorizer(None)
    assert prepared.count("seen") == 2
