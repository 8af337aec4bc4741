"""Mends what other languages have taught to write: operators of SQL and C, names of several words, bare nodes.

Knows the pieces of a text that cannot be read as it stands, and no tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from keepgraph.cypher.repair.tolerant_tokenizer import CLAUSES, Mend, Pieces, quoted, squeezed
from keepgraph.cypher.syntax.tokens import RESERVED

Found = Iterator[Mend]
Habit = Callable[[Pieces, Collection[str]], Found]


def sql_comments(p: Pieces, _: Collection[str]) -> Found:
    """A line that begins with `-- ` and a word."""
    if p.sql:
        yield [(at, at + 2, "//") for at in p.sql], "Wrote comments as // instead of --"


def semicolons(p: Pieces, _: Collection[str]) -> Found:
    """Only one at the end."""
    first = p.length
    while first and p.kinds[first - 1] == ";":
        first -= 1
    if p.length - first > 1 and first:
        yield [(p.ends[first], p.ends[p.length - 1], "")], "Took out all but one semicolon at the end"


# Names of several words


def labels(p: Pieces, known: Collection[str]) -> Found:
    """`(n:Data Science)`, `[:WORKS WITH]`"""
    for opening in range(p.length):
        if p.kinds[opening] == "(":
            before = opening - 1
            function = opening > 0 and p.kinds[before] in ("name", "quoted") and not p.keywords[before]
            if not function or p.upper[before] in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
                yield from _labels_in(p, opening, known)
        elif p.kinds[opening] == "[" and opening and p.kinds[opening - 1] == "-":
            yield from _labels_in(p, opening, None)


_AFTER_LABEL = frozenset(":|&{*") | {"parameter"}


def _labels_in(p: Pieces, opening: int, known: Collection[str] | None) -> Found:
    """Those in one bracket. `known` is None for types, which may hold keywords (`WORKS WITH`)."""
    at = opening + 1
    if p.kinds[at] in ("name", "quoted"):
        at += 1
    while p.kinds[at] in (":", "|", "&"):
        at += 1
        if p.kinds[at] in (":", "!"):
            at += 1
        first = at
        at = _run(p, first)
        if at == first:
            return
        ends = p.kinds[at] in _AFTER_LABEL or p.kinds[at] in ")]" or p.upper[at] == "WHERE"
        last = at - 1
        unusual = last > first or p.kinds[first] == "number"
        if not unusual or not ends or p.kinds[last] == "-" or not p.only_space(first, last):
            continue
        name = " ".join(p.text[p.starts[first] : p.ends[last]].split())
        words = p.upper[first : last + 1]
        condition = any(word in RESERVED or word in _OPERATORS for word in words)
        if known is None or not condition or alike(name) in known:
            yield [(p.starts[first], p.ends[last], quoted(name))], f"Put {quoted(name)} in back-ticks"


_OPERATORS = frozenset(("CONTAINS", "STARTS", "ENDS"))


def _run(p: Pieces, at: int) -> int:
    """Behind the words, numbers and hyphens that begin here."""
    if p.kinds[at] == "quoted":
        return at + 1
    first = at
    while (
        (p.kinds[at] == "name" and p.upper[at] != "WHERE")
        or p.kinds[at] == "number"
        or (p.kinds[at] == "-" and at > first and p.kinds[at + 1] in ("name", "number"))
    ):
        at += 1
    return at


def alike(name: str) -> str:
    """What two spellings of one name have in common."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def keys(p: Pieces, _: Collection[str]) -> Found:
    """`{first name: 'x'}`, and `{"name": 'x'}` as JSON has it."""
    for at in range(p.length):
        kind = p.kinds[at]
        brace = at if kind == "{" else p.around[at] if kind == "," else -1
        if brace < 0 or p.kinds[brace] != "{" or p.upper[brace - 1] in ("EXISTS", "COUNT", "COLLECT", "CALL"):
            continue
        first = at + 1
        if p.kinds[first] == "string" and p.kinds[first + 1] == ":":
            name = p.words[first][1:-1]
            if name and "\\" not in name:
                yield [(p.starts[first], p.ends[first], quoted(name))], f"Wrote the key {quoted(name)} without quotes"
            continue
        after = _run(p, first)
        last = after - 1
        if p.kinds[after] != ":" or p.kinds[first] == "quoted" or (last == first and p.kinds[first] != "number"):
            continue
        if last >= first and p.only_space(first, last):
            name = " ".join(p.text[p.starts[first] : p.ends[last]].split())
            yield [(p.starts[first], p.ends[last], quoted(name))], f"Put {quoted(name)} in back-ticks"


# Operators

_SIGNS = {"!=": "<>", "==": "=", "&&": "AND"}
_VALUE_ENDS = frozenset({"name", "quoted", "number", "string", "parameter", ")", "]", "}"})
_VALUE_STARTS = frozenset({"name", "quoted", "number", "string", "parameter", "(", "[", "{", "-", "+"})


def operators(p: Pieces, _: Collection[str]) -> Found:
    """`!=`, `==`, `&&` and `||`.

    `||` joins conditions in C and strings in SQL. It becomes OR where something is compared on both sides of it, and
    `+` where a string stands at one side; elsewhere it is left to the parser, which asks which of the two is meant.
    """
    for at in range(1, p.length):
        kind = p.kinds[at]
        if kind not in ("!=", "==", "&&", "||") or p.kinds[at - 1] not in _VALUE_ENDS:
            continue
        if p.kinds[at + 1] not in _VALUE_STARTS:
            continue
        new = _SIGNS.get(kind) or _bars(p, at)
        if not new or (kind == "&&" and _in_label(p, at)):
            continue
        before = "" if not new[0].isalpha() or p.ends[at - 1] < p.starts[at] else " "
        after = "" if not new[0].isalpha() or p.ends[at] < p.starts[at + 1] else " "
        yield [(p.starts[at], p.ends[at], before + new + after)], f"Wrote {kind} as {new}"


def _in_label(p: Pieces, at: int) -> bool:
    return p.kinds[at - 2] in (":", "&", "&&") and p.kinds[at + 2] in (")", "]", "{", "&&")


_COMPARES = frozenset(("=", "<>", "!=", "==", "<", "<=", ">", ">=", "=~"))
_COMPARING = frozenset("IN CONTAINS STARTS ENDS IS NOT LIKE EXISTS".split())
_JOINING = frozenset("AND OR XOR WHEN THEN ELSE AS ON BY DISTINCT".split()) | CLAUSES


def _bars(p: Pieces, at: int) -> str:
    if _compares(p, at, -1) and _compares(p, at, 1):
        return "OR"
    return "+" if "string" in (p.kinds[at - 1], p.kinds[at + 1]) else ""


def _compares(p: Pieces, at: int, step: int) -> bool:
    """Whether something is compared between here and the next end of a condition."""
    at += step
    while 0 <= at < p.length:
        kind, word = p.kinds[at], p.upper[at]
        if kind in _COMPARES or word in _COMPARING:
            return True
        if kind in ("||", "&&", ",", "|", ";") or p.keywords[at] in _JOINING:
            return False
        partner = p.partners[at]
        if partner >= 0:
            if (partner - at) * step < 0:
                return False
            at = partner
        elif kind in ("(", "[", "{", ")", "]", "}"):
            return False
        at += step
    return False


def negations(p: Pieces, _: Collection[str]) -> Found:
    """`x NOT IN list` as `NOT x IN list`, and its like."""
    for at in range(1, p.length - 1):
        if p.upper[at] != "NOT" or p.kinds[at - 1] not in _VALUE_ENDS or p.keywords[at] != "NOT":
            continue
        word, following = p.upper[at + 1], p.upper[at + 2]
        if word in ("STARTS", "ENDS") and following == "WITH":
            word = f"{word} WITH"
        elif word not in ("IN", "CONTAINS") and p.kinds[at + 1] != "=~":
            continue
        first = operand(p, at)
        if first is None or first == at:
            continue
        start = p.starts[first]
        yield (
            [(start, start, "NOT "), (p.starts[at], p.starts[at + 1], "")],
            f"Wrote NOT before the whole condition instead of NOT {word or '=~'}",
        )


def likes(p: Pieces, _: Collection[str]) -> Found:
    """`LIKE` with a `%` at one end, both or none. Others have no operator of their own, and are left alone."""
    for at in range(1, p.length - 1):
        like = p.upper[at]
        if like not in ("LIKE", "ILIKE") or p.kinds[at + 1] != "string":
            continue
        negated = p.keywords[at - 1] == "NOT"
        before = at - negated
        said = _like(p.words[at + 1])
        if said is None or p.kinds[before - 1] not in _VALUE_ENDS:
            continue
        first = operand(p, before)
        if first is None or first == before:
            continue
        operator, value = said
        start, end = p.starts[first], p.ends[before - 1]
        edits = [(p.starts[before], p.ends[at + 1], f"{operator} {value}")]
        if like == "ILIKE":
            edits = [(start, start, "toLower("), (end, end, ")")]
            edits.append((p.starts[before], p.ends[at + 1], f"{operator} toLower({value})"))
        if negated:
            edits.insert(0, (start, start, "NOT "))
        shown = squeezed(p.words[at + 1])
        yield edits, f"Wrote {like} {shown} as {operator} {value if value != p.words[at + 1] else shown}"


def _like(written: str) -> tuple[str, str] | None:
    quote, inside = written[0], written[1:-1]
    if "_" in inside or "\\" in inside:
        return None
    left, right = inside.startswith("%"), inside.endswith("%")
    core = inside[1:] if left else inside
    core = core[:-1] if right and core else core
    if "%" in core:
        return None
    operator = {(True, True): "CONTAINS", (True, False): "ENDS WITH", (False, True): "STARTS WITH"}
    return operator.get((left, right), "="), f"{quote}{core}{quote}"


def lists(p: Pieces, _: Collection[str]) -> Found:
    """`x IN (1, 2)` as `x IN [1, 2]`"""
    seen: set[int] = set()
    for at in range(1, p.length):
        if p.kinds[at] != "," or p.around[at] < 1 or p.kinds[p.around[at]] != "(":
            continue
        opening = p.around[at]
        if p.upper[opening - 1] == "IN" and p.partners[opening] > 0 and opening not in seen:
            seen.add(opening)
            closing = p.starts[p.partners[opening]]
            start = p.starts[opening]
            yield [(start, start + 1, "["), (closing, closing + 1, "]")], "Wrote the list after IN in square brackets"


_BEFORE_OPERAND = frozenset({"end", "(", "[", "{", ",", "|"})
_WORDS_BEFORE_OPERAND = frozenset("WHERE AND OR XOR NOT WHEN THEN ELSE CASE RETURN WITH DISTINCT BY UNWIND".split())
_ARITHMETIC = frozenset("+-*/%^.")
_WORDLIKE = frozenset({"name", "quoted", "number", "string", "parameter"})
_BEHIND_VALUE = _ARITHMETIC | {"", "(", "[", "{"}


_LONGEST_OPERAND = 200


def operand(p: Pieces, end: int) -> int | None:
    """Where the value begins that ends before this; None if that is not plain to see."""
    at = end - 1
    later = ""
    while at >= 0 and end - at < _LONGEST_OPERAND:
        if _is_before_operand(p, at):
            return at + 1
        kind = p.kinds[at]
        if kind in (")", "]", "}"):
            at = p.partners[at]
        elif p.upper[at] == "END" and later != ".":
            at = _case(p, at, end - _LONGEST_OPERAND)
        elif not _is_of_operand(p, at, later):
            return None
        if at < 0:
            return None
        later = p.kinds[at]
        at -= 1
    return 0 if at < 0 else None


def _is_before_operand(p: Pieces, at: int) -> bool:
    kind = p.kinds[at]
    if kind == ":":
        return p.around[at] >= 0 and p.kinds[p.around[at]] == "{"
    return kind in _BEFORE_OPERAND or (p.upper[at] in _WORDS_BEFORE_OPERAND and p.kinds[at - 1] != ".")


def _is_of_operand(p: Pieces, at: int, later: str) -> bool:
    kind = p.kinds[at]
    if kind in _ARITHMETIC:
        return True
    if kind not in _WORDLIKE or (p.keywords[at] and p.keywords[at] not in ("NULL", "TRUE", "FALSE")):
        return False
    return later in _BEHIND_VALUE


def _case(p: Pieces, at: int, least: int) -> int:
    """The CASE of this END; -1 if it is not to be seen."""
    depth = 0
    while at >= max(0, least):
        depth += (p.upper[at] == "END") - (p.keywords[at] == "CASE")
        if depth == 0:
            return at
        at -= 1
    return -1


# Clauses

_ENDS_NODE = frozenset({"end", ",", ";", "-", "<", ")", "}"})


def bare_nodes(p: Pieces, _: Collection[str]) -> Found:
    """`MATCH a-[:R]->b` as `MATCH (a)-[:R]->(b)`"""
    for at in range(1, p.length):
        if p.clauses[at] != "MATCH" or not p.named(at):
            continue
        before = p.kinds[at - 1]
        begins = p.keywords[at - 1] == "MATCH" or before in (",", "=")
        arrow = before in ("-", ">") and (p.kinds[at - 2] in ("-", "]") or p.kinds[at - 2] == "<")
        if not begins and not arrow:
            continue
        after = at + 1
        while p.kinds[after] == ":" and p.kinds[after + 1] in ("name", "quoted"):
            after += 2
        if p.kinds[after] == "{" and p.partners[after] > 0:
            after = p.partners[after] + 1
        if p.kinds[after] in _ENDS_NODE or p.keywords[after] in CLAUSES:
            start, end = p.starts[at], p.ends[after - 1]
            node = p.text[start:end]
            yield [(start, end, f"({node})")], f"Put the node {squeezed(node)} in round brackets"


def unwind_where(p: Pieces, _: Collection[str]) -> Found:
    """`UNWIND list AS x WHERE …` as `UNWIND list AS x WITH * WHERE …`"""
    for at in range(2, p.length):
        if p.keywords[at] == "WHERE" and p.upper[at - 2] == "AS" and p.clauses[at - 1] == "UNWIND":
            yield [(p.starts[at], p.starts[at], "WITH * ")], "Put WITH * before the WHERE after UNWIND"


HABITS: tuple[Habit, ...] = (
    sql_comments,
    semicolons,
    labels,
    keys,
    operators,
    lists,
    likes,
    negations,
    bare_nodes,
    unwind_where,
)
"""In the order in which they are mended."""
