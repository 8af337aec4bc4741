"""The passes of the gardener, in the order in which they run. Each reads the graph and returns proposals."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.engine.garden.passes.outcome import Outcome
from keepgraph.store.transactions import Tx

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
