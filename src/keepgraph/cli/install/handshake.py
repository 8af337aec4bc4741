"""MCP handshake: starts a server as a client does, initialises it, counts its tools, and stops it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from keepgraph import _version, errors

if TYPE_CHECKING:
    import anyio
    from mcp import ClientSession

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
    protocol: str
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
            return ServerInfo(answer.server_info.name, answer.server_info.version, str(answer.protocol_version), tools)
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
