"""What the file of a graph looks like from outside: plain, encrypted, empty or something else."""

from __future__ import annotations

import os

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import keepgraph
from homes import DIGITS, scratch
from keepgraph import store


@given(st.binary(min_size=1, max_size=64), st.integers(1, 3))
@settings(max_examples=50)
def test_a_page_that_repeats_itself_is_not_taken_for_an_encrypted_graph(part, pages):
    assume(not part.startswith(b"SQLite"))
    with scratch() as folder:
        (folder / "f").write_bytes((part * store.files.PAGE_SIZE)[: store.files.PAGE_SIZE * pages])

        assert store.files.kind(folder / "f") is store.files.Kind.JUNK


def test_whole_pages_of_chance_look_encrypted(tmp_path):
    seen = set()
    for pages in (1, 2, 7):
        for _ in range(300):
            (tmp_path / "f").write_bytes(os.urandom(store.files.PAGE_SIZE * pages))
            seen.add(store.files.kind(tmp_path / "f"))

    assert seen == {store.files.Kind.ENCRYPTED}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", store.files.Kind.EMPTY),
        (b"SQLite format 3\x00", store.files.Kind.PLAIN),
        (b"SQLite format 3\x00" + bytes(4080), store.files.Kind.PLAIN),
        (bytes(4096), store.files.Kind.JUNK),
        (b"All work and no play makes Jack a dull boy. " * 1000, store.files.Kind.JUNK),
        (bytes(range(256)) * 15, store.files.Kind.JUNK),
        (os.urandom(4095), store.files.Kind.JUNK),
        (os.urandom(4097), store.files.Kind.JUNK),
        (os.urandom(100), store.files.Kind.JUNK),
    ],
    ids=["nothing", "header", "page", "zeros", "text", "part of a page", "cut", "grown", "a little"],
)
def test_a_file_is_told_by_its_first_page(tmp_path, content, kind):
    (tmp_path / "f").write_bytes(content)

    assert store.files.kind(tmp_path / "f") is kind


@pytest.mark.parametrize("key", [None, DIGITS])
def test_a_graph_is_told_from_outside(tmp_path, key):
    keepgraph.open(tmp_path / "graph.db", key=key).close()

    assert store.files.kind(tmp_path / "graph.db") is (store.files.Kind.ENCRYPTED if key else store.files.Kind.PLAIN)
