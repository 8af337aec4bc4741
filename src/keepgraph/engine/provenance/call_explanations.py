"""What a call did, from which conversation it came, whether it can be taken back, and what has changed it since."""

from __future__ import annotations

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.provenance.explanations import MAX_CHANGES, MAX_DEPENDENTS, Dependent, Explanation, Origin
from keepgraph.engine.upkeep import call_descriptions, undo
from keepgraph.model import Call, Event
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


def explain(tx: Tx, number: int) -> Explanation:
    """Explain a call by its number.

    Raises:
        errors.ChangeNotFound: no call of the group with this number is in the log.
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
        _statement(tx, call, about, note),
        state="undone" if call.undone_by is not None else "done",
        origins=(
            Origin(
                "called",
                call.at,
                call.tool,
                call.session,
                call.id,
                "conversation" if call.session else "call",
                decisions=tuple(store.review_decisions.of_call(tx, call.id)),
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
            f"call {number} is not in the log any more, which begins with call {oldest[0]} of {day}",
            hint="What it recorded may still be there: ask about the fact, the entity or the text.",
        )
    return errors.ChangeNotFound(
        f"there is no call {number} that changed anything in group {tx.group!r}",
        hint="`kg log` lists the calls that changed something, with their numbers.",
    )


def _what_it_did(tx: Tx, call: Call) -> list[Dependent]:
    """The facts, entities and texts that it recorded and that are still there, and the facts that it ended."""
    rows = {
        table: store.provenance_lookups.rows_inserted_by_call(tx, call.id, table, limit=MAX_DEPENDENTS)
        for table in ("fact", "entity", "episode")
    }
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, _existing(tx, "fact", rows["fact"]))}
    entities = store.entities.by_rows(tx, rows["entity"])
    texts = store.episodes.by_rows(tx, rows["episode"])
    ended = store.provenance_lookups.facts_ended_by_call(tx, call.id, limit=MAX_DEPENDENTS)
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
    """How many facts, entities and texts it recorded, among its first changes; some may be gone by now."""
    return sum(
        store.journal.count_rows_changed(tx, call.id, table, "insert") for table in ("fact", "entity", "episode")
    )


def _existing(tx: Tx, table: str, rows: list[int]) -> list[int]:
    return [row for row in rows if store.journal.current_row(tx, table, row) is not None]


def _later_calls(tx: Tx, call: Call) -> list[Event]:
    """The calls that changed the same rows since, newest first, each with what it was about."""
    events = []
    for number in store.provenance_lookups.later_calls(tx, call.id, limit=MAX_CHANGES + 1):
        called = store.journal.find_call(tx, number)
        if called is not None:
            about = call_descriptions.describe_number(tx, number)
            events.append(Event(called[0], "changed since", about, None, number, called[1], called[2]))
    return events


def _can_be_undone(call: Call, obstacle: undo.Obstacle | None) -> tuple[bool | None, str]:
    if call.undone_by is not None:
        return False, f"Call {call.undone_by} took it back."
    if obstacle is None:
        return True, "Undo can take it back."
    return (None if obstacle.is_open else False), obstacle.reason


def _statement(tx: Tx, call: Call, about: str, note: str) -> str:
    day = timestamps.local_date(call.at, tx.zone)
    where = f" in the conversation {call.session}" if call.session else ""
    of_undo = f", which took back call {call.undoes}" if call.undoes is not None else ""
    what = f": {about}" if about and not of_undo else ""
    return f"Call {call.id} was made on {day} by {call.tool}{where}{of_undo}{what}. {note}"
