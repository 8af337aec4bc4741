"""Spelling: corrects labels, types and functions of a parsed query by the names that exist, and dates.

The spans of the syntax tree tell where the text is edited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

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


_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))
_TIME = {
    "date": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    **dict.fromkeys(
        ("datetime", "localdatetime"), re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?")
    ),
}


def replace_date_calls(query: ast.Query, properties: Collection[str]) -> Iterator[Repair]:
    """Write `n.since > date('2024-06-01')` as `n.since > '2024-06-01T00:00:00.000Z'`, where timestamps are texts.

    A date that is compared with another value as well (`n.since < date('…') < x`) is not changed.
    """
    compared: list[tuple[ast.Expression, ast.Expression]] = []
    for part in walk(query):
        if isinstance(part, ast.Binary) and part.operator in _COMPARISONS:
            compared += [(part.left, part.right), (part.right, part.left)]
    times = Counter(one.span for one, _ in compared)
    for call, other in compared:
        if isinstance(call, ast.Call) and times[call.span] == 1 and isinstance(other, ast.Property):
            timestamp = _timestamp(call)
            if timestamp is not None and other.key in properties:
                sentence = f"Wrote {call.name}(…) as '{timestamp}': {quote_name(other.key)} holds texts"
                yield [(*call.span, f"'{timestamp}'")], sentence


def _timestamp(call: ast.Call) -> str | None:
    """The instant that a call with one literal makes, as timestamps are stored; None if it is not one."""
    pattern = _TIME.get(call.name.lower())
    literal = call.arguments[0] if len(call.arguments) == 1 else None
    if pattern is None or not isinstance(literal, ast.Literal) or not isinstance(literal.value, str):
        return None
    if not pattern.fullmatch(literal.value):
        return None
    try:
        instant = datetime.fromisoformat(literal.value)
        instant = instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return instant.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
