"""Neighbourhood: what facts connect with an entity within some steps, nearest first, and the paths there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from keepgraph import store
from keepgraph.engine.knowledge import past_and_future
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Fact
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_DEPTH = 4

_MAX_FACTS_WALKED = 500_000
"""The facts that a walk reads: enough for a graph of 100,000 entities, and done within a second."""

_MAX_FACTS_BETWEEN = 100_000
"""The facts read between the entities shown; if there are more, some paths are unknown."""

_FACTS_PER_ENTITY = 3
"""The facts that are shown, for each entity of the limit."""

_Link = tuple[int, int, int]
"""The row numbers of a fact, its subject and its object."""

_Selected = Mapping[int, tuple[int, int]]
"""The entities that are shown, by row number and in their order, with distance and degree."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that a walk reached.

    Attributes:
        distance: in facts.
        degree: the number of its facts with other entities.
        fact: the row number of the last fact on the way to it, `previous` the entity at its other end; None if there
            are too many facts to tell.
        path: the way from the centre, in words: `Priya -[belongs_to]-> Atlas`.
    """

    entity: Entity
    distance: int
    degree: int
    fact: int | None = None
    previous: Entity | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class DistanceCount:
    """The number of entities at a distance; a lower bound if it is not exact."""

    distance: int
    total: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nearest entities, the facts between them, and how much there is.

    Attributes:
        fact_total: the number of facts between the entities that are shown, and the centre.
        counts: by distance.
        complete: whether nothing within the depth is left out.
    """

    neighbours: tuple[Neighbour, ...] = ()
    facts: tuple[Fact, ...] = ()
    fact_total: int = 0
    counts: tuple[DistanceCount, ...] = ()
    complete: bool = True


def explore(
    tx: Tx, centre: Entity, *, depth: int, predicates: Sequence[str] | None = None, limit: int
) -> Neighbourhood:
    """Explore what surrounds an entity along current facts, breadth first and in both directions.

    Entities are nearest first, then those with the highest degree, then by name. A walk over more facts than can be
    read in a second ends early, and is not complete.

    Args:
        depth: 1 to 4 facts away.
        predicates: those to walk along; None is all.
        limit: of entities.
    """
    visited, frontier, remaining = {centre.row}, [centre.row], _MAX_FACTS_WALKED
    selected: dict[int, tuple[int, int]] = {centre.row: (0, 0)}
    counts: list[DistanceCount] = []
    for distance in range(1, min(depth, MAX_DEPTH) + 1):
        ends = store.neighbourhood.neighbours(tx, frontier, predicates=predicates, limit=remaining + 1)
        exact = len(ends) <= remaining
        frontier = sorted(set(ends[:remaining]) - visited)
        if exact and not frontier:
            break
        counts.append(DistanceCount(distance, len(frontier), exact))
        # The centre is selected, too, and does not count.
        if room := limit + 1 - len(selected):
            for row, degree in store.neighbourhood.by_degree(tx, frontier, limit=room):
                selected[row] = (distance, degree)
        if not exact:
            break
        visited.update(frontier)
        remaining -= len(ends)
    return _with_facts(tx, centre, selected, counts, depth=depth, predicates=predicates, limit=limit)


def literal_facts(tx: Tx, entity: Entity, *, predicates: Sequence[str] | None, limit: int) -> tuple[list[Fact], int]:
    """The current facts of an entity with a literal, newest first, and how many there are."""
    rows, total = store.neighbourhood.literal_facts(tx, entity, predicates=predicates, at=tx.at, limit=limit)
    return past_and_future.sort(tx, store.facts.by_rows(tx, rows), lambda fact: fact), total


def _with_facts(
    tx: Tx,
    centre: Entity,
    selected: _Selected,
    counts: Sequence[DistanceCount],
    *,
    depth: int,
    predicates: Sequence[str] | None,
    limit: int,
) -> Neighbourhood:
    """The selected entities, with the way to each, and the facts between them."""
    entities = {centre.row: centre} | store.entities.by_rows(tx, [row for row in selected if row != centre.row])
    selected = {row: place for row, place in selected.items() if row in entities}
    inner = [row for row, (distance, _) in selected.items() if distance < depth]
    links = store.neighbourhood.facts_between(
        tx, inner, list(selected), predicates=predicates, limit=_MAX_FACTS_BETWEEN + 1
    )
    ways = _ways(selected, links)
    shown = _nearest_links(selected, links, ways, limit=_FACTS_PER_ENTITY * limit)
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, [link[0] for link in shown])}
    return Neighbourhood(
        neighbours=tuple(_later_first(tx, _neighbours(centre, entities, selected, ways, facts), facts)),
        facts=tuple(past_and_future.sort(tx, [facts[link[0]] for link in shown], lambda fact: fact)),
        fact_total=len(links),
        counts=tuple(counts),
        complete=len(links) <= _MAX_FACTS_BETWEEN
        and len(shown) == len(links)
        and all(count.exact for count in counts)
        and sum(count.total for count in counts) == len(selected) - 1,
    )


def _later_first(tx: Tx, neighbours: Sequence[Neighbour], facts: Mapping[int, Fact]) -> list[Neighbour]:
    """The neighbours in order, but a later fact leads to one of them before the fact that it followed."""
    ordered: list[Neighbour] = []
    for _, ring in groupby(neighbours, key=lambda neighbour: neighbour.distance):
        at_distance = list(ring)
        reached = [one for one in at_distance if one.fact is not None]
        later_first = iter(past_and_future.sort(tx, reached, lambda one: facts[one.fact or 0]))
        ordered += [one if one.fact is None else next(later_first) for one in at_distance]
    return ordered


def _ways(selected: _Selected, links: Iterable[_Link]) -> dict[int, tuple[int, int]]:
    """The fact by which each entity is reached, and the nearer end of that fact.

    Of several, the end with the highest degree, then the oldest fact.
    """
    order = {row: number for number, row in enumerate(selected)}
    ways: dict[int, tuple[int, int]] = {}
    for fact, subject, target in links:
        for near, far in ((subject, target), (target, subject)):
            if selected[far][0] == selected[near][0] + 1 and (far not in ways or order[near] < order[ways[far][1]]):
                ways[far] = (fact, near)
    return ways


def _nearest_links(
    selected: _Selected, links: Sequence[_Link], ways: Mapping[int, tuple[int, int]], *, limit: int
) -> list[_Link]:
    """The facts that are shown: first those by which entities are reached, then the nearest, then the newest."""
    on_ways = {fact for fact, _ in ways.values()}
    order = sorted(links, key=lambda link: (link[0] not in on_ways, _distance(selected, link), -link[0]))
    return sorted(order[:limit], key=lambda link: (_distance(selected, link), -link[0]))


def _distance(selected: _Selected, link: _Link) -> int:
    """The distance of the nearer end of a fact."""
    return min(selected[link[1]][0], selected[link[2]][0])


def _neighbours(
    centre: Entity,
    entities: Mapping[int, Entity],
    selected: _Selected,
    ways: Mapping[int, tuple[int, int]],
    facts: Mapping[int, Fact],
) -> list[Neighbour]:
    """The selected entities without the centre, nearest first, each with the way to it."""
    neighbours: dict[int, Neighbour] = {centre.row: Neighbour(centre, 0, 0, path=centre.name)}
    for row, (distance, degree) in selected.items():
        if row == centre.row:
            continue
        neighbours[row] = Neighbour(entities[row], distance, degree)
        if way := ways.get(row):
            fact, previous = facts[way[0]], neighbours[way[1]]
            neighbours[row] = replace(
                neighbours[row],
                fact=fact.row,
                previous=previous.entity,
                path=f"{previous.path} {_arrow(fact, onward=fact.subject.row == way[1])} {entities[row].name}",
            )
    return [neighbours[row] for row in selected if row != centre.row]


def _arrow(fact: Fact, *, onward: bool) -> str:
    return f"-[{fact.predicate}]->" if onward else f"<-[{fact.predicate}]-"


# Graph distances: how many steps nodes and episodes are away from some nodes, along facts and mentions.

MAX_STEPS = 4
"""How far a search along facts and mentions goes."""

_MAX_REACHED = 10_000
"""No further step is made where more nodes and episodes than this are reached: it would cost too much time."""

_MAX_FACTS_PER_STEP = 200_000


@dataclass(frozen=True, slots=True)
class Distances:
    """Steps to nodes by key, and to episodes by row number; what is not there cannot be reached."""

    nodes: Mapping[Key, int]
    episodes: Mapping[int, int]


def measure(tx: Tx, centres: Iterable[Key], filters: Filters) -> Distances:
    """Measure by breadth-first search, up to 4 steps away.

    A step goes along a fact that holds, or between a text and what it mentions. Filters by type, predicate and project
    do not narrow the way.
    """
    nodes: dict[Key, int] = dict.fromkeys(centres, 0)
    episodes: dict[int, int] = {}
    new_nodes, new_episodes = list(nodes), list[int]()
    any_fact = replace(filters, types=None, predicates=None, about=None)
    for step in range(1, MAX_STEPS + 1):
        if (not new_nodes and not new_episodes) or len(nodes) + len(episodes) > _MAX_REACHED:
            break
        entities, proposals = [key for key in new_nodes if key > 0], [-key for key in new_nodes if key < 0]
        reached: list[Key] = []
        if entities:
            for _, subject, target in store.retrieval.facts_of_entities(
                tx, entities, any_fact, limit=_MAX_FACTS_PER_STEP, max_scanned=_MAX_FACTS_PER_STEP
            ):
                reached += [subject, *([] if target is None else [target])]
        if new_episodes:
            chunks = store.retrieval.chunks_of_episodes(tx, new_episodes)
            reached += [key for _, key in store.retrieval.mentioned_in_chunks(tx, chunks)]
        mentioning = store.retrieval.chunks_mentioning(tx, entities, proposals, any_fact) if new_nodes else []
        new_nodes = [key for key in dict.fromkeys(reached) if key not in nodes]
        new_episodes = [row for row in dict.fromkeys(episode for _, episode in mentioning) if row not in episodes]
        nodes.update(dict.fromkeys(new_nodes, step))
        episodes.update(dict.fromkeys(new_episodes, step))
    return Distances(nodes, episodes)
