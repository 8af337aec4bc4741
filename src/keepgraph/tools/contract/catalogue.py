"""The catalogue of tools. A tool is a function decorated with `@tool`, and a pair of schema files with its name.

Its toolset is the name of its module and of the folder of its schemas; its description is its docstring.

A tool also declares the derived data that it needs, such as vectors or mentions. Derived data is computed after the
write that makes it necessary. Before a call whose answer would be better with data that is still missing, dispatch
backfills for as long as there is time; then the tool answers with what there is.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from enum import Enum
from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from keepgraph import errors, package_files, store
from keepgraph.engine import knowledge, texts, vector_backfill
from keepgraph.engine.analysis import graph_map
from keepgraph.engine.resolution import resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

if TYPE_CHECKING:
    from keepgraph.store.derived_tables import VectorKind


class Need(Enum):
    """A kind of derived data. Kinds are backfilled in this order."""

    MENTIONS = "mentions"
    NAME_VECTORS = "vectors of names"
    VECTORS = "vectors"
    MAP_PLACES = "places on the map"


_MAX_UNREAD = 100
"""A call to a server waits for the mentions of at most this many names and texts: a tenth of a second or two."""

NeedsOfCall = Callable[..., frozenset[Need]]
"""What a call needs: a function of a transaction and the arguments of the call."""

NOTHING: frozenset[Need] = frozenset()
ALL = frozenset(Need)
NAME_VECTORS = frozenset([Need.NAME_VECTORS])
MENTIONS = frozenset([Need.MENTIONS])
MAP_PLACES = frozenset([Need.MAP_PLACES])
MENTIONS_AND_VECTORS = frozenset([Need.MENTIONS, Need.VECTORS])


def is_missing(tx: Tx, need: Need) -> bool:
    """Whether some data of this kind is missing and can be backfilled on this machine. Loads no model."""
    if need is Need.MENTIONS:
        return tx.cached(need, lambda: store.mentions.any_unread(tx))
    if need is Need.MAP_PLACES:
        return store.communities.any_missing(tx)
    return vector_backfill.is_due(tx, _vector_kinds(need))


def is_left_to_background(tx: Tx, need: Need) -> bool:
    """Whether a server that makes this data in the background does not let a call wait for it: where much waits."""
    return need is Need.MENTIONS and store.mentions.is_longer_than(tx, _MAX_UNREAD)


def backfill_some(
    database: Database, need: Need, *, seconds: float | None = None, has_background: bool = False
) -> None:
    """Backfill as much of this kind as a read may wait for, the newest first.

    Args:
        seconds: stop after the batch in which this time has passed; None is as long as a read may wait.
        has_background: whether a task in the background makes the vectors of all but the newest.

    Raises:
        errors.ModelUnavailable: vectors are needed, and the model cannot be used.
        errors.GraphFileError: the graph cannot be written.
    """
    if seconds is None:
        seconds = vector_backfill.MAX_SECONDS_OF_A_READ
    if need is Need.MENTIONS:
        texts.mention_index.backfill(database, seconds=seconds)
    elif need is Need.MAP_PLACES:
        graph_map.place_missing(database)
    else:
        vector_backfill.backfill_some(database, _vector_kinds(need), seconds=seconds, has_background=has_background)


def _vector_kinds(need: Need) -> tuple[VectorKind, ...]:
    return (store.derived_tables.NAME_VECTORS,) if need is Need.NAME_VECTORS else store.derived_tables.VECTOR_KINDS


# What a call needs to resolve the names in its arguments: vectors of names, where letters find nothing.


def to_resolve(*arguments: str, besides: frozenset[Need] = NOTHING) -> NeedsOfCall:
    """What a tool needs that resolves the names of entities in these arguments, where and when the call says.

    An argument may be a list of names.

    Args:
        besides: what it needs in any case.
    """

    def needs_of_call(
        tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **given: Any
    ) -> frozenset[Need]:
        tx, _ = knowledge.projects.enter_named(tx, project)
        tx = to(tx, as_of=as_of or None, known_at=known_at)
        values = [given.get(argument) or "" for argument in arguments]
        names = [Name(text) for value in values for text in ([value] if isinstance(value, str) else value)]
        return besides | vectors_if(any(name.key and resolver.needs_vectors(tx, name) for name in names))

    return needs_of_call


def to_resolve_project(
    tx: Tx, *, project: str | None = None, as_of: str | None = None, known_at: str | None = None, **_: object
) -> frozenset[Need]:
    """What a tool needs that resolves `project`, as of the moment of the call; nothing if it is a group's id."""
    tx = to(tx, as_of=as_of, known_at=known_at)
    if not project or knowledge.projects.is_group(tx, project):
        return NOTHING
    types = graph_vocabulary.read(tx).project_types or None
    return vectors_if(resolver.needs_vectors(tx, Name(project), of_types=types))


def vectors_if(needed: bool) -> frozenset[Need]:
    """The vectors of names, or nothing."""
    return NAME_VECTORS if needed else NOTHING


# Time travel: the transaction of a read as of another moment.
#
# `as_of` asks what held then; `known_at` asks what was known then.


def to(tx: Tx, *, as_of: str | None, known_at: str | None) -> Tx:
    """The transaction as of another moment: what held at `as_of`, of what was known at `known_at`.

    A date means the end of that local day. `known_at` without `as_of` means the same moment for both.

    Raises:
        errors.MomentInvalid: one of them is neither a date nor an instant.
    """
    if as_of is None and known_at is None:
        return tx
    known_moment = _parse(tx, known_at, "known_at") if known_at is not None else None
    now = _parse(tx, as_of, "as_of") if as_of is not None else known_moment
    return replace(tx, now=now or tx.now, known_at=timestamps.from_datetime(known_moment) if known_moment else None)


def to_valid_at(tx: Tx, valid_at: str | None) -> Tx:
    """The transaction as of `valid_at`: what held then, of what is known now. A date means the end of that local day.

    Raises:
        errors.MomentInvalid: it is neither a date nor an instant.
    """
    return tx if valid_at is None else replace(tx, now=_parse(tx, valid_at, "valid_at"))


def time_range(tx: Tx, *, since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """The timestamps from which and until which something is meant, both included; None if it is open.

    Raises:
        errors.MomentInvalid: one of them is neither a date nor an instant, or they are the wrong way round.
    """
    first, last = None, None
    if since:
        try:
            first = timestamps.parse(since, tx.zone)
        except (ValueError, OverflowError) as error:
            raise errors.MomentInvalid(f"since is {error}") from error
    if until:
        last = timestamps.from_datetime(_parse(tx, until, "until"))
    if first and last and last < first:
        raise errors.MomentInvalid(f"until ({until}) is before since ({since})", hint="Exchange them.")
    return first, last


def _parse(tx: Tx, text: str, parameter: str) -> datetime:
    try:
        return timestamps.parse_as_of(text, tx.zone)
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(f"{parameter} is {error}") from error


DEFAULT_TOOLSETS = ("memory", "discovery")
INTERNAL_TOOLSETS = ("internal", "page", "query_command", "vocabulary_command")
"""For our own interfaces: these tools are called as all others are, and are never listed or offered to a client."""

ToolFunction = Callable[..., Mapping[str, Any]]
DescriptionSuffix = Callable[[Tx], str]
"""Completes the description of a tool with the vocabulary of a graph; never with names or texts stored in it."""

BackupOfCall = Callable[..., str | None]
"""The kind of the backup to make before a call, from a transaction and the arguments of the call; None: no backup."""


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
    near = get_close_matches(name[:100], listed, n=3)
    return errors.UnknownTool(
        f"there is no tool {name[:60]!r}", hint=f"Use one of {', '.join(near or listed)}.", candidates=near
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
