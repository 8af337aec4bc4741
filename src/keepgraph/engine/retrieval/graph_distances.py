"""Graph distances: how many steps nodes and episodes are away from some nodes, along facts and mentions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.lazy import dataclass
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_STEPS = 4
"""How far a search along facts and mentions goes."""

MAX_REACHED = 10_000
"""No further step is made where more nodes and episodes than this are reached: it would cost too much time."""

_MAX_FACTS_PER_STEP = 200_000


@dataclass(frozen=True, slots=True)
class Distances:
    """Steps to nodes by key, and to episodes by row number; what is not there cannot be reached."""

    nodes: Mapping[Key, int]
    episodes: Mapping[int, int]


def measure(tx: Tx, centres: Iterable[Key], filters: Filters) -> Distances:
    """Measure by breadth-first search, up to 4 steps away.

    A step goes along a fact that holds, or between a text and what it mentions. Filters by type, predicate and project
    do not narrow the way.
    """
    nodes: dict[Key, int] = dict.fromkeys(centres, 0)
    episodes: dict[int, int] = {}
    new_nodes, new_episodes = list(nodes), list[int]()
    any_fact = replace(filters, types=None, predicates=None, about=None)
    for step in range(1, MAX_STEPS + 1):
        if (not new_nodes and not new_episodes) or len(nodes) + len(episodes) > MAX_REACHED:
            break
        entities, proposals = [key for key in new_nodes if key > 0], [-key for key in new_nodes if key < 0]
        reached: list[Key] = []
        if entities:
            for _, subject, target in store.retrieval.facts_of_entities(
                tx, entities, any_fact, limit=_MAX_FACTS_PER_STEP, max_scanned=_MAX_FACTS_PER_STEP
            ):
                reached += [subject, *([] if target is None else [target])]
        if new_episodes:
            chunks = store.retrieval.chunks_of_episodes(tx, new_episodes)
            reached += [key for _, key in store.retrieval.mentioned_in_chunks(tx, chunks)]
        mentioning = store.retrieval.chunks_mentioning(tx, entities, proposals, any_fact) if new_nodes else []
        new_nodes = [key for key in dict.fromkeys(reached) if key not in nodes]
        new_episodes = [row for row in dict.fromkeys(episode for _, episode in mentioning) if row not in episodes]
        nodes.update(dict.fromkeys(new_nodes, step))
        episodes.update(dict.fromkeys(new_episodes, step))
    return Distances(nodes, episodes)
