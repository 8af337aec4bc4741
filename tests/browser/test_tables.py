"""Tables in a real browser: rows are sorted and filtered."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_rows_are_sorted_and_filtered(open_page):
    names = "[...document.querySelectorAll('main td.name a')].map(a => a.innerText)"
    page = open_page("tables")
    page.evaluate("location.hash = '#/tables?type=person'")
    page.wait_for(f"{names}.length === 5")
    ascending = page.evaluate(names)
    page.click("main th.name button")
    descending = page.evaluate(names)
    page.fill("main input[type=search]", "ruiz")
    page.wait_for(f"{names}.length === 2")

    assert ascending == ["Ana Ruiz", "Anna Ruiz", "Ben Okafor", "Cem Aydin", "Dua Khan"]
    assert descending == ascending[::-1]
