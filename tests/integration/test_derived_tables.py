"""Derived tables are as they are described: in the triggers of the migrations, and when they are made anew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from keepgraph.store import derived_tables, integrity, vectors
from keepgraph.store.derived_tables import INDEXES, QUEUES, VECTOR_KINDS, TextIndex
from words import Caller, connected, decision, person, rows

each_index = pytest.mark.parametrize("index", INDEXES, ids=[index.table for index in INDEXES])
each_queue = pytest.mark.parametrize("queue", QUEUES, ids=[queue.table for queue in QUEUES])

CHANGES = """
    INSERT INTO community (public_id, group_id, name, summary, created_at)
    SELECT printf('com_%026d', number), 'default', 'Looms ' || number, 'of cards', (SELECT min(at) FROM call)
    FROM (SELECT 1 AS number UNION SELECT 2 UNION SELECT 3);
    UPDATE community SET name = 'Engines', summary = 'and wheels' WHERE id = 2;
    DELETE FROM community WHERE id = 3;
    UPDATE entity SET name = 'Ada King', name_folded = 'ada king', summary = 'wrote notes' WHERE name = 'Ada Lovelace';
    UPDATE entity SET name_folded = 'grace' WHERE name = 'Grace Hopper';
    UPDATE alias SET alias = 'Grace', alias_folded = 'amazing grace' WHERE alias = 'Hopper';
    UPDATE fact SET text = 'said otherwise' WHERE id = 2;
    UPDATE episode SET name = 'Jottings' WHERE name = 'Notes';
    UPDATE chunk SET text = 'Ada Lovelace met nobody.' WHERE text LIKE 'Ada Lovelace met%';
    DELETE FROM chunk WHERE text LIKE 'To be deleted%';
    DELETE FROM provenance WHERE fact = 1;
    DELETE FROM fact WHERE id = 1;
    DELETE FROM alias WHERE alias = 'Countess of Lovelace';
    DELETE FROM entity WHERE name = 'Go on, then';
"""


@pytest.fixture
def changed(call: Caller) -> Caller:
    """A graph in which names, facts, texts and communities were inserted, updated and deleted."""
    call.record(person("Ada Lovelace"), "decided_in", decision("Go on, then"), aliases=["Countess of Lovelace"])
    call.record(person("Grace Hopper"), "decided_in", decision("Stop it"), aliases=["Hopper"])
    call("add_memory", name="Notes", episode_body="Ada Lovelace met Grace Hopper.")
    call("add_memory", name="Chat", episode_body="Ada: hello\nGrace: hi there", source="message")
    call("add_memory", name="Paper", episode_body="To be deleted.")
    with connected(call.graph.path) as conn:
        for statement in CHANGES.split(";\n"):
            conn.execute(statement)
    return call


def contents(path: Path, index: TextIndex) -> list[Any]:
    """What an index holds: every token with its row, column and place; or every row of the initials or postings."""
    if index.words:
        query = f"SELECT surface, {index.words}.word FROM {index.table} JOIN {index.words} ON id = {index.table}.word"
        return sorted(rows(path, query)) + sorted(rows(path, f"SELECT word FROM {index.words}"))
    if index.view:
        return sorted(rows(path, f"SELECT * FROM {index.table}"))
    with connected(path) as conn:
        conn.execute(f"CREATE VIRTUAL TABLE temp.tokens USING fts5vocab ('main', '{index.table}', 'instance')")
        return sorted(map(tuple, conn.execute("SELECT * FROM temp.tokens")))


def count_wrong(call: Caller, index: TextIndex) -> int:
    with call.graph.database.read("test") as tx:
        return integrity.count_wrong(tx, index)


def rebuild(call: Caller, index: TextIndex) -> None:
    with call.graph.database.write("test") as tx:
        integrity.rebuild(tx, index)


@each_index
def test_triggers_insert_into_an_index_what_its_description_says(graph, path, index):
    """
    For each source, on an insert and on an update of the columns that the content is made of.
    """
    triggers = rows(path, "SELECT tbl_name, replace(sql, 'new.', '') FROM sqlite_schema WHERE type = 'trigger'")
    columns = f" ({index.key}, {', '.join(index.columns)})" if index.view is None else ""
    for source in index.sources:
        insertion = f"INSERT INTO {index.view or index.table}{columns} "
        insertion += (
            f"SELECT id, {source.content[0]} FROM chunk_words WHERE id = id;"
            if source.table == "chunk_words"
            else f"VALUES ({', '.join((source.number, *source.content))});"
        )
        table = source.table.removesuffix("_words")
        of_table = {row[1] for row in rows(path, f"PRAGMA table_info({table})")}
        events = {
            match[1]: set(re.findall(r"\w+", match[2] or ""))
            for on, sql in triggers
            if on == table and insertion in sql and (match := re.search(r"AFTER (\w+)(?: OF (.*?))? ON", sql))
        }

        assert events.keys() == {"INSERT", "UPDATE"}, insertion
        assert events["UPDATE"] >= set(re.findall(r"\w+", " ".join(source.content))) & of_table


@each_index
def test_an_index_that_triggers_made_is_the_one_that_is_made_anew(changed, path, index):
    by_triggers, wrong = contents(path, index), count_wrong(changed, index)
    rebuild(changed, index)

    assert by_triggers == contents(path, index) != []
    assert wrong == 0


@each_index
def test_a_row_of_nothing_is_counted_and_gone_when_an_index_is_made_anew(changed, path, index):
    before = contents(path, index)
    columns, placeholders = ", ".join([index.key, *index.columns]), ", ?" * len(index.columns)
    with connected(path) as conn:
        insertion = f"INSERT INTO {index.view or index.table} ({columns}) VALUES (4711{placeholders})"
        conn.execute(insertion, ["of nothing"] * len(index.columns))
    wrong = count_wrong(changed, index)
    rebuild(changed, index)

    assert wrong == 1
    assert contents(path, index) == before
    assert count_wrong(changed, index) == 0


def test_what_has_no_vector_waits_for_one_as_its_description_says(changed, path):
    with changed.graph.database.write("test") as tx:
        for kind in VECTOR_KINDS:
            expected = tx.conn.execute(f"{derived_tables.numbers(kind.sources)} ORDER BY 1").fetchall()

            assert expected == tx.conn.execute(f"SELECT * FROM {kind.queue.table} ORDER BY 1").fetchall() != []
        assert integrity.count_wrong_vectors(tx) == {}


@each_queue
def test_a_queue_is_filled_with_every_number_of_its_sources(changed, queue):
    with changed.graph.database.write("test") as tx:
        tx.conn.execute(f"DELETE FROM {queue.table}")
        derived_tables.fill(tx, queue)
        expected = tx.conn.execute(f"{derived_tables.numbers(queue.sources)} ORDER BY 1").fetchall()

        assert expected == tx.conn.execute(f"SELECT {queue.key} FROM {queue.table} ORDER BY 1").fetchall() != []


def test_with_another_model_everything_waits_for_a_vector_again(changed):
    with changed.graph.database.write("test") as tx:
        for kind in VECTOR_KINDS:
            tx.conn.execute(f"DELETE FROM {kind.queue.table}")
        vectors.reset(tx, "another", 8)

        assert vectors.model_and_dimension(tx) == ("another", 8)
        assert integrity.count_wrong_vectors(tx) == {}
        assert all(vectors.count_missing(tx, kind) for kind in VECTOR_KINDS)


def test_every_full_text_table_is_described(graph, path):
    query = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5 (%' ORDER BY name"

    of_schema = rows(path, query)

    assert of_schema == [(index.table,) for index in sorted(INDEXES, key=lambda index: index.table) if not index.view]
