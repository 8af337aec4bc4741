"""`kg rename`, `retype`, `set` and `edit`, as a person and as a script use them, and lines to type that are shown."""

from __future__ import annotations

import json
import os
import pty
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from keepgraph.cli.root import kg
from words import FillOnce, Kg


@pytest.fixture
def ask(run: Kg) -> Callable[..., Any]:
    """What a command answers to a program."""

    def call(*words: str) -> Any:
        return json.loads(run("--json", *words).output)

    return call


@pytest.fixture
def ana(run: Kg, path: Path, fill_once: FillOnce) -> None:
    def fill() -> None:
        run("record", "person:Ana", "reports_to", "person:Ben Moss", "--alias", "A. R.")

    fill_once(path, fill)


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path) -> Callable[..., Result]:
    """Runs `kg edit` with an editor that puts one text in the place of another, and notes what it was given."""
    private = tmp_path / "run"
    private.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private))
    monkeypatch.delenv("VISUAL", raising=False)

    def call(entity: str, *replacements: tuple[str, str], options: tuple[str, ...] = ()) -> Result:
        editor = tmp_path / "editor.py"
        editor.write_text(
            "import os, pathlib, shutil, sys\n"
            f"file, note = pathlib.Path(sys.argv[1]), pathlib.Path({str(tmp_path / 'given.toml')!r})\n"
            "shutil.copy(file, note)\n"
            "text = file.read_text(encoding='utf-8')\n"
            f"for old, new in {replacements!r}:\n"
            "    assert old in text, text\n"
            "    text = text.replace(old, new)\n"
            "(file.parent / 'entity.toml~').write_text('what an editor leaves')\n"
            "file.write_text(text, encoding='utf-8')\n",
            encoding="utf-8",
        )
        monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(editor))}")
        return CliRunner().invoke(kg, ["--db", str(path), *options, "edit", entity], prog_name="kg")

    return call


def leftovers(tmp_path: Path) -> list[Path]:
    return sorted(file for file in (tmp_path / "run").rglob("*") if file.is_file())


# rename, retype, set


def test_a_name_is_corrected_and_both_names_find_it(run, ana):
    result = run("rename", "ana", "Ana Ruiz")

    assert (result.exit_code, result.output) == (
        0,
        "Ana is now Ana Ruiz.\n  also called Ana\n  To take it back: kg undo 2\n",
    )
    assert run("recall", "Ana").output.startswith("Ana Ruiz  person")
    run("undo")
    assert run("recall", "Ana").output.startswith("Ana  person")


def test_a_wrong_name_may_be_forgotten(ask, ana):
    assert ask("rename", "Ana", "Anna", "--forget-old-name")["entity"]["aliases"] == ["A. R."]


def test_a_name_that_is_taken_is_answered_with_the_line_that_merges(run, ana):
    result = run("rename", "Ana", "ben moss")

    assert result.exit_code == 1
    assert "NAME_TAKEN" in result.output
    assert 'merge "person:Ben Moss" person:Ana`' in result.output


def test_an_unknown_name_is_answered_with_those_like_it(run, ana):
    result = run("rename", "Anna", "X")

    assert result.exit_code == 1
    assert result.output.endswith("perhaps person:Ana\n")


def test_a_type_is_corrected(run, ana):
    result = run("retype", "Ana", "Projects")

    assert result.output.startswith("Ana now has the type project instead of person.\n")
    assert run("recall", "project:Ana").exit_code == 0


def test_facts_that_do_not_fit_a_type_are_shown(run, ana):
    run("record", "person:Ana", "works_at", "organisation:Acme")
    result = run("retype", "Ana", "place")

    assert "  facts that do not fit the new type: 1\n    Ana works at Acme  (fact_" in result.output


def test_a_new_due_date_set_as_a_property_is_said_not_to_be_the_task_s(run):
    run("remind", "Send the contract")
    shown = run("set", "Send the contract", "due=2099-05-29").output
    line = next(line for line in shown.splitlines() if "to settle it" in line)
    run(*shlex.split(line.partition("kg ")[2]))

    assert "Recorded under due_on: nothing." in shown
    assert "due_on → “2099-05-29”" in run("recall", "Send the contract").output


def test_properties_that_are_set_are_shown_and_removed(run, ask, ana):
    result = run(
        "set", "person:Ana", "role=CTO", "age:=42", "tags:=[1, null]", "link=https://x.org/?a=b", "summary=Leads."
    )

    assert result.output == (
        "Changed Ana (person).\n  Leads.\n  age: 42\n  link: https://x.org/?a=b\n  role: CTO\n  tags: [1, null]\n"
        "  To take it back: kg undo 2\n"
    )
    assert ask("recall", "Ana")["entity"]["properties"] == {
        "age": 42,
        "link": "https://x.org/?a=b",
        "role": "CTO",
        "tags": [1, None],
    }
    assert "  Leads.\n  age: 42\n" in run("recall", "Ana").output
    assert "Properties\n  age   42\n" in run("show", "Ana").output
    run("set", "Ana", "age=", "link=", "tags=")
    assert ask("recall", "Ana")["entity"]["properties"] == {"role": "CTO"}


def test_a_name_of_several_words_needs_no_quotes(ask, ana):
    assert ask("set", "Ben", "Moss", "role=chair of it all")["entity"]["properties"] == {"role": "chair of it all"}


def test_name_and_type_can_be_set_too(ask, ana):
    answer = ask("set", "Ana", "name=Ana Ruiz", "type=concept", "summary=")

    assert (answer["entity"]["name"], answer["entity"]["type"]) == ("Ana Ruiz", "concept")


def test_what_is_so_already_changes_nothing_and_says_so(run, ana):
    run("set", "Ana", "role=CTO")
    result = run("set", "Ana", "role=CTO", "gone=")

    assert (result.exit_code, result.output) == (0, "Nothing changed: Ana (person) was already so.\n")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["role"], "nothing to set"),
        (["role", "=", "CTO"], "is not NAME=VALUE"),
        (["role=CTO", "mail"], "“mail” is not NAME=VALUE"),
        (["age:=forty"], "the value of age is not JSON"),
        (["id=x"], "is not a property but the id"),
        (["aliases=x"], "aliases are not a property"),
        (["type=nonsense"], "is not an entity type"),
    ],
)
def test_what_cannot_be_set_is_refused_with_what_to_write(run, ana, values, said):
    result = run("set", "Ana", *values)

    assert result.exit_code == 1
    assert said in result.output
    assert "hint:" in result.output


# edit


def test_an_entity_is_edited_as_a_text(ask, edit, tmp_path, ana):
    ask("set", "Ana", "role=CTO", "n:=1", "nothing:=[null]", "summary=Leads\nthe team.")
    result = edit(
        "Ana",
        ('name = "Ana"', 'name = "Ana Ruiz"'),
        ('"A. R."', '"Anita", "R."'),
        ("the team", "the teams"),
        ('role = "CTO"', "born = 1990-05-01"),
    )
    entity = ask("recall", "Ana Ruiz")["entity"]

    assert result.exit_code == 0, result.output
    assert sorted(entity["aliases"]) == ["Ana", "Anita", "R."]
    assert entity["summary"] == "Leads\nthe teams."
    assert entity["properties"] == {"born": "1990-05-01", "n": 1, "nothing": [None]}
    assert leftovers(tmp_path) == []
    assert list((tmp_path / "run").iterdir()) == []


def test_the_text_to_edit_is_readable(run, edit, tmp_path, ana):
    run("set", "Ana", "role=CTO", "summary=Leads.", "nothing:=[null]")
    edit("Ana")

    assert (tmp_path / "given.toml").read_text().splitlines()[2:] == [
        'name = "Ana"',
        'type = "person"',
        'aliases = ["A. R."]',
        'summary = "Leads."',
        "",
        "[properties]",
        "# nothing has a value TOML cannot hold; it stays as it is.",
        'role = "CTO"',
    ]
    assert stat.S_IMODE((tmp_path / "given.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize("replacements", [[], [("# Save", "# save")], [("\n", "\r\n")]])
def test_a_text_that_says_the_same_changes_nothing(run, edit, tmp_path, ana, replacements):
    before = run("log").output
    result = edit("Ana", *replacements)

    assert (result.exit_code, result.output) == (0, "Nothing changed.\n")
    assert run("log").output == before
    assert leftovers(tmp_path) == []


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "Ana"', "name = Ana", "is not TOML"),
        ('name = "Ana"\n', "", "the name is missing"),
        ('type = "person"', "type = 5", "the type is missing"),
        ('type = "person"', 'type = "nonsense"', "is not an entity type"),
        ('name = "Ana"', 'name = "Ben Moss"', "NAME_TAKEN"),
        ('aliases = ["A. R."]', "aliases = 5", "not a list of texts"),
        ('aliases = ["A. R."]', 'aliases = ["Ben Moss"]', "ALIAS_TAKEN"),
        ('summary = ""', "summary = 5", "not a text"),
        ('summary = ""', 'role = "CTO"', "'role' is not a field"),
        ("[properties]", "properties = 5", "not a table"),
        ("[properties]", "[properties]\nn = nan", "not finite"),
    ],
)
def test_a_text_that_is_not_accepted_is_kept_where_nobody_can_be_asked(run, edit, tmp_path, ana, old, new, said):
    before = run("export").output
    result = edit("Ana", (old, new))
    kept, *others = leftovers(tmp_path)

    assert result.exit_code == 1
    assert said in result.output
    assert f"Your text is kept in {kept}" in result.output
    assert new in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert all(other.parent == kept.parent for other in others)
    assert run("export").output == before


def test_an_editor_that_fails_changes_nothing(run, tmp_path, monkeypatch, edit, ana):
    edit("Ana")
    monkeypatch.setenv("EDITOR", "false")
    before = run("log").output
    result = run("edit", "Ana")

    assert result.exit_code == 1
    assert run("log").output == before
    assert leftovers(tmp_path) == []


def test_without_a_terminal_and_an_editor_nothing_is_opened(run, monkeypatch, ana):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)

    assert "there is no terminal for an editor" in run("edit", "Ana").output


def test_an_edited_entity_is_answered_in_json(edit, ana):
    result = edit("Ana", ('summary = ""', 'summary = "x"'), options=("--json",))

    assert json.loads(result.output)["changed"] == ["summary"]


def test_on_a_terminal_a_text_that_is_not_accepted_can_be_edited_again(run, tmp_path, path, ana):
    """
    The editor breaks the text the first time, and mends it the second time.
    """
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, sys\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "text = file.read_text()\n"
        "broken = 'summary = 5' in text\n"
        "file.write_text(text.replace('summary = 5', 'summary = \"mended\"') if broken\n"
        "                else text.replace('summary = \"\"', 'summary = 5'))\n"
    )
    main, other = pty.openpty()
    environment = {**os.environ, "EDITOR": f"{shlex.quote(sys.executable)} {shlex.quote(str(editor))}", "VISUAL": ""}
    command = [sys.executable, "-m", "keepgraph.cli", "--db", str(path), "edit", "Ana"]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=environment) as process:
        os.close(other)
        os.write(main, b"y\n")
        shown = b""
        while chunk := _read(main):
            shown += chunk
    os.close(main)

    assert process.returncode == 0, shown
    assert b"the summary is not a text" in shown
    assert "mended" in run("recall", "Ana").output


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end is closed
        return b""


# Texts

NOTE = "Kickoff of the quay\n\nWe meet on Tuesday with Ivo Marin."


@pytest.fixture
def note(run: Kg) -> str:
    run("remember", NOTE)
    return "Kickoff of the quay"


def content(run: Kg) -> str:
    return str(json.loads(run("tool", "call", "get_episodes").output)["episodes"][0]["content"])


@pytest.mark.parametrize(
    ("words", "after"),
    [
        (("Kickoff of the quay", "--replace", "Tuesday", "Thursday"), NOTE.replace("Tuesday", "Thursday")),
        (("Kickoff", "of", "the", "quay", "--replace", "Ivo Marin", ""), NOTE.replace("Ivo Marin", "")),
        (("the last note", "--text", "It is cancelled."), "It is cancelled."),
    ],
)
def test_a_note_is_corrected_by_its_words_and_undo_takes_it_back(run, note, words, after):
    done = run("edit", *words)

    assert done.exit_code == 0, done.output
    assert content(run) == after
    assert "kg undo" in done.output
    run("undo")
    assert content(run) == NOTE


def test_a_note_is_edited_in_the_editor(run, note, tmp_path, monkeypatch):
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, sys\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "file.write_text(file.read_text().replace('Tuesday', 'Friday') + '\\n')\n"
    )
    monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(editor))}")
    monkeypatch.delenv("VISUAL", raising=False)
    done = run("edit", note)

    assert done.exit_code == 0, done.output
    assert content(run) == NOTE.replace("Tuesday", "Friday")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("edit", "Kickoff of the quay", "--replace", "Sunday", "Monday"), "does not contain"),
        (("edit", "no such thing"), "no text has this title"),
        (("edit", "no such thing", "--replace", "a", "b"), "EPISODE_NOT_FOUND"),
        (("edit", "Kickoff of the quay", "--replace", "a", "b", "--text", "c"), "both given"),
    ],
)
def test_what_cannot_be_corrected_stays_and_the_error_says_why(run, note, words, said, monkeypatch):
    monkeypatch.setenv("EDITOR", "true")
    done = run(*words)

    assert done.exit_code == 1
    assert said in done.output
    assert content(run) == NOTE


def test_texts_of_some_days_are_listed_in_the_shell(run):
    for text, day in (("The yard called.", "2026-05-04"), ("Sanded the deck.", "2026-05-12")):
        run("remember", text, "--at", day)
    listed = run("search", "--newest").output

    assert listed.index("Sanded") < listed.index("The yard")
    assert "The yard" not in run("search", "--since", "2026-05-10").output
    assert run("search").exit_code == 1


# One first name


def ask_at_a_terminal(path: Path, answer: bytes, *words: str) -> bytes:
    main, other = pty.openpty()
    command = [sys.executable, "-m", "keepgraph.cli", "--db", str(path), *words]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other) as process:
        os.close(other)
        os.write(main, answer)
        shown = b""
        while chunk := _read(main):
            shown += chunk
    os.close(main)
    assert process.returncode == 0, shown
    return shown


@pytest.mark.parametrize(("answer", "people"), [(b"y\n", 1), (b"n\n", 2)])
def test_at_a_terminal_a_first_name_that_one_person_has_is_asked_about(run, path, answer, people):
    run("record", "person:Marta Lindqvist", "knows", "person:Ivo Marin")
    shown = ask_at_a_terminal(path, answer, "record", "Marta", "job_title", "=Engineer")
    people_named = [name for name in run("list", "people").output.splitlines() if "Marta" in name]

    assert "Marta Lindqvist”?".encode() in shown
    assert len(people_named) == people
    recalled = run("recall", "Marta Lindqvist").output
    assert ("job_title" in recalled) is (people == 1)


def test_a_program_is_told_how_to_merge_a_first_name_that_one_person_has(call):
    call.record({"type": "person", "name": "Marta Lindqvist"}, "knows", {"type": "person", "name": "Ivo Marin"})
    answer = call.record({"name": "Marta"}, "job_title", {"literal": "Engineer"})
    (near,) = answer["possible_duplicates"]
    call_in_hint = json.JSONDecoder().raw_decode(near["hint"], near["hint"].index("{"))[0]

    assert [entity["name"] for entity in answer["auto_created_entities"]] == ["Marta"]
    assert call("change", **call_in_hint)["entity"]["name"] == "Marta Lindqvist"
    assert call("recall_entity", name_or_alias="Marta")["entity"]["name"] == "Marta Lindqvist"
    assert "change" in near["hint"]


# Lines to type


def words_of_hint(line: str) -> list[str]:
    return shlex.split(line[line.index("kg merge") :])[1:]


def test_the_line_that_merges_two_names_works_as_it_is_shown(run, ana):
    """
    Names with spaces, quotes and dollars; the words of the line are those that a shell makes of it.
    """
    run("record", "person:Zed", "tagged", "=x")
    for name in ("Jon O'Neil $1", 'Jonathan "Jo" O\'Neil $1'):
        run("record", f"person:{name}", "tagged", "=x")
    hinted = run("record", "person:Jonathan O'Neil $1", "tagged", "=y").output
    lines = [line for line in hinted.splitlines() if "kg merge" in line]

    assert lines
    for line in lines[:1]:
        result = run(*words_of_hint(line), "--yes")
        assert result.exit_code == 0, (line, result.output)


def test_duplicates_are_shown_with_names_to_type(run):
    run("record", "person:Katherine Johnson", "tagged", "=x")
    run("record", "person:Kathrine Johnson", "tagged", "=x")
    (line,) = run("duplicates").output.splitlines()

    assert 'kg merge "person:Katherine Johnson" "person:Kathrine Johnson"' in line
    assert run(*words_of_hint(line), "--yes").exit_code == 0


def test_the_log_is_in_words(run, ana):
    run("rename", "Ana", "Ana Ruiz")
    run("remember", "Sam called about the licence.")
    run("undo")
    lines = [line.split(maxsplit=3)[3] for line in run("log").output.splitlines()]

    assert [" ".join(line.split()) for line in lines] == [
        "undo of call 3 (remember): “Sam called about the licence.”",
        "remember “Sam called about the licence.” taken back by 4",
        "update_entity Ana, now Ana Ruiz",
        "record_fact Ana reports to Ben Moss",
    ]
