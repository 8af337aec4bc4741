"""Why an entity is in the graph, and what a call did; and first of all, what is asked about."""

from __future__ import annotations

import re

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.maintenance import call_descriptions, history, undo
from keepgraph.engine.provenance import explanations, fact_explanations
from keepgraph.engine.provenance.explanations import (
    MAX_CHANGES,
    MAX_DEPENDENTS,
    MAX_ORIGINS,
    Dependent,
    Explanation,
    Objection,
    Origin,
)
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import node_lookup, passages
from keepgraph.engine.texts import forget_targets
from keepgraph.engine.texts.forget_targets import Target
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
        return fact_explanations.explain(tx, target)
    if isinstance(target, Entity):
        return explain(tx, target)
    if isinstance(target, Episode):
        return fact_explanations.explain_text(tx, target)
    return explain_call(tx, target)
