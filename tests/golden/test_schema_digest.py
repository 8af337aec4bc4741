"""The first line of the newest migration has the digest of the schema that all migrations make.

`make golden` writes it. It is not released with anything else: where it is wrong, a graph is compared part by part each
time it is opened.
"""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import package_files
from keepgraph.store import migrations
from words import NOON


def test_the_newest_migration_has_the_digest_of_the_schema(request):
    conn = sqlite.connect(":memory:", isolation_level=None)
    conn.execute("BEGIN")
    migrations.apply(conn, Path(":memory:"), now=NOON.astimezone(UTC), before_first=lambda _: None)
    conn.execute("COMMIT")
    file = package_files.migrations()[-1]
    if request.config.getoption("--update-golden"):
        script = re.sub(r"\A-- schema: \w+\n", "", file.read_text(encoding="utf-8"))
        file.write_text(f"-- schema: {migrations.digest(conn)}\n{script}", encoding="utf-8")

    assert migrations.digest(conn) == migrations.schema_digest(file)
    assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
