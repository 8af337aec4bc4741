"""`kg serve`, the MCP server on standard input and output or over HTTP, and `kg token`: who may call it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from keepgraph import errors, lazy
from keepgraph.cli import graph_options
from keepgraph.cli.dates import DateOption
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import jobs
from keepgraph.profiles import profile, settings_file, tokens
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import catalogue

if TYPE_CHECKING:
    import socket
    import threading

    from keepgraph.graph import Graph
    from keepgraph.mcp import http
    from keepgraph.mcp.graphs import ServedGraph
    from keepgraph.mcp.http_access import Issuer


INTERRUPTED = 130
TERMINATED = 143
PORT = 8765
_HOST = "127.0.0.1"
_ALL = "all"
_CLOSING_SECONDS = 3.0
_FIRST_REQUEST_SECONDS = 2.0
_PUBLIC_URL = lazy.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")


@click.command("serve")
@click.option("--toolsets", metavar="NAME,…", help="The toolsets to show, or all.")
@click.option("--read-only", is_flag=True, help="Show and allow only tools that change nothing.")
@click.option(
    "--output-schemas",
    type=click.Choice(["outline", "full"]),
    default="outline",
    help="The answer schemas to list: outline has their top level, full has everything, for programs that check it.",
)
@click.option("--http", "over_http", is_flag=True, help="Serve over HTTP, to clients with a token (see kg token).")
@click.option(
    "--host",
    default=_HOST,
    show_default=True,
    help="The address to listen on; other machines can reach any but 127.0.0.1.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 takes any free one."
)
@click.option("--public-url", metavar="URL", help="The URL that clients use, if they connect through a proxy.")
@click.option("--issuer", metavar="URL", help="Also accept OAuth tokens that this issuer made for --public-url.")
@click.option("--metrics", is_flag=True, help="Publish counters at /metrics, in the format of Prometheus.")
@click.option(
    "--profile",
    "profiles",
    metavar="NAME",
    multiple=True,
    help="The profile to serve; may be repeated. [env: KG_PROFILE]",
)
@graph_options.db_option
@graph_options.json_option
@click.pass_context
def serve_command(
    ctx: click.Context,
    toolsets: str | None,
    read_only: bool,
    output_schemas: str,
    over_http: bool,
    host: str,
    port: int,
    public_url: str | None,
    issuer: str | None,
    metrics: bool,
    profiles: tuple[str, ...],
) -> None:
    """Serve graphs to MCP clients: over standard input and output until the input ends, or over HTTP until Ctrl-C.

    Toolsets, of which memory and discovery are the default:

    \b
    memory        record, recall, change, forget, undo
    discovery     search, and query in Cypher
    analysis      counts, the schema, communities
    connections   neighbours, paths, lists, timelines
    context       texts that answer a question
    curation      correct entities and facts
    documents     ingest and read documents
    episodes      texts one by one
    garden        find and review proposals
    seeing        show the graph in clients that draw
    traversal     walk the graph step by step
    verification  check facts, say where they come from
    vocabulary    types and predicates

    \b
    kg serve --read-only
    kg serve --http --profile home --profile work
    """
    import logging
    import os
    import sys
    import uuid

    from keepgraph import background

    if not over_http and (host != _HOST or port != PORT or public_url or issuer or metrics):
        raise click.UsageError("--host, --port, --public-url, --issuer and --metrics are options of --http.")
    if len(set(profiles)) > 1 and _ALL in profiles:
        raise click.UsageError(f"A profile {_ALL!r} can only be served alone: among several graphs it means every one.")
    if len(set(profiles)) > 1 and output_schemas == "full":
        raise click.UsageError("The schemas of several graphs are only listed in outline.")
    if issuer and not public_url:
        raise click.UsageError("--issuer needs --public-url: its tokens name the server that they are for.")
    names = list(dict.fromkeys(profiles)) or [ctx.find_root().params["profile"]]
    ctx.find_root().params["profile"] = names[0]
    chosen = _chosen_toolsets(ctx, toolsets)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    with ExitStack() as stack:
        listener = stack.enter_context(_listen(host, port, public_url)) if over_http else None
        if listener is None and sys.stdin.isatty():
            click.echo("Waiting for an MCP client on standard input. Press Ctrl-C to stop.", err=True)
        background.limit_arenas()
        try:
            served = _open_each(ctx, stack, names, read_only=read_only, session=f"mcp_{uuid.uuid4().hex}")
        except errors.KeepgraphError as error:
            if listener is None:
                _answer_first_request(error)
            raise
        whole = output_schemas == "full"
        terminated = _interrupt_when_terminated()
        try:
            with ExitStack() as tasks:
                for each in served:
                    tasks.enter_context(_background_tasks(each))
                if listener is not None:
                    from keepgraph.mcp import http

                    address = http.Address(host, listener.getsockname()[1], public_url)
                    app = http.HttpApp(
                        served,
                        address,
                        toolsets=chosen,
                        issuer=_issuer(issuer, address, served),
                        has_metrics=metrics,
                        whole_outputs=whole,
                    )
                    _announce(served, address)
                    http.serve(app, listener)
                else:
                    from keepgraph.mcp import server, stdio
                    from keepgraph.mcp.graphs import ServedGraphs

                    graphs = ServedGraphs(served, are_named=False)
                    stdio.serve(server.build(graphs, toolsets=chosen, whole_outputs=whole))
        except* KeyboardInterrupt:
            _close_soon([each.graph for each in served])
            # An ordinary exit would wait for the thread that waits for input.
            os._exit(TERMINATED if terminated.is_set() else INTERRUPTED)
        except* BrokenPipeError:
            pass  # the client closed the connection


def _chosen_toolsets(ctx: click.Context, toolsets: str | None) -> list[str] | None:
    """The toolsets to show, from the option or the settings of the profile; None for all."""
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
            raise errors.SettingsInvalid(f"the toolsets in the settings of the profile: {problem}")
        raise click.BadParameter(problem, param_hint="--toolsets")
    return chosen


def _open_each(
    ctx: click.Context, stack: ExitStack, names: Sequence[str | None], *, read_only: bool, session: str
) -> list[ServedGraph]:
    """The graphs of the profiles, opened; None is the graph of the command line."""
    from keepgraph.activity import Activity
    from keepgraph.mcp.graphs import ServedGraph

    served = []
    for name in names:
        ctx.find_root().params["profile"] = name
        graph = graph_options.open_graph(ctx, create=True, read_only=read_only, session=session)
        stack.enter_context(graph)
        served.append(ServedGraph(profile.name_of(graph.path) or graph.path.name, graph, Activity()))
        for each in jobs.find(graph.path):
            click.echo(terminal.printable(f"{graph.path}: {each.message}: {each.command}"), err=True)
    return served


def _background_tasks(served: ServedGraph) -> AbstractContextManager[None]:
    from keepgraph import background

    settings = settings_file.read(served.graph.path)
    return background.running(
        served.graph, daily=settings.daily_backups, garden=settings.garden_when_idle, activity=served.activity
    )


# Over HTTP.


def _listen(host: str, port: int, public_url: str | None) -> socket.socket:
    """A socket on an address, once it is clear that nobody is let in unasked.

    Raises:
        http_access.TokenRequired: other machines could connect, and there is no token.
        errors.InvalidArguments: the address cannot be used, or does not say how clients name the server.
    """
    import socket

    from keepgraph.mcp import http, http_access

    if public_url is not None and not _PUBLIC_URL.fullmatch(public_url):
        raise click.BadParameter("it looks like https://graph.example.net", param_hint="--public-url")
    if not host.strip():
        raise click.BadParameter("it is empty", param_hint="--host")
    if not http.is_loopback(host):
        if not tokens.read_all()[0]:
            raise http_access.TokenRequired(
                f"other machines can connect to {host}, and there is no token",
                hint="Make one first: `kg token add NAME`.",
            )
        if host in ("0.0.0.0", "::") and public_url is None:  # noqa: S104 (compared, not listened on)
            raise errors.InvalidArguments(
                f"{host} is not an address that clients can connect to",
                hint="Listen on one address, or add --public-url http://NAME:PORT.",
            )
        if public_url is None or public_url.startswith("http:"):
            click.echo(
                "Over http everybody between a client and this server can read the token and the graph: use a tunnel "
                "or a proxy with TLS (docs/http.md).",
                err=True,
            )
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise errors.InvalidArguments(
            f"{host}, port {port}: {error.strerror}", hint="Name another address with --host, or another --port."
        ) from error


def _issuer(url: str | None, address: http.Address, served: Sequence[ServedGraph]) -> Issuer | None:
    """
    Raises:
        errors.InvalidArguments: a graph is offline, and the keys of an issuer are read over the network.
    """
    if url is None:
        return None
    from keepgraph.mcp.http_access import Issuer

    for each in served:
        if settings_file.read(each.graph.path).offline:
            raise errors.InvalidArguments(
                f"the keys of an issuer are read over the network, and {each.name} is offline",
                hint=f"Put the line `offline = false` into {settings_file.path(each.graph.path)}.",
            )
    return Issuer(url, resource=address.url)


def _announce(served: Sequence[ServedGraph], address: http.Address) -> None:
    """Say where the server is, and how to let somebody in."""
    names = ", ".join(each.name for each in served)
    click.echo(terminal.printable(f"Serving {names} at {address.url}. Ctrl-C ends it."), err=True)
    known, unreadable = tokens.read_all()
    for file in unreadable:
        click.echo(terminal.printable(f"{file} is not a token. `kg token remove {file.stem}` removes it."), err=True)
    if not known:
        click.echo("There is no token, so every call is refused. To make one: kg token add NAME", err=True)


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


def _close_soon(graphs: Sequence[Graph]) -> None:
    """Close the graphs without waiting long for a call that cannot be stopped: its writes are not committed."""
    import threading

    threads = [threading.Thread(target=graph.close, daemon=True) for graph in graphs]
    for closing in threads:
        closing.start()
    for closing in threads:
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
        answer = {"code": -32603, "message": error.text(), "data": error.answer()}
        click.echo(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": answer}))


# `kg token`: who may call a server over HTTP.

_LIMIT = click.IntRange(1, 1_000_000)


@click.group("token")
def token_command() -> None:
    """Add, list and remove tokens: a client of `kg serve --http` needs one.

    Tokens belong to this computer, not to a graph. Only a hash of each is kept.

    \b
    kg token add phone --read-only
    """


@token_command.command("add")
@click.argument("name")
@click.option("--read-only", is_flag=True, help="Only for tools that change nothing.")
@click.option("--profile", "profiles", metavar="NAME", multiple=True, help="Only for this profile; may be repeated.")
@click.option("--until", type=DateOption(end=True), help="The last day, or the instant, at which it is valid.")
@click.option("--subject", help="For the user whose OAuth tokens have this `sub`; no token is printed.")
@click.option("--calls-per-minute", type=_LIMIT, default=tokens.CALLS_PER_MINUTE, show_default=True)
@click.option("--megabytes-per-minute", type=_LIMIT, default=tokens.MEGABYTES_PER_MINUTE, show_default=True)
@click.option("--calls-at-once", type=_LIMIT, default=tokens.CALLS_AT_ONCE, show_default=True)
@graph_options.json_option
@click.pass_context
def add_command(
    ctx: click.Context, /, name: str, profiles: tuple[str, ...], until: str | None, subject: str | None, **rights: Any
) -> None:
    """Make the token NAME, and print it once. The journal names it beside each call.

    \b
    kg token add phone --profile home --until 2027-06-30
    """
    root_profile = ctx.find_root().params["profile"]
    profiles = profiles or ((root_profile,) if root_profile else ())
    for each in profiles:
        profile.find(each)
    now = datetime.now(UTC)
    last = timestamps.parse(until, None, end=True) if until else None
    if last is not None and last <= timestamps.from_datetime(now):
        raise errors.InvalidArguments(
            f"{until} is in the past", hint="Give a future day with --until, or leave it out."
        )
    if subject is not None and not 1 <= len(subject.strip()) <= 200:
        raise errors.InvalidArguments("--subject is empty or too long", hint="Give the `sub` of the OAuth tokens.")
    token, secret = tokens.add(name, now=now, subject=subject, until=last, profiles=profiles, **rights)
    if graph_options.show_json(ctx, {**_described(token), "token": secret}):
        return
    click.secho(f"The token {name} is ready{_rights(token)}.", bold=True)
    if secret is None:
        click.echo(f"  for OAuth tokens whose sub is {terminal.printable(subject or '')}")
        return
    click.echo(f"  {secret}")
    click.echo("It is not shown again. A client sends it as “Authorization: Bearer …”:")
    click.echo("  kg install claude-code --url http://127.0.0.1:8765/mcp")


@token_command.command("list")
@graph_options.json_option
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """List the tokens, and what each may do."""
    known, unreadable = tokens.read_all()
    if graph_options.wants_json(ctx):
        unknown = [str(file) for file in unreadable]
        terminal.show_json({"tokens": [_described(token) for token in known], "unreadable": unknown})
        return
    if not known:
        click.echo("There is no token. To make one: kg token add NAME")
    width = max((len(token.name) for token in known), default=0)
    for token in known:
        click.echo(f"{token.name:{width}}  since {timestamps.local_date(token.created, None)}{_rights(token)}")
    for file in unreadable:
        click.secho(f"{terminal.printable(file)} is not a token", fg="red", err=True)


@token_command.command("remove")
@click.argument("name")
def remove_command(name: str) -> None:
    """Remove the token NAME. A running server refuses it at once."""
    tokens.remove(name)
    click.echo(f"The token {name} is removed.")


def _rights(token: tokens.Token) -> str:
    parts = [
        "read-only" if token.read_only else "",
        f"for {', '.join(token.profiles)}" if token.profiles else "",
        f"by OAuth, as {token.subject}" if token.subject else "",
    ]
    if token.until is not None:
        verb = "expired" if token.is_expired(datetime.now(UTC)) else "until"
        parts.append(f"{verb} {timestamps.format_end(token.until, None)}")
    return terminal.printable("".join(f", {part}" for part in parts if part))


def _described(token: tokens.Token) -> dict[str, Any]:
    """A token as JSON, without its hash."""
    fields = {name: value for name, value in asdict(token).items() if name != "digest"}
    return {**fields, "expired": token.is_expired(datetime.now(UTC))}
