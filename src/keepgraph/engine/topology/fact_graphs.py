"""The facts of a group as a `FactGraph`, read once for each state of the database.

Nodes are entities, by their row numbers, and tags: the literals of facts whose predicates have the role "tags", since
what bears the same tag is connected. A tag has a negative key. Other literals connect nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays.fact_graph import FactColumns, FactGraph, Integers, Mask
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_ALWAYS = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class GroupGraph:
    """The facts of a group, and the tags among the nodes.

    Attributes:
        tags: the texts of the tags; that with the key −1 is the first.
    """

    facts: FactGraph
    tags: tuple[str, ...]


def read(tx: Tx) -> GroupGraph:
    """The facts of the group that are not retracted, ended ones too; those known at `tx.known_at`, if it is set."""
    if tx.known_at is not None:
        return _read(tx)
    return store.change_cache.get(tx, ("fact graph", tx.group), lambda: _read(tx))


def instant(tx: Tx) -> int:
    """The instant of the call, in microseconds since 1970."""
    return int(_microseconds([timestamps.from_datetime(tx.now)])[0])


def _read(tx: Tx) -> GroupGraph:
    between = store.fact_columns.between_entities(tx)
    tagging = store.fact_columns.with_literals(tx, graph_vocabulary.read(tx).names_of_role("tags"))
    columns = np.fromiter(chain.from_iterable(between), dtype=np.int64, count=4 * len(between)).reshape(-1, 4)
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
