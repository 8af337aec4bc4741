"""MCP resources, which a client can attach: an overview, the vocabulary, the schema of the graph, an entity."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import mcp.types as t

from keepgraph import errors
from keepgraph.graph import Graph
from keepgraph.store.cancellation import CancellationCheck

_OVERVIEW = "keepgraph://overview"
_VOCABULARY = "keepgraph://vocabulary"
_SCHEMA = "keepgraph://schema"
_ENTITY = "keepgraph://entity/"
_JSON = "application/json"

MAX_WORDS = 500
"""The most words of each kind in the resource; the vocabulary tools have all."""


def all_resources() -> list[t.Resource]:
    return [
        t.Resource(
            name="overview",
            title="Overview",
            uri=_OVERVIEW,
            mime_type=_JSON,
            description="The owner, the size, the projects and the latest facts of the graph, and what is open.",
        ),
        t.Resource(
            name="vocabulary",
            title="Vocabulary",
            uri=_VOCABULARY,
            mime_type=_JSON,
            description="The entity types and predicates that may be used, with what they mean.",
        ),
        t.Resource(
            name="schema",
            title="Schema of the graph",
            uri=_SCHEMA,
            mime_type=_JSON,
            description="How many entities of each type there are, and what each predicate connects.",
        ),
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
