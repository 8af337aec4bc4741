"""How the page starts and ends in a real browser, and how quick it is with a large graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from homes import run_ok
from keepgraph.web import page_file
from words import Caller, concept

pytestmark = pytest.mark.browser

SECONDS = 20_000
"""Milliseconds that a machine may take that does much besides; the aim is a second."""


def test_the_file_that_opens_the_page_leads_to_it_and_the_token_leaves_the_address(chromium, server):
    with page_file.file_to(server.address_with_token) as file, chromium.page(file.as_uri()) as page:
        page.wait_for("location.protocol === 'http:' && !!document.querySelector('nav')")

        assert server.token not in page.evaluate("location.href")
        assert page.problems == []


def test_a_reload_goes_on_and_a_server_that_has_ended_says_so(chromium, atlas):
    from browser.conftest import serving

    with serving(atlas.graph) as server:
        context = chromium.page(server.address_with_token)
        page = context.__enter__()
        page.wait_for("!!document.querySelector('nav')")
        page.send("Page.reload")
        page.wait_for("!!document.querySelector('nav [aria-current=page]')")
    try:
        page.evaluate("location.hash = '#/history'")
        page.wait_for("/kg ui|ended|reach/.test(document.querySelector('main').innerText)")
    finally:
        context.__exit__(None, None, None)


def test_no_page_elsewhere_can_call(chromium, server, atlas, tmp_path: Path):
    """
    With the token even: a page of another origin may neither call nor read.
    """
    calls_before = atlas("list_calls", limit=1)["calls"]
    other = tmp_path / "other.html"
    other.write_text("<title>other</title>")
    call = f"""
        fetch('{server.address}call', {{method: 'POST', headers: {{'Authorization': 'Bearer {server.token}',
          'Content-Type': 'application/json'}}, body: '{{"tool": "list_calls", "arguments": {{"limit": 1}}}}'}})
          .then(() => 'read', () => 'refused')
    """
    simple = f"""
        fetch('{server.address}call', {{method: 'POST', mode: 'no-cors', body:
          '{{"tool": "remember", "arguments": {{"text": "planted"}}}}'}}).then(answer => answer.type, () => 'refused')
    """
    with chromium.page(other.as_uri()) as page:
        assert page.evaluate(call) == "refused"
        assert page.evaluate(simple) in ("opaque", "refused")
    assert atlas("list_calls", limit=1)["calls"] == calls_before


def test_ten_thousand_entities_are_drawn(open_file, graph, path, tmp_path):
    """
    The file has at most a megabyte.
    """
    call = Caller(graph)
    count, at_once = 10_000, 500
    for begin in range(0, 3 * count, at_once):
        facts = [
            {
                "subject": concept(f"Thing {number % count}"),
                "predicate": "depends_on",
                "object": concept(f"Thing {(number % count // 100 * 100 + number * 37 % 101) % count}"),
            }
            for number in range(begin, begin + at_once)
            if number % count != (number % count // 100 * 100 + number * 37 % 101) % count
        ]
        call("record_facts", facts=facts)
    graph.close()
    file = tmp_path / "large.html"
    run_ok("--db", str(path), "view", "--out", str(file))
    page = open_file(file)
    page.wait_for("!!document.querySelector('main canvas')")

    assert file.stat().st_size <= 1_000_000
    assert page.evaluate("performance.now()") < SECONDS
