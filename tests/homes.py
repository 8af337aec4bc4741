"""A home of its own for a test: the commands run in it, who else is at work there, and what is on its disk."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keyring.errors
import pytest
from click.testing import CliRunner, Result
from keyring.backend import KeyringBackend

from fork_server import python
from keepgraph import permissions, store
from keepgraph.cli import clients
from keepgraph.cli.root import kg
from keepgraph.model import Key

MARKER = "Zanzibar"
"""A word to look for in files that must not have it."""

DIGITS = "0123456789abcdef" * 4
OTHER_DIGITS = "fedcba9876543210" * 4

PHRASE = "correct horse battery"
TYPED_PHRASES = f"{PHRASE}\n" * 9
"""As often as anybody may ask for it."""

Tree = dict[str, tuple[int, bytes | None]]
"""The modes and contents of all files and folders in a folder, by their paths in it; a folder has no content."""


def environment(folder: Path) -> dict[str, str]:
    """That of a process in this home, with nothing in it that was set for graphs or clients elsewhere."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "XDG_", "CLAUDE_"))}
    return {
        **ours,
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }


def desktop() -> Path:
    """Where Claude Desktop has its configuration."""
    return clients.CLIENTS["claude-desktop"].locations(clients.this_machine())[0].file


class Ring(KeyringBackend):
    """A keyring in a file, so that it is as it was when the files are; it can be locked, or not give up what it has."""

    priority = 1

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.locked = False
        self.refuses = False

    def entries(self) -> dict[str, str]:
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")
        return json.loads(self.file.read_text()) if self.file.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        permissions.write(self.file, json.dumps({**self.entries(), f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        entries = self.entries()
        if self.refuses or f"{service}/{username}" not in entries:
            raise keyring.errors.PasswordDeleteError(username)
        del entries[f"{service}/{username}"]
        permissions.write(self.file, json.dumps(entries))


# Commands


def run(*words: str, input: str | None = None) -> Result:
    return CliRunner().invoke(kg, list(words), input=input, prog_name="kg")


def run_ok(*words: str, input: str | None = None) -> str:
    """Run what must succeed."""
    result = run(*words, input=input)
    assert result.exit_code == 0, result.output
    return result.stdout


def error_code(result: Result) -> str | None:
    """The code of a refusal."""
    found = re.search(r"^error: .*\(([A-Z_]+)\)$", result.stderr, re.MULTILINE)
    return found[1] if found and result.exit_code == 1 else None


# Who else is at work

HOLD_OPEN = "import sys, keepgraph; graph = keepgraph.open(sys.argv[1]); print(1, flush=True); sys.stdin.read()"


@contextmanager
def open_elsewhere(path: Path) -> Iterator[None]:
    """Another process has the graph open."""
    with subprocess.Popen(
        [*python(), "-c", HOLD_OPEN, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        other.stdout.readline()
        try:
            yield
        finally:
            other.stdin.close()


END_SUDDENLY = """
import os, sys, keepgraph
path, key, checkpoint, *tags = sys.argv[1:]
graph = keepgraph.open(path, key=key or None)
writer = graph.database._open_writer()
writer.execute("PRAGMA journal_size_limit = -1").fetchall()  # as older versions left their logs
writer.execute(f"PRAGMA wal_checkpoint({checkpoint})")
for tag in tags:
    graph.call("record_fact", subject={"type": "person", "name": "Log"}, predicate="tagged", object={"literal": tag})
os._exit(0)
"""
SIX_TAGS = tuple(f"tag {n}" for n in range(6))


def leave_a_log(path: Path, tags: Sequence[str] = SIX_TAGS, *, key: str = "", checkpoint: str = "TRUNCATE") -> Path:
    """A writer ends all of a sudden, as one that is killed does, and leaves each tag as a transaction in the log."""
    subprocess.run([*python(), "-c", END_SUDDENLY, str(path), key, checkpoint, *tags], check=True)
    return store.wal.file(path)


# What is on the disk


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one example of a property: `tmp_path` is the same for all of them."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def read_files(folder: Path) -> dict[str, bytes]:
    """What is in all files but those by which processes know of each other."""
    every = [file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(("-lock", "-shm", "-wal"))]
    return {str(file.relative_to(folder)): file.read_bytes() for file in every}


def files_with(folder: Path, *texts: str) -> list[str]:
    """The files in which any of these stand as they are."""
    every = [file for file in folder.rglob("*") if file.is_file()]
    return [str(file.relative_to(folder)) for file in every if any(t.encode() in file.read_bytes() for t in texts)]


def table_digests(file: Path, key: Key | None) -> store.copies.TableDigests:
    conn = store.connections.connect(file, "ro", key=key)
    try:
        return store.copies.digest_tables(conn)
    finally:
        conn.close()


def flip(path: Path, at: int, bit: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        was = file.read(1)[0]
        file.seek(at)
        file.write(bytes([was ^ bit]))


def read_tree(folder: Path) -> Tree:
    return {
        str(file.relative_to(folder)): (file.stat().st_mode, file.read_bytes() if file.is_file() else None)
        for file in sorted(folder.rglob("*"))
    }


@dataclass(frozen=True)
class Mould:
    """What was in a home, so that it need not be made again for every test; paths in its small files follow it."""

    home: Path
    tree: Tree

    @classmethod
    def of(cls, home: Path) -> Mould:
        return cls(home, read_tree(home))

    def into(self, home: Path) -> None:
        for name, (mode, content) in self.tree.items():
            file = home / name
            if content is None:
                file.mkdir(exist_ok=True)
            elif name.endswith((".toml", ".key", ".json")):
                file.write_bytes(content.replace(str(self.home).encode(), str(home).encode()))
            else:
                file.write_bytes(content)
            file.chmod(mode & 0o777)


_CHANGES = ("replace", "rename", "unlink", "remove", "fsync", "write", "mkdir", "rmdir", "open")


class Steps:
    """Keeps what is on the disk before each step of a command: what there is if the process ends there.

    A step is a call by which a program changes files, or a copy by SQLite, which may end half written.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        self._looking = False
        self.found: list[tuple[str, Tree]] = []

    def of(self, work: Callable[[], object]) -> list[tuple[str, Tree]]:
        """The states in which something has changed, each with the step that would have come next."""
        self.found = []
        with self._monkeypatch.context() as patch:
            for name in _CHANGES:
                patch.setattr(os, name, self._watched(name, getattr(os, name)))
            for name in ("_copy_pages", "_copy_rows"):
                patch.setattr(store.copies, name, self._halved(name, getattr(store.copies, name)))
            # As if it had been another process: nobody finds its own files again by their number.
            patch.setattr(os, "getpid", lambda: 11)
            work()
        self._look("the end")
        return self.found

    def put(self, tree: Tree) -> None:
        for old in sorted(self._folder.rglob("*"), reverse=True):
            old.rmdir() if old.is_dir() else old.unlink()
        for name, (mode, content) in tree.items():
            file = self._folder / name
            file.mkdir() if content is None else file.write_bytes(content)
            file.chmod(mode & 0o777)

    def _look(self, step: str) -> None:
        if not self._looking:
            self._looking = True
            tree = read_tree(self._folder)
            if not self.found or self.found[-1][1] != tree:
                self.found.append((step, tree))
            self._looking = False

    def _watched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            if name != "open" or arguments[1] & os.O_CREAT:
                self._look(f"before {name} of {Path(str(arguments[0])).name}")
            return original(*arguments, **options)

        return step

    def _halved(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def step(conn: Any, target: Path, key: Key | None) -> None:
            original(conn, target, key)
            tree, whole = read_tree(self._folder), target.read_bytes()
            half = whole[: len(whole) // 2 // store.files.PAGE_SIZE * store.files.PAGE_SIZE]
            tree[str(target.relative_to(self._folder))] = (0o600, half)
            self.found.append((f"half way in {target.name}", tree))

        return step
