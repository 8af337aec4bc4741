"""The local server of the page answers its own page and nobody else, and ends by itself."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import keepgraph
from homes import run, run_ok
from keepgraph.engine import vector_backfill
from keepgraph.model import KeyLocation
from keepgraph.tools.contract import catalogue
from keepgraph.web import page_file, server
from keepgraph.web.server import PageServer
from words import dump, person

SEARCH = {"tool": "search", "arguments": {"query": "Ada"}}
RECORD = {
    "tool": "record_fact",
    "arguments": {"subject": person("Ada"), "predicate": "tagged", "object": {"literal": "new"}},
}


class Seconds:
    """A monotonic clock to set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Browser:
    """Speaks HTTP to a server, word by word."""

    def __init__(self, page_server: PageServer) -> None:
        self.server = page_server

    def headers(self, **changes: str | None) -> dict[str, str]:
        """Those that our page sends, with changes; None leaves one out."""
        usual: dict[str, str | None] = {
            "Host": self.server.host,
            "Origin": f"http://{self.server.host}",
            "Authorization": f"Bearer {self.server.token}",
            "Content-Type": "application/json",
        }
        given = {name.replace("_", "-"): value for name, value in changes.items()}
        return {name: value for name, value in {**usual, **given}.items() if value is not None}

    def send(self, head: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        lines = [f"{head} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "Connection: close"]
        request = "\r\n".join([*lines, "", ""]).encode("utf-8") + body
        with socket.create_connection(("127.0.0.1", self.server.server_address[1]), timeout=20) as connection:
            connection.sendall(request)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head_of_answer, _, content = answer.partition(b"\r\n\r\n")
        status, *pairs = head_of_answer.decode("latin-1").split("\r\n")
        named = dict(pair.split(": ", 1) for pair in pairs)
        return int(status.split()[1]), named, content

    def post(self, call: Any, **changes: str | None) -> tuple[int, dict[str, Any]]:
        body = call if isinstance(call, bytes) else json.dumps(call).encode()
        headers = self.headers(**{"Content_Length": str(len(body)), **changes})
        status, _, content = self.send("POST /call", headers, body)
        return status, json.loads(content)


@pytest.fixture(autouse=True)
def quick_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The servers of tests look often whether they are to end."""
    monkeypatch.setattr(server, "_TICK_SECONDS", 0.02)


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def page_server(graph: keepgraph.Graph, seconds: Seconds) -> Iterator[PageServer]:
    with running(PageServer(graph, clock=seconds)) as started:
        yield started


@pytest.fixture
def browser(page_server: PageServer) -> Browser:
    return Browser(page_server)


@contextmanager
def running(page_server: PageServer) -> Iterator[PageServer]:
    """A server that serves in another thread."""
    over = threading.Event()
    thread = threading.Thread(target=page_server.serve_until, args=[over.is_set])
    thread.start()
    try:
        yield page_server
    finally:
        over.set()
        thread.join()
        page_server.server_close()


# What it is for


def test_the_page_is_served_with_a_policy_that_allows_its_own_script_and_style_alone(browser):
    status, headers, body = browser.send("GET /", {"Host": browser.server.host})
    policy = headers["Content-Security-Policy"]
    hashes = {
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in re.findall(
            r"<(?:style|script(?: type=\"module\")?)>(.*?)</(?:style|script)>", body.decode(), re.DOTALL
        )
    }

    assert (status, body.decode()) == (200, page_file.read())
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert set(re.findall(r"'sha256-(.+?)'", policy)) == hashes
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_call_of_the_page_reads_writes_and_is_taken_back(browser, path):
    before = dump(path)["fact"]
    status, recorded = browser.post(RECORD)
    browser.post({"tool": "undo", "arguments": {"call": recorded["answer"]["call"]}})

    assert (status, recorded["ok"]) == (200, True)
    assert dump(path)["fact"] == before


def test_an_error_of_a_tool_comes_with_its_hint(browser):
    status, answer = browser.post({"tool": "end_fact", "arguments": {"fact_id": "fact_nothing"}})

    assert (status, answer["ok"]) == (200, False)
    assert answer["error"]["error"] == "FACT_NOT_FOUND"


def test_what_is_unforeseen_is_an_answer_too(browser, monkeypatch, caplog):
    monkeypatch.setattr(keepgraph.Graph, "call_until", lambda *_, **__: 1 / 0)
    status, answer = browser.post(SEARCH)

    assert (status, answer["error"]["error"]) == (200, "INTERNAL_ERROR")
    assert "ZeroDivisionError" in caplog.text


def test_a_server_for_reading_says_so_and_changes_nothing(call, open_graph, path, seconds):
    call.record(person("Ada"), "tagged", {"literal": "old"})
    call.graph.close()
    before = dump(path)
    with running(PageServer(open_graph(read_only=True), clock=seconds)) as reading:
        browser = Browser(reading)
        found, refused = browser.post(SEARCH)[1], browser.post(RECORD)[1]

    assert (found["ok"], found["read_only"]) == (True, True)
    assert (refused["ok"], refused["error"]["error"]) == (False, "GRAPH_READ_ONLY")
    assert dump(path) == before


def test_what_the_page_may_call_deletes_not_everything_and_reads_no_file():
    toolsets = {tool.name: tool.toolset for tool in [*catalogue.tools(), *catalogue.tools(catalogue.INTERNAL_TOOLSETS)]}
    known = {name: toolsets[name] for name in server.ALL if name in toolsets}
    effects = {name: catalogue.find(name).effect for name in known}
    reading = {name for name, effect in effects.items() if effect is catalogue.Effect.READ}

    assert server.ALL & {"clear_graph", "ingest_directory", "ingest_markdown", "ingest_prechunked"} == set()
    assert reading == set(server.READING) & set(known)
    assert not set(server.READING) & set(server.WRITING)


def test_every_tool_that_the_source_of_the_page_names_may_be_called():
    source = Path(__file__).parents[2] / "ui" / "src"
    if not source.is_dir():
        pytest.skip("there is no source of the page beside these tests")
    named = {
        name
        for file in source.rglob("*.ts*")
        for name in re.findall(r"\bcall\(\s*\"([a-z_]+)\"", file.read_text(encoding="utf-8"))
    }

    assert len(named) > 10
    assert named - server.ALL == set()


# Twelve attacks


@pytest.mark.parametrize(
    "host",
    ["evil.example:PORT", "localhost:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:PORT, evil.example", "", None],
)
def test_another_host_is_refused_before_anything_else(browser, path, host):
    """
    A name that an attacker's name server lets mean this machine (DNS rebinding).
    """
    named = host and host.replace("PORT", str(browser.server.server_address[1]))
    before = dump(path)
    head = browser.headers(Host=named, Content_Length="3")

    assert browser.send("GET /", head)[0] == 403
    assert browser.send("POST /call", head, b"{}}")[0] == 403
    assert browser.send("POST /elsewhere", {"Host": "evil.example"})[0] == 403
    assert dump(path) == before


def test_two_hosts_are_refused(browser):
    doubled = {"Host": browser.server.host, "host": "evil.example"}

    assert browser.send("GET /", doubled)[0] == 403


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer x", "Basic TOKEN", "TOKEN", "Bearer TOKENx"])
def test_without_the_token_nothing_is_called(browser, path, authorization):
    given = authorization and authorization.replace("TOKEN", browser.server.token)
    before = dump(path)
    status, answer = browser.post(RECORD, Authorization=given)

    assert (status, answer["ok"]) == (401, False)
    assert browser.server.token not in json.dumps(answer)
    assert dump(path) == before


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:PORT", "http://localhost:PORT", None]
)
def test_a_call_of_another_origin_is_refused_with_the_token_too(browser, path, origin):
    given = origin and origin.replace("PORT", str(browser.server.server_address[1]))
    before = dump(path)

    assert browser.post(RECORD, Origin=given)[0] == 403
    assert browser.post(RECORD, Sec_Fetch_Site="cross-site")[0] == 403
    assert dump(path) == before


def test_no_answer_allows_another_origin_to_read_it(browser):
    preflight = browser.headers(Origin="http://evil.example", Access_Control_Request_Method="POST")
    answers = [browser.send("OPTIONS /call", preflight), browser.send("GET /", browser.headers())]

    assert [status for status, _, _ in answers] == [404, 200]
    assert [name for _, headers, _ in answers for name in headers if name.lower().startswith("access-control")] == []
    assert [name for _, headers, _ in answers for name in headers if name.lower() == "set-cookie"] == []


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", None]
)
def test_a_form_cannot_call(browser, path, kind):
    before = dump(path)

    assert browser.post(RECORD, Content_Type=kind)[0] == 415
    assert dump(path) == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_only_post_calls(browser, path, method):
    before = dump(path)
    body = json.dumps(RECORD).encode()
    query = "/call?tool=forget&arguments=%7B%7D"

    assert browser.send(f"{method} /call", browser.headers(Content_Length=str(len(body))), body)[0] == 404
    assert browser.send(f"{method} {query}", browser.headers())[0] == 404
    assert dump(path) == before


HOSTILE = "</script><script>alert(1)</script><!--\u2028\u2029]]>"


def test_a_script_as_a_name_is_a_text_in_json(browser, call):
    call.record(person("<script>alert(1)</script>"), "tagged", {"literal": HOSTILE})
    answer = browser.send("POST /call", *body_of({"tool": "search", "arguments": {"query": "script"}}, browser))

    assert answer[1]["Content-Type"].startswith("application/json")
    assert answer[1]["X-Content-Type-Options"] == "nosniff"
    assert json.loads(answer[2])["ok"]


def body_of(call: Any, browser: Browser) -> tuple[dict[str, str], bytes]:
    body = json.dumps(call).encode()
    return browser.headers(Content_Length=str(len(body))), body


def test_the_end_of_a_script_in_a_text_ends_nothing_in_a_file():
    page = page_file.with_graph({"texts": [HOSTILE], "names": ["\ud800"]})
    bare = page_file.read()
    start = bare.index(page_file.PLACE_OF_GRAPH)
    inserted = page[start : len(page) - (len(bare) - start - len(page_file.PLACE_OF_GRAPH))]
    escaped = page_file.escaped_json(HOSTILE)

    assert re.fullmatch(r'<script type="application/json" id="graph">\{"deflate":"[\w+/=]+"\}</script>', inserted)
    assert json.loads(escaped) == HOSTILE
    assert not set("<>&\u2028\u2029") & set(escaped)


@pytest.mark.parametrize(
    ("length", "status"),
    [("2000000", 413), ("1000001", 413), (None, 411), ("-1", 411), ("1e3", 411), ("٣", 411), ("", 411)],
)
def test_a_call_that_is_too_long_or_of_no_length_is_refused(browser, path, length, status):
    before = dump(path)
    body = b"x" * int(length) if status == 413 and len(length) < 10 else b""

    assert browser.send("POST /call", browser.headers(Content_Length=length), body)[0] == status
    assert browser.post(RECORD, Transfer_Encoding="chunked")[0] == 411
    assert dump(path) == before


def test_the_page_may_not_be_framed(browser):
    _, headers, _ = browser.send("GET /", browser.headers())

    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_the_token_of_an_earlier_start_is_of_no_use(graph, browser, seconds):
    old = browser.server.token
    with running(PageServer(graph, clock=seconds)) as restarted:
        status, answer = Browser(restarted).post(RECORD, Authorization=f"Bearer {old}")

    assert status == 401
    assert "kg ui" in answer["error"]["hint"]
    assert len(base64.urlsafe_b64decode(f"{old}=")) == 32
    assert restarted.token != old


def test_another_user_of_this_machine_gets_the_token_nowhere(browser):
    """
    Not in the page, nor in the file that opens it, which is for its owner alone; and gone with the server.
    """
    address = browser.server.address_with_token
    with page_file.file_to(address) as file:
        modes = [stat.S_IMODE(place.stat().st_mode) for place in (file, file.parent)]
        content = file.read_text()

    assert modes == [0o600, 0o700]
    assert address in content
    assert not file.parent.exists()
    assert browser.server.token not in browser.send("GET /", browser.headers())[2].decode()
    assert browser.server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "place",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/view.html",
        "//etc/passwd",
        "/%00",
        "http://evil.example/",
        "*",
        "/?",
    ],
)
def test_there_is_nothing_but_the_page(browser, place):
    status, headers, body = browser.send(f"GET {place}", browser.headers())

    assert status == 404
    assert headers["Content-Type"].startswith("application/json")
    assert b"root:" not in body


# Odd calls


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b'"search"',
        b"null",
        b'{"tool": 1}',
        b'{"tool": "search", "arguments": []}',
        b'{"tool": "search", "arguments": null}',
        b'{"tool": "search", "more": 1}',
        b'{"tool": "search", "arguments": {"limit": NaN}}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_no_call_is_refused(browser, body):
    status, answer = browser.post(body)

    assert (status, answer["ok"]) == (400, False)
    assert answer["error"]["message"]


@pytest.mark.parametrize("tool", ["clear_graph", "ingest_directory", "nothing", "", "Search", "x" * 1000])
def test_a_tool_that_the_page_may_not_call_is_refused(browser, path, tool):
    before = dump(path)
    status, answer = browser.post({"tool": tool, "arguments": {}})

    assert (status, answer["ok"]) == (200, False)
    assert answer["error"]["error"] == "UNKNOWN_TOOL"
    assert dump(path) == before


def test_a_request_that_is_no_http_harms_nobody(browser):
    for rubbish in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", browser.server.server_address[1]), timeout=20) as connection:
            connection.sendall(rubbish)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda connection=connection: connection.recv(65536), b""))
        assert b"200 OK" not in answer

    assert browser.post(SEARCH)[0] == 200


# Its end


def test_it_ends_when_nobody_has_called_for_half_an_hour(graph, seconds):
    page_server = PageServer(graph, clock=seconds)
    with page_server:
        assert not page_server.is_idle()
        seconds.now = server.IDLE_SECONDS - 1
        assert not page_server.is_idle()
        page_server.call(json.dumps(SEARCH).encode())
        seconds.now += server.IDLE_SECONDS - 1
        assert not page_server.is_idle()
        seconds.now += 1
        page_server.serve_until(lambda: False)


def test_a_refused_call_does_not_keep_it_alive(browser, seconds):
    seconds.now = server.IDLE_SECONDS - 1
    browser.post(SEARCH, Authorization="Bearer guess")
    browser.send("GET /", browser.headers())
    seconds.now += 1

    assert browser.server.is_idle()


def test_a_key_that_goes_out_of_reach_ends_it(ring, seconds, tmp_path):
    """
    A keyring that is locked, and a key file that is taken away. It is looked at once a minute.
    """
    file = tmp_path / "graph.key"
    file.write_text("x")
    ring.set_password("keepgraph", "work", "a" * 64)
    locations = [KeyLocation("file", file=str(file)), KeyLocation("keyring", account="work")]
    checks = [page_file.KeyCheck(tmp_path / "graph.db", location, clock=seconds) for location in locations]
    seconds.now += page_file.SECONDS_BETWEEN_CHECKS
    before = [check.is_lost() for check in checks]
    file.unlink()
    ring.locked = True
    at_once = [check.is_lost() for check in checks]
    seconds.now += page_file.SECONDS_BETWEEN_CHECKS

    assert (before, at_once) == ([False, False], [False, False])
    assert [check.is_lost() for check in checks] == [True, True]


def test_where_a_program_gave_the_key_nobody_looks_for_it(home, seconds, tmp_path):
    for location in (None, KeyLocation("file", file=str(tmp_path / "none.key"))):
        check = page_file.KeyCheck(tmp_path / "graph.db", location, clock=seconds)
        seconds.now += page_file.SECONDS_BETWEEN_CHECKS

        assert not check.is_lost()


def test_a_head_that_comes_byte_by_byte_is_dropped(graph, seconds):
    with (
        running(PageServer(graph, clock=seconds)) as page_server,
        socket.create_connection(("127.0.0.1", page_server.server_address[1]), timeout=20) as connection,
        suppress(ConnectionError),
    ):
        request = f"GET / HTTP/1.1\r\nHost: {page_server.host}\r\nX-Slow: ".encode()
        connection.sendall(request)
        while not page_server._heads_since:
            pass
        seconds.now += 11
        answer = connection.recv(65536)

        assert b"</html>" not in answer
        assert Browser(page_server).send("GET /", {"Host": page_server.host})[0] == 200


def test_a_connection_that_is_still_open_gets_no_answer_after_the_end(graph, seconds):
    with running(PageServer(graph, clock=seconds)) as page_server:
        connection = socket.create_connection(("127.0.0.1", page_server.server_address[1]), timeout=20)
        request = f"GET / HTTP/1.1\r\nHost: {page_server.host}\r\n\r\n".encode()
        connection.sendall(request)
        head = connection.recv(65536)
        while b"</html>" not in head[-40:]:
            head = connection.recv(65536)
    with connection, suppress(ConnectionError):
        connection.sendall(request)
        after = connection.recv(65536)

        assert after == b""


# The command


def test_it_starts_in_a_network_without_interfaces(path, call):
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("this machine cannot take the network away from a process")
    command = ["unshare", "-rn", sys.executable, "-m", "keepgraph.cli", "--db", str(path), "ui", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        process.send_signal(2)
        rest, _ = process.communicate(timeout=60)

    assert re.fullmatch(r"Open http://127\.0\.0\.1:\d+/#t=[\w-]{43}\n", first)
    assert (process.returncode, rest) == (0, "Ended.\n")


def test_when_it_is_terminated_the_file_with_the_token_goes_with_it(path, call, tmp_path):
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "-m", "keepgraph.cli", "--db", str(path), "ui", "--no-open"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        process.stdout.readline()
        during = list((tmp_path / "temporary").glob("keepgraph-*/open.html"))
        process.terminate()
        process.communicate(timeout=60)

    assert (len(during), process.returncode) == (1, 0)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.fixture
def ends_at_once(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    """Lets `kg ui` end as soon as it serves; gives what the browser was asked to open."""

    def arrange(opens: bool) -> list[str]:
        opened: list[str] = []
        monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or opens)
        monkeypatch.setattr(PageServer, "serve_until", lambda self, is_over: None)
        monkeypatch.setattr(PageServer, "is_idle", lambda self: True)
        return opened

    return arrange


def test_the_browser_gets_a_file_and_the_terminal_no_token(path, ends_at_once):
    opened = ends_at_once(True)
    result = run("--db", str(path), "ui")

    assert result.exit_code == 0
    assert re.fullmatch(r"file:///.+/open\.html", opened[0])
    assert "#t=" not in result.output
    assert "half an hour" in result.stdout


@pytest.mark.parametrize(("words", "opens"), [(["--no-open"], True), ([], False)])
def test_where_no_browser_opens_the_address_with_the_token_is_printed(path, ends_at_once, words, opens):
    ends_at_once(opens)
    result = run("--db", str(path), "ui", *words)

    assert re.search(r"^Open http://127\.0\.0\.1:\d+/#t=[\w-]{43}$", result.stdout, re.MULTILINE)


def test_an_encrypted_profile_is_served(home, monkeypatch):
    run_ok("profile", "create", "work", "--encrypted")
    run_ok("--profile", "work", "record", "person:Ana", "belongs_to", "project:Atlas")
    answers = []
    monkeypatch.setattr(
        PageServer,
        "serve_until",
        lambda self, is_over: answers.append((is_over(), self.call(json.dumps(SEARCH).encode()))),
    )
    result = run("--profile", "work", "ui", "--no-open")

    assert result.exit_code == 0
    assert [(is_over, answer["ok"]) for is_over, answer in answers] == [(False, True)]


@pytest.mark.parametrize(("words", "missing"), [([], False), (["--read-only"], True)], ids=["live", "read only"])
def test_vectors_and_mentions_are_made_beside_the_page(path, call, monkeypatch, words, missing):
    """
    So that no search waits for those of a folder of notes that was just taken in; for reading alone nothing is written.
    """
    call("remember", text="The licence for Atlas is on its way.")
    missing_vectors = []

    def serve(self: PageServer, is_over: object) -> None:
        until = time.monotonic() + 20.0
        while (number := vector_backfill.count_due(self.graph.database)) and not missing and time.monotonic() < until:
            threading.Event().wait(0.05)
        missing_vectors.append(bool(number))

    monkeypatch.setattr("keepgraph.background._PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(PageServer, "serve_until", serve)
    result = run("--db", str(path), "ui", "--no-open", *words)

    assert result.exit_code == 0
    assert missing_vectors == [missing]


@pytest.mark.parametrize("word", ["graph", "open", "map"])
def test_who_asks_for_a_page_otherwise_is_told_the_command(word):
    assert "kg ui" in run(word).output


def test_a_port_that_is_taken_is_refused_with_advice(path, page_server):
    result = run("--db", str(path), "ui", "--port", str(page_server.server_address[1]))

    assert result.exit_code == 1
    assert "--port" in result.stderr


def test_for_reading_alone_no_graph_is_made(tmp_path):
    result = run("--db", str(tmp_path / "none.db"), "ui", "--read-only")

    assert result.exit_code == 1
    assert list(tmp_path.glob("none.db*")) == []


def test_the_page_that_is_shipped_is_the_one_that_was_built():
    """
    Its checksum is beside its source; the wheel has the page alone.
    """
    checksum = Path(__file__).parents[2] / "ui" / "view.sha256"
    if not checksum.exists():
        pytest.skip("there is no source of the page beside these tests")
    digest = hashlib.sha256(page_file.read().encode("utf-8")).hexdigest()

    assert checksum.read_text().split()[0] == digest
    assert len(page_file.read().encode()) <= 400_000
    assert not re.search(r"\beval\(|new Function\(|<link rel=\"stylesheet|src=\"http", page_file.read())


def test_the_page_draws_itself_in_a_real_browser(page_server):
    """
    Where there is one. `make test-browser` tries all of it.
    """
    from browser import chromium

    program = chromium.find()
    if program is None:
        pytest.skip("this machine has no Chromium: the page was not tried in a browser")
    with chromium.Chromium(program) as browser, browser.page(page_server.address_with_token) as page:
        page.wait_for("!!document.querySelector('nav [aria-current=page]')")

        assert page.problems == []
        assert [address for address in page.requests if not address.startswith((page_server.address, "data:"))] == []
