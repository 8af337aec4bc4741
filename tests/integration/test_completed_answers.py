"""What only the answer of a write wants is asked after the commit: nobody waits for it, and the write stands."""

from __future__ import annotations

from itertools import groupby

import pytest

from keepgraph import errors
from keepgraph.engine.knowledge import entities
from keepgraph.store import cancellation
from words import concept, person

ADA, NOTES = person("Ada Lovelace"), concept("Notes")
LATE = errors.DeadlineExceeded("late")


@pytest.fixture
def while_names_are_compared(monkeypatch):
    """Lets something happen while the names of a recorded fact are compared with others."""
    compare = entities.possible_duplicates

    def let(happen):
        def compare_then(tx, entity):
            happen()
            return compare(tx, entity)

        monkeypatch.setattr(entities, "possible_duplicates", compare_then)

    return let


def recorded(graph):
    with graph.database.read("test") as tx:
        return tx.conn.execute("SELECT count(*) FROM fact").fetchone()[0]


def test_other_writers_write_while_the_names_of_a_fact_are_compared(graph, open_graph, while_names_are_compared):
    other = open_graph()
    seen = []

    def write_elsewhere():
        if not seen:
            seen.append(recorded(other))
            other.call("add_alias", entity=ADA, alias="Countess")

    while_names_are_compared(write_elsewhere)
    graph.call("record_fact", subject=ADA, predicate="depends_on", object=NOTES)

    assert seen == [1]
    assert other.call("recall_entity", name_or_alias="Countess")["entity"]["name"] == "Ada Lovelace"


FAULTS = [
    LATE,
    errors.Cancelled("no more"),
    errors.GraphDamaged("a page"),
    MemoryError(),
    OSError(24, "files"),
    KeyError(1),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_fact_is_recorded_though_its_names_cannot_be_compared(graph, while_names_are_compared, fault):
    def fail():
        raise fault

    while_names_are_compared(fail)
    answer = graph.call("record_fact", subject=ADA, predicate="depends_on", object=NOTES)

    assert (answer["not_checked"], answer["possible_duplicates"], recorded(graph)) == (True, [], 1)


def test_nobody_is_told_of_the_deadline_while_the_names_of_a_fact_are_compared(graph, while_names_are_compared):
    check, told = cancellation.Cancellation(60), []
    while_names_are_compared(lambda: told.append(check.answer()))
    arguments = {"subject": ADA, "predicate": "depends_on", "object": NOTES}
    graph.call_until(check, "record_fact", arguments)

    assert told == [False, False]


def test_a_deadline_after_the_commit_is_no_error(graph, while_names_are_compared):
    is_over = []
    while_names_are_compared(lambda: is_over.append(True))
    arguments = {"subject": ADA, "predicate": "depends_on", "object": NOTES}
    answer = graph.call_until(lambda: LATE if is_over else None, "record_fact", arguments)

    assert (answer["not_checked"], recorded(graph)) == (True, 1)


def test_a_fact_among_known_entities_takes_eleven_statements_while_others_wait(graph):
    for target in (NOTES, concept("Engine")):
        graph.call("record_fact", subject=ADA, predicate="depends_on", object=target)
    statements: list[str] = []
    with graph.database.write("test") as tx:
        writer = tx.conn
    writer.set_trace_callback(statements.append)
    graph.call("record_fact", subject=NOTES, predicate="depends_on", object=concept("Engine"))
    writer.set_trace_callback(None)
    in_lock = statements[statements.index("BEGIN IMMEDIATE") : statements.index("COMMIT") + 1]
    # Those of triggers are traced as comments, and between them the statement that fired them, again and again.
    own = [statement for statement, _ in groupby(text for text in in_lock if not text.startswith("--"))]

    assert len([statement for statement in own if "vocabulary_revision" in statement]) == 1
    assert len(own) == 11
