"""The catalogue of tools. A tool is a function decorated with `@tool`, and a pair of schema files with its name.

Its toolset is the name of its module and of the folder of its schemas; its description is its docstring.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache, partial
from types import FunctionType
from typing import Any

from keepgraph import errors, package_files
from keepgraph.lazy import dataclass
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract.derived_data import NOTHING, Need, NeedsOfCall

DEFAULT_TOOLSETS = ("memory", "discovery")
INTERNAL_TOOLSETS = ("internal", "page", "query_command", "vocabulary_command")
"""For our own interfaces: these tools are called as all others are, and are never listed or offered to a client."""

ToolFunction = Callable[..., Mapping[str, Any]]
DescriptionSuffix = Callable[[Tx], str]
"""Completes the description of a tool with the vocabulary of a graph; never with names or texts stored in it."""

BackupOfCall = Callable[..., str | None]
"""The kind of the backup to make before a call, from a transaction and the arguments of the call; None is none."""


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
        needs: the derived data that a reading call needs, for every call or by its arguments.
        backup: the backup to make before a call that writes.
        prepare: loads what a call that writes needs, before the first one of a database: no other writer waits for it.
    """

    name: str
    toolset: str
    effect: Effect
    description: str
    run: ToolFunction
    description_suffix: DescriptionSuffix | None = None
    is_job: bool = False
    needs: frozenset[Need] | NeedsOfCall = NOTHING
    backup: BackupOfCall | None = None
    prepare: Callable[[Tx], None] | None = None

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()


def tool(
    effect: Effect,
    *,
    description_suffix: DescriptionSuffix | None = None,
    is_job: bool = False,
    needs: frozenset[Need] | NeedsOfCall = NOTHING,
    backup: BackupOfCall | None = None,
    prepare: Callable[[Tx], None] | None = None,
) -> Callable[[ToolFunction], ToolFunction]:
    """Declare a function to be a tool; for the arguments see `Tool`."""

    def declare(run: ToolFunction) -> ToolFunction:
        run.__keepgraph_tool__ = partial(  # type: ignore[attr-defined]
            Tool,
            effect=effect,
            description=inspect.cleandoc(run.__doc__ or ""),
            run=run,
            description_suffix=description_suffix,
            is_job=is_job,
            needs=needs,
            backup=backup,
            prepare=prepare,
        )
        return run

    return declare


def find(name: str) -> Tool:
    """The tool of this name, or of this alias.

    Raises:
        errors.UnknownTool: there is none; similar names are candidates.
    """
    toolsets_by_tool = _toolsets_by_tool()
    name = tool_name(name)
    if name not in toolsets_by_tool:
        raise unknown(name)
    return _tools_of(toolsets_by_tool[name])[name]


def unknown(name: str) -> errors.UnknownTool:
    """The error for a name that no listed tool has; similar names are candidates."""
    from difflib import get_close_matches

    listed = names()
    return errors.UnknownTool(
        f"there is no tool {name[:60]!r}",
        hint=f"Use one of {', '.join(listed)}.",
        candidates=get_close_matches(name[:100], listed, n=3),
    )


def names() -> list[str]:
    """The names of all tools that are listed; no toolset is imported for them."""
    return [tool for tool, toolset in _toolsets_by_tool().items() if toolset not in INTERNAL_TOOLSETS]


def toolsets() -> list[str]:
    """The names of all toolsets that are listed."""
    return sorted(set(_toolsets_by_tool().values()) - set(INTERNAL_TOOLSETS))


def tools(chosen: Iterable[str] | None = None, *, read_only: bool = False) -> list[Tool]:
    """The tools of these toolsets (None: of all that are listed), by toolset and in the order of their module."""
    available = {*toolsets(), *INTERNAL_TOOLSETS}
    wanted = toolsets() if chosen is None else list(chosen)
    candidates = [candidate for name in wanted if name in available for candidate in _tools_of(name).values()]
    return [candidate for candidate in candidates if not read_only or candidate.effect is Effect.READ]


@cache
def _toolsets_by_tool() -> dict[str, str]:
    """The toolset of each tool, from the names of the schema files: no toolset has to be imported for it."""
    folders = [folder for folder in os.scandir(package_files.schemas()) if folder.is_dir()]
    files = sorted((folder.name, name) for folder in folders for name in os.listdir(folder))
    return {name.removesuffix(".input.json"): folder for folder, name in files if name.endswith(".input.json")}


@cache
def _tools_of(toolset: str) -> dict[str, Tool]:
    module = importlib.import_module(f"keepgraph.tools.{toolset}")
    return {
        name: declared.__keepgraph_tool__(name=name, toolset=toolset)
        for name, declared in vars(module).items()
        if isinstance(declared, FunctionType) and hasattr(declared, "__keepgraph_tool__")
    }


# Aliases: what other memory servers call our tools, their arguments and values. Calls in these words are answered too.
#
# It is the one dictionary of them: schemas name only our own words, and those that a schema here has from its source.

TOOL_ALIASES: dict[str, str] = {
    "check_conflict_tool": "check_conflict",
    "expand_context_tool": "expand_context",
    "get_entity_neighbors_tool": "get_entity_neighbors",
    "get_garden_status_tool": "get_garden_status",
    "get_full_document_tool": "get_full_document",
    "hydra_search_tool": "hydra_search",
    "ingest_directory_tool": "ingest_directory",
    "list_entities_tool": "list_entities",
    "priming_context_tool": "priming_context",
    "trace_path_tool": "trace_path",
    "train_gnn_tool": "train_gnn",
    "verify_relation_tool": "verify_relation",
    "search_episodes": "search",
    "search_memory_nodes": "search_nodes",
    "init": "traversal_init",
    "next": "traversal_next",
    "collect": "traversal_collect",
    "reset": "traversal_reset",
    "schema_resource": "traversal_schema_resource",
    "n_from_type": "traversal_n_from_type",
    "e_from_type": "traversal_e_from_type",
    "out_step": "traversal_out_step",
    "in_step": "traversal_in_step",
    "out_e_step": "traversal_out_e_step",
    "in_e_step": "traversal_in_e_step",
    "filter_items": "traversal_filter_items",
    "search_vector": "traversal_search_vector",
    "search_vector_text": "traversal_search_vector_text",
    "search_keyword": "traversal_search_keyword",
}

ALIAS_PREFIXES = ("mcp/",)
"""What may stand before the name of a tool: the path of an endpoint."""

ARGUMENT_ALIASES: dict[str, dict[str, str]] = {
    "build_communities": {"group_id": "group_ids"},
    "clear_graph": {"group_id": "group_ids"},
    "explore_node": {"group_id": "group_ids"},
    "get_entity_connections": {"group_id": "group_ids"},
    "get_entity_timeline": {"group_id": "group_ids"},
    "get_episodes": {"group_id": "group_ids", "last_n": "max_episodes"},
    "search": {"group_id": "group_ids"},
    "search_episodes": {"max_episodes": "limit"},
    "search_memory_facts": {"group_id": "group_ids"},
    "search_nodes": {"group_id": "group_ids"},
}
"""Other names of arguments, by the name of the tool or by an alias of it."""

VALUE_ALIASES: dict[str, dict[str, dict[str, str]]] = {
    "query_entity_relations": {"direction": {"in": "incoming", "out": "outgoing"}},
}
"""Other spellings of values, by tool and argument."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "search_episodes": {"search_mode": "episodes"},
}
"""What an alias of a tool says that the tool itself leaves open."""


def tool_name(name: str) -> str:
    """The name of a tool that this name, or this alias of one, stands for; a name that is unknown as it is."""
    for prefix in ALIAS_PREFIXES:
        name = name.removeprefix(prefix)
    return TOOL_ALIASES.get(name, name)


def translate(name: str, tool: str, arguments: Any) -> Any:
    """The arguments of a call in the words of the tool.

    Args:
        name: the tool as the caller named it.
        tool: the tool that it is.
    """
    if not isinstance(arguments, Mapping) or not (
        name in DEFAULTS or tool in ARGUMENT_ALIASES or tool in VALUE_ALIASES
    ):
        return arguments
    names = {**ARGUMENT_ALIASES.get(tool, {}), **ARGUMENT_ALIASES.get(name, {})}
    spellings = VALUE_ALIASES.get(tool, {})
    translated = dict(DEFAULTS.get(name, {}))
    argument: str
    for argument, value in arguments.items():
        own: str = names.get(argument, argument)
        if own in arguments and own != argument:
            own = argument  # both are given: the tool refuses the one that it does not know
        known = spellings.get(own)
        translated[own] = known.get(value, value) if known and isinstance(value, str) else value
    return translated
