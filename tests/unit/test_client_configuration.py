"""The configuration file of an MCP client is read, changed and written without loss."""

from __future__ import annotations

import json
import os
import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph import errors
from keepgraph.cli import clients
from keepgraph.cli.clients import Configuration

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
OURS = {"command": "/opt/kg", "args": ["serve"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "claude_desktop_config.json"


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
        (b'{\n  "a": 1,\n  b\n}', 3, "this is not JSON"),
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
        (b'{\n  "mcpServers": {},\n  "mcpServers": {}\n}', 3, "'mcpServers' is repeated here"),
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
    installed = clients.set_entry(found, name, OURS)
    clients.write(found, installed, now=NOW)
    again = clients.read(file)
    removed = clients.remove_entry(again, name)

    assert others(settings, name) == others(again.settings, name)
    assert others(settings, name) == ordered(json.loads(removed))
    assert again.servers[name] == OURS


def test_an_entry_comes_after_the_others(file):
    found = Configuration(file, b"", {"mcpServers": {"b": {}, "a": {}}, "theme": "dark"})
    settings = json.loads(clients.set_entry(found, "keepgraph", OURS))

    assert list(settings) == ["mcpServers", "theme"]
    assert list(settings["mcpServers"]) == ["b", "a", "keepgraph"]


def test_an_entry_that_was_there_keeps_its_place(file):
    found = Configuration(file, b"", {"mcpServers": {"keepgraph": {"command": "old"}, "a": {}}})
    servers = json.loads(clients.set_entry(found, "keepgraph", OURS))["mcpServers"]

    assert list(servers.items()) == [("keepgraph", OURS), ("a", {})]


def test_a_configuration_is_written_for_people_to_read(file):
    found = Configuration(file, b"", {"name": "Žofie"})

    assert clients.set_entry(found, "keepgraph", {"command": "kg"}) == (
        '{\n  "name": "Žofie",\n  "mcpServers": {\n    "keepgraph": {\n      "command": "kg"\n    }\n  }\n}\n'
    )


def test_half_a_pair_of_surrogates_survives(file):
    file.write_text('{"odd": "\\ud83d"}')
    found = clients.read(file)
    clients.write(found, clients.set_entry(found, "keepgraph", OURS), now=NOW)

    assert clients.read(file).settings["odd"] == "\ud83d"


# Writing


def put(file: Path, now: datetime = NOW) -> Path | None:
    found = clients.read(file)
    return clients.write(found, clients.set_entry(found, "keepgraph", OURS), now=now)


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


# TOML, as Codex has it

CODEX = [
    "",
    "model = 'x'  # mine\n",
    "[mcp_servers.docs]\ncommand = 'docs'\n\n[profiles.a]\nmodel = 'y'\n",
    "[mcp_servers]\n# none\n",
    "mcp_servers = { docs = { command = 'docs' } }\n",
    "mcp_servers.docs.command = 'docs'\n",
    "[profiles.a]\nmodel = 'y'\n[mcp_servers.docs]\ncommand = 'docs'\n[mcp_servers.docs.env]\nA = '1'\n",
    "[mcp_servers.keepgraph]\ncommand = 'old'\n[mcp_servers.keepgraph.env]\nA = '1'\n",
]


@pytest.mark.parametrize("content", CODEX)
def test_an_entry_in_toml_changes_nothing_else(tmp_path, content):
    file = tmp_path / "config.toml"
    file.write_text(content, encoding="utf-8")
    found = clients.read(file, "mcp_servers")
    clients.write(found, clients.set_entry(found, "keepgraph", OURS), now=NOW)
    installed = clients.read(file, "mcp_servers")
    removed = clients.remove_entry(installed, "keepgraph")
    others = {name: entry for name, entry in found.servers.items() if name != "keepgraph"}

    assert installed.settings == {**found.settings, "mcp_servers": {**others, "keepgraph": OURS}}
    assert tomllib.loads(removed).get("mcp_servers", {}) == others
    assert all(comment in removed for comment in re.findall("#.*", content))


@pytest.mark.parametrize(
    "content", ["[", "a = ", "a = 1\na = 2", "mcp_servers = 1", "mcp_servers = []", "a = " + "[" * 5000]
)
def test_toml_that_a_client_cannot_read_is_refused(tmp_path, content):
    file = tmp_path / "config.toml"
    file.write_text(content, encoding="utf-8")

    with pytest.raises(errors.ClientConfigInvalid, match=r"config\.toml"):
        clients.read(file, "mcp_servers")


def test_vs_code_has_its_servers_under_a_key_of_its_own(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text('{"inputs": [], "servers": {"docs": {"command": "docs"}}}', encoding="utf-8")
    found = clients.read(file, "servers")

    assert json.loads(clients.set_entry(found, "keepgraph", OURS)) == {
        "inputs": [],
        "servers": {"docs": {"command": "docs"}, "keepgraph": OURS},
    }
