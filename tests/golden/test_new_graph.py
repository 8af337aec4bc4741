"""The script that makes a new graph at once leaves what all migrations leave that are applied one after the other.

After a new migration, `make golden` writes `migrations/new_graph.sql` anew. Until then a new graph is made by the
script and the migrations that came after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlite

from keepgraph import package_files
from keepgraph.store import migrations
from words import NOON

HEADER = """\
-- What the migrations below make in an empty file, all at once. `make golden` writes this file: do not edit it.
-- The rows of words refer to each other; the time of the migrations is bound.

"""


@pytest.fixture
def step_by_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """An empty database to which the migrations were applied one after the other."""
    (tmp_path / "none.sql").write_text("")
    with monkeypatch.context() as patch:
        patch.setattr(package_files, "new_graph", lambda: tmp_path / "none.sql")
        return migrated()


def migrated() -> Any:
    conn = sqlite.connect(":memory:", isolation_level=None)
    conn.execute("PRAGMA foreign_keys = ON")
    conn.execute("BEGIN")
    migrations.apply(conn, Path(":memory:"), now=NOON.astimezone(UTC), before_first=lambda _: None)
    conn.execute("COMMIT")
    return conn


def script(conn: Any) -> str:
    """The script that makes what is in a database: its tables, their rows, and what belongs to tables."""
    return HEADER + "".join(
        [
            *(f"-- {name} {checksum}\n" for name, checksum in conn.execute("SELECT name, sha256 FROM migration")),
            "\nPRAGMA defer_foreign_keys = ON;\n",
            *(f"\n{sql};\n" for kind, _, sql in objects(conn) if kind == "table"),
            *inserts(conn),
            *(f"\n{sql};\n" for kind, _, sql in objects(conn) if kind != "table"),
        ]
    )


def objects(conn: Any) -> Iterator[tuple[str, str, str]]:
    """Tables, then indexes, views and triggers: kind, name and SQL; those aside that SQLite makes with another."""
    yield from conn.execute(
        """
        SELECT type, name, sql
        FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY type <> 'table', rowid
        """
    )


def inserts(conn: Any) -> Iterator[str]:
    """The statements that insert the rows of ordinary tables, but for those of the migrations themselves."""
    for kind, name, sql in objects(conn):
        if kind != "table" or name == "migration" or sql.startswith("CREATE VIRTUAL"):
            continue
        columns = [column for (column,) in conn.execute("SELECT name FROM pragma_table_info(?)", (name,))]
        quoted = ", ".join(f"quote({column})" for column in columns)
        rows = conn.execute(f"SELECT concat_ws(', ', {quoted}) FROM {name} ORDER BY {columns[0]}").fetchall()
        if rows:
            yield f"\nINSERT INTO {name} ({', '.join(columns)}) VALUES\n"
            yield ",\n".join(f"    ({values})" for (values,) in rows) + ";\n"


def with_values_of_the_moment(text: str) -> str:
    """The script with the time of the migrations bound, and the number of a revision drawn."""
    text = text.replace(f"'{NOON:%Y-%m-%dT%H:%M:%S}.000Z'", ":now")
    return re.sub(r"(INSERT INTO vocabulary_revision .*\n    \(1, )'[0-9A-F]{16}'", r"\1hex(randomblob(8))", text)


def contents(conn: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, those of the full-text indexes included."""
    tables = [name for (name,) in conn.execute("SELECT name FROM pragma_table_list WHERE type IN ('table', 'shadow')")]
    return {
        name: sorted(map(tuple, conn.execute(f'SELECT * FROM "{name}"')), key=repr)
        for name in tables
        if not name.startswith("sqlite_") and name != "vocabulary_revision"
    }


def test_a_new_graph_is_what_the_migrations_make(request, step_by_step):
    file = package_files.new_graph()
    if request.config.getoption("--update-golden"):
        file.write_text(with_values_of_the_moment(script(step_by_step)), encoding="utf-8")
    at_once = migrated()

    assert file.read_text(encoding="utf-8") == with_values_of_the_moment(script(step_by_step))
    assert list(objects(at_once)) == list(objects(step_by_step))
    assert contents(at_once) == contents(step_by_step)
    assert at_once.execute("PRAGMA foreign_key_check").fetchall() == []
