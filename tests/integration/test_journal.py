"""Every change is in the journal, written by the database itself."""

from __future__ import annotations

import json

import pytest

from keepgraph.store import derived_tables, migrations
from words import Caller, connected, decision, fact, literal, person, project, rows

JOURNALLED = [
    "entity_type",
    "predicate",
    "entity",
    "alias",
    "former_id",
    "fact",
    "earlier_validity",
    "provenance",
    "assertion_surface",
    "open_statement",
    "episode",
    "chunk",
    "vocabulary_set",
    "type_parent",
    "type_disjoint",
    "predicate_end",
    "vocabulary_label",
    "proposed_fact",
    "dismissed_wording",
    "review_decision",
    "assumed_type",
    "owner",
    "narrative",
]
OF_THE_JOURNAL = {"journal", "call", "idempotency", "migration"}
# What only says that another table has changed.
REVISION = {"vocabulary_revision", "vector_change"}
DERIVED = derived_tables.TABLES | {
    "vector_space",
    # What is read in texts.
    "mention",
    "proposal",
    "proposal_evidence",
    # What an algorithm finds.
    "community",
    "community_member",
    # What is offered for review; the decisions are journalled.
    "review_proposal",
    # How the graph was used.
    "garden_run",
    "read_count",
    "unknown_name",
    "map_place",
    # Written by imports alone: whoever takes one back finds the rows gone, and has them marked when they come back.
    "imported_rows",
    # Kept by triggers.
    "entity_count",
    "fact_count",
}


def journal(path):
    return rows(path, "SELECT call, op, tbl, row, was FROM journal ORDER BY id")


def test_every_table_of_the_graph_is_journalled(graph, path):
    listed = rows(path, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    tables = {name for (name,) in listed if not name.startswith("sqlite_")}

    assert tables - OF_THE_JOURNAL - DERIVED - REVISION == set(JOURNALLED)


@pytest.mark.parametrize("table", JOURNALLED)
def test_every_table_of_the_graph_has_the_triggers_that_are_generated(graph, path, table):
    """
    To the letter. Every column is kept.
    """
    triggers = (
        "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND name LIKE '%_journal_%'"
    )
    made = {sql for (sql,) in rows(path, triggers, table)}
    with connected(path) as conn:
        generated = {sql for sql in migrations.statements(conn, table) if sql.startswith("CREATE")}

    assert generated == made
    assert len(made) == 3


def test_what_a_call_adds_is_journalled_by_row_number_alone(call, path):
    call.record(person("Ada"), "decided_in", decision("Go"), aliases=["Countess"])

    assert journal(path) == [
        (1, "insert", "entity", 1, None),
        (1, "insert", "alias", 1, None),
        (1, "insert", "entity", 2, None),
        (1, "insert", "fact", 1, None),
        (1, "insert", "provenance", 1, None),
    ]
    assert rows(path, "SELECT at, tool FROM call") == [("2026-05-15T10:00:00.000Z", "record_fact")]


def test_each_change_belongs_to_its_own_call(call, path):
    call.record(person("Ada"), "tagged", literal("x"))
    call.record(person("Ada"), "tagged", literal("x"), source="mail")

    assert [entry[:4] for entry in journal(path)][-1] == (2, "insert", "provenance", 2)


@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {} WHERE id = 1", "DELETE FROM {0} WHERE id = 1"])
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("entity", "summary"),
        ("alias", "alias"),
        ("fact", "text"),
        ("provenance", "source"),
        ("predicate", "description"),
    ],
)
def test_an_update_and_a_delete_keep_the_row_as_it_was(call, path, table, column, change):
    call.record(person("Ada"), "decided_in", decision("Go"), aliases=["Countess"], source="here")
    columns = [row[1] for row in rows(path, f"PRAGMA table_info({table})")]
    (was,) = rows(path, f"SELECT * FROM {table} WHERE id = 1")
    with connected(path) as conn:
        conn.execute(change.format(table, column, "'changed'"))
    *_, (_, operation, name, row, kept) = journal(path)

    assert (operation, name, row) == (change.split()[0].lower(), table, 1)
    assert list(json.loads(kept).items()) == list(zip(columns, was, strict=True))


def test_a_refused_call_is_not_in_the_journal(call, path):
    call("record_fact", **fact(person("Ada"), "frobs", project("Atlas")))
    call("record_fact", **fact(person("Ada"), "tagged", literal(" ")))

    assert (journal(path), rows(path, "SELECT * FROM call")) == ([], [])


def test_a_refused_fact_among_many_is_not_in_the_journal(call, path):
    call(
        "record_facts",
        facts=[fact(person("Ada"), "tagged", literal(" ")), fact(person("Grace"), "tagged", literal("x"))],
    )

    assert [entry[1:4] for entry in journal(path)] == [
        ("insert", "entity", 1),
        ("insert", "fact", 1),
        ("insert", "provenance", 1),
    ]


def test_reading_leaves_no_trace(call, path):
    call.record(person("Ada"), "tagged", literal("x"))
    before = journal(path), rows(path, "SELECT * FROM call")
    for tool, given in (("recall_entity", {"name_or_alias": "Ada"}), ("weekly_rollup", {}), ("get_status", {})):
        call(tool, **given)

    assert (journal(path), rows(path, "SELECT * FROM call")) == before


def test_the_session_of_a_call_is_known(open_graph, path):
    Caller(open_graph(session="chat 7")).record(person("Ada"), "tagged", literal("x"))

    assert rows(path, "SELECT session FROM call") == [("chat 7",)]


# What the tables themselves refuse


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entity SET name = ''",
        "UPDATE entity SET name = NULL",
        "UPDATE entity SET type = 99",
        "UPDATE entity SET properties = '[]'",
        "UPDATE entity SET public_id = 'x'",
        "UPDATE entity SET created_at = '2026'",
        "INSERT INTO entity SELECT 99, 'ent_00000000000000000000000099', group_id, type, name, name_key, name_folded, "
        "summary, properties, created_at FROM entity WHERE id = 1",
        "DELETE FROM entity WHERE id = 1",
        "UPDATE fact SET confidence = 1.1",
        "UPDATE fact SET literal = 'x'",
        "UPDATE fact SET object = NULL",
        "UPDATE fact SET subject = 99",
        "UPDATE fact SET valid_from = '~'",
        "UPDATE fact SET valid_to = ''",
        "UPDATE fact SET recorded_at = 'now'",
        "UPDATE fact SET id = 'one'",
        "UPDATE provenance SET source = ''",
        "UPDATE provenance SET confidence = NULL",
        "DELETE FROM fact",
        "UPDATE predicate SET name = 'tagged'",
    ],
)
def test_the_database_refuses_what_should_not_be(call, path, change):
    from sqlcipher3 import dbapi2 as sqlite

    call.record(person("Ada"), "decided_in", decision("Go"))
    with connected(path) as conn:
        conn.execute("PRAGMA foreign_keys = ON")

        with pytest.raises(sqlite.IntegrityError):
            conn.execute(change)


def test_the_indexes_for_searching_follow_every_change(call, path):
    call.record(person("Ada"), "decided_in", decision("Go"), aliases=["Countess"])
    found = "SELECT rowid FROM name_trigram WHERE name_trigram MATCH ?"
    with connected(path) as conn:
        conn.execute("UPDATE entity SET name_folded = 'grace' WHERE id = 1")
        conn.execute("DELETE FROM alias")
        conn.execute("UPDATE fact SET text = 'something else'")

        assert conn.execute(found, ('"ada"',)).fetchall() == []
        assert conn.execute(found, ('"countess"',)).fetchall() == []
        assert [tuple(row) for row in conn.execute(found, ('"grace"',))] == [(2,)]
        assert conn.execute("SELECT count(*) FROM fact_text WHERE fact_text MATCH 'decided'").fetchone()[0] == 0
        conn.execute("INSERT INTO fact_text (fact_text, rank) VALUES ('integrity-check', 1)")
