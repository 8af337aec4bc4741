"""The context toolset: the context of the next turn of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import neighbourhood, search
from keepgraph.engine.retrieval.search_request import EDGES, EPISODES, NODES, SearchRequest
from keepgraph.engine.retrieval.search_results import ChunkResult, NodeResult, SearchResults
from keepgraph.model import Entity, Fact
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, derived_data, search_arguments
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_ENTITIES = 5
MAX_FACTS = 10
MAX_NEIGHBOURS = 10
MAX_NAMES = 20
_SEPARATOR = "\n---\n"


@tool(Effect.READ, needs=derived_data.MENTIONS_AND_VECTORS)
def priming_context(
    tx: Tx, *, query: str, k: int = 3, project: str | None = None, session_id: str | None = None
) -> dict[str, Any]:
    """Give what is known for the next turn of a conversation: the k best pieces of texts, facts, and neighbours.

    `context` is all of it as one text, each piece with its source; `entities` are the names in the query and in the
    pieces. With project, only what is about it; the id of a group means that group. Quick, and no language model is
    asked.
    """
    scope = knowledge.projects.read(tx, project)
    tx = knowledge.projects.enter(tx, scope)
    about = scope.project.row if scope.project else search_arguments.NO_ENTITY if scope.is_unknown else None
    at = timestamps.from_datetime(tx.now)
    results = search.search(
        tx,
        SearchRequest(
            question=query,
            kinds=frozenset((NODES, EDGES, EPISODES)),
            filters=Filters(groups=(tx.group,), at=at, about=about),
            limit=max(k, MAX_FACTS),
        ),
    )
    passages = results.episodes[:k]
    entities = [hit.entity for hit in results.nodes if hit.entity and "names" in hit.hit.why][:MAX_ENTITIES]
    facts = _facts(tx, [] if about is not None else entities, results, at=at)
    fact_details = store.details.of_facts(tx, [fact.row for fact in facts])
    return {
        "chunks": [_chunk(tx, hit) for hit in passages],
        "context": _context(passages, facts),
        "entities": _entity_names(tx, results, passages),
        "facts": [answer_shapes.edge(tx, fact, fact_details[fact.row]) for fact in facts],
        "neighbours": _neighbours(tx, entities),
        "project": scope.label,
        **answer_shapes.scope(tx, scope),
        "session_id": session_id or tx.session,
        "truncated": bool(results.truncated_kinds) or len(results.episodes) > k or len(facts) == MAX_FACTS,
        "embedding": results.embedding_state,
    }


def _facts(tx: Tx, entities: Sequence[Entity], results: SearchResults, *, at: str) -> list[Fact]:
    """The current facts of the named entities, newest first for each; then the facts that search found."""
    per_entity = max(MAX_FACTS // max(len(entities), 1), 2)
    facts = [fact for entity in entities for fact in store.facts.about(tx, entity, at=at, limit=per_entity)]
    facts += [edge.fact for edge in results.edges]
    return list({fact.row: fact for fact in facts}.values())[:MAX_FACTS]


def _chunk(tx: Tx, passage: ChunkResult) -> dict[str, Any]:
    return {
        "id": f"{passage.episode.id}#{passage.chunk.position}",
        "text": passage.chunk.text,
        "source": _source(passage),
        "doc_id": passage.episode.id,
        "chunk_idx": passage.chunk.position,
        "score": passage.hit.score,
        "valid_at": timestamps.format_local(passage.episode.occurred_at, tx.zone),
        "project": passage.episode.group,
    }


def _context(passages: Sequence[ChunkResult], facts: Sequence[Fact]) -> str:
    parts = [
        f"[{number}] Source: {_source(passage)}\n{passage.chunk.text.strip()}"
        for number, passage in enumerate(passages, 1)
    ]
    if facts:
        parts.append("\n".join(["Facts", *(f"- {knowledge.facts.sentence(fact)}" for fact in facts)]))
    return _SEPARATOR.join(parts)


def _source(passage: ChunkResult) -> str:
    """The source of a text, or its name if it has none."""
    return passage.episode.source or passage.episode.name


def _entity_names(tx: Tx, results: SearchResults, passages: Sequence[ChunkResult]) -> list[str]:
    names = [_name(hit) for hit in results.nodes if "names" in hit.hit.why]
    names += [hit.name for hit in store.mention_places.nodes_in_chunks(tx, [hit.chunk.row for hit in passages])]
    return list(dict.fromkeys(names))[:MAX_NAMES]


def _name(node: NodeResult) -> str:
    if node.proposal is not None:
        return node.proposal.subject
    return node.entity.name if node.entity else ""


def _neighbours(tx: Tx, entities: Sequence[Entity]) -> list[dict[str, Any]]:
    """The neighbours of the named entities, without these entities, each once."""
    entity_rows = {entity.row for entity in entities}
    neighbours = [
        neighbour
        for entity in entities
        for neighbour in neighbourhood.explore(tx, entity, depth=1, limit=MAX_NEIGHBOURS).neighbours
        if neighbour.entity.row not in entity_rows
    ]
    first = {neighbour.entity.row: neighbour for neighbour in reversed(neighbours)}
    distinct = [neighbour for neighbour in neighbours if first[neighbour.entity.row] is neighbour]
    return [
        {"uuid": neighbour.entity.id, **answer_shapes.entity(neighbour.entity), "path": neighbour.path}
        for neighbour in distinct[:MAX_NEIGHBOURS]
    ]
