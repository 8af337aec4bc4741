"""The rules for recorded knowledge: entities, facts, retraction, merges, decisions, blockers, the weekly rollup."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.knowledge import blockers, decisions, entities, facts, groups, merges, retraction, rollup
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
