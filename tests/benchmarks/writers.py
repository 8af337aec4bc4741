"""Many processes that record facts in one graph at once: with the queue of writers, against polling for SQLite's lock.

python tests/benchmarks/writers.py [--writers N] [--seconds S] [--rounds N] [--kill]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import measure
from measure import Figure

import keepgraph
from keepgraph import store
from keepgraph.profiles import keys

WRITERS = 16
RATE_GOAL = 1.0
P99_GOAL = 1 / 3
SPREAD_GOAL = 1.5


@dataclass(frozen=True, slots=True)
class Run:
    """What the writers of one run did: facts a second, and the times of all calls in milliseconds."""

    rate: float
    times: list[float]
    by_writer: list[int]
    lost: int

    @property
    def p99(self) -> float:
        return sorted(self.times)[round(0.99 * (len(self.times) - 1))]

    @property
    def spread(self) -> float:
        return max(self.by_writer) / max(min(self.by_writer), 1)

    def __str__(self) -> str:
        lucky, unlucky = max(self.by_writer), min(self.by_writer)
        return (
            f"{self.rate:.0f} facts/s, p50 {measure.p50(self.times):.0f} ms, p99 {self.p99:.0f} ms, worst "
            f"{max(self.times):.0f} ms, {unlucky} to {lucky} a writer, {self.lost} lost"
        )


def figures(folder: Path, *, seconds: float, rounds: int = 2, writers: int = WRITERS) -> Iterator[Figure]:
    """Plain and encrypted, with the queue and without it by turns, so that other work falls on both."""
    for kind, key in (("plain", None), ("encrypted", keys.new().digits)):
        polling, queue = [], []
        for number in range(rounds):
            for runs, mode in ((polling, "poll"), (queue, "queue")):
                path = folder / f"{kind} {mode} {number}.db"
                runs.append(run(path, mode=mode, key=key, seconds=seconds, writers=writers))
                print(f"{kind}, {mode}: {runs[-1]}", file=sys.stderr)
        rate = measure.p50([run.rate for run in queue]) / measure.p50([run.rate for run in polling])
        p99 = measure.p50([run.p99 for run in queue]) / measure.p50([run.p99 for run in polling])
        spread = max(run.spread for run in queue)
        name = f"{writers} writers, {kind}"
        yield measure.at_least(f"{name}, facts/s", rate, RATE_GOAL, "×", str(queue[-1]))
        yield measure.at_most(f"{name}, p99", p99, P99_GOAL, "×", f"polling: {polling[-1]}")
        yield measure.at_most(f"{name}, luckiest/unluckiest", spread, SPREAD_GOAL, "×")
        yield measure.at_most(f"{name}, lost", float(sum(run.lost for run in queue + polling)), 0, "facts")


def run(
    path: Path, *, mode: str, key: str | None, seconds: float, writers: int, kill: bool = False, source: str = ""
) -> Run:
    """Let so many processes write for so long; with `kill`, one of them is killed every tenth of a second.

    Args:
        mode: `queue`, `poll`, or `mixed`: every second one without the queue.
        source: a folder with another version of Keepgraph to run.
    """
    keepgraph.open(path, key=key).close()
    modes = ["poll" if mode == "poll" or (mode == "mixed" and number % 2) else "queue" for number in range(writers)]
    children = [_start(path, key=key, number=number, mode=modes[number], source=source) for number in range(writers)]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    end = time.time() + seconds
    for child in children:
        child.stdin.write(f"{end}\n")
        child.stdin.flush()
    killed: set[int] = set()
    while kill and time.time() < end:
        time.sleep(0.1)
        if len(killed) < writers - 4:
            victim = random.choice([number for number in range(writers) if number not in killed])
            children[victim].kill()
            killed.add(victim)
    outputs = [child.communicate()[0] for child in children]
    times = [json.loads(out) for number, out in enumerate(outputs) if number not in killed]
    with keepgraph.open(path, key=key, read_only=True) as graph, graph.database.read("bench") as tx:
        recorded = tx.conn.execute("SELECT count(*) FROM fact").fetchone()[0]
    done = sum(map(len, times)) + len(children)
    lost = max(done - recorded, 0) if killed else abs(done - recorded)
    return Run(
        (done - len(children)) / seconds,
        [taken for each in times for taken in each],
        [len(each) for each in times],
        lost,
    )


def _start(path: Path, *, key: str | None, number: int, mode: str, source: str) -> subprocess.Popen[str]:
    import os

    environment = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    if source:
        environment["PYTHONPATH"] = source
    if key:
        environment["KG_KEY"] = key
    command = [sys.executable, str(Path(__file__).resolve()), "--child", str(path), str(number), mode]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def _write(path: Path, number: int, mode: str) -> None:
    """Record facts until a time that standard input tells, and print how long each took, in milliseconds."""
    if mode == "poll" and hasattr(store, "writer_queue"):
        store.writer_queue.WriterQueue.place = lambda queue, descriptor: nullcontext(None)
    with keepgraph.open(path) as graph:
        _record(graph, number, "first")
        print("ready", flush=True)
        end, times = float(sys.stdin.readline()), []
        while time.time() < end:
            began = time.perf_counter()
            _record(graph, number, str(len(times)))
            times.append((time.perf_counter() - began) * 1000)
    print(json.dumps(times))


def _record(graph: keepgraph.Graph, writer: int, name: str) -> None:
    graph.call(
        "record_fact",
        subject={"type": "person", "name": f"Writer {writer}"},
        predicate="depends_on",
        object={"type": "concept", "name": f"Concept {writer} {name}"},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Many writers at once, with the queue and without.")
    parser.add_argument("--writers", type=int, default=WRITERS)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="kill a writer every tenth of a second")
    parser.add_argument("--mixed", action="store_true", help="every second writer does not use the queue")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        path, number, mode = given.child
        _write(Path(path), int(number), mode)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.kill or given.mixed:
            mode = "mixed" if given.mixed else "queue"
            path = folder / "graph.db"
            print(run(path, mode=mode, key=None, seconds=given.seconds, writers=given.writers, kill=given.kill))
            return
        print(measure.table(figures(folder, seconds=given.seconds, rounds=given.rounds, writers=given.writers)))


if __name__ == "__main__":
    main()
