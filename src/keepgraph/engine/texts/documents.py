"""Documents: the text of a file as an episode, stored or updated. Files are read by `document_files`.

What stays of a text that has changed keeps its chunks, and so their vectors and mentions. A file that was moved, and
whose text is the same, stays the same episode.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from keepgraph import store
from keepgraph.engine.texts import storage
from keepgraph.engine.texts.storage import Annotation, Outcome, StoredText
from keepgraph.language import chunking, markdown, markdown_links, normalisation, utf8
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
        date: the date of the text, by its front matter or the name of its file; None where neither has one.
        modified_at: the timestamp of the last change of the file.
        annotations: for each chunk, its links and tags.
        front_matter_error: why the front matter, or the date in it, could not be read; None where it could.
    """

    source: str
    name: str
    digest: str
    date: str | None
    modified_at: str
    text_chunks: tuple[TextChunk, ...]
    annotations: tuple[tuple[Annotation, ...], ...]
    front_matter_error: str | None = None


def prepare(text: str, *, source: str, stem: str, modified_at: str, is_markdown: bool = True) -> Document:
    """Divide a text into chunks, and parse its Markdown. Needs no graph; may take seconds for a very long text.

    Args:
        text: valid Unicode.
        stem: the name of the file without its suffix.
    """
    digest = utf8.digest(text)
    day = match[0] if (match := _DAY.match(stem)) else None
    if not is_markdown:
        text_chunks = tuple(chunking.split(text, kind="text"))
        annotations: tuple[tuple[Annotation, ...], ...] = ((),) * len(text_chunks)
        return Document(source, _title(None, stem), digest, day, modified_at, text_chunks, annotations)
    note = markdown.parse(text)
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


def upsert(tx: Tx, document: Document, *, is_gone: Callable[[str], bool], project: Entity | None = None) -> StoredText:
    """Store a document as an episode of the group, or update the episode with its source.

    What a caller said that it is about stays with it, whatever changes in its text.

    Args:
        project: the project that it is about, besides what was said before.
        is_gone: whether the file of another source no longer exists; then the document may be that file, moved.
    """
    existing = store.episodes.first_by_source(tx, document.source, kind=storage.DOCUMENT)
    if existing and existing.digest == document.digest:
        return StoredText(existing, Outcome.UNCHANGED, is_same_text=True)
    existing = existing or find_moved(tx, document, is_gone=is_gone)
    given = [*_given(tx, existing), *storage.annotations_of_project(project)]
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
        if _may_name_entity(link):
            names[bisect_right(starts, link.offset) - 1]["link", normalisation.clean(link.name)] = None
    for tag in note.tags:
        names[bisect_right(starts, tag.offset) - 1]["tag", normalisation.clean(tag.name)] = None
    for index in range(len(text_chunks)):
        yield tuple(
            {"how": how, "type": None, "name": name} for how, name in names[index] if 0 < len(name) <= _MAX_ANNOTATION
        )


def _may_name_entity(link: markdown_links.Link) -> bool:
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
