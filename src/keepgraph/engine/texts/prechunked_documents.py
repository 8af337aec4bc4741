"""Documents that a client has divided into chunks: the text as an episode, with what the client extracted from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.texts import (
    episode_context,
    episode_deletion,
    episodes,
    mention_index,
    storage,
)
from keepgraph.engine.texts.client_extraction import ExtractedPart, ExtractionRecorder, ExtractionResult
from keepgraph.engine.texts.storage import Annotation, ChunkDraft
from keepgraph.language import normalisation, utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Entity, Episode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_CHUNKS = 200
"""Of one document; more are not stored, but counted."""

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class PrechunkedDocument:
    """What became of a document, and how many of its chunks were added, removed, kept, are blank, or are unread."""

    episode: Episode
    is_new: bool
    added: int
    removed: int
    kept: int
    blank: int
    unread: int


@dataclass(frozen=True, slots=True)
class _GivenChunk:
    """A chunk as the client gave it; `number` is its place in the argument."""

    number: int
    text: str
    entities: Sequence[Any]
    relations: Sequence[Any]


def upsert(
    tx: Tx,
    given: Sequence[Mapping[str, Any]],
    *,
    source: str,
    doc_id: str | None = None,
    project: Entity | None = None,
) -> tuple[PrechunkedDocument, ExtractionResult]:
    """Store a document in the chunks that a client gave, with the entities and relations in them; or update it.

    Its text is the chunks in the order of their `idx`, with an empty line between them. A document is recognised by its
    doc_id, or by its source. What an earlier version stated, and this one does not, is withdrawn.

    Args:
        project: the project that it is about.

    Raises:
        errors.EpisodeInvalid: there is no source, or no chunk with a text.
        errors.EpisodeNotFound: doc_id has the form of an id, and there is no such episode.
    """
    source_name = normalisation.clean(utf8.replace_surrogates(source))
    if not source_name:
        raise errors.EpisodeInvalid("the source is empty", hint="Name the document by its path or its address.")
    result = ExtractionResult(truncated_chunks=max(len(given) - MAX_CHUNKS, 0))
    given_chunks = _in_order(given[:MAX_CHUNKS])
    with_text = [chunk for chunk in given_chunks if chunk.text.strip()]
    if not with_text:
        raise errors.EpisodeInvalid("no chunk has a text", hint="Give at least one chunk with a text.")
    given_id = normalisation.clean(doc_id or "")
    existing = _find(tx, given_id, source=source_name)
    if existing is not None:
        tx = replace(tx, group=existing.group)
    previous_assertions = store.provenance.of_episode(tx, existing.row) if existing else []
    previous_chunks = store.episodes.chunks(tx, existing) if existing else []
    previous_entities = episode_context.mentioned_entities(tx, previous_chunks)
    parts = [
        ExtractedPart(f"chunks[{chunk.number}]", chunk.text, chunk.entities, chunk.relations) for chunk in given_chunks
    ]
    extraction = ExtractionRecorder(tx, parts, source=source_name, result=result)

    def chunk_drafts() -> Iterable[ChunkDraft]:
        about = storage.annotations_of_project(project)
        extracted = _annotations(given_chunks, extraction.record_entities())
        annotations = [[*about, *(one for one in own if one not in about)] for own in extracted]
        return zip(_text_chunks(with_text), annotations, strict=True)

    digest = utf8.digest(_SEPARATOR.join(chunk.text for chunk in with_text))
    is_same_text = existing is not None and existing.digest == digest
    stored = storage.upsert(
        tx,
        existing=existing,
        kind=storage.PRECHUNKED,
        name=source_name[: storage.MAX_NAME],
        source=None if existing else (given_id or source_name)[: storage.MAX_SOURCE],
        digest=digest,
        occurred_at=None if is_same_text else timestamps.from_datetime(tx.now),
        chunks=chunk_drafts,
    )
    episode = stored.episode
    extraction.record_relations(replace(tx, episode=episode.row))
    _withdraw_proposed(tx, episode, result)
    update = stored.chunk_update
    _withdraw_previous(tx, episode, [row for row, _, _ in previous_assertions], result)
    mention_index.update(tx, update.chunks)
    unread = mention_index.count_unread_chunks(tx, update.chunks)
    if existing is not None:
        created_at = {episode.recorded_at, *(recorded_at for _, _, recorded_at in previous_assertions)}
        candidates = [*previous_entities, *episode_deletion.ends_of(result.withdrawn)]
        result.deleted += episode_deletion.delete_unsupported_entities(tx, candidates, created_at)[0]
    blank = len(given_chunks) - len(with_text)
    is_new = existing is None
    return PrechunkedDocument(episode, is_new, update.added, update.removed, update.kept, blank, unread), result


def _in_order(given: Sequence[Mapping[str, Any]]) -> list[_GivenChunk]:
    """The chunks in the order of their idx; those without have the place where they stand in the argument."""
    ordered = []
    for number, argument in enumerate(given):
        text = utf8.replace_surrogates(argument.get("text") or "")
        chunk = _GivenChunk(number, text, argument.get("entities") or [], argument.get("relations") or [])
        idx = argument.get("idx")
        ordered.append((number if idx is None else idx, chunk))
    return [chunk for _, chunk in sorted(ordered, key=lambda pair: (pair[0], pair[1].number))]


def _find(tx: Tx, given_id: str, *, source: str) -> Episode | None:
    """The document to update, by its id or its source. A doc_id of the client's own is stored as the source."""
    if not given_id.lower().startswith("ep_"):
        return store.episodes.first_by_source(tx, given_id or source, kind=storage.PRECHUNKED)
    episode = episodes.find(tx, given_id)
    if episode.kind != storage.PRECHUNKED:
        raise errors.EpisodeInvalid(f"{episode.id} did not come in chunks", hint="Correct its text with `change`.")
    return episode


def _text_chunks(with_text: Sequence[_GivenChunk]) -> list[TextChunk]:
    last = len(with_text) - 1
    return [TextChunk(chunk.text + (_SEPARATOR if number < last else "")) for number, chunk in enumerate(with_text)]


def _annotations(given: Sequence[_GivenChunk], entities_by_chunk: Sequence[Sequence[Entity]]) -> list[list[Annotation]]:
    """For each chunk with a text the entities that the client found in it, each once.

    The entities of a blank chunk belong to the chunk before it, or to the first one.
    """
    annotations: list[list[Annotation]] = []
    before_first: list[Annotation] = []
    for chunk, entities in zip(given, entities_by_chunk, strict=True):
        own: list[Annotation] = [{"how": "given", "type": entity.type, "name": entity.name} for entity in entities]
        if chunk.text.strip():
            annotations.append(before_first + own)
            before_first = []
        elif annotations:
            annotations[-1] += own
        else:
            before_first += own
    return [list({(one["type"], one["name"]): one for one in own}.values()) for own in annotations]


def _withdraw_previous(tx: Tx, episode: Episode, previous: Sequence[int], result: ExtractionResult) -> None:
    """Withdraw the assertions of an earlier version, but for those that are stated again: of these the first stays."""
    assertions = store.provenance.of_episode(tx, episode.row)
    old = {row: fact for row, fact, _ in assertions if row in set(previous)}
    new = {row: fact for row, fact, _ in assertions if row not in old}
    store.provenance.delete(tx, [row for row, fact in new.items() if fact in set(old.values())])
    # The very same assertion is not stored a second time: then only the result tells that it is stated again.
    stated = {*new.values(), *(fact.row for fact in result.facts)}
    withdrawn = [row for row, fact in old.items() if fact not in stated]
    if withdrawn:
        result.withdrawn += episode_deletion.withdraw_assertions(tx, episode, withdrawn)[0]


def _withdraw_proposed(tx: Tx, episode: Episode, result: ExtractionResult) -> None:
    """Delete the facts that an earlier version proposed, and this one does not."""
    stated = {fact.row for fact in result.waiting}
    proposed = store.proposed_facts.of_episode(tx, episode.row)
    store.proposed_facts.delete(tx, [fact.row for fact in proposed if fact.row not in stated])
