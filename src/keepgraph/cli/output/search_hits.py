"""Hits of `kg search`: a section for each kind, and for each hit the retrievers that found it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.entity_page import is_named_by_beginning
from keepgraph.cli.output.pages import Section

_TITLES = {"nodes": "Names", "edges": "Facts", "episodes": "Texts", "communities": "Communities"}
_RETRIEVERS = {
    "names": "name",
    "facts": "its facts",
    "texts": "its texts",
    "graph": "closeness",
    "meaning_of_best": "meaning",
}
_SNIPPET_LENGTH = 200
_NO_RANK = 1_000  # behind every rank


def show_hits(answer: dict[str, Any], words: Sequence[str]) -> None:
    """Show an answer of the tool `search` for a question of these words."""
    rows = {
        "nodes": [_entity_row(node) for node in answer["nodes"]],
        "edges": [(terminal.printable(edge["fact"]), describe_reason(edge)) for edge in answer["edges"]],
        "episodes": [_episode_row(episode, words) for episode in answer["episodes"]],
        "communities": [
            (terminal.printable(community["name"]), describe_reason(community)) for community in answer["communities"]
        ],
    }
    more = {kind: "… and more; --limit shows them" if answer["truncated"][kind] else "" for kind in rows}
    pages.show_sections([Section(title, rows[kind], more=more[kind]) for kind, title in _TITLES.items() if rows[kind]])


def _entity_row(node: dict[str, Any]) -> tuple[str, str]:
    perhaps = "perhaps a " if node.get("proposed") else ""
    return terminal.printable(node["name"]), f"{perhaps}{node['type']}; {describe_reason(node)}"


def _episode_row(episode: dict[str, Any], words: Sequence[str]) -> tuple[str, str]:
    label = terminal.day(episode["valid_at"])
    if not is_named_by_beginning(episode):
        label += f", “{terminal.printable(episode['name'])}”"
    snippet = _snippet(terminal.printable(episode.get("chunk", "")), words)
    return label, f"{snippet}  ({describe_reason(episode)})"


def describe_reason(hit: dict[str, Any]) -> str:
    """The retrievers that found a hit, the one that ranked it highest first."""
    ranked = sorted(hit.get("why", {}).items(), key=lambda entry: (entry[1].get("rank") or _NO_RANK, entry[0]))
    if not ranked:
        return ""
    names = dict.fromkeys(_RETRIEVERS.get(retriever, retriever) for retriever, _ in ranked)
    return f"by {', '.join(list(names)[:3])}"


def _snippet(text: str, words: Sequence[str]) -> str:
    """The part of a text around the longest of the words that it contains, else its beginning."""
    lowered = text.lower()
    longest_first = sorted(" ".join(words).lower().split(), key=len, reverse=True)
    position = next((lowered.find(word) for word in longest_first if len(word) > 2 and word in lowered), 0)
    start = max(0, position - _SNIPPET_LENGTH // 3)
    end = min(len(text), start + _SNIPPET_LENGTH)
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"
