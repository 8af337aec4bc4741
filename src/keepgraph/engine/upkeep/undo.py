"""Takes back what a call changed, or one of its changes, and refuses where something later rests on it.

A change is taken back by giving the row the state it had before. That is safe as long as the row is still in the
state in which the change left it, and nothing refers to a row that has to go. What undo does is journalled like
everything else, so it can be taken back in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph import errors, store
from keepgraph.model import Change
from keepgraph.store.database import Tx

MAX_CULPRITS = 5


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the call, its tool and instant, and the changes, newest first."""

    call: int
    tool: str
    at: str
    changes: tuple[Change, ...]


def undo(tx: Tx, *, call: int | None = None, change: int | None = None) -> Undone:
    """Take back a call, or one change with what it brought along; else the last call that still stands.

    Raises:
        errors.ChangeNotFound: there is no such call or change in this group, or it was taken back already.
        errors.LaterChanges: a later change rests on it.
    """
    changes = _of_change(tx, change) if change is not None else _of_call(tx, call)
    number = changes[0].call
    at, tool, _ = store.journal.made(tx, number) or ("", "", None)
    for each in changes:
        _take_back(tx, each)
    if change is None:
        store.journal.mark_undoing(tx, number)
    tx.memo.clear()
    return Undone(number, tool, at, tuple(changes))


def _of_call(tx: Tx, call: int | None) -> list[Change]:
    number = store.journal.last_standing(tx) if call is None else call
    if number is None:
        raise errors.ChangeNotFound("there is nothing to take back")
    found = store.journal.calls(tx, limit=1, only=number)
    if not found:
        raise errors.ChangeNotFound(f"there is no call {number} that changed anything in group {tx.group!r}")
    if found[0].undone_by is not None:
        raise errors.ChangeNotFound(
            f"call {number} was taken back by call {found[0].undone_by} already",
            hint=f"To have it again, undo call {found[0].undone_by}.",
        )
    return store.journal.of_call(tx, number)


def _of_change(tx: Tx, number: int) -> list[Change]:
    """A change with what the same call hung on its row, or deleted along with it; newest first."""
    wanted = store.journal.change(tx, number)
    if wanted is None or not store.journal.calls(tx, limit=1, only=wanted.call):
        raise errors.ChangeNotFound(f"there is no change {number} in group {tx.group!r}")
    others = store.journal.of_call(tx, wanted.call)
    inserted = {(each.table, each.row): each for each in others if each.op == "insert"}
    wanted = _first_assertion(tx, wanted, inserted)
    todo = [wanted, *_of_the_same_text(tx, wanted, others)]
    found = {each.id: each for each in todo}
    while todo:
        each = todo.pop()
        if each.op == "delete":
            hung = [
                other
                for other in others
                if other.op == "delete" and (each.table, each.row) in store.journal.referred(other)
            ]
        else:
            places = store.journal.referring(tx, each.table, each.row)
            hung = [inserted[place] for place in places if place in inserted]
            hung += [_first_assertion(tx, other, inserted) for other in hung if each.table == "episode"]
        todo += [other for other in hung if other.id not in found]
        found |= {other.id: other for other in hung}
    return [found[each] for each in sorted(found, reverse=True)]


def _of_the_same_text(tx: Tx, wanted: Change, others: Sequence[Change]) -> list[Change]:
    """What the same call changed of the text that a change is of: a part of a text does not come or go alone."""
    text = _text_of(tx, wanted)
    return [each for each in others if each.id != wanted.id and _text_of(tx, each) == text] if text else []


def _text_of(tx: Tx, change: Change) -> int | None:
    """The row of the episode that a change is of, or of the episode of a chunk."""
    if change.table == "episode":
        return change.row
    if change.table != "chunk":
        return None
    row = change.was or store.journal.current(tx, "chunk", change.row) or {}
    return row.get("episode")


def _first_assertion(tx: Tx, wanted: Change, inserted: Mapping[tuple[str, int], Change]) -> Change:
    """A fact that nobody says any more goes with its only assertion: then the change that brought the fact."""
    if wanted.table != "provenance" or wanted.op != "insert":
        return wanted
    row = store.journal.current(tx, "provenance", wanted.row) or {}
    fact = inserted.get(("fact", row.get("fact", 0)))
    others = (
        [place for place in store.journal.referring(tx, "fact", fact.row) if place[0] == "provenance"] if fact else []
    )
    return fact if fact and len(others) == 1 else wanted


def _take_back(tx: Tx, done: Change) -> None:
    now = store.journal.current(tx, done.table, done.row)
    if done.op == "delete":
        if now is not None:
            raise _blocked(tx, done, "its place is taken")
    elif now is None or not _is_as_left(tx, done, now):
        raise _blocked(tx, done, "it has been changed since")
    if done.op != "insert":
        if not store.journal.restore(tx, done.table, done.was or {}):
            there = store.journal.in_the_way(tx, done.table, done.was or {})
            raise _blocked(tx, done, "what was there before has been said anew since", resting=there)
        return
    if referring := store.journal.referring(tx, done.table, done.row, limit=MAX_CULPRITS):
        raise _blocked(tx, done, "something recorded later rests on it", resting=referring)
    store.journal.remove(tx, done.table, done.row)


def _is_as_left(tx: Tx, done: Change, now: Mapping[str, Any]) -> bool:
    """Whether a row is as the change left it: as the next change found it, if there was another."""
    left = store.journal.next_of_row(tx, done)
    return left is None or all(now.get(column) == value for column, value in (left.was or {}).items())


def _blocked(tx: Tx, done: Change, reason: str, *, resting: Sequence[tuple[str, int]] = ()) -> errors.LaterChanges:
    places = [(done.table, done.row), *resting]
    numbers = sorted(
        {call for table, row in places for call in store.journal.later_of_row(tx, table, row, after=done.call)},
        reverse=True,
    )
    culprits = [(number, store.journal.made(tx, number)) for number in numbers[:MAX_CULPRITS]]
    told = ", ".join(f"call {number} ({made[1]})" for number, made in culprits if made)
    return errors.LaterChanges(
        f"call {done.call} cannot be taken back: {reason}{f', see {told}' if told else ''}. Nothing was changed.",
        candidates=[{"call": number, "tool": made[1]} for number, made in culprits if made],
    )
