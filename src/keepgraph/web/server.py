"""The local server of the page: an HTTP server on 127.0.0.1 that answers with the page, and calls tools for it."""

from __future__ import annotations

import hmac
import io
import json
import logging
import os
import secrets
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, NoReturn, cast

from keepgraph import errors
from keepgraph.activity import Activity
from keepgraph.graph import Graph
from keepgraph.tools.contract import reader_references
from keepgraph.web import page_file

ADDRESS = "127.0.0.1"
IDLE_SECONDS = 30 * 60.0

_log = logging.getLogger("keepgraph.web")

_TICK_SECONDS = 0.5
_REQUEST_SECONDS = 30.0
"""How long a connection may send nothing in the middle of a request, or between two."""

_HEAD_SECONDS = 10.0
"""How long the head of a request may take from its first byte: one that comes byte by byte holds no connection."""

_MAX_CONNECTIONS = 64

_MAX_DROPPED = 8_000_000
_DROPPED_AT_ONCE = 65_536
"""In bytes."""

_SECONDS_TO_DROP = 2.0
_DIGITS_OF_LENGTH = 10

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class PageServer(socketserver.ThreadingMixIn, HTTPServer):
    """Serves the page of one graph, from its construction to its end.

    Attributes:
        token: what a call must bring; new at every start, 32 random bytes.
        activity: when the page last called.
        host: the address and the port, which every request must name.
        has_ended: whether it answers nothing more, on connections that are still open either.
    """

    daemon_threads = True
    # On Windows it would let another program listen on the same port.
    allow_reuse_address = os.name != "nt"

    def __init__(
        self, graph: Graph, *, port: int = 0, clock: Callable[[], float], idle_seconds: float = IDLE_SECONDS
    ) -> None:
        """
        Args:
            port: 0 is any that is free.
            clock: monotonic seconds.
            idle_seconds: the server ends when nobody has called for so long.

        Raises:
            OSError: the port is taken.
        """
        self.graph = graph
        self.token = secrets.token_urlsafe(32)
        self.activity = Activity(clock)
        self._idle_seconds = idle_seconds
        self.has_ended = False
        self._clock = clock
        self._heads_since: dict[socket.socket, float] = {}
        self._connections = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        super().__init__((ADDRESS, port), _RequestHandler)
        self.timeout = _TICK_SECONDS
        self.host = f"{ADDRESS}:{self.server_address[1]}"

    @property
    def address(self) -> str:
        """The address of the page, without the token."""
        return f"http://{self.host}/"

    @property
    def address_with_token(self) -> str:
        """The address that lets a browser call: the token is in the fragment, which no browser sends to a server."""
        return f"{self.address}#t={self.token}"

    def serve_until(self, is_over: Callable[[], bool]) -> None:
        """Serve until this is so, or until nobody has called for some time."""
        while not is_over() and not self.is_idle():
            self.handle_request()
            self._drop_slow_heads()
        self.has_ended = True

    def begin_head(self, connection: socket.socket) -> None:
        """Note that the first byte of a request has come."""
        self._heads_since[connection] = self._clock()

    def end_head(self, connection: socket.socket) -> None:
        """Note that the head of a request is read, or that nobody waits for it any more."""
        self._heads_since.pop(connection, None)

    def _drop_slow_heads(self) -> None:
        for connection, since in list(self._heads_since.items()):
            if self._clock() - since > _HEAD_SECONDS:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)

    def is_idle(self) -> bool:
        """Whether nobody has called for so long that the server ends."""
        return self.activity.idle_seconds() >= self._idle_seconds

    def call(self, body: bytes) -> dict[str, Any]:
        """The answer to a call: that of the tool, or the error.

        Raises:
            Refused: it is not a call.
        """
        call = _read_call(body)
        try:
            if call.tool not in ALL:
                raise errors.UnknownTool(f"the page may not call {call.tool[:60]!r}")
            with self.activity.call():
                answer = {"ok": True, "answer": self.graph.call_until(None, call.tool, call.arguments)}
        except errors.KeepgraphError as error:
            error.hint = error.hint and reader_references.render(error.hint, shown=())
            answer = {"ok": False, "error": error.answer()}
        except Exception:  # noqa: BLE001 (the one place of this interface where every error becomes an answer)
            _log.exception("a call failed unexpectedly")
            unforeseen = errors.InternalError("the call failed unexpectedly")
            answer = {"ok": False, "error": unforeseen.answer()}
        return {**answer, "read_only": True} if self.graph.read_only else answer

    def server_bind(self) -> None:
        # That of the base class asks the resolver for the name of the machine.
        socketserver.TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle of an answer is not an error."""


class _RequestHandler(BaseHTTPRequestHandler):
    """Answers `GET /` with the page and `POST /call` with the answer of a tool; all else is refused."""

    protocol_version = "HTTP/1.1"
    server_version = "Keepgraph"
    sys_version = ""
    timeout = _REQUEST_SECONDS
    # The head and the body of an answer go together: apart, the body would wait 40 ms for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: PageServer

    def handle_one_request(self) -> None:
        try:
            if cast("io.BufferedReader", self.rfile).peek(1):
                self.server.begin_head(self.connection)
            super().handle_one_request()
        except OSError:
            self.close_connection = True  # nothing came in time, or the browser went away
        finally:
            self.server.end_head(self.connection)

    def parse_request(self) -> bool:
        is_complete = super().parse_request()
        self.server.end_head(self.connection)
        return is_complete

    def do_GET(self) -> None:
        self._answer(self._get_page)

    def do_POST(self) -> None:
        self._answer(self._call_tool)

    def __getattr__(self, name: str) -> Any:
        # Every other method, known or not, is answered as a wrong path is.
        if name.startswith("do_"):
            return lambda: self._answer(self._refuse_path)
        raise AttributeError(name)

    def handle_expect_100(self) -> bool:
        # Nothing is promised before the request has been checked; a client sends its body after a second all the same.
        return True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the terminal is the user's."""

    def _answer(self, respond: Callable[[], None]) -> None:
        if self.server.has_ended:
            self.close_connection = True
            return
        try:
            _check_host(self.headers, host=self.server.host)
            respond()
        except _Refused as refused:
            self.close_connection = True
            error = errors.InvalidArguments(refused.message, hint=refused.hint or "Use the page that `kg ui` opens.")
            self._send_json(refused.status, {"ok": False, "error": error.answer()})
            if refused.status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                self._drop_body()
        except (OSError, ValueError):
            self.close_connection = True  # the browser went away

    def _get_page(self) -> None:
        if self.path != "/":
            self._refuse_path()
        self._send(
            HTTPStatus.OK,
            page_file.read().encode("utf-8"),
            {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": page_file.content_security_policy(),
            },
        )

    def _call_tool(self) -> None:
        if self.path != "/call":
            self._refuse_path()
        length = _check_call(self.headers, host=self.server.host, token=self.server.token)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        self._send_json(HTTPStatus.OK, self.server.call(body))

    def _drop_body(self) -> None:
        """Read what is left of a call that is too long, some megabytes at most: a browser reads no answer before."""
        self.connection.settimeout(_SECONDS_TO_DROP)
        length = self.headers["Content-Length"]
        left = min(int(length[:_DIGITS_OF_LENGTH]), _MAX_DROPPED)
        while left > 0 and (dropped := len(self.rfile.read(min(left, _DROPPED_AT_ONCE)))):
            left -= dropped

    def _refuse_path(self) -> None:
        raise _Refused(HTTPStatus.NOT_FOUND, "there is only the page, and POST /call")

    def _send_json(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._send(status, text.encode("utf-8", "replace"), {"Content-Type": "application/json; charset=utf-8"})

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


# What a request to the local server must be like: for our address, from our page, with the token, in JSON, small.
#
# The conventions are those of Jupyter. A page elsewhere that is opened in the same browser can send requests to any
# address of this machine, under any name that it owns (DNS rebinding), and other users of this machine can connect to
# the port: none of them knows the token.

_MAX_BODY = 1_000_000
"""In bytes."""


class _Refused(Exception):
    """A request that is refused.

    Attributes:
        status: the status of the answer.
    """

    def __init__(self, status: HTTPStatus, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class _ToolCall:
    """A call as the page asks for it."""

    tool: str
    arguments: Mapping[str, Any]


def _check_host(headers: Message, *, host: str) -> None:
    """Refuse a request for another name than ours, before anything else about it is read.

    Raises:
        Refused: 403, also where the header is missing or there are several.
    """
    if headers.get_all("Host") != [host]:
        raise _Refused(HTTPStatus.FORBIDDEN, f"this server only answers to http://{host}")


def _check_call(headers: Message, *, host: str, token: str) -> int:
    """Check the headers of a call, and give the length of its body.

    Raises:
        Refused: 403 another origin; 401 no token or another one; 415 not JSON; 411 or 413 no length, or too long.
    """
    origin, site = headers.get_all("Origin"), headers.get("Sec-Fetch-Site", "same-origin")
    if origin != [f"http://{host}"] or site != "same-origin":
        raise _Refused(HTTPStatus.FORBIDDEN, "only the page of this server may call it")
    scheme, _, given = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise _Refused(
            HTTPStatus.UNAUTHORIZED,
            "the token is missing, or from an earlier start",
            hint="Use the page that `kg ui` opened last, or start `kg ui` again.",
        )
    if headers.get_content_type() != "application/json" or headers.get("Content-Type") is None:
        raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a call is JSON", hint="Send application/json.")
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()) or headers.get("Transfer-Encoding"):
        raise _Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the call is missing")
    if len(length) > len(str(_MAX_BODY)) or int(length) > _MAX_BODY:
        raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a call may have at most {_MAX_BODY:,} bytes")
    return int(length)


def _read_call(body: bytes) -> _ToolCall:
    """The call in a body.

    Raises:
        Refused: 400, it is not a call.
    """
    try:
        call = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise _Refused(HTTPStatus.BAD_REQUEST, "the call is not JSON in UTF-8") from None
    if not isinstance(call, dict) or set(call) - {"tool", "arguments"}:
        raise _Refused(HTTPStatus.BAD_REQUEST, "a call is an object with tool and arguments")
    tool, arguments = call.get("tool"), call.get("arguments", {})
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise _Refused(HTTPStatus.BAD_REQUEST, "the tool of a call is its name, its arguments are an object")
    return _ToolCall(tool, arguments)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


# The tools that the page may call. What deletes everything, or reads files of this machine, is not among them.

READING = (
    "complete_name",
    "explain",
    "explore_node",
    "find_duplicates",
    "get_changes",
    "get_call",
    "get_community",
    "get_entity",
    "get_entity_connections",
    "get_entity_edge",
    "get_entity_timeline",
    "get_episode_context",
    "get_episodes",
    "get_full_document",
    "get_history",
    "get_map",
    "get_overview",
    "get_schema",
    "get_status",
    "get_vocabulary",
    "list_calls",
    "list_communities",
    "list_duplicates",
    "list_entities",
    "list_kind",
    "list_kinds",
    "list_next_steps",
    "list_proposed_wordings",
    "list_query_words",
    "list_vocabulary",
    "query_entity_relations",
    "recall_decisions",
    "recall_entity",
    "run_cypher",
    "run_query",
    "search",
    "search_nodes",
    "trace_path",
    "weekly_rollup",
)

WRITING = (
    "add_alias",
    "add_entity",
    "build_communities",
    "create_relation",
    "delete_episode",
    "delete_relation",
    "end_fact",
    "extend_vocabulary",
    "forget",
    "merge_entities",
    "name_community",
    "record_fact",
    "record_facts",
    "remember",
    "resolve_blocker",
    "retract_fact",
    "review_proposals",
    "set_owner",
    "undo",
    "update_entity",
)

ALL = frozenset(READING + WRITING)
