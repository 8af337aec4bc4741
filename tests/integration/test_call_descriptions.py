"""The log says what each call was about, however much it changed, and whatever came after it."""

from __future__ import annotations

from typing import Any

import pytest

from keepgraph import store
from words import Caller, concept, decision, fact, literal, person, rows

PRIYA = person("Priya")


def log(call: Caller) -> dict[int, str]:
    """What each call was about, by its number."""
    return {each["call"]: each["about"] for each in call("list_calls", limit=100)["calls"]}


def about(call: Caller) -> str:
    """What the last call was about."""
    return str(call("list_calls", limit=1)["calls"][0]["about"])


def recorded(call: Caller, **more: str) -> str:
    """The id of a fact."""
    return str(call.record(PRIYA, "decided_in", decision("Adopt SQLite"), **more)["fact_id"])


STORIES: dict[str, tuple[Any, str]] = {
    "a fact": (lambda call: recorded(call), "Priya decided in Adopt SQLite"),
    "a fact again": (
        lambda call: (recorded(call), recorded(call, source="mail")),
        "Priya decided in Adopt SQLite, said again",
    ),
    "facts": (
        lambda call: call("record_facts", facts=[fact(PRIYA, "tagged", literal(str(n))) for n in range(3)]),
        "Priya tagged 0, and 2 more facts",
    ),
    "a retraction": (
        lambda call: call("retract_fact", fact_id=recorded(call)),
        "Priya decided in Adopt SQLite, retracted",
    ),
    "a deletion": (
        lambda call: call("delete_entity_edge", uuid=recorded(call)),
        "Priya decided in Adopt SQLite, deleted",
    ),
    "a note": (lambda call: call("remember", text="Sam called.\n\nTwice."), "“Sam called.”"),
    "a deleted note": (
        lambda call: call("delete_episode", uuid=call("remember", text="Sam called.")["doc_id"]),
        "“Sam called.”, deleted",
    ),
    "an alias": (
        lambda call: (recorded(call), call("add_alias", entity=PRIYA, alias="Pri")),
        "Priya is also called Pri",
    ),
    "no alias": (
        lambda call: (
            recorded(call),
            call("add_alias", entity=PRIYA, alias="Pri"),
            call("update_entity", entity=PRIYA, remove_aliases=["Pri"]),
        ),
        "Priya is no longer called Pri",
    ),
    "a rename": (
        lambda call: (recorded(call), call("update_entity", entity=PRIYA, name="Priya Rao", summary="x")),
        "Priya, now Priya Rao (summary)",
    ),
    "a retype": (
        lambda call: (recorded(call), call("update_entity", entity=PRIYA, type="project")),
        "Priya: person, now project",
    ),
    "properties": (
        lambda call: (
            recorded(call),
            call("update_entity", entity=PRIYA, properties=dict.fromkeys("abcdefg", 1)),
        ),
        "Priya: a, b, c, d, e and 2 more",
    ),
    "a merge": (
        lambda call: (
            recorded(call),
            call.record(person("Pria"), "tagged", literal("x")),
            call("merge_entities", keep=PRIYA, absorb=person("Pria")),
        ),
        "Pria into Priya",
    ),
    "a type": (lambda call: call("extend_vocabulary", types={"gizmo": {"style": "term"}}), "the type gizmo"),
    "a word that is retired": (
        lambda call: (
            call("extend_vocabulary", types={"gizmo": {"style": "term"}}),
            call("retire_word", word="gizmo"),
        ),
        "the type gizmo, retired",
    ),
    "an undo": (
        lambda call: (recorded(call), call("undo")),
        "call 1 (record_fact): Priya decided in Adopt SQLite",
    ),
    "an undo of an undo": (
        lambda call: (recorded(call), call("undo"), call("undo", call=2)),
        "call 2, the undo of call 1",
    ),
}


@pytest.mark.parametrize("story", STORIES)
def test_a_call_is_listed_with_what_it_was_about(call, story):
    tell, expected = STORIES[story]
    tell(call)

    assert about(call) == expected


def test_what_a_call_was_about_stays_when_it_is_renamed_retracted_and_taken_back(call):
    recorded(call)
    call("update_entity", entity=PRIYA, name="Priya Rao")
    call("undo", call=2)
    call("clear_graph", confirm=True)
    descriptions = log(call)

    assert descriptions[1] == "Priya decided in Adopt SQLite"
    assert descriptions[2] == "Priya, now Priya Rao"
    assert descriptions[3] == "call 2 (update_entity): Priya, now Priya Rao"
    assert descriptions[4].endswith(", deleted, and 1 more entity")


def test_undo_says_what_it_took_back(call):
    recorded(call)
    call("add_alias", entity=PRIYA, alias="Pri")
    answer = call("undo")

    assert answer["message"] == "Took back call 2 (add_alias): Priya is also called Pri."
    assert answer["about"] == "Priya is also called Pri"


def test_a_long_text_is_cut(call):
    call.record(PRIYA, "tagged", literal("very " * 150))

    assert len(about(call)) == 160
    assert about(call).endswith("…")


def test_of_a_call_of_very_many_changes_few_are_read(call, monkeypatch):
    """
    Of many changes the first and the last are read, and no more are counted than the most that may be.
    """
    monkeypatch.setattr(store.journal, "MAX_CHANGES_COUNTED", 100)
    facts = [fact(concept(f"Part {n}"), "tagged", literal("x")) for n in range(20)]
    for number in range(4):
        call("record_facts", facts=[{**each, "object": literal(str(number))} for each in facts])
    call("clear_graph", confirm=True)
    ((changes,),) = rows(call.graph.path, "SELECT count(*) FROM journal WHERE call = 5")
    read = []
    monkeypatch.setattr(
        store.journal,
        "find_change",
        lambda tx, number, real=store.journal.find_change: read.append(1) or real(tx, number),
    )
    cleared = call("list_calls", limit=1)["calls"][0]

    assert changes > 120
    assert cleared["changes"] == changes
    assert sum(cleared["touched"].values()) <= 100
    assert cleared["about"].endswith(f", and {changes - 1:,} more changes")
    assert len(read) <= 2


def test_a_call_of_which_the_journal_tells_nothing_has_no_description(call):
    recorded(call)
    call("update_entity", entity=PRIYA, summary="x")
    with call.graph.database.write("test") as tx:
        tx.conn.execute("""UPDATE journal SET was = '{"purged": true}' WHERE was IS NOT NULL""")

    assert log(call) == {2: "purged", 1: "Priya decided in Adopt SQLite"}


def test_other_groups_are_not_described(open_graph, call):
    recorded(call)
    other = Caller(open_graph(group="other"))

    assert other("list_calls", limit=10)["calls"] == []
