"""Logical plans: algebra, planner, optimizer and join order."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.cypher.plan import algebra, instant_comparisons, join_order, optimizer, planner
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
