"""Why a text is in the graph, and what would fall if it were deleted. Nothing is deleted to learn that."""

from __future__ import annotations

from dataclasses import replace

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.provenance import assertion_chains
from keepgraph.engine.provenance.explanations import MAX_CHANGES, MAX_DEPENDENTS, Dependent, Explanation, Origin
from keepgraph.engine.texts import episode_context, episode_deletion
from keepgraph.engine.upkeep import call_descriptions
from keepgraph.english import count_noun
from keepgraph.model import Entity, Episode, Event, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

FALLS = "falls with it"


def explain(tx: Tx, episode: Episode) -> Explanation:
    """Explain a text. What nothing else supports is among the dependents first, then what stays, with the reason."""
    tx = replace(tx, group=episode.group)
    deletion = episode_deletion.plan(tx, episode)
    names, facts = episode_context.open_proposals(tx, episode)
    waiting = store.proposed_facts.of_episode(tx, episode.row)
    reviews = store.review_proposals.resting_on(tx, episode.id)
    mentions = store.mentions.count_in_episodes(tx, [episode.row])
    dependents = [
        *(_dependent(fact, FALLS) for fact in _current(deletion)),
        *(_dependent(entity, FALLS) for entity in deletion.entities),
        *(_dependent(kept.object, f"stays: {kept.reason}") for kept in deletion.kept),
        *(Dependent("proposal", fact.id, f"{fact.subject} {fact.wording} {fact.object}", FALLS) for fact in waiting),
        *(Dependent("proposal", proposal.id, proposal.statement, "rests on it") for proposal in reviews),
    ]
    changes = _changes(tx, episode)
    return Explanation(
        "text",
        episode.id,
        episode.name,
        _statement(tx, episode, deletion),
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


def _current(deletion: episode_deletion.DeletedEpisode) -> list[Fact]:
    """The facts that would fall: what was retracted has fallen already."""
    return [fact for fact in deletion.facts if not fact.retracted_at]


def _dependent(thing: Fact | Entity, effect: str) -> Dependent:
    if isinstance(thing, Fact):
        return Dependent("fact", thing.id, knowledge.facts.sentence(thing), effect)
    return Dependent("entity", thing.id, f"{thing.name} ({thing.type})", effect)


def _origin(tx: Tx, episode: Episode) -> Origin:
    call = store.provenance_lookups.inserting_calls(tx, "episode", {episode.row: episode.recorded_at}).get(episode.row)
    called = store.journal.find_call(tx, call) if call is not None else None
    return Origin(
        "stored",
        episode.recorded_at,
        called[1] if called else None,
        called[2] if called else None,
        call,
        "named_source" if episode.source else "call" if called else "tool",
        source=episode.source or None,
        note=assertion_chains.describe_call(tx, call, tool=None),
    )


def _changes(tx: Tx, episode: Episode) -> list[Event]:
    """What changed the text or its name since, newest first."""
    events = []
    for change in store.journal.changes_of_rows(tx, "episode", [episode.row], limit=MAX_CHANGES + 1):
        called = store.journal.find_call(tx, change.call)
        if called is not None:
            about = call_descriptions.describe_number(tx, change.call)
            events.append(Event(called[0], "changed", about, change.id, change.call, called[1], called[2]))
    return events


def _statement(tx: Tx, episode: Episode, deletion: episode_deletion.DeletedEpisode) -> str:
    day = timestamps.local_date(episode.recorded_at, tx.zone)
    facts, entities = len(_current(deletion)), len(deletion.entities)
    stay = sum(isinstance(kept.object, Fact) for kept in deletion.kept)
    falls = (
        "nothing would fall with it"
        if not facts and not entities
        else f"{count_noun(facts, 'fact')} and {count_noun(entities, 'entity')} that "
        "nothing else supports would fall with it"
    )
    stays = f"; {stay:,} of its facts would stay, for others say them too" if stay else ""
    return f"“{episode.name}” was stored on {day}. If it were deleted, {falls}{stays}."
