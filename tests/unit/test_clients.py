"""Where MCP clients keep their configuration, and the entry that starts this installation."""

from __future__ import annotations

import json
import sys
import sysconfig
from pathlib import Path

import pytest

from keepgraph.cli import clients
from keepgraph.cli.clients import CLIENTS, Machine

DESKTOP, CODE = CLIENTS["claude-desktop"], CLIENTS["claude-code"]


def files(client: clients.Client, platform: str, home: Path, **env: str) -> list[str]:
    places = client.locations(Machine(platform, env, home))
    return [place.file.relative_to(home).as_posix() for place in places]


# Where


@pytest.mark.parametrize(
    ("name", "platform", "expected"),
    [
        ("cursor", "linux", ".cursor/mcp.json"),
        ("cursor", "win32", ".cursor/mcp.json"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
        ("vscode", "linux", ".config/Code/User/mcp.json"),
        ("codex", "linux", ".codex/config.toml"),
        ("codex", "win32", ".codex/config.toml"),
        ("gemini", "darwin", ".gemini/settings.json"),
    ],
)
def test_the_other_clients_are_found_on_every_platform(tmp_path, name, platform, expected):
    assert [expected] == files(CLIENTS[name], platform, tmp_path)


def test_codex_is_found_where_its_variable_says(tmp_path):
    assert files(CLIENTS["codex"], "linux", tmp_path, CODEX_HOME=str(tmp_path / "x")) == ["x/config.toml"]


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


# Looking


@pytest.fixture
def machine(tmp_path):
    (tmp_path / ".config" / "Claude").mkdir(parents=True)
    return Machine("linux", {}, tmp_path)


def configured(machine: Machine, text: str) -> None:
    (machine.home / ".claude.json").write_text(text)


def test_a_client_without_a_configuration_is_not_listed(machine):
    assert clients.find_entries(machine) == []


def test_an_entry_is_found_with_its_command(machine):
    ours = {"command": sys.executable, "args": ["-m", "keepgraph.cli", "serve"]}
    configured(machine, json.dumps({"mcpServers": {"keepgraph": ours}}))
    (found,) = clients.find_entries(machine)

    assert found.client is CODE
    assert (found.file, found.entry) == (machine.home / ".claude.json", ours)
    assert found.command == (sys.executable, "-m", "keepgraph.cli", "serve")
    assert found.is_runnable


def test_a_command_that_has_gone_is_noticed(machine):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": {"command": "/gone/bin/kg", "args": ["serve"]}}}))
    (found,) = clients.find_entries(machine)

    assert found.command == ("/gone/bin/kg", "serve")
    assert not found.is_runnable


@pytest.mark.parametrize("entry", [None, 3, [], {}, {"command": 3}, {"command": ""}, {"url": "http://localhost"}])
def test_an_entry_that_starts_nothing_has_no_command(machine, entry):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": entry}}))
    (found,) = clients.find_entries(machine)

    assert (found.entry, found.command, found.is_runnable, found.problem) == (entry, (), False, None)


def test_a_client_that_has_no_entry_for_the_profile_says_so(machine):
    configured(machine, json.dumps({"mcpServers": {"keepgraph": {"command": "/opt/kg", "args": ["serve"]}}}))
    (found,) = clients.find_entries(machine, name="keepgraph-work")

    assert (found.name, found.entry) == ("keepgraph-work", None)


def test_a_configuration_that_cannot_be_read_is_a_problem_and_no_error(machine):
    configured(machine, "{")
    (found,) = clients.find_entries(machine)

    assert found.problem is not None
    assert "line 1" in found.problem
