"""The discovery toolset: what there is in the graph, and questions of one's own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.backfill import requests
from keepgraph.engine.query import descriptions, empty_results, queries, schema
from keepgraph.engine.retrieval import neighbourhood
from keepgraph.engine.retrieval.neighbourhood import Neighbourhood, Passage, Reached, Subject
from keepgraph.engine.texts import mention_index
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.database import Tx
from keepgraph.store.neighbourhood import Named, Particulars
from keepgraph.temporal import timestamps
from keepgraph.tools import views
from keepgraph.tools.contract import query_results, search_requests, shape
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_NAME = 200
MAX_GROUPS = 50
MAX_FACTS = 50
MAX_EPISODES = 10
MAX_MENTIONED_WITH = 20

Facts = tuple[Sequence[Fact], int]
Texts = tuple[Sequence[Passage], int, Sequence[tuple[Named, int]]]


@tool(Effect.READ, told=descriptions.of_words)
def get_schema(tx: Tx, *, exact: bool = False, as_of: str | None = None, known_at: str | None = None) -> dict[str, Any]:
    """Show what the graph holds: labels and relationship types with counts, properties, and what connects what."""
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    return {
        "type": "schema",
        "graph_name": tx.group,
        "domain": tx.group.replace("_", " ").title(),
        **shape.schema(schema.of_graph(tx, exact=exact)),
    }


@tool(Effect.READ, told=descriptions.of_patterns)
def run_cypher(
    tx: Tx,
    *,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Ask the graph in read-only openCypher: count, compare, follow paths, find gaps. Look at get_schema first.

    Labels are types (:Person), relationship types are predicates ([:REPORTS_TO]); nodes have name, summary, aliases;
    relationships text, confidence, source, recorded_at, valid_from, valid_to (ISO text). Literals are
    (:Literal {value}). Slips of syntax are mended (auto_fixes); an empty answer says what may be wrong (warnings).
    """
    began = time.perf_counter()
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    answer = queries.answer(tx, query, parameters or {}, rows=limit)
    found = {
        "query": answer.text,
        "auto_fixes": list(answer.fixes),
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
        "limit_applied": answer.limit,
        "columns": list(answer.columns),
        **query_results.shown(answer.columns, answer.rows),
    }
    if empty_results.is_hollow(answer.rows):
        found["warnings"] = [
            {"kind": each.kind, "written": each.written, "message": each.message, "near": list(each.near)}
            for each in empty_results.of_nothing(tx, answer, parameters or {})
        ]
    return {**found, "execution_ms": round((time.perf_counter() - began) * 1000, 2)}


@tool(Effect.READ)
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
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Show all that is connected with an entity (name or node_uuid), nearest first, to depth 1-4 (2).

    nodes say by which path (via); facts are what is said of it in words; episodes mention it. `complete`: no node or
    edge is left out. Unsure, center_node is null and resolution.candidates are near names: ask.
    """
    asked = node_uuid or name or node_name or ""
    if not normalisation.key(asked):
        raise errors.NameOrAliasRequired("nothing is named: give name, or node_name or node_uuid")
    if len(asked) > MAX_NAME:
        raise errors.NameOrAliasTooLong(f"the name has {len(asked):,} characters; {MAX_NAME} are the most")
    mention_index.see_to(tx)
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    along = search_requests.predicates_meant(tx, edge_types)
    depth = min(depth, neighbourhood.MAX_DEPTH)
    groups = list(dict.fromkeys(group_ids or [tx.group]))
    if len(groups) > MAX_GROUPS:
        raise errors.InvalidArguments(f"group_ids names {len(groups)} groups; {MAX_GROUPS} are the most")
    centre, found = neighbourhood.look_up(tx, asked, groups=groups)
    if centre is None:
        return _around(tx, None, Neighbourhood(), depth=depth) | {
            "message": f"No node found matching “{asked}”",
            "resolution": shape.resolution(found),
        }
    tx = replace(tx, group=centre.group)
    near = Neighbourhood()
    if isinstance(centre.found, Entity):
        near = neighbourhood.neighbourhood(tx, centre.found, depth=depth, predicates=along, limit=limit)
    said = _said(tx, centre, along, until=timestamps.stamp(tx.now) if as_of else None)
    answer = _around(tx, centre, near, depth=depth, **said)
    counted = f"{len(near.reached)} nodes, {len(near.edges)} edges, {len(answer['communities'])} communities"
    guessed = found.method not in ("exact", "alias")
    how = f" (“{asked}” matched by {found.method}, {found.score:.2f})" if guessed else ""
    return answer | {
        "message": f"Found {counted} around {centre.name}{how}",
        "resolution": shape.resolution(found),
    }


def _around(
    tx: Tx,
    centre: Subject | None,
    near: Neighbourhood,
    *,
    depth: int,
    facts: Facts = ((), 0),
    texts: Texts = ((), 0, ()),
) -> dict[str, Any]:
    """The answer of explore_node, but for the message and for how the name was understood."""
    (said, fact_total), (passages, text_total, others) = facts, texts
    rows = [each.entity.row for each in near.reached]
    entity = centre.found if centre and isinstance(centre.found, Entity) else None
    known = store.neighbourhood.particulars(tx, [*rows, entity.row] if entity else rows)
    backing = store.neighbourhood.backing(tx, [fact.row for fact in (*near.edges, *said)])
    ids = {fact.row: fact.id for fact in near.edges}
    return {
        "center_node": _centre(tx, centre, known),
        "nodes": [
            {
                **shape.node(tx, each.entity, known[each.entity.row]),
                "distance": each.distance,
                "degree": each.degree,
                "via": _via(each, ids),
            }
            for each in near.reached
        ],
        "edges": [shape.edge(tx, fact, backing[fact.row]) for fact in near.edges],
        "facts": [shape.edge(tx, fact, backing[fact.row]) for fact in said],
        "episodes": [shape.episode(tx, each.episode, chunk=each.quote) for each in passages],
        "mentioned_with": [
            {"uuid": each.id, "name": each.name, "type": each.type, "texts": number}
            | ({"proposed": True} if each.proposed else {})
            for each, number in others[:MAX_MENTIONED_WITH]
        ],
        "communities": [
            shape.community(tx, each)
            for each in (store.neighbourhood.communities_of(tx, [entity.row]).get(entity.row, ()) if entity else ())
        ],
        "totals": {
            "depth": depth,
            "by_distance": [
                {"distance": ring.distance, "nodes": ring.total, "exact": ring.exact} for ring in near.rings
            ],
            "edges": near.edge_total,
            "facts": fact_total,
            "episodes": text_total,
        },
        "complete": near.complete and not requests.was_wanted(tx, requests.READINGS),
        "truncated": not near.complete
        or fact_total > len(said)
        or text_total > len(passages)
        or len(others) > MAX_MENTIONED_WITH,
    }


def _said(tx: Tx, centre: Subject, along: Sequence[str] | None, *, until: str | None) -> dict[str, Any]:
    """What is said of something in so many words, and the texts that speak of it, the newest first."""
    found: dict[str, Any] = {}
    if isinstance(centre.found, Entity):
        found["facts"] = neighbourhood.facts_about(tx, centre.found, predicates=along, limit=MAX_FACTS)
    if along is None or shape.MENTIONED in along:
        places = store.neighbourhood.telling(tx, centre.found, until=until, limit=MAX_EPISODES, newest_first=True)
        found["texts"] = (
            neighbourhood.passages(tx, centre, places),
            store.neighbourhood.count_telling(tx, centre.found, until=until),
            neighbourhood.mentioned_with(tx, centre, limit=MAX_MENTIONED_WITH + 1),
        )
    return found


def _centre(tx: Tx, centre: Subject | None, known: Mapping[int, Particulars]) -> dict[str, Any] | None:
    if centre is None:
        return None
    if isinstance(centre.found, Entity):
        aliases = store.entities.aliases(tx, centre.found)
        return {**shape.node(tx, centre.found, known[centre.found.row]), "aliases": aliases}
    return {**shape.proposed_node(tx, centre.found, group=centre.group), "aliases": []}


def _via(reached: Reached, ids: Mapping[int, str]) -> dict[str, str] | None:
    if reached.fact is None or reached.before is None:
        return None
    return {"edge": ids[reached.fact], "from": reached.before.id, "path": reached.path}


@tool(Effect.READ)
def search(
    tx: Tx,
    *,
    query: str = "",
    search_mode: str = search_requests.COMBINED,
    entity_types: Sequence[str] | None = None,
    edge_types: Sequence[str] | None = None,
    reranker: str = "rrf",
    center_node_uuid: str | None = None,
    bfs_origin_node_uuids: Sequence[str] | None = None,
    valid_at: str | None = None,
    group_ids: Sequence[str] | None = None,
    limit: int = 10,
    max_tokens: int | None = None,
) -> dict[str, Any]:
    """Find entities, facts, communities and remembered texts by words, meaning and closeness in the graph.

    Ask in plain words; names are recognised. Facts are current ones. Each hit says why. For ALL facts of one entity
    use explore_node.
    """
    began = time.perf_counter()
    tx, found = search_requests.look_for(
        tx,
        query=query,
        kinds=search_requests.KINDS_OF_MODE[search_mode],
        entity_types=entity_types,
        edge_types=edge_types,
        reranker=reranker,
        center_node_uuid=center_node_uuid,
        bfs_origin_node_uuids=bfs_origin_node_uuids,
        valid_at=valid_at,
        group_ids=group_ids,
        limit=limit,
    )
    answer = search_requests.answer(tx, found, max_tokens=max_tokens)
    return {**answer, "execution_ms": round((time.perf_counter() - began) * 1000, 2)}
