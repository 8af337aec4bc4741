"""Fusion: one ranking from several, by reciprocal ranks (RRF); boosts, and scores passed on to neighbours.

Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
SIGIR 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

Key = int
"""What is ranked, by its row number: a fact, a chunk, a community or a node.

A node is an entity, or a proposed name with minus its row number, so that both fit into one ranking.
"""

Ranking = Sequence[tuple[Key, float]]
"""What one retriever found, best first, with its own scores."""


_DECIMALS = 4


class Placement(NamedTuple):
    """The rank of a hit in one ranking, from 1, and its score there; None if it has none."""

    rank: int | None
    score: float | None


Tables: TypeAlias = Mapping[str, Mapping[Key, tuple[int, float]]]
"""The rank and the score of each key in some rankings, by the name of the ranking."""

_NONE: Mapping[str, Placement] = MappingProxyType({})


class Placements(Mapping[str, Placement]):
    """The placements of one hit, by the name of the ranking, looked up lazily: of hundreds of hits few are shown.

    Args:
        notes: placements that add to those in the tables, or replace them.
    """

    __slots__ = ("_key", "_notes", "_tables")

    def __init__(self, key: Key, tables: Tables, notes: Mapping[str, Placement] = _NONE) -> None:
        self._key = key
        self._tables = tables
        self._notes = notes

    def noting(self, notes: Mapping[str, Placement]) -> Placements:
        """These placements and some notes."""
        return Placements(self._key, self._tables, {**self._notes, **notes} if self._notes else notes)

    def __getitem__(self, source: str) -> Placement:
        if source in self._notes:
            return self._notes[source]
        rank, score = self._tables[source][self._key]
        return Placement(rank, round(score, _DECIMALS))

    def __iter__(self) -> Iterator[str]:
        yield from (source for source, table in self._tables.items() if self._key in table)
        yield from (source for source in self._notes if self._key not in self._tables.get(source, ()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Hit(NamedTuple):
    """A result of retrieval with its fused score, and its placement in each ranking, by the ranking's name."""

    key: Key
    score: float
    why: Mapping[str, Placement] = _NONE


def fuse(
    rankings: Mapping[str, Ranking],
    weights: Mapping[str, float] | None = None,
    *,
    exceptions: Mapping[Key, Mapping[str, float]] | None = None,
) -> list[Hit]:
    """Fuse rankings by reciprocal ranks, best first; of equal scores, the lower key first.

    A hit at rank r of a ranking counts weight / (RRF_K + r).

    Args:
        weights: by the name of the ranking, where it is not 1.
        exceptions: of some hits, the rankings with another weight for them.
    """
    weights, exceptions = weights or {}, exceptions or {}
    scores: dict[Key, float] = {}
    for source, ranking in rankings.items():
        usual = weights.get(source, 1.0)
        for rank, (key, _) in enumerate(ranking, 1):
            weight = exceptions[key].get(source, usual) if key in exceptions else usual
            scores[key] = scores.get(key, 0.0) + weight / (_RRF_K + rank)
    tables: Tables = {
        source: {key: (rank, score) for rank, (key, score) in enumerate(ranking, 1)}
        for source, ranking in rankings.items()
    }
    best_first = sorted([(-score, key) for key, score in scores.items()])
    return [Hit(key, -score, Placements(key, tables)) for score, key in best_first]


def boost(hits: Iterable[Hit], keys: Collection[Key], *, by: float, source: str) -> list[Hit]:
    """Multiply the scores of some hits, and note it under the name `source`."""
    note = {source: Placement(None, by)}
    return _best_first(Hit(hit.key, hit.score * by, _noting(hit.why, note)) if hit.key in keys else hit for hit in hits)


def scale_proposals(hits: Iterable[Hit], by: float) -> list[Hit]:
    """Multiply the scores of proposed names, which have negative keys."""
    return _best_first(Hit(hit.key, hit.score * by, hit.why) if hit.key < 0 else hit for hit in hits)


def spread(ranking: Ranking, neighbours: Mapping[Key, Iterable[tuple[Key, float]]]) -> list[tuple[Key, float]]:
    """Add a share of each score to the scores of neighbours.

    Args:
        neighbours: of each key, with the share that each of them is given, from 0 to 1.
    """
    scores = dict(ranking)
    for key, score in ranking:
        for neighbour, share in neighbours.get(key, ()):
            scores[neighbour] = scores.get(neighbour, 0.0) + share * score
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def combine(hits: Sequence[Hit], whole_of: Mapping[Key, str], *, share: float, source: str) -> list[Hit]:
    """The best hit of each whole, with the score of the whole, best first; it is noted under the name `source`.

    Args:
        hits: best first; parts of wholes.
        share: what each next part of a whole counts relative to the one before it: .5 is a half, a quarter, …
    """
    best: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    counts: dict[str, float] = {}
    for hit in hits:
        whole = whole_of[hit.key]
        best.setdefault(whole, hit)
        scores[whole] = scores.get(whole, 0.0) + counts.get(whole, 1.0) * hit.score
        counts[whole] = share * counts.get(whole, 1.0)
    order = _best_first(hit._replace(score=scores[whole]) for whole, hit in best.items())
    return [
        hit._replace(why=_noting(hit.why, {source: Placement(rank, round_score(hit.score))}))
        for rank, hit in enumerate(order, 1)
    ]


def sum_scores(groups: Iterable[tuple[Sequence[Key], float]]) -> list[tuple[Key, float]]:
    """The members of groups that have scores, each with the sum of the scores of its groups, best first."""
    scores: dict[Key, float] = {}
    for members, score in groups:
        for key in dict.fromkeys(members):
            scores[key] = scores.get(key, 0.0) + score
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def round_score(score: float) -> float:
    """A score as results show it."""
    return round(score, _DECIMALS)


def _noting(why: Mapping[str, Placement], note: Mapping[str, Placement]) -> Mapping[str, Placement]:
    return why.noting(note) if isinstance(why, Placements) else {**why, **note}


def _best_first(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.key))


# Every weight of the ranking in search, and how many hits each of its stages examines.
#
# Figures are recall@5 on five conversations of LoCoMo, from ADR 0028, each with the steps before it in place.

# Fusion

_RRF_K = 10
"""The constant of reciprocal rank fusion: a hit at rank r of a list counts 1 / (RRF_K + r).

With the customary 60, being in many lists counts for more than being first in one: on LoCoMo, words and vectors fused
are then no better than words alone.
"""

# What a list counts in the fusion, where it is not 1

NODES_BY_NAME = 2.0
"""Entities that the question names: stronger evidence than any list of what resembles the question."""

PROPOSED_NODE = 0.5
"""Multiplies the score of a name that is only proposed: about equally relevant entities come first."""

NODES_BY_MENTION = 0.5
"""Entities that the best texts mention: a text that answers also mentions much else."""

EDGES_BY_MENTION = 0.1
"""Facts between entities that the best texts mention: they rank below whatever any other list has found."""

TURNS_BY_WORDS = 1.5
"""Turns of conversations by their words: one list, against two that compare vectors."""

DOCUMENTS_BY_WORDS = DOCUMENTS_BY_VECTOR = DOCUMENTS_BY_FEEDBACK = 3.5 / 3
"""Documents by their words, by vectors, and by the vectors of the best documents: three lists of equal weight.

Together that is what the lists of a turn count, so that neither kind is preferred. With 1.5 and 1 for words and vectors
as for turns, recall is .582 on questions over documents, with equal weights .613, with feedback .638 (ADR 0052).
"""

FEEDBACK_DOCUMENTS = 2
FEEDBACK = 0.5
"""How many of the best documents the question is moved towards, and what their mean counts beside the question."""

CHUNKS_BY_DISTANCE = 1.0
CHUNKS_BY_PAGERANK = 0.5
"""Chunks by the graph around the question, in multi-hop search (ADR 0043)."""

# Where the graph is entered, in multi-hop search

SEEDS_WITHOUT_NAME = 5
"""If the question names nothing known: how many of the entities that search finds."""

SEED_CHUNKS = 10
"""How many of the best chunks are seeds of PageRank beside the names: the first step of an answer may be in them."""

SHARE_OF_SEED_CHUNKS = 0.5
"""The weight of these chunks together, against the names."""

# What changes the score of a hit

NAMED_SPEAKER = 1.5
"""Multiplies the score of a turn whose speaker the question names, and of a text that mentions an entity it names.

Recall .573 → .615. With 2, a question that is right about who said it gains still more, but one that is wrong about
it comes out worse than with words alone; with 1.5 it does not.
"""

PROPOSED_NAME_IN_TEXT = 1.25
"""Multiplies the score of a text that mentions a merely proposed name of the question.

On questions over documents nearly every text with the words of a question has such a name: with 1.5, the boost undoes
what the order by words and vectors knows (ADR 0052).
"""

SHARE_OF_TURN_BEFORE = 0.5
"""The share of its score by words that a turn gives to the turn after it: an answer follows its question.

Recall .647 → .660.
"""

SHARE_OF_TURN_AFTER = 0.25
"""The share of its score by words that a turn gives to the turn before it."""

# How certainly a name in the question means an entity

EXACT_NAME = 1.0
ALIAS = 0.95
PROPOSED_NAME = 0.9

# What is too little

MIN_COSINE_OF_NAMES = 0.35
MIN_COSINE_OF_FACTS = 0.25
MIN_COSINE_OF_CHUNKS = 0.1
"""The cosine below which a vector is not evidence: something is always nearest, whatever is asked."""

CLEAR_COSINE = MIN_COSINE_OF_NAMES
"""The cosine from which a chunk that was found by its vector alone lends its score to what it mentions."""

SHARE_OF_NEXT_PART = 0.5
"""What each next part of a conversation or document counts relative to the previous one, when ranked as wholes.

A session with evidence among the first five on two halves of LoCoMo, by the best turn alone .933 and .922, so .929 and
.935; the sum of all turns .890 and .892, for there the longest session wins.
"""

NEAR_SHARE_OF_BEST = 0.75
"""What only its vector has found is left out below this share of the best cosine: after a right hit it is noise.

Of the first ten turns of a question in LoCoMo .13 are found so, and none of them is evidence.
"""

# Below these values nothing answers the question (ADR 0052)

ANSWERING_CHUNK = 0.48
"""The cosine of the nearest of 2,000 chunks and COVERAGE_IN_COSINE times its coverage are this, or no text answers."""

ANSWERING_FACT = 0.41
ANSWERING_NAME = 0.48
"""The cosine of the nearest of 2,000 facts or names from which it answers."""

ROWS_OF_ANSWERING = 2000
ANSWERING_PER_ROWS = 0.037
"""How much higher these are with e times as many rows: among more, one is nearer by chance."""

MIN_ANSWERING = 0.19
MAX_ANSWERING = 0.52

COVERAGE_IN_COSINE = 0.2
"""What the share of the words that one text has adds to the cosine of the nearest."""

ANSWERING_WORDS = 0.7
"""The share of the words of a question, weighted by how rare they are, that one text has which answers by words."""

ANSWERING_WORDS_WITHOUT_VECTORS = 0.25
"""The same without vectors, when only words decide: too much rather than too little."""

COVERED_HITS = 10
"""How many of the best hits by words are examined."""

# Reranking

SHARE_OF_BEST_IN_HEAD = 0.6
"""A hit less relevant than this share of the best is not moved up, however near it is (ADR 0052)."""

MMR_BALANCE = 0.5
"""Maximal marginal relevance: what relevance weighs, against not resembling the hits before; from 0 to 1."""

# How many hits each stage examines

CANDIDATES = 200
"""The hits that each retriever gives to the fusion."""

NEWEST = 100
"""How many of the newest texts and facts any word of the question finds, whatever is left out of the others."""

FACT_VECTORS = 1000
"""The nearest facts by vector: more than the candidates, because the filters are applied after the comparison."""

EXPANDED_HITS = 20
"""The best hits of one kind from which another is reached: facts lead to their ends, texts to what they mention."""

PROPOSED_NAMES_COMPARED = 48
"""How many proposed names are compared with the question by vector, if only nodes are asked for."""

RERANKED_PER_RESULT = 5
MIN_RERANKED = 50
"""A reranker orders five hits for each result that is returned, and never fewer than 50."""

CROSS_ENCODER_TEXTS = 50
"""The hits that a cross-encoder reads: it takes a pass of the model for each."""
