"""The most used words of a graph, for tool descriptions: names, with their parents, ends and other wordings.

Only short words and short labels of at most three parts get here: a model reads a description as an instruction, and
words may come from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

from keepgraph import lazy, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import EntityType, Predicate, VocabularyTerm
from keepgraph.store.transactions import Tx

MAX_WORDS = 40
"""How many of each kind are listed; if there are more, the reader is told how to see them."""

MAX_CHARACTERS = 260
"""The longest list of words, and the longest description of words: models read them again and again."""

_MAX_DESCRIBED = 16
_MAX_LABELS = 1
_MAX_ENDS = 2
_SHORT = lazy.compile(r"[^\W_]+( [^\W_]+){0,2}")
_MAX_LETTERS = 24

_Term = TypeVar("_Term", bound=VocabularyTerm)


@dataclass(frozen=True, slots=True)
class CommonWords:
    """Words by name, most used first, and their total number. Inverses are not counted."""

    names: tuple[str, ...]
    total: int


def of_graph(tx: Tx, kind: str) -> CommonWords:
    """The most used entity types or predicates that are usable."""
    terms = _most_used(tx, kind, _usable(tx, kind))
    names = [term.name for term in terms if is_short(term.name)][:MAX_WORDS]
    return CommonWords(tuple(within_characters(names)), len(terms))


def describe(tx: Tx) -> str:
    """What the most used words mean: the parents of types; the ends and other wordings of predicates."""
    types = [
        term
        for term in _most_used(tx, store.vocabulary.ENTITY_TYPE, _usable_types(tx))
        if term.parents and is_short(term.name) and is_short(term.parents[0])
    ]
    all_predicates = _most_used(tx, store.vocabulary.PREDICATE, _usable_predicates(tx))
    predicates = [term for term in all_predicates if is_short(term.name)]
    labels = _short_labels(tx, predicates[:_MAX_DESCRIBED])
    lines = []
    if types:
        kinds = [f"{term.name} < {term.parents[0]}" for term in types[:_MAX_DESCRIBED]]
        lines.append(f"Kinds: {', '.join(within_characters(kinds, limit=MAX_CHARACTERS // 2))}.")
    if predicates:
        described = within_characters(
            [_describe_predicate(term, labels.get(term.row, ())) for term in predicates[:_MAX_DESCRIBED]],
            limit=4 * MAX_CHARACTERS // 3,
        )
        more = len(all_predicates) - len(described)
        others = f"; {more} more" if more > 0 else ""
        lines.append(f"Predicates: {', '.join(described)}{others}.")
    return "\n".join(lines)


def is_short(word: str) -> bool:
    """Whether a word has at most three parts and 24 letters, so that no description becomes a sentence by it."""
    key = graph_vocabulary.wording_key(word)
    return len(key) <= _MAX_LETTERS and _SHORT.fullmatch(key) is not None


def within_characters(words: Sequence[str], *, limit: int = MAX_CHARACTERS) -> list[str]:
    """The first words that together fit in this many characters; at least one."""
    lengths = accumulate(len(word) + 2 for word in words)
    return [
        word for number, (word, length) in enumerate(zip(words, lengths, strict=True)) if not number or length <= limit
    ]


def _most_used(tx: Tx, kind: str, terms: Sequence[_Term]) -> list[_Term]:
    """Words by how many entities or facts have them, most first; then in order of addition."""
    key = ("uses of words", kind, tx.group)
    counts = tx.cached(key, lambda: store.vocabulary.count_uses(tx, kind))
    return sorted(terms, key=lambda term: -counts.get(term.row, 0))


def _usable(tx: Tx, kind: str) -> Sequence[VocabularyTerm]:
    return _usable_types(tx) if kind == store.vocabulary.ENTITY_TYPE else _usable_predicates(tx)


def _usable_types(tx: Tx) -> Sequence[EntityType]:
    return graph_vocabulary.read(tx).usable_types


def _usable_predicates(tx: Tx) -> Sequence[Predicate]:
    return [term for term in graph_vocabulary.read(tx).usable_predicates if term.inverse_of is None]


def _short_labels(tx: Tx, terms: Sequence[Predicate]) -> dict[int, list[str]]:
    """A few other wordings of each of these predicates, by row."""
    labels = store.vocabulary.labels(tx, store.vocabulary.PREDICATE, [term.row for term in terms])
    short: dict[int, list[str]] = {}
    for term in terms:
        known = [graph_vocabulary.wording_key(term.name)]
        for label in labels.get(term.row, ()):
            key = graph_vocabulary.wording_key(label.label)
            if label.status != "hidden" and is_short(key) and not any(key in other or other in key for other in known):
                known.append(key)
        short[term.row] = known[1 : 1 + _MAX_LABELS]
    return short


def _describe_predicate(term: Predicate, labels: Sequence[str]) -> str:
    target = term.literal_kind or _listed(term.targets)
    parts = [f"{_listed(term.sources)} → {target}"] if term.sources or target != "any" else []
    parts += [f"also {', '.join(labels)}"] if labels else []
    return f"{term.name} ({'; '.join(parts)})" if parts else term.name


def _listed(types: Sequence[str]) -> str:
    short = [name for name in types if is_short(name)][:_MAX_ENDS]
    return "|".join(short) + ("|…" if len(types) > len(short) else "") if types else "any"
