"""Empty results: why a query may have found nothing, by what it names and the graph does not have.

The graph is probed with short queries; causes that cannot be checked in time are left out. Where the graph has all that
is named, the conditions are told that no row passes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile
from typing import Any

from keepgraph import store
from keepgraph.cypher.interpret.runtime import Row
from keepgraph.cypher.repair.foreign_syntax import spelling_key
from keepgraph.cypher.repair.tolerant_tokenizer import quote_name, shorten
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.label_expressions import labels_match
from keepgraph.engine.query import comparison_causes, failing_conditions, graph_catalogue, query_pipeline
from keepgraph.engine.query.graph_probe import GraphProbe
from keepgraph.engine.query.query_terms import Labels, PropertyRead, QueryTerms, label_names
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.model import GraphEdge, GraphNode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import operations

MAX_SECONDS = 0.05
"""The time for all probes of what a query names."""

MAX_SECONDS_FOR_CONDITIONS = 0.15
"""The time for all probes of its conditions."""

MAX_CAUSES = 10
_MAX_VALUES = 5
_MAX_SUGGESTIONS = 5
_MAX_LABELS_NAMED = 5

_MIN_SIMILARITY = 0.6
"""The similarity of two words, from 0 to 1, as difflib measures it, from which one is suggested for the other."""

_MIN_PREFIX = 3
"""The length from which a word suggests the words that begin with it."""

_SAMPLE_SIZE = 50
"""The number of entities of a type in which keys of properties are looked for."""

UNKNOWN_LABEL = "unknown_label"
UNKNOWN_TYPE = "unknown_type"
UNKNOWN_PROPERTY = "unknown_property"
UNUSED_LABEL = "unused_label"
UNUSED_TYPE = "unused_type"
NO_SUCH_DIRECTION = "no_such_direction"
NO_SUCH_PATTERN = "no_such_pattern"
NO_SUCH_VALUE = "no_such_value"
FAILING_CONDITION = "failing_condition"
NULLS_FIRST = "nulls_first"


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that a query names and the graph does not have.

    Attributes:
        kind: one of the constants above, or of comparison_causes.
        written: what the query says.
        message: what is wrong, and what there is.
        near: what may have been meant.
    """

    kind: str
    written: str
    message: str
    near: tuple[str, ...] = ()


def is_empty(rows: Sequence[Row]) -> bool:
    """Whether there are no rows, or a column holds nothing: nulls, zeros, false and empty lists alone.

    One boolean alone is an answer about what may not be there, too.
    """
    if not rows or (len(rows) == len(rows[0]) == 1 and isinstance(rows[0][0], bool)):
        return True
    return any(all(map(_is_blank, column)) for column in zip(*rows, strict=True))


def explain(tx: Tx, result: query_pipeline.QueryResult) -> list[Cause]:
    """The possible causes of an empty result, the likeliest first; of any other, what its rows do not tell.

    That is which properties change no row, and that null comes before what was asked for. None where the query gave
    what it asks for, or asks for no rows.
    """
    graph = GraphProbe(tx, MAX_SECONDS)
    terms = QueryTerms(result.tree, result.parameters)
    if not is_empty(result.rows):
        unknown = _distinct(_check_properties(graph, terms.properties_without_effect()))
        return unknown or list(_check_nulls_first(result))
    causes = [
        *_check_labels(graph, terms),
        *_check_types(graph, terms),
        *_check_compared_names(graph, result.tree, result.parameters),
        *_check_patterns(graph, terms),
        *_check_selected_nodes(graph, terms),
        *_check_values(graph, terms),
        *_check_comparisons(graph, terms, result.parameters),
        *_check_properties(graph, terms.properties()),
        *_check_components(terms),
    ]
    # What is there took most of the time; to find the condition that fails takes its own.
    return _distinct(causes or _check_conditions(GraphProbe(tx, MAX_SECONDS_FOR_CONDITIONS), result))


def _distinct(causes: Iterable[Cause]) -> list[Cause]:
    """The first causes of each kind and text."""
    first: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        first.setdefault((cause.kind, cause.written), cause)
    return list(first.values())[:MAX_CAUSES]


def _is_blank(value: Any) -> bool:
    return value is None or value == [] or value == 0


def _check_labels(graph: GraphProbe, terms: QueryTerms) -> Iterator[Cause]:
    """Labels that the vocabulary or the graph does not have."""
    known = {*graph.labels, graph_catalogue.ENTITY}
    # Of a relationship, `r:TYPE` tests the type.
    types = {*graph.types, *graph.inverse_types}
    types_in_tests = {id(name): types for test in terms.label_tests for name in label_names(test.labels)}
    for name in [
        *(name for node in terms.nodes if node.labels for name in label_names(node.labels)),
        *(name for test in terms.label_tests for name in label_names(test.labels)),
    ]:
        label = name.name
        if label in known | types_in_tests.get(id(name), set()):
            if label in graph.labels and graph.has_rows(f"MATCH (n:{quote_name(label)}) RETURN 1") is False:
                yield Cause(UNUSED_LABEL, label, f"There is no {label} in the graph yet.")
            continue
        near = _similar_words(label, graph.labels)
        if label in graph.types:
            message = f"{label} is a relationship type: write -[:{label}]->."
        else:
            alternatives = _listed("Did you mean", near) or _listed("There are", graph.labels)
            message = f"There is no label {label}. {alternatives}"
        yield Cause(UNKNOWN_LABEL, label, message, near)


def _check_types(graph: GraphProbe, terms: QueryTerms) -> Iterator[Cause]:
    """Relationship types that the vocabulary or the graph does not have."""
    for name in (name for edge in terms.relationships if edge.types for name in label_names(edge.types)):
        if name.name in graph.types:
            if graph.has_rows(f"MATCH ()-[r:{quote_name(name.name)}]->() RETURN 1") is False:
                message = f"Nothing is connected by {name.name} here yet."
                if ended := graph.last_end([name.name]):
                    message = f"Nothing is connected by {name.name} now. {_ended(ended)}"
                yield Cause(UNUSED_TYPE, name.name, message)
            continue
        near = _similar_words(name.name, graph.types)
        alternatives = _listed("Did you mean", near) or _listed("There are", graph.types)
        yield Cause(UNKNOWN_TYPE, name.name, f"There is no relationship type {name.name}. {alternatives}", near)


def _check_patterns(graph: GraphProbe, terms: QueryTerms) -> Iterator[Cause]:
    """Patterns of labels and types that are known, and that no relationship has."""
    for path in terms.paths:
        for left, edge, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
            yield from _check_pattern(graph, terms.labels_of(left), edge, terms.labels_of(right))


def _check_pattern(graph: GraphProbe, left: Labels, edge: ast.RelationshipPattern, right: Labels) -> Iterator[Cause]:
    if isinstance(edge.types, ast.TypesByDirection):
        return  # some of its types lead one way and some the other
    types = [name for name in graph.types if edge.types is None or labels_match((name,), edge.types)]
    left_labels, right_labels = graph.matching_labels(left), graph.matching_labels(right)
    says_something = left or right or edge.types
    if edge.length is not None or not types or not left_labels or not right_labels or not says_something:
        return
    if edge.direction != "in" and graph.are_connected(left_labels, types, right_labels) is not False:
        return
    if edge.direction != "out" and graph.are_connected(right_labels, types, left_labels) is not False:
        return
    if edge.types and graph.are_connected(graph.labels, types, graph.labels) is False:
        return  # the type is unused, which is a cause of its own
    source, target = graph.node_pattern(left), graph.node_pattern(right)
    link = f"[:{'|'.join(map(quote_name, types))}]" if edge.types else "[]"
    arrow, reverse_arrow = {"out": ("-{}->", "<-{}-"), "in": ("<-{}-", "-{}->"), "both": ("-{}-", "")}[edge.direction]
    written, reversed_pattern = (f"{source}{form.format(link)}{target}" for form in (arrow, reverse_arrow))
    start, end = (right_labels, left_labels) if edge.direction == "out" else (left_labels, right_labels)
    if reverse_arrow and graph.are_connected(start, types, end):
        message = f"No relationship leads this way; some do the other: {reversed_pattern}."
        yield Cause(NO_SUCH_DIRECTION, written, message, (reversed_pattern,))
        return
    patterns = graph.patterns(types, limit=_MAX_SUGGESTIONS) if edge.types else ()
    message = f"No relationship connects these. {_listed('There are', patterns)}".strip()
    yield Cause(NO_SUCH_PATTERN, written, message, patterns)


def _check_selected_nodes(graph: GraphProbe, terms: QueryTerms) -> Iterator[Cause]:
    """Nodes that are named, and that no relationship leads from, or to, as the pattern says."""
    selected = {id(node): (key, text) for node, key, text in terms.selected_nodes()}
    for path in terms.paths:
        for left, edge, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
            for node, direction in ((left, edge.direction), (right, _OPPOSITE[edge.direction])):
                if id(node) in selected:
                    yield from _check_selected_node(graph, terms, node, edge, direction, *selected[id(node)])


_OPPOSITE = {"out": "in", "in": "out", "both": "both"}


def _check_selected_node(
    graph: GraphProbe,
    terms: QueryTerms,
    node: ast.NodePattern,
    edge: ast.RelationshipPattern,
    direction: str,
    key: str,
    text: str,
) -> Iterator[Cause]:
    may_have_no_hop = edge.length is not None and edge.length.min_hops == 0
    if isinstance(edge.types, ast.TypesByDirection) or may_have_no_hop:
        return
    tested = terms.tested_types(edge.variable)
    types = [
        name
        for name in graph.types
        if (edge.types is None or labels_match((name,), edge.types)) and (not tested or name in tested)
    ]
    is_any = edge.types is None and not tested
    labels = terms.labels_of(node)
    if not types or not graph.matching_labels(labels):
        return
    link = "[]" if is_any else f"[:{'|'.join(map(quote_name, types))}]"
    noun = "relationship" if is_any else "|".join(types)
    written_node = graph.node_pattern(labels, "n")
    condition = f"WHERE n.{key} = $text RETURN 1"
    if not graph.has_rows(f"MATCH {written_node} {condition}", text=text):
        return  # no such node, which is a cause of its own
    leads_out, leads_in = (
        graph.has_rows(f"MATCH {written_node}{arrow} {condition}", text=text)
        for arrow in (f"-{link}->()", f"<-{link}-()")
    )
    wanted = {"out": leads_out, "in": leads_in, "both": leads_out or leads_in}[direction]
    if wanted is not False or leads_out is None or leads_in is None:
        return
    shown = f"{written_node[:-1]} {{{key}: {_quoted(text)}}})"
    arrows = {"out": f"{shown}-{link}->()", "in": f"{shown}<-{link}-()", "both": f"{shown}-{link}-()"}
    other = {"out": "in", "in": "out", "both": ""}[direction]
    if {"in": leads_in, "out": leads_out, "": False}[other]:
        message = f"No {noun} leads {_WAYS[direction]} {text!r}; some lead {_WAYS[other]} it."
        yield Cause(NO_SUCH_DIRECTION, arrows[direction], message, (arrows[other],))
    else:
        ended = graph.last_end(types, of=graph.rows(f"MATCH {written_node} {condition[:-1]}id(n)", 1, text=text))
        message = f"{text!r} has no {noun} in either direction"
        yield Cause(NO_SUCH_PATTERN, arrows[direction], f"{message} now. {_ended(ended)}" if ended else f"{message}.")


def _ended(timestamp: str) -> str:
    return f"Facts that ended, the last one on {timestamp[:10]}, are seen with as_of at an earlier day."


def _quoted(text: str) -> str:
    """A text as a string in Cypher."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_WAYS = {"out": "out of", "in": "to"}


def _check_compared_names(graph: GraphProbe, tree: ast.Query, parameters: Mapping[str, Any]) -> Iterator[Cause]:
    """Texts that `type(r)` or labels are compared with, and that no type or label is."""
    for kind, text in comparison_causes.compared_names(tree, parameters):
        if text in (graph.types if kind == "type" else graph.labels):
            pattern = f"()-[:{quote_name(text)}]->()" if kind == "type" else f"(n:{quote_name(text)})"
            if graph.has_rows(f"MATCH {pattern} RETURN 1") is False:
                yield Cause(
                    UNUSED_TYPE if kind == "type" else UNUSED_LABEL, text, f"There is no {text} in the graph yet."
                )
            continue
        if text == graph_catalogue.ENTITY and kind == "labels":
            yield Cause(UNKNOWN_LABEL, text, "Entity is not among labels(n): write (n:Entity), or n:Entity.")
            continue
        known = graph.types if kind == "type" else graph.labels
        if kind == "type" and text in graph.inverse_types:
            near: tuple[str, ...] = (graph.inverse_types[text],)
        else:
            near = _similar_words(text, known)
        noun = "relationship type" if kind == "type" else "label"
        message = f"There is no {noun} {text}. {_listed('Did you mean', near) or _listed('There are', known)}"
        yield Cause(UNKNOWN_TYPE if kind == "type" else UNKNOWN_LABEL, text, message, near)


def _check_conditions(graph: GraphProbe, result: query_pipeline.QueryResult) -> Iterator[Cause]:
    """Conditions that no row passes, of a query that names nothing that the graph lacks."""
    has_rows, found_nothing = bool(result.rows), all(map(_is_blank, chain.from_iterable(result.rows)))
    for failing in failing_conditions.find(
        graph, result.text, result.parameters, has_rows=has_rows, found_nothing=found_nothing
    ):
        kind = NO_SUCH_DIRECTION if failing.is_direction else FAILING_CONDITION
        yield Cause(kind, failing.written, failing.message, (failing.near,) if failing.near else ())


def _check_comparisons(graph: GraphProbe, terms: QueryTerms, parameters: Mapping[str, Any]) -> Iterator[Cause]:
    """Comparisons that are never true: of another kind, beyond all instants, or of facts that ended."""
    for check in (comparison_causes.other_kinds, comparison_causes.out_of_range, comparison_causes.ended_facts):
        for vain in check(graph, terms, parameters):
            yield Cause(vain.kind, vain.written, vain.message)


def _check_values(graph: GraphProbe, terms: QueryTerms) -> Iterator[Cause]:
    """Ids, names and literals that nothing has."""
    values = [value for value in dict.fromkeys(terms.values()) if value[0] in ("id", "name", "value")]
    for key, expressions, operator, text in values[:_MAX_VALUES]:
        labels = graph.matching_labels(expressions)
        condition = f"n.{key} {operator} $text"
        node = graph.node_pattern(expressions, "n")
        if labels and graph.has_rows(f"MATCH {node} WHERE {condition} RETURN 1", text=text) is False:
            yield _missing_value(graph, key, labels if expressions else [], condition, text)


def _missing_value(graph: GraphProbe, key: str, labels: Sequence[str], condition: str, text: str) -> Cause:
    kind = _either(labels)
    message = f"No {kind} has {condition.removeprefix('n.').replace('$text', repr(text))}."
    if labels:
        others = graph.rows(
            f"MATCH (n) WHERE {condition} RETURN DISTINCT labels(n), n.{key}", _MAX_SUGGESTIONS, text=text
        )
        if others:
            other_labels = " and ".join(dict.fromkeys(row[0][0] for row in others))
            near = tuple(dict.fromkeys(row[1] for row in others))
            return Cause(NO_SUCH_VALUE, text, f"{message} It is a {other_labels}.", near)
    if labels == [graph_catalogue.LITERAL] or key == "value":
        rows = graph.rows(
            "MATCH (n:Literal) WHERE toLower(n.value) CONTAINS toLower($text) RETURN n.value",
            _MAX_SUGGESTIONS,
            text=text,
        )
        near = tuple(row[0] for row in rows or ())
    else:
        near = _similar_entities(graph, key, labels, text)
    return Cause(NO_SUCH_VALUE, text, f"{message} {_listed('Did you mean', near)}".strip(), near)


def _similar_entities(graph: GraphProbe, key: str, labels: Sequence[str], text: str) -> tuple[str, ...]:
    """The entities that fuzzy resolution takes a name for, or nearly; without embedding it, which takes too long."""
    if graph.seconds_left() <= 0:
        return ()
    resolution = resolver.resolve_by_letters(graph.tx, Name(text))
    resolved = [resolution.entity] if resolution.entity else []
    entities = [*resolved, *(candidate.entity for candidate in resolution.candidates)]
    with_labels = [entity for entity in entities if not labels or graph_catalogue.label(entity.type) in labels]
    suggested = [entity.id if key == "id" else entity.name for entity in with_labels or entities]
    return tuple(dict.fromkeys(suggested))[:_MAX_SUGGESTIONS]


def _check_properties(graph: GraphProbe, properties: Iterable[PropertyRead]) -> Iterator[Cause]:
    """Properties that nothing has."""
    for key, kind, labels in dict.fromkeys(properties):
        if kind == "node":
            yield from _check_node_property(graph, key, labels)
        elif key not in graph_catalogue.EDGE_COLUMNS:
            near = _similar_words(key, graph_catalogue.EDGE_COLUMNS)
            if key in ("type", "predicate"):
                alternatives = "Write type(r)."
            else:
                alternatives = _listed("They have", list(graph_catalogue.EDGE_COLUMNS))
            yield Cause(UNKNOWN_PROPERTY, key, f"Relationships have no property {key}. {alternatives}", near)


def _check_nulls_first(result: query_pipeline.QueryResult) -> Iterator[Cause]:
    """The value that the first rows are sorted by, the greatest first, where it is null: null is above all values."""
    final = result.tree.parts[-1].clauses[-1]
    if not isinstance(final, ast.Projection) or not final.order or not final.order[0].descending:
        return
    key = final.order[0].expression
    count = len(list(takewhile(partial(_is_null, key, final.items, result.columns), result.rows)))
    if not count:
        return
    written = shorten(result.text[slice(*key.span)])
    rows = "row" if count == 1 else f"{count} rows"
    clause = "MATCH" if isinstance(key, ast.Property) else "WITH"
    yield Cause(
        NULLS_FIRST,
        written,
        f"{written} is null in the first {rows}: DESC puts null first. "
        f"To leave them out, write {clause} … WHERE {written} IS NOT NULL.",
        (f"{written} IS NOT NULL",),
    )


def _is_null(key: ast.Expression, items: Sequence[ast.ProjectionItem], columns: Sequence[str], row: Row) -> bool:
    """Whether a row of a result shows that the expression that it is sorted by is null."""
    for item in items:
        if item.expression == key or (isinstance(key, ast.Variable) and key.name == item.name):
            return row[columns.index(item.name)] is None
        if isinstance(key, ast.Property) and key.subject == ast.Variable(item.name):
            value = row[columns.index(item.name)]
            return isinstance(value, GraphNode | GraphEdge) and value.properties.get(key.key) is None
    return False


def _check_components(terms: QueryTerms) -> Iterator[Cause]:
    """Components that instants do not have."""
    for key in comparison_causes.unknown_components(terms):
        names = sorted(operations.component_names())
        near = _similar_words(key, names)
        alternatives = (
            "Write date(…)." if key == "date" else _listed("Did you mean", near) or _listed("There are", names)
        )
        yield Cause(UNKNOWN_PROPERTY, key, f"Instants have no component {key}. {alternatives}", near)


def _check_node_property(graph: GraphProbe, key: str, expressions: Labels) -> Iterator[Cause]:
    labels = graph.matching_labels(expressions)
    if not labels:
        return
    only_literals, columns = labels == [graph_catalogue.LITERAL], set(graph_catalogue.NODE_COLUMNS)
    if graph_catalogue.LITERAL in labels:
        columns = {*graph_catalogue.LITERAL_PROPERTIES} | (set() if only_literals else columns)
    if key in columns:
        return
    kind = _either(labels if expressions else ())
    condition = f"n.{quote_name(key)} IS NOT NULL"
    node = graph.node_pattern(expressions, "n")
    exists = False if only_literals else graph.has_rows(f"MATCH {node} WHERE {condition} RETURN 1")
    keys = {*columns, *([] if only_literals else _property_keys(graph.tx, labels))}
    if exists or key in keys:
        return
    elsewhere = f"MATCH (n) WHERE {condition} RETURN DISTINCT labels(n)"
    rows = graph.rows(elsewhere, _MAX_SUGGESTIONS) if expressions else None
    other_labels = tuple(dict.fromkeys(row[0][0] for row in rows or ()))
    near = _similar_words(key, sorted(keys))
    similar = _listed("Did you mean", near)
    # In a large graph there is no time to look at every node.
    sentences = [f"No {kind}{' that was looked at' if exists is None else ''} has a property {key}."]
    if other_labels:
        sentences.append(f"It is a property of {' and '.join(other_labels)}.")
    related = [name for name in graph.types if spelling_key(name) == spelling_key(key)]
    if related:
        near = (f"(n)-[:{quote_name(related[0])}]->(x)", *near)
        sentences.append(f"{related[0]} is a relationship type: write {near[0]}.")
    sentences.append(similar or _listed("There are", sorted(keys)))
    yield Cause(UNKNOWN_PROPERTY, key, " ".join(filter(None, sentences)), near)


def _property_keys(tx: Tx, labels: Sequence[str]) -> set[str]:
    """Keys of properties that some entities of these types have."""
    rows = [term.row for term in graph_vocabulary.read(tx).types if graph_catalogue.label(term.name) in labels]
    return {key for row in rows for key, _ in store.schema_counts.property_keys(tx, type_row=row, sample=_SAMPLE_SIZE)}


def _either(labels: Sequence[str]) -> str:
    """ "Person or Project"; of none, or of very many, "node"."""
    return " or ".join(labels) if 0 < len(labels) <= _MAX_LABELS_NAMED else "node"


def _similar_words(written: str, known: Iterable[str]) -> tuple[str, ...]:
    """Words with nearly the same letters, in any spelling, nearest first; then words with this one as their prefix."""
    from difflib import get_close_matches

    words_by_key: dict[str, list[str]] = defaultdict(list)
    for word in known:
        words_by_key[spelling_key(word)].append(word)
    written_key = spelling_key(written)[:100]
    similar = get_close_matches(written_key, words_by_key, n=3, cutoff=_MIN_SIMILARITY)
    longer = [key for key in words_by_key if len(written_key) >= _MIN_PREFIX and key.startswith(written_key)]
    return tuple(word for key in dict.fromkeys([*similar, *longer]) for word in words_by_key[key])[:_MAX_SUGGESTIONS]


def _listed(opening: str, words: Sequence[str]) -> str:
    """ "Did you mean …?", "There are …."; nothing where there are none."""
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
    return f"{opening} {shown}{'?' if opening.startswith('Did') else '.'}"
