"""The passage of a text that states a fact: the sentence that names both ends, best in the words of its predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from keepgraph import store
from keepgraph.engine.provenance.explanations import Passage
from keepgraph.language import inflection, normalisation, sentences
from keepgraph.model import Chunk, Entity, Episode, Fact
from keepgraph.store.transactions import Tx

MAX_CHUNKS = 500
"""Of a text, so many chunks are read: first those that mention the subject."""

_MAX_QUOTE = 400
_WORD = re.compile(r"\w+")


def find(tx: Tx, fact: Fact, episode: Episode) -> Passage:
    """The sentence of a text that names most of a fact; the first sentence where none names any of it."""
    chunks = store.episodes.chunks(tx, episode)
    subject, target = _names(tx, fact.subject), _names(tx, fact.object) if fact.object else [fact.literal or ""]
    patterns = _pattern(subject), _pattern(target)
    words = {inflection.stem(word) for word in _WORD.findall(fact.predicate.lower().replace("_", " ")) if len(word) > 2}
    best: tuple[tuple[int, int], Chunk, str] | None = None
    for chunk in _in_order_of_promise(tx, fact, chunks):
        for sentence in _sentences(chunk):
            rank = _rank(sentence, chunk, patterns, words, subject)
            if best is None or rank > best[0]:
                best = (rank, chunk, sentence)
    if best is None:
        return Passage(episode, "", parts=len(chunks) or 1)
    (names, _), chunk, sentence = best
    named: Literal["both", "one", "none"] = "both" if names == 2 else "one" if names else "none"
    return passage(episode, chunk, sentence, names=named, parts=len(chunks))


def passage(
    episode: Episode, chunk: Chunk, sentence: str, *, names: Literal["both", "one", "none"] = "none", parts: int
) -> Passage:
    """A sentence with the place where it stands."""
    quote = sentence if len(sentence) <= _MAX_QUOTE else f"{sentence[: _MAX_QUOTE - 1]}…"
    return Passage(episode, quote, names, chunk.heading, chunk.speaker, chunk.position + 1, parts)


def _rank(
    sentence: str,
    chunk: Chunk,
    patterns: tuple[re.Pattern[str] | None, re.Pattern[str] | None],
    words: set[str],
    subject: Sequence[str],
) -> tuple[int, int]:
    """How many ends of the fact a sentence names, and whether it has words of the predicate."""
    is_speaker = chunk.speaker is not None and normalisation.key(chunk.speaker) in map(normalisation.key, subject)
    has_subject = is_speaker or (patterns[0] is not None and patterns[0].search(sentence) is not None)
    has_object = patterns[1] is not None and patterns[1].search(sentence) is not None
    shared = len(words & {inflection.stem(word) for word in _WORD.findall(sentence.lower())})
    return has_subject + has_object, shared


def _sentences(chunk: Chunk) -> Iterator[str]:
    for sentence in sentences.split(chunk.text):
        if words := " ".join(chunk.text[sentence.start : sentence.end].split()):
            yield words


def _in_order_of_promise(tx: Tx, fact: Fact, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks to read: of a long text, those that mention both ends first."""
    if len(chunks) <= MAX_CHUNKS:
        return list(chunks)
    ends = {fact.subject.row, fact.object.row if fact.object else fact.subject.row}
    mentioned: dict[int, set[int]] = {}
    for mention in store.mentions.in_chunks(tx, [chunk.row for chunk in chunks]):
        if mention.entity in ends:
            mentioned.setdefault(mention.chunk, set()).add(mention.entity)
    return sorted(chunks, key=lambda chunk: -len(mentioned.get(chunk.row, ())))[:MAX_CHUNKS]


def _names(tx: Tx, entity: Entity) -> list[str]:
    return [entity.name, *store.entities.aliases(tx, entity)]


def _pattern(names: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern for any of some names, as words of their own."""
    alternatives = [r"\s+".join(map(re.escape, name.split())) for name in names if name.strip()]
    if not alternatives:
        return None
    longest_first = sorted(set(alternatives), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.IGNORECASE)
