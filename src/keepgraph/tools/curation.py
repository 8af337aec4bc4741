"""The curation toolset: changes of an entity, aliases, merges, ended facts, retraction, deletion and history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.maintenance import history
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.language import identifiers
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, Event, Fact, MergeResult, Predicate, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue
from keepgraph.tools.contract.catalogue import Effect, Need, tool

MAX_MERGED_FACTS = 200
MAX_EVENTS = 50
MAX_MISFITS = 20


@tool(Effect.WRITE)
def add_alias(
    tx: Tx, *, entity: Mapping[str, Any], alias: str, project: str | None = None, group: str | None = None
) -> dict[str, Any]:
    """Give an entity another name that finds it: a short form, a former name, another spelling; "me" is the user.

    With project, the alias holds only there: “the board” may differ from project to project. Refused if another entity
    of the type has exactly this name; if the two are one, use merge_entities.
    """
    tx = knowledge.scopes.enter_group(tx, group)
    entity_ = knowledge.entities.find(tx, answer_shapes.ref(entity))
    within = knowledge.scopes.known(tx, project).project if project else None
    aliases_before, owner_before = store.entities.aliases(tx, entity_), store.groups.find(tx)
    key = Name(identifiers.spelling(alias)).key
    scope_before = store.scopes.of_alias(tx, entity_, key)
    knowledge.entities.add_aliases(tx, entity_, [alias])
    is_wider = knowledge.scopes.add_to_alias(tx, entity_, key, within, before=scope_before)
    described = answer_shapes.entity_in_full(tx, entity_)
    is_new = len(described["aliases"]) > len(aliases_before)
    if is_new:
        knowledge.entities.journal_surface(tx, answer_shapes.ref(entity), entity_)
    return {"entity": described, "added": is_new or is_wider or store.groups.find(tx) != owner_before}


@tool(Effect.WRITE)
def set_owner(tx: Tx, *, person: Mapping[str, Any]) -> dict[str, Any]:
    """Set which person is the user ("me", "I"): by id, exact name or alias; an unknown name is created."""
    owner = knowledge.owner.change(tx, answer_shapes.ref(person))
    return {
        "owner": answer_shapes.entity(owner.entity),
        "previous": answer_shapes.entity(owner.previous) if owner.previous else None,
        "created": owner.created,
        "changed": owner.entity != owner.previous,
        "possible_duplicates": [answer_shapes.candidate(candidate) for candidate in owner.possible_duplicates],
        "message": f"“Me” is {owner.entity.name} {'now' if owner.entity != owner.previous else 'already'}.",
    }


@tool(Effect.WRITE)
def update_entity(
    tx: Tx,
    *,
    entity: Mapping[str, Any],
    name: str | None = None,
    type: str | None = None,
    summary: str | None = None,
    properties: Mapping[str, Any] | None = None,
    add_aliases: list[str] | None = None,
    remove_aliases: list[str] | None = None,
    keep_old_name: bool = True,
) -> dict[str, Any]:
    """Correct or complete an entity: rename it, change its type, set its summary, properties (role, email …), aliases.

    Its id and facts stay, and the old name still finds it. Refused if another entity of the type has the name: then use
    merge_entities. A relation to another entity is a fact: use record_fact.
    """
    given = (name, type, summary, properties, add_aliases, remove_aliases)
    if all(value is None for value in given):
        raise errors.InvalidArguments(
            "no change is given",
            hint="Give name, type, summary, properties, add_aliases or remove_aliases.",
        )
    change = knowledge.entity_changes.change(
        tx,
        knowledge.entities.find(tx, answer_shapes.ref(entity)),
        name=name,
        entity_type=type,
        summary=summary,
        properties=properties,
        add_aliases=add_aliases or (),
        remove_aliases=remove_aliases or (),
        keep_old_name=keep_old_name,
    )
    if change.changed:
        knowledge.entities.journal_surface(tx, answer_shapes.ref(entity), change.before)
    near = knowledge.entities.possible_duplicates(tx, change.entity) if {"name", "type"} & {*change.changed} else ()
    return {
        "entity": answer_shapes.entity_in_full(tx, change.entity),
        "before": answer_shapes.entity(change.before),
        "changed": list(change.changed),
        "aliases_added": list(change.aliases_added),
        "aliases_removed": list(change.aliases_removed),
        "facts_rewritten": change.facts_rewritten,
        "misfits": [{"id": fact.id, "text": knowledge.facts.sentence(fact)} for fact in change.misfits[:MAX_MISFITS]],
        "misfits_total": len(change.misfits),
        "possible_duplicates": [answer_shapes.candidate(candidate) for candidate in near],
        **answer_shapes.filled(conflicts=_beside_facts(tx, change.entity, properties or {})),
    }


def _beside_facts(tx: Tx, entity: Entity, properties: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The properties set under the wording of a predicate: what its facts say, and what reads them, stays as it was."""
    conflicts = []
    vocabulary = graph_vocabulary.read(tx)
    for name, value in properties.items():
        predicate = graph_vocabulary.find(tx, store.vocabulary.PREDICATE, name) if isinstance(value, str) else None
        if not isinstance(predicate, Predicate):
            continue
        if predicate.sources and entity.type not in vocabulary.with_subtypes(predicate.sources):
            continue
        facts = [fact for fact in store.facts.touching(tx, entity, [predicate.name]) if fact.subject == entity]
        is_relation = bool(predicate.targets)
        ends = {fact.literal or (fact.object and fact.object.name) for fact in facts}
        if value in ends or not (facts or is_relation or predicate.literal_kind == "date"):
            continue
        told = " and ".join(f"“{knowledge.facts.sentence(fact)}”" for fact in facts) or "nothing"
        arguments = {
            "subject": {"id": entity.id},
            "predicate": predicate.name,
            "object": {"name" if is_relation else "literal": value},
            **answer_shapes.filled(supersedes=[fact.id for fact in facts]),
        }
        conflicts.append(
            {
                "kind": "property",
                "sentence": f"{name} is now a property, not a fact. Recorded under {predicate.name}: {told}.",
                "facts": [answer_shapes.fact_as_text(tx, fact) for fact in facts],
                **answer_shapes.settled_by("record_fact", arguments),
            }
        )
    return conflicts


@tool(Effect.DESTRUCTIVE)
def merge_entities(
    tx: Tx,
    *,
    keep: Mapping[str, Any],
    absorb: Mapping[str, Any],
    dry_run: bool = False,
    across_types: bool = False,
) -> dict[str, Any]:
    """Merge two entities that are the same: `keep` takes over the facts, names and id of `absorb`.

    Facts that both had become one, with the sources of both; facts between the two are retracted. dry_run shows exactly
    what would change. Ask the user first; `undo` reverts it. Refused across types unless across_types.
    """
    survivor, absorbed = (
        knowledge.entities.find(tx, answer_shapes.ref(keep)),
        knowledge.entities.find(tx, answer_shapes.ref(absorb)),
    )
    merged = knowledge.merges.merge(tx, keep=survivor, absorb=absorbed, across_types=across_types)
    return {**_describe_merge(merged), "dry_run": dry_run}


@tool(Effect.DESTRUCTIVE)
def retract_fact(
    tx: Tx,
    *,
    fact_id: str | None = None,
    subject: Mapping[str, Any] | None = None,
    predicate: str | None = None,
    object: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Retract a fact that was never true: by its id, or by what it says. It is only shown with known_at.

    If it was true and has ended, use end_fact, or record what holds now with `supersedes`.
    """
    said = _said(tx, fact_id, subject, predicate, object)
    fact = knowledge.ending.find_at_any_time(tx, **said) if said else knowledge.facts.find(tx, fact_id or "")
    withdrawn = knowledge.facts.retract(tx, fact)
    return {
        "fact": answer_shapes.fact(tx, fact),
        "retracted_at": timestamps.format_local(fact.retracted_at or tx.at, tx.zone),
        "already_retracted": not withdrawn.is_changed,
        "remains": "the fact stays on record as retracted, for known_at and the history; to delete it, use forget.",
        **answer_shapes.filled(
            reopened_blockers=_sentences(withdrawn.reopened),
            still_said=_sentences(knowledge.ending.find_alike(tx, fact)),
        ),
    }


@tool(Effect.WRITE)
def end_fact(
    tx: Tx,
    *,
    fact_id: str | None = None,
    subject: Mapping[str, Any] | None = None,
    predicate: str | None = None,
    object: Mapping[str, Any] | None = None,
    valid_to: str | None = None,
    source: str | None = None,
) -> dict[str, Any]:
    """End a fact that no longer holds: by its id, or by subject and predicate, without the object if only one fits.

    What was known before stays on record. For a fact that has already ended, valid_to corrects the end. What was never
    true: retract_fact.
    """
    said = _said(tx, fact_id, subject, predicate, object)
    named = (
        knowledge.ending.find(tx, **said, valid_to=valid_to)
        if said
        else knowledge.ending.find_by_id(tx, fact_id or "", valid_to=valid_to)
    )
    ended = knowledge.ending.end(tx, named, valid_to=valid_to, source=source)
    until = ended.fact.valid_to and timestamps.format_end(ended.fact.valid_to, tx.zone)
    effect = {"ended": "Ended", "changed": "Changed the end of"}.get(ended.effect, "Nothing changed:")
    resting = answer_shapes.may_have_ended(tx, [ended.fact])
    ask = " Facts in may_have_ended depend on it: ask whether they have ended too." if resting else ""
    return {
        "fact": answer_shapes.fact(tx, ended.fact),
        "effect": ended.effect,
        "validity_before": answer_shapes.validity(tx, ended.before),
        "also_ended": answer_shapes.dated_facts(tx, ended.also_ended),
        **resting,
        "message": f"{effect} {knowledge.facts.sentence(ended.fact)}, until {until}.{ask}",
    }


@tool(Effect.WRITE)
def resolve_blocker(
    tx: Tx,
    *,
    blocker: str,
    blocked: Mapping[str, Any] | None = None,
    by: Mapping[str, Any] | None = None,
    resolved_at: str | None = None,
    source: str | None = None,
) -> dict[str, Any]:
    """Close an open blocker: by its words, the id of its fact, or the name of what is blocked.

    If several fit, none is closed and the error lists candidates.
    """
    closed = knowledge.blocker_closing.close(
        tx,
        blocker,
        blocked=answer_shapes.ref(blocked) if blocked is not None else None,
        by=_object(tx, by) if by is not None else None,
        resolved_at=resolved_at,
        source=source,
    )
    return {
        "closed_blockers": answer_shapes.blockers(tx, closed.facts),
        "fact_id": closed.resolution.id if closed.resolution else None,
        "message": f"Closed: {'; '.join(map(knowledge.facts.sentence, closed.facts))}.",
    }


@tool(Effect.DESTRUCTIVE)
def delete_entity_edge(tx: Tx, *, uuid: str) -> dict[str, Any]:
    """Delete a fact (by its id, fact_…) with its sources, as if it had never been recorded. `undo` restores it."""
    withdrawn = knowledge.facts.delete(tx, uuid)
    fact = withdrawn.fact
    return {
        "message": f"{fact.id} deleted successfully: {knowledge.facts.sentence(fact)}",
        "fact": answer_shapes.fact(tx, fact),
        "remains": answer_shapes.REMAINS,
        **answer_shapes.filled(reopened_blockers=_sentences(withdrawn.reopened)),
    }


def _backup_before_clearing(
    tx: Tx, *, group_ids: list[str] | None = None, everything: bool = False, confirm: bool = False
) -> str | None:
    if not confirm:
        return None
    knowledge.projects.refuse_unknown(tx, group_ids)
    return "before-clear"


@tool(Effect.DESTRUCTIVE, backup=_backup_before_clearing)
def clear_graph(
    tx: Tx, *, group_ids: list[str] | None = None, everything: bool = False, confirm: bool = False
) -> dict[str, Any]:
    """Delete all entities, facts and texts of a group (this one, or group_ids), or with `everything` of all groups.

    Requires confirm=true: ask the user first. `undo` restores everything.
    """
    cleared = knowledge.projects.select(tx, group_ids, everything=everything)
    if not confirm:
        raise errors.NotConfirmed(f"this would delete everything in {knowledge.projects.describe(cleared)}")
    counts = knowledge.projects.clear(tx, group_ids, everything=everything)
    return {
        "message": f"Cleared {knowledge.projects.describe(cleared)}: {count_noun(counts['entity'], 'entity')}, "
        f"{count_noun(counts['fact'], 'fact')} and {count_noun(counts['episode'], 'episode')}.",
        "groups": cleared,
        "entities": counts["entity"],
        "facts": counts["fact"],
        "episodes": counts["episode"],
        "remains": answer_shapes.REMAINS,
    }


def _needs_of_history(tx: Tx, *, about: str, **_: object) -> frozenset[Need]:
    is_fact = about.strip().lower().startswith("fact_")
    needs_vectors = not is_fact and resolver.needs_vectors(tx, Name(about))
    return catalogue.vectors_if(needs_vectors)


@tool(Effect.READ, needs=_needs_of_history)
def get_history(tx: Tx, *, about: str, limit: int = MAX_EVENTS) -> dict[str, Any]:
    """List what happened to an entity (by name or id) or a fact (by id), newest first: what, when, by which tool.

    Each event has the numbers of its call and its change, which `undo` takes.
    """
    name = answer_shapes.name(about)
    if about.strip().lower().startswith("fact_"):
        fact = knowledge.facts.find(tx, about)
        events = history.of_fact(tx, fact, limit=limit + 1)
        return _describe_events(tx, events, limit) | {"fact": answer_shapes.fact(tx, fact)}
    resolution = resolver.resolve(tx, name)
    events = history.of_entity(tx, resolution.entity, limit=limit + 1) if resolution.entity else []
    return _describe_events(tx, events, limit) | {
        "entity": answer_shapes.entity(resolution.entity) if resolution.entity else None,
        "resolution": answer_shapes.resolution(resolution),
    }


def _said(
    tx: Tx,
    fact_id: str | None,
    subject: Mapping[str, Any] | None,
    predicate: str | None,
    object: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What a fact says that is named by that, for `knowledge.ending.find`; empty if it is named by its id.

    Raises:
        errors.InvalidArguments: it is named by both.
        errors.FactNotFound: it is named by neither.
    """
    if fact_id is not None:
        if subject is not None or predicate is not None or object is not None:
            raise errors.InvalidArguments(
                "a fact is named twice: by fact_id, and by what it says", hint="Leave one of them out."
            )
        return {}
    if subject is None or predicate is None:
        raise errors.FactNotFound(
            "neither fact_id is given, nor subject and predicate",
            hint="Give fact_id, or subject, predicate and object.",
        )
    return {
        "subject": knowledge.owner.substitute(tx, answer_shapes.ref(subject)),
        "predicate": predicate,
        "object": _object(tx, object) if object is not None else None,
    }


def _object(tx: Tx, given: Mapping[str, Any]) -> Ref | str:
    """The object that an argument names: an entity, or a literal."""
    if "literal" in given:
        return str(given["literal"])
    return knowledge.owner.substitute(tx, answer_shapes.ref(given))


def _describe_merge(result: MergeResult) -> dict[str, Any]:
    effects = Counter(fact.effect for fact in result.facts)
    facts = result.facts[:MAX_MERGED_FACTS]
    return {
        "entity": answer_shapes.entity(result.entity),
        "absorbed": answer_shapes.entity(result.absorbed),
        "facts": [
            {"id": fact.id, "effect": fact.effect, "was": fact.before, "becomes": fact.after, "into": fact.merged_into}
            for fact in facts
        ],
        "moved": effects["moved"],
        "folded": effects["folded"],
        "retracted": effects["retracted"],
        "aliases_added": list(result.aliases_added),
        "aliases_dropped": list(result.aliases_dropped),
        "truncated": len(facts) < len(result.facts),
    }


def _describe_events(tx: Tx, events: list[Event], limit: int) -> dict[str, Any]:
    return {
        "entity": None,
        "fact": None,
        "resolution": None,
        "events": [answer_shapes.event(tx, event) for event in events[:limit]],
        "truncated": len(events) > limit,
    }


def _sentences(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    return [{"id": fact.id, "name": knowledge.facts.sentence(fact)} for fact in facts]
