"""Tolerant tokenizer: divides any text, however broken, into tokens, and tells which words are keywords."""

from __future__ import annotations

import re
from functools import cached_property

from keepgraph.cypher.syntax.tokenizer import RESERVED_WORDS

Edit = tuple[int, int, str]
"""The text from the first offset to the second is replaced by this."""

Repair = tuple[list[Edit], str]
"""Edits that belong together, and the sentence that describes them to the user."""

INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\ufeff"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
QUOTES = "“”„‟«»‘’‚‛´"
TYPOGRAPHIC_SIGNS = "→←≠≤≥（）［］｛｝：，；．＝＜＞＋＊／｜"
_TYPOGRAPHIC = re.escape(INVISIBLE + DASHES + QUOTES + TYPOGRAPHIC_SIGNS)

_NAME_START = rf"[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f\s{_TYPOGRAPHIC}]"
_NAME_CHARACTER = rf"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f\s{_TYPOGRAPHIC}]"
_QUOTED_NAME = r"`[^`]*+(?:``[^`]*+)*+`"

TOKEN = re.compile(
    rf"""
      (?P<comment> //[^\n\r]*+ | /\*.*?\*/ )
    | (?P<sql> (?:(?<=[\n\r])|(?<!.)) [^\S\n\r]*+ --[ \t]++ (?=[^\W\d]) [^\n\r]*+ )
    | (?P<space> [\n\r] | [^\S\n\r]++ )
    | (?P<name> {_NAME_START}{_NAME_CHARACTER}*+ )
    | (?P<number> (?: [0-9]++ (?:\.[0-9]++)?+ | \.[0-9]++ ) (?:[eE][+-]?[0-9]++)?+ {_NAME_CHARACTER}*+ )
    | (?P<string> '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" )
    | (?P<quoted> {_QUOTED_NAME} )
    | (?P<parameter> \$(?: {_NAME_CHARACTER}++ | {_QUOTED_NAME} ) )
    | (?P<unclosed> (?: /\* | ['"`] ) .*+ )
    | (?P<entity> &(?: lt | gt | amp | quot | apos | nbsp | [lr][sd]quo | [lr]aquo | [nm]dash | minus | [lr]arr | ne
                     | le | ge | \#[0-9]{{2,6}} | \#[xX][0-9A-Fa-f]{{2,5}} ); )
    | (?P<operator> \.\. | =~ | <> | <= | >= | != | == | && | \|\| | . )
    """,
    re.VERBOSE | re.DOTALL,
)

CLAUSES = frozenset("MATCH OPTIONAL UNWIND WITH WHERE RETURN UNION ORDER SKIP LIMIT OFFSET".split())
UNSUPPORTED_CLAUSES = frozenset("CALL CREATE DELETE DETACH FOREACH INSERT LOAD MERGE REMOVE SET USING YIELD".split())

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_BEFORE_NAME = frozenset(".:|&!")
_AFTER_KEYWORD = frozenset({"name", "quoted", "number", "string", "parameter", "(", "[", "{", "*", "-", "$"})


class Tokens:
    """The tokens of a text, without its spaces and comments.

    Attributes:
        kinds: "name", "quoted" (in back-ticks), "number", "string", "parameter", "unclosed", "entity", "end",
            or the sign itself.
        texts, starts, ends: the text and the offsets of each.
        length: how many there are; the lists are longer by four tokens of the kind "end".
        sql_comments: the offsets of comments that are written as in SQL.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sql_comments: list[int] = []
        for match in TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind in ("space", "comment"):
                continue
            if kind == "sql":
                self.sql_comments.append(match.start() + match[0].index("--"))
                continue
            word = match[0]
            self.kinds.append(word if kind == "operator" else kind)
            self.texts.append(word)
            self.starts.append(match.start())
            self.ends.append(match.end())
        self.length = len(self.kinds)
        # With four more ends, a rule may look one token back or four ahead without a test of the length.
        self.kinds.extend(["end"] * 4)
        self.texts.extend([""] * 4)
        self.starts.extend([len(text)] * 4)
        self.ends.extend([len(text)] * 4)

    @cached_property
    def partners(self) -> list[int]:
        """For each bracket, the index of its counterpart; -1 for every other token."""
        self._pair()
        return self._partners

    @cached_property
    def enclosing(self) -> list[int]:
        """For each token, the index of the innermost bracket that is open there; -1 outside of all brackets."""
        self._pair()
        return self._enclosing

    def _pair(self) -> None:
        self._partners = [-1] * len(self.kinds)
        self._enclosing = [-1] * len(self.kinds)
        open_at: list[int] = []
        for index, kind in enumerate(self.kinds):
            if kind in _CLOSERS and open_at and self.kinds[open_at[-1]] == _CLOSERS[kind]:
                opening = open_at.pop()
                self._partners[index], self._partners[opening] = opening, index
            self._enclosing[index] = open_at[-1] if open_at else -1
            if kind in ("(", "[", "{"):
                open_at.append(index)

    @cached_property
    def upper(self) -> list[str]:
        """Each unquoted word in capitals; empty for every other token."""
        return [
            word.upper() if kind == "name" and word.isascii() else ""
            for kind, word in zip(self.kinds, self.texts, strict=True)
        ]

    @cached_property
    def keywords(self) -> list[str]:
        """The keyword that a word is where it stands; empty where it is a name (`:RETURN`, `n.match`, `{with: 1}`)."""
        return [self._keyword(index) for index in range(len(self.kinds))]

    def _keyword(self, index: int) -> str:
        word = self.upper[index]
        if word not in RESERVED_WORDS and word not in CLAUSES and word not in UNSUPPORTED_CLAUSES:
            return ""
        before, after = self.kinds[index - 1] if index else "end", self.kinds[index + 1]
        if before == "." or (before in _BEFORE_NAME and word not in ("NOT", "CASE", "NULL", "TRUE", "FALSE")):
            return ""
        if (index and self.upper[index - 1] == "AS") or (after == ":" and word not in ("WHERE", "RETURN")):
            return ""
        if word == "WITH" and index and self.upper[index - 1] in ("STARTS", "ENDS"):
            return ""
        if word in RESERVED_WORDS:
            return word
        if word == "ORDER":
            return word if self.upper[index + 1] == "BY" else ""
        return word if after in _AFTER_KEYWORD else ""

    @cached_property
    def clauses(self) -> list[str]:
        """For each token, the clause that it is in or begins, within the enclosing bracket."""
        clauses = []
        current: dict[int, str] = {}
        for index, bracket in enumerate(self.enclosing):
            word = self.keywords[index]
            if word in CLAUSES or word in UNSUPPORTED_CLAUSES:
                current[bracket] = word
            elif self.kinds[index] in ("(", "[", "{"):
                current.pop(index, None)
            clauses.append(current.get(bracket, ""))
        return clauses

    def only_space_between(self, first: int, last: int) -> bool:
        """Whether no comment stands between these tokens."""
        return all(self.text[self.ends[index] : self.starts[index + 1]].strip() == "" for index in range(first, last))

    def is_variable(self, index: int) -> bool:
        """Whether a token can be a variable where it stands."""
        return self.kinds[index] == "quoted" or (self.kinds[index] == "name" and not self.keywords[index])


def apply_edits(text: str, edits: list[Edit]) -> str:
    """The text after all edits, which do not overlap."""
    parts: list[str] = []
    offset = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += (text[offset:start], new)
        offset = end
    return "".join((*parts, text[offset:]))


def quote_name(name: str) -> str:
    """A name as it is written in a query: in back-ticks where they are needed."""
    plain = name.isidentifier() and name.upper() not in RESERVED_WORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


def shorten(text: str) -> str:
    """The text in one line, cut to 60 characters, to be shown in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
