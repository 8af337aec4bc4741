"""Installing and removing a timer: its files are written, and the system is told."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from keepgraph.cli.garden.timers import Timer

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class TimerChange:
    """What became of a timer.

    Attributes:
        became: installed, replaced, unchanged, removed or absent.
        problem: why the system does not know of it yet; None where it does.
    """

    became: str
    problem: str | None = None


def install(timer: Timer, *, dry_run: bool) -> TimerChange:
    """Write the files of a timer, each for its owner alone, and let the system start it."""
    existing = [file.read_bytes() if file.is_file() else None for file, _ in timer.files]
    contents = [content for _, content in timer.files]
    became = "unchanged" if existing == contents else "installed" if not any(existing) else "replaced"
    if dry_run:
        return TimerChange(became)
    for file, content in timer.files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o600)
    return TimerChange(became, _run_all(timer.start))


def remove(timer: Timer, *, dry_run: bool) -> TimerChange:
    """Let the system forget a timer, and delete its files."""
    files = [file for file, _ in timer.files if file.is_file()]
    if not files or dry_run:
        return TimerChange("removed" if files else "absent")
    problem = _run_all(timer.stop)
    for file in files:
        with suppress(FileNotFoundError):
            file.unlink()
    return TimerChange("removed", problem)


def _run_all(commands: Sequence[Sequence[str]]) -> str | None:
    """Run commands; what was wrong with the last of them, which is the one that counts."""
    problem = None
    for command in commands:
        problem = run(command)
    return problem


def run(command: Sequence[str]) -> str | None:
    """Run a command of the system; what was wrong, in a line, or None."""
    try:
        done = subprocess.run(  # noqa: S603 (the commands of timers.py)
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        return f"there is no {command[0]} here"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command[0]}: {error}"
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return None if done.returncode == 0 else (lines[-1] if lines else f"{command[0]} ended with {done.returncode}")
