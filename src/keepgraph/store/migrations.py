"""Migrations: which of the numbered SQL files a database lacks, and applying them. The table `migration` lists them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, lazy, package_files
from keepgraph.store import sqlite_errors
from keepgraph.store.connections import Connection
from keepgraph.store.transactions import Tx

APPLICATION_ID = 0x4B475048  # "KGPH"

_SCHEMA_DIGEST = lazy.compile(r"-- schema: ([0-9a-f]{64})\n")


def pending(conn: Connection, path: Path) -> list[Path]:
    """The migrations that a database lacks, in order.

    Raises:
        errors.GraphUnavailable: it is a SQLite database, but not a graph.
        errors.GraphSchemaDiffers: the table of the migrations is missing or changed.
        errors.GraphTooNew: a newer version of Keepgraph wrote it.
        errors.MigrationEdited: another migration of the same number was applied to it.
    """
    files = package_files.migrations()
    applied = _applied_migrations(conn, path)
    for file, (number, name, recorded) in zip(files, applied, strict=False):
        if checksum(file) != recorded:
            raise errors.MigrationEdited(
                f"{path} has the schema of another version of Keepgraph: its migration {number:04d} is {name} "
                f"({recorded[:12]}), and here it is {file.stem} ({checksum(file)[:12]})"
            )
    if len(applied) > len(files):
        raise errors.GraphTooNew(
            f"{path} is at schema {len(applied)}, and this version of Keepgraph knows schemas up to {len(files)}"
        )
    return list(files[len(applied) :])


def refuse_newer_schema(conn: Connection, path: Path) -> None:
    """Check, at the start of a transaction, that no newer version has migrated the tables while the file was open.

    Raises:
        errors.GraphTooNew: one has.
    """
    current = version(conn)
    if current > len(package_files.migrations()):
        raise errors.GraphTooNew(
            f"{path} is at schema {current}: a newer version of Keepgraph wrote it, or restored it meanwhile",
            hint="Restart this program with the newer version.",
        )


def apply(
    conn: Connection, path: Path, *, now: datetime, before_first: Callable[[str], None], up_to: int | None = None
) -> None:
    """Apply the pending migrations, inside the caller's write transaction.

    Args:
        before_first: makes a backup; called with the name of the first migration, if there are entities or facts.
        up_to: the number of the last one to apply; None is the newest.
    """
    # Checked again under the write lock: another process may have migrated meanwhile.
    pending_files = [file for file in pending(conn, path) if up_to is None or int(file.name[:4]) <= up_to]
    if not pending_files:
        return
    if _has_content(conn):
        before_first(pending_files[0].stem)
    timestamp = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
    for file in pending_files:
        for statement in _statements(conn, file.read_text(encoding="utf-8")):
            conn.execute(statement, {"now": timestamp})
        conn.execute(
            "INSERT INTO migration (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
            (int(file.name[:4]), file.stem, checksum(file), timestamp),
        )
    conn.execute(f"PRAGMA user_version = {int(pending_files[-1].name[:4])}")
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def version(conn: Connection) -> int:
    """The number of the newest applied migration."""
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def schema_version(tx: Tx) -> int:
    """The same, in a transaction."""
    return version(tx.conn)


def _applied_migrations(conn: Connection, path: Path) -> list[tuple[int, str, str]]:
    """The number, name and checksum of each applied migration."""
    if conn.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
        try:
            return [tuple(row) for row in conn.execute("SELECT number, name, sha256 FROM migration ORDER BY number")]
        except sqlite.OperationalError as error:
            if sqlite_errors.result_code(error) not in sqlite_errors.SQL_REFUSED:
                raise
            raise errors.GraphSchemaDiffers(
                f"{path} is not as Keepgraph makes it; the table of its migrations is missing or changed"
            ) from error
    if conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise errors.GraphUnavailable(
            f"{path} is a SQLite database, but not a Keepgraph graph",
            hint="Name the graph's own file with --db or KG_DB; this file was not changed.",
        )
    return []


def _has_content(conn: Connection) -> bool:
    return bool(
        version(conn)
        and conn.execute("SELECT EXISTS (SELECT 1 FROM fact) OR EXISTS (SELECT 1 FROM entity)").fetchone()[0]
    )


def _statements(conn: Connection, script: str) -> Iterator[str]:
    """The statements of a script, one by one: the driver's own executescript would commit the transaction first.

    A line `-- journal triggers: TABLE` stands for the triggers of the table as the previous statements left it.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        if table := _table_in(line):
            _refuse_unfinished(statement)
            yield from statements(conn, table)
            continue
        statement += line
        if sqlite.complete_statement(statement):
            yield statement
            statement = ""
    _refuse_unfinished(statement)


def _refuse_unfinished(statement: str) -> None:
    if not all(line.startswith("--") for line in statement.split("\n") if line.strip()):
        raise errors.InternalError(f"a migration ends within a statement: {statement[:60]!r}")


def checksum(file: Path) -> str:
    """The SHA-256 of a migration, as the table `migration` has it."""
    return _digests(file)[0]


def schema_digest(file: Path) -> str | None:
    """The digest of a graph's schema after a migration, from its first line."""
    return _digests(file)[1]


def _digests(file: Path) -> tuple[str, str | None]:
    status = file.stat()
    return _read_digests(file, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _read_digests(file: Path, number: int, size: int, changed_at: int) -> tuple[str, str | None]:
    """The digests of a file in its last version: a process that opens several graphs reads it once."""
    # Line ends may differ between a checkout and a wheel.
    script = file.read_bytes().replace(b"\r\n", b"\n")
    first_line = _SCHEMA_DIGEST.match(script[:100].decode("utf-8", "replace"))
    return hashlib.sha256(script).hexdigest(), first_line[1] if first_line else None


# Generation of the journal triggers of a table, for migrations (ADR 0007).

_DIRECTIVE = lazy.compile(r"-- journal triggers: (\w+)")
_RESEMBLES_DIRECTIVE = lazy.compile(r"--\s*journal.?triggers?\b", re.IGNORECASE)


def _table_in(line: str) -> str | None:
    """The table that a line of a migration names as in `-- journal triggers: entity`; None for any other line.

    Raises:
        errors.InternalError: it resembles one, but is misspelt.
    """
    directive = _DIRECTIVE.fullmatch(line.rstrip())
    if directive is None and _RESEMBLES_DIRECTIVE.match(line.strip()):
        raise errors.InternalError(f"{line.strip()!r} is not of the form '-- journal triggers: TABLE'")
    return directive[1] if directive else None


def statements(conn: Connection, table: str) -> Iterator[str]:
    """The statements that replace the journal triggers of a table by those for its current columns.

    An insert is journalled by its row number alone, an update or a delete with the old row. Released migrations
    depend on the text of these triggers: it must not change.

    Raises:
        errors.InternalError: there is no such table, or it has no column `id`.
    """
    columns = [row[0] for row in conn.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))]
    is_table = conn.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)).fetchone()
    if not is_table or "id" not in columns:
        raise errors.InternalError(f"{table} cannot be journalled: it is no table with a column id")
    before = "json_object(\n        " + ", ".join(f"'{name}', old.{name}" for name in columns) + "\n    )"
    for operation, row, image in (("insert", "new.id", ""), ("update", "old.id", before), ("delete", "old.id", before)):
        names, values = ("call, op, tbl, row, was", f", {image}") if image else ("call, op, tbl, row", "")
        yield f"DROP TRIGGER IF EXISTS {table}_journal_{operation};"
        yield (
            f"CREATE TRIGGER {table}_journal_{operation} AFTER {operation.upper()} ON {table} BEGIN\n"
            f"    INSERT INTO journal ({names}) VALUES "
            f"((SELECT max(id) FROM call), '{operation}', '{table}', {row}{values});\n"
            "END;"
        )
