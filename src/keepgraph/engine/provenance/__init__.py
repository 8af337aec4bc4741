"""Provenance: where a fact, an entity or a text comes from, what contradicts it, and what rests on it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.provenance import explanations, record_explanations
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
