"""The transport: lines on standard input and output. Knows nothing of what is served.

Every line gets an answer, also one that the protocol library would drop: what it cannot parse but Python can is
passed on to be refused by name, and what nobody can parse is answered with a JSON-RPC error.
"""

from __future__ import annotations

import json
from typing import Any

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
        screened_in, screened_out = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def screen() -> None:
            async with screened_in:
                async for item in read:
                    passed_on = _second_reading(item) if isinstance(item, Exception) else item
                    if isinstance(passed_on, SessionMessage):
                        await screened_in.send(passed_on)
                    else:
                        await write.send(SessionMessage(passed_on))

        async with anyio.create_task_group() as group:
            group.start_soon(screen)
            await server.run(screened_out, write, server.create_initialization_options())
            group.cancel_scope.cancel()


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
