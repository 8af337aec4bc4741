"""What a pass of the gardener returns: its proposals, and where the next run continues."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph.engine.review.proposals import Proposal

MAX_CANDIDATES = 500
"""The most proposals that a pass returns, including decided and open ones."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass proposes.

    Attributes:
        considered: how many entities, facts or words it examined.
        position: where the next run continues, for a pass that examines a part in each run; else 0.
        note: why it was skipped, in one sentence.
    """

    proposals: tuple[Proposal, ...]
    considered: int = 0
    position: int = 0
    note: str | None = None
