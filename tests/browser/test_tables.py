"""Tables in a real browser: rows are sorted and filtered."""

from __future__ import annotations

import pytest

from words import concept

pytestmark = pytest.mark.browser


def test_rows_are_sorted_and_filtered(open_page):
    names = "[...document.querySelectorAll('main td.name a')].map(a => a.innerText)"
    page = open_page("tables")
    page.evaluate("location.hash = '#/tables?type=person'")
    page.wait_for(f"{names}.length === 5")
    ascending = page.evaluate(names)
    page.click("main th.name button")
    page.wait_for(f"{names}[0] === 'Dua Khan'")
    descending = page.evaluate(names)
    page.fill("main input[type=search]", "ruiz")
    page.wait_for(f"{names}.length === 2")

    assert ascending == ["Ana Ruiz", "Anna Ruiz", "Ben Okafor", "Cem Aydin", "Dua Khan"]
    assert descending == ascending[::-1]


def test_types_are_counted_and_one_is_chosen(open_page):
    page = open_page("tables")
    page.wait_for("document.querySelectorAll('main select option').length > 1")
    options = page.evaluate("[...document.querySelectorAll('main select option')].map(o => o.innerText)")
    page.select("main select", "decision")
    page.wait_for_text("1 entity", within="main [role=status]")

    assert "person (5)" in options
    assert page.text("main td.name") == "Use SQLite"


def test_an_entity_behind_the_first_rows_is_found_by_filter_and_by_order(open_page, atlas):
    for first in (0, 600):
        parts = [concept(f"Part {number:04}") for number in range(first, first + 600)]
        atlas(
            "record_facts",
            facts=[{"subject": part, "predicate": "tagged", "object": {"literal": "part"}} for part in parts],
        )
    page = open_page("tables")
    page.wait_for_text("showing the first 500", within="main [role=status]")
    page.fill("main input[type=search]", "part 1199")
    page.wait_for_text("1 entity", within="main [role=status]")
    found = page.text("main td.name")
    page.evaluate("location.hash = '#/tables?sort=-name&type=concept'")
    page.wait_for("document.querySelector('main td.name')?.innerText === 'the missing licence'")
    page.click("main [role=status] button", text="Show more")

    page.wait_for("!document.querySelector('main [role=status]').innerText.includes('first')")
    assert found == "Part 1199"
