"""The weights of the connections between the entities of a group: facts that hold now, and common mentions."""

from __future__ import annotations

from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays import weighted_graph
from keepgraph.arrays.weighted_graph import Integers, WeightedGraph, Weights
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

WEIGHT_OF_COMMON_MENTION = 0.3

_MAX_ENTITIES_OF_CHUNK = 50
"""A chunk that mentions more is a list, and says little of any two."""

_HUB_PERCENTILE = 99
_MIN_DEGREE_OF_HUB = 30

_Edges = tuple[Integers, Integers, Weights]


def read(tx: Tx) -> WeightedGraph:
    """The entities of the group that are connected at all, by their rows.

    A fact weighs its confidence times the rarity of its predicate; two entities that a chunk mentions 0.3 for each such
    chunk. What goes to hubs (more neighbours than 99 of 100, and more than 30) weighs less, the larger the hub.
    """
    of_facts, of_mentions = _edges_of_facts(tx), _edges_of_mentions(tx)
    columns = [np.concatenate(pair) for pair in zip(of_facts, of_mentions, strict=True)]
    graph = weighted_graph.build(columns[0], columns[1], columns[2])
    return weighted_graph.damp_hubs(graph, percentile=_HUB_PERCENTILE, min_degree=_MIN_DEGREE_OF_HUB)


def _edges_of_facts(tx: Tx) -> _Edges:
    facts = store.fact_columns.confidences_between_entities(tx, at=timestamps.from_datetime(tx.now))
    # Row numbers below 2^53 are exact as floats.
    columns = np.fromiter(chain.from_iterable(facts), dtype=np.float64).reshape(-1, 4)
    _, predicates, counts = np.unique(columns[:, 2], return_inverse=True, return_counts=True)
    # 1 for the only predicate there is, 2 for one that has a tenth of the facts, 3 for one that has a hundredth.
    rarity = 1 + np.log10(len(columns) / counts) if len(columns) else counts
    return columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 3] * rarity[predicates]


def _edges_of_mentions(tx: Tx) -> _Edges:
    mentions = np.fromiter(chain.from_iterable(store.mentions.in_group(tx)), dtype=np.int64).reshape(-1, 2)
    _, starts, counts = np.unique(mentions[:, 0], return_index=True, return_counts=True)
    sources, targets = [], []
    for size in range(2, _MAX_ENTITIES_OF_CHUNK + 1):
        of_size = starts[counts == size]
        if len(of_size):
            entities = mentions[:, 1][of_size[:, None] + np.arange(size)]
            first, second = np.triu_indices(size, k=1)
            sources.append(entities[:, first].ravel())
            targets.append(entities[:, second].ravel())
    nothing = np.empty(0, dtype=np.int64)
    all_sources = np.concatenate([nothing, *sources])
    return all_sources, np.concatenate([nothing, *targets]), np.full(len(all_sources), WEIGHT_OF_COMMON_MENTION)
