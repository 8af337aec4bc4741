"""Hostile files and odd calls, one after the other: each has an answer or a code, soon after its deadline at most."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import anyio
import pytest

from hostile_texts import texts
from keepgraph import errors
from keepgraph.mcp import stdio
from keepgraph.model import Settings
from keepgraph.tools.contract import catalogue, schemas
from odd_values import ODD

SECONDS_LATE = 2.0
SHORT = ("many elements", "nan within", "surrogate", "nul", "a true", "an empty text", "a list of nothing", "a bracket")


@pytest.fixture
def graph(open_graph, tmp_path):
    return open_graph(settings=Settings(document_roots=(str(tmp_path),)))


def outcomes(graph, calls: Iterable[tuple[str, Any]], *, seconds: float) -> list[str]:
    """The codes of what was refused, "" for an answer. A call that is more than two seconds late: TimeoutError."""

    async def call_all() -> list[str]:
        limiter, codes = anyio.CapacityLimiter(1), []
        for tool, arguments in calls:
            try:
                with anyio.fail_after(seconds + SECONDS_LATE):
                    await stdio.run(
                        lambda check, tool=tool, arguments=arguments: graph.call_until(check, tool, arguments),
                        limiter=limiter,
                        seconds=seconds,
                    )
            except errors.KeepgraphError as error:
                codes.append(error.code)
            else:
                codes.append("")
        return codes

    return anyio.run(call_all)


def ingestions(folder, *, size: int, every: int = 1) -> Iterator[tuple[str, Any]]:
    """Each hostile file, and after each a small one."""
    for name, text in islice(texts(size), 0, None, every):
        for file, content in ((folder / f"{name}.md", text), (folder / f"{name} small.md", f"Ada of {name}.")):
            file.write_text(content, encoding="utf-8", newline="")
            yield "ingest_markdown", {"file_path": str(file)}


def odd_calls(count: int, values: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Calls as in the examples of the schemas, with an odd value in the place of one argument, or of all."""
    rng = random.Random(1)
    tools, values = [tool for tool in catalogue.tools(None) if not tool.is_job], list(values)
    for _ in range(count):
        tool, odd = rng.choice(tools), ODD[rng.choice(values)]
        names = sorted(schemas.load(tool.toolset, tool.name, "input").get("properties", {}))
        example = schemas.example(tool.toolset, tool.name) or {}
        yield tool.name, {**example, rng.choice(names): odd} if names and rng.random() < 0.9 else odd


def test_hostile_files_and_odd_calls_each_get_an_answer_or_a_code(graph, tmp_path):
    files = outcomes(graph, ingestions(tmp_path, size=1_000, every=10), seconds=30)
    calls = outcomes(graph, odd_calls(25, SHORT), seconds=30)

    assert {""} == set(files) - {"DOCUMENT_UNREADABLE"}
    assert not {"INTERNAL_ERROR", "DEADLINE_EXCEEDED"} & set(calls)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sixty_long_files_and_fifteen_hundred_odd_calls_keep_their_deadlines(graph, tmp_path):
    files = outcomes(graph, ingestions(tmp_path, size=100_000), seconds=5)
    calls = outcomes(graph, odd_calls(1_500, ODD), seconds=5)

    assert set(files) <= {"", "DOCUMENT_UNREADABLE", "DEADLINE_EXCEEDED"}
    assert set(files[1::2]) == {""}
    assert "INTERNAL_ERROR" not in calls
