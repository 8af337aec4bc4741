"""What may be wrong with a question that found nothing: words, directions and names that the graph does not have.

It asks the graph small questions of its own, in Cypher, so that what it says is what the query saw; together they take
a fraction of a second at most, and what could not be found out in time is not said.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.repair import spelling
from keepgraph.cypher.repair.foreign_syntax import alike
from keepgraph.cypher.repair.tolerant_tokenizer import quoted
from keepgraph.cypher.syntax import ast
from keepgraph.engine.query import graph_catalogue, queries, schema
from keepgraph.engine.resolution import resolver
from keepgraph.store.database import Tx

SECONDS = 0.05
"""For all questions about one answer together."""

MOST_DOUBTS = 10
_MOST_VALUES = 5
_MOST_NEAR = 5
_LIKE = 0.6
_TELLING = 3
_LONGEST_NAME = 200

UNKNOWN_LABEL = "unknown_label"
UNKNOWN_TYPE = "unknown_type"
UNKNOWN_PROPERTY = "unknown_property"
UNUSED_LABEL = "unused_label"
UNUSED_TYPE = "unused_type"
NO_SUCH_DIRECTION = "no_such_direction"
NO_SUCH_PATTERN = "no_such_pattern"
NO_SUCH_VALUE = "no_such_value"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something in a question that the graph has nothing for.

    Attributes:
        kind: which of the above.
        written: what was written.
        message: what is wrong, and what there is.
        near: what may have been meant.
    """

    kind: str
    written: str
    message: str
    near: tuple[str, ...] = ()


def is_hollow(rows: Sequence[Row]) -> bool:
    """Whether nothing was found, or a column of it holds nothing: nulls, zeros and empty lists alone."""
    return any(all(map(_is_nothing, column)) for column in zip(*rows, strict=True)) if rows else True


def of_nothing(tx: Tx, answer: queries.Answer, given: Mapping[str, Any]) -> list[Doubt]:
    """What may be wrong with a question, in the order in which to look at it; nothing where all that it names is there.

    Args:
        given: the values of its parameters.
    """
    question = _Question(answer.query, given)
    graph = _Graph(tx, SECONDS)
    doubts = [
        *_about_labels(graph, question),
        *_about_types(graph, question),
        *_about_patterns(graph, question),
        *_about_values(graph, question),
        *_about_properties(graph, question),
    ]
    return list({(doubt.kind, doubt.written): doubt for doubt in reversed(doubts)}.values())[::-1][:MOST_DOUBTS]


def _is_nothing(value: Any) -> bool:
    return value is None or value == [] or (not isinstance(value, bool) and value == 0)


class _Question:
    """The parts of a bound query that name something in the graph."""

    def __init__(self, query: ast.Query, given: Mapping[str, Any]) -> None:
        self.given = given
        every = list(spelling.parts(query))
        denied = {id(inner) for part in every if _denies(part) for inner in spelling.parts(part)}
        self.parts = [part for part in every if id(part) not in denied]
        self.paths = [part for part in self.parts if isinstance(part, ast.Path)]
        self.nodes = [part for part in self.parts if isinstance(part, ast.NodePattern)]
        self.edges = [part for part in self.parts if isinstance(part, ast.RelationshipPattern)]
        self._labels: dict[str, list[ast.LabelExpression]] = defaultdict(list)
        self._other_names = self._renamed()
        for node in self.nodes:
            if node.variable and node.labels:
                self._labels[node.variable].append(node.labels)
        for part in self.parts:
            if isinstance(part, ast.HasLabels) and isinstance(part.subject, ast.Variable):
                self._labels[self._first_name(part.subject.name)].append(part.labels)
        self.node_names = {node.variable for node in self.nodes if node.variable}
        self.edge_names = {edge.variable for edge in self.edges if edge.variable and not edge.length}

    def labels_of(self, node: ast.NodePattern) -> tuple[ast.LabelExpression, ...]:
        """What is said of the labels of a node, there and elsewhere."""
        if node.variable is not None:
            return self.labels_named(node.variable)
        return (node.labels,) if node.labels else ()

    def labels_named(self, name: str) -> tuple[ast.LabelExpression, ...]:
        return tuple(self._labels[name]) if name in self._labels else ()

    def properties(self) -> Iterator[tuple[str, str | None, ast.Part | None]]:
        """Each property that is asked for: its key, the name of what has it, and the pattern where it stands."""
        for part in self.parts:
            if isinstance(part, ast.Property) and isinstance(part.subject, ast.Variable):
                yield part.key, self._first_name(part.subject.name), None
            elif isinstance(part, ast.NodePattern | ast.RelationshipPattern):
                for key in self._map(part.properties):
                    yield key, part.variable, part

    def values(self) -> Iterator[tuple[str, tuple[ast.LabelExpression, ...], str, str]]:
        """Each text that a property of a node must have: key, what is said of the labels, operator, text."""
        for part in self.parts:
            if isinstance(part, ast.NodePattern):
                for key, value in self._map(part.properties).items():
                    for text in self._texts(value):
                        yield key, self.labels_of(part), "=", text
            elif isinstance(part, ast.Binary) and part.operator in ("=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH"):
                sides = [(part.left, part.right)] + ([(part.right, part.left)] if part.operator == "=" else [])
                for asked, value in sides:
                    if isinstance(asked, ast.Property) and isinstance(asked.subject, ast.Variable):
                        name = self._first_name(asked.subject.name)
                        if name in self.node_names:
                            for text in self._texts(value):
                                operator = "=" if part.operator == "IN" else part.operator
                                yield asked.key, self.labels_named(name), operator, text

    def _renamed(self) -> dict[str, str]:
        """`WITH p AS manager`: what the new name was before."""
        found: dict[str, str] = {}
        for part in self.parts:
            old = part.expression if isinstance(part, ast.Item) else None
            if isinstance(part, ast.Item) and isinstance(old, ast.Variable) and part.name != old.name:
                found.setdefault(part.name, old.name)
        return found

    def _first_name(self, name: str) -> str:
        for _ in self._other_names:
            if name not in self._other_names:
                break
            name = self._other_names[name]
        return name

    def _map(self, properties: ast.Expression | None) -> dict[str, Any]:
        return dict(properties.entries) if isinstance(properties, ast.MapLiteral) else {}

    def _texts(self, value: Any) -> list[str]:
        """The texts that a value is, or holds if it is a list."""
        if isinstance(value, ast.Literal):
            value = value.value
        elif isinstance(value, ast.Parameter):
            value = self.given.get(value.name)
        elif isinstance(value, ast.ListLiteral):
            value = list(value.elements)
        if isinstance(value, list):
            return [text for each in value if not isinstance(each, list) for text in self._texts(each)]
        return [value] if isinstance(value, str) and value.strip() and len(value) <= _LONGEST_NAME else []


def _denies(part: ast.Part) -> bool:
    return isinstance(part, ast.NotLabel) or (isinstance(part, ast.Unary) and part.operator == "NOT")


class _Graph:
    """What the graph has, as far as can be found out in the time that is left."""

    def __init__(self, tx: Tx, seconds: float) -> None:
        self.tx = tx
        self._end = time.monotonic() + seconds
        catalogue = graph_catalogue.statements(tx).catalogue
        self.labels = [label for labels in catalogue.nodes.labels.values() for label in labels]
        self.every_label = [*self.labels, graph_catalogue.LITERAL]
        self.types = list(catalogue.edges.types.values())
        self.implied = catalogue.nodes.implied
        self._counted = schema.at_hand(tx)

    def seconds_left(self) -> float:
        return self._end - time.monotonic()

    def has(self, text: str, /, **given: Any) -> bool | None:
        """Whether a query finds anything; None where there was no time to find out."""
        rows = self.rows(text, 1, **given)
        return None if rows is None else bool(rows)

    def leads(self, sources: Sequence[str], types: Sequence[str], targets: Sequence[str]) -> bool | None:
        """Whether any relationship of these types leads from one of these labels to one of those."""
        if self._counted is None:
            source, target = (f"(:{'|'.join(map(quoted, each))})" for each in (sources, targets))
            return self.has(f"MATCH {source}-[:{'|'.join(map(quoted, types))}]->{target} RETURN 1")
        patterns = (each for name in self._counted.types if name.name in types for each in name.patterns)
        return any(each.source in sources and each.target in targets for each in patterns)

    def steps(self, types: Sequence[str]) -> tuple[str, ...]:
        """What relationships of these types connect."""
        link = f"[:{'|'.join(map(quoted, types))}]"
        if self._counted is None:
            question = f"MATCH (a)-{link}->(b) RETURN DISTINCT labels(a)[0], labels(b)[0]"
            rows = [(row[0], row[1]) for row in self.rows(question, _MOST_NEAR) or ()]
        else:
            patterns = [each for name in self._counted.types if name.name in types for each in name.patterns]
            rows = [(each.source, each.target) for each in patterns[:_MOST_NEAR]]
        return tuple(f"(:{quoted(source)})-{link}->(:{quoted(target)})" for source, target in sorted(set(rows)))

    def rows(self, text: str, most: int, /, **given: Any) -> list[Row] | None:
        left = self.seconds_left()
        if left <= 0:
            return None
        try:
            return queries.found(self.tx, text, given, rows=most, seconds=left)
        except errors.QueryError:
            return None

    def fitting(self, wanted: Iterable[ast.LabelExpression]) -> list[str]:
        """The labels of nodes of which all this may be said."""
        wanted = list(wanted)
        return [
            label
            for label in self.every_label
            if all(
                evaluate.labelled((label,) if label == graph_catalogue.LITERAL else (label, *self.implied), each)
                for each in wanted
            )
        ]


def _about_labels(graph: _Graph, question: _Question) -> Iterator[Doubt]:
    known = {*graph.every_label, *graph.implied}
    tests = [part for part in question.parts if isinstance(part, ast.HasLabels)]
    # Of a relationship, `r:TYPE` asks for its type.
    also = {id(name): set(graph.types) for test in tests for name in _names(test.labels)}
    for name in [
        *(name for node in question.nodes if node.labels for name in _names(node.labels)),
        *(name for test in tests for name in _names(test.labels)),
    ]:
        if name.name in known | also.get(id(name), set()):
            if name.name in graph.every_label and graph.has(f"MATCH (n:{quoted(name.name)}) RETURN 1") is False:
                yield Doubt(UNUSED_LABEL, name.name, f"There is no {name.name} in the graph yet.")
            continue
        near = _near(name.name, graph.every_label)
        if name.name in graph.types:
            told = f"{name.name} is a relationship type: write -[:{name.name}]->."
        else:
            known_ones = _listed("Did you mean", near) or _listed("There are", graph.every_label)
            told = f"There is no label {name.name}. {known_ones}"
        yield Doubt(UNKNOWN_LABEL, name.name, told, near)


def _about_types(graph: _Graph, question: _Question) -> Iterator[Doubt]:
    for name in (name for edge in question.edges if edge.types for name in _names(edge.types)):
        if name.name in graph.types:
            if graph.has(f"MATCH ()-[r:{quoted(name.name)}]->() RETURN 1") is False:
                yield Doubt(UNUSED_TYPE, name.name, f"Nothing is connected by {name.name} here yet.")
            continue
        near = _near(name.name, graph.types)
        known = _listed("Did you mean", near) or _listed("There are", graph.types)
        yield Doubt(UNKNOWN_TYPE, name.name, f"There is no relationship type {name.name}. {known}", near)


def _about_patterns(graph: _Graph, question: _Question) -> Iterator[Doubt]:
    """Steps that no relationship in the graph takes, between kinds and by types that there are."""
    for path in question.paths:
        for left, edge, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
            types = [name for name in graph.types if edge.types is None or evaluate.labelled((name,), edge.types)]
            ends = [question.labels_of(left), question.labels_of(right)]
            if (
                edge.length is not None
                or not types
                or not all(map(graph.fitting, ends))
                or not any([*ends, edge.types])
            ):
                continue
            left_labels, right_labels = map(graph.fitting, ends)
            forward = graph.leads(left_labels, types, right_labels) if edge.direction != "in" else False
            back = graph.leads(right_labels, types, left_labels) if edge.direction != "out" else False
            if forward is not False or back is not False:
                continue
            if edge.types and graph.leads(graph.every_label, types, graph.every_label) is False:
                continue  # said of the types already
            source, target = (_node(graph, each) for each in ends)
            link = f"[:{'|'.join(map(quoted, types))}]" if edge.types else "[]"
            here, other = {"out": ("-{}->", "<-{}-"), "in": ("<-{}-", "-{}->"), "both": ("-{}-", "")}[edge.direction]
            written, turned = (f"{source}{arrow.format(link)}{target}" for arrow in (here, other))
            one, another = (right_labels, left_labels) if edge.direction == "out" else (left_labels, right_labels)
            if other and graph.leads(one, types, another):
                told = f"No relationship leads this way; some do the other: {turned}."
                yield Doubt(NO_SUCH_DIRECTION, written, told, (turned,))
                continue
            lead = graph.steps(types) if edge.types else ()
            told = f"No relationship connects these. {_listed('There are', lead)}".strip()
            yield Doubt(NO_SUCH_PATTERN, written, told, lead)


def _about_properties(graph: _Graph, question: _Question) -> Iterator[Doubt]:
    for key, name, pattern in question.properties():
        if name in question.node_names or isinstance(pattern, ast.NodePattern):
            said = (
                question.labels_of(pattern)
                if isinstance(pattern, ast.NodePattern)
                else question.labels_named(name or "")
            )
            yield from _about_property_of_nodes(graph, key, said)
        elif key not in graph_catalogue.EDGE_COLUMNS and (
            name in question.edge_names or isinstance(pattern, ast.RelationshipPattern)
        ):
            near = _near(key, graph_catalogue.EDGE_COLUMNS)
            have = _listed("They have", list(graph_catalogue.EDGE_COLUMNS))
            yield Doubt(UNKNOWN_PROPERTY, key, f"Relationships have no property {key}. {have}", near)


def _about_property_of_nodes(graph: _Graph, key: str, said: tuple[ast.LabelExpression, ...]) -> Iterator[Doubt]:
    labels = graph.fitting(said)
    if not labels:
        return
    only_literals, columns = labels == [graph_catalogue.LITERAL], set(graph_catalogue.NODE_COLUMNS)
    if graph_catalogue.LITERAL in labels:
        columns = {*graph_catalogue.LITERAL_PROPERTIES} | (set() if only_literals else columns)
    if key in columns:
        return
    of = " or ".join(labels) if said else "node"
    asked = f"n.{quoted(key)} IS NOT NULL"
    there = False if only_literals else graph.has(f"MATCH {_node(graph, said, 'n')} WHERE {asked} RETURN 1")
    keys = {*columns, *([] if only_literals else _keys(graph.tx, labels))}
    if there or key in keys:
        return
    elsewhere = graph.rows(f"MATCH (n) WHERE {asked} RETURN DISTINCT labels(n)", _MOST_NEAR) if said else None
    have = tuple(label for row in elsewhere or () for label in row[0])
    near = _near(key, sorted(keys))
    # In a large graph there is no time to look at every node.
    told = [f"No {of}{' that was looked at' if there is None else ''} has a property {key}."]
    if have:
        told.append(f"It is a property of {' and '.join(have)}.")
    told.append(_listed("Did you mean", near) or _listed("There are", sorted(keys)))
    yield Doubt(UNKNOWN_PROPERTY, key, " ".join(filter(None, told)), near)


def _about_values(graph: _Graph, question: _Question) -> Iterator[Doubt]:
    wanted = [each for each in dict.fromkeys(question.values()) if each[0] in ("id", "name", "value")]
    for key, said, operator, text in wanted[:_MOST_VALUES]:
        labels = graph.fitting(said)
        condition = f"n.{key} {operator} $text"
        if (
            not labels
            or graph.has(f"MATCH {_node(graph, said, 'n')} WHERE {condition} RETURN 1", text=text) is not False
        ):
            continue
        yield _about_value(graph, key, labels if said else [], condition, text)


def _about_value(graph: _Graph, key: str, labels: Sequence[str], condition: str, text: str) -> Doubt:
    of = " or ".join(labels) if labels else "node"
    told = f"No {of} has {condition.removeprefix('n.').replace('$text', repr(text))}."
    if labels:
        others = graph.rows(f"MATCH (n) WHERE {condition} RETURN DISTINCT labels(n), n.{key}", _MOST_NEAR, text=text)
        if others:
            kinds = " and ".join(dict.fromkeys(label for row in others for label in row[0]))
            return Doubt(
                NO_SUCH_VALUE, text, f"{told} It is a {kinds}.", tuple(dict.fromkeys(row[1] for row in others))
            )
    if labels == [graph_catalogue.LITERAL] or key == "value":
        rows = graph.rows(
            "MATCH (n:Literal) WHERE toLower(n.value) CONTAINS toLower($text) RETURN n.value", _MOST_NEAR, text=text
        )
        near = tuple(row[0] for row in rows or ())
    else:
        near = _entities_near(graph, key, labels, text)
    return Doubt(NO_SUCH_VALUE, text, f"{told} {_listed('Did you mean', near)}".strip(), near)


def _entities_near(graph: _Graph, key: str, labels: Sequence[str], text: str) -> tuple[str, ...]:
    """What recall_entity would take a name for, or nearly, without asking what it means."""
    if graph.seconds_left() <= 0:
        return ()
    tx = replace(graph.tx, settings=replace(graph.tx.settings, rungs=("fuzzy",)))
    found = resolver.resolve(tx, text)
    entities = [*([found.entity] if found.entity else []), *(each.entity for each in found.candidates)]
    fitting = [each for each in entities if not labels or graph_catalogue.label(each.type) in labels] or entities
    return tuple(dict.fromkeys(each.id if key == "id" else each.name for each in fitting))[:_MOST_NEAR]


# Words


def _names(labels: ast.LabelExpression) -> Iterator[ast.LabelName]:
    """The names in it that something must have."""
    if isinstance(labels, ast.LabelName):
        yield labels
    elif isinstance(labels, ast.AllLabels | ast.SomeLabel):
        for each in labels.operands:
            yield from _names(each)


def _near(written: str, known: Iterable[str]) -> tuple[str, ...]:
    """Words with the same letters, or nearly, in whatever spelling; nearest first; and words that begin so."""
    from difflib import get_close_matches

    spelled: dict[str, list[str]] = defaultdict(list)
    for word in known:
        spelled[alike(word)].append(word)
    asked = alike(written)[:100]
    close = get_close_matches(asked, spelled, n=3, cutoff=_LIKE)
    longer = [each for each in spelled if len(asked) >= _TELLING and each.startswith(asked)]
    return tuple(word for each in dict.fromkeys([*close, *longer]) for word in spelled[each])[:_MOST_NEAR]


def _listed(opening: str, words: Sequence[str]) -> str:
    """ "Did you mean …?", "There are …."; nothing where there are none."""
    if not words:
        return ""
    shown = ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
    return f"{opening} {shown}{'?' if opening.startswith('Did') else '.'}"


def _node(graph: _Graph, said: tuple[ast.LabelExpression, ...], variable: str = "") -> str:
    """A pattern for a node of which this is said."""
    return f"({variable}:{'|'.join(map(quoted, graph.fitting(said)))})" if said else f"({variable})"


def _keys(tx: Tx, labels: Sequence[str]) -> set[str]:
    """Keys of properties that some entities of these types have."""
    types, _ = graph_catalogue.words(tx)
    rows = [word.row for word in types if graph_catalogue.label(word.name) in labels]
    return {key for row in rows for key, _ in store.schema_counts.keys(tx, type_row=row, sample=50)}
