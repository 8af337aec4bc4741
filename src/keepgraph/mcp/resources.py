"""MCP resources, which a client can attach: overview, vocabulary, schema, an entity; and the page, for MCP Apps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import mcp.types as t

from keepgraph import errors
from keepgraph.english import count_noun
from keepgraph.graph import Graph
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.web import page_file

_OVERVIEW = "keepgraph://overview"
_VOCABULARY = "keepgraph://vocabulary"
_SCHEMA = "keepgraph://schema"
_ENTITY = "keepgraph://entity/"
_JSON = "application/json"

MAX_WORDS = 500
"""The most words of each kind in the resource; the vocabulary tools have all."""


def all_resources() -> list[t.Resource]:
    described = {
        _OVERVIEW: (
            "Overview",
            "The owner, the size, the projects and the latest facts of the graph, and what is open.",
        ),
        _VOCABULARY: ("Vocabulary", "The entity types and predicates that may be used, with what they mean."),
        _SCHEMA: ("Schema of the graph", "How many entities of each type there are, and what each predicate connects."),
    }
    return [
        t.Resource(name=uri.rpartition("/")[2], title=title, uri=uri, mime_type=_JSON, description=description)
        for uri, (title, description) in described.items()
    ]


def templates() -> list[t.ResourceTemplate]:
    return [
        t.ResourceTemplate(
            name="entity",
            title="Entity",
            uri_template=_ENTITY + "{id}",
            mime_type=_JSON,
            description="An entity by id or by its exact name, with its facts and neighbours.",
        )
    ]


def read(graph: Graph, uri: str, *, cancellation: CancellationCheck) -> dict[str, Any]:
    """The content of a resource.

    Raises:
        errors.InvalidArguments: there is no such resource.
    """
    if uri == _OVERVIEW:
        return graph.call_until(cancellation, "get_overview", {})
    if uri == _VOCABULARY:
        return _cut(graph.call_until(cancellation, "get_vocabulary", {}))
    if uri == _SCHEMA:
        return graph.call_until(cancellation, "count_types_and_predicates", {})
    if uri.startswith(_ENTITY):
        name = unquote(uri.removeprefix(_ENTITY))
        answer = graph.call_until(cancellation, "recall_entity", {"name_or_alias": name})
        if answer["resolution"]["method"] in ("exact", "alias"):
            return answer
    raise errors.InvalidArguments(
        f"there is no resource {uri[:200]}", hint=f"Read {_OVERVIEW}, {_VOCABULARY}, {_SCHEMA} or {_ENTITY} and an id."
    )


def _cut(vocabulary: dict[str, Any]) -> dict[str, Any]:
    """A vocabulary with a bounded number of words of each kind, and how many are left out."""
    kinds = ("entity_types", "predicates")
    omitted = {kind: len(vocabulary[kind]) - MAX_WORDS for kind in kinds if len(vocabulary[kind]) > MAX_WORDS}
    return (
        vocabulary | {kind: vocabulary[kind][:MAX_WORDS] for kind in kinds} | ({"omitted": omitted} if omitted else {})
    )


# MCP Apps: the page as a resource, the tools whose answers it shows, and their text for other clients.
#
# Specification of 2026-01-26 (SEP-1865). A client without MCP Apps shows the text of the answer.

PAGE = "ui://keepgraph/view.html"
MIME_TYPE = "text/html;profile=mcp-app"

_TOOLS = frozenset({"show_graph"})
_MAX_SENTENCES = 300


def meta_of(tool: str) -> dict[str, Any] | None:
    """What a client needs to show the answer of a tool on the page, in both spellings that clients read."""
    return {"ui": {"resourceUri": PAGE}, "ui/resourceUri": PAGE} if tool in _TOOLS else None


def page_resource() -> t.Resource:
    return t.Resource(
        name="page",
        title="Page",
        uri=PAGE,
        mime_type=MIME_TYPE,
        description="The page that shows the answer of show_graph.",
    )


def page_content() -> t.TextResourceContents:
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
