"""Mixed calls through servers of one graph for some minutes: open files, memory, the sizes of the graph and its log.

python tests/benchmarks/mixed_load.py [--clients N] [--minutes N] [--every SECONDS]

Prints a line every so often, for the server of the first client, and how much the second half differs from the
first. For Linux, which has /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}}
_PEOPLE = [
    f"{first} {last}" for first in ("Ada", "Ben", "Cleo", "Dan", "Eva") for last in ("Ito", "Kay", "Moss", "Ray")
]


@dataclass(frozen=True, slots=True)
class Sample:
    """What the server uses at one moment; memory and sizes in MB."""

    minute: float
    calls: int
    descriptors: int
    threads: int
    memory: float
    log: float
    graph: float

    def __str__(self) -> str:
        return (
            f"{self.minute:5.1f} min  {self.calls:7,} calls  {self.descriptors:3} files  {self.threads:3} threads  "
            f"{self.memory:6.1f} MB  log {self.log:5.2f} MB  graph {self.graph:6.2f} MB"
        )


class Server:
    """A server of our own, spoken to line by line."""

    def __init__(self, graph: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
        self.graph = graph
        self.calls = self.errors = 0
        self.child = subprocess.Popen(
            [sys.executable, "-m", "keepgraph.cli", "--db", str(graph), "serve", "--toolsets", "all"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.ask("initialize", _HELLO)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        self._say({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(self.child.stdout.readline())
            if answer.get("id") == self.calls:
                return answer

    def call(self, tool: str, **arguments: Any) -> None:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        self.errors += bool(answer.get("result", {}).get("isError", True))

    def sample(self, began: float) -> Sample:
        process = Path("/proc", str(self.child.pid))
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        log = Path(f"{self.graph}-wal")
        return Sample(
            minute=(time.monotonic() - began) / 60,
            calls=self.calls,
            descriptors=len(list((process / "fd").iterdir())),
            threads=int(status["Threads"]),
            memory=int(status["VmRSS"].split()[0]) / 1024,
            log=log.stat().st_size / 1e6 if log.exists() else 0.0,
            graph=self.graph.stat().st_size / 1e6,
        )

    def end(self) -> int:
        self.child.stdin.close()
        return self.child.wait(120)

    def _say(self, message: dict[str, Any]) -> None:
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()


def call_something(server: Server, rng: random.Random, number: int) -> None:
    """One call of a usual mix: most read, some write, a few are wrong or are taken back."""
    person = {"type": "person", "name": rng.choice(_PEOPLE)}
    kind = rng.randrange(20)
    if kind < 5:
        topic = {"type": "concept", "name": f"Topic {rng.randrange(400)}"}
        server.call("record_fact", subject=person, predicate="depends_on", object=topic)
    elif kind == 5:
        server.call(
            "add_memory", name=f"Note {number}", episode_body=f"{person['name']} met Ben Kay about topic {number}."
        )
    elif kind == 6:
        server.call("undo")
    elif kind == 7:
        server.call("record_fact", subject=[number], predicate="depends_on")
    elif kind < 11:
        server.call("search", query=f"what does {person['name']} depend on")
    elif kind < 13:
        server.call(
            "run_cypher", query=f"MATCH (n)-[r]->(m) RETURN n.name, m.name ORDER BY m.name LIMIT {number % 50 + 1}"
        )
    elif kind == 13:
        server.call("get_status")
    elif kind == 14:
        server.call("weekly_rollup")
    elif kind == 15:
        call_seldom(server, rng, number, person)
    else:
        server.call("recall_entity", name_or_alias=person["name"])


def call_seldom(server: Server, rng: random.Random, number: int, person: dict[str, str]) -> None:
    """One call of the kinds that are made some times a day."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_alias", {"entity": person, "alias": f"Alias {number}"}),
        ("merge_entities", {"keep": person, "absorb": {"type": "person", "name": "Ben Kay"}, "dry_run": True}),
        ("forget", {"what": f"Topic {rng.randrange(400)}"}),
        ("get_history", {"about": person["name"]}),
        ("trace_path", {"from_entity": person["name"], "to_entity": rng.choice(_PEOPLE)}),
        ("priming_context", {"query": f"what does {person['name']} do"}),
        ("hydra_search", {"query": f"who met {person['name']}"}),
        ("get_overview", {}),
        ("get_schema", {}),
        ("show_graph", {}),
        ("explain", {"what": person["name"]}),
        ("build_communities", {"group_ids": ["default"]}),
        ("run_night_gardener", {}),
        ("list_entities", {"type": "person"}),
        ("remember", {"text": f"Nothing of note on day {number}."}),
    ]
    tool, arguments = calls[rng.randrange(len(calls))]
    server.call(tool, **arguments)


def call_until(server: Server, name: str, end: float) -> None:
    rng, number = random.Random(name), 0
    while time.monotonic() < end:
        call_something(server, rng, number)
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description="Mixed calls through servers of one graph, and what they use.")
    parser.add_argument("--clients", type=int, default=1, help="each with a server of its own")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=30.0, help="seconds between two lines")
    given = parser.parse_args()
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as folder:
        servers = [Server(Path(folder, "graph.db")) for _ in range(given.clients)]
        began = time.monotonic()
        end = began + given.minutes * 60
        clients = [
            threading.Thread(target=call_until, args=(server, f"mixed load {number}", end))
            for number, server in enumerate(servers)
        ]
        for client in clients:
            client.start()
        while time.monotonic() < end:
            samples.append(servers[0].sample(began))
            print(samples[-1], flush=True)
            time.sleep(min(given.every, max(end - time.monotonic(), 0)))
        for client in clients:
            client.join()
        codes = [server.end() for server in servers]
    half = samples[len(samples) // 2 :]
    for what in ("descriptors", "threads", "memory", "log"):
        earlier = statistics.median(getattr(sample, what) for sample in samples[1 : len(samples) // 2] or samples)
        later = statistics.median(getattr(sample, what) for sample in half)
        print(f"{what}: {earlier:.1f} in the first half, {later:.1f} in the second")
    calls, refused = sum(server.calls for server in servers), sum(server.errors for server in servers)
    print(f"{calls:,} calls, {refused:,} refused; exit {codes}")


if __name__ == "__main__":
    main()
