"""The table of retrievers: for each kind of result, the functions whose rankings are fused, and their weights.

A new retriever is a function here and a row in the table. It takes the context of the search and returns a ranking,
which is empty if it does not apply. It may use the hits of the kinds above its own in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from keepgraph import errors, store
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.neighbourhood import MAX_STEPS
from keepgraph.engine.retrieval.question_analysis import SearchContext
from keepgraph.engine.retrieval.search_request import COMMUNITIES, EDGES, EPISODES, NODES
from keepgraph.lazy import dataclass
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
from keepgraph.engine import vector_backfill

# Retrieval by vector: the nearest embeddings, by cosine; less similar ones than a minimum are left out.


def _entities_by_vector(context: SearchContext) -> Ranking:
    """The entities whose names and aliases are nearest to the question, and proposed names."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_names(
        context.tx, context.vectors.full, filters=context.request.filters, limit=fusion.CANDIDATES
    )
    proposed = _nearest_proposed_names(context)
    ranking = sorted([*nearest, *proposed], key=lambda scored: -scored[1]) if proposed else nearest
    return _at_least(fusion.MIN_COSINE_OF_NAMES, ranking)[: fusion.CANDIDATES]


def _facts_by_vector(context: SearchContext) -> Ranking:
    """The facts whose sentences are nearest to the question, of those that pass the filters."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_facts(context.tx, context.vectors.full, limit=fusion.FACT_VECTORS)
    similar = _at_least(fusion.MIN_COSINE_OF_FACTS, nearest)
    rows = [fact for fact, _ in similar]
    passing = set(store.retrieval.facts(context.tx, rows, context.request.filters))
    return [(fact, cosine) for fact, cosine in similar if fact in passing][: fusion.CANDIDATES]


def _chunks_by_vector(context: SearchContext) -> Ranking:
    """The chunks that are nearest to the question: turns of conversations to it without the names of persons."""
    vectors = context.vectors
    ranking = _nearest_chunks(context, vectors.without_names, with_turn_before=False)
    if vectors.full == vectors.without_names or not store.episodes.any_document(context.tx):
        return ranking
    of_whole = _nearest_chunks(context, vectors.full, with_turn_before=False)
    turns = store.episodes.turns(context.tx, [chunk for chunk, _ in (*ranking, *of_whole)])
    of_each = [scored for scored in ranking if scored[0] in turns]
    of_each += [scored for scored in of_whole if scored[0] not in turns]
    return sorted(of_each, key=lambda scored: (-scored[1], scored[0]))[: fusion.CANDIDATES]


def _turns_with_turn_before(context: SearchContext) -> Ranking:
    """The turns of conversations that, read with the turn before them, are nearest to the same."""
    return _nearest_chunks(context, context.vectors.without_names, with_turn_before=True)


def _nearest_chunks(context: SearchContext, vector: tuple[bytes, bytes] | None, *, with_turn_before: bool) -> Ranking:
    if not vector:
        return []
    nearest = store.vector_search.nearest_chunks(
        context.tx,
        vector,
        filters=context.request.filters,
        with_turn_before=with_turn_before,
        limit=fusion.CANDIDATES,
    )
    return _at_least(fusion.MIN_COSINE_OF_CHUNKS, nearest)


def _at_least(minimum: float, ranking: Ranking) -> Ranking:
    return [(key, cosine) for key, cosine in ranking if cosine >= minimum]


# Vectors of proposed names: computed for a search that needs them, and remembered by the process; none is stored.

_CACHE_KEY = "vectors of proposed names"
_MAX_CACHED = 5_000


def _nearest_proposed_names(context: SearchContext) -> Ranking:
    """Proposed names by the cosine of the name and the question, best first.

    Only if nothing but nodes is asked for: otherwise the texts themselves are found. PROPOSED_NAMES_COMPARED are
    compared, because each goes through the model the first time: those of the best texts, then the newest.
    """
    tx, question = context.tx, context.vectors.full
    if question is None or context.request.kinds != {NODES}:
        return []
    best = [hit.key for hit in context.hits[EPISODES][: fusion.CANDIDATES]]
    rank = {chunk: position for position, chunk in enumerate(best)}
    mentions = store.retrieval.mentioned_in_chunks(tx, best, with_speakers=False)
    keys = [key for _, key in sorted((rank[chunk], key) for chunk, key in mentions if key < 0)]
    limit = fusion.PROPOSED_NAMES_COMPARED
    newest = store.proposals.newest_names(tx, groups=context.request.filters.groups, limit=limit)
    keys = list(dict.fromkeys([*keys, *(-row for row in newest)]))[:limit]
    proposals = store.proposals.by_rows(tx, [-key for key in keys])
    named = [(key, proposals[-key].subject) for key in keys if -key in proposals]
    return _by_cosine(tx, question[0], named) if named else []


def _by_cosine(tx: Tx, question: bytes, named: Sequence[tuple[Key, str]]) -> Ranking:
    import numpy as np

    try:
        vectors = _vectors(tx, [name for _, name in named])
    except errors.ModelUnavailable:
        return []
    asked = np.frombuffer(question, np.int8).astype(np.float32)
    cosines = vectors @ (asked / np.linalg.norm(asked))
    ranking = [(key, float(cosine)) for (key, _), cosine in zip(named, cosines, strict=True)]
    return sorted(ranking, key=lambda scored: (-scored[1], scored[0]))


def _vectors(tx: Tx, names: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of names, of shape (names, dimension); computed once each."""
    import numpy as np

    from keepgraph.ml import embedder

    known = dict(tx.shared_cache.get(_CACHE_KEY, {}))
    if missing := [name for name in dict.fromkeys(names) if (tx.settings.model, name) not in known]:
        made = embedder.embed(missing, model=tx.settings.model)
        known = known if len(known) < _MAX_CACHED else {}
        known |= {(tx.settings.model, name): vector for name, vector in zip(missing, made, strict=True)}
        tx.shared_cache[_CACHE_KEY] = known
    return np.stack([known[tx.settings.model, name] for name in names])


# Retrieval by words: full-text search, ranked by BM25.


def _entities_by_words(context: SearchContext) -> Ranking:
    """The entities with the words of the question in a name, an alias or the summary."""
    return _entities_that_pass(context, context.request.filters, limit=fusion.CANDIDATES)


def _entities_that_pass(context: SearchContext, filters: Filters, *, limit: int) -> Ranking:
    """The entities with the words of the question that pass these filters, which need not be those of the request."""
    return store.full_text.search(
        context.tx,
        store.full_text.ENTITIES,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.entity_conditions(filters),
        limit=limit,
    )


def _facts_by_words(context: SearchContext) -> Ranking:
    """The facts with the words of the question in their sentences."""
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.FACTS,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.fact_conditions(filters),
        limit=fusion.CANDIDATES,
        newest=fusion.NEWEST,
    )


def chunks_by_words(context: SearchContext) -> Ranking:
    """The chunks with the words of the question in them; of a conversation, also the turns before and after those.

    The names of speakers are left out, for they are in every second turn. Where the other words find little, they are
    looked for, too.
    """
    question = context.question
    ranking = _chunks_with(context, question.phrases_for_chunks)
    if len(ranking) < context.request.limit and question.phrases != question.phrases_for_chunks:
        present = {chunk for chunk, _ in ranking}
        more = [scored for scored in _chunks_with(context, question.phrases) if scored[0] not in present]
        ranking = [*ranking, *more]
    with_neighbours = dict(fusion.spread(ranking, _adjacent_turns(context, ranking))[: fusion.CANDIDATES])
    # No neighbour displaces what has the words, above all the newest texts.
    return list({**with_neighbours, **{key: score for key, score in ranking if key not in with_neighbours}}.items())


def _communities_by_words(context: SearchContext) -> Ranking:
    """The communities with the words of the question in their names or summaries."""
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.COMMUNITIES,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.community_conditions(filters),
        limit=fusion.CANDIDATES,
    )


def _chunks_with(context: SearchContext, phrases: Sequence[str]) -> Ranking:
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.CHUNKS,
        phrases,
        filters=filters,
        conditions=store.search_filters.chunk_conditions(filters),
        limit=fusion.CANDIDATES,
        newest=fusion.NEWEST,
    )


def _adjacent_turns(context: SearchContext, ranking: Ranking) -> dict[Key, list[tuple[Key, float]]]:
    """The turns before and after each of these, with the share of its score that they are given."""
    adjacent = store.episodes.adjacent_turns(context.tx, [chunk for chunk, _ in ranking])
    # To the turn before it, a turn is the turn after.
    shares = (fusion.SHARE_OF_TURN_AFTER, fusion.SHARE_OF_TURN_BEFORE)
    return {
        chunk: [(turn, share) for turn, share in zip(turns, shares, strict=True) if turn is not None]
        for chunk, turns in adjacent.items()
    }


# Retrieval by mentions: what the texts that answer best mention, and the facts between that.


def _nodes_by_mention(context: SearchContext) -> Ranking:
    """What the best chunks mention, each node with the sum of their scores; a speaker is not a mention."""
    if context.mentioned is None:
        context.mentioned = _mentioned(context)
    return context.mentioned


def _mentioned(context: SearchContext) -> Ranking:
    best = [chunk for chunk in context.hits[EPISODES][: fusion.EXPANDED_HITS] if is_clearly_relevant(chunk)]
    mentioned: dict[int, list[Key]] = {}
    for chunk, key in store.retrieval.mentioned_in_chunks(context.tx, [hit.key for hit in best], with_speakers=False):
        mentioned.setdefault(chunk, []).append(key)
    return fusion.sum_scores((mentioned.get(hit.key, ()), hit.score) for hit in best)


def _facts_by_mention(context: SearchContext) -> Ranking:
    """The facts between two entities that the best chunks mention."""
    scores = {key: score for key, score in _nodes_by_mention(context) if key > 0}
    if not scores:
        return []
    rows = store.retrieval.facts_of_entities(context.tx, list(scores), context.request.filters, limit=fusion.CANDIDATES)
    ranking = [
        (fact, scores[subject] + scores[target])
        for fact, subject, target in rows
        if subject in scores and target in scores
    ]
    return sorted(ranking, key=lambda scored: -scored[1])


def is_clearly_relevant(chunk: Hit) -> bool:
    """Whether a chunk was found by more than its vector, or by a vector that is near to the question.

    Feedback says how near it is to the best documents, which may be itself.
    """
    cosine = 0.0
    for source in chunk.why:
        if not source.startswith("meaning"):
            return True
        if source != SOURCE:
            cosine = max(cosine, chunk.why[source].score or 0.0)
    return cosine >= fusion.CLEAR_COSINE


# Retrieval by distance: what is near in the graph to the nodes where the request begins, along facts and mentions.


def _nodes_by_distance(context: SearchContext) -> Ranking:
    """The nearest entities and proposed names; the score is the distance in steps."""
    if not context.request.starting_nodes:
        return []
    nearest = sorted(context.distances.nodes.items(), key=lambda step: step[1])[: fusion.CANDIDATES]
    return [(key, float(distance)) for key, distance in nearest]


def _facts_by_distance(context: SearchContext) -> Ranking:
    """The facts of the nearest entities; the score is the distance of the nearer end."""
    if not context.request.starting_nodes:
        return []
    distances = context.distances.nodes
    entities = sorted((key for key in distances if key > 0), key=lambda key: distances[key])[: fusion.CANDIDATES]
    rows = store.retrieval.facts_of_entities(context.tx, entities, context.request.filters, limit=fusion.CANDIDATES)
    ranking = [
        (fact, min(distances.get(end, MAX_STEPS) for end in (subject, target or subject)))
        for fact, subject, target in rows
    ]
    return [(fact, float(distance)) for fact, distance in sorted(ranking, key=lambda scored: scored[1])]


def _chunks_by_distance(context: SearchContext) -> Ranking:
    """The chunks that mention the nodes where the request begins, or nodes one step away.

    The score is the distance of the episode.
    """
    if not context.request.starting_nodes:
        return []
    near = [key for key, distance in context.distances.nodes.items() if distance <= 1]
    mentioning = store.retrieval.chunks_mentioning(
        context.tx, [key for key in near if key > 0], [-key for key in near if key < 0], context.request.filters
    )
    distances = context.distances.episodes
    ranking = [(chunk, float(distances.get(episode, MAX_STEPS))) for chunk, episode in mentioning]
    return sorted(ranking, key=lambda scored: scored[1])[: fusion.CANDIDATES]


# Retrieval of entities by links: of the wanted types, linked by the wanted predicates to what the question names.
#
# One more fact, of any predicate, may lie between them.


def _entities_by_link(context: SearchContext) -> Ranking:
    """The linked entities, best first: each with the scores of what it is linked to, half of them a fact further."""
    filters = context.request.filters
    if filters.types is None or filters.predicates is None:
        return []
    of_any_type = replace(filters, types=None)
    anchors = dict(_entities_that_pass(context, of_any_type, limit=fusion.EXPANDED_HITS))
    around = dict(_neighbours(context, anchors, replace(of_any_type, predicates=None)))
    near = {**{key: score / 2 for key, score in around.items()}, **anchors}
    linked = _neighbours(context, near, of_any_type)
    of_types = store.retrieval.entities(context.tx, [key for key, _ in linked], filters)
    return [(key, score) for key, score in linked if key in of_types][: fusion.CANDIDATES]


def _neighbours(context: SearchContext, scores: dict[Key, float], filters: Filters) -> Ranking:
    """The other ends of the facts of some entities, each with the sum of the scores of the entities."""
    facts = store.retrieval.facts_of_entities(context.tx, list(scores), filters, limit=fusion.CANDIDATES)
    return fusion.sum_scores(_ends(facts, scores))


def _ends(
    facts: Iterable[tuple[int, int, int | None]], scores: dict[Key, float]
) -> Iterable[tuple[tuple[Key, ...], float]]:
    for _, subject, target in facts:
        for end, other in ((subject, target), (target, subject)):
            if end in scores and other is not None:
                yield (other,), scores[end]


# Retrieval of communities by members: those to which the best entities belong.


def _communities_by_member(context: SearchContext) -> Ranking:
    """The communities of the best entities, each with the sum of the scores of its members."""
    entities = [hit for hit in context.hits[NODES][: fusion.EXPANDED_HITS] if hit.key > 0]
    communities_of: dict[int, list[int]] = {}
    for entity, community in store.communities.memberships(
        context.tx, [hit.key for hit in entities], groups=context.request.filters.groups
    ):
        communities_of.setdefault(entity, []).append(community)
    return fusion.sum_scores((communities_of.get(hit.key, ()), hit.score) for hit in entities)


# Retrieval of entities by facts: the ends of the facts that answer best.


def _entities_by_fact(context: SearchContext) -> Ranking:
    """The entities at the ends of the best facts, each with the sum of the scores of its facts."""
    facts = context.hits[EDGES][: fusion.EXPANDED_HITS]
    ends = store.retrieval.ends_of_facts(context.tx, [fact.key for fact in facts])
    return fusion.sum_scores((ends.get(fact.key, ()), fact.score) for fact in facts)


# Retrieval by name: what the names in the question mean, and the facts of that.


def nodes_by_name(context: SearchContext) -> Ranking:
    """The entities and the proposed names that the names in the question mean, the surest first."""
    scores: dict[Key, float] = {}
    for name in context.question.names:
        for key, score in (*name.entities, *((-row, fusion.PROPOSED_NAME) for row in name.proposals)):
            scores[key] = max(score, scores.get(key, 0.0))
    return sorted(scores.items(), key=lambda scored: -scored[1])


def _facts_by_name(context: SearchContext) -> Ranking:
    """The facts of the entities that the question names: those between two of them first, then the newest."""
    entities = [key for key in context.question.nodes if key > 0]
    if not entities:
        return []
    rows = store.retrieval.facts_of_entities(context.tx, entities, context.request.filters, limit=fusion.CANDIDATES)
    named = set(entities)
    ranking = [(fact, float(len({subject, target} & named))) for fact, subject, target in rows]
    return sorted(ranking, key=lambda scored: -scored[1])


WORDS = "words"
"""The source that finds by words, and counts for the vectors too where a hit has none yet."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """One retriever of a kind of result.

    Attributes:
        source: its name in results, which say by which retrievers a hit was found (`why`).
        weight: what its ranking counts in the fusion.
        weight_of_documents: the weight for texts that are not turns of a conversation; None: the same weight.
        is_independent: whether it needs neither the vectors of the question nor the hits of other kinds.
        compares_vectors: whether it finds nothing that has no vector yet.
    """

    source: str
    retrieve: Callable[[SearchContext], Ranking]
    weight: float = 1.0
    weight_of_documents: float | None = None
    is_independent: bool = False
    compares_vectors: bool = False


RETRIEVERS: Mapping[str, tuple[Retriever, ...]] = {
    EPISODES: (
        Retriever(WORDS, chunks_by_words, fusion.TURNS_BY_WORDS, fusion.DOCUMENTS_BY_WORDS, is_independent=True),
        Retriever("meaning", _chunks_by_vector, 1.0, fusion.DOCUMENTS_BY_VECTOR, compares_vectors=True),
        Retriever("meaning_with_turn_before", _turns_with_turn_before, compares_vectors=True),
        Retriever("graph", _chunks_by_distance),
    ),
    EDGES: (
        Retriever(WORDS, _facts_by_words, is_independent=True),
        Retriever("meaning", _facts_by_vector, compares_vectors=True),
        Retriever("names", _facts_by_name, is_independent=True),
        Retriever("texts", _facts_by_mention, fusion.EDGES_BY_MENTION),
        Retriever("graph", _facts_by_distance),
    ),
    NODES: (
        Retriever("names", nodes_by_name, fusion.NODES_BY_NAME, is_independent=True),
        Retriever(WORDS, _entities_by_words, is_independent=True),
        Retriever("meaning", _entities_by_vector, compares_vectors=True),
        Retriever("facts", _entities_by_fact),
        Retriever("links", _entities_by_link),
        Retriever("texts", _nodes_by_mention, fusion.NODES_BY_MENTION),
        Retriever("graph", _nodes_by_distance),
    ),
    COMMUNITIES: (
        Retriever(WORDS, _communities_by_words, is_independent=True),
        Retriever("members", _communities_by_member),
    ),
}


# Retrieval by pseudo-relevance feedback: the documents nearest to the question moved towards the best documents.
#
# Source: Rocchio, Relevance Feedback in Information Retrieval, 1971; with vectors of a neural encoder as in Wang et
# al., Pseudo-Relevance Feedback for Multiple Representation Dense Retrieval, ICTIR 2021.

SOURCE = "meaning_of_best"
"""Its name in results."""


def feedback_applies(context: SearchContext) -> bool:
    """Whether there are documents, and vectors to compare them by."""
    return context.vectors.full is not None and store.episodes.any_document(context.tx)


def documents_by_feedback(context: SearchContext, hits: Sequence[Hit]) -> Ranking:
    """The documents that are nearest to the question and to the best of some hits; turns of conversations are left out.

    The text that answers the second step of a question is often near to the text that answers the first. In
    conversations there is no such gain (ADR 0052).
    """
    tx, question = context.tx, context.vectors.full
    if question is None:
        return []
    first = [hit.key for hit in hits[: fusion.EXPANDED_HITS]]
    turns = store.episodes.turns(tx, first)
    best = [2 * key for key in first if key not in turns][: fusion.FEEDBACK_DOCUMENTS]
    embeddings = store.vector_search.embeddings(tx, store.derived_tables.CHUNK_VECTORS, best)
    if not embeddings:
        return []
    nearest = store.vector_search.nearest_chunks(
        tx,
        _moved(question[0], [embeddings[number] for number in best if number in embeddings]),
        filters=context.request.filters,
        with_turn_before=False,
        limit=fusion.CANDIDATES,
    )
    turns = store.episodes.turns(tx, [chunk for chunk, _ in nearest])
    return [
        (chunk, cosine) for chunk, cosine in nearest if chunk not in turns and cosine >= fusion.MIN_COSINE_OF_CHUNKS
    ]


def _moved(question: bytes, documents: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The vector of a question, moved towards the mean of some documents; as embedding and signs."""
    import numpy as np

    rows = np.stack([np.frombuffer(packed, np.int8) for packed in (question, *documents)]).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return vector_backfill.pack((rows[0] + fusion.FEEDBACK * rows[1:].mean(axis=0))[None, :])[0]
