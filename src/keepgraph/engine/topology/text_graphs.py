"""The graph around some entities: entities, proposed names and chunks, connected by facts that hold and by mentions.

It is read outward from where a question begins, nearest first, until nothing more is connected or a bound is reached.
So a large graph and a hub cost no more than a small one, and a graph within the bounds is read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays import weighted_graph
from keepgraph.arrays.weighted_graph import Integers, Ranks, WeightedGraph
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.graph_extracts import FactEdge, Mention
from keepgraph.store.transactions import Tx

MAX_EDGES = 10_000
"""So many facts and mentions are read, and then no more."""

MAX_EDGES_OF_NODE = 300
"""So many facts of an entity in each direction, so many chunks of a name, and so many names of a chunk."""

MAX_STEPS = 10
"""Of the rank of a walk that returns to its seeds every second step, less than a thousandth lies beyond."""

WEIGHT_OF_SPEAKER = 0.2
"""That somebody says it makes a turn less his than a name makes a text."""

_MIN_WEIGHT = 0.01
_LENGTH_OF_FACT, _LENGTH_OF_MENTION = 2, 1
"""Half steps: from one name to another in the same text is as far as from one end of a fact to the other."""

_CHUNKS_FROM = 1 << 48

Node = int
"""An entity by its row number, a proposed name by that with a minus, a chunk by `chunk_node`."""


@dataclass(frozen=True, slots=True)
class TextGraph:
    """What is around some nodes.

    Attributes:
        graph: the keys are nodes; an edge weighs the confidence of the surest fact between its ends, or 1 for a
            mention, less where the text is only said by the entity.
        facts: the row number of the surest fact between two entities, by their row numbers, the lower first.
        truncated: whether a bound was reached, so that there is more.
    """

    graph: WeightedGraph
    facts: Mapping[tuple[int, int], int]
    truncated: bool

    def rank(self, tx: Tx, seeds: Mapping[Node, float]) -> tuple[Mapping[Node, float], Ranks]:
        """The personalised PageRank of the nodes, by node and as it was computed."""
        weights = np.zeros(len(self.graph))
        weights[np.searchsorted(self.graph.keys, list(seeds))] = list(seeds.values())
        ranks = weighted_graph.rank(self.graph, weights, check=lambda: raise_if_cancelled(tx.cancellation))
        return dict(zip(self.graph.keys.tolist(), ranks.values.tolist(), strict=True)), ranks

    def half_steps(self, starts: Iterable[Node], *, limit: int) -> dict[Node, int]:
        """How far the nodes within the limit are from the nearest start: a fact counts two, a mention one."""
        keys, graph = self.graph.keys, self.graph
        is_chunk = keys >= _CHUNKS_FROM
        lengths = np.where(is_chunk[graph.owners] | is_chunk[graph.ends], _LENGTH_OF_MENTION, _LENGTH_OF_FACT)
        numbers: Integers = np.searchsorted(keys, np.array(list(starts), dtype=np.int64))
        distances = weighted_graph.distances(graph, numbers, lengths, limit=limit)
        reached = np.flatnonzero(distances <= limit)
        return dict(zip(keys[reached].tolist(), distances[reached].tolist(), strict=True))


def chunk_node(row: int) -> Node:
    return _CHUNKS_FROM + row


def chunk_row(node: Node) -> int | None:
    """The row number of a chunk; None if the node is none."""
    return node - _CHUNKS_FROM if node >= _CHUNKS_FROM else None


def read(tx: Tx, starts: Sequence[Node], *, max_steps: int = MAX_STEPS) -> TextGraph:
    """Read the graph around some nodes of the group, as it holds at `tx.now`.

    Args:
        max_steps: how many edges away; what is farther is not part of the graph, and does not make it truncated.
    """
    weights: dict[tuple[Node, Node], float] = {}
    facts: dict[tuple[int, int], int] = {}
    visited = frontier = list(dict.fromkeys(starts))
    truncated = False
    for _ in range(max_steps):
        raise_if_cancelled(tx.cancellation)
        room = MAX_EDGES - len(weights)
        if not frontier or room <= 0:
            truncated = truncated or bool(frontier)
            break
        edges, mentions = _read_edges(tx, frontier, room=room)
        truncated = truncated or _is_cut(edges, mentions, room=room)
        # A hub of facts may not take the room of the texts, nor the other way round.
        for fact, subject, target, confidence in edges[: max(room - len(mentions), room // 2)]:
            pair = (min(subject, target), max(subject, target))
            if max(confidence, _MIN_WEIGHT) > weights.get(pair, 0.0):
                weights[pair], facts[pair] = max(confidence, _MIN_WEIGHT), fact
        for chunk, node, is_speaker in mentions[: max(room - len(edges), room // 2)]:
            weights[node, chunk_node(chunk)] = WEIGHT_OF_SPEAKER if is_speaker else 1.0
        known = set(visited)
        frontier = [node for node in dict.fromkeys(chain.from_iterable(weights)) if node not in known]
        visited = visited + frontier
    return TextGraph(_arrays(visited, weights), facts, truncated)


def _read_edges(tx: Tx, frontier: Sequence[Node], *, room: int) -> tuple[list[FactEdge], list[Mention]]:
    """The facts and mentions of some nodes, of each at most one more than MAX_EDGES_OF_NODE."""
    each = MAX_EDGES_OF_NODE + 1
    entities = [node for node in frontier if 0 < node < _CHUNKS_FROM]
    proposals = [-node for node in frontier if node < 0]
    chunks = [node - _CHUNKS_FROM for node in frontier if node >= _CHUNKS_FROM]
    facts = store.graph_extracts.facts_of(tx, entities, per_entity=each, limit=room + 1) if entities else []
    mentions = []
    if entities or proposals:
        mentions += store.graph_extracts.mentions_of(tx, entities, proposals, per_node=each, limit=room + 1)
    if chunks:
        mentions += store.graph_extracts.text_mentions_in(tx, chunks, per_chunk=each, limit=room + 1)
    return facts, mentions


def _is_cut(facts: Sequence[FactEdge], mentions: Sequence[Mention], *, room: int) -> bool:
    """Whether there is more than was read, or more than there is room for."""
    if len(facts) + len(mentions) > room:
        return True
    counts = (
        Counter(subject for _, subject, _, _ in facts),
        Counter(target for _, _, target, _ in facts),
        Counter(node for _, node, _ in mentions),
        Counter(chunk for chunk, _, _ in mentions),
    )
    return any(max(count.values(), default=0) > MAX_EDGES_OF_NODE for count in counts)


def _arrays(nodes: Sequence[Node], weights: Mapping[tuple[Node, Node], float]) -> WeightedGraph:
    ends = np.fromiter(chain.from_iterable(weights), dtype=np.int64, count=2 * len(weights)).reshape(-1, 2)
    return weighted_graph.build(
        ends[:, 0], ends[:, 1], np.array(list(weights.values())), nodes=np.array(nodes, dtype=np.int64)
    )
