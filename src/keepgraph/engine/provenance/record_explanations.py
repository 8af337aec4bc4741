"""Why an entity, a fact or a text is in the graph: origins, changes, objections, dependents; and what a call did."""

from __future__ import annotations

import re
from dataclasses import replace

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.maintenance import call_descriptions, history, undo
from keepgraph.engine.provenance import explanations
from keepgraph.engine.provenance.explanations import (
    MAX_CHANGES,
    MAX_DEPENDENTS,
    MAX_ORIGINS,
    Confirmation,
    Dependent,
    Explanation,
    Objection,
    Origin,
)
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import node_lookup, passages
from keepgraph.engine.texts import episodes, forget_targets, forgetting
from keepgraph.engine.texts.forget_targets import Target
from keepgraph.engine.verification import conflicts, text_evidence
from keepgraph.engine.verification.text_evidence import TextVerdict
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.language.normalisation import Name
from keepgraph.model import Call, Entity, Episode, Event, Fact, Resolution
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_MAX_TEXTS = 10
_MAX_SOURCES = 20


def explain(tx: Tx, entity: Entity, *, resolution: Resolution | None = None) -> Explanation:
    """Explain an entity.

    Args:
        resolution: how its name was understood, if not written exactly.
    """
    creation, *aliases = _origins(tx, entity)
    events = history.of_entity_alone(tx, entity, limit=500)
    facts = store.neighbourhood.count_facts(tx, entity)
    texts = store.mentions.count_episodes_of(tx, entity, until=None)
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
            for source in store.provenance.sources_of_entity(tx, entity, limit=_MAX_SOURCES)
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
    created_by = store.provenance.inserting_calls(tx, "entity", {entity.row: entity.created_at})
    added_by = store.provenance.inserting_calls(tx, "alias", {row: at for row, _, at in aliases})
    imported = store.transfer.of_rows(tx, "entity", [entity.row])
    imported_aliases = store.transfer.of_rows(tx, "alias", [row for row, _, _ in aliases])
    created = _origin(
        tx, f"created as {entity.type}", entity.created_at, created_by.get(entity.row), _type_note(tx, entity)
    )
    return [
        explanations.mark_imported(tx, created, imported.get(entity.row)),
        *(
            explanations.mark_imported(
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
        explanations.describe_call(tx, call, tool=None),
        note,
    )
    return Origin(
        what, at, tool, session, call, "call" if called else "tool", note=" ".join(part for part in notes if part)
    )


def _type_note(tx: Tx, entity: Entity) -> str:
    is_assumed = entity.row in store.entities.among(tx, [entity.row])
    return "Nobody gave its type: its relations suggest it." if is_assumed else ""


def _statement(tx: Tx, entity: Entity, creation: Origin, *, facts: int, texts: int) -> str:
    day = timestamps.local_date(creation.at, tx.zone)
    by = f" by {creation.tool} (call {creation.call})" if creation.call is not None else ""
    return (
        f"{entity.name} ({entity.type}) was recorded on {day}{by}. {count_noun(facts, 'fact')} and "
        f"{count_noun(texts, 'text')} are about it."
    )


def _dependents(tx: Tx, entity: Entity) -> list[Dependent]:
    """The newest texts that mention it, and what else refers to it; its facts are only counted."""
    node = node_lookup.Node(entity, tx.group)
    dependents = [
        Dependent("text", passage.episode.id, f"{passage.episode.name}: “{passage.quote}”", "mentions it")
        for passage in passages.newest(tx, node, until=None, limit=_MAX_TEXTS)
    ]
    dependents += [
        Dependent("community", community.id, community.name, "has it as a member")
        for community in store.communities.of_entities(tx, [entity.row]).get(entity.row, [])
    ]
    if store.groups.find(tx) == entity:
        dependents.append(Dependent("owner", None, "“me” in this graph", "means it"))
    if count := store.episodes.count_of_project(tx, entity):
        dependents.append(Dependent("narrative", None, f"{count:,} narratives of weeks", "are about it"))
    return dependents


# What a call did, its conversation, whether it can be undone, and what has changed it since.


def explain_call(tx: Tx, number: int) -> Explanation:
    """Explain a call by its number.

    Raises:
        errors.ChangeNotFound: the log has no call of the group with this number.
    """
    calls = store.journal.list_calls(tx, limit=1, only=number)
    if not calls:
        raise _not_found(tx, number)
    call = calls[0]
    did = _what_it_did(tx, call)
    later = _later_calls(tx, call)
    obstacle = None if call.undone_by is not None else undo.find_obstacle(tx, call)
    possible, note = _can_be_undone(call, obstacle)
    about = call_descriptions.describe(tx, call)
    return Explanation(
        "call",
        f"call {number}",
        about or call.tool,
        _call_statement(tx, call, about, note),
        state="undone" if call.undone_by is not None else "done",
        origins=(
            Origin(
                "called",
                call.at,
                call.tool,
                call.session,
                call.id,
                "conversation" if call.session else "call",
                decisions=tuple(store.review_proposals.of_call(tx, call.id)),
            ),
        ),
        changes=tuple(later[:MAX_CHANGES]),
        dependents=tuple(did[:MAX_DEPENDENTS]),
        totals={
            "origins": 1,
            "changes": len(later),
            "dependents": max(len(did), _count_recorded(tx, call) if len(did) >= MAX_DEPENDENTS else 0),
            "rows_changed": call.change_count,
            **{f"rows_of_{table}": count for table, count in sorted(call.row_counts.items())},
        },
        can_be_undone=possible,
        undo_note=note,
    )


def _not_found(tx: Tx, number: int) -> errors.ChangeNotFound:
    oldest = store.journal.oldest_call(tx)
    if oldest is not None and number < oldest[0]:
        day = timestamps.local_date(oldest[1], tx.zone)
        return errors.ChangeNotFound(
            f"call {number} is no longer in the log, which begins with call {oldest[0]} of {day}",
            hint="What it recorded may still be there: ask about the fact, the entity or the text.",
        )
    return errors.ChangeNotFound(
        f"there is no call {number} that changed anything in group {tx.group!r}",
        hint="`kg log` lists the calls that changed something, with their numbers.",
    )


def _what_it_did(tx: Tx, call: Call) -> list[Dependent]:
    """The facts, entities and texts that it recorded and that still exist, and the facts that it ended."""
    rows = {
        table: store.provenance.rows_inserted_by_call(tx, call.id, table, limit=MAX_DEPENDENTS)
        for table in ("fact", "entity", "episode")
    }
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, _existing(tx, "fact", rows["fact"]))}
    entities = store.entities.by_rows(tx, rows["entity"])
    texts = store.episodes.by_rows(tx, rows["episode"])
    ended = store.provenance.facts_ended_by_call(tx, call.id, limit=MAX_DEPENDENTS)
    return [
        *(Dependent("fact", facts[row].id, knowledge.facts.sentence(facts[row]), "recorded") for row in facts),
        *(
            Dependent("fact", fact.id, knowledge.facts.sentence(fact), "ended")
            for fact in store.facts.by_rows(tx, [row for row in ended if row not in facts])
        ),
        *(
            Dependent("entity", entity.id, f"{entity.name} ({entity.type})", "created")
            for entity in (entities[row] for row in rows["entity"] if row in entities)
        ),
        *(Dependent("text", texts[row].id, texts[row].name, "stored") for row in rows["episode"] if row in texts),
    ]


def _count_recorded(tx: Tx, call: Call) -> int:
    """How many facts, entities and texts it recorded, among its first changes; some may be gone."""
    return sum(
        store.journal.count_rows_changed(tx, call.id, table, "insert") for table in ("fact", "entity", "episode")
    )


def _existing(tx: Tx, table: str, rows: list[int]) -> list[int]:
    return [row for row in rows if store.journal.current_row(tx, table, row) is not None]


def _later_calls(tx: Tx, call: Call) -> list[Event]:
    """The calls that changed the same rows since, newest first, each with its subject."""
    events = []
    for number in store.provenance.later_calls(tx, call.id, limit=MAX_CHANGES + 1):
        called = store.journal.find_call(tx, number)
        if called is not None:
            about = call_descriptions.describe_number(tx, number)
            events.append(Event(called[0], "changed since", about, None, number, called[1], called[2]))
    return events


def _can_be_undone(call: Call, obstacle: undo.Obstacle | None) -> tuple[bool | None, str]:
    if call.undone_by is not None:
        return False, f"Call {call.undone_by} undid it."
    if obstacle is None:
        return True, "Undo can revert it."
    return (None if obstacle.is_open else False), obstacle.reason


def _call_statement(tx: Tx, call: Call, about: str, note: str) -> str:
    day = timestamps.local_date(call.at, tx.zone)
    where = f" in the conversation {call.session}" if call.session else ""
    of_undo = f", which undid call {call.undoes}" if call.undoes is not None else ""
    what = f": {about}" if about and not of_undo else ""
    return f"Call {call.id} was made on {day} by {call.tool}{where}{of_undo}{what}. {note}"


# The one fact, entity, text or call that somebody asks about, and its explanation.

_NUMBER = re.compile(r"#?\d{1,18}")
_NAMED_AS_A_TEXT = (
    {forget_targets.ENTITY, forget_targets.TEXT},
    {forget_targets.FACT, forget_targets.TEXT},
)
_NOT_FOUND = (errors.EntityNotFound, errors.FactNotFound, errors.EpisodeNotFound)


def explain_anything(tx: Tx, what: str, *, kind: str | None = None) -> Explanation:
    """Explain what is meant: by its id, its name or alias, its sentence, its title, or "call 12".

    A name similar to just one entity's is taken for it, and the explanation says so.

    Raises:
        errors.Ambiguous: several things fit; they are the candidates.
        errors.EntityNotFound, FactNotFound, EpisodeNotFound, ChangeNotFound: none fits; similar ones are candidates.
    """
    try:
        return _explain(tx, _find(tx, what, kind))
    except _NOT_FOUND as error:
        if kind is None and _NUMBER.fullmatch(what.strip()):
            return explain_call(tx, int(what.strip().lstrip("#")))
        name = Name(what)
        resolution = resolver.resolve(tx, name) if kind in (None, forget_targets.ENTITY) and name.key else None
        if resolution is not None and resolution.entity is not None:
            return explain(tx, resolution.entity, resolution=resolution)
        raise type(error)(
            f"no {kind or 'entity, fact, text or call'} is called {what.strip()[:60]!r}",
            hint="If you mean a candidate, pass its id."
            if error.candidates
            else (resolution.hint if resolution is not None and resolution.hint else error.hint),
            candidates=error.candidates,
        ) from None


def _find(tx: Tx, what: str, kind: str | None) -> Target:
    """What is meant; a name means the entity, and a sentence the fact, even if a text has that name.

    Raises:
        errors.KeepgraphError: see `explain`.
    """
    try:
        return forget_targets.find(tx, what, kind=kind)
    except errors.Ambiguous as error:
        kinds = [candidate.get("kind") for candidate in error.candidates]
        if kind is None and set(kinds) in _NAMED_AS_A_TEXT:
            (preferred,) = set(kinds) - {forget_targets.TEXT}
            if kinds.count(preferred) == 1:
                return forget_targets.find(tx, what, kind=preferred)
        raise errors.Ambiguous(
            f"several things are called {what.strip()[:60]!r}",
            hint="Pass the id of the one you mean, or its kind.",
            candidates=error.candidates,
        ) from None


def _explain(tx: Tx, target: Target) -> Explanation:
    if isinstance(target, Fact):
        return explain_fact(tx, target)
    if isinstance(target, Entity):
        return explain(tx, target)
    if isinstance(target, Episode):
        return explain_text(tx, target)
    return explain_call(tx, target)


_ASSERTION_EVENTS = ("recorded", "said again")
_MAX_OTHER_TIMES = 5


def explain_fact(tx: Tx, fact: Fact) -> Explanation:
    """Explain a fact, even an ended or retracted one."""
    origins = explanations.of_fact(tx, fact, limit=MAX_ORIGINS)
    events = [event for event in history.of_fact(tx, fact, limit=500) if event.kind not in _ASSERTION_EVENTS]
    changes = [_with_cause(tx, event) for event in events[:MAX_CHANGES]]
    said = _said_by_texts(tx, fact)
    objections = [] if fact.retracted_at else _objections(tx, fact, said)
    dependents = _dependents_of_fact(tx, fact, origins)
    state = _state(tx, fact)
    total = store.provenance.count_assertions(tx, fact.row)
    return Explanation(
        "fact",
        fact.id,
        knowledge.facts.sentence(fact),
        _fact_statement(tx, fact, state, origins, total=total, objections=objections),
        state=state,
        origins=tuple(origins),
        changes=tuple(changes),
        objections=tuple(objections),
        confirmation=Confirmation(said.sentence, said.source) if said.verdict == "says" else None,
        dependents=tuple(dependents[:MAX_DEPENDENTS]),
        totals={
            "origins": total,
            "changes": len(events),
            "objections": len(objections),
            "dependents": len(dependents),
        },
    )


def describe_origin(tx: Tx, origin: Origin) -> str:
    """An origin in a few words: its day, its tool, its text or source."""
    day = timestamps.local_date(origin.at, tx.zone)
    by = f" by {origin.tool}" if origin.tool else ""
    # For an import the number is that of the call that brought it here, not of the tool's call.
    call = ""
    file = f" from “{origin.imported.file}”" if origin.imported and origin.imported.file else ""
    if origin.call is not None:
        call = f" (brought here{file} by call {origin.call})" if origin.note else f" (call {origin.call})"
    elif origin.imported is not None:
        call = f" (brought here{file} by an import on {timestamps.local_date(origin.imported.at, tx.zone)})"
    where = ""
    if origin.passage is not None:
        where = f", from the text “{origin.passage.episode.name}”"
    elif origin.source:
        where = f", from “{origin.source}”"
    elif origin.session:
        where = f", in the conversation {origin.session}"
    return f"on {day}{by}{call}{where}"


def _state(tx: Tx, fact: Fact) -> str:
    now = tx.at
    if fact.retracted_at:
        return "retracted"
    if fact.valid_from is not None and fact.valid_from > now:
        return "not_yet"
    return "holds" if knowledge.validity.holds_at(fact, now) else "ended"


def _fact_statement(
    tx: Tx, fact: Fact, state: str, origins: list[Origin], *, total: int, objections: list[Objection]
) -> str:
    sentence = knowledge.facts.sentence(fact).rstrip(".")
    if state == "retracted":
        holds = f"It was retracted on {timestamps.local_date(fact.retracted_at or '', tx.zone)}"
    elif state == "ended":
        holds = f"It ended on {timestamps.local_date(fact.valid_to or '', tx.zone)}"
    elif state == "not_yet":
        holds = f"It begins on {timestamps.local_date(fact.valid_from or '', tx.zone)}"
    else:
        holds = "It holds"
    if not origins:
        return f"{sentence}. {holds}. No assertion of it is left, so its origin is unknown."
    more = f", and {total - 1:,} more times" if total > 2 else ", and once more" if total == 2 else ""
    against = f" {count_noun(len(objections), 'thing')} may contradict it."
    return (
        f"{sentence}. {holds}. It was recorded {describe_origin(tx, origins[0])}{more}.{against if objections else ''}"
    )


def _with_cause(tx: Tx, event: Event) -> Event:
    """A change with what its call was about, if that was more than this fact."""
    about = call_descriptions.describe_number(tx, event.call) if event.call is not None else ""
    is_news = about and not about.startswith(event.text)
    return replace(event, text=f"{event.text}: {about}" if is_news else event.text)


def _said_by_texts(tx: Tx, fact: Fact) -> TextVerdict:
    target = fact.object or fact.literal or ""
    return text_evidence.judge(tx, subject=fact.subject, predicate=fact.predicate, object=target)


def _objections(tx: Tx, fact: Fact, said: TextVerdict) -> list[Objection]:
    objections = [
        Objection(found.kind, found.statement, found.facts, None, found.tool, found.arguments)
        for found in conflicts.of_fact(tx, fact)
    ]
    if said.verdict in ("denies", "uncertain"):
        kind = "text_denies" if said.verdict == "denies" else "text_unsure"
        objections.append(Objection(kind, f"{said.reason.rstrip('.')}: “{said.sentence}”", text=said.source))
    predicate = graph_vocabulary.read(tx).predicate_by_name[fact.predicate]
    others = [other for other in store.facts.intervals_of_triple(tx, fact, predicate.row) if other.row != fact.row]
    for other in others[-_MAX_OTHER_TIMES:]:
        objections.append(
            Objection("other_validity", f"The same is recorded for another time: {_times(tx, other)}.", (other,))
        )
    return objections


def _times(tx: Tx, fact: Fact) -> str:
    start = f"from {timestamps.local_date(fact.valid_from, tx.zone)}" if fact.valid_from else "from an unknown day"
    return f"{start} until {timestamps.local_date(fact.valid_to, tx.zone)}" if fact.valid_to else f"{start} on"


def _dependents_of_fact(tx: Tx, fact: Fact, origins: list[Origin]) -> list[Dependent]:
    dependents = [
        Dependent("fact", ended.id, knowledge.facts.sentence(ended), "ended by it")
        for ended in _ended_by(tx, fact, origins)
    ]
    dependents += [
        Dependent("proposal", proposal.id, proposal.statement, "waits for review")
        for proposal in store.review_proposals.resting_on(tx, fact.id)
    ]
    dependents += [
        Dependent("review", None, decision.statement, decision.decision)
        for decision in store.review_proposals.decisions_resting_on(tx, fact.id, limit=MAX_DEPENDENTS)
    ]
    return dependents


def _ended_by(tx: Tx, fact: Fact, origins: list[Origin]) -> list[Fact]:
    """The facts that ended in a call that asserted this one: those it superseded, and the blockers it resolved.

    For a call that recorded several facts, those that share an end with this one.
    """
    ended: dict[int, Fact] = {}
    for call in {origin.call for origin in origins if origin.call is not None}:
        rows = store.provenance.facts_ended_by_call(tx, call, limit=MAX_DEPENDENTS)
        is_alone = len(store.provenance.rows_inserted_by_call(tx, call, "provenance", limit=2)) < 2
        for other in store.facts.by_rows(tx, rows):
            if other.row != fact.row and (is_alone or _ends(fact) & _ends(other)):
                ended[other.row] = other
    return list(ended.values())


def _ends(fact: Fact) -> set[int]:
    return {fact.subject.row, *({fact.object.row} if fact.object else ())}


# Why a text is in the graph, and what would be deleted with it. This deletes nothing.

_DELETED_WITH_IT = "would be deleted with it"


def explain_text(tx: Tx, episode: Episode) -> Explanation:
    """Explain a text. Dependents list first what nothing else supports, then what stays, with the reason."""
    tx = replace(tx, group=episode.group)
    deletion = forgetting.plan(tx, episode)
    names, facts = episodes.open_proposals(tx, episode)
    waiting = store.proposals.facts_of_episode(tx, episode.row)
    reviews = store.review_proposals.resting_on(tx, episode.id)
    mentions = store.mentions.count_in_episodes(tx, [episode.row])
    dependents = [
        *(_dependent(fact, _DELETED_WITH_IT) for fact in _current(deletion)),
        *(_dependent(entity, _DELETED_WITH_IT) for entity in deletion.entities),
        *(_dependent(kept.object, f"stays: {kept.reason}") for kept in deletion.kept),
        *(
            Dependent("proposal", fact.id, f"{fact.subject} {fact.wording} {fact.object}", _DELETED_WITH_IT)
            for fact in waiting
        ),
        *(Dependent("proposal", proposal.id, proposal.statement, "depends on it") for proposal in reviews),
    ]
    changes = _changes(tx, episode)
    return Explanation(
        "text",
        episode.id,
        episode.name,
        _text_statement(tx, episode, deletion),
        type=episode.kind,
        origins=(_origin_of_text(tx, episode),),
        changes=tuple(changes[:MAX_CHANGES]),
        dependents=tuple(dependents[:MAX_DEPENDENTS]),
        totals={
            "origins": 1,
            "changes": len(changes),
            "dependents": len(dependents),
            "facts_that_fall": len(_current(deletion)),
            "entities_that_fall": len(deletion.entities),
            "assertions_that_fall": deletion.assertions,
            "stay": len(deletion.kept),
            "mentions": mentions,
            "parts": deletion.chunks,
            "proposed_names": len(names),
            "proposed_facts": len(facts) + len(waiting),
        },
    )


def _current(deletion: forgetting.DeletedEpisode) -> list[Fact]:
    """The facts that would fall: retracted ones already have."""
    return [fact for fact in deletion.facts if not fact.retracted_at]


def _dependent(thing: Fact | Entity, effect: str) -> Dependent:
    if isinstance(thing, Fact):
        return Dependent("fact", thing.id, knowledge.facts.sentence(thing), effect)
    return Dependent("entity", thing.id, f"{thing.name} ({thing.type})", effect)


def _origin_of_text(tx: Tx, episode: Episode) -> Origin:
    call = store.provenance.inserting_calls(tx, "episode", {episode.row: episode.recorded_at}).get(episode.row)
    called = store.journal.find_call(tx, call) if call is not None else None
    return Origin(
        "stored",
        episode.recorded_at,
        called[1] if called else None,
        called[2] if called else None,
        call,
        "named_source" if episode.source else "call" if called else "tool",
        source=episode.source or None,
        note=explanations.describe_call(tx, call, tool=None),
    )


def _changes(tx: Tx, episode: Episode) -> list[Event]:
    """What has changed the text or its name since, newest first."""
    events = []
    for change in store.journal.changes_of_rows(tx, "episode", [episode.row], limit=MAX_CHANGES + 1):
        called = store.journal.find_call(tx, change.call)
        if called is not None:
            about = call_descriptions.describe_number(tx, change.call)
            events.append(Event(called[0], "changed", about, change.id, change.call, called[1], called[2]))
    return events


def _text_statement(tx: Tx, episode: Episode, deletion: forgetting.DeletedEpisode) -> str:
    day = timestamps.local_date(episode.recorded_at, tx.zone)
    facts, entities = len(_current(deletion)), len(deletion.entities)
    stay = sum(isinstance(kept.object, Fact) for kept in deletion.kept)
    falls = (
        "nothing would be deleted with it"
        if not facts and not entities
        else f"{count_noun(facts, 'fact')} and {count_noun(entities, 'entity')} that "
        "nothing else supports would be deleted with it"
    )
    stays = f"; {stay:,} of its facts would stay, because others say them too" if stay else ""
    return f"“{episode.name}” was stored on {day}. If it were deleted, {falls}{stays}."
