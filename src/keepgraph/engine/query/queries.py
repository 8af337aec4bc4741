"""Asks the graph in Cypher: repairs, checks, compiles, runs within bounds, and tells what may be wrong with a question.

Nothing is ever written: the grammar has no way to say it, the connection cannot, and SQLite is told to refuse.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import errors, store
from keepgraph.cypher import compiler, execution, functions
from keepgraph.cypher.check import parameters
from keepgraph.cypher.compiler import Compiled
from keepgraph.cypher.dialect import refusal
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.repair import pipeline
from keepgraph.cypher.sql import blocks, callbacks
from keepgraph.cypher.syntax import ast, parser, tokens
from keepgraph.cypher.table_graph import Execute, Statements, TableGraph
from keepgraph.engine.query import graph_catalogue, hydration
from keepgraph.store.database import Tx

DEFAULT_ROWS = 200
MOST_ROWS = 10_000
SECONDS = 20.0
MOST_MEMORY = 1 << 30
"""How much the process may grow during one query, in bytes."""

_BETWEEN_LOOKS = 8
_SECONDS_BETWEEN_LOOKS = 0.01
"""To ask the system for the memory takes as long as thousands of steps of SQLite."""
_COMPILED_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query found.

    Attributes:
        text: the query as it ran, repaired and with its limit.
        repairs: what was repaired, a sentence each.
        fixes: the same, and that a limit was set where the query had none.
        columns: the names of the columns.
        rows: plain values, and nodes, relationships and paths with their labels and properties.
        limit: how many rows were wanted at most.
        truncated: whether there were more.
        by: who found the rows: 'sql', 'sql and python' or 'python'.
    """

    text: str
    repairs: tuple[str, ...]
    fixes: tuple[str, ...]
    query: ast.Query
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    limit: int
    truncated: bool
    by: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A query as it is kept from one call to the next; rows beyond `cut` are cut, `limit` is what is told."""

    text: str
    fixes: tuple[str, ...]
    compiled: Compiled
    cut: int
    limit: int
    injected: bool

    @property
    def told(self) -> tuple[str, ...]:
        """What was repaired, and that a limit was set where that is so."""
        return (*self.fixes, f"Injected LIMIT {self.limit}") if self.injected else self.fixes


def answer(tx: Tx, text: str, given: Mapping[str, Any], *, rows: int | None = None, seconds: float = SECONDS) -> Answer:
    """Run a query.

    Args:
        given: the values of its parameters.
        rows: at most so many where the query itself sets no limit; None means DEFAULT_ROWS.
        seconds: when to give up.

    Raises:
        errors.QueryError: the query cannot be read, makes no sense, is refused, or fails on what is in the graph.
    """
    bounds = _Bounds(tx, seconds)
    statements = graph_catalogue.statements(tx)
    prepared = _prepared(tx, statements, text, given, DEFAULT_ROWS if rows is None else rows)
    found, truncated, by = _run(tx, prepared.compiled, statements, given, bounds, cut=prepared.cut)
    return Answer(
        text=prepared.text,
        repairs=prepared.fixes,
        fixes=prepared.told,
        query=prepared.compiled.query,
        columns=prepared.compiled.columns,
        rows=found,
        limit=prepared.limit,
        truncated=truncated,
        by=by,
    )


def found(tx: Tx, text: str, given: Mapping[str, Any], *, rows: int, seconds: float) -> list[tuple[Any, ...]]:
    """The first rows of a query that we wrote ourselves, which is neither repaired nor refused.

    Raises:
        errors.QueryTooSlow: it would take longer.
    """
    bounds = _Bounds(tx, seconds)
    statements = graph_catalogue.statements(tx)
    compiled = compiler.compiled(text, statements.catalogue, parameters.types(given), cap=rows)
    return _run(tx, compiled, statements, given, bounds, cut=rows)[0]


@dataclass(frozen=True, slots=True)
class Explained:
    """How a query would be run.

    Attributes:
        statements: the SQL of each, and what SQLite does for it: (step, step around it, what).
        by: who finds the rows, as of an answer.
    """

    text: str
    fixes: tuple[str, ...]
    statements: list[tuple[str, list[tuple[int, int, str]]]]
    by: str


def explained(tx: Tx, text: str, given: Mapping[str, Any], *, rows: int | None = None) -> Explained:
    """The SQL of a query, and SQLite's plan for it; the query is not run.

    Raises:
        errors.QueryError: the query cannot be read, makes no sense or is refused.
    """
    statements = graph_catalogue.statements(tx)
    prepared = _prepared(tx, statements, text, given, DEFAULT_ROWS if rows is None else rows)
    compiled, plans = prepared.compiled, []
    for statement in compiled.statements():
        _register(tx, statement.functions)
        bound = statement.arguments(given, graph_catalogue.values(tx))
        plans.append((statement.sql, store.compiled_queries.plan(tx, statement.sql, bound)))
    return Explained(prepared.text, prepared.told, plans, compiled.by)


def mended(tx: Tx, text: str) -> str:
    """A query with its slips repaired: the text that the places of errors are in."""
    return pipeline.repaired(text, known(tx)).text


def language() -> tuple[list[str], list[str]]:
    """The functions and the keywords that a query may use."""
    return functions.names(), sorted(tokens.RESERVED | tokens.UNRESERVED)


def known(tx: Tx) -> pipeline.Known:
    """What the repair of a query may know of the graph."""
    types, predicates = graph_catalogue.words(tx)
    return pipeline.Known(
        labels=frozenset(
            (*(graph_catalogue.label(word.name) for word in types), graph_catalogue.LITERAL, graph_catalogue.ENTITY)
        ),
        types=frozenset(graph_catalogue.relationship_type(word.name) for word in predicates),
        directions=graph_catalogue.Directions(tx),
        text_properties=graph_catalogue.DATES,
    )


def _run(
    tx: Tx, compiled: Compiled, statements: Statements, given: Mapping[str, Any], bounds: _Bounds, *, cut: int
) -> tuple[list[tuple[Any, ...]], bool, str]:
    """The rows up to a number, made whole; whether there are more; and who found them."""
    execute = _executor(tx, bounds)
    graph = TableGraph(statements, _resting(execute, bounds), graph_catalogue.values(tx), graph_catalogue.arrays(tx))
    with store.compiled_queries.only_reading(tx), tx.interrupted(bounds.exceeded):
        rows, by = execution.rows(
            compiled,
            graph,
            execute,
            given,
            graph_catalogue.values(tx),
            now=tx.now if tx.zone is None else tx.now.astimezone(tx.zone),
            rest=bounds.rest,
        )
        return hydration.whole(rows[:cut], graph), len(rows) > cut, by


def _prepared(tx: Tx, statements: Statements, text: str, given: Mapping[str, Any], rows: int) -> _Prepared:
    """The query, repaired, checked and compiled; from an earlier call where the graph's shape is the same."""
    types = parameters.types(given)
    cache: dict[Any, _Prepared] = statements.remembered("compiled", dict)
    key = (text, rows, tuple(sorted(types.items(), key=lambda each: each[0])))
    found = cache.get(key)
    if found is None:
        if len(cache) >= _COMPILED_AT_ONCE:
            cache.clear()
        found = cache[key] = _compiled(tx, statements, text, types, rows)
    return found


def _compiled(tx: Tx, statements: Statements, text: str, types: Mapping[str, Any], rows: int) -> _Prepared:
    mended = pipeline.repaired(text, known(tx))
    try:
        query = parser.parse(mended.text)
        refusal.refuse(query, mended.text)
        own = _own_limit(query)
        limit = min(rows, MOST_ROWS) if own is None else MOST_ROWS
        compiled = compiler.of_tree(query, statements.catalogue, types, cap=limit + 1)
    except errors.QueryError as error:
        better = refusal.explain(mended.text, error)
        if better is error:
            raise
        raise better from error
    if own is None:
        limited = _limited(mended.text, query, limit + 1)
        return _Prepared(limited, mended.fixes, compiled, cut=limit, limit=limit, injected=True)
    told = own.value if isinstance(own, ast.Literal) and isinstance(own.value, int) else limit
    told = max(0, min(told, limit))
    return _Prepared(mended.text, mended.fixes, compiled, cut=limit, limit=told, injected=False)


def _own_limit(query: ast.Query) -> ast.Expression | None:
    """The limit that a query sets on its outermost result; that of one part of a UNION is none."""
    last = query.parts[-1].clauses[-1]
    return last.limit if len(query.parts) == 1 and isinstance(last, ast.Projection) else None


def _limited(text: str, query: ast.Query, rows: int) -> str:
    """The query as it runs. Behind a UNION a limit would be that of the last part alone, and is not shown."""
    if len(query.parts) > 1:
        return text
    body = text.rstrip().rstrip(";").rstrip()
    # The last line may be a comment.
    return f"{body}{chr(10) if '//' in body.rpartition(chr(10))[2] else ' '}LIMIT {rows}"


def _executor(tx: Tx, bounds: _Bounds) -> Execute:
    def execute(sql: str, bound: Sequence[Any], called: frozenset[str]) -> Iterator[Row]:
        if called:
            _register(tx, called)
        return store.compiled_queries.rows(tx.conn, sql, bound, refused=blocks.Inexpressible, why=bounds.why)

    return execute


def _resting(execute: Execute, bounds: _Bounds) -> Execute:
    """The same for whoever does something with each row before asking for the next."""

    def rest_and_execute(sql: str, bound: Sequence[Any], called: frozenset[str]) -> Iterator[Row]:
        for row in execute(sql, bound, called):
            bounds.rest(1)
            yield row

    return rest_and_execute


def _register(tx: Tx, called: frozenset[str]) -> None:
    """Let the connection call the functions that Python computes."""
    registered: set[str] = tx.kept.setdefault("functions that Python computes", set())
    for name in called - registered:
        store.compiled_queries.register(tx.conn, callbacks.PREFIX, name, callbacks.function(name))
        registered.add(name)


class _Bounds:
    """How long a query may take, and how much memory."""

    def __init__(self, tx: Tx, seconds: float) -> None:
        self._stop = tx.stop
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._memory = _memory()
        self._next_look = 0.0
        self._since = 0
        self._reason: errors.KeepgraphError | None = None

    def rest(self, done: int) -> None:
        """Called by whoever computes in Python, with how much was done.

        Raises:
            errors.KeepgraphError: the reason to stop.
        """
        self._since += done
        if self._since > _BETWEEN_LOOKS:
            self._since = 0
            if self.exceeded() and self._reason is not None:
                raise self._reason

    def exceeded(self) -> bool:
        """Whether it is time to stop; then there is a reason."""
        now = time.monotonic()
        if self._reason is None and now >= self._next_look:
            self._next_look = now + _SECONDS_BETWEEN_LOOKS
            if now > self._deadline:
                self._reason = errors.QueryTooSlow(f"the query took more than {self._seconds:g} seconds")
            elif _memory() - self._memory > MOST_MEMORY:
                self._reason = errors.QueryTooLarge(f"the query takes more than {MOST_MEMORY >> 20} MB of memory")
            elif self._stop is not None:
                self._reason = self._stop()
        return self._reason is not None

    def why(self) -> errors.KeepgraphError | None:
        return self._reason


def _memory() -> int:
    """The memory of the process in bytes, as near as the system tells; 0 where it does not."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
