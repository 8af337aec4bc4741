"""The page cache of a connection: larger for an encrypted file, where the machine has memory for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from keepgraph import store
from keepgraph.profiles import keys

_SIZES = {"SC_PHYS_PAGES": 0, "SC_PAGE_SIZE": 4096}


@pytest.mark.parametrize(("gibibytes", "ratio"), [(1, 1), (16, 4)])
def test_an_encrypted_file_has_a_larger_page_cache_where_memory_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gibibytes: int, ratio: int
) -> None:
    _SIZES["SC_PHYS_PAGES"] = gibibytes * 2**30 // _SIZES["SC_PAGE_SIZE"]
    monkeypatch.setattr(os, "sysconf", _SIZES.__getitem__, raising=False)

    assert ratio == _cache_size(tmp_path / "encrypted.db", keys.new()) // _cache_size(tmp_path / "plain.db", None)


def test_where_the_memory_of_the_machine_is_not_known_the_page_cache_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "sysconf", raising=False)

    assert _cache_size(tmp_path / "encrypted.db", keys.new()) == _cache_size(tmp_path / "plain.db", None)


def _cache_size(path: Path, key: Any) -> int:
    """The size of the page cache, in KiB."""
    path.touch()
    conn = store.connections.connect(path, "rw", key=key)
    try:
        return -int(conn.execute("PRAGMA cache_size").fetchone()[0])
    finally:
        conn.close()
