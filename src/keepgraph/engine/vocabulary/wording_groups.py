"""Groups of wordings with similar meanings: by their inflection, their words, and the vectors of their texts.

Equal wordings give equal groups. Without the model, the words alone decide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import inflection, quantities
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

MAX_GROUPS = 80
"""Above this number, less similar groups are joined as well."""

LITERAL = "literal"
"""Stands for the type of an object that is a date or a quantity."""

_MAX_COMPARED = 600
"""The most frequent wordings are compared with each other; the others join by their first words."""

# The average similarity over their wordings from which groups are joined; the second applies if there are too many
# groups, and only to groups with fewer relations than the third.
_ALIKE = 0.45
_LESS_ALIKE = 0.25
_SMALL = 4
_SAME_FIRST_WORD = 0.55
_MOST_WORDS_SHARED = 0.65
_OPPOSITE = 0.5
_OTHER_OBJECTS = 0.2
_MIN_NEAREST = 0.35
_LABELS_COMPARED = 2
_EXAMPLES = 3
_CACHE_KEY = "wording vectors"
_MAX_CACHED = 5_000

_AWAY = frozenset("from by off out".split())
_TOWARDS = frozenset("to into onto toward towards in at".split())


@dataclass(frozen=True, slots=True)
class WaitingRelation:
    """A relation that waits; the fields are those of `model.ProposedFact`, with the types of its ends if known."""

    wording: str
    key: str
    subject: str
    object: str
    subject_type: str | None
    object_type: str | None
    reason: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class EndTypes:
    """The types at both ends of relations, and how many relations have them.

    Attributes:
        source, target: None if they are unknown; "literal" where the object is a date or a quantity.
    """

    source: str | None
    target: str | None
    count: int


@dataclass(frozen=True, slots=True)
class WordingGroup:
    """Wordings with similar meanings, in which relations wait.

    Attributes:
        wordings: each with the number of its relations, most frequent first.
        count: how many relations wait in them.
        ends: the types that they connect, most frequent first.
        reasons: how many relations wait for each reason; see `model.ProposedFact`.
        nearest: the predicate nearest in meaning; None if none is near.
        score: its similarity, from 0 to 1.
        says_nothing: whether the wordings are like "is" and "has", which are never mapped to a predicate.
        examples: some of the relations, in words.
    """

    wordings: tuple[tuple[str, int], ...]
    count: int
    ends: tuple[EndTypes, ...]
    reasons: Mapping[str, int]
    nearest: str | None
    score: float
    says_nothing: bool
    examples: tuple[str, ...]

    @property
    def text(self) -> str:
        """The group in one line: `works at × 43, worked for × 2, person → organisation`."""
        counted = ", ".join(f"{wording} × {count}" for wording, count in self.wordings)
        first = self.ends[0]
        return f"{counted}, {first.source or '?'} → {first.target or '?'}"


@dataclass(slots=True)
class _Unit:
    """Wordings with one normal form; `key` is that of the most frequent."""

    form: tuple[str, ...]
    key: str
    keys: list[str]
    count: int
    literals: float


def group(tx: Tx, waiting: Sequence[WaitingRelation]) -> list[WordingGroup]:
    """Group waiting relations by the meaning of their wordings, largest group first.

    The last group has the wordings that mean nothing by themselves.
    """
    by_key: dict[str, list[WaitingRelation]] = defaultdict(list)
    for relation in waiting:
        by_key[relation.key].append(relation)
    empty = [key for key in by_key if inflection.says_nothing(key)]
    units = _units({key: by_key[key] for key in by_key if key not in set(empty)})
    labels = _Labels(tx)
    known: dict[str, list[_Unit]] = defaultdict(list)
    unknown: list[_Unit] = []
    for unit in units:
        predicate = labels.by_form.get(unit.form)
        (unknown if predicate is None else known[predicate]).append(unit)
    clusters = _cluster(tx, unknown, at_most=max(MAX_GROUPS - len(known) - bool(empty), 1))
    described = [
        *((cluster, predicate, 1.0) for predicate, cluster in known.items()),
        *((cluster, *near) for cluster, near in zip(clusters, _nearest(tx, clusters, labels), strict=True)),
    ]
    groups = [
        _describe([relation for unit in cluster for key in unit.keys for relation in by_key[key]], predicate, score)
        for cluster, predicate, score in described
    ]
    groups.sort(key=lambda one: (-one.count, one.wordings))
    if empty:
        relations = [relation for key in empty for relation in by_key[key]]
        groups.append(_describe(relations, None, 0.0, says_nothing=True))
    return groups


class _Labels:
    """The names and labels of usable predicates: some of each as texts, and all by normal form."""

    def __init__(self, tx: Tx) -> None:
        labels = store.vocabulary.labels(tx, store.vocabulary.PREDICATE)
        self.names: list[str] = []
        self.keys: list[str] = []
        self.by_form: dict[tuple[str, ...], str] = {}
        for term in graph_vocabulary.read(tx).usable_predicates:
            keys = [
                graph_vocabulary.wording_key(term.name),
                *(graph_vocabulary.wording_key(label.label) for label in labels.get(term.row, ())),
            ]
            for key in keys:
                if form := inflection.normal_form(key):
                    self.by_form.setdefault(form, term.name)
            self.names += [term.name] * len(keys[:_LABELS_COMPARED])
            self.keys += keys[:_LABELS_COMPARED]


def _cluster(tx: Tx, units: Sequence[_Unit], *, at_most: int) -> list[list[_Unit]]:
    """The wordings with similar meanings, in not many more than `at_most` clusters."""
    compared, others = units[:_MAX_COMPARED], units[_MAX_COMPARED:]
    clusters = _join([[unit] for unit in compared], _embed(tx, [_meaning(unit.key) for unit in compared]), at_most)
    _add_by_first_word(clusters, others)
    return clusters


def _units(by_key: Mapping[str, Sequence[WaitingRelation]]) -> list[_Unit]:
    """The wordings by normal form, most frequent first."""
    by_form: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in sorted(by_key):
        by_form[inflection.normal_form(key) or tuple(key.split())].append(key)
    units = []
    for form, keys in by_form.items():
        relations = [relation for key in keys for relation in by_key[key]]
        literals = sum(_is_literal(relation.object) for relation in relations) / len(relations)
        most_frequent = min(keys, key=lambda key: (-len(by_key[key]), key))
        units.append(_Unit(form, most_frequent, keys, len(relations), literals))
    return sorted(units, key=lambda unit: (-unit.count, unit.key))


def _join(clusters: list[list[_Unit]], embeddings: Matrix | None, at_most: int) -> list[list[_Unit]]:
    """Join the most similar clusters until none are similar: average linkage."""
    import numpy as np

    if len(clusters) < 2:
        return clusters
    similarity = _similarities([cluster[0] for cluster in clusters], embeddings)
    np.fill_diagonal(similarity, -np.inf)
    sizes = np.ones(len(clusters), dtype=np.float32)
    counts = np.array([cluster[0].count for cluster in clusters])
    remaining: list[list[_Unit] | None] = list(clusters)
    number = len(clusters)
    while number > 1:
        first, second = sorted(divmod(int(similarity.argmax()), len(clusters)))
        if similarity[first, second] < _ALIKE:
            if number <= at_most:
                break
            small = np.where(np.minimum.outer(counts, counts) < _SMALL, similarity, -np.inf)
            small = np.where(np.maximum.outer(counts, counts) < _SMALL, small, small - 1)
            first, second = sorted(divmod(int(small.argmax()), len(clusters)))
            if similarity[first, second] < _LESS_ALIKE:
                break
        joined = remaining[second] or []
        remaining[first] = [*(remaining[first] or []), *joined]
        remaining[second] = None
        total = sizes[first] + sizes[second]
        averages = (similarity[first] * sizes[first] + similarity[second] * sizes[second]) / total
        similarity[first] = similarity[:, first] = averages
        similarity[second] = similarity[:, second] = -np.inf
        similarity[first, first] = -np.inf
        sizes[first], counts[first] = total, counts[first] + counts[second]
        number -= 1
    return [cluster for cluster in remaining if cluster is not None]


def _similarities(units: Sequence[_Unit], embeddings: Matrix | None) -> Matrix:
    """The similarity of each pair of wordings: by meaning or by their words, less if they differ in direction."""
    import numpy as np

    size = len(units)
    by_words = np.zeros((size, size), dtype=np.float32)
    penalties = np.zeros((size, size), dtype=np.float32)
    contents = [_content(unit.form) for unit in units]
    for first in range(size):
        for second in range(first + 1, size):
            by_words[first, second] = _word_similarity(contents[first], contents[second])
            penalty = _OPPOSITE if _are_opposite(units[first].form, units[second].form) else 0.0
            penalty += _OTHER_OBJECTS * abs(units[first].literals - units[second].literals)
            penalties[first, second] = penalty
    by_words += by_words.T
    by_meaning = by_words if embeddings is None else np.maximum(by_words, embeddings @ embeddings.T)
    # Rounded, because the last digits of a product differ between machines.
    result: Matrix = np.round(by_meaning - penalties - penalties.T, 3)
    return result


def _word_similarity(first: Sequence[str], second: Sequence[str]) -> float:
    if not first or not second:
        return 0.0
    shared = len(set(first) & set(second)) / len(set(first) | set(second))
    if shared > 0.5:
        return _MOST_WORDS_SHARED
    return _SAME_FIRST_WORD if first[0] == second[0] else 0.0


def _content(form: Sequence[str]) -> list[str]:
    """The words of a normal form that carry meaning."""
    words = [word for word in form if word not in inflection.PREPOSITIONS and not inflection.says_nothing(word)]
    return words or list(form)


def _are_opposite(form: Sequence[str], other: Sequence[str]) -> bool:
    """Whether wordings with a common word have opposite directions: flows into, flows from; wrote, written by."""
    if not set(_content(form)) & set(_content(other)):
        return False
    directions = [(bool(_AWAY.intersection(one)), bool(_TOWARDS.intersection(one))) for one in (form, other)]
    (away, towards), (other_away, other_towards) = directions
    passive, other_passive = "by" in form, "by" in other
    return passive != other_passive or (away and other_towards) or (towards and other_away)


def _meaning(key: str) -> str:
    """The words of a wording that carry its meaning: `flows into` and `flows to` mean nearly the same."""
    words = [word for word in inflection.without_auxiliaries(key) if word not in inflection.PREPOSITIONS]
    return " ".join(words) or key


def _add_by_first_word(clusters: list[list[_Unit]], units: Iterable[_Unit]) -> None:
    """Add wordings to the first cluster with the same first meaningful word, else as new clusters."""
    by_word: dict[str, list[_Unit]] = {}
    for cluster in clusters:
        for unit in cluster:
            by_word.setdefault(_content(unit.form)[0], cluster)
    for unit in units:
        word = _content(unit.form)[0]
        if word in by_word:
            by_word[word].append(unit)
        else:
            by_word[word] = [unit]
            clusters.append(by_word[word])


def _nearest(tx: Tx, clusters: Sequence[Sequence[_Unit]], labels: _Labels) -> list[tuple[str | None, float]]:
    """For each cluster the predicate nearest in meaning to its most frequent wording, and the similarity."""
    leaders = [max(cluster, key=lambda unit: (unit.count, unit.key)).key for cluster in clusters]
    embeddings = _embed(tx, [_meaning(key) for key in (*labels.keys, *leaders)])
    contents = [_content(inflection.normal_form(key)) for key in labels.keys]
    nearest: list[tuple[str | None, float]] = []
    for number, leader in enumerate(leaders, len(labels.keys)):
        content = _content(inflection.normal_form(leader))
        scores = [_word_similarity(content, other) for other in contents]
        if embeddings is not None:
            cosines = embeddings[: len(scores)] @ embeddings[number]
            scores = [max(score, float(cosine)) for score, cosine in zip(scores, cosines, strict=True)]
        rounded = [min(round(score, 2), 0.99) for score in scores]
        best = max(range(len(rounded)), key=rounded.__getitem__, default=None)
        is_near = best is not None and rounded[best] >= _MIN_NEAREST
        nearest.append((labels.names[best], rounded[best]) if best is not None and is_near else (None, 0.0))
    return nearest


def _embed(tx: Tx, texts: Sequence[str]) -> Matrix | None:
    """The vectors of texts, one a row; None if there is no model. Computed once for each graph."""
    import numpy as np

    from keepgraph.ml import embedder

    if not texts or "embedding" not in tx.settings.steps or embedder.unavailable_reason(tx.settings.model):
        return None
    model = tx.settings.model
    cache = tx.shared_cache.setdefault(_CACHE_KEY, {})
    missing = [text for text in dict.fromkeys(texts) if (model, text) not in cache]
    if len(cache) + len(missing) > _MAX_CACHED:
        cache.clear()
        missing = list(dict.fromkeys(texts))
    if missing:
        cache.update(zip(((model, text) for text in missing), embedder.embed(missing, model=model), strict=True))
    matrix: Matrix = np.stack([cache[model, text] for text in texts])
    return matrix


def _describe(
    relations: Sequence[WaitingRelation], nearest: str | None, score: float, *, says_nothing: bool = False
) -> WordingGroup:
    spelled: dict[str, str] = {}
    for relation in relations:
        spelled.setdefault(relation.key, relation.wording)
    counts = Counter(relation.key for relation in relations)
    ends = Counter(
        (relation.subject_type, LITERAL if _is_literal(relation.object) else relation.object_type)
        for relation in relations
    )
    return WordingGroup(
        wordings=tuple(
            (spelled[key], count) for key, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        ),
        count=len(relations),
        ends=tuple(
            EndTypes(source, target, count)
            for (source, target), count in sorted(ends.items(), key=lambda one: (-one[1], str(one[0])))
        ),
        reasons=dict(sorted(Counter(relation.reason for relation in relations).items())),
        nearest=nearest,
        score=score,
        says_nothing=says_nothing,
        examples=tuple(
            f"{relation.subject} {relation.wording} {relation.object}" for relation in relations[:_EXAMPLES]
        ),
    )


def _is_literal(text: str) -> bool:
    return quantities.is_time(text) or quantities.is_quantity(text)
