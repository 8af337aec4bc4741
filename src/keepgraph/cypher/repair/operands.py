"""Operands: where a value begins that ends before a token, in a text that cannot be parsed."""

from __future__ import annotations

from keepgraph.cypher.repair.tolerant_tokenizer import Tokens

_BEFORE_OPERAND = frozenset({"end", "(", "[", "{", ",", "|"})
_WORDS_BEFORE_OPERAND = frozenset("WHERE AND OR XOR NOT WHEN THEN ELSE CASE RETURN WITH DISTINCT BY UNWIND".split())
_ARITHMETIC = frozenset("+-*/%^.")
_ONE_TOKEN_VALUES = frozenset({"name", "quoted", "number", "string", "parameter"})
_AFTER_VALUE = _ARITHMETIC | {"", "(", "[", "{"}
_MAX_OPERAND_TOKENS = 200
"""How far the search goes back: without a limit, a text with many NOT or LIKE would take quadratic time."""


def find_operand_start(tokens: Tokens, end: int) -> int | None:
    """The index of the first token of the value that ends before this one; None if that is not certain."""
    index = end - 1
    next_kind = ""
    while index >= 0 and end - index < _MAX_OPERAND_TOKENS:
        if _is_before_operand(tokens, index):
            return index + 1
        kind = tokens.kinds[index]
        if kind in (")", "]", "}"):
            index = tokens.partners[index]
        elif not _is_part_of_operand(tokens, index, next_kind):
            return None
        if index < 0:
            return None
        next_kind = tokens.kinds[index]
        index -= 1
    return 0 if index < 0 else None


def _is_before_operand(tokens: Tokens, index: int) -> bool:
    kind = tokens.kinds[index]
    if kind == ":":
        return tokens.enclosing[index] >= 0 and tokens.kinds[tokens.enclosing[index]] == "{"
    return kind in _BEFORE_OPERAND or (tokens.upper[index] in _WORDS_BEFORE_OPERAND and tokens.kinds[index - 1] != ".")


def _is_part_of_operand(tokens: Tokens, index: int, next_kind: str) -> bool:
    kind = tokens.kinds[index]
    if kind in _ARITHMETIC:
        return True
    if kind not in _ONE_TOKEN_VALUES or (
        tokens.keywords[index] and tokens.keywords[index] not in ("NULL", "TRUE", "FALSE")
    ):
        return False
    return next_kind in _AFTER_VALUE
