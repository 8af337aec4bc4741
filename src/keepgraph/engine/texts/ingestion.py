"""Ingestion of files and folders: walks a folder and stores its documents, a few files in a transaction.

The Markdown files of a folder are notes: each becomes an entity, with the facts that it states (notes.py). A file alone
is a text, unless it lies in a folder of notes that the settings name (a vault).

It can be stopped at any moment and called again: a document that is stored already is recognised by its digest.
"""

from __future__ import annotations

import fnmatch
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
from keepgraph.engine.texts import document_files, documents, mention_index, note_folders, notes, storage
from keepgraph.engine.texts.document_files import display_path
from keepgraph.engine.texts.documents import Document
from keepgraph.engine.texts.note_folders import Folder, Note
from keepgraph.engine.texts.storage import Outcome, StoredText
from keepgraph.language import markdown, utf8
from keepgraph.model import Entity, Episode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

NAMES = "names"
"""The current work in a progress report when it is not a file: detection of mentions in stored texts."""

LINK, NOT_A_FILE, EMPTY, TOO_DEEP, EXCLUDED = "SYMBOLIC_LINK", "NOT_A_FILE", "EMPTY", "TOO_DEEP", "EXCLUDED"
EXPORT = "EXPORTED_GRAPH"
"""Why a file is skipped without an error."""

_SKIPPED_FOLDERS = frozenset(["node_modules", "__pycache__", "logseq/bak"])
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
        entities: how many entities were created for notes and for what they name.
        facts: how many facts were recorded.
        states: what is to be done with each file, by its path, in a dry run: "new", "changed", "moved", "unchanged".
        notes: what each new or changed note would become, in a dry run.
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
    entities: int = 0
    facts: int = 0
    states: dict[str, str] = field(default_factory=dict)
    notes: list[dict[str, object]] = field(default_factory=list)
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
    as_vault: bool = False,
    reread: bool = False,
    seconds: float | None = None,
) -> Report:
    """Store a file, or the documents of a folder, and update those that are stored already.

    Args:
        path: an absolute path without links in it, as os.path.realpath gives it. What leads out of it is not read.
        project: the project that all of it is about, or the id of the group to store it in.
        recursive: whether to enter the folders below.
        forget_missing: whether to delete documents of the folder whose file no longer exists; in a vault that is done
            unless the folder has lost all its files.
        dry_run: whether only to report what would be done.
        as_vault: whether to treat the folder as a vault that the settings may not name yet.
        reread: whether to read unchanged notes again: since their folder has become a vault, they may state more.
        seconds: how long it may take; then it stops, and can be called again.

    Raises:
        errors.DocumentUnreadable: the file or folder is missing, not a document, or unreadable.
        errors.Ambiguous, errors.EntityNotFound, errors.ProjectRequired: no one project is meant.
    """
    ingestion = _Ingestion(job, path, project, dry_run, seconds, as_vault=as_vault, reread=reread)
    return ingestion.run(recursive=recursive, forget_missing=forget_missing)


def forget(job: Job, folder: Path) -> int:
    """Delete the texts of a folder, with what only they state; returns how many there were."""
    with job.read() as tx:
        stored = list(documents.in_folder(tx, display_path(folder)).values())
    for first in range(0, len(stored), _MAX_FILES_IN_BATCH):
        with job.write() as tx:
            for episode in stored[first : first + _MAX_FILES_IN_BATCH]:
                notes.forget(tx, episode)
    return len(stored)


class _Ingestion:
    """One ingestion, with its report."""

    def __init__(
        self,
        job: Job,
        path: Path,
        project: str | None,
        dry_run: bool,
        seconds: float | None,
        *,
        as_vault: bool,
        reread: bool,
    ) -> None:
        self._job, self._project, self._dry_run = job, project, dry_run
        self._as_vault, self._reread = as_vault, reread
        self._path = path
        self._folder: Folder | None = None
        self._never: tuple[str, ...] = ()
        self._read_before: set[str] = set()
        self._empty: list[Note] = []
        self._as_before: list[Note] = []
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
        if is_folder:
            document_files.refuse_export(self._path)
        root = self._path if is_folder else self._path.parent
        existing = self._existing_documents(is_folder=is_folder)
        self._open_folder(root, is_folder=is_folder)
        files = list(self._walk(root, recursive=recursive)) if is_folder else [self._path]
        if self._folder is not None:
            self._folder.add(self._within(display_path(file)) for file in files if _is_note(file))
        self._store_files(files, root, existing)
        self._identify_empty()
        self._link_late()
        self._tell_shared_aliases()
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

    def _open_folder(self, root: Path, *, is_folder: bool) -> None:
        """Prepare to read notes: those of a folder, and those of a file that lies in a vault."""
        with self._job.read(group=self._group) as tx:
            settings = tx.settings
            notes.check_types(tx, settings.vault_types)
            vaults = (*settings.vault_folders, *([str(self._path)] if self._as_vault else ()))
            vault = next((one for one in vaults if _contains(one, self._path)), None)
            if vault is None and not is_folder:
                return
            source = os.path.join(display_path(os.path.realpath(vault) if vault else root), "")
            self._folder = Folder(source, has_decisions=vault is not None, types=settings.vault_types)
            self._never = settings.vault_never if vault is not None else ()
            for path, entity_id, given in store.episodes.ids_named(tx, "", kind=storage.DOCUMENT):
                if not path.startswith(source):
                    self._folder.own_outside(path, entity_id)
                    continue
                within = self._within(path)
                self._folder.own(within, entity_id)
                self._folder.given[within] = given
                if notes.given_type(tx, self._folder, within) == given:
                    self._read_before.add(within)
            open_before = store.provenance.open_in_folder(tx, source)
            forgotten = [path for path, statement, _ in open_before if statement == store.provenance.ITSELF]
            self._read_before.update(map(self._within, forgotten))
            if source != os.path.join(display_path(root), ""):
                walked = os.path.join(display_path(root), "") if is_folder else "\0"
                self._folder.add(path for path in self._folder.owners if not (source + path).startswith(walked))

    def _within(self, source: str) -> str:
        """The path of a source within the folder of its notes, with `/`."""
        return self._folder.within(source) if self._folder else source.replace(os.sep, "/")

    def _is_excluded(self, path: Path) -> bool:
        """Whether the settings leave out a file or a folder of a vault."""
        within = self._within(display_path(path))
        return any(fnmatch.fnmatch(within, pattern.strip("/")) for pattern in self._never)

    def _lies_in_excluded(self, source: str) -> bool:
        """Whether the settings leave out a file, or a folder that it lies in."""
        path = Path(source)
        return bool(self._never) and any(map(self._is_excluded, (path, *path.parents)))

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
            if depth and any(entry.name == "index.md" for entry in entries) and document_files.is_export(folder):
                self._skip(folder, EXPORT, "it holds pages of an exported graph, which `kg import` reads")
                continue
            subfolders = []
            for entry in entries:
                path = folder / entry.name
                is_document = document_files.is_document(entry.name)
                is_hidden = entry.name.startswith(".")
                if self._never and not is_hidden and (is_document or _is_folder(entry)) and self._is_excluded(path):
                    self._skip(path, EXCLUDED, "the settings leave it out ([vault] never)")
                elif entry.is_symlink():
                    if is_document or (recursive and not is_hidden and _is_folder(entry)):
                        self._skip(path, LINK, "a link is not followed")
                elif entry.is_dir(follow_symlinks=False):
                    names = {entry.name, f"{folder.name}/{entry.name}"}
                    if recursive and not is_hidden and _SKIPPED_FOLDERS.isdisjoint(names):
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
        batch: list[tuple[Document, Note | None]] = []
        characters = 0
        for number, file in enumerate(files):
            if self._should_stop():
                break
            self._report_progress(number, len(files), display_path(file))
            document, note = self._read(file, root, existing)
            self.report.files_seen += 1
            if document is None:
                continue
            batch.append((document, note))
            characters += sum(len(text_chunk.text) for text_chunk in document.text_chunks)
            if len(batch) >= _MAX_FILES_IN_BATCH or characters >= _MAX_CHARACTERS_IN_BATCH:
                self._store_batch(batch, existing)
                batch, characters = [], 0
        self._store_batch(batch, existing)

    def _read(self, file: Path, root: Path, existing: Mapping[str, Episode]) -> tuple[Document | None, Note | None]:
        """A file as a document and as a note, or None: the report says why there is nothing to store."""
        source = display_path(file)
        try:
            content, modified = document_files.read_file(file, root)
            text, is_replaced = document_files.decode(content, source)
        except errors.DocumentUnreadable as error:
            self._fail(file, error)
            return None, None
        if len(source) > storage.MAX_SOURCE:
            self._fail(file, errors.DocumentUnreadable(f"its path has more than {storage.MAX_SOURCE:,} characters"))
            return None, None
        episode = existing.get(source)
        is_note = self._folder is not None and _is_note(file)
        if episode is None and not text.strip():
            self._skip(file, EMPTY, "it has no text, only a name" if is_note else "it is empty")
            if is_note:
                self._empty.append(note_folders.read(text, self._within(source)))
            return None, None
        if is_replaced:
            message = "it is not UTF-8; bytes that cannot be read are stored as U+FFFD"
            self.report.warnings.append(Remark(source, "NOT_UTF_8", message))
        is_read = not is_note or (self._within(source) in self._read_before and not self._reread)
        if episode and episode.digest == utf8.digest(text) and is_read:
            self.report.unchanged += 1
            self._unchanged.append(episode)
            self.report.states[source] = "unchanged"
            if is_note and self._dry_run:
                self._as_before.append(note_folders.read(text, self._within(source)))
            return None, None
        parsed = markdown.parse(text) if _is_note(file) else None
        document = documents.prepare(
            text,
            source=source,
            stem=display_path(file.stem),
            modified_at=_timestamp(modified),
            note=parsed,
        )
        if document.front_matter_error:
            self.report.warnings.append(Remark(source, "FRONT_MATTER", document.front_matter_error))
        if parsed is None or not is_note:
            return document, None
        note = note_folders.read(text, self._within(source), parsed)
        if note.content.left_out:
            message = (
                f"{note.content.left_out:,} of its links, tags, fields or tasks exceed the limit and were left out"
            )
            self.report.warnings.append(Remark(source, "TOO_MANY", message))
        return documents.of_note(document, name=note.name), note

    def _store_batch(self, batch: Sequence[tuple[Document, Note | None]], existing: Mapping[str, Episode]) -> None:
        if not batch:
            return
        if self._dry_run:
            self._count_batch(batch, existing)
            return
        with self._job.write(group=self._group) as tx:
            project = self._project_of_call(tx)
            stored = [self._store(tx, document, note, project) for document, note in batch]
            self._add_call(tx)
        for text in stored:
            self.report.count(text)

    def _store(self, tx: Tx, document: Document, note: Note | None, project: Entity | None) -> StoredText:
        """Store a document; a note with its entity and its facts."""
        existing = store.episodes.first_by_source(tx, document.source, kind=storage.DOCUMENT)
        existing = existing or documents.find_moved(tx, document, is_gone=_is_gone(document))
        if note is None or self._folder is None:
            return documents.upsert(tx, document, existing=existing, project=project)
        if existing is not None and notes.is_forgotten(tx, self._folder, note, existing):
            return documents.upsert(tx, document, existing=existing, project=project)
        previous = None
        if existing is not None and existing.source.startswith(self._folder.root):
            previous = note_folders.read(store.episodes.text(tx, existing), self._within(existing.source))
            if previous.path != note.path and (owner := self._folder.owners.get(previous.path)):
                self._folder.own(note.path, owner)
        elif existing is not None and (owner := self._folder.outside.get(existing.source)):
            self._folder.own(note.path, owner)
        entity = notes.identify(tx, self._folder, note, previous)
        annotation = notes.annotation(tx, self._folder, note, entity)
        stored = documents.upsert(tx, document, existing=existing, project=project, note=annotation)
        if stored.is_same_text:
            storage.annotate(tx, stored.episode, [], note=annotation)
        is_moved = existing is not None and existing.source != document.source
        unread = notes.record(tx, self._folder, note, entity, stored.episode, previous=previous, is_moved=is_moved)
        self.report.warnings += [Remark(document.source, errors.LiteralInvalid.code, message) for message in unread]
        self._warn_of_aliases(tx, document.source, note)
        if entity.name != note.name:
            message = f"something else is called {note.name!r}, so this note is called {entity.name!r}"
            self.report.warnings.append(Remark(document.source, "NAME_TAKEN", message))
        return stored

    def _identify_empty(self) -> None:
        """Find or create the entities of notes without a text: of these only the name is known."""
        if self._folder is None or not self._empty or self._dry_run:
            return
        with self._job.read(group=self._group) as tx:
            new = [note for note in self._empty if notes.is_new(tx, self._folder, note)]
        if new:
            with self._job.write(group=self._group) as tx:
                for note in new:
                    notes.identify(tx, self._folder, note, None)
                self._add_call(tx)

    def _link_late(self) -> None:
        """Read the notes again that name what came after them: in this ingestion, or from elsewhere since the last."""
        folder = self._folder
        if self._dry_run or folder is None or self._job.is_cancelled():
            return
        with self._job.read(group=self._group) as tx:
            late = notes.late(tx, folder)
        for first in range(0, len(late), _MAX_FILES_IN_BATCH):
            if self._job.is_cancelled():
                return
            with self._job.write(group=self._group) as tx:
                for source in late[first : first + _MAX_FILES_IN_BATCH]:
                    episode = store.episodes.first_by_source(tx, source, kind=storage.DOCUMENT)
                    if episode and (entity := notes.entity_of(tx, episode)):
                        note = note_folders.read(store.episodes.text(tx, episode), folder.within(source))
                        notes.record(tx, folder, note, entity, episode, previous=note)
                self._add_call(tx)

    def _tell_shared_aliases(self) -> None:
        """Tell of unchanged notes, in a dry run, which aliases they share with others."""
        if not self._as_before or self._folder is None or self._job.is_cancelled():
            return
        with self._job.read(group=self._group) as tx:
            for note in self._as_before:
                self._warn_of_aliases(tx, self._folder.root + note.path.replace("/", os.sep), note)

    def _warn_of_aliases(self, tx: Tx, source: str, note: Note) -> None:
        for alias, other in notes.shared_aliases(tx, self._folder, note) if self._folder else ():
            message = f"its alias {alias!r} also names {other.name!r}, which a link by that name may mean"
            self.report.warnings.append(Remark(source, "ALIAS_SHARED", message))

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

    def _count_batch(self, batch: Sequence[tuple[Document, Note | None]], existing: Mapping[str, Episode]) -> None:
        """Count what storing would do, for a dry run. Which chunks would be kept is not known."""
        with self._job.read(group=self._group) as tx:
            for document, note in batch:
                if note is not None and self._folder is not None:
                    self.report.notes.append(notes.describe(tx, self._folder, note))
                if document.source in existing:
                    self.report.changed += 1
                    self.report.states[document.source] = "changed"
                elif moved := documents.find_moved(tx, document, is_gone=_is_gone(document)):
                    self.report.moved += 1
                    self.report.episodes.append(moved.row)
                    self.report.states[document.source] = "moved"
                else:
                    self.report.added += 1
                    self.report.states[document.source] = "new"
                    self.report.chunks_added += len(document.text_chunks)

    def _find_missing(self, existing: Mapping[str, Episode], sources: set[str], *, forget: bool) -> None:
        """Report the documents whose file was neither found nor moved; delete them if asked to.

        It does not exist, or the settings leave it out now.
        """
        moved = set(self.report.episodes)
        missing = [
            episode
            for episode in existing.values()
            if episode.source not in sources
            and episode.row not in moved
            and (document_files.file_is_gone(episode.source) or self._lies_in_excluded(episode.source))
        ]
        self.report.missing = [episode.source for episode in missing]
        # A vault forgets unasked; one without any file may be a disk that is not mounted.
        is_vault = self._folder is not None and self._folder.has_decisions
        if self._dry_run or not (forget or (is_vault and sources)):
            return
        for first in range(0, len(missing), _MAX_FILES_IN_BATCH):
            if self._should_stop():
                return
            batch = missing[first : first + _MAX_FILES_IN_BATCH]
            with self._job.write(group=self._group) as tx:
                for episode in batch:
                    notes.forget(tx, episode)
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
                self.report.unread = store.mentions.count_unread_in_episodes(tx, self.report.episodes)

    def _count_unread(self) -> int:
        """How many chunks of what was stored are unread."""
        with self._job.database.read(self._job.tool) as tx:
            return store.mentions.count_unread_in_episodes(tx, self.report.episodes)

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
            self.report.entities += store.journal.count_rows_changed(tx, tx.call, "entity", "insert")
            self.report.facts += store.journal.count_rows_changed(tx, tx.call, "fact", "insert")

    def _skip(self, path: Path, code: str, message: str) -> None:
        self.report.skipped.append(Remark(display_path(path), code, message))

    def _fail(self, path: Path, error: errors.KeepgraphError) -> None:
        self.report.failed.append(Remark(display_path(path), error.code, error.message))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether a name in a folder is a folder, or a link to one; a link that cannot be followed does not count."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_note(file: Path) -> bool:
    return file.suffix.lower() in document_files.MARKDOWN_SUFFIXES


def _contains(folder: str, path: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))


def _is_gone(document: Document) -> partial[bool]:
    """Whether the file of a source no longer exists, or is the file of this document by another name."""
    return partial(document_files.file_is_gone, found=document.source)


def _timestamp(modified: float) -> str:
    """The timestamp of a POSIX time; of one outside of the years 1 to 9999, the nearest."""
    since_epoch = timedelta(seconds=min(max(modified, _FIRST_SECOND), _LAST_SECOND))
    return timestamps.from_datetime(datetime(1970, 1, 1, tzinfo=UTC) + since_epoch)
