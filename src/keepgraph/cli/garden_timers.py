"""System timers that run the gardener each night, for systemd, launchd and the task scheduler.

The first part makes files and commands; `install` and `remove` write and run them.
"""

from __future__ import annotations

import hashlib
import plistlib
import re
import shlex
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from keepgraph.cli.clients import Machine

HOUR, MINUTE = 3, 30
_PREFIX = "keepgraph-garden-"
_UTF_16 = b"\xff\xfe"


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer for one graph.

    Attributes:
        name: the timer's name, different for each graph.
        files: the contents of its files; the first names the command.
        start, stop: the commands that register and unregister it.
        log: where to read the output of a run, in words.
    """

    name: str
    files: tuple[tuple[Path, bytes], ...]
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]
    log: str


def timer(machine: Machine, program: Sequence[str], graph: Path) -> Timer:
    """The timer that runs `program garden --timer` for a graph, both given as absolute paths."""
    command = [*program, "--db", str(graph), "garden", "--timer"]
    make: Callable[[Machine, Sequence[str], str], Timer] = {"darwin": _launchd, "win32": _task_scheduler}.get(
        machine.platform, _systemd
    )
    return make(machine, command, name(graph))


def name(graph: Path) -> str:
    """The name of the timer of a graph: the name of its file, and a digest of its path."""
    digest = hashlib.sha256(str(graph).encode(errors="surrogateescape")).hexdigest()[:8]
    stem = re.sub(r"[^A-Za-z0-9]+", "-", graph.stem).strip("-")[:40]
    return f"{_PREFIX}{stem}-{digest}" if stem else f"{_PREFIX}{digest}"


def installed(machine: Machine) -> list[Path]:
    """The files of all gardener timers on this machine that name a command."""
    folder, pattern = {
        "darwin": (_launch_agents(machine), f"*.{_PREFIX}*.plist"),
        "win32": (_task_folder(machine), f"{_PREFIX}*.xml"),
    }.get(machine.platform, (_units(machine), f"{_PREFIX}*.service"))
    return sorted(folder.glob(pattern)) if folder.is_dir() else []


def command_of(content: bytes) -> list[str]:
    """The command in the file of a timer; empty if there is none."""
    if content.startswith(_UTF_16):
        return _command_of_task(content.decode("utf-16", errors="replace"))
    if content.startswith(b"<?xml"):
        return _command_of_property_list(content)
    return _command_of_unit(content.decode(errors="surrogateescape"))


def graph_of(command: Sequence[str]) -> Path | None:
    """The graph that the command of a timer is for."""
    return Path(command[command.index("--db") + 1]) if "--db" in command[:-1] else None


def _systemd(machine: Machine, command: Sequence[str], timer_name: str) -> Timer:
    service = f"""\
[Unit]
Description=Keepgraph: check a graph and propose changes

[Service]
Type=oneshot
Nice=10
ExecStart={" ".join(map(_quoted_for_systemd, command))}
"""
    schedule = f"""\
[Unit]
Description=Keepgraph: check a graph each night

[Timer]
OnCalendar=*-*-* {HOUR:02}:{MINUTE:02}:00
RandomizedDelaySec=30min
Persistent=true

[Install]
WantedBy=timers.target
"""
    folder, control = _units(machine), ("systemctl", "--user")
    return Timer(
        timer_name,
        files=(
            (folder / f"{timer_name}.service", _encoded(service)),
            (folder / f"{timer_name}.timer", _encoded(schedule)),
        ),
        start=((*control, "daemon-reload"), (*control, "enable", "--now", f"{timer_name}.timer")),
        stop=((*control, "disable", "--now", f"{timer_name}.timer"),),
        log=f"journalctl --user -u {timer_name}",
    )


def _launchd(machine: Machine, command: Sequence[str], timer_name: str) -> Timer:
    label = f"local.{timer_name}"
    file = _launch_agents(machine) / f"{label}.plist"
    log = machine.home / "Library" / "Logs" / f"{timer_name}.log"
    content = plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": list(command),
            "StartCalendarInterval": {"Hour": HOUR, "Minute": MINUTE},
            "ProcessType": "Background",
            "StandardOutPath": str(log),
            "StandardErrorPath": str(log),
        }
    )
    return Timer(
        timer_name,
        files=((file, content),),
        start=(("launchctl", "unload", str(file)), ("launchctl", "load", "-w", str(file))),
        stop=(("launchctl", "unload", "-w", str(file)),),
        log=str(log),
    )


def _task_scheduler(machine: Machine, command: Sequence[str], timer_name: str) -> Timer:
    program, *arguments = command
    content = f"""\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{HOUR:02}:{MINUTE:02}:00</StartBoundary>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(subprocess.list2cmdline(arguments))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
    file = _task_folder(machine) / f"{timer_name}.xml"
    return Timer(
        timer_name,
        files=((file, _UTF_16 + content.encode("utf-16-le")),),
        start=(("schtasks", "/Create", "/F", "/TN", timer_name, "/XML", str(file)),),
        stop=(("schtasks", "/Delete", "/F", "/TN", timer_name),),
        log=f"the history of the task {timer_name}",
    )


def _units(machine: Machine) -> Path:
    given = Path(machine.env.get("XDG_CONFIG_HOME", ""))
    return (given if given.is_absolute() else machine.home / ".config") / "systemd" / "user"


def _launch_agents(machine: Machine) -> Path:
    return machine.home / "Library" / "LaunchAgents"


def _task_folder(machine: Machine) -> Path:
    given = Path(machine.env.get("LOCALAPPDATA", ""))
    return (given if given.is_absolute() else machine.home / "AppData" / "Local") / "keepgraph" / "timers"


def _quoted_for_systemd(word: str) -> str:
    """A word of a command line in a unit, where %, $, quotes and backslashes mean something."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _command_of_unit(text: str) -> list[str]:
    for line in text.splitlines():
        if line.startswith("ExecStart="):
            try:
                words = shlex.split(line.removeprefix("ExecStart="))
            except ValueError:
                return []
            return [word.replace("%%", "%").replace("$$", "$") for word in words]
    return []


def _command_of_property_list(content: bytes) -> list[str]:
    from xml.parsers.expat import ExpatError

    try:
        document = plistlib.loads(content)
    except (ValueError, ExpatError, plistlib.InvalidFileException):
        return []
    arguments = document.get("ProgramArguments", []) if isinstance(document, dict) else []
    return [str(argument) for argument in arguments]


def _command_of_task(text: str) -> list[str]:
    program, arguments = (_between(text, tag) for tag in ("Command", "Arguments"))
    return [program, *_split_windows(arguments)] if program else []


def _between(text: str, tag: str) -> str:
    from xml.sax.saxutils import unescape

    match = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return unescape(match[1]) if match else ""


def _split_windows(arguments: str) -> list[str]:
    """The arguments in a command line as `list2cmdline` writes it, for paths without quotes in them."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', arguments)]


# Installation and removal of a timer.

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class _TimerChange:
    """The result for a timer.

    Attributes:
        became: installed, replaced, unchanged, removed or absent.
        problem: why the system did not accept it, or None.
    """

    became: str
    problem: str | None = None


def install(timer: Timer, *, dry_run: bool) -> _TimerChange:
    """Write the files of a timer, all or none, readable by their owner only, and register it.

    Raises:
        OSError: a file cannot be written.
    """
    existing = [file.read_bytes() if file.is_file() else None for file, _ in timer.files]
    contents = [content for _, content in timer.files]
    became = "unchanged" if existing == contents else "installed" if not any(existing) else "replaced"
    if dry_run:
        return _TimerChange(became)
    parts = [file.with_name(f".{file.name}.part") for file, _ in timer.files]
    try:
        for part, content in zip(parts, contents, strict=True):
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
            part.chmod(0o600)
        for part, (file, _) in zip(parts, timer.files, strict=True):
            part.replace(file)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    return _TimerChange(became, _run_all(timer.start))


def remove(timer: Timer, *, dry_run: bool) -> _TimerChange:
    """Unregister a timer, and delete its files."""
    files = [file for file, _ in timer.files if file.is_file()]
    if not files or dry_run:
        return _TimerChange("removed" if files else "absent")
    problem = _run_all(timer.stop)
    for file in files:
        with suppress(FileNotFoundError):
            file.unlink()
    return _TimerChange("removed", problem)


def _run_all(commands: Sequence[Sequence[str]]) -> str | None:
    """Run commands; returns the problem of the last, which is the one that counts."""
    problem = None
    for command in commands:
        problem = run(command)
    return problem


def run(command: Sequence[str]) -> str | None:
    """Run a system command; returns the problem in one line, or None."""
    try:
        done = subprocess.run(  # noqa: S603 (the commands of this module)
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]}: {error}"
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return None if done.returncode == 0 else (lines[-1] if lines else f"{command[0]} ended with {done.returncode}")
