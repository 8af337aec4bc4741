"""A call has its answer by its deadline, also where its thread cannot stop; what it wrote is not committed then."""

from __future__ import annotations

import threading

import anyio
import pytest

from keepgraph import errors, interruption
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.resolution import fuzzy
from keepgraph.language import chunking, markdown, relation_extraction
from keepgraph.language.normalisation import Name
from keepgraph.mcp import stdio
from keepgraph.store import cancellation

ADA = {"type": "person", "name": "Ada"}
LATE = errors.DeadlineExceeded("late")


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr(stdio, "GRACE_SECONDS", 0.02)


def run(work, *, seconds):
    """What the work returns, or its error; the limiter is made anew for each."""

    async def main():
        return await stdio.run(work, limiter=anyio.CapacityLimiter(1), seconds=seconds)

    return anyio.run(main)


def writing_until(graph, stop, ended, *, as_job=False):
    """Work that writes a fact, then computes without a look at its deadline until `stop` is set."""

    def work(check):
        try:
            written = (
                Job(graph.database, tool="test", cancellation=check).write()
                if as_job
                else graph.database.write("test", cancellation=check)
            )
            with written as tx:
                tx.conn.execute("CREATE TABLE written (number INTEGER) STRICT")
                stop.wait()
        finally:
            ended.set()

    return work


@pytest.mark.parametrize("as_job", [False, True])
def test_a_thread_that_cannot_stop_is_answered_for_and_commits_nothing_afterwards(graph, short_grace, as_job):
    stop, ended = threading.Event(), threading.Event()
    with pytest.raises(errors.DeadlineExceeded):
        run(writing_until(graph, stop, ended, as_job=as_job), seconds=0.05)
    stop.set()
    ended.wait()

    with graph.database.read("test") as tx:
        assert tx.conn.execute("SELECT name FROM sqlite_schema WHERE name = 'written'").fetchall() == []


def test_a_batch_of_a_job_that_ends_soon_after_the_deadline_is_kept(graph):
    check = cancellation.Cancellation(-1)
    with Job(graph.database, tool="test", cancellation=check).write() as tx:
        tx.conn.execute("CREATE TABLE written (number INTEGER) STRICT")

    with graph.database.read("test") as tx:
        assert tx.conn.execute("SELECT name FROM sqlite_schema WHERE name = 'written'").fetchall() == [("written",)]


def test_nobody_is_answered_while_a_call_commits():
    check = cancellation.Cancellation(60)
    with cancellation.committing(check):
        assert not check.answer()

    assert check.answer()
    with pytest.raises(errors.DeadlineExceeded), cancellation.committing(check):
        pytest.fail("it must not commit")


def test_a_call_that_waits_for_its_turn_has_its_answer_by_its_deadline(graph, short_grace):
    async def main():
        limiter = anyio.CapacityLimiter(1)
        async with limiter:
            return await stdio.run(lambda check: pytest.fail("it ran"), limiter=limiter, seconds=0.01)

    with pytest.raises(errors.DeadlineExceeded):
        anyio.run(main)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run_cypher", {"query": "MATCH (n) RETURN n"}),
        ("record_fact", {"subject": ADA, "predicate": "depends_on", "object": {"type": "concept", "name": "Engine"}}),
    ],
)
def test_what_a_call_computes_is_stopped_by_its_deadline(graph, arguments):
    looks = iter([None])
    with pytest.raises(errors.DeadlineExceeded):
        graph.call_until(lambda: next(looks, LATE), *arguments)


def test_the_model_stops_at_the_deadline_of_the_call_that_it_computes_for():
    minilm = pytest.importorskip("keepgraph.ml.minilm")
    if minilm.unavailable_reason():
        pytest.skip(minilm.unavailable_reason())
    model = minilm.load()
    with interruption.by(lambda: LATE), pytest.raises(errors.DeadlineExceeded):
        model.embed(["Ada"])

    assert model.embed(["Ada"]).shape == (1, minilm.DIMENSION)


def test_the_reading_of_names_and_sentences_stops_at_the_deadline(graph):
    graph.call("record_fact", subject=ADA, predicate="depends_on", object={"type": "concept", "name": "Engine"})
    with graph.database.read("test") as tx, interruption.by(lambda: LATE):
        with pytest.raises(errors.DeadlineExceeded):
            fuzzy.rank(tx, Name("Engin"))
        with pytest.raises(errors.DeadlineExceeded):
            relation_extraction.extract_facts("Ada met Ben.")


def asked_while(work):
    """How often a computation asks whether it must end."""
    asked = []
    with interruption.by(lambda: asked.append(1)):
        work()
    return len(asked)


@pytest.mark.parametrize(
    "line", ["word\n", "# heading\n\n", "> quoted\n", "- point\n", "| a | b |\n", "[[link]] ", "*a* `b` <c> "]
)
def test_the_reading_of_a_note_asks_for_each_line_or_link_whether_it_must_end(line):
    assert asked_while(lambda: markdown.parse(line * 200)) >= 200


def test_the_division_of_a_text_asks_for_each_sentence_whether_it_must_end():
    text = "Ada met Ben. " * 300

    assert asked_while(lambda: chunking.cut(text, 0, len(text), [])) >= 300


def test_the_storing_of_a_text_stops_at_the_deadline(graph):
    with pytest.raises(errors.DeadlineExceeded):
        graph.call_until(
            cancelled_when_asked_so_often(60), "add_memory", {"name": "Long", "episode_body": "Ada met Ben. " * 3_000}
        )

    assert graph.call("get_status")["episodes"] == 0


def cancelled_when_asked_so_often(times):
    asked = []

    def check():
        asked.append(1)
        return LATE if len(asked) > times else None

    return check
