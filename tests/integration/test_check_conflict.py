"""Whether two texts contradict each other, with what the graph knows of names and words."""

from __future__ import annotations

import pytest

from keepgraph import errors
from keepgraph.ml import cross_encoders
from keepgraph.ml.cross_encoders import Entailment
from words import person


def check(graph, text_a, text_b, **more):
    return graph.call("check_conflict", text_a=text_a, text_b=text_b, **more)


def test_the_answer_has_the_keys_of_the_seed_and_the_pairs(graph):
    answer = check(graph, "LanceDB uses HNSW indexing.", "LanceDB does not use HNSW indexing.", session_id="s1")

    assert answer == {
        "conflict_detected": True,
        "conflict": True,
        "verdict": "contradiction",
        "confidence": 0.95,
        "explanation": "One says that it is so, and the other that it is not.",
        "pairs": [
            {
                "sentence_a": "LanceDB uses HNSW indexing.",
                "sentence_b": "LanceDB does not use HNSW indexing.",
                "verdict": "contradiction",
                "kind": "negation",
                "confidence": 0.95,
                "explanation": "One says that it is so, and the other that it is not.",
            }
        ],
        "truncated": False,
        "project": "default",
        "session_id": "s1",
    }


@pytest.mark.parametrize(
    ("text_a", "text_b"),
    [
        ("The claim is UNGROUNDED.", "The claim is GROUNDED."),
        ("REJECTED: not grounded.", "GROUNDED"),
        ("UNGROUNDED", "PARTIAL: partially grounded"),
    ],
)
def test_words_of_a_verdict_are_read_as_words(graph, text_a, text_b):
    """No text of a model is searched for GROUNDED, of which UNGROUNDED is a part."""
    answer = check(graph, text_a, text_b)

    assert answer["verdict"] in ("contradiction", "undecided", "compatible")
    assert answer["conflict_detected"] == (answer["verdict"] == "contradiction")
    assert not check(graph, text_a, text_a)["conflict_detected"]


def test_without_a_model_what_is_open_is_undecided_and_not_half_sure(graph):
    answer = check(graph, "The harbour is busy in the old town.", "The harbour is not busy.")

    assert (answer["conflict_detected"], answer["verdict"], answer["confidence"]) == (False, "undecided", 0)
    assert "model" not in answer


def test_an_alias_is_the_name(graph):
    graph.call("record_fact", subject=person("Anna Berg"), predicate="reports_to", object=person("Ben Ito"))
    graph.call("add_alias", entity=person("Anna Berg"), alias="Queen of Graphs")

    answer = check(graph, "Queen of Graphs lives in Oslo.", "Anna Berg lives in Bergen.")

    assert answer["conflict_detected"]
    assert answer["pairs"][0]["sentence_a"] == "Queen of Graphs lives in Oslo."


def test_a_pronoun_stands_for_what_the_text_is_about(graph):
    texts = "She lives in Oslo.", "Anna Berg lives in Bergen."

    assert not check(graph, *texts)["conflict_detected"]
    assert check(graph, *texts, entity_a="Anna Berg")["conflict_detected"]
    assert not check(graph, *texts, entity_a="Mia Lind")["conflict_detected"]


def test_two_objects_of_a_functional_predicate_contradict(graph):
    texts = "Anna Berg chairs Ambridge.", "Anna Berg chairs Felpersham."
    before = check(graph, *texts)
    graph.call("extend_vocabulary", predicates={"chairs": {"flags": ["functional"]}})
    after = check(graph, *texts)

    assert (before["conflict_detected"], after["conflict_detected"]) == (False, True)
    assert after["pairs"][0]["kind"] == "value"


@pytest.mark.parametrize("text", ["", "   \n "])
def test_an_empty_text_is_refused(graph, text):
    with pytest.raises(errors.InvalidArguments):
        check(graph, text, "The lift works.")


def test_a_text_is_read_to_its_bound_and_the_answer_says_so(graph):
    assert check(graph, "The lift works. " * 3000, "The lift does not work.")["truncated"]


def test_nothing_is_written(graph):
    before = graph.call("list_calls", limit=5)
    check(graph, "The lift works.", "The lift does not work.")

    assert before == graph.call("list_calls", limit=5)


# A model of entailment


OPEN = "The harbour is busy in the old town.", "The harbour is not busy."


@pytest.fixture
def with_model(path, open_graph, tmp_path):
    """A graph whose settings name a folder as the model."""
    path.with_suffix(".toml").write_text(f'[verification]\nentailment_model = "{tmp_path.as_posix()}"\n', "utf-8")
    return open_graph()


@pytest.mark.parametrize(
    ("contradiction", "verdict"), [(0.97, "contradiction"), (0.02, "compatible"), (0.5, "undecided")]
)
def test_a_model_decides_what_the_rules_leave_open_where_it_is_sure(with_model, monkeypatch, contradiction, verdict):
    score = Entailment(contradiction, 0.0, 1 - contradiction)
    monkeypatch.setattr(cross_encoders, "compute_entailment", lambda pairs, *, folder: [score] * len(pairs))
    answer = check(with_model, *OPEN)

    assert (verdict, "used") == (answer["verdict"], answer["model"])


def test_a_model_is_not_asked_where_the_rules_decide(with_model, monkeypatch):
    monkeypatch.delattr(cross_encoders, "compute_entailment")

    assert check(with_model, "The lift works.", "The lift does not work.")["conflict_detected"]


def test_a_model_that_cannot_be_used_decides_nothing_and_says_why(with_model):
    answer = check(with_model, *OPEN)

    assert (answer["verdict"], answer["confidence"]) == ("undecided", 0)
    assert "no model" in answer["model"]
