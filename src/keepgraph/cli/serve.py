"""`kg serve`: the MCP server on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.profiles import settings_file

if TYPE_CHECKING:
    import threading

    from keepgraph.graph import Graph

INTERRUPTED = 130
TERMINATED = 143
_CLOSING_SECONDS = 3.0
_FIRST_REQUEST_SECONDS = 2.0


@click.command("serve")
@click.option("--toolsets", metavar="NAME,…", help="Which toolsets to show, or “all”; by default memory and discovery.")
@click.option("--read-only", is_flag=True, help="Show and allow only tools that change nothing.")
@click.option(
    "--output-schemas",
    type=click.Choice(["outline", "full"]),
    default="outline",
    help="How much of the answer schemas to list: full is for programs that check them.",
)
@graph_options.all_options
@click.pass_context
def serve_command(ctx: click.Context, toolsets: str | None, read_only: bool, output_schemas: str) -> None:
    """Serve the graph to an MCP client over standard input and output, until the input ends.

    \b
    kg serve --read-only
    """
    import logging
    import os
    import sys
    import uuid

    from keepgraph import background
    from keepgraph.tools.contract import catalogue
    from keepgraph.tools.contract.catalogue import DEFAULT_TOOLSETS

    configured = settings_file.read(graph_options.graph_path(ctx).resolve()).toolsets
    names = (
        [name.strip() for name in toolsets.split(",")] if toolsets is not None else list(configured or DEFAULT_TOOLSETS)
    )
    chosen: list[str] | None = None if names == ["all"] else names
    available = {*catalogue.toolsets(), *DEFAULT_TOOLSETS}
    if unknown := [name for name in chosen or () if name not in available]:
        problem = f"there is no toolset {unknown[0]!r}; there are {', '.join(sorted(available))}, and all"
        if toolsets is None:
            raise errors.SettingsInvalid(f"the settings of the profile name toolsets: {problem}")
        raise click.BadParameter(problem, param_hint="--toolsets")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input. Ctrl-C ends it.", err=True)
    session = f"mcp_{uuid.uuid4().hex}"
    background.limit_arenas()
    try:
        opened_graph = graph_options.open_graph(ctx, create=True, read_only=read_only, session=session)
    except errors.KeepgraphError as error:
        _answer_first_request(error)
        raise
    with opened_graph as graph:
        from keepgraph import activity, background
        from keepgraph.engine.maintenance import unfinished_changes
        from keepgraph.mcp import server, stdio

        for each in unfinished_changes.find(graph.path):
            click.echo(terminal.printable(f"{graph.path}: {each.message}: {each.command}"), err=True)
        settings = settings_file.read(graph.path)
        calls = activity.Activity()
        terminated = _interrupt_when_terminated()
        try:
            with background.running(
                graph, daily=settings.daily_backups, garden=settings.garden_when_idle, activity=calls
            ):
                whole = output_schemas == "full"
                stdio.serve(server.build(graph, toolsets=chosen, activity=calls, whole_outputs=whole))
        except* KeyboardInterrupt:
            _close_soon(graph)
            # An ordinary exit would wait for the thread that waits for input.
            os._exit(TERMINATED if terminated.is_set() else INTERRUPTED)
        except* BrokenPipeError:
            pass  # the client closed the connection


def _interrupt_when_terminated() -> threading.Event:
    """Let SIGTERM end the server as Ctrl-C does: running calls end or are rolled back. The event is set then."""
    import signal
    import threading

    terminated = threading.Event()

    def interrupt(number: int, frame: object) -> None:
        terminated.set()
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, interrupt)
    return terminated


def _close_soon(graph: Graph) -> None:
    """Close the graph without waiting long for a call that cannot be stopped: its writes are not committed."""
    import threading

    closing = threading.Thread(target=graph.close, daemon=True)
    closing.start()
    closing.join(_CLOSING_SECONDS)


def _answer_first_request(error: errors.KeepgraphError) -> None:
    """Answer a client's first request with an error: few clients show a server's standard error."""
    import json
    import select
    import sys

    if sys.stdin.isatty() or not select.select([sys.stdin], [], [], _FIRST_REQUEST_SECONDS)[0]:
        return
    try:
        request = json.loads(sys.stdin.buffer.readline(1_000_000))
    except (ValueError, RecursionError):
        return
    if isinstance(request, dict) and isinstance(request.get("id"), str | int):
        answer = {
            "code": -32603,
            "message": f"{error.code}: {error.message}. {error.hint or ''}",
            "data": error.answer(),
        }
        click.echo(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": answer}))
