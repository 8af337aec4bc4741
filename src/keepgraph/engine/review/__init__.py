"""Review: proposals that wait for a decision, their origins, and the decisions."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.review import decisions, grounds, learning, proposals, sources
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
