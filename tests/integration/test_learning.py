"""Learning: what follows from the facts is proposed with its rule, what does not is doubted, and nothing is changed."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import keepgraph
from keepgraph import errors
from keepgraph.arrays import link_models
from keepgraph.cli.root import kg
from keepgraph.engine.analysis import link_prediction
from words import Caller, Clock, counted, dump, fact, literal, person, project

PEOPLE, FIRMS = 210, 12
UNKNOWN = range(200, 206)
"""Of these it is not known where they work."""

WRONG = fact(person("Person 40"), "works_at", {"type": "organisation", "name": "Firm 5"})
DECIDED_TABLES = ("entity", "fact", "provenance", "journal")


def firm(number: int) -> dict[str, str]:
    return {"type": "organisation", "name": f"Firm {number}"}


def everybody(people: int = PEOPLE) -> list[dict[str, Any]]:
    """Everybody reports to the head of a firm and works there; each knows one other, and one fact is wrong."""
    facts = []
    generator = random.Random(5)
    for number in range(people):
        head = number % FIRMS
        if number >= FIRMS:
            facts.append(fact(person(f"Person {number}"), "reports_to", person(f"Person {head}")))
        if number not in UNKNOWN:
            facts.append(fact(person(f"Person {number}"), "works_at", firm(head)))
        facts.append(fact(person(f"Person {number}"), "knows", person(f"Person {generator.randrange(people)}")))
    facts += [fact(person(f"Person {number}"), "status", literal("away")) for number in range(5)]
    return [*facts, WRONG]


def record(call: Caller, facts: list[dict[str, Any]]) -> None:
    answer = call("record_facts", facts=facts)
    assert answer["refused"] == 0, answer


def statements(facts: list[dict[str, Any]]) -> list[str]:
    return [each["statement"] for each in facts]


def numbered_from(first: int) -> Callable[[str, datetime], str]:
    """Ids that count up, and are none of those of a graph that was copied."""
    numbers = count(first)
    return lambda prefix, now: f"{prefix}_{next(numbers):026d}"


@pytest.fixture(scope="module")
def staff_file(new_file: Callable[[], Path]) -> Path:
    file = new_file()
    with keepgraph.open(file, clock=Clock(), new_id=counted()) as graph:
        record(Caller(graph), everybody())
    return file


@pytest.fixture
def staff(staff_file: Path, path: Path, open_graph: Callable[..., keepgraph.Graph]) -> Caller:
    shutil.copy(staff_file, path)
    return Caller(open_graph(new_id=numbered_from(1_000_000)))


@pytest.fixture
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedding, by which none of these facts is suggested, is learned for a moment only."""
    monkeypatch.setattr(link_models, "fit_complex", partial(link_models.fit_complex, epochs=2))


def test_what_a_rule_expects_is_suggested_with_the_rule_its_support_and_its_counter_examples(staff):
    answer = staff("train_gnn")
    first = answer["predicted_facts"][0]
    expected = {f"Person {number} works at Firm {number % FIRMS}" for number in UNKNOWN}

    assert answer["method"] == "horn_rules"
    assert expected <= set(statements(answer["predicted_facts"]))
    assert first["statement"] in expected
    assert first["rule"] == "If A reports to B and B works at C, then A works at C."
    assert (first["support"], first["counter_examples"]) == (192, len(UNKNOWN))
    assert first["score"] == round(192 / (198 + 5), 4)
    assert [each["text"].split(" ", 2)[2] for each in first["because"]] == [
        f"reports to {first['because'][1]['text'].split(' works')[0]}",
        f"works at {first['object']['name']}",
    ]


def test_a_fact_that_does_not_follow_where_all_others_do_is_doubtful_and_stays(staff):
    answer = staff("train_gnn")
    [doubtful] = answer["doubtful_facts"]
    ends = [doubtful["from"], doubtful["to"]]

    assert doubtful["statement"] == "Person 40 works at Firm 5"
    assert [ends] == answer["suggested_edges"]
    assert {"|".join(ends): doubtful["score"]} == answer["scores"]
    assert staff("get_entity_edge", uuid=doubtful["fact_id"])["invalid_at"] is None


@pytest.mark.slow
def test_a_tree_has_no_doubtful_facts(call):
    """
    Upstream calls each edge of a tree spurious.
    """
    record(call, [fact(person(f"P {n}"), "reports_to", person(f"P {(n - 1) // 2}")) for n in range(1, 520)])
    answer = call("train_gnn", threshold=0)

    assert answer["doubtful_facts"] == answer["predicted_facts"] == []


@pytest.mark.parametrize("people", [0, 1, 100])
def test_few_facts_are_not_learned_from(call, people):
    if people:
        record(call, everybody(people)[:300])
    answer = call("train_gnn", dry_run=False)

    assert answer["method"] == "too_few_facts"
    assert answer["edges_analysed"] <= 300
    assert (answer["predicted_facts"], answer["suggested_edges"], answer["scores"]) == ([], [], {})
    assert answer["offered"]["new"] == 0


def test_chance_is_not_learned_from(call):
    """
    There are enough facts, and nothing in them predicts anything.
    """
    generator = random.Random(1)
    pairs = [(generator.randrange(200), generator.randrange(200)) for _ in range(560)]
    record(call, [fact(person(f"P {a}"), "works_on", project(f"Q {b}")) for a, b in pairs])
    answer = call("train_gnn")

    assert answer["edges_analysed"] >= 500
    assert answer["method"] == "too_few_facts"
    assert "better than counting" in answer["message"]


@pytest.mark.usefixtures("few_epochs")
def test_the_same_seed_gives_the_same_answer(staff):
    assert staff("train_gnn", seed=3) == staff("train_gnn", seed=3)


@pytest.mark.usefixtures("few_epochs")
def test_a_dry_run_changes_nothing_and_an_offer_changes_no_fact(staff, path):
    before = dump(path)
    staff("train_gnn")
    shown = dump(path)
    answer = staff("train_gnn", dry_run=False)
    offered = dump(path)

    assert before == shown
    assert answer["offered"]["new"] == min(20, answer["predicted_count"] + answer["suggested_count"])
    assert {table: before[table] for table in DECIDED_TABLES} == {table: offered[table] for table in DECIDED_TABLES}


@pytest.mark.usefixtures("few_epochs")
def test_an_accepted_suggestion_is_recorded_and_undone_like_any_call(staff):
    staff("train_gnn", dry_run=False)
    waiting = staff("review_proposals", kinds=["new_fact"], limit=50)["proposals"]
    [chosen] = [each for each in waiting if "Person 200 works at Firm 8?" in each["statement"]]
    [decided] = staff("review_proposals", decide=[{"id": chosen["id"], "decision": "accept"}])["decisions"]
    known = staff("train_gnn")
    staff("undo", call=decided["call"])

    assert "Person 200 works at Firm 8" not in statements(known["predicted_facts"])
    assert "Person 200 works at Firm 8" in statements(staff("train_gnn")["predicted_facts"])


@pytest.mark.usefixtures("few_epochs")
def test_what_was_rejected_or_retracted_is_not_suggested_again(staff):
    staff("train_gnn", dry_run=False)
    [doubt] = staff("review_proposals", kinds=["doubtful"], limit=9)["proposals"]
    staff("review_proposals", decide=[{"id": doubt["id"], "decision": "reject"}])
    recorded = staff.record(person("Person 201"), "works_at", firm(201 % FIRMS))
    staff("retract_fact", fact_id=recorded["fact_id"])
    again = staff("train_gnn", dry_run=False)

    assert again["offered"]["decided"] == 1
    assert "Person 201 works at Firm 9" not in statements(again["predicted_facts"])


@pytest.mark.usefixtures("few_epochs")
def test_a_project_limits_what_is_suggested_and_an_unknown_one_is_an_error(staff):
    staff.record(person("Person 200"), "works_on", project("Atlas"))
    answer = staff("train_gnn", project="Atlas")

    assert statements(answer["predicted_facts"]) == ["Person 200 works at Firm 8"]
    assert answer["doubtful_facts"] == []
    assert staff("train_gnn", project="Nowhere")["error"] == "ENTITY_NOT_FOUND"


@pytest.mark.usefixtures("few_epochs")
def test_a_predicate_that_allows_one_object_gets_no_second(staff):
    predicates = {"based_at": {"flags": ["functional"], "description": "Where somebody sits."}}
    staff("extend_vocabulary", predicates=predicates)
    facts = [fact(person(f"Person {n}"), "based_at", firm(n % FIRMS)) for n in range(FIRMS, 190)]
    record(staff, [*facts, fact(person("Person 192"), "based_at", firm(3))])
    suggested = statements(staff("train_gnn")["predicted_facts"])

    assert "Person 193 based at Firm 1" in suggested
    assert "Person 192 based at Firm 0" not in suggested


@pytest.mark.parametrize(
    "arguments",
    [{"threshold": 2}, {"threshold": "high"}, {"seed": -1}, {"project": 7}, {"dry_run": "yes"}, {"prune": True}],
    ids=str,
)
def test_arguments_that_make_no_sense_are_refused(call, arguments):
    assert call("train_gnn", **arguments)["error"] == "INVALID_ARGUMENTS"


def test_the_names_of_other_systems_are_answered(call):
    assert call("train_gnn_tool", project="default", session_id="s")["method"] == "too_few_facts"


@pytest.mark.usefixtures("few_epochs")
def test_learning_can_be_cancelled_and_reports_progress(staff):
    seen: list[str] = []
    staff.graph.call_until(None, "train_gnn", {}, progress=lambda done, total, what: seen.append(what))

    with pytest.raises(errors.Cancelled):
        staff.graph.call_until(lambda: errors.Cancelled("stop"), "train_gnn", {})
    assert seen[0] == "reading facts"
    assert {"testing horn rules", "looking for doubtful facts", "done"} <= set(seen)


@pytest.mark.usefixtures("few_epochs")
def test_rules_tell_how_sure_a_relation_is(staff):
    with staff.graph.database.read("test") as tx:
        rows = {
            name: tx.conn.execute("SELECT id FROM entity WHERE name = ?", (name,)).fetchone()[0]
            for name in ("Person 200", "Firm 8", "Firm 7")
        }
        likely, unlikely = (
            link_prediction.rule_confidence(tx, subject=rows["Person 200"], predicate="works_at", object=rows[firm])
            for firm in ("Firm 8", "Firm 7")
        )

    assert likely is not None
    assert likely[0] > 0.9
    assert likely[1] == "If A reports to B and B works at C, then A works at C."
    assert unlikely is None or unlikely[0] < 0.2


@pytest.mark.usefixtures("few_epochs")
def test_the_gardener_proposes_what_rules_expect(staff):
    answer = staff("run_night_gardener", passes=["links"])

    assert {"new_fact", "doubtful"} == {each["kind"] for each in answer["proposals"]}


@pytest.mark.usefixtures("few_epochs")
def test_kg_learn_shows_suggestions_and_offers_them(staff, path):
    staff.graph.close()
    run = lambda *words: CliRunner().invoke(kg, ["--db", str(path), "learn", *words])  # noqa: E731
    shown, offered, as_json = run(), run("--offer", "--limit", "1"), run("--json")

    assert "If A reports to B and B works at C, then A works at C. 192 of 198 times." in shown.output
    assert "Person 40 works at Firm 5" in shown.output
    assert "new proposals for review; no fact was changed" in offered.output
    assert json.loads(as_json.output)["dry_run"] is True


def test_kg_learn_says_what_is_wrong(path):
    keepgraph.open(path).close()
    run = lambda *words: CliRunner().invoke(kg, ["--db", str(path), "learn", *words])  # noqa: E731

    assert run("--threshold", "7").exit_code == 2
    assert "too few to learn from" in run().output
    assert run("--project", "Nowhere").exit_code == 1
