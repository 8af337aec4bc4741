"""Which tools there are. A tool is one function under @tool, and a pair of schema files with its name.

Its toolset is the folder of its schemas and the module it is in; its description is its docstring.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from keepgraph import errors, package_files
from keepgraph.store.database import Tx
from keepgraph.tools.contract import aliases

DEFAULT_TOOLSETS = ("memory", "discovery")

Run = Callable[..., dict[str, Any]]
Told = Callable[[Tx], str]
"""What the graph adds to a description: its own words, never what is stored under them."""


class Effect(Enum):
    """What a tool does to the graph. It picks the connection, and the hints that clients show."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its function declares it.

    Attributes:
        told: completes the description with the words of a graph, where a graph is at hand.
        drives: whether it is long work: it is given a Drive in the place of a transaction, and makes many short calls.
    """

    name: str
    toolset: str
    effect: Effect
    description: str
    run: Run
    told: Told | None = None
    drives: bool = False

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()


def tool(effect: Effect, *, told: Told | None = None, drives: bool = False) -> Callable[[Run], Run]:
    """Declare a function a tool."""

    def declare(run: Run) -> Run:
        run.__keepgraph_effect__ = effect  # type: ignore[attr-defined]
        run.__keepgraph_told__ = told  # type: ignore[attr-defined]
        run.__keepgraph_drives__ = drives  # type: ignore[attr-defined]
        return run

    return declare


def find(name: str) -> Tool:
    """The tool of this name, or of the name that it has elsewhere (see aliases.py).

    Raises:
        errors.UnknownTool: there is none; near names are candidates.
    """
    known = _toolset_of()
    name = aliases.TOOLS.get(name, name)
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name[:100], known, n=3)
        raise errors.UnknownTool(
            f"there is no tool {name[:60]!r}", hint=f"Use one of {', '.join(known)}.", candidates=near
        )
    return _module(known[name])[name]


def toolsets() -> list[str]:
    """The names of all toolsets."""
    return sorted(set(_toolset_of().values()))


def tools(chosen: Iterable[str] | None = None, *, read_only: bool = False) -> list[Tool]:
    """The tools of these toolsets (None: of all), by toolset and in the order of their module."""
    wanted = toolsets() if chosen is None else list(chosen)
    found = [each for name in wanted if name in toolsets() for each in _module(name).values()]
    return [each for each in found if not read_only or each.effect is Effect.READ]


@cache
def _toolset_of() -> dict[str, str]:
    """Each tool with its toolset, read off the names of the schema files alone: nothing is imported for it."""
    files = sorted(package_files.schemas().glob("*/*.input.json"))
    return {file.name.removesuffix(".input.json"): file.parent.name for file in files}


@cache
def _module(toolset: str) -> dict[str, Tool]:
    module = importlib.import_module(f"keepgraph.tools.{toolset}")
    return {
        name: Tool(
            name=name,
            toolset=toolset,
            effect=run.__keepgraph_effect__,
            description=inspect.cleandoc(run.__doc__ or ""),
            run=run,
            told=run.__keepgraph_told__,
            drives=run.__keepgraph_drives__,
        )
        for name, run in vars(module).items()
        if hasattr(run, "__keepgraph_effect__")
    }
