"""The Python API: an open graph, and calls of its tools."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from keepgraph import errors, permissions, store
from keepgraph.engine.maintenance import backups, jobs
from keepgraph.engine.maintenance.jobs import Progress
from keepgraph.engine.vocabulary import declared_words, sets
from keepgraph.model import DeclaredVocabulary, Settings
from keepgraph.profiles import keys, settings_file
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import dispatch

if TYPE_CHECKING:
    from keepgraph.tool_calls import ToolCalls
else:
    ToolCalls = object


class Graph(ToolCalls):
    """A graph in one file. Each tool is a method: `graph.recall_entity(name_or_alias="Ana")`.

    Use it as a context manager, or close it; any thread may call it.

    Attributes:
        database: the file and its transactions.
        read_only: whether calls that write are refused.
        has_background: whether a background task makes vectors, so that a search waits only for the newest.
    """

    def __init__(
        self,
        database: Database,
        *,
        read_only: bool = False,
        session: str | None = None,
        project: str | None = None,
    ) -> None:
        self.database = database
        self.read_only = read_only
        self.has_background = False
        self._session = session
        self._defaults = {"project": project} if project else None

    @property
    def path(self) -> Path:
        return self.database.path

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool by name: `graph.call("recall_entity", name_or_alias="Priya")`.

        Arguments and answer follow the tool's schemas, as plain dicts, lists, strings and numbers.

        Raises:
            keepgraph.KeepgraphError: what went wrong, with a `code`, a hint and an example; `answer()` has the form
                of the other interfaces. Nothing has changed then.
        """
        return self.call_until(None, tool, arguments)

    def call_until(
        self,
        cancellation: CancellationCheck | None,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Call a tool that can be cancelled, with arguments exactly as a client sent them.

        Args:
            cancellation: called repeatedly while the tool runs; gives a reason to stop, or None.
            progress: called from time to time with the progress of a job.
        """
        return dispatch.call(
            self.database,
            tool,
            arguments,
            session=self._session,
            defaults=self._defaults,
            read_only=self.read_only,
            has_background=self.has_background,
            cancellation=cancellation,
            progress=progress,
        )

    if not TYPE_CHECKING:  # type checkers see the methods of ToolCalls, and refuse all others

        def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
            """The tool of this name as a method."""
            from keepgraph.tools.contract import catalogue

            try:
                catalogue.find(name)
            except errors.UnknownTool as error:
                raise AttributeError(error.message, name=name, obj=self) from None
            return partial(self.call, name)

    def for_session(self, session: str, *, read_only: bool = False) -> Graph:
        """The same open file for another conversation, or for one that may only read. Closing either closes both."""
        view = Graph(self.database, read_only=self.read_only or read_only, session=session)
        view.has_background, view._defaults = self.has_background, self._defaults
        return view

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(
    path: str | os.PathLike[str],
    *,
    create: bool = True,
    read_only: bool = False,
    zone: tzinfo | None = None,
    group: str | None = None,
    session: str | None = None,
    project: str | None = None,
    settings: Settings | None = None,
    key: str | None = None,
    ask: keys.AskPassphrase | None = None,
    any_schema: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    new_id: Callable[[str, datetime], str] | None = None,
) -> Graph:
    """Open the graph in a file.

    Args:
        path: the file; with `create`, a missing file is created, readable only by its owner.
        read_only: refuse calls that write, and neither create nor upgrade the file.
        zone: what "today" means; None uses the file beside the graph (graph.toml for graph.db), or the
            system's time zone.
        group: the group to work in; None uses that file, or "default".
        session: the name of a conversation, stored with what is recorded in it.
        project: the project of calls that take one and name neither a project nor groups; None uses KG_PROJECT,
            else none.
        settings: how names are resolved; None reads them from that file.
        key: the key of an encrypted graph, 64 hexadecimal digits; None looks for it in the key file, in KG_KEY, or in
            the keyring of the system. A new graph is encrypted with it.
        ask: asks a person for the passphrase, if the key is wrapped with one.
        any_schema: with `read_only`, also open a file whose tables, indexes, triggers or views differ from Keepgraph's,
            to save what can be read.
        clock, new_id: for tests: a fixed time and counted ids.

    Raises:
        keepgraph.KeepgraphError: GRAPH_NOT_FOUND, or GRAPH_UNAVAILABLE, GRAPH_DAMAGED, GRAPH_SCHEMA_DIFFERS,
            GRAPH_TOO_NEW, MIGRATION_EDITED, SETTINGS_INVALID; KEY_MISSING, KEY_WRONG, KEY_INVALID, GRAPH_NOT_ENCRYPTED.
    """
    file = permissions.expanded(os.fspath(path)).resolve()
    profile = settings_file.read(file)
    declared = profile.vocabulary
    if declared and (problem := declared_words.find_problem(declared)):
        raise _vocabulary_error(file, problem)
    backups.refuse_to_start_empty(file)
    is_new = not file.exists()
    try:
        database = Database(
            file,
            create=create,
            read_only=read_only,
            clock=clock,
            new_id=new_id or store.ids.ulids(),
            zone=zone or _zone(profile.zone),
            group=group or profile.group,
            settings=settings or profile.settings,
            key_source=keys.key_source(file, profile.key, given=key, ask=ask),
            before_migration=backups.make_before_migration,
            on_create=lambda tx: _add_declared_words(tx, file, declared, declared_words.add_to_new_graph),
            on_upgrade=sets.upgrade,
            backups_kept=profile.backups_kept,
            any_schema=any_schema,
            leftovers=lambda: jobs.leftovers(file, profile.key),
        )
    except errors.SettingsInvalid:
        # If the initial content of a new graph is impossible, no empty graph is left behind.
        for part in store.files.with_sidecars(file) if is_new else ():
            part.unlink(missing_ok=True)
        raise
    if declared and not read_only:
        try:
            _add_missing_words(database, declared)
        except BaseException:
            database.close()
            raise
    return Graph(database, read_only=read_only, session=session, project=project or settings_file.default_project())


def _add_missing_words(database: Database, declared: DeclaredVocabulary) -> None:
    """Add what the settings declare and the graph lacks, in a call that can be undone."""
    with database.read("settings") as tx:
        if problem := declared_words.find_dropped(tx, declared):
            raise _vocabulary_error(database.path, problem)
        if not declared_words.is_missing(tx, declared):
            return
    with database.write("settings") as tx:
        tx = store.journal.begin_call(tx)
        _add_declared_words(tx, database.path, declared, declared_words.add_missing)


def _add_declared_words(
    tx: Tx, file: Path, declared: DeclaredVocabulary, add: Callable[[Tx, DeclaredVocabulary], None]
) -> None:
    """
    Raises:
        errors.SettingsInvalid: a word names a type that does not exist, or cannot be added as given, or the words
            contradict each other.
    """
    if problem := declared_words.find_unknown_type(tx, declared):
        raise _vocabulary_error(file, problem)
    try:
        add(tx, declared)
    except (errors.VocabularyInvalid, errors.VocabularyConflict) as error:
        raise _vocabulary_error(file, ((), error.message)) from error
    if problem := declared_words.find_dropped(tx, declared) or declared_words.find_unrelated_inverse(tx, declared):
        raise _vocabulary_error(file, problem)


def _vocabulary_error(file: Path, problem: declared_words.Problem) -> errors.SettingsInvalid:
    place, message = problem
    return settings_file.invalid(file, ("vocabulary", *place), message)


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)
