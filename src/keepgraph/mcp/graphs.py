"""The graphs of one server: which of them a call means, and how tools and resources say so where there are several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp.types as t

from keepgraph import errors
from keepgraph.activity import Activity
from keepgraph.graph import Graph
from keepgraph.mcp import http_access

ARGUMENT = "graph"
"""The argument of every tool that names a graph, where a server has several; no tool has one of this name."""

ALL = "all"
TOOLS_FOR_ALL = frozenset({"search", "recall_entity"})
"""The tools that put one question to every graph."""

_RESOURCE_QUERY = f"?{ARGUMENT}="


@dataclass(frozen=True, slots=True)
class ServedGraph:
    """A graph, and the counter of the calls on it."""

    name: str
    graph: Graph
    activity: Activity


class ServedGraphs:
    """The graphs that a caller may use, by name.

    Args:
        are_named: whether a call may name its graph even if there is only one.
    """

    def __init__(self, served: list[ServedGraph], *, are_named: bool) -> None:
        self.by_name = {each.name: each for each in served}
        self.are_several = len(served) > 1
        self._are_named = are_named or self.are_several

    @property
    def first(self) -> ServedGraph:
        return next(iter(self.by_name.values()))

    def choose(self, tool: str, arguments: Any) -> tuple[list[ServedGraph], Any]:
        """The graphs that a call means, and its arguments without their name.

        Raises:
            errors.InvalidArguments: it names none, where there are several.
            http_access.GraphNotAllowed: the caller has no graph of this name.
        """
        if not self._are_named or not isinstance(arguments, dict):
            return [self.first], arguments
        name = arguments.get(ARGUMENT)
        rest = {key: value for key, value in arguments.items() if key != ARGUMENT}
        if name is None and not self.are_several:
            return [self.first], rest
        if name is None:
            raise errors.InvalidArguments("the call does not say which graph it means", hint=self._hint(tool))
        if name == ALL and tool in TOOLS_FOR_ALL:
            return list(self.by_name.values()), rest
        return [self.find(name, hint=self._hint(tool))], rest

    def find(self, name: Any, *, hint: str | None = None) -> ServedGraph:
        """
        Raises:
            http_access.GraphNotAllowed: the caller has no graph of this name.
        """
        served = self.by_name.get(name) if isinstance(name, str) else None
        if served is None:
            raise http_access.GraphNotAllowed(f"there is no graph {str(name)[:60]!r} for this caller", hint=hint)
        return served

    def _hint(self, tool: str) -> str:
        every = f", or {ALL}" if tool in TOOLS_FOR_ALL and self.are_several else ""
        return f"Set {ARGUMENT} to one of {', '.join(self.by_name)}{every}."

    def with_argument(self, tool: str, schema: dict[str, Any]) -> dict[str, Any]:
        """The input schema of a tool; where there are several graphs, with the argument that names one."""
        if not self.are_several:
            return schema
        names = [*self.by_name, *([ALL] if tool in TOOLS_FOR_ALL else [])]
        argument = {"type": "string", "enum": names, "description": "The graph that is meant."}
        return {
            **schema,
            "properties": {ARGUMENT: argument, **schema.get("properties", {})},
            "required": [ARGUMENT, *schema.get("required", [])],
        }

    def resources(self, resources: list[t.Resource]) -> list[t.Resource]:
        """The resources of each graph."""
        if not self.are_several:
            return resources
        return [
            resource.model_copy(
                update={
                    "name": f"{resource.name} of {name}",
                    "title": f"{resource.title} ({name})",
                    "uri": f"{resource.uri}{_RESOURCE_QUERY}{name}",
                }
            )
            for name in self.by_name
            for resource in resources
        ]

    def templates(self, templates: list[t.ResourceTemplate]) -> list[t.ResourceTemplate]:
        if not self.are_several:
            return templates
        ending = f"{_RESOURCE_QUERY}{{{ARGUMENT}}}"
        return [template.model_copy(update={"uri_template": template.uri_template + ending}) for template in templates]

    def of_resource(self, uri: str) -> tuple[ServedGraph, str]:
        """The graph that the URI of a resource means, and the URI without its name.

        Raises:
            errors.InvalidArguments, http_access.GraphNotAllowed: as of a call.
        """
        rest, separator, name = uri.rpartition(_RESOURCE_QUERY)
        if not self._are_named or not separator:
            if self.are_several:
                raise errors.InvalidArguments(
                    f"{uri[:200]} does not say which graph it means", hint=f"Add {_RESOURCE_QUERY}NAME."
                )
            return self.first, uri
        return self.find(name), rest


def merge_words(words: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The common words of several graphs as one list of each kind, no longer than the longest."""
    if len(words) == 1:
        return words[0]
    merged = {}
    for kind in words[0]:
        lists = [of_graph[kind]["names"] for of_graph in words]
        names = list(dict.fromkeys(name for names in lists for name in names))
        hidden = sum(of_graph[kind]["total"] - len(of_graph[kind]["names"]) for of_graph in words)
        merged[kind] = {"names": names[: max(map(len, lists))], "total": len(names) + hidden}
    return merged


def marked(name: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with the name of its graph."""
    return {ARGUMENT: name, **answer}
