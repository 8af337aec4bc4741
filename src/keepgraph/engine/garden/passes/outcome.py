"""What a pass of the gardener returns: its proposals, and where the next run goes on."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph.engine.review.proposals import Proposal

MAX_CANDIDATES = 500
"""So many proposals a pass returns at most; what was decided or is open already is among them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass proposes.

    Attributes:
        considered: how many entities, facts or words it looked at.
        position: where the next run goes on, for a pass that looks at a part in each run; else 0.
        note: why it could not look at all, in one sentence.
    """

    proposals: tuple[Proposal, ...]
    considered: int = 0
    position: int = 0
    note: str | None = None
