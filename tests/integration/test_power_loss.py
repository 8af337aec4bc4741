"""What was acknowledged is on disk when the power goes, at whatever moment; and a disk that fails is told, not fatal.

The product runs on a disk of tests/power.py, which keeps every write. What such a disk could hold after a cut is
opened with the product as it is.
"""

from __future__ import annotations

import bisect
import itertools
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import errors, package_files, permissions
from keepgraph.cli.root import kg
from keepgraph.engine.maintenance import backups
from words import NOON, Caller, Clock, concept, connected, fact, literal, person

pytestmark = pytest.mark.usefixtures("graphs_are_made_in_module")

power = pytest.importorskip("power", reason="apsw is not installed")

State = dict[str, list[tuple[Any, ...]]]

ADA, ADAH, GRACE = person("Ada"), person("Adah"), person("Grace")
RELEASED = package_files.migrations()


@contextmanager
def running_on(disk: Any, **options: Any) -> Iterator[None]:
    """Let the product use a disk of ours."""
    driver = power.Driver(disk, **options)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("keepgraph.") and getattr(module, "sqlite", None) is sqlite:
                patch.setattr(module, "sqlite", driver)
        try:
            with disk.watched():
                yield
        finally:
            driver.close()


def opened(path: Path) -> keepgraph.Graph:
    return keepgraph.open(path, clock=Clock())


def held(graph: keepgraph.Graph) -> State:
    """All that a graph holds, as the product reads it."""
    with graph.database.read("look") as tx:
        return power.everything(tx.conn)


def succeeds(answer: dict[str, Any]) -> dict[str, Any]:
    assert "error" not in answer, answer
    return answer


# A life, and its ends


@dataclass(frozen=True)
class Life:
    """What a graph held after each call, and how long the log of the disk was then. At first there was no graph."""

    disk: Any
    ended: list[int]
    states: list[State]

    def may_be_found(self, moment: int) -> list[State]:
        """What was acknowledged; and the same with the call that was under way, the first of which makes the graph."""
        last = bisect.bisect_right(self.ended, moment) - 1
        return self.states[max(last, 0) : last + 2]


def lived(folder: Path, *, synchronous: str | None = None, pages_a_checkpoint: int = 30) -> Life:
    """Let a graph be made, and filled by calls of every kind that writes."""
    life = Life(power.Disk(folder), [], [])
    path, clock = folder / "graph.db", Clock()

    def acknowledged(graph: keepgraph.Graph) -> None:
        life.ended.append(len(life.disk.log))
        life.states.append(held(graph))
        clock.pass_by(seconds=1)

    def open_graph() -> keepgraph.Graph:
        return keepgraph.open(path, clock=clock)

    with running_on(life.disk, synchronous=synchronous, pages_a_checkpoint=pages_a_checkpoint):
        for part in (_recorded, _curated):
            with open_graph() as graph:
                acknowledged(graph)
                for call in part(Caller(graph)):
                    succeeds(call())
                    acknowledged(graph)
        _import(path)
        with open_graph() as graph:
            acknowledged(graph)
            for call in _recorded_later(Caller(graph)):
                succeeds(call())
                acknowledged(graph)
    life.disk.close()
    return life


def _recorded(call: Caller) -> Iterator[Callable[[], dict[str, Any]]]:
    for n in range(6):
        yield lambda n=n: call("record_fact", **fact(ADA, "depends_on", concept(f"Part {n}"), source="a letter"))
    many = [fact(ADAH, "tagged", literal(f"many {n} " + "words " * 30)) for n in range(30)]
    yield lambda: call("record_facts", facts=many, idempotency_key="many")
    yield lambda: call("record_fact", **fact(ADAH, "depends_on", GRACE, aliases=["Adah L."]))


def _curated(call: Caller) -> Iterator[Callable[[], dict[str, Any]]]:
    yield lambda: call("merge_entities", keep={"name": "Ada"}, absorb={"name": "Adah"})
    yield lambda: call("undo")
    told = call("recall_entity", name_or_alias="Grace")["facts"][0]["id"]
    yield lambda: call("retract_fact", fact_id=told)
    yield lambda: call("merge_entities", keep={"name": "Ada"}, absorb={"name": "Adah"})


def _recorded_later(call: Caller) -> Iterator[Callable[[], dict[str, Any]]]:
    for n in range(6):
        yield lambda n=n: call("record_fact", **fact(GRACE, "depends_on", concept(f"Late {n}"), source="a talk"))
    yield lambda: call.graph.database.checkpoint() or {}
    for n in range(3):
        yield lambda n=n: call("record_fact", **fact(GRACE, "tagged", literal(f"late {n}")))


def _import(path: Path) -> None:
    with tempfile.TemporaryDirectory() as elsewhere:
        lines = Path(elsewhere) / "facts.jsonl"
        lines.write_text("".join(json.dumps(fact(GRACE, "tagged", literal(f"line {n}"))) + "\n" for n in range(20)))
        done = CliRunner().invoke(kg, ["--db", str(path), "import", str(lines)])

    assert done.exit_code == 0, done.output


def found(folder: Path, life: Life, moment: int) -> str:
    """What became of a graph after the power went: kept, lost (an earlier state), or damaged."""
    path = folder / "graph.db"
    try:
        with opened(path) as graph:
            state = held(graph)
            if state not in life.may_be_found(moment):
                return "lost" if state in life.states else "damaged: it is what it never was"
            answer = Caller(graph)("record_fact", **fact(person("After"), "tagged", literal("the cut")))
            if "error" in answer:
                return f"damaged: {answer['error']}"
        with connected(path) as conn:
            wrong = power.faults(conn)
    except (keepgraph.KeepgraphError, sqlite.Error, UnicodeError) as error:
        return f"damaged: {error}"
    return f"damaged: {wrong}" if wrong else "kept"


def ends(life: Life, cuts: int, *, seed: int) -> Counter[str]:
    """Cut the power at so many moments after the graph was made, and count what is found."""
    chance = random.Random(seed)
    return after_cuts(life, chance.choices(range(life.ended[0], len(life.disk.log) + 1), k=cuts), chance)


def after_cuts(life: Life, moments: Iterable[int], chance: random.Random) -> Counter[str]:
    replay, seen = power.Replay(life.disk), Counter[str]()
    for moment in sorted(moments):
        replay.advance(moment)
        with left(replay, chance) as folder:
            seen[found(folder, life, moment)] += 1
    return seen


@contextmanager
def left(replay: Any, chance: random.Random) -> Iterator[Path]:
    """A folder with what a disk might hold after a cut."""
    with tempfile.TemporaryDirectory() as folder:
        replay.leave(Path(folder), chance)
        yield Path(folder)


# The power goes


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    return lived(tmp_path_factory.mktemp("life"))


def test_whatever_was_acknowledged_survives_a_power_cut(life):
    assert ends(life, 15, seed=1) == {"kept": 15}


@pytest.mark.slow
@pytest.mark.parametrize("pages_a_checkpoint", [1, 30, 1000])
def test_whatever_was_acknowledged_survives_many_power_cuts(tmp_path, pages_a_checkpoint):
    life = lived(tmp_path, pages_a_checkpoint=pages_a_checkpoint)

    assert ends(life, 200, seed=2) == {"kept": 200}


@pytest.mark.slow
def test_a_disk_that_is_not_synced_after_each_call_loses_some(tmp_path):
    """
    Were the harness blind, the tests above would prove nothing.
    """
    life = lived(tmp_path, synchronous="NORMAL", pages_a_checkpoint=1000)
    seen = ends(life, 30, seed=3)

    assert seen["lost"] > 3


@pytest.mark.slow
def test_a_disk_that_is_never_synced_is_damaged(tmp_path):
    life = lived(tmp_path, synchronous="OFF")
    seen = ends(life, 30, seed=4)

    assert seen["lost"] > 0
    assert sum(times for what, times in seen.items() if what.startswith("damaged")) > 10


def test_a_graph_that_was_being_made_can_be_made_again(life):
    chance = random.Random(5)

    assert after_cuts(life, range(8, 16), chance) == {"kept": 8}


def test_a_graph_that_was_almost_made_can_be_made_again(life):
    """
    Once SQLite keeps a write-ahead log, whatever is missing of the tables is made when the file is opened.
    """
    chance = random.Random(6)

    assert after_cuts(life, chance.choices(range(20, life.ended[0]), k=5), chance) == {"kept": 5}


def cut_twice(life: Life, times: int, *, seed: int) -> Counter[str]:
    """Cut the power, open what is found and record something in it, and cut the power again at any moment of that."""
    chance, replay, seen = random.Random(seed), power.Replay(life.disk), Counter[str]()
    for moment in sorted(chance.choices(range(life.ended[0], len(life.disk.log) + 1), k=times)):
        replay.advance(moment)
        with left(replay, chance) as folder:
            try:
                second = lived_on(folder)
            except keepgraph.KeepgraphError as error:
                seen[f"damaged: {error}"] += 1
                continue
            seen += after_cuts(second, [chance.randint(0, len(second.disk.log))], chance)
    return seen


def lived_on(folder: Path) -> Life:
    """Open what was found after a cut, and record something in it."""
    life = Life(power.Disk(folder), [], [])
    with running_on(life.disk), opened(folder / "graph.db") as graph:
        life.states.append(held(graph))
        life.ended.append(0)
        for n in range(2):
            succeeds(Caller(graph)("record_fact", **fact(GRACE, "tagged", literal(f"again {n}"))))
            life.ended.append(len(life.disk.log))
            life.states.append(held(graph))
    life.disk.close()
    return life


def test_the_power_may_go_again_while_a_graph_recovers(life):
    assert cut_twice(life, 5, seed=7) == {"kept": 5}


@pytest.mark.slow
def test_the_power_may_go_again_and_again_while_a_graph_recovers(life):
    assert cut_twice(life, 120, seed=8) == {"kept": 120}


# The power goes during a migration


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph in it, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    with keepgraph.open(folder / "graph.db", clock=Clock()) as graph:
        for each in (ADA, ADAH):
            facts = [fact(each, "depends_on", concept(f"Part {n}"), source="a letter") for n in range(10)]
            succeeds(Caller(graph)("record_facts", facts=facts))
        succeeds(Caller(graph)("record_fact", **fact(ADA, "depends_on", ADAH)))
    return folder


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code knows one migration more than the graph."""
    script = tmp_path / f"{len(RELEASED) + 1:04d}_next.sql"
    script.write_text(
        "ALTER TABLE entity ADD COLUMN colour TEXT;\n"
        "CREATE TABLE later (id INTEGER PRIMARY KEY, text TEXT) STRICT;\n"
        "INSERT INTO later (text) SELECT text FROM fact;\n"
        "UPDATE fact SET text = text || ' ';\n"
    )
    monkeypatch.setattr(package_files, "migrations", lambda: [*RELEASED, script])


def read(path: Path) -> State:
    """What a file holds, past the door; it must be in order."""
    with connected(path) as conn:
        state = power.everything(conn)
        wrong = power.faults(conn)

    assert wrong == []
    return state


def but_for_the_ledger(state: State) -> State:
    return {table: held for table, held in state.items() if table != "migration"}


def copies(folder: Path) -> list[Path]:
    """What was copied before a migration, the oldest first."""
    return sorted(folder.glob("graph.backups/*.db"))


def migrated(made: Path, folder: Path) -> Any:
    """The disk on which a graph was migrated."""
    shutil.copytree(made, folder)
    disk = power.Disk(folder)
    with running_on(disk):
        opened(folder / "graph.db").close()
    disk.close()
    return disk


def cut_in_migration(disk: Any, old: State, new: State, moments: Iterable[int], *, seed: int) -> None:
    chance, replay = random.Random(seed), power.Replay(disk)
    for moment in sorted(moments):
        replay.advance(moment)
        with left(replay, chance) as folder:
            state = read(folder / "graph.db")

            assert state in (old, new)
            if state == new:
                assert [read(copy) for copy in copies(folder)] == [old]
            with keepgraph.open(folder / "graph.db", clock=Clock(NOON + timedelta(minutes=1))) as graph:
                assert but_for_the_ledger(held(graph)) == but_for_the_ledger(new)


def test_a_power_cut_in_a_migration_leaves_the_graph_before_or_after_it(made, tmp_path, newer):
    old = read(made / "graph.db")
    disk = migrated(made, tmp_path / "new")
    moments = random.Random(9).choices(range(len(disk.log) + 1), k=10)

    cut_in_migration(disk, old, read(tmp_path / "new" / "graph.db"), moments, seed=9)


@pytest.mark.slow
def test_a_power_cut_at_any_moment_of_a_migration_leaves_the_graph_before_or_after_it(made, tmp_path, newer):
    old = read(made / "graph.db")
    disk = migrated(made, tmp_path / "new")

    cut_in_migration(disk, old, read(tmp_path / "new" / "graph.db"), range(len(disk.log) + 1), seed=10)


# The power goes after a copy


def after_a_cut(made: Path, folder: Path, act: Callable[[Path], Path], *, times: int = 12) -> Counter[str]:
    """Let `act` make or replace a file, and cut the power when it is acknowledged: what becomes of that file."""
    shutil.copytree(made, folder)
    disk = power.Disk(folder)
    with running_on(disk):
        file = act(folder / "graph.db")
        moment = len(disk.log)
    disk.close()
    expected, replay, chance = read(file), power.Replay(disk), random.Random(11)
    replay.advance(moment)
    seen = Counter[str]()
    for _ in range(times):
        with left(replay, chance) as cut:
            there = cut / file.relative_to(folder)
            seen["kept" if there.exists() and read(there) == expected else "lost"] += 1
    return seen


def make_backup(path: Path) -> Path:
    with opened(path) as graph:
        return backups.make(graph.database, backups.BY_HAND).file


def restore_older(path: Path) -> Path:
    """Replace a graph with a backup that holds less than it does now."""
    backup = make_backup(path)
    with opened(path) as graph:
        succeeds(Caller(graph)("record_fact", **fact(GRACE, "tagged", literal("later"))))
    backups.restore(path, backup, key=None, others=(), now=NOON, keep=7)
    return path


COPIES = {"a backup": make_backup, "a restore": restore_older}


@pytest.mark.parametrize("act", COPIES.values(), ids=COPIES)
def test_a_file_that_was_made_or_replaced_survives_a_power_cut(made, tmp_path, act):
    assert after_a_cut(made, tmp_path / "new", act) == {"kept": 12}


@pytest.mark.parametrize("act", COPIES.values(), ids=COPIES)
def test_a_file_whose_name_is_not_synced_is_lost_in_some(made, tmp_path, monkeypatch, act):
    """
    Were the harness blind to it, the test above would prove nothing.
    """
    monkeypatch.setattr(permissions, "sync", lambda file: None)

    assert after_a_cut(made, tmp_path / "new", act)["lost"] > 0


# The disk fails


CALLS: dict[str, dict[str, Any]] = {
    "record_fact": fact(GRACE, "depends_on", concept("Compiler"), source="a talk"),
    "record_facts": {"facts": [fact(GRACE, "tagged", literal(f"many {n}")) for n in range(12)]},
    "merge_entities": {"keep": {"name": "Ada"}, "absorb": {"name": "Adah"}},
    "undo": {},
}


@dataclass(frozen=True)
class Trouble:
    """An operation of the disk fails after so many that do not: once, or until it is mended."""

    operation: str
    lasting: bool
    after: int = 0

    def __str__(self) -> str:
        return f"{self.operation}-{'lasting' if self.lasting else 'once'}"


REFUSALS = {"OK", "GRAPH_WRITE_FAILED", "GRAPH_UNAVAILABLE", "GRAPH_DAMAGED", "BACKUP_FAILED"}

MANY = [Trouble("room", True), Trouble("write", False), Trouble("write", True)]
"""Of these there are hundreds of moments; in the sweeps each fails in one of the three ways."""

FEW = [Trouble("sync", False), Trouble("sync", True), Trouble("truncate", False), Trouble("open", True)]
READ = Trouble("read", False)


def fails(
    once: Callable[[Path, Trouble], str | None], folder: Path, trouble: Trouble, *, step: int = 1, first: int = 0
) -> set[str]:
    """Let one operation after the other fail, until there are no more; the codes that were answered."""
    tried = (once(folder / str(after), replace(trouble, after=after)) for after in itertools.count(first, step))
    answered = set(itertools.takewhile(lambda code: code is not None, tried))

    assert answered, "there was nothing to fail"
    return answered


def calling(made: Path, tool: str) -> Callable[[Path, Trouble], str | None]:
    """One call on a disk that fails: what it answers, None where nothing failed. Nothing may be lost or half there."""

    def once(folder: Path, trouble: Trouble) -> str | None:
        shutil.copytree(made, folder)
        path = folder / "graph.db"
        disk = power.Disk(folder)
        with running_on(disk, pages_a_checkpoint=1), opened(path) as graph:
            call, before = Caller(graph), held(graph)
            with failing(disk, trouble):
                answer = call(tool, **CALLS[tool])
            if "error" in answer:
                assert held(graph) == before
                succeeds(call(tool, **CALLS[tool]))
            after, moment = held(graph), len(disk.log)
        disk.close()

        assert after != before
        assert read(path) == after
        replay = power.Replay(disk)
        replay.advance(moment)
        with left(replay, random.Random(trouble.after)) as cut:
            assert read(cut / "graph.db") == after
        with opened(path) as graph:
            succeeds(Caller(graph)("record_fact", **fact(person("After"), "tagged", literal("the trouble"))))
        return answer.get("error", "OK") if disk.failed else None

    return once


@contextmanager
def failing(disk: Any, trouble: Trouble) -> Iterator[None]:
    disk.fail(trouble.operation, after=trouble.after, lasting=trouble.lasting)
    try:
        yield
    finally:
        disk.mend()


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("trouble", MANY[:2], ids=str)
@pytest.mark.parametrize("tool", CALLS)
def test_a_call_that_the_disk_fails_changes_nothing_and_may_be_repeated(made, tmp_path, tool, trouble):
    assert fails(calling(made, tool), tmp_path, trouble, step=47) <= {"OK", "GRAPH_WRITE_FAILED"}


@pytest.mark.slow
@pytest.mark.parametrize("trouble", FEW, ids=str)
@pytest.mark.parametrize("tool", CALLS)
def test_a_call_without_its_files_changes_nothing_and_may_be_repeated(made, tmp_path, tool, trouble):
    answered = fails(calling(made, tool), tmp_path, trouble)

    assert answered <= REFUSALS


@pytest.mark.slow
@pytest.mark.parametrize("trouble", MANY, ids=str)
@pytest.mark.parametrize("tool", CALLS)
def test_a_call_that_the_disk_fails_anywhere_changes_nothing_and_may_be_repeated(made, tmp_path, tool, trouble):
    answered = fails(calling(made, tool), tmp_path, trouble, step=len(MANY), first=MANY.index(trouble))

    assert answered == {"OK", "GRAPH_WRITE_FAILED"}


def test_after_a_rollback_of_sqlite_itself_nothing_is_written_on_that_connection(made, tmp_path):
    """
    It may hold entries of that transaction in memory. After a rollback of ours it holds none, and is kept.
    """
    shutil.copytree(made, tmp_path / "new")
    with opened(tmp_path / "new" / "graph.db") as graph:
        before, used = held(graph), []
        for statement in (
            "INSERT INTO entity_type SELECT * FROM entity_type",
            "INSERT OR ROLLBACK INTO entity_type SELECT * FROM entity_type",
            "SELECT 1",
        ):
            with suppress(errors.GraphWriteFailed), graph.database.write("look") as tx:
                used.append(tx.conn)
                tx.conn.execute(statement)
        after = held(graph)

    assert [used[0] is used[1], used[1] is used[2]] == [True, False]
    assert after == before


@pytest.mark.parametrize("tool", ["record_fact", "undo"])
def test_a_call_that_cannot_read_changes_nothing_and_may_be_repeated(made, tmp_path, tool):
    fails(calling(made, tool), tmp_path, READ, step=19)


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["record_fact", "undo"])
def test_a_call_that_cannot_read_anywhere_changes_nothing_and_may_be_repeated(made, tmp_path, tool):
    fails(calling(made, tool), tmp_path, READ)


def test_a_call_that_is_told_to_stop_in_any_part_of_it_says_so(made, tmp_path, monkeypatch):
    """
    SQLite ends the transaction itself where a statement that writes is interrupted.
    """
    shutil.copytree(made, tmp_path / "graph")

    def told_to_stop(graph: keepgraph.Graph, polls: int) -> str:
        asked = itertools.count()
        with pytest.raises(keepgraph.KeepgraphError) as caught:
            graph.call_until(
                lambda: errors.Cancelled("enough") if next(asked) > polls else None,
                "record_facts",
                CALLS["record_facts"],
            )
        return caught.value.code

    monkeypatch.setattr("keepgraph.store.cancellation._INSTRUCTIONS_BETWEEN_CHECKS", 200)
    with opened(tmp_path / "graph" / "graph.db") as graph:
        answered = {told_to_stop(graph, polls) for polls in range(20)}

    assert answered == {"CANCELLED"}


def test_what_failed_calls_left_in_the_log_is_not_taken_for_damage(made, tmp_path):
    """
    A call that was refused because it could not be synced is in the log, and only its beginning is written over.
    """
    folder = tmp_path / "graph"
    shutil.copytree(made, folder)
    disk = power.Disk(folder)
    with running_on(disk), opened(folder / "graph.db") as graph:
        call = Caller(graph)
        succeeds(call("record_fact", **fact(ADA, "tagged", literal("first"))))
        with failing(disk, Trouble("sync", True)):
            refused = [call(tool, **CALLS[tool]).get("error") for tool in ("merge_entities", "record_fact")]
        succeeds(call("record_fact", **fact(ADA, "tagged", literal("short"))))
        after = held(graph)
        end_suddenly(folder / "graph.db", tmp_path / "found")
    disk.close()

    assert refused == ["GRAPH_WRITE_FAILED"] * 2
    with opened(tmp_path / "found" / "graph.db") as graph:
        assert held(graph) == after


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("trouble", [*MANY, *FEW[:3]], ids=str)
def test_a_graph_closes_on_a_disk_that_fails_and_loses_nothing(made, tmp_path, trouble):
    def once(folder: Path, trouble: Trouble) -> str | None:
        shutil.copytree(made, folder)
        disk = power.Disk(folder)
        with running_on(disk):
            graph = opened(folder / "graph.db")
            succeeds(Caller(graph)("record_fact", **CALLS["record_fact"]))
            after = held(graph)
            with failing(disk, trouble):
                graph.close()
        disk.close()

        assert read(folder / "graph.db") == after
        return "OK" if disk.failed else None

    fails(once, tmp_path, trouble, step=5 if trouble in MANY else 1)


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [*MANY, *FEW, READ], ids=str)
def test_a_migration_that_the_disk_fails_changes_nothing_and_may_be_repeated(made, tmp_path, newer, trouble):
    migrating(made, tmp_path, trouble, step=211 if trouble in (*MANY, READ) else 1)


def test_a_migration_that_the_disk_fails_leaves_no_half_made_copy(made, tmp_path, newer):
    folder = tmp_path / "graph"
    shutil.copytree(made, folder)
    disk = power.Disk(folder)
    with running_on(disk), failing(disk, Trouble("room", True, after=5)):
        code = opening(folder / "graph.db", Clock())
    disk.close()

    assert code == "BACKUP_FAILED"
    assert list((folder / "graph.backups").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [*MANY, READ], ids=str)
def test_a_migration_that_the_disk_fails_anywhere_changes_nothing_and_may_be_repeated(made, tmp_path, newer, trouble):
    """
    Reading fails at every fourth moment.
    """
    if trouble == READ:
        migrating(made, tmp_path, trouble, step=4)
    else:
        migrating(made, tmp_path, trouble, step=len(MANY), first=MANY.index(trouble))


def migrating(made: Path, tmp_path: Path, trouble: Trouble, *, step: int, first: int = 0) -> None:
    old, new = read(made / "graph.db"), but_for_the_ledger(migrated_state(made, tmp_path / "new"))

    def once(folder: Path, trouble: Trouble) -> str | None:
        shutil.copytree(made, folder)
        path, disk = folder / "graph.db", power.Disk(folder)
        with running_on(disk):
            with failing(disk, trouble):
                code = opening(path, Clock())
            if code != "OK":
                # What somebody else would find; the log may hold all of it where only the last sync failed.
                assert but_for_the_ledger(read_copy(path)) in (but_for_the_ledger(old), new)
            with keepgraph.open(path, clock=Clock(NOON + timedelta(minutes=1))) as graph:
                assert but_for_the_ledger(held(graph)) == new
        disk.close()

        assert but_for_the_ledger(read(path)) == new
        assert read(copies(folder)[-1]) == old
        return code if disk.failed else None

    assert fails(once, tmp_path, trouble, step=step, first=first) <= REFUSALS


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [*MANY, *FEW], ids=str)
def test_a_graph_that_could_not_be_made_can_be_made_later(tmp_path, trouble):
    making(tmp_path, trouble, step=331 if trouble in MANY else 1)


@pytest.mark.slow
@pytest.mark.parametrize("trouble", MANY, ids=str)
def test_a_graph_that_could_not_be_made_anywhere_can_be_made_later(tmp_path, trouble):
    making(tmp_path, trouble, step=len(MANY), first=MANY.index(trouble))


def making(tmp_path: Path, trouble: Trouble, *, step: int, first: int = 0) -> None:
    def once(folder: Path, trouble: Trouble) -> str | None:
        folder.mkdir()
        path, disk = folder / "graph.db", power.Disk(folder)
        with running_on(disk):
            with failing(disk, trouble):
                code = opening(path, Clock())
            with opened(path) as graph:
                succeeds(Caller(graph)("record_fact", **CALLS["record_fact"]))
                after = held(graph)
        disk.close()

        assert read(path) == after
        return code if disk.failed else None

    assert fails(once, tmp_path, trouble, step=step, first=first) <= REFUSALS


def opening(path: Path, clock: Clock) -> str:
    try:
        keepgraph.open(path, clock=clock).close()
    except keepgraph.KeepgraphError as error:
        return error.code
    return "OK"


def read_copy(path: Path) -> State:
    """What somebody would read in a file after a sudden end."""
    with tempfile.TemporaryDirectory() as folder:
        end_suddenly(path, Path(folder) / "found")
        return read(Path(folder) / "found" / path.name)


def end_suddenly(path: Path, folder: Path) -> None:
    """Copy what would be there if the process ended now, though the power stayed on."""
    folder.mkdir()
    for ending in ("", "-wal", "-journal"):
        if (file := Path(f"{path}{ending}")).exists():
            shutil.copy(file, folder)


def migrated_state(made: Path, folder: Path) -> State:
    shutil.copytree(made, folder)
    opened(folder / "graph.db").close()
    return read(folder / "graph.db")
