"""Spelling: corrects labels, types and functions of a parsed query by the names that exist.

The spans of the syntax tree tell where the text is edited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from keepgraph.cypher import functions
from keepgraph.cypher.repair.foreign_syntax import spelling_key
from keepgraph.cypher.repair.tolerant_tokenizer import Repair, quote_name, shorten
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import walk


@dataclass(frozen=True, slots=True)
class Names:
    """The labels, or the relationship types, of a graph.

    Attributes:
        existing: those that queries may name.
        of_wording: the one that another wording stands for; None if there is none.
    """

    existing: frozenset[str]
    of_wording: Callable[[str], str | None]


def correct_names(query: ast.Query, labels: Names, types: Names) -> Iterator[Repair]:
    """Replace labels and types that the graph has in another spelling (capitals, underscores, hyphens, spaces).

    Then those that it has another word for.
    """
    nodes, relationships = set(), set()
    expressions_and_names: list[tuple[ast.SyntaxNode | None, Names]] = []
    label_tests: list[ast.HasLabels] = []
    for part in walk(query):
        if isinstance(part, ast.NodePattern):
            nodes.add(part.variable)
            expressions_and_names.append((part.labels, labels))
        elif isinstance(part, ast.RelationshipPattern):
            relationships.add(part.variable)
            expressions_and_names.append((part.types, types))
        elif isinstance(part, ast.HasLabels):
            label_tests.append(part)
    for test in label_tests:
        name = test.subject.name if isinstance(test.subject, ast.Variable) else None
        expressions_and_names.append((test.labels, types if name in relationships - nodes else labels))
    unknown_names: dict[tuple[int, int], tuple[str, Names]] = {}
    for expression, names in expressions_and_names:
        for part in walk(expression) if expression is not None else ():
            if isinstance(part, ast.LabelName) and part.name not in names.existing:
                unknown_names[part.span] = (part.name, names)
    for span in sorted(unknown_names):
        written, names = unknown_names[span]
        matches = _by_spelling_key(names.existing).get(spelling_key(written), ())
        if len(matches) == 1:
            reason = "which the graph has"
        elif not matches and (match := names.of_wording(written)):
            matches, reason = (match,), "which is the word for it here"
        else:
            continue
        yield (
            [(*span, quote_name(matches[0]))],
            f"Wrote :{shorten(quote_name(written))} as :{quote_name(matches[0])}, {reason}",
        )


@lru_cache(maxsize=8)
def _by_spelling_key(names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    by_key: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        by_key[spelling_key(name)] = (*by_key.get(spelling_key(name), ()), name)
    return by_key


_FUNCTION_NAMES = {
    "lower": "toLower",
    "upper": "toUpper",
    "len": "size",
    "toint": "toInteger",
    "rels": "relationships",
    "ifnull": "coalesce",
}


def correct_functions(query: ast.Query, text: str) -> Iterator[Repair]:
    """Replace functions by the name that they have here, and `size` of a pattern by `COUNT { … }`."""
    for part in walk(query):
        if not isinstance(part, ast.Call):
            continue
        name = part.name.lower()
        start, end = part.span
        if name in ("size", "length", "len") and len(part.arguments) == 1 and not part.distinct:
            pattern = part.arguments[0]
            if isinstance(pattern, ast.PatternPredicate):
                yield (
                    [(start, pattern.span[0], "COUNT { "), (pattern.span[1], end, " }")],
                    f"Wrote {part.name}() of a pattern as COUNT {{ … }}",
                )
                continue
        replacement = _FUNCTION_NAMES.get(name)
        if replacement and text.startswith(part.name, start):
            yield [(start, start + len(part.name), replacement)], f"Wrote {part.name}() as {replacement}()"


def correct_texts(query: ast.Query, labels: Names, types: Names) -> Iterator[Repair]:
    """Replace texts that are compared with `type(r)` or with labels by the type or the label that they spell.

    Left as they are where the graph has none in that spelling: the result explains it.
    """
    names_of = {"type": types, "labels": labels}
    for kind, literal in compared_names(query):
        names, written = names_of[kind], literal.value if isinstance(literal, ast.Literal) else None
        if not isinstance(written, str) or written in names.existing:
            continue
        matches = _by_spelling_key(names.existing).get(spelling_key(written), ())
        name = matches[0] if len(matches) == 1 else None if matches else names.of_wording(written)
        if name is not None and name != written:
            text = name.replace("\\", "\\\\").replace("'", "\\'")
            yield [(*literal.span, f"'{text}'")], f"Wrote {shorten(repr(written))} as '{name}', which the graph has"


_TESTS_OF_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "CONTAINS": lambda name, part: part in name,
}


def correct_parts_of_types(query: ast.Query, types: frozenset[str]) -> Iterator[Repair]:
    """Write `type(r) STARTS WITH 'works'` as `'WORKS'` where types begin with this and none with that."""
    for part in walk(query):
        test = _TESTS_OF_TEXTS.get(part.operator) if isinstance(part, ast.Binary) else None
        if test is None or not isinstance(part, ast.Binary) or _names_read(part.left, {}) != "type":
            continue
        literal = part.right
        if not isinstance(literal, ast.Literal) or not isinstance(literal.value, str):
            continue
        written, new = literal.value, re.sub(r"[\s-]+", "_", literal.value).upper()
        if "'" in new or "\\" in new or any(test(name, written) for name in types):
            continue
        if any(test(name, new) for name in types):
            yield [(*literal.span, f"'{new}'")], f"Wrote {shorten(repr(written))} as '{new}', as types are written"


_TESTS_OF_CASE = frozenset(("=", "<>", "IN", *_TESTS_OF_TEXTS))


def correct_case(query: ast.Query, _: str) -> Iterator[Repair]:
    """Write the texts in lower case that `toLower(…)` is compared with, and in upper case beside `toUpper(…)`.

    No comparison with another text says anything: it is never true, or always.
    """
    for part in walk(query):
        if not isinstance(part, ast.Binary) or part.operator not in _TESTS_OF_CASE:
            continue
        sides = [(part.left, part.right)]
        if part.operator in ("=", "<>"):
            sides.append((part.right, part.left))
        for side, other in sides:
            case = functions.letter_case(side.name) if isinstance(side, ast.Call) else None
            if not isinstance(side, ast.Call) or case is None:
                continue
            for literal in _elements(other):
                written = literal.value if isinstance(literal, ast.Literal) else None
                if not isinstance(written, str) or case.change(written) == written or not written.isprintable():
                    continue
                changed = case.change(written)
                new = changed.replace("\\", "\\\\").replace("'", "\\'")
                sentence = f"Wrote {shorten(repr(written))} as {shorten(repr(changed))}: {side.name}() gives "
                yield [(*literal.span, f"'{new}'")], f"{sentence}no {case.missing} letters"


def correct_lists(query: ast.Query, text: str) -> Iterator[Repair]:
    """Write `labels(n) CONTAINS 'Person'` as `'Person' IN labels(n)`: CONTAINS is for texts alone."""
    for part in walk(query):
        if not isinstance(part, ast.Binary) or part.operator != "CONTAINS" or not isinstance(part.left, ast.Call):
            continue
        if part.left.name.lower() in _FUNCTIONS_TO_LISTS:
            left, right = text[slice(*part.left.span)], text[slice(*part.right.span)]
            yield [(*part.span, f"({right} IN {left})")], f"Wrote {shorten(f'{left} CONTAINS {right}')} with IN"


_FUNCTIONS_TO_LISTS = frozenset(("labels", "keys", "nodes", "relationships", "collect"))


def compared_names(query: ast.Query) -> Iterator[tuple[str, ast.Expression]]:
    """What a query compares with `type(r)` or with labels, each with 'type' or 'labels'."""
    columns = _named_columns(query)
    for part in walk(query):
        if isinstance(part, ast.Binary):
            for side, other in _compared(part):
                kind = _names_read(side, columns)
                if kind is not None:
                    yield from ((kind, element) for element in _elements(other))
        elif isinstance(part, ast.Quantifier) and _names_read(part.source, columns) == "labels":
            for inner in walk(part.condition):
                for side, other in _compared(inner) if isinstance(inner, ast.Binary) else ():
                    if side == ast.Variable(part.variable):
                        yield from (("labels", element) for element in _elements(other))


def _compared(comparison: ast.Binary) -> Iterator[tuple[ast.Expression, ast.Expression]]:
    """Both sides of a test for equality, each with the other one."""
    if comparison.operator in ("=", "<>", "IN"):
        yield comparison.left, comparison.right
        yield comparison.right, comparison.left


def _elements(expression: ast.Expression) -> tuple[ast.Expression, ...]:
    return expression.elements if isinstance(expression, ast.ListLiteral) else (expression,)


def _named_columns(query: ast.Query) -> dict[str, str]:
    """The names under which `type(r)` or labels go on, as in `WITH type(r) AS kind`."""
    kinds: dict[str, set[str | None]] = {}
    for part in walk(query):
        if isinstance(part, ast.ProjectionItem) and part.expression != ast.Variable(part.name):
            kinds.setdefault(part.name, set()).add(_names_read(part.expression, {}))
        elif isinstance(part, ast.Unwind):
            kinds.setdefault(part.variable, set()).add(_names_read(part.source, {}))
    return {name: kind for name, of in kinds.items() if len(of) == 1 and (kind := next(iter(of))) is not None}


def _names_read(expression: ast.Expression, columns: dict[str, str]) -> str | None:
    """'type' for `type(r)`, 'labels' for `labels(n)` and one of them; None for any other expression."""
    if isinstance(expression, ast.Variable):
        return columns.get(expression.name)
    if isinstance(expression, ast.Index):
        return "labels" if _names_read(expression.subject, columns) == "labels" else None
    if not isinstance(expression, ast.Call) or len(expression.arguments) != 1:
        return None
    name = expression.name.lower()
    if name in ("head", "last"):
        return "labels" if _names_read(expression.arguments[0], columns) == "labels" else None
    return name if name in ("type", "labels") else None
