"""The catalogue of tools. A tool is a function decorated with `@tool`, and a pair of schema files with its name.

Its toolset is the name of its module and of the folder of its schemas; its description is its docstring.
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
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import aliases

DEFAULT_TOOLSETS = ("memory", "discovery")

ToolFunction = Callable[..., dict[str, Any]]
DescriptionSuffix = Callable[[Tx], str]
"""Completes the description of a tool with the vocabulary of a graph; never with names or texts stored in it."""


class Effect(Enum):
    """What a tool may do to the graph: decides on the kind of transaction, and on the hints that clients show."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its function declares it.

    Attributes:
        run: the decorated function.
        description_suffix: completes the description with the vocabulary of a graph, when the tools of a graph are
            listed.
        is_job: whether it is a job: `run` takes a `Job` in the place of a transaction, and makes many short calls.
    """

    name: str
    toolset: str
    effect: Effect
    description: str
    run: ToolFunction
    description_suffix: DescriptionSuffix | None = None
    is_job: bool = False

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()


def tool(
    effect: Effect, *, description_suffix: DescriptionSuffix | None = None, is_job: bool = False
) -> Callable[[ToolFunction], ToolFunction]:
    """Declare a function to be a tool; for the arguments see `Tool`."""

    def declare(run: ToolFunction) -> ToolFunction:
        run.__keepgraph_effect__ = effect  # type: ignore[attr-defined]
        run.__keepgraph_description_suffix__ = description_suffix  # type: ignore[attr-defined]
        run.__keepgraph_is_job__ = is_job  # type: ignore[attr-defined]
        return run

    return declare


def find(name: str) -> Tool:
    """The tool of this name, or of this alias (see aliases.py).

    Raises:
        errors.UnknownTool: there is none; similar names are candidates.
    """
    toolsets_by_tool = _toolsets_by_tool()
    name = aliases.TOOLS.get(name, name)
    if name not in toolsets_by_tool:
        from difflib import get_close_matches

        similar_names = get_close_matches(name[:100], toolsets_by_tool, n=3)
        raise errors.UnknownTool(
            f"there is no tool {name[:60]!r}",
            hint=f"Use one of {', '.join(toolsets_by_tool)}.",
            candidates=similar_names,
        )
    return _tools_of(toolsets_by_tool[name])[name]


def toolsets() -> list[str]:
    """The names of all toolsets."""
    return sorted(set(_toolsets_by_tool().values()))


def tools(chosen: Iterable[str] | None = None, *, read_only: bool = False) -> list[Tool]:
    """The tools of these toolsets (None: of all), by toolset and in the order of their module."""
    names = toolsets() if chosen is None else list(chosen)
    candidates = [candidate for name in names if name in toolsets() for candidate in _tools_of(name).values()]
    return [candidate for candidate in candidates if not read_only or candidate.effect is Effect.READ]


@cache
def _toolsets_by_tool() -> dict[str, str]:
    """The toolset of each tool, from the names of the schema files: no toolset has to be imported for it."""
    files = sorted(package_files.schemas().glob("*/*.input.json"))
    return {file.name.removesuffix(".input.json"): file.parent.name for file in files}


@cache
def _tools_of(toolset: str) -> dict[str, Tool]:
    module = importlib.import_module(f"keepgraph.tools.{toolset}")
    return {
        name: Tool(
            name=name,
            toolset=toolset,
            effect=run.__keepgraph_effect__,
            description=inspect.cleandoc(run.__doc__ or ""),
            run=run,
            description_suffix=run.__keepgraph_description_suffix__,
            is_job=run.__keepgraph_is_job__,
        )
        for name, run in vars(module).items()
        if hasattr(run, "__keepgraph_effect__")
    }
