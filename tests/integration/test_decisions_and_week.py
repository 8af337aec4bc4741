"""What was decided and when, what is blocked and until when: two tools that tell one story."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from words import Caller, concept, decision, fact, literal, person, project, source

ADA, GRACE, ATLAS, BOREAS = person("Ada"), person("Grace"), project("Atlas"), project("Boreas")
GO = decision("Go")


def decided(call: Caller, name: str = "Atlas", **more: str) -> list[dict]:
    return call("recall_decisions", project=name, **more)["decisions"]


def week(call: Caller, name: str | None = "Atlas") -> dict:
    return call("weekly_rollup", project=name) if name else call("weekly_rollup")


def named(found: list[dict]) -> list[str]:
    return [each["name"] for each in found]


def blocked(call: Caller, name: str | None = "Atlas") -> list[tuple[str, str]]:
    return [
        (each["subject"]["name"], each["object"].get("name") or each["object"]["literal"])
        for each in week(call, name)["blockers"]
    ]


# What a decision is


@pytest.mark.parametrize(
    "said",
    [
        [fact(GO, "belongs_to", ATLAS)],
        [fact(ATLAS, "decided_in", GO)],
        [fact(GO, "decided_in", ATLAS)],
        [fact(GO, "belongs_to", ATLAS), fact(ADA, "decided_in", GO)],
        [fact(ATLAS, "belongs_to", GO)],
    ],
)
def test_a_decision_is_found_however_it_was_tied_to_its_project(call, said):
    call("record_facts", facts=said)

    assert named(decided(call)) == ["Go"]
    assert named(week(call)["decisions"]) == ["Go"]


def test_who_decided_is_who_stands_before_decided_in(call):
    call(
        "record_facts",
        facts=[fact(GO, "belongs_to", ATLAS), fact(ADA, "decided_in", GO), fact(GRACE, "decided_in", GO)],
    )
    call("record_facts", facts=[fact(BOREAS, "decided_in", GO)])
    (found,) = decided(call)

    assert named(found["decided_by"]) == ["Ada", "Grace"]


def test_a_decision_that_is_only_told_counts(call):
    call.record(ADA, "decided_in", literal("We go"))
    call.record(ATLAS, "decided_in", literal("Atlas goes"))

    assert named(decided(call)) == ["Atlas goes"]
    assert sorted(named(week(call, None)["decisions"])) == ["Atlas goes", "We go"]


def test_people_and_parts_of_a_project_are_no_decisions(call):
    call(
        "record_facts",
        facts=[
            fact(ADA, "belongs_to", ATLAS),
            fact(concept("Hull"), "belongs_to", ATLAS),
            fact(ATLAS, "tagged", literal("big")),
        ],
    )

    assert decided(call) == []
    assert week(call)["decisions"] == []


def test_a_decision_that_replaces_another_says_so(call):
    call(
        "record_facts",
        facts=[
            fact(GO, "belongs_to", ATLAS),
            fact(decision("Wait"), "belongs_to", ATLAS),
            fact(GO, "resolved_by", decision("Wait")),
        ],
    )
    by_name = {each["name"]: each for each in decided(call)}

    assert by_name["Wait"]["supersedes"]["name"] == "Go"
    assert by_name["Go"]["supersedes"] is None


def test_source_and_confidence_come_from_the_facts(call):
    call.record(GO, "belongs_to", ATLAS, confidence=0.5)
    call.record(ADA, "decided_in", GO, source="minutes")
    (found,) = decided(call)

    assert (found["source"], found["confidence"]) == ("minutes", 0.5)


def test_two_hundred_decisions_are_listed_and_more_are_said_to_be(call):
    call("record_facts", facts=[fact(decision(f"Choice {n}"), "belongs_to", ATLAS) for n in range(201)])
    answer = call("recall_decisions", project="Atlas")

    assert (len(answer["decisions"]), answer["truncated"]) == (200, True)
    assert (len(week(call)["decisions"]), week(call)["truncated"], week(call)["totals"]["decisions"]) == (50, True, 201)


# When it was made


def test_the_date_of_a_decision_is_when_it_was_first_recorded(call, clock):
    call.record(GO, "belongs_to", ATLAS)
    clock.pass_by(days=2)
    call.record(ADA, "decided_in", GO)
    call.record(GO, "belongs_to", ATLAS)

    assert [each["decided_on"] for each in decided(call)] == ["2026-05-15"]


def test_the_date_of_a_decision_can_be_said(call):
    call.record(GO, "belongs_to", ATLAS)
    call.record(ADA, "decided_in", GO, valid_from="2026-05-01")

    assert [each["decided_on"] for each in decided(call)] == ["2026-05-01"]


def test_newest_come_first(call, clock):
    for n, day in enumerate(("2026-03-01", "2026-05-01", "2026-04-01")):
        call.record(decision(f"On {day}"), "belongs_to", ATLAS, valid_from=day)
        clock.pass_by(minutes=n)

    assert named(decided(call)) == ["On 2026-05-01", "On 2026-04-01", "On 2026-03-01"]


@pytest.mark.parametrize(
    ("since", "found"),
    [("2026-05-01", ["Go"]), ("2026-05-02", []), ("2026-04-30", ["Go"]), ("0001-01-01", ["Go"]), ("", ["Go"])],
)
def test_since_includes_its_day(call, since, found):
    call.record(GO, "belongs_to", ATLAS, valid_from="2026-05-01T23:59:59+02:00")

    assert named(decided(call, since=since)) == found


@pytest.mark.parametrize(
    "since",
    [
        "20260501",
        "2026-W18-5",
        "2026-02-30",
        "yesterday",
        "2026-05-01T00:00",
        " 2026-05-01",
        "٢٠٢٦-٠٥-٠١",
        "2026-05-01\n",
        "0000-01-01",
        "x" * 41,
    ],
)
def test_since_is_a_calendar_date_and_nothing_else(call, since):
    assert call("recall_decisions", project="Atlas", since=since)["error"] == "SINCE_INVALID"


def test_since_is_told_back(call):
    assert call("recall_decisions", project="Atlas", since="2026-05-01")["since"] == "2026-05-01"
    assert call("recall_decisions", project="Atlas", since="")["since"] is None


@pytest.mark.parametrize(
    "zone", ["Europe/Zurich", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"]
)
def test_a_day_is_a_local_day(open_graph, clock, zone):
    here = ZoneInfo(zone)
    call = Caller(open_graph(zone=here))
    for hour, minute, name in ((0, 0, "first"), (23, 59, "last")):
        clock.now = datetime(2026, 5, 12, hour, minute, tzinfo=here).astimezone(UTC)
        call.record(decision(name), "belongs_to", ATLAS)

    assert {each["decided_on"] for each in decided(call)} == {"2026-05-12"}
    assert sorted(named(decided(call, since="2026-05-12"))) == ["first", "last"]
    assert decided(call, since="2026-05-13") == []


@pytest.mark.parametrize(
    ("zone", "today"),
    [
        ("Europe/Zurich", (2026, 4, 2)),
        ("Europe/Zurich", (2026, 10, 28)),
        ("Pacific/Auckland", (2026, 4, 8)),
        ("America/Sao_Paulo", (2018, 11, 7)),
    ],
)
def test_a_week_is_seven_local_days_whatever_the_clocks_do(open_graph, clock, zone, today):
    here, last = ZoneInfo(zone), date(*today)
    call = Caller(open_graph(zone=here))
    for days in range(8):
        for hour in (0, 1, 12, 23):
            day = last - timedelta(days=days)
            clock.now = datetime(day.year, day.month, day.day, hour, 30, tzinfo=here).astimezone(UTC)
            call.record(decision(f"{days}-{hour}"), "belongs_to", ATLAS)
    clock.now = datetime(*today, 23, 45, tzinfo=here).astimezone(UTC)
    told = week(call)

    assert told["period"] == {"start": (last - timedelta(days=6)).isoformat(), "end": last.isoformat()}
    assert told["totals"]["decisions"] == 28
    assert sorted(named(told["decisions"])) == sorted(named(week(call, None)["decisions"]))
    assert named(told["decisions"]) == named(decided(call, since=told["period"]["start"]))


# Both tools agree


def test_the_two_tools_agree_on_set_and_date(call, clock):
    """
    Whatever was decided in the week, by any form of words, is told the same by both.
    """
    clock.pass_by(days=-9)
    for day in range(10):
        thing = decision(f"Choice {day}")
        call.record(
            *(((thing, "belongs_to", ATLAS), (ATLAS, "decided_in", thing), (thing, "decided_in", ATLAS))[day % 3])
        )
        call.record(decision(f"Dated {day}"), "belongs_to", ATLAS, valid_from=f"2026-05-{6 + day:02}")
        clock.pass_by(days=1)
        call.record((ADA, GRACE)[day % 2], "decided_in", thing)
    clock.pass_by(days=-1)
    told = week(call)

    assert told["decisions"] == decided(call, since=told["period"]["start"])
    assert len(told["decisions"]) > 7


def test_the_week_of_all_projects_holds_the_week_of_each(call):
    for name in ("Atlas", "Boreas"):
        call.record(decision(f"Start {name}"), "belongs_to", project(name))
        call.record(concept(f"Hull of {name}"), "blocked_by", literal("weather"))
        call.record(concept(f"Hull of {name}"), "belongs_to", project(name))
    everywhere = week(call, None)

    for part in ("decisions", "blockers"):
        assert {each["id"] for each in everywhere[part]} == {
            each["id"] for name in ("Atlas", "Boreas") for each in week(call, name)[part]
        }


def test_a_late_link_does_not_make_an_old_decision_new(call, clock):
    clock.pass_by(days=-30)
    call.record(GO, "belongs_to", ATLAS)
    clock.pass_by(days=30)
    call.record(ADA, "decided_in", GO)

    assert week(call)["decisions"] == week(call, None)["decisions"] == []
    assert [each["decided_on"] for each in decided(call)] == ["2026-04-15"]


def test_an_old_decision_that_is_dated_this_week_is_of_this_week(call, clock):
    clock.pass_by(days=-30)
    call.record(GO, "belongs_to", ATLAS)
    clock.pass_by(days=30)
    call.record(ADA, "decided_in", GO, valid_from="2026-05-14")

    assert (
        named(week(call)["decisions"])
        == named(week(call, None)["decisions"])
        == named(decided(call, since="2026-05-09"))
    )


def test_what_will_only_hold_later_is_not_told_yet(call):
    call.record(GO, "belongs_to", ATLAS, valid_from="2026-05-16")

    assert (decided(call), week(call)["decisions"], week(call, None)["decisions"]) == ([], [], [])


def test_the_period_is_the_seven_days_that_end_today(call):
    assert week(call, None)["period"] == {"start": "2026-05-09", "end": "2026-05-15"}


# Projects


def test_nothing_leaks_from_one_project_into_another(call):
    for name, who in (("Atlas", ADA), ("Boreas", GRACE)):
        thing = decision(f"Start {name}")
        call("record_facts", facts=[
            fact(thing, "belongs_to", project(name)), fact(who, "decided_in", thing),
            fact(project(name), "blocked_by", concept(f"Storm over {name}")),
            fact(concept(f"Task of {name}"), "belongs_to", project(name)),
            fact(concept(f"Task of {name}"), "tagged", literal("next-action")),
            fact(concept(f"Task of {name}"), "blocked_by", literal(f"Fog over {name}")),
        ])  # fmt: skip
    told = str(week(call)) + str(call("recall_decisions", project="Atlas"))

    assert ("Boreas" in told, "Grace" in told) == (False, False)
    assert week(call)["totals"] == {"decisions": 1, "blockers": 2, "next_actions": 4}


def test_what_is_tagged_elsewhere_is_no_action_of_this_project(call):
    call.record(ATLAS, "tagged", literal("active"))
    call.record(concept("Stray task"), "tagged", literal("next-action"))

    assert week(call)["next_actions"] == []
    assert week(call, None)["next_actions"] == ["Address tagged next action on Stray task"]


def test_another_group_is_not_told(open_graph):
    theirs, ours = Caller(open_graph(group="theirs")), Caller(open_graph(group="ours"))
    theirs(
        "record_facts",
        facts=[
            fact(GO, "belongs_to", ATLAS),
            fact(ATLAS, "blocked_by", literal("x")),
            fact(ATLAS, "tagged", literal("next-action")),
        ],
    )

    assert week(ours, None)["totals"] == {"decisions": 0, "blockers": 0, "next_actions": 0}
    assert ours("recall_decisions", project="Atlas")["project"] is None
    assert ours("get_status")["facts"] == 0


@pytest.mark.parametrize("asked", ["Atlantis", "Q3 2026 roadmap", "person:Ada", "ent_0", "🚀"])
def test_both_tools_answer_alike_to_an_unknown_project(call, asked):
    call("record_facts", facts=[fact(ADA, "belongs_to", project("Q3 2025 roadmap")), fact(GO, "belongs_to", ATLAS)])
    one, other = call("recall_decisions", project=asked), call("weekly_rollup", project=asked)

    assert (one["project"], one["decisions"]) == (other["project"], other["decisions"]) == (None, [])
    assert one["resolution"] == other["resolution"]


def test_an_unknown_project_comes_with_candidates(call):
    call.record(ADA, "belongs_to", project("Q3 2025 roadmap"))
    told = call("weekly_rollup", project="Q3 2026 roadmap")

    assert named(told["resolution"]["candidates"]) == ["Q3 2025 roadmap"]
    assert told["summary"] == "No project called “Q3 2026 roadmap” is known. Did you mean “Q3 2025 roadmap”?"
    assert call("recall_decisions", project="Q3 2026 roadmap")["hint"] == told["summary"]


@pytest.mark.parametrize("tool", ["recall_decisions", "weekly_rollup"])
def test_only_a_project_is_taken_for_a_project(call, tool):
    call.record(concept("Atlas"), "tagged", literal("x"))

    assert call(tool, project="Atlas")["project"] is None


@pytest.mark.parametrize("tool", ["recall_decisions", "weekly_rollup"])
@pytest.mark.parametrize("asked", ["atlas", "Altas", "project:Atlas", " ATLAS "])
def test_a_project_is_found_by_what_it_is_meant_by(call, tool, asked):
    call.record(ATLAS, "tagged", literal("x"))
    call.record(concept("Atlas"), "tagged", literal("x"))

    assert call(tool, project=asked)["project"]["name"] == "Atlas"


@pytest.mark.parametrize("tool", ["recall_decisions", "weekly_rollup"])
def test_a_name_too_long_for_a_project_is_refused(call, tool):
    assert call(tool, project="x" * 201)["error"] == "PROJECT_REQUIRED"


def test_an_empty_project_means_all_for_the_week_and_is_refused_for_decisions(call):
    assert call("weekly_rollup", project="  ")["resolution"] is None
    assert call("recall_decisions", project="  ")["error"] == "PROJECT_REQUIRED"


# Blockers


def test_a_blocker_is_open_until_it_is_resolved_and_however_old_it_is(call, clock):
    clock.pass_by(days=-90)
    call.record(ATLAS, "blocked_by", concept("Storm"))
    clock.pass_by(days=90)

    assert blocked(call) == [("Atlas", "Storm")]
    call.record(concept("Storm"), "resolved_by", GRACE)
    assert blocked(call) == []


@pytest.mark.parametrize(
    "resolution",
    [
        fact(concept("Storm"), "resolved_by", ADA),
        fact(concept("Storm"), "resolved_by", literal("waiting")),
        fact(ATLAS, "resolved_by", concept("Storm")),
    ],
)
def test_blockers_close_one_by_one(call, resolution):
    for name in ("Storm", "Fog"):
        call.record(ATLAS, "blocked_by", concept(name))
    call("record_fact", **resolution)

    assert blocked(call) == [("Atlas", "Fog")]


def test_a_blocker_that_is_only_told_is_closed_by_its_words(call):
    for name in ("no money", "no time"):
        call.record(ATLAS, "blocked_by", literal(name))
    call.record(ATLAS, "resolved_by", literal("No  Money"))

    assert blocked(call) == [("Atlas", "no time")]


def test_the_only_blocker_is_closed_by_any_resolution_of_its_subject(call):
    call.record(ATLAS, "blocked_by", concept("Storm"))
    call.record(ATLAS, "resolved_by", GRACE)

    assert blocked(call) == []


def test_a_resolution_that_names_none_of_several_closes_none(call):
    for name in ("Storm", "Fog"):
        call.record(ATLAS, "blocked_by", concept(name))
    call.record(ATLAS, "resolved_by", GRACE)

    assert sorted(blocked(call)) == [("Atlas", "Fog"), ("Atlas", "Storm")]


def test_a_resolution_does_not_close_what_comes_later(call):
    call.record(ATLAS, "blocked_by", concept("Storm"))
    call.record(concept("Storm"), "resolved_by", GRACE)
    call.record(ATLAS, "blocked_by", concept("Fog"))

    assert blocked(call) == [("Atlas", "Fog")]


def test_a_blocker_that_is_said_again_is_open_again(call):
    call.record(ATLAS, "blocked_by", concept("Storm"))
    call.record(concept("Storm"), "resolved_by", GRACE)
    call.record(ATLAS, "blocked_by", concept("Storm"))

    assert blocked(call) == [("Atlas", "Storm")]
    call.record(concept("Storm"), "resolved_by", GRACE)
    assert blocked(call) == []


def test_one_blocker_of_two_things_closes_for_both(call):
    for name in ("Atlas", "Boreas"):
        call.record(project(name), "blocked_by", concept("Storm"))
    call.record(concept("Storm"), "resolved_by", GRACE)

    assert blocked(call, None) == []


def test_one_thing_freed_of_a_blocker_leaves_the_other_blocked(call):
    for name in ("Atlas", "Boreas"):
        call.record(project(name), "blocked_by", concept("Storm"))
    call.record(ATLAS, "resolved_by", concept("Storm"))

    assert blocked(call, None) == [("Boreas", "Storm")]
    assert (blocked(call), blocked(call, "Boreas")) == ([], [("Boreas", "Storm")])


def test_what_belongs_to_a_project_blocks_it(call):
    call.record(concept("Hull"), "belongs_to", ATLAS)
    call.record(concept("Hull"), "blocked_by", concept("Rust"))
    call.record(concept("Sail"), "blocked_by", concept("Moths"))

    assert blocked(call) == [("Hull", "Rust")]


def test_a_blocker_whose_validity_ended_is_not_open(call):
    call.record(ATLAS, "blocked_by", concept("Storm"), valid_to="2026-05-14")

    assert blocked(call) == []


def test_newest_blockers_come_first_and_fifty_are_listed(call):
    call("record_facts", facts=[fact(ATLAS, "blocked_by", concept(f"Storm {n}")) for n in range(51)])
    told = week(call)

    assert blocked(call)[0] == ("Atlas", "Storm 50")
    assert (len(told["blockers"]), told["totals"]["blockers"], told["truncated"]) == (50, 51, True)
    assert len(told["next_actions"]) == 10


# Next actions


def test_a_decision_lacks_a_follow_up_until_there_is_one(call):
    call.record(GO, "belongs_to", ATLAS)

    assert week(call)["next_actions"] == [
        "Follow up on decision “Go” with an owner for its implementation "
        "(decided on 2026-05-15, nobody has acted on it)"
    ]


def test_one_decision_of_a_project_is_followed_up_at_a_time_the_newest_first(call, clock):
    for name in ("Stay", "Go"):
        call.record(decision(name), "belongs_to", ATLAS)
        clock.pass_by(days=1)
    call.record(decision("Sail"), "belongs_to", BOREAS)

    def asked() -> list[str]:
        return [action.split("“")[1].split("”")[0] for action in week(call, None)["next_actions"]]

    assert asked() == ["Sail", "Go"]
    call.record(GO, "resolved_by", literal("release 2"))
    assert asked() == ["Sail", "Stay"]


def test_a_decision_of_nobody_and_nothing_asks_for_no_follow_up(call):
    call("add_entity", entity=decision("Drift"))
    call.record(ADA, "decided_in", GO)

    assert named(week(call, None)["decisions"]) == ["Go", "Drift"]
    assert [action.split("“")[1].split("”")[0] for action in week(call, None)["next_actions"]] == ["Go"]


@pytest.mark.parametrize(
    "follow_up",
    [
        fact(GO, "resolved_by", ADA),
        fact(GO, "resolved_by", literal("release 2")),
        fact(concept("Work"), "depends_on", GO),
        fact(concept("Work"), "resolved_by", GO),
        fact(GO, "reports_to", ADA),
        fact(GO, "tagged", literal("Done")),
        fact(GO, "tagged", literal("implemented")),
    ],
)
def test_a_follow_up_is_really_looked_for(call, follow_up):
    call.record(GO, "belongs_to", ATLAS)
    call("record_fact", **follow_up)

    assert [each["followed_up"] for each in decided(call)] == [True]
    assert "Follow up" not in str(week(call)["next_actions"])


@pytest.mark.parametrize(
    "other",
    [fact(ADA, "decided_in", GO), fact(GO, "mentioned_in", source("Minutes")), fact(GO, "tagged", literal("big"))],
)
def test_not_everything_said_of_a_decision_is_a_follow_up(call, other):
    call.record(GO, "belongs_to", ATLAS)
    call("record_fact", **other)

    assert [each["followed_up"] for each in decided(call)] == [False]


@pytest.mark.parametrize("tag", ["next-action", "Next Action", "next_action", " NEXT-ACTION "])
def test_a_tagged_next_action_is_one_until_it_is_resolved(call, tag):
    call.record(concept("Paint"), "belongs_to", ATLAS)
    call.record(concept("Paint"), "tagged", literal(tag))

    assert week(call)["next_actions"] == ["Address tagged next action on Paint"]
    call.record(concept("Paint"), "resolved_by", ADA)
    assert week(call)["next_actions"] == []


def test_actions_come_as_blockers_then_decisions_then_tags(call):
    call("record_facts", facts=[
        fact(ATLAS, "tagged", literal("next-action")), fact(GO, "belongs_to", ATLAS),
        fact(ATLAS, "blocked_by", concept("Storm")),
    ])  # fmt: skip

    assert [action.split()[0] for action in week(call)["next_actions"]] == ["Resolve", "Follow", "Address"]


# The summary


def test_a_summary_of_nothing_reads_well(call):
    call.record(ATLAS, "tagged", literal("active"))

    assert (
        week(call)["summary"]
        == "This week on Atlas, no decisions were made, nothing is blocked and no next actions are waiting."
    )
    assert week(call, None)["summary"].startswith("This week across all projects, no decisions")


def test_a_summary_of_one_reads_well(call):
    call(
        "record_facts",
        facts=[
            fact(GO, "belongs_to", ATLAS),
            fact(ADA, "decided_in", GO),
            fact(GO, "resolved_by", ADA),
            fact(ATLAS, "blocked_by", concept("Storm")),
        ],
    )

    assert week(call)["summary"] == (
        "This week on Atlas, 1 decision was made, 1 blocker is open and 1 next action is waiting. "
        "The most recent decision: “Go” (Ada, 2026-05-15)."
    )


def test_a_summary_of_many_reads_well(call):
    for n in range(3):
        call.record(decision(f"Choice {n}"), "belongs_to", ATLAS)
        call.record(ATLAS, "blocked_by", concept(f"Storm {n}"))

    assert week(call)["summary"] == (
        "This week on Atlas, 3 decisions were made, 3 blockers are open and 4 next actions are waiting. "
        "The most recent decision: “Choice 2” (2026-05-15)."
    )


def test_a_summary_stays_short_with_long_names(call):
    name = "Very " * 39 + "long"
    call(
        "record_facts",
        facts=[
            fact(decision(name), "belongs_to", project(name)),
            *(fact(person(f"{n} {name[10:]}"), "decided_in", decision(name)) for n in range(9)),
        ],
    )

    assert len(week(call, name)["summary"]) < 1500
    assert all(len(action) < 400 for action in week(call, name)["next_actions"])


def test_what_blocks_a_decision_made_in_a_project_is_in_its_week(call):
    call.record(ATLAS, "decided_in", GO)
    call.record(GO, "blocked_by", concept("Budget"))
    call.record(GO, "tagged", literal("next-action"))
    of_project = week(call, "Atlas")

    assert [blocker["object"]["name"] for blocker in of_project["blockers"]] == ["Budget"]
    assert f"Address tagged next action on {GO['name']}" in of_project["next_actions"]


def test_what_is_no_decision_by_its_type_has_the_date_of_its_decided_in_fact(call, clock):
    call.record(concept("Karst"), "decided_in", ATLAS)
    clock.pass_by(days=30)
    call.record(concept("Karst"), "belongs_to", ATLAS)

    assert week(call, "Atlas")["decisions"] == week(call, None)["decisions"] == []
    assert len(call("recall_decisions", project="Atlas")["decisions"]) == 1
