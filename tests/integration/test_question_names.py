"""The names in a question: what each is taken to mean, and what of the question is compared without them."""

from __future__ import annotations

from typing import Any

import pytest

from keepgraph import store
from keepgraph.engine.retrieval import question_analysis
from keepgraph.engine.retrieval.question_analysis import Question
from words import Caller, person, project

HERE = {"literal": "here"}


def analysed(call: Caller, question: str) -> Question:
    with call.graph.database.read("test") as tx:
        return question_analysis.analyse(tx, question, groups=("default",))


def named(call: Caller, question: str) -> set[str]:
    """The entities that the names in a question may mean."""
    rows = [key for key in analysed(call, question).nodes if key > 0]
    with call.graph.database.read("test") as tx:
        return {entity.name for entity in store.entities.by_rows(tx, rows).values()}


@pytest.fixture
def speakers(call: Caller) -> Caller:
    """A conversation of three."""
    for said in ("Ada King: It rains.", "Ada Byron: It snows.", "Thomas Hill: I like the sun.", "Nora Lund: So do I."):
        call("add_memory", name=said[:5], episode_body=said, source="message")
    return call


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Nora Lund like?", {"nora lund"}),
        ("What does Nora like?", {"nora lund"}),
        ("What does Lund like?", {"nora lund"}),
        ("What does Tommy like?", {"thomas hill"}),
        ("What did Ada say?", set()),  # there are two
        ("What did Ada Byron say?", {"ada byron"}),
        ("What did Zoe say?", set()),
    ],
)
def test_a_part_of_a_name_or_a_nickname_means_the_only_speaker_who_has_it(speakers, question, expected):
    assert analysed(speakers, question).speakers == expected


def test_a_nickname_of_two_speakers_means_neither(speakers):
    speakers("add_memory", name="More", episode_body="Thomas Brook: I like the rain.", source="message")

    assert analysed(speakers, "What does Tommy like?").speakers == frozenset()


@pytest.mark.parametrize(
    ("persons", "question", "expected"),
    [
        (["Ada Lovelace"], "what does ada write?", {"Ada Lovelace"}),
        (["Ada Lovelace", "Ada Palmer"], "what does ada write?", set()),
        (["Ada Lovelace", "Ada Palmer"], "what does ada palmer write?", {"Ada Palmer"}),
        (["Charles Babbage"], "What did Charls Babbage build?", {"Charles Babbage"}),
        (["Charles Babbage"], "What did Charlotte Babbage build?", set()),  # similar, and another name
    ],
)
def test_a_first_name_or_a_mistyped_one_means_the_only_person_it_may_be_of(call, persons, question, expected):
    for name in persons:
        call.record(person(name), "tagged", HERE)

    assert named(call, question) == expected


def test_the_names_of_persons_are_left_out_of_what_is_compared_with_texts(speakers):
    speakers.record(person("Grace Hopper"), "tagged", HERE)
    speakers.record(project("Atlas"), "tagged", HERE)
    question = analysed(speakers, "What does Nora Lund's friend Grace Hopper like of Atlas?")

    assert question.without_names == "What does friend like of Atlas?"
    assert '"nora"' not in question.phrases_for_chunks
    assert {'"grace"', '"atlas"', '"friend"'} <= set(question.phrases_for_chunks)
    assert {'"nora"', '"lund"'} <= set(question.phrases)


def test_a_name_that_is_only_proposed_stays_in_what_is_compared(speakers):
    speakers("add_memory", name="Trip", episode_body="We met Grace Hopper in Basel. Later Grace Hopper gave a talk.")
    question = analysed(speakers, "What did Grace Hopper eat?")

    assert question.without_names == "What did Grace Hopper eat?"


def test_a_question_of_a_name_alone_is_compared_as_it_is(speakers):
    asked = analysed(speakers, "Nora Lund")

    assert asked.without_names == "Nora Lund"
    assert asked.phrases_for_chunks == asked.phrases == ('"nora"', '"lund"')


def test_a_few_words_may_be_a_name_themselves_and_more_are_a_question(call, monkeypatch):
    tried: list[str] = []

    def similar(tx: Any, name: Any, *, groups: Any) -> list[Any]:
        tried.append(name.text)
        return []

    monkeypatch.setattr(question_analysis, "_similar_entities", similar)
    for question in ("order of the garter", "order of the golden garter"):
        analysed(call, question)

    assert tried == ["order of the garter"]
