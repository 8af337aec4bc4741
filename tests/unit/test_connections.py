"""What a connection keeps between statements."""

from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph.store import connections

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


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


@given(st.lists(st.integers(-(2**63), 2**63 - 1)) | st.lists(TEXTS))
def test_sqlite_reads_the_values_of_an_array_as_they_were_given(values):
    with closing(sqlite.connect(":memory:")) as conn:
        read = conn.execute("SELECT value FROM json_each(?)", (connections.json_array(values),)).fetchall()

    assert [(value,) for value in values] == read
