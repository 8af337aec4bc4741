"""The connections toolset: what is tied to an entity, which texts speak of it, and what there is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import neighbourhood, search
from keepgraph.engine.retrieval.neighbourhood import Passage, Subject
from keepgraph.engine.texts import mention_index
from keepgraph.model import Entity, Proposal
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import search_requests, shape
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_EVENTS = 200
MOST_OF_A_TEXT = 4_000
"""Of a longer text a timeline shows the beginning; get_episode_context and get_full_document have all of it."""

_OF_A_TEXT = re.compile(r"mention:(\d{1,15}):(\d{1,15}|prop_[0-9a-z]{26})")


@tool(Effect.READ)
def get_entity_connections(
    tx: Tx,
    *,
    entity_uuid: str,
    group_ids: list[str] | None = None,
    max_connections: int = 50,
    offset: int = 0,
) -> dict[str, Any]:
    """List ALL connections of an entity: every fact with it on either side, then every text that mentions it.

    Complete, where a search shows only what is relevant: use it before adding something about an entity, and to see
    patterns. Facts come first, the newest first, ended ones too (invalid_at); then mentions (name mentioned_in) with
    the sentence and what else it names. `total` counts all; where `truncated`, go on with offset.
    Takes an id (ent_…, or prop_… of a name that is only proposed) or an exact name or alias.
    """
    mention_index.see_to(tx)
    subject = neighbourhood.find(tx, entity_uuid, nothing="No connections found for entity", groups=group_ids or ())
    if subject is None or _left_out(subject, group_ids):
        return _connections(entity_uuid, None, [], total_facts=0, total_mentions=0, offset=offset)
    tx = replace(tx, group=subject.group)
    about = subject.found
    facts = store.neighbourhood.count_facts(tx, about) if isinstance(about, Entity) else 0
    rows = (
        store.neighbourhood.every_fact(tx, about, limit=max_connections, offset=offset)
        if isinstance(about, Entity)
        else []
    )
    room = max_connections - len(rows)
    places = store.neighbourhood.spoken(tx, about, limit=room, offset=max(offset - facts, 0)) if room else []
    found = store.facts.by_rows(tx, rows)
    backing = store.neighbourhood.backing(tx, rows)
    return _connections(
        entity_uuid,
        subject,
        [shape.edge(tx, fact, backing[fact.row]) for fact in found]
        + [_mention(tx, subject, passage) for passage in neighbourhood.passages(tx, subject, places)],
        total_facts=facts,
        total_mentions=store.neighbourhood.count_spoken(tx, about),
        offset=offset,
    )


@tool(Effect.READ)
def get_entity_timeline(
    tx: Tx,
    *,
    entity_uuid: str,
    group_ids: list[str] | None = None,
    max_episodes: int = 20,
    newest_first: bool = False,
    offset: int = 0,
    include_events: bool = False,
) -> dict[str, Any]:
    """List ALL episodes that mention an entity, in the order of time: how it came up, and how it went on.

    The oldest come first, and `truncated` says that newer ones follow: go on with offset, or begin at the other end
    with newest_first. `chunk` is the sentence. include_events adds when its facts began and ceased to hold.
    Takes an id (ent_…, or prop_… of a name that is only proposed) or an exact name or alias.
    """
    mention_index.see_to(tx)
    subject = neighbourhood.find(tx, entity_uuid, nothing="No episodes found mentioning entity", groups=group_ids or ())
    answer: dict[str, Any] = {
        "entity": None,
        "episodes": [],
        "total": 0,
        "truncated": False,
        "newest_first": newest_first,
    }
    answer |= {"events": [], "events_truncated": False}
    if subject is None or _left_out(subject, group_ids):
        return {"message": f"No episodes found mentioning entity {entity_uuid.strip()}", **answer}
    tx = replace(tx, group=subject.group)
    total = store.neighbourhood.count_telling(tx, subject.found, until=None)
    places = store.neighbourhood.telling(
        tx, subject.found, until=None, limit=max_episodes, offset=offset, newest_first=newest_first
    )
    if include_events and isinstance(subject.found, Entity):
        answer |= _events(tx, subject.found, newest_first=newest_first)
    shown = [_told(tx, passage) for passage in neighbourhood.passages(tx, subject, places)]
    found = f"Found {len(shown)} of {total} episode(s) mentioning {subject.name}"
    return {
        **answer,
        "message": found if total else f"No episodes found mentioning entity {subject.name}",
        "entity": _named(subject),
        "episodes": shown,
        "total": total,
        "truncated": offset + len(shown) < total,
    }


@tool(Effect.READ)
def get_entity_edge(tx: Tx, *, uuid: str) -> dict[str, Any]:
    """Show one fact by its id (fact_…): both ends by name, when it held, and every source that said so.

    Takes the id of a mention, as get_entity_connections gives it, too.
    """
    given = uuid.strip().lower()
    if mention := _OF_A_TEXT.fullmatch(given):
        mention_index.see_to(tx)
        return {**_found_mention(tx, int(mention[1]), mention[2]), "sources": []}
    tx = replace(tx, group=store.neighbourhood.group_of(tx, given) or tx.group)
    fact = knowledge.facts.find(tx, given)
    return {
        **shape.edge(tx, fact, store.neighbourhood.backing(tx, [fact.row])[fact.row]),
        "sources": [
            {
                "source": source,
                "confidence": confidence,
                "recorded_at": timestamps.shown(at, tx.zone),
                "session": session,
                "tool": by,
                "episode": episode,
            }
            for source, confidence, at, session, by, episode in store.neighbourhood.assertions(tx, fact.row)
        ],
    }


@tool(Effect.READ)
def list_entities(
    tx: Tx, *, project: str | None = None, type: str | None = None, limit: int = 100, offset: int = 0
) -> dict[str, Any]:
    """List the entities of the graph by name: all, or those of a type.

    `project` is another partition of the graph (group_id), not an entity. `total` counts all; where `truncated`, go
    on with offset.
    """
    if type is not None:
        knowledge.entities.type_of(tx, type)
    tx = replace(tx, group=project or tx.group)
    found, total = store.neighbourhood.by_name(tx, of_type=type, limit=limit, offset=offset)
    return {
        "entities": [{"uuid": each.id, **shape.entity(each)} for each in found],
        "count": len(found),
        "total": total,
        "truncated": offset + len(found) < total,
        "project": tx.group,
    }


def _left_out(subject: Subject, group_ids: Sequence[str] | None) -> bool:
    return bool(group_ids) and subject.group not in (group_ids or ())


def _connections(
    asked: str,
    subject: Subject | None,
    shown: list[dict[str, Any]],
    *,
    total_facts: int,
    total_mentions: int,
    offset: int,
) -> dict[str, Any]:
    total = total_facts + total_mentions
    name = subject.name if subject else asked.strip()
    return {
        "message": f"Found {len(shown)} of {total} connection(s) for {name}"
        if total
        else f"No connections found for entity {name}",
        "entity": _named(subject) if subject else None,
        "facts": shown,
        "total": total,
        "total_facts": total_facts,
        "total_mentions": total_mentions,
        "truncated": offset + len(shown) < total,
    }


@tool(Effect.READ)
def search_nodes(
    tx: Tx,
    *,
    query: str,
    group_ids: list[str] | None = None,
    max_nodes: int = 10,
    entity_types: list[str] | None = None,
    center_node_uuid: str | None = None,
) -> dict[str, Any]:
    """Find entities by name, by what is said of them, or by meaning: search here BEFORE adding anything.

    Names that are only seen in texts are found too, marked proposed. Then use get_entity_connections on a uuid.
    """
    tx, found = search_requests.look_for(
        tx,
        query=query,
        kinds=(search.NODES,),
        limit=max_nodes,
        entity_types=entity_types,
        group_ids=group_ids,
        center_node_uuid=center_node_uuid,
        reranker=search.NODE_DISTANCE if center_node_uuid else search.RRF,
    )
    shown = [search_requests.node(tx, each) for each in found.nodes]
    return {
        "message": f"Found {len(shown)} nodes" if shown else "No relevant nodes found",
        "nodes": shown,
        "truncated": search.NODES in found.more,
        "embedding": found.meaning,
    }


@tool(Effect.READ)
def search_memory_facts(
    tx: Tx,
    *,
    query: str,
    group_ids: list[str] | None = None,
    max_facts: int = 10,
    center_node_uuid: str | None = None,
    edge_types: list[str] | None = None,
    valid_at: str | None = None,
) -> dict[str, Any]:
    """Find facts by words and by meaning: the most relevant ones, current unless valid_at says when.

    For ALL facts of one entity use get_entity_connections.
    """
    tx, found = search_requests.look_for(
        tx,
        query=query,
        kinds=(search.EDGES,),
        limit=max_facts,
        edge_types=edge_types,
        group_ids=group_ids,
        center_node_uuid=center_node_uuid,
        valid_at=valid_at,
        reranker=search.NODE_DISTANCE if center_node_uuid else search.RRF,
    )
    shown = [shape.edge(tx, each.fact, each.backing, why=search_requests.why(each.ranked)) for each in found.edges]
    return {
        "message": f"Found {len(shown)} facts" if shown else "No relevant facts found",
        "facts": shown,
        "truncated": search.EDGES in found.more,
        "embedding": found.meaning,
    }


def _named(subject: Subject) -> dict[str, Any]:
    proposed = isinstance(subject.found, Proposal)
    kind = subject.found.subject_type if isinstance(subject.found, Proposal) else subject.found.type
    named = {"uuid": subject.id, "id": subject.id, "name": subject.name, "type": kind, "group_id": subject.group}
    return {**named, "proposed": True} if proposed else named


def _mention(tx: Tx, subject: Subject, passage: Passage) -> dict[str, Any]:
    key = subject.found.row if isinstance(subject.found, Entity) else subject.id
    return shape.mention_edge(
        tx,
        id=subject.id,
        name=subject.name,
        place=f"{passage.chunk}:{key}",
        episode=passage.episode,
        quote=passage.quote,
        others=list(dict.fromkeys(each.name for each in passage.others)),
        confidence=1.0 if isinstance(subject.found, Entity) else subject.found.confidence,
    )


def _told(tx: Tx, passage: Passage) -> dict[str, Any]:
    content = store.episodes.text(tx, passage.episode)
    return {
        **shape.episode(tx, passage.episode, content=content[:MOST_OF_A_TEXT], chunk=passage.quote),
        "content_truncated": len(content) > MOST_OF_A_TEXT,
    }


def _events(tx: Tx, entity: Entity, *, newest_first: bool) -> dict[str, Any]:
    turns = store.neighbourhood.turns(tx, entity, limit=MAX_EVENTS + 1, newest_first=newest_first)
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, list({row for _, _, row in turns}))}
    return {
        "events": [
            {
                "at": timestamps.shown(at, tx.zone),
                "what": "ended" if ended else "began",
                "fact": knowledge.facts.sentence(facts[row]),
                "uuid": facts[row].id,
            }
            for at, ended, row in turns[:MAX_EVENTS]
        ],
        "events_truncated": len(turns) > MAX_EVENTS,
    }


def _found_mention(tx: Tx, chunk: int, key: str) -> dict[str, Any]:
    """A mention as a fact, by the row of its chunk and the row of the entity or the id of the proposal."""
    found = store.neighbourhood.mention_at(tx, chunk, key)
    subject = neighbourhood.find(tx, found[0], nothing="No mention found of") if found else None
    if found is None or subject is None:
        raise errors.FactNotFound(
            f"there is no mention {chunk}:{key}", hint="The text was changed or deleted; ask for the connections anew."
        )
    tx = replace(tx, group=subject.group)
    return _mention(tx, subject, neighbourhood.passages(tx, subject, [found[1]])[0])
