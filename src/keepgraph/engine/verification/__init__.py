"""Verification: what contradicts a fact and what supports it: rules, texts, and the shape of the graph."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.verification import conflicts, group_conflicts, relation_verdicts, text_evidence
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
