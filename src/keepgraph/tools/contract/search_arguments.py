"""The arguments of the tools that search, as a search request of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.knowledge import projects
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.resolution import resolver
from keepgraph.engine.retrieval import search
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.engine.retrieval.search_request import (
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
    SearchRequest,
    SearchResults,
)
from keepgraph.engine.vocabulary import graph_vocabulary, near_words
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import VocabularyTerm
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, derived_data
from keepgraph.tools.contract.derived_data import Need

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
    return derived_data.MENTIONS if request.lists_newest else derived_data.MENTIONS_AND_VECTORS


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
    tx = derived_data.to_valid_at(tx, arguments.valid_at)
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
    exact_only = replace(tx, settings=replace(tx.settings, rungs=()))
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
        f"{near_words.quote(name)} is not {noun}",
        hint=near_words.describe_nearest(tx, kind, near_words.nearest(tx, kind, name)),
        candidates=near_words.similar(tx, kind, name),
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
