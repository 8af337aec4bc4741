"""Counts what a command or a call costs, in a process of its own: imports, classes, patterns, Python calls, SQL.

    python tests/call_counts.py command FILE record person:Ana works_on project:Atlas
    python tests/call_counts.py call FILE recall_entity
    python tests/call_counts.py make FILE
    python tests/call_counts.py time FILE

`make` makes a graph for that; `time` reads names of calls, and prints how many milliseconds of CPU time each took. A
command is counted from its first import to its end; a call the third time it is made, when all that stays is loaded.
The last line printed is a JSON object with the counts. They depend neither on the clock nor on the machine: what other
threads do is not counted.
"""

from __future__ import annotations

import builtins
import dataclasses
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

Counts = dict[str, int]

_counted: Counter[str] = Counter()

_NOT_COUNTED = ("<frozen ", __file__)
"""Where code stands that is not counted: how often the import system calls itself depends on caches of folders."""


def main() -> None:
    kind, file, *words = sys.argv[1:]
    if kind == "make":
        make_graph(file)
        return
    if kind == "time":
        _time_calls(file)
        return
    _watch_classes_and_patterns()
    sqlite.connect = _connect
    if kind == "command":
        _command(file, words)
        print(json.dumps({**_counts_of_imports(), **_counts_of_calls()}))
    else:
        _call(file, words[0])
        print(json.dumps(_counts_of_calls()))


def _counts_of_imports() -> Counts:
    modules = sum(name.partition(".")[0] == "keepgraph" for name in sys.modules)
    return {"modules": modules, **{name: _counted[name] for name in ("classes", "dataclasses", "patterns")}}


def _counts_of_calls() -> Counts:
    return {name: _counted[name] for name in ("python_calls", "lines", "statements", "sql_steps") if _counted[name]}


def _command(file: str, words: list[str]) -> None:
    sys.setprofile(_count_call)
    from keepgraph.cli import root

    try:
        root.kg(["--db", file, *words], prog_name="kg")
    except SystemExit as end:
        sys.setprofile(None)
        if end.code not in (0, 3):
            raise


def _call(file: str, call: str) -> None:
    import keepgraph

    with keepgraph.open(file) as graph:
        name, arguments = CALLS[call]
        for turn in range(3):
            given = arguments(turn)
            _counted.clear()
            sys.settrace(_count_line)
            graph.call(name, **given)
            sys.settrace(None)


def _time_calls(file: str) -> None:
    import keepgraph.errors

    turns: Counter[str] = Counter()
    with keepgraph.open(file) as graph:
        for line in sys.stdin:
            name, arguments = CALLS[line.strip()]
            given = arguments(turns[name] % 3)
            turns[name] += 1
            began = time.process_time()
            try:
                graph.call(name, **given)
            except keepgraph.errors.UnknownTool:
                print("nan", flush=True)  # an older commit may lack it
            else:
                print(1000 * (time.process_time() - began), flush=True)


def make_graph(file: str | Path) -> None:
    """Make a graph of some hundred facts and twelve texts, with all its vectors and mentions."""
    import keepgraph
    from keepgraph.cli import root

    with keepgraph.open(file) as graph:
        names = [*(f"Person Number{n}" for n in range(60)), "Presley Adams"]
        for start in (0, 3, 5):
            facts = [_fact(name, f"Project {(n + start) % 12}") for n, name in enumerate(names)]
            graph.call("record_facts", facts=facts)
        for n in range(3):
            plan = {"type": "source", "name": f"https://plans.example/{n}"}
            subject = {"type": "concept", "name": "Timetables"}
            graph.call("record_fact", subject=plan, predicate="covers", object=subject)
        for n in range(12):
            text = f"The licence for Project {n} is on its way to the harbour. The review is in week {n + 1}."
            graph.call("remember", text=text)
        graph.call("search", query="licence")
    root.kg(["--db", str(file), "reindex"], standalone_mode=False)


def _person(name: str) -> dict[str, str]:
    return {"type": "person", "name": name}


def _fact(subject: str, project: str) -> dict[str, Any]:
    return {"subject": _person(subject), "predicate": "works_on", "object": {"type": "project", "name": project}}


COMMANDS = {
    "help": ["--help"],
    "record": ["record", "person:Person Number4", "works_on", "project:Project 7"],
    "recall_hit": ["recall", "Person Number4"],
    "recall_slip": ["recall", "Presly Adams"],
    "recall_miss": ["recall", "Zyxx Qwertz"],
    "search": ["search", "licence"],
    "week": ["week"],
}
"""The commands that are counted."""

NEW_NAMES = ("Oluwaseun Adeyemi", "Margarethe Zimmer", "Ichiro Tanaka")

CALLS: dict[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "recall_entity": ("recall_entity", lambda turn: {"name_or_alias": f"Person Number{turn + 3}"}),
    "recall_for": ("recall_for", lambda turn: {"message": f"Does Person Number{turn} still work on Project {turn}?"}),
    "recall_identifier": ("recall_entity", lambda turn: {"name_or_alias": f"https://plans.example/{turn}"}),
    "record_fact_known": ("record_fact", lambda turn: _fact(f"Person Number{turn}", f"Project {turn + 3}")),
    "record_fact_new": ("record_fact", lambda turn: _fact(NEW_NAMES[turn], "Project 3")),
    "record_facts_100": (
        "record_facts",
        lambda turn: {"facts": [_fact(f"Person Number{n % 50}", f"Project {(n + turn) % 9}") for n in range(100)]},
    ),
    "point_query": (
        "run_cypher",
        lambda turn: {
            "query": "MATCH (p:Person {name: $name}) RETURN p.name",
            "parameters": {"name": f"Person Number{turn}"},
        },
    ),
    "search": ("search", lambda turn: {"query": ("licence", "review", "harbour")[turn]}),
    "weekly_rollup": ("weekly_rollup", lambda _: {}),
}
"""The calls that are counted: the tool, and its arguments for each time."""


def _count_call(frame: FrameType, event: str, _: object) -> None:
    if event == "call" and not frame.f_code.co_filename.startswith(_NOT_COUNTED):
        _counted["python_calls"] += 1


def _count_line(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
    """Counts the lines too: a loop may cost much and call nothing."""
    if frame.f_code.co_filename.startswith(_NOT_COUNTED):
        return None
    _counted["python_calls"] += event == "call"
    _counted["lines"] += event == "line"
    return _count_line


def _watch_classes_and_patterns() -> None:
    build_class = builtins.__build_class__
    process_class = dataclasses._process_class
    compile_pattern = re._compiler.compile

    def build(function: Callable[..., Any], name: str, *bases: Any, **options: Any) -> type:
        _counted["classes"] += function.__globals__["__name__"].startswith("keepgraph")
        return build_class(function, name, *bases, **options)

    def process(cls: type, *arguments: Any) -> type:
        _counted["dataclasses"] += 1
        return process_class(cls, *arguments)

    def compile_counted(*arguments: Any) -> re.Pattern[str]:
        _counted["patterns"] += 1
        return compile_pattern(*arguments)

    builtins.__build_class__ = build
    dataclasses._process_class = process
    re._compiler.compile = compile_counted


class _Connection(sqlite.Connection):
    """A connection whose progress handler counts, in the place of the one that looks for a cancelled call."""

    def set_progress_handler(self, *_: Any) -> None:
        pass


def _connect(*arguments: Any, **options: Any) -> sqlite.Connection:
    conn = sqlite.Connection.__new__(_Connection)
    conn.__init__(*arguments, **options)
    conn.set_trace_callback(_count_statement)
    sqlite.Connection.set_progress_handler(conn, _count_step, 1)
    return conn


def _count_statement(text: str) -> None:
    # What triggers and full-text tables run is traced as a comment.
    _counted["statements"] += not text.startswith("--")


def _count_step() -> int:
    # SQLite asks wherever a loop begins anew, and at the end of a statement: about once a row that it steps over.
    _counted["sql_steps"] += 1
    return 0


if __name__ == "__main__":
    main()
