"""References to tools in hints, errors and descriptions: each interface names what its reader can use.

A text names a tool by its name alone; one whose name is an English word too (`undo`) stands in backticks. Arguments may
follow as JSON, and the command that does the same: `set_owner {"person": {"name": "Ana"}}, or `kg me Ana``. Where the
tool is shown, the command is left out. Where it is not, the reader is told the command, or another tool that does it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from keepgraph.tools.contract import catalogue

_INSTEAD: Mapping[str, tuple[str, ...]] = {
    "add_alias": ("kg alias", "change"),
    "add_memory": ("kg remember", "remember"),
    "build_communities": ("kg communities",),
    "change": ("kg edit",),
    "clear_graph": ("kg clear",),
    "create_relation": ("kg record", "record_fact"),
    "delete_entity_edge": ("kg forget", "forget"),
    "delete_episode": ("kg forget", "forget"),
    "delete_relation": ("kg retract", "forget"),
    "end_fact": ("kg end",),
    "expand_context": ("kg show", "explore_node"),
    "explain": ("kg why",),
    "explore_node": ("kg show", "get_entity_connections"),
    "extend_vocabulary": ("kg vocabulary add",),
    "forget": ("kg forget",),
    "get_entity_connections": ("kg show", "explore_node"),
    "get_entity_neighbors": ("kg neighbours", "explore_node"),
    "get_entity_timeline": ("kg timeline",),
    "get_episodes": ("kg list texts", "search"),
    "get_garden_status": ("kg garden",),
    "get_history": ("kg history",),
    "get_ontology_structure": ("kg vocabulary",),
    "get_overview": ("kg overview",),
    "get_schema": ("kg vocabulary",),
    "get_status": ("kg status",),
    "hydra_search": ("kg search", "search"),
    "ingest_directory": ("kg ingest",),
    "ingest_markdown": ("kg ingest",),
    "list_entities": ("kg list",),
    "merge_entities": ("kg merge", "change"),
    "priming_context": ("kg search", "search"),
    "query_entity_relations": ("kg neighbours", "explore_node"),
    "recall_decisions": ("kg decisions",),
    "recall_entity": ("kg recall", "search_nodes"),
    "record_fact": ("kg record", "create_relation"),
    "record_facts": ("kg record", "record_fact"),
    "remember": ("kg remember", "add_memory"),
    "resolve_blocker": ("kg resolve",),
    "retract_fact": ("kg retract", "forget"),
    "review_proposals": ("kg review",),
    "run_cypher": ("kg query",),
    "run_night_gardener": ("kg garden",),
    "search": ("kg search", "search_nodes"),
    "search_memory_facts": ("kg search", "search"),
    "search_nodes": ("kg search", "search", "recall_entity"),
    "search_ontology": ("kg vocabulary",),
    "set_owner": ("kg me",),
    "show_graph": ("kg view",),
    "trace_path": ("kg path",),
    "train_gnn": ("kg learn",),
    "undo": ("kg undo",),
    "update_entity": ("kg set", "change"),
    "weekly_rollup": ("kg week",),
}
"""For readers who do not see a tool: its command, and tools that do the same. Others are called by `kg tool call`."""

_HINTS = frozenset(("hint", "message", "suggestion"))
"""The fields of answers in which we speak to the reader."""

_DESCRIPTIONS = frozenset(("description",))
"""The same of schemas."""

_QUOTES = "“‘\"'"
_OR_COMMAND = re.compile(r",? or (?P<command>`kg [^`]+`)")
_BETWEEN = (", ", " or ", " and ", ", or ", ", and ")


def render(text: str, *, shown: Collection[str]) -> str:
    """A text with its references for a reader who sees these tools; who sees none is told commands.

    A name behind a quotation mark is what somebody else wrote, and stays.
    """
    parts: list[str] = []
    end = 0
    for match in _pattern().finditer(text):
        if match.start() < end or (match.start() and text[match.start() - 1] in _QUOTES):
            continue
        name = match["word"] or match["name"]
        arguments, after = _read_arguments(text, match.end())
        alternative = _OR_COMMAND.match(text, after)
        reference = _refer(name, arguments, alternative and alternative["command"], shown)
        between = text[end : match.start()]
        if not (parts and parts[-1] == reference and between in _BETWEEN):  # two tools may be one command
            parts += [between, reference]
        end = alternative.end() if alternative else after
    return "".join([*parts, text[end:]])


def render_answer(answer: Any, *, shown: Collection[str]) -> Any:
    """An answer or an error with the references in its hints and messages for a reader who sees these tools."""
    return _render_fields(answer, _HINTS, shown)


def render_descriptions(schema: Any, *, shown: Collection[str]) -> Any:
    """A schema with the references in its descriptions for a reader who sees these tools."""
    return _render_fields(schema, _DESCRIPTIONS, shown)


def _render_fields(value: Any, fields: Collection[str], shown: Collection[str]) -> Any:
    """A value in JSON with the references in the texts of these fields, at any depth."""
    if isinstance(value, dict):
        return {
            name: render(inner, shown=shown)
            if name in fields and isinstance(inner, str)
            else _render_fields(inner, fields, shown)
            for name, inner in value.items()
        }
    return [_render_fields(inner, fields, shown) for inner in value] if isinstance(value, list) else value


def find_names(text: str) -> set[str]:
    """The tools that a text names."""
    return {match["word"] or match["name"] for match in _pattern().finditer(text)}


@cache
def _pattern() -> re.Pattern[str]:
    """Finds the names of tools: with an underscore anywhere, others in backticks or before arguments."""
    names = sorted(catalogue.names(), key=len, reverse=True)
    joined = "|".join(name for name in names if "_" in name)
    words = "|".join(name for name in names if "_" not in name)
    return re.compile(
        rf"`(?P<word>{joined}|{words})`|(?<![\w`/.])(?P<name>(?:{joined})\b|(?:{words})(?= \{{\"))(?!\.\w)"
    )


def _read_arguments(text: str, start: int) -> tuple[str, int]:
    """The arguments in JSON that follow the name of a tool, and where they end."""
    if not text.startswith(" {", start):
        return "", start
    try:
        _, end = json.JSONDecoder().raw_decode(text, start + 1)
    except ValueError:
        return "", start
    return text[start + 1 : end], end


def _refer(name: str, arguments: str, command: str | None, shown: Collection[str]) -> str:
    if name in shown:
        return f"{name} {arguments}".rstrip()
    if command is not None:
        return command
    own_command, *others = _INSTEAD.get(name, (f"kg tool call {name}",))
    if arguments:
        return f"`kg tool call {name} {shlex.quote(arguments)}`"
    return next((other for other in others if other in shown), f"`{own_command}`")
