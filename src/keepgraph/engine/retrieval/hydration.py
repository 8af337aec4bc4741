"""Hydration of hits: reads the entities, facts, chunks and communities that they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.retrieval.fusion import Hit
from keepgraph.engine.retrieval.search_request import ChunkResult, CommunityResult, FactResult, NodeResult
from keepgraph.model import Proposal
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx


def nodes(tx: Tx, hits: Sequence[Hit], filters: Filters) -> list[NodeResult]:
    """The entities and proposed names that pass the filters by group and type."""
    entity_rows = [hit.key for hit in hits if hit.key > 0]
    proposal_rows = [-hit.key for hit in hits if hit.key < 0]
    entities = store.retrieval.entities(tx, entity_rows, filters) if entity_rows else {}
    details = store.details.of_entities(tx, list(entities)) if entities else {}
    proposals = store.proposals.by_rows(tx, proposal_rows) if proposal_rows else {}
    groups = store.retrieval.groups_of_proposals(tx, proposal_rows) if proposal_rows else {}
    results = []
    for hit in hits:
        if hit.key in entities:
            results.append(NodeResult(hit, entity=entities[hit.key], details=details[hit.key]))
            continue
        proposal = proposals.get(-hit.key)
        if proposal and groups[proposal.row] in filters.groups and _has_type(proposal, filters.types):
            results.append(NodeResult(hit, proposal=proposal, group=groups[proposal.row]))
    return results


def facts(tx: Tx, hits: Sequence[Hit]) -> list[FactResult]:
    """The facts, without their details."""
    by_row = {fact.row: fact for fact in store.facts.by_rows(tx, [hit.key for hit in hits])}
    return [FactResult(hit, by_row[hit.key], None) for hit in hits]


def add_details(tx: Tx, results: Sequence[FactResult]) -> list[FactResult]:
    """The same facts with their groups and the episodes that they come from."""
    details = store.details.of_facts(tx, [result.fact.row for result in results]) if results else {}
    return [replace(result, details=details.get(result.fact.row)) for result in results]


def chunks(tx: Tx, hits: Sequence[Hit]) -> list[ChunkResult]:
    """The chunks with their episodes."""
    rows = [hit.key for hit in hits]
    episode_rows = store.retrieval.episodes_of_chunks(tx, rows)
    by_row = store.episodes.chunks_by_rows(tx, rows)
    episodes = store.episodes.by_rows(tx, [episode_rows[row] for row in rows])
    return [ChunkResult(hit, episodes[episode_rows[hit.key]], by_row[hit.key]) for hit in hits]


def communities(tx: Tx, hits: Sequence[Hit]) -> list[CommunityResult]:
    """The communities."""
    rows = [hit.key for hit in hits]
    by_row = store.communities.by_rows(tx, rows)
    return [CommunityResult(hit, by_row[hit.key]) for hit in hits if hit.key in by_row]


def _has_type(proposal: Proposal, types: Sequence[str] | None) -> bool:
    return types is None or proposal.subject_type in types
