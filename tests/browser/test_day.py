"""A day with the page in a real browser: 28 steps by the controls that a person uses, and U takes back every edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from browser import test_buttons as buttons
from browser.conftest import choose_edit, choose_entity
from browser.test_page import content, save_as_pictures

pytestmark = pytest.mark.browser

NEWEST = "Math.max(0, ...[...document.querySelectorAll('.toast:has(.undo)')].map(e => +e.dataset.id))"


def go(page: Any, view: str) -> None:
    """By the navigation, as a click on its entry does."""
    if not page.evaluate(f"!!document.querySelector('header nav > a[href=\"#/{view}\"]')"):
        page.click("header nav summary")
    page.click(f'header nav a[href="#/{view}"]')
    page.wait_for(f"location.hash === '#/{view}' && !document.querySelector('main [aria-busy=true]')")


def find(page: Any, name: str) -> None:
    """By Ctrl-K, its name and Enter."""
    page.press("k", modifiers=2)
    page.wait_for("document.querySelector('dialog.search')?.open")
    page.send("Input.insertText", text=name)
    page.wait_for(
        f"document.querySelector('[role=option][aria-selected=true]')?.innerText.includes({json.dumps(name)})"
    )
    page.press("Enter")
    page.wait_for(f"document.querySelector('.thing h1')?.innerText === {json.dumps(name)}")


def type_of_things(page: Any) -> None:
    page.select("main select", "person")
    page.wait_for("[...document.querySelectorAll('main td.type')].every(td => td.innerText === 'Person')")


def drag_the_day(page: Any) -> None:
    page.evaluate("document.querySelector('.story input[type=range]').focus()")
    page.press("ArrowLeft")
    page.wait_for("document.querySelector('.slider [role=status]').innerText.startsWith('As it was')")


def back_to_today(page: Any) -> None:
    page.click(".slider button", text="Back to today")
    page.wait_for("document.querySelector('.slider [role=status]').innerText === ''")


def play(page: Any) -> None:
    page.click(".slider button", text="Play")
    page.wait_for("document.querySelector('.slider [role=status]').innerText !== ''")
    page.click(".slider button", text="Stop")


def ask_why(page: Any) -> None:
    choose_edit(page, "Why", menu=".story .edits summary")
    page.wait_for("!!document.querySelector('dialog[open] .why')")
    page.press("Escape")
    page.wait_for("!document.querySelector('dialog[open]')")


def path_to_another(page: Any) -> None:
    choose_edit(page, "Path to another")
    choose_entity(page, "Ben Okafor")
    page.wait_for("document.querySelectorAll('dialog[open] ol li').length > 0")
    page.click("dialog[open] button", text="Close")


def follow_and_come_back(page: Any) -> None:
    page.click("main .story .name a", text="Atlas")
    page.wait_for_text("Atlas", within=".thing h1")
    page.evaluate("history.back()")
    page.wait_for_text("Ana Ruiz", within=".thing h1")


def neighbours(page: Any) -> None:
    page.click("main a", text="All neighbours in a table")
    page.wait_for("document.querySelectorAll('table.neighbours tbody tr').length > 1")
    page.click("main a.button", text="Ana Ruiz")
    page.wait_for_text("Ana Ruiz", within=".thing h1")


def read_a_text(page: Any) -> None:
    page.click("main .texts a")
    page.wait_for("!!document.querySelector('.full-text .mention')")
    page.click(".full-text .mention", text="Ana Ruiz")
    page.wait_for_text("Ana Ruiz", within=".thing h1")


def ask_in_cypher(page: Any) -> None:
    page.fill("main textarea", "MATCH (p:Person)-[r]->(x) RETURN p, r, x")
    page.press("Enter", modifiers=2)
    page.click("main .buttons button", text="Picture")
    page.wait_for("!!document.querySelector('.picture circle')")


def open_a_decision(page: Any) -> None:
    page.fill("main input[type=search]", "SQLite")
    page.click("main .card a", text="Use SQLite")
    page.wait_for_text("Use SQLite", within=".thing h1")


def see(text: str) -> Callable[[Any], None]:
    return lambda page: page.wait_for_text(text, within="main")


def test_the_steps_of_a_day_are_possible_and_u_takes_back_every_edit(chromium, server, atlas, path):
    buttons.prepare_task(atlas)
    buttons.prepare_proposals(atlas)
    names: dict[str, list[str]] = {}
    edits = {
        "tick off a task": ("today", buttons.tick_off),
        "resolve a blocker": ("today", buttons.resolve),
        "write a note": ("today", buttons.note_anywhere),
        "record a decision": ("today", buttons.decide_in_one_dialog),
        "record a fact": ("thing", buttons.record_of_one),
        "add a name": ("thing", buttons.add_alias),
        "describe": ("thing", buttons.describe),
        "set properties": ("thing", buttons.set_properties),
        "end a fact": ("thing", buttons.end),
        "retract a fact": ("thing", buttons.retract),
        "accept a proposal": ("review", buttons.accept),
        "reject a proposal": ("review", buttons.reject),
        "tag several": ("tables", buttons.tag_rows),
        "merge several": ("tables", buttons.merge_rows),
    }
    looks = {
        "see what is blocked": ("today", see("the missing licence")),
        "see what came in": ("today", see("Recent activity")),
        "ask why a fact is here": ("thing", ask_why),
        "drag the day": ("thing", drag_the_day),
        "come back to today": ("thing", back_to_today),
        "play the story": ("thing", play),
        "find a path": ("thing", path_to_another),
        "follow a neighbour": ("thing", follow_and_come_back),
        "list all neighbours": ("thing", neighbours),
        "read a text": ("thing", read_a_text),
        "open a decision": ("decisions", open_a_decision),
        "choose a type": ("tables", type_of_things),
        "save the map": ("map", lambda page: names.update(map=save_as_pictures(page, ".zoom"))),
        "ask in Cypher": ("query", ask_in_cypher),
    }
    with chromium.page(server.address_with_token) as page:
        page.wait_for("!!document.querySelector('main h1')")
        before, view = content(path), "today"
        for at, step in [*looks.values(), *edits.values()]:
            if at != "thing":
                go(page, at)
            elif view != "thing":
                find(page, "Ana Ruiz")
            page.wait_until_still()
            view = at
            newest = page.evaluate(NEWEST)
            step(page)
            if (at, step) in edits.values():
                page.wait_for(f"{NEWEST} > {newest} && !document.querySelector('dialog[open]')")
        after = content(path)
        for _ in edits:
            calls = len(atlas("list_calls", limit=500)["calls"])
            page.press("u")
            page.wait_for("!document.querySelector('.toast.failed')")
            while len(atlas("list_calls", limit=500)["calls"]) == calls:
                page.evaluate("new Promise(done => setTimeout(done, 20))")
        problems = page.problems

    assert len(edits) + len(looks) == 28
    assert "Ana Ruiz" in names["map"]
    assert after != before
    assert content(path) == before
    assert problems == []
