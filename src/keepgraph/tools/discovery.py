"""The discovery toolset: Cypher queries, exploring from an entity, and search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.retrieval import neighbourhood, node_lookup, passages
from keepgraph.engine.retrieval.neighbourhood import Neighbour, Neighbourhood
from keepgraph.engine.retrieval.node_lookup import Node
from keepgraph.engine.retrieval.passages import Passage
from keepgraph.engine.retrieval.search_request import EACH, EPISODES
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.details import EntityDetails
from keepgraph.store.mention_places import MentionedNode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import (
    answer_shapes,
    brief_answers,
    brief_shapes,
    derived_data,
    search_answers,
    search_arguments,
    time_travel,
    vocabulary_arguments,
)
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.derived_data import Need
from keepgraph.tools.contract.search_arguments import SearchArguments

MAX_NAME = 200
MAX_GROUPS = 50
MAX_FACTS = 50
MAX_EPISODES = 10
MAX_MENTIONED_WITH = 20

Facts = tuple[Sequence[Fact], int]
"""Some facts, and how many there are in all."""

Texts = tuple[Sequence[Passage], int, Sequence[tuple[MentionedNode, int]]]
"""Some passages, in how many episodes there are any, and nodes mentioned with the centre, with a number of texts."""


def _describe_patterns(tx: Tx) -> str:
    # Imported here, as in the tools below: the code for Cypher takes longer to load than a search takes.
    from keepgraph.engine.query import descriptions

    return descriptions.describe_patterns(tx)


@tool(Effect.READ, description_suffix=_describe_patterns)
def run_cypher(
    tx: Tx,
    *,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Ask the graph in read-only openCypher: count, compare, follow paths, find gaps.

    Labels are types (:Person), relationship types are predicates ([:REPORTS_TO]); nodes have name, summary, aliases;
    relationships text, confidence, source, recorded_at, valid_from, valid_to (instants). Literals are
    (:Literal {value}). Slips of syntax are mended (auto_fixes); an empty answer says what may be wrong (warnings).
    """
    started = time.perf_counter()
    from keepgraph.engine.query import empty_results, query_pipeline
    from keepgraph.tools.contract import search_answers

    tx = time_travel.to(tx, as_of=as_of, known_at=known_at)
    answer = query_pipeline.run(tx, query, parameters or {}, rows=limit)
    response = {
        "query": answer.text,
        "auto_fixes": list(answer.fixes),
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
        "limit_applied": answer.limit,
        "columns": list(answer.columns),
        **search_answers.summarise(answer.columns, answer.rows),
    }
    warnings = empty_results.explain(tx, answer)
    if warnings or empty_results.is_empty(answer.rows):
        response["warnings"] = [
            {"kind": warning.kind, "written": warning.written, "message": warning.message, "near": list(warning.near)}
            for warning in warnings
        ]
    return {**response, "execution_ms": round((time.perf_counter() - started) * 1000, 2)}


def _needs_of_exploring(
    tx: Tx,
    *,
    group_ids: list[str] | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    **arguments: Any,
) -> frozenset[Need]:
    name_or_id = _named_centre(**arguments)
    tx = time_travel.to(tx, as_of=as_of, known_at=known_at)
    needs_vectors = node_lookup.needs_vectors(tx, name_or_id, groups=_groups(tx, group_ids))
    return derived_data.MENTIONS | derived_data.vectors_if(needs_vectors)


@tool(Effect.READ, needs=_needs_of_exploring)
def explore_node(
    tx: Tx,
    *,
    name: str | None = None,
    node_name: str | None = None,
    node_uuid: str | None = None,
    depth: int = 2,
    edge_types: list[str] | None = None,
    group_ids: list[str] | None = None,
    limit: int = 20,
    detail: str = "full",
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Show all that is connected with an entity (name or node_uuid), nearest first.

    nodes say by which path (via); facts are what is said of it in words; episodes mention it. `complete`: no node or
    edge is left out. Unsure, center_node is null and resolution.candidates are near names: ask.
    """
    name_or_id = _named_centre(name=name, node_name=node_name, node_uuid=node_uuid)
    tx = time_travel.to(tx, as_of=as_of, known_at=known_at)
    predicates = vocabulary_arguments.predicates(tx, edge_types)
    depth = min(depth, neighbourhood.MAX_DEPTH)
    groups = _groups(tx, group_ids)
    centre, resolution = node_lookup.resolve(tx, name_or_id, groups=groups)
    if centre is None:
        return _describe_neighbourhood(tx, None, Neighbourhood(), depth=depth) | {
            "message": (resolution.is_ambiguous and resolution.hint) or f"No node found matching “{name_or_id}”",
            "resolution": answer_shapes.resolution(resolution),
            **answer_shapes.other_groups_if_any(tx),
        }
    tx = replace(tx, group=centre.group)
    exploration = Neighbourhood()
    if isinstance(centre.record, Entity):
        exploration = neighbourhood.explore(tx, centre.record, depth=depth, predicates=predicates, limit=limit)
    context = _facts_and_texts(tx, centre, predicates, until=timestamps.from_datetime(tx.now) if as_of else None)
    answer = _describe_neighbourhood(tx, centre, exploration, depth=depth, **context)
    counts = (
        f"{len(exploration.neighbours)} nodes, {len(exploration.facts)} edges, {len(answer['communities'])} communities"
    )
    is_similar = resolution.method not in ("exact", "alias")
    matched_by = f" (“{name_or_id}” matched by {resolution.method}, {resolution.score:.2f})" if is_similar else ""
    answer |= {
        "message": f"Found {counts} around {centre.name}{matched_by}",
        **(
            answer_shapes.other_times(tx, [centre.record.row], predicates=predicates)
            if isinstance(centre.record, Entity)
            else {}
        ),
        "resolution": answer_shapes.resolution(resolution),
    }
    return brief_shapes.exploration(answer) if detail == brief_answers.BRIEF else answer


@tool(Effect.READ, needs=search_arguments.needs_of_search)
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
    """Find entities, facts, communities and remembered texts by words, meaning and closeness in the graph.

    Ask in plain words; names are recognised. Facts are current ones. A line is `id date text`. Without a query, since,
    until or reranker newest list the newest texts. For ALL facts of one entity use explore_node.
    """
    started = time.perf_counter()
    plan = search_arguments.plan(
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
    tx, results = search_arguments.run_search(
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
    answer = search_answers.answer(tx, results, max_tokens=None if is_brief else max_tokens)
    answer |= search_answers.other_times(tx, results, edge_types)
    is_empty = search_answers.is_empty(answer)
    answer |= search_answers.scope(tx, arguments, is_empty=is_empty)
    answer |= search_answers.communities_hint(tx, plan.kinds, is_empty=is_empty)
    if is_brief:
        answer = brief_shapes.search(answer, query=query, max_tokens=max_tokens)
    return {**answer, "execution_ms": round((time.perf_counter() - started) * 1000, 2)}


def _named_centre(
    *, name: str | None = None, node_name: str | None = None, node_uuid: str | None = None, **_: object
) -> str:
    """The name or the id that a call of explore_node gives."""
    name_or_id = node_uuid or name or node_name or ""
    if not normalisation.key(name_or_id):
        raise errors.NameOrAliasRequired("nothing is named: give name, or node_name or node_uuid")
    if len(name_or_id) > MAX_NAME:
        raise errors.NameOrAliasTooLong(f"the name has {len(name_or_id):,} characters; {MAX_NAME} are the most")
    return name_or_id


def _groups(tx: Tx, group_ids: list[str] | None) -> list[str]:
    groups = list(dict.fromkeys(group_ids or [tx.group]))
    if len(groups) > MAX_GROUPS:
        raise errors.InvalidArguments(f"group_ids names {len(groups)} groups; {MAX_GROUPS} are the most")
    return groups


def _describe_neighbourhood(
    tx: Tx,
    centre: Node | None,
    exploration: Neighbourhood,
    *,
    depth: int,
    facts: Facts = ((), 0),
    texts: Texts = ((), 0, ()),
) -> dict[str, Any]:
    """The answer of explore_node, without the message and the resolution of the name."""
    (facts_about, fact_total), (passages, passage_total, mentioned_entities) = facts, texts
    rows = [node.entity.row for node in exploration.neighbours]
    entity = centre.record if centre and isinstance(centre.record, Entity) else None
    entity_details = store.details.of_entities(tx, [*rows, entity.row] if entity else rows)
    fact_details = store.details.of_facts(tx, [fact.row for fact in (*exploration.facts, *facts_about)])
    ids = {fact.row: fact.id for fact in exploration.facts}
    return {
        "center_node": _describe_centre(tx, centre, entity_details),
        "nodes": [
            {
                **answer_shapes.node(tx, node.entity, entity_details[node.entity.row]),
                "distance": node.distance,
                "degree": node.degree,
                "via": _via(node, ids),
            }
            for node in exploration.neighbours
        ],
        "edges": [answer_shapes.edge(tx, fact, fact_details[fact.row], seen_from=entity) for fact in exploration.facts],
        "facts": [answer_shapes.edge(tx, fact, fact_details[fact.row]) for fact in facts_about],
        "episodes": [answer_shapes.episode(tx, passage.episode, chunk=passage.quote) for passage in passages],
        "mentioned_with": [
            {"uuid": node.id, "name": node.name, "type": node.type, "texts": number}
            | ({"proposed": True} if node.proposed else {})
            for node, number in mentioned_entities[:MAX_MENTIONED_WITH]
        ],
        "communities": [
            answer_shapes.community(tx, community)
            for community in (store.communities.of_entities(tx, [entity.row]).get(entity.row, ()) if entity else ())
        ],
        "totals": {
            "depth": depth,
            "by_distance": [
                {"distance": ring.distance, "nodes": ring.total, "exact": ring.exact} for ring in exploration.counts
            ],
            "edges": exploration.fact_total,
            "facts": fact_total,
            "episodes": passage_total,
        },
        "complete": exploration.complete and not store.mention_queue.any_unread(tx),
        "truncated": not exploration.complete
        or fact_total > len(facts_about)
        or passage_total > len(passages)
        or len(mentioned_entities) > MAX_MENTIONED_WITH,
    }


def _facts_and_texts(tx: Tx, centre: Node, predicates: Sequence[str] | None, *, until: str | None) -> dict[str, Any]:
    """The facts of an entity with a literal, and the texts that mention it, newest first."""
    result: dict[str, Any] = {}
    if isinstance(centre.record, Entity):
        result["facts"] = neighbourhood.literal_facts(tx, centre.record, predicates=predicates, limit=MAX_FACTS)
    if predicates is None or not set(predicates).isdisjoint(answer_shapes.mention_predicates(tx)):
        positions = store.mention_places.by_episode(
            tx, centre.record, until=until, limit=MAX_EPISODES, newest_first=True
        )
        result["texts"] = (
            passages.read(tx, centre, positions),
            store.mention_places.count_episodes(tx, centre.record, until=until),
            passages.mentioned_with(tx, centre, limit=MAX_MENTIONED_WITH + 1),
        )
    return result


def _describe_centre(tx: Tx, centre: Node | None, entity_details: Mapping[int, EntityDetails]) -> dict[str, Any] | None:
    if centre is None:
        return None
    if isinstance(centre.record, Entity):
        aliases = store.entities.aliases(tx, centre.record)
        return {**answer_shapes.node(tx, centre.record, entity_details[centre.record.row]), "aliases": aliases}
    return {**answer_shapes.proposed_node(tx, centre.record, group=centre.group), "aliases": []}


def _via(neighbour: Neighbour, ids: Mapping[int, str]) -> dict[str, str] | None:
    if neighbour.fact is None or neighbour.previous is None:
        return None
    return {"edge": ids[neighbour.fact], "from": neighbour.previous.id, "path": neighbour.path}
