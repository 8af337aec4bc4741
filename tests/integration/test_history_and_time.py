"""What held and what was known at another moment, and what happened to an entity or a fact since."""

from __future__ import annotations

import shutil
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from laws import examples
from words import NOON, Caller, Clock, concept, decision, dump, fact, literal, person, project, rows

ADA, GRACE, ATLAS, GO = person("Ada"), person("Grace"), project("Atlas"), decision("Go")
ZURICH = ZoneInfo("Europe/Zurich")


def tags(call: Caller, **when: str) -> list[str]:
    """The tags of Ada at another moment, oldest first."""
    answer = call("recall_entity", name_or_alias="Ada", **when)
    assert "error" not in answer, answer
    return [each["object"]["literal"] for each in reversed(answer["facts"])]


# What held


@pytest.mark.parametrize(
    ("as_of", "shown"),
    [
        ("2026-02-28", False),
        ("2026-02-28T22:59:59.999Z", False),
        ("2026-02-28T23:00Z", True),
        ("2026-03-01T00:00", True),
        ("2026-03-01T00:00+02:00", False),
        ("2026-03-01", True),
        ("2026-03-31", True),
        ("2026-03-31T23:59:59.999", True),
        ("2026-03-31 23:59", True),
        ("2026-03-31T21:59:59Z", True),
        ("2026-03-31T22:00:00Z", False),
        ("2026-04-01T00:00", False),
        ("2026-04-01", False),
    ],
)
def test_a_fact_is_shown_as_of_the_days_it_was_valid_and_they_are_local_days(call, as_of, shown):
    """
    In between the clocks of Zurich are put forward.
    """
    call.record(ADA, "tagged", literal("on"), valid_from="2026-03-01", valid_to="2026-03-31")

    assert tags(call, as_of=as_of) == ["on"] * shown


def test_as_of_a_day_means_what_held_when_it_ended(call):
    call.record(ADA, "tagged", literal("morning"), valid_to="2026-04-01T12:00")
    call.record(ADA, "tagged", literal("evening"), valid_from="2026-04-01T12:00")

    assert tags(call, as_of="2026-04-01") == ["evening"]
    assert tags(call, as_of="2026-04-01T11:59") == ["morning"]


def test_as_of_alone_does_not_ask_when_it_was_learned(call):
    call.record(ADA, "tagged", literal("on"), valid_from="2026-01-01", valid_to="2026-02-01")

    assert tags(call, as_of="2026-01-15") == ["on"]
    assert tags(call, as_of="2026-01-15", known_at="2026-05-14") == []


# What was known


@pytest.mark.parametrize(
    ("recorded", "known_at", "shown"),
    [
        ("2026-05-15T10:00Z", "2026-05-14", False),
        ("2026-05-15T10:00Z", "2026-05-15", True),
        ("2026-05-15T10:00Z", "2026-05-15T11:59:59.999", False),
        ("2026-05-15T10:00Z", "2026-05-15T12:00", True),
        ("2026-05-15T10:00Z", "2026-05-15T10:00:00Z", True),
        ("2026-05-14T22:00Z", "2026-05-14", False),
        ("2026-05-14T21:59Z", "2026-05-14", True),
        ("2026-10-25T22:59Z", "2026-10-25", True),
        ("2026-10-25T23:00Z", "2026-10-25", False),
        ("2026-03-29T21:59Z", "2026-03-29", True),
        ("2026-03-29T22:00Z", "2026-03-29", False),
    ],
)
def test_what_was_recorded_by_then_was_known_and_days_are_local(call, clock, recorded, known_at, shown):
    clock.now = datetime.fromisoformat(recorded)
    call.record(ADA, "tagged", literal("on"))

    assert tags(call, known_at=known_at) == ["on"] * shown


def test_who_asks_what_was_known_means_what_held_then_too(call):
    call.record(ADA, "tagged", literal("soon"), valid_from="2026-06-01")

    assert tags(call, known_at="2026-05-20") == []
    assert tags(call, known_at="2026-06-01") == ["soon"]
    assert tags(call, known_at="2026-05-20", as_of="2026-06-01") == ["soon"]


def test_a_source_that_came_later_was_not_known_then(call, clock):
    call.record(ADA, "tagged", literal("on"))
    clock.pass_by(days=1)
    call.record(ADA, "tagged", literal("on"), source="minutes")

    def shown(**when: str) -> str | None:
        return call("recall_entity", name_or_alias="Ada", **when)["facts"][0]["source"]

    assert (shown(known_at="2026-05-15"), shown(known_at="2026-05-16"), shown()) == (None, "minutes", "minutes")


def test_neighbours_are_those_known_then(call, clock):
    call.record(ADA, "reports_to", GRACE)
    clock.pass_by(days=1)
    call.record(ADA, "belongs_to", ATLAS)
    answer = call("recall_entity", name_or_alias="Ada", known_at="2026-05-15")

    assert [each["name"] for each in answer["related_entities"]] == ["Grace"]


def test_a_retracted_fact_is_shown_only_to_those_who_ask_what_was_known_before(call, clock):
    known = call.record(ADA, "tagged", literal("on"))["fact_id"]
    clock.pass_by(days=1)
    first = call("retract_fact", fact_id=known)
    clock.pass_by(days=1)
    again = call("retract_fact", fact_id=known.upper())

    assert (tags(call), tags(call, as_of="2026-05-15")) == ([], [])
    assert [tags(call, known_at=f"2026-05-{day}") for day in (14, 15, 16, 17)] == [[], ["on"], [], []]
    assert tags(call, known_at="2026-05-16T11:59:59.999") == ["on"]
    assert (first["already_retracted"], again["already_retracted"]) == (False, True)
    assert first["retracted_at"] == again["retracted_at"] == "2026-05-16T12:00:00.000+02:00"


def test_a_deleted_fact_was_never_known(call, clock):
    known = call.record(ADA, "tagged", literal("on"))["fact_id"]
    clock.pass_by(days=1)
    call("delete_entity_edge", uuid=known)

    assert tags(call, known_at="2026-05-15") == []


def test_what_was_retracted_can_be_said_anew(call, clock):
    one = call.record(ADA, "tagged", literal("on"))["fact_id"]
    clock.pass_by(days=1)
    call("retract_fact", fact_id=one)
    clock.pass_by(days=1)
    other = call.record(ADA, "tagged", literal("on"))

    assert (other["deduplicated"], other["fact_id"] != one) == (False, True)
    assert [tags(call, known_at=f"2026-05-{day}") for day in (15, 16, 17)] == [["on"], [], ["on"]]


# What takes the place of something


@pytest.mark.parametrize(
    ("given", "ends"),
    [({}, "2026-05-20T12:00:00.000+02:00"), ({"valid_from": "2026-05-18"}, "2026-05-18T00:00:00.000+02:00")],
)
def test_what_is_superseded_ends_where_the_new_begins_and_stays_what_it_was(call, clock, given, ends):
    old = call.record(ADA, "tagged", literal("on"), source="mail", confidence=0.5)
    clock.pass_by(days=5)
    new = call.record(ADA, "tagged", literal("off"), supersedes=[old["fact_id"]], **given)
    clock.pass_by(days=5)
    (then,) = call("recall_entity", name_or_alias="Ada", known_at="2026-05-19")["facts"]
    (before,) = call("recall_entity", name_or_alias="Ada", as_of="2026-05-17")["facts"]

    assert new["superseded"] == [{"fact_id": old["fact_id"], "valid_to": ends}]
    assert new["valid_from"] == ends
    assert tags(call) == ["off"]
    assert (then["id"], then["source"], then["valid_to"]) == (old["fact_id"], "mail", None)
    assert (before["id"], before["confidence"], before["valid_to"]) == (old["fact_id"], 0.5, ends)


def test_what_will_take_the_place_lets_the_old_hold_until_then(call, clock):
    old = call.record(ADA, "tagged", literal("on"))["fact_id"]
    call.record(ADA, "tagged", literal("off"), supersedes=[old], valid_from="2026-07-01")

    assert (tags(call), tags(call, as_of="2026-06-30"), tags(call, as_of="2026-07-01")) == (["on"], ["on"], ["off"])


def test_an_end_that_was_put_forward_is_known_as_it_was_at_each_moment(call, clock):
    old = call.record(ADA, "tagged", literal("on"))["fact_id"]
    clock.pass_by(days=1)
    call.record(ADA, "tagged", literal("off"), supersedes=[old], valid_from="2026-07-01")
    clock.pass_by(days=1)
    call.record(ADA, "tagged", literal("out"), supersedes=[old], valid_from="2026-06-01")
    clock.pass_by(days=1)

    def known(day: str) -> list[str | None]:
        found = call("recall_entity", name_or_alias="Ada", known_at=day)["facts"]
        return [each["valid_to"] and each["valid_to"][:10] for each in found]

    assert [known(f"2026-05-{day}") for day in (15, 16, 17)] == [[None], ["2026-07-01"], ["2026-06-01"]]
    assert tags(call, known_at="2026-05-16", as_of="2026-06-15") == ["on"]
    assert tags(call, as_of="2026-06-15") == ["out"]


def test_an_end_that_has_passed_stays_where_it_was(call):
    old = call.record(ADA, "tagged", literal("on"), valid_to="2026-05-01")["fact_id"]
    new = call.record(ADA, "tagged", literal("off"), supersedes=[old])

    assert new["superseded"] == [{"fact_id": old, "valid_to": "2026-05-02T00:00:00.000+02:00"}]


def test_a_fact_that_is_known_may_take_the_place_of_another(call, clock):
    old, new = (call.record(ADA, "tagged", literal(name))["fact_id"] for name in ("on", "off"))
    clock.pass_by(days=1)
    again = call.record(ADA, "tagged", literal("off"), supersedes=[old, old])

    assert (again["fact_id"], again["deduplicated"], len(again["superseded"])) == (new, True, 1)
    assert (tags(call), tags(call, known_at="2026-05-15")) == (["off"], ["on", "off"])


@pytest.mark.parametrize(
    ("old", "more", "code"),
    [
        ("nobody", {}, "FACT_NOT_FOUND"),
        ("retracted", {}, "FACT_NOT_FOUND"),
        ("itself", {}, "VALIDITY_INVALID"),
        ("later", {}, "VALIDITY_INVALID"),
        ("held", {"valid_from": "2020-01-01"}, "VALIDITY_INVALID"),
        ("theirs", {}, "FACT_NOT_FOUND"),
    ],
)
def test_what_has_no_place_to_take_is_refused_and_nothing_recorded(call, open_graph, path, old, more, code):
    theirs = Caller(open_graph(group="theirs")).record(ADA, "tagged", literal("on"))["fact_id"]
    known = {
        "nobody": "fact_1",
        "theirs": theirs,
        "retracted": call.record(ADA, "tagged", literal("retracted"))["fact_id"],
        "itself": call.record(ADA, "tagged", literal("new"), valid_from="2026-01-01")["fact_id"],
        "later": call.record(ADA, "tagged", literal("later"), valid_from="2026-08-01")["fact_id"],
        "held": call.record(ADA, "tagged", literal("held"), valid_from="2025-01-01")["fact_id"],
    }
    call("retract_fact", fact_id=known["retracted"])
    before = dump(path)
    refused = call("record_fact", **fact(ADA, "tagged", literal("new"), supersedes=[known["held"], known[old]], **more))

    assert refused["error"] == code
    assert dump(path) == before


def test_what_ended_before_now_cannot_take_a_place_now(call, path):
    old = call.record(ADA, "tagged", literal("on"))["fact_id"]
    before = dump(path)
    refused = call("record_fact", **fact(ADA, "tagged", literal("off"), valid_to="2026-05-01", supersedes=[old]))

    assert refused["error"] == "VALIDITY_INVALID"
    assert dump(path) == before


def test_one_fact_may_take_the_place_of_two_one_after_the_other(call):
    one, two = (call.record(ADA, "tagged", literal(name))["fact_id"] for name in ("one", "two"))
    new = fact(ADA, "tagged", literal("both"), valid_to="2026-12-31")
    answer = call("record_facts", facts=[{**new, "supersedes": [one]}, {**new, "supersedes": [two]}])

    assert [result.get("deduplicated") for result in answer.get("results", [])] == [False, True]
    assert tags(call) == ["both"]


# A model of both times

names = st.sampled_from(["a", "b", "c"])
days = st.sampled_from([f"2026-05-{day}" for day in (10, 14, 16, 20)])
validities = st.fixed_dictionaries({}, optional={"valid_from": days, "valid_to": days})
begun = st.fixed_dictionaries({}, optional={"valid_from": days})
happenings = st.lists(
    st.one_of(
        st.tuples(st.just("record"), names, validities),
        st.tuples(st.just("supersede"), names, begun, st.integers(0, 9)),
        st.tuples(st.just("retract"), st.integers(0, 9)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("wait"), st.integers(1, 30)),
    ),
    min_size=4,
    max_size=16,
)
ALWAYS, NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
PROBED = [datetime(2026, 5, day, 10, tzinfo=UTC) for day in (9, 12, 15, 18, 25)]


class Known:
    """The model: for each fact, from when to when it was known to hold from when to when."""

    def __init__(self) -> None:
        self.versions: dict[str, list[tuple[datetime, datetime, datetime, datetime]]] = {}

    def learn(self, answer: dict[str, Any], now: datetime) -> None:
        start, end = (answer[each] and datetime.fromisoformat(answer[each]) for each in ("valid_from", "valid_to"))
        if not answer["deduplicated"]:
            self.versions[answer["fact_id"]] = [(now, NEVER, start or ALWAYS, end or NEVER)]
        elif answer["effect"] in ("ended", "changed"):
            self._change(answer["fact_id"], now, start or ALWAYS, end or NEVER)
        for each in answer.get("also_ended", []):
            self._change(each["fact_id"], now, None, datetime.fromisoformat(each["valid_to"]))
        for each in answer["superseded"]:
            self._change(each["fact_id"], now, None, datetime.fromisoformat(each["valid_to"]))

    def _change(self, identity: str, now: datetime, start: datetime | None, end: datetime) -> None:
        held = self.versions[identity]
        since, _, *before = held[-1]
        after = [start or before[0], end]
        if after != before:
            held[-1:] = [(since, now, *before), (now, NEVER, *after)]

    def forget(self, identity: str, now: datetime) -> None:
        since, _, *held = self.versions[identity][-1]
        self.versions[identity][-1] = (since, now, *held)

    def is_believed(self, identity: str) -> bool:
        return self.versions[identity][-1][1] == NEVER

    def shown(self, at: datetime, known: datetime) -> list[str]:
        return sorted(
            identity
            for identity, versions in self.versions.items()
            for since, until, start, end in versions
            if since <= known < until and start <= at < end
        )


@examples(8, sweep=500)
@given(happenings)
def test_whatever_happened_both_times_can_be_asked_for(new_file, happenings):
    clock, model, moments = Clock(), Known(), [NOON]
    earlier: list[dict[str, Any]] = []
    with keepgraph.open(new_file(), clock=clock, zone=ZURICH) as graph:
        call = Caller(graph)
        for kind, *told in happenings:
            before, old = deepcopy(model.versions), sorted(model.versions) or ["fact_1"]
            if kind == "wait":
                clock.pass_by(hours=told[0])
                moments.append(clock.now)
            elif kind == "undo":
                assert ("error" in call("undo")) == (not earlier)
                model.versions = earlier.pop() if earlier else {}
            elif kind == "retract":
                picked = old[told[0] % len(old)]
                if call("retract_fact", fact_id=picked).get("already_retracted") is False:
                    model.forget(picked, clock.now)
                    earlier.append(before)
            else:
                more = {"supersedes": [old[told[2] % len(old)]]} if kind == "supersede" else {}
                answer = call("record_fact", **fact(ADA, "tagged", literal(told[0]), **told[1], **more))
                if "error" not in answer:
                    model.learn(answer, clock.now)
                    earlier.append(before)
        for known in moments:
            for at in [*moments, *PROBED]:
                answer = call("recall_entity", name_or_alias="Ada", as_of=at.isoformat(), known_at=known.isoformat())

                assert sorted(each["id"] for each in answer["facts"]) == model.shown(at, known)


# Decisions and weeks of another time


def decided(call: Caller, **when: str) -> list[tuple[str, bool]]:
    answer = call("recall_decisions", project="Atlas", **when)
    assert "error" not in answer, answer
    return [(each["name"], each["followed_up"]) for each in answer["decisions"]]


def week(call: Caller, **when: str) -> tuple[list[str], list[str], list[str]]:
    """What was decided, what was blocked and what was next."""
    answer = call("weekly_rollup", **when)
    assert "error" not in answer, answer
    return (
        sorted(each["name"] for each in answer["decisions"]),
        [each["object"]["literal"] for each in answer["blockers"]],
        answer["next_actions"],
    )


def test_decisions_are_those_known_then_and_as_far_as_they_had_come(call, clock):
    linked = call.record(GO, "belongs_to", ATLAS)["fact_id"]
    clock.pass_by(days=1)
    call.record(GO, "resolved_by", literal("done"))
    clock.pass_by(days=1)
    call.record(decision("Wait"), "belongs_to", ATLAS)
    clock.pass_by(days=1)
    call("retract_fact", fact_id=linked)

    assert [decided(call, known_at=f"2026-05-{day}") for day in (14, 15, 16, 17, 18)] == [
        [],
        [("Go", False)],
        [("Go", True)],
        [("Wait", False), ("Go", True)],
        [("Wait", False)],
    ]
    assert decided(call, as_of="2026-05-15") == [("Wait", False)]


def test_decisions_as_of_a_day_are_those_that_held(call):
    call.record(GO, "belongs_to", ATLAS, valid_from="2026-03-01", valid_to="2026-03-31")
    call.record(decision("Wait"), "belongs_to", ATLAS, valid_from="2026-04-01")

    assert [decided(call, as_of=day) for day in ("2026-02-28", "2026-03-31", "2026-04-01")] == [
        [],
        [("Go", False)],
        [("Wait", False)],
    ]


def test_a_week_of_the_past_ends_on_that_day_and_was_asked_for_today(call):
    call.record(GO, "belongs_to", ATLAS, valid_from="2026-03-04")
    call.record(decision("Wait"), "belongs_to", ATLAS, valid_from="2026-03-12")
    call.record(ATLAS, "blocked_by", literal("rain"), valid_from="2026-03-01", valid_to="2026-03-10")
    answer = call("weekly_rollup", as_of="2026-03-10")

    assert answer["period"] == {"start": "2026-03-04", "end": "2026-03-10"}
    assert answer["generated_at"] == "2026-05-15T12:00:00.000+02:00"
    assert week(call, as_of="2026-03-10")[:2] == (["Go"], ["rain"])
    assert week(call, as_of="2026-03-11")[:2] == ([], [])
    assert week(call, as_of="2026-03-12")[:2] == (["Wait"], [])


def test_a_week_is_what_was_known_then(call, clock):
    blocked = call.record(ATLAS, "blocked_by", literal("rain"))["fact_id"]
    clock.pass_by(days=1)
    call.record(GRACE, "decided_in", GO)
    call.record(ATLAS, "tagged", literal("next action"))
    clock.pass_by(days=1)
    call("retract_fact", fact_id=blocked)
    call.record(ATLAS, "resolved_by", literal("sun"))

    assert week(call, known_at="2026-05-14") == ([], [], [])
    assert week(call, known_at="2026-05-15")[:2] == ([], ["rain"])
    assert [len(each) for each in week(call, known_at="2026-05-16")] == [1, 1, 3]
    assert [len(each) for each in week(call)] == [1, 0, 1]


def test_a_task_is_due_from_when_it_was_known(call, clock):
    clock.pass_by(days=1)
    call.record({"type": "task", "name": "Call Tom"}, "due_on", literal("2026-05-18"))
    clock.pass_by(days=1)
    call.record({"type": "task", "name": "Call Tom"}, "resolved_by", literal("done"))

    assert [week(call, known_at=f"2026-05-{day}")[2] for day in (14, 15)] == [[], []]
    assert week(call, known_at="2026-05-16")[2] == ["Due 2026-05-18: “Call Tom”"]
    assert week(call)[2] == []


def test_a_blocker_is_open_until_it_was_known_to_be_resolved(call, clock):
    call.record(ATLAS, "blocked_by", literal("rain"))
    clock.pass_by(days=1)
    call.record(ATLAS, "resolved_by", literal("rain"))

    assert [week(call, known_at=f"2026-05-{day}")[1] for day in (15, 16)] == [["rain"], []]


def test_a_decision_that_was_linked_later_was_known_before(call, clock):
    call.record(GO, "tagged", literal("bold"))
    clock.pass_by(days=1)
    then = week(call)[0]
    clock.pass_by(days=1)
    call.record(GRACE, "decided_in", GO)

    assert then == ["Go"]
    assert week(call, known_at="2026-05-16")[0] == ["Go"]


def test_a_decision_that_came_later_that_day_was_not_known(call, clock):
    clock.pass_by(hours=1)
    call.record(GO, "tagged", literal("bold"))

    assert week(call, known_at="2026-05-15T12:30")[0] == []
    assert week(call, known_at="2026-05-15T13:00")[0] == ["Go"]


LOOKING_BACK = [
    ("recall_entity", {"name_or_alias": "Ada"}),
    ("recall_decisions", {"project": "Atlas"}),
    ("weekly_rollup", {}),
]


@pytest.mark.parametrize(
    "bad",
    [
        "",
        " ",
        "yesterday",
        "2026-02-30",
        "2026-5-1",
        "2026-05-15T25:00",
        "0001-01-01T00:00",
        "20260515",
        "２０２６-05-15",
    ],
)
def test_a_moment_that_is_none_is_refused(call, bad):
    call.record(ADA, "decided_in", ATLAS)
    for tool, asked in LOOKING_BACK:
        for moment in ("as_of", "known_at"):
            refused = call(tool, **asked, **{moment: bad})

            assert refused["error"] == "MOMENT_INVALID"
            assert moment in refused["message"]
            assert refused["hint"]


@pytest.mark.parametrize("far", ["0001-01-02", "9999-12-31"])
def test_the_first_and_the_last_of_days_can_be_asked_about(call, far):
    call.record(ADA, "decided_in", ATLAS)
    for tool, asked in LOOKING_BACK[:2]:
        assert "error" not in call(tool, **asked, as_of=far)
        assert "error" not in call(tool, **asked, known_at=far)


@pytest.mark.parametrize("far", ["0001-01-01", "0001-01-05", "9999-12-31", "9999-12-31T23:59:59Z"])
def test_a_week_at_the_end_of_the_calendar_is_told_or_refused(call, far):
    answer = call("weekly_rollup", as_of=far)

    assert answer.get("error", "MOMENT_INVALID") == "MOMENT_INVALID"


# What happened


def happened(call: Caller, about: str, **more: Any) -> list[tuple[Any, ...]]:
    """The events of a history, newest first: what, the text, the tool and the source."""
    answer = call("get_history", about=about, **more)
    assert "error" not in answer, answer
    return [(each["what"], each["text"], each["tool"], each["source"]) for each in answer["events"]]


def test_the_history_of_an_entity_tells_all_of_it_the_newest_first(call, clock):
    known = call.record(ADA, "tagged", literal("on"), source="mail", aliases=["Countess"])["fact_id"]
    clock.pass_by(hours=1)
    call("record_facts", facts=[fact(ADA, "tagged", literal("on"), source="minutes"), fact(GRACE, "reports_to", ADA)])
    clock.pass_by(hours=1)
    call.record(ADA, "tagged", literal("off"), supersedes=[known])
    clock.pass_by(hours=1)
    call("retract_fact", fact_id=known)
    clock.pass_by(hours=1)
    call("undo")
    answer = call("get_history", about="countess")

    assert [(each["what"], each["text"], each["tool"], each["source"]) for each in answer["events"]] == [
        ("no longer retracted", "Ada tagged on", "undo", None),
        ("retracted", "Ada tagged on", "retract_fact", None),
        ("ended", "Ada tagged on", "record_fact", None),
        ("recorded", "Ada tagged off", "record_fact", None),
        ("recorded", "Grace reports to Ada", "record_facts", None),
        ("said again", "Ada tagged on", "record_facts", "minutes"),
        ("recorded", "Ada tagged on", "record_fact", "mail"),
        ("alias added", "Countess", "record_fact", None),
        ("created", "Ada (person)", "record_fact", None),
    ]
    assert [each["call"] for each in answer["events"]] == [5, 4, 3, 3, 2, 2, 1, 1, 1]
    assert (answer["entity"]["name"], answer["resolution"]["method"], answer["fact"]) == ("Ada", "alias", None)
    assert answer["truncated"] is False


def test_the_history_of_a_fact_tells_of_it_alone(call, clock):
    known = call.record(ADA, "tagged", literal("on"), source="mail")["fact_id"]
    clock.pass_by(hours=1)
    call.record(ADA, "tagged", literal("off"))
    call.record(ADA, "tagged", literal("on"))
    clock.pass_by(hours=1)
    call("retract_fact", fact_id=known)
    answer = call("get_history", about=f" {known.upper()} ")

    assert [(each["what"], each["at"], each["source"], each["fact_id"]) for each in answer["events"]] == [
        ("retracted", "2026-05-15T14:00:00.000+02:00", None, known),
        ("said again", "2026-05-15T13:00:00.000+02:00", None, known),
        ("recorded", "2026-05-15T12:00:00.000+02:00", "mail", known),
    ]
    assert (answer["fact"]["id"], answer["entity"], answer["resolution"]) == (known, None, None)


def test_the_history_tells_in_which_conversation_it_happened(open_graph):
    one, other = (Caller(open_graph(session=session)) for session in ("chat 1", None))
    known = one.record(ADA, "tagged", literal("on"))["fact_id"]
    other.record(ADA, "tagged", literal("on"))
    one("retract_fact", fact_id=known)

    assert [each["session"] for each in one("get_history", about=known)["events"]] == ["chat 1", None, "chat 1"]


def test_what_was_merged_is_told_to_have_moved(call, clock):
    call.record(ADA, "tagged", literal("on"))
    call.record(person("Adah"), "decided_in", GO, aliases=["Countess"])
    clock.pass_by(hours=1)
    call("merge_entities", keep=ADA, absorb=person("Adah"))

    assert sorted(event[:3] for event in happened(call, "Ada") if event[2] == "merge_entities") == [
        ("alias added", "Adah", "merge_entities"),
        ("alias moved here", "Countess", "merge_entities"),
        ("moved", "Ada decided in Go", "merge_entities"),
    ]


def test_deleted_facts_are_told_to_both_whom_they_were_about(call, clock):
    known = call.record(ADA, "reports_to", GRACE, source="mail")["fact_id"]
    clock.pass_by(hours=1)
    call("delete_entity_edge", uuid=known)

    assert happened(call, "Ada")[0] == ("deleted", "Ada reports to Grace", "delete_entity_edge", None)
    assert happened(call, "Grace")[0] == ("deleted", "Ada reports to Grace", "delete_entity_edge", None)
    assert call("get_history", about="Ada")["events"][0]["fact_id"] == known
    assert call("get_history", about=known)["error"] == "FACT_NOT_FOUND"


def test_a_deletion_that_was_taken_back_is_told_once(call, clock):
    known = call.record(ADA, "tagged", literal("on"))["fact_id"]
    clock.pass_by(hours=1)
    call("delete_entity_edge", uuid=known)
    call("undo")

    assert [event[0] for event in happened(call, "Ada")].count("deleted") == 1


@pytest.mark.parametrize(("limit", "shown", "truncated"), [(1, 1, True), (4, 4, True), (5, 5, False), (500, 5, False)])
def test_a_long_history_is_cut_and_says_so(call, clock, limit, shown, truncated):
    for name in "abcd":
        call.record(ADA, "tagged", literal(name))
        clock.pass_by(hours=1)
    answer = call("get_history", about="Ada", limit=limit)

    assert (len(answer["events"]), answer["truncated"]) == (shown, truncated)
    assert answer["events"][0]["text"] == "Ada tagged d"
    assert len(call("get_history", about=answer["events"][0]["fact_id"], limit=limit)["events"]) == 1


def test_without_a_limit_the_fifty_newest_events_are_told(call):
    call("record_facts", facts=[fact(ADA, "tagged", literal(f"{number:02}")) for number in range(60)])
    answer = call("get_history", about="Ada")

    assert (len(answer["events"]), answer["truncated"]) == (50, True)
    assert [answer["events"][place]["text"] for place in (0, -1)] == ["Ada tagged 59", "Ada tagged 10"]


def test_undo_knows_every_number_of_a_history(call, clock, open_graph, path, tmp_path):
    """
    Each is tried on a copy of its own: it is taken back, or refused for what came later, and breaks nothing.
    """
    known = call.record(ADA, "reports_to", GRACE, source="mail", aliases=["Countess"])["fact_id"]
    clock.pass_by(hours=1)
    call.record(ADA, "reports_to", GRACE, source="minutes")
    call.record(person("Adah"), "tagged", literal("on"), aliases=["Enchantress"])
    call.record(ADA, "tagged", literal("off"), supersedes=[known])
    clock.pass_by(hours=1)
    call("merge_entities", keep=ADA, absorb=person("Adah"))
    call("delete_entity_edge", uuid=call.record(ADA, "tagged", literal("gone"))["fact_id"])
    call("retract_fact", fact_id=known)
    events = call("get_history", about="Ada")["events"]
    call.graph.database.checkpoint()
    answers = []
    for event in events:
        copy = tmp_path / f"{event['change']}.db"
        shutil.copy(path, copy)
        answers.append(Caller(open_graph(copy))("undo", change=event["change"]).get("error"))
        assert rows(copy, "PRAGMA foreign_key_check") == []
        assert rows(copy, "PRAGMA integrity_check") == [("ok",)]

    assert {each["what"] for each in events} == set(
        "created,alias added,recorded,said again,ended,moved,alias moved here,deleted,retracted".split(",")
    )
    assert answers[0] is None
    assert set(answers) == {None, "LATER_CHANGES"}


@pytest.mark.parametrize(
    ("about", "code"),
    [
        ("", "NAME_OR_ALIAS_REQUIRED"),
        (" \u200b ", "NAME_OR_ALIAS_REQUIRED"),
        ("x" * 201, "NAME_OR_ALIAS_TOO_LONG"),
        ("fact_1", "FACT_NOT_FOUND"),
        ("FACT_" + "0" * 26, "FACT_NOT_FOUND"),
    ],
)
def test_a_history_of_nothing_is_refused(call, about, code):
    assert call("get_history", about=about)["error"] == code


def test_whose_history_is_asked_for_is_found_as_in_recalling(call):
    call.record(ADA, "tagged", literal("x"))
    call.record(person("Roberto"), "tagged", literal("x"))
    call.record(concept("Go"), "tagged", literal("x"))
    call.record(project("Go"), "tagged", literal("x"))
    mistyped, unknown, several = (call("get_history", about=about) for about in ("Robrto", "Zebulon", "go"))

    assert (mistyped["entity"]["name"], mistyped["resolution"]["method"]) == ("Roberto", "fuzzy")
    assert (unknown["entity"], unknown["events"], unknown["resolution"]["candidates"]) == (None, [], [])
    assert (several["entity"], len(several["resolution"]["candidates"])) == (None, 2)
    assert [event[1] for event in happened(call, "project:Go")] == ["Go tagged x", "Go (project)"]


def test_the_history_of_another_group_is_not_told(open_graph):
    known = Caller(open_graph(group="theirs")).record(ADA, "tagged", literal("x"))
    ours = Caller(open_graph(group="ours"))

    assert ours("get_history", about=known["fact_id"])["error"] == "FACT_NOT_FOUND"
    assert ours("get_history", about=known["subject"]["id"])["entity"] is None


def test_asking_for_a_history_leaves_no_trace(call, path):
    call.record(ADA, "tagged", literal("x"))
    before = dump(path)
    call("get_history", about="Ada")

    assert dump(path) == before
