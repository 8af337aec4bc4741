"""What every test may ask for: an open graph in a file of its own, a clock to set, and a way to call tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, settings

import keepgraph
from words import Caller, Clock, counted

settings.register_profile(
    "calm",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("calm")

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def open_graph(path: Path, clock: Clock) -> Iterator[Callable[..., keepgraph.Graph]]:
    """Opens graphs, in one file unless told otherwise, and closes them at the end."""
    new_id = counted()
    with ExitStack() as stack:

        def open(where: Path = path, **options: Any) -> keepgraph.Graph:
            options = {"zone": ZURICH, "clock": clock, "new_id": new_id, **options}
            return stack.enter_context(keepgraph.open(where, **options))

        yield open


@pytest.fixture
def graph(open_graph: Callable[..., keepgraph.Graph]) -> keepgraph.Graph:
    return open_graph()


@pytest.fixture
def call(graph: keepgraph.Graph) -> Caller:
    return Caller(graph)
