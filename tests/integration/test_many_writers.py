"""Servers, commands and backups at once on one encrypted graph: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import keepgraph
from fork_server import python
from keepgraph import store
from keepgraph.profiles import keys

SERVERS = 4


def kg(path: Path) -> list[str]:
    return [*python(), "-m", "keepgraph.cli", "--db", str(path)]


class Server:
    """A server of our own, and a client that speaks to it line by line."""

    def __init__(self, path: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [*kg(path), "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
        )
        self._asked = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.ask("initialize", hello)
        self._tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._tell({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        return json.loads(self._process.stdout.readline())["result"]

    def record(self, subject: str, target: str) -> dict[str, Any]:
        arguments = {
            "subject": {"type": "person", "name": subject},
            "predicate": "depends_on",
            "object": {"type": "concept", "name": target},
        }
        return self.ask("tools/call", {"name": "record_fact", "arguments": arguments})

    def end(self) -> str:
        return self._process.communicate(timeout=240)[1]

    def _tell(self, message: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def all_at_once(works: list[Callable[[], None]]) -> list[BaseException]:
    """What went wrong in any of these, each run in a thread of its own."""
    faults: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as fault:  # noqa: BLE001 (the test tells it, whatever it is)
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def written_by_all(path: Path, tmp_path: Path, *, each: int, commands: int) -> None:
    key = keys.new()
    keys.write(tmp_path / "graph.key", [key], about="A key.")
    environment = {**os.environ, "KG_KEY_FILE": str(tmp_path / "graph.key")}
    servers = [Server(path, environment) for _ in range(SERVERS)]
    backups, ended = [], threading.Event()

    def serve(n: int) -> None:
        for m in range(each):
            assert not servers[n].record(f"Server {n}", f"Thing {n} {m}").get("isError")

    def command() -> None:
        for m in range(commands):
            said = ["record", "person:Shell", "depends_on", f"concept:Thing shell {m}"]
            subprocess.run(
                [*kg(path), *said],
                env=environment,
                capture_output=True,
                check=True,
            )

    def back_up() -> None:
        while not ended.is_set() or not backups:
            target = tmp_path / f"copy {len(backups)}.db"
            subprocess.run(
                [*kg(path), "backup", str(target)],
                env=environment,
                capture_output=True,
                check=True,
            )
            backups.append(target)

    copier = threading.Thread(target=back_up)
    copier.start()
    faults = all_at_once([*(lambda n=n: serve(n) for n in range(SERVERS)), command])
    ended.set()
    copier.join()
    said = [server.end() for server in servers]

    assert (faults, said) == ([], [""] * SERVERS)
    expected = sorted(
        [f"Thing {n} {m}" for n in range(SERVERS) for m in range(each)] + [f"Thing shell {m}" for m in range(commands)]
    )
    assert found(path, key.digits) == expected
    for copy in backups:
        assert set(found(copy, key.digits)) <= set(expected)
        conn = store.connections.connect(copy, "ro", key=key)
        assert store.copies.find_problems(conn, encrypted=True) == []
        conn.close()
    assert marked(tmp_path, b"Thing ") == []


def found(path: Path, key: str) -> list[str]:
    """The object of every fact, each as often as it is there."""
    with keepgraph.open(path, key=key, read_only=True) as graph, graph.database.read("test") as tx:
        rows = tx.conn.execute("SELECT entity.name FROM fact JOIN entity ON entity.id = fact.object").fetchall()
    return sorted(name for (name,) in rows)


def marked(folder: Path, text: bytes) -> list[Path]:
    """The files in which a text can be read."""
    return [file for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()]


@pytest.mark.slow
def test_servers_commands_and_backups_at_once_lose_nothing(path, tmp_path):
    written_by_all(path, tmp_path, each=25, commands=4)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_more_than_a_thousand_facts_of_servers_and_a_shell_are_all_there_once(path, tmp_path):
    written_by_all(path, tmp_path, each=350, commands=60)
