"""A browser, a graph with something of everything in it, and the server of the page over it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import keepgraph
from browser.chromium import Chromium, Page, find
from keepgraph.web.server import PageServer
from words import Caller, concept, decision, person, project

HOSTILE = "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    program = find()
    if program is None:
        pytest.skip("this machine has no Chromium")
    with Chromium(program) as browser:
        yield browser


@contextmanager
def serving(graph: keepgraph.Graph, *, port: int = 0) -> Iterator[PageServer]:
    over = threading.Event()
    server = PageServer(graph, port=port, clock=time.monotonic)
    thread = threading.Thread(target=server.serve_until, args=[over.is_set])
    thread.start()
    try:
        yield server
    finally:
        over.set()
        thread.join()
        server.server_close()


@pytest.fixture
def atlas(open_graph: Callable[..., keepgraph.Graph]) -> Caller:
    """A project with people, decisions, blockers, texts, an end, a duplicate, and a name that would harm."""
    call = Caller(open_graph())
    for name in ("Ana Ruiz", "Ben Okafor", "Cem Aydin", "Dua Khan"):
        call.record(person(name), "belongs_to", project("Atlas"), source="the kick-off")
    call.record(person("Ana Ruiz"), "reports_to", person("Dua Khan"), valid_from="2026-01-05", valid_to="2026-06-30")
    call.record(person("Ana Ruiz"), "reports_to", person("Cem Aydin"), valid_from="2026-07-01")
    call.record(decision("Use SQLite"), "belongs_to", project("Atlas"), valid_from="2026-05-04", source="minutes")
    call.record(person("Ana Ruiz"), "decided_in", decision("Use SQLite"))
    call.record(project("Atlas"), "blocked_by", concept("the missing licence"))
    call.record(project("Atlas"), "depends_on", concept("SQLite"))
    call.record(person("Anna Ruiz"), "tagged", {"literal": "design"})
    call.record(concept(HOSTILE[:150]), "tagged", {"literal": HOSTILE})
    call("remember", text="Ana Ruiz met Ben Okafor about Atlas.\n\n" + HOSTILE)
    return call


@pytest.fixture
def server(atlas: Caller) -> Iterator[PageServer]:
    with serving(atlas.graph) as started:
        yield started


def wait_until_drawn(page: Page) -> None:
    """Wait until the page has drawn itself and listens."""
    page.wait_for("!!document.querySelector('nav')")
    page.wait_until_still()


def choose_edit(page: Page, name: str, *, menu: str = "summary[aria-label='More edits']") -> None:
    """Choose an edit from the menu of an entity, or from another one."""
    page.click(f"main {menu}")
    page.click("main button", text=name)


def choose_entity(page: Page, name: str) -> None:
    """Write a name into the first field of the dialog, and choose it from what is proposed there."""
    page.fill("dialog[open] input[type=text]", name)
    page.click("dialog[open] [role=option]", text=name)


@pytest.fixture
def open_page(chromium: Chromium, server: PageServer) -> Iterator[Callable[..., Page]]:
    """Opens the page of the graph, at a view; the requests and the console are looked at in the end."""
    with ExitStack() as stack:
        opened: list[Page] = []

        def open(view: str = "", **options: object) -> Page:
            page = stack.enter_context(chromium.page(server.address_with_token, **options))
            wait_until_drawn(page)
            if view:
                page.evaluate(f"location.hash = '#/{view}'")
                is_there = f"document.querySelector('nav [aria-current=page]')?.getAttribute('href') === '#/{view}'"
                page.wait_for("/^#.thing/.test(location.hash)" if view.startswith("thing/") else is_there)
                page.wait_for("document.querySelector('main h1')?.innerText.length > 0")
            opened.append(page)
            return page

        yield open
        for page in opened:
            elsewhere = [address for address in page.requests if not address.startswith((server.address, "data:"))]

            assert elsewhere == []
            assert page.problems == []
            assert page.evaluate("window.harmed") is None


@pytest.fixture
def open_file(chromium: Chromium) -> Iterator[Callable[[Path], Page]]:
    """Opens a file with the page and a graph in it; it may ask for nothing at all."""
    with ExitStack() as stack:
        opened: list[Page] = []

        def open(file: Path) -> Page:
            page = stack.enter_context(chromium.page(file.as_uri()))
            wait_until_drawn(page)
            opened.append(page)
            return page

        yield open
        for page in opened:
            assert [address for address in page.requests if not address.startswith(("file:", "data:"))] == []
            assert page.problems == []
            assert page.evaluate("window.harmed") is None
