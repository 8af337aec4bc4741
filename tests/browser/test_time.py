"""Time in a real browser: the story shows what held on each day, and Changes what began and ended between two days."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from browser.test_page import thing

pytestmark = pytest.mark.browser

SHOWN = "document.querySelector('[data-shown]')?.dataset.shown"


def names_then(page, day: str) -> list[str]:
    """The names of the rows that hold on a day."""
    page.evaluate(
        f"(() => {{ const i = document.querySelector('.slider input[type=date]'); i.value = '{day}';"
        " i.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.wait_for(f"{SHOWN} === '{day}'")
    return page.evaluate(
        "[...document.querySelectorAll('.story tr:not(.away):not(.texts-row) .name a')].map(a => a.innerText)"
    )


def test_the_story_shows_what_explore_node_answers_at_twenty_instants(open_page, atlas):
    about = thing(atlas, "Ana Ruiz")
    page = open_page(about)
    page.wait_for(f"!!{SHOWN}")
    days = [date(2025, 12, 20) + timedelta(days=random.Random(7).randrange(1, 400) * n % 330) for n in range(1, 21)]
    differences = {}
    for day in map(str, days):
        shown = names_then(page, day)
        answer = atlas("explore_node", node_uuid=about.removeprefix("thing/"), depth=1, as_of=day)
        expected = [node["name"] for node in answer["nodes"]]
        if sorted(shown) != sorted(expected):
            differences[day] = (shown, expected)

    assert differences == {}


def test_every_dated_fact_is_an_element_of_the_story_and_what_went_is_marked(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    page.wait_for("document.querySelectorAll('.story .bar').length > 0")
    titles = page.evaluate("[...document.querySelectorAll('.story .bar')].map(b => b.title)")
    names_then(page, "2026-03-01")
    gone, later = (page.text(f".story .{state} .name") for state in ("gone", "later"))

    assert sorted(title.split(",")[0] for title in titles) == [
        "Ana Ruiz reports to Cem Aydin",
        "Ana Ruiz reports to Dua Khan",
    ]
    assert all(", since 2026-" in title for title in titles)
    assert gone.startswith("Dua Khan")
    assert later.startswith("Cem Aydin")


def test_the_day_is_dragged_and_kept_in_the_address(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    page.wait_for("!!document.querySelector('.story input[type=range]')")
    page.evaluate("document.querySelector('.story input[type=range]').focus()")
    for _ in range(3):
        page.press("ArrowLeft")
    page.wait_for("/day=/.test(location.hash)")
    page.click(".slider button", text="Back to today")

    page.wait_for("!/day=/.test(location.hash)")


def test_the_story_names_the_day_it_shows(open_page, atlas):
    page = open_page(thing(atlas, "Ana Ruiz"))
    page.wait_for(f"!!{SHOWN}")
    now = date.fromisoformat(page.evaluate(SHOWN))
    shown, expected = [], []
    for day in (now + timedelta(days=distance) for distance in (-40, -1, 1)):
        names_then(page, str(day))
        shown.append(page.text(".slider [role=status]").split(":")[0])
        expected.append(f"As it was on {day.day} {day:%B}" + (f" {day.year}" if day.year != now.year else ""))

    assert expected == shown


def test_changes_show_what_began_and_ended_between_two_days(open_page):
    page = open_page("today")
    page.evaluate("location.hash = '#/changes?from=2026-06-15&to=2026-07-15'")
    page.wait_for("document.querySelectorAll('.board .column').length === 3")
    columns = page.evaluate("[...document.querySelectorAll('.board .column')].map(c => c.innerText)")

    assert "Cem Aydin" in columns[0]
    assert "Dua Khan" in columns[1]
    assert "Cem Aydin" not in columns[1]
