"""The memory toolset: record what is known, and get it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.resolution import resolver
from keepgraph.engine.upkeep import calls
from keepgraph.language import normalisation
from keepgraph.model import Entity
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools import views
from keepgraph.tools.contract import schemas, shape, validation
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_FACTS = 500
MAX_RELATED = 20
MAX_DECISIONS = 200
MOST_FACTS_WITH_NAMES_COMPARED = 50


@tool(Effect.READ)
def recall_entity(
    tx: Tx, *, name_or_alias: str, as_of: str | None = None, known_at: str | None = None
) -> dict[str, Any]:
    """Look up what is known about a person, project, decision, concept or source: by name, alias, id or `type:name`.

    Forgives typing slips and says how it matched (resolution.method, score). No match gives entity null; then
    resolution.candidates are near names: ask, never assume. Use it before recording, to reuse existing names.
    as_of (a date or an instant) shows what held then; known_at, what was known then.
    """
    if not normalisation.key(name_or_alias):
        raise errors.NameOrAliasRequired("the name is empty")
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    found = resolver.resolve(tx, name_or_alias)
    if found.entity is None:
        known, near = [], []
    else:
        at = timestamps.stamp(tx.now)
        known = store.facts.about(tx, found.entity, at=at, limit=MAX_FACTS + 1)
        near = store.facts.related(tx, found.entity, at=at, limit=MAX_RELATED + 1)
    return {
        "entity": _in_full(tx, found.entity),
        "facts": [shape.fact(tx, fact) for fact in known[:MAX_FACTS]],
        "related_entities": [
            {**shape.entity(each.entity), "co_occurrence_count": each.facts} for each in near[:MAX_RELATED]
        ],
        "resolution": shape.resolution(found),
        "truncated_facts": len(known) > MAX_FACTS,
        "truncated_related_entities": len(near) > MAX_RELATED,
    }


@tool(Effect.WRITE)
def record_fact(
    tx: Tx,
    *,
    subject: Mapping[str, Any],
    predicate: str,
    object: Mapping[str, Any],
    source: str | None = None,
    confidence: float = 1.0,
    valid_from: str | None = None,
    valid_to: str | None = None,
    aliases: list[str] | None = None,
    supersedes: list[str] | None = None,
) -> dict[str, Any]:
    """Record one fact: subject, predicate, object. Recall the names first and reuse them.

    Unknown names become new entities (auto_created_entities); possible_duplicates warns when one is close to an
    existing name. Recording a known fact again adds its source and returns the same fact_id. When something has
    changed, name the facts that no longer hold in supersedes.
    """
    return _record(
        tx,
        {
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "source": source,
            "confidence": confidence,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "aliases": aliases or (),
            "supersedes": supersedes or (),
        },
        compare_names=True,
    )


@tool(Effect.WRITE)
def record_facts(
    tx: Tx,
    *,
    facts: list[Any],
    all_or_nothing: bool = False,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Record up to 1000 facts in one call, each as record_fact takes it; the answer has a result for each.

    A bad one is refused with its error and the others are kept, unless all_or_nothing is set.
    Repeat a call that may have failed with the same idempotency_key: nothing is added twice.
    New names are compared with those that exist in calls of up to 50 facts.
    """
    request = calls.digest([facts, all_or_nothing]) if idempotency_key else ""
    if idempotency_key and (earlier := calls.earlier_answer(tx, idempotency_key, request=request)):
        return {**earlier, "replayed": True}
    results: list[dict[str, Any]] = []
    compare_names = len(facts) <= MOST_FACTS_WITH_NAMES_COMPARED
    for index, given in enumerate(facts):
        try:
            with tx.savepoint():
                arguments = validation.check_input("memory", "record_fact", given, measured=True)
                results.append(_record(tx, arguments, compare_names=compare_names))
        except errors.KeepgraphError as error:
            if all_or_nothing:
                error.message = f"facts[{index}]: {error.message.rstrip('.')}; nothing was recorded"
                raise
            error.example = error.example or schemas.example("memory", "record_fact")
            results.append(error.answer())
    answer = {
        "call": tx.call,
        "results": [{"index": index, **result} for index, result in enumerate(results)],
        "recorded": sum("fact_id" in result and not result["deduplicated"] for result in results),
        "deduplicated": sum(result.get("deduplicated", False) for result in results),
        "refused": sum("error" in result for result in results),
        "names_not_compared": 0 if compare_names else sum(len(_created(result)) for result in results),
        "replayed": False,
    }
    if idempotency_key:
        calls.keep_answer(tx, idempotency_key, answer, request=request)
    return answer


@tool(Effect.READ)
def recall_decisions(
    tx: Tx, *, project: str, since: str | None = None, as_of: str | None = None, known_at: str | None = None
) -> dict[str, Any]:
    """List the decisions of a project, newest first: name, date, who decided, source, followed_up.

    `since` is a local calendar date. An unknown project gives project null and resolution.candidates.
    """
    if not normalisation.key(project):
        raise errors.ProjectRequired("the project is empty")
    if since:
        _check_date(since)
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    found = resolver.resolve(tx, project, of_type="project")
    made, total = (
        knowledge.decisions.of_project(tx, found.entity, since=since or "", limit=MAX_DECISIONS)
        if found.entity
        else ([], 0)
    )
    return {
        "project": shape.entity(found.entity) if found.entity else None,
        "resolution": shape.resolution(found),
        "decisions": [shape.decision(each) for each in made],
        "total": total,
        "truncated": total > len(made),
        "since": since or None,
    }


@tool(Effect.READ)
def weekly_rollup(
    tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None
) -> dict[str, Any]:
    """Sum up the seven local days that end today, for one project or for all: decisions, open blockers, next actions.

    An unknown project gives project null and resolution.candidates. as_of gives the week that ended then.
    """
    generated_at = timestamps.shown(timestamps.stamp(tx.now), tx.zone)
    tx = views.seen(tx, as_of=as_of, known_at=known_at)
    found = resolver.resolve(tx, project, of_type="project") if project and normalisation.key(project) else None
    wanted = found.entity if found else None
    if found is not None and wanted is None:
        this, summary = knowledge.rollup.nothing(tx), knowledge.rollup.no_such_project(project or "", found)
    else:
        this = knowledge.rollup.week(tx, project=wanted)
        summary = knowledge.rollup.summary(this, project=wanted)
    return {
        "project": shape.entity(wanted) if wanted else None,
        "resolution": shape.resolution(found) if found else None,
        "period": {"start": this.start, "end": this.end},
        "summary": summary,
        "decisions": [shape.decision(each) for each in this.decisions],
        "blockers": [shape.fact(tx, each) for each in this.blockers],
        "next_actions": list(this.next_actions),
        "totals": {
            "decisions": this.decision_count,
            "blockers": this.blocker_count,
            "next_actions": this.next_action_count,
        },
        "truncated": this.decision_count > len(this.decisions)
        or this.blocker_count > len(this.blockers)
        or this.next_action_count > len(this.next_actions),
        "generated_at": generated_at,
    }


@tool(Effect.WRITE)
def remember(
    tx: Tx,
    *,
    text: str,
    source: str = "chat-note",
    project: str | None = None,
    about: list[str] | None = None,
    reference_time: str | None = None,
) -> dict[str, Any]:
    """Keep a note as it is, to be found by search. Mentions of known entities are linked.

    New names and plainly worded facts are only proposed, not recorded: pass what is right on to record_fact.
    """
    # Reading texts takes code that no other tool of this set needs.
    from keepgraph.engine import texts
    from keepgraph.tools import episodes

    tx = replace(tx, group=project) if project else tx
    added = texts.episodes.add(
        tx,
        name=texts.episodes.title_of(text) or source,
        text=text,
        source=source,
        at=reference_time,
        about=[{"how": "given", "type": None, "name": name} for name in about or ()],
    )
    told = episodes.told(tx, added)
    return {
        "message": told["message"],
        "doc_id": added.episode.id,
        "name": added.episode.name,
        "source": added.episode.source,
        "project": added.episode.group,
        "chunks_added": added.chunks_added,
        "entities_added": 0,
        "entities_merged": 0,
        **{
            word: told[word]
            for word in (
                "deduplicated",
                "mentions",
                "proposed_entities",
                "proposed_facts",
                "identical_to",
                "truncated",
                "unread",
                "recognised",
            )
        },
    }


def _in_full(tx: Tx, entity: Entity | None) -> dict[str, Any] | None:
    return shape.entity_in_full(tx, entity, store.entities.aliases(tx, entity)) if entity else None


def _record(tx: Tx, given: Mapping[str, Any], *, compare_names: bool) -> dict[str, Any]:
    """Record what one call of record_fact, or one element of record_facts, gives."""
    target = given["object"]
    done = knowledge.facts.record(
        tx,
        subject=shape.ref(given["subject"]),
        predicate=given["predicate"],
        object=target["literal"] if "literal" in target else shape.ref(target),
        source=given.get("source"),
        confidence=given.get("confidence", 1.0),
        valid_from=given.get("valid_from"),
        valid_to=given.get("valid_to"),
        aliases=given.get("aliases", ()),
        supersedes=given.get("supersedes", ()),
        compare_names=compare_names,
    )
    return {
        "fact_id": done.fact.id,
        "recorded_at": timestamps.shown(done.fact.recorded_at, tx.zone),
        "subject": shape.entity(done.fact.subject),
        "predicate": done.fact.predicate,
        "object": shape.target(done.fact),
        "deduplicated": done.deduplicated,
        **shape.validity(tx, done.fact),
        "superseded": [
            {"fact_id": each.id, "valid_to": each.valid_to and timestamps.shown(each.valid_to, tx.zone)}
            for each in done.superseded
        ],
        "auto_created_entities": [shape.entity(each) for each in done.created],
        "possible_duplicates": [
            {"new": shape.entity(new), **shape.candidate(old)} for new, old in done.possible_duplicates
        ],
    }


def _created(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entities that one of many facts brought with it; none where it was refused."""
    return list(result.get("auto_created_entities", ()))


def _check_date(since: str) -> None:
    try:
        timestamps.parse_date(since)
    except ValueError as error:
        raise errors.SinceInvalid(f"since is not a calendar date: {since[:60]!r}") from error
