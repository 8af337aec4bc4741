"""Mends the text of a query as models and people write it, and tells what was mended. Knows no table and no meaning.

A text that can be read is changed only where words of the graph, the name of a function or the direction of an arrow
are wrong; all else is done to texts that cannot be read, and no more of it than makes them readable. Whatever is
repaired comes out of a second repair as it is.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from keepgraph.cypher.repair import arrow_direction, foreign_syntax, markup, spelling
from keepgraph.cypher.repair.foreign_syntax import alike
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Mend, Pieces, edited, quoted, squeezed
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.cypher.syntax.tokens import MOST_CHARACTERS
from keepgraph.errors import QueryError

_ROUNDS = 8


@dataclass(frozen=True)
class Known:
    """What the graph has.

    Attributes:
        labels, types: its labels and relationship types.
        directions: of a relationship type, the labels that may stand at its start and at its end (a label's
            ancestors and descendants among them); an empty set means any.
        text_properties: the properties that hold dates as ISO texts.
    """

    labels: frozenset[str]
    types: frozenset[str]
    directions: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    text_properties: frozenset[str]


@dataclass(frozen=True)
class Repaired:
    """The text that is run, and a sentence for each repair, in the order in which they were done."""

    text: str
    fixes: tuple[str, ...]


def repaired(text: str, known: Known) -> Repaired:
    """The text mended as far as it can be; it is for the parser to refuse what is left."""
    if len(text) > MOST_CHARACTERS:
        return Repaired(text, ())
    now = text
    fixes: list[str] = []
    for _ in range(_ROUNDS):
        before = now
        now, tree = _readable(now, known, fixes)
        if tree is not None:
            now = _meaningful(now, tree, known, fixes)
        if now == before:
            return Repaired(now, tuple(dict.fromkeys(fixes)))
    # Something wrapped more often than anyone would: half a repair would be another query with each call.
    return Repaired(text, ())


def _tree(text: str) -> ast.Query | None:
    try:
        return parser.parse(text)
    except QueryError:
        return None


def _readable(text: str, known: Known, fixes: list[str]) -> tuple[str, ast.Query | None]:
    """The text with one repair after the other, until it can be read."""
    tree = _tree(text)
    if tree is not None:
        return text, tree
    for unwrap in (markup.fences, markup.entities, markup.characters, markup.leading_words):
        new, sentences = unwrap(text)
        if new != text:
            text, tree = new, _tree(new)
            fixes.extend(sentences)
            if tree is not None:
                return text, tree
    pieces = Pieces(text)
    labels = frozenset(map(alike, known.labels))
    for habit in foreign_syntax.HABITS:
        new = _mended(text, habit(pieces, labels), fixes)
        if new != text:
            text, tree = new, _tree(new)
            if tree is not None:
                return text, tree
            pieces = Pieces(text)
    new, sentences = _with_return(text, pieces)
    if new != text:
        fixes.extend(sentences)
        return new, _tree(new)
    return text, None


def _meaningful(text: str, tree: ast.Query, known: Known, fixes: list[str]) -> str:
    steps: tuple[Callable[[ast.Query, str], Iterable[Mend]], ...] = (
        lambda query, _: spelling.names(query, known.labels, known.types),
        spelling.functions,
        lambda query, text: spelling.dates(query, text, known.text_properties),
        lambda query, text: arrow_direction.turned(query, text, known.directions),
    )
    for step in steps:
        told: list[str] = []
        new = _mended(text, step(tree, text), told)
        if new == text:
            continue
        new_tree = _tree(new)
        if new_tree is None:
            continue
        text, tree = new, new_tree
        fixes.extend(told)
    return text


def _mended(text: str, mends: Iterable[Mend], fixes: list[str]) -> str:
    edits: list[Edit] = []
    for some, sentence in mends:
        if all(_is_apart(edit, edits) for edit in some):
            for edit in some:
                insort(edits, edit, key=_place)
            fixes.append(sentence)
    return edited(text, edits) if edits else text


def _place(edit: Edit) -> tuple[int, int]:
    return edit[0], edit[1]


def _is_apart(edit: Edit, edits: list[Edit]) -> bool:
    """Whether an edit touches nothing that the others take away."""
    at = bisect_right(edits, _place(edit), key=_place)
    before, after = edits[max(0, at - 1) : at], edits[at : at + 1]
    return all(other[1] <= edit[0] for other in before) and all(edit[1] <= other[0] for other in after)


# RETURN


def _with_return(text: str, pieces: Pieces) -> tuple[str, list[str]]:
    """The text with a RETURN in each part of it that has none, if that is all that it lacks.

    A WITH at the end becomes the RETURN. Else a RETURN is put there first to be able to read the text, and the tree
    tells what can be seen at its end.
    """
    places = _open_ends(pieces)
    if not places or not pieces.balanced:
        return text, []
    edits: list[Edit] = []
    sentences: list[str] = []
    stubs: list[int] = []
    for number, (last_with, end) in enumerate(places):
        if end is None:
            continue
        if last_with is not None:
            edits.append((pieces.starts[last_with], pieces.ends[last_with], "RETURN"))
            sentences.append("Wrote the last WITH as RETURN")
        else:
            edits.append((end, end, " RETURN 1"))
            stubs.append(number)
    tree = _tree(edited(text, edits))
    if tree is None or len(tree.parts) != len(places):
        return text, []
    for number in stubs:
        names = _visible(tree.parts[number])
        shown = ", ".join(map(quoted, names)) or "count(*)"
        end = places[number][1] or 0
        edits[edits.index((end, end, " RETURN 1"))] = (end, end, f" RETURN {shown}")
        sentences.append(squeezed(f"Added RETURN {shown}"))
    return edited(text, edits), sentences


def _open_ends(p: Pieces) -> list[tuple[int | None, int | None]]:
    """Of each part between UNIONs: the WITH that could be its RETURN, and where it ends if it has no RETURN."""
    found: list[tuple[int | None, int | None]] = []
    last_with: int | None = None
    returns = False
    first = 0
    for at in range(p.length + 1):
        outside = at == p.length or p.around[at] < 0
        word = p.keywords[at] if outside else ""
        if at == p.length or word == "UNION" or (p.kinds[at] == ";" and at == p.length - 1):
            if at == first:
                return []
            found.append((None, None) if returns else (last_with, p.ends[at - 1]))
            if word != "UNION":
                break
            last_with, returns, first = None, False, at + 1
        elif word == "RETURN":
            returns = True
        elif word == "WITH":
            last_with = at
        elif word in ("MATCH", "UNWIND", "WHERE"):
            last_with = None
    return found if any(end is not None for _, end in found) else []


def _visible(query: ast.SingleQuery) -> list[str]:
    """The names that can be seen at the end of a query, before its RETURN, in the order in which they come."""
    names: dict[str, None] = {}
    for clause in query.clauses[:-1]:
        if isinstance(clause, ast.Match):
            named = [
                (part.span[0], part.variable)
                for path in clause.paths
                for part in (*traversal.pattern_parts(path), path)
                if part.variable is not None
            ]
            names.update((name, None) for _, name in sorted(named, key=lambda each: each[0]))
        elif isinstance(clause, ast.Unwind):
            names[clause.variable] = None
        else:
            names = dict(names) if clause.everything else {}
            names.update((item.name, None) for item in clause.items)
    return list(names)
