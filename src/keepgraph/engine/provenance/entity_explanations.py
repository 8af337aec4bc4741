"""Why an entity is in the graph: where it, its name, its type and its aliases come from, and what rests on it."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.provenance import assertion_chains
from keepgraph.engine.provenance.explanations import (
    MAX_CHANGES,
    MAX_DEPENDENTS,
    MAX_ORIGINS,
    Dependent,
    Explanation,
    Objection,
    Origin,
)
from keepgraph.engine.retrieval import node_lookup, passages
from keepgraph.engine.upkeep import call_descriptions, history
from keepgraph.english import count_noun
from keepgraph.model import Entity, Resolution
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_MAX_TEXTS = 10
_MAX_SOURCES = 20


def explain(tx: Tx, entity: Entity, *, resolution: Resolution | None = None) -> Explanation:
    """Explain an entity.

    Args:
        resolution: how its name was understood, where it was not written exactly.
    """
    creation, *aliases = _origins(tx, entity)
    events = history.of_entity_alone(tx, entity, limit=500)
    facts = store.provenance_lookups.count_facts_of_entity(tx, entity)
    texts = store.mention_places.count_episodes(tx, entity, until=None)
    dependents = _dependents(tx, entity)
    objections = [
        Objection("proposal", proposal.statement, tool=proposal.tool, arguments=proposal.arguments)
        for proposal in store.review_proposals.resting_on(tx, entity.id)
    ]
    return Explanation(
        "entity",
        entity.id,
        entity.name,
        _statement(tx, entity, creation, facts=facts, texts=texts),
        type=entity.type,
        origins=(creation, *aliases[: MAX_ORIGINS - 1]),
        changes=tuple(events[:MAX_CHANGES]),
        objections=tuple(objections[:MAX_DEPENDENTS]),
        dependents=tuple(dependents),
        sources=tuple(
            (source.source or f"no source, by {source.tool}", source.facts)
            for source in store.provenance_lookups.sources_of_entity(tx, entity, limit=_MAX_SOURCES)
        ),
        totals={
            "origins": 1 + len(aliases),
            "changes": len(events),
            "objections": len(objections),
            "facts": facts,
            "texts": texts,
            "dependents": texts + sum(dependent.kind != "text" for dependent in dependents),
        },
        resolution=resolution,
    )


def _origins(tx: Tx, entity: Entity) -> list[Origin]:
    """Where the entity comes from, then where each of its aliases does."""
    aliases = store.entities.alias_rows(tx, entity)
    created_by = store.provenance_lookups.inserting_calls(tx, "entity", {entity.row: entity.created_at})
    added_by = store.provenance_lookups.inserting_calls(tx, "alias", {row: at for row, _, at in aliases})
    imported = store.imported_rows.of_rows(tx, "entity", [entity.row])
    imported_aliases = store.imported_rows.of_rows(tx, "alias", [row for row, _, _ in aliases])
    created = _origin(
        tx, f"created as {entity.type}", entity.created_at, created_by.get(entity.row), _type_note(tx, entity)
    )
    return [
        assertion_chains.mark_imported(tx, created, imported.get(entity.row)),
        *(
            assertion_chains.mark_imported(
                tx, _origin(tx, f"alias: {alias}", at, added_by.get(row), ""), imported_aliases.get(row)
            )
            for row, alias, at in aliases
        ),
    ]


def _origin(tx: Tx, what: str, at: str, call: int | None, note: str) -> Origin:
    called = store.journal.find_call(tx, call) if call is not None else None
    tool, session = (called[1], called[2]) if called else (None, None)
    about = call_descriptions.describe_number(tx, call) if call is not None else ""
    notes = (
        f"The call was about: {about}." if about else "",
        assertion_chains.describe_call(tx, call, tool=None),
        note,
    )
    return Origin(
        what, at, tool, session, call, "call" if called else "tool", note=" ".join(part for part in notes if part)
    )


def _type_note(tx: Tx, entity: Entity) -> str:
    is_assumed = entity.row in store.assumed_types.among(tx, [entity.row])
    return "Nobody gave its type: it is the one that its relations want." if is_assumed else ""


def _statement(tx: Tx, entity: Entity, creation: Origin, *, facts: int, texts: int) -> str:
    day = timestamps.local_date(creation.at, tx.zone)
    by = f" by {creation.tool} (call {creation.call})" if creation.call is not None else ""
    return (
        f"{entity.name} ({entity.type}) is here since {day}{by}. {count_noun(facts, 'fact')} and "
        f"{count_noun(texts, 'text')} are about it."
    )


def _dependents(tx: Tx, entity: Entity) -> list[Dependent]:
    """The newest texts that mention it, and what else has it; its facts are only counted."""
    node = node_lookup.Node(entity, tx.group)
    dependents = [
        Dependent("text", passage.episode.id, f"{passage.episode.name}: “{passage.quote}”", "mentions it")
        for passage in passages.newest(tx, node, until=None, limit=_MAX_TEXTS)
    ]
    dependents += [
        Dependent("community", community.id, community.name, "has it as a member")
        for community in store.communities.of_entities(tx, [entity.row]).get(entity.row, [])
    ]
    if store.owners.find(tx) == entity:
        dependents.append(Dependent("owner", None, "“me” in this graph", "means it"))
    if count := store.narratives.count_of_project(tx, entity):
        dependents.append(Dependent("narrative", None, f"{count:,} narratives of weeks", "are about it"))
    return dependents
