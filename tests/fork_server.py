"""Python processes that are forked from one that has loaded all code: a server starts in 0.03 s of CPU instead of 0.8.

`python()` begins a command line as `sys.executable` does, for subprocess and for clients that start what they are told
to; `run` needs no process of its own in between, and may end the work at any instant. A test of what is imported,
of the locale or of a process that is killed from outside starts a process of its own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CAN_FORK = hasattr(os, "fork")

_CLIENT = Path(__file__).with_name("fork_client.py")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code or, below zero, the signal; what it printed; and after how long."""

    code: int
    output: str
    seconds: float


class ForkServer:
    """A process that forks, and how to reach it.

    Args:
        environment: that of the process that loads the code; each that it starts brings its own.
        prefix: the command that starts it, as `unshare -rn`.
    """

    def __init__(self, environment: Mapping[str, str], *, prefix: Sequence[str] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.address = str(Path(self._folder.name) / "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.address)
            listening.listen(64)
            self._process = subprocess.Popen(
                [*prefix, sys.executable, __file__, str(listening.fileno())],
                stdin=subprocess.PIPE,
                pass_fds=[listening.fileno()],
                env={**environment, "HOME": self._folder.name},
                cwd=self._folder.name,
                start_new_session=True,
            )

    def python(self) -> list[str]:
        """The beginning of a command line, in the place of `sys.executable`."""
        return [sys.executable, "-I", "-S", str(_CLIENT), self.address]

    def run(
        self, *words: str, environment: Mapping[str, str], folder: Path | None = None, after: float | None = None
    ) -> Ended:
        """Run Python with these words, with nothing to read, and kill it after so many seconds if it still runs."""
        began = time.monotonic()
        request = marshal.dumps((words, str(folder or Path.cwd()), dict(environment), 0o22))
        with tempfile.TemporaryFile() as printed, self._connected() as us:
            # Nothing has been printed yet: there is nothing to read.
            socket.send_fds(us, [len(request).to_bytes(4, "big")], [printed.fileno()] * 3)
            us.sendall(request)
            _receive(us, 4)
            if after is not None:
                time.sleep(max(0.0, began + after - time.monotonic()))
                us.shutdown(socket.SHUT_WR)
            code = int.from_bytes(_receive(us, 4), "big", signed=True)
            printed.seek(0)
            return Ended(code, printed.read().decode("utf-8", "replace"), time.monotonic() - began)

    def await_killed(self) -> None:
        """See the function of this name."""
        with self._connected() as us:
            socket.send_fds(us, [bytes(4)], [us.fileno()] * 3)
            _receive(us, 4)

    def end(self) -> None:
        self._process.communicate()
        self._folder.cleanup()

    def _connected(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address)
        return connection


_servers: list[ForkServer] = []


def shared() -> ForkServer:
    """The one of this session, started when it is first asked for; it has the environment of the tests."""
    if not _servers:
        _servers.append(ForkServer({name: each for name, each in _ENVIRONMENT.items() if not name.startswith("KG_")}))
    return _servers[0]


def python() -> list[str]:
    """The beginning of a command line that runs Python, forked where the system can do that."""
    return shared().python() if CAN_FORK else [sys.executable]


def await_killed() -> None:
    """Wait until what was forked for commands that have been killed, and waited for, has ended as well."""
    if _servers:
        _servers[0].await_killed()


def end() -> None:
    """End what the session has started."""
    while _servers:
        _servers.pop().end()


_ENVIRONMENT = dict(os.environ)


def _receive(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = connection.recv(size - len(received))
        if not part:
            raise EOFError("the other side has closed the connection")
        received += part
    return received


# In the process that forks


def _load() -> None:
    """Load what commands and servers load, the model too."""
    from keepgraph.cli import root

    for name in {module for _, module, _ in root._COMMANDS.values()}:
        importlib.import_module(f"keepgraph.cli.{name}")
    for name in (
        *("keyring", "mcp.client.stdio", "mcp.server.stdio", "numpy", "tomlkit"),
        *("keepgraph.background", "keepgraph.engine.maintenance.graph_keys", "keepgraph.mcp.server"),
        *("keepgraph.cli.query_prompt", "keepgraph.ml.embedder"),
    ):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as scratch:
        for words in (["record", "person:Ada", "works_on", "project:Engine"], ["recall", "Ada"], ["search", "engine"]):
            with redirect_stdout(io.StringIO()), suppress(SystemExit):
                root.kg.main(["--db", f"{scratch}/graph.db", *words], prog_name="kg")
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


def _serve(listening: socket.socket) -> None:
    """Fork for each request until standard input ends, tell who asked the number of the process, and then its end."""
    _load()
    ended, of_signals = socket.socketpair()
    of_signals.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(of_signals.fileno(), warn_on_full_buffer=False)
    ready = selectors.DefaultSelector()
    ready.register(0, selectors.EVENT_READ)
    ready.register(listening, selectors.EVENT_READ)
    ready.register(ended, selectors.EVENT_READ)
    running: dict[int, socket.socket] = {}
    while True:
        for key, _ in ready.select():
            if key.fileobj == 0:
                for process in running:
                    os.kill(process, signal.SIGKILL)
                return
            if key.fileobj == listening:
                connection = listening.accept()[0]
                with suppress(EOFError, ConnectionError):  # who asked was killed meanwhile
                    process = _fork(connection)
                    if process is None:
                        _end_abandoned(running)
                        connection.sendall(bytes(4))
                    else:
                        running[process] = connection
                        ready.register(connection, selectors.EVENT_READ, process)
            elif key.fileobj == ended:
                ended.recv(4096)
                _answer_ended(running, ready)
            elif key.data in running:
                # Who asked was killed, or says that it is to end.
                ready.unregister(key.fileobj)
                os.kill(key.data, signal.SIGKILL)


def _answer_ended(running: dict[int, socket.socket], ready: selectors.BaseSelector) -> None:
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        connection = running.pop(process)
        with suppress(KeyError):
            ready.unregister(connection)
        with suppress(OSError):
            connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
        connection.close()


def _end_abandoned(running: Mapping[int, socket.socket]) -> None:
    """End the processes for which nobody waits any more."""
    for process, connection in running.items():
        if _is_closed(connection):
            os.kill(process, signal.SIGKILL)
            os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other side has ended; one that was killed before it read our answer resets the connection."""
    try:
        return not connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def _fork(connection: socket.socket) -> int | None:
    """The number of the process that is to run what is asked for; None if nothing is to run."""
    header, files, _, _ = socket.recv_fds(connection, 4, 3)
    if not header.strip(b"\0"):
        for file in files:
            os.close(file)
        return None
    words, folder, environment, umask = marshal.loads(_receive(connection, int.from_bytes(header, "big")))
    process = os.fork()
    if not process:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _run(words, folder, environment, umask, files)
    for file in files:
        os.close(file)
    with suppress(OSError):
        connection.sendall(process.to_bytes(4, "big"))
    return process


def _run(words: Sequence[str], folder: str, environment: dict[str, str], umask: int, files: Sequence[int]) -> None:
    """Become a process that runs Python with these words, and end as it does."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(3, 512)
    os.umask(umask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 (open to the end)
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", closefd=False, errors="backslashreplace", buffering=1)  # noqa: SIM115
    code: Any = 0
    try:
        _interpret(words)
    except SystemExit as ended:
        code = ended.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001 (as the interpreter does)
        traceback.print_exc()
        code = 1
    finally:
        with suppress(BaseException):
            threading._shutdown()
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit((code or 0) & 0xFF)


def _interpret(words: Sequence[str]) -> None:
    option, what, *arguments = words
    sys.path[0] = ""
    sys.argv = [option, *arguments]
    if option == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert option == "-c", option
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), main.__dict__)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
