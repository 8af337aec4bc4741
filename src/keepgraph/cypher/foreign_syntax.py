"""Foreign syntax: repairs of habits from SQL, C and JSON, of names of several words, and of nodes without brackets.

The rules see the tokens of a text that cannot be parsed. Each is given the spelling keys of the graph's labels, too.
Its tokenizer divides any text, however broken, into tokens, and knows which words are keywords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
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
        """The keyword that a word is where it stands; empty if it is a name (`:RETURN`, `n.match`, `{with: 1}`)."""
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


def quote_text(text: str) -> str:
    """A text as it is written in a query: in single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def shorten(text: str) -> str:
    """The text in one line, cut to 60 characters, to be shown in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


Repairs = Iterator[Repair]
Rule = Callable[[Tokens, Collection[str]], Repairs]


def convert_comments(tokens: Tokens, _: Collection[str]) -> Repairs:
    """Write a line that begins with `-- ` and a word as a comment of Cypher."""
    if tokens.sql_comments:
        yield [(offset, offset + 2, "//") for offset in tokens.sql_comments], "Wrote comments as // instead of --"


# Names of several words


def quote_labels(tokens: Tokens, known_labels: Collection[str]) -> Repairs:
    """Quote labels and types of several words: `(n:Data Science)`, `[:WORKS WITH]`."""
    for opening in range(tokens.length):
        if tokens.kinds[opening] == "(":
            before = opening - 1
            follows_function = (
                opening > 0 and tokens.kinds[before] in ("name", "quoted") and not tokens.keywords[before]
            )
            if not follows_function or tokens.upper[before] in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
                yield from _quote_labels_in_bracket(tokens, opening, known_labels)
        elif tokens.kinds[opening] == "[" and opening and tokens.kinds[opening - 1] == "-":
            yield from _quote_labels_in_bracket(tokens, opening, None)


_AFTER_LABEL = frozenset("|{*)]") | {"parameter"}


def _quote_labels_in_bracket(tokens: Tokens, opening: int, known_labels: Collection[str] | None) -> Repairs:
    """Those in one bracket. `known_labels` is None for types, which may contain keywords (`WORKS WITH`)."""
    index = opening + 1
    if tokens.kinds[index] in ("name", "quoted"):
        index += 1
    while tokens.kinds[index] in (":", "|"):
        index += 1
        if tokens.kinds[index] == ":":
            index += 1
        first = index
        index = _end_of_words(tokens, first)
        if index == first:
            return
        at_label_end = tokens.kinds[index] in _AFTER_LABEL or tokens.upper[index] == "WHERE"
        last = index - 1
        needs_quotes = last > first or tokens.kinds[first] == "number"
        if (
            not needs_quotes
            or not at_label_end
            or tokens.kinds[last] == "-"
            or not tokens.only_space_between(first, last)
        ):
            continue
        name = " ".join(tokens.text[tokens.starts[first] : tokens.ends[last]].split())
        words = tokens.upper[first : last + 1]
        condition = any(word in RESERVED_WORDS or word in _OPERATORS for word in words)
        if known_labels is None or not condition or spelling_key(name) in known_labels:
            yield [(tokens.starts[first], tokens.ends[last], quote_name(name))], f"Put {quote_name(name)} in back-ticks"


_OPERATORS = frozenset(("CONTAINS", "STARTS", "ENDS"))


def _end_of_words(tokens: Tokens, index: int) -> int:
    """The index behind the words, numbers and hyphens that begin here."""
    if tokens.kinds[index] == "quoted":
        return index + 1
    first = index
    while (
        (tokens.kinds[index] == "name" and tokens.upper[index] != "WHERE")
        or tokens.kinds[index] == "number"
        or (tokens.kinds[index] == "-" and index > first and tokens.kinds[index + 1] in ("name", "number"))
    ):
        index += 1
    return index


def spelling_key(name: str) -> str:
    """What all spellings of one name have in common: no spaces, underscores or hyphens, and no capitals."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def quote_keys(tokens: Tokens, _: Collection[str]) -> Repairs:
    """Quote keys of several words, `{first name: 'x'}`, and unquote keys as in JSON, `{"name": 'x'}`."""
    for index in range(tokens.length):
        kind = tokens.kinds[index]
        opening = index if kind == "{" else tokens.enclosing[index] if kind == "," else -1
        if (
            opening < 0
            or tokens.kinds[opening] != "{"
            or tokens.upper[opening - 1] in ("EXISTS", "COUNT", "COLLECT", "CALL")
        ):
            continue
        first = index + 1
        if tokens.kinds[first] == "string" and tokens.kinds[first + 1] == ":":
            name = tokens.texts[first][1:-1]
            if name and "\\" not in name:
                yield (
                    [(tokens.starts[first], tokens.ends[first], quote_name(name))],
                    f"Wrote the key {quote_name(name)} without quotes",
                )
            continue
        after = _end_of_words(tokens, first)
        last = after - 1
        if (
            tokens.kinds[after] != ":"
            or tokens.kinds[first] == "quoted"
            or (last == first and tokens.kinds[first] != "number")
        ):
            continue
        if last >= first and tokens.only_space_between(first, last):
            name = " ".join(tokens.text[tokens.starts[first] : tokens.ends[last]].split())
            yield [(tokens.starts[first], tokens.ends[last], quote_name(name))], f"Put {quote_name(name)} in back-ticks"


# Operators

_REPLACEMENTS = {"!=": "<>", "==": "=", "&&": "AND"}
_ENDS_VALUE = frozenset({"name", "quoted", "number", "string", "parameter", ")", "]", "}"})
_STARTS_VALUE = frozenset({"name", "quoted", "number", "string", "parameter", "(", "[", "{", "-", "+"})


def replace_operators(tokens: Tokens, _: Collection[str]) -> Repairs:
    """Replace `!=`, `==` and `&&`."""
    for index in range(1, tokens.length):
        kind = tokens.kinds[index]
        if kind not in _REPLACEMENTS or tokens.kinds[index - 1] not in _ENDS_VALUE:
            continue
        if tokens.kinds[index + 1] not in _STARTS_VALUE:
            continue
        new = _REPLACEMENTS[kind]
        if kind == "&&" and _in_label(tokens, index):
            continue
        before = "" if not new[0].isalpha() or tokens.ends[index - 1] < tokens.starts[index] else " "
        after = "" if not new[0].isalpha() or tokens.ends[index] < tokens.starts[index + 1] else " "
        yield [(tokens.starts[index], tokens.ends[index], before + new + after)], f"Wrote {kind} as {new}"


def _in_label(tokens: Tokens, index: int) -> bool:
    return tokens.kinds[index - 2] in (":", "&", "&&") and tokens.kinds[index + 2] in (")", "]", "{", "&&")


def bracket_lists(tokens: Tokens, _: Collection[str]) -> Repairs:
    """Write `x IN (1, 2)` as `x IN [1, 2]`."""
    bracketed: set[int] = set()
    for index in range(1, tokens.length):
        if tokens.kinds[index] != "," or tokens.enclosing[index] < 1 or tokens.kinds[tokens.enclosing[index]] != "(":
            continue
        opening = tokens.enclosing[index]
        if tokens.upper[opening - 1] == "IN" and tokens.partners[opening] > 0 and opening not in bracketed:
            bracketed.add(opening)
            closing = tokens.starts[tokens.partners[opening]]
            start = tokens.starts[opening]
            yield [(start, start + 1, "["), (closing, closing + 1, "]")], "Wrote the list after IN in square brackets"


# Clauses

_ENDS_NODE = frozenset({"end", ",", ";", "-", "<", ")", "}"})


def bracket_nodes(tokens: Tokens, known_labels: Collection[str]) -> Repairs:
    """Write `MATCH a-[:R]->b` as `MATCH (a)-[:R]->(b)`.

    `--` before a word may begin a comment of SQL, and a label of the graph that stands alone may be meant as one.
    """
    for index in range(1, tokens.length):
        if tokens.clauses[index] != "MATCH" or not tokens.is_variable(index):
            continue
        before = tokens.kinds[index - 1]
        begins_pattern = tokens.keywords[index - 1] == "MATCH" or before in (",", "=")
        arrow = "".join(tokens.kinds[max(0, index - 3) : index])
        follows_arrow = arrow.endswith(("->", "]-", "<--"))
        if not begins_pattern and not follows_arrow:
            continue
        after = index + 1
        while tokens.kinds[after] == ":" and tokens.kinds[after + 1] in ("name", "quoted"):
            after += 2
        stands_alone = begins_pattern and after == index + 1 and tokens.kinds[after] not in ("-", "<")
        if stands_alone and spelling_key(tokens.texts[index]) in known_labels:
            continue
        if tokens.kinds[after] == "{" and tokens.partners[after] > 0:
            after = tokens.partners[after] + 1
        if tokens.kinds[after] in _ENDS_NODE or tokens.keywords[after] in CLAUSES:
            start, end = tokens.starts[index], tokens.ends[after - 1]
            node = tokens.text[start:end]
            yield [(start, end, f"({node})")], f"Put the node {shorten(node)} in round brackets"


def separate_unwind_where(tokens: Tokens, _: Collection[str]) -> Repairs:
    """Write `UNWIND list AS x WHERE …` as `UNWIND list AS x WITH * WHERE …`."""
    for index in range(2, tokens.length):
        if (
            tokens.keywords[index] == "WHERE"
            and tokens.upper[index - 2] == "AS"
            and tokens.clauses[index - 1] == "UNWIND"
        ):
            yield [(tokens.starts[index], tokens.starts[index], "WITH * ")], "Put WITH * before the WHERE after UNWIND"


RULES: tuple[Rule, ...] = (
    convert_comments,
    quote_labels,
    quote_keys,
    replace_operators,
    bracket_lists,
    bracket_nodes,
    separate_unwind_where,
)
"""The rules, in the order in which they are tried."""
