"""Markup: takes a query out of code blocks, prompts and HTML, and replaces typographic signs by plain ones.

Strings, comments and quoted names are not changed, with one exception: where the quotes themselves are written as
`&quot;` or `&#39;`, the whole text went through an HTML encoder, and all of it is decoded, once.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from keepgraph.cypher.repair.tolerant_tokenizer import DASHES, INVISIBLE, TOKEN, Tokens

Unwrapped = tuple[str, list[str]]
"""The new text, and a sentence for each change."""

_FIRST_WORDS = "MATCH OPTIONAL WITH UNWIND RETURN CALL CREATE MERGE EXPLAIN PROFILE CYPHER".split()
_BEGINS_WITH_CLAUSE = re.compile(
    rf"\s*+(?>(?://|--)[^\n]*+\n\s*+|/\*.*?\*/\s*+)*+(?:{'|'.join(_FIRST_WORDS)})(?![\w.:])", re.IGNORECASE | re.DOTALL
)
_FENCE = re.compile(r"`{3,}|^[ \t]*~{3,}", re.MULTILINE)
_TAG = re.compile(r"[ \t]*[\w+#.-]*[ \t]*(?:\r?\n|\Z)|(?i:opencypher|cypher|gql|sql|neo4j|text)\s")


def unwrap_code_block(text: str) -> Unwrapped:
    """The content of the first code block that holds a query; prose around it is dropped."""
    blocks = list(_code_blocks(text))
    if blocks:
        content = next((block for block in blocks if _BEGINS_WITH_CLAUSE.match(block)), blocks[0])
        if content.strip():
            return content.strip(), ["Took the query out of its code block"]
    stripped = text.strip().rstrip("; ")
    backticks = len(stripped) - len(stripped.lstrip("`"))
    if 0 < backticks < 3 and len(stripped) > 2 * backticks and stripped.endswith("`" * backticks):
        content = stripped[backticks:-backticks]
        if _BEGINS_WITH_CLAUSE.match(content):
            return content.strip(), ["Took the query out of its back-ticks"]
    return text, []


_KEYS_OF_QUERY = ("query", "cypher", "cypher_query", "statement")
_KEYS_OF_PARAMETERS = ("parameters", "params")


def unwrap_arguments(text: str) -> tuple[str, dict[str, Any]] | None:
    """The query and the parameters in the JSON of a tool's arguments, `{"query": "MATCH …"}`; None for other texts."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        arguments = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    query = next((arguments[key] for key in _KEYS_OF_QUERY if isinstance(arguments.get(key), str)), None)
    parameters: dict[str, Any] = next(
        (arguments[key] for key in _KEYS_OF_PARAMETERS if isinstance(arguments.get(key), dict)), {}
    )
    return None if query is None else (query, parameters)


def _code_blocks(text: str) -> Iterator[str]:
    fences = list(_FENCE.finditer(text))
    if not fences:
        return
    protected = _protected_spans(text)
    fences = [mark for mark in fences if not any(first < mark.start() < last for first, last in protected)]
    index = 0
    while index < len(fences):
        opening = fences[index][0].strip()
        closing = index + 1
        while closing < len(fences) and not fences[closing][0].strip().startswith(opening):
            closing += 1
        content = text[fences[index].end() : fences[closing].start() if closing < len(fences) else len(text)]
        tag = _TAG.match(content)
        yield content[tag.end() :] if tag else content
        index = closing + 1


def _protected_spans(text: str) -> list[tuple[int, int]]:
    """The spans of strings, quoted names and comments of a text that begins as a query.

    Any other text is prose, in which an apostrophe begins no string.
    """
    word = text.split(None, 1)[0].split("(")[0] if text.strip() else ""
    if not _BEGINS_WITH_CLAUSE.match(text) or not (word.isupper() or word.islower()):
        return []
    spans = [match.span() for match in TOKEN.finditer(text) if match.lastgroup in ("string", "comment", "quoted")]
    return [(first, last) for first, last in spans if not text.startswith("``", first)][:200]


# HTML

_HTML_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#[0-9]{2,6}|#[xX][0-9A-Fa-f]{2,5});")
_ENCODED_QUOTES = frozenset(("&quot;", "&apos;", "&#34;", "&#39;", "&#034;", "&#039;", "&#x22;", "&#x27;"))


def decode_html(text: str) -> Unwrapped:
    """Decode HTML entities such as `&lt;`."""
    if "&" not in text:
        return text, []
    entities = [match for match in TOKEN.finditer(text) if match.lastgroup == "entity"]
    if not entities:
        return text, []
    if any(match[0].lower() in _ENCODED_QUOTES for match in entities):
        return _HTML_ENTITY.sub(lambda match: html.unescape(match[0]), text), ["Decoded the text, which was HTML"]
    parts: list[str] = []
    offset = 0
    for match in entities:
        parts += (text[offset : match.start()], html.unescape(match[0]))
        offset = match.end()
    return "".join((*parts, text[offset:])), ["Decoded the HTML signs outside of strings"]


# Characters

_CLOSERS = {
    "“": "”", "„": "“”", "‟": "”", "”": "”", "«": "»", "»": "«»", "‘": "’", "‚": "‘’", "‛": "’", "’": "’", "´": "´",
}  # fmt: skip
_SINGLE = frozenset("‘’‚‛´")
_FULL_WIDTH = dict(zip("（）［］｛｝：，；．＝＜＞＋＊／｜", "()[]{}:,;.=<>+*/|", strict=True))
_COMPARISONS = {"≠": "<>", "≤": "<=", "≥": ">="}


def replace_typography(text: str) -> Unwrapped:
    """Replace typographic quotes, dashes, arrows and spaces by the plain signs that they stand for."""
    if text.isascii():
        return text, []
    return _TypographyReplacer(text).replace()


class _TypographyReplacer:
    """Replaces typographic signs in one pass from the start of a text to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.last_character = ""
        self.next_positions: dict[str, int] = {}
        self.quotes = self.signs = self.spaces = False

    def replace(self) -> Unwrapped:
        text, offset = self.text, 0
        in_pattern = False
        while match := TOKEN.match(text, offset):
            kind, token, end = match.lastgroup, match[0], match.end()
            new = token
            if kind == "space":
                new = "".join(sign if sign in " \t\n\r" else " " for sign in token)
                self.spaces |= new != token
            elif kind == "operator" and not token.isascii():
                if token in _CLOSERS:
                    closed = self._string(end, _CLOSERS[token], "'" if token in _SINGLE else '"')
                    if closed:
                        new, end = closed
                else:
                    new = self._plain_sign(token, end, in_pattern)
                    self.spaces |= token in INVISIBLE
                    self.signs |= token not in INVISIBLE and new != token
            elif kind == "name":
                word = token.upper()
                in_pattern = word == "MATCH" or (in_pattern and word not in ("WHERE", "WITH", "RETURN", "UNWIND"))
            self.parts.append(new)
            if kind not in ("space", "comment", "sql") and new:
                self.last_character = new[-1]
            offset = end
        result = "".join(self.parts)
        sentences = [
            sentence
            for done, sentence in (
                (self.quotes, "Wrote typographic quotes as straight ones"),
                (self.signs, "Wrote typographic dashes, arrows and signs as plain ones"),
                (self.spaces, "Removed invisible characters"),
            )
            if done
        ]
        return result, sentences

    def _string(self, start: int, closers: str, plain: str) -> tuple[str, int] | None:
        """The string that begins here, in plain quotes, and the offset behind it; None if it has no end."""
        # Between two letters it is an apostrophe: ‘it’s so’.
        end = self._next(f"[{closers}](?!\\w)", start)
        if end < 0:
            return None
        content = re.sub(
            rf"(\\.)|{plain}", lambda match: match[1] or f"\\{plain}", self.text[start:end], flags=re.DOTALL
        )
        if len(content) - len(content.rstrip("\\")) & 1:
            return None
        self.quotes = True
        return f"{plain}{content}{plain}", end + 1

    def _next(self, pattern: str, start: int) -> int:
        """Where a pattern occurs next, or -1; remembered, so that the text is searched once for each pattern."""
        position = self.next_positions.get(pattern, -2)
        if position == -1 or position >= start:
            return position
        match = re.compile(pattern).search(self.text, start)
        self.next_positions[pattern] = match.start() if match else -1
        return self.next_positions[pattern]

    def _plain_sign(self, sign: str, end: int, in_pattern: bool) -> str:
        if sign in INVISIBLE:
            return ""
        before, after = self.last_character, self._after(end)
        if sign in DASHES:
            # A whole arrow between two nodes was two hyphens before an editor made one dash of them.
            if before == ")" and (after == ">" or (after == "(" and in_pattern)):
                return "--"
            if before == "<" and after == "(" and in_pattern:
                return "--"
            return "-"
        if sign == "→":
            return "-->" if before == ")" else "->"
        if sign == "←":
            return "<--" if after == "(" else "<-"
        return _COMPARISONS.get(sign) or _FULL_WIDTH.get(sign, sign)

    def _after(self, offset: int) -> str:
        match = re.compile(r"\S").search(self.text, offset)
        return match[0] if match else ""


# What stands before a query

_PROMPT = re.compile(r"\s*(?:(?:cypher|neo4j|openCypher)(?:-shell)?(?:@\w*)?[ \t]*[:>$]|[>$])\s*", re.IGNORECASE)


def drop_prefix(text: str) -> Unwrapped:
    """Drop a prompt, the word CYPHER with its version, EXPLAIN or PROFILE before the query."""
    prompt = _PROMPT.match(text)
    if prompt and _BEGINS_WITH_CLAUSE.match(text, prompt.end()):
        return text[prompt.end() :], ["Dropped the prompt before the query"]
    tokens = Tokens(text)
    word = tokens.upper[0]
    if word not in ("CYPHER", "OPENCYPHER", "EXPLAIN", "PROFILE"):
        return text, []
    index = 1 + (word == "CYPHER" and tokens.kinds[1] == "number")
    if not _BEGINS_WITH_CLAUSE.match(text, tokens.starts[index]):
        return text, []
    return text[: tokens.starts[0]] + text[tokens.starts[index] :], [f"Dropped the leading word {tokens.texts[0]}"]
