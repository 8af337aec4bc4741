"""The passes of the gardener, in the order in which they run. Each reads the graph and returns proposals."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.engine.review.proposals import Proposal
from keepgraph.store.transactions import Tx

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


PassFunction = Callable[[Tx, int], Outcome]
"""From a read transaction and the position where the last run stopped to the proposals."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass by its name: the function `propose_NAME` of its module.

    Attributes:
        purpose: what it looks for, in a few words.
    """

    name: str
    module: str
    purpose: str

    def propose(self, tx: Tx, position: int) -> Outcome:
        module = importlib.import_module(f"keepgraph.engine.garden.passes.{self.module}")
        function: PassFunction = getattr(module, f"propose_{self.name}")
        return function(tx, position)


ALL = (
    Pass("conflicts", "facts", "facts that cannot all be true"),
    Pass("duplicates", "entities", "entities that may be the same"),
    Pass("texts", "texts", "names and facts read in texts"),
    Pass("ended", "facts", "facts that have probably ended"),
    Pass("retype", "entities", "entities that fit another type better"),
    Pass("gaps", "facts", "decisions without a project, old blockers, silent projects"),
    Pass("vocabulary", "texts", "words that wait, and flags that the facts suggest"),
    Pass("unknown_names", "entities", "unknown names that were asked for"),
    Pass("orphans", "entities", "entities about which nothing is known"),
    Pass("links", "facts", "facts that follow from others, and facts that do not"),
)
BY_NAME = {each.name: each for each in ALL}
NAMES = tuple(BY_NAME)
