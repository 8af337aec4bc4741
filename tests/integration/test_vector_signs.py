"""The nearest vectors are the same whether their sign bits are compared in memory or by the extension."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from keepgraph import store
from keepgraph.store import vector_search, vectors
from keepgraph.store.derived_tables import CHUNK_VECTORS, FACT_VECTORS, NAME_VECTORS, VECTOR_KINDS
from keepgraph.store.search_filters import Filters
from keepgraph.temporal import timestamps
from words import concept, person

pytestmark = pytest.mark.skipif(vectors.extension_missing() is not None, reason="sqlite-vec is not installed")

BYTES = 48


def random_vector(chance: random.Random) -> tuple[bytes, bytes]:
    """A vector as it is stored: a byte a dimension, and the signs."""
    values = [chance.choice([-1, 1]) * chance.randrange(1, 128) for _ in range(8 * BYTES)]
    bits = sum(1 << place for place, value in enumerate(values) if value > 0)
    return bytes(value % 256 for value in values), bits.to_bytes(BYTES, "little")


def embed_missing(graph, seed: int) -> None:
    """Give everything that waits for a vector a random one."""
    chance = random.Random(seed)
    with graph.database.write("vectors") as tx:
        if vectors.model_and_dimension(tx) is None:
            vectors.reset(tx, "random", 8 * BYTES)
        for kind in VECTOR_KINDS:
            rows = vectors.next_missing(tx, kind, limit=1000)
            vectors.insert(tx, [(number, text, *random_vector(chance)) for number, text in rows], kind)


def nearest(tx, *, limit: int = 5) -> list[object]:
    """What is nearest to some vector, of each kind and with each filter."""
    query = random_vector(random.Random(99))
    at = timestamps.from_datetime(tx.now)
    everywhere, there = Filters(("default", "other"), at), Filters(("other",), at)
    persons, nowhere = Filters(("default",), at, types=("person",)), Filters(("none",), at)
    return [
        [vector_search.nearest_names(tx, query, filters=each, limit=limit) for each in (everywhere, there, persons)],
        vector_search.nearest_facts(tx, query, limit=limit),
        [
            vector_search.nearest_chunks(tx, query, filters=each, with_turn_before=turn, limit=limit)
            for each in (everywhere, there, nowhere)
            for turn in (False, True)
        ],
    ]


def nearest_without_memory(tx) -> list[object]:
    held = dict(tx.shared_cache)
    tx.shared_cache.clear()
    result = nearest(tx)
    tx.shared_cache.update(held)
    return result


@pytest.fixture
def filled(graph, call):
    """Names, facts and texts in two groups, with vectors, and the signs in memory."""
    for number in range(12):
        call.record(person(f"Person {number}"), "works_on", concept(f"Concept {number}"))
    for group in ("default", "other"):
        call(
            "add_memory",
            group_id=group,
            episodes=[
                {"name": f"turn {number}", "content": f"Ada: sentence {number}", "source": "message"}
                for number in range(12)
            ],
        )
    embed_missing(graph, 1)
    with graph.database.read("search") as tx:
        vector_search.load(tx)
    return graph


@contextmanager
def counted(tx) -> Iterator[Counter[str]]:
    """How often the extension is called for each distance."""
    vectors.load_extension(tx)
    calls: Counter[str] = Counter()

    def hamming(one: bytes, other: bytes) -> int:
        calls["hamming"] += 1
        return sum((left ^ right).bit_count() for left, right in zip(one, other, strict=True))

    def cosine(one: bytes, other: bytes) -> float:
        calls["cosine"] += 1
        return 1.0

    tx.conn.create_function("vec_distance_hamming", 2, hamming)
    tx.conn.create_function("vec_distance_cosine", 2, cosine)
    yield calls


def test_the_same_is_nearest_in_memory_and_by_the_extension(filled):
    with filled.database.read("search") as tx:
        in_memory = nearest(tx)

        assert all(vector_search.of_snapshot(tx, kind) for kind in VECTOR_KINDS)
        assert nearest_without_memory(tx) == in_memory
        assert [] not in in_memory


def test_what_changes_is_read_again(filled, call):
    """
    New, changed and deleted vectors, each followed by a search.
    """
    changes = (
        lambda: call.record(person("Somebody New"), "works_on", concept("Something New")),
        lambda: call("update_entity", entity=person("Person 3"), name="Person Renamed"),
        lambda: call("add_memory", name="more", episode_body="Ada: a new sentence", source="message"),
        lambda: call("clear_graph", group_ids=["other"], confirm=True),
    )
    for seed, change in enumerate(changes, 2):
        answer = change()

        assert "error" not in answer
        for step in (lambda: None, lambda seed=seed: embed_missing(filled, seed)):
            step()
            with filled.database.read("search") as tx:
                in_memory = nearest(tx)

                assert all(vector_search.of_snapshot(tx, kind) for kind in VECTOR_KINDS)
                assert nearest_without_memory(tx) == in_memory


def test_in_memory_the_extension_computes_cosines_of_candidates_alone(filled):
    with filled.database.read("search") as tx, counted(tx) as calls:
        nearest(tx, limit=2)

        assert calls["hamming"] == 0
        assert 0 < calls["cosine"] <= 4 * 9


def test_without_signs_in_memory_the_extension_compares_all(filled):
    with filled.database.read("search") as tx, counted(tx) as calls:
        tx.shared_cache.clear()
        facts = tx.conn.execute("SELECT count(*) FROM fact_signs").fetchone()[0]
        vector_search.nearest_facts(tx, random_vector(random.Random(5)), limit=2)

        assert calls == {"hamming": facts, "cosine": 4}


def test_a_transaction_that_writes_does_not_use_what_is_in_memory(filled):
    with filled.database.write("search") as tx:
        assert vector_search.of_snapshot(tx, FACT_VECTORS) is None


def test_an_earlier_snapshot_does_not_see_later_vectors(filled, call):
    with filled.database.read("search") as earlier:
        before = nearest(earlier)
        call.record(person("Somebody New"), "works_on", concept("Something New"))
        embed_missing(filled, 2)
        with filled.database.read("search") as later:
            vector_search.load(later)

            assert vector_search.of_snapshot(later, NAME_VECTORS)
        assert vector_search.of_snapshot(earlier, NAME_VECTORS) is None
        assert before == nearest(earlier)


def test_after_too_many_changes_all_is_read_anew(filled, call, monkeypatch):
    monkeypatch.setattr(vector_search, "_MAX_CHANGES", 1)
    call("add_memory", name="more", episode_body="Ada: a new sentence", source="message")
    embed_missing(filled, 2)
    with filled.database.read("search") as tx:
        assert vector_search.of_snapshot(tx, CHUNK_VECTORS) is None

        vector_search.load(tx)

        assert vector_search.of_snapshot(tx, CHUNK_VECTORS)
        assert nearest_without_memory(tx) == nearest(tx)


def test_one_search_brings_nothing_into_memory_and_the_third_does(filled):
    with filled.database.read("search") as tx:
        tx.shared_cache.clear()
        vector_search.note_search(tx)
        once = vector_search.of_snapshot(tx, FACT_VECTORS)
        vector_search.note_search(tx)
        vector_search.note_search(tx)

        assert once is None
        assert vector_search.of_snapshot(tx, FACT_VECTORS)


def test_changes_are_kept_in_bounded_number(filled):
    with filled.database.write("test") as tx:
        tx.conn.execute("INSERT INTO vector_change VALUES (29999, 'fact', 1)")
        tx.conn.execute("INSERT INTO vector_change VALUES (30000, 'fact', 1)")

        assert tx.conn.execute("SELECT count(*) FROM vector_change").fetchone()[0] == 2
        assert store.integrity.count_wrong_vectors(tx) == {}
