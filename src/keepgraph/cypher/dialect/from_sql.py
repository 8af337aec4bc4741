"""Rewrites of SQL: SELECT of one table, GROUP BY, HAVING, BETWEEN, LIKE, NULLS LAST, and SKIP after LIMIT.

Each function returns a proposal, or None: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

import re

from keepgraph.cypher.repair.operands import find_operand_start
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Tokens, apply_edits, quote_name
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokenizer import RESERVED_WORDS
from keepgraph.errors import QueryError

_SQL = frozenset(
    "FROM SELECT GROUP BY HAVING ORDER LIMIT OFFSET ASC DESC LIKE ILIKE CONTAINS STARTS ENDS BETWEEN NULLS FIRST LAST"
    .split()
)  # fmt: skip
_AFTER_WHERE = frozenset("GROUP HAVING ORDER LIMIT OFFSET".split())
_SQL_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS OUTER".split())


def rewrite_select(tokens: Tokens) -> str | None:
    """Write `SELECT … FROM table …` of one table as a MATCH."""
    if any(word in _SQL_JOINS or word == "SELECT" for word in tokens.upper[1 : tokens.length]):
        return None
    from_index = next((i for i in range(tokens.length) if tokens.upper[i] == "FROM" and tokens.enclosing[i] < 0), None)
    if from_index is None or tokens.kinds[from_index + 1] not in ("name", "quoted"):
        return None
    table = from_index + 1
    after = table + 1
    alias = tokens.texts[table][:1].lower() if tokens.texts[table][:1].isalpha() else "n"
    if tokens.upper[after] == "AS":
        after += 1
    if tokens.kinds[after] == "name" and tokens.upper[after] not in _SQL | RESERVED_WORDS - {"AS"}:
        alias = tokens.texts[after]
        after += 1
    if tokens.kinds[after] == ",":
        return None
    condition_end = next(
        (i for i in range(after, tokens.length) if tokens.upper[i] in _AFTER_WHERE and tokens.enclosing[i] < 0),
        tokens.length,
    )
    end = tokens.length - 1 if tokens.kinds[tokens.length - 1] == ";" else tokens.length
    condition_end = min(condition_end, end)
    aliases = {tokens.texts[i] for i in range(1, tokens.length) if tokens.upper[i - 1] == "AS"}
    columns = _qualify_columns(tokens, 1, from_index, alias, table, aliases)
    condition = _qualify_columns(tokens, after, condition_end, alias, table, aliases)
    tail = _qualify_columns(tokens, condition_end, end, alias, table, aliases)
    query = " ".join(filter(None, (f"MATCH ({alias}:{tokens.texts[table]})", condition, "RETURN", columns, tail)))
    tokens = Tokens(query)
    group = next((i for i in range(tokens.length) if tokens.upper[i] in ("GROUP", "HAVING")), None)
    return query if group is None else rewrite_group_by(tokens, group)


def _qualify_columns(tokens: Tokens, first: int, last: int, alias: str, table: int, aliases: set[str]) -> str:
    """The text of these tokens, with each column as a property of the node."""
    edits: list[Edit] = []
    for index in range(first, last):
        before, after = tokens.kinds[index - 1], tokens.kinds[index + 1]
        start, end = tokens.starts[index], tokens.ends[index]
        if tokens.kinds[index] == "*" and (index == 1 or tokens.upper[index - 1] == "DISTINCT") and after != "(":
            edits.append((start, end, alias))
        elif (
            tokens.kinds[index] not in ("name", "quoted")
            or before == "."
            or tokens.upper[index - 1] == "AS"
            or after == "("
        ):
            continue
        elif tokens.texts[index] == tokens.texts[table] and after == ".":
            edits.append((start, end, alias))
        elif (
            after == "."
            or tokens.texts[index] in aliases
            or tokens.upper[index] in _SQL
            or tokens.upper[index] in RESERVED_WORDS
        ):
            continue
        else:
            edits.append((start, start, f"{alias}."))
    if first >= last:
        return ""
    offset = tokens.starts[first]
    text = tokens.text[offset : tokens.ends[last - 1]]
    return apply_edits(text, [(start - offset, end - offset, new) for start, end, new in edits])


def rewrite_group_by(tokens: Tokens, index: int) -> str | None:
    """Leave GROUP BY out, and write HAVING as WITH … WHERE."""
    bracket = tokens.enclosing[index]
    group_end = _find_next(tokens, index, bracket, _AFTER_GROUP) if tokens.upper[index] == "GROUP" else index
    before = tokens.text[: tokens.ends[index - 1]]
    if tokens.upper[group_end] != "HAVING":
        return before + tokens.text[tokens.ends[group_end - 1] :]
    if bracket >= 0:
        return None
    having_end = _find_next(tokens, group_end, bracket, _AFTER_GROUP)
    try:
        query = parser.parse(before)
    except QueryError:
        return None
    last = query.parts[-1].clauses[-1]
    if not isinstance(last, ast.Projection) or last.star or last.distinct or last.order:
        return None
    expressions = {item.name: before[item.expression.span[0] : item.expression.span[1]] for item in last.items}
    unaliased = {item.name for item in last.items if isinstance(item.expression, ast.Variable) and not item.has_alias}
    items = ", ".join(
        text if name in unaliased else f"{text} AS {quote_name(name)}" for name, text in expressions.items()
    )
    condition = _replace_by_names(tokens.text[tokens.ends[group_end] : tokens.ends[having_end - 1]], expressions)
    tail = _replace_by_names(tokens.text[tokens.ends[having_end - 1] :], expressions)
    return (
        f"{before[: last.span[0]]}WITH {items} WHERE{condition} RETURN {', '.join(map(quote_name, expressions))}{tail}"
    )


_AFTER_GROUP = frozenset("HAVING ORDER LIMIT SKIP OFFSET UNION RETURN".split())


def _replace_by_names(text: str, expressions: dict[str, str]) -> str:
    """The text with the names of columns in the place of their expressions."""
    tokens = Tokens(text)
    edits: list[Edit] = []
    for name, expression in expressions.items():
        expression_tokens = Tokens(expression)
        size = expression_tokens.length
        for index in range(tokens.length - size + 1):
            if tokens.texts[index : index + size] == expression_tokens.texts[:size] and tokens.kinds[index - 1] != ".":
                edits.append((tokens.starts[index], tokens.ends[index + size - 1], quote_name(name)))
    separate: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not separate or separate[-1][1] <= edit[0]:
            separate.append(edit)
    return apply_edits(text, separate)


def _find_next(tokens: Tokens, index: int, bracket: int, words: frozenset[str]) -> int:
    """The index of the next of these words within the enclosing bracket, or of its end."""
    end = tokens.partners[bracket] if bracket >= 0 else tokens.length
    index += 1
    while index < end and not (
        tokens.enclosing[index] == bracket and (tokens.upper[index] in words or tokens.kinds[index] == ";")
    ):
        index += 1
    return index


def rewrite_between(tokens: Tokens, index: int) -> str | None:
    """Write `x BETWEEN least AND most` as `least <= x <= most`."""
    negated = tokens.upper[index - 1] == "NOT"
    before = index - negated
    first = find_operand_start(tokens, before)
    last = _find_next(tokens, index, tokens.enclosing[index], frozenset(("AND",)))
    if first is None or first >= before or tokens.upper[last] != "AND":
        return None
    end = _find_next(tokens, last, tokens.enclosing[index], _ENDS_CONDITION)
    value = tokens.text[tokens.starts[first] : tokens.ends[before - 1]]
    least, most = (
        tokens.text[tokens.starts[index + 1] : tokens.ends[last - 1]],
        tokens.text[tokens.starts[last + 1] : tokens.ends[end - 1]],
    )
    replacement = f"{'NOT ' * negated}{least} <= {value} <= {most}"
    return tokens.text[: tokens.starts[first]] + replacement + tokens.text[tokens.ends[end - 1] :]


_ENDS_CONDITION = frozenset("AND OR XOR RETURN WITH MATCH OPTIONAL UNWIND ORDER LIMIT SKIP UNION AS THEN".split())


def rewrite_like(tokens: Tokens, index: int) -> str | None:
    """Write LIKE as `=~` with a regular expression."""
    negated = tokens.upper[index - 1] == "NOT"
    before = index - negated
    first = find_operand_start(tokens, before)
    pattern = tokens.texts[index + 1]
    if tokens.kinds[index + 1] != "string" or first is None or first >= before or "\\" in pattern:
        return None
    wildcards = {"%": ".*", "_": "."}
    regex = "".join(wildcards.get(sign) or re.escape(sign).replace("\\", "\\\\") for sign in pattern[1:-1])
    flag = "i" if tokens.upper[index] == "ILIKE" else ""
    value = tokens.text[tokens.starts[first] : tokens.ends[before - 1]]
    return (
        f"{tokens.text[: tokens.starts[first]]}{'NOT ' * negated}{value} =~ {pattern[0]}(?{flag}s){regex}{pattern[0]}"
        f"{tokens.text[tokens.ends[index + 1] :]}"
    )


def rewrite_nulls(tokens: Tokens, index: int) -> str:
    """Write `ORDER BY x NULLS LAST` as `ORDER BY x IS NULL, x`."""
    last = index - 1
    if tokens.upper[last] in ("ASC", "DESC", "ASCENDING", "DESCENDING"):
        last -= 1
    first = last
    while first > 0 and not (
        tokens.enclosing[first - 1] == tokens.enclosing[index]
        and (tokens.kinds[first - 1] == "," or tokens.upper[first - 1] == "BY")
    ):
        first -= 1
    key = tokens.text[tokens.starts[first] : tokens.ends[last]]
    test = "IS NULL" if tokens.upper[index + 1] == "LAST" else "IS NOT NULL"
    before, after = tokens.text[: tokens.starts[first]], tokens.text[tokens.ends[index + 1] :]
    return f"{before}{key} {test}, {tokens.text[tokens.starts[first] : tokens.ends[index - 1]]}{after}"


def swap_limit_and_skip(tokens: Tokens, index: int) -> str:
    """Write `LIMIT 10 SKIP 5` as `SKIP 5 LIMIT 10`."""
    limit, end = tokens.starts[index - 2], tokens.ends[index + 1]
    skips, limits = tokens.text[tokens.starts[index] : end], tokens.text[limit : tokens.ends[index - 1]]
    return f"{tokens.text[:limit]}{skips} {limits}{tokens.text[end:]}"
