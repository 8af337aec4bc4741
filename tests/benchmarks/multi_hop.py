"""How well questions of several steps find the passages that answer them, by `search` and by `hydra_search`.

    python tests/benchmarks/multi_hop.py FILE [--graph FILE]

FILE is JSON: {"passages": [{"title", "text"}], "questions": [{"question", "evidence": [positions]}]}, the form in which
MuSiQue, 2WikiMultiHopQA and HotpotQA can be put. Every passage is remembered as a text; nobody extracts entities or
facts, so that the graph is that of names which texts have in common. No such file is part of the project.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import measure

import keepgraph
from keepgraph.engine import vector_backfill
from keepgraph.engine.retrieval.search_request import TRAVERSALS
from keepgraph.engine.texts import mention_index

CUTS = (2, 5, 10)
_AT_ONCE = 200
_RESAMPLES = 5_000

Ranking = Callable[[str], list[str]]
"""The names of passages, best first, for a question."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how well questions of several steps are answered.")
    parser.add_argument("file", type=Path, help="passages and questions")
    parser.add_argument("--graph", type=Path, help="where the graph is made, or kept from before; left out: nowhere")
    given = parser.parse_args()
    data = json.loads(given.file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = given.graph or Path(folder) / "graph.db"
        known = path.exists()
        with keepgraph.open(path) as graph:
            if not known:
                remember(graph, data["passages"])
            print("\n".join(table(graph, data["questions"])))


def remember(graph: keepgraph.Graph, passages: Sequence[dict[str, str]]) -> None:
    """Remember each passage as a text that is named by its position."""
    episodes = [
        {"name": _name(position), "content": f"{passage['title']}\n{passage['text']}", "source": "text"}
        for position, passage in enumerate(passages)
    ]
    for start in range(0, len(episodes), _AT_ONCE):
        graph.call("add_memory", episodes=episodes[start : start + _AT_ONCE])
    mention_index.backfill(graph.database)
    vector_backfill.backfill(graph.database)


def table(graph: keepgraph.Graph, questions: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each way of ranking: recall, its difference to `search` with a 95 % interval, and the time."""
    ways: dict[str, Ranking] = {"search": lambda question: _by_search(graph, question)}
    for traversal in TRAVERSALS:
        ways[traversal] = lambda question, traversal=traversal: _by_graph(graph, question, traversal)  # type: ignore[misc]
    base: dict[int, list[float]] = {}
    for name, rank in ways.items():
        times: list[float] = []
        recalls: dict[int, list[float]] = {cut: [] for cut in CUTS}
        for asked in questions:
            found: list[str] = []
            times.append(measure.milliseconds(lambda: found.extend(rank(asked["question"]))))  # noqa: B023
            evidence = {_name(position) for position in asked["evidence"]}
            for cut in CUTS:
                recalls[cut].append(len(evidence.intersection(found[:cut])) / len(evidence))
        base = base or recalls
        cells = [f"R@{cut} {_mean(recalls[cut]):.3f} ({_difference(recalls[cut], base[cut])})" for cut in CUTS]
        yield f"{name:8}  {'  '.join(cells)}  p50 {measure.p50(times):.0f} ms"


def _name(position: int) -> str:
    """One that no question has: the name of a text is searched, too."""
    return f"p{position}"


def _by_search(graph: keepgraph.Graph, question: str) -> list[str]:
    found = graph.call("search", query=question, search_mode="episodes", limit=max(CUTS))
    return [episode["name"] for episode in found["episodes"]]


def _by_graph(graph: keepgraph.Graph, question: str, traversal: str) -> list[str]:
    found = graph.call("hydra_search", query=question, traversal=traversal, k=2 * max(CUTS))
    return list(dict.fromkeys(chunk["source"] for chunk in found["chunks"]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


def _difference(values: Sequence[float], others: Sequence[float]) -> str:
    """The mean difference, question by question, with the interval in which 95 % of resampled means lie."""
    differences = [value - other for value, other in zip(values, others, strict=True)]
    generator = random.Random(1)
    means = sorted(_mean(generator.choices(differences, k=len(differences))) for _ in range(_RESAMPLES))
    lower, upper = means[_RESAMPLES // 40], means[-_RESAMPLES // 40]
    return f"{_mean(differences):+.3f} [{lower:+.3f}, {upper:+.3f}]"


if __name__ == "__main__":
    main()
