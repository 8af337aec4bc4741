"""Turns arrows that point where no such relationship leads. Knows which labels stand at the ends of each type.

An arrow is turned only if both its ends have labels, one of them cannot stand where it is, and both can stand where
they are once it is turned. A node may have its label elsewhere: in another pattern of the same reach, or in a
condition that holds whatever else holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keepgraph.cypher.repair.spelling import parts
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Mend, quoted, squeezed
from keepgraph.cypher.syntax import ast

Directions = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_Labels = dict[str, tuple[ast.LabelExpression, ...]]
"""What is said of the labels of each variable, all of which holds."""


def turned(query: ast.Query, text: str, directions: Directions) -> Iterator[Mend]:
    """The arrows to be turned."""
    if directions:
        yield from _query(query, {}, text, directions)


def _query(query: ast.Query, outer: _Labels, text: str, directions: Directions) -> Iterator[Mend]:
    for part in query.parts:
        seen = dict(outer)
        for reach in _reaches(part.clauses):
            for clause in reach:
                if isinstance(clause, ast.Match) and not clause.optional:
                    _learn(seen, clause.paths, clause.condition)
            for clause in reach:
                here = dict(seen)
                if isinstance(clause, ast.Match):
                    if clause.optional:
                        _learn(here, clause.paths, clause.condition)
                    for path in clause.paths:
                        yield from _path(path, here, text, directions)
                if not isinstance(clause, ast.Projection):
                    yield from _inside(clause, here, text, directions)
            if isinstance(last := reach[-1], ast.Projection):
                yield from _projection(last, seen, text, directions)
                seen = _passed_on(last, seen)


def _reaches(clauses: tuple[ast.Clause, ...]) -> Iterator[list[ast.Clause]]:
    """The clauses up to each WITH or RETURN: as far as a variable means one thing."""
    reach: list[ast.Clause] = []
    for clause in clauses:
        reach.append(clause)
        if isinstance(clause, ast.Projection):
            yield reach
            reach = []
    if reach:
        yield reach


def _projection(projection: ast.Projection, seen: _Labels, text: str, directions: Directions) -> Iterator[Mend]:
    """What stands in its items sees the names before it; what comes after them, those that it gives."""
    for item in projection.items:
        yield from _inside(item, seen, text, directions)
    made = {item.name for item in projection.items}
    after = {name: said for name, said in seen.items() if name not in made} | _passed_on(projection, seen)
    for part in (*projection.order, projection.condition):
        if part is not None:
            yield from _inside(part, after, text, directions)


def _passed_on(projection: ast.Projection, seen: _Labels) -> _Labels:
    passed = dict(seen) if projection.everything else {}
    for item in projection.items:
        passed.pop(item.name, None)
        if isinstance(item.expression, ast.Variable) and item.expression.name in seen:
            passed[item.name] = seen[item.expression.name]
    _learn(passed, (), projection.condition)
    return passed


def _learn(seen: _Labels, paths: Iterable[ast.Path], condition: ast.Expression | None) -> None:
    for path in paths:
        for node in path.nodes:
            if node.variable is not None and node.labels is not None:
                seen[node.variable] = (*seen.get(node.variable, ()), node.labels)
            if node.condition is not None:
                _learn(seen, (), node.condition)
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        _learn(seen, (), condition.left)
        _learn(seen, (), condition.right)
    elif isinstance(condition, ast.HasLabels) and isinstance(condition.subject, ast.Variable):
        name = condition.subject.name
        seen[name] = (*seen.get(name, ()), condition.labels)


def _inside(clause: ast.Part, seen: _Labels, text: str, directions: Directions) -> Iterator[Mend]:
    """The patterns and queries in the expressions of a clause."""
    inner: set[int] = set()
    for part in parts(clause):
        if isinstance(part, (ast.ListComprehension, ast.Quantifier, ast.Reduce)):
            # The same name may stand for something else in there.
            seen = {name: said for name, said in seen.items() if name != part.variable}
    for part in parts(clause):
        if id(part) in inner:
            continue
        if isinstance(part, (ast.PatternPredicate, ast.PatternComprehension, ast.PatternPath)):
            here = dict(seen)
            _learn(here, (part.pattern,), part.condition if isinstance(part, ast.PatternComprehension) else None)
            yield from _path(part.pattern, here, text, directions)
        elif isinstance(part, ast.Subquery):
            inner.update(map(id, parts(part.query)))
            yield from _query(part.query, seen, text, directions)


def _path(path: ast.Path, seen: _Labels, text: str, directions: Directions) -> Iterator[Mend]:
    for left, relationship, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
        types = relationship.types
        if relationship.direction == "both" or not isinstance(types, ast.LabelName) or types.name not in directions:
            continue
        out = relationship.direction == "out"
        start, end = (_of(left, seen), _of(right, seen)) if out else (_of(right, seen), _of(left, seen))
        starts, ends = directions[types.name]
        if not start or not end or not (_against(start, starts) or _against(end, ends)):
            continue
        if not _against(end, starts) and not _against(start, ends):
            yield (
                _edits(relationship.span, out),
                f"Turned [:{quoted(types.name)}]: it leads from {_said(end, text)} to {_said(start, text)}",
            )


def _of(node: ast.NodePattern, seen: _Labels) -> tuple[ast.LabelExpression, ...]:
    """What says that the node has some label; that it lacks one says nothing of where it may stand."""
    said: tuple[ast.LabelExpression, ...] = () if node.labels is None else (node.labels,)
    if node.variable is not None:
        said = seen.get(node.variable, said)
    return tuple(filter(_says_something, said))


def _says_something(labels: ast.LabelExpression) -> bool:
    if isinstance(labels, ast.AllLabels):
        return any(map(_says_something, labels.operands))
    if isinstance(labels, ast.SomeLabel):
        return all(map(_says_something, labels.operands))
    return isinstance(labels, ast.LabelName)


def _against(said: tuple[ast.LabelExpression, ...], allowed: frozenset[str]) -> bool:
    """Whether no node with these labels may stand here. A node may have more labels than are said of it."""
    return bool(allowed) and not any(_may(labels, allowed) for labels in said)


def _may(labels: ast.LabelExpression, allowed: frozenset[str]) -> bool:
    if isinstance(labels, (ast.AllLabels, ast.SomeLabel)):
        return any(_may(operand, allowed) for operand in labels.operands)
    return isinstance(labels, ast.LabelName) and labels.name in allowed


def _edits(span: ast.Span, out: bool) -> list[Edit]:
    start, end = span
    return [(start, start, "<"), (end - 1, end, "")] if out else [(start, start + 1, ""), (end, end, ">")]


def _said(labels: tuple[ast.LabelExpression, ...], text: str) -> str:
    return squeezed(text[labels[0].span[0] : labels[0].span[1]])
