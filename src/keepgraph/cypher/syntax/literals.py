"""Literals: the values of string and number tokens, and the names of parameters."""

from __future__ import annotations

import re

from keepgraph.cypher.syntax.tokenizer import INVALID_CHARACTER, TokenStream, unquote

_ESCAPE = re.compile(r"\\(?:U([0-9A-Fa-f]{8})|[uU]([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "`": "`",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "B": "\b", "F": "\f", "N": "\n", "R": "\r", "T": "\t",
}  # fmt: skip

_INTEGER = re.compile(r"0|[1-9][0-9]*|0[xX][0-9A-Fa-f]+|0[oO][0-7]+")
_FLOAT = re.compile(r"[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")
_MAX_INTEGER = 2**63 - 1


def parameter(text: str) -> str:
    """The name in `$name`."""
    return unquote(text[1:]) if text[1] == "`" else text[1:]


def string(tokens: TokenStream, position: int) -> str:
    """The value of the string at this position."""
    text = tokens.texts[position][1:-1]
    if "\\" not in text:
        return text

    def decode(escape: re.Match[str]) -> str:
        digits = escape[1] or escape[2]
        if digits and int(digits, 16) <= 0x10FFFF:
            return chr(int(digits, 16))
        if escape[3] in _ESCAPES:
            return _ESCAPES[escape[3]]
        start = tokens.starts[position] + 1 + escape.start()
        if digits or escape[3] in ("u", "U"):
            raise tokens.error(
                "This escape names no character",
                detail="InvalidUnicodeLiteral",
                span=(start, start + len(escape[0])),
                hint="Write \\u and four hexadecimal digits, \\U and eight, or the character itself.",
            )
        raise tokens.error(
            f"{escape[0]} is no escape",
            span=(start, start + len(escape[0])),
            hint="Write \\\\ for a backslash. There are \\n \\t \\r \\b \\f \\' \\\" \\\\ \\uXXXX and \\UXXXXXXXX.",
        )

    value = _ESCAPE.sub(decode, text)
    if not INVALID_CHARACTER.search(value.replace("\0", "")):
        return value
    try:  # A character beyond U+FFFF may be written as its two surrogates, as in JSON.
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise tokens.error(
            "This string holds one half of a character",
            detail="InvalidUnicodeLiteral",
            span=(tokens.starts[position], tokens.ends[position]),
            hint="Write both halves (\\uD83D\\uDE00), \\U0001F600, or the character itself.",
        ) from None


def number(tokens: TokenStream, position: int, *, negative: bool = False) -> int | float:
    """The value of the number at this position; `negative` if a minus stands before it."""
    text = tokens.texts[position]
    if _INTEGER.fullmatch(text):
        base = {"x": 16, "o": 8}.get(text[1:2].lower(), 10)
        # Python refuses to convert thousands of digits; sixty-four are out of range in any base.
        digits = (text if base == 10 else text[2:]).lstrip("0") or "0"
        value = int(digits, base) if len(digits) <= 64 else _MAX_INTEGER + 2
        if value > _MAX_INTEGER + negative:
            raise tokens.error(
                "This integer is out of range",
                detail="IntegerOverflow",
                span=(tokens.starts[position], tokens.ends[position]),
                hint=f"Integers go from {-_MAX_INTEGER - 1} to {_MAX_INTEGER}; write a decimal point to have a float.",
            )
        return -value if negative else value
    if _FLOAT.fullmatch(text):
        real = float(text)
        if real == float("inf"):
            raise tokens.error(
                "This float is out of range",
                detail="FloatingPointOverflow",
                span=(tokens.starts[position], tokens.ends[position]),
                hint="Floats go up to 1.7976931348623157e308.",
            )
        return -real if negative else real
    raise tokens.error(
        f"{text[:40]} is not a number",
        detail="InvalidNumberLiteral",
        span=(tokens.starts[position], tokens.ends[position]),
        hint="Write 42, 0x2A, 0o52, 4.2, .5 or 1e-9; a name that begins with a digit needs back-ticks.",
    )
