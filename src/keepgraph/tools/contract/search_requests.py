"""The words of a search, and how what it found is said: shared by the tools that search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import search
from keepgraph.engine.retrieval.reranking import Key, Ranked
from keepgraph.engine.retrieval.search import COMMUNITIES, EDGES, EPISODES, KINDS, NODES, Found, Wanted
from keepgraph.model import Word
from keepgraph.store.database import Tx
from keepgraph.store.retrieval import Filters
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import shape

COMBINED = "combined"
KINDS_OF_MODE = {COMBINED: KINDS, **{kind: (kind,) for kind in KINDS}}

_CHARACTERS_OF_A_TOKEN = 4
_ENVELOPE_TOKENS = 80
_ANY_TYPE = "entity"


def look_for(
    tx: Tx,
    *,
    query: str,
    kinds: Iterable[str],
    limit: int,
    entity_types: Sequence[str] | None = None,
    edge_types: Sequence[str] | None = None,
    reranker: str = search.RRF,
    center_node_uuid: str | None = None,
    bfs_origin_node_uuids: Sequence[str] | None = None,
    valid_at: str | None = None,
    group_ids: Sequence[str] | None = None,
) -> tuple[Tx, Found]:
    """Search with the words of a caller; returns the transaction as of the moment that was asked about, too.

    Raises:
        errors.EntityTypeUnknown, PredicateUnknown: a type or a predicate is not in the vocabulary.
        errors.EntityNotFound: an id is of nothing.
        errors.MomentInvalid: valid_at is neither a date nor an instant.
        and what search.search raises.
    """
    tx = _as_of(tx, valid_at)
    groups = tuple(dict.fromkeys(group_ids or [tx.group]))
    filters = Filters(
        groups=groups,
        at=timestamps.stamp(tx.now),
        types=types_meant(tx, entity_types),
        predicates=predicates_meant(tx, edge_types),
    )
    wanted = Wanted(
        question=query,
        kinds=frozenset(kinds),
        filters=filters,
        reranker=reranker,
        centre=_key(tx, center_node_uuid, groups) if center_node_uuid else None,
        origins=tuple(_key(tx, each, groups) for each in bfs_origin_node_uuids or ()),
        limit=limit,
    )
    return tx, search.search(tx, wanted)


def _as_of(tx: Tx, valid_at: str | None) -> Tx:
    """The transaction as of another moment; a date means the end of that local day."""
    if valid_at is None:
        return tx
    try:
        return replace(tx, now=timestamps.moment(valid_at, tx.zone))
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(f"valid_at is {error}") from error


def types_meant(tx: Tx, said: Sequence[str] | None) -> tuple[str, ...] | None:
    """Entity types as the vocabulary has them; None for any. Labels are understood too: SafetyRecommendation.

    Raises:
        errors.EntityTypeUnknown: one is not in the vocabulary.
    """
    if not said or any(_plain(each) == _ANY_TYPE for each in said):
        return None
    known = store.vocabulary.words(tx, store.vocabulary.ENTITY_TYPE)
    return tuple(_meant(each, known) or _unknown_type(each, known) for each in said)


def predicates_meant(tx: Tx, said: Sequence[str] | None) -> tuple[str, ...] | None:
    """Predicates as the vocabulary has them; None for any. Relationship types are understood too: STEMS_FROM.

    Raises:
        errors.PredicateUnknown: one is not in the vocabulary.
    """
    if not said:
        return None
    known = store.vocabulary.words(tx, store.vocabulary.PREDICATE)
    return tuple(_meant(each, known) or _unknown_predicate(each, known) for each in said)


def answer(tx: Tx, found: Found, *, max_tokens: int | None = None) -> dict[str, Any]:
    """What was found, as it is said: each kind a list, the best first, together within a number of tokens."""
    lists = {
        NODES: [node(tx, each) for each in found.nodes],
        EDGES: [shape.edge(tx, each.fact, each.backing, why=why(each.ranked)) for each in found.edges],
        COMMUNITIES: [shape.community(tx, each.community, why=why(each.ranked)) for each in found.communities],
        EPISODES: [
            shape.episode(tx, each.episode, chunk=each.chunk.text, why=why(each.ranked)) for each in found.episodes
        ],
    }
    kept = lists if max_tokens is None else _within(lists, max_tokens)
    truncated = {kind: kind in found.more or len(kept[kind]) < len(lists[kind]) for kind in KINDS}
    return {
        "message": _message(kept),
        **{kind: kept[kind] for kind in KINDS},
        "truncated": truncated,
        "embedding": found.meaning,
    }


def node(tx: Tx, found: search.Node) -> dict[str, Any]:
    """An entity that was found, or a name that is only proposed."""
    if found.entity is not None and found.known is not None:
        return shape.node(tx, found.entity, found.known, why=why(found.ranked))
    if found.proposal is not None:
        return shape.proposed_node(tx, found.proposal, group=found.group, why=why(found.ranked))
    raise errors.InternalError("a node was found that is nothing")


def why(ranked: Ranked) -> dict[str, dict[str, Any]]:
    """What put something into a list, as shape has it."""
    return {source: {"rank": place.rank, "score": place.score} for source, place in ranked.why.items()}


def _key(tx: Tx, said: str, groups: Sequence[str]) -> Key:
    """The entity or the proposed name that is meant by an id, or by a name that nobody else has."""
    public_id = said.strip().lower()
    exactly = replace(tx, settings=replace(tx.settings, rungs=()))
    for group in groups:
        within = replace(exactly, group=group)
        if public_id.startswith("prop_"):
            proposal = store.proposals.by_id(within, public_id)
            if proposal is not None and proposal.kind == "entity":
                return -proposal.row
            continue
        entity = store.entities.by_id(within, public_id) or store.entities.by_former_id(within, public_id)
        entity = entity or resolver.resolve(within, said).entity
        if entity is not None:
            return entity.row
    raise errors.EntityNotFound(
        f"there is no entity {said[:60]!r}", hint="Use the uuid of a node, as search_nodes gives it (ent_…)."
    )


def _meant(said: str, known: Sequence[Word]) -> str | None:
    """The word of the vocabulary that is written so: research_paper, ResearchPaper, RESEARCH_PAPER."""
    for word in known:
        if said in (word.name, graph_catalogue.label(word.name), graph_catalogue.relationship_type(word.name)):
            return word.name
    return next((word.name for word in known if _plain(word.name) == _plain(said)), None)


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


def _unknown_type(said: str, known: Sequence[Word]) -> str:
    raise errors.EntityTypeUnknown(
        f"{said[:60]!r} is not an entity type",
        hint=f"Use one of {', '.join(word.name for word in known)}.",
        candidates=knowledge.entities.meant(_written_small(said), known),
    )


def _unknown_predicate(said: str, known: Sequence[Word]) -> str:
    raise errors.PredicateUnknown(
        f"{said[:60]!r} is not a predicate",
        hint=f"Use one of {', '.join(word.name for word in known)}.",
        candidates=knowledge.entities.meant(_written_small(said), known),
    )


def _written_small(word: str) -> str:
    """SafetyRecommendation is safety_recommendation."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word[:100]).casefold()


def _within(lists: Mapping[str, list[dict[str, Any]]], max_tokens: int) -> dict[str, list[dict[str, Any]]]:
    """The best of each kind in turn, for as long as they fit; a kind ends where its next does not."""
    left = (max_tokens - _ENVELOPE_TOKENS) * _CHARACTERS_OF_A_TOKEN
    kept: dict[str, list[dict[str, Any]]] = {kind: [] for kind in lists}
    open_kinds = [kind for kind in lists if lists[kind]]
    while open_kinds:
        for kind in list(open_kinds):
            place = len(kept[kind])
            if place >= len(lists[kind]):
                open_kinds.remove(kind)
                continue
            size = len(json.dumps(lists[kind][place], ensure_ascii=False)) + 2
            if size > left:
                open_kinds.remove(kind)
                continue
            left -= size
            kept[kind].append(lists[kind][place])
    return kept


def _message(kept: Mapping[str, Sequence[object]]) -> str:
    return f"Found {', '.join(f'{len(kept[kind])} {kind}' for kind in KINDS)}"
