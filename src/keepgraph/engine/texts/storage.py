"""Storage of texts: the one place where an episode and its chunks are inserted, or brought up to date.

A chunk whose text stays is kept, with its vectors and mentions. Import of our own export format does without this
module: it inserts the rows of another graph as they were there (`exchange.import_episodes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from keepgraph import interruption, store
from keepgraph.language import normalisation
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Chunk, Entity, Episode, Ref
from keepgraph.store.transactions import Tx

TEXT, MESSAGE, JSON, DOCUMENT, PRECHUNKED = "text", "message", "json", "document", "prechunked"
"""The kinds of episodes: see model.Episode."""

MAX_NAME = 500
MAX_SOURCE = 4_096
"""Of an episode, in characters; callers refuse or shorten longer text."""

_MAX_SPEAKER = 200

# Positions are so far apart that chunks can be inserted between others without moving these.
_POSITION_STEP = 1_000

Annotation: TypeAlias = Mapping[str, str | None]
"""An entity that a chunk is about, whatever its words: how, and a type and a name, or an id. See model.Chunk."""

ChunkDraft: TypeAlias = tuple[TextChunk, Sequence[Annotation]]
"""A chunk to store, with its annotations."""


class Outcome(StrEnum):
    """What became of a text: its episode is new, was there unchanged, or was updated."""

    ADDED = "added"
    UNCHANGED = "unchanged"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class ChunkUpdate:
    """The chunks of an episode after an update, and how many were added, removed and kept."""

    chunks: tuple[Chunk, ...] = ()
    added: int = 0
    removed: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text as an episode, and what was done.

    Attributes:
        is_same_text: whether the episode already had exactly this text.
        chunk_update: empty if the chunks did not change.
    """

    episode: Episode
    outcome: Outcome
    is_same_text: bool = False
    chunk_update: ChunkUpdate = ChunkUpdate()


def upsert(
    tx: Tx,
    *,
    existing: Episode | None,
    kind: str,
    name: str,
    source: str | None,
    digest: str,
    occurred_at: str | None,
    chunks: Callable[[], Iterable[ChunkDraft]],
) -> StoredText:
    """Insert a text as an episode of the group, or bring an existing episode up to date.

    While a text stays the same, so do its chunks, except those of a client, which may cut or annotate them differently.

    Args:
        existing: the episode to update, of the same kind, as the caller identifies it; None for a new one.
        source: None for that of the existing episode, or for none.
        digest: that of the text, as utf8.digest gives it.
        occurred_at: a timestamp; None for that of the existing episode, or for now.
        chunks: gives the chunks of the text; it is called only if they are needed, since cutting a text takes time.
    """
    if existing is None:
        now = tx.at
        episode = store.episodes.insert(
            tx,
            public_id=tx.new_id("ep"),
            kind=kind,
            name=name,
            source=source or "",
            digest=digest,
            occurred_at=occurred_at or now,
            recorded_at=now,
        )
        return StoredText(episode, Outcome.ADDED, chunk_update=_update_chunks(tx, episode, list(chunks()), existing=()))
    episode = replace(
        existing,
        name=name,
        source=existing.source if source is None else source,
        digest=digest,
        occurred_at=occurred_at or existing.occurred_at,
    )
    store.episodes.update(tx, episode)
    is_same_text = digest == existing.digest
    if is_same_text and kind != PRECHUNKED:
        outcome = Outcome.UNCHANGED if episode == existing else Outcome.UPDATED
        return StoredText(episode, outcome, is_same_text=True)
    before = store.episodes.chunks(tx, existing)
    return StoredText(
        episode, Outcome.UPDATED, is_same_text, _update_chunks(tx, episode, list(chunks()), existing=before)
    )


def annotations_of_project(project: Entity | None) -> tuple[Annotation, ...]:
    """What every chunk of a text that a caller puts into a project is annotated with."""
    return () if project is None else ({"how": "given", "type": project.type, "name": project.name},)


def annotation(about: Ref) -> Annotation:
    """What every chunk of a text that is about something is annotated with."""
    return {"how": "given", "id": about.id} if about.id else {"how": "given", "type": about.type, "name": about.name}


def lacks(tx: Tx, episode: Episode, annotations: Sequence[Annotation]) -> bool:
    """Whether some chunk of an episode lacks one of these annotations."""
    chunks = store.episodes.chunks(tx, episode)
    return any(annotation not in chunk.annotations for chunk in chunks for annotation in annotations)


def annotate(
    tx: Tx, episode: Episode, annotations: Sequence[Annotation], *, note: Annotation | None = None
) -> tuple[Chunk, ...]:
    """Add annotations to the chunks of an episode that lack them; returns the chunks that were changed, unread now.

    Args:
        note: that with the entity that the text is the note of, in place of an earlier one.
    """
    wanted = [*([note] if note else []), *annotations]
    changed = []
    for chunk in store.episodes.chunks(tx, episode):
        kept = [each for each in chunk.annotations if note is None or "id" not in each or each in wanted]
        new = [each for each in wanted if each not in kept]
        if new or len(kept) < len(chunk.annotations):
            annotated = replace(chunk, annotations=(*kept, *new))
            store.episodes.update_chunk(
                tx, chunk, position=chunk.position, heading=chunk.heading, annotations=annotated.annotations
            )
            changed.append(annotated)
    return tuple(changed)


def _update_chunks(tx: Tx, episode: Episode, drafts: Sequence[ChunkDraft], *, existing: Sequence[Chunk]) -> ChunkUpdate:
    """Let an episode consist of these chunks, in their order, in place of the existing ones; each new one is unread."""
    kept = _match(existing, [text_chunk for text_chunk, _ in drafts])
    kept_rows = {chunk.row for chunk in kept if chunk}
    for chunk in existing:
        if chunk.row not in kept_rows:
            store.episodes.delete_chunk(tx, chunk)
    positions = _positions([chunk.position if chunk else None for chunk in kept])
    chunks = tuple(
        _update_chunk(tx, chunk, text_chunk, position=position, annotations=annotations)
        if chunk
        else _insert_chunk(tx, episode, text_chunk, position=position, annotations=annotations)
        for chunk, (text_chunk, annotations), position in zip(kept, drafts, positions, strict=True)
    )
    return ChunkUpdate(chunks, len(chunks) - len(kept_rows), len(existing) - len(kept_rows), len(kept_rows))


def _match(existing: Sequence[Chunk], text_chunks: Sequence[TextChunk]) -> list[Chunk | None]:
    """For each new chunk the existing one with the same text and speaker, preferably under the same heading."""
    free: dict[tuple[str, str | None], list[Chunk]] = defaultdict(list)
    for chunk in existing:
        free[chunk.text, chunk.speaker].append(chunk)
    matches: list[Chunk | None] = []
    for text_chunk in text_chunks:
        same = free[text_chunk.text, _speaker(text_chunk)]
        headings = [chunk.heading for chunk in same]
        heading = text_chunk.heading or ""
        matches.append(same.pop(headings.index(heading) if heading in headings else 0) if same else None)
    return matches


def _positions(kept: Sequence[int | None]) -> list[int]:
    """Positions in rising order for all chunks; those of kept chunks stay as they are where the order allows it.

    Args:
        kept: for each chunk the position that it has, None for a new one.
    """
    highest = -1
    fixed: list[int | None] = []
    for position in kept:
        stays = position is not None and position > highest
        highest = position if stays and position is not None else highest
        fixed.append(position if stays else None)
    positions: list[int] = []
    index = 0
    while index < len(fixed):
        if (position := fixed[index]) is not None:
            positions.append(position)
            index += 1
            continue
        end = next((later for later in range(index, len(fixed)) if fixed[later] is not None), len(fixed))
        below = positions[-1] if positions else 0
        above = fixed[end] if end < len(fixed) else None
        step = _POSITION_STEP if above is None else (above - below) // (end - index + 1)
        if step < 1:
            # No room between two kept chunks: all get new positions.
            return [(number + 1) * _POSITION_STEP for number in range(len(fixed))]
        positions += [below + (number + 1) * step for number in range(end - index)]
        index = end
    return positions


def _update_chunk(
    tx: Tx, chunk: Chunk, text_chunk: TextChunk, *, position: int, annotations: Sequence[Annotation]
) -> Chunk:
    heading = text_chunk.heading or ""
    store.episodes.update_chunk(tx, chunk, position=position, heading=heading, annotations=annotations)
    return replace(chunk, position=position, heading=heading, annotations=tuple(annotations))


def _insert_chunk(
    tx: Tx, episode: Episode, text_chunk: TextChunk, *, position: int, annotations: Sequence[Annotation]
) -> Chunk:
    interruption.raise_if_due()  # SQLite asks only within a statement, and each of these is short
    speaker = _speaker(text_chunk)
    return store.episodes.insert_chunk(
        tx,
        episode,
        position=position,
        text=text_chunk.text,
        heading=text_chunk.heading or "",
        speaker=speaker,
        speaker_key=speaker and normalisation.key(speaker),
        annotations=annotations,
        spaced=normalisation.segment_characters(text_chunk.text),
    )


def _speaker(text_chunk: TextChunk) -> str | None:
    return normalisation.clean(text_chunk.speaker or "")[:_MAX_SPEAKER] or None
