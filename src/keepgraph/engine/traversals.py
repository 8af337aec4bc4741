"""Traversals: streams of entities, facts and vectors that grow step by step, are filtered, and are read as records.

A step begins with a type, or follows facts and links from many nodes or edges at once. Timestamps are as they are
stored. Properties that a person gave to an entity stand beside its own; where they have the same name, the own ones
win.
"""

from __future__ import annotations

import math
import operator
import secrets
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from itertools import islice
from threading import Lock
from typing import Any, Literal

from keepgraph import errors, store
from keepgraph.engine import knowledge, vector_backfill
from keepgraph.engine.retrieval import question_analysis
from keepgraph.model import Fact
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

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
    rest = iter(rows)
    collected = array("q", islice(rest, MAX_ITEMS))
    count = len(collected) + sum(1 for _ in rest)
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


Direction = Literal["out", "in"]
Target = Literal["nodes", "vectors", "edges"]


@dataclass(frozen=True, slots=True)
class Label:
    """What connects nodes: a predicate, or a link of a triplet.

    Attributes:
        name: as the caller wrote it.
        predicate: the one under which its facts are stored; None for a link.
        is_inverse: whether the name is the inverse of that predicate, so that it is followed the other way.
        is_symmetric: whether its facts say the same from both ends.
        link: the kind of the link; None for a predicate.
    """

    name: str
    predicate: str | None = None
    is_inverse: bool = False
    is_symmetric: bool = False
    link: Kind | None = None


@dataclass(frozen=True, slots=True)
class Follow:
    """A step along a label.

    Attributes:
        target: what it leads to. From edges every step leads to their ends.
    """

    direction: Direction
    target: Target
    label: Label


Reached = tuple[Sequence[int], Stream]
"""For each row of a stream that a step reached, the position of the row that it came from; and that stream."""


def entities_of(tx: Tx, types: Sequence[str] | None) -> Stream:
    """All entities of some types, or of any."""
    return collect(Kind.ENTITIES, store.neighbourhood.entities(tx, of_types=types))


def triplets(tx: Tx) -> Stream:
    """All facts that hold, as nodes."""
    return collect(Kind.TRIPLETS, store.neighbourhood.current_facts(tx, predicates=None))


def edges_of(tx: Tx, label: Label) -> Stream:
    """All facts that hold of a predicate, as edges; or all links of a kind."""
    if label.predicate is not None:
        return collect(Kind.EDGES, store.neighbourhood.current_facts(tx, predicates=[label.predicate]))
    facts = list(store.neighbourhood.current_facts(tx, predicates=None))
    if label.link is Kind.LINKS_TO_VECTOR:
        return collect(label.link, store.neighbourhood.with_vectors(tx, facts)[1])
    if label.link is Kind.LINKS_TO_OBJECT:
        positions, _ = store.neighbourhood.ends_of(tx, facts, side="object", predicates=None)
        return collect(label.link, (facts[position] for position in positions))
    return collect(Kind.LINKS_TO_SUBJECT, facts)


def follow(tx: Tx, stream: Stream, step: Follow) -> Reached:
    """Follow a label from each row of a stream, in order. Rows from which nothing leads on are left out.

    Raises:
        errors.TraversalTooLarge: it leads to more than streams.MAX_ITEMS rows.
    """
    kind, (origins, rows) = _reached(tx, stream, step)
    return origins, collect(kind, rows)


_Pairs = tuple[Sequence[int], Sequence[int]]
"""The positions of origins, and the rows reached from them: of the same length."""


def _reached(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    """The kind of things that a step reaches, and these."""
    match stream.kind:
        case Kind.ENTITIES:
            return _from_entities(tx, stream, step)
        case Kind.TRIPLETS:
            return _from_triplets(tx, stream, step)
        case Kind.EDGES:
            return Kind.ENTITIES, _ends_of_edges(tx, stream, step)
        case Kind.VECTORS:
            return _from_vectors(stream, step)
        case Kind.LINKS_TO_SUBJECT | Kind.LINKS_TO_OBJECT | Kind.LINKS_TO_VECTOR:
            return _ends_of_links(tx, stream, step)
    raise errors.TraversalEmpty("the traversal is blank, so no step leads on from it")


def _from_entities(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    if step.label.link is not None:
        return _links_from_entities(tx, stream, step)
    if step.target == "vectors":
        return Kind.VECTORS, ((), ())  # entities are connected with entities
    # Outwards, an entity is the subject of the facts of a predicate; by its inverse, and inwards, the object.
    side = "subject" if (step.direction == "out") is not step.label.is_inverse else "object"
    sides = ("subject", "object") if step.label.is_symmetric else (side,)
    predicates = [step.label.predicate] if step.label.predicate else None
    if step.target == "edges":
        return Kind.EDGES, store.neighbourhood.facts_of(tx, stream.rows, sides=sides, predicates=predicates)
    return Kind.ENTITIES, store.neighbourhood.others_of(tx, stream.rows, sides=sides, predicates=predicates)


def _links_from_entities(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    """Links lead from triplets to entities, so an entity has them only inwards."""
    kind = step.label.link or Kind.NOTHING
    reached = kind if step.target == "edges" else Kind.TRIPLETS
    if step.direction == "out" or kind is Kind.LINKS_TO_VECTOR or step.target == "vectors":
        return reached, ((), ())
    side = "subject" if kind is Kind.LINKS_TO_SUBJECT else "object"
    return reached, store.neighbourhood.facts_of(tx, stream.rows, sides=(side,), predicates=None)


def _from_triplets(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    kind = step.label.link
    if kind is None or step.direction == "in":
        # A predicate connects entities, and no link leads to a triplet.
        return (Kind.EDGES if step.target == "edges" else Kind.ENTITIES), ((), ())
    rows = stream.rows
    if kind is Kind.LINKS_TO_VECTOR:
        reached = kind if step.target == "edges" else Kind.VECTORS
        return reached, (((), ()) if step.target == "nodes" else store.neighbourhood.with_vectors(tx, rows))
    if step.target == "vectors":
        return Kind.VECTORS, ((), ())
    side = "subject" if kind is Kind.LINKS_TO_SUBJECT else "object"
    ends = store.neighbourhood.ends_of(tx, rows, side=side, predicates=None)
    if step.target == "edges":
        return kind, (ends[0], [rows[position] for position in ends[0]])
    return Kind.ENTITIES, ends


def _from_vectors(stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    if step.label.link is not Kind.LINKS_TO_VECTOR or step.direction == "out":
        return Kind.TRIPLETS, ((), ())
    return (step.label.link if step.target == "edges" else Kind.TRIPLETS), _itself(stream)


def _ends_of_edges(tx: Tx, stream: Stream, step: Follow) -> _Pairs:
    """Edges lead on to their ends: outwards to the object, inwards to the subject."""
    if step.label.predicate is None or step.target == "vectors":
        return (), ()
    side = "object" if (step.direction == "out") is not step.label.is_inverse else "subject"
    return store.neighbourhood.ends_of(tx, stream.rows, side=side, predicates=[step.label.predicate])


def _ends_of_links(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, _Pairs]:
    """Links lead outwards to what they are linked to, inwards to their triplet."""
    if step.label.link is not stream.kind:
        return Kind.ENTITIES, ((), ())
    if step.direction == "in":
        return Kind.TRIPLETS, _itself(stream)
    if stream.kind is Kind.LINKS_TO_VECTOR:
        return Kind.VECTORS, _itself(stream)
    side = "subject" if stream.kind is Kind.LINKS_TO_SUBJECT else "object"
    return Kind.ENTITIES, store.neighbourhood.ends_of(tx, stream.rows, side=side, predicates=None)


def _itself(stream: Stream) -> _Pairs:
    return range(len(stream)), stream.rows


# Filters of a traversal: by properties (an OR of ANDs), and by where a short traversal from each item leads.

MAX_DEPTH = 4
_BATCH = 2_000
"""How many starting points a short traversal handles at once, so that the results of each batch are bounded."""

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A property compared with a value, or with several: then one of them has to fit; with `!=`, each."""

    key: str
    operator: str
    value: Any


@dataclass(frozen=True, slots=True)
class Filter:
    """What an item has to fulfil.

    Attributes:
        groups: all conditions of one of these groups; None is no condition, an empty list lets nothing pass.
        paths: each has to lead somewhere.
    """

    groups: tuple[tuple[Condition, ...], ...] | None = None
    paths: tuple[FilterPath, ...] = ()


@dataclass(frozen=True, slots=True)
class FilterPath:
    """A step from an item, and what something that it leads to has to fulfil."""

    step: Follow
    filter: Filter = Filter()


def walk(tx: Tx, stream: Stream, path: FilterPath) -> Stream:
    """What a step leads to from each row of a stream, as far as it passes the filter; see `follow`."""
    return apply(tx, follow(tx, stream, path.step)[1], path.filter)


def apply(tx: Tx, stream: Stream, filter: Filter) -> Stream:
    """The rows of a stream that pass, in order. What was deleted meanwhile does not."""
    return stream if filter == Filter() else stream.select(_passing(tx, stream, filter))


def _passing(tx: Tx, stream: Stream, filter: Filter) -> list[int]:
    """The positions that pass."""
    positions = list(range(len(stream)))
    if filter.groups is not None:
        groups = filter.groups
        by_row = read(tx, stream)
        passing = {row for row, record in by_row.items() if any(_all(tx, group, record) for group in groups)}
        positions = [position for position in positions if stream.rows[position] in passing]
    for path in filter.paths:
        positions = [
            position
            for start in range(0, len(positions), _BATCH)
            for position in _leading_somewhere(tx, stream, positions[start : start + _BATCH], path)
        ]
    return positions


def _leading_somewhere(tx: Tx, stream: Stream, positions: Sequence[int], path: FilterPath) -> list[int]:
    """Those of some positions from which the step leads to something that passes."""
    origins, reached = follow(tx, stream.select(positions), path.step)
    passing = {origins[position] for position in _passing(tx, reached, path.filter)}
    return [position for number, position in enumerate(positions) if number in passing]


def _all(tx: Tx, conditions: Sequence[Condition], record: Record) -> bool:
    return all(_fulfils(tx, condition, record.get(condition.key)) for condition in conditions)


def _fulfils(tx: Tx, condition: Condition, value: Any) -> bool:
    """Whether a property fulfils a condition. One that is not there fulfils none."""
    if value is None and condition.value is not None:
        return False
    present = value if isinstance(value, list) else [value]
    wanted = condition.value if isinstance(condition.value, list) else [condition.value]
    quantifier = all if condition.operator == "!=" else any
    is_time = condition.key in TIMES
    return quantifier(
        _compare(tx, condition.operator, one, other, is_time=is_time) for one in present for other in wanted
    )


def _compare(tx: Tx, comparison: str, value: Any, other: Any, *, is_time: bool) -> bool:
    """Compare numbers by value, texts by code point, timestamps as instants; different kinds are only unequal."""
    if is_time and isinstance(other, str):
        value, other = _times(tx, comparison, value, other)
    if _kind(value) != _kind(other):
        return comparison == "!="
    if value is None or isinstance(value, dict):
        return comparison in ("==", "!=") and OPERATORS[comparison](value, other)
    return OPERATORS[comparison](value, other)


def _times(tx: Tx, comparison: str, value: str, other: str) -> tuple[str, str]:
    """A timestamp, and what it is compared with, in a form in which texts compare as times do.

    A day alone means that local day: `==` any instant of it, `>` what comes after it.
    """
    try:
        if comparison in ("==", "!=") and len(other) == len("2026-11-21"):
            return timestamps.local_date(value, tx.zone), timestamps.parse_date(other).isoformat()
        if comparison in (">", "<="):
            return value, timestamps.from_datetime(timestamps.parse_as_of(other, tx.zone))
        return value, timestamps.parse(other, tx.zone)
    except (ValueError, OverflowError):
        return value, other


def _kind(value: Any) -> type:
    """Numbers are of one kind; a truth value is not a number."""
    if isinstance(value, bool):
        return bool
    return float if isinstance(value, int | float) else type(value)


# Searches of a traversal: by words (BM25), by the meaning of a text, and by a vector among those reached.

_COMPARED_PER_RESULT = 5
"""How many of the facts nearest to a text are read for each result: some may have ended, or be of another group."""


def by_words(tx: Tx, question: str, *, kind: Kind, types: Sequence[str] | None, limit: int) -> Stream:
    """The entities or triplets with words of a question, best first.

    Args:
        kind: Kind.ENTITIES or Kind.TRIPLETS.
        types: of entities; None is any.
    """
    filters = _filters(tx, types)
    if kind is Kind.ENTITIES:
        index, conditions = store.full_text.ENTITIES, [] if types is None else [store.search_filters.ENTITY_TYPE]
    else:
        index, conditions = store.full_text.FACTS, store.search_filters.fact_conditions(filters)
    phrases = question_analysis.phrases_with_forms(tx, question)
    found = store.full_text.search(tx, index, phrases, filters=filters, conditions=conditions, limit=limit)
    return _ranked(kind, found)


def by_meaning(tx: Tx, text: str, *, k: int) -> Stream:
    """The vectors of the facts that hold whose sentences are nearest to a text, most similar first.

    Raises:
        errors.ModelUnavailable: there is no model, or the facts have no vectors.
    """
    if reason := vector_backfill.unavailable_reason(tx):
        raise errors.ModelUnavailable(f"texts cannot be compared by their meaning: {reason}")
    if store.vectors.model_and_dimension(tx) is None:
        return Stream(Kind.VECTORS)
    from keepgraph.ml import embedder

    packed = vector_backfill.pack(embedder.embed([text], model=tx.settings.model))[0]
    nearest = store.vector_search.nearest_facts(tx, packed, limit=_COMPARED_PER_RESULT * k)
    current = set(store.retrieval.facts(tx, [fact for fact, _ in nearest], _filters(tx, None)))
    return _ranked(Kind.VECTORS, [(fact, cosine) for fact, cosine in nearest if fact in current][:k])


def by_vector(tx: Tx, stream: Stream, vector: Sequence[float], *, k: int, min_score: float) -> Stream:
    """Those of the vectors of a stream that are nearest to a vector, most similar first, above a cosine.

    Raises:
        errors.TraversalEmpty: the stream holds no vectors.
        errors.DimensionMismatch: the vector has another dimension than those of the graph, or no direction.
    """
    if stream.kind is not Kind.VECTORS:
        raise errors.TraversalEmpty(
            "the traversal holds no vectors to compare",
            hint="Lead to them first: n_from_type Triplet, then out_step with Triplet_to_Embedding and vec.",
        )
    model = store.vectors.model_and_dimension(tx)
    if model is not None and len(vector) != model[1]:
        raise errors.DimensionMismatch(f"the vector has {len(vector)} numbers, those of this graph have {model[1]}")
    if not any(vector) or not all(map(math.isfinite, vector)):
        raise errors.DimensionMismatch("the vector has no direction", hint="Give finite numbers, not all of them 0.")
    import numpy as np

    stored = store.vector_search.embeddings(tx, store.derived_tables.FACT_VECTORS, list(dict.fromkeys(stream.rows)))
    rows = [row for row in stream.rows if row in stored]
    if not rows:
        return Stream(Kind.VECTORS)
    matrix = np.stack([np.frombuffer(stored[row], dtype=np.int8) for row in rows]).astype(np.float32)
    query = np.asarray(vector, dtype=np.float32)
    cosines = matrix @ query / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(query))
    best = [int(place) for place in np.argsort(-cosines, kind="stable") if cosines[place] > min_score][:k]
    return _ranked(Kind.VECTORS, [(rows[place], float(cosines[place])) for place in best])


def numbers(tx: Tx, rows: Sequence[int]) -> dict[int, list[float]]:
    """The vectors of facts as numbers, of length 1; none for a fact whose vector is not made yet."""
    import numpy as np

    stored = store.vector_search.embeddings(tx, store.derived_tables.FACT_VECTORS, list(dict.fromkeys(rows)))
    unpacked = {row: np.frombuffer(packed, dtype=np.int8).astype(np.float32) for row, packed in stored.items()}
    return {
        row: [round(float(number), 5) for number in vector / np.linalg.norm(vector)] for row, vector in unpacked.items()
    }


def waiting_note(tx: Tx, stream: Stream) -> str | None:
    """How many vectors are not made yet, where the stream holds vectors or links to them: no step finds these."""
    if stream.kind not in (Kind.VECTORS, Kind.LINKS_TO_VECTOR) or not (
        count := store.vectors.count_missing(tx, store.derived_tables.FACT_VECTORS)
    ):
        return None
    return f"{count} {'fact has' if count == 1 else 'facts have'} no vector yet, and cannot be found by one"


def _ranked(kind: Kind, ranking: Sequence[tuple[int, float]]) -> Stream:
    return Stream(kind, array("q", [row for row, _ in ranking]), [round(score, 4) for _, score in ranking])


def _filters(tx: Tx, types: Sequence[str] | None) -> Filters:
    return Filters((tx.group,), at=tx.at, types=None if types is None else tuple(types))


# Traversal sessions: handles to streams, in the memory of the process, that grow by one step with each call.
#
# A handle lives for 30 minutes after its last use. At most 64 are open; one more closes the least recently used.
# A step that fails changes nothing.

MAX_OPEN = 64
MAX_STEPS = 64
IDLE = timedelta(minutes=30)

_MAX_CLOSED_REMEMBERED = 1_000
_CACHE_KEY = "traversals"


@dataclass(slots=True)
class Traversal:
    """A stream and how far it was read.

    Attributes:
        position: of the next row that `next` gives.
        steps: the number of steps that led to the stream.
        skipped: the number of rows that were skipped because they were deleted meanwhile.
    """

    id: str
    used_at: datetime
    stream: Stream = field(default_factory=Stream)
    position: int = 0
    steps: int = 0
    skipped: int = 0
    lock: Lock = field(default_factory=Lock)

    def reset(self) -> None:
        """Make it blank again."""
        self.stream, self.position, self.steps, self.skipped = Stream(), 0, 0, 0

    def advance(self, step: Callable[[Stream], Stream]) -> None:
        """Let a step lead on to another stream; reading begins at its first row.

        Raises:
            errors.TraversalTooLarge: there were MAX_STEPS steps already.
        """
        if self.steps >= MAX_STEPS:
            raise errors.TraversalTooLarge(
                f"a traversal has at most {MAX_STEPS} steps", hint="Collect what there is, or begin again after reset."
            )
        self.stream = step(self.stream)
        self.position, self.skipped = 0, 0
        self.steps += 1


class Sessions:
    """The open traversals of a process, least recently used first."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Traversal] = OrderedDict()
        self._closed: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def begin(self, now: datetime) -> Traversal:
        """A new, blank traversal."""
        traversal = Traversal(f"trav_{secrets.token_hex(13)}", used_at=now)
        with self._lock:
            self._close_idle(now)
            while len(self._open) >= MAX_OPEN:
                oldest, _ = self._open.popitem(last=False)
                self._remember(oldest, f"it was closed, since {MAX_OPEN} others were used after it")
            self._open[traversal.id] = traversal
        return traversal

    @contextmanager
    def use(self, id: str, now: datetime) -> Iterator[Traversal]:
        """The traversal with this id, for one call at a time.

        Raises:
            errors.TraversalNotFound: there is none, or it was closed.
        """
        with self._lock:
            self._close_idle(now)
            traversal = self._open.get(id)
            if traversal is None:
                reason = self._closed.get(id, "there is none with this id in this process")
                raise errors.TraversalNotFound(f"the traversal {id[:60]!r} is not open: {reason}")
            traversal.used_at = now
            self._open.move_to_end(id)
        with traversal.lock:
            yield traversal

    def _close_idle(self, now: datetime) -> None:
        while self._open:
            oldest = next(iter(self._open.values()))
            if now - oldest.used_at <= IDLE:
                return
            del self._open[oldest.id]
            self._remember(oldest.id, f"it was not used for {IDLE.seconds // 60} minutes")

    def _remember(self, id: str, reason: str) -> None:
        self._closed[id] = reason
        while len(self._closed) > _MAX_CLOSED_REMEMBERED:
            self._closed.popitem(last=False)


def of_process(tx: Tx) -> Sessions:
    """The sessions of the process that has this graph open."""
    sessions: Sessions = tx.shared_cache.setdefault(_CACHE_KEY, Sessions())
    return sessions
