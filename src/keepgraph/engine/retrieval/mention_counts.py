"""Counts for the reranker `episode_mentions`: in how many episodes a hit is mentioned, or how much a chunk mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from keepgraph import store
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.store.transactions import Tx

_MAX_MEMBERS = 10_000
"""The members that are counted, of all communities together."""


def of_nodes(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """In how many episodes each entity or proposed name is mentioned."""
    entities, proposals = [hit.key for hit in hits if hit.key > 0], [-hit.key for hit in hits if hit.key < 0]
    counts: dict[Key, int] = dict(store.mentions.count_episodes(tx, entities)) if entities else {}
    if proposals:
        counts |= {-row: count for row, count in store.retrieval.count_episodes_of_proposals(tx, proposals).items()}
    return counts


def of_facts(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """From how many episodes each fact comes."""
    return store.retrieval.count_episodes_of_facts(tx, [hit.key for hit in hits])


def of_chunks(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """How many entities and proposed names each chunk mentions."""
    return Counter(chunk for chunk, _ in store.retrieval.mentioned_in_chunks(tx, [hit.key for hit in hits]))


def of_communities(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """In how many episodes the members of each community are mentioned, added up."""
    memberships = store.communities.members(tx, [hit.key for hit in hits], limit=_MAX_MEMBERS)
    counts = store.mentions.count_episodes(tx, list({entity for _, entity in memberships}))
    totals: Counter[int] = Counter()
    for community, entity in memberships:
        totals[community] += counts.get(entity, 0)
    return totals
