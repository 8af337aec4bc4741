"""Fusion: one ranking from several, by reciprocal ranks (RRF); boosts, and scores handed on to neighbours.

Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
SIGIR 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from keepgraph.engine.retrieval.weights import RRF_K

Key = int
"""What is ranked, by its row number: a fact, a chunk, a community or a node.

A node is an entity, or a proposed name: that has its row number with a minus, so that both fit into one ranking.
"""

Ranking = Sequence[tuple[Key, float]]
"""What one retriever found, best first, with its own scores."""


_DECIMALS = 4


class Placement(NamedTuple):
    """Where a hit stood in one ranking, from 1, and its score there; None where it has none."""

    rank: int | None
    score: float | None


Tables: TypeAlias = Mapping[str, Mapping[Key, tuple[int, float]]]
"""The rank and the score of each key in some rankings, by the name of the ranking."""

_NONE: Mapping[str, Placement] = MappingProxyType({})


class Placements(Mapping[str, Placement]):
    """The placements of one hit, by the name of the ranking. They are looked up: of hundreds of hits few are shown.

    Args:
        notes: placements besides, or in the place of those in the tables.
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
    """A result of retrieval with its fused score, and why it is one: its placement in each ranking, by name of that."""

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
            scores[key] = scores.get(key, 0.0) + weight / (RRF_K + rank)
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
        share: what each next part of a whole counts, of what the one before it counts: .5 is a half, a quarter, …
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
