"""The page as an MCP App in a real browser: the handshake, and what it shows, in a host with a sandbox and a policy."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import pytest

from browser import app_host
from browser.app_host import heard, wait_until_heard
from keepgraph.web import page_file

pytestmark = pytest.mark.browser

SAME_ORIGIN = "allow-scripts allow-same-origin"
OPAQUE = "allow-scripts"
ARGUMENTS = {"about": "Atlas", "depth": 1}
INITIALIZED = {
    "result": {
        "protocolVersion": "2026-01-26",
        "hostInfo": {"name": "host", "version": "1"},
        "hostCapabilities": {},
        "hostContext": {"theme": "dark", "displayMode": "inline", "containerDimensions": {"width": 900}},
    }
}


def input_and(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What a host sends after the handshake: arguments of the call first, then what became of it."""
    partial = {"method": "ui/notifications/tool-input-partial", "params": {"arguments": {}}}
    return [partial, {"method": "ui/notifications/tool-input", "params": {"arguments": ARGUMENTS}}, *messages]


def result(**fields: Any) -> dict[str, Any]:
    return {"method": "ui/notifications/tool-result", "params": fields}


class Host:
    """A host that is open: its page, and the document of the app in its sandbox."""

    def __init__(self, page: Any, sandbox: Any) -> None:
        self.page = page
        self.sandbox = sandbox

    def app(self, expression: str) -> Any:
        """The value of an expression in the app, of which `doc` is the document."""
        return self.sandbox.evaluate(f"(doc => {expression})(document.querySelector('iframe').contentDocument)")

    def wait_for_app(self, condition: str) -> None:
        self.sandbox.wait_for(f"(doc => {condition})(document.querySelector('iframe')?.contentDocument)")


@pytest.fixture
def show(chromium, atlas):
    """Shows the answer of show_graph about Atlas in a host."""
    answer = atlas("show_graph", **ARGUMENTS)
    given = result(content=[{"type": "text", "text": "Atlas"}], structuredContent=answer, isError=False)
    with ExitStack() as stack:

        def open(*, then: Any = None, initialized: Any = INITIALIZED, sandbox: str = SAME_ORIGIN) -> Host:
            messages = input_and(given) if then is None else then
            resource = {"html": page_file.read(), "sandbox": sandbox}
            scenario = {"resource": resource, "initialized": initialized, "then": messages}
            address = stack.enter_context(app_host.hosting(scenario))
            page = stack.enter_context(chromium.page(address))
            wait_until_heard(page, "ui/initialize")
            return Host(page, stack.enter_context(chromium.frame(address.replace("127.0.0.1", "localhost"))))

        yield open


def test_the_handshake_is_that_of_the_specification(show):
    host = show()
    wait_until_heard(host.page, "ui/notifications/size-changed")
    methods = [message.get("method") for message in host.page.evaluate("window.heard")]
    [asked] = heard(host.page, "ui/initialize")

    assert methods[:3] == ["ui/notifications/sandbox-proxy-ready", "ui/initialize", "ui/notifications/initialized"]
    assert set(asked["params"]) == {"protocolVersion", "appInfo", "appCapabilities"}
    assert asked["params"]["protocolVersion"] == "2026-01-26"
    assert heard(host.page, "ui/notifications/initialized") == [
        {"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}
    ]


def test_the_answer_is_drawn_in_the_theme_of_the_host(show):
    host = show()
    host.wait_for_app("doc.querySelector('main h1')?.innerText === 'Atlas'")
    text = host.app("doc.querySelector('main').textContent")
    dark = host.app("doc.documentElement.dataset.theme")
    changed = {"method": "ui/notifications/host-context-changed", "params": {"theme": "light"}}
    host.page.evaluate(f"send({json.dumps(changed)})")

    host.wait_for_app("doc.documentElement.dataset.theme === 'light'")
    assert dark == "dark"
    assert "Cem Aydin" in text
    assert host.app("[...doc.querySelectorAll('main button')].some(b => /Retract|Rename/.test(b.innerText))") is False


def test_links_lead_within_the_page_and_ask_nothing_of_anybody(show):
    host = show()
    host.wait_for_app("doc.querySelector('main h1')?.innerText === 'Atlas'")
    host.app("doc.querySelector('nav a[href=\"#/tables\"]').click()")
    host.wait_for_app("!!doc.querySelector('main td.name a')")
    host.app("doc.querySelector('main td.name a').click()")
    host.wait_for_app("/^.+$/.test(doc.querySelector('main article.thing h1')?.innerText)")
    host.app("doc.querySelector('nav a[href=\"#/map\"]').click()")
    host.wait_for_app("!!doc.querySelector('main canvas')")

    assert host.app("doc.defaultView.harmed") is None
    assert [address for address in host.sandbox.requests if not address.startswith("data:")] == []
    assert host.sandbox.problems == []


def test_the_size_is_told_and_does_not_grow_for_ever(show):
    host = show()
    host.wait_for_app("!!doc.querySelector('main h1')")
    host.app("doc.querySelector('nav a[href=\"#/map\"]').click()")
    host.wait_for_app("!!doc.querySelector('main canvas')")
    host.page.wait_for("window.heard.at(-1).method === 'ui/notifications/size-changed'")
    sizes = [message["params"] for message in heard(host.page, "ui/notifications/size-changed")]

    assert all(set(size) == {"width", "height"} for size in sizes)
    assert 480 <= max(size["height"] for size in sizes) <= 800


def test_without_an_origin_the_handshake_is_the_same(show):
    """
    Some hosts give the page no origin of its own, so that it has no storage either.
    """
    host = show(sandbox=OPAQUE)
    wait_until_heard(host.page, "ui/notifications/size-changed")

    assert len(heard(host.page, "ui/notifications/initialized")) == 1


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (result(content=[{"type": "text", "text": "ENTITY_NOT_FOUND: nobody"}], isError=True), "ENTITY_NOT_FOUND"),
        (result(content=[{"type": "text", "text": "Atlas: 3 entities"}]), "Atlas: 3 entities"),
        ({"method": "ui/notifications/tool-cancelled", "params": {"reason": "by the user"}}, "by the user"),
    ],
    ids=["error", "no structured content", "cancelled"],
)
def test_what_cannot_be_drawn_is_said(show, message, says):
    host = show(then=input_and(message))

    host.wait_for_app(f"doc?.querySelector('main .failure')?.innerText.includes({json.dumps(says)})")


def test_a_host_that_refuses_is_told_of_in_the_page(show):
    host = show(initialized={"error": {"code": -32000, "message": "version not supported"}})

    host.wait_for_app("doc?.querySelector('main .failure')?.innerText.includes('version not supported')")


def test_the_teardown_is_answered_and_what_is_unknown_is_refused(show):
    host = show()
    wait_until_heard(host.page, "ui/notifications/initialized")
    for number, method in enumerate(("ping", "ui/resource-teardown", "ui/unknown"), start=71):
        host.page.evaluate(f"send({json.dumps({'id': number, 'method': method, 'params': {}})})")
    host.page.wait_for("window.heard.some(message => message.id === 73)")
    answers = {each["id"]: each for each in host.page.evaluate("window.heard") if each.get("id", 0) > 70}

    assert [answers[71]["result"], answers[72]["result"], answers[73]["error"]["code"]] == [{}, {}, -32601]


def test_a_message_that_does_not_come_from_the_host_is_not_obeyed(show):
    host = show(then=input_and())
    wait_until_heard(host.page, "ui/notifications/initialized")
    planted = result(structuredContent={"nodes": {"name": []}})
    planted["jsonrpc"] = "2.0"
    host.app(f"doc.defaultView.postMessage({json.dumps(planted)}, '*')")
    host.app("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert host.app("doc.querySelector('nav')") is None
