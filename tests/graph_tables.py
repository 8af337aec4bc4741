"""Tables of a real graph, filled past its tools: groups, literals, odd properties, facts that end or are retracted."""

from __future__ import annotations

import json
import random
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from random_cypher import PropertyGraph

STAMPS = [f"{year}-01-01T00:00:00.000Z" for year in (2020, 2021, 2022, 2090)]
INTERVALS = [("", "~")] * 4 + [("", STAMPS[1]), (STAMPS[1], "~"), (STAMPS[0], STAMPS[2]), (STAMPS[3], "~")]


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
                for alias in chance.sample(["abc", "a", "ÄB", "[1]"], chance.choice([1, 1, 2, 3])):
                    self._insert("alias", (None, key, alias, alias, alias, STAMPS[0]))
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
