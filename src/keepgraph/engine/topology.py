"""Paths between two entities along facts: the shortest ones, and of those the most surprising first.

A path is a sequence of different nodes; facts are followed in both directions. What connects everything explains
little: paths through hubs and tags come last, and of paths of one length those come first whose inner nodes have fewer
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise

import numpy as np

from keepgraph import store
from keepgraph.arrays import shortest_paths
from keepgraph.arrays.fact_graph import FactColumns, FactGraph, Integers, Mask
from keepgraph.arrays.shortest_paths import Rules
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.fact_columns import JournalPosition
from keepgraph.store.transactions import Tx

# The facts of a group as a `FactGraph`, read once and patched with what was changed since (ADR 0057).
#
# Nodes are entities, by their row numbers, and tags: the literals of facts whose predicates have the role "tags", since
# what bears the same tag is connected. A tag has a negative key. Other literals connect nothing.

_ALWAYS = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class _GroupGraph:
    """The facts of a group, and the tags among the nodes.

    Attributes:
        tags: the texts of the tags; that with the key −1 is the first.
        key_of_tag: the keys of the tags, by their texts normalised.
    """

    facts: FactGraph
    tags: tuple[str, ...]
    key_of_tag: Mapping[str, int]


def read(tx: Tx) -> _GroupGraph:
    """The facts of the group that are not retracted, ended ones too; those known at `tx.known_at`, if it is set."""
    if tx.known_at is not None:
        return _read(tx)
    if tx.call is not None:
        # A savepoint of a writer may be rolled back, and its journal with it.
        return tx.cached(("fact graph of a writer", tx.group), lambda: _read(tx))
    position = store.fact_columns.position(tx)
    tagging = tuple(graph_vocabulary.read(tx).names_of_role("tags"))
    state: _State | None = tx.connection_cache.get(("fact graph", tx.group))
    if state is None or state.tagging != tagging:
        state = _State(position, tagging, _read(tx))
    elif state.position != position:
        changes = store.fact_columns.since(tx, state.position)
        graph = _patch(tx, state, changes.rows) if changes is not None else None
        state = _State(position, tagging, graph or _read(tx))
    tx.connection_cache["fact graph", tx.group] = state
    return state.graph


def instant(tx: Tx) -> int:
    """The instant of the call, in microseconds since 1970."""
    return int(_microseconds([tx.at])[0])


@dataclass(frozen=True, slots=True)
class _State:
    """The graph of a group at a position of the journal, with the predicates whose literals are tags in it."""

    position: JournalPosition
    tagging: tuple[str, ...]
    graph: _GroupGraph


def _patch(tx: Tx, state: _State, changed: Sequence[int]) -> _GroupGraph | None:
    """The graph after some facts were changed.

    None if a tag may get another number or another spelling: it has those of the first fact with it.
    """
    graph = state.graph
    if not changed:
        return graph
    columns = graph.facts.columns
    rows = store.fact_columns.of_rows(tx, changed, predicates=state.tagging)
    last = int(columns.facts[-1]) if len(columns.facts) else 0
    is_changed = np.isin(columns.facts, changed)
    if (columns.targets[is_changed] < 0).any() or any(row[2] is None and row[0] <= last for row in rows):
        return None
    keys, tags = graph.key_of_tag, graph.tags
    targets = []
    for _, _, target, literal, *_ in rows:
        if target is None:
            tag = normalisation.key(literal or "")
            if tag not in keys:
                keys, tags = {**keys, tag: -len(tags) - 1}, (*tags, literal or "")
            target = keys[tag]
        targets.append(target)
    current = FactColumns(
        facts=np.array([row[0] for row in rows], dtype=np.int64),
        sources=np.array([row[1] for row in rows], dtype=np.int64),
        targets=np.array(targets, dtype=np.int64),
        predicates=np.array([row[4] for row in rows], dtype=np.int64),
        valid_from=np.full(len(rows), _ALWAYS.min, dtype=np.int64),
        valid_to=np.full(len(rows), _ALWAYS.max, dtype=np.int64),
    )
    places, all_rows = np.arange(len(rows)), np.ones(len(rows), dtype=bool)
    _set_bounds(current.valid_from, places, all_rows, [row[5] for row in rows])
    _set_bounds(current.valid_to, places, all_rows, [row[6] for row in rows])
    return _GroupGraph(graph.facts.patch(np.array(changed, dtype=np.int64), current), tags, keys)


def _read(tx: Tx) -> _GroupGraph:
    tagging = store.fact_columns.with_literals(tx, graph_vocabulary.read(tx).names_of_role("tags"))
    columns = np.fromiter(chain.from_iterable(store.fact_columns.between_entities(tx)), dtype=np.int64).reshape(-1, 4)
    keys: dict[str, int] = {}
    texts: list[str] = []
    tagged: list[tuple[int, int, int, int]] = []
    for fact, subject, literal, predicate in tagging:
        key = keys.setdefault(normalisation.key(literal), -len(keys) - 1)
        if -key > len(texts):
            texts.append(literal)
        tagged.append((fact, subject, key, predicate))
    columns = np.concatenate([columns, np.array(tagged, dtype=np.int64).reshape(-1, 4)])
    columns = columns[np.argsort(columns[:, 0], kind="stable")]
    facts = np.ascontiguousarray(columns[:, 0])
    valid_from, valid_to = _validities(tx, facts)
    return _GroupGraph(
        FactGraph(
            FactColumns(
                facts=facts,
                sources=np.ascontiguousarray(columns[:, 1]),
                targets=np.ascontiguousarray(columns[:, 2]),
                predicates=np.ascontiguousarray(columns[:, 3]),
                valid_from=valid_from,
                valid_to=valid_to,
            )
        ),
        tuple(texts),
        keys,
    )


def _validities(tx: Tx, facts: Integers) -> tuple[Integers, Integers]:
    """From when to when each fact holds."""
    valid_from = np.full(len(facts), _ALWAYS.min, dtype=np.int64)
    valid_to = np.full(len(facts), _ALWAYS.max, dtype=np.int64)
    limited = store.fact_columns.validities(tx)
    if not limited or not len(facts):
        return valid_from, valid_to
    rows = np.array([row for row, _, _ in limited], dtype=np.int64)
    positions = np.searchsorted(facts, rows)
    is_there = (positions < len(facts)) & (facts[np.minimum(positions, len(facts) - 1)] == rows)
    _set_bounds(valid_from, positions, is_there, [start for _, start, _ in limited])
    _set_bounds(valid_to, positions, is_there, [end for _, _, end in limited])
    return valid_from, valid_to


def _set_bounds(column: Integers, positions: Integers, is_there: Mask, bounds: list[str | None]) -> None:
    """Write the timestamps that are given at these positions of a column."""
    given = [
        (position, bound)
        for position, bound, is_known in zip(positions, bounds, is_there, strict=True)
        if is_known and bound is not None
    ]
    if given:
        column[[position for position, _ in given]] = _microseconds([bound for _, bound in given])


def _microseconds(moments: list[str]) -> Integers:
    """Timestamps as microseconds since 1970."""
    return np.array([moment.removesuffix("Z") for moment in moments], dtype="datetime64[us]").astype(np.int64)


MAX_HOPS = 10

_HUB_PERCENTILE = 99
_MIN_DEGREE_OF_HUB = 30
"""In a small graph even the entity with the most neighbours connects too little to be a hub."""

_COST_SCALE = 1000
"""Costs are whole numbers, so that sums of the same costs are equal in any order."""

_COST_OF_TAG = 8
"""What a way through a tag costs besides: to bear the same tag says little, however few do."""

_MAX_FACTS_OF_STEP = 50
"""The fact to show between two nodes is chosen among at most this many."""


@dataclass(frozen=True, slots=True)
class Step:
    """One fact of a path.

    Attributes:
        onward: whether the path follows it from its subject to its object.
        others: how many more facts connect the same two nodes.
    """

    fact: Fact
    onward: bool
    others: int


@dataclass(frozen=True, slots=True)
class TracedPath:
    """A path, with one fact for each two nodes that follow each other.

    Attributes:
        nodes: entities, and tags as texts.
        surprise: 1 / (1 + c), where c is the sum over its inner nodes of log2 of the number of their neighbours, and 8
            more for a tag; 1 for a path of one fact.
        through_hub: whether it goes through a hub or a tag.
    """

    nodes: tuple[Entity | str, ...]
    steps: tuple[Step, ...]
    surprise: float
    through_hub: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The paths between two entities.

    Attributes:
        truncated: whether there are more.
    """

    paths: tuple[TracedPath, ...] = ()
    truncated: bool = False


def trace(
    tx: Tx,
    start: Entity,
    end: Entity,
    *,
    k: int,
    max_hops: int,
    predicates: Sequence[str] | None = None,
    avoid_hubs: bool = True,
) -> Trace:
    """The k shortest paths along the facts that hold at `tx.now`.

    Args:
        k: at least 1.
        max_hops: the number of facts on the longest path, 1 to MAX_HOPS.
        predicates: those to follow; None is all.
        avoid_hubs: put paths through hubs and tags last, however short. A hub has more neighbours than 99 of 100
            entities, and more than 30; a path may begin and end in one.
    """
    if start == end:
        return Trace((TracedPath((start,), (), 1.0, through_hub=False),))
    graph = read(tx)
    ends = graph.facts.number(start.row), graph.facts.number(end.row)
    if ends[0] is None or ends[1] is None:
        return Trace()
    of_predicates = None if predicates is None else store.fact_columns.predicate_rows(tx, predicates)
    is_tag = _tags(graph.facts, store.fact_columns.predicate_rows(tx, graph_vocabulary.read(tx).names_of_role("tags")))
    is_hub = is_tag | _hubs(graph.facts)
    rules = Rules(
        max_hops=max_hops,
        facts=graph.facts.mask(predicates=of_predicates, at=instant(tx)),
        avoided=is_hub if avoid_hubs else None,
        costs=_costs(graph.facts, is_tag),
        check=lambda: raise_if_cancelled(tx.cancellation),
    )
    found = list(islice(shortest_paths.find(graph.facts, ends[0], ends[1], rules=rules), k + 1))
    if avoid_hubs and len(found) <= k:
        others = shortest_paths.find(graph.facts, ends[0], ends[1], rules=replace(rules, avoided=None))
        found += islice((path for path in others if is_hub[list(path[1:-1])].any()), k + 1 - len(found))
    return Trace(tuple(_describe(tx, graph, found[:k], rules, is_hub)), truncated=len(found) > k)


def _hubs(graph: FactGraph) -> Mask:
    return graph.degrees > max(float(np.percentile(graph.degrees, _HUB_PERCENTILE)), _MIN_DEGREE_OF_HUB)


def _tags(graph: FactGraph, tagging: frozenset[int]) -> Mask:
    """Which nodes are tags: most of their facts tag something with them.

    Args:
        tagging: the predicates whose objects are tags.
    """
    tagged = graph.targets[np.isin(graph.columns.predicates, sorted(tagging))]
    return 2 * np.bincount(tagged, minlength=len(graph)) > np.diff(graph.offsets)


def _costs(graph: FactGraph, is_tag: Mask) -> Integers:
    """The cost of a way through each node: the logarithm of the number of its neighbours, and more for a tag."""
    costs: Integers = np.rint(_COST_SCALE * (np.log2(np.maximum(graph.degrees, 1)) + _COST_OF_TAG * is_tag)).astype(int)
    return costs


def _describe(
    tx: Tx, graph: _GroupGraph, paths: Sequence[shortest_paths.Path], rules: Rules, is_hub: Mask
) -> Iterable[TracedPath]:
    entities = _entities(tx, graph, {node for path in paths for node in path})
    pairs = {pair for path in paths for pair in pairwise(path)}
    edges = {pair: graph.facts.between(*pair, rules.facts) for pair in pairs}
    rows = {pair: [int(graph.facts.columns.facts[edge]) for edge in edges[pair]] for pair in pairs}
    shown = sorted({row for of_pair in rows.values() for row in of_pair[-_MAX_FACTS_OF_STEP:]})
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, shown)}
    for path in paths:
        steps = []
        for pair in pairwise(path):
            of_pair = [facts[row] for row in rows[pair] if row in facts]
            fact = max(of_pair, key=lambda fact: (fact.confidence, fact.recorded_at, fact.row))
            onward = fact.subject.row == int(graph.facts.keys[pair[0]])
            steps.append(Step(fact, onward, others=len(rows[pair]) - 1))
        commonness = int(rules.costs[list(path[1:-1])].sum()) / _COST_SCALE
        yield TracedPath(
            nodes=tuple(entities[node] for node in path),
            steps=tuple(steps),
            surprise=round(1 / (1 + commonness), 4),
            through_hub=bool(is_hub[list(path[1:-1])].any()),
        )


def _entities(tx: Tx, graph: _GroupGraph, nodes: Iterable[int]) -> dict[int, Entity | str]:
    """The entities and the tags of nodes, by their numbers."""
    keys = {node: int(graph.facts.keys[node]) for node in nodes}
    entities = store.entities.by_rows(tx, [key for key in keys.values() if key > 0])
    return {node: entities[key] if key > 0 else graph.tags[-key - 1] for node, key in keys.items()}
