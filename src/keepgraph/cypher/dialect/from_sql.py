"""Says anew in Cypher what was written in SQL: SELECT of one table, HAVING, BETWEEN, LIKE. Knows no tree but RETURN's.

Each gives a proposal, or None: whoever offers it reads it first.
"""

from __future__ import annotations

import re

from keepgraph.cypher.repair.foreign_syntax import operand
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Pieces, edited, quoted
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokens import RESERVED
from keepgraph.errors import QueryError

_SQL = frozenset(
    "FROM SELECT GROUP BY HAVING ORDER LIMIT OFFSET ASC DESC LIKE ILIKE CONTAINS STARTS ENDS BETWEEN NULLS FIRST LAST"
    .split()
)  # fmt: skip
_AFTER_WHERE = frozenset("GROUP HAVING ORDER LIMIT OFFSET".split())
_SQL_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS OUTER".split())


def from_select(p: Pieces) -> str | None:
    """`SELECT … FROM table …` of one table."""
    if any(word in _SQL_JOINS or word == "SELECT" for word in p.upper[1 : p.length]):
        return None
    start_of_from = next((i for i in range(p.length) if p.upper[i] == "FROM" and p.around[i] < 0), None)
    if start_of_from is None or p.kinds[start_of_from + 1] not in ("name", "quoted"):
        return None
    table = start_of_from + 1
    after = table + 1
    alias = p.words[table][:1].lower() if p.words[table][:1].isalpha() else "n"
    if p.upper[after] == "AS":
        after += 1
    if p.kinds[after] == "name" and p.upper[after] not in _SQL | RESERVED - {"AS"}:
        alias = p.words[after]
        after += 1
    if p.kinds[after] == ",":
        return None
    where = next((i for i in range(after, p.length) if p.upper[i] in _AFTER_WHERE and p.around[i] < 0), p.length)
    end = p.length - 1 if p.kinds[p.length - 1] == ";" else p.length
    where = min(where, end)
    made = {p.words[i] for i in range(1, p.length) if p.upper[i - 1] == "AS"}
    columns = _columns(p, 1, start_of_from, alias, table, made)
    condition = _columns(p, after, where, alias, table, made)
    rest = _columns(p, where, end, alias, table, made)
    query = " ".join(filter(None, (f"MATCH ({alias}:{p.words[table]})", condition, "RETURN", columns, rest)))
    pieces = Pieces(query)
    group = next((i for i in range(pieces.length) if pieces.upper[i] in ("GROUP", "HAVING")), None)
    return query if group is None else grouped(pieces, group)


def _columns(p: Pieces, first: int, last: int, alias: str, table: int, made: set[str]) -> str:
    """These pieces, with each column as a property of the node."""
    edits: list[Edit] = []
    for at in range(first, last):
        before, after = p.kinds[at - 1], p.kinds[at + 1]
        start, end = p.starts[at], p.ends[at]
        if p.kinds[at] == "*" and (at == 1 or p.upper[at - 1] == "DISTINCT") and after != "(":
            edits.append((start, end, alias))
        elif p.kinds[at] not in ("name", "quoted") or before == "." or p.upper[at - 1] == "AS" or after == "(":
            continue
        elif p.words[at] == p.words[table] and after == ".":
            edits.append((start, end, alias))
        elif after == "." or p.words[at] in made or p.upper[at] in _SQL or p.upper[at] in RESERVED:
            continue
        else:
            edits.append((start, start, f"{alias}."))
    if first >= last:
        return ""
    shift = p.starts[first]
    said = p.text[shift : p.ends[last - 1]]
    return edited(said, [(start - shift, end - shift, new) for start, end, new in edits])


def grouped(p: Pieces, at: int) -> str | None:
    """Without GROUP BY, and with a WITH … WHERE for HAVING."""
    around = p.around[at]
    group_end = _until(p, at, around, _AFTER_GROUP) if p.upper[at] == "GROUP" else at
    before = p.text[: p.ends[at - 1]]
    if p.upper[group_end] != "HAVING":
        return before + p.text[p.ends[group_end - 1] :]
    if around >= 0:
        return None
    having_end = _until(p, group_end, around, _AFTER_GROUP)
    try:
        query = parser.parse(before)
    except QueryError:
        return None
    last = query.parts[-1].clauses[-1]
    if not isinstance(last, ast.Projection) or last.everything or last.distinct or last.order:
        return None
    said = {item.name: before[item.expression.span[0] : item.expression.span[1]] for item in last.items}
    alone = {item.name for item in last.items if isinstance(item.expression, ast.Variable) and not item.aliased}
    items = ", ".join(text if name in alone else f"{text} AS {quoted(name)}" for name, text in said.items())
    condition = _named(p.text[p.ends[group_end] : p.ends[having_end - 1]], said)
    rest = _named(p.text[p.ends[having_end - 1] :], said)
    return f"{before[: last.span[0]]}WITH {items} WHERE{condition} RETURN {', '.join(map(quoted, said))}{rest}"


_AFTER_GROUP = frozenset("HAVING ORDER LIMIT SKIP OFFSET UNION RETURN".split())


def _named(text: str, said: dict[str, str]) -> str:
    """The text with the names of columns in the place of what they were made of."""
    p = Pieces(text)
    edits: list[Edit] = []
    for name, expression in said.items():
        words = Pieces(expression)
        size = words.length
        for at in range(p.length - size + 1):
            if p.words[at : at + size] == words.words[:size] and p.kinds[at - 1] != ".":
                edits.append((p.starts[at], p.ends[at + size - 1], quoted(name)))
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each[0], -each[1])):
        if not kept or kept[-1][1] <= edit[0]:
            kept.append(edit)
    return edited(text, kept)


def _until(p: Pieces, at: int, around: int, words: frozenset[str]) -> int:
    """The next of these words, or the end of what stands in the bracket around."""
    most = p.partners[around] if around >= 0 else p.length
    at += 1
    while at < most and not (p.around[at] == around and (p.upper[at] in words or p.kinds[at] == ";")):
        at += 1
    return at


def between(p: Pieces, at: int) -> str | None:
    """`least <= x <= most`"""
    negated = p.upper[at - 1] == "NOT"
    before = at - negated
    first = operand(p, before)
    last = _until(p, at, p.around[at], frozenset(("AND",)))
    if first is None or first >= before or p.upper[last] != "AND":
        return None
    end = _until(p, last, p.around[at], _ENDS_CONDITION)
    value = p.text[p.starts[first] : p.ends[before - 1]]
    least, most = p.text[p.starts[at + 1] : p.ends[last - 1]], p.text[p.starts[last + 1] : p.ends[end - 1]]
    said = f"{'NOT ' * negated}{least} <= {value} <= {most}"
    return p.text[: p.starts[first]] + said + p.text[p.ends[end - 1] :]


_ENDS_CONDITION = frozenset("AND OR XOR RETURN WITH MATCH OPTIONAL UNWIND ORDER LIMIT SKIP UNION AS THEN".split())


def like(p: Pieces, at: int) -> str | None:
    """The pattern as a regular expression."""
    negated = p.upper[at - 1] == "NOT"
    before = at - negated
    first = operand(p, before)
    pattern = p.words[at + 1]
    if p.kinds[at + 1] != "string" or first is None or first >= before or "\\" in pattern:
        return None
    signs = {"%": ".*", "_": "."}
    said = "".join(signs.get(sign) or re.escape(sign).replace("\\", "\\\\") for sign in pattern[1:-1])
    case = "i" if p.upper[at] == "ILIKE" else ""
    value = p.text[p.starts[first] : p.ends[before - 1]]
    return (
        f"{p.text[: p.starts[first]]}{'NOT ' * negated}{value} =~ {pattern[0]}(?{case}s){said}{pattern[0]}"
        f"{p.text[p.ends[at + 1] :]}"
    )


def nulls(p: Pieces, at: int) -> str:
    """`ORDER BY x NULLS LAST` as `ORDER BY x IS NULL, x`"""
    last = at - 1
    if p.upper[last] in ("ASC", "DESC", "ASCENDING", "DESCENDING"):
        last -= 1
    first = last
    while first > 0 and not (
        p.around[first - 1] == p.around[at] and (p.kinds[first - 1] == "," or p.upper[first - 1] == "BY")
    ):
        first -= 1
    key = p.text[p.starts[first] : p.ends[last]]
    test = "IS NULL" if p.upper[at + 1] == "LAST" else "IS NOT NULL"
    before, after = p.text[: p.starts[first]], p.text[p.ends[at + 1] :]
    return f"{before}{key} {test}, {p.text[p.starts[first] : p.ends[at - 1]]}{after}"


def skip_first(p: Pieces, at: int) -> str:
    """`LIMIT 10 SKIP 5` as `SKIP 5 LIMIT 10`"""
    limit, end = p.starts[at - 2], p.ends[at + 1]
    skips, limits = p.text[p.starts[at] : end], p.text[limit : p.ends[at - 1]]
    return f"{p.text[:limit]}{skips} {limits}{p.text[end:]}"
