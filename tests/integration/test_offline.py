"""Nothing is fetched: the whole surface, in a network without interfaces and under a hook that fails on any socket."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fork_server import ForkServer
from keepgraph.cli import graph_options
from keepgraph.cli.root import kg
from keepgraph.tools.contract import catalogue, schemas

# Loaded by every Python that is started: what reaches for a network is refused, and written down, for a library might
# hide it. The event loop of a server speaks to itself over a pair of sockets within the machine.
WATCH = """
import os, socket, sys
def watch(event, arguments):
    if event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6) or event in (
        "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.bind"
    ):
        with open(os.environ["REACHED_OUT"], "a") as file:
            print(event, *map(repr, arguments), file=file)
        raise PermissionError("no sockets here")
sys.addaudithook(watch)
"""

COMMANDS = [
    ["profile", "create", "work", "--encrypted"],
    ["profile", "use", "work"],
    ["profile", "list"],
    ["profile", "show"],
    ["record", "person:Priya", "decided_in", "decision:Adopt SQLite", "--source", "https://example.org/notes"],
    ["record", "decision:Adopt SQLite", "belongs_to", "project:Atlas"],
    ["recall", "Pirya"],
    ["recall", "SQLite it is"],
    ["decisions", "Atlas"],
    ["decisions", "--about", "storage", "--since", "last week"],
    ["week", "Atlas"],
    ["me", "Ana Ruiz"],
    ["add", "person:Zoe"],
    ["decide", "Use a local file", "--by", "person:Zoe"],
    ["remind", "Renew the permit", "--due", "Friday"],
    ["tag", "person:Zoe", "friend"],
    ["about", "What does Zoe do?"],
    ["token", "add", "phone"],
    ["record", "Atlas", "blocked_by", "waiting for the licence"],
    ["list"],
    ["list", "people"],
    ["stats"],
    ["next"],
    ["overview"],
    ["resolve", "the licence"],
    ["record", "Zoe", "works_at", "Acme"],
    ["end", "Zoe", "works_at", "Acme", "--on", "tomorrow"],
    ["rename", "Zoe", "Zoe Miller"],
    ["retype", "Acme", "team"],
    ["set", "Zoe", "role=CTO"],
    ["edit", "Zoe"],
    ["forget", "Zoe", "--yes"],
    ["purge", "--yes"],
    ["compact"],
    ["vocabulary", "works_at"],
    ["remember", "Priya and the storage team went with SQLite.", "--about", "Atlas", "--at", "2026-05-01"],
    ["pin", "storage team went"],
    ["ingest", "notes"],
    ["vault", "add", "notes"],
    ["search", "what did the storage team choose?"],
    ["show", "Pirya", "--depth", "2"],
    ["timeline", "Priya"],
    ["path", "Priya", "Adopt SQLite"],
    ["neighbours", "Priya"],
    ["communities", "build"],
    ["query", "MATCH (p:Person)-[r]->(d) RETURN p, r, d"],
    ["alias", "person:Priya", "Priya Sharma"],
    ["log"],
    ["history", "Priya"],
    ["duplicates"],
    ["review", "--list"],
    ["garden"],
    ["garden", "--status"],
    ["learn"],
    ["why", "Atlas"],
    ["undo"],
    ["reindex", "--anew"],
    ["status"],
    ["export", "graph.jsonl"],
    ["view", "--plain", "--out", "graph.html"],
    ["import", "graph.jsonl"],
    ["backup"],
    ["backup", "--list"],
    ["rekey"],
    ["key", "export", "work.key"],
    ["key", "import", "work.key"],
    ["restore", "--yes"],
    ["decrypt", "--yes"],
    ["encrypt"],
    ["clear", "--yes"],
    ["tool", "list"],
    ["doctor"],
    ["install", "claude-desktop", "--anyway"],
    ["install", "claude-desktop", "--uninstall"],
    ["completion", "bash"],
    ["demo"],
]
MAY_FIND_NOTHING = {"doctor"}


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """Starts processes without a network, each of which writes down what reaches for one."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rn", "true"], check=False).returncode:
        pytest.skip("this machine cannot take the network away from a process")
    hook = tmp_path_factory.mktemp("hook")
    (hook / "sitecustomize.py").write_text(WATCH)
    paths = os.pathsep.join([str(hook), *filter(None, [os.environ.get("PYTHONPATH")])])
    server = ForkServer(environment(hook) | {"PYTHONPATH": paths}, prefix=["unshare", "-rn"])
    assert reached_out(hook) == ""
    yield server
    server.end()


@pytest.fixture
def there(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that is cut off."""
    return environment(tmp_path)


def environment(folder: Path) -> dict[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
    return ours | {
        "HOME": str(folder),
        "EDITOR": "true",
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "REACHED_OUT": str(folder / "reached-out"),
    }


def reached_out(folder: Path) -> str:
    file = folder / "reached-out"
    return file.read_text() if file.exists() else ""


def test_the_watch_sees_who_reaches_out(cut_off, there, tmp_path):
    asked = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')"

    assert cut_off.run("-c", asked, environment=there).code == 1
    assert "socket." in reached_out(tmp_path)


@pytest.mark.slow
def test_every_command_works_without_a_network(cut_off, there, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Atlas.md").write_text(
        "# Atlas\n\nPriya wants [[SQLite]] for #storage: https://example.org/why\n"
    )
    ended = [cut_off.run("-m", "keepgraph.cli", *words, environment=there, folder=tmp_path) for words in COMMANDS]
    failed = {
        " ".join(words): each.output
        for words, each in zip(COMMANDS, ended, strict=True)
        if each.code and words[0] not in MAY_FIND_NOTHING
    }
    listed = set(kg.list_commands(None)) - {"serve", "merge", "retract", "tool", "key", "ui", "watch"}

    assert failed == {}
    assert reached_out(tmp_path) == ""
    assert listed - {words[0] for words in COMMANDS} == set()


def test_every_tool_answers_without_a_network(cut_off, there, tmp_path):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls = [
        {"name": tool.name, "arguments": schemas.example(tool.toolset, tool.name) or {}} for tool in catalogue.tools()
    ]
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}]
    lines += [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        for number, params in enumerate(calls, 1)
    ]
    done = subprocess.run(
        [*cut_off.python(), "-m", "keepgraph.cli", "--db", str(tmp_path / "graph.db"), "serve", "--toolsets", "all"],
        env=there,
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}

    assert (done.returncode, done.stderr) == (0, "")
    assert [number for number in range(len(lines)) if "result" not in answers[number]] == []
    assert reached_out(tmp_path) == ""


def test_while_a_graph_is_open_offline_nothing_in_the_process_reaches_a_network(path):
    with graph_options.block_network(), pytest.raises(PermissionError, match="offline"):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


def test_a_profile_may_say_that_it_is_not_offline(path, monkeypatch):
    held = []
    monkeypatch.setattr(
        graph_options,
        "block_network",
        lambda: held.append(True) or graph_options.contextmanager(lambda: iter([None]))(),
    )
    for line, expected in (("offline = false\n", 0), ("offline = true\n", 1), ("", 1)):
        path.with_suffix(".toml").write_text(line)
        held.clear()
        CliRunner().invoke(kg, ["--db", str(path), "record", "person:Ada", "tagged", "=x"])

        assert len(held) == expected
