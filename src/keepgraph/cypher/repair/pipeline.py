"""Repair pipeline: mends the text of a query as models and people write it, and tells what was changed.

A text that can be parsed is changed only where a label, a type, the name of a function, the direction of an arrow or
the case of a text is wrong. All other repairs are for texts that cannot be parsed, and they stop as soon as the text
can be. A repaired text is not changed by a second repair.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from keepgraph.cypher.repair import arrow_direction, foreign_syntax, markup, spelling
from keepgraph.cypher.repair.foreign_syntax import spelling_key
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Repair, Tokens, apply_edits, quote_name, shorten
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.cypher.syntax.tokenizer import MAX_QUERY_LENGTH
from keepgraph.errors import QueryError

_MAX_ROUNDS = 8
"""A text that still changes after so many rounds is wrapped more often than anyone would, and is left as it was."""


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
    for unwrap in (markup.unwrap_code_block, markup.decode_html, markup.replace_typography, markup.drop_prefix):
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
    labels = spelling.Names(vocabulary.labels, vocabulary.label_of_wording)
    types = spelling.Names(vocabulary.types, vocabulary.type_of_wording)
    steps: tuple[Callable[[ast.Query, str], Iterable[Repair]], ...] = (
        lambda query, _: spelling.correct_names(query, labels, types),
        lambda query, _: spelling.correct_texts(query, labels, types),
        lambda query, _: spelling.correct_parts_of_types(query, vocabulary.types),
        spelling.correct_functions,
        spelling.correct_lists,
        spelling.correct_case,
        lambda query, _: arrow_direction.turn_arrows(query, vocabulary.directions),
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

    `RETURN 1` is put there to parse the text, and the tree tells which names it should return.
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
    returned = ", ".join(map(quote_name, traversal.visible_names(tree.parts[0]))) or "count(*)"
    return f"{text[:end]} RETURN {returned}{text[end:]}", [shorten(f"Added RETURN {returned}")]
