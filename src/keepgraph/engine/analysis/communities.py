"""Communities of a group: which entities belong together, recomputed, but with the ids and names to keep.

A community that is found again keeps its id, as long as enough of its members stayed; so it has a history. A name that
a caller or a person gave stays with it, all others are regenerated.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from keepgraph import errors, store
from keepgraph.arrays import community_detection, weighted_graph
from keepgraph.arrays.weighted_graph import Integers, WeightedGraph, Weights
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.english import count_noun
from keepgraph.language import common_words
from keepgraph.model import Fact
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.communities import ALGORITHM, Community
from keepgraph.store.transactions import Tx

# Names of communities without a model: the most central entity, and three words by class-based TF-IDF.
#
# Source: M. Grootendorst, "BERTopic: Neural topic modeling with a class-based TF-IDF procedure" (2022). The texts of a
# community are the names and summaries of its most central entities, and the literals of their facts.

_WORDS_OF_NAME = 3
_MAX_ENTITIES = 200
_MAX_CHARACTERS = 300
_MAX_LENGTH_OF_NAME = 500
_MOST_CENTRAL = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class _GeneratedName:
    """A name for a community, and a sentence about what belongs to it."""

    name: str
    summary: str


def generate(tx: Tx, communities: Sequence[Sequence[int]]) -> list[_GeneratedName]:
    """A name for each of some communities.

    Args:
        communities: the entities of each by row number, the most central first.
    """
    entities = store.entities.names_and_summaries(tx)
    texts: dict[int, list[str]] = {row: [name, summary] for row, (_, name, summary) in entities.items()}
    for row, literal in store.fact_columns.literals(tx):
        texts.setdefault(row, []).append(literal)
    words = [
        _words(text for row in rows[:_MAX_ENTITIES] for text in texts.get(row, ()))
        for rows in ([row for row in rows if row in entities] for rows in communities)
    ]
    names = []
    for rows, characteristic in zip(communities, _rank(words), strict=True):
        members = [entities[row] for row in rows if row in entities]
        if not members:
            names.append(_GeneratedName("Nothing", ""))
            continue
        central = [name for _, name, _ in members[:_MOST_CENTRAL]]
        in_name = set(_words(central[:1]))
        listed = ", ".join([word for word in characteristic if word not in in_name][:_WORDS_OF_NAME])
        name = f"{central[0]}: {listed}" if listed else central[0]
        names.append(
            _GeneratedName(name[:_MAX_LENGTH_OF_NAME], _summarize([type_ for type_, _, _ in members], central))
        )
    return names


def _words(texts: Iterable[str]) -> Counter[str]:
    """In how many of some texts each word is."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(
            {
                word
                for word in map(str.lower, _WORD.findall(text[:_MAX_CHARACTERS]))
                if not common_words.is_stop_word(word)
            }
        )
    return counts


def _rank(communities: Sequence[Counter[str]]) -> list[list[str]]:
    """The words of each community by how characteristic they are of it, best first."""
    totals: Counter[str] = Counter()
    for words in communities:
        totals.update(words)
    average = totals.total() / max(len(communities), 1)
    return [
        sorted(words, key=lambda word: (-words[word] * math.log(1 + average / totals[word]), word))
        for words in communities
    ]


def _summarize(types: Sequence[str], central: Sequence[str]) -> str:
    counts = ", ".join(count_noun(count, type_) for type_, count in Counter(types).most_common(_MOST_CENTRAL))
    return f"{count_noun(len(types), 'entity')} ({counts}). Most connected: {', '.join(central)}."


MIN_MEMBERS = 3
"""Fewer members do not make a community."""

_LEAST_OVERLAP = 0.25
"""Jaccard index: with less in common, a community is a different one."""

_STEPS = 4
_MEMBERS_WITH_FACTS = 40


@dataclass(frozen=True, slots=True)
class GivenName:
    """A name for a community, and who gives it; an empty name removes the given one."""

    name: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class BuiltCommunity:
    """A community as it is after the build.

    Attributes:
        members: row numbers of its entities, the most central first.
        is_new: whether it continues no earlier community.
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
        dissolved: communities that no longer exist.
        entities, connections: the size of the graph that was divided.
        method: LEIDEN or LABEL_PROPAGATION of `community_detection`.
        modularity: that of the division, with singletons and pairs.
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
    """Recompute the communities of some groups, each in one call that can be undone.

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
        [generated] = generate(tx, [by_centrality(tx, community, limit=len(members))])
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
    rows = store.fact_columns.among_entities(tx, central, limit=limit)
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
        graph = read(tx)
    begin(1, f"dividing {len(graph):,} entities")
    division = community_detection.detect(graph, seed=seed, check=lambda: raise_if_cancelled(job.cancellation))
    parts = members_of_parts(graph, division.labels)
    begin(2, f"naming {len(parts):,} communities")
    with job.read(group=group) as tx:
        generated = generate(tx, parts)
        communities, dissolved = _plan(tx, parts, generated, names, named_by=named_by) if dry_run else ([], [])
    call = None
    if not dry_run:
        begin(3, "writing")
        with job.write(group=group) as tx:
            communities, dissolved = _plan(tx, parts, generated, names, named_by=named_by)
            for community in dissolved:
                store.communities.delete(tx, community.row)
            for built in communities:
                store.communities.write(tx, built.community, built.members)
            call = tx.call if tx.call is not None and store.journal.changes_of_call(tx, tx.call) else None
        job.report_progress(_STEPS * (number + 1), _STEPS * group_count, f"{group}: done")
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
    generated: Sequence[_GeneratedName],
    names: Mapping[str, GivenName],
    *,
    named_by: str,
) -> tuple[list[BuiltCommunity], list[Community]]:
    """What the communities of the group become, and those that no longer exist."""
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
                created_at=tx.at,
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


# The weights of the connections between the entities of a group: facts that hold now, and common mentions.

_WEIGHT_OF_COMMON_MENTION = 0.3

_MAX_ENTITIES_OF_CHUNK = 50
"""A chunk that mentions more is a list, and says little of any two."""

_HUB_PERCENTILE = 99
_MIN_DEGREE_OF_HUB = 30

_Edges = tuple[Integers, Integers, Weights]


def read(tx: Tx) -> WeightedGraph:
    """The entities of the group that are connected at all, by their rows.

    A fact weighs its confidence times the rarity of its predicate; two entities that a chunk mentions 0.3 for each such
    chunk. What goes to hubs (more neighbours than 99 of 100, and more than 30) weighs less, the larger the hub.
    """
    of_facts, of_mentions = _edges_of_facts(tx), _edges_of_mentions(tx)
    columns = [np.concatenate(pair) for pair in zip(of_facts, of_mentions, strict=True)]
    graph = weighted_graph.build(columns[0], columns[1], columns[2])
    return weighted_graph.damp_hubs(graph, percentile=_HUB_PERCENTILE, min_degree=_MIN_DEGREE_OF_HUB)


def _edges_of_facts(tx: Tx) -> _Edges:
    facts = store.fact_columns.confidences_between_entities(tx)
    # Row numbers below 2^53 are exact as floats.
    columns = np.fromiter(chain.from_iterable(facts), dtype=np.float64).reshape(-1, 4)
    _, predicates, counts = np.unique(columns[:, 2], return_inverse=True, return_counts=True)
    # 1 for the only predicate there is, 2 for one that has a tenth of the facts, 3 for one that has a hundredth.
    rarity = 1 + np.log10(len(columns) / counts) if len(columns) else counts
    return columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 3] * rarity[predicates]


def _edges_of_mentions(tx: Tx) -> _Edges:
    mentions = np.fromiter(chain.from_iterable(store.mentions.in_group(tx)), dtype=np.int64).reshape(-1, 2)
    _, starts, counts = np.unique(mentions[:, 0], return_index=True, return_counts=True)
    sources, targets = [], []
    for size in range(2, _MAX_ENTITIES_OF_CHUNK + 1):
        of_size = starts[counts == size]
        if len(of_size):
            entities = mentions[:, 1][of_size[:, None] + np.arange(size)]
            first, second = np.triu_indices(size, k=1)
            sources.append(entities[:, first].ravel())
            targets.append(entities[:, second].ravel())
    nothing = np.empty(0, dtype=np.int64)
    all_sources = np.concatenate([nothing, *sources])
    return all_sources, np.concatenate([nothing, *targets]), np.full(len(all_sources), _WEIGHT_OF_COMMON_MENTION)
