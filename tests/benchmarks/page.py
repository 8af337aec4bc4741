"""The page in a real browser: how big a file of it is, when it can be used, and one thing from the click."""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import generate
import measure
from generate import Samples
from measure import Figure

import keepgraph
from keepgraph import Graph
from keepgraph.web import page_file, server

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import chromium
from browser.chromium import Chromium, Page

CLICK_GOAL = 150.0
SLIDER_GOAL = 200.0
MEGABYTE = 1_000_000
FILES = ((10_000, 30_000, 1.0, 1.0), (50_000, 150_000, 3.5, 3.0))
"""Entities, facts, the goals in megabytes and in seconds from the beginning of the load to a page that can be used."""

BUSIEST = "MATCH (n:Entity)-[r]-() RETURN n.id, count(r) AS number ORDER BY number DESC SKIP $skip LIMIT 20"

# From the click until the page of this entity is painted.
CLICK = """
    new Promise(done => {
      const link = document.createElement('a');
      link.href = '#/thing/ID';
      document.querySelector('main').append(link);
      const began = performance.now();
      link.click();
      const look = () => {
        if (document.querySelector('main article.thing')?.dataset.id !== 'ID') return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
      };
      look();
    })
"""
SLIDE = """
    new Promise(done => {
      const input = document.querySelector('.slider input[type=date]');
      const began = performance.now();
      input.value = 'DAY';
      input.dispatchEvent(new Event('input', {bubbles: true}));
      const look = () => {
        if (document.querySelector('[data-shown]')?.dataset.shown !== 'DAY') return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
      };
      look();
    })
"""


def figures(big: Path, folder: Path, asked: Samples, *, small: bool) -> Iterator[Figure]:
    program = chromium.find()
    if program is None:
        yield Figure("the page in a browser", "skipped", detail="this machine has no Chromium")
        return
    with Chromium(program) as browser:
        share = 100 if small else 1
        for entities, facts, megabytes, seconds in FILES:
            yield from _file(browser, folder, entities // share, facts // share, megabytes, seconds)
        some = generate.cached(entities=FILES[1][0] // share, facts=FILES[1][1] // share, embedded=False)
        with keepgraph.open(generate.copy(some, folder / "slider.db"), clock=lambda: generate.ENDED) as graph:
            yield from _slides(browser, graph)
        with keepgraph.open(generate.copy(big, folder / "page.db"), clock=lambda: generate.ENDED) as graph:
            yield from _clicks(browser, graph, asked)


def _file(
    browser: Chromium, folder: Path, entities: int, facts: int, megabytes: float, seconds: float
) -> Iterator[Figure]:
    graph_file = generate.cached(entities=entities, facts=facts, embedded=False)
    file = folder / f"{entities}.html"
    with keepgraph.open(graph_file, clock=lambda: generate.ENDED) as graph:
        file.write_text(page_file.with_graph(graph.call("extract_graph")), encoding="utf-8")
    what = f"a file with {entities:,} entities and {facts:,} facts"
    yield measure.at_most(what, file.stat().st_size / MEGABYTE, megabytes, "MB")
    times = []
    for _ in range(3):
        with browser.page(file.as_uri()) as page:
            page.wait_for("!!document.querySelector('main canvas')", seconds=60)
            times.append(page.evaluate("new Promise(done => setTimeout(() => done(performance.now())))") / 1000)
    yield measure.at_most(f"{what}, until it can be used", min(times), seconds, "s", f"worst {max(times):.2f}")


def _clicks(browser: Chromium, graph: Graph, asked: Samples) -> Iterator[Figure]:
    hubs = [row[0] for row in graph.call("run_query", query=BUSIEST, parameters={"skip": 0}, limit=20)["rows"]]
    with _serving(graph) as address, browser.page(address) as page:
        page.wait_for("!!document.querySelector('nav') && !document.querySelector('main [aria-busy=true]')", seconds=60)
        ordinary = _from_click(page, [id for _, id in asked.exact[:60]])
        yield measure.at_most(
            "one thing from the click, p95 of 60", measure.p95(ordinary), CLICK_GOAL, "ms", _spread(ordinary)
        )
        busiest = _from_click(page, hubs)
        yield measure.for_information(
            "one thing from the click, the 20 with most facts", measure.p95(busiest), "ms", _spread(busiest)
        )


def _slides(browser: Chromium, graph: Graph) -> Iterator[Figure]:
    hub, *_ = graph.call("run_query", query=BUSIEST, parameters={"skip": 10}, limit=20)["rows"]
    with _serving(graph) as address, browser.page(address) as page:
        page.wait_for("!!document.querySelector('nav')", seconds=60)
        page.evaluate(f"location.hash = '#/thing/{hub[0]}'")
        page.wait_for("!!document.querySelector('[data-shown]')", seconds=60)
        days = [f"2026-{month:02}-15" for month in range(1, 11)]
        times = [page.evaluate(SLIDE.replace("DAY", day)) for day in [*days, *reversed(days[:-1])]]
    what = f"the slider, of one with {hub[1]:,} facts, p95"
    yield measure.at_most(what, measure.p95(times), SLIDER_GOAL, "ms", _spread(times))


def _from_click(page: Page, ids: list[str]) -> list[float]:
    page.evaluate(CLICK.replace("ID", ids[0]))
    return [page.evaluate(CLICK.replace("ID", id)) for id in ids[1:]]


def _spread(times: list[float]) -> str:
    return f"median {statistics.median(times):.0f}, worst {max(times):.0f}"


@contextmanager
def _serving(graph: Graph) -> Iterator[str]:
    over = threading.Event()
    page_server = server.PageServer(graph, clock=time.monotonic)
    thread = threading.Thread(target=page_server.serve_until, args=[over.is_set])
    thread.start()
    try:
        yield page_server.address_with_token
    finally:
        over.set()
        thread.join()
        page_server.server_close()
