"""The tools as typed methods of a graph, and as the page calls them: the generated types are those of the schemas."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import keepgraph
import page_types
import tool_calls
from keepgraph.tools.contract import catalogue


@pytest.mark.parametrize("generator", [tool_calls, page_types])
def test_the_types_are_what_the_schemas_say(request, generator):
    expected = generator.generate()
    if request.config.getoption("--update-golden"):
        generator.FILE.write_text(expected, encoding="utf-8")

    assert generator.FILE.read_text(encoding="utf-8") == expected


PROGRAM = """\
import keepgraph
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.tool_calls import RecordFact

with keepgraph.open("notes.db") as graph:
    priya = {"type": "person", "name": "Priya"}
    answer: "RecordFact" = graph.record_fact(
        subject={"type": "person", "name": "Priya"}, predicate="knows", object={"type": "person", "name": "Ana"}
    )
    print(answer["fact_id"].upper(), answer["subject"]["name"])
"""

LINES = {
    'graph.search(query="Ana", reranker="mmr", limit=3)["nodes"]': None,
    'graph.record_fact(subjekt={"name": "Priya"}, predicate="knows", object={"name": "Ana"})': "subjekt",
    'graph.search(query="Ana", reranker="best")': "arg-type",
    'graph.search(query="Ana")["results"]': "results",
    'graph.recal_entity(name_or_alias="Ana")': "recal_entity",
}


def test_a_type_checker_knows_the_tools(tmp_path):
    """
    With the settings of `make lint`, whose cache it shares: with others, each run would void the cache of the other.
    """
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "".join(f"    {line}\n" for line in LINES), "utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tool_calls.ROOT,
    )
    told: dict[int, str] = {}
    for number, text in re.findall(r"program\.py:(\d+): (.*)$", checked.stdout, re.MULTILINE):
        told[int(number)] = told.get(int(number), "") + text
    expected = {number: part for number, part in enumerate(LINES.values(), PROGRAM.count("\n") + 1) if part}

    assert told.keys() == expected.keys(), checked.stdout + checked.stderr
    for number, part in expected.items():
        assert part in told[number]


def test_each_tool_is_a_method_of_a_graph(graph: keepgraph.Graph):
    assert graph.get_status()["status"] == "ok"
    for name in [*(tool.name for tool in catalogue.tools()), *catalogue.TOOL_ALIASES]:
        assert callable(getattr(graph, name))


def test_what_is_no_tool_is_no_attribute(graph: keepgraph.Graph):
    with pytest.raises(AttributeError, match="there is no tool"):
        graph.recal_entity  # noqa: B018
