"""Numbers and nouns of messages are English: plurals and articles."""

from __future__ import annotations

import pytest

from keepgraph import english


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (1, "fact", "1 fact"),
        (0, "fact", "0 facts"),
        (1200, "waiting relation", "1,200 waiting relations"),
        (2, "proposed entity", "2 proposed entities"),
        (2, "day", "2 days"),
        (3, "alias", "3 aliases"),
        (3, "person", "3 people"),
        (2, "match", "2 matches"),
    ],
)
def test_a_number_comes_with_its_noun(number, noun, words):
    assert words == english.count_noun(number, noun)


@pytest.mark.parametrize(
    ("noun", "words"), [("project", "a project"), ("organisation", "an organisation"), ("open_task", "an open task")]
)
def test_a_type_comes_with_its_article(noun, words):
    assert words == english.with_article(noun)


def test_counts_by_their_plurals_are_told_in_words():
    counts = {"entities": 1, "facts": 1_200, "texts": 1, "changed": 1, "words": 0}

    assert english.count_nouns(counts) == "1 entity, 1,200 facts, 1 text, 1 changed"
    assert english.count_nouns({}) == ""
