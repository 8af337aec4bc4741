"""A process that is forked for a test does what one that is started anew does: `fork_server.python()`."""

from __future__ import annotations

import marshal
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fork_server import await_killed, python, shared


@pytest.fixture(params=["started", "forked"])
def start(request: pytest.FixtureRequest) -> list[str]:
    return python() if request.param == "forked" else [sys.executable]


def ended(start: list[str], code: str, *words: str, **options: object) -> tuple[int, str, str]:
    done = subprocess.run([*start, "-c", code, *words], capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout, done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; print(__name__, sys.argv)", (0, "__main__ ['-c', 'ä', '']\n", "")),
        ("import sys; print(sys.stdin.read().upper()); sys.exit(7)", (7, "ÜBER\n", "")),
        ("import sys; sys.exit('no')", (1, "", "no")),
        ("1 / 0", (1, "", "ZeroDivisionError: division by zero")),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", (-signal.SIGKILL, "", "")),
        ("raise KeyboardInterrupt", (-signal.SIGINT, "", "KeyboardInterrupt")),
        ("import atexit; atexit.register(print, 'end')", (0, "end\n", "")),
        ("import threading; threading.Timer(0.05, print, ['late']).start()", (0, "late\n", "")),
    ],
    ids=["words", "input", "text", "error", "killed", "interrupted", "at exit", "thread"],
)
def test_it_reads_prints_and_ends_as_one_that_is_started(start, code, expected):
    assert ended(start, code, "ä", "", input="über") == expected


def test_it_has_the_folder_the_environment_and_the_mask_of_who_asks(start, tmp_path):
    code = "import os, tempfile; print(os.getcwd(), sorted(os.environ), oct(os.umask(0)), tempfile.gettempdir())"
    environment = {"TMPDIR": str(tmp_path), "LC_CTYPE": "C.UTF-8"}
    before = os.umask(0o27)
    try:
        done = ended(start, code, cwd=tmp_path, env=environment)
    finally:
        os.umask(before)

    assert done == (0, f"{tmp_path} {sorted(environment)} 0o27 {tmp_path}\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_comes_through(start, number):
    code = f"""
import signal, sys, time
signal.signal({int(number)}, lambda number, frame: sys.exit(40 + number))
print("ready", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([*start, "-c", code], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        child.send_signal(number)

    assert child.returncode == 40 + number


def test_it_is_ended_when_its_command_is_killed(tmp_path):
    with subprocess.Popen([*python(), "-c", "import time; print(1, flush=True); time.sleep(60)"], stdout=-1) as child:
        child.stdout.readline()
        child.kill()
        child.wait()
        await_killed()

        assert child.stdout.read() == b""


def test_a_command_that_is_killed_before_it_is_answered_ends_no_server():
    for _ in range(20):
        with subprocess.Popen([*python(), "-c", "import time; time.sleep(60)"]) as child:
            child.kill()
        await_killed()
    with socket.socket(socket.AF_UNIX) as us:
        us.connect(shared().address)
        request = marshal.dumps((("-c", "import time; time.sleep(60)"), os.getcwd(), {}, 0o22))
        socket.send_fds(us, [len(request).to_bytes(4, "big")], [0, 1, 2])
        us.sendall(request)
        assert select.select([us], [], [], 60)[0]  # the answer is there, and stays unread
    await_killed()

    assert ended(python(), "print(1)") == (0, "1\n", "")


def test_a_package_is_run_as_a_program(start, tmp_path: Path):
    command = [*start, "-m", "keepgraph.cli", "--db", str(tmp_path / "graph.db")]
    subprocess.run([*command, "record", "person:Ada", "tagged", "=x"], check=True, capture_output=True)
    done = subprocess.run([*command, "recall", "Ada"], check=True, capture_output=True, text=True)

    assert done.stdout.startswith("Ada  person\n")
