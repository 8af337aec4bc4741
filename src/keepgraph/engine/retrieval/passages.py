"""Passages: the sentences of texts that mention a node, and what else the same chunks mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.retrieval.node_lookup import Node
from keepgraph.engine.texts import mention_index
from keepgraph.language import mention_detection, sentences
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Episode
from keepgraph.store.mentions import MentionedNode, MentionPlace
from keepgraph.store.transactions import Tx

_MAX_QUOTE_CHARACTERS = 300

_MAX_CHUNKS_COUNTED = 500
"""Mentions together are counted in the newest chunks; a node may be mentioned in all of them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place that mentions a node: episode, row number of the chunk, sentence, and what else the chunk mentions."""

    episode: Episode
    chunk: int
    quote: str
    others: tuple[MentionedNode, ...] = ()


def read(tx: Tx, node: Node, places: Sequence[MentionPlace]) -> list[Passage]:
    """Read the passages at some places that mention a node."""
    chunks = store.episodes.chunks_by_rows(tx, [place.chunk for place in places])
    episodes = store.episodes.by_rows(tx, sorted({place.episode for place in places}))
    others: dict[int, list[MentionedNode]] = {}
    for mentioned in store.mentions.nodes_in_chunks(tx, list(chunks)):
        if mentioned.id != node.id:
            others.setdefault(mentioned.chunk, []).append(mentioned)
    return [
        Passage(
            episodes[place.episode],
            place.chunk,
            quote(chunks[place.chunk].text, place.start, place.stop),
            tuple(others.get(place.chunk, ())),
        )
        for place in places
    ]


def newest(tx: Tx, node: Node, *, until: str | None, limit: int) -> list[Passage]:
    """The newest passages that mention a node, or are about it: one of each text; more if there are few texts.

    Args:
        until: leave out texts that occurred after this timestamp.
    """
    places = store.mentions.by_episode(tx, node.record, until=until, limit=limit, newest_first=True)
    if places and len(places) < limit:
        episodes, chunks = {place.episode for place in places}, {place.chunk for place in places}
        more = store.mentions.by_chunk(tx, node.record, limit=limit + len(places))
        places = [*places, *(place for place in more if place.episode in episodes and place.chunk not in chunks)][
            :limit
        ]
    texts = store.episodes.chunks_by_rows(tx, [place.chunk for place in places])
    episodes_by_row = store.episodes.by_rows(tx, sorted({place.episode for place in places}))
    return [
        Passage(
            episodes_by_row[place.episode],
            place.chunk,
            # If no words name it, the whole chunk is about it, not only its first sentence.
            quote(texts[place.chunk].text, place.start, place.stop)
            if place.start is not None
            else " ".join(texts[place.chunk].text[:_MAX_QUOTE_CHARACTERS].split()),
        )
        for place in places
    ]


def of_name(tx: Tx, name: Name, *, until: str | None, limit: int) -> tuple[int, list[Passage]]:
    """How many texts contain an unknown name, and the newest passages: one of each text.

    Texts are counted in the newest chunks that have its words, at most _MAX_CHUNKS_COUNTED.
    """
    if proposal := store.proposals.by_keys(tx, "entity", [name.key]).get(name.key):
        total = store.mentions.count_episodes_of(tx, proposal, until=until)
        return total, newest(tx, Node(proposal, tx.group), until=until, limit=limit)
    written = name.text if name.text != name.text.lower() else name.text.title()
    rows = mention_index.chunks_with_name(tx, written, group=tx.group, is_person=False)
    places = store.mentions.of_chunks(tx, list(rows), until=until, limit=_MAX_CHUNKS_COUNTED)
    chunks = store.episodes.chunks_by_rows(tx, [place.chunk for place in places])
    episodes = store.episodes.by_rows(tx, sorted({place.episode for place in places}))
    found: dict[int, Passage] = {}
    for place in places:
        if place.episode not in found:
            text, episode = chunks[place.chunk].text, episodes[place.episode]
            match = next(iter(mention_detection.detect(text, {name.key: [written]})), None)
            if match or mention_detection.detect(episode.name, {name.key: [written]}):
                position = (match.start, match.end) if match else (None, None)
                found[place.episode] = Passage(episode, place.chunk, quote(text, *position))
    return len(found), list(found.values())[:limit]


def mentioned_with(tx: Tx, node: Node, *, limit: int) -> list[tuple[MentionedNode, int]]:
    """What the same chunks mention, with the number of chunks, most first; of the newest 500 that mention the node."""
    places = store.mentions.by_chunk(tx, node.record, limit=_MAX_CHUNKS_COUNTED)
    others = [
        mentioned
        for mentioned in store.mentions.nodes_in_chunks(tx, [place.chunk for place in places])
        if mentioned.id != node.id
    ]
    counts = Counter(mentioned.id for mentioned in others)
    by_id = {mentioned.id: mentioned for mentioned in reversed(others)}
    most = sorted(by_id, key=lambda public_id: (-counts[public_id], by_id[public_id].name, public_id))
    return [(by_id[public_id], counts[public_id]) for public_id in most[:limit]]


def quote(text: str, start: int | None, stop: int | None) -> str:
    """The sentence of a text around some characters, or its first one; at most 300 characters of it around them.

    The front matter of a note, between two lines of dashes, is not its first sentence.
    """
    position = (text.find("\n---", 3) + 4 if text.startswith("---\n") else 0) if start is None else start
    sentence = next((sentence for sentence in sentences.split(text) if sentence.end > position), None)
    first, last = (sentence.start, sentence.end) if sentence else (0, len(text))
    if last - first > _MAX_QUOTE_CHARACTERS:
        middle = max(position, first)
        first = max(first, middle - _MAX_QUOTE_CHARACTERS // 2)
        last = min(last, max(first + _MAX_QUOTE_CHARACTERS, stop or 0))
        words = " ".join(text[first:last].split())
        cut_before = sentence and first > sentence.start
        cut_after = sentence and last < sentence.end
        return f"{'…' if cut_before else ''}{words}{'…' if cut_after else ''}"
    return " ".join(text[first:last].split())
