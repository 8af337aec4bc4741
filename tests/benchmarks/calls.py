"""What commands and calls cost in CPU time, by turns: against a bare Python, and against the code of an older commit.

    python tests/benchmarks/run.py --only calls [--against REV]

The commands and calls are those of `tests/budgets.toml`, where they are counted. Each command is a process of its own;
the calls are made in one process for each commit, on a graph made by the code of that commit.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import measure
from measure import Figure

ROOT = Path(__file__).parents[2]
COUNTS = ROOT / "tests" / "call_counts.py"
sys.path.insert(0, str(COUNTS.parent))
import call_counts  # noqa: E402 (it is found where the line before says)

GOALS = {"help": 3, "record": 3, "recall_hit": 3, "recall_slip": 4, "recall_miss": 6, "search": 8, "week": 3.2}
"""At most how many times as long as the bare Python a command may take, on a small graph."""

EXACT_GOAL = 0.4
"""Milliseconds for `recall_entity` with an exact name."""

BARE = "import click, sqlcipher3"
KG = "from keepgraph import cli; cli.main()"


def figures(big: Path, folder: Path, *, exact: str, against: str | None, rounds: int) -> Iterator[Figure]:
    """The commands and calls on a small graph, and a recall on the big one.

    Args:
        against: a commit whose code is measured by turns with that of today; with None, only today's is.

    Raises:
        CalledProcessError: there is no such commit, or its code cannot make the graph.
    """
    with _sources(against, folder) as sources:
        sides = [(source, folder / f"calls-{number}.db") for number, source in enumerate(sources)]
        for source, file in sides:
            _run(source, str(COUNTS), "make", str(file))
        for name, words in call_counts.COMMANDS.items():
            yield _command(name, [(source, ["--db", str(file), *words]) for source, file in sides], rounds)
        yield _command("recall, big graph", [(sources[0], ["--db", str(big), "recall", exact])], rounds)
        yield from _calls(sides, rounds=rounds * 20)


@contextmanager
def _sources(against: str | None, folder: Path) -> Iterator[list[Path]]:
    """Where the code of today is and, if asked for, that of the older commit."""
    if against is None:
        yield [ROOT / "src"]
        return
    older = folder / "older"
    worktree = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*worktree, "add", "--quiet", "--detach", str(older), against], check=True)
    try:
        yield [ROOT / "src", older / "src"]
    finally:
        subprocess.run([*worktree, "remove", "--force", str(older)], check=True)


def _command(name: str, sides: list[tuple[Path, list[str]]], rounds: int) -> Figure:
    works = [partial(_run, sides[0][0], "-c", BARE)]
    works += [partial(_run, source, "-c", KG, *words) for source, words in sides]
    bare, today, *older = _medians(works, rounds=rounds)
    detail = f"{today:.0f} ms against {bare:.0f}{_than_before(today, older)}"
    if name not in GOALS:
        return measure.for_information(f"kg {name}", today / bare, "×", detail)
    return measure.at_most(f"kg {name}", today / bare, GOALS[name], "×", detail)


def _calls(sides: list[tuple[Path, Path]], *, rounds: int) -> Iterator[Figure]:
    callers = [_Caller(source, file) for source, file in sides]
    try:
        for name in call_counts.CALLS:
            today, *older = _medians([partial(caller.call, name) for caller in callers], rounds=rounds)
            detail = _than_before(today, older).removeprefix("; ")
            if name == "recall_entity":
                yield measure.at_most(name, today, EXACT_GOAL, "ms", detail)
            else:
                yield measure.for_information(name, today, "ms", detail)
    finally:
        for caller in callers:
            caller.close()


def _medians(works: Sequence[Callable[[], float]], *, rounds: int) -> list[float]:
    """The median milliseconds of CPU time that each says it took."""
    taken: list[list[float]] = [[] for _ in works]
    for number, work in enumerate(list(works) * (rounds + 1)):
        taken[number % len(works)].append(work())
    return [measure.p50(times[1:]) for times in taken]


def _than_before(today: float, older: list[float]) -> str:
    return "".join(f"; {today / before:.2f} × the older {before:.2f} ms" for before in older if not math.isnan(before))


def _run(source: Path, *words: str) -> float:
    """Run Python with this code, and return the milliseconds of CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # `kg recall` of what is not there ends with 3.
    done = subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, env=_environment(source), check=False)
    if done.returncode not in (0, 3):
        done.check_returncode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class _Caller:
    """A process that makes calls on a graph with the code of one commit, and says what each took."""

    def __init__(self, source: Path, file: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(COUNTS), "time", str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(source),
        )

    def call(self, name: str) -> float:
        """Make a call of `call_counts.CALLS`; the milliseconds of CPU time, NaN where this commit lacks the tool."""
        assert self._process.stdin
        assert self._process.stdout
        print(name, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def _environment(source: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    return {**ours, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
