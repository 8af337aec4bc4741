"""Tables in a real browser: several entities are merged, retyped and tagged at once; one toast takes it all back."""

from __future__ import annotations

import pytest

from browser.test_page import content

pytestmark = pytest.mark.browser


def select(page, *names):
    for name in names:
        page.click(f'main input[aria-label="Select {name}"]')


def merge(page):
    page.click("main button", text="Merge")
    page.click("dialog[open] button[type=submit]")


def retype(page):
    page.click("main button", text="Change type")
    page.wait_for("[...document.querySelectorAll('dialog[open] option')].some(o => o.value === 'concept')")
    page.evaluate(
        "(() => { const s = document.querySelector('dialog[open] select'); s.value = 'concept';"
        " s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    page.click("dialog[open] button[type=submit]")


def tag(page):
    page.click("main button", text="Tag")
    page.wait_for("document.querySelector('dialog[open] input[list]')?.value === 'tagged'")
    page.fill("dialog[open] input", "core team")
    page.click("dialog[open] button[type=submit]")


@pytest.mark.parametrize("edit", [merge, retype, tag])
def test_an_edit_of_several_rows_is_taken_back_by_one_toast(open_page, atlas, path, edit):
    before = content(path)
    page = open_page("tables")
    select(page, "Ana Ruiz", "Anna Ruiz", "Ben Okafor")
    edit(page)
    page.wait_for("!!document.querySelector('.toast .undo')")
    page.wait_for("!document.querySelector('dialog[open]')")
    after = content(path)
    page.click(".toast .undo")
    page.wait_for("document.querySelector('.toast .undo')?.innerText.includes('again')")

    assert after != before
    assert content(path) == before


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
