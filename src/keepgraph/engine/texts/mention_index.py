"""The index of mentions and proposals, and its backfill.

Mentions and proposals are derived from the chunks and from the names of the graph (ADR 0027). They are updated in the
call that brings a text. When a text or a name changes later, triggers mark chunks and names as unread, and a backfill
updates them: in the background, or before the next read that needs them. A backfill computes in a read transaction, so
that its write transactions are short.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from keepgraph import interruption, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.texts import proposals
from keepgraph.engine.texts.chunk_mentions import Detector
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words, normalisation
from keepgraph.lazy import dataclass
from keepgraph.model import Chunk, Mention, ProposalDraft
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

_MAX_CHUNKS_IN_BATCH = 40
_MAX_NAMES_IN_BATCH = 200

# A call that brings texts detects mentions within these limits of characters and time; a backfill does the rest.
_MAX_CHARACTERS_IN_CALL = 400_000
_MAX_SECONDS_IN_CALL = 10.0

# A name that is in more chunks than this is not found in the rest of them until they are read again.
_MAX_CHUNKS_OF_A_NAME = 100_000

# A batch is computed again this often because somebody else wrote; then it is computed in the write transaction.
_MAX_CONFLICTS = 3


def backfill(
    database: Database,
    *,
    seconds: float | None = None,
    max_chunks: int | None = None,
    episodes: Sequence[int] | None = None,
) -> int:
    """Update the index in batches; returns how many chunks and names are still unread.

    First the chunks that may have new names are marked as unread, then mentions are detected in unread chunks.

    Args:
        seconds: stop after the batch in which so much time has passed, and do not wait long for other writers; None
            goes on to the end.
        max_chunks: stop after this many chunks.
        episodes: detect mentions in the chunks of these only, and count only those; None: in all.

    Raises:
        errors.GraphFileError: the graph cannot be written.
    """
    until = time.monotonic() + seconds if seconds is not None else None
    done = conflicts = 0
    while True:
        cancellation = vector_backfill.short_wait() if until else None
        with database.read("reading") as tx:
            unread = count_unread(tx) if episodes is None else store.mentions.count_unread_in_episodes(tx, episodes)
            is_late = until is not None and done and time.monotonic() > until
            if not unread or is_late or (max_chunks is not None and done >= max_chunks):
                return unread
            version = store.mentions.journal_version(tx)
            left = None if until is None else max(until - time.monotonic(), 0.0)
            batch = _Batch.compute(tx, seconds=left, episodes=episodes)
        with database.write("reading", cancellation=cancellation) as tx:
            if store.mentions.journal_version(tx) != version:
                # Somebody wrote in the meantime: the chunks and names of the batch may have changed.
                if conflicts < _MAX_CONFLICTS:
                    conflicts += 1
                    continue
                batch = _Batch.compute(tx, seconds=0.0, episodes=episodes)
            batch.write(tx)
        done += len(batch.chunks) or 1
        conflicts = 0


def update(tx: Tx, chunks: Sequence[Chunk]) -> None:
    """Update the index for chunks in the call that wrote them; of a very long text the rest stays unread."""
    characters = 0
    for count, chunk in enumerate(chunks):
        characters += len(chunk.text)
        if characters > _MAX_CHARACTERS_IN_CALL and count:
            chunks = chunks[:count]
            break
    # For all texts of the call together: a hundred files are stored in one.
    until = tx.memo.setdefault(("mention index", "until"), time.monotonic() + _MAX_SECONDS_IN_CALL)
    if time.monotonic() > until:
        return
    _write(tx, _until(until, _detect(tx, chunks)))


def catch_up(tx: Tx, *, seconds: float) -> bool:
    """Backfill within a call that depends on it; returns whether nothing is unread any more."""
    until = time.monotonic() + seconds
    while store.mentions.any_unread(tx) and time.monotonic() < until:
        _Batch.compute(tx, seconds=max(until - time.monotonic(), 0.0)).write(tx)
    return not store.mentions.any_unread(tx)


def count_due(database: Database) -> int:
    """How many chunks and names of a graph are unread."""
    with database.read("reading") as tx:
        return count_unread(tx)


def count_unread(tx: Tx) -> int:
    """How many chunks and names of a graph are unread."""
    return sum(store.mentions.count(tx))


def count_unread_chunks(tx: Tx, chunks: Sequence[Chunk]) -> int:
    """How many of these chunks are unread."""
    return store.mentions.count_waiting_chunks(tx, [chunk.row for chunk in chunks])


@dataclass(frozen=True, slots=True)
class _Entry:
    """The mentions and proposals of one chunk."""

    chunk: Chunk
    group: str
    mentions: tuple[Mention, ...]
    proposals: tuple[ProposalDraft, ...]


def _until(until: float | None, entries: Iterator[_Entry]) -> list[_Entry]:
    """The entries up to that in which a time has come, in seconds of the monotonic clock; at least one."""
    taken = []
    for entry in entries:
        taken.append(entry)
        if until is not None and time.monotonic() > until:
            break
    return taken


def _write(tx: Tx, entries: Sequence[_Entry]) -> None:
    """Replace the mentions and proposals of chunks; they are no longer unread then."""
    chunks = [entry.chunk.row for entry in entries]
    store.mentions.replace(tx, chunks, (mention for entry in entries for mention in entry.mentions))
    drafts = ((entry.chunk.row, entry.group, draft) for entry in entries for draft in entry.proposals)
    store.proposals.replace(tx, chunks, drafts)


def _detect(tx: Tx, chunks: Sequence[Chunk]) -> Iterator[_Entry]:
    """The mentions and proposals of some chunks, one chunk after the other."""
    episodes = store.episodes.by_rows(tx, list({chunk.episode for chunk in chunks}))
    first_chunks = store.episodes.first_chunks(tx, list(episodes))
    detectors: dict[str, Detector] = {}
    for chunk in chunks:
        interruption.raise_if_due()
        episode = episodes[chunk.episode]
        if episode.group not in detectors:
            detectors[episode.group] = Detector(tx, episode.group)
        detector = detectors[episode.group]
        detection = detector.detect(episode, chunk, is_first=chunk.row in first_chunks)
        yield _Entry(chunk, episode.group, detection.mentions, proposals.propose(detector, detection))


@dataclass(frozen=True, slots=True)
class _Batch:
    """What one write transaction of the backfill writes.

    Attributes:
        names: the numbers of names that were looked for, as store.mentions.next_names gives them.
        to_read: the rows of the chunks that may have these names.
        chunks: the chunks in which mentions were detected.
        deleted: the rows of unread chunks that no longer exist.
        all_chunks: whether all chunks are to be read: with more new names than chunks that is quicker.
    """

    names: tuple[int, ...] = ()
    to_read: tuple[int, ...] = ()
    chunks: tuple[_Entry, ...] = ()
    deleted: tuple[int, ...] = ()
    all_chunks: bool = False

    @classmethod
    def compute(cls, tx: Tx, *, seconds: float | None, episodes: Sequence[int] | None = None) -> _Batch:
        """The next batch: at least one name or chunk, and more while these seconds last (None: without limit).

        Args:
            episodes: chunks of these only, and no names; None: of all.
        """
        until = None if seconds is None else time.monotonic() + seconds
        if episodes is not None:
            return cls._of_chunks(tx, until, episodes)
        _, new_names = store.mentions.count(tx)
        if new_names and new_names > store.episodes.count_chunks(tx):
            return cls(all_chunks=True)
        return cls._of_names(tx, until) if new_names else cls._of_chunks(tx, until)

    @classmethod
    def _of_names(cls, tx: Tx, until: float | None) -> _Batch:
        numbers: list[int] = []
        rows: set[int] = set()
        vocabulary = graph_vocabulary.read(tx)
        for number, name, group, entity_type in store.mentions.next_names(tx, limit=_MAX_NAMES_IN_BATCH):
            if name and group:
                is_person = entity_type is not None and vocabulary.style(entity_type) == "person"
                rows.update(chunks_with_name(tx, name, group=group, is_person=is_person))
                # A link, a tag or a title need not be among the words.
                rows.update(store.proposals.chunks_of_name(tx, normalisation.key(name), group=group))
            numbers.append(number)
            if until is not None and time.monotonic() > until:
                break
        return cls(names=tuple(numbers), to_read=tuple(sorted(rows)))

    @classmethod
    def _of_chunks(cls, tx: Tx, until: float | None, episodes: Sequence[int] | None = None) -> _Batch:
        rows = store.mentions.next_chunks(tx, limit=_MAX_CHUNKS_IN_BATCH, episodes=episodes)
        chunks = store.episodes.chunks_by_rows(tx, rows)
        entries = _until(until, _detect(tx, [chunks[row] for row in rows if row in chunks]))
        return cls(chunks=tuple(entries), deleted=tuple(row for row in rows if row not in chunks))

    def write(self, tx: Tx) -> None:
        if self.all_chunks:
            store.mentions.add_all_chunks(tx)
        store.mentions.add_chunks(tx, self.to_read)
        store.mentions.remove_names(tx, self.names)
        _write(tx, self.chunks)
        store.mentions.remove_chunks(tx, self.deleted)


def chunks_with_name(tx: Tx, name: str, *, group: str, is_person: bool) -> set[int]:
    """The rows of the chunks that may have a name; for a person, also the first or the last name alone."""
    spaced = normalisation.segment_characters(name) or name
    if not any(c.isalnum() for c in spaced):
        return set(store.mentions.chunks_with_letters(tx, name, group=group, limit=_MAX_CHUNKS_OF_A_NAME))
    words = spaced.split()
    phrases = {spaced, words[0], words[-1]} if is_person and len(words) > 1 else {spaced}
    rows: set[int] = set()
    for phrase in phrases:
        if any(c.isalnum() for c in phrase):
            # A name that is an ordinary word with a capital (Mark) is not looked for in all chunks with that word.
            needs_capital = phrase != phrase.lower() and common_words.is_common(phrase.lower())
            rows.update(
                store.mentions.chunks_with_words(
                    tx,
                    store.full_text.phrase(phrase),
                    group=group,
                    limit=_MAX_CHUNKS_OF_A_NAME,
                    spelled=[phrase, phrase.upper()] if needs_capital else (),
                )
            )
    return rows
