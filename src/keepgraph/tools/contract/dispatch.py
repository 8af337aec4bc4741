"""Dispatch of a tool call: input schema, transaction, function, output schema. Every interface goes through it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.backfill import on_demand
from keepgraph.engine.upkeep import backups, jobs
from keepgraph.engine.upkeep.jobs import Job
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.tools.contract import catalogue, schemas, validation
from keepgraph.tools.contract.catalogue import Effect, Tool

Progress = jobs.Progress


def call(
    database: Database,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    session: str | None = None,
    read_only: bool = False,
    cancellation: CancellationCheck | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run one tool in one transaction, at one instant; or, if the tool is a job, in many short transactions.

    Args:
        name: the name of the tool, or an alias of it.
        arguments: as the caller sent them; they are checked against the input schema.
        session: the conversation that the call belongs to; stored with what it records.
        read_only: refuse tools that write.
        cancellation: the cancellation check: it is called again and again, and gives a reason to cancellation, or None.
        progress: called now and then with the progress of a job.

    Raises:
        errors.KeepgraphError: whatever went wrong. Then nothing has changed, except what a job had committed before.
    """
    tool = catalogue.find(name)
    try:
        checked = validation.check_input(tool.toolset, tool.name, {} if arguments is None else arguments)
        if tool.effect is Effect.READ:
            answer = _read(
                database, tool, checked, session=session, cancellation=cancellation, may_backfill=not read_only
            )
        elif read_only:
            raise errors.GraphReadOnly(f"{tool.name} writes, and this graph was opened for reading only")
        elif tool.is_job:
            answer = _run_job(database, tool, checked, session=session, cancellation=cancellation, progress=progress)
        else:
            answer = _write(database, tool, checked, session=session, cancellation=cancellation)
    except errors.KeepgraphError as error:
        if error.example is None:
            error.example = schemas.example(tool.toolset, tool.name)
        raise
    return answer


def _read(
    database: Database,
    tool: Tool,
    arguments: dict[str, Any],
    *,
    session: str | None,
    cancellation: CancellationCheck | None,
    may_backfill: bool,
) -> dict[str, Any]:
    """Run a tool that reads. If it asks for missing data, backfill some of it and run it once more."""
    backfilled: frozenset[str] = frozenset() if may_backfill else on_demand.ALL
    while True:
        try:
            with database.read(tool.name, session=session, cancellation=cancellation) as tx:
                answer = tool.run(replace(tx, backfilled=backfilled), **arguments)
                if on_demand.is_incomplete(tx, on_demand.MENTIONS):
                    # The answer lacks names that stand in these texts: the caller is told how many there are.
                    answer["unread"] = sum(store.mention_queue.count(tx))
                validation.check_output(tool.toolset, tool.name, answer)
                return answer
        except on_demand.BackfillNeeded as missing:
            # Where the backfill fails, the tool answers with what there is, and says what is missing.
            with suppress(errors.GraphFileError, errors.ModelUnavailable):
                missing.backfill(database)
            backfilled |= {missing.kind}


def _write(
    database: Database,
    tool: Tool,
    arguments: dict[str, Any],
    *,
    session: str | None,
    cancellation: CancellationCheck | None,
    backed_up: bool = False,
) -> dict[str, Any]:
    """Run a tool that writes. If it asks for a backup of the graph as it is, make one and run it once more."""
    try:
        with database.write(tool.name, session=session, cancellation=cancellation) as tx:
            tx = store.journal.begin_call(replace(tx, backed_up=backed_up))
            answer = {"call": tx.call, **tool.run(tx, **arguments)}
            validation.check_output(tool.toolset, tool.name, answer)
            return answer
    except backups.BackupNeeded as wanted:
        backups.make(database, str(wanted))
    return _write(database, tool, arguments, session=session, cancellation=cancellation, backed_up=True)


def _run_job(
    database: Database,
    tool: Tool,
    arguments: dict[str, Any],
    *,
    session: str | None,
    cancellation: CancellationCheck | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Run a tool that makes many short writes, each a call of its own."""
    job = Job(database, tool=tool.name, session=session, cancellation=cancellation, progress=progress)
    answer = {"call": None, **tool.run(job, **arguments)}
    validation.check_output(tool.toolset, tool.name, answer)
    return answer
