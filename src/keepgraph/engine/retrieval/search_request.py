"""The request of a search, its results, and hydration: the entities, facts, chunks and communities that hits are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from keepgraph import store
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.communities import Community
from keepgraph.store.details import EntityDetails, FactDetails
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

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
        question: may be empty if there is a node to begin at.
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
        near: how many hits of each kind are near all the same, and left out; none if they are in the lists.
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
        """These results with at most this many of each kind but one."""
        lists = {kind: getattr(self, kind) for kind in KINDS if kind != but}
        cut = {kind for kind, results in lists.items() if len(results) > limit}
        shortened = {kind: results[:limit] for kind, results in lists.items()}
        return replace(self, **shortened, truncated_kinds=self.truncated_kinds | cut)


def nodes(tx: Tx, hits: Sequence[Hit], filters: Filters) -> list[NodeResult]:
    """The entities and proposed names that pass the filters by group and type."""
    entity_rows = [hit.key for hit in hits if hit.key > 0]
    proposal_rows = [-hit.key for hit in hits if hit.key < 0]
    entities = store.retrieval.entities(tx, entity_rows, filters) if entity_rows else {}
    details = store.details.of_entities(tx, list(entities)) if entities else {}
    proposals = store.proposals.by_rows(tx, proposal_rows) if proposal_rows else {}
    groups = store.retrieval.groups_of_proposals(tx, proposal_rows) if proposal_rows else {}
    results = []
    for hit in hits:
        if hit.key in entities:
            results.append(NodeResult(hit, entity=entities[hit.key], details=details[hit.key]))
            continue
        proposal = proposals.get(-hit.key)
        if proposal and groups[proposal.row] in filters.groups and _has_type(proposal, filters.types):
            results.append(NodeResult(hit, proposal=proposal, group=groups[proposal.row]))
    return results


def facts(tx: Tx, hits: Sequence[Hit]) -> list[FactResult]:
    """The facts, without their details."""
    by_row = {fact.row: fact for fact in store.facts.by_rows(tx, [hit.key for hit in hits])}
    return [FactResult(hit, by_row[hit.key], None) for hit in hits]


def add_details(tx: Tx, results: Sequence[FactResult]) -> list[FactResult]:
    """The same facts with their groups and the episodes that they come from."""
    details = store.details.of_facts(tx, [result.fact.row for result in results]) if results else {}
    return [replace(result, details=details.get(result.fact.row)) for result in results]


def chunks(tx: Tx, hits: Sequence[Hit]) -> list[ChunkResult]:
    """The chunks with their episodes."""
    rows = [hit.key for hit in hits]
    episode_rows = store.retrieval.episodes_of_chunks(tx, rows)
    by_row = store.episodes.chunks_by_rows(tx, rows)
    episodes = store.episodes.by_rows(tx, [episode_rows[row] for row in rows])
    return [ChunkResult(hit, episodes[episode_rows[hit.key]], by_row[hit.key]) for hit in hits]


def communities(tx: Tx, hits: Sequence[Hit]) -> list[CommunityResult]:
    """The communities."""
    rows = [hit.key for hit in hits]
    by_row = store.communities.by_rows(tx, rows)
    return [CommunityResult(hit, by_row[hit.key]) for hit in hits if hit.key in by_row]


def _has_type(proposal: Proposal, types: Sequence[str] | None) -> bool:
    return types is None or proposal.subject_type in types
