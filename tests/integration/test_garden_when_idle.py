"""A server when nobody calls: the gardener, at most once a day, and backfills; until somebody calls."""

from __future__ import annotations

import threading

import pytest

from keepgraph import background, errors
from keepgraph.activity import Activity
from keepgraph.engine.garden import gardener, passes
from keepgraph.profiles import settings_file
from words import person


class Seconds:
    """A clock of seconds that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def activity(seconds) -> Activity:
    return Activity(seconds)


def test_a_server_is_idle_since_the_end_of_the_last_call(activity, seconds):
    seconds.now = 5
    with activity.call():
        seconds.now = 700
        during = activity.idle_seconds()
    seconds.now = 1000

    assert (during, activity.idle_seconds(), activity.calls) == (0, 300, 1)


def test_a_call_that_overlaps_another_keeps_the_server_busy(activity, seconds):
    with activity.call():
        with activity.call():
            pass
        seconds.now = 900

        assert activity.idle_seconds() == 0


def test_it_runs_after_ten_idle_minutes_and_once_a_day(call, graph, activity, seconds, clock):
    call("add_entity", entity=person("Nobody"))
    clock.pass_by(days=2)
    task = background._Garden(graph, activity, threading.Event())
    runs = []
    for minutes, hours in ((9, 0), (2, 0), (60, 1), (60, 20)):
        seconds.now += 60 * minutes
        clock.pass_by(hours=hours)
        task._next_check = 0.0
        task()
        runs.append(call("get_garden_status")["total_runs"])

    assert runs == [0, 1, 1, 2]
    assert call("get_garden_status")["origin"] == "idle"
    assert call("get_garden_status")["waiting"] == 1


def test_it_stops_when_somebody_calls_and_goes_on_with_the_rest_later(call, graph, activity, seconds, monkeypatch):
    from keepgraph.engine.garden.passes import facts

    done = facts.propose_conflicts

    def somebody_calls(tx, position):
        with activity.call():
            return done(tx, position)

    monkeypatch.setattr(facts, "propose_gaps", somebody_calls)
    task = background._Garden(graph, activity, threading.Event())
    seconds.now += 601
    task()
    with graph.database.read("test") as tx:
        due = gardener.due_passes(tx)

    assert due == list(passes.NAMES[passes.NAMES.index("gaps") :])


def test_it_stops_when_the_server_ends(call, graph, activity, seconds):
    stopped = threading.Event()
    stopped.set()
    seconds.now += 601
    with pytest.raises(errors.Cancelled):
        background._Garden(graph, activity, stopped)()
    with graph.database.read("test") as tx:
        due = gardener.due_passes(tx)

    assert due == list(passes.NAMES)


def test_a_server_that_reads_only_has_no_background_tasks(open_graph, path):
    open_graph().close()
    graph = open_graph(path, read_only=True)
    before = threading.active_count()
    with background.running(graph, garden=True):
        during = threading.active_count()

    assert before == during


@pytest.mark.parametrize(("text", "expected"), [("", True), ("[garden]\nidle = false\n", False)])
def test_the_settings_decide_whether_a_server_runs_it(path, text, expected):
    path.with_suffix(".toml").write_text(text, "utf-8")

    assert settings_file.read(path).garden_when_idle == expected


# Backfills


@pytest.fixture
def backfill(activity):
    """A backfill of three that wait, one at a time, and how often it ran."""
    waiting, runs = [3], []

    def run_once() -> int:
        runs.append(waiting[0])
        waiting[0] -= 1
        return waiting[0]

    return background._Backfill(activity, lambda: waiting[0], run_once), waiting, runs


def test_a_backfill_runs_when_nobody_calls_soon_after_a_call(backfill, activity, seconds):
    task, _, runs = backfill
    with activity.call():
        looks_again = [task()]
    looks_again.append(task())
    before = list(runs)
    seconds.now += 0.2
    looks_again.append(task())

    assert (before, runs) == ([], [3])
    assert looks_again == [True, True, True]


def test_vectors_wait_until_nobody_has_called_for_two_seconds(graph, call, activity, seconds, monkeypatch):
    batches = []
    monkeypatch.setattr(background.vector_backfill, "count_due", lambda _: 1)
    monkeypatch.setattr(background.vector_backfill, "backfill", lambda *_, **__: batches.append(seconds.now) or 0)
    task = background._VectorBackfill(graph, activity)
    for _ in range(3):
        seconds.now += 1.9
        looks_again = task()
        with activity.call():
            call("list_entities")
    seconds.now += 2.1
    task()

    assert batches == [seconds.now]
    assert not looks_again


def test_a_backfill_leaves_to_another_program_what_that_is_at(backfill, seconds):
    task, waiting, runs = backfill
    seconds.now += 1
    task()
    for left in (90, 80, 70):
        waiting[0] = left
        task()

    assert runs == [3]


def test_a_call_that_ends_wakes_the_background_at_once(activity):
    woken = threading.Event()
    thread = threading.Thread(target=lambda: (activity.await_end(60), woken.set()), daemon=True)
    thread.start()
    with activity.call():
        pass

    assert woken.wait(30)
