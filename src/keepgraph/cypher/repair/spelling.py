"""Mends what can be read and means nothing, or not what was meant: spellings, names of functions, dates as texts.

Works on a tree, whose places tell where the text is edited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any, TypeGuard

from keepgraph.cypher.repair.foreign_syntax import alike
from keepgraph.cypher.repair.tolerant_tokenizer import Mend, quoted, squeezed
from keepgraph.cypher.syntax import ast


def parts(part: ast.Part) -> Iterator[ast.Part]:
    """The part and all parts in it, in the order of the text as far as the tree keeps it."""
    waiting: list[object] = [part]
    while waiting:
        value = waiting.pop()
        if isinstance(value, ast.Part):
            yield value
            kind: Any = type(value)
            waiting.extend([getattr(value, name) for name in _inside(kind)])
        elif type(value) is tuple:
            waiting.extend(reversed(value))


@cache
def _inside(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in reversed(fields(kind)) if field.name != "span")


def names(query: ast.Query, labels: frozenset[str], types: frozenset[str]) -> Iterator[Mend]:
    """Labels and types that the graph has in another spelling: other capitals, underscores, hyphens or spaces."""
    nodes, relationships = set(), set()
    kinds: list[tuple[ast.Part | None, frozenset[str]]] = []
    tests: list[ast.HasLabels] = []
    for part in parts(query):
        if isinstance(part, ast.NodePattern):
            nodes.add(part.variable)
            kinds.append((part.labels, labels))
        elif isinstance(part, ast.RelationshipPattern):
            relationships.add(part.variable)
            kinds.append((part.types, types))
        elif isinstance(part, ast.HasLabels):
            tests.append(part)
    for test in tests:
        name = test.subject.name if isinstance(test.subject, ast.Variable) else None
        kinds.append((test.labels, types if name in relationships - nodes else labels))
    written: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}
    for expression, known in kinds:
        for part in parts(expression) if expression is not None else ():
            if isinstance(part, ast.LabelName) and part.name not in known:
                written[part.span] = (part.name, known)
    for span in sorted(written):
        name, known = written[span]
        (meant, *others) = _by_sound(known).get(alike(name), ("",))
        if meant and not others:
            yield [(*span, quoted(meant))], f"Wrote :{squeezed(quoted(name))} as :{quoted(meant)}, which the graph has"


@lru_cache(maxsize=8)
def _by_sound(known: frozenset[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(known):
        found[alike(name)] = (*found.get(alike(name), ()), name)
    return found


_FUNCTIONS = {
    "lower": "toLower",
    "lcase": "toLower",
    "upper": "toUpper",
    "ucase": "toUpper",
    "len": "size",
    "toint": "toInteger",
    "rels": "relationships",
    "ifnull": "coalesce",
    "nvl": "coalesce",
}


def functions(query: ast.Query, text: str) -> Iterator[Mend]:
    """Functions by the name they have here, and `COUNT { … }` for the size of a pattern."""
    for part in parts(query):
        if not isinstance(part, ast.Call):
            continue
        written = part.name.lower()
        start, end = part.span
        if written in ("size", "length", "len") and len(part.arguments) == 1 and not part.distinct:
            pattern = part.arguments[0]
            if isinstance(pattern, ast.PatternPredicate):
                yield (
                    [(start, pattern.span[0], "COUNT { "), (pattern.span[1], end, " }")],
                    f"Wrote {part.name}() of a pattern as COUNT {{ … }}",
                )
                continue
        meant = _FUNCTIONS.get(written)
        if meant and text.startswith(part.name, start):
            yield [(start, start + len(part.name), meant)], f"Wrote {part.name}() as {meant}()"


_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
_DATES = frozenset(("date", "datetime", "localdatetime"))
_ISO = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?)?)?")


def dates(query: ast.Query, text: str, properties: Collection[str]) -> Iterator[Mend]:
    """`n.since > date('2024-06-01')` as `n.since > '2024-06-01'`, where the property holds texts.

    A date that is compared with something else as well (`n.since < date('…') < x`) is left alone.
    """
    compared: list[tuple[ast.Call, ast.Expression]] = []
    for part in parts(query):
        if isinstance(part, ast.Binary) and part.operator in _COMPARISONS:
            compared += [
                (one, other) for one, other in ((part.left, part.right), (part.right, part.left)) if _date(one)
            ]
    times = Counter(call.span for call, _ in compared)
    for call, other in compared:
        if times[call.span] == 1 and isinstance(other, ast.Property) and other.key in properties:
            literal = call.arguments[0]
            (start, end), (first, last) = call.span, literal.span
            said = text[first:last]
            yield [(start, end, said)], f"Wrote {call.name}({said}) as {said}: {quoted(other.key)} holds texts"


def _date(part: ast.Expression) -> TypeGuard[ast.Call]:
    if not isinstance(part, ast.Call) or part.name.lower() not in _DATES or len(part.arguments) != 1:
        return False
    literal = part.arguments[0]
    return isinstance(literal, ast.Literal) and type(literal.value) is str and bool(_ISO.fullmatch(literal.value))
