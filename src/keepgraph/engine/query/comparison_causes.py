"""Comparison causes: what a query compares in vain, as a cause of its empty result.

A property with a value of another kind, `type(r)` and labels with words that the graph does not have, a timestamp with
an instant beyond all that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from keepgraph import errors
from keepgraph.cypher import functions, value_types, values
from keepgraph.cypher.check import scope, type_inference
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.runtime import Run
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.repair import spelling
from keepgraph.cypher.repair.tolerant_tokenizer import quote_name
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.label_expressions import labels_match
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.query.graph_probe import GraphProbe
from keepgraph.engine.query.query_terms import QueryTerms
from keepgraph.temporal import operations

OTHER_KIND = "other_kind"
ENDED_FACTS = "ended_facts"
OUT_OF_RANGE = "out_of_range"

_TEXT_OR_INSTANT = value_types.STRING | value_types.DATE | value_types.LOCAL_DATETIME | value_types.DATETIME
_CLASSES = (value_types.NUMBER, _TEXT_OR_INSTANT)
"""Kinds whose values can be compared with each other; any other kind is compared with itself alone."""

_SAMPLE_SIZE = 20
_MAX_CHECKED = 10


@dataclass(frozen=True, slots=True)
class VainComparison:
    """A comparison that no row passes: its kind, what is compared, and why it is never true."""

    kind: str
    written: str
    message: str


def other_kinds(graph: GraphProbe, terms: QueryTerms, parameters: Mapping[str, Any]) -> Iterator[VainComparison]:
    """Comparisons of values of different kinds, one of them a property at least, which are never true."""
    for left, operator, right in list(terms.all_comparisons())[:_MAX_CHECKED]:
        kinds = _kinds(graph, terms, left, parameters)
        of_elements = operator == "IN"
        read_kinds = _element_kinds if of_elements else _kinds
        other_kinds_ = read_kinds(graph, terms, right, parameters)
        if not kinds or not other_kinds_:
            continue
        written = f"{_shown(left)} {operator}"
        if kinds == other_kinds_ == value_types.DURATION and operator in ("<", "<=", ">", ">="):
            yield VainComparison(
                OTHER_KIND,
                written,
                "Durations are neither longer nor shorter than others, since months and days differ in length. Compare "
                "instants (r.recorded_at > datetime() - duration('P7D')) or a component (….days < 7).",
            )
        elif not _class_of(kinds) & other_kinds_:
            noun = "an instant" if _is_instant(terms, left) else value_types.describe(kinds)
            elements = "values such as " if of_elements else ""
            advice = ""
            if isinstance(left, ast.Variable) and kinds == value_types.NODE:
                advice = f" Compare a property: {left.name}.name, or {left.name}.value of a literal."
            yield VainComparison(
                OTHER_KIND,
                written,
                f"{_shown(left)} is {noun}, and is compared with {elements}{value_types.describe(other_kinds_)}: "
                f"that is never true.{advice}",
            )


def _shown(expression: ast.Expression) -> str:
    """What is compared, in short: the key of a property, the name of a function."""
    if isinstance(expression, ast.Property):
        return expression.key
    if isinstance(expression, ast.Variable):
        return expression.name
    return f"{expression.name}(…)" if isinstance(expression, ast.Call) else "the value"


def compared_names(tree: ast.Query, parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts that `type(r)` or labels are compared with, each with 'type' or 'labels'."""
    for kind, expression in spelling.compared_names(tree):
        value = expression.value if isinstance(expression, ast.Literal) else None
        if isinstance(expression, ast.Parameter):
            value = parameters.get(expression.name)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield kind, text


def out_of_range(graph: GraphProbe, terms: QueryTerms, parameters: Mapping[str, Any]) -> Iterator[VainComparison]:
    """Comparisons of a timestamp with an instant that all timestamps are before, or after."""
    for property_, operator, other in list(terms.comparisons())[:_MAX_CHECKED]:
        if not isinstance(other, ast.Instant) or operator not in ("<", "<=", ">", ">="):
            continue
        key, pattern = property_.key, _pattern_of(graph, terms, property_)
        if pattern is None:
            continue
        rows = graph.rows(f"MATCH {pattern} RETURN min(x.{key}), max(x.{key})", 1)
        bound = _evaluate(graph, other, parameters)
        if not rows or rows[0][0] is None or not isinstance(bound, str):
            continue
        first, last = rows[0]
        if not bound[:1].isdigit() or not (bound.endswith("Z") or instant_comparisons.begins_instant(bound)):
            message = f"{bound!r} is not read as an instant: write datetime() - duration('P1D'), or '2026-05-31'."
            yield VainComparison(OUT_OF_RANGE, f"{key} {operator} {bound}", message)
            continue
        if (operator == ">" and last <= bound) or (operator == ">=" and last < bound):
            yield VainComparison(OUT_OF_RANGE, f"{key} {operator} {bound}", f"The last {key} here is {last}.")
        elif (operator == "<" and first >= bound) or (operator == "<=" and first > bound):
            yield VainComparison(OUT_OF_RANGE, f"{key} {operator} {bound}", f"The first {key} here is {first}.")


def ended_facts(graph: GraphProbe, terms: QueryTerms, parameters: Mapping[str, Any]) -> Iterator[VainComparison]:
    """Conditions that only facts that have ended would pass."""
    message = "A query sees the facts that hold now, and none that has ended; as_of shows those of another moment."
    for property_, operator, other in list(terms.comparisons())[:_MAX_CHECKED]:
        is_before = operator in ("<", "<=") and isinstance(other, ast.Instant)
        if is_before and property_.key == "valid_to":
            yield VainComparison(ENDED_FACTS, f"valid_to {operator}", message)
    for property_ in terms.required_properties():
        if property_.key == "valid_to" and terms.kind_of_subject(property_) == "relationship":
            yield VainComparison(ENDED_FACTS, "valid_to", message)


def _evaluate(graph: GraphProbe, constant: ast.Expression, parameters: Mapping[str, Any]) -> Any:
    no_graph: Any = None
    run = Run(no_graph, parameters, graph.tx.now, lambda work: None)
    try:
        return evaluate.build_evaluator(constant, evaluate.NO_COLUMNS)((), run)
    except errors.QueryError:
        return None


def _class_of(kinds: int) -> int:
    """The kinds whose values may compare with values of these kinds."""
    for comparable in _CLASSES:
        if kinds & comparable:
            kinds |= comparable
    return kinds


def _is_instant(terms: QueryTerms, expression: ast.Expression) -> bool:
    if not isinstance(expression, ast.Property):
        return False
    kind = terms.kind_of_subject(expression)
    columns = graph_catalogue.NODE_COLUMNS if kind == "node" else graph_catalogue.EDGE_COLUMNS
    return kind is not None and expression.key in columns and columns[expression.key].is_instant


def _kinds(graph: GraphProbe, terms: QueryTerms, expression: ast.Expression, parameters: Mapping[str, Any]) -> int:
    """The kinds that a property or a constant may have, null aside; 0 where that is not known."""
    if isinstance(expression, ast.Instant):
        return 0
    if isinstance(expression, ast.Property) and (kind := terms.kind_of_subject(expression)) is not None:
        return _kinds_of_property(graph, terms, expression, kind)
    if isinstance(expression, ast.Variable):
        return _KINDS_OF_VARIABLES.get(terms.kind_of_variable(expression) or "", 0)
    if isinstance(expression, ast.Property) and _is_temporal(terms, expression.subject):
        is_number = expression.key not in _TEXT_COMPONENTS and expression.key in operations.component_names()
        return value_types.INTEGER if is_number else 0
    if isinstance(expression, ast.Call) and (function := functions.find(expression.name)) is not None:
        return 0 if function.infer is not None else function.result_kinds & ~value_types.NULL
    if not instant_comparisons.is_constant(expression):
        return 0
    return _inferred(expression, parameters).kinds & ~value_types.NULL


_TEXT_COMPONENTS = frozenset(("timezone", "offset"))
_KINDS_OF_VARIABLES = {"node": value_types.NODE, "relationship": value_types.RELATIONSHIP}


def unknown_components(terms: QueryTerms) -> Iterator[str]:
    """The components of instants that are read, and that instants do not have."""
    for property_ in terms.properties_of_values():
        if _is_temporal(terms, property_.subject) and property_.key not in operations.component_names():
            yield property_.key


def _is_temporal(terms: QueryTerms, expression: ast.Expression) -> bool:
    """Whether an expression is an instant, so that its properties are components."""
    if isinstance(expression, ast.Call):
        function = functions.find(expression.name)
        return function is not None and not function.result_kinds & ~(value_types.TEMPORAL | value_types.NULL)
    return _is_instant(terms, expression)


def _element_kinds(
    graph: GraphProbe, terms: QueryTerms, expression: ast.Expression, parameters: Mapping[str, Any]
) -> int:
    if isinstance(expression, ast.ListLiteral):
        kinds = [_kinds(graph, terms, element, parameters) for element in expression.elements]
        total = 0
        for element_kinds in kinds:
            total |= element_kinds
        return total if all(kinds) else 0
    if isinstance(expression, ast.Parameter):
        value = parameters.get(expression.name)
        if isinstance(value, list) and value:
            total = 0
            for element in value:
                total |= values.kind_of(element) & ~value_types.NULL
            return total
    return 0


def _inferred(expression: ast.Expression, parameters: Mapping[str, Any]) -> value_types.Type:
    types = {name: value_types.Type(values.kind_of(value)) for name, value in parameters.items()}
    try:
        return type_inference.infer(expression, {}, scope.Context(types))
    except errors.QueryError:
        return value_types.Type(0)


def _kinds_of_property(graph: GraphProbe, terms: QueryTerms, expression: ast.Property, kind: str) -> int:
    columns = graph_catalogue.NODE_COLUMNS if kind == "node" else graph_catalogue.EDGE_COLUMNS
    column = columns.get(expression.key)
    if column is not None:
        return column.kinds & ~value_types.NULL
    pattern = _pattern_of(graph, terms, expression) if kind == "node" else None
    if pattern is None:
        return 0
    key = f"x.{quote_name(expression.key)}"
    rows = graph.rows(f"MATCH {pattern} WHERE {key} IS NOT NULL RETURN {key}", _SAMPLE_SIZE)
    kinds = 0
    for row in rows or ():
        kinds |= values.kind_of(row[0])
    return kinds


def _pattern_of(graph: GraphProbe, terms: QueryTerms, expression: ast.Property) -> str | None:
    """A pattern, in Cypher, for what has a property, as `x`; None where it cannot be written."""
    name = terms.original_name_of(expression)
    if terms.kind_of_subject(expression) == "node":
        labels = terms.labels_of_variable(name)
        return graph.node_pattern(labels, "x") if not labels or graph.matching_labels(labels) else None
    types = [edge.types for edge in terms.relationships if edge.variable == name and edge.types is not None]
    if any(isinstance(expression_, ast.TypesByDirection) for expression_ in types):
        return "()-[x]->()"
    matching = [word for word in graph.types if all(labels_match((word,), labels) for labels in types)]
    if not matching:
        return None
    return f"()-[x:{'|'.join(map(quote_name, matching))}]->()" if types else "()-[x]->()"
