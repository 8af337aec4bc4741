"""Takes in files and folders, a few files to a transaction: finds, reads and checks them. Knows no table.

It can be ended at any moment, and begun again: what is stored is known by its digest, and only looked at.
"""

from __future__ import annotations

import codecs
import math
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from keepgraph import errors, permissions, store
from keepgraph.engine.texts import documents, episodes, mention_index
from keepgraph.engine.texts.documents import Document, Stored
from keepgraph.engine.upkeep.jobs import Drive
from keepgraph.language import canonical
from keepgraph.model import Episode
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

MARKDOWN = (".md", ".markdown", ".mdx")
SUFFIXES = (*MARKDOWN, ".txt")
LARGEST_FILE = 10_000_000
"""In bytes; a larger one is refused."""

_FOLDERS_OF_OTHERS = frozenset(["node_modules", "__pycache__"])
_FILES_A_CALL = 100
_CHARACTERS_A_CALL = 1_000_000
_LONGEST_SOURCE = 4_096
_MOST_FOLDERS_DEEP = 100
_SECONDS_A_READING = 0.5
_SECONDS_BETWEEN_WORDS = 0.2
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")

NAMES = "names"
"""What is at hand, where it is no file: the names in what was stored."""

LINK, NOT_A_FILE, EMPTY, TOO_DEEP = "SYMBOLIC_LINK", "NOT_A_FILE", "EMPTY", "TOO_DEEP"
"""Why something is passed over that is no error."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A file, as it may be shown, with a code and in words what is to be said of it."""

    path: str
    code: str
    message: str


@dataclass(slots=True)
class Report:
    """What became of the files.

    Attributes:
        files_seen: how many were looked at.
        episodes: the rows of those that were added, changed or moved.
        missing: sources of documents whose file is gone.
        forgotten: how many of these were forgotten.
        skipped: what was passed over, and why.
        failed: what could not be read or stored, and why.
        mended: what was taken in, though not all of it could be read.
        mentions: how often entities are mentioned in what was stored; proposals, what it seems to say besides.
        unread: how many of its chunks wait to be read; then mentions and proposals are not all.
        calls: the numbers of the calls that stored it, for undo.
        complete: False if there was a reason to stop before the end.
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
    mended: list[Remark] = field(default_factory=list)
    mentions: int = 0
    proposals: int = 0
    unread: int = 0
    calls: list[int] = field(default_factory=list)
    complete: bool = True

    def count(self, done: Stored) -> None:
        if done.what == documents.UNCHANGED:
            self.unchanged += 1
            return
        self.added += done.what == documents.ADDED
        self.changed += done.what == documents.CHANGED
        self.moved += done.what == documents.MOVED
        self.chunks_added += done.chunks_added
        self.chunks_removed += done.chunks_removed
        self.episodes.append(done.episode.row)


def allowed(named: str, *, roots: Sequence[str]) -> Path:
    """The file or folder that a tool call means, if it lies in one of these folders; a path without root, below one.

    Raises:
        errors.PathNotAllowed: it does not, or there are none. Nothing is said of whether it exists.
    """
    if not roots:
        raise errors.PathNotAllowed("no folder is allowed for ingestion by a tool")
    given = permissions.expanded(named)
    real = [Path(os.path.realpath(root)) for root in roots]
    candidates = [given] if given.is_absolute() else [root / given for root in real]
    inside = [path for each in candidates if _is_within(path := Path(os.path.realpath(each)), real)]
    if not inside:
        raise errors.PathNotAllowed(f"{shown(given)} is not in a folder that is allowed for ingestion")
    return next((path for path in inside if os.path.lexists(path)), inside[0])


def ingest(
    drive: Drive,
    path: Path,
    *,
    group: str | None = None,
    recursive: bool = True,
    forget_missing: bool = False,
    dry_run: bool = False,
    seconds: float | None = None,
) -> Report:
    """Take in a file, or the documents of a folder, and bring those up to date that are known already.

    Args:
        path: an absolute path without links in it, as os.path.realpath gives it. What leads out of it is not read.
        recursive: whether the folders below are meant, too.
        forget_missing: whether documents of the folder are deleted whose file is gone.
        dry_run: whether to tell only what would be done.
        seconds: how long it may take; then it stops, and can be called again.

    Raises:
        errors.DocumentUnreadable: there is no such file or folder, it is no document, or it cannot be read.
    """
    return _Work(drive, path, group, dry_run, seconds).done(recursive=recursive, forget_missing=forget_missing)


def shown(path: str | os.PathLike[str]) -> str:
    """A path as text: bytes of a name that are no UTF-8 as \\xNN, and a name that says \\xNN itself as \\x5cxNN.

    That is the source of a document; no two files have the same.
    """
    told = _ESCAPED.sub(lambda byte: "\\x5c" + byte[0][1:], os.fspath(path))
    return told.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class _Work:
    """One ingestion, with its report."""

    def __init__(self, drive: Drive, path: Path, group: str | None, dry_run: bool, seconds: float | None) -> None:
        self._drive, self._group, self._dry_run = drive, group, dry_run
        self._path = path
        self._until = None if seconds is None else time.monotonic() + seconds
        self._total = 0
        self._told_at = -math.inf
        self.report = Report()

    def done(self, *, recursive: bool, forget_missing: bool) -> Report:
        try:
            is_folder = stat.S_ISDIR(os.stat(self._path).st_mode)
        except (OSError, ValueError) as error:
            raise _unreadable(self._path, error) from error
        if not is_folder and not is_document(self._path.name):
            raise errors.DocumentUnreadable(
                f"{shown(self._path)} is no document: its name ends in none of {', '.join(SUFFIXES)}"
            )
        root = self._path if is_folder else self._path.parent
        known = self._known(root if is_folder else self._path, is_folder=is_folder)
        files = list(self._walk(root, recursive=recursive)) if is_folder else [self._path]
        self._take(files, root, known)
        if is_folder and self.report.complete:
            self._look_for_missing(known, {shown(file) for file in files}, forget=forget_missing)
        if not self._dry_run:
            self._read_names()
        if self.report.complete:
            self._drive.told(self._total, self._total, shown(self._path))
        return self.report

    def _known(self, where: Path, *, is_folder: bool) -> dict[str, Episode]:
        with self._drive.read(group=self._group) as tx:
            if is_folder:
                return documents.known(tx, shown(where))
            one = store.episodes.by_source(tx, shown(where), kind=documents.KIND)
            return {each.source: each for each in one[:1]}

    def _should_stop(self) -> bool:
        """Whether to end before all files are stored."""
        if self._is_late():
            self.report.complete = False
        return not self.report.complete

    def _is_late(self) -> bool:
        return (self._until is not None and time.monotonic() > self._until) or self._drive.should_stop()

    # Finding

    def _walk(self, root: Path, *, recursive: bool) -> Iterator[Path]:
        """The documents of a folder and those below it, by name. Hidden folders and links are not entered."""
        todo = [(root, 0)]
        while todo:
            folder, depth = todo.pop()
            try:
                with os.scandir(folder) as entries:
                    inside = sorted(entries, key=lambda entry: os.fsencode(entry.name))
            except OSError as error:
                self._fail(folder, _unreadable(folder, error))
                continue
            below = []
            for entry in inside:
                path = folder / entry.name
                if entry.is_symlink():
                    if is_document(entry.name) or (recursive and entry.is_dir() and not entry.name.startswith(".")):
                        self._skip(path, LINK, "a link is not followed")
                elif entry.is_dir(follow_symlinks=False):
                    if recursive and not entry.name.startswith(".") and entry.name not in _FOLDERS_OF_OTHERS:
                        below.append((path, depth + 1))
                elif is_document(entry.name):
                    if entry.is_file(follow_symlinks=False):
                        yield path
                    else:
                        self._skip(path, NOT_A_FILE, "it is not a regular file")
            if depth < _MOST_FOLDERS_DEEP:
                todo += reversed(below)
            else:
                for path, _ in below:
                    self._skip(path, TOO_DEEP, f"it lies more than {_MOST_FOLDERS_DEEP} folders deep")

    # Taking in

    def _take(self, files: Sequence[Path], root: Path, known: Mapping[str, Episode]) -> None:
        """Read the files, and store what is new in batches; each batch is a call of its own."""
        batch: list[Document] = []
        weight = 0
        for number, file in enumerate(files):
            if self._should_stop():
                break
            self._tell(number, len(files), shown(file))
            document = self._read(file, root, known)
            self.report.files_seen += 1
            if document is None:
                continue
            batch.append(document)
            weight += sum(len(piece.text) for piece in document.pieces)
            if len(batch) >= _FILES_A_CALL or weight >= _CHARACTERS_A_CALL:
                self._store(batch, known)
                batch, weight = [], 0
        self._store(batch, known)

    def _read(self, file: Path, root: Path, known: Mapping[str, Episode]) -> Document | None:
        """A file as a document; None where there is nothing to store, and the report says why."""
        source = shown(file)
        try:
            content, modified = read_file(file, root)
            text, is_mended = decoded(content, source)
        except errors.DocumentUnreadable as error:
            self._fail(file, error)
            return None
        if len(source) > _LONGEST_SOURCE:
            self._fail(file, errors.DocumentUnreadable(f"its path has more than {_LONGEST_SOURCE:,} characters"))
            return None
        same = known.get(source)
        if same is None and not text.strip():
            self._skip(file, EMPTY, "there is nothing in it")
            return None
        if is_mended:
            what = "it is not UTF-8; what cannot be read of it is stored as U+FFFD"
            self.report.mended.append(Remark(source, "NOT_UTF_8", what))
        if same and same.digest == canonical.digest(text):
            self.report.unchanged += 1
            return None
        document = documents.prepared(
            text,
            source=source,
            stem=shown(file.stem),
            modified_at=_stamp(modified),
            is_markdown=file.suffix.lower() in MARKDOWN,
        )
        if document.trouble:
            self.report.mended.append(Remark(source, "FRONT_MATTER", document.trouble))
        return document

    def _store(self, batch: Sequence[Document], known: Mapping[str, Episode]) -> None:
        if not batch:
            return
        if self._dry_run:
            self._foretell(batch, known)
            return
        with self._drive.write(group=self._group) as tx:
            stored = [
                documents.upsert(tx, document, is_gone=partial(is_gone, found=document.source)) for document in batch
            ]
            self._note_call(tx)
        for done in stored:
            self.report.count(done)

    def _foretell(self, batch: Sequence[Document], known: Mapping[str, Episode]) -> None:
        """What storing would do, but for the chunks that are kept."""
        with self._drive.read(group=self._group) as tx:
            for document in batch:
                moved = documents.moved(tx, document, is_gone=partial(is_gone, found=document.source))
                if document.source in known:
                    self.report.changed += 1
                elif moved:
                    self.report.moved += 1
                    self.report.episodes.append(moved.row)
                else:
                    self.report.added += 1
                    self.report.chunks_added += len(document.pieces)

    # What is gone

    def _look_for_missing(self, known: Mapping[str, Episode], seen: set[str], *, forget: bool) -> None:
        """Documents whose file was neither found nor moved, and is not there."""
        moved = set(self.report.episodes)
        gone = [each for each in known.values() if each.source not in seen and each.row not in moved]
        gone = [each for each in gone if is_gone(each.source)]
        self.report.missing = [each.source for each in gone]
        if not forget or self._dry_run:
            return
        for first in range(0, len(gone), _FILES_A_CALL):
            if self._should_stop():
                return
            with self._drive.write(group=self._group) as tx:
                for episode in gone[first : first + _FILES_A_CALL]:
                    episodes.delete(tx, episode)
                self._note_call(tx)
            self.report.forgotten += len(gone[first : first + _FILES_A_CALL])

    # What is read in it

    def _read_names(self) -> None:
        """Look for names in what waits to be read, as long as there is time, and count those in what was stored."""
        before = self.report.files_seen
        left = waited = None
        while left != 0 and not self._is_late():
            try:
                left = mention_index.fill(self._drive.database, seconds=_SECONDS_A_READING)
            except errors.GraphBusy:
                break  # another program writes: the next question reads on
            waited = max(left, waited or left)
            self._tell(before + waited - left, before + waited, NAMES)
        if self.report.episodes and not self._drive.should_stop():
            with self._drive.read(group=self._group) as tx:
                self.report.mentions = store.mentions.count_in(tx, self.report.episodes)
                self.report.proposals = store.proposals.count_in(tx, self.report.episodes)
                self.report.unread = store.mentions.count_unread_in(tx, self.report.episodes)

    # Telling

    def _tell(self, done: int, total: int, what: str) -> None:
        """Say how far it has come, a few times a second."""
        self._total = total
        if time.monotonic() >= self._told_at + _SECONDS_BETWEEN_WORDS:
            self._told_at = time.monotonic()
            self._drive.told(done, total, what)

    def _note_call(self, tx: Tx) -> None:
        if tx.call is not None:
            self.report.calls.append(tx.call)

    def _skip(self, path: Path, code: str, message: str) -> None:
        self.report.skipped.append(Remark(shown(path), code, message))

    def _fail(self, path: Path, error: errors.KeepgraphError) -> None:
        self.report.failed.append(Remark(shown(path), error.code, error.message))


def is_document(name: str) -> bool:
    """Whether a file of this name is taken in: Markdown and plain text, but no hidden ones."""
    return name.lower().endswith(SUFFIXES) and not name.startswith(".")


def is_gone(source: str, *, found: str | None = None) -> bool:
    """Whether there is nothing where a document came from, or the same file that was found by another name."""
    before = _on_disk(source)
    return before is None or (found is not None and _is_one(before, _on_disk(found)))


def _on_disk(source: str) -> str | None:
    """The path that a source is, unless it is sure that nothing is there."""
    path = _ESCAPED.sub(lambda byte: os.fsdecode(bytes([int(byte[1], 16)])), source)
    return None if _is_nothing(path) else path


def _is_nothing(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False  # it may be there, in a folder that may not be looked into
    return False


def _is_one(before: str, now: str | None) -> bool:
    """Whether two names are of one file, as on disks where large and small letters are the same."""
    return now is not None and before.casefold() == now.casefold() and os.path.samefile(before, now)


def read_file(file: Path, root: Path) -> tuple[bytes, float]:
    """What is in a regular file within a folder, and when it was changed, as a POSIX timestamp.

    Raises:
        errors.DocumentUnreadable: it cannot be read, is none, is too large, or a link leads out of the folder.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(file, flags)
        with os.fdopen(number, "rb") as opened:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise errors.DocumentUnreadable(f"{shown(file)} is not a regular file")
            if not _is_within(Path(os.path.realpath(file)), [root]):
                # Between finding and opening, a folder may have become a link.
                raise errors.DocumentUnreadable(f"{shown(file)} leads out of {shown(root)}")
            content = opened.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from error
    if len(content) > LARGEST_FILE:
        raise errors.DocumentUnreadable(f"{shown(file)} has more than {LARGEST_FILE // 1_000_000} MB")
    return content, found.st_mtime


def decoded(content: bytes, name: str) -> tuple[str, bool]:
    """A file as text, and whether some of it had to be replaced: UTF-8, or UTF-16 where it begins with its mark.

    Raises:
        errors.DocumentUnreadable: it is not text.
    """
    marks = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
    mark, encoding = next(((mark, each) for mark, each in marks if content.startswith(mark)), (b"", "utf-8"))
    content = content[len(mark) :]
    try:
        text, is_mended = content.decode(encoding), False
    except UnicodeDecodeError:
        text, is_mended = content.decode(encoding, "replace"), True
    if "\0" in text:
        raise errors.DocumentUnreadable(f"{name} is not text")
    return text, is_mended


def _is_within(path: Path, folders: Sequence[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _unreadable(path: Path, error: OSError | ValueError) -> errors.DocumentUnreadable:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not one"
    return errors.DocumentUnreadable(f"{shown(path)} cannot be read: {reason}")


def _stamp(modified: float) -> str:
    """The stamp of a POSIX timestamp; of one that is no time of ours, the nearest."""
    since = timedelta(seconds=min(max(modified, -62_135_596_800), 253_402_300_799))
    return timestamps.stamp(datetime(1970, 1, 1, tzinfo=UTC) + since)
