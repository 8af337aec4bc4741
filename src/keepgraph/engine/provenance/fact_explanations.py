"""Why a fact or a text is in the graph: its origins and changes, what contradicts it, and what depends on it."""

from __future__ import annotations

from dataclasses import replace

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.maintenance import call_descriptions, history
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
from keepgraph.engine.texts import episodes, forgetting
from keepgraph.engine.verification import conflicts, text_evidence
from keepgraph.engine.verification.text_evidence import TextVerdict
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.model import Entity, Episode, Event, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_ASSERTION_EVENTS = ("recorded", "said again")
_MAX_OTHER_TIMES = 5


def explain(tx: Tx, fact: Fact) -> Explanation:
    """Explain a fact, even an ended or retracted one."""
    origins = explanations.of_fact(tx, fact, limit=MAX_ORIGINS)
    events = [event for event in history.of_fact(tx, fact, limit=500) if event.kind not in _ASSERTION_EVENTS]
    changes = [_with_cause(tx, event) for event in events[:MAX_CHANGES]]
    said = _said_by_texts(tx, fact)
    objections = [] if fact.retracted_at else _objections(tx, fact, said)
    dependents = _dependents(tx, fact, origins)
    state = _state(tx, fact)
    total = store.provenance.count_assertions(tx, fact.row)
    return Explanation(
        "fact",
        fact.id,
        knowledge.facts.sentence(fact),
        _statement(tx, fact, state, origins, total=total, objections=objections),
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


def _statement(
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


def _dependents(tx: Tx, fact: Fact, origins: list[Origin]) -> list[Dependent]:
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
        origins=(_origin(tx, episode),),
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


def _origin(tx: Tx, episode: Episode) -> Origin:
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
