"""Narratives: a text that the calling model wrote about a week comes back with the rollup of that week."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from keepgraph.engine.knowledge import rollup
from keepgraph.mcp import prompts
from words import Caller, connected, decision, literal, person, project, rows

THIS_WEEK = "2026-W20"
"""The week of the Friday on which the clock stands."""

STORY = "We chose SQLite. Bob was ill, and the login waits for him."


def narrative(call: Caller, **more: Any) -> dict[str, Any] | None:
    answer = call("weekly_rollup", **more)
    assert "error" not in answer, answer
    found: dict[str, Any] | None = answer["narrative"]
    return found


def told(call: Caller, **more: Any) -> str | None:
    found = narrative(call, **more)
    return found and found["text"]


def run(path: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(kg, ["--db", str(path), *words])
    return done.exit_code, done.output


def test_a_week_without_a_narrative_has_null_and_its_summary(call):
    answer = call("weekly_rollup")

    assert answer["narrative"] is None
    assert answer["summary"].startswith("This week")


def test_the_text_that_was_kept_for_a_week_comes_with_its_rollup(call):
    kept = call("remember", text=STORY, source="a model", narrative_for=THIS_WEEK)

    assert kept["narrative_for"] == THIS_WEEK
    assert narrative(call) == {
        "week": THIS_WEEK,
        "text": STORY,
        "truncated": False,
        "doc_id": kept["doc_id"],
        "source": "a model",
        "written_at": "2026-05-15T12:00:00.000+02:00",
    }


def test_a_narrative_names_the_session_in_which_it_was_written(open_graph):
    call = Caller(open_graph(session="chat 7"))
    call("remember", text=STORY, narrative_for=THIS_WEEK)

    assert (narrative(call) or {})["session"] == "chat 7"


@pytest.mark.parametrize("week", ["2026-W20", "2026w20", " 2026W20 ", "2026-05-11", "2026-05-17", "2026-05-15T23:30"])
def test_a_week_is_named_by_its_number_or_by_a_day_in_it(call, week):
    answer = call("remember", text=STORY, narrative_for=week)

    assert answer["narrative_for"] == THIS_WEEK


@pytest.mark.parametrize(
    "week", ["2026-W54", "2026-W00", "2025-W53", "20", "last week", "2026-02-30", "0000-W10", "W20"]
)
def test_what_is_no_week_is_refused_and_nothing_is_kept(call, path, week):
    answer = call("remember", text=STORY, narrative_for=week)

    assert answer["error"] == "MOMENT_INVALID"
    assert "2026-W47" in answer["hint"]
    assert [] == rows(path, "SELECT * FROM episode") == rows(path, "SELECT * FROM narrative")


def test_the_week_counts_in_which_the_rollup_ends(call):
    """
    A rollup has seven days that end on any day of the week; a narrative has a week from Monday to Sunday.
    """
    call("remember", text=STORY, narrative_for=THIS_WEEK)
    by_day = {day: told(call, as_of=f"2026-05-{day}") for day in (10, 11, 17, 18)}

    assert by_day == {10: None, 11: STORY, 17: STORY, 18: None}


def test_projects_and_all_projects_have_narratives_of_their_own(call):
    call("remember", text="All in all, a good week.", narrative_for=THIS_WEEK)
    call("remember", text="Atlas goes on.", narrative_for=THIS_WEEK, project="Atlas")
    call.record(project("Beta"), "tagged", literal("new"))

    assert [
        told(call),
        told(call, project="Atlas"),
        told(call, project="Beta"),
    ] == ["All in all, a good week.", "Atlas goes on.", None]


def test_a_later_narrative_takes_the_place_of_an_earlier_one_whose_text_stays(call, clock):
    first = call("remember", text=STORY, narrative_for=THIS_WEEK)
    clock.pass_by(hours=1)
    call("remember", text="It was better than I said.", narrative_for=THIS_WEEK)

    assert told(call) == "It was better than I said."
    assert call("get_full_document", doc_id=first["doc_id"])["text"] == STORY


@pytest.mark.parametrize("pause", [0, 3600])
def test_the_text_that_was_given_last_counts_also_where_it_was_given_before(call, clock, pause):
    for text in ("A", "B", "A"):
        call("remember", text=text, narrative_for=THIS_WEEK)
        clock.pass_by(seconds=pause)

    assert told(call) == "A"


def test_saying_the_same_again_changes_nothing(call, path, clock):
    call("remember", text=STORY, narrative_for=THIS_WEEK)
    clock.pass_by(hours=1)
    before = rows(path, "SELECT count(*) FROM journal")
    call("remember", text=STORY, narrative_for=THIS_WEEK)

    assert before == rows(path, "SELECT count(*) FROM journal")


def test_what_was_known_then_is_the_narrative_of_then(call, clock):
    call("remember", text="First.", narrative_for=THIS_WEEK)
    then = clock.now.isoformat()
    clock.pass_by(hours=1)
    call("remember", text="Second.", narrative_for=THIS_WEEK)

    assert [
        told(call, known_at=then),
        told(call, known_at="2026-05-01", as_of="2026-05-15"),
        told(call),
    ] == ["First.", None, "Second."]


def test_a_narrative_is_found_by_search(call):
    kept = call("remember", text=STORY, narrative_for=THIS_WEEK)
    answer = call("search", query="who was ill?")

    assert [kept["doc_id"]] == [episode["uuid"] for episode in answer["episodes"]]


def test_deleting_the_text_deletes_the_narrative_and_brings_the_earlier_one_back(call, clock):
    call("remember", text="First.", narrative_for=THIS_WEEK)
    clock.pass_by(hours=1)
    second = call("remember", text="Second.", narrative_for=THIS_WEEK)
    call("delete_episode", uuid=second["doc_id"])
    earlier = told(call)
    call("undo")

    assert [earlier, told(call)] == ["First.", "Second."]


def test_merging_a_project_moves_its_narratives(call, clock):
    call("remember", text="Of the old one.", narrative_for=THIS_WEEK, project="Atlas")
    clock.pass_by(hours=1)
    call("remember", text="Of the old one.", narrative_for="2026-W19", project="Atlas")
    call.record(project("Atlas 2"), "tagged", literal("x"))
    call("merge_entities", keep=project("Atlas 2"), absorb=project("Atlas"))

    assert [
        told(call, project="Atlas 2"),
        told(call, project="Atlas 2", as_of="2026-05-08"),
    ] == ["Of the old one.", "Of the old one."]


def test_merging_two_projects_that_have_the_same_narrative_keeps_it_once(call, path):
    for name in ("Atlas", "Atlas 2"):
        call("remember", text=STORY, narrative_for=THIS_WEEK, project=name)
    call("merge_entities", keep=project("Atlas 2"), absorb=project("Atlas"))

    assert rows(path, "SELECT count(*) FROM narrative") == [(1,)]
    assert told(call, project="Atlas 2") == STORY


def test_a_deleted_project_leaves_no_narrative_and_its_text(call, path):
    call("remember", text=STORY, narrative_for=THIS_WEEK, project="Atlas")
    with connected(path) as conn:
        conn.execute("DELETE FROM entity WHERE name = 'Atlas'")

    assert (
        rows(path, "SELECT * FROM narrative"),
        rows(path, "SELECT count(*) FROM episode"),
    ) == ([], [(1,)])


def test_a_long_narrative_is_cut_in_the_answer_and_says_so(call):
    long = "So it went on. " * 400
    kept = call("remember", text=long, narrative_for=THIS_WEEK)
    answer = narrative(call) or {}

    assert answer["truncated"]
    assert long.startswith(answer["text"])
    assert answer["doc_id"] == kept["doc_id"]


def test_an_unknown_project_has_no_narrative(call):
    call("remember", text=STORY, narrative_for=THIS_WEEK)

    assert narrative(call, project="Zanzibar") is None


@given(st.dates(min_value=date(1, 1, 8), max_value=date(9999, 12, 20)))
def test_a_week_has_seven_days_from_monday_to_sunday(day):
    week = rollup.week_of(day.isoformat())
    monday = day - timedelta(days=day.weekday())
    of_week = {rollup.week_of((monday + timedelta(days=days)).isoformat()) for days in range(7)}

    assert {week} == of_week
    assert rollup.check_week(week) == week
    assert rollup.week_of((monday + timedelta(days=7)).isoformat()) != week


# The command line, the prompt, and other graphs


def test_the_command_keeps_a_narrative_and_the_week_shows_it(path):
    today = date.today().isoformat()
    kept = run(path, "remember", "A quiet week.\n\nNothing broke.", "--for-week", today)
    shown = run(path, "week")

    assert (kept[0], shown[0]) == (0, 0)
    assert "the narrative of week" in kept[1]
    assert "  A quiet week.\n\n  Nothing broke.\n" in shown[1]


def test_control_characters_of_a_narrative_do_not_reach_the_terminal(path):
    with keepgraph.open(path) as graph:
        Caller(graph)("remember", text="Red \x1b[31malert", narrative_for=date.today().isoformat())
    _, shown = run(path, "week")

    assert "\x1b[31malert" not in shown
    assert "alert" in shown


def test_the_weekly_review_asks_for_a_narrative():
    text = (
        prompts.fill("weekly_review", {"project": "Atlas"}, shown={"remember", "weekly_rollup"})
        .messages[0]
        .content.text
    )

    assert "narrative_for" in text
    assert "the same project" in text


def test_an_import_brings_the_narratives_of_a_file(call, tmp_path, clock):
    call.record(person("Bob"), "decided_in", decision("Go"))
    call("remember", text=STORY, narrative_for=THIS_WEEK)
    clock.pass_by(hours=1)
    call("remember", text="Atlas goes on.", narrative_for=THIS_WEEK, project="Atlas")
    lines = "".join(json.dumps(line) + "\n" for line in export.stream_lines(call.graph.database))
    copy = tmp_path / "copy.db"
    done = CliRunner().invoke(kg, ["--db", str(copy), "import", "-"], input=lines)

    assert done.exit_code == 0, done.output
    with keepgraph.open(copy, clock=clock) as graph:
        assert [told(Caller(graph)), told(Caller(graph), project="Atlas")] == [STORY, "Atlas goes on."]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"week": "2026-W54"}, "MOMENT_INVALID"),
        ({"week": "May"}, "INVALID_ARGUMENTS"),
        ({"episode": "ep_" + "0" * 26}, "EPISODE_NOT_FOUND"),
        ({"project": "ent_" + "0" * 26}, "ENTITY_NOT_FOUND"),
        ({"recorded_at": "yesterday"}, "INVALID_ARGUMENTS"),
        ({"recorded_at": "2026-02-30T00:00:00.000Z"}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_bad_narrative_line_is_refused(call, path, changed, code):
    kept = call("remember", text=STORY)
    line = {
        "kind": "narrative",
        "week": THIS_WEEK,
        "episode": kept["doc_id"],
        "recorded_at": "2026-05-15T10:00:00.000Z",
    }
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", "-"], input=json.dumps(line | changed) + "\n")

    assert [code] == [each["error"] for each in json.loads(done.stdout)["refused"]]
