"""The answer with an extract of a graph: columns of numbers that refer to each other by position, to be small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph import store
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.engine.analysis.graph_extract import Extract
    from keepgraph.engine.analysis.graph_map import MapNode
    from keepgraph.store.graph_extracts import FactRow

_NONE = -1
"""The position of what is not there."""


def describe(tx: Tx, extract: Extract) -> dict[str, Any]:
    """The columns of an extract. Nodes are referred to by their positions, and so are types, predicates and sources.

    What few have, such as literals and the ends of validities, is an object by the position of the fact as a text.
    """
    numbers = {node.row: number for number, node in enumerate(extract.nodes)}
    types, predicates, sources = _Positions(), _Positions(), _Positions()
    return {
        "nodes": _nodes(tx, extract.nodes, types),
        "facts": _facts(tx, extract.facts, numbers, predicates, sources),
        "texts": [
            {
                "name": text.name,
                "kind": text.kind,
                "at": timestamps.format_local(text.at, tx.zone),
                "text": text.text,
                "nodes": [numbers[row] for row in rows],
            }
            for text, rows in extract.texts
        ],
        "communities": [{"name": area.name, "x": area.x, "y": area.y, "r": area.radius} for area in extract.areas],
        "types": list(types.values),
        "predicates": list(predicates.values),
        "sources": list(sources.values),
        "truncated": extract.truncated,
    }


class _Positions:
    """Gives each value its position, in the order in which they come.

    Attributes:
        values: the values with their positions.
    """

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def of(self, value: str | None) -> int:
        return _NONE if value is None else self.values.setdefault(value, len(self.values))


def _nodes(tx: Tx, nodes: Sequence[MapNode], types: _Positions) -> dict[str, Any]:
    numbers = {node.row: number for number, node in enumerate(nodes)}
    aliases: dict[str, list[str]] = {}
    for row, alias in store.graph_extracts.aliases(tx, list(numbers)):
        aliases.setdefault(str(numbers[row]), []).append(alias)
    return {
        "name": [node.name for node in nodes],
        "type": [types.of(node.type) for node in nodes],
        "x": [round(node.x) for node in nodes],
        "y": [round(node.y) for node in nodes],
        "community": [node.community for node in nodes],
        "summary": {
            str(numbers[row]): summary for row, summary in store.graph_extracts.summaries(tx, list(numbers)) if summary
        },
        "aliases": aliases,
    }


def _facts(
    tx: Tx, facts: Sequence[FactRow], numbers: Mapping[int, int], predicates: _Positions, sources: _Positions
) -> dict[str, Any]:
    names = store.graph_extracts.predicate_names(tx)
    return {
        "subject": [numbers[fact.subject] for fact in facts],
        "predicate": [predicates.of(names[fact.predicate]) for fact in facts],
        "object": [_NONE if fact.object is None else numbers[fact.object] for fact in facts],
        "literal": _by_position(fact.literal for fact in facts),
        "from": _by_position(_local(tx, fact.valid_from) for fact in facts),
        "to": _by_position(_local(tx, fact.valid_to) for fact in facts),
        "recorded": [round(timestamps.to_datetime(fact.recorded_at).timestamp()) for fact in facts],
        "source": [sources.of(fact.source) for fact in facts],
    }


def _by_position(values: Iterable[str | None]) -> dict[str, str]:
    return {str(number): value for number, value in enumerate(values) if value is not None}


def _local(tx: Tx, timestamp: str | None) -> str | None:
    return timestamp and timestamps.format_local(timestamp, tx.zone)
