"""Jobs: long work in many short calls, each with its own transaction; and changes of a file that did not finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from keepgraph import interruption, store
from keepgraph.engine.maintenance import backups
from keepgraph.lazy import dataclass
from keepgraph.model import KeyLocation
from keepgraph.profiles import keys, profile, settings_file
from keepgraph.store.cancellation import CancellationCheck, of_a_finished_write
from keepgraph.store.database import Database
from keepgraph.store.files import Kind
from keepgraph.store.transactions import Tx

Progress = Callable[[int, int | None, str], None]
"""Called with how much is done, of how much (None: not known yet), and the current work."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a tool that is a job gets in the place of a transaction.

    Attributes:
        tool: what the journal names as the tool of each call.
        session: the conversation it came from, if known.
        cancellation: checked between calls, and while one reads; a call that writes is finished.
        progress: called from time to time.
    """

    database: Database
    tool: str
    session: str | None = None
    cancellation: CancellationCheck | None = None
    progress: Progress | None = None

    @contextmanager
    def read(self, *, group: str | None = None) -> Iterator[Tx]:
        """One snapshot of the graph, in the group of the database or another."""
        with self.database.read(self.tool, session=self.session, cancellation=self.cancellation) as tx:
            yield tx if group is None else replace(tx, group=group)

    @contextmanager
    def write(self, *, group: str | None = None) -> Iterator[Tx]:
        """A call of its own in the journal: all of it is on disk when this ends, or none of it."""
        finishing = of_a_finished_write(self.cancellation)
        with (
            interruption.by(finishing),
            self.database.write(self.tool, session=self.session, cancellation=finishing) as tx,
        ):
            yield store.journal.begin_call(tx if group is None else replace(tx, group=group))

    def report_progress(self, done: int, total: int | None, what: str) -> None:
        if self.progress is not None:
            self.progress(done, total, what)

    def is_cancelled(self) -> bool:
        """Whether to end after this call; what was done stays."""
        return self.cancellation is not None and self.cancellation() is not None


# Unfinished changes of the key of a graph: what an interrupted encryption, decryption or rekeying has left.

ENCRYPT, DECRYPT, REKEY = "encrypt", "decrypt", "rekey"
"""What is being done, as the settings of a graph say while it is."""


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """What was left undone, and the command that finishes it, such as `kg rekey`."""

    message: str
    command: str


def find(graph: Path) -> list[_Unfinished]:
    """What interrupted changes of the key have left, seen from outside: the graph is not opened.

    Raises:
        errors.SettingsInvalid: its settings cannot be read.
    """
    location = settings_file.read(graph).key
    is_encrypted = graph.is_file() and store.files.kind(graph) is Kind.ENCRYPTED
    unfinished = [change] if (change := find_change(location, is_encrypted=is_encrypted)) else []
    if is_encrypted and (plain := plain_backups(graph)):
        names = ", ".join(file.name for file in plain)
        unfinished.append(
            _Unfinished(f"the graph is encrypted, and its text can be read in {names}", "kg doctor --fix")
        )
    return [replace(each, command=each.command.replace("kg", profile.command_prefix(graph), 1)) for each in unfinished]


def find_change(location: KeyLocation | None, *, is_encrypted: bool) -> _Unfinished | None:
    """The change that was interrupted, as the settings of the graph say."""
    match location:
        case None:
            return None
        case KeyLocation(change="rekey"):
            message = "giving the graph another key was interrupted: backups may still have the old one"
            return _Unfinished(message, "kg rekey")
        case KeyLocation(change="decrypt") if is_encrypted:
            return _Unfinished("decrypting the graph was interrupted: it is still encrypted", "kg decrypt")
        case KeyLocation(change="encrypt") if not is_encrypted:
            return _Unfinished("encrypting the graph was interrupted: its text can still be read", "kg encrypt")
        # The file was replaced, and the settings do not say so yet.
        case KeyLocation(encrypted=False) if is_encrypted:
            return _Unfinished("encrypting the graph was interrupted before its end", "kg encrypt")
    return None


def plain_backups(graph: Path) -> list[Path]:
    """The backups that are not encrypted."""
    return [file for file in backups.files(graph) if store.files.kind(file) is Kind.PLAIN]


def leftovers(graph: Path, location: KeyLocation | None) -> list[Path]:
    """Unfinished files that can be removed when nobody else has the graph open, since nobody then writes them.

    Half-made backups, which may be plain; and key files that were being written, with the keys in them.

    Args:
        location: where its key is, as its settings say.
    """
    files = backups.unfinished(graph)
    if location is not None:
        named = [Path(location.file)] if location.file else []
        for file in {*named, keys.default_file(graph), keys.wrapped_file(graph)}:
            files += keys.unfinished(file)
    return files
