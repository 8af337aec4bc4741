"""The nouns of the graph as frozen dataclasses. Knows no SQL, no rules and no JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a type and a name. `row` is its integer key, `id` its public one."""

    row: int
    id: str
    type: str
    name: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Ref:
    """An entity as a caller names it: by id, or by type and name."""

    id: str | None = None
    type: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, predicate and an object that is an entity or a literal, never both.

    Times are stored stamps (see engine/time.py); an open end of the validity is None.
    """

    row: int
    id: str
    subject: Entity
    predicate: str
    object: Entity | None
    literal: str | None
    confidence: float
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A fact in row numbers alone, for going through many."""

    row: int
    subject: int
    object: int | None
    literal: str | None
    recorded_at: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that was perhaps meant: by which name, found how, and how near (0 to 1)."""

    entity: Entity
    matched: str
    method: str
    score: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name turned out to mean. No entity is an answer too; then the candidates say what was near."""

    entity: Entity | None
    method: str
    score: float
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What recording one fact did."""

    fact: Fact
    deduplicated: bool
    created: tuple[Entity, ...] = ()
    possible_duplicates: tuple[tuple[Entity, Candidate], ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """A neighbour, with the number of facts it shares."""

    entity: Entity
    facts: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided: an entity of type decision, or what a decided_in fact says was decided."""

    id: str
    name: str
    decided_at: str
    decided_on: str
    decided_by: tuple[Entity, ...]
    source: str | None
    confidence: float
    supersedes: Entity | None
    followed_up: bool


@dataclass(frozen=True, slots=True)
class Week:
    """Seven local days, the last of them today: what was decided, what is blocked, what to do next."""

    start: str
    end: str
    decisions: tuple[Decision, ...]
    blockers: tuple[Fact, ...]
    next_actions: tuple[str, ...]
    decision_count: int
    blocker_count: int
    next_action_count: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the vocabulary: an entity type or a predicate."""

    row: int
    kind: str
    name: str
    description: str
    version: str
