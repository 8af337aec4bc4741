"""The stdio transport of MCP: one JSON-RPC message a line, on standard input and output.

Every request gets an answer. A line that Python can parse but the protocol library cannot (too deep, half a surrogate
pair, not UTF-8) is passed on, so that the tool refuses it with an error code; a line that is not JSON is answered with
a JSON-RPC error. When the input ends, the open requests are answered before the server stops.
"""

from __future__ import annotations

import functools
import json
import logging
import re
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Self, TypeVar

import anyio
import anyio.to_thread
import mcp.types as t
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from keepgraph import errors
from keepgraph.store.cancellation import Cancellation, CancellationCheck

DRAIN_SECONDS = 60.0

NO_OBJECT = "\0arguments"
"""The key that wraps arguments that are not an object; no tool has an argument of this name."""

AS_TEXT = "\0json"
"""The same of arguments that the library cannot read, with their JSON as a text."""

# Strings, and the brackets outside them: enough to know the depth of nesting.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}\[\]]')
_ID = re.compile(rb'\s*(?:-?\d{1,18}|"(?:[^"\\\x00-\x1f\x80-\xff]|\\["\\/bfnrt])*")(?=\s*[,}])')


def serve(server: Server[Any]) -> None:
    """Serve until standard input ends."""
    anyio.run(_serve, server)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server(stdin=_EmptyInput()) as (_, write):  # type: ignore[arg-type]
        output = _Output(write)
        await server.run(_Input(sys.stdin.buffer, output), output, server.create_initialization_options())


class _EmptyInput:
    """An input at its end: we use the library's output stream, and read the lines ourselves."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        raise StopAsyncIteration


class _Output:
    """The write stream of the transport. It tracks unanswered requests."""

    def __init__(self, write: Any) -> None:
        self._write = write
        self._open: set[str | int] = set()
        self._all_answered = anyio.Event()

    def expect(self, request_id: str | int) -> None:
        self._open.add(request_id)

    def forget(self, request: Any) -> None:
        """Stop waiting for a request: it is answered, or was cancelled and gets no answer."""
        if isinstance(request, str | int):
            self._open.discard(request)
        if not self._open:
            self._all_answered.set()

    async def wait(self) -> None:
        """Wait until every request has its answer, up to DRAIN_SECONDS."""
        with anyio.move_on_after(DRAIN_SECONDS):
            while self._open:
                self._all_answered = anyio.Event()
                await self._all_answered.wait()

    async def send(self, message: SessionMessage) -> None:
        await self._write.send(message)
        if isinstance(message.message, t.JSONRPCResponse | t.JSONRPCError):
            self.forget(message.message.id)

    async def aclose(self) -> None:
        await self._write.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.aclose()


class _Input:
    """The read stream of the transport: one message a line."""

    def __init__(self, file: Any, output: _Output) -> None:
        self._file = file
        self._output = output

    async def receive(self) -> SessionMessage:
        while line := await anyio.to_thread.run_sync(self._file.readline, abandon_on_cancel=True):
            if not line.strip():
                continue
            message = parse(line)
            if isinstance(message, t.JSONRPCError):
                await self._output.send(SessionMessage(message))
                continue
            if isinstance(message, t.JSONRPCRequest):
                _wrap_arguments(message)
                self._output.expect(message.id)
            elif isinstance(message, t.JSONRPCNotification) and message.method == "notifications/cancelled":
                self._output.forget((message.params or {}).get("requestId"))
            return SessionMessage(message)
        await self._output.wait()
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


def parse(line: bytes) -> t.JSONRPCMessage:
    """The message of a line, or the error to answer it with."""
    try:
        message = t.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _parse_leniently(line)
    # The library would not answer a request whose id has a wrong type: it takes it for a notification.
    return _parse_leniently(line) if isinstance(message, t.JSONRPCNotification) and b'"id"' in line else message


def _parse_leniently(line: bytes) -> t.JSONRPCMessage:
    """The message of a line that the library refused, parsed by Python, or the error to answer it with."""
    try:
        message = json.loads(line.decode("utf-8", "surrogateescape"))
    except RecursionError:
        return _error(t.INVALID_REQUEST, "this line is nested too deeply; no argument needs that", _find_id(line))
    except ValueError:
        return _error(t.PARSE_ERROR, "this line is not JSON")
    if not isinstance(message, dict):
        return _error(t.INVALID_REQUEST, "this line is not a single JSON-RPC message")
    arguments = _pop_arguments(message)
    message = replace_surrogates(message)
    if arguments is not None:
        message["params"]["arguments"] = arguments
    request_id = message.get("id")
    is_valid_id = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    if "id" in message and "method" in message and not is_valid_id:
        return _error(t.INVALID_REQUEST, "the id of a request must be a text or a whole number")
    try:
        return t.jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        return _error(t.INVALID_REQUEST, "this line is not a JSON-RPC message", request_id if is_valid_id else None)


def _find_id(line: bytes) -> str | int | None:
    """The id of a request whose line is nested too deeply to be parsed, or None."""
    depth = 0
    for token in _TOKEN.finditer(line):
        text = token[0]
        if text in b"{[":
            depth += 1
        elif text in b"}]":
            depth -= 1
        elif depth == 1 and text.startswith(b'"id"') and text.endswith(b":"):
            value = _ID.match(line, token.end())
            return json.loads(value[0]) if value else None
    return None


def _wrap_arguments(message: t.JSONRPCRequest) -> None:
    """Let arguments that are not an object pass the library, so that the tool refuses them, with its example."""
    params = message.params
    if message.method == "tools/call" and params and not isinstance(params.get("arguments") or {}, dict):
        params["arguments"] = {NO_OBJECT: params["arguments"]}


def _pop_arguments(message: dict[str, Any]) -> Any:
    """Take the arguments out of a tool call: they keep their lone surrogates, which input validation refuses."""
    params = message.get("params")
    if message.get("method") == "tools/call" and isinstance(params, dict) and isinstance(params.get("arguments"), dict):
        return params.pop("arguments")
    return None


def _error(code: int, message: str, request_id: str | int | None = None) -> t.JSONRPCError:
    return t.JSONRPCError(jsonrpc="2.0", id=request_id, error=t.ErrorData(code=code, message=message))


# Worker threads for blocking calls: each call has a deadline, and stops when the client cancels its request.

GRACE_SECONDS = 1.0
"""The time after its deadline in which a call may stop by itself."""

_PAUSE_SECONDS = 0.02
_T = TypeVar("_T")
_log = logging.getLogger("keepgraph.mcp")


async def run(
    work: Callable[[CancellationCheck], _T],
    *,
    limiter: anyio.CapacityLimiter,
    seconds: float,
    turns: anyio.CapacityLimiter | None = None,
) -> _T:
    """Run blocking work in a thread, outside the event loop.

    A cancelled request interrupts the work, and waits a moment for its thread. A thread that cannot stop is abandoned a
    second after the deadline: the caller is answered, and nothing the work has written is committed.

    Args:
        work: takes the cancellation check, which it or the database makes regularly.
        limiter: how many threads of this kind may run at once.
        seconds: the deadline from now, including the wait for the limiters.
        turns: how many of one caller may run, or wait for the limiter.

    Raises:
        errors.KeepgraphError: the work failed. An unexpected exception becomes an InternalError.
    """
    cancellation = Cancellation(seconds)
    outcomes: list[_T | errors.KeepgraphError] = []
    ended = anyio.Event()
    thread = anyio.CancelScope(shield=True)

    async def work_in_thread() -> None:
        with thread:
            async with turns or nullcontext():
                outcomes.append(
                    await anyio.to_thread.run_sync(
                        functools.partial(_catch_errors, work, cancellation), limiter=limiter, abandon_on_cancel=True
                    )
                )
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(work_in_thread)
        try:
            with anyio.move_on_after(seconds + GRACE_SECONDS):
                await ended.wait()
            while not ended.is_set() and not cancellation.answer():
                await anyio.sleep(_PAUSE_SECONDS)
        except anyio.get_cancelled_exc_class():
            cancellation.cancel()
            with anyio.move_on_after(GRACE_SECONDS, shield=True):
                await ended.wait()
            raise
        finally:
            thread.cancel()
    if not outcomes:
        _log.warning("a call could not be stopped at its deadline; its thread goes on")
        raise cancellation.deadline_exceeded()
    outcome = outcomes[0]
    if isinstance(outcome, errors.KeepgraphError):
        raise outcome
    return outcome


def _catch_errors(
    work: Callable[[CancellationCheck], _T], cancellation: CancellationCheck
) -> _T | errors.KeepgraphError:
    """The result of the work, or its error as a value: the protocol would send on a raised one as it is."""
    try:
        return work(cancellation)
    except errors.KeepgraphError as error:
        return error
    except Exception:  # noqa: BLE001 (the one place where every error becomes an answer)
        _log.exception("a call failed unexpectedly")
        return errors.InternalError("the call failed unexpectedly; the server's log has the details")


# Replaces lone surrogates in text: UTF-8 cannot encode them, and writing one would end the server.


def replace_surrogates(value: Any) -> Any:
    """A text, or all texts in JSON, with a question mark for every lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {replace_surrogates(name): replace_surrogates(inner) for name, inner in value.items()}
    return [replace_surrogates(inner) for inner in value] if isinstance(value, list) else value
