"""recall_entity and the other questions, in one process, on the big graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import generate
import measure
from generate import Samples
from measure import Figure

import keepgraph
from keepgraph import Graph

EXACT_GOAL = 1.0
FUZZY_GOAL = 15.0
MEANING_GOAL = 40.0


def figures(big: Path, asked: Samples) -> Iterator[Figure]:
    with keepgraph.open(big, read_only=True, clock=lambda: generate.ENDED) as graph:
        yield from _recalls(graph, asked)
        yield from _others(graph)


def _recalls(graph: Graph, asked: Samples) -> Iterator[Figure]:
    _answers(graph, [name for name, _ in asked.mistyped[:20]])  # loads what is loaded at first use
    kinds: list[tuple[str, Sequence[str], float]] = [
        ("exact", [name for name, _ in asked.exact], EXACT_GOAL),
        ("alias", [name for name, _ in asked.alias], EXACT_GOAL),
        ("fuzzy", [name for name, _ in asked.mistyped], FUZZY_GOAL),
        ("absent", asked.absent, MEANING_GOAL),
        ("by meaning", [f"whatever follows from {name.lower()} in practice" for name, _ in asked.exact], MEANING_GOAL),
    ]
    for kind, questions, goal in kinds:
        times, answers = _answers(graph, questions)
        detail = f"p95 {measure.p95(times):.2f} ms, worst {max(times):.1f}"
        if kind == "fuzzy":
            right = sum(
                answer["entity"] is not None and answer["entity"]["id"] == meant
                for answer, (_, meant) in zip(answers, asked.mistyped, strict=True)
            )
            detail += f"; {right} of {len(answers)} found"
        else:
            found = sum(answer["entity"] is not None for answer in answers)
            detail += f"; {found} of {len(answers)} found, {_facts(answers):.0f} facts each"
        yield measure.at_most(f"recall_entity, {kind}, p50", measure.p50(times), goal, "ms", detail)
        if kind in ("fuzzy", "absent"):
            yield measure.for_information(f"recall_entity, {kind}, p95", measure.p95(times), "ms")
    times, answers = _answers(graph, [name for name, _ in asked.hubs for _ in range(5)])
    yield measure.for_information(
        "recall_entity, the ten hubs, p50", measure.p50(times), "ms", f"{_facts(answers):.0f} facts each"
    )


def _others(graph: Graph) -> Iterator[Figure]:
    others: list[tuple[str, Callable[[], object]]] = [
        ("recall_decisions of the largest project", lambda: graph.call("recall_decisions", project="Atlas")),
        ("weekly_rollup of the largest project", lambda: graph.call("weekly_rollup", project="Atlas")),
        ("weekly_rollup of everything", lambda: graph.call("weekly_rollup")),
        ("get_status", lambda: graph.call("get_status")),
    ]
    for name, ask in others:
        times = measure.each([ask] * 5)
        yield measure.for_information(name, measure.p50(times), "ms")


def _answers(graph: Graph, questions: Sequence[str]) -> tuple[list[float], list[dict[str, Any]]]:
    answers: list[dict[str, Any]] = []
    times = measure.each(
        [lambda name=name: answers.append(graph.call("recall_entity", name_or_alias=name)) for name in questions]  # type: ignore[misc]
    )
    return times, answers


def _facts(answers: Sequence[dict[str, Any]]) -> float:
    return sum(len(answer["facts"]) for answer in answers) / len(answers)
