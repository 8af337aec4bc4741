"""Overlap of sets of numbers: which set of one list corresponds to which of another, each to at most one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def match(old: Mapping[int, Sequence[int]], new: Sequence[Sequence[int]], *, least: float) -> dict[int, int]:
    """The old set that each new one continues: those that overlap most come first.

    Args:
        old: disjoint sets by key.
        new: disjoint sets.
        least: the least overlap (Jaccard: members of both, of the members of either) for a pair.

    Returns:
        The key of the old set by the position of the new one; those without a counterpart are left out.
    """
    owners = {member: key for key, members in old.items() for member in members}
    pairs = []
    for position, members in enumerate(new):
        for key, common in Counter(owners[member] for member in members if member in owners).items():
            overlap = common / (len(members) + len(old[key]) - common)
            if overlap >= least:
                pairs.append((-overlap, -common, key, position))
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, key, position in sorted(pairs):
        if key not in taken and position not in matched:
            matched[position] = key
            taken.add(key)
    return matched
