"""How the nouns of the graph look in an answer, and how a caller names an entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph.engine import instants, vectors
from keepgraph.model import Candidate, Decision, Entity, Event, Fact, Ref, Resolution
from keepgraph.store.db import Tx

if TYPE_CHECKING:
    from keepgraph.engine.schema import Schema


def ref(given: Mapping[str, Any]) -> Ref:
    """An entity as a caller names it."""
    return Ref(id=given.get("id"), type=given.get("type"), name=given.get("name"))


def entity(found: Entity) -> dict[str, Any]:
    return {"type": found.type, "id": found.id, "name": found.name}


def entity_in_full(tx: Tx, found: Entity, aliases: Sequence[str]) -> dict[str, Any]:
    return {
        **entity(found),
        "aliases": list(aliases),
        "created_at": instants.shown(found.created_at, tx.zone),
    }


def fact(tx: Tx, found: Fact) -> dict[str, Any]:
    return {
        "id": found.id,
        "subject": entity(found.subject),
        "predicate": found.predicate,
        "object": target(found),
        "source": found.source,
        "confidence": found.confidence,
        "recorded_at": instants.shown(found.recorded_at, tx.zone),
        **validity(tx, found),
    }


def target(found: Fact) -> dict[str, Any]:
    return entity(found.object) if found.object else {"literal": found.literal}


def validity(tx: Tx, found: Fact) -> dict[str, Any]:
    return {
        "valid_from": found.valid_from and instants.shown(found.valid_from, tx.zone),
        "valid_to": found.valid_to and instants.shown(found.valid_to, tx.zone),
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
        "at": instants.shown(found.at, tx.zone),
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
