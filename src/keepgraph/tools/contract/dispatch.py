"""Calls a tool: checks the words, opens the one transaction, checks the answer. Every door comes through here."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.backfill import requests
from keepgraph.engine.upkeep import backups, calls, jobs
from keepgraph.engine.upkeep.jobs import Drive
from keepgraph.store.database import Database
from keepgraph.tools.contract import catalogue, schemas, validation
from keepgraph.tools.contract.catalogue import Effect, Tool

Stop = store.database.Stop
Progress = jobs.Progress


def call(
    database: Database,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    session: str | None = None,
    read_only: bool = False,
    stop: Stop | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run one tool in one transaction, at one instant; or, where it is long work, in many short ones.

    Args:
        session: the conversation that the call belongs to; kept with what it records.
        read_only: refuse tools that write.
        stop: asked now and then for a reason to give up.
        progress: told now and then how far long work has come.

    Raises:
        errors.KeepgraphError: whatever went wrong; then nothing has changed, but for what long work had done before.
    """
    tool = catalogue.find(name)
    try:
        given = validation.check_input(tool.toolset, tool.name, {} if arguments is None else arguments)
        if tool.effect is Effect.READ:
            answer = _read(database, tool, given, session=session, stop=stop, may_fill=not read_only)
        elif read_only:
            raise errors.GraphReadOnly(f"{tool.name} writes, and this graph was opened for reading only")
        elif tool.drives:
            answer = _drive(database, tool, given, session=session, stop=stop, progress=progress)
        else:
            answer = _write(database, tool, given, session=session, stop=stop)
    except errors.KeepgraphError as error:
        if error.example is None:
            error.example = schemas.example(tool.toolset, tool.name)
        raise
    return answer


def _write(
    database: Database,
    tool: Tool,
    given: dict[str, Any],
    *,
    session: str | None,
    stop: Stop | None,
    backed_up: bool = False,
) -> dict[str, Any]:
    """Run a tool that writes; if it wants a backup of what is there, one is made first, and it is run once more."""
    try:
        with database.write(tool.name, session=session, stop=stop) as tx:
            tx = calls.begin(replace(tx, backed_up=backed_up))
            answer = {"call": tx.call, **tool.run(tx, **given)}
            validation.check_output(tool.toolset, tool.name, answer)
            return answer
    except backups.Wanted as wanted:
        backups.make(database, str(wanted))
    return _write(database, tool, given, session=session, stop=stop, backed_up=True)


def _read(
    database: Database,
    tool: Tool,
    given: dict[str, Any],
    *,
    session: str | None,
    stop: Stop | None,
    may_fill: bool,
) -> dict[str, Any]:
    """Run a tool that reads; if it asks for something that waits, some of it is made first, and it is run once more."""
    filled: frozenset[str] = frozenset() if may_fill else requests.EVERYTHING
    while True:
        try:
            with database.read(tool.name, session=session, stop=stop) as tx:
                answer = tool.run(replace(tx, filled=filled), **given)
                if requests.was_wanted(tx, requests.READINGS):
                    # Names in texts that have not been read are not in the answer.
                    answer["unread"] = sum(store.mentions.waiting(tx))
                validation.check_output(tool.toolset, tool.name, answer)
                return answer
        except requests.Wanted as wanted:
            with suppress(errors.GraphTrouble, errors.ModelUnavailable):
                # Where it cannot be made, the answer says how much waits.
                wanted.fill(database)
            filled |= {wanted.what}


def _drive(
    database: Database,
    tool: Tool,
    given: dict[str, Any],
    *,
    session: str | None,
    stop: Stop | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Run a tool that makes many short writes, each a call of its own."""
    drive = Drive(database, tool=tool.name, session=session, stop=stop, progress=progress)
    answer = {"call": None, **tool.run(drive, **given)}
    validation.check_output(tool.toolset, tool.name, answer)
    return answer
