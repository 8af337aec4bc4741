"""The transport: lines on standard input and output. Knows nothing of what is served.

Every request gets an answer. A line that the protocol library cannot parse, but Python can (too deep, half a
surrogate pair, not UTF-8), is passed on to be refused by name; what nobody can parse is answered with a JSON-RPC
error. When the input ends, what was asked before is answered first.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Self

import anyio
import anyio.to_thread
import mcp.types as t
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from keepgraph.mcp import encoding

LAST_ANSWERS_SECONDS = 60.0


def serve(server: Server[Any]) -> None:
    """Serve until standard input ends."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server(stdin=_Nothing()) as (_, write):  # type: ignore[arg-type]
        answers = _Answers(write)
        await server.run(_Lines(sys.stdin.buffer, answers), answers, server.create_initialization_options())


class _Nothing:
    """An input that is at its end: the library claims the output for us, and we read the lines ourselves."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        raise StopAsyncIteration


class _Answers:
    """The write stream of the transport; knows which requests it has not answered yet."""

    def __init__(self, write: Any) -> None:
        self._write = write
        self._open: set[str | int] = set()
        self._all_answered = anyio.Event()

    def expect(self, request: str | int) -> None:
        self._open.add(request)

    def forget(self, request: Any) -> None:
        """It is answered, or was cancelled, which gets no answer."""
        if isinstance(request, str | int):
            self._open.discard(request)
        if not self._open:
            self._all_answered.set()

    async def wait(self) -> None:
        with anyio.move_on_after(LAST_ANSWERS_SECONDS):
            while self._open:
                self._all_answered = anyio.Event()
                await self._all_answered.wait()

    async def send(self, item: SessionMessage) -> None:
        await self._write.send(item)
        if isinstance(item.message, t.JSONRPCResponse | t.JSONRPCError):
            self.forget(item.message.id)

    async def aclose(self) -> None:
        await self._write.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()


class _Lines:
    """The read stream of the transport: messages, one a line."""

    def __init__(self, file: Any, answers: _Answers) -> None:
        self._file = file
        self._answers = answers

    async def receive(self) -> SessionMessage:
        while line := await anyio.to_thread.run_sync(self._file.readline, abandon_on_cancel=True):
            if not line.strip():
                continue
            message = _read(line)
            if isinstance(message, t.JSONRPCError):
                await self._answers.send(SessionMessage(message))
                continue
            if isinstance(message, t.JSONRPCRequest):
                self._answers.expect(message.id)
            elif isinstance(message, t.JSONRPCNotification) and message.method == "notifications/cancelled":
                self._answers.forget((message.params or {}).get("requestId"))
            return SessionMessage(message)
        await self._answers.wait()
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Nothing to close: the process owns its standard input."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()


def _read(line: bytes) -> t.JSONRPCMessage:
    """The message of a line, or the error to answer it with."""
    try:
        message = t.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _second_reading(line)
    # An id of a wrong kind makes a notification of a request, in the eyes of the library.
    return _second_reading(line) if isinstance(message, t.JSONRPCNotification) and b'"id"' in line else message


def _second_reading(line: bytes) -> t.JSONRPCMessage:
    try:
        message = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return _error(t.PARSE_ERROR, "this line is not JSON, or is nested too deeply")
    if not isinstance(message, dict):
        return _error(t.INVALID_REQUEST, "this line is not a single JSON-RPC message")
    arguments = _taken_out(message)
    message = encoding.scrubbed(message)
    if arguments is not None:
        message["params"]["arguments"] = arguments
    number = message.get("id")
    if "id" in message and (isinstance(number, bool) or not isinstance(number, str | int)) and "method" in message:
        return _error(t.INVALID_REQUEST, "the id of a request is a text or a whole number")
    try:
        return t.jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
        return _error(t.INVALID_REQUEST, "this line is not a JSON-RPC message", known)


def _taken_out(message: dict[str, Any]) -> Any:
    """The arguments of a tool call: the one part in which the contract refuses odd text itself, by name."""
    params = message.get("params")
    if message.get("method") == "tools/call" and isinstance(params, dict) and isinstance(params.get("arguments"), dict):
        return params.pop("arguments")
    return None


def _error(code: int, message: str, number: str | int | None = None) -> t.JSONRPCError:
    return t.JSONRPCError(jsonrpc="2.0", id=number, error=t.ErrorData(code=code, message=message))
