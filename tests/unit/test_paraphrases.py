"""Paraphrases: what may mean the same though the words differ, as a table; a vector alone cannot tell."""

from __future__ import annotations

import pytest

from keepgraph.language import paraphrases
from keepgraph.language.normalisation import Name

POSSIBLE = [
    # question, name, style
    ("Purchase of the Aegean Star", "MV Aegean Star Sale", "title"),
    ("the kitchen at Elm Street", "Elm Street Kitchen Renovation", "title"),
    ("sign-in for the Portal Project", "Portal Login", "title"),
]
ANOTHER = [
    ("Purchase of the MV Aegean Moon", "MV Aegean Star Sale", "title"),
    ("works at the Elm Lane kitchen", "Elm Street Kitchen Renovation", "title"),
    ("survey of the Lower Harbour bridge", "Upper Harbour Bridge Inspection", "title"),
]


def is_possible(question: str, name: str, style: str) -> bool:
    return paraphrases.is_possible(Name(question), Name(name), style=style, is_entity_name=lambda word: False)


@pytest.mark.parametrize(("question", "name", "style"), POSSIBLE)
def test_other_words_for_the_same_may_be_meant(question: str, name: str, style: str) -> None:
    assert is_possible(question, name, style)


@pytest.mark.parametrize(("question", "name", "style"), ANOTHER)
def test_another_proper_name_is_not_meant(question: str, name: str, style: str) -> None:
    assert not is_possible(question, name, style)
