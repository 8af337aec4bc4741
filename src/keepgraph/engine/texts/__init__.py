"""Episodes and documents: storing, ingesting and reading texts, and the index of mentions."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.texts import chunks, documents, episodes, extraction, ingestion, mention_index, upserts
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
