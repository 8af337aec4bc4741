"""What is made or loaded at the first use is like what is there at once."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import keepgraph
from keepgraph import lazy


def classes(dataclass: Callable[..., Any]) -> SimpleNamespace:
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 0
        tags: list[str] = dataclasses.field(default_factory=list, compare=False)
        secret: str = dataclasses.field(default="", repr=False)
        size: int = dataclasses.field(init=False, compare=False, repr=False)
        UNIT: ClassVar[str] = "m"

        def __post_init__(self) -> None:
            object.__setattr__(self, "size", self.x + self.y)

    @dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = "none"

        def __str__(self) -> str:
            return f"{self.name} of {self.size} {self.UNIT}"

    @dataclass(slots=True)
    class Counter:
        count: int = 0
        seen: set[int] = dataclasses.field(default_factory=set)
        set: str = "a field"

    @dataclass(frozen=True)
    class Line:
        start: int
        width: int = 1

        @functools.cached_property
        def end(self) -> int:
            return self.start + self.width

    return SimpleNamespace(Point=Point, Named=Named, Counter=Counter, Line=Line)


BOTH = classes(dataclasses.dataclass), classes(lazy.dataclass)


def error(act: Callable[[], Any]) -> type[Exception] | None:
    try:
        act()
    except (TypeError, AttributeError, re.error) as found:
        return type(found)
    return None


@pytest.mark.parametrize(
    "ask",
    [
        lambda of: repr(of.Named(1, name="Ana", secret="no")),
        lambda of: str(of.Named(1, 2)),
        lambda of: of.Point(1, 2) == of.Point(1, 2, ["a tag"]),
        lambda of: of.Point(1) != of.Point(2),
        lambda of: of.Point(1) == of.Named(1),
        lambda of: hash(of.Point(1)) == hash(of.Point(1)),
        lambda of: len({of.Point(1), of.Point(1), of.Named(1)}),
        lambda of: of.Point(1).tags is of.Point(1).tags,
        lambda of: repr(dataclasses.replace(of.Named(1, 2), x=4)),
        lambda of: dataclasses.replace(of.Named(1, 2), x=4).size,
        lambda of: [field.name for field in dataclasses.fields(of.Named)],
        lambda of: dataclasses.asdict(of.Counter(3)),
        lambda of: of.Named.__match_args__[:2],
        lambda of: hasattr(of.Named(1), "__dict__"),
        lambda of: error(lambda: setattr(of.Point(1), "x", 2)),
        lambda of: error(lambda: delattr(of.Point(1), "x")),
        lambda of: error(lambda: of.Point()),
        lambda of: error(lambda: of.Point(1, nothing=2)),
        lambda of: error(lambda: hash(of.Counter())),
        lambda of: setattr(made := of.Counter(), "count", 2) or repr(made),
        lambda of: repr(of.Counter(count=1, seen={2})),
        lambda of: (line := of.Line(3)).end == 4 and vars(line),
        lambda of: of.Line(3) == of.Line(3, 1) and hash(of.Line(3)) == hash(of.Line(3)),
        lambda of: error(lambda: setattr(of.Line(3), "end", 5)),
    ],
)
def test_a_lazy_dataclass_is_as_the_standard_one(ask):
    standard, lazy = BOTH

    assert ask(standard) == ask(lazy)


def test_a_lazy_pattern_is_compiled_when_it_is_used():
    pattern = lazy.compile(r"(?P<year>\d{4})-\d\d", re.ASCII)
    wrong = lazy.compile("(")

    assert pattern.fullmatch("2026-11")["year"] == "2026"
    assert pattern.sub("", "of 2026-11") == "of "
    assert pattern.flags == re.ASCII
    assert error(lambda: wrong.search("")) is re.error


SUBMODULES = """
import sys, threading
from keepgraph.language import abbreviations, phonetics, typos

assert "keepgraph.language.phonetics" not in sys.modules
threads = [threading.Thread(target=lambda: typos.MIN_LETTERS) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
abbreviations.set_here = 1
import keepgraph.language.abbreviations as loaded

print(loaded.set_here, typos.__name__, hasattr(phonetics, "nothing"), phonetics.__doc__ is not None)
try:
    from keepgraph.language import nothing
except ImportError:
    print("not there")
"""


def test_a_submodule_is_loaded_when_it_is_used():
    done = subprocess.run([sys.executable, "-c", SUBMODULES], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["1 keepgraph.language.typos False True", "not there"]


RECORDING = """
import sys, keepgraph
from contextlib import contextmanager
from keepgraph.store.database import Database

write = Database.write

@contextmanager
def noting(*arguments, **options):
    with write(*arguments, **options) as tx:
        before = {*sys.modules}
        yield tx
        print(sorted({*sys.modules} - before))

with keepgraph.open(sys.argv[1]) as graph:
    Database.write = noting
    for name in ("Ana", "Bo"):
        graph.call(
            "record_fact",
            subject={"type": "person", "name": name},
            predicate="works_on",
            object={"type": "project", "name": "Atlas"},
        )
"""


def test_no_code_is_loaded_while_other_writers_wait(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RECORDING, str(tmp_path / "graph.db")], stdout=subprocess.PIPE, text=True, check=True
    )

    assert done.stdout.splitlines() == ["[]", "[]"]


def test_each_pattern_and_each_dataclass_of_the_program_can_be_made():
    """
    A mistake in one would be found at its first use only.
    """
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(keepgraph.__path__, "keepgraph.")
        if not found.name.endswith("__main__")
    ]
    parts = [part for module in modules for part in vars(module).values()]
    patterns = [part for part in parts if isinstance(part, lazy._Pattern)]
    made = [part for part in parts if isinstance(part, type) and "__own__" in vars(part)]

    assert len(patterns) > 100
    assert len(made) > 100
    for pattern in patterns:
        assert pattern.match is not None
    for each in made:
        assert dataclasses.fields(each) is not None
        assert callable(each.__init__)
