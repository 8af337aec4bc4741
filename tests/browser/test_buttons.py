"""Every button of the page that writes, in a table: its toast takes it back, to the same rows of the graph."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import choose_edit, choose_entity, serving, wait_until_drawn
from browser.test_page import content, thing
from keepgraph.web import server
from words import Caller, rows

pytestmark = pytest.mark.browser

SOURCE = Path(__file__).parents[2] / "ui" / "src"


def prepare_nothing(call: Caller) -> None:
    """The graph as the fixture made it."""


def prepare_proposals(call: Caller) -> None:
    call("remember", text="Ana Ruiz met Maria Costa and Peter Lund of Initech about the Borealis programme.")
    assert call("review_proposals")["total"] > 0  # which offers what waits in texts


def prepare_task(call: Caller) -> None:
    call.record({"type": "task", "name": "Print the programme"}, "due_on", {"literal": "2026-11-30"})


def prepare_quiet_kind(call: Caller) -> None:
    """Of the names that texts propose, twenty are rejected: no more are proposed."""
    families = ["Costa", "Lund", "Berger", "Haas", "Novak"]
    names = [f"{given} {family}" for given in ("Maria", "Peter", "Ivan", "Laura", "Thomas") for family in families]
    call("remember", text="\n\n".join(f"I met {name} at the market." for name in names))
    proposals = call("review_proposals", kinds=["new_entity"], limit=50)["proposals"]
    call("review_proposals", decide=[{"id": each["id"], "decision": "reject"} for each in proposals[:20]])


def submit(page: Any) -> None:
    page.wait_for("document.querySelector('dialog[open] button[type=submit]')?.disabled === false")
    page.click("dialog[open] button[type=submit]")


def add_alias(page: Any) -> None:
    choose_edit(page, "Also called")
    page.fill("dialog[open] input[type=text]", "Annie")
    page.press("Enter")


def rename(page: Any) -> None:
    choose_edit(page, "Rename")
    page.fill("dialog[open] input[type=text]", "Ana María Ruiz")
    page.press("Enter")


def describe(page: Any) -> None:
    choose_edit(page, "Describe")
    page.fill("dialog[open] textarea", "Leads Atlas.")
    submit(page)


def retype(page: Any) -> None:
    choose_edit(page, "Change type")
    choose_concept(page)


def set_properties(page: Any) -> None:
    choose_edit(page, "Properties")
    page.wait_for("!!document.querySelector('dialog[open] textarea')")
    page.send("Input.insertText", text="role: editor")
    submit(page)


def forget(page: Any) -> None:
    choose_edit(page, "Forget")
    submit(page)


def merge(page: Any) -> None:
    choose_edit(page, "Merge")
    choose_entity(page, "Anna Ruiz")
    submit(page)


def end(page: Any) -> None:
    choose_edit(page, "End", menu=".story .edits summary")
    submit(page)


def retract(page: Any) -> None:
    choose_edit(page, "Retract", menu=".story .edits summary")


def record_from_header(page: Any) -> None:
    page.click("header summary", text="New")
    page.click("header button", text="Record a fact")
    page.send("Input.insertText", text="Ana Ruiz")
    page.wait_for("!!document.querySelector('dialog[open] [role=option]')")
    write_literal(page)


def record_of_one(page: Any) -> None:
    page.click("main button", text="Record a fact")
    write_literal(page)


def record_with_a_new_predicate(page: Any) -> None:
    page.click("main button", text="Record a fact")
    page.fill("dialog[open] input[list=predicates]", "sings with")
    page.evaluate("[...document.querySelectorAll('dialog[open] input[type=text]')][2].focus()")
    page.send("Input.insertText", text="person: Ben Okafor")
    submit(page)
    page.click("dialog[open] button", text="to the vocabulary, and record")


def write_literal(page: Any) -> None:
    page.fill("dialog[open] input[list=predicates]", "tagged")
    page.click("dialog[open] input[type=checkbox]")
    page.evaluate("[...document.querySelectorAll('dialog[open] input[type=text]')][2].focus()")
    page.send("Input.insertText", text="lead")
    submit(page)


def select_rows(page: Any) -> None:
    for name in ("Ana Ruiz", "Anna Ruiz", "Ben Okafor"):
        page.click(f'main input[aria-label="Select {name}"]')


def merge_rows(page: Any) -> None:
    select_rows(page)
    page.click("main button", text="Merge")
    submit(page)


def retype_rows(page: Any) -> None:
    select_rows(page)
    page.click("main button", text="Change type")
    choose_concept(page)


def choose_concept(page: Any) -> None:
    page.select("dialog[open] select", "concept")
    submit(page)


def tag_rows(page: Any) -> None:
    select_rows(page)
    page.click("main button", text="Tag")
    page.wait_for("document.querySelector('dialog[open] input[list]')?.value === 'tagged'")
    page.fill("dialog[open] input", "core team")
    submit(page)


def resolve(page: Any) -> None:
    page.click("main button", text="Resolved")


def accept(page: Any) -> None:
    page.click(".proposal button", text="Accept")


def reject(page: Any) -> None:
    page.click(".proposal button", text="Reject")


def accept_edited(page: Any) -> None:
    page.click(".proposal button", text="Edit")
    submit(page)


def accept_as_name(page: Any) -> None:
    page.click(".proposal button", text="Other name")
    choose_entity(page, "Ben Okafor")
    submit(page)


def propose_again(page: Any) -> None:
    page.click("main button", text="Propose again")


def undo_in_history(page: Any) -> None:
    page.click("main li > button", text="Undo")


def say_who_one_is(page: Any) -> None:
    page.fill("main input[aria-label='Your name']", "Ana Ruiz")
    page.press("Enter")


def remember(page: Any) -> None:
    page.click("main button", text="Write a note")
    write_note(page)


def note_anywhere(page: Any) -> None:
    page.press("n")
    write_note(page)


def write_note(page: Any) -> None:
    page.wait_for("!!document.querySelector('dialog[open] textarea')")
    page.send("Input.insertText", text="Ana Ruiz met Ben.")
    page.press("Enter", modifiers=2)


def decide_in_one_dialog(page: Any) -> None:
    page.click("header summary", text="New")
    page.click("header button", text="Record a decision")
    page.send("Input.insertText", text="Move to Trieste")
    for label, text in (("By whom", "Eva Stone"), ("Project (optional)", "Atlas")):
        page.evaluate(f"document.querySelector('dialog[open] input[aria-label=\"{label}\"]').focus()")
        page.send("Input.insertText", text=text)
    submit(page)


def tick_off(page: Any) -> None:
    page.click("main .task input")


@dataclass(frozen=True)
class Button:
    """A button that writes: where it is, and where the source has the call that it makes.

    Attributes:
        view: its view; "thing" is Ana Ruiz, "empty" Today in an empty graph.
        writes: the file of ui/src with the name of the tool, and the tool.
    """

    press: Callable[[Any], None]
    view: str
    writes: tuple[str, str]
    prepare: Callable[[Caller], None] = prepare_nothing


REVIEW = ("views/review.tsx", "review_proposals")
BUTTONS = [
    Button(add_alias, "thing", ("edits.tsx", "add_alias")),
    Button(rename, "thing", ("edits.tsx", "update_entity")),
    Button(describe, "thing", ("edits.tsx", "update_entity")),
    Button(retype, "thing", ("components/bulk_edits.tsx", "update_entity")),
    Button(set_properties, "thing", ("edits.tsx", "update_entity")),
    Button(forget, "thing", ("edits.tsx", "forget")),
    Button(merge, "thing", ("edits.tsx", "merge_entities")),
    Button(end, "thing", ("edits.tsx", "end_fact")),
    Button(retract, "thing", ("edits.tsx", "retract_fact")),
    Button(record_from_header, "thing", ("edits.tsx", "record_fact")),
    Button(record_of_one, "thing", ("edits.tsx", "record_fact")),
    Button(record_with_a_new_predicate, "thing", ("edits.tsx", "extend_vocabulary")),
    Button(merge_rows, "tables", ("components/bulk_edits.tsx", "merge_entities")),
    Button(retype_rows, "tables", ("components/bulk_edits.tsx", "update_entity")),
    Button(tag_rows, "tables", ("components/bulk_edits.tsx", "record_facts")),
    Button(resolve, "today", ("views/today.tsx", "resolve_blocker")),
    Button(tick_off, "today", ("views/today.tsx", "record_fact"), prepare_task),
    Button(note_anywhere, "map", ("edits.tsx", "remember")),
    Button(decide_in_one_dialog, "history", ("edits.tsx", "record_facts")),
    Button(accept, "review", REVIEW, prepare_proposals),
    Button(reject, "review", REVIEW, prepare_proposals),
    Button(accept_edited, "review", REVIEW, prepare_proposals),
    Button(accept_as_name, "review", REVIEW, prepare_proposals),
    Button(propose_again, "review", REVIEW, prepare_quiet_kind),
    Button(undo_in_history, "history", ("toasts.tsx", "undo")),
    Button(say_who_one_is, "empty", ("components/first_steps.tsx", "set_owner")),
    Button(remember, "empty", ("edits.tsx", "remember")),
]

NOTHING_TO_TAKE_BACK = {("views/map.tsx", "build_communities")}
"""Communities are made from the facts, which stay as they are."""

ONLY_READING = {("components/empty.tsx", "review_proposals")}
"""It counts what waits, and decides nothing."""


def test_every_call_that_writes_has_its_button_in_the_table():
    tools = "|".join(server.WRITING)
    calls = {
        (file.relative_to(SOURCE).as_posix(), tool)
        for file in [*SOURCE.rglob("*.tsx"), *SOURCE.rglob("*.ts")]
        for tool in re.findall(rf'(?<!== )"({tools})"', file.read_text(encoding="utf-8"))
    }

    assert {button.writes for button in BUTTONS} | NOTHING_TO_TAKE_BACK | ONLY_READING == calls


@pytest.mark.parametrize("button", BUTTONS, ids=lambda button: button.press.__name__)
def test_what_a_button_does_is_taken_back_by_its_toast(chromium, atlas, open_graph, path, tmp_path, button):
    call = Caller(open_graph(tmp_path / "empty.db")) if button.view == "empty" else atlas
    file = tmp_path / "empty.db" if button.view == "empty" else path
    button.prepare(call)
    view = thing(call, "Ana Ruiz") if button.view == "thing" else {"empty": "today"}.get(button.view, button.view)
    with ExitStack() as stack:
        server = stack.enter_context(serving(call.graph))
        page = stack.enter_context(chromium.page(server.address_with_token))
        wait_until_drawn(page)
        page.evaluate(f"location.hash = '#/{view}'")
        page.wait_for("!document.querySelector('main [aria-busy=true]') && !!document.querySelector('main h1')")
        before, waiting = content(file), proposals(file)
        button.press(page)
        page.wait_for("!!document.querySelector('.toast .undo') && !document.querySelector('dialog[open]')")
        after = content(file)
        toast = page.evaluate("document.querySelector('.toast:has(.undo)').dataset.id")
        page.click(".toast .undo")
        page.wait_for(f"document.querySelector('.toast:not([data-id=\"{toast}\"]) .undo')?.innerText.includes('Redo')")
        problems = page.problems

    assert after != before
    assert content(file) == before
    assert proposals(file) == waiting
    assert problems == []


def proposals(file: Path) -> list[tuple[Any, ...]]:
    """What waits in Review, without when it was offered."""
    return rows(file, "SELECT kind, key, statement, score, tool, arguments FROM review_proposal ORDER BY kind, key")


def test_nothing_is_asked_for_twice_or_without_being_shown(open_page):
    page = open_page("history")
    page.evaluate(
        "(() => { window.asked = []; const send = window.fetch; window.fetch = (address, request) => {"
        " if (request?.body) window.asked.push(JSON.parse(request.body).tool); return send(address, request); }; })()"
    )
    page.evaluate("location.hash = '#/today'")
    page.wait_for_text("Recent activity", within="main")
    of_today = page.evaluate("window.asked.splice(0)")
    page.evaluate("location.hash = '#/today?day=2026-05-15'")
    page.wait_for("!document.querySelector('.card[aria-label=\"To do\"]')")
    came_in = page.evaluate("[...document.querySelectorAll('.card')].find(c => /^Recent/.test(c.innerText)).innerText")
    of_week = page.evaluate("window.asked.splice(0)")
    decide_in_one_dialog(page)
    page.wait_for("!!document.querySelector('.toast .undo') && !document.querySelector('dialog[open]')")
    of_decision = page.evaluate("window.asked")

    assert sorted(of_today) == ["get_overview", "list_calls", "list_next_steps", "weekly_rollup"]
    assert "reports to Cem Aydin" in came_in
    assert sorted(of_week) == ["get_changes", "get_overview", "weekly_rollup"]
    assert of_decision.count("list_vocabulary") == 1


def test_communities_are_found_without_a_change_of_the_graph(chromium, atlas, path):
    before = content(path)
    with serving(atlas.graph) as server, chromium.page(server.address_with_token) as page:
        wait_until_drawn(page)
        page.evaluate("location.hash = '#/map'")
        page.click("main button", text="Find and name communities")
        page.wait_for("document.querySelector('.toast')?.innerText.includes('ommunit')")
        failed = page.evaluate("!!document.querySelector('.toast.failed')")

    assert not failed
    assert content(path) == before
