"""Arrow direction: turns arrows whose direction contradicts the labels at their ends.

An arrow is turned only if both its ends have labels, one label may not stand at its end, and both may once the arrow
is turned. The label of a node may be elsewhere: in another pattern up to the next WITH, or in a condition that must
hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Repair, quote_name, shorten
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import walk

Directions = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_Labels = dict[str, tuple[ast.LabelExpression, ...]]
"""For each variable, the label expressions that it must all match."""


def turn_arrows(query: ast.Query, text: str, directions: Directions) -> Iterator[Repair]:
    """The repairs of arrows that point the wrong way."""
    if directions:
        yield from _turn_in_query(query, {}, text, directions)


def _turn_in_query(query: ast.Query, outer: _Labels, text: str, directions: Directions) -> Iterator[Repair]:
    for part in query.parts:
        labels = dict(outer)
        for group in _clause_groups(part.clauses):
            for clause in group:
                if isinstance(clause, ast.Match) and not clause.optional:
                    _add_labels(labels, clause.paths, clause.condition)
            for clause in group:
                clause_labels = dict(labels)
                if isinstance(clause, ast.Match):
                    if clause.optional:
                        _add_labels(clause_labels, clause.paths, clause.condition)
                    for path in clause.paths:
                        yield from _turn_in_path(path, clause_labels, text, directions)
                if not isinstance(clause, ast.Projection):
                    yield from _turn_in_expressions(clause, clause_labels, text, directions)
            if isinstance(last := group[-1], ast.Projection):
                yield from _turn_in_projection(last, labels, text, directions)
                labels = _labels_after(last, labels)


def _clause_groups(clauses: tuple[ast.Clause, ...]) -> Iterator[list[ast.Clause]]:
    """The clauses up to each WITH or RETURN, within which a variable means one thing."""
    group: list[ast.Clause] = []
    for clause in clauses:
        group.append(clause)
        if isinstance(clause, ast.Projection):
            yield group
            group = []
    if group:
        yield group


def _turn_in_projection(
    projection: ast.Projection, labels: _Labels, text: str, directions: Directions
) -> Iterator[Repair]:
    """Its items see the names before it; its ORDER BY and WHERE see the names that it returns."""
    for item in projection.items:
        yield from _turn_in_expressions(item, labels, text, directions)
    returned = {item.name for item in projection.items}
    labels_after = {name: expressions for name, expressions in labels.items() if name not in returned} | _labels_after(
        projection, labels
    )
    for part in (*projection.order, projection.condition):
        if part is not None:
            yield from _turn_in_expressions(part, labels_after, text, directions)


def _labels_after(projection: ast.Projection, labels: _Labels) -> _Labels:
    labels_after = dict(labels) if projection.star else {}
    for item in projection.items:
        labels_after.pop(item.name, None)
        if isinstance(item.expression, ast.Variable) and item.expression.name in labels:
            labels_after[item.name] = labels[item.expression.name]
    _add_labels(labels_after, (), projection.condition)
    return labels_after


def _add_labels(labels: _Labels, paths: Iterable[ast.Path], condition: ast.Expression | None) -> None:
    for path in paths:
        for node in path.nodes:
            if node.variable is not None and node.labels is not None:
                labels[node.variable] = (*labels.get(node.variable, ()), node.labels)
            if node.condition is not None:
                _add_labels(labels, (), node.condition)
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        _add_labels(labels, (), condition.left)
        _add_labels(labels, (), condition.right)
    elif isinstance(condition, ast.HasLabels) and isinstance(condition.subject, ast.Variable):
        name = condition.subject.name
        labels[name] = (*labels.get(name, ()), condition.labels)


def _turn_in_expressions(
    clause: ast.SyntaxNode, labels: _Labels, text: str, directions: Directions
) -> Iterator[Repair]:
    """The repairs in the patterns and subqueries in the expressions of a clause."""
    nested: set[int] = set()
    for part in walk(clause):
        if isinstance(part, (ast.ListComprehension, ast.Quantifier, ast.Reduce)):
            # Inside, the name of its variable stands for something else.
            labels = {name: expressions for name, expressions in labels.items() if name != part.variable}
    for part in walk(clause):
        if id(part) in nested:
            continue
        if isinstance(part, (ast.PatternPredicate, ast.PatternComprehension, ast.PatternPath)):
            pattern_labels = dict(labels)
            _add_labels(
                pattern_labels, (part.pattern,), part.condition if isinstance(part, ast.PatternComprehension) else None
            )
            yield from _turn_in_path(part.pattern, pattern_labels, text, directions)
        elif isinstance(part, ast.Subquery):
            nested.update(map(id, walk(part.query)))
            yield from _turn_in_query(part.query, labels, text, directions)


def _turn_in_path(path: ast.Path, labels: _Labels, text: str, directions: Directions) -> Iterator[Repair]:
    for left, relationship, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
        types = relationship.types
        if relationship.direction == "both" or not isinstance(types, ast.LabelName) or types.name not in directions:
            continue
        outgoing = relationship.direction == "out"
        start, end = (
            (_labels_of(left, labels), _labels_of(right, labels))
            if outgoing
            else (_labels_of(right, labels), _labels_of(left, labels))
        )
        starts, ends = directions[types.name]
        if not start or not end or not (_excludes(start, starts) or _excludes(end, ends)):
            continue
        if not _excludes(end, starts) and not _excludes(start, ends):
            new_start, new_end = _written_label(end, text), _written_label(start, text)
            sentence = f"Turned [:{quote_name(types.name)}]: it leads from {new_start} to {new_end}"
            yield _turn(relationship.span, outgoing), sentence


def _labels_of(node: ast.NodePattern, labels: _Labels) -> tuple[ast.LabelExpression, ...]:
    """The expressions that require some label of a node; one that only excludes labels does not tell its place."""
    expressions: tuple[ast.LabelExpression, ...] = () if node.labels is None else (node.labels,)
    if node.variable is not None:
        expressions = labels.get(node.variable, expressions)
    return tuple(filter(_requires_label, expressions))


def _requires_label(labels: ast.LabelExpression) -> bool:
    if isinstance(labels, ast.LabelAnd):
        return any(map(_requires_label, labels.operands))
    if isinstance(labels, ast.LabelOr):
        return all(map(_requires_label, labels.operands))
    return isinstance(labels, ast.LabelName)


def _excludes(expressions: tuple[ast.LabelExpression, ...], allowed: frozenset[str]) -> bool:
    """Whether no node with these labels may stand here. A node may have more labels than the query names."""
    return bool(allowed) and not any(_may_match(expression, allowed) for expression in expressions)


def _may_match(labels: ast.LabelExpression, allowed: frozenset[str]) -> bool:
    if isinstance(labels, (ast.LabelAnd, ast.LabelOr)):
        return any(_may_match(operand, allowed) for operand in labels.operands)
    return isinstance(labels, ast.LabelName) and labels.name in allowed


def _turn(span: ast.Span, outgoing: bool) -> list[Edit]:
    start, end = span
    return [(start, start, "<"), (end - 1, end, "")] if outgoing else [(start, start + 1, ""), (end, end, ">")]


def _written_label(labels: tuple[ast.LabelExpression, ...], text: str) -> str:
    return shorten(text[labels[0].span[0] : labels[0].span[1]])
