"""The overview of a graph: whose it is, how much it holds, its projects and communities, the latest, and what waits.

Its time is bounded in a graph of any size: the newest things are searched for among the facts recorded last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.knowledge import blockers, next_steps
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity, Episode, Fact, FactRow
from keepgraph.store.communities import Community
from keepgraph.store.transactions import Tx

MAX_PROJECTS = 6
MAX_COMMUNITIES = 3
MAX_LATEST = 4
MAX_WAITING = 4
MAX_GROUPS = 8
_NEWEST_FACTS_SCANNED = 2_000
_MAX_BLOCKERS_REPLAYED = 30
"""If there are more blocking facts, only this many of the newest are examined."""

_MAX_ACTIONS_COUNTED = 100


@dataclass(frozen=True, slots=True)
class ProjectState:
    """A project, and the newest fact about it that holds, if there is one."""

    project: Entity
    latest: Fact | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for somebody, or for the computer.

    Attributes:
        blockers, next_actions: the first of them; the counts are of all, or lower bounds.
        other_proposals: what else is proposed for review: duplicates, contradictions, gaps.
        vectors: the names, texts and facts without a vector, by kind; none if there is no model to make them.
    """

    blockers: tuple[Fact, ...]
    blocker_count: int
    blockers_counted: bool
    next_actions: tuple[Entity, ...]
    next_action_count: int
    next_actions_counted: bool
    proposed_facts: int
    proposed_names: int
    other_proposals: int
    unread_texts: int
    vectors: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Overview:
    """The overview of a group of a graph.

    Attributes:
        counts: the number of entities of each type that has some, most first.
        communities: the largest, as of the last build; none if none were built.
        latest_facts, latest_texts: those recorded last, newest first.
        other_groups: groups besides this one that hold something; one more than MAX_GROUPS where there are more.
    """

    owner: Entity | None
    counts: Mapping[str, int]
    facts: int
    texts: int
    projects: tuple[ProjectState, ...]
    project_count: int
    communities: tuple[Community, ...]
    community_count: int
    latest_facts: tuple[Fact, ...]
    latest_texts: tuple[Episode, ...]
    waiting: Waiting
    other_groups: tuple[str, ...]


def of_group(tx: Tx) -> Overview:
    """The overview of the group of the call."""
    project_types = graph_vocabulary.read(tx).project_types
    counts = {name: count for name, count in store.entities.count_by_type(tx).items() if count}
    newest = store.graph_statistics.newest_facts(tx, scanned=_NEWEST_FACTS_SCANNED, limit=MAX_LATEST)
    return Overview(
        owner=store.groups.find(tx),
        counts=dict(sorted(counts.items(), key=lambda counted: -counted[1])),
        facts=store.facts.count(tx),
        texts=store.episodes.count(tx, [tx.group]),
        projects=_projects(tx, project_types),
        project_count=sum(counts.get(name, 0) for name in project_types),
        communities=tuple(store.communities.of_group(tx, limit=MAX_COMMUNITIES)),
        community_count=store.communities.count(tx),
        latest_facts=tuple(store.facts.by_rows(tx, newest)),
        latest_texts=tuple(store.episodes.newest(tx, [tx.group], limit=MAX_LATEST)),
        waiting=_waiting(tx),
        other_groups=tuple(group for group, *_ in store.groups.others(tx, limit=MAX_GROUPS + 1)),
    )


def _projects(tx: Tx, types: tuple[str, ...]) -> tuple[ProjectState, ...]:
    """The projects with the newest facts, then those that came last."""
    with_facts = store.graph_statistics.newest_fact_by_entity(
        tx, types, scanned=_NEWEST_FACTS_SCANNED, limit=MAX_PROJECTS
    )
    projects = store.entities.by_rows(tx, [project for project, _ in with_facts])
    facts = store.facts.by_rows(tx, [fact for _, fact in with_facts])
    states = [ProjectState(projects[project], fact) for (project, _), fact in zip(with_facts, facts, strict=True)]
    for project in store.graph_statistics.newest_entities(tx, types, limit=MAX_PROJECTS):
        if len(states) < MAX_PROJECTS and project.row not in projects:
            latest = store.facts.about(tx, project, at=tx.at, limit=1)
            states.append(ProjectState(project, latest[0] if latest else None))
    return tuple(states)


def _waiting(tx: Tx) -> Waiting:
    open_blockers, is_exact = _open_blockers(tx)
    blocked = {blocker.subject for blocker in open_blockers}
    actions = next_steps.tagged_next_actions(tx, blocked=blocked, limit=_MAX_ACTIONS_COUNTED + 1)
    counted_actions = actions[:_MAX_ACTIONS_COUNTED]
    return Waiting(
        blockers=tuple(store.facts.by_rows(tx, [blocker.row for blocker in open_blockers[:MAX_WAITING]])),
        blocker_count=len(open_blockers),
        blockers_counted=is_exact,
        next_actions=tuple(store.entities.in_order(tx, counted_actions[:MAX_WAITING])),
        next_action_count=len(counted_actions),
        next_actions_counted=len(actions) == len(counted_actions),
        proposed_facts=store.proposals.count(tx),
        proposed_names=store.listing.count_proposals(tx).get("entity", 0),
        other_proposals=store.review_proposals.count_besides_texts(tx),
        unread_texts=store.mentions.count(tx)[0],
        vectors={f"{kind.noun}s": store.vectors.count_missing(tx, kind) for kind in store.derived_tables.VECTOR_KINDS},
    )


def _open_blockers(tx: Tx) -> tuple[list[FactRow], bool]:
    """The open blockers, newest first; and whether these are all."""
    predicates = graph_vocabulary.read(tx).names_of_role("blocks")
    newest, total = store.graph_statistics.newest_rows_of_predicates(tx, predicates, limit=_MAX_BLOCKERS_REPLAYED)
    if total <= len(newest):
        return blockers.open_blockers(tx), True
    subjects = sorted({subject for _, subject in newest})
    return blockers.open_blockers(tx, subjects=subjects), False
