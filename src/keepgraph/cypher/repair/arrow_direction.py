"""Arrow direction: turns arrows whose direction contradicts the labels at their ends.

An arrow is turned only if both its ends have one label each, one of them may not stand at its end, and both may once
the arrow is turned. The label of a node may be elsewhere in the same MATCH, or in an earlier one. Where a type may
begin or end anywhere, only a label counts that some type begins or ends with: another may be a general one, such as
that of all entities, and its arrow right as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Repair, quote_name
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import walk

Directions = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_Labels = dict[str, str]
"""The label of each variable that has one."""


def turn_arrows(query: ast.Query, directions: Directions) -> Iterator[Repair]:
    """The repairs of arrows that point the wrong way."""
    for part in query.parts if directions else ():
        labels: _Labels = {}
        for clause in part.clauses:
            rebound = _rebound_names(clause)
            clause_labels = {name: label for name, label in labels.items() if name not in rebound}
            if isinstance(clause, ast.Match):
                own_labels = _pattern_labels(clause)
                clause_labels |= own_labels
                if not clause.optional:
                    labels |= own_labels
            for path in walk(clause):
                if isinstance(path, ast.Path):
                    yield from _turn_in_path(path, clause_labels, directions)
            if isinstance(clause, ast.Projection):
                labels = _labels_after(clause, labels)


def _rebound_names(clause: ast.Clause) -> set[str]:
    """The names that stand for something else in a part of a clause."""
    names: set[str] = set()
    for part in walk(clause):
        if isinstance(part, (ast.ListComprehension, ast.Quantifier, ast.Reduce)):
            names.add(part.variable)
        elif isinstance(part, ast.ProjectionItem):
            names.add(part.name)
    return names


def _pattern_labels(clause: ast.Match) -> _Labels:
    return {
        node.variable: node.labels.name
        for path in clause.paths
        for node in path.nodes
        if node.variable is not None and isinstance(node.labels, ast.LabelName)
    }


def _labels_after(projection: ast.Projection, labels: _Labels) -> _Labels:
    labels_after = dict(labels) if projection.star else {}
    for item in projection.items:
        labels_after.pop(item.name, None)
        if isinstance(item.expression, ast.Variable) and item.expression.name in labels:
            labels_after[item.name] = labels[item.expression.name]
    return labels_after


def _turn_in_path(path: ast.Path, labels: _Labels, directions: Directions) -> Iterator[Repair]:
    for left, relationship, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
        types = relationship.types
        if relationship.direction == "both" or not isinstance(types, ast.LabelName) or types.name not in directions:
            continue
        outgoing = relationship.direction == "out"
        start, end = (_label_of(node, labels) for node in ((left, right) if outgoing else (right, left)))
        starts, ends = directions[types.name]
        if start is None or end is None or (_may_stand(start, starts) and _may_stand(end, ends)):
            continue
        if _is_intended(end, starts, directions) and _is_intended(start, ends, directions):
            sentence = f"Turned [:{quote_name(types.name)}]: it leads from {quote_name(end)} to {quote_name(start)}"
            yield _turn(relationship.span, outgoing), sentence


def _label_of(node: ast.NodePattern, labels: _Labels) -> str | None:
    """The one label of a node; None if it may have another."""
    if isinstance(node.labels, ast.LabelName):
        return node.labels.name
    return labels.get(node.variable) if node.variable is not None and node.labels is None else None


def _may_stand(label: str, allowed: frozenset[str]) -> bool:
    return not allowed or label in allowed


def _is_intended(label: str, allowed: frozenset[str], directions: Directions) -> bool:
    if allowed:
        return label in allowed
    return any(label in starts or label in ends for starts, ends in directions.values())


def _turn(span: ast.Span, outgoing: bool) -> list[Edit]:
    start, end = span
    return [(start, start, "<"), (end - 1, end, "")] if outgoing else [(start, start + 1, ""), (end, end, ">")]
