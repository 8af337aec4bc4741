"""Migrations: the numbered SQL files that a database lacks are applied; what it has is compared with what they make.

First, a digest of all parts is compared with that in the first line of the newest migration applied. Only if it
differs (a version of SQLite may word a part differently) are the migrations run in memory, to find the parts that are
extra, missing or changed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, lazy, package_files
from keepgraph.store import sqlite_errors
from keepgraph.store.connections import Connection, quote_name
from keepgraph.store.transactions import Tx

APPLICATION_ID = 0x4B475048  # "KGPH"


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
    first_line = script[: script.find(b"\n")].decode("utf-8", "replace")
    digest = first_line.removeprefix("-- schema: ")
    return hashlib.sha256(script).hexdigest(), None if digest == first_line else digest


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


_PARTS_SHOWN = 12

# The statistics of ANALYZE belong to SQLite, which only reads them. They are allowed exactly as it makes them.
_IS_OURS = """
    NOT (type = 'table' AND name = tbl_name AND (name, sql) IN (VALUES
        ('sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'),
        ('sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
    ))
"""

# One text of all parts. No part of a graph contains a character 0 or 1, and the number of parts comes first, so that
# no other parts give the same text. As bytes: the words of a damaged schema may not be valid text.
_ALL_PARTS = f"""
    SELECT count(*), CAST(group_concat(
        concat_ws(char(0), coalesce(type, ''), coalesce(name, ''), coalesce(tbl_name, ''),
                  coalesce(rootpage, 0) > 0, coalesce(sql, '')),
        char(1)) AS BLOB)
    FROM (SELECT * FROM main.sqlite_schema WHERE {_IS_OURS} ORDER BY type, name)
"""

_PARTS = f"""
    SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(tbl_name AS TEXT), coalesce(rootpage, 0) > 0,
           coalesce(CAST(sql AS TEXT), '')
    FROM main.sqlite_schema
    WHERE {_IS_OURS}
    ORDER BY type, name
"""

_SHARING_PAGES = """
    SELECT CAST(name AS TEXT) FROM main.sqlite_schema
    WHERE rootpage = 1
       OR rootpage IN (SELECT rootpage FROM main.sqlite_schema WHERE rootpage > 0 GROUP BY 1 HAVING count(*) > 1)
"""

_HINT_IF_ROWS_DIFFER = (
    "`kg restore` brings a backup back and keeps this file; `kg export FILE` saves what can be read. A table with rows "
    "cannot be recreated."
)

_MADE_WITHOUT_ROWS = ("trigger", "view", "index")
"""Kinds of parts without rows of their own, so that they can be recreated."""

Content = tuple[str, bool, str]
"""Of a part: the table it belongs to, whether it has pages of its own, and its SQL."""


class Part(NamedTuple):
    """A row of `sqlite_schema`, by its kind (table, index, trigger or view) and its name."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@lazy.dataclass(frozen=True, slots=True)
class Differences:
    """What a schema has in excess, lacks, or has in another form than the migrations."""

    extra: tuple[Part, ...] = ()
    missing: tuple[Part, ...] = ()
    changed: tuple[Part, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.extra or self.missing or self.changed)

    @property
    def is_repairable(self) -> bool:
        """Whether nothing that holds rows is missing or changed."""
        return all(part.kind in _MADE_WITHOUT_ROWS for part in (*self.missing, *self.changed))

    def describe(self) -> str:
        """The parts by their names, a few of each: "1 part too many: trigger x"."""
        return "; ".join(
            f"{len(parts):,} {'part' if len(parts) == 1 else 'parts'} {what}: {_examples(parts)}"
            for what, parts in (("too many", self.extra), ("too few", self.missing), ("changed", self.changed))
            if parts
        )


def refuse_differences(conn: Connection, file: Path) -> None:
    """Check that a file has exactly the parts of its applied migrations. 0.2 ms if it has.

    Raises:
        errors.GraphSchemaDiffers: a part is extra, missing, or changed.
    """
    if not is_as_migrated(conn) and (differences := find_differences(conn)):
        raise errors.GraphSchemaDiffers(
            f"{file} is not as Keepgraph makes it; {differences.describe()}",
            hint=None if differences.is_repairable else _HINT_IF_ROWS_DIFFER,
        )


def is_as_migrated(conn: Connection) -> bool:
    """Whether the digest of all parts is that of the schema version of the file."""
    current, files = version(conn), package_files.migrations()
    return (
        0 < current <= len(files)
        and digest(conn) == schema_digest(files[current - 1])
        and _counts_agree(conn, current)
        and not _sharing_pages(conn)
    )


def find_differences(conn: Connection) -> Differences:
    """Compare the parts of a file, one by one, with those that migrations make in memory. Takes some 30 ms.

    Raises:
        errors.GraphTooNew: its version is newer than the migrations known here.
    """
    current = version(conn)
    expected, actual = parts_of_version(current), _parts(conn)
    counts = Counter(part for part, _ in actual)
    extra = [part for part, count in counts.items() for _ in range(count - (part in expected))]
    changed = [part for part, content in dict(actual).items() if part in expected and expected[part] != content]
    if not _counts_agree(conn, current):
        changed.append(Part("number", "user_version"))
    # Not to be dropped: their pages hold the rows of others.
    changed += [Part("pages of", name) for name in _sharing_pages(conn)]
    missing = [part for part in expected if part not in counts]
    return Differences(tuple(sorted(extra)), tuple(sorted(missing)), tuple(sorted(changed)))


def repair(conn: Connection) -> list[str]:
    """Drop extra parts, and recreate missing or changed ones that hold no rows.

    All or nothing. The rows of an extra table are lost.

    Args:
        conn: with the file locked exclusively, outside a transaction.

    Returns:
        What was done, a message each.

    Raises:
        errors.GraphSchemaDiffers: something differs that cannot be recreated.
        sqlite.Error: a part cannot be dropped or made, because of the rows.
    """
    conn.execute("SAVEPOINT schema")
    try:
        messages = _repair(conn, find_differences(conn))
    except BaseException:
        conn.execute("ROLLBACK TO schema")
        conn.execute("RELEASE schema")
        raise
    conn.execute("RELEASE schema")
    return messages


def digest(conn: Connection) -> str:
    """The SHA-256 of all parts of a schema: kind, name, table and SQL of each, statistics aside."""
    count, text = conn.execute(_ALL_PARTS).fetchone()
    return hashlib.sha256(b"%d\x01%s" % (count, text or b"")).hexdigest()


def parts_of_version(version: int) -> Mapping[Part, Content]:
    """The parts that the first migrations up to a version make."""
    files = package_files.migrations()
    if version > len(files):
        raise errors.GraphTooNew(f"schema {version} is newer than those known here, which go up to {len(files)}")
    return _parts_after(version, tuple(checksum(file) for file in files[:version]))


@cache
def _parts_after(version: int, checksums: tuple[str, ...]) -> Mapping[Part, Content]:
    """The parts that the first migrations make, in memory; `checksums` distinguish migrations with equal numbers."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    try:
        apply(conn, Path(":memory:"), now=datetime(2000, 1, 1, tzinfo=UTC), before_first=lambda _: None, up_to=version)
        return dict(_parts(conn))
    finally:
        conn.close()


def _repair(conn: Connection, differences: Differences) -> list[str]:
    remade = (*differences.changed, *differences.missing)
    if differences.is_repairable:
        # Triggers before the tables that they are on; what belongs to a virtual table goes with it.
        for part in sorted((*differences.extra, *differences.changed), key=lambda part: _drop_order(conn, part)):
            if not part.name.startswith("sqlite_"):  # an index that SQLite makes and drops with its table
                conn.execute(f"DROP {part.kind.upper()} IF EXISTS {quote_name(part.name)}")
        expected = parts_of_version(version(conn))
        for part in sorted(remade, key=lambda part: _MADE_WITHOUT_ROWS[::-1].index(part.kind)):
            conn.execute(expected[part][2])
    if remaining := find_differences(conn):
        raise errors.GraphSchemaDiffers(f"the schema cannot be made anew; {remaining.describe()}")
    return [f"removed the {part}" for part in differences.extra] + [f"made the {part} anew" for part in sorted(remade)]


def _parts(conn: Connection) -> list[tuple[Part, Content]]:
    return [(Part(kind, name), (table, bool(pages), sql)) for kind, name, table, pages, sql in conn.execute(_PARTS)]


def _counts_agree(conn: Connection, version: int) -> bool:
    """Whether as many migrations are on record as the version of the file says; their own table is compared apart."""
    try:
        return bool(conn.execute("SELECT count(*) FROM migration").fetchone()[0] == version)
    except sqlite.OperationalError as error:
        if sqlite_errors.result_code(error) not in sqlite_errors.SQL_REFUSED:
            raise
        return True


def _sharing_pages(conn: Connection) -> list[str]:
    """The parts that share their pages with another: what is written to one is lost from the other."""
    return [name for (name,) in conn.execute(_SHARING_PAGES)]


def _drop_order(conn: Connection, part: Part) -> tuple[int, Part]:
    is_virtual = conn.execute(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND rootpage = 0", (part.name,)
    ).fetchone()
    return [*_MADE_WITHOUT_ROWS, "table"].index(part.kind) + (part.kind == "table" and not is_virtual), part


def _examples(parts: tuple[Part, ...]) -> str:
    more = f" and {len(parts) - _PARTS_SHOWN:,} more" if len(parts) > _PARTS_SHOWN else ""
    return f"{', '.join(map(str, parts[:_PARTS_SHOWN]))}{more}"


# SQL fragments for the queries of the store.

HOLDS = "retracted_at IS NULL AND valid_from <= :at AND :at < valid_to"
FACT_HOLDS = "fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to"
"""The condition for facts that hold at a timestamp, as far as is known now."""


def facts_with(entity: str, condition: str, *, columns: str = "id", table: str = "fact") -> str:
    """SQL for the facts with an entity as subject or object, each once: one SELECT for each index that finds them.

    Args:
        entity: what an end is compared with, such as `= :entity`.
        condition: on a column that these indexes do not have, it reads the row of each fact of the entity.
    """
    ends = ("subject", "object", ""), ("subject", "literal", ""), ("object", "object", " AND subject <> object")
    return " UNION ALL ".join(
        f"SELECT {columns} FROM {table} WHERE {end} {entity} AND {kind} IS NOT NULL{other} AND {condition}"
        for end, kind, other in ends
    )


# SQL fragments for the Cypher catalogue: which entities and facts it shows, and properties that other tables hold.
#
# `{row}` stands for the alias of the row of an entity or a fact, `{at}` and `{known}` for timestamps.
#
# With `known_at` a query also covers the table of facts: a condition selects the known facts, and the validity is
# today's or, if that became known later, the earlier one. The indexes by predicate, object and literal have the
# retracted facts for it. A UNION of the known facts, which SQLite reads whole in a join, took 3 to 11 s at a million
# facts, this takes 3 to 210 ms; the UNION remains for the facts of one entity (store/facts.py).

_IS_CURRENT = "iif({row}.known_from = '', {row}.recorded_at, {row}.known_from) <= {known}"
_ONCE = """
    FROM earlier_validity AS once
    WHERE once.fact = {row}.id AND once.known_from <= {known} AND {known} < once.known_to
"""
VALID_FROM_AS_KNOWN = f"iif({_IS_CURRENT}, {{row}}.valid_from, (SELECT once.valid_from {_ONCE}))"
VALID_TO_AS_KNOWN = f"iif({_IS_CURRENT}, {{row}}.valid_to, (SELECT once.valid_to {_ONCE}))"
"""The validity of a fact as known at a timestamp: today's, or an earlier one; null if it was unknown."""

_NOT_RETRACTED_YET = "{row}.retracted_at IS NULL OR {row}.retracted_at > {known}"
KNOWN_FACT = f"iif({_IS_CURRENT}, {_NOT_RETRACTED_YET}, EXISTS (SELECT 1 {_ONCE}))"
"""The condition for facts that were known at a timestamp, retracted or not since."""

SOURCE_OF = """(
    SELECT source FROM provenance
    WHERE provenance.fact = {row}.id AND source IS NOT NULL
    ORDER BY provenance.recorded_at, provenance.id LIMIT 1
)"""

SOURCES = """(
    SELECT fact AS row_key, source AS value FROM provenance AS given
    WHERE source IS NOT NULL AND id = (
        SELECT id FROM provenance
        WHERE provenance.fact = given.fact AND source IS NOT NULL
        ORDER BY provenance.recorded_at, provenance.id LIMIT 1
    )
)"""
"""The facts with a source, each once, with it: as `SOURCE_OF` gives it for one."""

ALIASES_OF = "(SELECT json_group_array(alias ORDER BY id) FROM alias WHERE alias.entity = {row}.id)"

ALIASES = "(SELECT entity AS row_key, alias AS value FROM alias)"
"""The aliases of all entities, one a row; those of one are read in the order of `ALIASES_OF`."""

HAS_OBJECT = "+{row}.object IS NOT NULL"
HAS_LITERAL = "{row}.literal IS NOT NULL"


KNOWN_ENTITY = """(
    {row}.created_at <= {known} OR (
        EXISTS (SELECT 1 FROM former_id WHERE former_id.entity = {row}.id) AND (
            EXISTS (SELECT 1 FROM fact AS own WHERE own.subject = {row}.id AND own.object IS NOT NULL
                    AND own.retracted_at IS NULL AND own.recorded_at <= {known})
            OR EXISTS (SELECT 1 FROM fact AS own WHERE own.subject = {row}.id AND own.literal IS NOT NULL
                       AND own.retracted_at IS NULL AND own.recorded_at <= {known})
            OR EXISTS (SELECT 1 FROM fact AS own WHERE own.object = {row}.id AND own.object IS NOT NULL
                       AND own.recorded_at <= {known})
        )
    )
)"""
"""The condition for entities that were known at a timestamp.

When entities merged into one were created is not kept: it was known when a fact that it has now was.
"""


def visible_entities(*, is_only_group: bool, as_known: bool) -> str:
    """The condition for entities that belong to the group and were known; empty if all are.

    Args:
        is_only_group: whether there is no other group.
        as_known: whether to select only the entities known at a timestamp.
    """
    return " AND ".join(([] if is_only_group else ["{row}.group_id = {group}"]) + ([KNOWN_ENTITY] if as_known else []))


def current_facts(*, all_hold: bool, is_only_group: bool, as_known: bool = False) -> str:
    """The condition for facts that hold and belong to the group.

    Args:
        all_hold: whether every unretracted fact holds, so that no check is needed.
        is_only_group: whether there is no other group.
        as_known: whether to select the facts as known at a timestamp, retracted or not since.
    """
    if as_known:
        conditions = [
            KNOWN_FACT,
            f"{VALID_FROM_AS_KNOWN} <= {{at}} AND {{at}} < {VALID_TO_AS_KNOWN}",
        ]
    else:
        conditions = ["{row}.retracted_at IS NULL"]
        if not all_hold:
            conditions.append("{row}.valid_from <= {at} AND {at} < {row}.valid_to")
    if not is_only_group:
        conditions.append("(SELECT g.group_id FROM entity AS g WHERE g.id = {row}.subject) = {group}")
    return " AND ".join(conditions)
