"""Compiled queries: runs the SQL statements compiled from Cypher, read-only, and explains their plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store import sqlite_errors
from keepgraph.store.transactions import Tx

_ERROR = 1
"""SQLITE_ERROR: a statement failed on its content: an overflow, or a function that raised."""

_NO_MEMORY_OR_TOO_BIG = {7, 18}
"""SQLITE_NOMEM and SQLITE_TOOBIG: there is too little memory, or a value is too long."""

_INTERRUPTED = 9

_READ_ACTIONS = {sqlite.SQLITE_SELECT, sqlite.SQLITE_READ, sqlite.SQLITE_FUNCTION, sqlite.SQLITE_RECURSIVE}
# Functions that load code or write files; SQLite also calls them from a SELECT.
_UNSAFE_FUNCTIONS = {"load_extension", "sqlcipher_export"}
_READ_ONLY_SWITCH = "whether statements may only read"


def run(
    tx: Tx,
    sql: str,
    arguments: Sequence[Any],
    *,
    refused: type[Exception],
    interrupted_by: Callable[[], errors.KeepgraphError | None] = lambda: None,
) -> Iterator[tuple[Any, ...]]:
    """Run a statement and yield its rows, one by one.

    Args:
        refused: the error to raise if the statement cannot handle a value.
        interrupted_by: gives the reason, if the statement was interrupted.

    Raises:
        errors.QueryTooLarge: it needs too much memory.
    """
    try:
        # Not `yield from`: a generator that is dropped would close the cursor, perhaps after its connection.
        for row in tx.conn.execute(sql, arguments):  # noqa: UP028 (for that reason)
            yield row
    except MemoryError:
        raise errors.QueryTooLarge("the query needs more memory than there is") from None
    except sqlite.Error as error:
        number = sqlite_errors.result_code(error)
        if number == _ERROR:
            raise refused from error
        if number in _NO_MEMORY_OR_TOO_BIG:
            raise errors.QueryTooLarge("the query needs more memory than there is") from error
        if number == _INTERRUPTED and (reason := interrupted_by()) is not None:
            raise reason from error
        raise


@contextmanager
def read_only(tx: Tx) -> Iterator[None]:
    """While active, SQLite refuses every statement that would do more than read the tables."""
    # A new authorizer makes SQLite recompile all its statements, so one stays set and has a switch.
    switch: list[bool] | None = tx.connection_cache.get(_READ_ONLY_SWITCH)
    if switch is None:
        switch = tx.connection_cache[_READ_ONLY_SWITCH] = [False]
        tx.conn.set_authorizer(_authorizer(switch))
    switch[0] = True
    try:
        yield
    finally:
        switch[0] = False


def _authorizer(switch: Sequence[bool]) -> Callable[..., int]:
    def authorize(action: int, _: str | None, name: str | None, *__: str | None) -> int:
        reads = action in _READ_ACTIONS and not (action == sqlite.SQLITE_FUNCTION and name in _UNSAFE_FUNCTIONS)
        return int(sqlite.SQLITE_OK if reads or not switch[0] else sqlite.SQLITE_DENY)

    return authorize


def register(tx: Tx, prefix: str, name: str, function: Callable[..., Any]) -> None:
    """Let statements on the connection call a Python function, with any number of arguments."""
    tx.conn.create_function(f"{prefix}{name}", -1, function, deterministic=name != "inexact")


def explain(tx: Tx, sql: str, arguments: Sequence[Any]) -> list[tuple[int, int, str]]:
    """SQLite's plan for a statement: each step with its number, the number of its parent, and what it does."""
    steps = tx.conn.execute(f"EXPLAIN QUERY PLAN {sql}", arguments)
    return [(step[0], step[1], step[3]) for step in steps]
