"""Retrievers: functions from a question to a ranking; `table` lists them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.retrieval.retrievers import by_feedback, by_vector, table
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
