"""The memory toolset: record facts and notes; recall entities, decisions and the week; forget, and undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import errors, lazy_submodules, store
from keepgraph.engine import knowledge, maintenance, resolution, texts, verification
from keepgraph.engine.knowledge.decisions import DecisionFilter
from keepgraph.engine.maintenance import history
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import message_context, node_lookup, passages
from keepgraph.engine.review import sources
from keepgraph.engine.vocabulary import common_words, graph_vocabulary
from keepgraph.language import first_person, identifiers, phrase_matching
from keepgraph.language.normalisation import Name
from keepgraph.lazy import replace
from keepgraph.model import Entity, RecordedFact, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import (
    answer_shapes,
    brief_answers,
    brief_shapes,
    catalogue,
    change_answers,
    context_answers,
    schemas,
    validation,
)
from keepgraph.tools.contract.catalogue import Effect, Need, tool

DEFAULT_BUDGET = 600
"""Of the answer of recall_for, in tokens."""

MAX_FACTS = 500
MAX_FACTS_IN_BRIEF = 100
MAX_RELATED = 20
MAX_TEXTS = 5
MAX_DECISIONS = 200
MAX_TO_REVIEW = 8
MAX_FACTS_WITH_NAMES_COMPARED = 50


@tool(Effect.READ)
def recall_for(
    tx: Tx,
    *,
    message: str,
    scope: Sequence[str] = (),
    budget: int = DEFAULT_BUDGET,
    texts: bool = False,
    as_of: str | None = None,
) -> dict[str, Any]:
    """Give what matters for a message of the user: call it first, with the message word for word.

    `named` is what the message names; `unclear` may be meant: ask. `facts` hold now about these, `open` has their
    blockers, due tasks and questions, `standing` always applies. It does not search by meaning: empty lists only mean
    that the message names nothing known; then use search.
    """
    if not message.strip():
        raise errors.MessageInvalid("the message is empty")
    tx = catalogue.to(tx, as_of=as_of, known_at=None)
    read_scope = knowledge.scopes.read(tx, scope)
    return context_answers.describe(tx, message_context.read(tx, message, read_scope, with_texts=texts), budget=budget)


@tool(Effect.READ, needs=catalogue.to_resolve("name_or_alias", "context", besides=catalogue.MENTIONS))
def recall_entity(
    tx: Tx,
    *,
    name_or_alias: str,
    context: Sequence[str] = (),
    detail: str = "full",
    as_of: str | None = None,
    known_at: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Look up what is known about a person, project, decision, concept or source: by name, alias, id or `type:name`.

    Gives facts, and how many texts mention it; resolution says how the name matched. Without a match, entity is null
    and candidates has near names: ask, never assume.
    """
    name = answer_shapes.name(name_or_alias)
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    scope = knowledge.scopes.read(tx, [project]) if project else None
    tx = knowledge.scopes.enter(tx, scope)
    about, unclear = resolver.resolve_context(tx, context)
    resolution = resolver.resolve(tx, name, context=about)
    if unclear and not resolution.hint:
        listed = ", ".join(f"“{text}”" for text in unclear)
        hint = f"Of the context, {listed} could not be resolved: give another name, or an id."
        resolution = replace(resolution, hint=hint)
    limit = MAX_FACTS_IN_BRIEF if detail == brief_answers.BRIEF else MAX_FACTS
    at = tx.at
    if resolution.entity is None:
        facts, neighbours = [], []
        texts = _texts_with_name(tx, name, until=at if as_of else None)
        if texts["total"] and not resolution.hint:
            number = "A text mentions" if texts["total"] == 1 else f"{texts['total']} texts mention"
            near = " or ".join(f"“{candidate.entity.name}”" for candidate in resolution.candidates)
            instead = f"It may be {near}; if not, record" if near else "To make it known, record"
            hint = f"“{name.text[:80]}” is not recorded. {number} it. {instead} a fact about it."
            resolution = replace(resolution, hint=hint)
    else:
        texts = _texts_about(tx, resolution.entity, until=at if as_of else None)
        # A blocker that says no beginning did not block before it was recorded (ADR 0034).
        blocking = graph_vocabulary.read(tx).names_of_role("blocks") if as_of else ()
        within = scope.ids if scope else ()
        facts = store.facts.about(
            tx, resolution.entity, at=at, limit=limit + 1, begun_when_recorded=blocking, within=within
        )
        facts = knowledge.past_and_future.sort(tx, facts, lambda fact: fact)
        neighbours = store.facts.related(tx, resolution.entity, limit=MAX_RELATED + 1)
    answer = {
        "entity": answer_shapes.entity_in_full(tx, resolution.entity) if resolution.entity else None,
        "facts": [answer_shapes.fact(tx, fact, seen_from=resolution.entity) for fact in facts[:limit]],
        "related_entities": [
            {**answer_shapes.entity(neighbour.entity), "co_occurrence_count": neighbour.shared_facts}
            for neighbour in neighbours[:MAX_RELATED]
        ],
        "resolution": answer_shapes.resolution(resolution),
        "texts": texts,
        **(answer_shapes.other_times(tx, [resolution.entity.row]) if resolution.entity else {}),
        "truncated_facts": len(facts) > limit,
        "truncated_related_entities": len(neighbours) > MAX_RELATED,
        **(answer_shapes.other_groups_if_any(tx) if resolution.entity is None else {}),
    }
    if resolution.entity:
        around = [resolution.entity, *(neighbour.entity for neighbour in neighbours)]
        if due := knowledge.next_steps.due_around(tx, around):
            answer["due"] = due
        answer["total_facts"] = (
            store.facts.count_about(tx, resolution.entity, at=at, begun_when_recorded=blocking, within=within)
            if len(facts) > limit
            else len(facts)
        )
    return brief_shapes.recall(answer) if detail == brief_answers.BRIEF else answer


def _load(tx: Tx) -> None:
    """Load the code and the words that recording a fact needs, which takes longer than recording it."""
    lazy_submodules.load(
        answer_shapes,
        brief_answers,
        brief_shapes,
        *(knowledge.blocker_resolutions, knowledge.entities, knowledge.facts),
        *(knowledge.owner, knowledge.validity),
        *(verification.conflicts, resolution.first_person, first_person, identifiers, phrase_matching),
        *(store.provenance, store.group_conflicts, store.entities, store.facts, store.groups, store.journal),
    )
    graph_vocabulary.read(tx)


@tool(Effect.WRITE, description_suffix=common_words.describe, prepare=_load)
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
    project: str | None = None,
    group: str | None = None,
    always: bool | None = None,
) -> dict[str, Any]:
    """Record one fact: subject, predicate, object. Recall the names first and reuse them.

    Unknown names become new entities (auto_created_entities); possible_duplicates lists similar existing names, and how
    to merge them. Other wordings and inverses are understood (mapped_predicate, mapped_types); a name without a type
    gets the one that the predicate connects. Recording a known fact again adds its source (effect repeated); with
    valid_to, it ends the fact. When something has changed, list the facts that no longer hold in supersedes. To close
    a blocker: its words, what is blocked, or {id: fact_…} resolved_by who or what; see closed_blockers.
    """
    graph_vocabulary.keep(tx)
    answer, recorded = _record(
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
            "project": project,
            "group": group,
            "always": always,
        },
    )
    # Both only inform: no other writer waits until they are found.
    tx.completions.append(lambda tx: _warnings(tx, recorded, compare_names=True))
    return answer


@tool(Effect.WRITE, prepare=_load)
def record_facts(
    tx: Tx,
    *,
    facts: list[Any],
    all_or_nothing: bool = False,
    misfits: str = "refuse",
    idempotency_key: str | None = None,
    detail: str = "full",
) -> dict[str, Any]:
    """Record up to 1000 facts in one call, with the arguments of record_fact; the answer has a result for each.

    An invalid one is refused with its error and the others are recorded, unless all_or_nothing is set.
    New names are checked for duplicates in calls of up to 50 facts.
    """
    request = [facts, all_or_nothing] if misfits == "refuse" else [facts, all_or_nothing, misfits]
    digest = history.request_digest(request) if idempotency_key else ""
    if idempotency_key and (earlier := history.earlier_answer(tx, idempotency_key, digest=digest)):
        answer = {**earlier, "replayed": True}
        return brief_shapes.recorded(answer) if detail == brief_answers.BRIEF else answer
    results: list[dict[str, Any]] = []
    compare_names = len(facts) <= MAX_FACTS_WITH_NAMES_COMPARED
    checked = [_check_fact(fact) for fact in facts]
    valid = [given for given in checked if not isinstance(given, errors.KeepgraphError)]
    verification.conflicts.read_ahead(tx, knowledge.facts.read_ahead(tx, valid))
    for index, arguments in enumerate(checked):
        try:
            with tx.savepoint():
                if isinstance(arguments, errors.KeepgraphError):
                    raise arguments
                result, recorded = _record(tx, arguments, refuse_misfits=misfits == "refuse")
                results.append({**result, **_warnings(tx, recorded, compare_names=compare_names)})
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
        "names_not_compared": 0
        if compare_names
        else sum(len(result.get("auto_created_entities", ())) for result in results),
        "replayed": False,
    }
    if idempotency_key:
        history.store_answer(tx, idempotency_key, answer, digest=digest)
    return brief_shapes.recorded(answer) if detail == brief_answers.BRIEF else answer


def _check_fact(fact: object) -> dict[str, Any] | errors.KeepgraphError:
    """The arguments of one fact of many, or why it is refused."""
    try:
        return validation.check_input("memory", "record_fact", fact, measured=True)
    except errors.KeepgraphError as error:
        return error


def _needs_of_decisions(
    tx: Tx, *, project: str | None = None, topic: str | None = None, **arguments: Any
) -> frozenset[Need]:
    """Vectors of names: to compare decisions with a topic, or to resolve the name of the project."""
    if topic and "embedding" in tx.settings.steps:
        return catalogue.NAME_VECTORS
    return catalogue.to_resolve_project(tx, project=project, **arguments)


@tool(Effect.READ, needs=_needs_of_decisions)
def recall_decisions(
    tx: Tx,
    *,
    project: str | None = None,
    topic: str | None = None,
    since: str | None = None,
    until: str | None = None,
    detail: str = "full",
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """List recorded decisions, newest first, of a project or of all: name, date, who decided, source, followed_up.

    If none fits, use search: a decision may be in a text only.
    """
    if project is not None and not Name(project).key:
        raise errors.ProjectRequired("the project is empty")
    if since:
        _check_date(since, "since", errors.SinceInvalid)
    if until:
        _check_date(until, "until", errors.MomentInvalid)
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    wanted = DecisionFilter(since or "", until or "", (topic or "").strip(), limit=MAX_DECISIONS)
    tx, scope = knowledge.projects.enter_named(tx, project)
    if scope.project:
        decisions, total = knowledge.decisions.of_project(tx, scope.project, wanted)
    elif scope.is_unknown:
        decisions, total = [], 0
    else:
        decisions, total = knowledge.decisions.of_all_projects(tx, wanted)
    answer = {
        **answer_shapes.read_scope(scope),
        "decisions": [
            answer_shapes.decision(tx, decision, names_projects=scope.name is None) for decision in decisions
        ],
        "total": total,
        "truncated": total > len(decisions),
        "since": since or None,
    }
    if scope.is_unknown and scope.resolution:
        answer["hint"] = knowledge.rollup.describe_unknown_project(project or "", scope.resolution)
    return brief_shapes.decisions(answer) if detail == brief_answers.BRIEF else answer


@tool(Effect.READ, needs=catalogue.to_resolve_project)
def weekly_rollup(
    tx: Tx,
    *,
    project: str | None = None,
    detail: str = "full",
    as_of: str | None = None,
    known_at: str | None = None,
) -> dict[str, Any]:
    """Sum up the seven local days that end today, for one project or for all: decisions, open blockers, next actions.

    Answers who or what is blocked, overdue or due soon. to_review: proposals from texts.
    """
    generated_at = timestamps.format_local(tx.at, tx.zone)
    tx = catalogue.to(tx, as_of=as_of, known_at=known_at)
    tx, scope = knowledge.projects.enter_named(tx, project if Name(project or "").key else None)
    if scope.resolution is not None and scope.is_unknown:
        rollup, summary = (
            knowledge.rollup.empty_week(tx),
            knowledge.rollup.describe_unknown_project(scope.label, scope.resolution),
        )
    else:
        rollup = knowledge.rollup.week(tx, project=scope.project)
        summary = knowledge.rollup.summarise(rollup, project=scope.project, group=scope.named_group)
    answer = {
        **answer_shapes.read_scope(scope),
        "period": {"start": rollup.start, "end": rollup.end},
        "summary": summary,
        "narrative": None if scope.is_unknown else _narrative(tx, rollup.end, scope.project),
        "decisions": [answer_shapes.decision(tx, decision) for decision in rollup.decisions],
        "blockers": [answer_shapes.fact(tx, fact) for fact in rollup.blockers],
        "next_actions": list(rollup.next_actions),
        **(_to_review(tx) if scope.name is None and not (as_of or known_at) else {}),
        "totals": {
            "decisions": rollup.decision_count,
            "blockers": rollup.blocker_count,
            "next_actions": rollup.next_action_count,
        },
        "truncated": rollup.decision_count > len(rollup.decisions)
        or rollup.blocker_count > len(rollup.blockers)
        or rollup.next_action_count > len(rollup.next_actions),
        "generated_at": generated_at,
    }
    return brief_shapes.week(answer) if detail == brief_answers.BRIEF else answer


def _to_review(tx: Tx) -> dict[str, Any]:
    """How much waits for a decision, and the first of it; nothing if nothing waits."""
    total = knowledge.next_steps.count_waiting(tx)
    if not total:
        return {}

    return {"to_review": {"total": total, "first": sources.waiting_statements(tx, limit=MAX_TO_REVIEW)}}


@tool(Effect.WRITE)
def remember(
    tx: Tx,
    *,
    text: str,
    source: str = "chat-note",
    project: str | None = None,
    about: list[str] | None = None,
    reference_time: str | None = None,
    narrative_for: str | None = None,
    group: str | None = None,
    always: bool | None = None,
) -> dict[str, Any]:
    """Store a text verbatim, for search. Mentions of known entities are linked.

    New names and plainly worded facts are only proposed, not recorded: pass what is right to record_fact.
    """
    from keepgraph.tools import episodes

    tx = knowledge.scopes.enter_group(tx, group)
    scope = knowledge.projects.find_or_create(tx, project)
    tx = knowledge.projects.enter(tx, scope)
    added = texts.episodes.upsert(
        tx,
        name=texts.episodes.derive_title(text) or source,
        text=text,
        source=source,
        occurred_at=reference_time,
        annotations=[
            *texts.storage.annotations_of_project(scope.project),
            *(texts.storage.annotation(knowledge.owner.substitute(tx, Ref(name=name))) for name in about or ()),
        ],
    )
    texts.episodes.index(tx, [added])
    if always is not None:
        store.scopes.pin_episode(tx, added.episode, pinned=always)
    week = knowledge.rollup.parse_week(tx, narrative_for) if narrative_for else None
    if week:
        knowledge.rollup.keep(tx, added.episode, week=week, project=scope.project)
    description = episodes.describe_added(tx, added)
    return {
        "message": description["message"] + (f"; it is the narrative of week {week}" if week else ""),
        "doc_id": added.episode.id,
        "name": added.episode.name,
        "source": added.episode.source,
        "project": scope.label,
        **answer_shapes.scope(tx, scope, named=about or ()),
        "chunks_added": added.chunks_added,
        "entities_added": 0,
        "entities_merged": 0,
        **{
            field: description[field]
            for field in (
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
        **answer_shapes.filled(narrative_for=week),
    }


@tool(Effect.DESTRUCTIVE)
def forget(tx: Tx, *, what: str, kind: str | None = None, dry_run: bool = False) -> dict[str, Any]:
    """Delete an entity with all facts about it, a fact, a text, or what a call recorded. undo restores it.

    Never guesses: if several fit, or nothing has this name, nothing is deleted and the error lists candidates.
    """
    forgotten = texts.forgetting.forget(tx, what, kind=kind)
    answer = change_answers.describe(forgotten, dry_run=dry_run)
    return {**answer, "dry_run": dry_run}


@tool(Effect.WRITE)
def change(
    tx: Tx,
    *,
    entity: Mapping[str, Any] | None = None,
    name: str | None = None,
    type: str | None = None,
    summary: str | None = None,
    properties: Mapping[str, Any] | None = None,
    add_aliases: list[str] | None = None,
    remove_aliases: list[str] | None = None,
    merge: Mapping[str, Any] | None = None,
    text: str | None = None,
    old: str | None = None,
    new: str | None = None,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Correct an entity: rename, retype, describe, add aliases, merge a duplicate into it; or correct a stored text.

    Ids and facts stay, and old names still find it. Ask the user before merging: dry_run shows what would change.
    If something was true and has changed, use record_fact with valid_to or supersedes instead.
    """
    if entity is not None and text is None and old is None and new is None:
        particulars = {
            "name": name,
            "type": type,
            "summary": summary,
            "properties": properties,
            "add_aliases": add_aliases,
            "remove_aliases": remove_aliases,
        }
        answer = _change_entity(tx, entity, particulars, merge=merge, dry_run=dry_run)
    elif text is not None and all(part is None for part in (entity, type, summary, properties, merge)):
        answer = _correct_text(tx, text, old=old, new=new, title=name, dry_run=dry_run)
    else:
        raise errors.InvalidArguments(
            "it is not clear what to change",
            hint="Give entity with its changes, or text with old and new words.",
        )
    return {**answer, "dry_run": dry_run}


def _change_entity(
    tx: Tx,
    reference: Mapping[str, Any],
    particulars: Mapping[str, Any],
    *,
    merge: Mapping[str, Any] | None,
    dry_run: bool,
) -> dict[str, Any]:
    # Imported here, because no other tool of this toolset needs them.
    from keepgraph.tools import curation

    found = knowledge.entities.find(tx, answer_shapes.ref(reference))
    merged = None
    if merge is not None:
        # Who says which type both have may merge two types.
        across_types = particulars["type"] is not None
        try:
            merged = curation.merge_entities(tx, keep={"id": found.id}, absorb=merge, across_types=across_types)
        except errors.TypesDiffer as error:
            error.hint = "If they are the same thing anyway, also give type: the type of both."
            raise
    updated = None
    if merge is None or any(value is not None for value in particulars.values()):
        updated = curation.update_entity(tx, entity=reference if merge is None else {"id": found.id}, **particulars)
    current = updated["entity"] if updated else answer_shapes.entity_in_full(tx, found)
    return change_answers.of_entity(current, updated=updated, merged=merged, dry_run=dry_run)


def _correct_text(
    tx: Tx, what: str, *, old: str | None, new: str | None, title: str | None, dry_run: bool
) -> dict[str, Any]:
    from keepgraph.tools import episodes

    if new is None and (old is not None or title is None):
        raise errors.InvalidArguments(
            "the new text is missing", hint="Give new, and with old the words that it replaces."
        )
    corrected = texts.corrections.correct(tx, texts.corrections.find(tx, what), old=old, new=new, title=title)
    proposed = [episodes.proposed_fact(proposal) for proposal in corrected.proposed_facts]
    return change_answers.of_text(corrected, proposed_facts=proposed, dry_run=dry_run)


@tool(Effect.WRITE)
def undo(tx: Tx, *, call: int | None = None, change: int | None = None) -> dict[str, Any]:
    """Revert a call, or one change of it, by the numbers in answers; by default the last call.

    Everything can be undone, also forget and undo; refused if something later depends on it.
    """
    if call is not None and change is not None:
        raise errors.InvalidArguments("call and change are both given", hint="Give one of them, or neither.")
    undone = maintenance.undo.undo(tx, call=call, change=change)
    counts = Counter(change.table for change in undone.changes)
    changes = ", ".join(f"{number} × {table}" for table, number in counts.items())
    part = "call" if change is None else "part of call"
    about = maintenance.call_descriptions.describe_number(tx, undone.call)
    rest = f" {undone.purged} changes of it were purged and do not come back." if undone.purged else ""
    if counts.keys() == {"provenance"} and all(change.op == "insert" for change in undone.changes):
        rest += " An earlier call had recorded it, so it stays: undo that call too to remove it."
    return {
        "message": f"Took back {part} {undone.call} ({undone.tool}): "
        f"{about if about and not change else changes}.{rest}",
        "about": about,
        "undone_call": undone.call,
        "tool": undone.tool,
        "at": timestamps.format_local(undone.at, tx.zone),
        "changes": len(undone.changes),
        **answer_shapes.filled(purged=undone.purged),
    }


def _texts_about(tx: Tx, entity: Entity, *, until: str | None) -> dict[str, Any]:
    """How many texts mention an entity, or are about it, and passages of the newest."""
    total = store.mentions.count_episodes_of(tx, entity, until=until)
    if not total:
        return {"total": 0, "newest": []}

    node = node_lookup.Node(entity, tx.group)
    quotes = [
        answer_shapes.quotation(tx, passage.episode, passage.quote)
        for passage in passages.newest(tx, node, until=until, limit=MAX_TEXTS)
    ]
    return {"total": total, "newest": quotes}


def _texts_with_name(tx: Tx, name: Name, *, until: str | None) -> dict[str, Any]:
    """How many texts have a name that nothing has, and passages of the newest."""
    total, found = passages.of_name(tx, name, until=until, limit=MAX_TEXTS)
    quotes = [answer_shapes.quotation(tx, passage.episode, passage.quote) for passage in found]
    return {"total": total, "newest": quotes}


def _narrative(tx: Tx, last_day: str, project: Entity | None) -> dict[str, Any] | None:
    """The narrative of the ISO week in which a rollup ends."""
    narrative = knowledge.rollup.read(tx, knowledge.rollup.week_of(last_day), project=project)
    return answer_shapes.narrative(tx, narrative) if narrative else None


def _record(
    tx: Tx, arguments: Mapping[str, Any], *, refuse_misfits: bool = True
) -> tuple[dict[str, Any], RecordedFact]:
    """Record one fact, from the arguments of record_fact: the answer without its warnings, and what was recorded."""
    object_ = arguments["object"]
    if arguments.get("group"):
        tx = knowledge.scopes.enter_group(tx, arguments["group"])
    result = knowledge.facts.record(
        tx,
        subject=knowledge.owner.substitute(tx, answer_shapes.ref(arguments["subject"])),
        predicate=arguments["predicate"],
        object=(
            object_["literal"] if "literal" in object_ else knowledge.owner.substitute(tx, answer_shapes.ref(object_))
        ),
        source=arguments.get("source"),
        confidence=arguments.get("confidence", 1.0),
        valid_from=arguments.get("valid_from"),
        valid_to=arguments.get("valid_to"),
        aliases=arguments.get("aliases", ()),
        supersedes=arguments.get("supersedes", ()),
        refuse_misfits=refuse_misfits,
    )
    if arguments.get("project") or arguments.get("always") is not None or result.deduplicated:
        result = _set_scope(tx, result, arguments)
    aliases = [*arguments.get("aliases", ()), *([result.alias] if result.alias else ())]
    owner = store.groups.find(tx) if any(map(first_person.is_pronoun, aliases)) else None
    answer = {
        "fact_id": result.fact.id,
        # In a batch, many have the same.
        "recorded_at": tx.cached(at := result.fact.recorded_at, lambda: timestamps.format_local(at, tx.zone)),
        "subject": answer_shapes.entity(result.fact.subject),
        "predicate": result.fact.predicate,
        "object": answer_shapes.object_of_fact(result.fact),
        "deduplicated": result.deduplicated,
        **answer_shapes.validity(tx, result.fact),
        "superseded": [
            {"fact_id": fact.id, "valid_to": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone)}
            for fact in result.superseded
        ],
        "auto_created_entities": [answer_shapes.entity(fact) for fact in result.created],
        "possible_duplicates": [],
        **answer_shapes.effect(tx, result),
        **answer_shapes.mapped_words(result),
        **answer_shapes.alias(tx, result),
        **answer_shapes.filled(owner=owner and answer_shapes.entity(owner)),
    }
    return answer, result


def _set_scope(tx: Tx, recorded: RecordedFact, arguments: Mapping[str, Any]) -> RecordedFact:
    """Where a fact that was just recorded holds, and whether it is always told; a known one is repeated by that."""
    # Read after the fact is recorded, which may be what makes the project known.
    named = arguments.get("project")
    scope = knowledge.scopes.known(tx, named) if named else None
    if scope is not None and scope.project is None and scope.group != tx.group:
        raise errors.ScopeUnknown(f"{named!r} is a group, not a project", hint="Give it as group.")
    project = scope.project if scope else None
    is_changed = knowledge.scopes.add_to_fact(tx, recorded.fact, project, is_new=not recorded.deduplicated)
    if arguments.get("always") is not None:
        is_changed |= store.scopes.pin_fact(tx, recorded.fact, pinned=arguments["always"])
    return replace(recorded, effect="repeated") if is_changed and recorded.effect == "nothing_changed" else recorded


def _warnings(tx: Tx, recorded: RecordedFact, *, compare_names: bool) -> dict[str, Any]:
    """What to tell of a fact that was recorded: names that may mean the same, and what it is in conflict with."""
    duplicates = knowledge.facts.possible_duplicates(tx, recorded.created) if compare_names else ()
    return {
        "possible_duplicates": [
            {
                "new": answer_shapes.entity(new),
                **answer_shapes.candidate(existing),
                "hint": knowledge.entities.describe_merge(existing.entity, new),
            }
            for new, existing in duplicates
        ],
        **answer_shapes.of_recorded(tx, recorded),
    }


def _check_date(text: str, parameter: str, error_class: type[errors.KeepgraphError]) -> None:
    try:
        timestamps.parse_date(text)
    except ValueError as error:
        raise error_class(f"{parameter} is not a calendar date: {text[:60]!r}") from error
