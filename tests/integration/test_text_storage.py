"""Storage of texts: an episode is inserted or brought up to date, and chunks whose text stays are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import keepgraph
from keepgraph import store
from keepgraph.engine.texts import storage
from keepgraph.engine.texts.storage import Annotation, ChunkDraft, Outcome, StoredText
from keepgraph.language import utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Chunk
from words import rows

Upsert = Callable[..., StoredText]


@pytest.fixture
def upsert(graph: keepgraph.Graph) -> Upsert:
    """Stores a text that is given as its chunks, in a call of its own."""

    def call(
        *texts: str, annotations: Sequence[Annotation] = (), group: str = "default", **arguments: Any
    ) -> StoredText:
        def drafts() -> Iterable[ChunkDraft]:
            return [(TextChunk(text), annotations) for text in texts]

        defaults = {"existing": None, "kind": storage.TEXT, "name": "A note", "source": None, "occurred_at": None}
        digest = utf8.digest("".join(texts))
        with graph.database.write("test") as tx:
            tx = replace(store.journal.begin_call(tx), group=group)
            return storage.upsert(tx, **{**defaults, "digest": digest, "chunks": drafts, **arguments})

    return call


def never() -> Iterable[ChunkDraft]:
    raise AssertionError("the chunks are not needed")


def chunk_rows(chunks: Sequence[Chunk]) -> dict[str, int]:
    return {chunk.text: chunk.row for chunk in chunks}


def changes(path: Path) -> int:
    [(count,)] = rows(path, "SELECT count(*) FROM journal")
    return int(count)


def test_a_new_text_is_stored_with_its_chunks(upsert, path):
    stored = upsert("One. ", "Two.", source="mail", occurred_at="2026-05-01T00:00:00.000Z")

    assert (stored.outcome, stored.is_same_text, stored.chunk_update.added) == (Outcome.ADDED, False, 2)
    assert rows(path, "SELECT name, source, occurred_at FROM episode") == [
        ("A note", "mail", "2026-05-01T00:00:00.000Z")
    ]
    assert rows(path, "SELECT text FROM chunk ORDER BY place") == [("One. ",), ("Two.",)]


def test_a_text_without_time_is_of_now(upsert):
    episode = upsert("One.").episode

    assert episode.occurred_at == episode.recorded_at


def test_a_text_that_stays_as_it_is_writes_nothing(upsert, path):
    first = upsert("One. ", "Two.")
    before = changes(path)
    again = upsert("One. ", "Two.", existing=first.episode, chunks=never)

    assert (again.outcome, again.episode, again.chunk_update.chunks) == (Outcome.UNCHANGED, first.episode, ())
    assert changes(path) == before


@pytest.mark.parametrize(
    "changed", [{"name": "Another"}, {"source": "mail"}, {"occurred_at": "2026-05-01T00:00:00.000Z"}], ids=str
)
def test_the_chunks_of_the_same_text_are_left_alone(upsert, path, changed):
    first = upsert("One. ", "Two.")
    again = upsert("One. ", "Two.", existing=first.episode, chunks=never, **changed)
    [(column, value)] = changed.items()

    assert (again.outcome, again.is_same_text) == (Outcome.UPDATED, True)
    assert rows(path, f"SELECT {column} FROM episode") == [(value,)]
    assert rows(path, "SELECT text, id FROM chunk ORDER BY place") == list(
        chunk_rows(first.chunk_update.chunks).items()
    )


def test_what_is_not_given_stays_as_it_was(upsert):
    first = upsert("One.", source="mail", occurred_at="2026-05-01T00:00:00.000Z").episode
    again = upsert("Two.", existing=first).episode

    assert (again.id, again.source, again.occurred_at) == (first.id, "mail", "2026-05-01T00:00:00.000Z")


def test_of_a_changed_text_the_chunks_that_stay_are_kept(upsert, path):
    first = upsert("One. ", "Two. ", "Three.")
    again = upsert("One. ", "New. ", "Three.", existing=first.episode)
    before, after = chunk_rows(first.chunk_update.chunks), chunk_rows(again.chunk_update.chunks)
    update = again.chunk_update

    assert (again.outcome, update.added, update.removed, update.kept) == (Outcome.UPDATED, 1, 1, 2)
    assert (after["One. "], after["Three."]) == (before["One. "], before["Three."])
    assert rows(path, "SELECT text FROM chunk ORDER BY place") == [("One. ",), ("New. ",), ("Three.",)]


def test_an_episode_of_another_group_is_updated_where_it_is(upsert, path):
    first = upsert("One.").episode
    upsert("Two.", existing=first, group="elsewhere")

    assert rows(path, "SELECT public_id, group_id FROM episode") == [(first.id, first.group)]
    assert rows(path, "SELECT text FROM chunk") == [("Two.",)]


def test_a_client_may_cut_and_annotate_the_same_text_anew(upsert, path):
    first = upsert("One. Two.", kind=storage.PRECHUNKED)
    ada = {"how": "given", "type": "person", "name": "Ada"}
    again = upsert("One. ", "Two.", existing=first.episode, kind=storage.PRECHUNKED, annotations=[ada])

    assert (again.is_same_text, again.chunk_update.added, again.chunk_update.removed) == (True, 2, 1)
    assert all(chunk.annotations == (ada,) for chunk in again.chunk_update.chunks)
    assert rows(path, "SELECT text FROM chunk ORDER BY place") == [("One. ",), ("Two.",)]
