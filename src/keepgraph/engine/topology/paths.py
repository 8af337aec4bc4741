"""Paths between two entities along facts: the shortest ones, and of those the most surprising first.

A path is a sequence of different nodes; facts are followed in both directions. What connects everything explains
little: paths through hubs and tags come last, and of paths of one length those come first whose inner nodes have fewer
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

import numpy as np

from keepgraph import store
from keepgraph.arrays import shortest_paths
from keepgraph.arrays.fact_graph import FactGraph, Integers, Mask
from keepgraph.arrays.shortest_paths import Rules
from keepgraph.engine.topology import fact_graphs
from keepgraph.engine.topology.fact_graphs import GroupGraph
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity, Fact
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx

MAX_HOPS = 10
MAX_PATHS = 20

_HUB_PERCENTILE = 99
_MIN_DEGREE_OF_HUB = 30
"""In a small graph even the entity with the most neighbours connects too little to be a hub."""

_COST_SCALE = 1000
"""Costs are whole numbers, so that sums of the same costs are equal in any order."""

_COST_OF_TAG = 8
"""What a way through a tag costs besides: to bear the same tag says little, however few do."""

_MAX_FACTS_OF_STEP = 50
"""Of so many facts between two nodes, the one that is shown is chosen."""


@dataclass(frozen=True, slots=True)
class Step:
    """One fact of a path.

    Attributes:
        onward: whether the path follows it from its subject to its object.
        others: how many more facts connect the same two nodes.
    """

    fact: Fact
    onward: bool
    others: int


@dataclass(frozen=True, slots=True)
class TracedPath:
    """A path, with one fact for each two nodes that follow each other.

    Attributes:
        nodes: entities, and tags as texts.
        surprise: 1 / (1 + c), where c is the sum over its inner nodes of log2 of the number of their neighbours, and 8
            more for a tag; 1 for a path of one fact.
        through_hub: whether it goes through a hub or a tag.
    """

    nodes: tuple[Entity | str, ...]
    steps: tuple[Step, ...]
    surprise: float
    through_hub: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The paths between two entities.

    Attributes:
        truncated: whether there are more.
    """

    paths: tuple[TracedPath, ...] = ()
    truncated: bool = False


def trace(
    tx: Tx,
    start: Entity,
    end: Entity,
    *,
    k: int,
    max_hops: int,
    predicates: Sequence[str] | None = None,
    avoid_hubs: bool = True,
) -> Trace:
    """The k shortest paths along the facts that hold at `tx.now`.

    Args:
        k: 1 to MAX_PATHS.
        max_hops: the number of facts on the longest path, 1 to MAX_HOPS.
        predicates: those to follow; None is all.
        avoid_hubs: put paths through hubs and tags last, however short. A hub has more neighbours than 99 of 100
            entities, and more than 30; a path may begin and end in one.
    """
    if start == end:
        return Trace((TracedPath((start,), (), 1.0, through_hub=False),))
    graph = fact_graphs.read(tx)
    ends = graph.facts.number(start.row), graph.facts.number(end.row)
    if ends[0] is None or ends[1] is None:
        return Trace()
    of_predicates = None if predicates is None else store.fact_columns.predicate_rows(tx, predicates)
    is_tag = _tags(graph.facts, store.fact_columns.predicate_rows(tx, graph_vocabulary.read(tx).names_of_role("tags")))
    is_hub = is_tag | _hubs(graph.facts)
    rules = Rules(
        max_hops=max_hops,
        facts=graph.facts.mask(predicates=of_predicates, at=fact_graphs.instant(tx)),
        avoided=is_hub if avoid_hubs else None,
        costs=_costs(graph.facts, is_tag),
        check=lambda: raise_if_cancelled(tx.cancellation),
    )
    found = list(islice(shortest_paths.find(graph.facts, ends[0], ends[1], rules=rules), k + 1))
    if avoid_hubs and len(found) <= k:
        others = shortest_paths.find(graph.facts, ends[0], ends[1], rules=replace(rules, avoided=None))
        found += islice((path for path in others if is_hub[list(path[1:-1])].any()), k + 1 - len(found))
    return Trace(tuple(_describe(tx, graph, found[:k], rules, is_hub)), truncated=len(found) > k)


def _hubs(graph: FactGraph) -> Mask:
    return graph.degrees > max(float(np.percentile(graph.degrees, _HUB_PERCENTILE)), _MIN_DEGREE_OF_HUB)


def _tags(graph: FactGraph, tagging: frozenset[int]) -> Mask:
    """Which nodes are tags: most of their facts tag something with them.

    Args:
        tagging: the predicates whose objects are tags.
    """
    tagged = graph.targets[np.isin(graph.columns.predicates, sorted(tagging))]
    return 2 * np.bincount(tagged, minlength=len(graph)) > np.diff(graph.offsets)


def _costs(graph: FactGraph, is_tag: Mask) -> Integers:
    """The cost of a way through each node: the logarithm of the number of its neighbours, and more for a tag."""
    costs: Integers = np.rint(_COST_SCALE * (np.log2(np.maximum(graph.degrees, 1)) + _COST_OF_TAG * is_tag)).astype(int)
    return costs


def _describe(
    tx: Tx, graph: GroupGraph, paths: Sequence[shortest_paths.Path], rules: Rules, is_hub: Mask
) -> Iterable[TracedPath]:
    entities = _entities(tx, graph, {node for path in paths for node in path})
    pairs = {pair for path in paths for pair in pairwise(path)}
    edges = {pair: graph.facts.between(*pair, rules.facts) for pair in pairs}
    rows = {pair: [int(graph.facts.columns.facts[edge]) for edge in edges[pair]] for pair in pairs}
    shown = sorted({row for of_pair in rows.values() for row in of_pair[-_MAX_FACTS_OF_STEP:]})
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, shown)}
    for path in paths:
        steps = []
        for pair in pairwise(path):
            of_pair = [facts[row] for row in rows[pair] if row in facts]
            fact = max(of_pair, key=lambda fact: (fact.confidence, fact.recorded_at, fact.row))
            onward = fact.subject.row == int(graph.facts.keys[pair[0]])
            steps.append(Step(fact, onward, others=len(rows[pair]) - 1))
        commonness = int(rules.costs[list(path[1:-1])].sum()) / _COST_SCALE
        yield TracedPath(
            nodes=tuple(entities[node] for node in path),
            steps=tuple(steps),
            surprise=round(1 / (1 + commonness), 4),
            through_hub=bool(is_hub[list(path[1:-1])].any()),
        )


def _entities(tx: Tx, graph: GroupGraph, nodes: Iterable[int]) -> dict[int, Entity | str]:
    """The entities and the tags of nodes, by their numbers."""
    keys = {node: int(graph.facts.keys[node]) for node in nodes}
    entities = store.entities.by_rows(tx, [key for key in keys.values() if key > 0])
    return {node: entities[key] if key > 0 else graph.tags[-key - 1] for node, key in keys.items()}
