"""The internal toolset, for our own interfaces and never listed: vocabulary, lists, log, duplicates, communities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from keepgraph import errors, store
from keepgraph.engine import knowledge, maintenance, texts
from keepgraph.engine.analysis import communities
from keepgraph.engine.review import sources
from keepgraph.engine.vocabulary import common_words, graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, VocabularyTerm
from keepgraph.store.communities import Community
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue, internal_types
from keepgraph.tools.contract.catalogue import Effect, tool

_BATCH = 100
_MEMBERS_LISTED = 5
_FACTS_OF_COMMUNITY = 12
_MAX_HISTORY = 50


@tool(Effect.READ)
def get_vocabulary(tx: Tx) -> internal_types.Vocabulary:
    """Show the entity types and predicates that may be used, with what they mean."""
    vocabulary = graph_vocabulary.read(tx)
    return {
        "entity_types": [_describe_word(term) for term in vocabulary.types],
        "predicates": [_describe_word(term) for term in vocabulary.predicates],
    }


def _describe_word(term: VocabularyTerm) -> internal_types.VocabularyWord:
    return {"name": term.name, "description": term.description, "version": term.version}


@tool(Effect.READ)
def list_common_words(tx: Tx) -> internal_types.CommonWordsByKind:
    """List the entity types and predicates that are used most, for the schemas of tools, and how many there are."""
    types, predicates = (
        common_words.of_graph(tx, kind) for kind in (store.vocabulary.ENTITY_TYPE, store.vocabulary.PREDICATE)
    )
    return {
        "entity_type": {"names": list(types.names), "total": types.total},
        "predicate": {"names": list(predicates.names), "total": predicates.total},
    }


@tool(Effect.WRITE)
def pin(
    tx: Tx,
    *,
    what: Annotated[internal_types.Text, internal_types.Field(example="ep_01jd5x9qkz"), "The id of a fact; or a text."],
    pinned: Annotated[bool, internal_types.Field(example=True), "False to unpin it."] = True,
) -> internal_types.Pinned:
    """Let recall_for always tell a fact or a text in its scope, or no longer."""
    if what.strip().lower().startswith("fact_"):
        fact = knowledge.facts.find(tx, what)
        changed = store.scopes.pin_fact(tx, fact, pinned=pinned)
        return {"id": fact.id, "text": knowledge.facts.sentence(fact), "pinned": pinned, "changed": changed}
    episode = texts.corrections.find(tx, what)
    changed = store.scopes.pin_episode(tx, episode, pinned=pinned)
    return {"id": episode.id, "text": episode.name, "pinned": pinned, "changed": changed}


@tool(Effect.READ)
def find_blockers(
    tx: Tx,
    *,
    text: Annotated[
        internal_types.Text,
        internal_types.Field(maxLength=1000, example="permit"),
        "Words of the blocker, its id, or the name of what is blocked.",
    ],
    blocked: internal_types.Subject | None = None,
) -> internal_types.Blockers:
    """Find the open blockers that may mean the same as a text, by the model alone, the nearest first."""
    near = knowledge.blocker_closing.find_by_meaning(
        tx, text, blocked=answer_shapes.ref(blocked) if blocked is not None else None
    )
    return {
        "blockers": [
            {"fact_id": fact.id, "text": knowledge.facts.sentence(fact), "score": score} for fact, score in near
        ]
    }


@tool(Effect.READ)
def count_entities(tx: Tx) -> internal_types.EntityCount:
    """Count the entities of the group."""
    return {"count": sum(store.entities.count_by_type(tx).values())}


@tool(Effect.READ)
def count_types_and_predicates(tx: Tx) -> internal_types.Counts:
    """Count the entities of each type, and the facts of each predicate by the types that they connect."""
    patterns = store.graph_statistics.count_named_patterns(tx)
    return {
        "entity_types": store.entities.count_by_type(tx),
        "predicates": {
            term.name: {
                "count": sum(count for predicate, _, _, count in patterns if predicate == term.name),
                "patterns": [
                    {"subject": subject, "object": target, "count": count}
                    for predicate, subject, target, count in patterns
                    if predicate == term.name
                ],
            }
            for term in graph_vocabulary.read(tx).predicates
        },
    }


@tool(Effect.READ)
def describe_tools(
    tx: Tx,
    *,
    tools: Annotated[
        Sequence[str], internal_types.Field(example=["run_cypher"]), "The names of the tools to describe."
    ],
) -> internal_types.Descriptions:
    """Give the descriptions of tools by name, completed with the vocabulary of the graph."""
    return {"descriptions": {name: _describe_tool(tx, catalogue.find(name)) for name in tools}}


@tool(Effect.READ)
def is_group(
    tx: Tx, *, name: Annotated[internal_types.Text, internal_types.Field(example="work"), "The id to look for."]
) -> internal_types.IsGroup:
    """Tell whether this is the id of a group, and not the name of a project."""
    return {"is_group": knowledge.projects.is_group(tx, name)}


@tool(Effect.READ)
def complete_name(
    tx: Tx,
    *,
    prefix: Annotated[str, internal_types.Field(example="Pri"), "The beginning of the name; empty for every name."],
    type: Annotated[str, "Names of this type and its subtypes only."] | None = None,
    only_projects: Annotated[bool, "Only names of projects, whatever their type is called."] = False,
    limit: Annotated[internal_types.Limit, internal_types.Field(maximum=1000)] = 100,
) -> internal_types.Entities:
    """List the entities whose name begins so, by name; with a type, those of it and of its subtypes."""
    vocabulary = graph_vocabulary.read(tx)
    of_types = vocabulary.with_subtypes([type]) if type else vocabulary.project_types if only_projects else None
    key = normalisation.key(prefix) if prefix.strip() else ""
    entities = store.entities.by_prefix(tx, key, of_types=of_types, limit=limit)
    return {"entities": [answer_shapes.entity(entity) for entity in entities]}


@tool(Effect.WRITE)
def clear_owner(tx: Tx) -> internal_types.PreviousOwner:
    """Let nobody be the owner of the graph: then "me" means nobody."""
    previous = knowledge.owner.clear(tx)
    return {"previous": answer_shapes.entity(previous) if previous else None}


@tool(Effect.READ)
def get_entity(tx: Tx, *, entity: internal_types.Named) -> internal_types.WholeEntity:
    """Show an entity with its aliases, summary and properties."""
    entity_ = knowledge.entities.find(tx, answer_shapes.ref(entity))
    return {"entity": answer_shapes.entity_in_full(tx, entity_)}


@tool(Effect.READ)
def get_text(
    tx: Tx,
    *,
    text: Annotated[
        internal_types.Text,
        internal_types.Field(maxLength=2000, x_code="EPISODE_NOT_FOUND", example="the last note"),
        "Its id (ep_…), its title, or words unique to it.",
    ],
) -> internal_types.WholeText:
    """Give a text whole, as change finds it: by id, by title, or by words that only it has."""
    episode = texts.corrections.find(tx, text)
    content = store.episodes.text(tx, episode)
    return {"id": episode.id, "name": episode.name, "kind": episode.kind, "content": content}


@tool(Effect.READ)
def list_calls(tx: Tx, *, limit: internal_types.Limit) -> internal_types.Calls:
    """List the calls that changed the graph, newest first, with what they touched and whether they were undone."""
    return {
        "calls": [
            {
                "call": call.id,
                "at": timestamps.format_local(call.at, tx.zone),
                "tool": call.tool,
                "session": call.session,
                "about": maintenance.call_descriptions.describe(tx, call),
                "touched": dict(call.row_counts),
                "changes": call.change_count,
                "undoes": call.undoes,
                "undone_by": call.undone_by,
            }
            for call in store.journal.list_calls(tx, limit=limit)
        ]
    }


@tool(Effect.WRITE)
def add_entity(tx: Tx, *, entity: internal_types.Subject) -> internal_types.AddedEntity:
    """Add an entity without a fact; one of this type and name that exists comes back as it is."""
    added, created = knowledge.entities.find_or_create(
        tx, answer_shapes.ref(entity), error_class=errors.SubjectRequired
    )
    duplicates = knowledge.entities.possible_duplicates(tx, added) if created else []
    return {
        "entity": answer_shapes.entity(added),
        "created": created,
        "possible_duplicates": [answer_shapes.candidate(duplicate) for duplicate in duplicates],
    }


@tool(Effect.READ)
def list_kinds(tx: Tx) -> internal_types.Kinds:
    """Count what can be listed: the types in use by their number of entities, then facts, texts, tags and so on."""
    return {
        "kinds": [{"kind": section.kind, "count": section.total} for section in knowledge.listing.counts_of_kinds(tx)],
        "aliases": store.listing.count_aliases(tx),
    }


@tool(Effect.READ)
def list_kind(
    tx: Tx,
    *,
    kind: Annotated[
        internal_types.Text,
        internal_types.Field(example="people"),
        "A type in any spelling, singular or plural, or another kind: texts, tags, blockers.",
    ],
    limit: internal_types.Limit = 50,
) -> internal_types.Sections:
    """List the first rows of a kind: a type, or facts, texts, tags, sources, blockers, words, groups, proposals."""
    return {
        "sections": [
            {
                "kind": section.kind,
                "rows": [{"name": row.name, "detail": row.detail, "id": row.id or None} for row in section.rows],
                "total": section.total,
                "truncated": section.total > len(section.rows),
            }
            for section in knowledge.listing.rows_of_kind(tx, kind, limit=limit)
        ]
    }


@tool(Effect.READ, needs=catalogue.to_resolve_project)
def list_next_steps(
    tx: Tx,
    *,
    project: Annotated[
        internal_types.Text,
        internal_types.Field(x_code="PROJECT_REQUIRED", example="Atlas"),
        "By default all projects.",
    ]
    | None = None,
) -> internal_types.NextSteps:
    """List what is open, of a project or of all: blockers, actions, due days, follow-ups, what waits for an answer."""
    name = Name(project or "")
    if project is not None and not name.key:
        raise errors.ProjectRequired("the project is empty")
    tx, scope = knowledge.projects.enter_named(tx, project)
    steps = (
        knowledge.next_steps.nothing(tx)
        if scope.is_unknown
        else knowledge.next_steps.next_steps(tx, project=scope.project)
    )
    return {
        **answer_shapes.read_scope(scope),  # type: ignore[typeddict-item]  # a part of the answer
        "today": steps.today,
        "blockers": [answer_shapes.fact(tx, fact) for fact in steps.blockers],
        "actions": [answer_shapes.entity(entity) for entity in steps.actions],
        "due": [answer_shapes.fact(tx, fact) for fact in steps.due],
        "coming": [answer_shapes.fact(tx, fact) for fact in steps.coming],
        "follow_ups": [answer_shapes.decision(tx, decision) for decision in steps.follow_ups],
        "totals": {
            "blockers": steps.blocker_count,
            "actions": steps.action_count,
            "due": steps.due_count,
            "coming": steps.coming_count,
            "follow_ups": steps.follow_up_count,
            "proposals": steps.proposals,
            "proposed_facts": steps.proposed_facts,
            "other_proposals": steps.other_proposals,
        },
    }


@tool(Effect.READ)
def find_duplicates(tx: Tx, *, entity: internal_types.Named) -> internal_types.Pairs:
    """Propose the entities that may be the same as one."""
    entity_ = knowledge.entities.find(tx, answer_shapes.ref(entity))
    candidates = knowledge.entities.possible_duplicates(tx, entity_)
    return {
        "pairs": [
            _describe_pair(duplicate.entity, entity_, score=duplicate.score, reason=duplicate.reason)
            for duplicate in candidates
            if not sources.is_decided(tx, entity_, duplicate.entity)
        ]
    }


@tool(Effect.READ)
def list_duplicates(
    tx: Tx, *, after: Annotated[internal_types.Count, "`next` of the previous answer; 0 to begin."] = 0
) -> internal_types.PairBatch:
    """Propose the pairs that may be one entity among the next hundred, each compared with all: `next` goes on.

    Every batch is a short read of its own, so that writers need not wait. A pair comes once, the likeliest of a batch
    first.
    """
    batch = store.entities.page(tx, after, limit=_BATCH)
    pairs = knowledge.merges.possible_duplicates(tx, batch)
    return {
        "compared": len(batch),
        "pairs": [
            _describe_pair(pair.older, pair.newer, score=pair.score, reason=pair.reason)
            for pair in pairs
            if not sources.is_decided(tx, pair.older, pair.newer)
        ],
        "next": batch[-1].row if batch else None,
    }


def _describe_tool(tx: Tx, listed: catalogue.Tool) -> str:
    suffix = listed.description_suffix
    return listed.description if suffix is None else f"{listed.description}\n\n{suffix(tx)}"


def _describe_pair(entity: Entity, duplicate: Entity, *, score: float, reason: str | None) -> internal_types.Pair:
    described: internal_types.Pair = {
        "entity": answer_shapes.entity(entity),
        "duplicate": answer_shapes.entity(duplicate),
        "score": score,
    }
    return described | ({"reason": reason} if reason else {})


@tool(Effect.READ)
def list_communities(tx: Tx, *, limit: internal_types.Limit) -> internal_types.Communities:
    """List the communities of the group, the largest first, each with its most central members."""
    communities = store.communities.of_group(tx)
    return {
        "communities": [_describe_community(tx, community, limit=_MEMBERS_LISTED) for community in communities[:limit]],
        "total": len(communities),
    }


@tool(Effect.READ)
def get_community(
    tx: Tx, *, community: internal_types.CommunityName, limit: internal_types.Limit
) -> internal_types.Community:
    """Show a community with its members, what connects them, and what it was before; null if there is none."""
    found = _find_community(tx, community)
    if found is None:
        return {"community": None, "facts": [], "history": []}
    central = communities.by_centrality(tx, found, limit=found.members)
    facts = communities.typical_facts(tx, central, limit=_FACTS_OF_COMMUNITY)
    changes = store.journal.changes_of_rows(tx, store.communities.TABLE, [found.row], limit=_MAX_HISTORY)
    return {
        "community": _describe_community(tx, found, limit=limit),
        "facts": [knowledge.facts.sentence(fact) for fact in facts],
        "history": [
            {
                "until": timestamps.format_local(call[0], tx.zone),
                "name": before.name,
                "named_by": before.named_by,
                "member_count": before.members,
                "call": change.call,
            }
            for change in changes
            if change.before and "members" in change.before and (call := store.journal.find_call(tx, change.call))
            for before in [store.communities.past_of(change.before)]
        ],
    }


@tool(Effect.WRITE)
def name_community(
    tx: Tx,
    *,
    community: internal_types.CommunityName,
    name: Annotated[
        str, internal_types.Field(maxLength=200, example="Storage team"), "Empty removes a name given earlier."
    ],
    summary: Annotated[
        str, internal_types.Field(maxLength=2000), "What the community is about, in a sentence or two."
    ] = "",
) -> internal_types.NamedCommunity:
    """Give a community a name that stays through later builds; an empty one removes it."""
    found = _find_community(tx, community)
    if found is None:
        return {"community": None}
    given = communities.GivenName(" ".join(name.split()), " ".join(summary.split()))
    renamed = communities.rename(tx, found, given, named_by=store.communities.PERSON)
    return {"community": answer_shapes.community(tx, renamed)}


def _find_community(tx: Tx, text: str) -> Community | None:
    """The community of the group with an id or a name; the largest of those with the same name.

    Raises:
        errors.Ambiguous: the text is in the names of several, and the name of none.
    """
    communities = store.communities.of_group(tx)
    key = normalisation.key(text) if text.strip() else ""
    exact = [each for each in communities if each.id == text.strip() or normalisation.key(each.name) == key]
    if exact or not key:
        return exact[0] if exact else None
    similar = [each for each in communities if key in normalisation.key(each.name)]
    if len(similar) > 1:
        raise errors.Ambiguous(
            f"{len(similar)} communities have {text!r} in their names; use an id",
            candidates=[{"uuid": each.id, "name": each.name} for each in similar[:_MEMBERS_LISTED]],
        )
    return similar[0] if similar else None


def _describe_community(tx: Tx, community: Community, *, limit: int) -> dict[str, Any]:
    central = communities.by_centrality(tx, community, limit=limit)
    entities = store.entities.by_rows(tx, central)
    return {
        **answer_shapes.community(tx, community),
        "members": [entities[row].name for row in central if row in entities],
    }
