"""All conflicts of a group: each rule as one query over all facts, then the rule itself for the facts it finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from keepgraph import store
from keepgraph.engine.knowledge import literals
from keepgraph.engine.verification import conflicts
from keepgraph.engine.verification.conflicts import Conflict, Rules
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import opposites
from keepgraph.model import Role
from keepgraph.store.transactions import Tx

MAX_OF_KIND = 100
"""The default limit of conflicts of each kind."""

MAX_SHARE_OF_SEVERAL = 0.2
"""If this share of its subjects has several values, a predicate is meant to: these are not conflicts."""

_MAX_FACTS_OF_ONE = 20
_DECISION_ROLES: tuple[Role, ...] = ("decides", "part_of")
_UNCOUNTED_ROLES: tuple[Role, ...] = ("mentions", "tags")


def find(tx: Tx, *, kinds: Sequence[str] | None = None, limit: int = MAX_OF_KIND) -> list[Conflict]:
    """The conflicts of the group, by kind in the order of `KINDS`, at most `limit` of each kind.

    Args:
        kinds: of `KINDS`; None is all.
    """
    return [
        conflict
        for kind, search in _SEARCHES.items()
        if kinds is None or kind in kinds
        for conflict in _distinct(search(tx, limit), limit)
    ]


def _functional(tx: Tx, limit: int) -> Iterator[Conflict]:
    candidates = store.group_conflicts.subjects_with_several_objects(tx, _flagged(tx, "functional"), limit=limit * 2)
    for predicate, subject in candidates:
        rows = store.group_conflicts.facts_of_subject(tx, predicate, subject, limit=_MAX_FACTS_OF_ONE)
        yield from _first_of(tx, rows, Rules.several_objects)
    symmetric = [term.row for term in graph_vocabulary.read(tx).predicates if {"functional", "symmetric"} <= term.flags]
    for predicate, target in store.group_conflicts.objects_with_several_subjects(tx, symmetric, limit=limit):
        rows = store.group_conflicts.facts_of_object(tx, predicate, target, limit=_MAX_FACTS_OF_ONE)
        yield from _first_of(tx, rows, Rules.several_objects)
    rows = store.group_conflicts.facts_with_the_subject_as_object(tx, symmetric, limit=limit)
    yield from _of_each(tx, rows, Rules.several_objects)


def _inverse_functional(tx: Tx, limit: int) -> Iterator[Conflict]:
    flagged = _flagged(tx, "inverse_functional")
    for predicate, target in store.group_conflicts.objects_with_several_subjects(tx, flagged, limit=limit * 2):
        rows = store.group_conflicts.facts_of_object(tx, predicate, target, limit=_MAX_FACTS_OF_ONE)
        yield from _first_of(tx, rows, Rules.several_subjects)


def _asymmetric(tx: Tx, limit: int) -> Iterator[Conflict]:
    rows = store.group_conflicts.facts_in_both_directions(tx, _flagged(tx, "asymmetric"), limit=limit)
    yield from _of_each(tx, rows, Rules.both_directions)


def _irreflexive(tx: Tx, limit: int) -> Iterator[Conflict]:
    flagged = _flagged(tx, "irreflexive", "asymmetric", "acyclic")
    yield from _of_each(tx, store.group_conflicts.facts_with_one_entity(tx, flagged, limit=limit), Rules.irreflexive)


def _acyclic(tx: Tx, limit: int) -> Iterator[Conflict]:
    vocabulary = graph_vocabulary.read(tx)
    for predicate in _flagged(tx, "acyclic"):
        is_asymmetric = "asymmetric" in conflicts.flags_of(vocabulary.predicate_by_row[predicate])
        for cycle in _cycles(tx, predicate, limit=limit):
            if is_asymmetric and len(cycle) == 2:
                continue  # both directions, already reported
            rows = [
                store.group_conflicts.fact_between(tx, one, other, predicate=predicate)
                for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            ]
            first, *way = [row for row in rows if row is not None]
            yield conflicts.of_cycle(tx, store.facts.by_rows(tx, [first])[0], way)


def _cycles(tx: Tx, predicate: int, *, limit: int) -> list[list[int]]:
    import numpy as np

    from keepgraph.arrays import shortest_paths

    ends = (end for pair in store.group_conflicts.pairs_of_predicate(tx, predicate) for end in pair)
    pairs = np.fromiter(ends, dtype=np.int64).reshape(-1, 2)
    return shortest_paths.find_cycles(pairs[:, 0], pairs[:, 1], limit=limit)


def _misfits(tx: Tx, limit: int, *, kind: str) -> Iterator[Conflict]:
    vocabulary = graph_vocabulary.read(tx)
    types = {term.row: term.name for term in vocabulary.types}
    with_ends = [term for term in vocabulary.predicates if term.sources or term.targets or term.literal_kind]
    by_row = {term.row: term for term in with_ends}
    remaining = limit
    for pattern in store.group_conflicts.patterns(tx, list(by_row)):
        predicate, object_type = by_row[pattern[0]], types[pattern[2]] if pattern[2] is not None else None
        is_disjoint = conflicts.has_disjoint_end(vocabulary, predicate, types[pattern[1]], object_type)
        fits = vocabulary.fits(predicate, types[pattern[1]], object_type)
        if remaining <= 0 or (not is_disjoint if kind == "disjoint_types" else is_disjoint or fits):
            continue
        rows = store.group_conflicts.facts_of_pattern(tx, pattern, limit=remaining)
        remaining -= len(rows)
        yield from _of_each(tx, rows, Rules.ends)


def _disjoint_types(tx: Tx, limit: int) -> Iterator[Conflict]:
    yield from _misfits(tx, limit, kind="disjoint_types")


def _ends(tx: Tx, limit: int) -> Iterator[Conflict]:
    yield from _misfits(tx, limit, kind="ends")
    vocabulary = graph_vocabulary.read(tx)
    kinds = {
        term.row: term.literal_kind for term in vocabulary.predicates if term.literal_kind in ("number", "date", "url")
    }
    rows: list[int] = []
    for row, predicate, literal in store.group_conflicts.literals_of(tx, list(kinds)):
        if literals.normalise(literal, kinds[predicate], tx.zone) is None:
            rows.append(row)
            if len(rows) == limit:
                break
    yield from _of_each(tx, rows, Rules.ends)


def _values(tx: Tx, limit: int) -> Iterator[Conflict]:
    measured = [
        term.row
        for term in graph_vocabulary.read(tx).predicates
        if "functional" not in term.flags and term.inverse_of is None and conflicts.may_be_quantity(term, "1")
    ]
    candidates = store.group_conflicts.subjects_with_several_objects(tx, measured, limit=limit * 20, literals_only=True)
    if not candidates:
        return
    counts = {row: (all_, single) for row, all_, single in store.cardinalities.count_objects_by_subject(tx)}
    for predicate, subject in candidates:
        all_, single = counts.get(predicate, (0, 0))
        if all_ >= 10 and all_ - single > MAX_SHARE_OF_SEVERAL * all_:
            continue
        rows = store.group_conflicts.facts_of_subject(tx, predicate, subject, limit=_MAX_FACTS_OF_ONE)
        yield from _first_of(tx, rows, Rules.quantities)


def _retracted(tx: Tx, limit: int) -> Iterator[Conflict]:
    yield from _of_each(tx, store.group_conflicts.facts_recorded_again(tx, limit=limit), Rules.retracted)


def _rests_on_ended(tx: Tx, limit: int) -> Iterator[Conflict]:
    vocabulary = graph_vocabulary.read(tx)
    depending = [term.row for term in vocabulary.of_role("depends")]
    uncounted = [term.row for term in vocabulary.of_role(*_UNCOUNTED_ROLES)]
    rows = store.group_conflicts.facts_resting_on_superseded(
        tx,
        depending,
        resolving=[term.row for term in vocabulary.of_role("resolves")],
        of_types=[vocabulary.type_by_name[name].row for name in vocabulary.decision_types],
        limit=limit,
    )
    rows += store.group_conflicts.facts_resting_on_ended(tx, depending, besides=uncounted, limit=limit)
    yield from _of_each(tx, list(dict.fromkeys(rows)), Rules.rests_on_ended)


def _opposite(tx: Tx, limit: int) -> Iterator[Conflict]:
    vocabulary = graph_vocabulary.read(tx)
    named = store.group_conflicts.decided_names(
        tx,
        [term.row for term in vocabulary.of_role(*_DECISION_ROLES)],
        of_types=[vocabulary.type_by_name[name].row for name in vocabulary.decision_types],
    )
    matters = {decision: opposites.matter(name) for decision, name in {row[2:4] for row in named}}
    by_matter: dict[tuple[int, tuple[str, ...]], dict[int, tuple[int, str]]] = defaultdict(dict)
    for row, end, decision, name in named:
        if matter := matters[decision]:
            by_matter[end, matter].setdefault(decision, (row, name))
    pairs: set[frozenset[int]] = set()
    for same in by_matter.values():
        if len(same) < 2:
            continue
        newest, *others = [(decision, row, name) for decision, (row, name) in same.items()][:_MAX_FACTS_OF_ONE]
        for decision, row, name in others:
            pair = frozenset([newest[0], decision])
            if pair not in pairs and opposites.are_opposite(newest[2], name):
                pairs.add(pair)
                (fact,) = store.facts.by_rows(tx, [newest[1]])
                entity = store.entities.by_rows(tx, [newest[0]])[newest[0]]
                conflict = conflicts.of_opposite_decisions(tx, fact, entity, other_fact=row, other=decision)
                if conflict:
                    yield conflict


_SEARCHES: dict[str, Callable[[Tx, int], Iterator[Conflict]]] = {
    "functional": _functional,
    "inverse_functional": _inverse_functional,
    "asymmetric": _asymmetric,
    "irreflexive": _irreflexive,
    "acyclic": _acyclic,
    "disjoint_types": _disjoint_types,
    "ends": _ends,
    "values": _values,
    "opposite": _opposite,
    "rests_on_ended": _rests_on_ended,
    "retracted": _retracted,
}

KINDS = tuple(_SEARCHES)
"""The kinds of conflicts, in search order."""


def _of_each(tx: Tx, rows: Sequence[int], rule: Callable[[Rules], Iterator[Conflict]]) -> Iterator[Conflict]:
    for fact in store.facts.by_rows(tx, rows) if rows else ():
        yield from rule(Rules(tx, fact))


def _first_of(tx: Tx, rows: Sequence[int], rule: Callable[[Rules], Iterator[Conflict]]) -> Iterator[Conflict]:
    """The conflicts of the first of some facts that has any."""
    for fact in store.facts.by_rows(tx, rows):
        if of_fact := list(rule(Rules(tx, fact))):
            yield from of_fact
            return


def _distinct(found: Iterable[Conflict], limit: int) -> Iterator[Conflict]:
    """Each conflict once, however many of its facts yield it; at most `limit`."""
    seen: set[tuple[str, frozenset[str]]] = set()
    for conflict in found:
        key = conflict.kind, frozenset(fact.id for fact in conflict.facts)
        if key not in seen:
            seen.add(key)
            yield conflict
        if len(seen) == limit:
            return


def _flagged(tx: Tx, *flags: str) -> list[int]:
    """The rows of the predicates with one of these flags."""
    return [term.row for term in graph_vocabulary.read(tx).predicates if conflicts.flags_of(term) & set(flags)]
