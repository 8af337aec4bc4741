"""Retrievers: functions from a question to a ranking; `table` lists them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.retrieval.retrievers import (
        by_distance,
        by_fact,
        by_feedback,
        by_link,
        by_member,
        by_mention,
        by_name,
        by_vector,
        by_words,
        table,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
