"""`kg serve`."""

from __future__ import annotations

import click

from keepgraph.cli import graphs

INTERRUPTED = 130


@click.command("serve")
@click.option(
    "--toolsets", metavar="NAME,…", help="Which toolsets to show, or “all”; memory and discovery if not given."
)
@click.option("--read-only", is_flag=True, help="Show and allow only tools that change nothing.")
@graphs.takes_graph
@click.pass_context
def serve_command(ctx: click.Context, toolsets: str | None, read_only: bool) -> None:
    """Serve the graph to an MCP client over standard input and output, until the input ends."""
    import logging
    import os
    import sys
    import uuid

    from keepgraph.tools import catalogue

    chosen: list[str] | None = list(catalogue.DEFAULT_TOOLSETS)
    if toolsets == "all":
        chosen = None
    elif toolsets is not None:
        known = [*catalogue.toolsets(), *catalogue.DEFAULT_TOOLSETS]
        chosen = [name.strip() for name in toolsets.split(",")]
        if unknown := [name for name in chosen if name not in known]:
            raise click.BadParameter(
                f"there is no toolset {unknown[0]!r}; there are {', '.join(sorted(set(known)))}, and all",
                param_hint="--toolsets",
            )
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input. Ctrl-C ends it.", err=True)
    session = f"mcp_{uuid.uuid4().hex}"
    with graphs.opened(ctx, create=True, read_only=read_only, session=session) as graph:
        from keepgraph.mcp import background, server, stdio

        try:
            with background.vectors_kept(graph):
                stdio.serve(server.build(graph, toolsets=chosen))
        except* KeyboardInterrupt:
            graph.close()
            # A thread still waits for a line of input, and an ordinary exit would wait for it.
            os._exit(INTERRUPTED)
        except* BrokenPipeError:
            pass  # the client has gone, as it may
