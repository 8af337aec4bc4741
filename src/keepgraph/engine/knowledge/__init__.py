"""The rules for recorded knowledge: entities, facts, retraction, merges, decisions, blockers, the weekly rollup."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.knowledge import (
        assumed_types,
        blockers,
        decisions,
        ends,
        entities,
        entity_types,
        facts,
        groups,
        literals,
        merges,
        predicates,
        proposed_facts,
        readings,
        relation_wordings,
        relations,
        retraction,
        rollup,
        statements,
        word_changes,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
