"""Names of communities without a model: the most central entity, and three words by class-based TF-IDF.

Source: M. Grootendorst, "BERTopic: Neural topic modeling with a class-based TF-IDF procedure" (2022). The texts of a
community are the names and summaries of its most central entities, and the literals of their facts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from keepgraph import store
from keepgraph.language import common_words
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_WORDS_OF_NAME = 3
_MAX_ENTITIES = 200
_MAX_CHARACTERS = 300
_MAX_LENGTH_OF_NAME = 500
_MOST_CENTRAL = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class GeneratedName:
    """A name for a community, and a sentence about what belongs to it."""

    name: str
    summary: str


def generate(tx: Tx, communities: Sequence[Sequence[int]]) -> list[GeneratedName]:
    """A name for each of some communities.

    Args:
        communities: the entities of each by row number, the most central first.
    """
    entities = store.entities.names_and_summaries(tx)
    texts: dict[int, list[str]] = {row: [name, summary] for row, (_, name, summary) in entities.items()}
    for row, literal in store.fact_columns.literals(tx, at=timestamps.from_datetime(tx.now)):
        texts.setdefault(row, []).append(literal)
    words = [
        _words(text for row in rows[:_MAX_ENTITIES] for text in texts.get(row, ()))
        for rows in ([row for row in rows if row in entities] for rows in communities)
    ]
    names = []
    for rows, characteristic in zip(communities, _rank(words), strict=True):
        members = [entities[row] for row in rows if row in entities]
        if not members:
            names.append(GeneratedName("Nothing", ""))
            continue
        central = [name for _, name, _ in members[:_MOST_CENTRAL]]
        in_name = set(_words(central[:1]))
        listed = ", ".join([word for word in characteristic if word not in in_name][:_WORDS_OF_NAME])
        name = f"{central[0]}: {listed}" if listed else central[0]
        names.append(GeneratedName(name[:_MAX_LENGTH_OF_NAME], _summarize([type_ for type_, _, _ in members], central)))
    return names


def _words(texts: Iterable[str]) -> Counter[str]:
    """In how many of some texts each word is."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(
            {
                word
                for word in map(str.lower, _WORD.findall(text[:_MAX_CHARACTERS]))
                if not common_words.is_stop_word(word)
            }
        )
    return counts


def _rank(communities: Sequence[Counter[str]]) -> list[list[str]]:
    """The words of each community by how characteristic they are of it, best first."""
    totals: Counter[str] = Counter()
    for words in communities:
        totals.update(words)
    average = totals.total() / max(len(communities), 1)
    return [
        sorted(words, key=lambda word: (-words[word] * math.log(1 + average / totals[word]), word))
        for words in communities
    ]


def _summarize(types: Sequence[str], central: Sequence[str]) -> str:
    counts = ", ".join(f"{count} {type_}" for type_, count in Counter(types).most_common(_MOST_CENTRAL))
    return f"{len(types)} entities ({counts}). Most connected: {', '.join(central)}."
