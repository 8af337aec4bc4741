"""Conflicts: what cannot all be true is surfaced when a fact is recorded, and never refused or resolved."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.garden.passes import texts
from keepgraph.engine.verification import group_conflicts
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.temporal import timestamps
from laws import examples
from words import NOON, Caller, Clock, concept, counted, decision, dump, literal, person, project

MADE_UP = {
    "predicates": {
        "captain_of": {"sources": ["person"], "flags": ["functional", "inverse_functional"]},
        "partner_of": {"sources": ["person"], "targets": ["person"], "flags": ["functional", "symmetric"]},
        "older_than": {"flags": ["asymmetric", "irreflexive"]},
        "inside": {"flags": ["acyclic", "transitive"]},
        "utters": {},
        "weighs": {"literal": "text"},
        "floors": {"literal": "number"},
        "opened_on": {"literal": "date", "flags": ["functional"]},
        "seen_on": {"literal": "date"},
    }
}
"""No word of the code: flags alone say what they mean."""


@pytest.fixture
def call(call: Caller) -> Caller:
    assert "error" not in call("extend_vocabulary", **MADE_UP)
    return call


def kinds(answer: dict[str, Any]) -> list[str]:
    return [conflict["kind"] for conflict in answer.get("conflicts", ())]


def all_conflicts(call: Caller, **more: Any) -> list[group_conflicts.Conflict]:
    with call.graph.database.read("test") as tx:
        return group_conflicts.find(tx, **more)


def settle(call: Caller, conflict: dict[str, Any]) -> dict[str, Any]:
    settling = conflict["settled_by"]
    return call(settling["tool"], **settling["arguments"])


CASES: dict[str, tuple[list[tuple[Any, ...]], list[str]]] = {
    "two objects": (
        [(person("A"), "captain_of", project("X")), (person("A"), "captain_of", project("Y"))],
        ["functional"],
    ),
    "two subjects": (
        [(person("A"), "captain_of", project("X")), (person("B"), "captain_of", project("X"))],
        ["inverse_functional"],
    ),
    "two partners": (
        [(person("A"), "partner_of", person("B")), (person("C"), "partner_of", person("A"))],
        ["functional"],
    ),
    "partners of each other": ([(person("A"), "partner_of", person("B"))] * 2, []),
    "both directions": (
        [(person("A"), "older_than", person("B")), (person("B"), "older_than", person("A"))],
        ["asymmetric"],
    ),
    "itself": ([(person("A"), "older_than", person("A"))], ["irreflexive"]),
    "a circle of two": ([(concept("a"), "inside", concept("b")), (concept("b"), "inside", concept("a"))], ["acyclic"]),
    "a circle of three": (
        [
            (concept("a"), "inside", concept("b")),
            (concept("b"), "inside", concept("c")),
            (concept("c"), "inside", concept("a")),
        ],
        ["acyclic"],
    ),
    "a circle by the role of a predicate of the core": (
        [(concept("a"), "belongs_to", concept("b")), (concept("b"), "belongs_to", concept("a"))],
        ["acyclic"],
    ),
    "itself by the role of a predicate of the core": ([(concept("a"), "depends_on", concept("a"))], ["irreflexive"]),
    "a longer way to the same": (
        [
            (concept("a"), "inside", concept("b")),
            (concept("b"), "inside", concept("c")),
            (concept("a"), "inside", concept("c")),
        ],
        [],
    ),
    "two weights": ([(concept("a"), "weighs", literal("4 kg")), (concept("a"), "weighs", literal("5 kg"))], ["values"]),
    "one weight in two units": (
        [(concept("a"), "weighs", literal("4 kg")), (concept("a"), "weighs", literal("4000 g"))],
        [],
    ),
    "a weight and a length": (
        [(concept("a"), "weighs", literal("4 kg")), (concept("a"), "weighs", literal("4 m"))],
        [],
    ),
    "words with a number in them": (
        [
            (concept("a"), "weighs", literal("as much as 2 cats")),
            (concept("a"), "weighs", literal("as much as 3 cats")),
        ],
        [],
    ),
    "two amounts of what takes any literal": (
        [(concept("a"), "utters", literal("3 kg")), (concept("a"), "utters", literal("4 kg"))],
        [],
    ),
    "two numbers": ([(concept("a"), "floors", literal("4")), (concept("a"), "floors", literal("5"))], ["values"]),
    "one number twice": ([(concept("a"), "floors", literal("4")), (concept("a"), "floors", literal("4.0"))], []),
    "two dates of what is once": (
        [(concept("a"), "opened_on", literal("2020-05-01")), (concept("a"), "opened_on", literal("2021-05-01"))],
        ["functional"],
    ),
    "a date, and a more exact one": (
        [(concept("a"), "opened_on", literal("2020")), (concept("a"), "opened_on", literal("2020-05-01"))],
        [],
    ),
    "dates of what is often": (
        [(concept("a"), "seen_on", literal("2020-05-01")), (concept("a"), "seen_on", literal("2021-05-01"))],
        [],
    ),
    "two tags": ([(concept("a"), "tagged", literal("3")), (concept("a"), "tagged", literal("4"))], []),
    "opposite decisions": (
        [
            (project("P"), "decided_in", decision("Adopt Rust")),
            (project("P"), "decided_in", decision("Do not use Rust")),
        ],
        ["opposite"],
    ),
    "opposite decisions of two projects": (
        [
            (project("P"), "decided_in", decision("Adopt Rust")),
            (project("Q"), "decided_in", decision("Do not use Rust")),
        ],
        [],
    ),
    "two decisions": (
        [(project("P"), "decided_in", decision("Adopt Rust")), (project("P"), "decided_in", decision("Adopt Go"))],
        [],
    ),
}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("facts", "expected"), CASES.values(), ids=CASES.keys())
def test_what_cannot_be_true_with_a_fact_is_in_its_answer_and_in_the_search_of_all(call, facts, expected):
    for fact in facts:
        answer = call.record(*fact)

    assert kinds(answer) == expected
    assert sorted({conflict.kind for conflict in all_conflicts(call)}) == expected


def test_a_fact_without_a_conflict_has_no_word_about_it(call):
    assert "conflicts" not in call.record(person("A"), "captain_of", project("X"))


def test_the_call_that_is_given_settles_it_and_undo_opens_it_again(call):
    call.record(person("A"), "captain_of", project("X"))
    (conflict,) = call.record(person("A"), "captain_of", project("Y"))["conflicts"]
    settled = settle(call, conflict)

    assert conflict["sentence"] == (
        "“A captain of Y” and “A captain of X” (recorded on 2026-05-15) hold at the same time, and captain_of is meant "
        "to have one object at a time."
    )
    assert [fact["text"] for fact in conflict["facts"]] == ["A captain of X"]
    assert conflict["settled_by"]["arguments"]["supersedes"] == [conflict["facts"][0]["fact_id"]]
    assert "conflicts" not in settled
    assert len(settled["superseded"]) == 1
    assert all_conflicts(call) == []
    call("undo", call=settled["call"])
    assert [conflict.kind for conflict in all_conflicts(call)] == ["functional"]


@pytest.mark.parametrize(
    ("first", "second", "is_conflict"),
    [
        ({}, {}, True),
        ({"valid_to": "2022-01-01"}, {}, False),
        ({"valid_to": "2022-01-01"}, {"valid_from": "2022-01-02"}, False),
        ({"valid_from": "2020-01-01", "valid_to": "2022-01-01"}, {"valid_from": "2021-01-01"}, True),
        ({"valid_from": "2020-01-01"}, {"valid_from": "2021-01-01"}, True),
        ({"valid_from": "2021-01-01"}, {"valid_from": "2021-01-01"}, True),
        ({"valid_from": "2021-01-01"}, {"valid_from": "2020-01-01"}, True),
        ({"valid_from": "2021-01-01"}, {"valid_from": "2020-01-01", "valid_to": "2020-12-01"}, False),
        ({"valid_from": "2021-01-01"}, {"valid_to": "2020-12-01"}, False),
        ({"valid_from": "2020-01-01"}, {"valid_to": "2021-12-01"}, True),
    ],
)
def test_only_what_certainly_holds_at_one_time_is_in_conflict_and_can_be_settled(call, first, second, is_conflict):
    call.record(person("A"), "captain_of", project("X"), **first)
    answer = call.record(person("A"), "captain_of", project("Y"), **second)

    assert kinds(answer) == ["functional"] * is_conflict
    for conflict in answer.get("conflicts", ()):
        assert "error" not in settle(call, conflict)
    assert all_conflicts(call) == []


def test_what_is_recorded_now_takes_the_place_of_what_began_on_a_known_day(call, clock):
    call.record(person("A"), "captain_of", project("X"), valid_from="2020-01-01")
    clock.pass_by(days=1)
    newer = call.record(person("A"), "captain_of", project("Y"))
    clock.pass_by(days=1)
    (proposed,) = all_conflicts(call)
    settle(call, newer["conflicts"][0])
    with call.graph.database.read("test") as tx:
        ended = tx.conn.execute("SELECT count(*), max(valid_from) FROM fact WHERE valid_to <> '~'").fetchone()

    assert proposed.arguments["object"] == newer["conflicts"][0]["settled_by"]["arguments"]["object"]
    assert tuple(ended) == (1, timestamps.parse("2020-01-01", tx.zone))
    assert all_conflicts(call) == []


@pytest.mark.parametrize(
    ("first", "second", "is_conflict"),
    [
        (("2020-01-01", "2022-03-01"), ("2022-03-01", None), False),
        (("2022-03-01", None), ("2020-01-01", "2022-03-01"), False),
        ((None, "2022-03-01"), ("2022-03-01", "2022-06-01"), False),
        (("2020-01-01", "2022-03-02"), ("2022-03-01", None), True),
        (("2022-03-01", "2022-03-01"), ("2022-03-01", "2022-03-01"), True),
        (("2020-01-01", "2022-03-01T18:00"), ("2022-03-01T09:00", None), True),
    ],
)
def test_a_day_on_which_one_hands_over_to_the_next_is_no_conflict(call, first, second, is_conflict):
    for number, ends in enumerate([(project("X"), project("Y")), (literal("2020"), literal("2021"))]):
        predicate = "captain_of" if number == 0 else "opened_on"
        for end, bounds in zip(ends, (first, second), strict=True):
            given = {name: day for name, day in zip(("valid_from", "valid_to"), bounds, strict=True) if day}
            answer = call.record(person("A"), predicate, end, **given)

        assert kinds(answer) == ["functional"] * is_conflict
    with call.graph.database.read("test") as tx:
        flagged = [term.row for term in graph_vocabulary.read(tx).predicates if "functional" in term.flags]
        candidates = store.group_conflicts.subjects_with_several_objects(tx, flagged, limit=10)

    assert len(candidates) == 2 * is_conflict or first[0] is None
    assert len(all_conflicts(call)) == 2 * is_conflict


def test_what_is_much_less_certain_does_not_take_a_place(call):
    call.record(person("A"), "captain_of", project("X"))
    guess = call.record(person("A"), "captain_of", project("Y"), confidence=0.4)
    (conflict,) = guess["conflicts"]

    assert conflict["settled_by"] == {"tool": "retract_fact", "arguments": {"fact_id": guess["fact_id"]}}


def test_a_place_within_the_other_is_no_second_place(call):
    call.record(concept("Lisbon"), "inside", concept("Portugal"))
    call.record(person("A"), "captain_of", concept("Portugal"))

    assert kinds(call.record(person("A"), "captain_of", concept("Lisbon"))) == []
    assert all_conflicts(call) == []


def test_a_place_several_steps_within_the_other_is_no_second_place(call):
    for one, other in (("Lisbon", "Estremadura"), ("Estremadura", "Portugal"), ("Portugal", "Europe")):
        call.record(concept(one), "inside", concept(other))
    call.record(person("A"), "captain_of", concept("Lisbon"))

    assert kinds(call.record(person("A"), "captain_of", concept("Europe"))) == []
    assert kinds(call.record(person("A"), "captain_of", concept("Spain"))) == ["functional"] * 2
    assert len(all_conflicts(call)) == 2


def test_a_fact_recorded_again_after_it_was_retracted_says_when_and_by_whom(call, clock):
    fact = call.record(person("A"), "knows", person("B"))["fact_id"]
    clock.pass_by(days=1)
    call("retract_fact", fact_id=fact)
    clock.pass_by(days=1)
    (conflict,) = call.record(person("A"), "knows", person("B"))["conflicts"]

    assert conflict["sentence"] == (
        "“A knows B” was retracted on 2026-05-16 by retract_fact, and was recorded again after that."
    )
    assert [conflict.kind for conflict in all_conflicts(call)] == ["retracted"]
    assert kinds(call.record(person("A"), "knows", person("B"), source="B")) == []


def test_to_correct_the_dates_of_a_fact_is_no_conflict_with_the_retracted_one(call, clock):
    fact = call.record(person("A"), "knows", person("B"), valid_from="2020-01-01")["fact_id"]
    call("retract_fact", fact_id=fact)

    assert kinds(call.record(person("A"), "knows", person("B"), valid_from="2021-01-01")) == []
    assert all_conflicts(call) == []


def test_what_rests_on_something_that_has_ended_or_was_replaced_is_named(call, clock):
    part = call.record(concept("Redis"), "belongs_to", project("Stack"))["fact_id"]
    call.record(project("Atlas"), "depends_on", concept("Redis"))
    call.record(project("Atlas"), "depends_on", decision("Adopt Rust"))

    assert all_conflicts(call) == []
    clock.pass_by(days=1)
    call("end_fact", fact_id=part)
    call.record(decision("Adopt Rust"), "resolved_by", decision("Adopt Go"))
    clock.pass_by(days=1)
    conflicts = all_conflicts(call)

    assert sorted(conflict.statement for conflict in conflicts) == [
        "“Atlas depends on Adopt Rust”, but Adopt Go has replaced Adopt Rust.",
        "“Atlas depends on Redis”, but everything recorded about Redis has ended, the last on 2026-05-16 12:00.",
    ]
    for conflict in conflicts:
        assert "error" not in call(conflict.tool, **conflict.arguments)
    assert all_conflicts(call) == []


def test_a_decision_that_took_the_place_of_its_opposite_is_no_conflict(call):
    call.record(project("P"), "decided_in", decision("Adopt Rust"))
    (conflict,) = call.record(project("P"), "decided_in", decision("Drop Rust"))["conflicts"]
    settle(call, conflict)

    assert all_conflicts(call) == []


def test_ends_that_do_not_fit_are_named_with_the_other_way_round(call):
    fact = {"subject": project("X"), "predicate": "captain_of", "object": person("A")}
    (result,) = call("record_facts", facts=[fact], misfits="warn")["results"]

    assert kinds(result) == ["ends"]
    assert "the ends may be swapped" in result["conflicts"][0]["sentence"]
    assert [conflict.kind for conflict in all_conflicts(call)] == ["ends"]
    settle(call, result["conflicts"][0])
    assert all_conflicts(call) == []


def test_what_cannot_be_of_the_type_that_is_wanted_is_named(call):
    call("extend_vocabulary", types={"ship": {"disjoint": ["person"]}})
    fact = {"subject": {"type": "ship", "name": "Ada"}, "predicate": "captain_of", "object": project("X")}
    (result,) = call("record_facts", facts=[fact], misfits="warn")["results"]

    assert kinds(result) == ["disjoint_types"]
    assert [conflict.kind for conflict in all_conflicts(call)] == ["disjoint_types"]


def test_conflicts_of_other_groups_are_theirs(open_graph):
    one, other = (Caller(open_graph(group=group)) for group in ("one", "other"))
    one("extend_vocabulary", **MADE_UP)
    for name in ("X", "Y"):
        one.record(person("A"), "captain_of", project(name))
    other.record(person("A"), "captain_of", project("Z"))

    assert [conflict.kind for conflict in all_conflicts(one)] == ["functional"]
    assert all_conflicts(other) == []


def test_a_search_of_all_gives_at_most_as_many_as_asked_for_and_writes_nothing(call, path):
    for number in range(6):
        for name in ("X", "Y"):
            call.record(person(f"P{number}"), "captain_of", project(f"{name}{number}"))
    before = dump(path)

    assert len(all_conflicts(call, kinds=["functional"], limit=4)) == 4
    assert all_conflicts(call, kinds=["acyclic"]) == []
    assert dump(path) == before


def test_the_command_prints_a_conflict_and_a_line_that_settles_it(graph, path):
    graph.call("extend_vocabulary", **MADE_UP)
    graph.close()
    run = CliRunner()
    run.invoke(kg, ["--db", str(path), "record", "person:A", "captain_of", "project:X", "--from", "2020-01-01"])
    printed = run.invoke(
        kg, ["--db", str(path), "record", "person:A", "captain_of", "project:Y", "--from", "2021-01-01"]
    ).output
    line = next(line for line in printed.splitlines() if "to settle it: kg " in line).partition("kg ")[2]
    settled = run.invoke(kg, ["--db", str(path), *line.split()])

    assert "“A captain of Y” and “A captain of X” (since 2020-01-01) hold at the same time" in printed
    assert "ended, until 2020-12-31" in settled.output


@examples(8, sweep=200)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.sampled_from(["captain_of", "partner_of", "older_than", "inside"]), st.integers(0, 3)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_each_fact_is_recorded_whatever_it_conflicts_with_and_the_search_of_all_knows_all_of_it(new_file, drawn):
    """
    The search of the group gives a conflict of a kind exactly if some fact of the group has one.
    """
    with keepgraph.open(new_file(), clock=Clock(NOON), new_id=counted()) as graph:
        call = Caller(graph)
        call("extend_vocabulary", **MADE_UP)
        for subject, predicate, target in drawn:
            assert call.record(person(f"P{subject}"), predicate, person(f"P{target}"))["fact_id"]
        of_all = {conflict.kind for conflict in all_conflicts(call)}
        with graph.database.read("test") as tx:
            facts = keepgraph.store.facts.by_rows(
                tx, [row[0] for row in tx.conn.execute("SELECT id FROM fact ORDER BY id")]
            )
            of_each = {
                conflict.kind for fact in facts for conflict in group_conflicts.conflicts.of_fact(tx, fact, limit=99)
            }

        assert of_all == of_each


def test_a_flag_that_the_facts_suggest_is_a_question_with_the_call_that_sets_it(call):
    call("extend_vocabulary", predicates={"sits_at": {"sources": ["person"]}, "likes_best": {}})
    for number in range(40):
        call.record(person(f"P{number}"), "sits_at", concept(f"desk {number % 7}"))
        call.record(person(f"P{number}"), "likes_best", concept(f"a {number % 7}"))
        call.record(person(f"P{number}"), "likes_best", concept(f"b {number % 5}"))
    call.record(person("P1"), "sits_at", concept("the sofa"))
    with call.graph.database.read("test") as tx:
        (suggested,) = texts.suggest(tx)

    assert suggested.statement == (
        "sits_at has one current object for 98 % of 40 subjects (most of the type person): is it one at a time?"
    )
    assert (suggested.flag, suggested.tool) == ("functional", "change_word")
    call(suggested.tool, **suggested.arguments)
    assert [conflict.kind for conflict in all_conflicts(call)] == ["functional"]
    with call.graph.database.read("test") as tx:
        assert texts.suggest(tx) == []


def test_few_facts_suggest_no_flag(call):
    call("extend_vocabulary", predicates={"sits_at": {}})
    for number in range(12):
        call.record(person(f"P{number}"), "sits_at", concept(f"desk {number}"))
    with call.graph.database.read("test") as tx:
        assert texts.suggest(tx) == []


def test_a_predicate_that_never_holds_the_other_way_round_is_asked_about_and_so_is_one_that_mostly_does(call):
    call("extend_vocabulary", predicates={"before": {}, "beside": {}})
    facts = [
        {"subject": concept(f"c{one}"), "predicate": "before", "object": concept(f"c{one + step}")}
        for one in range(30)
        for step in (1, 2)
    ]
    facts += [
        {"subject": concept(f"c{one}"), "predicate": "beside", "object": concept(f"c{other}")}
        for pair in range(30)
        for one, other in ((pair, pair + 1), (pair + 1, pair))
    ]
    call("record_facts", facts=facts)
    with call.graph.database.read("test") as tx:
        suggested = {(flag.predicate, flag.flag) for flag in texts.suggest(tx)}

    assert suggested == {("before", "asymmetric"), ("beside", "symmetric")}
