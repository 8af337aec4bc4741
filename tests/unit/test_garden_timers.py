"""Timers of the gardener: their texts for each system, and what is read in them again."""

from __future__ import annotations

import errno
import plistlib
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from click.testing import CliRunner, Result

import keepgraph
from keepgraph.cli import doctor_checks, garden_timers
from keepgraph.cli.clients import Machine
from keepgraph.cli.root import kg
from keepgraph.engine.maintenance.integrity import Check, State

PROGRAM = ["/opt/keep graph/bin/kg"]
ODD = Path('/home/ana/100 % "best" $HOME\\n/graph é.db')


def machine(platform: str, home: Path = Path("/home/ana")) -> Machine:
    return Machine(platform=platform, env={}, home=home)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("graph", [Path("/data/graph.db"), Path("/data/my notes/graph.db")])
def test_a_timer_runs_this_installation_with_this_graph_by_absolute_paths(platform, graph):
    timer = garden_timers.timer(machine(platform), PROGRAM, graph)
    command = garden_timers.command_of(timer.files[0][1])

    assert command == [*PROGRAM, "--db", str(graph), "garden", "--timer"]
    assert garden_timers.graph_of(command) == graph


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_signs_in_a_path_stay_what_they_are(platform):
    timer = garden_timers.timer(machine(platform), PROGRAM, ODD)

    assert garden_timers.graph_of(garden_timers.command_of(timer.files[0][1])) == ODD


def test_a_unit_of_systemd_escapes_what_means_something_there():
    [service, schedule] = garden_timers.timer(machine("linux"), PROGRAM, ODD).files
    [line] = [line for line in service[1].decode().splitlines() if line.startswith("ExecStart=")]

    assert line.startswith('ExecStart="/opt/keep graph/bin/kg" "--db" ')
    assert '100 %% \\"best\\" $$HOME' in line
    assert b"OnCalendar=*-*-* 03:30:00" in schedule[1]
    assert b"Persistent=true" in schedule[1]
    assert service[0].parent == Path("/home/ana/.config/systemd/user")


def test_launchd_gets_a_property_list():
    timer = garden_timers.timer(machine("darwin"), PROGRAM, Path("/data/graph.db"))
    [(file, content)] = timer.files

    assert plistlib.loads(content)["StartCalendarInterval"] == {"Hour": 3, "Minute": 30}
    assert file.parent == Path("/home/ana/Library/LaunchAgents")
    assert ("launchctl", "load", "-w", str(file)) in timer.start


def test_the_task_scheduler_gets_a_task_that_makes_up_for_a_night_it_missed():
    timer = garden_timers.timer(machine("win32"), PROGRAM, Path("/data/a & b.db"))
    text = timer.files[0][1].decode("utf-16")

    assert "<StartWhenAvailable>true</StartWhenAvailable>" in text
    assert "a &amp; b.db" in text
    assert timer.start[0][:3] == ("schtasks", "/Create", "/F")


def test_two_graphs_have_two_timers():
    names = {garden_timers.name(Path(graph)) for graph in ("/a/graph.db", "/b/graph.db", "/a/日本.db", "/a/-.db")}

    assert len(names) == 4
    assert all(PurePosixPath(name).name == name and name.isascii() for name in names)


@pytest.mark.parametrize("content", [b"", b"ExecStart=", b'ExecStart="', b"<?xml <plist", b"\xff\xfe\x00", b"\xff"])
def test_a_file_that_says_nothing_runs_nothing(content):
    assert garden_timers.graph_of(garden_timers.command_of(content)) is None


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs `kg` in a home where the system takes every command, and starts nothing."""
    monkeypatch.setattr(garden_timers, "run", lambda command: None)
    monkeypatch.setattr(doctor_checks, "check_server", lambda ctx: Check("server", State.OK, "not asked"))
    keepgraph.open(home / "g.db").close()

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(kg, ["--db", str(home / "g.db"), *arguments])

    return invoke


def units(home: Path) -> list[str]:
    return sorted(file.suffix for file in (home / "config" / "systemd" / "user").glob("*"))


def test_a_timer_is_installed_seen_by_the_doctor_and_taken_away(run, home):
    dry = run("garden", "--install", "--dry-run")
    nothing = units(home)
    first, second, seen = run("garden", "--install"), run("garden", "--install"), run("doctor")
    there = units(home)
    removed, again = run("garden", "--uninstall"), run("garden", "--uninstall")

    assert [one.exit_code for one in (dry, first, second, removed, again)] == [0] * 5
    assert (nothing, there, units(home)) == ([], [".service", ".timer"], [])
    assert "would be installed" in dry.output
    assert "was installed" in first.output
    assert "is already installed" in second.output
    assert "runs the gardener each night; it has not run yet" in " ".join(seen.output.split())
    assert "is not installed" in again.output


@pytest.mark.parametrize("had_timer", [False, True])
def test_a_full_disk_leaves_no_half_of_a_timer(run, home, monkeypatch, had_timer):
    """
    The second file does not fit: what was there before stays, and nothing else.
    """
    if had_timer:
        run("garden", "--install")
        [service] = (home / "config" / "systemd" / "user").glob("*.service")
        service.write_text("of an earlier version")
    before = {file.name: file.read_bytes() for file in (home / "config" / "systemd" / "user").glob("*")}
    write = Path.write_bytes

    def refuse(path: Path, content: bytes) -> int:
        if ".timer" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", refuse)
    result = run("garden", "--install")

    assert result.exit_code != 0
    assert before == {file.name: file.read_bytes() for file in (home / "config" / "systemd" / "user").glob("*")}


def test_the_doctor_sees_a_timer_whose_program_or_graph_is_gone(run, home):
    run("garden", "--install")
    [service] = (home / "config" / "systemd" / "user").glob("*.service")
    service.write_text(service.read_text().replace('ExecStart="', 'ExecStart="/gone'))
    gone = run("doctor")
    service.with_name("keepgraph-garden-old-1.service").write_text('ExecStart="kg" "--db" "/gone/old.db" "garden"')
    old = run("doctor")

    assert "which does not exist" in " ".join(gone.output.split())
    assert gone.exit_code == 1
    assert "which does not exist" in " ".join(old.output.split())


def test_a_system_that_refuses_is_reported_with_the_commands(run, home, monkeypatch):
    monkeypatch.setattr(garden_timers, "run", lambda command: "no bus")
    result = run("garden", "--install")

    assert result.exit_code == 1
    assert "no bus" in result.output
    assert "systemctl --user enable --now" in result.output


def test_a_graph_whose_key_a_timer_does_not_find_is_pointed_out(run, home):
    keepgraph.open(home / "secret.db", key="ab" * 32).close()
    result = CliRunner().invoke(kg, ["--db", str(home / "secret.db"), "garden", "--install", "--dry-run"])

    assert "at night nobody can give its key" in " ".join(result.output.split())
    assert "nobody is there" not in run("garden", "--install", "--dry-run").output


def test_a_timer_is_not_installed_for_a_graph_that_is_not_there(run, home):
    result = CliRunner().invoke(kg, ["--db", str(home / "none.db"), "garden", "--install"])

    assert result.exit_code == 1
    assert "GRAPH_NOT_FOUND" in result.output
    assert units(home) == []
