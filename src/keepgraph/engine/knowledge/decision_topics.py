"""The topic of a decision: whether its words, the names beside it, or its meaning fit what somebody asks about."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import errors, lazy, store
from keepgraph.engine.backfill import vectors
from keepgraph.language import common_words, inflection, normalisation
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_MIN_SHARE_OF_WORDS = 0.5
"""A decision has at least this share of the words of a topic, and no other has more of them."""

_MIN_LETTERS_OF_BEGINNING = 4
"""A word fits a longer one that begins with it: auth, authentication. Shorter ones begin too much."""

_MIN_COSINE = 0.24
"""Of the name of a decision and a topic of one word or a few, by the default model. Chosen on 25 decisions, 24 topics;
of 20 other decisions and 16 other topics (320 pairs), it takes 15 that fit and 2 that do not, and misses 3."""

_WORD = lazy.compile(r"[^\W_]+")


def about(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    """The ids of those of some decisions that are about a topic.

    A decision is about it by the words of its name, its aliases and what it is connected with, or by the meaning of its
    name where there are vectors.
    """
    return _by_words(tx, decisions, topic) | _by_meaning(tx, decisions, topic)


def _by_words(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    wanted = _significant_words(topic)
    if not wanted:
        return set()
    texts_beside = store.listing.texts_beside(
        tx,
        [decision.row for decision in decisions if isinstance(decision, Entity)],
        at=timestamps.from_datetime(tx.now),
    )
    fitting = _FittingWords(wanted)
    counts = {
        decision.id: len(
            frozenset().union(*map(fitting.of_text, _texts_of(decision, texts_beside.get(decision.row, ()))))
        )
        for decision in decisions
    }
    most = max(counts.values(), default=0)
    if most < max(_MIN_SHARE_OF_WORDS * len(wanted), 1):
        return set()
    return {decision_id for decision_id, count in counts.items() if count == most}


def _texts_of(decision: Entity | Fact, beside: Sequence[str]) -> list[str]:
    if isinstance(decision, Entity):
        return [decision.name, *beside]
    return [decision.literal or "", decision.subject.name]


class _FittingWords:
    """Which words of a topic are in a text, inflected or as the beginning of a longer word; each text is read once."""

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = wanted
        self._by_text: dict[str, frozenset[str]] = {}
        self._by_word: dict[str, frozenset[str]] = {}

    def of_text(self, text: str) -> frozenset[str]:
        if text not in self._by_text:
            self._by_text[text] = frozenset().union(*map(self._of_word, _words(text)))
        return self._by_text[text]

    def _of_word(self, word: str) -> frozenset[str]:
        if word not in self._by_word:
            self._by_word[word] = frozenset(one for one in self._wanted if _fits(one, word))
        return self._by_word[word]


def _fits(one: str, other: str) -> bool:
    if one == other or inflection.stem(one) == inflection.stem(other):
        return True
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _MIN_LETTERS_OF_BEGINNING and longer.startswith(shorter)


def _significant_words(topic: str) -> list[str]:
    words = list(dict.fromkeys(_words(topic)))
    return [word for word in words if not common_words.is_stop_word(word)] or words


def _words(text: str) -> list[str]:
    """The words of a text, folded; of a script without spaces, its characters."""
    folded = normalisation.Name(text).folded
    return _WORD.findall(normalisation.segment_characters(folded) or folded)


def _by_meaning(tx: Tx, decisions: Sequence[Entity | Fact], topic: str) -> set[str]:
    """Those whose names mean something like the topic; none where there are no vectors."""
    of_types = {decision.type for decision in decisions if isinstance(decision, Entity)}
    if not of_types or "embedding" not in tx.settings.rungs or vectors.unavailable_reason(tx):
        return set()
    try:
        nearest = vectors.nearest_entities(tx, topic, of_types=of_types)
    except errors.ModelUnavailable:
        return set()
    ids = {decision.id for decision in decisions}
    return {entity.id for entity, _, cosine in nearest if cosine >= _MIN_COSINE and entity.id in ids}
