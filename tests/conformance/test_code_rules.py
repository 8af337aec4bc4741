"""Rules of the code that import-linter cannot hold: where SQL, commits, clocks and the environment may stand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import model
from keepgraph.store import migrations

PACKAGE = Path(keepgraph.__file__).resolve().parent
MODULE_LIST = PACKAGE.parent.parent / "docs" / "modules.md"

SLOW = {
    "jsonschema",
    "rich",
    "mcp",
    "platformdirs",
    "rapidfuzz",
    "numpy",
    "re2",
    "torch",
    "py3langid",
    "sentence_transformers",
}
SLOW_BUT_AT_HOME = {
    ("mcp", "mcp"),
    ("arrays", "numpy"),
    ("engine.topology", "numpy"),
    ("engine.retrieval.expansion", "numpy"),
    ("engine.analysis.communities", "numpy"),
    ("engine.analysis.link_prediction", "numpy"),
    ("engine.analysis.graph_map", "numpy"),
}
"""Packages that load a slow library at once; they are loaded themselves by what needs them, and not before."""
PURE_OR_BELOW_DISPATCH = {"tools", "engine", "ml", "cypher", "language", "formats", "temporal", "arrays"}

STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|ATTACH|SAVEPOINT)\s")
SQL_WORD = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM|JOIN|INTO|VALUES|SET|WHERE|AND|OR|NOT|IN|IS|NULL|LIKE|GLOB"
    r"|BETWEEN|EXISTS|CASE|WHEN|THEN|ELSE|END|ORDER|GROUP|BY|HAVING|LIMIT|OFFSET|UNION|DISTINCT|AS|ON|WITH)\b"
)
CYPHER_TEXTS = (
    "cli.query_prompt",
    "cypher.binder",
    "cypher.type_inference",
    "cypher.dialect",
    "cypher.query_repair",
    "cypher.syntax",
    "engine.query.schema",
    "engine.query.empty_results",
    "errors",
)
"""Modules and packages with queries in Cypher, or with advice on it: its words are those of SQL for the most part."""

CLOCKS = {"now", "today", "utcnow", "time", "time_ns", "localtime", "gmtime", "ctime"}
MONOTONIC_CLOCKS = {f"{clock}{unit}" for clock in ("monotonic", "perf_counter", "process_time") for unit in ("", "_ns")}
COUNT_DEADLINES = {
    "engine.analysis.ontology_search",
    "engine.vector_backfill",
    "engine.query.bounds",
    "engine.query.empty_results",
    "engine.texts.ingestion",
    "engine.texts.mention_index",
    "store.cancellation",
    "store.connections",
    "store.file_locks",
    "store.writer_queue",
}
REPORT_EXECUTION_TIME = {"tools.discovery", "tools.query_command"}

FORMS_OF_NAMES = {"Name", "FORM_SEPARATOR", "clean", "first_letters", "segment_characters", "without_small_words"}
STATIONS_OF_A_RECALL = (
    "engine.knowledge.entities",
    "engine.resolution",
    "engine.retrieval.node_lookup",
    "engine.retrieval.question_analysis",
    "language.abbreviations",
    "language.name_variants",
    "language.paraphrases",
    "language.name_similarity",
    "tools.memory",
)
"""A recall passes through these, and they are handed a `Name`."""

NAME_WORDS_OF_THE_CORE = ("cli.adding", "cli.demo", "mcp.instructions", "mcp.prompts", "tools.contract.internal_types")
"""These speak to people, programs and language models in the words of the core, which no graph lacks: `kg decide`."""

KEYS = {"project", "source", "decision"}
"""Such keys have arguments and answers of tools, files of settings, and columns of tables."""

OTHER_MEANINGS = {
    "tagged": ("cypher.sql",),  # an encoding of values
    "decision": ("cli.output.answers", "engine.knowledge.rollup"),  # the noun of a count
    "person": ("store.communities", "english"),  # who gave a name; an English noun
    "project": (
        "language.name_styles",  # the English word beside a name
        "store.journal",  # a column
        "store.purge",
    ),
    "source": (
        "cli.encryption",
        "engine.analysis",
        "engine.query.graph_catalogue",
        "engine.maintenance.graph_keys",
        "formats.csv_tables",
        "language.chunking",
        "profiles.settings_file",
    ),
}
"""Words of the core in another meaning, each with the modules in which it has that."""

VAGUE = """
    base common core data extra general handler handlers helper helpers impl info item items logic manager misc new obj
    old other others processor runner stuff things tmp tool util utils various wrapper
"""
FIGURATIVE = """
    brain clerk courier desk diary doorman driving fate gate growing habits introductions kitchen ladder larder lenses
    librarian likeness magic moments oracle reach rung rungs sense shelf story surroundings taste trouble wrappings
"""
TERMS = {"tool", "common_words", "derived_data"}
"""Such a word in a term of the field, or of ours."""


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def layer(module: str) -> str:
    return module.split(".")[0]


def is_within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes(code: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(code))


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


@cache
def strings(module: ast.Module) -> tuple[tuple[int, str], ...]:
    """All strings of a module but those written for a reader, each with its line; `{}` stands for what is put in."""
    skipped = {id(node.value) for node in nodes(module) if isinstance(node, ast.Expr)}
    found = []
    for node in nodes(module):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in node.values)
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            found.append((node.lineno, text))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append((node.lineno, node.value))
    return tuple(found)


def texts(file: Path) -> Iterator[str]:
    return (text for _, text in strings(tree(file)))


FILES = sorted(PACKAGE.rglob("*.py"))
assert len(FILES) > 100


def offenders(offences: Callable[[str, ast.Module], Iterator[tuple[int, str]]]) -> list[str]:
    """Where a rule is broken: each module with the line, and what is there."""
    modules = {module_name(file): tree(file) for file in FILES}
    return [f"{name}:{line}: {what}" for name, code in modules.items() for line, what in offences(name, code)]


@cache
def names_in_schema() -> tuple[frozenset[str], frozenset[str]]:
    """The tables of a graph, and their columns; those of one letter, as x and y, mean anything in a text."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    migrations.apply(conn, Path(":memory:"), now=datetime.now(UTC), before_first=lambda _: None)
    columns = conn.execute(
        """
        SELECT t.name, c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
        WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'
        """
    ).fetchall()
    conn.close()
    named = frozenset(column for _, column in columns if len(column) > 1)
    return frozenset(table for table, _ in columns), named


def is_sql(module: str, text: str) -> bool:
    """Whether a text is SQL, or part of it: two of its words, in capitals, with a table or a column of ours."""
    tables, columns = names_in_schema()
    if STATEMENT.match(text) or re.search(rf"\b(FROM|JOIN|INTO|UPDATE) ({'|'.join(tables)})\b", text):
        return True
    if len(SQL_WORD.findall(text)) < 2 or is_within(module, *CYPHER_TEXTS):
        return False
    return not (tables | columns).isdisjoint(re.findall(r"\w+", text))


MAX_CHANGELOG_BYTES = 9_000


def test_the_changelog_is_one_page_for_each_release():
    releases = re.split(
        r"^## ", (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )[1:]

    assert releases
    assert [each.split("\n")[0] for each in releases if len(each.encode()) > MAX_CHANGELOG_BYTES] == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("engine.query.graph_catalogue", "{}.retracted_at IS NULL"),
        ("engine.query.graph_catalogue", " AND {}.valid_from <= {} AND {} < {}.valid_to"),
        ("tools.memory", "ORDER BY recorded_at"),
        ("tools.memory", "\n    SELECT 1"),
        ("cypher.plan.planner", "WHERE fact IN ({})"),
        ("cypher.syntax.parser", "what is read FROM entity"),
    ],
)
def test_the_rule_on_sql_sees_every_part_of_a_statement(module, text):
    assert is_sql(module, text)


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("tools.memory", "The source of a fact, and NOT its subject."),
        ("engine.query.schema", "MATCH (n) WHERE n.name IS NOT NULL RETURN n.name ORDER BY n.name"),
        ("cypher.functions", "LIST<{}> NOT NULL"),
    ],
)
def test_the_rule_on_sql_lets_cypher_and_sentences_pass(module, text):
    assert not is_sql(module, text)


def test_a_module_opens_with_a_docstring():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        opening = (ast.get_docstring(code) or "").split("\n")[0]
        if not opening.endswith((".", '"')):
            yield 1, "has no sentence that says what it knows"

    assert offenders(offences) == []


def test_every_module_is_listed_with_its_first_sentence():
    """
    `make fmt` writes the list; `make lint` sees that the sentences are those of the modules.
    """
    listed = re.findall(r"^- `(.+?)`: .+[.!?\"]$", MODULE_LIST.read_text(encoding="utf-8"), re.MULTILINE)

    assert set(listed) ^ {file.relative_to(PACKAGE).as_posix() for file in FILES} == set(), "not written anew"


def test_no_module_has_a_vague_or_figurative_name():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        words = {word for part in module.split(".") if part not in TERMS for word in part.split("_")}
        if words := words & set(f"{VAGUE} {FIGURATIVE}".split()):
            yield 1, f"named with {', '.join(sorted(words))}"

    assert offenders(offences) == []


def test_slow_libraries_are_imported_when_they_are_needed():
    wrong = [
        f"{module_name(file)}: {library}"
        for file in FILES
        for library in {name.split(".")[0] for name in imports(file, at_once(tree(file)))} & SLOW
        if not any(is_within(module_name(file), home) and library == loaded for home, loaded in SLOW_BUT_AT_HOME)
    ]

    assert wrong == []


def test_sql_is_written_in_the_store():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        if not is_within(module, "store", "cypher.sql"):
            yield from ((line, text) for line, text in strings(code) if is_sql(module, text))

    assert offenders(offences) == []


def test_a_bound_number_of_rows_has_a_plus_before_it():
    """
    SQLite compiles a statement anew whenever a placeholder that is all of its LIMIT is bound: `LIMIT +:limit`.
    """

    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        yield from ((line, text) for line, text in strings(code) if re.search(r"\bLIMIT [:?]", text))

    assert offenders(offences) == []


def readings_of_sql(code: ast.Module) -> Iterator[tuple[int, str]]:
    """Where SQL is written as text, or something is told from its text, instead of by the tree of `cypher.sql`."""
    for node in nodes(code):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
            wrong = not all(re.fullmatch(r'[\w$."]*', part) for part in parts)
        elif isinstance(node, ast.Constant):
            wrong = isinstance(node.value, str) and STATEMENT.match(node.value) is not None
        elif isinstance(node, ast.Compare):
            names = {ast.unparse(side).rpartition(".")[2] for side in (node.left, *node.comparators)}
            literal = any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in ast.walk(node))
            wrong = bool(names & {"sql", "text"}) and (literal or isinstance(node.ops[0], ast.In | ast.NotIn))
        else:
            wrong = isinstance(node, ast.Attribute) and node.attr in READERS_OF_TEXT
        if wrong:
            yield node.lineno, ast.unparse(node)


READERS_OF_TEXT = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "format", "sub"}


@pytest.mark.parametrize(
    "line",
    [
        "term.sql == 'NULL'",
        "term.sql in ('TRUE', 'FALSE')",
        "PREFIX in sql",
        "node.sql.startswith('iif(')",
        "f'({left} = {right})'",
        "re.sub(pattern, number, sql)",
        "value.rpartition(' AS ')",
        "sql.format(row=row)",
        "'SELECT 1'",
    ],
)
def test_the_rule_on_the_tree_of_sql_sees_what_is_read_from_text(line):
    assert list(readings_of_sql(ast.parse(line)))


def test_sql_is_a_tree_until_it_is_rendered():
    """
    Names of columns and aliases, and paths in a property bag, may be put together; SQL is not.
    """

    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        if is_within(module, "cypher.sql") and module != "cypher.sql.rendering":
            yield from readings_of_sql(code)

    assert offenders(offences) == []


def test_only_the_store_uses_the_connection_of_a_transaction():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        for node in nodes(code):
            if isinstance(node, ast.Attribute) and node.attr == "conn" and layer(module) != "store":
                yield node.lineno, ast.unparse(node)

    assert offenders(offences) == []


def test_only_the_database_commits():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        if module == "store.database":
            return
        for node in nodes(code):
            if isinstance(node, ast.Attribute) and node.attr == "commit":
                yield node.lineno, ast.unparse(node)
        yield from ((line, text) for line, text in strings(code) if re.match(r"\s*(COMMIT|END TRANSACTION)\b", text))

    assert offenders(offences) == []


def test_only_the_interfaces_catch_everything():
    """
    But for what is raised again.
    """

    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        for node in nodes(code):
            if isinstance(node, ast.ExceptHandler) and layer(module) not in ("cli", "mcp", "web", "background"):
                caught = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else set()
                again = any(isinstance(part, ast.Raise) and part.exc is None for part in ast.walk(node))
                if not caught or "Exception" in caught or ("BaseException" in caught and not again):
                    yield node.lineno, ast.unparse(node).split("\n")[0]

    assert offenders(offences) == []


def test_nothing_below_the_interfaces_reads_the_environment():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        for node in nodes(code):
            if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb"):
                yield node.lineno, ast.unparse(node)

    assert [each for each in offenders(offences) if layer(each.split(":")[0]) not in ("cli", "mcp", "profiles")] == []


def clocks(code: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    """Where a clock is named, of a class or of the module `time`; and whatever is imported out of that module."""
    for node in nodes(code):
        if isinstance(node, ast.Attribute) and node.attr in names:
            if ast.unparse(node.value) in ("time", "date", "datetime", "datetime.date", "datetime.datetime"):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield node.lineno, ast.unparse(node)


def test_nothing_below_dispatch_reads_a_clock():
    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        return clocks(code, CLOCKS) if layer(module) in PURE_OR_BELOW_DISPATCH else iter(())

    assert offenders(offences) == []


def test_monotonic_clocks_count_deadlines_and_nothing_else():
    """
    What a call answers depends on `tx.now`. How long it may go on is counted in a few places.
    """

    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        if layer(module) in PURE_OR_BELOW_DISPATCH | {"store"}:
            yield from clocks(code, MONOTONIC_CLOCKS)

    assert {each.split(":")[0] for each in offenders(offences)} - COUNT_DEADLINES - REPORT_EXECUTION_TIME == set()


@cache
def core_words() -> frozenset[str]:
    """The entity types and predicates that every graph has."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    migrations.apply(conn, Path(":memory:"), now=datetime.now(UTC), before_first=lambda _: None)
    words = conn.execute("SELECT name FROM entity_type UNION ALL SELECT name FROM predicate").fetchall()
    conn.close()
    return frozenset(word for (word,) in words)


def words_of_the_core(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings of a module that name an entity type or a predicate of the core: whole, or quoted in SQL."""
    if is_within(module, *NAME_WORDS_OF_THE_CORE):
        return
    parents: dict[ast.AST, ast.AST] = {}
    quoted = re.compile(rf"'({'|'.join(sorted(core_words()))})'")
    docstrings = {id(node.value) for node in nodes(code) if isinstance(node, ast.Expr)}
    for node in nodes(code):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in docstrings:
            continue
        if node.value in core_words():
            parents = parents or {child: parent for parent in nodes(code) for child in ast.iter_child_nodes(parent)}
            is_named_so = is_within(module, *OTHER_MEANINGS.get(node.value, ()))
            if not (is_named_so or is_style(node, parents, module) or is_key(node, parents)):
                yield node.lineno, repr(node.value)
        elif quoted.search(node.value):
            yield node.lineno, repr(node.value)


def is_style(node: ast.Constant, parents: dict[ast.AST, ast.AST], module: str) -> bool:
    """Whether a string names a style of names: its statement, or what its function returns, says so."""
    if node.value not in get_args(model.NameStyle):
        return False
    if is_within(module, "language"):
        return True  # it knows no entity types
    statement: ast.AST = node
    while not isinstance(statement, ast.stmt | ast.comprehension):
        statement = parents[statement]
    return bool(re.search("style|default_type", ast.unparse(statement).lower()))


def is_key(node: ast.Constant, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a string that may be a key of an argument or an answer is one: `project` or `source`."""
    parent = parents[node]
    if node.value not in KEYS:
        return False
    if isinstance(parent, ast.Dict):
        return any(node is key for key in parent.keys)
    if isinstance(parent, ast.Call):
        called = ast.unparse(parent.func)
        return node is parent.args[0] and called.endswith((".get", ".pop", "click.argument", "_needs_to_resolve"))
    return isinstance(parent, ast.Subscript)


@pytest.mark.parametrize(
    "code",
    [
        'fact.predicate == "belongs_to"',
        'entity.type == "person"',
        'resolve(tx, name, of_types=["project"])',
        'CREATED = {"concept": "a concept"}',
        "run(\"SELECT id FROM predicate WHERE name = 'tagged'\")",
        'entity.type in ("source", "decision")',
    ],
)
def test_the_rule_on_words_of_the_core_sees_them_as_types_and_predicates(code):
    assert list(words_of_the_core("engine.knowledge.decisions", ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        'answer["project"]',
        'answer = {"source": fact.source}',
        'vocabulary.style(entity.type) == "person"',
        'vocabulary.default_type("person")',
        'vocabulary.names_of_role("part_of", "tags")',
        '"a decision belongs to a project"',
    ],
)
def test_the_rule_on_words_of_the_core_lets_keys_and_styles_pass(code):
    assert list(words_of_the_core("engine.knowledge.decisions", ast.parse(code))) == []


def test_no_word_of_the_core_is_used_as_a_type_or_a_predicate():
    """
    Which words there are is data: code asks the vocabulary for styles and roles.
    """
    assert offenders(words_of_the_core) == []


def test_nothing_prints():
    """
    The command line writes by click, which knows of colours, pagers and closed pipes.
    """

    def offences(module: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        for node in nodes(code):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                yield node.lineno, ast.unparse(node)

    assert offenders(offences) == []


def test_one_place_inserts_a_text():
    """
    The storage of texts, but for import: that inserts the rows of another graph as they were there.
    """
    insert = re.compile(r"\b(episodes\.insert(_chunk)?|transfer\.insert_(episodes|chunks))$")
    called: dict[str, set[str]] = {}
    for file in FILES:
        attributes = (node for node in nodes(tree(file)) if isinstance(node, ast.Attribute))
        names = {ast.unparse(node) for node in attributes if node.attr.startswith("insert")}
        for name in {*names, *imports(file, iter(nodes(tree(file))))}:
            if match := insert.search(name):
                called.setdefault(module_name(file), set()).add(match[1])
    written = {
        module_name(file) for file in FILES for text in texts(file) if re.search(r"INTO (episode|chunk) \(", text)
    }

    assert called == {
        "engine.texts.storage": {"episodes.insert", "episodes.insert_chunk"},
        "engine.exchange.import_episodes": {"transfer.insert_episodes", "transfer.insert_chunks"},
    }
    assert written == {"store.episodes", "store.transfer"}


def test_one_module_computes_what_a_name_is_made_of():
    """The folded form, the words and the Latin letters come from `Name`; a recall takes the key from there as well."""

    def computed_elsewhere(here: str, code: ast.Module) -> Iterator[tuple[int, str]]:
        allowed = FORMS_OF_NAMES if is_within(here, *STATIONS_OF_A_RECALL) else {*FORMS_OF_NAMES, "key"}
        for node in nodes(code):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "normalisation":
                used = {node.attr}
            elif isinstance(node, ast.ImportFrom) and node.module == "keepgraph.language.normalisation":
                used = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == "anyascii":
                used = {"anyascii"} if here != "language.normalisation" else set()
            else:
                continue
            yield from ((node.lineno, name) for name in sorted(used - allowed))

    assert offenders(computed_elsewhere) == []


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

    assert public - modules - {"TYPE_CHECKING"} <= set(keepgraph.__all__)
    assert [name for name in keepgraph.__all__ if not hasattr(keepgraph, name)] == []


def test_a_package_with_lazy_submodules_lists_all_of_them():
    """
    The type checker sees a submodule as an attribute only through the list in the package's `__init__.py`. Where there
    is no list, it refuses the attribute, and submodules are imported by name.
    """
    wrong = []
    lazy = [file for file in PACKAGE.rglob("__init__.py") if "lazy_submodules" in file.read_text(encoding="utf-8")]
    for file in lazy:
        listed = {
            alias.name
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module != "keepgraph"
            for alias in node.names
        } - {"TYPE_CHECKING"}
        present = {path.stem for path in file.parent.glob("*.py")} - {"__init__"}
        present |= {path.parent.name for path in file.parent.glob("*/__init__.py")}
        if listed:
            wrong += [(str(file.relative_to(PACKAGE)), name) for name in sorted(listed ^ present)]

    assert lazy
    assert wrong == []
