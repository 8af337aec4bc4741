"""The discovery toolset: Cypher queries, and search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.engine.query import empty_results, query_pipeline, schema
from keepgraph.engine.retrieval.search_request import EACH, EPISODES
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import brief_answers, brief_shapes, catalogue, search_calls
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.search_calls import SearchArguments


@tool(Effect.READ, description_suffix=lambda tx: schema.describe_patterns(tx))
def run_cypher(
    tx: Tx,
    *,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Query the graph in read-only openCypher: count, compare, follow paths, find gaps.

    Labels are types (:Person), relationship types are predicates ([:REPORTS_TO]); nodes have name, summary, aliases;
    relationships text, confidence, source, recorded_at, valid_from, valid_to (instants). Literals are
    (:Literal {value}). Small syntax errors are fixed (auto_fixes); an empty answer says what may be wrong (warnings).
    """
    started = time.perf_counter()

    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    answer = query_pipeline.run(tx, query, parameters or {}, rows=limit)
    response = {
        "query": answer.text,
        "auto_fixes": list(answer.fixes),
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
        "limit_applied": answer.limit,
        "columns": list(answer.columns),
        **search_calls.summarise(answer.columns, answer.rows),
    }
    warnings = empty_results.explain(tx, answer)
    if warnings or empty_results.is_empty(answer.rows):
        response["warnings"] = [
            {"kind": warning.kind, "written": warning.written, "message": warning.message, "near": list(warning.near)}
            for warning in warnings
        ]
    return {**response, "execution_ms": round((time.perf_counter() - started) * 1000, 2)}


@tool(Effect.READ, needs=search_calls.needs_of_search)
def search(
    tx: Tx,
    *,
    query: str = "",
    intent: str | None = None,
    search_mode: str | None = None,
    entity_types: Sequence[str] | None = None,
    edge_types: Sequence[str] | None = None,
    reranker: str | None = None,
    center_node_uuid: str | None = None,
    bfs_origin_node_uuids: Sequence[str] | None = None,
    valid_at: str | None = None,
    since: str | None = None,
    until: str | None = None,
    group_ids: Sequence[str] | None = None,
    project: str | None = None,
    limit: int | None = None,
    rank_texts: str = EACH,
    near: bool = False,
    max_tokens: int | None = None,
    detail: str = "full",
) -> dict[str, Any]:
    """Find entities, facts, communities and remembered texts by words, by meaning and by closeness in the graph.

    Ask in plain words; names are recognised. Facts are current ones. A line is `id date text`. Without a query, since,
    until or reranker=newest lists the newest texts. For ALL facts of one entity: recall_entity.
    """
    started = time.perf_counter()
    plan = search_calls.plan(
        intent, search_mode=search_mode, reranker=reranker, limit=limit, is_of_days=bool(since or until)
    )
    arguments = SearchArguments(
        query,
        entity_types,
        edge_types,
        plan.reranker,
        center_node_uuid,
        bfs_origin_node_uuids,
        valid_at,
        group_ids,
        project,
        since,
        until,
        rank_texts,
    )
    is_brief = detail == brief_answers.BRIEF
    # Where a model does not say how many texts it wants, it gets as many as it has room for.
    fills = is_brief and limit is None and intent is None
    tx, results = search_calls.run_search(
        tx,
        arguments,
        kinds=plan.kinds,
        limit=max(plan.limit, brief_shapes.limit_of_texts(max_tokens)) if fills else plan.limit,
        may_abstain=True,
        includes_near=near,
        falls_back=plan.falls_back,
    )
    if fills:
        results = results.at_most(plan.limit, but=EPISODES)
    answer = search_calls.answer(tx, results, max_tokens=None if is_brief else max_tokens)
    answer |= search_calls.other_times(tx, results, edge_types)
    is_empty = search_calls.is_empty(answer)
    answer |= search_calls.scope(tx, arguments, is_empty=is_empty)
    answer |= search_calls.communities_hint(tx, plan.kinds, is_empty=is_empty)
    if is_brief:
        answer = brief_shapes.search(answer, query=query, max_tokens=max_tokens)
    return {**answer, "execution_ms": round((time.perf_counter() - started) * 1000, 2)}
