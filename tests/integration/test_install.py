"""`kg install`, the handshake by which it proves itself, and the bundle."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from mcp.client import stdio

from fork_server import python
from homes import desktop, run
from keepgraph import _version, errors, permissions
from keepgraph.cli import clients, installation
from keepgraph.profiles import profile, settings_file
from keepgraph.tools.contract import catalogue

Install = Callable[..., Result]

REPOSITORY = Path(__file__).parents[2]
DEFAULT_TOOLS = len(catalogue.tools(catalogue.DEFAULT_TOOLSETS))


@pytest.fixture(autouse=True)
def home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Claude Desktop is installed, where it is if nothing says otherwise."""
    monkeypatch.delenv("XDG_CONFIG_HOME")
    desktop().parent.mkdir(parents=True)
    return home


def code() -> Path:
    return clients.CLIENTS["claude-code"].locations(clients.this_machine())[0].file


@pytest.fixture
def install(path: Path) -> Install:
    def call(*words: str) -> Result:
        return run("--db", str(path), "install", *words)

    return call


@pytest.fixture
def install_profile() -> Install:
    def call(name: str, *words: str) -> Result:
        return run("--profile", name, "install", "claude-desktop", *words)

    return call


@pytest.fixture
def work() -> str:
    """The name of a profile that there is."""
    permissions.write(settings_file.path(profile.path("work")), "")
    return "work"


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that always answers, for what does not depend on it."""
    shaken = installation.ServerInfo(server="keepgraph", version="0", tools=6)
    monkeypatch.setattr(installation, "connect", lambda command: shaken)


@pytest.fixture
def broken_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that says why it does not work."""
    complaint = "import sys; sys.exit('the licence has run out')"
    monkeypatch.setattr(clients, "own_command", lambda: [sys.executable, "-c", complaint])


def configured(file: Path, **servers: object) -> str:
    text = json.dumps({"theme": "dark", "mcpServers": servers})
    file.write_text(text)
    return text


# Installing


@pytest.mark.parametrize("client", ["claude-desktop", "claude-code"])
def test_what_is_installed_answers(install, client, request):
    """
    One starts the server as a user's client does.
    """
    if client == "claude-code":
        request.getfixturevalue("own_server_is_forked")
    result = install(client)

    assert result.exit_code == 0
    assert f"it answers: keepgraph {_version.__version__}, {DEFAULT_TOOLS} tools" in result.output


def test_claude_desktop_is_given_absolute_paths(install, no_server, path):
    install("claude-desktop")
    ours = json.loads(desktop().read_text())["mcpServers"]["keepgraph"]

    assert os.path.isabs(ours["command"])
    assert ours["args"][-3:] == ["serve", "--db", str(path)]


def test_claude_code_is_told_how_to_speak(install, no_server):
    install("claude-code")
    ours = json.loads(code().read_text())["mcpServers"]["keepgraph"]

    assert (ours["type"], ours["env"]) == ("stdio", {})


def test_what_the_server_takes_is_passed_on(install, own_server_is_forked):
    install("claude-desktop", "--toolsets", "memory,curation")
    result = install("claude-desktop", "--toolsets", "memory", "--read-only")
    ours = json.loads(desktop().read_text())["mcpServers"]["keepgraph"]

    assert result.exit_code == 0
    assert ours["args"][-3:] == ["--toolsets", "memory", "--read-only"]


def test_another_profile_has_an_entry_beside_the_first(install, install_profile, no_server, work):
    install("claude-desktop")
    install_profile(work)
    servers = json.loads(desktop().read_text())["mcpServers"]

    assert list(servers) == ["keepgraph", "keepgraph-work"]
    assert servers["keepgraph-work"]["args"][-3:] == ["serve", "--profile", "work"]


def test_other_servers_stay_and_the_file_before_is_kept(install, no_server):
    before = configured(desktop(), weather={"command": "weather", "env": {"TOKEN": "t"}})
    result = install("claude-desktop")
    settings = json.loads(desktop().read_text())
    (backup,) = clients.backups(desktop())

    assert list(settings["mcpServers"]) == ["weather", "keepgraph"]
    assert settings["mcpServers"]["weather"] == {"command": "weather", "env": {"TOKEN": "t"}}
    assert backup.read_text() == before
    assert str(backup) in result.output


def test_installing_again_changes_nothing_and_proves_it_again(install, own_server_is_forked):
    install("claude-desktop")
    before = desktop().stat()
    result = install("claude-desktop")

    assert result.exit_code == 0
    assert "keepgraph is already in" in result.output
    assert "it answers" in result.output
    assert (desktop().stat().st_ino, desktop().stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert clients.backups(desktop()) == []


def test_an_entry_that_differs_is_replaced_and_shown(install, no_server):
    configured(desktop(), keepgraph={"command": "/old/kg", "args": []})
    result = install("claude-desktop")

    assert "keepgraph was replaced in" in result.output
    assert '-      "command": "/old/kg"' in result.output or '"command": "/old/kg"' in result.output
    assert len(clients.backups(desktop())) == 1


def test_a_dry_run_shows_the_change_and_writes_nothing(install, path):
    before = configured(desktop(), weather={"command": "weather"})
    result = install("claude-desktop", "--dry-run")

    assert result.exit_code == 0
    assert f"+++ {desktop()} (new)" in result.output
    assert '+    "keepgraph": {' in result.output
    assert desktop().read_text() == before
    assert os.listdir(desktop().parent) == [desktop().name]
    assert not path.exists()


def test_both_builds_on_windows_are_written(install, no_server, home, monkeypatch):
    store = home / "AppData" / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc"
    store.mkdir(parents=True)
    (home / "AppData" / "Roaming" / "Claude").mkdir(parents=True)
    windows = clients.Machine("win32", {}, home)
    monkeypatch.setattr(clients, "this_machine", lambda: windows)
    result = install("claude-desktop")

    assert "There are 2 builds of Claude Desktop here" in result.output
    assert len(clients.find_entries(windows)) == 2


def test_a_client_that_is_not_there_is_refused(install):
    desktop().parent.rmdir()
    result = install("claude-desktop")

    assert result.exit_code == 1
    assert "Claude Desktop is not installed" in result.output
    assert not desktop().parent.exists()


def test_a_client_that_is_not_there_is_configured_when_it_must_be(install, no_server):
    desktop().parent.rmdir()
    result = install("claude-desktop", "--anyway")

    assert result.exit_code == 0
    assert desktop().exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"mcpServers": []}', '{"a": 1, "a": 2}'])
@pytest.mark.parametrize("words", [(), ("--dry-run",), ("--uninstall",)])
def test_a_file_that_is_no_configuration_is_refused_and_left_alone(install, content, words):
    desktop().write_text(content)
    result = install("claude-desktop", *words)

    assert result.exit_code == 1
    assert "CLIENT_CONFIG_INVALID" in result.output
    assert f"{desktop()}, line 1" in result.output
    assert desktop().read_text() == content
    assert os.listdir(desktop().parent) == [desktop().name]


def test_an_unknown_client_is_a_slip_of_the_command_line(install):
    assert install("claude-mobile").exit_code == 2


def test_with_json_the_answer_is_one(install, own_server_is_forked):
    answer = json.loads(install("claude-desktop", "--json").output)

    assert (answer["client"], answer["name"], answer["dry_run"]) == ("claude-desktop", "keepgraph", False)
    assert answer["server"] == {"name": "keepgraph", "version": _version.__version__, "tools": DEFAULT_TOOLS}
    assert [(file["file"], file["became"], file["backup"]) for file in answer["files"]] == [
        (str(desktop()), "added", None)
    ]
    assert answer["entry"] == json.loads(desktop().read_text())["mcpServers"]["keepgraph"]


def test_a_profile_that_is_not_there_is_not_installed(install_profile):
    result = install_profile("gone")

    assert "PROFILE_NOT_FOUND" in result.output
    assert not desktop().exists()


# When the server does not answer


@pytest.mark.usefixtures("broken_server")
def test_a_server_that_fails_leaves_the_configuration_as_it_was(install):
    before = configured(desktop(), weather={"command": "weather"}, keepgraph={"command": "/old/kg"})
    result = install("claude-desktop")

    assert result.exit_code == 1
    assert desktop().read_text() == before
    assert os.listdir(desktop().parent) == [desktop().name]


@pytest.mark.usefixtures("broken_server")
def test_a_server_that_fails_makes_no_configuration(install):
    install("claude-desktop")

    assert not desktop().exists()


@pytest.mark.usefixtures("broken_server")
def test_why_a_server_fails_is_said(install):
    result = install("claude-desktop")

    assert "HANDSHAKE_FAILED" in result.output
    assert "it ended, or closed its output, before it answered initialize" in result.output
    assert "the licence has run out" in result.output
    assert "The configuration is unchanged" in result.output


def test_another_program_of_our_name_is_not_installed(install, monkeypatch):
    shaken = installation.ServerInfo(server="Kilogram", version="7", tools=1)
    monkeypatch.setattr(installation, "connect", lambda command: shaken)
    result = install("claude-desktop")

    assert "it calls itself 'Kilogram'" in result.output
    assert not desktop().exists()


def test_a_toolset_that_there_is_not_is_found_out_before_it_is_written(install, own_server_is_forked):
    result = install("claude-desktop", "--toolsets", "memoir")

    assert "there is no toolset 'memoir'" in result.output
    assert not desktop().exists()


# Keys


def test_a_key_in_the_environment_is_never_written(install, no_server, monkeypatch):
    monkeypatch.setenv("KG_KEY", "ab" * 32)
    install("claude-desktop")
    install("claude-code")

    assert "ab" * 32 not in desktop().read_text() + code().read_text()


@pytest.mark.parametrize("name", ["KG_KEY", "KG_KEY_FILE"])
def test_a_key_that_the_client_will_not_see_is_warned_of(install, no_server, monkeypatch, name):
    monkeypatch.setenv(name, "ab" * 32)
    result = install("claude-desktop")

    assert f"{name} is set here, and the client will not see it" in result.stderr
    assert "kg key import" in result.stderr
    assert "ab" * 32 not in result.output


def test_a_server_is_started_with_what_a_client_hands_on():
    ours = {"HOME": "/home/ada", "PATH": "/bin", "XDG_DATA_HOME": "/d", "KG_KEY": "k", "KG_DB": "g", "API_TOKEN": "t"}

    assert installation.client_environment(ours) == {"HOME": "/home/ada", "PATH": "/bin", "XDG_DATA_HOME": "/d"}


# Uninstalling


def test_uninstalling_takes_our_entry_and_nothing_else(install, no_server):
    before = json.loads(configured(desktop(), weather={"command": "weather"}, last={}))
    install("claude-desktop")
    result = install("claude-desktop", "--uninstall")

    assert result.exit_code == 0
    assert "keepgraph was removed from" in result.output
    assert json.loads(desktop().read_text()) == before


@pytest.mark.usefixtures("broken_server")
def test_uninstalling_asks_no_server(install):
    configured(desktop(), keepgraph={"command": "/old/kg"})
    result = install("claude-desktop", "--uninstall")

    assert result.exit_code == 0
    assert json.loads(desktop().read_text())["mcpServers"] == {}


def test_uninstalling_what_is_not_there_says_so(install):
    before = configured(desktop(), weather={})
    result = install("claude-desktop", "--uninstall")

    assert result.exit_code == 0
    assert "keepgraph is not in" in result.output
    assert desktop().read_text() == before


def test_uninstalling_where_there_is_no_configuration_makes_none(install):
    result = install("claude-code", "--uninstall")

    assert result.exit_code == 0
    assert not code().exists()


def test_the_entry_of_a_profile_that_has_gone_can_be_taken_away(install_profile):
    configured(desktop(), **{"keepgraph-gone": {}, "keepgraph": {}})
    install_profile("gone", "--uninstall")

    assert json.loads(desktop().read_text())["mcpServers"] == {"keepgraph": {}}


def test_a_dry_run_of_uninstalling_takes_nothing(install):
    before = configured(desktop(), keepgraph={"command": "/old/kg"})
    result = install("claude-desktop", "--uninstall", "--dry-run")

    assert '-    "keepgraph": {' in result.output or '-{"theme"' in result.output
    assert desktop().read_text() == before


# The handshake

ANSWERS = """
import json, sys
def request():
    while "method" not in (said := json.loads(sys.stdin.readline())):
        pass
    return said
def answer(result):
    said = request()
    print(json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}), flush=True)
def error(code, message):
    said = request()
    print(json.dumps({"jsonrpc": "2.0", "id": said["id"], "error": {"code": code, "message": message}}), flush=True)
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "stub", "version": "7"}}
tool = {"name": "recall", "inputSchema": {"type": "object"}}
"""


@pytest.fixture
def stub(tmp_path: Path) -> Callable[[str], list[str]]:
    """A server that does what a few lines of Python say, and leaves the number of its process in a file."""

    def write(script: str) -> list[str]:
        file = tmp_path / "server.py"
        number = f"import os; open({str(tmp_path / 'number')!r}, 'w').write(str(os.getpid()))\n"
        file.write_text(number + ANSWERS + script)
        return [sys.executable, str(file)]

    return write


def test_a_handshake_counts_the_tools_of_every_page(stub):
    script = "answer(hello); request(); answer({'tools': [tool] * 2, 'nextCursor': 'b'}); answer({'tools': [tool]})"

    assert installation.connect(stub(script)) == installation.ServerInfo("stub", "7", 3)


def test_a_handshake_lets_a_server_speak_of_other_things(stub):
    script = """
print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}), flush=True)
answer(hello); request(); answer({"tools": []})
"""

    assert installation.connect(stub(script)).tools == 0


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("", "it ended, or closed its output, before it answered initialize"),
        ("answer(hello); sys.exit('no tools')", "before it answered tools/list. It said:\nno tools"),
        ("os.close(1); sys.stdin.read(); import time; time.sleep(60)", "it ended, or closed its output, before it"),
        ("error(-32602, 'too old'); sys.stdin.read()", "it refused initialize: too old"),
        ("print('Welcome!', flush=True); sys.stdin.read()", "that is not a message: 'Welcome!'"),
        ("print('[1]', flush=True); sys.stdin.read()", "that is not a message: '[1]'"),
        ("while True: print('{}', flush=True)", "that is not a message: '{}'"),
        (r"os.write(1, b'\xff\n'); sys.stdin.read()", "that is not a message: '\N{REPLACEMENT CHARACTER}'"),
        ("answer([]); sys.stdin.read()", "that is not a message: "),
        ("answer({}); sys.stdin.read()", "its answer to initialize is not valid MCP: "),
        (
            "answer(hello); request(); answer({}); sys.stdin.read()",
            "its answer to tools/list is not valid MCP",
        ),
        ("hello['protocolVersion'] = '1'; answer(hello); sys.stdin.read()", "it cannot be understood: Unsupported"),
    ],
)
def test_a_handshake_says_what_went_wrong(stub, script, why, monkeypatch):
    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", 0.2)
    with pytest.raises(errors.HandshakeFailed) as failure:
        installation.connect(stub(script))

    assert why in failure.value.message


@pytest.mark.parametrize("command", [["/no/such/program"], ["\0"], [""], []])
def test_a_command_that_cannot_be_started_is_said(command):
    with pytest.raises(errors.HandshakeFailed, match="cannot be started"):
        installation.connect(command)


def test_a_server_is_started_in_the_root_folder_without_our_variables(stub, monkeypatch):
    monkeypatch.setenv("KG_KEY", "ab" * 32)
    hello = "hello['serverInfo'] = {'name': os.environ.get('KG_KEY', 'none'), 'version': os.getcwd()}"
    server = installation.connect(stub(f"{hello}; answer(hello); request(); answer({{'tools': []}})"))

    assert (server.server, server.version) == ("none", Path(sys.executable).anchor)


def test_nothing_is_written_about_a_server_but_the_error(stub):
    script = f"""
import sys
from keepgraph import errors
from keepgraph.cli import installation
try:
    installation.connect({stub("print('Welcome!', flush=True); sys.stdin.read()")!r})
except errors.HandshakeFailed:
    pass
"""
    done = subprocess.run([*python(), "-c", script], capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("", "")


def test_only_the_last_lines_of_a_complaint_are_quoted(stub):
    with pytest.raises(errors.HandshakeFailed) as failure:
        installation.connect(stub("sys.exit('\\n'.join(f'line {n}' for n in range(1000)))"))

    assert failure.value.message.endswith("line 998\nline 999")
    assert "line 99\n" not in failure.value.message


@pytest.mark.parametrize(
    "script",
    [
        "import time; time.sleep(600)",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        """while True: print('{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}', flush=True)""",
        "answer(hello); request()\nwhile True: answer({'tools': [], 'nextCursor': 'again'})",
    ],
    ids=["silent", "stubborn", "talkative", "endless"],
)
def test_a_server_that_never_comes_to_an_end_is_ended(stub, script, tmp_path, monkeypatch):
    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", 0.2)
    monkeypatch.setattr(stdio, "FORCE_KILL_TIMEOUT", 0.2)
    with pytest.raises(errors.DeadlineExceeded, match=r"within 0\.5 seconds"):
        installation.connect(stub(script), seconds=0.5)

    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


def test_a_server_is_ended_when_it_has_answered(stub, tmp_path):
    installation.connect(stub("answer(hello); request(); answer({'tools': []}); sys.stdin.read()"))

    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "number").read_text()), 0)


def test_a_server_may_finish_what_it_does_when_the_input_ends(stub, tmp_path, monkeypatch):
    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", 0)
    finish = f"sys.stdin.read(); import time; time.sleep(0.3); open({str(tmp_path / 'finished')!r}, 'w')"
    installation.connect(stub(f"answer(hello); request(); answer({{'tools': []}}); {finish}"))

    assert (tmp_path / "finished").exists()


def test_installing_imports_nothing_slow(install, no_server):
    install("claude-desktop")
    loads = "import sys; from keepgraph.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", loads, "install", "claude-desktop", "--dry-run"], capture_output=True, text=True
    )

    assert "keepgraph.cli.installation" in done.stderr.split()
    assert not {"mcp", "pydantic", "asyncio", "jsonschema", "rapidfuzz"} & set(done.stderr.split())


# The bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    builder = REPOSITORY / "packaging" / "mcpb" / "build.py"
    if not builder.exists():
        pytest.skip("the bundle is built from a checkout")
    into = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, str(builder), "--into", str(into)], check=True, capture_output=True)
    (made,) = (file for file in into.iterdir() if not file.name.endswith("-uv.mcpb"))
    return made


@pytest.fixture(scope="module")
def bundle_for_uv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked bundle of type uv: it holds only Keepgraph, and is built in seconds."""
    builder = REPOSITORY / "packaging" / "mcpb"
    if not builder.exists():
        pytest.skip("the bundle is built from a checkout")
    folder = tmp_path_factory.mktemp("uv") / "bundle"
    lay_out = f"import pathlib, build; build.lay_out_for_uv(pathlib.Path({str(folder)!r}))"
    environment = {**os.environ, "PYTHONPATH": str(builder)}
    subprocess.run([sys.executable, "-c", lay_out], check=True, capture_output=True, env=environment)
    return folder


@pytest.mark.slow
def test_a_bundle_of_type_uv_holds_only_keepgraph_and_names_the_rest(bundle_for_uv):
    manifest = json.loads((bundle_for_uv / "manifest.json").read_text(encoding="utf-8"))
    project = tomllib.loads((bundle_for_uv / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert (manifest["manifest_version"], manifest["server"]["type"]) == ("0.4", "uv")
    assert (bundle_for_uv / manifest["server"]["entry_point"]).is_file()
    assert project["dependencies"] == ours["dependencies"]
    assert not [line for line in project["dependencies"] if line.startswith("keepgraph")]
    assert not list(bundle_for_uv.rglob("*.so"))
    assert {file.name for file in (bundle_for_uv / "src" / "packages").iterdir() if file.suffix != ".dist-info"} == {
        "keepgraph"
    }


@pytest.mark.slow
def test_what_a_bundle_of_type_uv_starts_answers_with_the_tools_it_lists(bundle_for_uv):
    """
    Started by this Python in place of uv's, which has the packages.
    """
    manifest = json.loads((bundle_for_uv / "manifest.json").read_text(encoding="utf-8"))
    shaken = installation.connect(
        [sys.executable, str(bundle_for_uv / manifest["server"]["entry_point"]), "--profile="]
    )

    assert (shaken.server, shaken.tools) == ("keepgraph", len(manifest["tools"]))


@pytest.mark.slow
def test_a_bundle_says_what_a_client_must_know(bundle):
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        names = set(archive.namelist())
        bill = json.loads(archive.read("bill-of-materials.cdx.json"))
        installed = {
            name.split("/")[2] for name in names if re.match(r"server/packages/[^/]+\.dist-info/METADATA", name)
        }

    assert len(installed) == 1 + sum(part["purl"].startswith("pkg:pypi/") for part in bill["components"])
    assert {"manifest_version", "name", "version", "description", "author", "server"} <= set(manifest)
    assert manifest["version"] == _version.__version__
    assert manifest["author"]["name"]
    assert manifest["server"]["type"] == "python"
    assert manifest["server"]["entry_point"] in names
    assert manifest["compatibility"]["platforms"] == [sys.platform]
    assert {option["type"] for option in manifest["user_config"].values()} == {"string"}


@pytest.mark.slow
def test_the_same_files_make_the_same_bundle(bundle):
    with zipfile.ZipFile(bundle) as archive:
        entries = archive.infolist()

    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}


@pytest.mark.slow
def test_a_bundle_tells_nothing_of_where_it_was_built(bundle):
    places = [str(REPOSITORY).encode(), sys.prefix.encode()]
    with zipfile.ZipFile(bundle) as archive:
        telling = [name for name in archive.namelist() if any(place in archive.read(name) for place in places)]

    assert telling == []


@pytest.mark.slow
@pytest.mark.parametrize("given", ["", "${user_config.profile}", "work"])
def test_what_a_bundle_starts_answers_with_the_tools_it_lists(bundle, tmp_path, monkeypatch, work, given):
    """
    Started by the Python that the virtual environment was made of, which knows no Keepgraph but that of the bundle.
    """
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    started = manifest["server"]["mcp_config"]
    words = [started["command"], *started["args"]]
    words = [word.replace("${__dirname}", str(folder)).replace("${user_config.profile}", given) for word in words]
    monkeypatch.setenv("PATH", os.pathsep.join([f"{sys.base_prefix}/bin", os.environ["PATH"]]))
    shaken = installation.connect(words)

    assert (shaken.server, shaken.version) == ("keepgraph", _version.__version__)
    assert shaken.tools == len(manifest["tools"])


@pytest.mark.slow
def test_a_bundle_says_for_which_python_it_is(bundle, tmp_path):
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "server" / "python-version").write_text("2.7\n")
    with pytest.raises(errors.HandshakeFailed, match=r"This bundle is for Python 2\.7"):
        installation.connect([sys.executable, "-I", str(tmp_path / "server" / "main.py")])
