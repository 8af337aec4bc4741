"""The server over HTTP: what it refuses, by code and with nothing done, and whom it lets see which graph."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError

import http_serving
import keepgraph
from homes import MARKER, error_code, run, run_ok
from keepgraph import errors
from keepgraph.cli import clients, graph_options, serve
from keepgraph.mcp import http, http_access
from keepgraph.mcp.http_access import Issuer, Limits
from keepgraph.profiles import profile, settings_file, tokens
from keepgraph.tools.contract import catalogue, dispatch
from laws import examples

ADA = {"type": "person", "name": "Ada"}
FACT = {"subject": ADA, "predicate": "tagged", "object": {"literal": MARKER}}
JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


@pytest.fixture
def secret(home: Path) -> str:
    """The secret of a token without bounds."""
    return add("laptop")


def add(name: str, **rights: Any) -> str:
    _, secret = tokens.add(name, now=http_serving.NOW, **rights)
    return secret or ""


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


RECORD = json.dumps(request("tools/call", name="record_fact", arguments=FACT)).encode()
OPEN = json.dumps(request("initialize", **HELLO)).encode()


def with_server(path: Path, act: Any, **options: Any) -> Any:
    """What `act` returns for a server of one graph, and a client without a token."""

    async def acted() -> Any:
        with keepgraph.open(path) as graph:
            async with (
                http_serving.serving({"home": graph}, **options) as server,
                httpx2.AsyncClient(timeout=30) as client,
            ):
                return await act(server, client)

    return anyio.run(acted)


def code(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["data"]["error"])


def count_calls(path: Path) -> int:
    with keepgraph.open(path) as graph:
        return len(graph.call("list_calls", limit=50)["calls"])


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "no token": ({"headers": {"Authorization": ""}}, 401, "TOKEN_REQUIRED"),
    "another token": ({"headers": {"Authorization": "Bearer kg_no"}}, 401, "TOKEN_REQUIRED"),
    "another scheme": ({"headers": {"Authorization": "Basic {secret}"}}, 401, "TOKEN_REQUIRED"),
    "a token in the URL": ({"headers": {"Authorization": ""}, "params": {"token": "{secret}"}}, 401, "TOKEN_REQUIRED"),
    "not ASCII": ({"headers": {"Authorization": b"Bearer \xff\xfe"}}, 401, "TOKEN_REQUIRED"),
    "another host": ({"headers": {"Host": "evil.example"}}, 421, "REQUEST_INVALID"),
    "a host with our name in it": ({"headers": {"Host": "127.0.0.1.evil.example"}}, 421, "REQUEST_INVALID"),
    "another port": ({"headers": {"Host": "127.0.0.1:1"}}, 421, "REQUEST_INVALID"),
    "another origin": ({"headers": {"Origin": "https://evil.example"}}, 403, "REQUEST_INVALID"),
    "no origin": ({"headers": {"Origin": "null"}}, 403, "REQUEST_INVALID"),
    "another path": ({"path": "/mcp/"}, 404, "REQUEST_INVALID"),
    "metrics that nobody asked for": ({"path": "/metrics", "method": "GET"}, 404, "REQUEST_INVALID"),
    "another method": ({"method": "PUT"}, 405, "REQUEST_INVALID"),
    "a form": ({"headers": {"Content-Type": "application/x-www-form-urlencoded"}}, 415, "REQUEST_INVALID"),
    "a text": ({"headers": {"Content-Type": "application/json-seq"}}, 415, "REQUEST_INVALID"),
    "a compressed body": ({"headers": {"Content-Encoding": "gzip"}}, 415, "REQUEST_INVALID"),
    "a long body": ({"content": b"x" * (http.MAX_BODY + 1)}, 413, "REQUEST_TOO_LARGE"),
}


def test_a_wrong_request_is_refused_by_code_and_nothing_is_done(path: Path, secret: str) -> None:
    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> dict[str, tuple[int, str]]:
        found = {}
        for name, (change, _, _) in REFUSED.items():
            change = json.loads(
                json.dumps(change, default=lambda raw: raw.decode("latin-1")).replace("{secret}", secret)
            )
            headers = {**JSON, "Authorization": f"Bearer {secret}", **change.get("headers", {})}
            raw = [(key.encode(), value.encode("latin-1")) for key, value in headers.items() if value]
            answer = await client.request(
                change.get("method", "POST"),
                server.url.removesuffix("/mcp") + change.get("path", "/mcp"),
                params=change.get("params"),
                headers=raw,
                content=REFUSED[name][0].get("content", RECORD),
            )
            found[name] = (answer.status_code, code(answer))
            assert secret not in answer.text
        return found

    found = with_server(path, ask)

    assert {name: (status, expected) for name, (_, status, expected) in REFUSED.items()} == found
    assert count_calls(path) == 0


async def say(port: int, *parts: bytes) -> bytes:
    """What the server answers to bytes, until it ends the connection."""
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        answer = b""
        try:
            for part in parts:
                await stream.send(part)
            while True:
                answer += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return answer


RAW_HEAD = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\n"
    "Content-Type: application/json\r\n"
)

RAW: dict[str, tuple[list[str], str]] = {
    "nothing at all": ([], "408"),
    "a head that does not end": (["POST /mcp HTTP/1.1\r\n", "Host: x\r\n"], "408"),
    "a body that does not end": ([RAW_HEAD + "Content-Length: 100\r\n\r\n", "{{"], "408"),
    "a body without a token that does not end": (
        ["POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\n"],
        "401",
    ),
    "chunks that do not end": ([RAW_HEAD + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n{{\r\n"], "408"),
    "wrong chunks": ([RAW_HEAD + "Transfer-Encoding: chunked\r\n\r\n", "no size\r\n"], "400"),
    "a length and chunks": ([RAW_HEAD + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"], "400"),
    "two lengths": ([RAW_HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n"], "400"),
    "a negative length": ([RAW_HEAD + "Content-Length: -2\r\n\r\n"], "400"),
    "another encoding of the transfer": ([RAW_HEAD + "Transfer-Encoding: gzip\r\n\r\n"], "400"),
    "two hosts": (["GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n"], "400"),
    "no host": (["GET /healthz HTTP/1.0\r\n\r\n"], "421"),
    "a long head": (["GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + "x" * 70_000 + "\r\n"], "400"),
    "no HTTP": (["\x16\x03\x01 hello\r\n\r\n"], "400"),
}


def test_a_slow_or_broken_request_is_answered_and_its_connection_ends(
    path: Path, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(http, "_GRACE_SECONDS", 0.1)
    monkeypatch.setattr(http, "_KEEP_ALIVE_SECONDS", 0.2)

    async def ask(server: http_serving.Server, _: Any) -> dict[str, str]:
        found = {}

        async def ask_one(name: str, parts: list[str]) -> None:
            filled = [part.format(port=server.port, secret=secret).encode("latin-1") for part in parts]
            found[name] = (await say(server.port, *filled)).decode("latin-1")

        async with anyio.create_task_group() as group:
            for name, (parts, _) in RAW.items():
                group.start_soon(ask_one, name, parts)
        async with server.client(secret) as client:
            await client.call_tool("recall_entity", {"name_or_alias": "Ada"})
        return found

    found = with_server(path, ask)

    assert {name: status for name, (_, status) in RAW.items()} == {name: text[9:12] for name, text in found.items()}
    assert count_calls(path) == 0


def test_a_request_that_its_client_repeats_is_a_request_of_its_own(path: Path, secret: str) -> None:
    """
    A session belongs to its token: with another one, it does not exist. Nor does it once it has ended.
    """
    other = add("phone")

    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> list[int]:
        mine = {**JSON, "Authorization": f"Bearer {secret}"}
        opened = await client.post(server.url, headers=mine, content=OPEN)
        session = {"Mcp-Session-Id": opened.headers["Mcp-Session-Id"]}
        statuses = [opened.status_code]
        theirs = {**JSON, "Authorization": f"Bearer {other}"}
        for headers in (mine, theirs):
            answer = await client.post(server.url, headers={**headers, **session}, content=RECORD)
            statuses.append(answer.status_code)
        statuses.append((await client.delete(server.url, headers={**mine, **session})).status_code)
        statuses.append((await client.post(server.url, headers={**mine, **session}, content=RECORD)).status_code)
        return statuses

    assert with_server(path, ask) == [200, 200, 404, 200, 404]
    assert count_calls(path) == 1


def test_a_token_that_was_removed_or_has_expired_is_refused_and_its_streams_end(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "_SWEEP_SECONDS", 0.02)
    past = "2026-11-02T00:00:00.000Z"
    expired, removed = add("old", until=past), add("phone")

    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> list[str]:
        headers = {**JSON, "Authorization": f"Bearer {removed}"}
        opened = await client.post(server.url, headers=headers, content=OPEN)
        headers["Mcp-Session-Id"] = opened.headers["Mcp-Session-Id"]
        async with client.stream("GET", server.url, headers=headers) as stream:
            tokens.remove("phone")
            with anyio.fail_after(20):
                async for _ in stream.aiter_bytes():
                    pass
        answers = [await client.post(server.url, headers=headers, content=RECORD)]
        headers["Authorization"] = f"Bearer {expired}"
        answers.append(await client.post(server.url, headers=headers, content=RECORD))
        return [code(answer) for answer in answers]

    assert with_server(path, ask) == ["TOKEN_REQUIRED", "TOKEN_EXPIRED"]
    assert count_calls(path) == 0


def test_each_limit_of_a_token_has_its_code_and_says_when_to_try_again(
    path: Path, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, heavy, one = (
        add("few", calls_per_minute=2),
        add("heavy", megabytes_per_minute=1),
        add("one", calls_at_once=1),
    )
    begun, stop = threading.Event(), threading.Event()
    real = dispatch.call

    def hanging(database: Any, name: str, *rest: Any, **more: Any) -> Any:
        if name == "get_status":
            begun.set()
            stop.wait()
        return real(database, name, *rest, **more)

    monkeypatch.setattr(dispatch, "call", hanging)

    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> list[tuple[str, bool]]:
        async def post(secret: str, content: bytes = b"{}") -> httpx2.Response:
            return await client.post(server.url, headers={**JSON, "Authorization": f"Bearer {secret}"}, content=content)

        refused = [[await post(few) for _ in range(3)][-1]]
        await post(heavy, b" " * 1_100_000)
        refused.append(await post(heavy))
        async with server.client(one) as hung, server.client(secret) as other, anyio.create_task_group() as group:
            group.start_soon(hung.call_tool, "get_status", {})
            await anyio.to_thread.run_sync(begun.wait)
            refused.append(await post(one))
            # A call that hangs is in nobody else's way.
            answer = await other.call_tool("recall_entity", {"name_or_alias": "Ada"})
            stop.set()
        assert not answer.is_error
        return [(code(answer), 0 < int(answer.headers["Retry-After"]) <= 60) for answer in refused]

    codes = ["TOO_MANY_CALLS", "TOO_MANY_BYTES", "TOO_MANY_AT_ONCE"]

    assert [(each, True) for each in codes] == with_server(path, ask)


@examples(30, sweep=1000)
@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.floats(0, 90, allow_nan=False), st.integers(1, 9)), min_size=1, max_size=12),
)
def test_no_minute_has_more_calls_than_twice_the_limit_and_who_waits_is_let_in(
    per_minute: int, bursts: list[tuple[float, int]]
) -> None:
    now, let_in = [0.0], []
    limits = Limits(calls_per_minute=per_minute, megabytes_per_minute=1, calls_at_once=1, clock=lambda: now[0])
    for pause, count in bursts:
        now[0] += pause
        for _ in range(count):
            try:
                limits.take_request()
                let_in.append(now[0])
            except http_access.TooManyCalls as refusal:
                wait = refusal.retry_after
                assert wait is not None
                now[0] += wait
                limits.take_request()
                let_in.append(now[0])
    for start in let_in:
        assert sum(start <= at < start + 60 for at in let_in) <= 2 * per_minute + 1


def test_the_journal_names_the_token_of_a_call(path: Path, secret: str) -> None:
    async def ask(server: http_serving.Server, _: Any) -> None:
        async with server.client(secret) as client:
            await client.call_tool("record_fact", FACT)
            await client.call_tool("remember", {"text": "Ada is at sea.", "session_id": "token:phone/forged"})

    with_server(path, ask)
    log, why = run_ok("--db", str(path), "log"), run_ok("--db", str(path), "why", f"Ada tagged {MARKER}")
    with keepgraph.open(path) as graph:
        sessions = [call["session"] for call in graph.call("list_calls", limit=5)["calls"]]

    assert log.count("with the token laptop") == 2
    assert "with the token laptop" in why
    assert sessions[0] == "token:laptop/token:phone/forged"
    assert re.fullmatch(r"token:laptop/[0-9a-f]{8}", sessions[1])


# Several graphs in one server.


def with_graphs(folder: Path, act: Any, **options: Any) -> Any:
    """What `act` returns for a server of two graphs, in which Ada has different tags."""

    async def acted() -> Any:
        with ExitStack() as stack:
            graphs = {name: stack.enter_context(keepgraph.open(folder / f"{name}.db")) for name in ("home", "work")}
            for name, graph in graphs.items():
                graph.call("record_fact", subject=ADA, predicate="tagged", object={"literal": f"{name} only"})
            async with http_serving.serving(graphs, **options) as server:
                return await act(server)

    return anyio.run(acted)


def envelope(result: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(result.content[0].text)
    return answer


def test_each_call_says_which_graph_it_means_and_is_answered_from_no_other(tmp_path: Path, secret: str) -> None:
    async def ask(server: http_serving.Server) -> dict[str, Any]:
        async with server.client(secret) as client:
            listed = (await client.list_tools()).tools
            recall, question = "recall_entity", {"name_or_alias": "Ada"}
            return {
                "instructions": client.instructions,
                "listed": {tool.name: tool.input_schema for tool in listed},
                "work": envelope(await client.call_tool(recall, {**question, "graph": "work"})),
                "all": envelope(await client.call_tool(recall, {**question, "graph": "all"})),
                "found": envelope(await client.call_tool("search", {"query": "Ada", "graph": "all"})),
                "none": envelope(await client.call_tool(recall, question)),
                "unknown": envelope(await client.call_tool(recall, {**question, "graph": "play"})),
                "odd": envelope(await client.call_tool(recall, {**question, "graph": ["work"]})),
                "write to all": envelope(await client.call_tool("record_fact", {**FACT, "graph": "all"})),
                "wrong": envelope(await client.call_tool(recall, {"name_or_alias": "", "graph": "all"})),
                "overview": (await client.read_resource("keepgraph://entity/Ada?graph=work")).contents[0].text,
                "uris": [str(found.uri) for found in (await client.list_resources()).resources],
            }

    found = with_graphs(tmp_path, ask)

    assert "“home”, “work”" in found["instructions"]
    for name, schema in found["listed"].items():
        assert "graph" in schema["required"]
        assert schema["properties"]["graph"]["enum"] == (
            ["home", "work", "all"] if name in ("search", "recall_entity") else ["home", "work"]
        )
    assert found["work"]["graph"] == "work"
    for text in (json.dumps(found["work"]), found["overview"]):
        assert "work only" in text
        assert "home only" not in text
    for each in ("all", "found"):
        answers = found[each]["graphs"]
        assert [answer["graph"] for answer in answers] == ["home", "work"]
        for answer in answers:
            other = {"home": "work only", "work": "home only"}[answer["graph"]]
            assert f"{answer['graph']} only" in json.dumps(answer)
            assert other not in json.dumps(answer)
    assert [found[each]["error"] for each in ("none", "unknown", "odd", "write to all", "wrong")] == [
        *("INVALID_ARGUMENTS", "GRAPH_NOT_ALLOWED", "GRAPH_NOT_ALLOWED", "GRAPH_NOT_ALLOWED"),
        "NAME_OR_ALIAS_REQUIRED",
    ]
    assert "home, work, or all" in found["none"]["hint"]
    assert "keepgraph://overview?graph=work" in found["uris"]


def test_a_token_of_one_profile_sees_no_other(tmp_path: Path, secret: str) -> None:
    only, nothing = add("only", profiles=("work",), read_only=True), add("nothing", profiles=("play",))

    async def ask(server: http_serving.Server) -> Any:
        async with httpx2.AsyncClient() as raw:
            headers = {**JSON, "Authorization": f"Bearer {nothing}"}
            refused = await raw.post(server.url, headers=headers, content=RECORD)
        async with server.client(only) as client:
            listed = (await client.list_tools()).tools
            named = envelope(await client.call_tool("recall_entity", {"name_or_alias": "Ada", "graph": "work"}))
            other = envelope(await client.call_tool("recall_entity", {"name_or_alias": "Ada", "graph": "home"}))
            every = envelope(await client.call_tool("search", {"query": "Ada", "graph": "all"}))
            with pytest.raises(MCPError, match="record_fact is not among the tools"):
                await client.call_tool("record_fact", FACT)
            return refused, listed, named, other, every, client.instructions

    refused, listed, named, other, every, instructions = with_graphs(tmp_path, ask)

    assert (refused.status_code, code(refused)) == (403, "GRAPH_NOT_ALLOWED")
    assert "record_fact" not in [tool.name for tool in listed]
    assert "work only" in json.dumps(named)
    assert other["error"] == "GRAPH_NOT_ALLOWED"
    assert "home only" not in json.dumps([named, other, every, instructions, [tool.model_dump() for tool in listed]])


def test_a_graph_that_fails_is_told_beside_the_answers_of_the_others(
    tmp_path: Path, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = dispatch.call

    def failing(database: Any, name: str, *rest: Any, **more: Any) -> Any:
        if name == "search" and database.path.stem == "home":
            raise errors.GraphBusy("busy")
        return real(database, name, *rest, **more)

    monkeypatch.setattr(dispatch, "call", failing)

    async def ask(server: http_serving.Server) -> Any:
        async with server.client(secret) as client:
            return await client.call_tool("search", {"query": "Ada", "graph": "all"})

    home, work = with_graphs(tmp_path, ask).structured_content["graphs"]

    assert (home["graph"], home["error"]) == ("home", "GRAPH_BUSY")
    assert "work only" in json.dumps(work)


def test_counters_name_nobody(path: Path, secret: str) -> None:
    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> str:
        async with server.client(secret) as asker:
            await asker.call_tool("record_fact", FACT)
        await client.post(server.url, headers=JSON, content=RECORD)
        return (await client.get(server.url.replace("/mcp", "/metrics"))).text

    text = with_server(path, ask, has_metrics=True)

    assert re.search(r'^keepgraph_requests_total\{status="200"\} [1-9]', text, re.MULTILINE)
    assert 'keepgraph_refusals_total{code="TOKEN_REQUIRED"} 1' in text
    assert not [name for name in ("laptop", "home", "record_fact", "Ada", MARKER) if name in text]


# OAuth.

RESOURCE = "https://graph.example.net/mcp"


@pytest.fixture
def issuer_url() -> Iterator[str]:
    """An issuer with one key, which publishes its metadata and the key on this machine."""
    published: dict[str, bytes] = {}

    class Publisher(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = published.get(self.path)
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as publisher:
        url = f"http://127.0.0.1:{publisher.server_port}/realm"
        key = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key()))
        metadata = {"issuer": url, "jwks_uri": f"{url}/keys"}
        published["/realm/.well-known/openid-configuration"] = json.dumps(metadata).encode()
        published["/realm/keys"] = json.dumps({"keys": [{**key, "kid": "1", "use": "sig", "alg": "ES256"}]}).encode()
        thread = threading.Thread(target=publisher.serve_forever, args=(0.01,))
        thread.start()
        yield url
        publisher.shutdown()
        thread.join()


KEY, OTHER_KEY = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))


def test_an_oauth_token_stands_for_the_token_of_its_subject_if_the_issuer_made_it_for_this_server(
    path: Path, home: Path, issuer_url: str
) -> None:
    add("phone", subject="ana")
    claims = {"iss": issuer_url, "aud": RESOURCE, "sub": "ana", "exp": datetime.now(UTC) + timedelta(minutes=5)}
    right = jwt.encode(claims, KEY, algorithm="ES256", headers={"kid": "1"})
    wrong = {
        "expired": {**claims, "exp": datetime.now(UTC) - timedelta(minutes=5)},
        "for another server": {**claims, "aud": "https://other.example.net/mcp"},
        "of another issuer": {**claims, "iss": "https://other.example.net"},
        "of somebody else": {**claims, "sub": "ben"},
        "without an end": {name: value for name, value in claims.items() if name != "exp"},
        "without a subject": {name: value for name, value in claims.items() if name != "sub"},
    }
    forged = {name: jwt.encode(of, KEY, algorithm="ES256", headers={"kid": "1"}) for name, of in wrong.items()}
    forged["signed by another"] = jwt.encode(claims, OTHER_KEY, algorithm="ES256", headers={"kid": "1"})
    forged["of another key"] = jwt.encode(claims, KEY, algorithm="ES256", headers={"kid": "2"})
    forged["not signed"] = jwt.encode(claims, None, algorithm="none", headers={"kid": "1"})
    forged["no token"] = "a.b.c"

    async def ask(server: http_serving.Server, client: httpx2.AsyncClient) -> Any:
        async with server.client(right) as asker:
            await asker.call_tool("record_fact", FACT)
        answers = {}
        for name, token in forged.items():
            headers = {**JSON, "Authorization": f"Bearer {token}"}
            answers[name] = await client.post(server.url, headers=headers, content=RECORD)
        [where] = {
            re.findall(r'resource_metadata="(.+?)"', found.headers["WWW-Authenticate"])[0] for found in answers.values()
        }
        metadata = await client.get(server.url.removesuffix("/mcp") + where.removeprefix("https://graph.example.net"))
        return {name: code(answer) for name, answer in answers.items()}, metadata.json()

    found, metadata = with_server(
        path, ask, public_url="https://graph.example.net", issuer=Issuer(issuer_url, resource=RESOURCE)
    )

    assert found == dict.fromkeys(forged, "TOKEN_REQUIRED")
    assert (metadata["resource"], metadata["authorization_servers"]) == (RESOURCE, [issuer_url])
    assert count_calls(path) == 1
    assert "with the token phone" in run_ok("--db", str(path), "log")


@pytest.mark.slow
def test_a_profile_that_is_offline_is_not_served_to_the_tokens_of_an_issuer(home: Path, issuer_url: str) -> None:
    """Its keys could not be read, and every token would be refused; with `offline = false` they are."""
    run_ok("profile", "create", "work")
    add("phone", subject="ana")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    serve_it = ["--profile", "work", "serve", "--http", "--port", str(port)]
    serve_it += ["--public-url", "https://graph.example.net", "--issuer", issuer_url]
    refused = run(*serve_it)
    settings_file.path(profile.path("work")).write_text("offline = false\n")
    claims = {"iss": issuer_url, "aud": RESOURCE, "sub": "ana", "exp": datetime.now(UTC) + timedelta(minutes=5)}
    headers = {
        **JSON,
        "Host": "graph.example.net",
        "Authorization": f"Bearer {jwt.encode(claims, KEY, algorithm='ES256', headers={'kid': '1'})}",
    }
    command = [sys.executable, "-m", "keepgraph.cli", *serve_it]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ})
    assert child.stderr is not None
    try:
        child.stderr.readline()
        answer = httpx2.post(f"http://127.0.0.1:{port}/mcp", headers=headers, content=OPEN)
    finally:
        child.kill()
        child.communicate(timeout=60)

    assert error_code(refused) == "INVALID_ARGUMENTS"
    assert answer.status_code == 200


# Commands.


def test_a_token_is_shown_once_and_kept_as_a_hash_that_only_its_owner_reads(home: Path) -> None:
    made = run_ok("token", "add", "phone", "--read-only", "--until", "2099-06-30")
    [secret] = re.findall(r"kg_[\w-]{43}", made)
    [file] = (profile.config_folder() / "tokens").iterdir()
    listed = run_ok("token", "list") + run_ok("--json", "token", "list") + file.read_text()

    assert secret not in listed
    assert "phone  since" in listed
    assert "read-only, until 2099-06-30" in listed
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert tokens.Tokens().find(secret).read_only
    assert "removed" in run_ok("token", "remove", "phone")
    assert "There is no token" in run_ok("token", "list")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["add", "phone"], "INVALID_ARGUMENTS"),
        (["add", "../phone"], "INVALID_ARGUMENTS"),
        (["add", ""], "INVALID_ARGUMENTS"),
        (["add", "a", "--profile", "nobody"], "PROFILE_NOT_FOUND"),
        (["add", "a", "--until", "2001-01-01"], "INVALID_ARGUMENTS"),
        (["add", "a", "--until", "whenever"], "MOMENT_INVALID"),
        (["add", "a", "--subject", " "], "INVALID_ARGUMENTS"),
        (["remove", "a"], "INVALID_ARGUMENTS"),
        (["remove", "../phone"], "INVALID_ARGUMENTS"),
    ],
)
def test_a_token_that_cannot_be_is_refused_and_the_others_stay(home: Path, words: list[str], expected: str) -> None:
    add("phone")

    assert error_code(run("token", *words)) == expected
    assert [token.name for token in tokens.read_all()[0]] == ["phone"]


def test_a_subject_has_one_token(home: Path) -> None:
    add("phone", subject="ana", read_only=True)

    assert error_code(run("token", "add", "tablet", "--subject", "ana")) == "INVALID_ARGUMENTS"
    assert tokens.Tokens().of_subject("ana").name == "phone"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "\x00", '{"name": "bad", "profiles": [], "created": "", "digest": ""}', '{"name": "phone"}'],
)
def test_a_file_that_holds_no_token_lets_nobody_in_and_is_told(home: Path, text: str) -> None:
    secret = add("phone")
    (profile.config_folder() / "tokens" / "bad.json").write_text(text)
    known = tokens.Tokens()

    assert known.find(secret).name == "phone"
    assert known.find("") is None
    assert [token.name for token in known.all()] == ["phone"]
    assert "bad.json is not a token" in run("token", "list").stderr


def test_a_token_expires_with_the_end_of_its_last_day(home: Path) -> None:
    token, _ = tokens.add("phone", now=http_serving.NOW, until="2026-11-03T00:00:00.000Z")
    midnight = datetime(2026, 11, 3, tzinfo=UTC)

    assert not token.is_expired(midnight - timedelta(seconds=1))
    assert token.is_expired(midnight)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "graph.example.net", "127.evil.example"])
def test_a_server_for_other_machines_does_not_start_without_a_token(home: Path, host: str) -> None:
    result = run("serve", "--http", "--host", host, "--port", "0")

    assert error_code(result) == "TOKEN_REQUIRED"


def test_a_server_for_every_address_must_know_its_name(home: Path) -> None:
    add("phone")

    assert error_code(run("serve", "--http", "--host", "0.0.0.0", "--port", "0")) == "INVALID_ARGUMENTS"


@pytest.mark.parametrize(
    "words",
    [
        ["--public-url", "https://graph.example.net"],
        ["--port", "8766"],
        ["--http", "--port", "0", "--profile", "all", "--profile", "work"],
        ["--http", "--public-url", "graph.example.net"],
        ["--http", "--public-url", "https://graph.example.net/deep"],
        ["--http", "--public-url", "https://[bad"],
        ["--http", "--public-url", "https://me:secret@graph.example.net"],
        ["--http", "--issuer", "https://login.example.net"],
        ["--http", "--port", "70000"],
        ["--http", "--host", ""],
        ["--http", "--profile", "a", "--profile", "b", "--output-schemas", "full"],
    ],
)
def test_options_that_do_not_go_together_are_refused(home: Path, words: list[str]) -> None:
    assert run("serve", *words).exit_code == 2


@pytest.mark.parametrize(
    ("host", "public_url", "accepted", "refused"),
    [
        ("127.0.0.1", None, ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"], ["localhost", "evil:8765"]),
        ("::1", None, ["[::1]:8765", "localhost:8765"], ["::1:8765"]),
        ("127.0.0.2", None, ["127.0.0.2:8765", "localhost:8765"], ["127.0.0.3:8765"]),
        ("127.evil.example", None, ["127.evil.example:8765"], ["127.0.0.1:8765", "localhost:8765"]),
        ("192.0.2.1", None, ["192.0.2.1:8765"], ["127.0.0.1:8765", "192.0.2.1"]),
        (
            "127.0.0.1",
            "https://Graph.example.net",
            ["graph.example.net", "127.0.0.1:8765"],
            ["graph.example.net:8765", "example.net", "a.graph.example.net"],
        ),
    ],
)
def test_the_server_answers_to_its_own_names_alone(
    host: str, public_url: str | None, accepted: list[str], refused: list[str]
) -> None:
    hosts = http.Address(host, 8765, public_url).hosts

    assert [name for name in accepted if name not in hosts] == []
    assert [name for name in refused if name in hosts] == []


@pytest.mark.parametrize("token", ["kg_schlüssel", "kg secret", "kg_\x07"])
def test_a_token_that_no_header_can_hold_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("KG_TOKEN", token)
    done = run("install", "gemini", "--anyway", "--url", "http://127.0.0.1:8765/mcp")

    assert error_code(done) == "INVALID_ARGUMENTS"
    assert token not in done.output


@pytest.mark.parametrize("token", [" ", "http", "kg_secret"])
@pytest.mark.parametrize("client", ["gemini", "codex"])
def test_an_entry_is_shown_without_its_token_whatever_that_is(
    home: Path, monkeypatch: pytest.MonkeyPatch, client: str, token: str
) -> None:
    monkeypatch.delenv("KG_TOKEN", raising=False)
    monkeypatch.setattr(graph_options, "passphrase_prompt", lambda ctx: lambda question: token)
    url = "http://127.0.0.1:8765/mcp"
    report = json.loads(run_ok("--json", "install", client, "--anyway", "--url", url, "--dry-run"))

    assert report["entry"] == clients.url_entry(clients.CLIENTS[client], url, "…")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_server_of_an_encrypted_and_a_plain_profile_starts_without_a_token_and_ends_in_order(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It says how to make one and refuses every call; with the token made then, it answers from both, and a client can be
    configured. The key stays there.
    """
    for words in (["secret", "--encrypted"], ["plain"]):
        run_ok("profile", "create", *words)
    command = [sys.executable, "-m", "keepgraph.cli", "serve", "--http", "--port", "0"]
    child = subprocess.Popen(
        [*command, "--profile", "secret", "--profile", "plain"], stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert child.stderr is not None
    said = [child.stderr.readline(), child.stderr.readline()]
    server = http_serving.Server(None, int(re.findall(r":(\d+)/mcp", said[0])[0]))

    async def ask() -> list[Any]:
        async with httpx2.AsyncClient() as client:
            refused = await client.post(server.url, headers=JSON, content=RECORD)
        async with server.client(secret) as asker:
            for name in ("secret", "plain"):
                await asker.call_tool("record_fact", {**FACT, "graph": name})
            answer = await asker.call_tool("recall_entity", {"name_or_alias": "Ada", "graph": "all"})
        return [code(refused), [bool(each["facts"]) for each in envelope(answer)["graphs"]]]

    secret = add("phone")
    install = ["install", "gemini", "--anyway", "--url", server.url]
    [configuration] = clients.CLIENTS["gemini"].locations(clients.this_machine())
    configuration.file.parent.mkdir(parents=True)
    configuration.file.write_text("{}")
    configuration.file.chmod(0o644)
    try:
        found = anyio.run(ask)
        monkeypatch.setenv("KG_TOKEN", secret)
        installed = run_ok("--json", *install)
        monkeypatch.setenv("KG_TOKEN", "kg_wrong")
        replacing = run_ok(*install, "--dry-run")
        not_installed = [error_code(run(*install)), error_code(run("install", "claude-desktop", "--url", server.url))]
    finally:
        child.send_signal(signal.SIGTERM)
        _, rest = child.communicate(timeout=60)

    assert "kg token add" in said[1]
    assert found == ["TOKEN_REQUIRED", [True, True]]
    assert {file.stat().st_mode & 0o777 for file in configuration.folder.iterdir()} == {0o600}
    [entry] = json.loads(configuration.file.read_text())["mcpServers"].values()
    assert entry == {"httpUrl": server.url, "headers": {"Authorization": f"Bearer {secret}"}}
    assert json.loads(installed)["server"]["tools"] == len(catalogue.tools(catalogue.DEFAULT_TOOLSETS))
    assert secret not in installed
    assert "Bearer …" in replacing
    assert secret not in replacing
    assert not_installed == ["HANDSHAKE_FAILED", "INVALID_ARGUMENTS"]
    assert (child.returncode, rest) == (serve.TERMINATED, "")
    assert MARKER.encode() not in profile.path("secret").read_bytes()
    assert run_ok("--profile", "secret", "log").count("with the token phone") == 1
