"""`kg record` and `kg recall` as whole processes, against a Python that only imports click and sqlcipher3."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import measure
from measure import Figure

GOAL = 3
RECORD = ("record", "person:Priya", "decided_in", "decision:Adopt SQLite")
RECALL = ("recall", "Priya")
MISTYPED = ("recall", "Pryia")


def figures(big: Path, *, exact: str, rounds: int) -> Iterator[Figure]:
    """The commands on a small graph, and a recall on the big one."""
    kg = Path(sys.executable).with_name("kg")
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.db"
        works = {
            "kg record": [str(kg), "--db", str(small), *RECORD],
            "kg recall": [str(kg), "--db", str(small), *RECALL],
            "kg recall, mistyped": [str(kg), "--db", str(small), *MISTYPED],
            "kg recall, big graph": [str(kg), "--db", str(big), "recall", exact],
            "kg --help": [str(kg), "--help"],
            "python -c pass": [sys.executable, "-c", "pass"],
        }
        bare = [sys.executable, "-c", "import click, sqlcipher3"]
        trouble = _trouble(works["kg record"]) or _trouble(works["kg recall"])
        if trouble:
            yield Figure("kg record / kg recall", "cannot run", f"≤ {GOAL} ×", False, trouble)
            return
        # Ran once before: the first `kg record` creates the file, every later one finds the fact.
        times = measure.by_turns(
            [lambda command=command: _run(command) for command in (bare, *works.values())],  # type: ignore[misc]
            rounds=rounds,
        )
    base = measure.p50(times[0])
    for name, taken in zip(works, times[1:], strict=True):
        detail = f"{measure.p50(taken):.0f} ms against {base:.0f}"
        if name in ("kg record", "kg recall"):
            yield measure.at_most(name, measure.p50(taken) / base, GOAL, "×", detail)
        else:
            yield measure.for_information(name, measure.p50(taken) / base, "×", detail)


def _trouble(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=_environment(), check=False)
    except OSError as error:
        return str(error)
    if not done.returncode:
        return ""
    return f"exit {done.returncode}: {(done.stderr.strip().splitlines() or ['no message'])[-1][:100]}"


def _run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment(), check=True)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
