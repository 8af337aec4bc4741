"""Finds entities, facts, communities and texts for a question: by names, by words, by meaning and along facts.

Each source gives a list; the lists are fused by reciprocal ranks and put into the order that is asked for. What a
question says is read elsewhere (questions.py); how lists become one is pure (ranking.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.backfill import requests, vectors
from keepgraph.engine.retrieval import question_analysis, reranking
from keepgraph.engine.retrieval.question_analysis import Question
from keepgraph.engine.retrieval.reranking import Key, Ranked, Scored
from keepgraph.engine.texts import mention_index
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.database import Tx
from keepgraph.store.neighbourhood import Backing, Community, Particulars
from keepgraph.store.retrieval import Filters

if TYPE_CHECKING:
    import numpy as np

NODES, EDGES, COMMUNITIES, EPISODES = KINDS = ("nodes", "edges", "communities", "episodes")
RRF, MMR, CROSS_ENCODER, NODE_DISTANCE, EPISODE_MENTIONS = (
    "rrf",
    "mmr",
    "cross_encoder",
    "node_distance",
    "episode_mentions",
)

DEEPEST = 4
"""How many steps from where it begins a search along facts and mentions goes."""

_CANDIDATES = 200
_BEFORE_FILTERS = 1000
_NAMED_COUNTS = 2.0
_TEXTS_COUNT = 0.5
_FACTS_IN_TEXTS_COUNT = 0.1  # behind whatever anything else has found
_SPEAKER_COUNTS = 1.5
_WORDS_COUNT = 1.5  # against two lists that know meaning
_OF_TURN_BEFORE = 0.5
_OF_TURN_AFTER = 0.25
_TELLING = 20
_WEIGHED_AGAIN = 5
_READ_TOGETHER = 50
_FARTHEST = 10_000
_BESIDE = 200_000
_MEANS_LITTLE = {NODES: 0.35, EDGES: 0.25, EPISODES: 0.1}

Distances = Mapping[Key, int]
Thing = TypeVar("Thing", "Node", "Edge", "Passage", "Cluster")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for.

    Attributes:
        question: may be empty where there is a place to begin at.
        kinds: of KINDS.
        reranker: one of those above.
        centre: the entity that distances are measured from: its row, or that of a proposed name with a minus.
        origins: where a search along facts begins, in the same way.
        limit: of each kind.
    """

    question: str
    kinds: frozenset[str]
    filters: Filters
    reranker: str = RRF
    centre: Key | None = None
    origins: tuple[Key, ...] = ()
    limit: int = 10

    @property
    def begins_at(self) -> tuple[Key, ...]:
        return tuple(dict.fromkeys([*self.origins, *([] if self.centre is None else [self.centre])]))


@dataclass(frozen=True, slots=True)
class Node:
    """An entity that was found, with what there is to say of it; or a name that is only proposed, with its group."""

    ranked: Ranked
    entity: Entity | None = None
    known: Particulars | None = None
    proposal: Proposal | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    ranked: Ranked
    fact: Fact
    backing: Backing | None


@dataclass(frozen=True, slots=True)
class Passage:
    """The chunk of an episode that answers best."""

    ranked: Ranked
    episode: Episode
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Cluster:
    ranked: Ranked
    community: Community


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of each kind, best first.

    Attributes:
        more: the kinds of which more was found than is wanted.
        meaning: the state of the vectors, in words: on, what still waits, or why it is off.
    """

    nodes: Sequence[Node] = ()
    edges: Sequence[Edge] = ()
    communities: Sequence[Cluster] = ()
    episodes: Sequence[Passage] = ()
    more: frozenset[str] = frozenset()
    meaning: str = "on"


def search(tx: Tx, wanted: Wanted) -> Found:
    """What answers a question, or is near to something.

    Raises:
        errors.QueryRequired: there is neither a question nor a place to begin at.
        errors.InvalidArguments: distances are wanted, and there is nothing to measure them from.
        errors.ModelUnavailable: a cross-encoder is wanted, and there is none.
        pending.Wanted: something waits to be read, or to be given its vector.
    """
    if not wanted.question.strip() and not wanted.begins_at:
        raise errors.QueryRequired("the query is empty")
    if wanted.reranker == CROSS_ENCODER:
        _require_cross_encoder(tx)
    mention_index.see_to(tx)
    return _Search(tx, wanted).found()


def _require_cross_encoder(tx: Tx) -> None:
    from keepgraph.ml import cross_encoder

    if reason := cross_encoder.missing(tx.settings.cross_encoder):
        raise errors.ModelUnavailable(reason, hint=cross_encoder.HINT)


@dataclass(slots=True)
class _Meaning:
    """The vectors of a question, as they are stored: of all of it, and of what is compared with texts."""

    whole: tuple[bytes, bytes] | None = None
    nameless: tuple[bytes, bytes] | None = None
    state: str = "on"


@dataclass(slots=True)
class _Search:
    """One search, which looks for each thing once."""

    tx: Tx
    wanted: Wanted
    question: Question = field(init=False)
    meaning: _Meaning = field(init=False)
    named: tuple[Key, ...] = field(init=False)
    _distances: tuple[dict[Key, int], dict[int, int]] | None = None
    _kept: dict[str, list[Ranked]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.question = question_analysis.read(self.tx, self.wanted.question, groups=self.wanted.filters.groups)
        self.meaning = _embedded(self.tx, self.question, self.wanted.kinds)
        self.named = tuple(
            dict.fromkeys(
                key
                for name in self.question.names
                for key in (*(row for row, _ in name.entities), *(-row for row in name.proposals))
            )
        )

    def found(self) -> Found:
        if self.wanted.reranker == NODE_DISTANCE and not self.centres:
            raise errors.InvalidArguments(
                "node_distance needs something to measure from, and the query names nothing that the graph knows",
                hint="Give center_node_uuid: the id of an entity, as search gives it.",
            )
        nodes = self._nodes() if NODES in self.wanted.kinds else []
        edges = self._edges() if EDGES in self.wanted.kinds else []
        passages = self._passages() if EPISODES in self.wanted.kinds else []
        clusters = self._clusters() if COMMUNITIES in self.wanted.kinds else []
        most = self.wanted.limit
        lists: dict[str, Sequence[object]] = {
            NODES: nodes,
            EDGES: edges,
            EPISODES: passages,
            COMMUNITIES: clusters,
        }
        return Found(
            nodes=nodes[:most],
            edges=self._with_backing(edges[:most]),
            communities=clusters[:most],
            episodes=passages[:most],
            more=frozenset(kind for kind, found in lists.items() if len(found) > most),
            meaning=self.meaning.state,
        )

    # Nodes

    def _nodes(self) -> list[Node]:
        ranked = self._of_types(self._ranked(NODES, self._find_nodes))[: self._weighed]
        if self.wanted.reranker == NODE_DISTANCE:
            ranked = reranking.by_distance(ranked, self.distances[0])
        elif self.wanted.reranker == EPISODE_MENTIONS:
            ranked = reranking.by_count(ranked, self._times_mentioned([each.key for each in ranked]))
        nodes = self._loaded_nodes(ranked)
        return self._reordered(nodes, _text_of_node, store.vectors.NAME, lambda key: 2 * key)

    def _find_nodes(self) -> list[Ranked]:
        filters, question = self.wanted.filters, self.question
        lists: dict[str, Scored] = {"names": _best_names(question)}
        types = [store.retrieval.OF_TYPES] if filters.types is not None else []
        lists["words"] = store.retrieval.with_words(
            self.tx, store.retrieval.ENTITIES, question.match, filters=filters, only=types, limit=_CANDIDATES
        )
        if self.meaning.whole:
            near = store.retrieval.nearest_names(self.tx, self.meaning.whole, filters=filters, limit=_CANDIDATES)
            lists["meaning"] = _telling(near, NODES)
        told_facts = self._ranked(EDGES, self._find_edges)[:_TELLING]
        ends = store.retrieval.ends(self.tx, [each.key for each in told_facts])
        lists["facts"] = reranking.gathered((ends.get(each.key, ()), each.score) for each in told_facts)
        lists["texts"] = self._named_in_texts()
        if self.wanted.begins_at:
            lists["graph"] = _nearest_first(self.distances[0])
        return reranking.fuse(lists, {"names": _NAMED_COUNTS, "texts": _TEXTS_COUNT})

    def _named_in_texts(self) -> Scored:
        """What the texts that answer best speak of, without who speaks."""
        ranked = self._ranked(EPISODES, self._find_chunks)
        telling = [each for each in ranked[:_TELLING] if _tells(each)]
        spoken_of: dict[int, list[Key]] = {}
        for chunk, key in store.retrieval.named_in(self.tx, [each.key for each in telling], spoken=False):
            spoken_of.setdefault(chunk, []).append(key)
        return reranking.gathered((spoken_of.get(each.key, ()), each.score) for each in telling)

    def _of_types(self, ranked: list[Ranked]) -> list[Ranked]:
        """Those of the types that are wanted; what a proposed name is of is seen when it is loaded."""
        if self.wanted.filters.types is None:
            return ranked
        known = store.retrieval.entities(self.tx, [each.key for each in ranked if each.key > 0], self.wanted.filters)
        return [each for each in ranked if each.key < 0 or each.key in known]

    def _loaded_nodes(self, ranked: Sequence[Ranked]) -> list[Node]:
        """The nodes that may be found: of the groups and types that are wanted."""
        tx, filters = self.tx, self.wanted.filters
        rows = [each.key for each in ranked if each.key > 0]
        seen = [-each.key for each in ranked if each.key < 0]
        known = store.retrieval.entities(tx, rows, filters) if rows else {}
        said = store.neighbourhood.particulars(tx, list(known)) if known else {}
        proposed = store.proposals.by_rows(tx, seen) if seen else {}
        groups = store.retrieval.proposal_groups(tx, seen) if seen else {}
        nodes = []
        for each in ranked:
            if each.key in known:
                nodes.append(Node(each, entity=known[each.key], known=said[each.key]))
                continue
            proposal = proposed.get(-each.key)
            if proposal and groups[proposal.row] in filters.groups and _is_of(proposal, filters.types):
                nodes.append(Node(each, proposal=proposal, group=groups[proposal.row]))
        return nodes

    def _times_mentioned(self, keys: Sequence[Key]) -> dict[Key, int]:
        rows, seen = [key for key in keys if key > 0], [-key for key in keys if key < 0]
        counts: dict[Key, int] = dict(store.mentions.count(self.tx, rows)) if rows else {}
        if seen:
            counts |= {-row: n for row, n in store.retrieval.episodes_mentioning_proposals(self.tx, seen).items()}
        return counts

    # Facts

    def _edges(self) -> list[Edge]:
        ranked = self._ranked(EDGES, self._find_edges)[: self._weighed]
        if self.wanted.reranker == NODE_DISTANCE:
            ends = store.retrieval.ends(self.tx, [each.key for each in ranked])
            near = {
                row: [self.distances[0][end] for end in both if end in self.distances[0]] for row, both in ends.items()
            }
            ranked = reranking.by_distance(ranked, {row: min(steps) for row, steps in near.items() if steps})
        elif self.wanted.reranker == EPISODE_MENTIONS:
            ranked = reranking.by_count(ranked, store.retrieval.episodes_saying(self.tx, [each.key for each in ranked]))
        read = {fact.row: fact for fact in store.facts.by_rows(self.tx, [each.key for each in ranked])}
        edges = [Edge(each, read[each.key], None) for each in ranked]
        return self._reordered(edges, _text_of_edge, store.vectors.FACT, lambda key: key)

    def _find_edges(self) -> list[Ranked]:
        tx, filters = self.tx, self.wanted.filters
        lists: dict[str, Scored] = {
            "words": store.retrieval.with_words(
                tx,
                store.retrieval.FACTS,
                self.question.match,
                filters=filters,
                only=store.retrieval.of_facts(filters),
                limit=_CANDIDATES,
            )
        }
        if self.meaning.whole:
            near = _telling(store.retrieval.nearest_facts(tx, self.meaning.whole, limit=_BEFORE_FILTERS), EDGES)
            passed = set(store.retrieval.facts_that_pass(tx, [row for row, _ in near], filters))
            lists["meaning"] = [(row, cosine) for row, cosine in near if row in passed][:_CANDIDATES]
        named = [key for key in self.named if key > 0]
        if named:
            lists["names"] = self._facts_around(named)
        lists["texts"] = self._facts_in_texts()
        if self.wanted.begins_at:
            lists["graph"] = self._facts_along()
        return reranking.fuse(lists, {"texts": _FACTS_IN_TEXTS_COUNT})

    def _facts_around(self, entities: Sequence[int]) -> Scored:
        """Facts that touch what is named, by how much of it they touch, then the newest first."""
        touching = store.retrieval.facts_at(self.tx, entities, self.wanted.filters, limit=_CANDIDATES)
        among = set(entities)
        told = [(row, float(len({subject, other} & among))) for row, subject, other in touching]
        return sorted(told, key=lambda each: -each[1])

    def _facts_in_texts(self) -> Scored:
        """Facts between what the texts that answer best speak of."""
        score = {key: told for key, told in self._named_in_texts() if key > 0}
        touching = (
            store.retrieval.facts_at(self.tx, list(score), self.wanted.filters, limit=_CANDIDATES) if score else []
        )
        told = [(row, score[one] + score[other]) for row, one, other in touching if one in score and other in score]
        return sorted(told, key=lambda each: -each[1])

    def _facts_along(self) -> Scored:
        """Facts from where the search begins outwards, those that are reached first before the others."""
        steps = self.distances[0]
        near = sorted((key for key in steps if key > 0), key=lambda key: steps[key])[:_CANDIDATES]
        touching = store.retrieval.facts_at(self.tx, near, self.wanted.filters, limit=_CANDIDATES)
        told = [(row, min(steps.get(end, DEEPEST) for end in (one, other or one))) for row, one, other in touching]
        return [(row, float(distance)) for row, distance in sorted(told, key=lambda each: each[1])]

    def _with_backing(self, edges: Sequence[Edge]) -> list[Edge]:
        backing = store.neighbourhood.backing(self.tx, [each.fact.row for each in edges]) if edges else {}
        return [replace(each, backing=backing.get(each.fact.row)) for each in edges]

    # Texts

    def _passages(self) -> list[Passage]:
        ranked = self._ranked(EPISODES, self._find_chunks)
        episode_of = store.retrieval.episodes_by_chunks(self.tx, [each.key for each in ranked])
        best: dict[int, Ranked] = {}
        for each in ranked:
            best.setdefault(episode_of[each.key], each)
        ranked = list(best.values())[: self._weighed]
        if self.wanted.reranker == NODE_DISTANCE:
            away = {each.key: self.distances[1].get(episode_of[each.key]) for each in ranked}
            ranked = reranking.by_distance(ranked, {key: steps for key, steps in away.items() if steps is not None})
        elif self.wanted.reranker == EPISODE_MENTIONS:
            told = store.retrieval.named_in(self.tx, [each.key for each in ranked])
            ranked = reranking.by_count(ranked, Counter(chunk for chunk, _ in told))
        chunks = store.episodes.chunks_by_rows(self.tx, [each.key for each in ranked])
        whole = store.episodes.by_rows(self.tx, [episode_of[each.key] for each in ranked])
        passages = [Passage(each, whole[episode_of[each.key]], chunks[each.key]) for each in ranked]
        return self._reordered(passages, _text_of_passage, store.vectors.CHUNK, lambda key: 2 * key)

    def _find_chunks(self) -> list[Ranked]:
        """Chunks by their words and their meaning; a turn is read with the one before it.

        Where a speaker is named, it is what that speaker says that is asked for.
        """
        tx, filters, question = self.tx, self.wanted.filters, self.question
        words = store.retrieval.with_words(
            tx, store.retrieval.CHUNKS, question.match_texts, filters=filters, limit=_CANDIDATES
        )
        if len(words) < self.wanted.limit and question.match != question.match_texts:
            # The names that were taken out find something, too, where the other words find little.
            met = {row for row, _ in words}
            more = store.retrieval.with_words(
                tx, store.retrieval.CHUNKS, question.match, filters=filters, limit=_CANDIDATES
            )
            words = [*words, *(each for each in more if each[0] not in met)][:_CANDIDATES]
        lists: dict[str, Scored] = {"words": reranking.spread(words, self._beside(words))[:_CANDIDATES]}
        if self.meaning.nameless:
            for source, paired in (("meaning", False), ("meaning_with_turn_before", True)):
                near = store.retrieval.nearest_chunks(
                    tx, self.meaning.nameless, groups=filters.groups, paired=paired, limit=_CANDIDATES
                )
                lists[source] = _telling(near, EPISODES)
        if self.wanted.begins_at:
            lists["graph"] = self._chunks_along()
        found = reranking.fuse(lists, {"words": _WORDS_COUNT})
        rows = [each.key for each in found]
        asked_for: set[int] = set()
        if question.speakers:
            asked_for |= store.retrieval.spoken_by(tx, rows, sorted(question.speakers))
        if self.named:
            entities, seen = [key for key in self.named if key > 0], [-key for key in self.named if key < 0]
            asked_for |= store.retrieval.unspoken_about(tx, rows, entities, seen)
        return reranking.boosted(found, asked_for, by=_SPEAKER_COUNTS, source="names") if asked_for else found

    def _beside(self, words: Scored) -> dict[Key, list[tuple[Key, float]]]:
        """The turns beside each of these, with the share of its score that they are given."""
        turns = store.retrieval.turns_beside(self.tx, [row for row, _ in words])
        shares = (_OF_TURN_AFTER, _OF_TURN_BEFORE)
        return {
            row: [(other, share) for other, share in zip(beside, shares, strict=True) if other is not None]
            for row, beside in turns.items()
        }

    def _chunks_along(self) -> Scored:
        steps = {key: distance for key, distance in self.distances[0].items() if distance <= 1}
        told = store.retrieval.episodes_of(
            self.tx, [key for key in steps if key > 0], [-key for key in steps if key < 0], self.wanted.filters
        )
        away = self.distances[1]
        near = sorted(told, key=lambda each: away.get(each[1], DEEPEST))[:_CANDIDATES]
        return [(chunk, float(away.get(episode, DEEPEST))) for chunk, episode in near]

    # Communities

    def _clusters(self) -> list[Cluster]:
        if not store.retrieval.any_community(self.tx):
            return []
        ranked = self._ranked(COMMUNITIES, self._find_communities)[: self._weighed]
        if self.wanted.reranker == EPISODE_MENTIONS:
            belonging = store.retrieval.members(self.tx, [each.key for each in ranked], limit=_FARTHEST)
            counts = store.mentions.count(self.tx, list({entity for _, entity in belonging}))
            together: Counter[int] = Counter()
            for community, entity in belonging:
                together[community] += counts.get(entity, 0)
            ranked = reranking.by_count(ranked, together)
        known = {row[0]: Community(*row) for row in store.retrieval.communities(self.tx, [each.key for each in ranked])}
        clusters = [Cluster(each, known[each.key]) for each in ranked if each.key in known]
        return self._reordered(clusters, _text_of_cluster, None, lambda key: key)

    def _find_communities(self) -> list[Ranked]:
        words = store.retrieval.with_words(
            self.tx, store.retrieval.COMMUNITIES, self.question.match, filters=self.wanted.filters, limit=_CANDIDATES
        )
        nodes = [each for each in self._ranked(NODES, self._find_nodes)[:_TELLING] if each.key > 0]
        of: dict[int, list[int]] = {}
        for entity, community in store.retrieval.communities_with(
            self.tx, [each.key for each in nodes], groups=self.wanted.filters.groups
        ):
            of.setdefault(entity, []).append(community)
        belonging = reranking.gathered((of.get(each.key, ()), each.score) for each in nodes)
        return reranking.fuse({"words": words, "members": belonging})

    # What they have in common

    @property
    def _weighed(self) -> int:
        """So many of a kind are put into another order."""
        return max(_WEIGHED_AGAIN * self.wanted.limit, _READ_TOGETHER)

    @property
    def centres(self) -> tuple[Key, ...]:
        """Where distances are measured from: what is given, else what the question names."""
        if self.wanted.centre is not None and self.wanted.reranker == NODE_DISTANCE:
            return (self.wanted.centre,)
        return self.wanted.begins_at or self.named

    @property
    def distances(self) -> tuple[dict[Key, int], dict[int, int]]:
        """The steps to nodes by key, and to episodes by row, along facts and mentions."""
        if self._distances is None:
            self._distances = distances(self.tx, self.centres, self.wanted.filters)
        return self._distances

    def _ranked(self, kind: str, find: Callable[[], list[Ranked]]) -> list[Ranked]:
        if kind not in self._kept:
            self._kept[kind] = find()
        return self._kept[kind]

    def _reordered(
        self,
        found: list[Thing],
        text: Callable[[Thing], str],
        kind: store.vectors.Kind | None,
        number: Callable[[Key], int],
    ) -> list[Thing]:
        """In the order of a reranker that reads what was found."""
        if self.wanted.reranker == CROSS_ENCODER:
            from keepgraph.ml import cross_encoder

            read = found[:_READ_TOGETHER]
            scores = cross_encoder.scores(
                self.question.text, [text(each) for each in read], folder=self.tx.settings.cross_encoder
            )
            order = reranking.by_score(
                [each.ranked for each in found],
                {each.ranked.key: score for each, score in zip(read, scores, strict=True)},
            )
        elif self.wanted.reranker == MMR:
            likeness = _likeness(self.tx, {each.ranked.key: text(each) for each in found}, kind, number)
            order = reranking.diverse([each.ranked for each in found], likeness, limit=self.wanted.limit + 1)
        else:
            return found
        by_key = {each.ranked.key: each for each in found}
        return [replace(by_key[ranked.key], ranked=ranked) for ranked in order]


def distances(tx: Tx, centres: Iterable[Key], filters: Filters) -> tuple[dict[Key, int], dict[int, int]]:
    """How many steps it is to what is near: to nodes by key, and to episodes by row.

    A step goes along a fact that holds, or between a text and what it speaks of. Where a step has led to very much,
    no further one is made.
    """
    nodes: dict[Key, int] = dict.fromkeys(centres, 0)
    texts: dict[int, int] = {}
    edge, new_texts = list(nodes), list[int]()
    for step in range(1, DEEPEST + 1):
        if (not edge and not new_texts) or len(nodes) + len(texts) > _FARTHEST:
            break
        rows, seen = [key for key in edge if key > 0], [-key for key in edge if key < 0]
        reached: list[Key] = []
        if rows:
            any_fact = replace(filters, types=None, predicates=None)
            for _, subject, other in store.retrieval.facts_at(tx, rows, any_fact, limit=_BESIDE, at_most=_BESIDE):
                reached += [subject, *([] if other is None else [other])]
        if new_texts:
            chunks = store.retrieval.chunks_of_episodes(tx, new_texts)
            reached += [key for _, key in store.retrieval.named_in(tx, chunks)]
        told = store.retrieval.episodes_of(tx, rows, seen, filters) if edge else []
        edge = [key for key in dict.fromkeys(reached) if key not in nodes]
        new_texts = [row for row in dict.fromkeys(episode for _, episode in told) if row not in texts]
        nodes.update(dict.fromkeys(edge, step))
        texts.update(dict.fromkeys(new_texts, step))
    return nodes, texts


def _embedded(tx: Tx, question: Question, kinds: frozenset[str]) -> _Meaning:
    """The vectors of a question, if there are vectors to compare them with."""
    if "embedding" not in tx.settings.rungs:
        return _Meaning(state="off: by the settings")
    if reason := vectors.off(tx):
        return _Meaning(state=f"off: {reason}")
    if any(store.vectors.any_waiting(tx, kind) for kind in store.vectors.KINDS):
        requests.want(tx, requests.VECTORS, vectors.some)
    state = "; ".join(["on", *_lacking(tx)])
    if not question.text or store.vectors.space(tx) is None:
        return _Meaning(state=state)
    from keepgraph.ml import embedder

    of_texts = question.meaning if kinds != {EDGES} else question.text
    said = [of_texts] if kinds == {EPISODES} or of_texts == question.text else [of_texts, question.text]
    try:
        packed = vectors.stored(
            embedder.embed([text[: question_analysis.EMBEDDED] for text in said], model=tx.settings.model)
        )
        store.vectors.load_extension(tx.conn)
    except errors.ModelUnavailable as error:
        return _Meaning(state=f"off: {error.message}")
    return _Meaning(whole=packed[-1], nameless=packed[0], state=state)


def _lacking(tx: Tx) -> list[str]:
    """How many of each kind have no vector yet, or too many to be looked through, in words."""
    counts = ((store.vectors.waiting(tx, kind), kind.noun) for kind in store.vectors.KINDS)
    waiting = [vectors.told(count, noun) for count, noun in counts if count]
    too_many = [kind.noun for kind in store.vectors.KINDS if store.retrieval.too_many_vectors(tx, kind)]
    return waiting + [f"{noun}s are too many to be compared by their meaning" for noun in too_many]


def _telling(near: Scored, kind: str) -> Scored:
    return [(key, cosine) for key, cosine in near if cosine >= _MEANS_LITTLE[kind]]


def _best_names(question: Question) -> Scored:
    """Whom the names in a question mean, the surest first; a proposed name is as sure as it is written."""
    scores: dict[Key, float] = {}
    for name in question.names:
        for key, score in (*name.entities, *((-row, 0.9) for row in name.proposals)):
            scores[key] = max(score, scores.get(key, 0.0))
    return sorted(scores.items(), key=lambda each: -each[1])


def _tells(ranked: Ranked) -> bool:
    """Whether a text was found by its words, by being near, or by what it plainly means."""
    meant = [place.score or 0.0 for source, place in ranked.why.items() if source.startswith("meaning")]
    return len(meant) < len(ranked.why) or max(meant, default=0.0) >= _MEANS_LITTLE[NODES]


def _nearest_first(steps: Distances) -> Scored:
    near = sorted(steps.items(), key=lambda each: each[1])[:_CANDIDATES]
    return [(key, float(distance)) for key, distance in near]


def _likeness(
    tx: Tx, texts: Mapping[Key, str], kind: store.vectors.Kind | None, number: Callable[[Key], int]
) -> Callable[[Key, Key], float]:
    """How alike two things are: by their vectors, or, where one has none, by the words they share."""
    import numpy as np

    packed = store.retrieval.vectors_of(tx, kind, [number(key) for key in texts]) if kind else {}
    known: dict[Key, np.ndarray] = {}
    for key in texts:
        if number(key) in packed:
            vector = np.frombuffer(packed[number(key)], np.int8).astype(np.float32)
            known[key] = vector / (float(np.linalg.norm(vector)) or 1.0)
    words = {key: frozenset(question_analysis.phrases(text)) for key, text in texts.items() if key not in known}

    def likeness(one: Key, other: Key) -> float:
        if one in known and other in known:
            return max(0.0, float(known[one] @ known[other]))
        ours, theirs = (words.get(key) or frozenset(question_analysis.phrases(texts[key])) for key in (one, other))
        return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0

    return likeness


def _is_of(proposal: Proposal, types: Sequence[str] | None) -> bool:
    return types is None or proposal.subject_type in types


def _text_of_node(node: Node) -> str:
    if node.entity and node.known:
        return f"{node.entity.name}: {node.known.summary}" if node.known.summary else node.entity.name
    return f"{node.proposal.subject}: {node.proposal.evidence or ''}" if node.proposal else ""


def _text_of_edge(edge: Edge) -> str:
    return knowledge.facts.sentence(edge.fact)


def _text_of_passage(passage: Passage) -> str:
    return passage.chunk.text


def _text_of_cluster(cluster: Cluster) -> str:
    return f"{cluster.community.name}\n{cluster.community.summary}"
