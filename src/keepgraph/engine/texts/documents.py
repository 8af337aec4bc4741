"""Documents: one file's text is one episode, stored or brought up to date. Knows no folder.

What stays of a text that has changed keeps its chunks, and so their vectors and what was read in them. A file that
was moved, and is as it was, stays the episode that it was.
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
from keepgraph.engine.texts import chunks
from keepgraph.engine.texts.chunks import Named
from keepgraph.engine.texts.episodes import PRECHUNKED
from keepgraph.language import canonical, chunking, markdown, normalisation
from keepgraph.language.chunking import Piece
from keepgraph.model import Episode
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

KIND = "document"
ADDED, CHANGED, UNCHANGED, MOVED = "added", "changed", "unchanged", "moved"

_LONGEST_NAME = 200
_LONGEST_TITLE = 500
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
        digest: as texts.digest has it.
        date: when it is of, as the text or the name of the file says; None where neither does.
        modified_at: the stamp of the file's last change.
        named: for each piece, what it links to and is tagged with.
        trouble: why its front matter could not be read.
    """

    source: str
    name: str
    digest: str
    date: str | None
    modified_at: str
    pieces: tuple[Piece, ...]
    named: tuple[tuple[Named, ...], ...]
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a document: added, changed, unchanged or moved; and of its chunks."""

    episode: Episode
    what: str
    chunks_added: int = 0
    chunks_removed: int = 0
    chunks_kept: int = 0


def prepared(text: str, *, source: str, stem: str, modified_at: str, is_markdown: bool = True) -> Document:
    """Cut a text, and read what it says of itself. Needs no graph; may take seconds for a very long text.

    Args:
        text: valid Unicode.
        stem: the name of the file without its suffix.
    """
    digest = canonical.digest(text)
    day = found[0] if (found := _DAY.match(stem)) else None
    if not is_markdown:
        pieces = tuple(chunking.split(text, kind="text"))
        return Document(source, _title(None, stem), digest, day, modified_at, pieces, ((),) * len(pieces))
    note = markdown.read(text)
    pieces = tuple(chunking.split(text, kind="document", outline=note.outline))
    return Document(
        source=source,
        name=_title(note.title, stem),
        digest=digest,
        date=note.date or day,
        modified_at=modified_at,
        pieces=pieces,
        named=tuple(_named(pieces, note)),
        trouble=note.trouble,
    )


def upsert(tx: Tx, document: Document, *, is_gone: Callable[[str], bool]) -> Stored:
    """Store a document as an episode of the group, or bring the one that it is up to date.

    Args:
        is_gone: whether the file of another source is no longer there; then this one may be it.
    """
    known = next(iter(store.episodes.by_source(tx, document.source, kind=KIND)), None)
    if known and known.digest == document.digest:
        return Stored(known, UNCHANGED, chunks_kept=len(document.pieces))
    if known:
        _update(tx, known, document)
        return _chunked(tx, known, document, what=CHANGED)
    if elsewhere := moved(tx, document, is_gone=is_gone):
        _update(tx, elsewhere, document)
        return Stored(elsewhere, MOVED, chunks_kept=len(document.pieces))
    added = store.episodes.insert(
        tx,
        public_id=tx.new_id("ep"),
        kind=KIND,
        name=document.name,
        source=document.source,
        digest=document.digest,
        occurred_at=_occurred_at(tx, document),
        recorded_at=timestamps.stamp(tx.now),
    )
    return _chunked(tx, added, document, what=ADDED)


def moved(tx: Tx, document: Document, *, is_gone: Callable[[str], bool]) -> Episode | None:
    """The document with this very text whose file is no longer where it was."""
    if not document.pieces:
        return None
    same = (each for each in store.episodes.by_digest(tx, document.digest) if each.kind == KIND)
    return next((each for each in same if os.path.isabs(each.source) and is_gone(each.source)), None)


def known(tx: Tx, folder: str) -> dict[str, Episode]:
    """The documents of the group from a folder and those below it, by their source."""
    return {each.source: each for each in reversed(store.episodes.below(tx, os.path.join(folder, ""), kind=KIND))}


def find(tx: Tx, asked: str) -> Episode | None:
    """An episode by its id; or one of the group by the path of its file, or by the id or source a caller gave it."""
    named = (each for kind in (KIND, PRECHUNKED) for each in store.episodes.by_source(tx, asked, kind=kind))
    return store.episodes.by_id(tx, asked) or next(named, None)


def _title(title: str | None, stem: str) -> str:
    return (normalisation.clean(title or "") or normalisation.clean(stem) or "untitled")[:_LONGEST_TITLE]


def _named(pieces: Sequence[Piece], note: markdown.Note) -> Iterable[tuple[Named, ...]]:
    """For each piece, the notes that it links to and the tags that it has, each once."""
    starts = [0, *accumulate(len(piece.text) for piece in pieces)]
    found: dict[int, dict[tuple[str, str], None]] = defaultdict(dict)
    for link in note.links:
        if _is_of_a_thing(link):
            found[bisect_right(starts, link.offset) - 1][("link", normalisation.clean(link.name))] = None
    for tag in note.tags:
        found[bisect_right(starts, tag.offset) - 1][("tag", normalisation.clean(tag.name))] = None
    for place in range(len(pieces)):
        yield tuple(
            {"how": how, "type": "concept" if how == "tag" else None, "name": name}
            for how, name in found[place]
            if 0 < len(name) <= _LONGEST_NAME
        )


def _is_of_a_thing(link: markdown.Link) -> bool:
    """Whether a link may name an entity: not a picture, and not the note of a day."""
    return not _ATTACHMENT.search(link.name) and not _DAY.fullmatch(link.name)


def _update(tx: Tx, episode: Episode, document: Document) -> None:
    store.episodes.update(
        tx,
        episode,
        name=document.name,
        source=document.source,
        digest=document.digest,
        occurred_at=_occurred_at(tx, document),
    )


def _occurred_at(tx: Tx, document: Document) -> str:
    """When a document is of: its date, or the last change of its file."""
    if document.date:
        try:
            return timestamps.parse(document.date, tx.zone)
        except (ValueError, OverflowError):
            pass  # it is a date in another form of ISO 8601, of which there are many
    return document.modified_at


def _chunked(tx: Tx, episode: Episode, document: Document, *, what: str) -> Stored:
    put = chunks.put(tx, episode, document.pieces, document.named)
    return Stored(episode, what, put.added, put.removed, put.kept)
