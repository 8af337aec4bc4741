"""Runs the gardener over a large graph and prints the time and the memory of each pass, each in a process of its own.

The graph is one that `generate.py` has made; it is copied first, since a run notes itself in it.

    python tests/benchmarks/garden.py FILE
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import keepgraph
from keepgraph.engine.garden import passes

MAX_SECONDS = 60.0
MAX_MEGABYTES = 300.0


def run_pass(graph: Path, names: list[str] | None) -> dict[str, float]:
    """Run these passes (None: all) in this process: seconds, of them on the CPU, peak memory in MB, new proposals."""
    with keepgraph.open(graph) as opened:
        began, cpu_began = time.perf_counter(), time.process_time()
        answer = opened.call("run_night_gardener", **({"passes": names} if names else {}))
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return {"seconds": seconds, "cpu": cpu, "megabytes": peak, "new": answer["candidates_proposed"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pass", dest="name", help="run this pass, or “all”, in this process")
    arguments = parser.parse_args()
    if arguments.name:
        print(json.dumps(run_pass(arguments.file, None if arguments.name == "all" else [arguments.name])))
        return
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder) / "graph.db"
        shutil.copy(arguments.file, graph)
        for name in ("nothing", *passes.NAMES, "all"):
            if name == "nothing":
                # Opening brings the tables up to date, which is no part of a run.
                keepgraph.open(graph).close()
                continue
            command = [sys.executable, __file__, str(graph), "--pass", name]
            figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            seconds, cpu, megabytes, new = (figures[key] for key in ("seconds", "cpu", "megabytes", "new"))
            print(f"{name:15} {seconds:7.1f} s ({cpu:.1f} CPU) {megabytes:7.0f} MB {new:5.0f} new", flush=True)
            if name == "all":
                sys.exit(figures["seconds"] > MAX_SECONDS or figures["megabytes"] > MAX_MEGABYTES)


if __name__ == "__main__":
    main()
