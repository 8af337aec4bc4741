"""The graph around something: what is meant, what leads where, and which texts speak of it. Nothing is written here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.resolution import resolver
from keepgraph.language import normalisation
from keepgraph.language.sentences import sentences
from keepgraph.model import Candidate, Entity, Episode, Fact, Proposal, Ref, Resolution
from keepgraph.store.database import Tx
from keepgraph.store.neighbourhood import Named, Spoken
from keepgraph.temporal import timestamps

MAX_DEPTH = 4

_LINKS_WALKED = 500_000
"""A walk looks at so many facts: enough for a graph of 100,000 entities, and done within a second."""

_LINKS_BETWEEN = 100_000
_EDGES_PER_NODE = 3
_QUOTED = 300
_CHUNKS_COUNTED = 500

_OURS = re.compile("(?:ent|prop)_[0-9a-z]{26}")
_OF_OTHERS = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about: an entity, or a name that texts say and nobody has accepted; and its group."""

    found: Entity | Proposal
    group: str

    @property
    def id(self) -> str:
        return self.found.id

    @property
    def name(self) -> str:
        return self.found.name if isinstance(self.found, Entity) else self.found.subject


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity that a walk came to.

    Attributes:
        distance: how many facts away it is.
        degree: in how many facts with others it is.
        fact: the row of the last fact on the way to it, `before` the entity on its other end; None where there are
            too many facts to tell.
        path: the way from where the walk began, in words: `Priya -[belongs_to]-> Atlas`.
    """

    entity: Entity
    distance: int
    degree: int
    fact: int | None = None
    before: Entity | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Ring:
    """How many entities there are at a distance; if not `exact`, there are at least so many."""

    distance: int
    total: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a walk found: the nearest entities, the facts between them, and how much there is.

    Attributes:
        edge_total: how many facts there are between the entities that are shown.
        complete: whether nothing within the depth that was asked for is left out.
    """

    reached: tuple[Reached, ...] = ()
    edges: tuple[Fact, ...] = ()
    edge_total: int = 0
    rings: tuple[Ring, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a text speaks of something: the episode, the row of the chunk, the sentence, and what else it names."""

    episode: Episode
    chunk: int
    quote: str
    others: tuple[Named, ...] = ()


def find(tx: Tx, asked: str, *, nothing: str, groups: Sequence[str] = ()) -> Subject | None:
    """What has this id, or alone has this name or alias. An id is looked for in every group.

    None is an id as it should be that nothing has: one of ours, or a UUID of another system.

    Args:
        nothing: what to say where nothing is found: "No connections found for entity".
        groups: where a name is looked for before it is in the group of the call.

    Raises:
        errors.EntityNotFound: it is neither an id nor a name that is known.
        errors.Ambiguous: several have the name.
    """
    given = normalisation.clean(asked)
    if _OURS.fullmatch(given.lower()):
        return _by_id(tx, given.lower())
    if _OF_OTHERS.fullmatch(given.lower()):
        return None
    if not normalisation.key(given):
        raise errors.EntityNotFound(f"{nothing}: the id is empty")
    near: list[object] = []
    for group in dict.fromkeys([*groups, tx.group]):
        within = replace(tx, group=group)
        try:
            return Subject(knowledge.entities.find(within, _ref(within, given)), group)
        except errors.EntityNotFound as error:
            near += error.candidates
        if proposed := _proposed(within, given):
            return proposed
    raise errors.EntityNotFound(
        f"{nothing} {_short(given)}: that is no id (ent_… and 26 letters and digits), and no name that is known",
        hint="Look it up with search_nodes or recall_entity and pass its id.",
        candidates=near,
    )


def look_up(tx: Tx, asked: str, *, groups: Sequence[str]) -> tuple[Subject | None, Resolution]:
    """What is meant by a name or an id in some groups: by the cascade of names; before a guess, a name that texts say.

    None where nothing is, or where it is not sure enough: then the candidates of the resolution say what was near.
    """
    given = normalisation.clean(asked)
    if _OURS.fullmatch(given.lower()):
        return _looked_up_by_id(tx, given.lower(), groups=groups)
    each = [replace(tx, group=group) for group in groups]
    if not any(_is_known(within, given) for within in each):
        for within in each:
            if proposed := _proposed(within, given):
                return proposed, Resolution(None, "exact", 1.0)
    found = [(within.group, resolver.resolve(within, given)) for within in each]
    meant = sorted(((group, known) for group, known in found if known.entity), key=lambda one: -one[1].score)
    if meant and (len(meant) == 1 or meant[0][1].score > meant[1][1].score):
        group, known = meant[0]
        return (Subject(known.entity, group) if known.entity else None), known
    near = [candidate for _, known in found for candidate in _every_candidate(known)]
    best = sorted(near, key=lambda candidate: -candidate.score)[: resolver.MAX_CANDIDATES]
    return None, replace(found[0][1], entity=None, method="none", score=0.0, candidates=tuple(best), because=None)


def neighbourhood(
    tx: Tx, centre: Entity, *, depth: int, predicates: Sequence[str] | None = None, limit: int
) -> Neighbourhood:
    """What is around an entity by the facts that hold, breadth first and in both directions.

    Entities are nearest first, then those in most facts, then by name. A walk over more facts than can be looked at
    in a second ends early, and is not complete.

    Args:
        depth: 1 to 4 facts away.
        predicates: those to walk along; None is all.
        limit: so many entities at most.
    """
    at = timestamps.stamp(tx.now)
    seen, frontier, left = {centre.row}, [centre.row], _LINKS_WALKED
    chosen: dict[int, tuple[int, int]] = {centre.row: (0, 0)}
    rings: list[Ring] = []
    for distance in range(1, min(depth, MAX_DEPTH) + 1):
        ends = store.neighbourhood.other_ends(tx, frontier, predicates=predicates, at=at, limit=left + 1)
        exact = len(ends) <= left
        frontier = sorted(set(ends[:left]) - seen)
        if exact and not frontier:
            break
        rings.append(Ring(distance, len(frontier), exact))
        if room := limit + 1 - len(chosen):
            for row, degree in store.neighbourhood.best_connected(tx, frontier, at=at, limit=room):
                chosen[row] = (distance, degree)
        if not exact:
            break
        seen.update(frontier)
        left -= len(ends)
    return _laid_out(tx, centre, chosen, rings, depth=depth, predicates=predicates, limit=limit, at=at)


def facts_about(tx: Tx, entity: Entity, *, predicates: Sequence[str] | None, limit: int) -> tuple[list[Fact], int]:
    """What holds of an entity in so many words, the newest first, and how much of it there is."""
    rows, total = store.neighbourhood.literals(
        tx, entity, predicates=predicates, at=timestamps.stamp(tx.now), limit=limit
    )
    return store.facts.by_rows(tx, rows), total


def passages(tx: Tx, subject: Subject, found: Sequence[Spoken]) -> list[Passage]:
    """Places where texts speak of something, with the sentences and what else the same chunks name."""
    chunks = store.episodes.chunks_by_rows(tx, [each.chunk for each in found])
    told = store.episodes.by_rows(tx, sorted({each.episode for each in found}))
    named: dict[int, list[Named]] = {}
    for each in store.neighbourhood.named_in(tx, list(chunks)):
        if each.id != subject.id:
            named.setdefault(each.chunk, []).append(each)
    return [
        Passage(
            told[each.episode],
            each.chunk,
            quote(chunks[each.chunk].text, each.start, each.stop),
            tuple(named.get(each.chunk, ())),
        )
        for each in found
    ]


def mentioned_with(tx: Tx, subject: Subject, *, limit: int) -> list[tuple[Named, int]]:
    """What the same chunks mention, in how many of them, most first; of the newest 500 that speak of the subject."""
    chunks = [each.chunk for each in store.neighbourhood.spoken(tx, subject.found, limit=_CHUNKS_COUNTED)]
    named = [each for each in store.neighbourhood.named_in(tx, chunks) if each.id != subject.id]
    tally = Counter(each.id for each in named)
    first = {each.id: each for each in reversed(named)}
    most = sorted(first, key=lambda public_id: (-tally[public_id], first[public_id].name, public_id))
    return [(first[public_id], tally[public_id]) for public_id in most[:limit]]


def quote(text: str, start: int | None, stop: int | None) -> str:
    """The sentence of a text in which something stands, or its first one; cut around it where it is long.

    What a note says of itself, between two lines of dashes, is not its first sentence.
    """
    about = (text.find("\n---", 3) + 4 if text.startswith("---\n") else 0) if start is None else start
    whole = next((each for each in sentences(text) if each.end > about), None)
    first, last = (whole.start, whole.end) if whole else (0, len(text))
    if last - first > _QUOTED:
        middle = max(about, first)
        first = max(first, middle - _QUOTED // 2)
        last = min(last, max(first + _QUOTED, stop or 0))
        said = " ".join(text[first:last].split())
        return f"{'…' if whole and first > whole.start else ''}{said}{'…' if whole and last < whole.end else ''}"
    return " ".join(text[first:last].split())


def _by_id(tx: Tx, public_id: str) -> Subject | None:
    group = store.neighbourhood.group_of(tx, public_id)
    if group is None:
        return None
    tx = replace(tx, group=group)
    entity = store.entities.by_id(tx, public_id) or store.entities.by_former_id(tx, public_id)
    if entity:
        return Subject(entity, group)
    proposal = store.proposals.by_id(tx, public_id)
    return Subject(proposal, group) if proposal and proposal.kind == "entity" else None


def _looked_up_by_id(tx: Tx, public_id: str, *, groups: Sequence[str]) -> tuple[Subject | None, Resolution]:
    found = _by_id(tx, public_id)
    if found is None or found.group not in groups:
        return None, Resolution(None, "none", 0.0)
    entity = found.found if isinstance(found.found, Entity) else None
    if found.id == public_id:
        return found, Resolution(entity, "exact", 1.0)
    return found, Resolution(entity, "alias", 1.0, because=f"{public_id} was merged into it")


def _is_known(tx: Tx, name: str) -> bool:
    """Whether an entity has this name or alias."""
    key = normalisation.key(name)
    return bool(store.entities.by_key(tx, key) or store.entities.by_alias_key(tx, key))


def _proposed(tx: Tx, name: str) -> Subject | None:
    """A name that texts say and the graph does not know."""
    key = normalisation.key(name)
    found = store.proposals.by_keys(tx, "entity", [key]).get(key)
    return Subject(found, tx.group) if found else None


def _ref(tx: Tx, given: str) -> Ref:
    kind, colon, rest = given.partition(":")
    kind = kind.strip().lower()
    typed = colon and rest.strip() and store.vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, kind)
    if typed and not store.entities.by_key(tx, normalisation.key(given)):
        return Ref(type=kind, name=rest.strip())
    return Ref(name=given)


def _every_candidate(found: Resolution) -> tuple[Candidate, ...]:
    """What was near, with what was taken to be meant first."""
    if found.entity is None:
        return found.candidates
    return (Candidate(found.entity, found.entity.name, found.method, found.score), *found.candidates)


def _laid_out(
    tx: Tx,
    centre: Entity,
    chosen: Mapping[int, tuple[int, int]],
    rings: Sequence[Ring],
    *,
    depth: int,
    predicates: Sequence[str] | None,
    limit: int,
    at: str,
) -> Neighbourhood:
    """The entities that a walk chose, with the way to each, and the facts that it went along."""
    known = {centre.row: centre} | store.entities.by_rows(tx, [row for row in chosen if row != centre.row])
    chosen = {row: where for row, where in chosen.items() if row in known}
    inner = [row for row, (distance, _) in chosen.items() if distance < depth]
    links = store.neighbourhood.between(tx, inner, list(chosen), predicates=predicates, at=at, limit=_LINKS_BETWEEN + 1)
    uncut = len(links) <= _LINKS_BETWEEN
    ways = _ways(chosen, links)
    tree = {fact for fact, _ in ways.values()}
    shown = sorted(links, key=lambda link: (link[0] not in tree, _nearer(chosen, link), -link[0]))
    shown = sorted(shown[: _EDGES_PER_NODE * limit], key=lambda link: (_nearer(chosen, link), -link[0]))
    found = {fact.row: fact for fact in store.facts.by_rows(tx, [link[0] for link in shown])}
    reached: dict[int, Reached] = {centre.row: Reached(centre, 0, 0, path=centre.name)}
    for row, (distance, degree) in chosen.items():
        if row == centre.row:
            continue
        reached[row] = Reached(known[row], distance, degree)
        if way := ways.get(row):
            fact, before = found[way[0]], reached[way[1]]
            reached[row] = replace(
                reached[row],
                fact=fact.row,
                before=before.entity,
                path=f"{before.path} {_arrow(fact, onward=fact.subject.row == way[1])} {known[row].name}",
            )
    return Neighbourhood(
        reached=tuple(reached[row] for row in chosen if row != centre.row),
        edges=tuple(found[link[0]] for link in shown),
        edge_total=len(links),
        rings=tuple(rings),
        complete=uncut
        and len(shown) == len(links)
        and all(ring.exact for ring in rings)
        and sum(ring.total for ring in rings) == len(chosen) - 1,
    )


def _ways(chosen: Mapping[int, tuple[int, int]], links: Iterable[tuple[int, int, int]]) -> dict[int, tuple[int, int]]:
    """The fact by which each entity is reached, and the nearer end of it: the best connected, then the oldest fact."""
    place = {row: number for number, row in enumerate(chosen)}
    ways: dict[int, tuple[int, int]] = {}
    for fact, subject, target in links:
        for near, far in ((subject, target), (target, subject)):
            if chosen[far][0] == chosen[near][0] + 1 and (far not in ways or place[near] < place[ways[far][1]]):
                ways[far] = (fact, near)
    return ways


def _nearer(chosen: Mapping[int, tuple[int, int]], link: tuple[int, int, int]) -> int:
    return min(chosen[link[1]][0], chosen[link[2]][0])


def _arrow(fact: Fact, *, onward: bool) -> str:
    return f"-[{fact.predicate}]->" if onward else f"<-[{fact.predicate}]-"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
