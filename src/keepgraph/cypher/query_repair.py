"""Repair pipeline: corrects query text as models and people write it, its names included, and says what was changed.

A text that can be parsed is changed only where a label, a type, the name of a function, the direction of an arrow or
the case of a text is wrong. All other repairs are for texts that cannot be parsed, and they stop as soon as the text
can be. A repaired text is not changed by a second repair.

Before that, a query is taken out of code blocks, prompts and HTML, and typographic signs become plain ones. Strings,
comments and quoted names are not changed, with one exception: where the quotes themselves are written as `&quot;` or
`&#39;`, the whole text went through an HTML encoder, and all of it is decoded, once.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from keepgraph.cypher import foreign_syntax, functions
from keepgraph.cypher.foreign_syntax import (
    DASHES,
    INVISIBLE,
    TOKEN,
    Edit,
    Repair,
    Tokens,
    apply_edits,
    quote_name,
    quote_text,
    shorten,
    spelling_key,
)
from keepgraph.cypher.syntax import ast, parser, tree_walk
from keepgraph.cypher.syntax.tokenizer import MAX_QUERY_LENGTH
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError

_MAX_ROUNDS = 8
"""A text that still changes after this many rounds is left as it was."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a graph.

    Attributes:
        labels, types: its labels and relationship types.
        directions: for each relationship type, the labels that may stand at its start and at its end, with the
            ancestors and descendants of each; an empty set means any label.
        label_of_wording, type_of_wording: the label, or the type, that another wording stands for; None if there is
            none.
    """

    labels: frozenset[str]
    types: frozenset[str]
    directions: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    label_of_wording: Callable[[str], str | None] = lambda wording: None
    type_of_wording: Callable[[str], str | None] = lambda wording: None


@dataclass(frozen=True)
class RepairedText:
    """The text that is run, and a sentence for each repair, in the order in which they were made.

    Attributes:
        tree: the syntax tree of the text, if it is known that it can be parsed.
    """

    text: str
    fixes: tuple[str, ...]
    tree: ast.Query | None = field(default=None, compare=False)


def repair(text: str, vocabulary: Vocabulary) -> RepairedText:
    """The text, repaired as far as possible; the parser refuses what is left."""
    if len(text) > MAX_QUERY_LENGTH:
        return RepairedText(text, ())
    current = text
    fixes: list[str] = []
    for _ in range(_MAX_ROUNDS):
        before = current
        current, tree = _repair_until_readable(current, vocabulary, fixes)
        if tree is not None:
            current, tree = _correct_readable(current, tree, vocabulary, fixes)
        if current == before:
            return RepairedText(current, tuple(dict.fromkeys(fixes)), tree)
    # Half a repair would be another query with each call.
    return RepairedText(text, ())


def _try_parse(text: str) -> ast.Query | None:
    try:
        return parser.parse(text)
    except QueryError:
        return None


def _repair_until_readable(text: str, vocabulary: Vocabulary, fixes: list[str]) -> tuple[str, ast.Query | None]:
    """The text after one repair after the other, until it can be parsed, and its tree; repairs are added to `fixes`."""
    tree = _try_parse(text)
    if tree is not None:
        return text, tree
    for unwrap in (unwrap_code_block, decode_html, replace_typography, drop_prefix):
        new, sentences = unwrap(text)
        if new != text:
            text, tree = new, _try_parse(new)
            fixes.extend(sentences)
            if tree is not None:
                return text, tree
    tokens = Tokens(text)
    labels = frozenset(map(spelling_key, vocabulary.labels))
    for rule in foreign_syntax.RULES:
        new = _apply_repairs(text, rule(tokens, labels), fixes)
        if new != text:
            text, tree = new, _try_parse(new)
            if tree is not None:
                return text, tree
            tokens = Tokens(text)
    new, sentences = _add_return(text, tokens)
    if new != text:
        fixes.extend(sentences)
        return new, _try_parse(new)
    return text, None


def _correct_readable(text: str, tree: ast.Query, vocabulary: Vocabulary, fixes: list[str]) -> tuple[str, ast.Query]:
    """A text that can be parsed, with its names, functions and arrows corrected, and its tree."""
    labels = _Names(vocabulary.labels, vocabulary.label_of_wording)
    types = _Names(vocabulary.types, vocabulary.type_of_wording)
    steps: tuple[Callable[[ast.Query, str], Iterable[Repair]], ...] = (
        lambda query, _: _correct_names(query, labels, types),
        lambda query, _: _correct_texts(query, labels, types),
        _correct_functions,
        _correct_lists,
        lambda query, _: _turn_arrows(query, vocabulary.directions),
    )
    for step in steps:
        sentences: list[str] = []
        new = _apply_repairs(text, step(tree, text), sentences)
        if new == text:
            continue
        new_tree = _try_parse(new)
        if new_tree is None:
            continue
        text, tree = new, new_tree
        fixes.extend(sentences)
    return text, tree


def _apply_repairs(text: str, repairs: Iterable[Repair], fixes: list[str]) -> str:
    """The text after all repairs that do not overlap with an earlier one."""
    edits: list[Edit] = []
    for new_edits, sentence in repairs:
        if all(_is_separate(edit, edits) for edit in new_edits):
            for edit in new_edits:
                insort(edits, edit, key=_edit_position)
            fixes.append(sentence)
    return apply_edits(text, edits) if edits else text


def _edit_position(edit: Edit) -> tuple[int, int]:
    return edit[0], edit[1]


def _is_separate(edit: Edit, edits: list[Edit]) -> bool:
    """Whether an edit touches nothing that the others replace."""
    index = bisect_right(edits, _edit_position(edit), key=_edit_position)
    before, after = edits[max(0, index - 1) : index], edits[index : index + 1]
    return all(other[1] <= edit[0] for other in before) and all(edit[1] <= other[0] for other in after)


# RETURN


def _add_return(text: str, tokens: Tokens) -> tuple[str, list[str]]:
    """The text with a RETURN at its end, if nothing else is missing. A WITH at the end becomes the RETURN.

    `RETURN 1` is added to parse the text, and the tree shows which names it should return.
    """
    last = tokens.length - 1 - (tokens.kinds[tokens.length - 1] == ";")
    if last < 0:
        return text, []
    end = tokens.ends[last]
    tree = _try_parse(f"{text[:end]} RETURN 1{text[end:]}")
    if tree is None or len(tree.parts) > 1:
        return text, []
    last_clause = tree.parts[0].clauses[-2]
    if isinstance(last_clause, ast.Projection) and last_clause.condition is None:
        start = last_clause.span[0]
        return f"{text[:start]}RETURN{text[start + len('WITH') :]}", ["Wrote the last WITH as RETURN"]
    returned = ", ".join(map(quote_name, tree_walk.visible_names(tree.parts[0]))) or "count(*)"
    return f"{text[:end]} RETURN {returned}{text[end:]}", [shorten(f"Added RETURN {returned}")]


# Arrow direction: turns arrows whose direction contradicts the labels at their ends.
#
# An arrow is turned only if both its ends have one label each, one of them may not stand at its end, and both may once
# the arrow is turned. The label of a node may be elsewhere in the query, where its name stands for nothing else. Where
# a type may begin or end anywhere, only a label counts that some type begins or ends with: another may be a general
# one, such as that of all entities, and its arrow right as it is.

_Directions = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_Labels = dict[str, str]
"""The label of each variable that has one."""


def _turn_arrows(query: ast.Query, directions: _Directions) -> Iterator[Repair]:
    """The repairs of arrows that point the wrong way."""
    for part in query.parts if directions else ():
        labels = _labels_of_names(part)
        for path in walk(part):
            if isinstance(path, ast.Path):
                yield from _turn_in_path(path, labels, directions)


def _labels_of_names(query: ast.SingleQuery) -> _Labels:
    """The labels of names that stand for one node throughout a query, by its patterns that are not optional."""
    paths = [
        path
        for clause in query.clauses
        if isinstance(clause, ast.Match) and not clause.optional
        for path in clause.paths
    ]
    labels = {
        node.variable: node.labels.name
        for path in paths
        for node in path.nodes
        if node.variable is not None and isinstance(node.labels, ast.LabelName)
    }
    for part in walk(query):
        if isinstance(part, (ast.ListComprehension, ast.Quantifier, ast.Reduce, ast.Unwind)):
            labels.pop(part.variable, None)
        elif isinstance(part, ast.ProjectionItem) and part.expression != ast.Variable(part.name):
            labels.pop(part.name, None)
        elif isinstance(part, ast.Projection) and not part.is_return and not part.star:
            kept = {item.name for item in part.items}
            labels = {name: label for name, label in labels.items() if name in kept}
    return labels


def _turn_in_path(path: ast.Path, labels: _Labels, directions: _Directions) -> Iterator[Repair]:
    for left, relationship, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
        types = relationship.types
        if relationship.direction == "both" or not isinstance(types, ast.LabelName) or types.name not in directions:
            continue
        outgoing = relationship.direction == "out"
        start, end = (_label_of(node, labels) for node in ((left, right) if outgoing else (right, left)))
        starts, ends = directions[types.name]
        if start is None or end is None or (_may_stand(start, starts) and _may_stand(end, ends)):
            continue
        if _is_intended(end, starts, directions) and _is_intended(start, ends, directions):
            sentence = f"Turned [:{quote_name(types.name)}]: it leads from {quote_name(end)} to {quote_name(start)}"
            yield _turn(relationship.span, outgoing), sentence


def _label_of(node: ast.NodePattern, labels: _Labels) -> str | None:
    """The one label of a node; None if it may have another."""
    if isinstance(node.labels, ast.LabelName):
        return node.labels.name
    return labels.get(node.variable) if node.variable is not None and node.labels is None else None


def _may_stand(label: str, allowed: frozenset[str]) -> bool:
    return not allowed or label in allowed


def _is_intended(label: str, allowed: frozenset[str], directions: _Directions) -> bool:
    if allowed:
        return label in allowed
    return any(label in starts or label in ends for starts, ends in directions.values())


def _turn(span: ast.Span, outgoing: bool) -> list[Edit]:
    start, end = span
    return [(start, start, "<"), (end - 1, end, "")] if outgoing else [(start, start + 1, ""), (end, end, ">")]


# Spelling: corrects labels, types and functions of a parsed query by the names that exist.
#
# The spans of the syntax tree say where to edit the text.


@dataclass(frozen=True, slots=True)
class _Names:
    """The labels, or the relationship types, of a graph.

    Attributes:
        existing: those that queries may name.
        of_wording: the one that another wording stands for; None if there is none.
    """

    existing: frozenset[str]
    of_wording: Callable[[str], str | None]


def _correct_names(query: ast.Query, labels: _Names, types: _Names) -> Iterator[Repair]:
    """Replace labels and types that the graph has in another spelling (capitals, underscores, hyphens, spaces).

    Then those that it has another word for.
    """
    nodes, relationships = set(), set()
    expressions_and_names: list[tuple[ast.SyntaxNode | None, _Names]] = []
    label_tests: list[ast.HasLabels] = []
    for part in walk(query):
        if isinstance(part, ast.NodePattern):
            nodes.add(part.variable)
            expressions_and_names.append((part.labels, labels))
        elif isinstance(part, ast.RelationshipPattern):
            relationships.add(part.variable)
            expressions_and_names.append((part.types, types))
        elif isinstance(part, ast.HasLabels):
            label_tests.append(part)
    for test in label_tests:
        name = test.subject.name if isinstance(test.subject, ast.Variable) else None
        expressions_and_names.append((test.labels, types if name in relationships - nodes else labels))
    unknown_names: dict[tuple[int, int], tuple[str, _Names]] = {}
    for expression, names in expressions_and_names:
        for part in walk(expression) if expression is not None else ():
            if isinstance(part, ast.LabelName) and part.name not in names.existing:
                unknown_names[part.span] = (part.name, names)
    for span in sorted(unknown_names):
        written, names = unknown_names[span]
        matches = _by_spelling_key(names.existing).get(spelling_key(written), ())
        if len(matches) == 1:
            reason = "which the graph has"
        elif not matches and (match := names.of_wording(written)):
            matches, reason = (match,), "which is the word for it here"
        else:
            continue
        yield (
            [(*span, quote_name(matches[0]))],
            f"Wrote :{shorten(quote_name(written))} as :{quote_name(matches[0])}, {reason}",
        )


@lru_cache(maxsize=8)
def _by_spelling_key(names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    by_key: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        by_key[spelling_key(name)] = (*by_key.get(spelling_key(name), ()), name)
    return by_key


FUNCTION_NAMES = {
    "lower": "toLower", "tolowercase": "toLower", "apoc.text.tolower": "toLower", "upper": "toUpper",
    "touppercase": "toUpper", "apoc.text.toupper": "toUpper", "len": "size", "toint": "toInteger",
    "to_integer": "toInteger", "to_string": "toString", "tostr": "toString", "rels": "relationships",
    "ifnull": "coalesce", "ceiling": "ceil", "ln": "log", "now": "datetime", "current_date": "date",
    "current_timestamp": "datetime", "local_time": "localtime", "local_datetime": "localdatetime", "zoned_time": "time",
    "zoned_datetime": "datetime", "duration_between": "duration.between", "path_length": "length",
    "element_id": "elementId", "nodeid": "id", "collect_list": "collect", "array_agg": "collect", "stddev": "stDev",
    "stdev_samp": "stDev", "stdev_pop": "stDevP", "percentile_cont": "percentileCont",
    "percentile_disc": "percentileDisc", "apoc.coll.reverse": "reverse", "apoc.create.uuid": "randomUUID",
    "apoc.convert.tomap": "properties", "apoc.date.currenttimestamp": "timestamp",
}  # fmt: skip
"""Functions of other engines that take the same arguments and mean the same as one here."""


def _correct_functions(query: ast.Query, text: str) -> Iterator[Repair]:
    """Replace functions by the name that they have here, and `size` of a pattern by `COUNT { … }`."""
    for part in walk(query):
        if not isinstance(part, ast.Call):
            continue
        name = part.name.lower()
        start, end = part.span
        if name in ("size", "length", "len") and len(part.arguments) == 1 and not part.distinct:
            pattern = part.arguments[0]
            if isinstance(pattern, ast.PatternPredicate):
                yield (
                    [(start, pattern.span[0], "COUNT { "), (pattern.span[1], end, " }")],
                    f"Wrote {part.name}() of a pattern as COUNT {{ … }}",
                )
                continue
        replacement = FUNCTION_NAMES.get(name)
        if replacement and text.startswith(part.name, start):
            yield [(start, start + len(part.name), replacement)], f"Wrote {part.name}() as {replacement}()"


_EQUALITY = ("=", "<>", "IN")
_TESTS_OF_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "CONTAINS": lambda name, part: part in name,
}


def _correct_texts(query: ast.Query, labels: _Names, types: _Names) -> Iterator[Repair]:
    """Replace compared texts that can match nothing.

    With `type(r)` or labels, by the type or the label that they spell, or the part of one; with `toLower(…)`, by the
    same in lower case. What spells nothing is left: the result explains it.
    """
    kinds = _kinds_of_names(query)
    for operator, side, literal in _compared_texts(query):
        written, kind = str(literal.value), _names_read(side, kinds)
        case = functions.letter_case(side.name) if isinstance(side, ast.Call) else None
        new, reason = None, ", which the graph has"
        if kind is not None and operator in _EQUALITY:
            names = types if kind == "type" else labels
            matches = _by_spelling_key(names.existing).get(spelling_key(written), ())
            if written not in names.existing:
                new = matches[0] if len(matches) == 1 else None if matches else names.of_wording(written)
        elif kind == "type":
            upper, reason = re.sub(r"[\s-]+", "_", written).upper(), ", as types are written"
            matching = [
                any(_TESTS_OF_TEXTS[operator](name, part) for name in types.existing) for part in (written, upper)
            ]
            new = upper if matching == [False, True] else None
        elif case is not None and isinstance(side, ast.Call) and written.isprintable():
            new, reason = case.change(written), f": {side.name}() gives no {case.missing} letters"
        if new is not None and new != written:
            yield [(*literal.span, quote_text(new))], f"Wrote {shorten(repr(written))} as {shorten(repr(new))}{reason}"


def _compared_texts(query: ast.Query) -> Iterator[tuple[str, ast.Expression, ast.Literal]]:
    """Each constant text that is compared, alone or in a list, with the operator and what it is compared with."""
    for part in walk(query):
        if isinstance(part, ast.Binary) and part.operator in (*_EQUALITY, *_TESTS_OF_TEXTS):
            sides = [(part.left, part.right), *([(part.right, part.left)] if part.operator in _EQUALITY else [])]
            for side, other in sides:
                for element in other.elements if isinstance(other, ast.ListLiteral) else (other,):
                    if isinstance(element, ast.Literal) and isinstance(element.value, str):
                        yield part.operator, side, element


def _correct_lists(query: ast.Query, text: str) -> Iterator[Repair]:
    """Write `labels(n) CONTAINS 'Person'` as `'Person' IN labels(n)`: CONTAINS is for texts alone."""
    for part in walk(query):
        if not isinstance(part, ast.Binary) or part.operator != "CONTAINS" or not isinstance(part.left, ast.Call):
            continue
        if part.left.name.lower() in _FUNCTIONS_TO_LISTS:
            left, right = text[slice(*part.left.span)], text[slice(*part.right.span)]
            yield [(*part.span, f"({right} IN {left})")], f"Wrote {shorten(f'{left} CONTAINS {right}')} with IN"


_FUNCTIONS_TO_LISTS = frozenset(("labels", "keys", "nodes", "relationships", "collect"))


def _kinds_of_names(query: ast.Query) -> dict[str, str]:
    """The names that stand for `type(r)` or labels, as in `WITH type(r) AS kind` and `any(l IN labels(n) WHERE …)`."""
    kinds: dict[str, set[str | None]] = {}
    for part in walk(query):
        if isinstance(part, (ast.Quantifier, ast.ListComprehension, ast.Unwind)):
            kinds.setdefault(part.variable, set()).add(_names_read(part.source, {}))
        elif isinstance(part, ast.ProjectionItem) and part.expression != ast.Variable(part.name):
            kinds.setdefault(part.name, set()).add(_names_read(part.expression, {}))
    return {name: kind for name, of in kinds.items() if len(of) == 1 and (kind := next(iter(of))) is not None}


def _names_read(expression: ast.Expression, kinds: Mapping[str, str]) -> str | None:
    """'type' for `type(r)`, 'labels' for `labels(n)` and one of them; None for any other expression."""
    if isinstance(expression, ast.Variable):
        return kinds.get(expression.name)
    if isinstance(expression, ast.Index):
        return "labels" if _names_read(expression.subject, kinds) == "labels" else None
    if not isinstance(expression, ast.Call) or len(expression.arguments) != 1:
        return None
    name = expression.name.lower()
    if name in ("head", "last"):
        return "labels" if _names_read(expression.arguments[0], kinds) == "labels" else None
    return name if name in ("type", "labels") else None


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
