"""Checks of clients: whether the server starts, and whether Claude Desktop is configured to start it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.install import clients, handshake
from keepgraph.engine.upkeep.integrity import Check, State


def check_server(ctx: click.Context) -> Check:
    """Start the server as a client does, read-only so that it changes nothing."""
    command = [*clients.own_command(), "serve", "--read-only", *graph_options.naming_arguments(ctx)]
    try:
        server = handshake.connect(command)
    except errors.HandshakeFailed as error:
        return Check("server", State.WRONG, error.message, "kg serve")
    except errors.DeadlineExceeded as error:
        return Check("server", State.NOTE, error.message, "Try again when the machine is less busy.")
    message = f"{server.server} {server.version} answers, and shows {server.tools} tools"
    if server.server != "keepgraph":
        return Check("server", State.WRONG, f"{command[0]} is another program: {message}")
    return Check("server", State.OK, message)


def check_claude_desktop(ctx: click.Context) -> Iterator[Check]:
    """Whether the configuration of Claude Desktop starts this installation with this graph."""
    desktop = clients.CLIENTS["claude-desktop"]
    install = f"kg install {desktop.name}"
    machine = clients.this_machine()
    if not any(location.folder.is_dir() for location in desktop.locations(machine)):
        yield Check(desktop.name, State.OK, f"{desktop.title} is not on this machine")
        return
    graph_arguments = graph_options.naming_arguments(ctx)
    entries = clients.find_entries(machine, name=clients.entry_name(graph_arguments))
    our_entries = [entry for entry in entries if entry.client == desktop and (entry.entry is not None or entry.problem)]
    if not our_entries:
        yield Check(desktop.name, State.NOTE, f"{desktop.title} does not know this graph", install)
    for entry in our_entries:
        if entry.problem is not None:
            advice = "Put the file right, or move it away."
            yield Check(desktop.name, State.WRONG, f"its configuration cannot be read: {entry.problem}", advice)
        elif not entry.command:
            yield Check(desktop.name, State.WRONG, f"the entry {entry.name} in {entry.file} starts nothing", install)
        elif not entry.is_runnable:
            yield Check(
                desktop.name, State.WRONG, f"it starts {entry.command[0]}, and there is no such program", install
            )
        elif not _is_this_installation(entry.command):
            yield Check(desktop.name, State.NOTE, f"it starts another installation, {entry.command[0]}", install)
        elif not _contains(entry.command, graph_arguments):
            yield Check(desktop.name, State.NOTE, f"its entry {entry.name} is for another graph", install)
        else:
            yield Check(desktop.name, State.OK, f"the entry {entry.name} in {entry.file} starts this installation")


def _is_this_installation(command: Sequence[str]) -> bool:
    own = clients.own_command()
    if list(command[: len(own)]) == own:
        return True
    # A link to the script is this installation. A link to Python may belong to any virtual environment.
    return len(own) == 1 and os.path.exists(command[0]) and os.path.samefile(command[0], own[0])


def _contains(command: Sequence[str], arguments: Sequence[str]) -> bool:
    return any(
        list(command[position : position + len(arguments)]) == list(arguments) for position in range(len(command))
    )
