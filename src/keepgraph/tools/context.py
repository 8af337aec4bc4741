"""The context toolset: the context of the next turn of a conversation, of some entities, and of a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, retrieval, vector_backfill
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.retrieval import neighbourhood, node_lookup, retrievers, search
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.engine.retrieval.node_lookup import Node
from keepgraph.engine.retrieval.search_request import (
    BFS,
    EDGES,
    EPISODES,
    HYBRID,
    NODES,
    PPR,
    ChunkResult,
    NodeResult,
    SearchRequest,
    SearchResults,
)
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, Fact
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes, catalogue, context_answers, search_calls
from keepgraph.tools.contract.catalogue import Effect, Need, tool
from keepgraph.tools.contract.context_answers import Entry

if TYPE_CHECKING:
    from keepgraph.engine.retrieval.expansion import Expansion, MultiHopResults

MAX_ENTITIES = 5
MAX_FACTS = 10
MAX_NEIGHBOURS = 10
MAX_NAMES = 20
MAX_CANDIDATES = 3
MAX_EXPANDED = 50
"""At most this many chunks, facts and neighbours of an expansion, whatever the room."""

TRAVERSAL_OF_STRATEGY = {"factoid": BFS, "multi_hop": HYBRID, "temporal": BFS, "comparative": PPR}
"""The traversal for each kind of question."""


@tool(Effect.READ, needs=catalogue.MENTIONS_AND_VECTORS)
def priming_context(tx: Tx, *, query: str, k: int = 3, project: str | None = None) -> dict[str, Any]:
    """Give what is known for the next turn of a conversation: the k best chunks, facts, and neighbours.

    `context` has all of it as one text, each chunk with its source; `entities` are the names in the query and in the
    chunks. With project, only what is about it, or what is in the group with that id. Fast; no language model is used.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    filters = _filters(tx, scope)
    results = search.search(
        tx,
        SearchRequest(
            question=query,
            kinds=frozenset((NODES, EDGES, EPISODES)),
            filters=filters,
            limit=max(k, MAX_FACTS),
        ),
    )
    passages = results.episodes[:k]
    entities = [hit.entity for hit in results.nodes if hit.entity and "names" in hit.hit.why][:MAX_ENTITIES]
    facts = _facts(tx, [] if filters.about is not None else entities, results, at=filters.at)
    fact_details = store.details.of_facts(tx, [fact.row for fact in facts])
    return {
        "chunks": [context_answers.chunk(tx, hit) for hit in passages],
        "context": context_answers.context(passages, facts),
        "entities": _entity_names(tx, [_name(hit) for hit in results.nodes if "names" in hit.hit.why], passages),
        "facts": [answer_shapes.edge(tx, fact, fact_details[fact.row]) for fact in facts],
        "neighbours": _neighbours(tx, entities),
        "project": scope.label,
        **answer_shapes.scope(tx, scope),
        "session_id": tx.session,
        "truncated": bool(results.truncated_kinds) or len(results.episodes) > k or len(facts) == MAX_FACTS,
        "embedding": results.embedding_state,
    }


def _needs_to_expand(tx: Tx, *, entity_ids: list[str], **others: Any) -> frozenset[Need]:
    """Mentions; and vectors of names, where letters find nothing for one of these."""
    groups = [knowledge.projects.read(tx, others.get("project")).group]
    needs_vectors = any(Name(given).key and node_lookup.needs_vectors(tx, given, groups=groups) for given in entity_ids)
    return catalogue.MENTIONS | catalogue.vectors_if(needs_vectors)


@tool(Effect.READ, needs=_needs_to_expand)
def expand_context(
    tx: Tx,
    *,
    entity_ids: list[str],
    hops: int = 2,
    project: str | None = None,
    max_tokens: int = 4_000,
) -> dict[str, Any]:
    """Give what the graph holds around some entities, within a number of hops: texts, facts and neighbours.

    Use it after priming_context, with names or ids from there. The nearest comes first, along facts in both directions
    and through texts that mention both; `context` has texts and facts as one text, within max_tokens. With project,
    only what is about it. `unknown` lists names that are not certain, with candidates.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    nodes, unknown = _resolve(tx, entity_ids)
    around = (
        retrieval.expansion.expand(tx, list(nodes), hops=hops, filters=_filters(tx, scope), limit=MAX_EXPANDED)
        if nodes
        else retrieval.expansion.Expansion()
    )
    reason = vector_backfill.unavailable_reason(tx)
    answer = {
        "expanded": [context_answers.node(node.record) for node in nodes.values()],
        "hops": hops,
        "project": scope.label,
        **answer_shapes.scope(tx, scope),
        "session_id": tx.session,
        "embedding": f"off: {reason}" if reason else "on",
        **answer_shapes.filled(unknown=unknown),
    }
    found = _lists(tx, nodes.values(), around)
    lists, is_cut = context_answers.within_tokens(found, rest=answer, max_tokens=max_tokens)
    return {**answer, **lists, "truncated": around.truncated or is_cut}


@tool(Effect.READ, needs=catalogue.MENTIONS_AND_VECTORS)
def hydra_search(
    tx: Tx,
    *,
    query: str,
    k: int = 5,
    hops: int = 2,
    project: str | None = None,
    traversal: str = "",
    strategy_override: str = "",
) -> dict[str, Any]:
    """Search texts and facts for a question of several steps: words, vectors and the graph around what it names.

    `traversal` says how the graph ranks: bfs (nearest to the names in the query), ppr (personalised PageRank over facts
    and mentions, also from texts that resemble the query) or hybrid (both; it finds the most). `context` has the best
    as one text; verified_relations are the nearest current facts. No language model is used.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    results = retrieval.expansion.find(
        tx,
        query,
        filters=_filters(tx, scope),
        traversal=traversal or TRAVERSAL_OF_STRATEGY.get(strategy_override, tx.settings.traversal),
        hops=hops,
        limit=k,
    )
    seeds = [context_answers.node(seed) for seed in results.seeds]
    text = context_answers.context(results.chunks, results.facts)
    return {
        "chunks": [_ranked_chunk(tx, passage) for passage in results.chunks],
        "context": text,
        "final_context": text,
        "verified_relations": [_relation(fact) for fact in results.facts],
        "entities": _entity_names(tx, [seed["name"] for seed in seeds], results.chunks),
        "seeds": seeds,
        **_evidence(tx, results),
        "traversal": results.traversal,
        "ppr": _ranks(results),
        "bm25": {"enabled": True, "candidates": results.candidates_by_words},
        "planner": {"enabled": bool(strategy_override), "strategy": strategy_override or None},
        "project": scope.label,
        **answer_shapes.scope(tx, scope),
        "session_id": tx.session,
        "truncated": results.candidates > len(results.chunks) or len(results.facts) == MAX_FACTS,
        **answer_shapes.filled(graph_truncated=results.graph_truncated),
        "embedding": results.embedding_state,
    }


def _filters(tx: Tx, scope: Scope) -> Filters:
    """What holds now in the group; of a project, what is about it."""
    about = scope.project.row if scope.project else search_calls.NO_ENTITY if scope.is_unknown else None
    return Filters(groups=(tx.group,), at=tx.at, about=about)


def _facts(tx: Tx, entities: Sequence[Entity], results: SearchResults, *, at: str) -> list[Fact]:
    """The current facts of the named entities, newest first for each; then the facts that search found."""
    per_entity = max(MAX_FACTS // max(len(entities), 1), 2)
    facts = [fact for entity in entities for fact in store.facts.about(tx, entity, at=at, limit=per_entity)]
    facts += [edge.fact for edge in results.edges]
    return list({fact.row: fact for fact in facts}.values())[:MAX_FACTS]


def _entity_names(tx: Tx, named: Sequence[str], passages: Sequence[ChunkResult]) -> list[str]:
    """The names that are given, and those that the passages mention."""
    mentioned = store.mentions.nodes_in_chunks(tx, [hit.chunk.row for hit in passages])
    return list(dict.fromkeys([*named, *(node.name for node in mentioned)]))[:MAX_NAMES]


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


def _resolve(tx: Tx, names_or_ids: Sequence[str]) -> tuple[dict[Key, Node], list[dict[str, Any]]]:
    """The nodes with these names or ids, each once, and the names that nothing has for sure, with candidates.

    Raises:
        errors.NameOrAliasRequired: one is empty.
    """
    nodes: dict[Key, Node] = {}
    unknown = []
    for given in names_or_ids:
        if not Name(given).key:
            raise errors.NameOrAliasRequired("one of entity_ids is empty")
        node, resolution = node_lookup.resolve(tx, given, groups=[tx.group])
        if node is None:
            candidates = [answer_shapes.candidate(candidate) for candidate in resolution.candidates[:MAX_CANDIDATES]]
            hint = {"hint": resolution.hint} if resolution.hint else {}
            unknown.append({"given": given, "candidates": candidates, **hint})
            continue
        nodes[node.record.row if isinstance(node.record, Entity) else -node.record.row] = node
    return nodes, unknown


def _lists(tx: Tx, nodes: Iterable[Node], around: Expansion) -> dict[str, list[Entry]]:
    details = store.details.of_facts(tx, [fact.row for fact in around.facts])
    return {
        "chunks": [
            Entry(context_answers.chunk(tx, passage), context_answers.text_of(passage)) for passage in around.chunks
        ],
        "facts": [
            Entry(answer_shapes.edge(tx, fact, details[fact.row]), knowledge.facts.sentence(fact))
            for fact in around.facts
        ],
        "neighbours": [
            Entry(
                {
                    "uuid": reached.entity.id,
                    **answer_shapes.entity(reached.entity),
                    "distance": reached.distance,
                    "path": reached.path,
                }
            )
            for reached in around.neighbours
        ],
        "entities": [Entry(name) for name in _entity_names(tx, [node.name for node in nodes], around.chunks)],
    }


def _ranked_chunk(tx: Tx, passage: ChunkResult) -> dict[str, Any]:
    """A chunk with its cosine and why it was found."""
    likeness = passage.hit.why.get("meaning")
    return {
        **context_answers.chunk(tx, passage),
        "similarity": likeness.score if likeness else None,
        "why": search_calls.why(passage.hit),
    }


def _relation(fact: Fact) -> dict[str, Any]:
    return {
        "from": fact.subject.name,
        "relation": fact.predicate,
        "to": fact.object.name if fact.object else fact.literal,
        "confidence": fact.confidence,
        "fact_id": fact.id,
        "source": fact.source,
    }


def _evidence(tx: Tx, results: MultiHopResults) -> dict[str, Any]:
    """What speaks for each chunk: more than a weak likeness, and both ends of a relation that it names."""
    ids = {passage.chunk.row: f"{passage.episode.id}#{passage.chunk.position}" for passage in results.chunks}
    supported = [ids[passage.chunk.row] for passage in results.chunks if retrievers.is_clearly_relevant(passage.hit)]
    mentioned: dict[int, set[str]] = {}
    for node in store.mentions.nodes_in_chunks(tx, list(ids)):
        mentioned.setdefault(node.chunk, set()).add(node.id)
    ends = [{fact.subject.id, fact.object.id} for fact in results.facts if fact.object]
    rejected = len(ids) - len(supported)
    return {
        "filtered": supported,
        "verified": [id for row, id in ids.items() if any(pair <= mentioned.get(row, set()) for pair in ends)],
        "chunks_total": results.candidates,
        "rejected_vector": rejected,
        "rejected_srmkg": rejected,
        "rejected_vog": 0,
        "avg_vog_score": None,
    }


def _ranks(results: MultiHopResults) -> Mapping[str, Any] | None:
    if results.ranks is None:
        return None
    return {
        "iterations": results.ranks.iterations,
        "converged": results.ranks.converged,
        "n_seeds": results.ranks.seeds,
        "n_scored": results.ranks.scored,
    }
