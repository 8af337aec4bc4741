"""`kg install`: tests the server by a handshake, then adds it to the configuration of a client."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from keepgraph import _version, errors, package_files
from keepgraph.cli import clients, graph_options
from keepgraph.cli.output import terminal

if TYPE_CHECKING:
    import anyio
    from mcp import ClientSession


# `kg install`: tests the server, then adds it to the configuration of a client.

_HTTP_ENTRY = "keepgraph-http"
"""The name of our entry for a server over HTTP."""


@click.command("install")
@click.argument("client", type=click.Choice(list(clients.CLIENTS)))
@click.option("--toolsets", metavar="NAME,…", help="Which toolsets the client sees, as for kg serve.")
@click.option("--read-only", is_flag=True, help="Show the client only tools that change nothing.")
@click.option("--url", metavar="URL", help="Connect to a server over HTTP, with a token from KG_TOKEN or typed in.")
@click.option("--dry-run", is_flag=True, help="Show the change, without writing it.")
@click.option("--uninstall", is_flag=True, help="Remove the entry.")
@click.option("--anyway", is_flag=True, help="Write even if the client does not seem to be installed.")
@graph_options.all_options
def install_command(
    ctx: click.Context,
    client: str,
    toolsets: str | None,
    read_only: bool,
    url: str | None,
    dry_run: bool,
    uninstall: bool,
    anyway: bool,
) -> None:
    """Let CLIENT use this graph: test the server, then write an entry into the client's configuration.

    A backup of the configuration is kept beside it, and everything else in it stays as it is.

    \b
    kg install claude-desktop
    kg install claude-code --url https://graph.example.net/mcp
    """
    if url is not None and (toolsets is not None or read_only):
        raise click.UsageError(
            "A server over HTTP decides what it shows: kg serve --toolsets, kg token add --read-only."
        )
    graph_arguments = [] if url is not None else _graph_arguments(ctx, uninstall=uninstall)
    report: dict[str, Any] = {
        "client": client,
        "name": _HTTP_ENTRY if url is not None else clients.entry_name(graph_arguments),
        "entry": None,
        "server": None,
        "dry_run": dry_run,
        "files": [],
    }
    locations = clients.CLIENTS[client].locations(clients.this_machine())
    if uninstall:
        _uninstall(report, locations)
    elif url is not None:
        token = _token(ctx)
        report["entry"] = clients.url_entry(clients.CLIENTS[client], url, token)
        _install(report, locations, anyway=anyway, url=url, token=token)
        report["entry"] = clients.url_entry(clients.CLIENTS[client], url, "…")
    else:
        arguments = ["serve", *graph_arguments, *(["--toolsets", toolsets] if toolsets is not None else [])]
        report["entry"] = clients.entry(clients.CLIENTS[client], [*arguments, *(["--read-only"] if read_only else [])])
        _install(report, locations, anyway=anyway)
    if not graph_options.show_json(ctx, report):
        _show(report, clients.CLIENTS[client].title)


def _graph_arguments(ctx: click.Context, *, uninstall: bool) -> list[str]:
    try:
        return graph_options.naming_arguments(ctx)
    except errors.ProfileNotFound:
        name = ctx.find_root().params.get("profile")
        if not uninstall or name is None:
            raise
        return ["--profile", name]  # the entry of a deleted profile can be removed


def _token(ctx: click.Context) -> str:
    """The token for a server over HTTP: never from the command line, which other programs can see.

    Raises:
        errors.NotConfirmed: there is no token, and no terminal to ask for it.
        errors.InvalidArguments: it has a space or a letter that no header can hold.
    """
    token = os.environ.get("KG_TOKEN", "").strip()
    if not token:
        ask = graph_options.passphrase_prompt(ctx)
        if ask is None:
            raise errors.NotConfirmed("a server over HTTP needs a token", hint="Set KG_TOKEN to it, or use a terminal.")
        token = ask("Token").strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise errors.InvalidArguments(
            "a token has no spaces and only ASCII letters", hint="Copy it again as `kg token add` printed it."
        )
    return token


def _install(
    report: dict[str, Any],
    locations: list[clients.ConfigLocation],
    *,
    anyway: bool,
    url: str | None = None,
    token: str = "",
) -> None:
    for location in locations:
        if not anyway and not location.folder.is_dir():
            raise errors.InvalidArguments(
                f"{clients.CLIENTS[report['client']].title} is not installed, or never ran: no {location.folder}",
                hint="Start it once to create its folder, or add --anyway.",
            )
        clients.read(location.file, clients.CLIENTS[report["client"]].table)
    if url is None:
        _warn_of_keys()
        graph_options.warn_of_shared_folder(graph_options.graph_path(click.get_current_context()).resolve())
    if not report["dry_run"]:
        # First of all: a server that does not answer is not configured.
        entry = report["entry"]
        server = _check_url(url, token) if url is not None else _check_server([entry["command"], *entry["args"]])
        report["server"] = {"name": server.server, "version": server.version, "tools": server.tools}
    for location in locations:
        existing = clients.read(location.file, clients.CLIENTS[report["client"]].table)
        change = "added" if report["name"] not in existing.servers else "replaced"
        if existing.servers.get(report["name"]) == report["entry"]:
            change = "unchanged"
        text = clients.set_entry(existing, report["name"], report["entry"])
        file = _write_configuration(existing, change, text, dry_run=report["dry_run"], has_token=url is not None)
        report["files"].append(file)


def _uninstall(report: dict[str, Any], locations: list[clients.ConfigLocation]) -> None:
    table = clients.CLIENTS[report["client"]].table
    for existing in [clients.read(location.file, table) for location in locations]:
        change = "removed" if report["name"] in existing.servers else "absent"
        text = clients.remove_entry(existing, report["name"])
        report["files"].append(_write_configuration(existing, change, text, dry_run=report["dry_run"]))


def _write_configuration(
    existing: clients.Configuration, change: str, text: str, *, dry_run: bool, has_token: bool = False
) -> dict[str, Any]:
    """Write a configuration if it changes; returns a report."""
    is_changed = change not in ("unchanged", "absent")
    is_written = is_changed and not dry_run
    backup = clients.write(existing, text, now=datetime.now(UTC), has_token=has_token) if is_written else None
    return {
        "file": str(existing.file),
        "became": change,
        "backup": str(backup) if backup else None,
        "diff": clients.diff(existing, text) if is_changed and (dry_run or change == "replaced") else [],
    }


def _check_url(url: str, token: str) -> ServerInfo:
    """Connect to the server as the client will.

    Raises:
        errors.HandshakeFailed: it refuses the token, or is no MCP server.
    """
    try:
        return connect_to(url, token)
    except (errors.HandshakeFailed, errors.DeadlineExceeded) as error:
        error.hint = (
            "The configuration is unchanged. Is `kg serve --http` running there, and the token in `kg token list`?"
        )
        raise


def _check_server(command: list[str]) -> ServerInfo:
    """Start the server as a client would.

    Raises:
        errors.HandshakeFailed: it does not answer, or is another program.
    """
    try:
        server = connect(command)
        if server.server != "keepgraph":
            raise errors.HandshakeFailed(f"{command[0]} is another program: it calls itself {server.server[:60]!r}")
    except (errors.HandshakeFailed, errors.DeadlineExceeded) as error:
        error.hint = f"The configuration is unchanged. To try it yourself: {package_files.as_typed(command)}"
        raise
    return server


def _warn_of_keys() -> None:
    for name in ("KG_KEY", "KG_KEY_FILE"):
        if os.environ.get(name):
            click.secho(
                f"{name} is set here, and the client will not see it. "
                "`kg key import` keeps the key where the profile finds it.",
                fg="yellow",
                err=True,
            )


def _show(report: dict[str, Any], title: str) -> None:
    phrases = {
        "added": "{name} would be added to" if report["dry_run"] else "{name} is now in",
        "replaced": "{name} would be replaced in" if report["dry_run"] else "{name} was replaced in",
        "unchanged": "{name} is already in",
        "removed": "{name} would be removed from" if report["dry_run"] else "{name} was removed from",
        "absent": "{name} is not in",
    }
    if len(report["files"]) > 1:
        click.echo(f"There are {len(report['files'])} builds of {title} here, each with its own configuration.")
    for file in report["files"]:
        click.secho(phrases[file["became"]].format(name=report["name"]), bold=True, nl=False)
        click.echo(f" {terminal.printable(file['file'])}")
        for line in file["diff"]:
            click.echo(f"  {terminal.printable(line)}")
        if file["backup"]:
            click.echo(f"  backup: {terminal.printable(file['backup'])}")
    if server := report["server"]:
        click.echo(f"  it answers: {server['name']} {terminal.printable(server['version'])}, {server['tools']} tools")
    if not report["dry_run"] and {file["became"] for file in report["files"]} & {"added", "replaced", "removed"}:
        click.echo(f"Restart {title} for it to take effect.")


_SHUTDOWN_SECONDS = 30.0
_ERROR_LINES_SHOWN = 6
_MAX_ERROR_BYTES = 10_000

# Environment variables that clients pass on to servers: those for finding files and programs.
_INHERITED_VARIABLES = frozenset(
    "HOME PATH LANG USER LOGNAME TMPDIR "
    "APPDATA LOCALAPPDATA USERPROFILE USERNAME HOMEDRIVE HOMEPATH SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT "
    "PROCESSOR_ARCHITECTURE PROGRAMFILES TEMP TMP".split()
)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server says about itself; `tools` is their number."""

    server: str
    version: str
    tools: int


def connect(command: Sequence[str], *, seconds: float = 20) -> ServerInfo:
    """Start a server as a client would, do the handshake, and always stop it.

    Args:
        seconds: the time for all answers together.

    Raises:
        errors.HandshakeFailed: it cannot be started, ends too early, or does not speak MCP.
        errors.DeadlineExceeded: it does not answer in time; the machine may be busy.
    """
    import tempfile

    import anyio
    from mcp.client import stdio

    logging.getLogger("mcp").addHandler(logging.NullHandler())  # what is wrong is in the error
    handshake = _Handshake(seconds)
    termination_timeout = stdio.PROCESS_TERMINATION_TIMEOUT
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as error_output:
        try:
            server_info = anyio.run(handshake.run, command, error_output)
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or error
            raise errors.HandshakeFailed(f"{' '.join(command[:1])!r} cannot be started: {reason}") from error
        finally:
            stdio.PROCESS_TERMINATION_TIMEOUT = termination_timeout
        if server_info is None or handshake.failure:
            raise handshake.error(_quote_last_lines(error_output))
        return server_info


def connect_to(url: str, token: str, *, seconds: float = 20) -> ServerInfo:
    """Do the handshake with a server over HTTP.

    Raises:
        errors.HandshakeFailed: it refuses the token, or is no MCP server.
        errors.DeadlineExceeded: it does not answer in time.
    """
    import anyio
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    handshake = _Handshake(seconds)

    async def run() -> ServerInfo | None:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=seconds) as http_client:
            answer = await http_client.get(url)
            if answer.status_code == httpx2.codes.UNAUTHORIZED:
                handshake.failure = "it refuses the token"
                return None
            async with streamable_http_client(url, http_client=http_client) as streams:
                return await handshake.ask(*streams)

    logging.getLogger("mcp").addHandler(logging.NullHandler())  # what is wrong is in the error
    try:
        server_info = anyio.run(run)
    except* (httpx2.HTTPError, httpx2.InvalidURL) as problems:
        handshake.failure = f"{url} does not answer: {problems.exceptions[0]}"
    if handshake.failure or server_info is None:
        raise handshake.error()
    return server_info


def client_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that a client passes on to a server; KG_… are not among them."""
    return {
        name: value for name, value in environment.items() if name in _INHERITED_VARIABLES or name.startswith("XDG_")
    }


class _Handshake:
    """A conversation with a server: the pending request, and why it failed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._request = "initialize"
        self._deadline: anyio.CancelScope
        self.failure = ""
        self.is_late = False

    def error(self, last_lines: str = "") -> errors.KeepgraphError:
        """The failure as an error, with the last lines that the server wrote."""
        if self.is_late:
            return errors.DeadlineExceeded(f"the server is slow: {self.failure}{last_lines}")
        return errors.HandshakeFailed(f"the server does not work: {self.failure}{last_lines}")

    async def run(self, command: Sequence[str], error_output: TextIO) -> ServerInfo | None:
        """What the server says about itself; None if `failure` says why there is nothing."""
        from mcp.client import stdio

        server = stdio.StdioServerParameters(
            command=command[0],
            args=list(command[1:]),
            env=client_environment(os.environ),
            # A client may start it in any folder. In the root folder nothing works by accident.
            cwd=Path(sys.executable).anchor or None,
            encoding_error_handler="replace",
        )
        async with stdio.stdio_client(server, errlog=error_output) as streams:
            server_info = await self.ask(*streams)
            if not self.failure:
                # Time to finish, such as the daily backup; the library has no parameter for it.
                stdio.PROCESS_TERMINATION_TIMEOUT = _SHUTDOWN_SECONDS
        return server_info

    async def ask(self, read: Any, write: Any) -> ServerInfo | None:
        """The same over the streams of a connection."""
        import anyio
        from mcp import ClientSession
        from mcp import types as t

        client = t.Implementation(name="kg", title="Keepgraph handshake", version=_version.__version__)
        server_info = None
        with anyio.move_on_after(self._seconds) as self._deadline:
            async with ClientSession(read, write, client_info=client, message_handler=self._receive) as session:
                server_info = await self._ask(session)
        if self._deadline.cancelled_caught and not self.failure:
            self.is_late = True
            self.failure = f"it did not answer {self._request} within {self._seconds:g} seconds"
        return server_info

    async def _ask(self, session: ClientSession) -> ServerInfo | None:
        from mcp import MCPError
        from mcp import types as t
        from pydantic import ValidationError

        try:
            answer = await session.initialize()
            self._request = "tools/list"
            page = await session.list_tools()
            tools = len(page.tools)
            while page.next_cursor:
                page = await session.list_tools(params=t.PaginatedRequestParams(cursor=page.next_cursor))
                tools += len(page.tools)
            return ServerInfo(answer.server_info.name, answer.server_info.version, tools)
        except MCPError as error:
            if error.code == t.CONNECTION_CLOSED:  # the library does not tell the exit code
                self.failure = f"it ended, or closed its output, before it answered {self._request}"
            else:
                self.failure = f"it refused {self._request}: {error.message or 'it does not say why'}"
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            self.failure = f"its answer to {self._request} is not valid MCP: {place}: {first['msg']}"
        except RuntimeError as error:  # the version of the protocol
            self.failure = f"it cannot be understood: {error}"
        return None

    async def _receive(self, message: object) -> None:
        """End the conversation at a line that is not a message."""
        from pydantic import ValidationError

        if isinstance(message, ValidationError):
            excerpt = str(message.errors()[0]["input"])[:80]
            self.failure = f"it wrote to standard output something that is not a message: {excerpt!r}"
            self._deadline.cancel()


def _quote_last_lines(error_output: TextIO) -> str:
    """The last lines of the standard error, for a message."""
    error_output.seek(max(0, error_output.seek(0, os.SEEK_END) - _MAX_ERROR_BYTES))
    lines = [line[:500] for line in error_output.read().splitlines() if line.strip()]
    return "\n".join([". It said:", *lines[-_ERROR_LINES_SHOWN:]]) if lines else ""
