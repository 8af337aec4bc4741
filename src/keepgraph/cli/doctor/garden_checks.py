"""Checks of the gardener: when it last ran, and whether the timers of this machine still find what they run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from keepgraph import errors, store
from keepgraph.cli.doctor.inspection import InspectedGraph
from keepgraph.cli.garden import timers
from keepgraph.cli.garden.timers import Timer
from keepgraph.cli.install import clients
from keepgraph.engine.upkeep.integrity import Check, State
from keepgraph.store.database import Database

_NAME = "garden"
_INSTALL = "kg garden --install"


def check_garden(target: InspectedGraph, database: Database | None) -> Iterator[Check]:
    machine = clients.this_machine()
    timer = timers.timer(machine, clients.own_command(), target.path.resolve())
    yield _check_timer(target, timer, last_run=_last_run(database))
    for file in timers.installed(machine):
        if file != timer.files[0][0]:
            yield from _check_other_timer(file)


def _check_timer(target: InspectedGraph, timer: Timer, *, last_run: str) -> Check:
    """The timer of this graph: whether it is installed, as this installation would install it."""
    missing = [file for file, _ in timer.files if not file.is_file()]
    if len(missing) == len(timer.files):
        by_server = "once a day by a server that nobody calls" if target.profile.garden_when_idle else "on request only"
        return Check(_NAME, State.OK, f"no timer runs the gardener: it runs {by_server}; {last_run}")
    if missing:
        return Check(_NAME, State.WRONG, f"its timer is installed in part: there is no {missing[0]}", _INSTALL)
    command = timers.command_of(_content(timer.files[0][0]))
    if not command or not os.access(command[0], os.X_OK):
        program = command[0] if command else "nothing"
        return Check(_NAME, State.WRONG, f"its timer starts {program}, and there is no such program", _INSTALL)
    if command != timers.command_of(timer.files[0][1]):
        return Check(_NAME, State.NOTE, f"its timer starts another installation, {command[0]}", _INSTALL)
    return Check(_NAME, State.OK, f"the timer {timer.name} runs the gardener each night; {last_run}")


def _check_other_timer(file: Path) -> Iterator[Check]:
    graph = timers.graph_of(timers.command_of(_content(file)))
    if graph is not None and not graph.is_file():
        message = f"the timer {file.name} is for {graph}, and there is no such graph"
        yield Check(_NAME, State.NOTE, message, f"kg --db {shlex.quote(str(graph))} garden --uninstall")


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _last_run(database: Database | None) -> str:
    """When the gardener last ran on a graph, in words."""
    if database is None:
        return "whether it ran cannot be seen"
    try:
        with database.read("doctor") as tx:
            last = store.garden_runs.last(tx)
    except errors.KeepgraphError:
        return "whether it ran cannot be seen"
    return f"it last ran on {last.ended_at[:10]}" if last else "it has not run yet"
