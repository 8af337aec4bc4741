"""What says that the thing with a similar name is not meant, and what says no such thing, as tables."""

from __future__ import annotations

import pytest

from keepgraph.language import name_conflicts
from keepgraph.language.normalisation import Name

CONTRADICTED = [
    # question, name, style
    ("Mass in A minor", "Mass in B minor", "term"),
    ("Team C", "Team D", "title"),
    ("from Bergen to Oslo", "from Oslo", "statement"),
    ("Mr. Hart", "Dr. Susan Hart", "person"),
    ("Frau Brandt", "Johann Brandt", "person"),
    ("Mrs Keller", "Prof. Dr. Peter Keller", "person"),
    ("Mrs Vandermeer", "Captain Johannes Vandermeer", "person"),
    ("Mrs James Kirk", "James Kirk", "person"),
    ("Lady Byron", "Lord Byron", "person"),
    ("Mr Novak", "Alexandra Novak", "person"),
]

NOT_CONTRADICTED = [
    ("Mass in B minor", "Mass in B minor, BWV 232", "term"),
    ("a mass in B minor", "Mass in B minor", "term"),
    ("from Oslo", "from Oslo to Bergen", "statement"),
    ("Dr. Hart", "Dr. Susan Hart", "person"),
    ("Mrs. Hart", "Dr. Susan Hart", "person"),
    ("Mr. Brandt", "Johann Brandt", "person"),
    ("Mrs. Okafor", "Chidi Okafor", "person"),
    ("Mr. Susan", "Susan", "person"),
    ("Mr Vandermeer", "Captain Johannes Vandermeer", "person"),
    ("Mr Theodora Pappas", "Theodora Pappas", "person"),
]


@pytest.mark.parametrize(("question", "name", "style"), CONTRADICTED)
def test_a_question_contradicts_a_similar_name(question, name, style):
    assert name_conflicts.contradict(Name(question), Name(name), style=style)


@pytest.mark.parametrize(("question", "name", "style"), NOT_CONTRADICTED)
def test_what_is_written_otherwise_does_not_contradict(question, name, style):
    assert not name_conflicts.contradict(Name(question), Name(name), style=style)
