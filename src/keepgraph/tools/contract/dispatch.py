"""Dispatch of a tool call: input schema, transaction, function, output schema. Every interface goes through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import reduce
from operator import or_
from typing import Any

from keepgraph import errors, interruption, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.maintenance import backups, jobs
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import catalogue, schemas, validation
from keepgraph.tools.contract.catalogue import Effect, Need, Tool

Progress = jobs.Progress

SESSION_ARGUMENT = "session_id"
"""The argument by which a caller names the conversation that a call belongs to."""

Around = Callable[[Tx], AbstractContextManager[Tx]]
"""What is done before and after a call that writes, in its transaction; the call runs in the transaction it gives."""


def call(
    database: Database,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    session: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    read_only: bool = False,
    has_background: bool = False,
    cancellation: CancellationCheck | None = None,
    progress: Progress | None = None,
    around: Around = nullcontext,
    recorded_as: str = "",
) -> dict[str, Any]:
    """Run one tool in one transaction, at one instant; or, if the tool is a job, in many short transactions.

    Args:
        name: the name of the tool, or an alias of it.
        arguments: as the caller sent them; they are checked against the input schema.
        session: the conversation that the call belongs to, unless its arguments name another; stored with what it
            records.
        defaults: arguments that a tool which takes them is given where the call does not say where to look.
        read_only: refuse tools that write.
        has_background: whether a task in the background makes derived data: then a call waits for what is newest, and
            says how much is missing besides.
        cancellation: the cancellation check: it is called again and again, and gives a reason to stop, or None.
        progress: called now and then with the progress of a job.
        around: for a tool that writes and is not a job, what else belongs to the call; it fails and is undone with it.
        recorded_as: for a tool that writes and is not a job, what the journal and the assertions name instead of it.

    Raises:
        errors.KeepgraphError: whatever went wrong. Then nothing has changed, except what a job had committed before.
    """
    with interruption.by(cancellation):
        tool = catalogue.find(name)
        try:
            given = catalogue.translate(name, tool.name, {} if arguments is None else arguments)
            checked = validation.check_input(tool.toolset, tool.name, given)
            if defaults:
                checked = _with_defaults(tool, checked, defaults)
            # The function reads the conversation in its transaction.
            session = checked.pop(SESSION_ARGUMENT, "").strip() or session
            if tool.effect is Effect.READ:
                unknown_names: dict[str, str] = {}
                answer = _read(
                    database,
                    tool,
                    checked,
                    session=session,
                    cancellation=cancellation,
                    may_backfill=catalogue.NOTHING if read_only else catalogue.ALL,
                    has_background=has_background,
                    unknown_names=unknown_names,
                )
                if not read_only:
                    _count(database, tool, session=session, unknown_names=unknown_names)
                return answer
            if read_only:
                raise errors.GraphReadOnly(f"{tool.name} writes, and this graph was opened for reading only")
            if tool.is_job:
                job = Job(database, tool=tool.name, session=session, cancellation=cancellation, progress=progress)
                answer = {"call": None, **tool.run(job, **checked)}
                validation.check_output(tool.toolset, tool.name, answer)
                return answer
            return _write(
                database,
                tool,
                checked,
                session=session,
                cancellation=cancellation,
                around=around,
                recorded_as=recorded_as or tool.name,
            )
        except errors.KeepgraphError as error:
            if error.example is None:
                error.example = schemas.example(tool.toolset, tool.name)
            raise


def _with_defaults(tool: Tool, arguments: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the defaults that the tool takes, for empty ones too; as they are where they name groups."""
    if arguments.get("group_ids"):
        return arguments
    properties = schemas.load(tool.toolset, tool.name, "input")["properties"]
    missing = {name for name in defaults if name in properties and not arguments.get(name)}
    return {**arguments, **{name: defaults[name] for name in missing}}


def _read(
    database: Database,
    tool: Tool,
    arguments: dict[str, Any],
    *,
    session: str | None,
    cancellation: CancellationCheck | None,
    may_backfill: frozenset[Need],
    has_background: bool,
    unknown_names: dict[str, str],
) -> dict[str, Any]:
    """Run a tool that reads, after a backfill of what it needs and is missing, each kind once.

    What it needs is asked in the transaction in which it runs, and again after each backfill: a name may be found among
    the new mentions, and need no vectors then.

    Args:
        unknown_names: gets the names that it asked for and nothing has, where the settings have them counted.
    """
    tried: set[Need] = set()
    seconds_left: Callable[[], float] | None = None
    while True:
        with database.read(tool.name, session=session, cancellation=cancellation) as tx:
            missing = _missing(tx, tool, arguments)
            due = [
                need
                for need in missing
                if need in may_backfill - tried and not (has_background and catalogue.is_left_to_background(tx, need))
            ]
            if not due:
                tx.unknown_names.clear()
                answer = {**tool.run(tx, **arguments)}
                unknown_names.update(tx.unknown_names)
                if Need.MENTIONS in missing:
                    # The answer lacks names that stand in these texts: the caller is told how many there are.
                    answer["unread"] = sum(store.mentions.count(tx))
                validation.check_output(tool.toolset, tool.name, answer)
                return answer
        seconds_left = seconds_left or vector_backfill.countdown()
        # Where the backfill fails, the tool answers with what there is, and says what is missing.
        with suppress(errors.GraphFileError, errors.ModelUnavailable):
            catalogue.backfill_some(database, due[0], seconds=seconds_left(), has_background=has_background)
        tried.add(due[0])


def _missing(tx: Tx, tool: Tool, arguments: Mapping[str, Any]) -> list[Need]:
    """The derived data that a call needs, is missing, and can be backfilled."""
    try:
        needs = tool.needs(tx, **arguments) if callable(tool.needs) else tool.needs
    except (errors.InvalidRequest, errors.ModelUnavailable):
        return []  # the tool says what is wrong
    return [need for need in Need if need in needs and catalogue.is_missing(tx, need)]


def _write(
    database: Database,
    tool: Tool,
    arguments: dict[str, Any],
    *,
    session: str | None,
    cancellation: CancellationCheck | None,
    around: Around,
    recorded_as: str,
) -> dict[str, Any]:
    """Run a tool that writes, after the backup that it wants. Of a dry run nothing is written, not even the call.

    The answer has the number of the call, for undo, if it changed anything; a replayed one, that of the call before.
    """
    if tool.prepare is not None and tool.name not in database.prepared_tools:
        with database.read(tool.name, session=session, cancellation=cancellation) as tx:
            tool.prepare(tx)
        database.prepared_tools.add(tool.name)
    if tool.backup is not None:
        # Asked in a write, so that no backup is made of a graph that cannot be written anyway.
        with database.write(tool.name, session=session, cancellation=cancellation) as tx:
            kind = tool.backup(tx, **arguments)
        if kind is not None:
            backups.make(database, kind)
    dry_run = arguments.get("dry_run") is True
    with database.write(recorded_as, session=session, cancellation=cancellation, dry_run=dry_run) as tx:
        tx = store.journal.begin_call(tx)
        changes = tx.changes
        with around(tx) as inside:
            answer = {"call": tx.call, **tool.run(inside, **arguments)}
        if dry_run or (tx.changes == changes and answer["call"] == tx.call):
            answer["call"] = None
        validation.check_output(tool.toolset, tool.name, answer)
    return _complete(tool, answer, tx) if tx.completions and not dry_run else answer


def _complete(tool: Tool, answer: dict[str, Any], tx: Tx) -> dict[str, Any]:
    """The answer of a committed write with what was asked after the commit.

    The write stands: if something could not be asked, the answer says so, and is not an error.
    """
    with suppress(Exception):
        if len(tx.completed) == len(tx.completions):
            complete = reduce(or_, tx.completed, answer)
            validation.check_output(tool.toolset, tool.name, complete)
            return complete
    return {**answer, "not_checked": True}


# Counting of calls that read, and of names that nothing has: only where the settings ask for it, in a short write.
#
# Counted is which tool was called in which conversation, and how often; never what was asked but for those names.


def _count(database: Database, tool: Tool, *, session: str | None, unknown_names: Mapping[str, str]) -> None:
    """Count a call that was answered; in a graph that cannot be written to, nothing is counted."""
    if tool.toolset in catalogue.INTERNAL_TOOLSETS:
        return
    is_read_counted = database.settings.count_reads and session is not None
    if not is_read_counted and not unknown_names:
        return
    with suppress(errors.GraphFileError), database.write(tool.name, session=session) as tx:
        if is_read_counted and session is not None:
            store.garden.add_read(tx, conversation=session, tool=tool.name)
        if unknown_names:
            store.garden.add_unknown_names(tx, unknown_names)
