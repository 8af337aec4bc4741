"""The shapes of answers: entities, facts, texts and other results as dicts; and the entity that an argument names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph.engine import knowledge
from keepgraph.engine.backfill import vectors
from keepgraph.model import Candidate, Decision, Entity, Episode, Event, Fact, Proposal, Ref, Resolution
from keepgraph.store.communities import Community
from keepgraph.store.details import EntityDetails, FactDetails
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.engine.query.schema import Schema


Why = Mapping[str, Mapping[str, Any]]
"""Why a hit is in a ranked list: by retriever, its rank and score there."""

MENTION_EDGE = "mentioned_in"


def ref(reference: Mapping[str, Any]) -> Ref:
    """The entity that an argument names, by id, or by type and name."""
    return Ref(id=reference.get("id"), type=reference.get("type"), name=reference.get("name"))


def entity(entity: Entity) -> dict[str, Any]:
    return {"type": entity.type, "id": entity.id, "name": entity.name}


def entity_in_full(tx: Tx, entity_: Entity, aliases: Sequence[str]) -> dict[str, Any]:
    return {
        **entity(entity_),
        "aliases": list(aliases),
        "created_at": timestamps.format_local(entity_.created_at, tx.zone),
    }


def fact(tx: Tx, fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "subject": entity(fact.subject),
        "predicate": fact.predicate,
        "object": object_of_fact(fact),
        "source": fact.source,
        "confidence": fact.confidence,
        "recorded_at": timestamps.format_local(fact.recorded_at, tx.zone),
        **validity(tx, fact),
    }


def object_of_fact(fact: Fact) -> dict[str, Any]:
    return entity(fact.object) if fact.object else {"literal": fact.literal}


def validity(tx: Tx, fact: Fact) -> dict[str, Any]:
    return {
        "valid_from": fact.valid_from and timestamps.format_local(fact.valid_from, tx.zone),
        "valid_to": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone),
    }


def resolution(resolution: Resolution) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "method": resolution.method,
        "score": resolution.score,
        "candidates": [candidate(match) for match in resolution.candidates],
    }
    if resolution.reason:
        answer["because"] = resolution.reason
    if resolution.embedding_off:
        answer["embedding"] = f"off: {resolution.embedding_off}"
    elif resolution.names_without_vector:
        answer["embedding"] = vectors.describe_missing(resolution.names_without_vector)
    return answer


def candidate(candidate: Candidate) -> dict[str, Any]:
    return {**entity(candidate.entity), "method": candidate.method, "score": candidate.score}


def event(tx: Tx, event: Event) -> dict[str, Any]:
    return {
        "at": timestamps.format_local(event.at, tx.zone),
        "what": event.kind,
        "text": event.text,
        "tool": event.tool,
        "session": event.session,
        "source": event.source,
        "fact_id": event.fact,
        "call": event.call,
        "change": event.change,
    }


def decision(decision: Decision) -> dict[str, Any]:
    return {
        "id": decision.id,
        "name": decision.name,
        "decided_on": decision.decided_on,
        "decided_by": [entity(person) for person in decision.decided_by],
        "source": decision.source,
        "confidence": decision.confidence,
        "supersedes": entity(decision.supersedes) if decision.supersedes else None,
        "followed_up": decision.followed_up,
    }


def node(tx: Tx, entity: Entity, details: EntityDetails, *, why: Why | None = None) -> dict[str, Any]:
    """An entity as a node of the graph; `details` is that of store/details.py, `why` what put it into a list."""
    from keepgraph.engine.query import graph_catalogue  # imports the Cypher compiler, which few answers need

    return {
        "uuid": entity.id,
        "id": entity.id,
        "name": entity.name,
        "labels": [graph_catalogue.label(entity.type)],
        "type": entity.type,
        "summary": details.summary,
        "created_at": timestamps.format_local(entity.created_at, tx.zone),
        "group_id": details.group,
        "attributes": dict(details.properties),
        **_why(why),
    }


def proposed_node(tx: Tx, proposal: Proposal, *, group: str | None = None, why: Why | None = None) -> dict[str, Any]:
    """A proposed entity as a node: a name in texts that no entity has. Its type is a guess."""
    return {
        "uuid": proposal.id,
        "id": proposal.id,
        "name": proposal.subject,
        "labels": ["Proposed"],
        "type": proposal.subject_type,
        "summary": proposal.evidence or "",
        "created_at": timestamps.format_local(proposal.created_at, tx.zone),
        "group_id": group or tx.group,
        "attributes": {"confidence": proposal.confidence},
        "proposed": True,
        **_why(why),
    }


def edge(tx: Tx, fact: Fact, details: FactDetails | None = None, *, why: Why | None = None) -> dict[str, Any]:
    """A fact as an edge of the graph; `details` is that of store/details.py. A literal is a target without a uuid."""
    return {
        "uuid": fact.id,
        "name": fact.predicate,
        "fact": knowledge.facts.sentence(fact),
        "source_node_uuid": fact.subject.id,
        "source_name": fact.subject.name,
        "target_node_uuid": fact.object.id if fact.object else None,
        "target_name": fact.object.name if fact.object else fact.literal,
        "created_at": timestamps.format_local(fact.recorded_at, tx.zone),
        "valid_at": fact.valid_from and timestamps.format_local(fact.valid_from, tx.zone),
        "invalid_at": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone),
        "expired_at": fact.retracted_at and timestamps.format_local(fact.retracted_at, tx.zone),
        "group_id": details.group if details else tx.group,
        "confidence": fact.confidence,
        "source": fact.source,
        "episodes": list(details.episodes) if details else [],
        **_why(why),
    }


def mention_edge(
    tx: Tx,
    *,
    id: str,
    name: str,
    place: str,
    episode: Episode,
    quote: str,
    others: Sequence[str] = (),
    confidence: float = 1.0,
) -> dict[str, Any]:
    """A mention as an edge, from an entity to the text that mentions it.

    Args:
        id, name: those of the entity, or of the proposed entity.
        place: "<row of the chunk>:<row of the entity>", or "<row of the chunk>:<id>" of a proposal.
        quote: the sentence that mentions it.
        others: the names of the other entities that the chunk mentions.
    """
    return {
        "uuid": f"mention:{place}",
        "name": MENTION_EDGE,
        "fact": f"{name} is mentioned in “{episode.name}”: {quote}",
        "source_node_uuid": id,
        "source_name": name,
        "target_node_uuid": episode.id,
        "target_name": episode.name,
        "created_at": timestamps.format_local(episode.recorded_at, tx.zone),
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        "invalid_at": None,
        "expired_at": None,
        "group_id": episode.group,
        "confidence": confidence,
        "source": episode.source or None,
        "episodes": [episode.id],
        "mentioned_with": list(others),
    }


def episode(
    tx: Tx, episode: Episode, *, content: str | None = None, chunk: str | None = None, why: Why | None = None
) -> dict[str, Any]:
    """An episode; `content` is its text or the beginning of it, `chunk` the part that matched."""
    answer: dict[str, Any] = {"uuid": episode.id, "name": episode.name}
    if content is not None:
        answer["content"] = content
    if chunk is not None:
        answer["chunk"] = chunk
    return {
        **answer,
        "source": episode.kind,
        "source_description": episode.source,
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        "created_at": timestamps.format_local(episode.recorded_at, tx.zone),
        "group_id": episode.group,
        **_why(why),
    }


def community(tx: Tx, community: Community, *, why: Why | None = None) -> dict[str, Any]:
    """A community, without its members."""
    return {
        "uuid": community.id,
        "name": community.name,
        "summary": community.summary,
        "member_count": community.members,
        "created_at": timestamps.format_local(community.created_at, tx.zone),
        "group_id": community.group,
        **_why(why),
    }


def schema(schema: Schema) -> dict[str, Any]:
    return {
        "node_count": sum(label.count for label in schema.labels),
        "relationship_count": sum(relationship.count for relationship in schema.types),
        "node_labels": {
            label.name: {
                "count": label.count,
                "properties": sorted(label.properties),
                "sampled": label.sampled,
                "ancestors": list(label.ancestors),
                "description": label.description,
            }
            for label in schema.labels
        },
        "relationship_types": {
            relationship.name: {
                "count": relationship.count,
                "patterns": [[pattern.source, pattern.target] for pattern in relationship.patterns],
                "pattern_counts": [pattern.count for pattern in relationship.patterns],
                "properties": sorted(schema.relationship_properties),
                "meant_sources": list(relationship.intended_sources),
                "meant_targets": list(relationship.intended_targets),
                "description": relationship.description,
            }
            for relationship in schema.types
        },
        "property_kinds": {
            "nodes": schema.node_properties,
            "relationships": dict(schema.relationship_properties),
        },
    }


def _why(why: Why | None) -> dict[str, Any]:
    return {} if why is None else {"why": {source: dict(rank) for source, rank in why.items()}}
