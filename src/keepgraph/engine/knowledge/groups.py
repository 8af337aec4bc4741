"""Which groups are to be emptied, and their emptying."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.store.database import Tx


def chosen(tx: Tx, named: Sequence[str] | None, *, everything: bool) -> list[str]:
    """The groups that are meant: all, those that are named, or the one that the call works in."""
    return store.groups.names(tx) if everything else list(dict.fromkeys(named or [tx.group]))


def clear(tx: Tx, named: Sequence[str] | None, *, everything: bool) -> Counter[str]:
    """Delete every entity of the chosen groups with all that is said of it; returns how many rows of each table.

    Raises:
        errors.InvalidArguments: there is nothing in one that is named.
    """
    known = store.groups.names(tx)
    if unknown := [group for group in named or () if group not in known]:
        raise errors.InvalidArguments(f"there is nothing in {listed(unknown)}", hint="Check the name of the group.")
    counts: Counter[str] = Counter()
    for group in chosen(tx, named, everything=everything):
        counts.update(store.groups.clear(tx, group))
    tx.memo.clear()
    return counts


def listed(named: Sequence[str]) -> str:
    return f"group {', '.join(map(repr, named))}" if named else "no group"
