"""Query in a real browser: what cannot be read says where and what to do, and words are completed."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_a_query_that_cannot_be_read_says_where_and_what_to_do(open_page):
    page = open_page("query")
    page.fill("main textarea", "MATCH (n RETURN n")
    page.press("Enter", modifiers=2)
    page.wait_for("!!document.querySelector('main .failure')")
    failure = page.text("main .failure")

    assert "line 1, column 10" in failure
    assert "(variable:Label" in failure


def test_labels_types_and_properties_are_completed(open_page):
    page = open_page("query")
    page.wait_for("!!document.querySelector('main textarea')")
    query = "document.querySelector('main textarea').value"
    parts = {"MATCH (p:Per": "MATCH (p:Person", ")-[r:DECIDED_": "DECIDED_IN", "]->(d) RETURN p.na": "p.name"}
    page.fill("main textarea", "")
    for typed, completed in parts.items():
        page.send("Input.insertText", text=typed)
        page.wait_for("!!document.querySelector('main [role=option][aria-selected=true]')")
        page.press("Enter")
        page.wait_for(f"{query}.endsWith({completed!r})")
    page.click("main button", text="Example 2")
    page.click("main button", text="Run")
    page.click("main button", text="Picture")

    page.wait_for("[...document.querySelectorAll('.picture a text')].some(t => t.textContent.startsWith('Ana Ruiz'))")
