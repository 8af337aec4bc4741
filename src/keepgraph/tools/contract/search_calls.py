"""The arguments of the tools that search, as a search request of the engine, and its results as their answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.knowledge import projects
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.resolution import first_person, resolver
from keepgraph.engine.retrieval import question_analysis, search
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.engine.retrieval.search_request import (
    COMMUNITIES,
    CROSS_ENCODER,
    EACH,
    EDGES,
    EPISODE_MENTIONS,
    EPISODES,
    KINDS,
    MMR,
    NEWEST,
    NODE_DISTANCE,
    NODES,
    RRF,
    NodeResult,
    SearchRequest,
    SearchResults,
)
from keepgraph.engine.vocabulary import graph_vocabulary, terms
from keepgraph.english import count_noun
from keepgraph.language import front_matter
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import GraphEdge, GraphNode, GraphPath, VocabularyTerm
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers, catalogue
from keepgraph.tools.contract.catalogue import Need

COMBINED_MODE = "combined"
KINDS_BY_MODE = {COMBINED_MODE: KINDS, **{kind: (kind,) for kind in KINDS}}
LIMIT = 10

_INTENTS = {
    "exhaustive": (COMBINED_MODE, RRF, 50),
    "precise": (NODES, CROSS_ENCODER, 5),
    "neighborhood": (EDGES, NODE_DISTANCE, 20),
    "diverse": (COMBINED_MODE, MMR, 10),
    "temporal": (COMBINED_MODE, RRF, 10),
    "path": (EDGES, RRF, 10),
    "importance": (NODES, EPISODE_MENTIONS, 10),
}
"""What each intent stands for: a mode, a reranker and a limit."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How to search: what is asked for explicitly, else what the intent stands for, else the defaults.

    Attributes:
        falls_back: whether the order is that of relevance where the reranker cannot be used: an intent is a wish.
    """

    kinds: Sequence[str]
    reranker: str
    limit: int
    falls_back: bool


def plan(
    intent: str | None, *, search_mode: str | None, reranker: str | None, limit: int | None, is_of_days: bool = False
) -> SearchPlan:
    """The plan of a search with these arguments.

    Args:
        is_of_days: whether only texts of some days are asked for; then no other kind is looked for.
    """
    of_intent = _INTENTS.get(intent or "", (EPISODES if is_of_days else COMBINED_MODE, RRF, LIMIT))
    return SearchPlan(
        kinds=KINDS_BY_MODE[search_mode or of_intent[0]],
        reranker=reranker or of_intent[1],
        limit=limit or of_intent[2],
        falls_back=reranker is None,
    )


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """What a caller asks for, in the words of the tools' schemas; moments are dates or instants in ISO 8601."""

    query: str = ""
    entity_types: Sequence[str] | None = None
    edge_types: Sequence[str] | None = None
    reranker: str = RRF
    center_node_uuid: str | None = None
    bfs_origin_node_uuids: Sequence[str] | None = None
    valid_at: str | None = None
    group_ids: Sequence[str] | None = None
    project: str | None = None
    since: str | None = None
    until: str | None = None
    rank_texts: str = EACH


_NAMES = tuple(field.name for field in fields(SearchArguments))

NO_ENTITY = 0
"""The row of no entity: nothing is about a project that is not known."""


def run_search(
    tx: Tx,
    arguments: SearchArguments,
    *,
    kinds: Iterable[str],
    limit: int,
    may_abstain: bool = False,
    includes_near: bool = False,
    falls_back: bool = False,
) -> tuple[Tx, SearchResults]:
    """Search with the arguments of a caller.

    Args:
        may_abstain, includes_near: as in SearchRequest.
        falls_back: whether a reranker that cannot be used is left out, and no error.

    Returns the transaction as of `valid_at`, in which the answer has to be made, and the results.

    Raises:
        errors.EntityTypeUnknown, PredicateUnknown: a type or a predicate is not in the vocabulary.
        errors.EntityNotFound: no entity has this id or name.
        errors.Ambiguous: several have this name.
        errors.MomentInvalid: valid_at is neither a date nor an instant.
        and the errors of search.search.
    """
    tx, request = _request(tx, arguments, kinds=kinds, limit=limit)
    request = replace(request, may_abstain=may_abstain, includes_near=includes_near)
    if falls_back and not search.can_rerank(tx, request):
        request = replace(request, reranker=RRF)
    return tx, search.search(tx, request)


def needs_of_search(tx: Tx, **arguments: Any) -> frozenset[Need]:
    """What a tool that searches needs: mentions and vectors, unless the search would be refused.

    Raises:
        the errors of run_search, before anything is searched.
    """
    given = {name: arguments[name] for name in _NAMES if arguments.get(name) is not None}
    tx, request = _request(tx, SearchArguments(**given), kinds=KINDS, limit=1)
    search.check(tx, request)
    return catalogue.MENTIONS if request.lists_newest else catalogue.MENTIONS_AND_VECTORS


def project_scope(tx: Tx, arguments: SearchArguments) -> Scope:
    """The group or the project that a search is limited to.

    Raises:
        errors.InvalidArguments: `project` and `group_ids` name different groups.
    """
    scope = projects.read(tx, arguments.project)
    if arguments.project and scope.name is None and list(arguments.group_ids or [scope.group]) != [scope.group]:
        raise errors.InvalidArguments(
            f"project is the group {scope.group!r}, and group_ids names others", hint="Give one of the two."
        )
    return scope


def _request(tx: Tx, arguments: SearchArguments, *, kinds: Iterable[str], limit: int) -> tuple[Tx, SearchRequest]:
    """The transaction as of `valid_at`, and what is searched for in it."""
    tx = catalogue.to_valid_at(tx, arguments.valid_at)
    scope = project_scope(tx, arguments)
    tx = projects.enter(tx, scope)
    groups = tuple(dict.fromkeys(arguments.group_ids or [tx.group]))
    filters = Filters(
        groups=groups,
        at=tx.at,
        types=entity_types(tx, arguments.entity_types),
        predicates=predicates(tx, arguments.edge_types),
        about=scope.project.row if scope.project else NO_ENTITY if scope.is_unknown else None,
        days=_days(tx, arguments),
    )
    centre = arguments.center_node_uuid
    request = SearchRequest(
        question=arguments.query,
        kinds=frozenset(kinds),
        filters=filters,
        reranker=arguments.reranker,
        centre=_resolve_key(tx, centre, groups) if centre else None,
        origins=_origins(tx, arguments, groups, scope),
        limit=limit,
        rank_texts=arguments.rank_texts,
    )
    return tx, request


def _days(tx: Tx, arguments: SearchArguments) -> tuple[str, str] | None:
    """The time that texts have to be of, the last day included.

    Raises:
        errors.MomentInvalid: since or until is neither a date nor an instant, or they are the wrong way round.
    """
    if arguments.since is None and arguments.until is None:
        return None
    bounds = {"since": "", "until": "9999"}
    for name, text in (("since", arguments.since), ("until", arguments.until)):
        if text is None:
            continue
        try:
            bounds[name] = timestamps.parse(text.strip(), tx.zone, end=name == "until")
        except (ValueError, OverflowError) as error:
            raise errors.MomentInvalid(f"{name} is {error}: {text[:40]!r}") from error
    if bounds["since"] >= bounds["until"]:
        raise errors.MomentInvalid("since is after until", hint="Exchange them.")
    return bounds["since"], bounds["until"]


def _origins(tx: Tx, arguments: SearchArguments, groups: Sequence[str], scope: Scope) -> tuple[Key, ...]:
    """The nodes to begin at; where nothing is asked, the project, so that what is about it is listed."""
    origins = tuple(_resolve_key(tx, name, groups) for name in arguments.bfs_origin_node_uuids or ())
    is_of_time = arguments.reranker == NEWEST or arguments.since or arguments.until
    if (
        not origins
        and scope.project
        and not arguments.query.strip()
        and not arguments.center_node_uuid
        and not is_of_time
    ):
        return (scope.project.row,)
    return origins


def _resolve_key(tx: Tx, id_or_name: str, groups: Sequence[str]) -> Key:
    """The row of an entity, by its id, exact name or alias; or the negative row of a proposed entity, by its id."""
    public_id, name = id_or_name.strip().lower(), Name(id_or_name)
    hint = None
    exact_only = replace(tx, settings=replace(tx.settings, steps=()))
    for group in groups:
        in_group = replace(exact_only, group=group)
        if public_id.startswith("prop_"):
            proposal = store.proposals.by_id(in_group, public_id)
            if proposal is not None and proposal.kind == "entity":
                return -proposal.row
            continue
        entity = store.entities.by_id(in_group, public_id) or store.entities.by_former_id(in_group, public_id)
        if entity is not None:
            return entity.row
        resolution = resolver.resolve(in_group, name)
        if resolution.is_ambiguous:
            raise errors.Ambiguous(
                f"{len(resolution.candidates)} entities are called {id_or_name[:60]!r}",
                hint="Pass the id of the one you mean.",
                candidates=[answer_shapes.entity(candidate.entity) for candidate in resolution.candidates],
            )
        if resolution.entity is not None:
            return resolution.entity.row
        hint = hint or resolution.hint
    raise errors.EntityNotFound(
        f"there is no entity {id_or_name[:60]!r}",
        hint=hint or "Use the uuid of a node, as search_nodes gives it (ent_…).",
    )


# Filters by entity types and predicates, as callers write them: research_paper, ResearchPaper, paper, STEMS_FROM.

_ANY_TYPE = "entity"


def entity_types(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """The entity types that a filter names, with their subtypes; None for any.

    They are named in any spelling, or by a label of the vocabulary.

    Raises:
        errors.EntityTypeUnknown: one is not in the vocabulary.
    """
    if not names or any(_letters(name) == _ANY_TYPE for name in names):
        return None
    terms = [_find(tx, store.vocabulary.ENTITY_TYPE, name) for name in names]
    return graph_vocabulary.read(tx).with_subtypes(
        name for term in terms for name in (term.name, term.replaced_by) if name is not None
    )


def predicates(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """The predicates that a filter names, for an inverse the one under which its facts are stored; None for any.

    They are named in any spelling, or by a label of the vocabulary.

    Raises:
        errors.PredicateUnknown: one is not in the vocabulary.
    """
    if not names:
        return None
    vocabulary = graph_vocabulary.read(tx)
    stored: dict[str, None] = {}
    for name in names:
        term = _find(tx, store.vocabulary.PREDICATE, name)
        for word in (term.name, term.replaced_by):
            if word is not None:
                stored[vocabulary.predicate_by_name[word].inverse_of or word] = None
    return tuple(stored)


def is_inverse(tx: Tx, name: str) -> bool:
    """Whether a name is that of a predicate under which nothing is stored: the inverse of another."""
    term = _find_or_none(tx, store.vocabulary.PREDICATE, name)
    return term is not None and graph_vocabulary.read(tx).predicate_by_name[term.name].inverse_of is not None


_UNKNOWN: Mapping[str, tuple[type[errors.KeepgraphError], str]] = {
    store.vocabulary.ENTITY_TYPE: (errors.EntityTypeUnknown, "an entity type"),
    store.vocabulary.PREDICATE: (errors.PredicateUnknown, "a predicate"),
}


def _find(tx: Tx, kind: str, name: str) -> VocabularyTerm:
    """The word for a name in any spelling, or for a label."""
    if term := _find_or_none(tx, kind, name):
        return term
    error, noun = _UNKNOWN[kind]
    raise error(
        f"{english.quoted(name)} is not {noun}",
        hint=terms.describe_nearest(tx, kind, terms.nearest(tx, kind, name)),
        candidates=terms.similar(tx, kind, name),
    )


def _find_or_none(tx: Tx, kind: str, name: str) -> VocabularyTerm | None:
    if term := graph_vocabulary.find(tx, kind, name) or graph_vocabulary.find(
        tx, kind, graph_vocabulary.singular(name)
    ):
        return term
    letters = _letters(name)
    return next((term for term in graph_vocabulary.read(tx).terms(kind) if _letters(term.name) == letters), None)


def _letters(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


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
    followed = predicates(tx, edge_types)
    return answer_shapes.other_times(tx, results.named[:_MAX_NAMED], predicates=followed, names_entities=True)


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
    if question_analysis.lacks_owner(tx, arguments.query, groups=arguments.group_ids or [tx.group]):
        answer["hint"] = first_person.NO_OWNER_HINT
    if arguments.project is not None:
        limited_to = project_scope(tx, arguments)
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
