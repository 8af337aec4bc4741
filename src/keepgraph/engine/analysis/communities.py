"""Communities of a group: which entities belong together, found anew, with the ids and the names that are kept.

A community that is found again keeps its id, as long as enough of its members stayed; so it has a history. A name that
a caller or a person gave stays with it, all others are made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from keepgraph import errors, store
from keepgraph.arrays import community_detection, weighted_graph
from keepgraph.arrays.community_detection import Division
from keepgraph.arrays.weighted_graph import Integers, WeightedGraph
from keepgraph.engine.analysis import community_names, connection_weights
from keepgraph.engine.analysis.community_names import GeneratedName
from keepgraph.engine.upkeep.jobs import Job
from keepgraph.model import Fact
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.communities import ALGORITHM, Community
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MIN_MEMBERS = 3
"""What has fewer is no community."""

_LEAST_OVERLAP = 0.25
"""Jaccard: with less in common, a community is another one."""

_STEPS = 4
_MEMBERS_WITH_FACTS = 40


@dataclass(frozen=True, slots=True)
class GivenName:
    """A name for a community, and who gives it; an empty name takes back the one that was given."""

    name: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class BuiltCommunity:
    """A community as it is after the build.

    Attributes:
        members: row numbers of its entities, the most central first.
        is_new: whether no community of before goes on in it.
    """

    community: Community
    members: tuple[int, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class GroupReport:
    """What a build did in one group.

    Attributes:
        call: the number of the call that changed it; None if nothing was to be changed.
        communities: the largest first.
        dissolved: those that are no more.
        entities, connections: the size of the graph that was divided.
        method: LEIDEN or LABEL_PROPAGATION of `community_detection`.
        modularity: that of the division, singletons and pairs too.
    """

    group: str
    call: int | None
    communities: tuple[BuiltCommunity, ...]
    dissolved: tuple[Community, ...]
    entities: int
    connections: int
    method: str
    modularity: float


def build(
    job: Job, groups: Sequence[str], *, seed: int, names: Mapping[str, GivenName], named_by: str, dry_run: bool = False
) -> list[GroupReport]:
    """Find the communities of some groups anew, each in one call that can be undone.

    A build that is cancelled leaves the communities of the groups that it had not come to.

    Args:
        seed: the same graph and seed give the same communities.
        names: by the id of an existing community.
        named_by: who gives the names, CALLER or PERSON of `store.communities`.

    Raises:
        errors.CommunityNotFound: a name is for a community that these groups do not have.
    """
    with job.read() as tx:
        _refuse_unknown(tx, groups, names)
    return [
        _build_group(job, group, number, len(groups), seed=seed, names=names, named_by=named_by, dry_run=dry_run)
        for number, group in enumerate(groups)
    ]


def rename(tx: Tx, community: Community, given: GivenName, *, named_by: str) -> Community:
    """Give a community of the group a name. An empty one takes the given name back: one is generated in its place."""
    members = [entity for _, entity in store.communities.members(tx, [community.row], limit=-1)]
    if given.name:
        renamed = replace(community, name=given.name, summary=given.summary, named_by=named_by)
    else:
        [generated] = community_names.generate(tx, [by_centrality(tx, community, limit=len(members))])
        renamed = replace(community, name=generated.name, summary=generated.summary, named_by=ALGORITHM)
    store.communities.write(tx, renamed, members)
    return renamed


def by_centrality(tx: Tx, community: Community, *, limit: int) -> list[int]:
    """The row numbers of the members of a community, those with the most facts among each other first."""
    members = [entity for _, entity in store.communities.members(tx, [community.row], limit=-1)]
    counts = store.communities.count_facts_among(tx, members)
    return sorted(members, key=lambda row: (-counts.get(row, 0), row))[:limit]


def typical_facts(tx: Tx, members: Sequence[int], *, limit: int) -> list[Fact]:
    """Facts that say what a community is about: between its most central members, those given first."""
    central = members[:_MEMBERS_WITH_FACTS]
    rows = store.fact_columns.among_entities(tx, central, at=timestamps.from_datetime(tx.now), limit=limit)
    return store.facts.by_rows(tx, rows)


def _refuse_unknown(tx: Tx, groups: Sequence[str], names: Mapping[str, GivenName]) -> None:
    for id in names:
        community = store.communities.by_id(tx, id)
        if community is None or community.group not in groups:
            raise errors.CommunityNotFound(f"there is no community {id!r} in {', '.join(map(repr, groups))}")


def _build_group(
    job: Job,
    group: str,
    number: int,
    group_count: int,
    *,
    seed: int,
    names: Mapping[str, GivenName],
    named_by: str,
    dry_run: bool,
) -> GroupReport:
    def begin(step: int, what: str) -> None:
        raise_if_cancelled(job.cancellation)
        job.report_progress(_STEPS * number + step, _STEPS * group_count, f"{group}: {what}")

    begin(0, "reading facts and mentions")
    with job.read(group=group) as tx:
        graph = connection_weights.read(tx)
    begin(1, f"dividing {len(graph):,} entities")
    division = community_detection.detect(graph, seed=seed, check=lambda: raise_if_cancelled(job.cancellation))
    parts = members_of_parts(graph, division.labels)
    begin(2, f"naming {len(parts):,} communities")
    with job.read(group=group) as tx:
        generated = community_names.generate(tx, parts)
        if dry_run:
            communities, dissolved = _plan(tx, parts, generated, names, named_by=named_by)
            return _report(group, None, communities, dissolved, graph, division)
    begin(3, "writing")
    with job.write(group=group) as tx:
        communities, dissolved = _plan(tx, parts, generated, names, named_by=named_by)
        for community in dissolved:
            store.communities.delete(tx, community.row)
        for built in communities:
            store.communities.write(tx, built.community, built.members)
        call = tx.call if tx.call is not None and store.journal.changes_of_call(tx, tx.call) else None
    job.report_progress(_STEPS * (number + 1), _STEPS * group_count, f"{group}: done")
    return _report(group, call, communities, dissolved, graph, division)


def members_of_parts(graph: WeightedGraph, labels: Integers) -> list[list[int]]:
    """The entities of each part that is large enough, the most central first; the largest part first."""
    if not len(graph):
        return []
    owners = graph.owners
    inside = labels[owners] == labels[graph.ends]
    strengths = np.bincount(owners[inside], weights=graph.weights[inside], minlength=len(graph))
    order = np.lexsort((graph.keys, -strengths.round(9), labels))
    bounds = np.cumsum(np.bincount(labels))[:-1]
    parts = [part.tolist() for part in np.split(graph.keys[order], bounds) if len(part) >= MIN_MEMBERS]
    return sorted(parts, key=lambda part: (-len(part), min(part)))


def _plan(
    tx: Tx,
    parts: Sequence[Sequence[int]],
    generated: Sequence[GeneratedName],
    names: Mapping[str, GivenName],
    *,
    named_by: str,
) -> tuple[list[BuiltCommunity], list[Community]]:
    """What the communities of the group become, and those that are no more."""
    entities = store.communities.existing_entities(tx)
    present = [[row for row in part if row in entities] for part in parts]
    old = {community.row: community for community in store.communities.of_group(tx)}
    members_of_old = store.communities.members_in_group(tx)
    matched = community_detection.match(members_of_old, present, least=_LEAST_OVERLAP)
    next_row = store.journal.unused_row(tx, store.communities.TABLE)
    communities = []
    for position, (members, name) in enumerate(zip(present, generated, strict=True)):
        if len(members) < MIN_MEMBERS:
            continue
        if position in matched:
            community = replace(old[matched[position]], members=len(members))
        else:
            community = Community(
                row=next_row,
                id=tx.new_id("com"),
                group=tx.group,
                name="",
                summary="",
                created_at=timestamps.from_datetime(tx.now),
                members=len(members),
            )
            next_row += 1
        given = names.get(community.id)
        if given is not None and given.name:
            community = replace(community, name=given.name, summary=given.summary, named_by=named_by)
        elif given is not None or community.named_by == ALGORITHM:
            community = replace(community, name=name.name, summary=name.summary, named_by=ALGORITHM)
        communities.append(BuiltCommunity(community, tuple(members), is_new=position not in matched))
    kept = {built.community.row for built in communities}
    return communities, [community for row, community in old.items() if row not in kept]


def _report(
    group: str,
    call: int | None,
    communities: Sequence[BuiltCommunity],
    dissolved: Sequence[Community],
    graph: WeightedGraph,
    division: Division,
) -> GroupReport:
    return GroupReport(
        group=group,
        call=call,
        communities=tuple(communities),
        dissolved=tuple(dissolved),
        entities=len(graph),
        connections=len(graph.ends) // 2,
        method=division.method,
        modularity=round(weighted_graph.modularity(graph, division.labels), 4),
    )
