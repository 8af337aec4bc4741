"""Running a Cypher query: repair, dialect, check, compile, execute within bounds, hydrate.

Nothing is ever written: the grammar has no way to say it, the connection cannot, and SQLite is told to refuse.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from types import NoneType
from typing import Any

from keepgraph import errors, store
from keepgraph.cypher import binder, compiler, dialect, functions, query_repair
from keepgraph.cypher.catalogue import Catalogue, with_parameters
from keepgraph.cypher.compiler import CompiledQuery
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.sql import context, rendering, terms
from keepgraph.cypher.sql.rendering import Statement
from keepgraph.cypher.syntax import ast, parser, tokenizer
from keepgraph.cypher.table_graph import Execute, StatementCache, TableGraph
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.query.bounds import MAX_SECONDS, Bounds
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import GraphEdge, GraphNode, GraphPath, VocabularyTerm
from keepgraph.store.transactions import Tx
from keepgraph.temporal.types import Temporal

DEFAULT_ROWS = 200
MAX_ROWS = 10_000
_MAX_CACHED_QUERIES = 200
_MAX_ESTIMATED = 8


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query returns.

    Attributes:
        text: the query as it ran, repaired and with its limit.
        repairs: what was repaired, and which inverse types were matched from their other end, a sentence each.
        fixes: the same, plus the limit that was added where the query had none.
        tree: the same as a syntax tree, bound.
        parameters: the values of its parameters.
        columns: the names of the columns.
        rows: plain values, and nodes, relationships and paths with their labels and properties.
        limit: the limit of rows.
        truncated: whether there were more.
        target: what ran the query: 'sql', 'sql and python' or 'python'.
        of_text: what readers of results derived from the text alone, cached with the compiled query.
    """

    text: str
    repairs: tuple[str, ...]
    fixes: tuple[str, ...]
    tree: ast.Query
    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    limit: int
    truncated: bool
    target: str
    of_text: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a query would run: each statement in SQL with SQLite's plan for it.

    Attributes:
        statements: each step of a plan has its number, the number of its parent, and what it does.
        target: what would run the query, as in a QueryResult.
    """

    text: str
    fixes: tuple[str, ...]
    statements: list[tuple[str, list[tuple[int, int, str]]]]
    target: str


@dataclass(frozen=True, slots=True)
class _PreparedQuery:
    """A query that is ready to run, cached between calls.

    Attributes:
        max_rows: rows beyond this are cut.
        limit: the limit as results show it.
        limit_injected: whether the query itself had no limit.
        instants: the parameters that are compared with timestamps, each after the name of its property.
        of_text: as in a QueryResult.
    """

    text: str
    repairs: tuple[str, ...]
    compiled: CompiledQuery
    max_rows: int
    limit: int
    limit_injected: bool
    instants: tuple[tuple[str, str], ...]
    of_text: dict[str, Any] = field(default_factory=dict)

    def repairs_for(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """What was repaired, and which parameter values compared with timestamps are not instants."""
        if not self.instants:
            return self.repairs
        return (*self.repairs, *instant_comparisons.describe_unread(self.instants, values))

    def with_limit(self, repairs: tuple[str, ...]) -> tuple[str, ...]:
        """These repairs, plus the limit if one was added."""
        return (*repairs, f"Injected LIMIT {self.limit}") if self.limit_injected else repairs


def run(
    tx: Tx, text: str, values: Mapping[str, Any], *, rows: int | None = None, seconds: float = MAX_SECONDS
) -> QueryResult:
    """Run a query.

    Args:
        values: the values of its parameters.
        rows: the limit if the query has none; None means DEFAULT_ROWS.
        seconds: when to give up.

    Raises:
        errors.QueryError: the query cannot be read, makes no sense, is refused, or fails on the graph's contents.
    """
    bounds = Bounds(tx, seconds)
    statements = graph_catalogue.statement_cache(tx)
    prepared = _prepare(tx, statements, text, values, DEFAULT_ROWS if rows is None else rows)
    result, truncated, target = _execute(tx, prepared.compiled, statements, values, bounds, max_rows=prepared.max_rows)
    repairs = prepared.repairs_for(values)
    return QueryResult(
        text=prepared.text,
        repairs=repairs,
        fixes=prepared.with_limit(repairs),
        tree=prepared.compiled.query,
        parameters=values,
        columns=prepared.compiled.columns,
        rows=result,
        limit=prepared.limit,
        truncated=truncated,
        target=target,
        of_text=prepared.of_text,
    )


def run_tree(
    tx: Tx,
    tree: ast.Query,
    text: str,
    values: Mapping[str, Any],
    *,
    rows: int,
    seconds: float,
    of_all_times: bool = False,
) -> list[tuple[Any, ...]]:
    """Run an internal query, or a part of a parsed one, and return its first rows.

    Args:
        of_all_times: whether it also sees facts that do not hold at the instant of the call.

    Raises:
        errors.QueryTooSlow: it would take longer.
    """
    bounds = Bounds(tx, seconds)
    statements = graph_catalogue.statement_cache(tx, of_all_times=of_all_times)
    types = binder.infer_types(values)
    compiled = compiler.compile_tree(tree, text, statements.catalogue, types, row_cap=rows)
    return _execute(tx, compiled, statements, values, bounds, max_rows=rows)[0]


def explain(tx: Tx, text: str, values: Mapping[str, Any], *, rows: int | None = None) -> Explanation:
    """Explain how a query would run, without running it.

    Raises:
        errors.QueryError: the query cannot be read, makes no sense or is refused.
    """
    statements = graph_catalogue.statement_cache(tx)
    prepared = _prepare(tx, statements, text, values, DEFAULT_ROWS if rows is None else rows)
    plans = []
    for statement in prepared.compiled.statements():
        _register_callbacks(tx, statement.callbacks)
        arguments = _arguments(tx, statement, values)
        plans.append((statement.sql, store.compiled_queries.explain(tx, statement.sql, arguments)))
    fixes = prepared.with_limit(prepared.repairs_for(values))
    return Explanation(prepared.text, fixes, plans, prepared.compiled.by)


def _arguments(tx: Tx, statement: Statement, values: Mapping[str, Any]) -> Sequence[Any]:
    """What a statement binds; nulls where it would reject a value, since its plan is the same."""
    try:
        return statement.arguments(values, {**graph_catalogue.condition_values(tx), context.QUERY_INSTANT: tx.now})
    except terms.Inexpressible:
        return [None] * len(statement.bindings)


def repair(tx: Tx, text: str) -> str:
    """A query with its typos repaired: the text that error positions refer to."""
    return query_repair.repair(
        text, _repair_vocabulary(tx, graph_catalogue.statement_cache(tx), _WordingLookup(tx))
    ).text


def functions_and_keywords() -> tuple[list[str], list[str]]:
    """The functions and the keywords that a query may use."""
    return functions.names(), sorted(tokenizer.RESERVED_WORDS | tokenizer.UNRESERVED_WORDS)


def _prepare(tx: Tx, statements: StatementCache, text: str, values: Mapping[str, Any], rows: int) -> _PreparedQuery:
    """The query, repaired, checked and compiled; cached while the graph's shape is the same."""
    types = binder.infer_types(values)
    cache: dict[Any, _PreparedQuery] = statements.get_or_build("compiled", dict)
    estimated = _parameters_to_estimate(statements.catalogue, text, values) if values else {}
    key = (text, rows, tuple(types.items()), tuple([(name, magnitude) for name, (_, magnitude) in estimated.items()]))
    prepared = cache.get(key)
    if prepared is None:
        if len(cache) >= _MAX_CACHED_QUERIES:
            cache.clear()
        lookup = _WordingLookup(tx)
        likely = {name: value for name, (value, _) in estimated.items()}
        catalogue = with_parameters(statements.catalogue, likely)
        prepared = _compile(tx, statements, catalogue, text, types, rows, lookup)
        if not lookup.was_asked:
            cache[key] = prepared
    return prepared


def _parameters_to_estimate(
    catalogue: Catalogue, text: str, values: Mapping[str, Any]
) -> dict[str, tuple[Any, Hashable]]:
    """The parameters that may bound the times of facts: the value of each, and its magnitude."""
    if not any(key in text for key, column in catalogue.edges.columns.items() if column.index):
        return {}
    times = {
        name: (value, magnitude)
        for name, value in values.items()
        if (magnitude := graph_catalogue.magnitude(catalogue, value)) is not None
    }
    return times if len(times) <= _MAX_ESTIMATED else {}


def _compile(
    tx: Tx,
    statements: StatementCache,
    catalogue: Catalogue,
    text: str,
    types: Mapping[str, Any],
    rows: int,
    lookup: _WordingLookup,
) -> _PreparedQuery:
    repaired = query_repair.repair(text, _repair_vocabulary(tx, statements, lookup))
    try:
        tree = repaired.tree or parser.parse(repaired.text)
        dialect.refuse(tree, repaired.text)
        own_limit = _own_limit(tree)
        max_rows = min(rows, MAX_ROWS) if own_limit is None else MAX_ROWS
        # One more row than is returned shows that there are more.
        compiled = compiler.compile_tree(tree, repaired.text, catalogue, types, row_cap=max_rows + 1)
    except errors.QueryError as error:
        explained = dialect.explain(repaired.text, error)
        if explained is error:
            raise
        raise explained from error
    repairs = (*repaired.fixes, *compiled.notes)
    instants = instant_comparisons.compared_parameters(compiled.query)
    if own_limit is None:
        limited = _with_limit(repaired.text, tree, max_rows + 1)
        return _PreparedQuery(
            limited, repairs, compiled, max_rows, limit=max_rows, limit_injected=True, instants=instants
        )
    limit = own_limit.value if isinstance(own_limit, ast.Literal) and isinstance(own_limit.value, int) else max_rows
    limit = max(0, min(limit, max_rows))
    return _PreparedQuery(
        repaired.text, repairs, compiled, max_rows, limit=limit, limit_injected=False, instants=instants
    )


class _WordingLookup:
    """Other wordings of labels and relationship types.

    Attributes:
        was_asked: whether any was looked up. Wordings may change while the shape of the graph stays the same.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self.was_asked = False

    def label(self, wording: str) -> str | None:
        kind = store.vocabulary.ENTITY_TYPE
        term = self._find(kind, wording) or self._find(kind, graph_vocabulary.singular(wording))
        return None if term is None else graph_catalogue.label(term.name)

    def relationship_type(self, wording: str) -> str | None:
        term = self._find(store.vocabulary.PREDICATE, wording)
        return None if term is None else graph_catalogue.relationship_type(term.name)

    def _find(self, kind: str, wording: str) -> VocabularyTerm | None:
        self.was_asked = True
        return graph_vocabulary.find(self._tx, kind, wording)


def _repair_vocabulary(tx: Tx, statements: StatementCache, lookup: _WordingLookup) -> query_repair.Vocabulary:
    """What query repair may know of the graph."""
    labels, types = statements.get_or_build("names", lambda: _names(tx))
    return query_repair.Vocabulary(
        labels=labels,
        types=types,
        directions=graph_catalogue.LabelsOfEnds(tx),
        label_of_wording=lookup.label,
        type_of_wording=lookup.relationship_type,
    )


def _names(tx: Tx) -> tuple[frozenset[str], frozenset[str]]:
    """The labels and the relationship types that a query may name."""
    vocabulary = graph_vocabulary.read(tx)
    labels = (graph_catalogue.label(term.name) for term in vocabulary.types)
    types = (graph_catalogue.relationship_type(term.name) for term in vocabulary.predicates)
    return frozenset((*labels, graph_catalogue.LITERAL, graph_catalogue.ENTITY)), frozenset(types)


def _own_limit(tree: ast.Query) -> ast.Expression | None:
    """The limit on the outermost result of a query; a limit on one part of a UNION does not count."""
    last = tree.parts[-1].clauses[-1]
    return last.limit if len(tree.parts) == 1 and isinstance(last, ast.Projection) else None


def _with_limit(text: str, tree: ast.Query, rows: int) -> str:
    """The query as it runs. After a UNION the limit would apply to the last part alone, so it is not shown."""
    if len(tree.parts) > 1:
        return text
    body = text.rstrip().rstrip(";").rstrip()
    # The last line may be a comment.
    return f"{body}{chr(10) if '//' in body.rpartition(chr(10))[2] else ' '}LIMIT {rows}"


def _execute(
    tx: Tx,
    compiled: CompiledQuery,
    statements: StatementCache,
    values: Mapping[str, Any],
    bounds: Bounds,
    *,
    max_rows: int,
) -> tuple[list[tuple[Any, ...]], bool, str]:
    """The first rows, hydrated; whether there are more; and the target that ran the query."""
    execute = executor(tx, bounds)
    condition_values = graph_catalogue.condition_values(tx)
    graph = TableGraph(
        statements, _counting_rows(execute, bounds), condition_values, partial(graph_catalogue.cache, tx)
    )
    with store.compiled_queries.read_only(tx), tx.interrupt_when(bounds.exceeded):
        rows, target = compiler.run(
            compiled,
            graph,
            execute,
            values,
            condition_values,
            now=tx.now if tx.zone is None else tx.now.astimezone(tx.zone),
            count_work=bounds.count_work,
        )
        return hydrate(rows[:max_rows], graph), len(rows) > max_rows, target


def share_adjacency(tx: Tx, *, seconds: float = MAX_SECONDS) -> bool:
    """Build the arrays that long walks need, for all connections; returns whether it built any.

    Raises:
        errors.KeepgraphError: it was cancelled, or would take too long.
    """
    bounds = Bounds(tx, seconds)
    with tx.interrupt_when(bounds.exceeded):
        return graph_catalogue.share(tx, executor(tx, bounds))


def executor(tx: Tx, bounds: Bounds) -> Execute:
    """Runs the statements of a query on the connection."""

    def execute(sql: str, arguments: Sequence[Any], called: frozenset[str]) -> Iterator[Row]:
        if called:
            _register_callbacks(tx, called)
        return store.compiled_queries.run(tx, sql, arguments, refused=terms.Inexpressible, interrupted_by=bounds.reason)

    return execute


def _counting_rows(execute: Execute, bounds: Bounds) -> Execute:
    """The same, counting rows as work: Python processes each before it takes the next."""

    def execute_and_count(sql: str, arguments: Sequence[Any], called: frozenset[str]) -> Iterator[Row]:
        for row in execute(sql, arguments, called):
            bounds.count_work(1)
            yield row

    return execute_and_count


def _register_callbacks(tx: Tx, called: frozenset[str]) -> None:
    """Register the functions that Python computes on the connection."""
    registered: set[str] = tx.connection_cache.setdefault("functions that Python computes", set())
    for name in called - registered:
        store.compiled_queries.register(tx, rendering.PREFIX, name, rendering.function(name))
        registered.add(name)


# Hydration of query results: nodes and relationships with labels and properties, temporal values as text.
#
# All nodes and relationships of a result are read together.

_MAX_CHARACTERS = 32_000_000

_PLAIN_TYPES = {str, int, float, bool, NoneType}
"""The types of values that a result holds unchanged."""


def hydrate(rows: Sequence[Sequence[Any]], graph: TableGraph) -> list[tuple[Any, ...]]:
    """The rows with their nodes, relationships and paths read from the graph.

    Raises:
        errors.QueryTooLarge: they are too long for an answer.
    """
    if set(map(type, chain.from_iterable(rows))) <= _PLAIN_TYPES:
        if sum(len(value) for value in chain.from_iterable(rows) if type(value) is str) > _MAX_CHARACTERS:
            raise _too_long()
        return list(map(tuple, rows))
    parts = list(_graph_parts(rows))
    edges = [part for part in parts if isinstance(part, Relationship)]
    nodes = [part for part in parts if isinstance(part, Node)]
    graph.prefetch([*nodes, *(Node(end) for edge in edges for end in (edge.start, edge.end))], edges)
    hydrated: dict[Any, Any] = {}
    sizes: dict[str, int] = {}
    results, size = [], 0
    for row in rows:
        results.append(tuple([_hydrate_value(value, graph, hydrated) for value in row]))
        size += _size(results[-1], sizes)
        if size > _MAX_CHARACTERS:
            raise _too_long()
    return results


def _graph_parts(value: Any) -> Iterator[Any]:
    """The nodes and relationships in a value, at any depth."""
    if isinstance(value, Node | Relationship):
        yield value
    elif isinstance(value, Path):
        yield from value.nodes
        yield from value.relationships
    elif isinstance(value, list | tuple):
        for element in value:
            yield from _graph_parts(element)
    elif isinstance(value, dict):
        for element in value.values():
            yield from _graph_parts(element)


def _hydrate_value(value: Any, graph: TableGraph, hydrated: dict[Any, Any]) -> Any:
    """A value as a result holds it; `hydrated` has the nodes and relationships seen so far."""
    if type(value) in _PLAIN_TYPES:
        return value
    if isinstance(value, Node | Relationship):
        if value not in hydrated:
            hydrated[value] = _node(value, graph) if isinstance(value, Node) else _edge(value, graph)
        return hydrated[value]
    if isinstance(value, list):
        return [_hydrate_value(element, graph, hydrated) for element in value]
    if isinstance(value, dict):
        return {key: _hydrate_value(element, graph, hydrated) for key, element in value.items()}
    if isinstance(value, Path):
        steps: list[Any] = [value.nodes[0]]
        for edge, node in zip(value.relationships, value.nodes[1:], strict=True):
            steps += (edge, node)
        return GraphPath(tuple(_hydrate_value(step, graph, hydrated) for step in steps))
    return str(value)


def _node(node: Node, graph: TableGraph) -> GraphNode:
    return GraphNode(graph.public_id(node), graph.labels(node), _plain_properties(graph.properties(node)))


def _edge(edge: Relationship, graph: TableGraph) -> GraphEdge:
    start, end = graph.public_id(Node(edge.start)), graph.public_id(Node(edge.end))
    return GraphEdge(graph.public_id(edge), graph.type(edge), start, end, _plain_properties(graph.properties(edge)))


def _plain_properties(properties: Any) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, Temporal) else value for key, value in properties.items()}


def _size(value: Any, sizes: dict[str, int]) -> int:
    """The approximate length of a written value; `sizes` has those of nodes and relationships by id."""
    kind = type(value)
    if kind is str:
        return len(value) + 2
    if kind is list or kind is tuple:
        return sum([_size(element, sizes) for element in value]) + 2
    if kind is dict:
        return sum([len(key) + _size(element, sizes) + 4 for key, element in value.items()])
    if kind is GraphPath:
        return sum([_size(step, sizes) for step in value.steps])
    if kind is GraphNode or kind is GraphEdge:
        if value.id not in sizes:
            sizes[value.id] = _size(value.properties, sizes) + 100
        return sizes[value.id]
    return 8


def _too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(f"the answer would have more than {_MAX_CHARACTERS:,} characters")
