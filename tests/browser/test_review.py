"""Review in a real browser: proposals are accepted and rejected by one key each, and a toast takes it back."""

from __future__ import annotations

import pytest

from browser.conftest import serving, wait_until_drawn
from keepgraph.tools.contract import catalogue
from words import Caller

TOOLS = {tool.name for tool in catalogue.tools()}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif("review_proposals" not in TOOLS, reason="there is no review_proposals yet"),
]


def open_proposals(call) -> int:
    return int(call("review_proposals", limit=0)["total"])


@pytest.fixture
def with_proposals(atlas):
    atlas("remember", text="Ana Ruiz met Maria Costa and Peter Lund of Initech about the Borealis programme.")
    assert atlas("review_proposals")["total"] > 0  # which offers what waits in texts
    return atlas


@pytest.mark.parametrize("key", ["y", "n"], ids=["accept", "reject"])
def test_a_proposal_is_decided_by_one_key_and_reopened_by_its_toast(open_page, with_proposals, key):
    before = open_proposals(with_proposals)
    page = open_page("review")
    page.wait_for("!!document.querySelector('.proposal')")
    page.press(key)
    page.wait_for("!!document.querySelector('.toast .undo')")
    after = open_proposals(with_proposals)
    page.click(".toast .undo")
    page.wait_for("document.querySelector('.toast .undo')?.innerText.includes('Redo')")

    assert (after, open_proposals(with_proposals)) == (before - 1, before)


def test_a_skipped_proposal_stays_open(open_page, with_proposals):
    before = open_proposals(with_proposals)
    page = open_page("review")
    page.wait_for("!!document.querySelector('.proposal')")
    first = page.text(".proposal h2")
    page.press("s")
    page.wait_for(f"(document.querySelector('.proposal h2')?.innerText ?? '') !== {first!r}")

    assert open_proposals(with_proposals) == before


def test_what_accepting_would_do_is_shown_before_the_key(open_page, with_proposals):
    page = open_page("review")
    page.wait_for("!!document.querySelector('.proposal .effect')")
    [effect] = [each["effect"] for each in with_proposals("review_proposals", limit=1)["proposals"]]

    assert effect in page.text(".proposal .effect")


def test_keys_that_follow_each_other_decide_one_proposal_each(open_page, with_proposals):
    before = open_proposals(with_proposals)
    page = open_page("review")
    page.wait_for("!!document.querySelector('.proposal')")
    for _ in range(3):
        heading = page.text(".proposal h2")
        page.press("n")
        page.wait_for(f"(document.querySelector('.proposal h2')?.innerText ?? '') !== {heading!r}")

    assert open_proposals(with_proposals) == before - 3
    assert page.evaluate("document.querySelectorAll('.toast.failed').length") == 0


def test_keys_faster_than_the_list_decide_one_proposal_each(open_page, with_proposals):
    """
    Each key is pressed as soon as the next proposal is seen; the list that comes later still has the one before.
    """
    with_proposals(
        "remember", text="\n\n".join(f"I met {name} Berger today." for name in "Ida Max Eva Tom Lea Jan Pia".split())
    )
    assert with_proposals("review_proposals")["total"] > 6
    before = open_proposals(with_proposals)
    page = open_page("review")
    page.wait_for("!!document.querySelector('.proposal')")
    page.evaluate("""
        window.press = async count => {
          for (let seen = ''; count > 0; await new Promise(requestAnimationFrame)) {
            const now = document.querySelector('.proposal h2').innerText;
            if (now === seen || document.querySelector('.proposal .buttons button').disabled) continue;
            seen = now;
            count -= 1;
            window.dispatchEvent(new KeyboardEvent('keydown', {key: 'n'}));
          }
        }
    """)
    page.evaluate("window.press(6)")
    page.wait_for(
        "document.querySelectorAll('.toast').length === 4 && !document.querySelector('.proposal button').disabled"
    )

    assert open_proposals(with_proposals) == before - 6
    assert page.evaluate("document.querySelectorAll('.toast.failed').length") == 0


def test_a_name_is_accepted_as_another_type(open_page, with_proposals):
    page = open_page("review")
    page.wait_for_text("New entity", within=".proposal")
    page.press("e")
    page.wait_for("document.querySelectorAll('dialog select option').length > 5")
    name = page.evaluate("document.querySelector('dialog input').value")
    page.select("dialog select", "organisation")
    page.click("dialog button[type=submit]")
    page.wait_for("!!document.querySelector('.toast .undo')")

    assert with_proposals("recall_entity", name_or_alias=name)["entity"]["type"] == "organisation"


def test_what_has_nothing_to_show_says_what_waits_in_review(chromium, open_graph, tmp_path):
    call = Caller(open_graph(tmp_path / "texts.db"))
    call("remember", text="Ana Ruiz met Maria Costa and Peter Lund about the Borealis programme.")
    call("review_proposals")
    with serving(call.graph) as server, chromium.page(server.address_with_token) as page:
        wait_until_drawn(page)
        for view in ("map", "tables"):
            page.evaluate(f"location.hash = '#/{view}'")
            page.wait_for("/\\d proposals? to decide/.test(document.querySelector('main a')?.innerText)")
