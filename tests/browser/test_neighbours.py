"""One thing in a real browser: a hundred rows are drawn, "+N more" leads to all, and a fact says why it is here."""

from __future__ import annotations

import pytest

from browser.test_page import thing
from words import concept, person, project

pytestmark = pytest.mark.browser

MEMBERS = 1_100
ROWS = "document.querySelectorAll('main table.neighbours tbody tr').length"


@pytest.fixture
def hub(atlas):
    """A project with more members than the page asks for at once, and an older fact with another predicate."""
    atlas.record(project("Hub"), "depends_on", concept("the old licence"))
    atlas.record(person("Former"), "belongs_to", project("Hub"), valid_from="2020-01-01", valid_to="2021-01-01")
    for begin in range(0, MEMBERS, 550):
        members = [person(f"Member {number}") for number in range(begin, begin + 550)]
        facts = [{"subject": member, "predicate": "belongs_to", "object": project("Hub")} for member in members]
        atlas("record_facts", facts=facts)
    return atlas


def test_a_hundred_rows_are_drawn_and_more_leads_to_all_of_them_by_keyboard(open_page, hub):
    page = open_page(thing(hub, "Hub"))
    page.wait_for("!!document.querySelector('.story')")
    drawn = page.evaluate("document.querySelectorAll('.story .name a').length")
    link = "[...document.querySelectorAll('.story th a')].find(a => /more/.test(a.textContent))"
    page.evaluate(f"{link}.focus()")
    page.press("Enter")
    page.wait_for(f"{ROWS} === 1000")
    page.click("main button", text="Show more")
    page.wait_for(f"{ROWS} === {MEMBERS}")

    assert 60 <= drawn <= 100
    assert "Former" not in page.text("main table")


def test_a_predicate_that_only_old_facts_have_is_drawn_too(open_page, hub):
    page = open_page(thing(hub, "Hub"))

    page.wait_for("document.querySelector('.story')?.textContent.includes('the old licence')")


def test_all_neighbours_are_in_one_table_and_filtered_by_name(open_page, hub):
    page = open_page(thing(hub, "Ana Ruiz"))
    page.click("main a", text="All neighbours in a table")
    page.wait_for(f"{ROWS} === 3")
    page.fill("main input[type=search]", "cem")
    page.wait_for(f"{ROWS} === 1")

    assert "Cem Aydin" in page.text("main table")


def test_neighbours_as_of_a_day_are_those_that_held_then(open_page, atlas):
    about = thing(atlas, "Ana Ruiz").replace("thing/", "neighbours/")
    page = open_page("today")
    page.evaluate(f"location.hash = '#/{about}?predicate=reports_to&as_of=2026-03-01'")
    page.wait_for(f"{ROWS} > 0")

    assert "Dua Khan" in page.text("main table")
    assert "Cem Aydin" not in page.text("main table")


def test_a_file_leads_to_all_neighbours_too(open_file, hub, path, tmp_path):
    from homes import run_ok

    hub.graph.close()
    file = tmp_path / "hub.html"
    run_ok("--db", str(path), "view", "--out", str(file), "--about", "Hub", "--depth", "1")
    page = open_file(file)
    page.wait_for("document.querySelector('main h1')?.innerText === 'Hub'")
    page.click(".story th a", text="more")

    page.wait_for(f"{ROWS} === {MEMBERS}")


def test_why_a_fact_is_here_is_told_with_its_origin(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    page.click("main summary[aria-label^='Edit: Ana Ruiz belongs to Atlas']")
    page.click("main button", text="Why")
    page.wait_for("document.querySelector('dialog[open] .why')?.innerText.includes('the kick-off')")
    page.press("Escape")

    page.wait_for("document.activeElement.ariaLabel?.startsWith('Edit: Ana Ruiz belongs to Atlas')")
    assert page.evaluate("document.querySelector('dialog[open]')") is None


def test_a_source_that_is_a_text_leads_to_it(open_page, atlas):
    text = atlas("remember", text="Eva Lind leads Atlas.")
    source = f"{text['name']} ({text['doc_id']})"
    atlas.record(person("Eva Lind"), "tagged", {"literal": "lead"}, source=source)
    page = open_page(thing(atlas, "Eva Lind"))
    page.wait_for("!!document.querySelector('main .story .source a')")
    shown = page.text("main .story td.source")
    page.click("main .story .source a", text=text["name"])
    page.wait_for_text("Eva Lind leads Atlas.", within="main .full-text")

    assert "ep_" not in shown


def test_what_is_connected_at_two_times_is_drawn_once(open_page, atlas):
    atlas.record(person("Eva Stone"), "belongs_to", project("Atlas"), valid_from="2026-01-01")
    atlas.record(person("Eva Stone"), "belongs_to", project("Atlas"), valid_from="2026-02-01", source="minutes")
    page = open_page(thing(atlas, "Eva Stone"))
    page.wait_for("document.querySelector('.story .name a')?.textContent.includes('Atlas')")

    assert page.evaluate("document.querySelectorAll('.story .name a').length") == 1
    assert page.evaluate("document.querySelectorAll('.story .bar').length") == 2
