"""Cuts any text into pieces, however broken, and tells which words are keywords at their place. Knows no repair."""

from __future__ import annotations

import re
from functools import cached_property

from keepgraph.cypher.syntax.tokens import RESERVED

Edit = tuple[int, int, str]
"""What stands from the first offset to the second gives way to this."""

Mend = tuple[list[Edit], str]
"""Edits that belong together, and the sentence that tells of them."""

SPACELESS = "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\ufeff"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
QUOTES = "“”„‟«»″＂〝〞‘’‚‛′＇‹›´"
SIGNS = "→⟶➔⇒←⟵⇐≠≤⩽≥⩾…（）［］｛｝：，；．＝＜＞＋＊／｜"
_EXOTIC = re.escape(SPACELESS + DASHES + QUOTES + SIGNS)

_FIRST = rf"[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f\s{_EXOTIC}]"
_NEXT = rf"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f\s{_EXOTIC}]"
_QUOTED = r"`[^`]*+(?:``[^`]*+)*+`"

PIECE = re.compile(
    rf"""
      (?P<comment> //[^\n\r]*+ | /\*.*?\*/ )
    | (?P<sql> (?:(?<=[\n\r])|(?<!.)) [^\S\n\r]*+ --[ \t]++ (?=[^\W\d]) [^\n\r]*+ )
    | (?P<space> [\n\r] | [^\S\n\r]++ )
    | (?P<name> {_FIRST}{_NEXT}*+ )
    | (?P<number> (?: [0-9]++ (?:\.[0-9]++)?+ | \.[0-9]++ ) (?:[eE][+-]?[0-9]++)?+ {_NEXT}*+ )
    | (?P<string> '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" )
    | (?P<quoted> {_QUOTED} )
    | (?P<parameter> \$(?: {_NEXT}++ | {_QUOTED} ) )
    | (?P<unclosed> (?: /\* | ['"`] ) .*+ )
    | (?P<entity> &(?: lt | gt | amp | quot | apos | nbsp | [lr][sd]quo | [lr]aquo | [nm]dash | minus | [lr]arr | ne
                     | le | ge | hellip | \#[0-9]{{2,6}} | \#[xX][0-9A-Fa-f]{{2,5}} ); )
    | (?P<operator> \.\. | =~ | <> | <= | >= | != | == | && | \|\| | . )
    """,
    re.VERBOSE | re.DOTALL,
)

CLAUSES = frozenset("MATCH OPTIONAL UNWIND WITH WHERE RETURN UNION ORDER SKIP LIMIT OFFSET".split())
OTHERS = frozenset("CALL CREATE DELETE DETACH FOREACH INSERT LOAD MERGE REMOVE SET USING YIELD".split())

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_NAMING = frozenset(".:|&!")
_AFTER_WORD = frozenset({"name", "quoted", "number", "string", "parameter", "(", "[", "{", "*", "-", "$"})


class Pieces:
    """The pieces of a text without its spaces and comments.

    Attributes:
        kinds: "name", "quoted" (in back-ticks), "number", "string", "parameter", "unclosed", "entity", "end",
            or the sign itself.
        words, starts, ends: the text and the place of each.
        sql: the comments that are written as in SQL, as offsets.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sql: list[int] = []
        for match in PIECE.finditer(text):
            kind = match.lastgroup or ""
            if kind in ("space", "comment"):
                continue
            if kind == "sql":
                self.sql.append(match.start() + match[0].index("--"))
                continue
            word = match[0]
            self.kinds.append(word if kind == "operator" else kind)
            self.words.append(word)
            self.starts.append(match.start())
            self.ends.append(match.end())
        self.length = len(self.kinds)
        # Some more ends, so that nobody who looks one back or three ahead need ask how far the text goes.
        self.kinds.extend(["end"] * 4)
        self.words.extend([""] * 4)
        self.starts.extend([len(text)] * 4)
        self.ends.extend([len(text)] * 4)

    @cached_property
    def partners(self) -> list[int]:
        """Of each bracket, the one that it belongs to; -1 of everything else."""
        self._pair()
        return self._partners

    @cached_property
    def around(self) -> list[int]:
        """Of each piece, the bracket that was opened last before it and is not yet closed; -1 outside of all."""
        self._pair()
        return self._around

    def _pair(self) -> None:
        self._partners = [-1] * len(self.kinds)
        self._around = [-1] * len(self.kinds)
        open_at: list[int] = []
        for at, kind in enumerate(self.kinds):
            if kind in _CLOSERS and open_at and self.kinds[open_at[-1]] == _CLOSERS[kind]:
                opening = open_at.pop()
                self._partners[at], self._partners[opening] = opening, at
            self._around[at] = open_at[-1] if open_at else -1
            if kind in ("(", "[", "{"):
                open_at.append(at)

    @cached_property
    def balanced(self) -> bool:
        brackets = (at for at, kind in enumerate(self.kinds) if kind in ("(", "[", "{", ")", "]", "}"))
        return all(self.partners[at] >= 0 for at in brackets)

    @cached_property
    def upper(self) -> list[str]:
        """Each unquoted word in capitals, wherever it stands; empty for all else."""
        return [
            word.upper() if kind == "name" and word.isascii() else ""
            for kind, word in zip(self.kinds, self.words, strict=True)
        ]

    @cached_property
    def keywords(self) -> list[str]:
        """The keyword that a word is at its place; empty where it is a name (`:RETURN`, `n.match`, `{with: 1}`)."""
        return [self._keyword(at) for at in range(len(self.kinds))]

    def _keyword(self, at: int) -> str:
        word = self.upper[at]
        if word not in RESERVED and word not in CLAUSES and word not in OTHERS:
            return ""
        before, after = self.kinds[at - 1] if at else "end", self.kinds[at + 1]
        if before == "." or (before in _NAMING and word not in ("NOT", "CASE", "NULL", "TRUE", "FALSE")):
            return ""
        if (at and self.upper[at - 1] == "AS") or (after == ":" and word not in ("WHERE", "RETURN")):
            return ""
        if word == "WITH" and at and self.upper[at - 1] in ("STARTS", "ENDS"):
            return ""
        if word in RESERVED:
            return word
        if word == "ORDER":
            return word if self.upper[at + 1] == "BY" else ""
        return word if after in _AFTER_WORD else ""

    @cached_property
    def clauses(self) -> list[str]:
        """Of each piece, the clause it is in, or that it begins, within the bracket around it."""
        found = []
        current: dict[int, str] = {}
        for at, around in enumerate(self.around):
            word = self.keywords[at]
            if word in CLAUSES or word in OTHERS:
                current[around] = word
            elif self.kinds[at] in ("(", "[", "{"):
                current.pop(at, None)
            found.append(current.get(around, ""))
        return found

    def only_space(self, first: int, last: int) -> bool:
        """Whether no comment stands between these pieces."""
        return all(self.text[self.ends[at] : self.starts[at + 1]].strip() == "" for at in range(first, last))

    def named(self, at: int) -> bool:
        """Whether this can be a variable, as it stands."""
        return self.kinds[at] == "quoted" or (self.kinds[at] == "name" and not self.keywords[at])


def edited(text: str, edits: list[Edit]) -> str:
    """The text with all edits done, none of which overlap."""
    parts: list[str] = []
    at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += (text[at:start], new)
        at = end
    return "".join((*parts, text[at:]))


def quoted(name: str) -> str:
    """A name as it is written in a query: in back-ticks where it must."""
    plain = name.isidentifier() and name.upper() not in RESERVED
    return name if plain else "`" + name.replace("`", "``") + "`"


def squeezed(text: str) -> str:
    """The text in one line, and not too long to be shown in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
