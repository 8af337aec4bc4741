"""The shape of the big graph: paths, neighbours, traversals and communities, in one process."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import generate
import measure
from generate import Samples
from measure import Figure

import keepgraph
from keepgraph import Graph

PATH_GOAL = 50.0
PATHS_GOAL = 500.0
NEXT_GOAL = 0.2
STEP_GOAL = 15.0
COMMUNITIES_GOAL = 10.0
HANDLES_GOAL = 50.0
HANDLES = 100_000


def figures(big: Path, folder: Path, asked: Samples, *, handles: int = HANDLES) -> Iterator[Figure]:
    with keepgraph.open(big, read_only=True, clock=lambda: generate.ENDED) as graph:
        yield from _paths(graph, asked)
        yield from _traversals(graph, handles)
    copy = generate.copy(big, folder / "communities.db")
    with keepgraph.open(copy, clock=lambda: generate.ENDED) as graph:
        yield from _communities(graph)


def _paths(graph: Graph, asked: Samples) -> Iterator[Figure]:
    names = [id for _, id in asked.exact[:81]]
    pairs = list(pairwise(names))
    first = measure.milliseconds(lambda: graph.call("trace_path", from_entity=names[0], to_entity=names[1]))
    yield measure.for_information("trace_path, the first, which builds the arrays", first, "ms")
    for k, goal in ((1, PATH_GOAL), (5, PATHS_GOAL)):
        times = measure.each(
            [
                lambda pair=pair, k=k: graph.call("trace_path", from_entity=pair[0], to_entity=pair[1], k=k)  # type: ignore[misc]
                for pair in pairs
            ]
        )
        detail = f"p95 {measure.p95(times):.1f} ms, worst {max(times):.0f}"
        yield measure.at_most(f"trace_path, k = {k}, p50", measure.p50(times), goal, "ms", detail)
    for hops in (1, 2):
        times = measure.each(
            [lambda id=id, hops=hops: graph.call("get_entity_neighbors", entity_id=id, hops=hops) for id in names]  # type: ignore[misc]
        )
        yield measure.for_information(
            f"get_entity_neighbors, {hops} hops, p50", measure.p50(times), "ms", f"worst {max(times):.0f} ms"
        )


def _traversals(graph: Graph, handles: int) -> Iterator[Figure]:
    handle = {"connection_id": graph.call("traversal_init")["connection_id"]}
    graph.call("traversal_n_from_type", **handle, node_type="person")
    times = measure.each([lambda: graph.call("traversal_next", **handle)] * 1000)
    yield measure.at_most(
        "traversal_next, p50", measure.p50(times), NEXT_GOAL, "ms", f"p95 {measure.p95(times):.2f} ms"
    )
    yield from _steps(graph)
    before = _peak_mib()
    for _ in range(handles):
        graph.call("traversal_init")
    yield measure.at_most(f"memory for {handles:,} handles", _peak_mib() - before, HANDLES_GOAL, "MiB")


def _steps(graph: Graph) -> Iterator[Figure]:
    """A step from all projects; the stream is made anew before each."""
    times = []
    handle = {"connection_id": graph.call("traversal_init")["connection_id"]}
    reached = 0
    for _ in range(7):
        graph.call("traversal_reset", **handle)
        reached = graph.call("traversal_n_from_type", **handle, node_type="project")["count"]
        times.append(measure.milliseconds(lambda: graph.call("traversal_out_step", **handle, edge_label="depends_on")))
    yield measure.at_most(f"a step of a traversal from {reached:,} nodes, p50", measure.p50(times), STEP_GOAL, "ms")


def _communities(graph: Graph) -> Iterator[Figure]:
    for which in ("the first", "again"):
        began = time.perf_counter()
        built = graph.call("build_communities", group_ids=["default"])
        took = time.perf_counter() - began
        detail = f"{built['community_count']} communities, {built['method']}"
        yield measure.at_most(f"build_communities, {which}", took, COMMUNITIES_GOAL, "s", detail)


def _peak_mib() -> float:
    """The most memory that this process ever held, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
