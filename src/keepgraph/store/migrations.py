"""Brings a database to the schema of this version, and keeps a ledger of what was applied. Knows no other table."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, package_files

APPLICATION_ID = 0x4B475048  # "KGPH"


def pending(conn: Any, path: Path) -> list[Path]:
    """The migrations that this database still lacks.

    Raises:
        errors.GraphUnavailable: it is a SQLite database, but not a graph.
        errors.GraphTooNew: a newer version of Keepgraph wrote it.
        errors.MigrationEdited: a migration was changed after it had been applied here.
    """
    files = package_files.migrations()
    applied = _applied(conn, path)
    if len(applied) > len(files):
        raise errors.GraphTooNew(
            f"{path} is at schema {len(applied)}, and this version of Keepgraph knows schemas up to {len(files)}"
        )
    for file, (number, recorded) in zip(files, applied, strict=False):
        if _checksum(file) != recorded:
            raise errors.MigrationEdited(
                f"migration {number:04d} was applied to {path} with checksum {recorded[:12]}, "
                f"but {file.name} now has {_checksum(file)[:12]}"
            )
    return list(files[len(applied) :])


def refuse_newer(conn: Any, path: Path) -> None:
    """See, at the start of a transaction, that no newer version has changed the tables while the file was open.

    Raises:
        errors.GraphTooNew: it has.
    """
    found = version(conn)
    if found > len(package_files.migrations()):
        raise errors.GraphTooNew(
            f"{path} is at schema {found}: a newer version of Keepgraph wrote it, or has it brought there meanwhile",
            hint="Restart this program with the newer version.",
        )


def apply(conn: Any, path: Path, *, now: datetime, before: Callable[[str], None]) -> None:
    """Apply what is pending, inside the caller's write transaction.

    Of a database with facts in it a copy is made first: `before` is called with the name of the first migration.
    """
    # Asked again under the lock: another process may have been quicker.
    todo = pending(conn, path)
    if not todo:
        return
    if _holds_facts(conn):
        before(todo[0].stem)
    stamp = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
    for file in todo:
        for statement in _statements(file.read_text(encoding="utf-8")):
            conn.execute(statement)
        conn.execute(
            "INSERT INTO migration (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
            (int(file.name[:4]), file.stem, _checksum(file), stamp),
        )
    conn.execute(f"PRAGMA user_version = {int(todo[-1].name[:4])}")
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def version(conn: Any) -> int:
    """The number of the newest migration that was applied."""
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def _applied(conn: Any, path: Path) -> list[tuple[int, str]]:
    if conn.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
        return [tuple(row) for row in conn.execute("SELECT number, sha256 FROM migration ORDER BY number")]
    if conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise errors.GraphUnavailable(
            f"{path} is a SQLite database, but not a Keepgraph graph",
            hint="Name the graph's own file with --db or KG_DB; this file was left as it is.",
        )
    return []


def _holds_facts(conn: Any) -> bool:
    return bool(
        version(conn)
        and conn.execute("SELECT EXISTS (SELECT 1 FROM fact) OR EXISTS (SELECT 1 FROM entity)").fetchone()[0]
    )


def _statements(script: str) -> Iterator[str]:
    """One statement after the other; the driver's own executescript would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip() and not all(line.startswith("--") for line in statement.split("\n") if line.strip()):
        raise errors.InternalError(f"a migration ends within a statement: {statement[:60]!r}")


def _checksum(file: Path) -> str:
    # Line ends may differ between a checkout and a wheel; the meaning does not.
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
