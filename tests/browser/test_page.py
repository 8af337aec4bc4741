"""The page in a real browser: every view opens, finds, edits and takes back; by keyboard, and for everybody to read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from browser.conftest import HOSTILE, choose_edit
from homes import run_ok
from words import person, rows

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """
    axe.run({
      resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then(result => result.violations.map(
      each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 120)).join(' | ')))
"""
UNREACHABLE = """
    [...document.querySelectorAll('main :is([onclick], a, button, input, select, textarea, summary)')]
      .filter(e => e.getClientRects().length && !e.disabled && e.tabIndex < 0
                   && !e.closest('[role=tablist], [role=radiogroup], [role=grid], [role=listbox], [role=toolbar]'))
      .map(e => e.outerHTML.slice(0, 120))
"""
IS_OUTLINED = """
    (style => style.outlineStyle !== 'none' || style.boxShadow !== 'none')(getComputedStyle(document.activeElement))
"""
VIEWS = ("today", "decisions", "review", "map", "changes", "tables", "query", "history")


def content(path: Path) -> dict[str, list]:
    """The rows of the graph itself, which the journal follows; not the log, nor what is made from them."""
    triggers = "SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%_journal_insert'"
    return {table: sorted(rows(path, f"SELECT * FROM {table}"), key=repr) for (table,) in rows(path, triggers)}


def thing(call, name: str) -> str:
    return f"thing/{call('recall_entity', name_or_alias=name)['entity']['id']}"


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_by_its_address(open_page, view):
    page = open_page(view)

    page.wait_for("document.querySelector('main h1')?.innerText.length > 0")
    page.wait_for("!document.querySelector('main [aria-busy=true]')")
    assert page.evaluate("document.querySelector('nav [aria-current=page]')?.getAttribute('href')") == f"#/{view}"
    assert page.evaluate("location.href.includes('#t=')") is False


def test_one_thing_shows_its_neighbours_its_facts_its_texts_and_who_said_so(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))

    for text in ("Atlas", "Cem Aydin", "the kick-off", "met Ben Okafor"):
        page.wait_for(f"document.querySelector('main').textContent.includes({json.dumps(text)})")


def test_back_leads_to_where_one_was(open_page, atlas):
    page = open_page("today")
    page.evaluate("location.hash = '#/history'")
    page.wait_for_text("History", within="main h1")
    page.evaluate("history.back()")

    page.wait_for("location.hash === '#/today'")
    page.wait_for_text("Today", within="nav [aria-current=page]")


def test_search_finds_names_first_and_opens_them_by_keyboard(open_page):
    page = open_page("today")
    page.press("k", modifiers=2)
    page.wait_for("document.querySelector('dialog.search')?.open")
    page.send("Input.insertText", text="Atl")
    page.wait_for("document.querySelector('[role=option][aria-selected=true]')?.innerText.includes('Atlas')")
    page.press("Enter")

    page.wait_for("location.hash.startsWith('#/thing/')")
    page.wait_for_text("Atlas", within="main h1")


def test_what_would_harm_is_shown_as_text(open_page, atlas):
    page = open_page("tables")
    page.wait_for("document.querySelector('main').textContent.includes('<script>window.harmed')")

    assert page.evaluate("document.querySelectorAll('main script, main img[src=x]').length") == 0


def test_a_page_without_the_token_says_what_to_do(chromium, server):
    with chromium.page(server.address) as page:
        page.wait_for_text("kg ui")


def test_a_tab_of_an_earlier_start_says_what_to_do(chromium, server):
    with chromium.page(f"{server.address}#t={'x' * 43}") as page:
        page.wait_for("!!document.querySelector('main')")
        page.wait_for_text("kg ui")


def test_the_page_is_not_shown_in_a_frame(chromium, server, tmp_path):
    frame = tmp_path / "frame.html"
    frame.write_text(f'<iframe id="framed" src="{server.address_with_token}"></iframe>')
    with chromium.page(frame.as_uri()) as page:
        page.wait_for_problem("frame-ancestors")


# Edits


def test_an_edit_that_fails_says_why_and_changes_nothing(open_page, atlas, path):
    before = content(path)
    page = open_page(thing(atlas, "Ana Ruiz"))
    choose_edit(page, "Rename")
    page.fill("dialog[open] input[type=text]", "Ben Okafor")
    page.press("Enter")
    page.wait_for(
        "!!document.querySelector('.failed, .failure, dialog .hint') && document.body.innerText.includes('Ben Okafor')"
    )

    assert content(path) == before


def test_a_call_in_the_history_is_undone_from_there(open_page, atlas, path):
    before = content(path)
    atlas.record(person("Eva"), "tagged", {"literal": "new"})
    page = open_page("history")
    page.click("main li button", text="Undo")
    page.wait_for("!!document.querySelector('.toast .undo')")

    assert content(path) == before


def test_for_reading_alone_there_is_nothing_to_edit(chromium, atlas, open_graph, path):
    from browser.conftest import serving

    atlas.graph.close()
    with serving(open_graph(read_only=True)) as reading, chromium.page(reading.address_with_token) as page:
        page.wait_for("!!document.querySelector('nav')")
        page.evaluate("location.hash = '#/history'")
        page.wait_for_text("History", within="main h1")

        assert "Record a fact" not in page.text()
        assert (
            page.evaluate("[...document.querySelectorAll('main button')].some(b => /Undo/.test(b.innerText))") is False
        )


# Questions


def test_a_question_in_cypher_is_answered_in_a_table(open_page):
    page = open_page("query")
    page.fill("main textarea", "MATCH (p:Person)-[:BELONGS_TO]->(x) RETURN p.name, x.name ORDER BY p.name")
    page.press("Enter", modifiers=2)

    page.wait_for("[...document.querySelectorAll('main td')].some(td => td.innerText.includes('Ana Ruiz'))")


def test_an_empty_graph_says_three_things_to_do_first(chromium, open_graph, tmp_path):
    from browser.conftest import serving

    with serving(open_graph(tmp_path / "empty.db")) as empty, chromium.page(empty.address_with_token) as page:
        page.wait_for("document.querySelectorAll('main li, main section, main h2').length >= 3")

        assert page.problems == []


# For everybody


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed in ui/")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", [*VIEWS, "thing"])
def test_contrast_labels_and_roles_are_right(open_page, atlas, view, dark):
    page = open_page(thing(atlas, "Ana Ruiz") if view == "thing" else view, dark=dark)
    page.wait_for("!document.querySelector('main [aria-busy=true]')")
    page.evaluate(AXE.read_text(encoding="utf-8") + "; 1")
    violations = page.evaluate(VIOLATIONS)

    assert violations == []


@pytest.mark.parametrize("view", [*VIEWS, "thing"])
def test_everything_to_click_is_reached_by_the_keyboard(open_page, atlas, view):
    page = open_page(thing(atlas, "Ana Ruiz") if view == "thing" else view)
    page.wait_for("!document.querySelector('main [aria-busy=true]')")
    unreachable = page.evaluate(UNREACHABLE)
    page.press("Tab")
    page.press("Tab")
    outlined = page.evaluate(IS_OUTLINED)

    assert unreachable == []
    assert outlined


@pytest.mark.parametrize("view", [*VIEWS, "thing"])
def test_a_narrow_screen_shows_all_without_scrolling_sideways(open_page, atlas, view):
    page = open_page(thing(atlas, "Ana Ruiz") if view == "thing" else view, width=380, height=800)
    page.wait_for("!document.querySelector('main [aria-busy=true]')")

    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_on_a_narrow_screen_the_tab_one_is_in_is_seen_and_no_number_is_cut(open_page):
    page = open_page("tables", width=380, height=800)
    page.wait_for("!!document.querySelector('td.facts')")
    cut = page.evaluate("[...document.querySelectorAll('td.facts')].filter(e => e.scrollWidth > e.clientWidth).length")
    column = page.evaluate("document.querySelector('td.facts').getBoundingClientRect().right")
    tab = page.evaluate("document.querySelector('nav [aria-current=page]').getBoundingClientRect().right")

    assert cut == 0
    assert column <= 380
    assert 0 < tab <= 380


# The file


@pytest.fixture
def file(atlas, path, tmp_path) -> Path:
    atlas.graph.close()
    target = tmp_path / "atlas.html"
    run_ok("--db", str(path), "view", "--out", str(target))
    return target


def test_a_file_shows_the_graph_without_a_server_and_without_edits(open_file, file):
    page = open_file(file)
    page.wait_for("!!document.querySelector('nav')")
    for view in page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))"):
        page.evaluate(f"location.hash = {json.dumps(view)}")
        page.wait_for(f"document.querySelector('nav [aria-current=page]')?.getAttribute('href') === {json.dumps(view)}")
        page.wait_for("document.querySelector('main h1')?.innerText.length > 0")

        assert "Record a fact" not in page.text()


def test_a_file_has_the_week_and_the_decisions_and_names_what_it_has_not(open_file, file):
    page = open_file(file)
    views = page.evaluate("document.querySelector('nav').textContent")
    page.click("nav a", text="Today")
    page.wait_for_text("the missing licence", within="main .today")
    page.click("nav a", text="Decisions")
    page.click("main .card a", text="Use SQLite")

    page.wait_for_text("Use SQLite", within="main h1")
    for name in ("Review", "Query", "History"):
        assert name in page.text(".note")
        assert name not in views


def test_a_file_finds_a_name_and_shows_it(open_file, file):
    page = open_file(file)
    page.press("k", modifiers=2)
    page.wait_for("document.querySelector('dialog.search')?.open")
    page.send("Input.insertText", text="Ana R")
    page.wait_for("!!document.querySelector('[role=option][aria-selected=true]')")
    page.press("Enter")

    page.wait_for_text("Ana Ruiz", within="main h1")
    page.wait_for("document.querySelector('main').textContent.includes('Atlas')")


def test_a_file_of_a_day_shows_that_day_first(open_file, atlas, path, tmp_path):
    target = tmp_path / "may.html"
    atlas.graph.close()
    run_ok("--db", str(path), "view", "--out", str(target), "--about", "Ana Ruiz", "--as-of", "2026-05-31")
    page = open_file(target)
    page.wait_for("document.querySelector('main h1')?.innerText === 'Ana Ruiz'")

    page.wait_for("document.querySelector('[data-shown]')?.dataset.shown === '2026-05-31'")
    assert page.evaluate("document.querySelector('.story tr:not(.away) .name')?.innerText.length > 0")


def test_a_predicate_is_not_added_for_a_fact_that_is_refused(open_page, atlas, path):
    page = open_page(thing(atlas, "Ana Ruiz"))
    before = content(path)
    page.click("main button", text="Record a fact")
    page.fill("dialog[open] input[list=predicates]", "sings with")
    page.evaluate("[...document.querySelectorAll('dialog[open] input[type=text]')][2].focus()")
    page.send("Input.insertText", text="wizard: Merlin")
    page.click("dialog[open] button[type=submit]")
    page.wait_for("!!document.querySelector('dialog .failure')")
    page.evaluate(
        "[...document.querySelectorAll('dialog button')].find(b => b.innerText.includes('and record'))?.click()"
    )
    page.wait_for("document.querySelector('dialog .failure')?.innerText.includes('wizard')")
    page.wait_for("!document.querySelector('dialog button[type=submit]').disabled")

    assert content(path) == before


def test_a_text_is_set_its_mentions_lead_on_and_a_selection_is_recorded(open_page, atlas):
    links = "- [a page](https://example.org/)\n- [not](javascript:alert(1))"
    text = f"# Plan\n\nAna Ruiz **met** Ben Okafor.\n\n{links}\n\n```\n<b>x</b>\n```\n"
    page = open_page("history")
    page.evaluate(f"location.hash = '#/text/{atlas('remember', text=text + HOSTILE)['doc_id']}'")
    page.wait_for("document.querySelectorAll('.full-text .mention').length === 2")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.full-text p'))")
    page.click("main button", text="Record a fact from the selection")
    page.wait_for("document.querySelector('dialog[open] blockquote')?.innerText === 'Ana Ruiz met Ben Okafor.'")

    assert page.evaluate("document.querySelector('dialog[open] input').value") == "Ana Ruiz"
    assert page.text(".full-text strong") == "met"
    assert page.text(".full-text pre") == "<b>x</b>"
    assert page.evaluate("[...document.querySelectorAll('.full-text li a')].map(a => a.href)") == [
        "https://example.org/"
    ]
    assert page.evaluate("document.querySelectorAll('.full-text :is(script, img, b)').length") == 0


@pytest.mark.parametrize("view", ["today", "decisions", "thing"])
def test_days_are_said_in_words_with_the_instant_in_a_title(open_page, atlas, view):
    page = open_page(thing(atlas, "Ana Ruiz") if view == "thing" else view)
    page.wait_for("!document.querySelector('main [aria-busy=true]')")
    instants = page.evaluate("[...document.querySelectorAll('main time')].map(t => t.title)")

    assert not re.search(r"\d{4}-\d\d-\d\d", page.text("main"))
    assert all(re.match(r"\d{4}-\d\d-\d\d", instant) for instant in instants)


def save_as_pictures(page, within: str) -> list[str]:
    """Save both kinds of picture: the texts of the one in SVG, once that in PNG is there."""
    page.evaluate(
        "(() => { window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = blob => {"
        " window.saved.push(blob); return make(blob); }; HTMLAnchorElement.prototype.click = () => {}; })()"
    )
    for number, kind in enumerate(("SVG", "PNG"), start=1):
        page.click(f"{within} summary", text="Save as picture")
        page.click(f"{within} button", text=kind)
        page.wait_for(f"window.saved.length === {number}")
    sizes = page.evaluate("createImageBitmap(window.saved[1]).then(({width, height}) => Math.min(width, height))")

    assert page.evaluate("window.saved.map(({type}) => type)") == ["image/svg+xml", "image/png"]
    assert sizes > 100
    drawn = ElementTree.fromstring(page.evaluate("window.saved[0].text()"))
    return [text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text")]


def test_a_story_is_saved_as_a_picture_with_every_name_and_without_buttons(open_page, atlas):
    atlas.record(person("Ana Ruiz"), "tagged", {"literal": '<b>&"quick"</b>'})
    page = open_page(thing(atlas, "Ana Ruiz"))
    names = page.evaluate("[...document.querySelectorAll('.story .name')].map(e => e.textContent)")
    drawn = save_as_pictures(page, ".slider")

    assert len(names) > 4
    assert [name for name in names if name not in drawn] == []
    assert "⋯" not in drawn


def test_the_result_of_a_query_is_saved_as_a_picture(open_page):
    page = open_page("query")
    page.fill("main textarea", "MATCH (p:Person {name: 'Ana Ruiz'})-[r]->(x) RETURN p, r, x")
    page.press("Enter", modifiers=2)
    page.click("main .buttons button", text="Picture")
    page.wait_for("!!document.querySelector('.picture')")

    assert {"Ana Ruiz", "Atlas", "Use SQLite", "reports to"} <= set(save_as_pictures(page, ".title-row"))


def test_types_have_signs_of_their_own_and_any_other_its_letter(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    signs = "[...document.querySelectorAll('.story .name .icon path')].map(e => e.getAttribute('d'))"
    known = page.evaluate(signs)
    atlas("extend_vocabulary", types={"zeppelin": {}})
    atlas.record({"type": "zeppelin", "name": "Hindenburg"}, "tagged", {"literal": "old"})
    page.evaluate("location.hash = '#/tables?type=zeppelin'")

    assert len(set(known)) >= 2
    page.wait_for("document.querySelector('td.name .icon')?.textContent === 'Z'")
    assert page.evaluate("document.fonts.check('15px Inter') && [...document.fonts].some(f => f.status === 'loaded')")


def test_the_map_names_a_community_by_its_leading_entity_and_is_saved_as_a_picture(open_page, atlas):
    atlas("build_communities", group_ids=["default"])
    page = open_page("map")
    page.wait_for("!!document.querySelector('.map canvas') && !!document.querySelector('.communities button')")
    drawn = save_as_pictures(page, ".zoom")

    assert "Atlas" in page.text(".communities")
    assert any(re.match(r"Atlas and \d+ more", name) for name in drawn)
