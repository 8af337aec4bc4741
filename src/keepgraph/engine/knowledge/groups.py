"""Groups: which groups a call means, and deleting their contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.store.transactions import Tx


def select(tx: Tx, groups: Sequence[str] | None, *, everything: bool) -> list[str]:
    """The groups that a call means: all, those it names, or the group it works in."""
    return store.groups.names(tx) if everything else list(dict.fromkeys(groups or [tx.group]))


def clear(tx: Tx, groups: Sequence[str] | None, *, everything: bool) -> Counter[str]:
    """Delete all entities, facts and episodes of the groups that a call means; returns the deleted rows by table.

    Raises:
        errors.InvalidArguments: a named group has nothing in it.
    """
    refuse_unknown(tx, groups)
    counts: Counter[str] = Counter()
    for group in select(tx, groups, everything=everything):
        counts.update(store.groups.clear(tx, group))
    tx.memo.clear()
    return counts


def refuse_unknown(tx: Tx, groups: Sequence[str] | None) -> None:
    """Refuse empty groups.

    Raises:
        errors.InvalidArguments: there are such groups.
    """
    existing = store.groups.names(tx)
    if unknown := [group for group in groups or () if group not in existing]:
        raise errors.InvalidArguments(f"there is nothing in {describe(unknown)}", hint="Check the name of the group.")


def describe(groups: Sequence[str]) -> str:
    return f"group {', '.join(map(repr, groups))}" if groups else "no group"
