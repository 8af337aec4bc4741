"""Horn rules of one or two body atoms: mined by joins, and applied to rank the missing end of a triple.

A rule says h(x, y) if q(x, y), or h(x, y) if q(x, z) and r(z, y) for some z, where each body atom may be read in either
direction and x, y and z are different. Its body is the set of pairs (x, y) for which its atoms hold, its support the
number of these for which h holds too; the others are its counter-examples.

Sources: L. Galárraga et al., "AMIE: Association Rule Mining under Incomplete Evidence in Ontological Knowledge Bases",
WWW 2013; C. Meilicke et al., "Anytime Bottom-Up Rule Learning for Knowledge Graph Completion", IJCAI 2019, for object
identity and the confidence support / (body + 5). The rules that speak for a pair are combined by noisy-or, the twenty
best of them; popularity decides where they leave two entities equal.

Paths through nodes with very many triples are left out, so that the joins have at most a stated number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from keepgraph.arrays import link_models
from keepgraph.arrays.link_models import Check, Floats, Integers, Mask, PopularityModel, Triples

# Triples as steps in both directions: the paths of one and two steps between entities, by joins of sorted arrays.

_ROWS_OF_A_PART = 500_000


class _StepGraph:
    """Triples as steps in both directions, in compressed sparse rows.

    A step is a predicate, or a predicate plus the number of predicates where it is read backwards. A path of two steps
    q and r is the number q * width + r; a path of one step q has no second: r is `width - 1`.
    """

    def __init__(self, triples: Triples, *, max_rows: int) -> None:
        proper = triples.take(triples.subjects != triples.objects)
        self.entity_count, self.predicate_count = triples.entity_count, triples.predicate_count
        self.width = 2 * self.predicate_count + 1
        owners = np.concatenate([proper.subjects, proper.objects])
        ends = np.concatenate([proper.objects, proper.subjects])
        steps = np.concatenate([proper.predicates, proper.predicates + self.predicate_count])
        order = np.lexsort((ends, steps, owners))
        columns = np.stack([owners[order], steps[order], ends[order]])
        if columns.shape[1]:
            is_first = np.ones(columns.shape[1], dtype=bool)
            is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
            columns = columns[:, is_first]
        self.owners, self.steps, self.ends = (np.ascontiguousarray(column) for column in columns)
        self.degrees = np.bincount(self.owners, minlength=self.entity_count)
        self.offsets = np.concatenate([[0], np.cumsum(self.degrees)])
        self.is_passable = self.degrees <= _largest_degree(self.degrees, max_rows)
        forward = self.steps < self.predicate_count
        pairs = self.owners[forward] * self.entity_count + self.ends[forward]
        by_pair = np.argsort(pairs, kind="stable")
        self._pairs, self._pair_predicates = pairs[by_pair], self.steps[forward][by_pair]

    def atoms(self, path: int) -> tuple[tuple[int, bool], ...]:
        steps = (path // self.width, path % self.width)
        return tuple(
            (step % self.predicate_count, step >= self.predicate_count) for step in steps if step != self.width - 1
        )

    def parts(self, starts: Integers) -> Iterator[Integers]:
        """Some entities in parts whose joins have some hundred thousand rows each, or one entity."""
        passed = np.where(self.is_passable, self.degrees, 0)
        sums = np.concatenate([[0], np.cumsum(passed[self.ends])])
        rows = (sums[self.offsets[starts + 1]] - sums[self.offsets[starts]]) + self.degrees[starts]
        starts, rows = starts[rows > 0], rows[rows > 0]
        part = np.cumsum(rows) // _ROWS_OF_A_PART
        yield from np.split(starts, np.flatnonzero(np.diff(part)) + 1) if len(starts) else []

    def bodies(self, starts: Integers, *, backwards: bool) -> tuple[Integers, Integers]:
        """The paths of one and two steps from some entities, each with the pair of its ends as one number.

        Each path and pair is there once.

        Args:
            backwards: whether the paths lead to the entities, so that these are the objects; their pairs still have
                the start first.
        """
        first, ends = self._expand(starts)
        pairs, paths = starts[first] * self.entity_count + self.ends[ends], self._single(self.steps[ends], backwards)
        passed = self.is_passable[self.ends[ends]]
        first, middle = first[passed], ends[passed]
        again, second = self._expand(self.ends[middle])
        is_other = self.ends[second] != starts[first][again]
        again, second = again[is_other], second[is_other]
        longer = self._pair_path(self.steps[middle][again], self.steps[second], backwards)
        longer_pairs = starts[first][again] * self.entity_count + self.ends[second]
        # Two nodes may be connected by several middle nodes: one is enough.
        columns = np.concatenate([pairs, longer_pairs]), np.concatenate([paths, longer])
        order = np.lexsort(columns)
        all_pairs, all_paths = columns[0][order], columns[1][order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (all_pairs[1:] != all_pairs[:-1]) | (all_paths[1:] != all_paths[:-1])
        return all_paths[is_first], all_pairs[is_first]

    def predicates_between(self, pairs: Integers) -> tuple[Integers, Integers]:
        """The predicates that lead from the first to the second of each pair: positions in `pairs`, predicates."""
        first = np.searchsorted(self._pairs, pairs, side="left")
        counts = np.searchsorted(self._pairs, pairs, side="right") - first
        owners, places = _ranges(first, counts)
        return owners, self._pair_predicates[places]

    def _expand(self, nodes: Integers) -> tuple[Integers, Integers]:
        """The steps from some nodes: positions in `nodes`, and positions of the steps."""
        return _ranges(self.offsets[nodes], self.degrees[nodes])

    def _single(self, steps: Integers, backwards: bool) -> Integers:
        return (self._inverse(steps) if backwards else steps) * self.width + (self.width - 1)

    def _pair_path(self, first: Integers, second: Integers, backwards: bool) -> Integers:
        if backwards:
            first, second = self._inverse(second), self._inverse(first)
        return first * self.width + second

    def _inverse(self, steps: Integers) -> Integers:
        return np.where(steps < self.predicate_count, steps + self.predicate_count, steps - self.predicate_count)


def _largest_degree(degrees: Integers, max_rows: int) -> int:
    """The largest number of triples of nodes that may be passed through: each takes its square in rows."""
    ascending = np.sort(degrees)
    rows = np.cumsum(ascending.astype(np.float64) ** 2)
    count = int(np.searchsorted(rows, max_rows, side="right"))
    return int(ascending[count - 1]) if count == len(ascending) and count else int(ascending[count]) - 1 if count else 0


def _ranges(starts: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The positions of several ranges, one after the other, each with the number of its range."""
    owners = np.repeat(np.arange(len(starts)), counts)
    before = np.cumsum(counts) - counts
    return owners, np.arange(len(owners)) - np.repeat(before - starts, counts)


MIN_SUPPORT = 2
MAX_ROWS = 8_000_000
"""The most rows of all joins of two atoms together."""

_PRIOR = 5
"""Counter-examples added to those of each rule: one that was right twice out of twice is not certain."""

_RULES_OF_A_PAIR = 20
_RULES_OF_A_PREDICTION = 5
"""The most rules named as the reason for a triple."""

_TIE_BREAK = 1e-6


@dataclass(frozen=True, slots=True)
class HornRule:
    """A rule over numbers of predicates.

    Attributes:
        head: the predicate of h(x, y).
        body: one or two atoms from x to y, each a predicate and whether it is read from its object to its subject.
        support: for how many pairs body and head hold.
        body_size: for how many pairs the body holds.
    """

    head: int
    body: tuple[tuple[int, bool], ...]
    support: int
    body_size: int

    @property
    def confidence(self) -> float:
        """From 0 to 1: the support among the pairs of the body, with five counter-examples added."""
        return self.support / (self.body_size + _PRIOR)

    @property
    def counter_examples(self) -> int:
        return self.body_size - self.support


@dataclass(frozen=True, slots=True)
class Prediction:
    """A triple that rules speak for.

    Attributes:
        score: from 0 to 1, by noisy-or of its rules.
        rules: positions of the rules that speak for it, the most confident first, at most five.
    """

    subject: int
    predicate: int
    object: int
    score: float
    rules: tuple[int, ...]


class HornRuleModel:
    """Rules, and the triples they were mined from.

    Attributes:
        rules: the most confident first.
    """

    def __init__(self, triples: Triples, rules: tuple[HornRule, ...], *, max_rows: int = MAX_ROWS) -> None:
        self.rules = rules
        self._graph = _StepGraph(triples, max_rows=max_rows)
        self._popularity: PopularityModel = link_models.fit(triples)
        self._table = _RuleTable(rules, self._graph)

    def score_objects(self, subject: int, predicate: int) -> Floats:
        return self._score(subject, predicate, self._popularity.score_objects(subject, predicate), backwards=False)

    def score_subjects(self, predicate: int, object: int) -> Floats:
        return self._score(object, predicate, self._popularity.score_subjects(predicate, object), backwards=True)

    def _score(self, start: int, predicate: int, fallback: Floats, *, backwards: bool) -> Floats:
        scores = fallback * _TIE_BREAK
        pairs, _, rules = self._matches(np.array([start]), backwards=backwards, head=predicate)
        unique, combined, _, _ = self._combine(pairs, rules)
        scores[unique % self._graph.entity_count] += combined
        return scores

    def confidence(self, subject: int, predicate: int, object: int) -> tuple[float, tuple[HornRule, ...]]:
        """How certain a triple is by the rules, from 0 to 1, and those rules; whether it is known or not."""
        found = self._predict_from(np.array([subject]), head=predicate, object=object)
        if not found:
            return 0.0, ()
        return found[0].score, tuple(self.rules[position] for position in found[0].rules)

    def score(self, triples: Triples, *, check: Check = lambda: None) -> Floats:
        """How certain each triple is by the rules, from 0 to 1, whether it is known or not."""
        graph = self._graph
        pairs = triples.subjects * graph.entity_count + triples.objects
        wanted = np.unique(pairs)
        keys = pairs * graph.predicate_count + triples.predicates
        unique_keys, places = np.unique(keys, return_inverse=True)
        scores = np.zeros(len(unique_keys))
        for starts in graph.parts(np.unique(triples.subjects)):
            check()
            paths, ends = graph.bodies(starts, backwards=False)
            is_wanted = np.isin(ends, wanted)
            matched, heads, rules = self._table.match(paths[is_wanted], ends[is_wanted], head=None)
            found, combined, _, _ = self._combine(matched * graph.predicate_count + heads, rules)
            at = np.minimum(np.searchsorted(unique_keys, found), len(unique_keys) - 1)
            is_asked = unique_keys[at] == found
            scores[at[is_asked]] = combined[is_asked]
        return scores[places]

    def predict(
        self, known: Triples, *, min_confidence: float, limit: int, check: Check = lambda: None
    ) -> tuple[Prediction, ...]:
        """The unknown triples with the highest scores, among those with a rule that confident."""
        is_good = np.array([rule.confidence >= min_confidence for rule in self.rules], dtype=bool)
        width = known.predicate_count
        known_keys = np.unique((known.subjects * known.entity_count + known.objects) * width + known.predicates)
        best: list[Prediction] = []
        for starts in self._graph.parts(np.arange(self._graph.entity_count)):
            check()
            found = self._predict_from(starts, good=is_good, known=known_keys, limit=limit)
            best = sorted([*best, *found], key=_by_score)[:limit]
        return tuple(best)

    def _predict_from(
        self,
        starts: Integers,
        *,
        head: int | None = None,
        object: int | None = None,
        good: Mask | None = None,
        known: Integers | None = None,
        limit: int = 1,
    ) -> list[Prediction]:
        graph = self._graph
        pairs, heads, rules = self._matches(starts, backwards=False, head=head)
        if object is not None:
            chosen = pairs % graph.entity_count == object
            pairs, heads, rules = pairs[chosen], heads[chosen], rules[chosen]
        keys = pairs * graph.predicate_count + heads
        if known is not None and len(keys):
            places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            is_new = known[places] != keys
            keys, rules = keys[is_new], rules[is_new]
        if good is not None and len(keys):
            supported = np.unique(keys[good[rules]])
            is_supported = np.isin(keys, supported)
            keys, rules = keys[is_supported], rules[is_supported]
        unique, scores, first, counts = self._combine(keys, rules)
        order = np.lexsort((unique, -scores))[:limit]
        sorted_rules = rules[np.lexsort((rules, keys))]
        return [
            Prediction(
                int(unique[place] // graph.predicate_count // graph.entity_count),
                int(unique[place] % graph.predicate_count),
                int(unique[place] // graph.predicate_count % graph.entity_count),
                float(scores[place]),
                tuple(sorted_rules[first[place] : first[place] + min(counts[place], _RULES_OF_A_PREDICTION)].tolist()),
            )
            for place in order
        ]

    def _matches(self, starts: Integers, *, backwards: bool, head: int | None) -> tuple[Integers, Integers, Integers]:
        """The rules that lead from some entities: pairs of start and end as one number, heads, positions of rules."""
        paths, pairs = self._graph.bodies(starts, backwards=backwards)
        return self._table.match(paths, pairs, head=head)

    def _combine(self, keys: Integers, rules: Integers) -> tuple[Integers, Floats, Integers, Integers]:
        """By key: its score, the place of its first rule when sorted by key and rule, and how many rules it has."""
        order = np.lexsort((rules, keys))
        unique, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
        ranks = np.arange(len(order)) - np.repeat(first, counts)
        doubts = np.where(ranks < _RULES_OF_A_PAIR, self._table.log_doubts[rules[order]], 0.0)
        groups = np.repeat(np.arange(len(unique)), counts)
        return unique, -np.expm1(np.bincount(groups, weights=doubts, minlength=len(unique))), first, counts


def fit(
    triples: Triples,
    *,
    symmetric: frozenset[int] = frozenset(),
    max_rows: int = MAX_ROWS,
    check: Check = lambda: None,
) -> HornRuleModel:
    """Mine all rules with a support of at least two from triples; see `mine`."""
    rules = mine(triples, symmetric=symmetric, max_rows=max_rows, check=check)
    return HornRuleModel(triples, rules, max_rows=max_rows)


def mine(
    triples: Triples,
    *,
    symmetric: frozenset[int] = frozenset(),
    min_support: int = MIN_SUPPORT,
    max_rows: int = MAX_ROWS,
    check: Check = lambda: None,
) -> tuple[HornRule, ...]:
    """The rules of one and two body atoms, the most confident first.

    Args:
        symmetric: predicates of which the triples are there in both directions; no body reads them backwards, which
            would say the same again.
        max_rows: the most rows of the joins; nodes with more triples than that allows are not passed through.
    """
    graph = _StepGraph(triples, max_rows=max_rows)
    bodies: list[tuple[Integers, Integers]] = []
    supports: list[tuple[Integers, Integers]] = []
    for starts in graph.parts(np.arange(graph.entity_count)):
        check()
        paths, pairs = graph.bodies(starts, backwards=False)
        bodies.append(_tally(paths))
        owners, heads = graph.predicates_between(pairs)
        supports.append(_tally(paths[owners] * graph.predicate_count + heads))
    body_paths, body_sizes = _sum_tallies(bodies)
    rule_keys, support = _sum_tallies(supports)
    is_frequent = support >= min_support
    rule_keys, support = rule_keys[is_frequent], support[is_frequent]
    paths, heads = rule_keys // graph.predicate_count, rule_keys % graph.predicate_count
    sizes = body_sizes[np.searchsorted(body_paths, paths)]
    mirrored = {(predicate, True) for predicate in symmetric}
    rules = [
        HornRule(head, graph.atoms(path), count, size)
        for path, head, count, size in zip(
            paths.tolist(), heads.tolist(), support.tolist(), sizes.tolist(), strict=True
        )
        if (body := graph.atoms(path)) != ((head, False),) and mirrored.isdisjoint(body)
    ]
    return tuple(sorted(rules, key=lambda rule: (-rule.confidence, -rule.support, rule.head, rule.body)))


def _tally(keys: Integers) -> tuple[Integers, Integers]:
    unique, counts = np.unique(keys, return_counts=True)
    return unique, counts


def _sum_tallies(tallies: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    if not tallies:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    unique, places = np.unique(np.concatenate([keys for keys, _ in tallies]), return_inverse=True)
    counts = np.bincount(places, weights=np.concatenate([counts for _, counts in tallies]), minlength=len(unique))
    return unique, counts.astype(np.int64)


def _by_score(prediction: Prediction) -> tuple[float, int, int, int]:
    return -prediction.score, prediction.predicate, prediction.subject, prediction.object


class _RuleTable:
    """Rules by the path of their body.

    Attributes:
        log_doubts: by the position of a rule, the logarithm of one minus its confidence.
    """

    def __init__(self, rules: tuple[HornRule, ...], graph: _StepGraph) -> None:
        confidences = np.array([rule.confidence for rule in rules], dtype=np.float64)
        self.log_doubts = np.log1p(-confidences)
        heads = np.array([rule.head for rule in rules], dtype=np.int64)
        paths = np.array([_path(rule, graph) for rule in rules], dtype=np.int64)
        self._order = np.argsort(paths, kind="stable")
        self._paths, self._heads = paths[self._order], heads[self._order]
        self._by_head: dict[int, tuple[Integers, Integers, Integers]] = {
            int(head): (self._paths[chosen], self._heads[chosen], self._order[chosen])
            for head in np.unique(heads)
            for chosen in [self._heads == head]
        }

    def match(self, paths: Integers, pairs: Integers, *, head: int | None) -> tuple[Integers, Integers, Integers]:
        """The rules with these bodies: the pairs, the heads, and the positions of the rules."""
        nothing = np.empty(0, dtype=np.int64)
        rule_paths, heads, rules = (
            (self._paths, self._heads, self._order)
            if head is None
            else self._by_head.get(head, (nothing, nothing, nothing))
        )
        first = np.searchsorted(rule_paths, paths, side="left")
        counts = np.searchsorted(rule_paths, paths, side="right") - first
        owners, places = _ranges(first, counts)
        return pairs[owners], heads[places], rules[places]


def _path(rule: HornRule, graph: _StepGraph) -> int:
    steps = [predicate + graph.predicate_count * is_inverse for predicate, is_inverse in rule.body]
    return steps[0] * graph.width + (steps[1] if len(steps) == 2 else graph.width - 1)
