"""Entities, facts, decisions, blockers and the weekly rollup: the rules for what is recorded."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.knowledge import blockers, decisions, entities, facts, groups, merges, rollup
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
