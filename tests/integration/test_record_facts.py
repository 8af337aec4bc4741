"""Recording many facts in one call: an answer for each, or all or nothing, and nothing twice."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from datetime import UTC, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.tools.memory import MAX_FACTS_WITH_NAMES_COMPARED
from laws import examples
from words import NOON, Caller, Clock, concept, counted, decision, dump, fact, literal, person, project, rows

ADA, ATLAS, GO = person("Ada"), project("Atlas"), decision("Go")
GOOD = fact(ADA, "decided_in", GO)
ALSO_GOOD = fact(ADA, "belongs_to", ATLAS)
BAD = fact(person("Left behind"), "frobs", concept("Nothing"))


def test_each_fact_has_an_answer_in_its_place(call):
    answer = call("record_facts", facts=[GOOD, BAD, GOOD, ALSO_GOOD])

    assert [each["index"] for each in answer["results"]] == [0, 1, 2, 3]
    assert [each.get("error") for each in answer["results"]] == [None, "PREDICATE_UNKNOWN", None, None]
    assert [each.get("deduplicated") for each in answer["results"]] == [False, None, True, False]
    assert (answer["recorded"], answer["deduplicated"], answer["refused"]) == (2, 1, 1)


def test_a_refused_fact_leaves_nothing_of_itself_behind(call):
    late = fact(person("Left behind"), "belongs_to", project("Left behind too"), aliases=["x", " "])
    answer = call("record_facts", facts=[GOOD, late, fact(person("Also left"), "tagged", literal(" "))])

    assert [each.get("error") for each in answer["results"]] == [None, "ALIAS_INVALID", "OBJECT_REQUIRED"]
    entities = call("get_status")["entities"]
    assert {entity_type: count for entity_type, count in entities.items() if count} == {"person": 1, "decision": 1}


def test_a_refusal_carries_hint_and_example(call):
    (refused,) = call("record_facts", facts=[BAD])["results"]

    assert refused["hint"]
    assert "error" not in call("record_fact", **refused["example"])


BAD_ONES = [
    (None, "INVALID_ARGUMENTS"),
    ("Ada decided", "INVALID_ARGUMENTS"),
    (3, "INVALID_ARGUMENTS"),
    ([], "INVALID_ARGUMENTS"),
    ({}, "SUBJECT_REQUIRED"),
    ({**GOOD, "more": 1}, "INVALID_ARGUMENTS"),
    ({**GOOD, "confidence": 2}, "CONFIDENCE_OUT_OF_RANGE"),
    ({**GOOD, "confidence": float("nan")}, "CONFIDENCE_OUT_OF_RANGE"),
    ({**GOOD, "source": "nul \x00"}, "INVALID_ARGUMENTS"),
    ({**GOOD, "source": "half \ud800"}, "INVALID_ARGUMENTS"),
    ({**GOOD, "source": "x" * 100_000}, "INVALID_ARGUMENTS"),
    ({**GOOD, "valid_from": "soon"}, "VALIDITY_INVALID"),
]


@pytest.mark.parametrize(("bad", "code"), BAD_ONES, ids=range(len(BAD_ONES)))
def test_a_bad_fact_never_stops_the_others(call, bad, code):
    answer = call("record_facts", facts=[GOOD, bad, ALSO_GOOD])

    assert [each.get("error") for each in answer.get("results", [])] == [None, code, None]


def test_a_fact_written_as_json_text_is_read(call):
    answer = call("record_facts", facts=[{**GOOD, "subject": '{"type": "person", "name": "Ada"}'}])

    assert answer["refused"] == 0


def test_a_list_written_as_json_text_is_read(call):
    import json

    assert call("record_facts", facts=json.dumps([GOOD, ALSO_GOOD]))["recorded"] == 2


# All or nothing


def test_all_or_nothing_records_all(call):
    assert call("record_facts", facts=[GOOD, ALSO_GOOD], all_or_nothing=True)["recorded"] == 2


def test_all_or_nothing_records_nothing_and_says_which_was_bad(call, path):
    before = dump(path)
    refused = call("record_facts", facts=[GOOD, ALSO_GOOD, BAD], all_or_nothing=True)

    assert refused["error"] == "PREDICATE_UNKNOWN"
    assert refused["message"].startswith("facts[2]: ")
    assert "error" not in call("record_facts", **refused["example"])
    assert before["fact"] == []


def test_all_or_nothing_leaves_the_file_as_it_was(call, path):
    call("record_facts", facts=[ALSO_GOOD])
    before = dump(path)
    call("record_facts", facts=[GOOD, BAD], all_or_nothing=True, idempotency_key="k")

    assert dump(path) == before


# How many


def test_a_thousand_facts_are_recorded_in_one_call(call, path):
    answer = call("record_facts", facts=[fact(ADA, "depends_on", concept(f"Part {n}")) for n in range(1000)])

    assert (answer["recorded"], len(answer["results"])) == (1000, 1000)
    assert rows(path, "SELECT tool FROM call") == [("record_facts",)]


def test_more_than_a_thousand_are_refused_at_once(call, path):
    before = dump(path)
    refused = call("record_facts", facts=[GOOD] * 1001)

    assert refused["error"] == "INVALID_ARGUMENTS"
    assert "1,000" in refused["message"]
    assert dump(path) == before


def test_no_fact_at_all_is_refused(call):
    assert call("record_facts", facts=[])["error"] == "INVALID_ARGUMENTS"
    assert call("record_facts")["error"] == "INVALID_ARGUMENTS"


def test_new_names_are_compared_with_those_that_exist(call):
    call.record(person("Roberto"), "tagged", literal("x"))
    answer = call("record_facts", facts=[fact(person("Robrto"), "tagged", literal("x"))])

    assert [each["name"] for each in answer["results"][0]["possible_duplicates"]] == ["Roberto"]
    assert answer["names_not_compared"] == 0


@pytest.mark.parametrize("more", [0, 1])
def test_how_many_new_names_were_not_compared_is_told(call, more):
    many = MAX_FACTS_WITH_NAMES_COMPARED + more
    answer = call("record_facts", facts=[fact(concept(f"Thing {n}"), "tagged", literal("x")) for n in range(many)])

    assert answer["names_not_compared"] == many * more


# Once


def test_a_retried_call_adds_nothing_and_answers_the_same(call, clock, path):
    first = call("record_facts", facts=[GOOD, BAD], idempotency_key="k")
    clock.pass_by(hours=1)
    before = rows(path, "SELECT count(*) FROM provenance")
    again = call("record_facts", facts=[GOOD, BAD], idempotency_key="k")

    assert again == {**first, "replayed": True}
    assert first["replayed"] is False
    assert rows(path, "SELECT count(*) FROM provenance") == before


def test_a_retry_after_another_process_recorded_is_known(call, open_graph):
    from words import Caller

    first = call("record_facts", facts=[GOOD], idempotency_key="k")
    again = Caller(open_graph())("record_facts", facts=[GOOD], idempotency_key="k")

    assert again == {**first, "replayed": True}


@pytest.mark.parametrize(
    "other", [{"facts": [ALSO_GOOD]}, {"facts": [GOOD, GOOD]}, {"facts": [GOOD], "all_or_nothing": True}]
)
def test_a_key_is_for_one_request(call, path, other):
    call("record_facts", facts=[GOOD], idempotency_key="k")
    before = dump(path)

    assert call("record_facts", **other, idempotency_key="k")["error"] == "IDEMPOTENCY_KEY_REUSED"
    assert dump(path) == before


def test_a_request_that_was_refused_may_be_mended_under_its_key(call):
    assert call("record_facts", facts=[GOOD, BAD], all_or_nothing=True, idempotency_key="k")["error"]

    assert call("record_facts", facts=[GOOD], all_or_nothing=True, idempotency_key="k")["recorded"] == 1


def test_a_request_is_the_same_whatever_the_order_of_its_words(call):
    call("record_facts", facts=[GOOD], idempotency_key="k")

    assert call("record_facts", facts=[dict(reversed(GOOD.items()))], idempotency_key="k")["replayed"]


def test_without_a_key_every_call_is_an_assertion_and_says_that_nothing_changed(call, path):
    first, again = (call("record_facts", facts=[GOOD]) for _ in range(2))

    assert [answer["results"][0]["effect"] for answer in (first, again)] == ["recorded", "nothing_changed"]
    assert rows(path, "SELECT count(*) FROM provenance") == [(2,)]


def test_without_a_key_every_other_source_is_a_new_assertion(call, path):
    for source in ("mail", "talk"):
        call("record_facts", facts=[{**GOOD, "source": source}])

    assert rows(path, "SELECT count(*) FROM provenance") == [(2,)]


def test_keys_of_different_groups_do_not_meet(open_graph):
    from words import Caller

    Caller(open_graph(group="theirs"))("record_facts", facts=[GOOD], idempotency_key="k")
    ours = Caller(open_graph(group="ours"))("record_facts", facts=[GOOD], idempotency_key="k")

    assert ours["replayed"] is False


def test_a_request_that_is_not_json_cannot_have_a_key(call):
    for odd in ({1: 2, "a": 3}, 10**5000, {1, 2}):
        assert call("record_facts", facts=[odd], idempotency_key="k")["error"] == "INVALID_ARGUMENTS"


def test_an_element_may_be_json_in_a_string(call):
    told = call("record_facts", facts=[json.dumps(fact(person("Ada"), "tagged", literal("x")))])

    assert told["recorded"] == 1


def test_an_alias_given_within_a_call_is_not_overlooked_by_the_rest_of_it(call):
    """
    Somebody else gets the alias that was used a moment ago: from then on it may mean two.
    """
    told = call(
        "record_facts",
        facts=[
            fact(person("Samuel"), "tagged", literal("x"), aliases=["Sam"]),
            fact(person("Sam"), "tagged", literal("y")),
            fact(person("Samantha"), "tagged", literal("x"), aliases=["Sam"]),
            fact(person("Sam"), "tagged", literal("z")),
        ],
    )

    assert [result.get("error") for result in told["results"]] == [None, None, None, "AMBIGUOUS"]


def test_a_name_means_another_in_each_group_of_a_batch(open_graph):
    Caller(open_graph(group="other")).record(person("Ada"), "tagged", literal("theirs"))
    call = Caller(open_graph())
    given = [fact(ADA, "tagged", literal("x")), fact(ADA, "tagged", literal("x"), group="other")]
    ours, theirs = call("record_facts", facts=given)["results"]

    assert ours["subject"]["id"] != theirs["subject"]["id"]


# A batch and the same facts one by one

FLAGGED = {
    "captain_of": {"flags": ["functional", "inverse_functional"]},
    "partner_of": {"flags": ["functional", "symmetric"]},
    "inside": {"flags": ["acyclic", "asymmetric", "transitive"]},
}
NAMES = ("Ada", "ada", "Åda", "Ben", "Me", "https://example.org/a/", "HTTPS://example.org/a", "")
THINGS = st.builds(
    lambda kind, name: {**kind, "name": name},
    st.sampled_from([{"type": "person"}, {"type": "project"}, {"type": "Decision"}, {"type": "source"}, {}]),
    st.sampled_from(NAMES),
)
FACTS = st.fixed_dictionaries(
    {
        "subject": THINGS,
        "predicate": st.sampled_from(
            [*FLAGGED, "depends_on", "blocked_by", "resolved_by", "decided_in", "tagged", "also_known_as", "frobs"]
        ),
        "object": THINGS | st.sampled_from(["x", "Bea"]).map(literal),
    },
    optional={
        "valid_from": st.sampled_from(["2026-05-01", "2026-05-10"]),
        "valid_to": st.sampled_from(["2026-05-10", "2026-06-20"]),
        "aliases": st.sampled_from([["Ben"], ["Bea"], [" "]]),
        "source": st.just("chat"),
        "supersedes": st.sampled_from([["fact_" + f"{number:026d}"] for number in range(8)]),
    },
)


@pytest.fixture(scope="module")
def flagged_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph with some facts, of which one is retracted and one has ended."""
    file = tmp_path_factory.mktemp("flagged") / "graph.db"
    with keepgraph.open(file, clock=Clock(NOON - timedelta(days=2)), new_id=counted(), zone=UTC) as graph:
        graph.call("extend_vocabulary", predicates=FLAGGED)
        gone = graph.call("record_fact", **fact(project("Ada"), "inside", project("Ben")))
        graph.call("retract_fact", fact_id=gone["fact_id"])
        graph.call("record_fact", **fact(project("Ben"), "inside", project("Ada")))
        graph.call("record_fact", **fact(project("Ben"), "tagged", literal("x"), valid_to="2026-05-01"))
    return file


@examples(8, sweep=2_000)
@given(facts=st.lists(FACTS, min_size=2, max_size=8))
def test_a_batch_answers_and_leaves_the_same_as_its_facts_one_by_one(flagged_graph, facts):
    with TemporaryDirectory() as folder, ExitStack() as stack:
        files = [Path(folder) / name for name in ("single.db", "batch.db")]
        calls = [_opened(stack, flagged_graph, file) for file in files]
        single = [calls[0]("record_fact", **each) for each in facts]
        batch = calls[1]("record_facts", facts=facts)["results"]

        assert [_without_numbers(answer) for answer in single] == [_without_numbers(answer) for answer in batch]
        assert _facts_and_names(files[0]) == _facts_and_names(files[1])


def _opened(stack: ExitStack, graph: Path, file: Path) -> Caller:
    shutil.copy(graph, file)
    return Caller(stack.enter_context(keepgraph.open(file, clock=Clock(NOON), new_id=counted(1_000), zone=UTC)))


def _without_numbers(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in ("index", "call", "example")}


def _facts_and_names(file: Path) -> list[list[tuple[Any, ...]]]:
    tables = [dump(file, ["entity", "alias", "fact", "earlier_validity", "owner"])]
    assertions = rows(file, "SELECT id, fact, source, confidence, recorded_at, session FROM provenance ORDER BY id")
    journalled = rows(file, "SELECT op, tbl, row, was FROM journal ORDER BY id")
    return [*tables[0].values(), assertions, journalled]
