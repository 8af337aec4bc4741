"""Long work that is ended at any instant: what was there is there, and running it again finishes it."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import fork_server
import keepgraph
from homes import environment
from keepgraph import package_files, store
from keepgraph.engine.exchange import export
from keepgraph.engine.maintenance import backups
from keepgraph.profiles import keys, settings_file
from words import concept, fact, person

Command = Callable[..., tuple[int, float]]

FACTS = [
    fact(person(f"Person {n % 40}"), "depends_on", concept(f"Thing {n}"), source=f"note {n}", aliases=[f"P{n % 40}"])
    for n in range(400)
]


@pytest.fixture(scope="module")
def kg(tmp_path_factory) -> Command:
    """Runs a command in a process of its own, ended after so many seconds; its exit code, and how long it took."""
    ours = environment(tmp_path_factory.mktemp("home"))

    def run(
        *words: str, after: float | None = None, program: Sequence[str] = ("-m", "keepgraph.cli")
    ) -> tuple[int, float]:
        ended = fork_server.shared().run(*program, *words, environment=ours, after=after)
        return ended.code, ended.seconds

    return run


@dataclass
class Kept:
    """A folder as it is before the work, to be copied for each try: plain or encrypted."""

    folder: Path

    def copied(self, into: Path) -> Path:
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(self.folder, into)
        settings = into / "graph.toml"
        if settings.exists():
            settings.write_text(settings.read_text().replace(str(self.folder), str(into)))
        return into / "graph.db"


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Kept:
    folder = tmp_path_factory.mktemp("plain")
    filled(folder / "graph.db")
    return Kept(folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Kept:
    """A plain graph for work that takes long: each of its names and facts is a pass of a model."""
    folder = tmp_path_factory.mktemp("small")
    filled(folder / "graph.db", FACTS[:60])
    return Kept(folder)


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, kg) -> Kept:
    folder = tmp_path_factory.mktemp("encrypted")
    filled(folder / "graph.db")
    assert kg("--db", str(folder / "graph.db"), "backup")[0] == 0
    done = kg("--db", str(folder / "graph.db"), "encrypt", "--key-file", str(folder / "graph.key"))
    assert done[0] == 0
    return Kept(folder)


WITH_LATER_MIGRATION = """
import pathlib, tempfile
from keepgraph import package_files
later = pathlib.Path(tempfile.mkdtemp()) / f"{len(package_files.migrations()) + 1:04d}_later.sql"
later.write_text("CREATE TABLE later (text TEXT) STRICT;\\nINSERT INTO later SELECT text FROM fact;")
migrations = (*package_files.migrations(), later)
package_files.migrations = lambda: migrations
"""


@pytest.fixture
def older(plain, monkeypatch) -> Kept:
    """The plain one, while this process, and that of a command, know one migration more."""
    monkeypatch.setattr(package_files, "migrations", package_files.migrations)
    exec(WITH_LATER_MIGRATION, {})
    return plain


def filled(path: Path, facts: Sequence[dict[str, Any]] = FACTS) -> None:
    with keepgraph.open(path) as graph:
        assert graph.call("record_facts", facts=list(facts))["refused"] == 0


def said(path: Path) -> list[Any]:
    """What is in a graph, opened as anybody would."""
    with keepgraph.open(path, create=False) as graph:
        return list(export.stream_lines(graph.database))


def is_sound(path: Path) -> None:
    with keepgraph.open(path, create=False) as graph:
        key = graph.database.key
    conn = store.connections.connect(path, "ro", key=key)
    try:
        assert store.copies.find_problems(conn, encrypted=key is not None) == []
    finally:
        conn.close()
    kept = keys.read(path.with_suffix(".key")) if path.with_suffix(".key").exists() else []
    for backup in backups.list_all(path):
        used = next((each for each in (key, None, *kept) if store.copies.opens_with(backup.file, each)), "none")
        assert used != "none"
        store.copies.verify(backup.file, key=used)


def instants(seconds: float, times: int) -> Iterator[float]:
    """Moments spread over the time that the work takes when it is left alone."""
    chance = random.Random(7)
    for n in range(times):
        yield seconds * (n + chance.random()) / times


def filled_in(words: Sequence[str], path: Path) -> list[str]:
    return [word.replace("FOLDER", str(path.parent)) for word in words]


@dataclass
class Work:
    """A command that changes much, on which kind of graph, and whether it ends where it was when half done."""

    words: tuple[str, ...]
    on: str
    same: bool = True
    program: tuple[str, ...] = ("-m", "keepgraph.cli")


WORKS = {
    "encrypt": Work(("encrypt", "--key-file", "FOLDER/graph.key"), "plain"),
    "decrypt": Work(("decrypt", "--yes"), "encrypted"),
    "rekey": Work(("rekey",), "encrypted"),
    "restore": Work(("restore", "--yes"), "encrypted"),
    "backup": Work(("backup",), "encrypted"),
    "migrate": Work(
        ("status",), "older", program=("-c", f"{WITH_LATER_MIGRATION}from keepgraph.cli import main; main()")
    ),
    "reindex": Work(("reindex", "--anew"), "small"),
    "merge": Work(("merge", "person:Person 1", "person:Person 2", "--yes"), "encrypted", same=False),
    "clear": Work(("clear", "--yes"), "encrypted", same=False),
}


def ended_again_and_again(work: Work, kept: Kept, kg: Command, tmp_path: Path, times: int) -> None:
    before = said(kept.copied(tmp_path / "before"))
    done = kept.copied(tmp_path / "done")
    code, seconds = kg("--db", str(done), *filled_in(work.words, done), program=work.program)
    assert code == 0
    allowed = [before] if work.same else [without_times(before), without_times(said(done))]
    for after in instants(seconds, times):
        path = kept.copied(tmp_path / "try")
        words = ["--db", str(path), *filled_in(work.words, path)]
        code, _ = kg(*words, after=after, program=work.program)
        found = said(path)

        assert (found if work.same else without_times(found)) in allowed, (code, after)
        is_sound(path)
        again = [word for word in words if word not in ("--key-file", str(path.with_suffix(".key")))]
        if work.same:
            assert kg(*again, program=work.program)[0] in (0, 1)
            assert said(path) == before
            is_sound(path)


def without_times(lines: list[Any]) -> list[Any]:
    """What a graph says, but for when it was told and retracted: each try does so at another time."""
    return json.loads(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", "T", json.dumps(lines)))


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_work_that_is_ended_at_any_instant_loses_nothing(name, kg, tmp_path, request):
    work = WORKS[name]
    ended_again_and_again(work, request.getfixturevalue(work.on), kg, tmp_path, 3)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", WORKS)
def test_work_that_is_ended_at_many_instants_loses_nothing(name, kg, tmp_path, request):
    work = WORKS[name]
    ended_again_and_again(work, request.getfixturevalue(work.on), kg, tmp_path, 16)


def imports_that_are_ended(kg: Command, plain: Kept, tmp_path: Path, times: int) -> None:
    whole = said(plain.copied(tmp_path / "whole"))
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in whole))
    key = keys.new()
    for n in range(times):
        path = tmp_path / f"import {n}" / "graph.db"
        path.parent.mkdir()
        keys.write(path.with_suffix(".key"), [key], about="A key.")
        settings_file.update(path, {("key", "source"): "file", ("key", "file"): str(path.with_suffix(".key"))})
        words = ["--db", str(path), "import", str(file)]
        kg(*words, after=0.02 + 0.6 * random.Random(n).random())
        if path.exists() and path.stat().st_size:
            assert all(line in whole for line in said(path))
            is_sound(path)
        assert kg(*words)[0] == 0
        assert said(path) == whole
        is_sound(path)
        shutil.rmtree(path.parent)


def test_an_import_that_is_ended_goes_on_where_it_was(kg, plain, tmp_path):
    imports_that_are_ended(kg, plain, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_import_that_is_ended_again_and_again_goes_on_where_it_was(kg, plain, tmp_path):
    imports_that_are_ended(kg, plain, tmp_path, 20)


def test_nothing_plain_is_left_of_an_encryption_that_was_ended(kg, plain, tmp_path):
    """
    The plain graph itself may be there still; a half-made copy of an encrypted one may not be plain.
    """
    for n in range(4):
        path = plain.copied(tmp_path / f"try {n}")
        key_file = str(path.with_suffix(".key"))
        kg("--db", str(path), "encrypt", "--key-file", key_file, after=0.05 + n * 0.08)
        assert kg("--db", str(path), "encrypt")[0] in (0, 1)
        left = [file for file in path.parent.rglob("*") if file.is_file() and b"Thing 1" in file.read_bytes()]

        assert left == []


def test_an_ended_decryption_leaves_no_plain_copy_beside_an_encrypted_graph(kg, encrypted, tmp_path):
    for n in range(6):
        path = encrypted.copied(tmp_path / f"try {n}")
        kg("--db", str(path), "decrypt", "--yes", after=0.02 + n * 0.05)
        keepgraph.open(path, create=False).close()
        left = [file for file in path.parent.rglob("*") if file.is_file() and b"Thing 1" in file.read_bytes()]

        assert left in ([], [path])
