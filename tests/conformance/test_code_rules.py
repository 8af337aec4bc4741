"""Rules of the code that import-linter cannot hold: where SQL, commits, clocks and the environment may stand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import keepgraph

PACKAGE = Path(keepgraph.__file__).resolve().parent

SLOW = {"jsonschema", "rich", "mcp", "platformdirs", "rapidfuzz", "numpy", "torch", "sentence_transformers"}
SLOW_BUT_AT_HOME = {("mcp", "mcp")}
PURE_OR_BELOW_DISPATCH = {"tools", "engine", "ml", "cypher", "language", "formats", "temporal", "arrays"}

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE)\s")


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def layer(module: str) -> str:
    return module.split(".")[0]


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(file: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """The full names of the modules, or things in modules, that these nodes import."""
    package = ["keepgraph", *file.relative_to(PACKAGE).parent.parts]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is imported: everything but the bodies of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_once(child)


def docstrings(module: ast.Module) -> set[int]:
    """The ids of the nodes that are docstrings, or strings that stand alone for a reader."""
    return {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}


def texts(file: Path) -> Iterator[str]:
    """All strings of a module but those written for a reader."""
    read = docstrings(tree(file))
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in read:
            yield node.value


FILES = sorted(PACKAGE.rglob("*.py"))
every_module = pytest.mark.parametrize("file", FILES, ids=[module_name(file) for file in FILES])


@every_module
def test_a_module_opens_with_a_docstring(file):
    opening = (ast.get_docstring(tree(file)) or "").split("\n")[0]

    assert opening.endswith((".", '"')), "one sentence that says what it knows"


@every_module
def test_slow_libraries_are_imported_when_they_are_needed(file):
    found = {name.split(".")[0] for name in imports(file, at_once(tree(file)))}
    wrong = {name for name in found & SLOW if (layer(module_name(file)), name) not in SLOW_BUT_AT_HOME}

    assert set() == wrong


@every_module
def test_sql_is_written_in_the_store(file):
    here = module_name(file)
    wrong = [text for text in texts(file) if SQL.match(text)]

    assert wrong == [] or layer(here) == "store" or here.startswith("cypher.sql.")


@every_module
def test_only_the_database_commits(file):
    calls = [node.attr for node in ast.walk(tree(file)) if isinstance(node, ast.Attribute) and node.attr == "commit"]
    spoken = [text for text in texts(file) if re.match(r"\s*(COMMIT|END TRANSACTION)\b", text)]

    assert calls + spoken == [] or module_name(file) == "store.database"


@every_module
def test_only_the_interfaces_catch_everything(file):
    broad = [
        node.lineno
        for node in ast.walk(tree(file))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None or "Exception" in {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)}
        )
    ]

    assert broad == [] or layer(module_name(file)) in ("cli", "mcp")


@every_module
def test_nothing_below_the_interfaces_reads_the_environment(file):
    read = {
        node.attr
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
    }

    assert set() == read or layer(module_name(file)) in ("cli", "mcp", "profiles")


@every_module
def test_nothing_below_dispatch_reads_a_clock(file):
    asked = {
        f"{ast.unparse(node.func)}()"
        for node in ast.walk(tree(file))
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("now", "today", "utcnow", "time_ns")
        )
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "time.time")
    }

    assert set() == asked or layer(module_name(file)) not in PURE_OR_BELOW_DISPATCH


@every_module
def test_nothing_prints_but_the_command_line(file):
    printed = [
        node.lineno
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]

    assert printed == [] or layer(module_name(file)) == "cli"


def test_an_exact_question_loads_nothing_slow(tmp_path):
    asked = f"""
import sys, keepgraph
with keepgraph.open({str(tmp_path / "graph.db")!r}) as graph:
    graph.call("record_fact", subject={{"type": "person", "name": "Ada"}}, predicate="tagged",
               object={{"literal": "here"}}, aliases=["Augusta"])
    assert graph.call("recall_entity", name_or_alias="augusta")["entity"]["name"] == "Ada"
print(*sorted({SLOW!r} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    # To compare a new name with the others costs rapidfuzz; nothing else may be loaded.
    assert set() == set(done.stdout.split()) - {"rapidfuzz"}


def test_the_package_offers_only_what_is_listed():
    public = {name for name in vars(keepgraph) if not name.startswith("_")}
    modules = {file.stem for file in PACKAGE.glob("*.py")} | {folder.name for folder in PACKAGE.iterdir()}

    assert set(keepgraph.__all__) == (public - modules) | {"__version__"}
