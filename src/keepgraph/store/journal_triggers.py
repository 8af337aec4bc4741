"""Generation of the journal triggers of a table, for migrations (ADR 0007)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepgraph import errors, lazy
from keepgraph.store.connections import Connection

_DIRECTIVE = lazy.compile(r"-- journal triggers: (\w+)")
_RESEMBLES_DIRECTIVE = lazy.compile(r"--\s*journal.?triggers?\b", re.IGNORECASE)


def table_in(line: str) -> str | None:
    """The table that a line of a migration names as in `-- journal triggers: entity`; None where it is no such line.

    Raises:
        errors.InternalError: it resembles one, but is misspelt.
    """
    directive = _DIRECTIVE.fullmatch(line.rstrip())
    if directive is None and _RESEMBLES_DIRECTIVE.match(line.strip()):
        raise errors.InternalError(f"{line.strip()!r} is not of the form '-- journal triggers: TABLE'")
    return directive[1] if directive else None


def statements(conn: Connection, table: str) -> Iterator[str]:
    """The statements that give a table, as it is now, its journal triggers, in place of those that it may have.

    An insert is journalled by its row number alone, an update or a delete with the row as it was. Migrations that were
    released depend on the text of these triggers: it must not change.

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
