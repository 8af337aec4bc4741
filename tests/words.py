"""How the tests speak: entities and facts as callers write them, a clock that stands still, a look at a whole file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from click.testing import Result
from sqlcipher3 import dbapi2 as sqlite

import keepgraph

Kg = Callable[..., Result]
"""A call of the command line on the graph of a test."""

NOON = datetime(2026, 5, 15, 10, 0, tzinfo=UTC)
"""A Friday, noon in Zurich."""

FillOnce = Callable[[Path, Callable[[], None]], None]
"""Fills a file, or copies one that was filled in the same way."""

_DUMPS_KEPT = 4


def person(name: str) -> dict[str, str]:
    return {"type": "person", "name": name}


def project(name: str) -> dict[str, str]:
    return {"type": "project", "name": name}


def decision(name: str) -> dict[str, str]:
    return {"type": "decision", "name": name}


def concept(name: str) -> dict[str, str]:
    return {"type": "concept", "name": name}


def source(name: str) -> dict[str, str]:
    return {"type": "source", "name": name}


def literal(text: str) -> dict[str, str]:
    return {"literal": text}


def fact(subject: dict[str, Any], predicate: str, object: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object, **more}


class Clock:
    """Tells the same time until it is told another."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)


def counted(made: int = 0) -> Callable[[str, datetime], str]:
    """Ids that count up, of the right length."""

    def new_id(prefix: str, now: datetime) -> str:
        nonlocal made
        made += 1
        return f"{prefix}_{made:026d}"

    return new_id


class Caller:
    """Calls tools as a door does: the answer, or the envelope of the error."""

    def __init__(self, graph: keepgraph.Graph) -> None:
        self.graph = graph

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        try:
            return self.graph.call(tool, **arguments)
        except keepgraph.KeepgraphError as error:
            return error.answer()

    def record(self, subject: dict[str, Any], predicate: str, object: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Record what must be recordable."""
        answer = self("record_fact", subject=subject, predicate=predicate, object=object, **more)
        assert "error" not in answer, answer
        return answer

    def recalled(self, name: str) -> str | None:
        """The name of the entity that a name is taken to mean."""
        entity = self("recall_entity", name_or_alias=name)["entity"]
        return entity and entity["name"]


@contextmanager
def connected(path: Path) -> Iterator[Any]:
    """A connection of our own, past the door."""
    conn = sqlite.connect(str(path), isolation_level=None)
    try:
        yield conn
    finally:
        conn.close()


def rows(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with connected(path) as conn:
        return [tuple(row) for row in conn.execute(query, values)]


_dumps: dict[bytes, dict[str, list[tuple[Any, ...]]]] = {}
"""The last dumps, by a digest of the file and its write-ahead log: the rows of a graph follow from these bytes."""


def dump(path: Path, only: Collection[str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, or of these, by its primary key; those of the full-text indexes included."""
    log = Path(f"{path}-wal")
    content = hashlib.sha256(path.read_bytes())
    content.update(log.read_bytes() if log.exists() else b"")
    digest = content.digest()
    if digest not in _dumps:
        if len(_dumps) == _DUMPS_KEPT:
            del _dumps[next(iter(_dumps))]
        _dumps[digest] = _read_tables(path)
    return {name: list(all_rows) for name, all_rows in _dumps[digest].items() if only is None or name in only}


def _read_tables(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with connected(path) as conn:
        tables = conn.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
        ).fetchall()
        return {name: conn.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}


CORE_STYLES = {
    "person": "person",
    "project": "title",
    "decision": "statement",
    "concept": "term",
    "source": "reference",
}
"""How the names of the entity types of the core are made."""


def kind_of_name(entity_type: str) -> dict[str, Any]:
    """What `name_similarity.compare` asks of an entity type: its style, and the names of it and of its ancestors."""
    return {"style": CORE_STYLES[entity_type], "type_names": frozenset([entity_type])}
