"""Undo: reverts the changes of a call, or one of its changes, and refuses where a later change depends on it.

A change is reverted by giving the row the state it had before. That is safe as long as the row is still in the state
in which the change left it, and no row refers to a row that has to be deleted (ADR 0013). What undo does is journalled
like every call, so it can be undone in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.model import Call, Change
from keepgraph.store.transactions import Tx

MAX_CHANGES_CHECKED = 2_000
"""For a call with more changes, `find_obstacle` does not look for what prevents its undo."""

_MAX_BLOCKING_CALLS = 5
_RECORDED_UNDER_NAME = "something was recorded later under a name that would go back to the entity that was merged"


@dataclass(frozen=True, slots=True)
class Undone:
    """What was undone: the call, its tool and timestamp, and the changes, newest first.

    Attributes:
        purged: how many changes of it were left out, because what they changed was purged.
    """

    call: int
    tool: str
    at: str
    changes: tuple[Change, ...]
    purged: int = 0


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a call cannot be undone, in a sentence. `is_open`: it is too large to tell, and may be undone after all."""

    reason: str
    is_open: bool = False


def undo(tx: Tx, *, call: int | None = None, change: int | None = None) -> Undone:
    """Undo a call, or one change and those that belong to it; else the last call that was not undone yet.

    Raises:
        errors.ChangeNotFound: there is no such call or change in this group, or it was undone already.
        errors.LaterChanges: a later change depends on it.
        errors.Purged: all of it was purged, or an earlier version to which something would have to go back.
    """
    journalled = _changes_with(tx, change) if change is not None else _changes_of_call(tx, call)
    number = journalled[0].call
    changes = _without_purged(tx, journalled)
    at, tool, _ = store.journal.find_call(tx, number) or ("", "", None)
    before = _names_in_texts(tx, changes)
    if surface := _later_surface(tx, changes):
        raise _later_changes(tx, surface[0], _RECORDED_UNDER_NAME, rows=surface[1])
    taken_back = [_revert(tx, reverted) for reverted in changes]
    _keep_removed(tx, changes, taken_back)
    _refuse_duplicates(tx, changes)
    _update_derived_data(tx, changes, before)
    if change is None:
        store.journal.record_undo(tx, number)
    tx.memo.clear()
    return Undone(number, tool, at, tuple(changes), purged=len(journalled) - len(changes))


def find_obstacle(tx: Tx, call: Call) -> Obstacle | None:
    """Why `undo` would refuse a call, as far as can be seen without undoing it; None if nothing prevents it."""
    if call.change_count > MAX_CHANGES_CHECKED:
        return Obstacle(
            f"It made {call.change_count:,} changes: only undoing it shows whether it can be undone.", is_open=True
        )
    try:
        changes = _without_purged(tx, store.journal.changes_of_call(tx, call.id))
    except errors.Purged as error:
        return Obstacle(f"{error.message[0].upper()}{error.message[1:]}.")
    own = {(change.table, change.row) for change in changes}
    last = {(change.table, change.row): change for change in reversed(changes)}
    first = {(change.table, change.row): change for change in changes}
    if surface := _later_surface(tx, changes):
        sentence = f"{_RECORDED_UNDER_NAME[0].upper()}{_RECORDED_UNDER_NAME[1:]}"
        return Obstacle(_name_calls(sentence, _later_calls(tx, surface[0], rows=surface[1])))
    for row, change in last.items():
        if reason := _later_change(tx, change, first[row], own):
            return Obstacle(reason)
    return None


def _later_surface(tx: Tx, changes: Sequence[Change]) -> tuple[Change, list[tuple[str, int]]] | None:
    """Of a merge, a name or an id that would go back, and the rows of the later assertions that were recorded under it.

    Such a fact is one of the entity that was absorbed; with the other it would stay with the wrong one. So would
    aliases and properties that it was given under that name: then the alias was journalled anew, with no other rows.
    """
    if not any(change.table == "former_id" and change.op == "insert" for change in changes):
        return None
    for change in changes:
        if change.table in ("alias", "former_id") and change.op != "delete":
            assertions = store.provenance.assertions_under(tx, change.table, change.row)
            later = [("provenance", row) for row in assertions if _is_later(tx, ("provenance", row), change.call)]
            if later:
                return change, later[:_MAX_BLOCKING_CALLS]
            if store.journal.standing_updates_of_row(tx, change.table, change.row, after=change.call):
                return change, []
    return None


def _is_later(tx: Tx, row: tuple[str, int], call: int) -> bool:
    """Whether a later call inserted or changed a row."""
    return bool(store.journal.later_calls_on_row(tx, *row, after=call))


def _later_change(tx: Tx, last: Change, first: Change, own: set[tuple[str, int]]) -> str | None:
    """What is in the way of taking back the changes of a call to one row: the first and the last of them."""
    current = store.journal.current_row(tx, last.table, last.row)
    if not _changed_text_alone(tx, last):
        if last.op == "delete" and current is not None:
            return _name_calls("Its place is taken", _later_calls(tx, last))
        if last.op != "delete" and (current is None or not _is_unchanged_since(tx, last, current)):
            return _name_calls("It has been changed since", _later_calls(tx, last))
    if first.op == "insert":
        others = store.journal.referring_rows(tx, first.table, first.row)
        reason = "Something recorded later depends on it"
    else:
        others = store.journal.conflicting_rows(tx, first.table, first.before or {})
        others += [row for row in store.journal.referred_rows(first) if store.journal.current_row(tx, *row) is None]
        reason = "What was there before has been recorded again since, or what it was about is gone"
    rows = [row for row in others if row not in own][:_MAX_BLOCKING_CALLS]
    return _name_calls(reason, _later_calls(tx, first, rows=rows)) if rows else None


def _name_calls(reason: str, calls: Sequence[tuple[int, str]]) -> str:
    listed = ", ".join(f"call {number} ({tool})" for number, tool in calls)
    return f"{reason}{f', see {listed}' if listed else ''}."


def _without_purged(tx: Tx, changes: Sequence[Change]) -> list[Change]:
    """The changes to rows that were not purged: of a purged row nothing is left that could be taken back.

    Raises:
        errors.Purged: nothing is left, or the earlier version of a row is not known any more.
    """
    number = changes[0].call
    if any(store.journal.is_purged_in_part(change) for change in changes):
        raise errors.Purged(
            f"call {number} cannot be taken back: an earlier version that it changed named something that was purged"
        )
    purged = store.journal.purged_changes(tx, number)
    kept = [change for change in changes if change.id not in purged]
    if not kept:
        raise errors.Purged(
            f"call {number} cannot be taken back: all of it was purged",
            hint="What was purged cannot come back. `kg log` lists earlier calls, which undo takes by number.",
        )
    return kept


def _changes_of_call(tx: Tx, call: int | None) -> list[Change]:
    number = store.journal.find_last_undoable_call(tx) if call is None else call
    if number is None:
        raise errors.ChangeNotFound("there is nothing to take back")
    calls = store.journal.list_calls(tx, limit=1, only=number)
    if not calls:
        oldest = store.journal.oldest_call(tx)
        raise errors.ChangeNotFound(
            f"there is no call {number} that changed anything in group {tx.group!r}"
            + (f"; the journal begins with call {oldest[0]}" if oldest and number < oldest[0] else "")
        )
    if calls[0].undone_by is not None:
        raise errors.ChangeNotFound(
            f"call {number} was taken back by call {calls[0].undone_by} already",
            hint=f"To redo it, undo call {calls[0].undone_by}.",
        )
    return store.journal.changes_of_call(tx, number)


def _changes_with(tx: Tx, number: int) -> list[Change]:
    """A change, with those of the same call that depend on its row or belong to the same text; newest first."""
    change = store.journal.find_change(tx, number)
    if change is None or not store.journal.list_calls(tx, limit=1, only=change.call):
        raise errors.ChangeNotFound(f"there is no change {number} in group {tx.group!r}")
    of_call = store.journal.changes_of_call(tx, change.call)
    insertions = {(other.table, other.row): other for other in of_call if other.op == "insert"}
    change = _insertion_of_fact(tx, change, insertions)
    pending = [change, *_changes_of_same_text(tx, change, of_call)]
    collected = {other.id: other for other in pending}
    while pending:
        dependent = _dependent_changes(tx, pending.pop(), of_call, insertions)
        pending += [other for other in dependent if other.id not in collected]
        collected |= {other.id: other for other in dependent}
    return [collected[id] for id in sorted(collected, reverse=True)]


def _dependent_changes(
    tx: Tx, change: Change, of_call: Sequence[Change], insertions: Mapping[tuple[str, int], Change]
) -> list[Change]:
    """The changes of the same call to rows that refer to the row of a change: deleted or inserted along with it."""
    if change.op == "delete":
        return [
            other
            for other in of_call
            if other.op == "delete" and (change.table, change.row) in store.journal.referred_rows(other)
        ]
    referring = store.journal.referring_rows(tx, change.table, change.row)
    dependent = [insertions[row] for row in referring if row in insertions]
    if change.table == "episode":
        dependent += [_insertion_of_fact(tx, other, insertions) for other in dependent]
    return dependent


def _changes_of_same_text(tx: Tx, change: Change, of_call: Sequence[Change]) -> list[Change]:
    """The other changes of a call to the same text: an episode and its chunks come and go together."""
    episode = _episode_of(tx, change)
    return (
        [other for other in of_call if other.id != change.id and _episode_of(tx, other) == episode] if episode else []
    )


def _episode_of(tx: Tx, change: Change) -> int | None:
    """The row of the episode that was changed, or of which a chunk was changed."""
    if change.table == "episode":
        return change.row
    if change.table != "chunk":
        return None
    row = change.before or store.journal.current_row(tx, "chunk", change.row) or {}
    return row.get("episode")


def _insertion_of_fact(tx: Tx, change: Change, insertions: Mapping[tuple[str, int], Change]) -> Change:
    """For the insertion of the only assertion of a fact, the insertion of that fact, which cannot be without one.

    Any other change is returned as it is.
    """
    if change.table != "provenance" or change.op != "insert":
        return change
    assertion = store.journal.current_row(tx, "provenance", change.row) or {}
    fact = insertions.get(("fact", assertion.get("fact", 0)))
    if fact is None:
        return change
    assertions = [row for row in store.journal.referring_rows(tx, "fact", fact.row) if row[0] == "provenance"]
    return fact if len(assertions) == 1 else change


def _revert(tx: Tx, change: Change) -> Mapping[str, Any]:
    """Revert a change; returns the row that was deleted by that, empty if none was."""
    if _changed_text_alone(tx, change):
        return {}  # the text of a fact is made from names: see _update_derived_data
    current = store.journal.current_row(tx, change.table, change.row)
    if change.op == "delete":
        if current is not None:
            raise _later_changes(tx, change, "its place is taken")
    elif current is None or not _is_unchanged_since(tx, change, current):
        raise _later_changes(tx, change, "it has been changed since")
    if change.op != "insert":
        if not store.journal.restore_row(tx, change.table, change.before or {}, exists=current is not None):
            conflicting = store.journal.conflicting_rows(tx, change.table, change.before or {})
            raise _later_changes(tx, change, "what was there before has been recorded again since", rows=conflicting)
        return {}
    if referring := store.journal.referring_rows(tx, change.table, change.row, limit=_MAX_BLOCKING_CALLS):
        raise _later_changes(tx, change, "something recorded later depends on it", rows=referring)
    store.journal.delete_row(tx, change.table, change.row)
    return current or {}


def _keep_removed(tx: Tx, changes: Sequence[Change], deleted: Sequence[Mapping[str, Any]]) -> None:
    """Let the texts that stay as they are not bring back the facts of theirs that were taken back."""
    texts = {change.row for change in changes if change.table == "episode"}
    assertions = [row for change, row in zip(changes, deleted, strict=True) if row and change.table == "provenance"]
    stated = [(row["episode"], row["statement"]) for row in assertions if row["episode"] not in texts]
    store.provenance.open_removed(tx, stated)


def _changed_text_alone(tx: Tx, change: Change) -> bool:
    """Whether a change of a fact only rewrote its text, as when an entity gets another name."""
    if change.table != "fact" or change.op != "update":
        return False
    return store.journal.changed_columns(change, store.journal.row_after(tx, change) or {}) <= {"text"}


def _names_in_texts(tx: Tx, changes: Sequence[Change]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The entities and predicates that are to get earlier values, as they are, by table and row."""
    updates = [change for change in changes if change.op == "update"]
    rows = {(change.table, change.row) for change in updates if change.table in ("entity", "predicate")}
    return {row: store.journal.current_row(tx, *row) or {} for row in sorted(rows)}


def _update_derived_data(
    tx: Tx, changes: Sequence[Change], before: Mapping[tuple[str, int], Mapping[str, Any]]
) -> None:
    """Rebuild what is derived from the rows that were reverted, also for what was recorded since.

    These are the texts of facts, where a name or the sentence of a predicate came back, and what depends on the type of
    an entity. Triggers do the rest.
    """
    renamed, retyped, reworded = [], [], []
    for (table, row), old in before.items():
        new = store.journal.current_row(tx, table, row)
        if new is None or not old:
            continue
        if table == "entity":
            renamed += [row] if new["name"] != old["name"] else []
            retyped += [row] if new["type"] != old["type"] else []
        elif (new["name"], new["sentence"]) != (old["name"], old["sentence"]):
            reworded.append(row)
    restored = {change.row for change in changes if change.table == "fact" and change.op != "insert"}
    touching = store.full_text.rows_touching(tx, entities=renamed, predicates=reworded)
    knowledge.facts.rewrite(tx, sorted(restored.union(touching)))
    store.derived_tables.requeue_aliases(tx, retyped)


def _refuse_duplicates(tx: Tx, changes: Sequence[Change]) -> None:
    """Refuse to make a predicate symmetric again if facts recorded since would then say the same.

    Raises:
        errors.LaterChanges: there are such facts.
    """
    for change in changes:
        if change.table == "predicate" and change.op == "update" and (change.before or {}).get("is_symmetric"):
            duplicates = store.word_references.duplicate_facts(tx, change.row, change.row, are_reversed=True)
            if duplicates:
                rows = [("fact", row) for row in sorted({row for pair in duplicates for row in pair}, reverse=True)]
                raise _later_changes(
                    tx, change, "facts recorded since would be duplicated", rows=rows[:_MAX_BLOCKING_CALLS]
                )


def _is_unchanged_since(tx: Tx, change: Change, current: Mapping[str, Any]) -> bool:
    """Whether a row is as the change left it: as the next change found it, if there was another.

    The text of a fact does not count: it is made from names.
    """
    following = store.journal.next_change_of_row(tx, change)
    if following is None:
        return True
    derived = {"text"} if change.table == "fact" else set()
    return store.journal.changed_columns(following, current) <= derived


def _later_changes(tx: Tx, change: Change, reason: str, *, rows: Sequence[tuple[str, int]] = ()) -> errors.LaterChanges:
    """The error for a change that cannot be undone, with the later calls on its row and on `rows`."""
    calls = _later_calls(tx, change, rows=rows)
    listed = ", ".join(f"call {number} ({tool})" for number, tool in calls)
    return errors.LaterChanges(
        f"call {change.call} cannot be taken back: {reason}{f', see {listed}' if listed else ''}. Nothing was changed.",
        candidates=[{"call": number, "tool": tool} for number, tool in calls],
    )


def _later_calls(tx: Tx, change: Change, *, rows: Sequence[tuple[str, int]] = ()) -> list[tuple[int, str]]:
    """The numbers and the tools of the newest calls after a change on its row and on other rows."""
    numbers = sorted(
        {
            call
            for table, row in [(change.table, change.row), *rows]
            for call in store.journal.later_calls_on_row(tx, table, row, after=change.call)
        },
        reverse=True,
    )
    calls = [(number, store.journal.find_call(tx, number)) for number in numbers[:_MAX_BLOCKING_CALLS]]
    return [(number, call[1]) for number, call in calls if call]
