"""What happened to an entity or a fact: what, when, by which tool, from which source. Reads the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.model import Change, Entity, Event, Fact
from keepgraph.store.database import Tx

MOST_FACTS = 20_000


def of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[Event]:
    """What happened to an entity, its names and the facts about it, newest first."""
    known = store.facts.every_about(tx, entity)[-MOST_FACTS:]
    rows = store.entities.alias_rows(tx, entity)
    events = [
        _brought(tx, "entity", entity.row, entity.created_at, "created", f"{entity.name} ({entity.type})"),
        *(_brought(tx, "alias", row, at, "alias added", alias) for row, alias, at in rows),
        *_assertions(tx, known, limit=limit),
        *_changed_facts(tx, known, limit=limit),
        *(_deleted_fact(tx, change) for change in store.journal.deleted_facts(tx, entity.row, limit=limit)),
        *(
            _changed_alias(tx, change)
            for change in store.journal.of_rows(tx, "alias", [row[0] for row in rows], limit=limit)
        ),
        *(
            _event(tx, each, "changed", entity.name)
            for each in store.journal.of_rows(tx, "entity", [entity.row], limit=limit)
        ),
    ]
    return _newest_first(events, limit)


def of_fact(tx: Tx, fact: Fact, *, limit: int) -> list[Event]:
    """What happened to a fact, newest first."""
    return _newest_first([*_assertions(tx, [fact], limit=limit), *_changed_facts(tx, [fact], limit=limit)], limit)


def _newest_first(events: Sequence[Event], limit: int) -> list[Event]:
    once = {event.change or -place: event for place, event in enumerate(events, start=1)}
    return sorted(once.values(), key=lambda event: (event.at, event.change or 0), reverse=True)[:limit]


def _assertions(tx: Tx, known: Sequence[Fact], *, limit: int) -> list[Event]:
    by_row = {fact.row: fact for fact in known}
    found = []
    said = store.provenance.assertions_about(tx, list(by_row), limit=limit)
    first = {fact_row: row for row, fact_row, _, _ in said}  # the newest come first
    for row, fact_row, source, at in said:
        fact = by_row[fact_row]
        text = knowledge.facts.sentence(fact)
        if row == first[fact_row] and at == fact.recorded_at:
            found.append(_brought(tx, "fact", fact.row, at, "recorded", text, source=source, fact=fact.id))
        else:
            found.append(_brought(tx, "provenance", row, at, "said again", text, source=source, fact=fact.id))
    return found


def _changed_facts(tx: Tx, known: Sequence[Fact], *, limit: int) -> list[Event]:
    by_row = {fact.row: fact for fact in known}
    found = []
    for change in store.journal.of_rows(tx, "fact", list(by_row), limit=limit):
        fact = by_row[change.row]
        left = store.journal.next_of_row(tx, change)
        now = (left.was if left else store.journal.current(tx, "fact", change.row)) or {}
        what = _what_changed(change, now)
        found.append(_event(tx, change, what, knowledge.facts.sentence(fact), fact=fact.id))
    return found


def _what_changed(change: Change, now: Mapping[str, Any]) -> str:
    was = change.was or {}
    if change.op == "delete":
        return "deleted"
    if was.get("retracted_at") != now.get("retracted_at"):
        return "retracted" if now.get("retracted_at") else "no longer retracted"
    if was.get("valid_to") != now.get("valid_to"):
        return "no longer ended" if now.get("valid_to") == "~" else "ended"
    if (was.get("subject"), was.get("object")) != (now.get("subject"), now.get("object")):
        return "moved"
    return "changed"


def _deleted_fact(tx: Tx, change: Change) -> Event:
    was = change.was or {}
    return _event(tx, change, "deleted", str(was.get("text", "")), fact=str(was.get("public_id", "")))


def _changed_alias(tx: Tx, change: Change) -> Event:
    return _event(tx, change, "alias moved here", str((change.was or {}).get("alias", "")))


def _brought(
    tx: Tx, table: str, row: int, at: str, what: str, text: str, *, source: str | None = None, fact: str | None = None
) -> Event:
    change = store.journal.insertion(tx, table, row, at=at)
    if change is None:
        return Event(at, what, text, None, None, None, None, source=source, fact=fact)
    return _event(tx, change, what, text, source=source, fact=fact)


def _event(
    tx: Tx, change: Change, what: str, text: str, *, source: str | None = None, fact: str | None = None
) -> Event:
    at, tool, session = store.journal.made(tx, change.call) or ("", None, None)
    return Event(at, what, text, change.id, change.call, tool, session, source=source, fact=fact)
