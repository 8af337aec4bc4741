"""The search for what a purge leaves: rows are looked at together, and each that matches is found."""

from __future__ import annotations

import pytest

from keepgraph.store import purge


@pytest.mark.parametrize("together", [1, 2, 3, 7, 200])
def test_each_row_that_matches_is_found_however_many_are_searched_together(monkeypatch, together):
    monkeypatch.setattr(purge, "_ROWS_SEARCHED_AT_ONCE", together)
    rows = [(number, f"text {number}", None, "Ada" if number % 3 else "Grace") for number in range(1, 20)]

    expected = [number for number in range(1, 20) if number % 3]

    assert expected == list(purge._matching_rows(rows, lambda text: "Ada" in text))
    assert list(purge._matching_rows(rows, lambda text: "text 7" in text)) == [7]
    assert list(purge._matching_rows(rows, lambda text: "GraceAda" in text.replace("\x00", " "))) == []
