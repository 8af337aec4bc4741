"""Starts a server as a client does, asks for its tools, and ends it. Knows the first lines of MCP, and no client."""

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
_GRACE_SECONDS = 2.0
_PATIENCE_SECONDS = 30.0
_MOST_BYTES = 64_000_000
_LAST_LINES = 6

# What clients hand on to the servers they start: enough to find files and programs, and nothing that was exported.
_HANDED_ON = frozenset(
    "HOME PATH LANG USER LOGNAME TMPDIR "
    "APPDATA LOCALAPPDATA USERPROFILE USERNAME HOMEDRIVE HOMEPATH SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT "
    "PROCESSOR_ARCHITECTURE PROGRAMFILES TEMP TMP".split()
)


@dataclass(frozen=True, slots=True)
class Shaken:
    """What a server said of itself."""

    server: str
    version: str
    protocol: str
    tools: int


def shake(command: Sequence[str], *, seconds: float = 20) -> Shaken:
    """Start a server by its command, as a client would start it; whatever happens, it is ended again.

    Raises:
        errors.HandshakeFailed: it cannot be started, ends too early, is silent, or says what is not MCP.
    """
    server = _Server(command, seconds)
    try:
        about = server.ask("initialize", _introduction())
        server.tell("notifications/initialized")
        named = about.get("serverInfo")
        if not isinstance(named, dict):
            raise _NoAnswer("it answered initialize without saying what it is")
        shaken = Shaken(
            server=str(named.get("name", "")),
            version=str(named.get("version", "")),
            protocol=str(about.get("protocolVersion", "")),
            tools=_count_tools(server),
        )
        # It may have something to finish, such as the backup of the day.
        server.end(patience=_PATIENCE_SECONDS)
        return shaken
    except _NoAnswer as problem:
        server.end()
        raise errors.HandshakeFailed(f"the server does not work: {problem}{server.last_words()}") from problem
    finally:
        server.end()


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The part of our environment that a client hands on; nothing that begins with KG_ is in it."""
    return {name: value for name, value in ours.items() if name in _HANDED_ON or name.startswith("XDG_")}


class _NoAnswer(Exception):
    """Why a server did not answer as it should, in words."""


class _Server:
    """A server that runs, the lines it says, and how long we will listen."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        try:
            self._process = subprocess.Popen(  # noqa: S603 (the very command that the client will start)
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(os.environ),
                # Where a client starts it is anybody's guess; this folder helps nobody by accident.
                cwd=Path(sys.executable).anchor or None,
            )
        except (OSError, ValueError, IndexError) as error:
            why = getattr(error, "strerror", None) or error
            raise errors.HandshakeFailed(f"{' '.join(command[:1])!r} cannot be started: {why}") from error
        self._input = cast(IO[bytes], self._process.stdin)
        self._said: queue.Queue[bytes | None] = queue.Queue()
        self._complained: deque[str] = deque(maxlen=_LAST_LINES)
        self._asked = 0
        self._listeners = [
            threading.Thread(target=self._listen, args=[self._process.stdout, self._said.put], daemon=True),
            threading.Thread(target=self._listen, args=[self._process.stderr, self._note], daemon=True),
        ]
        for listener in self._listeners:
            listener.start()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and wait for the answer to it."""
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}, about=method)
        while True:
            message = self._next(method)
            if message.get("id") != self._asked or "method" in message:
                continue  # a notification, or a request of its own
            if isinstance(result := message.get("result"), dict):
                return result
            refusal = message.get("error")
            said = refusal.get("message") if isinstance(refusal, dict) else None
            raise _NoAnswer(f"it refused {method}: {said or 'it does not say why'}")

    def tell(self, method: str) -> None:
        """Send what needs no answer. That nobody reads it is found out by the next question."""
        with suppress(_NoAnswer):
            self._send({"jsonrpc": "2.0", "method": method}, about=method)

    def last_words(self) -> str:
        """What it said on standard error in the end; to be asked after its end."""
        said = "\n".join(line for line in self._complained if line.strip())
        return f". It said:\n{said}" if said else ""

    def end(self, *, patience: float = 0) -> None:
        """Let it end by itself for so many seconds; then ask it to, and then make it."""
        with suppress(OSError):
            self._input.close()
        waits: list[tuple[Callable[[], None], float]] = [
            (lambda: None, patience),
            (self._process.terminate, _GRACE_SECONDS),
            (self._process.kill, _GRACE_SECONDS),
        ]
        for stop, seconds in waits:
            stop()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
                break
        for listener in self._listeners:
            listener.join(_GRACE_SECONDS)

    def _send(self, message: dict[str, Any], *, about: str) -> None:
        try:
            self._input.write(json.dumps(message).encode() + b"\n")
            self._input.flush()
        except OSError as error:
            raise self._gone(about) from error

    def _next(self, method: str) -> dict[str, Any]:
        left = self._deadline - time.monotonic()
        try:
            if left <= 0:
                raise queue.Empty
            line = self._said.get(timeout=left)
        except queue.Empty:
            raise _NoAnswer(f"it did not answer {method} within {self._seconds:g} seconds") from None
        if line is None:
            raise self._gone(method)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            shown = line[:80].decode("utf-8", "replace").strip()
            raise _NoAnswer(f"it wrote to its standard output what is not a message: {shown!r}")
        return message

    def _gone(self, method: str) -> _NoAnswer:
        try:
            code = self._process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return _NoAnswer(f"it closed its output before it answered {method}")
        return _NoAnswer(f"it ended with exit code {code} before it answered {method}")

    def _listen(self, stream: IO[bytes], hear: Callable[[bytes | None], None]) -> None:
        heard = 0
        with stream:
            while heard < _MOST_BYTES and (line := stream.readline(_MOST_BYTES)):
                heard += len(line)
                hear(line)
        hear(None)

    def _note(self, line: bytes | None) -> None:
        if line is not None:
            self._complained.append(line[:500].decode("utf-8", "replace").rstrip())


def _introduction() -> dict[str, Any]:
    about_us = {"name": "kg", "title": "Keepgraph handshake", "version": _version.__version__}
    return {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about_us}


def _count_tools(server: _Server) -> int:
    count = 0
    page: dict[str, Any] = {}
    while True:
        answer = server.ask("tools/list", page)
        if not isinstance(listed := answer.get("tools"), list):
            raise _NoAnswer("it answered tools/list without a list of tools")
        count += len(listed)
        if not (cursor := answer.get("nextCursor")):
            return count
        page = {"cursor": cursor}
