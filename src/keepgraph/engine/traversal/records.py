"""Streams of a traversal, and their records: the properties of the things in a stream, for filters and for answers.

Timestamps are as they are stored. Properties that a person gave to an entity stand beside its own; where they have the
same name, the own ones win.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.model import Fact
from keepgraph.store.transactions import Tx

# Streams: the entities, facts or vectors that a traversal has reached, as row numbers in order.
#
# In the view of a traversal every current fact is also a node, a triplet, with links to its subject, its object and the
# vector of its sentence. So a fact is in a stream as a triplet, as an edge between entities, as one of its links, or as
# its vector; the row number is that of the fact in each case.

MAX_ITEMS = 100_000


class Kind(Enum):
    """What the row numbers of a stream are."""

    NOTHING = "nothing"
    ENTITIES = "entities"
    TRIPLETS = "triplets"
    EDGES = "edges"
    LINKS_TO_SUBJECT = "links to subjects"
    LINKS_TO_OBJECT = "links to objects"
    LINKS_TO_VECTOR = "links to vectors"
    VECTORS = "vectors"


_LINKS = frozenset((Kind.LINKS_TO_SUBJECT, Kind.LINKS_TO_OBJECT, Kind.LINKS_TO_VECTOR))


@dataclass(frozen=True, slots=True)
class Stream:
    """A snapshot of what was reached: things deleted later are skipped when it is read.

    Attributes:
        rows: of entities or of facts; one may be there several times.
        scores: of each row, where it comes from a search.
    """

    kind: Kind = Kind.NOTHING
    rows: Sequence[int] = ()
    scores: Sequence[float] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, positions: Sequence[int]) -> Stream:
        """The stream with these of its rows, in this order."""
        return Stream(
            self.kind,
            array("q", [self.rows[position] for position in positions]),
            None if self.scores is None else [self.scores[position] for position in positions],
        )


def collect(kind: Kind, rows: Iterable[int]) -> Stream:
    """A stream of rows.

    Raises:
        errors.TraversalTooLarge: there are more than MAX_ITEMS.
    """
    collected = array("q")
    count = 0
    for count, row in enumerate(rows, 1):
        if count <= MAX_ITEMS:
            collected.append(row)
    if count > MAX_ITEMS:
        raise errors.TraversalTooLarge(
            f"this step leads to {count:,} {kind.value}, and a traversal holds at most {MAX_ITEMS:,}",
            hint="Filter before this step: filter_items by name or entity_type, or begin with n_from_type of one type.",
        )
    return Stream(kind, collected)


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
    existing = store.neighbourhood.existing_facts(tx, rows)
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
    if kind in _LINKS:
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
