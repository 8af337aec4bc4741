"""Where one is on the page, in a real browser: Back, addresses that somebody typed, and where the focus goes."""

from __future__ import annotations

import pytest

from browser.conftest import choose_edit, choose_entity
from browser.test_page import thing
from words import concept, person, project

pytestmark = pytest.mark.browser


def go(page, view: str) -> None:
    page.evaluate(f"location.hash = '#/{view}'")
    page.wait_for("!!document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')")


def test_back_leads_to_the_same_place_of_a_long_page(open_page, atlas):
    for number in range(70):
        atlas.record(concept(f"Part {number}"), "belongs_to", project("Atlas"))
    page = open_page(thing(atlas, "Atlas"))
    page.wait_for("document.querySelectorAll('table.story tbody tr').length > 70")
    page.evaluate("window.scrollTo(0, 600)")
    page.wait_for("window.scrollY === 600 && new Promise(done => requestAnimationFrame(() => done(true)))")
    page.evaluate("[...document.querySelectorAll('table.story a')].at(-1).click()")
    page.wait_for("document.querySelector('main h1')?.innerText !== 'Atlas'")
    above = page.evaluate("window.scrollY")
    page.evaluate("history.back()")
    page.wait_for("document.querySelector('main h1')?.innerText === 'Atlas'")

    page.wait_for("window.scrollY === 600")
    assert above == 0


def test_back_leads_to_the_table_as_it_was_filtered_and_sorted(open_page):
    page = open_page("tables")
    page.wait_for("!!document.querySelector('td.name a')")
    page.fill("main input[type=search]", "an")
    page.click("th.name button")
    page.wait_for("document.querySelector('th.name').ariaSort === 'descending'")
    page.wait_for("!document.querySelector('main [aria-busy=true]')")
    before = page.text("main tbody")
    page.click("td.name a")
    page.wait_for("location.hash.startsWith('#/thing/')")
    page.evaluate("history.back()")
    page.wait_for("!!document.querySelector('td.name a') && !document.querySelector('main [aria-busy=true]')")

    assert page.evaluate("document.querySelector('main input[type=search]').value") == "an"
    assert page.text("main tbody") == before


def test_back_leads_to_the_community_that_was_looked_at(open_page):
    page = open_page("map")
    page.click(".communities button")
    page.click(".communities li li a")
    page.wait_for("location.hash.startsWith('#/thing/')")
    page.evaluate("history.back()")

    page.wait_for("document.querySelectorAll('.communities [aria-expanded=true]').length === 1")


@pytest.mark.parametrize(
    "address",
    [
        "today?day=nonsense",
        "today?day=2026-99-99",
        "changes?to=tomorrow",
        "changes?from=2026-13-99&to=x",
        "neighbours/ent_x?as_of=x",
        "tables?sort=nothing&type=nothing",
        "thing/%E0%A4%A",
    ],
)
def test_an_address_that_is_mistyped_leaves_a_page_that_works(open_page, address):
    page = open_page("history")
    go(page, address)
    go(page, "decisions")

    page.wait_for_text("Use SQLite", within="main")


def test_focus_returns_to_the_button_of_a_dialog_that_was_sent(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    choose_edit(page, "Also called")
    page.fill("dialog[open] input", "Annie")
    page.press("Enter")
    page.wait_for("!document.querySelector('dialog')")

    assert page.evaluate("document.activeElement.ariaLabel") == "More edits"


def test_the_key_u_takes_back_one_edit_after_the_other(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    for other in ("Annie", "Anita"):
        choose_edit(page, "Also called")
        page.fill("dialog[open] input", other)
        page.press("Enter")
        page.wait_for_text(f"Ana Ruiz is also called {other}.", within=".toasts")
        page.wait_for_text(other, within="main article")
    for count in (1, 2):
        page.press("u")
        page.wait_for(
            f"[...document.querySelectorAll('.toast .undo')].filter(e => /Redo/.test(e.innerText)).length === {count}"
        )

    assert atlas("recall_entity", name_or_alias="Ana Ruiz")["entity"]["aliases"] == []


def test_the_key_u_takes_back_what_its_message_no_longer_offers_and_says_what_is_true(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    choose_edit(page, "Rename")
    page.fill("dialog[open] input[type=text]", "Ana Lind")
    page.press("Enter")
    page.wait_for_text("Renamed Ana Ruiz", within=".toasts")
    page.click(".toast [aria-label='Close this message']")
    page.press("u")

    page.wait_for_text("It is called Ana Ruiz again.", within=".toasts")
    page.wait_for_text("Ana Ruiz", within="main h1")


def test_search_begins_with_what_was_looked_at_and_what_can_be_done(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    page.press("k", modifiers=2)
    page.wait_for("document.querySelector('[role=option]')?.innerText.includes('Ana Ruiz')")
    page.fill("dialog input", "decision")
    page.wait_for("document.querySelector('[role=option][aria-selected=true]')?.innerText === 'Record a decision'")
    page.press("Enter")

    page.wait_for("document.querySelector('dialog[open]')?.ariaLabel === 'Record a decision'")


def test_a_path_to_another_is_told_fact_by_fact(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    choose_edit(page, "Path to another")
    choose_entity(page, "Ben Okafor")

    page.wait_for("document.querySelectorAll('dialog[open] ol li').length === 2")
    page.press("Escape")


def test_search_names_only_what_is_called_so(open_page, atlas):
    atlas.record(person("Eva Stone"), "belongs_to", project("Borealis"))
    page = open_page("today")
    page.press("k", modifiers=2)
    page.fill("dialog input", "stone eva")
    page.wait_for_text("Eva Stone", within="#matches")
    page.wait_for("document.querySelector('dialog [role=status]').innerText === ''")

    assert page.evaluate("[...document.querySelectorAll('[aria-label=Names] [role=option]')].length") == 1
