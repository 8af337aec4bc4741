"""What commands and calls cost, in counts: none costs more than `tests/budgets.toml` says, with 5 % of room.

Counts are compared for the interpreter by which they were written: another one imports and calls in another way.
Whoever makes a call dearer or cheaper writes the table anew with `make golden`; the difference is part of the review.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import call_counts
import homes
import keepgraph

SCRIPT = Path(call_counts.__file__)
TABLE = SCRIPT.with_name("budgets.toml")

ROOM = 1.05

INTERPRETER = "{} {}.{}".format(sys.implementation.name, *sys.version_info)

HEADER = """\
# What each command and each call costs. tests/golden/test_budgets.py compares, with 5 % of room; `make golden` writes.
# Of a command all from its first import is counted; the modules and classes are ours. python_calls and lines are those
# of Python but for its import system; sql_steps are about one for each row that SQLite steps over.
"""

SUBJECTS = {f"command.{name}": ("command", words) for name, words in call_counts.COMMANDS.items()} | {
    f"call.{name}": ("call", [name]) for name in call_counts.CALLS
}


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("budgets") / "graph.db"
    environment = homes.environment(file.parent)
    subprocess.run([sys.executable, str(SCRIPT), "make", str(file)], env=environment, check=True)
    return file


@pytest.fixture(scope="module")
def larger_file(graph_file: Path) -> Path:
    """The same graph with a thousand facts about other things, every fifth of them an open blocker."""
    file = graph_file.with_name("larger.db")
    shutil.copy(graph_file, file)
    with keepgraph.open(file) as graph:
        answer = graph.call("record_facts", facts=[fact_of_others(number) for number in range(1_000)])
        for _ in range(20):
            # A call looks for the new names in texts for as long as it may; what is counted finds nothing left to do.
            graph.call("recall_entity", name_or_alias="Person Number1")
    assert answer["recorded"] == 1_000
    return file


@pytest.fixture(scope="module")
def count(graph_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a subject costs on the graph; it is counted once."""
    return cache(partial(counts, graph_file, tmp_path_factory.mktemp("counted")))


def counts(graph_file: Path, folder: Path, subject: str) -> dict[str, int]:
    """What a command or call costs in a process of its own, on a copy of the graph."""
    kind, words = SUBJECTS[subject]
    file = folder / "graph.db"
    shutil.copy(graph_file, file)
    environment = {**homes.environment(folder), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), kind, str(file), *words],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("subject", SUBJECTS)
def test_nothing_costs_more_than_its_budget(request, count, subject):
    found = count(subject)
    budgets = tomllib.loads(TABLE.read_text("utf-8"))
    kind, name = subject.split(".")
    if request.config.getoption("--update-golden"):
        budgets = {**budgets, "interpreter": INTERPRETER, kind: {**budgets.get(kind, {}), name: found}}
        write(budgets)
    if budgets["interpreter"] != INTERPRETER:
        pytest.skip(f"the budgets are those of {budgets['interpreter']}")
    budget = budgets[kind][name]
    dearer = {what: (number, budget[what]) for what, number in found.items() if number > budget[what] * ROOM}

    assert not dearer


KNOWN = tuple(
    f"call.{name}" for name in ("recall_entity", "recall_for", "recall_identifier", "record_fact_known", "point_query")
)


@pytest.mark.parametrize("subject", KNOWN)
def test_what_is_known_of_others_costs_a_call_nothing(count, larger_file, tmp_path, subject):
    assert counts(larger_file, tmp_path, subject)["sql_steps"] <= count(subject)["sql_steps"] * 1.1 + 50


def fact_of_others(number: int) -> dict[str, Any]:
    subject = {"type": "source", "name": f"Report of day {number // 2}"}
    predicate = "cites" if number % 5 else "blocked_by"
    return {"subject": subject, "predicate": predicate, "object": {"type": "concept", "name": f"Method {number % 91}"}}


def write(budgets: dict[str, Any]) -> None:
    """Write the table, with those of its sections that there still are."""
    sections = [HEADER + f'interpreter = "{budgets["interpreter"]}"\n']
    for subject in SUBJECTS:
        kind, name = subject.split(".")
        lines = [f"{what} = {number}\n" for what, number in budgets.get(kind, {}).get(name, {}).items()]
        sections.append(f"[{subject}]\n" + "".join(lines))
    TABLE.write_text("\n".join(sections), encoding="utf-8")
