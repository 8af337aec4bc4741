"""Corrections of a text that is kept: words replaced in it, its whole text, or its title.

Its id, source, time and annotations stay; chunks, vectors, mentions and proposals follow. Facts that were recorded out
of it are not touched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.texts import episodes, forget_targets, mention_index, storage
from keepgraph.engine.texts.storage import Annotation, ChunkDraft
from keepgraph.language import utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Chunk, Entity, Episode, Fact, Proposal
from keepgraph.store.transactions import Tx

MAX_CANDIDATES = 5

_MAX_COMPARED_LINES = 500
_PASSAGE_BEFORE, _PASSAGE_AFTER = 60, 140


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """A text after a correction.

    Attributes:
        changed: which of text and title changed.
        replaced: how often it had the replaced words; 0 if its whole text was given.
        passage: the first place that changed, as it is now; empty if the text did not change.
        mentions, proposed_facts: what it mentions and seems to say now, if its text changed.
        recorded_facts: what was recorded from it, if its text changed.
    """

    episode: Episode
    changed: tuple[str, ...]
    replaced: int = 0
    passage: str = ""
    mentions: tuple[Entity, ...] = ()
    proposed_facts: tuple[Proposal, ...] = ()
    recorded_facts: tuple[Fact, ...] = ()


def find(tx: Tx, what: str) -> Episode:
    """The text with this id, this title or path, or the only one with all these words.

    Raises:
        errors.EpisodeNotFound: there is none.
        errors.Ambiguous: several fit; they are candidates.
    """
    if re.fullmatch(r"ep_[0-9a-z]{26}", what.strip().lower()):
        return episodes.find(tx, what)
    found = forget_targets.find_texts(tx, what)
    if not found:
        raise errors.EpisodeNotFound(f"no text has the title {what.strip()[:60]!r}, or these words")
    if len(found) > 1:
        raise errors.Ambiguous(
            f"several texts fit {what.strip()[:60]!r}; nothing was changed",
            hint="Ask which one is meant, and pass its id.",
            candidates=[forget_targets.describe(episode) for episode in found[:MAX_CANDIDATES]],
        )
    return found[0]


def correct(
    tx: Tx, episode: Episode, *, old: str | None = None, new: str | None = None, title: str | None = None
) -> CorrectedText:
    """Replace the words `old` of a text by `new`, or its whole text; or give it another title.

    A title made from the text is made again.

    Raises:
        errors.EpisodeInvalid: it is the text of a file, or would be empty, or it does not have the words.
    """
    if episode.kind == storage.DOCUMENT:
        raise errors.EpisodeInvalid(
            f"{episode.id} is the text of a file ({episode.name})", hint="Correct the file, and ingest it again."
        )
    tx = replace(tx, group=episode.group)
    chunks = store.episodes.chunks(tx, episode)
    before = "".join(chunk.text for chunk in chunks)
    if new is None:
        after, count = before, 0
    elif old is None:
        after, count = utf8.replace_surrogates(new), 0
    else:
        after, count = _replace_words(before, _pattern(before, old), new)
    if not after.strip():
        raise errors.EpisodeInvalid("the text would be empty", hint="To delete the text, use `forget`.")
    derived = episodes.derive_title(before) == episode.name
    name = title or (episodes.derive_title(after) if derived else episode.name)
    if episode.kind == storage.PRECHUNKED:
        updated = _correct_chunks(tx, episode, chunks, old, new, digest=utf8.digest(after), name=name)
    else:
        added = episodes.upsert(tx, name=name, text=after, uuid=episode.id, annotations=_annotations(chunks))
        updated = added.episode
    changed = tuple(
        part for part, differs in (("text", after != before), ("title", updated.name != episode.name)) if differs
    )
    if "text" not in changed:
        return CorrectedText(updated, changed, count)
    current = store.episodes.chunks(tx, updated)
    mention_index.update(tx, current)
    return CorrectedText(
        updated,
        changed,
        count,
        passage=_first_difference(before, after),
        mentions=tuple(episodes.mentioned_entities(tx, current)),
        proposed_facts=tuple(episodes.open_proposals(tx, updated)[1]),
        recorded_facts=tuple(episodes.recorded_facts(tx, updated)),
    )


def _pattern(text: str, old: str) -> re.Pattern[str]:
    """Finds the words `old` in a text: as whole words, else anywhere; all white space is equal.

    Raises:
        errors.EpisodeInvalid: it does not have them; the nearest lines are candidates.
    """
    words = r"\s+".join(map(re.escape, utf8.replace_surrogates(old).split()))
    if not words:
        raise errors.EpisodeInvalid("the words to replace are empty", hint="Give them as they are in the text.")
    for pattern in (re.compile(rf"(?<!\w){words}(?!\w)"), re.compile(words)):
        if pattern.search(text):
            return pattern
    lines = [line.strip() for line in text.splitlines()[:_MAX_COMPARED_LINES] if line.strip()]
    raise errors.EpisodeInvalid(
        f"the text does not contain {old.strip()[:60]!r}; nothing was changed",
        hint="Give the words as they are in it.",
        candidates=[line[:200] for line in difflib.get_close_matches(old, lines, n=3, cutoff=0.3)],
    )


def _replace_words(text: str, pattern: re.Pattern[str], new: str) -> tuple[str, int]:
    return pattern.subn(lambda _: utf8.replace_surrogates(new), text)


def _correct_chunks(
    tx: Tx, episode: Episode, chunks: Sequence[Chunk], old: str | None, new: str | None, *, digest: str, name: str
) -> Episode:
    """Correct a text that somebody else cut into chunks: it stays cut so, with what they found in each.

    Raises:
        errors.EpisodeInvalid: the whole text is given, or the words go from one chunk into the next.
    """
    texts = [chunk.text for chunk in chunks]
    if new is not None and old is None:
        raise errors.EpisodeInvalid(
            f"{episode.id} came in chunks, and must stay in chunks",
            hint="Say which words to replace; or send all chunks again with ingest_prechunked.",
        )
    if new is not None and old is not None:
        pattern = _pattern("".join(texts), old)
        texts = [_replace_words(text, pattern, new)[0] for text in texts]
        if utf8.digest("".join(texts)) != digest:
            raise errors.EpisodeInvalid(
                f"{old.strip()[:60]!r} spans two chunks of {episode.id}",
                hint="Replace the words of each chunk separately.",
            )

    def drafts() -> Iterable[ChunkDraft]:
        for chunk, text in zip(chunks, texts, strict=True):
            yield TextChunk(text, chunk.heading, chunk.speaker), chunk.annotations

    stored = storage.upsert(
        tx,
        existing=episode,
        kind=episode.kind,
        name=name,
        source=None,
        digest=digest,
        occurred_at=None,
        chunks=drafts,
    )
    return stored.episode


def _annotations(chunks: Sequence[Chunk]) -> list[Annotation]:
    """What the chunks of a text are annotated with, each once: a caller said it of the whole text."""
    annotations: list[Annotation] = []
    for chunk in chunks:
        annotations += [annotation for annotation in chunk.annotations if annotation not in annotations]
    return annotations


def _first_difference(before: str, after: str) -> str:
    """The first place where two texts differ, with some words around it, of the second one."""
    same = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
    start = max(0, same - _PASSAGE_BEFORE)
    end = same + _PASSAGE_AFTER
    passage = " ".join(after[start:end].split())
    return f"{'…' if start else ''}{passage}{'…' if end < len(after) else ''}"
