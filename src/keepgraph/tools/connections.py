"""The connections toolset: what is around an entity, its facts, the texts that mention it, paths, lists of entities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import neighbourhood, node_lookup, passages, search_request
from keepgraph.engine.retrieval.neighbourhood import Neighbour, Neighbourhood
from keepgraph.engine.retrieval.node_lookup import Node
from keepgraph.engine.retrieval.passages import Passage
from keepgraph.english import count_noun
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact, Proposal, Resolution
from keepgraph.store.details import EntityDetails
from keepgraph.store.mentions import MentionedNode
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers, brief_shapes, catalogue, search_calls
from keepgraph.tools.contract.catalogue import Effect, Need, tool
from keepgraph.tools.contract.search_calls import SearchArguments

if TYPE_CHECKING:
    from keepgraph.engine.topology import TracedPath

MAX_NAME = 200
MAX_GROUPS = 50
MAX_FACTS = 50
MAX_EPISODES = 10
MAX_MENTIONED_WITH = 20

Facts = tuple[Sequence[Fact], int]
"""Some facts, and how many there are in all."""

Texts = tuple[Sequence[Passage], int, Sequence[tuple[MentionedNode, int]]]
"""Some passages, in how many episodes there are any, and nodes mentioned with the centre, with a number of texts."""

MAX_EVENTS = 200
MAX_CONTENT = 4_000
"""A timeline shows this many characters of a text; get_full_document has all of it."""

_MENTION_ID = re.compile(r"mention:(\d{1,15}):(\d{1,15}|prop_[0-9a-z]{26})")


def _needs_of_exploring(
    tx: Tx,
    *,
    group_ids: list[str] | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    **arguments: Any,
) -> frozenset[Need]:
    name_or_id = _named_centre(**arguments)
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    needs_vectors = node_lookup.needs_vectors(tx, name_or_id, groups=_groups(tx, group_ids))
    return catalogue.MENTIONS | catalogue.vectors_if(needs_vectors)


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
    """Show everything connected with an entity (name or node_uuid), nearest first.

    nodes have the path to them (via); facts are sentences about it; episodes mention it. `complete`: no node or edge is
    left out. If the name is uncertain, center_node is null and resolution.candidates has near names: ask.
    """
    name_or_id = _named_centre(name=name, node_name=node_name, node_uuid=node_uuid)
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    predicates = search_calls.predicates(tx, edge_types)
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
    context = _facts_and_texts(tx, centre, predicates, until=tx.at if as_of else None)
    answer = _describe_neighbourhood(tx, centre, exploration, depth=depth, **context)
    counts = (
        f"{len(exploration.neighbours)} nodes, {len(exploration.facts)} edges, {len(answer['communities'])} communities"
    )
    is_similar = resolution.method not in ("exact", "alias")
    matched_by = f" ({resolution.method} match for “{name_or_id}”, {resolution.score:.2f})" if is_similar else ""
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


@tool(Effect.READ, needs=catalogue.MENTIONS)
def get_entity_connections(
    tx: Tx,
    *,
    entity_uuid: str,
    group_ids: list[str] | None = None,
    max_connections: int = 50,
    offset: int = 0,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """List ALL connections of an entity: every fact with it on either side, then every text that mentions it.

    Complete, whereas a search shows only what is relevant: use it before adding something about an entity, and to see
    patterns. Facts come first, newest first, ended ones included (invalid_at); then mentions (name mentioned_in) with
    the sentence and what else it names. `total` counts all; if `truncated`, continue with offset.
    since and until limit facts by when they held, and texts by their date.
    Takes an id (ent_…, or prop_… of a proposed name) or an exact name or alias.
    """
    first, last = catalogue.time_range(tx, since=since, until=until)
    subject = node_lookup.find(tx, entity_uuid, not_found="No connections found for entity", groups=group_ids or ())
    if subject is None or _is_outside(subject, group_ids):
        return _connections(entity_uuid, None, [], total_facts=0, total_mentions=0, offset=offset)
    tx = replace(tx, group=subject.group)
    node = subject.record
    fact_count = store.neighbourhood.count_facts(tx, node, since=first, until=last) if isinstance(node, Entity) else 0
    rows = (
        store.neighbourhood.all_facts(tx, node, limit=max_connections, offset=offset, since=first, until=last)
        if isinstance(node, Entity)
        else []
    )
    remaining = max_connections - len(rows)
    positions = (
        store.mentions.by_chunk(tx, node, limit=remaining, offset=max(offset - fact_count, 0), since=first, until=last)
        if remaining
        else []
    )
    facts = knowledge.past_and_future.sort(tx, store.facts.by_rows(tx, rows), lambda fact: fact)
    fact_details = store.details.of_facts(tx, rows)
    return _connections(
        entity_uuid,
        subject,
        [
            answer_shapes.edge(tx, fact, fact_details[fact.row], seen_from=node if isinstance(node, Entity) else None)
            for fact in facts
        ]
        + [_mention(tx, subject, passage) for passage in passages.read(tx, subject, positions)],
        total_facts=fact_count,
        total_mentions=store.mentions.count_chunks(tx, node, since=first, until=last),
        offset=offset,
    )


@tool(Effect.READ, needs=catalogue.MENTIONS)
def get_entity_timeline(
    tx: Tx,
    *,
    entity_uuid: str,
    group_ids: list[str] | None = None,
    max_episodes: int = 20,
    newest_first: bool = False,
    offset: int = 0,
    include_events: bool = False,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """List ALL episodes that mention an entity, in order of time.

    The oldest come first; if newer ones are `truncated`, continue with offset, or start with the newest (newest_first).
    `chunk` is the sentence. include_events also lists when its facts began and ended.
    Takes an id (ent_…, or prop_… of a proposed name) or an exact name or alias.
    """
    first, last = catalogue.time_range(tx, since=since, until=until)
    subject = node_lookup.find(tx, entity_uuid, not_found="No episodes found mentioning entity", groups=group_ids or ())
    answer: dict[str, Any] = {
        "entity": None,
        "episodes": [],
        "total": 0,
        "truncated": False,
        "newest_first": newest_first,
    }
    answer |= {"events": [], "events_truncated": False}
    if subject is None or _is_outside(subject, group_ids):
        return {"message": f"No episodes found mentioning entity {entity_uuid.strip()}", **answer}
    tx = replace(tx, group=subject.group)
    total = store.mentions.count_episodes_of(tx, subject.record, since=first, until=last)
    positions = store.mentions.by_episode(
        tx,
        subject.record,
        since=first,
        until=last,
        limit=max_episodes,
        offset=offset,
        newest_first=newest_first,
    )
    if include_events and isinstance(subject.record, Entity):
        answer |= _events(tx, subject.record, newest_first=newest_first, since=first, until=last)
    episodes = [_episode(tx, passage) for passage in passages.read(tx, subject, positions)]
    message = f"Found {len(episodes):,} of {count_noun(total, 'episode')} mentioning {subject.name}"
    return {
        **answer,
        "message": message if total else f"No episodes found mentioning entity {subject.name}",
        "entity": _subject(subject),
        "episodes": episodes,
        "total": total,
        "truncated": offset + len(episodes) < total,
    }


def _needs_of_edge(tx: Tx, *, uuid: str) -> frozenset[Need]:
    return catalogue.MENTIONS if _MENTION_ID.fullmatch(uuid.strip().lower()) else catalogue.NOTHING


@tool(Effect.READ, needs=_needs_of_edge)
def get_entity_edge(tx: Tx, *, uuid: str) -> dict[str, Any]:
    """Show one fact by its id (fact_…): both ends by name, when it held, and every source that said so.

    Also takes the id of a mention from get_entity_connections.
    """
    edge_id = uuid.strip().lower()
    if mention := _MENTION_ID.fullmatch(edge_id):
        return {**_mention_by_key(tx, int(mention[1]), mention[2]), "sources": []}
    tx = replace(tx, group=store.details.group_of(tx, edge_id) or tx.group)
    fact = knowledge.facts.find(tx, edge_id)
    return {
        **answer_shapes.edge(tx, fact, store.details.of_facts(tx, [fact.row])[fact.row]),
        "sources": _assertions(tx, fact),
    }


@tool(Effect.READ)
def list_entities(
    tx: Tx, *, project: str | None = None, type: str | None = None, limit: int = 100, offset: int = 0
) -> dict[str, Any]:
    """List the entities of the graph by name: all, or those of a type and its subtypes.

    With project, only what its facts connect with it and what its texts mention; with the id of a group, the entities
    of that group. `total` counts all; if `truncated`, continue with offset.
    """
    of_types = search_calls.entity_types(tx, None if type is None else [type])
    tx, scope = knowledge.projects.enter_named(tx, project)
    filters = Filters((tx.group,), tx.at, types=of_types)
    if scope.name is not None:
        filters = replace(filters, about=scope.project.row if scope.project else search_calls.NO_ENTITY)
    entities, total = store.neighbourhood.entities_by_name(tx, filters, limit=limit, offset=offset)
    return {
        "entities": [{"uuid": entity.id, **answer_shapes.entity(entity)} for entity in entities],
        "count": len(entities),
        "total": total,
        "truncated": offset + len(entities) < total,
        "project": scope.label,
        **answer_shapes.scope(tx, scope),
    }


@tool(Effect.READ, needs=search_calls.needs_of_search)
def search_nodes(
    tx: Tx,
    *,
    query: str,
    group_ids: list[str] | None = None,
    max_nodes: int = 10,
    entity_types: list[str] | None = None,
    center_node_uuid: str | None = None,
    project: str | None = None,
    detail: str = "full",
) -> dict[str, Any]:
    """Find entities by name, by what is said about them, or by meaning: search here BEFORE adding anything.

    Names seen only in texts are found too, marked proposed. Then use get_entity_connections on a uuid.
    """
    arguments = SearchArguments(
        query,
        entity_types=entity_types,
        group_ids=group_ids,
        project=project,
        center_node_uuid=center_node_uuid,
        reranker=search_request.NODE_DISTANCE if center_node_uuid else search_request.RRF,
    )
    tx, results = search_calls.run_search(tx, arguments, kinds=(search_request.NODES,), limit=max_nodes)
    nodes = [search_calls.node(tx, node) for node in results.nodes]
    answer = search_calls.of_kind(tx, results, arguments, "node", "nodes", nodes)
    return brief_shapes.nodes(answer) if detail == brief_answers.BRIEF else answer


@tool(Effect.READ, needs=search_calls.needs_of_search)
def search_memory_facts(
    tx: Tx,
    *,
    query: str,
    group_ids: list[str] | None = None,
    max_facts: int = 10,
    center_node_uuid: str | None = None,
    edge_types: list[str] | None = None,
    valid_at: str | None = None,
    project: str | None = None,
    detail: str = "full",
) -> dict[str, Any]:
    """Find facts by words and by meaning: the most relevant ones, current unless valid_at is given.

    For ALL facts of one entity use get_entity_connections.
    """
    arguments = SearchArguments(
        query,
        edge_types=edge_types,
        group_ids=group_ids,
        project=project,
        center_node_uuid=center_node_uuid,
        valid_at=valid_at,
        reranker=search_request.NODE_DISTANCE if center_node_uuid else search_request.RRF,
    )
    tx, results = search_calls.run_search(tx, arguments, kinds=(search_request.EDGES,), limit=max_facts)
    edges = [answer_shapes.edge(tx, edge.fact, edge.details, why=search_calls.why(edge.hit)) for edge in results.edges]
    answer = search_calls.of_kind(tx, results, arguments, "fact", "facts", edges)
    return brief_shapes.facts(answer) if detail == brief_answers.BRIEF else answer


@tool(Effect.READ, needs=catalogue.to_resolve("from_entity", "to_entity"))
def trace_path(
    tx: Tx,
    *,
    from_entity: str,
    to_entity: str,
    project: str | None = None,
    k: int = 1,
    max_hops: int = 6,
    edge_types: list[str] | None = None,
    as_of: str | None = None,
    avoid_hubs: bool = True,
) -> dict[str, Any]:
    """Explain how two entities are connected: the k shortest paths along facts, each with its facts and sources.

    Facts are followed in both directions. Among paths of equal length the most surprising comes first; those through
    hubs and tags, which connect everything, come last (avoid_hubs). `path` (ids) and `relations` describe the first
    path; without a path, `found` is false and `length` −1. For an unknown name, `from` or `to` is null, and
    resolution.candidates has near names.
    """
    from keepgraph.engine import topology  # it loads numpy

    tx, scope = knowledge.projects.enter_named(tx, project)
    predicates = search_calls.predicates(tx, edge_types)
    start, end = _resolve(tx, from_entity, scope), _resolve(tx, to_entity, scope)
    trace = (
        topology.trace(
            catalogue.to(tx, as_of=as_of or None, known_at=None),
            start.entity,
            end.entity,
            k=k,
            max_hops=max_hops,
            predicates=predicates,
            avoid_hubs=avoid_hubs,
        )
        if start.entity and end.entity
        else topology.Trace()
    )
    paths = [_path(path) for path in trace.paths]
    return {
        "path": [node.get("id") or f"“{node['tag']}”" for node in paths[0]["nodes"]] if paths else [],
        "relations": [step["predicate"] for step in paths[0]["steps"]] if paths else [],
        "length": paths[0]["length"] if paths else -1,
        "found": bool(paths),
        **({} if paths else _other_times(tx, start.entity, end.entity, as_of=as_of, predicates=predicates)),
        "paths": paths,
        "from": answer_shapes.entity(start.entity) if start.entity else None,
        "to": answer_shapes.entity(end.entity) if end.entity else None,
        "resolution": {"from": answer_shapes.resolution(start), "to": answer_shapes.resolution(end)},
        "truncated": trace.truncated,
        "max_hops": max_hops,
        "project": scope.label,
    }


@tool(Effect.READ, needs=catalogue.to_resolve("entity_id"))
def get_entity_neighbors(
    tx: Tx,
    *,
    entity_id: str,
    hops: int = 1,
    as_of: str | None = None,
    project: str | None = None,
    edge_types: list[str] | None = None,
    limit: int = 50,
) -> dict[str, Any]:
    """List the entities around one, up to `hops` facts away, nearest first, each with the path to it.

    Facts are followed in both directions. `total` counts all within the hops; if `truncated`, raise the limit. For an
    unknown name, entity is null and resolution.candidates has near names. For the facts: query_entity_relations.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    predicates = search_calls.predicates(tx, edge_types)
    resolution = _resolve(tx, entity_id, scope)
    around = (
        neighbourhood.explore(
            catalogue.to(tx, as_of=as_of or None, known_at=None),
            resolution.entity,
            depth=hops,
            predicates=predicates,
            limit=limit,
        )
        if resolution.entity
        else Neighbourhood()
    )
    total = sum(count.total for count in around.counts)
    return {
        "entity_id": resolution.entity.id if resolution.entity else None,
        "hops": hops,
        "as_of": as_of or "",
        "neighbours": [
            {
                "uuid": neighbour.entity.id,
                **answer_shapes.entity(neighbour.entity),
                "distance": neighbour.distance,
                "degree": neighbour.degree,
                "path": neighbour.path,
            }
            for neighbour in around.neighbours
        ],
        "entity": answer_shapes.entity(resolution.entity) if resolution.entity else None,
        "resolution": answer_shapes.resolution(resolution),
        **_other_times(tx, resolution.entity, as_of=as_of, predicates=predicates),
        "total": total,
        "total_is_exact": all(count.exact for count in around.counts),
        "truncated": total > len(around.neighbours),
        "project": scope.label,
    }


@tool(Effect.READ, needs=catalogue.to_resolve("entity_id"))
def query_entity_relations(
    tx: Tx,
    *,
    entity_id: str,
    as_of: str | None = None,
    direction: str = "both",
    project: str | None = None,
    edge_types: list[str] | None = None,
    limit: int = 100,
    offset: int = 0,
) -> dict[str, Any]:
    """List the facts of an entity, newest first, with when they held and who said so.

    Without as_of, ended facts are included; `current` says which hold now. `total` counts all; if `truncated`, continue
    with offset. For an unknown name, entity is null and resolution.candidates has near names.
    """
    tx, scope = knowledge.projects.enter_named(tx, project)
    predicates = search_calls.predicates(tx, edge_types)
    resolution = _resolve(tx, entity_id, scope)
    moment = catalogue.to(tx, as_of=as_of or None, known_at=None).now if as_of else None
    rows, total = (
        store.neighbourhood.relations(
            tx,
            resolution.entity,
            direction=direction,
            predicates=predicates,
            at=timestamps.from_datetime(moment) if moment else None,
            limit=limit,
            offset=offset,
        )
        if resolution.entity
        else ([], 0)
    )
    moved = replace(tx, now=moment) if moment else tx
    facts = knowledge.past_and_future.sort(moved, store.facts.by_rows(tx, rows), lambda fact: fact)
    return {
        "entity": resolution.entity.name if resolution.entity else None,
        "entity_id": resolution.entity.id if resolution.entity else None,
        "resolution": answer_shapes.resolution(resolution),
        "as_of": as_of or "",
        "direction": direction,
        "facts": [_relation(moved, fact) for fact in facts],
        **(_other_times(tx, resolution.entity, as_of=as_of, predicates=predicates) if as_of else {}),
        "count": len(rows),
        "total": total,
        "truncated": offset + len(rows) < total,
        "project": scope.label,
    }


def _resolve(tx: Tx, name_or_id: str, scope: knowledge.projects.Scope) -> Resolution:
    return resolver.resolve(tx, answer_shapes.name(name_or_id), context=[scope.project] if scope.project else ())


def _path(path: TracedPath) -> dict[str, Any]:
    nodes = [{"tag": node} if isinstance(node, str) else answer_shapes.entity(node) for node in path.nodes]
    names = [node.get("name") or node["tag"] for node in nodes]
    return {
        "length": len(path.steps),
        "nodes": nodes,
        "steps": [
            {
                "from": names[position],
                "to": names[position + 1],
                "predicate": step.fact.predicate,
                "direction": "out" if step.onward else "in",
                "fact_id": step.fact.id,
                "sentence": knowledge.facts.sentence(step.fact),
                "source": step.fact.source,
                "confidence": step.fact.confidence,
                "others": step.others,
            }
            for position, step in enumerate(path.steps)
        ],
        "surprise": path.surprise,
        "through_hub": path.through_hub,
    }


def _other_times(
    tx: Tx, *entities: Entity | None, as_of: str | None, predicates: Sequence[str] | None
) -> dict[str, Any]:
    """What has ended and what is to come, seen from `as_of`, of one entity or of two, which are named then."""
    known = [entity.row for entity in entities if entity]
    moment = catalogue.to(tx, as_of=as_of or None, known_at=None)
    return answer_shapes.other_times(moment, known, predicates=predicates, names_entities=len(entities) > 1)


def _relation(tx: Tx, fact: Fact) -> dict[str, Any]:
    return {
        "from": fact.subject.name,
        "to": fact.object.name if fact.object else fact.literal,
        "relation_type": fact.predicate,
        "confidence": fact.confidence,
        **answer_shapes.validity(tx, fact),
        **answer_shapes.beginning(tx, fact),
        "verifier": "manual",
        "current": knowledge.validity.holds_at(fact, tx.at),
        "fact_id": fact.id,
        "sentence": knowledge.facts.sentence(fact),
        "source": fact.source,
        "sources": _assertions(tx, fact),
        "from_id": fact.subject.id,
        "to_id": fact.object.id if fact.object else None,
    }


def _assertions(tx: Tx, fact: Fact) -> list[dict[str, Any]]:
    """Everybody who said so, the oldest assertion first."""
    assertions = store.details.assertions(tx, fact.row)
    imported = store.transfer.of_rows(tx, "provenance", [row for row, *_ in assertions])
    return [
        {
            "source": source,
            "confidence": confidence,
            "recorded_at": timestamps.format_local(at, tx.zone),
            "session": session,
            "tool": tool_name,
            "episode": episode,
            **answer_shapes.imported(tx, imported.get(row)),
        }
        for row, source, confidence, at, session, tool_name, episode in assertions
    ]


def _is_outside(subject: Node, group_ids: Sequence[str] | None) -> bool:
    return bool(group_ids) and subject.group not in (group_ids or ())


def _connections(
    name_or_id: str,
    subject: Node | None,
    edges: list[dict[str, Any]],
    *,
    total_facts: int,
    total_mentions: int,
    offset: int,
) -> dict[str, Any]:
    total = total_facts + total_mentions
    name = subject.name if subject else name_or_id.strip()
    return {
        "message": f"Found {len(edges):,} of {count_noun(total, 'connection')} for {name}"
        if total
        else f"No connections found for entity {name}",
        "entity": _subject(subject) if subject else None,
        "facts": edges,
        "total": total,
        "total_facts": total_facts,
        "total_mentions": total_mentions,
        "truncated": offset + len(edges) < total,
    }


def _subject(subject: Node) -> dict[str, Any]:
    proposed = isinstance(subject.record, Proposal)
    entity_type = subject.record.subject_type if isinstance(subject.record, Proposal) else subject.record.type
    reference = {
        "uuid": subject.id,
        "id": subject.id,
        "name": subject.name,
        "type": entity_type,
        "group_id": subject.group,
    }
    return {**reference, "proposed": True} if proposed else reference


def _mention(tx: Tx, subject: Node, passage: Passage) -> dict[str, Any]:
    key = subject.record.row if isinstance(subject.record, Entity) else subject.id
    return answer_shapes.mention_edge(
        tx,
        id=subject.id,
        name=subject.name,
        place=f"{passage.chunk}:{key}",
        episode=passage.episode,
        quote=passage.quote,
        others=list(dict.fromkeys(entity.name for entity in passage.others)),
        confidence=1.0 if isinstance(subject.record, Entity) else subject.record.confidence,
    )


def _episode(tx: Tx, passage: Passage) -> dict[str, Any]:
    content = store.episodes.text(tx, passage.episode)
    return {
        **answer_shapes.episode(tx, passage.episode, content=content[:MAX_CONTENT], chunk=passage.quote),
        "content_truncated": len(content) > MAX_CONTENT,
    }


def _events(tx: Tx, entity: Entity, *, newest_first: bool, since: str | None, until: str | None) -> dict[str, Any]:
    changes = store.neighbourhood.validity_changes(
        tx, entity, limit=MAX_EVENTS + 1, newest_first=newest_first, since=since, until=until
    )
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, list({row for _, _, row in changes}))}
    return {
        "events": [
            {
                "at": timestamps.format_local(at, tx.zone),
                "what": "ended" if ended else "began",
                "fact": knowledge.facts.sentence(facts[row]),
                "uuid": facts[row].id,
            }
            for at, ended, row in changes[:MAX_EVENTS]
        ],
        "events_truncated": len(changes) > MAX_EVENTS,
    }


def _mention_by_key(tx: Tx, chunk: int, key: str) -> dict[str, Any]:
    """A mention as an edge, by the row of its chunk, and the row of the entity or the id of the proposal."""
    mention = store.mentions.find(tx, chunk, key)
    subject = node_lookup.find(tx, mention[0], not_found="No mention found of") if mention else None
    if mention is None or subject is None:
        raise errors.FactNotFound(
            f"there is no mention {chunk}:{key}", hint="The text was changed or deleted; ask for the connections anew."
        )
    tx = replace(tx, group=subject.group)
    return _mention(tx, subject, passages.read(tx, subject, [mention[1]])[0])


def _named_centre(
    *, name: str | None = None, node_name: str | None = None, node_uuid: str | None = None, **_: object
) -> str:
    """The name or the id that a call of explore_node gives."""
    name_or_id = node_uuid or name or node_name or ""
    if not normalisation.key(name_or_id):
        raise errors.NameOrAliasRequired("nothing is named: give name, or node_name or node_uuid")
    if len(name_or_id) > MAX_NAME:
        raise errors.NameOrAliasTooLong(f"the name has {len(name_or_id):,} characters; at most {MAX_NAME} are allowed")
    return name_or_id


def _groups(tx: Tx, group_ids: list[str] | None) -> list[str]:
    groups = list(dict.fromkeys(group_ids or [tx.group]))
    if len(groups) > MAX_GROUPS:
        raise errors.InvalidArguments(f"group_ids names {len(groups)} groups; at most {MAX_GROUPS} are allowed")
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
        "complete": exploration.complete and not store.mentions.any_unread(tx),
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
        positions = store.mentions.by_episode(tx, centre.record, until=until, limit=MAX_EPISODES, newest_first=True)
        result["texts"] = (
            passages.read(tx, centre, positions),
            store.mentions.count_episodes_of(tx, centre.record, until=until),
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
