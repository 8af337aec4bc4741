"""Simpler questions on the command line: lists, next steps, counts, dates in words, types only where needed."""

from __future__ import annotations

import importlib
import json
from datetime import date, timedelta
from pathlib import Path

import click
import pytest

from keepgraph.cli import root
from keepgraph.ml import embedder
from words import NOON, Caller, FillOnce, Kg, concept, decision, fact, literal, person, project


def in_words(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


# Commands and their help


@pytest.mark.parametrize("name", list(root._COMMANDS))
def test_every_command_has_its_function_an_example_and_a_group(name):
    group, module, description = root._COMMANDS[name]
    command = getattr(importlib.import_module(f"keepgraph.cli.{module}"), f"{name}_command")
    with click.Context(command, info_name=name) as ctx:
        lines = [line.strip() for line in command.get_help(ctx).splitlines()]

    assert group
    assert description.endswith(".")
    assert [line for line in lines if line.startswith(("kg ", "bash:  kg "))] != []


def test_help_has_a_line_for_each_command_under_its_group(run):
    lines = run("--help").output.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2:3].isalpha()]

    assert set(root._COMMANDS) <= set(listed)
    assert [f"{group}:" in lines for group, _, _ in root._COMMANDS.values()].count(False) == 0
    assert max(map(len, lines)) <= 80


def test_help_does_not_import_the_commands(run, monkeypatch):
    monkeypatch.setattr(root.importlib, "import_module", lambda name: pytest.fail(f"{name} was imported"))

    assert run("--help").exit_code == 0


# Lists


@pytest.fixture
def filled(call: Caller) -> Caller:
    call(
        "record_facts",
        facts=[
            fact(person("Ana"), "works_on", project("Atlas"), source="standup"),
            fact(person("Bob"), "works_on", project("Atlas"), source="standup"),
            fact(person("Bob"), "decided_in", decision("Adopt SQLite")),
            fact(decision("Adopt SQLite"), "belongs_to", project("Atlas")),
            fact(project("Atlas"), "tagged", literal("active")),
            fact(project("Atlas"), "blocked_by", literal("waiting for the licence")),
        ],
    )
    call("remember", text="Ana called about the licence.", source="phone")
    return call


def names(answer: dict) -> list[list[str]]:
    return [[row["name"] for row in section["rows"]] for section in answer["sections"]]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("people", ["Ana", "Bob"]),
        ("persons", ["Ana", "Bob"]),
        ("person", ["Ana", "Bob"]),
        ("  PEOPLE ", ["Ana", "Bob"]),
        ("projects", ["Atlas"]),
        ("decisions", ["Adopt SQLite"]),
        ("companies", []),
        ("everything", ["Adopt SQLite", "Ana", "Atlas", "Bob"]),
        ("tags", ["active"]),
        ("blockers", ["Atlas blocked_by “waiting for the licence”"]),
        ("blocked", ["Atlas blocked_by “waiting for the licence”"]),
        ("texts", ["Ana called about the licence."]),
        ("notes", ["Ana called about the licence."]),
        ("groups", ["default"]),
    ],
)
def test_a_kind_is_listed_by_its_word_in_singular_and_plural_and_by_its_labels(filled, kind, expected):
    assert [expected] == names(filled("list_kind", kind=kind))


def test_sources_are_listed_with_how_often_they_said_something(filled):
    rows = filled("list_kind", kind="sources")["sections"][0]["rows"]

    assert [(row["name"], row["detail"]) for row in rows] == [("standup", "2 ×"), ("phone", "1 ×")]


def test_words_in_use_come_first(filled):
    (types,) = names(filled("list_kind", kind="types"))
    (predicates,) = names(filled("list_kind", kind="predicates"))

    assert types[0] == "person"
    assert predicates[0] == "works_on"


def test_a_list_is_bounded_and_says_how_many_there_are(call):
    call("record_facts", facts=[fact(person(f"P {n:03}"), "tagged", literal("x")) for n in range(60)])
    section = call("list_kind", kind="people", limit=7)["sections"][0]

    assert [f"P {n:03}" for n in range(7)] == [row["name"] for row in section["rows"]]
    assert (section["total"], section["truncated"]) == (60, True)


def test_what_ended_and_what_was_retracted_is_not_listed(filled, graph):
    ids = {known["predicate"]: known["id"] for known in filled("recall_entity", name_or_alias="project:Atlas")["facts"]}
    filled("retract_fact", fact_id=ids["tagged"])
    filled("retract_fact", fact_id=ids["blocked_by"])

    assert names(filled("list_kind", kind="tags")) == [[]]
    assert names(filled("list_kind", kind="blockers")) == [[]]
    assert "Atlas tagged “active”" not in names(filled("list_kind", kind="facts"))[0]


def test_the_facts_that_hold_are_counted_in_their_group(filled, open_graph):
    def count(caller: Caller) -> int:
        return caller("list_kind", kind="facts")["sections"][0]["total"]

    before, other = count(filled), Caller(open_graph(group="other"))
    later = {"valid_from": "2198-01-01"}
    for caller in (filled, other):
        for n, period in enumerate([{}, {"valid_to": "2020-01-01"}, {"valid_to": "2199-01-01"}, later]):
            known = fact(person("Ben"), "knows", person(f"P{n}"))
            caller("record_facts", facts=[known | period, known | later | {"valid_to": "2199-01-01"}][: 1 + n % 2])

    assert [count(filled), count(other)] == [before + 2, 2]


def test_another_group_is_not_listed(filled, open_graph, path):
    other = Caller(open_graph(group="other"))

    assert names(other("list_kind", kind="people")) == [[]]
    assert names(other("list_kind", kind="sources")) == [[]]
    assert names(other("list_kind", kind="groups"))[0] == ["other", "default"]


@pytest.mark.parametrize("kind", ["wombats", "x" * 200, "  ", "—"])
def test_what_cannot_be_listed_is_refused_with_what_can(filled, kind):
    answer = filled("list_kind", kind=kind)

    assert answer["error"] == "INVALID_ARGUMENTS"
    assert "facts, texts, blockers" in answer["hint"]


@pytest.mark.parametrize(
    "arguments", [{}, {"kind": ""}, {"kind": 7}, {"kind": "x" * 201}, {"kind": "people", "limit": 0}]
)
def test_a_bad_request_for_a_list_is_refused(filled, arguments):
    assert filled("list_kind", **arguments)["error"] == "INVALID_ARGUMENTS"


def test_what_can_be_listed_is_counted(filled):
    counts = {each["kind"]: each["count"] for each in filled("list_kinds")["kinds"]}

    assert {"person": 2, "project": 1, "facts": 6, "texts": 1, "blockers": 1, "tags": 1}.items() <= counts.items()
    for kind, count in counts.items():
        assert count == sum(section["total"] for section in filled("list_kind", kind=kind)["sections"])


def test_lists_and_counts_are_printed(filled, run):
    assert run("list", "people").output == "  Ana  1 fact\n  Bob  2 facts\n"
    assert run("list", "people", "-n", "1").output.splitlines()[-1] == "  … and 1 more; -n shows more"
    assert "  person      2\n" in run("list").output
    assert "  facts          6: works_on 2, " in run("stats").output
    assert json.loads(run("--json", "stats").output)["facts_by_predicate"]["works_on"] == 2
    assert "`kg " in run("list", "calls").output


def test_a_name_cannot_write_to_the_terminal(call, run):
    call("record_fact", subject=person("Eve\u202e"), predicate="tagged", object=literal("a\x1b[2Jb"))

    for words in (["list", "people"], ["list", "tags"], ["list", "facts"], ["stats"], ["next"]):
        assert "\x1b" not in run(*words).output
        assert "\u202e" not in run(*words).output


# Next steps


def steps(call: Caller, **arguments: str) -> dict[str, list[str]]:
    answer = call("list_next_steps", **arguments)
    return {
        "blockers": [known["subject"]["name"] for known in answer["blockers"]],
        "actions": [entity["name"] for entity in answer["actions"]],
        "due": [known["subject"]["name"] for known in answer["due"]],
        "coming": [known["subject"]["name"] for known in answer["coming"]],
    }


def task(name: str) -> dict[str, str]:
    return {"type": "task", "name": name}


def day(days: int) -> dict[str, str]:
    return literal((NOON.date() + timedelta(days=days)).isoformat())


def test_the_week_and_the_next_steps_name_the_same_decisions_to_follow_up(call):
    for name, days in (("Adopt SQLite", 0), ("Drop Docker", -6), ("Buy a van", -7)):
        call.record(project(name), "belongs_to", project("Atlas"))
        call("change", entity=project(name), type="decision")
        made = {"valid_from": day(days)["literal"]}
        call.record(person(f"Maker of {name}"), "decided_in", {"type": "decision", "name": name}, **made)
    steps, week = call("list_next_steps"), call("weekly_rollup")
    followed = [each["name"] for each in steps["follow_ups"]]

    assert steps["totals"]["follow_ups"] == len(followed) > 0
    assert sum(f"“{name}”" in line for line in week["next_actions"] for name in followed) == len(followed)
    assert week["totals"]["next_actions"] == len(followed)
    assert "Buy a van" not in followed


def test_next_steps_are_what_is_blocked_to_do_due_and_coming(call):
    call(
        "record_facts",
        facts=[
            fact(project("Atlas"), "blocked_by", literal("licence")),
            fact(concept("Docs"), "tagged", literal("next action")),
            fact(task("Renew the passport"), "due_on", day(3)),
            fact(task("File the taxes"), "due_on", day(-100)),
            fact(task("Plan the summer"), "due_on", day(50)),
            fact({"type": "meeting", "name": "Standup"}, "happened_on", day(1)),
            fact({"type": "meeting", "name": "Lunch"}, "happened_on", day(0)),
            fact({"type": "meeting", "name": "Retrospective"}, "happened_on", day(-1)),
            fact({"type": "note", "name": "Journal of today"}, "created_on", day(0)),
            fact({"type": "product", "name": "Atlas 2"}, "created_on", day(5)),
        ],
    )

    assert steps(call) == {
        "blockers": ["Atlas"],
        "actions": ["Docs", "Renew the passport", "File the taxes", "Plan the summer"],
        "due": ["File the taxes", "Renew the passport"],
        "coming": ["Lunch", "Standup", "Atlas 2"],
    }


@pytest.mark.parametrize(
    "done",
    [
        fact(task("Pay"), "tagged", literal("Done")),
        fact(task("Pay"), "status", literal("finished")),
        fact(task("Pay"), "resolved_by", person("Ana")),
        fact(task("Pay"), "resolved_by", literal("paid")),
    ],
)
def test_what_is_done_is_no_next_step(call, done):
    call("record_fact", **fact(task("Pay"), "due_on", day(2)))
    before = steps(call)
    call("record_fact", **done)

    assert (before["actions"], before["due"]) == (["Pay"], ["Pay"])
    assert (steps(call)["actions"], steps(call)["due"]) == ([], [])


@pytest.mark.parametrize("by", [None, person("Ana"), literal("a call")])
def test_what_has_two_blockers_stays_a_next_step_until_it_is_resolved_itself(call, clock, by):
    visa = task("Visa")
    call("record_fact", **fact(visa, "due_on", day(9)))
    call("record_fact", **fact(visa, "tagged", literal("next action")))
    call("record_facts", facts=[fact(visa, "blocked_by", literal(words)) for words in ("the audit", "the licence")])
    clock.pass_by(hours=1)
    call("resolve_blocker", blocker="audit", **({"by": by} if by else {}))
    clock.pass_by(hours=1)

    assert steps(call) == {"blockers": ["Visa"], "actions": ["Visa"], "due": ["Visa"], "coming": []}
    assert f"Due {day(9)['literal']}: “Visa”" in call("weekly_rollup")["next_actions"]
    assert [entity["name"] for entity in call("get_overview")["waiting"]["next_actions"]] == ["Visa"]
    call("resolve_blocker", blocker="licence", by=person("Ana"))
    clock.pass_by(hours=1)

    assert steps(call) == {"blockers": [], "actions": ["Visa"], "due": ["Visa"], "coming": []}
    call("record_fact", **fact(visa, "resolved_by", person("Ana")))

    assert steps(call) == {"blockers": [], "actions": [], "due": [], "coming": []}
    assert call("weekly_rollup")["next_actions"] == []


def test_next_steps_of_a_project_are_those_of_its_members(call):
    call(
        "record_facts",
        facts=[
            fact(project("Atlas"), "blocked_by", literal("licence")),
            fact(project("Boreas"), "blocked_by", literal("money")),
            fact(task("Pay"), "part_of", project("Atlas")),
            fact(task("Sail"), "part_of", project("Boreas")),
        ],
    )

    assert tuple(steps(call, project="Atlas")[kind] for kind in ("blockers", "actions")) == (["Atlas"], ["Pay"])


def test_texts_that_propose_something_wait_for_an_answer(call, run):
    call("remember", text="Priya Raman reports to Ada Lovelace. We met in Lisbon.")
    waiting = call("list_next_steps")["totals"]["proposals"]

    assert waiting > 0
    assert f"{waiting} proposals from texts" in run("next").output
    assert waiting == call("list_kind", kind="proposals")["sections"][0]["total"]


def test_a_project_that_is_not_known_has_no_next_steps(call, run):
    call("record_fact", **fact(project("Atlas"), "blocked_by", literal("licence")))

    assert call("list_next_steps", project="Zeppelin")["blockers"] == []
    assert call("list_next_steps", project=" ")["error"] == "PROJECT_REQUIRED"
    assert call("list_next_steps", project="")["error"] == "PROJECT_REQUIRED"
    assert (run("next", "Zeppelin").exit_code, run("next", "Atlas").exit_code) == (3, 0)


def test_where_nothing_is_open_it_says_so(call, run):
    assert run("next").output == "Nothing is open.\n"


# Decisions of all projects, and by topic

DECISIONS = {
    "Use Okta for authentication": "Atlas",
    "Store invoices in PostgreSQL": "Atlas",
    "Rent an office in Lisbon": "Boreas",
    "Freeze the interface until June": "Boreas",
}


@pytest.fixture
def decided(call: Caller, clock) -> Caller:
    for name, of_project in DECISIONS.items():
        call("record_fact", **fact(decision(name), "belongs_to", project(of_project)))
        clock.pass_by(days=1)
    call("record_fact", **fact(person("Priya"), "decided_in", decision("Rent an office in Lisbon")))
    call("record_fact", **fact(decision("Store invoices in PostgreSQL"), "tagged", literal("storage")))
    call("add_alias", entity=decision("Freeze the interface until June"), alias="API freeze")
    return call


def recalled(call: Caller, **arguments: str) -> list[str]:
    return [each["name"] for each in call("recall_decisions", **arguments)["decisions"]]


def test_without_a_project_the_decisions_of_all_come_with_their_projects(decided):
    answer = decided("recall_decisions")

    assert list(reversed(DECISIONS)) == [each["name"] for each in answer["decisions"]]
    assert [[each] for each in reversed(DECISIONS.values())] == [each["projects"] for each in answer["decisions"]]
    assert (answer["project"], answer["resolution"], answer["total"]) == (None, None, 4)


def test_with_a_project_only_its_decisions_come_and_say_no_project(decided):
    answer = decided("recall_decisions", project="Atlas")

    assert [each["name"] for each in answer["decisions"]] == [
        "Store invoices in PostgreSQL",
        "Use Okta for authentication",
    ]
    assert [each for each in answer["decisions"] if "projects" in each] == []


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("auth", ["Use Okta for authentication"]),
        ("Authentication", ["Use Okta for authentication"]),
        ("invoices", ["Store invoices in PostgreSQL"]),
        ("the invoice", ["Store invoices in PostgreSQL"]),
        ("storage", ["Store invoices in PostgreSQL"]),
        ("API freeze", ["Freeze the interface until June"]),
        ("Priya", ["Rent an office in Lisbon"]),
        ("Boreas", ["Freeze the interface until June", "Rent an office in Lisbon"]),
        ("okta invoices", ["Store invoices in PostgreSQL", "Use Okta for authentication"]),
        ("zebra", []),
        ("—", []),
    ],
)
def test_a_topic_is_in_the_words_of_a_decision_or_of_what_it_is_connected_with(decided, monkeypatch, topic, expected):
    monkeypatch.setattr("keepgraph.engine.knowledge.decisions._by_meaning", lambda *_: set())

    assert expected == recalled(decided, topic=topic)


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("billing", ["Store invoices in PostgreSQL"]),
        ("password security", ["Use Okta for authentication"]),
        ("Portugal", ["Rent an office in Lisbon"]),
        ("cooking", []),
    ],
)
def test_a_topic_is_found_by_its_meaning_too(decided, topic, expected):
    pytest.importorskip("numpy")
    if not decided("get_status")["resolution"]["embedding"].startswith("on"):
        pytest.skip("there is no model")

    assert expected == recalled(decided, topic=topic)


def test_decisions_are_bounded_by_days_both_included(decided):
    days = [(NOON.date() + timedelta(days=number)).isoformat() for number in range(4)]

    assert list(DECISIONS)[1:3] == recalled(decided, since=days[1], until=days[2])[::-1]
    assert list(DECISIONS)[:1] == recalled(decided, until=days[0])
    assert recalled(decided, since=days[2], until=days[1]) == []
    assert list(DECISIONS)[1:2] == recalled(decided, project="Atlas", since=days[1])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"until": "March"}, "MOMENT_INVALID"),
        ({"until": "2026-02-30"}, "MOMENT_INVALID"),
        ({"until": 20260501}, "MOMENT_INVALID"),
        ({"since": "last week"}, "SINCE_INVALID"),
        ({"project": ""}, "PROJECT_REQUIRED"),
        ({"project": "  "}, "PROJECT_REQUIRED"),
        ({"topic": "x" * 201}, "INVALID_ARGUMENTS"),
        ({"topic": 7}, "INVALID_ARGUMENTS"),
    ],
)
def test_a_bad_request_for_decisions_is_refused(decided, arguments, code):
    assert code == decided("recall_decisions", **arguments)["error"]


def test_decisions_look_back_by_topic_too(decided):
    early = NOON.date().isoformat()

    assert recalled(decided, known_at=early) == ["Use Okta for authentication"]
    assert recalled(decided, topic="office", known_at=early) == []


def test_the_command_lists_decisions_by_topic_and_says_how_to(decided, run):
    assert "All projects  4 decisions" in run("decisions").output
    assert "1 decision about okta" in run("decisions", "--about", "okta").output
    assert "kg decisions --about okta" in run("decisions", "okta").output
    assert run("decisions", "okta").exit_code == 3


# Dates in words


def test_a_date_in_words_is_shown_as_it_was_understood_and_recorded_so(run):
    yesterday = date.today() - timedelta(days=1)
    result = run("record", "person:Ana", "works_at", "Acme", "--from", in_words(yesterday))

    assert f"--from {in_words(yesterday)}: {yesterday}" in result.output
    assert f"from {yesterday}" in run("recall", "Ana").output


def test_a_date_in_iso_8601_is_not_explained(run):
    assert "--from" not in run("record", "person:Ana", "works_at", "Acme", "--from", "2020-03-01").output


def test_a_span_begins_with_its_first_day_and_ends_with_its_last(run):
    run("record", "person:Ana", "works_at", "Acme", "--from", "March 2020", "--to", "June 2021")
    line = run("recall", "Ana", "--as-of", "May 2021").output
    before = run("recall", "Ana", "--as-of", "February 2020").output

    assert "from 2020-03-01, until 2021-06-30)" in line
    assert "works_at →" not in before
    assert "  from 2020-03-01 until 2021-06-30: works_at Acme" in before


@pytest.mark.parametrize(
    "words",
    [
        ("record", "person:Ana", "works_at", "Acme", "--from"),
        ("record", "person:Ana", "works_at", "Acme", "--to"),
        ("recall", "Ana", "--as-of"),
        ("recall", "Ana", "--known-at"),
        ("decisions", "--since"),
        ("decisions", "--until"),
        ("week", "--as-of"),
        ("remember", "A note", "--at"),
        ("search", "Ana", "--as-of"),
        ("query", "RETURN 1", "--as-of"),
        ("query", "RETURN 1", "--known-at"),
        ("end", "Ana", "works_at", "--on"),
        ("resolve", "licence", "--on"),
    ],
)
@pytest.mark.parametrize("text", ["banana", "03/04/2026", "irgendwann", "2026-02-30"])
def test_a_date_that_is_not_understood_is_refused_with_its_option_and_examples(run, words, text):
    result = run(*words, text)

    assert f"{words[-1]}: " in result.output
    assert "last Monday" in result.output
    assert result.exit_code == 1


def test_days_are_those_of_the_time_zone_of_the_graph(run, path, monkeypatch):
    path.with_suffix(".toml").write_text('zone = "Pacific/Kiritimati"\n')
    early = json.loads(
        run("--json", "record", "person:Ana", "works_at", "Acme", "--from", "yesterday")
        .output_bytes.decode()
        .partition("{")[2]
        .join(["{", ""])
    )

    assert early["valid_from"].endswith("+14:00")


# Types only where they are needed


@pytest.fixture
def known(run: Kg, path: Path, fill_once: FillOnce) -> Kg:
    def fill() -> None:
        run("record", "person:Ana Ruiz", "works_on", "project:Atlas")
        run("record", "person:Mercury", "knows", "person:Ana Ruiz")
        run("record", "project:Mercury", "tagged", "=active")

    fill_once(path, fill)
    return run


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("Atlas", "tagged", "=new"), "Atlas tagged “new”"),
        (("Atlas", "tagged", "slow"), "Atlas tagged “slow”"),
        (("Atlas", "depends_on", "redis"), "Atlas depends_on “redis”"),
        (("Atlas", "blocked_by", "Legal"), "Atlas blocked_by “Legal”"),
        (("Atlas", "tagged", "2027-Q1"), "Atlas tagged “2027-Q1”"),
        (("Atlas", "depends_on", "ana ruiz"), "Atlas depends_on Ana Ruiz"),
        (("Atlas", "blocked_by", "waiting for the licence"), "Atlas blocked_by “waiting for the licence”"),
        (("Atlas", "depends_on", "Ana Ruiz"), "Atlas depends_on Ana Ruiz"),
        (("Zoe", "works_at", "Acme"), "Zoe works_at Acme"),
        (("Ana Ruiz", "knows", "bob the builder"), "Ana Ruiz knows bob the builder"),
        (("Mercury", "works_at", "Acme"), "Mercury works_at Acme"),
    ],
)
def test_a_type_need_not_be_said_where_it_is_known(known, words, sentence):
    result = known("record", *words)

    assert f"Recorded: {sentence}\n" in result.output


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("Bob", "works_on", "Atlas"),
            "`kg --db {db} record person:Bob works_on Atlas` (types that fit: person, organisation)",
        ),
        (("Atlas", "depends_on", "Ana"), 'record Atlas depends_on "person:Ana Ruiz"`'),
        (("Atlas", "depends_on", "Ana"), "For a text: `kg --db {db} record Atlas depends_on =Ana`"),
        (("Ana", "works_on", "Atlas"), "there is a person called “Ana Ruiz”"),
        (("Ana", "works_on", "Atlas"), 'record "person:Ana Ruiz" works_on Atlas`'),
        (("Zoe", "tagged", "new"), "`kg --db {db} record concept:Zoe tagged new` (types that fit:"),
    ],
)
def test_where_a_type_cannot_be_told_the_line_to_type_is_shown(known, path, words, line):
    result = known("record", *words)

    assert line.format(db=path) in result.output
    assert "ENTITY_TYPE_UNKNOWN" in result.output


def test_an_unknown_word_is_a_text_without_loading_a_model(known, monkeypatch):
    monkeypatch.setattr(embedder, "embed", lambda *texts, **options: pytest.fail("a text was embedded"))
    recorded = known("record", "Atlas", "tagged", "urgent")
    refused = known("record", "Zoe", "tagged", "urgent")

    assert "Recorded: Atlas tagged “urgent”\n" in recorded.output
    assert "ENTITY_TYPE_UNKNOWN" in refused.output


def test_a_name_that_became_a_text_is_shown_with_the_line_for_an_entity(known):
    assert (
        "“Legal” is a text; to name an entity: kg record Atlas blocked_by TYPE:Legal"
        in known("record", "Atlas", "blocked_by", "Legal").output
    )


def test_a_name_of_several_entities_is_refused(known):
    result = known("record", "Mercury", "tagged", "=slow")

    assert "AMBIGUOUS" in result.output


# Adding


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["person:Zoe"], "Added: Zoe  (person)"),
        (["person:Zoe", "Miller"], "Added: Zoe Miller  (person)"),
        (["project", "Boreas"], "Added: Boreas  (project)"),
        (["person", "Zoe", "Miller"], "Added: Zoe Miller  (person)"),
        (["entity", "person:Zoe"], "Added: Zoe  (person)"),
        (["person:Ana Ruiz"], "Known already: Ana Ruiz  (person)"),
        (["person:Zoe", "project:Boreas"], "Added: Zoe  (person)\nAdded: Boreas  (project)\n"),
        (["person:Zoe", "person:Ana Ruiz", "project:Boreas"], "Added: Zoe  (person)\nKnown already: Ana Ruiz"),
        (["person:Zoe", "https://example.org/x"], "Remembered: person:Zoe https"),
        (["Zoe", "works_at", "Acme"], "Recorded: Zoe works_at Acme"),
        (["fact", "Zoe", "works_at", "Acme"], "Recorded: Zoe works_at Acme"),
        (["Ana called: the licence comes on Friday."], "Remembered: Ana called"),
        (["Buy", "some", "milk"], "Remembered: Buy some milk"),
        (["note", "person:Zoe is new"], "Remembered: person:Zoe is new"),
        (["meeting", "with", "Ana", "on", "Friday"], "Remembered: meeting with Ana on Friday"),
        (["https://example.org/x"], "Remembered: https://example.org/x"),
    ],
)
def test_what_is_added_is_told_by_the_form_of_the_words(known, words, shown):
    result = known("add", *words)

    assert result.output.startswith(shown)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([""], "EPISODE_INVALID"),
        (["person:"], "SUBJECT_REQUIRED"),
        (["person:Zoe", "person:"], "SUBJECT_REQUIRED"),
        (["Ana", "works_onn", "Atlas"], "PREDICATE_UNKNOWN"),
        (["Ana", "worksonn", "Atlas"], "PREDICATE_UNKNOWN"),
        (["person:Ana", "xyz", "Atlas"], "PREDICATE_UNKNOWN"),
        (["Nobody", "works_on", "Nothing"], "ENTITY_TYPE_UNKNOWN"),
    ],
)
def test_what_cannot_be_added_is_refused(known, words, code):
    before = known("export", "-").output
    result = known("add", *words)

    assert code in result.output
    assert before == known("export", "-").output


def test_an_entity_alone_is_undone_and_near_names_are_shown(call):
    before = call("list_kind", kind="everything")
    added = call("add_entity", entity=person("Priya"))
    again = call("add_entity", entity=person("priya"))
    near = call("add_entity", entity=person("Priyaa"))

    assert (added["created"], again["created"]) == (True, False)
    assert added["entity"] == again["entity"]
    assert [each["name"] for each in near["possible_duplicates"]] == ["Priya"]

    call("undo", call=near["call"])
    call("undo", call=added["call"])

    assert before == call("list_kind", kind="everything")


@pytest.mark.parametrize(
    ("entity", "code"),
    [
        ({}, "SUBJECT_REQUIRED"),
        ({"name": "Priya"}, "ENTITY_TYPE_UNKNOWN"),
        ({"type": "frob", "name": "Priya"}, "ENTITY_TYPE_UNKNOWN"),
        ({"type": "person", "name": " "}, "SUBJECT_REQUIRED"),
        ({"type": "person", "name": "x" * 201}, "SUBJECT_REQUIRED"),
        ({"id": "ent_x"}, "SUBJECT_REQUIRED"),
        ("Priya", "SUBJECT_REQUIRED"),
    ],
)
def test_an_entity_that_is_not_one_is_refused(call, entity, code):
    assert code == call("add_entity", entity=entity)["error"]


def test_what_is_due_is_in_the_week_and_beside_what_it_belongs_to(call, run):
    call(
        "record_facts",
        facts=[
            fact(task("Send the invoice"), "due_on", day(-4)),
            fact(task("Send the invoice"), "part_of", project("Harbour")),
            fact(task("Book the ferry"), "due_on", day(5)),
            fact(task("Paint the boat"), "tagged", literal("summer")),
        ],
    )
    week = call("weekly_rollup")

    assert week["next_actions"] == [
        f"Overdue since {day(-4)['literal']}: “Send the invoice”",
        f"Due {day(5)['literal']}: “Book the ferry”",
        "Finish the task “Paint the boat”",
    ]
    assert week["totals"]["next_actions"] == 3
    assert call("weekly_rollup", project="Harbour")["next_actions"] == week["next_actions"][:1]
    assert call("recall_entity", name_or_alias="Harbour", detail="brief")["due"] == week["next_actions"][:1]
    assert call("recall_entity", name_or_alias="Book the ferry")["due"] == week["next_actions"][1:2]
    assert "Overdue since" in run("week").output
    assert "Overdue since" in run("recall", "Harbour").output


def test_what_is_done_is_due_nowhere(call):
    call("record_fact", **fact(task("Pay"), "due_on", day(-1)))
    call("record_fact", **fact(task("Pay"), "status", literal("paid and done")))
    call("record_fact", **fact(task("Pay"), "status", literal("done")))

    assert call("weekly_rollup")["next_actions"] == []
    assert "due" not in call("recall_entity", name_or_alias="Pay")


def test_the_week_says_what_waits_for_a_decision(call, run):
    before = call("weekly_rollup")
    call("remember", text="Priya Raman reports to Ada Lovelace. We met in Lisbon.")
    waiting = call("weekly_rollup", detail="brief")["to_review"]

    assert "to_review" not in before
    assert waiting["total"] == call("list_next_steps")["totals"]["proposals"]
    assert any("Priya Raman" in statement for statement in waiting["first"])
    assert "kg review" in run("week").output
    assert "to_review" not in call("weekly_rollup", as_of="2026-05-01")
