"""Tokenizer: divides a query into tokens, gives them to the parser one after another, and reads their values.

The kind of a token is the operator itself, the keyword in capitals, or one of
"name", "number", "string", "parameter", "end".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepgraph.cypher.syntax.ast import Span
from keepgraph.errors import QuerySyntaxInvalid

MAX_QUERY_LENGTH = 100_000
MAX_NESTING = 100

RESERVED_WORDS = frozenset(
    "AND AS CASE DISTINCT ELSE FALSE IN IS MATCH NOT NULL OPTIONAL OR RETURN THEN TRUE UNION UNWIND WHEN WHERE WITH XOR"
    .split()
)  # fmt: skip
"""Keywords that cannot be variables, unless they stand in back-ticks."""

UNRESERVED_WORDS = frozenset(
    "ALL ALLSHORTESTPATHS ANY ASC ASCENDING BY COLLECT CONTAINS COUNT DESC DESCENDING END ENDS EXISTS ILIKE LIKE LIMIT"
    " NONE OFFSET ORDER REDUCE SHORTESTPATH SINGLE SKIP STARTS".split()
)
"""Keywords in some places; everywhere else they can be names, also of variables."""

VARIABLE_KINDS = UNRESERVED_WORDS | {"name"}
"""The kinds of tokens that can be the name of a variable."""

NAME_KINDS = VARIABLE_KINDS | RESERVED_WORDS
"""The kinds of tokens that can be a label, a relationship type or a property key."""

# Both spellings, so that most keywords need no call of upper().
_KEYWORDS = {form: word for word in RESERVED_WORDS | UNRESERVED_WORDS for form in (word, word.lower())}

# Everything beyond ASCII counts as a letter here, as the module re has no class for the characters of identifiers. A
# name that has such characters is checked after the match.
_NAME_START = r"[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f\s\ufeff]"
_NAME_CHARACTER = r"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f\s\ufeff]"
_QUOTED = r"`[^`]*+(?:``[^`]*+)*+`"

_TOKEN = re.compile(
    rf"""
    (?: [\s\ufeff]++ | //[^\n\r]*+ | /\*.*?\*/ )*+
    (?:
        (?P<name> {_NAME_START}{_NAME_CHARACTER}*+ )
      | (?P<number> (?: [0-9]++ (?:\.[0-9]++)?+ | \.[0-9]++ ) (?:[eE][+-]?[0-9]++)?+ {_NAME_CHARACTER}*+ )
      | (?P<string> '[^'\\]*+(?:\\.[^'\\]*+)*+' | "[^"\\]*+(?:\\.[^"\\]*+)*+" )
      | (?P<quoted> {_QUOTED} )
      | (?P<parameter> \$(?: {_NAME_CHARACTER}++ | {_QUOTED} ) )
      | (?P<unclosed> /\* | ['"`] )
      | (?P<operator> \.\. | \+= | =~ | <> | <= | >= | != | == | && | [-+*/%^=<>()\[\]{{}},.:;|&!?] )
      | (?P<end> \Z )
      | (?P<invalid> . )
    )
    """,
    re.VERBOSE | re.DOTALL,
)

_OTHER_OPERATORS = {"!=": "<>", "==": "=", "&&": "AND"}
"""Operators of other languages, and the kind that each is read as."""

NO_BACK_TICKS = "Send the query alone, without back-ticks around it."

INVALID_CHARACTER = re.compile("[\0\ud800-\udfff]")

_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}"}


class TokenStream:
    """The tokens of a query, with the position of the parser in them.

    The parser compares `kinds[position]` directly in its inner loops: a call for each token would cost more than the
    comparison.

    Attributes:
        text: the query.
        kinds, texts, starts, ends: for each token its kind, its text and its offsets. The last one is of kind "end".
        position: the index of the next token.
        depth: how deep the expressions that are being parsed are nested.
        pattern_nodes: how many nodes the patterns parsed so far have.
    """

    __slots__ = ("_closing_brackets", "depth", "ends", "kinds", "pattern_nodes", "position", "starts", "text", "texts")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.position = 0
        self.depth = 0
        self.pattern_nodes = 0
        self._closing_brackets: list[int] | None = None
        self._tokenize()

    def _tokenize(self) -> None:
        text = self.text
        if len(text) > MAX_QUERY_LENGTH:
            raise QuerySyntaxInvalid(
                f"The query has {len(text)} characters; at most {MAX_QUERY_LENGTH} are allowed.",
                detail="UnexpectedSyntax",
                hint="Split it into smaller queries, and pass long lists as parameters.",
            )
        if invalid := INVALID_CHARACTER.search(text):
            raise self._invalid_character(invalid.start())
        kinds, texts, starts, ends = self.kinds, self.texts, self.starts, self.ends
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
                        raise self._invalid_character(start + _find_invalid_character(word))
            elif group == "operator":
                kind = _OTHER_OPERATORS.get(word, word)
            elif group == "quoted":
                kind = "name"
                word = unquote(word)
                if not word:
                    hint = None if kinds else NO_BACK_TICKS
                    raise self.error("There is no name between these back-ticks", span=(start, end), hint=hint)
            elif group == "unclosed":
                raise self._unclosed(word, start)
            elif group == "invalid":
                raise self._invalid_character(start)
            elif group == "end":
                break
            else:
                kind = group
                if group == "parameter":
                    self._check_parameter(word, start)
            kinds.append(kind)
            texts.append(word)
            starts.append(start)
            ends.append(end)
        # More than one end, so that the parser can look ahead without checking the length.
        kinds.extend(["end"] * 4)
        texts.extend([""] * 4)
        starts.extend([len(text)] * 4)
        ends.extend([len(text)] * 4)

    def _check_parameter(self, word: str, start: int) -> None:
        if word == "$``":
            raise self.error("There is no name between these back-ticks", span=(start, start + 3))
        if not word.isascii() and word[1] != "`":
            name = "_" + word[1:]
            if not name.isidentifier():
                raise self._invalid_character(start + _find_invalid_character(name))

    def accept(self, kind: str) -> bool:
        """Whether the next token is of this kind; if so, it is consumed."""
        if self.kinds[self.position] == kind:
            self.position += 1
            return True
        return False

    def expect(self, kind: str, where: str) -> None:
        """Consumes a token of this kind. `where` completes the message of the error: `after ORDER`.

        Raises:
            QuerySyntaxInvalid: the next token is of another kind.
        """
        if self.kinds[self.position] != kind:
            raise self.expected(f"{kind} {where}")
        self.position += 1

    def expect_name(self, what: str) -> str:
        """Consumes a label, a relationship type or a property key: any word, also a keyword."""
        position = self.position
        if self.kinds[position] not in NAME_KINDS:
            raise self.expected(what)
        self.position = position + 1
        return self.texts[position]

    def expect_variable(self, what: str = "a variable") -> str:
        """Consumes the name of a variable."""
        position = self.position
        kind = self.kinds[position]
        if kind not in VARIABLE_KINDS:
            if kind in RESERVED_WORDS:
                raise self.expected(
                    what, hint=f"{kind} is a keyword; as a name, write it in back-ticks: `{self.texts[position]}`."
                )
            raise self.expected(what)
        self.position = position + 1
        return self.texts[position]

    def span(self, first: int) -> Span:
        """The offsets from the token `first` to the last one that was consumed."""
        return self.starts[first], self.ends[self.position - 1]

    def enter(self, levels: int = 1) -> None:
        """Counts the nesting, and refuses what is nested too deeply."""
        self.depth += levels
        if self.depth > MAX_NESTING:
            raise self.error(
                f"The query is nested too deeply: at most {MAX_NESTING} levels are allowed",
                hint="Move an inner part into a WITH … AS name, or pass it as a parameter.",
            )

    def leave(self, levels: int = 1) -> None:
        self.depth -= levels

    def find_closing(self, opening: int) -> int:
        """The index of the bracket that closes the one at `opening`; -1 if there is none."""
        if self._closing_brackets is None:
            self._closing_brackets = _match_brackets(self.kinds)
        return self._closing_brackets[opening]

    def find_inside(self, opening: int, kinds: frozenset[str]) -> str | None:
        """The first kind of these in the brackets that open here, not in inner brackets; None if there is none."""
        closing = self.find_closing(opening)
        position = opening + 1
        while position < closing:
            kind = self.kinds[position]
            if kind in kinds:
                return kind
            position = self.find_closing(position) + 1 if kind in _CLOSING_BRACKETS else position + 1
        return None

    def expected(self, what: str, *, hint: str | None = None, detail: str = "UnexpectedSyntax") -> QuerySyntaxInvalid:
        """The error that something else was expected instead of the next token."""
        return self.error(
            f"Expected {what}, but found {self.describe_next()}",
            hint=hint or self._hint_for_foreign_syntax(),
            detail=detail,
        )

    def describe_next(self) -> str:
        """The next token, for a message."""
        kind = self.kinds[self.position]
        if kind == "end":
            return "the end of the query"
        token_text = self.text[self.starts[self.position] : self.ends[self.position]]
        token_text = token_text if len(token_text) <= 40 else f"{token_text[:40]}…"
        return f"the {kind} {token_text}" if kind in ("number", "string", "parameter") else f"`{token_text}`"

    def error(
        self,
        message: str,
        *,
        detail: str = "UnexpectedSyntax",
        span: Span | None = None,
        hint: str | None = None,
        candidates: Sequence[str] = (),
    ) -> QuerySyntaxInvalid:
        """An error at `span`, or at the next token; its message ends with the line and the column."""
        place = span or (self.starts[self.position], self.ends[self.position])
        return QuerySyntaxInvalid(
            f"{message} ({describe_position(self.text, place[0])}).",
            detail=detail,
            span=place,
            hint=hint,
            candidates=candidates,
        )

    def _hint_for_foreign_syntax(self) -> str | None:
        """How openCypher writes what the next tokens mean in other languages."""
        position = self.position
        previous, kind, following = self.kinds[position - 1], self.kinds[position], self.kinds[position + 1]
        return (
            _FOREIGN_SYNTAX_HINTS.get((previous, kind))
            or _FOREIGN_SYNTAX_HINTS.get((kind, following, self.kinds[position + 2]))
            or _FOREIGN_SYNTAX_HINTS.get((kind, following))
            or _FOREIGN_SYNTAX_HINTS.get((kind, ""))
        )

    def _invalid_character(self, offset: int) -> QuerySyntaxInvalid:
        character = self.text[offset]
        number = f"U+{ord(character):04X}"
        shown = f"{character} ({number})" if character.isprintable() else number
        hint = _CHARACTER_HINTS.get(character)
        if character == "$":
            shown, hint = "$ without a name", "A parameter is written $name."
        return self.error(
            f"{shown} does not belong here",
            detail="UnexpectedSyntax" if "\0" < character < "\x80" else "InvalidUnicodeCharacter",
            span=(offset, offset + 1),
            hint=hint or "Put text in quotes, and unusual names in back-ticks.",
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


def describe_position(text: str, offset: int) -> str:
    """An offset in words: `line 1, column 8`."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def quote_name(name: str) -> str:
    """A name as it is written in a query: in back-ticks where they are needed."""
    plain = name.isidentifier() and name.upper() not in RESERVED_WORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A text as it is written in a query: in single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def unquote(word: str) -> str:
    """A name without its back-ticks."""
    return word[1:-1].replace("``", "`")


def _match_brackets(kinds: list[str]) -> list[int]:
    """For each opening bracket the index of the one that closes it; -1 for every other token."""
    closing = [-1] * len(kinds)
    open_brackets: list[int] = []
    for index, kind in enumerate(kinds):
        if kind in _CLOSING_BRACKETS:
            open_brackets.append(index)
        elif kind in ")]}":
            if not open_brackets or _CLOSING_BRACKETS[kinds[open_brackets[-1]]] != kind:
                break
            closing[open_brackets.pop()] = index
    return closing


def _find_invalid_character(word: str) -> int:
    """The index of the first character of a word that cannot stand in a name."""
    if not word[0].isidentifier():
        return 0
    return next(index for index, character in enumerate(word) if not f"_{character}".isidentifier())


# By the kinds of two tokens, the next one among them; by those of the next three; or by that of the next one alone.
_FOREIGN_SYNTAX_HINTS: dict[tuple[str, ...], str] = {
    ("-", "-"): "A comment begins with //.",
    ("&", "name", ";"): "Write < and > instead of &lt; and &gt;: the query is plain text.",
    ("&", ""): "Write AND between conditions.",
    ("|", "|"): "Write OR between conditions, + between strings.",
    ("!", ""): "Write NOT before a condition.",
    ("{", "string"): "Send the query alone as text; its parameters have an argument of their own.",
    ("string", "string"): "Within a string in single quotes, a single quote is written \\'.",
    ("+=", ""): "Queries are read-only: nothing can be assigned.",
    ("?", ""): "A parameter is written $name.",
    (":", ":"): "Convert with toInteger(…), toFloat(…), toString(…) or toBoolean(…).",
}

# Characters in the place of those that a query needs, which repair leaves: of word processors, and of HTML.
_CHARACTER_HINTS = {
    "“": "Put strings in straight quotes: \"…\" or '…'.",
    "”": "Put strings in straight quotes: \"…\" or '…'.",
    "‘": "Put strings in straight quotes: \"…\" or '…'.",
    "’": "Put strings in straight quotes: \"…\" or '…'.",
    "#": "A comment begins with //. Write ' instead of &#39;, and so on: the query is plain text.",
    "…": "Write ... as two dots (*1..3), or leave it out.",
}


# Literals: the values of string and number tokens, and the names of parameters.

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
