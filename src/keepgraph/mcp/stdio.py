"""The transport: lines on standard input and output. Knows nothing of what is served.

Every line gets an answer, also one that the protocol library would drop: what it cannot parse but Python can is
passed on to be refused by name, and what nobody can parse is answered with a JSON-RPC error.
"""

from __future__ import annotations

import json
from typing import Any, Self

import anyio
import mcp.types as t
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError


def serve(server: Server[Any]) -> None:
    """Serve until standard input ends."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(_Screened(read, write), write, server.create_initialization_options())


class _Screened:
    """The read stream of the transport, without the lines that only we can answer."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read = read
        self._write = write

    async def receive(self) -> SessionMessage:
        while True:
            item = await self._read.receive()
            passed_on = _second_reading(item) if isinstance(item, Exception) else item
            if isinstance(passed_on, SessionMessage):
                return passed_on
            await self._write.send(SessionMessage(passed_on))

    async def aclose(self) -> None:
        await self._read.aclose()

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


def _second_reading(problem: Exception) -> SessionMessage | t.JSONRPCError:
    """A message that was too deep or badly escaped for the fast parser, or the error to answer it with."""
    line = problem.errors()[0].get("input") if isinstance(problem, ValidationError) else None
    try:
        message = json.loads(line) if isinstance(line, str | bytes) else line
    except (ValueError, RecursionError):
        return _error(t.PARSE_ERROR, "this line is not JSON, or is nested too deeply")
    try:
        return SessionMessage(t.jsonrpc_message_adapter.validate_python(message, by_name=False))
    except ValidationError:
        number = message.get("id") if isinstance(message, dict) else None
        return _error(
            t.INVALID_REQUEST,
            "this line is not a single JSON-RPC message",
            number if isinstance(number, str | int) else None,
        )


def _error(code: int, message: str, number: str | int | None = None) -> t.JSONRPCError:
    return t.JSONRPCError(jsonrpc="2.0", id=number, error=t.ErrorData(code=code, message=message))
