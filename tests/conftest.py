"""What every test may ask for: an open graph in a file of its own, a clock to set, and a way to call tools."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import _pytest.pathlib
import keyring
import pytest
from _pytest.runner import runtestprotocol
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings
from keyring.backends import fail

import fork_server
import homes
import keepgraph
import laws
from keepgraph import package_files, store
from keepgraph.cli import clients
from keepgraph.cli.output import terminal as output
from keepgraph.cli.root import kg
from keepgraph.engine import vector_backfill
from keepgraph.profiles import keys
from keepgraph.store.database import Database
from words import Caller, Clock, FillOnce, Kg, counted

# Several workers share the cores. Threads of linear algebra would wait for each other there by using up time: a test of
# vectors took three times as long. It is set before numpy is loaded, and for the processes that tests start.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# Thousands of tests sync small files, and none of them cuts the power but on a disk of its own making (power.py): the
# files are in memory, where there is room for them.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 << 30:
    tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)

# A link to the last folder of each test would stay when the folder is gone, and each new folder is made after a look at
# all that is beside it: beside 2,400 links that took 1.3 ms for each of thousands of tests, instead of 0.1.
_pytest.pathlib._force_symlink = lambda root, target, link_to: None

# What is collected makes more than half a million objects that stay to the end. To look among them for what could go,
# while they are made and after it, took four seconds of ten and a tenth of a second time and again. While the
# tests run, they are looked at seldom: at the usual threshold that took 27 s of CPU of 640.
gc.disable()

# Where the tests run in the background, interrupts may be ignored, by whatever they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "calm",
    max_examples=300 if laws.IS_SWEEP else 50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("calm")

ZURICH = ZoneInfo("Europe/Zurich")

_make = Database._migrate


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most of the cases that are sampled to the slow run; what it tries has the time that it needs.

    Each property is a law, of which the sweeps try many examples.
    """
    cases: Counter[str] = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            promise = item.nodeid.partition("[")[0]
            if cases[promise] % sampled.kwargs["one_in"]:
                item.add_marker(pytest.mark.slow)
            cases[promise] += 1
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.law)
        if item.get_closest_marker("slow") or laws.IS_SWEEP:
            item.add_marker(pytest.mark.timeout(1800))


def pytest_sessionfinish() -> None:
    fork_server.end()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Report one thing of a test that passes, not five: each report goes from a worker to who counts them."""
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """A read waits for its backfill as long as that takes: on a busy machine no model is loaded within a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_backfill, "MAX_SECONDS_OF_A_READ", 120.0)
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def run(path: Path) -> Kg:
    """Call `kg` on the graph at `path`; options are those of CliRunner.invoke."""

    def call(*words: str, **options: Any) -> Result:
        return CliRunner().invoke(kg, ["--db", str(path), *words], prog_name="kg", **options)

    return call


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new graph to copy: to make one takes ten times as long as to open it."""
    file = tmp_path_factory.mktemp("blank") / "graph.db"
    keepgraph.open(file, clock=Clock()).close()
    return file


@pytest.fixture(scope="session", autouse=True)
def new_graphs_are_copies(blank: Path) -> Iterator[None]:
    """What a command or a call makes as a new graph is a copy of one that was made once, in a tenth of the time.

    Not an encrypted one, nor one whose settings declare words of its own. A test of how a graph is made asks for
    `graphs_are_made`.
    """

    def copy_or_make(database: Database) -> None:
        settings = database.path.with_suffix(".toml")
        is_standard = database.key is None and not (settings.is_file() and "vocabulary" in settings.read_text())
        if not is_standard or database.path.stat().st_size:
            _make(database)
            return
        database._close_connections()
        shutil.copyfile(blank, database.path)
        database._file = database._identify_file()
        assert database._unlock(iter([None]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_migrate", copy_or_make)
        yield


def _made() -> Iterator[None]:
    """A new graph is made by the migrations, as a user's is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_migrate", _make)
        yield


graphs_are_made = pytest.fixture(_made, name="graphs_are_made")
graphs_are_made_in_module = pytest.fixture(_made, scope="module", name="graphs_are_made_in_module")
"""The same, for all tests and fixtures of a module."""


@pytest.fixture
def later_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Called, it lets the code know one migration more than the graphs that were made before."""

    def add() -> None:
        known = package_files.migrations()
        file = tmp_path / f"{len(known) + 1:04d}_later.sql"
        file.write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n", encoding="utf-8")
        monkeypatch.setattr(package_files, "migrations", lambda: (*known, file))

    return add


@pytest.fixture(scope="session")
def new_file(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Copies a new graph into a folder of its own, for each example of a property."""

    folders = map(str, itertools.count())
    root = tmp_path_factory.mktemp("new")

    def copy() -> Path:
        folder = root / next(folders)
        folder.mkdir()
        return Path(shutil.copy(blank, folder / "graph.db"))

    return copy


@pytest.fixture(scope="session")
def fill_once(tmp_path_factory: pytest.TempPathFactory) -> FillOnce:
    """Fills a new file by a call, and by a copy of what that made when the same is asked again.

    Three commands that record take thirty times as long as the copy. What is in a file already, it leaves there.
    """
    filled: dict[str, Path] = {}

    def fill_or_copy(path: Path, fill: Callable[[], None]) -> None:
        name = f"{fill.__module__}.{fill.__qualname__}"
        if path.exists():
            fill()
        elif name in filled:
            shutil.copyfile(filled[name], path)
        else:
            fill()
            assert not path.with_name(f"{path.name}-wal").exists(), "it is open"
            filled[name] = Path(shutil.copy(path, tmp_path_factory.mktemp("filled") / "graph.db"))

    return fill_or_copy


@pytest.fixture
def open_graph(path: Path, clock: Clock, blank: Path) -> Iterator[Callable[..., keepgraph.Graph]]:
    """Opens graphs, in one file unless told otherwise, and closes them at the end.

    A new plain one is a copy. A test of how a graph is made says `create=True`, or calls `keepgraph.open`.
    """
    new_id = counted()
    with ExitStack() as stack:

        def open(where: Path = path, **options: Any) -> keepgraph.Graph:
            is_plain = {"key", "ask", "create", "read_only"}.isdisjoint(options)
            if is_plain and where.parent.is_dir() and not list(where.parent.glob(f"{where.stem}*")):
                shutil.copy(blank, where)
            options = {"zone": ZURICH, "clock": clock, "new_id": new_id, **options}
            return stack.enter_context(keepgraph.open(where, **options))

        yield open


@pytest.fixture
def graph(open_graph: Callable[..., keepgraph.Graph]) -> keepgraph.Graph:
    """A new graph."""
    return open_graph()


@pytest.fixture
def call(graph: keepgraph.Graph) -> Caller:
    return Caller(graph)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passphrase that is stretched for a moment only."""
    monkeypatch.setattr(keys, "_ARGON2", {"memory_kib": 64, "iterations": 1, "lanes": 1})


@pytest.fixture
def home(quick: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with nothing in it, neither keys in the environment nor a keyring, in which nobody waits for long."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        ours = homes.environment(folder)
        for name in os.environ.keys() - ours.keys():
            monkeypatch.delenv(name)
        for name, value in ours.items() - os.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(store.copies, "LOCK_TIMEOUT_SECONDS", 0.1)
        keyring.set_keyring(fail.Keyring())
        yield folder


@pytest.fixture
def ring(home: Path) -> Iterator[homes.Ring]:
    """A keyring in this home."""
    ours = homes.Ring(home / "ring.json")
    keyring.set_keyring(ours)
    yield ours
    keyring.set_keyring(fail.Keyring())


@pytest.fixture
def own_server_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server that `kg install` and `kg doctor` start begins sooner than the one of a user."""
    monkeypatch.setattr(clients, "own_command", lambda: [*fork_server.python(), "-m", "keepgraph.cli"])


@pytest.fixture
def graph_file(home: Path) -> Path:
    """Where the graph of the default profile is."""
    return home / "data" / "keepgraph" / "default.db"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits there and types."""
    monkeypatch.setattr(output, "can_ask", lambda: True)
