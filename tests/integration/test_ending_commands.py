"""`kg end` and `kg resolve`, and what `kg record` and `kg week` tell of ends and blockers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from keepgraph import store
from keepgraph.ml import embedder
from words import FillOnce, Kg

A_FACT = re.compile(r"fact_[0-9a-z]{26}")


@pytest.fixture
def week(run: Kg) -> Callable[[], list[str]]:
    """What is blocked."""

    def call() -> list[str]:
        return [each["object"]["literal"] for each in json.loads(run("--json", "week").output)["blockers"]]

    return call


@pytest.fixture
def ana(run: Kg, path: Path, fill_once: FillOnce) -> None:
    def fill() -> None:
        run("record", "person:Ana", "works_at", "organisation:Acme")

    fill_once(path, fill)


@pytest.fixture
def atlas(run: Kg, path: Path, fill_once: FillOnce) -> None:
    def fill() -> None:
        run("record", "project:Atlas", "blocked_by", "=waiting for the licence")
        run("record", "project:Boreas", "blocked_by", "=no budget")

    fill_once(path, fill)


# kg end


@pytest.mark.parametrize(
    "words",
    [
        ("Ana", "works_at", "Acme"),
        ("ana", "works at", "organisation:acme"),
        ("person:Ana", "works_at"),
        ("Acme", "employs", "Ana"),
    ],
)
def test_a_fact_is_ended_as_it_is_said(run, ana, words):
    shown = run("end", *words, "--on", "2026-06-30")

    assert shown.exit_code == 0
    assert shown.output.startswith("Ended: Ana works_at Acme until 2026-06-30\n")
    assert "works_at →" not in run("recall", "Ana").output
    assert "until 2026-06-30: works_at Acme" in run("recall", "Ana").output


@pytest.mark.parametrize("words", [("Ana works_at Acme",), ("Ana works at Acme",), ("Ana", "works", "at", "Acme")])
def test_a_fact_is_ended_as_a_sentence(run, ana, words):
    assert run("end", *words, "--on", "2026-06-30").output.startswith("Ended: Ana works_at Acme until 2026-06-30\n")


@pytest.mark.parametrize("words", [("Bob works at Acme",), ("Nobody", "is", "here", "today"), ("x " * 40,)])
def test_a_sentence_that_says_no_fact_is_refused(run, ana, words):
    refused = run("end", *words)

    assert (refused.exit_code, "names no fact" in refused.output) == (1, True)


def test_the_day_that_is_given_is_shown_everywhere(run, ana):
    run("end", "Ana", "works_at", "--on", "2026-06-30")

    assert "until 2026-06-30)" in run("recall", "Ana", "--as-of", "2026-06-01").output
    assert "held until 2026-06-30 (" in run("end", "Ana", "works_at").output


def test_hints_name_commands(run, ana):
    hints = [run(*words).output for words in (("resolve", "permit"), ("end", "Nobody", "works_at"))]

    assert "`kg " in hints[1]
    assert [re.findall(r"\b\w+_(?:rollup|entity|nodes|fact)\b", hint) for hint in hints] == [[], []]


def test_hints_of_tools_name_tools(run, ana):
    shown = run("tool", "call", "update_entity", "--json", '{"entity": {"name": "Nobody"}, "name": "x"}').output

    assert "recall_entity" in shown


def test_a_month_ends_with_its_last_day(run, ana):
    assert "Ended: Ana works_at Acme until 2026-06-30\n" in run("end", "Ana", "works_at", "--on", "June 2026").output


def test_the_line_that_is_shown_takes_it_back(run, ana):
    shown = run("end", "Ana", "works_at").output
    run("undo", re.search(r"kg undo (\d+)", shown)[1])

    assert "works_at → Acme" in run("recall", "Ana").output


def test_an_end_is_corrected_and_one_that_is_known_changes_nothing(run, ana):
    run("end", "Ana", "works_at", "--on", "2026-06-30")
    corrected = run("end", "Ana", "works_at", "Acme", "--on", "2026-07-15").output
    again = run("end", "Ana", "works_at", "Acme", "--on", "2026-07-15").output

    assert corrected.startswith("Corrected: Ana works_at Acme until 2026-07-15\n  before: until 2026-06-30\n")
    assert again == "Nothing changed; already known: Ana works_at Acme until 2026-07-15\n"


def test_where_several_fit_they_are_listed_with_their_ids_and_the_line_to_type(run, ana, path):
    run("record", "Ana", "works_at", "organisation:Initech")
    refused = run("end", "Ana", "works_at")
    ids = A_FACT.findall(refused.stderr)

    assert (refused.exit_code, len(ids)) == (1, 2)
    assert "Ana works at Initech" in refused.stderr
    assert f"kg --db {path} end fact_…" in refused.stderr
    assert run("end", ids[0]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Ana",), "names no fact"),
        (("Bob", "works", "at", "Acme"), "names no fact"),
        (("Ana", "lives_in"), "no fact says “Ana lives_in”"),
        (("Nobody", "works_at"), "Nobody"),
        (("Ana", "frobs"), "frobs"),
        (("fact_1",), "fact_1"),
        (("Ana", "works_at", "="), "literal"),
        (("Ana", "works_at", "--on", "whenever"), "--on"),
    ],
)
def test_what_cannot_be_ended_is_refused_in_words(run, ana, words, told):
    refused = run("end", *words)

    assert refused.exit_code == 1
    assert told in refused.stderr


def test_what_has_ended_is_told_with_when(run, ana):
    run("end", "Ana", "works_at", "--on", "2026-06-30")
    refused = run("end", "Ana", "works_at")

    assert "has already ended: it held until 2026-06-30 (" in refused.stderr


def test_an_end_in_json(run, ana):
    assert json.loads(run("--json", "end", "Ana", "works_at").output)["effect"] == "ended"


# kg record


def test_recording_says_what_it_did(run, ana):
    told = [
        run("record", "Ana", "works_at", "Acme", *more).output.splitlines()[0]
        for more in ((), ("--source", "mail"), ("--from", "2020-01-01"), ("--to", "2024-12-31"), ("--to", "2025-12-31"))
    ]
    today = r"\d{4}-\d{2}-\d{2}"

    assert re.fullmatch(f"Nothing changed; known since {today}: Ana works_at Acme", told[0])
    assert re.fullmatch(f"Known since {today}, noted once more: Ana works_at Acme", told[1])
    assert told[2:] == [
        "Corrected: Ana works_at Acme from 2020-01-01",
        "Ended: Ana works_at Acme from 2020-01-01 until 2024-12-31",
        "Corrected: Ana works_at Acme from 2020-01-01 until 2025-12-31",
    ]


def test_a_time_that_overlaps_is_shown_with_the_line_that_ends_it(run):
    run("record", "person:Ana", "works_at", "organisation:Acme", "--from", "2020-01-01")
    shown = run("record", "Ana", "works_at", "Acme", "--from", "2022-01-01", "--to", "2022-12-31").output

    assert re.search(r"(fact_\w{26}) says the same from 2020-01-01; to end it: kg end \1", shown)


def test_a_resolution_says_what_it_closed_or_lists_what_is_open(run, atlas, week):
    asked = run("record", "concept:the permit", "resolved_by", "=mail").output
    closed = run("record", "the licence", "resolved_by", "=mail").output

    assert re.findall(r"kg resolve fact_\w{26}   (.+)", asked) == [
        "Boreas blocked by no budget",
        "Atlas blocked by waiting for the licence",
    ]
    assert "closed: Atlas blocked by waiting for the licence" in closed
    assert week() == ["no budget"]


def test_a_blocker_is_named_by_its_id_in_record_too(run, atlas, week):
    asked = run("record", "concept:the permit", "resolved_by", "=mail").output
    run("record", A_FACT.findall(asked)[1], "resolved_by", "=mail")

    assert week() == ["no budget"]


# kg retract


@pytest.mark.parametrize("words", [("Ana", "works_at", "Acme"), ("Ana works at Acme",), ("Acme", "employs", "Ana")])
def test_a_fact_is_retracted_as_it_is_said(run, ana, words):
    shown = run("retract", *words)

    assert (shown.exit_code, "Retracted: Ana works_at Acme" in shown.output) == (0, True)
    assert "Acme" not in run("recall", "Ana").output
    run("undo")
    assert "works_at → Acme" in run("recall", "Ana").output


@pytest.mark.parametrize("when", [("--to", "2020-05-01"), ("--from", "2100-01-01"), ("--from", "2020-01-01")])
def test_a_fact_of_any_time_is_retracted_by_what_it_says(run, ana, when):
    run("record", "Ana", "lives_in", "place:Ulm", *when)

    assert "Retracted: Ana lives_in Ulm" in run("retract", "Ana", "lives_in").output
    assert "Ulm" not in run("recall", "Ana").output


def test_of_several_facts_that_fit_none_is_retracted_and_each_is_listed(run, ana):
    run("record", "Ana", "works_at", "organisation:Bolt")
    refused = run("retract", "Ana", "works_at")
    ids = A_FACT.findall(refused.output)

    assert (refused.exit_code, len(ids), "retract fact_…`" in refused.output) == (1, 2, True)
    assert run("recall", "Ana").output.count("works_at →") == 2
    assert run("retract", ids[0]).exit_code == 0


def test_of_several_times_of_a_fact_none_is_retracted_and_each_is_listed(run, ana):
    run("record", "Ana", "lives_in", "place:Ulm", "--from", "2019", "--to", "2020")
    run("record", "Ana", "lives_in", "Ulm", "--from", "2022")
    refused = run("retract", "Ana", "lives_in", "Ulm")
    ids = A_FACT.findall(refused.output)

    assert (refused.exit_code, len(ids)) == (1, 2)
    assert ("2019" in refused.output, "2022" in refused.output) == (True, True)
    assert run("retract", ids[0]).exit_code == 0
    assert "Retracted: Ana lives_in Ulm" in run("retract", "Ana", "lives_in", "Ulm").output


def test_the_blocker_that_is_also_said_in_other_words_is_named(run, atlas, week):
    for predicate in ("blocked_by", "waits_for"):
        run("record", "Atlas", predicate, "=the permit")
    first = run("retract", "Atlas", "blocked_by", "the permit").output
    [other] = A_FACT.findall(first)

    assert "another fact says so: Atlas waits for the permit" in first
    assert "the permit" in " ".join(week())
    assert "another fact" not in run("retract", other).output
    assert "the permit" not in " ".join(week())


@pytest.mark.parametrize("words", [("Bob", "works_at"), ("nobody says this",), ("Ana", "works_at", "Bolt"), ("",)])
def test_what_names_no_fact_retracts_none(run, ana, words):
    refused = run("retract", *words)

    assert (refused.exit_code, "hint" in refused.output) == (1, True)
    assert "works_at → Acme" in run("recall", "Ana").output


# kg resolve


@pytest.mark.parametrize("words", [("waiting for the licence",), ("the", "licence", "arrived"), ("Atlas",), ("atlsa",)])
def test_a_blocker_is_closed_by_its_words_or_by_what_is_blocked(run, atlas, week, words):
    shown = run("resolve", *words)

    assert shown.output.startswith("Closed: Atlas blocked by waiting for the licence\n  To open it again: kg undo ")
    assert week() == ["no budget"]


def test_who_and_when_are_kept(run, atlas):
    run("resolve", "licence", "--by", "Ana Ruiz", "--on", "2026-06-01", "--source", "mail")

    assert "resolved_by → “Ana Ruiz”" in run("recall", "Atlas").output
    assert "from 2026-06-01, mail" in run("recall", "Atlas").output


def test_two_that_may_be_meant_are_listed_and_told_apart_by_what_is_blocked(run, week):
    run("record", "project:Atlas", "blocked_by", "=waiting for the licence")
    run("record", "project:Boreas", "blocked_by", "=waiting for the licence")
    refused = run("resolve", "licence")

    assert (refused.exit_code, len(A_FACT.findall(refused.stderr))) == (1, 2)
    assert "Boreas: waiting for the licence" in refused.stderr
    assert run("resolve", "licence", "--project", "Boreas").exit_code == 0
    assert run("resolve", A_FACT.findall(refused.stderr)[1]).exit_code == 0
    assert week() == []


def test_what_fits_none_is_refused_with_those_that_are_open(run, atlas, week):
    refused = run("resolve", "the weather")

    assert refused.exit_code == 1
    assert len(A_FACT.findall(refused.stderr)) == 2
    assert week() == ["no budget", "waiting for the licence"]


@pytest.mark.skipif(
    bool(embedder.unavailable_reason() or store.vectors.extension_missing()), reason="there is no model"
)
def test_what_means_about_the_same_is_listed_alone_and_not_closed(run, atlas, week):
    refused = run("resolve", "lack of funds")

    assert refused.exit_code == 1
    assert len(A_FACT.findall(refused.stderr)) == 1
    assert "Boreas" in refused.stderr
    assert week() == ["no budget", "waiting for the licence"]


def test_a_sibling_is_never_closed_by_its_meaning(run, week):
    run("record", "project:Atlas", "blocked_by", "=waiting for licence A")

    assert run("resolve", "licence B").exit_code == 1
    assert week() == ["waiting for licence A"]


def test_where_nothing_is_blocked_that_is_said(run, ana):
    assert "nothing is blocked" in run("resolve", "licence").stderr


def test_the_week_shows_once_how_to_close_a_blocker(run, atlas):
    shown = run("week").output

    assert shown.count("kg resolve") == 1
    assert 'To close a blocker: kg resolve "no budget"' in shown


def test_control_characters_of_a_blocker_do_not_reach_the_terminal(run):
    run("record", "project:Atlas", "blocked_by", "=no \x1b[2Jbudget")

    assert "\x1b" not in run("week").output + run("resolve", "weather").stderr + run("resolve", "Atlas").output


def test_a_task_is_closed_by_its_name_as_a_blocker_is(run, atlas):
    run("remind", "Renew the permit", "--due", "2099-01-01")
    run("remind", "Call Ana")
    shown = [run("done", "renew the permit"), run("resolve", "Call Ana", "--by", "person:Bo", "--on", "2026-05-01")]

    assert [each.output.splitlines()[0] for each in shown] == [
        "Recorded: Renew the permit resolved_by “done”",
        "Recorded: Call Ana resolved_by Bo",
    ]
    assert "To do" not in run("next").output
    assert "licence" in run("next").output


def test_a_task_that_is_only_resembled_is_named_and_stays_open(run, atlas):
    run("remind", "Renew the parking permit")
    refused = run("done", "parking permit")

    assert refused.exit_code == 1
    assert 'perhaps "task:Renew the parking permit"' in refused.stderr
    assert "Renew the parking permit" in run("next").output


def test_what_is_neither_blocker_nor_task_is_not_closed(run, atlas):
    run("record", "project:Cygnus", "tagged", "active")

    assert "no open blocker fits" in run("done", "Cygnus").stderr
