"""The analysis toolset: the state of the graph as a whole, its schema, a profile of what it holds, and communities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keepgraph import _version, store
from keepgraph.engine import knowledge, vector_backfill
from keepgraph.engine.analysis import communities, graph_profile, overview
from keepgraph.engine.analysis.graph_profile import LabelProfile, PropertyProfile, RelationshipProfile
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.query import schema
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.model import Entity, Fact
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers, brief_shapes, catalogue
from keepgraph.tools.contract.catalogue import Effect, Need, tool

if TYPE_CHECKING:
    from keepgraph.engine.analysis.communities import BuiltCommunity, GroupReport

MAX_GHOSTS = 100
MAX_WORDS = 100
"""At most this many words of each kind are listed; get_ontology_structure lists more of them."""

MAX_TYPES = 12
MAX_CHARACTERS = 70
"""Of a name or a sentence in the overview, which is to be short."""

MAX_COMMUNITIES = 50
MAX_COMMUNITIES_TO_NAME = 10
MAX_FACTS_OF_COMMUNITY = 12
MAX_MEMBERS = 5

_MAX_BACKFILLS = 30


@tool(Effect.READ, description_suffix=lambda tx: schema.describe_vocabulary(tx))
def get_schema(
    tx: Tx, *, exact: bool = False, detail: str = "full", as_of: str | None = None, known_at: str | None = None
) -> dict[str, Any]:
    """Show what the graph holds: labels and relationship types with counts, properties, and what connects what."""
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    answer = {
        "type": "schema",
        "graph_name": tx.group,
        "domain": tx.group.replace("_", " ").title(),
        **answer_shapes.schema(schema.of_graph(tx, exact=exact)),
    }
    return brief_shapes.schema(answer) if detail == brief_answers.BRIEF else answer


@tool(Effect.READ)
def get_status(tx: Tx) -> dict[str, Any]:
    """Report the state of the graph: counts, vocabulary, schema version, when something was last recorded."""
    counts = store.entities.count_by_type(tx)
    last_recorded = store.facts.last_recorded(tx)
    entities, facts = sum(counts.values()), store.facts.count(tx)
    episodes = store.episodes.count(tx, [tx.group])
    vocabulary = graph_vocabulary.read(tx)
    return {
        "status": "ok",
        "message": f"{count_noun(entities, 'entity')}, {count_noun(facts, 'fact')} and "
        f"{count_noun(episodes, 'episode')} in group {tx.group!r}.",
        "version": _version.__version__,
        "graph": {"schema": store.migrations.schema_version(tx), "group": tx.group},
        "other_groups": answer_shapes.other_groups(tx),
        "entities": _most_used(counts),
        "facts": facts,
        "episodes": episodes,
        "last_recorded_at": last_recorded and timestamps.format_local(last_recorded, tx.zone),
        "vocabulary": {
            "entity_types": [term.name for term in vocabulary.types[:MAX_WORDS]],
            "predicates": [term.name for term in vocabulary.predicates[:MAX_WORDS]],
            "truncated": max(len(vocabulary.types), len(vocabulary.predicates)) > MAX_WORDS,
        },
        "resolution": {
            "exact": "on",
            "alias": "on",
            "fuzzy": "on" if "fuzzy" in tx.settings.steps else "off: by the settings",
            "embedding": vector_backfill.describe_state(tx),
        },
        "waiting_for_vectors": {
            f"{kind.noun}s": store.vectors.count_missing(tx, kind) for kind in store.derived_tables.VECTOR_KINDS
        },
    }


@tool(Effect.READ)
def get_overview(tx: Tx) -> dict[str, Any]:
    """Show what the graph holds: its owner, counts, projects, communities, news, and what is pending."""
    seen = overview.of_group(tx)
    types = dict(list(seen.counts.items())[:MAX_TYPES])
    entities = sum(seen.counts.values())
    return {
        "message": f"{count_noun(entities, 'entity')}, {count_noun(seen.facts, 'fact')} and "
        f"{count_noun(seen.texts, 'text')} in group {tx.group!r}.",
        "group_id": tx.group,
        "owner": answer_shapes.entity(seen.owner) if seen.owner else None,
        "counts": {"entities": entities, "facts": seen.facts, "texts": seen.texts, "by_type": types},
        "projects": [
            {
                **_named(state.project),
                "latest": _stated(tx, state.latest) if state.latest else None,
            }
            for state in seen.projects
        ],
        "communities": [{"name": _cut(community.name), "members": community.members} for community in seen.communities],
        "latest_facts": [_stated(tx, fact) for fact in seen.latest_facts],
        "latest_texts": [
            {
                "doc_id": episode.id,
                "name": _cut(episode.name),
                "source": _cut(episode.source),
                "occurred_at": timestamps.local_date(episode.occurred_at, tx.zone),
            }
            for episode in seen.latest_texts
        ],
        "waiting": _describe_waiting(tx, seen.waiting),
        "other_groups": [_cut(group) for group in seen.other_groups[: overview.MAX_GROUPS]],
        "totals": {
            "projects": seen.project_count,
            "types": len(seen.counts),
            "communities": seen.community_count,
        },
        "truncated": (
            seen.project_count > len(seen.projects)
            or seen.community_count > len(seen.communities)
            or len(seen.counts) > len(types)
            or len(seen.other_groups) > overview.MAX_GROUPS
        ),
    }


def _describe_waiting(tx: Tx, waiting: overview.Waiting) -> dict[str, Any]:
    counted = {"blocker_count": waiting.blockers_counted, "next_action_count": waiting.next_actions_counted}
    return {
        "blockers": [{"fact_id": fact.id, **_stated(tx, fact)} for fact in waiting.blockers],
        "blocker_count": waiting.blocker_count,
        "next_actions": [_named(entity) for entity in waiting.next_actions],
        "next_action_count": waiting.next_action_count,
        "at_least": [name for name, is_exact in counted.items() if not is_exact],
        "proposed_facts": waiting.proposed_facts,
        "proposed_names": waiting.proposed_names,
        **answer_shapes.filled(other_proposals=waiting.other_proposals),
        "unread_texts": waiting.unread_texts,
        "vectors": dict(waiting.vectors),
    }


def _stated(tx: Tx, fact: Fact) -> dict[str, Any]:
    """A fact as a sentence, with the day on which it was recorded."""
    return {
        "fact": _cut(knowledge.facts.sentence(fact)),
        "recorded_at": timestamps.local_date(fact.recorded_at, tx.zone),
    }


def _named(entity: Entity) -> dict[str, Any]:
    """An entity without its id, which has as many tokens as the rest."""
    return {"type": entity.type, "name": _cut(entity.name)}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _most_used(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts by type, unless there are too many: then those of the most used types."""
    if len(counts) <= MAX_WORDS:
        return dict(counts)
    return {name: count for name, count in Counter(counts).most_common(MAX_WORDS) if count}


@tool(Effect.READ)
def profile_graph(tx: Tx, *, sample_size: int = 5) -> dict[str, Any]:
    """Profile the graph: coverage, values and languages of properties; what each relationship type really connects.

    A property with a coverage below 1 needs IS NOT NULL in Cypher; search a property in several languages in each of
    them. A relationship type is confirmed if it has a relationship; ghosts are declared and have none.
    """
    profile = graph_profile.of_graph(tx, sample_size=sample_size)
    ghosts = profile.ghosts[:MAX_GHOSTS]
    return {
        "message": (
            f"{profile.label_total} labels and {profile.relationship_total} relationship types in use; "
            f"{len(profile.ghosts)} types are declared and have no relationship."
        ),
        "entity_profiles": {label.label: _describe_label(label) for label in profile.labels},
        "relationship_profiles": {
            relationship.name: _describe_relationship(relationship)
            for relationship in (*profile.relationships, *ghosts)
        },
        "ghost_relationships": {
            "declared_not_used": [relationship.name for relationship in ghosts],
            "used_not_declared": list(profile.undeclared),
        },
        "language_summary": {
            "primary_languages": list(profile.languages.primary),
            "multilingual_fields": list(profile.languages.multilingual_fields),
            "detection": profile.languages.state,
        },
        "totals": {
            "labels": profile.label_total,
            "relationship_types": profile.relationship_total + len(profile.ghosts),
        },
        "truncated": (
            profile.label_total > len(profile.labels)
            or profile.relationship_total > len(profile.relationships)
            or len(profile.ghosts) > MAX_GHOSTS
        ),
    }


@tool(Effect.WRITE, is_job=True)
def build_communities(
    job: Job,
    *,
    group_ids: list[str],
    names: Mapping[str, Mapping[str, str]] | None = None,
    seed: int = 0,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Find which entities belong together, by current facts and by texts that mention them together.

    Search in mode communities and explore_node show them. A community keeps its uuid in later builds if enough of it
    stays. Names are generated; to_name lists the largest ones with generated names and a dozen facts of each: call
    again with names={uuid: {name, summary}}. Given names stay in later builds.
    """
    groups = list(dict.fromkeys(group_ids))
    with job.read() as tx:
        knowledge.projects.refuse_unknown(tx, [group for group in groups if group != tx.group])
    _backfill_mentions(job)
    given = {
        id: communities.GivenName(" ".join(name["name"].split()), " ".join(name.get("summary", "").split()))
        for id, name in (names or {}).items()
    }
    reports = communities.build(job, groups, seed=seed, names=given, named_by=store.communities.CALLER, dry_run=dry_run)
    built = sorted(
        ((report.group, community) for report in reports for community in report.communities),
        key=lambda pair: -pair[1].community.members,
    )
    unnamed = [pair for pair in built if pair[1].community.named_by == store.communities.ALGORITHM]
    return {
        "call": reports[0].call if len(reports) == 1 else None,
        "message": _count_communities(len(built), len(reports), dry_run=dry_run),
        "community_count": len(built),
        "communities": [_describe_community(job, *pair) for pair in built[:MAX_COMMUNITIES]],
        "truncated": len(built) > MAX_COMMUNITIES,
        "to_name": [_describe_unnamed(job, *pair) for pair in unnamed[:MAX_COMMUNITIES_TO_NAME] if not dry_run],
        "groups": [_describe_group(report) for report in reports],
        "method": reports[0].method,
        "dry_run": dry_run,
    }


def _backfill_mentions(job: Job) -> None:
    """Read the texts that were not read yet, as far as a call may wait for that."""
    for number in range(_MAX_BACKFILLS):
        with job.read() as tx:
            if not catalogue.is_missing(tx, Need.MENTIONS):
                return
        raise_if_cancelled(job.cancellation)
        job.report_progress(number, None, "reading texts")
        catalogue.backfill_some(job.database, Need.MENTIONS)


def _count_communities(count: int, graphs: int, *, dry_run: bool) -> str:
    built = "Found" if dry_run else "Built"
    unchanged = ", and changed nothing" if dry_run else ""
    return f"{built} {count_noun(count, 'community')} across {count_noun(graphs, 'graph')}{unchanged}"


def _describe_community(job: Job, group: str, built: BuiltCommunity) -> dict[str, Any]:
    with job.read(group=group) as tx:
        return {
            **answer_shapes.community(tx, built.community),
            "members": _names(tx, built.members[:MAX_MEMBERS]),
            "is_new": built.is_new,
        }


def _names(tx: Tx, members: Sequence[int]) -> list[str]:
    entities = store.entities.by_rows(tx, members)
    return [entities[row].name for row in members if row in entities]


def _describe_unnamed(job: Job, group: str, built: BuiltCommunity) -> dict[str, Any]:
    with job.read(group=group) as tx:
        facts = communities.typical_facts(tx, built.members, limit=MAX_FACTS_OF_COMMUNITY)
    return {
        "uuid": built.community.id,
        "name": built.community.name,
        "facts": [knowledge.facts.sentence(fact) for fact in facts],
    }


def _describe_group(report: GroupReport) -> dict[str, Any]:
    new = sum(built.is_new for built in report.communities)
    return {
        "group_id": report.group,
        "call": report.call,
        "community_count": len(report.communities),
        "kept": len(report.communities) - new,
        "new": new,
        "dissolved": [
            {"uuid": community.id, "name": community.name, "named_by": community.named_by}
            for community in report.dissolved[:MAX_COMMUNITIES]
        ],
        "dissolved_count": len(report.dissolved),
        "entities": report.entities,
        "connections": report.connections,
        "method": report.method,
        "modularity": report.modularity,
    }


def _describe_label(label: LabelProfile) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "count": label.count,
        "properties": {profile.name: _describe_property(profile) for profile in label.properties},
        "sampled": label.failure is None,
    }
    if label.property_total > len(label.properties):
        answer["more_properties"] = label.property_total - len(label.properties)
    return answer | ({} if label.failure is None else {"problem": label.failure})


def _describe_property(profile: PropertyProfile) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "coverage": profile.coverage,
        "distinct": profile.distinct,
        "sample_values": list(profile.sample_values),
    }
    if profile.top_values is not None:
        answer["top_values"] = [{"value": value, "count": count} for value, count in profile.top_values]
    if profile.average_length is not None:
        answer["avg_length"] = profile.average_length
    return answer | answer_shapes.filled(detected_languages=list(profile.languages))


def _describe_relationship(profile: RelationshipProfile) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "count": profile.count,
        "confirmed": profile.is_confirmed,
        "source_target_patterns": [[pattern.source, pattern.target] for pattern in profile.patterns],
        "avg_out_degree": profile.average_out_degree,
        "sample_paths": [{"source": source, "target": target} for source, target in profile.paths],
    }
    if not profile.is_confirmed:
        return answer
    answer["pattern_counts"] = [pattern.count for pattern in profile.patterns]
    answer["coverage"] = profile.coverage
    answer["declared_sources"] = list(profile.sources)
    answer["declared_targets"] = list(profile.targets)
    if undeclared := [[pattern.source, pattern.target] for pattern in profile.patterns if not pattern.declared]:
        answer["undeclared_patterns"] = undeclared
    if profile.pattern_total > len(profile.patterns):
        answer["more_patterns"] = profile.pattern_total - len(profile.patterns)
    return answer
