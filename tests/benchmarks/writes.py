"""record_fact and record_facts against the same rows by bare SQL: same file, same tables and triggers, same fsync."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import generate
import measure
from measure import Figure
from sqlcipher3 import dbapi2 as sqlite

import keepgraph
from keepgraph import Graph, store
from keepgraph.language import normalisation
from keepgraph.temporal import timestamps

ONE_GOAL = 2.0
MANY_GOAL = 0.5
MANY = 1000

Thing = tuple[int, str, str]
"""An entity as bare SQL needs it: row number (0: to be made), type, name."""

Given = tuple[Thing, Thing, str]
"""A fact to record: subject, object, source. The predicate is depends_on throughout."""

_PREDICATE = "depends_on"


def figures(big: Path, folder: Path, *, rounds: int) -> Iterator[Figure]:
    graph_file = generate.copy(big, folder / "written.db")
    with keepgraph.open(graph_file) as graph, closing(_connect(graph_file)) as conn:
        facts = _Facts(conn)
        one: list[tuple[str, bool, str, Callable[[Given], object]]] = [
            ("record_fact, known entities", False, "concept", lambda given: _by_call(graph, given)),
            ("record_fact, a new concept", True, "concept", lambda given: _by_call(graph, given)),
            ("record_fact, a new person", True, "person", lambda given: _by_call(graph, given)),
        ]
        for name, new, kind, record in one:
            by_call, by_sql = measure.by_turns(
                [
                    lambda record=record, new=new, kind=kind: record(facts.fresh(new=new, kind=kind)),  # type: ignore[misc]
                    lambda new=new, kind=kind: _by_sql(conn, [facts.fresh(new=new, kind=kind)]),  # type: ignore[misc]
                ],
                rounds=rounds,
                warm_up=10,
            )
            ratio = measure.p50(by_call) / measure.p50(by_sql)
            detail = f"{measure.p50(by_call):.2f} ms (p95 {measure.p95(by_call):.1f}) against {measure.p50(by_sql):.2f}"
            yield measure.at_most(name, ratio, ONE_GOAL, "×", detail)
        for name, new in (("known entities", False), ("half of the entities new", True)):
            yield _many(graph, conn, facts, name, new=new, rounds=max(3, rounds // 40))


def _many(graph: Graph, conn: Any, facts: _Facts, name: str, *, new: bool, rounds: int) -> Figure:
    def batch() -> list[Given]:
        return [facts.fresh(new=new, kind="concept") for _ in range(MANY)]

    batches = iter([batch() for _ in range(2 * (rounds + 1))])
    by_call, by_sql = measure.by_turns(
        [
            lambda: graph.call("record_facts", facts=[_arguments(given) for given in next(batches)]),
            lambda: _by_sql(conn, next(batches)),
        ],
        rounds=rounds,
    )
    rate, bare = (MANY / measure.p50(times) * 1000 for times in (by_call, by_sql))
    return measure.at_least(
        f"record_facts({MANY:,}), {name}, rate", rate / bare, MANY_GOAL, "×", f"{rate:,.0f} facts/s against {bare:,.0f}"
    )


class _Facts:
    """Makes facts that the graph does not have yet."""

    def __init__(self, conn: Any) -> None:
        self._rng = random.Random("facts to write")
        self._known: list[Thing] = conn.execute(
            "SELECT entity.id, entity_type.name, entity.name FROM entity "
            "JOIN entity_type ON entity_type.id = entity.type ORDER BY entity.id"
        ).fetchall()
        self._made: set[tuple[int, int]] = set(
            conn.execute("SELECT subject, object FROM fact WHERE object IS NOT NULL").fetchall()
        )
        self._taken = {(kind, normalisation.key(name)) for _, kind, name in self._known}
        self._strangers = generate.new_names(self._rng)

    def fresh(self, *, new: bool, kind: str) -> Given:
        """A fact between known entities, or with an object of this kind that is new."""
        source = f"https://notes.example/{self._rng.randrange(10**6)}"
        subject = self._rng.choice(self._known)
        if new:
            return subject, (0, kind, self._stranger(kind)), source
        while True:
            target = self._rng.choice(self._known)
            if target != subject and (subject[0], target[0]) not in self._made:
                self._made.add((subject[0], target[0]))
                return subject, target, source

    def _stranger(self, kind: str) -> str:
        name = next(self._strangers[kind])
        while (kind, normalisation.key(name)) in self._taken:
            name = next(self._strangers[kind])
        self._taken.add((kind, normalisation.key(name)))
        return name


def _by_call(graph: Graph, given: Given) -> None:
    graph.call("record_fact", **_arguments(given))


def _arguments(given: Given) -> dict[str, Any]:
    (_, subject_type, subject), (_, object_type, target), source = given
    return {
        "subject": {"type": subject_type, "name": subject},
        "predicate": _PREDICATE,
        "object": {"type": object_type, "name": target},
        "source": source,
    }


def _by_sql(conn: Any, given: list[Given]) -> None:
    """The rows that one call writes, and nothing else: names and ids cost what they cost, lookups are known."""
    new_id, now = _IDS, datetime.now(UTC)
    stamp = timestamps.from_datetime(now)
    conn.execute("BEGIN IMMEDIATE")
    conn.execute("INSERT INTO call (at, tool) VALUES (?, 'record_fact')", (stamp,))
    for (subject, _, subject_name), (target, kind, target_name), source in given:
        row = target
        if not row:
            row = conn.execute(
                "INSERT INTO entity (public_id, group_id, type, name, name_key, name_folded, created_at) "
                "VALUES (?, 'default', (SELECT id FROM entity_type WHERE name = ?), ?, ?, ?, ?)",
                (
                    new_id("ent", now),
                    kind,
                    target_name,
                    normalisation.key(target_name),
                    normalisation.Name(target_name).folded,
                    stamp,
                ),
            ).lastrowid
        fact = conn.execute(
            "INSERT INTO fact (public_id, subject, predicate, object, literal, text, confidence, recorded_at, "
            "valid_from, valid_to) "
            "VALUES (?, ?, (SELECT id FROM predicate WHERE name = ?), ?, NULL, ?, 1.0, ?, '', '~')",
            (new_id("fact", now), subject, _PREDICATE, row, f"{subject_name} depends on {target_name}", stamp),
        ).lastrowid
        conn.execute(
            "INSERT INTO provenance (fact, source, confidence, recorded_at, tool) VALUES (?, ?, 1.0, ?, 'record_fact')",
            (fact, source, stamp),
        )
    conn.execute("COMMIT")


_IDS = store.ids.ulids()


def _connect(path: Path) -> Any:
    """As the database opens its writer."""
    conn = sqlite.connect(str(path), isolation_level=None)
    for setting in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF", "temp_store = MEMORY"):
        conn.execute(f"PRAGMA {setting}")
    conn.execute("PRAGMA cache_size = -16000")
    return conn
