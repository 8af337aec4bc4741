"""Records of a traversal: the properties of the things in a stream, for filters and for answers.

Timestamps are as they are stored. Properties that a person gave to an entity stand beside its own; where they have the
same name, the own ones win.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.traversal.streams import LINKS, Kind, Stream
from keepgraph.model import Fact
from keepgraph.store.transactions import Tx

Record = Mapping[str, Any]

TIMES = frozenset(("created_at", "valid_from", "valid_to"))
"""Properties that are timestamps."""

TRIPLET, VECTOR = "Triplet", "Triplet_Embedding"
LINK_NAMES: Mapping[Kind, str] = {
    Kind.LINKS_TO_SUBJECT: "Triplet_to_Subject",
    Kind.LINKS_TO_OBJECT: "Triplet_to_Object",
    Kind.LINKS_TO_VECTOR: "Triplet_to_Embedding",
}


def read(tx: Tx, stream: Stream) -> dict[int, Record]:
    """The records of a stream by row number; what was deleted or retracted meanwhile has none."""
    rows = list(dict.fromkeys(stream.rows))
    if stream.kind is Kind.ENTITIES:
        return _entities(tx, rows)
    existing = store.traversal.existing_facts(tx, rows)
    facts = store.facts.by_rows(tx, [row for row in rows if row in existing])
    describe = _describe_fact(stream.kind)
    return {fact.row: describe(fact) for fact in facts}


def _entities(tx: Tx, rows: Sequence[int]) -> dict[int, Record]:
    entities = store.entities.by_rows(tx, rows)
    details = store.details.of_entities(tx, list(entities))
    return {
        row: {
            **details[row].properties,
            "id": entity.id,
            "uuid": entity.id,
            "label": entity.type,
            "name": entity.name,
            "entity_type": entity.type,
            "description": details[row].summary,
            "created_at": entity.created_at,
            "group_id": details[row].group,
        }
        for row, entity in entities.items()
    }


def _describe_fact(kind: Kind) -> Callable[[Fact], Record]:
    if kind is Kind.TRIPLETS:
        return _triplet
    if kind is Kind.VECTORS:
        return _vector
    if kind in LINKS:
        return lambda fact: _link(fact, kind)
    return _edge


def _triplet(fact: Fact) -> Record:
    return {
        "id": fact.id,
        "uuid": fact.id,
        "label": TRIPLET,
        "summary": knowledge.facts.sentence(fact),
        "predicate": fact.predicate,
        "value": fact.object.name if fact.object else fact.literal,
        **_validity(fact),
    }


def _edge(fact: Fact) -> Record:
    return {
        "id": fact.id,
        "uuid": fact.id,
        "label": fact.predicate,
        "from_node": fact.subject.id,
        "from_name": fact.subject.name,
        "to_node": fact.object.id if fact.object else None,
        "to_name": fact.object.name if fact.object else fact.literal,
        "summary": knowledge.facts.sentence(fact),
        **_validity(fact),
    }


def _link(fact: Fact, kind: Kind) -> Record:
    target = {
        Kind.LINKS_TO_SUBJECT: fact.subject.id,
        Kind.LINKS_TO_OBJECT: fact.object.id if fact.object else None,
        Kind.LINKS_TO_VECTOR: _vector_id(fact),
    }[kind]
    name = LINK_NAMES[kind]
    return {"id": f"{fact.id}:{name}", "label": name, "from_node": fact.id, "to_node": target}


def _vector(fact: Fact) -> Record:
    return {"id": _vector_id(fact), "label": VECTOR, "triplet": fact.id, "summary": knowledge.facts.sentence(fact)}


def _vector_id(fact: Fact) -> str:
    return f"{fact.id}:{VECTOR}"


def _validity(fact: Fact) -> dict[str, Any]:
    return {
        "confidence": fact.confidence,
        "source": fact.source,
        "created_at": fact.recorded_at,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
    }
