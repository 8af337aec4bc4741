"""What a query names in the graph: labels, relationship types, properties, and the values it compares them with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.syntax.tree_walk import walk

PropertyRead = tuple[str, str, "Labels"]
"""A property that a query reads: its key, 'node' or 'relationship', and what the query says of the node's labels."""

Labels = tuple[ast.LabelExpression, ...]
"""Everything that a query says of the labels of one node; all of it has to be true."""

_SELECTING = ("name", "id")
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TESTS_OF_TEXTS = ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~")
_MAX_TEXT_LENGTH = 200


class QueryTerms:
    """The terms of a bound query; those within a negation are left out, for it may be right that they are nowhere."""

    def __init__(self, tree: ast.Query, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        all_parts = list(walk(tree))
        negated = {id(inner) for part in all_parts if _is_negation(part) for inner in walk(part)}
        self._negated_operands = [
            inner
            for part in all_parts
            if isinstance(part, ast.Unary) and part.operator == "NOT"
            for inner in _outside_of_patterns(part)
        ]
        self._parts = [part for part in all_parts if id(part) not in negated]
        self.paths = [part for part in self._parts if isinstance(part, ast.Path)]
        self.nodes = [part for part in self._parts if isinstance(part, ast.NodePattern)]
        self.relationships = [part for part in self._parts if isinstance(part, ast.RelationshipPattern)]
        self.label_tests = [part for part in self._parts if isinstance(part, ast.HasLabels)]
        self._original_names = self._renamed_variables()
        # What a column is called may have been the name of a node before: `WITH a AS r, count(b) AS a`.
        self._computed_names = {
            part.name
            for part in self._parts
            if isinstance(part, ast.ProjectionItem) and not isinstance(part.expression, ast.Variable)
        }
        self._labels = self._labels_by_variable()
        self.node_variables = {node.variable for node in self.nodes if node.variable}
        self.relationship_variables = {
            edge.variable for edge in self.relationships if edge.variable and not edge.length
        }

    def labels_of(self, node: ast.NodePattern) -> Labels:
        """What the query says of the labels of a node, in this pattern and elsewhere."""
        if node.variable is not None:
            return self.labels_of_variable(node.variable)
        return (node.labels,) if node.labels else ()

    def labels_of_variable(self, name: str) -> Labels:
        """What the query says of the labels of the node with this variable."""
        return tuple(self._labels[name]) if name in self._labels else ()

    def properties(self) -> Iterator[PropertyRead]:
        """Each property that is read; also beside NOT, where a value that is not there is as unknown."""
        yield from self._properties_in([*self._parts, *self._negated_operands])

    def properties_without_effect(self) -> Iterator[PropertyRead]:
        """The properties of which no row tells that nothing has them: by which rows are sorted, or that may be null."""
        for part in self._parts:
            if isinstance(part, ast.SortKey):
                yield from self._properties_in(walk(part.expression))
            elif isinstance(part, ast.IsNull) and not part.negated:
                yield from self._properties_in([part.operand])
            elif isinstance(part, ast.Call) and part.name.lower() == "coalesce":
                yield from self._properties_in(part.arguments)
            elif isinstance(part, ast.MapProjection):
                yield from self._properties_in(value for _, value in part.entries)

    def _properties_in(self, parts: Iterable[ast.SyntaxNode]) -> Iterator[PropertyRead]:
        for part in parts:
            if isinstance(part, ast.Index) and isinstance(part.index, ast.Literal) and type(part.index.value) is str:
                part = ast.Property(part.subject, part.index.value)
            if isinstance(part, ast.Property) and (kind := self.kind_of_subject(part)) is not None:
                yield part.key, kind, self.labels_of_variable(self.original_name_of(part))
            elif isinstance(part, ast.NodePattern):
                yield from ((key, "node", self.labels_of(part)) for key in _entries(part.properties))
            elif isinstance(part, ast.RelationshipPattern):
                yield from ((key, "relationship", ()) for key in _entries(part.properties))

    def values(self) -> Iterator[tuple[str, Labels, str, str]]:
        """Each text that a property of a node is compared with: key, labels of the node, operator, text."""
        for part in self._parts:
            if isinstance(part, ast.NodePattern):
                for key, value in _entries(part.properties).items():
                    for text in self._texts(value):
                        yield key, self.labels_of(part), "=", text
            elif isinstance(part, ast.Binary) and part.operator in ("=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH"):
                yield from self._compared_values(part)

    def comparisons(self) -> Iterator[tuple[ast.Property, str, ast.Expression]]:
        """Each property of a node or a relationship, the operator, and what it is compared with."""
        for part in self._parts:
            if isinstance(part, ast.Binary):
                if isinstance(part.left, ast.Property) and self.kind_of_subject(part.left):
                    yield part.left, part.operator, part.right
                elif isinstance(part.right, ast.Property) and self.kind_of_subject(part.right):
                    yield part.right, _MIRRORED.get(part.operator, ""), part.left
            elif isinstance(part, ast.NodePattern | ast.RelationshipPattern) and part.variable is not None:
                for key, value in _entries(part.properties).items():
                    yield ast.Property(ast.Variable(part.variable), key), "=", value

    def all_comparisons(self) -> Iterator[tuple[ast.Expression, str, ast.Expression]]:
        """The same of any expressions, what is no constant at the left."""
        for part in self._parts:
            if isinstance(part, ast.Binary) and part.operator in (*_MIRRORED, "IN", *_TESTS_OF_TEXTS):
                if part.operator in _MIRRORED and isinstance(part.left, ast.Literal | ast.Parameter):
                    yield part.right, _MIRRORED[part.operator], part.left
                else:
                    yield part.left, part.operator, part.right
            elif isinstance(part, ast.NodePattern | ast.RelationshipPattern) and part.variable is not None:
                for key, value in _entries(part.properties).items():
                    yield ast.Property(ast.Variable(part.variable), key), "=", value

    def required_properties(self) -> Iterator[ast.Property]:
        """The properties that must not be null."""
        for part in self._parts:
            if isinstance(part, ast.IsNull) and part.negated and isinstance(part.operand, ast.Property):
                yield part.operand

    def tested_types(self, variable: str | None) -> list[str]:
        """The texts that `type(r)` of a relationship must be one of; none where that is not asked."""
        subject = ast.Call("type", (ast.Variable(variable or ""),))
        for part in self._parts:
            if isinstance(part, ast.Binary) and part.operator in ("=", "IN") and part.left == subject:
                return self._texts(part.right)
        return []

    def properties_of_values(self) -> Iterator[ast.Property]:
        """The properties of anything but a variable: components of values."""
        for part in self._parts:
            if isinstance(part, ast.Property) and not isinstance(part.subject, ast.Variable):
                yield part

    def kind_of_variable(self, variable: ast.Variable) -> str | None:
        """Whether a variable is a 'node' or a 'relationship'; None where it is something else."""
        return self.kind_of_subject(ast.Property(variable, ""))

    def kind_of_subject(self, expression: ast.Property) -> str | None:
        """Whether a property is of a 'node' or of a 'relationship'; None where it is of something else."""
        name = self.original_name_of(expression)
        if isinstance(expression.subject, ast.Variable) and expression.subject.name in self._computed_names:
            return None
        if name in self.node_variables:
            return "node"
        return "relationship" if name in self.relationship_variables else None

    def original_name_of(self, expression: ast.Property) -> str:
        """The first name of the variable that has a property; empty where no variable has it."""
        return self._original_name(expression.subject.name) if isinstance(expression.subject, ast.Variable) else ""

    def selected_nodes(self) -> Iterator[tuple[ast.NodePattern, str, str]]:
        """Each node that is selected by its name or its id, with that key and text."""
        by_variable: dict[str, tuple[str, str]] = {}
        for part in self._parts:
            if isinstance(part, ast.Binary) and part.operator == "=":
                for side, value in ((part.left, part.right), (part.right, part.left)):
                    if isinstance(side, ast.Property) and side.key in _SELECTING and self.original_name_of(side):
                        for text in self._texts(value):
                            by_variable[self.original_name_of(side)] = (side.key, text)
        for node in self.nodes:
            for key, value in _entries(node.properties).items():
                for text in self._texts(value) if key in _SELECTING else ():
                    yield node, key, text
            if node.variable in by_variable:
                yield node, *by_variable[node.variable]

    def _compared_values(self, comparison: ast.Binary) -> Iterator[tuple[str, Labels, str, str]]:
        operator = "=" if comparison.operator == "IN" else comparison.operator
        sides = [(comparison.left, comparison.right)]
        if comparison.operator == "=":
            sides.append((comparison.right, comparison.left))
        for side, value in sides:
            if isinstance(side, ast.Property) and isinstance(side.subject, ast.Variable):
                name = self._original_name(side.subject.name)
                if name in self.node_variables:
                    for text in self._texts(value):
                        yield side.key, self.labels_of_variable(name), operator, text

    def _labels_by_variable(self) -> dict[str, list[ast.LabelExpression]]:
        labels: dict[str, list[ast.LabelExpression]] = defaultdict(list)
        for node in self.nodes:
            if node.variable and node.labels:
                labels[node.variable].append(node.labels)
        for test in self.label_tests:
            if isinstance(test.subject, ast.Variable):
                labels[self._original_name(test.subject.name)].append(test.labels)
        return labels

    def _renamed_variables(self) -> dict[str, str]:
        """The former names of variables: `WITH p AS manager` renames p."""
        former: dict[str, str] = {}
        for part in self._parts:
            variable = part.expression if isinstance(part, ast.ProjectionItem) else None
            if (
                isinstance(part, ast.ProjectionItem)
                and isinstance(variable, ast.Variable)
                and part.name != variable.name
            ):
                former.setdefault(part.name, variable.name)
        return former

    def _original_name(self, name: str) -> str:
        for _ in self._original_names:  # no more often: names may be swapped in a circle
            if name not in self._original_names:
                break
            name = self._original_names[name]
        return name

    def _texts(self, value: Any) -> list[str]:
        """The texts that a value is, or holds if it is a list."""
        if isinstance(value, ast.Literal):
            value = value.value
        elif isinstance(value, ast.Parameter):
            value = self._parameters.get(value.name)
        elif isinstance(value, ast.ListLiteral):
            value = list(value.elements)
        if isinstance(value, list):
            return [text for element in value if not isinstance(element, list) for text in self._texts(element)]
        return [value] if isinstance(value, str) and value.strip() and len(value) <= _MAX_TEXT_LENGTH else []


def label_names(labels: ast.LabelExpression) -> Iterator[ast.LabelName]:
    """The names in a label expression that something must have, or may; not those behind a `!`."""
    if isinstance(labels, ast.LabelName):
        yield labels
    elif isinstance(labels, ast.LabelAnd | ast.LabelOr):
        for operand in labels.operands:
            yield from label_names(operand)


def _is_negation(part: ast.SyntaxNode) -> bool:
    return isinstance(part, ast.LabelNot) or (isinstance(part, ast.Unary) and part.operator == "NOT")


def _outside_of_patterns(expression: ast.Expression) -> Iterator[ast.SyntaxNode]:
    """The parts of an expression, but for those of patterns and subqueries, and what is tested for null."""
    if not isinstance(expression, (ast.Subquery, ast.IsNull, *traversal.PATTERN_EXPRESSIONS)):
        yield expression
        for part in traversal.children(expression):
            yield from _outside_of_patterns(part)


def _entries(properties: ast.Expression | None) -> dict[str, Any]:
    """The entries of a map of properties in a pattern."""
    return dict(properties.entries) if isinstance(properties, ast.MapLiteral) else {}
