"""Gives an episode its chunks, and keeps those whose text stays: their vectors, and what was read in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from keepgraph import store
from keepgraph.language import normalisation
from keepgraph.language.chunking import Piece
from keepgraph.model import Chunk, Episode
from keepgraph.store.database import Tx

_LONGEST_SPEAKER = 200
_BETWEEN_PLACES = 1_000

Named = Mapping[str, str | None]
"""What a piece is about besides its words: how, and a type and a name, or an id. See Chunk in model.py."""


@dataclass(frozen=True, slots=True)
class Put:
    """What became of the chunks of an episode: all that there are now, and how many came, went and stayed."""

    chunks: tuple[Chunk, ...]
    added: int
    removed: int
    kept: int


def put(tx: Tx, episode: Episode, pieces: Sequence[Piece], named: Sequence[Sequence[Named]] = ()) -> Put:
    """Let an episode consist of these pieces, one behind the other; each new one waits to be read.

    Args:
        named: for each piece what it is about besides its words; nothing for any, where it is empty.
    """
    about = named or [()] * len(pieces)
    before = store.episodes.chunks(tx, episode)
    kept = _matched(before, pieces)
    staying = {chunk.row for chunk in kept if chunk}
    for chunk in before:
        if chunk.row not in staying:
            store.episodes.delete_chunk(tx, chunk)
    places = _places([chunk.place if chunk else None for chunk in kept])
    after = tuple(
        _put(tx, episode, piece, chunk, place=place, named=of_piece)
        for piece, of_piece, chunk, place in zip(pieces, about, kept, places, strict=True)
    )
    return Put(after, len(pieces) - len(staying), len(before) - len(staying), len(staying))


def _put(tx: Tx, episode: Episode, piece: Piece, kept: Chunk | None, *, place: int, named: Sequence[Named]) -> Chunk:
    """A chunk that stays, in its place; or a new one."""
    heading = piece.heading or ""
    if kept:
        store.episodes.move_chunk(tx, kept, place=place, heading=heading, named=named)
        return replace(kept, place=place, heading=heading, named=tuple(named))
    speaker = _speaker(piece)
    return store.episodes.insert_chunk(
        tx,
        episode,
        place=place,
        text=piece.text,
        heading=heading,
        speaker=speaker,
        speaker_key=speaker and normalisation.key(speaker),
        named=named,
        spaced=normalisation.spaced(piece.text),
    )


def _speaker(piece: Piece) -> str | None:
    return normalisation.clean(piece.speaker or "")[:_LONGEST_SPEAKER] or None


def _matched(before: Sequence[Chunk], pieces: Sequence[Piece]) -> list[Chunk | None]:
    """For each piece the chunk that it was: of the same text and speaker, and of several that of the same heading."""
    free: dict[tuple[str, str | None], list[Chunk]] = defaultdict(list)
    for chunk in before:
        free[chunk.text, chunk.speaker].append(chunk)
    matched: list[Chunk | None] = []
    for piece in pieces:
        same = free[piece.text, _speaker(piece)]
        at = next((at for at, chunk in enumerate(same) if chunk.heading == (piece.heading or "")), 0)
        matched.append(same.pop(at) if same else None)
    return matched


def _places(kept: Sequence[int | None]) -> list[int]:
    """Places in rising order, in which those that are kept stay as they are wherever that can be."""
    highest = -1
    fixed: list[int | None] = []
    for place in kept:
        stays = place is not None and place > highest
        highest = place if stays and place is not None else highest
        fixed.append(place if stays else None)
    places: list[int] = []
    at = 0
    while at < len(fixed):
        if (place := fixed[at]) is not None:
            places.append(place)
            at += 1
            continue
        end = next((each for each in range(at, len(fixed)) if fixed[each] is not None), len(fixed))
        below = places[-1] if places else 0
        above = fixed[end] if end < len(fixed) else None
        step = _BETWEEN_PLACES if above is None else (above - below) // (end - at + 1)
        if step < 1:
            return [(number + 1) * _BETWEEN_PLACES for number in range(len(fixed))]
        places += [below + (number + 1) * step for number in range(end - at)]
        at = end
    return places
