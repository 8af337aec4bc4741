"""The results of a search: hits with the entities, facts, chunks and communities that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from keepgraph.engine.retrieval.fusion import Hit
from keepgraph.engine.retrieval.search_request import KINDS
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.communities import Community
from keepgraph.store.details import EntityDetails, FactDetails


@dataclass(frozen=True, slots=True)
class NodeResult:
    """An entity with its details; or a name that is only proposed, with its group."""

    hit: Hit
    entity: Entity | None = None
    details: EntityDetails | None = None
    proposal: Proposal | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class FactResult:
    """A fact; its group and episodes are read only for the results that are returned."""

    hit: Hit
    fact: Fact
    details: FactDetails | None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """The chunk of an episode that answers best."""

    hit: Hit
    episode: Episode
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class CommunityResult:
    """A community."""

    hit: Hit
    community: Community


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of each kind, best first.

    Attributes:
        truncated_kinds: the kinds of which more was found than the limit allows.
        abstained: whether nothing that was found answers the question.
        near: how many hits of each kind are near all the same, and left out; none where they are in the lists.
        named: the rows of the entities that the question names.
        embedding_state: the state of the vectors, in words: on, how many are missing, or why they are off.
    """

    nodes: Sequence[NodeResult] = ()
    edges: Sequence[FactResult] = ()
    communities: Sequence[CommunityResult] = ()
    episodes: Sequence[ChunkResult] = ()
    truncated_kinds: frozenset[str] = frozenset()
    named: tuple[int, ...] = ()
    embedding_state: str = "on"
    abstained: bool = False
    near: Mapping[str, int] = field(default_factory=dict)

    def at_most(self, limit: int, *, but: str) -> SearchResults:
        """These results with at most so many of each kind but one."""
        lists = {kind: getattr(self, kind) for kind in KINDS if kind != but}
        cut = {kind for kind, results in lists.items() if len(results) > limit}
        shortened = {kind: results[:limit] for kind, results in lists.items()}
        return replace(self, **shortened, truncated_kinds=self.truncated_kinds | cut)
