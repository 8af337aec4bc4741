"""The `kg` command, as a person and as a script use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fork_server
from keepgraph import errors
from keepgraph.cli.root import kg
from keepgraph.store.database import Database
from keepgraph.tools.contract import catalogue, dispatch
from words import Kg

ADOPT = "decision:Adopt SQLite"


def test_what_is_recorded_is_recalled_by_a_mistyped_name(run: Kg) -> None:
    run("record", "person:Priya", "decided_in", ADOPT, "--source", "standup")
    result = run("recall", "Pirya")

    assert result.exit_code == 0
    assert "Priya  person  (fuzzy match for “Pirya”" in result.output
    assert "decided_in → Adopt SQLite" in result.output
    assert "standup" in result.output


def test_a_literal_is_written_with_an_equals_sign(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    answer = json.loads(run("--json", "recall", "Atlas").output)

    assert [fact["object"] for fact in answer["facts"]] == [{"literal": "active"}]


def test_a_name_with_blanks_needs_no_quotes_to_be_recalled(run: Kg) -> None:
    run("record", "person:Priya Sharma", "tagged", "=lead")
    result = run("recall", "priya", "sharma")

    assert result.exit_code == 0


def test_recording_again_says_since_when_it_is_known(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    result = run("record", "project:atlas", "tagged", "=active")

    assert result.output.startswith("Nothing changed; known since ")


def test_aliases_dates_and_confidence_reach_the_fact(run: Kg) -> None:
    run(
        *("record", "person:Robert", "belongs_to", "project:Atlas"),
        *("--alias", "Bob", "--alias", "Bobby", "--confidence", "0.5", "--from", "2026-01-01"),
    )
    answer = json.loads(run("--json", "recall", "Bobby").output)

    assert answer["entity"]["aliases"] == ["Bob", "Bobby"]
    assert answer["resolution"]["method"] == "alias"
    assert answer["facts"][0]["confidence"] == 0.5
    assert answer["facts"][0]["valid_from"] is not None


def test_a_possible_duplicate_is_pointed_out(run: Kg) -> None:
    run("record", "person:Sarah", "tagged", "=lead")
    result = run("record", "person:Sara", "tagged", "=lead")

    assert "“Sara” may be the person “Sarah”" in result.output


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("recall", "Nobody"), 3, "Nothing called “Nobody” is known"),
        (("decisions", "Atlantis"), 3, "No project called “Atlantis” is known"),
        (("week", "Atlantis"), 3, "No project called “Atlantis” is known"),
        (("record", "person:Priya", "decids_in", "=x"), 1, "Did you mean decided_in?"),
        (("record", "Priya", "tagged", "=x"), 1, "has no type"),
        (("record", "Priya", "tagged", "x"), 1, "record concept:Priya tagged x`"),
        (("record", "frob:Login", "tagged", "=x"), 1, "ENTITY_TYPE_UNKNOWN"),
        (("record", "person:Priya", "tagged", "=x", "--confidence", "7"), 1, "CONFIDENCE_OUT_OF_RANGE"),
        (("record", "person:Priya", "tagged", "=x", "--confidence", "nan"), 1, "CONFIDENCE_OUT_OF_RANGE"),
        (("record", "person:Priya", "tagged", "=x", "--from", "soon"), 1, "VALIDITY_INVALID"),
        (("record", "person:Priya", "tagged", "=" + "x" * 1001), 1, "OBJECT_REQUIRED"),
        (("record", "person: ", "tagged", "=x"), 1, "SUBJECT_REQUIRED"),
        (("decisions", "Atlas", "--since", "lately"), 1, "SINCE_INVALID"),
        (("tool", "call", "recal_entity"), 1, "UNKNOWN_TOOL"),
        (("tool", "call", "recall_entity", "--json", "{"), 1, "INVALID_ARGUMENTS"),
        (("tool", "call", "recall_entity", "--json", "[]"), 1, "INVALID_ARGUMENTS"),
        (("tool", "call", "recall_entity", "--json", ""), 1, "INVALID_ARGUMENTS"),
        (("tool", "call", "recall_entity", "[]"), 1, "INVALID_ARGUMENTS"),
        (("tool", "call", "recall_entity", "{}", "--json", "{}"), 1, "given twice"),
        (("tool", "call", "recall_entity", "--json", "@/no/such/file"), 1, "INVALID_ARGUMENTS"),
        (("export", "/no/such/folder/file"), 1, "No such file"),
        (("recal", "Priya"), 2, "Did you mean “recall”?"),
        (("serve", "--toolsets", "memoir"), 2, "there is no toolset 'memoir'"),
        (("serve", "--toolsets", "internal"), 2, "there is no toolset 'internal'"),
        (("import", "/no/such/file"), 2, "does not exist"),
    ],
)
def test_what_went_wrong_is_said_and_has_an_exit_code(run: Kg, words: tuple[str, ...], code: int, said: str) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    result = run(*words)

    assert (result.exit_code, said in result.output) == (code, True), result.output


def test_reading_a_graph_that_is_not_there_says_so_and_makes_none(run: Kg, path: Path) -> None:
    result = run("recall", "Priya")

    assert result.exit_code == 1
    assert "GRAPH_NOT_FOUND" in result.output
    assert not path.exists()


def test_a_slip_on_the_command_line_makes_no_file(run: Kg, path: Path) -> None:
    run("record", "person:Priya", "decided_in", " ")

    assert not path.exists()


def test_with_json_an_error_is_the_envelope(run: Kg) -> None:
    result = run("--json", "record", "person:Priya", "decids_in", "=x")

    envelope = json.loads(result.output)
    assert envelope["error"] == "PREDICATE_UNKNOWN"
    assert envelope["candidates"] == ["decided_in"]
    assert envelope["hint"]
    assert envelope["example"]


def test_stored_text_cannot_steer_the_terminal(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=\x1b]0;pwned\x07\x1b[2J", "--source", "\x1b[31m")
    result = run("recall", "Atlas")

    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_an_import_reports_what_was_added_known_and_refused(run: Kg, tmp_path: Path) -> None:
    good = {"subject": {"type": "person", "name": "Priya"}, "predicate": "tagged", "object": {"literal": "lead"}}
    lines = [json.dumps(good), "", "{not json", json.dumps(good), json.dumps({**good, "predicate": "frobs"}), "[]", "3"]
    file = tmp_path / "facts.jsonl"
    file.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    result = run("--json", "import", str(file))

    report = json.loads(result.output)
    assert result.exit_code == 1
    assert (report["lines"], report["added"], report["merged"]) == (6, 1, 1)
    assert [(refusal["line"], refusal["error"]) for refusal in report["refused"]] == [
        (3, "INVALID_ARGUMENTS"),
        (6, "INVALID_ARGUMENTS"),
        (7, "INVALID_ARGUMENTS"),
    ]
    assert report["waiting"] == 1


def test_a_strict_import_stops_at_the_first_bad_line(run: Kg) -> None:
    def line(tag: str, predicate: str = "tagged") -> str:
        return json.dumps(
            {"subject": {"type": "project", "name": "Atlas"}, "predicate": predicate, "object": {"literal": tag}}
        )

    result = run("--json", "import", "--strict", "-", input="\n".join([line("a"), line("b", "frobs"), line("c")]))

    report = json.loads(result.output)
    assert (report["added"], [refusal["line"] for refusal in report["refused"]], report["stopped"]) == (1, [2], True)
    assert [fact["object"]["literal"] for fact in json.loads(run("--json", "recall", "Atlas").output)["facts"]] == ["a"]


def test_an_export_gives_the_same_graph_when_imported(run: Kg, tmp_path: Path) -> None:
    run("record", "person:João", "decided_in", ADOPT, "--alias", "Jo", "--from", "2026-01-01", "--to", "2026-02-01")
    run("record", "person:João", "decided_in", ADOPT, "--from", "2026-01-01", "--to", "2026-02-01", "--source", "mail")
    run("record", "project:Atlas", "tagged", "=naïve „quotes“ \\ and \n lines", "--confidence", "0.25")
    first = run("export").output
    other = tmp_path / "other.db"
    CliRunner().invoke(kg, ["--db", str(other), "import", "-"], input=first)
    second = CliRunner().invoke(kg, ["--db", str(other), "export"]).output

    assert first
    assert second == first


def test_status_tells_where_the_graph_is(run: Kg, path: Path) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    result = run("status")

    assert str(path) in result.output
    assert "facts: 1" in result.output


def test_every_tool_is_listed_and_can_be_called(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    listed = json.loads(run("--json", "tool", "list").output)
    called = json.loads(run("tool", "call", "recall_entity", '{"name_or_alias": "atlas"}').output)

    assert {tool["name"] for tool in listed} >= {"recall_entity", "record_fact", "get_status"}
    assert called["entity"]["name"] == "Atlas"


def test_a_tool_for_our_own_interfaces_can_be_called_and_is_not_listed(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")
    listed = json.loads(run("--json", "tool", "list").output)
    called = json.loads(run("tool", "call", "list_calls", "--json", '{"limit": 5}').output)
    unknown = json.loads(run("tool", "call", "list_call").output)

    assert [call["tool"] for call in called["calls"]] == ["record_fact"]
    assert not {tool["toolset"] for tool in listed} & set(catalogue.INTERNAL_TOOLSETS)
    assert not set(unknown.get("candidates", ())) & {tool.name for tool in catalogue.tools(catalogue.INTERNAL_TOOLSETS)}


@pytest.mark.parametrize(
    ("words", "index", "expected"),
    [
        ("kg rec", 1, {"record", "recall"}),
        ("kg recall Pri", 2, {"Priya"}),
        ("kg recall person:Pr", 2, {"person:Priya"}),
        ("kg record per", 2, {"person:"}),
        ("kg record person:Priya dec", 3, {"decided_in"}),
        ("kg decisions At", 2, {"Atlas"}),
        ("kg tool call recall_", 3, {"recall_entity", "recall_decisions", "recall_for"}),
    ],
)
def test_the_shell_completes_commands_words_and_names(
    run: Kg, path: Path, words: str, index: int, expected: set[str]
) -> None:
    run("record", "person:Priya", "belongs_to", "project:Atlas")
    asked = {"_KG_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(index), "KG_DB": str(path)}
    done = subprocess.run(
        [*fork_server.python(), "-m", "keepgraph.cli"], env={**os.environ, **asked}, capture_output=True, text=True
    )

    assert {line.partition(",")[2] for line in done.stdout.split()} == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(run: Kg, shell: str) -> None:
    assert "_KG_COMPLETE" in run("completion", shell).output


DEMO_ANSWERS = [
    "Giulia Stancich  person  (fuzzy match for “Giulia Fero”",
    "also called Giulia Ferro",
    "Use the harbour song over the credits, Nora Whitcombe",
    "It rained on both evenings last year",
    "works_at → Nordisk Distribution",
    "The parish hall wants 180 euros an evening",
    "Projector Room blocked_by the electrician's certificate",
    "Took back call",
    "Store a text as a partition into chunks",
]


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_demo_answers_each_question_by_every_door_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], times: int
) -> None:
    monkeypatch.setenv("KG_DB", str(tmp_path / "own.db"))

    def said() -> str:
        kg.main(["demo", "--into", str(tmp_path / "demo.db")], prog_name="kg", standalone_mode=False)
        return capfd.readouterr().out

    tours = [said() for _ in range(times)]

    assert "39 people, 5 projects, 60 decisions, 100 notes" in tours[0]
    for tour in tours:
        for answer in DEMO_ANSWERS:
            assert answer in tour
        for miss in ("Nothing called", "Nothing was found", "error:"):
            assert miss not in tour
    assert not (tmp_path / "own.db").exists()


def test_where_nothing_clearly_answers_the_closest_are_shown_and_nothing_counts_as_found(run: Kg) -> None:
    for text in ("The soup was cold again.", "We paint the fence on Monday.", "The bus leaves at nine."):
        run("remember", text)
    question = "which hotel has soup and a swimming pool near Lisbon airport"
    unanswered, as_json = run("search", question), json.loads(run("search", question, "--json").output)

    assert (unanswered.exit_code, as_json["episodes"]) == (3, [])
    assert unanswered.output.startswith(f"Nothing clearly answers “{question}”. The closest")
    assert "The soup was cold again." in unanswered.output


@pytest.mark.parametrize(("command", "tools"), [("recall", "memory"), ("show", "connections")])
def test_what_is_slow_is_not_imported_to_look_at_an_entity(path: Path, run: Kg, command: str, tools: str) -> None:
    run("record", "person:Priya", "tagged", "=lead")
    code = (
        "import sys; from keepgraph.cli import main\ntry: main()\nfinally: print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--db", str(path), command, "Priya"], capture_output=True, text=True
    )

    loaded = set(done.stderr.split())
    assert f"keepgraph.tools.{tools}" in loaded
    assert not loaded & {"mcp", "jsonschema", "rapidfuzz", "platformdirs", "rich", "numpy", "pydantic", "asyncio"}


def test_a_terminal_that_lacks_a_letter_shows_the_rest(path: Path, run: Kg) -> None:
    run("record", "person:Žofie", "tagged", "=lead")
    done = subprocess.run(
        [sys.executable, "-m", "keepgraph.cli", "--db", str(path), "recall", "Žofie"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
        capture_output=True,
    )

    assert done.returncode == 0
    assert b"?ofie  person" in done.stdout


def in_shell(path: Path, command: str) -> subprocess.CompletedProcess[str]:
    line = f'"{sys.executable}" -m keepgraph.cli --db "{path}" {command}'
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True)


@pytest.mark.parametrize("closed", ["<&-", "<&- >&-"])
def test_a_command_runs_without_standard_streams(path: Path, run: Kg, closed: str) -> None:
    done = in_shell(path, f"record person:Priya tagged =lead {closed}")

    assert (done.returncode, done.stderr) == (0, "")
    assert "lead" in run("recall", "Priya").output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_answer_that_cannot_be_written_does_not_say_that_nothing_was_changed(path: Path, run: Kg) -> None:
    done = in_shell(path, "record person:Priya tagged =lead > /dev/full")

    assert done.returncode == 1
    assert "the output: the disk is full" in done.stderr
    assert "Nothing was changed" not in done.stderr
    assert "lead" in run("recall", "Priya").output


def test_an_export_over_the_graph_itself_is_refused(run: Kg, path: Path, tmp_path: Path) -> None:
    run("record", "person:Priya", "tagged", "=lead")
    link = tmp_path / "link.db"
    link.symlink_to(path)
    refusals = [run("export", str(target)).output for target in (path, link, f"{path}-wal")]

    assert all("is the graph itself" in said for said in refusals)
    assert "facts: 1" in run("status").output


def test_an_export_is_for_its_owner_alone_and_leaves_no_parts(run: Kg, tmp_path: Path) -> None:
    run("record", "person:Priya", "tagged", "=lead")
    target = tmp_path / "out" / "facts.jsonl"
    target.parent.mkdir()
    run("export", str(target))

    assert target.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in target.parent.iterdir()] == ["facts.jsonl"]


def test_a_pipe_is_written_to_and_not_replaced(run: Kg, tmp_path: Path) -> None:
    run("record", "person:Priya", "tagged", "=lead")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        run("export", str(pipe))
        said = reader.communicate()[0]
    header, priya, lead = map(json.loads, said.splitlines())

    assert header == {"keepgraph": "graph", "format": 1}
    assert (priya["name"], lead["text"]) == ("Priya", "Priya tagged lead")
    assert pipe.is_fifo()


def test_a_line_that_no_call_would_take_does_not_stop_the_rest(run: Kg, tmp_path: Path) -> None:
    def line(name: str) -> str:
        said = {"subject": {"type": "person", "name": name}, "predicate": "tagged", "object": {"literal": "x"}}
        return json.dumps(said)

    file = tmp_path / "facts.jsonl"
    deep = '{"subject": ' + "[" * 300 + "]" * 300 + "}"
    file.write_text("\n".join([line("Ada"), deep, line("x" * 9_000_000), line("Grace")]), encoding="utf-8")
    report = json.loads(run("--json", "import", str(file)).output)

    assert (report["lines"], report["added"]) == (4, 2)
    assert [refusal["line"] for refusal in report["refused"]] == [2, 3]


def test_an_import_keeps_the_order_in_which_things_were_said(run: Kg, tmp_path: Path) -> None:
    """
    Blocked, resolved, and blocked again is open; it has to be so after an export and an import.
    """
    for words in (("blocked_by", "=tests"), ("resolved_by", "=tests"), ("blocked_by", "=tests")):
        run("record", "project:Atlas", *words)
    copy = tmp_path / "copy.db"
    CliRunner().invoke(kg, ["--db", str(copy), "import", "-"], input=run("export").output)
    week = json.loads(CliRunner().invoke(kg, ["--json", "--db", str(copy), "week"]).output)

    assert week["totals"]["blockers"] == 1


def test_an_import_that_runs_out_of_room_says_how_far_it_came(run: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = dispatch.call

    def full_the_second_time(database: Database, tool: str, *arguments: Any, **options: Any) -> Any:
        calls.append(tool)
        if calls.count("record_facts") > 1:
            raise errors.GraphWriteFailed("the disk is full")
        return real(database, tool, *arguments, **options)

    monkeypatch.setattr(dispatch, "call", full_the_second_time)
    lines = [
        json.dumps({"subject": {"type": "person", "name": "Ada"}, "predicate": "tagged", "object": {"literal": str(n)}})
        for n in range(600)
    ]
    result = run("import", "-", input="\n".join(lines))

    assert result.exit_code == 1
    assert "500 lines: 500 added" in result.output
    assert "The first 500 lines are imported" in result.output
    assert "Nothing was changed" not in result.output


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_for_the_graph_is_refused(name: str) -> None:
    assert "--db is empty" in CliRunner().invoke(kg, ["--db", name, "status"]).output


def test_a_week_of_blanks_is_the_week_of_all(run: Kg) -> None:
    run("record", "project:Atlas", "tagged", "=active")

    assert "across all projects" in run("week", " ").output


def test_a_link_that_leads_nowhere_yet_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real.db")
    result = CliRunner().invoke(kg, ["--db", str(link), "record", "person:Ada", "tagged", "=x"])

    assert result.exit_code == 0
    assert (tmp_path / "real.db").exists()


def test_the_help_of_serve_names_every_toolset(run):
    shown = {
        line.split()[0] for line in run("serve", "--help").output.splitlines() if line.startswith("  ") and line.strip()
    }

    assert shown >= set(catalogue.toolsets())
