"""Ingestion of files and folders: walks a folder and stores its documents, a few files in a transaction.

It can be stopped at any moment and called again: a document that is stored already is recognised by its digest.
"""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from keepgraph import errors, store
from keepgraph.engine.knowledge import projects
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.texts import document_files, documents, forgetting, mention_index, storage
from keepgraph.engine.texts.document_files import display_path
from keepgraph.engine.texts.documents import Document
from keepgraph.engine.texts.storage import Outcome, StoredText
from keepgraph.language import utf8
from keepgraph.model import Entity, Episode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

NAMES = "names"
"""The current work in a report of progress, where it is not a file: detection of mentions in what was stored."""

LINK, NOT_A_FILE, EMPTY, TOO_DEEP = "SYMBOLIC_LINK", "NOT_A_FILE", "EMPTY", "TOO_DEEP"
"""Why a file is skipped without an error."""

_SKIPPED_FOLDERS = frozenset(["node_modules", "__pycache__"])
_MAX_FOLDER_DEPTH = 100

# A batch is one call: other writers wait for it, and undo takes it back as a whole.
_MAX_FILES_IN_BATCH = 100
_MAX_CHARACTERS_IN_BATCH = 1_000_000

_SECONDS_OF_A_BACKFILL = 0.5
_SECONDS_BETWEEN_REPORTS = 0.2

# The first and last second of the years 1 to 9999, which a datetime can represent, as POSIX timestamps.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799


@dataclass(frozen=True, slots=True)
class Remark:
    """A file, with a code and a message about it."""

    path: str
    code: str
    message: str


@dataclass(slots=True)
class Report:
    """What became of the files.

    Attributes:
        files_seen: how many were looked at.
        episodes: the rows of the documents that were added, changed or moved.
        missing: the sources of documents whose file no longer exists.
        forgotten: how many of these were deleted.
        skipped: files that were not read, and why.
        failed: files that could not be read or stored, and why.
        warnings: files that were stored although not all of them could be read.
        mentions: how often entities are mentioned in what was stored.
        proposals: how many proposals have evidence in it.
        unread: how many of its chunks are unread; then mentions and proposals are not all.
        calls: the numbers of the calls that stored it, for undo.
        scope: the group that it is in, and the project that it is about.
        complete: False if it was stopped before the end.
    """

    files_seen: int = 0
    unchanged: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    chunks_added: int = 0
    chunks_removed: int = 0
    episodes: list[int] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    forgotten: int = 0
    skipped: list[Remark] = field(default_factory=list)
    failed: list[Remark] = field(default_factory=list)
    warnings: list[Remark] = field(default_factory=list)
    mentions: int = 0
    proposals: int = 0
    unread: int = 0
    calls: list[int] = field(default_factory=list)
    scope: Scope = field(default_factory=lambda: Scope(""))
    complete: bool = True

    def count(self, stored: StoredText) -> None:
        if stored.outcome is Outcome.UNCHANGED:
            self.unchanged += 1
            return
        if stored.outcome is Outcome.ADDED:
            self.added += 1
        elif stored.is_same_text:
            self.moved += 1
        else:
            self.changed += 1
        self.chunks_added += stored.chunk_update.added
        self.chunks_removed += stored.chunk_update.removed
        self.episodes.append(stored.episode.row)


def ingest(
    job: Job,
    path: Path,
    *,
    project: str | None = None,
    recursive: bool = True,
    forget_missing: bool = False,
    dry_run: bool = False,
    seconds: float | None = None,
) -> Report:
    """Store a file, or the documents of a folder, and update those that are stored already.

    Args:
        path: an absolute path without links in it, as os.path.realpath gives it. What leads out of it is not read.
        project: the project that all of it is about, or the id of the group to store it in.
        recursive: whether to enter the folders below.
        forget_missing: whether to delete documents of the folder whose file no longer exists.
        dry_run: whether only to report what would be done.
        seconds: how long it may take; then it stops, and can be called again.

    Raises:
        errors.DocumentUnreadable: there is no such file or folder, it is no document, or it cannot be read.
        errors.Ambiguous, errors.EntityNotFound, errors.ProjectRequired: no one project is meant.
    """
    return _Ingestion(job, path, project, dry_run, seconds).run(recursive=recursive, forget_missing=forget_missing)


class _Ingestion:
    """One ingestion, with its report."""

    def __init__(self, job: Job, path: Path, project: str | None, dry_run: bool, seconds: float | None) -> None:
        self._job, self._project, self._dry_run = job, project, dry_run
        self._path = path
        self._unchanged: list[Episode] = []
        self._until = None if seconds is None else time.monotonic() + seconds
        self._total = 0
        self._reported_at = -math.inf
        self.report = Report()
        with job.read() as tx:
            self.report.scope = projects.read_exactly(tx, project)
        self._group = self.report.scope.group

    def run(self, *, recursive: bool, forget_missing: bool) -> Report:
        try:
            is_folder = stat.S_ISDIR(os.stat(self._path).st_mode)
        except (OSError, ValueError) as error:
            raise document_files.unreadable(self._path, error) from error
        if not is_folder and not document_files.is_document(self._path.name):
            raise errors.DocumentUnreadable(
                f"{display_path(self._path)} is no document: its name ends in none of "
                f"{', '.join(document_files.SUFFIXES)}"
            )
        root = self._path if is_folder else self._path.parent
        existing = self._existing_documents(is_folder=is_folder)
        files = list(self._walk(root, recursive=recursive)) if is_folder else [self._path]
        self._store_files(files, root, existing)
        self._annotate_unchanged()
        if is_folder and self.report.complete:
            self._find_missing(existing, {display_path(file) for file in files}, forget=forget_missing)
        if not self._dry_run:
            self._detect_mentions()
        if self.report.complete:
            self._job.report_progress(self._total, self._total, display_path(self._path))
        return self.report

    def _existing_documents(self, *, is_folder: bool) -> dict[str, Episode]:
        """The stored documents of the folder, or that of the file, by their source."""
        source = display_path(self._path)
        with self._job.read(group=self._group) as tx:
            if is_folder:
                return documents.in_folder(tx, source)
            episode = store.episodes.first_by_source(tx, source, kind=storage.DOCUMENT)
            return {episode.source: episode} if episode else {}

    def _walk(self, root: Path, *, recursive: bool) -> Iterator[Path]:
        """The documents of a folder and those below it, by name. Hidden folders and links are not entered."""
        stack = [(root, 0)]
        while stack:
            folder, depth = stack.pop()
            try:
                with os.scandir(folder) as scanned:
                    entries = sorted(scanned, key=lambda entry: os.fsencode(entry.name))
            except OSError as error:
                self._fail(folder, document_files.unreadable(folder, error))
                continue
            subfolders = []
            for entry in entries:
                path = folder / entry.name
                is_document = document_files.is_document(entry.name)
                is_hidden = entry.name.startswith(".")
                if entry.is_symlink():
                    if is_document or (recursive and entry.is_dir() and not is_hidden):
                        self._skip(path, LINK, "a link is not followed")
                elif entry.is_dir(follow_symlinks=False):
                    if recursive and not is_hidden and entry.name not in _SKIPPED_FOLDERS:
                        subfolders.append((path, depth + 1))
                elif is_document:
                    if entry.is_file(follow_symlinks=False):
                        yield path
                    else:
                        self._skip(path, NOT_A_FILE, "it is not a regular file")
            if depth < _MAX_FOLDER_DEPTH:
                stack += reversed(subfolders)
            else:
                for path, _ in subfolders:
                    self._skip(path, TOO_DEEP, f"it lies more than {_MAX_FOLDER_DEPTH} folders deep")

    def _store_files(self, files: Sequence[Path], root: Path, existing: Mapping[str, Episode]) -> None:
        """Read the files, and store what is new in batches; each batch is a call of its own."""
        batch: list[Document] = []
        characters = 0
        for number, file in enumerate(files):
            if self._should_stop():
                break
            self._report_progress(number, len(files), display_path(file))
            document = self._read(file, root, existing)
            self.report.files_seen += 1
            if document is None:
                continue
            batch.append(document)
            characters += sum(len(text_chunk.text) for text_chunk in document.text_chunks)
            if len(batch) >= _MAX_FILES_IN_BATCH or characters >= _MAX_CHARACTERS_IN_BATCH:
                self._store_batch(batch, existing)
                batch, characters = [], 0
        self._store_batch(batch, existing)

    def _read(self, file: Path, root: Path, existing: Mapping[str, Episode]) -> Document | None:
        """A file as a document; None where there is nothing to store, and the report says why."""
        source = display_path(file)
        try:
            content, modified = document_files.read_file(file, root)
            text, is_replaced = document_files.decode(content, source)
        except errors.DocumentUnreadable as error:
            self._fail(file, error)
            return None
        if len(source) > storage.MAX_SOURCE:
            self._fail(file, errors.DocumentUnreadable(f"its path has more than {storage.MAX_SOURCE:,} characters"))
            return None
        episode = existing.get(source)
        if episode is None and not text.strip():
            self._skip(file, EMPTY, "there is nothing in it")
            return None
        if is_replaced:
            message = "it is not UTF-8; what cannot be read of it is stored as U+FFFD"
            self.report.warnings.append(Remark(source, "NOT_UTF_8", message))
        if episode and episode.digest == utf8.digest(text):
            self.report.unchanged += 1
            self._unchanged.append(episode)
            return None
        document = documents.prepare(
            text,
            source=source,
            stem=display_path(file.stem),
            modified_at=_timestamp(modified),
            is_markdown=file.suffix.lower() in document_files.MARKDOWN_SUFFIXES,
        )
        if document.front_matter_error:
            self.report.warnings.append(Remark(source, "FRONT_MATTER", document.front_matter_error))
        return document

    def _store_batch(self, batch: Sequence[Document], existing: Mapping[str, Episode]) -> None:
        if not batch:
            return
        if self._dry_run:
            self._count_batch(batch, existing)
            return
        with self._job.write(group=self._group) as tx:
            project = self._project_of_call(tx)
            stored = [documents.upsert(tx, document, is_gone=_is_gone(document), project=project) for document in batch]
            self._add_call(tx)
        for document in stored:
            self.report.count(document)

    def _project_of_call(self, tx: Tx) -> Entity | None:
        """The project that the texts are about; the first call creates it where it is new."""
        if self.report.scope.name is None:
            return None
        scope = projects.find_or_create(tx, self._project)
        if scope.created or self.report.scope.project is None:
            self.report.scope = scope
        return scope.project

    def _annotate_unchanged(self) -> None:
        """Say of the documents whose files have not changed, too, that they are about the project."""
        if self._dry_run or self.report.scope.name is None:
            return
        for first in range(0, len(self._unchanged), _MAX_FILES_IN_BATCH):
            batch = self._unchanged[first : first + _MAX_FILES_IN_BATCH]
            with self._job.read(group=self._group) as tx:
                known = projects.read_exactly(tx, self._project).project
                annotations = storage.annotations_of_project(known)
                lacking = [episode for episode in batch if not annotations or storage.lacks(tx, episode, annotations)]
            if lacking:
                with self._job.write(group=self._group) as tx:
                    annotations = storage.annotations_of_project(self._project_of_call(tx))
                    for episode in lacking:
                        storage.annotate(tx, episode, annotations)
                    self._add_call(tx)

    def _count_batch(self, batch: Sequence[Document], existing: Mapping[str, Episode]) -> None:
        """Count what storing would do, for a dry run. Which chunks would be kept is not known."""
        with self._job.read(group=self._group) as tx:
            for document in batch:
                moved = documents.find_moved(tx, document, is_gone=_is_gone(document))
                if document.source in existing:
                    self.report.changed += 1
                elif moved:
                    self.report.moved += 1
                    self.report.episodes.append(moved.row)
                else:
                    self.report.added += 1
                    self.report.chunks_added += len(document.text_chunks)

    def _find_missing(self, existing: Mapping[str, Episode], sources: set[str], *, forget: bool) -> None:
        """Report the documents whose file was neither found nor moved, and does not exist; delete them if asked to."""
        moved = set(self.report.episodes)
        missing = [
            episode
            for episode in existing.values()
            if episode.source not in sources
            and episode.row not in moved
            and document_files.file_is_gone(episode.source)
        ]
        self.report.missing = [episode.source for episode in missing]
        if not forget or self._dry_run:
            return
        for first in range(0, len(missing), _MAX_FILES_IN_BATCH):
            if self._should_stop():
                return
            batch = missing[first : first + _MAX_FILES_IN_BATCH]
            with self._job.write(group=self._group) as tx:
                for episode in batch:
                    forgetting.delete(tx, episode)
                self._add_call(tx)
            self.report.forgotten += len(batch)

    def _detect_mentions(self) -> None:
        """Detect mentions in what was stored while there is time, and count them; other texts wait for a backfill."""
        files = self.report.files_seen
        unread = most_unread = self._count_unread()
        while unread and not self._is_late():
            try:
                unread = mention_index.backfill(
                    self._job.database, seconds=_SECONDS_OF_A_BACKFILL, episodes=self.report.episodes
                )
            except errors.GraphBusy:
                break  # another program writes: the next read goes on
            self._report_progress(files + most_unread - unread, files + most_unread, NAMES)
        if self.report.episodes and not self._job.is_cancelled():
            with self._job.read(group=self._group) as tx:
                self.report.mentions = store.mentions.count_in_episodes(tx, self.report.episodes)
                self.report.proposals = store.proposals.count_in(tx, self.report.episodes)
                self.report.unread = store.mention_queue.count_in_episodes(tx, self.report.episodes)

    def _count_unread(self) -> int:
        """How many chunks of what was stored are unread."""
        with self._job.database.read(self._job.tool) as tx:
            return store.mention_queue.count_in_episodes(tx, self.report.episodes)

    def _should_stop(self) -> bool:
        """Whether to end before all files are stored."""
        if self._is_late():
            self.report.complete = False
        return not self.report.complete

    def _is_late(self) -> bool:
        return (self._until is not None and time.monotonic() > self._until) or self._job.is_cancelled()

    def _report_progress(self, done: int, total: int, current: str) -> None:
        """Report progress, a few times a second at most."""
        self._total = total
        if time.monotonic() >= self._reported_at + _SECONDS_BETWEEN_REPORTS:
            self._reported_at = time.monotonic()
            self._job.report_progress(done, total, current)

    def _add_call(self, tx: Tx) -> None:
        if tx.call is not None:
            self.report.calls.append(tx.call)

    def _skip(self, path: Path, code: str, message: str) -> None:
        self.report.skipped.append(Remark(display_path(path), code, message))

    def _fail(self, path: Path, error: errors.KeepgraphError) -> None:
        self.report.failed.append(Remark(display_path(path), error.code, error.message))


def _is_gone(document: Document) -> partial[bool]:
    """Whether the file of a source no longer exists, or is the file of this document by another name."""
    return partial(document_files.file_is_gone, found=document.source)


def _timestamp(modified: float) -> str:
    """The timestamp of a POSIX time; of one outside of the years 1 to 9999, the nearest."""
    since_epoch = timedelta(seconds=min(max(modified, _FIRST_SECOND), _LAST_SECOND))
    return timestamps.from_datetime(datetime(1970, 1, 1, tzinfo=UTC) + since_epoch)
