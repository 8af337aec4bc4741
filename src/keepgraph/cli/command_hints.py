"""Hints for the command line: the commands that a person types, in the place of the tools that a hint names."""

from __future__ import annotations

import re

_COMMANDS = {
    "add_alias": "kg alias",
    "clear_graph": "kg clear",
    "delete_entity_edge": "kg forget",
    "delete_episode": "kg forget",
    "end_fact": "kg end",
    "explore_node": "kg show",
    "get_history": "kg history",
    "get_ontology_structure": "kg vocabulary",
    "get_overview": "kg overview",
    "get_schema": "kg vocabulary",
    "get_status": "kg status",
    "list_entities": "kg list",
    "merge_entities": "kg merge",
    "recall_decisions": "kg decisions",
    "recall_entity": "kg recall",
    "record_fact": "kg record",
    "record_facts": "kg record",
    "resolve_blocker": "kg resolve",
    "retract_fact": "kg retract",
    "run_cypher": "kg query",
    "search_memory_facts": "kg search",
    "search_nodes": "kg search",
    "set_owner": "kg me",
    "trace_path": "kg path",
    "update_entity": "kg set",
    "weekly_rollup": "kg week",
}
_TOOL = re.compile(rf"`?\b({'|'.join(_COMMANDS)})\b`?")
_REPEATED = re.compile(r"(`kg [a-z]+`)((?:,| or| and) \1)+")


def with_commands(hint: str) -> str:
    """A hint with commands in the place of the tools that it names."""
    return _REPEATED.sub(r"\1", _TOOL.sub(lambda name: f"`{_COMMANDS[name[1]]}`", hint))
