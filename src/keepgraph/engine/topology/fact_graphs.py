"""The facts of a group as a `FactGraph`, read once and patched with what was changed since (ADR 0057).

Nodes are entities, by their row numbers, and tags: the literals of facts whose predicates have the role "tags", since
what bears the same tag is connected. A tag has a negative key. Other literals connect nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays.fact_graph import FactColumns, FactGraph, Integers, Mask
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.store.fact_changes import JournalPosition
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_ALWAYS = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class GroupGraph:
    """The facts of a group, and the tags among the nodes.

    Attributes:
        tags: the texts of the tags; that with the key −1 is the first.
        key_of_tag: the keys of the tags, by their texts normalised.
    """

    facts: FactGraph
    tags: tuple[str, ...]
    key_of_tag: Mapping[str, int]


def read(tx: Tx) -> GroupGraph:
    """The facts of the group that are not retracted, ended ones too; those known at `tx.known_at`, if it is set."""
    if tx.known_at is not None:
        return _read(tx)
    if tx.call is not None:
        # A savepoint of a writer may be rolled back, and its journal with it.
        return store.fact_changes.cached(tx, ("fact graph of a writer", tx.group), lambda: _read(tx))
    position = store.fact_changes.position(tx)
    tagging = tuple(graph_vocabulary.read(tx).names_of_role("tags"))
    state: _State | None = tx.connection_cache.get(("fact graph", tx.group))
    if state is None or state.tagging != tagging:
        state = _State(position, tagging, _read(tx))
    elif state.position != position:
        changes = store.fact_changes.since(tx, state.position)
        graph = _patch(tx, state, changes.rows) if changes is not None else None
        state = _State(position, tagging, graph or _read(tx))
    tx.connection_cache["fact graph", tx.group] = state
    return state.graph


def instant(tx: Tx) -> int:
    """The instant of the call, in microseconds since 1970."""
    return int(_microseconds([timestamps.from_datetime(tx.now)])[0])


@dataclass(frozen=True, slots=True)
class _State:
    """The graph of a group at a position of the journal, with the predicates whose literals are tags in it."""

    position: JournalPosition
    tagging: tuple[str, ...]
    graph: GroupGraph


def _patch(tx: Tx, state: _State, changed: Sequence[int]) -> GroupGraph | None:
    """The graph after some facts were changed.

    None where a tag may get another number or another spelling: it has those of the first fact with it.
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
    return GroupGraph(graph.facts.patch(np.array(changed, dtype=np.int64), current), tags, keys)


def _read(tx: Tx) -> GroupGraph:
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
    return GroupGraph(
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
