"""What says that the thing with a similar name is not meant, and what says no such thing, as tables."""

from __future__ import annotations

import pytest

from keepgraph.language import name_contradictions
from keepgraph.language.normalisation import Name
from keepgraph.ml import frequent_words

needs_words = pytest.mark.skipif(not frequent_words.load(), reason="needs the word list of the model")

CONTRADICTED = [
    # question, name, style
    ("Mass in A minor", "Mass in B minor", "term"),
    ("Team C", "Team D", "title"),
    ("PostgreSQL 1.6", "PostgreSQL 16", "term"),
    ("TLS 1", "TLS 1.3", "term"),
    ("EHR Migration", "EHR Migration 2", "title"),
    ("Battalion", "1st Battalion", "term"),
    ("Hire a conductor", "Hire a second conductor", "statement"),
    ("Series", "Series III", "term"),
    ("vitamin B", "vitamin B12", "term"),
    ("Op Checklist", "Pre-op Checklist", "reference"),
    ("profit organisation", "non-profit organisation", "term"),
    ("Call the insured", "Call the insurer", "statement"),
    ("list of trainers", "list of trainees", "reference"),
    ("Philips AG", "Philips Healthcare", "term"),
    ("folk music", "Corwen Society for Folk Music", "title"),
    ("oceanography", "Marlowe Institute of Oceanography", "term"),
    ("both knees", "left knee", "term"),
    ("the right knee", "Left knee", "term"),
    ("apples", "Apple", "title"),
    ("Mr. Hart", "Dr. Susan Hart", "person"),
    ("Frau Brandt", "Johann Brandt", "person"),
    ("Mrs Keller", "Prof. Dr. Peter Keller", "person"),
    ("Marta Santos", "Maria Santos", "person"),
    ("Brother Agnes", "Sister Agnes", "person"),
    ("Pope John Paul I", "Pope John Paul II", "person"),
    ("Pope Paul II", "Pope John Paul II", "person"),
    ("Maria Schmidt", "Anna Schmidt", "person"),
    ("Mrs Vandermeer", "Captain Johannes Vandermeer", "person"),
    ("Lady Byron", "Lord Byron", "person"),
    ("Mrs James Kirk", "James Kirk", "person"),
    ("Mr Novak", "Alexandra Novak", "person"),
    ("Father James", "James Kirk", "person"),
    ("Spain", "Spain Tourism", "title"),
    ("acme.example", "Ana Ruiz", "person"),
    ("https://acme.example/", "https://acme.example/prices/2026", "reference"),
]

NOT_CONTRADICTED = [
    ("Mass in B minor", "Mass in B minor, BWV 232", "term"),
    ("a mass in B minor", "Mass in B minor", "term"),
    ("Offsite", "Offsite 2024", "title"),
    ("second battalion", "2nd Battalion", "term"),
    ("Phase two", "Phase 2", "title"),
    ("preop checklist", "Pre-op Checklist", "reference"),
    ("rescheduling the insurer", "Reschedule the insurer", "statement"),
    ("Onbaording Revamp", "Onboarding Revamp", "title"),
    ("neighborhood consultation", "Neighbourhood Consultation", "title"),
    ("deploy pipeline", "Deployment pipeline", "term"),
    ("Kirchner Medical Limited", "Kirchner Medical Ltd", "term"),
    ("Nordisk Papir Aksjeselskap", "Nordisk Papir AS", "term"),
    ("the Corwen Society", "Corwen Society for Folk Music", "title"),
    ("society for folk music", "Corwen Society for Folk Music", "title"),
    ("knee", "left knee", "term"),
    ("North Wing renovations", "North Wing Renovation", "title"),
    ("Dr. Hart", "Dr. Susan Hart", "person"),
    ("Mrs. Hart", "Dr. Susan Hart", "person"),
    ("Mr. Brandt", "Johann Brandt", "person"),
    ("Mrs. Okafor", "Chidi Okafor", "person"),
    ("Mr. Susan", "Susan", "person"),
    ("Manny Tetteh", "Emmanuel Tetteh", "person"),
    ("Sister Agnes Moreau", "Sister Agnes", "person"),
    ("John Paul II", "Pope John Paul II", "person"),
    ("Bill Pratt", "William Pratt", "person"),
    ("Theo Kastellanos", "Theodora Kastellanos", "person"),
    ("Jon Smith", "John Smith", "person"),
    ("Lovelace Ada", "Ada Lovelace", "person"),
    ("Mr Vandermeer", "Captain Johannes Vandermeer", "person"),
    ("Mr Theodora Pappas", "Theodora Pappas", "person"),
    ("Father Kirk", "James Kirk", "person"),
    ("Spain Tourism", "Spain Tourism Board", "title"),
    ("acme.example/prices", "https://acme.example/prices", "reference"),
    ("drought-tolerant", "Drought tolerance", "term"),
    ("Intake re-design", "Intake Redesign", "title"),
    ("NDA", "Non-disclosure agreement", "term"),
]


@pytest.mark.parametrize(("question", "name", "style"), CONTRADICTED)
def test_a_question_contradicts_a_similar_name(question, name, style):
    assert name_contradictions.contradict(Name(question), Name(name), style=style)


@needs_words
def test_two_words_that_only_look_alike_are_two_words():
    assert name_contradictions.contradict(Name("St. Mary Hospice"), Name("St. Mary Hospital"), style="term")


@pytest.mark.parametrize(("question", "name", "style"), NOT_CONTRADICTED)
def test_what_is_written_otherwise_does_not_contradict(question, name, style):
    assert not name_contradictions.contradict(Name(question), Name(name), style=style)
