"""Runs statements that were compiled from Cypher, on a connection that can only read. Knows no table and no Cypher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.store import trouble
from keepgraph.store.db import Connection

_SAID_NO = 1
"""SQLite's code for a statement that failed by what it says: an overflow, a function that raised."""


def rows(
    conn: Connection,
    sql: str,
    arguments: Sequence[Any],
    *,
    refused: type[Exception],
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement, as they are found.

    Raises:
        refused: the statement met a value that it cannot treat.
    """
    try:
        yield from conn.execute(sql, arguments)
    except sqlite.Error as error:
        if trouble.code(error) == _SAID_NO:
            raise refused from error
        raise


def register(conn: Connection, prefix: str, name: str, function: Callable[..., Any]) -> None:
    """Let statements on this connection call a Python function."""
    conn.create_function(f"{prefix}{name}", -1, function, deterministic=name != "inexact")
