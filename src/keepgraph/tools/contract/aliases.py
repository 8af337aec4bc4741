"""Aliases: what other memory servers call our tools, their arguments and values. Calls in these words are answered too.

It is the one dictionary of them: schemas name only our own words, and those that a schema here has from its source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TOOLS: dict[str, str] = {
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

PREFIXES = ("mcp/",)
"""What may stand before the name of a tool: the path of an endpoint."""

ARGUMENTS: dict[str, dict[str, str]] = {
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

VALUES: dict[str, dict[str, dict[str, str]]] = {
    "query_entity_relations": {"direction": {"in": "incoming", "out": "outgoing"}},
}
"""Other spellings of values, by tool and argument."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "search_episodes": {"search_mode": "episodes"},
}
"""What an alias of a tool says that the tool itself leaves open."""


def tool_name(name: str) -> str:
    """The name of a tool that this name, or this alias of one, stands for; a name that is unknown as it is."""
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return TOOLS.get(name, name)


def translate(name: str, tool: str, arguments: Any) -> Any:
    """The arguments of a call in the words of the tool.

    Args:
        name: the tool as the caller named it.
        tool: the tool that it is.
    """
    if not isinstance(arguments, Mapping) or not (name in DEFAULTS or tool in ARGUMENTS or tool in VALUES):
        return arguments
    names = {**ARGUMENTS.get(tool, {}), **ARGUMENTS.get(name, {})}
    spellings = VALUES.get(tool, {})
    translated = dict(DEFAULTS.get(name, {}))
    argument: str
    for argument, value in arguments.items():
        own: str = names.get(argument, argument)
        if own in arguments and own != argument:
            own = argument  # both are given: the tool refuses the one that it does not know
        known = spellings.get(own)
        translated[own] = known.get(value, value) if known and isinstance(value, str) else value
    return translated
