"""Documents: the text of a file as an episode, stored or updated. Files are read by `document_files`.

What stays of a text that has changed keeps its chunks, and so their vectors and mentions. A file that was moved, and
whose text is the same, stays the same episode.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.texts import episodes, forgetting, mention_index, storage
from keepgraph.engine.texts.client_extraction import ExtractedPart, ExtractionRecorder, ExtractionResult
from keepgraph.engine.texts.storage import Annotation, ChunkDraft, Outcome, StoredText
from keepgraph.language import chunking, markdown, normalisation, utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Entity, Episode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_MAX_ANNOTATION = 200
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|heic|tiff?|pdf|mp[34]|m4a|wav|ogg|flac|webm|mov|mkv|canvas|base|excalidraw"
    r"|csv|tsv|json|zip|docx?|xlsx?|pptx?|epub|html?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text that is ready to be stored.

    Attributes:
        source: the path of its file.
        digest: as utf8.digest gives it.
        date: the date of the text, by its front matter or the name of its file; None if neither has one.
        modified_at: the timestamp of the last change of the file.
        annotations: for each chunk, its links and tags.
        front_matter_error: why the front matter, or the date in it, could not be read; None if it could.
    """

    source: str
    name: str
    digest: str
    date: str | None
    modified_at: str
    text_chunks: tuple[TextChunk, ...]
    annotations: tuple[tuple[Annotation, ...], ...]
    front_matter_error: str | None = None


def prepare(text: str, *, source: str, stem: str, modified_at: str, note: markdown.Note | None) -> Document:
    """Divide a text into chunks. Needs no graph; may take seconds for a very long text.

    Args:
        text: valid Unicode.
        stem: the name of the file without its suffix.
        note: the text parsed as Markdown; None if it is not Markdown.
    """
    digest = utf8.digest(text)
    day = match[0] if (match := _DAY.match(stem)) else None
    if note is None:
        text_chunks = tuple(chunking.split(text, kind="text"))
        annotations: tuple[tuple[Annotation, ...], ...] = ((),) * len(text_chunks)
        return Document(source, _title(None, stem), digest, day, modified_at, text_chunks, annotations)
    text_chunks = tuple(chunking.split(text, kind="document", outline=note.outline))
    return Document(
        source=source,
        name=_title(note.title, stem),
        digest=digest,
        date=note.date or day,
        modified_at=modified_at,
        text_chunks=text_chunks,
        annotations=tuple(_annotations(text_chunks, note)),
        front_matter_error=note.front_matter_error,
    )


def of_note(document: Document, *, name: str) -> Document:
    """A document that is a note: its links and tags are facts, and no names to be proposed."""
    return replace(document, name=name[: storage.MAX_NAME], annotations=((),) * len(document.text_chunks))


def upsert(
    tx: Tx,
    document: Document,
    *,
    existing: Episode | None,
    project: Entity | None = None,
    note: Annotation | None = None,
) -> StoredText:
    """Store a document as an episode of the group, or update the one that it was before.

    What a caller said it is about stays, whatever changes in its text.

    Args:
        existing: the episode with its source, or that of the file before it was moved; None if it is new.
        project: the project that it is about, in addition to earlier ones.
        note: the annotation with the entity of the note.
    """
    if existing and note is None and (existing.source, existing.digest) == (document.source, document.digest):
        return StoredText(existing, Outcome.UNCHANGED, is_same_text=True)
    given = [*_given(tx, existing), *storage.annotations_of_project(project)]
    if note is not None:
        given = [note, *(one for one in given if "id" not in one)]
    distinct = [one for position, one in enumerate(given) if one not in given[:position]]
    return storage.upsert(
        tx,
        existing=existing,
        kind=storage.DOCUMENT,
        name=document.name,
        source=document.source,
        digest=document.digest,
        occurred_at=_occurred_at(tx, document),
        chunks=lambda: (
            (text_chunk, [*annotations, *distinct])
            for text_chunk, annotations in zip(document.text_chunks, document.annotations, strict=True)
        ),
    )


def find_moved(tx: Tx, document: Document, *, is_gone: Callable[[str], bool]) -> Episode | None:
    """The episode with the very text of a document whose file no longer exists."""
    if not document.text_chunks:
        return None
    for episode in store.episodes.by_digest(tx, document.digest):
        if episode.kind == storage.DOCUMENT and os.path.isabs(episode.source) and is_gone(episode.source):
            return episode
    return None


def in_folder(tx: Tx, folder: str) -> dict[str, Episode]:
    """The documents of the group from a folder and those below it, by their source."""
    episodes = store.episodes.by_source_prefix(tx, os.path.join(folder, ""), kind=storage.DOCUMENT)
    return {episode.source: episode for episode in reversed(episodes)}


def find(tx: Tx, reference: str) -> Episode | None:
    """An episode by its id; or one of the group by the path of its file, or by the id or source that a caller gave."""
    return (
        store.episodes.by_id(tx, reference)
        or store.episodes.first_by_source(tx, reference, kind=storage.DOCUMENT)
        or store.episodes.first_by_source(tx, reference, kind=storage.PRECHUNKED)
    )


def _given(tx: Tx, episode: Episode | None) -> list[Annotation]:
    """What callers said that a document is about."""
    chunks = store.episodes.chunks(tx, episode) if episode else []
    return [annotation for chunk in chunks for annotation in chunk.annotations if annotation.get("how") == "given"]


def _title(title: str | None, stem: str) -> str:
    return (normalisation.clean(title or "") or normalisation.clean(stem) or "untitled")[: storage.MAX_NAME]


def _annotations(text_chunks: Sequence[TextChunk], note: markdown.Note) -> Iterable[tuple[Annotation, ...]]:
    """For each chunk the notes that it links to and its tags, each once."""
    starts = [0, *accumulate(len(text_chunk.text) for text_chunk in text_chunks)]
    names: dict[int, dict[tuple[str, str], None]] = defaultdict(dict)
    for link in note.links:
        if may_name_entity(link):
            names[bisect_right(starts, link.offset) - 1]["link", normalisation.clean(link.name)] = None
    for tag in note.tags:
        names[bisect_right(starts, tag.offset) - 1]["tag", normalisation.clean(tag.name)] = None
    for index in range(len(text_chunks)):
        yield tuple(
            {"how": how, "type": None, "name": name} for how, name in names[index] if 0 < len(name) <= _MAX_ANNOTATION
        )


def may_name_entity(link: markdown.Link) -> bool:
    """Whether a link may name an entity: it leads to no picture or other attachment, and to no daily note."""
    return not _ATTACHMENT.search(link.name) and not _DAY.fullmatch(link.name)


def _occurred_at(tx: Tx, document: Document) -> str:
    """The timestamp of a document: its date, else the last change of its file."""
    if document.date:
        try:
            return timestamps.parse(document.date, tx.zone)
        except (ValueError, OverflowError):
            pass  # it is a date in another form of ISO 8601, of which there are many
    return document.modified_at


# Documents that a client has divided into chunks: the text as an episode, with what the client extracted from it.

_MAX_CHUNKS = 200
"""Of one document; more are not stored, but counted."""

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class _PrechunkedDocument:
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


def upsert_prechunked(
    tx: Tx,
    given: Sequence[Mapping[str, Any]],
    *,
    source: str,
    doc_id: str | None = None,
    project: Entity | None = None,
) -> tuple[_PrechunkedDocument, ExtractionResult]:
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
    result = ExtractionResult(truncated_chunks=max(len(given) - _MAX_CHUNKS, 0))
    given_chunks = _in_order(given[:_MAX_CHUNKS])
    with_text = [chunk for chunk in given_chunks if chunk.text.strip()]
    if not with_text:
        raise errors.EpisodeInvalid("no chunk has a text", hint="Give at least one chunk with a text.")
    given_id = normalisation.clean(doc_id or "")
    existing = _find(tx, given_id, source=source_name)
    if existing is not None:
        tx = replace(tx, group=existing.group)
    previous_assertions = store.provenance.of_episode(tx, existing.row) if existing else []
    previous_chunks = store.episodes.chunks(tx, existing) if existing else []
    previous_entities = episodes.mentioned_entities(tx, previous_chunks)
    parts = [
        ExtractedPart(f"chunks[{chunk.number}]", chunk.text, chunk.entities, chunk.relations) for chunk in given_chunks
    ]
    extraction = ExtractionRecorder(tx, parts, source=source_name, result=result)

    def chunk_drafts() -> Iterable[ChunkDraft]:
        about = storage.annotations_of_project(project)
        extracted = _prechunked_annotations(given_chunks, extraction.record_entities())
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
        occurred_at=None if is_same_text else tx.at,
        chunks=chunk_drafts,
    )
    episode = stored.episode
    extraction.record_relations(replace(tx, episode=episode.row))
    _withdraw_proposed(tx, episode, result)
    update = stored.chunk_update
    # The same assertion is not stored twice: then only the result says that it is stated again.
    result.withdrawn += forgetting.withdraw_unstated(
        tx, episode, [row for row, _, _ in previous_assertions], stated={fact.row for fact in result.facts}
    )
    mention_index.update(tx, update.chunks)
    unread = mention_index.count_unread_chunks(tx, update.chunks)
    if existing is not None:
        created_at = {episode.recorded_at, *(recorded_at for _, _, recorded_at in previous_assertions)}
        candidates = [*previous_entities, *forgetting.ends_of(result.withdrawn)]
        result.deleted += forgetting.delete_unsupported_entities(tx, candidates, created_at)[0]
    blank = len(given_chunks) - len(with_text)
    is_new = existing is None
    return _PrechunkedDocument(episode, is_new, update.added, update.removed, update.kept, blank, unread), result


def _in_order(given: Sequence[Mapping[str, Any]]) -> list[_GivenChunk]:
    """The chunks in the order of their idx; without one, its place in the argument counts."""
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


def _prechunked_annotations(
    given: Sequence[_GivenChunk], entities_by_chunk: Sequence[Sequence[Entity]]
) -> list[list[Annotation]]:
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


def _withdraw_proposed(tx: Tx, episode: Episode, result: ExtractionResult) -> None:
    """Delete the facts that an earlier version proposed, and this one does not."""
    stated = {fact.row for fact in result.waiting}
    proposed = store.proposals.facts_of_episode(tx, episode.row)
    store.proposals.delete(tx, [fact.row for fact in proposed if fact.row not in stated])
