"""The chain of a traversal: what each kind of step makes of a stream. One function runs all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from keepgraph.engine.traversal import searches, steps
from keepgraph.engine.traversal.steps import Filter, Follow, Label
from keepgraph.engine.traversal.streams import Kind, Stream
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class AllEntities:
    """Begin with the entities of some types; None is any."""

    types: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class AllTriplets:
    """Begin with all current facts, as nodes."""


@dataclass(frozen=True, slots=True)
class AllEdges:
    """Begin with all edges of a label."""

    label: Label


@dataclass(frozen=True, slots=True)
class FollowLabel:
    """Go on along a label, to what passes a filter."""

    follow: Follow
    filter: Filter | None = None


@dataclass(frozen=True, slots=True)
class Select:
    """Keep what passes a filter."""

    filter: Filter


@dataclass(frozen=True, slots=True)
class SearchWords:
    """Begin with the nodes that words are found in."""

    question: str
    kind: Kind
    types: Sequence[str] | None
    limit: int


@dataclass(frozen=True, slots=True)
class SearchMeaning:
    """Begin with the vectors that are nearest to a text."""

    text: str
    k: int


@dataclass(frozen=True, slots=True)
class SearchVector:
    """Keep the vectors that are nearest to one."""

    vector: Sequence[float]
    k: int
    min_score: float


Step: TypeAlias = (
    AllEntities | AllTriplets | AllEdges | FollowLabel | Select | SearchWords | SearchMeaning | SearchVector
)


def run(tx: Tx, stream: Stream, step: Step) -> Stream:
    """The stream after a step.

    Raises:
        errors.InvalidRequest: the step cannot be made; the stream stays as it was.
        errors.ModelUnavailable: texts cannot be compared by their meaning.
    """
    match step:
        case AllEntities(types):
            return steps.entities_of(tx, types)
        case AllTriplets():
            return steps.triplets(tx)
        case AllEdges(label):
            return steps.edges_of(tx, label)
        case FollowLabel(follow, filter):
            _, reached = steps.follow(tx, stream, follow)
            return reached if filter is None else steps.apply(tx, reached, filter)
        case Select(filter):
            return steps.apply(tx, stream, filter)
        case SearchWords(question, kind, types, limit):
            return searches.by_words(tx, question, kind=kind, types=types, limit=limit)
        case SearchMeaning(text, k):
            return searches.by_meaning(tx, text, k=k)
        case SearchVector(vector, k, min_score):
            return searches.by_vector(tx, stream, vector, k=k, min_score=min_score)
