"""Which words mean the speaker: as a name, and in a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import first_person


@pytest.mark.parametrize("word", ["me", "Me", "I", "i", "myself", " my ", "ich", "Mich", "moi", "yo", "mí"])
def test_words_for_the_speaker_are_known_in_several_languages(word):
    assert first_person.is_pronoun(word)


@pytest.mark.parametrize("word", ["ME", "EU", "ÈU", "Èu", "Mei", "Ian", "Ana Ruiz", "Ben", "Mia", "", "?", "me too"])
def test_names_and_abbreviations_are_no_words_for_the_speaker(word):
    assert not first_person.is_pronoun(word)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What do you know about me?", "about me"),
        ("who am I?", "who am I"),
        ("Who reports to me", "me"),
        ("where do I work?", "I"),
        ("what did I decide last week?", "I"),
        ("tell me about my projects", "my"),
        ("What can you tell me about myself?", "about myself"),
        ("Was weißt du über mich?", "über mich"),
        ("¿Qué sabes de mí?", "de mí"),
        ("que sais-tu sur moi ?", "sur moi"),
        ("me", "me"),
        ("anything waiting for me?", "me"),
    ],
)
def test_a_question_about_the_one_who_asks_is_recognised(question, words):
    start, end = first_person.find_in_question(question) or (0, 0)

    assert question[start:end] == words


@pytest.mark.parametrize(
    "question",
    [
        "tell me about Atlas",
        "remind me to call Bob",
        "show me my notes",
        "give me a summary of the week",
        "what did I write about the budget?",
        "what do I know about Kubernetes",
        "how do I reset the router?",
        "can you find me the invoice",
        "I need the licence number",
        "explain to me how the login works",
        "let me know what we decided",
        "what should I do next?",
        "the ME department",
        "",
        "???",
    ],
)
def test_a_question_that_is_only_asked_by_somebody_is_not_about_them(question):
    assert first_person.find_in_question(question) is None


@given(st.text(max_size=60))
def test_any_text_has_an_answer_within_it(text):
    span = first_person.find_in_question(text)

    assert span is None or 0 <= span[0] < span[1] <= len(text)
