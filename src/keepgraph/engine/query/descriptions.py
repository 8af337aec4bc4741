"""How a graph introduces itself in the descriptions of tools: its labels, its relationship types, questions to ask.

Only words of the vocabulary, in the spelling of queries. Names, texts and notes that are stored never get here, for
a description is read as an instruction. There are no counts either: it is the same text from one day to the next
unless the graph has changed its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keepgraph.cypher.repair.tolerant_tokenizer import quoted
from keepgraph.engine.query import schema
from keepgraph.engine.query.graph_catalogue import LITERAL
from keepgraph.engine.query.schema import Schema
from keepgraph.store.database import Tx

_MOST_LABELS = 20
_MOST_PATTERNS = 8
_MOST_NOT_USED = 14

_Step = tuple[str, str, str]
"""Source, type and target."""


def of_words(tx: Tx) -> str:
    """The labels and the relationship types that are in use."""
    found = schema.of_graph(tx)
    labels = [label.name for label in _used_labels(found)]
    types = [each.name for each in sorted(found.types, key=lambda each: -each.count) if each.count]
    if not labels:
        return "The graph is empty yet."
    return f"Now in the graph: {_listed(labels, _MOST_LABELS)}" + (
        f"; {_listed(types, _MOST_LABELS)}." if types else "."
    )


def of_patterns(tx: Tx) -> str:
    """What connects what, most first, and questions that can be asked of it; of an empty graph, what is meant to."""
    found = schema.of_graph(tx)
    labels = [f":{quoted(label.name)}" for label in _used_labels(found)]
    steps = _steps(found)
    told = [f"This graph has {_listed(labels, _MOST_LABELS)}." if labels else "This graph is empty yet."]
    if steps:
        told.append(f"In it: {_listed([_written(step) for step in steps], _MOST_PATTERNS)}.")
    if not_used := _not_used(found):
        told.append(f"Known, but not used yet: {_listed(not_used, _MOST_NOT_USED)}.")
    told += [f"Example: {question}" for question in _questions(steps or _meant(found))]
    return "\n".join(told)


def _used_labels(found: Schema) -> list[schema.Label]:
    return sorted((label for label in found.labels if label.count), key=lambda label: -label.count)


def _steps(found: Schema) -> list[_Step]:
    """The patterns that there are, most first."""
    every = [(pattern, each.name) for each in found.types for pattern in each.patterns]
    every.sort(key=lambda each: -each[0].count)
    return [(pattern.source, name, pattern.target) for pattern, name in every]


def _meant(found: Schema) -> list[_Step]:
    """The patterns that the vocabulary means."""
    return [(each.meant_sources[0], each.name, each.meant_targets[0]) for each in found.types if each.meant_sources]


def _not_used(found: Schema) -> list[str]:
    """The words that nothing has: labels, then types between the labels they are meant for."""
    labels = [f":{quoted(label.name)}" for label in found.labels if not label.count]
    types = [
        f"({_any_of(each.meant_sources)})-[:{quoted(each.name)}]->({_any_of(each.meant_targets)})"
        if each.meant_sources or each.meant_targets
        else f"[:{quoted(each.name)}]"
        for each in found.types
        if not each.count
    ]
    return [*labels, *types]


def _questions(steps: Sequence[_Step]) -> Iterable[str]:
    """One that counts, and one that follows two steps, over the commonest patterns."""
    between = [step for step in steps if step[2] != LITERAL]
    if between:
        source, name, target = between[0]
        yield (
            f"MATCH (a:{quoted(source)})-[:{quoted(name)}]->(b:{quoted(target)}) "
            "RETURN b.name, count(a) AS n ORDER BY n DESC"
        )
    for first in between:
        for second in between:
            if first[2] == second[0] and first[1] != second[1]:
                yield (
                    f"MATCH {_written(first, 'a', 'b')}-[:{quoted(second[1])}]->(c:{quoted(second[2])}) "
                    "RETURN c.name, collect(DISTINCT a.name)"
                )
                return


def _written(step: _Step, one: str = "", other: str = "") -> str:
    source, name, target = step
    return f"({one}:{quoted(source)})-[:{quoted(name)}]->({other}:{quoted(target)})"


def _any_of(labels: Sequence[str]) -> str:
    return ":" + "|".join(map(quoted, labels)) if labels else ""


def _listed(words: Sequence[str], most: int) -> str:
    left = len(words) - most
    return ", ".join(words[:most]) + (f" and {left} more (get_schema has all)" if left > 0 else "")
