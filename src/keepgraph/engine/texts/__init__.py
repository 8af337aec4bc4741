"""Texts: episodes, documents, ingestion of files, extraction by the client, and the index of mentions and proposals."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.texts import (
        chunk_mentions,
        client_extraction,
        corrections,
        document_files,
        documents,
        episodes,
        forget_targets,
        forgetting,
        ingestion,
        mention_index,
        note_folders,
        notes,
        proposals,
        storage,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
