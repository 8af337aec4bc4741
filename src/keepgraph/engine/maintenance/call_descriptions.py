"""What a call was about, in a line, from the journal: the first fact, text or name that it changed, and how many more.

Only the first changes of a call and its last ones are read, however many it made. Names are those that the call left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from keepgraph import store
from keepgraph.engine.maintenance import history
from keepgraph.english import count_noun, listed, shorten
from keepgraph.model import Call, Change
from keepgraph.store.transactions import Tx

PURGED = "purged"

_MAX_LENGTH = 160
_MAX_PROPERTIES = 5
_OPERATIONS = {"insert": "added", "update": "changed", "delete": "deleted"}
_CHANGES_READ = 40
"""So many of the first and of the last changes of a call are read."""

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallChange:
    """A change of a call in words.

    Attributes:
        what: what happened to what: "fact added".
        id: the public id of the row, where it has one.
    """

    what: str
    text: str
    id: str | None


@dataclass(frozen=True, slots=True)
class CallChanges:
    """The changes of a call; `truncated` says that there are more."""

    changes: tuple[CallChange, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class _Changed:
    """A row that a call changed: the change, the row before and after it, and the changes around it."""

    change: Change
    before: _Row
    after: _Row
    around: Sequence[Change]


def describe(tx: Tx, call: Call) -> str:
    """What a call was about; empty if nothing of it is left. For an undo, the call it took back."""
    if call.undoes is not None:
        return _describe_undone(tx, call.undoes)
    changes = store.journal.first_and_last_changes(tx, call.id, limit=_CHANGES_READ)
    for (table, op), (noun, phrase) in _PHRASES.items():
        for change in changes:
            if (change.table, change.op) != (table, op):
                continue
            if text := _phrase(tx, change, changes, phrase):
                return shorten(text, _MAX_LENGTH) + _describe_others(tx, call, change, noun)
    return ""


def list_changes(tx: Tx, call: int, *, limit: int) -> CallChanges:
    """What a call did, a line for each row that says something to a reader, in its order."""
    changes = store.journal.first_and_last_changes(tx, call, limit=max(limit, _CHANGES_READ))
    recorded = {change.row for change in changes if (change.table, change.op) == ("fact", "insert")}
    lines: dict[tuple[str, int, str], CallChange] = {}
    for change in changes:
        noun, phrase = _PHRASES.get((change.table, change.op), ("", None))
        if phrase is None or not (text := _phrase(tx, change, changes, phrase)):
            continue
        if change.table == "provenance" and _fact_of_assertion(tx, change) in recorded:
            continue  # the first assertion of a fact comes with it
        lines.setdefault(
            (change.table, change.row, change.op),
            CallChange(
                f"{noun} {_OPERATIONS[change.op]}", shorten(text, _MAX_LENGTH), _public_id(tx, change, changes[-1])
            ),
        )
    listed = tuple(lines.values())
    return CallChanges(listed[:limit], truncated=len(listed) > limit or len(changes) >= 2 * limit)


def describe_number(tx: Tx, number: int) -> str:
    """What the call with this number was about."""
    calls = store.journal.list_calls(tx, limit=1, only=number)
    return describe(tx, calls[0]) if calls else ""


def _describe_undone(tx: Tx, number: int) -> str:
    """A call that was taken back, with its tool: `call 5 (add_alias): Priya is also called Pri`."""
    calls = store.journal.list_calls(tx, limit=1, only=number)
    if not calls:
        return f"call {number}"
    if calls[0].undoes is not None:
        return f"call {number}, the undo of call {calls[0].undoes}"
    about = describe(tx, calls[0])
    return f"call {number} ({calls[0].tool}){f': {about}' if about else ''}"


def _phrase(tx: Tx, change: Change, around: Sequence[Change], phrase: Callable[[Tx, _Changed], str]) -> str:
    last = around[-1]
    whole = change if change.op == "insert" else store.journal.find_change(tx, change.id) or change
    before = whole.before or {}
    after = {} if change.op == "delete" else _row_after_call(tx, change.table, change.row, last)
    if PURGED in before or PURGED in after:
        return PURGED
    if (change.op != "delete" and not after) or (change.op != "insert" and not before):
        return ""
    return phrase(tx, _Changed(whole, before, after, around))


def _row_after_call(tx: Tx, table: str, row: int, last: Change) -> _Row:
    """A row as a call left it, whose last change is `last`; empty if that is no longer known."""
    following = store.journal.next_change_of_row(tx, Change(last.id, last.call, "update", table, row, None))
    return (following.before if following else store.journal.current_row(tx, table, row)) or {}


def _fact_of_assertion(tx: Tx, change: Change) -> int | None:
    assertion = store.journal.current_row(tx, change.table, change.row)
    return int(assertion["fact"]) if assertion else None


def _public_id(tx: Tx, change: Change, last: Change) -> str | None:
    row = _row_after_call(tx, change.table, change.row, last) if change.op != "delete" else {}
    id = row.get("public_id")
    return str(id) if id else None


def _describe_others(tx: Tx, call: Call, change: Change, noun: str) -> str:
    if call.change_count > store.journal.MAX_CHANGES_COUNTED:
        return f", and {call.change_count - 1:,} more changes"
    others = store.journal.count_rows_changed(tx, call.id, change.table, change.op) - 1
    return f", and {count_noun(others, f'more {noun}')}" if others > 0 else ""


def _word(tx: Tx, changed: _Changed, *, kind: str) -> str:
    old, new = changed.before.get("name"), changed.after.get("name")
    if old is None or new is None or old == new:
        retired = bool(changed.after.get("retired_at")) and not changed.before.get("retired_at")
        deleted = ", deleted" if new is None else ", retired" if old is not None and retired else ""
        return f"the {kind} {new or old}{deleted}"
    return f"the {kind} {old}, now {new}"


def _label(tx: Tx, changed: _Changed) -> str:
    row = changed.after or changed.before
    label, kind = row.get("label"), str(row.get("kind", ""))
    word = store.journal.current_row(tx, kind, int(row.get("term", 0))) if kind in ("entity_type", "predicate") else {}
    return f"“{label}”, for {word['name']}" if word else f"“{label}”"


def _merge(tx: Tx, changed: _Changed) -> str:
    kept = _row_after_call(tx, "entity", int(changed.after["entity"]), changed.around[-1])
    for change in changed.around:
        if (change.table, change.op) == ("entity", "delete"):
            absorbed = store.journal.find_change(tx, change.id)
            if absorbed and (absorbed.before or {}).get("public_id") == changed.after["public_id"]:
                return f"{(absorbed.before or {})['name']} into {kept.get('name', 'another entity')}"
    return f"{changed.after['public_id']} into {kept.get('name', 'another entity')}"


def _episode(tx: Tx, changed: _Changed) -> str:
    deleted = "" if changed.after else ", deleted"
    return f"“{(changed.after or changed.before).get('name', '')}”{deleted}"


def _fact(tx: Tx, changed: _Changed) -> str:
    text = str((changed.after or changed.before).get("text", ""))
    what = history.describe_fact_change(changed.before, changed.after) if changed.before else ""
    return f"{text}, {what}" if what else text


def _assertion(tx: Tx, changed: _Changed) -> str:
    fact = _row_after_call(tx, "fact", int(changed.after["fact"]), changed.around[-1])
    return f"{fact['text']}, said again" if "text" in fact else ""


def _entity(tx: Tx, changed: _Changed) -> str:
    before, after = changed.before, changed.after
    if not after or not before:
        row = after or before
        kind = _type_name(tx, row.get("type"))
        return f"{row.get('name', '')} ({kind}){'' if after else ', deleted'}"
    details = []
    if before.get("type") != after.get("type"):
        details.append(f"{_type_name(tx, before.get('type'))}, now {_type_name(tx, after.get('type'))}")
    if before.get("properties") != after.get("properties"):
        details.append(_describe_properties(str(before.get("properties")), str(after.get("properties"))))
    if before.get("summary") != after.get("summary"):
        details.append("summary")
    changes = "; ".join(details)
    if before.get("name") != after.get("name"):
        return f"{before.get('name')}, now {after.get('name')}{f' ({changes})' if changes else ''}"
    return f"{after.get('name')}{f': {changes}' if changes else ''}"


def _describe_properties(before: str, after: str) -> str:
    """The names of the first properties that changed."""
    old, new = json.loads(before), json.loads(after)
    changed = [key for key in {**old, **new} if key not in old or key not in new or old[key] != new[key]]
    return listed(changed, _MAX_PROPERTIES)


def _type_name(tx: Tx, row: Any) -> str:
    term = store.journal.current_row(tx, "entity_type", row) if isinstance(row, int) else None
    return str(term["name"]) if term else "entity"


def _alias(tx: Tx, changed: _Changed) -> str:
    row = changed.after or changed.before
    owner = _row_after_call(tx, "entity", int(row.get("entity", 0)), changed.around[-1])
    if "name" not in owner:
        return ""
    return f"{owner['name']} is {'also' if changed.after else 'no longer'} called {row.get('alias', '')}"


def _proposed_fact(tx: Tx, changed: _Changed) -> str:
    row = changed.after or changed.before
    parts = (str(row.get(part, "")) for part in ("subject", "wording", "object"))
    return f"{' '.join(parts)}, {'proposed' if changed.after else 'no longer proposed'}"


def _owner(tx: Tx, changed: _Changed) -> str:
    row = changed.after or changed.before
    entity = _row_after_call(tx, "entity", int(row.get("entity", 0)), changed.around[-1])
    return f"{entity['name']} is {'' if changed.after else 'no longer '}the owner" if "name" in entity else ""


def _decision(tx: Tx, changed: _Changed) -> str:
    row = changed.after
    return (
        f"{row['decision']}: {row['statement'].rstrip('.?')}"
        if row["statement"]
        else f"{row['kind']} {row['decision']}"
    )


_PHRASES: Mapping[tuple[str, str], tuple[str, Callable[[Tx, _Changed], str]]] = {
    (table, operation): (noun, phrase)
    for table, operations, noun, phrase in (
        ("entity_type", ("insert", "delete", "update"), "type", partial(_word, kind="type")),
        ("predicate", ("insert", "delete", "update"), "predicate", partial(_word, kind="predicate")),
        ("former_id", ("insert",), "merge", _merge),
        ("episode", ("insert",), "text", _episode),
        ("fact", ("insert",), "fact", _fact),
        ("proposed_fact", ("insert",), "proposed fact", _proposed_fact),
        ("entity", ("delete", "update"), "entity", _entity),
        ("episode", ("delete", "update"), "text", _episode),
        ("fact", ("update", "delete"), "fact", _fact),
        ("owner", ("insert", "update", "delete"), "owner", _owner),
        ("alias", ("insert", "delete"), "alias", _alias),
        ("provenance", ("insert",), "fact", _assertion),
        ("entity", ("insert",), "entity", _entity),
        ("proposed_fact", ("delete",), "proposed fact", _proposed_fact),
        ("vocabulary_set", ("insert", "delete", "update"), "vocabulary set", partial(_word, kind="vocabulary set")),
        ("vocabulary_label", ("insert", "delete"), "wording", _label),
        ("community", ("insert", "update", "delete"), "community", partial(_word, kind="community")),
        ("review_decision", ("insert",), "decision on a proposal", _decision),
    )
    for operation in operations
}
"""By table and operation, the noun for further rows, and the phrase.

The first that a call has done is what it was about: who merges two entities deletes one and moves facts, and it is the
merge that counts.
"""
