"""Search results as the answer of a tool: each kind a ranked list, cut to a number of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from keepgraph.language import front_matter
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes, answer_size, search_arguments, vocabulary_arguments
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


def other_times(tx: Tx, results: SearchResults, edge_types: Sequence[str] | None = None) -> dict[str, Any]:
    """What has ended, and what is to come, of the entities that the question names."""
    predicates = vocabulary_arguments.predicates(tx, edge_types)
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
    costs = {kind: [answer_size.count_characters(hit) + 2 for hit in hits] for kind, hits in lists.items()}
    taken = answer_size.take_in_turn(costs, (max_tokens - _ENVELOPE_TOKENS) * _CHARACTERS_PER_TOKEN)
    return {kind: hits[: len(taken[kind])] for kind, hits in lists.items()}


def _message(results: SearchResults, lists: Mapping[str, Sequence[object]]) -> str:
    counts = f"Found {', '.join(f'{len(lists[kind])} {kind}' for kind in KINDS)}"
    if not results.abstained:
        return counts
    if results.near:
        near = ", ".join(f"{count} {kind}" for kind, count in results.near.items())
        return f"{counts}: nothing here answers this. {near} are only near: near=true lists them"
    return f"{counts}: nothing here answers this"
