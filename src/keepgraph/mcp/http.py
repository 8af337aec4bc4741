"""The streamable HTTP transport of MCP: every request is checked before a tool is called; each token has its server.

One call's failure, hang or deadline does not touch another: calls run in threads of their token, with the deadline of
stdio, and limits are counted for each token.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import socket
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import anyio.abc
import mcp.types as t
import pydantic_core
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from uvicorn.protocols.http.h11_impl import H11Protocol

from keepgraph import _version
from keepgraph.mcp import http_access, server, stdio
from keepgraph.mcp.graphs import ServedGraph, ServedGraphs
from keepgraph.mcp.http_access import Limits, Metrics
from keepgraph.profiles import tokens
from keepgraph.profiles.tokens import Token

if TYPE_CHECKING:
    from keepgraph.mcp.http_access import Issuer

PATH = "/mcp"
MAX_BODY = 4 * 1024 * 1024
"""In bytes."""

REQUEST_SECONDS = 10.0
"""The time for the head of a request, and again for its body."""

SEND_SECONDS = 60.0
"""The time in which a client must take a part of an answer."""

_MAX_HEAD = 16 * 1024
_MAX_CONNECTIONS = 2_000
_MAX_SESSIONS = 1_000  # of one token, in the era of sessions
_SESSION_SECONDS = 30 * 60.0
_KEEP_ALIVE_SECONDS = 30
_SHUTDOWN_SECONDS = 3
_GRACE_SECONDS = 1.0
_SWEEP_SECONDS = 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_log = logging.getLogger("keepgraph.mcp")

Scope = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server is reached.

    Attributes:
        public_url: how others name it, if a proxy stands before it.
    """

    host: str
    port: int
    public_url: str | None = None

    @property
    def url(self) -> str:
        return f"{self.public_url or f'http://{self._netloc(self.host)}'}{PATH}"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of the header Host for which it answers."""
        names = {self.host, *(_LOOPBACK if is_loopback(self.host) else ())}
        hosts = {self._netloc(name) for name in names}
        hosts |= {host.removesuffix(":80") for host in hosts}
        if self.public_url:
            url = urlsplit(self.public_url)
            default = {"https": ":443", "http": ":80"}[url.scheme]
            hosts |= {url.netloc.lower(), url.netloc.lower().removesuffix(default)}
        return frozenset(hosts)

    @property
    def origins(self) -> frozenset[str]:
        """The values of the header Origin that are accepted: its own."""
        schemes = ("http", "https") if self.public_url else ("http",)
        return frozenset(f"{scheme}://{host}" for scheme in schemes for host in self.hosts)

    def _netloc(self, name: str) -> str:
        return f"[{name}]:{self.port}" if ":" in name else f"{name.lower()}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"


def serve(app: HttpApp, listener: socket.socket) -> None:
    """Serve until the process is interrupted."""
    anyio.run(_serve, app, listener)


async def _serve(app: HttpApp, listener: socket.socket) -> None:
    async with app.running():
        await uvicorn.Server(configuration(app)).serve(sockets=[listener])


def configuration(app: HttpApp) -> uvicorn.Config:
    """How uvicorn runs the application."""
    return uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_MAX_HEAD,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


@dataclass(eq=False, slots=True)
class _Caller:
    """A token with its server, its sessions, its limits, and what it has in progress."""

    token: Token
    limits: Limits
    sessions: StreamableHTTPSessionManager
    scopes: set[anyio.CancelScope] = field(default_factory=set)

    def end(self) -> None:
        for scope in self.scopes:
            scope.cancel()


class HttpApp:
    """The ASGI application: `/mcp`, `/healthz`, and on request `/metrics`.

    Args:
        toolsets: as of `server.build`.
        issuer: whose OAuth tokens are accepted as well.
        has_metrics: whether counters are published.
    """

    def __init__(
        self,
        served: Sequence[ServedGraph],
        address: Address,
        *,
        toolsets: Sequence[str] | None,
        issuer: Issuer | None = None,
        has_metrics: bool = False,
        whole_outputs: bool = False,
    ) -> None:
        self._served = served
        self._address = address
        self._toolsets = toolsets
        self._issuer = issuer
        self._has_metrics = has_metrics
        self._whole_outputs = whole_outputs
        self._tokens = tokens.Tokens()
        self._callers: dict[str, _Caller] = {}
        self._starting = anyio.Lock()
        # Threads of Python take turns: with more of them, each call takes longer and all together fewer are answered.
        self._reads = anyio.CapacityLimiter(server.CONCURRENT_READS)
        self._run = uuid.uuid4().hex[:8]
        self._tasks: anyio.abc.TaskGroup
        self.metrics = Metrics()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The servers of its callers run while this context lasts."""
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._end_callers_in_turn)
            try:
                yield
            finally:
                self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        exchange = _Exchange(scope, receive, send)
        self.metrics.in_progress += 1
        try:
            await self._answer(exchange)
        except http_access.RequestRefused as refusal:
            self.metrics.count_refusal(refusal.code)
            await exchange.refuse(refusal, self._challenge(refusal))
        finally:
            self.metrics.in_progress -= 1
            self.metrics.count_answer(
                exchange.status, seconds=exchange.seconds(), received=exchange.received, sent=exchange.sent
            )

    async def _answer(self, exchange: _Exchange) -> None:
        if exchange.only("host").lower() not in self._address.hosts:
            raise _invalid("this server does not answer for this host", HTTPStatus.MISDIRECTED_REQUEST)
        path = exchange.scope["path"]
        if path == PATH:
            await self._answer_client(exchange)
        elif path == "/healthz":
            exchange.check_method("GET", "HEAD")
            await exchange.respond(HTTPStatus.OK, {"status": "ok", "version": _version.__version__})
        elif path == "/metrics" and self._has_metrics:
            exchange.check_method("GET")
            await exchange.respond(HTTPStatus.OK, self.metrics.text())
        elif self._issuer and path == self._issuer.metadata_path:
            exchange.check_method("GET")
            await exchange.respond(HTTPStatus.OK, self._issuer.metadata())
        else:
            raise _invalid(f"the only path is {PATH}", HTTPStatus.NOT_FOUND)

    async def _answer_client(self, exchange: _Exchange) -> None:
        if (origin := exchange.only("origin")) and origin.lower() not in self._address.origins:
            raise _invalid("a page of another origin may not call this server", HTTPStatus.FORBIDDEN)
        exchange.check_method("POST", "GET", "DELETE")
        caller = await self._caller(await self._authenticate(exchange.only("authorization")))
        caller.limits.take_request()
        with anyio.CancelScope() as scope:
            caller.scopes.add(scope)
            try:
                if exchange.scope["method"] != "POST":
                    await caller.sessions.handle_request(exchange.scope, exchange.receive, exchange.send)
                    return
                exchange.check_type()
                with caller.limits.call():
                    await self._answer_call(caller, exchange)
            finally:
                caller.scopes.discard(scope)
                caller.limits.take_bytes(exchange.received + exchange.sent)
        if scope.cancelled_caught:
            raise http_access.TokenRequired("the token was removed, or has expired")

    async def _answer_call(self, caller: _Caller, exchange: _Exchange) -> None:
        message = _readable(await exchange.read_body())
        if isinstance(message, t.JSONRPCError):
            await exchange.respond(HTTPStatus.BAD_REQUEST, message.model_dump(mode="json", by_alias=True))
        else:
            exchange.put_back(message)
            await caller.sessions.handle_request(exchange.scope, exchange.receive, exchange.send)

    async def _authenticate(self, authorization: str) -> Token:
        """
        Raises:
            http_access.TokenRequired: there is no token, or none that is known.
            http_access.TokenExpired: it was valid once.
        """
        scheme, _, secret = authorization.partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise http_access.TokenRequired("the request has no token")
        token = self._tokens.find(secret.strip())
        if token is None and self._issuer is not None:
            subject = await self._issuer.subject(secret.strip())
            token = self._tokens.of_subject(subject) if subject is not None else None
        if token is None:
            raise http_access.TokenRequired("the token is unknown")
        if token.is_expired(datetime.now(UTC)):
            raise http_access.TokenExpired(f"the token {token.name} was valid until {token.until}")
        return token

    def _challenge(self, refusal: http_access.RequestRefused) -> dict[str, str]:
        if refusal.status != HTTPStatus.UNAUTHORIZED:
            return {}
        metadata = f', resource_metadata="{self._issuer.metadata_url}"' if self._issuer else ""
        return {"WWW-Authenticate": f'Bearer error="invalid_token"{metadata}'}

    async def _caller(self, token: Token) -> _Caller:
        """
        Raises:
            http_access.GraphNotAllowed: the token is for none of the graphs served.
        """
        async with self._starting:
            caller = self._callers.get(token.name)
            if caller is None or caller.token != token:
                if caller is not None:
                    caller.end()
                caller = self._callers[token.name] = self._new_caller(token)
                await self._tasks.start(self._run_caller, caller)
            return caller

    def _new_caller(self, token: Token) -> _Caller:
        session = tokens.conversation(token, self._run)
        allowed = [
            ServedGraph(each.name, each.graph.for_session(session, read_only=token.read_only), each.activity)
            for each in self._served
            if not token.profiles or each.name in token.profiles
        ]
        if not allowed:
            raise http_access.GraphNotAllowed(f"the token {token.name} is for none of the graphs of this server")
        mcp_server = server.build(
            ServedGraphs(allowed, are_named=True),
            toolsets=self._toolsets,
            whole_outputs=self._whole_outputs,
            token=token,
            reads=self._reads,
        )
        limits = Limits(
            calls_per_minute=token.calls_per_minute,
            megabytes_per_minute=token.megabytes_per_minute,
            calls_at_once=token.calls_at_once,
        )
        sessions = StreamableHTTPSessionManager(
            mcp_server,
            max_request_body_size=MAX_BODY * 2,  # what we put back may be longer than what we read
            max_sessions=_MAX_SESSIONS,
            session_idle_timeout=_SESSION_SECONDS,
        )
        return _Caller(token, limits, sessions)

    async def _run_caller(self, caller: _Caller, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        with anyio.CancelScope() as scope:
            caller.scopes.add(scope)
            async with caller.sessions.run():
                task_status.started()
                await anyio.sleep_forever()

    async def _end_callers_in_turn(self) -> None:
        """End what is in progress with a token that was removed or has expired."""
        while True:
            await anyio.sleep(_SWEEP_SECONDS)
            now = datetime.now(UTC)
            valid = {token for token in self._tokens.all() if not token.is_expired(now)}
            for name, caller in list(self._callers.items()):
                if caller.token not in valid:
                    del self._callers[name]
                    caller.end()


class _Exchange:
    """A request and its answer.

    Attributes:
        received, sent: the bytes of the two bodies.
        status: of the answer; 499 if the client went away before there was one.
    """

    def __init__(self, scope: Scope, receive: Any, send: Any) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self._body: bytes | None = None
        self._began = time.monotonic()
        self.received, self.sent, self.status = 0, 0, 499

    def seconds(self) -> float:
        return time.monotonic() - self._began

    def only(self, name: str) -> str:
        """The value of a header, "" where it is missing.

        Raises:
            http_access.RequestInvalid: there are several.
        """
        values = [value for key, value in self.scope["headers"] if key == name.encode()]
        if len(values) > 1:
            raise _invalid(f"the header {name} is repeated", HTTPStatus.BAD_REQUEST)
        return values[0].decode("latin-1").strip() if values else ""

    def check_method(self, *allowed: str) -> None:
        if self.scope["method"] not in allowed:
            raise _invalid(f"this path takes {' and '.join(allowed)}", HTTPStatus.METHOD_NOT_ALLOWED)

    def check_type(self) -> None:
        """Check what the body is said to be."""
        kind = self.only("content-type").partition(";")[0].strip().lower()
        if kind != "application/json" or self.only("content-encoding").lower() not in ("", "identity"):
            raise _invalid("the body must be application/json, not encoded", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        length = self.only("content-length")
        if length and self.only("transfer-encoding"):
            raise _invalid("the body has a length and is chunked", HTTPStatus.BAD_REQUEST)
        if length.isdigit() and int(length[:12]) > MAX_BODY:
            raise _too_large()

    async def read_body(self) -> bytes:
        """
        Raises:
            http_access.RequestTooLarge, http_access.RequestTooSlow: the body is not read to its end.
        """
        body = bytearray()
        with anyio.move_on_after(REQUEST_SECONDS) as scope:
            more = True
            while more:
                message = await self._receive()
                if message["type"] != "http.request":
                    raise _invalid("the body is incomplete", HTTPStatus.BAD_REQUEST)
                body += message.get("body", b"")
                self.received = len(body)
                if len(body) > MAX_BODY:
                    raise _too_large()
                more = message.get("more_body", False)
        if scope.cancelled_caught:
            raise http_access.RequestTooSlow(f"the body did not arrive within {REQUEST_SECONDS:g} seconds")
        return bytes(body)

    def put_back(self, body: bytes) -> None:
        """Let the next reader receive a body."""
        self._body = body
        headers = [(key, value) for key, value in self.scope["headers"] if key != b"content-length"]
        self.scope = {**self.scope, "headers": headers}

    async def receive(self) -> Any:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        return await self._receive()

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.sent += len(message.get("body", b""))
        with anyio.fail_after(SEND_SECONDS):
            await self._send(message)

    async def refuse(self, refusal: http_access.RequestRefused, headers: Mapping[str, str]) -> None:
        """Answer with an error in the form of JSON-RPC; `data` is the envelope of every interface."""
        if self.status != 499:  # the answer has begun: it ends here
            await self.send({"type": "http.response.body", "body": b""})
            return
        error = {"code": t.INVALID_REQUEST, "message": refusal.text(), "data": refusal.answer()}
        retry = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
        # The rest of the body is received and dropped: a client reads no answer before it has sent everything.
        await self.respond(refusal.status, {"jsonrpc": "2.0", "id": None, "error": error}, {**headers, **retry})

    async def respond(
        self, status: int, content: Mapping[str, Any] | str, headers: Mapping[str, str] | None = None
    ) -> None:
        kind = "text/plain; version=0.0.4" if isinstance(content, str) else "application/json"
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        every = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            **(headers or {}),
        }
        encoded = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in every.items()]
        await self.send({"type": "http.response.start", "status": int(status), "headers": encoded})
        await self.send({"type": "http.response.body", "body": body if self.scope["method"] != "HEAD" else b""})


def _invalid(message: str, status: HTTPStatus) -> http_access.RequestInvalid:
    refusal = http_access.RequestInvalid(message)
    refusal.status = status.value
    return refusal


def _too_large() -> http_access.RequestTooLarge:
    return http_access.RequestTooLarge(f"a request may have at most {MAX_BODY:,} bytes")


def _readable(body: bytes) -> bytes | t.JSONRPCError:
    """A body that the protocol library can read, or the error to answer it with.

    What it could not read of the arguments of a call becomes a text, so that the tool refuses it with its example.
    """
    message = stdio.parse(body)
    if isinstance(message, t.JSONRPCError):
        return message
    if not isinstance(message, t.JSONRPCRequest) or message.method != "tools/call":
        return body
    params = message.params or {}
    arguments = params.get("arguments")
    if (arguments is None or isinstance(arguments, dict)) and _is_read_by_library(body):
        return body
    try:
        wrapped = {**params, "arguments": {stdio.AS_TEXT: json.dumps(arguments)}}
    except RecursionError:
        problem = t.ErrorData(code=t.INVALID_REQUEST, message="the arguments are nested too deeply")
        return t.JSONRPCError(jsonrpc="2.0", id=message.id, error=problem)
    whole = {"jsonrpc": "2.0", "id": message.id, "method": message.method, "params": wrapped}
    return json.dumps(whole).encode()


def _is_read_by_library(body: bytes) -> bool:
    try:
        pydantic_core.from_json(body)
    except ValueError:
        return False
    return True


class _Connection(H11Protocol):
    """A connection that ends when the head or the body of a request does not come in time."""

    _awaited: tuple[str, int] | None = None
    _timer: Any = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await("head")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and self.cycle.more_body:
            self._await("body")
        else:
            self._await("head" if self._is_between_requests() else None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _await(self, part: str | None) -> None:
        awaited = (part, id(self.cycle)) if part else None
        if awaited == self._awaited:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._awaited = awaited
        # The application answers for a body that is late, where it reads it.
        seconds = REQUEST_SECONDS if part == "head" else REQUEST_SECONDS + _GRACE_SECONDS
        self._timer = self.loop.call_later(seconds, self._end_late) if part else None

    def _end_late(self) -> None:
        if self._awaited and self._awaited[0] == "head" and self._is_between_requests():
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()
