"""History from the journal: what happened to an entity or a fact, and the calls that were already made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.model import Change, Entity, Event, Fact, Key
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_FACTS = 20_000
"""Of an entity with more facts, the history covers the newest of them."""


def of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[Event]:
    """What happened to an entity, its names and the facts about it, newest first."""
    facts = store.facts.all_about(tx, entity)[-MAX_FACTS:]
    aliases = store.entities.alias_rows(tx, entity)
    created = _insertion_event(tx, "entity", entity.row, entity.created_at, "created", f"{entity.name} ({entity.type})")
    imported = store.transfer.of_rows(tx, "entity", [entity.row])
    aliases_imported = store.transfer.of_rows(tx, "alias", [row for row, _, _ in aliases])
    events = [
        replace(created, imported=imported.get(entity.row)),
        *(
            replace(_insertion_event(tx, "alias", row, at, "alias added", alias), imported=aliases_imported.get(row))
            for row, alias, at in aliases
        ),
        *_assertion_events(tx, facts, limit=limit),
        *_change_events(tx, facts, limit=limit),
        *(_deletion_event(tx, change) for change in store.journal.deletions_of_facts(tx, entity.row, limit=limit)),
        *_own_changes(tx, entity, aliases, limit=limit),
    ]
    return _select_newest(events, limit)


def of_entity_alone(tx: Tx, entity: Entity, *, limit: int) -> list[Event]:
    """What changed an entity and its names since it was created, newest first; its facts are left out."""
    return _select_newest(_own_changes(tx, entity, store.entities.alias_rows(tx, entity), limit=limit), limit)


def of_fact(tx: Tx, fact: Fact, *, limit: int) -> list[Event]:
    """What happened to a fact, newest first."""
    return _select_newest(
        [*_assertion_events(tx, [fact], limit=limit), *_change_events(tx, [fact], limit=limit)], limit
    )


def _own_changes(tx: Tx, entity: Entity, aliases: Sequence[tuple[int, str, str]], *, limit: int) -> list[Event]:
    alias_rows = [row for row, _, _ in aliases]
    return [
        *(
            _event(tx, change, "alias moved here", str((change.before or {}).get("alias", "")))
            for change in store.journal.changes_of_rows(tx, "alias", alias_rows, limit=limit)
            if store.journal.changed_columns(change, store.journal.row_after(tx, change) or {})
        ),
        *(
            _entity_change_event(tx, change)
            for change in store.journal.changes_of_rows(tx, "entity", [entity.row], limit=limit)
        ),
    ]


def _select_newest(events: Sequence[Event], limit: int) -> list[Event]:
    """The newest events, each change once."""
    unique = {event.change or -position: event for position, event in enumerate(events, start=1)}
    return sorted(unique.values(), key=lambda event: (event.at, event.change or 0), reverse=True)[:limit]


def _assertion_events(tx: Tx, facts: Sequence[Fact], *, limit: int) -> list[Event]:
    facts_by_row = {fact.row: fact for fact in facts}
    events = []
    assertions = store.provenance.newest_assertions(tx, list(facts_by_row), limit=limit)
    # The assertion that made a fact is shown as the recording of the fact. The newest come first, so the oldest stays.
    first_assertions = {fact_row: row for row, fact_row, *_ in assertions}
    imported = store.transfer.of_rows(tx, "provenance", [row for row, *_ in assertions])
    for row, fact_row, source, at, tool, session in assertions:
        fact = facts_by_row[fact_row]
        text = knowledge.facts.sentence(fact)
        if row == first_assertions[fact_row] and at == fact.recorded_at:
            event = _insertion_event(tx, "fact", fact.row, at, "recorded", text, source=source, fact=fact.id)
        else:
            event = _insertion_event(tx, "provenance", row, at, "said again", text, source=source, fact=fact.id)
        if row in imported:
            event = replace(event, at=at, tool=tool, session=session, imported=imported[row])
        events.append(event)
    return events


def _change_events(tx: Tx, facts: Sequence[Fact], *, limit: int) -> list[Event]:
    facts_by_row = {fact.row: fact for fact in facts}
    events = []
    for change in store.journal.changes_of_rows(tx, "fact", list(facts_by_row), limit=limit):
        fact = facts_by_row[change.row]
        after = store.journal.row_after(tx, change) or {}
        if store.journal.changed_columns(change, after) <= {"text"}:
            continue  # a name in it has changed
        description = _describe_change(change, after)
        events.append(_event(tx, change, description, knowledge.facts.sentence(fact), fact=fact.id))
    return events


def _describe_change(change: Change, after: Mapping[str, Any]) -> str:
    before = change.before or {}
    if what := describe_fact_change(before, {} if change.op == "delete" else after):
        return what
    if (before.get("subject"), before.get("object")) != (after.get("subject"), after.get("object")):
        return "moved"
    return "changed"


def describe_fact_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What happened to a fact, by its rows before and after: deleted, retracted, ended, or no longer so; or nothing."""
    if not after:
        return "deleted"
    if before.get("retracted_at") != after.get("retracted_at"):
        return "retracted" if after.get("retracted_at") else "no longer retracted"
    if before.get("valid_to") != after.get("valid_to"):
        return "no longer ended" if after.get("valid_to") == "~" else "ended"
    return ""


def _entity_change_event(tx: Tx, change: Change) -> Event:
    """A change of an entity, with what is another now: `renamed`, and `Bob, now Robert`."""
    before, after = change.before or {}, store.journal.row_after(tx, change) or {}
    changed = store.journal.changed_columns(change, after)
    if "name" in changed:
        return _event(tx, change, "renamed", f"{before.get('name')}, now {after.get('name', 'a name that was purged')}")
    if "type" in changed:
        types = (store.journal.current_row(tx, "entity_type", row.get("type", 0)) or {} for row in (before, after))
        old, new = (str(term.get("name", "a type that is gone")) for term in types)
        return _event(tx, change, "type changed", f"{old}, now {new}")
    fields = [field for field in ("summary", "properties") if field in changed]
    return _event(tx, change, "changed", ", ".join(fields) or str(after.get("name", "")))


def _deletion_event(tx: Tx, change: Change) -> Event:
    before = change.before or {}
    return _event(tx, change, "deleted", str(before.get("text", "")), fact=str(before.get("public_id", "")))


def _insertion_event(
    tx: Tx, table: str, row: int, at: str, what: str, text: str, *, source: str | None = None, fact: str | None = None
) -> Event:
    change = store.journal.find_insertion(tx, table, row, at=at)
    if change is None:
        return Event(at, what, text, None, None, None, None, source=source, fact=fact)
    return _event(tx, change, what, text, source=source, fact=fact)


def _event(
    tx: Tx, change: Change, what: str, text: str, *, source: str | None = None, fact: str | None = None
) -> Event:
    at, tool, session = store.journal.find_call(tx, change.call) or ("", None, None)
    return Event(at, what, text, change.id, change.call, tool, session, source=source, fact=fact)


# The age limit of the journal, by which undo ends, and the compaction of the file after it was trimmed.

_CALLS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class TrimmedJournal:
    """How many calls were deleted from the journal, and the oldest that is left: its number and its timestamp."""

    calls: int
    oldest: tuple[int, str] | None


def trim(database: Database, *, days: int | None, now: datetime) -> TrimmedJournal:
    """Delete the calls of the journal that are older than this many days, in short writes; None deletes nothing."""
    deleted = 0
    while days is not None:
        before = timestamps.from_datetime(now - timedelta(days=days))
        with database.read("compact") as tx:
            oldest = store.journal.oldest_call(tx)
        if oldest is None or oldest[1] >= before:
            break
        with database.write("compact") as tx:
            trimmed = store.journal.trim(tx, before=before, limit=_CALLS_AT_ONCE)
            store.transfer.cut_unused(tx)
        if not trimmed:
            break
        deleted += trimmed
    with database.read("compact") as tx:
        return TrimmedJournal(deleted, store.journal.oldest_call(tx))


def compact(graph: Path, *, key: Key | None) -> None:
    """Make the file of a graph as small as it can be.

    Raises:
        errors.GraphBusy: somebody has it open.
        errors.GraphWriteFailed: the disk is full, or the write failed otherwise; the file is as it was.
    """
    with store.copies.lock_and_open(graph, key=key) as conn:
        try:
            store.copies.compact(conn)
        except sqlite.Error as error:
            raise store.sqlite_errors.translate(error, graph, writing=True, cancellation=None) from error


# Idempotency: a request that is sent again with the same key gets the same answer, and changes nothing.


def request_digest(request: Any) -> str:
    """The SHA-256 of a request, to tell a retry from another request with the same key.

    Raises:
        errors.InvalidArguments: it is not JSON.
    """
    try:
        text = json.dumps(request, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.InvalidArguments(
            "a request with an idempotency key must be plain JSON", hint="Send objects, lists, texts and numbers."
        ) from error
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def earlier_answer(tx: Tx, key: str, *, digest: str) -> dict[str, Any] | None:
    """The answer that the request with this idempotency key and digest got before, or None.

    Raises:
        errors.IdempotencyKeyReused: the key came with another request.
    """
    stored = store.journal.find_answer(tx, key)
    if stored is None:
        return None
    stored_digest, answer_json = stored
    if stored_digest != digest:
        raise errors.IdempotencyKeyReused(f"the idempotency key {key[:60]!r} was used for another request")
    answer: dict[str, Any] = json.loads(answer_json)
    return answer


def store_answer(tx: Tx, key: str, answer: dict[str, Any], *, digest: str) -> None:
    store.journal.insert_answer(tx, key, digest=digest, answer=json.dumps(answer, ensure_ascii=False))
