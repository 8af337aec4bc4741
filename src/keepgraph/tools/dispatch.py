"""Calls a tool: checks the words, opens the one transaction, checks the answer. Every door comes through here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keepgraph import errors
from keepgraph.engine import calls
from keepgraph.store import db
from keepgraph.store.db import Database
from keepgraph.tools import catalogue, contract, schemas
from keepgraph.tools.catalogue import Effect

Stop = db.Stop


def call(
    database: Database,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    session: str | None = None,
    read_only: bool = False,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Run one tool in one transaction, at one instant.

    Args:
        session: the conversation that the call belongs to; kept with what it records.
        read_only: refuse tools that write.
        stop: asked now and then for a reason to give up.

    Raises:
        errors.KeepgraphError: whatever went wrong; then nothing has changed.
    """
    tool = catalogue.find(name)
    try:
        given = contract.check_input(tool.toolset, tool.name, {} if arguments is None else arguments)
        if tool.effect is Effect.READ:
            with database.read(tool.name, session=session, stop=stop) as tx:
                answer = tool.run(tx, **given)
                contract.check_output(tool.toolset, tool.name, answer)
        elif read_only:
            raise errors.GraphReadOnly(f"{tool.name} writes, and this graph was opened for reading only")
        else:
            with database.write(tool.name, session=session, stop=stop) as tx:
                tx = calls.begin(tx)
                answer = {"call": tx.call, **tool.run(tx, **given)}
                contract.check_output(tool.toolset, tool.name, answer)
    except errors.KeepgraphError as error:
        if error.example is None:
            error.example = schemas.example(tool.toolset, tool.name)
        raise
    return answer
