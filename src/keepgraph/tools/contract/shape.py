"""How the nouns of the graph look in an answer, and how a caller names an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph.engine import knowledge
from keepgraph.engine.backfill import vectors
from keepgraph.model import Candidate, Decision, Entity, Episode, Event, Fact, Proposal, Ref, Resolution
from keepgraph.store.database import Tx
from keepgraph.store.neighbourhood import Backing, Community, Particulars
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.engine.query.schema import Schema


Why = Mapping[str, Mapping[str, Any]]
"""What put something into a list: by source, its rank and score there."""

MENTIONED = "mentioned_in"


def ref(given: Mapping[str, Any]) -> Ref:
    """An entity as a caller names it."""
    return Ref(id=given.get("id"), type=given.get("type"), name=given.get("name"))


def entity(found: Entity) -> dict[str, Any]:
    return {"type": found.type, "id": found.id, "name": found.name}


def entity_in_full(tx: Tx, found: Entity, aliases: Sequence[str]) -> dict[str, Any]:
    return {
        **entity(found),
        "aliases": list(aliases),
        "created_at": timestamps.shown(found.created_at, tx.zone),
    }


def fact(tx: Tx, found: Fact) -> dict[str, Any]:
    return {
        "id": found.id,
        "subject": entity(found.subject),
        "predicate": found.predicate,
        "object": target(found),
        "source": found.source,
        "confidence": found.confidence,
        "recorded_at": timestamps.shown(found.recorded_at, tx.zone),
        **validity(tx, found),
    }


def target(found: Fact) -> dict[str, Any]:
    return entity(found.object) if found.object else {"literal": found.literal}


def validity(tx: Tx, found: Fact) -> dict[str, Any]:
    return {
        "valid_from": found.valid_from and timestamps.shown(found.valid_from, tx.zone),
        "valid_to": found.valid_to and timestamps.shown(found.valid_to, tx.zone),
    }


def resolution(found: Resolution) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "method": found.method,
        "score": found.score,
        "candidates": [candidate(each) for each in found.candidates],
    }
    if found.because:
        shown["because"] = found.because
    if found.off:
        shown["embedding"] = f"off: {found.off}"
    elif found.waiting:
        shown["embedding"] = vectors.told(found.waiting)
    return shown


def candidate(found: Candidate) -> dict[str, Any]:
    return {**entity(found.entity), "method": found.method, "score": found.score}


def event(tx: Tx, found: Event) -> dict[str, Any]:
    return {
        "at": timestamps.shown(found.at, tx.zone),
        "what": found.what,
        "text": found.text,
        "tool": found.tool,
        "session": found.session,
        "source": found.source,
        "fact_id": found.fact,
        "call": found.call,
        "change": found.change,
    }


def decision(found: Decision) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "decided_on": found.decided_on,
        "decided_by": [entity(each) for each in found.decided_by],
        "source": found.source,
        "confidence": found.confidence,
        "supersedes": entity(found.supersedes) if found.supersedes else None,
        "followed_up": found.followed_up,
    }


def node(tx: Tx, found: Entity, known: Particulars, *, why: Why | None = None) -> dict[str, Any]:
    """An entity as a node of the graph; `known` is that of exploring.particulars, `why` what put it into a list."""
    from keepgraph.engine.query import graph_catalogue  # it brings the compiler, which not every answer needs

    return {
        "uuid": found.id,
        "id": found.id,
        "name": found.name,
        "labels": [graph_catalogue.label(found.type)],
        "type": found.type,
        "summary": known.summary,
        "created_at": timestamps.shown(found.created_at, tx.zone),
        "group_id": known.group,
        "attributes": dict(known.properties),
        **_because(why),
    }


def proposed_node(tx: Tx, found: Proposal, *, group: str | None = None, why: Why | None = None) -> dict[str, Any]:
    """A name that texts say and the graph does not know, as a node; its type is a guess."""
    return {
        "uuid": found.id,
        "id": found.id,
        "name": found.subject,
        "labels": ["Proposed"],
        "type": found.subject_type,
        "summary": found.evidence or "",
        "created_at": timestamps.shown(found.created_at, tx.zone),
        "group_id": group or tx.group,
        "attributes": {"confidence": found.confidence},
        "proposed": True,
        **_because(why),
    }


def edge(tx: Tx, found: Fact, backing: Backing | None = None, *, why: Why | None = None) -> dict[str, Any]:
    """A fact as an edge of the graph; `backing` is that of exploring.backing. A literal is a target without a uuid."""
    return {
        "uuid": found.id,
        "name": found.predicate,
        "fact": knowledge.facts.sentence(found),
        "source_node_uuid": found.subject.id,
        "source_name": found.subject.name,
        "target_node_uuid": found.object.id if found.object else None,
        "target_name": found.object.name if found.object else found.literal,
        "created_at": timestamps.shown(found.recorded_at, tx.zone),
        "valid_at": found.valid_from and timestamps.shown(found.valid_from, tx.zone),
        "invalid_at": found.valid_to and timestamps.shown(found.valid_to, tx.zone),
        "expired_at": found.retracted_at and timestamps.shown(found.retracted_at, tx.zone),
        "group_id": backing.group if backing else tx.group,
        "confidence": found.confidence,
        "source": found.source,
        "episodes": list(backing.episodes) if backing else [],
        **_because(why),
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
    """What a text says of an entity, as an edge that leads to the text.

    Args:
        id, name: those of the entity, or of the name that is only proposed.
        place: "<row of the chunk>:<row of the entity>", or "<row of the chunk>:<id>" of a proposal.
        quote: the sentence that speaks of it.
        others: what else the chunk mentions, by name.
    """
    return {
        "uuid": f"mention:{place}",
        "name": MENTIONED,
        "fact": f"{name} is mentioned in “{episode.name}”: {quote}",
        "source_node_uuid": id,
        "source_name": name,
        "target_node_uuid": episode.id,
        "target_name": episode.name,
        "created_at": timestamps.shown(episode.recorded_at, tx.zone),
        "valid_at": timestamps.shown(episode.occurred_at, tx.zone),
        "invalid_at": None,
        "expired_at": None,
        "group_id": episode.group,
        "confidence": confidence,
        "source": episode.source or None,
        "episodes": [episode.id],
        "mentioned_with": list(others),
    }


def episode(
    tx: Tx, found: Episode, *, content: str | None = None, chunk: str | None = None, why: Why | None = None
) -> dict[str, Any]:
    """A text; `content` is the whole of it, `chunk` the piece of it that was looked for."""
    shown: dict[str, Any] = {"uuid": found.id, "name": found.name}
    if content is not None:
        shown["content"] = content
    if chunk is not None:
        shown["chunk"] = chunk
    return {
        **shown,
        "source": found.kind,
        "source_description": found.source,
        "valid_at": timestamps.shown(found.occurred_at, tx.zone),
        "created_at": timestamps.shown(found.recorded_at, tx.zone),
        "group_id": found.group,
        **_because(why),
    }


def community(tx: Tx, found: Community, *, why: Why | None = None) -> dict[str, Any]:
    """A community, and how many members it has."""
    return {
        "uuid": found.id,
        "name": found.name,
        "summary": found.summary,
        "member_count": found.members,
        "created_at": timestamps.shown(found.created_at, tx.zone),
        "group_id": found.group,
        **_because(why),
    }


def schema(found: Schema) -> dict[str, Any]:
    return {
        "node_count": sum(label.count for label in found.labels),
        "relationship_count": sum(each.count for each in found.types),
        "node_labels": {
            label.name: {
                "count": label.count,
                "properties": sorted(label.properties),
                "sampled": label.sampled,
                "ancestors": list(label.ancestors),
                "description": label.description,
            }
            for label in found.labels
        },
        "relationship_types": {
            each.name: {
                "count": each.count,
                "patterns": [[pattern.source, pattern.target] for pattern in each.patterns],
                "pattern_counts": [pattern.count for pattern in each.patterns],
                "properties": sorted(found.relationship_properties),
                "meant_sources": list(each.meant_sources),
                "meant_targets": list(each.meant_targets),
                "description": each.description,
            }
            for each in found.types
        },
        "property_kinds": {
            "nodes": found.node_properties,
            "relationships": dict(found.relationship_properties),
        },
    }


def _because(why: Why | None) -> dict[str, Any]:
    return {} if why is None else {"why": {source: dict(each) for source, each in why.items()}}
