"""Probing the graph: short queries about labels and relationships, within a time that is set for all together."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

from keepgraph import errors, store
from keepgraph.cypher.interpret.runtime import Row
from keepgraph.cypher.repair.tolerant_tokenizer import quote_name
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.label_expressions import labels_match
from keepgraph.engine.query import graph_catalogue, query_pipeline, schema
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


class GraphProbe:
    """What the graph has, as far as can be found out in the time that is left.

    The questions are put in Cypher, so that the answers are what the query itself saw. Where the schema has been
    counted already, some are answered from it.
    """

    def __init__(self, tx: Tx, seconds: float) -> None:
        self.tx = tx
        self._end = time.monotonic() + seconds
        vocabulary = graph_vocabulary.read(tx)
        self._labels_by_own = {
            labels[0]: labels for labels in (graph_catalogue.labels_of_type(tx, term.name) for term in vocabulary.types)
        }
        self.labels = [*self._labels_by_own, graph_catalogue.LITERAL]
        self.types = [
            graph_catalogue.relationship_type(term.name) for term in vocabulary.predicates if term.inverse_of is None
        ]
        self.inverse_types = graph_catalogue.inverse_types(tx)
        self._catalogue = graph_catalogue.statement_cache(tx).catalogue
        self._schema = schema.cached(tx)

    def seconds_left(self) -> float:
        return self._end - time.monotonic()

    def has_rows(self, text: str, /, **parameters: Any) -> bool | None:
        """Whether a query has a result; None where there was no time to find out."""
        rows = self.rows(text, 1, **parameters)
        return None if rows is None else bool(rows)

    def rows(self, text: str, limit: int, /, **parameters: Any) -> list[Row] | None:
        """The first rows of a query; None where there was no time."""
        seconds = self.seconds_left()
        if seconds <= 0:
            return None
        try:
            return query_pipeline.run_internal(self.tx, text, parameters, rows=limit, seconds=seconds)
        except errors.QueryError:
            return None

    def rows_of_tree(
        self, tree: ast.Query, text: str, parameters: Mapping[str, Any], *, share: float = 1.0
    ) -> list[Row] | None:
        """The first row of a query that was parsed from a text, or is a part of one; None where there was no time.

        Args:
            share: which part of the time that is left it may take.
        """
        seconds = self.seconds_left() * share
        if seconds <= 0:
            return None
        try:
            return query_pipeline.run_tree(self.tx, tree, text, parameters, rows=1, seconds=seconds)
        except errors.QueryError:
            return None

    def are_connected(self, sources: Sequence[str], types: Sequence[str], targets: Sequence[str]) -> bool | None:
        """Whether a relationship of these types leads from one of these labels to one of those; None as above."""
        if self._schema is None:
            if self.tx.known_at is None and not any(
                self._may_connect(name, source, target) for name, source, target in product(types, sources, targets)
            ):
                return False
            source, target = (f"(:{'|'.join(map(quote_name, labels))})" for labels in (sources, targets))
            return self.has_rows(f"MATCH {source}-[:{'|'.join(map(quote_name, types))}]->{target} RETURN 1")
        return any(
            (pattern.source in sources and pattern.target in targets)
            or (kind.is_symmetric and pattern.target in sources and pattern.source in targets)
            for kind in self._schema.types
            if kind.name in types
            for pattern in kind.patterns
        )

    def _may_connect(self, relationship_type: str, source: str, target: str) -> bool:
        """Whether there is a fact of a type between these labels, whenever it holds."""
        ends = self._ends_by_type.get(relationship_type, ())
        is_symmetric = relationship_type in self._catalogue.edges.symmetric_types
        return (source, target) in ends or (is_symmetric and (target, source) in ends)

    @cached_property
    def _ends_by_type(self) -> dict[str, set[tuple[str, str]]]:
        """The labels that facts of each type connect, whenever these hold."""
        nodes, edges = self._catalogue.nodes, self._catalogue.edges
        own = {code: labels[0] for code, labels in nodes.labels.items()}
        return {
            edges.types[code]: {
                (own[each.source], graph_catalogue.LITERAL if each.target is None else own[each.target])
                for each in connections
            }
            for code, connections in (edges.connections or {}).items()
        }

    def patterns(self, types: Sequence[str], *, limit: int) -> tuple[str, ...]:
        """What relationships of these types connect, in Cypher."""
        link = f"[:{'|'.join(map(quote_name, types))}]"
        if self._schema is None:
            query = f"MATCH (a)-{link}->(b) RETURN DISTINCT labels(a)[0], labels(b)[0]"
            if self.tx.known_at is not None:
                ends = [(row[0], row[1]) for row in self.rows(query, limit) or ()]
            else:
                known = sorted({pair for name in types for pair in self._ends_by_type.get(name, ())})
                ends = [pair for pair in known[: 2 * limit] if self.are_connected(pair[:1], types, pair[1:])][:limit]
        else:
            patterns = [pattern for kind in self._schema.types if kind.name in types for pattern in kind.patterns]
            ends = [(pattern.source, pattern.target) for pattern in patterns[:limit]]
        return tuple(f"(:{quote_name(source)})-{link}->(:{quote_name(target)})" for source, target in sorted(set(ends)))

    def last_end(self, types: Sequence[str], *, of: Sequence[Row] | None = None) -> str | None:
        """The timestamp at which the last fact of these types that has ended did; None where there is none.

        Args:
            of: the row number of the entity at one of its ends; None for any.
        """
        if self.seconds_left() <= 0 or self.tx.known_at is not None:
            return None
        rows = [
            term.row
            for term in graph_vocabulary.read(self.tx).predicates
            if graph_catalogue.relationship_type(term.name) in types
        ]
        entity = of[0][0] if of else None
        return store.graph_statistics.last_end(
            self.tx, rows, entity=entity if isinstance(entity, int) else None, at=timestamps.from_datetime(self.tx.now)
        )

    def matching_labels(self, expressions: Iterable[ast.LabelExpression]) -> list[str]:
        """The first labels of the nodes for which all these label expressions are true."""
        expressions = list(expressions)
        return [
            label
            for label in self.labels
            if all(labels_match(self._all_labels(label), expression) for expression in expressions)
        ]

    def _all_labels(self, own: str) -> tuple[str, ...]:
        return (*self._labels_by_own[own], graph_catalogue.ENTITY) if own in self._labels_by_own else (own,)

    def node_pattern(self, expressions: tuple[ast.LabelExpression, ...], variable: str = "") -> str:
        """A pattern, in Cypher, for the nodes for which these label expressions are true."""
        if not expressions:
            return f"({variable})"
        return f"({variable}:{'|'.join(map(quote_name, self.matching_labels(expressions)))})"
