"""Purging what was forgotten: it is removed from the graph, its journal, its indexes and its backups, and looked for.

Nobody else may have the graph open. The backups come first and the graph last, so that a purge that was interrupted
finds everything again when it is run once more. Each file changes in one step, when a verified copy replaces it.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, permissions, store
from keepgraph.engine.maintenance import backups
from keepgraph.engine.vocabulary import definitions, graph_vocabulary
from keepgraph.language import common_words, normalisation
from keepgraph.language.phrase_matching import Occurrences
from keepgraph.model import Key
from keepgraph.store.earlier_versions import Word
from keepgraph.store.purge import Content, Removal
from keepgraph.temporal import timestamps

FORGETTING_TOOLS = ("forget", "delete_episode")
"""The tools that delete a text with the facts and entities that came out of it, in one call."""

MIN_SENTENCE = 12
"""Shorter sentences and titles are not looked for in other rows: they say too little to belong to what is purged."""

_ID = store.purge.PUBLIC_ID
_ID_IN_BYTES = re.compile(_ID.pattern.encode())


@dataclass(frozen=True, slots=True)
class Remainder:
    """What stays and still has a name or a sentence of what was purged: its kind, id and name."""

    kind: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class PurgedFile:
    """What was removed from the file of the graph or of a backup, and what a search of it found afterwards.

    Attributes:
        rows_searched: how many rows of all tables were searched for the ids, names and sentences.
        remainders: what stays and has one of them.
    """

    file: Path
    removal: Removal
    rows_searched: int
    remainders: tuple[Remainder, ...]


@dataclass(slots=True)
class Report:
    """What was purged, and from where.

    Attributes:
        ids: the public ids of all that was purged.
        files: the graph and its backups, the graph last.
        failures: the backups that could not be purged, and so may have it still, each with the reason.
        history_removed: whether there was a history of the prompt of `kg query`, which was removed.
        versions_left: how many earlier versions of what stays the journal still has.
        backups_replaced: the backups that were deleted, as earlier versions of the graph, and the one made instead.
    """

    ids: frozenset[str]
    files: list[PurgedFile] = field(default_factory=list)
    failures: dict[Path, str] = field(default_factory=dict)
    history_removed: bool = False
    versions_left: int = 0
    backups_replaced: tuple[int, Path] | None = None


def is_id(text: str) -> bool:
    """Whether a text is the public id of something that can be purged."""
    return _ID.fullmatch(text.strip().lower()) is not None


def find_forgotten(graph: Path, what: str, *, key: Key | None, kind: str | None = None) -> list[Remainder]:
    """What was deleted from a graph and has this id, name, type:name, title or sentence, newest first.

    Args:
        kind: entity, fact or text; None for any of them.
    """
    wanted_id, wanted = what.strip().lower(), normalisation.key(what)
    divided = what.partition(":")
    typed = (divided[0].strip().lower(), normalisation.key(divided[2]))

    def matches(public_id: str, name: str, entity_type: str) -> bool:
        key = normalisation.key(name)
        return public_id == wanted_id or key == wanted or (entity_type, key) == typed

    with store.copies.lock_and_open(graph, key=key) as conn:
        found = store.purge.find_deleted(conn, matches=matches)
    kinds = {"episode": "text"}
    forgotten = [Remainder(kinds.get(table, table), public_id, name) for table, public_id, name in found]
    return [each for each in forgotten if kind in (None, each.kind)]


def purge(
    graph: Path,
    *,
    key: Key | None,
    other_keys: Sequence[Key | None],
    now: datetime,
    ids: Sequence[str] | None = None,
    calls: Sequence[int] = (),
    versions_of: Sequence[str] = (),
    words: Collection[Word] = (),
) -> Report:
    """Remove what was deleted from a graph and its backups.

    Args:
        key: what the graph is encrypted with; None for a plain one.
        other_keys: keys that backups may have.
        ids: the public ids of what is to be purged; None for all that was ever deleted, with the earlier versions of
            entities of which something was taken away.
        calls: what these calls deleted is purged too.
        versions_of: the public ids of what stays, and its earlier versions are purged.
        words: words that were removed from the vocabulary, each by its kind and its name.

    Raises:
        errors.GraphBusy: somebody has the graph open.
        errors.BackupFailed: the graph cannot be rewritten; it is unchanged.
    """
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        with store.copies.open_exclusively(graph, key=key) as conn:
            chosen, changed = frozenset(ids or ()), frozenset(versions_of)
            if ids is None:
                chosen = store.purge.deleted_ids(conn)
                changed |= store.earlier_versions.ids_with_something_removed(conn)
                words = _removed_words(conn)
            calls = [*calls, *store.purge.calls_deleting_texts(conn, chosen, tools=FORGETTING_TOOLS)]
            current = store.earlier_versions.read_current(conn, changed)
            of_words = _content_of_words(conn, words)
            content = store.purge.collect(conn, Content(ids=chosen, current=current) | of_words, calls=calls)
        report = Report(content.ids, history_removed=_remove_history(graph))
        at = timestamps.from_datetime(now)
        for backup in _backup_files(graph):
            try:
                backup_key = backups.find_key(backup, [key, None, *other_keys])
                status = backup.stat()
                report.files.append(_purge_file(backup, backup_key, content, at=at))
                # The age of a backup is that of its content.
                os.utime(backup, ns=(status.st_atime_ns, status.st_mtime_ns))
            except (errors.KeepgraphError, sqlite.Error, OSError) as error:
                report.failures[backup] = getattr(error, "message", None) or str(error)
        report.files.append(_purge_file(graph, key, content, at=at, calls=calls))
        with store.copies.open_exclusively(graph, key=key) as conn:
            report.versions_left = store.earlier_versions.count(conn)
    return report


def purge_earlier_versions(graph: Path, *, key: Key | None, now: datetime) -> Report:
    """Remove from a graph all that was deleted, and all that anything in it was before; nothing can be undone then.

    Backups are earlier versions of the graph as a whole: one of what it is now takes their place.

    Raises:
        errors.GraphBusy, errors.BackupFailed: see `purge`.
    """
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        with store.copies.open_exclusively(graph, key=key) as conn:
            chosen = store.purge.deleted_ids(conn)
            calls = store.purge.calls_deleting_texts(conn, chosen, tools=FORGETTING_TOOLS)
            of_words = _content_of_words(conn, _removed_words(conn))
            content = store.purge.collect(conn, Content(ids=chosen) | of_words, calls=calls)
        report = Report(content.ids, history_removed=_remove_history(graph))
        purged = _purge_file(graph, key, content, at=timestamps.from_datetime(now), calls=calls, all_versions=True)
        report.files.append(purged)
        old = _backup_files(graph)
        if old:
            new = backups.free_file(graph, backups.BY_HAND, now)
            with store.copies.open_exclusively(graph, key=key) as conn:
                part = store.files.temporary_file(new)
                store.copies.copy(conn, part, key=key, was_encrypted=key is not None)
                os.replace(part, new)
            for backup in old:
                store.files.remove_overwritten(backup)
            permissions.sync(new)
            report.backups_replaced = (len(old), new)
    return report


def _purge_file(
    file: Path, key: Key | None, content: Content, *, at: str, calls: Sequence[int] = (), all_versions: bool = False
) -> PurgedFile:
    """Remove the content from one file, and search it afterwards.

    Raises:
        errors.BackupFailed: the file could not be written, or still has an id of it; then it is as it was.
    """

    def remove(conn: store.connections.Connection) -> tuple[Removal, int, list[tuple[str, str, str]]]:
        in_file = store.purge.collect(conn, content, calls=calls)
        removal = store.purge.remove(
            conn,
            at=at,
            names_it=_recogniser(in_file, with_common_names=False),
            current=content.current,
            words=content.words,
            all_versions=all_versions,
        )
        store.copies.compact(conn)
        if store.purge.search(conn, lambda text: not in_file.ids.isdisjoint(_ID.findall(text)))[1]:
            raise errors.BackupFailed(f"{file} still contains what was to be purged; it was not changed")
        return removal, *store.purge.search(conn, _recogniser(in_file, with_common_names=True))

    removal, rows, remainders = store.copies.rewrite_changed(
        file, key=key, part=store.files.temporary_file(file), change=remove
    )
    if key is None and (left := _ids_in_bytes(file) & {public_id.encode() for public_id in content.ids}):
        raise errors.BackupFailed(f"{file} still has {len(left)} ids of what was purged")
    return PurgedFile(file, removal, rows, tuple(Remainder(*remainder) for remainder in remainders))


def find_removed_words(graph: Path, word: str, *, key: Key | None) -> list[Word]:
    """The words of this name that were removed from the vocabulary of a graph, and may be purged."""
    with store.copies.lock_and_open(graph, key=key) as conn:
        return sorted(each for each in store.earlier_versions.deleted(conn) if each[1] == graph_vocabulary.spell(word))


def _removed_words(conn: store.connections.Connection) -> frozenset[Word]:
    """The words that somebody added and removed; not words of the sets that come with this program."""
    removed = store.earlier_versions.deleted(conn)
    if not removed:
        return removed
    sets = [definitions.shipped(name) for name in definitions.shipped_names()]
    shipped = {term.name for each in sets for term in each.types} | {
        term.name for each in sets for term in each.predicates
    }
    return frozenset(word for word in removed if word[1] not in shipped)


def _content_of_words(conn: store.connections.Connection, words: Collection[Word]) -> Content:
    if not words:
        return Content()
    names = store.earlier_versions.names(conn, words)
    return Content(
        words=frozenset(words), names=names, wording_keys=frozenset(map(graph_vocabulary.wording_key, names))
    )


def _recogniser(content: Content, *, with_common_names: bool) -> Callable[[str], bool]:
    """A function that says whether a text has an id, a name or a sentence of the content.

    Args:
        with_common_names: names that are also common words (go, mark), and occur in texts that do not mean them.
    """
    names = (name for name in content.names if with_common_names or not _is_common(name))
    sentences = (sentence for sentence in content.sentences if len(sentence.strip()) >= MIN_SENTENCE)
    occurrences = Occurrences([*names, *sentences])
    return lambda text: not content.ids.isdisjoint(_ID.findall(text)) or occurrences.are_in(text)


def _is_common(name: str) -> bool:
    words = name.casefold().split()
    return len(words) == 1 and (len(words[0]) < 3 or common_words.is_common(words[0]))


def _backup_files(graph: Path) -> list[Path]:
    """The backups of a graph, by name; what interrupted ones left is removed."""
    for part in backups.folder(graph).glob(".*-part*"):
        store.files.remove_overwritten(part)
    return backups.files(graph)


def _remove_history(graph: Path) -> bool:
    """Remove what was typed at the prompt of `kg query`: it may have words of what is purged."""
    history = store.files.prompt_history(graph)
    exists = history.is_file()
    with suppress(FileNotFoundError):
        store.files.remove_overwritten(history)
    return exists


def _ids_in_bytes(file: Path) -> set[bytes]:
    """All ids in the bytes of a file."""
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return set(_ID_IN_BYTES.findall(content))
