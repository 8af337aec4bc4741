"""Profiles: named graphs, which one is meant, and the settings in a file that is never spoiled."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from fork_server import python
from homes import MARKER, error_code, files_with, open_elsewhere, read_files, run, run_ok
from keepgraph import errors
from keepgraph.profiles import keys, profile, settings_file

pytestmark = pytest.mark.usefixtures("ring")


@pytest.fixture
def data(home: Path) -> Path:
    return home / "data" / "keepgraph"


# Making them


def test_a_profile_is_a_graph_of_its_own(data):
    run_ok("profile", "create", "work")
    run_ok("--profile", "work", "record", "person:Ada", "tagged", "=x")
    run_ok("record", "person:Grace", "tagged", "=x")

    assert "Ada" in run_ok("--profile", "work", "export")
    assert "Ada" not in run_ok("export")
    assert sorted(file.name for file in data.glob("*.db")) == ["default.db", "work.db"]


def test_all_of_it_is_for_its_owner_alone(home):
    umask = os.umask(0)
    try:
        run_ok("profile", "create", "work", "--encrypted")
        run_ok("profile", "use", "work")
    finally:
        os.umask(umask)
    every = list(home.rglob("*"))

    assert {file.stat().st_mode & 0o777 for file in every if file.is_file()} == {0o600}
    assert {file.stat().st_mode & 0o777 for file in every if file.is_dir()} == {0o700}


def test_a_profile_is_made_once(home):
    run_ok("profile", "create", "work", "--encrypted")
    before = read_files(home)

    assert error_code(run("profile", "create", "work")) == "PROFILE_EXISTS"
    assert error_code(run("profile", "create", "work", "--encrypted")) == "PROFILE_EXISTS"
    assert read_files(home) == before


GOOD = ["a", "7", "work", "a-b_c", "0-", "x" * 40]
BAD = ["", "x" * 41, "Work", "wörk", "../up", "a/b", "..", ".", ".hidden", "-a", "_a", "a b", "a.b", "con", "nul",
       "com1", "lpt9", "a\n", "a\0b", "a\udcffb", "ａ", "٣", "~", "C:x", "a\\b", "%2e"]  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_taken(data, name):
    run_ok("profile", "create", "--", name)

    assert (data / f"{name}.db").exists()


@pytest.mark.parametrize("name", BAD, ids=ascii)
@pytest.mark.parametrize(
    "words",
    [["profile", "create"], ["profile", "use"], ["profile", "show"], ["profile", "delete", "--yes"]],
    ids=" ".join,
)
def test_a_bad_name_is_refused_and_makes_nothing(home, words, name):
    result = run(*words, "--", name)

    assert error_code(result) == "INVALID_ARGUMENTS"
    assert "Use up to 40 lower-case letters" in result.stderr
    assert read_files(home) == {}


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_a_bad_name_is_refused_wherever_it_is_given(monkeypatch, home, name):
    codes = [error_code(run("--profile", name, "status"))]
    if "\0" not in name and name.strip() == name and name:
        monkeypatch.setenv("KG_PROFILE", name)
        codes.append(error_code(run("status")))

    assert set(codes) == {"INVALID_ARGUMENTS"}
    assert read_files(home) == {}


def test_bytes_that_are_no_text_get_an_answer_too(home):
    words = [sys.executable, "-m", "keepgraph.cli", "profile", "create", b"w\xff"]
    done = subprocess.run(words, capture_output=True, check=False)

    assert (done.returncode, b"INVALID_ARGUMENTS" in done.stderr) == (1, True)
    assert read_files(home) == {}


# An encrypted one that could not be made: see test_encryption.py for one that was interrupted


def test_an_encrypted_profile_without_anybody_to_ask_is_not_begun(home):
    assert error_code(run("profile", "create", "work", "--key", "passphrase")) == "KEY_MISSING"
    assert read_files(home) == {}


def test_an_encrypted_profile_with_a_key_that_is_none_is_not_begun(home, monkeypatch):
    monkeypatch.setenv("KG_KEY", "nonsense")

    assert error_code(run("profile", "create", "work", "--encrypted")) == "KEY_INVALID"
    assert read_files(home) == {}


def test_a_keyring_that_is_locked_leaves_no_half_a_profile(home, ring):
    """
    The hint says to keep the key in a file instead.
    """
    ring.locked = True
    refused = run("profile", "create", "work", "--key", "keyring")
    after = read_files(home)

    assert (error_code(refused), after) == ("KEY_MISSING", {})
    run_ok("profile", "create", "work", "--key", "file")


def test_what_was_to_be_encrypted_is_never_plain(home, ring):
    ring.locked = True
    run("profile", "create", "work", "--key", "keyring")
    run("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x")

    assert files_with(home, MARKER) == []


def test_a_key_file_is_made_where_it_is_said(home):
    run_ok("profile", "create", "work", "--key-file", str(home / "stick" / "work.key"))
    run_ok("--profile", "work", "record", f"person:{MARKER}", "tagged", "=x")

    assert (home / "stick" / "work.key").stat().st_mode & 0o777 == 0o600
    assert files_with(home, MARKER) == []


def test_a_key_file_that_is_there_is_not_written_over(home):
    (home / "my.key").write_text("precious")

    assert error_code(run("profile", "create", "work", "--key-file", str(home / "my.key"))) == "INVALID_ARGUMENTS"
    assert read_files(home) == {"my.key": b"precious"}


def test_a_place_for_a_key_is_said_once(home):
    assert error_code(run("profile", "create", "work", "--key", "keyring", "--key-file", "x")) == "INVALID_ARGUMENTS"
    assert read_files(home) == {}


# Which one is meant


@pytest.fixture
def five(home: Path) -> Callable[..., str]:
    """Five graphs, each with one person of its name; tells which one is meant."""
    for name in ("named", "said", "chosen"):
        run_ok("profile", "create", name)
        run_ok("--profile", name, "record", f"person:{name}", "tagged", "=x")
    for name in ("file", "variable"):
        run_ok("--db", str(home / f"{name}.db"), "record", f"person:{name}", "tagged", "=x")
    run_ok("record", "person:default", "tagged", "=x")

    def meant(*words: str) -> str:
        (line,) = [line for line in run_ok(*words, "export").splitlines() if '"entity"' in line]
        return str(json.loads(line)["name"])

    return meant


def test_what_is_said_most_directly_is_meant(five, home, monkeypatch):
    found = [five()]
    run_ok("profile", "use", "chosen")
    found.append(five())
    monkeypatch.setenv("KG_PROFILE", "said")
    found.append(five())
    monkeypatch.setenv("KG_DB", str(home / "variable.db"))
    found.append(five())

    assert found == ["default", "chosen", "said", "variable"]
    assert five("--profile", "named") == "named"
    assert five("--db", str(home / "file.db")) == "file"


def test_a_file_and_a_profile_at_once_are_refused(five, home):
    before = read_files(home)

    assert error_code(run("--db", "x", "--profile", "named", "export")) == "INVALID_ARGUMENTS"
    assert error_code(run("export", "--db", "x", "--profile", "named")) == "INVALID_ARGUMENTS"
    assert error_code(run("--db", "x", "export", "--profile", "named")) == "INVALID_ARGUMENTS"
    assert read_files(home) == before


def test_a_profile_is_named_after_the_command_too(five):
    assert '"named"' in run_ok("export", "--profile", "named")


def test_a_profile_that_is_not_there_is_told_with_a_near_name(monkeypatch):
    run_ok("profile", "create", "work")
    monkeypatch.setenv("KG_PROFILE", "worc")
    for refused in (run("--profile", "worc", "status"), run("status"), run("profile", "use", "worc")):
        assert error_code(refused) == "PROFILE_NOT_FOUND"
        assert "did you mean work?" in refused.stderr


def test_a_profile_in_use_that_has_gone_is_told_with_the_way_out(data):
    run_ok("profile", "create", "work")
    run_ok("profile", "use", "work")
    for file in data.glob("work*"):
        file.unlink()
    refused = run("status")
    run_ok("profile", "use", "default")

    assert error_code(refused) == "PROFILE_NOT_FOUND"
    assert "kg profile use NAME" in refused.stderr


@pytest.mark.parametrize("written", ["../../etc", "Work\n", "a\0b", "\x1b[31mred", "x" * 100_000], ids=ascii)
def test_a_choice_that_somebody_spoiled_gets_an_answer_and_can_be_put_right(home, written):
    run_ok("profile", "use", "default")
    (home / "config/keepgraph/active-profile").write_text(written)
    refused = run("status")
    listed = run("profile", "list")
    run_ok("profile", "use", "default")

    assert (error_code(refused), listed.exit_code) == ("INVALID_ARGUMENTS", 0)
    assert "\x1b" not in refused.output
    assert run("record", "person:Ada", "tagged", "=x").exit_code == 0


def test_a_choice_that_is_no_text_gets_an_answer(home):
    run_ok("profile", "use", "default")
    (home / "config/keepgraph/active-profile").write_bytes(b"\xff\xfe")

    assert error_code(run("status")) == "SETTINGS_INVALID"


# Looking at them


def test_profiles_are_listed_with_what_can_be_told_of_them():
    run_ok("profile", "create", "work", "--encrypted")
    run_ok("profile", "use", "work")
    listed = json.loads(run_ok("profile", "list", "--json"))
    told = {each["name"]: (each["encrypted"], each["active"], each["bytes"] is None) for each in listed["profiles"]}

    assert (listed["active"], told) == ("work", {"default": (False, False, True), "work": (True, True, False)})


def test_one_profile_with_a_mistake_spoils_no_list(data):
    run_ok("profile", "create", "good")
    run_ok("profile", "create", "bad")
    (data / "bad.toml").write_text("zone = 3\n")
    (data / "Not A Name.db").touch()

    assert re.search(r"bad .*line 1: zone is not a time zone", run_ok("profile", "list"))
    assert {each["name"] for each in json.loads(run_ok("profile", "list", "--json"))["profiles"]} == {
        "default",
        "good",
        "bad",
    }


def test_a_profile_is_shown_with_its_files_and_settings(data, home):
    run_ok("profile", "create", "work", "--encrypted")
    (data / "work.toml").write_text('zone = "Asia/Tokyo"\n' + (data / "work.toml").read_text())
    told = json.loads(run_ok("profile", "show", "work", "--json"))

    assert (told["graph"], told["settings"]["zone"]) == (str(data / "work.db"), "Asia/Tokyo")
    assert told["key"]["file"] == str(home / "config/keepgraph/keys/work.key")
    assert keys.read(Path(told["key"]["file"]))[0].digits not in json.dumps(told)


def test_without_a_name_the_profile_that_is_meant_is_shown(monkeypatch):
    for name in ("one", "two", "three"):
        run_ok("profile", "create", name)
    run_ok("profile", "use", "one")
    shown = [run_ok("profile", "show").split()[0], run_ok("--profile", "three", "profile", "show").split()[0]]
    monkeypatch.setenv("KG_PROFILE", "two")
    shown.append(run_ok("profile", "show").split()[0])

    assert shown == ["one", "three", "two"]


# Deleting them


@pytest.fixture
def work(home: Path) -> None:
    """A profile with a fact, a backup and a key, which is the one in use."""
    run_ok("profile", "create", "work", "--encrypted")
    run_ok("profile", "use", "work")
    run_ok("record", "person:Ada", "tagged", "=x")
    run_ok("backup")


def test_a_deleted_profile_leaves_its_backups_and_its_key(work, home):
    told = run_ok("profile", "delete", "work", "--yes")
    left = sorted(name.split("/", 2)[-1].split("/")[0] for name in read_files(home))

    assert left == ["active-profile", "keys", "work.backups"]
    assert "work.backups" in told


def test_forever_nothing_is_left(work, home):
    run_ok("profile", "delete", "work", "--yes", "--forever")

    assert list(read_files(home)) == ["config/keepgraph/active-profile"]


@pytest.mark.parametrize("source", ["keyring", "passphrase"])
def test_forever_the_key_is_gone_wherever_it_was(terminal, data, ring, source):
    run_ok("profile", "create", "work", "--key", source, input="correct horse\n" * 2)
    run_ok("profile", "delete", "work", "--yes", "--forever")

    assert (list(read_files(data)), ring.entries()) == ([], {})


@pytest.mark.parametrize("happens", ["gone", "locked"])
def test_a_profile_can_be_deleted_forever_whatever_became_of_its_key(data, ring, happens):
    run_ok("profile", "create", "work", "--key", "keyring")
    if happens == "gone":
        ring.file.unlink()
    else:
        ring.locked = True
    run("profile", "delete", "work", "--yes", "--forever")

    assert read_files(data) == {}


def test_after_the_profile_in_use_was_deleted_the_default_one_is(work):
    run_ok("profile", "delete", "work", "--yes")
    run_ok("record", "person:Grace", "tagged", "=x")

    assert json.loads(run_ok("profile", "list", "--json"))["active"] == "default"


def test_deleting_another_leaves_the_one_in_use(work):
    run_ok("profile", "create", "other")
    run_ok("profile", "delete", "other", "--yes")

    assert json.loads(run_ok("profile", "list", "--json"))["active"] == "work"


def test_deleting_asks(work, terminal, home):
    before = read_files(home)
    refused = run("profile", "delete", "work", input="n\n")

    assert (refused.exit_code, "Aborted" in refused.output, read_files(home)) == (1, True, before)


def test_deleting_is_done_when_the_answer_is_yes(work, terminal, data):
    run_ok("profile", "delete", "work", input="y\n")

    assert not (data / "work.db").exists()


def test_deleting_without_a_terminal_needs_a_yes(work, home):
    before = read_files(home)

    assert error_code(run("profile", "delete", "work")) == "NOT_CONFIRMED"
    assert read_files(home) == before


def test_a_profile_that_is_open_elsewhere_is_not_deleted(work, data, home):
    before = read_files(home)
    with open_elsewhere(data / "work.db"):
        refused = run("profile", "delete", "work", "--yes", "--forever")

    assert (error_code(refused), read_files(home)) == ("GRAPH_BUSY", before)


def test_an_empty_default_profile_is_not_deleted(home):
    assert error_code(run("profile", "delete", "default", "--yes")) == "PROFILE_NOT_FOUND"
    assert read_files(home) == {}


def test_a_profile_with_a_mistake_in_its_settings_can_be_deleted(work, data):
    (data / "work.toml").write_text("zone = 3\n")
    result = run("profile", "delete", "work", "--yes")

    assert result.exit_code == 0
    assert not (data / "work.db").exists()


# Settings


@pytest.fixture
def says(data: Path) -> Callable[[str], None]:
    """Puts this into the settings of the default profile, which has a fact in it."""
    run_ok("record", "person:Ada", "tagged", "=x")

    def write(text: str) -> None:
        (data / "default.toml").write_text(text, encoding="utf-8")

    return write


def test_the_zone_decides_what_today_is(says):
    """
    Between these two zones it is never the same day.
    """
    ends = []
    for zone in ("Pacific/Pago_Pago", "Pacific/Kiritimati"):
        says(f'zone = "{zone}"\n')
        ends.append(date.fromisoformat(json.loads(run_ok("--json", "week"))["period"]["end"]))

    assert (ends[1] - ends[0]).days in (1, 2)


def test_the_group_decides_what_is_seen(says):
    says('group = "one"\n')
    run_ok("record", "person:Grace", "tagged", "=x")
    seen = [run("recall", "Grace").exit_code, run("recall", "Ada").exit_code]
    says('group = "two"\n')

    assert (seen, run("recall", "Grace").exit_code) == ([0, 3], 3)


@pytest.mark.parametrize(
    ("toolsets", "shown"), [('["curation"]', {"merge_entities"}), ('["all"]', {"merge_entities", "record_fact"})]
)
def test_the_toolsets_decide_what_a_server_shows(says, toolsets, shown):
    says(f"toolsets = {toolsets}\n")
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]  # fmt: skip
    served = subprocess.run(
        [*python(), "-m", "keepgraph.cli", "serve"],
        input="".join(f"{json.dumps(line)}\n" for line in lines), capture_output=True, text=True, check=True,
    )  # fmt: skip
    answers = {answer.get("id"): answer for answer in map(json.loads, served.stdout.splitlines())}
    names = {tool["name"] for tool in answers[2]["result"]["tools"]}

    assert shown <= names
    assert ("record_fact" in names) is ("record_fact" in shown)


def test_a_toolset_that_is_not_there_is_told(says):
    says('toolsets = ["memroy"]\n')
    refused = run("serve")

    assert error_code(refused) == "SETTINGS_INVALID"
    assert "memroy" in refused.stderr


MISTAKES = [
    ('zone = "Mars/Base"', 1),
    ("zone = 3", 1),
    ('# a\n\nzone = ""', 3),
    ('zone = "../../etc/passwd"', 1),
    ("zone = ['UTC']", 1),
    ("group = ''", 1),
    ("group = '   '", 1),
    (f"group = '{'x' * 201}'", 1),
    (r'group = "a\u0000b"', 1),
    (r'group = "a\nb"', 1),
    ("toolsets = 'memory'", 1),
    ("toolsets = []", 1),
    ("toolsets = [\n  3,\n]", 1),
    ("offline = 'yes'", 1),
    ("offline = 1", 1),
    ("[names]\n\naccept = 2", 3),
    ("[backups]\nkeep = 0", 2),
    ("[backups]\nkeep = true", 2),
    ("[backups]\nkeep = 2.5", 2),
    ("[backups]\ndaily = 'no'", 2),
    ("backups = 3", 1),
    ("zone = 'UTC'\nbackups = {keep = 0}", 2),
    ("backups.keep = 0", 1),
    ("[key]", 1),
    ("[key]\nsource = 'telepathy'", 2),
    ("[key]\nencrypted = true", 1),
    ("[key]\nsource = 'file'\nfile = 3", 3),
    ("[key]\nsource = 'file'\nfile = ''", 3),
    ("[key]\nsource = 'file'\nencrypted = 'yes'", 3),
    ("[[key]]\nsource = 'file'", 1),
    ("key = 'file'", 1),
    ('[ "names" ]\n"accept" = 2', 2),
    ("[other]\nzone = 'x'\n[names]\naccept = 7", 4),
    ("zones = 'UTC'", 1),
    ("ofline = true", 1),
    ("[backup]\nkeep = 3", 1),
    ("[keys]\nsource = 'file'", 1),
    ("[backups]\nkep = 3", 2),
    ("[key]\nsource = 'file'\nfingerprnt = 'x'", 3),
    ("toolset = ['memory']", 1),
    ("[name]\nfuzzy = 0.5", 1),
]


@pytest.mark.sampled(one_in=4)
@pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[text.replace("\n", " ")[:40] for text, _ in MISTAKES])
def test_a_mistake_is_told_with_its_line_and_changes_nothing(says, data, text, line):
    says(text)
    before = read_files(data)
    refused = run("record", "person:New", "tagged", "=x")

    assert error_code(refused) == "SETTINGS_INVALID"
    assert f"{data / 'default.toml'}, line {line}: " in refused.stderr
    assert read_files(data) == before


def test_a_line_of_a_longer_text_is_not_taken_for_the_setting(says):
    says('note = """\nzone = 3\n"""\nzone = "Mars/Base"\n')

    assert ", line 4: " in run("status").stderr


@pytest.mark.parametrize(
    "text", ["zone = 'UTC", "zone = 'UTC'\nzone = 'UTC'", "\0", "[key", "= 3", "a = 1e", "zone = 'UTC'\n}"]
)
def test_a_file_that_is_not_toml_is_told(says, text):
    says(text)
    refused = run("status")

    assert error_code(refused) == "SETTINGS_INVALID"
    assert "is not TOML" in refused.stderr


@pytest.mark.parametrize(
    "text",
    [
        "future = 1",
        "[plugins]\nx = 1",
        "[names]\nfuture = true",
        "[key]\nsource = 'file'\nencrypted = false\nrotates = 3",
    ],
)
def test_what_a_newer_version_says_is_let_be(says, text):
    says(text)

    assert "Ada" in run_ok("export")


COMMENTED = """\
# Mine, written by hand.
zone = "Europe/Zurich"   # where I am
future = [1, 2]  # of a newer version

[names]
# strict
accept = 0.8  # eight tenths

[plugins.mine]
enabled = true
"""


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "words",
    [
        ["encrypt"],
        ["encrypt", "rekey"],
        ["encrypt", "decrypt"],
        ["encrypt", "import"],
        ["encrypt", "rekey --key keyring"],
    ],
    ids=", ".join,
)
def test_a_command_that_writes_settings_keeps_all_else(says, data, home, words):
    says(COMMENTED)
    commands = {
        "decrypt": ["decrypt", "--yes"],
        "import": ["key", "import", str(home / "k")],
    }
    for word in words:
        if word == "import":
            run_ok("key", "export", str(home / "k"))
        run_ok(*commands.get(word, word.split()))
    written = (data / "default.toml").read_text()
    before, after = tomllib.loads(COMMENTED), tomllib.loads(written)

    assert written.startswith(COMMENTED)
    assert {name: after[name] for name in before} == before


def test_a_change_of_settings_can_be_read_by_its_owner_alone(says, data):
    says(COMMENTED)
    (data / "default.toml").chmod(0o644)
    run_ok("encrypt")

    assert (data / "default.toml").stat().st_mode & 0o777 == 0o600


def test_a_new_profile_explains_its_settings(data):
    run_ok("profile", "create", "work")
    text = (data / "work.toml").read_text()

    assert settings_file.read(data / "work.db") == settings_file.read(data / "nothing.db")
    for name in (
        "zone",
        "group",
        "toolsets",
        "offline",
        "accept",
        "model",
        "steps",
        "daily",
        "keep",
    ):
        assert re.search(rf"^# {name} = ", text, re.MULTILINE), name


def test_what_the_explanation_says_holds_without_it(data):
    run_ok("profile", "create", "work")
    text = (data / "work.toml").read_text()
    said = re.sub(r"^# (?=\w+ = |\[)", "", text, flags=re.MULTILINE)
    without_default = r"^(zone|toolsets|cross_encoder|entailment_model|roots|folders|never|types|sets) = .*$"
    (data / "said.toml").write_text(re.sub(without_default, "", said, flags=re.MULTILINE))

    assert tomllib.loads(said)["backups"] == {"daily": True, "keep": 7}
    assert settings_file.read(data / "said.db") == settings_file.read(data / "nothing.db")


def test_settings_behind_a_link_stay_behind_it(says, data, home):
    """
    As people do who keep their settings in one folder under version control.
    """
    (home / "dotfiles").write_text(COMMENTED)
    (data / "default.toml").symlink_to(home / "dotfiles")
    run_ok("encrypt")

    assert (data / "default.toml").is_symlink()
    assert "fingerprint" in (home / "dotfiles").read_text()


def test_names_of_profiles_are_checked_in_python_too():
    with pytest.raises(errors.InvalidArguments):
        profile.path("../up")
