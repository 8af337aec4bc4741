"""Takes a query out of what it was wrapped in: code blocks, prompts, HTML, typographic signs. Knows no clause.

What stands in strings, comments and back-ticks stays as it is. There is one exception: where the quotes themselves are
written as `&quot;` or `&#39;`, the whole text went through an HTML encoder, and all of it is decoded, once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from keepgraph.cypher.repair.tolerant_tokenizer import DASHES, PIECE, SPACELESS, Pieces

Mended = tuple[str, list[str]]
"""The text, and what was done to it."""

_STARTS = "MATCH OPTIONAL WITH UNWIND RETURN CALL CREATE MERGE EXPLAIN PROFILE CYPHER".split()
_BEGINS = re.compile(
    rf"\s*+(?>(?://|--)[^\n]*+\n\s*+|/\*.*?\*/\s*+)*+(?:{'|'.join(_STARTS)})(?![\w.:])", re.IGNORECASE | re.DOTALL
)
_FENCE = re.compile(r"`{3,}|^[ \t]*~{3,}", re.MULTILINE)
_TAG = re.compile(r"[ \t]*[\w+#.-]*[ \t]*(?:\r?\n|\Z)|(?i:opencypher|cypher|gql|sql|neo4j|text)\s")


def fences(text: str) -> Mended:
    """Only the inside of a code block, the first one that holds a query; prose around it is dropped."""
    blocks = list(_blocks(text))
    if blocks:
        inside = next((block for block in blocks if _BEGINS.match(block)), blocks[0])
        if inside.strip():
            return inside.strip(), ["Took the query out of its code block"]
    stripped = text.strip().rstrip("; ")
    marks = len(stripped) - len(stripped.lstrip("`"))
    if 0 < marks < 3 and len(stripped) > 2 * marks and stripped.endswith("`" * marks):
        inside = stripped[marks:-marks]
        if _BEGINS.match(inside):
            return inside.strip(), ["Took the query out of its back-ticks"]
    return text, []


def _blocks(text: str) -> Iterator[str]:
    marks = list(_FENCE.finditer(text))
    if not marks:
        return
    shielded = _shielded(text)
    marks = [mark for mark in marks if not any(first < mark.start() < last for first, last in shielded)]
    at = 0
    while at < len(marks):
        opening = marks[at][0].strip()
        closing = at + 1
        while closing < len(marks) and not marks[closing][0].strip().startswith(opening):
            closing += 1
        inside = text[marks[at].end() : marks[closing].start() if closing < len(marks) else len(text)]
        tag = _TAG.match(inside)
        yield inside[tag.end() :] if tag else inside
        at = closing + 1


def _shielded(text: str) -> list[tuple[int, int]]:
    """Where strings and comments are: of a text that begins as a query. Prose has apostrophes that open no string."""
    word = text.split(None, 1)[0].split("(")[0] if text.strip() else ""
    if not _BEGINS.match(text) or not (word.isupper() or word.islower()):
        return []
    places = [match.span() for match in PIECE.finditer(text) if match.lastgroup in ("string", "comment", "quoted")]
    return [(first, last) for first, last in places if not text.startswith("``", first)][:200]


# HTML

_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#[0-9]{2,6}|#[xX][0-9A-Fa-f]{2,5});")
_ENCODED_QUOTES = frozenset(("&quot;", "&apos;", "&#34;", "&#39;", "&#034;", "&#039;", "&#x22;", "&#x27;"))


def entities(text: str) -> Mended:
    """`&lt;` as `<`, and its like."""
    if "&" not in text:
        return text, []
    found = [match for match in PIECE.finditer(text) if match.lastgroup == "entity"]
    if not found:
        return text, []
    if any(match[0].lower() in _ENCODED_QUOTES for match in found):
        return _ENTITY.sub(lambda match: html.unescape(match[0]), text), ["Decoded the text, which was HTML"]
    parts: list[str] = []
    at = 0
    for match in found:
        parts += (text[at : match.start()], html.unescape(match[0]))
        at = match.end()
    return "".join((*parts, text[at:])), ["Decoded the HTML signs outside of strings"]


# Characters

_CLOSERS = {
    "“": "”", "„": "“”", "‟": "”", "”": "”", "«": "»", "»": "«»", "″": "″", "＂": "＂", "〝": "〞", "〞": "〞",
    "‘": "’", "‚": "‘’", "‛": "’", "’": "’", "′": "′", "＇": "＇", "‹": "›", "›": "‹›", "´": "´",
}  # fmt: skip
_SINGLE = frozenset("‘’‚‛′＇‹›´")
_ANY_CLOSER = {'"': "”“»″＂〞", "'": "’‘›′＇´"}
_WIDE = dict(zip("（）［］｛｝：，；．＝＜＞＋＊／｜", "()[]{}:,;.=<>+*/|", strict=True))
_COMPARED = {"≠": "<>", "≤": "<=", "⩽": "<=", "≥": ">=", "⩾": ">="}


def characters(text: str) -> Mended:
    """Typographic quotes, dashes, arrows and spaces as the plain signs they stand for."""
    if text.isascii():
        return text, []
    return _Plain(text).mended()


class _Plain:
    """One way through a text, from its start to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.before = ""
        self.last_word = ""
        self.nexts: dict[str, int] = {}
        self.quotes = self.signs = self.spaces = False

    def mended(self) -> Mended:
        text, at = self.text, 0
        in_pattern = False
        while match := PIECE.match(text, at):
            kind, piece, end = match.lastgroup, match[0], match.end()
            new = piece
            if kind == "unclosed" and piece[0] in _ANY_CLOSER:
                closed = self._string(at + 1, _ANY_CLOSER[piece[0]], piece[0], opened_plainly=True)
                if closed:
                    new, end = closed
            elif kind == "space":
                new = "".join(sign if sign in " \t\n\r" else " " for sign in piece)
                self.spaces |= new != piece
            elif kind == "operator" and not piece.isascii():
                if piece in _CLOSERS:
                    closed = self._string(end, _CLOSERS[piece], "'" if piece in _SINGLE else '"', opened_plainly=False)
                    if closed:
                        new, end = closed
                else:
                    new = self._sign(piece, end, in_pattern)
            elif kind == "name":
                word = piece.upper()
                in_pattern = word == "MATCH" or (in_pattern and word not in ("WHERE", "WITH", "RETURN", "UNWIND"))
            self.parts.append(new)
            if kind not in ("space", "comment", "sql") and new:
                self.before = new[-1]
                self.last_word = new if kind == "name" else ""
            at = end
        mended = "".join(self.parts)
        sentences = [
            sentence
            for done, sentence in (
                (self.quotes, "Wrote typographic quotes as straight ones"),
                (self.signs, "Wrote typographic dashes, arrows and signs as plain ones"),
                (self.spaces, "Took out characters that are not seen"),
            )
            if done
        ]
        return mended, sentences

    def _string(self, start: int, closers: str, plain: str, *, opened_plainly: bool) -> tuple[str, int] | None:
        """The string from here on in plain quotes, and where it ends."""
        family = "".join(sign for sign in _CLOSERS if (sign in _SINGLE) == (plain == "'"))
        # Between two letters it is an apostrophe: ‘it’s so’.
        end = self._next(f"[{closers}](?!\\w)", start)
        if end < 0:
            end = self._next(f"[{closers}]", start)
        straight = -1 if opened_plainly else self._next(plain, start)
        if straight >= 0:
            opener = self._next(f"(?<!\\w)[{family}](?=\\w)", start)
            if end < 0 or (opener >= 0 and straight < opener < end):
                end = straight
        line = self._next("[\n\r]", start) if opened_plainly else -1
        if end < 0 or 0 <= line < end:
            return None
        inside = re.sub(
            rf"(\\.)|{plain}", lambda found: found[1] or f"\\{plain}", self.text[start:end], flags=re.DOTALL
        )
        if len(inside) - len(inside.rstrip("\\")) & 1:
            return None
        self.quotes = True
        return f"{plain}{inside}{plain}", end + 1

    def _next(self, pattern: str, start: int) -> int:
        """Where this comes next, remembered, so that the whole text is searched but once."""
        known = self.nexts.get(pattern, -2)
        if known == -1 or known >= start:
            return known
        found = re.compile(pattern).search(self.text, start)
        self.nexts[pattern] = found.start() if found else -1
        return self.nexts[pattern]

    def _sign(self, sign: str, end: int, in_pattern: bool) -> str:
        if sign in SPACELESS:
            self.spaces = True
            following = self.text[end : end + 1]
            parted = self.last_word.upper() in _STARTS and (following.isalnum() or following == "_")
            return " " if parted else ""
        new = self._plain_sign(sign, end, in_pattern)
        self.signs |= new != sign
        return new

    def _plain_sign(self, sign: str, end: int, in_pattern: bool) -> str:
        before, after = self.before, self._after(end)
        if sign in DASHES:
            # A whole arrow between two nodes was two hyphens before an editor made one dash of them.
            if before == ")" and (after == ">" or (after == "(" and in_pattern)):
                return "--"
            if before == "<" and after == "(" and in_pattern:
                return "--"
            return "-"
        if sign in "→⟶➔⇒":
            return "-->" if before == ")" else "->"
        if sign in "←⟵⇐":
            return "<--" if after == "(" else "<-"
        if sign == "…":
            return ".." if before == "*" or before.isdigit() else sign
        return _COMPARED.get(sign) or _WIDE.get(sign, sign)

    def _after(self, at: int) -> str:
        found = re.compile(r"\S").search(self.text, at)
        return found[0] if found else ""


# What stands before a query

_PROMPT = re.compile(r"\s*(?:(?:cypher|neo4j|openCypher)(?:-shell)?(?:@\w*)?[ \t]*[:>$]|[>$])\s*", re.IGNORECASE)


def leading_words(text: str) -> Mended:
    """Without a prompt, the word cypher with its options, EXPLAIN or PROFILE before the query."""
    prompt = _PROMPT.match(text)
    if prompt and _BEGINS.match(text, prompt.end()):
        return text[prompt.end() :], ["Dropped the prompt before the query"]
    pieces = Pieces(text)
    word = pieces.upper[0]
    if word not in ("CYPHER", "OPENCYPHER", "EXPLAIN", "PROFILE"):
        return text, []
    at = 1
    if word == "CYPHER":
        at += pieces.kinds[at] == "number"
        while pieces.kinds[at] == "name" and pieces.kinds[at + 1] == "=":
            at += 3
    at = min(at, pieces.length)
    if not _BEGINS.match(text, pieces.starts[at]):
        return text, []
    return text[: pieces.starts[0]] + text[pieces.starts[at] :], [f"Dropped the leading word {pieces.words[0]}"]
