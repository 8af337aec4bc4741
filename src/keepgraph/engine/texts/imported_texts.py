"""Texts that an import brings: stored as episodes, and updated where a later import brings more of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepgraph import errors
from keepgraph.engine.texts import storage
from keepgraph.engine.texts.storage import Annotation, ChunkDraft, Outcome
from keepgraph.language import chunking, utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Episode
from keepgraph.store.transactions import Tx

MAX_CHARACTERS = 8_000_000
"""A longer text is refused."""

Annotations = tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text, with its speaker and what it is about; joined, the parts are the text."""

    text: str
    speaker: str | None = None
    annotations: Annotations = ()


def upsert(
    tx: Tx,
    parts: Sequence[TextPart],
    *,
    kind: str,
    name: str,
    source: str,
    occurred_at: str | None = None,
    existing: Episode | None = None,
) -> Outcome:
    """Store a text as a new episode, or update an existing one; chunks whose text stays are kept.

    Args:
        occurred_at: a timestamp; None for now, or for that of the existing episode.
        existing: the episode to update.

    Raises:
        errors.EpisodeInvalid: the text is empty or too long.
    """
    text = "".join(part.text for part in parts)
    if not text:
        raise errors.EpisodeInvalid("the text is empty")
    if len(text) > MAX_CHARACTERS:
        raise errors.EpisodeInvalid(f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed")
    return storage.upsert(
        tx,
        existing=existing,
        kind=kind,
        name=_shorten_name(name),
        source=source,
        digest=utf8.digest(text),
        occurred_at=occurred_at,
        chunks=lambda: _chunks(parts),
    ).outcome


def _shorten_name(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= storage.MAX_NAME else f"{name[: storage.MAX_NAME - 1]}…"


def _chunks(parts: Sequence[TextPart]) -> Iterator[ChunkDraft]:
    """The parts as chunks; longer ones are divided."""
    for part in parts:
        if len(part.text) <= chunking.TARGET_BYTES:
            yield TextChunk(part.text, speaker=part.speaker), part.annotations
        else:
            for text_chunk in chunking.split(part.text, kind="text"):
                yield TextChunk(text_chunk.text, speaker=part.speaker), part.annotations
