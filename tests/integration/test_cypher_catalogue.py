"""SQL answers as Python alone does over the tables of a real graph: groups, literals, aliases, the past, bags."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import errors
from keepgraph.cypher import compiler, execution
from keepgraph.cypher.check import parameters
from keepgraph.cypher.interpret.runtime import Run
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.engine.query import bounds, graph_catalogue, hydration, query_pipeline
from keepgraph.tools.contract import time_travel
from random_cypher import PARAMETERS, PropertyGraph, Query, graphs
from random_cypher import queries as random_queries

STAMPS = [f"{year}-01-01T00:00:00.000Z" for year in (2020, 2021, 2022, 2090)]
INTERVALS = [("", "~")] * 4 + [("", STAMPS[1]), (STAMPS[1], "~"), (STAMPS[0], STAMPS[2]), (STAMPS[3], "~")]
VIEWS: list[dict[str, str]] = [
    {},
    {"as_of": "2020-06-01"},
    {"as_of": "2021-06-01T00:00:00Z"},
    {"known_at": "2021-06-01"},
    {"known_at": "2020-06-01", "as_of": "2021-06-01"},
    {"known_at": "2022-06-01", "as_of": "2095-06-01"},
]
OURS = [
    *(("q", "confidence"), ("p", "name"), ("m", "summary"), ("s", "name"), ("p", "text"), ("m", "source")),
    *(("s", "valid_from"), ("p", "valid_to"), ("s", "value"), ("p", "aliases"), ("s", "id"), ("q", "group_id")),
]


class Tables:
    """A graph of our own, filled past the door: b is a kind of a, s is symmetric, t is the inverse of r."""

    def __init__(self, graph: keepgraph.Graph) -> None:
        self.graph = graph
        self.conn = sqlite.connect(str(graph.path), isolation_level=None)
        self.conn.execute("INSERT INTO call (at, tool) VALUES (?, 'test')", (STAMPS[0],))
        for table, names in (("entity_type", "abc"), ("predicate", "rst")):
            for name in names:
                self.conn.execute(f"INSERT INTO {table} (name, description, version) VALUES (?, '', '1')", (name,))
        self.conn.execute(
            """
            INSERT INTO type_parent (type, parent)
            SELECT b.id, a.id FROM entity_type AS a JOIN entity_type AS b WHERE a.name = 'a' AND b.name = 'b'
            """
        )
        self.conn.execute("UPDATE predicate SET is_symmetric = 1 WHERE name = 's'")
        self.conn.execute(
            "UPDATE predicate SET inverse_of = (SELECT id FROM predicate WHERE name = 'r') WHERE name = 't'"
        )
        self.types = dict(self.conn.execute("SELECT upper(name), id FROM entity_type").fetchall())
        self.predicates = dict(self.conn.execute("SELECT upper(name), id FROM predicate").fetchall())

    def load(self, graph: PropertyGraph, chance: random.Random, *, crowded: bool) -> None:
        if self.conn.in_transaction:
            self.conn.execute("ROLLBACK")
        self.conn.execute("BEGIN IMMEDIATE")
        for table in ("provenance", "earlier_validity", "fact", "alias", "entity"):
            self.conn.execute(f"DELETE FROM {table}")
        groups = {}
        for key, labels, properties in graph.nodes:
            groups[key] = chance.choice(["default", "theirs"]) if crowded else "default"
            name = chance.choice(["abc", "a", "[1]", f"n{key}", f"n{key}"])
            of = self.types[next((label for label in labels if label in "ABC"), "PERSON")]
            bag = json.dumps(properties)
            row = (
                key,
                f"ent_{key:026d}",
                groups[key],
                of,
                name,
                name,
                name,
                chance.choice(["", "abc"]),
                bag,
                STAMPS[0],
            )
            self._insert("entity", row, but=(*row[:4], *[f"n{key}"] * 3, *row[7:]))
            if chance.random() < 0.3:
                self._insert("alias", (key, key, "abc", "abc", "abc", STAMPS[0]))
        for key, kind, subject, target, _ in graph.relationships:
            text = (target or "x") if isinstance(target, str) else None
            if text is None and groups[target] != groups[subject]:
                continue
            predicate = self.predicates["S" if kind == "S" else "R"]
            retracted = chance.choice([None, None, None, STAMPS[1], STAMPS[2]])
            self.conn.execute(
                """
                INSERT OR IGNORE INTO fact (id, public_id, subject, predicate, object, literal, text, confidence,
                                            recorded_at, valid_from, valid_to, retracted_at)
                VALUES (?, ?, ?, ?, ?, ?, 'abc', ?, ?, ?, ?, ?)
                """,
                (
                    *(key, f"fact_{key:026d}", subject, predicate, None if text else target, text),
                    *(chance.choice([0.5, 1.0]), chance.choice(STAMPS[:2]), *chance.choice(INTERVALS), retracted),
                ),
            )
        self.conn.execute("COMMIT")

    def _insert(self, table: str, row: tuple[Any, ...], *, but: tuple[Any, ...] = ()) -> None:
        names = [name for _, name, *_ in self.conn.execute(f"PRAGMA table_info({table})")][: len(row)]
        statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(row))})"
        try:
            self.conn.execute(statement, row)
        except sqlite.IntegrityError:
            self.conn.execute(statement, but)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    with keepgraph.open(tmp_path_factory.mktemp("catalogue") / "graph.db") as graph:
        made = Tables(graph)
        yield made
        made.conn.close()


CHANCES = st.randoms(use_true_random=False)


@settings(max_examples=80)
@given(graph=graphs(literals=True), query=random_queries(), chance=CHANCES)
def test_sql_answers_as_python_over_the_tables_of_a_graph(
    tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random
) -> None:
    agree(tables, graph, query, chance)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(max_examples=2_000)
@given(graph=graphs(literals=True), query=random_queries(), chance=CHANCES)
def test_sql_answers_as_python_over_the_tables_of_a_graph_time_and_again(
    tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random
) -> None:
    agree(tables, graph, query, chance)


def agree(tables: Tables, graph: PropertyGraph, query: Query, chance: random.Random) -> None:
    text = query.text
    for one, other in chance.sample(OURS, chance.randrange(4)):
        text = re.sub(rf"(?<=\.){one}\b|(?<=\{{){one}(?=:)", other, text)
    text = text.replace(":B", chance.choice([":B", ":Literal", ":Entity"]), 1)
    view, crowded = chance.choice(VIEWS), chance.random() < 0.5
    note(f"{text} {view} {crowded}")
    tables.load(graph, chance, crowded=crowded)
    with tables.graph.database.read("run_cypher") as tx:
        # What was asked of now must not be taken for what is asked of another moment.
        graph_catalogue.statement_cache(tx)
        tx = time_travel.to(tx, as_of=view.get("as_of"), known_at=view.get("known_at"))
        statements, names = graph_catalogue.statement_cache(tx), graph_catalogue.condition_values(tx)
        execute = query_pipeline.executor(tx, bounds.Bounds(tx, 30))
        try:
            compiled = compiler.compile_text(text, statements.catalogue, parameters.infer_types(PARAMETERS))
        except errors.QueryError:
            return

        def found(*, by_python: bool) -> Any:
            seen = TableGraph(statements, execute, names, graph_catalogue.adjacency_cache(tx))
            try:
                if by_python:
                    rows = list(compiled.interpreted_rows(Run(seen, PARAMETERS, tx.now, lambda _: None)))
                else:
                    rows, _ = execution.run(
                        compiled, seen, execute, PARAMETERS, names, now=tx.now, count_work=lambda _: None
                    )
                shown = hydration.hydrate(rows, seen)
            except errors.QueryError as error:
                return error
            assert "'theirs'" not in repr(shown)
            return rows

        real, wanted = found(by_python=False), found(by_python=True)
    if isinstance(wanted, errors.QueryFailed) and not isinstance(real, errors.QueryFailed):
        return
    equal_numbers = any(isinstance(each, float) for _, _, bag in graph.nodes for each in bag.values())
    if query.grouped and (equal_numbers or "1.0" in text or "$f" in text):
        return

    assert comparable(real, query) == comparable(wanted, query)


def comparable(found: Any, query: Query) -> Any:
    """What was found, as far as the query says what that is."""
    if not isinstance(found, list):
        return type(found), found.detail
    if query.cut:
        return len(found)
    written = [repr([plain(value, query) for value in row]) for row in found]
    return written if query.ordered else sorted(written)


def plain(value: Any, query: Query) -> Any:
    if isinstance(value, list):
        inner = [plain(each, query) for each in value]
        return sorted(inner, key=repr) if query.collected else inner
    # Of a sum of floats the last digits depend on the order.
    return float(f"{value:.12g}") + 0.0 if isinstance(value, float) else value
