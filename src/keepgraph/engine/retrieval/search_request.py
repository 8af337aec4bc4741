"""The request of a search: the question, the kinds of results, the filters, the reranker, and where to begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.communities import Community
from keepgraph.store.details import EntityDetails, FactDetails
from keepgraph.store.search_filters import Filters

NODES, EDGES, COMMUNITIES, EPISODES = KINDS = ("nodes", "edges", "communities", "episodes")
"""The kinds of results, as callers name them.

A node is an entity or a name that is only proposed; an edge is a fact; an episode is a text, of which the best chunk is
found.
"""

RRF, MMR, CROSS_ENCODER, NODE_DISTANCE, EPISODE_MENTIONS, NEWEST = (
    "rrf",
    "mmr",
    "cross_encoder",
    "node_distance",
    "episode_mentions",
    "newest",
)
"""The rerankers, as callers name them."""

BFS, PPR, HYBRID = TRAVERSALS = ("bfs", "ppr", "hybrid")
"""Which rankings by the graph a multi-hop search fuses, as callers name them; `hybrid` is both."""

EACH, WHOLE = ("each", "whole")
"""What is ranked of texts: each text by its best part, or conversations and documents as wholes."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for.

    Attributes:
        question: may be empty where there is a node to begin at.
        kinds: of KINDS.
        reranker: one of those above.
        centre: the node that distances are measured from.
        origins: the nodes where the search along facts and mentions begins.
        limit: the number of results of each kind.
        may_abstain: whether nothing is an answer where all that is found is only near.
        includes_near: whether what is only near is in the results all the same.
        rank_texts: EACH or WHOLE.
    """

    question: str
    kinds: frozenset[str]
    filters: Filters
    reranker: str = RRF
    centre: Key | None = None
    origins: tuple[Key, ...] = ()
    limit: int = 10
    may_abstain: bool = False
    includes_near: bool = False
    rank_texts: str = EACH

    @property
    def starting_nodes(self) -> tuple[Key, ...]:
        """The origins and the centre, each once."""
        return tuple(dict.fromkeys([*self.origins, *([] if self.centre is None else [self.centre])]))

    @property
    def lists_newest(self) -> bool:
        """Whether nothing is asked but which texts are the newest, of some days perhaps."""
        is_of_time = self.reranker == NEWEST or self.filters.days is not None
        return is_of_time and not self.question.strip() and self.centre is None


# The results of a search: hits with the entities, facts, chunks and communities that they are.


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
