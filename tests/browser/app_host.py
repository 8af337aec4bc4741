"""A host of MCP Apps: a page with a sandbox of another origin and a policy, as the specification (2026-01-26) asks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from browser.chromium import Page

# What a host sets where a resource declares no domains.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"
)

HOST = """<!doctype html><title>host</title>
<iframe id="sandbox" width="900" height="500" sandbox="allow-scripts allow-same-origin" src="SANDBOX"></iframe>
<script>
  const scenario = SCENARIO;
  window.heard = [];
  const sandbox = document.getElementById('sandbox');
  const send = message => sandbox.contentWindow.postMessage({jsonrpc: '2.0', ...message}, '*');
  window.send = send;
  window.addEventListener('message', ({source, data}) => {
    if (source !== sandbox.contentWindow) return;
    window.heard.push(data);
    if (data.method === 'ui/notifications/sandbox-proxy-ready')
      send({method: 'ui/notifications/sandbox-resource-ready', params: scenario.resource});
    if (data.method === 'ui/initialize') send({id: data.id, ...scenario.initialized});
    if (data.method === 'ui/notifications/initialized') scenario.then.forEach(send);
    if (data.method === 'ui/notifications/size-changed') sandbox.height = data.params.height;
  });
</script>"""

SANDBOX = """<!doctype html><title>sandbox</title>
<style>html, body, iframe {margin: 0; border: 0; width: 100%; height: 100vh}</style>
<script>
  let view = null;
  window.addEventListener('message', ({source, data}) => {
    if (source === window.parent && data.method === 'ui/notifications/sandbox-resource-ready') {
      view = document.createElement('iframe');
      view.setAttribute('sandbox', data.params.sandbox);
      view.srcdoc = data.params.html;
      document.body.append(view);
    } else if (source === window.parent) view.contentWindow.postMessage(data, '*');
    else if (view && source === view.contentWindow) window.parent.postMessage(data, '*');
  });
  window.addEventListener('load', () =>
    window.parent.postMessage({jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {}}, '*'));
</script>"""


@contextmanager
def hosting(scenario: Mapping[str, Any]) -> Iterator[str]:
    """Serve a host that shows a `resource` (html, sandbox), answers ui/initialize, and `then` sends messages.

    Yields the address of the host.
    """

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            port = self.server.server_address[1]
            in_sandbox = self.path == "/sandbox"
            # Nothing in the page that is shown may end the script that holds it.
            described = json.dumps(scenario).replace("<", "\\u003c")
            host = HOST.replace("SANDBOX", f"http://localhost:{port}/sandbox").replace("SCENARIO", described)
            body = (SANDBOX if in_sandbox else host).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if in_sandbox:
                self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def heard(page: Page, method: str) -> list[dict[str, Any]]:
    """What the host heard from the page that it shows, of one method."""
    messages = page.evaluate("window.heard")
    return [message for message in messages if message.get("method") == method]


def wait_until_heard(page: Page, method: str) -> dict[str, Any]:
    page.wait_for(f"window.heard.some(message => message.method === {json.dumps(method)})")
    return heard(page, method)[-1]
