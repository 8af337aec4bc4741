"""The digests of the schema versions are those of what the migrations make, one after the other or at once."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlite

from keepgraph import package_files
from keepgraph.store import migrations, schema_parts
from words import NOON

HEADER = """\
# The SHA-256 of the schema that the first so many migrations make: see store/schema_parts.py. `make golden` writes this
# file: do not edit it. A version that was released keeps its digest for ever.

"""


def migrated(conn: Any, number: int) -> Any:
    conn.execute("BEGIN")
    migrations.apply(conn, Path(":memory:"), now=NOON.astimezone(UTC), before_first=lambda _: None, up_to=number)
    conn.execute("COMMIT")
    return conn


def digests_step_by_step() -> str:
    """One database, a migration after the other, as a graph that is as old as the project has met them."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    numbers = range(1, len(package_files.migrations()) + 1)
    return HEADER + "".join(f"{number:04d} {schema_parts.digest(migrated(conn, number))}\n" for number in numbers)


def test_the_digests_are_those_of_the_migrations(request, monkeypatch, tmp_path):
    (tmp_path / "none.sql").write_text("")
    with monkeypatch.context() as patch:
        patch.setattr(package_files, "new_graph", lambda: tmp_path / "none.sql")
        expected = digests_step_by_step()
    file = package_files.schema_digests()
    if request.config.getoption("--update-golden"):
        file.write_text(expected, encoding="utf-8")

    assert file.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("number", range(1, len(package_files.migrations()) + 1))
def test_a_graph_that_was_made_at_any_version_is_as_migrated(number):
    conn = migrated(sqlite.connect(":memory:", isolation_level=None), number)

    assert schema_parts.is_as_migrated(conn)
    assert not schema_parts.find_differences(conn)
