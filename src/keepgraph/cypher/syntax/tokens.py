"""Cuts a query into tokens and reads them one by one; decodes strings, numbers and names. Knows no grammar.

The kind of a token is the operator itself, the keyword in capitals, or one of
"name", "number", "string", "parameter", "end".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepgraph.cypher.syntax.ast import Span
from keepgraph.errors import QuerySyntaxInvalid

MOST_CHARACTERS = 100_000
MOST_LEVELS = 100

RESERVED = frozenset(
    "AND AS CASE DISTINCT ELSE FALSE IN IS MATCH NOT NULL OPTIONAL OR RETURN THEN TRUE UNION UNWIND WHEN WHERE WITH XOR"
    .split()
)  # fmt: skip
"""Keywords that are no variables, unless in back-ticks."""

UNRESERVED = frozenset(
    "ALL ALLSHORTESTPATHS ANY ASC ASCENDING BY COLLECT CONTAINS COUNT DESC DESCENDING END ENDS EXISTS LIMIT NONE OFFSET"
    " ORDER REDUCE SHORTESTPATH SINGLE SKIP STARTS".split()
)
"""Words that mean something at their place, and elsewhere are as good a name as any."""

VARIABLES = UNRESERVED | {"name"}
NAMES = VARIABLES | RESERVED

_KEYWORDS = {form: word for word in RESERVED | UNRESERVED for form in (word, word.lower())}

# Letters and all that is not ASCII; whether it may stand in a name is asked only of the names that have some.
_FIRST = r"[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f\s\ufeff]"
_NEXT = r"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f\s\ufeff]"
_QUOTED = r"`[^`]*+(?:``[^`]*+)*+`"

_TOKEN = re.compile(
    rf"""
    (?: [\s\ufeff]++ | //[^\n\r]*+ | /\*.*?\*/ )*+
    (?:
        (?P<name> {_FIRST}{_NEXT}*+ )
      | (?P<number> (?: [0-9]++ (?:\.[0-9]++)?+ | \.[0-9]++ ) (?:[eE][+-]?[0-9]++)?+ {_NEXT}*+ )
      | (?P<string> '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" )
      | (?P<quoted> {_QUOTED} )
      | (?P<parameter> \$(?: {_NEXT}++ | {_QUOTED} ) )
      | (?P<unclosed> /\* | ['"`] )
      | (?P<operator> \.\. | \+= | =~ | <> | <= | >= | [-+*/%^=<>()\[\]{{}},.:;|&!?] )
      | (?P<end> \Z )
      | (?P<stray> . )
    )
    """,
    re.VERBOSE | re.DOTALL,
)

_NOT_IN_TEXT = re.compile("[\0\ud800-\udfff]")

_ESCAPE = re.compile(r"\\(?:U([0-9A-Fa-f]{8})|[uU]([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "`": "`",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "B": "\b", "F": "\f", "N": "\n", "R": "\r", "T": "\t",
}  # fmt: skip

_INTEGER = re.compile(r"0|[1-9][0-9]*|0[xX][0-9A-Fa-f]+|0[oO][0-7]+")
_FLOAT = re.compile(r"[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")
_GREATEST = 2**63 - 1

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


class Reader:
    """The tokens of a text, and how far they have been read.

    Attributes:
        kinds, words, starts, ends: of each token, its kind, its text and its place. The last is of kind "end".
        at: the token to be read next.
        level: how deep the parts now being read are nested.
        nodes: how many nodes the patterns read so far have.
    """

    __slots__ = ("_closings", "at", "ends", "kinds", "level", "nodes", "starts", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.at = 0
        self.level = 0
        self.nodes = 0
        self._closings: list[int] | None = None
        self._cut()

    def _cut(self) -> None:
        text = self.text
        if len(text) > MOST_CHARACTERS:
            raise QuerySyntaxInvalid(
                f"The query has {len(text)} characters; {MOST_CHARACTERS} are the most.",
                detail="UnexpectedSyntax",
                hint="Ask in several smaller queries, and pass long lists as parameters.",
            )
        if stray := _NOT_IN_TEXT.search(text):
            raise self._stray(stray.start())
        kinds, words, starts, ends = self.kinds, self.words, self.starts, self.ends
        keywords = _KEYWORDS
        for match in _TOKEN.finditer(text):
            group = match.lastgroup or "end"
            word = match[group]
            start, end = match.span(group)
            if group == "name":
                kind = keywords.get(word, "name")
                if kind == "name":
                    if word.isascii():
                        kind = keywords.get(word.upper(), "name")
                    elif not word.isidentifier():
                        raise self._stray(start + _first_stray(word))
            elif group == "operator":
                kind = word
            elif group == "quoted":
                kind = "name"
                word = unquoted(word)
                if not word:
                    raise self.error("There is no name between these back-ticks", span=(start, end))
            elif group == "unclosed":
                raise self._unclosed(word, start)
            elif group == "stray":
                raise self._stray(start)
            elif group == "end":
                break
            else:
                kind = group
                if group == "parameter":
                    self._check_parameter(word, start)
            kinds.append(kind)
            words.append(word)
            starts.append(start)
            ends.append(end)
        # Some more ends, so that nobody who looks ahead need ask how far the text goes.
        kinds.extend(["end"] * 4)
        words.extend([""] * 4)
        starts.extend([len(text)] * 4)
        ends.extend([len(text)] * 4)

    def _check_parameter(self, word: str, start: int) -> None:
        if word == "$``":
            raise self.error("There is no name between these back-ticks", span=(start, start + 3))
        if not word.isascii() and word[1] != "`":
            name = "_" + word[1:]
            if not name.isidentifier():
                raise self._stray(start + _first_stray(name))

    def take(self, kind: str) -> bool:
        """Whether this is what comes next; if so, it is read."""
        if self.kinds[self.at] == kind:
            self.at += 1
            return True
        return False

    def need(self, kind: str, where: str) -> None:
        if self.kinds[self.at] != kind:
            raise self.expected(f"{kind} {where}")
        self.at += 1

    def name(self, what: str) -> str:
        """Any word, keyword or not: a label, a type, a property key."""
        at = self.at
        if self.kinds[at] not in NAMES:
            raise self.expected(what)
        self.at = at + 1
        return self.words[at]

    def variable(self, what: str = "a variable") -> str:
        at = self.at
        kind = self.kinds[at]
        if kind not in VARIABLES:
            if kind in RESERVED:
                raise self.expected(
                    what, hint=f"{kind} is a keyword; as a name, write it in back-ticks: `{self.words[at]}`."
                )
            raise self.expected(what)
        self.at = at + 1
        return self.words[at]

    def span(self, first: int) -> Span:
        """From the first character of this token to the last one that has been read."""
        return self.starts[first], self.ends[self.at - 1]

    def enter(self, levels: int = 1) -> None:
        self.level += levels
        if self.level > MOST_LEVELS:
            raise self.error(
                f"The query is nested too deeply: {MOST_LEVELS} levels are the most",
                hint="Take an inner part out into a WITH … AS name, or pass it as a parameter.",
            )

    def leave(self, levels: int = 1) -> None:
        self.level -= levels

    def closing(self, opening: int) -> int:
        """The token that closes this bracket; -1 if none does."""
        if self._closings is None:
            self._closings = _closings(self.kinds)
        return self._closings[opening]

    def first_inside(self, opening: int, kinds: frozenset[str]) -> str | None:
        """The first of these kinds in the bracket, leaving out what stands in brackets within."""
        closing = self.closing(opening)
        at = opening + 1
        while at < closing:
            kind = self.kinds[at]
            if kind in kinds:
                return kind
            at = self.closing(at) + 1 if kind in _CLOSERS else at + 1
        return None

    def expected(self, what: str, *, hint: str | None = None, detail: str = "UnexpectedSyntax") -> QuerySyntaxInvalid:
        return self.error(f"Expected {what}, but found {self.found()}", hint=hint or self._habit(), detail=detail)

    def found(self) -> str:
        kind = self.kinds[self.at]
        if kind == "end":
            return "the end of the query"
        piece = self.text[self.starts[self.at] : self.ends[self.at]]
        piece = piece if len(piece) <= 40 else f"{piece[:40]}…"
        return f"the {kind} {piece}" if kind in ("number", "string", "parameter") else f"`{piece}`"

    def error(
        self,
        message: str,
        *,
        detail: str = "UnexpectedSyntax",
        span: Span | None = None,
        hint: str | None = None,
        candidates: Sequence[str] = (),
    ) -> QuerySyntaxInvalid:
        """An error at this place, or at the next token; the message ends with line and column."""
        place = span or (self.starts[self.at], self.ends[self.at])
        return QuerySyntaxInvalid(
            f"{message} ({where(self.text, place[0])}).", detail=detail, span=place, hint=hint, candidates=candidates
        )

    def _habit(self) -> str | None:
        """What is written here instead of what other languages have taught."""
        before, here, after = self.kinds[self.at - 1], self.kinds[self.at], self.kinds[self.at + 1]
        return _HABITS.get((before, here)) or _HABITS.get((here, after)) or _HABITS.get((here, ""))

    def _stray(self, at: int) -> QuerySyntaxInvalid:
        character = self.text[at]
        number = f"U+{ord(character):04X}"
        shown = f"{character} ({number})" if character.isprintable() else number
        hint = _LOOKALIKES.get(character)
        if character == "$":
            shown, hint = "$ without a name", "A parameter is written $name."
        return self.error(
            f"{shown} does not belong here",
            detail="UnexpectedSyntax" if "\0" < character < "\x80" else "InvalidUnicodeCharacter",
            span=(at, at + 1),
            hint=hint or "Text belongs in quotes, and an unusual name in back-ticks.",
        )

    def _unclosed(self, opening: str, start: int) -> QuerySyntaxInvalid:
        what = {"/*": "comment", "`": "name in back-ticks"}.get(opening, "string")
        closing = "*/" if opening == "/*" else opening
        return self.error(
            f"The {what} that begins here is never closed",
            span=(start, len(self.text)),
            hint=f"Close it with {closing}"
            + (f"; within the string write {closing} as \\{closing}." if what == "string" else "."),
        )


def where(text: str, offset: int) -> str:
    """A place in words: `line 1, column 8`."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def unquoted(word: str) -> str:
    """A name without its back-ticks."""
    return word[1:-1].replace("``", "`")


def parameter(word: str) -> str:
    """The name in `$name`."""
    return unquoted(word[1:]) if word[1] == "`" else word[1:]


def string(reader: Reader, at: int) -> str:
    """The value of the string that is this token."""
    word = reader.words[at][1:-1]
    if "\\" not in word:
        return word

    def meant(escape: re.Match[str]) -> str:
        digits = escape[1] or escape[2]
        if digits and int(digits, 16) <= 0x10FFFF:
            return chr(int(digits, 16))
        if escape[3] in _ESCAPES:
            return _ESCAPES[escape[3]]
        place = reader.starts[at] + 1 + escape.start()
        if digits or escape[3] in ("u", "U"):
            raise reader.error(
                "This escape names no character",
                detail="InvalidUnicodeLiteral",
                span=(place, place + len(escape[0])),
                hint="Write \\u and four hexadecimal digits, \\U and eight, or the character itself.",
            )
        raise reader.error(
            f"{escape[0]} is no escape",
            span=(place, place + len(escape[0])),
            hint="Write \\\\ for a backslash. There are \\n \\t \\r \\b \\f \\' \\\" \\\\ \\uXXXX and \\UXXXXXXXX.",
        )

    value = _ESCAPE.sub(meant, word)
    if not _NOT_IN_TEXT.search(value.replace("\0", "")):
        return value
    try:  # a character beyond U+FFFF may be written as the two halves that UTF-16 has for it
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise reader.error(
            "This string holds one half of a character",
            detail="InvalidUnicodeLiteral",
            span=(reader.starts[at], reader.ends[at]),
            hint="Write both halves (\\uD83D\\uDE00), \\U0001F600, or the character itself.",
        ) from None


def number(reader: Reader, at: int, *, negative: bool = False) -> int | float:
    """The value of the number that is this token, with the minus that stands before it."""
    word = reader.words[at]
    if _INTEGER.fullmatch(word):
        base = {"x": 16, "o": 8}.get(word[1:2].lower(), 10)
        # Python refuses to read thousands of digits, and sixty-four are too many already.
        digits = (word if base == 10 else word[2:]).lstrip("0") or "0"
        value = int(digits, base) if len(digits) <= 64 else _GREATEST + 2
        if value > _GREATEST + negative:
            raise reader.error(
                "This integer is out of range",
                detail="IntegerOverflow",
                span=(reader.starts[at], reader.ends[at]),
                hint=f"Integers go from {-_GREATEST - 1} to {_GREATEST}; write a decimal point to have a float.",
            )
        return -value if negative else value
    if _FLOAT.fullmatch(word):
        real = float(word)
        if real == float("inf"):
            raise reader.error(
                "This float is out of range",
                detail="FloatingPointOverflow",
                span=(reader.starts[at], reader.ends[at]),
                hint="Floats go up to 1.7976931348623157e308.",
            )
        return -real if negative else real
    raise reader.error(
        f"{word[:40]} is no number",
        detail="InvalidNumberLiteral",
        span=(reader.starts[at], reader.ends[at]),
        hint="Write 42, 0x2A, 0o52, 4.2, .5 or 1e-9; a name that begins with a digit stands in back-ticks.",
    )


def _closings(kinds: list[str]) -> list[int]:
    """Of each opening bracket, where it is closed; -1 of everything else."""
    closings = [-1] * len(kinds)
    open_at: list[int] = []
    for at, kind in enumerate(kinds):
        if kind in _CLOSERS:
            open_at.append(at)
        elif kind in ")]}":
            if not open_at or _CLOSERS[kinds[open_at[-1]]] != kind:
                break
            closings[open_at.pop()] = at
    return closings


def _first_stray(word: str) -> int:
    """Where a word that is no name first goes wrong."""
    if not word[0].isidentifier():
        return 0
    return next(at for at, character in enumerate(word) if not f"_{character}".isidentifier())


_HABITS = {
    ("!", "="): "Not equal is written <>.",
    ("=", "="): "Equal is written with a single =.",
    ("&", "&"): "Write AND.",
    ("|", "|"): "Write OR between conditions, + between strings.",
    ("!", ""): "Write NOT before a condition.",
    ("string", "string"): "Within a string in single quotes, a single quote is written \\'.",
    ("+=", ""): "Queries are read-only: nothing can be assigned.",
    ("?", ""): "A parameter is written $name.",
    (":", ":"): "Convert with toInteger(…), toFloat(…), toString(…) or toBoolean(…).",
}

_LOOKALIKES = {
    "—": "This is a dash; a minus is written -.",
    "–": "This is a dash; a minus is written -.",
    "−": "This is a typographic minus; write -.",
    "“": "Strings stand in straight quotes: \"…\" or '…'.",
    "”": "Strings stand in straight quotes: \"…\" or '…'.",
    "‘": "Strings stand in straight quotes: \"…\" or '…'.",
    "’": "Strings stand in straight quotes: \"…\" or '…'.",
    "→": "Write ->.",
    "←": "Write <-.",
    "≠": "Write <>.",
    "≤": "Write <=.",
    "≥": "Write >=.",
    "…": "Write ... as two dots (*1..3), or leave it out.",
}
