"""Queries that want to write, to go on for ever, to take all memory, or make no sense: each gets an answer in time."""

from __future__ import annotations

import functools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from fork_server import python
from keepgraph import errors, store
from keepgraph.engine.query import bounds, query_pipeline
from words import Caller, dump, fact, literal, person, project

SOON = 0.3
BY_THEN = 10.0
"""In seconds of this process at work: what else the machine does must not fail a test that holds."""

CELLS = 12
GRID = [
    fact(
        {"type": "concept", "name": f"Cell {x} {y}"}, "depends_on", {"type": "concept", "name": f"Cell {to[0]} {to[1]}"}
    )
    for x in range(CELLS)
    for y in range(CELLS)
    for to in ((x + 1, y), (x, y + 1), (y, x))
    if max(to) < CELLS
]
FACTS = [
    fact(person("Ada Lovelace"), "reports_to", person("Grace Hopper"), source="chart"),
    fact(person("Grace Hopper"), "reports_to", person("Mary Jackson")),
    fact(project("Atlas"), "tagged", literal("urgent")),
    fact(project("Ada Lovelace"), "depends_on", project("Ada Lovelace")),
]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with keepgraph.open(tmp_path_factory.mktemp("grid") / "graph.db") as graph:
        graph.call("record_facts", facts=[*FACTS, *GRID])
        yield Caller(graph)


# Nothing is written


NASTY = [
    "'; DROP TABLE fact; --",
    "') UNION SELECT public_id FROM entity --",
    "x'); DELETE FROM entity; --",
    'x"y',
    "x`y",
    "a]b",
    "{row}",
    "{at}",
    "{group}",
    "?1",
    ":known",
    "%s",
    "\\'",
    "\u0000",
    "\u2028",
    "\uff07; DROP TABLE fact",
    "/* */ --",
    "cypher_add",
    "load_extension",
    "$.x",
    '$."x"',
    "",
]
PLACES: list[Callable[[str], tuple[str, dict[str, Any]]]] = [
    lambda word: (f"MATCH (n:{_ticked(word)}) RETURN n", {}),
    lambda word: (f"MATCH (n)-[:{_ticked(word)}*1..2]->(m) RETURN n", {}),
    lambda word: (f"MATCH (n)-[:{_ticked(word)}]->(m) RETURN count(*)", {}),
    lambda word: (f"MATCH (n {{{_ticked(word)}: 1}}) RETURN n.{_ticked(word)}", {}),
    lambda word: (f"MATCH (n) RETURN n.{_ticked(word)} AS {_ticked(word)}, count(*) ORDER BY {_ticked(word)}", {}),
    lambda word: (f"MATCH ({_ticked(word)}) WITH {_ticked(word)} LIMIT 1 RETURN {_ticked(word)}", {}),
    lambda word: (f"RETURN {{{_ticked(word)}: 1}} AS m", {}),
    lambda word: (f"RETURN {_ticked(word)}(1)", {}),
    lambda word: (f"RETURN ${_ticked(word)} AS x", {word: word}),
    lambda word: (f"MATCH (n) WHERE n.name = {_quoted(word)} OR n.x CONTAINS {_quoted(word)} RETURN n", {}),
    lambda word: (f"MATCH (l:Literal {{value: {_quoted(word)}}}) RETURN l", {}),
    lambda word: ("MATCH (n {name: $v})-[r {text: $v}]->(:Literal {value: $v}) RETURN n, r", {"v": word}),
    lambda word: (
        "MATCH (n) WHERE n.name IN $v OR n.name =~ $w RETURN n[$w], $m",
        {"v": [word], "w": word, "m": {word: word}},
    ),
    lambda word: (f"RETURN 1 // {word}", {}),
    lambda word: (f"RETURN 1 /* {word} */", {}),
    lambda word: (word, {}),
    lambda word: (f"MATCH (n) RETURN n {word}", {}),
    lambda word: (f"CALL {{ {word} }} RETURN 1", {}),
    lambda word: (f"MATCH (n) WHERE EXISTS {{ MATCH (n)-->(m) {word} }} RETURN n", {}),
]


def _ticked(word: str) -> str:
    return "`" + word.replace("`", "``") + "`"


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


def test_no_word_of_a_query_becomes_sql(call: Caller, path: Path) -> None:
    call("record_facts", facts=FACTS)
    before = dump(path)
    for place in PLACES:
        for word in NASTY:
            query, parameters = place(word)
            answer = call("run_cypher", query=query, parameters=parameters)
            assert answer.get("code", answer.get("error")) not in ("INTERNAL_ERROR", "GRAPH_UNAVAILABLE"), (
                query,
                answer,
            )

    assert dump(path) == before


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Person {name: 'x'})",
        "MATCH (n) SET n.name = 'x' RETURN n",
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) REMOVE n:Person RETURN n",
        "MERGE (n:Person {name: 'x'}) ON CREATE SET n.y = 1 RETURN n",
        "DROP INDEX entity_named",
        "CREATE INDEX FOR (n:Person) ON (n.name)",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "FOREACH (x IN [1] | CREATE (n))",
        "CALL { CREATE (n) } RETURN 1",
        "MATCH (n) CALL { WITH n SET n.x = 1 } RETURN n",
        "RETURN EXISTS { CREATE (n) RETURN n }",
        "MATCH (n) RETURN n; DELETE FROM entity",
        "DELETE FROM entity",
        "INSERT INTO entity VALUES (1)",
        "PRAGMA writable_schema = 1",
        "ATTACH DATABASE '/tmp/x' AS x",
        "CREATE/**/(n)",
        "\uff23REATE (n)",
    ],
)
def test_a_query_that_would_write_is_refused(call: Caller, path: Path, query: str) -> None:
    call("record_facts", facts=FACTS)
    before = dump(path)
    answer = call("run_cypher", query=query)

    assert answer["type"] == "error"
    assert dump(path) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entity",
        "UPDATE entity SET name = 'x'",
        "CREATE TEMP TABLE x (y)",
        "ATTACH DATABASE ':memory:' AS x",
        "PRAGMA query_only = OFF",
        "PRAGMA user_version",
        "SELECT load_extension('x')",
        "SELECT sqlcipher_export('main')",
        "COMMIT",
    ],
)
def test_sqlite_itself_refuses_all_but_reading_while_a_query_runs(call: Caller, statement: str) -> None:
    with call.graph.database.read("run_cypher") as tx:
        with store.compiled_queries.read_only(tx), pytest.raises(sqlite.DatabaseError) as refused:
            tx.conn.execute(statement)
        known = tx.conn.execute("PRAGMA data_version").fetchone()

        assert "authorized" in str(refused.value)
        assert known


# Nothing goes on for ever


TEXT = "WITH reduce(s = 'x', i IN range(1, 23) | s + s) AS s "
LIST = "WITH range(1, 300000) AS l "
ENDLESS = [
    "MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)",
    "MATCH (a)-[*]-(b) RETURN count(*)",
    "MATCH p=(a)-[*0..1000]-(b) RETURN length(p) ORDER BY length(p) DESC LIMIT 3",
    "MATCH (a {name: 'Cell 0 0'}), (b {name: 'Cell 11 11'}), p=allShortestPaths((a)-[*]->(b)) RETURN count([p])",
    "MATCH (a), (b), p=shortestPath((a)-[*]-(b)) WHERE all(n IN nodes(p) WHERE n.name = 'x') RETURN p",
    "MATCH (a), (b) WHERE COUNT { (a)-[*]-(b) } > 10000000 RETURN count(*)",
    "MATCH (a), (b) WHERE EXISTS { MATCH (a)-[*]-(c)-[*]-(b) WHERE c.name = 'x' RETURN c } RETURN count(*)",
    "MATCH (a), (b), (c) RETURN count([(a)-[*1..4]-(b)-[*1..4]-(c) | 1])",
    "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)",
    "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE [a][0] < 0 RETURN a",
    "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b WITH a, b SKIP 10000000000 RETURN a, b",
    "RETURN [x IN range(1, 1000000) | [y IN range(1, 1000000) | y]]",
    "RETURN any(x IN range(1, 1000000) WHERE x IN range(2000000, 2999999))",
    "RETURN reduce(s = 0, x IN range(1, 1000000) | s + size(range(1, 900000)))",
    f"{LIST}RETURN [x IN l | size(reverse(l))]",
    f"{LIST}RETURN [x IN l | l = l]",
    f"{LIST}UNWIND l AS x RETURN DISTINCT l, x",
    f"{LIST}UNWIND l AS x UNWIND l AS y RETURN max(l)",
    f"{TEXT}UNWIND range(1, 1000000) AS i RETURN sum(size(reverse(s)))",
    f"{TEXT}RETURN [i IN range(1, 1000000) | size(toUpper(s))]",
]
TOO_LARGE = [
    "RETURN range(1, 1000000000)",
    "RETURN [range(1, 2000000)]",
    "RETURN {a: range(1, 2000000)}",
    "RETURN 0 + range(1, 2000000)",
    "RETURN range(1, 2000000) + range(1, 2000000)",
    "RETURN toStringList(range(1, 2000000))",
    "RETURN collect(range(1, 2000000))",
    "RETURN max(range(1, 2000000))",
    "RETURN COLLECT { RETURN range(1, 2000000) AS l }",
    "RETURN [x IN range(1, 9223372036854775807) | x]",
    "RETURN size(range(-9223372036854775807, 9223372036854775807))",
    "WITH range(1, 2000000) AS l RETURN 1 ORDER BY l",
    "MATCH (n) WITH n, range(1, 2000000) AS l RETURN n, l",
    "RETURN reduce(s = 'x', i IN range(1, 100) | s + s)",
    "RETURN reduce(s = [1], i IN range(1, 100) | s + s)",
    "RETURN reduce(s = [1], i IN range(1, 100) | [s, s])",
    "RETURN reduce(s = [1], i IN range(1, 100) | s + [s])",
    "RETURN reduce(s = {a: 1}, i IN range(1, 100) | {a: s, b: s})",
    "RETURN reduce(s = [1], i IN range(1, 100) | [j IN [1, 2] | s])",
    "RETURN reduce(s = 1, i IN range(1, 100000) | [s])",
    "WITH [1] AS s " + "WITH [s, s] AS s " * 90 + "RETURN DISTINCT s",
    "WITH [1] AS s " + "UNWIND [1, 2] AS x WITH collect(s) AS s " * 45 + "RETURN s",
    "WITH {a: 1} AS s " + "WITH s{.*, a: s, b: s} AS s " * 90 + "RETURN s",
    f"{TEXT}RETURN split(s, 'x')",
    f"{TEXT}RETURN split(s, ['', 'x'])",
    f"{TEXT}RETURN replace(s, 'x', 'yyyyyyyyyy')",
    f"{TEXT}UNWIND range(1, 100) AS i RETURN s, i",
    f"{TEXT}RETURN [i IN range(1, 100) | s]",
    f"{TEXT}RETURN s =~ '(x+x+)+y{{100}}'",
    f"{LIST}UNWIND range(1, 9) AS i RETURN collect(l)",
]


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("query", ENDLESS)
def test_a_query_without_end_is_ended(grid: Caller, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    began = time.process_time()
    # A list or a text of millions has to be made before it is gone through again and again.
    seconds = SOON if query.startswith((LIST, TEXT)) else SOON / 5
    with monkeypatch.context() as impatient:
        impatient.setattr(query_pipeline, "run", functools.partial(query_pipeline.run, seconds=seconds))
        answer = grid("run_cypher", query=query)

    assert answer.get("code") == "QUERY_TOO_SLOW"
    assert time.process_time() - began < BY_THEN
    assert grid("run_cypher", query="RETURN 1")["result"] == 1


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("query", TOO_LARGE)
def test_a_value_that_grows_without_end_is_refused(grid: Caller, query: str) -> None:
    answer = grid("run_cypher", query=query)

    assert answer.get("code") == "QUERY_TOO_LARGE"


@pytest.mark.parametrize(
    "query",
    [
        f"{TEXT}UNWIND range(1, 100000) AS i RETURN collect(s + toString(i))",
        f"{TEXT}UNWIND range(1, 100000) AS i RETURN s + toString(i) AS t ORDER BY t",
        f"{TEXT}UNWIND range(1, 100000) AS i RETURN count(DISTINCT s + toString(i))",
    ],
)
def test_the_memory_of_a_query_is_bounded(grid: Caller, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    monkeypatch.setattr(bounds, "MAX_MEMORY", 200_000_000)
    before = most = bounds.process_memory()
    done = threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.01):
            most = max(most, bounds.process_memory())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        answer = grid("run_cypher", query=query)
    finally:
        done.set()
        watching.join()

    assert answer.get("code") == "QUERY_TOO_LARGE"
    assert most - before < 600_000_000


HOPS = "-->".join(["()"] * 100)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "MATCH " + ",".join([HOPS] * 50) + " RETURN 1",
        " ".join(f"MATCH {HOPS}" for _ in range(99)) + " RETURN 1",
        "MATCH " + ",".join(["()"] * 20_000) + " RETURN 1",
        "MATCH (n) WHERE " + " AND ".join(["(n)-->(:Person)"] * 4_000) + " RETURN n",
        "MATCH (n) RETURN " + ",".join(f"count(n.name + {i}) AS c{i}" for i in range(3_000)),
        "RETURN " + " OR ".join(["1 = 2"] * 10_000),
        "RETURN " + "(" * 40_000 + "1" + ")" * 40_000,
        "RETURN " + "[" * 40_000,
        "RETURN " + "NOT " * 24_000 + "true",
        "MATCH (n:" + "!" * 90_000 + "A) RETURN n",
        "MATCH (n:" + "(" * 40_000 + "A" + ")" * 40_000 + ") RETURN n",
        "RETURN " + "CASE WHEN true THEN " * 4_000,
        "RETURN 1 AS a" + " UNION RETURN 1 AS a" * 4_900,
        "'" * 99_999,
        "`" * 99_999,
        "MATCH (a)" + "-" * 90_000 + "(b) RETURN a",
        "RETURN " + "9" * 90_000,
        "RETURN 1" + "\n" * 99_000,
    ],
)
def test_a_query_of_a_hundred_kilobytes_is_answered_soon(grid: Caller, query: str) -> None:
    began = time.process_time()
    answer = grid("run_cypher", query=query)

    assert answer.get("code", answer.get("error")) != "INTERNAL_ERROR"
    assert time.process_time() - began < BY_THEN


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("RETURN size($x)", {"x": list(range(900_000))}),
        ("MATCH (n) WHERE n.name IN $x RETURN n", {"x": ["Ada Lovelace"] * 300_000}),
        ("RETURN size($x)", {"x": "x" * 7_900_000}),
        ("RETURN $x", {"x": functools.reduce(lambda inner, _: [inner], range(60), 1)}),
        ("RETURN $x = $x, $x < $x", {"x": functools.reduce(lambda inner, _: {"a": inner}, range(60), 1)}),
        ("RETURN $x", {"x": functools.reduce(lambda inner, _: [inner], range(5_000), 1)}),
        ("RETURN $x", {"x": 10**400}),
        ("RETURN $x", {"x": float("nan")}),
        ("RETURN $x", {"x": "\ud800"}),
    ],
)
def test_parameters_of_any_size_get_an_answer(grid: Caller, query: str, parameters: dict[str, Any]) -> None:
    answer = grid("run_cypher", query=query, parameters=parameters)

    assert answer.get("code", answer.get("error")) in (None, "QUERY_TOO_LARGE", "INVALID_ARGUMENTS")


# Cancelled, and many at once


@pytest.mark.parametrize("query", [ENDLESS[0], ENDLESS[1], ENDLESS[11]])
def test_a_cancelled_query_ends_at_once_and_the_next_runs(grid: Caller, query: str) -> None:
    cancelled = threading.Event()
    threading.Timer(0.2, cancelled.set).start()
    began = time.process_time()
    with pytest.raises(errors.Cancelled):
        grid.graph.call_until(
            lambda: errors.Cancelled("enough") if cancelled.is_set() else None, "run_cypher", {"query": query}
        )

    assert time.process_time() - began < BY_THEN
    assert grid("run_cypher", query="RETURN 1")["result"] == 1


def test_a_client_that_cancels_is_served_on(path: Path) -> None:
    command, *words = python()
    server = StdioServerParameters(command=command, args=[*words, "-m", "keepgraph.cli", "--db", str(path), "serve"])

    async def cancel_and_ask() -> Any:
        async with Client(server) as client:
            await client.call_tool("record_fact", FACTS[0])
            with anyio.move_on_after(0.5):
                await client.call_tool("run_cypher", {"query": ENDLESS[8]})
            with anyio.fail_after(BY_THEN):
                return await client.call_tool("run_cypher", {"query": "MATCH (n) RETURN count(n)"})

    assert anyio.run(cancel_and_ask).structured_content["result"] == 2


def test_each_of_many_queries_sees_one_state_while_somebody_writes(
    open_graph: Callable[..., keepgraph.Graph], call: Caller
) -> None:
    """
    Two facts are always written at once: nobody sees one of them.
    """
    call("record_facts", facts=[fact(project(name), "tagged", literal("old")) for name in ("Atlas", "Kipi")])
    other, done, seen = Caller(open_graph()), threading.Event(), []
    query = (
        "MATCH ()-[r:TAGGED]->() WITH count(r) AS a MATCH ()-[s:TAGGED*1..2]->() WITH a, count(s) AS b "
        "RETURN a, b, COUNT { ()-[:TAGGED]->() } AS c"
    )

    def read() -> None:
        while not done.is_set():
            seen.append(call("run_cypher", query=query))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(10):
        pair = [fact(project(f"P{number}{side}"), "tagged", literal("new")) for side in "ab"]
        other("record_facts", facts=pair)
        assert call("run_cypher", query=query)["rows"] == [[2 * number + 4] * 3]
    done.set()
    for reader in readers:
        reader.join()

    assert all(answer["rows"][0][0] % 2 == 0 and len(set(answer["rows"][0])) == 1 for answer in seen)


# Whatever is asked


GOOD = [
    "MATCH (p:Person)-[:REPORTS_TO]->(m) RETURN m.name, count(*) AS c ORDER BY c DESC SKIP 1 LIMIT 5",
    "MATCH p=(a)-[:REPORTS_TO*1..3]->(b) WHERE a.name STARTS WITH 'A' RETURN p, length(p), nodes(p)",
    "MATCH (a:Person|Project)-[r:TAGGED|REPORTS_TO]-(t:Literal {value: 'urgent'}) RETURN a, r, t, type(r), labels(a)",
    "OPTIONAL MATCH (n:Person {name: $name}) WITH n, $list AS l UNWIND l AS x RETURN n.name, x, x IN l, $map.k",
    "MATCH (n) WHERE n.name =~ '(?i)a.*' AND NOT (n)-->(:Literal) OR n.aliases[0] = 'x' RETURN DISTINCT n.name AS x",
    "MATCH (n) RETURN n{.*, x: [(n)-->(m) | m.name], c: COUNT { (n)--() }}, EXISTS { MATCH (n)-->(l) RETURN l }",
    "RETURN reduce(s = 0, x IN range(1, 10, 2) | s + x) AS r, [x IN [1, 2] WHERE x % 2 = 1 | x ^ 2], 1 IN [2]",
    "MATCH p = shortestPath((a:Person {name: 'Ada Lovelace'})-[*..5]-(b)) WHERE a <> b RETURN [n IN nodes(p) | n.name]",
    "WITH date('2024-01-31') + duration('P1M') AS d RETURN d.year, toString(d), duration.between(d, date())",
    "MATCH (a) RETURN a.name AS n UNION MATCH (b:Project) RETURN b.name AS n UNION ALL RETURN $name AS n",
    "RETURN CASE $i WHEN 1 THEN 'one' ELSE null END AS c, coalesce(null, $i), substring('hello', 1, 3), $list[0..2]",
    "MATCH (n) WITH n.name AS name, collect(DISTINCT labels(n)) AS ls WHERE ls <> [] RETURN * ORDER BY name LIMIT $i",
    "MATCH (a)-[r]->(b) RETURN r.text, r.confidence * 2 + 1, properties(r), keys(b), id(a), startNode(r) = a",
    "SELECT name FROM entity WHERE name = 'x'; DROP TABLE fact",
    "CREATE (n:Person {name: 'x'}) RETURN n",
    "```cypher\nmatch (n:person) where n.name != 'a' && n.name is not null return n.name as x -- comment\n```",
]
STRAY = [
    *(
        "MATCH",
        "(n)",
        "RETURN",
        "WHERE",
        "NOT",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "-",
        "->",
        "<-",
        "*",
        "..",
        ":",
        "|",
        "!",
    ),
    *(
        "%",
        "$",
        "$name",
        "$list",
        "$map",
        "$i",
        "'",
        '"',
        "`",
        "\\",
        "/*",
        "*/",
        "//",
        "--",
        ";",
        "\x00",
        "\ud800",
        "é",
    ),
    *("\u202e", "\u2028", "\ufeff", "9223372036854775808", "1e400", "null", "true", "n", "AS x", "WITH *", "UNION"),
    *(
        "LIMIT 0",
        "SKIP 1",
        "ORDER BY",
        "UNWIND",
        "IN",
        "=~",
        "+",
        "^",
        "<>",
        "CASE",
        "END",
        "EXISTS",
        "COUNT",
        "count(*)",
    ),
    *("collect(n)", "[*]", "[*0..]", "shortestPath(", "reduce(", "date(", "toString(", "x" * 300, "{row}", "?1", "@x"),
    *("IS NULL", "DISTINCT", "CALL", "SET", "size(", "[1, 2]", "{a: 1}", "XOR", "CONTAINS", "n:Person", "{group}"),
]
PIECES = re.compile(r"\s+|[A-Za-z_]\w*|\d+\.?\d*|'(?:[^'\\]|\\.)*'|`[^`]*`|.", re.DOTALL)
LEAVES = st.sampled_from(
    [
        *(None, True, 0, -1, 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, float("nan"), float("inf")),
        *("", "NaN", "null", "'; DROP TABLE fact; --", "\ud800", "a\x00b", "\U0001f600", "x" * 300, "Ada Lovelace"),
    ]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["k", "", "é", "\ud800"]), inner),
)
USUAL: dict[str, Any] = {"name": "Ada Lovelace", "list": [1, "a", None], "map": {"k": 1}, "i": 1}


@st.composite
def asked(draw: Callable[..., Any]) -> dict[str, Any]:
    """A call of the tool: a good query with a few things wrong, parameters of all kinds, perhaps a moment."""
    pieces = PIECES.findall(draw(st.sampled_from(GOOD)))
    chance: random.Random = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        at, to, what = chance.randrange(len(pieces)), chance.randrange(len(pieces)), chance.randrange(5)
        if what == 0 and len(pieces) > 1:
            del pieces[at]
        elif what == 1:
            pieces[at], pieces[to] = pieces[to], pieces[at]
        elif what == 2:
            pieces.insert(at, chance.choice(STRAY))
        elif what == 3:
            pieces[at] = chance.choice(PIECES.findall(chance.choice(GOOD)))
        else:
            pieces.insert(at, pieces[to])
    arguments: dict[str, Any] = {"query": "".join(pieces), "parameters": dict(USUAL)}
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from([*USUAL, "", "x;y", "\ud800", "a" * 300, "at", "group"]))
        arguments["parameters"][name] = draw(VALUES)
    for name, values in (
        ("limit", [1, 2, 10_000, 0, -1, "5", True, 2.5]),
        ("as_of", ["2020-06-01", "2030-01-01T00:00:00Z", "x", "", 5]),
        ("known_at", ["2020-06-01", "9999-12-31", []]),
    ):
        if draw(st.integers(0, 4)) == 0:
            arguments[name] = draw(st.sampled_from(values))
    return arguments


@settings(max_examples=100)
@given(arguments=asked())
def test_whatever_is_asked_gets_an_answer(grid: Caller, arguments: dict[str, Any]) -> None:
    answered(grid, arguments)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=3_000)
@given(arguments=asked())
def test_whatever_is_asked_gets_an_answer_time_and_again(grid: Caller, arguments: dict[str, Any]) -> None:
    answered(grid, arguments)


def answered(grid: Caller, arguments: dict[str, Any]) -> None:
    note(repr(arguments))
    graph = grid.graph
    tired = time.monotonic() + 2

    def stop() -> errors.KeepgraphError | None:
        return errors.Cancelled("that is enough") if time.monotonic() > tired else None

    refusal, answer = None, {}
    try:
        answer = graph.call_until(stop, "run_cypher", arguments)
    except errors.KeepgraphError as error:
        refusal = error

    if refusal is None:
        assert answer["row_count"] <= answer["limit_applied"]
    else:
        answer = refusal.answer()
        assert refusal.code not in ("INTERNAL_ERROR", "GRAPH_UNAVAILABLE", "GRAPH_DAMAGED", "GRAPH_WRITE_FAILED")
        assert (
            not isinstance(refusal, errors.QueryError) or {"stage", "reason", "explanation"} <= answer["error"].keys()
        )
    assert json.loads(json.dumps(answer, allow_nan=False))
