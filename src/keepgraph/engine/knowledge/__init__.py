"""The rules for recorded knowledge: entities, facts, retraction, merges, decisions, blockers, the weekly rollup."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.knowledge import (
        blocker_closing,
        blocker_resolutions,
        blockers,
        decisions,
        ending,
        ends,
        entities,
        entity_changes,
        facts,
        listing,
        literals,
        merges,
        next_steps,
        owner,
        past_and_future,
        predicates,
        projects,
        proposed_facts,
        relations,
        rollup,
        scopes,
        statements,
        validity,
        word_changes,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
