"""Repair pipeline: corrects query text as models and people write it, its names included, and says what was changed.

A text that can be parsed is changed only where a label, a type, the name of a function, the direction of an arrow or
the case of a text is wrong. One that cannot is taken out of a code block, its comments of SQL become those of Cypher,
its typographic signs plain ones, and a prompt before it goes; strings, comments and quoted names stay. The errors of
the parser say how to write all else. A repaired text is not changed by a second repair.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from keepgraph.cypher import functions
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokenizer import MAX_QUERY_LENGTH, quote_name, quote_text
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError

Edit = tuple[int, int, str]
"""The text from the first offset to the second is replaced by this."""

Repair = tuple[list[Edit], str]
"""Edits that belong together, and the sentence that describes them to the user."""

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
    """The text rewritten until it can be parsed, and its tree, None if it cannot; repairs are added to `fixes`."""
    tree = _try_parse(text)
    for rewrite, sentence in _REWRITES if tree is None else ():
        new = rewrite(text)
        if new != text:
            text, tree = new, _try_parse(new)
            fixes.append(sentence)
            if tree is not None:
                break
    return text, tree


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
    parts: list[str] = []
    offset = 0
    for start, end, new in edits:
        parts += (text[offset:start], new)
        offset = end
    return "".join((*parts, text[offset:]))


def _edit_position(edit: Edit) -> tuple[int, int]:
    return edit[0], edit[1]


def _is_separate(edit: Edit, edits: list[Edit]) -> bool:
    """Whether an edit touches nothing that the others replace."""
    index = bisect_right(edits, _edit_position(edit), key=_edit_position)
    before, after = edits[max(0, index - 1) : index], edits[index : index + 1]
    return all(other[1] <= edit[0] for other in before) and all(edit[1] <= other[0] for other in after)


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


def shorten(text: str) -> str:
    """The text in one line, cut to 60 characters, to be shown in a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def spelling_key(name: str) -> str:
    """What all spellings of one name have in common: no spaces, underscores or hyphens, and no capitals."""
    return re.sub(r"[\s_-]+", "", name).casefold()


# Texts that cannot be parsed

_BEGINS_WITH_CLAUSE = re.compile(
    r"\s*+(?>(?://|--)[^\n]*+\n\s*+|/\*.*?\*/\s*+)*+"
    r"(MATCH|OPTIONAL|WITH|UNWIND|RETURN|CALL|CREATE|MERGE|EXPLAIN|PROFILE|CYPHER)(?![\w.:])",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(
    r"""
    (?P<fence> `{3,} | ^[ \t]*+~{3,} )
    (?: [ \t]*[\w+#.-]*[ \t]*(?:\r?\n|\Z) | (?i:opencypher|cypher|gql|sql|neo4j|text)\s )?
    (?P<content> .*? ) (?: (?P=fence) | \Z )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def _unwrap_code_block(text: str) -> str:
    """The content of the first code block that holds a query; prose around it is dropped."""
    begins = _BEGINS_WITH_CLAUSE.match(text)
    if begins and (begins[1].isupper() or begins[1].islower()):  # prose begins with one capital
        return text
    blocks = [block["content"].strip() for block in _BLOCK.finditer(text)]
    return next((block for block in blocks if _BEGINS_WITH_CLAUSE.match(block)), text)


_KEPT = r"""
      //[^\n\r]*+ | /\*.*?\*/ | '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" | `[^`]*+` | (?:/\*|['"`]).*+
"""
"""Strings, comments and quoted names; one that is not closed reaches to the end."""

_SQL_COMMENT = re.compile(
    rf"(?P<comment> (?<![^\n\r]) [^\S\n\r]*+ --[ \t]++ (?=[^\W\d]) [^\n\r]*+ ) | {_KEPT}", re.VERBOSE | re.DOTALL
)


def _convert_comments(text: str) -> str:
    """Lines that begin with `-- ` and a word as comments of Cypher."""
    return _SQL_COMMENT.sub(lambda found: found[0].replace("--", "//", 1) if found["comment"] else found[0], text)


_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_PLAIN_SIGNS = {
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\ufeff", ""),
    **dict.fromkeys(_DASHES, "-"),
    **dict(zip("（）［］｛｝：，；．＝＜＞＋＊／｜", "()[]{}:,;.=<>+*/|", strict=True)),
    "≠": "<>",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "←": "<-",
}
_TYPOGRAPHIC = re.compile(
    rf"""
      {_KEPT}
    | [“”„‟] (?P<double> (?:[^“”„‟\\]|\\.)*+ ) [“”](?!\w)
    | [«»] (?P<angular> (?:[^«»\\]|\\.)*+ ) [«»]
    | [‘’‚‛´] (?P<single> (?:[^‘’‚‛´\\]|\\.|’(?=\w))*+ ) [‘’´](?!\w)
    | (?P<arrow> (?<=\))(?:[{_DASHES}](?=>)|→) | ←(?=\() )
    | (?P<sign> [{"".join(_PLAIN_SIGNS)}] )
    """,
    re.VERBOSE | re.DOTALL,
)


def _replace_typography(text: str) -> str:
    """Typographic quotes, dashes, arrows and invisible characters as the plain signs that they stand for."""
    return text if text.isascii() else _TYPOGRAPHIC.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match[0]
    if kind is None:
        return found
    if kind == "sign":
        return _PLAIN_SIGNS[found]
    if kind == "arrow":  # an editor made one sign of the two hyphens
        return {"→": "-->", "←": "<--"}.get(found, "--")
    quote = "'" if kind == "single" else '"'
    return quote + re.sub(rf"(\\.)|{quote}", lambda sign: sign[1] or f"\\{quote}", match[kind], flags=re.DOTALL) + quote


_PREFIX = re.compile(
    r"\s*(?:(?:cypher|neo4j|openCypher)(?:-shell)?(?:@\w*)?[ \t]*[:>$]|[>$]"
    r"|(?:cypher(?:\s+[\d.]+)?|openCypher|explain|profile)(?=\s))\s*",
    re.IGNORECASE,
)


def _drop_prefix(text: str) -> str:
    """A query without the prompt, the word CYPHER with its version, EXPLAIN or PROFILE before it."""
    prefix = _PREFIX.match(text)
    return text[prefix.end() :] if prefix and _BEGINS_WITH_CLAUSE.match(text, prefix.end()) else text


_REWRITES: tuple[tuple[Callable[[str], str], str], ...] = (
    (_unwrap_code_block, "Took the query out of its code block"),
    (_convert_comments, "Wrote comments as // instead of --"),
    (_replace_typography, "Wrote typographic signs as plain ones"),
    (_drop_prefix, "Dropped what stood before the query"),
)
"""What is tried, in this order, and the sentence that describes it."""
