"""MCP handshake: starts a server as a client does, initialises it, counts its tools, and stops it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from keepgraph import _version, errors

_PROTOCOL = "2025-06-18"
_STOP_SECONDS = 2.0
_SHUTDOWN_SECONDS = 30.0
_MAX_OUTPUT_BYTES = 64_000_000
_ERROR_LINES_KEPT = 6

# The environment variables that clients pass on to servers: those to find files and programs, not those the user set.
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
    """Start a server as a client would, do the handshake, and stop it in any case.

    Args:
        seconds: the time for all answers together.

    Raises:
        errors.HandshakeFailed: it cannot be started, ends too early, does not answer in time, or does not speak MCP.
    """
    server = _Server(command, seconds)
    try:
        result = server.request("initialize", _initialize_parameters())
        server.notify("notifications/initialized")
        info = result.get("serverInfo")
        if not isinstance(info, dict):
            raise _HandshakeError("it answered initialize without saying what it is")
        server_info = ServerInfo(
            server=str(info.get("name", "")),
            version=str(info.get("version", "")),
            protocol=str(result.get("protocolVersion", "")),
            tools=_count_tools(server),
        )
        # It may have to finish something, such as the daily backup.
        server.stop(timeout=_SHUTDOWN_SECONDS)
        return server_info
    except _HandshakeError as error:
        server.stop()
        raise errors.HandshakeFailed(f"the server does not work: {error}{server.last_errors()}") from error
    finally:
        server.stop()


def client_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that a client passes on to a server; those of Keepgraph (KG_…) are not among them."""
    return {
        name: value for name, value in environment.items() if name in _INHERITED_VARIABLES or name.startswith("XDG_")
    }


class _HandshakeError(Exception):
    """Why a handshake failed; the message is for the user."""


class _Server:
    """A running server, with threads that read its output, and a deadline for its answers."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        try:
            self._process = subprocess.Popen(  # noqa: S603 (the command that the client will start)
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=client_environment(os.environ),
                # A client may start it in any folder. In the root folder nothing works by accident.
                cwd=Path(sys.executable).anchor or None,
            )
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or error
            raise errors.HandshakeFailed(f"{' '.join(command[:1])!r} cannot be started: {reason}") from error
        self._input = cast(IO[bytes], self._process.stdin)
        self._output: queue.Queue[bytes | None] = queue.Queue()
        self._error_lines: deque[str] = deque(maxlen=_ERROR_LINES_KEPT)
        self._request_id = 0
        self._readers = [
            threading.Thread(target=self._read_stream, args=[self._process.stdout, self._output.put], daemon=True),
            threading.Thread(target=self._read_stream, args=[self._process.stderr, self._add_error_line], daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result.

        Raises:
            _HandshakeError: there is no result in time.
        """
        self._request_id += 1
        self._send({"jsonrpc": "2.0", "id": self._request_id, "method": method, "params": params}, method=method)
        while True:
            message = self._next_message(method)
            if message.get("id") != self._request_id or "method" in message:
                continue  # a notification, or a request of the server
            if isinstance(result := message.get("result"), dict):
                return result
            refusal = message.get("error")
            reason = refusal.get("message") if isinstance(refusal, dict) else None
            raise _HandshakeError(f"it refused {method}: {reason or 'it does not say why'}")

    def notify(self, method: str) -> None:
        """Send a notification. If the server is gone, the next request reports it."""
        with suppress(_HandshakeError):
            self._send({"jsonrpc": "2.0", "method": method}, method=method)

    def last_errors(self) -> str:
        """The last lines of its standard error, for a message; complete only after `stop`."""
        text = "\n".join(line for line in self._error_lines if line.strip())
        return f". It said:\n{text}" if text else ""

    def stop(self, *, timeout: float = 0) -> None:
        """Close its input and wait so many seconds for its end; then terminate it, and then kill it."""
        with suppress(OSError):
            self._input.close()
        waits: list[tuple[Callable[[], None], float]] = [
            (lambda: None, timeout),
            (self._process.terminate, _STOP_SECONDS),
            (self._process.kill, _STOP_SECONDS),
        ]
        for stop, seconds in waits:
            stop()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
                break
        for reader in self._readers:
            reader.join(_STOP_SECONDS)

    def _send(self, message: dict[str, Any], *, method: str) -> None:
        try:
            self._input.write(json.dumps(message).encode() + b"\n")
            self._input.flush()
        except OSError as error:
            raise self._end_error(method) from error

    def _next_message(self, method: str) -> dict[str, Any]:
        remaining = self._deadline - time.monotonic()
        try:
            if remaining <= 0:
                raise queue.Empty
            line = self._output.get(timeout=remaining)
        except queue.Empty:
            raise _HandshakeError(f"it did not answer {method} within {self._seconds:g} seconds") from None
        if line is None:
            raise self._end_error(method)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            excerpt = line[:80].decode("utf-8", "replace").strip()
            raise _HandshakeError(f"it wrote to its standard output what is not a message: {excerpt!r}")
        return message

    def _end_error(self, method: str) -> _HandshakeError:
        """The error for a server that ended, or closed its output."""
        try:
            code = self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return _HandshakeError(f"it closed its output before it answered {method}")
        return _HandshakeError(f"it ended with exit code {code} before it answered {method}")

    def _read_stream(self, stream: IO[bytes], receive: Callable[[bytes | None], None]) -> None:
        bytes_read = 0
        with stream:
            while bytes_read < _MAX_OUTPUT_BYTES and (line := stream.readline(_MAX_OUTPUT_BYTES)):
                bytes_read += len(line)
                receive(line)
        receive(None)

    def _add_error_line(self, line: bytes | None) -> None:
        if line is not None:
            self._error_lines.append(line[:500].decode("utf-8", "replace").rstrip())


def _initialize_parameters() -> dict[str, Any]:
    client_info = {"name": "kg", "title": "Keepgraph handshake", "version": _version.__version__}
    return {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client_info}


def _count_tools(server: _Server) -> int:
    count = 0
    page: dict[str, Any] = {}
    while True:
        answer = server.request("tools/list", page)
        if not isinstance(tools := answer.get("tools"), list):
            raise _HandshakeError("it answered tools/list without a list of tools")
        count += len(tools)
        if not (cursor := answer.get("nextCursor")):
            return count
        page = {"cursor": cursor}
