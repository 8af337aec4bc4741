"""Texts that come in again: kept once, and brought up to date where they have grown. Knows not where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from keepgraph import errors, store
from keepgraph.engine.texts import chunks
from keepgraph.engine.texts.episodes import MAX_NAME
from keepgraph.language import canonical, chunking
from keepgraph.language.chunking import Piece
from keepgraph.model import Episode
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

MAX_TEXT = 8_000_000

Named = tuple[chunks.Named, ...]


class Effect(StrEnum):
    """What became of a text: it is new, it was the same before, or it is another now."""

    ADDED = "added"
    MERGED = "merged"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, in which somebody speaks, or which is about something; joined they are the text."""

    text: str
    speaker: str | None = None
    named: Named = ()


def keep(
    tx: Tx,
    parts: Sequence[Part],
    *,
    kind: str,
    name: str,
    source: str,
    occurred_at: str | None = None,
    there: Episode | None = None,
) -> Effect:
    """Keep a text, or bring an episode up to date: chunks that stay are not touched.

    Args:
        occurred_at: a stamp; None is now, or what it was.
        there: the episode that is to become this text.

    Raises:
        errors.EpisodeInvalid: it is empty, or too long.
    """
    text = "".join(part.text for part in parts)
    if not text:
        raise errors.EpisodeInvalid("the text is empty")
    if len(text) > MAX_TEXT:
        raise errors.EpisodeInvalid(f"the text has {len(text):,} characters; {MAX_TEXT:,} are the most")
    now = timestamps.stamp(tx.now)
    name, digest = shortened(name), canonical.digest(text)
    if there is None:
        added = store.episodes.insert(
            tx,
            public_id=tx.new_id("ep"),
            kind=kind,
            name=name,
            source=source,
            digest=digest,
            occurred_at=occurred_at or now,
            recorded_at=now,
        )
        _put(tx, added, parts)
        return Effect.ADDED
    became = replace(there, name=name, source=source, digest=digest, occurred_at=occurred_at or there.occurred_at)
    if became == there:
        return Effect.MERGED
    store.episodes.update(tx, there, name=name, source=source, digest=digest, occurred_at=became.occurred_at)
    if digest != there.digest:
        _put(tx, became, parts)
    return Effect.UPDATED


def shortened(name: str) -> str:
    """A name as an episode may have it."""
    name = " ".join(name.split())
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def _put(tx: Tx, episode: Episode, parts: Sequence[Part]) -> None:
    """Let an episode consist of these parts, cut into pieces that are found again."""
    pieces = [
        (Piece(each.text, speaker=part.speaker), part.named)
        for part in parts
        for each in (chunking.split(part.text, kind="text") if len(part.text) > chunking.ENOUGH else [part])
    ]
    chunks.put(tx, episode, [piece for piece, _ in pieces], [named for _, named in pieces])
