"""Import of episode lines, and of chunk lines, which continue an episode that is too long for one line.

The rows are inserted as they were in the other graph, and not by `texts.storage`: with their ids, times and chunks, so
that an export comes back exactly, and many at once. Of two ids of one text the older stays.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.exchange.import_state import (
    DEFAULT_GROUP,
    ImportState,
    Line,
    LineResult,
    import_each,
    list_differences,
    validate_timestamp,
)
from keepgraph.language import normalisation, utf8
from keepgraph.store.transactions import Tx
from keepgraph.store.transfer import ChunkRow, EpisodeRow

_PLACE_GAP = 1_000
"""The distance between the places of neighbouring chunks, so that a later edit can insert chunks between them."""


def import_episodes(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    batch = _EpisodeBatch(tx, lines, state)
    results = import_each(lines, batch.import_line, strict=strict)
    batch.write()
    return results


def import_chunks(tx: Tx, lines: Sequence[Line], state: ImportState, strict: bool) -> list[LineResult]:
    ids = {line["episode"] for line in lines}
    episodes = store.transfer.episodes_by_id(tx, ids) | state.same_episodes
    existing = {
        public_id: _chunks_by_number(episodes[public_id], store.transfer.chunks(tx, episodes[public_id].row), state)
        for public_id in ids & episodes.keys()
    }
    new = _ChunkInserts(tx)

    def import_chunk(line: Line) -> LineResult:
        if line["episode"] in state.refused_ids:
            raise errors.ImportConflict(f"{line['episode']} is a different text in this graph: its line was refused")
        if line["episode"] not in episodes:
            raise errors.EpisodeNotFound(f"there is no episode {line['episode']}, in this graph or in the file")
        episode = episodes[line["episode"]]
        chunk = _parse_chunk(line, number=line["place"])
        same_place = existing[line["episode"]].get(chunk.place)
        if same_place == chunk or line["episode"] in state.same_episodes:
            return LineResult()
        if same_place is not None or state.was_complete[episode.row]:
            raise errors.ImportConflict(f"the text of {episode.id} is different in this graph")
        existing[line["episode"]][chunk.place] = chunk
        new.add(episode.row, chunk)
        return LineResult(created=True)

    results = import_each(lines, import_chunk, strict=strict)
    new.write()
    return results


class _EpisodeBatch:
    """Episode lines of one call: the episodes of the graph that they may mean, and the rows to write."""

    def __init__(self, tx: Tx, lines: Sequence[Line], state: ImportState) -> None:
        self._tx, self._state = tx, state
        self._by_id = store.transfer.episodes_by_id(tx, (line["id"] for line in lines))
        self._by_digest: dict[str, list[EpisodeRow]] = defaultdict(list)
        for episode in store.transfer.episodes_by_digest(tx, {line["digest"] for line in lines}):
            self._by_digest[episode.digest].append(episode)
        self._next_row = store.journal.unused_row(tx, "episode")
        self._new: list[EpisodeRow] = []
        self._older: dict[int, EpisodeRow] = {}
        self._open: dict[int, dict[int, str | None]] = {}
        self._new_chunks = _ChunkInserts(tx)

    def import_line(self, line: Line) -> LineResult:
        parsed = _parse_episode(line)
        chunks = [_parse_chunk(chunk, number=number) for number, chunk in enumerate(line.get("chunks", ()))]
        if not line.get("following") and utf8.digest("".join(chunk.text for chunk in chunks)) != parsed.digest:
            raise errors.EpisodeInvalid(
                f"the text of {parsed.id} does not match its digest",
                hint="If it was changed by hand, use `kg remember` or `kg ingest` instead.",
            )
        if existing := self._by_id.get(parsed.id):
            self._check_same(existing, parsed, chunks)
        elif existing := next(
            (episode for episode in self._by_digest[parsed.digest] if self._is_same_text(episode, parsed)), None
        ):
            if parsed.id < existing.id:
                existing = self._older[existing.row] = parsed._replace(row=existing.row)
            else:
                self._state.same_episodes[parsed.id] = existing
        episode = existing or self._add_episode(parsed, chunks)
        if existing is None and "open" in line:
            self._open[episode.row] = {one["statement"]: one.get("waits_for") for one in line["open"]}
        self._state.episode_rows.add(episode.row)
        return LineResult(created=existing is None)

    def write(self) -> None:
        store.transfer.insert_episodes(self._tx, self._new)
        store.transfer.set_episodes(self._tx, self._older.values())
        self._new_chunks.write()
        for row, statements in self._open.items():
            store.provenance.set_open_statements(self._tx, row, statements)

    def _is_same_text(self, existing: EpisodeRow, parsed: EpisodeRow) -> bool:
        """Whether an episode with another id is this one. Two episodes of the file stay two."""
        same = parsed._replace(
            row=existing.row,
            id=existing.id,
            recorded_at=existing.recorded_at,
            session=existing.session,
            pinned=existing.pinned,
        )
        return existing == same and existing.row not in self._state.episode_rows

    def _check_same(self, existing: EpisodeRow, parsed: EpisodeRow, chunks: Sequence[ChunkRow]) -> None:
        """
        Raises:
            errors.ImportConflict: the episode with this id has other values, or other chunks.
        """
        differences = {
            name: ours != theirs
            for name, ours, theirs in zip(existing._fields, existing, parsed._replace(row=existing.row), strict=True)
        }
        if not any(differences.values()):
            stored = self._new_chunks.of_episode(existing.row) or _numbered(
                store.transfer.chunks(self._tx, existing.row)
            )
            differences = {"text in its chunks": stored[: len(chunks)] != chunks}
        if any(differences.values()):
            self._state.refused_ids.add(parsed.id)
            raise errors.ImportConflict(f"{parsed.id} is in this graph with different {list_differences(differences)}")

    def _add_episode(self, parsed: EpisodeRow, chunks: Sequence[ChunkRow]) -> EpisodeRow:
        episode = parsed._replace(row=self._next_row)
        self._next_row += 1
        self._new.append(episode)
        self._by_id[episode.id] = episode
        self._state.was_complete[episode.row] = False
        for chunk in chunks:
            self._new_chunks.add(episode.row, chunk)
        return episode


class _ChunkInserts:
    """Chunks to write, whose `place` is their number in the episode."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._next_row = store.journal.unused_row(tx, "chunk")
        self._rows: list[tuple[Any, ...]] = []
        self._by_episode: dict[int, list[ChunkRow]] = defaultdict(list)

    def add(self, episode: int, chunk: ChunkRow) -> None:
        speaker_key = normalisation.key(chunk.speaker) if chunk.speaker is not None else None
        place = (chunk.place + 1) * _PLACE_GAP
        self._rows.append(
            (self._next_row, episode, place, *chunk[1:], speaker_key, normalisation.segment_characters(chunk.text))
        )
        self._by_episode[episode].append(chunk)
        self._next_row += 1

    def of_episode(self, episode: int) -> list[ChunkRow]:
        return self._by_episode.get(episode, [])

    def write(self) -> None:
        store.transfer.insert_chunks(self._tx, self._rows)


def _chunks_by_number(episode: EpisodeRow, chunks: Sequence[ChunkRow], state: ImportState) -> dict[int, ChunkRow]:
    """The stored chunks of an episode by their numbers.

    The chunks of a complete episode are counted. An episode of this import is not complete, and may lack chunks in the
    middle whose lines were refused: there the place gives the number.
    """
    if episode.row not in state.was_complete:
        state.was_complete[episode.row] = utf8.digest("".join(chunk.text for chunk in chunks)) == episode.digest
    if state.was_complete[episode.row]:
        return dict(enumerate(_numbered(chunks)))
    return {number: chunk._replace(place=number) for chunk in chunks for number in [chunk.place // _PLACE_GAP - 1]}


def _numbered(chunks: Sequence[ChunkRow]) -> list[ChunkRow]:
    """Stored chunks in order, with their number in the field `place`: stored places may have gaps."""
    return [chunk._replace(place=number) for number, chunk in enumerate(chunks)]


def _parse_episode(line: Line) -> EpisodeRow:
    """
    Raises:
        errors.InvalidArguments: a timestamp is not allowed.
    """
    occurred_at = validate_timestamp(line["occurred_at"])
    return EpisodeRow(
        row=0,
        id=line["id"],
        group=line.get("group", DEFAULT_GROUP),
        kind=line["episode_kind"],
        name=line["name"],
        source=line.get("source", ""),
        digest=line["digest"],
        occurred_at=occurred_at,
        recorded_at=validate_timestamp(line["recorded_at"]) if "recorded_at" in line else occurred_at,
        session=line.get("session"),
        pinned=int(line.get("pinned", False)),
    )


def _parse_chunk(line: Line, *, number: int) -> ChunkRow:
    """
    Raises:
        errors.EpisodeInvalid: the name of its speaker has an empty normalisation key.
    """
    speaker = line.get("speaker")
    if speaker is not None and not normalisation.key(speaker):
        raise errors.EpisodeInvalid(f"the speaker {english.quoted(speaker)} has no letters")
    annotations = json.dumps(line.get("named", []), ensure_ascii=False, separators=(",", ":"))
    return ChunkRow(number, line["text"], line.get("heading", ""), speaker, annotations)
