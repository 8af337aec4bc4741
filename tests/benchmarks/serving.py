"""A tool call over stdio, against a tool that does nothing on the same kind of server; and the server's memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import generate
import measure
from mcp import Client, StdioServerParameters
from measure import Figure
from sqlcipher3 import dbapi2 as sqlite

import keepgraph

GOAL = 1.5
MEMORY_GOAL = 120

Ask = Callable[[], Awaitable[object]]


def figures(big: Path, folder: Path, *, names: dict[str, str], rounds: int) -> Iterator[Figure]:
    """`names` says what to recall: what kind of name it is, and the name."""
    graph_file = generate.copy(big, folder / "served.db")
    if trouble := _trouble(graph_file):
        yield Figure("a tool call over stdio", "cannot run", f"≤ {GOAL} ×", False, trouble)
        return
    yield from anyio.run(_figures, graph_file, folder, names, rounds)


def _trouble(graph_file: Path) -> str:
    """What keeps the server from running, if anything: given no input, it should end by itself."""
    done = subprocess.run(_kg(graph_file), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if not done.returncode else f"exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"


async def _figures(graph_file: Path, folder: Path, names: dict[str, str], rounds: int) -> list[Figure]:
    found = []
    async with AsyncExitStack() as stack:
        before = _children()
        ours = await stack.enter_async_context(Client(_server(_kg(graph_file))))
        (pid,) = _children() - before
        listed = await ours.list_tools()
        schema = next(tool.output_schema for tool in listed.tools if tool.name == "recall_entity")
        rest = _resident(pid)
        nothing = await stack.enter_async_context(Client(_server(_nothing())))
        await nothing.list_tools()
        for kind, name in names.items():
            answer, sql = _in_process(graph_file, name)
            canned = folder / f"{kind}.json"
            canned.write_text(json.dumps({"answer": answer, "schema": schema}), encoding="utf-8")
            alike = await stack.enter_async_context(Client(_server([*_nothing(), str(canned)])))
            await alike.list_tools()
            arguments = {"name_or_alias": name}
            call, idle, repeat = await _by_turns(
                [
                    partial(ours.call_tool, "recall_entity", arguments),
                    partial(nothing.call_tool, "nothing", arguments),
                    partial(alike.call_tool, "nothing", arguments),
                ],
                rounds=rounds,
            )
            size = len(json.dumps(answer)) / 1000
            for what, base, goal in (("the same answer", repeat, GOAL), ("no answer", idle, None)):
                ratio = (measure.p50(call) - sql) / measure.p50(base)
                detail = f"{measure.p50(call):.2f} ms less {sql:.2f} of SQL against {measure.p50(base):.2f}"
                name_of_line = f"stdio: recall_entity, {kind}, to {what}"
                if goal:
                    found.append(measure.at_most(name_of_line, ratio, goal, "×", f"{detail}; {size:.1f} kB"))
                else:
                    found.append(measure.for_information(name_of_line, ratio, "×", detail))
        found.append(measure.at_most("server at rest, resident memory", rest, MEMORY_GOAL, "MB"))
        found.append(measure.for_information("server after these calls, resident memory", _resident(pid), "MB"))
    return found


def _in_process(graph_file: Path, name: str) -> tuple[dict[str, Any], float]:
    """What recall_entity answers, and how long the SQL takes that it runs, in milliseconds."""
    statements: list[str] = []
    with keepgraph.open(graph_file, read_only=True) as graph:
        with graph.database.read("benchmark") as tx:
            tx.conn.set_trace_callback(statements.append)
        answer = graph.call("recall_entity", name_or_alias=name)
    with closing(sqlite.connect(f"file:{graph_file}?mode=ro", uri=True, isolation_level=None)) as conn:
        conn.execute("PRAGMA cache_size = -16000")

        def replay() -> None:
            for statement in statements:
                conn.execute(statement).fetchall()

        # Statements run inside triggers and full-text tables are traced too, as comments; those are not replayed.
        statements = [text for text in statements if text.lstrip().upper().startswith(("SELECT", "WITH"))]
        return answer, measure.p50(measure.each([replay] * 50))


async def _by_turns(asks: list[Ask], *, rounds: int) -> list[list[float]]:
    times: list[list[float]] = [[] for _ in asks]
    for done in range(rounds + 10):
        for index, ask in enumerate(asks):
            began = time.perf_counter()
            await ask()
            if done >= 10:
                times[index].append((time.perf_counter() - began) * 1000)
    return times


def _server(command: list[str]) -> StdioServerParameters:
    return StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))


def _kg(graph_file: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("kg")), "--db", str(graph_file), "serve"]


def _nothing() -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("nothing_server.py"))]


def _children() -> set[int]:
    """The process numbers of our children (Linux); elsewhere memory is not measured."""
    found = set()
    for task in Path("/proc/self/task").glob("*/children"):
        found |= {int(pid) for pid in task.read_text().split()}
    return found


def _resident(pid: int) -> float:
    """Resident memory in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
