"""Time in a real browser: the slider shows what held on each day, and Changes what began and ended between two days."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from browser.test_page import thing

pytestmark = pytest.mark.browser

SHOWN = "document.querySelector('[data-shown]')?.dataset.shown"


def test_the_slider_shows_what_explore_node_answers_at_twenty_instants(open_page, atlas):
    about = thing(atlas, "Ana Ruiz").replace("thing/", "time/")
    page = open_page("time")
    page.evaluate(f"location.hash = '#/{about}'")
    page.wait_for(f"!!{SHOWN}")
    days = [date(2025, 12, 20) + timedelta(days=random.Random(7).randrange(1, 400) * n % 330) for n in range(1, 21)]
    differences = {}
    for day in map(str, days):
        page.evaluate(
            f"(() => {{ const i = document.querySelector('.slider input[type=date]'); i.value = '{day}';"
            " i.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        page.wait_for(f"{SHOWN} === '{day}'")
        shown = page.evaluate("[...document.querySelectorAll('.neighbourhood a title')].map(t => t.textContent)")
        answer = atlas("explore_node", node_uuid=about.removeprefix("time/"), depth=1, as_of=day)
        expected = [node["name"] for node in answer["nodes"]]
        if sorted(shown) != sorted(expected):
            differences[day] = (shown, expected)

    assert differences == {}


def test_changes_show_what_began_and_ended_between_two_days(open_page):
    page = open_page("today")
    page.evaluate("location.hash = '#/changes?from=2026-06-15&to=2026-07-15'")
    page.wait_for("document.querySelectorAll('.board .column').length === 3")
    columns = page.evaluate("[...document.querySelectorAll('.board .column')].map(c => c.innerText)")

    assert "Cem Aydin" in columns[0]
    assert "Dua Khan" in columns[1]
    assert "Cem Aydin" not in columns[1]
