"""Search results as the answer of a tool: each kind a ranked list, cut to a number of tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.resolution import first_person
from keepgraph.engine.retrieval import question_names
from keepgraph.engine.retrieval.fusion import Hit
from keepgraph.engine.retrieval.search_request import (
    COMMUNITIES,
    EDGES,
    EPISODES,
    KINDS,
    NODES,
    NodeResult,
    SearchResults,
)
from keepgraph.english import count_noun
from keepgraph.language import front_matter
from keepgraph.model import GraphEdge, GraphNode, GraphPath
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes, brief_answers, search_arguments
from keepgraph.tools.contract.search_arguments import SearchArguments

_CHARACTERS_PER_TOKEN = 4  # a rough estimate
_MAX_NAMED = 5
_ENVELOPE_TOKENS = 80  # set aside for what surrounds the lists


def answer(tx: Tx, results: SearchResults, *, max_tokens: int | None = None) -> dict[str, Any]:
    """The answer of a search: a list for each kind, best first; all lists together have at most `max_tokens` tokens."""
    lists = {
        NODES: [node(tx, hit) for hit in results.nodes],
        EDGES: [answer_shapes.edge(tx, hit.fact, hit.details, why=why(hit.hit)) for hit in results.edges],
        COMMUNITIES: [answer_shapes.community(tx, hit.community, why=why(hit.hit)) for hit in results.communities],
        EPISODES: [
            answer_shapes.episode(tx, hit.episode, chunk=front_matter.readable(hit.chunk.text), why=why(hit.hit))
            for hit in results.episodes
        ],
    }
    fitting = lists if max_tokens is None else _cut_to_tokens(lists, max_tokens)
    truncated = {kind: kind in results.truncated_kinds or len(fitting[kind]) < len(lists[kind]) for kind in KINDS}
    return {
        "message": _message(results, fitting),
        **{kind: fitting[kind] for kind in KINDS},
        "truncated": truncated,
        "embedding": results.embedding_state,
        **answer_shapes.filled(abstained=results.abstained),
    }


def of_kind(
    tx: Tx, results: SearchResults, arguments: SearchArguments, noun: str, name: str, hits: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The answer of a search for one kind: its hits under a name, and what else there is to say of them."""
    return {
        "message": f"Found {count_noun(len(hits), noun)}" if hits else f"No relevant {noun}s found",
        name: hits,
        "truncated": bool(results.truncated_kinds),
        "embedding": results.embedding_state,
        **other_times(tx, results, arguments.edge_types),
        **scope(tx, arguments, is_empty=not hits),
    }


def other_times(tx: Tx, results: SearchResults, edge_types: Sequence[str] | None = None) -> dict[str, Any]:
    """What has ended, and what is to come, of the entities that the question names."""
    predicates = search_arguments.predicates(tx, edge_types)
    return answer_shapes.other_times(tx, results.named[:_MAX_NAMED], predicates=predicates, names_entities=True)


def is_empty(answer: Mapping[str, Any]) -> bool:
    """Whether an answer has no hit."""
    return not any(answer[kind] for kind in KINDS)


def communities_hint(tx: Tx, kinds: Sequence[str], *, is_empty: bool) -> dict[str, str]:
    """How to find communities, where nothing else was asked for and none were found yet."""
    if not is_empty or set(kinds) != {COMMUNITIES} or store.communities.any_built(tx):
        return {}
    return {"hint": "No communities have been found in this graph yet: call build_communities first."}


def scope(tx: Tx, arguments: SearchArguments, *, is_empty: bool) -> dict[str, Any]:
    """The group and the project that a search was limited to; without a hit, which other groups hold something.

    Of a question about the one who asks, the hint says how to set the owner of the graph, where there is none.
    """
    answer: dict[str, Any] = answer_shapes.other_groups_if_any(tx) if is_empty else {}
    if question_names.lacks_owner(tx, arguments.query, groups=arguments.group_ids or [tx.group]):
        answer["hint"] = first_person.NO_OWNER_HINT
    if arguments.project is not None:
        limited_to = search_arguments.project_scope(tx, arguments)
        answer |= answer_shapes.scope(tx, limited_to)
        if limited_to.is_unknown:
            answer["message"] = f"No project called “{limited_to.label}” is known, and no group"
    return answer


def node(tx: Tx, result: NodeResult) -> dict[str, Any]:
    """A node of the results: an entity, or a name that is only proposed."""
    if result.entity is not None and result.details is not None:
        return answer_shapes.node(tx, result.entity, result.details, why=why(result.hit))
    if result.proposal is not None:
        return answer_shapes.proposed_node(tx, result.proposal, group=result.group, why=why(result.hit))
    raise errors.InternalError("a node was found that is nothing")


def why(hit: Hit) -> dict[str, dict[str, Any]]:
    """Why a hit is in the results: by retriever, its rank and score there."""
    return {source: {"rank": ranking.rank, "score": ranking.score} for source, ranking in hit.why.items()}


def _cut_to_tokens(lists: Mapping[str, list[dict[str, Any]]], max_tokens: int) -> dict[str, list[dict[str, Any]]]:
    """The best of each kind, as many as fit."""
    costs = {kind: [brief_answers.count_characters(hit) + 2 for hit in hits] for kind, hits in lists.items()}
    taken = brief_answers.take_in_turn(costs, (max_tokens - _ENVELOPE_TOKENS) * _CHARACTERS_PER_TOKEN)
    return {kind: hits[: len(taken[kind])] for kind, hits in lists.items()}


def _message(results: SearchResults, lists: Mapping[str, Sequence[object]]) -> str:
    counts = f"Found {', '.join(f'{len(lists[kind])} {kind}' for kind in KINDS)}"
    if not results.abstained:
        return counts
    if results.near:
        near = ", ".join(f"{count} {kind}" for kind, count in results.near.items())
        return f"{counts}: nothing here answers this. {near} are only near: near=true lists them"
    return f"{counts}: nothing here answers this"


# The rows of a query as an answer: scalar, tabular, graph or path.

_JSON_TYPES = {str, int, bool}
"""The types of values that JSON has as they are."""


def summarise(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The part of the answer whose form depends on the rows.

    Only nodes and relationships: a graph, with each of them once. Only paths: paths. One value: a scalar. Otherwise,
    also without any row: a table, in which nodes and relationships are objects.
    """
    values = [value for row in rows for value in row if value is not None]
    if _JSON_TYPES.issuperset(map(type, values)):
        if len(rows) == 1 and len(columns) == 1:
            return {"type": "scalar", "result": rows[0][0]}
        return {"type": "tabular", "rows": list(map(list, rows))}
    if all(isinstance(value, GraphPath) for value in values):
        return {"type": "path", "steps": [to_json(value) for row in rows for value in row]}
    if all(map(_is_graph_element, values)):
        elements = {element.id: element for value in values for element in _elements(value)}
        return {
            "type": "graph",
            "nodes": [to_json(element) for element in elements.values() if isinstance(element, GraphNode)],
            "edges": [to_json(element) for element in elements.values() if isinstance(element, GraphEdge)],
        }
    if len(rows) == 1 and len(columns) == 1:
        return {"type": "scalar", "result": to_json(rows[0][0])}
    return {"type": "tabular", "rows": [[to_json(value) for value in row] for row in rows]}


def to_json(value: Any) -> Any:
    """A value as JSON. Infinity and NaN, which JSON has no numbers for, become text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, list):
        return [to_json(inner) for inner in value]
    if isinstance(value, GraphNode):
        return {"id": value.id, "labels": list(value.labels), "properties": to_json(dict(value.properties))}
    if isinstance(value, GraphEdge):
        return {
            "id": value.id,
            "type": value.type,
            "src": value.start,
            "dest": value.end,
            "properties": to_json(dict(value.properties)),
        }
    if isinstance(value, GraphPath):
        return [to_json(inner) for inner in value.steps]
    return {key: to_json(inner) for key, inner in value.items()}


def _is_graph_element(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(element is None or _is_graph_element(element) for element in value)
    return isinstance(value, GraphNode | GraphEdge)


def _elements(value: Any) -> Iterator[GraphNode | GraphEdge]:
    if isinstance(value, list):
        for element in value:
            yield from _elements(element)
    elif value is not None:
        yield value
