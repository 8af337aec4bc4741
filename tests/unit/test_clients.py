"""Where clients keep their configuration, and how an entry gets into it and out of it."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph import errors
from keepgraph.cli.install import clients
from keepgraph.cli.install.clients import CLIENTS, Configuration, Machine

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
DESKTOP, CODE = CLIENTS["claude-desktop"], CLIENTS["claude-code"]
OURS = {"command": "/opt/kg", "args": ["serve"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "claude_desktop_config.json"


def files(client: clients.Client, platform: str, home: Path, **env: str) -> list[str]:
    places = client.places(Machine(platform, env, home))
    return [place.file.relative_to(home).as_posix() for place in places]


# Where


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", ".config/Claude/claude_desktop_config.json"),
        ("freebsd14", ".config/Claude/claude_desktop_config.json"),
    ],
)
def test_claude_desktop_is_found_on_every_platform(tmp_path, platform, expected):
    assert [expected] == files(DESKTOP, platform, tmp_path)


def test_claude_desktop_is_found_where_windows_says(tmp_path):
    found = files(DESKTOP, "win32", tmp_path, APPDATA=str(tmp_path / "Elsewhere"))

    assert found == ["Elsewhere/Claude/claude_desktop_config.json"]


def test_the_build_of_the_store_wins_where_it_is(tmp_path):
    (tmp_path / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc").mkdir(parents=True)
    found = files(DESKTOP, "win32", tmp_path, LOCALAPPDATA=str(tmp_path / "Local"))

    assert found == ["Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"]


def test_both_builds_on_windows_are_found(tmp_path):
    (tmp_path / "AppData" / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc").mkdir(parents=True)
    (tmp_path / "AppData" / "Roaming" / "Claude").mkdir(parents=True)
    found = files(DESKTOP, "win32", tmp_path)

    assert found == [
        "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json",
        "AppData/Roaming/Claude/claude_desktop_config.json",
    ]


def test_the_config_folder_of_linux_is_asked_for(tmp_path):
    found = files(DESKTOP, "linux", tmp_path, XDG_CONFIG_HOME=str(tmp_path / "conf"))

    assert found == ["conf/Claude/claude_desktop_config.json"]


@pytest.mark.parametrize("folder", ["", "conf", "./conf"])
def test_a_config_folder_that_is_not_absolute_does_not_count(tmp_path, folder):
    assert files(DESKTOP, "linux", tmp_path, XDG_CONFIG_HOME=folder) == [".config/Claude/claude_desktop_config.json"]


@pytest.mark.parametrize("platform", ["darwin", "win32", "linux"])
def test_claude_code_is_at_home_on_every_platform(tmp_path, platform):
    assert files(CODE, platform, tmp_path) == [".claude.json"]


def test_claude_code_is_found_where_it_was_sent(tmp_path):
    assert files(CODE, "linux", tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / ".work")) == [".work/.claude.json"]


# The entry


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([], "keepgraph"),
        (["--profile", "default"], "keepgraph"),
        (["--profile", "work"], "keepgraph-work"),
        (["--db", "/srv/graph.db"], "keepgraph"),
    ],
)
def test_each_profile_has_an_entry_of_its_own(named, expected):
    assert expected == clients.entry_name(named)


def test_the_entry_of_claude_code_says_how_it_is_spoken_to():
    written = clients.entry(CODE, ["serve"])

    assert list(written) == ["type", "command", "args", "env"]
    assert (written["type"], written["env"]) == ("stdio", {})


def test_the_entry_of_claude_desktop_is_a_command_and_its_arguments():
    assert list(clients.entry(DESKTOP, ["serve"])) == ["command", "args"]


def test_nothing_of_the_environment_gets_into_an_entry(monkeypatch):
    monkeypatch.setenv("KG_KEY", "ab" * 32)

    assert "ab" * 32 not in json.dumps([clients.entry(client, ["serve"]) for client in CLIENTS.values()])


@pytest.fixture
def no_scripts(monkeypatch, tmp_path):
    """An installation whose scripts are in a folder that we choose; there are none yet."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(scripts))
    monkeypatch.setattr(sys, "executable", str(scripts / "python3"))
    return scripts


def test_the_command_is_the_script_of_this_installation(no_scripts):
    script = no_scripts / "kg"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)

    assert [str(script)] == clients.own_command()


def test_where_there_is_no_script_python_is_the_command(no_scripts):
    assert [str(no_scripts / "python3"), "-m", "keepgraph.cli"] == clients.own_command()


def test_a_virtual_environment_is_named_by_its_own_python(no_scripts, tmp_path):
    (tmp_path / "python").write_text("")
    (no_scripts / "python3").symlink_to(tmp_path / "python")

    assert clients.own_command()[0] == str(no_scripts / "python3")


def test_a_command_is_absolute(no_scripts, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "bin/python3")

    assert clients.own_command()[0] == str(no_scripts / "python3")


# Reading


@pytest.mark.parametrize("content", [b"", b"  \n", b"\xef\xbb\xbf", b"{}", b"\xef\xbb\xbf{}", b'{"mcpServers": {}}'])
def test_a_configuration_may_be_empty(file, content):
    file.write_bytes(content)

    assert clients.read(file).servers == {}


def test_a_configuration_need_not_be_there(file):
    assert clients.read(file) == Configuration(file, None, {})


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"{", 1, "this is not JSON"),
        (b'{\n  "a": 1,\n}', 3, "this is not JSON"),
        (b'{\n  // servers\n  "mcpServers": {}\n}', 2, "this is not JSON"),
        (b'{"a": 1}\n{"b": 2}', 2, "this is not JSON"),
        (b"[]", 1, "this is not an object"),
        (b'"mcpServers"', 1, "this is not an object"),
        (b"null", 1, "this is not an object"),
        (b'{"a": NaN}', 1, "cannot be read as JSON"),
        (b'{"a": 1e999}', 1, "cannot be read as JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 1, "cannot be read as JSON"),
        (b'{"a": ' + b"7" * 5000 + b"}", 1, "cannot be read as JSON"),
        (b'{\n  "theme": "dark",\n  "mcpServers": []\n}', 3, "mcpServers is not an object"),
        (b'{\n  "deep": {\n"mcpServers": {}},\n\n  "mcpServers": null}', 5, "mcpServers is not an object"),
        (b'{\n  "mcpServers": {},\n  "mcpServers": {}\n}', 3, "'mcpServers' stands here again"),
        (b'{\n"a": 1, "name": "caf\xe9"}', 2, "this is not UTF-8"),
        (b"\xff\xfe{\x00}\x00", 1, "this is not UTF-8"),
    ],
)
def test_what_is_not_a_configuration_is_refused_by_its_line(file, content, line, said):
    file.write_bytes(content)
    with pytest.raises(errors.ClientConfigInvalid) as refusal:
        clients.read(file)

    assert refusal.value.message.startswith(f"{file}, line {line}: ")
    assert said in refusal.value.message
    assert refusal.value.hint
    assert file.read_bytes() == content


def test_a_pipe_is_refused_and_not_waited_for(file):
    os.mkfifo(file)
    with pytest.raises(errors.ClientConfigInvalid, match="is not a file"):
        clients.read(file)


# Changing

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SERVERS = st.dictionaries(st.text() | st.sampled_from(["keepgraph", "keepgraph-work", "mcpServers"]), JSON, max_size=5)
SETTINGS = st.dictionaries(st.text(), JSON, max_size=5).flatmap(
    lambda others: SERVERS.map(lambda servers: {**others, "mcpServers": servers})
)


def ordered(value: Any) -> Any:
    """A value in which the order of keys counts, and true is not 1."""
    if isinstance(value, dict):
        return [(name, ordered(each)) for name, each in value.items()]
    return [ordered(each) for each in value] if isinstance(value, list) else (type(value), value)


def others(settings: dict[str, Any], name: str) -> Any:
    servers = settings.get("mcpServers", {})
    kept = {other: entry for other, entry in servers.items() if other != name}
    return ordered({**settings, "mcpServers": kept})


@given(settings=SETTINGS, name=st.sampled_from(["keepgraph", "keepgraph-work"]), ascii=st.booleans())
def test_everything_else_survives_an_installation_and_its_end(tmp_path_factory, settings, name, ascii):
    file = tmp_path_factory.mktemp("any") / "config.json"
    file.write_text(json.dumps(settings, ensure_ascii=ascii), encoding="utf-8")
    found = clients.read(file)
    installed = clients.with_entry(found, name, OURS)
    clients.write(found, installed, now=NOW)
    again = clients.read(file)
    removed = clients.without_entry(again, name)

    assert others(settings, name) == others(again.settings, name)
    assert others(settings, name) == ordered(json.loads(removed))
    assert again.servers[name] == OURS


def test_an_entry_comes_after_the_others(file):
    found = Configuration(file, b"", {"mcpServers": {"b": {}, "a": {}}, "theme": "dark"})
    settings = json.loads(clients.with_entry(found, "keepgraph", OURS))

    assert list(settings) == ["mcpServers", "theme"]
    assert list(settings["mcpServers"]) == ["b", "a", "keepgraph"]


def test_an_entry_that_was_there_keeps_its_place(file):
    found = Configuration(file, b"", {"mcpServers": {"keepgraph": {"command": "old"}, "a": {}}})
    servers = json.loads(clients.with_entry(found, "keepgraph", OURS))["mcpServers"]

    assert list(servers.items()) == [("keepgraph", OURS), ("a", {})]


def test_a_configuration_is_written_for_people_to_read(file):
    found = Configuration(file, b"", {"name": "Žofie"})

    assert clients.with_entry(found, "keepgraph", {"command": "kg"}) == (
        '{\n  "name": "Žofie",\n  "mcpServers": {\n    "keepgraph": {\n      "command": "kg"\n    }\n  }\n}\n'
    )


def test_half_a_pair_of_surrogates_survives(file):
    file.write_text('{"odd": "\\ud83d"}')
    found = clients.read(file)
    clients.write(found, clients.with_entry(found, "keepgraph", OURS), now=NOW)

    assert clients.read(file).settings["odd"] == "\ud83d"


# Writing


def put(file: Path, now: datetime = NOW) -> Path | None:
    found = clients.read(file)
    return clients.write(found, clients.with_entry(found, "keepgraph", OURS), now=now)


def test_what_was_there_is_kept_beside_it(file):
    file.write_bytes(b'\xef\xbb\xbf{"theme":"dark"}\r\n')
    backup = put(file)

    assert backup == file.with_name("claude_desktop_config.json.before-keepgraph-20261121T150000Z")
    assert backup.read_bytes() == b'\xef\xbb\xbf{"theme":"dark"}\r\n'


def test_where_nothing_was_there_nothing_is_kept(file):
    assert put(file) is None
    assert os.listdir(file.parent) == [file.name]


def test_a_new_configuration_is_for_its_owner_alone(file):
    put(file)

    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664])
def test_a_configuration_and_its_backup_keep_their_mode(file, mode):
    file.write_text("{}")
    file.chmod(mode)
    backup = put(file)

    assert backup is not None
    assert [each.stat().st_mode & 0o777 for each in (file, backup)] == [mode, mode]


def test_a_link_stays_a_link(file, tmp_path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text('{"theme": "dark"}')
    file.symlink_to("dotfiles/claude.json")
    put(file)

    assert os.readlink(file) == "dotfiles/claude.json"
    assert json.loads((dotfiles / "claude.json").read_text())["mcpServers"] == {"keepgraph": OURS}
    assert os.listdir(dotfiles) == ["claude.json"]


def test_a_link_that_leads_nowhere_yet_is_followed(file, tmp_path):
    file.symlink_to(tmp_path / "real.json")
    put(file)

    assert file.is_symlink()
    assert (tmp_path / "real.json").exists()


def test_the_newest_five_backups_are_kept(file):
    file.write_text("{}")
    foreign = file.with_name(f"{file.name}.before-keepgraph-mine")
    foreign.write_text("")
    for day in range(7):
        put(file, NOW + timedelta(days=day))

    assert [backup.name[-16:-8] for backup in clients.backups(file)] == [f"202611{day}" for day in (27, 26, 25, 24, 23)]
    assert foreign.exists()


def test_two_backups_of_one_second_are_two(file):
    file.write_text("{}")
    first, second = put(file), put(file)

    assert first is not None
    assert second is not None
    assert first != second
    assert clients.backups(file) == [second, first]


def test_a_write_that_fails_leaves_everything_as_it_was(file, monkeypatch):
    file.write_text("{}")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        put(file)

    assert os.listdir(file.parent) == [file.name]
    assert file.read_text() == "{}"


# Looking


@pytest.fixture
def machine(tmp_path):
    (tmp_path / ".config" / "Claude").mkdir(parents=True)
    return Machine("linux", {}, tmp_path)


def configured(machine: Machine, text: str) -> None:
    (machine.home / ".claude.json").write_text(text)


def test_a_client_without_a_configuration_is_not_listed(machine):
    assert clients.installed(machine) == []


def test_an_entry_is_found_with_its_command(machine):
    ours = {"command": sys.executable, "args": ["-m", "keepgraph.cli", "serve"]}
    configured(machine, json.dumps({"mcpServers": {"keepgraph": ours}}))
    (found,) = clients.installed(machine)

    assert found.client is CODE
    assert (found.file, found.entry) == (machine.home / ".claude.json", ours)
    assert found.command == (sys.executable, "-m", "keepgraph.cli", "serve")
    assert found.runnable


def test_a_command_that_has_gone_is_noticed(machine):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": {"command": "/gone/bin/kg", "args": ["serve"]}}}))
    (found,) = clients.installed(machine)

    assert found.command == ("/gone/bin/kg", "serve")
    assert not found.runnable


@pytest.mark.parametrize("entry", [None, 3, [], {}, {"command": 3}, {"command": ""}, {"url": "http://localhost"}])
def test_an_entry_that_starts_nothing_has_no_command(machine, entry):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": entry}}))
    (found,) = clients.installed(machine)

    assert (found.entry, found.command, found.runnable, found.problem) == (entry, (), False, None)


def test_a_client_that_has_no_entry_for_the_profile_says_so(machine):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": OURS}}))
    (found,) = clients.installed(machine, name="keepgraph-work")

    assert (found.name, found.entry) == ("keepgraph-work", None)


def test_a_configuration_that_cannot_be_read_is_a_problem_and_no_error(machine):
    configured(machine, "{")
    (found,) = clients.installed(machine)

    assert found.problem is not None
    assert "line 1" in found.problem
