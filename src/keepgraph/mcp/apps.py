"""MCP Apps: the page as a resource, the tools whose answers it shows, and their text for other clients.

Specification of 2026-01-26 (SEP-1865). A client without MCP Apps shows the text of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp.types as t

from keepgraph.english import count_noun
from keepgraph.web import page_file

PAGE = "ui://keepgraph/view.html"
MIME_TYPE = "text/html;profile=mcp-app"

_TOOLS = frozenset({"show_graph"})
_MAX_SENTENCES = 300


def meta_of(tool: str) -> dict[str, Any] | None:
    """What a client needs to show the answer of a tool on the page, in both spellings that clients read."""
    return {"ui": {"resourceUri": PAGE}, "ui/resourceUri": PAGE} if tool in _TOOLS else None


def resource() -> t.Resource:
    return t.Resource(
        name="page",
        title="Page",
        uri=PAGE,
        mime_type=MIME_TYPE,
        description="The page that shows the answer of show_graph.",
    )


def content() -> t.TextResourceContents:
    """The page itself. It loads nothing, so its policy names no domains."""
    return t.TextResourceContents(
        uri=PAGE, mime_type=MIME_TYPE, text=page_file.read(), _meta={"ui": {"prefersBorder": True}}
    )


def text_of(tool: str, answer: Mapping[str, Any]) -> str | None:
    """The facts of an answer as sentences, one a line; None for a tool whose answer the page does not show."""
    if tool not in _TOOLS:
        return None
    facts, names = answer["facts"], answer["nodes"]["name"]
    if not names:
        near = ", ".join(match["name"] for match in (answer["resolution"] or {}).get("candidates", ()))
        return f"Nothing has this name.{f' Near: {near}.' if near else ''}"
    columns = zip(facts["subject"], facts["predicate"], facts["object"], strict=True)
    sentences = [
        f"{names[subject]} {answer['predicates'][predicate].replace('_', ' ')} "
        f"{names[target] if target >= 0 else facts['literal'][str(number)]}"
        for number, (subject, predicate, target) in enumerate(columns)
    ]
    left_out = len(sentences) - _MAX_SENTENCES
    more = [f"… and {left_out:,} more facts"] if left_out > 0 else []
    part = ", a part of the graph" if answer["truncated"] else ""
    count = f"{count_noun(len(names), 'entity')}, {count_noun(len(sentences), 'fact')}{part}"
    return "\n".join([f"{answer['title']}: {count}", *sentences[:_MAX_SENTENCES], *more])
