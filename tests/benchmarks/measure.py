"""Takes times and holds them against a goal. Knows nothing of Keepgraph."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. Without a goal it is for information."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None
    detail: str = ""


def at_most(what: str, value: float, limit: float, unit: str, detail: str = "") -> Figure:
    return Figure(what, f"{value:.2f} {unit}", f"≤ {limit:g} {unit}", value <= limit, detail)


def at_least(what: str, value: float, limit: float, unit: str, detail: str = "") -> Figure:
    return Figure(what, f"{value:.2f} {unit}", f"≥ {limit:g} {unit}", value >= limit, detail)


def for_information(what: str, value: float, unit: str, detail: str = "") -> Figure:
    return Figure(what, f"{value:.2f} {unit}", detail=detail)


def milliseconds(work: Work) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def each(works: Iterable[Work]) -> list[float]:
    """How long each took, in milliseconds."""
    gc.collect()
    return [milliseconds(work) for work in works]


def by_turns(works: Sequence[Work], *, rounds: int, warm_up: int = 1) -> list[list[float]]:
    """The times of each work, taken A B C A B C …, so that whatever else the machine does falls on all of them."""
    times: list[list[float]] = [[] for _ in works]
    gc.collect()
    for done in range(warm_up + rounds):
        for index, work in enumerate(works):
            took = milliseconds(work)
            if done >= warm_up:
                times[index].append(took)
    return times


def p50(times: Sequence[float]) -> float:
    return statistics.median(times)


def p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(0.95 * (len(times) - 1)))]


def table(figures: Iterable[Figure]) -> str:
    """The figures as columns; `-` where there is no goal."""
    lines = [("what", "figure", "goal", "met", "")]
    lines += [
        (line.what, line.figure, line.goal or "-", {True: "yes", False: "NO", None: "-"}[line.met], line.detail)
        for line in figures
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    rows = []
    for what, figure, goal, met, detail in lines:
        columns = (
            f"{what:{widths[0]}}",
            f"{figure:>{widths[1]}}",
            f"{goal:>{widths[2]}}",
            f"{met:{widths[3]}}",
            detail,
        )
        rows.append("  ".join(columns).rstrip())
    rows.insert(1, "-" * max(map(len, rows)))
    return "\n".join(rows)
